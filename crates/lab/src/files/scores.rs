//! Scores that came from elsewhere: of two contestants, of methods on the tasks of a benchmark, or of strategies against
//! each other.

use std::collections::HashMap;

use csv::{ReaderBuilder, Trim};
use ruse_play::score::Estimate;

use crate::records::{Records, RunRecord};

/// The cells of a file, with the lines of its rows. All rows have as many cells.
struct Cells {
    /// The names of the columns; `None` if the first row has numbers only.
    header: Option<Vec<String>>,
    num_columns: usize,
    rows: Vec<(u64, Vec<String>)>,
}

impl Cells {
    /// Parses a text whose cells are separated by commas, or by tabs if there are some in the first line. Lines that begin
    /// with # are left out.
    fn parse(text: &str) -> Result<Cells, String> {
        let is_tabbed = text.lines().next().is_some_and(|line| line.contains('\t'));
        let mut reader = ReaderBuilder::new();
        let reader = reader.has_headers(false).trim(Trim::All).comment(Some(b'#'));
        let mut reader =
            reader.delimiter(if is_tabbed { b'\t' } else { b',' }).from_reader(text.as_bytes());
        let row = |record: csv::Result<csv::StringRecord>| {
            let record = record.map_err(|error| error.to_string())?;
            let line = record.position().map_or(0, csv::Position::line);
            Ok((line, record.iter().map(String::from).collect::<Vec<_>>()))
        };
        let mut rows = reader.records().map(row).collect::<Result<Vec<_>, String>>()?;
        let is_header =
            rows.first().is_some_and(|(_, row)| row.iter().any(|cell| number(cell).is_none()));
        let num_columns = rows.first().map_or(0, |(_, row)| row.len());
        let header = is_header.then(|| rows.remove(0).1);
        if rows.is_empty() {
            return Err("there are no scores".into());
        }
        Ok(Cells { header, num_columns, rows })
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.header.as_ref()?.iter().position(|column| column.eq_ignore_ascii_case(name))
    }
}

fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|number: &f64| number.is_finite())
}

fn score(cell: &str, line: u64) -> Result<f64, String> {
    number(cell).ok_or_else(|| format!("line {line}: `{cell}` is not a finite number"))
}

/// Returns an error if a seed is missing, or was seen before with the same names.
fn check_seed(
    seen: &mut HashMap<Vec<String>, u64>,
    names: &[&String],
    seed: &String,
    line: u64,
) -> Result<(), String> {
    if seed.is_empty() {
        return Err(format!("line {line} has no seed"));
    }
    let key = names.iter().chain([&seed]).map(|name| (*name).clone()).collect();
    match seen.insert(key, line) {
        None => Ok(()),
        Some(earlier) => Err(format!("line {line} has the seed {seed}, and so has line {earlier}")),
    }
}

/// The scores of one contestant, or of two with common seeds.
#[derive(Debug, Clone, PartialEq)]
pub struct ContestScores {
    /// The names of the contestants.
    pub names: Vec<String>,
    /// The scores in each row, one for each contestant, with the line of the row.
    pub rows: Vec<(u64, Vec<f64>)>,
}

impl ContestScores {
    /// Parses a file with a column for each contestant, and perhaps a column `seed`.
    ///
    /// # Errors
    ///
    /// Returns the problem: no scores, more than two contestants, a cell that is not a finite number, or a seed that is
    /// missing or repeated.
    pub fn parse(text: &str) -> Result<ContestScores, String> {
        let cells = Cells::parse(text)?;
        let seed = cells.column("seed");
        let columns: Vec<usize> =
            (0..cells.num_columns).filter(|index| Some(*index) != seed).collect();
        let name = |&index: &usize| match &cells.header {
            Some(header) => header[index].clone(),
            None => format!("column {}", index + 1),
        };
        let names: Vec<String> = columns.iter().map(name).collect();
        match names.len() {
            1 | 2 => {}
            0 => return Err("there are no scores".into()),
            num => return Err(format!("there are {num} columns of scores ({})", names.join(", "))),
        }
        let (mut seen, mut rows) = (HashMap::new(), Vec::new());
        for (line, row) in &cells.rows {
            if let Some(seed) = seed {
                check_seed(&mut seen, &[], &row[seed], *line)?;
            }
            let scores = columns.iter().map(|&index| score(&row[index], *line));
            rows.push((*line, scores.collect::<Result<_, String>>()?));
        }
        Ok(ContestScores { names, rows })
    }
}

