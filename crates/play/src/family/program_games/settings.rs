//! The settings that a program describes, and their values as the program reads and writes them.

use ruse_search::{Setting, SettingValue, Settings};
use serde_json::Value;

use super::wire::{SettingKind, SettingLine};

/// Returns the setting of a line.
fn setting(line: &SettingLine) -> Result<Setting, String> {
    let SettingLine { name, meaning, kind, min, max, start, step, choices } = line;
    let about = |problem: String| format!("parameter `{name}`: {problem}");
    let setting = match kind {
        SettingKind::Choice => {
            let index_of = |start: &Value| {
                let found = choices.iter().position(|word| start.as_str() == Some(word));
                found.ok_or_else(|| about(format!("`start` is {start}, which is not a choice")))
            };
            let start = start.as_ref().map_or(Ok(0), index_of)?;
            Setting::choice(name.clone(), choices.iter().cloned(), start)
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
            let create = if is_integer { Setting::integer } else { Setting::real };
            create(name.clone(), start, step, min..=max)
        }
    };
    Ok(setting.with_meaning(meaning.clone()))
}

/// Creates the settings that a program describes.
///
/// # Errors
///
/// Returns a description of the first setting that is invalid.
pub(super) fn settings(lines: &[SettingLine]) -> Result<Settings, String> {
    Settings::new(lines.iter().map(setting).collect::<Result<_, _>>()?)
}

/// Returns the list of values that a program receives for the parameters `theta`.
pub(super) fn values(settings: &Settings, theta: &[f64]) -> Value {
    let value = |value| match value {
        SettingValue::Real(number) => Value::from(number),
        SettingValue::Integer(number) => number.into(),
        SettingValue::Word(word) => word.into(),
    };
    settings.values(theta).map(|(_, known)| value(known)).collect()
}

/// Returns the settings in words, such as `plays with king-safety 131, style sharp`.
pub(super) fn words(settings: &Settings, theta: &[f64]) -> String {
    let word = |(name, value)| match value {
        SettingValue::Real(number) => format!("{name} {number:.4}"),
        SettingValue::Integer(number) => format!("{name} {number}"),
        SettingValue::Word(word) => format!("{name} {word}"),
    };
    format!("plays with {}", settings.values(theta).map(word).collect::<Vec<_>>().join(", "))
}

/// Returns parameters for which a program receives `values`.
///
/// # Errors
///
/// Returns a description of the first value that does not fit its setting.
pub(super) fn parameters_for(settings: &Settings, values: &[Value]) -> Result<Vec<f64>, String> {
    fn value(value: &Value) -> Result<SettingValue<'_>, String> {
        let number = |value: &Value| value.as_f64().map(SettingValue::Real);
        let problem = || format!("{value} is neither a number nor a word");
        value.as_str().map(SettingValue::Word).or_else(|| number(value)).ok_or_else(problem)
    }
    settings.parameters_for(&values.iter().map(value).collect::<Result<Vec<_>, _>>()?)
}
