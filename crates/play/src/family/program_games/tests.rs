use std::time::{Duration, Instant};

use ruse_base::rng::StreamKey;
use ruse_base::stop::{StopReason, StopSignal, Stopped};
use ruse_programs::allow_programs;
use ruse_strategies::PairResult;
use serde_json::json;

use super::*;
use crate::arena::{Duel, play_in_parallel, thread_pool};

const NEAREST: &str = include_str!("nearest.sh");

const MANIFEST: &str = r#"{"family":"nearest","summary":"a number and a style","parameters":[{"name":"number","meaning":"the guess","kind":"integer","min":0,"max":100,"start":50,"step":10},{"name":"style","kind":"choice","choices":["low","high"]}],"references":[{"name":"seven","parameters":[7,"high"]},{"name":"other"}],"baseline":"seven","deterministic":true,"concurrent":4,"unknown-key":1}"#;

fn quoted(text: &str) -> String {
    shlex::try_quote(text).expect("no NUL").into_owned()
}

fn command(script: &str, manifest: &str) -> String {
    let script = script.replace("echo MANIFEST", &format!("echo {}", quoted(manifest)));
    format!("program:sh -c {}", quoted(&script))
}

fn read_family(name: &str) -> ReadFamily {
    allow_programs();
    let path = ProgramGames.path(name).expect("it is the name of such a family");
    ProgramGames.read(name, path)
}

fn nearest() -> Arc<dyn AnyFamily> {
    read_family(&command(NEAREST, MANIFEST)).expect("a family")
}

/// Plays pairs between the parameters `a` and the reference `seven`.
fn play(family: &dyn AnyFamily, a: &[f64], pairs: &mut [PairResult]) -> Result<(), Stopped> {
    let duel = family.duel(&a.into(), &Player::Named("seven".into())).expect("two players");
    play_in_parallel(&duel, StreamKey::root(3), 0, pairs, &StopSignal::default())
}

/// Returns the message about a program that fails in the first pair.
///
/// One pair is played: of several, two processes may begin with any two.
fn fault_of(script: &str, manifest: &str) -> String {
    let family = read_family(&command(script, manifest)).expect("a family");
    let result = play(&*family, &[0.0; 3], &mut [PairResult::default(); 1]);
    assert_eq!(result, Err(Stopped(StopReason::Interrupted)), "{script}");
    family.fault().expect("a reason")
}

#[test]
fn the_program_describes_the_family() {
    let family = nearest();
    let space = family.space();
    let names: Vec<_> = space.parameters().iter().map(|parameter| &*parameter.name).collect();
    assert_eq!(names, ["number", "style=low", "style=high"]);
    assert_eq!(space.parameters()[0].meaning, "the guess: in steps of 10 from 50");
    let groups: Vec<_> = space.groups().into_iter().map(|group| group.members).collect();
    assert_eq!(groups, [vec![0], vec![1, 2]]);
    assert_eq!(family.references().len(), 2);
    assert_eq!(family.reference_parameters("seven"), Some(vec![-4.3, 0.0, 1.0]));
    assert_eq!(family.reference_parameters("other"), None);
    assert!(family.check_named("nobody").is_err());
    assert_eq!(family.info().about, "nearest");
}

#[test]
fn strategies_of_the_program_with_other_options_may_play() {
    // `env` starts the shell, as an interpreter starts a program.
    let named = |rest: &str| command(NEAREST, MANIFEST).replacen("sh -c", rest, 1);
    let family = read_family(&named("env GAME=nearest sh -c")).expect("a family");
    assert!(family.accepts(&named("env GAME=nearest sh -c")));
    assert!(family.accepts("program:env GAME=nearest sh -e 'another script'"));
    assert!(family.accepts("program:env GAME=nearest sh"));
    assert!(!family.accepts("program:env GAME=other sh -c x") && !family.accepts("program:env"));
    assert!(!family.accepts("nim") && !family.accepts("program:'"));
    // The same shell may play another game.
    assert!(!nearest().accepts("program:sh -c 'exit 1'"));
    assert!(nearest().accepts(&named("sh -c")));
}

