//! All courses of a game that agree with the knowledge of a seat: the oracle for imagined states.
//!
//! The oracle does not use the game's own code for imagining. It enumerates the deals and the opponent's actions, and
//! keeps the states that agree with the seat's actions and views. This is feasible only for games that hide little and
//! have no chance after the deal.

use std::collections::BTreeMap;
use std::fmt::Debug;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::{BySeat, Game, Imagine, SampleAction, Seat, Turn};

/// The data for following all courses of a game.
pub(crate) struct Courses<G: Game> {
    /// The standard game or, if it has too many courses, a smaller one.
    pub(crate) game: G,
    /// All possible deals.
    pub(crate) deals: Vec<G::State>,
    /// Returns actions of the seat to act: one of those that have the same effect.
    pub(crate) moves: fn(&G, &G::State) -> Vec<G::Action>,
    /// Whether imagined states occur as often as with an opponent who draws uniformly from `moves`. Otherwise the
    /// documentation of the game states which evidence is ignored.
    pub(crate) is_exact: bool,
    /// The number of random games in which states are imagined.
    pub(crate) num_games: u64,
    /// The number of turns of a seat after which the game is broken off.
    pub(crate) max_turns: usize,
}

/// The possible states by their text, each with its probability up to a common factor.
struct Possible<S>(BTreeMap<String, (S, f64)>);

impl<S: Clone + Debug> Possible<S> {
    fn add(&mut self, state: S, weight: f64) {
        self.0.entry(format!("{state:?}")).or_insert((state, 0.0)).1 += weight;
    }
}

impl<G: Game<State: Debug>> Courses<G> {
    /// Returns the possible states at the next turn of `seat`, after all possible actions of the opponent.
    fn go_on(&self, possible: Possible<G::State>, seat: Seat) -> Possible<G::State> {
        let mut unused = Xoshiro256PlusPlus::seed_from_u64(0);
        let mut reached = Possible(BTreeMap::new());
        let mut waiting: Vec<_> = possible.0.into_values().collect();
        while let Some((state, weight)) = waiting.pop() {
            match self.game.turn(&state) {
                Turn::Over(_) => {}
                Turn::Act(mover) if mover == seat => reached.add(state, weight),
                Turn::Act(mover) => {
                    let moves = (self.moves)(&self.game, &state);
                    for action in &moves {
                        let mut next = state.clone();
                        self.game.apply(&mut next, mover, action, &mut unused);
                        waiting.push((next, weight / moves.len() as f64));
                    }
                }
            }
        }
        reached
    }
}

/// Plays one of `part` random games. At each turn, checks that imagined states are possible and, if the frequencies are exact, that
/// all possible states occur with the right frequencies.
pub(crate) fn check<G>(name: &str, courses: &Courses<G>, part: u64)
where
    G: Imagine<State: Debug> + SampleAction,
{
    check_imagined(name, courses, part, |knowledge, seat, view, rng| {
        courses.game.imagine(knowledge, seat, view, rng)
    });
}

/// Like [`check`], for states that `imagine` returns.
pub(crate) fn check_imagined<G>(
    name: &str,
    courses: &Courses<G>,
    part: u64,
    imagine: impl Fn(&G::Knowledge, Seat, &G::View<'_>, &mut Xoshiro256PlusPlus) -> G::State,
) where
    G: Imagine<State: Debug> + SampleAction,
{
    for seed in 0..courses.num_games.div_ceil(part) {
        follow(name, courses, seed, &imagine);
    }
}

fn follow<G>(
    name: &str,
    courses: &Courses<G>,
    seed: u64,
    imagine: &impl Fn(&G::Knowledge, Seat, &G::View<'_>, &mut Xoshiro256PlusPlus) -> G::State,
) where
    G: Imagine<State: Debug> + SampleAction,
{
    let game = &courses.game;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut state = game.deal(&mut rng);
    let mut knowledge: BySeat<G::Knowledge> = BySeat::default();
    let mut possible = BySeat::from_fn(|seat| {
        let mut possible = Possible(BTreeMap::new());
        courses.deals.iter().for_each(|deal| possible.add(deal.clone(), 1.0));
        courses.go_on(possible, seat)
    });
    let mut action = G::Action::default();
    for _ in 0..2 * courses.max_turns {
        let Turn::Act(seat) = game.turn(&state) else { return };
        let view = game.view(&state, seat);
        let possible = &mut possible[seat];
        possible.0.retain(|_, (other, _)| game.view(other, seat) == game.view(&state, seat));
        assert!(possible.0.contains_key(&format!("{state:?}")), "{name}: {state:?} came about");

        let place = format!("{name}, seed {seed}, {seat:?}");
        compare(&place, possible, courses.is_exact, || {
            imagine(&knowledge[seat], seat, &view, &mut rng)
        });

        game.sample_action(&view, &mut rng, &mut action);
        game.learn(&mut knowledge[seat], seat, &view, &action);
        drop(view);
        for (other, _) in possible.0.values_mut() {
            game.apply(other, seat, &action, &mut rng);
        }
        *possible = courses.go_on(Possible(std::mem::take(&mut possible.0)), seat);
        game.apply(&mut state, seat, &action, &mut rng);
    }
}

/// Imagines 40 states for each possible state, and checks that they are possible. If `is_exact`, also checks the
/// frequencies by a chi-square test.
fn compare<S: Debug>(
    place: &str,
    possible: &Possible<S>,
    is_exact: bool,
    mut imagine: impl FnMut() -> S,
) {
    let total: f64 = possible.0.values().map(|(_, weight)| weight).sum();
    let num_imagined = 40 * possible.0.len();
    let mut counts: BTreeMap<String, f64> = BTreeMap::new();
    for _ in 0..num_imagined {
        let text = format!("{:?}", imagine());
        assert!(possible.0.contains_key(&text), "{place}: {text} cannot have come about");
        *counts.entry(text).or_default() += 1.0;
    }
    if !is_exact {
        return;
    }
    // States that are expected fewer than five times are counted together.
    let (mut chi_square, mut freedom) = (0.0, -1.0);
    let mut rare = [0.0; 2];
    for (text, (_, weight)) in &possible.0 {
        let expected = weight / total * num_imagined as f64;
        let count = counts.get(text).copied().unwrap_or(0.0);
        if expected < 5.0 {
            rare = [rare[0] + expected, rare[1] + count];
        } else {
            chi_square += (count - expected) * (count - expected) / expected;
            freedom += 1.0;
        }
    }
    if rare[0] >= 5.0 {
        chi_square += (rare[1] - rare[0]) * (rare[1] - rare[0]) / rare[0];
        freedom += 1.0;
    }
    // The mean of the statistic is the number of degrees of freedom, and its variance is twice this number. With fewer
    // than 5 degrees, 35 is exceeded in one of 10^6 tests; with more, 7 standard deviations are exceeded about as
    // rarely.
    let most = f64::max(35.0, freedom + 7.0 * (2.0 * f64::max(freedom, 0.0)).sqrt());
    assert!(chi_square <= most, "{place}: chi-square {chi_square}, {freedom} degrees of freedom");
}
