//! A game of a round robin, shown as a few boards.

use ruse_base::stop::{StopSignal, Stopped};
use ruse_games::{BySeat, Page, Payoff, Seat, Turn};
use ruse_play::session::Session;
use ruse_registry::Registry;
use serde::{Deserialize, Serialize};

use super::spec::{MeetingPlan, MeetingResult, RoundRobinPlan};
use crate::error::LabError;

/// The number of boards in a film. They fit in one row of a page.
const NUM_FRAMES: usize = 8;
/// The number of actions after which a game is abandoned. Some games never end.
const MAX_ACTIONS: usize = 20_000;
/// The page for which boards are formatted.
const PAGE: Page = Page { width: 60, unicode: true };

/// A game, shown as a few boards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Film {
    /// The player that moves first.
    pub first: String,
    /// The other player.
    pub second: String,
    /// The label of the rules.
    pub rules: String,
    /// The number of playouts in each turn, if the players have a budget.
    pub budget: Option<u64>,
    /// The payoff of the first player; `None` for an abandoned game.
    pub payoff: Option<Payoff>,
    /// The boards, evenly spaced over the game.
    pub frames: Vec<Frame>,
}

/// A board of a film.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    /// The number of actions taken before this board was reached.
    pub actions: usize,
    /// The board, in lines.
    pub board: String,
}

/// Returns the meeting to show: at the last budget, under the first rules, of the two players with the highest mean
/// scores there.
fn best_meeting(plan: &RoundRobinPlan, meetings: &[MeetingResult]) -> Option<MeetingPlan> {
    let last = plan.budgets.len().checked_sub(1);
    let mut sums = vec![(0.0, 0u32); plan.players.len()];
    let is_counted = |budget: Option<usize>| budget.is_none() || budget == last;
    for MeetingResult { meeting, scored } in meetings {
        let Some(score) = scored.score().filter(|_| is_counted(meeting.budget)) else { continue };
        for (index, score) in [(meeting.player, score), (meeting.opponent, 1.0 - score)] {
            sums[index].0 += score;
            sums[index].1 += 1;
        }
    }
    let means: Vec<f64> = sums.iter().map(|(sum, n)| sum / f64::from((*n).max(1))).collect();
    let mut order: Vec<usize> = (0..means.len()).collect();
    order.sort_by(|&x, &y| means[y].total_cmp(&means[x]).then(x.cmp(&y)));
    let (best, next) = (*order.first()?, *order.get(1)?);
    let is_it = |meeting: &MeetingPlan| {
        meeting.setting == 0
            && is_counted(meeting.budget)
            && meeting.player == best.min(next)
            && meeting.opponent == best.max(next)
    };
    plan.meetings().into_iter().find(is_it)
}

impl Film {
    /// Plays the game, or returns `None` if the family has no board.
    pub(super) fn of_best(
        plan: &RoundRobinPlan,
        meetings: &[MeetingResult],
        registry: &Registry,
        stop: &StopSignal,
    ) -> Result<Option<Film>, LabError> {
        let Some(meeting) = best_meeting(plan, meetings) else { return Ok(None) };
        let family = plan.family(meeting.setting, registry)?;
        let player = |index| plan.player(index, meeting.budget, family.as_ref());
        let (a, b) = (player(meeting.player)?, player(meeting.opponent)?);
        let Some(mut session) = family.sit_down_beside(&a, &b, plan.key(&meeting))? else {
            return Ok(None);
        };
        let names = [meeting.player, meeting.opponent].map(|index| &plan.players[index].label);
        let played = play(session.as_mut(), names.map(String::as_str), stop);
        let (frames, payoff) = played.map_err(|_| LabError::Stopped)?;
        Ok(Some(Film {
            first: names[0].clone(),
            second: names[1].clone(),
            rules: plan.settings[meeting.setting].label.clone(),
            budget: plan.budget_of(&meeting),
            payoff,
            frames,
        }))
    }
}

/// Plays the first game of a session. Returns some of its boards, and its result.
fn play(
    session: &mut dyn Session,
    names: [&str; 2],
    stop: &StopSignal,
) -> Result<(Vec<Frame>, Option<Payoff>), Stopped> {
    session.heed(stop.request().clone());
    session.begin(0, Some(Seat::First));
    let names = BySeat { first: names[0], second: names[1] };
    let mut boards = vec![session.everything(names, PAGE)];
    let payoff = loop {
        stop.check()?;
        let step = match session.turn() {
            Turn::Over(payoff) => break Some(payoff),
            Turn::Act(_) if boards.len() > MAX_ACTIONS => break None,
            Turn::Act(Seat::First) => session.adviser_acts(),
            Turn::Act(Seat::Second) => session.opponent_acts(),
        };
        // A strategy that is stopped before it decides returns an error; the stop signal is still set.
        stop.check()?;
        step.expect("strategies play by the rules");
        boards.push(session.everything(names, PAGE));
    };
    let picked = evenly(boards.len());
    let frame = |actions: usize| Frame { actions, board: boards[actions].clone() };
    Ok((picked.into_iter().map(frame).collect(), payoff))
}

/// Returns the indices of the boards to show among `num_boards`: the first, the last, and evenly spaced ones between
/// them.
fn evenly(num_boards: usize) -> Vec<usize> {
    let last = num_boards - 1;
    let num_frames = NUM_FRAMES.min(num_boards);
    let steps = (num_frames - 1).max(1);
    (0..num_frames).map(|frame| (frame * last + steps / 2) / steps).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_spread_over_the_game() {
        assert_eq!(evenly(1), [0]);
        assert_eq!(evenly(3), [0, 1, 2]);
        assert_eq!(evenly(8), [0, 1, 2, 3, 4, 5, 6, 7]);
        // Sevenths of 100: 14.3, 28.6, 42.9, 57.1, 71.4, 85.7.
        assert_eq!(evenly(101), [0, 14, 29, 43, 57, 71, 86, 100]);
    }
}
