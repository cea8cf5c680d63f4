//! Races between random numbers from a known range, which need not come from games.
//!
//! A score is mapped to [0, 1], and a pair of scores to one half plus half of their difference, so that the mean is above
//! one half if and only if the first score is larger on average. A value between two levels is rounded up with the
//! probability that keeps its mean. A [`BettingRace`] of the levels therefore keeps its error probability for scores of
//! any distribution, discrete or not, as long as the mean given all earlier scores stays on one side of the hypothesis.

use std::ops::ControlFlow;

use rand::Rng;
use ruse_base::rng::{Stream, StreamKey};

use super::{BettingRace, Limits, Race, Reason, Verdict, missing};

/// The highest level. It is a multiple of 1 to 10, so scores in as many steps are kept exactly.
const SCALE: u16 = 5040;
/// The largest distance, in levels, between a level and a score that differs from it by the rounding of decimals only.
const ROUNDING: f64 = 1e-6;

/// The question of a [`ScoreRace`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Question {
    /// Is the mean of the scores above this number?
    Mean(f64),
    /// Is the mean difference between the first and the second score of a pair above this number?
    Difference(f64),
}

/// A race between random numbers, in progress.
#[derive(Debug, Clone)]
pub struct ScoreRace {
    question: Question,
    range: [f64; 2],
    limits: Limits,
    race: BettingRace,
    counts: Vec<u64>,
    rounding: Stream,
}

impl ScoreRace {
    /// The smallest precision of a race whose hypothesis is any number of [`hypotheses`](ScoreRace::hypotheses).
    pub const SMALLEST_PRECISION: f64 = 1e-5;

    /// Creates a race of scores from `range`, whose first number is less than the second. The precision of `limits` is
    /// half of the smallest difference that matters, as a share of the range.
    ///
    /// Returns `None` if the hypothesis is outside of [`hypotheses`](ScoreRace::hypotheses), or the precision is too
    /// small.
    pub fn new(
        question: Question,
        range: [f64; 2],
        limits: Limits,
        key: StreamKey,
    ) -> Option<Self> {
        let precision = match question {
            Question::Mean(_) => limits.precision,
            // The range of a difference is twice as long.
            Question::Difference(_) => limits.precision / 2.0,
        };
        let limits = Limits { precision, ..limits };
        let (Question::Mean(against) | Question::Difference(against)) = question;
        let [low, high] = Self::hypotheses(question, range);
        let is_valid =
            against >= low && against <= high && precision >= Self::SMALLEST_PRECISION / 2.0;
        let race = || BettingRace::above(share(question, range, against), limits, SCALE);
        is_valid.then(|| ScoreRace {
            question,
            range,
            limits,
            race: race(),
            counts: vec![0; usize::from(SCALE) + 1],
            rounding: key.stream(),
        })
    }

    /// Returns the lowest and the highest number about which a race can ask: the range of the mean, without a thousandth
    /// at each end.
    pub fn hypotheses(question: Question, range: [f64; 2]) -> [f64; 2] {
        [0.001, 0.999].map(|at| number(question, range, at))
    }

