//! Round robins of players: their tables, figures and pages.

use std::path::Path;

use ruse_lab::Plan;
use ruse_lab::round_robin::{Film, RoundRobinPlan};
use serde_json::json;

use super::drawing::{Drawing, Look};
use super::planned::{Machine, Planned};
use super::{Results, Shown, folded, pictures, reproduction};
use crate::error::Result;
use crate::figures::{scores_by_budget, scores_by_player, scores_by_rule};
use crate::format::{counted, grouped};
use crate::page::{Board, Page, Section};
use crate::terminal::rounded;
use crate::{Options, RoundRobinReport, Tables};

fn read(plan: &RoundRobinPlan, results: &Results<'_>) -> Result<RoundRobinReport> {
    Ok(RoundRobinReport::new(plan, &results.directory.round_robin().read(plan)?))
}

/// Draws the scores by budget, by the value of a rule, and by player, as far as they exist.
fn draw(report: &RoundRobinReport, look: &Look) -> Result<Vec<Drawing>> {
    let figures =
        [("budget", scores_by_budget(report)), ("rule", scores_by_rule(report))].into_iter();
    let curves = figures.filter_map(|(axis, figure)| {
        Some(Drawing::of_data(format!("scores-by-{axis}"), look, figure?))
    });
    let by_player =
        scores_by_player(report).map(|figure| Drawing::of_data("scores-by-player", look, figure));
    curves.chain(by_player).collect()
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
        text: vec![format!(
            "One game of the two with the highest scores at the last budget: {first} moves first against {second}, \
             {rules}{budget}; {}. It is an example, and does not count for the scores.",
            ending(film)
        )],
        boards: boards.collect(),
        ..Section::titled("A game")
    }
}

impl Shown for RoundRobinPlan {
    fn subject(&self) -> &'static str {
        "the experiment"
    }

    fn have(&self) -> &'static str {
        "a round robin has"
    }

    fn planned(&self, plan: &Plan, machine: &Machine<'_>) -> Result<Planned> {
        let terminal = machine.terminal;
        let of_turn = format!("{} of a turn", self.unit());
        let mut rows = terminal.table([&of_turn, "meetings", "games at most"], &[1, 2]);
        let all: Vec<Option<u64>> = self.meetings().iter().map(|met| self.budget_of(met)).collect();
        let mut budgets = Vec::new();
        for meetings in all.chunk_by(|a, b| a == b) {
            let (budget, meetings) = (meetings[0], meetings.len() as u64);
            let games = 2 * meetings.saturating_mul(self.pairs);
            rows.add_row([
                budget.map_or("no budget".into(), grouped),
                grouped(meetings),
                rounded(games as f64),
            ]);
            budgets
                .push(json!({ "playouts": budget, "meetings": meetings, "games_at_most": games }));
        }
        let note = terminal.paragraph(
            "Players that neither search nor draw random numbers play one pair per meeting, whatever the plan asks \
             for. No games were played and no files written; `ruse match` with a pair or two measures the time of a \
             search.",
        );
        let object =
            json!({ "family": self.family, "players": self.players.len(), "budgets": budgets });
        Ok(Planned::new(plan, terminal, &rows, &note, object))
    }

    fn unfinished(&self, results: &Results<'_>) -> Result<Option<String>> {
        let found = results.directory.round_robin().read(self)?;
        let path = results.directory.path().display();
        let all = counted(self.num_games() / 2, "pair");
        let done = grouped(found.num_pairs());
        Ok((!found.is_finished)
            .then(|| format!("{done} of at most {all} are played; `ruse resume {path}` continues")))
    }

    fn first_tables(&self, path: &Path) -> (&'static [&'static str], String) {
        let path = path.display();
        let others = format!(
            "`ruse table {path}` prints this table and the others: rules and meetings; `--only time` the thinking times \
             of the players. `ruse report {path}` writes a page with all of them."
        );
        (&["scores"], others)
    }

    fn tables(&self, results: &Results<'_>, _: &Options) -> Result<Tables> {
        Ok(read(self, results)?.tables())
    }

    fn draw(&self, results: &Results<'_>, look: &Look, _: bool) -> Result<Vec<Drawing>> {
        draw(&read(self, results)?, look)
    }

    fn page(&self, results: &Results<'_>, _: bool) -> Result<Page> {
        let found = results.directory.round_robin().read(self)?;
        let report = RoundRobinReport::new(self, &found);
        let tables = report.tables().with_mistakes(&results.directory.mistakes()?);
        let markup = |id| folded(&tables, &[id], id == "scores");
        let scores = Section {
            reports: vec![markup("scores")],
            figures: pictures(&draw(&report, &Look::of_page())?),
            ..Section::titled("Scores")
        };
        let mut sections = vec![scores];
        let mut add = |title: &str, id| {
            sections.push(Section { reports: vec![markup(id)], ..Section::titled(title) });
        };
        if report.settings.len() > 1 {
            add("By rules", "rules");
        }
        add("Each against each", "meetings");
        sections.extend(found.film.as_ref().map(|film| film_section(film, self.unit())));
        let missing = (!found.is_finished).then(|| "pairs that are not played".to_string());
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
                counted(found.num_pairs(), "pair"),
                self.seed
            )],
            missing: missing.into_iter().collect(),
            sections,
            experiment: results.directory.experiment().into(),
            commands: reproduction(),
            ..Page::default()
        })
    }
}
