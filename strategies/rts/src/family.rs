//! The family `rts-script`.

use std::borrow::Cow;

use ruse_rts::{BoardSize, PLAYOUTS, Rts, SmallBoard};
use ruse_strategies::{Capabilities, Family, FamilyInfo, Reference};

use super::script::{SOLDIERS, Script};
use super::searching::searching_player;
use super::{RtsPlayer, references};

/// The family `rts-script`: scripts with tunable numbers.
#[derive(Debug, Clone)]
pub struct RtsScriptFamily<S: BoardSize = SmallBoard> {
    name: Cow<'static, str>,
    game: Rts<S>,
}

impl RtsScriptFamily {
    /// Creates the family on the map 8x8-1, with the rules of the paper.
    pub fn standard() -> RtsScriptFamily {
        RtsScriptFamily::named("rts-script", Rts::standard())
    }
}

impl<S: BoardSize> RtsScriptFamily<S> {
    /// Creates the family for another game under another name, for example on a map read from a file.
    pub fn named(name: impl Into<Cow<'static, str>>, game: Rts<S>) -> RtsScriptFamily<S> {
        RtsScriptFamily { name: name.into(), game }
    }
}

/// Formats a count with its noun: "1 worker", "2 workers".
fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

impl<S: BoardSize> Family for RtsScriptFamily<S> {
    type Game = Rts<S>;
    type Strategy = Script;
    type Reference = RtsPlayer;

    fn info(&self) -> FamilyInfo<'_> {
        FamilyInfo {
            game: "rts",
            about: "workers and soldiers on a map, at the same time",
            common_play: Some("light-rush"),
            // A game takes a quarter of a millisecond.
            default_budget: 100_000,
            ..FamilyInfo::new(
                &self.name,
                "how many workers and soldiers to train, and when to attack",
            )
        }
    }

    fn game(&self) -> &Rts<S> {
        &self.game
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        let mut capabilities = Capabilities::of(self)
            .adjustable(|family, game| Self { game, ..family.clone() })
            // Scripts do not simulate games.
            .only_rules(|rule| rule != PLAYOUTS)
            .portable(|_| true)
            .kind("rts-script")
            .board("light-rush")
            .numbered()
            .by_slots();
        capabilities.searching = Some(searching_player);
        capabilities
    }

    fn references(&self) -> Vec<Reference<RtsPlayer>> {
        references()
    }

    fn words(&self, script: &Script) -> String {
        let Script { num_harvesters, num_workers, num_first_workers, num_barracks, .. } = *script;
        let barracks = if num_barracks == 0 {
            "builds no barracks".to_string()
        } else {
            let total: f64 = script.shares.iter().sum();
            let shares = SOLDIERS.iter().zip(script.shares);
            let shares: Vec<_> = shares
                .map(|(kind, share)| format!("{:.0}% {}", 100.0 * share / total, kind.name()))
                .collect();
            format!(
                "builds {} after {}, and trains soldiers, {}",
                counted(num_barracks, "barracks", "barracks"),
                counted(num_first_workers, "worker", "workers"),
                shares.join(", ")
            )
        };
        let seems = |steps: f64| match steps.round() {
            steps if steps < 0.0 => format!("{} steps farther", -steps),
            steps => format!("{} steps nearer", steps.abs()),
        };
        let [workers, buildings] = script.preys.map(seems);
        format!(
            "trains up to {num_workers} workers: the first {num_harvesters} harvest and the others fight; {barracks}; \
             attacks with {} or more against up to {:.2} times its own strength, and else fights within {} of home; to \
             an attack, enemy workers seem {workers}, and enemy buildings {buildings}",
            counted(script.army, "fighter", "fighters"),
            script.boldness,
            counted(script.guard as usize, "step", "steps"),
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
