//! Meetings between all members of a population.

use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::StopSignal;
use ruse_lab::{DefaultPairs, read_members};
use ruse_play::family::{AnyFamily, Player};
use ruse_play::score::RoundRobin;
use ruse_plots::{Axis, Chart, HeatMap, Panel, Picture, Scale};

use super::{Run, comparisons_of};
use crate::error::Result;
use crate::format::short;
use crate::grouped;

/// The maximum number of members shown.
pub const MAX_MEMBERS: usize = 40;

/// Returns the default number of pairs in each meeting, which is smaller for slow games and many members. The figure
/// then takes about as long as scoring a run.
pub fn default_pairs(family: &dyn AnyFamily, num_members: usize) -> u64 {
    let meetings = (num_members * num_members.saturating_sub(1) / 2).max(1) as u64;
    (4 * DefaultPairs::of(family).evaluation / meetings).clamp(20, 1000)
}

/// Selects `most` evenly spread indices below `num`, with the first and the last, or all if there are at most `most`.
fn spread(num: usize, most: usize) -> Vec<usize> {
    match (num, most) {
        (0, _) | (_, 0) => Vec::new(),
        (_, 1) => vec![num - 1],
        _ if num <= most => (0..num).collect(),
        _ => (0..most).map(|k| (k * (num - 1) + (most - 1) / 2) / (most - 1)).collect(),
    }
}

/// Plays the members of a run's population against each other, with `pairs` pairs in each meeting, or
/// [`default_pairs`]. If there are more than [`MAX_MEMBERS`] members, only an evenly spaced selection plays. All
/// meetings share the same deals. The results do not depend on the number of threads.
///
/// # Errors
///
/// Returns an error if the population cannot be read, or the games were stopped.
pub fn population(run: Run<'_>, pairs: Option<u64>, stop: &StopSignal) -> Result<Picture> {
    let members = read_members(run.directory, run.experiment)?;
    let num_members = members.len();
    let shown: Vec<_> = spread(num_members, MAX_MEMBERS).iter().map(|&i| &members[i]).collect();
    let family = run.experiment.family.as_ref();
    let contestants: Vec<Player> =
        shown.iter().map(|member| Player::Parameters(member.parameters.clone())).collect();
    let league = family.league(&contestants.iter().collect::<Vec<_>>());
    let league = league.expect("members were checked when they were read");
    let num_pairs = pairs.unwrap_or_else(|| default_pairs(family, shown.len()));
    let key = StreamKey::root(run.seed()).child(Label::CrossPlay, 0);
    let table = RoundRobin::hold(league.as_ref(), shown.len(), num_pairs, key, stop, |_| ())?;
    let left_out = match shown.len() {
        few if few < num_members => format!(", {few} of {num_members} accepted, evenly spread"),
        _ => format!(", all {num_members} accepted"),
    };
    let all = 0..table.num_members();
    // Later members are above, so a population that makes progress has two halves of different colours.
    let pairs = all.clone().rev().flat_map(|a| all.clone().map(move |b| (a, b)));
    let scores: Vec<f64> = pairs.map(|(a, b)| table.estimate(a, b).score).collect();
    let reach = scores.iter().fold(0.0, |most: f64, score| most.max((score - 0.5).abs()));
    let joined = || shown.iter().map(|member| short(member.games));
    let map = HeatMap {
        rows: Axis::new("member: games before it joined", joined().rev()),
        columns: Axis::new("opponent: games before it joined", joined()),
        values: scores.into_iter().map(Some).collect(),
        texts: Vec::new(),
        // Rounded up to a twentieth, so that the scale ends at round numbers.
        scale: Scale::Diverging { centre: 0.5, reach: ((reach * 20.0).ceil() / 20.0).max(0.05) },
        quantity: "score of the member".into(),
        has_sums: false,
    };
    Ok(Picture {
        title: format!("{}: the population against itself", run.family()),
        caption: format!(
            "{}{}, seed {}{left_out}; {} pairs a cell, the same deals in all.",
            run.method(),
            comparisons_of(&[run]),
            run.seed(),
            grouped(num_pairs),
        ),
        panels: vec![Panel::new("", Chart::HeatMap(map))],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_left_out_evenly() {
        assert_eq!(spread(3, 40), [0, 1, 2]);
        assert_eq!(spread(9, 5), [0, 2, 4, 6, 8]);
        let shown = spread(555, 40);
        assert_eq!((shown.len(), shown[0], shown[39]), (40, 0, 554));
        // The shown members are 554 / 39 = 14.2 apart on average.
        assert!(shown.windows(2).all(|two| (14..=15).contains(&(two[1] - two[0]))), "{shown:?}");
        assert_eq!(spread(41, 40).len(), 40);
        assert!(spread(0, 40).is_empty());
        assert_eq!(spread(7, 1), [6]);
    }
}
