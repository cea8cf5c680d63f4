//! The rules that accept candidates: candidates that are not better are rarely accepted as proven.

use super::samples::{KINDS, Sample};
use super::{assert_at_most, count, for_each_sample, verdicts};
use crate::race::{Accept, Acceptance, Limits, Operator, Ties, Verdict};

const PROVEN: Acceptance = Acceptance { accept: Accept::Proven, ties: Ties::Refuse };

/// Returns the verdicts of `num` races of an operator over observations of one distribution.
fn verdicts_of(
    comparison: Operator,
    limits: Limits,
    sample: &Sample,
    seed: u64,
    num: usize,
) -> Vec<Verdict> {
    verdicts(num, seed, sample, || comparison.race(limits, sample.scale()))
}

fn num_admitted(acceptance: Acceptance, verdicts: &[Verdict]) -> usize {
    count(verdicts, |verdict| acceptance.admits(verdict))
}

/// Every operator, including the majority, accepts at most a fraction delta of the candidates that are not better than
/// the incumbent. This holds for each of the distributions with which races are tested.
#[test]
fn equal_candidates_are_rarely_accepted_as_proven() {
    let num = 300;
    let limits = Limits { delta: 0.2, precision: 0.05 };
    for (number, comparison) in (0..).zip(Operator::ALL) {
        for_each_sample(&[0.5, 0.49, 0.4], |index, sample| {
            let seed = 30 * number + index;
            let verdicts = verdicts_of(comparison, limits, &sample, seed, num);
            let found = num_admitted(PROVEN, &verdicts);
            let what = format!("{comparison:?} accepts {sample:?}");
            assert_at_most(&what, found, num, limits.delta);
        });
    }
}

/// The rule `leading` accepts about half of the candidates that are as good as the incumbent, in races that stop at a
/// given precision or after a given number of games. Of 300 fair coins, 100 or fewer show heads with a probability
/// below 1e-8. The rules `leading` and `proven` both accept a much better candidate.
#[test]
fn a_lead_differs_from_a_proof() {
    let num = 300;
    let limits = Limits { delta: 0.05, precision: 0.05 };
    for (seed, comparison) in (1000..).zip(Operator::ALL) {
        let equal = Sample::new(KINDS[0], 0.5, 0.0);
        let verdicts = verdicts_of(comparison, limits, &equal, seed, num);
        let found = num_admitted(Acceptance::default(), &verdicts);
        if comparison == Operator::Betting {
            assert_at_most("betting", found, num, limits.delta);
        } else {
            assert!(found > 100, "{comparison:?} accepts {found} of {num} equal candidates");
        }
        let better = Sample::new(KINDS[0], 0.9, 0.0);
        let verdicts = verdicts_of(comparison, limits, &better, seed + 100, num);
        // The operators guarantee .95. For a candidate that is much better than the incumbent, they err far less often.
        for acceptance in [Acceptance::default(), PROVEN] {
            let found = num_admitted(acceptance, &verdicts);
            assert!(found >= 285, "{comparison:?}, {acceptance:?}: {found} of {num}");
        }
    }
}

/// In betting races the rules `leading` and `proven` accept the same candidates, because every verdict is proven. A
/// part of delta is reserved for the decision at the cap.
#[test]
fn in_betting_races_a_lead_is_a_proof() {
    let limits = Limits { delta: 0.2, precision: 0.05 };
    for (seed, mu) in (2000..).zip([0.5, 0.52, 0.55, 0.6]) {
        let sample = Sample::new(KINDS[0], mu, 0.4);
        for verdict in verdicts_of(Operator::Betting, limits, &sample, seed, 200) {
            assert_eq!(
                Acceptance::default().admits(&verdict),
                PROVEN.admits(&verdict),
                "{verdict:?}"
            );
        }
    }
}
