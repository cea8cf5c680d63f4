//! Round robins as users write them: the players, their opponents, the budgets and the rules.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use ruse_base::files::Step;
use ruse_base::names::{UnknownName, check_name};
use ruse_base::rng::{Label, StreamKey};
use ruse_play::family::{AnyFamily, Player};
use ruse_play::score::{MAX_ENTRANTS, Pairings, Scored};
use ruse_registry::Registry;
use ruse_search::{Budget, SearchName};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::language::baseline::Baseline;
use crate::language::contestant::family_for;
use crate::language::error::SpecError;
use crate::language::outputs::{
    Misplaced, Output, Planned, distinct, distinct_numbers, number, output_list, outputs_of,
};
use crate::language::quantity::{PAIRS_RANGE, count, count_schema, counts};
use crate::language::rules::RulesSpec;
use crate::language::schema_names::FamilyName;
use crate::language::shared::pairs;
use crate::language::written::{PlayerItem, PlayerSpec};

/// The key that marks a file as a round robin.
pub(crate) const PLAYERS: &str = "players";
/// The placeholder for the budget in a searching player's name.
pub const BUDGET_MARK: &str = "@T";
/// The suffixes of the placeholder for budgets in thousands of steps, and in steps. Without a suffix, a budget is in
/// playouts.
const UNITS: [&str; 2] = ["ks", "steps"];
/// The default number of pairs of games between any two players; the paper uses ten.
const DEFAULT_PAIRS: u64 = 10;
/// The allowed budgets, in playouts per turn.
const BUDGETS_RANGE: RangeInclusive<u64> = 1..=Budget::MAX_PLAYOUTS;
/// The label of the default rules.
const USUAL_RULES: &str = "usual rules";

/// A round robin of several players, at several budgets and under several rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[serde(expecting = "a round robin, with at least `family` and `players`")]
pub struct RoundRobinSpec {
    /// The family of the players.
    #[schemars(with = "FamilyName")]
    pub family: String,
    /// The players. Each is given as in a match, or as a map with the keys `player` and `name`; tables show the `name`.
    /// In the name of a searching player, `@T` stands for the budget in playouts, and `@Tks` for the budget in
    /// thousands of steps.
    #[schemars(length(min = 2))]
    pub players: Vec<PlayerItem>,
    /// The players that all others meet, by their names in `players`; the others do not meet each other. Default: all
    /// players meet each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub against: Option<Vec<String>>,
    /// The budgets of a turn, in playouts or steps. The mark `@T` stands for each of them in turn.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "counts")]
    #[schemars(schema_with = "budgets")]
    pub budgets: Option<Vec<u64>>,
    /// The sets of rules under which all players meet, one after the other. Each set contains the changed rules of the
    /// game (see `ruse show FAMILY`). Default: one set without changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<RulesSpec>>,
    /// The number of pairs of games between any two players, at each budget and under each set of rules. Default: 10.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "pairs")]
    pub pairs: Option<u64>,
    /// The seed of all random numbers. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The formats of the tables, figures and pages that are written in addition to the results. Default: md, csv, tex,
    /// svg.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "output_list")]
    pub outputs: Option<Vec<String>>,
}

fn budgets(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "minItems": 1, "items": count_schema(BUDGETS_RANGE) })
}

/// A set of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSetting {
    /// The label. It states the rules that differ between the sets, or from the defaults.
    pub label: String,
    /// The values of all rules.
    pub rules: BTreeMap<String, u64>,
}

/// A player of a round robin.
#[derive(Debug, Clone, PartialEq)]
pub struct RobinPlayer {
    /// The name of the player.
    pub label: String,
    /// The player; `@T` in a name stands for the budget.
    spec: PlayerSpec,
}

