//! What can be done with the game of a family, besides playing it.

use std::collections::BTreeMap;

use ruse_games::rule_file::RuleFile;
use ruse_games::{
    AdjustableRules, Board, BySeat, Factored, Game, Imagine, Legal, Rule, RulesError, SampleAction,
    Seat, Simulate,
};

use crate::breadth::{Breadth, breadth_by_slots, breadth_listed};
use crate::family::Family;
use crate::imagining::{Imagining, imagining};
use crate::search::{self, AnyStrategy, SearchName};

type StateOf<G> = <G as Game>::State;

/// Returns the searching player of a name for a game, or `None` if the search cannot play it.
pub type SearchOf<G> = fn(&G, &SearchName) -> Option<Box<dyn AnyStrategy<G>>>;

/// The interactive board of a game, on which people can play.
pub struct OpenBoard<'a, G: Game> {
    /// Displays the game and parses the input.
    pub board: &'a dyn Board<G>,
    /// The name of the default opponent, a reference strategy or a searching player.
    pub opponent: &'static str,
}

/// The capabilities of the game of a family, as functions of the game; `None` for each capability that is missing.
///
/// Each method that takes `self` adds what a trait of the game provides:
///
/// ```
/// use ruse_strategies::nim::NimFamily;
/// use ruse_strategies::{Capabilities, Family};
///
/// let family = NimFamily::standard();
/// assert!(family.capabilities().searching.is_some());
/// let few = Capabilities::of(&family).board("optimal");
/// assert!(few.board.is_some() && few.searching.is_none() && few.rules().is_empty());
/// ```
#[allow(
    clippy::type_complexity,
    reason = "each function has the types of its trait and is written once"
)]
pub struct Capabilities<'a, F: Family> {
    family: &'a F,
    adjustment: Option<Adjustment<F>>,
    /// The interactive board.
    pub board: Option<OpenBoard<'a, F::Game>>,
    /// Returns an imagining seat at the start of a game, so that an interactive game can show the values of choices.
    pub imagining: Option<fn(&F::Game, Seat) -> Box<dyn Imagining<F::Game>>>,
    /// Returns the number of actions of a seat, whose turn it is in a state.
    pub breadth: Option<fn(&F::Game, &StateOf<F::Game>, Seat) -> Breadth>,
    /// Returns the searching player of a name.
    pub searching: Option<SearchOf<F::Game>>,
    /// Returns the goals of both seats at the end of a game, 0 to 100. `None` if the goals carry no more information
    /// than the payoff, because they always have the same sum.
    pub goals: Option<fn(&F::Game, &StateOf<F::Game>) -> Option<BySeat<f64>>>,
    /// Returns the first error in the rules that occurred in a game, if any. The results of games with an error are
    /// invalid.
    pub fault: Option<fn(&F::Game) -> Option<String>>,
    /// The rule file that defines the game.
    pub rule_file: Option<&'a RuleFile>,
}

/// The functions that read and change the rules of a family.
#[allow(
    clippy::type_complexity,
    reason = "each function has the types of its trait and is written once"
)]
struct Adjustment<F: Family> {
    rules: fn(&F::Game) -> Vec<Rule>,
    rule_value: fn(&F::Game, &str, &str) -> Option<u64>,
    with_rules: fn(&F::Game, &BTreeMap<String, u64>) -> Result<F::Game, RulesError>,
    with_game: fn(&F, F::Game) -> F,
    is_offered: fn(&str) -> bool,
}

