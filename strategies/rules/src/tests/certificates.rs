//! Compares the walk with known values and with an enumeration of all pure strategies.

use std::collections::BTreeMap;
use std::fmt::Write;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
use ruse_games::BySeat;
use ruse_games::rule_file::{Position, RuleFile, Walk};
use ruse_gdl::{Limits, MoveId, RoleId};
use ruse_search::ParametricStrategy;
use ruse_strategies::certificate::{
    Basis, Bounds, Certificate, Horizon, INFORMATION_SETS, Outcome, Successor, Unfold, Work,
    certify,
};
use ruse_strategies::{Family, Prepared};

use super::file;
use crate::{Linear, Policy, RuleFileReference, SeedFamily, Seeded, certificate};

fn random(name: &'static str, work: &Work<'_>) -> Certificate {
    let family = SeedFamily::new(name, file(name));
    let random = Prepared::Reference(RuleFileReference::Random);
    family.certificate(&random, work).expect("the strategy has a distribution")
}

/// A prototype in another language found the same values (scores 0.9765625 and 0.812169312169).
#[test]
#[ignore = "long"]
fn phantom_tic_tac_toe_is_exploited_exactly() {
    let found = random("phantom_tic_tac_toe_try_again", &Work::default());
    assert!(found.is_exact());
    assert!((found.seats.first.high - 0.976_562_5).abs() < 1e-9, "{found:?}");
    assert!((found.seats.second.high - 0.812_169_312_169).abs() < 1e-9, "{found:?}");
    assert!((found.score()[1] - 0.5 - 0.394_365_906).abs() < 1e-9, "{found:?}");
}

/// Best responses to random play. Sources: NashConv of uniform play in Kuhn and Leduc poker as in OpenSpiel, in chips;
/// dark hex by the public values of the benchmark IIG-RL (payoffs of -1 and 1) and by a prototype in another language.
#[test]
fn random_play_of_the_usual_small_games_is_exploited_as_published() {
    let sum = |name| exact_high(name).iter().sum::<f64>() - 1.0;
    // A chip is worth 1/4 of a point in Kuhn poker, and 3/100 in Leduc poker.
    assert!((sum("kuhn_poker") * 4.0 - 0.916_667).abs() < 1e-6);
    assert!((sum("leduc_poker") / 0.03 - 4.747_222).abs() < 1e-6);
}

#[test]
#[ignore = "long"]
fn random_play_of_dark_hex_is_exploited_as_published() {
    let [first, second] = exact_high("dark_hex_3");
    assert!((first - 1.0).abs() < 1e-9, "{first}");
    assert!((2.0 * second - 1.0 - 0.832_804).abs() < 1e-6, "{second}");
    let [first, second] = exact_high("dark_hex_3_abrupt");
    assert!((first - 0.954_015).abs() < 1e-6, "{first}");
    assert!((second - 0.808_590).abs() < 1e-6, "{second}");
}

/// With complete information the value with open cards is the value, so no walk is needed. Against random play, the best
/// first player is known to win 191 of 192 games and to draw the others. The second value was found by a walk, before
/// open cards were used for it.
#[test]
fn complete_information_takes_no_walk() {
    let work = Work { information_sets: 0, ..Work::default() };
    let found = random("tic_tac_toe", &work);
    assert!(found.is_exact());
    assert!((found.seats.first.high - 191.5 / 192.0).abs() < 1e-12, "{found:?}");
    assert!((found.seats.second.high - 0.962_433_862_434).abs() < 1e-9, "{found:?}");
}

/// Returns the exact scores of a best response to random play.
fn exact_high(name: &'static str) -> [f64; 2] {
    let found = random(name, &Work::default());
    assert!(found.is_exact(), "{name}: {found:?}");
    [found.seats.first.high, found.seats.second.high]
}

/// In Pig, a state can be reached after different numbers of steps. The expected scores were computed for the native game
/// to 20 points; the limit of ten turns hardly changes them.
#[test]
#[ignore = "long"]
fn equal_states_at_different_steps_are_one_place() {
    let [first, second] = exact_high("pig_20");
    assert!((first - 0.8451).abs() < 0.500_1e-4 && (second - 0.7510).abs() < 0.500_1e-4);
}

