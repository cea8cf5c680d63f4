//! Sentences and rows that several tables share.

use super::format::{
    FEW, NO_INTERVAL, Options, PUBLISHED_LEGEND, Table, Text, UNSEEN, score, span,
};
use super::published::{Agreement, Agreements, Cell};
use super::repeats::{MIN_RUNS, MeanScore, Noise, unseen_share};

/// The test behind the intervals of means over runs.
pub(super) const STUDENT: &str = "Student's t over runs";

/// Names the means without a shown interval, and lists their runs' scores, so that no result is hidden.
pub(super) fn note_on_withheld<'a>(
    means: impl Iterator<Item = (String, &'a MeanScore, &'a [f64])>,
) -> Vec<String> {
    let is_withheld = |mean: &MeanScore| mean.withheld.is_some() && !mean.is_all_alike();
    let of_runs = means.filter(|(_, mean, _)| is_withheld(mean)).map(|(name, _, runs)| {
        let mut runs = runs.to_vec();
        runs.sort_by(f64::total_cmp);
        let runs: Vec<String> = runs.into_iter().map(|run| score(run, 3)).collect();
        format!("{name}: {}", runs.join(", "))
    });
    let of_runs: Vec<String> = of_runs.collect();
    if of_runs.is_empty() {
        return Vec::new();
    }
    let scores = format!("The scores of the runs behind each ?: {}.", of_runs.join("; "));
    vec![NO_INTERVAL.into(), scores]
}

/// Returns the note on failures that may exist, although no run shows one, for the smallest of these numbers of runs.
pub(super) fn note_on_unseen(num_runs: impl Iterator<Item = usize>) -> Option<String> {
    let num_runs = num_runs.filter(|&count| count > 1).min().filter(|&count| count < MANY_RUNS)?;
    let share = 100.0 * unseen_share(num_runs);
    Some(format!(
        "{UNSEEN} what {share:.0}% of all runs do is in none of {num_runs} runs with a probability of 5%, and what fewer do \
         with a higher one."
    ))
}

/// Returns the note if it is needed.
pub(super) fn note_if(is_needed: bool, note: &str) -> Option<String> {
    is_needed.then(|| note.into())
}

/// With fewer runs, their spread is not known well, so intervals are rough.
pub const ENOUGH_RUNS: usize = 6;

/// Returns the note on intervals over few runs, given the numbers of runs of all means.
pub(super) fn note_on_few(mut num_runs: impl Iterator<Item = usize>) -> Option<String> {
    note_if(num_runs.any(|count| (MIN_RUNS..ENOUGH_RUNS).contains(&count)), FEW)
}

/// With this many runs, the note on unseen failures is not needed.
const MANY_RUNS: usize = 30;

/// The name of the rows of published figures.
const PAPER: &str = "Cauwet & Teytaud";

/// Adds a row of published figures for people below each of our rows that has some. A word after each figure compares
/// it with ours. Does nothing unless `options` request published figures.
pub(super) fn add_published<T>(table: &mut Table, rows: &[Vec<Cell<T>>], options: &Options) {
    let text = |cell: &Cell<T>| {
        let Some(figure) = cell.published else { return Text::plain("") };
        let relation = match cell.agreement {
            Some(Agreement::Agrees) => " agrees",
            // If our figure is higher, the published figure is lower.
            Some(Agreement::Higher) => " lower",
            Some(Agreement::Lower) => " higher",
            None => "",
        };
        Text::plain(format!("{}{relation}", score(figure.score, 3)))
    };
    let mut end = 0;
    for cells in rows {
        end += cells.len();
        if options.side_by_side && cells.iter().any(|cell| cell.published.is_some()) {
            table.add_for_people(end, PAPER, cells.iter().map(text).collect());
            end += cells.len();
        }
    }
}

/// Explains published figures, and counts the figures that agree with ours.
pub(super) fn notes_on_published<'a, T: 'a>(
    cells: impl Iterator<Item = &'a Cell<T>>,
    options: &Options,
) -> Vec<String> {
    match options.side_by_side {
        true => vec![PUBLISHED_LEGEND.into(), Agreements::of(cells).in_words()],
        false => Vec::new(),
    }
}

/// Explains the intervals of these means. Also returns `true` if some intervals cover the noise of learning and others
/// do not.
pub(super) fn intervals<'a>(
    means: impl Iterator<Item = &'a MeanScore> + Clone,
    student: &str,
) -> (String, bool) {
    let [learning, playing] = [Noise::LearningAndPlaying, Noise::Playing]
        .map(|noise| means.clone().any(|mean| mean.covers == noise));
    let text = match learning {
        true => format!(
            "with 95% intervals that cover the noise of learning and of playing ({student})"
        ),
        false => "with 95% intervals that cover the playing noise only".to_string(),
    };
    (text, learning && playing)
}

/// Explains the mark of figures that are not clearly worse than the best.
pub(super) fn not_clearly_worse(some_have_one_run: bool) -> String {
    let one_run = match some_have_one_run {
        true => "; a single run proves nothing about other runs",
        false => "",
    };
    format!(
        "not clearly worse: no method is proven to be better, at 5% for all methods of a family together{one_run}"
    )
}

/// Describes the smallest and the largest number of pairs per run, from means with their numbers of runs. Exact scores
/// are ignored unless all are exact.
pub(super) fn pairs_of<'a>(
    means: impl Iterator<Item = (&'a MeanScore, usize)> + Clone,
) -> Option<String> {
    let pairs = |(mean, count): (&MeanScore, usize)| mean.num_pairs / count as u64;
    let played = means.clone().filter(|(mean, _)| mean.playing_half_width > 0.0);
    span(played.map(pairs)).or_else(|| span(means.map(pairs)))
}

/// Describes how the scores of runs were found, from means with their numbers of runs.
pub(super) fn how_scored<'a>(
    means: impl Iterator<Item = (&'a MeanScore, usize)> + Clone,
) -> String {
    let pairs = pairs_of(means.clone()).unwrap_or_default();
    let is_exact = |(mean, _): (&MeanScore, usize)| mean.playing_half_width == 0.0;
    match (means.clone().all(is_exact), means.clone().any(is_exact)) {
        (true, _) => "exactly".into(),
        (_, true) => format!("on {pairs} pairs of games, or exactly where it can be computed"),
        _ => format!("on {pairs} pairs of games"),
    }
}

/// Lists names for a sentence, with this word before the last: `a`, `a and b`, `a, b and c`.
pub fn listed(names: &[impl AsRef<str>], word: &str) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} {word} {last}", others.join(", ")),
        names => names.concat(),
    }
}

/// Lists at most three names.
pub fn few(names: &[String]) -> String {
    match names {
        [first, others @ ..] if others.len() > 2 => format!("{first} and {} others", others.len()),
        names => listed(names, "and"),
    }
}
