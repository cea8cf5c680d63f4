//! Tests of the program with the little engine of the examples, which plays and misbehaves.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::time::Duration;

use ruse_uci::engine::{Engine, Limit, Patience};
use serde_json::{Value, json};

/// Returns the path of the little engine, which `cargo test` builds next to the tests.
fn little_engine() -> PathBuf {
    let test = std::env::current_exe().expect("this test has a file");
    let target = test.ancestors().nth(2).expect("target/PROFILE/deps/TEST");
    let name = format!("little_engine{}", std::env::consts::EXE_SUFFIX);
    let path = target.join("examples").join(name);
    assert!(path.exists(), "{} is not there: `cargo build --examples`", path.display());
    path
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ruse-uci"));
    command.arg(little_engine()).args(arguments);
    command
}

/// Runs the program without any input.
fn output(arguments: &[&str]) -> Output {
    command(arguments).stdin(Stdio::null()).output().expect("it starts")
}

/// Runs the program, which must refuse its arguments, and returns its message.
fn refused(arguments: &[&str]) -> String {
    let output = output(arguments);
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8(output.stderr).expect("text")
}

/// A running program.
struct Adapter {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Adapter {
    fn start(arguments: &[&str]) -> Adapter {
        Adapter::of(&mut command(arguments))
    }

    fn of(command: &mut Command) -> Adapter {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let to = child.stdin.take().expect("piped");
        let from = BufReader::new(child.stdout.take().expect("piped"));
        Adapter { child, to, from }
    }

    fn ask(&mut self, line: &Value) -> Value {
        writeln!(self.to, "{line}").expect("it reads");
        let mut answer = String::new();
        self.from.read_line(&mut answer).expect("it answers");
        serde_json::from_str(&answer).expect("JSON")
    }

    fn pair(&mut self, a: Value, b: Value, deal: u64) -> Value {
        self.ask(&json!({"pair": deal, "a": a, "b": b, "deal": deal}))
    }

