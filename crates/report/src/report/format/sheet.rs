//! Tables as text, before they are set in a format.

mod across;
mod effort;
mod exploitability;
mod references;
mod targets;
mod transfers;
mod yardsticks;

use std::collections::HashSet;

pub(super) use across::{across, published_best};
pub(super) use effort::{effort, games_left_in_words};
pub(super) use exploitability::exploitability;
pub(super) use references::references;
pub(super) use targets::targets;
pub(super) use transfers::transfers;
pub(super) use yardsticks::{UNKNOWN, yardsticks};

use super::numbers::{counted, score, span, with_interval};
use super::options::Options;
use crate::report::head_to_head::{Best, Cycles, HeadToHeadTable, MeetingCell};
use crate::report::published::{Agreement, Cell};
use crate::report::ranking::{MeanRank, Ranking};
use crate::report::repeats::{MeanScore, Noise, unseen_share};
use crate::report::scores::{ScoreCell, ScoreTable};
use crate::score::hypothesis::SIGNIFICANCE;

/// A table of text.
#[derive(Debug)]
pub(super) struct Sheet {
    pub(super) title: String,
    /// A description of the figures.
    pub(super) caption: String,
    /// A short description, for the caption in a paper: at most 95 characters, which fit on two lines of a column.
    pub(super) short: String,
    /// The heading of the column with the names of the rows.
    pub(super) corner: String,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Row>,
    /// The meanings of two marks: for the best figures, and for figures that are nearly the best.
    pub(super) legend: [Option<String>; 2],
    /// Sentences below the table.
    pub(super) notes: Vec<String>,
}

impl Sheet {
    /// Removes remarks that earlier sheets have already made.
    pub(super) fn say_once<'s>(sheets: impl IntoIterator<Item = &'s mut Sheet>) {
        let mut said = HashSet::new();
        for sheet in sheets {
            if !said.insert(sheet.caption.clone()) {
                sheet.caption.clear();
            }
            for meaning in &mut sheet.legend {
                *meaning = meaning.take().filter(|meaning| said.insert(meaning.clone()));
            }
            // Other notes are about one family, even if two sheets have the same note.
            sheet.notes.retain(|note| !is_general(note) || said.insert(note.clone()));
        }
    }
}

/// Returns `true` if a note explains how to read tables, and is not about the content of one table.
fn is_general(note: &str) -> bool {
    [NO_INTERVAL, PUBLISHED_LEGEND, UNSEEN, "(alike)", "(1 run)"]
        .iter()
        .any(|beginning| note.starts_with(beginning))
}

/// A row of a sheet.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) label: String,
    pub(super) is_best: bool,
    pub(super) cells: Vec<Text>,
}

/// A cell of a sheet.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) figure: String,
    pub(super) mark: Mark,
    /// The mean that the figure shows through [`with_interval`], possibly with words around it.
    pub(super) mean: Option<MeanScore>,
}

/// The mark of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Best,
    Near,
    Plain,
}

impl Text {
    pub(super) fn plain(figure: impl Into<String>) -> Text {
        Text::marked(figure, Mark::Plain)
    }

    pub(super) fn marked(figure: impl Into<String>, mark: Mark) -> Text {
        Text { figure: figure.into(), mark, mean: None }
    }

    /// Sets the mean that the text shows.
    fn of(self, mean: &MeanScore) -> Text {
        Text { mean: Some(*mean), ..self }
    }
}

/// The text of a missing figure.
const MISSING: &str = "-";

/// Returns the text of a cell; `ours` formats our figure.
fn cell_text<T>(cell: &Cell<T>, ours: impl Fn(&T) -> Text) -> Text {
    cell_of(cell.ours.as_ref(), ours)
}

/// Returns the text of a cell that may be missing.
fn cell_of<T>(cell: Option<&T>, text: impl Fn(&T) -> Text) -> Text {
    cell.map_or_else(|| Text::plain(MISSING), text)
}

