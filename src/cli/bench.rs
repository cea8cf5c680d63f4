//! `ruse bench`: the speed of games and of decisions on this machine.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use ruse_base::stop::{StopSignal, Stopped};
use ruse_play::family::AnyFamily;
use ruse_play::race::{Limits, Operator};
use ruse_registry::Registry;
use ruse_report::figures::decision_costs;
use serde_json::{Value, json};

use super::arguments::{MachineArgs, one_of, operators_help};
use super::failure::{Failure, Result, print, print_json};
use super::figure_file::FigureFile;
use super::format::{grouped, paragraph, rounded, table_of, text};
use super::progress::WorkProgress;
use super::verbosity::say;
use crate::speed::{Decisions, Speed, Timed, decisions, peak_memory_bytes, speed};

/// Measure how fast this machine plays the games, and how fast it decides which strategy is better
#[derive(Debug, Args)]
#[command(mut_args(|arg| match arg.get_id() == "threads" {
    true => arg.help("Threads to compare with one thread [default: all processors]"),
    false => arg,
}))]
pub(super) struct BenchArgs {
    /// Families to measure [default: all]
    #[arg(value_name = "FAMILY")]
    families: Vec<String>,
    /// Seconds for each family
    #[arg(long, value_name = "S", default_value = "1.5", value_parser = parse_seconds,
          allow_hyphen_values = true)]
    seconds: Duration,
    #[arg(long, value_name = "C", default_value = Operator::ALL[0].name(),
          help = operators_help("The comparison operator of the decisions"),
          value_parser = one_of(Operator::ALL, Operator::name), hide_possible_values = true)]
    comparison: Operator,
    /// Instead, draw how many games a decision takes, by operator and winning rate (FILE.svg, FILE.png or FILE.pdf)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["families", "json", "seconds", "comparison"])]
    plot_decisions: Option<FigureFile>,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The valid times for measuring a family, in seconds. Shorter ones would be noise, and longer ones not more accurate.
const SECONDS: std::ops::RangeInclusive<f64> = 0.01..=3600.0;

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| SECONDS.contains(seconds));
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| {
        format!("write seconds as 1.5, between {} and {}", SECONDS.start(), SECONDS.end())
    })
}

/// A thread with less than this share of a processor probably competes with other programs.
const NOT_BUSY: f64 = 0.9;

struct Measured<'a> {
    family: &'a dyn AnyFamily,
    speed: Speed,
    decisions: Decisions,
}

/// The share of a family's time that is spent measuring the speed of games. The rest is spent on the speed of decisions.
const SHARE_OF_SPEED: f64 = 0.6;

impl<'a> Measured<'a> {
    /// Measures a family. If interrupted, the second result is an error.
    fn new(
        family: &'a dyn AnyFamily,
        comparison: Operator,
        time: Duration,
        stop: &StopSignal,
    ) -> (Measured<'a>, Result<(), Stopped>) {
        let time_for_speed = time.mul_f64(SHARE_OF_SPEED);
        let (speed, played) = speed(family, time_for_speed, stop);
        let mut measured = Measured { family, speed, decisions: Decisions::default() };
        if played.is_err() {
            return (measured, played);
        }
        let (limits, time) = (Limits::default(), time - time_for_speed);
        let (decisions, decided) = decisions(family, comparison, limits, time, u64::MAX, stop);
        measured.decisions = decisions;
        (measured, decided)
    }

    fn efficiency(&self, num_threads: usize) -> Option<f64> {
        Some(self.speed.ratio()? / num_threads as f64)
    }

    fn row(&self, num_threads: usize) -> [String; 8] {
        let text = |number: Option<f64>, show: fn(f64) -> String| number.map_or("-".into(), show);
        let decisions = &self.decisions;
        let games = match decisions.games_per_decision() {
            None if decisions.timed.games > 0 => {
                format!("> {}", rounded(decisions.timed.games as f64))
            }
            games => text(games, rounded),
        };
        [
            self.family.name().into(),
            text(self.speed.one_thread.games_per_s(), rounded),
            text(self.speed.all_threads.games_per_s(), rounded),
            text(self.speed.ratio(), |ratio| format!("{ratio:.2}")),
            text(self.efficiency(num_threads), |share| format!("{:.0}%", 100.0 * share)),
            games,
            text(decisions.decisions_per_s(), short),
            text(decisions.timed.games_per_s(), rounded),
        ]
    }

