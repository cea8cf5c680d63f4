//! Comparisons as users write them: families, methods and repeats in one file.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use ruse_base::files::Step;
use ruse_optimise::methods::{OptionValues, method_label};
use ruse_play::family::family_label;
use ruse_registry::Registry;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::error::SpecError;
use super::method::known_keys;
use super::outputs::{
    Misplaced, Output, Planned, distinct_numbers, number, output_list, outputs_of,
};
use super::parts::{Part, composed};
use super::quantity::{DEFAULT_REPEATS, REPEATS_RANGE, check_fraction, count};
use super::rules::RulesSpec;
use super::run::{Experiment, ExperimentSpec};
use super::schema_names::{FamilyName, MethodName};
use super::shared::{Length, OpponentOptions, RaceOptions, Scoring, repeats};
use super::start::{StartSpec, is_unsaid};

/// The keys that mark a file as a comparison.
pub(crate) const MARKS: [&str; 4] = ["families", "methods", "repeats", "seeds"];
/// The word that stands for all families.
pub const ALL_FAMILIES: &str = "all";
/// The default half-width of the interval of a score in the table of meetings.
pub(super) const DEFAULT_HALF_WIDTH: f64 = 0.005;
/// The default number of opponents that each champion meets from every other method. With more seeds, the number of
/// meetings grows linearly with the seeds, not quadratically.
pub const DEFAULT_OPPONENTS: usize = 10;

/// Several methods on several families, with several seeds each.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", remote = "Self")]
#[schemars(!remote, deny_unknown_fields)]
pub struct ComparisonSpec {
    /// The families: `all`, or a list of names, or of maps that give a family its own settings.
    pub families: Families,
    /// The methods: names, or maps with options. Default: all methods that work with all families.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "list_of::<MethodName, MethodItem>")]
    pub methods: Option<Vec<MethodItem>>,
    /// The settings of comparisons.
    #[serde(flatten)]
    pub races: RaceOptions,
    /// The start of all searches: gaussian (drawn from the seed), zero, a reference strategy that has parameters, a
    /// strategy file, or parameters. Default: the usual start of each method.
    #[serde(default, skip_serializing_if = "is_unsaid")]
    pub start: Option<StartSpec>,
    /// The share of the budget for the last phase of each run, which sets groups of parameters to zero if this is proven
    /// to make the result better: from 0 to 1, and below 1. Default: 0, which means that there is no such phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), extend("exclusiveMaximum" = 1))]
    pub prune: Option<f64>,
    /// The opponents of runs.
    #[serde(flatten)]
    pub against: OpponentOptions,
    /// The limits of each run.
    #[serde(flatten)]
    pub length: Length,
    /// The wall time of each run, such as 60s or 2h 30m. Such runs cannot be repeated exactly. Default: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The number of runs of each method on each family. Default: 3.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "repeats")]
    pub repeats: Option<u64>,
    /// The seed of the first repeat; the seeds of the other repeats follow it. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The seeds of the repeats, instead of `repeats` and `seed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("uniqueItems" = true))]
    pub seeds: Option<Vec<u64>>,
    /// The numbers of games for the scores of results.
    #[serde(flatten)]
    pub measurement: Scoring,
    /// The half-width of the interval that a score between two methods should have. The interval covers only the noise
    /// of playing. A smaller half-width needs more games. Default: 0.005.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub half_width: Option<f64>,
    /// The number of opponents that each champion meets among the champions of every other method. Default: 10, or all
    /// if there are at most 10 seeds.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "repeats")]
    pub opponents: Option<u64>,
    /// The formats of the tables, figures and pages that are written in addition to the results. Default: md, csv, tex,
    /// svg.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "output_list")]
    pub outputs: Option<Vec<String>>,
}

composed! {
    ComparisonSpec, "a comparison, with at least `families`",
    parts: { races: RaceOptions, against: OpponentOptions, length: Length, measurement: Scoring }
}

