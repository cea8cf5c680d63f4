//! `ruse man`: manual pages.

use std::path::PathBuf;

use clap::Args;
use ruse_base::files::{Replaces, check_output, write_output};

use super::failure::{Failure, Result, print};

/// Print the manual page, or write the manual pages of all commands into a directory
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The directory for ruse.1, ruse-optimise.1 and so on, such as ~/.local/share/man/man1
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn man(args: &ManArgs, command: clap::Command) -> Result {
    // The command `help` repeats every command, so its pages would be duplicates.
    let command = command.disable_help_subcommand(true);
    match &args.out {
        Some(directory) => {
            let unwritable = |error| {
                Failure::Failed(format!("cannot write manuals to {}: {error}", directory.display()))
            };
            std::fs::create_dir_all(directory).map_err(unwritable)?;
            let mut pages = Vec::new();
            let mut command = command;
            command.build();
            render(command, &mut pages).map_err(unwritable)?;
            // All paths are checked first, because another program may have a page with the same name.
            for (name, _) in &pages {
                check_output(&directory.join(name), Replaces::Manual)?;
            }
            for (name, page) in pages {
                write_output(&directory.join(name), Replaces::Manual, page)?;
            }
            Ok(())
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

/// Renders the pages of a built command and its visible subcommands, with their file names.
fn render(command: clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> std::io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()).cloned() {
        render(below, pages)?;
    }
    let manual = clap_mangen::Man::new(command);
    let mut page = Vec::new();
    manual.render(&mut page)?;
    pages.push((manual.get_filename(), page));
    Ok(())
}
