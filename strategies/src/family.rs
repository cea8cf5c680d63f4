//! Families: a family bundles a game, a parametric strategy for the game, and reference strategies for comparison.

#![allow(
    clippy::type_complexity,
    reason = "each function has the types of its trait and is written once"
)]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use rand::Rng;
use ruse_games::rule_file::RuleFile;
use ruse_games::{
    AdjustableRules, Beliefs, Board, BySeat, Factored, Game, Imagine, Legal, Numbered, Payoff,
    Rule, RulesError, SampleAction, Seat, Seen, Simulate, Units,
};
use ruse_picture::Picture;
use ruse_search::{self, AnyStrategy, ParametricStrategy, SearchName, Searcher, Strategy};

use crate::breadth::{Breadth, breadth_by_slots, breadth_listed};
use crate::certificate::{Bounds, Certificate, Work};
use crate::imagining::{Imagining, imagining};
use crate::planner::ActionsOf;
use crate::player::of_either;
use crate::{
    Halt, Memories, PairResult, PlayerRef, Prepared, SelfPlay, Streams, Teaching, play_by_turns,
};

/// A text that is often a constant.
type Text = Cow<'static, str>;
type StateOf<F> = <<F as Family>::Game as Game>::State;
pub(crate) type ViewOf<'a, F> = <<F as Family>::Game as Game>::View<'a>;
pub(crate) type ActionOf<F> = <<F as Family>::Game as Game>::Action;

/// The name of the player that takes random legal actions.
pub const RANDOM: &str = "random";

/// A named strategy with which tuned strategies are compared.
#[derive(Debug, Clone)]
pub struct Reference<S> {
    /// The name that users type, in kebab-case.
    pub name: Text,
    /// A description of how the strategy plays, in one line.
    pub meaning: Text,
    /// The strategy itself; `()` where its type is hidden.
    pub strategy: S,
    /// The parameters with which the family's strategy plays like this strategy, if there are any.
    pub parameters: Option<Vec<f64>>,
}

impl<S> Reference<S> {
    /// Creates a reference. `name` is in kebab-case, and `meaning` describes in one line how the strategy plays.
    pub fn new(name: impl Into<Text>, meaning: impl Into<Text>, strategy: S) -> Reference<S> {
        Reference::named(name, strategy).meaning(meaning)
    }

    /// Creates a reference from its name, in kebab-case, without a meaning.
    pub fn named(name: impl Into<Text>, strategy: S) -> Reference<S> {
        Reference { name: name.into(), meaning: "".into(), strategy, parameters: None }
    }

    /// Sets the description, one line, of how the strategy plays.
    #[must_use]
    pub fn meaning(self, meaning: impl Into<Text>) -> Reference<S> {
        Reference { meaning: meaning.into(), ..self }
    }

    /// Adds the parameters with which the family's strategy plays like this strategy.
    #[must_use]
    pub fn with_parameters(self, parameters: Vec<f64>) -> Reference<S> {
        Reference { parameters: Some(parameters), ..self }
    }

    /// Hides the type of the strategy.
    pub fn without_strategy(self) -> Reference<()> {
        let Reference { name, meaning, parameters, .. } = self;
        Reference { name, meaning, strategy: (), parameters }
    }
}

/// The result of an exact best response to a strategy.
#[derive(Debug, Clone, PartialEq)]
pub struct BestResponse {
    /// The expected score of the response in each seat, in [0, 1].
    pub scores: BySeat<f64>,
    /// A description of how the response plays, or `None` if a description would be long.
    pub words: Option<String>,
}

impl BestResponse {
    /// Returns the expected score of the response, averaged over both seats, in [1/2, 1]. A strategy scores one half
    /// against itself, so a lower score can only be a rounding error; one half is returned instead.
    pub fn score(&self) -> f64 {
        self.scores.mean().max(0.5)
    }
}

/// The names of a family, and the data that a list of families shows about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FamilyInfo<'a> {
    /// The name that users type, in kebab-case.
    pub name: &'a str,
    /// The name of the game, in kebab-case; several families can share a game.
    pub game: &'a str,
    /// A description of the game in a few words, for a list of games.
    pub about: &'a str,
    /// A one-line description of what the parameters decide.
    pub summary: &'a str,
    /// The name of the reference strategy that plays as most people do or as the usual advice says, if any.
    pub common_play: Option<&'a str>,
    /// The number of games after which a run on the family has a useful result, in under a minute on two cores.
    pub default_budget: u64,
    /// The unit of payoffs, if they are not wins, draws and losses.
    pub units: Option<&'a Units>,
}

