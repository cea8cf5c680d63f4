//! Weighted sums of the scores of members in several meetings, with their errors.
//!
//! The score of a mixture is one of these sums. Pairs of different meetings are independent, but the two games of a
//! pair are not. If one mixture plays in both seats, a sum contains both games of a pair. Its variance is then computed
//! from its value in each pair, which includes the covariance of the two games.
//!
//! The variance of a pair is estimated with one additional pair at the smallest possible value of the sum and one at
//! the largest, because a few equal pairs do not prove that all pairs are equal. The degrees of freedom of the sum of
//! the variances follow Satterthwaite, *An approximate distribution of estimates of variance components*, Biometrics
//! Bulletin 2, 1946. The result is valid for sums that are approximately normal, but not for a single meeting with
//! nearly equal pairs.

use ruse_play::score::{Scored, student_quantile};

use super::payoffs::Payoffs;

/// Sums over the pairs of a meeting.
#[derive(Debug, Clone, Default)]
struct Totals {
    exact: Option<f64>,
    num_pairs: f64,
    /// The sums of the scores in the first and in the second seat.
    scores: [f64; 2],
    squares: [f64; 2],
    product: f64,
}

impl Totals {
    fn of(meeting: &Scored) -> Totals {
        let mut totals = Totals { exact: meeting.exact, ..Totals::default() };
        for (result, count) in meeting.tally.results() {
            let (count, scores) =
                (count as f64, [result.as_first.score(), result.as_second.score()]);
            totals.num_pairs += count;
            let sums = totals.scores.iter_mut().zip(&mut totals.squares);
            for ((sum, squares), score) in sums.zip(scores) {
                *sum += count * score;
                *squares += count * score * score;
            }
            totals.product += count * scores[0] * scores[1];
        }
        totals
    }

    fn total(&self, [a, b]: [f64; 2]) -> f64 {
        a * self.scores[0] + b * self.scores[1]
    }

    /// Returns the mean, over the pairs, of the weighted sum of the two scores of a pair.
    fn mean(&self, weights: [f64; 2]) -> f64 {
        match self.exact {
            // An exact score may have been computed, without any pair.
            Some(exact) if weights[0] == weights[1] => 2.0 * weights[0] * exact,
            _ => self.total(weights) / self.num_pairs,
        }
    }

    /// Returns the estimated variance of [`Totals::mean`].
    fn variance(&self, [a, b]: [f64; 2]) -> f64 {
        if self.exact.is_some() {
            return 0.0;
        }
        let (least, most) = (a.min(0.0) + b.min(0.0), a.max(0.0) + b.max(0.0));
        let n = self.num_pairs + 2.0;
        let total = self.total([a, b]) + least + most;
        let squares = a * a * self.squares[0]
            + 2.0 * a * b * self.product
            + b * b * self.squares[1]
            + least * least
            + most * most;
        ((squares - total * total / n) / (n - 1.0)).max(0.0) / self.num_pairs
    }
}

/// A score as a term of a sum: a constant, plus the scores in the first and in the second seat of a meeting, each times
/// a weight. The scores are given from the point of view of the member with the lower index.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    constant: f64,
    meeting: usize,
    weights: [f64; 2],
}

/// A weighted sum of cells.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sum {
    constant: f64,
    /// The indices of the meetings, ascending, each with the weights of the scores in the first and in the second seat.
    weights: Vec<(usize, [f64; 2])>,
}

impl Sum {
    /// Returns the sum of `weight * cell` over all elements `(cell, weight)`.
    pub fn of(cells: impl IntoIterator<Item = (Cell, f64)>) -> Sum {
        let mut sum = Sum::default();
        for (cell, weight) in cells {
            sum.constant += weight * cell.constant;
            sum.weights.push((cell.meeting, cell.weights.map(|w| weight * w)));
        }
        sum.sorted()
    }

    /// Returns this sum minus another.
    pub fn minus(&self, other: &Sum) -> Sum {
        let negative = other.weights.iter().map(|&(meeting, [a, b])| (meeting, [-a, -b]));
        let weights = self.weights.iter().copied().chain(negative).collect();
        Sum { constant: self.constant - other.constant, weights }.sorted()
    }

