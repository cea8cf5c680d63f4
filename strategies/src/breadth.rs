//! How much there is to choose from.

use ruse_games::{Factored, Legal, NumActions, Seat};

/// How much a seat has to choose from at a decision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Breadth {
    /// The time of the game, in the unit of its rules; none for a game without a clock.
    pub clock: Option<u32>,
    /// The parts of a decision that are chosen each: units that wait for orders. 1 where an action is one choice.
    pub num_slots: usize,
    /// The legal actions.
    pub num_actions: NumActions,
}

/// What a family answers to [`Family::breadth`](crate::Family::breadth) whose game lists its legal actions.
pub fn breadth_listed<G: Legal>(game: &G, state: &G::State, seat: Seat) -> Breadth {
    let mut actions = Vec::new();
    game.legal(&game.view(state, seat), &mut actions);
    Breadth { clock: None, num_slots: 1, num_actions: NumActions::Exactly(actions.len() as u128) }
}

/// What a family answers to [`Family::breadth`](crate::Family::breadth) whose game has actions of several slots. The game
/// may have a clock besides.
pub fn breadth_by_slots<G: Factored>(game: &G, state: &G::State, seat: Seat) -> Breadth {
    let mut slots = ruse_games::Slots::default();
    game.slots(state, seat, &mut slots);
    let num_actions = game.num_actions(state, seat);
    Breadth { clock: None, num_slots: slots.len(), num_actions }
}
