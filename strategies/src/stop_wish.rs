//! A stop signal that reaches a player in the middle of a decision.

use std::fmt;
use std::sync::Arc;

/// A stop signal for long games and slow players. It is sticky; by default it is never set.
///
/// A player that [heeds](crate::Strategy::heed) the signal stops thinking and takes any legal action. The caller then
/// abandons the game and discards its result.
#[derive(Clone, Default)]
pub struct StopWish(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl StopWish {
    /// Creates a signal that is set once `is_told` returns `true`. It is polled every few playouts, so `is_told` should
    /// be fast.
    pub fn new(is_told: impl Fn() -> bool + Send + Sync + 'static) -> StopWish {
        StopWish(Some(Arc::new(is_told)))
    }

    /// Returns `true` if the signal is set.
    pub fn is_told(&self) -> bool {
        self.0.as_ref().is_some_and(|is_told| is_told())
    }
}

impl fmt::Debug for StopWish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StopWish").field("is_there", &self.0.is_some()).finish()
    }
}
