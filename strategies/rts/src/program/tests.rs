use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use rand_distr::StandardNormal;
use ruse_games::{Game, Payoff, Turn};
use ruse_rts::Map;
use ruse_strategies::programs::HEADING;
use ruse_strategies::testing::{PanicRng, play, rng};

use super::*;
use crate::tests::game_on;

fn made(game: &Rts, text: &str) -> RtsProgram {
    let theta = RtsProgram::parse(text).unwrap_or_else(|mistake| panic!("{text}: {mistake}"));
    RtsProgram::from_parameters(game, &theta).expect("parameters")
}

fn drawn(rng: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    (0..NUM_PROGRAM_PARAMETERS).map(|_| rng.sample(StandardNormal)).collect()
}

/// Plays a game and returns all orders with their cycles.
fn course(game: &Rts, programs: [&RtsProgram; 2]) -> Vec<String> {
    let (mut state, mut orders) = (game.deal(&mut PanicRng), Orders::default());
    let mut memories = [RtsProgramMemory::default(), RtsProgramMemory::default()];
    let mut course = Vec::new();
    while let Turn::Act(seat) = game.turn(&state) {
        let (program, memory) = (programs[seat as usize], &mut memories[seat as usize]);
        program.act(memory, game.view(&state, seat), &mut PanicRng, &mut orders);
        game.check(&state, &orders).expect("programs keep the rules");
        course.push(format!("{} {orders}", state.time()));
        game.apply(&mut state, seat, &orders, &mut PanicRng);
    }
    course
}

/// Random programs use all kinds of words, and the program of the text of a program is the same and plays the same
/// games.
#[test]
fn programs_are_their_texts() {
    let mut rng = rng(1);
    let mut seen = String::new();
    for seed in 0..200u64 {
        let map = ["8x8-1", "8x8-2", "walls8x8", "melee8x8", "12x12-2"][seed as usize % 5];
        let game = game_on(map, &[("cap", 400), ("fog", seed % 2)]);
        let theta = drawn(&mut rng);
        let random = RtsProgram::from_parameters(&game, &theta).expect("parameters");
        let text = random.words();
        let again = made(&game, &text);
        assert_eq!(again.words(), text);
        assert_eq!(again, random);
        let other = RtsProgram::from_parameters(&game, &drawn(&mut rng)).expect("parameters");
        let games = course(&game, [&random, &other]);
        assert_eq!(course(&game, [&again, &other]), games, "{text}");
        let genes = RtsProgram::parse(&text).expect("a program");
        assert!(<RtsProgram as ParametricStrategy<Rts>>::plays_alike(&game, &theta, &genes));
        seen += &text;
    }
    let words = [
        "any: ",
        "soldier: ",
        "base: ",
        "worker: ",
        " if ",
        " and ",
        " < 1 ",
        " >= 2 ",
        "harvest",
        "return",
        "build base",
        "train ranged",
        "attack in range",
        "attack the nearest enemy",
        "attack the nearest worker",
        "move to enemy base",
        "move to ally",
        "move from ",
        "wait",
        "if time ",
        "older",
        "distance to mine",
        "enemy soldiers",
        "free sides",
    ];
    for word in words {
        assert!(seen.contains(word), "no random program has `{word}`");
    }
}

/// Every line that can be written has genes.
#[test]
fn each_word_is_read() {
    let game = Rts::standard();
    let comparisons = Quantity::all().iter().flat_map(|&quantity| {
        [(">= 1", quantity), ("< 99", quantity)].map(|(sign, what)| format!("{what} {sign}"))
    });
    let mut conditions = comparisons.map(Some).chain([None]).cycle();
    let mut num_lines = 0;
    for group in Group::ALL {
        for &command in Command::of(group).iter().flatten() {
            for _ in 0..9 {
                let condition = conditions.next().expect("a cycle");
                let condition = condition.map_or(String::new(), |it| format!("if {it} "));
                let text = format!("{HEADING}\n  {}: {condition}{command}\n", group.name());
                let expected = format!("{text}  any: play the light rush");
                assert_eq!(made(&game, &text).words(), expected);
                num_lines += 1;
            }
        }
    }
    // 26 attacks and moves, for six groups; waiting, for eight; and 4 + 1 + 3 other orders.
    assert_eq!(num_lines, 9 * (6 * (9 + 17 + 8) + 8 + 8));
}

