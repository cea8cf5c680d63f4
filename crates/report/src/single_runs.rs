//! The paper's rule for the best method, applied to single runs.
//!
//! The paper has one run of each method, and we have several. So the counts of the paper are compared with the counts
//! that one run of each of our methods would have given.

use std::collections::BTreeMap;

use ruse_lab::Measurement;
use serde::Serialize;

use super::scores::ROUNDING;

/// The number of families in which a method is unbeaten, if one run of each method is drawn at random in each family.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SingleRuns {
    /// The expected number.
    pub mean: f64,
    /// The 2.5% and 97.5% quantiles of the number.
    pub range: [usize; 2],
}

impl SingleRuns {
    /// Returns the distribution of the number of families, given the probability of each.
    pub(super) fn of(probabilities: &[f64]) -> SingleRuns {
        // The probability of every number, one family after another.
        let mut numbers = vec![1.0];
        for p in probabilities {
            numbers.push(0.0);
            for k in (0..numbers.len()).rev() {
                let below = if k > 0 { numbers[k - 1] } else { 0.0 };
                numbers[k] = numbers[k] * (1.0 - p) + below * p;
            }
        }
        let quantile = |share: f64| {
            let mut sum = 0.0;
            let reached = |p: &f64| {
                sum += p;
                sum >= share - ROUNDING
            };
            numbers.iter().position(reached).unwrap_or(probabilities.len())
        };
        SingleRuns { mean: probabilities.iter().sum(), range: [quantile(0.025), quantile(0.975)] }
    }
}

/// Returns a probability for each method: a random run of the method scores at least one half against a random run of
/// every other method. Runs that did not meet do not count. `meetings` belong to one family.
///
/// Returns `None` if two of the methods did not meet.
pub(super) fn chances_unbeaten(meetings: &[&Measurement], methods: &[&str]) -> Option<Vec<f64>> {
    let index = |name: &str| methods.iter().position(|&method| method == name);
    let mut chances = Vec::new();
    for method in 0..methods.len() {
        // The number of opponents of each run, and the number that do not beat it, by seed and opposing method.
        let mut counts = BTreeMap::<Option<u64>, Vec<[u64; 2]>>::new();
        let mut add = |seed, opponent: usize, score: f64| {
            let of_run = counts.entry(seed).or_insert_with(|| vec![[0; 2]; methods.len()]);
            of_run[opponent][0] += 1;
            of_run[opponent][1] += u64::from(score >= 0.5 - ROUNDING);
        };
        for meeting in meetings {
            match (index(&meeting.subject), index(&meeting.opponent)) {
                (a, b) if a == b => {}
                (Some(a), Some(b)) if a == method => add(meeting.subject_seed, b, meeting.score),
                (Some(a), Some(b)) if b == method => {
                    add(meeting.opponent_seed, a, 1.0 - meeting.score);
                }
                _ => {}
            }
        }
        let chance = |of_run: &Vec<[u64; 2]>| {
            let opponents = (0..methods.len()).filter(|&opponent| opponent != method);
            let shares = opponents.map(|opponent| match of_run[opponent] {
                [0, _] => None,
                [met, unbeaten] => Some(unbeaten as f64 / met as f64),
            });
            shares.product::<Option<f64>>()
        };
        let of_runs = counts.values().map(chance).collect::<Option<Vec<f64>>>()?;
        if of_runs.is_empty() {
            return None;
        }
        chances.push(of_runs.iter().sum::<f64>() / of_runs.len() as f64);
    }
    Some(chances)
}

#[cfg(test)]
mod tests {
    use ruse_lab::fixtures::meeting;

    use super::*;

    /// Three methods with two runs each. Run 1 of a beats both runs of b and run 1 of c; run 2 of a beats run 1 of b and
    /// draws with both runs of c. So a is unbeaten with probability (1 * 1/2 + 1/2 * 1) / 2. Against a, run 1 of b
    /// loses, and run 2 scores at least one half in one of two meetings; both beat c. Run 1 of c draws with run 2 of a,
    /// and run 2 of c beats run 1 and draws with run 2, but both lose to b.
    #[test]
    fn a_random_run_is_unbeaten_with_this_probability() {
        let mut all = Vec::new();
        for (a, b, score) in [(1, 1, 0.6), (1, 2, 0.7), (2, 1, 0.9), (2, 2, 0.3)] {
            all.push(meeting("war", ("a", a), ("b", b), score));
        }
        for (a, c, score) in [(1, 1, 0.6), (1, 2, 0.4), (2, 1, 0.5), (2, 2, 0.5)] {
            all.push(meeting("war", ("c", c), ("a", a), 1.0 - score));
        }
        for (b, c) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
            all.push(meeting("war", ("b", b), ("c", c), 0.8));
        }
        let all: Vec<&Measurement> = all.iter().collect();
        assert_eq!(chances_unbeaten(&all, &["a", "b", "c"]), Some(vec![0.5, 0.25, 0.0]));
        // Without c, run 1 of a is unbeaten, and run 2 half of the time.
        assert_eq!(chances_unbeaten(&all, &["a", "b"]), Some(vec![0.75, 0.25]));
        assert_eq!(chances_unbeaten(&all, &["a", "absent"]), None);
    }

    /// Binomial probabilities for five families with probability 1/2: 1/32, 5/32, 10/32, ... So 2.5% and 97.5% are
    /// reached at 0 and 5. With certainties, the number is known.
    #[test]
    fn numbers_of_families_have_a_range() {
        assert_eq!(SingleRuns::of(&[0.5; 5]), SingleRuns { mean: 2.5, range: [0, 5] });
        // With 14 families, P(at most 2) = .0065 and P(at most 3) = .0287.
        assert_eq!(SingleRuns::of(&[0.5; 14]), SingleRuns { mean: 7.0, range: [3, 11] });
        assert_eq!(SingleRuns::of(&[1.0, 0.0, 1.0]), SingleRuns { mean: 2.0, range: [2, 2] });
        assert_eq!(SingleRuns::of(&[]), SingleRuns { mean: 0.0, range: [0, 0] });
    }
}
