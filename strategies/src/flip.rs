//! Strategies for Flip: which card to put on which pile.
//!
//! # Parameters
//!
//! The parameters follow Cauwet & Teytaud 2018, Table I: a quadratic value function has 420 parameters. Since 420 = 20
//! x 20 + 20, it has twenty features; the paper does not give them, so these are our choice. They describe the position
//! after a put, before the card is replaced. Feature 10 s + 5 t + k is the number of visible cards
//! - of the player (s = 0) or of the opponent (s = 1)
//! - at distance k = 0, ..., 4 in the ring of ranks, 4 standing for four or more,
//! - from the card just put (t = 0) or the top card of the other pile (t = 1),
//!
//! divided by 5. Cards at distance 1 can be put on that pile. With features x the value is
//!
//! V = sum_i x_i (b_i + sum_j A_ij x_j),
//!
//! where A_ij is parameter 20 i + j and b_i is parameter 400 + i. The strategy makes the put with the largest value;
//! ties go to the lowest rank, then to the first pile. It draws no random numbers. If only one put is legal, it is made
//! without an evaluation.
//!
//! Deviations: A_ij and A_ji are added first, which rounds differently. In a ring of 7 ranks, a card at distance 4 in
//! one direction is at distance 3 in the other; it counts once, at distance 3.

mod family;
mod picture;
mod words;

use std::array;

use rand::Rng;
use ruse_games::flip::{Flip, FlipAction, FlipView, RankCounts};
use ruse_search::{Parameter, ParameterError, ParameterSpace, ParametricStrategy, Strategy};

pub use self::family::FlipFamily;
use crate::check_parameters;

/// The number of distances that features distinguish.
const NUM_DISTANCES: usize = 5;

/// The number of features of a put.
pub const NUM_FEATURES: usize = 4 * NUM_DISTANCES;

/// The number of parameters.
pub const NUM_PARAMETERS: usize = NUM_FEATURES * NUM_FEATURES + NUM_FEATURES;

/// The number of cards that counts as 1 in a feature: the visible cards of a player in the usual game.
const UNIT: f64 = 5.0;

/// The number of features that are summed as a block. Rows of the quadratic form are padded to a multiple of this
/// number.
const BLOCK: usize = 4;

const _: () = assert!(NUM_FEATURES == 5 * BLOCK);

/// A strategy for Flip that maximises a quadratic form.
#[derive(Debug, Clone, PartialEq)]
pub struct QuadraticPlayer {
    game: Flip,
    /// The coefficients of products of two features, in cards: A_ij + A_ji for i < j, A_ii, and 0 for i > j.
    products: [[f64; NUM_FEATURES]; NUM_FEATURES],
    linear: [f64; NUM_FEATURES],
}

/// Counts the cards of `hand` at distances 0 to 4 from `rank`, 4 standing for four or more.
#[inline]
fn at_distances(hand: RankCounts, rank: u8, num_ranks: u8) -> [u8; NUM_DISTANCES] {
    let around = hand.counted_from(rank, num_ranks);
    let near = [
        around.count(0),
        around.count(1) + around.count(num_ranks - 1),
        around.count(2) + around.count(num_ranks - 2),
        around.count(3) + around.count(num_ranks - 3),
    ];
    [near[0], near[1], near[2], near[3], hand.len() - near.iter().sum::<u8>()]
}

#[inline(always)]
fn features(game: &Flip, view: &FlipView, action: FlipAction) -> [f64; NUM_FEATURES] {
    let other_top = view.tops[usize::from(1 - action.pile)];
    let mut own = view.own;
    own.remove(action.card);
    let mut features = [0.0; NUM_FEATURES];
    let places = [
        (own, action.card),
        (own, other_top),
        (view.opponent, action.card),
        (view.opponent, other_top),
    ];
    for (features, (hand, rank)) in features.chunks_exact_mut(NUM_DISTANCES).zip(places) {
        for (feature, count) in features.iter_mut().zip(at_distances(hand, rank, game.num_ranks()))
        {
            *feature = f64::from(count);
        }
    }
    features
}

impl QuadraticPlayer {
    /// Returns the value of a position with the features `x`, in cards. The order of summation is fixed.
    #[inline(always)]
    fn value(&self, x: &[f64; NUM_FEATURES]) -> f64 {
        // The sums are computed row by row, starting at the diagonal block, so that the compiler vectorises over the
        // columns. The first column of a block is a constant, because loops with another start are not unrolled.
        let mut sums = self.linear;
        self.add_rows::<0>(x, &mut sums);
        self.add_rows::<BLOCK>(x, &mut sums);
        self.add_rows::<{ 2 * BLOCK }>(x, &mut sums);
        self.add_rows::<{ 3 * BLOCK }>(x, &mut sums);
        self.add_rows::<{ 4 * BLOCK }>(x, &mut sums);
        let mut value = [0.0; BLOCK];
        for (sums, x) in sums.chunks_exact(BLOCK).zip(x.chunks_exact(BLOCK)) {
            for (value, (sum, x)) in value.iter_mut().zip(sums.iter().zip(x)) {
                *value += sum * x;
            }
        }
        (value[0] + value[1]) + (value[2] + value[3])
    }

