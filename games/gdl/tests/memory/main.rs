//! Tests that only the first playout allocates, and that parsing stays within the memory limit. The tests are a
//! separate program, because their counting allocator is global.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_gdl::{AtCap, DEFAULT_STEPS, LimitName, Limits, Playouts, Problem, RULE_FILES, Rules};

thread_local! {
    /// The number of allocations of this thread; other threads are left out, because the test harness allocates now and
    /// then.
    static NUM_ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    /// The bytes that this thread has in use, and their maximum so far.
    static BYTES: Cell<(i64, i64)> = const { Cell::new((0, 0)) };
}

struct Counting;

fn count(num_allocations: u64, bytes: i64) {
    // While a thread is shutting down, its counter is gone.
    let _ = NUM_ALLOCATIONS.try_with(|number| number.set(number.get() + num_allocations));
    let _ = BYTES.try_with(|in_use| {
        let (now, most) = in_use.get();
        in_use.set((now + bytes, most.max(now + bytes)));
    });
}

#[allow(unsafe_code, reason = "an allocator cannot be replaced without")]
// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as i64);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, -(layout.size() as i64));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(1, new_size as i64 - layout.size() as i64);
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

/// Each rule, atom, word or list in these texts has only a few bytes. Without the limit, each text would take many
/// times the allowed memory.
#[test]
fn reading_stops_at_the_limit_on_memory() {
    const MEMORY: u64 = 8 << 20;
    let numbered = |make: &dyn Fn(usize) -> String| (0..200_000).map(make).collect::<String>();
    let nested = format!("(q {})", "(q)".repeat(1_000_000));
    let texts = [
        "(q)".repeat(1_000_000),
        "q ".repeat(1_000_000),
        "(<= q)".repeat(500_000),
        "(<= q p)".repeat(500_000),
        "(<= q (p (f ?x)))".repeat(200_000),
        numbered(&|n| format!("(i{n} a)")),
        numbered(&|n| format!("(p i{n})")),
        numbered(&|n| format!("(<= q i{n})")),
        numbered(&|n| format!("(<= q (does i{n} m))")),
        format!("(<= q {})", "(or a b)".repeat(9)).repeat(100),
        nested,
        format!("(<= {})", "q ".repeat(1_000_000)),
    ];
    let mut limits = Limits::default();
    limits.text_bytes = 1 << 30;
    limits.memory = MEMORY;
    for text in &texts {
        let shown = &text[..20];
        let (before, _) = BYTES.get();
        BYTES.set((before, before));
        let error = Rules::from_text(text, &limits).expect_err("a text that takes more");
        let is_memory = matches!(error.problem(), Problem::Limit { name: LimitName::Memory, .. });
        assert!(is_memory, "{shown}: {error}");
        assert!(error.report("x.kif").len() < 1_000, "{shown}");
        let most = (BYTES.get().1 - before) as u64;
        assert!(most <= MEMORY, "{shown}: {most} bytes");
        // The parser's estimate is not far too high, either.
        assert!(most >= MEMORY / 8, "{shown}: {most} bytes");
    }
}
