//! Strategies for War and Batawaf: the order in which to put back the cards won.
//!
//! Cauwet & Teytaud 2018, section V-A. Three parameters A, B, C are the logarithms of the weights of three orders. For
//! every pile one order is drawn:
//! - a uniformly random order with probability e^A / (e^A + e^B + e^C),
//! - the ascending order (worst card first) with probability e^B / (...),
//! - the descending order (best card first) with probability e^C / (...).
//!
//! A fourth parameter, if there is one, is the seed of a permutation pi for every size of pile; the cards then go back
//! as `ascending[pi[sigma[i]]]`, where sigma is the order drawn. The paper does not say how the seed becomes a
//! permutation; here it is drawn from the [`HashStream`] of the seed, with the size of the pile as the tag.
//!
//! The order of the families `war-orders` and `batawaf-orders` is ours: weights of positions give the order of a pile,
//! and a pile is rarely shuffled ([`ByPosition`]).
//!
//! The implementation deviates from the paper only in ways that do not change any distribution. A pile of two needs one
//! draw, not two. These draws are made for 64 turns at once ([`toss_64`]); draws for turns that a seat loses are not
//! used. A strategy that almost always uses one pure order draws the number of piles until the next exception
//! (geometric distribution), so that the arena can skip endless repetitions.

mod by_position;
mod family;
mod kernel;
mod log_weights;
mod picture;
mod words;

use rand::Rng;
use rand_distr::{Distribution, Open01};
use ruse_base::hashing::HashStream;
use ruse_games::Seat;
use ruse_games::war::{Answers, Pile, War, WarView};
use ruse_search::{
    CopyMemory, Parameter, ParameterError, ParameterSpace, ParametricStrategy, Strategy,
    clone_memory,
};

pub use self::by_position::ByPosition;
pub use self::family::WarFamily;
use self::kernel::Foresight;
use self::words::{in_words, words_of_mixture};
use crate::coins::{TWO_TO_64, toss_64};
use crate::{Reference, SelfPlay, check_parameters};

/// An order without randomness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PureOrder {
    /// Worst card first.
    Ascending,
    /// Best card first.
    Descending,
}

impl PureOrder {
    fn reversed(self) -> PureOrder {
        match self {
            PureOrder::Ascending => PureOrder::Descending,
            PureOrder::Descending => PureOrder::Ascending,
        }
    }
}

/// The probability of each order; the three numbers sum to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderProbabilities {
    /// The probability of a uniformly random order.
    pub random: f64,
    /// The probability of the ascending order, worst card first.
    pub ascending: f64,
    /// The probability of the descending order, best card first.
    pub descending: f64,
}

impl OrderProbabilities {
    /// Returns the probabilities for the log-weights `[random, ascending, descending]`, any finite numbers.
    pub fn from_log_weights(log_weights: [f64; 3]) -> OrderProbabilities {
        let largest = log_weights.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let [a, b, c] = log_weights.map(|log_weight| libm::exp(log_weight - largest));
        let sum = a + b + c;
        OrderProbabilities { random: a / sum, ascending: b / sum, descending: c / sum }
    }

    fn in_order(self) -> [f64; 3] {
        [self.random, self.ascending, self.descending]
    }
}

