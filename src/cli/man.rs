//! `ruse man`: manual pages.

use std::path::PathBuf;

use clap::Args;

use super::failure::{Failure, print};
use crate::registry::Registry;

/// Print the manual page, or write those of all commands into a directory
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The directory for ruse.1, ruse-optimise.1 and so on, such as ~/.local/share/man/man1
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn man(args: &ManArgs, registry: &Registry) -> Result<(), Failure> {
    // Without the text of `help`, which has a page for every page.
    let command = super::command(registry).disable_help_subcommand(true);
    match &args.out {
        Some(directory) => {
            let unwritable = |error| {
                Failure::Failed(format!("cannot write manuals to {}: {error}", directory.display()))
            };
            std::fs::create_dir_all(directory).map_err(unwritable)?;
            clap_mangen::generate_to(command, directory).map_err(unwritable)
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command)
                .render(&mut page)
                .map_err(|error| Failure::Failed(format!("cannot write the manual: {error}")))?;
            print(&String::from_utf8_lossy(&page))
        }
    }
}
