//! `planner`: plans against a known opponent.
//!
//! The best response to a fixed strategy is a problem for one player: the state is that of the game together with what
//! the opponent remembers, and the observations are the views of the player's seat. The planner keeps particles, that
//! is, sampled states that agree with everything its seat has seen, and decides by playouts from them in which the
//! opponent is the *actual* opponent (Silver & Veness, *Monte-Carlo planning in large POMDPs*, NIPS 2010; Timbers et al.,
//! *Approximate exploitability*, IJCAI 2022). Its own seat plays a *base* strategy in these playouts, so a decision is
//! one step of policy improvement over the base (Bertsekas, *Rollout, policy iteration, and distributed reinforcement
//! learning*, 2020).
//!
//! - **Belief.** Particles start from fresh deals. Between two views of the seat, each particle goes on with the seat's own
//!   actions and the opponent's strategy; those that agree with the next view remain, and are copied. A game may change
//!   what is hidden in a particle towards the view ([`ruse_games::Imagine::apply_towards`]). If fewer than a tenth
//!   remain, the game is played again from deals that fit the views so far ([`ruse_games::Imagine::deal_again`]). If
//!   still fewer than a tenth agree, states from [`ruse_games::Imagine::imagine`] join them, with an opponent at the start
//!   of its memory. Deviation: they have weight 1, as if each action of the opponent were equally likely.
//! - **Decision.** The budget of playouts is divided by sequential halving (Karnin, Koren & Somekh, ICML 2013) among
//!   the legal actions, or among at most 2 sqrt n drawn ones. Playout number j of each action starts from the same
//!   particle with the same random numbers. The base action is never dropped, and is taken unless another one is better
//!   by more than one standard error of the difference, in the playouts of the last round, which did not choose it.
//! - **Plans.** Against an opponent without chance, a seat that has seen enough can foresee the game. If recorded actions
//!   can be followed to the end of another playout, a quarter of the playouts stray from the base in search of better
//!   actions for the rest of the game, and another quarter compares the best of these plans. A plan that wins each of a
//!   few playouts is followed without further search. (Nested searches keep such sequences, too: Cazenave, *Nested
//!   Monte-Carlo search*, IJCAI 2009.)
//! - **Mixtures.** A particle holds the member that was drawn, so the member is identified during the game.

mod belief;
mod playout;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rand::{Rng, RngExt};
use ruse_base::stop::StopRequest;
use ruse_games::{Game, Seat};
use ruse_search::{AnyMemory, AnyStrategy, Effort, Strategy};

use self::belief::Particle;
use self::playout::{Buffers, Candidate, Choice, Playouts};
use crate::Mixture;
use crate::imagining::Imagining;

/// The turns after which a playout counts as a draw.
const MAX_TURNS: u32 = 1_000;

/// The maximum number of playouts in a game, in whole decisions. Afterwards the base plays, because a game may never end.
const MAX_PLANNED: u64 = 256;