/// A permutation of the ascending order of a pile, applied before the drawn order. The type also defines the parameters
/// of a strategy with this permutation.
pub trait Perturbation: Clone + Send + Sync + 'static {
    /// The names and meanings of the parameters.
    const PARAMETERS: &'static [(&'static str, &'static str)];

    /// The names that a picture shows for three orders: random, permuted ascending, and its reverse. `None` if all
    /// strategies use the permuted ascending order, except for shuffled piles.
    const CORNERS: Option<[&'static str; 3]>;

    /// The permutation type of the reference strategies. Its default value changes nothing.
    type Named: Perturbation + Default;

    /// Returns the probability of each order, and the permutation. `theta` has one finite number for each of
    /// `PARAMETERS`.
    fn from_parameters(theta: &[f64]) -> (OrderProbabilities, Self);

    /// Permutes the cards of a pile; each size of pile has its own permutation.
    fn perturb(&self, ascending: &mut [u8]);

    /// Returns `true` if the permutation swaps the cards of a pile of two.
    fn swaps_two(&self) -> bool;

    /// Describes the play of a strategy in words.
    fn words(strategy: &PileOrdering<Self>) -> String;

    /// Returns the self-play of the family, if the probabilities of the orders follow from the first three parameters,
    /// which are log-weights.
    fn self_play() -> Option<SelfPlay<War, PileOrdering<Self>>> {
        None
    }

    /// Returns the reference strategies other than `random`, `ascending` and `descending`.
    fn further_references() -> Vec<Reference<PileOrdering<Self::Named>>> {
        Vec::new()
    }
}

/// The names and meanings of the log-weights of the three orders.
const A: (&str, &str) = ("A", "log-weight of putting cards back in random order");
const B: (&str, &str) =
    ("B", "log-weight of putting cards back in ascending order, worst card first");
const C: (&str, &str) = ("C", "log-weight of putting cards back in reverse order, best card first");

/// A perturbation that changes nothing, for strategies with three parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Plain;

impl Perturbation for Plain {
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[A, B, C];
    const CORNERS: Option<[&'static str; 3]> =
        Some(["random order", "worst card first", "best card first"]);

    type Named = Plain;

    fn from_parameters(theta: &[f64]) -> (OrderProbabilities, Plain) {
        (OrderProbabilities::from_log_weights([theta[0], theta[1], theta[2]]), Plain)
    }

    fn self_play() -> Option<SelfPlay<War, PileOrdering<Plain>>> {
        Some(SelfPlay::new())
    }

    #[inline]
    fn perturb(&self, _ascending: &mut [u8]) {}

    #[inline]
    fn swaps_two(&self) -> bool {
        false
    }

    fn words(strategy: &PileOrdering<Plain>) -> String {
        let names = ["reverse order (best card first)", "ascending order (worst card first)"];
        words_of_mixture(strategy.probabilities.in_order(), names)
    }
}

/// A pseudo-random permutation for every size of pile, for strategies with four parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hashed {
    seed: f64,
    swaps_two: bool,
}

impl Perturbation for Hashed {
    const PARAMETERS: &'static [(&'static str, &'static str)] =
        &[A, B, C, ("D", "seed of a permutation of the ascending order for every size of pile")];
    const CORNERS: Option<[&'static str; 3]> =
        Some(["random order", "scrambled order", "its reverse"]);

    type Named = Plain;

    fn from_parameters(theta: &[f64]) -> (OrderProbabilities, Hashed) {
        let mut two = [0, 1];
        let seed = theta[3];
        HashStream::new(seed, 2).permute(&mut two);
        let (probabilities, Plain) = Plain::from_parameters(theta);
        (probabilities, Hashed { seed, swaps_two: two == [1, 0] })
    }

    fn self_play() -> Option<SelfPlay<War, PileOrdering<Hashed>>> {
        Some(SelfPlay::new())
    }

    #[inline]
    fn perturb(&self, ascending: &mut [u8]) {
        HashStream::new(self.seed, ascending.len() as u64).permute(ascending);
    }

    #[inline]
    fn swaps_two(&self) -> bool {
        self.swaps_two
    }

    fn words(strategy: &PileOrdering<Hashed>) -> String {
        let OrderProbabilities { random, ascending, descending } = strategy.probabilities;
        // Nine of ten piles have two cards; nearly all others have six, from one tie.
        let best_first = if strategy.perturbation.swaps_two { ascending } else { descending };
        let order: Vec<String> =
            strategy.permutation(6).iter().map(|card| (card + 1).to_string()).collect();
        let names = ["its scrambled order reversed", "its scrambled order"];
        format!(
            "{}; so the better of two cards goes first with probability {}, and the scrambled order of six cards, 1 \
             being the worst, is {}",
            words_of_mixture(strategy.probabilities.in_order(), names),
            in_words(best_first + random / 2.0),
            order.join(" ")
        )
    }
}

/// A strategy with less probable exceptions than this counts as nearly pure: between two exceptions there are enough
/// piles for the game to repeat itself.
const NEARLY_PURE: f64 = 1e-3;

/// The way to draw the order of a pile.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Drawing {
    /// One order for all piles.
    Always(PureOrder),
    /// One order for nearly all piles.
    Nearly {
        order: PureOrder,
        /// The probability of an exception.
        exception: f64,
        /// The probability that an exception is a random order; otherwise it is the other pure order.
        random_given_exception: f64,
    },
    /// Any other distribution. Each bound is a probability in units of 2^-64.
    Mixed {
        /// A pile of two goes back best card first if random bits are below this bound.
        two_descending_below: u64,
        random_below: u64,
        /// The order is ascending if random bits are below this bound, but not below `random_below`.
        ascending_below: u64,
    },
}

