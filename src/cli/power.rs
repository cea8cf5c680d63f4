//! `ruse power`: the number of games and of seeds that a difference takes.

use std::path::Path;

use clap::Args;
use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::StopSignal;
use ruse_lab::{BenchmarkScores, Records, RunDirectory, parse_guest};
use ruse_play::family::BASELINE;
use ruse_play::score::{self, CONFIDENCE, least_to_show, pairs_to_show};
use ruse_registry::Registry;
use ruse_report::shown::Results;
use ruse_report::{Format, PowerReport};
use serde::Serialize;
use serde_json::{Value, json};

use super::arguments::{PlayedArgs, parse_fraction, parse_pairs, parse_seed};
use super::failure::{Failure, Result, print};
use super::format::{counted, paragraph, score as figure, terminal};
use super::output::{self, Answer};
use super::progress::WorkProgress;
use super::race::{is_file, read_scores};
use super::rank;
use super::verbosity::say;

/// Show how many games, or how many seeds of a comparison, show a difference
///
/// With a family: the number of pairs after which the 95% interval of a score lies on one side of one half, with the
/// wanted probability, if the expected score differs from one half by the given difference. With the directory of a
/// comparison, or a file of scores as for `ruse rank`: the number of runs of two methods that show a difference of their
/// expected scores.
#[derive(Debug, Args)]
pub(super) struct PowerArgs {
    /// The game and the kind of parameters (see `ruse list`); or the directory of a comparison; or scores, in CSV
    #[arg(value_name = "FAMILY|DIR|FILE")]
    subject: String,
    /// The player whose games show how much pairs vary, as in `ruse match` [default: baseline]
    a: Option<String>,
    /// The opponent of this player [default: baseline]
    b: Option<String>,
    /// The difference to show: of a score from one half, or of the scores of two methods
    #[arg(long, value_name = "D", default_value_t = 0.02, value_parser = parse_fraction, allow_hyphen_values = true)]
    difference: f64,
    /// The probability that the difference is shown
    #[arg(long, value_name = "P", default_value_t = 0.9, value_parser = parse_fraction, allow_hyphen_values = true)]
    power: f64,
    /// Pairs of games that measure how much pairs vary
    #[arg(long, value_name = "N", default_value = "1000", value_parser = parse_pairs, allow_hyphen_values = true)]
    pairs: u64,
    /// The seed of all random numbers
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = parse_seed, allow_hyphen_values = true)]
    seed: u64,
    #[command(flatten)]
    pub(super) played: PlayedArgs,
}

pub(super) fn power(args: &PowerArgs, registry: &Registry, stop: &StopSignal) -> Result {
    // A family has the same name in any directory, so its name wins.
    let is_directory = Path::new(&args.subject).is_dir() && registry.family(&args.subject).is_err();
    match is_directory {
        true => of_directory(args, registry),
        false if is_file(&args.subject) => of_scores(args),
        false => of_family(args, registry, stop),
    }
}

fn of_directory(args: &PowerArgs, registry: &Registry) -> Result {
    if args.a.is_some() {
        let message = format!("{} is a directory, which takes no players", args.subject);
        return Err(Failure::with_advice(message, "name the directory alone"));
    }
    let (directory, plan) = RunDirectory::open(Path::new(&args.subject), registry)?;
    let stop = StopSignal::default();
    let results = Results::new(&plan, &directory, registry, &stop, &say);
    if plan.runs.is_empty() {
        return Err(Failure::with_advice(
            format!(
                "{} no runs, so its scores do not depend on seeds of runs",
                results.kind().have()
            ),
            "name the directory of a comparison, or a family",
        ));
    }
    results.say_unfinished()?;
    report(args, results.records()?)
}

/// Reports the power of scores from elsewhere.
fn of_scores(args: &PowerArgs) -> Result {
    let found = read_scores(&args.subject, BenchmarkScores::parse, rank::ADVICE)?;
    let range = match found.range() {
        [low, high] if low >= 0.0 && high <= 1.0 => [0.0, 1.0],
        [low, high] if low == high => {
            return Err(Failure::bad_input(format!("{}: all scores are {low}", args.subject)));
        }
        [low, high] => {
            say(&format!(
                "scores and differences are shares of the range of scores, {low} to {high}"
            ));
            [low, high]
        }
    };
    report(args, &found.records(range))
}

fn report(args: &PowerArgs, records: &Records) -> Result {
    let report = PowerReport::new(records, args.difference, args.power);
    let report = report.map_err(Failure::bad_input)?;
    let format = if args.played.json { Format::Json } else { Format::Terminal };
    print(&report.tables().render(format, &terminal().options()))
}

/// The largest difference of a score from one half.
const MAX_DIFFERENCE: f64 = 0.5;

