//! Tests that compare methods over families. They show whether one method is better in general.
//!
//! After J. Demšar, *Statistical comparisons of classifiers over multiple data sets*, Journal of Machine Learning
//! Research 7, 2006: each family counts once, with the mean score of each method against the baseline. Families with
//! widely spread scores, or with many runs, therefore have no more weight than others. Friedman's test shows whether
//! the methods differ at all. Wilcoxon's signed-rank test, with Holm's correction for all pairs of methods, shows which
//! methods differ. A diagram of mean ranks shows Nemenyi's critical difference.
//!
//! The tests assume that families are drawn independently from all families of interest. But several families are
//! variants of one game, so the real error rates are larger than stated. The tables therefore name the related
//! families.

use ruse_play::score::Pairings;
use ruse_play::score::hypothesis::{
    Friedman, SIGNIFICANCE, SignedRanks, critical_difference, friedman, holm, wilcoxon,
};
use serde::Serialize;
use serde_json::json;

use super::format::{Grid, Mark, Table, Text, counted, score};
use super::leader::MIN_FAMILIES;
use super::ranking::{means, ranks};
use super::scores::{ROUNDING, ScoreTable};

/// The words for a problem on which methods are compared, and for the scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nouns {
    /// One problem.
    pub one: &'static str,
    /// Several problems.
    pub many: &'static str,
    /// The mean scores.
    pub scores: &'static str,
    /// The results of one method against another.
    pub results: &'static str,
}

/// The words of the experiments of the program.
const FAMILIES: Nouns = Nouns {
    one: "family",
    many: "families",
    scores: "mean scores against the baseline",
    results: "scores more, as much and less; the median of what it scores more",
};

impl Default for Nouns {
    fn default() -> Nouns {
        FAMILIES
    }
}

/// The results of tests that compare methods over families.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub struct Across {
    /// The words of tables.
    #[serde(skip)]
    pub nouns: Nouns,
    /// The families in which all methods have a score. The tests cover only these.
    pub families: Vec<String>,
    /// The methods by increasing mean rank: the best first.
    pub methods: Vec<RankedMethod>,
    /// Friedman's test; `None` if all methods are equal in all families.
    pub friedman: Option<Friedman>,
    /// Nemenyi's critical difference between mean ranks.
    pub critical_difference: f64,
    /// All pairs of methods, in the order of `methods`. A pair's first method has the lower mean rank.
    pub pairs: Vec<MethodPair>,
}

/// A method with its mean rank.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankedMethod {
    /// The method.
    pub method: String,
    /// The mean rank over the families; 1 is the best.
    pub rank: f64,
}

/// Two methods, compared over families.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodPair {
    /// The two methods.
    pub methods: [String; 2],
    /// The numbers of families in which the first method scores more than the second, the same, and less.
    pub num_families: [usize; 3],
    /// The median, over families, of the first method's score minus the second's.
    pub median_difference: f64,
    /// Wilcoxon's test of the differences; `None` if there are no differences.
    pub test: Option<SignedRanks>,
    /// The p-value of the test after Holm's correction for all pairs of methods.
    pub adjusted_p_value: f64,
    /// True if the mean ranks of the two methods differ significantly by Nemenyi's test.
    pub is_apart_by_rank: bool,
}

impl MethodPair {
    /// Returns `true` if the two methods differ significantly, with a familywise error of .05 over all pairs.
    pub fn is_sure(&self) -> bool {
        self.adjusted_p_value <= SIGNIFICANCE
    }
}

