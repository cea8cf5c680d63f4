use rand_distr::Distribution;
use ruse_base::gaussian::Gaussian;
use ruse_search::Strategy;

use super::*;
use crate::testing::{PanicRng, play, rng};
use crate::{Family, Prepared};

#[macro_use]
#[path = "../../../tests/it/cases.rs"]
mod cases;

const GAME: PhantomTicTacToe = PhantomTicTacToe;

fn assert_close(value: f64, expected: f64) {
    // The values are given to six digits.
    assert!((value - expected).abs() < 0.6e-6, "{value}, {expected} expected");
}

fn outcome<S: Strategy<PhantomTicTacToe>, T: Strategy<PhantomTicTacToe>>(
    first: &S,
    second: &T,
    rng: &mut impl Rng,
) -> Payoff {
    play(&GAME, GAME.start(), first, second, rng).0
}

#[test]
fn random_movers_meet_with_known_probabilities() {
    // An independent prototype gave these exact values.
    let law = exact_outcome(Mover::Random, Mover::Random);
    assert_close(law.win, 0.584921);
    assert_close(law.draw, 0.126984);
    assert_close(law.loss, 0.288095);
    assert!((law.win + law.draw + law.loss - 1.0).abs() < 1e-12);
}

#[test]
fn the_best_player_scores_what_it_should() {
    // An independent prototype gave these exact values.
    let best = CellOrders::best_against_random();
    assert_close(best.score_against_random(), 0.783567);
    assert_close(exact_outcome(Mover::Order(best.orders.first), Mover::Random).score(), 0.920573);
    // The expected score is 2 x .783567 - .920573.
    let as_second = exact_outcome(Mover::Random, Mover::Order(best.orders.second));
    assert_close(1.0 - as_second.score(), 0.646561);
}

/// Calls `visit` with all orders of the cells that start with `order[..known]`.
fn for_all_orders(
    order: &mut [u8; NUM_CELLS],
    known: usize,
    visit: &mut impl FnMut([u8; NUM_CELLS]),
) {
    if known == NUM_CELLS {
        return visit(*order);
    }
    for chosen in known..NUM_CELLS {
        order.swap(known, chosen);
        for_all_orders(order, known + 1, visit);
        order.swap(known, chosen);
    }
}

tests! {
    fn no_order_from_the_centre_is_better_than_the_best() = check_orders(&[4]);
    /// Against random stones, the best single orders score .920573 and .646561 (independent prototype); lists of orders
    /// score more. [`best_responses_are_those_found_by_trying_all`] checks the search; the values themselves have no other
    /// source.
    fn lists_of_orders_beat_single_orders_against_random_stones() =
        check_lists(Seat::Second, 0.646_561, 0.711_640);
    @long
    /// By symmetry, the first cell can be fixed to one corner, one side and the centre.
    fn no_order_is_better_than_the_best() = check_orders(&[0, 1, 4]);
    fn lists_of_orders_of_the_first_player_beat_single_orders() =
        check_lists(Seat::First, 0.920_573, 0.945_312);
}

/// Scores all orders that begin with one of these cells.
fn check_orders(starts: &[usize]) {
    let best = CellOrders::best_against_random();
    let [best_first, best_second] = [
        exact_outcome(Mover::Order(best.orders.first), Mover::Random).score(),
        1.0 - exact_outcome(Mover::Random, Mover::Order(best.orders.second)).score(),
    ];
    let mut num_orders = [0u32; 2];
    let mut num_best = [0u32; 2];
    for &start in starts {
        let mut order = std::array::from_fn(|cell| cell as u8);
        order.swap(0, start);
        for_all_orders(&mut order, 1, &mut |order| {
            let mover = Mover::Order(CellOrder::from(order));
            let scores = [
                (exact_outcome(mover, Mover::Random).score(), best_first),
                (1.0 - exact_outcome(Mover::Random, mover).score(), best_second),
            ];
            for (index, (score, best)) in scores.into_iter().enumerate() {
                assert!(score < best + 1e-9, "{order:?} scores {score} in seat {index}");
                num_orders[index] += 1;
                num_best[index] += u32::from(score > best - 1e-9);
            }
        });
    }
    // From each cell there are 8! orders. All the best orders start in the centre, so their 8 symmetric images are among
    // them.
    assert_eq!(num_orders, [40_320 * starts.len() as u32; 2]);
    assert!(num_best.iter().all(|count| count % 8 == 0), "{num_best:?} orders are best");
}