/// Names the means without an interval, and lists their runs, so that no result is hidden.
fn note_on_withheld<'a>(
    means: impl Iterator<Item = (String, &'a MeanScore, &'a [f64])>,
) -> Vec<String> {
    let is_withheld = |mean: &MeanScore| mean.withheld.is_some() && !mean.is_all_alike();
    let of_runs = means.filter(|(_, mean, _)| is_withheld(mean));
    let of_runs: Vec<String> = of_runs
        .map(|(name, _, runs)| {
            let mut runs = runs.to_vec();
            runs.sort_by(f64::total_cmp);
            let runs: Vec<String> = runs.into_iter().map(|run| score(run, 3)).collect();
            format!("{name}: {}", runs.join(", "))
        })
        .collect();
    match of_runs.is_empty() {
        true => Vec::new(),
        false => {
            let scores = format!("The scores of the runs behind each ?: {}.", of_runs.join("; "));
            vec![NO_INTERVAL.into(), scores]
        }
    }
}

/// Returns the note on failures that may exist although no run shows them. The note is about the smallest of the given
/// numbers of runs.
fn note_on_unseen(num_runs: impl Iterator<Item = usize>) -> Option<String> {
    let num_runs = num_runs.filter(|&count| count > 1).min().filter(|&count| count < MANY_RUNS)?;
    let share = 100.0 * unseen_share(num_runs);
    Some(format!(
        "{UNSEEN} what {share:.0}% of all runs do is in none of {num_runs} runs with a probability of 5%, and what fewer do \
         with a higher one."
    ))
}

/// The beginning of the note on failures that no run shows.
const UNSEEN: &str =
    "Intervals take the scores of runs as about normal, and do not cover what no run shows:";

/// The number of runs at which the note on failures that no run shows is no longer needed.
const MANY_RUNS: usize = 30;

/// The legend of an interval that is not shown.
const NO_INTERVAL: &str = "?: no interval, as there are fewer than three runs, or they are in two groups far apart, \
                           between which the mean lies.";

/// Returns the row of published figures, for the place below our row; each figure is followed by its relation to ours.
/// Returns `None` without published figures in these cells, or if `options` do not request them.
fn paper_row<T>(cells: &[Cell<T>], options: &Options) -> Option<Row> {
    if !options.side_by_side || cells.iter().all(|cell| cell.published.is_none()) {
        return None;
    }
    let text = |cell: &Cell<T>| {
        let Some(figure) = cell.published else { return Text::plain("") };
        let relation = match cell.agreement {
            Some(Agreement::Agrees) => " agrees",
            // Our figure is higher.
            Some(Agreement::Higher) => " lower",
            Some(Agreement::Lower) => " higher",
            None => "",
        };
        Text::plain(format!("{}{relation}", score(figure.score, 3)))
    };
    let cells = cells.iter().map(text).collect();
    Some(Row { label: PAPER.into(), is_best: false, cells })
}

/// The name of the rows of published figures.
const PAPER: &str = "Cauwet & Teytaud";

/// The legend of published figures.
const PUBLISHED_LEGEND: &str = "Rows of Cauwet & Teytaud: their published figure (CEC 2018), which is of one run. It \
                                agrees if it is where one further run of ours would be with probability .95, by \
                                the spread of our runs and their standard deviation (runs that differ much agree \
                                with much); else it is higher or lower than ours. One run of ours is not compared.";

/// Explains published figures, and counts the figures that agree with ours.
fn notes_on_published(
    agreements: impl Iterator<Item = Agreement>,
    options: &Options,
) -> Vec<String> {
    if !options.side_by_side {
        return Vec::new();
    }
    let mut counts = [0; 3];
    for agreement in agreements {
        counts[agreement as usize] += 1;
    }
    let [agree, ours_higher, ours_lower] = counts;
    let compared = counted(agree + ours_higher + ours_lower, "published figure");
    let summary = format!(
        "{compared} compared with ours: {agree} agree, {ours_lower} higher, {ours_higher} lower."
    );
    vec![PUBLISHED_LEGEND.into(), summary]
}

