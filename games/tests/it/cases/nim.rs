use ruse_games::nim::{Nim, Take};

use crate::suite::{Case, Secrets, Suite};

pub(super) fn hand_over(suite: &mut impl Suite) {
    suite.check_listed(Case {
        name: "nim",
        files: Some(crate::suite::Files::of()),
        game: Nim::standard(),
        max_actions: 16,
        illegal: vec![
            Take::default(),
            Take { heap: 3, matches: 8 },
            Take { heap: 4, matches: 1 },
            Take { heap: 200, matches: 1 },
        ],
        candidates: |_| {
            let takes = (0..8).flat_map(|heap| (0..9).map(move |matches| (heap, matches)));
            takes.map(|(heap, matches)| Take { heap, matches }).collect()
        },
        secrets: Secrets::None,
    });
}
