//! Tests of the program in a terminal. Progress bars fit the terminal, are cleared, and can be switched off.

use std::fs;
use std::path::Path;

use crate::support::Home;
use crate::support::pseudo_terminal::{Session, Shown, Size, run, run_without_results, start};
use ruse::registry::Registry;

const USUAL: Size = Size { rows: 24, columns: 80 };
const NARROW: Size = Size { rows: 20, columns: 40 };
/// The size that some programs report for a terminal without a size.
const SLIT: Size = Size { rows: 24, columns: 1 };

/// Returns `true` if a line shows progress: a bar, in brackets, that consists of blanks, equals signs and at most one
/// arrow.
fn is_bar(line: &str) -> bool {
    let bar = line.strip_prefix('[').and_then(|line| line.split_once(']'));
    bar.is_some_and(|(bar, _)| bar.len() >= 8 && bar.chars().all(|c| "=> ".contains(c)))
}

/// Checks the output of a program that has ended without a signal.
fn assert_sound(shown: &Shown, code: i32, size: Size, what: &str) {
    let text = shown.text();
    assert!(!text.contains("panicked"), "{what}: {text}");
    assert_eq!(shown.code, Some(code), "{what}: {text}");
    assert!(shown.has_cursor(), "{what}: the cursor is hidden");
    let remaining = shown.remaining();
    assert!(!remaining.lines().any(is_bar), "{what}: a bar is left in {remaining}");
    assert_fits(shown, size, what);
}

/// Asserts that every bar fills its line, with blanks if necessary. A longer text would continue in a line that is not
/// a bar.
fn assert_fits(shown: &Shown, size: Size, what: &str) {
    let is_full = |line: &str| is_bar(line) && line.chars().count() == usize::from(size.columns);
    for pair in shown.drawn_lines().windows(2) {
        let fits = !is_full(&pair[0]) || pair[1].is_empty() || is_bar(&pair[1]);
        assert!(fits, "{what}: below a bar: {pair:?}");
    }
}

const COMPARISON: &str = "\
families: [{family: batawaf4, budget: 20k}, {family: pig, budget: 10k}]
methods: [naive, seeds, cma-es]
repeats: 2
evaluation-pairs: 200
monitor-pairs: 50
half-width: 0.05
";
/// An experiment in which players search with two budgets.
const PLAYERS: &str = "\
family: tic_tac_toe.kif
players: [mac-ucb@Tks, uct@Tks, random]
budgets: [1, 5]
pairs: 6
";
const PORTFOLIOS: &str = "\
portfolios: [{family: batawaf4, random: [3, 4], pairs: 200}]
games: 100
runs: 20
";

/// Commands that show progress; earlier commands write the inputs of later commands. Each element is a command, a part
/// of its results, and a flag, which is set if the command is certain to show a bar.
const COMMANDS: [(&str, &str, bool); 22] = [
    ("match war random descending --pairs 2000", "of the games", true),
    ("exploit batawaf4 descending --budget 4k", "exploitability", true),
    ("optimise batawaf4 --budget 20k --out one", "The champion", true),
    (
        "optimise pig --method all --budget 100k --out all",
        "highest mean score against the others",
        true,
    ),
    (
        "compare pig batawaf4 --methods naive,seeds --repeats 2 --budget 4k --half-width 0.05 --out two",
        "Written to two",
        true,
    ),
    ("run comparison.yaml --out comparison", "Written to comparison", true),
    ("run portfolios.yaml --out portfolios", "Written to portfolios", true),
    ("bench pig nim --seconds 0.05", "Gaussian", true),
    ("portfolio batawaf4 --random 4 --pairs 200", "4 strategies,", true),
    ("exploit comparison --budget 4k", "Exploitability: what", true),
    ("resume one", "The champion", false),
    ("resume all", "highest mean score against the others", false),
    ("resume comparison", "Written to comparison", false),
    ("resume portfolios", "Written to portfolios", false),
    ("explain all/strategy.yaml", "pig", false),
    ("match tic_tac_toe.kif mac-ucb@1ks uct@1ks --pairs 40", "of the games", true),
    ("match nim.kif fc-ucb@200 forward-ucb@20ms --pairs 2", "of the games", false),
    ("show nim.kif --network --exact", "Exact, from all 752 states", false),
    ("advise nim.kif mac-ucb@1ks --position 1", "types:", false),
    ("watch nim.kif mac-ucb@1ks uct@1ks --speed 0 --seed 1", "wins", false),
    ("run players.yaml --out players", "Written to players", true),
    ("table players --only time", "mac-ucb", false),
];

