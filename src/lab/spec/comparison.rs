//! Comparisons as users write them: families, methods and repeats in one file.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::baseline::BaselineSpec;
use super::quantity::{QuantityError, REPEATS_RANGE, check_fraction, parse_count};
use super::run::{Experiment, ExperimentSpec, SpecError, count, find};
use crate::files::Step;
use crate::lab::plan::{Finale, MeetingsSpec, Plan, PlanSpec};
use crate::optimise::{MethodName, MethodSpec};
use crate::registry::Registry;

/// The keys by which a file is known as one of a comparison.
pub(in crate::lab) const MARKS: [&str; 4] = ["families", "methods", "repeats", "seeds"];
/// The word that stands for all families.
pub const ALL_FAMILIES: &str = "all";
/// Repeats when nobody says: the fewest that show how much a method owes to luck.
const DEFAULT_REPEATS: u64 = 3;
/// Half of the width of the interval of a score in the table of meetings, when nobody says.
const DEFAULT_HALF_WIDTH: f64 = 0.005;

/// Several methods on several families, with several seeds each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[serde(expecting = "a comparison, with at least `families`")]
pub struct ComparisonSpec {
    /// The families, by name or with what is different about them; or `all`.
    pub families: Families,
    /// The methods, by name or with options; by default all.
    #[serde(default = "all_methods")]
    pub methods: Vec<MethodItem>,
    /// The comparison operator, of methods that compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<String>,
    /// Probability that a comparison is wrong, of methods that compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// Half-width of the interval at which a comparison without winner stops, of methods that compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    /// Whom the results are scored against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineSpec>,
    /// Games in the comparisons of each run.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    pub budget: Option<u64>,
    /// Candidates that each run tries.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    pub iterations: Option<u64>,
    /// Wall time of each run; such runs cannot be repeated exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Runs of each method on each family.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    pub repeats: Option<u64>,
    /// The seed of the first repeat; those of the others follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The seeds of the repeats, in place of `repeats` and `seed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<Vec<u64>>,
    /// Pairs for each score of a result.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    pub evaluation_pairs: Option<u64>,
    /// Pairs for each point of a learning curve.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    pub monitor_pairs: Option<u64>,
    /// Half-width of the interval of a score between two methods, as far as games decide it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub half_width: Option<f64>,
    /// What is written beside the results, by the endings of files; by default tables and figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Vec<String>>,
}

/// What a comparison may write beside its results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Output {
    /// Tables in Markdown.
    Md,
    /// Tables of comma-separated values.
    Csv,
    /// Tables in LaTeX.
    Tex,
    /// Tables as objects.
    Json,
    /// Figures as vector graphics.
    Svg,
    /// Figures as pixels.
    Png,
    /// One page of everything.
    Html,
}

impl Output {
    /// All of them.
    pub const ALL: [Output; 7] = [
        Output::Md,
        Output::Csv,
        Output::Tex,
        Output::Json,
        Output::Svg,
        Output::Png,
        Output::Html,
    ];
    /// What is written when nobody says.
    const DEFAULT: [Output; 4] = [Output::Md, Output::Csv, Output::Tex, Output::Svg];

    /// The name in a file, and the ending of files.
    pub fn name(self) -> &'static str {
        match self {
            Output::Md => "md",
            Output::Csv => "csv",
            Output::Tex => "tex",
            Output::Json => "json",
            Output::Svg => "svg",
            Output::Png => "png",
            Output::Html => "html",
        }
    }
}

fn all_methods() -> Vec<MethodItem> {
    MethodName::ALL.map(|method| MethodItem::new(method.name())).into()
}

/// The families of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Families {
    /// Every family there is.
    All,
    /// These.
    These(Vec<FamilyItem>),
}

/// A family in a comparison, and what is different about it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FamilyItem {
    /// The family.
    pub family: String,
    /// What to call it in tables and directories; by default as it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Rules that differ from those of the game.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, u64>,
    /// Whom the results are scored against.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineSpec>,
    /// Games in the comparisons of each run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// Candidates that each run tries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
    /// Pairs for each score of a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation_pairs: Option<u64>,
    /// Pairs for each point of a learning curve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monitor_pairs: Option<u64>,
    /// Half-width of the interval of a score between two methods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_width: Option<f64>,
}

