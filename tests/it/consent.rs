//! No program starts because a file names it. `consent.txt` has all kinds of files that can name a program, and all
//! commands.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use ruse::programs::words_of;

use crate::program_games::{FIRST, script};
use crate::support::pseudo_terminal::{self, Size};
use crate::support::{object, output, paths_below, printed, ruse, said};

const TABLE: &str = include_str!("consent.txt");
const ALLOWED: &str = "--allow-programs";
/// A method that asks once.
const SEARCH: &str =
    "read -r task\nprintf '{\"evaluate\":[[0,0,0]],\"pairs\":2}\\n'\nread -r answer\n";

/// Puts commands in place of their names. They leave the file `ran`, and differ from their words joined by blanks.
fn filled(text: &str) -> String {
    text.replace("GAME", "sh -c 'touch ran; exec sh nearest.sh'")
        .replace("PLAYER", "sh -c 'touch ran; exec sh first.sh'")
        .replace("METHOD", "sh -c 'touch ran; exec sh search.sh'")
        .replace("SHORT", "budget: 200\nevaluation-pairs: 5\nmonitor-pairs: 5\nworst-case: 0")
}

/// Creates the files of the table. Returns the lines with commands, too.
fn place() -> (tempfile::TempDir, Vec<&'static str>) {
    let place = tempfile::tempdir().expect("a directory");
    let write =
        |name: &str, text: &str| fs::write(place.path().join(name), text).expect("writable");
    for (name, text) in [("nearest.sh", &*script()), ("first.sh", FIRST), ("search.sh", SEARCH)] {
        write(name, text);
    }
    write("mended", "");
    let sections = TABLE.split("=== ").skip(1).filter_map(|section| section.split_once('\n'));
    let mut commands = Vec::new();
    for (name, text) in sections {
        write(name, &filled(text));
        commands = text.lines().collect();
    }
    commands.retain(|line| !line.is_empty() && !line.starts_with('#'));
    (place, commands)
}

/// Creates directories of results, a strategy file, and a file with a game.
fn add_results(place: &Path) {
    let done = |line: &str| {
        let words =
            words_of(line).expect("words").iter().map(|word| filled(word)).collect::<Vec<_>>();
        printed(&words, place);
    };
    done("watch nim program:PLAYER random --speed 0 --save game.yaml");
    for (file, directory) in [("family", "run"), ("comparison", "comparison"), ("robin", "robin")] {
        done(&format!("run {file}.yaml --out {directory} -q {ALLOWED}"));
    }
    done(&format!("run game-robin.yaml --out game-robin -q {ALLOWED}"));
    done(&format!("run pools.yaml --out pools -q {ALLOWED}"));
    for shard in [0, 1] {
        done(&format!("run comparison.yaml --out shard-{shard} --shard {shard}/2 -q {ALLOWED}"));
    }
    done("merge merged shard-0 shard-1");
    done(&format!("resume merged -q {ALLOWED}"));
    done("publish comparison --out published");
    let found = paths_below(&place.join("run"));
    let strategy = found.iter().find(|path| path.ends_with("strategy.yaml")).expect("there");
    fs::copy(strategy, place.join("known.yaml")).expect("writable");
}

/// Runs a command in a place without the directory `out`. Returns the exit code, standard error, and whether a program
/// was started.
fn run(words: &[String], more: &[&str], place: &Path) -> (Option<i32>, String, bool) {
    let [ran, out] = ["ran", "out"].map(|name| place.join(name));
    let _ = fs::remove_file(&ran);
    let _ = fs::remove_dir_all(&out).or_else(|_| fs::remove_file(&out));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // Options stand before the words of `complete`.
    let output = output(&[more, &words].concat(), place);
    (output.status.code(), said(&output), ran.exists())
}