#[test]
fn parameters_are_steps_from_the_start() {
    let family = nearest();
    let words = |theta: &[f64]| family.words(theta).expect("valid parameters");
    assert_eq!(words(&[0.0, 0.0, 0.0]), "plays with number 50, style low");
    assert_eq!(words(&[3.26, 0.1, 0.2]), "plays with number 83, style high");
    assert_eq!(words(&[-99.0, -1.0, -2.0]), "plays with number 0, style low");
    assert_eq!(words(&[99.0, 0.0, 0.0]), "plays with number 100, style low");
    assert!(family.words(&[0.0]).is_err());
    assert!(family.words(&[0.0, f64::NAN, 0.0]).is_err());
}

#[test]
fn all_settings_have_levels() {
    let lines = json!([
        {"name": "x", "min": 0, "max": 1},
        {"name": "n", "kind": "integer", "min": 0.5, "max": 3.5, "start": 2, "step": 2},
        {"name": "many", "kind": "integer", "min": 0, "max": 16},
        {"name": "style", "kind": "choice", "choices": ["low", "middle", "high"], "start": "middle"},
    ]);
    let lines: Vec<wire::SettingLine> = serde_json::from_value(lines).expect("settings");
    let space = settings(&lines).expect("valid settings").space();
    let [x, n, many, style] = space.levels() else { panic!("{:?}", space.levels()) };
    // The parts of 15 equal steps, and the start, which lies between two of them.
    assert_eq!([x, many].map(|levels| levels.values.len()), [17, 17]);
    assert_eq!((&n.members, &n.values), (&vec![1], &vec![vec![0.0], vec![-0.5], vec![0.5]]));
    let values = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    assert_eq!((&style.members, &style.values[..]), (&vec![3, 4, 5], &values.map(Vec::from)[..]));
}

