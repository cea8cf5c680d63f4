//! Records the commit and the compiler, for the provenance of results. Neither influences a result.

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
    for sources in ["src", "games/src", "strategies/src", "plots/src"] {
        println!("cargo::rerun-if-changed={sources}");
    }
    // The log changes with every commit; HEAD itself only changes with the branch.
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = first_line("git", &["rev-parse", "--git-path", name]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}