/// Another program computed the mean goals of Orchard: 68.40 with best play and 63.20 with random play. One point is
/// worth 1/200.
#[test]
#[ignore = "long"]
fn equal_states_of_a_larger_game_are_one_place() {
    let gain = (68.40 - 63.20) / 200.0;
    assert!(exact_high("orchard").iter().all(|score| (score - 0.5 - gain).abs() < 0.500_1e-4));
}

/// In each step the responder risks everything on a coin, or waits. Waiting wins with probability 1/6, loses with
/// probability 1/12, and otherwise changes nothing.
struct Patience(Horizon);

impl Unfold for Patience {
    /// The payoff if the game is over, in halves, and the number of steps.
    type Place = (Option<u8>, u32);
    type Key = Option<u8>;
    type Seen = Option<u8>;
    type Fault = ();

    fn horizon(&self) -> Option<Horizon> {
        Some(self.0)
    }

    fn start(&mut self, successors: &mut Vec<Successor<Self::Place, Self::Seen>>) {
        successors.push(Successor { action: 0, seen: None, place: (None, 0), probability: 1.0 });
    }

    fn key(&self, place: &Self::Place) -> Option<u8> {
        place.0
    }

    fn expand(
        &mut self,
        &(payoff, steps): &Self::Place,
        successors: &mut Vec<Successor<Self::Place, Self::Seen>>,
    ) -> Result<Outcome, ()> {
        if let Some(halves) = payoff {
            return Ok(Outcome::Over(f64::from(halves) / 2.0));
        }
        if steps == self.0.steps {
            return self.0.payoff.map(Outcome::Over).ok_or(());
        }
        let risk = [(Some(2), 0.5), (Some(0), 0.5)];
        let wait = [(Some(2), 1.0 / 6.0), (Some(0), 1.0 / 12.0), (None, 0.75)];
        for (action, (seen, probability)) in
            risk.map(|next| (0, next)).into_iter().chain(wait.map(|next| (1, next)))
        {
            successors.push(Successor { action, seen, place: (seen, steps + 1), probability });
        }
        Ok(Outcome::Actions(2))
    }
}

/// Computed by hand. Waiting for ever wins 2 of 3 games. With payoff 1/2 after two steps, one step is worth
/// 1/6 + 3/4 * 1/2 = 13/24, and two steps are worth 1/6 + 3/4 * 13/24 = 55/96.
#[test]
fn games_may_return_to_an_earlier_place() {
    let bounds =
        |steps, payoff| certify(&mut Patience(Horizon { steps, payoff }), &Work::default());
    for payoff in [None, Some(0.5), Some(1.0)] {
        let found = bounds(1_000, payoff).expect("it ends before");
        assert_eq!(found.basis, Basis::Exact);
        assert!((found.high - 2.0 / 3.0).abs() < 1e-12, "{found:?}");
    }
    let found = bounds(2, Some(0.5)).expect("it ends with a payoff");
    assert_eq!(found.basis, Basis::Exact);
    assert!((found.high - 55.0 / 96.0).abs() < 1e-12, "{found:?}");
    // Long games are a fault if they have no payoff.
    assert_eq!(bounds(50, None), Err(()));
}

#[test]
fn threads_do_not_change_the_result() {
    let work = Work { information_sets: 20, ..Work::default() };
    let with_threads = |num_threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build();
        pool.expect("threads").install(|| random("phantom_tic_tac_toe_try_again", &work))
    };
    let found = with_threads(1);
    assert!(!found.is_exact());
    assert_eq!(with_threads(3), found);
}

/// The longer the cards stay hidden in the walk, the closer the bounds are. The exact value lies between them.
#[test]
fn bounds_close_in_on_the_exact_value() {
    for (name, seed) in [("monty_hall", 1), ("syntax_zoo", 2), ("tic_tac_toe", 3), ("drawn", 4)] {
        let game = match name {
            "drawn" => drawn(&mut Xoshiro256PlusPlus::seed_from_u64(seed)),
            name => file(name),
        };
        let policy = RuleFileReference::Random;
        let mixture: [(f64, &dyn Policy); 1] = [(1.0, &policy)];
        let exact = certificate(&game, &mixture, &Work::default()).expect("right").seats;
        let mut last = BySeat { first: [0.0, 1.0], second: [0.0, 1.0] };
        for information_sets in [0, 1, 3, 10, 30, 100, 300, 1_000, 10_000] {
            let work = Work { information_sets, ..Work::default() };
            let found = certificate(&game, &mixture, &work).expect("right").seats;
            for seat in ruse_games::Seat::BOTH {
                let Bounds { low, high, .. } = found[seat];
                let value = exact[seat].high;
                assert!(low <= value + 1e-12 && value <= high + 1e-12, "{name}: {found:?}");
                assert!(low >= last[seat][0] - 1e-12 && high <= last[seat][1] + 1e-12, "{name}");
                last[seat] = [low, high];
            }
        }
        let ends = [last.first, last.second].map(|[low, high]| high - low);
        assert!(ends.iter().all(|width| *width < 1e-12), "{name}: {last:?}");
    }
}

