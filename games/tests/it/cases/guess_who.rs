use ruse_games::guess_who::GuessWho;

use crate::suite::{Case, Secrets, Suite};

pub(super) fn hand_over(suite: &mut impl Suite) {
    suite.check_listed(Case {
        name: "guess-who",
        files: Some(crate::suite::Files::of()),
        game: GuessWho::standard(),
        max_actions: 256,
        illegal: vec![0, 128, 1000],
        candidates: |_| (0..=300).collect(),
        secrets: Secrets::None,
    });
}
