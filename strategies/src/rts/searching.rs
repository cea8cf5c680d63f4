//! The family `rts-naive-mcts`: the constants of a search, tuned like any other parameters.

use std::borrow::Cow;

use rand::Rng;
use ruse_games::Seat;
use ruse_games::rts::{BoardSize, Orders, Policy, Rts, RtsView, SmallBoard, Weights};

use super::RtsPlayer;
use super::family::references;
use crate::search::Budget;
use crate::search::naive_mcts::{
    BanditKind, BySlots, NaiveMcts, NaiveMctsMemory, NaiveMctsSettings,
};
use crate::{
    Capabilities, Effort, Family, FamilyInfo, Parameter, ParameterError, ParameterSpace,
    ParametricStrategy, Reference, StopRequest, Strategy,
};

/// The name and the meaning of each parameter. All are 0 in the setting of the paper.
const PARAMETERS: [(&str, &str); 11] = [
    ("e0", "how often a node explores: logistic, 0.40 at 0"),
    (
        "el",
        "how often an exploring node does not take the best order of a unit: logistic, 0.33 at 0",
    ),
    (
        "eg",
        "how often an exploiting node takes any orders tried before: 1 - e^-theta above 0, else 0",
    ),
    ("phase", "the share of playouts that draw any orders at first: 1 - e^-theta above 0, else 0"),
    ("depth", "decisions from the root at the most: 1 to 20, logistic, 10 at 0"),
    ("horizon", "cycles that are played ahead: 100 e^(0.7 theta), 10 to 400"),
    (
        "discount",
        "what a later result counts less by, in a cycle: a factor e^(-0.002 theta) above 0, else 1",
    ),
    ("attack", "log-weight of attacks in games played ahead, against moving; 5 e^theta"),
    ("economy", "log-weight of harvesting and handing over; 5 e^theta"),
    ("build", "log-weight of each building; e^theta"),
    ("train", "log-weight of each unit to train; e^theta"),
];

/// The number of parameters.
pub const NUM_SEARCH_PARAMETERS: usize = PARAMETERS.len();

/// The number of cycles of a playout in the paper, which is the unit of budgets.
const USUAL_HORIZON: u32 = 100;

/// The weight of moving when playouts choose random actions. Weights are integers; other weights are fractions or
/// multiples of it.
const MOVE_WEIGHT: f64 = 64.0;

/// NaiveMCTS with its constants as parameters.
#[derive(Clone)]
pub struct TunedSearch<S: BoardSize = SmallBoard> {
    settings: NaiveMctsSettings,
    weights: Weights,
    player: NaiveMcts<Rts<S>, BySlots>,
}

fn logistic(theta: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-theta.clamp(-700.0, 700.0)))
}

/// Returns the logistic function, shifted so that its value at 0 is `at_zero`.
fn share(theta: f64, at_zero: f64) -> f64 {
    logistic(theta + libm::log(at_zero / (1.0 - at_zero)))
}

/// Returns a share that is 0 for negative numbers and approaches 1 for large numbers.
fn share_above_zero(theta: f64) -> f64 {
    -libm::expm1(-theta.max(0.0))
}

impl<S: BoardSize> TunedSearch<S> {
    fn of(game: &Rts<S>, theta: &[f64; NUM_SEARCH_PARAMETERS]) -> TunedSearch<S> {
        let [e0, e_l, e_g, phase, depth, horizon, discount, attack, economy, build, train] = *theta;
        let first_phase = share_above_zero(phase);
        let bandit = if first_phase > 0.0 { BanditKind::TwoPhase } else { BanditKind::Naive };
        let horizon = f64::from(USUAL_HORIZON) * libm::exp((0.7 * horizon).clamp(-30.0, 30.0));
        let horizon = horizon.round().clamp(10.0, 400.0) as u32;
        let playouts = u64::from(game.playouts());
        // If playouts are longer, there are fewer of them, so that the total number of cycles stays the same.
        let cycles = playouts * u64::from(USUAL_HORIZON);
        let settings = NaiveMctsSettings {
            budget: Budget::Playouts((cycles / u64::from(horizon)).max(1)),
            e0: share(e0, 0.4),
            e_l: share(e_l, 0.33),
            e_g: share_above_zero(e_g),
            first_phase,
            max_depth: 1 + (19.0 * share(depth, 0.5)) as u32,
            horizon,
            discount: libm::exp(-0.002 * discount.max(0.0)).max(f64::MIN_POSITIVE),
            ..NaiveMctsSettings::of(bandit, true)
        };
        let weight = |usual: f64, theta: f64| {
            let weight = MOVE_WEIGHT * usual * libm::exp(theta.clamp(-30.0, 30.0));
            weight.round().clamp(0.0, 20_000.0) as u16
        };
        let weights = Weights {
            attack: weight(5.0, attack),
            harvest: weight(5.0, economy),
            hand_over: weight(5.0, economy),
            build: weight(1.0, build),
            train: weight(1.0, train),
            go: MOVE_WEIGHT as u16,
            wait: MOVE_WEIGHT as u16,
        };
        let player = NaiveMcts::new(game, settings, Policy::Biased(weights));
        TunedSearch { settings, weights, player }
    }
}

