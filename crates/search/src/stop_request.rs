//! A stop signal that reaches a player in the middle of a decision.

use std::fmt;
use std::sync::Arc;

/// A stop signal for long games and slow players. Once set, it stays set. The default signal is never set.
///
/// A player that [heeds](crate::Strategy::heed) the signal stops thinking and takes any legal action. The caller then
/// abandons the game and discards its result.
#[derive(Clone, Default)]
pub struct StopRequest(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl StopRequest {
    /// Creates a signal that is set once `is_set` returns `true`. The signal is polled every few playouts, so `is_set`
    /// should be fast.
    pub fn new(is_set: impl Fn() -> bool + Send + Sync + 'static) -> StopRequest {
        StopRequest(Some(Arc::new(is_set)))
    }

    /// Returns `true` if the signal is set.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|is_set| is_set())
    }
}

impl fmt::Debug for StopRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StopRequest").field("is_there", &self.0.is_some()).finish()
    }
}
