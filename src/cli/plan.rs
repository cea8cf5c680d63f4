//! `ruse plan`: lists the jobs of an experiment, and simulates them on a cluster.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use ruse_base::names::by_key;
use ruse_base::rng::StreamKey;
use ruse_base::stop::StopSignal;
use ruse_lab::{
    Cluster, Job, JobKind, Jobs, Plan, Simulated, parse_count, parse_duration, simulate,
};
use ruse_registry::Registry;
use ruse_report::shown::{measure, starts, with_programs};
use serde_json::{Value, json};

use super::arguments::MachineArgs;
use super::failure::{Failure, Result};
use super::format::{self, counted, grouped, in_words, paragraph, percent, table_of, text};
use super::output::{self, Answer};
use super::run::{check_file, machine};

/// List the jobs of an experiment, so that several machines can share them
///
/// Runs come first, then the meetings of their champions and best responses, then the finale; within each kind, the
/// longest jobs come first. `ruse run FILE --out DIR --shard 3/100` does the jobs 3, 103, 203 and so on, `--job 3` does
/// one, and `ruse resume DIR` does the rest and the finale. `ruse plan` writes no files.
#[derive(Debug, Args)]
pub(super) struct PlanArgs {
    /// The experiment, in YAML
    file: PathBuf,
    /// With --simulate, measure the speed of this machine, instead of using the times that families declare; job numbers
    /// stay the same
    #[arg(long)]
    measure: bool,
    /// Estimate the time on each of these numbers of cores, with one shard per core, by a simulation that plays no
    /// games
    #[arg(long, value_name = "CORES,...", value_delimiter = ',',
          value_parser = |text: &str| parse_count(text, 1..=1_000_000), allow_hyphen_values = true)]
    simulate: Vec<u64>,
    /// The mean time until a core fails in the simulation, such as 30days [default: never]
    #[arg(long, value_name = "T", value_parser = parse_duration, requires = "simulate", allow_hyphen_values = true)]
    mean_life: Option<Duration>,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
    /// Print one JSON object, with every job
    #[arg(long)]
    json: bool,
}

pub(super) fn plan(args: &PlanArgs, registry: &Registry, stop: &StopSignal) -> Result {
    check_file(&args.file, registry)?;
    let plan = Plan::read(&args.file, registry)?;
    let mut jobs = Jobs::of(&plan);
    let is_measured = args.measure || args.simulate.is_empty();
    if is_measured {
        measure(&plan, &mut jobs, &machine(registry, stop))?;
    }
    let simulated = simulated(&jobs, args)?;
    output::write(&Planned { plan: &plan, jobs, is_measured, args, simulated }, args.json)
}

/// Runs the requested simulations. Returns the cluster and the result of each.
fn simulated(jobs: &Jobs, args: &PlanArgs) -> Result<Vec<(Cluster, Simulated)>> {
    if args.simulate.is_empty() {
        return Ok(Vec::new());
    }
    let seconds: Option<Vec<f64>> = jobs.jobs.iter().map(|job| job.seconds).collect();
    let seconds = seconds.ok_or_else(|| {
        Failure::with_advice(
            "cannot simulate: the duration of these jobs is unknown",
            "pools and round robins have no declared durations; `ruse run FILE --dry-run` estimates them",
        )
    })?;
    let key = StreamKey::root(1);
    let one = |&cores: &u64| {
        let shards = (cores as usize).min(jobs.jobs.len());
        let mean_life_s = args.mean_life.map(|life| life.as_secs_f64());
        let cluster = Cluster { mean_life_s, ..Cluster::new(cores as usize, shards) };
        (cluster, simulate(jobs, &seconds, &cluster, key))
    };
    Ok(args.simulate.iter().map(one).collect())
}

struct Planned<'a> {
    plan: &'a Plan,
    jobs: Jobs,
    is_measured: bool,
    args: &'a PlanArgs,
    simulated: Vec<(Cluster, Simulated)>,
}

