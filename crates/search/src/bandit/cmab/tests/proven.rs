//! Facts about naive sampling from the appendix of the paper: shares of pulls, bounds on exploration, and phases.

use super::*;

/// Returns the share of pulls 10,001 to 30,000 that go to the best arm, over ten runs.
fn limiting_share(naive: Naive) -> f64 {
    let problem = small(0.02);
    let mut num_best = 0;
    for run in 0..10 {
        let mut sampler = AtRoot::new(Strategy::Naive(naive), &problem).expect("in range");
        let all = pulls(&mut sampler, &problem, 30_000, 100 + run);
        num_best += all[10_000..].iter().filter(|arm| **arm == [1, 1, 1, 1]).count();
    }
    num_best as f64 / 200_000.0
}

/// If the mean of each arm is the sum of the means of its values and all arms are legal, the limiting probability of
/// pulling the best arm is (1 - e0) [(1 - e_g) + e_g / N] + e0 prod_i [(1 - e_l) + e_l / K_i]. With 180 arms and 3, 4,
/// 3 and 5 values this gives .73478, .40479 and .53361. The standard error of 200,000 independent pulls is at most
/// .0011; for one seed in 50,000, one of the 3 results deviates by 4.5 standard errors. Learning after the first 10,000
/// pulls changes the share by less than such a deviation.
#[test]
fn the_best_arm_has_its_share() {
    for (naive, expected) in [
        (Naive::greedy(0.4, 0.33, 0.0), 0.73478),
        (Naive::greedy(0.8, 0.4, 0.0), 0.40479),
        (Naive::greedy(0.5, 0.5, 0.1), 0.53361),
    ] {
        let found = limiting_share(naive);
        assert!((found - expected).abs() < 4.5 * 0.0011, "{naive:?}: {found}, {expected} expected");
    }
}

/// Once all arms were pulled, each pull chooses a given arm with probability at least e0 prod_j (e_l / K_j) + (1 - e0)
/// e_g / N. Here this is .5 x .8^4 / 180 + .5 x .5 / 180 = .0025267, or 151.6 of 60,000 pulls with a standard deviation
/// of 12.3. For one seed in 290,000, an arm with exactly this probability is pulled at most 96 times, which is 4.5
/// standard deviations below the mean. For one seed in 1600, at least one of 180 such arms is pulled so rarely.
#[test]
fn every_arm_has_its_least_share() {
    let problem = small(0.1);
    let strategy = Strategy::Naive(Naive::greedy(0.5, 0.8, 0.5));
    let mut sampler = AtRoot::new(strategy, &problem).expect("in range");
    pulls(&mut sampler, &problem, 60_000, 21);
    let tables = sampler.tables();
    assert_eq!(tables.num_arms(), 180);
    let fewest = (0..180).map(|arm| tables.pulls(arm)).min();
    assert!(fewest >= Some(96), "{fewest:?}");
}

/// There are two variables with four values each. The arm with value 3 of both variables is the best; the arms with
/// value 3 of only one variable are the worst.
struct Trap;

impl Problem for Trap {
    type Partial = ();

    fn sizes(&self) -> &[u16] {
        &[4, 4]
    }

    fn begin(&self, (): &mut ()) {}

    fn admits(&self, (): &(), _: usize, _: u16) -> bool {
        true
    }

    fn fix(&self, (): &mut (), _: usize, _: u16) {}
}

/// The best arm stays unexplored with probability at most (1 - e0 p)^t, where p = prod_i e_l / K_i and t is the number
/// of pulls after every value has been tried. Here both values of the best arm have the lowest means until it is found.
/// Explore steps find it only by chance, so the bound is exact: (1 - .8 x .01)^100 = .44794. A quarter of the 2,000
/// runs find the arm earlier. The standard error of the other 1,400 or more runs is at most .0133, and one seed in
/// 150,000 deviates by 4.5 standard errors.
#[test]
fn bad_arms_are_explored_at_the_minimum_rate() {
    let strategy = Strategy::Naive(Naive::greedy(0.8, 0.4, 0.0));
    let (mut num_runs, mut num_missed) = (0, 0);
    for run in 0..2000 {
        let mut sampler = AtRoot::new(strategy, &Trap).expect("in range");
        let mut rng = Stream::seed_from_u64(1000 + run);
        let mut arm = [0; 2];
        let mut pull = |sampler: &mut AtRoot<Trap>| {
            sampler.choose(&Trap, &mut rng, &mut arm);
            let reward = match arm {
                [3, 3] => 1.0,
                [3, _] | [_, 3] => 0.0,
                _ => 0.5,
            };
            sampler.observe(&arm, reward);
            arm == [3, 3]
        };
        let is_tried = |sampler: &AtRoot<Trap>| {
            let pulls = |i, v| sampler.tables().value_pulls(i, v);
            (0..2).all(|i| (0..4).all(|v| pulls(i, v) > 0))
        };
        let mut is_found = false;
        while !is_found && !is_tried(&sampler) {
            is_found = pull(&mut sampler);
        }
        if !is_found {
            num_runs += 1;
            num_missed += u32::from(!(0..100).any(|_| pull(&mut sampler)));
        }
    }
    assert!(num_runs > 1400, "{num_runs}");
    let share = f64::from(num_missed) / f64::from(num_runs);
    assert!((share - 0.44794).abs() < 4.5 * 0.0133, "{share} of {num_runs}");
}

/// If e0 = 0 in the second phase, only arms of the first phase are pulled again, and the best of them gets all
/// remaining pulls.
#[test]
fn a_second_phase_without_exploration_finds_nothing_new() {
    let problem = small(0.1);
    for e_g in [0.0, 0.2] {
        let (first, second) = (Naive::greedy(0.8, 0.4, 0.0), Naive::greedy(0.0, 0.4, e_g));
        let strategy = Strategy::TwoPhase { first, second, switch: 60 };
        let mut sampler = AtRoot::new(strategy, &problem).expect("in range");
        pulls(&mut sampler, &problem, 60, 22);
        let num_arms = sampler.tables().num_arms();
        pulls(&mut sampler, &problem, 2000, 23);
        assert_eq!(sampler.tables().num_arms(), num_arms);
        // With the parameters of the first phase, the same number of further pulls does find more arms.
        let mut sampler = AtRoot::new(Strategy::Naive(first), &problem).expect("in range");
        pulls(&mut sampler, &problem, 2060, 22);
        assert!(sampler.tables().num_arms() > num_arms);
    }
}

/// Phases are counted in pulls of the whole search, not in pulls of the node.
#[test]
fn a_node_changes_its_phase_with_the_search() {
    let problem = small(0.1);
    let (first, second) = (Naive::greedy(1.0, 1.0, 0.0), Naive::greedy(0.0, 0.0, 0.0));
    let strategy = Strategy::TwoPhase { first, second, switch: 100 };
    let (mut tables, mut scratch) = (Tables::default(), Scratch::default());
    let mut rng = Stream::seed_from_u64(24);
    tables.reset(problem.sizes());
    let mut arm = vec![0; 4];
    for (num_search_pulls, most) in [(0, 40), (100, 0)] {
        let before = tables.num_arms();
        for pull in 0..40 {
            let now = num_search_pulls + pull;
            strategy.choose(&mut tables, now, &problem, &mut scratch, &mut rng, &mut arm);
            tables.observe(&arm, 0.5);
        }
        let num_new = tables.num_arms() - before;
        assert!(num_new <= most && (num_new > 20 || most == 0), "{num_new}");
    }
}