/// A method in a comparison, with its options.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct MethodItem {
    /// The method.
    pub method: String,
    /// What to call it in tables and directories; by default as it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The comparison operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<String>,
    /// Probability that a comparison is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// Half-width of the interval at which a comparison without winner stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    /// Who plays how often, in the method of seeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocation: Option<String>,
    /// Individuals to begin with, in the method of seeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub individuals: Option<u64>,
}

impl FamilyItem {
    /// The family of this name, with nothing different about it.
    pub fn new(family: &str) -> FamilyItem {
        FamilyItem { family: family.into(), ..FamilyItem::default() }
    }

    fn label(&self) -> &str {
        self.name.as_ref().unwrap_or(&self.family)
    }
}

impl MethodItem {
    /// The method of this name, with default options.
    pub fn new(method: &str) -> MethodItem {
        MethodItem { method: method.into(), ..MethodItem::default() }
    }

    fn label(&self) -> &str {
        self.name.as_ref().unwrap_or(&self.method)
    }
}

// By hand: derived for an untagged enum, a mistake would lose its line and column.

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

/// An item of a list that is a name, or a map of which the name is one entry.
macro_rules! name_or_map {
    ($item:ident, $expecting:literal, $(#[$meta:meta] $field:ident: $type:ty),+ $(,)?) => {
        impl<'de> Deserialize<'de> for $item {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$item, D::Error> {
                #[derive(Deserialize)]
                #[serde(rename_all = "kebab-case", deny_unknown_fields)]
                struct Map {
                    $(#[$meta] $field: $type,)+
                }

                struct ItemVisitor;

                impl<'de> Visitor<'de> for ItemVisitor {
                    type Value = $item;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expecting)
                    }

                    fn visit_str<E: de::Error>(self, name: &str) -> Result<$item, E> {
                        Ok($item::new(name))
                    }

                    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<$item, A::Error> {
                        let map = de::value::MapAccessDeserializer::new(map);
                        let Map { $($field),+ } = Map::deserialize(map)?;
                        Ok($item { $($field),+ })
                    }
                }

                deserializer.deserialize_any(ItemVisitor)
            }
        }
    };
}

name_or_map! {
    FamilyItem, "the name of a family, or a map with `family`",
    #[serde()] family: String,
    #[serde(default)] name: Option<String>,
    #[serde(default)] rules: BTreeMap<String, u64>,
    #[serde(default)] baseline: Option<BaselineSpec>,
    #[serde(default, deserialize_with = "count")] budget: Option<u64>,
    #[serde(default, deserialize_with = "count")] iterations: Option<u64>,
    #[serde(default, deserialize_with = "count")] evaluation_pairs: Option<u64>,
    #[serde(default, deserialize_with = "count")] monitor_pairs: Option<u64>,
    #[serde(default)] half_width: Option<f64>,
}

name_or_map! {
    MethodItem, "the name of a method, or a map with `method`",
    #[serde()] method: String,
    #[serde(default)] name: Option<String>,
    #[serde(default)] comparison: Option<String>,
    #[serde(default)] delta: Option<f64>,
    #[serde(default)] precision: Option<f64>,
    #[serde(default)] allocation: Option<String>,
    #[serde(default, deserialize_with = "count")] individuals: Option<u64>,
}

/// What is wrong with a comparison, and where.
pub(in crate::lab) type Misplaced = (Vec<Step>, SpecError);

impl ComparisonSpec {
    /// The comparison of these families with nothing but defaults.
    pub fn new(families: Families) -> ComparisonSpec {
        ComparisonSpec {
            families,
            methods: all_methods(),
            comparison: None,
            delta: None,
            precision: None,
            baseline: None,
            budget: None,
            iterations: None,
            time: None,
            repeats: None,
            seed: None,
            seeds: None,
            evaluation_pairs: None,
            monitor_pairs: None,
            half_width: None,
            outputs: None,
        }
    }

