//! Names of searching players.

use super::Budget;
use super::budget::{BudgetError, SearchSettings};
use super::naive_mcts::{BanditKind, NaiveMctsSettings};
use super::stage_settings::{MacUcbSettings, SolverKind};
use super::uct::UctSettings;

/// The name of a searching player: `METHOD[@BUDGET][:SETTING=VALUE,...]`, such as `uct`, `uct@500` and `uct@2k:c=0.7`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum SearchName {
    /// `uct`, with its settings.
    Uct(UctSettings),
    /// One of the searches that solve stages, such as `mac-ucb`, for games from rule files.
    MacUcb(MacUcbSettings),
    /// One of the searches with a combinatorial bandit in each node, such as `naive-mcts` and `mc-lsi`.
    NaiveMcts(NaiveMctsSettings),
}

/// The searches with a combinatorial bandit: name, bandit, and `true` if the search builds a tree.
const WITH_BANDITS: [(&str, BanditKind, bool); 14] = [
    (SearchName::NAIVE_MCTS, BanditKind::Naive, true),
    ("mcts-egreedy", BanditKind::EGreedy, true),
    ("mcts-ucb1", BanditKind::Ucb1, true),
    ("mcts-fpu", BanditKind::Ucb1Fpu, true),
    ("mcts-two-phase", BanditKind::TwoPhase, true),
    ("mcts-mlps", BanditKind::Mlps, true),
    ("mc", BanditKind::Naive, false),
    ("mc-ns", BanditKind::Naive, false),
    ("mc-egreedy", BanditKind::EGreedy, false),
    ("mc-ucb1", BanditKind::Ucb1, false),
    ("mc-fpu", BanditKind::Ucb1Fpu, false),
    ("mc-two-phase", BanditKind::TwoPhase, false),
    ("mc-mlps", BanditKind::Mlps, false),
    ("mc-lsi", BanditKind::Lsi, false),
];

/// The searches that solve stages.
const SOLVING: [(&str, SolverKind); 3] = [
    ("mac-ucb", SolverKind::Mac),
    ("fc-ucb", SolverKind::ForwardChecking),
    ("forward-ucb", SolverKind::Engine),
];

/// An error in the name of a searching player.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchNameError {
    /// The text after `@` is not a budget.
    #[error("player `{name}`: {error}")]
    Budget {
        /// The name as given.
        name: String,
        /// The error in the budget.
        error: BudgetError,
    },
    /// The budget after `@` is valid, but the method does not accept it.
    #[error("player `{name}`: {fit}, and not `{found}`")]
    OtherBudget {
        /// The name as given.
        name: String,
        /// The budget found.
        found: Budget,
        /// The budgets that the method accepts.
        fit: &'static str,
    },
    /// The text after `:` is not a setting of the method.
    #[error("player `{name}`: `{found}` is not a setting; {known}")]
    Setting {
        /// The name as given.
        name: String,
        /// The invalid part.
        found: String,
        /// The known settings.
        known: &'static str,
    },
}

impl SearchName {
    /// The name of the method that can search most games.
    pub const UCT: &str = "uct";

    /// The name of the main search with combinatorial bandits.
    pub const NAIVE_MCTS: &str = "naive-mcts";

    /// The names of the main methods; all others are variants of these.
    pub const COMMON: [&str; 3] = [Self::UCT, Self::NAIVE_MCTS, "mac-ucb"];

