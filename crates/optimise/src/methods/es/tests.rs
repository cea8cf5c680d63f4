use rand_distr::Distribution;
use ruse_base::rng::{Gaussian, Stream, StreamKey};
use ruse_base::stop::{StopReason, Stopped};
use ruse_registry::Registry;
use ruse_strategies::PairResult;

use super::*;
use crate::methods::method::tests::{Scripted, never};
use crate::methods::tests::{result_in_all_ways, task};
use crate::methods::{Method, Question, Task};

/// Returns an oracle that computes the scores of a candidate in both seats from the candidate and from the number of
/// the deals ([`Fixture::deals`]).
fn scored_by_seat<'a>(
    games_left: u64,
    seed: u64,
    scores: impl Fn(&[f64], u64) -> [f64; 2] + 'a,
) -> Scripted<'a, impl FnMut(&[f64], &Question<'_>) -> bool> {
    let play = move |players: &[Player], fixture: &Fixture, _: &mut Stream| {
        assert_eq!(&players[fixture.b], &Player::Redrawn);
        let candidate = players[fixture.a].parameters().expect("a candidate");
        let payoff = |score: f64| {
            let parts = score.clamp(0.0, 1.0) * f64::from(ruse_games::Payoff::PARTS);
            ruse_games::Payoff::from_parts(parts.round() as u16).expect("at most 1")
        };
        let [as_first, as_second] = scores(candidate, fixture.deals).map(payoff);
        let mut tally = Tally::default();
        tally.add_many(PairResult { as_first, as_second }, fixture.num_pairs);
        tally
    };
    let mut oracle = Scripted::new(Vec::new(), never).with_games(games_left, Box::new(play));
    oracle.stream = StreamKey::root(seed).stream();
    oracle.individual = Some(Box::new(|_| panic!("it starts once")));
    oracle
}

/// Returns the oracle in which a candidate has the same score in both seats.
fn scored<'a>(
    games_left: u64,
    seed: u64,
    score: impl Fn(&[f64], u64) -> f64 + 'a,
) -> Scripted<'a, impl FnMut(&[f64], &Question<'_>) -> bool> {
    scored_by_seat(games_left, seed, move |x, deals| [score(x, deals); 2])
}

fn with_directions(directions: u64) -> EsKind {
    EsKind { directions, sigma: 1.0, rate: 0.2, scouts: 0 }
}

/// Compares one generation with a calculation by hand. The two directions are (.5, -2) and (1, 1), and the centre is
/// (1, 1). The first candidate of the first direction scores 1 and its opposite 0; both candidates of the second
/// direction score 1/2. So g = (.5, -2) / 4, and in each parameter the first step of Adam has the sign of g and the
/// length of the rate.
#[test]
fn one_generation() {
    let score = |candidate: &[f64], _| match candidate {
        [x, y] if *x == 1.5 && *y == -1.0 => 1.0,
        [x, y] if *x == 0.5 && *y == 3.0 => 0.0,
        _ => 0.5,
    };
    let mut oracle = scored(10_000, 1, score);
    oracle.draws = vec![0.5, -2.0, 1.0, 1.0];
    let mut method = Running::new(vec![1.0, 1.0], with_directions(2));
    let done = method.iterate(&mut oracle).expect("not stopped");

    let (players, fixtures) = &oracle.played;
    let candidates: Vec<_> = players.iter().filter_map(Player::parameters).collect();
    assert_eq!(candidates, [[1.5, -1.0], [0.5, 3.0], [2.0, 2.0], [0.0, 0.0]]);
    let deals: Vec<_> = fixtures.iter().map(|fixture| (fixture.a, fixture.deals)).collect();
    assert_eq!(deals, [(1, 0), (2, 0), (3, 1), (4, 1)]);
    assert!(fixtures.iter().all(|fixture| fixture.num_pairs == 1));

    let theta = &method.memory.theta;
    assert!((theta[0] - 1.2).abs() < 1e-7 && (theta[1] - 0.8).abs() < 1e-7, "{theta:?}");
    // The mean of one vector is the vector itself. It becomes the incumbent immediately.
    assert_eq!(&method.last(), theta);
    let joined = done.joined.expect("the first generation is shown");
    assert_eq!((&joined.parameters, joined.against), (theta, Against::Baseline));
    // One candidate of each direction counts; they score 1 and .5.
    assert_eq!(done.step.score().0, 0.75);
    assert_eq!(method.memory.games, 8);
}

