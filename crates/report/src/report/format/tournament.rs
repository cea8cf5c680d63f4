//! The tables of a tournament as text.

use serde_json::{Value, json};

use super::numbers::{counted, digits, score, signed};
use super::sheet::{Mark, Row, Sheet, Text, cycles_in_words};
use super::{Format, Options, csv, html, latex, markdown, terminal};
use crate::report::tournament::{Entrant, TournamentTable};
use crate::score::{CONFIDENCE, Estimate};

/// A table of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TournamentPart {
    /// The members in order.
    Ranking,
    /// The score of each member against each other member.
    CrossTable,
}

impl TournamentPart {
    /// All tables.
    pub const ALL: [TournamentPart; 2] = [TournamentPart::Ranking, TournamentPart::CrossTable];

    /// Returns the name that a user types.
    pub fn name(self) -> &'static str {
        match self {
            TournamentPart::Ranking => "ranking",
            TournamentPart::CrossTable => "cross-table",
        }
    }
}

impl TournamentTable {
    /// Returns one table as text that ends with a newline.
    pub fn render(&self, part: TournamentPart, format: Format, options: &Options) -> String {
        let write: &dyn Fn(&Sheet) -> String = match format {
            Format::Terminal => &|sheet| terminal::write(sheet, options.width),
            Format::Markdown => &markdown::write,
            Format::Latex => {
                &|sheet| format!("{}{}", latex::PREAMBLE, latex::write(sheet, options))
            }
            Format::Html => &html::write,
            Format::Csv => {
                return match part {
                    TournamentPart::Ranking => self.ranking_csv(),
                    TournamentPart::CrossTable => self.cross_table_csv(),
                };
            }
            Format::Json => return format!("{:#}\n", self.to_json()),
        };
        write(&match part {
            TournamentPart::Ranking => self.ranking_sheet(),
            TournamentPart::CrossTable => self.cross_table_sheet(),
        })
    }

    /// Returns both tables, with an empty line between them; as JSON, one object.
    pub fn render_all(&self, format: Format, options: &Options) -> String {
        match format {
            Format::Json => format!("{:#}\n", self.to_json()),
            _ => TournamentPart::ALL.map(|part| self.render(part, format, options)).join("\n"),
        }
    }

    /// Returns all numbers.
    pub fn to_json(&self) -> Value {
        let cell = |estimate: &Estimate| {
            json!({
                "score": estimate.score,
                "interval": estimate.interval,
                "exact": estimate.is_exact(),
            })
        };
        let ranking = self.entrants.iter().zip(1..).map(|(entrant, place)| {
            json!({
                "place": place,
                "name": entrant.name,
                "mean_score": entrant.mean.score,
                "interval": entrant.mean.interval,
                "exact": entrant.mean.is_exact(),
                "wins": entrant.num_wins,
                "draws": entrant.num_draws,
                "losses": entrant.num_losses,
                "undecided": entrant.num_undecided,
                "lead": entrant.lead,
            })
        });
        let scores = self.scores.iter().map(|row| {
            let cells = row.iter().map(|estimate| estimate.as_ref().map(cell));
            cells.collect::<Vec<Option<Value>>>()
        });
        json!({
            "family": self.family,
            "pairs": self.pairs,
            "confidence": CONFIDENCE,
            "ranking": ranking.collect::<Vec<_>>(),
            "scores": scores.collect::<Vec<_>>(),
            "cycles": self.cycles,
        })
    }

    /// Describes the sample behind the scores.
    fn sample(&self) -> String {
        let has_exact = self.scores.iter().flatten().flatten().any(Estimate::is_exact);
        if self.pairs == 0 {
            return "computed exactly".into();
        }
        format!(
            "on {} of games for every two, the same deals for all{}, with 95% intervals",
            counted(self.pairs, "pair"),
            if has_exact { ", or exactly where that can be computed" } else { "" }
        )
    }

