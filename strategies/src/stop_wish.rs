//! A wish to stop that reaches a player in the middle of a decision.

use std::fmt;
use std::sync::Arc;

/// A wish to stop, for games and players that take long; once it is told it stays. By default nobody has one.
///
/// A player that [heeds](crate::Strategy::heed) it breaks its thought off and takes any legal action. Whoever plays with such a player
/// leaves the game then, and counts it for nothing.
#[derive(Clone, Default)]
pub struct StopWish(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl StopWish {
    /// The wish that `is_told` tells of. It is asked every few playouts, so it is to be quick.
    pub fn new(is_told: impl Fn() -> bool + Send + Sync + 'static) -> StopWish {
        StopWish(Some(Arc::new(is_told)))
    }

    /// Whether it was told.
    pub fn is_told(&self) -> bool {
        self.0.as_ref().is_some_and(|is_told| is_told())
    }
}

impl fmt::Debug for StopWish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StopWish").field("is_there", &self.0.is_some()).finish()
    }
}
