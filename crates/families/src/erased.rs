//! Hides the types of families.

use std::sync::Arc;

use ruse_play::family::{AnyFamily, ErasedFamily};
use ruse_strategies::Family;

/// Hides the types of a family.
pub(crate) fn erased(family: impl Family) -> Arc<dyn AnyFamily> {
    Arc::new(ErasedFamily::new(family))
}
