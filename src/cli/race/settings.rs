//! The arguments of `ruse race`, and words for its settings.

use std::num::NonZeroU16;

use clap::Args;
use ruse_play::race::{Operator, Reason};

use crate::cli::arguments::{MachineArgs, one_of, parse_fraction, parse_seed};
use crate::cli::failure::{Failure, Result};
use crate::cli::format::{counted, grouped};

/// The comparison operators that promise something about games of any number.
const OPERATORS: [Operator; 3] = [Operator::Betting, Operator::Bernstein, Operator::Hoeffding];

ruse_base::named! {
    /// The treatment of a run that fails.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum Failures {
        Stop = "stop",
        Worst = "worst",
        Skip = "skip",
    }
}

/// Decide which of two is better, by their scores or their games, at any time of stopping
///
/// Commands print a score as their last line. They are run with the same seeds, as often as it takes. The scores may also
/// come from a file, and games as counts, from the view of the first player. The interval and the verdict hold even if the
/// scores or the games ended because of their results.
#[derive(Debug, Args)]
pub(crate) struct RaceArgs {
    /// Two commands, such as "python a.py {seed}"; or one, to compare with --against; or a file of scores, .csv or - for
    /// standard input, with one column or two
    #[arg(value_name = "SCORES", num_args = 1..=2, required_unless_present = "counts", conflicts_with = "counts")]
    pub(super) of: Vec<String>,
    /// Games WON,DRAWN,LOST, or with letters in any order, as in W=880,L=759,D=1863; or five numbers: pairs of games, with
    /// seats swapped, that brought the first player 0, 1/2, 1, 3/2 and 2 points
    #[arg(long, value_name = "COUNTS", value_parser = parse_counts, allow_hyphen_values = true)]
    pub(super) counts: Option<Counts>,
    /// The least and the largest possible score
    #[arg(long, value_name = "MIN,MAX", default_value = "0,1", value_parser = parse_range, allow_hyphen_values = true,
          conflicts_with = "counts")]
    pub(super) range: [f64; 2],
    /// Less is better
    #[arg(long, conflicts_with = "counts")]
    pub(super) less: bool,
    /// The number that the mean must exceed: a score, or a difference of two [default: the middle of the range, or 0]
    #[arg(long, value_name = "X", value_parser = parse_number, allow_hyphen_values = true)]
    pub(super) against: Option<f64>,
    /// With --elo1: decide between these two differences of ratings, instead of --against and --precision
    #[arg(long, value_name = "ELO", value_parser = parse_number, allow_hyphen_values = true,
          requires = "elo1", conflicts_with_all = ["against", "precision"])]
    pub(super) elo0: Option<f64>,
    /// The larger difference of ratings
    #[arg(long, value_name = "ELO", value_parser = parse_number, allow_hyphen_values = true, requires = "elo0")]
    pub(super) elo1: Option<f64>,
    /// The comparison operator: betting, bernstein or hoeffding; scores take betting
    #[arg(long, value_name = "C", default_value = OPERATORS[0].name(),
          value_parser = one_of(OPERATORS, Operator::name), hide_possible_values = true)]
    pub(super) comparison: Operator,
    /// The probability that the verdict is wrong
    #[arg(long, value_name = "D", default_value_t = 0.05, value_parser = parse_fraction, allow_hyphen_values = true)]
    pub(super) delta: f64,
    /// Half of the smallest difference that matters, as a share of the range
    #[arg(long, value_name = "E", default_value_t = 0.01, value_parser = parse_fraction, allow_hyphen_values = true)]
    pub(super) precision: f64,
    /// The games ended because this race reached its verdict: estimate the score without the bias of this rule
    #[arg(long, requires = "counts", conflicts_with_all = ["against", "elo0"])]
    pub(super) stopped: bool,
    /// The most runs of each command
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "counts")]
    pub(super) runs: Option<u64>,
    /// The first seed of the commands
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = parse_seed, allow_hyphen_values = true)]
    pub(super) seed: u64,
    /// The runs at once; more than one may distort scores that are times
    #[arg(long, value_name = "N", default_value_t = NonZeroU16::MIN, conflicts_with = "counts")]
    pub(super) jobs: NonZeroU16,
    /// If a run fails: stop, or count the worst score, or skip its seed
    #[arg(long, value_name = "HOW", default_value = "stop", value_parser = one_of(Failures::ALL, Failures::name),
          hide_possible_values = true, conflicts_with = "counts")]
    pub(super) failures: Failures,
    /// End with exit code 0 if the first is better, 1 if not, and 3 if it is undecided
    #[arg(long)]
    pub(super) exit_code: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

