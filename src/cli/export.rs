//! `ruse export`: a small game in the format of another program.

use std::path::PathBuf;

use clap::Args;
use ruse_base::files::{Replaces, write_output};
use ruse_registry::Registry;
use ruse_strategies_rules::gambit_tree;

use super::arguments::RuleArgs;
use super::failure::{Failure, Result, print};
use super::format::terminal;
use super::solve::on_joint_moves;

/// Write the game tree of a small rule file for other programs
///
/// The tree has an information set for each situation of a role, and goals as payoffs. Gambit and OpenSpiel read it.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// A rule file (FILE.kif)
    #[arg(value_name = "FILE.kif")]
    game: String,
    /// The format of Gambit, for games in extensive form
    #[arg(long, required = true)]
    efg: bool,
    /// Write to this file, which must not exist, instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    rules: RuleArgs,
}

pub(super) fn export(args: &ExportArgs, registry: &Registry) -> Result {
    let family = args.rules.apply(registry.family(&args.game)?.as_ref())?;
    let Some(file) = family.rule_file() else {
        return Err(Failure::with_advice(
            format!("{} is not a rule file, so its tree is unknown", args.game),
            "name a file FILE.kif; `ruse list --full` lists the files",
        ));
    };
    let tree = on_joint_moves(&|| false, 2, |work| gambit_tree(file, work)).map_err(|error| {
        Failure::with_advice(
            format!("{} cannot be exported: {error}", args.game),
            "choose a smaller game, or shorten it, as with `--rule steps=8`",
        )
    })?;
    match &args.out {
        None => print(&tree),
        Some(path) => {
            write_output(path, Replaces::Nothing, &tree)?;
            print(&terminal().written_to(path))
        }
    }
}