    fn end(mut self) {
        writeln!(self.to, "{}", json!({"bye": true})).expect("it reads");
        assert!(self.child.wait().expect("it ends").success());
    }
}

#[test]
fn the_options_are_described() {
    let arguments = ["--tune", "queenvalue=500..1500/50", "--tune", "Quiescence"];
    let mut adapter =
        Adapter::start(&[&arguments[..], &["--tune", "Move Order", "--depth", "2"]].concat());
    let hello = adapter.ask(&json!({"hello": {"protocol": 1, "kind": "game"}}));
    let expected = json!({
        "family": "Little Engine",
        "summary": "options of the chess engine Little Engine, with depth 2 a move",
        "parameters": [
            {"name": "QueenValue", "kind": "integer", "min": 500.0, "max": 1500.0, "start": 900.0, "step": 50.0},
            {"name": "Quiescence", "kind": "choice", "choices": ["false", "true"], "start": "true"},
            {"name": "Move Order", "kind": "choice", "choices": ["captures first", "as generated"], "start": "captures first"},
        ],
        "references": [{
            "name": "default",
            "meaning": "the engine's own values",
            "parameters": [900, "true", "captures first"],
        }],
        "baseline": "default",
        "payoffs": 2,
        "deterministic": false,
    });
    assert_eq!(hello, expected);
    adapter.end();
}

/// A side that gives away its queen and rooks loses. The same settings share the points, because both games of a pair
/// are then the same game.
#[test]
fn payoffs_are_from_the_side_of_a() {
    let arguments = ["--tune", "QueenValue", "--tune", "RookValue", "--nodes", "500"];
    let mut adapter = Adapter::start(&arguments);
    let mut sum = |a: Value, b: Value| {
        let sums = (0..4).map(|deal| {
            let payoffs = adapter.pair(a.clone(), b.clone(), deal)["payoffs"].take();
            let payoffs: [f64; 2] = serde_json::from_value(payoffs).expect("payoffs");
            payoffs[0] + payoffs[1]
        });
        sums.collect::<Vec<f64>>()
    };
    let (poor, good) = (json!([0, 0]), json!("default"));
    let lost: f64 = sum(poor.clone(), good.clone()).iter().sum();
    let won: f64 = sum(good.clone(), poor).iter().sum();
    assert!(lost <= 1.0 && won >= 7.0, "{lost} and {won} of 8 points");
    assert_eq!(sum(json!([900, 500]), good), [1.0; 4]);
    adapter.end();
}

/// Whether an engine that has played with other settings plays another game than a new engine.
fn remembers(options: &[&str]) -> bool {
    let tuned = ["--tune", "QueenValue", "--tune", "Mobility", "--nodes", "200"];
    let arguments = [&tuned[..], options].concat();
    let games = |before: &[Value]| {
        let mut adapter = Adapter::start(&arguments);
        for values in before {
            adapter.pair(values.clone(), values.clone(), 9);
        }
        let found = [5, 6, 7].map(|deal| adapter.pair(json!([0, 0]), json!("default"), deal));
        adapter.end();
        found
    };
    games(&[json!([2000, 40]), json!([0, -20])]) != games(&[])
}

#[test]
fn earlier_settings_leave_no_trace() {
    assert!(!remembers(&["--keep"]), "the engine forgets them");
    // This engine takes no options after its first move.
    assert!(remembers(&["--keep", "--", "--fault", "stale"]));
    assert!(!remembers(&["--", "--fault", "stale"]), "it starts again");
}

#[test]
fn files_name_options_and_openings() {
    let place = tempfile::tempdir().expect("a directory");
    let file = |name: &str, text: &str| {
        let path = place.path().join(name);
        std::fs::write(&path, text).expect("writable");
        path.to_str().expect("text").to_string()
    };
    let parameters = file("tuned.txt", "QueenValue, int, 950, 500, 1500, 50, 0.002\n");
    // White mates in one.
    let won = file("won.epd", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - id \"mate\";\n");
    let arguments = ["--parameters", &parameters, "--openings", &won];
    let mut adapter = Adapter::start(&arguments);
    let hello = adapter.ask(&json!({"hello": {}}));
    assert_eq!(hello["parameters"][0]["start"], json!(950.0));
    assert_eq!(hello["references"][0]["parameters"], json!([900]));
    assert_eq!(adapter.pair(json!([950]), json!("default"), 3)["payoffs"], json!([1.0, 0.0]));
    adapter.end();
    let broken = file("broken.pgn", "[Event \"x\"]\n\n1. e4 Ke4\n");
    let error = refused(&["--tune", "Mobility", "--openings", &broken]);
    assert!(error.contains("broken.pgn: line 3: `Ke4` is not a legal move"), "{error}");
}

#[test]
fn wrong_options_are_refused() {
    for (arguments, part) in [
        (&["--tune", "QueenValu"][..], "(did you mean `QueenValue`?); it has: PawnValue, Knight"),
        (&["--tune", "Mobility", "--set", "TempoBonus=101"], "a whole number from -100 to 100"),
        (&["--tune", "Mobility", "--set", "Mobility=1"], "`Mobility` is named twice"),
        (&[], "nothing to tune"),
        (&["--tune", "Mobility", "--depth", "3", "--movetime", "9"], "cannot be used with"),
    ] {
        let error = refused(arguments);
        assert!(error.contains(part), "{arguments:?}: {error}");
    }
    let absent = Command::new(env!("CARGO_BIN_EXE_ruse-uci")).arg("./no-engine").output();
    let absent = String::from_utf8(absent.expect("it starts").stderr).expect("text");
    assert!(absent.contains("cannot start `./no-engine`"), "{absent}");
}

#[test]
fn wrong_requests_are_answered() {
    let mut adapter = Adapter::start(&["--tune", "QueenValue", "--depth", "1"]);
    for (request, part) in [
        (json!({"pair": 1, "a": [900, 1], "b": "default", "deal": 1}), "2 values given"),
        (json!({"pair": 1, "a": "default", "b": [2001], "deal": 1}), "b: 2001 is not a value"),
        (json!({"pair": 1, "a": "best", "b": [2000], "deal": 1}), "unknown player `best`"),
        (json!({"pair": 1, "a": null, "b": [2000], "deal": 1}), "a list of values or a name"),
        (json!({"pair": 1}), "invalid request"),
    ] {
        let answer = adapter.ask(&request);
        let error = answer["error"].as_str().expect("an error");
        assert!(error.contains(part), "{request}: {error}");
    }
    let played = adapter.pair(json!([900]), json!("default"), 1);
    assert!(played["payoffs"].is_array(), "{played}");
    // The end of the input is an end, too.
    drop(adapter.to);
    assert!(adapter.child.wait().expect("it ends").success());
}

/// Faults that are found at once. The message names the position and the settings, and the next pair begins with new
/// engines, which again fail at their tenth move.
#[test]
fn bad_engines_are_reported() {
    for (fault, part) in [
        ("die", "3) before it answered `go depth 1`"),
        ("illegal", "illegal move a1a1"),
        ("none", "it answered `bestmove (none)` where there are legal moves"),
    ] {
        let arguments = ["--tune", "QueenValue", "--depth", "1", "--", "--fault", fault];
        let mut adapter = Adapter::start(&arguments);
        for deal in 0..2 {
            let answer = adapter.pair(json!([950]), json!("default"), deal);
            let error = answer["error"].as_str().expect("an error");
            assert_eq!(answer["pair"], json!(deal));
            let begin = "player a as White with QueenValue 950: ";
            let begins = error.contains(begin) || error.contains("player b as White with");
            let begins = begins || error.contains("as Black with QueenValue 9");
            assert!(begins && error.contains(part) && error.contains("; position "), "{error}");
        }
        adapter.end();
    }
}

/// Faults that are found when time has run out, which is a moment here.
#[test]
fn engines_that_do_not_answer_are_reported() {
    let Patience { answer, delay } = Patience::default();
    assert_eq!((answer.as_secs(), delay.as_secs()), (10, 5));
    let moment = Duration::from_millis(50);
    let short = Patience { answer: moment, delay: moment };
    let start = |fault: &str, patience| {
        let words = [little_engine().display().to_string(), "--fault".into(), fault.into()];
        Engine::start(&words, patience)
    };
    for (fault, limit, part) in [
        ("hang", Limit::Nodes(9), "within 0.05 seconds after `go nodes 9`; an engine"),
        ("hang", Limit::Time(1), "no `bestmove` within 0.051 seconds"),
        ("babble", Limit::Depth(1), "no `bestmove` within 0.05 seconds"),
    ] {
        let mut engine = start(fault, Patience::default()).expect("it starts");
        for _ in 1..10 {
            engine.think("startpos", Limit::Depth(1)).expect("a move");
        }
        engine.patience = short;
        let error = engine.think("startpos", limit).expect_err("it fails at its tenth move");
        assert!(error.to_string().contains(part), "{error}");
    }
    let error = start("mute", short).err().expect("it says nothing").to_string();
    assert!(error.contains("no `uciok` within 0.05 seconds after `uci`"), "{error}");
}

/// Games of chess engines that people use: of their defaults against a value with which they play badly.
///
/// The test takes the engines in `RUSE_ENGINES`, such as `stockfish toga2`.
mod engines {
    use super::*;

