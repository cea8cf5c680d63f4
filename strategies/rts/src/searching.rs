//! The family `rts-naive-mcts`: the settings of a search, tuned like any other parameters.

use std::f64::consts::E;
use std::sync::LazyLock;

use rand::Rng;
use ruse_base::stop::StopRequest;
use ruse_games::{Seat, Simulate};
use ruse_rts::{BoardSize, Orders, Policy, Rts, RtsView, SmallBoard, Weights};
use ruse_search::naive_mcts::{BanditKind, BySlots, NaiveMcts, NaiveMctsMemory, NaiveMctsSettings};
use ruse_search::{
    Budget, Effort, ParameterError, ParameterSpace, ParametricStrategy, SearchName, Searcher,
    Setting, SettingValue, Settings, Strategy, by_slots,
};
use ruse_strategies::check_parameters;

use super::portfolio::keep_orders_of_scripts;

/// The settings of the player. The paper's settings have the parameters 0.
static SETTINGS: LazyLock<Settings> = LazyLock::new(|| {
    let bandits = ["naive", "two-phase", "mlps", "egreedy", "ucb1", "fpu"];
    let settings = vec![
        Setting::choice("bandit", bandits, 0).with_meaning("the bandit in the nodes"),
        Setting::real("e0", 0.4, 0.2, 0.0..=1.0).with_meaning("how often a node explores"),
        Setting::real("el", 0.33, 0.2, 0.0..=1.0)
            .with_meaning("how often an exploring node does not take the best order of a unit"),
        Setting::real("eg", 0.0, 0.1, 0.0..=1.0)
            .with_meaning("how often an exploiting node takes any orders tried before"),
        Setting::real("phase", 0.25, 0.1, 0.0..=1.0)
            .with_meaning("two-phase: the share of playouts that draw any orders at first"),
        Setting::ratio("c", 0.05, 3.0, 0.0005..=5.0)
            .with_meaning("mlps, ucb1, fpu: the factor of the confidence bound"),
        Setting::real("f", 0.95, 0.05, 0.0..=1.0)
            .with_meaning("fpu: the weight of the node's value in the urgency of new orders"),
        Setting::integer("depth", 10.0, 3.0, 1.0..=20.0)
            .with_meaning("decisions from the root at the most"),
        Setting::integer("horizon", 100.0, 40.0, 10.0..=400.0)
            .with_meaning("cycles that are played ahead"),
        Setting::real("discount", 1.0, 0.1, 0.01..=1.0)
            .with_meaning("the weight of a result a hundred cycles later"),
        Setting::ratio("attack", 5.0, E, 0.01..=300.0)
            .with_meaning("the weight of attacks in games played ahead; moving has 1"),
        Setting::ratio("economy", 5.0, E, 0.01..=300.0)
            .with_meaning("the weight of harvesting and handing over"),
        Setting::ratio("build", 1.0, E, 0.01..=300.0).with_meaning("the weight of each building"),
        Setting::ratio("train", 1.0, E, 0.01..=300.0)
            .with_meaning("the weight of each unit to train"),
        Setting::choice("free", ["all", "0", "2", "4"], 0).with_meaning(
            "the units nearest to an enemy that may be ordered anything; the others do what a rush would",
        ),
    ];
    Settings::new(settings).expect("valid settings")
});

/// The number of parameters.
pub const NUM_SEARCH_PARAMETERS: usize = 23;

/// The settings of `naive-mcts` without settings in its name. `es` found them with 2,000 games on one map, and they score more
/// than the paper's settings on all ten maps that were tried (docs/games/rts-searches.md).
static TUNED: LazyLock<Vec<f64>> = LazyLock::new(|| {
    use SettingValue::{Integer, Real, Word};
    let values = [
        Word("naive"),
        Real(0.32),
        Real(0.97),
        Real(0.0),
        Real(0.25),
        Real(0.05),
        Real(0.95),
        Integer(17),
        Integer(44),
        Real(0.69),
        Real(125.0),
        Real(0.8),
        Real(0.61),
        Real(1.28),
        Word("all"),
    ];
    SETTINGS.parameters_for(&values).expect("valid settings")
});

