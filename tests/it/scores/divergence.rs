//! Tests of the measurement of how often players decide differently.

use ruse::arena::StopSignal;
use ruse::family::Player;
use ruse::registry::Registry;
use ruse::rng::StreamKey;
use ruse::score::{Divergence, Share};

fn between(family: &str, strategy: Player, other: &str, pairs: u64) -> Divergence {
    let registry = Registry::standard();
    let family = registry.family(family).expect("it is there");
    let stop = StopSignal::default();
    let divergence = family.divergence(&strategy, other, StreamKey::root(1), pairs, &stop);
    divergence.expect("both are of the family, and no stop is requested")
}

#[test]
fn a_strategy_without_randomness_does_what_it_does() {
    let pig = |hold: f64| Player::Parameters(vec![hold]);
    let hold_20 = Player::Named("hold-20".into());
    let found = between("pig", hold_20, "hold-20", 20);
    assert_eq!(found.from_other, Share { share: 0.0, interval: [0.0, 0.0] });
    assert_eq!(found.from_itself, found.from_other);
    assert!(found.decisions > 20 * 2 * 5, "{found:?}");
    // The share of a player that sometimes decides differently lies between the two extremes.
    let found = between("pig", pig(3.0), "hold-20", 200);
    assert!(found.from_other.interval[0] > 0.0 && found.from_other.interval[1] < 1.0);
    assert_eq!(found.from_itself.share, 0.0);
}

/// Two uniform announcements differ with probability 65 / 66, since there are 6 x 11 announcements. Each of the two
/// intervals misses this share for one seed in twenty.
#[test]
fn chance_differs_from_itself() {
    let uniform = Player::Named("uniform".into());
    let found = between("morra", uniform, "uniform", 10_000);
    for share in [found.from_other, found.from_itself] {
        let [low, high] = share.interval;
        assert!(low <= 65.0 / 66.0 && 65.0 / 66.0 <= high, "{found:?}");
        assert!(high - low < 0.01, "{found:?}");
    }
}
