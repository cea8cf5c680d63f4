//! `ruse completions`: completion scripts for shells.

use clap::Args;
use clap_complete::Shell;

use super::failure::{Failure, print};
use crate::registry::Registry;

/// Print the completion script of a shell, to be sourced by it
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(super) fn completions(args: &CompletionsArgs, registry: &Registry) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(registry), "ruse", &mut script);
    print(&String::from_utf8_lossy(&script))
}
