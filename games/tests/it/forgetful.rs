//! A game that imagines wrong states, to test that the suite notices.

use rand::Rng;
use ruse_games::phantom_tic_tac_toe::{
    CellOrder, PhantomTicTacToe, PhantomTicTacToeState, PhantomTicTacToeView,
};
use ruse_games::{Game, Imagine, SampleAction, Seat, Turn};

use crate::cases::phantom_tic_tac_toe::{courses_of_phantom_tic_tac_toe, free_cells};
use crate::courses;

/// Phantom tic-tac-toe with an earlier fault: states are imagined from a view alone, so that even the seat's own stones
/// can change places.
#[derive(Clone, Debug)]
struct Forgetful;

impl Game for Forgetful {
    type State = PhantomTicTacToeState;
    type Action = CellOrder;
    type View<'a> = PhantomTicTacToeView;
    type Illegal = <PhantomTicTacToe as Game>::Illegal;

    fn deal<R: Rng>(&self, rng: &mut R) -> PhantomTicTacToeState {
        PhantomTicTacToe.deal(rng)
    }

    fn turn(&self, state: &PhantomTicTacToeState) -> Turn {
        PhantomTicTacToe.turn(state)
    }

    fn view(&self, state: &PhantomTicTacToeState, seat: Seat) -> PhantomTicTacToeView {
        PhantomTicTacToe.view(state, seat)
    }

    fn check(&self, state: &PhantomTicTacToeState, order: &CellOrder) -> Result<(), Self::Illegal> {
        PhantomTicTacToe.check(state, order)
    }

    fn apply<R: Rng>(
        &self,
        state: &mut PhantomTicTacToeState,
        seat: Seat,
        order: &CellOrder,
        rng: &mut R,
    ) {
        PhantomTicTacToe.apply(state, seat, order, rng);
    }
}

impl SampleAction for Forgetful {
    fn sample_action<R: Rng>(
        &self,
        view: &PhantomTicTacToeView,
        rng: &mut R,
        order: &mut CellOrder,
    ) {
        PhantomTicTacToe.sample_action(view, rng, order);
    }
}

impl Imagine for Forgetful {
    type Knowledge = ();

    fn imagine<R: Rng>(
        &self,
        (): &(),
        seat: Seat,
        view: &PhantomTicTacToeView,
        rng: &mut R,
    ) -> PhantomTicTacToeState {
        loop {
            let mut state = self.deal(rng);
            while let Turn::Act(mover) = self.turn(&state) {
                if mover == seat && self.view(&state, seat) == *view {
                    return state;
                }
                self.apply(&mut state, mover, &CellOrder::random(rng), rng);
            }
        }
    }
}

#[test]
#[should_panic(expected = "cannot have come about")]
fn a_game_that_forgets_what_was_done_is_found_out() {
    let moves = |_: &Forgetful, state: &PhantomTicTacToeState| free_cells(&PhantomTicTacToe, state);
    courses::check("forgetful", &courses_of_phantom_tic_tac_toe(Forgetful, moves), 1);
}
