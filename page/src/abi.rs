//! What a page calls: three functions, and two texts that belong to this side.
//!
//! A caller asks for room for a text, writes the text there, and lets it be answered; the answer is where [`ruse_answer`] says.

use std::cell::RefCell;

use crate::Desk;

thread_local! {
    static DESK: RefCell<Option<Desk>> = const { RefCell::new(None) };
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Room for a question of so many bytes. It stays there until the next call.
#[allow(unsafe_code, reason = "the name of a function that is called from outside is not mangled")]
#[unsafe(no_mangle)]
pub extern "C" fn ruse_room(num_bytes: usize) -> *mut u8 {
    QUESTION.with_borrow_mut(|question| {
        question.clear();
        question.resize(num_bytes, 0);
        question.as_mut_ptr()
    })
}

/// Answers the question, and says how many bytes the answer has.
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

/// Where the answer is. It stays there until the next call.
#[allow(unsafe_code, reason = "the name of a function that is called from outside is not mangled")]
#[unsafe(no_mangle)]
pub extern "C" fn ruse_answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// How many bytes the answer has, after a call that did not return.
#[allow(unsafe_code, reason = "the name of a function that is called from outside is not mangled")]
#[unsafe(no_mangle)]
pub extern "C" fn ruse_answer_bytes() -> usize {
    ANSWER.with_borrow(Vec::len)
}

/// In a browser a panic ends the program and prints nothing: what it says is left as the answer.
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
