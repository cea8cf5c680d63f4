//! The tables of a round robin: the score of each player at each budget and under each set of rules.

use ruse_lab::round_robin::{MeetingResult, RoundRobinPlan, RoundRobinResults, ThoughtRow};
use ruse_play::score::{CONFIDENCE, Estimate, Scored, over_meetings};
use serde_json::{Value, json};

use super::format::{
    Grid, Mark, Table, Tables, Text, Visibility, counted, crossed, grouped, with_bounds,
};

/// The tables of a round robin.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundRobinReport {
    /// The family.
    pub family: String,
    /// The names of the players, in order.
    pub players: Vec<String>,
    /// The players that all others meet; empty if all players meet each other.
    pub against: Vec<String>,
    /// The unit of budgets: playouts or steps.
    pub unit: &'static str,
    /// The budgets of a turn; only `None` if there are no budgets.
    pub budgets: Vec<Option<u64>>,
    /// The sets of rules.
    pub settings: Vec<String>,
    /// The number of pairs in each meeting without an exact score.
    pub pairs: u64,
    /// The score over all opponents and rules: `[player][budget]`.
    pub scores: Vec<Vec<Option<Estimate>>>,
    /// The score over all opponents under each set of rules: `[setting][player][budget]`.
    pub by_rules: Vec<Vec<Vec<Option<Estimate>>>>,
    /// The score under each set of rules against each player that all others meet or, without such players, over all
    /// opponents: `[opponent][setting][player]`. Empty for several budgets or one set of rules.
    pub against_each: Vec<Vec<Vec<Option<Estimate>>>>,
    /// The score against each opponent, over all rules: `[budget][player][opponent]`.
    pub meetings: Vec<Vec<Vec<Option<Estimate>>>>,
    /// The search effort of the players, if recorded.
    pub thoughts: Vec<ThoughtRow>,
    /// True if all pairs are played.
    pub is_finished: bool,
}

/// The result of a meeting for one of its players.
struct Side {
    player: usize,
    opponent: usize,
    setting: usize,
    budget: Option<usize>,
    scored: Scored,
}

fn sides(results: &RoundRobinResults) -> Vec<Side> {
    let both = |MeetingResult { meeting, scored }: &MeetingResult| {
        let (setting, budget) = (meeting.setting, meeting.budget);
        let side = |player, opponent, scored| Side { player, opponent, setting, budget, scored };
        [
            side(meeting.player, meeting.opponent, scored.clone()),
            side(meeting.opponent, meeting.player, scored.reversed()),
        ]
    };
    results.meetings.iter().flat_map(both).collect()
}

impl RoundRobinReport {
    /// Names the opponents behind a mean score.
    pub fn opponents(&self) -> String {
        match self.against.as_slice() {
            [] => "all others".into(),
            against => {
                format!("those met: all meet {}, the others not each other", against.join(", "))
            }
        }
    }

    /// Returns the only rule in which the sets of rules differ, and its value in each set. Returns `None` if they differ
    /// in several rules, or in words.
    pub fn varied_rule(&self) -> Option<(&str, Vec<f64>)> {
        let values = self.settings.iter().map(|label| {
            let (name, value) = label.split_once('=')?;
            Some((name, value.parse::<u32>().ok()?))
        });
        let values: Vec<(&str, u32)> = values.collect::<Option<_>>()?;
        let (rule, _) = *values.first()?;
        let is_one = values.len() > 1 && values.iter().all(|(name, _)| *name == rule);
        is_one.then(|| (rule, values.iter().map(|&(_, value)| f64::from(value)).collect()))
    }

    /// Names the opponents of each part of `against_each`.
    pub fn opponents_of_each(&self) -> Vec<String> {
        match self.against.as_slice() {
            [] => vec!["all others".into()],
            against => against.to_vec(),
        }
    }