fn arguments(command: &str) -> Vec<&str> {
    command.split(' ').collect()
}

fn directory() -> Home {
    let directory = Home::new();
    for (name, text) in [
        ("comparison.yaml", COMPARISON),
        ("players.yaml", PLAYERS),
        ("portfolios.yaml", PORTFOLIOS),
    ] {
        fs::write(directory.join(name), text).expect("writable");
    }
    directory
}

/// Joins the words of a text, ignoring line breaks.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn all_commands(size: Size) {
    let directory = directory();
    for (command, result, takes_long) in COMMANDS {
        let shown = run(size, &arguments(command), &directory);
        assert_sound(&shown, 0, size, command);
        // In a single column, every word is split, and a bar does not fit.
        if size.columns > 1 {
            let remaining = shown.remaining();
            assert!(in_one_line(&remaining).contains(result), "{command}: {remaining}");
            let has_bar = shown.drawn_lines().iter().any(|line| is_bar(line));
            assert!(has_bar || !takes_long, "{command}: no bar in {}", shown.text());
        }
    }
}

tests! {
    fn all_methods_on_a_family() = all_methods(&["pig"]);
    fn some_commands_are_quiet() = assert_quiet(&[0, 6, 7, 8].map(|at| COMMANDS[at]));
    @long
    fn all_commands_in_a_usual_terminal() = all_commands(USUAL);
    fn all_commands_in_a_narrow_terminal() = all_commands(NARROW);
    fn all_commands_in_a_terminal_of_one_column() = all_commands(SLIT);
    /// With `--quiet`, and with standard output redirected, no command writes to the terminal.
    fn quiet_is_quiet() = assert_quiet(&COMMANDS);
}

/// Asserts that no sentence and no table cell is cut where the screen ends.
fn assert_whole(shown: &Shown, what: &str) {
    let remaining = shown.remaining();
    let cut = remaining.lines().find(|line| line.trim_end().ends_with("..."));
    assert_eq!(cut, None, "{what}: {remaining}");
    let more = remaining.contains(" more: --full") || !remaining.contains(" ... and ");
    assert!(more, "{what}: no hint in {remaining}");
}

#[test]
fn families_and_strategies_are_shown_in_whole_sentences() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let registry = Registry::standard();
    let mut subjects: Vec<String> = registry.families().map(|of| of.name().into()).collect();
    let files = fs::read_dir(root.join("experiments/strategies")).expect("readable");
    let files = files.map(|file| file.expect("readable").path().display().to_string());
    subjects.extend(files.filter(|file| file.ends_with(".yaml")));
    assert!(subjects.len() > 35, "{subjects:?}");
    for subject in subjects {
        let shown = run(USUAL, &["show", &subject], root);
        assert_sound(&shown, 0, USUAL, &subject);
        assert_whole(&shown, &subject);
    }
}

#[test]
#[ignore = "long"]
fn all_methods_on_all_families() {
    let registry = Registry::standard();
    let names: Vec<&str> = registry.families().map(|family| family.name()).collect();
    all_methods(&names);
}

/// Runs an experiment with all methods on each family, and checks that the finished parts of the work add up to the
/// whole, despite rounding.
fn all_methods(families: &[&str]) {
    let directory = &*Home::new();
    let registry = Registry::standard();
    for &name in families {
        let mut experiment = format!(
            "family: {name}\nmethod: all\nbudget: 1k\nevaluation-pairs: 8\nmonitor-pairs: 2\n"
        );
        // Limits the time of searches.
        let rules = registry.family(name).expect("known").rules();
        if rules.iter().any(|rule| rule.name == "playouts") {
            experiment += "rules: {playouts: 1, map: 11, cap: 100}\n";
        }
        fs::write(directory.join("all.yaml"), experiment).expect("writable");
        let shown = run(USUAL, &["run", "all.yaml", "--out", name], directory);
        assert_sound(&shown, 0, USUAL, name);
        assert!(
            in_one_line(&shown.remaining()).contains("mean score against the others"),
            "{name}: {}",
            shown.remaining()
        );
        assert_whole(&shown, name);
        let again = run(USUAL, &["resume", name], directory);
        assert_sound(&again, 0, USUAL, name);
        assert!(again.remaining().contains("the run is finished"), "{name}: {}", again.remaining());
    }
}