    /// An engine, the option to change, the bad value if there is one, and how to start the engine.
    type Case = (&'static str, &'static str, Option<u32>, &'static [&'static str]);

    const CASES: [Case; 4] = [
        ("stockfish", "Skill Level", Some(0), &["--nodes", "1000"]),
        ("toga2", "Material", Some(0), &["--depth", "3", "--set", "Hash=4"]),
        ("gnuchess", "Material", Some(0), &["--depth", "3", "--", "--uci"]),
        ("ethereal-chess", "Hash", None, &["--nodes", "1000"]),
    ];

    fn plays((engine, option, bad, limit): Case) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ruse-uci"));
        command.args([engine, "--tune", option]).args(limit);
        let mut adapter = Adapter::of(&mut command);
        let hello = adapter.ask(&json!({"hello": {"protocol": 1, "kind": "game"}}));
        let parameters = &hello["parameters"];
        assert_eq!(
            (&parameters[0]["name"], parameters.as_array().map(Vec::len)),
            (&json!(option), Some(1))
        );
        let value = bad.map_or(parameters[0]["start"].clone(), |bad| json!(bad));
        let mut points = 0.0;
        for deal in 0..3 {
            let answer = adapter.pair(json!("default"), json!([value]), deal);
            let payoffs: [f64; 2] = serde_json::from_value(answer["payoffs"].clone())
                .unwrap_or_else(|_| panic!("{engine}: {answer}"));
            assert!(payoffs.iter().all(|payoff| [0.0, 0.5, 1.0].contains(payoff)), "{payoffs:?}");
            points += payoffs[0] + payoffs[1];
        }
        adapter.end();
        println!("{engine}: {points} of 6 points for the defaults");
        assert!(bad.is_none() || points >= 4.0, "{engine}: {points} of 6 points");
    }

    #[test]
    #[ignore = "long; takes chess engines"]
    fn they_play_worse_with_bad_values() {
        let named = std::env::var("RUSE_ENGINES").expect("RUSE_ENGINES names engines");
        for engine in named.split_whitespace() {
            let case = CASES.into_iter().find(|(name, ..)| *name == engine);
            plays(case.unwrap_or_else(|| panic!("no case for `{engine}`")));
        }
    }
}

/// Returns the path of `ruse`, which `cargo test --workspace` builds beside `ruse-uci`.
fn ruse() -> PathBuf {
    let path = PathBuf::from(env!("CARGO_BIN_EXE_ruse-uci"))
        .with_file_name(format!("ruse{}", std::env::consts::EXE_SUFFIX));
    assert!(path.exists(), "{} is not there: `cargo build`", path.display());
    path
}

/// The settings `[-4.5, -5]`, in steps from the start, are worthless queens and rooks.
#[test]
#[ignore = "long; takes the program ruse"]
fn ruse_plays_a_match() {
    let (adapter, engine) = (env!("CARGO_BIN_EXE_ruse-uci"), little_engine());
    let family = format!(
        "program:'{adapter}' '{}' --tune QueenValue --tune RookValue=0..1000/100 --nodes 500 --deterministic",
        engine.display()
    );
    let output = Command::new(ruse())
        .args(["match", &family, "default", "[-4.5,-5]", "--pairs", "5", "--json"])
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(result["score"].as_f64().expect("a score") > 0.8, "{result}");
    assert_eq!(result["losses"], json!(0), "{result}");
}