/// Returns a time in words, or `?` if it is unknown.
fn time(seconds: Option<f64>) -> String {
    match seconds {
        None => "?".into(),
        // Shorter times would be rounded to 0 seconds.
        Some(seconds) if seconds > 0.0 && seconds < 0.5 => "< 1 second".into(),
        Some(seconds) => in_words(seconds),
    }
}

impl Planned<'_> {
    fn table_of_jobs(&self) -> String {
        let jobs = self.jobs.jobs.iter();
        let jobs = jobs.map(|job| ((job.kind, job.family.as_deref().unwrap_or("")), job));
        let row = |((kind, family), jobs): ((JobKind, &str), Vec<&Job>)| {
            let all: Option<f64> = jobs.iter().map(|job| job.seconds).sum();
            let games = jobs.iter().fold(0, |sum: u64, job| sum.saturating_add(job.games));
            [
                kind.name().to_string(),
                family.to_string(),
                grouped(jobs.len() as u64),
                jobs[0].id.to_string(),
                format::rounded(games as f64),
                time(jobs[0].seconds),
                time(all),
            ]
        };
        let rows = by_key(jobs).into_iter().map(row);
        let header = ["kind", "family", "jobs", "first", "games at most", "longest", "all"];
        text(&table_of(header, &[2, 3, 4, 5, 6], rows))
    }

    fn table_of_simulations(&self) -> String {
        let header = ["cores", "shards", "time", "efficiency", "cores lost", "work repeated"];
        let rows = self.simulated.iter().map(|(cluster, found)| {
            [
                grouped(cluster.cores as u64),
                grouped(cluster.shards as u64),
                time(Some(found.makespan_s)),
                format!("{}%", percent(found.efficiency(cluster.cores))),
                grouped(found.num_failures),
                time(Some(found.lost_s)),
            ]
        });
        text(&table_of(header, &[0, 1, 2, 3, 4, 5], rows))
    }
}

impl Answer for Planned<'_> {
    fn page(&self) -> String {
        let Jobs { fingerprint, jobs, .. } = &self.jobs;
        let mut page = self.table_of_jobs();
        let all: Option<f64> = jobs.iter().map(|job| job.seconds).sum();
        let _ = writeln!(
            page,
            "\n{}, {} in all on one thread. Fingerprint {fingerprint}.",
            counted(jobs.len() as u64, "job"),
            time(all)
        );
        let file = self.args.file.display();
        let how = match self.is_measured {
            true => "Times are for games at the speed of this machine, measured just now",
            false => {
                "Times are declared by the families, and may be wrong by some factor; with --measure they are measured"
            }
        };
        page += &paragraph(&format!(
            "{how}. `ruse run {file} --out DIR --shard 0/100` does the jobs 0, 100, 200 and so on, on any machine that sees DIR, and \
             `ruse resume DIR` does the rest. --json lists all jobs."
        ));
        if !self.simulated.is_empty() {
            let _ = write!(page, "\n{}", self.table_of_simulations());
            page += &paragraph(
                "Simulated: runs, then meetings and responses, then the finale; .4 s to start a shard, seven minutes \
                 until a lost shard has started again, a checkpoint every minute.",
            );
        }
        page += &starts(self.plan, format::terminal());
        page
    }

    fn object(&self) -> Value {
        let simulated = self.simulated.iter().map(|(cluster, found)| {
            json!({
                "cores": cluster.cores,
                "shards": cluster.shards,
                "mean_life_s": cluster.mean_life_s,
                "makespan_s": found.makespan_s,
                "work_s": found.work_s,
                "efficiency": found.efficiency(cluster.cores),
                "num_failures": found.num_failures,
                "lost_s": found.lost_s,
            })
        });
        let object = json!({
            "fingerprint": self.jobs.fingerprint,
            "is_measured": self.is_measured,
            "jobs": self.jobs.jobs,
            "simulated": simulated.collect::<Vec<_>>(),
        });
        with_programs(object, self.plan)
    }
}
