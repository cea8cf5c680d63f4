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
//!   by more than one standard error of the difference.
//! - **Mixtures.** A particle holds the member that was drawn, so the member is identified during the game.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt, SeedableRng};
use ruse_games::{Game, Seat, Turn};

use crate::imagining::Imagining;
use ruse_base::hashing::mix;
use ruse_base::stop::StopRequest;
use ruse_search::{AnyMemory, AnyStrategy, Effort, Strategy};

use crate::Mixture;

/// The number of times that fresh deals are tried in vain in a game.
const MAX_FAILED: u32 = 3;

/// The turns after which a playout counts as a draw.
const MAX_TURNS: u32 = 1_000;

/// The number of decisions of a game that are planned. Afterwards the base plays, because a game may never end.
const MAX_PLANNED: u64 = 500;

/// The number of deals that are tried for each particle if too few agree with what the seat has seen.
const MAX_DEALS: usize = 16;

/// The number of earlier views that these deals may have together.
const MAX_REPLAYED: usize = 1_000_000;

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
    /// The usual number of playouts.
    pub const USUAL_PLAYOUTS: u64 = 400;

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

/// A sampled state, with the member of the opponent that plays in it.
struct Particle<G: Game> {
    state: G::State,
    opponent: Arc<dyn AnyStrategy<G>>,
    memory: AnyMemory,
}

impl<G: Game> Particle<G> {
    /// Copies another particle; `seat` is that of the opponent.
    fn copy_from(&mut self, other: &Particle<G>, seat: Seat) {
        self.state.clone_from(&other.state);
        self.opponent.clone_from(&other.opponent);
        copy_memory(&*self.opponent, seat, &other.memory, &mut self.memory);
    }
}

/// Copies the memory of a strategy. A memory that cannot be copied becomes that of a new game.
fn copy_memory<G: Game>(
    strategy: &dyn AnyStrategy<G>,
    seat: Seat,
    from: &AnyMemory,
    to: &mut AnyMemory,
) {
    if !strategy.copy_any(from, to) {
        strategy.begin_any(to, seat);
    }
}

/// An action and the payoffs of its playouts.
struct Candidate<A> {
    action: A,
    payoffs: Vec<f64>,
    sum: f64,
}

impl<A> Candidate<A> {
    fn mean(&self) -> f64 {
        self.sum / self.payoffs.len().max(1) as f64
    }
}

/// A view of a seat, and its action.
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
    /// The number of decisions so far.
    num_decided: u64,
    /// The number of attempts in which no fresh deal agreed with the views of the seat.
    num_failed: u32,
    playout: Playout<G>,
    actions: Vec<G::Action>,
    effort: Effort,
    request: StopRequest,
}

/// Buffers of a playout.
struct Playout<G: Game> {
    particle: Option<Particle<G>>,
    own: AnyMemory,
    action: G::Action,
    actions: Vec<G::Action>,
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
            num_decided: 0,
            num_failed: 0,
            playout: Playout {
                particle: None,
                own: AnyMemory::default(),
                action: G::Action::default(),
                actions: Vec::new(),
            },
            actions: Vec::new(),
            effort: Effort::default(),
            request: StopRequest::default(),
        }
    }
}

