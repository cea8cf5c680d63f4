use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

use super::imagine::UNKNOWN;
use super::*;
use crate::tests::{rng, with};
use crate::{BySeat, Imagine};

#[derive(Clone, Copy, Debug)]
enum Order {
    Ascending,
    Descending,
}

/// Plays until the game is over; each seat puts its piles back in its given order. Returns the payoff and the number of
/// turns.
fn play(game: &War, mut state: WarState, orders: BySeat<Order>) -> (Payoff, u64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    loop {
        match game.turn(&state) {
            Turn::Over(outcome) => return (outcome, state.turns()),
            Turn::Act(seat) => {
                let mut action = Pile::from(game.view(&state, seat).pile);
                if let Order::Descending = orders[seat] {
                    action.cards_mut().reverse();
                }
                game.apply(&mut state, seat, &action, &mut rng);
            }
        }
    }
}

fn all_cards(state: &WarState) -> Vec<u8> {
    let mut cards: Vec<u8> =
        Seat::BOTH.into_iter().flat_map(|seat| state.decks.cards(seat)).collect();
    cards.extend_from_slice(state.pile.cards());
    cards.sort_unstable();
    cards
}

#[test]
fn explicit_deals_end_as_an_independent_prototype_says() {
    let mut num_deals = 0;
    for (index, line) in include_str!("deals.txt").lines().enumerate() {
        if line.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [name, order_1, order_2, result, turns, end, deck_1, deck_2] = fields[..] else {
            panic!("deals.txt:{}: expected 8 fields", index + 1);
        };
        let game = if name == "war" { War::standard() } else { War::batawaf() };
        let order = |letter| {
            if letter == "d" { Order::Descending } else { Order::Ascending }
        };
        let deck = |text: &str| -> Vec<u8> {
            text.chars().map(|c| c.to_digit(16).expect("a rank in hexadecimal") as u8).collect()
        };
        let start = game.start(&deck(deck_1), &deck(deck_2));
        let orders = BySeat { first: order(order_1), second: order(order_2) };
        let (outcome, num_turns) = play(&game, start, orders);

        let expected = match result {
            "win" => Payoff::WIN,
            "loss" => Payoff::LOSS,
            _ => Payoff::DRAW,
        };
        let expected_turns =
            if end == "loops" { 1_000_000 } else { turns.parse().expect("a number of turns") };
        assert_eq!((outcome, num_turns), (expected, expected_turns), "deals.txt:{}", index + 1);
        num_deals += 1;
    }
    assert_eq!(num_deals, 48);
}

#[test]
fn decks_have_the_cards_of_the_rules() {
    let mut rng = rng();
    for (game, ranks, suits) in [(War::standard(), 13, 4), (War::batawaf(), 6, 6)] {
        let state = game.deal(&mut rng);
        let cards = all_cards(&state);
        let expected: Vec<u8> = (0..ranks).flat_map(|rank| vec![rank; suits]).collect();
        // A fresh deal may already be over, or have more cards on the table after a tie.
        assert_eq!(cards, expected);
    }
}

#[test]
fn players_short_of_cards_at_a_tie_lose() {
    let game = War::standard();
    let outcome = |first: &[u8], second: &[u8]| game.turn(&game.start(first, second));
    // The numbers of cards that are left after the tied cards are 1 against 2, 2 against 1, 1 against 0, 0 against 1,
    // and 1 against 1.
    assert_eq!(outcome(&[5, 1], &[5, 1, 1]), Turn::Over(Payoff::LOSS));
    assert_eq!(outcome(&[5, 1, 1], &[5, 1]), Turn::Over(Payoff::WIN));
    assert_eq!(outcome(&[5, 1], &[5]), Turn::Over(Payoff::WIN));
    assert_eq!(outcome(&[5], &[5, 1]), Turn::Over(Payoff::LOSS));
    assert_eq!(outcome(&[5, 1], &[5, 1]), Turn::Over(Payoff::DRAW));
    // Two cards for each player are enough for one comparison; face-down cards do not count.
    assert_eq!(outcome(&[5, 9, 1], &[5, 0, 2]), Turn::Act(Seat::Second));
    assert_eq!(
        game.view(&game.start(&[5, 9, 1], &[5, 0, 2]), Seat::Second).pile,
        [0, 1, 2, 5, 5, 9]
    );
}

