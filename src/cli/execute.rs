//! Carries out plans, and says what came of them.

use super::exploit::champions;
use super::failure::{Failure, print, print_json};
use super::finale::hold_meetings;
use super::format::terminal_width;
use super::jobs::Jobs;
use super::optimise::OutputArgs;
use super::outcome::{self, Outcome};
use super::verbosity::say;
use super::{plot, portfolios, report, table};
use crate::arena::StopSignal;
use crate::experiment::{
    ChampionshipSpec, ExperimentSpec, Finale, MeetingsSpec, Output, Plan, PlanSpec, RunDirectory,
    STRATEGY,
};
use crate::family::{ContestantSpec, Registry};
use crate::figures::{Run, learning_curves};
use crate::portfolio::RacedPortfolio;
use crate::race::{Championship, Comparison, Rules};
use crate::report::{Format, Options, Report};
use crate::rng::StreamKey;

/// Carries out a plan in a new directory, and says what came of it.
pub(super) fn execute(
    plan: &Plan,
    registry: &Registry,
    output: &OutputArgs,
    stop: &StopSignal,
) -> Result<(), Failure> {
    // From here on a signal is heard between two steps, and leaves no half of a directory.
    stop.check().map_err(|_| Failure::Interrupted)?;
    let directory = RunDirectory::create(output.out.as_deref(), plan)?;
    say_if_shared(&directory);
    carry_out(plan, registry, &directory, output.json, stop)
}

/// Goes on with the plan in a directory, and says what came of it.
pub(super) fn resume(
    directory: &RunDirectory,
    plan: &Plan,
    registry: &Registry,
    json: bool,
    stop: &StopSignal,
) -> Result<(), Failure> {
    directory.check_unpublished(plan)?;
    say_if_shared(directory);
    let begun = plan.runs.iter().filter(|run| directory.run_path(run).exists()).count();
    if begun == 0 && !plan.runs.is_empty() {
        say("no run has begun: this is the beginning");
    }
    carry_out(plan, registry, directory, json, stop)
}

/// Says that nothing keeps other programs out of a directory, if that is so.
pub(super) fn say_if_shared(directory: &RunDirectory) {
    if !directory.is_exclusive() {
        let path = directory.path().display();
        say(&format!(
            "the file system of {path} has no locks: make sure that no other program works there"
        ));
    }
}

fn carry_out(
    plan: &Plan,
    registry: &Registry,
    directory: &RunDirectory,
    as_json: bool,
    stop: &StopSignal,
) -> Result<(), Failure> {
    if let Finale::Portfolios(of) = &plan.finale {
        portfolios::carry_out(of, registry, directory, stop)?;
        portfolios::write_outputs(of, directory)?;
        return portfolios::tell(of, directory, as_json);
    }
    let jobs = Jobs::new(plan, directory, stop);
    let outcomes = jobs.carry_out()?;
    let all_done = outcomes.iter().all(Option::is_some) && stop.check().is_ok();
    let outcomes: Vec<_> = outcomes.into_iter().flatten().collect();
    let told = match (&plan.finale, &plan.resolved) {
        (Finale::Meetings(spec), _) => {
            if all_done {
                hold_meetings(plan, spec, directory, &outcomes, stop)?;
                champions::compute(plan, directory, stop)?;
            }
            let report = table::report(directory, plan)?;
            write_outputs(plan, spec, registry, directory, &report)?;
            tell_comparison(directory, &report, as_json)
        }
        (finale, PlanSpec::Run(spec)) => {
            for outcome in &outcomes {
                write_learning_curve(plan, directory, outcome)?;
            }
            let championship = match finale {
                Finale::Championship(rules) if all_done => {
                    hold_championship(plan, spec, *rules, directory, &outcomes, stop)?
                }
                _ => None,
            };
            tell(plan, spec, directory, &outcomes, championship.as_ref(), as_json)
        }
        (_, PlanSpec::Comparison(_) | PlanSpec::Portfolios(_)) => {
            unreachable!("a comparison ends with meetings, and portfolios have no runs")
        }
    };
    if !jobs.note_end()? {
        say("the run is finished");
    }
    told?;
    // The signal may also have come while the champion was scored.
    stop.check().map_err(|_| {
        say(&format!("`ruse resume {}` goes on from here", directory.path().display()));
        Failure::Interrupted
    })
}

