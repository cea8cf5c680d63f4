//! Strategies for four in a row: flat Monte-Carlo with biased random games.
//!
//! Cauwet & Teytaud 2018, section IV-B, play four in a row by Monte-Carlo with tuned random games, but do not give the
//! parameters. Here the player simulates 20 random games after each legal move and takes the move with the most wins (a
//! draw counts as half), at random among equal moves. A move that wins at once is taken without simulation. In the
//! random games, each column that is not full is drawn with a probability proportional to e^w. The 14 parameters are
//! the weights w of the seven columns, first for the player's own stones, then for the opponent's stones.
//!
//! If all weights are zero, the player is ordinary flat Monte-Carlo. It scores .693 against the redrawn baseline (60
//! 000 pairs, standard error .0013; .685 with an independent prototype).
//!
//! Probabilities are rounded to multiples of 2^-15. Cost: a move at the beginning of the game simulates about 3000
//! stones, which take about 4 nanoseconds each.

mod family;
mod picture;

use std::array;

use rand::{Rng, RngExt};
use ruse_games::column_board::{Columns, NUM_COLUMNS};
use ruse_games::four_in_a_row::{FourInARow, FourInARowView};
use ruse_search::{Parameter, ParameterError, ParameterSpace, ParametricStrategy, Strategy};

pub use self::family::FourInARowFamily;
use crate::check_parameters;

/// The number of random games after each move.
const NUM_PLAYOUTS: u32 = 20;

/// The number of random bits with which a column is drawn.
const DRAW_BITS: u32 = 15;

/// The distribution of columns for each set of full columns, as thresholds: a random number of [`DRAW_BITS`] bits
/// selects the column whose index is the number of thresholds below it.
#[derive(Debug, Clone, PartialEq)]
struct ColumnLaw {
    // Eight 16-bit numbers fill one register, so all are compared at once.
    thresholds: [[i16; 8]; 1 << NUM_COLUMNS],
}

impl ColumnLaw {
    fn from_log_weights(log_weights: &[f64; NUM_COLUMNS]) -> ColumnLaw {
        let weights = RelativeWeights::new(log_weights);
        let thresholds = array::from_fn(|full: usize| {
            let weights = weights.probabilities(full as u8);
            let mut below = 0.0;
            let mut thresholds = [i16::MAX; 8];
            for (threshold, weight) in thresholds.iter_mut().zip(weights) {
                below += weight;
                // A draw belongs to this column or one to its left if it is below the sum, so the threshold is one
                // less. The sum of all weights rounds to 1.
                *threshold = ((below * f64::from(1 << DRAW_BITS)).round() - 1.0) as i16;
            }
            thresholds
        });
        ColumnLaw { thresholds }
    }

    #[inline(always)]
    fn column(&self, full: u8, draw: i16) -> u8 {
        let thresholds = &self.thresholds[usize::from(full) % (1 << NUM_COLUMNS)];
        thresholds.iter().map(|&threshold| i16::from(draw > threshold)).sum::<i16>() as u8
    }
}

/// The weight of each column relative to the heaviest free column. The weights are computed once for all 128 sets of full
/// columns, because exponentials are slow and many sets share their heaviest column.
struct RelativeWeights<'a> {
    log_weights: &'a [f64; NUM_COLUMNS],
    /// The weight of a column divided by the weight of a unit column, indexed by the unit column, then by the column.
    /// It is zero if the column is heavier than the unit column.
    weights: [[f64; NUM_COLUMNS]; NUM_COLUMNS],
}

impl RelativeWeights<'_> {
    fn new(log_weights: &[f64; NUM_COLUMNS]) -> RelativeWeights<'_> {
        let weights = log_weights.map(|unit| {
            log_weights.map(|weight| if weight <= unit { libm::exp(weight - unit) } else { 0.0 })
        });
        RelativeWeights { log_weights, weights }
    }

    /// Returns the probability of each column if the columns in the set `full` are full; all zeros if all columns are
    /// full.
    fn probabilities(&self, full: u8) -> [f64; NUM_COLUMNS] {
        let is_open = |column: usize| full >> column & 1 == 0;
        let open = (0..NUM_COLUMNS).filter(|&column| is_open(column));
        // Weights are divided by the largest weight, so that they cannot overflow, and do not all vanish.
        let heaviest = open.max_by(|&a, &b| self.log_weights[a].total_cmp(&self.log_weights[b]));
        let Some(heaviest) = heaviest else { return [0.0; NUM_COLUMNS] };
        let weights: [f64; NUM_COLUMNS] =
            array::from_fn(
                |column| {
                    if is_open(column) { self.weights[heaviest][column] } else { 0.0 }
                },
            );
        let sum: f64 = weights.iter().sum();
        weights.map(|weight| weight / sum)
    }
}