#[test]
fn sorting_networks_sort() {
    // A network that sorts all sequences of zeros and ones sorts everything (Knuth, section 5.3.4).
    for len in [6, 10] {
        for bits in 0..1u32 << len {
            let cards: Vec<u8> = (0..len).map(|i| (bits >> i & 1) as u8).collect();
            let mut pile = Pile::from(&cards[..]);
            pile.sort();
            assert!(pile.cards().is_sorted(), "{cards:?} became {:?}", pile.cards());
        }
    }
}

#[test]
fn the_table_of_orders_is_that_of_shuffles() {
    // Returns a draw in the middle of each number's share of 2^64.
    struct Fixed(u64);
    impl rand::TryRng for Fixed {
        type Error = std::convert::Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            Ok((self.0 >> 32) as u32)
        }
        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Ok(self.0)
        }
        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
            bytes.fill(0);
            Ok(())
        }
    }
    let mut orders = std::collections::BTreeSet::new();
    for number in 0..720u64 {
        let mut rng = Fixed((2 * number + 1) * (u64::MAX / 1440));
        let mut expected = [10, 11, 12, 13, 14, 15];
        let mut pile = Pile::default();
        pile.set_shuffled(&expected, &mut rng);
        shuffle(&mut expected, &mut rng);
        assert_eq!(pile.cards(), expected);
        orders.insert(expected);
    }
    assert_eq!(orders.len(), 720);
}

#[test]
fn only_the_winner_sees_the_pile() {
    let game = War::standard();
    let state = game.start(&[7, 1, 2], &[3, 1]);
    assert_eq!(
        game.view(&state, Seat::First),
        WarView {
            pile: &[3, 7],
            ties: &[],
            turned_up: Some((7, 3)),
            own_cards: 2,
            opponent_cards: 1,
            turns: 0
        }
    );
    assert_eq!(
        game.view(&state, Seat::Second),
        WarView {
            pile: &[],
            ties: &[],
            turned_up: Some((3, 7)),
            own_cards: 1,
            opponent_cards: 2,
            turns: 0
        }
    );
}

/// Both seats see the cards turned up, but not the cards added face down. If a player has too few cards to resolve a
/// tie, both see only the rank of the tie.
#[test]
fn both_see_what_is_turned_up() {
    let game = War::standard();
    // 5 against 5, then 9 and 2 face down, 6 against 6, then 0 and 1 face down, 4 against 8.
    let state = game.start(&[5, 9, 6, 0, 4, 3], &[5, 2, 6, 1, 8, 7]);
    let [first, second] = Seat::BOTH.map(|seat| game.view(&state, seat));
    assert_eq!((first.ties, first.turned_up), (&[5, 6][..], Some((4, 8))));
    assert_eq!((second.ties, second.turned_up), (&[5, 6][..], Some((8, 4))));
    assert_eq!((first.pile, second.pile), (&[][..], &[0, 1, 2, 4, 5, 5, 6, 6, 8, 9][..]));

    // The second player has one card left, but the war needs two.
    let state = game.start(&[5, 9, 6], &[5, 2]);
    assert_eq!(game.turn(&state), Turn::Over(Payoff::WIN));
    let [first, second] = Seat::BOTH.map(|seat| game.view(&state, seat));
    assert_eq!((first.ties, first.turned_up), (&[5][..], None));
    assert_eq!((second.ties, second.turned_up), (&[5][..], None));
}

