//! Tests of the README and the book in `docs/`: their commands do what the pages say.
//!
//! Blocks marked `console` are run in a shell, in a new directory for each page. The directory contains only the
//! `experiments` of the repository. The output must match the page, where `...` stands for lines and `[..]` for a part
//! of a line. The display of progress is left out. `TRYCMD=overwrite cargo test --test book -- --include-ignored`
//! writes the current output into the pages; review the changes like code. `BOOK_PAGES=nim` runs only pages whose path
//! contains `nim`. Commands in the text of a page must exist, with their options.
//!
//! These tests are a separate binary because they change the current directory, which all threads share.

#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

#[macro_use]
#[path = "it/cases.rs"]
mod cases;
#[path = "book/derived.rs"]
mod derived;

const RUSE: &str = env!("CARGO_BIN_EXE_ruse");

/// The languages of blocks that are not run.
const SHOWN: &[&str] = &["text", "yaml", "json", "csv", "rust", "python", "toml", "kif", "xml"];

/// The contents of blocks marked `sh`. These commands take too long for a test, or change the machine.
const NOT_RUN: &[&str] = &[
    "ruse race \"python a.py {seed}\" \"python b.py {seed}\" --range 0,100",
    "ruse rank results.csv",
    "ruse race \"python train.py --rate .1 --seed {seed}\" \"python train.py --rate .01 --seed {seed}\" --range 0,200 --jobs 2",
    "cargo run --release -- optimise war",
    "cargo test",
    "cargo install --locked --path .",
    "cargo install mdbook",
    "mdbook build --open",
    "cargo run --example own_game",
    "cargo run --release --example own_family -- optimise kuhn-poker --method all",
    "cargo run --release --example own_method -- compare war pig --methods one-at-a-time,naive,cma-es",
    "python3 examples/external_optimiser.py --ruse target/release/ruse --family war",
    "ruse compare war nim --methods es,\"python my_optimiser.py\" --budget 200k",
    "ruse compare war --methods naive,\"sh examples/external_method.sh\"",
    "ruse optimise war --method \"sh examples/external_method.sh\"",
    "ruse optimise \"program:python3 examples/blotto.py\"",
    "cargo install --locked --path apps/uci",
    "ruse optimise cant_stop_mini.kif:program --method double-oracle --responses local-search --accept leading --budget 2M",
    "ruse match \"program:ruse-uci stockfish --tune 'Skill Level' --nodes 2000\" default \"[10]\" --pairs 100",
    "ruse optimise \"program:ruse-uci toga2 --parameters experiments/engines/toga2.txt --depth 3 --set Hash=4\" --method spsa --budget 20k",
    "ruse match \"program:ruse-uci toga2 --parameters experiments/engines/toga2.txt --depth 3 --set Hash=4 --openings mine.pgn\" STRATEGY.yaml default --pairs 2000",
    "ruse match nim \"program@60s:python3 python/examples/language_model.py play\" uct@100 --pairs 10",
    "python3 python/examples/language_model.py write tic_tac_toe.kif --out mine.yaml",
    "ruse gamer --port 4001 --player mac-ucb",
    "ruse check-player \"python3 examples/random_player.py\" nim",
    "ruse match nim \"program:python3 examples/random_player.py\" uct@100",
    "ruse match tic_tac_toe.kif uct@1s ggp:localhost:4001@10/2 --pairs 20",
    "ruse completions bash > ~/.local/share/bash-completion/completions/ruse",
    "ruse run experiments/paper.yaml --out runs/paper",
    "ruse resume runs/paper",
    "ruse table runs/paper --side-by-side",
    "ruse plot runs/paper",
    "ruse report runs/paper",
    "ruse man --out ~/.local/share/man/man1",
    "ruse page --out play.html",
    "ruse page runs/first/war-cma-es-seed1 mine.yaml --out play.html",
    "ruse slurm paper.yaml --out runs/paper --tasks 100 --time 2:00:00 --submit",
    "sbatch --array=0-99 --requeue --wrap 'ruse run paper.yaml --out runs/paper --shard $SLURM_ARRAY_TASK_ID/100'",
    "parallel --sshloginfile hosts --workdir . --retries 3 ruse run paper.yaml --out runs/paper --shard {}/16 ::: $(seq 0 15)",
    "mpirun -n 16 sh -c 'ruse run paper.yaml --out runs/paper --shard $OMPI_COMM_WORLD_RANK/$OMPI_COMM_WORLD_SIZE'",
];