/// Returns the schema of a list of names and of items with their own settings.
fn list_of<Name: JsonSchema, Item: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let (name, item) = (generator.subschema_for::<Name>(), generator.subschema_for::<Item>());
    json_schema!({ "type": "array", "minItems": 1, "items": { "anyOf": [name, item] } })
}

/// The families of a comparison.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(untagged)]
pub enum Families {
    /// All families.
    #[default]
    All,
    /// The listed families.
    These(Vec<FamilyItem>),
}

/// A family in a comparison, with its own settings.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", remote = "Self")]
#[schemars(!remote, deny_unknown_fields)]
pub struct FamilyItem {
    /// The family to tune.
    #[schemars(with = "FamilyName")]
    pub family: String,
    /// The name in tables and directories. Default: the name of the family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = LABEL_PATTERN))]
    pub name: Option<String>,
    /// The changed rules of the game (see `ruse show FAMILY`). Other rules keep their defaults.
    #[serde(default, skip_serializing_if = "RulesSpec::is_empty")]
    pub rules: RulesSpec,
    /// The opponents of runs.
    #[serde(flatten)]
    pub against: OpponentOptions,
    /// The limits of each run.
    #[serde(flatten)]
    pub length: Length,
    /// The numbers of games for the scores of results.
    #[serde(flatten)]
    pub measurement: Scoring,
    /// The half-width of the interval that a score between two methods should have. The interval covers only the noise
    /// of playing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub half_width: Option<f64>,
}

composed! {
    FamilyItem, "the name of a family, or a map with `family`",
    parts: { against: OpponentOptions, length: Length, measurement: Scoring },
    named: FamilyItem::new
}

/// A method in a comparison, with its options.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", remote = "Self")]
#[schemars(!remote, deny_unknown_fields)]
pub struct MethodItem {
    /// The optimiser.
    #[schemars(with = "MethodName")]
    pub method: String,
    /// The name in tables and directories. Default: the name of the method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = LABEL_PATTERN))]
    pub name: Option<String>,
    /// The settings of comparisons.
    #[serde(flatten)]
    pub races: RaceOptions,
    /// The start of the searches of this method.
    #[serde(default, skip_serializing_if = "is_unsaid")]
    pub start: Option<StartSpec>,
    /// The share of the budget for the last phase of the runs of this method, as in a comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), extend("exclusiveMaximum" = 1))]
    pub prune: Option<f64>,
    /// The responders that double-oracle and hall-of-fame ask for opponents from outside the family, as in a run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub respond_with: Vec<String>,
    /// The options of the method, by their names.
    #[serde(flatten)]
    #[schemars(skip)]
    pub options: OptionValues,
}

composed! {
    MethodItem, "the name of a method, or a map with `method`",
    parts: { races: RaceOptions },
    is_open: true, named: MethodItem::new
}

impl FamilyItem {
    /// Creates the family with this name, with default settings.
    pub fn new(family: &str) -> FamilyItem {
        FamilyItem { family: family.into(), ..FamilyItem::default() }
    }

    fn label(&self) -> Cow<'_, str> {
        self.name.as_ref().map_or_else(|| family_label(&self.family), Cow::from)
    }
}

impl MethodItem {
    /// Creates the method with this name, with default options.
    pub fn new(method: &str) -> MethodItem {
        MethodItem { method: method.into(), ..MethodItem::default() }
    }

    fn label(&self) -> Cow<'_, str> {
        self.name.as_ref().map_or_else(|| method_label(&self.method), Cow::from)
    }
}

impl JsonSchema for Families {
    fn schema_name() -> Cow<'static, str> {
        "Families".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let list = list_of::<FamilyName, FamilyItem>(generator);
        json_schema!({ "anyOf": [{ "const": ALL_FAMILIES }, list] })
    }
}

// Written by hand, because an untagged enum would lose the line and column of a mistake.

impl<'de> Deserialize<'de> for Families {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Families, D::Error> {
        struct FamiliesVisitor;