    /// Takes a score, or the difference of two, within the range. Returns `Break` with the reason if the race stops:
    /// [`Better`](Reason::Better), [`NotBetter`](Reason::NotBetter) or [`Equivalent`](Reason::Equivalent).
    pub fn push(&mut self, observed: f64) -> ControlFlow<Reason> {
        let level = self.add(observed);
        match self.race.push(level) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            // The decision at the cap has its share of delta.
            ControlFlow::Break(verdict) => ControlFlow::Break(match verdict.reason {
                Reason::Cap if verdict.candidate_leads => Reason::Better,
                Reason::Cap => Reason::NotBetter,
                reason => reason,
            }),
        }
    }

    /// Counts a score, or the difference of two, without a decision. Returns its level. The
    /// [`verdict`](ScoreRace::verdict) includes the score.
    pub fn add(&mut self, observed: f64) -> u16 {
        let exact = share(self.question, self.range, observed) * f64::from(SCALE);
        let nearest = exact.round();
        let level = if (exact - nearest).abs() <= ROUNDING {
            nearest
        } else {
            // 53 random bits.
            let random = (self.rounding.next_u64() >> 11) as f64 / 9_007_199_254_740_992.0;
            exact.floor() + f64::from(u8::from(random < exact - exact.floor()))
        };
        self.counts[level as usize] += 1;
        level as u16
    }

    /// Returns the verdict by all scores so far, in units of the scores, whatever made them end; both bounds of its interval hold at
    /// once with probability 1 - delta. If the scores decide nothing, the reason is [`Budget`](Reason::Budget). Returns `None` if
    /// there are no scores.
    pub fn verdict(&self) -> Option<Verdict> {
        let verdict =
            self.counts.iter().any(|&count| count > 0).then(|| self.verdict_of(&self.counts))?;
        let number = |at| number(self.question, self.range, at);
        let [low, high] = verdict.interval.map(number);
        Some(Verdict { score: number(verdict.score), interval: [low, high], ..verdict })
    }

    /// Returns how many more scores decide the race: see [`missing`].
    pub fn missing(&self) -> Option<u64> {
        missing(&self.counts, |counts| self.verdict_of(counts).reason == Reason::Budget)
    }

    /// Returns the verdict on these counts, on the scale of the race.
    fn verdict_of(&self, counts: &[u64]) -> Verdict {
        let (Question::Mean(against) | Question::Difference(against)) = self.question;
        let against = share(self.question, self.range, against);
        BettingRace::verdict_of_counts(against, self.limits, counts)
    }
}

/// Maps a number to its place between the smallest and the largest possible number, from 0 to 1.
fn share(question: Question, [low, high]: [f64; 2], number: f64) -> f64 {
    match question {
        Question::Mean(_) => (number - low) / (high - low),
        Question::Difference(_) => 0.5 + number / (high - low) / 2.0,
    }
}

