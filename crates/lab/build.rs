//! Records the commit and the compiler, for the provenance of results. Neither influences a result.

use std::path::Path;
use std::process::Command;

/// The sources that determine results. Other sources only show results: a change to these neither marks the commit nor
/// rebuilds this crate.
const SOURCES: &str = "\
    Cargo.lock crates/base crates/csp crates/families crates/lab crates/optimise crates/play crates/programs \
    crates/registry crates/search experiments/strategies games/gdl/rules games/gdl/src games/rts/src \
    games/src strategies/rts/src strategies/rules/src strategies/src";

fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().next()?.trim();
    (output.status.success() && !line.is_empty()).then(|| line.to_string())
}

/// Returns the name of the commit, marked as dirty if a file in `SOURCES` was changed since.
fn commit() -> Option<String> {
    let commit = first_line("git", &["describe", "--always", "--abbrev=12"])?;
    let sources = SOURCES.split(' ').map(|source| format!(":/{source}"));
    let mut comparison = Command::new("git");
    let comparison = comparison.args(["diff", "--quiet", "HEAD", "--"]).args(sources);
    let is_changed = !comparison.status().ok()?.success();
    Some(if is_changed { format!("{commit}-dirty") } else { commit })
}

fn main() {
    let compiler = first_line(&std::env::var("RUSTC").unwrap_or("rustc".into()), &["--version"]);
    println!("cargo::rustc-env=RUSE_COMMIT={}", commit().as_deref().unwrap_or("unknown"));
    println!("cargo::rustc-env=RUSE_COMPILER={}", compiler.as_deref().unwrap_or("unknown"));
    println!("cargo::rerun-if-changed=build.rs");
    // If this crate comes from a registry, these paths do not exist, and the sources do not change.
    for source in SOURCES.split(' ').map(|source| format!("../../{source}")) {
        if Path::new(&source).exists() {
            println!("cargo::rerun-if-changed={source}");
        }
    }
    // The log changes with every commit, but HEAD itself changes only when the branch does.
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = first_line("git", &["rev-parse", "--git-path", name]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}
