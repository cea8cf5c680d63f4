//! The belief of a planner: sampled states that agree with everything that its seat has seen.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rand::{Rng, RngExt};
use ruse_games::{Game, Seat, Turn};
use ruse_search::{AnyMemory, AnyStrategy};

use super::{MAX_TURNS, Planner, PlannerMemory, Seen};
use crate::imagining::Imagining;

/// The number of times that fresh deals are tried in vain in a game.
const MAX_FAILED: u32 = 3;

/// The number of deals that are tried for each particle if too few agree with what the seat has seen.
const MAX_DEALS: usize = 16;

/// The number of earlier views that these deals may have together.
const MAX_REPLAYED: usize = 1_000_000;

/// A sampled state, with the member of the opponent that plays in it.
pub(super) struct Particle<G: Game> {
    pub(super) state: G::State,
    pub(super) opponent: Arc<dyn AnyStrategy<G>>,
    pub(super) memory: AnyMemory,
}

impl<G: Game> Particle<G> {
    /// Copies another particle; `seat` is that of the opponent.
    pub(super) fn copy_from(&mut self, other: &Particle<G>, seat: Seat) {
        self.state.clone_from(&other.state);
        self.opponent.clone_from(&other.opponent);
        copy_memory(&*self.opponent, seat, &other.memory, &mut self.memory);
    }
}

/// Copies the memory of a strategy. A memory that cannot be copied becomes that of a new game.
pub(super) fn copy_memory<G: Game>(
    strategy: &dyn AnyStrategy<G>,
    seat: Seat,
    from: &AnyMemory,
    to: &mut AnyMemory,
) {
    if !strategy.copy_any(from, to) {
        strategy.begin_any(to, seat);
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
    pub(super) fn perceive<R: Rng>(
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
}
