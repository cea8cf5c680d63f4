//! Strategies with a probability for each move in each situation.

use std::sync::Arc;

use rand::Rng;
use ruse_games::Seat;
use ruse_games::rule_file::{RoleMove, RoleView, RuleFile};
use ruse_search::{
    CopyMemory, Decisions, LogLinear, Parameter, ParameterError, ParameterSpace,
    ParametricStrategy, Strategy, keep_buffers,
};
use ruse_strategies::certificate::Work;

use super::habits::{Habits, after};
use super::policy::{Policy, check, index_of, normalise, stem, uniform};
use super::situations::{Situation, Situations};

/// The largest number of situations that words list.
const FEW_SITUATIONS: usize = 40;

/// A strategy with a weight for each move of each situation ([`Situations`]). A role draws a move with a probability
/// proportional to its weight. Negative weights count as zero. If all weights of a situation are zero, the role draws
/// uniformly.
///
/// If the game is too large to list its situations, the strategy has no parameters and draws uniformly.
#[derive(Debug, Clone)]
pub struct Tabular {
    situations: Arc<Situations>,
    theta: Vec<f64>,
}

fn situations_of(game: &RuleFile) -> Arc<Situations> {
    Situations::of(game, &Work::default()).unwrap_or_default()
}

impl Policy for Tabular {
    fn memory(&self, view: &RoleView<'_>) -> u64 {
        view.memory()
    }

    fn probabilities(&self, view: &RoleView<'_>, probabilities: &mut Vec<f64>) {
        probabilities.clear();
        let num_moves = view.legal().len();
        if let Some(index) = self.situations.find(view) {
            let first = self.situations.all()[index].first;
            let weights = self.theta[first..first + num_moves].iter();
            probabilities.extend(weights.map(|weight| weight.max(0.0)));
        }
        probabilities.resize(num_moves, 0.0);
        normalise(probabilities);
    }
}

impl Strategy<RuleFile> for Tabular {
    type Memory = Vec<f64>;

    const COPY: CopyMemory<Vec<f64>> = keep_buffers;

    /// Keeps the buffer.
    #[inline]
    fn begin(&self, _: &mut Vec<f64>, _: Seat) {}

    fn act<R: Rng>(
        &self,
        probabilities: &mut Vec<f64>,
        view: RoleView<'_>,
        rng: &mut R,
        action: &mut RoleMove,
    ) {
        self.probabilities(&view, probabilities);
        let mut left = uniform(rng);
        let passed = probabilities.iter().position(|probability| {
            left -= probability;
            left < 0.0
        });
        // Rounding may leave a rest, which goes to the last move with a positive probability.
        let last = || probabilities.iter().rposition(|probability| *probability > 0.0);
        let index = passed.or_else(last).unwrap_or_default();
        *action = RoleMove { role: view.role(), action: view.legal()[index] };
    }
}

impl ParametricStrategy<RuleFile> for Tabular {
    fn space(game: &RuleFile) -> ParameterSpace {
        let rules = game.language_rules();
        let mut parameters = Vec::new();
        for (index, situation) in (1..).zip(situations_of(game).all()) {
            let (role, known) = (situation.role, in_words(&situation.known));
            for (place, &action) in (1..).zip(&situation.moves) {
                let name = format!("{}-{index}-{place}", stem(game, role));
                let (text, role) = (rules.move_text(role, action), rules.role_name(role));
                let meaning = format!("weight of {text} for {role}{known}");
                parameters.push(Parameter::new(name, meaning));
            }
        }
        ParameterSpace::new(parameters)
    }

    fn from_parameters(game: &RuleFile, theta: &[f64]) -> Result<Self, ParameterError> {
        let mut strategy = Tabular { situations: situations_of(game), theta: Vec::new() };
        strategy.set_parameters(game, theta)?;
        Ok(strategy)
    }

