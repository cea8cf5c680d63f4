//! The cost of a decision at a known winning rate, and a lower bound on this cost.
//!
//! The lower bound: let an operator accept candidates of winning rate at most `low` with probability at most delta, and
//! refuse candidates of rate at least `high` with probability at most delta. The number of games T of the operator
//! satisfies E[T] KL(p, q) >= kl(P_p(accept), P_q(accept)) for all rates p and q: the transportation inequality of
//! Kaufmann, Cappe & Garivier, *On the complexity of best-arm identification in multi-armed bandit models*, JMLR 17,
//! 2016 (lemma 1), where KL and kl are divergences of Bernoulli variables in nats. For p = `low` or `high` this is the
//! bound of Wald, *Sequential tests of statistical hypotheses*, Annals of Mathematical Statistics 16, 1945. We apply it
//! with q = `low` and q = `high`. The probability of acceptance at p is chosen such that the larger of the two bounds
//! is as small as possible.
//!
//! Games are independent here and have no draws. Pairs that share their deal can need fewer games.
//!
//! Cost: a few nanoseconds per game. Memory: one number per race.

use std::ops::ControlFlow;

use rand::Rng;
use rayon::prelude::*;
use ruse_base::bisection::bisect;
use ruse_base::rng::{Label, StreamKey};

use super::{Limits, Operator, Race};

/// The number of games of races at one winning rate, and the share of the races that accept the candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// The mean number of games of a race.
    pub mean_games: f64,
    /// The 10% and 90% quantiles of the number of games of a race.
    pub range: [f64; 2],
    /// The fraction of races that accepted the candidate.
    pub accepted: f64,
}

/// Runs `num_races` races over pairs of independent games that the candidate wins with probability `rate`, in [0, 1].
///
/// # Panics
///
/// Panics if `num_races` is 0.
pub fn measured_cost(
    comparison: Operator,
    limits: Limits,
    rate: f64,
    num_races: u64,
    key: StreamKey,
) -> Cost {
    assert!(num_races > 0, "there is nothing to measure");
    // The games of a pair are won or lost.
    let scale = 4;
    // Each of the two games is a number of 32 random bits; a number below this bound is a win.
    let wins_below = (rate.clamp(0.0, 1.0) * 4_294_967_296.0).round() as u64;
    let hold = |race: u64| {
        let mut stream = key.child(Label::Race, race).stream();
        let mut race = comparison.race(limits, scale);
        loop {
            let bits = stream.next_u64();
            let wins = [bits >> 32, bits & 0xFFFF_FFFF].map(|draw| u16::from(draw < wins_below));
            if let ControlFlow::Break(verdict) = race.push(2 * (wins[0] + wins[1])) {
                return (2 * verdict.num_observations, verdict.accepts());
            }
        }
    };
    let mut races: Vec<(u64, bool)> = (0..num_races).into_par_iter().map(hold).collect();
    races.sort_unstable();
    let n = num_races as f64;
    let quantile = |share: f64| races[(share * (n - 1.0)).round() as usize].0 as f64;
    Cost {
        mean_games: races.iter().map(|&(games, _)| games as f64).sum::<f64>() / n,
        range: [quantile(0.1), quantile(0.9)],
        accepted: races.iter().filter(|&&(_, accepted)| accepted).count() as f64 / n,
    }
}

/// Returns the divergence of Bernoulli variables with means `p` and `q`, in nats; q is within (0, 1).
fn divergence(p: f64, q: f64) -> f64 {
    let term = |p: f64, q: f64| if p == 0.0 { 0.0 } else { p * libm::log(p / q) };
    term(p, q) + term(1.0 - p, 1.0 - q)
}

