//! Playouts allocate nothing after the first. A program of its own, because all of it has an
//! allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_gdl::{AtCap, DEFAULT_STEPS, Limits, Playouts, RULE_FILES, Rules};

thread_local! {
    /// Of each thread its own: the test harness allocates now and then.
    static NUM_ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    // At the very end of a thread there is nothing to count any more.
    let _ = NUM_ALLOCATIONS.try_with(|number| number.set(number.get() + 1));
}

#[allow(unsafe_code, reason = "an allocator cannot be replaced without")]
// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
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
static ALLOCATOR: Counting = Counting;

#[test]
fn playouts_allocate_nothing_after_the_first() {
    for file in RULE_FILES {
        let rules = Rules::from_text(file.text, &Limits::default()).expect("the rules are right");
        let mut playouts = Playouts::new(&rules, DEFAULT_STEPS, AtCap::Error);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        playouts.play(rules.start(), &mut rng).expect("the game ends");
        let before = NUM_ALLOCATIONS.get();
        for _ in 0..200 {
            playouts.play(rules.start(), &mut rng).expect("the game ends");
        }
        assert_eq!(NUM_ALLOCATIONS.get(), before, "{}", file.name);
    }
}
