//! Arguments that several commands have, and the values they take.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::failure::Failure;
use crate::family::AnyFamily;
use crate::lab::{
    ALL_METHODS, GAMES_RANGE, ITERATIONS_RANGE, PAIRS_RANGE, QuantityError, RaceOptions,
    check_fraction, parse_count, parse_duration,
};
use crate::race::Operator;
use crate::registry::{DEFAULT_METHOD, Registry};

/// How to use the machine; accepted wherever games are played.
#[derive(Debug, Args)]
pub(super) struct MachineArgs {
    /// Threads to play on; all processors by default. Results do not depend on it.
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,
}

/// A rule of the game, as `NAME=VALUE`.
#[derive(Debug, Args)]
pub(super) struct RuleArgs {
    /// Change a rule of the game, such as suits=6 (see `ruse show FAMILY`); can be repeated.
    #[arg(long = "rule", value_name = "NAME=VALUE", value_parser = parse_rule)]
    pub(super) rules: Vec<(String, u64)>,
}

fn parse_rule(text: &str) -> Result<(String, u64), String> {
    let (name, value) =
        text.split_once('=').ok_or("a rule is written NAME=VALUE, as in suits=6")?;
    let value = value.trim().parse();
    let value = value.map_err(|_| format!("the value of `{name}` is not a whole number"))?;
    Ok((name.trim().to_string(), value))
}

pub(super) fn parse_seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
}

impl RuleArgs {
    pub(super) fn apply(&self, family: &dyn AnyFamily) -> Result<Arc<dyn AnyFamily>, Failure> {
        let mut names: Vec<_> = self.rules.iter().map(|(name, _)| name).collect();
        names.sort();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("the rule `{}` is given twice", twice[0]);
            return Err(Failure::with_advice(message, "a rule has one value: leave one out"));
        }
        Ok(family.with_rules(&self.rules.iter().cloned().collect())?)
    }
}

/// How comparisons are held.
#[derive(Debug, Args)]
pub(super) struct RaceArgs {
    #[arg(long, value_name = "C", help = operators_help("The comparison operator", true),
          value_parser = names(Operator::ALL.map(Operator::name)), hide_possible_values = true)]
    comparison: Option<String>,
    /// Probability that a comparison is wrong [default: 0.05]
    #[arg(long, value_name = "D", value_parser = parse_fraction, allow_hyphen_values = true)]
    delta: Option<f64>,
    /// Half-width of the interval at which a comparison without winner stops [default: 0.01]
    #[arg(long, value_name = "E", value_parser = parse_fraction, allow_hyphen_values = true)]
    precision: Option<f64>,
}

impl RaceArgs {
    pub(super) fn options(&self) -> RaceOptions {
        let comparison = self.comparison.clone();
        RaceOptions { comparison, delta: self.delta, precision: self.precision }
    }
}

/// Where results go.
#[derive(Debug, Args)]
pub(super) struct OutputArgs {
    /// A new directory for the results [default: a new one under runs/]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

/// One of these names, known to the completions of shells.
pub(super) fn names<const N: usize>(names: [&'static str; N]) -> PossibleValuesParser {
    PossibleValuesParser::new(names)
}

/// What an option says that is an operator; clap says the default of one that it knows itself.
pub(super) fn operators_help(what: &str, with_default: bool) -> String {
    let [first, .., last] = Operator::ALL.map(Operator::name);
    let before = &Operator::ALL[..Operator::ALL.len() - 1];
    let before: Vec<_> = before.iter().map(|operator| operator.name()).collect();
    let default = if with_default { format!(" [default: {first}]") } else { String::new() };
    format!("{what}: {} or {last}{default}", before.join(", "))
}

/// One of the methods, or all of them.
pub(super) fn method_names(registry: &Registry) -> PossibleValuesParser {
    let names = registry.methods().map(|method| method.name()).chain([ALL_METHODS]);
    PossibleValuesParser::new(names.map(String::from).collect::<Vec<_>>())
}

/// What `--method` is.
pub(super) fn method_help(registry: &Registry) -> String {
    let names: Vec<_> = registry.methods().map(|method| method.name()).collect();
    format!(
        "The optimiser: {}, or all of them, each with an equal share of the budget [default: {DEFAULT_METHOD}]",
        names.join(", ")
    )
}

pub(super) fn parse_fraction(text: &str) -> Result<f64, QuantityError> {
    // What is not a number is not between 0 and 1 either.
    let refused = || QuantityError::NotBetweenZeroAndOne(format!("`{text}`"));
    check_fraction(text.parse().map_err(|_| refused())?)
}

pub(super) fn parse_games(text: &str) -> Result<u64, QuantityError> {
    parse_count(text, GAMES_RANGE)
}

pub(super) fn parse_iterations(text: &str) -> Result<u64, QuantityError> {
    parse_count(text, ITERATIONS_RANGE)
}

pub(super) fn parse_time(text: &str) -> Result<String, QuantityError> {
    parse_duration(text).map(|_| text.to_string())
}

pub(super) fn parse_pairs(text: &str) -> Result<u64, QuantityError> {
    parse_count(text, PAIRS_RANGE)
}
