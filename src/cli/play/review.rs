//! The decisions of a game that cost most, from what the player knew when they were made.

use std::time::{Duration, Instant};

use ruse_base::stop::StopSignal;
use ruse_games::Seat;
use ruse_play::session::{Judged, Limit, Scale, Session, Source};

use super::super::failure::{Result, print};
use super::super::format::counted;
use super::super::worth::of_what;
use super::page::{self, wrapped};
use super::paint;
use crate::cli::progress::Heartbeat;

/// The number of playouts of each choice, where decisions follow each other without a person.
pub(super) const PLAYOUTS: u64 = 100;
/// The number of decisions shown.
const NUM_SHOWN: usize = 3;
/// The least loss that counts.
const MIN_LOST: f64 = 0.005;
/// The time after which no more decisions are judged.
const TIME: Duration = Duration::from_secs(30);

/// Shows the costliest decisions of `seat` in the game that was played in `session`. After a stop request, shows nothing.
pub(super) fn show(session: &dyn Session, seat: Seat, stop: &StopSignal) -> Result {
    let num_decisions = session.actions().iter().filter(|(actor, _)| *actor == seat).count();
    let began = Instant::now();
    let mut judged: Vec<(usize, Judged)> = Vec::new();
    let mut num_seen = 0;
    {
        let _while_thinking = Heartbeat::new("thinking");
        while num_seen < num_decisions && began.elapsed() < TIME {
            let found = session.judged(seat, num_seen, Limit::Times(PLAYOUTS));
            judged.extend(found.map(|found| (num_seen, found)));
            num_seen += 1;
        }
    }
    if stop.check().is_err() {
        return Ok(());
    }
    let page = page::current();
    let Some((_, first)) = judged.first() else {
        return print("No decision can be judged.\n");
    };
    let rests_on = match &first.scale {
        Scale::Score(Source::PerfectPlay) => "perfect play of both sides".into(),
        Scale::Score(_) => format!("{PLAYOUTS} playouts of each choice"),
        Scale::Aim(_) => "the maps that `hint` shows".to_string(),
    };
    let of_all = match counted(num_decisions as u64, "decision") {
        all if num_seen < num_decisions => format!("the first {num_seen} of {all}"),
        all => all,
    };
    let num_judged = judged.len();
    judged.retain(|(_, judged)| judged.is_clear && judged.lost() >= MIN_LOST);
    judged.sort_by(|(_, a), (_, b)| b.lost().total_cmp(&a.lost()));
    let summary = match judged.len() {
        0 => "no choice was clearly better".into(),
        number => format!("{number} clearly cost something"),
    };
    let text = format!("{num_judged} of {of_all} can be judged, and {summary}, by {rests_on}.");
    print(&wrapped(&text, page))?;
    for (decision, judged) in judged.iter().take(NUM_SHOWN) {
        let view = session.view_at(seat, *decision, page).unwrap_or_default();
        let Judged { typed, value, best, best_value, .. } = judged;
        let [lost, value, best_value] =
            [judged.lost(), *value, *best_value].map(|value| format!("{:.1}%", 100.0 * value));
        let what = of_what(judged);
        let number = decision + 1;
        let words = format!(
            "Decision {number}: {typed} had {what} {value}, {best} one of {best_value}; it cost {lost}."
        );
        paint::print(&format!("\n{}\n{}", wrapped(&words, page), view), session)?;
    }
    Ok(())
}