impl<'a, F: Family> Capabilities<'a, F> {
    /// Returns no capabilities.
    pub fn of(family: &'a F) -> Capabilities<'a, F> {
        Capabilities {
            family,
            adjustment: None,
            board: None,
            imagining: None,
            breadth: None,
            searching: None,
            goals: None,
            fault: None,
            rule_file: None,
        }
    }

    /// Adds the adjustable rules of the game. `with_game` returns the family with another game.
    pub fn adjustable(mut self, with_game: fn(&F, F::Game) -> F) -> Self
    where
        F::Game: AdjustableRules,
    {
        self.adjustment = Some(Adjustment {
            rules: F::Game::rules,
            rule_value: F::Game::rule_value,
            with_rules: F::Game::with_rules,
            with_game,
            is_offered: |_| true,
        });
        self
    }

    /// Hides the rules whose name does not satisfy `is_offered`, because they do not concern the family.
    pub fn only_rules(mut self, is_offered: fn(&str) -> bool) -> Self {
        self.adjustment = self.adjustment.map(|adjustment| Adjustment { is_offered, ..adjustment });
        self
    }

    /// Adds the interactive board, with the name of the default opponent.
    pub fn board(mut self, opponent: &'static str) -> Self
    where
        F::Game: Board<F::Game>,
    {
        self.board = Some(OpenBoard { board: self.family.game(), opponent });
        self
    }

    /// Adds the capabilities of a game that lists its actions: hidden states, the number of actions, the search `uct`.
    pub fn listed(self) -> Self
    where
        F::Game: Imagine + Legal + SampleAction,
    {
        Capabilities { breadth: Some(breadth_listed), ..self.imagined(search::listed) }
    }

    /// Like [`listed`](Capabilities::listed), for a game without chance and with complete information: any search that
    /// does not need a rule file can play it.
    pub fn listed_and_open(self) -> Self
    where
        F::Game: Imagine + Legal + SampleAction,
    {
        Capabilities { searching: Some(search::listed_and_open), ..self.listed() }
    }

    /// Adds the capabilities of a game whose actions are drawn: hidden states, the search `uct`.
    pub fn drawn(self) -> Self
    where
        F::Game: Imagine + SampleAction,
    {
        self.imagined(search::drawn)
    }

    /// Adds the capabilities of a game whose actions have several slots and that can be played ahead for a limited
    /// time: hidden states, the number of actions with the time of the game, the searches `uct` and `naive-mcts`.
    pub fn by_slots(self) -> Self
    where
        F::Game: Factored + Simulate + SampleAction,
    {
        let breadth: fn(&F::Game, &StateOf<F::Game>, Seat) -> Breadth = |game, state, seat| {
            Breadth { clock: Some(game.clock(state)), ..breadth_by_slots(game, state, seat) }
        };
        Capabilities { breadth: Some(breadth), ..self.imagined(search::by_slots) }
    }

    fn imagined(self, searching: SearchOf<F::Game>) -> Self
    where
        F::Game: Imagine,
    {
        Capabilities { imagining: Some(imagining), searching: Some(searching), ..self }
    }

    /// Returns the adjustable rules with their current values.
    pub fn rules(&self) -> Vec<Rule> {
        let Some(Adjustment { rules, is_offered, .. }) = &self.adjustment else {
            return Vec::new();
        };
        rules(self.family.game()).into_iter().filter(|rule| is_offered(&rule.name)).collect()
    }

    /// Returns the value of `rule` that `text` names, or `None` if `text` is not the name of a value.
    pub fn rule_value(&self, rule: &str, text: &str) -> Option<u64> {
        self.adjustment.as_ref().and_then(|how| (how.rule_value)(self.family.game(), rule, text))
    }

    /// Returns the family with the named rules changed.
    ///
    /// # Errors
    ///
    /// Returns an error for an unknown name, a value out of range, or incompatible values.
    pub fn with_rules(&self, changes: &BTreeMap<String, u64>) -> Result<F, RulesError> {
        let known: Vec<_> = self.rules().into_iter().map(|rule| rule.name).collect();
        if let Some(name) = changes.keys().find(|name| !known.iter().any(|rule| rule == *name)) {
            return Err(RulesError::Unknown { name: name.clone(), known });
        }
        let Some(Adjustment { with_rules, with_game, .. }) = &self.adjustment else {
            return Ok(self.family.clone());
        };
        Ok(with_game(self.family, with_rules(self.family.game(), changes)?))
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use ruse_games::NumActions;

    use super::*;
    use crate::nim::NimFamily;
    use crate::rts::RtsScriptFamily;

    #[test]
    fn a_hidden_rule_is_unknown() {
        let family = RtsScriptFamily::standard();
        let known = ["map", "cap", "mines", "units", "conflicts", "evaluation", "fog"];
        let rules = family.capabilities().rules();
        assert_eq!(rules.iter().map(|rule| &*rule.name).collect::<Vec<_>>(), known);
        let change = |name: &str| {
            family.capabilities().with_rules(&[(name.to_string(), 12)].into()).map(|changed| {
                let rules = changed.capabilities().rules();
                rules.into_iter().map(|rule| rule.value).collect::<Vec<_>>()
            })
        };
        let known = known.map(Cow::from).into();
        assert_eq!(change("playouts"), Err(RulesError::Unknown { name: "playouts".into(), known }));
        // Map 0 and table 1 are the defaults; the cap of the paper is 3,000 cycles.
        assert_eq!(change("mines"), Ok(vec![0, 3_000, 12, 1, 0, 0, 0]));
    }

    #[test]
    fn no_capabilities_are_the_default() {
        let family = NimFamily::standard();
        let none = Capabilities::of(&family);
        assert!(none.rules().is_empty() && none.rule_value("heaps", "3").is_none());
        assert!(none.with_rules(&BTreeMap::new()).is_ok());
        let error = none.with_rules(&[("heaps".to_string(), 3)].into()).err();
        assert_eq!(error, Some(RulesError::Unknown { name: "heaps".into(), known: Vec::new() }));
        assert!(none.board.is_none() && none.imagining.is_none() && none.searching.is_none());
    }

    /// On the map 8x8-1 the base and the worker of a seat have 10 joint actions at the start, as the program of the
    /// paper reports.
    #[test]
    fn actions_in_slots_are_counted_with_the_time() {
        let family = RtsScriptFamily::standard();
        let count = family.capabilities().breadth.expect("actions have slots");
        let breadth = count(family.game(), &family.game().start(), Seat::First);
        assert_eq!((breadth.clock, breadth.num_actions), (Some(0), NumActions::Exactly(10)));
    }
}
