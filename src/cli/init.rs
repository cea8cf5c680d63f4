//! `ruse init`: writes an experiment file to start with.

use std::path::PathBuf;

use clap::Args;
use ruse_base::files::{Replaces, write_output};
use ruse_lab::template;
use ruse_registry::Registry;

use super::failure::{Result, print};
use super::format::paragraph;

/// Write an experiment file with every key explained, ready for `ruse run`
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// The family of a run, or several families on which to compare methods
    #[arg(value_name = "FAMILY", required = true)]
    families: Vec<String>,
    /// The file, which must not exist
    #[arg(long, value_name = "FILE", default_value = "experiment.yaml")]
    out: PathBuf,
}

pub(super) fn init(args: &InitArgs, registry: &Registry) -> Result {
    let text = template(&args.families, registry)?;
    let path = args.out.display();
    write_output(&args.out, Replaces::Nothing, text)?;
    print(&paragraph(&format!(
        "Written to {path}.\n`ruse run {path} --dry-run` shows how much there is to do, `ruse run {path}` does it."
    )))
}
