//! Shares of an experiment: `ruse run FILE --out DIR --shard I/N`, and `--job ID`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use ruse_base::stop::StopSignal;
use ruse_lab::{Job, JobKind, Jobs, Plan, RunDirectory, Shard, Share, ShareOutcome};
use ruse_registry::Registry;
use serde_json::{Value, json};

use super::arguments::CheckpointArgs;
use super::execute;
use super::failure::{Failure, Result};
use super::format::{counted, paragraph};
use super::output::{self, Answer};
use super::screen::Screen;
use super::unfinished::in_words;

/// The options for a share of an experiment.
#[derive(Debug, Args)]
pub(super) struct ShareArgs {
    /// Do one share of the experiment, such as 3/100, in a directory shared with other programs; on one thread by
    /// default
    #[arg(long, value_name = "I/N", allow_hyphen_values = true,
          requires = "out", conflicts_with_all = ["job", "dry_run", "reuse"])]
    shard: Option<Shard>,
    /// Do the job with this number in `ruse plan`, under the same conditions as a share
    #[arg(long, value_name = "ID", requires = "out", conflicts_with_all = ["dry_run", "reuse"])]
    job: Option<usize>,
    #[command(flatten)]
    pub(super) checkpoints: CheckpointArgs,
}

/// The default time between the checkpoints of a share. It is long, because many programs share the file system.
pub(super) const CHECKPOINT_EVERY: Duration = Duration::from_secs(60);

impl ShareArgs {
    /// Returns the requested share, or `None` for the whole experiment.
    pub(super) fn share(&self) -> Option<Share> {
        self.shard.map(Share::Shard).or(self.job.map(Share::Job))
    }
}

/// Carries out a share of `plan` in the directory at `out`.
///
/// # Errors
///
/// Returns an error if the share is the finale, the last job, and the directory contains another experiment, or other jobs are
/// unfinished.
pub(super) fn carry_out(
    plan: &Plan,
    share: Share,
    checkpoints: &CheckpointArgs,
    out: &Path,
    registry: &Registry,
    as_json: bool,
    stop: &StopSignal,
) -> Result {
    let jobs = Jobs::of(plan);
    let of_share = share.jobs(&jobs).map_err(|error| {
        Failure::with_advice(error, "`ruse plan FILE --json` lists the jobs of an experiment")
    })?;
    if let [Job { kind: JobKind::Finale, .. }] = of_share.as_slice() {
        let (directory, found) = RunDirectory::reopen(out, registry)?;
        if found.fingerprint() != plan.fingerprint() {
            return Err(Failure::with_advice(
                format!("{} contains another experiment", out.display()),
                "nothing was changed; name the directory of this experiment with --out",
            ));
        }
        let left = ruse_lab::unfinished(plan, &jobs, registry, &directory)?;
        if !left.is_empty() {
            let message = format!("the finale needs all other jobs: {}", in_words(&left));
            let advice = format!("`ruse resume {}` does these and the finale", out.display());
            return Err(Failure::with_advice(message, advice));
        }
        return execute::resume(&checkpoints.apply(directory), &found, registry, as_json, stop);
    }
    stop.check().map_err(|_| Failure::StoppedShare)?;
    let directory = RunDirectory::join(out, plan, registry)?;
    let directory = checkpoints.apply(directory.with_checkpoint_every(CHECKPOINT_EVERY));
    let screen = Screen::default();
    let done =
        ruse_lab::carry_out_share(plan, share, &of_share, registry, &directory, &screen, stop)?;
    let was_stopped = done.was_stopped;
    let names = |ids: &[usize]| ids.iter().map(|&id| jobs.jobs[id].name.clone()).collect();
    let report = Done {
        share,
        fingerprint: &jobs.fingerprint,
        num_jobs: of_share.len(),
        waiting: names(&done.waiting),
        in_use: done.in_use.iter().map(|(id, _)| jobs.jobs[*id].name.clone()).collect(),
        done,
        out: out.into(),
    };
    output::write(&report, as_json)?;
    if was_stopped { Err(Failure::StoppedShare) } else { Ok(()) }
}

struct Done<'a> {
    share: Share,
    fingerprint: &'a str,
    num_jobs: usize,
    done: ShareOutcome,
    /// The jobs of this share that wait for others.
    waiting: Vec<String>,
    /// The jobs that other programs are doing.
    in_use: Vec<String>,
    out: PathBuf,
}

impl Answer for Done<'_> {
    fn page(&self) -> String {
        let Done { share, num_jobs, done, waiting, in_use, out, .. } = self;
        let out = out.display();
        let jobs = counted(*num_jobs as u64, "job");
        let mut text = format!(
            "{}: {jobs}, {} finished before, {} finished now.",
            share.in_words(),
            done.done_before.len(),
            done.done.len()
        );
        if let [first, ..] = waiting.as_slice() {
            let them = if waiting.len() == 1 { "it" } else { "them" };
            text += &format!(
                " {} for unfinished runs: {first}{}. The same command does {them} when these are finished.",
                match waiting.len() {
                    1 => "One job waits".to_string(),
                    num => format!("{num} jobs wait"),
                },
                if waiting.len() == 1 { "" } else { " and others" },
            );
        }
        if let [(_, holder), ..] = done.in_use.as_slice() {
            let holder = holder.as_ref().map_or("another program".into(), ToString::to_string);
            text += &format!(
                " {} left to others: {} to {holder}.",
                match in_use.len() {
                    1 => "One job is".to_string(),
                    num => format!("{num} jobs are"),
                },
                in_use[0]
            );
        }
        if done.was_stopped {
            text += " It was stopped after a checkpoint: the same command continues from there.";
        }
        text += &format!(
            " `ruse resume {out}` does the rest of the experiment, and combines the results."
        );
        paragraph(&text)
    }

    fn object(&self) -> Value {
        let Done { share, fingerprint, num_jobs, done, waiting, in_use, out } = self;
        json!({
            "out": out,
            "share": share.in_words(),
            "fingerprint": fingerprint,
            "num_jobs": num_jobs,
            "done_before": done.done_before,
            "done": done.done,
            "waiting": done.waiting,
            "waiting_names": waiting,
            "in_use": in_use,
            "was_stopped": done.was_stopped,
        })
    }
}
