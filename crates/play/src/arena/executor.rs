//! Creates the thread pool, and distributes items of work to its threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use ruse_base::stop::{StopSignal, Stopped};

/// The maximum number of threads per processor. Further threads would compete for processors and for work, and would
/// start games whose results are discarded: on two processors, a thousand threads took fifty times as long as sixteen.
const MAX_PER_PROCESSOR: usize = 4;

/// Creates the thread pool that plays games. The pool has `wanted` threads, but not more than `MAX_PER_PROCESSOR` per
/// processor. By default, there is one thread per processor.
///
/// # Errors
///
/// Returns an error if the system cannot create the threads.
pub fn thread_pool(wanted: Option<usize>) -> Result<ThreadPool, ThreadPoolBuildError> {
    let of_use =
        std::thread::available_parallelism().map(|number| MAX_PER_PROCESSOR * number.get());
    let num_threads = match (wanted, of_use) {
        (Some(wanted), Ok(of_use)) => wanted.min(of_use),
        (wanted, _) => wanted.unwrap_or(0),
    };
    ThreadPoolBuilder::new().num_threads(num_threads).build()
}

/// Calls `work` for every item, on the threads of the current pool, and returns the results in the order of the items.
/// The results do not depend on the assignment of items to threads.
///
/// # Errors
///
/// Returns an error if the work was stopped, or if `work` returns an error.
pub fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    stop: &StopSignal,
    work: impl Fn(&T) -> Result<R, Stopped> + Sync,
) -> Result<Vec<R>, Stopped> {
    distribute(items, stop, &work)
}

/// Carries out [`in_parallel`]. The work is a trait object, so that the distribution is not compiled for each family.
fn distribute<T: Sync, R: Send>(
    items: &[T],
    stop: &StopSignal,
    work: &(dyn Fn(&T) -> Result<R, Stopped> + Sync),
) -> Result<Vec<R>, Stopped> {
    let one = |item| {
        stop.check()?;
        work(item)
    };
    items.par_iter().map(one).collect()
}

/// Calls `work` for every item, on the threads of the current pool. An idle thread takes the next item, so items start
/// in order but may finish in any order.
///
/// # Errors
///
/// Returns an error if the work was stopped, or if `work` returns an error.
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
    fn threads_are_as_many_as_are_of_use() {
        let num = |wanted| thread_pool(wanted).expect("threads").current_num_threads();
        assert_eq!([1, 2, 4].map(|wanted| num(Some(wanted))), [1, 2, 4]);
        let processors = std::thread::available_parallelism().expect("known").get();
        assert_eq!(num(Some(usize::from(u16::MAX))), MAX_PER_PROCESSOR * processors);
        assert!(num(None) > 0);
    }

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
