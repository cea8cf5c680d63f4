//! Families without their types: what a name on the command line stands for.
//!
//! Above this module nothing knows the type of a game, and below it nothing knows a name.

mod erased;

pub use erased::{
    AnyFamily, ContestantSpec, ErasedFamily, MatchupError, PureSpec, ReferenceInfo, WeightError,
    check_weights,
};