    fn ranking_sheet(&self) -> Sheet {
        let rows = self.entrants.iter().zip(1..).map(|(entrant, place)| {
            let Entrant { name, mean, num_wins, num_draws, num_losses, num_undecided, lead } =
                entrant;
            let ahead = lead.map_or(String::new(), |lead| {
                let [low, high] = lead.interval;
                let digits = digits(lead.interval);
                let number = |value: f64| signed(value, digits);
                match (lead.interval == [lead.difference; 2], lead.difference == 0.0) {
                    (true, true) => "plays as well".into(),
                    (true, false) => format!("{} exact", number(lead.difference)),
                    (false, _) => {
                        format!("{} [{}, {}]", number(lead.difference), number(low), number(high))
                    }
                }
            });
            let counts = [num_wins, num_draws, num_losses, num_undecided].map(usize::to_string);
            let cells = std::iter::once(with_interval(mean)).chain(counts).map(Text::plain);
            let mark = if is_close(entrant) { Mark::Near } else { Mark::Plain };
            let ahead = Text::marked(ahead, mark);
            Row {
                label: format!("{place}. {name}"),
                is_best: false,
                cells: cells.chain([ahead]).collect(),
            }
        });
        let columns =
            ["mean score", "wins", "draws", "losses", "undecided", "ahead of the next by"];
        Sheet {
            title: format!("{}: ranking", self.family),
            caption: format!(
                "The mean score over all others, {}. A win is an opponent against whom the \
                 whole interval is above .5, a loss one with all of it below, a draw one of exactly .5; against the \
                 others it is undecided.",
                self.sample()
            ),
            short: format!(
                "{}: mean scores against all others; wins and losses by 95% intervals.",
                self.family
            ),
            corner: "strategy".into(),
            columns: columns.map(String::from).into(),
            rows: rows.collect(),
            legend: [
                None,
                self.entrants
                    .iter()
                    .any(is_close)
                    .then(|| "not significantly better than the next".into()),
            ],
            notes: vec![self.order_in_words()],
        }
    }

    /// Describes the part of the order that is certain.
    fn order_in_words(&self) -> String {
        let neighbours = || self.entrants.iter().zip(self.entrants.iter().skip(1));
        let close: Vec<String> = neighbours()
            .filter(|(entrant, _)| is_close(entrant))
            .map(|(entrant, next)| format!("{} and {}", entrant.name, next.name))
            .collect();
        match (close.len(), self.pairs) {
            (0, 0) => "Scores are exact, and so is the order.".into(),
            (0, _) => {
                "Each player is significantly better than the next, by the interval of their difference.".into()
            }
            _ => format!("Not significantly different: {}.", close.join("; ")),
        }
    }

    fn cross_table_sheet(&self) -> Sheet {
        let rows = self.entrants.iter().zip(&self.scores).map(|(entrant, row)| Row {
            label: entrant.name.clone(),
            is_best: false,
            cells: row
                .iter()
                .map(|cell| Text::plain(cell.as_ref().map_or(String::new(), with_interval)))
                .collect(),
        });
        let mut notes = cycles_in_words(&self.cycles);
        if notes.is_empty() {
            notes.push("There is no cycle of strategies each of which beats the next.".into());
        }
        Sheet {
            title: format!("{}: each against each", self.family),
            caption: format!(
                "The score of the strategy of the row against that of the column, {}.",
                self.sample()
            ),
            short: format!("{}: scores of rows against columns, 95% intervals.", self.family),
            corner: "strategy".into(),
            columns: self.entrants.iter().map(|entrant| entrant.name.clone()).collect(),
            rows: rows.collect(),
            legend: [None, None],
            notes,
        }
    }

    fn ranking_csv(&self) -> String {
        let header = vec![
            "place",
            "strategy",
            "mean-score",
            "low",
            "high",
            "wins",
            "draws",
            "losses",
            "undecided",
            "lead",
            "lead-low",
            "lead-high",
            "told-apart",
        ];
        let rows = self.entrants.iter().zip(1..).map(|(entrant, place)| {
            let [low, high] = entrant.mean.interval;
            let mut row = vec![format!("{place}"), entrant.name.clone()];
            row.extend([entrant.mean.score, low, high].map(|number| number.to_string()));
            let counts =
                [entrant.num_wins, entrant.num_draws, entrant.num_losses, entrant.num_undecided];
            row.extend(counts.map(|count| count.to_string()));
            row.extend(match entrant.lead {
                Some(lead) => {
                    let [low, high] = lead.interval;
                    let told_apart = u8::from(lead.is_told_apart).to_string();
                    [lead.difference.to_string(), low.to_string(), high.to_string(), told_apart]
                }
                None => [const { String::new() }; 4],
            });
            row
        });
        csv::text(header, rows)
    }

    fn cross_table_csv(&self) -> String {
        let header =
            vec!["family", "strategy", "opponent", "score", "low", "high", "exact", "pairs"];
        let rows = self.entrants.iter().zip(&self.scores).flat_map(|(entrant, row)| {
            let cells = self.entrants.iter().zip(row);
            cells.filter_map(move |(opponent, cell)| {
                let cell = cell.as_ref()?;
                let [low, high] = cell.interval;
                let pairs = if cell.is_exact() { 0 } else { cell.pairs };
                Some(vec![
                    self.family.clone(),
                    entrant.name.clone(),
                    opponent.name.clone(),
                    cell.score.to_string(),
                    low.to_string(),
                    high.to_string(),
                    u8::from(cell.is_exact()).to_string(),
                    pairs.to_string(),
                ])
            })
        });
        csv::text(header, rows)
    }
}

/// Returns `true` if the mean of an entrant is not significantly above the mean of the next entrant.
fn is_close(entrant: &Entrant) -> bool {
    entrant.lead.is_some_and(|lead| !lead.is_told_apart)
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
