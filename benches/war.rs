//! Measures full games of War and Batawaf per second, on one thread. One player puts the best card first, and the other
//! uses a random order.
//!
//! `arena` is the code that a race runs: pairs through the traits. `yardstick` is a plain loop, written by hand for
//! this match only: two rings of cards, no traits, no observations, and a check for the winner in every turn. The arena
//! is faster because players give their answers for the next 64 turns in advance.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand::Rng;
use rand::seq::SliceRandom;
use ruse::arena::{PairResult, Source, StopSignal};
use ruse::family::Player;
use ruse::registry::Registry;
use ruse::rng::{Label, Stream, StreamKey};
use ruse::score::Tally;

const NUM_PAIRS: usize = 500;
const RING: usize = 64;

struct Ring {
    cards: [u8; RING],
    top: usize,
    len: usize,
}

impl Ring {
    fn draw(&mut self) -> u8 {
        let card = self.cards[self.top];
        self.top = (self.top + 1) % RING;
        self.len -= 1;
        card
    }

    fn put_under(&mut self, card: u8) {
        self.cards[(self.top + self.len) % RING] = card;
        self.len += 1;
    }
}

/// Plays a game between two players. The first player has the first deck and puts the best card first, and the second
/// player shuffles. Returns the half points of the first player.
fn yardstick_game(deck: &mut [u8], chance: &mut Stream, order: &mut Stream) -> u64 {
    deck.shuffle(chance);
    let mut rings = [(); 2].map(|()| Ring { cards: [0; RING], top: 0, len: 0 });
    let half = deck.len() / 2;
    for (ring, cards) in rings.iter_mut().zip(deck.chunks(half)) {
        ring.cards[..half].copy_from_slice(cards);
        ring.len = half;
    }
    let [a, b] = &mut rings;
    let mut pile = [0u8; RING];
    for _ in 0..1_000_000 {
        if a.len == 0 {
            return 0;
        }
        if b.len == 0 {
            return 2;
        }
        let mut pile_len = 0;
        let a_wins = loop {
            let (x, y) = (a.draw(), b.draw());
            pile[pile_len] = x;
            pile[pile_len + 1] = y;
            pile_len += 2;
            if x != y {
                break x > y;
            }
            if a.len < 2 || b.len < 2 {
                return match (a.len >= 2, b.len >= 2) {
                    (true, _) => 2,
                    (_, true) => 0,
                    _ => 1 + (a.len > b.len) as u64 - (a.len < b.len) as u64,
                };
            }
            pile[pile_len] = a.draw();
            pile[pile_len + 1] = b.draw();
            pile_len += 2;
        };
        let pile = &mut pile[..pile_len];
        if a_wins {
            if pile_len == 2 {
                a.put_under(pile[0].max(pile[1]));
                a.put_under(pile[0].min(pile[1]));
            } else {
                pile.sort_unstable_by(|x, y| y.cmp(x));
                pile.iter().for_each(|&card| a.put_under(card));
            }
        } else {
            if pile_len == 2 {
                if order.next_u64() >> 63 == 1 {
                    pile.swap(0, 1);
                }
            } else {
                pile.shuffle(order);
            }
            pile.iter().for_each(|&card| b.put_under(card));
        }
    }
    1
}

fn yardstick(ranks: u8, suits: usize) -> u64 {
    let fresh: Vec<u8> = (0..ranks).flat_map(|rank| vec![rank; suits]).collect();
    let mut deck = fresh.clone();
    let key = StreamKey::root(1);
    let mut half_points = 0;
    for game in 0..2 * NUM_PAIRS as u64 {
        let key = key.child(Label::Pair, game);
        let mut chance = key.child(Label::Chance, 0).stream();
        let mut order = key.child(Label::Seat, 1).stream();
        deck.copy_from_slice(&fresh);
        half_points += yardstick_game(&mut deck, &mut chance, &mut order);
    }
    half_points
}

fn games_per_second(c: &mut Criterion) {
    let registry = Registry::standard();
    let mut group = c.benchmark_group("descending against random");
    group.throughput(Throughput::Elements(2 * NUM_PAIRS as u64)).sample_size(50);
    for (name, ranks, suits) in [("war", 13, 4), ("batawaf", 6, 6)] {
        let family = registry.family(name).expect("a standard family");
        let [a, b] = ["descending", "random"].map(|name| Player::Named(name.into()));
        let duel = family.duel(&a, &b).expect("two reference strategies");
        let mut results = vec![PairResult::default(); NUM_PAIRS];
        let mut play = || {
            duel.play(StreamKey::root(1), 0, &mut results, &StopSignal::default())
                .expect("not stopped");
            let mut tally = Tally::default();
            results.iter().for_each(|&result| tally.add(result));
            tally.wins()
        };
        // Checks that the intended game is timed: the player wins .69 of 1000 games, to within 5 standard errors.
        let wins = play();
        assert!((615..765).contains(&wins), "{name}: {wins} of 1000 games won");
        let half_points = yardstick(ranks, suits);
        assert!((1230..1530).contains(&half_points), "{name}: {half_points} half points");

        group.bench_function(BenchmarkId::new("arena", name), |b| b.iter(&mut play));
        group.bench_function(BenchmarkId::new("yardstick", name), |b| {
            b.iter(|| yardstick(ranks, suits));
        });
    }
    group.finish();
}

criterion_group!(benches, games_per_second);
criterion_main!(benches);