    /// Checks the comparison and fills in what it leaves open.
    pub(in crate::lab) fn plan(mut self, registry: &Registry) -> Result<Plan, Misplaced> {
        let mut families = match std::mem::replace(&mut self.families, Families::All) {
            Families::All => registry.families().map(|f| FamilyItem::new(f.name())).collect(),
            Families::These(items) => items,
        };
        check_labels("families", families.iter().map(|item| (item.label(), item.name.is_some())))?;
        let mut methods = std::mem::take(&mut self.methods);
        check_labels("methods", methods.iter().map(|item| (item.label(), item.name.is_some())))?;
        let seeds = self.seeds()?;

        let mut runs = Vec::new();
        let mut meetings = MeetingsSpec {
            families: Vec::new(),
            methods: methods.iter().map(|item| item.label().into()).collect(),
            num_repeats: seeds.len(),
            outputs: outputs_of(self.outputs.as_deref())?,
        };
        for (family_index, family) in families.iter_mut().enumerate() {
            for (method_index, method) in methods.iter().enumerate() {
                for &seed in &seeds {
                    let run = self.run(family, method, seed, registry);
                    let run = run.map_err(|error| {
                        (self.place(&error, family_index, family, method_index, method), error)
                    })?;
                    runs.push(run);
                }
            }
            let (earlier, of_family) = runs.split_at(family_index * methods.len() * seeds.len());
            check_run_names(earlier, of_family).map_err(|error| {
                (vec!["families".into(), family_index.into(), "name".into()], error)
            })?;
            let half_width = self.half_width(family_index, family)?;
            family.half_width = Some(half_width);
            meetings.families.push((family.label().into(), half_width));
        }
        // What the runs have found out about families and methods is written out.
        let runs_of_family = methods.len() * seeds.len();
        for (family, run) in families.iter_mut().zip(runs.iter().step_by(runs_of_family)) {
            let run = &run.resolved;
            family.rules.clone_from(&run.rules);
            family.baseline = Some(run.baseline.clone());
            (family.budget, family.iterations) = (run.budget, run.iterations);
            (family.evaluation_pairs, family.monitor_pairs) =
                (run.evaluation_pairs, run.monitor_pairs);
        }
        for (method, run) in methods.iter_mut().zip(runs.iter().step_by(seeds.len())) {
            let run = &run.resolved;
            method.comparison.clone_from(&run.comparison);
            (method.delta, method.precision) = (run.delta, run.precision);
            method.allocation.clone_from(&run.allocation);
            method.individuals = run.individuals;
        }
        let resolved = ComparisonSpec {
            methods,
            time: self.time,
            outputs: self.outputs,
            seeds: Some(seeds),
            ..ComparisonSpec::new(Families::These(families))
        };
        Ok(Plan {
            runs,
            resolved: PlanSpec::Comparison(resolved),
            finale: Finale::Meetings(meetings),
        })
    }

