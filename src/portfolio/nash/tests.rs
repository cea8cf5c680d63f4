use super::*;
use crate::portfolio::Effort;
use crate::portfolio::payoffs::tests::{Chances, estimated, noisy_rps};

const EFFORT: Effort = Effort { pairs_per_meeting: 200, num_rounds: 6, with_self: false };

fn portfolio(league: &Chances, num_samples: u64, seed: u64) -> NashPortfolio {
    let payoffs = estimated(league, EFFORT, seed);
    let stop = StopSignal::default();
    NashPortfolio::new(&payoffs, num_samples, StreamKey::root(seed), &stop).expect("solved")
}

/// Rock, paper and scissors, and a fourth who loses to all, by hand: weights of a third; the uniform mixture
/// scores (.5 + 0 + 1 + 0) / 4 against rock, so that its exploitability is 1/2 - 3/8 = 1/8; everybody of the
/// three scores 5/8 against it, and is beaten always by another: exploitability 1/2.
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
    // Rock beats scissors, scissors paper, paper rock.
    assert_eq!(found.cycle, Some(vec![0, 2, 1]));
    assert_eq!(found.support_interval, [3, 3]);
}

/// The true weights, a third each, are within their intervals in most of 60 portfolios: at a coverage of 95%
/// fewer than 50 of 60 are seen once in 100 000 times, and the three weights are looked at one by one. The
/// truth about exploitability is what the true matrix says of the estimated mixture.
#[test]
fn intervals_cover_the_truth() {
    let league = noisy_rps(0.65);
    let truth = PayoffMatrix::from_rows(&league.0).expect("a game");
    let (mut weights, mut exploitabilities) = ([0; 3], 0);
    for seed in 0..60 {
        let found = portfolio(&league, 100, seed);
        assert_eq!(found.num_samples, 100);
        for (covered, [low, high]) in weights.iter_mut().zip(&found.weight_intervals) {
            *covered += i32::from((*low..=*high).contains(&(1.0 / 3.0)));
        }
        let [low, high] = found.nash.interval;
        let exploitability = exploitability(&truth, &found.nash.mixture);
        exploitabilities += i32::from((low..=high).contains(&exploitability));
        assert!(found.uniform.interval[0] > found.nash.interval[1], "{found:?}");
    }
    assert!(weights.into_iter().all(|covered| covered >= 50), "{weights:?}");
    assert!(exploitabilities >= 50, "{exploitabilities}");
}

/// A member that is there twice is drawn as often as before, counted together.
#[test]
fn duplicated_members_change_nothing() {
    let four = [0, 1, 2, 1].map(|i| [0, 1, 2, 1].map(|j: usize| noisy_rps(1.0).0[i][j]).to_vec());
    let found = portfolio(&Chances(four.to_vec()), 50, 1);
    assert!((found.equilibrium.value() - 0.5).abs() < 1e-15);
    let mixture = &found.nash.mixture;
    assert!((mixture[1] + mixture[3] - 1.0 / 3.0).abs() < 1e-15, "{mixture:?}");
    assert!(found.nash.exploitability < 1e-15);
}
