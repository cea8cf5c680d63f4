//! Tests of the strategies, including properties that are proven in the paper.

mod proven;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

use super::draw::happens;
use super::*;

type Stream = Xoshiro256PlusPlus;

/// Returns problem `small` of the reference program: four variables, 180 arms, all legal. The best arm is [1, 1, 1, 1],
/// with a mean of .9204.
fn small(sigma: f64) -> Synthetic {
    let means = vec![
        vec![0.1543, 0.2225, 0.1141],
        vec![0.1779, 0.2342, 0.1301, 0.1835],
        vec![0.1820, 0.2145, 0.0092],
        vec![0.0423, 0.2492, 0.1867, 0.0652, 0.1856],
    ];
    Synthetic::new(&SyntheticSpec { means, sigma, ..SyntheticSpec::default() }).expect("numbers")
}

/// Returns a problem of five variables that compete for cells and for a budget.
fn tight() -> Synthetic {
    let spec = SyntheticSpec {
        means: vec![vec![0.05, 0.2, 0.15, 0.1]; 5],
        cells: vec![vec![-1, 1, 2, -1]; 5],
        costs: vec![vec![0, 0, 1, 2]; 5],
        budget: 3,
        sigma: 0.1,
    };
    Synthetic::new(&spec).expect("the first values are free")
}

const FOUR_LSI: [LsiOptions; 4] = [
    LsiOptions { others: LsiOthers::Special, picks: LsiPicks::ByEntropy },
    LsiOptions { others: LsiOthers::Free, picks: LsiPicks::ByEntropy },
    LsiOptions { others: LsiOthers::Special, picks: LsiPicks::Union },
    LsiOptions { others: LsiOthers::Free, picks: LsiPicks::Union },
];

fn strategies() -> Vec<Strategy> {
    let ns = Naive::greedy(0.8, 0.4, 0.1);
    let ucb1 = |form| Naive { exploit: Exploit::Ucb1 { c: 0.005, form }, ..ns };
    vec![
        Strategy::Naive(ns),
        Strategy::Naive(Naive { force: false, ..ns }),
        Strategy::TwoPhase { first: ns, second: Naive::greedy(0.0, 0.0, 0.2), switch: 300 },
        Strategy::Naive(ucb1(UcbForm::Plain)),
        Strategy::Naive(ucb1(UcbForm::Swapped)),
        Strategy::Naive(Naive::e_greedy(0.25)),
        Strategy::Ucb1 { c: 0.05 },
        Strategy::Ucb1Fpu { c: 0.05, threshold: 0.75 },
        Strategy::Mlps { c: 0.005 },
        Strategy::Random,
    ]
}

fn pulls(
    sampler: &mut impl Sampler<Synthetic>,
    problem: &Synthetic,
    num_pulls: usize,
    seed: u64,
) -> Vec<Vec<u16>> {
    let mut rng = Stream::seed_from_u64(seed);
    let mut arm = vec![0; problem.sizes().len()];
    let mut all = Vec::new();
    for _ in 0..num_pulls {
        sampler.choose(problem, &mut rng, &mut arm);
        let reward = problem.pull(&arm, &mut rng);
        sampler.observe(&arm, reward);
        all.push(arm.clone());
    }
    all
}

#[test]
fn all_arms_chosen_and_recommended_are_legal() {
    let problem = tight();
    let check = |all: Vec<Vec<u16>>| {
        for arm in all {
            assert!(is_legal(&problem, &arm), "{arm:?}");
        }
    };
    let mut arm = vec![0; 5];
    for strategy in strategies() {
        let mut sampler = AtRoot::new(strategy, &problem).expect("in range");
        assert!(!sampler.recommend(&mut arm));
        check(pulls(&mut sampler, &problem, 2000, 1));
        assert!(sampler.recommend(&mut arm));
        check(vec![arm.clone()]);
    }
    for options in FOUR_LSI {
        for num_pulls in [1, 2, 7, 100, 1000] {
            let mut sampler = Lsi::new(options, num_pulls, problem.special(), &problem);
            // Pulls beyond the announced number go to the survivor.
            check(pulls(&mut sampler, &problem, num_pulls as usize + 10, 1));
            assert!(sampler.recommend(&mut arm));
            check(vec![arm.clone()]);
        }
    }
}

/// A reset sampler chooses the same arms as a new one.
#[test]
fn a_reset_forgets_all() {
    let (problem, other) = (tight(), small(0.1));
    for strategy in strategies() {
        let mut sampler = AtRoot::new(strategy, &problem).expect("in range");
        let first = pulls(&mut sampler, &problem, 400, 2);
        sampler.reset(&other);
        pulls(&mut sampler, &other, 400, 3);
        sampler.reset(&problem);
        assert_eq!(pulls(&mut sampler, &problem, 400, 2), first, "{strategy:?}");
    }
    let mut sampler = Lsi::new(FOUR_LSI[1], 400, problem.special(), &problem);
    let first = pulls(&mut sampler, &problem, 400, 2);
    sampler.reset(&problem);
    assert_eq!(pulls(&mut sampler, &problem, 400, 2), first);
}