/// Checks that the exact value lies between the bounds of limited walks, for random strategies of a game.
fn bounds_hold(name: &str, num_strategies: u32) {
    let game = file(name);
    for number in 0..num_strategies {
        let theta = |index: u32| 4.0 * libm::sin(f64::from(128 * number + index));
        let dimension = Linear::<true>::space(&game).dimension() as u32;
        let theta: Vec<f64> = (0..dimension).map(theta).collect();
        let strategy = Linear::<true>::from_parameters(&game, &theta).expect("its layout");
        let bounds = |information_sets| {
            let work = Work { information_sets, ..Work::default() };
            certificate(&game, &[(1.0, &strategy)], &work).expect("a right file").seats
        };
        let (found, exact) = (bounds(1 + u64::from(number % 40)), bounds(INFORMATION_SETS));
        for seat in ruse_games::Seat::BOTH {
            assert_eq!(exact[seat].basis, Basis::Exact);
            let (Bounds { low, high, .. }, value) = (found[seat], exact[seat].high);
            assert!(low <= high, "{name} {number}: {low} {high}");
            assert!(low <= value + 1e-12 && value <= high + 1e-12, "{name} {number}: {found:?}");
        }
    }
}

#[test]
fn exact_values_of_random_strategies_are_within_bounds() {
    bounds_hold("kuhn_poker", 40);
    bounds_hold("monty_hall", 5);
    bounds_hold("liars_dice_4", 1);
}

#[test]
#[ignore = "long"]
fn exact_values_of_many_random_strategies_are_within_bounds() {
    for name in ["kuhn_poker", "leduc_poker", "liars_dice_4", "goofspiel_4", "morra", "monty_hall"]
    {
        bounds_hold(name, 1_000);
    }
}

/// A stopped computation returns the bounds that it has proven.
#[test]
fn a_stopped_walk_returns_bounds() {
    let work = Work { is_stopped: &|| true, ..Work::default() };
    let found = random("phantom_tic_tac_toe_try_again", &work);
    assert_eq!(found.basis(), Basis::Payoffs);
    assert_eq!(found.score(), [0.5, 1.0]);
}

/// Draws a number below `n`.
fn below(n: u64, rng: &mut Xoshiro256PlusPlus) -> u64 {
    rng.next_u64() % n
}

/// Returns a random rule file with 2 or 3 steps. In each step, each role chooses one of 2 moves, and chance one of 2
/// events. The state is a number; tables determine the next state, the percepts and the goals.
fn drawn(rng: &mut Xoshiro256PlusPlus) -> RuleFile {
    let num_steps = 2 + below(2, rng);
    // With 2 percepts in 3 steps, there would be 2^21 pure strategies.
    let num_percepts = if num_steps == 2 { 2 } else { 1 };
    let mut text = String::from("(role x) (role y) (role random) (init (at 0)) (init (step 0))");
    for role in ["x", "y", "random"] {
        // Sometimes a role has only one move in the first step.
        for step in 0..num_steps {
            let num_moves = if step == 0 { 1 + below(2, rng) } else { 2 };
            for action in 0..num_moves {
                write!(text, "(<= (legal {role} (do {action})) (true (step {step})))")
                    .expect("text");
            }
        }
    }
    for at in 0..4 {
        for (x, y, chance) in (0..8).map(|bits| (bits & 1, bits >> 1 & 1, bits >> 2)) {
            let joint = format!(
                "(true (at {at})) (does x (do {x})) (does y (do {y})) (does random (do {chance}))"
            );
            write!(text, "(<= (next (at {})) {joint})", below(4, rng)).expect("text");
            for role in ["x", "y"] {
                write!(text, "(<= (sees {role} {}) {joint})", below(num_percepts, rng))
                    .expect("text");
            }
        }
        let goal = below(101, rng);
        write!(text, "(<= (goal x {goal}) (true (at {at})))").expect("text");
        write!(text, "(<= (goal y {}) (true (at {at})))", 100 - goal).expect("text");
    }
    for step in 0..num_steps {
        write!(text, "(<= (next (step {})) (true (step {step})))", step + 1).expect("text");
    }
    write!(text, "(<= terminal (true (step {num_steps})))").expect("text");
    RuleFile::from_text("drawn", text.as_bytes(), &Limits::default()).expect("a right text")
}

