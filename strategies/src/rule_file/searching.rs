//! Families of players that search, with their constants for parameters.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;

use rand::Rng;
use ruse_games::rule_file::{FEATURES, RoleMove, RoleView, RuleFile, RuleFileState};
use ruse_games::{AdjustableRules, BySeat, Rule, RulesError, Seat};

use super::policy::RuleFileReference;
use super::{references, searching};
use crate::search::mac_ucb::{MacUcb, MacUcbMemory, MacUcbSettings, StageSolver};
use crate::search::uct::{Listed, Uct, UctMemory, UctSettings};
use crate::search::{AnyStrategy, Budget, SearchName};
use crate::{
    Breadth, Effort, Family, Imagining, OpenBoard, Parameter, ParameterError, ParameterSpace,
    ParametricStrategy, Reference, Strategy, breadth_listed, imagining,
};

/// A search whose constants are parameters. All are 0 in its usual setting.
pub trait TunedSearch: ParametricStrategy<RuleFile> + 'static {
    /// What its parameters decide.
    const SUMMARY: &'static str;

    /// The player in words.
    fn words(&self) -> String;
}

/// What `game` allows for thought at a turn.
fn budget(game: &RuleFile) -> Budget {
    Budget::Steps(1_000 * u64::from(game.thought()))
}

fn parameters<const N: usize>(named: [(&'static str, &'static str); N]) -> ParameterSpace {
    let parameter = |(name, meaning): (&'static str, &'static str)| Parameter {
        name: Cow::Borrowed(name),
        meaning: Cow::Borrowed(meaning),
    };
    ParameterSpace::new(named.map(parameter).to_vec())
}

/// sqrt 2 at 0, and larger for larger numbers.
fn exploration(theta: f64) -> f64 {
    std::f64::consts::SQRT_2 * libm::exp(theta.clamp(-30.0, 30.0))
}

/// The constants of `mac-ucb`. Its stages are solved by the engine: all solvers find the same, and it is the fastest.
pub struct TunedMacUcb {
    settings: MacUcbSettings,
    player: MacUcb,
}

impl TunedMacUcb {
    fn of(game: &RuleFile, [share, bound, race]: [f64; 3]) -> TunedMacUcb {
        let odds = libm::log(9.0) + share.clamp(-30.0, 30.0);
        let settings = MacUcbSettings {
            budget: budget(game),
            share: (1.0 / (1.0 + libm::exp(-odds))).min(0.99),
            exploration: exploration(bound),
            has_race: race > 0.0,
            race_visits: (1_000.0 * libm::exp(-race.clamp(0.0, 30.0))).round().max(2.0) as u32,
            ..MacUcbSettings::of(StageSolver::Engine)
        };
        TunedMacUcb { settings, player: MacUcb::new(game, settings) }
    }
}

impl Clone for TunedMacUcb {
    fn clone(&self) -> TunedMacUcb {
        TunedMacUcb { settings: self.settings, player: self.player.again() }
    }
}

impl Strategy<RuleFile> for TunedMacUcb {
    type Memory = MacUcbMemory;

    fn begin(&self, memory: &mut MacUcbMemory, seat: Seat) {
        self.player.begin(memory, seat);
    }

    fn act<R: Rng>(
        &self,
        memory: &mut MacUcbMemory,
        view: RoleView<'_>,
        rng: &mut R,
        action: &mut RoleMove,
    ) {
        self.player.act(memory, view, rng, action);
    }

    fn effort(memory: &MacUcbMemory) -> Effort {
        MacUcb::effort(memory)
    }
}

impl ParametricStrategy<RuleFile> for TunedMacUcb {
    fn space(_game: &RuleFile) -> ParameterSpace {
        parameters([
            ("share", "the share of thought for solving stages: logistic, 0.90 at 0, at most 0.99"),
            ("c", "the factor of the confidence bound: sqrt 2 e^theta"),
            (
                "race",
                "visits after which a move may be skipped that is worse with confidence: 1000 e^-theta above 0, else never",
            ),
        ])
    }

    fn from_parameters(game: &RuleFile, theta: &[f64]) -> Result<Self, ParameterError> {
        Self::space(game).check(theta)?;
        Ok(TunedMacUcb::of(game, [theta[0], theta[1], theta[2]]))
    }
}

impl TunedSearch for TunedMacUcb {
    const SUMMARY: &'static str =
        "the constants of MAC-UCB: how much it solves, how it explores, what it skips";

    fn words(&self) -> String {
        let MacUcbSettings { budget, share, exploration, has_race, race_visits, .. } =
            self.settings;
        let race = match has_race {
            true => {
                format!("skips moves that are worse with confidence after {race_visits} visits")
            }
            false => "skips no moves".into(),
        };
        format!(
            "thinks for {budget} steps at a decision, {:.0}% of them to solve stages; takes bounds with the factor \
             {exploration:.2}; {race}",
            100.0 * share
        )
        .replace("ks steps", ",000 steps")
    }
}

/// The constant of `uct`.
pub struct TunedUct {
    settings: UctSettings,
    player: Uct<RuleFile, Listed>,
}

impl TunedUct {
    fn with(game: &RuleFile, settings: UctSettings) -> TunedUct {
        TunedUct { settings, player: Uct::new(game, settings) }
    }
}

impl Clone for TunedUct {
    fn clone(&self) -> TunedUct {
        TunedUct::with(self.player.game(), self.settings)
    }
}

