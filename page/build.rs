//! Makes the stack in a browser as large as a program's, because the parsers of nested text are recursive.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo::rustc-link-arg=-zstack-size=8388608");
    }
}
