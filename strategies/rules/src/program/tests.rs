use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use rand_distr::Distribution;
use ruse_base::gaussian::Gaussian;
use ruse_games::rule_file::{Position, Walk};
use ruse_games::{Game, Turn};

use super::*;
use crate::tests::file;

fn program(game: &RuleFile, text: &str) -> Program {
    let theta = Program::parse(game, text).unwrap_or_else(|error| panic!("{error}"));
    Program::from_parameters(game, &theta).expect("parameters")
}

/// Takes the middle, then a corner whose opposite corner is not the opponent's, then any cell.
const MIDDLE: &str = "\
plays the first line that fits:
x:
  play (mark 2 2)
  if (cell ?a ?b empty) and not (cell _ ?b o) play (mark ?a ?b)
  play any
o:
  if (cell 2 2 x) play (mark 1 1)
  play (mark ?a 2)
  play any";

#[test]
fn programs_are_read_as_they_are_printed() {
    let game = file("tic_tac_toe");
    assert_eq!(program(&game, MIDDLE).words(&game), MIDDLE);
    assert_eq!(program(&game, &format!("{MIDDLE}.")).words(&game), MIDDLE);
    let empty = program(&game, "");
    assert_eq!(
        empty.words(&game),
        "plays the first line that fits:\nx:\n  play any\no:\n  play any"
    );
    // Comments, other names of variables, and the order of the roles do not matter.
    let other = "o:\n if (cell 2 2 x)  play (mark 1 1) ; a corner\n play (mark ?row 2)\n\nx:\nplay (mark 2 2)\n\
                 if (cell ?i ?j empty) and not (cell _ ?j o) play (mark ?i ?j)";
    assert_eq!(program(&game, other).words(&game), MIDDLE);
}

/// Random parameters are programs of all kinds, and each is the program of its text.
#[test]
fn random_programs_are_those_of_their_texts() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut seen = String::new();
    for name in [
        "tic_tac_toe",
        "pig_20",
        "cant_stop_mini",
        "breakthrough_6x6",
        "kuhn_poker",
        "battleship_4x4",
        "orchard",
    ] {
        let game = file(name);
        let dimension = Program::space(&game).dimension();
        for _ in 0..20 {
            let theta: Vec<f64> = (0..dimension).map(|_| Gaussian.sample(&mut rng)).collect();
            let random = Program::from_parameters(&game, &theta).expect("parameters");
            let text = random.words(&game);
            let again = program(&game, &text);
            assert_eq!(again.words(&game), text, "{name}");
            assert_eq!(again.lines, random.lines, "{name}");
            seen += &text;
        }
    }
    for part in [
        "not ",
        ">=",
        "<",
        "_",
        "?a",
        "it wins",
        "it is safe",
        "saw ",
        "did ",
        " and ",
        "play roll",
        "not saw ",
    ] {
        assert!(seen.contains(part), "no random program has `{part}`");
    }
}

#[test]
fn the_first_line_that_fits_plays() {
    let game = file("tic_tac_toe");
    let program = program(&game, MIDDLE);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut state, mut memory) = (game.deal(&mut rng), ProgramMemory::default());
    let mut action = RoleMove::default();
    let mut play = |state: &mut <RuleFile as Game>::State| {
        let Turn::Act(seat) = game.turn(state) else { panic!("the game is over") };
        let view = game.view(state, seat);
        let mut probabilities = Vec::new();
        program.probabilities(&view, &mut probabilities);
        program.act(&mut memory, view, &mut rng, &mut action);
        let text = view.rules().move_text(view.role(), action.action).to_string();
        let positive = probabilities.iter().filter(|&&probability| probability > 0.0).count();
        game.apply(state, seat, &action, &mut rng);
        (text, positive)
    };
    assert_eq!(play(&mut state), ("(mark 2 2)".into(), 1));
    assert_eq!(play(&mut state), ("(mark 1 1)".into(), 1));
    // The columns 2 and 3 have no mark of o: (1 2), (3 2), (1 3), (2 3) and (3 3) are free.
    assert_eq!(play(&mut state).1, 5);
}

