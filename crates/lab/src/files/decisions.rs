//! Tables of the decisions in a match. Each row is one decision, with the number of legal actions.

use std::path::{Path, PathBuf};

use ruse_base::files::reading::{self, BoundedRows};
use ruse_games::{NumActions, Seat};
use ruse_play::arena::{CountedDecision, Side};

use super::history::cell;

/// The columns. `clock` is empty for a game without a clock; `player` is `a` for the player named first; `tried` is empty
/// for a player that does not search, or has only one action.
const COLUMNS: [&str; 10] = [
    "pair",
    "game",
    "step",
    "clock",
    "seat",
    "player",
    "units",
    "log10_actions",
    "actions",
    "tried",
];

/// A table of decisions, filled pair by pair.
pub struct DecisionTable {
    table: csv::Writer<Vec<u8>>,
    num_decisions: u64,
}

impl Default for DecisionTable {
    fn default() -> DecisionTable {
        let mut table = csv::Writer::from_writer(Vec::new());
        table.write_record(COLUMNS).expect("memory can be written to");
        DecisionTable { table, num_decisions: 0 }
    }
}

impl DecisionTable {
    /// Adds the decisions of a pair, in order. Pairs, games and steps are numbered from 1.
    pub fn add(&mut self, pair: u64, decisions: &[CountedDecision]) {
        for decision in decisions {
            let breadth = decision.breadth;
            let record = [
                (pair + 1).to_string(),
                (decision.game + 1).to_string(),
                (decision.step + 1).to_string(),
                cell(breadth.clock),
                if decision.seat == Seat::First { "first" } else { "second" }.to_string(),
                if decision.side == Side::A { "a" } else { "b" }.to_string(),
                breadth.num_slots.to_string(),
                log10(breadth.num_actions).to_string(),
                breadth.num_actions.to_string(),
                cell(Some(decision.tried).filter(|&tried| tried > 0)),
            ];
            self.table.write_record(&record).expect("memory can be written to");
        }
        self.num_decisions += decisions.len() as u64;
    }

    /// Returns the number of decisions so far.
    pub fn num_decisions(&self) -> u64 {
        self.num_decisions
    }

    /// Returns the table as CSV.
    pub fn into_bytes(self) -> Vec<u8> {
        self.table.into_inner().expect("memory can be written to")
    }
}

fn log10(number: NumActions) -> f64 {
    match number {
        NumActions::Exactly(number) => libm::log10(number as f64),
        NumActions::About(number) => libm::log10(number),
    }
}

/// A row of a table of decisions, with only the columns for figures.
#[derive(Debug, Clone, Copy, PartialEq, serde::Deserialize)]
pub struct DecisionRow {
    /// The number of the decision in its game, from 1.
    pub step: u32,
    /// The time of the decision, in the unit of the rules; `None` for a game without a clock.
    pub clock: Option<u32>,
    /// The player: `a` or `b`.
    pub player: char,
    /// The decimal logarithm of the number of legal actions.
    pub log10_actions: f64,
    /// The number of different actions that the player tried in its search; `None` if it does not search.
    pub tried: Option<u32>,
}

/// The error returned for an invalid table of decisions.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} is not a table of decisions as `ruse match --decisions` writes it: {}",
    path.display(),
    match line { Some(line) => format!("line {line}: {found}"), None => found.clone() }
)]
pub struct DecisionTableError {
    /// The file.
    pub path: PathBuf,
    /// The number of the invalid line, from 1, if the error is in one line.
    pub line: Option<u64>,
    /// A description of the problem.
    pub found: String,
}

/// Reads a table of decisions.
///
/// # Errors
///
/// Returns an error if the table cannot be read or is invalid; the error states the number of an invalid line.
pub fn read_decisions(path: &Path) -> Result<Vec<DecisionRow>, DecisionTableError> {
    let refused = |line, found: String| DecisionTableError { path: path.into(), line, found };
    let unreadable = |error: csv::Error| {
        let line = error.position().map(csv::Position::line);
        refused(line, error.to_string())
    };
    let file = reading::open(path).map_err(|error| refused(None, error.to_string()))?;
    let mut table = csv::Reader::from_reader(BoundedRows::new(file));
    let header = table.headers().map_err(unreadable)?;
    if header.iter().ne(COLUMNS) {
        let found = header.iter().collect::<Vec<_>>().join(",");
        let message = format!("the columns are `{found}`, not `{}`", COLUMNS.join(","));
        return Err(refused(Some(1), message));
    }
    let mut rows = Vec::new();
    for (line, row) in (2..).zip(table.deserialize()) {
        let row: DecisionRow = row.map_err(unreadable)?;
        if !matches!(row.player, 'a' | 'b') || !(0.0..1e4).contains(&row.log10_actions) {
            let message = format!(
                "the player is `{}` and the logarithm {}, where a or b and a number from 0 should be",
                row.player, row.log10_actions
            );
            return Err(refused(Some(line), message));
        }
        rows.push(row);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use ruse_strategies::Breadth;

    use super::*;

    /// The expected table was written by hand.
    #[test]
    fn tables_are_read_as_they_were_written() {
        let decision = |step, side, clock, num_actions| CountedDecision {
            game: 1,
            step,
            seat: Seat::Second,
            side,
            breadth: Breadth { clock, num_slots: 2, num_actions },
            tried: if side == Side::A { 3 } else { 0 },
        };
        let mut table = DecisionTable::default();
        table.add(0, &[decision(0, Side::A, Some(7), NumActions::Exactly(100))]);
        table.add(4, &[decision(1, Side::B, None, NumActions::About(1e40))]);
        assert_eq!(table.num_decisions(), 2);
        let text = String::from_utf8(table.into_bytes()).expect("text");
        let expected = "pair,game,step,clock,seat,player,units,log10_actions,actions,tried\n\
            1,2,1,7,second,a,2,2,100,3\n\
            5,2,2,,second,b,2,40,about 1e40,\n";
        assert_eq!(text, expected);
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("d.csv");
        std::fs::write(&path, &text).expect("writable");
        let row = |step, clock, player, log10_actions, tried| DecisionRow {
            step,
            clock,
            player,
            log10_actions,
            tried,
        };
        let rows = read_decisions(&path).expect("it is one");
        assert_eq!(rows, [row(1, Some(7), 'a', 2.0, Some(3)), row(2, None, 'b', 40.0, None)]);
        for (from, to, message) in [
            ("step,", "stop,", "line 1: the columns are `pair,game,stop,"),
            (",a,2,2,", ",c,2,2,", "line 2: the player is `c` and the logarithm 2,"),
            (",2,40,", ",2,x,", "line 3: "),
        ] {
            std::fs::write(&path, text.replace(from, to)).expect("writable");
            let error = read_decisions(&path).expect_err(from).to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
