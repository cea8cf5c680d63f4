//! The parameters that are tuned: options of the engine, with a range and a step.

use serde::Serialize;
use serde_json::Value;

use crate::options::{OptionError, OptionKind, UciOption, find};

/// A parameter, as `ruse` reads it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parameter {
    /// The name of the option.
    pub name: String,
    /// The values that the parameter takes.
    #[serde(flatten)]
    pub values: Values,
    /// The engine's own default, as it is sent to the engine.
    #[serde(skip)]
    pub default: String,
}

/// The values of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Values {
    /// Whole numbers.
    Integer(Range),
    /// Any numbers.
    Real(Range),
    /// Words.
    Choice {
        /// The words, at least two.
        choices: Vec<String>,
        /// The word from which methods start.
        start: String,
    },
}

/// A range of numbers, with its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Range {
    /// The least value.
    pub min: f64,
    /// The largest value, greater than `min`.
    pub max: f64,
    /// The value from which methods start.
    pub start: f64,
    /// The difference that methods try first, above 0.
    pub step: f64,
}

/// The error of a parameter.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// The engine has no such option, or the option does not take a value of the range.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The option has no range that could be tuned.
    #[error("option `{0}` cannot be tuned without a range, which is written NAME=MIN..MAX")]
    NeedsRange(String),
    /// The option takes words, or no value at all.
    #[error("option `{0}` is not a number, and cannot have a range")]
    NoNumber(String),
    /// The option has fewer than two values.
    #[error("option `{0}` does not have two values to choose from")]
    NoChoice(String),
    /// The range is not written as expected.
    #[error(
        "`{0}` is not a range such as 0..400 or 0..400/20, with MIN below MAX and STEP above 0"
    )]
    Range(String),
    /// A line of a file does not have the expected form.
    #[error(
        "`{0}` is not `name, int, value, min, max, c_end, r_end` (or `float` for `int`), with the value from min to max"
    )]
    Row(String),
    /// A line of a file is wrong.
    #[error("line {line}: {problem}")]
    Line {
        /// The number of the line, from 1.
        line: usize,
        /// The problem of the line.
        problem: Box<ParameterError>,
    },
    /// An option is named twice.
    #[error("option `{0}` is named twice")]
    Twice(String),
    /// No option is named.
    #[error("nothing to tune: name options with --tune; the engine has: {}", .0.join(", "))]
    Nothing(Vec<String>),
    /// A player has another number of values.
    #[error("{given} values given, {expected} expected")]
    Number {
        /// The number of values that were given.
        given: usize,
        /// The number of parameters.
        expected: usize,
    },
    /// A value is not one of the parameter.
    #[error("{value} is not a value of `{name}`")]
    Value {
        /// The name of the parameter.
        name: String,
        /// The value that was given.
        value: String,
    },
}

impl Range {
    fn new(min: f64, max: f64, start: f64, step: f64) -> Option<Range> {
        let is_valid = min < max && (min..=max).contains(&start) && step > 0.0;
        let is_finite = [min, max, step].iter().all(|value| value.is_finite());
        (is_valid && is_finite).then_some(Range { min, max, start, step })
    }
}

/// Creates a parameter with a range of numbers.
fn ranged(option: &UciOption, range: Range) -> Result<Parameter, ParameterError> {
    let values = match option.kind {
        OptionKind::Spin { .. } => {
            for bound in [range.min, range.max, range.start] {
                option.check(&bound.to_string())?;
            }
            Values::Integer(range)
        }
        OptionKind::Text => Values::Real(range),
        _ => return Err(ParameterError::NoNumber(option.name.clone())),
    };
    // The text of an option may be a number in another notation, or missing.
    let default = option.default.parse::<f64>().unwrap_or(range.start).to_string();
    Ok(Parameter { name: option.name.clone(), values, default })
}

/// Reads `MIN..MAX` or `MIN..MAX/STEP`. The start is the default, moved to the nearest bound if it is beyond a bound.
fn read_range(text: &str, option: &UciOption) -> Option<Range> {
    let (bounds, step) = match text.split_once('/') {
        Some((bounds, step)) => (bounds, Some(step.trim().parse().ok()?)),
        None => (text, None),
    };
    let (min, max) = bounds.split_once("..")?;
    let (min, max): (f64, f64) = (min.trim().parse().ok()?, max.trim().parse().ok()?);
    let start = option.default.parse().unwrap_or((min + max) / 2.0).max(min).min(max);
    let least: f64 = if option.kind == OptionKind::Text { 0.0 } else { 1.0 };
    Range::new(min, max, start, step.unwrap_or(least.max((max - min) / 10.0)))
}

