use ruse_games::flip::{Flip, FlipAction};

use crate::suite::{Case, Secrets, Suite};

pub(super) fn hand_over(suite: &mut impl Suite) {
    suite.check_listed(Case {
        name: "flip",
        files: Some(crate::suite::Files::of()),
        game: Flip::standard(),
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
