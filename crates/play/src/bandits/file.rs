//! Files of bandit problems, with reference results of strategies.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use ruse_base::files::{ReadError, Step, YamlError, YamlSource};
use ruse_search::bandit::cmab::{Optimum, Synthetic, SyntheticError, SyntheticSpec, is_legal};
use serde::de::{self, Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};

use super::open::{OpenError, OpenPosition, POLICY, PositionSpec, Positions};

/// The entries of a map in the order of the file.
#[derive(Debug, Clone)]
struct InOrder<T>(Vec<(String, T)>);

impl<'de, T: DeserializeOwned> Deserialize<'de> for InOrder<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<InOrder<T>, D::Error> {
        struct Entries<T>(std::marker::PhantomData<T>);

        impl<'de, T: DeserializeOwned> Visitor<'de> for Entries<T> {
            type Value = InOrder<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("problems by their names")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<InOrder<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                match entries.is_empty() {
                    true => Err(de::Error::custom("there is no problem here; give one a name")),
                    false => Ok(InOrder(entries)),
                }
            }
        }

        deserializer.deserialize_map(Entries(std::marker::PhantomData))
    }
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "`problems` or `positions`")]
struct FileSpec {
    problems: Option<InOrder<ProblemSpec>>,
    positions: Option<InOrder<PositionEntry>>,
    #[serde(default)]
    results: BTreeMap<String, BTreeMap<String, BTreeMap<u64, Reference>>>,
    // Files may contain the results of a second program, which are ignored.
    #[serde(default, rename = "second_implementation")]
    _second_implementation: de::IgnoredAny,
}

#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ProblemSpec {
    means: Vec<Vec<f64>>,
    #[serde(default)]
    cells: Vec<Vec<i64>>,
    #[serde(default)]
    costs: Vec<Vec<u32>>,
    #[serde(default)]
    budget: u64,
    sigma: f64,
    fpu: Option<f64>,
    legal_arms: Option<u64>,
    best: Option<BestSpec>,
    gap: Option<f64>,
}

#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PositionEntry {
    start: String,
    rules: Option<BTreeMap<String, u64>>,
    horizon: Option<u32>,
    policy: Option<String>,
    fpu: Option<f64>,
}

#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct BestSpec {
    mean: f64,
    arm: Vec<u16>,
}

/// The result of a strategy on a problem according to the file: means over runs, with their standard errors.
#[derive(Debug, Clone, Copy, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// The simple regret, with its standard error.
    pub simple: [f64; 2],
    /// The cumulative regret, with its standard error.
    pub cumulative: [f64; 2],
    /// The share of runs that recommend a best arm.
    pub optimum: f64,
    /// The number of different arms pulled.
    pub arms: f64,
    /// The number of runs.
    pub runs: u64,
}

/// A problem that a file defines by numbers.
#[derive(Debug, Clone)]
pub struct GivenProblem {
    /// The name of the problem.
    pub name: String,
    /// The arms of the problem.
    pub problem: Synthetic,
    /// The best arms and their mean; `None` if there are too many combinations to compare.
    pub optimum: Option<Optimum>,
    /// The expected reward of a new arm, for first play urgency.
    pub urgency: Option<f64>,
}

/// A position of a game, as specified in a file.
pub struct GivenPosition {
    /// The name of the position.
    pub name: String,
    /// The name of the position, and the way in which its arms are evaluated.
    pub spec: PositionSpec,
    /// The position itself.
    pub position: Box<dyn OpenPosition>,
}

/// A file of bandit problems.
pub struct ProblemFile {
    /// The problems defined by numbers, in the order of the file.
    pub problems: Vec<GivenProblem>,
    /// The positions of games, in the order of the file. There is at least one if `problems` is empty.
    pub positions: Vec<GivenPosition>,
    /// Reference results, by problem, strategy and budget. Strategies have the names used in the file.
    pub results: BTreeMap<String, BTreeMap<String, BTreeMap<u64, Reference>>>,
}

/// The largest allowed difference between a number in the file and its computed value; the file may round numbers.
const TOLERANCE: f64 = 1e-6;

impl ProblemFile {
    /// Reads a file, computes the best arms of its problems, and checks that the file states the same best arms.
    /// `known` opens the positions of the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or an error with the place in the file if the file is invalid. A
    /// problem needs a legal arm and the optimum that the file states; a position must be known and allow a choice.
    pub fn read(path: &Path, known: &Positions) -> Result<ProblemFile, ReadError> {
        let unreadable = |source| ReadError::Unreadable { path: path.into(), source };
        let source = YamlSource::read(path).map_err(unreadable)?;
        let FileSpec { problems, positions, results, .. } = source.parse()?;
        if problems.is_none() && positions.is_none() {
            let message =
                "there is neither `problems` nor `positions`; give one of them".to_string();
            return Err(Box::new(source.error_at(&[], message)).into());
        }
        let problems = problems.into_iter().flat_map(|problems| problems.0);
        let problems = problems.map(|(name, spec)| given(&source, name, spec));
        let problems: Vec<GivenProblem> = problems.collect::<Result<_, _>>()?;
        let positions = positions.into_iter().flat_map(|positions| positions.0);
        let positions = positions.map(|(name, entry)| {
            let is_taken = problems.iter().any(|problem| problem.name == name);
            match is_taken {
                true => {
                    let message = format!("{name}: a problem has this name already");
                    let path = ["positions".into(), name.as_str().into()];
                    Err(Box::new(source.error_at(&path, message)))
                }
                false => given_position(&source, name, entry, known),
            }
        });
        let positions = positions.collect::<Result<_, _>>()?;
        Ok(ProblemFile { problems, positions, results })
    }
}

