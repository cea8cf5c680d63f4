use ruse_games::cheat::{Cheat, CheatAction};
use ruse_games::Game;

use crate::courses::Courses;
use crate::suite::{Case, Secrets, Suite, with};

pub(super) fn hand_over(suite: &mut impl Suite) {
    let small_cheat = with(&Cheat::standard(), "cards-per-colour", 2);
    let hands = (0..81).map(|hand: u8| [hand % 3, hand / 3 % 3, hand / 9 % 3, hand / 27]);
    let halves = hands.filter(|hand| hand.iter().sum::<u8>() == 4);
    suite.check_listed(Case {
        name: "cheat",
        files: Some(crate::suite::Files::of()),
        game: Cheat::standard(),
        max_actions: 500,
        illegal: vec![CheatAction::Claim, CheatAction::Put(4)],
        candidates: |_| (0..6).map(CheatAction::Put).chain([CheatAction::Claim]).collect(),
        secrets: Secrets::Few(Box::new(Courses {
            deals: halves.map(|hand| small_cheat.start(hand)).collect(),
            game: small_cheat,
            moves: |game, state| {
                let all = (0..4).map(CheatAction::Put).chain([CheatAction::Claim]);
                all.filter(|action| game.check(state, action).is_ok()).collect()
            },
            is_exact: false,
            num_games: 100,
            max_turns: 30,
        })),
    });
}