/// A strategy for War or Batawaf, defined by the probability of each order.
#[derive(Debug, Clone, PartialEq)]
pub struct PileOrdering<P> {
    probabilities: OrderProbabilities,
    drawing: Drawing,
    perturbation: P,
}

impl PileOrdering<Plain> {
    /// Creates the strategy that always uses a random order, as most people do.
    pub fn random() -> Self {
        Self::with(OrderProbabilities { random: 1.0, ascending: 0.0, descending: 0.0 }, Plain)
    }

    /// Creates the strategy that always uses the same order.
    pub fn pure(order: PureOrder) -> Self {
        let (ascending, descending) = match order {
            PureOrder::Ascending => (1.0, 0.0),
            PureOrder::Descending => (0.0, 1.0),
        };
        Self::with(OrderProbabilities { random: 0.0, ascending, descending }, Plain)
    }
}

impl<P: Perturbation> PileOrdering<P> {
    fn with(probabilities: OrderProbabilities, perturbation: P) -> Self {
        let OrderProbabilities { random, ascending, descending } = probabilities;
        let (order, other_pure) = if descending >= ascending {
            (PureOrder::Descending, ascending)
        } else {
            (PureOrder::Ascending, descending)
        };
        // A sum of the small numbers, because 1 minus the large number would lose their precision.
        let exception = random + other_pure;
        let drawing = if exception == 0.0 {
            Drawing::Always(order)
        } else if exception < NEARLY_PURE {
            Drawing::Nearly { order, exception, random_given_exception: random / exception }
        } else {
            let best_first = if perturbation.swaps_two() { ascending } else { descending };
            Drawing::Mixed {
                two_descending_below: bound(best_first + random / 2.0),
                random_below: bound(random),
                ascending_below: bound(random + ascending),
            }
        };
        PileOrdering { probabilities, drawing, perturbation }
    }

    /// Returns the probability of each order.
    pub fn probabilities(&self) -> OrderProbabilities {
        self.probabilities
    }

    /// Returns the permutation that this strategy applies to the ascending order of a pile of `size` cards. Entry `i`
    /// is the number of the `i`th card that goes back if the ascending order is drawn. The worst card has number 0.
    pub fn permutation(&self, size: u8) -> Vec<u8> {
        let mut cards: Vec<u8> = (0..size).collect();
        self.perturbation.perturb(&mut cards);
        cards
    }

    fn arrange(&self, order: PureOrder, won: &[u8], action: &mut Pile) {
        action.set(won);
        self.perturbation.perturb(action.cards_mut());
        if order == PureOrder::Descending {
            action.cards_mut().reverse();
        }
    }

