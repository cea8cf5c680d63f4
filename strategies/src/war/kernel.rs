//! A fast way to play War and Batawaf: it makes most decisions for 64 turns at once, and skips the cycles that two
//! deterministic players would repeat forever.
//!
//! The payoff, the length and the random numbers used are the same as for [`play_by_turns`](crate::play_by_turns).

use rand::Rng;
use ruse_games::war::{Answers, Pile, War, WarState};
use ruse_games::{BySeat, Game, Payoff, Seat, Turn};
use ruse_search::Strategy;

use crate::{Halt, Streams, WithMemory};

/// A strategy that can decide in advance.
pub(super) trait Foresight: Strategy<War> {
    /// Returns `false` if [`steady_actions`](Foresight::steady_actions) is always zero.
    fn can_be_steady(&self) -> bool;

    /// Returns the number of coming actions that depend only on the view, not on randomness or memory. `u64::MAX` means
    /// all.
    fn steady_actions(&self, memory: &Self::Memory) -> u64;

    /// Returns the answers of this seat for the 64 turns of stretch number `stretch`, or `None` if the seat must be
    /// asked at every turn. Asking in advance does not change the game: [`act`](Strategy::act) gives the same answers.
    fn answers<R: Rng>(
        &self,
        memory: &mut Self::Memory,
        stretch: u64,
        rng: &mut R,
    ) -> Option<Answers>;

    /// Records that `num_actions` actions were taken without a call of [`act`](Strategy::act).
    fn skip_actions(&self, memory: &mut Self::Memory, num_actions: u64);
}

/// Plays one game from `state`, like [`play_by_turns`](crate::play_by_turns).
///
/// If both strategies answer in advance, a whole stretch is played without asking them again. If both strategies are
/// steady and a position repeats, the game is cyclic, and the repetitions are skipped.
pub(super) fn play_game<S: Foresight, T: Foresight, R: Rng, H: Halt>(
    game: &War,
    mut state: WarState,
    (first, first_memory): WithMemory<'_, War, S>,
    (second, second_memory): WithMemory<'_, War, T>,
    action: &mut Pile,
    streams: &mut Streams<R>,
    halt: H,
) -> Payoff {
    first.begin(first_memory, Seat::First);
    second.begin(second_memory, Seat::Second);
    let may_loop = first.can_be_steady() && second.can_be_steady();
    let mut circles = CircleDetector::new();
    let mut turn = game.turn(&state);
    loop {
        // This loop runs while no position is kept for comparison.
        while !may_loop || circles.kept.is_none() {
            let stretch = game.stretch(&state);
            let answers = BySeat {
                first: first.answers(first_memory, stretch, &mut streams.seats.first),
                second: second.answers(second_memory, stretch, &mut streams.seats.second),
            };
            let BySeat { first: Some(of_first), second: Some(of_second) } = answers else { break };
            let answers = BySeat { first: of_first, second: of_second };
            let actions = game.play_stretch(&mut state, answers, action, |seat, seen, action| {
                let seats = &mut streams.seats;
                match seat {
                    Seat::First => first.act(first_memory, seen, &mut seats.first, action),
                    Seat::Second => second.act(second_memory, seen, &mut seats.second, action),
                }
            });
            first.skip_actions(first_memory, actions.first);
            second.skip_actions(second_memory, actions.second);
            if may_loop {
                circles.advance_by(&state, actions);
            }
            if let Turn::Over(payoff) = game.turn(&state) {
                return payoff;
            }
            if halt.is_asked() {
                return Payoff::DRAW;
            }
            turn = game.turn(&state);
        }
        // Both arms do the same, but in each the compiler knows whose turn it is.
        let seat = match turn {
            Turn::Over(payoff) => return payoff,
            Turn::Act(Seat::First) => {
                if T::WATCHES && game.is_watched() {
                    let seen = game.view(&state, Seat::Second);
                    second.watch(second_memory, seen, &mut streams.seats.second);
                }
                let seen = game.view(&state, Seat::First);
                first.act(first_memory, seen, &mut streams.seats.first, action);
                game.apply(&mut state, Seat::First, action, &mut streams.chance);
                turn = game.turn(&state);
                Seat::First
            }
            Turn::Act(Seat::Second) => {
                if S::WATCHES && game.is_watched() {
                    let seen = game.view(&state, Seat::First);
                    first.watch(first_memory, seen, &mut streams.seats.first);
                }
                let seen = game.view(&state, Seat::Second);
                second.act(second_memory, seen, &mut streams.seats.second, action);
                game.apply(&mut state, Seat::Second, action, &mut streams.chance);
                turn = game.turn(&state);
                Seat::Second
            }
        };
        if may_loop {
            let steady = BySeat {
                first: first.steady_actions(first_memory),
                second: second.steady_actions(second_memory),
            };
            if steady.first == 0 || steady.second == 0 {
                circles.forget();
            } else if let Some(skipped) = circles.advance(game, &mut state, seat, steady) {
                first.skip_actions(first_memory, skipped.first);
                second.skip_actions(second_memory, skipped.second);
            }
        }
        if halt.is_asked() {
            return Payoff::DRAW;
        }
    }
}

/// Detects repeated positions (Brent, *An improved Monte Carlo factorization algorithm*, BIT 20, 1980): positions are
/// kept at doubling distances, and every later position is compared with the kept position.
struct CircleDetector {
    kept: Option<WarState>,
    /// The number of actions since the last position was kept, or else since the strategies became steady.
    actions: BySeat<u64>,
    /// The number of actions after which a new position is kept.
    limit: u64,
}

impl CircleDetector {
    /// The first limit: most games end before they could have repeated a position.
    const FIRST_LIMIT: u64 = 128;

    fn new() -> Self {
        CircleDetector { kept: None, actions: BySeat::default(), limit: Self::FIRST_LIMIT }
    }

    #[inline(always)]
    fn forget(&mut self) {
        // Usually, there is nothing to forget.
        if self.actions != BySeat::default() || self.kept.is_some() {
            *self = Self::new();
        }
    }

    /// Records one action, and skips repetitions, if any. Returns the number of skipped actions of each seat.
    #[inline]
    fn advance(
        &mut self,
        game: &War,
        state: &mut WarState,
        seat: Seat,
        steady: BySeat<u64>,
    ) -> Option<BySeat<u64>> {
        self.actions[seat] += 1;
        if let Some(kept) = &self.kept {
            let period = self.actions;
            // A seat that does not act within a period imposes no limit.
            let repeats = |seat| steady[seat].checked_div(period[seat]).unwrap_or(u64::MAX);
            let max_repeats = repeats(Seat::First).min(repeats(Seat::Second));
            let done = game.fast_forward(kept, state, max_repeats);
            if done > 0 {
                self.forget();
                return Some(BySeat::from_fn(|seat| done * period[seat]));
            }
        }
        self.keep_if_due(state);
        None
    }

    /// Records the actions of a whole stretch before the first position is kept.
    fn advance_by(&mut self, state: &WarState, actions: BySeat<u64>) {
        self.actions.first += actions.first;
        self.actions.second += actions.second;
        self.keep_if_due(state);
    }

    #[inline]
    fn keep_if_due(&mut self, state: &WarState) {
        if self.actions.first + self.actions.second >= self.limit {
            self.kept = Some(state.clone());
            self.actions = BySeat::default();
            self.limit *= 2;
        }
    }
}

#[cfg(test)]
mod tests;
