//! Whole games of random players, replayed with the random numbers that they drew.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::{Factored, Game, Seat, Slots, Turn};
use ruse_rts::{Orders, Rts, RtsState, UnitAction};
use serde_json::Value;

use super::vectors::{assert_dump, assert_result, game_of, list, map_named, number, text, vectors};

/// The generator of the recorded players: xorshift with a multiplication.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(2_685_821_657_736_338_717) >> 33
    }
}

/// Returns the orders of a random player of the recorded games. Each unit in turn draws one of its allowed actions. If
/// `is_biased`, attacking, harvesting and returning have the weight 5, all other actions 1.
fn orders_of(
    game: &Rts,
    state: &RtsState,
    seat: Seat,
    is_biased: bool,
    numbers: &mut Numbers,
) -> Orders {
    let (mut slots, mut usage) = (Slots::default(), Default::default());
    game.slots(state, seat, &mut slots);
    game.begin(state, seat, &mut usage);
    let mut chosen = Vec::new();
    for slot in 0..slots.len() {
        let weight = |index: usize| match game.unit_action(slots.values(slot)[index]) {
            UnitAction::Attack(_) | UnitAction::Harvest(_) | UnitAction::Return(_) if is_biased => {
                5
            }
            _ => 1,
        };
        let is_allowed = |index: &usize| game.admits(&usage, slot, slots.values(slot)[*index]);
        let allowed: Vec<usize> = (0..slots.values(slot).len()).filter(is_allowed).collect();
        let total: u64 = allowed.iter().map(|&index| weight(index)).sum();
        let mut drawn = numbers.next() % total;
        let found = allowed.into_iter().find(|&index| {
            let below = drawn < weight(index);
            drawn = drawn.saturating_sub(weight(index));
            below
        });
        let index = found.expect("less than the sum of all weights");
        game.fix(&mut usage, slot, slots.values(slot)[index]);
        chosen.push(index as u16);
    }
    let mut orders = Orders::default();
    game.assemble(state, seat, &slots, &chosen, &mut orders);
    orders
}

/// Replays a recorded game cycle by cycle or, if `by_turns`, turn by turn like the arena.
fn replay(vectors: &Value, entry: &Value, by_turns: bool) {
    let map = text(&entry["map"]);
    let place = format!("{map}, seed {}", entry["seed"]);
    let game = game_of(map_named(vectors, map), entry);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut numbers = Numbers(number(&entry["seed"]));
    let is_biased = match text(&entry["policy"]) {
        "uniform" => false,
        "biased" => true,
        other => panic!("{place}: there is no policy {other}"),
    };
    let mut state = game.deal(&mut rng);
    let limit = number(&entry["limit"]);
    let mut dumps = list(&entry["dumps"]).iter().peekable();
    let mut actions = list(&entry["actions"]).iter();
    let mut turn = game.turn(&state);
    loop {
        let now = u64::from(state.time());
        // A replay turn by turn skips some dumps, and does not stop at the limit.
        while by_turns && dumps.next_if(|dump| number(&dump["t"]) < now).is_some() {}
        if let Some(dump) = dumps.next_if(|dump| number(&dump["t"]) == now) {
            assert_dump(&place, &game, &state, dump);
        }
        if now >= limit || matches!(turn, Turn::Over(_)) {
            break;
        }
        let orders = Seat::BOTH.map(|seat| orders_of(&game, &state, seat, is_biased, &mut numbers));
        for (seat, orders) in Seat::BOTH.into_iter().zip(&orders) {
            if orders.orders.is_empty() {
                continue;
            }
            let expected = actions.next().unwrap_or_else(|| panic!("{place}: no orders at {now}"));
            assert_eq!((number(&expected[0]), number(&expected[1])), (now, seat as u64), "{place}");
            assert_eq!(orders.to_string(), text(&expected[2]), "{place} at {now}");
            if by_turns {
                assert_eq!(game.turn(&state), Turn::Act(seat), "{place} at {now}");
                game.apply(&mut state, seat, orders, &mut rng);
            } else {
                game.issue(&mut state, seat, orders, &mut rng);
            }
        }
        turn = if by_turns { game.turn(&state) } else { game.play_cycle(&mut state, &mut rng) };
    }
    if by_turns && u64::from(state.time()) > limit {
        return;
    }
    assert!(actions.next().is_none() && dumps.next().is_none(), "{place}: the game ends too early");
    assert_result(&place, &state, turn, &entry["result"]);
}

#[test]
fn games_of_random_players_are_played_again() {
    let vectors = vectors();
    for entry in list(&vectors["replays"]) {
        replay(&vectors, entry, false);
        replay(&vectors, entry, true);
    }
}
