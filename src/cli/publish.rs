//! `ruse publish`: an experiment in few files.

use std::path::PathBuf;

use clap::Args;

use super::failure::{Failure, print};
use super::{round_robin, seed_study, table};
use crate::lab::{self, Finale, RunDirectory};
use crate::registry::Registry;
use crate::report::Format;

/// Copy what came of an experiment into a few small files, to keep and to pass on: a row for every run, learning curves,
/// meetings, tables
///
/// `ruse table`, `ruse plot` and `ruse report` read the new directory like the one it was made of. Checkpoints,
/// populations, whole histories and mixtures are left out: `ruse run` on its experiment.yaml makes them again.
#[derive(Debug, Args)]
pub(super) struct PublishArgs {
    /// The directory of the experiment, which is finished
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Where the files go, a directory that is not there yet
    #[arg(long, value_name = "NEW")]
    out: PathBuf,
}

pub(super) fn publish(args: &PublishArgs, registry: &Registry) -> Result<(), Failure> {
    let (directory, plan) = RunDirectory::open(&args.directory, registry)?;
    lab::publish(&directory, &plan, &args.out, |new| {
        // The tables are made of the files that are published, and of nothing else.
        let (new, plan) = RunDirectory::open(new, registry)?;
        match &plan.finale {
            Finale::Portfolios(of) => {
                let report = seed_study::report(&new, of, false)?;
                seed_study::write_tables(&new, &report, Format::Markdown)
            }
            Finale::RoundRobin(of) => {
                let report = round_robin::report(&new, of)?;
                round_robin::write_tables(&new, &report, Format::Markdown)
            }
            _ => table::write_tables(&new, &table::report(&new, &plan, false)?, Format::Markdown),
        }
    })?;
    print(&format!("{}\n", args.out.display()))
}