impl<'a> FamilyInfo<'a> {
    /// Creates a description from the name of the family, which is also the name of the game, and a summary of what its
    /// parameters decide. The budget is a million games, which suits a game with few decisions and few parameters.
    pub const fn new(name: &'a str, summary: &'a str) -> FamilyInfo<'a> {
        FamilyInfo {
            name,
            game: name,
            about: name,
            summary,
            common_play: None,
            default_budget: 1_000_000,
            units: None,
        }
    }
}

/// A function that returns the searching player with a given name.
pub type SearchOf<G> = fn(&G, &SearchName) -> Searcher<G>;

/// The interactive board of a game, on which people can play.
pub struct OpenBoard<'a, G: Game> {
    /// Displays the game and parses the input.
    pub board: &'a dyn Board<G>,
    /// The name of the default opponent, a reference strategy or a searching player.
    pub opponent: &'static str,
}

/// The capabilities that concern a game alone, as functions of the game. A missing capability is `None`.
pub struct GameCapabilities<'a, G: Game> {
    /// The interactive board.
    pub board: Option<OpenBoard<'a, G>>,
    /// The observations and numbered actions of the game, for learners.
    pub numbered: Option<&'a dyn Numbered<G>>,
    /// Returns a seat that samples hidden states, so that an interactive game can show the values of choices.
    pub imagining: Option<fn(&G, Seat) -> Box<dyn Imagining<G>>>,
    /// Returns the legal actions, for players that plan.
    pub actions: Option<ActionsOf<G>>,
    /// Returns the number of actions of a seat that is to move in a state.
    pub breadth: Option<fn(&G, &G::State, Seat) -> Breadth>,
    /// Returns the goals of both seats at the end of a game, 0 to 100. This is `None` if the goals always have the same
    /// sum, because they then say no more than the payoff.
    pub goals: Option<fn(&G, &G::State) -> Option<BySeat<f64>>>,
}

/// The capabilities of a family, as functions of its game. A missing capability is `None`.
///
/// Each method that takes `self` adds the capabilities that a trait of the game provides:
///
/// ```
/// use ruse_strategies::nim::NimFamily;
/// use ruse_strategies::{Capabilities, Family};
///
/// let family = NimFamily::standard();
/// assert!(family.capabilities().searching.is_some());
/// let few = Capabilities::of(&family).board("optimal");
/// assert!(few.game.board.is_some() && few.searching.is_none() && few.rules().is_empty());
/// ```
pub struct Capabilities<'a, F: Family> {
    family: &'a F,
    adjustment: Option<Adjustment<F>>,
    /// The capabilities that concern the game alone.
    pub game: GameCapabilities<'a, F::Game>,
    /// Returns the searching player with a given name.
    pub searching: Option<SearchOf<F::Game>>,
    /// Returns the first error in the rules during a game, if any. The results of games with an error are invalid.
    pub fault: Option<fn(&F::Game) -> Option<String>>,
    /// The kind of the family, if the parameters mean the same in all families of this kind. It is the part of their
    /// names before or after a colon, such as `uct` in `FILE.kif:uct`.
    pub kind: Option<&'static str>,
    /// Returns the parameters of the strategy that a text describes, or the first mistake in the text. This is `None` if
    /// strategies are not texts.
    pub text: Option<fn(&F::Game, &str) -> Result<Vec<f64>, String>>,
    /// The rule file that defines the game.
    pub rule_file: Option<&'a RuleFile>,
    /// The games of a strategy against itself, if its action probabilities can be differentiated.
    pub self_play: Option<SelfPlay<F::Game, F::Strategy>>,
    /// The learning from rollouts, if the strategies can.
    pub teaching: Option<Teaching<F::Game, F::Strategy>>,
}

/// The functions that read and change the rules of a family.
struct Adjustment<F: Family> {
    rules: fn(&F::Game) -> Vec<Rule>,
    rule_value: fn(&F::Game, &str, &str) -> Option<u64>,
    with_rules: fn(&F::Game, &BTreeMap<String, u64>) -> Result<F::Game, RulesError>,
    with_game: fn(&F, F::Game) -> F,
    implied: &'static [(&'static str, u64)],
    is_offered: fn(&str) -> bool,
    /// Returns whether parameters mean the same with every value of a rule.
    is_portable: fn(&str) -> bool,
}

