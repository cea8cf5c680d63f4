//! `ruse publish`: copies the results of an experiment into a few files.

use std::path::PathBuf;

use clap::Args;
use ruse_base::stop::StopSignal;
use ruse_lab::RunDirectory;
use ruse_registry::Registry;
use ruse_report::Format;
use ruse_report::shown::Results;

use super::failure::{Failure, Result, print};
use super::verbosity::say;

/// Copy the results of an experiment into a few small files, to keep and to share
///
/// The files contain a row for every run, learning curves, meetings and tables. `ruse table`, `ruse plot` and `ruse
/// report` read the new directory like the original. Checkpoints, populations, full histories and mixtures are left
/// out; `ruse run` on its experiment.yaml computes them again.
#[derive(Debug, Args)]
pub(super) struct PublishArgs {
    /// The directory of a finished experiment
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// A new directory for the files
    #[arg(long, value_name = "NEW")]
    out: PathBuf,
}

pub(super) fn publish(args: &PublishArgs, registry: &Registry) -> Result {
    let (directory, plan) = RunDirectory::open(&args.directory, registry)?;
    ruse_lab::publish(&directory, &plan, &args.out, |new| {
        // The tables are computed from the published files alone.
        let (new, plan) = RunDirectory::open(new, registry)?;
        let stop = StopSignal::default();
        let results = Results::new(&plan, &new, registry, &stop, &say);
        Ok::<_, Failure>(results.write_tables(Format::Markdown)?)
    })?;
    print(&format!("{}\n", args.out.display()))
}