/// Explains the intervals of these means. Also returns whether some intervals cover the noise of learning and others do
/// not.
fn intervals<'a>(means: impl Iterator<Item = &'a MeanScore>, student: &str) -> (String, bool) {
    let (mut learning, mut playing) = (false, false);
    for mean in means {
        match mean.covers {
            Noise::LearningAndPlaying => learning = true,
            Noise::Playing => playing = true,
        }
    }
    let text = match (learning, playing) {
        (true, _) => format!(
            "with 95% intervals that cover the noise of learning and of playing ({student})"
        ),
        (false, _) => "with 95% intervals that cover the playing noise only".to_string(),
    };
    (text, learning && playing)
}

/// Explains the mark of figures that are not clearly worse than the best.
fn not_clearly_worse(some_have_one_run: bool) -> String {
    let one_run = match some_have_one_run {
        true => ", or one of the two is a single run, which says nothing of others",
        false => "",
    };
    format!("not clearly worse: the interval overlaps the interval of the best{one_run}")
}

/// Returns the smallest and the largest number of pairs per run, in words; each mean is given with its number of runs.
/// Exact scores count only if all scores are exact.
fn pairs_of<'a>(means: impl Iterator<Item = (&'a MeanScore, usize)> + Clone) -> Option<String> {
    let pairs = |(mean, count): (&MeanScore, usize)| mean.num_pairs / count as u64;
    let played = means.clone().filter(|(mean, _)| mean.playing_half_width > 0.0);
    span(played.map(pairs)).or_else(|| span(means.map(pairs)))
}

pub(super) fn scores(table: &ScoreTable, options: &Options) -> Sheet {
    let cells = || table.cells.iter().flatten().filter_map(|cell| cell.ours.as_ref());
    let (intervals, is_mixed) = intervals(cells().map(|cell| &cell.mean), "Student's t over runs");
    let text = |cell: &ScoreCell| {
        let mut text = with_interval(&cell.mean);
        if options.ranges && cell.num_runs > 1 {
            text += &format!(" ({}-{})", score(cell.lowest, 3), score(cell.highest, 3));
        }
        if is_mixed && cell.num_runs == 1 {
            text += " (1 run)";
        }
        let mark = match (cell.is_best, cell.is_not_clearly_worse) {
            (true, _) => Mark::Best,
            (_, true) => Mark::Near,
            _ => Mark::Plain,
        };
        Text::marked(text, mark).of(&cell.mean)
    };
    let rows = table.families.iter().zip(&table.cells).flat_map(|(family, row)| {
        let cells = row.iter().map(|cell| cell_text(cell, text)).collect();
        let ours = Row { label: family.clone(), is_best: false, cells };
        std::iter::once(ours).chain(paper_row(row, options))
    });
    let runs = span(cells().map(|cell| cell.num_runs as u64));
    let pairs = cells().map(|cell| (&cell.mean, cell.num_runs));
    let caption = match runs.clone().zip(pairs_of(pairs)) {
        None => "No run was scored.".into(),
        Some((runs, pairs)) => {
            let means =
                if runs == "1" { "One run".into() } else { format!("The mean over {runs} runs") };
            let is_exact = |cell: &ScoreCell| cell.mean.playing_half_width == 0.0;
            let how = match (cells().all(is_exact), cells().any(is_exact)) {
                (true, _) => "exactly".into(),
                (_, true) => {
                    format!("on {pairs} pairs of games, or exactly where it can be computed")
                }
                _ => format!("on {pairs} pairs of games"),
            };
            format!("{means} per cell, each champion scored {how}, {intervals}.")
        }
    };
    let mut notes = Vec::new();
    if options.ranges && cells().any(|cell| cell.num_runs > 1) {
        notes.push("In brackets: the scores of the worst and of the best run.".into());
    }
    if is_mixed {
        notes.push("(1 run): one run: playing noise only.".into());
    }
    let rows_of = || table.families.iter().zip(&table.cells);
    let named = rows_of().flat_map(|(family, row)| {
        row.iter().zip(&table.methods).filter_map(move |(cell, method)| {
            let cell = cell.ours.as_ref()?;
            Some((format!("{method} on {family}"), &cell.mean, &cell.runs[..]))
        })
    });
    notes.extend(note_on_withheld(named));
    notes.extend(note_on_unseen(cells().map(|cell| cell.num_runs)));
    notes.extend(games_left_in_words(table));
    // Longer lists are hard to read.
    notes.extend(table.starts_in_words(12));
    let agreements = table.cells.iter().flatten().filter_map(|cell| cell.agreement);
    notes.extend(notes_on_published(agreements, options));
    let short = format!(
        "{}: {}, 95% intervals{}.",
        if table.transfers.is_empty() { "Scores against the baseline" } else { "Scores" },
        match runs.as_deref() {
            None | Some("1") => "one run".into(),
            Some(runs) => format!("means of {runs} runs"),
        },
        match (cells().any(|cell| cell.is_best), cells().any(|cell| cell.is_not_clearly_worse)) {
            (true, true) => "; bold: best, ~: not clearly worse",
            (true, false) => "; bold: best",
            _ => "",
        },
    );
    let best = "the best mean of the family".to_string();
    let near = not_clearly_worse(cells().any(|cell| cell.num_runs == 1));
    Sheet {
        title: match table.transfers.is_empty() {
            true => "Scores against the baseline".into(),
            false => "Scores against the opponents named below".into(),
        },
        caption,
        short,
        corner: "family".into(),
        columns: table.methods.clone(),
        rows: rows.collect(),
        legend: [
            cells().any(|cell| cell.is_best).then_some(best),
            cells().any(|cell| cell.is_not_clearly_worse).then_some(near),
        ],
        notes,
    }
}

