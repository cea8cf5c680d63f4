//! Notes the commit and the compiler, for the provenance of results. Neither influences a result.

use std::process::Command;

fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().next()?.trim();
    (output.status.success() && !line.is_empty()).then(|| line.to_string())
}

fn main() {
    let commit = first_line("git", &["describe", "--always", "--dirty", "--abbrev=12"]);
    let compiler = first_line(&std::env::var("RUSTC").unwrap_or("rustc".into()), &["--version"]);
    println!("cargo::rustc-env=RUSE_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
    println!("cargo::rustc-env=RUSE_COMPILER={}", compiler.as_deref().unwrap_or("unknown"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    if let Some(head) = first_line("git", &["rev-parse", "--git-path", "HEAD"]) {
        println!("cargo::rerun-if-changed={head}");
    }
}
