//! Tests that comments, messages, names of functions and the book are free of habits that make sentences hard to read.
//!
//! The habits leave out the name of the thing, put the verb last, or treat programs as people.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use ruse::registry::Registry;

/// Phrases to avoid, each with its replacement.
const PHRASES: [(&str, &str); 14] = [
    ("is no", "\"is not a\", \"invalid\""),
    ("are no", "\"are not\", \"invalid\""),
    ("nobody", "the name of the thing with \"not\""),
    ("somebody", "\"another user\", \"a player\""),
    ("whoever", "\"the caller\", \"the player\""),
    ("everybody", "\"all players\", \"each\""),
    ("so many", "the name of the number"),
    ("anew", "\"again\""),
    ("but for", "\"except\""),
    ("the own", "\"its own\", \"the player's\""),
    ("what came of", "\"the results of\""),
    ("none if", "\"`None` if\", or what is missing"),
    ("that are none", "\"invalid\""),
    ("of whom", "the name of the thing"),
];
/// Words that must not begin a sentence, each with its replacement.
const BEGINNINGS: [(&str, &str); 3] = [
    ("of", "the subject first"),
    ("who", "the name of the thing"),
    ("whom", "the name of the thing"),
];
/// Phrases that leave out a noun. At most one such phrase may occur per [`LINES_PER_RARE`] lines of comments and text.
const RARE: [&str; 3] = ["those of", "that of", "of which"];
const LINES_PER_RARE: usize = 150;

/// Words that may follow "is no".
const COMPARATIVES: [&str; 8] =
    ["longer", "more", "less", "better", "worse", "closer", "larger", "smaller"];

/// Words that must not begin a doc comment. A doc comment names the item, or begins with a verb.
const ITEM_BEGINNINGS: [&str; 5] = ["what", "how", "where", "who", "whom"];

/// A comment, a string or a paragraph of text, with its lines joined.
struct Passage {
    line: usize,
    text: String,
    num_lines: usize,
    /// Whether the passage begins a doc comment.
    is_doc: bool,
}

impl Passage {
    /// Returns the habits that occur in this passage, each with its replacement.
    fn habits(&self) -> Vec<(&'static str, &'static str)> {
        let mut found = habits(&self.text);
        let first = words(&self.text).into_iter().next();
        let first = first.filter(|_| self.is_doc).map_or(String::new(), |(word, _)| word);
        found.extend(
            ITEM_BEGINNINGS
                .into_iter()
                .filter(|word| *word == first)
                .map(|word| (word, "the noun")),
        );
        found
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Adds the Rust and Markdown files below a directory to `found`, in the order of their names.
fn files_below(directory: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.')
                && !["target", "node_modules", "published", "results"].contains(&&*name)
            {
                files_below(&path, found);
            }
        } else if name.ends_with(".rs")
            || name.ends_with(".md") && name != "CHANGELOG.md" && name != "THIRD-PARTY.md"
        {
            found.push(path);
        }
    }
}