/// Returns a lower bound on the mean number of games that an operator takes at winning rate `rate`. The bound holds for
/// every operator that refuses candidates of rate at most `low` and accepts candidates of rate at least `high`, each
/// with error probability at most `delta`.
///
/// All rates are within (0, 1), `low` is below `high`, and `delta` is below 1/2.
///
/// # Panics
///
/// Panics if the arguments are outside of these ranges.
pub fn least_games(delta: f64, [low, high]: [f64; 2], rate: f64) -> f64 {
    assert!(0.0 < delta && delta < 0.5, "delta {delta}");
    assert!(0.0 < low && low < high && high < 1.0, "rates {low} and {high}");
    assert!(0.0 < rate && rate < 1.0, "rate {rate}");
    // As the probability of acceptance grows from delta to 1 - delta, the bound from `low` grows, and the other falls.
    let from_low = |accept: f64| divergence(accept, delta) / divergence(rate, low);
    let from_high = |accept: f64| divergence(1.0 - accept, delta) / divergence(rate, high);
    if rate <= low {
        return from_high(delta);
    }
    if rate >= high {
        return from_low(1.0 - delta);
    }
    // 60 halvings of an interval of length 1 end at the precision of a double.
    let is_below = |accept| from_low(accept) < from_high(accept);
    from_low(bisect([delta, 1.0 - delta], 60, is_below)[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_number_of_games_by_hand() {
        // At both ends, kl(.05, .95) = .9 ln 19 = 2.649995 and KL(.51, .49) = .02 ln(51 / 49) = .000800107. 2.649995 /
        // .000800107 = 3312.05 (Wald's bound).
        for rate in [0.49, 0.51] {
            let found = least_games(0.05, [0.49, 0.51], rate);
            assert!((found - 3312.05).abs() < 0.05, "{found}");
        }
        // In the middle, both answers are equally good: kl(.5, .05) = .830366, KL(.5, .49) = .00020004.
        let found = least_games(0.05, [0.49, 0.51], 0.5);
        assert!((found - 4151.0).abs() < 0.5, "{found}");
        // KL(.6, .5) = .6 ln 1.2 + .4 ln .8 = .0201355: 131.61.
        let found = least_games(0.05, [0.5, 0.52], 0.6);
        assert!((found - 131.61).abs() < 0.01, "{found}");
        // The bound is symmetric about the middle.
        assert!(
            (least_games(0.05, [0.49, 0.51], 0.4) - least_games(0.05, [0.49, 0.51], 0.6)).abs()
                < 1e-6
        );
    }

    /// For each operator that keeps its error probability, the mean number of games over 60 races is above the lower
    /// bound. The means are several times as large as the bound, and their standard errors are a few per cent. A race
    /// by majority takes 102 games.
    #[test]
    fn no_operator_needs_fewer_games_than_the_least() {
        let limits = Limits { delta: 0.05, precision: 0.05 };
        for rate in [0.5, 0.55, 0.6, 0.7] {
            let cost = |comparison| measured_cost(comparison, limits, rate, 60, StreamKey::root(1));
            let (low, high) = (0.5 - limits.precision, 0.5 + limits.precision);
            for comparison in [Operator::Bernstein, Operator::Hoeffding] {
                assert!(cost(comparison).mean_games > least_games(0.05, [low, high], rate));
            }
            let betting = cost(Operator::Betting).mean_games;
            assert!(betting > least_games(0.05, [0.5, 0.5 + 2.0 * limits.precision], rate));
            assert_eq!(cost(Operator::Majority).range, [102.0, 102.0]);
        }
    }

    #[test]
    fn certain_games_take_as_many_as_the_race_needs() {
        let cost =
            measured_cost(Operator::Bernstein, Limits::default(), 1.0, 3, StreamKey::root(1));
        // The race plays 63 pairs, as in the tests of the race itself.
        let expected = Cost { mean_games: 126.0, range: [126.0, 126.0], accepted: 1.0 };
        assert_eq!(cost, expected);
    }

    /// The second and the tenth of eleven sorted races are the ends of the range. The means over 1 to 11 races tell the
    /// number of games of each race.
    #[test]
    fn ranges_leave_out_a_tenth_at_each_end() {
        let cost = |num_races| {
            let limits = Limits { delta: 0.05, precision: 0.02 };
            measured_cost(Operator::Hoeffding, limits, 0.6, num_races, StreamKey::root(1))
        };
        let mut games: Vec<f64> = (1..=11)
            .map(|n| cost(n).mean_games * n as f64)
            .scan(0.0, |before, sum| Some((sum - std::mem::replace(before, sum)).round()))
            .collect();
        games.sort_by(f64::total_cmp);
        assert_eq!(cost(11).range, [games[1], games[9]]);
        assert!(games[1] < games[9] && games[9] < games[10], "{games:?}");
    }

    /// A race by majority always takes 102 games; it accepts all candidates at rate 1, and none at rate 0.
    #[test]
    fn shares_of_races_are_shares() {
        let cost = |rate| {
            measured_cost(Operator::Majority, Limits::default(), rate, 40, StreamKey::root(1))
        };
        for (rate, accepted) in [(0.0, 0.0), (1.0, 1.0)] {
            let expected = Cost { mean_games: 102.0, range: [102.0, 102.0], accepted };
            assert_eq!(cost(rate), expected);
        }
    }

    /// At rate .4, candidates are accepted with probability .05 at most: 2.649995 / KL(.4, .51), where KL(.4, .51) = .4
    /// ln(40 / 51) + .6 ln(60 / 49) = .0243361. At rates between the limits, an independent program balanced both
    /// bounds with 30 digits.
    #[test]
    fn the_least_number_of_games_is_not_symmetric() {
        for (delta, limits, rate, expected) in [
            (0.05, [0.49, 0.51], 0.4, 108.891_6),
            (0.05, [0.2, 0.6], 0.5, 8.212_26),
            (0.05, [0.2, 0.6], 0.3, 8.928_99),
            (0.1, [0.3, 0.6], 0.45, 10.700_72),
        ] {
            let found = least_games(delta, limits, rate);
            assert!((found - expected).abs() < 1e-5 * expected, "{found}, {expected} expected");
        }
    }
}
