//! Tests of players that search. These players can be used wherever other players can.

use std::path::Path;

use ruse::arena::StopSignal;
use ruse::family::Player;
use ruse::registry::Registry;
use ruse::rng::StreamKey;
use ruse::score;

use crate::support::{object, printed, refuses};

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

#[test]
fn results_do_not_depend_on_threads() {
    let with = |threads| {
        let command = format!("match nim uct@20 naive-mcts@20 --pairs 70 --threads {threads}");
        printed(&command, Path::new("."))
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn players_with_time_limits_are_not_recorded() {
    let here = Path::new(".");
    let found = object("match nim uct@1ms random --pairs 1 --json", here);
    assert_eq!(found["reproducible"], false);
    refuses("optimise nim --baseline uct@1ms --budget 10", here, "thinks by the clock");
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
        refuses(&arguments, Path::new("."), part);
    }
}
