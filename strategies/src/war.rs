//! Strategies for War and Batawaf: in which order to put back the cards won.
//!
//! Cauwet & Teytaud 2018, section V-A. Three parameters A, B, C are the logarithms of the weights of
//! three orders; for every pile one of them is drawn:
//! - a uniformly random order with probability e^A / (e^A + e^B + e^C),
//! - the ascending order (worst card first) with probability e^B / (...),
//! - the descending order (best card first) with probability e^C / (...).
//!
//! A fourth parameter, if there is one, is the seed of a permutation pi for every size of pile; the
//! cards then go back as `ascending[pi[sigma[i]]]`, sigma being the order drawn. How the seed becomes a
//! permutation is not in the paper; here it is [`HashStream`] with the size of the pile as tag.
//!
//! Deviations: none that changes a distribution. A pile of two needs one draw, not two; these draws are
//! made for 64 turns at once ([`toss_64`]), and those of the turns that a seat loses are not used. A
//! strategy that almost always uses one pure order draws the number of piles until the next exception (geometric)
//! instead of one order for every pile, so that the arena may skip the endless repetitions in between.

mod family;
mod kernel;
mod picture;

use rand::Rng;
use rand_distr::{Distribution, Open01};
use ruse_games::Seat;
use ruse_games::war::{Answers, Pile, War, WarView};

pub use self::family::WarFamily;
use self::kernel::Foresight;
use crate::coins::{TWO_TO_64, toss_64};
use crate::hashing::HashStream;
use crate::{Parameter, ParameterError, ParameterSpace, ParametricStrategy, Strategy};

/// An order of a pile that needs no randomness.
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

/// How often each order is used; the three numbers sum to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderProbabilities {
    /// A uniformly random order.
    pub random: f64,
    /// Worst card first.
    pub ascending: f64,
    /// Best card first.
    pub descending: f64,
}

impl OrderProbabilities {
    /// The probabilities of log-weights `[random, ascending, descending]`, any finite numbers.
    pub fn from_log_weights(log_weights: [f64; 3]) -> OrderProbabilities {
        let largest = log_weights.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let [a, b, c] = log_weights.map(|log_weight| libm::exp(log_weight - largest));
        let sum = a + b + c;
        OrderProbabilities { random: a / sum, ascending: b / sum, descending: c / sum }
    }
}

/// What a strategy does to the ascending order of a pile before it applies the order drawn.
pub trait Perturbation: Clone + Send + Sync + 'static {
    /// The number of parameters it takes, after the three log-weights.
    const PARAMETERS: &'static [(&'static str, &'static str)];

    /// The perturbation of its parameters: `[PARAMETERS.len()]`.
    fn from_parameters(theta: &[f64]) -> Self;

    /// Permutes the cards of a pile by the permutation that belongs to its size.
    fn perturb(&self, ascending: &mut [u8]);

    /// Whether a pile of two is swapped.
    fn swaps_two(&self) -> bool;
}

/// No perturbation: three parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plain;

impl Perturbation for Plain {
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[];

    fn from_parameters(_theta: &[f64]) -> Plain {
        Plain
    }

    #[inline]
    fn perturb(&self, _ascending: &mut [u8]) {}

    #[inline]
    fn swaps_two(&self) -> bool {
        false
    }
}

/// A pseudo-random permutation for every size of pile: four parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hashed {
    seed: f64,
    swaps_two: bool,
}

impl Perturbation for Hashed {
    const PARAMETERS: &'static [(&'static str, &'static str)] =
        &[("D", "seed of a permutation of the ascending order for every size of pile")];

    fn from_parameters(theta: &[f64]) -> Hashed {
        let mut two = [0, 1];
        HashStream::new(theta[0], 2).permute(&mut two);
        Hashed { seed: theta[0], swaps_two: two == [1, 0] }
    }

    #[inline]
    fn perturb(&self, ascending: &mut [u8]) {
        HashStream::new(self.seed, ascending.len() as u64).permute(ascending);
    }

    #[inline]
    fn swaps_two(&self) -> bool {
        self.swaps_two
    }
}

/// Below this probability of doing anything else, a strategy counts as nearly pure: stretches between
/// two exceptions are then long enough for the game to repeat itself.
const NEARLY_PURE: f64 = 1e-3;

/// How the order of a pile is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Drawing {
    /// One order for all piles.
    Always(PureOrder),
    /// One order for nearly all piles.
    Nearly {
        order: PureOrder,
        /// Probability of an exception.
        exception: f64,
        /// Given an exception, the probability of a random order; the other pure order otherwise.
        random_given_exception: f64,
    },
    /// Everything else. Each bound is a probability in units of 2^-64.
    Mixed {
        /// A pile of two goes back best card first below this bound.
        two_descending_below: u64,
        random_below: u64,
        /// Between `random_below` and this bound: ascending.
        ascending_below: u64,
    },
}

/// A strategy for War or Batawaf: how often it uses which order.
#[derive(Debug, Clone, PartialEq)]
pub struct PileOrdering<P> {
    probabilities: OrderProbabilities,
    drawing: Drawing,
    perturbation: P,
}