/// Compares what lines see ahead with the results of all moves and answers.
#[test]
fn lines_look_one_move_ahead() {
    for name in ["tic_tac_toe", "breakthrough_6x6", "connect_four", "nim"] {
        let game = file(name);
        let &[first, second] = game.roles() else { panic!("{name} has two roles") };
        let (mut walk, mut rng) = (Walk::new(&game), Xoshiro256PlusPlus::seed_from_u64(2));
        let mut foresight = Foresight::new(&game);
        let has_won = |walk: &mut Walk, position: &Position, role: RoleId| {
            walk.enter(position).expect("a right file") && walk.goal(role) == Ok(100)
        };
        let mut seen = [[0; 2]; 2];
        for _ in 0..60 {
            let mut position = walk.start();
            while !walk.enter(&position).expect("a right file") {
                let is_first = walk.legal(first).len() > 1;
                let (role, other) = if is_first { (first, second) } else { (second, first) };
                let joints: Vec<_> = walk.joint_moves().collect();
                foresight.begin();
                for joint in &joints {
                    let next = walk.after(&position, joint);
                    let wins = has_won(&mut walk, &next, role);
                    let mut is_safe = !has_won(&mut walk, &next, other);
                    if !walk.enter(&next).expect("a right file") {
                        for answer in walk.joint_moves() {
                            let then = walk.after(&next, &answer);
                            is_safe &= !has_won(&mut walk, &then, other);
                        }
                    }
                    let action = (position.state(), role, joint[role.0 as usize]);
                    for (kind, expected) in [(FactKind::Wins, wins), (FactKind::Safe, is_safe)] {
                        let told = foresight.answer(&game, action, kind);
                        assert_eq!(told, expected, "{name}: {kind:?}");
                        assert_eq!(foresight.answer(&game, action, kind), told);
                        seen[usize::from(kind == FactKind::Safe)][usize::from(told)] += 1;
                    }
                }
                walk.enter(&position).expect("a right file");
                position = walk.after(&position, &joints[rng.random_range(0..joints.len())]);
            }
        }
        assert!(seen.iter().flatten().all(|&count| count > 20), "{name}: {seen:?}");
    }
}

#[test]
fn a_program_wins_and_blocks() {
    let game = file("tic_tac_toe");
    let lines = "  if it wins play (mark ?a ?b)\n  if it is safe play (mark ?a ?b)\n  play any\n";
    let text = format!("plays the first line that fits:\nx:\n{lines}o:\n{lines}");
    let careful = program(&game, &text);
    assert_eq!(careful.words(&game), text.trim_end());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut state, mut memory) = (game.deal(&mut rng), ProgramMemory::default());
    // The number of safe moves: x threatens to mark (1 3), and then o threatens to mark (3 1).
    let game_so_far = [
        ("(mark 1 1)", 9),
        ("(mark 2 2)", 8),
        ("(mark 1 2)", 7),
        ("(mark 1 3)", 1),
        ("(mark 3 1)", 1),
    ];
    for (made, num_safe) in game_so_far {
        let Turn::Act(seat) = game.turn(&state) else { panic!("the game is over") };
        let view = game.view(&state, seat);
        careful.choose(&view, &mut memory);
        assert_eq!(memory.made.len(), num_safe, "{made}");
        assert!(
            memory.made.iter().any(|&action| view.rules().move_text(view.role(), action) == made)
        );
        let action = view.rules().find_move(view.role(), made).expect("a move of the file");
        let action = RoleMove { role: view.role(), action };
        game.apply(&mut state, seat, &action, &mut rng);
    }
}

#[test]
fn without_complete_information_no_line_looks_ahead() {
    let game = file("kuhn_poker");
    let role = game.language_rules().role_name(game.roles()[0]).to_string();
    let problem = Program::parse(&game, &format!("{role}:\n if it wins play bet"));
    let expected = "line 2: only with complete information can a condition look ahead";
    assert_eq!(problem, Err(expected.into()));
    let problem = Program::parse(&file("tic_tac_toe"), "x:\n if it is sure play (mark 1 1)");
    let expected = "line 2: expected `it wins` or `it is safe`, found `sure`";
    assert_eq!(problem, Err(expected.into()));
}