impl<'a, F: Family> Capabilities<'a, F> {
    /// Returns an empty set of capabilities. The other methods add capabilities to it.
    pub fn of(family: &'a F) -> Capabilities<'a, F> {
        Capabilities {
            family,
            adjustment: None,
            game: GameCapabilities {
                board: None,
                numbered: None,
                imagining: None,
                actions: None,
                breadth: None,
                goals: None,
            },
            searching: None,
            fault: None,
            kind: None,
            text: None,
            rule_file: None,
            self_play: None,
            teaching: None,
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
            implied: F::Game::IMPLIED,
            is_offered: |_| true,
            is_portable: |_| false,
        });
        self
    }

    /// Hides all rules whose names do not satisfy `is_offered`, because these rules do not concern the family.
    pub fn only_rules(mut self, is_offered: fn(&str) -> bool) -> Self {
        self.adjustment = self.adjustment.map(|adjustment| Adjustment { is_offered, ..adjustment });
        self
    }

    /// Declares the rules that do not change what parameters mean. A strategy that was tuned with other values of these
    /// rules may play.
    pub fn portable(mut self, is_portable: fn(&str) -> bool) -> Self {
        self.adjustment =
            self.adjustment.map(|adjustment| Adjustment { is_portable, ..adjustment });
        self
    }

    /// Returns whether a strategy that was tuned with another value of the rule may play.
    pub fn is_portable(&self, rule: &str) -> bool {
        self.adjustment.as_ref().is_some_and(|adjustment| (adjustment.is_portable)(rule))
    }

    /// Declares that parameters mean the same in all families of this [kind](Capabilities::kind).
    pub fn kind(mut self, kind: &'static str) -> Self {
        self.kind = Some(kind);
        self
    }

    /// Adds the interactive board, with the name of the default opponent.
    pub fn board(mut self, opponent: &'static str) -> Self
    where
        F::Game: Board<F::Game>,
    {
        self.game.board = Some(OpenBoard { board: self.family.game(), opponent });
        self
    }

    /// Adds observations and numbered actions for learners. The game also needs a [board](Capabilities::board).
    pub fn numbered(mut self) -> Self
    where
        F::Game: Numbered<F::Game>,
    {
        self.game.numbered = Some(self.family.game());
        self
    }

    /// Adds the capabilities of a game that lists its actions: sampling hidden states, counting actions, and the search
    /// `uct`.
    pub fn listed(mut self) -> Self
    where
        F::Game: Imagine + Legal + SampleAction,
    {
        self.game.breadth = Some(breadth_listed);
        self.game.actions = Some(ActionsOf::Listed(F::Game::legal));
        self.imagined(ruse_search::listed)
    }

    /// Like [`listed`](Capabilities::listed), for a game with complete information and without chance. All searches can
    /// play it, except searches that need a rule file.
    pub fn listed_and_open(self) -> Self
    where
        F::Game: Imagine + Legal + SampleAction,
    {
        Capabilities { searching: Some(ruse_search::listed_and_open), ..self.listed() }
    }

    /// Adds the capabilities of a game whose actions are drawn: sampling hidden states, and the search `uct`.
    pub fn drawn(mut self) -> Self
    where
        F::Game: Imagine + SampleAction,
    {
        self.game.actions = Some(ActionsOf::Drawn(|game, view, mut rng, action| {
            game.sample_action(view, &mut rng, action);
        }));
        self.imagined(ruse_search::drawn)
    }

    /// Adds the capabilities of a game with several slots per action that can be simulated for a limited time: sampling
    /// hidden states, counting actions, showing the time of the game, and the searches `uct` and `naive-mcts`.
    pub fn by_slots(mut self) -> Self
    where
        F::Game: Factored + Simulate + SampleAction,
    {
        self.game.breadth = Some(|game, state, seat| Breadth {
            clock: Some(game.clock(state)),
            ..breadth_by_slots(game, state, seat)
        });
        self.drawn().imagined(ruse_search::by_slots)
    }

    fn imagined(mut self, searching: SearchOf<F::Game>) -> Self
    where
        F::Game: Imagine,
    {
        self.game.imagining = Some(imagining);
        Capabilities { searching: Some(searching), ..self }
    }

    /// Returns the adjustable rules with their current values.
    pub fn rules(&self) -> Vec<Rule> {
        let Some(Adjustment { rules, is_offered, .. }) = &self.adjustment else {
            return Vec::new();
        };
        rules(self.family.game()).into_iter().filter(|rule| is_offered(&rule.name)).collect()
    }

    /// Returns the rules that files [leave out](AdjustableRules::IMPLIED), each with the value at which they do.
    pub fn implied_rules(&self) -> &'static [(&'static str, u64)] {
        self.adjustment.as_ref().map_or(&[], |adjustment| adjustment.implied)
    }

    /// Returns the value of `rule` that has the name `text`, or `None` if the rule has no value with this name.
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

