use ruse_games::flip::{Flip, FlipAction};

use crate::suite::{Case, Files, Secrets, Suite, with};

pub(super) fn hand_over(suite: &mut impl Suite) {
    let with_few_cards = [("ranks", 8), ("suits", 1), ("visible", 2)]
        .into_iter()
        .fold(Flip::standard(), |game, (rule, value)| with(&game, rule, value));
    for (name, game, files) in [
        ("flip", Flip::standard(), Some(Files::of())),
        ("flip-few-cards", with_few_cards, None),
    ] {
        check(suite, name, game, files);
    }
}

fn check(suite: &mut impl Suite, name: &'static str, game: Flip, files: Option<Files<Flip>>) {
    suite.check_listed(Case {
        name,
        files,
        game,
        // Each player has 25 cards, so neither can run out of cards earlier.
        max_actions: 49,
        illegal: vec![FlipAction { card: 13, pile: 0 }, FlipAction { card: 0, pile: 2 }],
        candidates: |_| {
            let puts = (0..16).flat_map(|card| (0..4).map(move |pile| (card, pile)));
            puts.map(|(card, pile)| FlipAction { card, pile }).collect()
        },
        secrets: Secrets::Many,
    });
}
