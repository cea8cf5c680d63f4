//! Round robins of players: their tables, figures and pages.

use ruse_base::stop::StopSignal;
use ruse_lab::round_robin::{Film, RoundRobinPlan, RoundRobinResults};
use ruse_lab::{Plan, RunDirectory};
use ruse_registry::Registry;
use ruse_report::figures::{scores_by_budget, scores_by_player, scores_by_rule};
use ruse_report::page::{Board, Markup, Page, Section};
use ruse_report::{Format, Options, RoundRobinReport, Tables};
use serde_json::{Value, json};

use super::{Runless, commands};
use crate::cli::drawing::{Drawing, Look};
use crate::cli::dry_run::{starts, warning};
use crate::cli::failure::Failure;
use crate::cli::format::{counted, grouped, paragraph, rounded, table, text};
use crate::cli::output::{self, Output};
use crate::cli::verbosity::say;

/// Reads the results and creates the tables. Prints a message if pairs are missing.
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

/// Draws the scores by budget, by the value of a rule, and by player, as far as they exist.
fn draw_report(report: &RoundRobinReport, look: &Look) -> Result<Vec<Drawing>, Failure> {
    let by_budget = scores_by_budget(report).map(|figure| {
        Drawing::new("scores-by-budget", look, || Ok(ruse_plots::Checked::new(figure)?))
    });
    let by_rule = scores_by_rule(report).map(|figure| {
        Drawing::new("scores-by-rule", look, || Ok(ruse_plots::Checked::new(figure)?))
    });
    let by_player = scores_by_player(report).map(|figure| {
        Drawing::new("scores-by-player", look, || Ok(ruse_plots::Checked::new(figure)?))
    });
    by_budget.into_iter().chain(by_rule).chain(by_player).collect()
}

/// Describes the end of a game.
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
        page += &starts(self.plan);
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

impl Runless for RoundRobinPlan {
    fn have(&self) -> &'static str {
        "a round robin has"
    }

    fn first_tables(&self, directory: &RunDirectory) -> (&'static [&'static str], String) {
        let path = directory.path().display();
        let others = format!(
            "`ruse table {path}` prints this table and the others: rules and meetings; `--only time` the thinking times \
             of the players. `ruse report {path}` writes a page with all of them."
        );
        (&["scores"], others)
    }

    fn tables(&self, _: &Plan, directory: &RunDirectory, _: &Options) -> Result<Tables, Failure> {
        Ok(read(directory, self)?.1.tables())
    }

    fn draw(
        &self,
        _: &Plan,
        directory: &RunDirectory,
        look: &Look,
    ) -> Result<Vec<Drawing>, Failure> {
        draw_report(&read(directory, self)?.1, look)
    }

    fn page(&self, _: &Plan, directory: &RunDirectory, _: bool) -> Result<Page, Failure> {
        let (results, report) = read(directory, self)?;
        let tables = report.tables().with_mistakes(&directory.mistakes()?);
        let markup = |id| {
            let html = tables.only(&[id]).render(Format::Html, &Options::default());
            Markup(html).folded(id == "scores")
        };
        let drawings = draw_report(&report, &Look::of_page())?;
        let figures =
            drawings.iter().filter_map(|drawing| drawing.picture(&drawing.name)).collect();
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
        sections.extend(results.film.as_ref().map(|film| film_section(film, self.unit())));
        let missing = (!results.is_finished).then(|| "pairs that are not played".to_string());
        Ok(Page {
            title: format!("{}: a round robin of players", self.family),
            summary: vec![format!(
                "{} meet, each with each, {}: {} of games, seed {}.",
                counted(self.players.len() as u64, "player"),
                match (self.budgets.len(), self.settings.len()) {
                    (0, 1) => "under one set of rules".into(),
                    (0, rules) => format!("under {rules} sets of rules"),
                    (budgets, 1) => format!("at {}", counted(budgets as u64, "budget")),
                    (budgets, rules) => {
                        let budgets = counted(budgets as u64, "budget");
                        format!("at {budgets} and under {rules} sets of rules")
                    }
                },
                counted(results.num_pairs(), "pair"),
                self.seed
            )],
            missing: missing.into_iter().collect(),
            sections,
            experiment: directory.experiment().into(),
            commands: commands(),
            ..Page::default()
        })
    }

    fn describe(
        &self,
        plan: &Plan,
        _: &Registry,
        as_json: bool,
        _: &StopSignal,
    ) -> Result<(), Failure> {
        output::write(&Size { plan, of: self }, as_json)
    }
}