impl RobinPlayer {
    /// Returns the parts of the player's name before and after the budget, if the budget varies.
    fn around_budget(&self) -> Option<(&str, &str)> {
        let PlayerSpec::Name(name) = &self.spec else { return None };
        let (method, rest) = name.split_once(BUDGET_MARK)?;
        let is_searching = SearchName::methods().any(|known| known == method);
        let settings = UNITS.iter().find_map(|unit| rest.strip_prefix(unit)).unwrap_or(rest);
        let is_complete = settings.is_empty() || settings.starts_with(':');
        (is_searching && is_complete).then_some((method, rest))
    }

    /// Returns `true` if the budget of the player varies.
    pub fn has_budget(&self) -> bool {
        self.around_budget().is_some()
    }

    /// Returns the names of the programs that play: the player itself, or members of a mixture.
    pub(crate) fn programs(&self) -> Vec<&str> {
        self.spec.programs()
    }

    fn at(&self, budget: u64) -> PlayerSpec {
        match self.around_budget() {
            Some((method, rest)) => PlayerSpec::Name(format!("{method}@{budget}{rest}")),
            None => self.spec.clone(),
        }
    }
}

/// A meeting of two players.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MeetingPlan {
    /// The index of the budget; `None` if neither player has a budget.
    pub budget: Option<usize>,
    /// The index of the set of rules.
    pub setting: usize,
    /// The index of the player whose results are counted.
    pub player: usize,
    /// The index of the opponent, which is greater than the index of the player.
    pub opponent: usize,
}

/// The result of a meeting.
#[derive(Debug, Clone, PartialEq)]
pub struct MeetingResult {
    /// The players, the budget and the rules.
    pub meeting: MeetingPlan,
    /// The score of the player, with the pairs played.
    pub scored: Scored,
}

/// The plan of a round robin.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundRobinPlan {
    /// The family.
    pub family: String,
    /// The descriptions of the family, if programs play its games ([`AnyFamily::descriptions`]).
    pub descriptions: BTreeMap<String, String>,
    /// The players, in order.
    pub players: Vec<RobinPlayer>,
    /// The indices of the players that all others meet; empty if all players meet each other.
    pub against: Vec<usize>,
    /// The budgets, in order; empty if no player has one.
    pub budgets: Vec<u64>,
    /// The sets of rules, in order.
    pub settings: Vec<RuleSetting>,
    /// The number of pairs of games between any two players.
    pub pairs: u64,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The additional outputs.
    pub outputs: Vec<Output>,
}

impl RoundRobinPlan {
    /// Returns all meetings: first without a budget, then at each budget.
    pub fn meetings(&self) -> Vec<MeetingPlan> {
        let budgets = std::iter::once(None).chain((0..self.budgets.len()).map(Some));
        let mut meetings = Vec::new();
        for budget in budgets {
            for setting in 0..self.settings.len() {
                for (player, opponent) in Pairings::of(self.players.len()).all() {
                    let has_budget = |index: usize| self.players[index].has_budget();
                    let is_time = (has_budget(player) || has_budget(opponent)) == budget.is_some();
                    if is_time && self.meet(player, opponent) {
                        meetings.push(MeetingPlan { budget, setting, player, opponent });
                    }
                }
            }
        }
        meetings
    }

    fn meet(&self, player: usize, opponent: usize) -> bool {
        let is_met = |index| self.against.contains(&index);
        self.against.is_empty() || is_met(player) || is_met(opponent)
    }

    /// Returns an upper bound on the number of games of all meetings.
    pub fn num_games(&self) -> u64 {
        (self.meetings().len() as u64).saturating_mul(self.pairs).saturating_mul(2)
    }

    /// Returns the key of a meeting's random numbers. It depends on the budget, and on the indices of the rules and the
    /// players. So meetings stay the same if rules, players or budgets are appended to the plan.
    pub fn key(&self, meeting: &MeetingPlan) -> StreamKey {
        StreamKey::root(self.seed)
            .child(Label::Meeting, meeting.setting as u64)
            .child(Label::Request, self.budget_of(meeting).unwrap_or(0))
            .child(Label::Choice, meeting.player as u64)
            .child(Label::Opponent, meeting.opponent as u64)
    }

