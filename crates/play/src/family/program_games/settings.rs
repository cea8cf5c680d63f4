//! The settings of a program, and the parameters by which they are tuned.
//!
//! Methods search around zero with steps of about 1. Zero stands for the start of every setting, and 1 for one step.

use std::collections::BTreeSet;

use ruse_strategies::{Levels, Parameter, ParameterGroup, ParameterSpace};
use serde_json::Value;

use super::wire::{SettingKind, SettingLine};

/// A setting of a program.
#[derive(Debug, Clone, PartialEq)]
struct Setting {
    name: String,
    meaning: String,
    values: Values,
}

/// The values of a setting.
#[derive(Debug, Clone, PartialEq)]
enum Values {
    /// The parameter x stands for `start + x * step`, moved to the nearest bound if it is beyond a bound.
    Number { start: f64, step: f64, min: f64, max: f64, is_integer: bool },
    /// Every word has a parameter; the largest parameter wins. Among equal parameters, the start wins.
    Choice { words: Vec<String>, start: usize },
}

/// The settings of a program, in order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Settings(Vec<Setting>);

impl Setting {
    fn new(line: &SettingLine) -> Result<Setting, String> {
        let SettingLine { name, meaning, kind, min, max, start, step, choices } = line;
        let about = |problem: String| format!("parameter `{name}`: {problem}");
        let values = match kind {
            SettingKind::Choice => {
                let distinct: BTreeSet<&String> = choices.iter().collect();
                if distinct.len() < 2 || distinct.len() != choices.len() {
                    return Err(about("`choices` must be two or more different words".into()));
                }
                let index_of = |start: &Value| {
                    let found = choices.iter().position(|word| start.as_str() == Some(word));
                    found.ok_or_else(|| about(format!("`start` is {start}, which is not a choice")))
                };
                let start = start.as_ref().map_or(Ok(0), index_of)?;
                Values::Choice { words: choices.clone(), start }
            }
            SettingKind::Real | SettingKind::Integer => {
                let is_integer = *kind == SettingKind::Integer;
                let middle = min.zip(*max).map_or(0.0, |(min, max)| min + (max - min) / 2.0);
                let tenth = min.zip(*max).map(|(min, max)| (max - min) / 10.0);
                let least = if is_integer { 1.0 } else { 0.0 };
                let step = step.or(tenth.map(|tenth| tenth.max(least))).unwrap_or(1.0);
                let (min, max) = (min.unwrap_or(f64::MIN), max.unwrap_or(f64::MAX));
                let number = |start: &Value| {
                    let problem = || about(format!("`start` is {start}, and must be a number"));
                    start.as_f64().ok_or_else(problem)
                };
                let start = start.as_ref().map_or(Ok(middle.clamp(min, max.max(min))), number)?;
                if min >= max {
                    return Err(about(format!("`min` is {min}, and must be below `max`, {max}")));
                }
                if !(min..=max).contains(&start) {
                    return Err(about(format!(
                        "`start` is {start}, and must be within the bounds"
                    )));
                }
                if !(step > 0.0 && step.is_finite()) {
                    return Err(about(format!("`step` is {step}, and must be above 0")));
                }
                Values::Number { start, step, min, max, is_integer }
            }
        };
        Ok(Setting { name: name.clone(), meaning: meaning.clone(), values })
    }

    fn dimension(&self) -> usize {
        match &self.values {
            Values::Number { .. } => 1,
            Values::Choice { words, .. } => words.len(),
        }
    }

    fn parameters(&self) -> Vec<Parameter> {
        let meaning = |rest: String| match self.meaning.is_empty() {
            true => rest,
            false => format!("{}: {rest}", self.meaning),
        };
        match &self.values {
            Values::Number { start, step, .. } => {
                vec![Parameter::new(
                    self.name.clone(),
                    meaning(format!("in steps of {step} from {start}")),
                )]
            }
            Values::Choice { words, .. } => {
                let parameter = |word: &String| {
                    Parameter::new(
                        format!("{}={word}", self.name),
                        meaning(format!("the largest of {} chooses", words.len())),
                    )
                };
                words.iter().map(parameter).collect()
            }
        }
    }

    /// Returns the coordinates of all values if they are few, and otherwise nothing. The first is the start, whose
    /// coordinates are 0.
    fn coordinates(&self) -> Vec<Vec<f64>> {
        /// The range of an integer whose values are few is below this.
        const FEW: f64 = 16.0;
        match &self.values {
            Values::Choice { words, start } => {
                let others = (0..words.len()).filter(|index| index != start);
                let coordinates = |chosen: Option<usize>| {
                    let coordinate = |index| f64::from(u8::from(Some(index) == chosen));
                    (0..words.len()).map(coordinate).collect()
                };
                std::iter::once(None).chain(others.map(Some)).map(coordinates).collect()
            }
            Values::Number { start, step, min, max, is_integer: true } if max - min < FEW => {
                let all = (min.ceil() as i64..=max.floor() as i64).map(|value| value as f64);
                let others = all.filter(|value| *value != start.round());
                let steps = others.map(|value| (value - start) / step);
                std::iter::once(0.0).chain(steps).map(|x| vec![x]).collect()
            }
            Values::Number { .. } => Vec::new(),
        }
    }

