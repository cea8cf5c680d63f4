//! Shared helpers for tests of searches.

use std::collections::BTreeMap;

use ruse_games::{Game, Legal, SampleAction, Seat, Turn};
use ruse_search::Strategy;

use crate::Family;
use crate::testing::rng;

/// Returns the mean loss of a player against random actions, over its decisions with at least two choices. The loss of
/// a decision is the value of the best action minus the value of the player's action, under perfect play, in [0, 1].
/// The player has each seat in half of the `games` games.
pub(super) fn mean_loss<F: Family<Game: Legal + SampleAction>, S: Strategy<F::Game>>(
    family: &F,
    player: &S,
    games: u64,
) -> f64 {
    let game = family.game();
    let mut memory = S::Memory::default();
    let (mut loss, mut decisions) = (0.0, 0.0);
    for index in 0..games {
        let mut rng = rng(index);
        let seat = if index % 2 == 0 { Seat::First } else { Seat::Second };
        let mut state = game.deal(&mut rng);
        player.begin(&mut memory, seat);
        let (mut action, mut legal) = (<F::Game as Game>::Action::default(), Vec::new());
        while let Turn::Act(mover) = game.turn(&state) {
            if mover == seat {
                let view = game.view(&state, mover);
                legal.clear();
                game.legal(&view, &mut legal);
                let values = family.perfect_values(&view, &legal).expect("the game is solved");
                player.act(&mut memory, view, &mut rng, &mut action);
                let chosen = legal.iter().position(|legal| *legal == action).expect("it is legal");
                let best = values.iter().copied().fold(0.0, f64::max);
                if legal.len() > 1 {
                    loss += best - values[chosen];
                    decisions += 1.0;
                }
            } else {
                game.sample_action(&game.view(&state, mover), &mut rng, &mut action);
            }
            game.apply(&mut state, mover, &action, &mut rng);
        }
    }
    loss / decisions
}

pub(super) fn with_rules<F: Family>(family: &F, rules: &[(&str, u64)]) -> F {
    let rules: BTreeMap<String, u64> =
        rules.iter().map(|&(name, value)| (name.to_string(), value)).collect();
    family.capabilities().with_rules(&rules).expect("the rules make sense")
}