    /// Iterates over the names of all methods.
    pub fn methods() -> impl Iterator<Item = &'static str> {
        let solving = SOLVING.iter().map(|&(name, _)| name);
        std::iter::once(Self::UCT).chain(solving).chain(WITH_BANDITS.iter().map(|&(name, ..)| name))
    }

    /// Parses the name of a searching player. Returns `None` unless `name` begins with the name of a method, followed
    /// by `@`, `:` or nothing.
    ///
    /// # Errors
    ///
    /// Returns an error for an invalid budget or setting.
    pub fn parse(name: &str) -> Option<Result<SearchName, SearchNameError>> {
        let end = name.find(['@', ':']).unwrap_or(name.len());
        let (method, rest) = name.split_at(end);
        if method == Self::UCT {
            return Some(changed(UctSettings::default(), name, rest).map(SearchName::Uct));
        }
        if let Some(&(_, solver)) = SOLVING.iter().find(|&&(name, _)| name == method) {
            let usual = MacUcbSettings::of(solver);
            return Some(changed(usual, name, rest).map(SearchName::MacUcb));
        }
        let &(_, bandit, is_tree) = WITH_BANDITS.iter().find(|&&(name, ..)| name == method)?;
        // Without settings, and unless it is the paper's, the main player has what is best for the game.
        let (rest, is_paper) = match rest.strip_suffix(":paper") {
            Some(rest) if method == Self::NAIVE_MCTS => (rest, true),
            _ => (rest, rest.contains(':') || method != Self::NAIVE_MCTS),
        };
        let usual =
            NaiveMctsSettings { is_tuned: !is_paper, ..NaiveMctsSettings::of(bandit, is_tree) };
        let settings = changed(usual, name, rest).and_then(|settings| {
            let fit = match (bandit, settings.budget) {
                (_, Budget::Playouts(_)) => return Ok(settings),
                (BanditKind::Lsi, _) => {
                    "it has to know how many playouts it has, so its budget is playouts (`500`, `2k`)"
                }
                (_, Budget::Milliseconds(_)) => return Ok(settings),
                (_, Budget::Steps(_)) => "its budget is playouts (`500`, `2k`) or time (`50ms`, `3s`)",
            };
            Err(SearchNameError::OtherBudget { name: name.into(), found: settings.budget, fit })
        });
        Some(settings.map(SearchName::NaiveMcts))
    }

    /// Returns `true` if the player can only play games from rule files.
    pub fn needs_rule_file(&self) -> bool {
        match self {
            SearchName::Uct(settings) => settings.share > 0.0,
            SearchName::MacUcb(_) => true,
            SearchName::NaiveMcts(_) => false,
        }
    }

    /// Returns the setting that not all games allow, if the player has one, and in words the properties that other games
    /// lack.
    pub fn special_setting(&self) -> Option<(&'static str, &'static str)> {
        match self {
            SearchName::NaiveMcts(settings) if settings.carry => {
                Some(("carry=1", "has no clock, or hides when the others chose"))
            }
            SearchName::NaiveMcts(NaiveMctsSettings { num_free: Some(_), .. }) => {
                Some(("free", "has no scripts to choose among"))
            }
            _ => None,
        }
    }

    /// Returns `true` if the same seed gives the same actions on every machine.
    pub fn is_reproducible(&self) -> bool {
        self.budget().is_reproducible()
    }

    /// Returns the budget of each turn.
    pub fn budget(&self) -> Budget {
        match self {
            SearchName::Uct(settings) => settings.budget,
            SearchName::MacUcb(settings) => settings.budget,
            SearchName::NaiveMcts(settings) => settings.budget,
        }
    }
}

