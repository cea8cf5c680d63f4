//! `ruse rank`: which method is best over the tasks of a benchmark.

use clap::Args;
use ruse_lab::BenchmarkScores;
use ruse_registry::Registry;
use ruse_report::{Benchmark, Format, figures};

use super::arguments::one_of;
use super::failure::{Failure, Result, print};
use super::figure_file::FigureFile;
use super::format::{paragraph, terminal, written};
use super::race::{parse_range, read_scores};

/// The advice about a file that is not of this kind.
pub(super) const ADVICE: &str = "a benchmark has the columns method, task and score, and perhaps seed; or tasks in the first column, and a column \
     for each method";

/// Rank methods by their scores on the tasks of any benchmark
///
/// A file has the columns `method`, `task` and `score`, and perhaps `seed`; or the tasks in its first column, and a column
/// for each method. Each task counts once, with the mean over its scores. Ranks, Friedman's test and Wilcoxon's tests with
/// Holm's correction show which differences are more than chance.
#[derive(Debug, Args)]
pub(super) struct RankArgs {
    /// The scores, in CSV; - for standard input
    file: String,
    /// Less is better
    #[arg(long)]
    less: bool,
    /// The least and the largest possible score, if there are such [default: none]
    #[arg(long, value_name = "MIN,MAX", value_parser = parse_range, allow_hyphen_values = true)]
    range: Option<[f64; 2]>,
    /// The format: terminal, md, csv, tex, json or html
    #[arg(long, value_name = "F", default_value = "terminal", conflicts_with = "json",
          value_parser = one_of(Format::ALL, Format::name), hide_possible_values = true)]
    format: Format,
    /// A file for the diagram of mean ranks: an SVG, PNG or PDF file
    #[arg(long, value_name = "FILE")]
    plot: Option<FigureFile>,
    /// A file for the scores as dots
    #[arg(long, value_name = "FILE")]
    dots: Option<FigureFile>,
    /// Print JSON, as --format json does
    #[arg(long)]
    json: bool,
}

pub(super) fn rank(args: &RankArgs, _: &Registry) -> Result {
    let found = read_scores(&args.file, BenchmarkScores::parse, ADVICE)?;
    let [low, high] = found.range();
    if args.range.is_some_and(|[least, largest]| low < least || high > largest) {
        let message = format!("{}: the scores {low} to {high} are outside of --range", args.file);
        return Err(Failure::with_advice(message, "leave --range out, or give a wider one"));
    }
    if low == high {
        return Err(Failure::bad_input(format!("{}: all scores are {low}", args.file)));
    }
    let benchmark = Benchmark::new(&found, args.range, args.less);
    if let Some(file) = &args.plot {
        let across =
            benchmark.across.as_ref().ok_or_else(|| Failure::bad_input(benchmark.verdict()))?;
        file.write(figures::critical_difference(across, &benchmark.verdict()))?;
    }
    if let Some(file) = &args.dots {
        file.write(figures::benchmark(&benchmark))?;
    }
    let format = if args.json { Format::Json } else { args.format };
    let options = terminal().options();
    let tables = benchmark.tables().render(format, &options);
    if format != Format::Terminal {
        return print(&tables);
    }
    let files = [&args.plot, &args.dots].into_iter().flatten();
    let written: String = files.map(|file| written(Some(file.path()))).collect();
    print(&format!("{}\n{tables}{written}", paragraph(&benchmark.verdict())))
}