    fn set_parameters(&mut self, game: &RuleFile, theta: &[f64]) -> Result<(), ParameterError> {
        check::<Self>(game, theta, self.situations.num_moves())?;
        self.theta.clear();
        self.theta.extend_from_slice(theta);
        Ok(())
    }
}

/// The smallest share of a weight in the largest weight of a situation whose logarithm is a coordinate. A move without
/// weight gets this share.
const MIN_SHARE: f64 = 1e-6;

/// The coordinates are the logarithms of the weights, as shares of the largest weight of a situation.
impl LogLinear<RuleFile> for Tabular {
    fn to_coordinates(game: &RuleFile, theta: &mut [f64]) {
        for situation in situations_of(game).all() {
            let weights = &mut theta[situation.first..][..situation.moves.len()];
            let most = weights.iter().copied().fold(0.0, f64::max);
            for weight in weights {
                let share = if most > 0.0 { *weight / most } else { 1.0 };
                *weight = libm::log(share.max(MIN_SHARE));
            }
        }
    }

    fn to_parameters(game: &RuleFile, coordinates: &mut [f64]) {
        for situation in situations_of(game).all() {
            let logs = &mut coordinates[situation.first..][..situation.moves.len()];
            let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            logs.iter_mut().for_each(|log| *log = libm::exp(*log - most));
        }
    }

    fn act_recorded<R: Rng>(
        &self,
        probabilities: &mut Vec<f64>,
        view: RoleView<'_>,
        rng: &mut R,
        action: &mut RoleMove,
        decisions: &mut Decisions,
    ) {
        self.act(probabilities, view, rng, action);
        let Some(index) = self.situations.find(&view) else { return };
        let Situation { first, moves, .. } = &self.situations.all()[index];
        for place in 0..moves.len() {
            decisions.add_feature(first + place, 1.0);
            decisions.end_action();
        }
        decisions.end_decision(index_of(&view, action));
    }
}

/// Returns the knowledge of a role as the end of a sentence.
fn in_words(known: &[String]) -> String {
    after(known).unwrap_or_else(|| " at first".into())
}

/// A situation of a strategy in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SituationWords {
    /// The role that decides.
    pub role: String,
    /// The knowledge of the role, as in `after (rolled 1)`.
    pub known: String,
    /// The moves with their probabilities in percent, as in `pass 70%, claim 30%`. A move of less than half a percent is left out.
    pub moves: String,
}

impl Tabular {
    /// Returns all situations of a strategy with these parameters in words.
    pub fn situations(game: &RuleFile, theta: &[f64]) -> Vec<SituationWords> {
        let rules = game.language_rules();
        let words = |situation: &Situation| {
            let weights = &theta[situation.first..][..situation.moves.len()];
            let sum: f64 = weights.iter().map(|weight| weight.max(0.0)).sum();
            let moves = situation.moves.iter().zip(weights).filter_map(|(&action, weight)| {
                let share =
                    if sum > 0.0 { weight.max(0.0) / sum } else { 1.0 / weights.len() as f64 };
                let text = rules.move_text(situation.role, action);
                (share >= 0.005).then(|| format!("{text} {:.0}%", 100.0 * share))
            });
            SituationWords {
                role: rules.role_name(situation.role).into(),
                known: in_words(&situation.known).trim_start().into(),
                moves: moves.collect::<Vec<_>>().join(", "),
            }
        };
        situations_of(game).all().iter().map(words).collect()
    }

    /// Describes the strategy: the probabilities in each situation, or its first moves if there are many situations.
    pub(super) fn words(&self, game: &RuleFile) -> String {
        if self.situations.all().len() > FEW_SITUATIONS {
            return Habits::of(game, self).words(game);
        }
        let words = Tabular::situations(game, &self.theta).into_iter();
        let words: Vec<_> = words
            .map(|SituationWords { role, known, moves }| format!("as {role} {known}: {moves}"))
            .collect();
        match words.is_empty() {
            true => "never has a choice".into(),
            false => format!("plays {}", words.join("; ")),
        }
    }
}