impl<S: BoardSize> Strategy<Rts<S>> for TunedSearch<S> {
    type Memory = NaiveMctsMemory<Rts<S>, BySlots>;

    fn begin(&self, memory: &mut Self::Memory, seat: Seat) {
        self.player.begin(memory, seat);
    }

    fn act<R: Rng>(
        &self,
        memory: &mut Self::Memory,
        view: RtsView<'_, S>,
        rng: &mut R,
        orders: &mut Orders,
    ) {
        self.player.act(memory, view, rng, orders);
    }

    fn heed(memory: &mut Self::Memory, request: &StopRequest) {
        NaiveMcts::<Rts<S>, BySlots>::heed(memory, request);
    }

    fn effort(memory: &Self::Memory) -> Effort {
        NaiveMcts::<Rts<S>, BySlots>::effort(memory)
    }
}

impl<S: BoardSize> ParametricStrategy<Rts<S>> for TunedSearch<S> {
    fn space(_game: &Rts<S>) -> ParameterSpace {
        let parameter = |(name, meaning): (&'static str, &'static str)| Parameter {
            name: Cow::Borrowed(name),
            meaning: Cow::Borrowed(meaning),
        };
        ParameterSpace::new(PARAMETERS.map(parameter).to_vec())
    }

    fn from_parameters(game: &Rts<S>, theta: &[f64]) -> Result<Self, ParameterError> {
        match theta.try_into() {
            Ok(theta) if theta_is_finite(theta) => Ok(TunedSearch::of(game, theta)),
            _ => Err(Self::space(game).check(theta).expect_err("no other parameters are refused")),
        }
    }
}

fn theta_is_finite(theta: &[f64; NUM_SEARCH_PARAMETERS]) -> bool {
    theta.iter().all(|value| value.is_finite())
}

/// The family `rts-naive-mcts`: all players simulate the same number of cycles per decision, 100 times the value of the
/// rule `playouts`.
#[derive(Debug, Clone)]
pub struct RtsNaiveMctsFamily<S: BoardSize = SmallBoard> {
    name: Cow<'static, str>,
    game: Rts<S>,
}

impl RtsNaiveMctsFamily {
    /// Creates the family on the map 8x8-1, with the rules of the paper and 100 playouts per decision.
    pub fn standard() -> RtsNaiveMctsFamily {
        RtsNaiveMctsFamily::named("rts-naive-mcts", Rts::standard())
    }
}

impl<S: BoardSize> RtsNaiveMctsFamily<S> {
    /// Creates the family for another game under another name, for example on a map read from a file.
    pub fn named(name: impl Into<Cow<'static, str>>, game: Rts<S>) -> RtsNaiveMctsFamily<S> {
        RtsNaiveMctsFamily { name: name.into(), game }
    }
}

impl<S: BoardSize> Family for RtsNaiveMctsFamily<S> {
    type Game = Rts<S>;
    type Strategy = TunedSearch<S>;
    type Reference = RtsPlayer;

