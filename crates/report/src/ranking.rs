//! Methods across families: mean ranks, and the numbers of families in which each method is the best.
//!
//! There is deliberately no single measure of strength, because methods may beat each other in cycles. A rank is
//! relative to the compared methods: adding one may change the order of the others.

use ruse_play::score::SampleMean;
use ruse_play::score::hypothesis::{SIGNIFICANCE, wilcoxon};

use serde::Serialize;
use serde_json::json;

use super::format::{Grid, Mark, Options, Table, Text, counted};
use super::head_to_head::{Cycles, HeadToHeadTable, PublishedBest};
use super::leader::{Leader, MIN_FAMILIES, Rival, proven_worse};
use super::published::{Agreements, Cell};
use super::scores::{ROUNDING, ScoreCell, ScoreTable};
use super::single_runs::SingleRuns;

/// A mean rank over families; 1 is the best.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeanRank {
    /// The mean rank.
    pub rank: f64,
    /// The standard error of the mean rank, as if the families were a sample of many; `None` for one family.
    pub standard_error: Option<f64>,
}

/// The ranks, wins and losses of a method over all families.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub struct Standing {
    /// The method.
    pub method: String,
    /// The mean rank by the score against the baseline.
    pub rank_by_score: Option<MeanRank>,
    /// The mean rank by the mean score against the other methods.
    pub rank_head_to_head: Option<MeanRank>,
    /// True if the mean rank by score is worse than the best, but not significantly.
    pub is_tied_by_score: bool,
    /// True if the mean head-to-head rank is worse than the best, but not significantly.
    pub is_tied_head_to_head: bool,
    /// The number of families in which no method scores higher against the baseline.
    pub num_best_by_score: usize,
    /// The number of families in which the method is best by the paper's rule: at least one half against all others.
    pub num_best_head_to_head: usize,
    /// The number of wins: scores above one half against another method in a family.
    pub num_wins: usize,
    /// The number of wins that stay significant after Holm's correction over all cells of all families.
    pub num_sure_wins: usize,
    /// The number of wins whose whole interval is above one half, not corrected for the number of intervals: some of
    /// many intervals are above one half by chance.
    pub num_wins_by_interval: usize,
    /// The number of draws: scores of one half against another method in a family.
    pub num_draws: usize,
    /// The number of losses: scores below one half against another method in a family.
    pub num_losses: usize,
    /// The number of losses that stay significant after Holm's correction over all cells of all families.
    pub num_sure_losses: usize,
    /// The number of losses whose whole interval is below one half, not corrected for the number of intervals.
    pub num_losses_by_interval: usize,
}

/// The ranks, wins and losses of methods over all families.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranking {
    /// The methods.
    pub standings: Vec<Standing>,
    /// The number of families in which every method has a score, not counting methods without any score. Ranks by score
    /// are means over these families.
    pub num_families_by_score: usize,
    /// The number of families in which all methods met, not counting methods without any meeting. Head-to-head ranks
    /// are means over these families.
    pub num_families_head_to_head: usize,
    /// The number of families with meetings.
    pub num_families_met: usize,
    /// The number of families with cycles whose intervals are all above one half.
    pub num_families_with_sure_cycles: usize,
    /// The number of families with cycles of any kind.
    pub num_families_with_cycles: usize,
    /// The number of cells under Holm's correction: all cells with enough runs for an interval. Only one half of each
    /// table counts, because the halves mirror each other.
    pub num_tested: usize,
    /// The counts of best families for each method of the paper; empty without published figures.
    pub published_best: Vec<PublishedCount>,
    /// The number of published scores between two methods, over all families, that agree with ours.
    pub published_meetings: Agreements,
}

/// The number of families in which a method of the paper scores at least one half against all others of the paper. Only
/// families in the paper and in our experiment count.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublishedCount {
    /// The method.
    pub method: String,
    /// The number of families in which the method is best by our meetings. Two methods that score one half against each
    /// other can both be best.
    pub ours: usize,
    /// The number of families in which the method would be best with one run of each method, as in the paper.
    pub single_runs: SingleRuns,
    /// The number of families in which the method is best by the paper's figures.
    pub by_figures: usize,
    /// The number of families with the method in bold in the paper.
    pub bold: usize,
}