#[test]
fn parameters_out_of_range_are_refused() {
    let ns = Naive::greedy(0.8, 0.4, 0.0);
    for (wrong, name) in [
        (Strategy::Naive(Naive { e0: 1.1, ..ns }), "e0"),
        (Strategy::Naive(Naive { e_l: f64::NAN, ..ns }), "el"),
        (Strategy::TwoPhase { first: ns, second: Naive::greedy(0.0, 0.0, -0.1), switch: 9 }, "eg"),
        (Strategy::Ucb1 { c: -1.0 }, "c"),
        (Strategy::Ucb1Fpu { c: 0.05, threshold: f64::INFINITY }, "f"),
    ] {
        assert_eq!(wrong.checked().expect_err("out of range").name, name);
    }
    let error = Strategy::Ucb1 { c: -1.0 }.checked().expect_err("out of range");
    assert_eq!(error.to_string(), "c is -1, where a number of at least 0 should be");
}

/// Compares the pulls with a second implementation of e-greedy over whole arms.
#[test]
fn naive_sampling_without_greedy_values_is_e_greedy() {
    let problem = tight();
    for e in [0.0, 0.25, 1.0] {
        let mut sampler = AtRoot::new(Strategy::Naive(Naive::e_greedy(e)), &problem).expect("e");
        let found = pulls(&mut sampler, &problem, 1500, 4);
        let mut rng = Stream::seed_from_u64(4);
        let mut scratch = Scratch::default();
        let mut arms: Vec<(Vec<u16>, f64, f64)> = Vec::new();
        for arm in found {
            let mut expected = vec![0; 5];
            if arms.is_empty() || happens(e, &mut rng) {
                random_arm(&problem, &mut scratch, &mut rng, &mut expected);
            } else {
                let mean = |&(_, sum, n): &(Vec<u16>, f64, f64)| sum / n;
                let best = arms.iter().map(mean).fold(f64::NEG_INFINITY, f64::max);
                let best = arms.iter().find(|known| mean(known) == best).expect("there is one");
                expected.clone_from(&best.0);
            }
            assert_eq!(arm, expected);
            let reward = problem.pull(&arm, &mut rng);
            match arms.iter_mut().find(|known| known.0 == arm) {
                Some(known) => (known.1, known.2) = (known.1 + reward, known.2 + 1.0),
                None => arms.push((arm, reward, 1.0)),
            }
        }
    }
}

#[test]
fn without_exploration_the_first_arm_is_pulled_for_ever() {
    let problem = tight();
    let mut sampler = AtRoot::new(Strategy::Naive(Naive::greedy(0.0, 0.4, 0.0)), &problem);
    let all = pulls(sampler.as_mut().expect("in range"), &problem, 500, 5);
    assert!(all.iter().all(|arm| *arm == all[0]));
}

/// With e0 = 1 the exploit step is never used, so its kind does not matter.
#[test]
fn exploration_alone_never_exploits() {
    let problem = tight();
    let of = |exploit| {
        let naive = Naive { exploit, ..Naive::greedy(1.0, 0.4, 0.0) };
        let mut sampler = AtRoot::new(Strategy::Naive(naive), &problem).expect("in range");
        pulls(&mut sampler, &problem, 500, 6)
    };
    let greedy = of(Exploit::Greedy { e_g: 0.0 });
    assert_eq!(greedy, of(Exploit::Greedy { e_g: 0.9 }));
    assert_eq!(greedy, of(Exploit::Ucb1 { c: 9.0, form: UcbForm::Plain }));
}

/// With one variable, an arm is a single value, so the table of arms and the table of values agree.
#[test]
fn with_one_variable_naive_sampling_is_a_plain_bandit() {
    let spec = SyntheticSpec {
        means: vec![vec![0.3, 0.7, 0.5, 0.1]],
        sigma: 0.2,
        ..SyntheticSpec::default()
    };
    let problem = Synthetic::new(&spec).expect("numbers");
    let strategy = Strategy::Naive(Naive::greedy(0.5, 0.5, 0.1));
    let mut sampler = AtRoot::new(strategy, &problem).expect("in range");
    pulls(&mut sampler, &problem, 1000, 7);
    let tables = sampler.tables();
    assert_eq!(tables.num_arms(), 4);
    for value in 0..4 {
        let arm = tables.find(&[value]).expect("it was pulled");
        assert_eq!(tables.mean(arm), tables.value_mean(0, value));
        assert_eq!(tables.pulls(arm), tables.value_pulls(0, value));
    }
}

