//! The one place where work is handed out to threads.

use rayon::prelude::*;

use super::stop::{StopSignal, Stopped};

/// Does the same to every item, on the threads of the current pool, and returns the results in the order of the items. Which
/// thread does what has no influence on them.
///
/// # Errors
///
/// When the work was stopped, or says so itself.
pub fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    stop: &StopSignal,
    work: impl Fn(&T) -> Result<R, Stopped> + Sync,
) -> Result<Vec<R>, Stopped> {
    let one = |item| {
        stop.check()?;
        work(item)
    };
    items.par_iter().map(one).collect()
}
