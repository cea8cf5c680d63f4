//! An allocator that passes all calls to the system's allocator, and counts them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of bytes in use.
static LIVE: AtomicUsize = AtomicUsize::new(0);
/// The maximum of [`LIVE`] since the last measurement began.
static PEAK: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The number of allocations of this thread. Threads are counted separately, because the threads of the test
    /// harness also allocate.
    static NUM_ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Returns the number of allocations of this thread so far.
pub(crate) fn num_allocations() -> u64 {
    NUM_ALLOCATIONS.get()
}

/// Returns the number of bytes that the whole program uses.
pub(crate) fn bytes_in_use() -> usize {
    LIVE.load(Ordering::Relaxed)
}

/// Runs `work`. Returns the result, and the maximum increase in the number of bytes in use.
pub(crate) fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = bytes_in_use();
    PEAK.store(before, Ordering::Relaxed);
    let result = work();
    (result, PEAK.load(Ordering::Relaxed) - before)
}

/// Waits until no other test measures, and returns a guard that makes other tests wait: bytes in use are counted over
/// all threads.
pub(crate) fn measure_alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    // A poisoned lock is used, because a failed test leaves no state behind that would affect other tests.
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

struct CountingAllocator;

fn add(num_bytes: usize) {
    // At the very end of a thread, its counter no longer exists.
    let _ = NUM_ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
    let live = LIVE.fetch_add(num_bytes, Ordering::Relaxed) + num_bytes;
    PEAK.fetch_max(live, Ordering::Relaxed);
}

#[allow(unsafe_code, reason = "an allocator cannot be replaced without")]
// SAFETY: every call is passed to the system's allocator unchanged.
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
        // The old block may exist until the new one is filled.
        add(new_size);
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