/// A seat that watches knows the deal after one round, except cards that were added face down to piles. If it knows all
/// cards, a deal that agrees leads to the same views, if both seats put their cards back as before.
#[test]
fn watchers_know_the_deal_after_one_round() {
    let game = War::standard();
    let mut num_known = 0;
    for seed in 0..200 {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let dealt = game.deal(&mut rng);
        let mut state = dealt.clone();
        let mut knowledge = WarKnowledge::default();
        for _ in 0..60 {
            let Turn::Act(mover) = game.turn(&state) else { break };
            let view = game.view(&state, Seat::Second);
            let action = Pile::from(game.view(&state, mover).pile);
            match mover {
                Seat::First => game.watch(&mut knowledge, Seat::Second, &view),
                Seat::Second => game.learn(&mut knowledge, mover, &view, &action),
            }
            game.apply(&mut state, mover, &action, &mut rng);
        }
        let half = game.num_cards() / 2;
        if knowledge.dealt.iter().any(|cards| cards[..half].contains(&UNKNOWN)) {
            continue;
        }
        num_known += 1;
        let mut states = [dealt, game.deal_again(&knowledge, Seat::Second, &mut rng)];
        for turn in 0..60 {
            let [view, same] = states.each_ref().map(|state| game.view(state, Seat::Second));
            assert_eq!(view, same, "{seed}: turn {turn}");
            let Turn::Act(mover) = game.turn(&states[0]) else { break };
            let action = Pile::from(game.view(&states[0], mover).pile);
            states.iter_mut().for_each(|state| game.apply(state, mover, &action, &mut rng));
        }
    }
    // A round has no tie with a probability of about .94^26 = .2.
    assert!(num_known > 30, "{num_known}");
}

#[test]
fn without_watchers_only_the_winner_sees_the_cards() {
    let game = War::standard();
    let hidden = game.with_values(&[13, 4, 1_000_000, 0, ALL]).expect("in range");
    assert_eq!((game.is_watched(), hidden.is_watched()), (true, false));
    // A tie of 5, then 8 beats 7.
    let decks: [&[u8]; 2] = [&[5, 9, 8, 1], &[5, 2, 7, 3]];
    let [open, closed] = [&game, &hidden].map(|game| game.start(decks[0], decks[1]));
    assert_eq!(open, closed);
    let [winner, loser] = Seat::BOTH.map(|seat| hidden.view(&closed, seat));
    assert_eq!(winner, game.view(&open, Seat::First));
    assert_eq!((winner.ties, winner.turned_up), (&[5][..], Some((8, 7))));
    assert_eq!((loser.ties, loser.turned_up), (&[][..], None));
    assert_eq!(game.view(&open, Seat::Second).turned_up, Some((7, 8)));
}

#[test]
fn cards_that_were_not_won_cannot_be_put_back() {
    let game = War::standard();
    let mut state = game.start(&[7], &[3]);
    assert_eq!(game.check(&state, &Pile::from(&[7, 3][..])), Ok(()));
    assert_eq!(
        game.check(&state, &Pile::from(&[7, 7][..])),
        Err(IllegalOrder::WrongCards { won: vec![3, 7], found: vec![7, 7] })
    );
    assert!(game.check(&state, &Pile::from(&[7][..])).is_err());
    let mut rng = rng();
    game.apply(&mut state, Seat::First, &Pile::from(&[7, 3][..]), &mut rng);
    assert_eq!(game.turn(&state), Turn::Over(Payoff::WIN));
    assert_eq!(game.check(&state, &Pile::from(&[7, 3][..])), Err(IllegalOrder::GameOver));
}

#[test]
fn the_first_card_put_back_is_drawn_first() {
    let game = War::standard();
    let mut rng = rng();
    let mut state = game.start(&[7], &[3, 5, 6]);
    game.apply(&mut state, Seat::First, &Pile::from(&[7, 3][..]), &mut rng);
    assert_eq!(game.view(&state, Seat::First).pile, [5, 7]);
}

