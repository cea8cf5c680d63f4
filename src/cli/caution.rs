//! Checks the size of a plan before the work starts, and guards against enormous plans.

use clap::Args;
use ruse_lab::Plan;
use ruse_report::shown::excess;

use super::failure::{Failure, Result};

/// The options that control the check of a plan before it is carried out.
#[derive(Debug, Args)]
pub(super) struct CautionArgs {
    /// Show what would be done and how long it would take; do nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Begin even if the plan has more than 1000G games or 10,000 runs
    #[arg(long)]
    pub(super) huge: bool,
}

/// Returns an error if the plan is probably a mistake and `--huge` is not given.
pub(super) fn check(plan: &Plan, args: &CautionArgs) -> Result {
    match excess(plan) {
        Some(excess) if !args.huge => Err(Failure::with_advice(
            format!("the experiment comes to {excess}"),
            "see how long that takes with `--dry-run`; `--huge` carries it out",
        )),
        _ => Ok(()),
    }
}
