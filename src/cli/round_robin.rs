//! Round robins of players: their tables, figures and pages.

use serde_json::{Value, json};

use super::drawing::{self, Drawing, Look};
use super::dry_run::warning;
use super::failure::Failure;
use super::format::{counted, grouped, paragraph, rounded, table, text};
use super::output::{self, Finished, Output, write_all};
use super::verbosity::say;
use crate::figures::{scores_by_budget, scores_by_player};
use crate::files::{YamlSource, write_atomically};
use crate::lab::round_robin::{Film, RoundRobinPlan, RoundRobinResults};
use crate::lab::{Plan, RunDirectory};
use crate::report::page::{Board, Markup, Page, Section};
use crate::report::{Format, Options, RoundRobinReport};

/// Reads the results and computes their tables; prints a message if pairs are missing.
fn read(
    directory: &RunDirectory,
    plan: &RoundRobinPlan,
) -> Result<(RoundRobinResults, RoundRobinReport), Failure> {
    let results = directory.round_robin().read(plan)?;
    if !results.is_finished {
        let path = directory.path().display();
        let all = counted(plan.num_games() / 2, "pair");
        let done = grouped(results.num_pairs());
        say(&format!("{done} of at most {all} are played; `ruse resume {path}` continues"));
    }
    let report = RoundRobinReport::new(plan, &results);
    Ok((results, report))
}

/// Returns the tables of the results so far.
pub(super) fn report(
    directory: &RunDirectory,
    plan: &RoundRobinPlan,
) -> Result<RoundRobinReport, Failure> {
    read(directory, plan).map(|(_, report)| report)
}

/// Draws the scores by budget and by player, if the report has them.
fn draw_report(report: &RoundRobinReport, look: &Look) -> Result<Vec<Drawing>, Failure> {
    let by_budget = scores_by_budget(report).map(|figure| {
        Drawing::new("scores-by-budget", look, || Ok(ruse_plots::Checked::new(figure)?))
    });
    let by_player = scores_by_player(report).map(|figure| {
        Drawing::new("scores-by-player", look, || Ok(ruse_plots::Checked::new(figure)?))
    });
    by_budget.into_iter().chain(by_player).collect()
}

/// Draws the figures of the results in a directory.
pub(super) fn draw(
    directory: &RunDirectory,
    plan: &RoundRobinPlan,
    look: &Look,
) -> Result<Vec<Drawing>, Failure> {
    draw_report(&report(directory, plan)?, look)
}

/// Writes the requested outputs of the experiment into its directory.
pub(super) fn write_outputs(
    plan: &RoundRobinPlan,
    directory: &RunDirectory,
) -> Result<(), Failure> {
    let (_, report) = read(directory, plan)?;
    let figures = |format: drawing::Format| -> Result<(), Failure> {
        for drawing in draw_report(&report, &Look::of(format))? {
            let name = format!("{}.{}", drawing.name, format.extension());
            let contents = drawing.contents.unwrap_or_default();
            write_atomically(&directory.path().join(name), contents)?;
        }
        Ok(())
    };
    let page = || {
        let page = page(directory, plan)?;
        Ok(write_atomically(&directory.path().join("report.html"), page.html())?)
    };
    write_all(&plan.outputs, directory, &report.tables(), &figures, &page)
}

/// Prints the scores, or all tables as JSON.
pub(super) fn tell(
    plan: &RoundRobinPlan,
    directory: &RunDirectory,
    as_json: bool,
) -> Result<(), Failure> {
    let report = report(directory, plan)?;
    let tables = report.tables();
    let path = directory.path().display();
    let others = format!(
        "`ruse table {path}` prints this table and the others: rules and meetings; `--only time` the thinking times of \
         the players. `ruse report {path}` writes a page with all of them."
    );
    let shown = tables.only(&["scores"]);
    let finished = Finished { tables, shown, short: None, others, directory: directory.path() };
    output::write(&finished, as_json)
}

/// Describes the end of a game in words.
fn ending(film: &Film) -> String {
    match film.payoff.map(|payoff| payoff.half_points()) {
        None => "the game was stopped before its end".into(),
        Some(Some(2)) => format!("{} wins", film.first),
        Some(Some(0)) => format!("{} wins", film.second),
        Some(Some(_)) => "a draw".into(),
        Some(None) => {
            let payoff = film.payoff.expect("it has an end").score();
            format!("{} gets {payoff:.3}", film.first)
        }
    }
}