    /// Adds `x[i]` times row `i` of the products to `sum`, for the block of rows that starts at `FIRST`.
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "iterators over slices are not unrolled here")]
    fn add_rows<const FIRST: usize>(&self, x: &[f64; NUM_FEATURES], sum: &mut [f64; NUM_FEATURES]) {
        for i in FIRST..FIRST + BLOCK {
            for j in FIRST..NUM_FEATURES {
                sum[j] += self.products[i][j] * x[i];
            }
        }
    }
}

/// Returns the first of the puts with the largest value. If there is only one put, returns it without evaluating it.
#[inline]
fn best_put<V: PartialOrd>(
    game: &Flip,
    view: &FlipView,
    mut value_of: impl FnMut(FlipAction) -> V,
) -> FlipAction {
    let mut first = None;
    let mut best: Option<(V, FlipAction)> = None;
    game.for_each_action(view.own, view.tops, |action| {
        let Some(first) = first else {
            first = Some(action);
            return;
        };
        let (largest, _) = best.get_or_insert_with(|| (value_of(first), first));
        let value = value_of(action);
        if value > *largest {
            best = Some((value, action));
        }
    });
    best.map(|(_, action)| action).or(first).unwrap_or_default()
}

impl Strategy<Flip> for QuadraticPlayer {
    /// Empty, since the strategy decides by the view alone.
    type Memory = ();

    #[inline]
    fn act<R: Rng>(&self, _memory: &mut (), view: FlipView, _rng: &mut R, action: &mut FlipAction) {
        *action =
            best_put(&self.game, &view, |action| self.value(&features(&self.game, &view, action)));
    }
}

/// Returns a short name and a description of feature `i`.
fn feature_names(i: usize) -> (String, String) {
    let (whose, cards) = [("own", "own cards"), ("opp", "the opponent's cards")][i / 10];
    let (pile, from) = [("put", "the card just put"), ("other", "the other top card")][i / 5 % 2];
    let k = i % NUM_DISTANCES;
    let distance = if k + 1 == NUM_DISTANCES { format!("{k}+") } else { k.to_string() };
    let steps = match k {
        0 => "of the rank of".to_string(),
        1 => "one rank from".to_string(),
        4 => "four ranks or more from".to_string(),
        _ => format!("{} ranks from", ["two", "three"][k - 2]),
    };
    (format!("{whose} {pile} {distance}"), format!("{cards} {steps} {from}"))
}

impl ParametricStrategy<Flip> for QuadraticPlayer {
    fn space(_game: &Flip) -> ParameterSpace {
        let names: [_; NUM_FEATURES] = array::from_fn(feature_names);
        let mut parameters = Vec::with_capacity(NUM_PARAMETERS);
        for (first, first_cards) in &names {
            for (second, second_cards) in &names {
                let meaning = format!("value of {first_cards}, times {second_cards}");
                parameters.push(Parameter::new(format!("A[{first}, {second}]"), meaning));
            }
        }
        for (name, cards) in names {
            parameters.push(Parameter::new(format!("b[{name}]"), format!("value of {cards}")));
        }
        ParameterSpace::new(parameters)
    }

    fn from_parameters(game: &Flip, theta: &[f64]) -> Result<Self, ParameterError> {
        let mut player = QuadraticPlayer {
            game: game.clone(),
            products: [[0.0; NUM_FEATURES]; NUM_FEATURES],
            linear: [0.0; NUM_FEATURES],
        };
        player.set_parameters(game, theta)?;
        Ok(player)
    }

    fn set_parameters(&mut self, game: &Flip, theta: &[f64]) -> Result<(), ParameterError> {
        check_parameters(theta, NUM_PARAMETERS, || Self::space(game))?;
        self.game.clone_from(game);
        let (square, linear) = theta.split_at(NUM_FEATURES * NUM_FEATURES);
        for i in 0..NUM_FEATURES {
            self.linear[i] = linear[i] / UNIT;
            self.products[i][i] = square[NUM_FEATURES * i + i] / (UNIT * UNIT);
            for j in i + 1..NUM_FEATURES {
                let sum = square[NUM_FEATURES * i + j] + square[NUM_FEATURES * j + i];
                self.products[i][j] = sum / (UNIT * UNIT);
            }
        }
        Ok(())
    }
}

/// The rule by which a named strategy chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aim {
    Random,
    Mobility,
    Blocking,
}

/// A named strategy for Flip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPlayer {
    game: Flip,
    aim: Aim,
}

impl Strategy<Flip> for NamedPlayer {
    type Memory = ();

    #[inline]
    fn act<R: Rng>(&self, _memory: &mut (), view: FlipView, rng: &mut R, action: &mut FlipAction) {
        let game = &self.game;
        // Counts the cards of a hand that can go on one of the piles after the put `put`.
        let num_playable = |hand: RankCounts, put: FlipAction| {
            let mut tops = view.tops;
            tops[usize::from(put.pile)] = put.card;
            game.playable_somewhere(hand, tops).len()
        };
        *action = match self.aim {
            Aim::Random => game.sample_put(view.own, view.tops, rng),
            Aim::Mobility => best_put(game, &view, |put| {
                let mut own = view.own;
                own.remove(put.card);
                num_playable(own, put)
            }),
            Aim::Blocking => {
                best_put(game, &view, |put| std::cmp::Reverse(num_playable(view.opponent, put)))
            }
        };
    }
}

#[cfg(test)]
mod tests;
