//! Tests that all packages, both the crates and the wheel, contain the licence texts.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The directories of the packages of cargo and maturin, each with its own copy of the licence texts.
const PACKED: [&str; 13] = [
    "crates/families",
    "crates/lab",
    "crates/optimise",
    "crates/play",
    "crates/report",
    "crates/search",
    "apps/uci",
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
    // Lines of licence texts may also begin with a dash, but other words follow there.
    let is_package = |line: &&str| {
        let version = line.split_once(' ').map(|(_, version)| version);
        version.is_some_and(|version| {
            version.starts_with(|first: char| first.is_ascii_digit()) && !version.contains(' ')
        })
    };
    let listed: BTreeSet<String> = listed.filter(is_package).map(str::to_string).collect();
    assert_eq!(listed, locked(&read("python/Cargo.lock")), "write it with .ci/licences");
}