    fn info(&self) -> FamilyInfo<'_> {
        FamilyInfo {
            game: "rts",
            about: "the same game; a strategy that searches",
            common_play: Some("light-rush"),
            // A game takes a twentieth of a second with 100 playouts per decision.
            default_budget: 2_000,
            ..FamilyInfo::new(
                &self.name,
                "the constants of NaiveMCTS: how it explores, how far it looks, what moves in its playouts",
            )
        }
    }

    fn game(&self) -> &Rts<S> {
        &self.game
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities::of(self)
            .adjustable(|family, game| Self { game, ..family.clone() })
            .portable(|_| true)
            .kind("rts-naive-mcts")
            .board("light-rush")
            .numbered()
            .by_slots()
    }

    fn references(&self) -> Vec<Reference<RtsPlayer>> {
        references()
    }

    fn words(&self, search: &TunedSearch<S>) -> String {
        let TunedSearch { settings, weights, .. } = search;
        let percent = |share: f64| format!("{:.0}%", 100.0 * share);
        let phase = match settings.bandit {
            BanditKind::TwoPhase => format!(
                "takes any orders in the first {} of its playouts; then ",
                percent(settings.first_phase)
            ),
            _ => String::new(),
        };
        let weight = |weight: u16| format!("{:.2}", f64::from(weight) / MOVE_WEIGHT);
        format!(
            "thinks for {} playouts of {} cycles at a decision, up to {} decisions deep; {phase}explores in {} of all \
             choices, where a unit does not take its best order in {}, and else takes the best orders so far, or any \
             of those tried in {}; in games played ahead attacks weigh {}, harvesting {}, building {} and training {} \
             times as much as moving; a result a hundred cycles later counts {:.2} times as much",
            settings.budget,
            settings.horizon,
            settings.max_depth,
            percent(settings.e0),
            percent(settings.e_l),
            percent(settings.e_g),
            weight(weights.attack),
            weight(weights.harvest),
            weight(weights.build),
            weight(weights.train),
            libm::pow(settings.discount, 100.0),
        )
    }
}

#[cfg(test)]
mod tests {
    use ruse_games::rts::Map;
    use ruse_games::{Game, Turn};

    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn zero_is_the_setting_of_the_paper() {
        let game = Rts::standard();
        let search = TunedSearch::from_parameters(&game, &[0.0; NUM_SEARCH_PARAMETERS]);
        let TunedSearch { settings, weights, .. } = search.expect("finite");
        let paper = NaiveMctsSettings {
            budget: Budget::Playouts(100),
            e0: settings.e0,
            e_l: settings.e_l,
            first_phase: 0.0,
            ..NaiveMctsSettings::of(BanditKind::Naive, true)
        };
        assert_eq!(settings, paper);
        // Section 6 of the paper uses NS(.4, .33, 0), and its program uses the weights 5, 5, 5 and 1.
        assert!((settings.e0 - 0.4).abs() < 1e-12 && (settings.e_l - 0.33).abs() < 1e-12);
        assert_eq!([weights.attack, weights.harvest, weights.hand_over], [320; 3]);
        assert_eq!([weights.build, weights.train, weights.go, weights.wait], [64; 4]);
    }

    #[test]
    fn extreme_parameters_are_players_too() {
        let game = Rts::on(Map::named("melee8x8").expect("a map"));
        for value in [-1e300, -3.0, 3.0, 1e300] {
            let theta = [value; NUM_SEARCH_PARAMETERS];
            let search = TunedSearch::from_parameters(&game, &theta).expect("finite");
            assert!((10..=400).contains(&search.settings.horizon));
            assert!((1..=20).contains(&search.settings.max_depth));
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
            let (mut state, mut orders) = (game.deal(&mut rng), Orders::default());
            let mut memory = NaiveMctsMemory::default();
            search.begin(&mut memory, Seat::First);
            for _ in 0..5 {
                let Turn::Act(seat) = game.turn(&state) else { break };
                if seat == Seat::First {
                    search.act(&mut memory, game.view(&state, seat), &mut rng, &mut orders);
                } else {
                    game.view(&state, seat).random_orders(&mut rng, &mut orders);
                }
                game.apply(&mut state, seat, &orders, &mut rng);
            }
        }
        assert!(TunedSearch::from_parameters(&game, &[0.0; 3]).is_err());
        assert!(TunedSearch::from_parameters(&game, &[f64::NAN; NUM_SEARCH_PARAMETERS]).is_err());
    }

    /// The total number of cycles does not depend on the horizon.
    #[test]
    fn thought_costs_the_same_cycles() {
        let game = Rts::standard();
        for horizon in [-2.0, -1.0, 0.5, 2.0] {
            let mut theta = [0.0; NUM_SEARCH_PARAMETERS];
            theta[5] = horizon;
            let settings = TunedSearch::from_parameters(&game, &theta).expect("finite").settings;
            let Budget::Playouts(playouts) = settings.budget else {
                panic!("playouts are counted")
            };
            let cycles = playouts * u64::from(settings.horizon);
            assert!((9_600..=10_000).contains(&cycles), "{cycles}");
        }
    }
}
