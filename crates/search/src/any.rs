//! Strategies as trait objects.

use std::any::Any;
use std::time::Duration;

use rand::Rng;
use ruse_base::stop::StopRequest;
use ruse_games::{Game, Payoff, Seat};

use super::stopwatch::Stopwatch;
use crate::{Effort, Strategy};

/// A [`Strategy`] behind a trait object, for players whose thinking takes far longer than a dynamic call.
pub trait AnyStrategy<G: Game>: Send + Sync {
    /// Like [`Strategy::begin`].
    fn begin_any(&self, memory: &mut AnyMemory, seat: Seat);

    /// Like [`Strategy::act`].
    fn act_any(
        &self,
        memory: &mut AnyMemory,
        view: G::View<'_>,
        rng: &mut dyn Rng,
        action: &mut G::Action,
    );

    /// Like [`Strategy::watch`].
    fn watch_any(&self, memory: &mut AnyMemory, view: G::View<'_>, rng: &mut dyn Rng);

    /// Like [`Strategy::COPY`]. `from` is the memory of a game that this strategy plays.
    fn copy_any(&self, from: &AnyMemory, to: &mut AnyMemory) -> bool;

    /// Like [`Strategy::end`].
    fn end_any(&self, memory: &mut AnyMemory, view: G::View<'_>, payoff: Payoff) -> bool;

    /// Returns the strategy as `Any`, so that its type can be tested.
    fn as_any(&self) -> &dyn Any;
}

/// The work and the time of a player's thinking. The number of decisions is reproducible; the time is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ThinkingCost {
    /// The number of decisions, including forced ones.
    pub num_decisions: u64,
    /// The total wall time of these decisions.
    pub time: Duration,
    /// The work done, as counted by the player.
    pub effort: Effort,
}

impl ThinkingCost {
    /// Returns the sum of two costs.
    #[must_use]
    pub fn plus(self, other: ThinkingCost) -> ThinkingCost {
        ThinkingCost {
            num_decisions: self.num_decisions + other.num_decisions,
            time: self.time + other.time,
            effort: self.effort + other.effort,
        }
    }
}

/// The memory of an [`AnyStrategy`] during a game. Strategies of the same type reuse the memory from game to game.
#[derive(Default)]
pub struct AnyMemory {
    memory: Option<Box<dyn Any + Send>>,
    /// `None` unless costs are counted.
    thought: Option<ThinkingCost>,
    request: StopRequest,
}

impl AnyMemory {
    /// Creates the memory of a player that polls `request` while it thinks.
    pub fn heeding(request: &StopRequest) -> AnyMemory {
        AnyMemory { request: request.clone(), ..AnyMemory::default() }
    }

    /// Returns the memory as an `M`, the memory type of a strategy. A memory of another type is replaced.
    pub fn of<M: Default + Send + 'static>(&mut self) -> &mut M {
        if !self.memory.as_ref().is_some_and(|memory| memory.is::<M>()) {
            self.memory = Some(Box::<M>::default());
        }
        let memory = self.memory.as_mut().and_then(|memory| memory.downcast_mut());
        memory.expect("it was made of this type just now, if it was not before")
    }

    /// Returns the memory as an `M`, or `None` unless a strategy with memory type `M` used it last.
    pub fn get<M: 'static>(&self) -> Option<&M> {
        self.memory.as_ref()?.downcast_ref()
    }

    /// Sets the stop signal that players poll from the next game on.
    pub fn heed(&mut self, request: &StopRequest) {
        self.request = request.clone();
    }

    /// Counts the thinking cost from now on. By default it is not counted, because reading the clock takes longer than
    /// the decision of a player that does not search.
    pub fn count_thought(&mut self) {
        self.thought = Some(ThinkingCost::default());
    }

    /// Returns the total thinking cost of the players that used this memory, over all games, or zero if it is not
    /// counted.
    pub fn thought(&self) -> ThinkingCost {
        self.thought.unwrap_or_default()
    }
}

impl<G: Game, S: Strategy<G> + 'static> AnyStrategy<G> for S
where
    S::Memory: 'static,
{
    fn begin_any(&self, memory: &mut AnyMemory, seat: Seat) {
        let request = memory.request.clone();
        let own: &mut S::Memory = memory.of();
        S::heed(own, &request);
        Strategy::begin(self, own, seat);
    }

    fn act_any(
        &self,
        memory: &mut AnyMemory,
        view: G::View<'_>,
        mut rng: &mut dyn Rng,
        action: &mut G::Action,
    ) {
        let Some(thought) = memory.thought else {
            return Strategy::act(self, memory.of(), view, &mut rng, action);
        };
        let own: &mut S::Memory = memory.of();
        let (start, before) = (Stopwatch::start(), S::effort(own));
        Strategy::act(self, own, view, &mut rng, action);
        let (time, effort) = (start.elapsed(), S::effort(own) - before);
        memory.thought = Some(thought.plus(ThinkingCost { num_decisions: 1, time, effort }));
    }

    fn watch_any(&self, memory: &mut AnyMemory, view: G::View<'_>, mut rng: &mut dyn Rng) {
        if S::WATCHES {
            Strategy::watch(self, memory.of(), view, &mut rng);
        }
    }

    fn copy_any(&self, from: &AnyMemory, to: &mut AnyMemory) -> bool {
        from.get().is_some_and(|from: &S::Memory| (S::COPY)(from, to.of()))
    }

    fn end_any(&self, memory: &mut AnyMemory, view: G::View<'_>, payoff: Payoff) -> bool {
        Strategy::end(self, memory.of(), view, payoff)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
