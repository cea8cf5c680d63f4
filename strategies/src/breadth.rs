//! The breadth of a decision, that is, the number of its options.

use ruse_games::{Factored, Legal, NumActions, Seat};

/// The number of options of a seat at a decision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Breadth {
    /// The time of the game, in the unit of its rules; `None` for a game without a clock.
    pub clock: Option<u32>,
    /// The number of parts of the decision that are chosen separately, such as idle units; 1 if an action is a single
    /// choice.
    pub num_slots: usize,
    /// The number of legal actions.
    pub num_actions: NumActions,
}

/// Returns the breadth of a decision in a game that lists its legal actions. The clock is not set.
pub fn breadth_listed<G: Legal>(game: &G, state: &G::State, seat: Seat) -> Breadth {
    let mut actions = Vec::new();
    game.legal(&game.view(state, seat), &mut actions);
    Breadth { clock: None, num_slots: 1, num_actions: NumActions::Exactly(actions.len() as u128) }
}

/// Returns the breadth of a decision in a game whose actions have several slots. The clock is not set.
pub fn breadth_by_slots<G: Factored>(game: &G, state: &G::State, seat: Seat) -> Breadth {
    let mut slots = ruse_games::Slots::default();
    game.slots(state, seat, &mut slots);
    let num_actions = game.num_actions(state, seat);
    Breadth { clock: None, num_slots: slots.len(), num_actions }
}
