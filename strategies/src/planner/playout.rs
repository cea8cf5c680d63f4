//! The playouts of a planner's decision.

use std::sync::Arc;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use ruse_base::hashing::mix;
use ruse_base::stop::StopRequest;
use ruse_games::{Game, Seat, Turn};
use ruse_search::{AnyMemory, AnyStrategy, Effort};

use super::belief::{Particle, copy_memory};
use super::{MAX_TURNS, Planner, Seen};
use crate::imagining::Imagining;

/// The probabilities with which playouts in search of a plan replace the actions of the base.
const STRAYING: [f64; 3] = [1.0 / 16.0, 0.25, 1.0];

/// The number of plans that are compared.
const NUM_PLANS: usize = 4;

/// The number of playouts in which a plan must win, to be followed without comparison.
const NUM_SURE: usize = 8;

/// An action and the payoffs of its playouts.
pub(super) struct Candidate<A> {
    pub(super) action: A,
    payoffs: Vec<f64>,
    sum: f64,
}

impl<A> Candidate<A> {
    pub(super) fn new(action: A) -> Candidate<A> {
        Candidate { action, payoffs: Vec::new(), sum: 0.0 }
    }

    fn mean(&self) -> f64 {
        self.sum / self.payoffs.len().max(1) as f64
    }
}

/// The result of a decision.
pub(super) enum Choice<A> {
    /// The action of the candidate with this index.
    Candidate(usize),
    /// The actions of a plan, the next one first.
    Plan(Vec<Seen<A>>),
}

/// The play of the planner's seat in a playout.
#[derive(Clone, Copy)]
enum Course<'a, A> {
    /// The base.
    Base,
    /// The base, with each action replaced by a drawn one with this probability. The actions are recorded.
    Straying(f64),
    /// These actions as long as the views agree with them, then the base.
    Along(&'a [Seen<A>]),
}

/// Buffers of playouts.
pub(super) struct Buffers<G: Game> {
    particle: Option<Particle<G>>,
    own: AnyMemory,
    pub(super) action: G::Action,
    pub(super) actions: Vec<G::Action>,
    /// The recorded actions of a playout, after the first.
    steps: Vec<Seen<G::Action>>,
    /// Whether a playout followed a plan to the end of the game.
    is_followed: bool,
}

impl<G: Game> Default for Buffers<G> {
    fn default() -> Self {
        let (own, action) = (AnyMemory::default(), G::Action::default());
        Buffers {
            particle: None,
            own,
            action,
            actions: Vec::new(),
            steps: Vec::new(),
            is_followed: false,
        }
    }
}

/// The playouts of one decision.
pub(super) struct Playouts<'a, G: Game> {
    pub(super) planner: &'a Planner<G>,
    pub(super) seat: Seat,
    /// The base, with its memory before the decision's action is applied.
    pub(super) base: (&'a dyn AnyStrategy<G>, &'a AnyMemory),
    pub(super) mind: &'a dyn Imagining<G>,
    pub(super) particles: &'a [Particle<G>],
    pub(super) buffers: &'a mut Buffers<G>,
    pub(super) effort: &'a mut Effort,
    pub(super) request: &'a StopRequest,
    pub(super) seed: u64,
    /// A number of the game, by which the seat remembers.
    pub(super) salt: u64,
}