    /// The seeds of the repeats.
    fn seeds(&self) -> Result<Vec<u64>, Misplaced> {
        let at = |key: &'static str| {
            move |source| (vec![key.into()], SpecError::Quantity { key, source })
        };
        if let Some(seeds) = &self.seeds {
            if self.repeats.is_some() || self.seed.is_some() {
                return Err((vec!["seeds".into()], SpecError::SeedsTwice));
            }
            let num_seeds = seeds.len().to_string();
            parse_count(&num_seeds, REPEATS_RANGE).map_err(at("seeds"))?;
            for (index, seed) in seeds.iter().enumerate() {
                if seeds[..index].contains(seed) {
                    let place = vec!["seeds".into(), index.into()];
                    return Err((
                        place,
                        SpecError::Repeated { what: "seed", name: seed.to_string() },
                    ));
                }
            }
            return Ok(seeds.clone());
        }
        let repeats = self.repeats.unwrap_or(DEFAULT_REPEATS);
        let repeats = parse_count(&repeats.to_string(), REPEATS_RANGE).map_err(at("repeats"))?;
        let first = self.seed.unwrap_or(1);
        let Some(last) = first.checked_add(repeats - 1) else {
            let range = 0..=u64::MAX - (repeats - 1);
            return Err(at("seed")(QuantityError::CountOutOfRange {
                found: first.to_string(),
                range,
            }));
        };
        Ok((first..=last).collect())
    }

    /// The half-width that the meetings of a family should have.
    fn half_width(&self, index: usize, family: &FamilyItem) -> Result<f64, Misplaced> {
        let (place, half_width) = match family.half_width {
            Some(half_width) => {
                (vec!["families".into(), index.into(), "half-width".into()], half_width)
            }
            None => (vec!["half-width".into()], self.half_width.unwrap_or(DEFAULT_HALF_WIDTH)),
        };
        check_fraction(half_width)
            .map_err(|source| (place, SpecError::Quantity { key: "half-width", source }))
    }

    /// One of the runs.
    fn run(
        &self,
        family: &FamilyItem,
        method: &MethodItem,
        seed: u64,
        registry: &Registry,
    ) -> Result<Experiment, SpecError> {
        let compares = registry.method(&method.method).is_ok_and(MethodSpec::compares);
        let baseline = family.baseline.as_ref().or(self.baseline.as_ref());
        // What a family says of its own length takes the place of all that is said for all.
        let (budget, iterations) = match (family.budget, family.iterations) {
            (None, None) => (self.budget, self.iterations),
            own => own,
        };
        let spec = ExperimentSpec {
            rules: family.rules.clone(),
            method: method.method.clone(),
            comparison: method.comparison.clone().or(self.comparison.clone().filter(|_| compares)),
            delta: method.delta.or(self.delta.filter(|_| compares)),
            precision: method.precision.or(self.precision.filter(|_| compares)),
            allocation: method.allocation.clone(),
            individuals: method.individuals,
            baseline: baseline.cloned().unwrap_or_default(),
            budget,
            iterations,
            time: self.time.clone(),
            seed,
            evaluation_pairs: family.evaluation_pairs.or(self.evaluation_pairs),
            monitor_pairs: family.monitor_pairs.or(self.monitor_pairs),
            ..ExperimentSpec::new(&family.family)
        };
        let mut run = Experiment::new(spec, registry)?;
        run.labels = [family.label().into(), method.label().into()];
        Ok(run)
    }

    /// Where in the file the mistake is that was found in a run.
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
            "baseline" => family.baseline.is_some(),
            "budget" => family.budget.is_some(),
            "iterations" => family.iterations.is_some(),
            "evaluation-pairs" => family.evaluation_pairs.is_some(),
            "monitor-pairs" => family.monitor_pairs.is_some(),
            _ => false,
        };
        let of_method = match key {
            "method" | "allocation" | "individuals" => true,
            "comparison" => method.comparison.is_some(),
            "delta" => method.delta.is_some(),
            "precision" => method.precision.is_some(),
            _ => false,
        };
        match (of_family, of_method) {
            (true, _) => vec!["families".into(), family_index.into(), key.into()],
            (_, true) => vec!["methods".into(), method_index.into(), key.into()],
            _ => vec![key.into()],
        }
    }
}

/// Checks that no run of a family has the directory of one of another family, as those of `a` with the method `b-c`
/// and of `a-b` with `c` would.
fn check_run_names(earlier: &[Experiment], of_family: &[Experiment]) -> Result<(), SpecError> {
    let names: HashSet<_> = earlier.iter().map(Experiment::run_name).collect();
    let again = of_family.iter().map(Experiment::run_name).find(|name| names.contains(name));
    again.map_or(Ok(()), |name| Err(SpecError::Repeated { what: "run", name }))
}

/// What is written beside the results, by the names in a file.
pub(in crate::lab) fn outputs_of(names: Option<&[String]>) -> Result<Vec<Output>, Misplaced> {
    let Some(names) = names else { return Ok(Output::DEFAULT.into()) };
    let output = |(index, name): (usize, &String)| {
        let found = find("output", name, Output::ALL, Output::name);
        found.map_err(|unknown| (vec!["outputs".into(), index.into()], unknown.into()))
    };
    names.iter().enumerate().map(output).collect()
}

/// The longest name of a family or method in a comparison: it is part of the names of directories.
const MAX_LABEL_BYTES: usize = 64;

/// Checks what the families or methods are called: with each label comes whether it was given as `name`.
pub(in crate::lab) fn check_labels<'a>(
    list: &'static str,
    labels: impl Iterator<Item = (&'a str, bool)>,
) -> Result<(), Misplaced> {
    let mut seen = HashSet::new();
    for (index, (label, is_given)) in labels.enumerate() {
        let place = || vec![list.into(), index.into(), "name".into()];
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let is_fit = label.len() <= MAX_LABEL_BYTES
            && label.starts_with(|c: char| c.is_ascii_alphanumeric())
            && label.chars().all(is_plain);
        // Other names are checked against those that there are.
        if is_given && !is_fit {
            return Err((place(), SpecError::Label(label.into())));
        }
        if !seen.insert(label) {
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

#[cfg(test)]
mod tests;
