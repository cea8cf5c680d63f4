use rand::RngExt;
use ruse_games::phantom_tic_tac_toe::PhantomTicTacToe;
use ruse_strategies::battleship::BattleshipFamily;
use ruse_strategies::cheat::CheatFamily;
use ruse_strategies::four_in_a_row::FourInARowFamily;
use ruse_strategies::guess_who::GuessWhoFamily;
use ruse_strategies::nim::NimFamily;
use ruse_strategies::phantom_tic_tac_toe::PhantomTicTacToeFamily;
use ruse_strategies::pig::PigFamily;

use ruse_strategies::{Family, Prepared};

use super::*;

const PAGE: Page = Page { width: 60, unicode: false };

fn table<F: Family>(family: &F, reference: &str, seed: u64) -> BoardSession<F::Game> {
    let mut references = family.references().into_iter();
    let reference = references.find(|named| named.name == reference).expect("a reference");
    let key = StreamKey::root(seed);
    let opponent = Prepared::<F>::Reference(reference.strategy).into_any();
    BoardSession::new(Arc::new(family.clone()), opponent, None, key)
}

/// Returns the table as `seat` sees it, the hint, and the values of the choices.
fn asked<G: Game>(
    session: &BoardSession<G>,
    seat: Seat,
) -> (String, Option<String>, Option<Values>) {
    let values = session.values(Limit::Times(3));
    (session.view(seat, PAGE), session.advice(), values)
}

/// Plays random moves until `seat` has made `num_decisions` decisions and is to act again. Returns `true` if the game
/// lasted long enough.
fn play_at_random<G: Game>(
    session: &mut BoardSession<G>,
    seat: Seat,
    num_decisions: usize,
) -> bool {
    session.begin(0, Some(seat));
    loop {
        match session.turn() {
            Turn::Over(_) => return false,
            Turn::Act(mover)
                if mover == seat && session.own_actions[seat].len() == num_decisions =>
            {
                return true;
            }
            Turn::Act(_) => drop(session.act_at_random().expect("the game goes on")),
        }
    }
}

/// Checks that a game reconstructed from the description by one seat has the same table, advice and values as the
/// original random game, whatever parts are filled in.
fn what_is_told_is_what_was_seen<F: Family>(family: &F, reference: &str, most: usize) {
    let mut num_told = 0;
    for seed in 0..12 {
        let mut session = table(family, reference, seed);
        let mut choice = StreamKey::root(seed).stream();
        let seat = if choice.random() { Seat::First } else { Seat::Second };
        if !play_at_random(&mut session, seat, choice.random_range(0..=most)) {
            continue;
        }
        let place = format!("{}, seed {seed}, {seat:?}", family.info().name);
        let played = asked(&session, seat);
        let text = session.tell(seat).expect("it can be told");
        assert_eq!(session.reconstruct(&text, Some(seat)), Ok(seat), "{place}: {text}");
        assert_eq!(asked(&session, seat), played, "{place}: {text}");
        assert_eq!(session.tell(seat), Some(text.clone()), "{place}");
        let board = Family::capabilities(family).game.board.expect("it has a board").board;
        if let Some(reconstruction) = board.reconstruction() {
            let mut others = StreamKey::root(seed + 1000).stream();
            let course =
                reconstruction.reconstruct(&text, Some(seat), &mut others).expect("it was told");
            assert_eq!(session.follow(course, Some(seat)), Ok(seat), "{place}: {text}");
            assert_eq!(asked(&session, seat), played, "{place}: {text}");
        }
        num_told += 1;
    }
    assert!(num_told >= 4, "{}: only {num_told} games went on", family.info().name);
}

fn battleship(changes: &[(&str, u64)]) -> BattleshipFamily {
    let changes = changes.iter().map(|&(name, value)| (name.into(), value)).collect();
    let family = BattleshipFamily::default();
    Family::capabilities(&family).with_rules(&changes).expect("in range")
}

#[test]
fn battleship_is_described_as_seen() {
    what_is_told_is_what_was_seen(&battleship(&[]), "density", 40);
}