impl Parameter {
    /// Reads the argument of `--tune`: `NAME`, `NAME=MIN..MAX` or `NAME=MIN..MAX/STEP`. Without a step it is a tenth of
    /// the range, and at least 1 for whole numbers.
    ///
    /// # Errors
    ///
    /// Returns an error if the engine has no such option, or the option cannot be tuned within this range.
    pub fn tune(text: &str, options: &[UciOption]) -> Result<Parameter, ParameterError> {
        let whole = options.iter().find(|option| option.name.eq_ignore_ascii_case(text));
        if let (None, Some((name, range))) = (whole, text.rsplit_once('=')) {
            let option = find(options, name.trim())?;
            let range =
                read_range(range, option).ok_or_else(|| ParameterError::Range(range.into()))?;
            return ranged(option, range);
        }
        let option = find(options, text.trim())?;
        let UciOption { name, default, kind } = option;
        let choices = match kind {
            OptionKind::Spin { min: Some(min), max: Some(max) } => {
                let range = read_range(&format!("{min}..{max}"), option)
                    .ok_or_else(|| ParameterError::NoChoice(name.clone()))?;
                return ranged(option, range);
            }
            OptionKind::Spin { .. } | OptionKind::Text => {
                return Err(ParameterError::NeedsRange(name.clone()));
            }
            OptionKind::Check => vec!["false".to_string(), "true".to_string()],
            OptionKind::Combo(words) => words.clone(),
            OptionKind::Button => Vec::new(),
        };
        match choices.len() >= 2 && choices.contains(default) {
            true => Ok(Parameter {
                name: name.clone(),
                values: Values::Choice { choices, start: default.clone() },
                default: default.clone(),
            }),
            false => Err(ParameterError::NoChoice(name.clone())),
        }
    }

    /// Reads a line `name, int, value, min, max, c_end, r_end`, which tuners of engines print. The value is the start,
    /// and `c_end` the step; `r_end`, which may be missing, is not used.
    fn from_row(text: &str, options: &[UciOption]) -> Result<Parameter, ParameterError> {
        let row = || ParameterError::Row(text.into());
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        let [name, kind, ref numbers @ ..] = fields[..] else { return Err(row()) };
        let numbers: Result<Vec<f64>, _> = numbers.iter().map(|field| field.parse()).collect();
        let numbers = numbers.ok().filter(|numbers| matches!(numbers.len(), 4 | 5));
        let numbers = numbers.ok_or_else(row)?;
        let range = Range::new(numbers[1], numbers[2], numbers[0], numbers[3]).ok_or_else(row)?;
        let parameter = ranged(find(options, name)?, range)?;
        match (kind, &parameter.values) {
            ("int", Values::Real(range)) => {
                Ok(Parameter { values: Values::Integer(*range), ..parameter })
            }
            ("int", Values::Integer(_)) | ("float", Values::Real(_)) => Ok(parameter),
            _ => Err(row()),
        }
    }

    /// Reads a file of such lines. Empty lines and lines that begin with `#` are skipped.
    ///
    /// # Errors
    ///
    /// Returns an error with the number of the first line that is wrong.
    pub fn from_file(text: &str, options: &[UciOption]) -> Result<Vec<Parameter>, ParameterError> {
        let rows = text.lines().map(str::trim).enumerate();
        let rows = rows.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let read = |(index, line)| {
            Parameter::from_row(line, options).map_err(|problem| ParameterError::Line {
                line: index + 1,
                problem: problem.into(),
            })
        };
        rows.map(read).collect()
    }

    /// Returns a value as it is sent to the engine.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not one of this parameter.
    pub fn word(&self, value: &Value) -> Result<String, ParameterError> {
        let number = |range: &Range| {
            value.as_f64().filter(|number| (range.min..=range.max).contains(number))
        };
        let word = match &self.values {
            Values::Integer(range) => number(range)
                .filter(|number| number.fract() == 0.0)
                .map(|number| number.to_string()),
            Values::Real(range) => number(range).map(|number| number.to_string()),
            Values::Choice { choices, .. } => {
                choices.iter().find(|word| value.as_str() == Some(word)).cloned()
            }
        };
        let (name, value) = (&self.name, value.to_string());
        word.ok_or_else(|| ParameterError::Value { name: name.clone(), value })
    }

    /// Returns the engine's default as a value, or `None` if it is beyond the range.
    pub fn default_value(&self) -> Option<Value> {
        let value: Value = match &self.values {
            Values::Choice { .. } => self.default.clone().into(),
            Values::Integer(_) => self.default.parse::<i64>().ok()?.into(),
            Values::Real(_) => self.default.parse::<f64>().ok()?.into(),
        };
        self.word(&value).ok().map(|_| value)
    }
}