struct Page {
    /// The path from the root of the repository.
    path: PathBuf,
    text: String,
}

/// A fenced block of a page.
struct Block<'a> {
    language: &'a str,
    lines: Vec<&'a str>,
}

impl Page {
    fn blocks(&self) -> Vec<Block<'_>> {
        let mut blocks: Vec<Block<'_>> = Vec::new();
        let mut is_open = false;
        for line in self.text.lines() {
            match line.strip_prefix("```") {
                Some(_) if is_open => is_open = false,
                Some(language) => {
                    is_open = true;
                    blocks.push(Block { language: language.trim(), lines: Vec::new() });
                }
                None if is_open => blocks.last_mut().expect("a block is open").lines.push(line),
                None => {}
            }
        }
        assert!(!is_open, "{}: a block is not closed", self.path.display());
        blocks
    }

    /// Returns the text without its blocks.
    fn prose(&self) -> String {
        let mut is_open = false;
        let mut prose = String::new();
        for line in self.text.lines() {
            if line.starts_with("```") {
                is_open = !is_open;
            } else if !is_open {
                prose.push_str(line);
                prose.push('\n');
            }
        }
        prose
    }

    /// Returns the targets of the links and images on the page, without anchors and external addresses.
    fn links(&self) -> Vec<String> {
        let prose = self.prose();
        prose
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split([')', ' ', '#']).next())
            .filter(|target| !target.is_empty() && !target.contains("://"))
            .map(str::to_owned)
            .collect()
    }

    /// Returns the files of the repository that the page links to by full address. Full addresses are needed because
    /// the book contains only `docs/`.
    fn links_to_the_repository(&self) -> Vec<String> {
        self.text
            .split("https://github.com/")
            .skip(1)
            .filter_map(|rest| {
                let (_owner, rest) = rest.split_once('/')?;
                let path =
                    rest.strip_prefix("ruse/blob/main/").or(rest.strip_prefix("ruse/tree/main/"))?;
                path.split([')', ' ', '#', '>']).next().map(str::to_owned)
            })
            .collect()
    }

    /// Returns the anchors of the headings of the page, as mdBook and GitHub make them.
    fn anchors(&self) -> BTreeSet<String> {
        let headings = self.prose();
        let headings = headings.lines().filter(|line| line.starts_with('#'));
        headings
            .map(|heading| {
                let text = heading.trim_start_matches('#').trim().to_lowercase();
                let kept =
                    text.chars().filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
                kept.map(|c| if c == ' ' { '-' } else { c }).collect()
            })
            .collect()
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn book() -> Vec<Page> {
    fn collect(directory: &Path, pages: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(directory).expect("the directory can be read") {
            let path = entry.expect("the entry can be read").path();
            if path.is_dir() {
                collect(&path, pages);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    let mut paths = Vec::new();
    collect(&root().join("docs"), &mut paths);
    paths.sort();
    paths.iter().map(|path| page(path)).collect()
}

/// Returns the pages of the book, and the README.
fn pages() -> Vec<Page> {
    let mut pages = book();
    pages.push(page(&root().join("README.md")));
    pages
}

fn page(path: &Path) -> Page {
    let text = fs::read_to_string(path).expect("the page can be read");
    Page { path: path.strip_prefix(root()).expect("it is in the repository").to_owned(), text }
}

/// The shell code that runs its first argument as a command. If the command fails, its errors are shown, but not its
/// display of progress. Trailing newlines are dropped.
const SHELL: &str = "output=$(eval \"$1\" 2>\"$ERRORS\"); status=$?; printf %s \"$output\"; \
                     test $status = 0 || printf %s \"$(cat \"$ERRORS\")\"; exit $status";

/// Converts a line of a page for `trycmd`. A command is converted to a shell command.
fn for_trycmd(line: &str) -> String {
    match line.strip_prefix("$ ") {
        Some(command) => format!("$ sh -c '{SHELL}' sh '{}'", command.replace('\'', r"'\''")),
        None => line.to_owned(),
    }
}

/// Reverses the conversion of [`for_trycmd`].
fn from_trycmd(line: &str) -> String {
    let command = line
        .strip_prefix(&format!("$ sh -c '{SHELL}' sh '"))
        .and_then(|rest| rest.strip_suffix('\''));
    match command {
        Some(command) => format!("$ {}", command.replace(r"'\''", "'")),
        None => line.to_owned(),
    }
}

fn each_line(text: &str, change: impl Fn(&str) -> String) -> String {
    text.lines().map(|line| change(line) + "\n").collect()
}

/// Returns a new directory that contains the `experiments` of the repository.
fn sandbox() -> tempfile::TempDir {
    let sandbox = tempfile::tempdir().expect("a directory can be made");
    std::os::unix::fs::symlink(root().join("experiments"), sandbox.path().join("experiments"))
        .expect("a link can be made");
    sandbox
}

/// Runs the commands of a page in a new directory. If `TRYCMD` is `overwrite`, also writes their output into the page.
fn run_commands_of(page: &Page) {
    let elsewhere = tempfile::tempdir().expect("a directory can be made");
    let copy = elsewhere.path().join(page.path.to_string_lossy().replace('/', "-"));
    fs::write(&copy, each_line(&page.text, for_trycmd)).expect("the page can be written");
    let sandbox = sandbox();
    // `trycmd` runs commands in the directory of the test.
    std::env::set_current_dir(sandbox.path()).expect("the directory exists");
    let programs = Path::new(RUSE).parent().expect("a program is in a directory").display();
    let path = std::env::var("PATH").expect("there is a path");
    trycmd::TestCases::new()
        .register_bin("sh", PathBuf::from("/bin/sh"))
        .env("PATH", format!("{programs}:{path}"))
        .env("COLUMNS", "100")
        .env("ERRORS", elsewhere.path().join("errors").display().to_string())
        .case(&copy)
        .run();
    std::env::set_current_dir(root()).expect("the directory exists");
    if derived::is_to_be_written() {
        let written = fs::read_to_string(&copy).expect("the page can be read");
        fs::write(root().join(&page.path), each_line(&written, from_trycmd))
            .expect("the page can be written");
    }
}

/// The comment before a block of the README whose commands take long.
const LONG: &str = "<!-- long -->\n```console";

#[test]
fn quick_commands_print_what_the_readme_shows() {
    if derived::is_to_be_written() {
        return;
    }
    let mut readme = page(&root().join("README.md"));
    assert!(readme.text.contains(LONG));
    readme.text = readme.text.replace(LONG, "```text");
    run_commands(&[readme]);
}

tests! {
    fn some_tables_in_the_repository_are_those_of_the_results() =
        check_tables(|directory| directory.ends_with("others"), 300);
    /// Looks for the numbers in all tables of a directory, which are printed once, and not in the table that
    /// `--only NAME` prints.
    fn numbers_come_from_small_directories_of_results() = check_numbers(
        in_all_tables,
        |command| LARGE.iter().all(|name| !command.contains(name)),
        150
    );
    @long
    fn commands_print_what_the_readme_shows() = run_commands(&[page(&root().join("README.md"))]);
    fn commands_print_what_the_pages_show() = run_commands(&book());
    fn numbers_come_from_the_tables_of_results() =
        check_numbers(str::to_owned, |_| true, 450);
    fn tables_in_the_repository_are_those_of_the_results() = check_tables(|_| true, 500);
}

/// The environment variable that selects pages: only pages whose path contains one of its words are run.
const ONLY: &str = "BOOK_PAGES";

/// Runs all commands of the pages one after another, because all threads share the current directory. The other tests
/// do not depend on the current directory.
fn run_commands(pages: &[Page]) {
    static CURRENT_DIRECTORY: Mutex<()> = Mutex::new(());
    let _alone = CURRENT_DIRECTORY.lock().unwrap_or_else(PoisonError::into_inner);
    let only = std::env::var(ONLY).unwrap_or_default();
    let failed: Vec<_> = pages
        .iter()
        .filter(|page| page.path.to_string_lossy().contains(&only))
        .filter(|page| page.blocks().iter().any(|block| block.language == "console"))
        .filter(|page| catch_unwind(AssertUnwindSafe(|| run_commands_of(page))).is_err())
        .map(|page| page.path.clone())
        .collect();
    assert!(failed.is_empty(), "commands in {failed:?}; see above");
}

#[test]
fn blocks_are_run_or_known_not_to_be() {
    let mut seen = BTreeSet::new();
    for page in pages() {
        for block in page.blocks() {
            let at = page.path.display();
            match block.language {
                "console" => assert!(
                    block.lines.first().is_some_and(|line| line.starts_with("$ ")),
                    "{at}: a console block begins with a command, not {:?}",
                    block.lines
                ),
                "sh" => {
                    for line in block.lines {
                        let command = line.split(" # ").next().unwrap_or_default().trim();
                        if !command.is_empty() && !command.starts_with('#') {
                            assert!(NOT_RUN.contains(&command), "{at}: nothing runs `{command}`");
                            seen.insert(command.to_owned());
                        }
                    }
                }
                language => {
                    assert!(SHOWN.contains(&language), "{at}: a block is marked `{language}`")
                }
            }
        }
    }
    for &command in NOT_RUN {
        assert!(seen.contains(command), "no page has `{command}` any more");
    }
}

#[test]
fn commands_in_the_text_exist_with_their_options() {
    let mut checked = BTreeSet::new();
    for page in pages() {
        let prose = page.prose();
        let spans = prose.split('`').skip(1).step_by(2);
        let typed = NOT_RUN.iter().copied().filter(|command| !command.contains('>'));
        for span in spans.chain(typed) {
            let command = span.split_whitespace().collect::<Vec<_>>().join(" ");
            let Some(arguments) = command.strip_prefix("ruse ") else { continue };
            if !checked.insert(command.clone()) {
                continue;
            }
            // `--help` is accepted only if all arguments before it are valid.
            let words = shlex::split(arguments);
            let output = Command::new(RUSE)
                .args(words.unwrap_or_else(|| panic!("`{command}`: a quotation has no end")))
                .arg("--help")
                .output()
                .expect("the program starts");
            assert!(
                output.status.success(),
                "{}: `{command}`: {}",
                page.path.display(),
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
    assert!(checked.len() > 20, "only {} commands were found", checked.len());
}

#[test]
fn links_lead_somewhere() {
    for page in pages() {
        let directory = root().join(&page.path);
        let directory = directory.parent().expect("a page is in a directory");
        for link in page.links() {
            let target = directory.join(&link);
            assert!(target.exists(), "{}: there is no {link}", page.path.display());
            // The book contains only `docs/`.
            if page.path.starts_with("docs") {
                let target = target.canonicalize().expect("it exists");
                let docs = root().join("docs").canonicalize().expect("it exists");
                assert!(target.starts_with(docs), "{}: {link} is outside", page.path.display());
            }
        }
        for path in page.links_to_the_repository() {
            assert!(root().join(&path).exists(), "{}: there is no {path}", page.path.display());
        }
    }
}

#[test]
fn anchors_of_links_are_headings() {
    let mut num_checked = 0;
    for page in pages() {
        let prose = page.prose();
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next()) {
            let Some((target, anchor)) = link.split_once('#') else { continue };
            if target.contains("://") {
                continue;
            }
            let directory = page.path.parent().expect("a page is in a directory");
            let path = if target.is_empty() { page.path.clone() } else { directory.join(target) };
            let anchors = self::page(&root().join(path)).anchors();
            assert!(anchors.contains(anchor), "{}: no heading for {link}", page.path.display());
            num_checked += 1;
        }
    }
    assert!(num_checked > 20, "only {num_checked} anchors are checked");
}

/// The largest total number of words of the pages directly in `docs/`. If a page grows, another page has to shrink.
const MAX_WORDS: usize = 32_000;

#[test]
fn the_book_is_short() {
    let pages = book();
    let own = pages.iter().filter(|page| page.path.parent() == Some(Path::new("docs")));
    let words: usize = own.map(|page| page.text.split_whitespace().count()).sum();
    assert!(words <= MAX_WORDS, "{words} words in docs/*.md");
    let results = pages.iter().filter(|page| page.path.to_string_lossy().contains("results-"));
    for page in results {
        let words = page.text.split_whitespace().count();
        assert!(words <= 800, "{}: {words} words", page.path.display());
    }
}

#[test]
fn the_summary_has_every_page() {
    let summary = page(&root().join("docs/SUMMARY.md"));
    let listed: BTreeSet<_> =
        summary.links().iter().map(|link| Path::new("docs").join(link)).collect();
    for page in book() {
        if page.path != Path::new("docs/SUMMARY.md") {
            assert!(listed.contains(&page.path), "the summary lacks {}", page.path.display());
        }
    }
}

#[test]
fn every_family_has_a_page() {
    let games = book();
    let pages: String = games
        .iter()
        .filter(|page| page.path.starts_with("docs/games") && !page.path.ends_with("README.md"))
        .map(|page| page.text.as_str())
        .collect();
    for family in ruse::registry::Registry::standard().families() {
        let name = family.name();
        assert!(pages.contains(&format!("`ruse show {name}`")), "no page of a game shows {name}");
    }
}

#[test]
fn the_tutorial_of_rule_files_writes_the_file() {
    let page = page(&root().join("docs/tutorial-rule-file.md"));
    let blocks = page.blocks();
    let parts = blocks.iter().filter(|block| block.language == "kif");
    let written: String =
        parts.flat_map(|block| &block.lines).map(|line| format!("{line}\n")).collect();
    let file = root().join("experiments/rules/claim.kif");
    assert_eq!(written, fs::read_to_string(file).expect("the file can be read"));
}

#[test]
fn every_rule_file_is_described() {
    let page = page(&root().join("docs/games/rule-files.md"));
    for file in ruse_gdl::RULE_FILES {
        let row = format!("| `{}.kif` |", file.name);
        assert!(page.text.contains(&row), "no row begins with {row}");
    }
}

#[test]
fn every_experiment_is_listed() {
    let page = page(&root().join("experiments/README.md"));
    for entry in fs::read_dir(root().join("experiments")).expect("the directory can be read") {
        let path = entry.expect("the entry can be read").path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            let name = path.file_name().expect("a file").to_string_lossy();
            assert!(page.text.contains(&format!("| `{name}` |")), "nothing is said of {name}");
        }
    }
}

#[test]
fn every_key_of_an_experiment_is_explained() {
    fn collect(schema: &serde_json::Value, keys: &mut BTreeSet<String>) {
        if let Some(properties) = schema.get("properties").and_then(|value| value.as_object()) {
            keys.extend(properties.keys().cloned());
        }
        let children: Vec<_> = match schema {
            serde_json::Value::Object(map) => map.values().collect(),
            serde_json::Value::Array(list) => list.iter().collect(),
            _ => Vec::new(),
        };
        children.into_iter().for_each(|child| collect(child, keys));
    }
    let output = Command::new(RUSE).arg("schema").output().expect("the program starts");
    let schema = serde_json::from_slice(&output.stdout).expect("a schema is JSON");
    let mut keys = BTreeSet::new();
    collect(&schema, &mut keys);
    assert!(keys.len() > 20, "only {keys:?}");
    let page = page(&root().join("docs/experiments-reference.md"));
    for key in keys {
        assert!(page.text.contains(&format!("`{key}`")), "nothing is said of the key {key}");
    }
}

/// The beginning of a comment that marks a block with numbers from results. The rest of the comment is the command that
/// prints the numbers.
const CHECKED: &str = "<!-- checked: ";

/// Returns the blocks that follow comments beginning with [`CHECKED`], each with the command in its comment. A block
/// ends at the next blank line.
fn checked_blocks(page: &Page) -> Vec<(&str, String)> {
    let mut lines = page.text.lines();
    let mut blocks = Vec::new();
    while let Some(line) = lines.next() {
        let Some(rest) = line.strip_prefix(CHECKED) else { continue };
        let command = rest.strip_suffix(" -->").expect("the comment ends in its line");
        let block = lines.by_ref().take_while(|line| !line.trim().is_empty());
        blocks.push((command, block.collect::<Vec<_>>().join("\n")));
    }
    blocks
}

/// Returns the numbers in a text. A number consists of digits, with points and commas between them, and may begin with
/// a point. Numbers that are parts of words are left out.
fn numbers(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    let is_word =
        |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let mut found = Vec::new();
    let mut end = 0;
    while let Some(start) = text[end..].find(is_part).map(|at| end + at) {
        end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |at| start + at);
        let number = text[start..end].trim_start_matches(',').trim_end_matches(['.', ',']);
        let is_whole =
            !is_word(text[..start].chars().next_back()) && !is_word(text[end..].chars().next());
        if is_whole && number.contains(|c: char| c.is_ascii_digit()) {
            found.push(number);
        }
    }
    found
}

/// Returns the cells of a row of a table, without its label.
fn cells(line: &str) -> Option<&str> {
    Some(line.strip_prefix('|')?.split_once('|')?.1)
}

/// Returns the output of a command. Each command is run once.
fn printed(command: &str) -> Arc<String> {
    static PRINTED: Mutex<BTreeMap<String, Arc<String>>> = Mutex::new(BTreeMap::new());
    let words = shlex::split(command).expect("quotations end");
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    let run = || {
        assert_eq!(words[0], "ruse", "{command}");
        let output = Command::new(RUSE).args(&words[1..]).current_dir(root()).output();
        let output = output.expect("the program starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {errors}");
        Arc::new(String::from_utf8(output.stdout).expect("text"))
    };
    Arc::clone(printed.entry(command.into()).or_insert_with(run))
}

/// The directories of results whose tables take more than half a second.
const LARGE: [&str; 5] = ["/paper", "/worst-case", "/self-play", "/factors", "/default-method "];

/// Returns the command that prints all tables of a directory, instead of the one that a command prints.
fn in_all_tables(command: &str) -> String {
    match command.split_once(" --only ") {
        Some((before, after)) => {
            let (_name, after) = after.split_once(' ').expect("the format follows");
            format!("{before} {after}")
        }
        None => command.into(),
    }
}

/// Looks for the numbers of blocks whose commands are meant in what `run` makes of the commands. Checks at least `least`.
fn check_numbers(run: impl Fn(&str) -> String, is_meant: impl Fn(&str) -> bool, least: usize) {
    let mut num_checked = 0;
    for page in pages() {
        let blocks = checked_blocks(&page).into_iter();
        for (command, block) in blocks.filter(|(command, _)| is_meant(command)) {
            let at = format!("{}: `{command}`", page.path.display());
            let printed = printed(&run(command));
            let rows: BTreeSet<_> = printed.lines().filter_map(cells).collect();
            for line in block.lines() {
                if let Some(row) = cells(line) {
                    assert!(rows.contains(row), "{at}: the page has {row}, the results do not");
                }
            }
            let printed: BTreeSet<_> = numbers(&printed).into_iter().collect();
            let claimed = numbers(&block);
            assert!(!claimed.is_empty(), "{at}: no numbers follow");
            num_checked += claimed.len();
            for number in claimed {
                assert!(
                    printed.contains(number),
                    "{at}: the page has {number}, the results do not"
                );
            }
        }
    }
    assert!(num_checked > least, "only {num_checked} numbers are checked");
}

/// Compares the tables in directories of results with what `ruse table` prints, in at least `least` rows.
fn check_tables(is_meant: impl Fn(&Path) -> bool, least: usize) {
    fn directories(directory: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(directory).expect("the directory can be read") {
            let path = entry.expect("the entry can be read").path();
            if path.is_dir() {
                found.push(path.clone());
                directories(&path, found);
            }
        }
    }
    let mut found = Vec::new();
    directories(&root().join("experiments/results"), &mut found);
    let mut num_rows = 0;
    for directory in found {
        let entries = fs::read_dir(&directory).expect("the directory can be read");
        let files = entries.map(|entry| entry.expect("the entry can be read").path());
        let is_table = |path: &PathBuf| {
            let name = path.file_name().expect("a name").to_string_lossy();
            name.starts_with("table-") && name.ends_with(".md")
        };
        let tables: Vec<PathBuf> = files.filter(is_table).collect();
        if tables.is_empty() || !is_meant(&directory) {
            continue;
        }
        let directory = directory.strip_prefix(root()).expect("it is in the repository");
        let command = format!("ruse table {} --format md", directory.display());
        let mut commands = vec![command.clone()];
        // Some tables of reference players are printed on request only.
        if tables.iter().any(|table| table.ends_with("table-yardsticks.md")) {
            commands.push(format!("{command} --only yardsticks"));
        }
        let printed: Vec<_> = commands.iter().map(|command| printed(command)).collect();
        let rows: BTreeSet<_> =
            printed.iter().flat_map(|text| text.lines()).filter_map(cells).collect();
        for table in tables {
            let text = fs::read_to_string(&table).expect("the table can be read");
            for row in text.lines().filter_map(cells) {
                assert!(
                    rows.contains(row),
                    "{}: not printed by `ruse table` any more: {row}; `ruse table {} --only NAME --format md` prints it",
                    table.display(),
                    directory.display()
                );
                num_rows += 1;
            }
        }
    }
    assert!(num_rows > least, "only {num_rows} rows are compared");
}