/// The maximum is at (-1, -.5, 0, .5, 1), at a distance of 4.74 from the start. A separate program of 30 lines, in
/// another language and with other random numbers, ended within 2.5e-4 of the maximum in each of 200 runs of 20 000
/// games with the same options; the median was 1.1e-4. The bound is three times the largest distance, to allow for
/// rarer runs.
#[test]
fn a_quadratic_function_is_climbed() {
    let top = [-1.0, -0.5, 0.0, 0.5, 1.0];
    let squared = |x: &[f64]| x.iter().zip(top).map(|(x, top)| (x - top) * (x - top)).sum::<f64>();
    for seed in 1..=5 {
        let mut oracle = scored(20_000, seed, |x: &[f64], _| 1.0 - squared(x) / 100.0);
        let mut method = Running::new(vec![2.0; 5], EsKind { rate: 0.1, ..with_directions(64) });
        while method.iterate(&mut oracle).is_ok() {}
        let distance = squared(method.incumbent()).sqrt();
        assert!(distance < 7.5e-4, "seed {seed}: {distance}");
    }
}

/// Parameter 0 decides the games of the first seat, and parameter 1 decides the games of the second. The only
/// direction, (1, 1), wins in the first seat and loses in the second. If parameters belong to seats, the first
/// increases and the second decreases; otherwise both stay the same.
#[test]
fn parameters_of_a_seat_learn_from_its_games() {
    let climbed = |seats: Option<BySeat<Range<usize>>>| {
        let scores = |x: &[f64], _| [x[0] > 0.0, x[1] <= 0.0].map(|wins| f64::from(u8::from(wins)));
        let mut oracle = scored_by_seat(1000, 1, scores);
        oracle.seats = seats;
        oracle.draws = vec![1.0, 1.0];
        let mut method = Running::new(vec![0.0, 0.0], with_directions(1));
        method.iterate(&mut oracle).expect("not stopped");
        method.memory.theta
    };
    let theta = climbed(Some(BySeat { first: 0..1, second: 1..2 }));
    assert!((theta[0] - 0.2).abs() < 1e-7 && (theta[1] + 0.2).abs() < 1e-7, "{theta:?}");
    assert_eq!(climbed(None), [0.0, 0.0]);
}

/// A climb ends at the same point whether or not each deal adds an offset of up to .4 to the score: both candidates of
/// a direction share the offset, so it cancels.
#[test]
fn shared_luck_of_a_direction_cancels() {
    let climb = |luck: f64| {
        let score =
            move |x: &[f64], deals: u64| 0.5 - x[0] * x[0] / 1e3 + luck * (deals % 5) as f64;
        let mut oracle = scored(10_000, 1, score);
        let mut method = Running::new(vec![1.0], with_directions(10));
        while method.iterate(&mut oracle).is_ok() {}
        method.last().to_vec()
    };
    let (without, with) = (climb(0.0), climb(0.1));
    assert!((without[0] - with[0]).abs() < 1e-9, "{without:?}, {with:?}");
}

#[test]
fn without_a_gradient_nothing_moves() {
    let start = vec![0.25, -3.0, 1e6];
    let mut oracle = scored(5_000, 1, |_: &[f64], deals| (deals % 3) as f64 / 2.0);
    let mut method = Running::new(start.clone(), with_directions(4));
    while method.iterate(&mut oracle).is_ok() {}
    assert!(method.memory.num_generations > 100);
    assert_eq!((method.incumbent(), &method.memory.theta), (start.as_slice(), &start));
}

