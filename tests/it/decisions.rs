//! Tests of the decisions that are recorded while games are played.

use ruse::arena::{Counted, CountedDecision, Side, StopSignal};
use ruse::family::Player;
use ruse::games::{NumActions, Seat};
use ruse::registry::Registry;
use ruse::rng::StreamKey;
use ruse::score;

use crate::support::{Home, printed, refuses};

const PAIRS: u64 = 12;

fn named(name: &str) -> Player {
    Player::Named(name.into())
}

/// Returns the recorded decisions of a match, by pair. Checks that recording does not change the results of the match.
fn counted(family: &str, a: &str, b: &str) -> Vec<Vec<CountedDecision>> {
    let family = Registry::standard().family(family).expect("known");
    let duel = family.duel(&named(a), &named(b)).expect("players of the family");
    let (key, stop) = (StreamKey::root(3), StopSignal::default());
    let (tally, played) = score::sample(&duel, key, PAIRS, &stop, |_| ());
    played.expect("not stopped");
    let counted = Counted::new(&duel).expect("it counts");
    let (same, played) = score::sample(&counted, key, PAIRS, &stop, |_| ());
    played.expect("not stopped");
    assert_eq!(same, tally, "{a} against {b}");
    let decisions = (0..PAIRS).map(|pair| counted.take(pair).expect("it was played")).collect();
    assert_eq!(counted.take(0), None, "it is forgotten");
    decisions
}

#[test]
fn counting_changes_no_result() {
    for (family, a, b) in [
        ("pig", "random", "hold-20"),
        ("cheat", "random", "uct@3"),
        ("morra", "random", "random"),
        ("rts-script", "random-biased", "mc@5"),
    ] {
        for decisions in counted(family, a, b) {
            // Each game begins with its first step, and A has the first seat in the first game.
            let first: Vec<_> = decisions.iter().filter(|decision| decision.step == 0).collect();
            assert_eq!(first.iter().map(|first| first.game).collect::<Vec<_>>(), [0, 1]);
            for decision in &decisions {
                let a_sits = [Seat::First, Seat::Second][usize::from(decision.game)];
                assert_eq!(decision.side == Side::A, decision.seat == a_sits);
            }
            for two in decisions.windows(2).filter(|two| two[0].game == two[1].game) {
                assert_eq!(two[0].step + 1, two[1].step);
                assert!(two[0].breadth.clock <= two[1].breadth.clock);
            }
        }
    }
}

/// At the start of 8x8-1 the base can train a worker on one of two cells or wait, and the worker can harvest, build
/// barracks, move or wait. The 5 resources do not suffice for both a new worker and barracks, so there are 3 x 4 - 2 =
/// 10 joint actions, as in the program of the paper. No other unit is idle.
#[test]
fn choices_are_counted() {
    let rts = &counted("rts-script", "worker-rush", "light-rush")[0];
    let (first, second) = (rts[0], rts[1]);
    assert_eq!(first.breadth.num_actions, NumActions::Exactly(10));
    assert_eq!((first.breadth.num_slots, first.breadth.clock), (2, Some(0)));
    assert_eq!((second.seat, second.breadth), (Seat::Second, first.breadth));
    // An action is one of seven columns.
    let four = &counted("four-in-a-row", "random", "random")[0];
    assert_eq!(four[0].breadth.num_actions, NumActions::Exactly(7));
    assert_eq!((four[0].breadth.num_slots, four[0].breadth.clock), (1, None));
    // An action is one of six numbers of fingers and one of eleven guesses. Each seat makes one decision per game.
    let morra = &counted("morra", "random", "random")[0];
    let numbers: Vec<_> = morra.iter().map(|decision| decision.breadth.num_actions).collect();
    assert_eq!(numbers, [NumActions::Exactly(66); 4]);
}

/// A search tries no more actions than there are, no more than it has playouts, and at least one. A player that does not
/// search tries none.
#[test]
fn tried_actions_are_counted() {
    for (family, search, playouts) in [
        ("rts-script", "mc@5", 5),
        ("rts-script", "mc-lsi@20", 20),
        ("four-in-a-row", "uct@30", 30),
    ] {
        let (mut num_choices, mut num_all) = (0, 0);
        for decision in counted(family, "random", search).iter().flatten() {
            let NumActions::Exactly(num_actions) = decision.breadth.num_actions else { continue };
            if decision.side == Side::A {
                assert_eq!(decision.tried, 0);
            } else if num_actions == 1 {
                // A search may see only later that all other orders are incompatible.
                assert!(decision.tried <= 1);
            } else {
                num_choices += 1;
                num_all += u64::from(u128::from(decision.tried) == num_actions);
                assert!((1..=playouts).contains(&decision.tried), "{family}: {decision:?}");
                assert!(u128::from(decision.tried) <= num_actions, "{family}: {decision:?}");
            }
        }
        assert!(num_choices > 50 && num_all < num_choices, "{family}: {num_all} of {num_choices}");
    }
    // Thirty playouts take each of seven columns at the start.
    let first = counted("four-in-a-row", "uct@30", "random")[0][0];
    assert_eq!((first.side, first.tried), (Side::A, 7));
}

#[test]
fn files_of_decisions_do_not_depend_on_threads() {
    let path = &*Home::new();
    let read = |name: &str| std::fs::read_to_string(path.join(name)).expect("it was written");
    let play = "match rts-script random-biased mc@5 --pairs 9 --threads";
    printed(&format!("{play} 1 --decisions one.csv"), path);
    printed(&format!("{play} 3 --decisions three.csv"), path);
    let text = read("one.csv");
    assert_eq!(text, read("three.csv"));
    let mut lines = text.lines();
    let header = "pair,game,step,clock,seat,player,units,log10_actions,actions,tried";
    assert_eq!(lines.next(), Some(header));
    assert_eq!(lines.next(), Some("1,1,1,0,first,a,2,1,10,"));
    assert_eq!(text.lines().filter(|line| line.starts_with("9,2,1,")).count(), 1);
    // An existing file is not overwritten.
    refuses(&format!("{play} 1 --decisions one.csv"), path, "one.csv is there already");
    assert_eq!(text, read("one.csv"));
    // War has too many orders of cards to count.
    let war = "match war random descending --decisions war.csv";
    refuses(war, path, "cannot count the actions of `war`");
    assert!(!path.join("war.csv").exists());
}