/// If no game is named, the program shows a menu that fits the terminal, and asks again after an invalid answer.
#[test]
fn games_are_chosen_from_a_menu() {
    let directory = directory();
    let mut session = start(USUAL, &["play"], &directory);
    session.wait_for("number or name");
    session.type_line("chess");
    session.wait_for("there is no game `chess`");
    session.type_line("pig");
    session.wait_for("pig against");
    session.type_line("q");
    let shown = session.finish();
    assert_sound(&shown, 0, USUAL, "play");
    let text = shown.text();
    let menu: Vec<&str> =
        text.lines().take_while(|line| !line.contains("number or name")).collect();
    assert!(menu.len() < usize::from(USUAL.rows), "{text}");
    assert!(menu.iter().all(|line| line.chars().count() <= usize::from(USUAL.columns)), "{text}");
}

/// During a run, the best strategy so far is shown above the bar.
#[test]
fn the_best_strategy_so_far_is_shown_in_words() {
    let directory = directory();
    let mut session = begin("long", &directory);
    session.wait_for("best: .");
    session.wait_for("puts the cards won back");
    session.press_ctrl_c();
    assert_sound(&session.finish(), 130, USUAL, "optimise");
}

/// Starts a run that takes hours, and waits until it has found something.
fn begin(out: &str, directory: &Path) -> Session {
    let command =
        format!("optimise batawaf4 --method naive --budget 100G --threads 2 -v --out {out}");
    let mut session = start(USUAL, &arguments(&command), directory);
    session.wait_for("accepted in iteration 1");
    session
}

#[test]
fn ctrl_c_once_and_then_more() {
    let directory = directory();
    let mut session = begin("long", &directory);
    session.press_ctrl_c();
    let shown = session.finish();
    assert_sound(&shown, 130, USUAL, "Ctrl-C");
    let remaining = shown.remaining();
    assert!(remaining.contains("The champion"), "{remaining}");
    assert!(remaining.contains("`ruse resume long` goes on from here"), "{remaining}");

    let mut session = start(USUAL, &["resume", "long"], &directory);
    session.wait_for("resumed after iteration");
    session.wait_for("games, ");
    session.press_ctrl_c();
    let shown = session.finish();
    assert_sound(&shown, 130, USUAL, "Ctrl-C of a resumed run");
    assert!(shown.remaining().contains("The champion"), "{}", shown.remaining());
}

/// The second Ctrl-C ends the program at once, and the run can still be resumed.
#[test]
fn ctrl_c_twice() {
    let directory = directory();
    let mut session = begin("long", &directory);
    session.press_ctrl_c();
    session.press_ctrl_c();
    let shown = session.finish();
    assert!(!shown.text().contains("panicked"), "{}", shown.text());
    assert_eq!(shown.code, Some(130), "{}", shown.text());
    let mut session = start(USUAL, &["resume", "long"], &directory);
    session.wait_for("resumed after iteration");
    session.press_ctrl_c();
    assert_sound(&session.finish(), 130, USUAL, "resume");
}

fn assert_quiet(commands: &[(&str, &str, bool)]) {
    let directory = directory();
    for (command, ..) in commands {
        let mut arguments = arguments(command);
        arguments.push("--quiet");
        let shown = run_without_results(USUAL, &arguments, &directory);
        assert_eq!((shown.text().as_str(), shown.code), ("", Some(0)), "{command}");
    }
}

/// In a terminal, only stones and hits are coloured.
#[test]
fn a_table_has_colours_in_a_terminal() {
    let directory = &*Home::new();
    let arguments = "watch four-in-a-row random random --seed 1 --speed 0 --actions 2";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let shown = run(USUAL, &arguments, directory);
    assert_eq!(shown.code, Some(0), "{}", shown.text());
    let text = String::from_utf8_lossy(&shown.bytes);
    // The first player's stones are yellow, and the second player's stones are cyan.
    assert!(text.contains("\u{1b}[33m") && text.contains("\u{1b}[36m"), "{text}");
    assert!(!text.contains("\u{1b}[33ma"), "{text}");
}