/// Permuting the parameters, and the numbers drawn for them, permutes the result.
#[test]
fn permuted_parameters_give_permuted_results() {
    const ORDER: [usize; 4] = [2, 0, 3, 1];
    let permuted = |x: &[f64]| ORDER.map(|index| x[index]).to_vec();
    let value =
        |x: &[f64]| 0.6 - x[0] * 0.11 + x[1] * 0.07 - x[2] * x[2] * 0.01 + x[3] * x[0] * 0.05;
    let start = vec![0.5, -0.5, 1.0, 0.0];
    let (num_generations, num_directions) = (30, 5);
    let mut stream = StreamKey::root(3).stream();
    let numbers: Vec<f64> =
        (0..4 * num_generations * num_directions).map(|_| Gaussian.sample(&mut stream)).collect();

    let mut one = scored(100_000, 1, |x: &[f64], _| value(x));
    one.draws.clone_from(&numbers);
    let mut other = scored(100_000, 1, |x: &[f64], _| {
        let mut original = [0.0; 4];
        ORDER.iter().zip(x).for_each(|(&index, x)| original[index] = *x);
        value(&original)
    });
    other.draws = numbers.chunks(4).flat_map(permuted).collect();
    let mut first = Running::new(start.clone(), with_directions(5));
    let mut second = Running::new(permuted(&start), with_directions(5));
    for _ in 0..num_generations {
        first.iterate(&mut one).expect("not stopped");
        second.iterate(&mut other).expect("not stopped");
        assert_eq!(permuted(&first.memory.theta), second.memory.theta);
        assert_eq!(permuted(first.incumbent()), second.incumbent());
    }
    assert_ne!(first.incumbent(), start);
}

/// The incumbent is a weighted mean of all values of theta. The weight of value s is w_s times the product of (1 - w_r)
/// over all later values r, where w_s = 21 / (s + 20).
#[test]
fn the_incumbent_is_the_mean_of_the_last_part() {
    let mut oracle = scored(70_000, 1, |x: &[f64], _| 0.5 - x[0] / 50.0 + x[1] / 80.0);
    let mut method = Running::new(vec![0.0, 0.0], with_directions(16));
    let mut thetas: Vec<Vec<f64>> = Vec::new();
    let mut shown = Vec::new();
    while let Ok(done) = method.iterate(&mut oracle) {
        thetas.push(method.memory.theta.clone());
        let Some(joined) = done.joined else { continue };
        shown.push(thetas.len());
        assert_eq!(joined.parameters, method.incumbent());
        let weights: Vec<f64> = (1..=thetas.len()).map(|s| 21.0 / (s as f64 + 20.0)).collect();
        for (index, found) in joined.parameters.iter().enumerate() {
            let later = |s: usize| weights[s + 1..].iter().map(|w| 1.0 - w).product::<f64>();
            let terms =
                thetas.iter().enumerate().map(|(s, theta)| weights[s] * later(s) * theta[index]);
            let expected: f64 = terms.sum();
            assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
        }
    }
    // 70 000 games are 1093 generations of 64 games; the last generation sets the incumbent.
    assert_eq!(
        shown[..20],
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24]
    );
    assert_eq!((shown[20], shown.last()), (27, Some(&1093)));
}