impl<G: Game> Planner<G> {
    /// Lets a particle go on until the seat has its next view, or looks at it now if it `is_first`. Returns whether the view
    /// has the hash `key`, and whether the seat is to move if it `acts`. The particle goes towards `seen`.
    fn follow<R: Rng>(
        &self,
        particle: &mut Particle<G>,
        mind: &dyn Imagining<G>,
        (seat, mut own, is_first): (Seat, Option<&G::Action>, bool),
        (seen, key, acts): (Option<&G::View<'_>>, u64, bool),
        (action, rng): (&mut G::Action, &mut R),
    ) -> bool {
        let mut is_new = is_first;
        for _ in 0..MAX_TURNS {
            let Turn::Act(mover) = self.game.turn(&particle.state) else { return false };
            if is_new && (mover == seat || self.game.is_watched()) {
                let is_alike = || mind.view_key(&self.game.view(&particle.state, seat)) == key;
                return acts == (mover == seat) && is_alike();
            }
            is_new = true;
            let next = match own.take() {
                Some(own) if mover == seat => own,
                _ if mover == seat => return false,
                _ => {
                    let view = self.game.view(&particle.state, mover);
                    particle.opponent.act_any(&mut particle.memory, view, rng, action);
                    &*action
                }
            };
            match seen {
                Some(seen) => mind.apply(&mut particle.state, mover, next, seen, rng),
                None => self.game.apply(&mut particle.state, mover, next, rng),
            }
        }
        false
    }

    /// Adds particles that start from fresh deals and agree with all that the seat has seen, as long as there are too few.
    fn replay<R: Rng>(
        &self,
        memory: &mut PlannerMemory<G>,
        (seen, key, acts): (&G::View<'_>, u64, bool),
        rng: &mut R,
    ) {
        let PlannerMemory { seat, mind, particles, spare, playout, past, .. } = memory;
        let mind = &**mind.as_ref().expect("the game has begun");
        let action = &mut playout.action;
        let num_wanted = self.settings.particles;
        // The work grows with the length of the game.
        let num_deals = (num_wanted * MAX_DEALS).min(MAX_REPLAYED / (past.len() + 1));
        let num_before = particles.len();
        for _ in 0..num_deals {
            if particles.len() >= num_wanted {
                break;
            }
            let mut particle = self.any_particle(spare, mind.deal_again(rng), *seat, rng);
            let mut own = None;
            let mut is_first = true;
            let mut agrees = past.iter().all(|step| {
                let before = (*seat, own.take(), std::mem::take(&mut is_first));
                own = step.own.as_ref();
                let now = (None, step.key, step.own.is_some());
                self.follow(&mut particle, mind, before, now, (&mut *action, &mut *rng))
            });
            if agrees {
                let before = (*seat, own, is_first);
                let now = (Some(seen), key, acts);
                agrees = self.follow(&mut particle, mind, before, now, (&mut *action, &mut *rng));
            }
            if agrees { &mut *particles } else { &mut *spare }.push(particle);
        }
        // Nothing like this game will come of other deals if the opponent is random.
        memory.num_failed += u32::from(memory.particles.len() == num_before);
    }

    /// Returns a particle without meaning, to be overwritten.
    fn any_particle<R: Rng>(
        &self,
        spare: &mut Vec<Particle<G>>,
        state: G::State,
        seat: Seat,
        rng: &mut R,
    ) -> Particle<G> {
        let opponent = Arc::clone(self.opponent.drawn(rng.random()));
        let memory = spare.pop().map_or_else(AnyMemory::default, |particle| particle.memory);
        let mut particle = Particle { state, opponent, memory };
        particle.opponent.begin_any(&mut particle.memory, seat.other());
        particle
    }

    /// Updates the particles with what the seat sees.
    fn perceive<R: Rng>(
        &self,
        memory: &mut PlannerMemory<G>,
        seen: &G::View<'_>,
        acts: bool,
        rng: &mut R,
    ) {
        let PlannerMemory { seat, mind, particles, spare, playout, past, .. } = memory;
        let seat = *seat;
        let mind = &mut **mind.as_mut().expect("the game has begun");
        let num_wanted = self.settings.particles;
        let key = mind.view_key(seen);
        if !acts {
            mind.watch(seen);
        }
        if let Some(before) = past.last() {
            // Each particle goes on in several ways, if the opponent or chance is random.
            let num_before = particles.len();
            for index in (0..num_before).cycle().take(num_wanted.saturating_sub(num_before)) {
                let state = particles[index].state.clone();
                let mut copy = spare.pop().unwrap_or_else(|| Particle {
                    state,
                    opponent: Arc::clone(&particles[index].opponent),
                    memory: AnyMemory::default(),
                });
                copy.copy_from(&particles[index], seat.other());
                particles.push(copy);
            }
            let mut index = 0;
            while index < particles.len() {
                let before = (seat, before.own.as_ref(), false);
                let buffers = (&mut playout.action, &mut *rng);
                let now = (Some(seen), key, acts);
                match self.follow(&mut particles[index], mind, before, now, buffers) {
                    true => index += 1,
                    false => spare.push(particles.swap_remove(index)),
                }
            }
        }
        let num_few = num_wanted.div_ceil(10);
        if memory.particles.len() < num_few && memory.num_failed < MAX_FAILED {
            self.replay(memory, (seen, key, acts), rng);
        }
        memory.past.push(Seen { key, own: None });
        if !acts {
            return;
        }
        self.num_turns.fetch_add(1, Ordering::Relaxed);
        let PlannerMemory { mind, particles, spare, .. } = memory;
        if particles.len() < num_few {
            self.num_imagined.fetch_add(1, Ordering::Relaxed);
            let mind = mind.as_ref().expect("the game has begun");
            let num_all = if particles.is_empty() { num_wanted } else { num_few };
            while particles.len() < num_all {
                let state = mind.imagine(seen, rng);
                particles.push(self.any_particle(spare, state, seat, rng));
            }
        }
    }

    /// Plays out a particle from the action of the seat, and returns the payoff to the seat.
    fn play_out(
        &self,
        seat: Seat,
        (base, base_memory): (&dyn AnyStrategy<G>, &AnyMemory),
        particle: &Particle<G>,
        first: &G::Action,
        playout: &mut Playout<G>,
        (seed, steps): (u64, &mut u64),
    ) -> f64 {
        let Playout { particle: own_particle, own, action, actions } = playout;
        let mut streams =
            [0, 1, 2].map(|stream| Xoshiro256PlusPlus::seed_from_u64(mix(seed ^ stream)));
        let [chance, of_opponent, of_base] = &mut streams;
        let now = own_particle.get_or_insert_with(|| Particle {
            state: particle.state.clone(),
            opponent: Arc::clone(&particle.opponent),
            memory: AnyMemory::default(),
        });
        now.copy_from(particle, seat.other());
        copy_memory(base, seat, base_memory, own);
        self.game.apply(&mut now.state, seat, first, chance);
        for _ in 0..MAX_TURNS {
            *steps += 1;
            match self.game.turn(&now.state) {
                Turn::Over(payoff) => {
                    let payoff = if seat == Seat::First { payoff } else { payoff.reversed() };
                    return payoff.score();
                }
                Turn::Act(mover) if mover == seat => {
                    let view = self.game.view(&now.state, seat);
                    base.act_any(own, view, of_base, action);
                    // The base would perhaps have played otherwise before.
                    if self.game.check(&now.state, action).is_err() {
                        let view = self.game.view(&now.state, seat);
                        self.planning.actions.draw(&self.game, &view, actions, of_base, action);
                    }
                }
                Turn::Act(mover) => {
                    let view = self.game.view(&now.state, mover);
                    now.opponent.act_any(&mut now.memory, view, of_opponent, action);
                }
            }
            let Turn::Act(mover) = self.game.turn(&now.state) else { continue };
            self.game.apply(&mut now.state, mover, action, chance);
        }
        0.5
    }

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
        let all = std::iter::once(base.clone()).chain(others);
        all.map(|action| Candidate { action, payoffs: Vec::new(), sum: 0.0 }).collect()
    }
}

impl<G: Game> Strategy<G> for Planner<G> {
    type Memory = PlannerMemory<G>;

