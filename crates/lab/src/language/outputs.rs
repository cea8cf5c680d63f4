//! The additional outputs of an experiment.

use ruse_play::files::Step;
use schemars::{Schema, SchemaGenerator, json_schema};

use super::error::SpecError;
use super::run::find;

/// An error in an experiment, with its place in the file.
pub(crate) type Misplaced = (Vec<Step>, SpecError);

/// Returns the schema of the list of additional outputs.
pub(crate) fn output_list(_: &mut SchemaGenerator) -> Schema {
    let names = Output::ALL.map(Output::name);
    json_schema!({ "type": "array", "uniqueItems": true, "items": { "enum": names } })
}

/// An additional output of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Tables as Markdown.
    Md,
    /// Tables as comma-separated values.
    Csv,
    /// Tables as LaTeX.
    Tex,
    /// Tables as JSON.
    Json,
    /// Figures as SVG.
    Svg,
    /// Figures as PNG.
    Png,
    /// A single HTML page with all tables and figures.
    Html,
}

impl Output {
    /// All outputs.
    pub const ALL: [Output; 7] = [
        Output::Md,
        Output::Csv,
        Output::Tex,
        Output::Json,
        Output::Svg,
        Output::Png,
        Output::Html,
    ];
    /// The default outputs.
    pub(super) const DEFAULT: [Output; 4] = [Output::Md, Output::Csv, Output::Tex, Output::Svg];

    /// Returns the name of the output in an experiment file. The name is also the file extension.
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

/// Returns the additional outputs with these names in a file.
pub(crate) fn outputs_of(names: Option<&[String]>) -> Result<Vec<Output>, Misplaced> {
    let Some(names) = names else { return Ok(Output::DEFAULT.into()) };
    let output = |(index, name): (usize, &String)| {
        let found = find("output", name, Output::ALL, Output::name);
        found.map_err(|unknown| (vec!["outputs".into(), index.into()], unknown.into()))
    };
    names.iter().enumerate().map(output).collect()
}