/// Checks that there are options to tune, and that no option is named twice among the parameters and the fixed options.
///
/// # Errors
///
/// Returns an error otherwise.
pub fn check_names(
    parameters: &[Parameter],
    fixed: &[(String, String)],
    options: &[UciOption],
) -> Result<(), ParameterError> {
    if parameters.is_empty() {
        let known = options.iter().map(|option| option.name.clone()).collect();
        return Err(ParameterError::Nothing(known));
    }
    let mut names = std::collections::BTreeSet::new();
    let all = parameters.iter().map(|parameter| &parameter.name);
    match all.chain(fixed.iter().map(|(name, _)| name)).find(|name| !names.insert(*name)) {
        Some(name) => Err(ParameterError::Twice(name.clone())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Vec<UciOption> {
        let lines = [
            "option name King Safety type spin default 100 min 0 max 400",
            "option name Checks type spin default 1 min 0 max 2",
            "option name Margin type string default 0.5",
            "option name Pruning type combo default Fail High var Always var Fail High",
            "option name Lazy type check default true",
            "option name Clear type button",
        ];
        lines.iter().map(|line| UciOption::parse(line).expect("an option")).collect()
    }

    fn tuned(text: &str) -> Result<Parameter, String> {
        Parameter::tune(text, &options()).map_err(|error| error.to_string())
    }

    #[test]
    fn ranges_come_from_the_engine_or_from_the_user() {
        let range = |min, max, start, step| Range { min, max, start, step };
        let values = |text| tuned(text).expect("it can be tuned").values;
        assert_eq!(values("king safety"), Values::Integer(range(0.0, 400.0, 100.0, 40.0)));
        assert_eq!(values("Checks"), Values::Integer(range(0.0, 2.0, 1.0, 1.0)));
        let narrow = Values::Integer(range(50.0, 150.0, 100.0, 5.0));
        assert_eq!(values("King Safety=50..150/5"), narrow);
        assert_eq!(values("Margin=0..2"), Values::Real(range(0.0, 2.0, 0.5, 0.2)));
        let choices = |words: &[&str], start: &str| Values::Choice {
            choices: words.iter().map(|word| word.to_string()).collect(),
            start: start.into(),
        };
        assert_eq!(values("Pruning"), choices(&["Always", "Fail High"], "Fail High"));
        assert_eq!(values("Lazy"), choices(&["false", "true"], "true"));
        let beyond = tuned("King Safety=200..300").expect("the default is outside");
        assert_eq!(beyond.values, Values::Integer(range(200.0, 300.0, 200.0, 10.0)));
        assert_eq!((&*beyond.default, beyond.default_value()), ("100", None));
        assert_eq!(tuned("Lazy").expect("a choice").default_value(), Some("true".into()));
    }

    #[test]
    fn wrong_ranges_are_explained() {
        for (text, part) in [
            ("King Safety=0..500", "a whole number from 0 to 400"),
            ("King Safety=0..10.5", "a whole number"),
            ("King Safety=9..3", "`9..3` is not a range"),
            ("King Safety=0..9/0", "STEP above 0"),
            ("King Safety=NaN..9", "is not a range"),
            ("Lazy=0..1", "is not a number"),
            ("Margin", "without a range"),
            ("Clear", "two values"),
        ] {
            let error = tuned(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn files_of_tuners_are_read() {
        let text = "# ten options\nKing Safety, int, 120, 0, 400, 20, 0.002\n\nMargin, float, .25, 0, 1, .1, .002\n";
        let found = Parameter::from_file(text, &options()).expect("valid");
        let range = Range { min: 0.0, max: 400.0, start: 120.0, step: 20.0 };
        assert_eq!(found[0].values, Values::Integer(range));
        assert_eq!(found[0].default, "100");
        assert!(matches!(found[1].values, Values::Real(Range { step: 0.1, .. })));
        for (row, part) in [
            ("King Safety, int, 120, 0, 400", "is not `name, int"),
            ("King Safety, int, 500, 0, 400, 20, 1", "from min to max"),
            ("King Safety, float, 120, 0, 400, 20, 1", "is not `name, int"),
            ("Contempt, int, 1, 0, 2, 1, 1", "no option `Contempt`"),
        ] {
            let text = format!("# a comment\n\n{row}");
            let error = Parameter::from_file(&text, &options()).expect_err(row).to_string();
            assert!(error.starts_with("line 3: ") && error.contains(part), "{error}");
        }
    }

    #[test]
    fn values_are_written_for_the_engine() {
        let safety = tuned("King Safety").expect("valid");
        assert_eq!(safety.word(&131.0.into()), Ok("131".into()));
        assert_eq!(safety.word(&131.into()), Ok("131".into()));
        for value in [Value::from(131.5), 401.into(), "131".into(), Value::Null] {
            assert!(safety.word(&value).is_err(), "{value}");
        }
        assert_eq!(tuned("Margin=0..2").expect("valid").word(&0.25.into()), Ok("0.25".into()));
        let pruning = tuned("Pruning").expect("valid");
        assert_eq!(pruning.word(&"Fail High".into()), Ok("Fail High".into()));
        assert!(pruning.word(&"Never".into()).is_err());
    }

    #[test]
    fn names_are_distinct() {
        let lazy = || tuned("Lazy").expect("valid");
        let fixed = [("Checks".to_string(), "1".to_string()), ("Lazy".into(), "true".into())];
        assert_eq!(check_names(&[lazy()], &fixed[..1], &[]), Ok(()));
        let twice = Err(ParameterError::Twice("Lazy".into()));
        assert_eq!(check_names(&[lazy()], &fixed, &[]), twice);
        assert_eq!(check_names(&[lazy(), lazy()], &[], &[]), twice);
        assert!(matches!(check_names(&[], &[], &options()), Err(ParameterError::Nothing(_))));
    }
}