fn of_family(args: &PowerArgs, registry: &Registry, stop: &StopSignal) -> Result {
    let named = args.a.as_deref().into_iter().chain(args.b.as_deref());
    let family = args.played.rules.family(&args.subject, named, registry)?;
    if args.difference >= MAX_DIFFERENCE {
        let message = format!(
            "--difference is {}, and a score differs from one half by at most 0.5",
            args.difference
        );
        return Err(Failure::with_advice(message, "a score is from 0 to 1; give less than 0.5"));
    }
    let [a, b] = [&args.a, &args.b].map(|name| name.as_deref().unwrap_or(BASELINE));
    let [player, opponent] = [a, b].map(|name| parse_guest(name, &family, registry));
    let duel = family.duel(&player?, &opponent?)?;
    let progress = WorkProgress::new("pairs", args.pairs);
    let key = StreamKey::root(args.seed).child(Label::Match, 0);
    let on_pairs = |results: &[_]| progress.on_more(results.len() as u64, "");
    let (tally, played) = score::sample(&duel, key, args.pairs, stop, on_pairs);
    progress.finish();
    if tally.num_pairs() < 2 && played.is_err() {
        return Err(Failure::nothing_yet());
    }
    let values = tally.values();
    let variance = variance(&values);
    let (least_variance, least_pairs) = least_to_show(args.difference, &values);
    // The pairs after which the interval that `ruse match` prints shows the difference. The variance and the number are
    // at least those that an expected score with this difference allows.
    let pairs = |variance: f64| {
        let pairs = pairs_to_show(args.difference, variance.max(least_variance), args.power)?;
        Some(pairs.max(least_pairs?))
    };
    // The largest variance of a number from 0 to 1 whose mean differs from one half by the given difference.
    let largest_variance = MAX_DIFFERENCE * MAX_DIFFERENCE - args.difference * args.difference;
    let found = OfFamily {
        family: family.name(),
        a,
        b,
        difference: args.difference,
        power: args.power,
        confidence: CONFIDENCE,
        measured_pairs: tally.num_pairs(),
        seed: args.seed,
        variance,
        least_variance,
        pairs: pairs(variance),
        largest_variance,
        most_pairs: pairs(largest_variance),
    };
    output::write(&found, args.played.json)?;
    played.map_err(|_| Failure::Interrupted)
}

/// Returns the sample variance of the score of a pair.
fn variance(values: &[(f64, u64)]) -> f64 {
    let count: u64 = values.iter().map(|(_, count)| count).sum();
    let mean =
        values.iter().map(|&(value, count)| value * count as f64).sum::<f64>() / count as f64;
    let squares =
        values.iter().map(|&(value, count)| (value - mean) * (value - mean) * count as f64);
    squares.sum::<f64>() / (count.saturating_sub(1).max(1)) as f64
}

/// The power of games between two players.
#[derive(Serialize)]
struct OfFamily<'a> {
    family: &'a str,
    a: &'a str,
    b: &'a str,
    difference: f64,
    power: f64,
    confidence: f64,
    measured_pairs: u64,
    seed: u64,
    variance: f64,
    least_variance: f64,
    /// The number of pairs that shows the difference, if it is not too large.
    pairs: Option<u64>,
    largest_variance: f64,
    /// The number of pairs if the variance is the largest.
    most_pairs: Option<u64>,
}

impl Answer for OfFamily<'_> {
    fn page(&self) -> String {
        let OfFamily { family, a, b, variance, least_variance: least, .. } = *self;
        let in_words = |pairs| match pairs {
            Some(pairs) => format!("{} ({})", counted(pairs, "pair"), counted(2 * pairs, "game")),
            None => "more pairs than can be played".into(),
        };
        let percent = |share: f64| format!("{}%", (1e4 * share).round() / 100.0);
        let score = figure(0.5 + self.difference, 4);
        let measured = match variance > 0.0 {
            true => format!("{variance:.4}"),
            false => "0, as all pairs were equal".into(),
        };
        let assumed = match variance < least {
            true => format!("; an expected score of {score} has at least {least:.4}"),
            false => String::new(),
        };
        paragraph(&format!(
            "{family}: with probability {}, the {} interval of an expected score of {score} lies above .5 after {}.",
            percent(self.power),
            percent(CONFIDENCE),
            in_words(self.pairs),
        )) + &paragraph(&format!(
            "The variance of a pair was {measured}, in {} of {a} against {b}{assumed}. With the largest possible variance, {:.4}, it \
             takes {}. For differences between methods, the runs count: `ruse power DIR`.",
            counted(self.measured_pairs, "pair"),
            self.largest_variance,
            in_words(self.most_pairs),
        ))
    }

    fn object(&self) -> Value {
        json!(self)
    }
}