#[test]
fn shop_battleship_is_described_as_seen() {
    what_is_told_is_what_was_seen(&battleship(&[("ships", 5), ("sunk", 1)]), "hunt-target", 70);
}

#[test]
fn guess_who_and_pig_are_described_as_seen() {
    what_is_told_is_what_was_seen(&GuessWhoFamily::stochastic(), "optimal", 3);
    what_is_told_is_what_was_seen(&PigFamily::standard(), "optimal", 30);
}

#[test]
fn cheat_is_described_as_seen() {
    what_is_told_is_what_was_seen(&CheatFamily::cheat(), "honest", 30);
}

#[test]
fn phantom_tic_tac_toe_is_described_as_seen() {
    what_is_told_is_what_was_seen(&PhantomTicTacToeFamily::default(), "best-order", 2);
}

#[test]
fn open_games_are_described_as_seen() {
    what_is_told_is_what_was_seen(&NimFamily::standard(), "optimal", 2);
    what_is_told_is_what_was_seen(&FourInARowFamily::default(), "careful-monte-carlo", 4);
}

/// If a description leaves out the player's own fleet, the table shows no fleet, the choices have no values, and the
/// advice does not depend on the fleet that is filled in.
#[test]
fn shots_alone_are_enough_for_advice_on_shots() {
    let family = battleship(&[]);
    let mut session = table(&family, "density", 1);
    let text = "e5=miss d4=hit d5=hit";
    assert_eq!(session.reconstruct(text, None), Ok(Seat::First));
    let told = asked(&session, Seat::First);
    assert!(told.0.contains("4 . . . X"), "{}", told.0);
    assert!(told.0.ends_with("9 . . . . . . . . .\n"), "{}", told.0);
    assert_eq!(told.2, None);
    assert!(session.missing().is_some());
    for seed in 0..5 {
        let board = Family::capabilities(&family).game.board.expect("it has a board").board;
        let mut unknown = StreamKey::root(seed).stream();
        let reconstruction = board.reconstruction().expect("it can be told");
        let course = reconstruction.reconstruct(text, None, &mut unknown).expect("it is well told");
        assert_eq!(session.follow(course, None), Ok(Seat::First));
        assert_eq!(asked(&session, Seat::First), told, "seed {seed}");
    }
    // The missing part does not carry over to the next game.
    session.begin(1, Some(Seat::First));
    assert_eq!(session.missing(), None);
}

/// All states that are used to value choices agree with the answers of the referee: in each of them, a cell that was
/// refused is taken.
#[test]
fn a_cell_that_was_refused_is_taken_in_every_playout() {
    let family = PhantomTicTacToeFamily::default();
    let mut session = table(&family, "best-order", 1);
    // The second player has tried the middle in vain, so the first player occupies it, and wins more often.
    let values = |session: &mut BoardSession<PhantomTicTacToe>, text| {
        assert_eq!(session.reconstruct(text, Some(Seat::Second)), Ok(Seat::Second));
        let values = session.values(Limit::Times(400)).expect("it can be imagined");
        values.choices.iter().map(|choice| choice.score).fold(0.0, f64::max)
    };
    let [mine, taken] = ["5=mine", "5=taken 1=mine"].map(|text| values(&mut session, text));
    assert!(taken < mine - 0.05, "{taken} with the middle lost, {mine} with it won");
}

#[test]
fn a_seat_is_advised_at_its_turn_alone() {
    let mut nim = table(&NimFamily::standard(), "optimal", 1);
    assert_eq!(nim.reconstruct("4 4; 3 1", None), Ok(Seat::First));
    assert_eq!(nim.reconstruct("4 4", Some(Seat::First)), Err(ReconstructError::OpponentsTurn));
    assert_eq!(nim.reconstruct("1 1; 2 3; 3 5; 4 7", None), Err(ReconstructError::GameOver));
    let wrong = nim.reconstruct("4 4; 3 9", None).expect_err("heap 3 has 5");
    assert!(matches!(wrong, ReconstructError::Impossible { number: 2, .. }), "{wrong}");
    let grammar = nim.grammar().expect("all is seen");
    assert_eq!(nim.reconstruct(&grammar.example, None), Ok(Seat::First));
}
