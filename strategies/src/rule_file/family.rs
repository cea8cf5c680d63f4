//! The families of a rule file.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::Range;

use ruse_games::rule_file::{FEATURES, RuleFile, RuleFileState, THOUGHT};
use ruse_games::{AdjustableRules, BySeat, Rule, RulesError, Seat};

use super::expected::exact_score;
use super::habits::Habits;
use super::policy::{Linear, Policy, RuleFileReference, Seeded};
use super::response::best_response;
use super::{references, searching};
use crate::search::{AnyStrategy, SearchName};
use crate::{
    BestResponse, Breadth, Family, Imagining, OpenBoard, ParametricStrategy, Picture, Prepared,
    Reference, breadth_listed, imagining,
};

/// Joint moves of positive probability up to which scores are computed, and not estimated: well under a second.
const MOST_MOVES: u64 = 100_000;

/// A parametric strategy of rule files, as a family of them.
pub trait RuleFileStrategy: ParametricStrategy<RuleFile> + Policy + 'static {
    /// What its parameters decide.
    const SUMMARY: &'static str;

    /// Games after which a run is worth reading.
    const BUDGET: u64;

    /// Whether the rule `features` is of any effect.
    const HAS_FEATURES: bool;

    /// The number of parameters of a role.
    fn dimension_of_role(game: &RuleFile) -> usize {
        if Self::HAS_FEATURES { game.num_features() as usize } else { 1 }
    }
}

impl RuleFileStrategy for Seeded<true> {
    const SUMMARY: &'static str = "which of all pure strategies each role plays: its number";
    const BUDGET: u64 = 200_000;
    const HAS_FEATURES: bool = false;
}

impl RuleFileStrategy for Seeded<false> {
    const SUMMARY: &'static str =
        "which of all pure strategies without memory each role plays: its number";
    const BUDGET: u64 = 200_000;
    const HAS_FEATURES: bool = false;
}

impl RuleFileStrategy for Linear<false> {
    const SUMMARY: &'static str =
        "what each role makes of what it knows: weights of moves, the largest of which is made";
    const BUDGET: u64 = 500_000;
    const HAS_FEATURES: bool = true;
}

impl RuleFileStrategy for Linear<true> {
    const SUMMARY: &'static str =
        "what each role makes of what it knows: weights of moves, one of which is drawn by them";
    const BUDGET: u64 = 500_000;
    const HAS_FEATURES: bool = true;
}

/// A family of a rule file: one for each kind of strategy.
#[derive(Debug, Clone)]
pub struct RuleFileFamily<S> {
    name: Cow<'static, str>,
    game_name: String,
    game: RuleFile,
    strategy: PhantomData<fn() -> S>,
}

/// A number for each role stands for a pure strategy.
pub type SeedFamily = RuleFileFamily<Seeded<true>>;
/// The same, without memory.
pub type SeedMemorylessFamily = RuleFileFamily<Seeded<false>>;
/// Weights of what is known.
pub type LinearFamily = RuleFileFamily<Linear<false>>;
/// The same, moves being drawn.
pub type LinearSoftmaxFamily = RuleFileFamily<Linear<true>>;

impl<S: RuleFileStrategy> RuleFileFamily<S> {
    /// The family of this name for a file.
    pub fn new(name: impl Into<Cow<'static, str>>, game: RuleFile) -> RuleFileFamily<S> {
        let game_name = game.title().to_string();
        RuleFileFamily { name: name.into(), game_name, game, strategy: PhantomData }
    }
}

/// The policies that a player is made of, with their probabilities; none if it has others.
fn policies<S: RuleFileStrategy>(
    player: &Prepared<RuleFileFamily<S>>,
) -> Option<Vec<(f64, &dyn Policy)>> {
    match player {
        Prepared::Own(strategy) => Some(vec![(1.0, strategy as &dyn Policy)]),
        Prepared::Reference(reference) => Some(vec![(1.0, reference as &dyn Policy)]),
        Prepared::Mixture(mixture) => {
            let mut all = Vec::new();
            for (share, member) in mixture.members() {
                let of_member = policies(member)?;
                all.extend(of_member.into_iter().map(|(part, policy)| (share * part, policy)));
            }
            Some(all)
        }
        Prepared::Searching(_) | Prepared::Redrawn(_) => None,
    }
}

impl<S: RuleFileStrategy> Family for RuleFileFamily<S> {
    type Game = RuleFile;
    type Strategy = S;
    type Reference = RuleFileReference;

    fn name(&self) -> &str {
        &self.name
    }

    fn game_name(&self) -> &str {
        &self.game_name
    }

    fn summary(&self) -> &str {
        S::SUMMARY
    }

    fn game(&self) -> &RuleFile {
        &self.game
    }

    fn rules(&self) -> Vec<Rule> {
        let mut rules = self.game.rules();
        rules.retain(|rule| rule.name != THOUGHT && (S::HAS_FEATURES || rule.name != FEATURES));
        rules
    }

    fn rule_value(&self, rule: &str, text: &str) -> Option<u64> {
        self.game.rule_value(rule, text)
    }

    fn with_rules(&self, changes: &BTreeMap<String, u64>) -> Result<Self, RulesError> {
        Rule::change(&mut self.rules(), changes)?;
        Ok(RuleFileFamily { game: self.game.with_rules(changes)?, ..self.clone() })
    }

    fn references(&self) -> Vec<Reference<RuleFileReference>> {
        references()
    }

    /// Where each seat has a role of its own.
    fn seats(&self) -> Option<BySeat<Range<usize>>> {
        let has_two = !self.game.plays_alone() && self.game.roles().len() == 2;
        let dimension = S::dimension_of_role(&self.game);
        has_two.then_some(BySeat { first: 0..dimension, second: dimension..2 * dimension })
    }

    fn words(&self, strategy: &S) -> String {
        Habits::of(&self.game, strategy).words(&self.game)
    }

    fn picture(&self, strategy: &S) -> Option<Picture> {
        Some(Habits::of(&self.game, strategy).picture(&self.game))
    }

    fn exact_score(&self, a: &Prepared<Self>, b: &Prepared<Self>) -> Option<f64> {
        exact_score(&self.game, &policies(a)?, &policies(b)?, MOST_MOVES)
    }

    fn best_response(&self, strategy: &Prepared<Self>) -> Option<BestResponse> {
        let scores = best_response(&self.game, &policies(strategy)?)?;
        Some(BestResponse { scores, words: None })
    }

    fn board(&self) -> Option<OpenBoard<'_, RuleFile>> {
        Some(OpenBoard { board: &self.game, opponent: "uct@200".into() })
    }

    fn imagining(&self, seat: Seat) -> Option<Box<dyn Imagining<RuleFile>>> {
        imagining(&self.game, seat)
    }

    fn breadth(&self, state: &RuleFileState, seat: Seat) -> Option<Breadth> {
        Some(breadth_listed(&self.game, state, seat))
    }

    fn searching(&self, name: &SearchName) -> Option<Box<dyn AnyStrategy<RuleFile>>> {
        searching(&self.game, name)
    }

    fn goals(&self, state: &RuleFileState) -> Option<BySeat<f64>> {
        self.game.goals(state)
    }

    fn rule_file(&self) -> Option<&RuleFile> {
        Some(&self.game)
    }

    fn default_budget(&self) -> u64 {
        S::BUDGET
    }
}
