//! The findings of a comparison, in up to three sentences.

use ruse_lab::YardstickKind;

use super::format::{counted, crossed, digits, score};
use super::head_to_head::HeadToHeadTable;
use super::ranking::too_few;
use super::repeats::{MeanScore, Noise};
use super::scores::{ROUNDING, ScoreCell};
use super::words::listed;
use super::yardsticks::is_above;
use super::{Leader, Report};

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

impl Report {
    /// Returns the known findings in plain words, with numbers and 95% intervals: the best method, and how certain this
    /// is; the largest difference between two methods; and a comparison with reference players.
    pub fn findings(&self) -> Vec<String> {
        let findings = [self.headline(), self.largest_difference(), self.worth_of_scores()];
        findings.into_iter().flatten().collect()
    }

    /// Returns a sentence about the best method, with its proof; `None` without scores, or for a single method over
    /// several families.
    pub fn headline(&self) -> Option<String> {
        match self.scores.families.len() {
            1 => self.best_of_family(),
            _ => self.best_over_families(),
        }
    }

    fn best_of_family(&self) -> Option<String> {
        let cells: Vec<(&str, &ScoreCell)> = self.scores.of_family(0).collect();
        let &(method, best) = cells.iter().find(|(_, cell)| cell.is_best)?;
        let family = &self.scores.families[0];
        let scores = told(&best.mean);
        if cells.iter().all(|(_, cell)| cell.mean.covers == Noise::Playing) && cells.len() > 1 {
            return Some(format!(
                "On {family}, the run of {method} scores {scores} against the baseline. One run of each method says nothing about other seeds."
            ));
        }
        let leader = Leader::of(cells.iter().map(|(method, cell)| (*method, cell.place())));
        Some(match leader {
            Leader::TooFew => format!("{method} scores {scores} against the baseline of {family}."),
            Leader::Tied(best) => format!(
                "On {family}, {} share the highest mean score: {scores} against the baseline.",
                listed(&best, "and")
            ),
            Leader::NotSignificant(best, others) => format!(
                "On {family}, {best} has the highest mean score: {scores} against the baseline. Its lead over {} may be \
                 chance.",
                listed(&others, "and")
            ),
            Leader::Proven(best) => format!(
                "On {family}, {best} scores highest: {scores} against the baseline. All other methods score clearly less."
            ),
        })
    }

    fn best_over_families(&self) -> Option<String> {
        let num_families = self.ranking.num_families_by_score;
        let ranked = self.ranking.standings.iter().filter_map(|standing| standing.rank_by_score);
        let rank = ranked.clone().min_by(|x, y| x.rank.total_cmp(&y.rank))?;
        if ranked.count() < 2 {
            return None;
        }
        let error = rank.standard_error.map_or(String::new(), |error| format!(" ± {error:.2}"));
        let means = format!(
            "{:.2}{error} over {} (1 is the best, ± the standard error)",
            rank.rank,
            counted(num_families as u64, "family"),
        );
        Some(match self.ranking.leader() {
            Leader::TooFew => too_few(num_families),
            Leader::Tied(best) => {
                let is_any_worse = self.ranking.standings.iter().any(|standing| {
                    standing.rank_by_score.is_some_and(|mean| mean.rank > rank.rank)
                        && !standing.is_tied_by_score
                });
                let others = if is_any_worse {
                    "."
                } else {
                    "; no difference of mean ranks is significant."
                };
                format!("{} share the best mean rank, {means}{others}", listed(&best, "and"))
            }
            Leader::NotSignificant(best, others) => format!(
                "{best} has the best mean rank, {means}. Its lead over {} may be chance.",
                listed(&others, "and")
            ),
            Leader::Proven(best) => format!(
                "{best} scores best: its mean rank is {means}. The lead over every other method is significant, at 5% for \
                 all together."
            ),
        })
    }

    fn largest_difference(&self) -> Option<String> {
        let cells = self.head_to_head.iter().flat_map(|table| {
            let HeadToHeadTable { family, methods, cells, .. } = table;
            let cells = crossed(methods, methods, cells).into_iter();
            cells
                .filter_map(move |(of, other, cell)| Some((family, of, other, cell.ours.as_ref()?)))
        });
        // Each pair of methods has two cells. Use the one in which the row's method wins.
        let significant =
            cells.clone().filter(|(.., cell)| cell.is_sure() && cell.mean.score > 0.5);
        let largest =
            significant.rev().max_by(|(.., x), (.., y)| x.mean.score.total_cmp(&y.mean.score));
        if let Some((family, method, other, cell)) = largest {
            return Some(format!(
                "The largest significant difference head to head is on {family}: {method} scores {} against {other}.",
                told(&cell.mean)
            ));
        }
        let are_even = cells.clone().all(|(.., cell)| (cell.mean.score - 0.5).abs() <= ROUNDING);
        Some(match cells.count() {
            0 => return None,
            _ if are_even => "Against each other all methods score one half.".into(),
            _ => "Head to head no two methods differ significantly.".into(),
        })
    }

