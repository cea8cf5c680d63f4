//! Command-line options of methods. Each method of a registry declares its own.

use clap::builder::{PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use ruse_lab::{QuantityError, parse_count};
use ruse_optimise::methods::{MethodOption, OptionKind, OptionValues};
use ruse_registry::Registry;
use ruse_report::listed;
use serde_json::Value;

/// The prefix of the identifiers of methods' options. Other arguments do not have it.
const PREFIX: &str = "option of a method: ";

/// The given options of methods, with their values.
#[derive(Debug, Default)]
pub(super) struct MethodOptionArgs {
    pub(super) values: OptionValues,
}

// Added by `with_options`, because the options depend on the registry.
impl Args for MethodOptionArgs {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

impl FromArgMatches for MethodOptionArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<MethodOptionArgs, clap::Error> {
        let given = matches.ids().filter_map(|id| {
            let name = id.as_str().strip_prefix(PREFIX)?;
            Some((name.to_string(), matches.get_one::<Value>(id.as_str())?.clone()))
        });
        Ok(MethodOptionArgs { values: given.collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = MethodOptionArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Adds the options of all methods to the command. An option of several methods is added once, with the help of the
/// first.
pub(super) fn with_options(command: Command, registry: &Registry) -> Command {
    let mut options: Vec<(MethodOption, Vec<&str>)> = Vec::new();
    for method in registry.methods() {
        for option in method.options() {
            match options.iter_mut().find(|(known, _)| known.name == option.name) {
                Some((_, owners)) => owners.push(method.name()),
                None => options.push((option, vec![method.name()])),
            }
        }
    }
    command
        .args(options.iter().map(|(option, owners)| argument(option).help_heading(heading(owners))))
}

/// Returns the heading for an option in `--help`. `owners` are its methods.
fn heading(owners: &[&str]) -> String {
    /// The maximum number of methods in a heading.
    const MAX_NAMED: usize = 3;
    match owners.len() {
        1..=MAX_NAMED => format!("Options of {}", owners.join(", ")),
        _ => "Options of several methods".into(),
    }
}

fn argument(option: &MethodOption) -> Arg {
    let (value_name, parser) = match &option.kind {
        OptionKind::Count(range) => {
            let range = range.clone();
            let parse = move |text: &str| -> Result<Value, QuantityError> {
                parse_count(text, range.clone()).map(Value::from)
            };
            ("N", ValueParser::new(parse))
        }
        OptionKind::Word(words) => {
            ("WORD", ValueParser::new(PossibleValuesParser::new(words.clone()).map(Value::String)))
        }
        OptionKind::Flag => {
            let parser = PossibleValuesParser::new(["true", "false"]);
            ("true|false", ValueParser::new(parser.map(|text| Value::Bool(text == "true"))))
        }
        OptionKind::Number => ("X", ValueParser::new(parse_number)),
        OptionKind::Other => ("VALUE", ValueParser::new(parse_other)),
    };
    Arg::new(format!("{PREFIX}{}", option.name))
        .long(option.name.clone())
        .value_name(value_name)
        .value_parser(parser)
        .hide_possible_values(true)
        .allow_hyphen_values(true)
        .help(help(option))
}

/// Returns the help of an option: its meaning, its words and its default.
fn help(option: &MethodOption) -> String {
    let mut help = option.meaning.trim_end_matches('.').to_string();
    if let OptionKind::Word(words) = &option.kind {
        help += &format!(": {}", listed(words, "or"));
    }
    match &option.value {
        Value::Null => help,
        Value::String(word) => format!("{help} [default: {word}]"),
        value => format!("{help} [default: {value}]"),
    }
}

fn parse_number(text: &str) -> Result<Value, String> {
    let number: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    // JSON has no infinite numbers.
    serde_json::Number::from_f64(number).map(Value::Number).ok_or(format!("{text} is not finite"))
}

/// Parses a list or an object as JSON, and other text as a string.
fn parse_other(text: &str) -> Result<Value, serde_json::Error> {
    match text.starts_with(['[', '{']) {
        true => serde_json::from_str(text),
        false => Ok(Value::String(text.into())),
    }
}
