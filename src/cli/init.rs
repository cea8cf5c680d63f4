//! `ruse init`: an experiment file to begin with.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use clap::Args;

use super::failure::{Failure, print};
use super::format::paragraph;
use crate::lab::template;
use crate::registry::Registry;

/// Write an experiment file with every key explained, which `ruse run` takes as it is
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// The family of a run, or several to compare methods on
    #[arg(value_name = "FAMILY", required = true)]
    families: Vec<String>,
    /// The file, which must not exist
    #[arg(long, value_name = "FILE", default_value = "experiment.yaml")]
    out: PathBuf,
}

pub(super) fn init(args: &InitArgs, registry: &Registry) -> Result<(), Failure> {
    let text = template(&args.families, registry)?;
    let path = args.out.display();
    let written = File::create_new(&args.out).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            let advice = "`--out` names another file; nothing is overwritten";
            Failure::with_advice(format!("{path} is there already"), advice)
        }
        _ => Failure::Failed(format!("cannot write {path}: {error}")),
    })?;
    print(&paragraph(&format!(
        "Written to {path}.\n`ruse run {path} --dry-run` says how much there is to do, `ruse run {path}` does it."
    )))
}