    fn worth_of_scores(&self) -> Option<String> {
        let rows = self.yardsticks.rows.iter().filter_map(|row| {
            let family = self.scores.families.iter().position(|family| *family == row.family)?;
            let cells = self.scores.of_family(family);
            let others = row.yardsticks.iter();
            let others = others.filter(|other| other.kind != YardstickKind::Optimum);
            let other =
                others.clone().rev().max_by(|x, y| x.mean.score.total_cmp(&y.mean.score))?;
            // The best method need not be the one that is proven better: its runs may say little.
            let is_better =
                |cell: &ScoreCell| others.clone().all(|other| is_above(&cell.mean, &other.mean));
            let better = cells.clone().filter(|(_, cell)| is_better(cell));
            let better =
                better.rev().max_by(|(_, x), (_, y)| x.mean.score.total_cmp(&y.mean.score));
            let is_above = better.is_some();
            let (method, best) = better.or_else(|| cells.clone().find(|(_, cell)| cell.is_best))?;
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
    use ruse_lab::fixtures::{self, estimate, exact, meeting, run};
    use ruse_lab::{Measurement, Records};

    use super::*;
    use crate::tests::records_of;

    fn records(families: &[&str], scores: &[[f64; 2]], seeds: u64) -> Records {
        let mut records = records_of(families, &["a", "b"]);
        for (family, scores) in families.iter().zip(scores) {
            for seed in 1..=seeds {
                for (method, score) in ["a", "b"].into_iter().zip(scores) {
                    records.runs.push(run(family, method, seed, score + 0.001 * seed as f64));
                }
                let score = 0.5 + scores[0] - scores[1];
                records.measurements.push(meeting(family, ("a", seed), ("b", seed), score));
            }
        }
        records
    }

    fn yardstick(family: &str, kind: YardstickKind, name: &str, score: f64) -> Measurement {
        let score = if kind == YardstickKind::Optimum { exact(score) } else { estimate(score) };
        fixtures::yardstick(family, kind, name, 1, score)
    }

    fn findings(records: &Records) -> Vec<String> {
        Report::new(records, None).expect("sound records").findings()
    }

    #[test]
    fn one_family_is_ranked_by_scores() {
        let mut war = records(&["war"], &[[0.7, 0.6]], 4);
        war.measurements.push(yardstick("war", YardstickKind::Random, "random", 0.45));
        war.measurements.push(yardstick("war", YardstickKind::Reference, "descending", 0.65));
        war.measurements.push(yardstick("war", YardstickKind::Optimum, "exact optimum", 0.75));
        let [best, difference, worth] = &findings(&war)[..] else { panic!("three") };
        // The scores are .701 to .704. The half-width is the noise of playing in four runs, .0051 / 2, times t(.975; 3)
        // = 3.18.
        assert!(
            best.starts_with("On war, a scores highest: .702 [.694, .711] against the baseline. All other methods"),
            "{best}"
        );
        assert!(
            difference.starts_with(
                "The largest significant difference head to head is on war: a scores .600 ["
            ),
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
        assert!(difference == "Head to head no two methods differ significantly.", "{difference}");
    }

    #[test]
    fn several_families_are_ranked_by_ranks() {
        let families = ["war", "pig", "nim", "cheat", "flip", "morra"];
        let scores = [[0.7, 0.6], [0.6, 0.65], [0.9, 0.5], [0.8, 0.7], [0.7, 0.6], [0.8, 0.6]];
        let mut all = records(&families, &scores, 4);
        for (family, score) in families.into_iter().zip([0.7, 0.7, 0.8, 0.8]) {
            all.measurements.push(yardstick(family, YardstickKind::Reference, "known", score));
        }
        let [best, difference, worth] = &findings(&all)[..] else { panic!("three") };
        // The ranks of a are 1, 2, 1, 1, 1, 1.
        assert_eq!(
            best,
            "a has the best mean rank, 1.17 ± 0.17 over 6 families (1 is the best, ± the standard error). Its lead over b \
             may be chance."
        );
        assert!(difference.contains("on nim: a scores .900 ["), "{difference}");
        assert!(
            worth.starts_with("In 1 of 4 families learning did better")
                && worth.contains("on nim, known .800 ["),
            "{worth}"
        );
        // Each method is first in three of six families.
        let even = [[0.7, 0.6], [0.6, 0.7]].repeat(3);
        assert_eq!(
            findings(&records(&families, &even, 4))[0],
            "a and b share the best mean rank, 1.50 ± 0.22 over 6 families (1 is the best, ± the standard error); no \
             difference of mean ranks is significant."
        );
        assert_eq!(
            findings(&records(&families[..4], &even, 4))[0],
            "4 families are too few to rank methods or to test them over families, which takes 5."
        );
        assert_eq!(findings(&Records::default()), [""; 0]);
    }
}
