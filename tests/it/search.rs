//! Tests of players that search. These players can be used wherever other players can.

use std::process::Command;

use ruse::arena::StopSignal;
use ruse::family::Player;
use ruse::registry::Registry;
use ruse::rng::StreamKey;
use ruse::score;

/// Players that search can play every game of this workspace. The arena checks that they do not break any rules.
#[test]
#[ignore = "long"]
fn every_family_can_be_searched() {
    let registry = Registry::standard();
    for family in registry.families() {
        let methods = family.search_methods();
        assert!(methods.contains(&"uct"), "{}: {methods:?}", family.name());
        for method in methods {
            let player = Player::Named(format!("{method}@2"));
            let duel = family.duel(&player, &Player::Redrawn).expect("it sits down");
            let tally = |key| {
                let stop = StopSignal::default();
                let (tally, played) = score::sample(&duel, key, 1, &stop, |_| ());
                played.expect("no stop is requested");
                tally
            };
            let key = StreamKey::root(1);
            assert_eq!(tally(key), tally(key), "{}: {method} plays otherwise", family.name());
        }
    }
}

fn ruse(arguments: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_ruse")).args(arguments).output().expect("ruse runs")
}

#[test]
fn results_do_not_depend_on_threads() {
    let with = |threads| {
        let arguments =
            ["match", "nim", "uct@20", "naive-mcts@20", "--pairs", "70", "--threads", threads];
        let output = ruse(&arguments);
        assert!(output.status.success());
        output.stdout
    };
    assert_eq!(with("1"), with("3"));
}

#[test]
fn players_with_time_limits_are_not_recorded() {
    let output = ruse(&["match", "nim", "uct@1ms", "random", "--pairs", "1", "--json"]);
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(
        printed.contains("\"reproducible\":false") || printed.contains("\"reproducible\": false")
    );
    let output = ruse(&["optimise", "nim", "--baseline", "uct@1ms", "--budget", "10"]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).expect("text");
    assert!(message.contains("thinks by the clock"), "{message}");
}

#[test]
fn mistakes_are_named() {
    for (arguments, part) in [
        (["match", "nim", "uct@0", "random"], "`0`"),
        (["match", "nim", "uct:d=1", "random"], "`d=1` is not a setting"),
        (["match", "pig", "naive-mcts", "optimal"], "known are uct"),
        (
            ["match", "nim", "naive-mcts:free=2", "optimal"],
            "has no searches with `free`: its game has no scripts",
        ),
        (["match", "pig", "utc@5", "optimal"], "utc@5"),
    ] {
        let output = ruse(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = String::from_utf8(output.stderr).expect("text");
        assert!(message.contains(part), "{message}");
    }
}
