//! The tables of a round robin as text.

use serde_json::{Value, json};

use super::numbers::{counted, digits, grouped, score};
use super::sheet::{Mark, Row, Sheet, Text};
use super::{Format, Options, csv, html, latex, markdown, terminal};
use crate::report::round_robin::{RoundRobinPart, RoundRobinReport};
use crate::score::{CONFIDENCE, Estimate};

/// The text of a missing figure.
const MISSING: &str = "-";

type Cells = [Vec<Option<Estimate>>];

/// Formats a budget for people.
fn budget_in_words(budget: Option<u64>) -> String {
    budget.map_or("score".into(), grouped)
}

/// Formats a score with its bounds, or as exact.
fn with_interval(estimate: &Estimate) -> String {
    let digits = digits(estimate.interval);
    let number = |value: f64| score(value, digits);
    match estimate.is_exact() {
        true => format!("{} exact", number(estimate.score)),
        false => {
            let [low, high] = estimate.interval.map(number);
            format!("{} [{low}, {high}]", number(estimate.score))
        }
    }
}

impl RoundRobinReport {
    /// Returns one table as text that ends with a newline.
    pub fn render(&self, part: RoundRobinPart, format: Format, options: &Options) -> String {
        let write: &dyn Fn(&Sheet) -> String = match format {
            Format::Terminal => &|sheet| terminal::write(sheet, options.width),
            Format::Markdown => &markdown::write,
            Format::Html => &html::write,
            Format::Latex => &|sheet| latex::write(sheet, options),
            Format::Csv => return self.csv(part),
            Format::Json => return format!("{:#}\n", self.to_json()[part.name()]),
        };
        let mut sheets = self.sheets(part);
        Sheet::say_once(&mut sheets);
        let text = sheets.iter().map(write).collect::<Vec<_>>().join("\n");
        match format {
            Format::Latex => format!("{}{text}", latex::PREAMBLE),
            _ => text,
        }
    }

    /// Returns all tables that are the same on every machine, with an empty line between them; as JSON, one object.
    pub fn render_all(&self, format: Format, options: &Options) -> String {
        if format == Format::Json {
            return format!("{:#}\n", self.to_json());
        }
        let parts = self.parts();
        parts.map(|part| self.render(part, format, options)).collect::<Vec<_>>().join("\n")
    }

    /// Returns the tables that are the same on every machine, except tables that would repeat another.
    pub fn parts(&self) -> impl Iterator<Item = RoundRobinPart> {
        let has_rules = self.settings.len() > 1;
        let is_needed = move |part: &RoundRobinPart| *part != RoundRobinPart::Rules || has_rules;
        RoundRobinPart::RESULTS.into_iter().filter(is_needed)
    }

    fn sheets(&self, part: RoundRobinPart) -> Vec<Sheet> {
        match part {
            RoundRobinPart::Scores => {
                let rules = match self.settings.as_slice() {
                    [only] => format!("{}: {only}", self.family),
                    all => format!("{}: over {} sets of rules", self.family, all.len()),
                };
                vec![self.by_budget(rules, &self.scores)]
            }
            RoundRobinPart::Rules => {
                let all = self.settings.iter().zip(&self.by_rules);
                let title = |label: &String| format!("{}: {label}", self.family);
                all.map(|(label, cells)| self.by_budget(title(label), cells)).collect()
            }
            RoundRobinPart::Meetings => {
                let all = self.budgets.iter().zip(&self.meetings);
                all.map(|(budget, cells)| self.each_against_each(*budget, cells)).collect()
            }
            RoundRobinPart::Time => vec![self.time()],
        }
    }

    /// Describes the sample behind the scores.
    fn sample(&self) -> String {
        let met = if self.against.is_empty() { "" } else { " who meet" };
        format!(
            "{} of games of every two{met} at each budget under each set of rules, with the seats swapped; 95% intervals take \
             the pair as the sample",
            counted(self.pairs, "pair")
        )
    }

