//! Races that keep an interval of the winning rate: the limited Bernstein race, which is the comparison operator of the
//! paper, and its variant with Hoeffding's interval.
//!
//! Each test computes an interval of the winning rate and intersects this interval with all earlier intervals. The race
//! stops when the intersection lies on one side of 1/2 or is narrow enough.
//!
//! References: Cauwet & Teytaud 2018, section II-A; Mnih, Szepesvari & Audibert, *Empirical Bernstein
//! stopping*, ICML 2008 (algorithm EBStop, intersected intervals); Audibert, Munos & Szepesvari,
//! *Exploration-exploitation tradeoff using variance estimates in multi-armed bandits*, Theoretical
//! Computer Science 410, 2009, theorem 1 (the Bernstein interval); Hoeffding, *Probability inequalities
//! for sums of bounded random variables*, JASA 58, 1963; Heidrich-Meisner & Igel, *Hoeffding and
//! Bernstein races for selecting policies in evolutionary direct policy search*, ICML 2009.
//!
//! Deviations: by default, tests take place at geometrically spaced times, and each test has its own share of delta.
//! This is as rigorous as a test after every game, and stops earlier. "Known up to a precision" refers to the
//! half-width of the intersected interval. If a race stops because the rate is known in this sense, the leader is
//! determined by the side of 1/2 on which the midpoint of the interval lies. The leader's winning rate is then at least
//! 1/2 - precision with probability 1 - delta (the sample mean would only guarantee 1/2 - 2 precision).
//!
//! Cost: a few additions per observation, and one logarithm and one square root per test. Memory: constant.

use std::ops::ControlFlow;

use super::{Limits, Race, Reason, Verdict};

/// The times at which a race carries out tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// After every observation, as in the paper.
    EveryObservation,
    /// Whenever the number of observations has grown by a tenth since the last test.
    Geometric,
}

/// The inequality behind the interval of a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inequality {
    /// Estimates the variance from the observations; the interval is narrow if the observations vary little.
    EmpiricalBernstein,
    /// Assumes the largest possible variance.
    Hoeffding,
}

/// The exponent of the shares of delta: test k gets the share (p - 1) / (p k^p). These shares add up to less than
/// delta.
const P: f64 = 1.1;
/// The growth factor of the number of observations between tests.
const GROWTH: f64 = 1.1;

/// Returns the number of observations at the test that follows a test after `num_observations`, in the geometric schedule.
/// It is larger, as `GROWTH` is above 1.
fn next_test(num_observations: u64) -> u64 {
    (GROWTH * num_observations as f64).ceil() as u64
}

/// A limited race by intervals, in progress.
#[derive(Debug, Clone)]
pub struct IntervalRace {
    inequality: Inequality,
    limits: Limits,
    schedule: Schedule,
    /// The largest observation; observations are integers from 0.
    scale: u16,
    num_observations: u64,
    sum: u64,
    sum_of_squares: u64,
    num_tests: u64,
    next_test: u64,
    lower: f64,
    upper: f64,
}

impl IntervalRace {
    /// Creates a race over observations from 0 to `scale`, which is 2 for games and 4 for pairs.
    pub fn new(inequality: Inequality, limits: Limits, schedule: Schedule, scale: u16) -> Self {
        IntervalRace {
            inequality,
            limits,
            schedule,
            scale,
            num_observations: 0,
            sum: 0,
            sum_of_squares: 0,
            num_tests: 0,
            next_test: 1,
            lower: 0.0,
            upper: 1.0,
        }
    }

    /// Returns the verdict that the number of observations of each value from 0 allows, without their order. There is at
    /// least one observation. The interval is the interval of the last test of a race that tests after every
    /// observation, so it is valid at any time of stopping. If it decides nothing, the reason is
    /// [`Budget`](Reason::Budget).
    pub(super) fn verdict_of_counts(
        inequality: Inequality,
        limits: Limits,
        counts: &[u64],
    ) -> Verdict {
        let scale = counts.len() as u16 - 1;
        let mut race = IntervalRace::new(inequality, limits, Schedule::EveryObservation, scale);
        for (value, &count) in (0..).zip(counts) {
            race.num_observations += count;
            race.sum += value * count;
            race.sum_of_squares += value * value * count;
        }
        race.num_tests = race.num_observations - 1;
        race.test().break_value().unwrap_or_else(|| race.out_of_budget())
    }

