//! Experiments with portfolios as users write them: pools of random or listed strategies, their sizes, and bandits.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use ruse_base::files::Step;
use ruse_base::rng::{Label, StreamKey};
use ruse_optimise::portfolio::MAX_MEMBERS;
use ruse_play::family::{AnyFamily, family_label};
use ruse_registry::Registry;
use ruse_search::bandit::BanditName;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::study::StudyPlan;
use crate::language::comparison::{LABEL_PATTERN, check_labels};
use crate::language::contestant::family_for;
use crate::language::error::SpecError;
use crate::language::outputs::{
    Misplaced, Output, Planned, distinct, inside, number, output_list, outputs_of,
};
use crate::language::pool::{Pool, PoolMember, varied_parameter};
use crate::language::quantity::{GAMES_RANGE, PAIRS_RANGE, count, count_schema};
use crate::language::rules::RulesSpec;
use crate::language::run::find;
use crate::language::schema_names::FamilyName;
use crate::language::shared::{games, pairs};
use crate::language::written::{PlayerItem, PlayerSpec};

/// The key that marks a file as an experiment with portfolios.
pub(crate) const PORTFOLIOS: &str = "portfolios";
/// The default number of pairs of games between any two seeds.
const DEFAULT_PAIRS: u64 = 200;
/// The default number of games from which a bandit learns.
const DEFAULT_GAMES: u64 = 1024;
/// The default number of runs of a bandit, and of repetitions of a choice, as in the paper.
const DEFAULT_RUNS: u64 = 1000;
/// The allowed numbers of seeds to choose from.
pub(crate) const SEEDS_RANGE: RangeInclusive<u64> = 2..=(MAX_MEMBERS - 1) as u64;
/// The allowed numbers of runs of a bandit.
pub(crate) const BANDIT_RUNS_RANGE: RangeInclusive<u64> = 1..=1_000_000;

/// The allowed numbers of pools of each family and size.
pub(crate) const POOLS_RANGE: RangeInclusive<u64> = 1..=100;

/// The experiment with portfolios, on pools of several families and sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[serde(expecting = "an experiment with at least `portfolios`")]
pub struct PortfoliosSpec {
    /// The families, each with the strategies to choose from, or with their numbers.
    #[schemars(length(min = 1))]
    pub portfolios: Vec<PortfolioItem>,
    /// The bandits that learn which strategy to play. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "bandit_list")]
    pub bandits: Option<Vec<String>>,
    /// The number of games from which a bandit learns. Default: 1024.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "games")]
    pub games: Option<u64>,
    /// The number of runs of a bandit, which is also the number of times that the strategies to choose from are drawn.
    /// Default: 1000.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "bandit_runs")]
    pub runs: Option<u64>,
    /// The number of pools of random strategies of each family and size. The pools differ in their seeds. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "pools")]
    pub pools: Option<u64>,
    /// The seed of all random numbers. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The formats of the tables, figures and pages that are written in addition to the results. Default: md, csv, tex,
    /// svg.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "output_list")]
    pub outputs: Option<Vec<String>>,
}

/// A family, with its strategies or their numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[serde(expecting = "a map with `family`, and `random` or `players`")]
#[schemars(extend("oneOf" = [{ "required": ["random"] }, { "required": ["players"] }]))]
pub struct PortfolioItem {
    /// The family of the strategies.
    #[schemars(with = "FamilyName")]
    pub family: String,
    /// The name in tables and directories. Default: the name of the family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = LABEL_PATTERN))]
    pub name: Option<String>,
    /// The changed rules of the game (see `ruse show FAMILY`). Other rules keep their defaults.
    #[serde(default, skip_serializing_if = "RulesSpec::is_empty")]
    pub rules: RulesSpec,
    /// The numbers of strategies with random parameters to choose from: one portfolio for each number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "sizes")]
    pub random: Option<Vec<u64>>,
    /// The strategies to choose from, in place of random ones. Each is given as in a round robin: the name of a
    /// reference strategy or of a searching player, a strategy file, parameters, or a map with `player` and `name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 2))]
    pub players: Option<Vec<PlayerItem>>,
    /// The only parameter that is random; the others are zero. Default: all are random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vary: Option<String>,
    /// The number of held-out strategies, which are not among the strategies to choose from. Default: their number.
    /// For listed players the default is 0, and the last players of the list are held out.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "held_out")]
    pub held_out: Option<u64>,
    /// The number of pairs of games between any two strategies; if nothing is random, one pair is played. Default: 200.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "pairs")]
    pub pairs: Option<u64>,
}

