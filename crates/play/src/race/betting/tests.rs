use super::*;
use crate::race::tests::pseudo_random_games;

// The fractions, log-wealths and stopping times below come from an independent prototype, which computed the
// log-wealths with 60 digits.

/// Creates a symmetric race of precision 0.01: at most 0.49 against at least 0.51.
fn symmetric(scale: u16) -> BettingRace {
    BettingRace::new(0.49, 0.51, 0.05, scale, u64::MAX)
}

/// Creates a race of precision 0.01 that accepts or refuses a candidate, without a cap on the number of observations.
fn superiority(scale: u16) -> BettingRace {
    BettingRace::new(0.5, 0.52, 0.05, scale, u64::MAX)
}

fn run(mut race: BettingRace, games: impl IntoIterator<Item = u16>) -> (BettingRace, Verdict) {
    for game in games {
        if let ControlFlow::Break(verdict) = race.push(game) {
            return (race, verdict);
        }
    }
    panic!("the race did not stop");
}

fn counts(race: &BettingRace, found: &[u64]) -> Counts {
    let mut counts = Counts::new(race.accept.values.len());
    counts.get_mut().iter_mut().zip(found).for_each(|(count, found)| *count = *found);
    counts
}

fn assert_wealth(race: &BettingRace, cases: &[(&[u64], f64, f64)]) {
    for &(observed, accept, reject) in cases {
        let mut race = race.clone();
        race.counts = counts(&race, observed);
        let found = [
            race.accept.log_wealth(race.counts.get()),
            race.reject.log_wealth(race.counts.reversed().get()),
        ];
        for (found, expected) in found.into_iter().zip([accept, reject]) {
            let allowed = 1e-12 + 1e-13 * expected.abs();
            assert!((found - expected).abs() < allowed, "{observed:?}: {found}, not {expected}");
        }
    }
}

#[test]
fn fractions_are_those_of_the_definition() {
    let symmetric_of_two =
        [0.0343, 0.067062619188914, 0.131119384620329, 0.256361788894397, 0.501233032746755, 0.98];
    let symmetric_of_four =
        [0.0686, 0.133367375748438, 0.25928362848433, 0.504081298913819, 0.98, 0.0343];
    let accepting =
        [0.035, 0.068155302643062, 0.132718436524781, 0.258441863076013, 0.503262382673782, 0.98];
    let rejecting =
        [0.0336, 0.065965466345999, 0.129507224709677, 0.254256085510414, 0.499170275357223, 0.98];
    for (race, accept, reject) in [
        (symmetric(2), symmetric_of_two, symmetric_of_two),
        (symmetric(4), symmetric_of_four, symmetric_of_four),
        (superiority(2), accepting, rejecting),
    ] {
        assert_fractions(&race.accept, &accept);
        assert_fractions(&race.reject, &reject);
    }
}

/// For a gap of .28, the smallest fraction is .875 x .28 / .25 x .5 = .49, and the next is twice as large, however the
/// quotient is rounded.
#[test]
fn neighbouring_fractions_may_differ_by_a_factor_of_two() {
    let (fractions, weights) = grid(0.5, 0.28, 2);
    assert_eq!(weights, [0.5, 0.5]);
    assert!((fractions[0] - 0.49).abs() < 1e-12 && fractions[1] == 0.98, "{fractions:?}");
}

fn assert_fractions(bettor: &Bettor, expected: &[f64]) {
    assert_eq!(bettor.fractions.len(), expected.len());
    for (found, expected) in bettor.fractions.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-13, "{found}, {expected} expected");
    }
    let weights: f64 = bettor.log_weights.iter().map(|&weight| libm::exp(weight)).sum();
    assert!(
        (weights - 1.0).abs() < 1e-12 && (libm::exp(bettor.log_weights[0]) - 0.5).abs() < 1e-12
    );
}