impl Ranking {
    /// Ranks the methods of these tables.
    pub(super) fn new(scores: &ScoreTable, tables: &[HeadToHeadTable]) -> Ranking {
        let methods = &scores.methods;
        let of_all = 0..methods.len();
        let scored = |m: &usize| scores.cells.iter().any(|row| row[*m].ours.is_some());
        let scored: Vec<usize> = of_all.clone().filter(scored).collect();
        let by_score = scores.cells.iter().filter_map(|row| {
            let score = |&m: &usize| Some(row[m].ours.as_ref()?.mean.score);
            Some(ranks(&scored.iter().map(score).collect::<Option<Vec<f64>>>()?))
        });
        let by_score: Vec<Vec<f64>> = by_score.filter(|ranks| !ranks.is_empty()).collect();

        let met = |m: &usize| {
            tables.iter().any(|table| table.cells[*m].iter().any(|cell| cell.ours.is_some()))
        };
        let met: Vec<usize> = of_all.clone().filter(met).collect();
        let head_to_head = tables.iter().filter_map(|table| {
            let score = |&m: &usize| table.mean_score(m, &met);
            Some(ranks(&met.iter().map(score).collect::<Option<Vec<f64>>>()?))
        });
        let head_to_head: Vec<Vec<f64>> = head_to_head.collect();

        let tied_by_score = tied(&scored, &by_score);
        let tied_head_to_head = tied(&met, &head_to_head);

        let standing = |m: usize| {
            let is_best =
                |row: &&Vec<Cell<ScoreCell>>| row[m].ours.as_ref().is_some_and(|cell| cell.is_best);
            let is_unbeaten =
                |table: &&HeadToHeadTable| table.best.iter().any(|best| best.method == methods[m]);
            let mut standing = Standing {
                method: methods[m].clone(),
                rank_by_score: mean_rank(&scored, &by_score, m),
                rank_head_to_head: mean_rank(&met, &head_to_head, m),
                is_tied_by_score: tied_by_score.contains(&m),
                is_tied_head_to_head: tied_head_to_head.contains(&m),
                num_best_by_score: scores.cells.iter().filter(is_best).count(),
                num_best_head_to_head: tables.iter().filter(is_unbeaten).count(),
                ..Standing::default()
            };
            let cells = tables.iter().flat_map(|table| &table.cells[m]);
            for cell in cells.filter_map(|cell| cell.ours.as_ref()) {
                let ([low, high], score) = (cell.mean.conclusive_interval(), cell.mean.score);
                standing.num_wins += usize::from(score > 0.5 + ROUNDING);
                standing.num_sure_wins += usize::from(cell.is_sure() && score > 0.5);
                standing.num_wins_by_interval += usize::from(low > 0.5 + ROUNDING);
                standing.num_draws += usize::from((score - 0.5).abs() <= ROUNDING);
                standing.num_losses += usize::from(score < 0.5 - ROUNDING);
                standing.num_sure_losses += usize::from(cell.is_sure() && score < 0.5);
                standing.num_losses_by_interval += usize::from(high < 0.5 - ROUNDING);
            }
            standing
        };
        let with_sure_cycles = tables.iter().filter(|table| !table.cycles.sure.is_empty());
        let with_cycles = tables.iter().filter(|table| table.cycles != Cycles::default());
        Ranking {
            standings: of_all.map(standing).collect(),
            num_families_by_score: by_score.len(),
            num_families_head_to_head: head_to_head.len(),
            num_families_met: tables.len(),
            num_families_with_sure_cycles: with_sure_cycles.count(),
            num_families_with_cycles: with_cycles.count(),
            num_tested: num_tested(tables),
            published_best: published_counts(methods, tables),
            published_meetings: Agreements::of(tables.iter().flat_map(HeadToHeadTable::half)),
        }
    }

    /// Returns what the families prove about the method with the lowest mean rank by score.
    pub fn leader(&self) -> Leader {
        if self.num_families_by_score < MIN_FAMILIES {
            return Leader::TooFew;
        }
        let ranked = || {
            self.standings.iter().filter_map(|standing| Some((standing, standing.rank_by_score?)))
        };
        let lowest = ranked().map(|(_, mean)| mean.rank).fold(f64::INFINITY, f64::min);
        Leader::of(ranked().map(|(standing, mean)| {
            let is_best = mean.rank <= lowest + ROUNDING;
            (standing.method.as_str(), Rival::new(is_best, !standing.is_tied_by_score))
        }))
    }

