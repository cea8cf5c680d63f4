//! A coin whose odds depend on four numbers of each player: a test of methods for effects of one Elo.
//!
//! # Rules
//!
//! Each player names a point, four numbers that the opponent does not see. A coin then decides. The strength of a point
//! x, in Elo, is
//!
//! -(e1² + e1 e2 + 2 e2² + 2 e3² - 2 e3 e4 + 4 e4²) / 4, where e = x - [`TOP`],
//!
//! so it is 0 at the top, (1.6, -1.2, 1.2, -0.4), and -2 at the origin, the usual start. If d is the difference between the
//! strengths, the expected score is 1 / (1 + 10^(-d/400)). A game is a draw with probability .61, or as probable as this
//! score allows if d is more than 143 Elo; the probabilities of a win and a loss follow.
//!
//! The luck of a game depends on the deal and on both points in their order, so the two games of a pair, and games of
//! different points on one deal, are independent. A program that is tuned has hardly any luck in common between games
//! either, and shared luck would make tiny effects easy to see.
//!
//! The numbers follow the standard problem of a public simulator of the tuning of chess engines
//! (<https://github.com/vdbergh/spsa_simul>): four parameters, a quadratic surface, a start 2 Elo below the top, and the
//! draw ratio .61. In units of one parameter's distance between start and top there, the surface falls by .5 Elo for
//! each parameter. Here the parameters have different curvatures, two pairs of parameters depend on each other, and no
//! symmetry gives the top away. The determinant of the curvature is .048, and .0625 there.
//!
//! # Known values
//!
//! The score between any two points is known, and a best response names the top.

use rand::Rng;
use ruse_base::hashing::mix;
use ruse_games::{BySeat, Game, Payoff, Seat, Turn};
use ruse_search::{Parameter, ParameterError, ParameterSpace, ParametricStrategy, Strategy};

use crate::{BestResponse, Family, FamilyInfo, Prepared, Reference, check_parameters};

/// The number of parameters.
const DIMENSION: usize = 4;

/// The point whose strength is 0 Elo, the highest.
pub const TOP: [f64; DIMENSION] = [1.6, -1.2, 1.2, -0.4];

/// The probability of a draw between points of equal strength.
const DRAW_RATIO: f64 = 0.61;

/// The odds of 10 to 1 correspond to this number of Elo.
const ELO_PER_DECADE: f64 = 400.0;

/// Returns the strength of a point in Elo, at most 0.
#[inline]
pub fn elo(point: &[f64; DIMENSION]) -> f64 {
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| point[i] - TOP[i]);
    -(a * a + a * b + 2.0 * (b * b + c * c - c * d) + 4.0 * d * d) / 4.0
}

/// Returns the expected score of a point that is `difference` Elo stronger than its opponent, in [0, 1].
#[inline]
pub fn expected_score(difference: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-difference * (std::f64::consts::LN_10 / ELO_PER_DECADE)))
}

/// The game of the coin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EloSurface;

/// A game of [`EloSurface`] in progress.
#[derive(Debug, Clone, PartialEq)]
pub struct Toss {
    /// The number from which the coin follows, if both points are known.
    luck: u64,
    /// The point of the first seat, once it is named.
    first: [f64; DIMENSION],
    turn: Turn,
}

/// The reason why a point is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IllegalPoint {
    /// A coordinate is not a finite number.
    #[error("each of the four numbers must be finite")]
    NotFinite,
    /// The game is over.
    #[error("the game is over")]
    GameOver,
}

impl Toss {
    /// Returns a number in [0, 1) that is uniform for random deals, and unrelated between ordered pairs of points.
    #[inline]
    fn coin(&self, second: &[f64; DIMENSION]) -> f64 {
        let coordinates = self.first.iter().chain(second);
        let hash = coordinates.fold(self.luck, |hash, x| mix(hash ^ x.to_bits()));
        (hash >> 11) as f64 / (1_u64 << 53) as f64
    }
}

impl Game for EloSurface {
    type State = Toss;
    type Action = [f64; DIMENSION];
    /// Nothing is seen before both points are named.
    type View<'a> = ();
    type Illegal = IllegalPoint;

    #[inline]
    fn deal<R: Rng>(&self, rng: &mut R) -> Toss {
        Toss { luck: rng.next_u64(), first: [0.0; DIMENSION], turn: Turn::Act(Seat::First) }
    }

    #[inline(always)]
    fn turn(&self, state: &Toss) -> Turn {
        state.turn
    }

    #[inline(always)]
    fn view(&self, _state: &Toss, _seat: Seat) {}

    #[inline]
    fn check(&self, state: &Toss, action: &[f64; DIMENSION]) -> Result<(), IllegalPoint> {
        match state.turn {
            Turn::Over(_) => Err(IllegalPoint::GameOver),
            Turn::Act(_) if action.iter().any(|x| !x.is_finite()) => Err(IllegalPoint::NotFinite),
            Turn::Act(_) => Ok(()),
        }
    }

