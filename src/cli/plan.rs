//! `ruse plan`: lists the jobs of an experiment.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use ruse_base::names::by_key;
use ruse_base::stop::StopSignal;
use ruse_lab::{Job, JobKind, Jobs, Plan};
use ruse_registry::Registry;
use ruse_report::shown::{measure, starts, with_programs};
use serde_json::{Value, json};

use super::arguments::MachineArgs;
use super::failure::Result;
use super::format::{self, counted, grouped, in_words, paragraph, table_of, text};
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
    measure(&plan, &mut jobs, &machine(registry, stop))?;
    output::write(&Planned { plan: &plan, jobs, args }, args.json)
}

struct Planned<'a> {
    plan: &'a Plan,
    jobs: Jobs,
    args: &'a PlanArgs,
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
        page += &paragraph(&format!(
            "Times are for games at the speed of this machine, measured just now. `ruse run {file} --out DIR --shard 0/100` does the \
             jobs 0, 100, 200 and so on, on any machine that sees DIR, and `ruse resume DIR` does the rest. --json lists all jobs."
        ));
        page += &starts(self.plan, format::terminal());
        page
    }

    fn object(&self) -> Value {
        let object = json!({"fingerprint": self.jobs.fingerprint, "jobs": self.jobs.jobs});
        with_programs(object, self.plan)
    }
}
