//! Tests of methods over families, as text.

use super::{Mark, Row, Sheet, Text};
use crate::report::across::{Across, MethodPair};
use crate::report::format::numbers::{counted, score};
use crate::report::ranking::PublishedCount;

/// Returns groups of families that are variants of one game, judged by their names: one name is the other followed by a
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

pub(in crate::report::format) fn across(across: &Across) -> Sheet {
    let row = |pair: &MethodPair| {
        let [more, equal, less] = pair.num_families;
        let exact = pair.test.is_none_or(|test| test.is_exact);
        let p_value = pair.test.map_or(1.0, |test| test.p_value);
        let mark = if pair.is_sure() { Mark::Best } else { Mark::Plain };
        let sign = if pair.median_difference < 0.0 { "-" } else { "+" };
        Row {
            label: format!("{} > {}", pair.methods[0], pair.methods[1]),
            is_best: false,
            cells: vec![
                Text::plain(format!("{more}-{equal}-{less}")),
                Text::plain(format!("{sign}{}", score(pair.median_difference.abs(), 3))),
                Text::plain(format!("{}{}", if exact { "" } else { "~ " }, probability(p_value))),
                Text::marked(probability(pair.adjusted_p_value), mark),
                Text::plain(if pair.is_apart_by_rank { "yes" } else { "no" }),
            ],
        }
    };
    let ranks: Vec<String> = across
        .methods
        .iter()
        .map(|method| format!("{} {:.2}", method.method, method.rank))
        .collect();
    let friedman = match &across.friedman {
        None => "All methods are equal in all families.".to_string(),
        Some(test) => {
            let degrees = test.num_methods - 1;
            let f = test.f.map_or("F without bound".into(), |f| format!("F = {f:.2}"));
            format!(
                "Friedman: chi-squared = {:.2} with {degrees} degrees of freedom, p {}; after Iman and Davenport {f} with \
                 {degrees} and {}, p {}.",
                test.chi_squared,
                with_sign(test.chi_squared_p_value),
                degrees * (test.num_families - 1),
                with_sign(test.f_p_value),
            )
        }
    };
    let mut notes = vec![
        format!("Mean ranks: {}.", ranks.join(", ")),
        friedman,
        format!(
            "Mean ranks that differ by {:.2} or more are apart by Nemenyi's test at 5%.",
            across.critical_difference
        ),
    ];
    let relatives: Vec<String> =
        relatives(&across.families).iter().map(|group| group.join(", ")).collect();
    let named = match relatives.is_empty() {
        true => String::new(),
        false => format!(" By their names these are: {}.", relatives.join("; ")),
    };
    notes.push(format!(
        "The tests take families as independent; with variants of one game among them errors are more likely than the \
         probabilities say.{named}"
    ));
    Sheet {
        title: "Methods over families, tested".into(),
        caption: format!(
            "Every two methods by their mean scores against the baseline in {}, each of which counts once: in how many \
             the first scores more, as much and less; the median of what it scores more; the probability of Wilcoxon's \
             signed-rank test, two-sided, alone and after Holm's correction for all {}; and whether Nemenyi's test tells \
             the mean ranks apart.",
            counted(across.families.len() as u64, "family"),
            counted(across.pairs.len() as u64, "pair"),
        ),
        short: format!(
            "Wilcoxon's test over {}: families won, tied, lost{}.",
            counted(across.families.len() as u64, "family"),
            match across.pairs.iter().any(MethodPair::is_sure) {
                true => "; bold: significant at 5% after Holm",
                false => "; none significant at 5% after Holm",
            },
        ),
        corner: "methods".into(),
        columns: ["families", "median difference", "p", "p after Holm", "apart by rank"]
            .map(String::from)
            .into(),
        rows: across.pairs.iter().map(row).collect(),
        legend: [
            across.pairs.iter().any(MethodPair::is_sure).then(|| {
                "significantly different: with a probability of .95 or more all such statements of this table are right".into()
            }),
            None,
        ],
        notes,
    }
}

fn with_sign(p_value: f64) -> String {
    match probability(p_value) {
        below if below.starts_with('<') => below,
        equal => format!("= {equal}"),
    }
}

/// Returns the table with the number of families in which each method of the paper scores at least one half against all
/// other methods of the paper.
pub(in crate::report::format) fn published_best(counts: &[PublishedCount]) -> Option<Sheet> {
    if counts.is_empty() {
        return None;
    }
    let row = |count: &PublishedCount| Row {
        label: count.method.clone(),
        is_best: false,
        cells: [count.ours, count.by_figures, count.bold]
            .map(|number| Text::plain(number.to_string()))
            .into(),
    };
    Some(Sheet {
        title: "Unbeaten among the methods of the paper".into(),
        caption: "In how many families each method of table III of Cauwet & Teytaud (CEC 2018) is unbeaten (it scores \
                  at least .5 against all others, the rule of the paper), among these methods alone: by our meetings, by the figures of the \
                  paper, and as the paper prints it in bold. Two methods that score .5 against each other are both unbeaten."
            .into(),
        short: "Families in which a method scores at least .5 against all others.".into(),
        corner: "method".into(),
        columns: ["ours", "by their figures", "in bold"].map(String::from).into(),
        rows: counts.iter().map(row).collect(),
        legend: [None, None],
        notes: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_of_a_game_are_named() {
        let families =
            ["war", "war4", "warp", "cheat-special", "cheat", "phantom-nim", "phantom-four"];
        let families = families.map(String::from);
        assert_eq!(relatives(&families), [["war", "war4"], ["cheat-special", "cheat"]]);
        assert_eq!(probability(0.000_05), "< .0001");
        assert_eq!(with_sign(0.0312), "= .0312");
    }
}
