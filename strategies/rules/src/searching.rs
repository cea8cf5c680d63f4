//! Searching players whose constants are parameters. In the usual setting, all parameters are 0.

use std::f64::consts::E;
use std::sync::LazyLock;

use rand::Rng;
use ruse_base::stop::StopRequest;
use ruse_csp::mac_ucb::MacUcb;
use ruse_games::Seat;
use ruse_games::rule_file::{RoleMove, RoleView, RuleFile};
use ruse_gdl::Information;
use ruse_search::uct::{Leaves, Listed, Uct, UctSettings};
use ruse_search::{
    Budget, Effort, MacUcbSettings, Parameter, ParameterError, ParameterSpace, ParametricStrategy,
    SearchName, Searcher, Setting, Settings, SolverKind, Strategy, listed, listed_and_open,
};

use super::lessons::{FactValues, learned};

/// Returns the budget for a turn, according to the rule `thought` of `game`.
fn budget(game: &RuleFile) -> Budget {
    Budget::Steps(1_000 * u64::from(game.thought()))
}

/// Returns the exploration factor of the upper bound: sqrt 2 if `theta` is 0, increasing with `theta`.
fn exploration(theta: f64) -> f64 {
    std::f64::consts::SQRT_2 * libm::exp(theta.clamp(-30.0, 30.0))
}

/// A searching player whose settings follow from parameters.
#[derive(Clone)]
pub struct Tuned<S, P> {
    pub(super) settings: S,
    pub(super) player: P,
}

impl<S: Send + Sync, P: Strategy<RuleFile>> Strategy<RuleFile> for Tuned<S, P> {
    type Memory = P::Memory;

    fn begin(&self, memory: &mut P::Memory, seat: Seat) {
        self.player.begin(memory, seat);
    }

    fn act<R: Rng>(
        &self,
        memory: &mut P::Memory,
        view: RoleView<'_>,
        rng: &mut R,
        action: &mut RoleMove,
    ) {
        self.player.act(memory, view, rng, action);
    }

    fn heed(memory: &mut P::Memory, request: &StopRequest) {
        P::heed(memory, request);
    }

    fn effort(memory: &P::Memory) -> Effort {
        P::effort(memory)
    }
}

/// MAC-UCB with its constants as parameters. The stages are solved by the engine, the fastest solver; all solvers give
/// the same results.
pub type TunedMacUcb = Tuned<MacUcbSettings, MacUcb>;

impl TunedMacUcb {
    fn of(game: &RuleFile, [share, bound, race]: [f64; 3]) -> TunedMacUcb {
        let odds = libm::log(9.0) + share.clamp(-30.0, 30.0);
        let settings = MacUcbSettings {
            budget: budget(game),
            share: (1.0 / (1.0 + libm::exp(-odds))).min(0.99),
            exploration: exploration(bound),
            has_race: race > 0.0,
            race_visits: (1_000.0 * libm::exp(-race.clamp(0.0, 30.0))).round().max(2.0) as u32,
            ..MacUcbSettings::of(SolverKind::Engine)
        };
        TunedMacUcb { settings, player: MacUcb::new(game, settings) }
    }
}