#[test]
fn the_cap_ends_the_game_as_a_draw() {
    let game = with(&War::standard(), &[("max-turns", 3)]).expect("valid rules");
    let start = game.start(&[9, 8, 7, 6, 5], &[1, 1, 1, 1, 1, 1]);
    let orders = BySeat { first: Order::Ascending, second: Order::Ascending };
    assert_eq!(play(&game, start, orders), (Payoff::DRAW, 3));
    // If one deck is empty when the cap is reached, its owner loses.
    let start = game.start(&[9, 8, 7, 6, 5], &[1, 1, 1]);
    assert_eq!(play(&game, start, orders), (Payoff::WIN, 3));
}

#[test]
fn impossible_rules_are_refused() {
    let war = War::standard();
    assert_eq!(with(&war, &[("ranks", 6), ("suits", 6)]), Ok(War::batawaf()));
    let message = |changes: &[(&str, u64)]| with(&war, changes).expect_err("refused").to_string();
    assert_eq!(
        message(&[("rank", 6)]),
        "there is no rule `rank`; this game has ranks, suits, max-turns, watched, memory"
    );
    assert_eq!(message(&[("suits", 0)]), "rule `suits` is 0, but must lie between 1 and 64");
    assert_eq!(
        message(&[("ranks", 13), ("suits", 3)]),
        "these rules do not go together: 13 ranks x 3 suits are 39 cards, which two players cannot halve"
    );
    assert_eq!(
        message(&[("ranks", 40), ("suits", 4)]),
        "these rules do not go together: 40 ranks x 4 suits are 160 cards, and at most 128 can be played"
    );
}

/// After 20 of at most 100 turns, 79 may be skipped so that the last is played: seven repetitions of 10 turns.
#[test]
fn the_last_turn_is_not_skipped() {
    let game = with(&War::batawaf(), &[("max-turns", 100)]).expect("valid rules");
    let mut state = game.deal(&mut rng());
    let mut earlier = state.clone();
    (earlier.turns, state.turns) = (10, 20);
    for (most, done) in [(3, 3), (1000, 7)] {
        let mut skipped = state.clone();
        assert_eq!(game.fast_forward(&earlier, &mut skipped, most), done);
        assert_eq!(skipped.turns(), 20 + 10 * done);
    }
    assert_eq!(game.fast_forward(&state.clone(), &mut state, 1000), 0);
}

/// A seat that sees its own piles alone knows some of its cards that the opponent took, and states that go towards its views
/// nearly always arrive there.
#[test]
fn without_watching_states_go_towards_the_views_of_a_seat() {
    let game = with(&War::standard(), &[("watched", 0)]).expect("valid rules");
    let (seat, other) = (Seat::Second, Seat::First);
    let (mut num_views, mut num_alike, mut num_known) = (0, 0, 0);
    for seed in 0..20 {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let [mut state, mut sample] = [(); 2].map(|()| game.deal(&mut rng));
        let mut knowledge = WarKnowledge::default();
        let mut own: Option<Pile> = None;
        for _ in 0..100 {
            while game.turn(&state) == Turn::Act(other) {
                let action = Pile::from(game.view(&state, other).pile);
                game.apply(&mut state, other, &action, &mut rng);
            }
            let Turn::Act(_) = game.turn(&state) else { break };
            let view = game.view(&state, seat);
            if let Some(own) = own.take() {
                game.apply_towards(&knowledge, &mut sample, (seat, &own), (seat, &view), &mut rng);
            }
            while game.turn(&sample) == Turn::Act(other) {
                let action = Pile::from(game.view(&sample, other).pile);
                let moved = (other, &action);
                game.apply_towards(&knowledge, &mut sample, moved, (seat, &view), &mut rng);
            }
            assert_eq!(all_cards(&sample), all_cards(&state), "{seed}");
            num_views += 1;
            match game.turn(&sample) == Turn::Act(seat) && game.view(&sample, seat) == view {
                true => num_alike += 1,
                false => sample = game.imagine(&knowledge, seat, &view, &mut rng),
            }
            let action = Pile::from(view.pile);
            game.learn(&mut knowledge, seat, &view, &action);
            let cards: Vec<u8> = state.decks.cards(other).collect();
            let first = state.decks.num_drawn(other);
            for index in
                (0..cards.len().saturating_sub(1)).filter(|index| (index + first).is_multiple_of(2))
            {
                let Some(number) = (index + first).checked_sub(game.num_cards() / 2) else {
                    continue;
                };
                assert!(number / 2 < knowledge.num_taken, "{seed}");
                let card = knowledge.taken[number / 2 % knowledge.taken.len()];
                assert!(card == UNKNOWN || cards[index..index + 2].contains(&card), "{seed}");
                num_known += u32::from(card != UNKNOWN);
            }
            game.apply(&mut state, seat, &action, &mut rng);
            own = Some(action);
        }
    }
    assert!(
        num_alike * 10 > num_views * 9 && num_known > 1_000,
        "{num_alike} of {num_views}; {num_known}"
    );
}