/// The scores of methods on the tasks of a benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchmarkScores {
    /// The tasks, in the order of their first scores.
    pub tasks: Vec<String>,
    /// The methods, in the order of their first scores.
    pub methods: Vec<String>,
    /// The number of the task, the number of the method, and the score, of each run.
    pub runs: Vec<(usize, usize, f64)>,
}

impl BenchmarkScores {
    /// Parses a file with the columns `method`, `task` and `score`, and perhaps `seed`; or one with the tasks in its first
    /// column, and a column for each method. Empty cells are missing scores. Other columns are not read.
    ///
    /// # Errors
    ///
    /// Returns the problem: no scores, a score that is not a finite number, or a seed that is missing or repeated.
    pub fn parse(text: &str) -> Result<BenchmarkScores, String> {
        let cells = Cells::parse(text)?;
        let Some(header) = &cells.header else {
            return Err("the first line has numbers, and no names of columns".into());
        };
        let mut found =
            BenchmarkScores { tasks: Vec::new(), methods: Vec::new(), runs: Vec::new() };
        let [method, task, of_score, seed] =
            ["method", "task", "score", "seed"].map(|name| cells.column(name));
        let mut seen = HashMap::new();
        match (method, task, of_score) {
            (Some(method), Some(task), Some(of_score)) => {
                for (line, row) in &cells.rows {
                    let [method, task] = [&row[method], &row[task]];
                    if let Some(seed) = seed {
                        check_seed(&mut seen, &[method, task], &row[seed], *line)?;
                    }
                    found.add(task, method, score(&row[of_score], *line)?);
                }
            }
            (Some(_), ..) => {
                return Err("the columns `method`, `task` and `score` belong together".into());
            }
            _ if header.len() < 2 => return Err("there are no methods".into()),
            _ => {
                for (line, row) in &cells.rows {
                    let scores = header.iter().zip(row).skip(1);
                    for (method, cell) in scores.filter(|(_, cell)| !cell.is_empty()) {
                        found.add(&row[0], method, score(cell, *line)?);
                    }
                }
            }
        }
        Ok(found)
    }

    fn add(&mut self, task: &str, method: &str, score: f64) {
        let place = |names: &mut Vec<String>, name: &str| {
            names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.into());
                names.len() - 1
            })
        };
        let run = (place(&mut self.tasks, task), place(&mut self.methods, method), score);
        self.runs.push(run);
    }

    /// Returns the scores as records of runs, whose families are the tasks. The scores are mapped from `range` to [0, 1], so
    /// that more is better; the first number of the range is the worst score.
    pub fn records(&self, [worst, best]: [f64; 2]) -> Records {
        let run = |(seed, &(task, method, score)): (u64, &(usize, usize, f64))| RunRecord {
            family: self.tasks[task].clone(),
            method: self.methods[method].clone(),
            seed,
            games: 0,
            iterations: 0,
            score: Estimate::computed((score - worst) / (best - worst), 0),
            opponents: None,
            is_random_start: false,
            is_start: false,
            budget: None,
            stop_reason: None,
        };
        Records {
            families: self.tasks.clone(),
            methods: self.methods.clone(),
            runs: (0..).zip(&self.runs).map(run).collect(),
            ..Records::default()
        }
    }

    /// Returns the least and the largest score.
    pub fn range(&self) -> [f64; 2] {
        let scores = || self.runs.iter().map(|run| run.2);
        [scores().fold(f64::INFINITY, f64::min), scores().fold(f64::NEG_INFINITY, f64::max)]
    }
}

/// The payoffs of a game of two players in normal form.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixScores {
    /// The names of the rows, and of the columns.
    pub names: [Vec<String>; 2],
    /// The payoffs of the row player, by row and column.
    pub payoffs: Vec<Vec<f64>>,
}