    /// Returns the unit of the budgets, or `T` if the players use different units.
    pub fn unit(&self) -> &'static str {
        let rests = || self.players.iter().filter_map(|player| Some(player.around_budget()?.1));
        let all =
            |unit: &str| !self.budgets.is_empty() && rests().all(|rest| rest.starts_with(unit));
        match (all("ks"), all("steps")) {
            (true, _) => "thousand steps of the game in thought",
            (_, true) => "steps of the game in thought",
            _ if rests().any(|rest| UNITS.iter().any(|unit| rest.starts_with(unit))) => "T",
            _ => "playouts",
        }
    }

    /// Returns the budget of a meeting, in playouts or steps per turn.
    pub fn budget_of(&self, meeting: &MeetingPlan) -> Option<u64> {
        meeting.budget.map(|index| self.budgets[index])
    }

    /// Returns the relative duration of a meeting: 1 plus the budgets of its players. A missing budget adds nothing.
    pub fn weight(&self, meeting: &MeetingPlan) -> f64 {
        let of_player = |index: usize| match self.players[index].has_budget() {
            true => self.budget_of(meeting).unwrap_or(0) as f64,
            false => 0.0,
        };
        1.0 + of_player(meeting.player) + of_player(meeting.opponent)
    }

    /// Returns the family under a set of rules.
    ///
    /// # Errors
    ///
    /// Returns an error if `registry` does not have the family of the plan.
    pub fn family(&self, row: usize, registry: &Registry) -> Result<Arc<dyn AnyFamily>, SpecError> {
        Ok(registry.family(&self.family)?.with_rules(&self.settings[row].rules)?)
    }

    /// Returns a player at a budget.
    ///
    /// # Errors
    ///
    /// Returns an error if `family` is not the family of the plan.
    pub fn player(
        &self,
        index: usize,
        budget: Option<usize>,
        family: &dyn AnyFamily,
    ) -> Result<Player, SpecError> {
        let budget = budget.map_or(1, |index| self.budgets[index]);
        Ok(self.players[index].at(budget).player(family, self.seed)?.1)
    }

    /// Checks a player at all budgets and under all rules. Returns the player, and its form in the resolved experiment.
    fn checked(
        &self,
        given: &PlayerItem,
        index: usize,
        registry: &Registry,
    ) -> Result<(RobinPlayer, PlayerItem), Misplaced> {
        let place = |error| match given {
            PlayerItem::Bare(_) => (item(PLAYERS, index), error),
            PlayerItem::Named { .. } => {
                (vec![PLAYERS.into(), index.into(), "player".into()], error)
            }
        };
        let mut player = RobinPlayer { label: given.label(index), spec: given.parts().0.clone() };
        let mut known: Option<Baseline> = None;
        for setting in 0..self.settings.len() {
            let family = self.family(setting, registry).map_err(place)?;
            let budgets = match player.has_budget() && !self.budgets.is_empty() {
                true => self.budgets.clone(),
                false => vec![1],
            };
            for budget in budgets {
                let checked = player.at(budget).checked_player(family.as_ref(), self.seed);
                known.get_or_insert(checked.map_err(place)?.0);
            }
        }
        let mut item = given.clone();
        if let Some(spec) = known.and_then(|known| item.write_out(&known, &player.label)) {
            player.spec = spec;
        }
        Ok((player, item))
    }
}

fn at(key: &'static str) -> Vec<Step> {
    vec![key.into()]
}

fn item(key: &'static str, index: usize) -> Vec<Step> {
    vec![key.into(), index.into()]
}

