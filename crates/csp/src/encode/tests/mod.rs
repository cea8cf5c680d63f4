//! Tests on the rule files that come with the language.

mod families;
mod satisfies;
mod scheme;
mod small;

use std::sync::LazyLock;

use ruse_gdl::{Limits, RULE_FILES, Rules, rule_file};

use super::{Families, FamilyLimits};

/// A rule file with its rules and the families that are found in it.
type File = (&'static str, Rules, Families);

/// Every third rule file, for tests that are not long.
static SOME: LazyLock<Vec<File>> = LazyLock::new(|| files().step_by(3).collect());

fn files() -> impl Iterator<Item = File> {
    RULE_FILES.iter().map(|file| {
        let rules = rules(file.name);
        let families = Families::new(&rules, &FamilyLimits::default());
        (file.name, rules, families)
    })
}

fn rules(name: &str) -> Rules {
    let file = rule_file(name).expect("a file that comes with the language");
    Rules::from_text(file.text, &Limits::default()).expect("it is sound")
}
