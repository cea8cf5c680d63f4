//! The rule files that come with the crate, all written for it.

/// A rule file: its name without the extension, and its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleFile {
    /// The name, such as `tic_tac_toe`.
    pub name: &'static str,
    /// The text.
    pub text: &'static str,
}

macro_rules! files {
    ($($name:literal)*) => {
        /// The rule files, in the order of their names.
        pub const RULE_FILES: &[RuleFile] = &[$(RuleFile {
            name: $name,
            text: include_str!(concat!("../rules/", $name, ".kif")),
        }),*];
    };
}

files! {
    "battleship_4x4"
    "breakthrough_6x6"
    "cant_stop_mini"
    "connect_four"
    "dark_hex_3"
    "dark_hex_3_abrupt"
    "dots_and_boxes_3x3"
    "goofspiel_4"
    "guess_who_16"
    "guess_who_8"
    "hex_5x5"
    "kriegspiel_tic_tac_toe"
    "kuhn_poker"
    "leduc_poker"
    "liars_dice_4"
    "liars_dice_6"
    "lowest_unique"
    "matching_pennies"
    "monty_hall"
    "morra"
    "nim"
    "orchard"
    "pentago"
    "phantom_tic_tac_toe_orders"
    "phantom_tic_tac_toe_try_again"
    "pig_20"
    "reversi_6x6"
    "syntax_zoo"
    "tic_tac_toe"
}

/// Returns the rule file with this name.
pub fn rule_file(name: &str) -> Option<&'static RuleFile> {
    RULE_FILES.iter().find(|file| file.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_name() {
        for file in RULE_FILES {
            assert_eq!(rule_file(file.name), Some(file));
        }
        assert_eq!(rule_file("chess"), None);
    }
}