impl MatrixScores {
    /// Parses a table of payoffs of the row player in CSV, with or without names of its columns and rows.
    ///
    /// # Errors
    ///
    /// Returns the problem: a payoff that is missing or not a finite number.
    pub fn parse(text: &str) -> Result<MatrixScores, String> {
        let cells = Cells::parse(text)?;
        let is_named = cells.rows.iter().all(|(_, row)| number(&row[0]).is_none());
        if is_named
            && let Some([corner, names @ ..]) = cells.header.as_deref()
            && !corner.is_empty()
            && names.iter().all(|name| number(name).is_some())
        {
            return Err("line 1 may have payoffs or the names of columns: put a line with names before it, or leave its \
                        first cell empty"
                .into());
        }
        let first = usize::from(is_named);
        let name = |kind: &str, index: usize| format!("{kind} {}", index + 1);
        let columns = (first..cells.num_columns).map(|index| match &cells.header {
            Some(header) => header[index].clone(),
            None => name("column", index - first),
        });
        let rows = cells.rows.iter().enumerate().map(|(index, (_, row))| match is_named {
            true => row[0].clone(),
            false => name("row", index),
        });
        let names = [rows.collect(), columns.collect()];
        let payoffs = cells.rows.iter().map(|(line, row)| {
            row[first..].iter().map(|cell| score(cell, *line)).collect::<Result<Vec<_>, String>>()
        });
        Ok(MatrixScores { names, payoffs: payoffs.collect::<Result<_, _>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_benchmark_are_the_same() {
        let long = "task,method,seed,score,host\nx,a,1,.5,h\nx,b,1,-2,h\ny,b,1,3,g\nx,a,2,1e3,h\n";
        let wide = "problem\ta\tb\nx\t.5\t-2\ny\t\t3\nx\t1e3\t\n";
        let found = BenchmarkScores::parse(long).expect("valid");
        assert_eq!(found, BenchmarkScores::parse(wide).expect("valid"));
        assert_eq!((found.tasks.join(" "), found.methods.join(" ")), ("x y".into(), "a b".into()));
        assert_eq!(found.runs, [(0, 0, 0.5), (0, 1, -2.0), (1, 1, 3.0), (0, 0, 1000.0)]);
        let scores: Vec<f64> =
            found.records([1000.0, -2.0]).runs.iter().map(|run| run.score.score).collect();
        assert_eq!((found.range(), scores[1], scores[3]), ([-2.0, 1000.0], 1.0, 0.0));
    }

    #[test]
    fn invalid_benchmarks_are_named() {
        for (text, problem) in [
            ("", "there are no scores"),
            ("task,method,score\n", "there are no scores"),
            ("1,2\n3,4\n", "no names of columns"),
            ("task\nx\n", "there are no methods"),
            ("method,score\na,1\n", "belong together"),
            ("method,task\na,x\n", "belong together"),
            ("task,a\nx,inf\n", "line 2: `inf` is not a finite number"),
            (
                "task,method,seed,score\nx,a,1,2\nx,a,1,3\n",
                "line 3 has the seed 1, and so has line 2",
            ),
            ("task,method,seed,score\nx,a,,2\n", "line 2 has no seed"),
            ("task,a\nx,1,2\n", "found record with 3 fields"),
        ] {
            let error = BenchmarkScores::parse(text).expect_err(text);
            assert!(error.contains(problem), "{text}: {error}");
        }
    }

    /// Matching pennies, in all forms.
    #[test]
    fn matrices_are_read_in_all_forms() {
        for (text, first) in [
            ("1,-1\n-1,1\n", "row 1"),
            ("H,T\n1,-1\n-1,1\n", "row 1"),
            (",0,1\nh,1,-1\nt,-1,1\n", "h"),
        ] {
            let found = MatrixScores::parse(text).expect(text);
            assert_eq!(found.payoffs, [[1.0, -1.0], [-1.0, 1.0]], "{text}");
            assert_eq!(found.names[0][0], first, "{text}");
        }
        for (text, problem) in [
            ("", "there are no scores"),
            ("a,b\n1,x\n", "line 2: `x` is not a finite number"),
            ("1,2\n3\n", "found record with 1 field"),
            ("a,0,1\nb,1,0\n", "payoffs or the names of columns"),
        ] {
            let error = MatrixScores::parse(text).expect_err(text);
            assert!(error.contains(problem), "{text}: {error}");
        }
    }
}
