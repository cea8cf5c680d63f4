//! Tests of differences between scores on the same deals.

use ruse::arena::{SameDeals, StopSignal};
use ruse::family::Player;
use ruse::registry::Registry;
use ruse::rng::StreamKey;
use ruse::score::{Difference, difference};

fn deals(family: &str, players: [&str; 2], opponent: Player) -> SameDeals {
    let family = Registry::standard().family(family).expect("known");
    let [first, second] = players.map(|name| Player::Named(name.into()));
    let league = family.league(&[&first, &second, &opponent]).expect("references");
    SameDeals { league, players: [0, 1], opponent: 2 }
}

fn played(deals: &SameDeals, seed: u64, num_pairs: u64) -> Difference {
    let stop = StopSignal::default();
    difference(deals, StreamKey::root(seed), num_pairs, 0.95, &stop).expect("no stop")
}

/// The mean difference agrees with the tallies, changes its sign if the players are exchanged, and is zero if both
/// players are the same.
#[test]
fn the_difference_is_that_of_the_scores() {
    let found = played(&deals("war", ["descending", "random"], Player::Redrawn), 1, 500);
    let [first, second] = [0, 1].map(|index| found.tallies[index].score().expect("played"));
    assert!((found.mean - (first - second)).abs() < 1e-12);
    assert!(found.interval[0] > 0.05 && found.interval[1] < 0.3, "{found:?}");

    let reversed = played(&deals("war", ["random", "descending"], Player::Redrawn), 1, 500);
    assert!((found.mean + reversed.mean).abs() < 1e-12);
    assert!((found.interval[0] + reversed.interval[1]).abs() < 1e-9);

    let same = played(&deals("war", ["descending", "descending"], Player::Redrawn), 1, 500);
    assert_eq!(same.mean, 0.0);
}

/// If the scores against the baseline can be computed exactly, so can their difference.
#[test]
fn exact_scores_make_exact_differences() {
    let family = Registry::standard().family("phantom-tic-tac-toe").expect("known");
    let from_the_top: Vec<f64> = (0..18).map(|cell| -f64::from(cell)).collect();
    let from_the_bottom: Vec<f64> = (0..18).map(|cell| f64::from((cell * 5) % 18)).collect();
    let players = [from_the_top, from_the_bottom].map(Player::Parameters);
    let exact = |player: &Player| {
        family.duel(player, &Player::Redrawn).expect("players").exact().expect("exact")
    };
    let [first, second] = [0, 1].map(|index| exact(&players[index]));
    assert!(first != second);
    let league = family.league(&[&players[0], &players[1], &Player::Redrawn]).expect("players");
    let found = played(&SameDeals { league, players: [0, 1], opponent: 2 }, 1, 500);
    assert!(found.is_exact && found.pairs == 1);
    assert!((found.mean - (first - second)).abs() < 1e-12, "{found:?}");
    assert_eq!(found.interval, [found.mean; 2]);
}

/// The difference between two players is known exactly, because the family computes the scores of `optimal` and
/// `hold-20` against `hold-25` in Pig. At most 22 of 200 intervals at 95% may miss the difference: if each misses it
/// with probability 5%, the probability of more than 22 misses is below 1 in 10,000.
#[test]
fn intervals_cover_a_known_difference() {
    let family = Registry::standard().family("pig").expect("known");
    let name = |name: &str| Player::Named(name.into());
    let exact = |player: &str| {
        let duel = family.duel(&name(player), &name("hold-25"));
        duel.expect("references").exact().expect("pig is solved")
    };
    let known = exact("optimal") - exact("hold-20");
    let deals = deals("pig", ["optimal", "hold-20"], name("hold-25"));
    let covers = |seed: &u64| {
        // `open` would return the exact difference; this test is about sampled differences.
        let Difference { interval: [low, high], is_exact, .. } = played(&deals, *seed, 200);
        is_exact || (low..=high).contains(&known)
    };
    let num_covered = (1..=200).filter(covers).count();
    assert!(num_covered >= 178, "{num_covered} of 200 intervals contain {known}");
}