#[test]
fn wealth_is_a_function_of_the_counts() {
    let cases: [(&[u64], f64, f64); 8] = [
        (&[0, 0, 1], 0.19830055362133214, -0.23664387515577706),
        (&[0, 1, 0], 0.004291343948013671, 0.004291343948013671),
        (&[1, 0, 0], -0.23664387515577706, 0.19830055362133214),
        (&[3, 4, 10], 0.8536300279007984, -0.6893826221138907),
        (&[100, 50, 150], 4.254356992817473, -2.3560662122934226),
        (&[2500000, 5000000, 2500000], 3936.7689327642, 3936.7689327642),
        (&[4900000, 0, 5100000], 7874.637732171628, -6121.2779922205955),
        (&[0, 10000000, 0], 198023.97037670435, 198023.97037670435),
    ];
    assert_wealth(&symmetric(2), &cases);
    let cases: [(&[u64], f64, f64); 8] = [
        (&[0, 0, 1], 0.19207203144928586, -0.23532988546588435),
        (&[0, 1, 0], 4.440892098500626e-16, 0.008699131977749963),
        (&[1, 0, 0], -0.23794987403028234, 0.20470586824769976),
        (&[3, 4, 10], 0.7637778055128288, -0.6727438103383737),
        (&[100, 50, 150], 3.1145761588399776, -2.1386289924672517),
        (&[2500000, 5000000, 2500000], -3065.0704617273877, 15678.53293217768),
        (&[4900000, 0, 5100000], 873.412659774127, 884.8342232355208),
        (&[0, 10000000, 0], 4.440892098500626e-16, 400214.44090976764),
    ];
    assert_wealth(&superiority(2), &cases);
    let cases: [(&[u64], f64, f64); 5] = [
        (&[0, 0, 0, 0, 1], 0.2107497542561767, -0.2554126822105407),
        (&[0, 0, 1, 0, 0], 0.004589517956728795, 0.004589517956728795),
        (&[1, 2, 3, 4, 5], 0.7228468197609661, -0.6715942400014914),
        (&[100, 200, 400, 230, 130], 4.47151451892631, -2.5653609415278846),
        (&[1000000, 2000000, 4000000, 2000000, 1000000], 6646.582346974115, 6646.582346974115),
    ];
    assert_wealth(&symmetric(4), &cases);
}

#[test]
fn constant_streams_stop_when_they_must() {
    let stop = |race: BettingRace, observation: u16| {
        let (_, verdict) = run(race, std::iter::repeat(observation));
        (verdict.num_observations, verdict.reason)
    };
    for (scale, draws) in [(2, 261), (4, 260)] {
        assert_eq!(stop(symmetric(scale), scale), (8, Reason::Better));
        assert_eq!(stop(symmetric(scale), 0), (8, Reason::NotBetter));
        assert_eq!(stop(symmetric(scale), scale / 2), (draws, Reason::Equivalent));
    }
    assert_eq!(stop(superiority(2), 2), (8, Reason::Better));
    assert_eq!(stop(superiority(2), 0), (8, Reason::NotBetter));
    assert_eq!(stop(superiority(2), 1), (129, Reason::NotBetter));
}

#[test]
fn pseudo_random_streams_stop_when_they_must() {
    for (win, draw, symmetric_stop, superiority_stop) in [
        (0.55, 0.0, (Reason::Better, [174, 0, 229]), (Reason::Better, [196, 0, 263])),
        (0.45, 0.0, (Reason::NotBetter, [426, 0, 356]), (Reason::NotBetter, [162, 0, 120])),
        (0.3, 0.4, (Reason::NotBetter, [1678, 2195, 1628]), (Reason::NotBetter, [700, 878, 678])),
    ] {
        for (race, (reason, expected)) in
            [(symmetric(2), symmetric_stop), (superiority(2), superiority_stop)]
        {
            let (race, verdict) = run(race, pseudo_random_games(win, draw));
            assert_eq!(verdict.reason, reason);
            assert_eq!(race.counts.get(), counts(&race, &expected).get());
            assert_eq!(verdict.num_observations, expected.iter().sum::<u64>());
            let [low, high] = verdict.interval;
            assert!(low < verdict.score && verdict.score < high, "{verdict:?}");
        }
    }
}