fn bandit_list(_: &mut SchemaGenerator) -> Schema {
    let names = BanditName::ALL.map(BanditName::name);
    json_schema!({ "type": "array", "minItems": 1, "uniqueItems": true, "items": { "enum": names } })
}

fn bandit_runs(_: &mut SchemaGenerator) -> Schema {
    count_schema(BANDIT_RUNS_RANGE)
}

fn pools(_: &mut SchemaGenerator) -> Schema {
    count_schema(POOLS_RANGE)
}

fn sizes(_: &mut SchemaGenerator) -> Schema {
    let (minimum, maximum) = (SEEDS_RANGE.start(), SEEDS_RANGE.end());
    let size = json_schema!({ "type": "integer", "minimum": minimum, "maximum": maximum });
    json_schema!({ "type": "array", "minItems": 1, "uniqueItems": true, "items": size })
}

fn held_out(_: &mut SchemaGenerator) -> Schema {
    count_schema(0..=MAX_MEMBERS as u64 - SEEDS_RANGE.start())
}

impl PortfolioItem {
    fn label(&self) -> Cow<'_, str> {
        self.name.as_ref().map_or_else(|| family_label(&self.family), Cow::from)
    }

    /// Checks the listed players, and writes out their parameters, because files may change or move. Returns each player
    /// with its name. The list is empty if strategies are random.
    fn checked_players(
        &mut self,
        family: &dyn AnyFamily,
        seed: u64,
    ) -> Result<Vec<(String, PlayerSpec)>, Misplaced> {
        let Some(items) = &mut self.players else { return Ok(Vec::new()) };
        if items.is_empty() {
            return Err((vec!["players".into()], SpecError::Empty("players")));
        }
        if self.vary.is_some() {
            return Err((vec!["vary".into()], SpecError::NotRandom("vary")));
        }
        let (mut players, mut contestants) = (Vec::new(), Vec::new());
        for (index, item) in items.iter_mut().enumerate() {
            let place = || vec!["players".into(), index.into()];
            let (spec, name) = (item.parts().0.clone(), item.label(index));
            let checked = spec.checked_player(family, seed);
            let (found, contestant) = checked.map_err(|error| (place(), error))?;
            let is_name_known = players.iter().any(|(known, _)| *known == name);
            if is_name_known || contestants.contains(&contestant) {
                return Err((place(), SpecError::Repeated { what: "player", name }));
            }
            let spec = item.write_out(&found, &name).unwrap_or(spec);
            contestants.push(contestant);
            players.push((name, spec));
        }
        Ok(players)
    }

    /// Checks the family and its strategies, and fills in defaults. Returns the pools, with places relative to the item in
    /// errors.
    fn pools(
        &mut self,
        num_pools: u64,
        study: &StudyPlan,
        seed: u64,
        registry: &Registry,
    ) -> Result<Vec<PoolPlan>, Misplaced> {
        let place = |key: &str| -> Vec<Step> { vec![key.into()] };
        let files = self.players.iter().flatten().filter_map(PlayerItem::path);
        let family = family_for(&self.family, files, registry);
        let family = family.map_err(|e| (place("family"), e.into()))?;
        self.family = family.name().into();
        let rules = self.rules.numbers(family.as_ref()).map_err(|e| (place("rules"), e))?;
        let family = family.with_rules(&rules).map_err(|e| (place("rules"), e.into()))?;
        self.rules = family.rule_values().into();
        let varied = self.vary.as_ref().map(|name| varied_parameter(family.as_ref(), name));
        let varied = varied.transpose().map_err(|unknown| (place("vary"), unknown.into()))?;
        let pairs = number("pairs", self.pairs.unwrap_or(DEFAULT_PAIRS), PAIRS_RANGE)?;
        self.pairs = Some(pairs);
        let players = self.checked_players(family.as_ref(), seed)?;
        let num_listed = players.len() as u64;
        let sizes = match (&self.random, num_listed) {
            (None, 0) => return Err((Vec::new(), SpecError::NoStrategies { found: "neither" })),
            (Some(_), 1..) => {
                return Err((place("random"), SpecError::NoStrategies { found: "both" }));
            }
            (Some(sizes), 0) if sizes.is_empty() => {
                return Err((place("random"), SpecError::Empty("random")));
            }
            (Some(sizes), 0) => sizes.clone(),
            (None, 1..) => {
                let most = num_listed.saturating_sub(*SEEDS_RANGE.start());
                let held_out = number("held-out", self.held_out.unwrap_or(0), 0..=most)?;
                self.held_out = Some(held_out);
                vec![num_listed - held_out]
            }
        };
        let mut pools = Vec::new();
        for (nth, &num_seeds) in sizes.iter().enumerate() {
            let (key, in_list) = match num_listed {
                0 => ("random", vec!["random".into(), nth.into()]),
                _ => ("players", place("players")),
            };
            number(key, num_seeds, SEEDS_RANGE).map_err(|(_, error)| (in_list.clone(), error))?;
            let most = MAX_MEMBERS as u64 - num_seeds;
            let held_out = self.held_out.unwrap_or(num_seeds.min(most));
            let held_out = number("held-out", held_out, u64::from(num_listed == 0)..=most)?;
            if sizes[..nth].contains(&num_seeds) {
                let name = num_seeds.to_string();
                return Err((in_list, SpecError::Repeated { what: "number", name }));
            }
            // Different labels give different names: after the last dash, there are only the number of seeds and the number
            // of the pool.
            let portfolio = format!("{}-{num_seeds}", self.label());
            // Listed strategies are the same in each pool.
            let numbers = 1..=if num_listed == 0 { num_pools } else { 1 };
            pools.extend(numbers.map(|number| PoolPlan {
                name: match number {
                    1 => portfolio.clone(),
                    _ => format!("{portfolio}.{number}"),
                },
                portfolio: portfolio.clone(),
                number,
                family: self.family.clone(),
                descriptions: family.descriptions(),
                rules: family.rule_values(),
                varied,
                players: players.clone(),
                num_seeds,
                pairs,
                study: StudyPlan { num_held_out: held_out as usize, ..study.clone() },
            }));
        }
        Ok(pools)
    }
}