/// The number of cycles of a playout in the paper, which is the unit of budgets.
const USUAL_HORIZON: u32 = 100;

/// The weight of moving when playouts choose random actions. Weights are integers; other weights are fractions or
/// multiples of it.
pub(super) const MOVE_WEIGHT: f64 = 64.0;

/// NaiveMCTS with its settings as parameters.
#[derive(Clone)]
pub struct TunedSearch<S: BoardSize = SmallBoard> {
    pub(super) settings: NaiveMctsSettings,
    pub(super) weights: Weights,
    player: NaiveMcts<Rts<S>, BySlots>,
}

impl<S: BoardSize> TunedSearch<S> {
    fn of(game: &Rts<S>, theta: &[f64]) -> TunedSearch<S> {
        let game = &game.when_idle();
        let number = |name| SETTINGS.value(name, theta).number();
        let bandit = match SETTINGS.value("bandit", theta).word() {
            "two-phase" => BanditKind::TwoPhase,
            "mlps" => BanditKind::Mlps,
            "egreedy" => BanditKind::EGreedy,
            "ucb1" => BanditKind::Ucb1,
            "fpu" => BanditKind::Ucb1Fpu,
            _ => BanditKind::Naive,
        };
        let horizon = number("horizon") as u32;
        let playouts = u64::from(game.playouts());
        // If playouts are longer, there are fewer of them, so that the total number of cycles stays the same.
        let cycles = playouts * u64::from(USUAL_HORIZON);
        let settings = NaiveMctsSettings {
            budget: Budget::Playouts((cycles / u64::from(horizon)).max(1)),
            e0: number("e0"),
            e_l: number("el"),
            e_g: number("eg"),
            first_phase: number("phase"),
            c: number("c"),
            f: number("f"),
            num_free: SETTINGS.value("free", theta).word().parse().ok(),
            max_depth: number("depth") as u32,
            horizon,
            discount: libm::pow(number("discount"), 0.01),
            ..NaiveMctsSettings::of(bandit, true)
        };
        let weight = |name| (MOVE_WEIGHT * number(name)).round() as u16;
        let weights = Weights {
            attack: weight("attack"),
            harvest: weight("economy"),
            hand_over: weight("economy"),
            build: weight("build"),
            train: weight("train"),
            go: MOVE_WEIGHT as u16,
            wait: MOVE_WEIGHT as u16,
        };
        let player = NaiveMcts::new(game, settings, Policy::Biased(weights))
            .narrowed_by(keep_orders_of_scripts);
        TunedSearch { settings, weights, player }
    }
}

/// Returns the searching player `name`. [`TUNED`] replaces the settings of the paper if the name allows it.
pub(super) fn searching_player<S: BoardSize>(game: &Rts<S>, name: &SearchName) -> Searcher<Rts<S>> {
    let SearchName::NaiveMcts(settings) = *name else { return by_slots(game, name) };
    if settings.carry && !game.shows_waiting() {
        return None;
    }
    let (settings, policy) = match settings {
        NaiveMctsSettings { is_tuned: true, budget, .. } => {
            let TunedSearch { settings, weights, .. } = TunedSearch::of(game, &TUNED);
            (NaiveMctsSettings { budget, ..settings }, Policy::Biased(weights))
        }
        settings => (settings, Policy::default()),
    };
    let player = NaiveMcts::<Rts<S>, BySlots>::new(&game.when_idle(), settings, policy);
    Some(Box::new(player.narrowed_by(keep_orders_of_scripts)))
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
        SETTINGS.space()
    }

    fn from_parameters(game: &Rts<S>, theta: &[f64]) -> Result<Self, ParameterError> {
        check_parameters(theta, NUM_SEARCH_PARAMETERS, || Self::space(game))?;
        Ok(TunedSearch::of(game, theta))
    }
}

