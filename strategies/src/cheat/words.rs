//! Describes the play of a value player in words.

use std::fmt::Write;

use ruse_games::cheat::{Cheat, CheatAction, CheatView, Counts, NUM_COLOURS, num_cards};

use super::{DANGER, ValuePlayer, longest};

/// Counts how often a strategy takes each kind of action in a set of situations.
#[derive(Debug, Clone, Copy, Default)]
struct Habits {
    truths: u32,
    lies: u32,
    claims: u32,
}

impl Habits {
    fn add(&mut self, view: &CheatView, action: CheatAction) {
        match action {
            CheatAction::Claim => self.claims += 1,
            CheatAction::Put(colour) if view.current == Some(colour) => self.truths += 1,
            CheatAction::Put(_) => self.lies += 1,
        }
    }

    /// Describes the habits, the most frequent first.
    fn in_words(self) -> String {
        let total = self.truths + self.lies + self.claims;
        let mut habits =
            [(self.truths, "tells the truth"), (self.lies, "lies"), (self.claims, "claims")];
        habits.sort_by_key(|&(count, _)| std::cmp::Reverse(count));
        let mut words = String::new();
        for (count, habit) in habits.into_iter().filter(|&(count, _)| count > 0) {
            let _ = match (words.is_empty(), count == total) {
                (_, true) => write!(words, "always {habit}"),
                (true, false) => write!(words, "{habit} ({count} of {total})"),
                (false, false) => write!(words, ", {habit} ({count})"),
            };
        }
        words
    }
}

/// Returns a hand with `first` cards of colour 0 and `num` cards spread evenly over the others, if there are enough
/// cards.
pub(super) fn spread(per_colour: u8, first: u8, num: u8) -> Option<Counts> {
    let mut counts = [first, num / 3, num / 3, num / 3];
    for count in counts.iter_mut().skip(1).take(usize::from(num % 3)) {
        *count += 1;
    }
    counts.iter().all(|&count| count <= per_colour).then_some(counts)
}

/// Returns the view of a player who has told the truth so far, and must follow after `table` cards have been put in the
/// round. Colour 0 is the current colour. Returns `None` if there are not enough cards.
pub(super) fn following(per_colour: u8, own: Counts, table: u8) -> Option<CheatView> {
    let num_own_put = table / 2;
    let opponent_put = table - num_own_put;
    let own_at_start = [own[0] + num_own_put, own[1], own[2], own[3]];
    let opponent_cards = (4 * per_colour).checked_sub(num_cards(own) + table)?;
    let possible = opponent_cards > 0 && own_at_start[0] <= per_colour;
    possible.then(|| CheatView {
        own,
        own_put: [num_own_put, 0, 0, 0],
        opponent_cards,
        opponent_put,
        opponent_at_start: own_at_start.map(|count| per_colour - count),
        current: Some(0),
    })
}

pub(super) fn leading(per_colour: u8, own: Counts) -> CheatView {
    let opponent_at_start = own.map(|count| per_colour - count);
    CheatView {
        own,
        own_put: Counts::default(),
        opponent_cards: num_cards(opponent_at_start),
        opponent_put: 0,
        opponent_at_start,
        current: None,
    }
}

/// Describes how a strategy plays, by its noiseless actions in typical situations.
pub(super) fn words<const HASHED: bool>(game: &Cheat, strategy: &ValuePlayer<HASHED>) -> String {
    let n = game.cards_per_colour();

    // Tries hands with four different counts, in each of the four rotations of the colours.
    let mut leads = [0u32; NUM_COLOURS];
    let mut num_leads = 0;
    for quarter in [n.div_ceil(4), n / 2, n * 3 / 4] {
        let hand = [quarter.saturating_sub(2), quarter.saturating_sub(1), quarter, quarter + 1];
        for rotation in 0..NUM_COLOURS {
            let mut own = hand;
            own.rotate_left(rotation);
            if let CheatAction::Put(colour) = strategy.noiseless(&leading(n, own)) {
                leads[(usize::from(colour) + rotation) % NUM_COLOURS] += 1;
                num_leads += 1;
            }
        }
    }
    let favourite = longest(leads.map(|count| count as u8));
    let place = ["fewest", "second fewest", "second most", "most"][usize::from(favourite)];
    let count = leads[usize::from(favourite)];
    let mut words = format!(
        "leads the colour it has the {place} of (in {count} of {num_leads} typical situations, noise apart)"
    );

    let mut after_lead = Habits::default();
    let mut holding = Habits::default();
    let mut lacking = Habits::default();
    let mut certain = Habits::default();
    for own in [n / 3, n * 3 / 4, n * 3 / 2, 2 * n, n * 5 / 2] {
        let own = own.max(2);
        for of_colour in [0, own.div_ceil(4), own.div_ceil(2)] {
            let Some(hand) = spread(n, of_colour, own - of_colour) else { continue };
            for table in [1, 2, 3, 6, 12] {
                let Some(view) = following(n, hand, table) else { continue };
                let habits = if table == 1 {
                    &mut after_lead
                } else if of_colour == 0 {
                    &mut lacking
                } else if view.opponent_at_start[0] < view.opponent_put {
                    &mut certain
                } else {
                    &mut holding
                };
                habits.add(&view, strategy.noiseless(&view));
            }
        }
    }
    for (situation, habits) in [
        ("right after a lead it", after_lead),
        ("later, holding the current colour, it", holding),
        ("without the colour it", lacking),
        ("holding it when the opponent has certainly lied, it", certain),
    ] {
        if habits.truths + habits.lies + habits.claims > 0 {
            let _ = write!(words, "; {situation} {}", habits.in_words());
        }
    }

    // The opponent is down to three cards, after putting one or two of the current colour.
    let mut danger = Habits::default();
    for table in 2..=5 {
        let Some(others) = (4 * n).checked_sub(DANGER + table) else { continue };
        let of_colour = (n - table / 2).min(others);
        let Some(hand) = spread(n, of_colour, others - of_colour) else { continue };
        if let Some(view) = following(n, hand, table) {
            danger.add(&view, strategy.noiseless(&view));
        }
    }
    if danger.truths + danger.lies + danger.claims > 0 {
        let _ =
            write!(words, "; when the opponent is down to {DANGER} cards it {}", danger.in_words());
    }
    let view = leading(n, [n - 2, n - 1, n, n]);
    if let CheatAction::Put(colour) = strategy.noiseless(&view) {
        let lacks = view.opponent_at_start[usize::from(colour)] == 0;
        let _ =
            write!(words, ", and leads a colour that they {}", if lacks { "lack" } else { "have" });
    }

    let mut last_puts = 0;
    let mut num_last = 0;
    for own in [[1, 0, 0, 0], [0, 1, 0, 0]] {
        for table in [1, 4, 10] {
            if let Some(view) = following(n, own, table) {
                num_last += 1;
                let puts = strategy.noiseless(&view) != CheatAction::Claim;
                last_puts += u32::from(puts);
            }
        }
    }
    let _ =
        write!(words, "; puts its last card, and so wins, in {last_puts} of {num_last} situations");
    words
}
