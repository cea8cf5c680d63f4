//! Tests that dependencies point down: a module uses only lower modules of its crate, and a crate uses only lower
//! crates.
//!
//! The compiler enforces the order of the crates; these tests enforce the order of the modules in a crate. They search
//! the text of every file for paths that begin with `crate`, `super` or the name of a crate. They ignore code that is
//! compiled only for tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates with several modules, each with its modules, lowest first. A module may use the modules before it in the
/// list.
const LAYERS: [(&str, &[&str]); 3] = [
    (
        "crates/play",
        &[
            "visible", "names", "notation", "rng", "files", "arena", "programs", "score", "race",
            "matrix", "session", "family", "bandits", "ggp",
        ],
    ),
    ("crates/optimise", &["methods", "registry", "exploit", "portfolio"]),
    ("", &["playable", "speed", "cli"]),
];

/// The crates, lowest first, each with the crates that its code may use. The crate in the root directory is `ruse`.
const CRATES: [(&str, &[&str]); 14] = [
    ("games/gdl", &[]),
    ("games", &["ruse_gdl"]),
    ("plots/picture", &[]),
    ("plots", &["ruse_picture"]),
    ("crates/search", &["ruse_gdl", "ruse_games"]),
    ("strategies", &["ruse_gdl", "ruse_games", "ruse_picture", "ruse_search"]),
    ("crates/play", &["ruse_games", "ruse_search", "ruse_strategies"]),
    ("crates/families", &["ruse_gdl", "ruse_games", "ruse_strategies", "ruse_play"]),
    (
        "crates/optimise",
        &["ruse_gdl", "ruse_games", "ruse_strategies", "ruse_play", "ruse_families"],
    ),
    ("crates/lab", &["ruse_games", "ruse_search", "ruse_strategies", "ruse_play", "ruse_optimise"]),
    (
        "crates/report",
        &["ruse_games", "ruse_strategies", "ruse_play", "ruse_optimise", "ruse_lab", "ruse_plots"],
    ),
    (
        "",
        &[
            "ruse",
            "ruse_gdl",
            "ruse_games",
            "ruse_search",
            "ruse_strategies",
            "ruse_play",
            "ruse_optimise",
            "ruse_lab",
            "ruse_report",
            "ruse_plots",
        ],
    ),
    ("page", &["ruse", "ruse_gdl", "ruse_games"]),
    ("apps/uci", &[]),
];

/// The known cycles of files that use each other, by crate. No cycles may be added to the list.
const CIRCLES: [(&str, &[&[&str]]); 15] = [
    ("games/gdl", &[]),
    (
        "games",
        &[&[
            "rule_file::course",
            "rule_file::table",
            "rule_file::view",
            "rule_file::walk",
            "rule_file",
        ]],
    ),
    ("crates/search", &[&["csp::encode::builder", "csp::encode::encoding", "csp::encode::scheme"]]),
    (
        "strategies",
        &[
            &["battleship::picture", "battleship::priors", "battleship"],
            &["cheat::picture", "cheat::words", "cheat"],
            &["family", "player"],
            &["flip::picture", "flip::words", "flip"],
            &["four_in_a_row::picture", "four_in_a_row"],
            &["guess_who::exact", "guess_who::picture", "guess_who"],
            &["morra::picture", "morra"],
            &["nim::picture", "nim"],
            &["phantom_four::picture", "phantom_four::response", "phantom_four"],
            &[
                "phantom_tic_tac_toe::picture",
                "phantom_tic_tac_toe::response",
                "phantom_tic_tac_toe",
            ],
            &["pig::picture", "pig"],
            &["rule_file::family", "rule_file::searching"],
        ],
    ),
    ("plots/picture", &[]),
    ("plots", &[&["canvas", "style"], &["picture::bars", "picture::lines", "picture"]]),
    (
        "python",
        &[&[
            "arrow",
            "environment",
            "experiment",
            "family",
            "function",
            "lib",
            "race",
            "search",
            "shares",
            "table",
            "work",
        ]],
    ),
    ("page", &[]),
    ("crates/play", &[]),
    ("crates/families", &[]),
    (
        "crates/optimise",
        &[
            &[
                "methods::distribution",
                "methods::distribution::parameters",
                "methods::distribution::saved",
                "methods::distribution::shape",
            ],
            &["methods::driver", "methods::referee"],
        ],
    ),
    (
        "crates/lab",
        &[
            &["language::comparison", "plan", "seed_study::spec"],
            &["language::method", "language::run"],
        ],
    ),
    ("crates/report", &[]),
    ("apps/uci", &[]),
    (
        "",
        &[
            &["cli::completions", "cli::man", "cli"],
            &["cli::portfolio::online", "cli::portfolio::seeds", "cli::portfolio"],
            &["cli::report", "cli::report::ablation"],
        ],
    ),
];