#[test]
fn settings_have_defaults_and_bounds() {
    let described = |lines| {
        let lines: Vec<wire::SettingLine> = serde_json::from_value(lines).expect("settings");
        settings(&lines)
    };
    let values = |lines, theta: &[f64]| values(&described(lines).expect("valid settings"), theta);
    assert_eq!(values(json!([{"name": "x"}]), &[1.5]), json!([1.5]));
    assert_eq!(values(json!([{"name": "x", "min": 2, "max": 12}]), &[1.5]), json!([8.5]));
    assert_eq!(values(json!([{"name": "x", "min": 1}]), &[-1.0]), json!([1.0]));
    let narrow = json!([{"name": "n", "kind": "integer", "min": 0.4, "max": 1.6}]);
    assert_eq!(values(narrow.clone(), &[-9.0]), json!([1]));
    assert_eq!(values(narrow, &[9.0]), json!([1]));
    for (lines, problem) in [
        (json!([{"name": "x"}, {"name": "x"}]), "there are two parameters of the name `x`"),
        (json!([{"name": "x", "min": 3, "max": 3}]), "`min` is 3, and must be below `max`, 3"),
        (
            json!([{"name": "x", "max": 3, "start": 4}]),
            "`start` is 4, and must be within the bounds",
        ),
        (json!([{"name": "x", "start": "4"}]), "`start` is \"4\", and must be a number"),
        (json!([{"name": "x", "step": 0}]), "`step` is 0, and must be above 0"),
        (json!([{"name": "x", "kind": "choice", "choices": ["a"]}]), "two or more different words"),
        (
            json!([{"name": "x", "kind": "choice", "choices": ["a", "b"], "start": "c"}]),
            "`start` is \"c\", which is not a choice",
        ),
    ] {
        let error = described(lines).expect_err(problem);
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn pairs_do_not_depend_on_threads_or_on_concurrency() {
    let one_at_a_time = MANIFEST.replace("\"concurrent\":4", "\"concurrent\":1");
    let mut seen: Vec<Vec<PairResult>> = Vec::new();
    for (manifest, num_threads) in [(MANIFEST, 1), (MANIFEST, 3), (&one_at_a_time, 2)] {
        let family = read_family(&command(NEAREST, manifest)).expect("a family");
        let mut pairs = vec![PairResult::default(); 200];
        let pool = thread_pool(Some(num_threads)).expect("threads");
        pool.install(|| play(&*family, &[0.0; 3], &mut pairs)).expect("it plays");
        assert_eq!(family.fault(), None);
        seen.push(pairs);
    }
    // 50 is nearer than 7 to any number from 70 to 90.
    assert!(seen[0].iter().all(|pair| pair.score() == 1.0));
    assert!(seen.iter().all(|pairs| *pairs == seen[0]));
}

#[test]
fn all_kinds_of_players_meet() {
    let family = nearest();
    let seven = Player::Named("seven".into());
    let eighty = Player::from(vec![3.0, 0.0, 0.0]);
    let score = |a: &Player, b: &Player| {
        let duel: Duel = family.duel(a, b).expect("two players");
        let mut pairs = vec![PairResult::default(); 100];
        play_in_parallel(&duel, StreamKey::root(5), 0, &mut pairs, &StopSignal::default())
            .expect("it plays");
        pairs.iter().map(|pair| pair.score()).sum::<f64>() / 100.0
    };
    assert_eq!(score(&seven, &seven), 0.5);
    assert_eq!(score(&eighty, &Player::Redrawn), 1.0, "the baseline is seven");
    assert_eq!(score(&seven, &eighty), 0.0);
    let mixture = Player::mixture([(1.0, eighty.clone()), (1.0, seven.clone())]);
    let mixed = score(&mixture, &seven);
    // Half of the pairs are won and half drawn; six standard errors of .025 each are .15.
    assert!((mixed - 0.75).abs() < 0.15, "{mixed}");
}

#[test]
fn a_baseline_without_a_name_is_drawn_for_every_pair() {
    let manifest = MANIFEST.replace("\"baseline\":\"seven\",", "");
    let family = read_family(&command(NEAREST, &manifest)).expect("a family");
    let duel = family.duel(&vec![0.0; 3].into(), &Player::Redrawn).expect("two players");
    let mut pairs = vec![PairResult::default(); 100];
    play_in_parallel(&duel, StreamKey::root(1), 0, &mut pairs, &StopSignal::default())
        .expect("it plays");
    let won = pairs.iter().filter(|pair| pair.score() == 1.0).count();
    // The number of a baseline is above 50 in half of the pairs; six standard errors of 5 are 30.
    assert!((20..=80).contains(&won), "{won} of 100");
}

#[test]
fn a_program_may_describe_strategies() {
    let manifest = MANIFEST.replace("\"concurrent\":4", "\"explains\":true");
    let family = read_family(&command(NEAREST, &manifest)).expect("a family");
    assert_eq!(family.words(&[0.0; 3]).expect("words"), "plays well");
    assert!(family.is_reproducible());
    let silent = read_family(&command(NEAREST, &manifest.replace("true", "false")));
    assert!(!silent.expect("a family").is_reproducible());
}

/// To read the family starts nothing. At the first game, the program must describe the family as before.
#[test]
fn a_known_description_is_checked_at_the_first_game() {
    allow_programs();
    let name = command(NEAREST, MANIFEST);
    let path = ProgramGames.path(&name).expect("it is the name of such a family");
    let read = |line: &str| ProgramGames.read_from(&name, path, line.as_bytes()).expect("a family");
    let mut pairs = [PairResult::default(); 1];
    assert_eq!(play(&*read(MANIFEST), &[0.0; 3], &mut pairs), Ok(()));
    let other = MANIFEST.replace("\"max\":100", "\"max\":99");
    let family = read(&other);
    assert_eq!(family.descriptions()[&name], other);
    assert!(play(&*family, &[0.0; 3], &mut pairs).is_err());
    assert!(family.fault().expect("a reason").contains("another family than before"));
}

#[test]
fn mistakes_of_programs_are_reported() {
    let answers = |answer: &str| format!("read -r hello; echo MANIFEST; read -r x; {answer}");
    for (answer, problem) in [
        ("exit 0", "it ended before it had answered"),
        ("echo oops >&2; exit 3", "oops"),
        ("echo 7 x; read -r y", "its line is 7 x"),
        ("echo '{\"pair\":7,\"payoffs\":[1,1]}'", "the answer is to pair 7, not to pair 0"),
        ("echo '{\"payoffs\":[1,1]}'", "the answer has no `pair`"),
        ("echo '{\"pair\":0}'", "the answer has neither `payoffs` nor `error`"),
        ("echo '{\"pair\":0,\"payoffs\":[1]}'", "its line is"),
        (
            "echo '{\"pair\":0,\"payoffs\":[1,1.5]}'",
            "a payoff is 1.5, and must be a multiple of 1/2",
        ),
        ("echo '{\"pair\":0,\"payoffs\":[0.25,0]}'", "a payoff is 0.25, and must be a multiple of"),
        ("echo '{\"pair\":0,\"error\":\"no engine\"}'", "no engine"),
    ] {
        let fault = fault_of(&answers(answer), MANIFEST);
        assert!(fault.contains(problem), "{answer}: {fault}");
    }
}

#[test]
fn a_lie_about_determinism_is_reported() {
    let coin = "read -r hello; echo MANIFEST; n=0
        while read -r line; do
            pair=${line#*:}; n=$((n + 1)); echo \"{\\\"pair\\\":${pair%%,*},\\\"payoffs\\\":[$((n % 2)),0]}\"
        done";
    let manifest = MANIFEST.replace("\"concurrent\":4", "\"concurrent\":1");
    let family = read_family(&command(coin, &manifest)).expect("a family");
    assert!(play(&*family, &[0.0; 3], &mut [PairResult::default(); 2000]).is_err());
    let fault = family.fault().expect("a reason");
    assert!(fault.contains("calls itself deterministic"), "{fault}");
}

#[test]
fn invalid_descriptions_are_refused() {
    for (manifest, problem) in [
        ("{}", "missing field `family`"),
        ("hello", "its line is hello"),
        (r#"{"family":"x","parameters":[]}"#, "`parameters` is empty"),
        (r#"{"family":"x","parameters":[{"name":"y"}],"payoffs":7}"#, "`payoffs` is 7"),
        (r#"{"family":"x","parameters":[{"name":"y"}],"concurrent":0}"#, "`concurrent` is 0"),
        (r#"{"family":"x","parameters":[{"name":"y"}],"baseline":"z"}"#, "`baseline` is z"),
        (
            r#"{"family":"x","parameters":[{"name":"y"}],"references":[{"name":"z","parameters":[]}]}"#,
            "reference `z`: 0 values given, 1 expected",
        ),
    ] {
        let error = read_family(&command("read -r hello; echo MANIFEST; read -r x", manifest));
        let error = error.map(|_| ()).expect_err(problem).to_string();
        assert!(error.contains(problem), "{error}");
    }
    let missing = read_family("program:no/such/program").map(|_| ()).expect_err("no program");
    assert!(missing.to_string().contains("cannot start"), "{missing}");
    assert!(read_family("program:sh 'x").is_err());
    assert_eq!(ProgramGames.path("program: "), None);
}

#[test]
fn a_program_that_says_nothing_can_be_stopped() {
    let family = read_family(&command("read -r x; echo MANIFEST; sleep 1000", MANIFEST));
    let family = family.expect("a family");
    let duel = family.duel(&Player::Redrawn, &Player::Redrawn).expect("two players");
    let stop = StopSignal::default();
    let begun = Instant::now();
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            stop.raise();
        });
        play_in_parallel(&duel, StreamKey::root(1), 0, &mut [PairResult::default(); 4], &stop)
    });
    assert_eq!(result, Err(Stopped(StopReason::Interrupted)));
    assert!(begun.elapsed() < Duration::from_secs(30), "the program was not waited for");
    assert_eq!(family.fault(), None);
}
