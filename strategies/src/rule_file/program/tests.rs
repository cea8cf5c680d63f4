use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand_distr::Distribution;
use ruse_games::{Game, Turn};
use ruse_gdl::Limits;

use super::*;
use crate::gaussian::Gaussian;

fn file(name: &str) -> RuleFile {
    let text = ruse_gdl::rule_file(name).expect("a file of the engine").text.as_bytes();
    RuleFile::from_text(name, text, &Limits::default()).expect("a game")
}

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
    for part in ["not ", ">=", "<", "_", "?a", "saw ", "did ", " and ", "play roll", "not saw "] {
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
    for (text, expected) in [
        ("play (mark 1 1)", "line 1: the name of a role with a colon comes first"),
        ("z:", "line 1: there is no role `z`; the roles are x, o"),
        ("x:\nmark 1 1", "line 2: expected `play`, found `mark`"),
        ("x:\nif play (mark 1 1)", "line 2: expected a condition, found `play`"),
        ("x:\nif (cell 1 1 empty)", "line 2: expected `and` or `play`, and the line ends"),
        (
            "x:\nif (cell 1 1 empty) or (cell 1 2 empty) play noop",
            "line 2: expected `and` or `play`, found `or`",
        ),
        ("x:\nplay (mark 1 1", "line 2: a closing parenthesis is missing"),
        ("x:\nplay mark 1 1)", "line 2: a parenthesis closes that was not opened"),
        ("x:\nplay", "line 2: the move after `play` is missing"),
        ("x:\nplay noop noop", "line 2: `noop` follows the move, which ends a line"),
        ("x:\nplay (put 1 1)", "line 2: the rule file does not contain the word `put`"),
        ("x:\nplay (mark 1 x)", "line 2: the role has no such move"),
        ("x:\nplay (mark ?a ?a)", "line 2: the variable `?a` stands for two arguments of the move"),
        (
            "x:\nif (cell ?c 1 empty) play (mark ?a ?b)",
            "line 2: the variable `?c` is not among the first 8 arguments of the move",
        ),
        (
            "x:\nif (cell 1 2) play (mark ?a ?b)",
            "line 2: the condition `(cell 1 2)` fits no fact that the role may know",
        ),
        ("x:\nif (cell >=x 2 empty) play (mark ?a ?b)", "line 2: `x` is not a number"),
        (
            "x:\nif saw (cell 1 2 empty) play (mark ?a ?b)",
            "line 2: the condition `saw (cell 1 2 empty)` fits no fact that the role may know",
        ),
    ] {
        assert_eq!(Program::parse(&game, text), Err(expected.into()), "{text}");
    }
    let long = format!("x:\n{}", "play noop\n".repeat(11));
    assert_eq!(
        Program::parse(&game, &long),
        Err("line 12: a role has at most 10 lines, besides `play any`".into())
    );
}
