use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

use super::*;

/// The expected index is worked out by hand for 3 wins in 4 plays at t = 8: log(4 * 8^2.1) = 1.386294 + 2.1 * 2.079442
/// = 5.753122; .75 + sqrt(2 * 5.753122 / 4) / 100 + .16 * 5.753122 / 4 = .75 + .016960 + .230125.
#[test]
fn the_rule_of_the_paper() {
    assert!((ucbt_index(0.75, 4.0, ucbt_log(8.0)) - 0.997_085).abs() < 1e-6);
    assert_eq!(ucbt_index(0.9, 4.0, ucbt_log(8.0)), 1.0);
}

#[test]
fn every_arm_is_tried_first() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for name in [BanditName::Ucbt, BanditName::Ucb1, BanditName::UcbTuned] {
        let mut bandit = name.begin(7);
        let mut tried = [false; 7];
        for _ in 0..7 {
            let arm = bandit.choose(&mut rng);
            assert!(!std::mem::replace(&mut tried[arm], true), "{}", name.name());
            bandit.observe(arm, 0.0);
        }
    }
}

#[test]
fn one_arm_is_played() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for name in BanditName::ALL {
        let mut bandit = name.begin(1);
        for _ in 0..100 {
            assert_eq!(bandit.choose(&mut rng), 0);
            bandit.observe(0, 0.5);
        }
        assert_eq!(bandit.recommend(), 0);
    }
}
