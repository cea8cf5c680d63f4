use ruse_games::Game;
use ruse_games::rule_file::{RoleMove, RoleView, RuleFile, RuleFileState};
use ruse_gdl::{Limits, MoveId, RoleId, rule_file};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

use crate::courses::Courses;
use crate::suite::{Case, Secrets, Suite};

/// Returns the game of a file that comes with the engine.
pub(crate) fn game(name: &str) -> RuleFile {
    let text = rule_file(name).expect("a file of the engine").text;
    RuleFile::from_text(format!("{name}.kif"), text.as_bytes(), &Limits::default())
        .expect("a game")
}

/// Returns all moves of the role, legal or not.
fn moves(view: &RoleView<'_>) -> Vec<RoleMove> {
    let role = view.role();
    let number = view.rules().num_moves(role) as u32;
    (0..number).map(|action| RoleMove { role, action: MoveId(action) }).collect()
}

fn legal(game: &RuleFile, state: &RuleFileState) -> Vec<RoleMove> {
    let ruse_games::Turn::Act(seat) = game.turn(state) else { return Vec::new() };
    let view = game.view(state, seat);
    let role = view.role();
    view.legal().iter().map(|&action| RoleMove { role, action }).collect()
}

pub(super) fn hand_over(suite: &mut impl Suite) {
    let many = || Secrets::Many;
    let none = || Secrets::None;
    let few = |name: &str, max_turns: usize| {
        let game = game(name);
        // The game has no chance.
        let deal = game.deal(&mut Xoshiro256PlusPlus::seed_from_u64(0));
        Secrets::Few(Box::new(Courses {
            game,
            deals: vec![deal],
            moves: legal,
            // Imagined states are from 256 plays, which depend on each other.
            is_exact: false,
            num_games: 3,
            max_turns,
        }))
    };
    let files: [(&str, &str, Secrets<RuleFile>); 29] = [
        ("rule-file", "tic_tac_toe", none()),
        ("rule-file-battleship", "battleship_4x4", many()),
        ("rule-file-breakthrough", "breakthrough_6x6", none()),
        ("rule-file-cant-stop", "cant_stop_mini", none()),
        ("rule-file-connect-four", "connect_four", none()),
        ("rule-file-dark-hex", "dark_hex_3", few("dark_hex_3", 4)),
        ("rule-file-dark-hex-abrupt", "dark_hex_3_abrupt", few("dark_hex_3_abrupt", 4)),
        ("rule-file-dots", "dots_and_boxes_3x3", none()),
        ("rule-file-goofspiel", "goofspiel_4", many()),
        ("rule-file-guess-who-16", "guess_who_16", none()),
        ("rule-file-guess-who-8", "guess_who_8", none()),
        ("rule-file-hex", "hex_5x5", none()),
        ("rule-file-kriegspiel", "kriegspiel_tic_tac_toe", few("kriegspiel_tic_tac_toe", 4)),
        ("rule-file-kuhn", "kuhn_poker", many()),
        ("rule-file-leduc", "leduc_poker", many()),
        ("rule-file-liars-dice-4", "liars_dice_4", many()),
        ("rule-file-liars-dice-6", "liars_dice_6", many()),
        ("rule-file-lowest-unique", "lowest_unique", many()),
        ("rule-file-matching-pennies", "matching_pennies", many()),
        ("rule-file-monty-hall", "monty_hall", many()),
        ("rule-file-morra", "morra", few("morra", 1)),
        ("rule-file-nim", "nim", none()),
        ("rule-file-orchard", "orchard", many()),
        ("rule-file-orders", "phantom_tic_tac_toe_orders", many()),
        ("rule-file-try-again", "phantom_tic_tac_toe_try_again", few("phantom_tic_tac_toe_try_again", 4)),
        ("rule-file-pentago", "pentago", none()),
        ("rule-file-pig", "pig_20", none()),
        ("rule-file-reversi", "reversi_6x6", none()),
        ("rule-file-syntax", "syntax_zoo", many()),
    ];
    for (name, file, secrets) in files {
        suite.check_listed(Case {
            name,
            files: None,
            game: game(file),
            max_actions: 2_000,
            illegal: vec![
                RoleMove { role: RoleId(200), action: MoveId(0) },
                RoleMove { role: RoleId(0), action: MoveId(u32::MAX) },
            ],
            candidates: moves,
            secrets,
        });
    }
}
