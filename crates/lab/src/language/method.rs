//! The options of methods, as a map from names to values.

use std::sync::Arc;

use ruse_base::names::UnknownName;
use ruse_optimise::methods::{AnyMethod, MethodOption, OptionKind, OptionValues};
use ruse_registry::Registry;
use schemars::JsonSchema;
use serde_json::Value;

use super::error::{SpecError, quantity};
use super::parts::keys;
use super::quantity::parse_count;

/// Returns the method with the `given` options.
///
/// # Errors
///
/// Returns an error if the method does not have one of the options, or a value is invalid. For an unknown key, it lists
/// the keys of a file of type `T`.
pub(super) fn configured<T: JsonSchema>(
    method: &dyn AnyMethod,
    given: &OptionValues,
    registry: &Registry,
) -> Result<Arc<dyn AnyMethod>, SpecError> {
    let known = method.options();
    let mut values = OptionValues::new();
    for (key, value) in given {
        let option = known.iter().find(|option| option.name == *key);
        let option = option.ok_or_else(|| stray::<T>(key, method, registry))?;
        let value = checked(option, value)?;
        let one = OptionValues::from_iter([(key.clone(), value.clone())]);
        if let Err(source) = method.with_options(&one) {
            return Err(SpecError::Option { key: key.clone(), source });
        }
        values.insert(key.clone(), value);
    }
    method.with_options(&values).map_err(|source| {
        // Each option is valid, but the combination is not.
        let key = values.keys().next_back().cloned().unwrap_or_default();
        SpecError::Option { key, source }
    })
}

/// Returns all options of the method with their values.
pub(super) fn own_options(method: &dyn AnyMethod) -> OptionValues {
    method.options().into_iter().map(|option| (option.name, option.value)).collect()
}

/// Returns the given options that belong to this method.
///
/// # Errors
///
/// Returns an error if an option does not belong to any method of the registry.
pub(crate) fn options_of<T: JsonSchema>(
    method: &dyn AnyMethod,
    given: &OptionValues,
    registry: &Registry,
) -> Result<OptionValues, SpecError> {
    let is_known = |method: &dyn AnyMethod, key: &str| {
        method.options().iter().any(|option| option.name == key)
    };
    let mut own = OptionValues::new();
    for (key, value) in given {
        if is_known(method, key) {
            own.insert(key.clone(), value.clone());
        } else if !registry.methods().any(|other| is_known(other.as_ref(), key)) {
            return Err(stray::<T>(key, method, registry));
        }
    }
    Ok(own)
}

/// Returns the error for a key that is not one of the method's options.
fn stray<T: JsonSchema>(key: &str, method: &dyn AnyMethod, registry: &Registry) -> SpecError {
    let has_it = |other: &&Arc<dyn AnyMethod>| other.options().iter().any(|o| o.name == key);
    let owners: Vec<_> =
        registry.methods().filter(has_it).map(|other| other.name().to_string()).collect();
    if owners.is_empty() {
        let known = known_keys::<T>(registry);
        return SpecError::UnknownKey { key: key.into(), known };
    }
    SpecError::NotOfMethod { key: key.into(), method: method.name().into(), owners }
}

/// Returns the allowed keys of a file of type `T`, including the options of all methods.
pub(crate) fn known_keys<T: JsonSchema>(registry: &Registry) -> Vec<String> {
    let mut known = keys::<T>();
    for option in registry.methods().flat_map(|method| method.options()) {
        if !known.contains(&option.name) {
            let place = known.iter().position(|key| key == "baseline");
            known.insert(place.unwrap_or(known.len()), option.name);
        }
    }
    known
}

/// Converts a value to the type of the option. Numbers and words may be given as text.
fn checked(option: &MethodOption, value: &Value) -> Result<Value, SpecError> {
    let text = match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    match &option.kind {
        OptionKind::Count(range) => {
            let count = parse_count(&text, range.clone());
            count.map(Value::from).map_err(quantity(option.name.clone()))
        }
        OptionKind::Word(words) if !words.contains(&text) => {
            Err(UnknownName::new(option.name.clone(), &text, words.iter().map(String::as_str))
                .into())
        }
        // Text from the command line.
        OptionKind::Number | OptionKind::Flag if value.is_string() => {
            Ok(serde_json::from_str(&text).unwrap_or_else(|_| value.clone()))
        }
        _ => Ok(value.clone()),
    }
}
