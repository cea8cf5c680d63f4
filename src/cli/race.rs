//! `ruse race`: the verdict of a race on games that were played elsewhere.

use std::fmt::Write;

use clap::Args;
use ruse_base::rng::StreamKey;
use ruse_base::stop::StopSignal;
use ruse_play::race::{
    Limits, Operator, Reason, Verdict, counts_stop, median_unbiased, verdict_of_counts,
};
use ruse_play::score::Estimate;
use ruse_registry::Registry;
use serde_json::{Value, json};

use super::arguments::{MachineArgs, one_of, parse_fraction};
use super::failure::{Failure, Result};
use super::format::{counted, digits, grouped, interval, paragraph, score};
use super::output::{self, Answer};

/// The comparison operators that promise something about games of any number.
const OPERATORS: [Operator; 3] = [Operator::Betting, Operator::Bernstein, Operator::Hoeffding];

/// Decide by the results of any games which of two players is better, at any time of stopping
///
/// The results are counts, from the view of the first player, of games that this or another program has played. The
/// interval and the verdict hold even if the games ended because of their results.
#[derive(Debug, Args)]
pub(super) struct RaceArgs {
    /// Games WON,DRAWN,LOST, or with letters in any order, as in W=880,L=759,D=1863; or five numbers: pairs of games, with
    /// seats swapped, that brought the first player 0, 1/2, 1, 3/2 and 2 points
    #[arg(long, value_name = "COUNTS", value_parser = parse_counts, allow_hyphen_values = true)]
    counts: Counts,
    /// The comparison operator: betting, bernstein or hoeffding
    #[arg(long, value_name = "C", default_value = OPERATORS[0].name(),
          value_parser = one_of(OPERATORS, Operator::name), hide_possible_values = true)]
    comparison: Operator,
    /// The probability that the verdict is wrong
    #[arg(long, value_name = "D", default_value_t = 0.05, value_parser = parse_fraction, allow_hyphen_values = true)]
    delta: f64,
    /// The half-width of the interval at which the race stops without a winner
    #[arg(long, value_name = "E", default_value_t = 0.01, value_parser = parse_fraction, allow_hyphen_values = true)]
    precision: f64,
    /// The games ended because this race reached its verdict: estimate the score without the bias of this rule
    #[arg(long)]
    stopped: bool,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The number of observations of each value, from the lowest to the highest score of the first player: three numbers
/// for games, five for pairs.
#[derive(Debug, Clone, PartialEq)]
struct Counts(Vec<u64>);

/// The largest number in the counts. Sums of squares of more observations could overflow.
const MAX_COUNT: u64 = 1_000_000_000_000;

fn parse_counts(text: &str) -> Result<Counts, String> {
    let number = |part: &str| {
        let found = part.trim().parse::<u64>().ok().filter(|&count| count <= MAX_COUNT);
        found.ok_or_else(|| format!("`{part}` is not a whole number from 0 to {MAX_COUNT}"))
    };
    let named = ["L=", "D=", "W="].map(|letter| {
        text.split(',').filter_map(move |part| part.trim().strip_prefix(letter)).collect::<Vec<_>>()
    });
    if text.contains('=') {
        // Scores ascend.
        let counts = named.map(|counts| match counts[..] {
            [count] => number(count),
            _ => Err("give each of W=, D= and L= once, as in W=880,L=759,D=1863".to_string()),
        });
        return counts.into_iter().collect::<Result<_, _>>().map(Counts).and_then(Counts::checked);
    }
    let mut counts: Vec<u64> = text.split(',').map(number).collect::<Result<_, _>>()?;
    match counts.len() {
        // Scores ascend.
        3 => counts.reverse(),
        5 => {}
        n => {
            return Err(format!(
                "found {}; give three, WON,DRAWN,LOST, or five, for pairs with 0, 1/2, 1, 3/2 and 2 points",
                counted(n as u64, "number")
            ));
        }
    }
    Counts(counts).checked()
}

impl Counts {
    fn checked(self) -> Result<Counts, String> {
        if self.num_observations() == 0 { Err("there are no games".into()) } else { Ok(self) }
    }

    fn num_observations(&self) -> u64 {
        self.0.iter().sum()
    }

    fn in_words(&self) -> String {
        let num = self.num_observations();
        let percent = |&count: &u64| format!("{:.1}%", 100.0 * count as f64 / num as f64);
        let shares: Vec<String> = self.0.iter().map(percent).collect();
        match shares.as_slice() {
            [lost, drawn, won] => {
                format!("{}: won {won}, drawn {drawn}, lost {lost}", counted(num, "game"))
            }
            points => format!(
                "{} ({} games): with 0, 1/2, 1, 3/2 and 2 points {}",
                counted(num, "pair"),
                grouped(2 * num),
                points.join(", ")
            ),
        }
    }
}

