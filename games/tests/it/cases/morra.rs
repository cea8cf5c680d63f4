use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::morra::{Announcement, Morra};
use ruse_games::Game;

use crate::courses::Courses;
use crate::suite::{Case, Secrets, Suite};

pub(super) fn hand_over(suite: &mut impl Suite) {
    suite.check_listed(Case {
        name: "morra",
        files: Some(crate::suite::Files::of()),
        game: Morra::standard(),
        max_actions: 2,
        illegal: vec![
            Announcement { fingers: 6, guess: 6 },
            Announcement { fingers: 0, guess: 11 },
        ],
        candidates: |_| {
            let hands = (0..8).flat_map(|fingers| (0..16).map(move |guess| (fingers, guess)));
            hands.map(|(fingers, guess)| Announcement { fingers, guess }).collect()
        },
        secrets: Secrets::Few(Box::new(Courses {
            game: Morra::standard(),
            deals: vec![Morra::standard().deal(&mut Xoshiro256PlusPlus::seed_from_u64(0))],
            moves: |_, _| (0..66).map(Announcement::of_index).collect(),
            is_exact: true,
            num_games: 3,
            max_turns: 1,
        })),
    });
}
