//! The data about each game for the suites. Each game has one file, and one line below.

use crate::suite::Suite;

/// Declares the modules of these games, and a function that returns all of them.
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