        impl<'de> Visitor<'de> for FamiliesVisitor {
            type Value = Families;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of families, or `all`")
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<Families, E> {
                match word {
                    ALL_FAMILIES => Ok(Families::All),
                    _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
                }
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, items: A) -> Result<Families, A::Error> {
                let items = de::value::SeqAccessDeserializer::new(items);
                Vec::deserialize(items).map(Families::These)
            }
        }

        deserializer.deserialize_any(FamiliesVisitor)
    }
}

impl ComparisonSpec {
    /// Creates the comparison of these families with default settings.
    pub fn new(families: Families) -> ComparisonSpec {
        ComparisonSpec { families, ..ComparisonSpec::default() }
    }

    /// Checks the comparison and fills in defaults.
    pub(crate) fn plan(mut self, registry: &Registry) -> Planned<ComparisonSpec, MeetingsSpec> {
        let mut families = match std::mem::take(&mut self.families) {
            Families::All => registry.families().map(|f| FamilyItem::new(f.name())).collect(),
            Families::These(items) => items,
        };
        check_labels("families", families.iter().map(|item| (item.label(), item.name.is_some())))?;
        let mut methods = self.methods.take().unwrap_or_else(|| {
            registry.general_methods().map(|method| MethodItem::new(method.name())).collect()
        });
        check_labels("methods", methods.iter().map(|item| (item.label(), item.name.is_some())))?;
        let seeds = self.seeds()?;

        let mut runs = Vec::new();
        let mut names = HashSet::new();
        let runs_of_family = methods.len() * seeds.len();
        let mut meetings = MeetingsSpec {
            families: Vec::new(),
            methods: methods.iter().map(|item| item.label().into()).collect(),
            num_repeats: seeds.len(),
            num_opponents: self.num_opponents(seeds.len())?,
            outputs: outputs_of(self.outputs.as_deref())?,
        };
        for (family_index, family) in families.iter_mut().enumerate() {
            for (method_index, method) in methods.iter().enumerate() {
                for &seed in &seeds {
                    let run = self.run(family, method, seed, registry);
                    let run = run.map_err(|mut error| {
                        if let SpecError::UnknownKey { known, .. } = &mut error {
                            *known = known_keys::<MethodItem>(registry);
                        }
                        (self.place(&error, family_index, family, method_index, method), error)
                    })?;
                    runs.push(run);
                }
            }
            // Runs of different families have different directories. The family `a` with the method `b-c` would have the
            // same directory as the family `a-b` with the method `c`.
            for name in runs[family_index * runs_of_family..].iter().map(Experiment::run_name) {
                if !names.insert(name.clone()) {
                    let place = vec!["families".into(), family_index.into(), "name".into()];
                    return Err((place, SpecError::Repeated { what: "run", name }));
                }
            }
            let half_width = self.half_width(family_index, family)?;
            family.half_width = Some(half_width);
            meetings.families.push((family.label().into(), half_width));
        }
        // Families and methods are written with the values determined for the runs.
        for (family, run) in families.iter_mut().zip(runs.iter().step_by(runs_of_family)) {
            let run = &run.resolved;
            family.rules.clone_from(&run.rules);
            family.against.clone_from(&run.against);
            (family.length, family.measurement) = (run.length, run.measurement);
        }
        for (method, run) in methods.iter_mut().zip(runs.iter().step_by(seeds.len())) {
            let run = &run.resolved;
            method.races.clone_from(&run.races);
            method.start.clone_from(&run.start);
            method.prune = run.prune;
            method.options.clone_from(&run.options);
        }
        // With few seeds, the default number of opponents is not written, as in older versions.
        let is_usual = seeds.len() <= DEFAULT_OPPONENTS && meetings.num_opponents == seeds.len();
        let resolved = ComparisonSpec {
            methods: Some(methods),
            time: self.time,
            opponents: (!is_usual).then_some(meetings.num_opponents as u64),
            outputs: self.outputs,
            seeds: Some(seeds),
            ..ComparisonSpec::new(Families::These(families))
        };
        Ok((runs, resolved, meetings))
    }

