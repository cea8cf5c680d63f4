use ruse_games::war::War;

use crate::suite::{Case, Secrets, Suite, orders, with};

pub(super) fn hand_over(suite: &mut impl Suite) {
    suite.check_numbered(Case {
        name: "war",
        files: Some(crate::suite::Files::of()),
        game: with(&War::standard(), "max-turns", 5_000),
        max_actions: 5_000,
        illegal: vec![[].as_slice().into(), [1].as_slice().into(), [13, 14].as_slice().into()],
        candidates: |view| match view.pile.len() {
            // A pile has two cards or, after one tie, six.
            ..=6 => orders(view.pile).iter().map(|order| order.as_slice().into()).collect(),
            _ => Vec::new(),
        },
        secrets: Secrets::Many,
    });
}