    /// Handles the rarer cases: larger piles, and nearly pure strategies.
    #[inline(never)]
    fn act_seldom<R: Rng>(
        &self,
        memory: &mut OrderingMemory,
        stretch: u64,
        won: &[u8],
        rng: &mut R,
        action: &mut Pile,
    ) {
        match self.drawing {
            Drawing::Always(order) => self.arrange(order, won, action),
            Drawing::Mixed { two_descending_below, random_below, ascending_below } => {
                memory.toss_until(stretch, two_descending_below, rng);
                let draw = rng.next_u64();
                if draw < random_below {
                    action.set_shuffled(won, rng);
                } else if draw < ascending_below {
                    self.arrange(PureOrder::Ascending, won, action);
                } else {
                    self.arrange(PureOrder::Descending, won, action);
                }
            }
            Drawing::Nearly { order, exception, random_given_exception } => {
                let left = memory.piles_before(exception, rng);
                if *left > 0 {
                    *left -= 1;
                    return self.arrange(order, won, action);
                }
                memory.piles_before_exception = None;
                let draw: f64 = Open01.sample(rng);
                if draw < random_given_exception {
                    action.set_shuffled(won, rng);
                } else {
                    self.arrange(order.reversed(), won, action);
                }
            }
        }
    }
}

/// Returns a probability in units of 2^-64, for comparison with 64 random bits. The cast saturates, so a probability of
/// 1 becomes 1 - 2^-64.
fn bound(probability: f64) -> u64 {
    (probability * TWO_TO_64) as u64
}

#[inline(always)]
fn put_back_two(low: u8, high: u8, best_first: bool, action: &mut Pile) {
    // Two selections are faster than an unpredictable branch.
    let (first, second) =
        (if best_first { high } else { low }, if best_first { low } else { high });
    action.set_two(first, second);
}

/// The memory of a [`PileOrdering`] during a game.
#[derive(Debug, Clone, Default)]
pub struct OrderingMemory {
    /// The number of piles before the next exception of a nearly pure strategy; `None` before it is drawn.
    piles_before_exception: Option<u64>,
    /// The number of stretches of 64 turns for which a mixed strategy has tossed its coins.
    num_tossed: u64,
    /// The answers for the latest stretch: for each turn, if a pile of two goes back with the best card first.
    best_first: Answers,
}

impl OrderingMemory {
    /// Returns the number of piles before the next exception, and draws it if necessary. Each pile is an exception with
    /// probability `exception`.
    #[inline]
    fn piles_before<R: Rng>(&mut self, exception: f64, rng: &mut R) -> &mut u64 {
        self.piles_before_exception.get_or_insert_with(|| geometric(exception, rng))
    }

    /// Tosses the coins of all stretches up to `stretch`, so that the draws do not depend on when the coins are needed.
    #[inline(always)]
    fn toss_until<R: Rng>(&mut self, stretch: u64, best_first_below: u64, rng: &mut R) {
        while self.num_tossed <= stretch {
            self.best_first = Answers(toss_64(best_first_below, rng));
            self.num_tossed += 1;
        }
    }
}

impl<P: Perturbation> Strategy<War> for PileOrdering<P> {
    type Memory = OrderingMemory;

    const COPY: CopyMemory<OrderingMemory> = clone_memory;

    #[inline]
    fn begin(&self, memory: &mut OrderingMemory, _seat: Seat) {
        memory.piles_before_exception = None;
        memory.num_tossed = 0;
    }

    #[inline(always)]
    fn act<R: Rng>(
        &self,
        memory: &mut OrderingMemory,
        view: WarView<'_>,
        rng: &mut R,
        action: &mut Pile,
    ) {
        let (stretch, turn) = (view.turns / Answers::NUM_TURNS, view.turns % Answers::NUM_TURNS);
        // Nine of ten piles have two cards.
        match (view.pile, self.drawing) {
            (&[low, high], Drawing::Always(order)) => {
                let best_first = (order == PureOrder::Descending) != self.perturbation.swaps_two();
                put_back_two(low, high, best_first, action);
            }
            (&[low, high], Drawing::Mixed { two_descending_below, .. }) => {
                memory.toss_until(stretch, two_descending_below, rng);
                put_back_two(low, high, memory.best_first.0 >> turn & 1 != 0, action);
            }
            (won, _) => self.act_seldom(memory, stretch, won, rng, action),
        }
    }
}

