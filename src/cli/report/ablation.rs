//! The worth of champions' parameters on the page of an experiment.

use ruse_base::files::reading;
use ruse_base::stop::StopSignal;
use ruse_lab::{
    Experiment, Plan, Product, RunDirectory, STRATEGY, StrategyFile, Study, Subject,
    measure_ablation, read_subjects,
};
use ruse_report::AblationTable;
use ruse_report::page::{Column, Section, Table};

use super::super::ablation::AblationArgs;
use super::super::drawing::Drawing;
use super::super::failure::Failure;
use super::super::progress::{GROUPS, WorkProgress};
use super::super::runless::runless;
use super::super::verbosity::say;
use super::figures_of;

/// Carries out the requested measurements without results, and writes them into `directory`.
pub(super) fn measure(
    args: &AblationArgs,
    directory: &RunDirectory,
    plan: &Plan,
    stop: &StopSignal,
) -> Result<(), Failure> {
    let Some(wanted) = args.wanted() else { return Ok(()) };
    if let Some(of) = runless(plan).filter(|_| plan.runs.is_empty()) {
        return Err(Failure::with_advice(
            format!("`--ablate` measures the parameters of champions, and {} none", of.have()),
            "leave `--ablate` out",
        ));
    }
    let champions = champions(directory, plan)?;
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
    stop.check().map_err(|_| {
        say("the same command continues from here");
        Failure::Interrupted
    })
}

/// Returns the runs whose champions the page describes: in each family the run with the highest score, or the winner if
/// the champions of all methods have raced.
fn champions<'p>(directory: &RunDirectory, plan: &'p Plan) -> Result<Vec<&'p Experiment>, Failure> {
    // Unfinished runs may have strategies, but these are not final.
    let mut finished = read_subjects(directory, plan)?;
    finished.retain(|subject| subject.product == Product::Champion);
    if let Study::Championship(_) = plan.study {
        let path = directory.path().join(STRATEGY);
        if !reading::is_there(&path)? {
            return Ok(Vec::new());
        }
        let winner = StrategyFile::read(&path)?.found.map(|found| found.method);
        let runs = finished.iter().map(|subject| subject.experiment);
        return Ok(runs.filter(|run| Some(&run.resolved.method) == winner.as_ref()).collect());
    }
    let family = |subject: &Subject<'p>| &subject.experiment.labels[0];
    let best = finished.chunk_by(|a, b| family(a) == family(b)).filter_map(|of_family| {
        let scored = of_family
            .iter()
            .filter_map(|subject| Some((subject.strategy.score()?.score, subject.experiment)));
        scored.max_by(|(x, _), (y, _)| x.total_cmp(y)).map(|(_, experiment)| experiment)
    });
    Ok(best.collect())
}

/// Returns a section with these tables, or `None` without tables.
pub(super) fn section(
    plan: &Plan,
    tables: &[AblationTable],
    drawings: &[Drawing],
) -> Option<Section> {
    if tables.is_empty() {
        return None;
    }
    let table = |worths: &AblationTable| Table {
        title: format!("{}: {}, seed {}", worths.family, worths.method, worths.seed),
        columns: AblationTable::COLUMNS.map(Column::new).into(),
        rows: worths.rows(|row| plan.num_parameters(row)).into_iter().map(Vec::from).collect(),
        is_folded: false,
    };
    Some(Section {
        title: "The worth of parameters".into(),
        text: tables.iter().map(|table| table.sentences().join(" ")).collect(),
        figures: figures_of(drawings, "champions"),
        tables: tables.iter().map(table).collect(),
        ..Section::default()
    })
}
