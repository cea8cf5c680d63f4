//! The number of games that each comparison operator needs for a decision.

use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{StopSignal, Stopped};
use ruse_play::race::{Limits, Operator, least_games, measured_cost};
use ruse_plots::style::number;
use ruse_plots::{CostPoint, DecisionCosts, LeastGames, OperatorCosts};

/// The winning rates at which the number of games is measured, in hundredths above one half.
const RATES: std::ops::RangeInclusive<u32> = 0..=10;
/// The lower bound is computed at this many winning rates per interval of .01.
const FINER: u32 = 2;

fn rate(hundredths: f64) -> f64 {
    0.5 + hundredths / 100.0
}

/// Measures how many games every operator needs at winning rates from .5 to .6, with `num_races` races for each rate.
/// Also computes a lower bound on this number. `on_operator` receives the name of the current operator.
///
/// # Errors
///
/// Returns an error if a stop was requested before the first point was known; later, the points so far are returned.
///
/// # Panics
///
/// Panics if `num_races` is 0, or delta is not below 1/2.
pub fn decision_costs(
    limits: Limits,
    num_races: u64,
    seed: u64,
    stop: &StopSignal,
    mut on_operator: impl FnMut(&str),
) -> Result<DecisionCosts, Stopped> {
    let mut operators = Vec::new();
    for (index, comparison) in (0..).zip(Operator::ALL) {
        if stop.check().is_err() && !operators.is_empty() {
            break;
        }
        on_operator(comparison.name());
        let key = StreamKey::root(seed).child(Label::Request, index);
        let mut points = Vec::new();
        for hundredths in RATES {
            match stop.check() {
                Err(stopped) if points.is_empty() && operators.is_empty() => return Err(stopped),
                Err(_) => break,
                Ok(()) => {}
            }
            let rate = rate(f64::from(hundredths));
            let key = key.child(Label::Choice, u64::from(hundredths));
            let cost = measured_cost(comparison, limits, rate, num_races, key);
            points.push(CostPoint { rate, games: cost.mean_games, range: cost.range });
        }
        operators.push(OperatorCosts { name: comparison.name().into(), points });
    }
    let Limits { delta, precision } = limits;
    let short =
        |rate: f64| format!("{rate:.3}").trim_start_matches('0').trim_end_matches('0').to_string();
    let limit = |[low, high]: [f64; 2]| LeastGames {
        name: format!("least, to tell {} from {}", short(low), short(high)),
        points: (RATES.start() * FINER..=RATES.end() * FINER)
            .map(|step| rate(f64::from(step) / f64::from(FINER)))
            .map(|rate| (rate, least_games(delta, [low, high], rate)))
            .collect(),
    };
    Ok(DecisionCosts {
        title: "Games that a decision takes".into(),
        caption: format!(
            "{num_races} races a point over pairs of independent games without draws, seed {seed}: means, \
             and bars from the tenth to the ninetieth percentile; delta {}, precision {}. \
             Black: the least mean of a test that takes one of two rates for the other with probability \
             delta at most, kl(1−delta, delta) / KL(rate, the farther one) outside of the two (Wald 1945; \
             Kaufmann, Cappé & Garivier 2016, lemma 1). Bernstein and Hoeffding races promise the first, \
             betting the second, the majority nothing.",
            number(delta),
            number(precision),
        ),
        operators,
        limits: vec![
            limit([0.5 - precision, 0.5 + precision]),
            limit([0.5, 0.5 + 2.0 * precision]),
        ],
    })
}
