//! The functions that a page calls. The module owns the buffers for question and answer.
//!
//! A caller requests a buffer with [`ruse_room`], writes the question into it, and calls [`ruse_call`]. Then
//! [`ruse_answer`] returns the address of the answer.

use std::cell::RefCell;

use crate::Desk;

thread_local! {
    static DESK: RefCell<Option<Desk>> = const { RefCell::new(None) };
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Returns a buffer for a question of `num_bytes` bytes, valid until the next call.
#[allow(unsafe_code, reason = "the name of a function that is called from outside is not mangled")]
#[unsafe(no_mangle)]
pub extern "C" fn ruse_room(num_bytes: usize) -> *mut u8 {
    QUESTION.with_borrow_mut(|question| {
        question.clear();
        question.resize(num_bytes, 0);
        question.as_mut_ptr()
    })
}

/// Answers the question in the buffer, and returns the length of the answer in bytes.
#[allow(unsafe_code, reason = "the name of a function that is called from outside is not mangled")]
#[unsafe(no_mangle)]
pub extern "C" fn ruse_call() -> usize {
    let question = QUESTION.take();
    let answer = DESK.with_borrow_mut(|desk| {
        let desk = desk.get_or_insert_with(|| {
            remember_panics();
            Desk::new()
        });
        desk.answer(&String::from_utf8_lossy(&question))
    });
    ANSWER.with_borrow_mut(|kept| {
        *kept = answer.into_bytes();
        kept.len()
    })
}

/// Returns the address of the answer, valid until the next call.
#[allow(unsafe_code, reason = "the name of a function that is called from outside is not mangled")]
#[unsafe(no_mangle)]
pub extern "C" fn ruse_answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// Returns the length of the answer in bytes, even after a panic, when [`ruse_call`] does not return.
#[allow(unsafe_code, reason = "the name of a function that is called from outside is not mangled")]
#[unsafe(no_mangle)]
pub extern "C" fn ruse_answer_bytes() -> usize {
    ANSWER.with_borrow(Vec::len)
}

/// Sets a panic hook that stores the message as the answer. Otherwise, a panic in a browser would end the program
/// without a message.
fn remember_panics() {
    if cfg!(target_family = "wasm") {
        std::panic::set_hook(Box::new(|panic| {
            ANSWER.with(|answer| {
                if let Ok(mut answer) = answer.try_borrow_mut() {
                    *answer = panic.to_string().into_bytes();
                }
            });
        }));
    }
}