impl<G: Game> Playouts<'_, G> {
    /// Plays out a particle from the action of the seat, and returns the payoff to the seat. Playouts with the same number
    /// have the same particle and the same random numbers.
    fn play(&mut self, number: usize, first: &G::Action, course: Course<'_, G::Action>) -> f64 {
        let Playouts { planner, seat, base: (base, base_memory), mind, buffers, effort, .. } = self;
        let Planner { game, planning, .. } = planner;
        let seat = *seat;
        let particle = &self.particles[number % self.particles.len()];
        let seed = mix(self.seed ^ mix(number as u64));
        let mut streams =
            [0, 1, 2, 3].map(|stream| Xoshiro256PlusPlus::seed_from_u64(mix(seed ^ stream)));
        let [chance, of_opponent, of_base, forgotten] = &mut streams;
        let Buffers { particle: now, own, action, actions, steps, is_followed } = &mut **buffers;
        let now = now.get_or_insert_with(|| Particle {
            state: particle.state.clone(),
            opponent: Arc::clone(&particle.opponent),
            memory: AnyMemory::default(),
        });
        now.copy_from(particle, seat.other());
        mind.forget(&mut now.state, self.salt, forgotten);
        copy_memory(*base, seat, base_memory, own);
        steps.clear();
        *is_followed = false;
        let mut has_left = false;
        let mut plan = if let Course::Along(plan) = course { plan } else { &[] };
        effort.playouts += 1;
        game.apply(&mut now.state, seat, first, chance);
        for _ in 0..MAX_TURNS {
            effort.steps += 1;
            match game.turn(&now.state) {
                Turn::Over(payoff) => {
                    *is_followed = plan.is_empty() && !has_left;
                    let payoff = if seat == Seat::First { payoff } else { payoff.reversed() };
                    return payoff.score();
                }
                Turn::Act(mover) if mover == seat => {
                    let view = game.view(&now.state, seat);
                    let planned = match plan.split_first() {
                        Some((step, rest)) if step.key == mind.view_key(&view) => {
                            plan = rest;
                            step.own.as_ref()
                        }
                        _ => None,
                    };
                    match planned {
                        Some(planned) => action.clone_from(planned),
                        None => {
                            has_left = true;
                            plan = &[];
                            let strays = matches!(course, Course::Straying(share) if of_base.random_bool(share));
                            if !strays {
                                let view = game.view(&now.state, seat);
                                base.act_any(own, view, of_base, action);
                            }
                            // The base would perhaps have played otherwise before.
                            if strays || game.check(&now.state, action).is_err() {
                                planning.actions.draw(game, &view, actions, of_base, action);
                            }
                        }
                    }
                    if let Course::Straying(_) = course {
                        let key = mind.view_key(&view);
                        steps.push(Seen { key, own: Some(action.clone()) });
                    }
                }
                Turn::Act(mover) => {
                    let view = game.view(&now.state, mover);
                    now.opponent.act_any(&mut now.memory, view, of_opponent, action);
                }
            }
            let Turn::Act(mover) = game.turn(&now.state) else { continue };
            game.apply(&mut now.state, mover, action, chance);
        }
        0.5
    }

    /// Divides `budget` playouts among the candidates by sequential halving; the first candidate, the base's, remains to
    /// the end. Returns the index of the best one, which is 0 without a clear difference.
    fn halve(&mut self, candidates: &mut [Candidate<G::Action>], budget: u64) -> usize {
        let num_rounds = u64::from((candidates.len() as u64).next_power_of_two().ilog2());
        let mut num_left = candidates.len();
        // The playouts of the last round did not choose the candidate that they compare with the base.
        let mut num_before = 0;
        for _ in 0..num_rounds {
            num_before = candidates[0].payoffs.len();
            let num = (budget / num_rounds / num_left as u64).max(1);
            for candidate in &mut candidates[..num_left] {
                for _ in 0..num {
                    if self.request.is_set() {
                        return 0;
                    }
                    let number = candidate.payoffs.len();
                    let payoff = self.play(number, &candidate.action, Course::Base);
                    candidate.payoffs.push(payoff);
                    candidate.sum += payoff;
                }
            }
            candidates[1..num_left].sort_by(|a, b| b.mean().total_cmp(&a.mean()));
            num_left = num_left.div_ceil(2).max(2);
        }
        let [base, best] = [0, 1].map(|index| &candidates[index].payoffs[num_before..]);
        usize::from(is_better(best, base))
    }

    /// Returns the payoffs of a plan in the first playouts, up to the first that is not a win if `only_wins`.
    fn along(&mut self, plan: &[Seen<G::Action>], num: usize, only_wins: bool) -> Vec<f64> {
        let Some((Seen { own: Some(first), .. }, rest)) = plan.split_first() else {
            return Vec::new();
        };
        let mut payoffs = Vec::with_capacity(num);
        for number in 0..num {
            payoffs.push(self.play(number, first, Course::Along(rest)));
            if self.request.is_set() || only_wins && payoffs[number] < 1.0 {
                break;
            }
        }
        payoffs
    }

    /// Returns a plan that starts with an action at a view with the hash `key`, and its payoff, from one playout.
    fn stray(&mut self, number: usize, key: u64, first: &G::Action) -> (f64, Vec<Seen<G::Action>>) {
        let course = Course::Straying(STRAYING[number % STRAYING.len()]);
        // The random numbers differ from the numbers of the comparison.
        let payoff = self.play(usize::MAX - number, first, course);
        let start = Seen { key, own: Some(first.clone()) };
        (payoff, std::iter::once(start).chain(self.buffers.steps.drain(..)).collect())
    }

    /// Chooses a candidate, the first of which has the base's action, or a better plan at a view with the hash `key`. `plan`
    /// is the rest of the plan so far, if the views have agreed with it.
    pub(super) fn decide(
        &mut self,
        candidates: &mut [Candidate<G::Action>],
        key: u64,
        plan: &[Seen<G::Action>],
    ) -> Choice<G::Action> {
        self.effort.choices += 1;
        self.effort.tried += candidates.len() as u64;
        let budget = self.planner.settings.playouts;
        let is_sure =
            |payoffs: &[f64]| payoffs.len() == NUM_SURE && payoffs.iter().all(|&x| x == 1.0);
        if !plan.is_empty() && is_sure(&self.along(plan, NUM_SURE, true)) {
            return Choice::Plan(plan.to_vec());
        }
        let is_foreseen = self.is_foreseen(key, &candidates[0].action);
        let chosen = self.halve(candidates, if is_foreseen { budget / 2 } else { budget });
        if !is_foreseen {
            return Choice::Candidate(chosen);
        }
        let mut plans: Vec<(f64, Vec<Seen<G::Action>>)> = Vec::new();
        if !plan.is_empty() {
            plans.push((f64::INFINITY, plan.to_vec()));
        }
        for number in 0..(budget / 4) as usize {
            let first = &candidates
                [if number % 2 == 0 { chosen } else { number / 2 % candidates.len() }]
            .action;
            let found = self.stray(number, key, first);
            if self.request.is_set() {
                return Choice::Candidate(chosen);
            }
            let place = plans.partition_point(|(payoff, _)| *payoff >= found.0);
            if place < NUM_PLANS {
                plans.insert(place, found);
                plans.truncate(NUM_PLANS);
            }
        }
        let num = ((budget / 4) as usize / NUM_PLANS).max(NUM_SURE);
        let mut best: Option<(f64, Vec<Seen<G::Action>>)> = None;
        for (_, plan) in plans {
            let payoffs = self.along(&plan, num, false);
            let mean = payoffs.iter().sum::<f64>() / num as f64;
            if is_better(&payoffs, &candidates[chosen].payoffs)
                && best.as_ref().is_none_or(|(of_best, _)| mean > *of_best)
            {
                best = Some((mean, plan));
            }
        }
        best.map_or(Choice::Candidate(chosen), |(_, plan)| Choice::Plan(plan))
    }

    /// Returns whether the views of the seat follow from its actions so far that a recorded playout can be followed to
    /// its end in another one.
    fn is_foreseen(&mut self, key: u64, first: &G::Action) -> bool {
        let (_, plan) = self.stray(1, key, first);
        plan.len() > 1
            && (0..4).any(|number| {
                self.play(number, first, Course::Along(&plan[1..]));
                self.buffers.is_followed
            })
    }
}

/// Returns whether the payoffs `a` exceed the payoffs `b` of the same playouts by more than a standard error of the mean
/// difference.
pub(super) fn is_better(a: &[f64], b: &[f64]) -> bool {
    let num = a.len().min(b.len()) as f64;
    let differences = || a.iter().zip(b).map(|(a, b)| a - b);
    let mean = differences().sum::<f64>() / num;
    let square = differences().map(|d| (d - mean) * (d - mean)).sum::<f64>() / (num - 1.0).max(1.0);
    mean > 1e-9 && mean > (square / num).sqrt()
}
