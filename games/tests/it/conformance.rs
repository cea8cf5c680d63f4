//! What every game has to do, checked for every game.
//!
//! `every_game_is_here` fails when a game of this crate is missing from `for_every_game`.

use std::collections::HashSet;
use std::fmt::Debug;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::battleship::{Battleship, BattleshipAction, Cell, Fleet, NUM_CELLS};
use ruse_games::cheat::{Cheat, CheatAction};
use ruse_games::flip::{Flip, FlipAction};
use ruse_games::four_in_a_row::FourInARow;
use ruse_games::guess_who::GuessWho;
use ruse_games::morra::{Announcement, Morra};
use ruse_games::nim::{Nim, Take};
use ruse_games::phantom_four::PhantomFour;
use ruse_games::phantom_tic_tac_toe::{CellOrder, PhantomTicTacToe, PhantomTicTacToeState};
use ruse_games::pig::{Pig, PigAction};
use ruse_games::war::War;
use ruse_games::{AdjustableRules, BySeat, Game, Imagine, Legal, SampleAction, Seat, Turn};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::courses::{self, Courses};
use crate::playthrough;

/// What the suite asks of a game besides the rules: to be imagined and played at random, to be compared and printed,
/// and to be written down, which only the playthroughs need.
pub(crate) trait Testable:
    Imagine<
        State: Debug + PartialEq + Serialize + DeserializeOwned,
        Action: Debug + Serialize + DeserializeOwned,
    > + SampleAction
{
}

impl<G> Testable for G where
    G: Imagine<
            State: Debug + PartialEq + Serialize + DeserializeOwned,
            Action: Debug + Serialize + DeserializeOwned,
        > + SampleAction
{
}

/// A game, and what the suite has to know about it.
struct Case<G: Game> {
    /// The name of the module, with dashes, and the name of the playthrough.
    name: &'static str,
    game: G,
    /// More actions than any game takes.
    max_actions: usize,
    /// Actions that nobody may take first.
    illegal: Vec<G::Action>,
    /// Actions among which all legal ones of a seat with this view are; nothing where these are too many.
    candidates: fn(&G::View<'_>) -> Vec<G::Action>,
    secrets: Secrets<G>,
}

/// What a seat does not know at its turns.
enum Secrets<G: Game> {
    /// Nothing: the state that it imagines is the true one.
    None,
    /// So little that all states which can have come about are found by trying.
    Few(Box<Courses<G>>),
    /// Too much for that. The tests of the game say what is right.
    Many,
}

trait Suite {
    fn check<G: Testable>(&mut self, case: Case<G>);

