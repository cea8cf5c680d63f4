//! Settings: numbers and words that a player is made of, and the parameters by which they are tuned.
//!
//! Methods search around zero with steps of about 1. Zero stands for the start of every setting, and 1 for one step.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::parameters::Text;
use crate::{Levels, Parameter, ParameterGroup, ParameterSpace};

/// An integer has all its values as levels if its largest and its smallest value differ by less than this.
const FEW: f64 = 16.0;
/// The number of equal parts into which the levels of other numbers divide their range.
const PARTS: u32 = 15;

/// A setting of a player: a number, an integer or a word.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    name: Text,
    meaning: Text,
    values: Values,
}

/// The values of a setting.
#[derive(Debug, Clone, PartialEq)]
enum Values {
    /// The parameter x stands for `start + x * step` or, if `is_ratio`, for `start * step^x`, moved to the nearest
    /// bound if it is beyond a bound.
    Number { start: f64, step: f64, bounds: RangeInclusive<f64>, is_integer: bool, is_ratio: bool },
    /// Every word has a parameter; the largest parameter wins. Among equal parameters, the start wins.
    Choice { words: Vec<Text>, start: usize },
}

/// The value of a setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SettingValue<'a> {
    /// A real number.
    Real(f64),
    /// An integer.
    Integer(i64),
    /// One of the words of a choice.
    Word(&'a str),
}

impl<'a> SettingValue<'a> {
    /// Returns the number.
    ///
    /// # Panics
    ///
    /// Panics if the value is a word.
    pub fn number(self) -> f64 {
        match self {
            SettingValue::Real(number) => number,
            SettingValue::Integer(number) => number as f64,
            SettingValue::Word(word) => panic!("`{word}` is not a number"),
        }
    }

    /// Returns the word.
    ///
    /// # Panics
    ///
    /// Panics if the value is a number.
    pub fn word(self) -> &'a str {
        match self {
            SettingValue::Word(word) => word,
            number => panic!("{} is not a word", number.number()),
        }
    }
}

impl Setting {
    fn of_number(
        name: Text,
        [start, step]: [f64; 2],
        bounds: RangeInclusive<f64>,
        [is_integer, is_ratio]: [bool; 2],
    ) -> Setting {
        let values = Values::Number { start, step, bounds, is_integer, is_ratio };
        Setting { name, meaning: Cow::Borrowed(""), values }
    }

    /// Creates a setting that is a number within the bounds: `start + x * step` for the parameter x.
    pub fn real(
        name: impl Into<Text>,
        start: f64,
        step: f64,
        bounds: RangeInclusive<f64>,
    ) -> Setting {
        Setting::of_number(name.into(), [start, step], bounds, [false, false])
    }

    /// Creates a setting that is a number within the bounds: `start * factor^x` for the parameter x.
    pub fn ratio(
        name: impl Into<Text>,
        start: f64,
        factor: f64,
        bounds: RangeInclusive<f64>,
    ) -> Setting {
        Setting::of_number(name.into(), [start, factor], bounds, [false, true])
    }

    /// Creates a setting that is an integer within the bounds, which may be fractions or infinite: `start + x * step`
    /// for the parameter x, rounded.
    pub fn integer(
        name: impl Into<Text>,
        start: f64,
        step: f64,
        bounds: RangeInclusive<f64>,
    ) -> Setting {
        Setting::of_number(name.into(), [start, step], bounds, [true, false])
    }

    /// Creates a setting that is one of some words, which has a parameter for each word. `start` is the index of the
    /// word for which all parameters are 0.
    pub fn choice(
        name: impl Into<Text>,
        words: impl IntoIterator<Item = impl Into<Text>>,
        start: usize,
    ) -> Setting {
        let words = words.into_iter().map(Into::into).collect();
        let (name, meaning) = (name.into(), Cow::Borrowed(""));
        Setting { name, meaning, values: Values::Choice { words, start } }
    }

