//! The families: they share the game, the references and the capabilities, and tune different strategies.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use ruse_games::counted;
use ruse_rts::{BoardSize, PLAYOUTS, Rts, SmallBoard};
use ruse_search::ParametricStrategy;
use ruse_search::naive_mcts::{BanditKind, NaiveMctsSettings};
use ruse_strategies::{Capabilities, Family, FamilyInfo, Reference};

use super::script::{SOLDIERS, Script};
use super::searching::{MOVE_WEIGHT, TunedSearch, searching_player};
use super::{RtsPlayer, references};

/// Strategies that a family tunes.
pub trait RtsStrategy<S: BoardSize>: ParametricStrategy<Rts<S>> + 'static {
    /// The description of the family on the map 8x8-1. Its name is the kind of all families that tune these strategies.
    const INFO: FamilyInfo<'static>;

    /// Whether the strategies simulate games, as many as the rule `playouts` says.
    const SIMULATES: bool = false;

    /// Adds capabilities that the other families do not have, by default none.
    fn extend(capabilities: &mut Capabilities<'_, RtsFamily<Self, S>>) {
        let _ = capabilities;
    }

    /// Returns the reference players of the family.
    fn references() -> Vec<Reference<RtsPlayer>> {
        references()
    }

    /// Describes the play in words that people can follow.
    fn words(&self) -> String;
}

/// A family that tunes strategies of the type `P`.
#[derive(Clone)]
pub struct RtsFamily<P, S: BoardSize = SmallBoard> {
    name: Cow<'static, str>,
    game: Rts<S>,
    strategies: PhantomData<P>,
}

impl<P, S: BoardSize> fmt::Debug for RtsFamily<P, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RtsFamily { name, game, .. } = self;
        f.debug_struct("RtsFamily").field("name", name).field("game", game).finish()
    }
}

impl<P: RtsStrategy<SmallBoard>> RtsFamily<P> {
    /// Creates the family on the map 8x8-1, with the rules of the paper and 100 playouts per decision.
    pub fn standard() -> RtsFamily<P> {
        RtsFamily::named(P::INFO.name, Rts::standard())
    }
}

impl<P, S: BoardSize> RtsFamily<P, S> {
    /// Creates the family for another game under another name, for example on a map read from a file.
    pub fn named(name: impl Into<Cow<'static, str>>, game: Rts<S>) -> RtsFamily<P, S> {
        RtsFamily { name: name.into(), game, strategies: PhantomData }
    }
}

impl<P: RtsStrategy<S>, S: BoardSize> Family for RtsFamily<P, S> {
    type Game = Rts<S>;
    type Strategy = P;
    type Reference = RtsPlayer;

    fn info(&self) -> FamilyInfo<'_> {
        FamilyInfo { name: &self.name, ..P::INFO }
    }

    fn game(&self) -> &Rts<S> {
        &self.game
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        let mut capabilities = Capabilities::of(self)
            .adjustable(|family, game| Self { game, ..family.clone() })
            .only_rules(|rule| P::SIMULATES || rule != PLAYOUTS)
            .portable(|_| true)
            .kind(P::INFO.name)
            .board("light-rush")
            .numbered()
            .by_slots();
        capabilities.searching = Some(searching_player);
        P::extend(&mut capabilities);
        capabilities
    }

    fn references(&self) -> Vec<Reference<RtsPlayer>> {
        P::references()
    }

    fn words(&self, strategy: &P) -> String {
        strategy.words()
    }
}

/// The family `rts-script`: scripts with tunable numbers.
pub type RtsScriptFamily<S = SmallBoard> = RtsFamily<Script, S>;

impl<S: BoardSize> RtsStrategy<S> for Script {
    const INFO: FamilyInfo<'static> = FamilyInfo {
        game: "rts",
        about: "workers and soldiers on a map, at the same time",
        common_play: Some("light-rush"),
        // A game takes a quarter of a millisecond.
        default_budget: 100_000,
        ..FamilyInfo::new(
            "rts-script",
            "how many workers and soldiers to train, and when to attack",
        )
    };

    fn words(&self) -> String {
        let Script { num_harvesters, num_workers, num_first_workers, num_barracks, .. } = *self;
        let barracks = if num_barracks == 0 {
            "builds no barracks".to_string()
        } else {
            let total: f64 = self.shares.iter().sum();
            let shares = SOLDIERS.iter().zip(self.shares);
            let shares: Vec<_> = shares
                .map(|(kind, share)| format!("{:.0}% {}", 100.0 * share / total, kind.name()))
                .collect();
            format!(
                "builds {} after {}, and trains soldiers, {}",
                counted(num_barracks as u64, "barracks", "barracks"),
                counted(num_first_workers as u64, "worker", "workers"),
                shares.join(", ")
            )
        };
        let seems = |steps: f64| match steps.round() {
            steps if steps < 0.0 => format!("{} steps farther", -steps),
            steps => format!("{} steps nearer", steps.abs()),
        };
        let [workers, buildings] = self.preys.map(seems);
        format!(
            "trains up to {num_workers} workers: the first {num_harvesters} harvest and the others fight; {barracks}; \
             attacks with {} or more against up to {:.2} times its own strength, and else fights within {} of home; to \
             an attack, enemy workers seem {workers}, and enemy buildings {buildings}",
            counted(self.army as u64, "fighter", "fighters"),
            self.boldness,
            counted(self.guard.into(), "step", "steps"),
        )
    }
}

