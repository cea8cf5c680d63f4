//! Tests that the data of a release, such as its version and the address of the repository, are the same in all files.
//! `.ci/release` writes these data, and the workflow `release` uploads the release.

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the values of `KEY = "VALUE"` and of `KEY: VALUE` in a file.
fn values<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let of_line = |line: &'a str| {
        let (_, rest) = line.split_once(key)?;
        let quoted = rest.strip_prefix(" = \"").and_then(|rest| rest.split('"').next());
        quoted.or_else(|| rest.strip_prefix(": "))
    };
    text.lines().filter_map(of_line).collect()
}

#[test]
fn all_files_have_the_version() {
    let version = env!("CARGO_PKG_VERSION");
    let manifest = read("Cargo.toml");
    let inner = manifest.lines().filter(|line| line.starts_with("ruse-") && line.contains("path"));
    let inner: Vec<&str> = inner.flat_map(|line| values(line, "version")).collect();
    assert!(!inner.is_empty() && inner.iter().all(|other| *other == version), "{inner:?}");
    assert_eq!(values(&manifest, "version")[0], version);
    let python = read("python/Cargo.toml");
    assert_eq!(values(&python, "version")[0], version);
    let citation = read("CITATION.cff");
    assert!(citation.lines().any(|line| line == format!("version: {version}")));
    let changes = read("CHANGELOG.md");
    let mut versions = changes.lines().filter(|line| line.starts_with("## "));
    let first = versions.find(|line| *line != "## Unreleased").expect("a version");
    let (newest, when) = first["## ".len()..].split_once(", ").expect("a version and a date");
    assert_eq!(newest, version);
    assert!(when == "unreleased" || when.split('-').count() == 3, "{when}");
    // A released version has a date.
    assert_eq!(when == "unreleased", !citation.contains("date-released:"), "{when}");
}

#[test]
fn all_files_have_the_repository() {
    let repository = env!("CARGO_PKG_REPOSITORY");
    let owner = repository.split('/').nth(3).expect("an owner");
    for file in [
        "Cargo.toml",
        "CITATION.cff",
        "python/pyproject.toml",
        "python/README.md",
        "packaging/ruse.rb",
        ".github/ISSUE_TEMPLATE/config.yml",
    ] {
        let text = read(file);
        let mut num = 0;
        for (before, after) in [("https://github.com/", "/ruse"), ("https://", ".github.io/ruse")] {
            for rest in text.split(before).skip(1) {
                // The address may belong to the repository of another project.
                let Some((name, _)) = rest.split_once(after) else { continue };
                if name.contains(['/', ' ', '\n']) {
                    continue;
                }
                assert_eq!(name, owner, "{file}");
                num += 1;
            }
        }
        assert!(num > 0, "{file} names no repository");
    }
}

/// The package index shows the README of the package outside the repository, so its links must be absolute.
#[test]
fn links_of_the_package_are_absolute() {
    let text = read("python/README.md");
    let targets: Vec<&str> =
        text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(!targets.is_empty());
    for target in targets {
        assert!(target.starts_with("https://"), "python/README.md: {target}");
    }
}

/// Each crate is published after the crates that it depends on.
#[test]
fn crates_are_published_in_order() {
    let script = read(".ci/release");
    let (_, crates) = script.split_once("\ncrates=(").expect("a list of crates");
    let crates: Vec<&str> = crates.split(')').next().expect("its end").split_whitespace().collect();
    let manifest = read("Cargo.toml");
    let members = manifest.lines().find_map(|line| line.strip_prefix("members = ["));
    let members = members.expect("a workspace").trim_end_matches(']').split(", ");
    let mut num_published = 0;
    for member in members {
        let manifest = read(&format!("{}/Cargo.toml", member.trim_matches('"')));
        let (_, package) = manifest.split_once("[package]").expect("a package");
        if package.contains("publish = false") {
            continue;
        }
        num_published += 1;
        let name = values(package, "name")[0];
        let place = crates.iter().position(|known| *known == name);
        let place = place.unwrap_or_else(|| panic!("{name} is not in .ci/release"));
        let (_, needed) = package.split_once("[dependencies]").unwrap_or_default();
        let needed = needed.split("\n[").next().unwrap_or_default().lines();
        for line in needed.filter(|line| line.starts_with("ruse-")) {
            let needed = line.split(['.', ' ']).next().unwrap_or_default();
            let before = crates.iter().position(|known| *known == needed);
            assert!(before.is_some_and(|before| before < place), "{name} needs {needed}");
        }
        for key in ["repository", "homepage"] {
            assert!(package.contains(&format!("{key}.workspace = true")), "{name}: {key}");
        }
    }
    assert_eq!(num_published, crates.len());
}
