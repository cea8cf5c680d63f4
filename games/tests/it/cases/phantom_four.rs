use ruse_games::phantom_four::PhantomFour;

use crate::courses::Courses;
use crate::suite::{Case, Secrets, Suite, beginning_with, orders, with};

pub(super) fn hand_over(suite: &mut impl Suite) {
    let low = with(&PhantomFour::standard(), "rows", 2);
    suite.check_numbered(Case {
        name: "phantom-four",
        files: Some(crate::suite::Files::of()),
        game: PhantomFour::standard(),
        max_actions: 28,
        illegal: vec![[0; 7].into(), [0, 1, 2, 3, 4, 5, 7].into()],
        candidates: |_| {
            let orders = orders(&[0, 1, 2, 3, 4, 5, 6]).into_iter();
            orders.map(|order| <[u8; 7]>::try_from(order).expect("seven columns").into()).collect()
        },
        secrets: Secrets::Few(Box::new(Courses {
            game: low,
            deals: vec![low.start()],
            moves: |game, state| {
                let full = game.columns().full_columns(state.board().occupied());
                let open = (0..7).filter(|column| full >> column & 1 == 0);
                open.map(|column| beginning_with(column).into()).collect()
            },
            is_exact: true,
            num_games: 3,
            max_turns: 7,
        })),
    });
}