#[test]
fn the_notation_is_free_where_nothing_depends_on_it() {
    let game = Rts::standard();
    let text = "; a comment
        Plays the first line that fits:

        worker :if not workers<3  and  resources >=10 build base ; another
        any: play the light rush.";
    let expected = "plays the first line that fits:
  worker: if workers >= 3 and resources >= 10 build base
  any: play the light rush";
    assert_eq!(made(&game, text).words(), expected);
    // A condition that is written twice is one condition.
    let twice = made(&game, "any: if load >= 1 and load >= 1 wait");
    assert_eq!(twice, made(&game, "any: if load >= 1 wait"));
    let empty = RtsProgram::parse("").expect("a program");
    assert_eq!(empty, [0.0; NUM_PROGRAM_PARAMETERS]);
}

#[test]
fn mistakes_have_their_place() {
    for case in include_str!("mistakes.txt").split_terminator("\n---\n") {
        let (text, expected) = case.rsplit_once("\n=> ").expect("a text and a message");
        assert_eq!(RtsProgram::parse(text), Err(expected.into()), "{text}");
    }
    let long = "any: wait\n".repeat(NUM_LINES + 1);
    let expected = "line 11: a program has at most 10 lines, besides `any: play the light rush`";
    assert_eq!(RtsProgram::parse(&long), Err(expected.into()));
}

#[test]
fn all_programs_keep_the_rules() {
    let mut rng = rng(2);
    for seed in 0..150u64 {
        let map = ["8x8-1", "8x8-2", "walls8x8", "melee8x8", "12x12-2"][seed as usize % 5];
        let rules =
            [("fog", seed % 2), ("units", 1 + seed % 3), ("conflicts", seed % 3), ("cap", 800)];
        let game = game_on(map, &[&rules[..], &[("ask", seed / 2 % 2)]].concat());
        let scale = [1.0, 3.0, 1e300][seed as usize % 3];
        let [first, second] = [(); 2].map(|()| {
            let theta: Vec<f64> = drawn(&mut rng).into_iter().map(|gene| scale * gene).collect();
            RtsProgram::from_parameters(&game, &theta).expect("parameters")
        });
        play(&game, game.deal(&mut rng), &first, &second, &mut rng);
    }
    let game = Rts::standard();
    assert!(RtsProgram::from_parameters(&game, &[0.0; 3]).is_err());
    assert!(RtsProgram::from_parameters(&game, &[f64::NAN; NUM_PROGRAM_PARAMETERS]).is_err());
}

/// The program whose parameters are all 0 is the light rush.
#[test]
fn zero_is_the_light_rush() {
    for map in ["8x8-1", "12x12-3"] {
        let game = game_on(map, &[]);
        let zero = RtsProgram::from_parameters(&game, &[0.0; NUM_PROGRAM_PARAMETERS]);
        let (zero, rush) = (zero.expect("parameters"), made(&game, LIGHT_RUSH));
        assert_eq!(zero.words(), format!("{HEADING}\n  any: play the light rush"));
        let other =
            made(&game, "base: train worker\nworker: if older >= 1 attack the nearest enemy");
        assert_eq!(course(&game, [&zero, &other]), course(&game, [&rush, &other]));
    }
}

/// Returns the orders for the first player at the start of a map drawn as text.
fn first_orders(lines: &str, text: &str) -> String {
    let game = Rts::on(Map::from_text("test", text).expect("a map"));
    let state = game.deal(&mut PanicRng);
    let (mut orders, mut memory) = (Orders::default(), RtsProgramMemory::default());
    let view = game.view(&state, Seat::First);
    made(&game, lines).act(&mut memory, view, &mut PanicRng, &mut orders);
    orders.to_string()
}