/// The family `rts-naive-mcts`: all players simulate the same number of cycles per decision, 100 times the value of the
/// rule `playouts`.
pub type RtsNaiveMctsFamily<S = SmallBoard> = RtsFamily<TunedSearch<S>, S>;

impl<S: BoardSize> RtsStrategy<S> for TunedSearch<S> {
    const INFO: FamilyInfo<'static> = FamilyInfo {
        game: "rts",
        about: "the same game; a strategy that searches",
        common_play: Some("light-rush"),
        // A game takes a twentieth of a second with 100 playouts per decision.
        default_budget: 2_000,
        ..FamilyInfo::new(
            "rts-naive-mcts",
            "the settings of NaiveMCTS: how it explores, how far it looks, what moves in its playouts",
        )
    };

    const SIMULATES: bool = true;

    fn words(&self) -> String {
        let TunedSearch { settings, weights, .. } = self;
        let percent = |share: f64| format!("{:.0}%", 100.0 * share);
        let NaiveMctsSettings { c, f, .. } = settings;
        let naive = format!(
            "explores in {} of all choices, where a unit does not take its best order in {}, and else takes the best \
             orders so far, or any of those tried in {}",
            percent(settings.e0),
            percent(settings.e_l),
            percent(settings.e_g)
        );
        let choice = match settings.bandit {
            BanditKind::TwoPhase => format!(
                "takes any orders in the first {} of its playouts; then {naive}",
                percent(settings.first_phase)
            ),
            BanditKind::EGreedy => {
                format!("takes any orders in {}, and else the best so far", percent(settings.e0))
            }
            BanditKind::Mlps => {
                format!("takes the orders of the highest joint bound (mlps, c = {c:.3})")
            }
            BanditKind::Ucb1 => format!("takes the orders of the highest bound (ucb1, c = {c:.3})"),
            BanditKind::Ucb1Fpu => {
                format!(
                    "takes the orders of the highest bound (ucb1, c = {c:.3}, first urgency with f = {f:.2})"
                )
            }
            BanditKind::Naive | BanditKind::Lsi => naive,
        };
        let scripts = settings.num_free.map_or(String::new(), |num_free| {
            format!("; all units but the {num_free} nearest to an enemy do what a rush would")
        });
        let weight = |weight: u16| format!("{:.2}", f64::from(weight) / MOVE_WEIGHT);
        format!(
            "thinks for {} playouts of {} cycles at a decision, up to {} decisions deep; {choice}{scripts}; in games played \
             ahead attacks weigh {}, harvesting {}, building {} and training {} \
             times as much as moving; a result a hundred cycles later counts {:.2} times as much",
            settings.budget,
            settings.horizon,
            settings.max_depth,
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
    use std::borrow::Cow;

    use ruse_games::{NumActions, RulesError, Seat};

    use super::*;

    #[test]
    fn a_hidden_rule_is_unknown() {
        let family = RtsScriptFamily::standard();
        let known = ["map", "cap", "mines", "units", "conflicts", "evaluation", "fog", "ask"];
        let rules = family.capabilities().rules();
        assert_eq!(rules.iter().map(|rule| &*rule.name).collect::<Vec<_>>(), known);
        let change = |name: &str| {
            family.capabilities().with_rules(&[(name.to_string(), 12)].into()).map(|changed| {
                let rules = changed.capabilities().rules();
                rules.into_iter().map(|rule| rule.value).collect::<Vec<_>>()
            })
        };
        let known = known.map(Cow::from).into();
        assert_eq!(change("playouts"), Err(RulesError::Unknown { name: "playouts".into(), known }));
        // The defaults are 0 for `map` and 1 for `units`; the cap of the paper is 3,000 cycles.
        assert_eq!(change("mines"), Ok(vec![0, 3_000, 12, 1, 0, 0, 0, 0]));
    }

    /// On the map 8x8-1 the base and the worker of a seat have 10 joint actions at the start, as the program of the
    /// paper reports.
    #[test]
    fn actions_in_slots_are_counted_with_the_time() {
        let family = RtsScriptFamily::standard();
        let count = family.capabilities().game.breadth.expect("actions have slots");
        let breadth = count(family.game(), &family.game().start(), Seat::First);
        assert_eq!((breadth.clock, breadth.num_actions), (Some(0), NumActions::Exactly(10)));
    }
}