#[test]
fn every_budget_is_used_and_kept() {
    for budget in [0, 1, 3, 4, 5, 8, 3_999, 8_001, 30_001, 100_001] {
        let mut oracle = scored(budget, 1, |x: &[f64], _| 0.5 + x[0] / 100.0);
        let mut method = Running::new(vec![0.0], with_directions(16));
        let mut last = None;
        let stopped = loop {
            match method.iterate(&mut oracle) {
                Ok(done) => last = Some(done),
                Err(stopped) => break stopped,
            }
        };
        assert_eq!(stopped, Stopped(StopReason::Games));
        // A direction takes four games, so 16 directions take 64, and the budget must suffice for 1000 such
        // generations.
        let generation = 4 * (budget / 4_000).clamp(1, 16);
        assert_eq!(method.memory.games, budget / generation * generation, "{budget}");
        assert_eq!(oracle.games_left, budget - method.memory.games);
        assert_eq!(oracle.num_refused, 0, "{budget}");
        // The last result becomes the incumbent.
        assert_eq!(last.is_some(), budget >= 4);
        assert!(last.is_none_or(|last| last.joined.is_some()), "{budget}");
    }
}

/// Returns an oracle in which parameter 0 decides the score in the first seat, and parameter 1 the score in the second.
/// Both scores have their peak at an individual and fall with the distance from it; individual k is (k, k).
fn peaks(games_left: u64) -> Scripted<'static, impl FnMut(&[f64], &Question<'_>) -> bool> {
    let near = |x: f64, top: f64| 1.0 / (1.0 + (x - top).abs());
    let mut oracle = scored_by_seat(games_left, 1, move |x, _| [near(x[0], 5.0), near(x[1], 11.0)]);
    oracle.seats = Some(BySeat { first: 0..1, second: 1..2 });
    oracle.individual = Some(Box::new(|number| vec![number as f64; 2]));
    oracle
}

/// The scouts get 10 000 of 40 000 games. This is enough for 32 scouts, since 5 rounds of 32 times 16 pairs are 5120
/// games, but not for 64 scouts, since 6 rounds of 64 times 16 pairs are 12 288 games. After two rounds of 2500 pairs,
/// 8 scouts are left. A brood gets 3333 games, which are enough for 16 members. After one round of 1666 pairs, 8
/// members are left; in the last brood, 1 member is left after four rounds of 416 pairs.
#[test]
fn the_best_of_the_scouts_is_chosen_by_seat_and_kept() {
    let mut oracle = peaks(40_000);
    let options = EsKind { scouts: 1000, ..with_directions(4) };
    let mut method = Running::new(vec![0.0; 2], options);
    let mut num_players = Vec::new();
    while !matches!(method.memory.phase, Phase::Climb) {
        method.iterate(&mut oracle).expect("not stopped");
        num_players.push((oracle.played.0.len() - 1, oracle.played.1[0].num_pairs));
    }
    let of_scouts = [(32, 78), (16, 156)];
    let of_broods = [(16, 104), (16, 104), (16, 26), (8, 52), (4, 104), (2, 208)];
    assert_eq!(num_players, [&of_scouts[..], &of_broods].concat());
    let best = [5.0, 11.0];
    assert_eq!((method.incumbent(), &method.memory.theta[..]), (&best[..], &best[..]));
    let games = |pairs: u64| 2 * pairs;
    let before = games(2 * 2496 + 2 * 1664 + 4 * 416);
    assert_eq!((method.memory.other_games, method.memory.games), (before, 0));

    // No later vector is better.
    while method.iterate(&mut oracle).is_ok() {
        assert_eq!(method.incumbent(), best);
    }
    assert_eq!(method.memory.means.len(), 4);
    // The generations of 4 directions get the other 20 032 games.
    let Es { games: of_climb, other_games, .. } = method.memory;
    assert_eq!((of_climb, other_games), (20_032, before));
}

/// Three broods of 16 members, 8 parents and 8 mutants close to them, find a better vector than the scouts. This vector
/// is closer to the optimum, 5.5.
#[test]
fn broods_find_what_scouts_have_not() {
    let near = |x: f64| 1.0 / (1.0 + (x - 5.5).abs());
    let mut oracle = scored(40_000, 1, move |x: &[f64], _| near(x[0]));
    oracle.individual = Some(Box::new(|number| vec![number as f64]));
    let mut method = Running::new(vec![0.0], EsKind { scouts: 1000, ..with_directions(4) });
    while !matches!(method.memory.phase, Phase::Climb) {
        method.iterate(&mut oracle).expect("not stopped");
    }
    // The best scouts are 5 and 6, each at a distance of .5.
    assert!((method.memory.theta[0] - 5.5).abs() < 0.4, "{:?}", method.memory.theta);
}

