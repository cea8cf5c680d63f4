//! A quick way to play War and Batawaf: most decisions are answered for 64 turns at once, and the endless repetitions of two
//! players without randomness are skipped.
//!
//! Payoff, length and random numbers used are those of [`play_by_turns`](crate::play_by_turns).

use rand::Rng;
use ruse_games::war::{Answers, Pile, War, WarState};
use ruse_games::{BySeat, Game, Payoff, Seat, Turn};

use crate::{Family, Halt, Memories, Sitting, Strategy, Streams, WithMemory};

/// A strategy that knows in advance how it decides.
pub(super) trait Foresight: Strategy<War> {
    /// Whether [`steady_actions`](Foresight::steady_actions) is ever other than zero.
    fn can_be_steady(&self) -> bool;

    /// The number of coming actions that will be functions of the view alone: no randomness, and no memory of what happened.
    /// `u64::MAX` stands for all of them.
    fn steady_actions(&self, memory: &Self::Memory) -> u64;

    /// What this seat answers in stretch number `stretch`, or `None` if it wants to be asked every time. Whether it is asked for
    /// answers or not, the game is the same: [`act`](Strategy::act) does what the answers say.
    fn answers<R: Rng>(
        &self,
        memory: &mut Self::Memory,
        stretch: u64,
        rng: &mut R,
    ) -> Option<Answers>;

    /// Learns that `num_actions` actions were taken without asking.
    fn skip_actions(&self, memory: &mut Self::Memory, num_actions: u64);
}

/// A player of any type, which is asked every time.
impl<F: Family<Game = War>> Foresight for Sitting<'_, F> {
    fn can_be_steady(&self) -> bool {
        false
    }

    fn steady_actions(&self, _memory: &Memories<F>) -> u64 {
        0
    }

    fn answers<R: Rng>(
        &self,
        _memory: &mut Memories<F>,
        _stretch: u64,
        _rng: &mut R,
    ) -> Option<Answers> {
        None
    }

    fn skip_actions(&self, _memory: &mut Memories<F>, _num_actions: u64) {}
}

/// Plays one game from `state`, as [`play_by_turns`](crate::play_by_turns).
///
/// Where both strategies give their answers in advance, the game plays a stretch without asking. A game that goes round in
/// circles, because both strategies are steady and a position came back, is not played out: its repetitions are skipped.
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
        // As long as no position is to be compared with those that follow.
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
        // The two arms do the same: in each of them the compiler knows whose turn it is.
        let seat = match turn {
            Turn::Over(payoff) => return payoff,
            Turn::Act(Seat::First) => {
                let seen = game.view(&state, Seat::First);
                first.act(first_memory, seen, &mut streams.seats.first, action);
                game.apply(&mut state, Seat::First, action, &mut streams.chance);
                turn = game.turn(&state);
                Seat::First
            }
            Turn::Act(Seat::Second) => {
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

/// Notices that a position came back (Brent, *An improved Monte Carlo factorization algorithm*, BIT 20,
/// 1980): the position is kept at distances that double, and compared with every later one.
struct CircleDetector {
    kept: Option<WarState>,
    /// Actions since the position was kept, or since the strategies became steady.
    actions: BySeat<u64>,
    /// Actions after which a new position is kept.
    limit: u64,
}

impl CircleDetector {
    /// Most games are over before they can have gone round once.
    const FIRST_LIMIT: u64 = 128;

    fn new() -> Self {
        CircleDetector { kept: None, actions: BySeat::default(), limit: Self::FIRST_LIMIT }
    }

    #[inline(always)]
    fn forget(&mut self) {
        // Nothing to forget is by far the most frequent case.
        if self.actions != BySeat::default() || self.kept.is_some() {
            *self = Self::new();
        }
    }

    /// Takes note of one action, and skips repetitions if there are any: returns how many actions of
    /// each seat were skipped.
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
            // A seat that does not act within a period can go on for ever.
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

    /// Takes note of several actions while no position is kept.
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
