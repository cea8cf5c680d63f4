//! The options of an engine, as the engine announces them.

/// An option of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UciOption {
    /// The name, in the engine's spelling. Capital letters do not matter.
    pub name: String,
    /// The default as the engine writes it; empty for buttons.
    pub default: String,
    /// The values that the option takes.
    pub kind: OptionKind,
}

/// The values of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionKind {
    /// A whole number within the bounds, if the engine names them.
    Spin {
        /// The least value.
        min: Option<i64>,
        /// The largest value.
        max: Option<i64>,
    },
    /// `true` or `false`.
    Check,
    /// One of these words.
    Combo(Vec<String>),
    /// Any text.
    Text,
    /// Without a value.
    Button,
}

/// The error of an option or of its value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// The engine has no such option.
    #[error("the engine has no option `{name}`{}; it has: {}", nearest(name, known), known.join(", "))]
    Unknown {
        /// The name that was given.
        name: String,
        /// The options of the engine.
        known: Vec<String>,
    },
    /// The option does not take this value.
    #[error("option `{name}` does not take the value {value}: it takes {expected}")]
    Value {
        /// The name of the option.
        name: String,
        /// The value that was given.
        value: String,
        /// A description of the values that the option takes.
        expected: String,
    },
}

/// Returns a suggestion for an unknown name, or nothing if no known name is similar.
fn nearest(name: &str, known: &[String]) -> String {
    /// The similarity of names with one wrong letter in four.
    const LEAST: f64 = 0.7;
    let lower = name.to_lowercase();
    let similarity =
        |known: &String| strsim::normalized_damerau_levenshtein(&lower, &known.to_lowercase());
    let best = known.iter().map(|known| (similarity(known), known));
    match best.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(similarity, _)| *similarity >= LEAST) {
        Some((_, best)) => format!(" (did you mean `{best}`?)"),
        None => String::new(),
    }
}

impl UciOption {
    /// Parses a line such as `option name Hash type spin default 16 min 1 max 1024`. Returns `None` if the line does not
    /// describe an option.
    pub fn parse(line: &str) -> Option<UciOption> {
        let (name, rest) = line.trim().strip_prefix("option name ")?.split_once(" type ")?;
        let mut words = rest.split_whitespace();
        let kind = words.next()?;
        // The values may consist of several words.
        let mut values: Vec<(&str, String)> = Vec::new();
        for word in words {
            match (word, values.last_mut()) {
                ("default" | "min" | "max" | "var", _) => values.push((word, String::new())),
                (_, Some((_, value))) if value.is_empty() => *value = word.into(),
                (_, Some((_, value))) => *value = format!("{value} {word}"),
                (_, None) => {}
            }
        }
        let all = |key| values.iter().filter(move |value| value.0 == key).map(|value| &value.1);
        let number = |key| all(key).next().and_then(|value| value.parse().ok());
        let kind = match kind {
            "spin" => OptionKind::Spin { min: number("min"), max: number("max") },
            "check" => OptionKind::Check,
            "combo" => OptionKind::Combo(all("var").cloned().collect()),
            "string" => OptionKind::Text,
            "button" => OptionKind::Button,
            _ => return None,
        };
        let default = all("default").next().cloned().unwrap_or_default();
        Some(UciOption { name: name.trim().into(), default, kind })
    }

    /// Checks a value, as it would be sent to the engine.
    ///
    /// # Errors
    ///
    /// Returns an error if the option does not take the value.
    pub fn check(&self, value: &str) -> Result<(), OptionError> {
        let (is_valid, expected) = match &self.kind {
            OptionKind::Spin { min, max } => {
                let (min, max) = (min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX));
                let number = value.parse().is_ok_and(|value: i64| (min..=max).contains(&value));
                (number, format!("a whole number from {min} to {max}"))
            }
            OptionKind::Check => (["true", "false"].contains(&value), "true or false".into()),
            OptionKind::Combo(words) => {
                (words.iter().any(|word| word == value), words.join(" or "))
            }
            OptionKind::Text => (!value.contains(['\n', '\r']), "a line of text".into()),
            OptionKind::Button => (false, "no value, because it is a button".into()),
        };
        let (name, value) = (self.name.clone(), value.to_string());
        is_valid.then_some(()).ok_or(OptionError::Value { name, value, expected })
    }
}

/// Returns the option with a name, in any spelling with capital letters.
///
/// # Errors
///
/// Returns an error with all known names if the name is unknown.
pub fn find<'a>(options: &'a [UciOption], name: &str) -> Result<&'a UciOption, OptionError> {
    options.iter().find(|option| option.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let known = options.iter().map(|option| option.name.clone()).collect();
        OptionError::Unknown { name: name.into(), known }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of Toga II 3.0 and Stockfish 15.1.
    #[test]
    fn options_are_read_as_engines_write_them() {
        let parse = |line| UciOption::parse(line).expect("an option");
        let hash = parse("option name Hash type spin default 128 min 4 max 1024\r");
        assert_eq!(hash.kind, OptionKind::Spin { min: Some(4), max: Some(1024) });
        assert_eq!((&*hash.name, &*hash.default), ("Hash", "128"));
        let pruning = parse(
            "option name NullMove Pruning type combo default Fail High var Always var Fail High var Never",
        );
        assert_eq!((&*pruning.name, &*pruning.default), ("NullMove Pruning", "Fail High"));
        let words = ["Always", "Fail High", "Never"].map(String::from).to_vec();
        assert_eq!(pruning.kind, OptionKind::Combo(words));
        let file = parse("option name Debug Log File type string default ");
        assert_eq!((file.kind, &*file.default), (OptionKind::Text, ""));
        let button = parse("option name Clear Hash type button");
        assert_eq!((&*button.name, button.kind), ("Clear Hash", OptionKind::Button));
        for line in ["id name Toga", "option name X", "option name X type slider default 3"] {
            assert_eq!(UciOption::parse(line), None, "{line}");
        }
    }

    #[test]
    fn a_wrong_name_or_value_is_explained() {
        let lines = [
            "option name King Safety type spin default 100 min 0 max 400",
            "option name OwnBook type check default true",
        ];
        let options = lines.map(|line| UciOption::parse(line).expect("an option"));
        assert_eq!(find(&options, "king safety").map(|option| &*option.name), Ok("King Safety"));
        let error = find(&options, "Contempt").expect_err("unknown").to_string();
        assert!(!error.contains("did you mean") && error.contains("King Safety"), "{error}");
        assert_eq!(options[0].check("400"), Ok(()));
        let error = options[0].check("401").expect_err("too large").to_string();
        assert!(error.ends_with("it takes a whole number from 0 to 400"), "{error}");
        assert!(options[0].check("1.5").is_err() && options[1].check("yes").is_err());
    }
}
