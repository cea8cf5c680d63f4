//! Tests of programs that play in families.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::Rng;
use ruse::arena::{
    Duel, League, PairResult, StopSignal, TypedLeague, play_in_parallel, thread_pool,
};
use ruse::family::{AnyFamily, Player};
use ruse::programs::{Conduct, Fault, allow_programs, conduct_of_programs, dismiss_programs};
use ruse::registry::Registry;
use ruse::rng::StreamKey;
use ruse_games::nim::Nim;
use ruse_games::{Board, Game, Seat, Seen, Turn};
use ruse_search::Strategy;
use ruse_strategies::nim::NimFamily;
use ruse_strategies::{Family, Prepared};

use crate::support::Home;

/// Plays the first legal move, which follows after `"legal":["`. `MOVE` is replaced by what the player does instead.
const FIRST: &str = r#"
name=NAME
echo "{\"name\": \"$name\", \"deterministic\": DETERMINISTIC}"
moves=0
while read -r line; do
  case $line in
    '{"move"'*)
      moves=$((moves + 1))
      set -f; IFS='"'; set -- $line; unset IFS
      while [ $# -gt 0 ] && [ "$1" != legal ]; do shift; done
      first=$3
      MOVE
      echo "{\"move\": \"$first\"}" ;;
    '{"bye"'*) exit 0 ;;
  esac
done
"#;

/// Returns the name of a player. Players of different tests have different names, so that they share no processes.
fn player(name: &str, time: &str, deterministic: &str, act: &str) -> String {
    let script = FIRST.replace("NAME", name).replace("DETERMINISTIC", deterministic);
    let script = format!("read -r hello\n{}", script.replace("MOVE", act));
    let quoted = shlex::try_quote(&script).expect("no NUL").into_owned();
    format!("program{time}:sh -c {quoted}")
}

fn families() -> Vec<Arc<dyn AnyFamily>> {
    ["nim", "pig", "cheat"].map(family).into()
}

fn family(name: &str) -> Arc<dyn AnyFamily> {
    Registry::standard().family(name).expect("known")
}

fn nim() -> Arc<dyn AnyFamily> {
    family("nim")
}

/// Returns the results of pairs against the random player.
fn play(family: &dyn AnyFamily, name: &str, pairs: usize, threads: usize) -> Vec<PairResult> {
    allow_programs();
    let named = |name: &str| Player::Named(name.into());
    let duel = family.duel(&named(name), &named("random")).expect("two players");
    let mut results = vec![PairResult::default(); pairs];
    let pool = thread_pool(Some(threads)).expect("threads");
    let never = StopSignal::default();
    let played =
        pool.install(|| play_in_parallel(&duel, StreamKey::root(3), 0, &mut results, &never));
    played.expect("not stopped");
    results
}

fn conduct(name: &str) -> Conduct {
    let all = conduct_of_programs();
    all.into_iter().find(|conduct| conduct.name == name).unwrap_or_else(|| panic!("{name}"))
}

/// A program that watches is told of each turn of the other seat, in games in which seats watch.
#[test]
fn a_program_that_watches_sees_the_turns_of_the_other_seat() {
    allow_programs();
    let directory = &*Home::new();
    let seen = directory.join("seen");
    let script = format!(
        r#"read -r hello
        echo '{{"name": "watcher", "watches": true}}'
        while read -r line; do
          case $line in
            '{{"watch"'*) echo watch >> '{0}' ;;
            '{{"move"'*) echo move >> '{0}'; echo '{{"move": "no"}}' ;;
          esac
        done"#,
        seen.display()
    );
    let name = format!("program:sh -c {}", shlex::try_quote(&script).expect("no NUL"));
    let words = |rules: &[(&str, u64)]| {
        let rules = rules.iter().map(|(name, value)| ((*name).to_string(), *value)).collect();
        let war = family("war").with_rules(&rules).expect("in range");
        play(&*war, &name, 4, 1);
        let words = std::fs::read_to_string(&seen).unwrap_or_default();
        std::fs::remove_file(&seen).expect("something was seen");
        words
    };
    // The program loses each game by its first move, and sees the turns before it.
    let num = |words: &str, word| words.lines().filter(|line| *line == word).count();
    let watched = words(&[]);
    assert!(num(&watched, "watch") > 0 && num(&watched, "move") == 8, "{watched}");
    let hidden = words(&[("watched", 0)]);
    assert_eq!((num(&hidden, "watch"), num(&hidden, "move")), (0, 8));
}