/// Returns the comments of a Rust file, and its strings of more than one word. Adjacent comment lines are one passage.
fn passages_of_code(text: &str) -> Vec<Passage> {
    let mut found: Vec<Passage> = Vec::new();
    let mut comment_ends_at = 0;
    let mut rest = text;
    let mut line = 1;
    while let Some(at) = rest.find(['/', '"', '\'', 'r']) {
        line += rest[..at].matches('\n').count();
        let before = rest[..at].chars().next_back();
        let tail = &rest[at..];
        let taken = if tail.starts_with("//") {
            let end = tail.find('\n').unwrap_or(tail.len());
            let body = tail[..end].trim_start_matches(['/', '!']).trim();
            let is_doc = tail.starts_with("///") || tail.starts_with("//!");
            // A paragraph within a comment may begin with any word.
            let is_first = comment_ends_at + 1 != line;
            let is_heading =
                body.is_empty() || body.starts_with(['#', '|', '`']) || body.starts_with("- ");
            match found.last_mut() {
                Some(last)
                    if comment_ends_at + 1 == line && !is_heading && !last.text.is_empty() =>
                {
                    last.text.push(' ');
                    last.text += body;
                    last.num_lines += 1;
                }
                _ => {
                    let is_doc = is_doc && is_first;
                    found.push(Passage { line, text: body.into(), num_lines: 1, is_doc });
                }
            }
            if body.is_empty() {
                found.push(Passage { line, text: String::new(), num_lines: 0, is_doc: false });
            }
            comment_ends_at = line;
            end
        } else if tail.starts_with('"') {
            let end = end_of_string(tail);
            let body = &tail[1..end - 1];
            if body.contains(' ') {
                let body = body.replace("\\n", " ").replace('\\', " ");
                let body = body.split_whitespace().collect::<Vec<_>>().join(" ");
                found.push(Passage { line, text: body, num_lines: 1, is_doc: false });
            }
            line += body.matches('\n').count();
            comment_ends_at = 0;
            end
        } else if let Some(hashes) = raw_string(tail, before) {
            let closing = format!("\"{}", "#".repeat(hashes));
            let start = hashes + 2;
            let length = tail[start..].find(&closing).unwrap_or(tail.len() - start);
            line += tail[start..start + length].matches('\n').count();
            (start + length + closing.len()).min(tail.len())
        } else if let Some(character) = tail.strip_prefix("'\\") {
            let end = character.char_indices().skip(1).find(|&(_, c)| c == '\'');
            2 + end.map_or(1, |(at, _)| at + 1)
        } else if tail.starts_with("'\"'") {
            3
        } else {
            1
        };
        rest = &tail[taken..];
    }
    found
}

/// Returns the names of the functions in a Rust file. The name of a test begins like a doc comment.
fn names_of_functions(text: &str) -> Vec<Passage> {
    let (mut found, mut is_test) = (Vec::new(), false);
    for (index, line) in text.lines().map(str::trim_start).enumerate() {
        let is_name = |before: &str| before.is_empty() || before.ends_with(' ');
        if let Some((_, rest)) = line.split_once("fn ").filter(|(before, _)| is_name(before)) {
            let name = rest.split(['(', '<']).next().unwrap_or_default().replace('_', " ");
            found.push(Passage { line: index + 1, text: name, num_lines: 0, is_doc: is_test });
        }
        is_test = line == "#[test]" || is_test && line.starts_with("#[");
    }
    found
}

fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len() + 1
}

/// Returns the number of `#` of a raw string that begins here.
fn raw_string(text: &str, before: Option<char>) -> Option<usize> {
    let is_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_') && before != Some('b');
    let rest = text.strip_prefix('r').filter(|_| !is_word)?;
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    rest[hashes..].starts_with('"').then_some(hashes)
}

/// Returns the paragraphs of a page, without consoles and code.
fn passages_of_page(text: &str) -> Vec<Passage> {
    let mut found: Vec<Passage> = Vec::new();
    let (mut is_code, mut is_open) = (false, false);
    for (index, line) in text.lines().enumerate() {
        let body = line.trim();
        if body.starts_with("```") {
            is_code = !is_code;
        }
        let begins = body.starts_with(['#', '|', '-', '*', '>', '<']);
        if is_code || body.is_empty() || body.starts_with("```") {
            is_open = false;
        } else if is_open && !begins {
            let last = found.last_mut().expect("a passage is open");
            last.text.push(' ');
            last.text += body;
            last.num_lines += 1;
        } else {
            let text = body.trim_start_matches(['#', '|', '-', '*', '>', ' ']).to_string();
            found.push(Passage { line: index + 1, text, num_lines: 1, is_doc: false });
            is_open = true;
        }
    }
    found
}