/// Checks that plans of an experiment start nothing, and announce the program: all plans, or one, chosen by a number.
fn check_plans(file: &str, command: &str, place: &Path, one: Option<usize>) {
    let plans = [&["plan", file][..], &["slurm", file, "--out", "x"], &["run", file, "--dry-run"]];
    let chosen = one.map_or(0..3, |number| number % 3..number % 3 + 1);
    for plan in &plans[chosen] {
        let output = output(&[*plan, &[ALLOWED]].concat(), place);
        let said = [&output.stdout[..], &output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(output.status.success(), "{plan:?}: {said}");
        assert!(said.contains(&format!("starts `{command}`")), "{plan:?}: {said}");
    }
    if one.is_none_or(|number| number % 3 == 0) {
        let json = object(&["plan", file, "--json"], place);
        let name = json["programs"][0]["command"].as_str();
        assert!(name.is_some_and(|name| name.ends_with(command)), "{json}");
    }
    assert!(!place.join("ran").exists(), "{file}");
}

tests! {
    fn no_file_starts_a_program() = check_commands(3);
    @long
    fn no_file_starts_a_program_with_and_without_permission() = check_commands(1);
}

/// Runs all commands. If `step` is not 1, those that start no program are run on a part of the files, every `step`-th of
/// them is repeated with permission, and each experiment has one plan.
fn check_commands(step: usize) {
    let (place, commands) = place();
    let path = place.path();
    add_results(path);
    let mut covered = BTreeSet::from(["evaluate".to_string(), "plan".into(), "slurm".into()]);
    for (number, line) in commands.into_iter().enumerate() {
        let words: Vec<String> = words_of(line).expect("words").iter().map(|w| filled(w)).collect();
        let (expected, of_program) = (words[0].as_str(), expected_words(&words[0]));
        let (command, words) = (&words[of_program - 1], &words[of_program..]);
        let is_known = !covered.insert(words[0].clone());
        if step > 1 && is_known && of_program == 1 && number % 2 == 1 {
            continue;
        }
        let announced = format!("starts `{command}`");
        let count = |errors: &str| errors.lines().filter(|line| *line == announced).count();
        let (code, errors, has_run) = run(words, &["-q"], path);
        match expected {
            "line" => assert!(has_run && count(&errors) == 1, "{line}: {errors}"),
            "file" => {
                assert_eq!((code, has_run), (Some(2), false), "{line}: {errors}");
                assert!(errors.contains(ALLOWED), "{line}: {errors}");
                if words[0] == "run" {
                    check_plans(&words[1], command, path, (step > 1).then_some(number));
                }
                let (_, errors, has_run) = run(words, &["-q", ALLOWED], path);
                assert!(has_run && count(&errors) == 1, "{line}: {errors}");
                if let Ok(provenance) = fs::read_to_string(path.join("out/provenance.yaml")) {
                    assert!(provenance.contains(command), "{line}: {provenance}");
                }
            }
            expected => {
                assert_eq!((code, has_run), (expected.parse().ok(), false), "{line}: {errors}");
                let is_repeated = number % step == step - 1;
                let starts = is_repeated && run(words, &[ALLOWED], path).2;
                assert!(!starts, "{line} started a program");
            }
        }
    }
    let help = printed("help", path);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let names = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    for name in names.filter(|name| !name.is_empty()) {
        assert!(covered.contains(name), "`ruse {name}` is not tested");
    }
    assert!(covered.len() > 30, "{covered:?}");
}

/// Returns the number of words before the command.
fn expected_words(expected: &str) -> usize {
    if ["file", "line"].contains(&expected) { 2 } else { 1 }
}

/// The answer to a request is an error, which is not the end of the command.
#[test]
fn requests_start_programs_with_permission() {
    let (place, _) = place();
    for (more, is_started) in [(&[][..], false), (&[ALLOWED], true)] {
        let _ = fs::remove_file(place.path().join("ran"));
        let request = fs::File::open(place.path().join("request")).expect("it was written");
        let mut command = ruse(&[&["evaluate", "nim", "--stdin"], more].concat(), place.path());
        let output = command.stdin(request).output().expect("it runs");
        assert_eq!(place.path().join("ran").exists(), is_started, "{output:?}");
    }
}

/// On a terminal, the user decides.
#[test]
fn a_user_is_asked() {
    let (place, _) = place();
    let ran = place.path().join("ran");
    let size = Size { rows: 24, columns: 200 };
    for (answer, code) in [("", 2), ("n", 2), ("y", 0)] {
        let mut session = pseudo_terminal::start(size, &["show", "stranger.yaml"], place.path());
        session.wait_for(&filled("`GAME`. Start it? [y/N]"));
        assert!(!ran.exists(), "nothing is started before the answer");
        session.type_line(answer);
        let shown = session.finish();
        assert_eq!((shown.code, ran.exists()), (Some(code), code == 0), "{}", shown.text());
    }
}
