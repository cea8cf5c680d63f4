//! Strategies for Morra: a probability for each announcement.
//!
//! In Cauwet & Teytaud 2018, table I, a strategy is a vector of probabilities for all 66 announcements. The paper does
//! not say how real parameters become probabilities; here they are the logarithms of weights (softmax).
//!
//! A draw takes constant time (Walker, *An efficient method for generating discrete random variables with general
//! distributions*, ACM TOMS 3, 1977). The tables are Vose's (*A linear algorithm for generating random numbers with a
//! given distribution*, IEEE TSE 17, 1991), built in linear time.
//!
//! Since this is a matrix game, scores are computed exactly: [`expected_payoff`], [`exploitability`].

mod family;
mod picture;

use rand::Rng;
use ruse_games::morra::{Announcement, MAX_FINGERS, Morra, MorraView, NUM_ANNOUNCEMENTS};
use ruse_search::{
    Decisions, LogLinear, Parameter, ParameterError, ParameterSpace, ParametricStrategy, Strategy,
};

pub use self::family::MorraFamily;
use crate::check_parameters;
use crate::coins::TWO_TO_64;

/// The probabilities of the announcements. The index of an announcement is 11 x fingers + guess.
pub type Probabilities = [f64; NUM_ANNOUNCEMENTS];

const NUM_FINGERS: usize = MAX_FINGERS as usize + 1;

/// Returns how often a strategy shows each number of fingers, and how often it expects each number of the opponent's
/// fingers: its guess minus its own fingers.
///
/// Impossible expectations are left out, so the second array may sum to less than 1.
pub fn marginals(probabilities: &Probabilities) -> ([f64; NUM_FINGERS], [f64; NUM_FINGERS]) {
    let (mut shown, mut believed) = ([0.0; NUM_FINGERS], [0.0; NUM_FINGERS]);
    for (index, probability) in probabilities.iter().enumerate() {
        let Announcement { fingers, guess } = Announcement::of_index(index);
        shown[usize::from(fingers)] += probability;
        let belief = guess.checked_sub(fingers).filter(|&belief| belief <= MAX_FINGERS);
        if let Some(belief) = belief {
            believed[usize::from(belief)] += probability;
        }
    }
    (shown, believed)
}

/// Returns the probability that `a` wins against `b` minus the probability that `a` loses. The score is (1 + payoff) /
/// 2.
pub fn expected_payoff(a: &Probabilities, b: &Probabilities) -> f64 {
    let ((shown_a, believed_a), (shown_b, believed_b)) = (marginals(a), marginals(b));
    // If both are right, the two terms cancel.
    let right = |believed: [f64; NUM_FINGERS], shown: [f64; NUM_FINGERS]| -> f64 {
        believed.iter().zip(shown).map(|(belief, fingers)| belief * fingers).sum()
    };
    right(believed_a, shown_b) - right(believed_b, shown_a)
}

/// Returns the best announcement against `probabilities` and its expected payoff. This payoff is the exploitability: 0
/// for optimal probabilities, and at most 1.
pub fn best_response(probabilities: &Probabilities) -> (Announcement, f64) {
    let (shown, believed) = marginals(probabilities);
    let (mut most_shown, mut least_believed) = (0, 0);
    for fingers in 1..NUM_FINGERS {
        if shown[fingers] > shown[most_shown] {
            most_shown = fingers;
        }
        if believed[fingers] < believed[least_believed] {
            least_believed = fingers;
        }
    }
    let announcement =
        Announcement { fingers: least_believed as u8, guess: (least_believed + most_shown) as u8 };
    (announcement, shown[most_shown] - believed[least_believed])
}

/// Returns the expected payoff of the best announcement against `probabilities`.
pub fn exploitability(probabilities: &Probabilities) -> f64 {
    best_response(probabilities).1
}

/// A strategy that draws announcements with given probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct MixedStrategy {
    probabilities: Probabilities,
    columns: [Column; NUM_ANNOUNCEMENTS],
}

/// One of the 66 equally likely columns of Walker's method.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Column {
    /// The probability of the column's `own` announcement, in units of 2^-64.
    own_below: u64,
    own: Announcement,
    other: Announcement,
}

impl MixedStrategy {
    /// Creates the strategy that makes all 66 announcements equally often.
    pub fn uniform() -> MixedStrategy {
        MixedStrategy::of_weights([1.0; NUM_ANNOUNCEMENTS])
    }

    /// Creates one of several optimal strategies. The numbers of fingers that it shows and that it expects are uniform
    /// and independent.
    pub fn optimal() -> MixedStrategy {
        MixedStrategy::of_weights(std::array::from_fn(|index| {
            let Announcement { fingers, guess } = Announcement::of_index(index);
            let belief = guess.checked_sub(fingers).filter(|&belief| belief <= MAX_FINGERS);
            f64::from(u8::from(belief.is_some()))
        }))
    }