impl RoundRobinSpec {
    /// Checks the specification and fills in defaults.
    pub(crate) fn plan(mut self, registry: &Registry) -> Planned<RoundRobinSpec, RoundRobinPlan> {
        let files = self.players.iter().filter_map(PlayerItem::path);
        let family = family_for(&self.family, files, registry);
        let family = family.map_err(|e| (at("family"), e.into()))?;
        self.family = family.name().into();
        let (settings, rules) = self.settings(family.as_ref())?;
        let pairs = number("pairs", self.pairs.unwrap_or(DEFAULT_PAIRS), PAIRS_RANGE)?;
        let outputs = outputs_of(self.outputs.as_deref())?;
        if let Some(budgets) = &self.budgets {
            distinct_numbers("budgets", "budget", budgets, &BUDGETS_RANGE)?;
        }
        let mut plan = RoundRobinPlan {
            family: self.family.clone(),
            descriptions: family.descriptions(),
            players: Vec::new(),
            against: Vec::new(),
            budgets: self.budgets.clone().unwrap_or_default(),
            settings,
            pairs,
            seed: self.seed.unwrap_or(1),
            outputs,
        };
        let mut items = Vec::new();
        for (index, one) in self.players.iter().enumerate() {
            let (player, written_out) = plan.checked(one, index, registry)?;
            let checked = check_name(&player.label);
            checked.map_err(|error| (item(PLAYERS, index), SpecError::Name(error)))?;
            if plan.players.iter().any(|other| other.label == player.label) {
                let error = SpecError::Repeated { what: "player", name: player.label };
                return Err((item(PLAYERS, index), error));
            }
            plan.players.push(player);
            items.push(written_out);
        }
        if !(2..=MAX_ENTRANTS).contains(&items.len()) {
            return Err((at(PLAYERS), SpecError::NumPlayers(items.len())));
        }
        plan.against = self.checked_against(&plan.players)?;
        match (plan.players.iter().any(RobinPlayer::has_budget), &self.budgets) {
            (true, None) => return Err((at(PLAYERS), SpecError::NoBudgets)),
            (false, Some(_)) => return Err((at("budgets"), SpecError::IdleBudgets)),
            _ => {}
        }
        let resolved = RoundRobinSpec {
            players: items,
            rules: Some(rules),
            pairs: Some(pairs),
            seed: Some(plan.seed),
            ..self
        };
        Ok((Vec::new(), resolved, plan))
    }

    /// Returns the indices of the players that all others meet.
    fn checked_against(&self, players: &[RobinPlayer]) -> Result<Vec<usize>, Misplaced> {
        let Some(against) = &self.against else { return Ok(Vec::new()) };
        distinct("against", "player", against, |name| {
            let known = || players.iter().map(|player| player.label.as_str());
            let unknown = || UnknownName::new("player of this round robin", name, known());
            Ok(known().position(|label| label == name).ok_or_else(unknown)?)
        })
    }

    /// Returns the sets of rules, and their form in the resolved experiment.
    fn settings(
        &self,
        family: &dyn AnyFamily,
    ) -> Result<(Vec<RuleSetting>, Vec<RulesSpec>), Misplaced> {
        let given = self.rules.clone().unwrap_or_else(|| vec![RulesSpec::default()]);
        if given.is_empty() {
            return Err((at("rules"), SpecError::Empty("rules")));
        }
        let values_of = |family: &dyn AnyFamily| -> BTreeMap<String, u64> {
            family.rules().into_iter().map(|rule| (rule.name.into(), rule.value)).collect()
        };
        let (mut all, mut written) = (Vec::new(), Vec::new());
        for (index, given) in given.into_iter().enumerate() {
            let changes = given.numbers(family).map_err(|error| {
                let mut place = item("rules", index);
                if let SpecError::RuleValue { rule, .. } = &error {
                    place.push(rule.as_str().into());
                }
                (place, error)
            })?;
            let changed = family.with_rules(&changes);
            let changed = changed.map_err(|error| (item("rules", index), error.into()))?;
            let in_force = values_of(changed.as_ref());
            if all.contains(&in_force) {
                let name = label(&given, |_| true);
                let error = SpecError::Repeated { what: "set of rules", name };
                return Err((item("rules", index), error));
            }
            written.push(given.completed(changed.as_ref()));
            all.push(in_force);
        }
        let usual = values_of(family);
        let tells_apart = |name: &str| match all.as_slice() {
            [only] => only[name] != usual[name],
            [first, others @ ..] => others.iter().any(|other| other[name] != first[name]),
            [] => false,
        };
        let labels: Vec<String> = written.iter().map(|texts| label(texts, tells_apart)).collect();
        let setting = |(label, rules)| RuleSetting { label, rules };
        Ok((labels.into_iter().zip(all).map(setting).collect(), written))
    }
}