impl Across {
    /// Tests the methods of a table of scores. Returns `None` for fewer than two methods, or fewer than [`MIN_FAMILIES`]
    /// in which all methods have a score.
    pub(super) fn new(table: &ScoreTable) -> Option<Across> {
        let is_scored = |m: &usize| table.cells.iter().any(|row| row[*m].ours.is_some());
        let methods: Vec<usize> = (0..table.methods.len()).filter(is_scored).collect();
        let rows = table.families.iter().zip(&table.cells).filter_map(|(family, row)| {
            let score = |&m: &usize| Some(row[m].ours.as_ref()?.mean.score);
            Some((family.clone(), methods.iter().map(score).collect::<Option<Vec<f64>>>()?))
        });
        let (families, scores): (Vec<String>, Vec<Vec<f64>>) = rows.unzip();
        if methods.len() < 2 || families.len() < MIN_FAMILIES {
            return None;
        }
        let ranks_of: Vec<Vec<f64>> = scores.iter().map(|row| ranks(row)).collect();
        let mut order: Vec<(usize, f64)> = means(&ranks_of).into_iter().enumerate().collect();
        order.sort_by(|x, y| x.1.total_cmp(&y.1));
        let friedman = friedman(&ranks_of);
        // Nemenyi's test is for methods that Friedman's test has found to differ.
        let are_different = friedman.is_some_and(|test| test.p_value() <= SIGNIFICANCE);
        let critical = critical_difference(methods.len(), families.len());
        let name = |index: usize| table.methods[methods[index]].clone();
        let pair = |(a, rank_a): (usize, f64), (b, rank_b): (usize, f64)| {
            let differences: Vec<f64> = scores.iter().map(|row| row[a] - row[b]).collect();
            let num = |is: &dyn Fn(f64) -> bool| differences.iter().filter(|&&d| is(d)).count();
            MethodPair {
                methods: [name(a), name(b)],
                num_families: [
                    num(&|d| d > ROUNDING),
                    num(&|d| d.abs() <= ROUNDING),
                    num(&|d| d < -ROUNDING),
                ],
                median_difference: median(&differences),
                test: wilcoxon(&differences),
                adjusted_p_value: 1.0,
                is_apart_by_rank: are_different && rank_b - rank_a >= critical,
            }
        };
        let two = Pairings::of(order.len()).all();
        let mut pairs: Vec<MethodPair> = two.map(|(x, y)| pair(order[x], order[y])).collect();
        let p_values: Vec<f64> =
            pairs.iter().map(|pair| pair.test.map_or(1.0, |test| test.p_value)).collect();
        for (pair, adjusted) in pairs.iter_mut().zip(holm(&p_values)) {
            pair.adjusted_p_value = adjusted;
        }
        let methods = order.iter().map(|&(m, rank)| RankedMethod { method: name(m), rank });
        Some(Across {
            nouns: FAMILIES,
            methods: methods.collect(),
            friedman,
            critical_difference: critical,
            pairs,
            families,
        })
    }

    /// Returns `true` if Friedman's test shows, at 5%, that the methods differ.
    fn are_different(&self) -> bool {
        self.friedman.is_some_and(|test| test.p_value() <= SIGNIFICANCE)
    }

    /// Returns the groups of methods that do not differ significantly by Nemenyi's test, as indices of the first and
    /// the last member in `methods`. A group has at least two methods, and does not lie within another.
    pub fn groups(&self) -> Vec<[usize; 2]> {
        let rank = |index: usize| self.methods[index].rank;
        let mut groups: Vec<[usize; 2]> = Vec::new();
        for first in 0..self.methods.len() {
            let is_near = |&last: &usize| {
                !self.are_different() || rank(last) - rank(first) < self.critical_difference
            };
            let last = (first..self.methods.len()).take_while(is_near).last().unwrap_or(first);
            if last > first && groups.last().is_none_or(|group| group[1] < last) {
                groups.push([first, last]);
            }
        }
        groups
    }

    pub(super) fn tables(across: &[Across]) -> Vec<Table> {
        let absent = "Too few families to test: tests over families take five in which all of two or more methods have a score.";
        let mut tables = Table::each(across, absent, Across::table);
        tables[0].results = Some(json!(across.first()));
        tables
    }