    /// Returns the table of the ranking and, if requested, the table that counts the best methods by published figures.
    pub(super) fn tables(&self, options: &Options) -> Vec<Table> {
        let published = self.published().filter(|_| options.side_by_side);
        [self.ranking()].into_iter().chain(published).collect()
    }

    fn ranking(&self) -> Table {
        let lowest = |rank: fn(&Standing) -> Option<MeanRank>| {
            let ranks = self.standings.iter().filter_map(rank).map(|mean| mean.rank);
            ranks.fold(f64::INFINITY, f64::min)
        };
        let by_score = lowest(|standing| standing.rank_by_score);
        let head_to_head = lowest(|standing| standing.rank_head_to_head);
        let text = |rank: Option<MeanRank>, lowest: f64, is_tied: bool| {
            let mark = |mean: MeanRank| Mark::of(mean.rank <= lowest, is_tied);
            rank.map(|mean| Text::plain(in_words(mean)).marked(mark(mean)))
        };
        let are_enough = |families: usize| families >= MIN_FAMILIES;
        let with_ranks =
            [self.num_families_by_score, self.num_families_head_to_head].map(are_enough);
        let mut grid = Grid::of(&self.standings).key("method", |row| row.method.clone());
        if with_ranks[0] {
            grid = grid.text("rank by score", |row| {
                text(row.rank_by_score, by_score, row.is_tied_by_score)
            });
        }
        let mut grid = grid
            .data("rank-by-score", |row| Some(row.rank_by_score?.rank))
            .data("rank-by-score-standard-error", |row| row.rank_by_score?.standard_error)
            .data("families-by-score", |_| self.num_families_by_score)
            .text("best by score", |row| row.num_best_by_score);
        if with_ranks[1] {
            grid = grid.text("head-to-head rank", |row| {
                text(row.rank_head_to_head, head_to_head, row.is_tied_head_to_head)
            });
        }
        let grid = grid
            .data("rank-head-to-head", |row| Some(row.rank_head_to_head?.rank))
            .data("rank-head-to-head-standard-error", |row| row.rank_head_to_head?.standard_error)
            .data("families-head-to-head", |_| self.num_families_head_to_head)
            .data("best-by-score", |row| row.num_best_by_score)
            .text("unbeaten", |row| row.num_best_head_to_head)
            .data("best-head-to-head", |row| row.num_best_head_to_head)
            .text("wins (significant)", |row| format!("{} ({})", row.num_wins, row.num_sure_wins))
            .data("wins", |row| row.num_wins)
            .data("sure-wins", |row| row.num_sure_wins)
            .both("draws", |row| row.num_draws)
            .text("losses (significant)", |row| {
                format!("{} ({})", row.num_losses, row.num_sure_losses)
            })
            .data("losses", |row| row.num_losses)
            .data("sure-losses", |row| row.num_sure_losses)
            .data("wins-by-interval", |row| row.num_wins_by_interval)
            .data("losses-by-interval", |row| row.num_losses_by_interval);
        let ranks = [
            ("the score against the baseline", self.num_families_by_score, "methods"),
            (
                "the mean score against the other methods",
                self.num_families_head_to_head,
                "meetings",
            ),
        ];
        let shown = ranks.into_iter().filter(|(_, num_families, _)| are_enough(*num_families));
        let shown = shown.map(|(of, num_families, which)| {
            format!("by {of} (over {} with all {which})", families(num_families))
        });
        let shown: Vec<String> = shown.collect();
        let mean_ranks = match shown.is_empty() {
            true => "In".to_string(),
            false => format!(
                "Mean ranks, 1 the best, {}, ± the standard error over families; in",
                shown.join(" and ")
            ),
        };
        let caption = format!(
            "{mean_ranks} how many families a method is best, by score and unbeaten head to head; and against how many \
             methods it scores more than .5 (in brackets: significantly), .5, and less."
        );
        let is_tied = |row: &Standing| {
            (with_ranks[0] && row.is_tied_by_score) || (with_ranks[1] && row.is_tied_head_to_head)
        };
        Table {
            caption,
            short: format!(
                "Methods over {}: {}best in, wins (significant), losses.",
                families(self.num_families_by_score),
                if shown.is_empty() { "" } else { "mean ranks ± standard errors, " },
            ),
            legend: [
                (!shown.is_empty()).then(|| "the lowest mean rank".into()),
                self.standings.iter().any(is_tied).then(|| {
                    "not significantly different from the lowest, by Wilcoxon's test at 5% for all methods together".into()
                }),
            ],
            notes: self.notes(),
            results: Some(json!(self)),
            ..Table::new("ranking", "Methods across families", grid)
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let num_families = self.num_families_by_score.max(self.num_families_head_to_head);
        if num_families < MIN_FAMILIES {
            notes.push(too_few(num_families));
        }
        if self.num_families_met > 0 {
            let met = families(self.num_families_met);
            let sure = self.num_families_with_sure_cycles;
            let cycles = match self.num_families_with_cycles {
                0 => format!(
                    "Methods met in {met}, without cycles (a beats b, b beats c, c beats a)."
                ),
                with_cycles => format!(
                    "Methods met in {met}; in {with_cycles} of them there are cycles (a beats b, b beats c, c beats a), in \
                     {sure} with each interval above .5. A single number of strength would hide them."
                ),
            };
            notes.push(format!("{cycles} Ranks depend on the methods that are compared."));
        }
        if self.num_tested > 0 {
            let sum = |of: fn(&Standing) -> usize| self.standings.iter().map(of).sum::<usize>();
            let by_interval = sum(|standing| standing.num_wins_by_interval);
            let right = match sum(|standing| standing.num_sure_wins) {
                0 => "No difference is.",
                _ => "All significant differences are real with a probability of at least .95.",
            };
            let others = match by_interval {
                0 => String::new(),
                _ => format!(
                    " Without the correction {by_interval} would be significant, about {:.0} of them by chance alone.",
                    SIGNIFICANCE * self.num_tested as f64,
                ),
            };
            notes.push(format!(
                "Significant: by Student's test, corrected after Holm for all {} with an interval. {right}{others}",
                counted(self.num_tested as u64, "cell"),
            ));
        }
        notes
    }

    fn published(&self) -> Option<Table> {
        let grid = Grid::of(&self.published_best)
            .label("method", |row| row.method.clone())
            .text("ours", |row| row.ours)
            .text("single runs", |row| {
                let SingleRuns { mean, range: [low, high] } = row.single_runs;
                format!("{mean:.1} [{low}, {high}]")
            })
            .text("by their figures", |row| row.by_figures)
            .text("in bold", |row| row.bold);
        (!self.published_best.is_empty()).then(|| Table {
            notes: vec![self.published_meetings.in_words()],
            caption: "In how many families each method of table III of Cauwet & Teytaud (CEC 2018) is unbeaten (it scores \
                      at least .5 against all others, the rule of the paper), among these methods alone: by the means of our meetings; by one run \
                      of each method, drawn at random, with the range of 95% of such draws; by the figures of the paper, which are from one run \
                      each; and as the paper prints it in bold. Two methods that score .5 against each other are both unbeaten."
                .into(),
            short: "Families in which a method scores at least .5 against all others.".into(),
            ..Table::new("ranking", "Unbeaten among the methods of the paper", grid)
        })
    }
}

fn num_tested(tables: &[HeadToHeadTable]) -> usize {
    let cells = tables.iter().flat_map(|table| table.cells.iter().flatten());
    cells.filter(|cell| cell.ours.as_ref().is_some_and(|ours| ours.p_value.is_some())).count() / 2
}

fn published_counts(methods: &[String], tables: &[HeadToHeadTable]) -> Vec<PublishedCount> {
    let best: Vec<&PublishedBest> =
        tables.iter().filter_map(|table| table.published_best.as_ref()).collect();
    let of_paper = |method: &&String| best.iter().any(|best| best.theirs.contains(method));
    let chance = |best: &&PublishedBest, method: &String| {
        Some(best.chances[best.theirs.iter().position(|one| one == method)?])
    };
    let count = |method: &String| PublishedCount {
        method: method.clone(),
        ours: best.iter().filter(|best| best.ours.contains(method)).count(),
        single_runs: SingleRuns::of(
            &best.iter().filter_map(|best| chance(best, method)).collect::<Vec<_>>(),
        ),
        by_figures: best.iter().filter(|best| best.by_figures.contains(method)).count(),
        bold: best.iter().filter(|best| best.bold.as_ref() == Some(method)).count(),
    };
    methods.iter().filter(of_paper).map(count).collect()
}

/// Returns the mean ranks of all methods, given the ranks of each family.
pub(super) fn means(by_family: &[Vec<f64>]) -> Vec<f64> {
    let count = by_family.len() as f64;
    let num_methods = by_family.first().map_or(0, Vec::len);
    (0..num_methods).map(|m| by_family.iter().map(|ranks| ranks[m]).sum::<f64>() / count).collect()
}

/// Returns the methods whose mean rank is worse than the best, but not significantly: by Wilcoxon's test of the ranks,
/// paired by family, no method is proven to be better. Fewer than [`MIN_FAMILIES`] prove nothing.
fn tied(ranked: &[usize], by_family: &[Vec<f64>]) -> Vec<usize> {
    let means = means(by_family);
    let lowest = means.iter().copied().fold(f64::INFINITY, f64::min);
    let is_worse = proven_worse(means.len(), |better, worse| {
        let differences: Vec<f64> =
            by_family.iter().map(|ranks| ranks[worse] - ranks[better]).collect();
        let test = wilcoxon(&differences).filter(|test| test.positive > test.negative);
        test.filter(|_| by_family.len() >= MIN_FAMILIES).map_or(1.0, |test| test.p_value)
    });
    let indices = 0..means.len();
    let tied = indices.filter(|&index| means[index] > lowest + ROUNDING && !is_worse[index]);
    tied.map(|index| ranked[index]).collect()
}

/// Returns the ranks of values. The highest value has rank 1; equal values share their mean rank.
pub(super) fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |&value: &f64| {
        let higher = values.iter().filter(|&&other| other > value + ROUNDING).count();
        let equal = values.iter().filter(|&&other| (other - value).abs() <= ROUNDING).count();
        higher as f64 + (equal as f64 + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

/// Returns the mean rank of method `m` over families. `by_family` has, for each family, the ranks of the methods in the
/// order of `ranked`.
fn mean_rank(ranked: &[usize], by_family: &[Vec<f64>], m: usize) -> Option<MeanRank> {
    let index = ranked.iter().position(|&method| method == m)?;
    let ranks: Vec<f64> = by_family.iter().map(|ranks| ranks[index]).collect();
    let SampleMean { mean, standard_error, .. } = SampleMean::of(&ranks)?;
    Some(MeanRank { rank: mean, standard_error })
}

/// Formats a mean rank and its error with a digit before the point, because ranks are at least 1.
fn in_words(MeanRank { rank, standard_error }: MeanRank) -> String {
    standard_error.map_or(format!("{rank:.2}"), |error| format!("{rank:.2} ± {error:.2}"))
}

/// Says that families are too few for ranks and tests.
pub(super) fn too_few(num_families: usize) -> String {
    let are = if num_families == 1 { "is" } else { "are" };
    format!(
        "{} {are} too few to rank methods or to test them over families, which takes {MIN_FAMILIES}.",
        families(num_families)
    )
}

fn families(count: usize) -> String {
    counted(count as u64, "family")
}

#[cfg(test)]
mod tests {
    use ruse_lab::Records;
    use ruse_lab::fixtures::{meeting, run};

    use super::*;
    use crate::tests::records_of;

    #[test]
    fn ties_share_the_mean_of_their_ranks() {
        assert_eq!(ranks(&[0.5, 0.7, 0.5, 0.2]), [2.5, 1.0, 2.5, 4.0]);
        assert_eq!(ranks(&[0.1 + 0.2, 0.3, 0.3]), [2.0, 2.0, 2.0]);
        assert_eq!(ranks(&[]), [0.0; 0]);
    }

    fn ranking(records: &Records) -> Ranking {
        Ranking::new(&ScoreTable::new(records, None), &HeadToHeadTable::all(records, None))
    }

    #[test]
    fn ranks_are_over_families_that_have_all_methods() {
        let mut records = records_of(&["war", "pig", "nim"], &["a", "b", "c", "absent"]);
        for (family, scores) in
            [("war", [0.7, 0.6, 0.5]), ("pig", [0.5, 0.5, 0.4]), ("nim", [0.9, 0.8, 0.7])]
        {
            for (method, score) in ["a", "b", "c"].into_iter().zip(scores) {
                records.runs.push(run(family, method, 1, score));
            }
        }
        records.runs.pop();
        for (family, [ab, ac, bc]) in [("war", [0.6, 0.4, 0.6]), ("pig", [0.5, 0.502, 0.3])] {
            for (a, b, score) in [("a", "b", ab), ("a", "c", ac), ("b", "c", bc)] {
                // Eight runs; intervals are ± .0043.
                for seed in 1..=8 {
                    records.measurements.push(meeting(family, (a, seed), (b, seed), score));
                }
            }
        }
        let ranking = ranking(&records);
        // In Nim, c has no score. The ranks are 1, 2, 3 in War, and 1.5, 1.5, 3 in Pig. The means are 1.25, 1.75, 3,
        // and the standard errors are sqrt(.125 / 2) = .25, .25, 0.
        assert_eq!((ranking.num_families_by_score, ranking.num_families_met), (2, 2));
        let by_score: Vec<_> = ranking.standings.iter().map(|s| s.rank_by_score).collect();
        let mean = |rank, error| Some(MeanRank { rank, standard_error: Some(error) });
        assert_eq!(by_score, [mean(1.25, 0.25), mean(1.75, 0.25), mean(3.0, 0.0), None]);
        // In War, all scores are .5, so the ranks are 2, 2, 2. In Pig, a scores (.5 + .502) / 2 = .501, b scores (.5 +
        // .3) / 2 = .4, and c scores (.498 + .7) / 2 = .599, so the ranks are 2, 3, 1.
        assert_eq!(ranking.num_families_head_to_head, 2);
        let ranks: Vec<_> =
            ranking.standings.iter().map(|s| s.rank_head_to_head.map(|mean| mean.rank)).collect();
        assert_eq!(ranks, [Some(2.0), Some(2.5), Some(1.5), None]);
        let [a, b, c, absent] = &ranking.standings[..] else { panic!("four methods") };
        // By score, a is best in all three families; b is equally good in Pig.
        assert_eq!([a, b, c, absent].map(|s| s.num_best_by_score), [3, 1, 0, 0]);
        // By the paper's rule, no method is best in War, which has a cycle; a is best in Pig.
        assert_eq!([a, b, c, absent].map(|s| s.num_best_head_to_head), [1, 0, 0, 0]);
        assert_eq!(
            (ranking.num_families_with_sure_cycles, ranking.num_families_with_cycles),
            (1, 1)
        );
        // In War, a beats b and loses to c. In Pig, a draws with b, and beats c by less than the interval.
        let counts = |s: &Standing| {
            [s.num_wins, s.num_sure_wins, s.num_draws, s.num_losses, s.num_sure_losses]
        };
        assert_eq!(counts(a), [2, 1, 1, 1, 1]);
        assert_eq!(counts(c), [2, 2, 0, 2, 1]);
    }

    /// The second method's ranks exceed the first's by 1 in each of the first families, and the third's by 2. With six
    /// families, a sign pattern of one side has the two-sided probability 2 / 64 = .03125. There are two other methods
    /// and three to test, so Holm's first p-value is .03125 / 2 x 2 x 3 = .094; for eight families it is .0234.
    #[test]
    fn ranks_are_separated_by_differences_over_families() {
        let apart = vec![1.0, 2.0, 3.0];
        assert_eq!(tied(&[4, 5, 6], &vec![apart.clone(); 8]), [0; 0]);
        assert_eq!(tied(&[4, 5, 6], &vec![apart.clone(); 6]), [5, 6]);
        // Two methods are a single test.
        assert_eq!(tied(&[4, 5], &vec![vec![1.0, 2.0]; 6]), [0; 0]);
        assert_eq!(tied(&[4, 5], &vec![vec![1.0, 2.0]; 5]), [5]);
        // An exact tie is a tie with the best, not a lead and not a difference.
        assert_eq!(tied(&[4, 5], &[vec![1.0, 2.0], vec![2.0, 1.0]]), [0; 0]);
        assert_eq!(tied(&[4, 5, 6], &[]), [0; 0]);
        let few = vec![apart; MIN_FAMILIES - 1];
        assert_eq!(tied(&[4, 5, 6], &few), [5, 6]);
    }

    #[test]
    fn nothing_gives_no_ranks() {
        let ranking = ranking(&records_of(&[], &["a"]));
        assert_eq!((ranking.num_families_by_score, ranking.num_families_head_to_head), (0, 0));
        assert_eq!(ranking.standings[0].rank_by_score, None);
        assert_eq!(ranking.standings[0].rank_head_to_head, None);
    }
}