/// A parametric type of strategies for a game: the object that an optimiser tunes.
///
/// Four methods are required: [`info`](Family::info), [`game`](Family::game), [`references`](Family::references) and
/// [`words`](Family::words). The defaults of the other methods suit most families.
pub trait Family: Clone + Send + Sync + 'static {
    /// The game.
    type Game: Game;
    /// The strategies to tune.
    type Strategy: ParametricStrategy<Self::Game>;
    /// The reference strategies, with which the tuned strategies are compared.
    type Reference: Strategy<Self::Game>;

    /// Returns the names of the family, and the data that a list of families shows about it.
    fn info(&self) -> FamilyInfo<'_>;

    /// Returns the game, with the rules in force.
    fn game(&self) -> &Self::Game;

    /// Returns the reference strategies, each with its name.
    fn references(&self) -> Vec<Reference<Self::Reference>>;

    /// Returns each seat's range of parameter indices, if every parameter matters in one seat only. The two ranges are
    /// disjoint and cover all parameters. Returns `None`, the default, if some parameter matters in both seats.
    ///
    /// A strategy with seats is a doubled player (Cauwet & Teytaud 2018, section II-D): two strategies in one vector.
    /// An optimiser may choose them separately, and judge each by the games in its own seat.
    fn seats(&self) -> Option<BySeat<Range<usize>>> {
        None
    }

    /// Returns the player that takes every legal action with the same probability, the weakest meaningful opponent. By
    /// default, this is the reference named `random`, if any.
    fn random_player(&self) -> Option<Self::Reference> {
        let mut references = self.references();
        let index = references.iter().position(|reference| reference.name == RANDOM)?;
        Some(references.swap_remove(index).strategy)
    }

    /// Describes the play of `strategy` in words that people can follow at the table.
    fn words(&self, strategy: &Self::Strategy) -> String;

    /// Returns a picture of `strategy`; by default `None`, so that its parameters are shown by name.
    fn picture(&self, strategy: &Self::Strategy) -> Option<Picture> {
        let _ = strategy;
        None
    }

    /// Returns the exact score of `strategy` in pairs against the redrawn baseline, in [0, 1], if it can be computed
    /// quickly.
    fn exact_baseline_score(&self, strategy: &Self::Strategy) -> Option<f64> {
        let _ = strategy;
        None
    }

    /// Returns the exact score of `a` in pairs against `b`, in [0, 1], if it can be computed.
    ///
    /// The computation may take seconds, so races use [`exact_baseline_score`](Family::exact_baseline_score) instead.
    fn exact_score(&self, a: &Prepared<Self>, b: &Prepared<Self>) -> Option<f64> {
        let _ = (a, b);
        None
    }

    /// Returns the exact mean goals, 0 to 100, of `a` and of `b` in pairs against each other, if they can be computed; by
    /// default, `None`.
    fn exact_goals(&self, a: &Prepared<Self>, b: &Prepared<Self>) -> Option<[f64; 2]> {
        let _ = (a, b);
        None
    }

    /// Returns the best response to `strategy` among all strategies that the rules allow, inside and outside this
    /// family, if it can be computed exactly. The computation may take seconds.
    fn best_response(&self, strategy: &Prepared<Self>) -> Option<BestResponse> {
        let _ = strategy;
        None
    }

    /// Returns bounds on the score of the best response to `strategy` among all strategies that the rules allow.
    /// Returns `None` if the probabilities of the strategy's actions are not known, as with a search; by default, if the
    /// best response is not known. The computation takes up to a few minutes.
    fn certificate(&self, strategy: &Prepared<Self>, work: &Work<'_>) -> Option<Certificate> {
        let _ = work;
        let BestResponse { scores, .. } = self.best_response(strategy)?;
        Some(Certificate { seats: BySeat::from_fn(|seat| Bounds::exact(scores[seat])) })
    }

    /// Returns the optional capabilities of the family's game, by default none. A family adds the capabilities that its
    /// game implements: `Capabilities::of(self).board("random").listed()`.
    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities::of(self)
    }

    /// Returns the score, in [0, 1], of each of the legal `actions` of the seat to move with `view`, if both sides play
    /// perfectly afterwards. Returns `None` if the scores cannot be computed in well under a second.
    fn perfect_values(
        &self,
        view: &ViewOf<'_, Self>,
        actions: &[ActionOf<Self>],
    ) -> Option<Vec<f64>> {
        let _ = (view, actions);
        None
    }

    /// Returns the beliefs of `player` about the cells of the board, if it is to move and has seen the views in `seen`.
    /// A player that decides by beliefs has its own; all other players have the beliefs that the family computes. By
    /// default, returns `None`.
    fn beliefs(
        &self,
        player: &dyn AnyStrategy<Self::Game>,
        seen: &Seen<'_, Self::Game>,
    ) -> Option<Beliefs> {
        let _ = (player, seen);
        None
    }

    /// Plays one game from `state` between `first`, in the first seat, and `second`, each with its buffers. Returns the
    /// payoff to `first`. An override must return the same payoff and, if `halt` keeps the streams, leave them in the
    /// same state.
    #[inline(always)]
    fn play_game<R: Rng + Clone, H: Halt>(
        &self,
        state: StateOf<Self>,
        (first, first_memories): (PlayerRef<'_, Self>, &mut Memories<Self>),
        (second, second_memories): (PlayerRef<'_, Self>, &mut Memories<Self>),
        action: &mut ActionOf<Self>,
        streams: &mut Streams<R>,
        halt: H,
    ) -> Payoff {
        if H::KEEPS_STREAMS {
            // Games that may be stopped are long, so the code for the types of the strategies is selected at each turn.
            let (first, second) = ((&first, first_memories), (&second, second_memories));
            return play_by_turns(self.game(), state, first, second, action, streams, halt);
        }
        of_either!((first, first_memories), (second, second_memories), |first, second| {
            play_by_turns(self.game(), state, first, second, action, streams, halt)
        })
    }

    /// Plays a pair, that is, the same deal twice with the seats swapped, between `a` and `b`, each with its buffers.
    /// `streams` are the initial streams of both games. Returns the payoffs and, if `halt` keeps the streams, the final
    /// streams of each game.
    #[inline(always)]
    fn play_pair<R: Rng + Clone, H: Halt>(
        &self,
        (a, memories_a): (PlayerRef<'_, Self>, &mut Memories<Self>),
        (b, memories_b): (PlayerRef<'_, Self>, &mut Memories<Self>),
        action: &mut ActionOf<Self>,
        mut streams: Streams<R>,
        halt: H,
    ) -> (PairResult, [Streams<R>; 2]) {
        let state = self.game().deal(&mut streams.chance);
        // The second game has the same deal and starts from the same streams.
        let mut same_streams = streams.clone();
        let (sides, same_state) = (((a, &mut *memories_a), (b, &mut *memories_b)), state.clone());
        let as_first = self.play_game(state, sides.0, sides.1, action, &mut streams, halt);
        let sides = ((b, memories_b), (a, memories_a));
        let payoff_of_b =
            self.play_game(same_state, sides.0, sides.1, action, &mut same_streams, halt);
        let result = PairResult { as_first, as_second: payoff_of_b.reversed() };
        (result, [streams, same_streams])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nim::NimFamily;

    #[test]
    fn no_capabilities_are_the_default() {
        let family = NimFamily::standard();
        let none = Capabilities::of(&family);
        assert!(none.rules().is_empty() && none.rule_value("heaps", "3").is_none());
        assert!(none.with_rules(&BTreeMap::new()).is_ok());
        let error = none.with_rules(&[("heaps".to_string(), 3)].into()).err();
        assert_eq!(error, Some(RulesError::Unknown { name: "heaps".into(), known: Vec::new() }));
        assert!(
            none.game.board.is_none() && none.game.imagining.is_none() && none.searching.is_none()
        );
    }
}
