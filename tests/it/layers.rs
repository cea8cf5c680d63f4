//! Tests that dependencies between modules of a crate point down, that DESIGN.md shows the crates, and that one module
//! opens files for writing.
//!
//! Cargo refuses cycles of crates. These tests search the text of the files for paths.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates with several modules, each with its modules, lowest first. A module may use the modules before it in the
/// list.
const LAYERS: [(&str, &[&str]); 4] = [
    (
        "crates/base",
        &[
            "visible",
            "names",
            "notation",
            "hashing",
            "bisection",
            "gaussian",
            "gamma",
            "rng",
            "files",
            "stop",
        ],
    ),
    (
        "crates/play",
        &["arena", "score", "race", "matrix", "session", "family", "matches", "bandits"],
    ),
    ("crates/optimise", &["methods", "exploit", "portfolio"]),
    ("", &["playable", "speed", "cli"]),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the source files of a crate, each with its path below `src` and its code. Comments, files of tests, and
/// modules of tests at the ends of files are left out.
fn sources(name: &str) -> Vec<(PathBuf, String)> {
    let source = root().join(name).join("src");
    let mut found = Vec::new();
    for path in crate::support::paths_below(&source) {
        let inside = path.strip_prefix(&source).expect("below").to_path_buf();
        let is_test = inside.iter().any(|part| part == "tests" || part == "tests.rs");
        if !is_test && path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("text");
            let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let is_code = |line: &&str| !line.trim_start().starts_with("//");
            found.push((inside, code.lines().filter(is_code).collect::<Vec<_>>().join("\n")));
        }
    }
    found
}

/// Returns the names in `code` that follow `prefix`, such as the modules after `crate::`.
fn names_after<'a>(code: &'a str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let starts = code.match_indices(prefix).filter(move |(at, _)| !code[..*at].ends_with(is_name));
    starts.map(move |(at, _)| {
        let rest = &code[at + prefix.len()..];
        &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())]
    })
}

#[test]
fn modules_use_lower_modules_only() {
    for (name, layers) in LAYERS {
        let height = |module: &str| layers.iter().position(|layer| *layer == module);
        let mut missing: BTreeSet<&str> = layers.iter().copied().collect();
        for (path, code) in sources(name) {
            let module = path.iter().next().expect("a name").to_string_lossy();
            let module = module.trim_end_matches(".rs");
            if ["lib", "main"].contains(&module) {
                continue;
            }
            let own = height(module).unwrap_or_else(|| panic!("`{name}/{module}` has no layer"));
            missing.remove(module);
            // `super` is the root of the crate only in the main file of a module.
            let is_main = path.iter().count() == 1 || path.ends_with(format!("{module}/mod.rs"));
            let above = names_after(&code, "super::").filter(|_| is_main);
            for other in names_after(&code, "crate::").chain(above) {
                assert!(!other.is_empty(), "{name}: {}: write one path per import", path.display());
                assert!(height(other) <= Some(own), "{name}: {}: `{other}`", path.display());
            }
        }
        assert!(missing.is_empty(), "`{name}` has no modules {missing:?}");
    }
}

/// Arrows between files that close circles, and that stay, each with its crate. Two types that name each other stand in
/// two files because one file would be too long.
const CLOSING: [(&str, &str, &str); 8] = [
    // A rule file keeps tables for later games, and its views show it.
    ("games", "::rule_file", "::rule_file::table"),
    ("games", "::rule_file", "::rule_file::view"),
    // A family prepares players, and a prepared player names its family.
    ("strategies", "::player", "::family"),
    // The planner has its beliefs and its playouts in files of their own.
    ("strategies", "::planner::belief", "::planner"),
    ("strategies", "::planner::playout", "::planner"),
    // A family may be a set of families.
    ("crates/play", "::family::capabilities", "::family::set"),
    // A plan holds the study of its kind, and a kind of experiment is one file, which also carries plans out.
    ("crates/lab", "::plan", "::kinds"),
    // What is shown of most kinds of experiments is shown of comparisons.
    ("crates/report", "::shown", "::shown::comparison"),
];

/// Returns the paths in a tree of imports, such as `a::{b, c::d}`, at the beginning of a text.
fn tree(text: &str) -> Vec<String> {
    let end = text.find(|c: char| !c.is_alphanumeric() && !"_:".contains(c)).unwrap_or(text.len());
    let (path, rest) = text.split_at(end);
    let (mut paths, mut depth, mut start) = (Vec::new(), 0, 1);
    for (at, c) in rest.char_indices().take_while(|_| rest.starts_with('{')) {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth == i32::from(c == ',') && c != '{' {
            paths.extend(tree(rest[start..at].trim()).iter().map(|inner| format!("{path}{inner}")));
            start = at + 1;
        }
        if depth == 0 {
            return paths;
        }
    }
    vec![path.into()]
}