    /// Sets the meaning of the setting, in words.
    pub fn with_meaning(self, meaning: impl Into<Text>) -> Setting {
        Setting { meaning: meaning.into(), ..self }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Checks that there is a start, a step and more than one value.
    fn check(&self) -> Result<(), String> {
        match &self.values {
            Values::Choice { words, start } => {
                let distinct: BTreeSet<_> = words.iter().collect();
                if distinct.len() < 2 || distinct.len() != words.len() || *start >= words.len() {
                    return Err("`choices` must be two or more different words".into());
                }
            }
            Values::Number { start, step, bounds, is_ratio, .. } => {
                let (min, max) = (bounds.start(), bounds.end());
                if min >= max {
                    return Err(format!("`min` is {min}, and must be below `max`, {max}"));
                }
                if !bounds.contains(start) {
                    return Err(format!("`start` is {start}, and must be within the bounds"));
                }
                let least = if *is_ratio { 1.0 } else { 0.0 };
                if !(*step > least && step.is_finite()) {
                    return Err(format!("`step` is {step}, and must be above {least}"));
                }
                if *is_ratio && *min <= 0.0 {
                    return Err(format!("`min` is {min}, and must be above 0"));
                }
            }
        }
        Ok(())
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
            Values::Number { start, step, is_ratio, .. } => {
                let steps = if *is_ratio { "factors" } else { "steps" };
                // A step such as e has four places only.
                let (exact, short) = (step.to_string(), format!("{step:.4}"));
                let step = if *step >= 1.0 && short.len() < exact.len() { short } else { exact };
                let meaning = meaning(format!("in {steps} of {step} from {start}"));
                vec![Parameter::new(self.name.clone(), meaning)]
            }
            Values::Choice { words, .. } => {
                let parameter = |word: &Text| {
                    Parameter::new(
                        format!("{}={word}", self.name),
                        meaning(format!("the largest of {} chooses", words.len())),
                    )
                };
                words.iter().map(parameter).collect()
            }
        }
    }

    /// Returns the parameters for each value if the values are few, and otherwise for values that divide the whole range
    /// into equal parts. A number without a bound has none. The first value is the start, whose parameters are 0.
    fn levels(&self) -> Vec<Vec<f64>> {
        match &self.values {
            Values::Choice { words, start } => {
                let others = (0..words.len()).filter(|index| index != start);
                let coordinates = |chosen: Option<usize>| {
                    let coordinate = |index| f64::from(u8::from(Some(index) == chosen));
                    (0..words.len()).map(coordinate).collect()
                };
                std::iter::once(None).chain(others.map(Some)).map(coordinates).collect()
            }
            Values::Number { start, step, bounds, is_integer, is_ratio } => {
                let (min, max) = (*bounds.start(), *bounds.end());
                let all: Vec<f64> = match () {
                    () if !(max - min).is_finite() => Vec::new(),
                    () if *is_integer && max - min < FEW => {
                        let (min, max) = (min.ceil() as i64, max.floor() as i64);
                        (min..=max).map(|value| value as f64).collect()
                    }
                    () => (0..=PARTS)
                        .map(|part| {
                            let share = f64::from(part) / f64::from(PARTS);
                            let value = match is_ratio {
                                true => min * libm::pow(max / min, share),
                                false => min + share * (max - min),
                            };
                            if *is_integer {
                                value.round().clamp(min.ceil(), max.floor())
                            } else {
                                value
                            }
                        })
                        .collect(),
                };
                if all.is_empty() {
                    return Vec::new();
                }
                let own = if *is_integer { start.round() } else { *start };
                let steps =
                    all.into_iter().filter(|value| *value != own).map(|value| match is_ratio {
                        true => libm::log(value / start) / libm::log(*step),
                        false => (value - start) / step,
                    });
                std::iter::once(0.0).chain(steps).map(|x| vec![x]).collect()
            }
        }
    }

    /// Returns the change of a parameter that moves an integer by 1, and 0 for parameters of other settings.
    fn grain(&self) -> f64 {
        match self.values {
            Values::Number { step, is_integer: true, is_ratio: false, .. } => 1.0 / step,
            _ => 0.0,
        }
    }