pub(super) fn head_to_head(table: &HeadToHeadTable, options: &Options) -> Sheet {
    let cells = || table.cells.iter().flatten().filter_map(|cell| cell.ours.as_ref());
    let (intervals, is_mixed) = intervals(
        cells().map(|cell| &cell.mean),
        "Student's t over the runs of either side, after Hoeffding 1948",
    );
    let text = |cell: &MeetingCell| {
        let note = if is_mixed && cell.mean.covers == Noise::Playing { " (1 run)" } else { "" };
        Text::plain(with_interval(&cell.mean) + note).of(&cell.mean)
    };
    let rows = table.methods.iter().zip(&table.cells).flat_map(|(method, row)| {
        let cells = row.iter().zip(&table.methods).map(|(cell, opponent)| {
            if method == opponent { Text::plain("") } else { cell_text(cell, text) }
        });
        let is_best = table.best.iter().any(|best| best.method == *method);
        let ours = Row { label: method.clone(), is_best, cells: cells.collect() };
        std::iter::once(ours).chain(paper_row(row, options))
    });
    let meetings = span(cells().map(|cell| cell.num_meetings as u64)).unwrap_or_default();
    let pairs = pairs_of(cells().map(|cell| (&cell.mean, cell.num_meetings)));
    let playing = cells().map(|cell| cell.mean.playing_half_width).fold(0.0, f64::max);
    let (each, playing) = match playing > 0.0 {
        true => (
            format!("{} pairs of games each", pairs.unwrap_or_default()),
            format!(" The playing alone: at most ± {}.", score(playing, 4)),
        ),
        false => ("computed exactly".into(), String::new()),
    };
    let caption = format!(
        "Score of the method of the row against that of the column: the mean over the meetings of their \
         champions ({meetings} per cell, {each}), {intervals}.{playing}"
    );
    let has_one_run = cells().any(|cell| cell.mean.covers == Noise::Playing);
    let mut notes = vec![best_in_words(&table.best, has_one_run)];
    if cells().any(|cell| cell.mean.is_all_alike()) {
        notes.push(
            "(alike): all runs had exactly this score, which says little of other runs.".into(),
        );
    }
    if cells().any(|cell| cell.mean.withheld.is_some() && !cell.mean.is_all_alike()) {
        notes.push("?: no interval, as a side has fewer than three runs.".into());
    }
    notes.extend(cycles_in_words(&table.cycles));
    if let Some(best) = table.published_best.as_ref().filter(|_| options.side_by_side) {
        let names = |names: &[String]| match names {
            [] => "none".to_string(),
            names => names.join(", "),
        };
        notes.push(format!(
            "Best among the methods of the paper alone: {} by our meetings, {} by the figures of the paper, {} in bold there.",
            names(&best.ours),
            names(&best.by_figures),
            names(best.bold.as_slice()),
        ));
    }
    if is_mixed {
        notes.push("(1 run): one run of a side: playing noise only.".into());
    }
    // The other half mirrors this one.
    let half = table.cells.iter().enumerate().flat_map(|(index, row)| &row[index..]);
    let agreements = half.filter_map(|cell| cell.agreement);
    notes.extend(notes_on_published(agreements, options));
    let best = "unbeaten: scores at least .5 against all others".to_string();
    Sheet {
        title: format!("{}: head to head", table.family),
        caption,
        short: format!(
            "{}: scores of rows against columns, 95% intervals{}.",
            table.family,
            if table.best.is_empty() { "" } else { "; bold: at least .5 against all" },
        ),
        corner: "method".into(),
        columns: table.methods.clone(),
        rows: rows.collect(),
        legend: [(!table.best.is_empty()).then_some(best), None],
        notes,
    }
}

