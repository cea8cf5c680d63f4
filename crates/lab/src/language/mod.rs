//! Experiments as users write them.
//!
//! Unchecked data from users has types whose names end in `Spec`. This module checks it, once.

pub(super) mod baseline;
pub(super) mod comparison;
pub(super) mod contestant;
pub(super) mod error;
pub(super) mod method;
pub(super) mod outputs;
pub(super) mod parts;
pub(super) mod pool;
pub(super) mod quantity;
pub(super) mod rules;
pub(super) mod run;
pub(super) mod schema;
pub(super) mod schema_names;
pub(super) mod shared;
pub(super) mod start;
pub(super) mod template;
pub(super) mod written;
