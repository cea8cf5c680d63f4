//! Arrows point down: a module of `src/` knows those below it alone, and so does a crate.
//!
//! The text of every file is read for paths that begin with `crate`, `super` or the name of a crate; what is compiled
//! for tests alone does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules of `src/`, lowest first: each may know those before it.
const LAYERS: [&str; 22] = [
    "visible",
    "names",
    "notation",
    "rng",
    "files",
    "arena",
    "score",
    "race",
    "matrix",
    "session",
    "family",
    "bandits",
    "optimise",
    "registry",
    "exploit",
    "portfolio",
    "lab",
    "report",
    "figures",
    "playable",
    "speed",
    "cli",
];

/// The crates beside the root, lowest first, and those each may know.
const CRATES: [(&str, &[&str]); 5] = [
    ("games/gdl", &[]),
    ("games", &["ruse_gdl"]),
    ("plots/picture", &[]),
    ("strategies", &["ruse_gdl", "ruse_games", "ruse_picture"]),
    ("plots", &["ruse_picture"]),
];

/// Files of a module that know each other, in a circle. It is to become shorter, and never longer.
const CIRCLES: [&[&str]; 4] = [
    &["lab::plan", "lab::seed_study::spec", "lab::spec::comparison"],
    &["lab::spec::method", "lab::spec::run"],
    &[
        "optimise::distribution",
        "optimise::distribution::parameters",
        "optimise::distribution::saved",
        "optimise::distribution::shape",
    ],
    &["optimise::driver", "optimise::referee"],
];

/// A file: its module, from the root of the crate on, and what it says.
struct File {
    path: PathBuf,
    module: Vec<String>,
    code: String,
}

/// The code of a file without comments, and without what is compiled for tests alone.
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
    code
}

/// Where the first item of a text ends: at its semicolon, or with the brace that closes it.
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

/// The files named in `#[cfg(test)] mod name;`, as seen from the file that names them.
fn modules_for_tests(text: &str) -> Vec<String> {
    let after = text.split("#[cfg(test)]").skip(1);
    let names = after.filter_map(|rest| {
        let item = rest[..end_of_item(rest)].trim();
        let (_, name) = item.strip_suffix(';')?.split_once("mod ")?;
        Some(name.trim().to_string())
    });
    names.collect()
}

/// The paths in a tree of imports, `a::{b, c::d}`, at the beginning of a text.
fn tree(text: &str) -> Vec<Vec<String>> {
    // In a macro the crate is `$crate`.
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

/// All paths of a code that may lead out of its file, and whether they are handed on (`pub use`).
fn paths(code: &str) -> Vec<(Vec<String>, bool)> {
    let mut paths = Vec::new();
    let is_name = |char: char| char.is_alphanumeric() || char == '_' || char == ':';
    let mut from = 0;
    for line in code.split_inclusive('\n') {
        let item = line.trim_start();
        let (visibility, rest) = match item.strip_prefix("pub") {
            Some(rest) => match rest.strip_prefix('(').and_then(|rest| rest.split_once(") ")) {
                Some((_, rest)) => ("pub", rest),
                None => ("pub", rest.trim_start()),
            },
            None => ("", item),
        };
        if rest.starts_with("use ") {
            let start = from + line.len() - rest.len() + "use ".len();
            let is_public = !visibility.is_empty();
            paths.extend(tree(&code[start..]).into_iter().map(|path| (path, is_public)));
        } else {
            for root in ["crate::", "super::", "ruse_"] {
                for (index, _) in line.match_indices(root) {
                    if !line[..index].ends_with(is_name) {
                        paths.extend(tree(&code[from + index..]).into_iter().map(|p| (p, false)));
                    }
                }
            }
        }
        from += line.len();
    }
    paths
}

/// A path as seen from the root of the crate; none if it leads to another crate.
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
    let base = &from[..from.len().checked_sub(ups)?];
    let whole = [base, downs].concat();
    let is_relative = ups > 0 || first == "self";
    let is_child = || modules.contains(&[from, &path[..1]].concat());
    (is_relative || is_child()).then_some(whole)
}

/// The files below a directory that are compiled for more than tests.
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
                if !matches!(name.as_str(), "mod" | "lib" | "main") {
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

/// One file that knows another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Arrow {
    /// The file that knows.
    from: usize,
    /// The file that is known; none for the root of the crate.
    to: Option<usize>,
    /// The path from the root of the crate on.
    path: Vec<String>,
    /// Whether the name is handed on to others, and not used.
    is_handed_on: bool,
}