/// Names the methods that are best by the paper's rule (a score of at least one half against all others), and states
/// how many intervals support this rule. A single run of each method gives no support.
fn best_in_words(best: &[Best], has_one_run: bool) -> String {
    if best.is_empty() {
        return "No method is unbeaten head to head.".into();
    }
    let words = best.iter().map(|Best { method, num_opponents, num_sure }| {
        let support = match (num_sure, num_opponents) {
            (0, _) if has_one_run => {
                "one run: a statement about these champions, not about methods".into()
            }
            (sure, all) if sure == all => "all intervals support it".into(),
            (0, _) => "no interval supports it".into(),
            (sure, all) => format!("{sure} of {all} intervals support it"),
        };
        format!("{method} ({support})")
    });
    format!("Unbeaten head to head: {}.", words.collect::<Vec<_>>().join(", "))
}

/// Lists are limited to this number of cycles, to stay readable.
const MAX_CYCLES_SHOWN: usize = 5;

pub(super) fn cycles_in_words(cycles: &Cycles) -> Vec<String> {
    let kinds = [
        ("Cycles, each interval above .5", &cycles.sure),
        ("Apparent cycles, by the means alone", &cycles.apparent),
    ];
    let kinds = kinds.into_iter().filter(|(_, cycles)| !cycles.is_empty());
    let words = kinds.map(|(kind, cycles)| {
        let shown = cycles.iter().take(MAX_CYCLES_SHOWN);
        let mut shown: Vec<String> =
            shown.map(|cycle| format!("{} > {}", cycle.join(" > "), cycle[0])).collect();
        if cycles.len() > MAX_CYCLES_SHOWN {
            shown.push(format!("and {} more", cycles.len() - MAX_CYCLES_SHOWN));
        }
        format!("{kind}: {}.", shown.join("; "))
    });
    words.collect()
}

fn rank_text(rank: Option<MeanRank>) -> String {
    match rank {
        None => MISSING.into(),
        Some(MeanRank { rank, standard_error: None }) => format!("{rank:.2}"),
        Some(MeanRank { rank, standard_error: Some(error) }) => {
            // A rank is at least 1 and keeps its leading digit; so its error keeps its leading zero.
            format!("{rank:.2} ± {error:.2}")
        }
    }
}