    /// Returns the seeds of the repeats.
    fn seeds(&self) -> Result<Vec<u64>, Misplaced> {
        if let Some(seeds) = &self.seeds {
            if self.repeats.is_some() || self.seed.is_some() {
                return Err((vec!["seeds".into()], SpecError::SeedsTwice));
            }
            number("seeds", seeds.len() as u64, REPEATS_RANGE)?;
            return distinct_numbers("seeds", "seed", seeds, &(0..=u64::MAX));
        }
        let repeats = number("repeats", self.repeats.unwrap_or(DEFAULT_REPEATS), REPEATS_RANGE)?;
        let most = u64::MAX - (repeats - 1);
        let first = number("seed", self.seed.unwrap_or(1), 0..=most)?;
        Ok((first..=first + (repeats - 1)).collect())
    }

    /// Returns the number of opponents that each champion meets from every other method.
    fn num_opponents(&self, num_repeats: usize) -> Result<usize, Misplaced> {
        let Some(asked) = self.opponents else { return Ok(num_repeats.min(DEFAULT_OPPONENTS)) };
        Ok(num_repeats.min(number("opponents", asked, REPEATS_RANGE)? as usize))
    }

    /// Returns the intended half-width of a score between two methods on a family.
    fn half_width(&self, index: usize, family: &FamilyItem) -> Result<f64, Misplaced> {
        let (place, half_width) = match family.half_width {
            Some(half_width) => {
                (vec!["families".into(), index.into(), "half-width".into()], half_width)
            }
            None => (vec!["half-width".into()], self.half_width.unwrap_or(DEFAULT_HALF_WIDTH)),
        };
        check_fraction(half_width)
            .map_err(|source| (place, SpecError::Quantity { key: "half-width".into(), source }))
    }

    /// Returns the run of a method on a family with a seed.
    fn run(
        &self,
        family: &FamilyItem,
        method: &MethodItem,
        seed: u64,
        registry: &Registry,
    ) -> Result<Experiment, SpecError> {
        let compares = registry.method(&method.method).is_ok_and(|method| method.info().compares);
        let races = match compares {
            true => method.races.clone().or(self.races.clone()),
            false => method.races.clone(),
        };
        // A family's own limits replace all limits of the comparison.
        let length = if family.length == Length::default() { self.length } else { family.length };
        let spec = ExperimentSpec {
            rules: family.rules.clone(),
            method: method.method.clone(),
            races,
            options: method.options.clone(),
            start: method.start.as_ref().or(self.start.as_ref()).cloned(),
            prune: method.prune.or(self.prune),
            respond_with: method.respond_with.clone(),
            against: family.against.clone().or(self.against.clone()),
            length,
            time: self.time.clone(),
            seed,
            measurement: family.measurement.or(self.measurement),
            ..ExperimentSpec::new(&family.family)
        };
        let mut run = Experiment::new(spec, registry)?;
        run.labels = [family.label().into(), method.label().into()];
        Ok(run)
    }

    /// Returns the place in the file of a mistake that the check of a run found.
    fn place(
        &self,
        error: &SpecError,
        family_index: usize,
        family: &FamilyItem,
        method_index: usize,
        method: &MethodItem,
    ) -> Vec<Step> {
        let key = error.key();
        let of_family = match key {
            "family" | "rules" => true,
            "baseline" | "score-against" => family.against.says(key),
            "start" => false,
            key => family.length.says(key) || family.measurement.says(key),
        };
        let of_method = key == "method"
            || method.races.says(key)
            || method.options.contains_key(key)
            || (key == "start" && method.start.is_some())
            || (key == "prune" && method.prune.is_some())
            || key == "respond-with";
        if let SpecError::UnknownKey { key, .. } = error {
            return vec!["methods".into(), method_index.into(), Step::KeyItself(key.clone())];
        }
        match (of_family, of_method) {
            (true, _) => vec!["families".into(), family_index.into(), key.into()],
            (_, true) => vec!["methods".into(), method_index.into(), key.into()],
            _ => vec![key.into()],
        }
    }
}