/// A race that leaves out tests stops at the same observation as a race that tests after every observation.
#[test]
fn tests_are_only_left_out_where_they_cannot_matter() {
    for win in [0.3, 0.5, 0.52, 0.7] {
        let games: Vec<u16> = pseudo_random_games(win, 0.1).take(20_000).collect();
        let mut race = superiority(2);
        let lazy = games.iter().find_map(|&game| race.push(game).break_value());
        let mut eager = superiority(2);
        let stopped = games.iter().find_map(|&game| {
            (eager.accept.next_test, eager.reject.next_test) = (0, 0);
            eager.push(game).break_value()
        });
        assert_eq!(lazy, stopped, "win probability {win}");
    }
}

#[test]
fn exponentials_from_above_are_above_but_not_by_much() {
    for thousandths in 0..=40_000 {
        let x = f64::from(thousandths) / -1000.0;
        let (exact, above) = (libm::exp(x), exp_above(x));
        assert!(exact < above && above < exact * 1.0002 + 1e-9, "{x}: {above} for {exact}");
    }
}

#[test]
fn logarithms_from_above_are_above_but_not_by_much() {
    for thousandths in -600_000..=600_000 {
        let x = libm::exp(f64::from(thousandths) / 1000.0);
        let (exact, above) = (libm::log(x), log_above(x));
        assert!(exact < above && above < exact + 2e-4, "{x}: {above} for {exact}");
    }
}

/// A bound equals the result of fifty halvings to the last bit, so earlier results can be reproduced.
#[test]
fn bounds_are_those_of_a_bisection() {
    use rand::RngExt;
    let mut rng = ruse_base::rng::StreamKey::root(1).stream();
    for scale in [2u16, 4, 8] {
        for precision in [0.2, 0.01, 0.001] {
            let mut race = BettingRace::superiority(Limits { delta: 0.05, precision }, scale);
            for _ in 0..1000 {
                // There are zero to a million observations; some values occur more often than others, or never.
                let most = libm::pow(10.0, rng.random_range(0.0..6.0));
                for count in race.counts.get_mut() {
                    let share = rng.random::<f64>();
                    *count = if share < 0.3 { 0 } else { (share * most) as u64 };
                }
                race.num_observations = race.counts.get().iter().sum();
                let target = libm::log(1.0 / race.bound_delta);
                let (mut low, mut high) = (0.0, 1.0);
                for _ in 0..50 {
                    let middle = (low + high) / 2.0;
                    let wealth = race.accept.log_wealth_against(race.counts.get(), middle);
                    if wealth >= target { low = middle } else { high = middle }
                }
                let found = race.accept.lower_bound(race.counts.get(), target);
                assert_eq!(found.to_bits(), f64::to_bits(low), "{:?}", race.counts);
            }
        }
    }
}

/// Reversing all observations exchanges the two sides of a symmetric race.
#[test]
fn a_symmetric_race_has_a_mirror_image() {
    let (_, verdict) = run(symmetric(2), pseudo_random_games(0.55, 0.1));
    let (_, mirrored) = run(symmetric(2), pseudo_random_games(0.55, 0.1).map(|game| 2 - game));
    assert_eq!((verdict.reason, mirrored.reason), (Reason::Better, Reason::NotBetter));
    assert_eq!(verdict.num_observations, mirrored.num_observations);
}

#[test]
fn the_cap_is_that_of_the_inequality() {
    // ln(1 / 0.01) / (2 x 0.01^2) = 23025.85
    assert_eq!(BettingRace::superiority(Limits::default(), 4).cap, 23_026);
}

