//! Families: a game, a parametric strategy for it, and what to measure it against.

use std::borrow::Cow;

use rand::Rng;
use ruse_games::{AdjustableRules, Board, BySeat, Game};

use crate::{
    Halt, Memories, PairResult, ParametricStrategy, Picture, Prepared, Sitting, Strategy, Streams,
    play_pair_by_turns,
};

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

/// What an exact best response takes from a strategy.
#[derive(Debug, Clone, PartialEq)]
pub struct BestResponse {
    /// Its expected score by the seat that it takes, each in [0, 1].
    pub scores: BySeat<f64>,
    /// How it plays, in words, where few are enough.
    pub words: Option<String>,
}

impl BestResponse {
    /// Its expected score, both seats averaged, in [0, 1]. It is at least 1/2: a strategy against itself has
    /// that.
    pub fn score(&self) -> f64 {
        (self.scores.first + self.scores.second) / 2.0
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
pub trait Family: Clone + Send + Sync + 'static {
    /// The game that is played.
    type Game: AdjustableRules;
    /// The strategies that are tuned.
    type Strategy: ParametricStrategy<Self::Game>;
    /// The strategies they are compared with.
    type Reference: Strategy<Self::Game>;

    /// The name a user types, in kebab-case.
    fn name(&self) -> &str;

    /// The name of the game, in kebab-case.
    fn game_name(&self) -> &str;

    /// What the parameters decide, in one line.
    fn summary(&self) -> &str;

    /// The game, with the rules in force.
    fn game(&self) -> &Self::Game;

    /// The same family of a game with other rules.
    #[must_use]
    fn with_game(&self, game: Self::Game) -> Self;

    /// The named strategies.
    fn references(&self) -> Vec<Reference<Self::Reference>>;

    /// The named strategy that plays as people usually do, or as they are advised to; none by default.
    fn common_play(&self) -> Option<&str> {
        None
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

    /// Plays a pair between `a` and `b`, each with its buffers. `streams` are those of both games, from their start; `inspect` sees
    /// what is left of the streams of both. A family that overrides it must return the same, and leave the same random numbers.
    #[inline(always)]
    fn play_pair<R: Rng + Clone>(
        &self,
        (a, memory_a): (Sitting<'_, Self>, &mut Memories<Self>),
        (b, memory_b): (Sitting<'_, Self>, &mut Memories<Self>),
        action: &mut <Self::Game as Game>::Action,
        streams: Streams<R>,
        halt: Halt<'_>,
        inspect: impl FnOnce([&Streams<R>; 2]),
    ) -> PairResult {
        macro_rules! by_turns {
            ($a:ident: $of_a:ident, $b:ident: $of_b:ident) => {
                play_pair_by_turns(
                    self.game(),
                    ($a, &mut memory_a.$of_a),
                    ($b, &mut memory_b.$of_b),
                    action,
                    streams,
                    halt,
                    inspect,
                )
            };
        }
        match (a, b) {
            (Sitting::Own(a), Sitting::Own(b)) => by_turns!(a: own, b: own),
            (Sitting::Own(a), Sitting::Reference(b)) => by_turns!(a: own, b: reference),
            (Sitting::Reference(a), Sitting::Own(b)) => by_turns!(a: reference, b: own),
            (Sitting::Reference(a), Sitting::Reference(b)) => by_turns!(a: reference, b: reference),
        }
    }

    /// The games after which a run on this family is worth reading, in under a minute on two cores.
    fn default_budget(&self) -> u64;
}
