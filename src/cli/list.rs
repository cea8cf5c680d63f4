//! `ruse list`: the families there are.

use clap::Args;
use serde_json::json;

use super::failure::{Failure, print, print_json};
use super::format::{paragraph, table, text};
use crate::registry::Registry;

/// List the families: game, parameters, baselines, reference strategies
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The baselines that every family has.
const BASELINES: [&str; 2] = ["redrawn", "fixed"];

pub(super) fn list(args: &ListArgs, registry: &Registry) -> Result<(), Failure> {
    if args.json {
        let families = registry.families().map(|family| {
            json!({
                "family": family.name(),
                "game": family.game_name(),
                "summary": family.summary(),
                "parameters": family.space().dimension(),
                "baselines": BASELINES,
                "references": family.references().into_iter().map(|r| r.name).collect::<Vec<_>>(),
            })
        });
        return print_json(&json!({ "families": families.collect::<Vec<_>>() }));
    }
    let mut rows = table(["family", "game", "parameters", "reference strategies"], &[2]);
    for family in registry.families() {
        let references: Vec<_> = family.references().into_iter().map(|r| r.name).collect();
        rows.add_row([
            family.name(),
            family.game_name(),
            &family.space().dimension().to_string(),
            &references.join(", "),
        ]);
    }
    let baselines = "Baselines of every family: redrawn (standard Gaussian parameters for every pair of \
                     games) and fixed (drawn once).";
    let commands = "`ruse show FAMILY` explains the parameters, `ruse optimise FAMILY` tunes them.";
    print(&format!("{}\n{}{}", text(&rows), paragraph(baselines), paragraph(commands)))
}
