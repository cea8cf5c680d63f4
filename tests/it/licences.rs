//! Tests of licence texts: all packages contain them, both the crates and the wheel.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The packages of cargo and maturin, each with its own licence text.
const PACKED: [&str; 12] = [
    "crates/families",
    "crates/lab",
    "crates/optimise",
    "crates/play",
    "crates/report",
    "crates/search",
    "games",
    "games/gdl",
    "strategies",
    "plots",
    "plots/picture",
    "python/licenses",
];

fn read(path: impl AsRef<Path>) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn all_that_is_packed_has_the_licences() {
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        for packed in PACKED {
            assert_eq!(read(Path::new(packed).join(name)), read(name), "{packed}/{name}");
        }
    }
}

/// Returns the external packages of a lock file, such as `serde 1.0.229`.
fn locked(lock: &str) -> BTreeSet<String> {
    let packages = lock.split("[[package]]").filter(|package| package.contains("\nsource = "));
    let value = |package: &str, key: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(key));
        line.expect("packages have names and versions").trim_matches('"').to_string()
    };
    packages
        .map(|package| format!("{} {}", value(package, "name = "), value(package, "version = ")))
        .collect()
}

/// The list in the wheel names the packages that are linked into it. `.ci/licences` writes the list.
#[test]
fn the_wheel_names_the_licences_of_all_packages() {
    let text = read("python/THIRD-PARTY.md");
    let listed = text.lines().filter_map(|line| line.strip_prefix("- "));
    // Dashes within licence texts are followed by other words.
    let is_package = |line: &&str| {
        let version = line.split_once(' ').map(|(_, version)| version);
        version.is_some_and(|version| {
            version.starts_with(|first: char| first.is_ascii_digit()) && !version.contains(' ')
        })
    };
    let listed: BTreeSet<String> = listed.filter(is_package).map(str::to_string).collect();
    assert_eq!(listed, locked(&read("python/Cargo.lock")), "write it with .ci/licences");
}
