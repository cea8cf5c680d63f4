//! Families: a game, a parametric strategy for it, and what to measure it against.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use rand::Rng;
use ruse_games::rule_file::RuleFile;
use ruse_games::{Beliefs, Board, BySeat, Game, Payoff, Rule, RulesError, Seat, Seen};

use crate::player::of_either;
use crate::search::{AnyStrategy, SearchName};
use crate::{
    Breadth, Halt, Imagining, Memories, PairResult, ParametricStrategy, Picture, Prepared, Sitting,
    Strategy, Streams, play_by_turns,
};

type StateOf<F> = <<F as Family>::Game as Game>::State;
type ViewOf<'a, F> = <<F as Family>::Game as Game>::View<'a>;
type ActionOf<F> = <<F as Family>::Game as Game>::Action;

/// The name of the player that takes any legal action.
pub const RANDOM: &str = "random";

/// A strategy that needs no parameters and has a name.
#[derive(Debug, Clone)]
pub struct Reference<S> {
    /// The name a user types, in kebab-case.
    pub name: Cow<'static, str>,
    /// How it plays, in one line.
    pub meaning: Cow<'static, str>,
    /// The strategy itself.
    pub strategy: S,
}

impl<S> Reference<S> {
    /// The strategy of this name, in kebab-case, that plays as `meaning` says in one line.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        meaning: impl Into<Cow<'static, str>>,
        strategy: S,
    ) -> Reference<S> {
        Reference { name: name.into(), meaning: meaning.into(), strategy }
    }
}

/// What an exact best response takes from a strategy.
#[derive(Debug, Clone, PartialEq)]
pub struct BestResponse {
    /// Its expected score by the seat that it takes, each in [0, 1].
    pub scores: BySeat<f64>,
    /// How it plays, in words, where few are enough.
    pub words: Option<String>,
}

impl BestResponse {
    /// Its expected score, both seats averaged, in [1/2, 1]: a strategy against itself has one half, and rounding takes
    /// nothing from that.
    pub fn score(&self) -> f64 {
        ((self.scores.first + self.scores.second) / 2.0).max(0.5)
    }
}

/// A game that a person can sit down to.
#[derive(Clone)]
pub struct OpenBoard<'a, G: Game> {
    /// What is shown and typed.
    pub board: &'a dyn Board<G>,
    /// The reference strategy to play against, unless the person names another opponent.
    pub opponent: Cow<'static, str>,
}

