//! What the suites have to know about each game: a file for each, and a line here.

use crate::suite::Suite;

/// The modules of these games, and what hands all of them over.
macro_rules! games {
    ($($game:ident)*) => {
        $(pub(crate) mod $game;)*

        pub(crate) fn for_every_game(suite: &mut impl Suite) {
            $($game::hand_over(suite);)*
        }
    };
}

games! {
    war
    phantom_tic_tac_toe
    guess_who
    morra
    nim
    cheat
    phantom_four
    pig
    four_in_a_row
    flip
    battleship
    rts
    rule_file
}
