use rand_distr::Normal;

use super::*;
use crate::portfolio::Effort;
use crate::portfolio::payoffs::tests::{Chances, estimated, noisy_rps};

#[macro_use]
#[path = "../../../../../tests/it/cases.rs"]
mod cases;

const EFFORT: Effort = Effort { pairs_per_meeting: 200, num_rounds: 6, with_self: false };

fn portfolio(league: &Chances, num_samples: u64, seed: u64) -> NashPortfolio {
    let payoffs = estimated(league, EFFORT, seed);
    let stop = StopSignal::default();
    NashPortfolio::new(&payoffs, num_samples, StreamKey::root(seed), &stop).expect("solved")
}

/// Rock, paper, scissors, and a fourth member that loses to all, calculated by hand. The weights of the first three are
/// a third each. The uniform mixture scores (.5 + 0 + 1 + 0) / 4 against rock, so its exploitability is 1/2 - 3/8 =
/// 1/8. Each of the three scores 5/8 against the uniform mixture and always loses to another member, so its
/// exploitability is 1/2.
#[test]
fn exact_payoffs_give_exact_numbers() {
    let league = Chances(vec![
        vec![0.5, 0.0, 1.0, 1.0],
        vec![1.0, 0.5, 0.0, 1.0],
        vec![0.0, 1.0, 0.5, 1.0],
        vec![0.0, 0.0, 0.0, 0.5],
    ]);
    let found = portfolio(&league, 100, 1);
    assert_eq!(found.num_samples, 0);
    for (weight, expected) in found.nash.mixture.iter().zip([1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0])
    {
        assert!((weight - expected).abs() < 1e-15);
    }
    assert!((found.equilibrium.value() - 0.5).abs() < 1e-15);
    assert!(found.nash.exploitability < 1e-15);
    assert_eq!((found.uniform.exploitability, found.uniform.interval), (0.125, [0.125; 2]));
    assert_eq!((found.best_average_member, found.best_average.exploitability), (0, 0.5));
    assert_eq!(found.best_average.best_response, 1);
    assert_eq!(found.best_average.against_uniform, 0.625);
    // Rock beats scissors, scissors beat paper, and paper beats rock.
    assert_eq!(found.cycle, Some(vec![0, 2, 1]));
    assert_eq!(found.support_interval, [3, 3]);
}

tests! {
    fn quantiles_hold_the_weights_of_a_unique_equilibrium() = check_quantiles(20, 13);
    fn bounds_hold_the_truth() = check_bounds(25, [17, 17, 6]);
    @long
    fn quantiles_hold_the_weights_of_a_unique_equilibrium_in_more_portfolios() =
        check_quantiles(60, 48);
    fn bounds_hold_the_truth_in_more_pools() = check_bounds(100, [84, 70, 12]);
}

/// Checks that each of the true weights, a third each, is between the quantiles in most portfolios. At a coverage of 95%,
/// the probability that a weight is covered in fewer than 13 of 20 portfolios is 3e-6, and in fewer than 48 of 60, 7e-6.
fn check_quantiles(num_portfolios: u64, least: u32) {
    let league = noisy_rps(0.65);
    let mut weights = [0; 3];
    for seed in 0..num_portfolios {
        let found = portfolio(&league, 100, seed);
        assert_eq!(found.num_samples, 100);
        assert_eq!(found.nash.interval, [0.0, 0.5]);
        for (covered, [low, high]) in weights.iter_mut().zip(&found.weight_intervals) {
            *covered += u32::from((*low..=*high).contains(&(1.0 / 3.0)));
        }
    }
    assert!(weights.into_iter().all(|covered| covered >= least), "{weights:?}");
}

/// Draws a pool of members. The strengths of members, and the interactions between any two of them, are normal with
/// these standard deviations.
fn pool(size: usize, [strength, interaction]: [f64; 2], seed: u64) -> Chances {
    let mut rng = StreamKey::root(seed).stream();
    let normal = |deviation: f64| Normal::new(0.0, deviation).expect("a deviation");
    let strengths: Vec<f64> = (0..size).map(|_| normal(strength).sample(&mut rng)).collect();
    let mut chances = vec![vec![0.5; size]; size];
    for i in 0..size {
        for j in i + 1..size {
            let only = normal(interaction).sample(&mut rng);
            chances[i][j] = (0.5 + strengths[i] - strengths[j] + only).clamp(0.05, 0.95);
            chances[j][i] = 1.0 - chances[i][j];
        }
    }
    Chances(chances)
}

