use ruse_games::pig::{Pig, PigAction};

use crate::suite::{Case, Secrets, Suite};

pub(super) fn hand_over(suite: &mut impl Suite) {
    suite.check_listed(Case {
        name: "pig",
        files: Some(crate::suite::Files::of()),
        game: Pig::standard(),
        max_actions: 5_000,
        illegal: vec![PigAction::Hold],
        candidates: |_| vec![PigAction::Hold, PigAction::Roll],
        secrets: Secrets::None,
    });
}