    pub(super) fn table(&self) -> Table {
        let Nouns { one, many, scores, results } = self.nouns;
        let rank = |name: &String| {
            self.methods.iter().find(|ranked| ranked.method == *name).map(|ranked| ranked.rank)
        };
        let p_value = |pair: &MethodPair| {
            let exact = pair.test.is_none_or(|test| test.is_exact);
            let p_value = pair.test.map_or(1.0, |test| test.p_value);
            format!("{}{}", if exact { "" } else { "~ " }, probability(p_value))
        };
        let grid = Grid::of(&self.pairs)
            .label("methods", |pair| {
                let [rank, other] = [0, 1].map(|index| rank(&pair.methods[index]));
                pair.methods.join(if rank < other { " > " } else { " = " })
            })
            .data("method", |pair| pair.methods[0].clone())
            .data("other", |pair| pair.methods[1].clone())
            .data("rank", |pair| rank(&pair.methods[0]))
            .data("rank-of-other", |pair| rank(&pair.methods[1]))
            .data("families", |_| self.families.len())
            .text(many, |pair| pair.num_families.map(|num| num.to_string()).join("-"))
            .data("more", |pair| pair.num_families[0])
            .data("equal", |pair| pair.num_families[1])
            .data("less", |pair| pair.num_families[2])
            .text("median difference", |pair| {
                let sign = if pair.median_difference < 0.0 { "-" } else { "+" };
                let size = pair.median_difference.abs();
                format!("{sign}{}", score(size, if size < 10.0 { 3 } else { 1 }))
            })
            .data("median-difference", |pair| pair.median_difference)
            .text("p", p_value)
            .data("p", |pair| Some(pair.test?.p_value))
            .data("exact", |pair| Some(pair.test?.is_exact))
            .text("p after Holm", |pair| {
                let p_value = Text::plain(probability(pair.adjusted_p_value));
                p_value.marked(Mark::of(pair.is_sure(), false))
            })
            .data("p-after-holm", |pair| pair.adjusted_p_value)
            .data("critical-difference", |_| self.critical_difference)
            .text("apart by rank", |pair| pair.is_apart_by_rank)
            .data("apart-by-rank", |pair| pair.is_apart_by_rank);
        let families = counted(self.families.len() as u64, one);
        let is_any_sure = self.pairs.iter().any(MethodPair::is_sure);
        let sure = "significantly different: with a probability of .95 or more all such statements of this table are right";
        Table {
            caption: format!(
                "Every two methods by their {scores} in {families}, each counted once: how often \
                 the first {results}; the probability of Wilcoxon's \
                 signed-rank test, two-sided, alone and after Holm's correction for all {}; and whether Nemenyi's test tells \
                 the mean ranks apart.",
                counted(self.pairs.len() as u64, "pair"),
            ),
            short: format!(
                "Wilcoxon's test over {families}: {many} won, tied, lost{}.",
                match is_any_sure {
                    true => "; bold: significant at 5% after Holm",
                    false => "; none significant at 5% after Holm",
                },
            ),
            legend: [is_any_sure.then(|| sure.into()), None],
            notes: self.notes(),
            ..Table::new("across", format!("Methods over {many}, tested"), grid)
        }
    }

    fn notes(&self) -> Vec<String> {
        let many = self.nouns.many;
        let ranks = self.methods.iter().map(|of| format!("{} {:.2}", of.method, of.rank));
        let friedman = match &self.friedman {
            None => format!("All methods are equal in all {many}."),
            Some(test) => {
                let degrees = test.num_methods - 1;
                let p_value = match (test.exact_p_value, test.f) {
                    (Some(exact), _) => format!("exact p {}", with_sign(exact)),
                    (None, f) => format!(
                        "p {}; after Iman and Davenport F = {:.2} with {degrees} and {}, p {}",
                        with_sign(test.chi_squared_p_value),
                        f.unwrap_or_default(),
                        degrees * (test.num_families - 1),
                        with_sign(test.f_p_value),
                    ),
                };
                format!(
                    "Friedman: chi-squared = {:.2} with {degrees} degrees of freedom, {p_value}.",
                    test.chi_squared
                )
            }
        };
        let relatives: Vec<String> =
            relatives(&self.families).iter().map(|group| group.join(", ")).collect();
        let named = match relatives.is_empty() {
            true => String::new(),
            false => format!(" By their names these are: {}.", relatives.join("; ")),
        };
        vec![
            format!("Mean ranks: {}.", ranks.collect::<Vec<_>>().join(", ")),
            friedman,
            format!(
                "{} that differ by {:.2} or more are apart by Nemenyi's test at 5%.",
                match self.are_different() {
                    true => "Mean ranks",
                    false =>
                        "Friedman's test does not show that methods differ; if it did, mean ranks",
                },
                self.critical_difference
            ),
            format!(
                "The tests take {many} as independent; with variants of one {} among them errors are more likely than the \
                 probabilities say.{named}",
                if self.nouns == FAMILIES { "game" } else { self.nouns.one }
            ),
        ]
    }
}

/// Returns the median of one or more values.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let is_odd = sorted.len() % 2 == 1;
    if is_odd { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 }
}