/// Returns the arrows between the files of a crate. An arrow leads to the file that defines a name, not to a file that
/// re-exports it. The paths of modules begin with `::`.
fn arrows(sources: &[(PathBuf, String)]) -> BTreeSet<(String, String)> {
    let module = |path: &Path| {
        let parts = path.with_extension("");
        let parts = parts.iter().map(|part| part.to_string_lossy().into_owned());
        let inner = parts.filter(|part| !["mod", "lib"].contains(&part.as_str()));
        inner.map(|part| format!("::{part}")).collect::<String>()
    };
    let modules: BTreeSet<String> = sources.iter().map(|(path, _)| module(path)).collect();
    let (mut origins, mut uses) = (BTreeMap::new(), Vec::new());
    for (path, code) in sources {
        let own = module(path);
        let parent = own.rsplit_once("::").unwrap_or_default().0;
        let is_body = |part: &&str| !part.contains("use ") && !part.contains("mod ");
        let body: String = code.split_inclusive(';').filter(is_body).collect();
        let children = modules.iter().filter_map(|m| Some((m.strip_prefix(&own)?, m.as_str())));
        let children = children.filter(|(child, _)| child.rfind("::") == Some(0));
        let roots = [("::crate", ""), ("::super", parent), ("::self", own.as_str())];
        for (root, base) in children.chain(roots) {
            let root = &root[2..];
            let prefix = format!("{root}::");
            for (at, _) in code.match_indices(&prefix) {
                let line = code[..at].rsplit('\n').next().unwrap_or_default();
                if line.ends_with(|c: char| c.is_alphanumeric() || "_:".contains(c)) {
                    continue;
                }
                for path in tree(&code[at..]).iter().filter(|path| !path.ends_with(':')) {
                    let (mut base, mut inner) = (base, &path[prefix.len()..]);
                    while let Some(rest) = inner.strip_prefix("super::") {
                        (base, inner) = (base.rsplit_once("::").unwrap_or_default().0, rest);
                    }
                    let whole = format!("{base}::{}", inner.trim_end_matches("::self"));
                    let name = whole.rsplit("::").next().unwrap_or_default();
                    let mut words = body.split(|c: char| !c.is_alphanumeric() && c != '_');
                    let is_import = line.ends_with("use ");
                    if is_import && format!("{own}::{name}") != whole {
                        origins.insert(format!("{own}::{name}"), whole.clone());
                    }
                    if !line.trim_start().starts_with("pub") || words.any(|word| word == name) {
                        uses.push((own.clone(), whole));
                    }
                }
            }
        }
    }
    let prefixes = |path: &str| {
        let ends = path.match_indices("::").map(|(at, _)| at).skip(1).chain([path.len()]);
        ends.map(|end| path[..end].to_string()).collect::<Vec<_>>()
    };
    let to_file = |(from, mut path): (String, String)| {
        for _ in 0..9 {
            let known = prefixes(&path).into_iter().find(|prefix| origins.contains_key(prefix));
            let Some(prefix) = known else { break };
            path = format!("{}{}", origins[&prefix], &path[prefix.len()..]);
        }
        let file = prefixes(&path).into_iter().rev().find(|prefix| modules.contains(prefix));
        (from, file.unwrap_or_default())
    };
    uses.into_iter().map(to_file).filter(|(from, to)| from != to).collect()
}

#[test]
fn files_do_not_use_each_other_in_circles() {
    for name in members().into_iter().chain(["python".to_string()]) {
        let mut arrows = arrows(&sources(&name));
        for (_, from, to) in CLOSING.iter().filter(|(of, ..)| *of == name) {
            assert!(
                arrows.remove(&(from.to_string(), to.to_string())),
                "{name}: no `{from} -> {to}`"
            );
        }
        // Files on no circle are removed from the bottom and from the top.
        let mut before = usize::MAX;
        while arrows.len() < before {
            before = arrows.len();
            let (above, below): (BTreeSet<_>, BTreeSet<_>) = arrows.iter().cloned().unzip();
            arrows.retain(|(from, to)| above.contains(to) && below.contains(from));
        }
        assert!(arrows.is_empty(), "`{name}` has a circle of files: {arrows:#?}");
    }
}