/// Returns the habits of a passage, each with its replacement.
fn habits(text: &str) -> Vec<(&'static str, &'static str)> {
    let words = words(text);
    let mut found = Vec::new();
    for (phrase, better) in PHRASES {
        let is_there = phrase_at(&words, phrase).any(|at| {
            let before = at.checked_sub(1).map(|at| words[at].0.as_str());
            let after = words.get(at + 2).map_or("", |word| word.0.as_str());
            !(phrase.ends_with(" no") && (before == Some("there") || COMPARATIVES.contains(&after)))
        });
        if is_there {
            found.push((phrase, better));
        }
    }
    for (word, better) in BEGINNINGS {
        let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
        let is_there = words.iter().enumerate().any(|(at, (found, begins))| {
            found == word && *begins && !words.get(at + 1).is_some_and(|next| is_number(&next.0))
        });
        if is_there {
            found.push((word, better));
        }
    }
    found
}

fn num_rare(text: &str) -> usize {
    let words = words(text);
    RARE.iter().map(|phrase| phrase_at(&words, phrase).count()).sum()
}

/// Returns the words in lower case. Each word has a flag, which is set if a sentence begins with the word. Text between
/// backticks is one word.
fn words(text: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut begins = true;
    for (index, part) in text.split('`').enumerate() {
        if index % 2 == 1 {
            found.push(("`".to_string(), false));
            begins = false;
            continue;
        }
        for token in part.split_whitespace() {
            let word = token.trim_matches(|c: char| !c.is_alphanumeric());
            if word.is_empty() {
                begins |= token.ends_with(['.', '?', '!']);
                continue;
            }
            let is_capital = word.starts_with(char::is_uppercase);
            found.push((word.to_lowercase(), begins && is_capital));
            begins = token.trim_end_matches([')', '"', '*']).ends_with(['.', '?', '!']);
        }
    }
    found
}

fn phrase_at<'a>(words: &'a [(String, bool)], phrase: &'a str) -> impl Iterator<Item = usize> + 'a {
    let parts: Vec<&str> = phrase.split(' ').collect();
    let last = (words.len() + 1).saturating_sub(parts.len());
    (0..last).filter(move |&at| parts.iter().zip(&words[at..]).all(|(part, word)| *part == word.0))
}

/// Returns the part of the repository that contains a file: a directory in `src/`, another top-level directory, or the
/// file itself at the top.
fn room(path: &Path) -> String {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    match parts[..] {
        ["src", folder, _, ..] => format!("src/{folder}"),
        ["src", _] => "src".to_string(),
        [file] => file.to_string(),
        [folder, ..] => folder.to_string(),
        [] => String::new(),
    }
}

