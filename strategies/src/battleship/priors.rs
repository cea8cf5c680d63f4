//! The two halves of a strategy: the distribution of its own fleet, and its prior distribution of the opponent's fleet.

use rand::{Rng, RngExt};
use ruse_games::Beliefs;
use ruse_games::battleship::{BattleshipAction, BattleshipView, Cell, Cells, Sea};

use super::counts::Counts;
use super::placing::{Placing, words_of_placing};
use super::posterior::Posterior;
use super::prior::Prior;
use super::tables::{NUM_CLASSES, NUM_KINDS, Once, Tables};

/// The number of parameters per ship in each of the two distributions: the player's own fleet, and the opponent's.
pub(super) const PER_SHIP: usize = 4;
/// The largest absolute value of a parameter: a probability of e^-1e9 is zero for all purposes.
pub(super) const LARGEST: f64 = 1e9;

/// The distribution of the player's own fleet, and the prior distribution of the opponent's fleet, for a board of `C`
/// cells and `S` ships. A set of places takes `W` words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Priors<const S: usize, const C: usize, const W: usize> {
    pub(super) placing: Placing<S, C, W>,
    pub(super) prior: Prior<S, C, W>,
}

pub(super) type PaperPriors = Priors<4, 81, 9>;
pub(super) type ShopPriors = Priors<5, 100, 14>;
pub(super) type PaperPosterior = Posterior<4, 81, 9>;
pub(super) type ShopPosterior = Posterior<5, 100, 14>;

fn class_log_weights<const S: usize>(theta: &[f64]) -> [[f64; NUM_CLASSES]; S] {
    std::array::from_fn(|ship| {
        let parameter = |index: usize| theta[PER_SHIP * ship + index].clamp(-LARGEST, LARGEST);
        let lines = [parameter(0), parameter(1), 0.0];
        let ends = [parameter(2), parameter(3), 0.0];
        std::array::from_fn(|class| lines[class / NUM_KINDS] + ends[class % NUM_KINDS])
    })
}

/// Returns the beliefs of a seat with this view about the opponent's fleet, given the `prior` of the fleet. `fleets`
/// describes the prior in words.
pub(super) fn beliefs<const S: usize, const C: usize, const W: usize>(
    prior: &Prior<S, C, W>,
    view: &BattleshipView<'_>,
    fleets: &str,
) -> Beliefs
where
    Tables<S, C, W>: Once,
{
    let mut posterior = Posterior::default();
    posterior.begin(prior);
    // The misses are learnt first: they exclude places, which keeps the list of covers short.
    posterior.learn(prior, view.shots.without(view.hits), Cells::NONE, None);
    posterior.learn(prior, view.shots, view.hits, view.sunk.as_ref());
    let (probabilities, quality) = match posterior.exact_probabilities(prior) {
        Some(probabilities) => (probabilities, "exact"),
        None => {
            (posterior.probabilities(prior), "approximate, as if ships without a hit could cross")
        }
    };
    let meaning = format!("Probability that a cell is part of a ship, {fleets} ({quality})");
    view.beliefs(meaning, |cell| probabilities[Tables::<S, C, W>::SEA.number(cell)])
}

/// Returns the beliefs of a seat with this view if, before the first shot, all fleets are equally likely.
pub(super) fn uniform_beliefs(view: &BattleshipView<'_>) -> Beliefs {
    let fleets = "all fleets being equally likely";
    match view.sea {
        Sea::Paper => beliefs::<4, 81, 9>(&Prior::new(&[[0.0; NUM_CLASSES]; 4]), view, fleets),
        Sea::Shop => beliefs::<5, 100, 14>(&Prior::new(&[[0.0; NUM_CLASSES]; 5]), view, fleets),
    }
}

impl<const S: usize, const C: usize, const W: usize> Priors<S, C, W>
where
    Tables<S, C, W>: Once,
    Counts<S>: Once,
{
    /// Returns the two distributions of uniformly random fleets.
    pub(super) fn uniform() -> Priors<S, C, W> {
        let even = [[0.0; NUM_CLASSES]; S];
        Priors { placing: Placing::new(&even, 0.0), prior: Prior::new(&even) }
    }

    /// Sets the parameters to `theta`, which must contain one finite number for each parameter of the family.
    pub(super) fn set(&mut self, theta: &[f64]) {
        let (own, rest) = theta.split_at(S * PER_SHIP);
        let contact = rest[S * PER_SHIP].clamp(-LARGEST, LARGEST);
        self.placing.set(&class_log_weights(own), contact);
        self.prior.set(&class_log_weights(rest));
    }

    /// Returns the first `num_shots` cells that the strategy shoots at if all shots miss. Ties go to the first cell.
    pub(super) fn first_shots(&self, num_shots: usize) -> Vec<Cell> {
        let mut posterior = Posterior::default();
        posterior.begin(&self.prior);
        let mut shots = Cells::NONE;
        let mut cells = Vec::new();
        for _ in 0..num_shots {
            posterior.learn(&self.prior, shots, Cells::NONE, None);
            let Some(cell) = posterior.best_cells(&self.prior).first() else { break };
            shots |= Cells::of(cell);
            cells.push(cell);
        }
        cells
    }

    #[inline]
    pub(super) fn act<R: Rng>(
        &self,
        posterior: &mut Posterior<S, C, W>,
        view: BattleshipView<'_>,
        rng: &mut R,
    ) -> BattleshipAction {
        if view.fleet.is_none() {
            BattleshipAction::Place(self.placing.sample(rng))
        } else {
            posterior.learn(&self.prior, view.shots, view.hits, view.sunk.as_ref());
            BattleshipAction::Shoot(any_of(posterior.best_cells(&self.prior), rng))
        }
    }

    /// Describes the distribution of the player's own fleet.
    pub(super) fn words_of_placing(&self) -> String {
        let at_random = Placing::<S, C, W>::new(&[[0.0; NUM_CLASSES]; S], 0.0);
        words_of_placing(Tables::<S, C, W>::SEA, &self.placing.profile(), &at_random.profile())
    }
}

/// Draws a cell from `cells`, which must not be empty. A single cell takes no random number.
#[inline]
pub(super) fn any_of<R: Rng>(cells: Cells, rng: &mut R) -> Cell {
    match cells.len() {
        1 => cells.nth(0),
        len => cells.nth(rng.random_range(0..len)),
    }
}
