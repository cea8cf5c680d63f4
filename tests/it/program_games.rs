//! Programs that play, and families whose games a program plays, in the command line. The programs are shell scripts.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{Arguments, Home, object, output, printed, prints, refuses, said};

/// A number from 0 to 100, with 5 as the start; the baseline plays 7.
const MANIFEST: &str = r#"'{"family":"nearest","parameters":[{"name":"number","kind":"integer","min":0,"max":100,"start":5,"step":10}],"references":[{"name":"seven","parameters":[7]}],"baseline":"seven","deterministic":true,"concurrent":8}'"#;

/// Returns the script of the game. It fails after 500 requests, unless there is a file `mended`.
pub(crate) fn script() -> String {
    let game = include_str!("../../crates/play/src/family/program_games/nearest.sh");
    let failing = "left=500
while read -r line; do
    left=$((left - 1))
    if [ \"$left\" -lt 0 ] && ! [ -e mended ]; then echo 'out of numbers' >&2; exit 3; fi
";
    game.replace("echo MANIFEST", &format!("echo {MANIFEST}"))
        .replace("while read -r line; do\n", failing)
}

const FAMILY: &str = "program:sh nearest.sh";

struct Place(Home);

impl Place {
    fn new(is_mended: bool) -> Place {
        let place = Place(Home::new());
        std::fs::write(place.path("nearest.sh"), script()).expect("it is written");
        if is_mended {
            place.mend();
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn mend(&self) {
        std::fs::write(self.path("mended"), "").expect("it is written");
    }

    fn ruse(&self, arguments: &(impl Arguments + ?Sized)) -> Output {
        output(arguments, &self.0)
    }

    /// Runs a command that must succeed.
    fn done(&self, arguments: &(impl Arguments + ?Sized)) -> String {
        printed(arguments, &self.0)
    }
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Names the directory of the only run in the directory `out`.
fn run_in(place: &Place, out: &str) -> PathBuf {
    place.path(out).join("program-sh-nearest-cma-es-seed1")
}

const OPTIMISE: &str = "optimise 'program:sh nearest.sh' --method cma-es --budget 3k --worst-case 0 --threads 1 --out run";

#[test]
fn a_program_that_fails_loses_nothing() {
    let whole = Place::new(true);
    whole.done(OPTIMISE);
    let found = text(&run_in(&whole, "run").join("strategy.yaml"));
    let (_, number) = found.split_once("words: plays with number ").expect("the words");
    let number: u32 = number.lines().next().expect("a line").parse().expect("a number");
    assert!(number > 7, "5 loses to the baseline: {found}");

    let broken = Place::new(false);
    let failed = broken.ruse(OPTIMISE);
    let errors = said(&failed);
    assert!(!failed.status.success(), "{errors}");
    assert!(errors.contains("out of numbers") && errors.contains("ruse resume"), "{errors}");
    broken.mend();
    broken.done(&["resume", "run", "--allow-programs"]);
    assert_eq!(text(&run_in(&broken, "run").join("strategy.yaml")), found);
}

#[test]
fn comparisons_do_not_depend_on_threads() {
    let place = Place::new(true);
    for threads in ["1", "2"] {
        let compare =
            ["compare", FAMILY, "--methods", "naive,es", "--budget", "500", "--repeats", "2"];
        let how = ["--half-width", "0.2", "--threads", threads, "--out", threads];
        place.done(&[&compare[..], &how].concat());
    }
    for file in ["measurements.csv", "runs.csv", "curves.csv"] {
        let of = |threads: &str| text(&place.path(threads).join(file));
        assert_eq!(of("1"), of("2"), "{file}");
    }
    let table = place.done(&["table", "1", "--only", "scores"]);
    assert!(table.contains("es"), "{table}");
}

#[test]
fn other_commands_know_such_families() {
    let place = Place::new(true);
    let shown = place.done(&["show", FAMILY]);
    assert!(shown.contains("in steps of 10 from 5") && shown.contains("seven"), "{shown}");
    let scored = place.done(&["match", FAMILY, "[3]", "seven", "--pairs", "50", "--json"]);
    assert!(scored.contains("\"losses\": 0"), "{scored}");
    let best = place.done(&["exploit", FAMILY, "seven", "--budget", "1k", "--json"]);
    assert!(best.contains("\"high\": 0.5"), "{best}");
    for (args, problem) in [
        (["play", FAMILY], "cannot be played"),
        (["show", "program:no/such/program"], "cannot start"),
        (["show", "program:sh missing.sh"], "it failed"),
    ] {
        let refused = place.ruse(&args);
        let errors = said(&refused);
        assert!(!refused.status.success() && errors.contains(problem), "{args:?}: {errors}");
        assert!(
            !errors.contains("sh missing.sh: sh missing.sh"),
            "the command stands twice: {errors}"
        );
    }
}

/// The examples in Python play; they are skipped where there is no Python.
#[test]
fn the_examples_in_python_play() {
    if Command::new("python3").arg("--version").output().is_err() {
        return eprintln!("there is no python3: not tested");
    }
    let game = concat!("program:python3 ", env!("CARGO_MANIFEST_DIR"), "/examples/blotto.py");
    let scored = ["match", game, "even", "by-worth", "--pairs", "50", "--json"];
    prints(&scored, &Home::new(), "\"pairs\": 50");
    let player = concat!("python3 ", env!("CARGO_MANIFEST_DIR"), "/examples/random_player.py");
    let checked = ["check-player", player, "kuhn_poker.kif", "--pairs", "5"];
    prints(&checked, &Home::new(), "no faults\n");
}

/// Plays the first legal move, and notes each start in a file.
pub(crate) const FIRST: &str = r#"
echo started >> starts
read -r hello
echo '{"name": "first"}'
while read -r line; do
    case $line in
        '{"move"'*)
            first=${line#*'"legal":["'}
            echo "{\"move\": \"${first%%\"*}\"}" ;;
        '{"bye"'*) exit 0 ;;
    esac
done
"#;

const PLAYER: &str = "program:sh first.sh";
/// Leaves the heaps with 1 and 3 matches: the program reads shorter lists of moves.
const SMALL: [&str; 2] = ["--rule=heap-3=0", "--rule=heap-4=0"];

fn place_of_players() -> Place {
    let place = Place(Home::new());
    std::fs::write(place.path("first.sh"), FIRST).expect("it is written");
    let wrong = FIRST.replace("first=${line", "first=nonsense; line=${line");
    std::fs::write(place.path("wrong.sh"), wrong).expect("it is written");
    place
}

#[test]
fn a_program_is_a_player_in_all_commands() {
    let place = place_of_players();
    let scored = place.done(&["match", "nim", PLAYER, "optimal", "--pairs", "10", "--json"]);
    assert!(scored.contains("\"losses\": 20"), "{scored}");
    let table = place.done(&["tournament", "nim", PLAYER, "optimal", "random", "--pairs", "5"]);
    assert!(table.contains("first.sh"), "{table}");
    let best =
        place.done(&["exploit", "nim", PLAYER, SMALL[0], SMALL[1], "--budget", "100", "--json"]);
    assert!(best.contains("\"high\": 0.5"), "{best}");
    let watched = place.done(&["watch", "pig", PLAYER, "hold-20", "--speed", "0"]);
    assert!(watched.contains("wins"), "{watched}");
    let against = ["optimise", "nim", "--baseline", PLAYER, "--budget", "100", "--out", "run"];
    place.done(&[&against[..], &SMALL, &["--worst-case", "0"]].concat());
    let provenance = text(&place.path("run/provenance.yaml"));
    assert!(provenance.contains("- program:sh first.sh"), "{provenance}");

    let mixture = format!("family: nim\nmixture:\n- {{strategy: '{PLAYER}', weight: 1}}\n");
    std::fs::write(place.path("mixture.yaml"), mixture).expect("it is written");
    let mixed = "match nim mixture.yaml random --pairs 3";
    refuses(mixed, &place.0, "a strategy file starts no programs");
}

/// Each game of `wrong.sh` against `random` is lost by an illegal move: eight games in four pairs. A tournament also
/// plays a pair to see whether all pairs are equal, and a round robin plays a game as an example.
#[test]
fn mistakes_of_programs_are_counted_beside_the_results() {
    const WRONG: &str = "program:sh wrong.sh";
    let line = |games: u32| {
        format!("{games} games lost by mistakes of `sh wrong.sh`: {games} illegal moves")
    };
    let place = place_of_players();
    let pairs = ["--pairs", "4"];
    // A score of games that were all lost by mistakes is a failure.
    let forfeited = |args: &[&str]| {
        let output = place.ruse(&[args, &pairs].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("`sh wrong.sh` lost all games by mistakes"), "{error}");
        assert_eq!(output.status.code(), Some(1), "{error}");
        String::from_utf8(output.stdout).expect("text")
    };
    let scored = forfeited(&["match", "nim", WRONG, "random"]);
    assert!(scored.contains(&line(8)), "{scored}");
    assert!(scored.contains("All 4 pairs gave the same results."), "{scored}");
    let json = forfeited(&["match", "nim", WRONG, "random", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("an object");
    assert_eq!(json["mistakes"][0]["lost"]["illegal"], 8, "{json}");
    assert_eq!(json["mistakes"][0]["program"], "sh wrong.sh", "{json}");
    let table = place.done(&[&["tournament", "nim", WRONG, "random"], &pairs[..]].concat());
    assert!(table.contains(&line(10)), "{table}");

    let robin = format!("family: nim\nplayers: ['{WRONG}', random]\npairs: 4\n");
    std::fs::write(place.path("robin.yaml"), robin).expect("it is written");
    let allowed = ["run", "robin.yaml", "--out", "robin", "--quiet", "--allow-programs"];
    let told = place.done(&allowed);
    assert!(told.contains(&line(9)), "{told}");
    // The table starts no program, and finds the mistakes in the directory.
    let table = place.done(&["table", "robin", "--only", "scores"]);
    assert!(table.contains(&line(9)), "{table}");
    let json = place.done(&["table", "robin", "--format", "json"]);
    assert!(json.contains("\"illegal\": 9"), "{json}");

    // Where no program makes a mistake, nothing is said.
    let scored = place.done(&[&["match", "nim", PLAYER, "random"], &pairs[..]].concat());
    assert!(!scored.contains("mistakes"), "{scored}");
    let json = place.done(&["match", "nim", "optimal", "random", "--json"]);
    assert!(!json.contains("mistakes"), "{json}");
}

/// A program is trusted when it calls itself deterministic, until it plays in another way.
#[test]
fn deterministic_programs_are_reproducible() {
    let place = place_of_players();
    let steady =
        FIRST.replace("\"first\"}", "\"first\", \"deterministic\": true, \"concurrent\": 3}");
    let again = r#"case $line in *'"again":true'*) echo '{"move": "other"}'; continue ;; esac; first=${line#"#;
    let fickle = steady.replace("first=${line#", again);
    for (name, script) in [("steady.sh", &steady), ("fickle.sh", &fickle)] {
        std::fs::write(place.path(name), script).expect("it is written");
    }
    let reproducible = |name: &str, threads: &str| {
        let name = format!("program:sh {name}");
        let args =
            ["match", "nim", &name, "random", "--pairs", "12", "--json", "--threads", threads];
        let mut json = object(&args, &place.0);
        (json["reproducible"].take(), json)
    };
    assert_eq!(reproducible("first.sh", "1").0, false);
    let (is_reproducible, alone) = reproducible("steady.sh", "1");
    assert_eq!(is_reproducible, true);
    assert_eq!(reproducible("steady.sh", "3").1, alone);
    assert_eq!(reproducible("fickle.sh", "1").0, false);
}

#[test]
fn players_are_checked() {
    let place = place_of_players();
    let checked = place.done(&["check-player", "sh first.sh", "pig", "--pairs", "5"]);
    assert!(
        checked.contains("first has played 10 games of pig and left 6 others")
            && checked.ends_with("no faults\n"),
        "{checked}"
    );
    let refused = place.ruse(&["check-player", "sh wrong.sh", "pig", "--pairs", "5"]);
    let errors = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{errors}");
    assert!(errors.contains("by illegal moves") && errors.contains("made mistakes"), "{errors}");
    let soon = "match nim 'program@soon:sh first.sh' random";
    refuses(soon, &place.0, "expected program@TIME:COMMAND");
}