pub(super) fn ranking(ranking: &Ranking) -> Sheet {
    let standings = &ranking.standings;
    let lowest = |ranks: &dyn Fn(usize) -> Option<MeanRank>| {
        let ranks = (0..standings.len()).filter_map(ranks).map(|mean| mean.rank);
        ranks.fold(f64::INFINITY, f64::min)
    };
    let by_score = lowest(&|m| standings[m].rank_by_score);
    let head_to_head = lowest(&|m| standings[m].rank_head_to_head);
    let rank = |rank: Option<MeanRank>, lowest: f64, is_tied: bool| {
        let mark = match rank {
            Some(mean) if mean.rank <= lowest => Mark::Best,
            Some(_) if is_tied => Mark::Near,
            _ => Mark::Plain,
        };
        Text::marked(rank_text(rank), mark)
    };
    let with_sure = |all: usize, sure: usize| Text::plain(format!("{all} ({sure})"));
    let rows = standings.iter().map(|standing| Row {
        label: standing.method.clone(),
        is_best: false,
        cells: vec![
            rank(standing.rank_by_score, by_score, standing.is_tied_by_score),
            Text::plain(standing.num_best_by_score.to_string()),
            rank(standing.rank_head_to_head, head_to_head, standing.is_tied_head_to_head),
            Text::plain(standing.num_best_head_to_head.to_string()),
            with_sure(standing.num_wins, standing.num_sure_wins),
            Text::plain(standing.num_draws.to_string()),
            with_sure(standing.num_losses, standing.num_sure_losses),
        ],
    });
    let &Ranking {
        num_families_by_score,
        num_families_head_to_head,
        num_families_met,
        num_families_with_sure_cycles,
        num_families_with_cycles,
        ..
    } = ranking;
    let families = |count: usize| match count {
        1 => "1 family".to_string(),
        count => format!("{count} families"),
    };
    let caption = format!(
        "Mean ranks, 1 the best, by the score against the baseline (over {} with all \
         methods) and by the mean score against the other methods (over {} with all meetings), ± the standard \
         error over families; in how many families a method is best, by score and unbeaten head to head; and against \
         how many methods it scores more than .5 (in brackets: significantly), .5, and less.",
        families(num_families_by_score),
        families(num_families_head_to_head),
    );
    let mut notes = Vec::new();
    if num_families_met > 0 {
        let met = families(num_families_met);
        let cycles = match num_families_with_cycles {
            0 => format!("Methods met in {met}, without cycles (a beats b, b beats c, c beats a)."),
            with_cycles => format!(
                "Methods met in {met}; in {with_cycles} of them there are cycles (a beats b, b beats c, c beats a), in \
                 {num_families_with_sure_cycles} with each interval above .5. A single number of strength would hide them."
            ),
        };
        notes.push(format!("{cycles} Ranks depend on the methods that are compared."));
    }
    if ranking.num_tested > 0 {
        let by_interval: usize = standings.iter().map(|s| s.num_wins_by_interval).sum();
        notes.push(format!(
            "Significant: by Student's test, corrected after Holm for all {} with an interval. All significant \
             differences are real with a probability of at least .95. Without the correction {by_interval} would be \
             significant, about {:.0} of them by chance alone.",
            counted(ranking.num_tested as u64, "cell"),
            SIGNIFICANCE * ranking.num_tested as f64,
        ));
    }
    let best = "the lowest mean rank".to_string();
    let near =
        "not significantly different from the lowest: the interval of the difference reaches zero"
            .to_string();
    let is_tied = standings.iter().any(|s| s.is_tied_by_score || s.is_tied_head_to_head);
    let has_ranks = by_score.is_finite() || head_to_head.is_finite();
    let columns = [
        "rank by score",
        "best by score",
        "head-to-head rank",
        "unbeaten",
        "wins (significant)",
        "draws",
        "losses (significant)",
    ];
    Sheet {
        title: "Methods across families".into(),
        caption,
        short: format!(
            "Methods over {}: mean ranks ± standard errors, best in, wins (significant), losses.",
            families(num_families_by_score),
        ),
        corner: "method".into(),
        columns: columns.map(String::from).into(),
        rows: rows.collect(),
        legend: [has_ranks.then_some(best), is_tied.then_some(near)],
        notes,
    }
}
