//! `ruse merge`: merges the directories of shards from machines without shared files.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use ruse_lab::{Jobs, MergeError, Merged, RunDirectory};
use ruse_registry::Registry;
use serde::Serialize;
use serde_json::{Value, json};

use super::failure::Result;
use super::format::{counted, paragraph};
use super::output::{self, Answer};
use super::unfinished::in_words;

/// Merge the directories of shards of one experiment, from machines that share no files
///
/// Results are copied if they are missing in DIR, or less complete there than in a shard, and checked when they are
/// read; the directories of the shards do not change. Unfinished jobs are named, and `ruse resume DIR` finishes them.
#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// The directory of the results: a new one, or one of the same experiment
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// The directories of shards
    #[arg(value_name = "SHARD", required = true)]
    shards: Vec<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Returns `true` if two paths lead to the same directory.
fn is_same(a: &Path, b: &Path) -> bool {
    fs::canonicalize(a).ok().is_some_and(|a| fs::canonicalize(b).ok() == Some(a))
}

pub(super) fn merge(args: &MergeArgs, registry: &Registry) -> Result {
    // All directories are checked before anything changes.
    let mut all = vec![&args.directory];
    for shard in &args.shards {
        if all.iter().any(|other| is_same(other, shard)) {
            return Err(MergeError::Itself(shard.clone()).into());
        }
        all.push(shard);
    }
    let reopen = |path: &PathBuf| RunDirectory::reopen(path, registry);
    let shards = args.shards.iter().map(reopen).collect::<Result<Vec<_>, _>>()?;
    let (_, plan) = &shards[0];
    let known =
        RunDirectory::is_at(&args.directory).then(|| reopen(&args.directory)).transpose()?;
    for (directory, of_other) in shards.iter().chain(&known) {
        if of_other.fingerprint() != plan.fingerprint() {
            let (from, into) = (directory.path().into(), args.shards[0].clone());
            return Err(MergeError::OtherExperiment { from, into }.into());
        }
    }
    let into = match known {
        Some((directory, _)) => directory,
        None => RunDirectory::create(Some(&args.directory), plan)?,
    };
    let taken = shards.iter().map(|(from, _)| {
        let merged = ruse_lab::merge(plan, &into, from);
        merged.map(|merged| Taken { from: from.path().to_path_buf(), merged })
    });
    let taken = taken.collect::<Result<_, MergeError>>()?;
    let jobs = Jobs::of(plan);
    let left = ruse_lab::unfinished(plan, &jobs, registry, &into)?;
    let report = Put {
        out: args.directory.clone(),
        taken,
        // The finale is not counted.
        num_jobs: jobs.jobs.len() - 1,
        left: (!left.is_empty()).then(|| in_words(&left)),
        names: left.iter().map(|job| job.name.clone()).collect(),
    };
    output::write(&report, args.json)
}

#[derive(Serialize)]
struct Put {
    out: PathBuf,
    taken: Vec<Taken>,
    num_jobs: usize,
    /// A description of the unfinished jobs, if any.
    #[serde(skip)]
    left: Option<String>,
    #[serde(rename = "unfinished")]
    names: Vec<String>,
}

/// The results that were copied from a directory.
#[derive(Serialize)]
struct Taken {
    from: PathBuf,
    #[serde(flatten)]
    merged: Merged,
}

impl Answer for Put {
    fn page(&self) -> String {
        let mut text = String::new();
        for Taken { from, merged } in &self.taken {
            text += &format!(
                "{}: {} copied.\n",
                from.display(),
                counted(merged.num_all() as u64, "result")
            );
        }
        let out = self.out.display();
        let end = match &self.left {
            None => {
                let jobs = counted(self.num_jobs as u64, "job");
                format!("All of {jobs} are finished: `ruse resume {out}` combines them.")
            }
            Some(left) => format!(
                "In {out} {left}, such as {}. `ruse resume {out}` does the rest, and so do their shards.",
                self.names[0]
            ),
        };
        text + &paragraph(&end)
    }

    fn object(&self) -> Value {
        json!(self)
    }
}
