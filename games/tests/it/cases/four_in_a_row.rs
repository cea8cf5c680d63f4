use ruse_games::four_in_a_row::FourInARow;

use crate::suite::{Case, Secrets, Suite};

pub(super) fn hand_over(suite: &mut impl Suite) {
    suite.check_listed(Case {
        name: "four-in-a-row",
        files: Some(crate::suite::Files::of()),
        game: FourInARow::standard(),
        max_actions: 42,
        illegal: vec![7, 255],
        candidates: |_| (0..=255).collect(),
        secrets: Secrets::None,
    });
}