    /// Returns `true` if a race with the geometric schedule tests after this number of observations.
    pub(super) fn tests_after(num_observations: u64) -> bool {
        let mut test = 1;
        while test < num_observations {
            test = next_test(test);
        }
        test == num_observations
    }

    fn mean(&self) -> f64 {
        if self.num_observations == 0 {
            return 0.5;
        }
        self.sum as f64 / (f64::from(self.scale) * self.num_observations as f64)
    }

    /// Returns the logarithm of a constant divided by the share of delta of test number `num_tests`. The constant is 3
    /// for Bernstein's inequality and 2 for Hoeffding's.
    fn log_level(&self, num_tests: u64) -> f64 {
        let constant = match self.inequality {
            Inequality::EmpiricalBernstein => 3.0,
            Inequality::Hoeffding => 2.0,
        };
        libm::log(constant * P / (self.limits.delta * (P - 1.0))) + P * libm::log(num_tests as f64)
    }

    /// Returns the half-width of the interval of test number `num_tests`, given the variance of the observations.
    fn half_width(&self, num_tests: u64, num_observations: u64, variance: f64) -> f64 {
        let (x, t) = (self.log_level(num_tests), num_observations as f64);
        match self.inequality {
            // Audibert et al. 2009, theorem 1, for observations in [0, 1].
            Inequality::EmpiricalBernstein => (2.0 * variance * x / t).sqrt() + 3.0 * x / t,
            Inequality::Hoeffding => (x / (2.0 * t)).sqrt(),
        }
    }

    fn verdict(&self, reason: Reason, candidate_leads: bool) -> Verdict {
        Verdict {
            candidate_leads,
            reason,
            num_observations: self.num_observations,
            score: self.mean(),
            interval: [self.lower, self.upper],
        }
    }

    fn stop(&self, reason: Reason, candidate_leads: bool) -> ControlFlow<Verdict> {
        ControlFlow::Break(self.verdict(reason, candidate_leads))
    }

