//! The additional outputs of an experiment.

use std::ops::RangeInclusive;

use ruse_base::files::Step;
use schemars::{Schema, SchemaGenerator, json_schema};

use super::error::SpecError;
use super::quantity::parse_count;
use super::run::{Experiment, find};

/// An error in an experiment, with its place in the file.
pub(crate) type Misplaced = (Vec<Step>, SpecError);
/// The runs that a specification describes, the specification with all defaults, and the work after the runs.
pub(crate) type Planned<S, T> = Result<(Vec<Experiment>, S, T), Misplaced>;

/// Returns a function that puts the place of an error after the place of the item that contains it.
pub(crate) fn inside(item: Vec<Step>) -> impl Fn(Misplaced) -> Misplaced {
    move |(place, error)| ([item.clone(), place].concat(), error)
}

/// Checks the number with this key.
pub(crate) fn number(
    key: &'static str,
    number: u64,
    range: RangeInclusive<u64>,
) -> Result<u64, Misplaced> {
    let checked = parse_count(&number.to_string(), range);
    checked.map_err(|source| (vec![key.into()], SpecError::Quantity { key: key.into(), source }))
}

/// Checks that the list with this key has items, none of them twice, and returns what `check` returns for each. `what`
/// is the name of an item.
pub(crate) fn distinct<I: ToString, T: PartialEq>(
    key: &'static str,
    what: &'static str,
    items: &[I],
    check: impl Fn(&I) -> Result<T, SpecError>,
) -> Result<Vec<T>, Misplaced> {
    if items.is_empty() {
        return Err((vec![key.into()], SpecError::Empty(key)));
    }
    let mut found = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let place = || vec![key.into(), index.into()];
        let one = check(item).map_err(|error| (place(), error))?;
        if found.contains(&one) {
            return Err((place(), SpecError::Repeated { what, name: item.to_string() }));
        }
        found.push(one);
    }
    Ok(found)
}

/// Checks that the list with this key has numbers in `range`, none of them twice. `what` is the name of a number.
pub(crate) fn distinct_numbers(
    key: &'static str,
    what: &'static str,
    numbers: &[u64],
    range: &RangeInclusive<u64>,
) -> Result<Vec<u64>, Misplaced> {
    let check = |one: &u64| number(key, *one, range.clone()).map_err(|(_, error)| error);
    distinct(key, what, numbers, check)
}

/// Returns the schema of the list of additional outputs.
pub(crate) fn output_list(_: &mut SchemaGenerator) -> Schema {
    let names = Output::ALL.map(Output::name);
    json_schema!({ "type": "array", "uniqueItems": true, "items": { "enum": names } })
}

ruse_base::named! {
    /// An additional output of an experiment.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Output {
        /// Tables as Markdown.
        Md = "md",
        /// Tables as comma-separated values.
        Csv = "csv",
        /// Tables as LaTeX.
        Tex = "tex",
        /// Tables as JSON.
        Json = "json",
        /// Figures as SVG.
        Svg = "svg",
        /// Figures as PNG.
        Png = "png",
        /// A single HTML page with all tables and figures.
        Html = "html",
    }
}

impl Output {
    /// The default outputs.
    pub(super) const DEFAULT: [Output; 4] = [Output::Md, Output::Csv, Output::Tex, Output::Svg];
}

/// Returns the additional outputs with these names in a file.
pub(crate) fn outputs_of(names: Option<&[String]>) -> Result<Vec<Output>, Misplaced> {
    let Some(names) = names else { return Ok(Output::DEFAULT.into()) };
    let output = |(index, name): (usize, &String)| {
        let found = find("output", name, Output::ALL, Output::name);
        found.map_err(|unknown| (vec!["outputs".into(), index.into()], unknown.into()))
    };
    names.iter().enumerate().map(output).collect()
}