/// A random game in progress.
#[derive(Debug, Clone, Copy)]
struct Playout {
    mover: u64,
    other: u64,
    /// The side to move: 0 is the player that is choosing a move, 1 is its opponent.
    side: usize,
    /// The index of the move that this random game evaluates.
    candidate: usize,
}

/// A player that evaluates each move with random games.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatMonteCarlo {
    game: FourInARow,
    /// True if the player avoids, if possible, moves after which the opponent can win at once.
    is_careful: bool,
    /// The log-weights w of the columns, for the player's own stones and for the opponent's stones.
    log_weights: [[f64; NUM_COLUMNS]; 2],
    laws: [ColumnLaw; 2],
}

impl FlatMonteCarlo {
    fn new(game: &FourInARow, log_weights: [[f64; NUM_COLUMNS]; 2]) -> FlatMonteCarlo {
        FlatMonteCarlo {
            game: *game,
            is_careful: false,
            laws: [0, 1].map(|side: usize| ColumnLaw::from_log_weights(&log_weights[side])),
            log_weights,
        }
    }

    /// Creates the player whose random games choose uniformly among the columns that are not full.
    pub fn uniform(game: &FourInARow) -> FlatMonteCarlo {
        Self::new(game, [[0.0; NUM_COLUMNS]; 2])
    }

    /// Like [`uniform`](FlatMonteCarlo::uniform), but avoids, if possible, moves after which the opponent can win at
    /// once.
    pub fn careful(game: &FourInARow) -> FlatMonteCarlo {
        FlatMonteCarlo { is_careful: true, ..Self::uniform(game) }
    }

    /// Returns the probabilities of the columns in random games while no column is full, for own and for opposing
    /// stones.
    pub fn column_probabilities(&self) -> [[f64; NUM_COLUMNS]; 2] {
        self.log_weights.map(|log_weights| RelativeWeights::new(&log_weights).probabilities(0))
    }

    /// Returns `true` if the player to move can win at once; `mover` contains the stones of this player, `other` the
    /// stones of the opponent.
    fn can_win(&self, mover: u64, other: u64) -> bool {
        let full = self.game.columns().full_columns(mover | other);
        (0..NUM_COLUMNS as u8)
            .any(|column| full >> column & 1 == 0 && self.game.put(mover, other, column).is_won)
    }

    /// Returns the column to play with stones `own` against stones `opponent`.
    fn choose<R: Rng>(&self, own: u64, opponent: u64, rng: &mut R) -> u8 {
        let mut candidates = [0; NUM_COLUMNS];
        let mut stones = [0; NUM_COLUMNS];
        let mut num_candidates = 0;
        let full = self.game.columns().full_columns(own | opponent);
        for column in (0..NUM_COLUMNS as u8).filter(|column| full >> column & 1 == 0) {
            let put = self.game.put(own, opponent, column);
            if put.is_won {
                return column;
            }
            candidates[num_candidates] = column;
            stones[num_candidates] = put.own;
            num_candidates += 1;
        }
        if self.is_careful {
            let mut num_safe = 0;
            for index in 0..num_candidates {
                if !self.can_win(opponent, stones[index]) {
                    candidates.swap(num_safe, index);
                    stones.swap(num_safe, index);
                    num_safe += 1;
                }
            }
            if num_safe > 0 {
                num_candidates = num_safe;
            }
        }
        if num_candidates == 1 {
            return candidates[0];
        }
        let points = self.playouts(&stones[..num_candidates], opponent, rng);
        let mut best = 0;
        let mut num_best = 0;
        for index in 0..num_candidates {
            if num_best == 0 || points[index] > points[best] {
                (best, num_best) = (index, 1);
            } else if points[index] == points[best] {
                // Reservoir sampling: each of the equally good moves is kept with the same probability.
                num_best += 1;
                if rng.random_range(0..num_best) == 0 {
                    best = index;
                }
            }
        }
        candidates[best]
    }