/// A seat that remembers all cards forgets none; one that remembers none keeps the sizes of decks, the cards, and the order of
/// each two that were put back together; one that remembers half of the cards knows about half of the places.
#[test]
fn cards_are_forgotten_as_the_rule_says() {
    let seen = |memory: u64| {
        let game = with(&War::standard(), &[("memory", memory)]).expect("valid rules");
        let mut rng = rng();
        let mut state = game.deal(&mut rng);
        for _ in 0..100 {
            let Turn::Act(seat) = game.turn(&state) else { break };
            // The best card first.
            let mut action = Pile::from(game.view(&state, seat).pile);
            action.cards_mut().reverse();
            game.apply(&mut state, seat, &action, &mut rng);
        }
        let mut forgot = state.clone();
        game.forget(&mut forgot, 1, &mut rng);
        assert_eq!(all_cards(&forgot), all_cards(&state));
        let cards = |state: &WarState, seat| state.decks.cards(seat).collect::<Vec<u8>>();
        let mut num_alike = 0;
        for seat in Seat::BOTH {
            let [before, after] = [&state, &forgot].map(|state| cards(state, seat));
            assert_eq!(before.len(), after.len());
            num_alike += before.iter().zip(&after).filter(|(a, b)| a == b).count();
            let skipped = state.decks.num_drawn(seat) % 2;
            assert!(
                memory > 0
                    || after[skipped..].chunks_exact(2).filter(|two| two[0] < two[1]).count() <= 2
            );
        }
        num_alike
    };
    let [none, half, all] = [0, 26, ALL].map(seen);
    assert!(none < 12 && (18..40).contains(&half) && all > 45, "{none}, {half}, {all}");
}