/// Returns the place of the mistake in the file, relative to the problem.
fn place(error: &SyntheticError) -> Vec<Step> {
    match *error {
        SyntheticError::NumVariables { .. } => vec!["means".into()],
        SyntheticError::NumValues { variable, .. } => vec!["means".into(), variable.into()],
        SyntheticError::Shape { table, variable, .. } => {
            [table.name().into()].into_iter().chain(variable.map(Step::Index)).collect()
        }
        SyntheticError::Mean { variable, value, .. } => {
            vec!["means".into(), variable.into(), value.into()]
        }
        SyntheticError::Sigma { .. } => vec!["sigma".into()],
        SyntheticError::NoLegalArm { .. } => vec!["budget".into()],
        // The file need not have a table of cells or a table of costs.
        SyntheticError::NoFreeValue { variable } => vec!["cells".into(), variable.into()],
        _ => Vec::new(),
    }
}

fn given(
    source: &YamlSource,
    name: String,
    spec: ProblemSpec,
) -> Result<GivenProblem, Box<YamlError>> {
    let error_at = |within: Vec<Step>, message: String| {
        let path: Vec<Step> =
            [Step::from("problems"), Step::from(name.as_str())].into_iter().chain(within).collect();
        Box::new(source.error_at(&path, message))
    };
    let ProblemSpec { means, cells, costs, budget, sigma, fpu, legal_arms, best, gap } = spec;
    let spec = SyntheticSpec { means, cells, costs, budget, sigma };
    let problem = Synthetic::new(&spec)
        .map_err(|error| error_at(place(&error), format!("{name}: {error}")))?;
    if let Some(found) = fpu.filter(|fpu| !fpu.is_finite()) {
        let message = format!("{name}: `fpu` is {found}, where a number should be");
        return Err(error_at(vec!["fpu".into()], message));
    }
    let optimum = problem.optimum();
    if let Some(best) = &best {
        let arm = vec!["best".into(), "arm".into()];
        if !is_legal(&problem, &best.arm) {
            let message = format!("{name}: this arm is not legal");
            return Err(error_at(arm, message));
        }
        let mean = problem.mean(&best.arm);
        if (mean - best.mean).abs() > TOLERANCE {
            let message = format!("{name}: the mean of this arm is {mean:.6}, not {}", best.mean);
            return Err(error_at(vec!["best".into(), "mean".into()], message));
        }
        if let Some(better) = optimum.as_ref().filter(|found| found.mean > mean + TOLERANCE) {
            let message =
                format!("{name}: there is a better arm, {:?} with {:.6}", better.arm, better.mean);
            return Err(error_at(arm, message));
        }
    }
    if let Some(found) = &optimum {
        if let Some(wrong) = legal_arms.filter(|&n| found.num_legal != Some(n.into())) {
            let number = found.num_legal.map_or("2^128 or more".into(), |n| n.to_string());
            let message = format!("{name}: there are {number} legal arms, not {wrong}");
            return Err(error_at(vec!["legal_arms".into()], message));
        }
        let is_wrong = |gap: &f64| found.gap.is_none_or(|found| (found - gap).abs() > TOLERANCE);
        if let Some(wrong) = gap.filter(is_wrong) {
            let gap = found.gap.map_or("no second arm".into(), |gap| format!("{gap:.6}"));
            let message = format!("{name}: the gap to the second best arm is {gap}, not {wrong}");
            return Err(error_at(vec!["gap".into()], message));
        }
    }
    Ok(GivenProblem { name, problem, optimum, urgency: fpu })
}

fn given_position(
    source: &YamlSource,
    name: String,
    entry: PositionEntry,
    known: &Positions,
) -> Result<GivenPosition, Box<YamlError>> {
    let error_at = |key: &str, message: String| {
        let path = ["positions".into(), name.as_str().into(), key.into()];
        Box::new(source.error_at(&path, format!("{name}: {message}")))
    };
    let PositionEntry { start, rules, horizon, policy, fpu } = entry;
    if let Some(found) = fpu.filter(|fpu| !(0.0..=1.0).contains(fpu)) {
        let message = format!("`fpu` is {found}, where a number from 0 to 1 should be");
        return Err(error_at("fpu", message));
    }
    let opened = known.usual(&start).and_then(|usual| {
        let spec = PositionSpec {
            rules: rules.unwrap_or_default(),
            horizon: horizon.unwrap_or(usual.horizon),
            policy: policy.unwrap_or(usual.policy),
            start,
        };
        let position = known.open(&spec, fpu)?;
        Ok((spec, position))
    });
    let (spec, position) = opened.map_err(|error| {
        let key = match &error {
            OpenError::Horizon { .. } => "horizon",
            OpenError::Rules(_) => "rules",
            OpenError::Unknown(unknown) if unknown.kind == POLICY => "policy",
            _ => "start",
        };
        let known = match &error {
            OpenError::Unknown(unknown) => format!("; known are {}", unknown.known.join(", ")),
            _ => String::new(),
        };
        error_at(key, format!("{error}{known}"))
    })?;
    Ok(GivenPosition { name, spec, position })
}