/// The source of the actions of a game, without the traits of the game.
#[allow(clippy::type_complexity, reason = "each function has the types of its trait")]
pub enum ActionsOf<G: Game> {
    /// Adds all legal actions.
    Listed(fn(&G, &G::View<'_>, &mut Vec<G::Action>)),
    /// Draws a legal action.
    Drawn(fn(&G, &G::View<'_>, &mut dyn Rng, &mut G::Action)),
}

impl<G: Game> Clone for ActionsOf<G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for ActionsOf<G> {}

impl<G: Game> ActionsOf<G> {
    /// Draws a legal action of the seat to move.
    fn draw(
        self,
        game: &G,
        view: &G::View<'_>,
        buffer: &mut Vec<G::Action>,
        rng: &mut dyn Rng,
        action: &mut G::Action,
    ) {
        match self {
            ActionsOf::Listed(list) => {
                buffer.clear();
                list(game, view, buffer);
                action.clone_from(&buffer[rng.random_range(0..buffer.len())]);
            }
            ActionsOf::Drawn(draw) => draw(game, view, rng, action),
        }
    }
}

/// The capabilities of a game that a planner needs.
#[allow(clippy::type_complexity, reason = "the function has the types of its trait")]
pub struct Planning<G: Game> {
    /// Returns a seat that samples hidden states.
    pub imagining: fn(&G, Seat) -> Box<dyn Imagining<G>>,
    /// The actions.
    pub actions: ActionsOf<G>,
}

impl<G: Game> Clone for Planning<G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Planning<G> {}

/// The effort of a planner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannerSettings {
    /// The number of playouts for a decision.
    pub playouts: u64,
    /// The number of particles.
    pub particles: usize,
}

impl PlannerSettings {
    /// The first word of the name of a planner.
    pub const NAME: &str = "planner";

    /// The settings of `planner`, without a number of playouts.
    pub const USUAL: PlannerSettings = PlannerSettings { playouts: 400, particles: 200 };

    /// Returns the settings of `planner`, with 400 playouts, or of `planner@PLAYOUTS`.
    pub fn parse(name: &str) -> Option<PlannerSettings> {
        match name.strip_prefix(Self::NAME)?.strip_prefix('@') {
            Some(number) => number.parse().ok().filter(|&num| num > 0).map(PlannerSettings::new),
            None if name == Self::NAME => Some(PlannerSettings::USUAL),
            None => None,
        }
    }

    /// Returns the name of the planner, as in `planner@400`.
    pub fn name(self) -> String {
        format!("{}@{}", Self::NAME, self.playouts)
    }

    /// Returns the settings for a number of playouts, with half as many particles, at least 32.
    pub fn new(playouts: u64) -> PlannerSettings {
        PlannerSettings { playouts, particles: (playouts / 2).clamp(32, 1_000) as usize }
    }
}

/// Strategies, of which one is drawn for each game.
type Members<G> = Mixture<Arc<dyn AnyStrategy<G>>>;

/// The player `planner`.
pub struct Planner<G: Game> {
    game: G,
    planning: Planning<G>,
    opponent: Members<G>,
    base: Members<G>,
    settings: PlannerSettings,
    num_turns: AtomicU64,
    num_imagined: AtomicU64,
}

impl<G: Game> Planner<G> {
    /// Creates the player against `opponent`, which improves on `base`.
    pub fn new(
        game: &G,
        planning: Planning<G>,
        opponent: Members<G>,
        base: Members<G>,
        settings: PlannerSettings,
    ) -> Planner<G> {
        let (num_turns, num_imagined) = (AtomicU64::new(0), AtomicU64::new(0));
        Planner { game: game.clone(), planning, opponent, base, settings, num_turns, num_imagined }
    }

    /// Returns the fraction of turns at which imagined states joined the belief, because too few particles agreed with
    /// the views.
    pub fn imagined_share(&self) -> f64 {
        let turns = self.num_turns.load(Ordering::Relaxed);
        self.num_imagined.load(Ordering::Relaxed) as f64 / turns.max(1) as f64
    }
}

/// A view of a seat, and its action.
#[derive(Clone)]
struct Seen<A> {
    /// The hash of the view.
    key: u64,
    /// The action, if it was the seat's turn.
    own: Option<A>,
}

/// The memory of a planner during a game.
pub struct PlannerMemory<G: Game> {
    seat: Seat,
    mind: Option<Box<dyn Imagining<G>>>,
    particles: Vec<Particle<G>>,
    /// Particles whose buffers are used again.
    spare: Vec<Particle<G>>,
    /// The base strategy of this game, with its memory.
    base: Option<Arc<dyn AnyStrategy<G>>>,
    base_memory: AnyMemory,
    /// The views of the seat in this game, before the present view.
    past: Vec<Seen<G::Action>>,
    /// The number of playouts at which planning ends.
    max_playouts: u64,
    /// The number of attempts in which no fresh deal agreed with the views of the seat.
    num_failed: u32,
    /// The rest of a plan that the seat follows.
    plan: Vec<Seen<G::Action>>,
    playout: Buffers<G>,
    actions: Vec<G::Action>,
    effort: Effort,
    request: StopRequest,
}

impl<G: Game> Default for PlannerMemory<G> {
    fn default() -> Self {
        PlannerMemory {
            seat: Seat::First,
            mind: None,
            particles: Vec::new(),
            spare: Vec::new(),
            base: None,
            base_memory: AnyMemory::default(),
            past: Vec::new(),
            max_playouts: 0,
            num_failed: 0,
            plan: Vec::new(),
            playout: Buffers::default(),
            actions: Vec::new(),
            effort: Effort::default(),
            request: StopRequest::default(),
        }
    }
}

impl<G: Game> Planner<G> {
    /// Lists the actions to compare; the base action comes first.
    fn candidates<R: Rng>(
        &self,
        view: &G::View<'_>,
        base: &G::Action,
        actions: &mut Vec<G::Action>,
        rng: &mut R,
    ) -> Vec<Candidate<G::Action>> {
        actions.clear();
        match self.planning.actions {
            ActionsOf::Listed(list) => list(&self.game, view, actions),
            ActionsOf::Drawn(draw) => {
                let num = (2.0 * (self.settings.playouts as f64).sqrt()) as usize;
                let mut drawn = G::Action::default();
                for _ in 0..num {
                    draw(&self.game, view, rng, &mut drawn);
                    if !actions.contains(&drawn) {
                        actions.push(drawn.clone());
                    }
                }
            }
        }
        let others = actions.drain(..).filter(|action| action != base);
        std::iter::once(base.clone()).chain(others).map(Candidate::new).collect()
    }

    /// Sets `action`, which the base has chosen, to a better one of the candidates, if there is one.
    fn choose(
        &self,
        memory: &mut PlannerMemory<G>,
        candidates: &mut [Candidate<G::Action>],
        seed: u64,
        action: &mut G::Action,
    ) {
        let key = memory.past.last().expect("the present view").key;
        let mut plan = std::mem::take(&mut memory.plan);
        if plan.first().is_some_and(|step| step.key != key) {
            plan.clear();
        }
        let mut playouts = Playouts {
            planner: self,
            seat: memory.seat,
            base: (&**memory.base.as_ref().expect("the game has begun"), &memory.base_memory),
            mind: &**memory.mind.as_ref().expect("the game has begun"),
            particles: &memory.particles,
            buffers: &mut memory.playout,
            effort: &mut memory.effort,
            request: &memory.request,
            seed,
            salt: memory.past[0].key,
        };
        match playouts.decide(candidates, key, &plan) {
            Choice::Candidate(index) => action.clone_from(&candidates[index].action),
            Choice::Plan(mut plan) => {
                let first = plan.remove(0);
                *action = first.own.expect("an action of the plan");
                memory.plan = plan;
            }
        }
    }
}

impl<G: Game> Strategy<G> for Planner<G> {
    type Memory = PlannerMemory<G>;

    const WATCHES: bool = true;

    fn begin(&self, memory: &mut PlannerMemory<G>, seat: Seat) {
        memory.mind.get_or_insert_with(|| (self.planning.imagining)(&self.game, seat)).begin(seat);
        memory.seat = seat;
        memory.spare.append(&mut memory.particles);
        memory.past.clear();
        memory.plan.clear();
        memory.base = None;
        memory.num_failed = 0;
        let num_planned = self.settings.playouts.saturating_mul(MAX_PLANNED);
        memory.max_playouts = memory.effort.playouts.saturating_add(num_planned);
    }

    fn watch<R: Rng>(&self, memory: &mut PlannerMemory<G>, view: G::View<'_>, rng: &mut R) {
        if memory.effort.playouts < memory.max_playouts {
            self.perceive(memory, &view, false, rng);
        }
    }

    fn act<R: Rng>(
        &self,
        memory: &mut PlannerMemory<G>,
        view: G::View<'_>,
        rng: &mut R,
        action: &mut G::Action,
    ) {
        let seat = memory.seat;
        if memory.base.is_none() {
            let base = Arc::clone(self.base.drawn(rng.random()));
            base.begin_any(&mut memory.base_memory, seat);
            memory.base = Some(base);
        }
        if memory.effort.playouts >= memory.max_playouts {
            let base = memory.base.as_ref().expect("drawn above");
            return base.act_any(&mut memory.base_memory, view, rng, action);
        }
        self.perceive(memory, &view, true, rng);
        let PlannerMemory { base, base_memory, particles, playout, .. } = memory;
        let base = &**base.as_ref().expect("drawn above");
        // A view is not copied, but a particle has an equal one.
        let seen = self.game.view(&particles[0].state, seat);
        base.act_any(base_memory, seen, rng, action);
        if self.game.check(&particles[0].state, action).is_err() {
            self.planning.actions.draw(&self.game, &view, &mut playout.actions, rng, action);
        }
        let mut candidates = self.candidates(&view, action, &mut memory.actions, rng);
        if candidates.len() > 1 {
            self.choose(memory, &mut candidates, rng.next_u64(), action);
        }
        if let Some(mind) = &mut memory.mind {
            mind.learn(&view, action);
        }
        if let Some(last) = memory.past.last_mut() {
            last.own = Some(action.clone());
        }
    }

    fn heed(memory: &mut PlannerMemory<G>, request: &StopRequest) {
        memory.request = request.clone();
    }

    fn effort(memory: &PlannerMemory<G>) -> Effort {
        memory.effort
    }
}

#[cfg(test)]
mod tests;
