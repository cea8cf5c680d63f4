//! Strategies for Cheat: which card to put, and when to say "cheat".
//!
//! # Parameters
//!
//! The parameters follow Cauwet & Teytaud 2018, Table I: a randomly perturbed quadratic value function has 28
//! parameters, and an optional 29th parameter perturbs it pseudo-randomly. Six features of a legal action make 28
//! monomials of degree two or less. The paper does not give the features, so these are our choice:
//!
//! | | feature | unit |
//! |---|---|---|
//! | x1 | own cards, after the put | 26 |
//! | x2 | the opponent's cards | 26 |
//! | x3 | cards on the table, after the put | 26 |
//! | x4 | own cards of the action's colour that are left | 13 |
//! | x5 | slack: the opponent's cards of that colour at the start of the round, minus its puts since | 13 |
//! | x6 | 1 for a claim, 0 for a truthful card or a lead, -1 for a lie | |
//!
//! The colour of a put is the colour of the card; the colour of a claim is the current colour. A negative slack of the
//! current colour proves that the opponent has lied in this round. The units are half of the deck, and the cards of one
//! colour; the table shows them for the usual deck.
//!
//! Parameter 0 belongs to the constant, parameters 1 to 6 belong to x1 to x6, and parameters 7 to 27 to the products x1
//! x1, x1 x2, ..., x1 x6, x2 x2, ..., x6 x6. The strategy adds independent noise, 0.1 N(0, 1), to each value, and takes
//! the first of the actions with the largest sum. If only one action is legal, it is taken without an evaluation.
//!
//! The 29th parameter adds a Gaussian number g to every value. This [`Gaussian`] number is drawn from the
//! [`HashStream`] of the parameter. The tag of the stream describes the situation and the action in these bytes (lowest
//! first): own cards of the four colours, the opponent's cards, cards on the table, the current colour (4 when
//! leading), and the action (the colour of a put, 4 for a claim). The first four bytes add up to the size of the hand.
//!
//! Deviation: noise is drawn only for actions whose value is within 1 of the best; the probability that any other
//! action wins is 8e-13.
//!
//! # Reference strategies
//!
//! `draw-rule` is the strategy of section V-C of the paper. Its rules from rule 2 on apply if the opponent has three
//! cards or fewer; only these rules differ from honest play. The strategy never loses: when the opponent is down to
//! three cards, the strategy claims. Either the claim exposes a lie, or the strategy takes the table and the lead. It
//! then leads a colour that the opponent lacks; of four colours, there is at least one. If the opponent claims, the
//! opponent takes the card. If the opponent puts a card, the card is a lie, and the strategy claims.

mod family;
mod memory;
mod picture;
mod words;

use std::array;

use rand::Rng;
use rand_distr::Distribution;
use ruse_base::gaussian::Gaussian;
use ruse_base::hashing::HashStream;
use ruse_games::Seat;
use ruse_games::cheat::{
    Cheat, CheatAction, CheatView, Counts, NUM_COLOURS, num_cards, sample_legal,
};
use ruse_search::{
    CopyMemory, Parameter, ParameterError, ParameterGroup, ParameterSpace, ParametricStrategy,
    Strategy, clone_memory,
};

pub use self::family::CheatFamily;
use self::memory::Contest;
pub use self::memory::Situations;
use crate::check_parameters;

/// The number of features of an action.
pub const NUM_FEATURES: usize = 6;

/// The number of monomials of degree two or less.
pub const NUM_MONOMIALS: usize = 1 + NUM_FEATURES + NUM_FEATURES * (NUM_FEATURES + 1) / 2;

/// The standard deviation of the noise on a value.
const NOISE: f64 = 0.1;

/// The largest distance from the best value at which an action takes part in the draw: ten times the noise, or 7.07
/// standard deviations of the difference of two noises.
const PRUNING: f64 = 10.0 * NOISE;

/// The byte of a tag that stands for "leading" and for "claim".
const NO_COLOUR: u8 = NUM_COLOURS as u8;