/// A pure strategy: the index of the move for each history.
type Pure = BTreeMap<String, usize>;

/// Returns the payoff of a pure strategy in the role `own` against a policy. Adds each history for which the strategy
/// has no move to `missing`, with the number of legal moves.
fn payoff(
    walk: &mut Walk,
    position: &Position,
    own: RoleId,
    pure: &Pure,
    policy: &dyn Policy,
    missing: &mut Pure,
) -> f64 {
    let roles = walk.game().roles().to_vec();
    let other = roles[usize::from(own == roles[0])];
    if walk.enter(position).expect("a right file") {
        let goal = |role| f64::from(walk.goal(role).expect("a goal"));
        return (goal(own) - goal(other) + 100.0) / 200.0;
    }
    let history = format!("{:?}", walk.view(position, own));
    let [legal, others] = [own, other].map(|role| walk.legal(role).to_vec());
    let chance = walk.legal(RoleId(2)).to_vec();
    let mut probabilities = Vec::new();
    policy.probabilities(&walk.view(position, other), &mut probabilities);
    if !pure.contains_key(&history) {
        missing.insert(history.clone(), legal.len());
    }
    let chosen = legal[pure.get(&history).copied().unwrap_or(0)];
    let mut sum = 0.0;
    for (&action, probability) in others.iter().zip(probabilities) {
        for &event in &chance {
            let mut joint = [MoveId::default(); 3];
            joint[own.0 as usize] = chosen;
            joint[other.0 as usize] = action;
            joint[2] = event;
            walk.enter(position).expect("as before");
            let after = walk.after(position, &joint);
            let weight = probability / chance.len() as f64;
            sum += weight * payoff(walk, &after, own, pure, policy, missing);
        }
    }
    sum
}

/// Returns the largest payoff among all pure strategies that agree with `pure`.
fn largest_payoff(walk: &mut Walk, own: RoleId, pure: &mut Pure, policy: &dyn Policy) -> f64 {
    let start = walk.start();
    let mut missing = Pure::new();
    let value = payoff(walk, &start, own, pure, policy, &mut missing);
    let Some((history, num_moves)) = missing.pop_first() else { return value };
    let mut best = 0.0_f64;
    for action in 0..num_moves {
        pure.insert(history.clone(), action);
        best = best.max(largest_payoff(walk, own, pure, policy));
    }
    pure.remove(&history);
    best
}

#[test]
fn the_walk_finds_the_best_of_all_pure_strategies() {
    check_drawn(50);
}

#[test]
#[ignore = "long"]
fn the_walk_finds_the_best_of_all_pure_strategies_of_more_files() {
    check_drawn(200);
}

/// Checks random rule files.
fn check_drawn(num_files: u32) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for number in 0..num_files {
        let game = drawn(&mut rng);
        let theta = |num: usize| -> Vec<f64> {
            (0..num).map(|index| libm::sin(f64::from(number) + 3.0 * index as f64)).collect()
        };
        let policy: Box<dyn Policy> = match number % 4 {
            0 => Box::new(RuleFileReference::Random),
            1 => Box::new(Seeded::<true>::from_parameters(&game, &theta(2)).expect("two")),
            2 => Box::new(Linear::<true>::from_parameters(&game, &theta(128)).expect("128")),
            _ => Box::new(Linear::<false>::from_parameters(&game, &theta(128)).expect("128")),
        };
        let found = certificate(&game, &[(1.0, &*policy)], &Work::default()).expect("right");
        assert!(found.is_exact());
        for (seat, &role) in ruse_games::Seat::BOTH.iter().zip(game.roles()) {
            let mut walk = Walk::new(&game);
            let best = largest_payoff(&mut walk, role, &mut Pure::new(), &*policy);
            let high = found.seats[*seat].high;
            assert!((high - best).abs() < 1e-12, "{number}: {high}, {best} is best");
        }
    }
}