    /// Returns the value for these parameters, as many as the dimension.
    fn value(&self, theta: &[f64]) -> SettingValue<'_> {
        match &self.values {
            Values::Number { start, step, bounds, is_integer, is_ratio } => {
                let (min, max) = (*bounds.start(), *bounds.end());
                let value = match is_ratio {
                    true => start * libm::exp(theta[0] * libm::log(*step)),
                    false => start + theta[0] * step,
                };
                let value = value.clamp(min, max);
                match is_integer {
                    // A rounded number may be beyond a bound that is not an integer.
                    true => {
                        SettingValue::Integer(value.round().clamp(min.ceil(), max.floor()) as i64)
                    }
                    false => SettingValue::Real(value),
                }
            }
            Values::Choice { words, start } => {
                let better = |best: usize, index: usize| match theta[index] > theta[best] {
                    true => index,
                    false => best,
                };
                SettingValue::Word(&words[(0..words.len()).fold(*start, better)])
            }
        }
    }

    /// Appends parameters that stand for `value`. Returns the problem if the value does not fit.
    fn extend(&self, theta: &mut Vec<f64>, value: SettingValue<'_>) -> Result<(), String> {
        match (&self.values, value) {
            (
                Values::Number { start, step, bounds, is_ratio, .. },
                SettingValue::Real(_) | SettingValue::Integer(_),
            ) => {
                let number = value.number();
                if !bounds.contains(&number) {
                    return Err(format!("{number} is not a number within the bounds"));
                }
                theta.push(match is_ratio {
                    true => libm::log(number / start) / libm::log(*step),
                    false => (number - start) / step,
                });
            }
            (Values::Choice { words, .. }, SettingValue::Word(word))
                if words.iter().any(|known| known == word) =>
            {
                theta.extend(words.iter().map(|known| if known == word { 1.0 } else { 0.0 }));
            }
            (Values::Number { .. }, SettingValue::Word(word)) => {
                return Err(format!("\"{word}\" is not a number within the bounds"));
            }
            (Values::Choice { words, .. }, value) => {
                let value = match value {
                    SettingValue::Word(word) => format!("\"{word}\""),
                    number => number.number().to_string(),
                };
                return Err(format!("{value} is not one of {}", words.join(", ")));
            }
        }
        Ok(())
    }
}

/// The settings of a player, in order.
///
/// ```
/// use ruse_search::{Setting, Settings};
///
/// let depth = Setting::integer("depth", 10.0, 3.0, 1.0..=20.0);
/// let bandit = Setting::choice("bandit", ["naive", "ucb"], 0);
/// let settings = Settings::new(vec![depth, bandit]).expect("valid settings");
/// let theta = [1.0, 0.0, 0.5];
/// assert_eq!(settings.space().dimension(), theta.len());
/// assert_eq!(settings.value("depth", &theta).number(), 13.0);
/// assert_eq!(settings.value("bandit", &theta).word(), "ucb");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Settings(Vec<Setting>);

impl Settings {
    /// Creates a list of settings.
    ///
    /// # Errors
    ///
    /// Returns a description of the first setting that is invalid: its name is taken, its words are fewer than two or
    /// repeated, its start is not within the bounds, or its step is not positive (above 1 for a ratio).
    pub fn new(settings: Vec<Setting>) -> Result<Settings, String> {
        let mut names = BTreeSet::new();
        for setting in &settings {
            if !names.insert(&setting.name) {
                return Err(format!("there are two parameters of the name `{}`", setting.name));
            }
            setting
                .check()
                .map_err(|problem| format!("parameter `{}`: {problem}", setting.name))?;
        }
        Ok(Settings(settings))
    }

    /// Returns the space of the parameters. Each setting is a group, words and numbers within bounds have
    /// [levels](ParameterSpace::levels), and integers [grains](ParameterSpace::grains).
    pub fn space(&self) -> ParameterSpace {
        let mut begin = 0;
        let group = |setting: &Setting| {
            let members = (begin..begin + setting.dimension()).collect();
            begin += setting.dimension();
            ParameterGroup { name: setting.name.clone(), members }
        };
        let groups: Vec<ParameterGroup> = self.0.iter().map(group).collect();
        let levels = self.0.iter().zip(&groups).map(|(setting, group)| Levels {
            members: group.members.clone(),
            values: setting.levels(),
        });
        let levels = levels.filter(|levels| !levels.values.is_empty()).collect();
        let of_setting = |setting: &Setting| vec![setting.grain(); setting.dimension()];
        let grains = self.0.iter().flat_map(of_setting).collect();
        ParameterSpace::new(self.0.iter().flat_map(Setting::parameters).collect())
            .with_groups(groups)
            .with_levels(levels)
            .with_grains(grains)
    }