/// Changes the settings by `rest`, which is `@BUDGET`, `:SETTING=VALUE,...`, both, or empty.
fn changed<S: SearchSettings>(mut new: S, name: &str, rest: &str) -> Result<S, SearchNameError> {
    let (budget, changes) = match rest.split_once(':') {
        Some((budget, changes)) => (budget, Some(changes)),
        None => (rest, None),
    };
    if let Some(budget) = budget.strip_prefix('@') {
        let error = |error| SearchNameError::Budget { name: name.into(), error };
        *new.budget() = budget.parse().map_err(error)?;
    }
    for change in changes.into_iter().flat_map(|changes| changes.split(',')) {
        let error = || SearchNameError::Setting {
            name: name.into(),
            found: change.into(),
            known: S::KNOWN,
        };
        let (key, value) = change.split_once('=').ok_or_else(error)?;
        let value: f64 = value.parse().map_err(|_| error())?;
        new.set(key, value).ok_or_else(error)?;
    }
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        for (name, same) in [
            ("uct", "uct@1k"),
            ("uct@500", "uct@500"),
            ("uct@2000:c=0.5", "uct@2k:c=0.5"),
            ("uct:c=1e0", "uct@1k:c=1"),
            ("mc", "mc-ns@1k:e0=0.4,el=0.33,eg=0,depth=1"),
            ("naive-mcts@500:paper", "mc@500:depth=10"),
            ("naive-mcts:paper", "naive-mcts@1k:depth=10"),
            ("mac-ucb", "mac-ucb@50ks:share=0.9,joint=0,cache=1,prove=1,theta=0,race=0"),
            ("uct@50ks", "uct@50000steps"),
            ("uct@50ks", "uct@50ks:solver=1,share=0,trees=1,memory=1024"),
        ] {
            let player = SearchName::parse(name).expect("a method").expect("a player");
            assert_eq!(SearchName::parse(same), Some(Ok(player)));
        }
    }

    #[test]
    fn a_player_without_settings_is_tuned() {
        let is_tuned = |name| match SearchName::parse(name) {
            Some(Ok(SearchName::NaiveMcts(settings))) => settings.is_tuned,
            other => panic!("{other:?}"),
        };
        assert!(is_tuned("naive-mcts") && is_tuned("naive-mcts@50ms"));
        for name in ["naive-mcts:paper", "naive-mcts@9:depth=10", "mc", "mcts-ucb1@500"] {
            assert!(!is_tuned(name), "{name}");
        }
    }

    #[test]
    fn other_names_are_those_of_others() {
        for name in ["", "uc", "mcts", "ucts", "uct-2", "random", "@500", "baseline"] {
            assert_eq!(SearchName::parse(name), None);
        }
    }

    #[test]
    fn errors_say_which_part_is_wrong() {
        for (name, part) in [
            ("uct@", "``"),
            ("uct@0", "`0`"),
            ("uct@fast", "`fast`"),
            ("uct:", "`` is not a setting"),
            ("uct@5:c", "`c` is not a setting"),
            ("uct@5:c=x", "`c=x` is not a setting"),
            ("uct@5:c=-1", "`c=-1` is not a setting"),
            ("uct@5:c=inf", "`c=inf` is not a setting"),
            ("uct@5:d=1", "`d=1` is not a setting"),
            ("uct@5:c=1,c", "`c` is not a setting"),
            ("mc:depth=0", "`depth=0` is not a setting"),
            ("mc:paper", "`paper` is not a setting"),
            ("mc:depth=1.5", "`depth=1.5` is not a setting"),
            ("mc-lsi:depth=2", "`depth=2` is not a setting"),
            ("mc-lsi@20ms", "`20ms`"),
            ("naive-mcts@5ks", "`5ks`"),
            ("mac-ucb:share=1", "`share=1` is not a setting"),
            ("fc-ucb:cache=0.5", "`cache=0.5` is not a setting"),
            ("forward-ucb:race-visits=1", "`race-visits=1` is not a setting"),
            ("naive-mcts:e0=1.1", "`e0=1.1` is not a setting"),
            ("naive-mcts:discount=0", "`discount=0` is not a setting"),
            ("mc:carry=2", "`carry=2` is not a setting"),
            ("uct:carry=1", "`carry=1` is not a setting"),
            ("uct:solver=2", "`solver=2` is not a setting"),
            ("uct:share=1.1", "`share=1.1` is not a setting"),
            ("uct:trees=0", "`trees=0` is not a setting"),
            ("uct:trees=257", "`trees=257` is not a setting"),
            ("uct:memory=0", "`memory=0` is not a setting"),
        ] {
            let error = SearchName::parse(name).expect("a method").expect_err(name).to_string();
            assert!(error.contains(part) && error.contains(&format!("`{name}`")), "{error}");
        }
    }
}