/// In Pig to 20 the program holds at 4 points or more, and rolls otherwise.
#[test]
fn numbers_are_compared() {
    let game = file("pig_20");
    let roles =
        game.language_rules().roles().map(|role| game.language_rules().role_name(role).to_string());
    let lines = "if (pot >=4) and (phase decide) play hold\n if (pot <4) play roll\n";
    let text: String =
        roles.filter(|role| role != "random").map(|role| format!("{role}:\n {lines}")).collect();
    let program = program(&game, &text);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut memory, mut action) = (ProgramMemory::default(), RoleMove::default());
    let mut counts = [0, 0];
    for _ in 0..20 {
        let mut state = game.deal(&mut rng);
        while let Turn::Act(seat) = game.turn(&state) {
            let view = game.view(&state, seat);
            let (rules, role) = (view.rules(), view.role());
            let known = view.state().expect("nothing is hidden");
            let pot = known.iter().find_map(|fluent| {
                rules.fluent(fluent).strip_prefix("(pot ")?.strip_suffix(')')?.parse::<u32>().ok()
            });
            program.act(&mut memory, view, &mut rng, &mut action);
            let made = rules.move_text(role, action.action);
            if made != "noop" {
                let holds = pot.expect("there is a pot") >= 4;
                assert_eq!(made, if holds { "hold" } else { "roll" });
                counts[usize::from(holds)] += 1;
            }
            game.apply(&mut state, seat, &action, &mut rng);
        }
    }
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}

#[test]
fn mistakes_have_their_place() {
    let game = file("tic_tac_toe");
    for case in include_str!("mistakes.txt").split_terminator("\n---\n") {
        let (text, expected) = case.rsplit_once("\n=> ").expect("a text and a message");
        assert_eq!(Program::parse(&game, text), Err(expected.into()), "{text}");
    }
    let long = format!("x:\n{}", "play noop\n".repeat(11));
    assert_eq!(
        Program::parse(&game, &long),
        Err("line 12: a role has at most 10 lines, besides `play any`".into())
    );
}

/// With hidden information, lines may ask what a role saw in the step of a move.
#[test]
fn percepts_belong_to_moves() {
    let game = file("phantom_tic_tac_toe_try_again");
    let text = "\
plays the first line that fits:
x:
  if saw occupied after (try 5) play (try 1)
  if not saw put after (try ?a) play (try ?a)
  play any
o:
  play any";
    let program = program(&game, text);
    assert_eq!(program.words(&game), text);
    // In the middle, o has a mark, so x goes on with the corner.
    let (mut rng, mut memory) = (Xoshiro256PlusPlus::seed_from_u64(1), ProgramMemory::default());
    let mut state = game.deal(&mut rng);
    let mut action = RoleMove::default();
    for wanted in ["(try 2)", "(try 5)", "(try 5)"] {
        let Turn::Act(seat) = game.turn(&state) else { panic!("the game is over") };
        let view = game.view(&state, seat);
        let named = |action: &MoveId| view.rules().move_text(view.role(), *action) == wanted;
        let action = *view.legal().iter().find(|action| named(action)).expect("a legal move");
        let made = RoleMove { role: view.role(), action };
        game.apply(&mut state, seat, &made, &mut rng);
    }
    let Turn::Act(seat) = game.turn(&state) else { panic!("the game is over") };
    let view = game.view(&state, seat);
    program.act(&mut memory, view, &mut rng, &mut action);
    assert_eq!(view.rules().move_text(view.role(), action.action), "(try 1)");
    let wrong = |text: &str| Program::parse(&game, text).expect_err("a mistake");
    assert_eq!(
        wrong("x:\nif saw occupied after play (try 1)"),
        "line 2: expected `and` or `play`, found `(try 1)`"
    );
    assert_eq!(
        wrong("x:\nif saw try after (try 1) play (try 1)"),
        "line 2: no role sees `try after try`"
    );
}