/// A climb from the best scout may find a better vector, which is a finalist.
#[test]
fn the_means_of_the_climb_are_finalists() {
    let mut oracle = scored(20_000, 1, |x: &[f64], _| 0.9 - x[0].abs() / 100.0);
    oracle.individual = Some(Box::new(|number| vec![10.0 + number as f64]));
    let mut method = Running::new(vec![10.0], EsKind { scouts: 1000, ..with_directions(4) });
    while method.iterate(&mut oracle).is_ok() {}
    // Broods of 1666 games would consist of the parents only.
    assert_eq!(method.incumbent(), [10.0]);
    // The means after three quarters of the climb, and the last one.
    let finalists = method.finalists();
    assert_eq!(finalists.len(), 4);
    assert!(finalists[3][0].abs() < 0.5, "{finalists:?}");
}

#[test]
fn many_parameters_or_an_unknown_end_exclude_scouts() {
    let has_scouts = |dimension: usize, games: u64| {
        let mut oracle = scored(games, 1, |_: &[f64], _| 0.5);
        oracle.individual = Some(Box::new(|_| vec![0.0; 10]));
        let mut method = Running::new(vec![0.0; dimension], EsKind::default());
        method.iterate(&mut oracle).expect("not stopped");
        method.memory.other_games > 0
    };
    assert!(has_scouts(10, 10_000));
    assert!(!has_scouts(11, 10_000) && !has_scouts(10, u64::MAX));
    // A quarter of 256 games is enough for two scouts; a quarter of 255 games is not.
    assert!(has_scouts(10, 256) && !has_scouts(10, 255));
}

#[test]
fn a_budget_with_scouts_is_kept() {
    for budget in [0, 1, 3, 127, 255, 256, 259, 400, 1_000, 3_999, 30_001, 50_000] {
        let mut oracle = peaks(budget);
        let mut method = Running::new(vec![0.0; 2], EsKind::default());
        while method.iterate(&mut oracle).is_ok() {}
        let Es { games, other_games, .. } = method.memory;
        assert_eq!(oracle.games_left, budget - games - other_games);
        assert_eq!(oracle.num_refused, 0, "{budget}");
        // The games that are left do not suffice for a generation.
        let most = 4 * (budget / 4_000).clamp(1, 64);
        assert!(oracle.games_left < most, "{} of {budget}", oracle.games_left);
    }
}

/// Without a limit on the games, the steps stay as long as they are at the start.
#[test]
fn there_may_be_no_limit_to_the_games() {
    let mut oracle = scored(u64::MAX, 1, |x: &[f64], _| 0.5 - x[0] / 1e3);
    let mut method = Running::new(vec![0.0], with_directions(3));
    let mut before = 0.0;
    for generation in 1..=400 {
        method.iterate(&mut oracle).expect("not stopped");
        let step = method.memory.theta[0] - before;
        before = method.memory.theta[0];
        // All gradients point down, so the steps are close to the rate of .2.
        assert!((-0.4..0.0).contains(&step), "{generation}: {step}");
    }
    assert_eq!(method.memory.games, 400 * 12);
    // The newest incumbent comes from generation 388. As a weighted mean, it lags behind theta by 1 / 21 of 388 steps.
    let behind = method.incumbent()[0] - before;
    assert!((0.0..0.25 * -before).contains(&behind), "{behind} of {before}");
}