#[test]
fn each_order_does_what_it_says() {
    let map = "*W.....\nB......\n....R..\n..w...l";
    for (lines, expected) in [
        ("any: wait", ""),
        ("worker: harvest\nany: wait", "1,0 h3"),
        // Nothing is carried, so the line does not fit.
        ("worker: return\nworker: wait\nranged: wait\nbase: wait", ""),
        ("base: train worker\nany: wait", "0,1 p1W"),
        ("worker: build barracks\nany: wait", "1,0 p1K"),
        // A base costs 10, and the stock is 5.
        ("worker: build base\nany: wait", ""),
        ("ranged: attack in range\nany: wait", "4,2 a2,3"),
        ("ranged: attack the nearest light\nany: wait", "4,2 a6,3"),
        ("soldier: attack the nearest heavy\nany: wait", ""),
        ("worker: attack the nearest worker\nany: wait", "1,0 m2"),
        ("worker: move to enemy light\nany: wait", "1,0 m2"),
        // It is next to the base already.
        ("worker: move to base\nany: wait", ""),
        ("ranged: move to mine\nany: wait", "4,2 m3"),
        ("ranged: move from enemy light\nany: wait", "4,2 m0"),
        // Without another order, the light rush goes on.
        ("any: if units < 1 wait", "1,0 p1K;4,2 a2,3"),
    ] {
        assert_eq!(first_orders(lines, map), expected, "{lines}");
    }
}

#[test]
fn each_quantity_is_what_it_says() {
    let map = "*W.....\nB......\n....R..\n..w...l";
    let count = |what: &str, unit: &str| {
        (1..=20)
            .take_while(|number| {
                let line = format!("{unit}: if {what} >= {number} wait\nbase: wait");
                let orders = first_orders(&format!("{line}\nany: attack the nearest enemy"), map);
                let cell = if unit == "worker" { "1,0 " } else { "4,2 " };
                !orders.contains(cell)
            })
            .count()
    };
    for (what, unit, expected) in [
        ("units", "worker", 3),
        ("workers", "worker", 1),
        ("soldiers", "worker", 1),
        ("enemy units", "ranged", 2),
        ("enemy bases", "ranged", 0),
        ("enemy light", "ranged", 1),
        ("mines", "ranged", 1),
        ("resources", "worker", 5),
        ("enemy resources", "worker", 5),
        ("distance to enemy", "ranged", 3),
        ("distance to enemy worker", "worker", 4),
        ("distance to ally", "worker", 2),
        ("distance to ranged", "worker", 5),
        // There is none: more than all numbers.
        ("distance to enemy base", "worker", 20),
        ("health", "worker", 1),
        ("load", "worker", 0),
        ("older", "worker", 0),
        ("free sides", "worker", 2),
        ("free sides", "ranged", 4),
        ("time", "worker", 0),
    ] {
        assert_eq!(count(what, unit), expected, "{what} of {unit}");
    }
}

/// A line takes resources before the lines below it, and counts what was ordered above.
#[test]
fn upper_lines_come_first() {
    let map = "*W.....\nB......\n.......\n......w";
    let lines = "worker: if barracks < 1 build barracks\nbase: train worker\nany: wait";
    assert_eq!(first_orders(lines, map), "1,0 p1K");
    let lines = "base: train worker\nworker: if barracks < 1 build barracks\nany: wait";
    assert_eq!(first_orders(lines, map), "0,1 p1W");
    let two = "*WW....\nB......\n.......\n......w";
    let lines = "worker: if workers < 2 wait\nbase: train worker\nworker: if workers >= 3 wait";
    assert!(first_orders(lines, two).starts_with("0,1 p1W"));
    assert!(!first_orders(lines, two).contains("1,0"));
}

#[test]
fn a_rush_beats_a_program_that_waits() {
    let game = game_on("12x12-1", &[]);
    let rush = made(
        &game,
        "base: train worker\nworker: if older < 1 harvest\nany: attack the nearest enemy",
    );
    let idle = made(&game, "any: wait");
    let mut rng = rng(1);
    let (payoff, _) = play(&game, game.deal(&mut rng), &rush, &idle, &mut rng);
    assert_eq!(payoff, Payoff::WIN);
}