/// Checks that the bounds contain the true losses of the mixtures in five kinds of pools: pools of equal members, pools
/// in which the strengths have a standard deviation of .01 or .05, and pools in which the interactions have one of these
/// standard deviations. A pool has 16 members; any two members play 200 pairs, a fifth of them fresh. At a coverage of
/// 95%, the probability that fewer than 84 of 100 pools are covered is 1 in 100 000, and fewer than 17 of 25, 2 in a
/// million. The test checks this for three mixtures in each kind of pool, which makes 15 counts.
fn check_bounds(num_pools: u64, [least, least_above, most_above]: [u32; 3]) {
    for effects in [[0.0, 0.0], [0.01, 0.0], [0.05, 0.0], [0.0, 0.01], [0.0, 0.05]] {
        let (mut covered, mut above_zero) = ([0; 3], [0; 3]);
        for seed in 0..num_pools {
            let league = pool(16, effects, seed);
            let truth = PayoffMatrix::from_rows(&league.0).expect("a game");
            let (key, stop) = (StreamKey::root(1000 + seed), StopSignal::default());
            let effort = Effort { pairs_per_meeting: 160, ..EFFORT };
            let payoffs = estimated(&league, effort, seed);
            let found = NashPortfolio::new(&payoffs, 0, key, &stop).expect("solved");
            let fresh = payoffs.fresh(&league, &found.mixtures(), 40, key, &stop, |_| ());
            let found = found.scored_on(&fresh.expect("played"));
            let assessed = [&found.nash, &found.uniform, &found.best_average];
            for (index, Assessed { mixture, exploitability: figure, interval, .. }) in
                assessed.into_iter().enumerate()
            {
                let [low, high] = *interval;
                assert!(0.0 <= low && low <= *figure && *figure <= high && high <= 0.5);
                let truth = exploitability(&truth, mixture);
                covered[index] += u32::from(low - 1e-9 <= truth && truth <= high + 1e-9);
                above_zero[index] += u32::from(low > 0.0);
            }
        }
        assert!(covered.iter().all(|covered| *covered >= least), "{effects:?}: {covered:?}");
        // A strong member is detected in most pools, by its gain against the uniform mixture.
        match effects {
            [0.05, _] => assert!(above_zero[1] > least_above, "{above_zero:?}"),
            // Each bound is wrong in 2.5 of 100 pools on average; the probability of more than 12 wrong bounds, or of more
            // than 6 in 25 pools, is 1 in 500 000.
            [0.0, 0.0] => assert!(above_zero.iter().all(|n| *n <= most_above), "{above_zero:?}"),
            _ => {}
        }
    }
}

/// If a member is duplicated, the weights of its two copies sum to its original weight.
#[test]
fn duplicated_members_change_nothing() {
    let four = [0, 1, 2, 1].map(|i| [0, 1, 2, 1].map(|j: usize| noisy_rps(1.0).0[i][j]).to_vec());
    let found = portfolio(&Chances(four.to_vec()), 50, 1);
    assert!((found.equilibrium.value() - 0.5).abs() < 1e-15);
    let mixture = &found.nash.mixture;
    assert!((mixture[1] + mixture[3] - 1.0 / 3.0).abs() < 1e-15, "{mixture:?}");
    assert!(found.nash.exploitability < 1e-15);
}

/// Among 41 numbers in order, one number in forty is below the second and one above the last but one.
#[test]
fn quantiles_leave_out_one_in_forty_at_either_end() {
    assert_eq!(quantiles((0..41).rev().map(f64::from)), Some([1.0, 39.0]));
    assert_eq!(quantiles([7.0].into_iter()), Some([7.0; 2]));
    assert_eq!(quantiles(std::iter::empty()), None);
}

/// Creates payoffs of four members from the exact scores of members 0, 1 and 2 against later members.
fn exactly(scores: [(usize, usize, f64); 6]) -> Payoffs {
    let exact = |score| Scored { exact: Some(score), ..Scored::default() };
    Payoffs::new(4, scores.map(|(i, j, score)| (i, j, exact(score)))).expect("all have met")
}

#[test]
fn the_cycle_has_the_largest_minimum_lead() {
    // 0 beats 1 by .4, 1 beats 2 by .1, and 2 beats 0 by .3; 1 beats 3 by .2, and 3 beats 0 by .3. Member 2 beats 3.
    let two =
        exactly([(0, 1, 0.9), (1, 2, 0.6), (0, 2, 0.2), (1, 3, 0.7), (0, 3, 0.2), (2, 3, 1.0)]);
    assert_eq!(cycle(&two, &[0, 1, 2, 3]), Some(vec![0, 1, 3]));
    assert_eq!(cycle(&two, &[2, 0, 1]), Some(vec![2, 0, 1]));
    assert_eq!(cycle(&two, &[1, 2, 3]), None);
    // A lead of zero breaks the cycle.
    for draw in 0..3 {
        let mut leads =
            [(0, 1, 0.9), (1, 2, 0.9), (0, 2, 0.1), (0, 3, 1.0), (1, 3, 1.0), (2, 3, 1.0)];
        leads[draw].2 = 0.5;
        assert_eq!(cycle(&exactly(leads), &[0, 1, 2, 3]), None);
    }
    // Two cycles with equal leads: the first is returned.
    let equal =
        exactly([(0, 1, 0.9), (1, 2, 0.9), (0, 2, 0.1), (1, 3, 0.9), (0, 3, 0.1), (2, 3, 0.5)]);
    assert_eq!(cycle(&equal, &[0, 1, 2, 3]), Some(vec![0, 1, 2]));
}