#[cfg(test)]
mod tests {
    use ruse_games::{Game, Turn};
    use ruse_strategies::testing::rng;

    use super::*;
    use crate::tests::game_on;

    #[test]
    fn zero_is_the_setting_of_the_paper() {
        let game = Rts::standard();
        let search = TunedSearch::from_parameters(&game, &[0.0; NUM_SEARCH_PARAMETERS]);
        let TunedSearch { settings, weights, .. } = search.expect("finite");
        let paper = NaiveMctsSettings {
            budget: Budget::Playouts(100),
            ..NaiveMctsSettings::of(BanditKind::Naive, true)
        };
        assert_eq!(settings, paper);
        // Section 6 of the paper uses NS(.4, .33, 0), and its program uses the weights 5, 5, 5 and 1.
        assert_eq!((settings.e0, settings.e_l, settings.e_g), (0.4, 0.33, 0.0));
        assert_eq!([weights.attack, weights.harvest, weights.hand_over], [320; 3]);
        assert_eq!([weights.build, weights.train, weights.go, weights.wait], [64; 4]);
    }

    #[test]
    fn extreme_parameters_are_players_too() {
        let game = game_on("melee8x8", &[]);
        for value in [-1e300, -3.0, 3.0, 1e300] {
            let theta = [value; NUM_SEARCH_PARAMETERS];
            let search = TunedSearch::from_parameters(&game, &theta).expect("finite");
            assert!((10..=400).contains(&search.settings.horizon));
            assert!((1..=20).contains(&search.settings.max_depth));
            let mut rng = rng(1);
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

    /// A player that is asked in every cycle thinks only when it has idle units, and sees as many decisions ahead as usual.
    #[test]
    fn searches_think_when_units_are_idle() {
        let game = game_on("8x8-2", &[("ask", 1), ("cap", 200), ("playouts", 10)]);
        let search = TunedSearch::of(&game, &TUNED);
        let mut rng = rng(1);
        let (mut state, mut orders) = (game.deal(&mut rng), Orders::default());
        let mut memories = [NaiveMctsMemory::default(), NaiveMctsMemory::default()];
        for seat in Seat::BOTH {
            search.begin(&mut memories[seat as usize], seat);
        }
        let (mut num_turns, mut num_choices) = (0, 0);
        while let Turn::Act(seat) = game.turn(&state) {
            num_turns += 1;
            num_choices += u64::from(game.view(&state, seat).idle_units().count() > 0);
            search.act(
                &mut memories[seat as usize],
                game.view(&state, seat),
                &mut rng,
                &mut orders,
            );
            game.check(&state, &orders).expect("searches keep the rules");
            game.apply(&mut state, seat, &orders, &mut rng);
        }
        let thought = memories.map(|memory| TunedSearch::<SmallBoard>::effort(&memory).choices);
        assert_eq!(num_turns, 400);
        assert!(thought.iter().sum::<u64>() <= num_choices && num_choices < num_turns);
        assert!(thought.iter().all(|&choices| choices > 0));
    }

    /// The total number of cycles does not depend on the horizon.
    #[test]
    fn thought_costs_the_same_cycles() {
        let game = Rts::standard();
        for horizon in [-2.0, -1.0, 0.5, 2.0] {
            let mut theta = [0.0; NUM_SEARCH_PARAMETERS];
            theta[13] = horizon;
            let settings = TunedSearch::from_parameters(&game, &theta).expect("finite").settings;
            let Budget::Playouts(playouts) = settings.budget else {
                panic!("playouts are counted")
            };
            let cycles = playouts * u64::from(settings.horizon);
            assert!((9_600..=10_000).contains(&cycles), "{cycles}");
        }
    }
}
