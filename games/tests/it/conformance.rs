//! What every game has to do, checked for every game.
//!
//! `every_game_is_here` fails when a game of this crate is missing from `for_every_game`.

use std::fmt::Debug;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::battleship::{Battleship, BattleshipAction, Fleet};
use ruse_games::cheat::{Cheat, CheatAction};
use ruse_games::flip::{Flip, FlipAction};
use ruse_games::four_in_a_row::FourInARow;
use ruse_games::guess_who::GuessWho;
use ruse_games::morra::{Announcement, Morra};
use ruse_games::nim::{Nim, Take};
use ruse_games::phantom_four::PhantomFour;
use ruse_games::phantom_tic_tac_toe::PhantomTicTacToe;
use ruse_games::pig::{Pig, PigAction};
use ruse_games::war::War;
use ruse_games::{Game, ListActions, Redeal, SampleAction, Seat, Turn};

use crate::playthrough;

/// A game, and what the suite has to know about it.
struct Case<G: Game> {
    /// The name of the module, with dashes, and the name of the playthrough.
    name: &'static str,
    game: G,
    /// More actions than any game takes.
    max_actions: usize,
    /// Actions that nobody may take first.
    illegal: Vec<G::Action>,
}

trait Suite {
    fn check<G: Redeal + SampleAction>(&mut self, case: Case<G>);

    /// For games whose legal actions can be listed.
    fn check_listed<G: Redeal + SampleAction + ListActions>(&mut self, case: Case<G>);
}

fn for_every_game(suite: &mut impl Suite) {
    let capped = [("max-turns".to_string(), 5_000)].into();
    let war = ruse_games::AdjustableRules::with_rules(&War::standard(), &capped);
    suite.check(Case {
        name: "war",
        game: war.expect("valid rules"),
        max_actions: 5_000,
        illegal: vec![[].as_slice().into(), [1].as_slice().into(), [13, 14].as_slice().into()],
    });
    suite.check(Case {
        name: "phantom-tic-tac-toe",
        game: PhantomTicTacToe,
        max_actions: 9,
        illegal: vec![[0; 9].into(), [0, 1, 2, 3, 4, 5, 6, 7, 9].into()],
    });
    suite.check_listed(Case {
        name: "guess-who",
        game: GuessWho::standard(),
        max_actions: 256,
        illegal: vec![0, 128, 1000],
    });
    suite.check_listed(Case {
        name: "morra",
        game: Morra::standard(),
        max_actions: 2,
        illegal: vec![
            Announcement { fingers: 6, guess: 6 },
            Announcement { fingers: 0, guess: 11 },
        ],
    });
    suite.check_listed(Case {
        name: "nim",
        game: Nim::standard(),
        max_actions: 16,
        illegal: vec![
            Take::default(),
            Take { heap: 3, matches: 8 },
            Take { heap: 4, matches: 1 },
            Take { heap: 200, matches: 1 },
        ],
    });
    suite.check_listed(Case {
        name: "cheat",
        game: Cheat::standard(),
        max_actions: 500,
        illegal: vec![CheatAction::Claim, CheatAction::Put(4)],
    });
    suite.check(Case {
        name: "phantom-four",
        game: PhantomFour::standard(),
        max_actions: 28,
        illegal: vec![[0; 7].into(), [0, 1, 2, 3, 4, 5, 7].into()],
    });
    suite.check_listed(Case {
        name: "pig",
        game: Pig::standard(),
        max_actions: 5_000,
        illegal: vec![PigAction::Hold],
    });
    suite.check_listed(Case {
        name: "four-in-a-row",
        game: FourInARow::standard(),
        max_actions: 42,
        illegal: vec![7, 255],
    });
    suite.check_listed(Case {
        name: "flip",
        game: Flip::standard(),
        // 25 cards each, and nobody can be out of cards before.
        max_actions: 49,
        illegal: vec![FlipAction { card: 13, pile: 0 }, FlipAction { card: 0, pile: 2 }],
    });
    suite.check(Case {
        name: "battleship",
        game: Battleship,
        max_actions: 2 + 2 * 81,
        // The ships of the second one all start in the same corner.
        illegal: vec![BattleshipAction::default(), BattleshipAction::Place(Fleet::default())],
    });
}