/// With `force`, the first explore steps try every value. This takes as many steps as the largest variable has values,
/// since no cells conflict here.
#[test]
fn explore_steps_try_all_values_first() {
    let problem = small(0.1);
    let all_tried = |force| {
        let naive = Naive { force, ..Naive::greedy(1.0, 0.0, 0.0) };
        let mut sampler = AtRoot::new(Strategy::Naive(naive), &problem).expect("in range");
        pulls(&mut sampler, &problem, 5, 8);
        let is_tried = |(i, v)| sampler.tables().value_pulls(i, v) > 0;
        (0..4).all(|i| (0..problem.sizes()[i]).all(|v| is_tried((i, v))))
    };
    assert!(all_tried(true));
    assert!(!all_tried(false));
}

/// UCB1 pulls no arm twice until it assumes that all arms have been pulled; then it chooses by the bound. If only one of
/// the 180 arms remains, 200 draws miss it with probability e^-1.1 = .33. A few arms may therefore never be pulled, but
/// ten such arms are very unlikely.
#[test]
fn ucb1_tries_all_arms_first() {
    let problem = small(0.1);
    let mut sampler = AtRoot::new(Strategy::Ucb1 { c: 0.05 }, &problem).expect("in range");
    let mut all = pulls(&mut sampler, &problem, 170, 9);
    assert_eq!(sampler.tables().num_arms(), 170);
    all.extend(pulls(&mut sampler, &problem, 400, 10));
    assert!(sampler.tables().num_arms() > 170);
    let most = (0..sampler.tables().num_arms()).map(|arm| sampler.tables().pulls(arm)).max();
    assert!(most > Some(10), "{most:?}");
}

#[test]
fn first_play_urgency_is_what_a_new_arm_promises() {
    let problem = tight();
    let num_arms = |threshold| {
        let strategy = Strategy::Ucb1Fpu { c: 0.0, threshold };
        let mut sampler = AtRoot::new(strategy, &problem).expect("in range");
        pulls(&mut sampler, &problem, 100, 11);
        sampler.tables().num_arms()
    };
    // All observed means are between -10 and 10, and some exceed .6.
    assert_eq!(num_arms(-10.0), 1);
    assert_eq!(num_arms(10.0), 100);
    assert!((2..100).contains(&num_arms(0.6)), "{}", num_arms(0.6));
}

/// The expected arms are worked out by hand. At first all bonuses are infinite, so all variables take their lowest
/// values. Then the first variable in the order takes its value 1, which was never pulled. All other bounds are
/// infinite again and tie, so the other variables take their lowest values.
#[test]
fn mlps_tries_one_new_value_at_a_time() {
    let problem = small(0.1);
    let mut sampler = AtRoot::new(Strategy::Mlps { c: 0.005 }, &problem).expect("in range");
    let all = pulls(&mut sampler, &problem, 2, 12);
    assert_eq!(all[0], [0, 0, 0, 0]);
    let mut second = all[1].clone();
    second.sort_unstable();
    assert_eq!(second, [0, 0, 0, 1]);
}

/// With T = 100, 25 pulls go to the 15 pairs in turn, and 75 pulls go to m candidates. In each round, each of the s
/// remaining candidates gets floor(75 / (s ceil(log2 m))) pulls. Half of them, rounded up, remain.
#[test]
fn side_information_takes_turns_and_halves() {
    let problem = small(0.1);
    let options = LsiOptions { others: LsiOthers::Special, picks: LsiPicks::ByEntropy };
    let mut sampler = Lsi::new(options, 100, problem.special(), &problem);
    let all = pulls(&mut sampler, &problem, 100, 13);
    let mut turns = Vec::new();
    for (i, size) in [(0, 3), (1, 4), (2, 3), (3, 5)] {
        for value in 0..size {
            let mut arm = vec![0; 4];
            arm[i] = value;
            turns.push(arm);
        }
    }
    turns.extend_from_within(..10);
    assert_eq!(all[..25], turns);
    // Ten candidates are drawn (see the test of their number); with this seed, 7 of them are different. This makes 3
    // rounds: 75 / 21 = 3 pulls for each candidate, then 75 / 12 = 6 pulls for each of four candidates, and 75 / 6 = 12
    // pulls for each of two. The winner gets the remaining 6 pulls.
    let mut candidates = all[25..].to_vec();
    candidates.sort();
    let groups = candidates.chunk_by(|a, b| a == b);
    let mut numbers: Vec<usize> = groups.map(<[_]>::len).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [3, 3, 3, 3 + 6, 3 + 6, 3 + 6 + 12, 3 + 6 + 12 + 6]);
    // Each candidate of a round gets all its pulls before the next round begins.
    let first_round = &all[25..25 + 21];
    assert!(first_round.chunks(3).all(|three| three.iter().all(|arm| *arm == three[0])));
    let mut survivor = vec![0; 4];
    assert!(sampler.recommend(&mut survivor));
    assert_eq!(Some(&survivor), all.last());
}