    fn test(&mut self) -> ControlFlow<Verdict> {
        self.num_tests += 1;
        let t = self.num_observations;
        self.next_test = match self.schedule {
            Schedule::EveryObservation => t + 1,
            Schedule::Geometric => next_test(t),
        };
        let mean = self.mean();
        // The numerator is computed exactly: a difference of large squares would lose small variances.
        let numerator =
            u128::from(self.sum_of_squares) * u128::from(t) - u128::from(self.sum).pow(2);
        let denominator = f64::from(self.scale) * t as f64;
        let variance = numerator as f64 / (denominator * denominator);
        let half_width = self.half_width(self.num_tests, t, variance);
        self.lower = self.lower.max(mean - half_width);
        self.upper = self.upper.min(mean + half_width);
        if self.lower > self.upper {
            self.stop(Reason::Inconsistent, mean > 0.5)
        } else if self.lower > 0.5 {
            self.stop(Reason::Better, true)
        } else if self.upper < 0.5 {
            self.stop(Reason::Worse, false)
        } else if self.upper - self.lower <= 2.0 * self.limits.precision {
            self.stop(Reason::Precision, (self.lower + self.upper) / 2.0 > 0.5)
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Race for IntervalRace {
    #[inline]
    fn push(&mut self, observation: u16) -> ControlFlow<Verdict> {
        debug_assert!(observation <= self.scale, "observation {observation} of {}", self.scale);
        self.num_observations += 1;
        self.sum += u64::from(observation);
        self.sum_of_squares += u64::from(observation).pow(2);
        if self.num_observations >= self.next_test {
            self.test()?;
        }
        ControlFlow::Continue(())
    }

    fn observations_before_stop(&self) -> u64 {
        // When a race stops, the ends of two intervals (or the end of one interval and a bound of [0, 1]) are at most
        // twice the precision apart, so one of their half-widths is at most `widest`. Every half-width is at least the
        // term below that contains x, and x only grows.
        let widest = (0.5 + self.limits.precision).max(2.0 * self.limits.precision);
        let x = self.log_level(self.num_tests + 1);
        let earliest = match self.inequality {
            Inequality::EmpiricalBernstein => 3.0 * x / widest,
            Inequality::Hoeffding => x / (2.0 * widest * widest),
        };
        let earliest = earliest.floor() as u64;
        self.next_test.max(earliest) - self.num_observations
    }

    fn doubt(&self) -> f64 {
        // Before the first test, the interval contains no information, but the mean does.
        -self.mean()
    }

    fn out_of_budget(&self) -> Verdict {
        self.verdict(Reason::Budget, self.mean() > 0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::tests::pseudo_random_games;

    const LIMITS: Limits = Limits { delta: 0.05, precision: 0.01 };

    fn bernstein(limits: Limits, schedule: Schedule, scale: u16) -> IntervalRace {
        IntervalRace::new(Inequality::EmpiricalBernstein, limits, schedule, scale)
    }

    /// Runs a race over single games, each given in half points (0, 1 or 2).
    fn run(schedule: Schedule, games: impl IntoIterator<Item = u16>) -> Verdict {
        let mut race = bernstein(LIMITS, schedule, 2);
        let mut known_before_stop = 0u64;
        for game in games {
            known_before_stop = known_before_stop.saturating_sub(1);
            known_before_stop = known_before_stop.max(race.observations_before_stop() - 1);
            if let ControlFlow::Break(verdict) = race.push(game) {
                assert_eq!(known_before_stop, 0, "stopped sooner than announced");
                return verdict;
            }
        }
        panic!("the race did not stop");
    }

    fn assert_verdict(
        verdict: Verdict,
        num_observations: u64,
        reason: Reason,
        candidate_leads: bool,
        interval: Option<[f64; 2]>,
    ) {
        assert_eq!(
            (verdict.num_observations, verdict.reason, verdict.candidate_leads),
            (num_observations, reason, candidate_leads)
        );
        if let Some(expected) = interval {
            for (found, expected) in verdict.interval.into_iter().zip(expected) {
                assert!((found - expected).abs() < 1e-12, "{found}, {expected} expected");
            }
        }
    }

    // The stopping times and bounds below come from an independent prototype.

    #[test]
    fn constant_streams_after_every_game() {
        let run = |games: Vec<u16>| run(Schedule::EveryObservation, games.into_iter().cycle());
        assert_verdict(run(vec![2]), 67, Reason::Better, true, None);
        assert_verdict(run(vec![0]), 67, Reason::Worse, false, None);
        assert_verdict(run(vec![1]), 4741, Reason::Precision, false, None);
        let bounds = [0.490_002_378_470_437_5, 0.510_002_325_168_699_6];
        assert_verdict(run(vec![2, 0]), 107_357, Reason::Precision, true, Some(bounds));
    }

    #[test]
    fn constant_streams_at_geometric_times() {
        let run = |games: Vec<u16>| run(Schedule::Geometric, games.into_iter().cycle());
        assert_verdict(run(vec![2]), 63, Reason::Better, true, None);
        assert_verdict(run(vec![0]), 63, Reason::Worse, false, None);
        assert_verdict(run(vec![1]), 3346, Reason::Precision, false, None);
        let bounds = [0.490_484_344_090_219_2, 0.509_529_789_186_581_1];
        assert_verdict(run(vec![2, 0]), 70_755, Reason::Precision, true, Some(bounds));
    }

    #[test]
    fn pseudo_random_streams() {
        let every = |win, draw| run(Schedule::EveryObservation, pseudo_random_games(win, draw));
        let geometric = |win, draw| run(Schedule::Geometric, pseudo_random_games(win, draw));
        let bounds = [0.500_097_634_134_988_8, 0.600_223_879_985_486_3];
        assert_verdict(every(0.55, 0.0), 4657, Reason::Better, true, Some(bounds));
        let bounds = [0.500_986_837_694_342_5, 0.596_541_007_999_762_4];
        assert_verdict(geometric(0.55, 0.0), 3681, Reason::Better, true, Some(bounds));
        let bounds = [0.386_024_074_507_790_9, 0.499_965_029_885_454_3];
        assert_verdict(every(0.45, 0.0), 3639, Reason::Worse, false, Some(bounds));
        let bounds = [0.390_528_822_407_637_6, 0.497_337_011_199_728_45];
        assert_verdict(geometric(0.45, 0.0), 3041, Reason::Worse, false, Some(bounds));
        let bounds = [0.491_196_545_259_722_5, 0.511_193_693_486_602_8];
        assert_verdict(every(0.3, 0.4), 63_430, Reason::Precision, true, Some(bounds));
        let bounds = [0.491_123_304_519_706_1, 0.509_688_564_061_996_3];
        assert_verdict(geometric(0.3, 0.4), 43_931, Reason::Precision, true, Some(bounds));
    }

    #[test]
    fn pairs_are_games_with_finer_points() {
        // A pair of two equal results is, on the scale of pairs, the same observation as one game with this result.
        let mut race = bernstein(LIMITS, Schedule::Geometric, 4);
        let verdict =
            pseudo_random_games(0.55, 0.0).find_map(|game| race.push(2 * game).break_value());
        let bounds = [0.500_986_837_694_342_5, 0.596_541_007_999_762_4];
        assert_verdict(verdict.expect("a verdict"), 3681, Reason::Better, true, Some(bounds));
    }

    #[test]
    fn hoeffdings_interval_has_a_closed_form() {
        // After t games, the half-width is sqrt(x / (2 t)), where x = ln(2 x 1.1 / (0.05 x 0.1)) + 1.1 ln k at test k.
        // The tests are at t = 1, 2, ..., 11, 13, 15, 17, 19. If all games are won, the interval leaves 1/2 when x / (2
        // t) < 1/4: this quotient is 8.990 / 34 at k = 14, t = 17, and 9.066 / 38 at k = 15, t = 19.
        let mut race = IntervalRace::new(Inequality::Hoeffding, LIMITS, Schedule::Geometric, 2);
        let verdict = (0..).find_map(|_| race.push(2).break_value()).expect("a verdict");
        assert_eq!((verdict.num_observations, verdict.reason), (19, Reason::Better));
        // All games are drawn, but Hoeffding's inequality does not use the fact that they do not vary.
        let mut race = IntervalRace::new(Inequality::Hoeffding, LIMITS, Schedule::Geometric, 2);
        let verdict = (0..).find_map(|_| race.push(1).break_value()).expect("a verdict");
        assert_eq!(verdict.reason, Reason::Precision);
        let t = verdict.num_observations as f64;
        let [low, high] = verdict.interval;
        let x = (high - low) * (high - low) / 4.0 * 2.0 * t;
        assert!((10.0..13.0).contains(&x), "ln(2 / d) is {x} after {t} games");
    }

    #[test]
    fn the_budget_ends_a_race_without_acceptance() {
        let mut race = bernstein(LIMITS, Schedule::Geometric, 2);
        assert_verdict(race.out_of_budget(), 0, Reason::Budget, false, Some([0.0, 1.0]));
        for _ in 0..10 {
            assert!(race.push(2).is_continue());
        }
        let verdict = race.out_of_budget();
        assert_verdict(verdict, 10, Reason::Budget, true, None);
        assert!(!verdict.accepts());
    }

    /// Between two equal players, the verdicts "better" and "worse" are wrong, and must occur with probability at most
    /// delta. The bound is conservative; the measured rate is far below delta.
    #[test]
    fn equal_players_are_rarely_separated() {
        use rand::RngExt;
        let mut rng = ruse_base::rng::StreamKey::root(1).stream();
        let num_races = 400;
        let wrong = (0..num_races)
            .filter(|_| {
                let limits = Limits { delta: 0.05, precision: 0.05 };
                let mut race = bernstein(limits, Schedule::Geometric, 2);
                let mut games = std::iter::repeat_with(|| if rng.random::<bool>() { 2 } else { 0 });
                let verdict = games.find_map(|game| race.push(game).break_value());
                verdict.expect("it stops").reason != Reason::Precision
            })
            .count();
        // At a true rate of 0.05 there are 20 errors on average, and 39 or more for one seed in 30 000.
        assert!(wrong < 39, "{wrong} of {num_races} races between equal players had a winner");
    }

    /// For Hoeffding's inequality with precision .01, the earliest test that can stop has x / (2 (.51)^2) observations:
    /// x = ln(2 x 1.1 / (.05 x .1)) = 6.08678 at the first test gives 11.70, and x + 1.1 ln 2 = 6.84924 at the second
    /// gives 13.17. For Bernstein's, 3 x / .51 with x = ln(3 x 1.1 / .005) = 6.49224 gives 38.19. With precision .6, an
    /// interval of width 1.2 is narrow enough, and 6.08678 / (2 x 1.44) = 2.11.
    #[test]
    fn a_race_cannot_stop_before_its_intervals_are_narrow() {
        let race = |inequality, precision| {
            let limits = Limits { delta: 0.05, precision };
            IntervalRace::new(inequality, limits, Schedule::Geometric, 2)
        };
        let mut hoeffding = race(Inequality::Hoeffding, 0.01);
        assert_eq!(hoeffding.observations_before_stop(), 11);
        assert!(hoeffding.push(2).is_continue());
        assert_eq!(hoeffding.observations_before_stop(), 12);
        assert_eq!(race(Inequality::EmpiricalBernstein, 0.01).observations_before_stop(), 38);
        assert_eq!(race(Inequality::Hoeffding, 0.6).observations_before_stop(), 2);
        // After 100 observations, the next test is known: the tests are at 1, 2, ..., 11, 13, 15, 17, 19, 21, 24, 27,
        // 30, 33, 37, 41, 46, 51, 57, 63, 70, 77, 85, 94, 104.
        for observation in (0..99).map(|game| 2 * (game % 2)) {
            assert!(hoeffding.push(observation).is_continue());
        }
        assert_eq!(hoeffding.observations_before_stop(), 4);
    }

    /// Two of the three half points that were possible in each of two games are worth 3 of 4.
    #[test]
    fn doubt_is_the_mean_of_the_opponent() {
        let mut race = bernstein(LIMITS, Schedule::Geometric, 2);
        assert_eq!(race.doubt(), -0.5);
        assert!(race.push(2).is_continue() && race.push(1).is_continue());
        assert_eq!((race.doubt(), race.out_of_budget().candidate_leads), (-0.75, true));
        let mut even = bernstein(LIMITS, Schedule::Geometric, 2);
        assert!(even.push(1).is_continue());
        assert!(!even.out_of_budget().candidate_leads);
    }

    /// Intervals that contradict each other stop the race; the mean decides.
    #[test]
    fn contradictions_end_a_race() {
        for (lower, upper, observation, leads) in [(0.9, 0.8, 2, true), (0.9, 0.8, 0, false)] {
            let mut race = bernstein(LIMITS, Schedule::EveryObservation, 2);
            (race.lower, race.upper) = (lower, upper);
            let verdict = race.push(observation).break_value().expect("a contradiction");
            assert_eq!((verdict.reason, verdict.candidate_leads), (Reason::Inconsistent, leads));
        }
        // An even game does not lead; the bounds agree.
        let mut race = bernstein(LIMITS, Schedule::EveryObservation, 2);
        (race.lower, race.upper) = (0.9, 0.8);
        assert!(!race.push(1).break_value().expect("a contradiction").candidate_leads);
        for (bounds, reason) in [([0.5, 0.5], Reason::Precision), ([0.6, 0.6], Reason::Better)] {
            let mut race = bernstein(LIMITS, Schedule::EveryObservation, 2);
            [race.lower, race.upper] = bounds;
            assert_eq!(race.push(1).break_value().expect("narrow").reason, reason);
        }
    }
}