impl PileOrdering<Plain> {
    /// Always a uniformly random order: what most people do.
    pub fn random() -> Self {
        Self::with(OrderProbabilities { random: 1.0, ascending: 0.0, descending: 0.0 }, Plain)
    }

    /// Always the same order.
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
        // Summed from the small numbers: one minus the large one would lose them.
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

    /// How often each order is used.
    pub fn probabilities(&self) -> OrderProbabilities {
        self.probabilities
    }

    /// The ascending order of a pile of `size` cards as this strategy permutes it: card `i` of the
    /// result, counted from 0 for the worst, is the `i`th to go back when "ascending" is drawn.
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

    /// Everything that happens less often than a pile of two to a strategy that is pure or well mixed.
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

/// A probability in units of 2^-64, for comparison with 64 random bits. The cast saturates, so a
/// probability of 1 is short by 2^-64.
fn bound(probability: f64) -> u64 {
    (probability * TWO_TO_64) as u64
}

#[inline(always)]
fn put_back_two(low: u8, high: u8, best_first: bool, action: &mut Pile) {
    // Two selections instead of a branch, which could not be predicted.
    let (first, second) =
        (if best_first { high } else { low }, if best_first { low } else { high });
    action.set_two(first, second);
}

/// What a [`PileOrdering`] remembers during a game.
#[derive(Debug, Clone, Default)]
pub struct OrderingMemory {
    /// Piles until the next exception of a nearly pure strategy, if drawn already.
    piles_before_exception: Option<u64>,
    /// Stretches for which a mixed strategy has tossed its coins.
    num_tossed: u64,
    /// The coins of the last of them: whether a pile of two goes back best card first.
    best_first: Answers,
}

impl OrderingMemory {
    /// Piles before the next exception, each pile being one with probability `exception`.
    #[inline]
    fn piles_before<R: Rng>(&mut self, exception: f64, rng: &mut R) -> &mut u64 {
        self.piles_before_exception.get_or_insert_with(|| geometric(exception, rng))
    }

    /// Tosses the coins of all stretches up to `stretch`, so that what is drawn does not depend on when
    /// the coins are needed.
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
        // Nine piles in ten are of two cards.
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

impl<P: Perturbation> Foresight for PileOrdering<P> {
    #[inline(always)]
    fn answers<R: Rng>(
        &self,
        memory: &mut OrderingMemory,
        stretch: u64,
        rng: &mut R,
    ) -> Option<Answers> {
        let always = |order| {
            let best_first = (order == PureOrder::Descending) != self.perturbation.swaps_two();
            Answers(if best_first { u64::MAX } else { 0 })
        };
        match self.drawing {
            Drawing::Always(order) => Some(always(order)),
            Drawing::Mixed { two_descending_below, .. } => {
                memory.toss_until(stretch, two_descending_below, rng);
                Some(memory.best_first)
            }
            Drawing::Nearly { order, exception, .. } => {
                // There is no exception in this stretch if all of its piles come before the next one.
                let left = memory.piles_before(exception, rng);
                (*left >= Answers::NUM_TURNS).then(|| always(order))
            }
        }
    }

    fn can_be_steady(&self) -> bool {
        !matches!(self.drawing, Drawing::Mixed { .. })
    }

    #[inline]
    fn steady_actions(&self, memory: &OrderingMemory) -> u64 {
        match self.drawing {
            Drawing::Always(_) => u64::MAX,
            Drawing::Nearly { .. } => memory.piles_before_exception.unwrap_or(0),
            Drawing::Mixed { .. } => 0,
        }
    }

    fn skip_actions(&self, memory: &mut OrderingMemory, num_actions: u64) {
        if let Some(left) = &mut memory.piles_before_exception {
            *left -= num_actions;
        }
    }
}

/// The number of failures before the first success of probability `p` in (0, 1).
fn geometric<R: Rng>(p: f64, rng: &mut R) -> u64 {
    let uniform: f64 = Open01.sample(rng);
    // Inversion; the cast saturates.
    (libm::log(uniform) / libm::log1p(-p)) as u64
}

impl<P: Perturbation> ParametricStrategy<War> for PileOrdering<P> {
    fn space(_game: &War) -> ParameterSpace {
        let weights = [
            ("A", "log-weight of putting cards back in random order"),
            ("B", "log-weight of putting cards back in ascending order, worst card first"),
            ("C", "log-weight of putting cards back in reverse order, best card first"),
        ];
        let parameters = weights.iter().chain(P::PARAMETERS);
        ParameterSpace::new(
            parameters
                .map(|&(name, meaning)| Parameter { name: name.into(), meaning: meaning.into() })
                .collect(),
        )
    }

    fn from_parameters(game: &War, theta: &[f64]) -> Result<Self, ParameterError> {
        match theta {
            [a, b, c, rest @ ..]
                if rest.len() == P::PARAMETERS.len() && theta.iter().all(|x| x.is_finite()) =>
            {
                let probabilities = OrderProbabilities::from_log_weights([*a, *b, *c]);
                Ok(Self::with(probabilities, P::from_parameters(rest)))
            }
            // The space allocates, so it is made only to say what is wrong.
            _ => Err(Self::space(game).check(theta).expect_err("no other parameters are refused")),
        }
    }
}

#[cfg(test)]
mod tests;