/// The maximum length of the name of a family or method, in bytes. Names are parts of directory names.
const MAX_LABEL_BYTES: usize = 64;
/// The pattern of the name of a family or method.
pub(crate) const LABEL_PATTERN: &str = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";

/// Checks the labels of the families or methods. Each has a flag, set if the user gave the label as `name`.
pub(crate) fn check_labels<'a>(
    list: &'static str,
    labels: impl Iterator<Item = (Cow<'a, str>, bool)>,
) -> Result<(), Misplaced> {
    let mut seen = HashSet::new();
    for (index, (label, is_given)) in labels.enumerate() {
        let place = || vec![list.into(), index.into(), "name".into()];
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let is_fit = label.len() <= MAX_LABEL_BYTES
            && label.starts_with(|c: char| c.is_ascii_alphanumeric())
            && label.chars().all(is_plain);
        // A label that was not given is a name, which is checked elsewhere.
        if is_given && !is_fit {
            return Err((place(), SpecError::Label(label.into())));
        }
        if !seen.insert(label.clone()) {
            let what = match list {
                "families" => "family",
                "methods" => "method",
                _ => "portfolio",
            };
            return Err((place(), SpecError::Repeated { what, name: label.into() }));
        }
    }
    if seen.is_empty() {
        return Err((vec![list.into()], SpecError::Empty(list)));
    }
    Ok(())
}

/// The settings of the meetings of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct MeetingsSpec {
    /// The families, in order, each with the intended half-width of the score between two methods.
    pub families: Vec<(String, f64)>,
    /// The methods, in order.
    pub methods: Vec<String>,
    /// The number of runs of each method on each family.
    pub num_repeats: usize,
    /// The number of opponents that each champion meets from every other method, from 1 to `num_repeats`. The maximum
    /// means that all champions of different methods meet.
    pub num_opponents: usize,
    /// The additional outputs.
    pub outputs: Vec<Output>,
}

impl MeetingsSpec {
    /// Returns the number of meetings between two methods on a family.
    pub fn num_meetings_of_two(&self) -> u64 {
        self.num_repeats as u64 * self.num_opponents as u64
    }

    /// Returns the number of meetings on each family.
    pub fn num_meetings_each(&self) -> u64 {
        let num_methods = self.methods.len() as u64;
        num_methods * num_methods.saturating_sub(1) / 2 * self.num_meetings_of_two()
    }

    /// Returns the half-width for each meeting on the family with index `family`. The mean over all meetings of two
    /// methods then has the family's intended half-width.
    pub fn half_width_of_meeting(&self, family: usize) -> f64 {
        let (_, half_width) = &self.families[family];
        half_width * (self.num_meetings_of_two() as f64).sqrt()
    }

    /// Returns the pairs of runs that meet on each family, as indices among the family's runs, smaller index first.
    ///
    /// If `num_opponents` is `num_repeats`, any two runs of different methods meet. Otherwise, repeat i of a method
    /// meets the repeats i, i + 1, ... of every later method, cyclically. Each run then has equally many opponents from
    /// every other method, and a mean over meetings is a mean over runs.
    pub fn pairings(&self) -> Vec<[usize; 2]> {
        let num_repeats = self.num_repeats;
        let of_run = |a: usize| {
            let (method, repeat) = (a / num_repeats, a % num_repeats);
            (method + 1..self.methods.len()).flat_map(move |other| {
                let opponents = (repeat..repeat + self.num_opponents).map(|j| j % num_repeats);
                let mut opponents: Vec<usize> = opponents.collect();
                opponents.sort_unstable();
                opponents.into_iter().map(move |j| [a, other * num_repeats + j])
            })
        };
        (0..self.methods.len() * num_repeats).flat_map(of_run).collect()
    }
}

#[cfg(test)]
mod tests;
