//! Checks the size of a plan before the work starts, and guards against enormous plans.

use clap::Args;
use ruse_lab::{Plan, PlanSize};

use super::failure::Failure;
use super::format::grouped;

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

/// Describes the size of a plan that is probably a mistake. Returns `None` for other plans.
pub(super) fn excess(plan: &Plan) -> Option<String> {
    let size = plan.size();
    if !size.is_huge() {
        return None;
    }
    if size.num_runs > PlanSize::MANY_RUNS {
        return Some(format!("{} runs", grouped(size.num_runs)));
    }
    let (work, games) = size.largest();
    let at_least = if games == u64::MAX { "at least " } else { "" };
    Some(format!("{at_least}{} {}", grouped(games), work.in_words()))
}

/// Returns an error if the plan is probably a mistake and `--huge` is not given.
pub(super) fn check(plan: &Plan, args: &CautionArgs) -> Result<(), Failure> {
    match excess(plan) {
        Some(excess) if !args.huge => Err(Failure::with_advice(
            format!("the experiment comes to {excess}"),
            "see how long that takes with `--dry-run`; `--huge` carries it out",
        )),
        _ => Ok(()),
    }
}