    /// Returns the value for these parameters, as many as the [dimension](Setting::dimension).
    fn value(&self, theta: &[f64]) -> Value {
        match &self.values {
            Values::Number { start, step, min, max, is_integer } => {
                let value = (start + theta[0] * step).clamp(*min, *max);
                match is_integer {
                    // A rounded number may be beyond a bound that is not an integer.
                    true => (value.round().clamp(min.ceil(), max.floor()) as i64).into(),
                    false => value.into(),
                }
            }
            Values::Choice { words, start } => {
                let better = |best: usize, index: usize| match theta[index] > theta[best] {
                    true => index,
                    false => best,
                };
                words[(0..words.len()).fold(*start, better)].clone().into()
            }
        }
    }

    /// Appends parameters that stand for `value`.
    fn extend(&self, theta: &mut Vec<f64>, value: &Value) -> Result<(), String> {
        let about = |problem: String| format!("parameter `{}`: {problem}", self.name);
        match &self.values {
            Values::Number { start, step, min, max, .. } => {
                let number = value.as_f64().filter(|number| (min..=max).contains(&number));
                let problem = || about(format!("{value} is not a number within the bounds"));
                theta.push((number.ok_or_else(problem)? - start) / step);
            }
            Values::Choice { words, .. } => {
                let chosen = words.iter().position(|word| value.as_str() == Some(word));
                let problem = || about(format!("{value} is not one of {}", words.join(", ")));
                let chosen = chosen.ok_or_else(problem)?;
                theta.extend((0..words.len()).map(|index| if index == chosen { 1.0 } else { 0.0 }));
            }
        }
        Ok(())
    }
}

impl Settings {
    /// Creates the settings that a program describes.
    ///
    /// # Errors
    ///
    /// Returns a description of the first setting that is invalid.
    pub(super) fn new(lines: &[SettingLine]) -> Result<Settings, String> {
        let mut names = BTreeSet::new();
        if let Some(line) = lines.iter().find(|line| !names.insert(&line.name)) {
            return Err(format!("there are two parameters of the name `{}`", line.name));
        }
        lines.iter().map(Setting::new).collect::<Result<_, _>>().map(Settings)
    }

    /// Returns the space of the parameters. Each setting is a group.
    pub(super) fn space(&self) -> ParameterSpace {
        let mut begin = 0;
        let group = |setting: &Setting| {
            let members = (begin..begin + setting.dimension()).collect();
            begin += setting.dimension();
            ParameterGroup { name: setting.name.clone().into(), members }
        };
        let groups: Vec<ParameterGroup> = self.0.iter().map(group).collect();
        let levels = self.0.iter().zip(&groups).map(|(setting, group)| Levels {
            members: group.members.clone(),
            values: setting.coordinates(),
        });
        let levels = levels.filter(|levels| !levels.values.is_empty()).collect();
        ParameterSpace::new(self.0.iter().flat_map(Setting::parameters).collect())
            .with_groups(groups)
            .with_levels(levels)
    }

    /// Returns the number of parameters.
    pub(super) fn dimension(&self) -> usize {
        self.0.iter().map(Setting::dimension).sum()
    }

    /// Iterates over the settings with their values for the parameters `theta`.
    fn named<'a>(&'a self, theta: &'a [f64]) -> impl Iterator<Item = (&'a str, Value)> {
        let mut rest = theta;
        self.0.iter().map(move |setting| {
            let own;
            (own, rest) = rest.split_at(setting.dimension());
            (&*setting.name, setting.value(own))
        })
    }

    /// Returns the list of values that a program receives for the parameters `theta`.
    pub(super) fn values(&self, theta: &[f64]) -> Value {
        self.named(theta).map(|(_, value)| value).collect()
    }

    /// Returns the settings in words, such as `plays with king-safety 131, style sharp`.
    pub(super) fn words(&self, theta: &[f64]) -> String {
        let word = |(name, value): (&str, Value)| match value {
            Value::String(word) => format!("{name} {word}"),
            Value::Number(number) if number.is_f64() => {
                format!("{name} {:.4}", number.as_f64().unwrap_or_default())
            }
            value => format!("{name} {value}"),
        };
        format!("plays with {}", self.named(theta).map(word).collect::<Vec<_>>().join(", "))
    }

    /// Returns parameters for which a program receives `values`.
    ///
    /// # Errors
    ///
    /// Returns a description of the first value that does not fit its setting.
    pub(super) fn parameters_for(&self, values: &[Value]) -> Result<Vec<f64>, String> {
        if values.len() != self.0.len() {
            return Err(format!("{} values given, {} expected", values.len(), self.0.len()));
        }
        let mut theta = Vec::with_capacity(self.dimension());
        for (setting, value) in self.0.iter().zip(values) {
            setting.extend(&mut theta, value)?;
        }
        Ok(theta)
    }
}
