//! Types for names in the schema of experiment files. Their values depend on the registry.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// Declares types for fields that contain a name from the registry.
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident),+) => {
        $(
            $(#[$doc])*
            pub(crate) struct $name;

            impl JsonSchema for $name {
                fn schema_name() -> Cow<'static, str> {
                    stringify!($name).into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    json_schema!({ "type": "string" })
                }
            }
        )+
    };
}

names! {
    /// The name of a family.
    FamilyName,
    /// The name of a method.
    MethodName,
    /// The name of a method, or `all`.
    MethodOrAll
}