/// The plan of an experiment with pools.
#[derive(Debug, Clone, PartialEq)]
pub struct PortfoliosPlan {
    /// The pools, in order.
    pub pools: Vec<PoolPlan>,
    /// The additional outputs.
    pub outputs: Vec<Output>,
    /// The seed of all random numbers.
    pub seed: u64,
}

/// A checked pool of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct PoolPlan {
    /// The name of the pool and of its directory: the family, the size and, except for the first such pool, the number.
    pub name: String,
    /// The common name of all pools with the same family and size.
    pub portfolio: String,
    /// The number of the pool, from 1 among the pools with the same family and size.
    pub number: u64,
    /// The family.
    pub family: String,
    /// The descriptions of the family, if programs play its games ([`AnyFamily::descriptions`]).
    pub descriptions: BTreeMap<String, String>,
    /// The rules of the family.
    pub rules: BTreeMap<String, u64>,
    /// The index of the only random parameter; `None` if all are random.
    pub varied: Option<usize>,
    /// The listed strategies with their names: those to choose from, and then those held out. Empty if strategies are
    /// random.
    pub players: Vec<(String, PlayerSpec)>,
    /// The number of strategies to choose from.
    pub num_seeds: u64,
    /// The number of pairs of games between any two strategies.
    pub pairs: u64,
    /// The settings of the study.
    pub study: StudyPlan,
}