/// A source file, with its module path in the crate and its code.
struct File {
    path: PathBuf,
    module: Vec<String>,
    code: String,
}

/// Returns the code of a file. Comments, test code, and the paths in `pub(in ...)` are left out.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| match line.find("//") {
        Some(start) if !line[..start].contains('"') => &line[..start],
        _ => line,
    });
    let mut code: String = lines.collect::<Vec<_>>().join("\n");
    while let Some(start) = code.find("#[cfg(test)]") {
        let end = start + end_of_item(&code[start..]);
        code.replace_range(start..end, "");
    }
    while let Some(start) = code.find("pub(in ") {
        let end = code[start..].find(')').map_or(code.len(), |length| start + length + 1);
        code.replace_range(start..end, "pub");
    }
    code
}

/// Returns the position at which the first item of a text ends, with a semicolon or a closing brace.
fn end_of_item(text: &str) -> usize {
    let mut depth = 0;
    for (index, char) in text.char_indices() {
        match char {
            '{' => depth += 1,
            ';' if depth == 0 => return index + 1,
            '}' => {
                depth -= 1;
                if depth == 0 && !text[index + 1..].starts_with(';') {
                    return index + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// Returns the files named in `#[cfg(test)] mod name;`, relative to the file that names them.
fn modules_for_tests(text: &str) -> Vec<String> {
    let after = text.split("#[cfg(test)]").skip(1);
    let names = after.filter_map(|rest| {
        let item = rest[..end_of_item(rest)].trim();
        let (_, name) = item.strip_suffix(';')?.split_once("mod ")?;
        Some(name.trim().to_string())
    });
    names.collect()
}

/// Returns the paths in a tree of imports, `a::{b, c::d}`, at the beginning of a text.
fn tree(text: &str) -> Vec<Vec<String>> {
    // In a macro, the crate is called `$crate`.
    let text = text.trim_start().trim_start_matches('$');
    if let Some(inner) = text.strip_prefix('{') {
        let mut paths = Vec::new();
        let (mut depth, mut start) = (0, 0);
        for (index, char) in inner.char_indices() {
            match char {
                '{' => depth += 1,
                ',' | '}' if depth == 0 => {
                    paths.extend(tree(&inner[start..index]).into_iter().filter(|p| !p.is_empty()));
                    start = index + 1;
                    if char == '}' {
                        break;
                    }
                }
                '}' => depth -= 1,
                _ => {}
            }
        }
        return paths;
    }
    let end = text.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() {
        return vec![Vec::new()];
    }
    let paths = match rest.strip_prefix("::") {
        Some(rest) => tree(rest),
        None => vec![Vec::new()],
    };
    let with_name = |mut path: Vec<String>| {
        path.insert(0, name.to_string());
        path
    };
    paths.into_iter().map(with_name).collect()
}

/// Returns the imports in `code`, and the code without the imports. Each import has a flag, which is set if the import
/// is re-exported.
fn imports(mut code: &str) -> (Vec<(&str, bool)>, String) {
    let (mut imports, mut rest) = (Vec::new(), String::new());
    while !code.is_empty() {
        let end = code.find('\n').map_or(code.len(), |end| end + 1);
        let item = code[..end].trim_start();
        let (is_public, item) = match item.strip_prefix("pub") {
            Some(rest) => match rest.strip_prefix('(').and_then(|rest| rest.split_once(") ")) {
                Some((_, rest)) => (true, rest),
                None => (true, rest.trim_start()),
            },
            None => (false, item),
        };
        let Some(tree) = item.strip_prefix("use ") else {
            rest.push_str(&code[..end]);
            code = &code[end..];
            continue;
        };
        let tree = &code[end - tree.len()..];
        let (tree, after) = tree.split_once(';').unwrap_or((tree, ""));
        imports.push((tree, is_public));
        code = after;
    }
    (imports, rest)
}

/// A path in the code of a file that may lead out of the file.
struct Mention {
    path: Vec<String>,
    /// Whether the path is an import, which brings its last name into scope.
    is_imported: bool,
    /// Whether the path only re-exports its last name.
    is_handed_on: bool,
}

fn is_name(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// Returns all paths in `code` that may lead out of its file.
fn mentions(code: &str) -> Vec<Mention> {
    let (imports, rest) = imports(code);
    let declarations: BTreeSet<&str> = rest.lines().filter(|line| line.contains("mod ")).collect();
    let used = rest.lines().filter(|line| !declarations.contains(line));
    let words: BTreeSet<&str> = used.flat_map(|line| line.split(|char| !is_name(char))).collect();
    let mut mentions = Vec::new();
    for (import, is_public) in imports {
        for path in tree(import) {
            let is_used = path.last().is_some_and(|name| words.contains(&**name));
            mentions.push(Mention { path, is_imported: true, is_handed_on: is_public && !is_used });
        }
    }
    let children = declarations.iter().filter_map(|line| {
        let name = line.trim_start().trim_start_matches("pub ").strip_prefix("mod ")?;
        name.strip_suffix(';')
    });
    let roots = ["crate", "super", "self"].into_iter().chain(children);
    let roots = roots.map(|name| format!("{name}::")).chain(["ruse_".to_string()]);
    for root in roots {
        for (index, _) in rest.match_indices(&root) {
            if !rest[..index].ends_with(|char| is_name(char) || char == ':') {
                let paths = tree(&rest[index..]).into_iter();
                let mention = |path| Mention { path, is_imported: false, is_handed_on: false };
                mentions.extend(paths.map(mention));
            }
        }
    }
    mentions
}

/// Returns the path relative to the root of the crate, or `None` if it leads to another crate.
fn absolute(
    path: &[String],
    from: &[String],
    modules: &BTreeSet<Vec<String>>,
) -> Option<Vec<String>> {
    let first = path.first()?;
    if first == "crate" {
        return Some(path[1..].to_vec());
    }
    let ups = path.iter().take_while(|name| *name == "super").count();
    let downs = &path[ups + usize::from(first == "self")..];
    let base = &from[..from.len().saturating_sub(ups)];
    let whole = [base, downs].concat();
    let is_relative = ups > 0 || first == "self";
    let is_child = || modules.contains(&[from, &path[..1]].concat());
    (is_relative || is_child()).then_some(whole)
}

/// Returns the files below a directory, except files that are compiled only for tests.
fn files(directory: &Path) -> Vec<File> {
    let mut files = Vec::new();
    let mut for_tests = BTreeSet::new();
    let mut directories = vec![(directory.to_path_buf(), Vec::new())];
    while let Some((directory, module)) = directories.pop() {
        for entry in fs::read_dir(&directory).expect("it is there") {
            let path = entry.expect("it can be listed").path();
            let name = path.file_stem().expect("named").to_string_lossy().to_string();
            let mut module: Vec<String> = module.clone();
            if path.is_dir() {
                module.push(name);
                directories.push((path, module));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                if !matches!(name.as_str(), "mod" | "lib") {
                    module.push(name);
                }
                let text = fs::read_to_string(&path).expect("it can be read");
                let test_modules = modules_for_tests(&text).into_iter();
                for_tests.extend(test_modules.map(|name| [module.as_slice(), &[name]].concat()));
                files.push(File { path, module, code: code(&text) });
            }
        }
    }
    let is_for_tests =
        |module: &[String]| (1..=module.len()).any(|n| for_tests.contains(&module[..n]));
    files.retain(|file| !is_for_tests(&file.module));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// A dependency of one file on another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Arrow {
    /// The dependent file.
    from: usize,
    /// The file on which the dependent file depends; `None` if that file is in another crate.
    to: Option<usize>,
    /// The path to the item, from the root of the crate.
    path: Vec<String>,
    /// Whether the dependent file only re-exports the item.
    is_handed_on: bool,
}

/// Returns the dependencies of files. Re-exported names are followed to their origin.
fn arrows(files: &[File]) -> Vec<Arrow> {
    let modules: BTreeSet<Vec<String>> = files.iter().map(|file| file.module.clone()).collect();
    let by_module: BTreeMap<&[String], usize> =
        files.iter().enumerate().map(|(index, file)| (file.module.as_slice(), index)).collect();
    let mut arrows = Vec::new();
    let mut imported = BTreeMap::new();
    for (from, file) in files.iter().enumerate() {
        for Mention { path, is_imported, is_handed_on } in mentions(&file.code) {
            let Some(path) = absolute(&path, &file.module, &modules) else { continue };
            if let (true, Some(name)) = (is_imported, path.last()) {
                let name = [file.module.as_slice(), std::slice::from_ref(name)].concat();
                if name != path {
                    imported.insert(name, path.clone());
                }
            }
            arrows.push(Arrow { from, to: None, path, is_handed_on });
        }
    }
    for arrow in &mut arrows {
        let mut path = arrow.path.clone();
        for _ in 0..10 {
            let known = (1..=path.len()).find_map(|n| Some((n, imported.get(&path[..n])?)));
            let Some((n, origin)) = known else { break };
            path = [origin.as_slice(), &path[n..]].concat();
        }
        arrow.to = (0..=path.len()).rev().find_map(|n| by_module.get(&path[..n]).copied());
    }
    arrows
}

/// Describes those dependencies between modules that do not point down.
fn upward(files: &[File], layers: &[&str]) -> Vec<String> {
    let height = |name: &str| layers.iter().position(|layer| *layer == name);
    let mut problems = BTreeSet::new();
    for file in files.iter().filter(|file| !file.module.is_empty() && file.module != ["main"]) {
        if height(&file.module[0]).is_none() {
            problems.insert(format!("`{}` has no layer", file.module[0]));
        }
    }
    for arrow in arrows(files) {
        let (from, name) = (&files[arrow.from], arrow.path.first());
        let (Some(own), Some(other)) = (from.module.first(), name) else { continue };
        if height(other) > height(own) {
            let path = arrow.path.join("::");
            problems.insert(format!("{} knows `{path}`, which is above it", from.path.display()));
        }
    }
    problems.into_iter().collect()
}

/// Returns the cycles among the files of a crate, each with its files in order. The root of the crate is called `lib`.
fn circles(files: &[File]) -> Vec<Vec<String>> {
    let mut known = vec![BTreeSet::new(); files.len()];
    for arrow in arrows(files) {
        let Some(to) = arrow.to else { continue };
        if !arrow.is_handed_on && to != arrow.from {
            known[arrow.from].insert(to);
        }
    }
    let reached_from = |start: usize| {
        let mut reached = BTreeSet::new();
        let mut waiting: Vec<usize> = known[start].iter().copied().collect();
        while let Some(file) = waiting.pop() {
            if reached.insert(file) {
                waiting.extend(&known[file]);
            }
        }
        reached
    };
    let reached: Vec<BTreeSet<usize>> = (0..files.len()).map(reached_from).collect();
    let circle_of = |file: usize| -> Vec<usize> {
        reached[file].iter().copied().filter(|&other| reached[other].contains(&file)).collect()
    };
    let circles: BTreeSet<Vec<usize>> = (0..files.len()).map(circle_of).collect();
    let name = |file: usize| match &files[file].module[..] {
        [] => "lib".to_string(),
        module => module.join("::"),
    };
    circles
        .into_iter()
        .filter(|c| !c.is_empty())
        .map(|c| c.into_iter().map(name).collect())
        .collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn arrows_between_modules_point_down() {
    for (name, layers) in LAYERS {
        let files = files(&root().join(name).join("src"));
        let problems = upward(&files, layers);
        assert!(problems.is_empty(), "{name}: {problems:#?}");
        for layer in layers {
            let is_there = files.iter().any(|file| file.module == [*layer]);
            assert!(is_there, "there is no module `{layer}` in `{name}`");
        }
    }
}

#[test]
fn arrows_between_crates_point_down() {
    let known: BTreeSet<&str> =
        CRATES.iter().flat_map(|(_, allowed)| allowed.iter().copied()).collect();
    for (name, allowed) in CRATES {
        for file in files(&root().join(name).join("src")) {
            for Mention { path, .. } in mentions(&file.code) {
                let is_crate = known.contains(path[0].as_str());
                let is_allowed = !is_crate || allowed.contains(&path[0].as_str());
                assert!(is_allowed, "{} knows `{}`", file.path.display(), path.join("::"));
            }
        }
    }
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

    /// Returns the direct dependencies of this crate, except crates that other direct dependencies already use.
    fn next(&self, packages: &BTreeMap<String, Package>) -> Vec<&str> {
        fn leads_to(from: &Package, name: &str, packages: &BTreeMap<String, Package>) -> bool {
            from.known.contains(name)
                || from.known.iter().any(|next| leads_to(&packages[next], name, packages))
        }
        let is_next = |name: &&String| {
            !self.known.iter().any(|other| leads_to(&packages[other], name, packages))
        };
        self.known.iter().filter(is_next).map(String::as_str).collect()
    }
}

/// Draws the table of the crates, the highest first. The last column lists the dependencies of a crate; a dependency is
/// in brackets if another dependency already uses it.
fn drawing() -> String {
    let read = |(name, _): (&str, _)| Package::read(&root().join(name));
    let packages = CRATES.map(read).map(|package| (package.name.clone(), package));
    let packages = BTreeMap::from(packages);
    let mut floors: Vec<(usize, &Package)> =
        packages.values().map(|package| (package.height(&packages), package)).collect();
    floors.sort_by(|(a, one), (b, other)| b.cmp(a).then(one.name.cmp(&other.name)));
    let mut text = "| floor | crate | contents | uses |\n|---|---|---|---|\n".to_string();
    for (floor, package) in floors {
        let next = package.next(&packages);
        let others = package.known.iter().map(String::as_str).filter(|name| !next.contains(name));
        let short = |name: &str| name.trim_start_matches("ruse-").to_string();
        let direct: Vec<String> = next.iter().map(|name| short(name)).collect();
        let others: Vec<String> = others.map(short).collect();
        let mut uses = direct.join(", ");
        if !others.is_empty() {
            uses += &format!(" ({})", others.join(", "));
        }
        let Package { name, description, .. } = package;
        text += &format!("| {floor} | `{name}` | {description} | {uses} |\n");
    }
    text
}

/// `CRATES=overwrite cargo test --test it crates` writes the table into DESIGN.md.
#[test]
fn the_design_shows_the_crates() {
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

/// Only the module `files` of `ruse-play` opens files for writing. It does not follow links, and replaces only files of
/// the same kind.
#[test]
fn files_are_opened_for_writing_in_one_place() {
    let ways = ["File::create", "File::options", "OpenOptions", "fs::write", "generate_to"];
    for name in CRATES.map(|(name, _)| name).into_iter().chain(["python"]) {
        for file in files(&root().join(name).join("src")) {
            let is_files = file.module.first().is_some_and(|module| module == "files");
            if name == "crates/play" && is_files {
                continue;
            }
            let found = ways.iter().find(|way| file.code.contains(*way));
            assert!(found.is_none(), "{} has `{}`", file.path.display(), found.unwrap_or(&""));
        }
    }
}

#[test]
fn files_of_a_crate_know_each_other_in_no_new_circle() {
    for (name, listed) in CIRCLES {
        let found = circles(&files(&root().join(name).join("src")));
        assert_eq!(found, listed, "the circles found in {name}, and those listed in this test");
    }
    let with_circles = CIRCLES.map(|(name, _)| name);
    for name in CRATES.map(|(name, _)| name).into_iter().chain(["python"]) {
        assert!(with_circles.contains(&name), "the circles of `{name}` are listed");
    }
}

/// Creates imaginary files from their modules and code.
fn imagined(texts: &[(&str, &str)]) -> Vec<File> {
    let file = |&(module, text): &(&str, &str)| File {
        path: format!("src/{}.rs", module.replace("::", "/")).into(),
        module: module.split("::").map(String::from).collect(),
        code: code(text),
    };
    texts.iter().map(file).collect()
}

#[test]
fn an_upward_arrow_is_found_however_it_is_written() {
    let above = [
        "use crate::high::Thing;",
        "use crate::{\n    high::{self, Thing},\n    rest,\n};",
        "pub(crate) use crate::high::Thing;",
        "use super::high::Thing;",
        "fn f() -> bool {\n    crate::high::holds()\n}",
        "#[cfg(test)]\nmod tests {\n    fn f() {}\n}\n\nuse crate::high::Thing;",
    ];
    for text in above {
        let problems = upward(&imagined(&[("low", text), ("high", "")]), &["low", "high"]);
        assert!(!problems.is_empty(), "{text}");
        assert!(problems[0].starts_with("src/low.rs knows `high"), "{}", problems[0]);
        assert!(upward(&imagined(&[("low", text), ("high", "")]), &["high", "low"]).is_empty());
    }
    let fine = [
        "// use crate::high::Thing;",
        "//! use crate::high::Thing;",
        "#[cfg(test)]\nmod tests {\n    use crate::high::Thing;\n}",
        "#[cfg(test)]\nuse crate::high::Thing;\nuse crate::low::Other;",
        "use elsewhere::high::Thing;",
        "fn f() {\n    my_crate::high::f();\n}",
    ];
    for text in fine {
        let problems = upward(&imagined(&[("low", text), ("high", "")]), &["low", "high"]);
        assert!(problems.is_empty(), "{text}: {problems:?}");
    }
    let unknown = upward(&imagined(&[("other", "")]), &["low"]);
    assert_eq!(unknown, ["`other` has no layer"]);
}

#[test]
fn a_circle_of_files_is_found_through_names_handed_on() {
    let circle = [
        ("m", "mod a;\nmod b;\npub use a::A;\npub use b::{self, B};"),
        ("m::a", "use super::B;"),
        ("m::b", "use crate::m::a::A;"),
        ("m::c", "use super::A;"),
    ];
    assert_eq!(circles(&imagined(&circle)), [["m::a", "m::b"]]);
    let tree = [circle[0], circle[1], ("m::b", "struct B;"), circle[3]];
    assert!(circles(&imagined(&tree)).is_empty());
    // An item in the file of a module is used by a file below the module.
    let parent = |text: &str| {
        let files =
            [("m", format!("mod a;\npub use a::A;\n{text}")), ("m::a", "use super::Own;".into())];
        circles(&imagined(&files.each_ref().map(|(module, text)| (*module, text.as_str()))))
    };
    assert!(parent("pub struct Own;").is_empty());
    assert_eq!(parent("pub struct Own(A);"), [["m", "m::a"]]);
    assert_eq!(parent("pub struct Own;\nfn f() {\n    a::f();\n}"), [["m", "m::a"]]);
    assert!(parent("pub(in crate::m) struct Own;").is_empty());
    // Cycles between modules are found, too.
    let modules = [("one", "use crate::two::Two;"), ("two", "pub struct Two(crate::one::One);")];
    assert_eq!(circles(&imagined(&modules)), [["one", "two"]]);
}
