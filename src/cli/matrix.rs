//! `ruse solve` for games in normal form: an equilibrium of a table of payoffs.

use ruse_base::stop::StopSignal;
use ruse_gdl::matrix_of_gambit;
use ruse_lab::MatrixScores;
use ruse_search::matrix::PayoffMatrix;
use serde::Serialize;
use serde_json::Value;

use super::failure::{Failure, Result};
use super::format::{four, paragraph, table_of, terminal};
use super::output::{self, Answer};
use super::race::read_scores;

/// The advice about a file that is not of this kind.
const ADVICE: &str =
    "a table has the payoffs of the row player, and perhaps the names of columns and rows";

/// A strategy of a player.
#[derive(Serialize)]
struct Weighed<'a> {
    name: &'a str,
    weight: f64,
    /// The payoff of the row player if this strategy meets the other player's mixture.
    payoff: f64,
}

#[derive(Serialize)]
struct Solution<'a> {
    game: &'a str,
    value: f64,
    gap: f64,
    unique: bool,
    rows: Vec<Weighed<'a>>,
    columns: Vec<Weighed<'a>>,
}

fn weighed<'a>(names: &'a [String], weights: &[f64], payoffs: Vec<f64>) -> Vec<Weighed<'a>> {
    let all = names.iter().zip(weights).zip(payoffs);
    all.map(|((name, &weight), payoff)| Weighed { name, weight, payoff }).collect()
}

pub(super) fn solve(file: &str, is_json: bool, stop: &StopSignal) -> Result {
    let parse = |text: &str| match matrix_of_gambit(text) {
        None => MatrixScores::parse(text),
        Some(read) => read
            .map(|(names, payoffs)| MatrixScores { names, payoffs })
            .map_err(|error| error.to_string()),
    };
    let MatrixScores { names, payoffs } = read_scores(file, parse, ADVICE)?;
    let failed = |error| Failure::with_advice(format!("{file}: {error}"), ADVICE);
    let matrix = PayoffMatrix::from_rows(&payoffs).map_err(failed)?;
    let found = matrix.solve_unless(&|| stop.check().is_err()).map_err(failed)?;
    let solution = Solution {
        game: file,
        value: found.value(),
        gap: found.gap(),
        unique: stop.check().is_ok() && matrix.is_unique(&found),
        rows: weighed(&names[0], &found.row_mixture, matrix.of_rows(&found.column_mixture)),
        columns: weighed(&names[1], &found.column_mixture, matrix.of_columns(&found.row_mixture)),
    };
    output::write(&solution, is_json)?;
    stop.check().map_err(|_| Failure::Interrupted)
}

impl Solution<'_> {
    /// Returns the text for people, with at most this number of lines for the strategies.
    fn text(&self, lines: usize) -> String {
        let Solution { game, value, gap, unique, rows, columns } = self;
        let others = if *unique { "no other equilibrium" } else { "other equilibria may exist" };
        let answer = paragraph(&format!(
            "{game}: {} rows and {} columns; the row player gets {} under best play of both, within {gap:.0e}; {others}",
            rows.len(),
            columns.len(),
            four(*value),
        ));
        let all: Vec<[String; 4]> = [("row", rows), ("column", columns)]
            .into_iter()
            .flat_map(|(player, strategies)| {
                strategies.iter().map(move |of| {
                    [player.into(), of.name.into(), four(of.weight), four(of.payoff)]
                })
            })
            .collect();
        let rows = |num: usize| {
            let titles = ["player", "strategy", "weight", "row gets"];
            table_of(titles, &[2, 3], all[..num].iter().cloned())
        };
        answer + "\n" + &terminal().first_rows(lines, all.len(), rows)
    }
}

impl Answer for Solution<'_> {
    fn page(&self) -> String {
        self.text(usize::MAX)
    }

    fn answer(&self) -> String {
        /// The lines of the strategies on a screen of 24 lines.
        const LINES: usize = 18;
        self.text(LINES)
    }

    fn object(&self) -> Value {
        serde_json::to_value(self).expect("numbers and names")
    }
}