/// Returns the constant, the features and their products, in the order of the parameters.
fn monomials(x: &[f64; NUM_FEATURES]) -> [f64; NUM_MONOMIALS] {
    let mut monomials = [1.0; NUM_MONOMIALS];
    monomials[1..=NUM_FEATURES].copy_from_slice(x);
    let pairs = (0..NUM_FEATURES).flat_map(|i| (i..NUM_FEATURES).map(move |j| (i, j)));
    for (monomial, (i, j)) in monomials[1 + NUM_FEATURES..].iter_mut().zip(pairs) {
        *monomial = x[i] * x[j];
    }
    monomials
}

/// Returns the value of the quadratic form with the 28 coefficients `theta` for the six features `x`.
pub fn quadratic(theta: &[f64; NUM_MONOMIALS], x: &[f64; NUM_FEATURES]) -> f64 {
    theta.iter().zip(monomials(x)).map(|(theta, monomial)| theta * monomial).sum()
}

/// The first three features of an action, in cards.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Situation {
    own: f64,
    opponent: f64,
    table: f64,
}

/// The constant and the linear part of an action's value as a function of x4 and x5, with the other features fixed.
#[derive(Debug, Clone, Copy)]
struct Plane {
    constant: f64,
    by_x4: f64,
    by_x5: f64,
}

/// A strategy for Cheat that maximises a noisy quadratic form, with a hashed perturbation if `HASHED`.
#[derive(Debug, Clone, PartialEq)]
pub struct ValuePlayer<const HASHED: bool> {
    /// The coefficients, each divided by the units of its features.
    scaled: [f64; NUM_MONOMIALS],
    /// The 29th parameter; 0 if there is none.
    seed: f64,
}

/// Returns the index of the coefficient of the product of the features `i` and `j`. Features are counted from 1, and
/// `i` is at most `j`.
const fn product(i: usize, j: usize) -> usize {
    // Rows before row i have 6 + 5 + ... entries.
    NUM_FEATURES + (i - 1) * (2 * NUM_FEATURES + 2 - i) / 2 + (j - i + 1)
}

impl<const HASHED: bool> ValuePlayer<HASHED> {
    fn new(game: &Cheat, theta: &[f64; NUM_MONOMIALS], seed: f64) -> Self {
        let colour = f64::from(game.cards_per_colour());
        let half = 2.0 * colour;
        let units = [half, half, half, colour, colour, 1.0].map(|unit| 1.0 / unit);
        let units = monomials(&units);
        ValuePlayer { scaled: array::from_fn(|k| theta[k] * units[k]), seed }
    }

    /// Returns the plane for actions with these first three features and this sixth feature.
    #[inline]
    fn plane(&self, Situation { own, opponent, table }: Situation, x6: f64) -> Plane {
        let c = &self.scaled;
        let linear = |k: usize, products: [usize; 4]| {
            c[k] + c[products[0]] * own
                + c[products[1]] * opponent
                + c[products[2]] * table
                + c[products[3]] * x6
        };
        let constant = c[0]
            + own
                * (c[1]
                    + c[product(1, 1)] * own
                    + c[product(1, 2)] * opponent
                    + c[product(1, 3)] * table
                    + c[product(1, 6)] * x6)
            + opponent
                * (c[2]
                    + c[product(2, 2)] * opponent
                    + c[product(2, 3)] * table
                    + c[product(2, 6)] * x6)
            + table * (c[3] + c[product(3, 3)] * table + c[product(3, 6)] * x6)
            + x6 * (c[6] + c[product(6, 6)] * x6);
        Plane {
            constant,
            by_x4: linear(4, [product(1, 4), product(2, 4), product(3, 4), product(4, 6)]),
            by_x5: linear(5, [product(1, 5), product(2, 5), product(3, 5), product(5, 6)]),
        }
    }

    #[inline]
    fn on_plane(&self, plane: Plane, x4: f64, x5: f64) -> f64 {
        let c = &self.scaled;
        plane.constant
            + x4 * (plane.by_x4 + c[product(4, 4)] * x4 + c[product(4, 5)] * x5)
            + x5 * (plane.by_x5 + c[product(5, 5)] * x5)
    }

