//! The findings of a comparison, in up to three sentences.

use super::format::{counted, digits, score};
use super::head_to_head::MeetingCell;
use super::repeats::{MeanScore, Noise};
use super::scores::ScoreCell;
use super::{Cell, Report};
use crate::lab::YardstickKind;

/// Formats a mean with its interval, or says why the interval is missing.
fn told(mean: &MeanScore) -> String {
    let [low, high] = mean.interval;
    let number = |value| score(value, digits(mean.interval));
    if mean.is_exact() {
        format!("{} (exact)", number(mean.score))
    } else if mean.is_all_alike() {
        format!("{} in all runs", number(mean.score))
    } else if mean.withheld.is_some() {
        format!("{} (runs too few or too different for an interval)", score(mean.score, 3))
    } else {
        format!("{} [{}, {}]", number(mean.score), number(low), number(high))
    }
}

/// Joins names for a sentence: `a`, `a and b`, `a, b and c`.
fn joined(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).into(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

impl Report {
    /// Returns the known findings in plain words, with numbers and 95% intervals: the best method, and how certain this
    /// is; the largest difference between two methods; and a comparison with reference players.
    pub fn findings(&self) -> Vec<String> {
        let best = match self.scores.families.len() {
            1 => self.best_of_family(),
            _ => self.best_over_families(),
        };
        [best, self.largest_difference(), self.worth_of_scores()].into_iter().flatten().collect()
    }

    fn best_of_family(&self) -> Option<String> {
        let cells = self.scores.methods.iter().zip(self.scores.cells.first()?);
        let cells: Vec<(&str, &ScoreCell)> = cells
            .filter_map(|(method, cell)| Some((method.as_str(), cell.ours.as_ref()?)))
            .collect();
        let &(method, best) = cells.iter().find(|(_, cell)| cell.is_best)?;
        let family = &self.scores.families[0];
        let scores = told(&best.mean);
        if cells.len() == 1 {
            return Some(format!("{method} scores {scores} against the baseline of {family}."));
        }
        let others = |is: &dyn Fn(&ScoreCell) -> bool| -> Vec<&str> {
            let others = cells.iter().filter(|(other, cell)| *other != method && is(cell));
            others.map(|(other, _)| *other).collect()
        };
        let equal = others(&|cell| cell.is_best);
        let near = others(&|cell| cell.is_not_clearly_worse);
        let how_sure = if cells.iter().all(|(_, cell)| cell.mean.covers == Noise::Playing) {
            "One run of each method says nothing about other seeds.".into()
        } else if !equal.is_empty() {
            format!("So does {}.", joined(&equal))
        } else if near.is_empty() {
            "All other methods score clearly less.".into()
        } else {
            format!("Its lead over {} may be chance.", joined(&near))
        };
        Some(format!(
            "On {family}, {method} scores highest: {scores} against the baseline. {how_sure}"
        ))
    }

    fn best_over_families(&self) -> Option<String> {
        let standings = self.ranking.standings.iter();
        let ranked = standings.filter_map(|standing| Some((standing.rank_by_score?, standing)));
        let ranked: Vec<_> = ranked.collect();
        let (rank, best) = ranked.iter().min_by(|x, y| x.0.rank.total_cmp(&y.0.rank))?;
        if ranked.len() < 2 {
            return None;
        }
        let tied: Vec<&str> = ranked
            .iter()
            .filter(|(_, standing)| standing.is_tied_by_score)
            .map(|(_, standing)| standing.method.as_str())
            .collect();
        let error = rank.standard_error.map_or(String::new(), |error| format!(" ± {error:.2}"));
        let how_sure = match tied.as_slice() {
            [] => "The lead over every other method is larger than chance explains.".into(),
            tied => format!("Its lead over {} may be chance.", joined(tied)),
        };
        Some(format!(
            "{} scores best: its mean rank is {:.2}{error} over {} (1 is the best, ± the standard error), and no method \
             scores more in {}. {how_sure}",
            best.method,
            rank.rank,
            counted(self.ranking.num_families_by_score as u64, "family"),
            counted(best.num_best_by_score as u64, "family"),
        ))
    }

    fn largest_difference(&self) -> Option<String> {
        let cells = self.head_to_head.iter().flat_map(|table| {
            table.cells.iter().zip(&table.methods).flat_map(move |(row, method)| {
                let row = row.iter().zip(&table.methods);
                row.filter_map(move |(cell, other): (&Cell<MeetingCell>, _)| {
                    Some((&table.family, method, other, cell.ours.as_ref()?.mean))
                })
            })
        });
        // Each pair of methods has two cells. Use the one in which the row's method wins, or the first if they are
        // equal.
        let is_told_apart = |mean: &MeanScore| mean.conclusive_interval()[0] > 0.5;
        let mut largest: Option<(&String, &String, &String, MeanScore)> = None;
        for cell in cells.filter(|(.., mean)| mean.score > 0.5) {
            let key = |(.., mean): &(_, _, _, MeanScore)| (is_told_apart(mean), mean.score);
            if largest.as_ref().is_none_or(|known| key(&cell) > key(known)) {
                largest = Some(cell);
            }
        }
        let Some((family, method, other, mean)) = largest else {
            let has_met = !self.head_to_head.is_empty();
            return has_met.then(|| "Against each other all methods score one half.".into());
        };
        let scores = told(&mean);
        Some(match is_told_apart(&mean) {
            true => format!(
                "The largest difference head to head is on {family}: {method} scores {scores} against {other}."
            ),
            false => format!(
                "Head to head no two methods differ significantly; the largest difference is on {family}, where {method} scores \
                 {scores} against {other}."
            ),
        })
    }

    fn worth_of_scores(&self) -> Option<String> {
        let rows = self.yardsticks.rows.iter().filter_map(|row| {
            let family = self.scores.families.iter().position(|family| *family == row.family)?;
            let cells = self.scores.methods.iter().zip(&self.scores.cells[family]);
            let cells = cells.filter_map(|(method, cell)| Some((method, cell.ours.as_ref()?)));
            let (method, best) = cells.clone().find(|(_, cell)| cell.is_best)?;
            let others = row.yardsticks.iter();
            let others = others.filter(|other| other.kind != YardstickKind::Optimum);
            let other = others.rev().max_by(|x, y| x.mean.score.total_cmp(&y.mean.score))?;
            let is_above = row.num_methods_above > 0;
            let excess = best.mean.score - other.mean.score;
            Some(((is_above, excess), row, method, best.mean, other))
        });
        let rows: Vec<_> = rows.collect();
        let by_excess = rows.iter().max_by(|((above_x, x), ..), ((above_y, y), ..)| {
            above_x.cmp(above_y).then(x.total_cmp(y))
        });
        let (_, row, method, mean, other) = by_excess?;
        let optimum = row.only(YardstickKind::Optimum).map_or(String::new(), |optimum| {
            format!("; the best possible is {}", score(optimum.mean.score, 3))
        });
        let pair = format!(
            "{method} scores {} on {}, {} {}{optimum}",
            told(mean),
            row.family,
            other.name,
            told(&other.mean)
        );
        let num_above = rows.iter().filter(|((is_above, _), ..)| *is_above).count();
        Some(match (rows.len(), num_above) {
            (1, 1) => format!("Learning paid: {pair}, without learning."),
            (all, above) if above > 0 => format!(
                "In {above} of {} learning did better than all reference players, most clearly where {pair}.",
                counted(all as u64, "family"),
            ),
            (1, _) => format!(
                "Learning did not do clearly better than the best reference player: {pair}."
            ),
            (all, _) => format!(
                "In none of {} did learning do clearly better than the best reference player; it came nearest \
                 where {pair}.",
                counted(all as u64, "family"),
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::samples::{estimate, exact, meeting, run};
    use crate::lab::{Records, YardstickRecord};

    fn records(families: &[&str], scores: &[[f64; 2]], seeds: u64) -> Records {
        let mut records = Records {
            families: families.iter().map(|family| family.to_string()).collect(),
            methods: ["a", "b"].map(String::from).into(),
            ..Records::default()
        };
        for (family, scores) in families.iter().zip(scores) {
            for seed in 1..=seeds {
                for (method, score) in ["a", "b"].into_iter().zip(scores) {
                    records.runs.push(run(family, method, seed, score + 0.001 * seed as f64));
                }
                records.meetings.push(meeting(
                    family,
                    ("a", seed),
                    ("b", seed),
                    0.5 + scores[0] - scores[1],
                ));
            }
        }
        records
    }

    fn yardstick(family: &str, kind: YardstickKind, name: &str, score: f64) -> YardstickRecord {
        let score = if kind == YardstickKind::Optimum { exact(score) } else { estimate(score) };
        YardstickRecord { family: family.into(), seed: 1, kind, name: name.into(), score }
    }

    fn findings(records: &Records) -> Vec<String> {
        Report::new(records, None).expect("sound records").findings()
    }

    #[test]
    fn one_family_is_told_by_its_scores() {
        let mut war = records(&["war"], &[[0.7, 0.6]], 4);
        war.yardsticks.push(yardstick("war", YardstickKind::Random, "random", 0.45));
        war.yardsticks.push(yardstick("war", YardstickKind::Reference, "descending", 0.65));
        war.yardsticks.push(yardstick("war", YardstickKind::Optimum, "exact optimum", 0.75));
        let [best, difference, worth] = &findings(&war)[..] else { panic!("three") };
        // The scores are .701 to .704. The half-width is the noise of playing in four runs, .0051 / 2, times t(.975; 3)
        // = 3.18.
        assert!(
            best.starts_with("On war, a scores highest: .702 [.694, .711] against the baseline. All other methods"),
            "{best}"
        );
        assert!(
            difference
                .starts_with("The largest difference head to head is on war: a scores .600 ["),
            "{difference}"
        );
        assert!(worth.starts_with("Learning paid: a scores .702 ["), "{worth}");
        assert!(worth.contains("descending .650 ["), "{worth}");
        assert!(worth.ends_with("the best possible is .750, without learning."), "{worth}");
        // A single run says nothing about other runs.
        let [best, difference] = &findings(&records(&["war"], &[[0.7, 0.6]], 1))[..] else {
            panic!("two")
        };
        assert!(best.ends_with("One run of each method says nothing about other seeds."), "{best}");
        assert!(
            difference.starts_with("Head to head no two methods differ significantly;"),
            "{difference}"
        );
    }

    #[test]
    fn several_families_are_told_by_ranks() {
        let families = ["war", "pig", "nim", "cheat"];
        let scores = [[0.7, 0.6], [0.6, 0.65], [0.9, 0.5], [0.8, 0.7]];
        let mut all = records(&families, &scores, 4);
        for (family, score) in families.into_iter().zip([0.7, 0.7, 0.8, 0.8]) {
            all.yardsticks.push(yardstick(family, YardstickKind::Reference, "known", score));
        }
        let [best, difference, worth] = &findings(&all)[..] else { panic!("three") };
        // The ranks of a are 1, 2, 1, 1.
        assert!(
            best.starts_with("a scores best: its mean rank is 1.25 ± 0.25 over 4 families"),
            "{best}"
        );
        assert!(best.contains("no method scores more in 3 families."), "{best}");
        assert!(difference.contains("on nim: a scores .900 ["), "{difference}");
        assert!(
            worth.starts_with("In 1 of 4 families learning did better")
                && worth.contains("on nim, known .800 ["),
            "{worth}"
        );
        assert_eq!(findings(&Records::default()), [""; 0]);
    }
}
