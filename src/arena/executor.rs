//! The one place where work is handed out to threads.

use std::sync::atomic::{AtomicUsize, Ordering};

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

/// Does the same to every item, on the threads of the current pool. A thread that is done takes the next item that nobody has
/// taken: items begin in their order, and end in any.
///
/// # Errors
///
/// When the work was stopped, or says so itself.
pub fn in_turn<T: Sync>(
    items: &[T],
    stop: &StopSignal,
    work: impl Fn(&T) -> Result<(), Stopped> + Sync,
) -> Result<(), Stopped> {
    let next = AtomicUsize::new(0);
    let of_thread = || -> Result<(), Stopped> {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            stop.check()?;
            work(item)?;
        }
        Ok(())
    };
    rayon::broadcast(|_| of_thread()).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn every_item_has_its_turn_until_the_work_is_stopped() {
        let items: Vec<usize> = (0..1000).collect();
        let done = Mutex::new(Vec::new());
        let stop = StopSignal::default();
        let note = |&item: &usize| {
            done.lock().expect("no thread panics").push(item);
            Ok(())
        };
        assert_eq!(in_turn(&items, &stop, note), Ok(()));
        let mut found = done.lock().expect("no thread panics").split_off(0);
        found.sort_unstable();
        assert_eq!(found, items);
        stop.raise();
        assert!(in_turn(&items, &stop, note).is_err());
        assert!(done.lock().expect("no thread panics").is_empty());
    }
}