#[test]
fn cells_are_tried_by_decreasing_parameter() {
    // An independent prototype gave this order.
    let theta = [0.3, -1.2, 0.5, 2.0, -0.1, 0.0, 1.1, -2.0, 0.7];
    assert_eq!(by_decreasing_value(&theta).cells(), [3, 6, 8, 2, 0, 5, 4, 1, 7]);
    // Ties, including ties between zeros of different signs, go to the cell with the lower number.
    assert_eq!(by_decreasing_value(&[0.0; 9]).cells(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    let theta = [0.0, 1.0, -0.0, 1.0, 2.0, 0.0, 1.0, -1.0, 2.0];
    assert_eq!(by_decreasing_value(&theta).cells(), [4, 8, 1, 3, 6, 0, 2, 5, 7]);

    let mut theta = [0.0; 18];
    theta[3] = 1.0;
    theta[9 + 8] = 1.0;
    let orders = CellOrders::from_parameters(&GAME, &theta).expect("18 numbers").orders();
    assert_eq!(orders.first.cells(), [3, 0, 1, 2, 4, 5, 6, 7, 8]);
    assert_eq!(orders.second.cells(), [8, 0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn orders_need_no_randomness() {
    let identity = [0, 1, 2, 3, 4, 5, 6, 7, 8];
    let player = CellOrders::new(BySeat { first: identity, second: identity });
    // According to an independent prototype, the cells are 0, 2, 4, 6 against 1, 3, 5.
    assert_eq!(outcome(&player, &player, &mut PanicRng), Payoff::WIN);
    let reference = CellReference::Orders(player);
    assert_eq!(outcome(&reference, &reference, &mut PanicRng), Payoff::WIN);
}

/// Gaussian parameters give all orders with the same probability, independently for the two seats, so the baseline puts
/// every stone on a random free cell. The test compares frequencies of pairs of cells.
#[test]
fn gaussian_parameters_give_every_order_equally_often() {
    let mut rng = rng(2018);
    let num_draws = 72 * 2000;
    // Counts the first two cells of each order, the last two cells of the first order, and the first cells of both
    // orders.
    let mut counts = vec![[0u32; 81]; 4];
    for _ in 0..num_draws {
        let theta: Vec<f64> = (0..18).map(|_| Gaussian.sample(&mut rng)).collect();
        let player = CellOrders::from_parameters(&GAME, &theta).expect("18 numbers");
        let [first, second] = Seat::BOTH.map(|seat| player.orders[seat].cells());
        let pairs = [
            (first[0], first[1]),
            (second[0], second[1]),
            (first[7], first[8]),
            (first[0], second[0]),
        ];
        for (counts, (one, other)) in counts.iter_mut().zip(pairs) {
            counts[usize::from(9 * one + other)] += 1;
        }
    }
    for (index, counts) in counts.iter().enumerate() {
        // Two cells of one order differ: 72 pairs. Chi-square has 71 or 80 degrees of freedom and a standard deviation
        // of 12 or 13; it is above 150 for fewer than one seed in 10^5.
        let classes = if index == 3 { 81.0 } else { 72.0 };
        let expected = f64::from(num_draws) / classes;
        let diagonal = |pair: usize| pair.is_multiple_of(10);
        let chi_square: f64 = counts
            .iter()
            .enumerate()
            .filter(|&(pair, _)| index == 3 || !diagonal(pair))
            .map(|(_, &count)| f64::from(count) - expected)
            .map(|difference| difference * difference / expected)
            .sum();
        assert!(chi_square < 150.0, "table {index}: chi-square {chi_square}");
    }
}

/// Compares played games with the exact probabilities. Nine frequencies must lie within 5 standard errors; a new seed
/// would fail with a probability of 10^-5.
#[test]
fn exact_scores_are_those_of_games() {
    let mut rng = rng(1);
    let best = CellOrders::best_against_random();
    let [random, orders] = [CellReference::Random, CellReference::Orders(best)];
    let movers = [
        (&random, &random, Mover::Random, Mover::Random),
        (&orders, &random, Mover::Order(best.orders.first), Mover::Random),
        (&random, &orders, Mover::Random, Mover::Order(best.orders.second)),
    ];
    let num_games = 200_000;
    for (first, second, first_mover, second_mover) in movers {
        let law = exact_outcome(first_mover, second_mover);
        let mut counts = [0u32; 3];
        for _ in 0..num_games {
            let points = outcome(first, second, &mut rng).half_points();
            counts[usize::from(points.expect("won, drawn or lost"))] += 1;
        }
        for (count, p) in counts.into_iter().zip([law.loss, law.draw, law.win]) {
            let n = f64::from(num_games);
            let allowed = 5.0 * (p * (1.0 - p) / n).sqrt();
            assert!((f64::from(count) / n - p).abs() < allowed, "{count} of {n}, {law:?}");
        }
    }
}

#[test]
#[should_panic(expected = "are not the nine cells")]
fn orders_of_fewer_cells_are_a_mistake() {
    let _ = CellOrders::new(BySeat { first: [0; 9], second: [0; 9] });
}

/// Returns the score of the best list of orders for a player in `seat` in the possible games, by trying all orders as
/// far as they distinguish games. A game consists of the responder's stones, the opponent's stones, the index of the
/// opponent, and a probability.
fn best_by_trying(movers: &[(Mover, f64)], games: Vec<(CellSet, CellSet, usize, f64)>) -> f64 {
    /// Extends an order by one cell. `waiting` contains the games before the next stone, and `after` the games after
    /// this stone.
    fn try_cells(
        movers: &[(Mover, f64)],
        waiting: &[(CellSet, CellSet, usize, f64)],
        after: &[(CellSet, CellSet, usize, f64)],
        tried: CellSet,
    ) -> f64 {
        if waiting.is_empty() {
            return best_by_trying(movers, after.to_vec());
        }
        let mut best = 0.0f64;
        for cell in (0..NUM_CELLS as u8).filter(|&cell| !tried.contains(cell)) {
            let is_free = |game: &&(CellSet, CellSet, _, _)| !game.0.union(game.1).contains(cell);
            let (placed, rest): (Vec<_>, Vec<_>) =
                waiting.iter().copied().partition(|game| is_free(&game));
            if placed.is_empty() {
                continue;
            }
            let (mut over, mut after) = (0.0, after.to_vec());
            for (own, theirs, mover, probability) in placed {
                let own = own.with(cell);
                let full = own.union(theirs).is_full();
                if own.has_line() || full {
                    over += if own.has_line() { probability } else { probability / 2.0 };
                    continue;
                }
                let Mover::Order(order) = movers[mover].0 else { unreachable!("orders only") };
                let theirs = theirs.with(order.first_free(own.union(theirs)));
                match (theirs.has_line(), own.union(theirs).is_full()) {
                    (true, _) => {}
                    (false, true) => over += probability / 2.0,
                    (false, false) => after.push((own, theirs, mover, probability)),
                }
            }
            best = best.max(over + try_cells(movers, &rest, &after, tried.with(cell)));
        }
        best
    }
    if games.is_empty() {
        return 0.0;
    }
    try_cells(movers, &games, &[], CellSet::default())
}

#[test]
fn best_responses_are_those_found_by_trying_all() {
    let mut rng = rng(3);
    for num_orders in [1, 1, 2, 2, 3] {
        let share = 1.0 / num_orders as f64;
        let movers: Vec<_> =
            (0..num_orders).map(|_| (Mover::Order(CellOrder::random(&mut rng)), share)).collect();
        let none = CellSet::default();
        for seat in Seat::BOTH {
            let games = (0..).zip(&movers).map(|(mover, &(law, share))| {
                let Mover::Order(order) = law else { unreachable!("orders only") };
                let theirs = match seat {
                    Seat::First => none,
                    Seat::Second => none.with(order.first_free(none)),
                };
                (none, theirs, mover, share)
            });
            let expected = best_by_trying(&movers, games.collect());
            let found = best_response(seat, &movers);
            assert!((found.score - expected).abs() < 1e-12, "{found:?}, {expected} expected");
            // One order for all stones is a list, too.
            let (score, order) = best_order(seat, &movers);
            assert!(score < found.score + 1e-12, "{order:?} scores {score}, {found:?}");
        }
    }
}

#[test]
fn the_best_order_is_the_best_of_all() {
    let mut rng = rng(7);
    let orders = [(); 2].map(|()| Mover::Order(CellOrder::random(&mut rng)));
    let movers = [(orders[0], 0.5), (orders[1], 0.5)];
    for seat in Seat::BOTH {
        let score = |mover: Mover| {
            let against = |&(other, weight): &(Mover, f64)| {
                weight
                    * match seat {
                        Seat::First => exact_outcome(mover, other).score(),
                        Seat::Second => 1.0 - exact_outcome(other, mover).score(),
                    }
            };
            movers.iter().map(against).sum::<f64>()
        };
        let mut best = 0.0f64;
        let mut cells = std::array::from_fn(|cell| cell as u8);
        for_all_orders(&mut cells, 0, &mut |order| {
            best = best.max(score(Mover::Order(CellOrder::from(order))));
        });
        let (found, order) = best_order(seat, &movers);
        assert!((found - best).abs() < 1e-12, "{found}, {best} expected");
        assert!((score(Mover::Order(order)) - found).abs() < 1e-12, "{order:?}");
    }
}

/// Returns the score of a list, which contains the cells to try for each stone, against a random mover. Enumerates all
/// games.
fn list_score(list: &[Vec<u8>], seat: Seat, stones: BySeat<CellSet>, to_move: Seat) -> f64 {
    let taken = stones.first.union(stones.second);
    let put = |cell: u8| {
        let mut stones = stones;
        stones[to_move] = stones[to_move].with(cell);
        match () {
            () if stones[to_move].has_line() => f64::from(u8::from(to_move == seat)),
            () if stones.first.union(stones.second).is_full() => 0.5,
            () => list_score(list, seat, stones, to_move.other()),
        }
    };
    if to_move == seat {
        let cells = &list[stones[seat].len() as usize];
        let cell = cells.iter().find(|&&cell| !taken.contains(cell));
        put(*cell.expect("the list is long enough"))
    } else {
        let free = (0..NUM_CELLS as u8).filter(|&cell| !taken.contains(cell));
        free.map(put).sum::<f64>() / f64::from(9 - taken.len())
    }
}

fn check_lists(seat: Seat, order: f64, list: f64) {
    let random = [(Mover::Random, 1.0)];
    assert_close(best_order(seat, &random).0, order);
    let found = best_response(seat, &random);
    assert_close(found.score, list);
    let played = list_score(&found.cells, seat, BySeat::default(), Seat::First);
    assert_close(played, found.score);
}

#[test]
fn a_known_order_is_beaten() {
    let family = PhantomTicTacToeFamily::default();
    let best = CellReference::Orders(CellOrders::best_against_random());
    let best = Prepared::Reference(best);
    let response = family.best_response(&best).expect("it is solved");
    // These games were worked out by hand. The second player wins with the bottom row, trying bottom first, against
    // centre, top and top left. The first player wins with centre, left and right against top left and bottom right.
    assert_eq!(response.scores, BySeat { first: 1.0, second: 1.0 });
    let against_redrawn = family.exact_score(&best, &Prepared::redrawn(&family));
    assert_close(against_redrawn.expect("it is solved"), 0.783567);
    assert_eq!(family.exact_score(&best, &best), Some(0.5));
}

#[test]
fn symmetries_change_no_game() {
    let mut rng = rng(5);
    for _ in 0..50 {
        let orders = [(); 2].map(|()| CellOrder::random(&mut rng));
        let [first, second] = orders.map(symmetric_images);
        let outcomes = first.into_iter().zip(second);
        let mut outcomes = outcomes.map(|(a, b)| exact_outcome(Mover::Order(a), Mover::Order(b)));
        let outcome = outcomes.next().expect("there are eight");
        assert!(outcomes.all(|other| other == outcome), "{orders:?}");
        let mut images: Vec<_> = first.iter().map(|order| order.cells()).collect();
        images.sort_unstable();
        images.dedup();
        assert_eq!(images.len(), 8);
    }
}