    fn json(&self, num_threads: usize) -> Value {
        let Measured { family, speed, decisions } = self;
        json!({
            "family": family.name(),
            "games_per_s_one_thread": speed.one_thread.games_per_s(),
            "games_per_s_all_threads": speed.all_threads.games_per_s(),
            "games_per_cpu_s_one_thread": speed.one_thread.games_per_cpu_s(),
            "games_per_cpu_s_all_threads": speed.all_threads.games_per_cpu_s(),
            "ratio": speed.ratio(),
            "efficiency": self.efficiency(num_threads),
            "decisions": decisions.num_decisions,
            "games_in_decisions": decisions.timed.games,
            "games_per_decision": decisions.games_per_decision(),
            "decisions_per_s": decisions.decisions_per_s(),
            "games_per_s_in_decisions": decisions.timed.games_per_s(),
        })
    }
}

/// Formats a number with two decimals below 99.5, otherwise with three significant digits.
fn short(number: f64) -> String {
    if number < 99.5 { format!("{number:.2}") } else { rounded(number) }
}

/// Returns the mean number of processors in use while one thread played, and while all did; `None` if the processor
/// time is unknown.
fn processors(all_measured: &[Measured<'_>]) -> Option<[f64; 2]> {
    let mean = |side: fn(&Speed) -> Timed| {
        let mut sum = Timed::default();
        all_measured.iter().for_each(|measured| sum.add(side(&measured.speed)));
        Some(sum.cpu_s.filter(|_| sum.elapsed_s > 0.0)? / sum.elapsed_s)
    };
    Some([mean(|speed| speed.one_thread)?, mean(|speed| speed.all_threads)?])
}

/// The number of races for each point of the figure. The standard error of a mean is then a few per cent of it.
const NUM_RACES: u64 = 400;

fn plot_decisions(file: &FigureFile, stop: &StopSignal) -> Result {
    let costs = decision_costs(Limits::default(), NUM_RACES, 1, stop, |name| {
        say(&format!("races of {name}"));
    });
    file.write(costs.map_err(|_| Failure::nothing_yet())?)?;
    print(&format!("drawn in {}\n", file.path().display()))?;
    stop.check().map_err(|_| Failure::Interrupted)
}

pub(super) fn bench(args: &BenchArgs, registry: &Registry, stop: &StopSignal) -> Result {
    if let Some(file) = &args.plot_decisions {
        return plot_decisions(file, stop);
    }
    let families: Vec<Arc<dyn AnyFamily>> = match args.families.as_slice() {
        [] => {
            let names = registry.families().map(AnyFamily::name);
            names.map(|name| registry.family(name)).collect::<Result<_, _>>()?
        }
        names => names.iter().map(|name| registry.family(name)).collect::<Result<_, _>>()?,
    };
    let num_threads = rayon::current_num_threads();

    let progress = WorkProgress::new("families", families.len() as u64);
    let mut all_measured = Vec::new();
    let mut done = Ok(());
    for (family, num_done) in families.iter().zip(0..) {
        progress.on_done(num_done, None, &format!("now {}", family.name()));
        let (measured, ended) = Measured::new(family.as_ref(), args.comparison, args.seconds, stop);
        all_measured.push(measured);
        if ended.is_err() {
            done = Err(Failure::Interrupted);
            break;
        }
    }
    progress.finish();

    let memory = peak_memory_bytes();
    if args.json {
        let families = all_measured.iter().map(|measured| measured.json(num_threads));
        print_json(&json!({
            "threads": num_threads,
            "comparison": args.comparison.name(),
            "seconds_per_family": args.seconds.as_secs_f64(),
            "families": families.collect::<Vec<_>>(),
            "peak_memory_bytes": memory,
        }))?;
        return done;
    }
    let s = if num_threads == 1 { "" } else { "s" };
    let on_all = format!("on {num_threads} thread{s}");
    let header = ["family", "games/s, alone", &on_all, "ratio", "efficiency"];
    let of_decisions = ["games per decision", "decisions per s", "games/s in decisions"];
    let header = header.into_iter().chain(of_decisions);
    let rows = all_measured.iter().map(|measured| measured.row(num_threads));
    let rows = table_of(header, &[1, 2, 3, 4, 5, 6, 7], rows);
    let meaning = format!(
        "Games between strategies with Gaussian parameters, alone on one thread and {on_all}; decisions of \
         the iterative method with {} races, the first twenty of each run.",
        args.comparison.name()
    );
    let busy = match processors(&all_measured) {
        Some([one, all]) if all < NOT_BUSY * num_threads as f64 || one < NOT_BUSY => {
            paragraph(&format!(
                "The machine is busy: alone, a thread had {one:.2} processors, and {on_all} there were {all:.2}. The \
                 ratio describes the free processors, not the whole machine."
            ))
        }
        _ => String::new(),
    };
    let memory = memory.map_or(String::new(), |bytes| {
        paragraph(&format!("Peak memory: {} MiB.", grouped(bytes.div_ceil(1 << 20))))
    });
    print(&format!("{}\n{}{busy}{memory}", text(&rows), paragraph(&meaning)))?;
    done
}