    const WATCHES: bool = true;

    fn begin(&self, memory: &mut PlannerMemory<G>, seat: Seat) {
        let mind = memory.mind.get_or_insert_with(|| (self.planning.imagining)(&self.game, seat));
        mind.begin(seat);
        memory.seat = seat;
        memory.spare.append(&mut memory.particles);
        memory.past.clear();
        memory.base = None;
        (memory.num_decided, memory.num_failed) = (0, 0);
    }

    fn watch<R: Rng>(&self, memory: &mut PlannerMemory<G>, view: G::View<'_>, rng: &mut R) {
        if memory.num_decided < MAX_PLANNED {
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
        memory.num_decided += 1;
        if memory.num_decided > MAX_PLANNED {
            let base = memory.base.as_ref().expect("drawn above");
            return base.act_any(&mut memory.base_memory, view, rng, action);
        }
        self.perceive(memory, &view, true, rng);
        let PlannerMemory { base, base_memory, particles, playout, effort, request, .. } = memory;
        let base = &**base.as_ref().expect("drawn above");
        // A view is not copied, but a particle has an equal one.
        let seen = self.game.view(&particles[0].state, seat);
        base.act_any(base_memory, seen, rng, action);
        if self.game.check(&particles[0].state, action).is_err() {
            self.planning.actions.draw(&self.game, &view, &mut playout.actions, rng, action);
        }
        let mut candidates = self.candidates(&view, action, &mut memory.actions, rng);
        if candidates.len() > 1 {
            effort.choices += 1;
            effort.tried += candidates.len() as u64;
            let seed = rng.next_u64();
            let num_rounds = u64::from((candidates.len() as u64).next_power_of_two().ilog2());
            let mut num_left = candidates.len();
            'rounds: for _ in 0..num_rounds {
                let num = (self.settings.playouts / num_rounds / num_left as u64).max(1);
                for candidate in &mut candidates[..num_left] {
                    for _ in 0..num {
                        if request.is_set() {
                            break 'rounds;
                        }
                        let number = candidate.payoffs.len();
                        let particle = &particles[number % particles.len()];
                        let seed = mix(seed ^ mix(number as u64));
                        let own = (base, &*base_memory);
                        let counted = (seed, &mut effort.steps);
                        let payoff =
                            self.play_out(seat, own, particle, &candidate.action, playout, counted);
                        candidate.payoffs.push(payoff);
                        candidate.sum += payoff;
                        effort.playouts += 1;
                    }
                }
                // The base action stays in front.
                candidates[1..num_left].sort_by(|a, b| b.mean().total_cmp(&a.mean()));
                num_left = num_left.div_ceil(2).max(2);
            }
            let (of_base, best) = (&candidates[0], &candidates[1]);
            if !request.is_set() && is_better(&best.payoffs, &of_base.payoffs) {
                action.clone_from(&best.action);
            }
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

/// Returns whether the payoffs of an action are better, by more than a standard error of the mean difference, than those
/// of another action in the same playouts.
fn is_better(a: &[f64], b: &[f64]) -> bool {
    let num = a.len().min(b.len()) as f64;
    let differences = || a.iter().zip(b).map(|(a, b)| a - b);
    let mean = differences().sum::<f64>() / num;
    let square = differences().map(|d| (d - mean) * (d - mean)).sum::<f64>() / (num - 1.0).max(1.0);
    mean > 1e-9 && mean > (square / num).sqrt()
}

#[cfg(test)]
mod tests;