/// Only the module `files` of `ruse-base` opens files for writing. It does not follow links, and replaces only files of
/// the same kind.
#[test]
fn files_are_opened_for_writing_in_one_place() {
    let ways = ["File::create", "File::options", "OpenOptions", "fs::write", "generate_to"];
    for name in members().iter().map(String::as_str).chain(["python"]) {
        for (path, code) in sources(name) {
            let is_files = name == "crates/base" && path.starts_with("files");
            let found = ways.iter().find(|way| !is_files && code.contains(*way));
            assert!(found.is_none(), "{name}: {} has `{}`", path.display(), found.unwrap_or(&""));
        }
    }
}

/// The crates `ruse-lab` and `ruse-report` have one table of the kinds of experiments each. Commands ask the tables.
#[test]
fn commands_name_no_kind_of_experiment() {
    for (path, code) in sources("").iter().filter(|(path, _)| path.starts_with("cli")) {
        for table in ["Study::", "PlanSpec::"] {
            let kind = names_after(code, table).next();
            assert!(kind.is_none(), "{} names `{table}{}`", path.display(), kind.unwrap_or(""));
        }
    }
}

/// Returns the directories of the crates of the workspace.
fn members() -> Vec<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("a manifest");
    let line = manifest.lines().find_map(|line| line.strip_prefix("members = "));
    serde_json::from_str(line.expect("members")).expect("a list")
}

/// A crate of the workspace, as its manifest describes it.
struct Package {
    name: String,
    description: String,
    /// The other crates of the workspace that it uses.
    known: BTreeSet<String>,
}

impl Package {
    fn read(directory: &Path) -> Package {
        let text = fs::read_to_string(directory.join("Cargo.toml")).expect("a manifest");
        let (_, package) = text.split_once("[package]").expect("a package");
        let value = |key: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(key));
            line.expect("a name and a description").trim_matches('"').to_string()
        };
        let (_, dependencies) = package.split_once("\n[dependencies]").unwrap_or_default();
        let dependencies = dependencies.split("\n[").next().unwrap_or_default().lines();
        let names = dependencies.filter_map(|line| line.split(['.', ' ']).next());
        let known = names.filter(|name| name.starts_with("ruse")).map(String::from).collect();
        Package { name: value("name = "), description: value("description = "), known }
    }

    /// Returns the number of crates in the longest chain of dependencies below this crate.
    fn height(&self, packages: &BTreeMap<String, Package>) -> usize {
        let below = self.known.iter().map(|name| packages[name].height(packages) + 1);
        below.max().unwrap_or(0)
    }

    fn leads_to(&self, name: &str, packages: &BTreeMap<String, Package>) -> bool {
        self.known.iter().any(|next| next == name || packages[next].leads_to(name, packages))
    }
}

/// Draws the table of the crates, the highest first. The last column lists the dependencies of a crate; a dependency is
/// in brackets if another dependency already uses it.
fn drawing() -> String {
    let read = |name: String| Package::read(&root().join(name));
    let packages = members().into_iter().map(read).map(|package| (package.name.clone(), package));
    let packages: BTreeMap<String, Package> = packages.collect();
    let mut floors: Vec<(usize, &Package)> =
        packages.values().map(|package| (package.height(&packages), package)).collect();
    floors.sort_by(|(a, one), (b, other)| b.cmp(a).then(one.name.cmp(&other.name)));
    let mut text = "| floor | crate | contents | uses |\n|---|---|---|---|\n".to_string();
    for (floor, Package { name, description, known }) in floors {
        let is_used = |name: &&String| known.iter().any(|k| packages[k].leads_to(name, &packages));
        let (others, direct): (Vec<&String>, Vec<&String>) = known.iter().partition(is_used);
        let list = |names: &[&String]| {
            let short = names.iter().map(|name| name.trim_start_matches("ruse-"));
            short.collect::<Vec<_>>().join(", ")
        };
        let mut uses = list(&direct);
        if !others.is_empty() {
            uses += &format!(" ({})", list(&others));
        }
        text += &format!("| {floor} | `{name}` | {description} | {uses} |\n");
    }
    text
}

/// `CRATES=overwrite cargo test --test it crates` writes the table into DESIGN.md.
#[test]
fn design_shows_the_crates() {
    const BEGIN: &str = "<!-- crates -->\n\n";
    const END: &str = "\n<!-- end of crates -->";
    let path = root().join("DESIGN.md");
    let text = fs::read_to_string(&path).expect("the design");
    let (before, rest) = text.split_once(BEGIN).expect("the beginning of the table");
    let (table, after) = rest.split_once(END).expect("the end of the table");
    let expected = drawing();
    if std::env::var_os("CRATES").is_some_and(|value| value == "overwrite") {
        fs::write(path, format!("{before}{BEGIN}{expected}{END}{after}")).expect("writable");
    } else {
        assert_eq!(table, expected, "write it with CRATES=overwrite cargo test --test it crates");
    }
}