    /// Returns the values of all actions without noise: first the puts, by colour, then the claim. An illegal action
    /// has the value minus infinity.
    #[inline]
    pub fn values(&self, view: &CheatView) -> [f64; NUM_COLOURS + 1] {
        let CheatView { own, opponent_cards, opponent_at_start, .. } = *view;
        let num_own = f64::from(num_cards(own));
        let opponent = f64::from(opponent_cards);
        let table = f64::from(view.table());
        let slack =
            |colour: usize| f64::from(opponent_at_start[colour]) - f64::from(view.opponent_put);
        let put = Situation { own: num_own - 1.0, opponent, table: table + 1.0 };

        let mut values = [f64::NEG_INFINITY; NUM_COLOURS + 1];
        let current = view.current.map(usize::from);
        let truth = self.plane(put, 0.0);
        let lie = if current.is_some() { self.plane(put, -1.0) } else { truth };
        for colour in 0..NUM_COLOURS {
            if own[colour] > 0 {
                let plane = if current == Some(colour) { truth } else { lie };
                let left = f64::from(own[colour]) - 1.0;
                values[colour] = self.on_plane(plane, left, slack(colour));
            }
        }
        if let Some(current) = current {
            let claim = self.plane(Situation { own: num_own, opponent, table }, 1.0);
            values[NUM_COLOURS] = self.on_plane(claim, f64::from(own[current]), slack(current));
        }
        if HASHED {
            let [a, b, c, d] = own;
            let colour = view.current.unwrap_or(NO_COLOUR);
            for (action, value) in (0..).zip(&mut values) {
                if *value > f64::NEG_INFINITY {
                    let tag = [a, b, c, d, opponent_cards, view.table(), colour, action];
                    let mut stream = HashStream::new(self.seed, u64::from_le_bytes(tag));
                    let g: f64 = Gaussian.sample(&mut stream);
                    *value += g;
                }
            }
        }
        values
    }

    /// Returns the actions whose values are close enough to the best value to take part in the draw.
    fn contest(&self, view: CheatView) -> Contest {
        let values = self.values(&view);
        let largest = values.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Contest::new(view, &values, largest - PRUNING)
    }

    /// Returns the action of the strategy without noise.
    fn noiseless(&self, view: &CheatView) -> CheatAction {
        let values = self.values(view);
        let mut best = usize::from(longest(view.own));
        for (index, value) in values.iter().enumerate() {
            if *value > values[best] {
                best = index;
            }
        }
        action_of(best)
    }
}

/// Returns the action with this index in [`ValuePlayer::values`].
#[inline]
fn action_of(index: usize) -> CheatAction {
    if index < NUM_COLOURS { CheatAction::Put(index as u8) } else { CheatAction::Claim }
}

/// Returns the colour of a hand whose cards all have the same colour, or `None` for other hands.
#[inline]
fn only_colour(own: Counts) -> Option<u8> {
    let largest = longest(own);
    (own[usize::from(largest)] == num_cards(own)).then_some(largest)
}

impl<const HASHED: bool> Strategy<Cheat> for ValuePlayer<HASHED> {
    /// A cache of evaluated situations: the strategy decides by the view alone, but evaluating a view takes time.
    type Memory = Situations<Self>;

    const COPY: CopyMemory<Situations<Self>> = clone_memory;

    #[inline]
    fn begin(&self, memory: &mut Self::Memory, _seat: Seat) {
        memory.belong_to(self);
    }

    #[inline]
    fn act<R: Rng>(
        &self,
        memory: &mut Self::Memory,
        view: CheatView,
        rng: &mut R,
        action: &mut CheatAction,
    ) {
        if view.current.is_none()
            && let Some(colour) = only_colour(view.own)
        {
            *action = CheatAction::Put(colour);
            return;
        }
        let close = memory.contest(&view, || self.contest(view)).actions();
        let is_contested = close.len() > 1;
        // If huge parameters make every value NaN, the strategy puts a card of its longest colour, which is legal.
        let mut best = (f64::NEG_INFINITY, usize::from(longest(view.own)));
        for (index, value) in close {
            let noise: f64 = if is_contested { Gaussian.sample(rng) } else { 0.0 };
            let value = value + NOISE * noise;
            if value > best.0 {
                best = (value, index);
            }
        }
        *action = action_of(best.1);
    }
}