    /// Returns, for each candidate move, the half points won in [`NUM_PLAYOUTS`] random games. `own` contains the
    /// player's stones after each candidate move. The opponent moves next.
    fn playouts<R: Rng>(&self, own: &[u64], opponent: u64, rng: &mut R) -> [u32; NUM_COLUMNS] {
        // Each stone of a game depends on the one before. Four interleaved games keep the processor busy, and share a
        // random number.
        const NUM_LANES: usize = 4;
        const { assert!(NUM_LANES as u32 <= NUM_PLAYOUTS && 64 / NUM_LANES as u32 > DRAW_BITS) };
        let num_playouts = NUM_PLAYOUTS * own.len() as u32;
        let start = |index: u32| {
            let candidate = (index / NUM_PLAYOUTS) as usize;
            Playout { mover: opponent, other: own[candidate], side: 1, candidate }
        };
        let mut points = [0; NUM_COLUMNS];
        let mut lanes: [Playout; NUM_LANES] = array::from_fn(|index| start(index as u32));
        let mut num_started = NUM_LANES as u32;
        let mut num_active = NUM_LANES;
        while num_active > 0 {
            let mut bits = rng.next_u64();
            let mut lane = 0;
            while lane < num_active {
                let Playout { mover, other, side, candidate } = lanes[lane];
                let full = self.game.columns().full_columns(mover | other);
                let draw = (bits & ((1 << DRAW_BITS) - 1)) as i16;
                bits >>= 64 / NUM_LANES;
                let put = self.game.put(mover, other, self.laws[side].column(full, draw));
                if put.is_won || put.is_full {
                    points[candidate] += match (put.is_won, side) {
                        (false, _) => 1,
                        (true, 0) => 2,
                        (true, _) => 0,
                    };
                    if num_started < num_playouts {
                        lanes[lane] = start(num_started);
                        num_started += 1;
                    } else {
                        // The last game moves into the free lane, and may put one stone less in this round.
                        num_active -= 1;
                        lanes[lane] = lanes[num_active];
                    }
                } else {
                    lanes[lane] =
                        Playout { mover: other, other: put.own, side: 1 - side, candidate };
                }
                lane += 1;
            }
        }
        points
    }
}

impl Strategy<FourInARow> for FlatMonteCarlo {
    type Memory = ();

    fn act<R: Rng>(&self, _: &mut (), view: FourInARowView<'_>, rng: &mut R, action: &mut u8) {
        let FourInARowView { board, seat } = view;
        *action = self.choose(board.stones(seat), board.stones(seat.other()), rng);
    }
}

impl ParametricStrategy<FourInARow> for FlatMonteCarlo {
    fn space(_game: &FourInARow) -> ParameterSpace {
        let parameters = [("own", "their own stones"), ("opponent", "those of the opponent")];
        let parameters = parameters.into_iter().flat_map(|(prefix, stones)| {
            ('a'..='g').map(move |column| {
                let meaning = format!(
                    "log-weight of column {column}, from the left, for {stones} in random games"
                );
                Parameter::new(format!("{prefix}-{column}"), meaning)
            })
        });
        ParameterSpace::new(parameters.collect())
    }

    fn from_parameters(game: &FourInARow, theta: &[f64]) -> Result<Self, ParameterError> {
        check_parameters(theta, 2 * NUM_COLUMNS, || Self::space(game))?;
        let (sides, _) = theta.as_chunks();
        Ok(Self::new(game, [sides[0], sides[1]]))
    }
}

/// The reference strategies.
#[derive(Debug, Clone)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one for a whole match, and a box would be one more look-up for each stone"
)]
pub enum FourInARowReference {
    /// Puts each stone into a random column that is not full.
    Random(Columns),
    /// Evaluates each move with random games.
    MonteCarlo(FlatMonteCarlo),
}

impl Strategy<FourInARow> for FourInARowReference {
    type Memory = ();

    #[inline]
    fn act<R: Rng>(&self, memory: &mut (), view: FourInARowView<'_>, rng: &mut R, action: &mut u8) {
        match self {
            FourInARowReference::Random(columns) => {
                let full = columns.full_columns(view.board.occupied());
                let open = |column: u8| full >> column & 1 == 0;
                *action = loop {
                    // At least one of the seven columns is open.
                    let column = rng.random_range(0..NUM_COLUMNS as u8);
                    if open(column) {
                        break column;
                    }
                };
            }
            FourInARowReference::MonteCarlo(player) => {
                player.act(memory, view, rng, action);
            }
        }
    }
}

#[cfg(test)]
mod tests;