/// Returns a label with the values of the wanted rules, such as `suits=6`, or the label of the default rules if none is
/// wanted.
fn label(rules: &RulesSpec, is_wanted: impl Fn(&str) -> bool) -> String {
    let wanted = rules.iter().filter(|(name, _)| is_wanted(name));
    let values: Vec<_> = wanted.map(|(name, value)| format!("{name}={value}")).collect();
    if values.is_empty() { USUAL_RULES.into() } else { values.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Study;
    use crate::fixtures::plan;

    fn round_robin(text: &str) -> RoundRobinPlan {
        let Study::RoundRobin(of) = plan(text).expect("valid").study else {
            panic!("a round robin")
        };
        of
    }

    #[test]
    fn budgets_matter_to_searching_players() {
        let found = round_robin(
            "family: nim\nplayers: [uct@T, optimal, {player: 'uct@T:c=1', name: bold}, random]\n\
             budgets: [10, 1k]\nrules: [{}, {heap-1: 2}]\npairs: 5\n",
        );
        assert_eq!(found.budgets, [10, 1000]);
        let labels: Vec<_> = found.players.iter().map(|player| player.label.as_str()).collect();
        assert_eq!(labels, ["uct@T", "optimal", "bold", "random"]);
        let settings: Vec<_> = found.settings.iter().map(|s| s.label.as_str()).collect();
        assert_eq!(settings, ["heap-1=1", "heap-1=2"]);
        let meetings = found.meetings();
        // Each of the two sets of rules has one meeting without a budget, and five at each of two budgets.
        assert_eq!(meetings.len(), 2 * (1 + 2 * 5));
        assert!(meetings.is_sorted());
        assert_eq!(found.num_games(), 22 * 5 * 2);
        // The meeting of optimal and random needs no budget.
        assert_eq!(meetings[0], MeetingPlan { budget: None, setting: 0, player: 1, opponent: 3 });
        let registry = Registry::standard();
        let family = found.family(1, &registry).expect("known");
        let player = |index| found.player(index, Some(1), family.as_ref()).expect("a player");
        assert_eq!(player(2), Player::Named("uct@1000:c=1".into()));
        assert_eq!(player(1), Player::Named("optimal".into()));
        // With `against`, the others meet only the listed players.
        let hub = round_robin(
            "family: nim\nplayers: [uct@T, optimal, {player: 'uct@T:c=1', name: bold}, random]\n\
             against: [bold]\nbudgets: [10, 1k]\nrules: [{}, {heap-1: 2}]\npairs: 5\n",
        );
        // Two sets of rules, three other players and two budgets. The streams are as in the full round robin.
        assert_eq!(hub.meetings().len(), 2 * 3 * 2);
        assert!(hub.meetings().iter().all(|one| one.player == 2 || one.opponent == 2));
        assert!(
            hub.meetings()
                .iter()
                .all(|one| meetings.contains(one) && hub.key(one) == found.key(one))
        );
        // Every meeting has its own stream.
        let keys: std::collections::HashSet<_> =
            meetings.iter().map(|meeting| found.key(meeting)).collect();
        assert_eq!(keys.len(), meetings.len());
    }

    #[test]
    fn players_and_rules_have_labels() {
        let found = round_robin(
            "family: rts-script\nplayers: [random, worker-rush]\nrules: [{map: 8x8-2}]",
        );
        assert_eq!(found.settings[0].label, "map=8x8-2");
        let found = round_robin("family: pig\nplayers: [[0.5], baseline]");
        assert_eq!(found.settings[0].label, "usual rules");
        assert_eq!(found.players[0].label, "player 1");
    }
}
