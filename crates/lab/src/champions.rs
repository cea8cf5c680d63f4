//! Learned strategies that are built into the program and every page.

use ruse_base::files::YamlSource;
use ruse_play::family::{AnyFamily, Player};

use super::files::strategy::StrategyFile;

/// The name that stands for the stored strategy of a family.
pub const CHAMPION: &str = "champion";

/// The families in which the champion is the default opponent in interactive play. Their reference strategies play for
/// a draw.
const PLAYS_TO_WIN: [&str; 2] = ["cheat", "cheat-special"];

/// A learned strategy that is built into the program as the text of a strategy file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Champion {
    /// The name of the file.
    pub name: &'static str,
    /// The contents of the file.
    pub text: &'static str,
}

macro_rules! champions {
    ($($name:literal)*) => {
        /// The strategy files of the directory `experiments/strategies`.
        pub const CHAMPIONS: &[Champion] = &[$(Champion {
            name: concat!($name, ".yaml"),
            text: include_str!(concat!("../strategies/", $name, ".yaml")),
        }),*];
    };
}

impl Champion {
    /// Returns the strategy, if the file is for this family under the current rules.
    fn strategy(&self, family: &dyn AnyFamily) -> Option<StrategyFile> {
        // Most files belong to other families and need not be parsed.
        let header = format!("family: {}", family.name());
        if !self.text.lines().any(|line| line == header) {
            return None;
        }
        let source = YamlSource { path: self.name.into(), text: self.text.into() };
        let file = StrategyFile::from_source(&source).ok()?;
        let rules = family.rules();
        let is_in_force = |(name, value): (&String, &u64)| {
            rules.iter().any(|rule| rule.name == *name && rule.value == *value)
        };
        let suits = file.family == family.name() && file.rules.iter().all(is_in_force);
        suits.then(|| file.checked_in(&source, family).ok()).flatten()
    }
}

/// Returns the first stored strategy for a family and its current rules, if any.
pub fn champion_file(family: &dyn AnyFamily) -> Option<StrategyFile> {
    CHAMPIONS.iter().find_map(|champion| champion.strategy(family))
}

/// Returns the strategy of [`champion_file`] as a player.
pub fn champion(family: &dyn AnyFamily) -> Option<Player> {
    champion_file(family).map(|file| file.contestant())
}

/// Returns the default opponent of interactive play, or `None` if the family cannot be played interactively.
pub fn usual_opponent(family: &dyn AnyFamily) -> Option<String> {
    let reference = family.board_opponent()?;
    let is_better = PLAYS_TO_WIN.contains(&family.name()) && champion(family).is_some();
    Some(if is_better { CHAMPION.into() } else { reference.into() })
}

champions! {
    "batawaf-es-seed10"
    "batawaf4-es-seed10"
    "battleship-es-pruned-seed1"
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

    use ruse_base::rng::StreamKey;
    use ruse_base::stop::StopSignal;
    use ruse_play::arena::Source;
    use ruse_registry::Registry;

    use super::*;

    #[test]
    fn no_champion_is_missing() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("strategies");
        let entries = std::fs::read_dir(directory).expect("the directory is there");
        let names = entries.map(|entry| entry.expect("readable").file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".yaml")).collect();
        names.sort();
        assert_eq!(CHAMPIONS.iter().map(|champion| champion.name).collect::<Vec<_>>(), names);
    }

    #[test]
    fn every_champion_is_read_in_its_family() {
        let registry = Registry::standard();
        for champion in CHAMPIONS {
            let source = YamlSource { path: champion.name.into(), text: champion.text.into() };
            let file = StrategyFile::from_source(&source).expect("a strategy");
            let family = registry.family(&file.family).expect("known");
            let family = family.with_rules(&file.rules).expect("in range");
            assert!(champion.strategy(family.as_ref()).is_some(), "{}", champion.name);
        }
        let others = [("cards-per-colour".to_string(), 5)].into();
        let cheat = registry.family("cheat").expect("known").with_rules(&others).expect("in range");
        assert_eq!(champion(cheat.as_ref()), None);
        assert_eq!(usual_opponent(cheat.as_ref()).as_deref(), Some("honest"));
    }

    /// If a champion replaces a reference strategy as the default opponent, it scores more than .9 against the
    /// baseline, and at least .05 more than the reference strategy.
    #[test]
    fn champions_at_the_table_play_to_win() {
        let registry = Registry::standard();
        for name in PLAYS_TO_WIN {
            let family = registry.family(name).expect("known");
            assert_eq!(usual_opponent(family.as_ref()).as_deref(), Some(CHAMPION));
            let score = |player: &Player| {
                let duel = family.duel(player, &Player::Redrawn).expect("of this family");
                let mut results = vec![Default::default(); 100];
                duel.play(StreamKey::root(1), 0, &mut results, &StopSignal::default())
                    .expect("not stopped");
                let scores = results
                    .iter()
                    .map(|pair| f64::midpoint(pair.as_first.score(), pair.as_second.score()));
                scores.sum::<f64>() / results.len() as f64
            };
            let reference = family.board_opponent().expect("it can be played");
            let [best, reference] =
                [champion(family.as_ref()).expect("stored"), Player::Named(reference.into())]
                    .map(|player| score(&player));
            assert!(best > 0.9 && best > reference + 0.05, "{name}: {best} and {reference}");
        }
    }
}
