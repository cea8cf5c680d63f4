//! The system's allocator, with a count of what it is asked for.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes in use, and the most that ever were since it was last asked.
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Of each thread its own: the test harness allocates now and then.
    static NUM_ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Allocations of this thread so far.
pub(crate) fn num_allocations() -> u64 {
    NUM_ALLOCATIONS.get()
}

/// Bytes that the whole program has in use.
pub(crate) fn bytes_in_use() -> usize {
    LIVE.load(Ordering::Relaxed)
}

/// Runs something, and returns the most bytes in use meanwhile beyond those before.
pub(crate) fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = bytes_in_use();
    PEAK.store(before, Ordering::Relaxed);
    let result = work();
    (result, PEAK.load(Ordering::Relaxed) - before)
}

/// Bytes in use are those of all threads, so that one test runs at a time.
pub(crate) fn measure_alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    // A test that failed has left nothing behind that others would see.
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

struct CountingAllocator;

fn add(num_bytes: usize) {
    // At the very end of a thread there is nothing to count any more.
    let _ = NUM_ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
    let live = LIVE.fetch_add(num_bytes, Ordering::Relaxed) + num_bytes;
    PEAK.fetch_max(live, Ordering::Relaxed);
}

#[allow(unsafe_code, reason = "an allocator cannot be replaced without")]
// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // The old block may be there until the new one is filled.
        add(new_size);
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