impl ParametricStrategy<RuleFile> for TunedMacUcb {
    fn space(_game: &RuleFile) -> ParameterSpace {
        ParameterSpace::new(vec![
            Parameter::new(
                "share",
                "the share of thought for solving stages: logistic, 0.90 at 0, at most 0.99",
            ),
            Parameter::new("c", "the factor of the confidence bound: sqrt 2 e^theta"),
            Parameter::new(
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

/// UCT with parameters: its constant or, with an evaluation `L` of leaves, what the evaluation makes of them.
pub type TunedUct<L = ()> = Tuned<UctSettings, Uct<RuleFile, Listed, L>>;

impl<L: Leaves<RuleFile>> TunedUct<L> {
    pub(super) fn with(game: &RuleFile, settings: UctSettings, leaves: L) -> TunedUct<L> {
        TunedUct { settings, player: Uct::with_leaves(game, settings, leaves) }
    }
}

/// The settings of [`TunedUct`]; at 0 they are the usual ones.
static UCT_SETTINGS: LazyLock<Settings> = LazyLock::new(|| {
    let settings = vec![
        Setting::ratio("c", UctSettings::default().exploration, E, 1e-13..=1e13)
            .with_meaning("the factor of the confidence bound"),
        Setting::real("mast", 0.0, 0.5, 0.0..=1.0)
            .with_meaning("the share of actions in playouts that follow earlier playouts"),
        Setting::integer("rave", 0.0, 1_000.0, 0.0..=1e9)
            .with_meaning("the visits up to which later actions count"),
    ];
    Settings::new(settings).expect("valid settings")
});

impl ParametricStrategy<RuleFile> for TunedUct {
    fn space(_game: &RuleFile) -> ParameterSpace {
        UCT_SETTINGS.space()
    }

    fn from_parameters(game: &RuleFile, theta: &[f64]) -> Result<Self, ParameterError> {
        Self::space(game).check(theta)?;
        let number = |name| UCT_SETTINGS.value(name, theta).number();
        let settings = UctSettings {
            budget: budget(game),
            exploration: number("c"),
            mast: number("mast"),
            rave: number("rave"),
            ..UctSettings::default()
        };
        Ok(TunedUct::with(game, settings, ()))
    }
}

/// Returns the searching player named `name`.
pub(super) fn searching_player(game: &RuleFile, name: &SearchName) -> Searcher<RuleFile> {
    if let SearchName::MacUcb(settings) = name {
        return Some(Box::new(MacUcb::new(game, *settings)));
    }
    let rules = game.language_rules();
    let sees_all = rules.information() == Information::Complete;
    if let SearchName::Uct(settings) = name
        && settings.share > 0.0
    {
        let values = FactValues::clone(&learned(game));
        return Some(Box::new(Uct::<_, Listed, _>::with_leaves(game, *settings, values)));
    }
    let is_open =
        sees_all && rules.random().is_none() && game.survey().turns && !game.plays_alone();
    if is_open { listed_and_open(game, name) } else { listed(game, name) }
}

#[cfg(test)]
mod tests {
    use ruse_strategies::Family;

    use super::*;
    use crate::MacUcbFamily;
    use crate::family::RuleFileStrategy;
    use crate::tests::file;

    /// If all parameters are 0, the constants have the values of section 4.4 of the paper: the share is nine tenths,
    /// and the exploration factor is sqrt 2, as in UCB1.
    #[test]
    fn zero_is_the_setting_of_the_paper() {
        let search = TunedMacUcb::from_parameters(&file("tic_tac_toe"), &[0.0; 3]).expect("finite");
        let MacUcbSettings { share, exploration, has_race, budget, .. } = search.settings;
        assert!((share - 0.9).abs() < 1e-12 && (exploration * exploration - 2.0).abs() < 1e-12);
        assert_eq!((has_race, budget), (false, Budget::Steps(1_000)));
    }

    #[test]
    fn extreme_parameters_are_players_too() {
        let game = file("tic_tac_toe");
        for value in [-1e300, -3.0, 3.0, 1e300] {
            let settings =
                TunedMacUcb::from_parameters(&game, &[value; 3]).expect("finite").settings;
            assert!((0.0..=0.99).contains(&settings.share) && settings.race_visits >= 2);
            let UctSettings { exploration, mast, rave, .. } =
                <TunedUct>::from_parameters(&game, &[value; 3]).expect("finite").settings;
            assert!(
                exploration > 0.0 && (0.0..=1.0).contains(&mast) && rave >= 0.0 && rave.is_finite()
            );
        }
        assert!(TunedMacUcb::from_parameters(&game, &[0.0; 2]).is_err());
        assert!(<TunedUct>::from_parameters(&game, &[f64::NAN, 0.0, 0.0]).is_err());
        let usual = <TunedUct>::from_parameters(&game, &[0.0; 3]).expect("finite").settings;
        assert_eq!(
            UctSettings { budget: UctSettings::default().budget, ..usual },
            UctSettings::default()
        );
    }

    #[test]
    fn thought_is_a_rule() {
        let family = MacUcbFamily::new("tic_tac_toe.kif:mac-ucb", file("tic_tac_toe"));
        let longer =
            family.capabilities().with_rules(&[("thought".into(), 7)].into()).expect("a rule");
        let search = TunedMacUcb::from_parameters(longer.game(), &[0.0; 3]).expect("finite");
        assert_eq!(search.settings.budget, Budget::Steps(7_000));
        assert!(
            search.words(longer.game()).starts_with("thinks for 7,000 steps"),
            "{}",
            search.words(longer.game())
        );
        assert!(family.capabilities().with_rules(&[("thought".into(), 0)].into()).is_err());
        assert!(family.capabilities().with_rules(&[("features".into(), 2)].into()).is_err());
    }
}
