//! Tests on the rule files that come with the language.

mod families;
mod satisfies;
mod scheme;
mod small;

use ruse_gdl::{Limits, RULE_FILES, Rules, rule_file};

fn rules(name: &str) -> Rules {
    let file = rule_file(name).expect("a file that comes with the language");
    Rules::from_text(file.text, &Limits::default()).expect("it is sound")
}

fn all_rules() -> impl Iterator<Item = (&'static str, Rules)> {
    RULE_FILES.iter().map(|file| (file.name, rules(file.name)))
}