impl Strategy<RuleFile> for TunedUct {
    type Memory = UctMemory<RuleFile>;

    fn begin(&self, memory: &mut Self::Memory, seat: Seat) {
        self.player.begin(memory, seat);
    }

    fn act<R: Rng>(
        &self,
        memory: &mut Self::Memory,
        view: RoleView<'_>,
        rng: &mut R,
        action: &mut RoleMove,
    ) {
        self.player.act(memory, view, rng, action);
    }

    fn effort(memory: &Self::Memory) -> Effort {
        Uct::<RuleFile, Listed>::effort(memory)
    }
}

impl ParametricStrategy<RuleFile> for TunedUct {
    fn space(_game: &RuleFile) -> ParameterSpace {
        parameters([("c", "the factor of the confidence bound: sqrt 2 e^theta")])
    }

    fn from_parameters(game: &RuleFile, theta: &[f64]) -> Result<Self, ParameterError> {
        Self::space(game).check(theta)?;
        let settings = UctSettings { budget: budget(game), exploration: exploration(theta[0]) };
        Ok(TunedUct::with(game, settings))
    }
}

impl TunedSearch for TunedUct {
    const SUMMARY: &'static str = "the constant of UCT: how it explores";

    fn words(&self) -> String {
        let UctSettings { budget, exploration } = self.settings;
        format!("thinks for {budget} steps at a decision, and takes bounds with the factor {exploration:.2}")
            .replace("ks steps", ",000 steps")
    }
}

/// A search with its constants for parameters, on a rule file. The rule `thought` says for how long it thinks.
pub struct SearchFamily<S> {
    name: Cow<'static, str>,
    game_name: String,
    game: RuleFile,
    strategy: PhantomData<fn() -> S>,
}

/// Of MAC-UCB.
pub type MacUcbFamily = SearchFamily<TunedMacUcb>;
/// Of UCT.
pub type UctFamily = SearchFamily<TunedUct>;

impl<S> SearchFamily<S> {
    /// The family of this name for a file.
    pub fn new(name: impl Into<Cow<'static, str>>, game: RuleFile) -> SearchFamily<S> {
        let game_name = game.title().to_string();
        SearchFamily { name: name.into(), game_name, game, strategy: PhantomData }
    }
}

impl<S> Clone for SearchFamily<S> {
    fn clone(&self) -> Self {
        SearchFamily::new(self.name.clone(), self.game.clone())
    }
}

impl<S: TunedSearch> Family for SearchFamily<S> {
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
        rules.retain(|rule| rule.name != FEATURES);
        rules
    }

    fn rule_value(&self, rule: &str, text: &str) -> Option<u64> {
        self.game.rule_value(rule, text)
    }

    fn with_rules(&self, changes: &BTreeMap<String, u64>) -> Result<Self, RulesError> {
        Rule::change(&mut self.rules(), changes)?;
        Ok(SearchFamily::new(self.name.clone(), self.game.with_rules(changes)?))
    }

    fn references(&self) -> Vec<Reference<RuleFileReference>> {
        references()
    }

    fn words(&self, strategy: &S) -> String {
        strategy.words()
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
        // A game takes some milliseconds.
        2_000
    }
}

#[cfg(test)]
mod tests {
    use ruse_gdl::Limits;

    use super::*;

    fn tic_tac_toe() -> RuleFile {
        let text =
            ruse_gdl::rule_file("tic_tac_toe").expect("a file of the engine").text.as_bytes();
        RuleFile::from_text("tic_tac_toe.kif", text, &Limits::default()).expect("a game")
    }

    /// Section 4.4 of the paper: nine tenths, and the bound of UCB1.
    #[test]
    fn zero_is_the_setting_of_the_paper() {
        let search = TunedMacUcb::from_parameters(&tic_tac_toe(), &[0.0; 3]).expect("finite");
        let MacUcbSettings { share, exploration, has_race, budget, .. } = search.settings;
        assert!((share - 0.9).abs() < 1e-12 && (exploration * exploration - 2.0).abs() < 1e-12);
        assert_eq!((has_race, budget), (false, Budget::Steps(1_000)));
    }

    #[test]
    fn extreme_parameters_are_players_too() {
        let game = tic_tac_toe();
        for value in [-1e300, -3.0, 3.0, 1e300] {
            let settings =
                TunedMacUcb::from_parameters(&game, &[value; 3]).expect("finite").settings;
            assert!((0.0..=0.99).contains(&settings.share) && settings.race_visits >= 2);
            assert!(
                TunedUct::from_parameters(&game, &[value]).expect("finite").settings.exploration
                    > 0.0
            );
        }
        assert!(TunedMacUcb::from_parameters(&game, &[0.0; 2]).is_err());
        assert!(TunedUct::from_parameters(&game, &[f64::NAN]).is_err());
    }

    #[test]
    fn thought_is_a_rule() {
        let family = MacUcbFamily::new("tic_tac_toe.kif:mac-ucb", tic_tac_toe());
        let longer = family.with_rules(&[("thought".into(), 7)].into()).expect("a rule");
        let search = TunedMacUcb::from_parameters(longer.game(), &[0.0; 3]).expect("finite");
        assert_eq!(search.settings.budget, Budget::Steps(7_000));
        assert!(search.words().starts_with("thinks for 7,000 steps"), "{}", search.words());
        assert!(family.with_rules(&[("thought".into(), 0)].into()).is_err());
        assert!(family.with_rules(&[("features".into(), 2)].into()).is_err());
    }
}