fn film_section(film: &Film, unit: &str) -> Section {
    let Film { first, second, rules, budget, frames, .. } = film;
    let budget =
        budget.map_or(String::new(), |budget| format!(", {} {unit} a turn", grouped(budget)));
    let boards = frames.iter().map(|frame| Board {
        caption: match frame.actions {
            0 => "at the start".into(),
            actions => format!("after {}", counted(actions as u64, "action")),
        },
        lines: frame.board.lines().map(String::from).collect(),
    });
    Section {
        title: "A game".into(),
        text: vec![format!(
            "One game of the two with the highest scores at the last budget: {first} moves first against {second}, \
             {rules}{budget}; {}. It is an example, and does not count for the scores.",
            ending(film)
        )],
        boards: boards.collect(),
        ..Section::default()
    }
}

/// Returns the page about the games so far.
pub(super) fn page(directory: &RunDirectory, plan: &RoundRobinPlan) -> Result<Page, Failure> {
    let (results, report) = read(directory, plan)?;
    let tables = report.tables();
    let markup = |id| {
        let html = tables.only(&[id]).render(Format::Html, &Options::default());
        Markup(html).folded(id == "scores")
    };
    let drawings = draw_report(&report, &Look::of_page())?;
    let figures = drawings.iter().filter_map(|drawing| drawing.picture(&drawing.name)).collect();
    let scores = Section {
        title: "Scores".into(),
        reports: vec![markup("scores")],
        figures,
        ..Section::default()
    };
    let mut sections = vec![scores];
    let mut add = |title: &str, id| {
        let reports = vec![markup(id)];
        sections.push(Section { title: title.into(), reports, ..Section::default() });
    };
    if report.settings.len() > 1 {
        add("By rules", "rules");
    }
    add("Each against each", "meetings");
    sections.extend(results.film.as_ref().map(|film| film_section(film, plan.unit())));
    let experiment = directory.path().join("experiment.yaml");
    let experiment = YamlSource::read(&experiment).map_or(String::new(), |source| source.text);
    let missing = (!results.is_finished).then(|| "pairs that are not played".to_string());
    Ok(Page {
        title: format!("{}: a round robin of players", plan.family),
        summary: vec![format!(
            "{} meet, each with each, {}: {} of games, seed {}.",
            counted(plan.players.len() as u64, "player"),
            match (plan.budgets.len(), plan.settings.len()) {
                (0, 1) => "under one set of rules".into(),
                (0, rules) => format!("under {rules} sets of rules"),
                (budgets, 1) => format!("at {}", counted(budgets as u64, "budget")),
                (budgets, rules) => {
                    let budgets = counted(budgets as u64, "budget");
                    format!("at {budgets} and under {rules} sets of rules")
                }
            },
            counted(results.num_pairs(), "pair"),
            plan.seed
        )],
        missing: missing.into_iter().collect(),
        sections,
        experiment,
        commands: vec![
            (
                "ruse run DIR/experiment.yaml --out NEW".into(),
                "gives the same results again, with any number of threads".into(),
            ),
            ("ruse table DIR".into(), "prints the tables".into()),
        ],
        ..Page::default()
    })
}

/// The size of the planned round robin.
struct Size<'a> {
    plan: &'a Plan,
    of: &'a RoundRobinPlan,
}

impl Size<'_> {
    /// Returns the number of meetings for each budget.
    fn by_budget(&self) -> Vec<(Option<u64>, u64)> {
        let mut found: Vec<(Option<u64>, u64)> = Vec::new();
        for meeting in self.of.meetings() {
            let budget = self.of.budget_of(&meeting);
            match found.last_mut().filter(|(known, _)| *known == budget) {
                Some((_, meetings)) => *meetings += 1,
                None => found.push((budget, 1)),
            }
        }
        found
    }
}

impl Output for Size<'_> {
    fn page(&self) -> String {
        let of_turn = format!("{} of a turn", self.of.unit());
        let mut rows = table([&of_turn, "meetings", "games at most"], &[1, 2]);
        for (budget, meetings) in self.by_budget() {
            let games = 2 * meetings.saturating_mul(self.of.pairs);
            rows.add_row([
                budget.map_or("no budget".into(), grouped),
                grouped(meetings),
                rounded(games as f64),
            ]);
        }
        let mut page = text(&rows);
        page.push('\n');
        page += &paragraph(
            "Players that neither search nor draw random numbers play one pair per meeting, whatever the plan asks \
             for. No games were played and no files written; `ruse match` with a pair or two measures the time of a \
             search.",
        );
        page += &warning(self.plan);
        page
    }

    fn object(&self) -> Value {
        let budgets = self.by_budget().into_iter().map(|(budget, meetings)| {
            let games = 2 * meetings.saturating_mul(self.of.pairs);
            json!({ "playouts": budget, "meetings": meetings, "games_at_most": games })
        });
        json!({
            "family": self.of.family,
            "players": self.of.players.len(),
            "budgets": budgets.collect::<Vec<_>>(),
        })
    }
}

/// Prints the planned work.
pub(super) fn describe(of: &RoundRobinPlan, plan: &Plan, as_json: bool) -> Result<(), Failure> {
    output::write(&Size { plan, of }, as_json)
}