/// The number of observations of each value, from the lowest to the highest score of the first player: three numbers
/// for games, five for pairs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Counts(pub(super) Vec<u64>);

/// The largest number in the counts. Sums of squares of more observations could overflow.
const MAX_COUNT: u64 = 1_000_000_000_000;

pub(super) fn parse_counts(text: &str) -> Result<Counts, String> {
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

    pub(super) fn num_observations(&self) -> u64 {
        self.0.iter().sum()
    }

    pub(super) fn in_words(&self) -> String {
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

fn parse_number(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.trim().parse().ok();
    number.filter(|number| number.is_finite()).ok_or_else(|| format!("`{text}` is not a number"))
}

pub(crate) fn parse_range(text: &str) -> Result<[f64; 2], String> {
    let (low, high) = text.split_once(',').ok_or("write two numbers, as in 0,100")?;
    match [parse_number(low)?, parse_number(high)?] {
        [low, high] if low < high && (high - low).is_finite() => Ok([low, high]),
        _ => Err("the first number must be less than the second".into()),
    }
}

/// The logistic function of ratings: a difference of 400 is 10 to 1.
fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + libm::pow(10.0, -elo / 400.0))
}

impl RaceArgs {
    /// Returns the number that the mean must exceed, `usual` if none is given, and the precision.
    pub(super) fn hypotheses(&self, usual: f64) -> (f64, f64) {
        match self.elo0.zip(self.elo1) {
            Some((elo0, elo1)) => (score_of(elo0), (score_of(elo1) - score_of(elo0)) / 2.0),
            None => (self.against.unwrap_or(usual), self.precision),
        }
    }

    /// Checks that ratings are asked of results of games only, in order.
    pub(super) fn check_elo(&self, is_pair: bool) -> Result {
        match self.elo0.zip(self.elo1) {
            Some((elo0, elo1)) if elo0 >= elo1 => {
                Err(Failure::with_advice("--elo0 is not below --elo1", "swap them"))
            }
            Some(_) if is_pair || self.less || self.range != [0.0, 1.0] => {
                Err(Failure::with_advice(
                    "ratings are about results of games, from 0 to 1",
                    "give --counts or one column of results, or --against and --precision",
                ))
            }
            _ => Ok(()),
        }
    }

    /// Describes the rule of the race.
    pub(super) fn settings(&self) -> String {
        // The interval has two sides, and may contain the hypothesis although the verdict is clear.
        let sides = if self.comparison == Operator::Betting { ", one-sided" } else { "" };
        let apart = match self.elo0.zip(self.elo1) {
            Some((elo0, elo1)) => format!("Elo {elo0} or {elo1}"),
            None => format!("precision {}", short(self.precision)),
        };
        format!("{}{sides}, delta {}, {apart}", self.comparison.name(), short(self.delta))
    }

    /// Ends with the exit code of the verdict, if this was asked.
    pub(super) fn exit(&self, reason: Reason) -> Result {
        match reason {
            _ if !self.exit_code => Ok(()),
            Reason::Better => Ok(()),
            Reason::Worse | Reason::NotBetter | Reason::Equivalent | Reason::Precision => {
                Err(Failure::Verdict(1))
            }
            _ => Err(Failure::Verdict(3)),
        }
    }
}

/// Says how many more observations would decide a race.
pub(super) fn needed(missing: Option<u64>, unit: &str) -> String {
    match missing {
        Some(more) => {
            format!("about {} like these would decide", counted(more, &format!("more {unit}")))
        }
        None => format!("ten thousand times as many {unit}s like these would not decide"),
    }
}

/// Formats a probability or a precision with few digits: .05, 1e-12.
pub(super) fn short(number: f64) -> String {
    if number < 1e-4 { format!("{number:e}") } else { plain(number) }
}

/// Formats a number with at most nine decimals.
pub(super) fn plain(number: f64) -> String {
    ((number * 1e9).round() / 1e9).to_string()
}

/// Formats the probability 1 - `delta` in percent, or as a difference from 1 if it would be rounded to 100%.
pub(super) fn confidence(delta: f64) -> String {
    match (1e4 * (1.0 - delta)).round() / 100.0 {
        100.0 => format!("(1 - {})", short(delta)),
        percent => format!("{percent}%"),
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
}