/// Takes the first action of the list.
struct FirstLegal(Nim);

impl Strategy<Nim> for FirstLegal {
    type Memory = ();

    fn act<R: Rng>(
        &self,
        (): &mut (),
        view: <Nim as Game>::View<'_>,
        _: &mut R,
        action: &mut <Nim as Game>::Action,
    ) {
        let own_actions = Default::default();
        let seen = Seen { seat: Seat::First, turn: Turn::Act(Seat::First), view, own_actions };
        *action = self.0.all_actions(&seen).expect("few actions")[0];
    }
}

#[test]
fn a_program_plays_like_the_same_strategy_in_this_process() {
    let family = Arc::new(NimFamily::standard());
    let random = Prepared::Reference(family.random_player().expect("a random player"));
    let first = Prepared::Searching(Arc::new(FirstLegal(Nim::standard())));
    let league: Arc<dyn League> =
        Arc::new(TypedLeague::new(family, vec![first, random], vec![0, 1]));
    let mut expected = vec![PairResult::default(); 40];
    let never = StopSignal::default();
    let duel = Duel::new(&league, 0, 1);
    play_in_parallel(&duel, StreamKey::root(3), 0, &mut expected, &never).expect("not stopped");
    assert!(expected.iter().any(|pair| pair.score() < 1.0), "{expected:?}");
    assert!(expected.iter().any(|pair| pair.score() > 0.0), "{expected:?}");

    let name = player("like", "", "true", "");
    assert_eq!(play(&*nim(), &name, 40, 2), expected);
    assert_eq!(play(&*nim(), &name, 40, 1), expected);
    let conduct = conduct("like");
    assert_eq!((conduct.num_forfeits(), conduct.changes), (0, 0), "{conduct:?}");
    assert!(conduct.games >= 160 && conduct.decisions > 160, "{conduct:?}");
}