/// Which files know which, names that are handed on being followed to where they come from.
fn arrows(files: &[File]) -> Vec<Arrow> {
    let modules: BTreeSet<Vec<String>> = files.iter().map(|file| file.module.clone()).collect();
    let by_module: BTreeMap<&[String], usize> =
        files.iter().enumerate().map(|(index, file)| (file.module.as_slice(), index)).collect();
    let mut arrows = Vec::new();
    let mut handed_on = BTreeMap::new();
    for (from, file) in files.iter().enumerate() {
        for (path, is_handed_on) in paths(&file.code) {
            let Some(path) = absolute(&path, &file.module, &modules) else { continue };
            if let (true, Some(name)) = (is_handed_on, path.last()) {
                let name = [file.module.as_slice(), std::slice::from_ref(name)].concat();
                handed_on.insert(name, path.clone());
            }
            arrows.push(Arrow { from, to: None, path, is_handed_on });
        }
    }
    for arrow in &mut arrows {
        let mut path = arrow.path.clone();
        for _ in 0..10 {
            let known = (1..=path.len()).find_map(|n| Some((n, handed_on.get(&path[..n])?)));
            let Some((n, origin)) = known else { break };
            path = [origin.as_slice(), &path[n..]].concat();
        }
        arrow.to = (1..=path.len()).rev().find_map(|n| by_module.get(&path[..n]).copied());
    }
    arrows
}

/// The arrows between modules that do not point down, in words.
fn upward(files: &[File], layers: &[&str]) -> Vec<String> {
    let height = |name: &str| layers.iter().position(|layer| *layer == name);
    let mut problems = BTreeSet::new();
    for file in files.iter().filter(|file| !file.module.is_empty()) {
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

/// The circles of files inside the modules, each by its files in order.
fn circles(files: &[File]) -> Vec<Vec<String>> {
    let mut known = vec![BTreeSet::new(); files.len()];
    for arrow in arrows(files) {
        let Some(to) = arrow.to else { continue };
        let is_inside = files[arrow.from].module.first() == files[to].module.first();
        if is_inside && !arrow.is_handed_on && to != arrow.from {
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
    let name = |file: usize| files[file].module.join("::");
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
    let files = files(&root().join("src"));
    let problems = upward(&files, &LAYERS);
    assert!(problems.is_empty(), "{problems:#?}");
    for layer in LAYERS {
        assert!(files.iter().any(|file| file.module == [layer]), "there is no module `{layer}`");
    }
}

#[test]
fn arrows_between_crates_point_down() {
    for (name, allowed) in CRATES {
        for file in files(&root().join(name).join("src")) {
            for (path, _) in paths(&file.code) {
                let is_crate = path[0].starts_with("ruse");
                let is_allowed = !is_crate || allowed.contains(&path[0].as_str());
                assert!(is_allowed, "{} knows `{}`", file.path.display(), path.join("::"));
            }
        }
    }
}

/// `src/files/` opens without following links, and replaces nothing that is of another kind.
#[test]
fn files_are_opened_for_writing_in_one_place() {
    let ways = ["File::create", "File::options", "OpenOptions", "fs::write", "generate_to"];
    for name in ["src", "page/src", "python/src"] {
        for file in files(&root().join(name)) {
            if file.module.first().is_some_and(|module| module == "files") {
                continue;
            }
            let found = ways.iter().find(|way| file.code.contains(*way));
            assert!(found.is_none(), "{} has `{}`", file.path.display(), found.unwrap_or(&""));
        }
    }
}

#[test]
fn files_of_a_module_know_each_other_in_no_new_circle() {
    let found = circles(&files(&root().join("src")));
    let listed: Vec<Vec<String>> =
        CIRCLES.iter().map(|circle| circle.iter().map(ToString::to_string).collect()).collect();
    assert_eq!(found, listed, "the circles found, and those listed in this test");
}

/// Files as they could be: their modules, and what they say.
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
        ("m", "mod a;\nmod b;\npub use a::A;\npub use b::B;"),
        ("m::a", "use super::B;"),
        ("m::b", "use crate::m::a::A;"),
        ("m::c", "use super::A;"),
    ];
    assert_eq!(circles(&imagined(&circle)), [["m::a", "m::b"]]);
    let tree = [circle[0], circle[1], ("m::b", "struct B;"), circle[3]];
    assert!(circles(&imagined(&tree)).is_empty());
}
