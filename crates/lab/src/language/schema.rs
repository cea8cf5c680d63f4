//! A JSON Schema of experiment files. Editors use it to complete and check such files.
//!
//! The schema is derived from the types of parsed files. A registry adds the names of families and methods, and the
//! options of methods.

use ruse_optimise::methods::{MethodOption, OptionKind};
use ruse_play::family::AnyFamily;
use ruse_registry::Registry;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::schema_names::{FamilyName, MethodName, MethodOrAll};
use crate::kinds::PlanSpec;
use crate::plan::ALL_METHODS;

/// Returns the schema of an experiment file, with the families and methods of a registry. The file may be a run, a
/// comparison, a curve of budgets, portfolios, or a round robin.
pub fn schema(registry: &Registry) -> Value {
    let settings = SchemaSettings::draft2020_12()
        .with_transform(schemars::transform::RecursiveTransform(plain));
    let meta_schema = settings.meta_schema.clone();
    let mut generator = settings.into_generator();
    let specs = PlanSpec::schemas(&mut generator);
    let mut definitions = generator.take_definitions(true);

    let families: Vec<_> =
        registry.families().chain(registry.test_families()).map(AnyFamily::name).collect();
    let methods: Vec<_> = registry.methods().map(|method| method.name()).collect();
    let with_all: Vec<_> = methods.iter().copied().chain([ALL_METHODS]).collect();
    // Paths of files are valid families, too, and commands are valid methods.
    let names = [
        (FamilyName::schema_name(), families, "\\."),
        (MethodName::schema_name(), methods, "[\\s/]"),
        (MethodOrAll::schema_name(), with_all, "[\\s/]"),
    ];
    for (definition, names, pattern) in names {
        let other = json!({ "type": "string", "pattern": pattern });
        definitions.insert(definition.into(), json!({ "anyOf": [{ "enum": names }, other] }));
    }
    // In a file with a method, the options of methods are keys, too.
    let has_method = |of: &&mut Value| of["properties"]["method"].is_object();
    for definition in definitions.values_mut().filter(has_method) {
        let properties = &mut definition["properties"];
        for option in registry.methods().flat_map(|method| method.options()) {
            properties[&option.name] = of_option(&option);
        }
    }
    json!({
        "$schema": meta_schema,
        "title": "An experiment of ruse",
        "description": "One run (`family`), a comparison of methods (`families`), a curve of budgets (`budgets`), pools of random \
                        strategies in which the seed is studied (`portfolios`), or a round robin (`players`).",
        "oneOf": specs,
        "$defs": definitions,
    })
}

/// Returns the schema of the values of an option as users write them.
fn of_option(option: &MethodOption) -> Value {
    let mut schema = match &option.kind {
        OptionKind::Count(range) => super::quantity::count_schema(range.clone()).to_value(),
        _ => option.schema.clone(),
    };
    // The size of Rust's number type.
    schema.as_object_mut().expect("a schema of one value").remove("format");
    let default = match &option.value {
        Value::String(word) => word.clone(),
        value => value.to_string(),
    };
    schema["description"] = format!("{} Default: {default}.", option.meaning).into();
    schema
}

/// Removes three parts of the schema that users do not need: the value null, because users omit the key; the sizes of
/// Rust's number types; and defaults, because the descriptions state them.
fn plain(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    object.remove("format");
    object.remove("default");
    if let Some(Value::String(description)) = object.get_mut("description") {
        // Line breaks in a doc comment only wrap the source.
        *description = description.replace('\n', " ");
    }
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|one| one != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    let Some(Value::Array(alternatives)) = object.get_mut("anyOf") else { return };
    alternatives.retain(|one| one["type"] != "null");
    if let [Value::Object(only)] = alternatives.as_mut_slice() {
        let only = std::mem::take(only);
        object.remove("anyOf");
        let own = std::mem::take(object);
        *object = Map::from_iter(only.into_iter().chain(own));
    }
}

#[cfg(test)]
mod tests;