pub(super) fn race(args: &RaceArgs, _: &Registry, stop: &StopSignal) -> Result {
    let (operator, name) = (args.comparison, args.comparison.name());
    let limits = Limits { delta: args.delta, precision: args.precision };
    let least = operator.smallest_precision();
    if limits.precision < least {
        let message =
            format!("--precision is {}, and the least of a {name} race is {least}", args.precision);
        return Err(Failure::with_advice(message, "give a larger precision"));
    }
    let counts = &args.counts.0;
    let verdict = verdict_of_counts(operator, limits, counts).expect("an operator with bounds");
    if args.stopped && !counts_stop(operator, limits, counts) {
        let message = format!(
            "a {name} race with delta {} and precision {} does not stop after exactly these games",
            args.delta, args.precision
        );
        let advice = "leave --stopped out, or give the --comparison, --delta and --precision of the race that ended them";
        return Err(Failure::with_advice(message, advice));
    }
    // Without the correction, the verdict still holds.
    let median = || median_unbiased(operator, limits, counts, StreamKey::root(1), stop);
    let found = args.stopped.then(median).transpose();
    let unbiased = found.as_ref().ok().copied().flatten();
    output::write(&Raced { args, limits, verdict, unbiased }, args.json)?;
    found?;
    Ok(())
}

struct Raced<'a> {
    args: &'a RaceArgs,
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

/// Formats a probability or a precision with few digits: .05, 1e-12.
fn short(number: f64) -> String {
    if number < 1e-4 { format!("{number:e}") } else { number.to_string() }
}

/// Formats the probability 1 - `delta` in percent, or as a difference from 1 if it would be rounded to 100%.
fn confidence(delta: f64) -> String {
    match (1e4 * (1.0 - delta)).round() / 100.0 {
        100.0 => format!("(1 - {})", short(delta)),
        percent => format!("{percent}%"),
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

    /// Returns the verdict as one word, and what it says about the expected score.
    fn in_words(&self) -> (&'static str, String) {
        let high = score(0.5 + 2.0 * self.limits.precision.min(0.24), 4);
        match self.verdict.reason {
            Reason::Better => ("better", "the expected score is above .5".into()),
            Reason::Worse => ("worse", "the expected score is below .5".into()),
            Reason::NotBetter => ("not-better", format!("the expected score is below {high}")),
            Reason::Equivalent => {
                ("equivalent", format!("the expected score is between .5 and {high}"))
            }
            Reason::Precision => {
                ("precision", "the interval is as narrow as wanted, and contains .5".into())
            }
            _ => ("undecided", "more games are needed".into()),
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
        // The interval has two sides, and may contain .5 although the verdict is clear.
        let sides = if args.comparison == Operator::Betting { ", one-sided" } else { "" };
        let mut page = format!("{word}: {meaning} ({}{sides}", args.comparison.name());
        let _ =
            writeln!(page, ", delta {}, precision {})", short(args.delta), short(args.precision));
        let _ = writeln!(page, "{}", args.counts.in_words());
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
        let Counts(counts) = &args.counts;
        let games = if counts.len() == 3 { 1 } else { 2 } * args.counts.num_observations();
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
            "precision": args.precision,
            "games": games,
            "counts": counts,
            "score": verdict.score,
            "interval": verdict.interval,
            "confidence": self.estimate().confidence,
            "elo": elo(verdict.score),
            "elo_interval": verdict.interval.map(elo),
            "unbiased_score": unbiased,
            "unbiased_elo": unbiased.and_then(elo),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_three_or_five_numbers() {
        assert_eq!(parse_counts("520,300,480"), Ok(Counts(vec![480, 300, 520])));
        assert_eq!(parse_counts("1, 2,3 ,4,5"), Ok(Counts(vec![1, 2, 3, 4, 5])));
        assert_eq!(parse_counts("W=520,L=480, D=300"), parse_counts("520,300,480"));
        for (text, problem) in [
            ("1,2", "found 2 numbers; give three, WON,DRAWN,LOST, or five"),
            ("7", "found 1 number;"),
            ("1,-2,3", "`-2` is not a whole number"),
            ("1.5,2,3", "`1.5` is not a whole number"),
            ("1,,3", "`` is not a whole number"),
            ("1000000000001,0,0", "is not a whole number from 0 to 1000000000000"),
            ("W=0,D=0,L=0", "there are no games"),
            ("W=1,D=2", "give each of W=, D= and L= once"),
            ("W=1,D=2,L=3,W=4", "give each of W=, D= and L= once"),
            ("W=1,D=x,L=3", "`x` is not a whole number"),
        ] {
            let error = parse_counts(text).expect_err(text);
            assert!(error.contains(problem), "{text}: {error}");
        }
    }

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
