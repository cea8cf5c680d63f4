//! `ruse schema`: prints a description of experiment files for editors.

use clap::Args;
use ruse_lab::schema;
use ruse_registry::Registry;

use super::failure::{Result, print_json};

/// Print a JSON Schema of experiment files, with which an editor completes and checks them
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {}

pub(super) fn print_schema(registry: &Registry) -> Result {
    print_json(&schema(registry))
}