    /// Returns a table of scores with a row for each player and a column for each budget.
    fn by_budget(&self, title: String, cells: &Cells) -> Sheet {
        let best: Vec<f64> = (0..self.budgets.len())
            .map(|column| {
                let scores = cells.iter().filter_map(|row| row[column].as_ref());
                scores.map(|estimate| estimate.score).fold(0.0, f64::max)
            })
            .collect();
        let text = |(column, cell): (usize, &Option<Estimate>)| match cell {
            None => Text::plain(MISSING),
            Some(estimate) => {
                let is_highest = estimate.score >= best[column];
                let mark = if is_highest { Mark::Best } else { Mark::Plain };
                Text::marked(with_interval(estimate), mark)
            }
        };
        let rows = self.players.iter().zip(cells).map(|(player, row)| Row {
            label: player.clone(),
            is_best: false,
            cells: row.iter().enumerate().map(text).collect(),
        });
        let budgets = match self.budgets.as_slice() {
            [None] => String::new(),
            _ => format!(" by {} of a turn, for those with @T in their name", self.unit),
        };
        let by = if budgets.is_empty() { String::new() } else { format!(" by {}", self.unit) };
        let what = "where intervals overlap, the order may be chance";
        Sheet {
            title,
            caption: format!(
                "The mean score{budgets}, over {}. {}.",
                self.opponents(),
                self.sample()
            ),
            short: format!("{}: mean scores{by}, 95% intervals; bold: highest.", self.family),
            corner: "player".into(),
            columns: self.budgets.iter().copied().map(budget_in_words).collect(),
            rows: rows.collect(),
            legend: [Some(format!("the highest score of the column; {what}")), None],
            notes: self.unfinished(),
        }
    }

    fn unfinished(&self) -> Vec<String> {
        match self.is_finished {
            true => Vec::new(),
            false => vec![
                "Not all pairs are played: long games are missing more often than short ones."
                    .into(),
            ],
        }
    }

    fn each_against_each(&self, budget: Option<u64>, cells: &Cells) -> Sheet {
        let at = |budget| format!(", {} {}", grouped(budget), self.unit);
        let at = budget.map_or(String::new(), at);
        let text = |cell: &Option<Estimate>| {
            Text::plain(cell.as_ref().map_or(String::new(), with_interval))
        };
        let rows = self.players.iter().zip(cells).map(|(player, row)| Row {
            label: player.clone(),
            is_best: false,
            cells: row.iter().map(text).collect(),
        });
        Sheet {
            title: format!("{}: each against each{at}", self.family),
            caption: format!(
                "The score of the player of the row against that of the column under all rules. {}.",
                self.sample()
            ),
            short: format!("{}{at}: scores of rows against columns, 95% intervals.", self.family),
            corner: "player".into(),
            columns: self.players.clone(),
            rows: rows.collect(),
            legend: [None, None],
            notes: self.unfinished(),
        }
    }

    fn time(&self) -> Sheet {
        let rows = self.thoughts.iter().map(|row| {
            let decisions = row.decisions as f64;
            let a_second = |count: u64| match count {
                0 => MISSING.into(),
                _ => grouped((count as f64 / row.seconds.max(1e-9)).round() as u64),
            };
            let proven = match row.choices {
                0 => MISSING.into(),
                _ => format!("{:.0}%", 100.0 * row.proven as f64 / row.choices as f64),
            };
            let cells = [
                row.rules.clone(),
                row.budget.map_or(MISSING.into(), grouped),
                grouped(row.games),
                grouped(row.decisions),
                format!("{:.1}", decisions / row.games.max(1) as f64),
                format!("{:.3}", 1e3 * row.seconds / decisions.max(1.0)),
                a_second(row.playouts),
                a_second(row.expansions),
                a_second(row.steps),
                proven,
            ];
            let cells = cells.map(Text::plain);
            Row { label: row.player.clone(), is_best: false, cells: cells.into() }
        });
        let columns = [
            "rules",
            self.unit,
            "games",
            "decisions",
            "decisions a game",
            "ms a decision",
            "playouts a second",
            "stages solved a second",
            "steps a second",
            "choices proven best",
        ];
        let notes = match self.thoughts.is_empty() {
            true => vec!["No player searches, or the times were not kept.".into()],
            false => Vec::new(),
        };
        Sheet {
            title: format!("{}: time", self.family),
            caption: "How many decisions those who search have taken, and the wall time of one on the machine of the \
                      experiment, with all that ran on it at the same time. Decisions that leave no choice count."
                .into(),
            short: format!("{}: decisions, and the wall time that they took.", self.family),
            corner: "player".into(),
            columns: columns.map(String::from).into(),
            rows: rows.collect(),
            legend: [None, None],
            notes,
        }
    }