    /// Creates the tables from the results so far.
    pub fn new(plan: &RoundRobinPlan, results: &RoundRobinResults) -> RoundRobinReport {
        let sides = sides(results);
        let budgets = each_or_none(&plan.budgets);
        // A meeting without a budget counts at every budget.
        let is_at = |side: &Side, column: usize| side.budget.is_none_or(|index| index == column);
        let mean = |wanted: &dyn Fn(&Side) -> bool| {
            over_meetings(sides.iter().filter(|side| wanted(side)).map(|side| &side.scored))
        };
        let num_players = plan.players.len();
        type IsOf<'a> = &'a dyn Fn(&Side, usize, usize) -> bool;
        let means = |[num_rows, num_columns]: [usize; 2], is_of: IsOf<'_>| {
            let cell = |row: usize, column: usize| mean(&|side| is_of(side, row, column));
            let row = |row| (0..num_columns).map(|column| cell(row, column)).collect();
            (0..num_rows).map(row).collect::<Vec<Vec<Option<Estimate>>>>()
        };
        let table = |wanted: &dyn Fn(&Side) -> bool| {
            means([num_players, budgets.len()], &|side, player, column| {
                side.player == player && is_at(side, column) && wanted(side)
            })
        };
        let by_rules =
            (0..plan.settings.len()).map(|setting| table(&|side| side.setting == setting));
        let by_setting = |opponent: Option<usize>| {
            means([plan.settings.len(), num_players], &|side, setting, player| {
                let is_met = opponent.is_none_or(|opponent| side.opponent == opponent);
                side.setting == setting && side.player == player && is_met
            })
        };
        let has_each = budgets.len() == 1 && plan.settings.len() > 1;
        let opponents = each_or_none(&plan.against).into_iter();
        let against_each = opponents.filter(|_| has_each).map(by_setting).collect();
        let against = |column: usize| {
            means([num_players, num_players], &|side, player, opponent| {
                side.player == player && side.opponent == opponent && is_at(side, column)
            })
        };
        RoundRobinReport {
            family: plan.family.clone(),
            unit: plan.unit(),
            players: plan.players.iter().map(|player| player.label.clone()).collect(),
            against: plan.against.iter().map(|&index| plan.players[index].label.clone()).collect(),
            settings: plan.settings.iter().map(|setting| setting.label.clone()).collect(),
            pairs: plan.pairs,
            scores: table(&|_| true),
            by_rules: by_rules.collect(),
            against_each,
            meetings: (0..budgets.len()).map(against).collect(),
            thoughts: results.thoughts.clone(),
            is_finished: results.is_finished,
            budgets,
        }
    }

    /// The names of the tables.
    pub const TABLES: [&'static str; 4] = ["scores", "rules", "meetings", "time"];

    /// Returns the tables. The thinking times depend on the machine, so they are shown only on request. So are the
    /// scores by rules if there is only one set.
    pub fn tables(&self) -> Tables {
        let head = json!({
            "family": self.family,
            "players": self.players,
            "against": self.against,
            "playouts": self.budgets,
            "pairs": self.pairs,
            "confidence": CONFIDENCE,
            "finished": self.is_finished,
        });
        let (name, rules) = match self.settings.as_slice() {
            [only] => (only.as_str(), only.clone()),
            all => ("all", format!("over {} sets of rules", all.len())),
        };
        let mut scores = self.by_budget("scores", &rules, name, &self.scores);
        scores.results = Some(self.by_player(&self.scores));
        let by_rules = self.settings.iter().zip(&self.by_rules).map(|(rules, cells)| {
            let shown =
                if self.settings.len() > 1 { Visibility::Always } else { Visibility::OnRequest };
            Table { shown, ..self.by_budget("rules", rules, rules, cells) }
        });
        let mut by_rules: Vec<Table> = match self.against_each.is_empty() {
            true => by_rules.collect(),
            false => {
                let each = self.opponents_of_each().into_iter().zip(&self.against_each);
                each.map(|(opponent, cells)| self.by_setting(&opponent, cells)).collect()
            }
        };
        let object = |(rules, cells): (&String, &Vec<_>)| json!({ "rules": rules, "players": self.by_player(cells) });
        by_rules[0].results = Some(self.settings.iter().zip(&self.by_rules).map(object).collect());
        let meetings = || self.budgets.iter().zip(&self.meetings);
        let each = meetings().map(|(budget, cells)| self.each_against_each(*budget, cells));
        let mut each: Vec<Table> = each.collect();
        let object = |(budget, cells): (&Option<u64>, &Vec<_>)| json!({ "playouts": budget, "scores": as_json(cells) });
        each[0].results = Some(meetings().map(object).collect());
        let tables = [scores].into_iter().chain(by_rules).chain(each).chain([self.time()]);
        Tables::new(head, tables.collect())
    }

    /// Returns an object for each player, with its score at each budget.
    fn by_player(&self, cells: &Cells) -> Value {
        let rows = self.players.iter().zip(as_json(cells));
        rows.map(|(player, scores)| json!({ "player": player, "scores": scores })).collect()
    }

    /// Describes the sample from which the scores are computed.
    fn sample(&self) -> String {
        let met = if self.against.is_empty() { "" } else { " who meet" };
        format!(
            "{} of games of every two{met} at each budget under each set of rules, with the seats swapped; 95% intervals take \
             the pair as the sample",
            counted(self.pairs, "pair")
        )
    }

    /// Returns a table of scores with a row for each player and a column for each budget. The rules are called `title`
    /// for people and `rules` for programs.
    fn by_budget(&self, id: &'static str, title: &str, rules: &str, cells: &Cells) -> Table {
        let best = |column: usize| {
            let scores = cells.iter().filter_map(|row| row[column].as_ref());
            scores.map(|estimate| estimate.score).fold(0.0, f64::max)
        };
        let columns: Vec<usize> = (0..self.budgets.len()).collect();
        let rows = crossed(&self.players, &columns, cells);
        let grid = Grid::of(&rows)
            .data("rules", |_| rules)
            .data("playouts", |row| self.budgets[*row.1])
            .across(columns.len(), None, |row| self.budgets[*row.1].map_or("score".into(), grouped))
            .key("player", |row| row.0)
            .figure(|row| {
                let estimate = row.2.as_ref()?;
                let is_highest = estimate.score >= best(*row.1);
                Some(Text::plain(with_bounds(estimate)).marked(Mark::of(is_highest, false)))
            });
        let (budgets, by) = match self.budgets.as_slice() {
            [None] => (String::new(), String::new()),
            _ => (
                format!(" by {} of a turn, for those with @T in their name", self.unit),
                format!(" by {}", self.unit),
            ),
        };
        let best =
            "the highest score of the column; where intervals overlap, the order may be chance";
        let caption = format!("The mean score{budgets}, over {}", self.opponents());
        let short = format!("{}: mean scores{by}, 95% intervals; bold: highest.", self.family);
        let table = self.of_scores(id, title, [caption, short], grid, cells);
        Table { legend: [Some(best.into()), None], ..table }
    }

    /// Returns a table whose cells are the columns of `grid`, with the facts about each estimate. The captions are
    /// the long one, without the sample, and the short one.
    fn of_scores<R, C>(
        &self,
        id: &'static str,
        title: &str,
        [caption, short]: [String; 2],
        grid: Grid<'_, (&R, &C, &Option<Estimate>)>,
        cells: &Cells,
    ) -> Table {
        let grid =
            grid.estimate("score", |row| *row.2).pairs(|row| *row.2).data_if(|row| row.2.is_some());
        Table {
            caption: format!("{caption}. {}.", self.sample()),
            short,
            notes: self.unfinished(),
            absent: absent(cells),
            ..Table::new(id, format!("{}: {title}", self.family), grid)
        }
    }

    /// Returns a table of the scores against one opponent, with a row for each set of rules and a column for each player.
    fn by_setting(&self, opponent: &str, cells: &Cells) -> Table {
        let rows = crossed(&self.settings, &self.players, cells);
        let grid = Grid::of(&rows)
            .data("opponent", |_| opponent)
            .key("rules", |row| row.0)
            .across(self.players.len(), "player", |row| row.1)
            .figure(|row| row.2.as_ref().map_or(String::new(), with_bounds));
        let caption = format!("The scores against {opponent} under each set of rules");
        let short = format!("{}: scores against {opponent}, 95% intervals.", self.family);
        self.of_scores("rules", &format!("against {opponent}"), [caption, short], grid, cells)
    }

    fn unfinished(&self) -> Vec<String> {
        let note = "Not all pairs are played: long games are missing more often than short ones.";
        if self.is_finished { Vec::new() } else { vec![note.into()] }
    }

    fn each_against_each(&self, budget: Option<u64>, cells: &Cells) -> Table {
        let at = |budget| format!(", {} {}", grouped(budget), self.unit);
        let at = budget.map_or(String::new(), at);
        let rows = crossed(&self.players, &self.players, cells);
        let grid = Grid::of(&rows)
            .data("playouts", |_| budget)
            .key("player", |row| row.0)
            .across(self.players.len(), "opponent", |row| row.1)
            .figure(|row| row.2.as_ref().map_or(String::new(), with_bounds));
        let caption = "The score of the row's player against the column's under all rules".into();
        let short = format!("{}{at}: scores of rows against columns, 95% intervals.", self.family);
        let title = format!("each against each{at}");
        self.of_scores("meetings", &title, [caption, short], grid, cells)
    }

    fn time(&self) -> Table {
        let a_second = |row: &ThoughtRow, count: u64| {
            (count > 0).then(|| (count as f64 / row.seconds.max(1e-9)).round() as u64)
        };
        let proven = |row: &ThoughtRow| {
            let share = 100.0 * row.proven as f64 / row.choices as f64;
            (row.choices > 0).then(|| format!("{share:.0}%"))
        };
        let grid = Grid::of(&self.thoughts)
            .both("rules", |row| row.rules.clone())
            .text(self.unit, |row| row.budget)
            .data("budget", |row| row.budget)
            .key("player", |row| row.player.clone())
            .both("games", |row| row.games)
            .both("decisions", |row| row.decisions)
            .text("decisions a game", |row| {
                format!("{:.1}", row.decisions as f64 / row.games.max(1) as f64)
            })
            .text("ms a decision", |row| {
                format!("{:.3}", 1e3 * row.seconds / (row.decisions as f64).max(1.0))
            })
            .text("playouts a second", |row| a_second(row, row.playouts))
            .text("stages solved a second", |row| a_second(row, row.expansions))
            .text("steps a second", |row| a_second(row, row.steps))
            .text("choices proven best", proven)
            .data("seconds", |row| row.seconds)
            .data("choices", |row| row.choices)
            .data("proven", |row| row.proven)
            .data("playouts", |row| row.playouts)
            .data("expansions", |row| row.expansions)
            .data("steps", |row| row.steps);
        let note = "No player searches, or the times were not kept.";
        let results = self.thoughts.iter().map(|row| {
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
        Table {
            results: Some(results.collect()),
            shown: Visibility::OnRequest,
            caption: "How many decisions those who search have taken, and the wall time of one on the machine of the \
                      experiment, with all that ran on it at the same time. Decisions that leave no choice count."
                .into(),
            short: format!("{}: decisions, and the wall time that they took.", self.family),
            notes: self.thoughts.is_empty().then(|| note.into()).into_iter().collect(),
            ..Table::new("time", format!("{}: time", self.family), grid)
        }
    }
}

/// Returns each item, or `None` alone if there are no items.
fn each_or_none<T: Copy>(items: &[T]) -> Vec<Option<T>> {
    if items.is_empty() { vec![None] } else { items.iter().copied().map(Some).collect() }
}

type Cells = [Vec<Option<Estimate>>];

/// Returns the sentence in the place of a table without scores.
fn absent(cells: &Cells) -> Option<&'static str> {
    cells.iter().flatten().all(Option::is_none).then_some("No pair of games is over.")
}

/// Returns the scores of each row, `null` if the two players do not meet.
fn as_json(cells: &Cells) -> Vec<Vec<Option<Value>>> {
    let cell = |of: &Estimate| {
        let Estimate { score, interval, pairs, .. } = of;
        json!({"score": score, "interval": interval, "pairs": pairs, "exact": of.is_exact()})
    };
    cells.iter().map(|row| row.iter().map(|of| of.as_ref().map(cell)).collect()).collect()
}
