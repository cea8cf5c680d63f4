//! `ruse report`: writes a page about an experiment.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use ruse_base::files::{Replaces, check_output, write_output};
use ruse_base::stop::StopSignal;
use ruse_lab::{Plan, RunDirectory, measure_ablation};
use ruse_registry::Registry;
use ruse_report::figures::Run;
use ruse_report::page::Page;
use ruse_report::shown::{Results, best_run, check_paper};

use super::ablation::AblationArgs;
use super::arguments::MachineArgs;
use super::failure::{Failure, Result, print};
use super::page::{GamesArgs, Shelf};
use super::progress::{GROUPS, WorkProgress};
use super::screen::open;
use super::verbosity::say;

/// Write one page about an experiment, to read and to share: tables, figures, strategies in words
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The directory of a run or a comparison
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// The file to write the page to [default: report.html in the directory]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Add the published figures of the paper: Cauwet & Teytaud (2018), or Saint-Pierre & Teytaud (2014) for portfolios
    #[arg(long)]
    side_by_side: bool,
    /// Make the best strategies playable on the page, which grows by the size of a page of `ruse page`
    #[arg(long)]
    playable: bool,
    /// Instead of a page, write files for a paper into this directory: LaTeX tables, figures one column wide, a
    /// bibliography, and a document that uses them
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "playable"])]
    paper: Option<PathBuf>,
    #[command(flatten)]
    games: GamesArgs,
    #[command(flatten)]
    ablation: AblationArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

pub(super) fn report(args: &ReportArgs, registry: &Registry, stop: &StopSignal) -> Result {
    let path = &args.directory;
    // A missing run is reported even if the output file is unsuitable, too.
    if !RunDirectory::is_at(path) {
        RunDirectory::open(path, registry)?;
    }
    if let Some(out) = &args.paper {
        check_paper(out)?;
        let (directory, plan) = RunDirectory::open(path, registry)?;
        let results = Results::new(&plan, &directory, registry, stop, &say);
        say(&results.kind().write_paper(&results, args.side_by_side, out)?);
        return print(&format!("{}\n", out.display()));
    }
    let out = args.out.clone().unwrap_or_else(|| path.join("report.html"));
    check_output(&out, Replaces::Page)?;
    // Writing into the directory needs its lock.
    let is_written = args.out.is_none() || args.ablation.wanted().is_some();
    let (directory, plan) = open(path, is_written, registry)?;
    let results = Results::new(&plan, &directory, registry, stop, &say);
    measure(&args.ablation, &results)?;
    let playable = if args.playable { playable(&results, &args.games)? } else { None };
    if plan.runs.is_empty() {
        results.say_unfinished()?;
    }
    write(&results, &out, args.side_by_side, playable)?;
    print(&format!("{}\n", out.display()))
}

/// Writes the page about the results in a directory, as `ruse report` does. With `side_by_side`, it shows the published
/// figures beside ours. `playable` is an HTML document for playing, which the page embeds.
///
/// # Errors
///
/// Returns an error if the results cannot be read, or the page cannot be written.
pub fn write_page(
    directory: &RunDirectory,
    plan: &Plan,
    registry: &Registry,
    out: &Path,
    side_by_side: bool,
    playable: Option<String>,
) -> Result<(), Failure> {
    let stop = StopSignal::default();
    write(&Results::new(plan, directory, registry, &stop, &say), out, side_by_side, playable)
}

fn write(results: &Results<'_>, out: &Path, is_beside: bool, playable: Option<String>) -> Result {
    let page = Page { playable, ..results.kind().page(results, is_beside)? };
    Ok(write_output(out, Replaces::Page, page.html())?)
}

/// Carries out the requested measurements without results, and writes them into the directory.
fn measure(args: &AblationArgs, results: &Results<'_>) -> Result {
    let Results { plan, directory, stop, .. } = *results;
    let Some(wanted) = args.wanted() else { return Ok(()) };
    if plan.runs.is_empty() {
        let have = results.kind().have();
        let message = format!("`--ablate` measures the parameters of champions, and {have} none");
        return Err(Failure::with_advice(message, "leave `--ablate` out"));
    }
    let champions = results.kind().described(results)?;
    if champions.is_empty() {
        say("no run is finished: there are no parameters to measure");
    }
    let mut progress: Option<(String, WorkProgress)> = None;
    measure_ablation(plan, directory, &champions, &wanted, stop, |run, [done, all]| {
        let name = run.run_name();
        if progress.as_ref().is_none_or(|(known, _)| *known != name) {
            progress = Some((name, WorkProgress::new(GROUPS, all as u64)));
        }
        if let Some((_, bar)) = &progress {
            bar.on_done(done as u64, None, "");
        }
    })?;
    if let Some((_, bar)) = progress {
        bar.finish();
    }
    Failure::unless_finished(stop)
}

/// Returns a page for playing against the best strategy of each family or, with one family, of each method. Returns
/// `None` if no run is finished.
fn playable(results: &Results<'_>, games: &GamesArgs) -> Result<Option<String>> {
    let Results { plan, registry, .. } = *results;
    let families: BTreeSet<&String> = plan.runs.iter().map(|run| &run.labels[0]).collect();
    let num_labels = if families.len() == 1 { 2 } else { 1 };
    let mut shelf = Shelf::new(registry);
    let alike = |a: &Run<'_>, b: &Run<'_>| {
        a.experiment.labels[..num_labels] == b.experiment.labels[..num_labels]
    };
    for runs in results.runs().chunk_by(alike) {
        if let Some((best, file)) = best_run(runs)? {
            shelf.put(&best.run_name(), &file)?;
        }
    }
    match shelf.files.is_empty() {
        true => Ok(None),
        false => Ok(Some(games.page(shelf.files)?.beginning_with_first(true).html())),
    }
}