    /// Returns the probability of each announcement.
    pub fn probabilities(&self) -> &Probabilities {
        &self.probabilities
    }

    fn of_weights(weights: Probabilities) -> MixedStrategy {
        let columns = [Column::default(); NUM_ANNOUNCEMENTS];
        let mut strategy = MixedStrategy { probabilities: weights, columns };
        strategy.normalise();
        strategy
    }

    /// Turns weights into probabilities and columns. At least one weight must be positive.
    fn normalise(&mut self) {
        let sum: f64 = self.probabilities.iter().sum();
        // The probabilities in units of a column, in two stacks that grow towards each other: probabilities below one
        // from the left, the others from the right.
        let mut heights = [0.0; NUM_ANNOUNCEMENTS];
        let mut stacks = [0u8; NUM_ANNOUNCEMENTS];
        let (mut num_small, mut first_large) = (0, NUM_ANNOUNCEMENTS);
        for (index, probability) in self.probabilities.iter_mut().enumerate() {
            *probability /= sum;
            heights[index] = *probability * NUM_ANNOUNCEMENTS as f64;
            let small = heights[index] < 1.0;
            first_large -= usize::from(!small);
            stacks[if small { num_small } else { first_large }] = index as u8;
            num_small += usize::from(small);
        }
        let full = |index: u8| {
            let own = Announcement::of_index(usize::from(index));
            Column { own_below: u64::MAX, own, other: own }
        };
        while num_small > 0 && first_large < NUM_ANNOUNCEMENTS {
            num_small -= 1;
            let (small, large) = (stacks[num_small], stacks[first_large]);
            let height = heights[usize::from(small)];
            self.columns[usize::from(small)] = Column {
                own_below: (height * TWO_TO_64) as u64,
                own: Announcement::of_index(usize::from(small)),
                other: Announcement::of_index(usize::from(large)),
            };
            // The large height fills up the column of the small height.
            let rest = &mut heights[usize::from(large)];
            *rest = (*rest + height) - 1.0;
            if *rest < 1.0 {
                stacks[num_small] = large;
                num_small += 1;
                first_large += 1;
            }
        }
        // The remaining heights are 1 up to rounding.
        for &index in stacks[..num_small].iter().chain(&stacks[first_large..]) {
            self.columns[usize::from(index)] = full(index);
        }
    }
}

impl Strategy<Morra> for MixedStrategy {
    type Memory = ();

    #[inline]
    fn act<R: Rng>(&self, (): &mut (), _: MorraView, rng: &mut R, action: &mut Announcement) {
        // The integer part of the product is the column; the fraction serves as a second draw, whose distribution
        // deviates from the uniform distribution by less than 2^-57.
        let product = u128::from(rng.next_u64()) * NUM_ANNOUNCEMENTS as u128;
        let column = &self.columns[(product >> 64) as usize];
        *action = if (product as u64) < column.own_below { column.own } else { column.other };
    }
}

impl ParametricStrategy<Morra> for MixedStrategy {
    fn space(_game: &Morra) -> ParameterSpace {
        let parameter = |index| {
            let Announcement { fingers, guess } = Announcement::of_index(index);
            let name = format!("show-{fingers}-guess-{guess}");
            let meaning = format!("log-weight of showing {fingers} and guessing a sum of {guess}");
            Parameter::new(name, meaning)
        };
        ParameterSpace::new((0..NUM_ANNOUNCEMENTS).map(parameter).collect())
    }

    fn from_parameters(game: &Morra, theta: &[f64]) -> Result<Self, ParameterError> {
        let mut strategy = MixedStrategy::uniform();
        strategy.set_parameters(game, theta)?;
        Ok(strategy)
    }

    fn set_parameters(&mut self, game: &Morra, theta: &[f64]) -> Result<(), ParameterError> {
        check_parameters(theta, NUM_ANNOUNCEMENTS, || Self::space(game))?;
        let largest = theta.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for (weight, log_weight) in self.probabilities.iter_mut().zip(theta) {
            *weight = libm::exp(log_weight - largest);
        }
        self.normalise();
        Ok(())
    }
}

/// The score of an announcement is its parameter.
impl LogLinear<Morra> for MixedStrategy {
    fn act_recorded<R: Rng>(
        &self,
        memory: &mut (),
        view: MorraView,
        rng: &mut R,
        action: &mut Announcement,
        decisions: &mut Decisions,
    ) {
        self.act(memory, view, rng, action);
        for index in 0..NUM_ANNOUNCEMENTS {
            decisions.add_feature(index, 1.0);
            decisions.end_action();
        }
        decisions.end_decision(action.index());
    }
}

#[cfg(test)]
mod tests;
