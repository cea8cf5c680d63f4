//! Shared helpers for tests of strategies.

use std::convert::Infallible;
use std::fmt::Debug;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng, TryRng};
use ruse_games::{Game, Payoff, Seat, Turn};
use ruse_search::{Decision, Strategy};

/// Returns a generator with a seed.
pub fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Plays one game from `state`, checks every action, and returns the outcome for `first` and the final state. Both
/// players and chance draw from the same generator.
pub fn play<G: Game<Action: Debug>, S: Strategy<G>, T: Strategy<G>>(
    game: &G,
    mut state: G::State,
    first: &S,
    second: &T,
    rng: &mut impl Rng,
) -> (Payoff, G::State) {
    let (mut memory, mut other_memory) = (S::Memory::default(), T::Memory::default());
    first.begin(&mut memory, Seat::First);
    second.begin(&mut other_memory, Seat::Second);
    let mut action = G::Action::default();
    loop {
        let seat = match game.turn(&state) {
            Turn::Over(outcome) => return (outcome, state),
            Turn::Act(seat) => seat,
        };
        let view = game.view(&state, seat);
        match seat {
            Seat::First => first.act(&mut memory, view, rng, &mut action),
            Seat::Second => second.act(&mut other_memory, view, rng, &mut action),
        }
        if let Err(error) = game.check(&state, &action) {
            panic!("{seat:?} breaks the rules with {action:?}: {error}");
        }
        game.apply(&mut state, seat, &action, rng);
    }
}

/// A generator that panics when a strategy draws from it.
pub struct PanicRng;

impl TryRng for PanicRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        panic!("a deterministic strategy drew randomness")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        panic!("a deterministic strategy drew randomness")
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        panic!("a deterministic strategy drew randomness")
    }
}

/// Checks that the features of a decision give the gradient of the logarithm of the probability of the action taken, by
/// central differences along each coordinate.
pub fn assert_gradient(
    decision: Decision<'_>,
    coordinates: &[f64],
    log_probability: impl Fn(&[f64]) -> f64,
) {
    const STEP: f64 = 1e-5;
    let mut scores = Vec::new();
    decision.scores(coordinates, &mut scores);
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| libm::exp(score - most)).collect();
    let sum: f64 = weights.iter().sum();
    let log_of_taken = libm::log(weights[decision.taken] / sum);
    assert!((log_of_taken - log_probability(coordinates)).abs() < 1e-12, "{log_of_taken}");
    let mut gradient = vec![0.0; coordinates.len()];
    for (index, features) in decision.actions().enumerate() {
        let factor = f64::from(u8::from(index == decision.taken)) - weights[index] / sum;
        for &(coordinate, feature) in features {
            gradient[coordinate as usize] += factor * feature;
        }
    }
    assert!(gradient.iter().any(|&part| part != 0.0));
    for (index, expected) in gradient.into_iter().enumerate() {
        let [up, down] = [STEP, -STEP].map(|step| {
            let mut moved = coordinates.to_vec();
            moved[index] += step;
            log_probability(&moved)
        });
        // The error of the difference is about STEP^2, and that of rounding about 1e-16 / STEP.
        let found = (up - down) / (2.0 * STEP);
        assert!((found - expected).abs() < 1e-8, "{index}: {found} for {expected}");
    }
}