/// A parametric strategy type of a game: what an optimiser is run on.
///
/// Five answers are required: [`name`](Family::name), [`summary`](Family::summary), [`game`](Family::game),
/// [`references`](Family::references) and [`words`](Family::words). The others have an answer that suits most families, and
/// a family that knows better overrides it.
pub trait Family: Clone + Send + Sync + 'static {
    /// The game that is played.
    type Game: Game;
    /// The strategies that are tuned.
    type Strategy: ParametricStrategy<Self::Game>;
    /// The strategies they are compared with.
    type Reference: Strategy<Self::Game>;

    /// The name a user types, in kebab-case.
    fn name(&self) -> &str;

    /// The name of the game, in kebab-case: by default that of the family. Several families of one game override it.
    fn game_name(&self) -> &str {
        self.name()
    }

    /// What the parameters decide, in one line.
    fn summary(&self) -> &str;

    /// The game, with the rules in force.
    fn game(&self) -> &Self::Game;

    /// The rules that a user can change, with the values in force: by default none. A family whose game has
    /// [`AdjustableRules`](ruse_games::AdjustableRules) answers with those, and overrides
    /// [`with_rules`](Family::with_rules), too.
    fn rules(&self) -> Vec<Rule> {
        Vec::new()
    }

    /// The value of a rule that a text stands for, where values have names: none, as by default, for other texts and rules. A
    /// family whose game has names for values answers as
    /// [`AdjustableRules::rule_value`](ruse_games::AdjustableRules::rule_value) does.
    fn rule_value(&self, rule: &str, text: &str) -> Option<u64> {
        let _ = (rule, text);
        None
    }

    /// The same family with the named rules changed.
    ///
    /// # Errors
    ///
    /// On an unknown name, a value out of range, or values that do not go together. By default every name is unknown.
    fn with_rules(&self, changes: &BTreeMap<String, u64>) -> Result<Self, RulesError> {
        Rule::change(&mut [], changes)?;
        Ok(self.clone())
    }

    /// The named strategies.
    fn references(&self) -> Vec<Reference<Self::Reference>>;

    /// Which parameters belong to which seat, where every parameter has an influence in one seat alone: two ranges of indices that
    /// do not overlap and together are all parameters. None, as by default, where a parameter matters in both seats.
    ///
    /// A strategy with seats is a doubled player (Cauwet & Teytaud 2018, section II-D): two strategies in one vector, which
    /// methods may choose separately, each by the games of its own seat.
    fn seats(&self) -> Option<BySeat<Range<usize>>> {
        None
    }

    /// The parameters with which the strategies that are tuned play as the named strategy of this name does: none, as by
    /// default, if it has a name only.
    fn reference_parameters(&self, name: &str) -> Option<Vec<f64>> {
        let _ = name;
        None
    }

    /// The named strategy that plays as people usually do, or as they are advised to; none by default.
    fn common_play(&self) -> Option<&str> {
        None
    }

    /// A player that takes every legal action with the same probability, whatever they have seen: the least that a strategy
    /// has to beat. By default the named strategy `random`; none if there is no such one.
    fn random_player(&self) -> Option<Self::Reference> {
        let mut references = self.references();
        let index = references.iter().position(|reference| reference.name == RANDOM)?;
        Some(references.swap_remove(index).strategy)
    }

    /// How `strategy` plays, in words that a person can follow at the table.
    fn words(&self, strategy: &Self::Strategy) -> String;

    /// What there is to see of `strategy`. Without an answer its parameters are shown by name.
    fn picture(&self, strategy: &Self::Strategy) -> Option<Picture> {
        let _ = strategy;
        None
    }

    /// What `strategy` scores in pairs against the redrawn baseline, in [0, 1], if there is a quick way to know
    /// it exactly.
    fn exact_baseline_score(&self, strategy: &Self::Strategy) -> Option<f64> {
        let _ = strategy;
        None
    }

    /// What `a` scores in pairs against `b`, in [0, 1], where it can be computed exactly.
    ///
    /// It may take seconds; a race asks [`exact_baseline_score`](Family::exact_baseline_score) instead.
    fn exact_score(&self, a: &Prepared<Self>, b: &Prepared<Self>) -> Option<f64> {
        let _ = (a, b);
        None
    }

    /// What the best strategy there is takes from `strategy`, where it can be computed exactly: the best of all
    /// strategies that the rules of the game allow, not only of this family. It may take seconds.
    fn best_response(&self, strategy: &Prepared<Self>) -> Option<BestResponse> {
        let _ = strategy;
        None
    }

    /// How a person plays the game, if one can.
    fn board(&self) -> Option<OpenBoard<'_, Self::Game>> {
        None
    }

    /// A seat that imagines states, at the start of a game, if the game can be imagined; see
    /// [`imagining`](crate::imagining()). With it a table says what choices are worth.
    fn imagining(&self, seat: Seat) -> Option<Box<dyn Imagining<Self::Game>>> {
        let _ = seat;
        None
    }

    /// How much `seat`, whose turn it is, has to choose from in `state`, if that can be counted: by
    /// [`breadth_listed`](crate::breadth_listed) or [`breadth_by_slots`](crate::breadth_by_slots). None by default, and
    /// then in every state.
    fn breadth(&self, state: &StateOf<Self>, seat: Seat) -> Option<Breadth> {
        let _ = (state, seat);
        None
    }

    /// The searching player of this name, if the game can be searched: by [`search::listed`](crate::search::listed) or
    /// [`search::drawn`](crate::search::drawn). None by default.
    fn searching(&self, name: &SearchName) -> Option<Box<dyn AnyStrategy<Self::Game>>> {
        let _ = name;
        None
    }

    /// What the seat that has this view, and whose turn it is, scores with each of `actions`, all legal, if both sides play
    /// perfectly from then on, in [0, 1], where that can be computed in well under a second.
    fn perfect_values(
        &self,
        view: &ViewOf<'_, Self>,
        actions: &[ActionOf<Self>],
    ) -> Option<Vec<f64>> {
        let _ = (view, actions);
        None
    }

    /// What `player` believes about the cells of the board in the place of a seat whose turn it is and that has `seen` this: the
    /// map by which it plays or, of a player that has none, the one that the family has for all. None by default.
    fn beliefs(&self, player: Sitting<'_, Self>, seen: &Seen<'_, Self::Game>) -> Option<Beliefs> {
        let _ = (player, seen);
        None
    }

    /// The rules of the game as they stand in a file, if they come from one.
    fn rule_file(&self) -> Option<&RuleFile> {
        None
    }

    /// What a game has met that its own rules forbid, if one has: such a game is worth nothing. None by default.
    fn fault(&self) -> Option<String> {
        None
    }

    /// Whether the goals of both seats tell more than the payoff, as they do not always add up to the same: false by default.
    fn goals_tell_more(&self) -> bool {
        false
    }

    /// The goals of both seats at the end of a game, 0 to 100, where the rules give each one of its own and the payoff is their
    /// difference. None by default, and then in every state.
    fn goals(&self, state: &StateOf<Self>) -> Option<BySeat<f64>> {
        let _ = state;
        None
    }

    /// Plays one game from `state` between `first`, which has the first seat, and `second`, each with its buffers, and returns the
    /// payoff to `first`. A family that overrides it must return the same, and leave the same random numbers if `halt` keeps them.
    #[inline(always)]
    fn play_game<R: Rng + Clone, H: Halt>(
        &self,
        state: StateOf<Self>,
        (first, first_memories): (Sitting<'_, Self>, &mut Memories<Self>),
        (second, second_memories): (Sitting<'_, Self>, &mut Memories<Self>),
        action: &mut ActionOf<Self>,
        streams: &mut Streams<R>,
        halt: H,
    ) -> Payoff {
        of_either!((first, first_memories), (second, second_memories), |first, second| {
            play_by_turns(self.game(), state, first, second, action, streams, halt)
        })
    }

    /// Plays a pair between `a` and `b`, each with its buffers: the same deal twice, with the seats swapped. `streams` are those
    /// of both games, from their start; what is left of those of either game is returned beside the payoffs, if `halt`
    /// keeps it.
    #[inline(always)]
    fn play_pair<R: Rng + Clone, H: Halt>(
        &self,
        (a, memories_a): (Sitting<'_, Self>, &mut Memories<Self>),
        (b, memories_b): (Sitting<'_, Self>, &mut Memories<Self>),
        action: &mut ActionOf<Self>,
        mut streams: Streams<R>,
        halt: H,
    ) -> (PairResult, [Streams<R>; 2]) {
        let state = self.game().deal(&mut streams.chance);
        // The second game has the same deal, and goes on from the same streams.
        let mut same_streams = streams.clone();
        let (sides, same_state) = (((a, &mut *memories_a), (b, &mut *memories_b)), state.clone());
        let as_first = self.play_game(state, sides.0, sides.1, action, &mut streams, halt);
        let sides = ((b, memories_b), (a, memories_a));
        let payoff_of_b =
            self.play_game(same_state, sides.0, sides.1, action, &mut same_streams, halt);
        let result = PairResult { as_first, as_second: payoff_of_b.reversed() };
        (result, [streams, same_streams])
    }

    /// The games after which a run on this family is worth reading, in under a minute on two cores: by default a million,
    /// which suits a game of a few decisions and a strategy of a few parameters.
    fn default_budget(&self) -> u64 {
        1_000_000
    }
}