#[test]
fn a_state_is_restored_or_refused() {
    let mut oracle = scored(20_000, 1, |x: &[f64], _| 0.5 + x[0] / 30.0 - x[1] / 70.0);
    oracle.individual = Some(Box::new(|number| vec![number as f64; 2]));
    let mut method = Running::new(vec![1.0, 2.0], EsKind::default());
    while method.iterate(&mut oracle).is_ok() {
        let text = serde_json::to_string(&method.state()).expect("plain data");
        let state = serde_json::from_str(&text).expect("as it was written");
        let again = Running::restore(method.population.clone(), EsKind::default(), state);
        assert_eq!(again, Ok(method.clone()));
    }
    let restore =
        |population, state| Running::restore(population, EsKind::default(), state).map(|_| ());
    assert!(restore(vec![vec![1.0]], method.state()).is_err());
    assert!(restore(Vec::new(), method.state()).is_err());
    for (key, value) in [
        ("theta", serde_json::json!([1.0])),
        ("next_renewal", serde_json::json!(0)),
        ("adam", serde_json::json!({"num_steps": 1, "m": [0.0, 0.0], "v": [0.0, -1.0]})),
        ("average", serde_json::json!({"num_vectors": 1, "mean": [0.0]})),
        ("games", serde_json::json!(-1)),
        ("means", serde_json::json!([[1.0]])),
        ("phase", serde_json::json!("nowhere")),
    ] {
        let mut state = method.state();
        state[key] = value;
        assert!(restore(vec![vec![1.0, 2.0]], state).is_err(), "{key}");
    }
}

#[test]
fn options_are_within_their_ranges() {
    let es = EsKind::default().into_any();
    let with = |name: &str, value: serde_json::Value| {
        es.with_options(&[(name.to_string(), value)].into_iter().collect())
    };
    assert!(with("sigma", 0.5.into()).is_ok());
    for (name, value) in [("sigma", 0.0), ("sigma", -1.0), ("rate", 1e4), ("rate", 0.0)] {
        let error = with(name, value.into()).map(|_| ()).expect_err("out of range").to_string();
        assert!(error.contains(&format!("{value} is not from 0.001 to 1000")), "{error}");
    }
}

/// Against the baseline and against a mixture, the champion is the same to the last bit with one thread, with three
/// threads, and after an interruption.
#[test]
fn runs_are_the_same_however_they_are_played() {
    let family = Registry::standard().family("phantom-four").expect("known");
    let mixture = |theta: f64| ruse_play::family::Weighted {
        weight: 0.5,
        of: Player::from(vec![theta; family.space().dimension()]),
    };
    for baseline in [Player::Redrawn, Player::Mixture(vec![mixture(1.0), mixture(-1.0)])] {
        let method = EsKind { directions: 4, ..EsKind::default() }.into_any();
        let task = || Task {
            start: None,
            baseline: baseline.clone(),
            monitor_pairs: 2,
            ..task(family.as_ref(), method.clone(), 30_000, 7)
        };
        let expected = result_in_all_ways(task, &[1, 3, 6, 300, 1_015, 1_167]);
        // The finals get a twelfth of the games, 2500. 32 scouts play 6875 games: 53 x 32 and 107 x 16 pairs. Three
        // broods of 16 play 2291 games each: the first two play 71 x 16 pairs each, and the last plays 17 x 16, 35 x 8,
        // 71 x 4 and 143 x 2. The generations of 12 games get the rest. Five finalists, the best mutant and four means,
        // play half of the games of the finals: 41 x 5, 69 x 3 and 104 x 2 pairs. The best of them and the start play
        // 315 x 2 pairs.
        let of_broods = 2 * 1136 + 272 + 280 + 284 + 286;
        let of_others = 2 * (1696 + 1712 + of_broods);
        let generations = (30_000 - 2_500 - of_others) / 12;
        let of_finals = 2 * (205 + 207 + 208 + 630);
        assert_eq!(expected.games, of_others + 12 * generations + of_finals);
        assert_eq!(expected.iterations, 2 + 2 + 4 + generations + 4);
    }
}