impl PoolPlan {
    /// Returns the strategies to choose from, and then the held-out strategies.
    ///
    /// # Errors
    ///
    /// Returns an error if `registry` does not have the family of the plan, or if the family lacks a listed strategy.
    pub fn pool(&self, seed: u64, registry: &Registry) -> Result<Pool, SpecError> {
        let family = registry.family(&self.family)?.with_rules(&self.rules)?;
        if !self.players.is_empty() {
            let member = |(name, spec): &(String, PlayerSpec)| {
                let (_, contestant) = spec.player(family.as_ref(), seed)?;
                Ok(PoolMember { name: name.clone(), contestant })
            };
            let members = self.players.iter().map(member).collect::<Result<_, SpecError>>()?;
            return Ok(Pool::of_members(family, members));
        }
        let zeros = vec![0.0; family.space().dimension()];
        let varied = self.varied.map(|index| (index, zeros));
        let size = self.num_seeds + self.study.num_held_out as u64;
        Ok(Pool::random(family, varied.as_ref(), size, self.key(seed)))
    }

    /// Returns the key of the pool's random numbers, in an experiment with this seed.
    pub fn key(&self, seed: u64) -> StreamKey {
        let key = StreamKey::root(seed);
        match self.number {
            0 | 1 => key,
            number => key.child(Label::Pool, number - 1),
        }
    }

    /// Returns the number of meetings between all strategies, including meetings of a strategy with itself.
    pub fn num_meetings(&self) -> u64 {
        let size = self.num_seeds + self.study.num_held_out as u64;
        size * (size + 1) / 2
    }
}

impl PortfoliosSpec {
    pub(crate) fn plan(mut self, registry: &Registry) -> Planned<PortfoliosSpec, PortfoliosPlan> {
        let num_games = number("games", self.games.unwrap_or(DEFAULT_GAMES), GAMES_RANGE)?;
        let num_runs = number("runs", self.runs.unwrap_or(DEFAULT_RUNS), BANDIT_RUNS_RANGE)?;
        let num_pools = number("pools", self.pools.unwrap_or(1), POOLS_RANGE)?;
        let bandits = self.bandits()?;
        let seed = self.seed.unwrap_or(1);
        let study = StudyPlan { num_held_out: 0, bandits: bandits.clone(), num_games, num_runs };
        let mut pools: Vec<PoolPlan> = Vec::new();
        for (index, item) in self.portfolios.iter_mut().enumerate() {
            let of_item = item.pools(num_pools, &study, seed, registry);
            pools.extend(of_item.map_err(inside(vec![PORTFOLIOS.into(), index.into()]))?);
        }
        let labels = self.portfolios.iter().map(|item| (item.label(), item.name.is_some()));
        check_labels(PORTFOLIOS, labels)?;
        let outputs = outputs_of(self.outputs.as_deref())?;
        let resolved = PortfoliosSpec {
            bandits: Some(bandits.iter().map(|bandit| bandit.name().into()).collect()),
            games: Some(num_games),
            runs: Some(num_runs),
            // A single pool is not written, because older versions do not have this key.
            pools: Some(num_pools).filter(|number| *number > 1),
            seed: Some(seed),
            ..self
        };
        let plan = PortfoliosPlan { pools, outputs, seed };
        Ok((Vec::new(), resolved, plan))
    }