#[test]
fn sentences_are_free_of_habits() {
    let mut files = Vec::new();
    files_below(root(), &mut files);
    let mut rooms: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut failures = String::new();
    for path in files {
        let inside = path.strip_prefix(root()).expect("below the root");
        if inside == Path::new("tests/it/english.rs") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("text");
        let is_code = inside.extension().is_some_and(|ending| ending == "rs");
        let passages = if is_code { passages_of_code(&text) } else { passages_of_page(&text) };
        let (rare, lines) = rooms.entry(room(inside)).or_default();
        *lines += passages.iter().map(|passage| passage.num_lines).sum::<usize>();
        *rare += passages.iter().map(|passage| num_rare(&passage.text)).sum::<usize>();
        let names = if is_code { names_of_functions(&text) } else { Vec::new() };
        for passage in passages.into_iter().chain(names) {
            for (habit, better) in passage.habits() {
                let place = format!("{}:{}", inside.display(), passage.line);
                let _ = writeln!(failures, "{place}: `{habit}`: write {better}: {}", passage.text);
            }
        }
    }
    for (room, (rare, lines)) in &rooms {
        if *rare > 1 + lines / LINES_PER_RARE {
            let _ = writeln!(
                failures,
                "{room}: {rare} times {RARE:?} in {lines} lines: repeat the noun"
            );
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// Phrases with numbers that do not count what `ruse` has, each with the file that it stands in.
const OTHER_COUNTS: &str = "
docs/games/README.md: eight methods
docs/methods.md: 14 families
docs/methods.md: twelve other families
docs/methods.md: nine families
docs/other-tools.md: thirty modern board games
docs/performance.md: fourteen games
docs/portfolios.md: sixteen strategies
docs/tutorial.md: eight strategies
";

/// Returns the number from 6 to 30 that a word stands for.
fn number_of(word: &str) -> Option<usize> {
    const NAMES: &str = "six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen \
                         twenty twenty-one twenty-two twenty-three twenty-four twenty-five twenty-six twenty-seven \
                         twenty-eight twenty-nine thirty";
    let found = NAMES.split(' ').position(|name| name == word).map(|at| at + 6);
    found.or_else(|| word.parse().ok().filter(|number| (6..200).contains(number)))
}

/// Returns the counts of methods, families, games and rule files on a page that differ from the numbers that exist.
/// Smaller numbers than six may count a part.
fn wrong_counts(page: &str, text: &str, exist: &dyn Fn(&str) -> Vec<usize>) -> Vec<String> {
    let mut wrong = Vec::new();
    for passage in passages_of_page(text) {
        let words: Vec<String> = words(&passage.text).into_iter().map(|(word, _)| word).collect();
        for (at, word) in words.iter().enumerate() {
            let Some(number) = number_of(word) else { continue };
            let following = &words[at + 1..words.len().min(at + 4)];
            let kinds = ["methods", "families", "games", "files", "strategies", "players"];
            let noun = following.iter().position(|word| kinds.contains(&&**word));
            let Some(noun) = noun else { continue };
            // Games are also played, and such numbers are digits.
            if following[noun] == "games" && word.starts_with(|c: char| c.is_ascii_digit()) {
                continue;
            }
            let phrase = words[at..=at + 1 + noun].join(" ");
            let is_other = OTHER_COUNTS.lines().any(|other| other == format!("{page}: {phrase}"));
            if !is_other && !exist(&following[noun]).contains(&number) {
                wrong.push(format!("{page}:{}: {phrase}", passage.line));
            }
        }
    }
    wrong
}

#[test]
fn counts_in_the_book_are_true() {
    let registry = Registry::standard();
    let families = || registry.families();
    let games: BTreeSet<String> = families().map(|family| family.info().game.to_string()).collect();
    let exist = |kind: &str| match kind {
        "methods" => vec![registry.methods().count(), registry.general_methods().count()],
        "families" => vec![families().count()],
        "games" => vec![games.len()],
        "files" => vec![ruse_gdl::RULE_FILES.len()],
        _ => Vec::new(),
    };
    let mut files = Vec::new();
    files_below(&root().join("docs"), &mut files);
    files.push(root().join("README.md"));
    let mut wrong = Vec::new();
    for path in files {
        let page =
            path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned();
        // Results and rules have numbers of their own.
        let is_about_others = page.starts_with("docs/results")
            || page.starts_with("docs/games/") && page != "docs/games/README.md";
        if !is_about_others {
            let text = fs::read_to_string(&path).expect("text");
            wrong.extend(wrong_counts(&page, &text, &exist));
        }
    }
    assert!(wrong.is_empty(), "correct or omit:\n{}", wrong.join("\n"));
    let false_count = "There are twenty-one\nmethods, and nine good methods of two families.\n";
    assert_eq!(wrong_counts("a.md", false_count, &exist), ["a.md:1: twenty-one methods"]);
}

#[test]
fn habits_are_found_where_they_are() {
    let code = "/// Of a body that does not\n/// hold, nobody knows.\nfn a() { b(\"`x` is no limit\"); c('\"', \"there is no file\"); }\n/// What c does.\n///\n/// What follows.\nfn c() {}\n";
    let found: Vec<_> = passages_of_code(code)
        .iter()
        .flat_map(|passage| passage.habits().into_iter().map(|(habit, _)| (passage.line, habit)))
        .collect();
    assert_eq!(found, [(1, "nobody"), (1, "of"), (3, "is no"), (4, "what")]);
    let code = "fn what_is_anew() {}\n#[test]\n#[ignore]\nfn what_is() {}\n";
    let found = names_of_functions(code).into_iter().flat_map(|name| name.habits());
    assert!(found.map(|(habit, _)| habit).eq(["anew", "what"]));
}