/// The inverse of [`share`].
fn number(question: Question, [low, high]: [f64; 2], share: f64) -> f64 {
    match question {
        Question::Mean(_) => low + share * (high - low),
        Question::Difference(_) => (2.0 * share - 1.0) * (high - low),
    }
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::*;

    const UNIT: [f64; 2] = [0.0, 1.0];

    fn race(question: Question, range: [f64; 2], seed: u64) -> ScoreRace {
        let limits = Limits { delta: 0.05, precision: 0.05 };
        ScoreRace::new(question, range, limits, StreamKey::root(seed)).expect("a valid question")
    }

    /// A pair of games brings the difference 2 levels of 4 in `superiority`: the same counts, the same verdict.
    #[test]
    fn differences_of_games_are_observations_of_pairs() {
        let mut scores = race(Question::Difference(0.0), UNIT, 1);
        let mut pairs = BettingRace::superiority(Limits { delta: 0.05, precision: 0.025 }, 4);
        let games = super::super::tests::pseudo_random_games(0.5, 0.3);
        for (index, game) in (1..).zip(games) {
            let stopped = scores.push(f64::from(game) / 2.0 - 0.5);
            let found = pairs.push(game + 1);
            assert_eq!(stopped.break_value(), found.break_value().map(|verdict| verdict.reason));
            if let ControlFlow::Break(verdict) = found {
                assert_eq!((verdict.reason, index), (Reason::Better, verdict.num_observations));
                let ours = scores.verdict().expect("scores");
                assert!((ours.score - (2.0 * verdict.score - 1.0)).abs() < 1e-12, "{ours:?}");
                return;
            }
        }
    }

    #[test]
    fn numbers_are_in_their_own_units() {
        let mut race = race(Question::Mean(20.0), [-100.0, 100.0], 1);
        (0..50).for_each(|i| _ = race.push(if i % 2 == 0 { 60.0 } else { 40.0 }));
        let verdict = race.verdict().expect("scores");
        assert_eq!((verdict.reason, verdict.num_observations), (Reason::Better, 50));
        assert!((verdict.score - 50.0).abs() < 1e-9, "{verdict:?}");
        let [low, high] = verdict.interval;
        assert!(20.0 < low && low < 50.0 && 50.0 < high && high < 100.0, "{verdict:?}");
    }

    #[test]
    fn questions_have_bounds() {
        let limits = Limits { delta: 0.05, precision: 0.01 };
        let is_valid =
            |question, limits| ScoreRace::new(question, UNIT, limits, StreamKey::root(1)).is_some();
        assert_eq!(ScoreRace::hypotheses(Question::Mean(0.0), [0.0, 10.0]), [0.01, 9.99]);
        for (question, valid) in [
            (Question::Mean(0.001), true),
            (Question::Mean(0.999), true),
            (Question::Mean(0.0), false),
            (Question::Mean(1.0), false),
            (Question::Mean(f64::NAN), false),
            (Question::Difference(-0.99), true),
            (Question::Difference(1.0), false),
        ] {
            assert_eq!(is_valid(question, limits), valid, "{question:?}");
            let finest = Limits { precision: ScoreRace::SMALLEST_PRECISION, ..limits };
            assert_eq!(is_valid(question, finest), valid, "{question:?}");
        }
        assert!(!is_valid(Question::Mean(0.5), Limits { precision: 1e-6, ..limits }));
        assert_eq!(race(Question::Mean(0.5), UNIT, 1).verdict(), None);
    }

    #[test]
    fn missing_scores_decide() {
        let mut short = race(Question::Difference(0.0), UNIT, 1);
        let differences = [0.2, -0.1, 0.3, 0.0];
        differences.into_iter().for_each(|d| _ = short.push(d));
        let missing = short.missing().expect("they differ");
        let all = differences.into_iter().cycle().skip(4);
        // The rest of a round decides a little earlier or later.
        let decided = (1..).zip(all).find(|&(_, d)| short.push(d).is_break()).expect("it stops").0;
        assert!(missing.abs_diff(decided) <= 1 + missing / 8, "{missing} {decided}");
        assert_eq!(short.missing(), Some(0));
    }

    /// Scores that have no levels, depend on each other, sit at an end of the range, or vary more and more.
    fn scores(kind: usize, seed: u64) -> impl FnMut() -> f64 {
        let mut stream = StreamKey::root(seed).stream();
        let mut uniform = move || (stream.next_u64() >> 11) as f64 / 9_007_199_254_740_992.0;
        let (mut last, mut sum) = (0.5, 0.0);
        move || {
            let u = uniform();
            let score = match kind {
                // The mean of u^k is 1 / (k + 1).
                0 => u,
                1 => libm::pow(u, 9.0),
                // One large score in a thousand.
                2 => f64::from(u8::from(u < 0.001)),
                // The size of the next deviation depends on the last score, and on which side the sum is.
                _ => 0.5 + (u - 0.5) * if last > 0.5 && sum > 0.0 { 1.0 } else { 0.1 },
            };
            (last, sum) = (score, sum + score - 0.5);
            score
        }
    }

    /// The mean is exactly the hypothesis, so "better" is an error, whose probability is at most .05. More than 88 errors in
    /// 1,000 races have a probability of at most 4e-6 (Chernoff: 1000 KL(.088, .05) = 12.5), and so has as many intervals
    /// that miss the mean; in all eight checks, 3e-5.
    #[test]
    fn errors_are_rare_for_scores_of_any_distribution() {
        for (kind, mean) in [0.5, 0.1, 0.001, 0.5].into_iter().enumerate() {
            let run = |seed: u64| {
                let mut race = race(Question::Mean(mean), UNIT, seed);
                let mut score = scores(kind, 7000 + seed);
                let stopped = (0..2000).find_map(|_| race.push(score()).break_value());
                let [low, high] = race.verdict().expect("scores").interval;
                [stopped == Some(Reason::Better), !(low <= mean && mean <= high)].map(u32::from)
            };
            let wrong = (0..1000u64)
                .into_par_iter()
                .map(run)
                .reduce(|| [0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
            assert!(wrong.iter().all(|&number| number <= 88), "{kind}: {wrong:?}");
        }
    }

    /// An interval of equal scores keeps a width: 20 scores of .5 do not prove that all are.
    #[test]
    fn intervals_never_collapse() {
        let mut race = race(Question::Mean(0.25), UNIT, 1);
        (0..20).for_each(|_| _ = race.push(0.5));
        let [low, high] = race.verdict().expect("scores").interval;
        assert!(high - low > 0.1, "{low} {high}");
    }
}