proptest! {
    /// The number of cards is constant, and imagined decks contain the known cards where the seat put them.
    #[test]
    fn cards_are_conserved_and_hidden(
        seed in any::<u64>(), ranks in 2u64..16, half_suits in 1u64..5, steps in 0usize..300,
    ) {
        let changes = [("ranks", ranks), ("suits", 2 * half_suits)];
        let game = with(&War::standard(), &changes).expect("valid rules");
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut state = game.deal(&mut rng);
        let mut knowledge: BySeat<WarKnowledge> = BySeat::default();
        // Both decks give equally many cards to a pile.
        let mut num_drawn = 0;
        for _ in 0..steps {
            let Turn::Act(seat) = game.turn(&state) else { break };
            num_drawn += state.pile.cards().len() / 2;
            let undrawn = (game.num_cards() / 2).saturating_sub(num_drawn);
            prop_assert_eq!(all_cards(&state).len(), game.num_cards());
            let view = game.view(&state, seat);
            let imagined = game.imagine(&knowledge[seat], seat, &view, &mut rng);
            prop_assert_eq!(all_cards(&imagined), all_cards(&state));
            // The seat's own deck is known except for the cards of the deal, which lie on top.
            let known = |state: &WarState| -> Vec<u8> {
                state.decks.cards(seat).skip(undrawn).collect()
            };
            prop_assert_eq!(known(&imagined), known(&state));
            let mut action = Pile::from(view.pile);
            shuffle(action.cards_mut(), &mut rng);
            game.learn(&mut knowledge[seat], seat, &view, &action);
            game.apply(&mut state, seat, &action, &mut rng);
        }
    }

    #[test]
    fn stretches_are_turns_played_one_by_one(
        seed in any::<u64>(), ranks in 2u64..16, half_suits in 1u64..5, max_turns in 1u64..400,
        first in any::<u64>(), second in any::<u64>(), steps in 0usize..300,
    ) {
        let changes = [("ranks", ranks), ("suits", 2 * half_suits), ("max-turns", max_turns)];
        let game = with(&War::standard(), &changes).expect("valid rules");
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut state = game.deal(&mut rng);
        let mut action = Pile::default();
        for _ in 0..steps {
            let Turn::Act(seat) = game.turn(&state) else { break };
            game.sample_action(&game.view(&state, seat), &mut rng, &mut action);
            game.apply(&mut state, seat, &action, &mut rng);
        }

        let answers = BySeat { first: Answers(first), second: Answers(second) };
        let stretch = game.stretch(&state);
        let mut one_by_one = state.clone();
        let mut num_answered = BySeat { first: 0, second: 0 };
        while let Turn::Act(seat) = game.turn(&one_by_one) {
            if game.stretch(&one_by_one) != stretch { break }
            let pile = game.view(&one_by_one, seat).pile;
            let mut action = Pile::from(pile);
            if pile.len() > 2 {
                action.cards_mut().rotate_left(1);
            } else {
                num_answered[seat] += 1;
                if answers[seat].0 >> (one_by_one.turns() % 64) & 1 == 1 {
                    action.cards_mut().reverse();
                }
            }
            game.apply(&mut one_by_one, seat, &action, &mut rng);
        }

        let turns_won = game.play_stretch(&mut state, answers, &mut action, |_, seen, action| {
            action.set(seen.pile);
            action.cards_mut().rotate_left(1);
        });
        prop_assert_eq!(turns_won, num_answered);
        prop_assert_eq!(state.turns(), one_by_one.turns());
        prop_assert_eq!(state.turn, one_by_one.turn);
        prop_assert_eq!(&state.decks, &one_by_one.decks);
        if let Turn::Act(_) = state.turn {
            prop_assert_eq!(&state.pile, &one_by_one.pile);
        }
    }

    #[test]
    fn fast_forward_is_playing_on(seed in any::<u64>(), repeats in 1u64..20) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let game = with(&War::batawaf(), &[("max-turns", 3_000)]).expect("valid rules");
        let orders = BySeat { first: Order::Ascending, second: Order::Descending };
        let step = |state: &mut WarState| {
            let Turn::Act(seat) = game.turn(state) else { return false };
            let mut action = Pile::from(game.view(state, seat).pile);
            if let Order::Descending = orders[seat] {
                action.cards_mut().reverse();
            }
            game.apply(state, seat, &action, &mut Xoshiro256PlusPlus::seed_from_u64(0));
            true
        };
        // 2000 turns are enough to reach a loop, if there is one.
        let mut state = game.deal(&mut rng);
        for _ in 0..2000 {
            if !step(&mut state) { break }
        }
        if let Turn::Act(_) = game.turn(&state) {
            let earlier = state.clone();
            let mut period = 0;
            while step(&mut state) {
                period += 1;
                if game.fast_forward(&earlier, &mut state.clone(), 1) == 1 { break }
            }
            if let Turn::Act(_) = game.turn(&state) {
                let mut skipped = state.clone();
                let done = game.fast_forward(&earlier, &mut skipped, repeats);
                for _ in 0..done * period {
                    prop_assert!(step(&mut state));
                }
                prop_assert_eq!(skipped.turns(), state.turns());
                prop_assert_eq!(&skipped.decks, &state.decks);
                prop_assert_eq!(skipped.turn, state.turn);
                prop_assert!(done == repeats || skipped.turns() + period >= 3_000);
            }
        }
    }
}