    fn sorted(mut self) -> Sum {
        self.weights.sort_by_key(|&(meeting, _)| meeting);
        self.weights.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 = [kept.1[0] + next.1[0], kept.1[1] + next.1[1]];
            }
            is_same
        });
        self
    }

    /// Returns the weights of a meeting.
    fn at(&self, meeting: usize) -> [f64; 2] {
        let found = self.weights.binary_search_by_key(&meeting, |&(meeting, _)| meeting);
        found.map_or([0.0; 2], |index| self.weights[index].1)
    }
}

/// An estimate of a sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The variance of the mean.
    pub variance: f64,
    /// Degrees of freedom of the variance; infinite if the variance is zero.
    degrees: f64,
}

impl Mean {
    /// Returns a lower and an upper bound. Each is wrong with half of the allowed error probability.
    pub fn bounds(&self) -> [f64; 2] {
        if self.variance == 0.0 {
            return [self.mean; 2];
        }
        // The number is rounded down, and limited, because beyond this limit quantiles hardly differ.
        let degrees = self.degrees.min(1e9) as u64;
        let margin = student_quantile(degrees) * self.variance.sqrt();
        [self.mean - margin, self.mean + margin]
    }
}

/// The results of the meetings of a pool, prepared for sums.
#[derive(Debug, Clone)]
pub struct Means {
    num_members: usize,
    /// The sums of the meetings of members `i <= j`, row by row.
    totals: Vec<Totals>,
    /// The minimum number of pairs of a meeting that is not known exactly; `None` if all are known exactly.
    fewest_pairs: Option<u64>,
}

impl Means {
    /// Prepares the meetings of the first `num_members` members of a pool. Each member must have met all others and, if
    /// `by_seat` is set, itself. Returns `None` if a meeting has fewer than two pairs, from which no variance can be
    /// estimated.
    pub fn new(payoffs: &Payoffs, num_members: usize, by_seat: bool) -> Option<Means> {
        let mut fewest_pairs: Option<u64> = None;
        let mut totals = Vec::new();
        for i in 0..num_members {
            for j in i..num_members {
                let meeting = payoffs.meeting(i, j);
                if meeting.exact.is_none() && (by_seat || i != j) {
                    let pairs = meeting.tally.num_pairs();
                    fewest_pairs = Some(fewest_pairs.map_or(pairs, |fewest| fewest.min(pairs)));
                }
                totals.push(Totals::of(meeting));
            }
        }
        let is_enough = fewest_pairs.is_none_or(|pairs| pairs >= 2);
        is_enough.then_some(Means { num_members, totals, fewest_pairs })
    }

    /// Returns the number of members.
    pub fn num_members(&self) -> usize {
        self.num_members
    }

    /// Returns `true` if all scores are known exactly.
    pub fn is_exact(&self) -> bool {
        self.fewest_pairs.is_none()
    }

    /// Returns a quantile that is valid for every sum: the quantile for the fewest possible degrees of freedom.
    pub fn quantile(&self) -> f64 {
        self.fewest_pairs.map_or(0.0, |pairs| student_quantile(pairs - 1))
    }

    fn index(&self, i: usize, j: usize) -> usize {
        let (i, j) = (i.min(j), i.max(j));
        i * (2 * self.num_members - i + 1) / 2 + (j - i)
    }

    /// Returns the score of `i` in pairs against `j`.
    pub fn of_pair(&self, i: usize, j: usize) -> Cell {
        let meeting = self.index(i, j);
        match i.cmp(&j) {
            std::cmp::Ordering::Less => Cell { constant: 0.0, meeting, weights: [0.5; 2] },
            std::cmp::Ordering::Equal => Cell { constant: 0.5, meeting, weights: [0.0; 2] },
            std::cmp::Ordering::Greater => Cell { constant: 1.0, meeting, weights: [-0.5; 2] },
        }
    }

