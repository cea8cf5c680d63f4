//! Games allocate nothing: a block of pairs makes as many allocations as one pair.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use ruse::arena::PairResult;
use ruse::family::ContestantSpec;
use ruse::registry::Registry;
use ruse::rng::StreamKey;

struct CountingAllocator;

thread_local! {
    /// Of each thread its own: the test harness allocates now and then.
    static NUM_ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // At the very end of a thread there is nothing to count any more.
    let _ = NUM_ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

#[allow(unsafe_code, reason = "an allocator cannot be replaced without")]
// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn games_do_not_allocate() {
    for family in Registry::standard().families() {
        let dimension = family.space().dimension();
        let mut contestants =
            vec![ContestantSpec::Redrawn, ContestantSpec::Parameters(vec![0.25; dimension])];
        contestants.push(ContestantSpec::Mixture(vec![
            (1.0, vec![0.25; dimension].into()),
            (2.0, vec![-0.5; dimension].into()),
        ]));
        let references = family.references().into_iter();
        contestants.extend(references.map(|r| ContestantSpec::Reference(r.name.into())));
        for a in &contestants {
            for b in &contestants {
                let matchup = family.matchup(a, b).expect("contestants of the family");
                let mut results = [PairResult::default(); 50];
                let mut num_allocations = |num_pairs: usize| {
                    let before = NUM_ALLOCATIONS.get();
                    matchup.play(StreamKey::root(1), 0, &mut results[..num_pairs]);
                    NUM_ALLOCATIONS.get() - before
                };
                // Optimal play may be worked out when it is first asked for.
                num_allocations(1);
                let (one, many) = (num_allocations(1), num_allocations(50));
                assert_eq!(one, many, "{}: {a:?} against {b:?}", family.name());
            }
        }
    }
}
