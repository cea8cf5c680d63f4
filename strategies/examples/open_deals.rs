//! Measures in how many deals a responder that knows the deal and all later draws can beat `random`, as first and as
//! second player: a lower bound on the score of such a responder, and so on any bound from open cards without penalties.
//!
//! A response is found by chance: random plays of the responder, up to a limit, while the deal and the draws of the opponent
//! stay the same.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::{Game, Payoff, Seat};
use ruse_strategies::battleship::BattleshipFamily;
use ruse_strategies::flip::FlipFamily;
use ruse_strategies::phantom_four::PhantomFourFamily;
use ruse_strategies::war::WarFamily;
use ruse_strategies::{Family, Memories, Never, PlayerRef, Streams};

const NUM_DEALS: u64 = 1_000;
const MAX_PLAYS: u64 = 1_000;

fn stream(of: u64, number: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(of << 32 | number)
}

fn measure<F: Family>(family: &F) {
    let random = family.random_player().expect("a family with random play");
    let random = PlayerRef::<F>::Reference(&random);
    let [mut first, mut second] = [Memories::<F>::default(), Memories::<F>::default()];
    let mut action = Default::default();
    let mut wins = |seat: Seat, deal: u64| {
        (0..MAX_PLAYS).any(|play| {
            let mut chance = stream(1, deal);
            let state = family.game().deal(&mut chance);
            let mut seats = ruse_games::BySeat { first: stream(2, deal), second: stream(2, deal) };
            seats[seat] = stream(3 + deal, play);
            let mut streams = Streams { chance, seats };
            let payoff = family.play_game(
                state,
                (random, &mut first),
                (random, &mut second),
                &mut action,
                &mut streams,
                Never,
            );
            let won = if seat == Seat::First { Payoff::WIN } else { Payoff::LOSS };
            payoff == won
        })
    };
    let [first, second] =
        Seat::BOTH.map(|seat| (0..NUM_DEALS).filter(|&deal| wins(seat, deal)).count());
    println!(
        "{}: {first} as first and {second} as second of {NUM_DEALS} deals",
        family.info().name
    );
}

fn main() {
    measure(&WarFamily::war());
    measure(&WarFamily::batawaf());
    measure(&FlipFamily::flip());
    measure(&PhantomFourFamily::default());
    measure(&BattleshipFamily::default());
}