    #[inline(always)]
    fn apply<R: Rng>(&self, state: &mut Toss, seat: Seat, action: &[f64; DIMENSION], _rng: &mut R) {
        debug_assert_eq!(self.turn(state), Turn::Act(seat), "it is not the turn of {seat:?}");
        debug_assert_eq!(self.check(state, action), Ok(()), "a strategy broke the rules");
        if seat == Seat::First {
            state.first = *action;
            state.turn = Turn::Act(Seat::Second);
            return;
        }
        let score = expected_score(elo(&state.first) - elo(action));
        let draw = DRAW_RATIO.min(2.0 * score).min(2.0 * (1.0 - score));
        let win = score - draw / 2.0;
        let coin = state.coin(action);
        state.turn = Turn::Over(if coin < win {
            Payoff::WIN
        } else if coin < win + draw {
            Payoff::DRAW
        } else {
            Payoff::LOSS
        });
    }
}

/// A player that always names the same point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point(pub [f64; DIMENSION]);

impl Strategy<EloSurface> for Point {
    type Memory = ();

    #[inline(always)]
    fn act<R: Rng>(&self, (): &mut (), (): (), _rng: &mut R, action: &mut [f64; DIMENSION]) {
        *action = self.0;
    }
}

impl ParametricStrategy<EloSurface> for Point {
    fn space(_game: &EloSurface) -> ParameterSpace {
        let [material, safety] = ["which depends on material", "which depends on safety"];
        let [mobility, tempo] = ["which depends on mobility", "which depends on tempo"];
        let parameters =
            [("mobility", material), ("material", mobility), ("safety", tempo), ("tempo", safety)];
        let parameter = |(name, how)| Parameter::new(name, format!("an imaginary setting, {how}"));
        ParameterSpace::new(parameters.map(parameter).into())
    }

    fn from_parameters(game: &EloSurface, theta: &[f64]) -> Result<Point, ParameterError> {
        check_parameters(theta, DIMENSION, || Self::space(game))?;
        Ok(Point(theta.try_into().expect("the length was checked")))
    }
}

/// Returns the point of a player that always names the same.
fn point_of(player: &Prepared<EloSurfaceFamily>) -> Option<&[f64; DIMENSION]> {
    match player {
        Prepared::Own(Point(point)) | Prepared::Reference(Point(point)) => Some(point),
        _ => None,
    }
}

/// The family `elo-surface`.
#[derive(Debug, Clone)]
pub struct EloSurfaceFamily;

impl Family for EloSurfaceFamily {
    type Game = EloSurface;
    type Strategy = Point;
    type Reference = Point;

