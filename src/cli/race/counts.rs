//! `ruse race --counts`: the verdict on games that were played elsewhere.

use std::fmt::Write;

use ruse_base::rng::StreamKey;
use ruse_base::stop::StopSignal;
use ruse_play::race::{
    BettingRace, Limits, Operator, Reason, Verdict, counts_stop, median_unbiased, missing,
    verdict_of_counts,
};
use ruse_play::score::Estimate;
use serde_json::{Value, json};

use super::settings::{Counts, RaceArgs, confidence, needed};
use crate::cli::failure::{Failure, Result};
use crate::cli::format::{digits, interval, paragraph, score};
use crate::cli::output::{self, Answer};

fn verdict_on(operator: Operator, against: f64, limits: Limits, counts: &[u64]) -> Verdict {
    match operator {
        Operator::Betting => BettingRace::verdict_of_counts(against, limits, counts),
        _ => verdict_of_counts(operator, limits, counts).expect("an operator with bounds"),
    }
}

pub(super) fn race(args: &RaceArgs, Counts(counts): &Counts, stop: &StopSignal) -> Result {
    let (operator, name) = (args.comparison, args.comparison.name());
    args.check_elo(false)?;
    let (against, precision) = args.hypotheses(0.5);
    let limits = Limits { delta: args.delta, precision };
    let least = operator.smallest_precision();
    if limits.precision < least {
        let message =
            format!("--precision is {precision}, and the least of a {name} race is {least}");
        return Err(Failure::with_advice(message, "give a larger precision"));
    }
    let is_asked = args.against.is_some() || args.elo0.is_some();
    if is_asked && !((0.001..=0.999).contains(&against) && precision >= 1e-6) {
        let message = format!("no race is about the score {against} with precision {precision}");
        let advice = "the score lies between .001 and .999, and the precision is at least 1e-6";
        return Err(Failure::with_advice(message, advice));
    }
    let verdict = verdict_on(operator, against, limits, counts);
    if args.stopped && !counts_stop(operator, limits, counts) {
        let message = format!(
            "a {name} race with delta {} and precision {precision} does not stop after exactly these games",
            args.delta
        );
        let advice = "leave --stopped out, or give the --comparison, --delta and --precision of the race that ended them";
        return Err(Failure::with_advice(message, advice));
    }
    // Without the correction, the verdict still holds.
    let median = || median_unbiased(operator, limits, counts, StreamKey::root(1), stop);
    let found = args.stopped.then(median).transpose();
    let unbiased = found.as_ref().ok().copied().flatten();
    let raced = Raced { args, counts: Counts(counts.clone()), against, limits, verdict, unbiased };
    output::write(&raced, args.json)?;
    found?;
    args.exit(verdict.reason)
}

struct Raced<'a> {
    args: &'a RaceArgs,
    counts: Counts,
    /// The score that the first player must exceed.
    against: f64,
    limits: Limits,
    verdict: Verdict,
    /// The median-unbiased estimate of the score, if the race ended the games.
    unbiased: Option<f64>,
}

/// Returns the difference of ratings that predicts a score; `None` for 0 and 1.
fn elo(score: f64) -> Option<f64> {
    (score > 0.0 && score < 1.0).then(|| 400.0 * libm::log10(score / (1.0 - score)))
}

fn elo_in_words(score: f64) -> String {
    match elo(score) {
        // A number that rounds to zero has no sign.
        Some(elo) if elo.abs() < 0.05 => "0.0".into(),
        Some(elo) => format!("{elo:+.1}"),
        None if score > 0.5 => "+inf".into(),
        None => "-inf".into(),
    }
}