/// Nine mistakes in three games.
#[test]
fn a_program_that_does_wrong_loses_the_game_and_harms_no_other() {
    const SLOW: &str = "@60ms";
    type Mistake = (&'static str, &'static str, &'static str, &'static [Fault]);
    let mistakes: [Mistake; 9] = [
        ("illegal", "", "first=nonsense", &[Fault::Illegal]),
        ("empty", "", "first=", &[Fault::Illegal]),
        ("hangs", SLOW, "sleep 5", &[Fault::Late]),
        ("late", SLOW, "sleep 0.2", &[Fault::Late]),
        ("dies", "", "exit 1", &[Fault::Ended]),
        ("leaves", "", "exit 0", &[Fault::Ended]),
        ("no-json", "", "echo hm; continue", &[Fault::Broken]),
        ("no-move", "", r#"echo "{\"play\": \"x\"}"; continue"#, &[Fault::Broken]),
        ("list", "", r#"echo "[\"x\"]"; continue"#, &[Fault::Broken]),
    ];
    let check = |family: &dyn AnyFamily, (kind, time, act, faults): Mistake| {
        let name = format!("{kind}-{}", family.name());
        let since = Instant::now();
        let results = play(family, &player(&name, time, "false", act), 4, 2);
        let conduct = conduct(&name);
        assert!(since.elapsed() < Duration::from_secs(30), "{conduct:?}");
        assert!(results.iter().all(|pair| pair.score() == 0.0), "{conduct:?}: {results:?}");
        assert_eq!(conduct.num_forfeits(), 8, "{conduct:?}");
        let expected = |fault: &Fault| faults.contains(fault) || *fault == Fault::GivenUp;
        assert!(conduct.forfeits.keys().all(expected), "{conduct:?}");
        let told = conduct.faults_in_words().expect("there are faults");
        assert!(told.contains("lost 8 of"), "{told}");
    };
    let families = families();
    // Most of the time is waiting.
    std::thread::scope(|scope| {
        for family in &families {
            for mistake in mistakes {
                scope.spawn(move || check(&**family, mistake));
            }
        }
    });
}

/// A second answer that comes late is taken for the answer to the next question, so not every game is lost.
#[test]
fn a_program_that_answers_twice_does_not_finish_its_games() {
    let act = r#"echo "{\"move\": \"$first\"}""#;
    play(&*nim(), &player("twice", "", "false", act), 40, 1);
    let conduct = conduct("twice");
    assert!(conduct.num_forfeits() > 0 && conduct.faults_in_words().is_some(), "{conduct:?}");
    let expected = [Fault::Illegal, Fault::Broken, Fault::GivenUp];
    assert!(conduct.forfeits.keys().all(|fault| expected.contains(fault)), "{conduct:?}");
}

/// A program that is wrong once in the third game loses that game only.
#[test]
fn one_mistake_costs_one_game() {
    let act = r#"[ "$moves" = 9 ] && first=wrong"#;
    let name = player("once", "", "false", act);
    let results = play(&*nim(), &name, 30, 1);
    assert!(results.iter().any(|pair| pair.score() > 0.0), "{results:?}");
    assert_eq!(conduct("once").forfeits, BTreeMap::from([(Fault::Illegal, 1)]));
}

#[test]
fn a_program_that_ends_is_started_again_three_times() {
    let name = player("short", "", "false", r#"[ "$moves" = 5 ] && exit 3"#);
    play(&*nim(), &name, 40, 1);
    let conduct = conduct("short");
    assert_eq!(conduct.forfeits[&Fault::Ended], 4, "{conduct:?}");
    assert_eq!(conduct.num_forfeits(), 80 - conduct.games + 4, "{conduct:?}");
    let told = conduct.faults_in_words().expect("faults");
    assert!(told.contains("The first fault: sh -c") && told.contains("exit status: 3"), "{told}");
}

/// Four threads play at once; a process that plays four games at once serves all of them. Each process leaves a line.
#[test]
fn a_process_plays_several_games_at_once() {
    let directory = &*Home::new();
    let play_with = |kind: &str, concurrent: usize, threads: usize| {
        let file = directory.join(format!("{kind}-{threads}"));
        let started = format!("echo $$ >>'{}'; echo", file.display());
        let name = format!("{kind}-{threads}");
        let name = player(&name, "", &format!("true, \\\"concurrent\\\": {concurrent}"), "true");
        let name = name.replacen("echo", &started, 1);
        let results = play(&*nim(), &name, 60, threads);
        (results, std::fs::read_to_string(file).expect("it was started").lines().count())
    };
    let (expected, _) = play_with("alone", 1, 1);
    for (threads, concurrent, most) in [(1, 4, 1), (4, 4, 1), (4, 2, 2), (4, 1, 4)] {
        let kind = format!("several-{concurrent}");
        let (results, num_processes) = play_with(&kind, concurrent, threads);
        assert_eq!(results, expected, "{threads} threads, {concurrent} games");
        assert!((1..=most).contains(&num_processes), "{num_processes} processes");
        let conduct = conduct(&format!("{kind}-{threads}"));
        assert_eq!(
            (conduct.concurrent, conduct.has_mistakes()),
            (concurrent, false),
            "{conduct:?}"
        );
        assert!(conduct.deterministic && conduct.is_steady(), "{conduct:?}");
    }
}

#[test]
fn a_process_that_ends_is_replaced_once_for_all_its_games() {
    let concurrent = "false, \\\"concurrent\\\": 4";
    let name = player("many", "", concurrent, r#"[ "$moves" = 5 ] && exit 3"#);
    play(&*nim(), &name, 40, 4);
    let conduct = conduct("many");
    // A process may be started before the last mistake is counted.
    let ended = conduct.forfeits[&Fault::Ended];
    assert!((4..=7).contains(&ended), "{conduct:?}");
    let beside = conduct.forfeits.get(&Fault::Beside).copied().unwrap_or(0);
    assert!(beside <= 3 * ended && !conduct.is_steady(), "{conduct:?}");
}

#[test]
fn a_program_that_changes_its_mind_is_not_deterministic() {
    let act = r#"first=$((moves % 2 + 1)); echo "{\"move\": \"pass $moves\"}"; continue"#;
    play(&*nim(), &player("fickle", "", "true", act), 40, 1);
    let conduct = conduct("fickle");
    assert!(conduct.changes >= 1, "{conduct:?}");
    assert!(conduct.faults_in_words().expect("it lies").contains("says that it is deterministic"));
}

/// A fleet has too many forms to be listed: the program gets a grammar, and must find a fleet itself.
#[test]
fn moves_that_are_not_listed_have_a_grammar() {
    let family = family("battleship");
    let act = r#"
      case $line in
        *'"grammar":"'*) first="FLEET" ;;
      esac"#;
    let fleet = |fleet: &str| act.replace("FLEET", fleet);
    let good = player("fleet", "", "false", &fleet("a1-b1 c3-c5 e2-h2 a9-e9"));
    play(&*family, &good, 1, 1);
    assert_eq!(conduct("fleet").num_forfeits(), 0, "{:?}", conduct("fleet"));
    // Two ships on one cell.
    let bad = player("crossing", "", "false", &fleet("a1-b1 a1-a3 e2-h2 a9-e9"));
    play(&*family, &bad, 1, 1);
    assert_eq!(conduct("crossing").forfeits, BTreeMap::from([(Fault::Illegal, 2)]));
}

#[test]
fn a_program_that_cannot_be_started_is_named() {
    allow_programs();
    let error = |name: &str| {
        let players = [&Player::Named(name.into())];
        nim().league(&players).err().expect("no player").to_string()
    };
    assert!(
        error("program:no-such-player-here x").contains("cannot start `no-such-player-here x`")
    );
    assert!(error("program:sh -c 'echo hello'").contains("expected its name"));
    let none = r#"program:sh -c 'echo "{\"concurrent\": 0}"; read x'"#;
    assert!(error(none).contains("`concurrent` is 0, and must be 1 to 1000"), "{}", error(none));
    // A check starts nothing.
    assert_eq!(nim().check_named("program:no-such-player-here x"), Ok(()));
    assert!(error("program:sh -c 'exit 4'").contains("exit status: 4"));
}

/// 23 kinds of mistakes, each at the first move or at the third, in three games. No run is harmed: it ends in time,
/// the mistakes are counted, no process is left, and a good player then plays as before.
#[test]
#[ignore = "long"]
fn a_hundred_bad_players_harm_no_run() {
    /// The time in which a hang is noticed.
    const TIME: &str = "@60ms";
    /// A number that no other process has among its arguments.
    const MARK: &str = "31.41592653";
    let mistakes = [
        ("says-nonsense", "first=nonsense"),
        ("says-nothing", "first="),
        ("hangs", "sleep 5"),
        ("is-late", "sleep 0.2"),
        ("dies", "exit 1"),
        ("leaves", "exit 0"),
        ("is-killed", "kill -KILL $$"),
        ("is-stopped", "kill -STOP $$"),
        ("no-json", "echo hm"),
        ("no-move", r#"echo "{\"play\": \"x\"}""#),
        ("list", r#"echo "[\"x\"]""#),
        ("empty-line", "echo"),
        ("answers-twice", r#"echo "{\"move\": \"$first\"}""#),
        ("not-text", r"printf '\377\376\n'"),
        ("no-character", r"printf '\000\n'"),
        ("half-a-line", r#"printf '{"move": '; sleep 5"#),
        ("floods", "while :; do echo hm; done"),
        ("floods-one-line", "while :; do printf hmhmhmhmhm; done"),
        ("closes-its-output", "exec >&-; sleep 5"),
        ("closes-its-input", "exec <&-; sleep 5"),
        ("complains", "while :; do echo hm >&2; done"),
        ("forks", "sleep MARK & sleep MARK & exit 2"),
        ("eats-memory", "while :; do first=$first$first; done"),
    ];
    let mut num_players = 0;
    for family in families() {
        for (kind, mistake) in mistakes {
            for when in [1, 3] {
                let name = format!("{kind}-{when}-{}", family.name());
                let mistake = mistake.replace("MARK", MARK);
                let act = format!("if [ \"$moves\" = {when} ]; then {mistake}; fi");
                let since = Instant::now();
                let results = play(&*family, &player(&name, TIME, "false", &act), 4, 2);
                let conduct = conduct(&name);
                assert!(since.elapsed() < Duration::from_secs(30), "{conduct:?}");
                assert!(conduct.num_forfeits() > 0, "{conduct:?}");
                assert!(conduct.faults_in_words().is_some(), "{conduct:?}");
                let lost = results.iter().map(|pair| 1.0 - pair.score()).sum::<f64>();
                assert!(2.0 * lost >= conduct.num_forfeits() as f64, "{conduct:?}: {results:?}");
                num_players += 1;
            }
        }
    }
    assert!(num_players >= 100, "{num_players}");
    let good = player("good", "", "false", "");
    let results = play(&*nim(), &good, 40, 2);
    assert_eq!(results, play(&*nim(), &good, 40, 1));
    assert_eq!(conduct("good").num_forfeits(), 0);
    dismiss_programs();
    if cfg!(target_os = "linux") {
        let commands = std::fs::read_dir("/proc").expect("processes").filter_map(|process| {
            std::fs::read_to_string(process.ok()?.path().join("cmdline")).ok()
        });
        let left: Vec<String> = commands.filter(|command| command.starts_with("sleep\0")).collect();
        assert!(left.iter().all(|command| !command.contains(MARK)), "{left:?}");
    }
}