    fn info(&self) -> FamilyInfo<'_> {
        FamilyInfo {
            about: "a coin, to test methods for effects of one Elo",
            common_play: Some("start"),
            default_budget: 200_000,
            ..FamilyInfo::new("elo-surface", "four settings of an imaginary program")
        }
    }

    fn game(&self) -> &EloSurface {
        &EloSurface
    }

    fn references(&self) -> Vec<Reference<Point>> {
        let reference = |name, meaning, point: [f64; DIMENSION]| {
            Reference::new(name, meaning, Point(point)).with_parameters(point.to_vec())
        };
        vec![
            reference("top", "the best point", TOP),
            reference("start", "zeros, 2 Elo below the top", [0.0; DIMENSION]),
        ]
    }

    fn words(&self, Point(point): &Point) -> String {
        format!("is {:.3} Elo below the top", -elo(point))
    }

    fn exact_score(&self, a: &Prepared<Self>, b: &Prepared<Self>) -> Option<f64> {
        Some(expected_score(elo(point_of(a)?) - elo(point_of(b)?)))
    }

    fn best_response(&self, strategy: &Prepared<Self>) -> Option<BestResponse> {
        let score = expected_score(-elo(point_of(strategy)?));
        let scores = BySeat { first: score, second: score };
        Some(BestResponse { scores, words: Some("names the top".into()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::rng;

    /// Calculated by hand from the formula: at the origin, e = (-1.6, 1.2, -1.2, .4), and the sum is 2.56 - 1.92 + 2.88 +
    /// 2.88 + .96 + .64 = 8. One step from the top along each axis costs a quarter of the axis's factor, and one step
    /// along two axes also a quarter of the factor of their product.
    #[test]
    fn strengths() {
        let from_top = |e: [f64; 4]| elo(&[0, 1, 2, 3].map(|i| TOP[i] + e[i]));
        for (found, expected) in [
            (elo(&TOP), 0.0),
            (elo(&[0.0; 4]), -2.0),
            (from_top([1.0, 0.0, 0.0, 0.0]), -0.25),
            (from_top([0.0, 1.0, 0.0, 0.0]), -0.5),
            (from_top([0.0, 0.0, 1.0, 0.0]), -0.5),
            (from_top([0.0, 0.0, 0.0, 1.0]), -1.0),
            (from_top([1.0, 1.0, 0.0, 0.0]), -1.0),
            (from_top([0.0, 0.0, 1.0, 1.0]), -1.0),
            (from_top([1.0, 0.0, 0.0, -1.0]), -1.25),
        ] {
            assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
        }
    }

    /// 10^(-d/400) is 10 at d = -400 and 1/3 at d = 190.848501887865, by the definition of Elo's scale.
    #[test]
    fn scores_are_those_of_the_scale() {
        for (difference, expected) in
            [(0.0, 0.5), (-400.0, 1.0 / 11.0), (190.848_501_887_865, 0.75), (1e9, 1.0)]
        {
            let found = expected_score(difference);
            assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
        }
    }

    /// Counts wins, draws and losses of `a` in the first seat.
    fn counts(a: [f64; 4], b: [f64; 4], num_games: u32) -> [f64; 3] {
        let mut rng = rng(1);
        let mut counts = [0_u32; 3];
        for _ in 0..num_games {
            let mut state = EloSurface.deal(&mut rng);
            EloSurface.apply(&mut state, Seat::First, &a, &mut rng);
            EloSurface.apply(&mut state, Seat::Second, &b, &mut rng);
            let Turn::Over(payoff) = EloSurface.turn(&state) else { panic!("both have acted") };
            counts[usize::from(payoff.half_points().expect("no other payoff"))] += 1;
        }
        let [losses, draws, wins] = counts.map(|count| f64::from(count) / f64::from(num_games));
        [wins, draws, losses]
    }

    /// Equal points draw with probability .61. At 20 steps of the first axis, 100 Elo below the top, the score is 1 / (1
    /// + 10^(1/4)) = .359935, so a win has .054935. At 40 steps, 400 Elo, the score 1/11 allows no wins.
    #[test]
    fn the_coin_has_its_odds() {
        let worse = |steps: f64| [TOP[0] + steps, TOP[1], TOP[2], TOP[3]];
        let num_games = 100_000;
        for (a, [win, draw]) in [
            (TOP, [0.195, 0.61]),
            (worse(20.0), [0.054_935, 0.61]),
            (worse(40.0), [0.0, 2.0 / 11.0]),
        ] {
            let found = counts(a, TOP, num_games);
            for (found, p) in found.into_iter().zip([win, draw, 1.0 - win - draw]) {
                // Nine comparisons at five standard errors fail for one seed in 190,000.
                let error = (p * (1.0 - p) / f64::from(num_games)).sqrt();
                assert!((found - p).abs() <= 5.0 * error, "{found} for {p}");
            }
        }
    }

    /// If the games of a pair shared their luck, the first seat would get the same in both between equally strong points. In
    /// independent games it does so with probability .61² + 2 x .195² = .44815.
    #[test]
    fn the_games_of_a_pair_are_independent() {
        let mirrored = |sign: f64| [0, 1, 2, 3].map(|i| TOP[i] + sign * [0.5, 0.25, 0.0, 1.0][i]);
        let (a, b) = (mirrored(1.0), mirrored(-1.0));
        let mut rng = rng(2);
        let num_pairs = 100_000;
        let mut num_shared = 0;
        for _ in 0..num_pairs {
            let deal = EloSurface.deal(&mut rng);
            let points = [(a, b), (b, a)].map(|(first, second)| {
                let mut state = deal.clone();
                EloSurface.apply(&mut state, Seat::First, &first, &mut rng);
                EloSurface.apply(&mut state, Seat::Second, &second, &mut rng);
                match EloSurface.turn(&state) {
                    Turn::Over(payoff) => payoff.half_points(),
                    Turn::Act(_) => None,
                }
            });
            num_shared += u32::from(points[0] == points[1]);
        }
        let (p, n) = (0.448_15, f64::from(num_pairs));
        let deviation = f64::from(num_shared) - n * p;
        assert!(deviation.abs() <= 5.0 * (n * p * (1.0 - p)).sqrt(), "{num_shared}");
    }

    #[test]
    fn exact_scores_and_best_responses() {
        let family = EloSurfaceFamily;
        let start = Prepared::Own(Point([0.0; 4]));
        let top = Prepared::Reference(Point(TOP));
        // 2 Elo are 1 / (1 + 10^(-1/200)) = .502878198 (Python: 1 / (1 + 10 ** -0.005)).
        let expected = 0.502_878_199_6;
        let found = family.exact_score(&top, &start).expect("both are known");
        assert!((found - expected).abs() < 1e-8, "{found}");
        let response = family.best_response(&start).expect("it is known");
        assert!((response.score() - expected).abs() < 1e-8, "{response:?}");
        assert_eq!(family.best_response(&Prepared::redrawn(&family)), None);
        assert_eq!(family.words(&Point([0.0; 4])), "is 2.000 Elo below the top");
    }

    #[test]
    fn invalid_points_are_refused() {
        let mut rng = rng(1);
        let state = EloSurface.deal(&mut rng);
        let nan = [0.0, f64::NAN, 0.0, 0.0];
        assert_eq!(EloSurface.check(&state, &nan), Err(IllegalPoint::NotFinite));
        assert!(Point::from_parameters(&EloSurface, &nan).is_err());
        assert!(Point::from_parameters(&EloSurface, &[0.0; 3]).is_err());
    }
}