    /// For games whose legal actions can be listed.
    fn check_listed<G: Testable + Legal>(&mut self, case: Case<G>) {
        self.check(case);
    }
}

/// The game with one rule changed.
fn with<G: AdjustableRules>(game: &G, rule: &str, value: u64) -> G {
    game.with_rules(&[(rule.to_string(), value)].into()).expect("valid rules")
}

/// All orders of some things, some of them twice if they are equal.
fn orders<T: Copy>(things: &[T]) -> Vec<Vec<T>> {
    let Some((&last, rest)) = things.split_last() else { return vec![Vec::new()] };
    let insert = |order: Vec<T>| {
        (0..=order.len()).map(move |place| {
            let mut longer = order.clone();
            longer.insert(place, last);
            longer
        })
    };
    orders(rest).into_iter().flat_map(insert).collect()
}

/// The numbers from 0, `first` in front of all others.
fn beginning_with<const N: usize>(first: u8) -> [u8; N] {
    std::array::from_fn(|place| match place as u8 {
        0 => first,
        place if place <= first => place - 1,
        place => place,
    })
}

pub(crate) fn free_cells(_: &PhantomTicTacToe, state: &PhantomTicTacToeState) -> Vec<CellOrder> {
    let stones = state.stones();
    let taken = stones.first.union(stones.second);
    let free = (0..9).filter(|&cell| !taken.contains(cell));
    free.map(|cell| CellOrder::from(beginning_with(cell))).collect()
}

/// What tells of each stone is the order that was told, so this game has courses as many as there are free cells.
pub(crate) fn courses_of_phantom_tic_tac_toe<G>(
    game: G,
    moves: fn(&G, &G::State) -> Vec<G::Action>,
) -> Courses<G>
where
    G: Game<State = PhantomTicTacToeState>,
{
    Courses {
        game,
        deals: vec![PhantomTicTacToe.start()],
        moves,
        is_exact: true,
        num_games: 30,
        max_turns: 5,
    }
}

fn for_every_game(suite: &mut impl Suite) {
    suite.check(Case {
        name: "war",
        game: with(&War::standard(), "max-turns", 5_000),
        max_actions: 5_000,
        illegal: vec![[].as_slice().into(), [1].as_slice().into(), [13, 14].as_slice().into()],
        candidates: |view| match view.pile.len() {
            // A tie or none.
            ..=6 => orders(view.pile).iter().map(|order| order.as_slice().into()).collect(),
            _ => Vec::new(),
        },
        secrets: Secrets::Many,
    });
    suite.check(Case {
        name: "phantom-tic-tac-toe",
        game: PhantomTicTacToe,
        max_actions: 9,
        illegal: vec![[0; 9].into(), [0, 1, 2, 3, 4, 5, 6, 7, 9].into()],
        // There are 362,880.
        candidates: |_| Vec::new(),
        secrets: Secrets::Few(Box::new(courses_of_phantom_tic_tac_toe(
            PhantomTicTacToe,
            free_cells,
        ))),
    });
    suite.check_listed(Case {
        name: "guess-who",
        game: GuessWho::standard(),
        max_actions: 256,
        illegal: vec![0, 128, 1000],
        candidates: |_| (0..=300).collect(),
        secrets: Secrets::None,
    });
    suite.check_listed(Case {
        name: "morra",
        game: Morra::standard(),
        max_actions: 2,
        illegal: vec![
            Announcement { fingers: 6, guess: 6 },
            Announcement { fingers: 0, guess: 11 },
        ],
        candidates: |_| {
            let hands = (0..8).flat_map(|fingers| (0..16).map(move |guess| (fingers, guess)));
            hands.map(|(fingers, guess)| Announcement { fingers, guess }).collect()
        },
        secrets: Secrets::Few(Box::new(Courses {
            game: Morra::standard(),
            deals: vec![Morra::standard().deal(&mut Xoshiro256PlusPlus::seed_from_u64(0))],
            moves: |_, _| (0..66).map(Announcement::of_index).collect(),
            is_exact: true,
            num_games: 3,
            max_turns: 1,
        })),
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
        candidates: |_| {
            let takes = (0..8).flat_map(|heap| (0..9).map(move |matches| (heap, matches)));
            takes.map(|(heap, matches)| Take { heap, matches }).collect()
        },
        secrets: Secrets::None,
    });
    let small_cheat = with(&Cheat::standard(), "cards-per-colour", 2);
    let hands = (0..81).map(|hand: u8| [hand % 3, hand / 3 % 3, hand / 9 % 3, hand / 27]);
    let halves = hands.filter(|hand| hand.iter().sum::<u8>() == 4);
    suite.check_listed(Case {
        name: "cheat",
        game: Cheat::standard(),
        max_actions: 500,
        illegal: vec![CheatAction::Claim, CheatAction::Put(4)],
        candidates: |_| (0..6).map(CheatAction::Put).chain([CheatAction::Claim]).collect(),
        secrets: Secrets::Few(Box::new(Courses {
            deals: halves.map(|hand| small_cheat.start(hand)).collect(),
            game: small_cheat,
            moves: |game, state| {
                let all = (0..4).map(CheatAction::Put).chain([CheatAction::Claim]);
                all.filter(|action| game.check(state, action).is_ok()).collect()
            },
            is_exact: false,
            num_games: 100,
            max_turns: 30,
        })),
    });
    let low = with(&PhantomFour::standard(), "rows", 2);
    suite.check(Case {
        name: "phantom-four",
        game: PhantomFour::standard(),
        max_actions: 28,
        illegal: vec![[0; 7].into(), [0, 1, 2, 3, 4, 5, 7].into()],
        candidates: |_| {
            let orders = orders(&[0, 1, 2, 3, 4, 5, 6]).into_iter();
            orders.map(|order| <[u8; 7]>::try_from(order).expect("seven columns").into()).collect()
        },
        secrets: Secrets::Few(Box::new(Courses {
            game: low,
            deals: vec![low.start()],
            moves: |game, state| {
                let full = game.columns().full_columns(state.board().occupied());
                let open = (0..7).filter(|column| full >> column & 1 == 0);
                open.map(|column| beginning_with(column).into()).collect()
            },
            is_exact: true,
            num_games: 3,
            max_turns: 7,
        })),
    });
    suite.check_listed(Case {
        name: "pig",
        game: Pig::standard(),
        max_actions: 5_000,
        illegal: vec![PigAction::Hold],
        candidates: |_| vec![PigAction::Hold, PigAction::Roll],
        secrets: Secrets::None,
    });
    suite.check_listed(Case {
        name: "four-in-a-row",
        game: FourInARow::standard(),
        max_actions: 42,
        illegal: vec![7, 255],
        candidates: |_| (0..=255).collect(),
        secrets: Secrets::None,
    });
    suite.check_listed(Case {
        name: "flip",
        game: Flip::standard(),
        // 25 cards each, and nobody can be out of cards before.
        max_actions: 49,
        illegal: vec![FlipAction { card: 13, pile: 0 }, FlipAction { card: 0, pile: 2 }],
        candidates: |_| {
            let puts = (0..16).flat_map(|card| (0..4).map(move |pile| (card, pile)));
            puts.map(|(card, pile)| FlipAction { card, pile }).collect()
        },
        secrets: Secrets::Many,
    });
    suite.check(Case {
        name: "battleship",
        game: Battleship,
        max_actions: 2 + 2 * 81,
        // The ships of the second one all start in the same corner.
        illegal: vec![BattleshipAction::default(), BattleshipAction::Place(Fleet::default())],
        // Before the fleet is placed there are 84,547,392.
        candidates: |_| {
            let cells = (0..NUM_CELLS).map(Cell::from_index);
            cells.map(BattleshipAction::Shoot).collect()
        },
        secrets: Secrets::Many,
    });
}

#[test]
fn every_game_is_here() {
    struct Names(Vec<String>);

    impl Suite for Names {
        fn check<G: Testable>(&mut self, case: Case<G>) {
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
        fn check<G: Testable>(&mut self, case: Case<G>) {
            illegal_actions_are_refused(&case);
            for seed in 0..200 {
                play(&case, seed, |_, _| ());
            }
        }

        fn check_listed<G: Testable + Legal>(&mut self, case: Case<G>) {
            illegal_actions_are_refused(&case);
            for seed in 0..200 {
                play(&case, seed, |state, seat| {
                    listed_actions_are_all_legal_ones(&case, state, seat)
                });
            }
        }
    }

    for_every_game(&mut Conformance);
}

#[test]
fn every_legal_action_is_drawn() {
    struct Drawn;

    impl Suite for Drawn {
        fn check<G: Testable>(&mut self, case: Case<G>) {
            for seed in 0..5 {
                let mut num_looks = 0;
                play(&case, seed, |state, seat| {
                    num_looks += 1;
                    if num_looks <= 3 {
                        all_legal_actions_are_drawn(&case, state, seat);
                    }
                });
            }
        }
    }

    for_every_game(&mut Drawn);
}

#[test]
fn imagined_states_agree_with_all_that_was_seen_and_done() {
    struct Imagined;

    impl Suite for Imagined {
        fn check<G: Testable>(&mut self, case: Case<G>) {
            if let Secrets::Few(courses) = &case.secrets {
                courses::check(case.name, courses);
            }
        }
    }

    for_every_game(&mut Imagined);
}

#[test]
fn every_game_replays_its_playthrough() {
    struct Playthroughs;

    impl Suite for Playthroughs {
        fn check<G: Testable>(&mut self, case: Case<G>) {
            playthrough::check(case.name, &case.game);
        }
    }

    for_every_game(&mut Playthroughs);
}

fn illegal_actions_are_refused<G: Testable>(case: &Case<G>) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    let state = case.game.deal(&mut rng);
    assert!(!case.illegal.is_empty(), "{}: no illegal action to try", case.name);
    for action in &case.illegal {
        let error = case.game.check(&state, action).expect_err("an illegal action");
        assert!(!error.to_string().is_empty(), "{}: {action:?} has no message", case.name);
    }
}

/// The list has each of the candidates that the rules allow, once, and nothing else; twice asked it is the same.
fn listed_actions_are_all_legal_ones<G: Testable + Legal>(
    case: &Case<G>,
    state: &G::State,
    seat: Seat,
) {
    let Case { name, game, .. } = case;
    let view = game.view(state, seat);
    let mut actions = Vec::new();
    game.legal(&view, &mut actions);
    assert!(!actions.is_empty(), "{name}: no legal action in {state:?}");
    for (index, action) in actions.iter().enumerate() {
        assert!(!actions[..index].contains(action), "{name}: {action:?} is listed twice");
        if let Err(error) = game.check(state, action) {
            panic!("{name}: {action:?} is listed and refused: {error}");
        }
    }
    for candidate in (case.candidates)(&view) {
        let is_legal = game.check(state, &candidate).is_ok();
        assert_eq!(actions.contains(&candidate), is_legal, "{name}: {candidate:?} in {state:?}");
    }
    let num_actions = actions.len();
    game.legal(&view, &mut actions);
    assert_eq!(actions[..num_actions], actions[num_actions..], "{name}: appended in another order");
}

/// Draws so often that an action of probability 1 / 4n is missed with probability e^-23 or less, if n are legal.
fn all_legal_actions_are_drawn<G: Testable>(case: &Case<G>, state: &G::State, seat: Seat) {
    let Case { name, game, .. } = case;
    let view = game.view(state, seat);
    let candidates = (case.candidates)(&view).into_iter();
    let legal = candidates.filter(|action| game.check(state, action).is_ok());
    let mut missing: HashSet<String> = legal.map(|action| format!("{action:?}")).collect();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut action = G::Action::default();
    for _ in 0..4 * 23 * missing.len() {
        if missing.is_empty() {
            return;
        }
        game.sample_action(&view, &mut rng, &mut action);
        missing.remove(&format!("{action:?}"));
    }
    assert!(missing.is_empty(), "{name}: never drawn: {missing:?}");
}

/// Plays one game of random actions, looking at everything on the way.
fn play<G: Testable>(case: &Case<G>, seed: u64, mut look: impl FnMut(&G::State, Seat)) {
    let Case { name, game, .. } = case;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut state = game.deal(&mut rng);
    let mut action = G::Action::default();
    let mut knowledge: BySeat<G::Knowledge> = BySeat::default();
    for num_actions in 0.. {
        // To check every tenth position of long games is enough.
        let looks = num_actions < 20 || num_actions % 10 == 0;
        if looks {
            assert_survives_a_file(name, &state);
        }
        let Turn::Act(seat) = game.turn(&state) else { break };
        assert!(num_actions < case.max_actions, "{name}, seed {seed}: the game does not end");
        if looks {
            look(&state, seat);
            imagine(case, &state, seat, &knowledge[seat], &mut rng);
        }
        let view = game.view(&state, seat);
        game.sample_action(&view, &mut rng, &mut action);
        if let Err(error) = game.check(&state, &action) {
            panic!("{name}: {action:?} is drawn and refused: {error}");
        }
        game.learn(&mut knowledge[seat], seat, &view, &action);
        drop(view);
        assert_survives_a_file(name, &action);
        game.apply(&mut state, seat, &action, &mut rng);
    }
    game.check(&state, &action).expect_err("nothing is legal when the game is over");
}

/// Imagines a state in which the seat sees what it sees, and plays on from there for a while as a search does:
/// by the rules, learning, and imagining again.
fn imagine<G: Testable>(
    case: &Case<G>,
    state: &G::State,
    seat: Seat,
    knowledge: &G::Knowledge,
    rng: &mut Xoshiro256PlusPlus,
) {
    let Case { name, game, .. } = case;
    let mut knowledge = knowledge.clone();
    let mut imagined = state.clone();
    let mut action = G::Action::default();
    for _ in 0..10 {
        let Turn::Act(mover) = game.turn(&imagined) else { return };
        if mover == seat {
            let other = game.imagine(&knowledge, seat, &game.view(&imagined, seat), rng);
            assert_eq!(
                game.view(&other, seat),
                game.view(&imagined, seat),
                "{name}: {seat:?} sees that this is not the true state"
            );
            assert_eq!(game.turn(&other), Turn::Act(seat), "{name}: the turn of {seat:?}");
            if let Secrets::None = case.secrets {
                assert_eq!(other, imagined, "{name}: nothing is hidden");
            }
            imagined = other;
        }
        let view = game.view(&imagined, mover);
        game.sample_action(&view, rng, &mut action);
        if let Err(error) = game.check(&imagined, &action) {
            panic!("{name}: {action:?} is drawn, and refused in an imagined state: {error}");
        }
        if mover == seat {
            game.learn(&mut knowledge, seat, &view, &action);
        }
        drop(view);
        game.apply(&mut imagined, mover, &action, rng);
    }
}

fn assert_survives_a_file<T>(name: &str, value: &T)
where
    T: Debug + PartialEq + Serialize + DeserializeOwned,
{
    let text = serde_json::to_string(value).expect("plain data");
    let read: T = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(&read, value, "{name}: changed by {text}");
}
