//! The family of Phantom Tic-Tac-Toe.

use std::fmt::Write;
use std::ops::Range;

use ruse_games::phantom_tic_tac_toe::{NUM_CELLS, PhantomTicTacToe};
use ruse_games::{Beliefs, BySeat, Seat, Seen};
use ruse_picture::Picture;
use ruse_search::AnyStrategy;

use super::response::best_response;
use super::{CELL_NAMES, CellOrders, CellReference, Mover, exact_outcome, picture};
use crate::{BestResponse, Capabilities, Family, FamilyInfo, Prepared, Reference};

/// Returns the moves of a strategy in a seat as a mixture, if they are known. The redrawn baseline moves at random.
fn movers(strategy: &Prepared<PhantomTicTacToeFamily>, seat: Seat) -> Option<Vec<(Mover, f64)>> {
    let order = |orders: &CellOrders| Mover::Order(orders.orders[seat]);
    Some(match strategy {
        Prepared::Searching(_) | Prepared::RedrawnGuest(_) => return None,
        Prepared::Own(orders) => vec![(order(orders), 1.0)],
        Prepared::Reference(CellReference::Orders(orders)) => vec![(order(orders), 1.0)],
        Prepared::Reference(CellReference::Random) | Prepared::Redrawn(_) => {
            vec![(Mover::Random, 1.0)]
        }
        Prepared::Mixture(members) => {
            let mut all = Vec::new();
            for (weight, member) in members.members() {
                let drawn = movers(member, seat)?.into_iter();
                all.extend(drawn.map(|(mover, share)| (mover, weight * share)));
            }
            all
        }
    })
}

fn expected_score(first: &[(Mover, f64)], second: &[(Mover, f64)]) -> f64 {
    let against = |mover| -> f64 {
        let scores =
            second.iter().map(|&(other, weight)| weight * exact_outcome(mover, other).score());
        scores.sum()
    };
    first.iter().map(|&(mover, weight)| weight * against(mover)).sum()
}

/// The family `phantom-tic-tac-toe`.
#[derive(Debug, Clone, Default)]
pub struct PhantomTicTacToeFamily {
    game: PhantomTicTacToe,
}

impl Family for PhantomTicTacToeFamily {
    type Game = PhantomTicTacToe;
    type Strategy = CellOrders;
    type Reference = CellReference;

    fn info(&self) -> FamilyInfo<'_> {
        FamilyInfo {
            about: "tic-tac-toe; the opponent's marks are hidden",
            common_play: Some("random"),
            // After this many games, small changes of the orders no longer gain anything.
            default_budget: 2_000_000,
            ..FamilyInfo::new("phantom-tic-tac-toe", "in which order each seat tries the cells")
        }
    }

    fn game(&self) -> &PhantomTicTacToe {
        &self.game
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities::of(self)
            .adjustable(|_, game| PhantomTicTacToeFamily { game })
            .board("best-order")
            .numbered()
            .drawn()
    }

    fn references(&self) -> Vec<Reference<CellReference>> {
        // The parameters decrease by 0.4 from each cell of an order to the next, so they spread about as far as Gaussian
        // parameters.
        const STEP: f64 = 0.4;
        let best = CellOrders::best_against_random();
        let BySeat { first, second } = best.orders();
        let mut theta = vec![0.0; 2 * NUM_CELLS];
        for (values, order) in theta.chunks_mut(NUM_CELLS).zip([first, second]) {
            for (place, cell) in order.cells().into_iter().enumerate() {
                values[usize::from(cell)] = STEP * (NUM_CELLS as f64 / 2.0 - place as f64);
            }
        }
        vec![
            Reference::named("random", CellReference::Random)
                .meaning("puts every stone on a random free cell"),
            Reference::named("best-order", CellReference::Orders(best))
                .meaning("tries the cells in the orders that are best against `random`")
                .with_parameters(theta),
        ]
    }

    fn seats(&self) -> Option<BySeat<Range<usize>>> {
        Some(BySeat { first: 0..NUM_CELLS, second: NUM_CELLS..2 * NUM_CELLS })
    }

    fn words(&self, strategy: &CellOrders) -> String {
        // The first player puts at most five stones and the second four, so the last cells hardly matter, but they may
        // be needed.
        let order = |seat| {
            strategy.orders[seat].cells().map(|cell| CELL_NAMES[usize::from(cell)]).join(", ")
        };
        let mut words = String::new();
        let _ = write!(
            words,
            "puts each stone on the first free cell of: as first player {}; as second player {}; \
             against random stones this scores {:.4}",
            order(Seat::First),
            order(Seat::Second),
            strategy.score_against_random()
        );
        words
    }

    fn exact_baseline_score(&self, strategy: &CellOrders) -> Option<f64> {
        Some(strategy.score_against_random())
    }

    fn picture(&self, strategy: &CellOrders) -> Option<Picture> {
        Some(picture::picture(strategy))
    }

    fn exact_score(&self, a: &Prepared<Self>, b: &Prepared<Self>) -> Option<f64> {
        let as_first = expected_score(&movers(a, Seat::First)?, &movers(b, Seat::Second)?);
        // This is the score of `b` in the first seat.
        let as_second = expected_score(&movers(b, Seat::First)?, &movers(a, Seat::Second)?);
        Some((as_first + 1.0 - as_second) / 2.0)
    }

    fn best_response(&self, strategy: &Prepared<Self>) -> Option<BestResponse> {
        let opponents = BySeat {
            first: movers(strategy, Seat::Second)?,
            second: movers(strategy, Seat::First)?,
        };
        let responses = BySeat::from_fn(|seat| best_response(seat, &opponents[seat]));
        let words = format!(
            "puts its stones, one after the other: as first player {}; as second player {}",
            responses.first.words(),
            responses.second.words()
        );
        let scores = BySeat { first: responses.first.score, second: responses.second.score };
        Some(BestResponse { scores, words: Some(words) })
    }

    fn beliefs(
        &self,
        _player: &dyn AnyStrategy<PhantomTicTacToe>,
        seen: &Seen<'_, PhantomTicTacToe>,
    ) -> Option<Beliefs> {
        Some(self.game.beliefs(seen))
    }
}