/// A race of precision 1.5e-10 has 32 fractions: 31 whose neighbours differ by a factor of at most 2, since log2(.98 /
/// (7 * 1.5e-10)) = 29.8, and one smaller fraction for pairs. A race with twice this precision has 31 fractions.
#[test]
fn a_race_of_the_smallest_precision_has_room() {
    // A comparison against a third contestant uses half of the precision.
    for (precision, scale, num_fractions) in [(3e-10, 4, 31), (1.5e-10, 8, 32), (1.5e-10, 4, 32)] {
        let mut race = BettingRace::superiority(Limits { delta: 0.05, precision }, scale);
        assert_eq!(race.accept.fractions.len(), num_fractions, "{precision}");
        assert_eq!(race.reject.fractions.len(), num_fractions, "{precision}");
        let mut wins = std::iter::repeat_n(scale, 1000);
        let verdict = wins.find_map(|win| race.push(win).break_value()).expect("all are won");
        assert_eq!(verdict.reason, Reason::Better);
        assert!(0.5 < verdict.interval[0] && verdict.interval[1] <= 1.0, "{:?}", verdict.interval);
    }
}

#[test]
#[should_panic(expected = "no betting race has a precision of 0.000000000149")]
fn a_race_below_the_smallest_precision_has_no_room() {
    BettingRace::superiority(Limits { delta: 0.05, precision: 1.49e-10 }, 8);
}

/// By the formula in the comment of the method, in an independent program with 40 digits. The bounds before they were
/// rounded up are 4.554, 14.777, 7.308, 7.459, 182.682, 76.875, 8.161 and 110.199, so that the error of the logarithms
/// from above, which is below 3e-4, makes no difference. The first race stakes one fraction, and the races with a gap of .002 have ten.
#[test]
fn missing_observations_are_bounded_by_the_chord() {
    let missing = |gap, counts: [u64; 3]| {
        let (fractions, weights) = grid(0.5, gap, 2);
        let bettor = Bettor::new(fractions, &weights, 0.5, &[0, 1, 2]);
        bettor.observations_missing(&counts, libm::log(20.0))
    };
    for (gap, counts, expected) in [
        (0.5, [0, 0, 0], 5),
        (0.5, [3, 0, 1], 15),
        (0.02, [0, 0, 0], 8),
        (0.02, [3, 4, 10], 8),
        (0.02, [400, 100, 300], 183),
        (0.02, [2000, 100, 2100], 77),
        (0.002, [0, 0, 0], 9),
        (0.002, [2000, 100, 2100], 111),
        (0.02, [0, 0, 1000], 0),
    ] {
        assert_eq!(missing(gap, counts), expected, "gap {gap}, {counts:?}");
    }
    // A target between the wealth and its bound from above is not reached; the wealth itself is.
    let (fractions, weights) = grid(0.5, 0.02, 2);
    let bettor = Bettor::new(fractions, &weights, 0.5, &[0, 1, 2]);
    let counts = [400, 100, 450];
    let wealth = bettor.log_wealth(&counts);
    assert_eq!(bettor.observations_missing(&counts, wealth), 0);
    assert_eq!(bettor.observations_missing(&counts, wealth + 1e-6), 1);
}

/// The mean at which the log-wealth is ln 20, from bisection in an independent program with 40 digits, and the margin
/// for rounding, which is the sum of the errors of the operations at this mean.
#[test]
fn bounds_are_bracketed_as_closely_as_rounding_allows() {
    let two: [(&[u64], f64, f64); 3] = [
        (&[3, 4, 10], 0.358_814_715_888_816_8, 1.056_15e-15),
        (&[100, 50, 150], 0.501_175_295_420_267, 1.122_68e-15),
        (&[4000, 1000, 5000], 0.537_064_084_900_170_5, 1.151_37e-15),
    ];
    let four: [(&[u64], f64, f64); 2] = [
        (&[1, 2, 3, 4, 5], 0.358_518_209_375_280_4, 2.002_2e-15),
        (&[100, 200, 400, 230, 130], 0.495_370_784_376_148_7, 7.229_74e-16),
    ];
    for (scale, cases) in [(2, &two[..]), (4, &four[..])] {
        let bettor = superiority(scale).accept;
        for &(counts, root, margin) in cases {
            let target = libm::log(20.0);
            let [low, high] = bettor.bracket(counts, target).expect("it converges");
            assert!(low < root && root < high, "{counts:?}: {low} to {high}");
            // Both ends are rounded to multiples of 5.6e-17 or 1.1e-16.
            assert!((high - low - 2.0 * margin).abs() < 2.5e-16, "{counts:?}: {}", high - low);
            assert!((bettor.lower_bound(counts, target) - root).abs() < 1e-14);
        }
        assert_eq!(bettor.bracket(&vec![0; usize::from(scale) + 1], 3.0), None);
    }
    // Only losses disprove no mean.
    assert_eq!(superiority(2).accept.lower_bound(&[10, 0, 0], 3.0), 0.0);
}