/// The part of a strategy that the kernel uses: the way to draw orders.
#[derive(Debug, Clone, Copy)]
struct Plan {
    drawing: Drawing,
    swaps_two: bool,
}

impl Plan {
    /// See [`Foresight::answers`].
    #[inline(always)]
    fn answers<R: Rng>(
        self,
        memory: &mut OrderingMemory,
        stretch: u64,
        rng: &mut R,
    ) -> Option<Answers> {
        let always = |order| {
            let best_first = (order == PureOrder::Descending) != self.swaps_two;
            Answers(if best_first { u64::MAX } else { 0 })
        };
        match self.drawing {
            Drawing::Always(order) => Some(always(order)),
            Drawing::Mixed { two_descending_below, .. } => {
                memory.toss_until(stretch, two_descending_below, rng);
                Some(memory.best_first)
            }
            Drawing::Nearly { order, exception, .. } => {
                // The stretch contains no exception if the next one comes after all of its piles.
                let left = memory.piles_before(exception, rng);
                (*left >= Answers::NUM_TURNS).then(|| always(order))
            }
        }
    }

    /// See [`Foresight::can_be_steady`].
    fn can_be_steady(self) -> bool {
        !matches!(self.drawing, Drawing::Mixed { .. })
    }

    /// See [`Foresight::steady_actions`].
    #[inline(always)]
    fn steady_actions(self, memory: &OrderingMemory) -> u64 {
        match self.drawing {
            Drawing::Always(_) => u64::MAX,
            Drawing::Nearly { .. } => memory.piles_before_exception.unwrap_or(0),
            Drawing::Mixed { .. } => 0,
        }
    }
}

impl OrderingMemory {
    /// Records that `num_actions` actions were taken without a call of [`act`](Strategy::act).
    fn skip(&mut self, num_actions: u64) {
        if let Some(left) = &mut self.piles_before_exception {
            *left -= num_actions;
        }
    }
}

impl<P: Perturbation> PileOrdering<P> {
    #[inline(always)]
    fn plan(&self) -> Plan {
        Plan { drawing: self.drawing, swaps_two: self.perturbation.swaps_two() }
    }
}

impl<P: Perturbation> Foresight for PileOrdering<P> {
    #[inline(always)]
    fn answers<R: Rng>(
        &self,
        memory: &mut OrderingMemory,
        stretch: u64,
        rng: &mut R,
    ) -> Option<Answers> {
        self.plan().answers(memory, stretch, rng)
    }

    fn can_be_steady(&self) -> bool {
        self.plan().can_be_steady()
    }

    #[inline]
    fn steady_actions(&self, memory: &OrderingMemory) -> u64 {
        self.plan().steady_actions(memory)
    }

    fn skip_actions(&self, memory: &mut OrderingMemory, num_actions: u64) {
        memory.skip(num_actions);
    }
}

/// Draws the number of failures before the first success, if each trial succeeds with probability `p` in (0, 1).
fn geometric<R: Rng>(p: f64, rng: &mut R) -> u64 {
    let uniform: f64 = Open01.sample(rng);
    // By inversion; the cast saturates.
    (libm::log(uniform) / libm::log1p(-p)) as u64
}

impl<P: Perturbation> ParametricStrategy<War> for PileOrdering<P> {
    fn space(_game: &War) -> ParameterSpace {
        let parameters = P::PARAMETERS.iter();
        let parameters = parameters.map(|&(name, meaning)| Parameter::new(name, meaning));
        ParameterSpace::new(parameters.collect())
    }

    fn from_parameters(game: &War, theta: &[f64]) -> Result<Self, ParameterError> {
        check_parameters(theta, P::PARAMETERS.len(), || Self::space(game))?;
        let (probabilities, perturbation) = P::from_parameters(theta);
        Ok(Self::with(probabilities, perturbation))
    }
}

#[cfg(test)]
mod tests;