#[test]
fn every_game_is_here() {
    struct Names(Vec<String>);

    impl Suite for Names {
        fn check<G: Redeal + SampleAction>(&mut self, case: Case<G>) {
            self.0.push(case.name.into());
        }

        fn check_listed<G: Redeal + SampleAction + ListActions>(&mut self, case: Case<G>) {
            self.0.push(case.name.into());
        }
    }

    let mut names = Names(Vec::new());
    for_every_game(&mut names);
    names.0.sort();

    // A module with an implementation of `Game` is a game.
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    let mut games = Vec::new();
    for entry in std::fs::read_dir(sources).expect("the sources are there") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("readable");
            let name = path.file_stem().expect("a name").to_string_lossy().replace('_', "-");
            if text.lines().any(|line| line.starts_with("impl Game for ")) {
                games.push(name);
            }
        }
    }
    games.sort();
    assert_eq!(names.0, games);
}

#[test]
fn every_game_conforms() {
    struct Conformance;

    impl Suite for Conformance {
        fn check<G: Redeal + SampleAction>(&mut self, case: Case<G>) {
            illegal_actions_are_refused(&case);
            for seed in 0..200 {
                play(&case, seed, |_| ());
            }
        }

        fn check_listed<G: Redeal + SampleAction + ListActions>(&mut self, case: Case<G>) {
            illegal_actions_are_refused(&case);
            for seed in 0..200 {
                play(&case, seed, |state| listed_actions_are_legal(&case, state));
            }
        }
    }

    for_every_game(&mut Conformance);
}

#[test]
fn every_game_replays_its_playthrough() {
    struct Playthroughs;

    impl Suite for Playthroughs {
        fn check<G: Redeal + SampleAction>(&mut self, case: Case<G>) {
            playthrough::check(case.name, &case.game);
        }

        fn check_listed<G: Redeal + SampleAction + ListActions>(&mut self, case: Case<G>) {
            playthrough::check(case.name, &case.game);
        }
    }

    for_every_game(&mut Playthroughs);
}

fn illegal_actions_are_refused<G: Game>(case: &Case<G>) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    let state = case.game.deal(&mut rng);
    assert!(!case.illegal.is_empty(), "{}: no illegal action to try", case.name);
    for action in &case.illegal {
        let error = case.game.check(&state, action).expect_err("an illegal action");
        assert!(!error.to_string().is_empty(), "{}: {action:?} has no message", case.name);
    }
}

fn listed_actions_are_legal<G: ListActions>(case: &Case<G>, state: &G::State) {
    let mut actions = Vec::new();
    case.game.list_actions(state, &mut actions);
    assert!(!actions.is_empty(), "{}: no legal action in {state:?}", case.name);
    for (index, action) in actions.iter().enumerate() {
        assert!(!actions[..index].contains(action), "{}: {action:?} is listed twice", case.name);
        if let Err(error) = case.game.check(state, action) {
            panic!("{}: {action:?} is listed and refused: {error}", case.name);
        }
    }
}

/// Plays one game of random actions, looking at everything on the way.
fn play<G: Redeal + SampleAction>(case: &Case<G>, seed: u64, mut look: impl FnMut(&G::State)) {
    let Case { name, game, .. } = case;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut state = game.deal(&mut rng);
    let mut action = G::Action::default();
    for num_actions in 0.. {
        // To check every tenth position of long games is enough.
        let looks = num_actions < 20 || num_actions % 10 == 0;
        if looks {
            assert_survives_a_file(name, &state);
        }
        let Turn::Act(seat) = game.turn(&state) else { break };
        assert!(num_actions < case.max_actions, "{name}, seed {seed}: the game does not end");
        if looks {
            look(&state);
            for viewer in Seat::BOTH {
                let redealt = game.redeal(&state, viewer, &mut rng);
                assert_eq!(
                    game.view(&redealt, viewer),
                    game.view(&state, viewer),
                    "{name}: {viewer:?} notices that hidden things were dealt again"
                );
                assert_eq!(game.turn(&redealt), game.turn(&state), "{name}");
            }
        }
        game.sample_action(&state, &mut rng, &mut action);
        if let Err(error) = game.check(&state, &action) {
            panic!("{name}: {action:?} is drawn and refused: {error}");
        }
        assert_survives_a_file(name, &action);
        game.apply(&mut state, seat, &action, &mut rng);
    }
    game.check(&state, &action).expect_err("nothing is legal when the game is over");
}

fn assert_survives_a_file<T>(name: &str, value: &T)
where
    T: Debug + PartialEq + serde::Serialize + serde::de::DeserializeOwned,
{
    let text = serde_json::to_string(value).expect("plain data");
    let read: T = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(&read, value, "{name}: changed by {text}");
}