/// Says what came of the runs on one family.
fn tell(
    plan: &Plan,
    spec: &ExperimentSpec,
    directory: &RunDirectory,
    outcomes: &[Outcome<'_>],
    championship: Option<&(Championship, RacedPortfolio)>,
    as_json: bool,
) -> Result<(), Failure> {
    match (as_json, &plan.finale, outcomes) {
        (true, Finale::None, [outcome]) => print_json(&outcome::json(outcome, directory)),
        (false, Finale::None, [outcome]) => print(&outcome::page(outcome, directory)?),
        // Somebody was quicker than the first iteration.
        (_, Finale::None, _) => Ok(()),
        (true, ..) => print_json(&outcome::json_of_all(spec, outcomes, championship, directory)),
        (false, ..) => print(&outcome::page_of_all(plan, outcomes, championship, directory)),
    }
}

/// Writes what a comparison wants beside its results.
fn write_outputs(
    plan: &Plan,
    spec: &MeetingsSpec,
    registry: &Registry,
    directory: &RunDirectory,
    report: &Report,
) -> Result<(), Failure> {
    let figures = |format| plot::write_comparison(directory, plan, report, registry, format);
    for output in &spec.outputs {
        match output {
            Output::Md => table::write_tables(directory, report, Format::Markdown)?,
            Output::Csv => table::write_tables(directory, report, Format::Csv)?,
            Output::Tex => table::write_tables(directory, report, Format::Latex)?,
            Output::Json => table::write_tables(directory, report, Format::Json)?,
            Output::Svg => figures(plot::Format::Svg)?,
            Output::Png => figures(plot::Format::Png)?,
            Output::Html => {
                let out = directory.path().join("report.html");
                report::write_page(directory, plan, registry, &out)?;
            }
        }
    }
    Ok(())
}

/// Shows the tables of a comparison.
fn tell_comparison(
    directory: &RunDirectory,
    report: &Report,
    as_json: bool,
) -> Result<(), Failure> {
    if as_json {
        let mut object = report.to_json();
        object["out"] = directory.path().display().to_string().into();
        return print_json(&object);
    }
    let options = Options { width: terminal_width().map(usize::from), ..Options::default() };
    let tables = report.render_all(Format::Terminal, &options);
    print(&format!("{tables}\nWritten to {}.\n", directory.path().display()))
}

/// Races the champions of all runs and mixes them, unless it was stopped.
fn hold_championship(
    plan: &Plan,
    experiment: &ExperimentSpec,
    spec: ChampionshipSpec,
    directory: &RunDirectory,
    outcomes: &[Outcome<'_>],
    stop: &StopSignal,
) -> Result<Option<(Championship, RacedPortfolio)>, Failure> {
    let family = plan.runs[0].family.as_ref();
    let champions: Vec<_> = outcomes
        .iter()
        .map(|outcome| ContestantSpec::Parameters(outcome.result.champion.clone()))
        .collect();
    let members: Vec<_> = champions.iter().collect();
    let league = family.league(&members).expect("champions are of the family");
    let rules = Rules {
        comparison: Comparison::Bernstein,
        limits: spec.limits,
        max_games: spec.max_games.unwrap_or(u64::MAX),
    };
    let key = StreamKey::root(experiment.seed);
    say(&format!("{}: the champions meet", experiment.family));
    let held = Championship::hold(rules, league.as_ref(), members.len(), key, stop, |_| ());
    let Ok(championship) = held else { return Ok(None) };
    let champion = &outcomes[championship.ranking()[0]];
    let portfolio = RacedPortfolio::new(&championship)?;
    let mixture = outcome::portfolio_file(experiment, family, outcomes, &portfolio);
    let yaml = |file| serde_yaml::to_string(file).expect("plain data");
    directory.write_finale(&[
        (STRATEGY, yaml(&champion.strategy)),
        (outcome::CHAMPIONSHIP, outcome::championship_csv(outcomes, &championship)),
        (outcome::PORTFOLIO, yaml(&mixture)),
    ])?;
    Ok(Some((championship, portfolio)))
}

/// Draws how a run went. That is done again whenever the experiment is resumed: the program may have been killed, or
/// interrupted, when the figure was not there yet or was of half a run.
fn write_learning_curve(
    plan: &Plan,
    directory: &RunDirectory,
    outcome: &Outcome<'_>,
) -> Result<(), Failure> {
    let experiment = outcome.experiment;
    let curve = learning_curves(&[Run { directory, experiment }])?;
    let name = match plan.runs.len() {
        1 => "learning-curve.svg".into(),
        _ => format!("learning-curve-{}.svg", experiment.resolved.method),
    };
    Ok(directory.write_text(&name, &ruse_plots::svg(&ruse_plots::Checked::new(curve)?))?)
}
