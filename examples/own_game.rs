//! A program that plays your own game move by move. The rules are in one file, `kuhn_poker/mod.rs`.
//!
//! ```sh
//! cargo run --example own_game
//! ```

mod kuhn_poker;

use kuhn_poker::{Action, KuhnPoker, Situation};
use ruse::games::{Game, Seat, Turn};
use ruse::rand::RngExt;
use ruse::rng::StreamKey;

fn main() {
    let game = KuhnPoker::default();
    let mut rng = StreamKey::root(1).stream();
    let mut state = game.deal(&mut rng);
    while let Turn::Act(seat) = game.turn(&state) {
        let seen = game.view(&state, seat);
        // The player bets or calls with the King, never with the Jack, and half of the time with the Queen.
        let probability = [0.0, 0.5, 1.0][usize::from(seen.card)];
        let action = if rng.random_bool(probability) { Action::Bet } else { Action::Pass };
        if seen.situation == Situation::Opening {
            let before = if seat == Seat::First { seen.lead } else { -seen.lead };
            println!("{} hands left, {seat:?} opens; chips of First: {before:+}", seen.hands_left);
        }
        println!("  {seat:?} has card {}: {action:?}", ["J", "Q", "K"][usize::from(seen.card)]);
        game.apply(&mut state, seat, &action, &mut rng);
    }
    println!("{:?} for First", game.turn(&state));
}