    /// Returns the number of parameters.
    pub fn dimension(&self) -> usize {
        self.0.iter().map(Setting::dimension).sum()
    }

    /// Iterates over the settings with their values for the parameters `theta`.
    ///
    /// # Panics
    ///
    /// Panics if `theta` is shorter than the [dimension](Settings::dimension).
    pub fn values<'a>(
        &'a self,
        theta: &'a [f64],
    ) -> impl Iterator<Item = (&'a str, SettingValue<'a>)> {
        let mut rest = theta;
        self.0.iter().map(move |setting| {
            let own;
            (own, rest) = rest.split_at(setting.dimension());
            (setting.name(), setting.value(own))
        })
    }

    /// Returns the value of the setting `name` for the parameters `theta`.
    ///
    /// # Panics
    ///
    /// Panics if no setting has this name, or `theta` is shorter than the [dimension](Settings::dimension).
    pub fn value<'a>(&'a self, name: &str, theta: &'a [f64]) -> SettingValue<'a> {
        let value = self.values(theta).find(|(known, _)| *known == name);
        value.unwrap_or_else(|| panic!("`{name}` is not a setting")).1
    }

    /// Returns parameters that stand for `values`, one for each setting.
    ///
    /// # Errors
    ///
    /// Returns a description of the first value that does not fit its setting.
    pub fn parameters_for(&self, values: &[SettingValue<'_>]) -> Result<Vec<f64>, String> {
        if values.len() != self.0.len() {
            return Err(format!("{} values given, {} expected", values.len(), self.0.len()));
        }
        let mut theta = Vec::with_capacity(self.dimension());
        for (setting, &value) in self.0.iter().zip(values) {
            let about = |problem| format!("parameter `{}`: {problem}", setting.name);
            setting.extend(&mut theta, value).map_err(about)?;
        }
        Ok(theta)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings::new(vec![
            Setting::real("share", 0.4, 0.2, 0.0..=1.0),
            Setting::ratio("rate", 0.5, 2.0, 0.125..=64.0),
            Setting::integer("depth", 10.0, 3.0, 1.0..=12.0),
            Setting::integer("horizon", 100.0, 40.0, 10.0..=400.0),
            Setting::choice("bandit", ["naive", "ucb"], 0),
        ])
        .expect("valid settings")
    }

    #[test]
    fn zero_is_the_start_and_one_is_a_step() {
        let settings = settings();
        fn values<'a>(settings: &'a Settings, theta: &'a [f64]) -> Vec<SettingValue<'a>> {
            settings.values(theta).map(|(_, value)| value).collect()
        }
        let settings = &settings;
        use SettingValue::{Integer, Real, Word};
        let start = [Real(0.4), Real(0.5), Integer(10), Integer(100), Word("naive")];
        assert_eq!(values(settings, &[0.0; 6]), start);
        let next = [Real(0.6000000000000001), Real(1.0), Integer(12), Integer(140), Word("ucb")];
        assert_eq!(values(settings, &[1.0, 1.0, 1.0, 1.0, 0.0, 1.0]), next);
        // Beyond the bounds, values are the bounds.
        let most = [Real(1.0), Real(64.0), Integer(12), Integer(400), Word("naive")];
        assert_eq!(values(settings, &[1e300; 6]), most);
        let least = [Real(0.0), Real(0.125), Integer(1), Integer(10), Word("naive")];
        assert_eq!(values(settings, &[-1e300; 6]), least);
        assert_eq!(settings.value("depth", &[0.0; 6]).number(), 10.0);
        assert_eq!(settings.value("bandit", &[0.0; 6]).word(), "naive");
    }

    #[test]
    fn parameters_stand_for_values() {
        let settings = settings();
        let values = [
            SettingValue::Real(0.8),
            SettingValue::Integer(2),
            SettingValue::Integer(7),
            SettingValue::Real(60.0),
            SettingValue::Word("ucb"),
        ];
        let theta = settings.parameters_for(&values).expect("valid values");
        assert_eq!(theta, [2.0, 2.0, -1.0, -1.0, 0.0, 1.0]);
        let problem = |place: usize, value| {
            let mut values = values;
            values[place] = value;
            settings.parameters_for(&values).expect_err("a problem")
        };
        assert_eq!(
            problem(0, SettingValue::Real(1.5)),
            "parameter `share`: 1.5 is not a number within the bounds"
        );
        assert!(problem(1, SettingValue::Word("low")).contains("\"low\" is not a number"));
        assert!(
            problem(4, SettingValue::Word("ucb2")).contains("\"ucb2\" is not one of naive, ucb")
        );
        assert!(problem(4, SettingValue::Integer(3)).contains("3 is not one of naive, ucb"));
        assert_eq!(
            settings.parameters_for(&[]).expect_err("too few"),
            "0 values given, 5 expected"
        );
    }

    /// The values of a number with many values divide its range into 15 parts: from 10 to 400 by 26, and from 1/8 to 64
    /// by the factor 512^(1/15). The start is added, unless it is one of them, as .4 is 6/15.
    #[test]
    fn settings_have_levels_over_their_range() {
        let space = settings().space();
        let names: Vec<&str> =
            space.parameters().iter().map(|parameter| &*parameter.name).collect();
        assert_eq!(names, ["share", "rate", "depth", "horizon", "bandit=naive", "bandit=ucb"]);
        let [share, rate, depth, horizon, bandit] = space.levels() else {
            panic!("{:?}", space.levels())
        };
        let numbers = |levels: &Levels| levels.values.iter().map(Vec::len).all(|len| len == 1);
        assert!([share, rate, depth, horizon].into_iter().all(numbers));
        let ends = |levels: &Levels| {
            let [start, first, .., last] = levels.values.as_slice() else { panic!("{levels:?}") };
            (levels.values.len(), start[0], first[0], last[0])
        };
        assert_eq!(ends(share), (16, 0.0, -2.0, 2.999_999_999_999_999_6));
        // In steps of a factor of 2, 1/8 is two below 1/2, and 64 is seven above.
        assert_eq!(ends(rate), (17, 0.0, -2.0, 7.0));
        assert_eq!(ends(depth), (12, 0.0, -3.0, 2.0 / 3.0));
        assert_eq!(ends(horizon), (17, 0.0, -90.0 / 40.0, 300.0 / 40.0));
        assert_eq!(horizon.values[2], [(36.0 - 100.0) / 40.0]);
        assert_eq!(
            (&bandit.members, &bandit.values),
            (&vec![4, 5], &vec![vec![0.0, 0.0], vec![0.0, 1.0]])
        );
        assert_eq!(space.group("bandit").expect("a group").members, [4, 5]);
        let unbounded = Setting::real("x", 1.0, 1.0, f64::NEG_INFINITY..=f64::INFINITY);
        assert_eq!(Settings::new(vec![unbounded]).expect("a valid setting").space().levels(), []);
    }

    #[test]
    fn invalid_settings_are_refused() {
        for (setting, problem) in [
            (Setting::ratio("x", 1.0, 1.0, 0.5..=2.0), "`step` is 1, and must be above 1"),
            (Setting::ratio("x", 1.0, 2.0, 0.0..=2.0), "`min` is 0, and must be above 0"),
            (
                Setting::real("x", 1.0, f64::INFINITY, 0.0..=2.0),
                "`step` is inf, and must be above 0",
            ),
            (Setting::integer("x", 3.0, 1.0, 0.0..=2.0), "`start` is 3, and must be within"),
            (Setting::choice("x", ["a", "a"], 0), "two or more different words"),
        ] {
            let error = Settings::new(vec![setting]).expect_err(problem);
            assert!(error.starts_with("parameter `x`: ") && error.contains(problem), "{error}");
        }
    }
}