/// Returns groups of families that are variants of one game: a variant's name is another family's name, followed by a
/// number or a word.
fn relatives(families: &[String]) -> Vec<Vec<&str>> {
    let is_variant = |name: &str, of: &str| {
        let added = name.strip_prefix(of);
        added.is_some_and(|rest| rest.starts_with(|c: char| c == '-' || c.is_ascii_digit()))
    };
    let mut groups: Vec<Vec<&str>> = Vec::new();
    for family in families {
        let is_of = |group: &&mut Vec<&str>| {
            group.iter().any(|other| is_variant(family, other) || is_variant(other, family))
        };
        match groups.iter_mut().find(is_of) {
            Some(group) => group.push(family),
            None => groups.push(vec![family]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// Formats a probability: .0312, or < .0001.
fn probability(p_value: f64) -> String {
    match p_value {
        p_value if p_value < 0.000_1 => "< .0001".into(),
        p_value => score(p_value, 4),
    }
}

fn with_sign(p_value: f64) -> String {
    match probability(p_value) {
        below if below.starts_with('<') => below,
        equal => format!("= {equal}"),
    }
}

#[cfg(test)]
mod tests {
    use ruse_lab::fixtures::run;

    use super::*;
    use crate::tests::records_of;

    /// Tests methods a, b, ... on families f1, f2, ... Each family has a row in `scores`.
    fn across(scores: &[&[f64]]) -> Option<Across> {
        let methods = &["a", "b", "c", "d"][..scores.first().map_or(0, |row| row.len())];
        let mut records = records_of(&[], methods);
        for (family, row) in (1..).zip(scores) {
            let family = format!("f{family}");
            records.families.push(family.clone());
            for (method, score) in methods.iter().zip(*row) {
                if score.is_finite() {
                    records.runs.push(run(&family, method, 1, *score));
                }
            }
        }
        Across::new(&ScoreTable::new(&records, None))
    }

    #[test]
    fn methods_are_compared_over_the_families_that_have_all() {
        // In eight families, a is better than b by .01 to .08, and c is the worst. In a ninth, c has no score.
        let rows: Vec<[f64; 3]> =
            (1..=8).map(|k| [0.5 + 0.01 * f64::from(k), 0.5, 0.4 - 0.01 * f64::from(k)]).collect();
        let mut rows: Vec<&[f64]> = rows.iter().map(|row| &row[..]).collect();
        let lacking = [0.2, 0.5, f64::NAN];
        rows.push(&lacking);
        let found = across(&rows).expect("two methods and families");
        assert_eq!(found.families.len(), 8);
        let ranks: Vec<_> = found.methods.iter().map(|m| (m.method.as_str(), m.rank)).collect();
        assert_eq!(ranks, [("a", 1.0), ("b", 2.0), ("c", 3.0)]);
        // All eight families agree: 12 / (8 x 3 x 4) x (8^2 + 0 + 8^2) = 16.
        assert_eq!(found.friedman.expect("methods differ").chi_squared, 16.0);
        // 2.343 sqrt(3 x 4 / (6 x 8)) = 1.172 (Demšar, table 5a): only a and c differ significantly.
        assert!((found.critical_difference - 1.172).abs() < 1e-3);
        assert_eq!(found.groups(), [[0, 1], [1, 2]]);
        // All eight differences have the same sign, so the p-value is 2 / 256 = .0078125, rounded to four digits.
        // Holm's correction multiplies the first p-value by three. The others become at least as large.
        for pair in &found.pairs {
            let test = pair.test.expect("they differ");
            assert_eq!((test.p_value, test.is_exact), (0.007_812, true));
            assert!((pair.adjusted_p_value - 3.0 * 0.007_812).abs() < 1e-12 && pair.is_sure());
        }
        let [ab, ac, bc] = &found.pairs[..] else { panic!("three pairs") };
        assert_eq!(
            (ab.num_families, [&ac.methods[0], &ac.methods[1]]),
            ([8, 0, 0], [&"a".into(), &"c".into()])
        );
        assert!((ab.median_difference - 0.045).abs() < 1e-12);
        assert_eq!([ab, ac, bc].map(|pair| pair.is_apart_by_rank), [false, true, false]);
    }

    /// Two methods have the same order in five families: the exact probability is 2^-4 = .0625, and the difference of
    /// the ranks, 1, is more than 1.960 sqrt(2 x 3 / (6 x 5)) = .877.
    #[test]
    fn few_families_have_exact_probabilities() {
        let found = across(&[&[0.6, 0.5][..]; 5]).expect("two methods, five families");
        let notes = found.notes().join(" ");
        assert!(notes.contains("exact p = .0625") && !notes.contains("without bound"), "{notes}");
        assert!(!found.pairs[0].is_apart_by_rank && found.critical_difference < 1.0);
        assert_eq!(found.groups(), [[0, 1]]);
        let found = across(&[&[0.6, 0.5][..]; 6]).expect("two methods, six families");
        assert!(found.pairs[0].is_apart_by_rank && found.groups().is_empty());
    }

    #[test]
    fn equal_methods_are_not_separated() {
        let found = across(&[&[0.5, 0.5][..]; 5]).expect("two methods, five families");
        assert_eq!((found.friedman, found.pairs[0].test), (None, None));
        assert!(!found.pairs[0].is_sure() && found.groups() == [[0, 1]]);
        let notes = found.notes().join(" ");
        assert!(notes.contains("All methods are equal") && !notes.contains("p "), "{notes}");
        // Four families or one method are not enough for a test.
        assert_eq!(across(&[&[0.5, 0.6][..]; 4]), None);
        assert_eq!(across(&[&[0.5], &[0.6]]), None);
        assert_eq!(across(&[]), None);
    }
}
