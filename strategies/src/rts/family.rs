//! The family `rts-script`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ruse_games::rts::{PLAYOUTS, Rts, RtsState, UnitKind};
use ruse_games::{AdjustableRules, Rule, RulesError, Seat};

use super::script::{SOLDIERS, Script};
use super::{RtsPlayer, Rush};
use crate::search::{AnyStrategy, SearchName, by_slots};
use crate::{
    Breadth, Family, Imagining, OpenBoard, RANDOM, Reference, breadth_by_slots, imagining,
};

/// The family `rts-script`: scripts with tunable numbers.
#[derive(Debug, Clone)]
pub struct RtsScriptFamily {
    name: Cow<'static, str>,
    game: Rts,
}

impl RtsScriptFamily {
    /// Creates the family on the map 8x8-1, by the rules of the paper.
    pub fn standard() -> RtsScriptFamily {
        RtsScriptFamily::named("rts-script", Rts::standard())
    }

    /// Creates the family for another game, for example on a map read from a file, under a name of its own.
    pub fn named(name: impl Into<Cow<'static, str>>, game: Rts) -> RtsScriptFamily {
        RtsScriptFamily { name: name.into(), game }
    }
}

/// Formats a count with its noun: "1 worker", "2 workers".
fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// Returns the number of options of a seat, with the time of the game.
pub(super) fn breadth(game: &Rts, state: &RtsState, seat: Seat) -> Breadth {
    Breadth { clock: Some(state.time()), ..breadth_by_slots(game, state, seat) }
}

/// Returns the reference players.
pub(super) fn references() -> Vec<Reference<RtsPlayer>> {
    let rush = |name, meaning, rush| Reference::new(name, meaning, RtsPlayer::Rush(rush));
    vec![
        Reference::new(
            RANDOM,
            "each unit takes any allowed action, each with the same probability",
            RtsPlayer::Random,
        ),
        Reference::new(
            "random-biased",
            "attacks, harvests and hands over five times as often as it does anything else",
            RtsPlayer::RandomBiased,
        ),
        rush("worker-rush", "trains workers; all but one attack", Rush::Workers),
        rush(
            "light-rush",
            "builds barracks and attacks with light soldiers",
            Rush::Soldiers(UnitKind::Light),
        ),
        rush(
            "heavy-rush",
            "builds barracks and attacks with heavy soldiers",
            Rush::Soldiers(UnitKind::Heavy),
        ),
        rush(
            "ranged-rush",
            "builds barracks and attacks with ranged soldiers",
            Rush::Soldiers(UnitKind::Ranged),
        ),
    ]
}

impl Family for RtsScriptFamily {
    type Game = Rts;
    type Strategy = Script;
    type Reference = RtsPlayer;

    fn name(&self) -> &str {
        &self.name
    }

    fn game_name(&self) -> &str {
        "rts"
    }

    fn about(&self) -> &str {
        "workers and soldiers on a map, at the same time"
    }

    fn summary(&self) -> &str {
        "how many workers and soldiers to train, and when to attack"
    }

    fn game(&self) -> &Rts {
        &self.game
    }

    fn rules(&self) -> Vec<Rule> {
        // Scripts do not simulate games.
        let mut rules = self.game.rules();
        rules.retain(|rule| rule.name != PLAYOUTS);
        rules
    }

    fn rule_value(&self, rule: &str, text: &str) -> Option<u64> {
        self.game.rule_value(rule, text)
    }

    fn with_rules(&self, changes: &BTreeMap<String, u64>) -> Result<Self, RulesError> {
        // The game has the better error messages about maps.
        let game = self.game.with_rules(changes)?;
        Rule::change(&mut self.rules(), changes)?;
        Ok(RtsScriptFamily { name: self.name.clone(), game })
    }

    fn references(&self) -> Vec<Reference<RtsPlayer>> {
        references()
    }

    fn common_play(&self) -> Option<&str> {
        Some("light-rush")
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

    fn board(&self) -> Option<OpenBoard<'_, Rts>> {
        Some(OpenBoard { board: &self.game, opponent: "light-rush".into() })
    }

    fn imagining(&self, seat: Seat) -> Option<Box<dyn Imagining<Rts>>> {
        imagining(&self.game, seat)
    }

    fn breadth(&self, state: &RtsState, seat: Seat) -> Option<Breadth> {
        Some(breadth(&self.game, state, seat))
    }

    fn searching(&self, name: &SearchName) -> Option<Box<dyn AnyStrategy<Rts>>> {
        by_slots(&self.game, name)
    }

    fn default_budget(&self) -> u64 {
        // A game takes a quarter of a millisecond.
        100_000
    }
}