/// With payoffs in twelve steps, values are counted when they occur, together with their mirror images.
#[test]
fn graded_values_are_counted_when_they_occur() {
    let mut race = superiority(12);
    assert_eq!(race.accept.values, [0, 12]);
    for observation in [5, 3, 5, 6] {
        assert!(race.push(observation).is_continue());
    }
    assert_eq!(race.accept.values, [0, 3, 5, 6, 7, 9, 12]);
    assert_eq!(race.reject.values, race.accept.values);
    assert_eq!(race.counts.get(), [0, 1, 2, 1, 0, 0, 0]);
    let rows: Vec<f64> =
        [0, 3, 5, 6, 7, 9, 12].into_iter().flat_map(|v| race.accept.row(v)).collect();
    assert_eq!(race.accept.log_factors, rows);
    // (5 + 3 + 5 + 6) / 48.
    assert_eq!(race.mean(), 19.0 / 48.0);
    // Eight steps are few enough to count all values from the beginning.
    assert_eq!(superiority(8).accept.values, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    let mut race = superiority(9);
    assert_eq!(race.accept.values, [0, 9]);
    assert!(race.push(4).is_continue());
    assert_eq!(
        (&race.accept.values[..], race.counts.get()),
        (&[0, 4, 5, 9][..], &[0, 1, 0, 0][..])
    );
}

/// At the cap, the mean decides; a mean in the middle of the two hypotheses does not lead.
#[test]
fn the_mean_decides_at_the_cap() {
    for (games, leads) in
        [([2, 2, 2], true), ([0, 2, 2], true), ([0, 1, 2], false), ([0; 3], false)]
    {
        let mut race = BettingRace::new(0.49, 0.51, 0.05, 2, 3);
        assert_eq!(race.observations_before_stop(), 1);
        let verdict = games.iter().find_map(|&game| race.push(game).break_value());
        let verdict = verdict.expect("three games are the cap");
        assert_eq!((verdict.reason, verdict.candidate_leads), (Reason::Cap, leads), "{games:?}");
        assert_eq!(verdict.num_observations, 3);
        let [low, high] = verdict.interval;
        assert!((0.0..0.5).contains(&low) && high > 0.5 && high <= 1.0, "{low} to {high}");
    }
}

#[test]
fn the_leader_of_an_unfinished_race_is_above_one_half() {
    for (game, leads, doubt) in [(2, true, -1), (1, false, 1), (0, false, 1)] {
        let mut race = symmetric(2);
        assert!(race.doubt().abs() < 1e-15 && race.out_of_budget().score == 0.5);
        assert!(race.push(game).is_continue());
        // From the table of log-wealths: -.2366, .0043 and .1983.
        assert_eq!(race.doubt() > 0.0, doubt > 0, "{game}");
        let verdict = race.out_of_budget();
        assert_eq!((verdict.reason, verdict.candidate_leads), (Reason::Budget, leads), "{game}");
        // The next test is after the eighth game at the earliest.
        assert_eq!(race.observations_before_stop(), race.next_test() - 1);
        assert!(race.observations_before_stop() >= 5, "{}", race.observations_before_stop());
    }
}

/// Both precisions are limited to .24, where the hypotheses are .5 and .98 and the cap is ln(100) / (2 x .24^2) = 39.98.
#[test]
fn large_precisions_are_limited() {
    let race = BettingRace::superiority(Limits { delta: 0.05, precision: 0.4 }, 2);
    assert!(race.cap == 40 && (race.middle - 0.74).abs() < 1e-15);
    // 0.8 x .05 = .04 is left for each error: ln 25 = 3.218876.
    assert!((race.log_target - 3.218_876).abs() < 1e-6);
}