    fn bandits(&self) -> Result<Vec<BanditName>, Misplaced> {
        let Some(names) = &self.bandits else { return Ok(BanditName::ALL.into()) };
        distinct("bandits", "bandit", names, |name| {
            Ok(find("bandit", name, BanditName::ALL, BanditName::name)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Study;
    use crate::fixtures::plan;

    #[test]
    fn a_portfolio_for_each_size() {
        let text = "portfolios:\n- {family: phantom-four, random: [4, 8]}\n\
                    - {family: cheat-special, random: [4], vary: seed, held-out: 3, pairs: 1k}\nruns: 10\n";
        let found = plan(text).expect("valid");
        let Study::Portfolios(portfolios) = &found.study else { panic!("portfolios") };
        let names: Vec<_> = portfolios.pools.iter().map(|pool| pool.name.as_str()).collect();
        assert_eq!(names, ["phantom-four-4", "phantom-four-8", "cheat-special-4"]);
        let held_out: Vec<_> = portfolios.pools.iter().map(|p| p.study.num_held_out).collect();
        assert_eq!(held_out, [4, 8, 3]);
        assert_eq!(portfolios.pools[2].num_meetings(), 28);
        assert_eq!(portfolios.pools[2].pairs, 1000);
        assert_eq!(portfolios.pools[0].study.bandits, BanditName::ALL);
    }

    /// The first pool of each size equals the pool of an experiment with one pool per size. The others have different
    /// names and strategies.
    #[test]
    fn several_pools_of_a_size() {
        let text = "portfolios:\n- {family: phantom-four, random: [4, 8]}\n";
        let pools = |text: &str| {
            let found = plan(text).expect("valid");
            let Study::Portfolios(portfolios) = found.study else { panic!("portfolios") };
            portfolios.pools
        };
        let (one, three) = (pools(text), pools(&format!("{text}pools: 3\n")));
        let names: Vec<_> = three.iter().map(|pool| pool.name.as_str()).collect();
        let expected = ["", ".2", ".3"];
        let expected = ["4", "8"].map(|size| expected.map(|n| format!("phantom-four-{size}{n}")));
        assert_eq!(names, expected.concat());
        assert_eq!([&three[0], &three[3]], [&one[0], &one[1]]);
        assert!(three[3..].iter().all(|pool| pool.portfolio == "phantom-four-8"));
        let registry = Registry::standard();
        let members = |pool: &PoolPlan| {
            let members = pool.pool(1, &registry).expect("a family").members;
            members.into_iter().map(|member| member.contestant).collect::<Vec<_>>()
        };
        let [first, second, third] = [0, 1, 2].map(|index| members(&three[index]));
        assert!(first != second && second != third && first != third);
        assert_eq!(first, members(&one[0]));
    }

    /// Listed players form one pool, whatever the number of pools is, and the last of them are held out.
    #[test]
    fn a_portfolio_of_listed_players() {
        let text = "portfolios:\n- {family: pig, players: [optimal, 'uct@5:c=1', {player: [0.5], name: half}, hold-20]}\n\
                    - {family: pig, name: few, players: [optimal, hold-20, hold-25], held-out: 1}\npools: 3\n";
        let found = plan(text).expect("valid");
        let Study::Portfolios(portfolios) = &found.study else { panic!("portfolios") };
        let names: Vec<_> = portfolios.pools.iter().map(|pool| pool.name.as_str()).collect();
        assert_eq!(names, ["pig-4", "few-2"]);
        let held_out: Vec<_> = portfolios.pools.iter().map(|p| p.study.num_held_out).collect();
        assert_eq!(held_out, [0, 1]);
        let pool = portfolios.pools[0].pool(1, &Registry::standard()).expect("a family");
        let members: Vec<_> = pool.members.iter().map(|member| member.name.as_str()).collect();
        assert_eq!(members, ["optimal", "uct@5:c=1", "half", "hold-20"]);
        assert!(pool.members[1].contestant.searches());
    }
}