    fn csv(&self, part: RoundRobinPart) -> String {
        let number =
            |budget: &Option<u64>| budget.map_or(String::new(), |budget| budget.to_string());
        let figures = |cell: &Option<Estimate>| {
            let cell = cell.as_ref()?;
            let [low, high] = cell.interval;
            let pairs = if cell.is_exact() { 0 } else { cell.pairs };
            Some([cell.score.to_string(), low.to_string(), high.to_string(), pairs.to_string()])
        };
        let mut rows = Vec::new();
        let by_budget = |rows: &mut Vec<Vec<String>>, rules: &str, cells: &Cells| {
            for (player, row) in self.players.iter().zip(cells) {
                for (budget, cell) in self.budgets.iter().zip(row) {
                    let Some(figures) = figures(cell) else { continue };
                    let names = [rules.to_string(), number(budget), player.clone()];
                    rows.push(names.into_iter().chain(figures).collect());
                }
            }
        };
        match part {
            RoundRobinPart::Scores => {
                let rules = match self.settings.as_slice() {
                    [only] => only.as_str(),
                    _ => "all",
                };
                by_budget(&mut rows, rules, &self.scores);
            }
            RoundRobinPart::Rules => {
                for (rules, cells) in self.settings.iter().zip(&self.by_rules) {
                    by_budget(&mut rows, rules, cells);
                }
            }
            RoundRobinPart::Meetings => {
                let header =
                    vec!["playouts", "player", "opponent", "score", "low", "high", "pairs"];
                for (budget, cells) in self.budgets.iter().zip(&self.meetings) {
                    for (player, row) in self.players.iter().zip(cells) {
                        for (opponent, cell) in self.players.iter().zip(row) {
                            let Some(figures) = figures(cell) else { continue };
                            let names = [number(budget), player.clone(), opponent.clone()];
                            rows.push(names.into_iter().chain(figures).collect());
                        }
                    }
                }
                return csv::text(header, rows.into_iter());
            }
            RoundRobinPart::Time => {
                let header = vec![
                    "rules",
                    "budget",
                    "player",
                    "games",
                    "decisions",
                    "seconds",
                    "choices",
                    "proven",
                    "playouts",
                    "expansions",
                    "steps",
                ];
                let rows = self.thoughts.iter().map(|row| {
                    vec![
                        row.rules.clone(),
                        number(&row.budget),
                        row.player.clone(),
                        row.games.to_string(),
                        row.decisions.to_string(),
                        row.seconds.to_string(),
                        row.choices.to_string(),
                        row.proven.to_string(),
                        row.playouts.to_string(),
                        row.expansions.to_string(),
                        row.steps.to_string(),
                    ]
                });
                return csv::text(header, rows);
            }
        }
        let header = vec!["rules", "playouts", "player", "score", "low", "high", "pairs"];
        csv::text(header, rows.into_iter())
    }

    /// Returns all tables as one object.
    pub fn to_json(&self) -> Value {
        let cell = |cell: &Option<Estimate>| {
            cell.as_ref().map(|estimate| {
                json!({
                    "score": estimate.score,
                    "interval": estimate.interval,
                    "pairs": estimate.pairs,
                    "exact": estimate.is_exact(),
                })
            })
        };
        let by_budget = |cells: &Cells| -> Vec<Value> {
            let rows = self.players.iter().zip(cells);
            let row = |(player, row): (&String, &Vec<Option<Estimate>>)| {
                let scores: Vec<_> = row.iter().map(cell).collect();
                json!({ "player": player, "scores": scores })
            };
            rows.map(row).collect()
        };
        let rules = self
            .settings
            .iter()
            .zip(&self.by_rules)
            .map(|(rules, cells)| json!({ "rules": rules, "players": by_budget(cells) }));
        let meetings = self.budgets.iter().zip(&self.meetings).map(|(budget, cells)| {
            let scores: Vec<Vec<_>> =
                cells.iter().map(|row| row.iter().map(cell).collect()).collect();
            json!({ "playouts": budget, "scores": scores })
        });
        let time = self.thoughts.iter().map(|row| {
            json!({
                "rules": row.rules,
                "playouts": row.budget,
                "player": row.player,
                "games": row.games,
                "decisions": row.decisions,
                "seconds": row.seconds,
                "choices": row.choices,
                "proven": row.proven,
                "playouts_in_thought": row.playouts,
                "expansions": row.expansions,
                "steps_in_thought": row.steps,
            })
        });
        json!({
            "family": self.family,
            "players": self.players,
            "against": self.against,
            "playouts": self.budgets,
            "pairs": self.pairs,
            "confidence": CONFIDENCE,
            "finished": self.is_finished,
            "scores": by_budget(&self.scores),
            "rules": rules.collect::<Vec<_>>(),
            "meetings": meetings.collect::<Vec<_>>(),
            "time": time.collect::<Vec<_>>(),
        })
    }
}
