//! Strategies that were learned, which every page has.

/// A strategy file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Champion {
    /// The name of the file.
    pub name: &'static str,
    /// What is in it.
    pub text: &'static str,
}

macro_rules! champions {
    ($($name:literal)*) => {
        /// The strategies of `experiments/strategies`, by name.
        pub const CHAMPIONS: &[Champion] = &[$(Champion {
            name: concat!($name, ".yaml"),
            text: include_str!(concat!("../../experiments/strategies/", $name, ".yaml")),
        }),*];
    };
}

champions! {
    "batawaf-es-seed10"
    "batawaf4-es-seed10"
    "battleship-es-seed1"
    "cheat-cma-es-seed3"
    "cheat-special-cma-es-seed8"
    "flip-es-seed3"
    "four-in-a-row-es-seed3"
    "guess-who-deterministic-es-seed9"
    "guess-who-es-seed9"
    "morra-naive-seed4"
    "morra-seeds-seed1"
    "nim-es-seed7"
    "phantom-four-seeds-seed7"
    "phantom-tic-tac-toe-es-seed2"
    "pig-es-seed1"
    "rts-naive-mcts-es-seed1"
    "rts-rushes-12x12-1"
    "rts-script-12x12-1-cma-es-seed1"
    "war-es-seed7"
    "war4-cma-es-seed4"
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn no_champion_is_missing() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/strategies");
        let entries = std::fs::read_dir(directory).expect("the directory is there");
        let names = entries.map(|entry| entry.expect("readable").file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".yaml")).collect();
        names.sort();
        assert_eq!(CHAMPIONS.iter().map(|champion| champion.name).collect::<Vec<_>>(), names);
    }
}