impl<const HASHED: bool> ParametricStrategy<Cheat> for ValuePlayer<HASHED> {
    fn space(_game: &Cheat) -> ParameterSpace {
        let features = [
            ("own", "own cards after the action"),
            ("opponent", "the opponent's cards"),
            ("table", "cards on the table after the action"),
            ("left", "own cards left of the colour"),
            ("slack", "cards of the colour that the opponent may have kept"),
            ("kind", "claim (1) or lie (-1)"),
        ];
        let mut parameters = vec![Parameter::new("constant", "added to all values: no effect")];
        let value = |(name, meaning)| Parameter::new(name, format!("value of: {meaning}"));
        parameters.extend(features.map(value));
        for (i, (first, _)) in features.into_iter().enumerate() {
            for (second, _) in &features[i..] {
                let meaning = format!("value of the product of `{first}` and `{second}`");
                parameters.push(Parameter::new(format!("{first}*{second}"), meaning));
            }
        }
        if HASHED {
            let meaning = "seed of a Gaussian number that is added to every value";
            parameters.push(Parameter::new("seed", meaning));
        }
        // Each feature has a group with all products that contain the feature, so a product of two features belongs to
        // two groups.
        let with = |word: &str| ParameterGroup {
            name: word.to_owned().into(),
            members: (0..parameters.len())
                .filter(|&index| parameters[index].name.split('*').any(|factor| factor == word))
                .collect(),
        };
        let others = ["constant"].into_iter().chain(HASHED.then_some("seed"));
        let groups = others.chain(features.map(|(name, _)| name)).map(with).collect();
        ParameterSpace::new(parameters).with_groups(groups)
    }

    fn from_parameters(game: &Cheat, theta: &[f64]) -> Result<Self, ParameterError> {
        check_parameters(theta, NUM_MONOMIALS + usize::from(HASHED), || Self::space(game))?;
        let (coefficients, rest) = theta.split_first_chunk().expect("the length was checked");
        Ok(Self::new(game, coefficients, rest.first().copied().unwrap_or(0.0)))
    }
}

/// The named strategies for Cheat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedPlayer {
    /// Never loses (Cauwet & Teytaud 2018, section V-C).
    DrawRule,
    /// Tells the truth as long as possible.
    Honest,
    /// Plays a random legal action.
    Random,
}

/// The largest number of the opponent's cards at which `draw-rule` departs from honest play (section V-C).
const DANGER: u8 = 3;

/// Returns the first of the colours with the largest count.
#[inline]
fn longest(counts: Counts) -> u8 {
    (0..NUM_COLOURS)
        .fold(0, |best, colour| if counts[colour] > counts[best] { colour } else { best }) as u8
}

/// Returns the action of the strategy `honest`. It leads the most frequent colour of its hand. It follows with the
/// current colour or, if it has none, claims. It always puts its last card, because this wins.
#[inline]
fn honest(view: &CheatView) -> CheatAction {
    match view.current {
        None => CheatAction::Put(longest(view.own)),
        Some(colour) if view.own[usize::from(colour)] > 0 => CheatAction::Put(colour),
        // The last card wins, whatever its colour.
        Some(_) if num_cards(view.own) == 1 => CheatAction::Put(longest(view.own)),
        Some(_) => CheatAction::Claim,
    }
}

impl Strategy<Cheat> for NamedPlayer {
    type Memory = ();

    #[inline]
    fn act<R: Rng>(&self, _: &mut (), view: CheatView, rng: &mut R, action: &mut CheatAction) {
        *action = match self {
            NamedPlayer::Random => sample_legal(view.own, view.current.is_some(), rng),
            NamedPlayer::DrawRule if view.opponent_cards <= DANGER => {
                if view.current.is_some() {
                    CheatAction::Claim
                } else {
                    // A player with three cards or fewer lacks at least one of the four colours.
                    let absent = view.opponent_at_start.iter().position(|&count| count == 0);
                    CheatAction::Put(absent.map_or_else(|| longest(view.own), |c| c as u8))
                }
            }
            NamedPlayer::DrawRule | NamedPlayer::Honest => honest(&view),
        };
    }
}

#[cfg(test)]
mod tests;