    /// Returns the score of `i` in a seat, 0 or 1, against `j` in the other seat.
    pub fn of_seat(&self, seat: usize, i: usize, j: usize) -> Cell {
        let meeting = self.index(i, j);
        // If a member meets itself, its first seat counts as the member with the lower index, as in the matrix.
        let is_lower = if seat == 0 { i <= j } else { i < j };
        let (constant, sign) = if is_lower { (0.0, 1.0) } else { (1.0, -1.0) };
        let is_first = (seat == 0) == is_lower;
        let weights = if is_first { [sign, 0.0] } else { [0.0, sign] };
        Cell { constant, meeting, weights }
    }

    /// Returns the estimate of a sum.
    pub fn mean(&self, sum: &Sum) -> Mean {
        let (mut mean, mut variance, mut spread) = (sum.constant, 0.0, 0.0);
        for &(meeting, weights) in &sum.weights {
            if weights == [0.0; 2] {
                continue;
            }
            let totals = &self.totals[meeting];
            mean += totals.mean(weights);
            let part = totals.variance(weights);
            variance += part;
            if part > 0.0 {
                spread += part * part / (totals.num_pairs - 1.0);
            }
        }
        Mean { mean, variance, degrees: variance * variance / spread }
    }

    /// Returns the variance of `a - b` minus the variances of `a` and `b`. Only the meeting of `i` and `j` may occur in
    /// both sums.
    pub fn shared(&self, a: &Sum, b: &Sum, i: usize, j: usize) -> f64 {
        let meeting = self.index(i, j);
        let (a, b, totals) = (a.at(meeting), b.at(meeting), &self.totals[meeting]);
        let both = [a[0] - b[0], a[1] - b[1]];
        totals.variance(both) - totals.variance(a) - totals.variance(b)
    }
}

#[cfg(test)]
mod tests {
    use ruse_games::Payoff;
    use ruse_strategies::PairResult;

    use super::*;

    /// Two members play four pairs; a member that wins as first loses as second. Calculated by hand, with one
    /// additional pair at the smallest and one at the largest possible value: the scores of both games of a pair add up
    /// to 1, 1, 1, 1 and 0, 2, with variance 2 / 5; their differences are 1 three times and -1 three times, with
    /// variance 6 / 5. The mean of four pairs has a quarter of either variance.
    #[test]
    fn games_of_a_pair_are_not_independent() {
        let mut meeting = Scored::default();
        let (win, loss) = (Payoff::WIN, Payoff::LOSS);
        meeting.tally.add_many(PairResult { as_first: win, as_second: loss }, 2);
        meeting.tally.add_many(PairResult { as_first: loss, as_second: win }, 2);
        let draw = Scored { exact: Some(0.5), ..meeting.clone() };
        let meetings = [(0, 0, draw.clone()), (0, 1, meeting), (1, 1, draw)];
        let payoffs = Payoffs::new(2, meetings).expect("all have met");
        let means = Means::new(&payoffs, 2, true).expect("four pairs");
        let of = |cells: [Cell; 2]| means.mean(&Sum::of(cells.map(|cell| (cell, 1.0))));
        let same_member = of([means.of_seat(0, 0, 1), means.of_seat(1, 0, 1)]);
        assert_eq!(same_member.mean, 1.0);
        assert!((same_member.variance - 0.1).abs() < 1e-15);
        // The score of each member when it plays in the first seat.
        let both_first = of([means.of_seat(0, 0, 1), means.of_seat(0, 1, 0)]);
        assert_eq!(both_first.mean, 1.0);
        assert!((both_first.variance - 0.3).abs() < 1e-15);

        // The score in a pair is half of the sum of both scores. Student's quantile with 3 degrees of freedom is
        // 3.18245 (tables).
        let pair = Sum::of([(means.of_pair(0, 1), 1.0)]);
        let [low, high] = means.mean(&pair).bounds();
        let margin = 3.18245 * 0.025_f64.sqrt();
        assert!((high - 0.5 - margin).abs() < 1e-12 && (0.5 - margin - low).abs() < 1e-12);
        assert_eq!(means.mean(&pair.minus(&pair)).bounds(), [0.0, 0.0]);
        // For two separate sums, the variance of the difference is the sum of both variances and the shared part.
        let (row, column) = (
            Sum::of([(means.of_seat(0, 0, 0), 0.25), (means.of_seat(0, 0, 1), 0.75)]),
            Sum::of([(means.of_seat(0, 0, 1), 0.5), (means.of_seat(0, 1, 1), 0.5)]),
        );
        let apart = means.mean(&row).variance + means.mean(&column).variance;
        let together = means.mean(&row.minus(&column)).variance;
        assert!((apart + means.shared(&row, &column, 0, 1) - together).abs() < 1e-15);
    }

