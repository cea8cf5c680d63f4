use super::*;
use crate::score::tests::{Listed, pair};

/// Two values occur a hundred times each. The interval of their mean, one half, equals the interval of two hundred coin
/// tosses: .5 ± 1.97 x .5 / sqrt(200) = .0697 by the normal approximation, and a little less by the likelihood.
#[test]
fn an_interval_is_that_of_the_values() {
    let counts: Counts = [(-1.0f64, 100), (3.0, 100)].map(|(x, n)| (x.to_bits(), n)).into();
    let (mean, [low, high]) = estimate(&counts, [-1.0, 3.0], CONFIDENCE);
    assert_eq!(mean, 1.0);
    assert!((mean - low - 4.0 * 0.0697).abs() < 0.01, "{low}");
    assert!((high - mean - 4.0 * 0.0697).abs() < 0.01, "{high}");
    assert_eq!(estimate(&Counts::new(), [0.0, 2.0], CONFIDENCE), (0.0, [0.0; 2]));
}

/// Members 0 and 1, and 1 and 2, score these values in four deals; member 0 scores .75 against member 2 for certain:
///
/// ```text
/// 0 against 1: 1, .5, 1, .5
/// 1 against 2: 0, 0, 1, .5
/// ```
fn three_members(num_deals: u64) -> (SharedDeals, Vec<u64>) {
    let results = vec![
        (0, 1, vec![pair(2, 2), pair(2, 0), pair(2, 2), pair(1, 1)]),
        (0, 2, vec![pair(2, 1)]),
        (1, 2, vec![pair(0, 0), pair(0, 0), pair(2, 2), pair(0, 2)]),
    ];
    let league = Listed { results, ..Listed::default() };
    let mut reported = Vec::new();
    let (key, stop) = (StreamKey::root(1), StopSignal::default());
    let on_pairs = |pairs| reported.push(pairs);
    let played = SharedDeals::play(&league, 3, num_deals, key, &stop, on_pairs);
    (played.expect("not stopped"), reported)
}

fn assert_close(found: [f64; 2], expected: [f64; 2]) {
    for (found, expected) in found.into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-8, "{found}, {expected} expected");
    }
}

/// By hand: member 0 scores (.75 + .75) / 2, member 1 scores (.25 + .375) / 2, and member 2 scores (.25 + .625) / 2.
/// The bounds come from an independent program, which solved the equations of the likelihood with 40 digits.
#[test]
fn means_are_means_over_opponents() {
    let (shared, reported) = three_members(4);
    assert_eq!((shared.num_deals(), shared.num_pairs(), reported), (4, 8, vec![8]));
    assert_eq!(shared.scores().meeting(0, 1).tally.num_pairs(), 4);
    assert_eq!(shared.scores().meeting(0, 2).exact, Some(0.75));
    let means = [0, 1, 2].map(|member| shared.mean(member));
    assert_eq!(means.map(|mean| mean.score), [0.75, 0.3125, 0.4375]);
    assert_eq!(means.map(|mean| mean.pairs), [4; 3]);
    // The sums of the sampled scores of member 0 are .5 and 1, twice each, in [0, 1]; the sums of member 1 are 0, .5
    // and twice 1, in [0, 2].
    assert_close(means[0].interval, [0.474_687_073, 0.869_928_358]);
    assert_close(means[1].interval, [0.035_844_602, 0.814_461_451]);
}

/// The sums of the sampled scores are 1, .5, 1, .5 for member 0; 0, .5, 1, 1 for member 1; and 1, 1, 0, .5 for member 2.
/// The differences between members 0 and 1 are 1, 0, 0, -.5 in [-2, 1], and between members 0 and 2, they are 0, -.5,
/// 1, 0 in [-1, 1].
#[test]
fn leads_are_differences_of_means() {
    let (shared, _) = three_members(4);
    let (lead, interval) = shared.lead(0, 1);
    assert_eq!(lead, 0.4375);
    assert_close(interval, [-0.334_616_478, 0.823_372_337]);
    let (lead, interval) = shared.lead(0, 2);
    assert_eq!(lead, 0.3125);
    assert_close(interval, [-0.109_021_190, 0.698_372_337]);
    let (lead, interval) = shared.lead(2, 0);
    assert_eq!(lead, -0.3125);
    assert_close(interval, [-0.698_372_337, 0.109_021_190]);
    assert_eq!(shared.lead(1, 2).0, -0.125);
}

/// 70 deals are blocks of 4, 4, 8, 16, 32 and 6, in which both meetings play a pair for each deal.
#[test]
fn deals_are_played_in_blocks() {
    let (shared, reported) = three_members(70);
    assert_eq!((shared.num_deals(), shared.num_pairs()), (70, 140));
    assert_eq!(reported, [8, 16, 32, 64, 128, 140]);
    assert_eq!(shared.mean(0).score, 0.75);
    // Player 1 wins a pair in 17 deals and a game in 17 deals.
    assert_eq!(shared.scores().meeting(1, 2).tally.wins(), 51);
    assert_eq!(three_members(0).0.num_deals(), 2);
}

#[test]
fn a_stop_request_leaves_whole_blocks() {
    let results = vec![(0, 1, vec![pair(2, 0), pair(2, 2)])];
    let league = Listed { results, ..Listed::default() };
    let (key, stop) = (StreamKey::root(1), StopSignal::default());
    let on_pairs = |pairs| assert!(pairs < 8 || !stop.raise());
    let shared = SharedDeals::play(&league, 2, 100, key, &stop, on_pairs).expect("8 deals");
    assert_eq!((shared.num_deals(), shared.num_pairs(), shared.mean(0).score), (8, 8, 0.75));
    assert!(SharedDeals::play(&league, 2, 100, key, &stop, |_| ()).is_err());
}

#[test]
fn nothing_is_played_if_all_scores_are_known() {
    let results = vec![(0, 1, vec![pair(2, 1)])];
    let league = Listed { results, ..Listed::default() };
    let (key, stop) = (StreamKey::root(1), StopSignal::default());
    let shared = SharedDeals::play(&league, 2, 100, key, &stop, |_| ()).expect("not stopped");
    assert_eq!((shared.num_deals(), shared.num_pairs()), (0, 0));
    let [first, second] = [0, 1].map(|member| shared.mean(member));
    assert_eq!((first.score, first.interval, first.pairs), (0.75, [0.75; 2], 0));
    assert_eq!(second.score, 0.25);
    assert_eq!(shared.lead(1, 0), (-0.5, [-0.5; 2]));
}
