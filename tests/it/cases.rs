//! A table of tests.

/// Defines tests that call a function with different arguments; long tests follow after `@long`.
macro_rules! tests {
    (
        $($(#[$note:meta])* fn $name:ident() = $call:expr;)*
        $(@long $($(#[$long_note:meta])* fn $long:ident() = $long_call:expr;)*)?
    ) => {
        $($(#[$note])* #[test] fn $name() { $call; })*
        $($($(#[$long_note])* #[test] #[ignore = "long"] fn $long() { $long_call; })*)?
    };
}