    /// Returns a meeting in which the first member has these scores in the first and in the second seat.
    fn of_scores<const N: usize>(pairs: [[f64; 2]; N]) -> Scored {
        let mut meeting = Scored::default();
        for [first, second] in pairs {
            let payoff = |score: f64| if score == 1.0 { Payoff::WIN } else { Payoff::LOSS };
            let result = PairResult { as_first: payoff(first), as_second: payoff(second) };
            meeting.tally.add(result);
        }
        meeting
    }

    /// Returns the estimates from three members. Members 0 and 1 play four pairs, members 0 and 2 two pairs, members 1
    /// and 2 one pair and have the exact score 0.75, and a member has two pairs against itself.
    fn three() -> Means {
        let own = of_scores([[1.0, 0.0], [1.0, 1.0]]);
        let exact = Scored { exact: Some(0.75), ..of_scores([[1.0, 0.0]]) };
        let meetings = [
            (0, 0, own.clone()),
            (0, 1, of_scores([[1.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])),
            (0, 2, of_scores([[1.0, 0.0], [0.0, 0.0]])),
            (1, 1, own.clone()),
            (1, 2, exact),
            (2, 2, own),
        ];
        let payoffs = Payoffs::new(3, meetings).expect("all have met");
        Means::new(&payoffs, 3, true).expect("two pairs or more")
    }

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found}, {expected} expected");
    }

    /// Calculated by hand. With the two additional pairs, the scores of pairs are 1, 1, 1/2, 0 and 0, 1 in the first
    /// meeting: the variance of the mean of four is (13/4 - (7/2)^2 / 6) / 5 / 4 = 29/480. In the second they are 1/2, 0
    /// and 0, 1, and the variance of the mean of two is (5/4 - (3/2)^2 / 4) / 3 / 2 = 11/96. Satterthwaite's degrees of
    /// freedom of the mean of both are (29/480 + 11/96)^2 / ((29/480)^2 / 3 + (11/96)^2 / 1) = 2.13, rounded down to 2;
    /// the quantile is 4.30265 (tables), and 12.7062 for one degree of freedom.
    #[test]
    fn meetings_of_different_lengths_are_combined() {
        let means = three();
        assert_eq!((means.num_members(), means.is_exact()), (3, false));
        assert!((means.quantile() - 12.7062).abs() < 1e-4);
        let pair = |i, j| means.mean(&Sum::of([(means.of_pair(i, j), 1.0)]));
        assert_eq!(
            [pair(0, 1), pair(1, 0), pair(0, 2)].map(|pair| pair.mean),
            [0.625, 0.375, 0.25]
        );
        assert_near(pair(0, 1).variance, 29.0 / 480.0);
        assert_near(pair(1, 0).variance, 29.0 / 480.0);
        assert_near(pair(0, 2).variance, 11.0 / 96.0);
        assert_eq!([pair(1, 2), pair(2, 1)].map(|pair| pair.bounds()), [[0.75; 2], [0.25; 2]]);
        assert_eq!(pair(1, 1).bounds(), [0.5; 2]);

        let both = Sum::of([(means.of_pair(0, 2), 0.5), (means.of_pair(0, 1), 0.5)]);
        assert_near(means.mean(&both).variance, 7.0 / 160.0);
        let [low, high] = means.mean(&both).bounds();
        let margin = 4.30265 * (7.0_f64 / 160.0).sqrt();
        assert!((low - (0.4375 - margin)).abs() < 1e-5 && (high - (0.4375 + margin)).abs() < 1e-5);

        // An exact score takes no degrees of freedom: three are left, and the quantile is 3.18245.
        let with_exact = Sum::of([(means.of_pair(0, 1), 1.0), (means.of_pair(1, 2), 1.0)]);
        let [low, high] = means.mean(&with_exact).bounds();
        assert!((high - low - 2.0 * 3.18245 * (29.0_f64 / 480.0).sqrt()).abs() < 1e-5);
    }

    /// Calculated by hand. In the first seat, member 0 has scored 3 of 4 against member 1 and 1 of 2 against member 2;
    /// in the second seat, 2 of 4 and 0 of 2; against itself in the first seat, 2 of 2. The first score minus half of
    /// the second is 1/2, 1/2, 1 and 0 in the four pairs; the additional pairs are at -1/2 and 1, and the variance of
    /// the mean of four is (11/4 - (5/2)^2 / 6) / 5 / 4 = 41/480.
    #[test]
    fn scores_by_seat_belong_to_a_member_in_a_seat() {
        let means = three();
        let seat = |seat, i, j| means.mean(&Sum::of([(means.of_seat(seat, i, j), 1.0)])).mean;
        assert_eq!(
            [seat(0, 0, 1), seat(1, 0, 1), seat(0, 0, 2), seat(1, 0, 2)],
            [0.75, 0.5, 0.5, 0.0]
        );
        assert_eq!(
            [seat(0, 1, 0), seat(1, 1, 0), seat(0, 2, 0), seat(1, 2, 0)],
            [0.5, 0.25, 1.0, 0.5]
        );
        assert_eq!([seat(0, 0, 0), seat(1, 0, 0)], [1.0, 0.0]);
        // An exact score of pairs is not a score by seat.
        assert_eq!([seat(0, 1, 2), seat(1, 1, 2)], [1.0, 0.0]);
        let unequal = [(means.of_seat(0, 0, 1), 1.0), (means.of_seat(1, 0, 1), -0.5)];
        let mean = means.mean(&Sum::of(unequal));
        assert_eq!(mean.mean, 0.5);
        assert_near(mean.variance, 41.0 / 480.0);
        // The sum of both scores is 2, 2, 1 and 0, and the additional pairs are at 0 and 2: the variance of the mean is
        // (13 - 7^2 / 6) / 5 / 4 = 29/120. The variance of the first is (4 - 4^2 / 6) / 5 / 4 = 1/15, and the variance
        // of the second (3 - 3^2 / 6) / 5 / 4 = 3/40.
        let first = Sum::of([(means.of_seat(0, 0, 1), 1.0)]);
        let second = Sum::of([(means.of_seat(1, 0, 1), -1.0)]);
        assert_near(means.shared(&first, &second, 0, 1), 29.0 / 120.0 - 1.0 / 15.0 - 3.0 / 40.0);
        // A constant that both sums contain has no part in their difference.
        let (one, other) = (means.of_seat(0, 1, 0), means.of_seat(1, 2, 0));
        let difference = Sum::of([(one, 1.0)]).minus(&Sum::of([(other, 1.0)]));
        assert_eq!(means.mean(&difference).mean, 0.0);
    }

    /// A pair of a member with itself counts only in scores by seat.
    #[test]
    fn a_single_pair_has_no_variance() {
        let two = of_scores([[1.0, 0.0], [1.0, 1.0]]);
        let meetings = [(0, 0, of_scores([[1.0, 0.0]])), (0, 1, two.clone()), (1, 1, two)];
        let payoffs = Payoffs::new(2, meetings).expect("all have met");
        let found = [false, true].map(|by_seat| Means::new(&payoffs, 2, by_seat).is_some());
        assert_eq!(found, [true, false]);
        let exact = Scored { exact: Some(0.75), ..Scored::default() };
        let payoffs = Payoffs::new(2, [(0, 1, exact)]).expect("all have met");
        let means = Means::new(&payoffs, 2, false).expect("no variance is needed");
        assert_eq!((means.is_exact(), means.quantile()), (true, 0.0));
    }
}
