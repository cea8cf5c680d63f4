//! Compares methods by the meetings of their champions.

use std::ops::Range;

use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::StopSignal;
use ruse_lab::DefaultPairs;
use ruse_play::family::Player;
use ruse_play::score::RoundRobin;
use ruse_plots::{CellScore, HeadToHead};

use super::{Run, first_of_one_family, grouped_by, seeds_of};
use crate::error::Result;
use crate::{Cell, HeadToHeadTable, MeanScore, MeetingCell, grouped};

/// Plays the champions of the runs of one family against each other, with `pairs` pairs in each meeting, or a default
/// of the family. The figure has one row and one column for each method.
///
/// A score of two methods is the mean over all meetings of their champions. If both methods have several runs, its
/// interval includes the noise of learning; otherwise, it includes only the noise of playing.
///
/// # Errors
///
/// Returns an error if there are no runs, if the runs belong to several families, if a strategy cannot be read, or if
/// the games were stopped.
pub fn head_to_head(runs: &[Run<'_>], pairs: Option<u64>, stop: &StopSignal) -> Result<HeadToHead> {
    let first = first_of_one_family(runs)?;
    let methods = grouped_by(runs, Run::method);
    let mut champions = Vec::new();
    // The range of indices of each method's champions.
    let mut places = Vec::new();
    for (_, runs) in &methods {
        places.push(champions.len()..champions.len() + runs.len());
        for run in runs {
            champions.push(Player::Parameters(run.strategy()?.parameters));
        }
    }
    let family = first.experiment.family.as_ref();
    let league = family.league(&champions.iter().collect::<Vec<_>>());
    let league = league.expect("parameters were checked when they were read");
    let num_pairs = pairs.unwrap_or(DefaultPairs::of(family).monitor.max(200));
    let key = StreamKey::root(first.seed()).child(Label::CrossPlay, 1);
    let table = RoundRobin::hold(league.as_ref(), champions.len(), num_pairs, key, stop, |_| ())?;
    let has_repeats = places.iter().any(|place| place.len() > 1);
    let cells = places.iter().enumerate().map(|(row, a)| {
        let others = places.iter().enumerate();
        others.map(|(column, b)| if row == column { None } else { cell(&table, a, b) }).collect()
    });
    let intervals = match has_repeats {
        true => "95% intervals over runs",
        false => "95% intervals of playing, not of learning",
    };
    Ok(HeadToHead {
        title: format!("{}: score of the row against the column", first.family()),
        caption: format!(
            "Champions of {}, all against all, {} pairs each; {intervals}.",
            seeds_of(runs),
            grouped(num_pairs),
        ),
        cells: cells.collect(),
        names: methods.iter().map(|(name, _)| (*name).to_string()).collect(),
    })
}

/// Returns the mean score of the members in `a` against the members in `b`.
fn cell(table: &RoundRobin, a: &Range<usize>, b: &Range<usize>) -> Option<CellScore> {
    let meeting = |a: usize, b: usize| ([a as u64, b as u64], table.estimate(a, b));
    let meetings: Vec<_> = a.clone().flat_map(|a| b.clone().map(move |b| meeting(a, b))).collect();
    let mean = MeanScore::over_meetings(&meetings)?;
    Some(CellScore { score: mean.score, interval: mean.interval })
}

/// Returns the figure for a head-to-head table of methods. `caption` names the methods.
pub fn head_to_head_of_table(table: &HeadToHeadTable, caption: &str) -> HeadToHead {
    let cell = |cell: &Cell<MeetingCell>| {
        let mean = &cell.ours.as_ref()?.mean;
        Some(CellScore { score: mean.score, interval: mean.interval })
    };
    HeadToHead {
        title: format!("{}: score of the row against the column", table.family),
        caption: caption.into(),
        names: table.methods.clone(),
        cells: table.cells.iter().map(|row| row.iter().map(cell).collect()).collect(),
    }
}