impl Raced<'_> {
    fn estimate(&self) -> Estimate {
        Estimate {
            score: self.verdict.score,
            interval: self.verdict.interval,
            confidence: 1.0 - self.limits.delta,
            pairs: self.verdict.num_observations,
        }
    }

    /// Returns how many more games decide the race, if it is open.
    fn missing(&self) -> Option<u64> {
        let Raced { args, against, limits, .. } = self;
        let is_open = |counts: &[u64]| {
            verdict_on(args.comparison, *against, *limits, counts).reason == Reason::Budget
        };
        missing(&self.counts.0, is_open)
    }

    /// Returns the verdict as one word, and what it says about the expected score.
    fn in_words(&self) -> (&'static str, String) {
        let above = self.against + 2.0 * self.limits.precision.min(0.48 * (1.0 - self.against));
        let in_elo = |at: f64| format!("{} ({} Elo)", score(at, 4), elo_in_words(at));
        let low = if self.against == 0.5 { ".5".into() } else { in_elo(self.against) };
        match self.verdict.reason {
            Reason::Better => ("better", format!("the expected score is above {low}")),
            Reason::Worse => ("worse", format!("the expected score is below {low}")),
            Reason::NotBetter => {
                ("not-better", format!("the expected score is below {}", in_elo(above)))
            }
            Reason::Equivalent => {
                ("equivalent", format!("the expected score is between {low} and {}", in_elo(above)))
            }
            Reason::Precision => {
                ("precision", "the interval is as narrow as wanted, and contains .5".into())
            }
            _ => (
                "undecided",
                needed(self.missing(), if self.counts.0.len() == 3 { "game" } else { "pair" }),
            ),
        }
    }
}

impl Answer for Raced<'_> {
    fn page(&self) -> String {
        let Raced { args, verdict, .. } = self;
        let estimate = self.estimate();
        let digits = digits(&estimate);
        let [low, high] = verdict.interval.map(elo_in_words);
        let (word, meaning) = self.in_words();
        let mut page = format!("{word}: {meaning} ({})\n", args.settings());
        let _ = writeln!(page, "{}", self.counts.in_words());
        let _ = writeln!(
            page,
            "score {}, Elo {}; {} interval at any time of stopping {}, Elo [{low}, {high}]",
            score(verdict.score, digits),
            elo_in_words(verdict.score),
            confidence(args.delta),
            interval(&estimate),
        );
        let _ = match self.unbiased {
            Some(unbiased) => writeln!(
                page,
                "median-unbiased score {}, Elo {}: too high as often as too low, if this race ended the games",
                score(unbiased, digits),
                elo_in_words(unbiased)
            ),
            None => writeln!(
                page,
                "If this race ended the games, the score lies too far from .5 on average; --stopped corrects it."
            ),
        };
        paragraph(page.trim_end())
    }

    fn object(&self) -> Value {
        let Raced { args, verdict, unbiased, .. } = self;
        let Counts(counts) = &self.counts;
        let games = if counts.len() == 3 { 1 } else { 2 } * self.counts.num_observations();
        let names: &[&str] = match counts.len() {
            3 => &["losses", "draws", "wins"],
            _ => &["0", "1/2", "1", "3/2", "2"],
        };
        let counts: serde_json::Map<String, Value> =
            names.iter().zip(counts).map(|(name, &count)| ((*name).into(), count.into())).collect();
        json!({
            "verdict": self.in_words().0,
            "comparison": args.comparison.name(),
            "delta": args.delta,
            "precision": self.limits.precision,
            "against": self.against,
            "games": games,
            "counts": counts,
            "score": verdict.score,
            "interval": verdict.interval,
            "confidence": self.estimate().confidence,
            "elo": elo(verdict.score),
            "elo_interval": verdict.interval.map(elo),
            "unbiased_score": unbiased,
            "unbiased_elo": unbiased.and_then(elo),
            "missing": (verdict.reason == Reason::Budget).then(|| self.missing()).flatten(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 400 log10(.75 / .25) = 400 x .477121 = 190.85.
    #[test]
    fn ratings_belong_to_scores() {
        assert!((elo(0.75).expect("in range") - 190.848_5).abs() < 1e-3);
        assert_eq!((elo(0.5), elo(0.0), elo(1.0)), (Some(0.0), None, None));
        let words = [0.25, 0.5, 0.0, 1.0].map(elo_in_words);
        assert_eq!(words, ["-190.8", "0.0", "-inf", "+inf"]);
        assert_eq!([0.05, 1e-12].map(confidence), ["95%", "(1 - 1e-12)"]);
    }
}
