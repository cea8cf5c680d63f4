//! Tests of games with people. Games of every family can be played, recorded and replayed.

use std::sync::Arc;
use std::time::Duration;

use rand::{Rng, RngExt};
use ruse::arena::{Source, StopSignal};
use ruse::family::{AnyFamily, Player};
use ruse::lab::{ActionTranscript, Ending, GameTranscript, Transcript};
use ruse::registry::Registry;
use ruse::rng::{Label, StreamKey};
use ruse::session::{Session, Source as ValueSource};
use ruse_games::{BySeat, Page, Seat, Turn};
use ruse_strategies::nim::NimFamily;
use ruse_strategies::{Family, FamilyInfo, Reference};

const PAGE: Page = Page { width: 40, unicode: false };

/// Returns the family with rules that avoid endless games, and with short searches.
fn short_games(family: &dyn AnyFamily) -> Arc<dyn AnyFamily> {
    let caps = [("max-turns", 300), ("max-plies", 200), ("max-redraws", 50), ("playouts", 4)];
    let rules = family.rules();
    let known = caps.into_iter().filter(|(name, _)| rules.iter().any(|rule| rule.name == *name));
    let changes = known.map(|(name, value)| (name.into(), value)).collect();
    family.with_rules(&changes).expect("small numbers are allowed")
}

fn references(family: &dyn AnyFamily) -> Vec<Player> {
    let references = family.references().into_iter();
    references.map(|reference| Player::Named(reference.name.into())).collect()
}

fn usual_opponent(family: &dyn AnyFamily) -> Player {
    Player::Named(family.board_opponent().expect("it can be played").into())
}

fn sit_down<'a>(family: &'a dyn AnyFamily, opponent: &Player, seed: u64) -> Box<dyn Session + 'a> {
    let session = family.sit_down(opponent, Transcript::key(seed)).expect("of this family");
    session.expect("every family can be played")
}

/// Plays a game in which `decide` returns the inputs of the person.
fn play(
    session: &mut dyn Session,
    game: u64,
    person: Seat,
    mut decide: impl FnMut(&mut dyn Session),
) -> GameTranscript {
    session.begin(game, Some(person));
    let result = loop {
        match session.turn() {
            Turn::Over(outcome) => break Ending::of(outcome, person),
            Turn::Act(seat) if seat == person => decide(session),
            Turn::Act(_) => drop(session.opponent_acts().expect("it is its turn")),
        }
    };
    let actions = session.actions().iter();
    let actions = actions.map(|(seat, typed)| ActionTranscript::new(*seat, typed.clone()));
    GameTranscript { person: person.into(), result, actions: actions.collect() }
}

fn transcript(family: &dyn AnyFamily, seed: u64, games: Vec<GameTranscript>) -> Transcript {
    Transcript {
        family: family.name().into(),
        rules: family.rules().into_iter().map(|rule| (rule.name.into(), rule.value)).collect(),
        player: None,
        opponent: family.board_opponent().expect("it can be played").into(),
        parameters: Vec::new(),
        mixture: Vec::new(),
        seed,
        games,
    }
}

/// Returns `true` if a map shows the best choice. In this case, also checks that the hint is about as good.
fn check_aim(session: &dyn Session, hint: &str) -> bool {
    /// The largest accepted loss of a hint from the strategy `density`. In hundreds of games, the loss was smaller in
    /// every position. The strategy loses a little because it treats ships without a hit as if they could cross.
    const MAX_LOST: f64 = 0.08;
    let Some(beliefs) = session.beliefs().filter(|beliefs| beliefs.is_aim) else { return false };
    let largest = beliefs.largest();
    let hinted = beliefs.cells().find(|belief| belief.cell == hint).expect("a cell of the map");
    assert!(hinted.probability >= largest - MAX_LOST, "{hint}: {hinted:?} of {largest}");
    true
}

/// In every family, each choice that is compared has a value, and so has the adviser's action, unless a map shows the
/// best choice. A request for values does not change the game.
#[test]
fn choices_have_values_in_every_game() {
    for family in Registry::standard().families() {
        let family = short_games(family);
        let opponent = usual_opponent(family.as_ref());
        let mut session = sit_down(family.as_ref(), &opponent, 3);
        session.begin(0, Some(Seat::First));
        let mut num_asked = 0;
        while num_asked < 3 {
            match session.turn() {
                Turn::Over(_) => break,
                Turn::Act(Seat::Second) => drop(session.opponent_acts().expect("its turn")),
                Turn::Act(Seat::First) => {
                    let hint = session.advice().expect("it knows");
                    let values = session.values(Duration::from_millis(50).into());
                    if values.is_none() && check_aim(session.as_ref(), &hint) {
                        session.act_at_random().expect("the game goes on");
                        num_asked += 1;
                        continue;
                    }
                    let values = values.unwrap_or_else(|| panic!("{}: no values", family.name()));
                    assert!(values.num_compared >= values.choices.len(), "{}", family.name());
                    let advised = values.choices.iter().filter(|choice| choice.is_advice);
                    let advised: Vec<_> = advised.map(|choice| choice.typed.clone()).collect();
                    assert_eq!(advised, std::slice::from_ref(&hint), "{}", family.name());
                    for pair in values.choices.windows(2) {
                        assert!(pair[0].score >= pair[1].score, "{}: {pair:?}", family.name());
                    }
                    for choice in &values.choices {
                        let [low, high] = choice.interval.unwrap_or([choice.score; 2]);
                        assert!(0.0 <= low && low <= choice.score, "{}: {choice:?}", family.name());
                        assert!(
                            choice.score <= high && high <= 1.0,
                            "{}: {choice:?}",
                            family.name()
                        );
                    }
                    assert_eq!(session.advice(), Some(hint), "{}", family.name());
                    let decision =
                        session.decision(Duration::from_millis(20).into()).expect("its turn");
                    let sum: f64 = decision.chosen.iter().map(|chosen| chosen.share).sum();
                    assert!((sum - 1.0).abs() < 1e-9, "{}: {sum}", family.name());
                    session.act_at_random().expect("the game goes on");
                    num_asked += 1;
                }
            }
        }
        assert!(num_asked > 0, "{}", family.name());
    }
}

/// Every grammar has an example, and the example describes a game that is not over.
#[test]
fn examples_of_descriptions_are_valid() {
    let mut num_told = 0;
    for family in Registry::standard().families() {
        let opponent = usual_opponent(family);
        let mut session = sit_down(family, &opponent, 1);
        let Some(grammar) = session.grammar() else { continue };
        let seat = session.reconstruct(&grammar.example, None);
        let seat = seat.unwrap_or_else(|error| panic!("{}: {error}", family.name()));
        assert_eq!(session.turn(), Turn::Act(seat), "{}", family.name());
        assert!(session.advice().is_some(), "{}", family.name());
        num_told += 1;
    }
    assert!(num_told >= 9, "only {num_told} families can be told");
}

/// Returns the exact value of an input, in a game of `family` with `rules` after `moves`.
fn exact_value(family: &str, rules: &[(&str, u64)], moves: &[&str], typed: &str) -> f64 {
    let registry = Registry::standard();
    let rules = rules.iter().map(|&(name, value)| (name.into(), value)).collect();
    let family = registry.family(family).expect("known").with_rules(&rules).expect("in range");
    let opponent = usual_opponent(family.as_ref());
    let mut session = sit_down(family.as_ref(), &opponent, 1);
    session.begin(0, None);
    for typed in moves {
        session.act(typed).expect("legal");
    }
    let values = session.values(Duration::ZERO.into()).expect("known");
    assert_eq!(values.source, ValueSource::PerfectPlay);
    let choice = values.choices.iter().find(|choice| choice.typed == typed);
    let choice = choice.unwrap_or_else(|| panic!("{typed} is none of {:?}", values.choices));
    assert_eq!(choice.interval, None);
    choice.score
}

/// Exact values equal the values of perfect play, computed by hand and from the literature.
#[test]
fn exact_values_are_those_of_the_literature() {
    for (family, rules, moves, typed, expected) in [
        // Bouton 1901: with 1, 3, 5, 7, the player whose turn it is loses, and 1, 3, 1, 3 is a good position to leave
        // to the opponent.
        ("nim", &[][..], &[][..], "4 1", 0.0),
        ("nim", &[], &["4 4"], "3 4", 1.0),
        ("nim", &[], &["4 4"], "3 5", 0.0),
        // The player who takes the last match loses or, with the other rule, wins.
        ("nim", &[("heap-2", 0), ("heap-3", 0), ("heap-4", 0)], &[], "1 1", 0.0),
        ("nim", &[("heap-2", 0), ("heap-3", 0), ("heap-4", 0), ("misere", 0)], &[], "1 1", 1.0),
        // One roll of 2 to 6 wins: p = 5/6 + 1/6 (1 - p).
        ("pig", &[("goal", 2)], &[], "roll", 6.0 / 7.0),
        // The value of halving 128 characters (Nica, arXiv 1509.03327) was computed by an independent prototype.
        ("guess-who", &[], &[], "64", 0.666_748),
        // With two characters, one character is left after the first question, whatever the answer is, so this question
        // wins.
        ("guess-who", &[("characters", 2)], &[], "1", 1.0),
        // A possible guess is right as often as the opponent's guess. An impossible guess is never right, but the
        // opponent's guess is right one time in six.
        ("morra", &[], &[], "2 5", 0.5),
        ("morra", &[], &[], "0 10", 5.0 / 12.0),
    ] {
        let value = exact_value(family, rules, moves, typed);
        assert!((value - expected).abs() < 5e-7, "{family} {moves:?} {typed}: {value}");
    }
}

/// If two strategies play, the strategy in the person's seat makes its own moves: perfect play wins every game of Nim
/// from the second seat.
#[test]
fn a_strategy_may_sit_in_the_place_of_the_person() {
    let family = Registry::standard().family("nim").expect("known");
    let [optimal, random] = ["optimal", "random"].map(|name| Player::Named(name.into()));
    let session = family.sit_down_beside(&optimal, &random, Transcript::key(5));
    let mut session = session.expect("of this family").expect("it can be played");
    for game in 0..20 {
        // With perfect play the second player wins.
        session.begin(game, Some(Seat::Second));
        assert_eq!(session.adviser_acts().ok(), None, "it is the turn of the other");
        let outcome = loop {
            match session.turn() {
                Turn::Over(outcome) => break outcome,
                Turn::Act(Seat::First) => drop(session.opponent_acts().expect("its turn")),
                Turn::Act(Seat::Second) => drop(session.adviser_acts().expect("its turn")),
            }
        };
        assert_eq!(Ending::of(outcome, Seat::Second), Ending::Win, "game {game}");
    }
}

/// A person who always plays the hint makes the same moves, in either seat, as the strategy makes in a match. Seats,
/// streams and memories are the same as in the arena.
#[test]
fn a_person_who_takes_every_hint_is_the_strategy() {
    for family in Registry::standard().families() {
        let family = short_games(family);
        let parameters = Player::Parameters(vec![0.25; family.space().dimension()]);
        for strategy in references(family.as_ref()).iter().chain([&parameters]) {
            let key = Transcript::key(3);
            let duel = family.duel(strategy, strategy).expect("of this family");
            let mut results = vec![Default::default(); 2];
            duel.play(key, 0, &mut results, &StopSignal::default()).expect("not stopped");
            let mut session = sit_down(family.as_ref(), strategy, 3);
            for (game, result) in results.iter().enumerate() {
                for person in Seat::BOTH {
                    let played = play(session.as_mut(), game as u64, person, |session| {
                        let hint = session.advice().expect("it knows");
                        session.act(&hint).expect("a legal action");
                    });
                    let expected = match person {
                        Seat::First => Ending::of(result.as_first, Seat::First),
                        Seat::Second => Ending::of(result.as_first, Seat::Second),
                    };
                    let place = format!("{}, {strategy:?}, {person:?}", family.name());
                    assert_eq!(played.result, expected, "{place}");
                }
            }
        }
    }
}

/// Games with random legal inputs, against every kind of opponent, are the same again when their transcripts are
/// replayed.
#[test]
fn games_are_written_down_and_played_again() {
    for family in Registry::standard().families() {
        let family = short_games(family);
        let family = family.as_ref();
        let theta = vec![0.5; family.space().dimension()];
        let mixture = Player::mixture([(1.0, theta.clone()), (2.0, theta)]);
        let mut opponents = references(family);
        opponents.extend([Player::Redrawn, mixture]);
        for opponent in &opponents {
            let mut session = sit_down(family, opponent, 11);
            let games = [Seat::First, Seat::Second].into_iter().enumerate();
            let games = games.map(|(game, person)| {
                play(session.as_mut(), game as u64, person, |session| {
                    assert!(!session.view(person, PAGE).is_empty());
                    let _ = session.advice();
                    assert_eq!(session.act_at_random().expect("the game is not over").seat, person);
                })
            });
            let transcript = transcript(family, 11, games.collect());
            let yaml = serde_yaml::to_string(&transcript).expect("plain data");
            let read: Transcript = serde_yaml::from_str(&yaml).expect("what was written");
            assert_eq!(read, transcript, "{}: {yaml}", family.name());
            let json = serde_json::to_string(&transcript).expect("plain data");
            let read: Transcript = serde_json::from_str(&json).expect("what was written");
            assert_eq!(read, transcript, "{}: {json}", family.name());

            let mut replayed = read.session(family).expect("the same family");
            read.check(replayed.as_mut()).expect("games that were played");
            let names = BySeat { first: "first", second: "second" };
            session.begin(0, None);
            for action in &transcript.games[0].actions {
                session.act(action.parts().1).expect("it was played");
            }
            read.check(replayed.as_mut()).expect("checking again changes nothing");
            replayed.begin(0, None);
            for action in &transcript.games[0].actions {
                replayed.act(action.parts().1).expect("it was played");
            }
            assert_eq!(session.everything(names, PAGE), replayed.everything(names, PAGE));
        }
    }
}

/// An action that was taken back has no effect: the game continues with the same opponent and chance.
#[test]
fn actions_are_taken_back() {
    for family in Registry::standard().families() {
        let family = short_games(family);
        let opponent = usual_opponent(family.as_ref());
        let mut session = sit_down(family.as_ref(), &opponent, 5);
        session.begin(0, Some(Seat::First));
        assert!(!session.take_back(), "{}: nothing was done yet", family.name());
        let straight = {
            let mut straight = sit_down(family.as_ref(), &opponent, 5);
            play(straight.as_mut(), 0, Seat::First, |session| {
                let hint = session.advice().expect("it knows");
                session.act(&hint).expect("a legal action");
            })
        };
        let mut rng = StreamKey::root(1).child(Label::Start, 0).stream();
        let mut num_taken_back = 0;
        let wavering = play(session.as_mut(), 0, Seat::First, |session| {
            // Sometimes another action is played first, which may even end the game.
            if rng.random_range(0..3) == 0 && num_taken_back < 20 {
                let before = session.view(Seat::First, PAGE);
                session.act_at_random().expect("the game is not over");
                if rng.next_u64() & 1 == 0 && session.turn() == Turn::Act(Seat::Second) {
                    session.opponent_acts().expect("it is its turn");
                }
                assert!(session.take_back());
                assert_eq!(session.view(Seat::First, PAGE), before, "{}", family.name());
                num_taken_back += 1;
            }
            let hint = session.advice().expect("it knows");
            session.act(&hint).expect("a legal action");
        });
        assert_eq!(wavering, straight, "{}", family.name());
    }
}

/// In Battleship, the message and the view of a person after the placement of both fleets do not depend on the fleet of
/// the opponent.
#[test]
fn a_fleet_is_not_shown_before_the_end() {
    let family = Registry::standard().family("battleship").expect("known");
    let opponent = Player::Named("hunt-target".into());
    let views = [1, 2].map(|seed| {
        let mut session = sit_down(family.as_ref(), &opponent, seed);
        session.begin(0, Some(Seat::First));
        session.act("a1-b1 c3-c5 e2-h2 a9-e9").expect("a fleet");
        let told = session.opponent_acts().expect("it places its fleet").told.first;
        (session.view(Seat::First, PAGE), told)
    });
    assert_eq!(views[0], views[1]);
}

/// A user's family that cannot be played by people, because the user has not implemented this.
#[derive(Clone)]
struct WithoutTable(NimFamily);

impl Family for WithoutTable {
    type Game = <NimFamily as Family>::Game;
    type Strategy = <NimFamily as Family>::Strategy;
    type Reference = <NimFamily as Family>::Reference;

    fn info(&self) -> FamilyInfo<'_> {
        FamilyInfo { name: "without-table", ..self.0.info() }
    }

    fn game(&self) -> &Self::Game {
        self.0.game()
    }

    fn references(&self) -> Vec<Reference<Self::Reference>> {
        self.0.references()
    }

    fn words(&self, strategy: &Self::Strategy) -> String {
        self.0.words(strategy)
    }
}

#[test]
fn a_family_without_a_table_cannot_be_played() {
    let registry = Registry::standard().with(WithoutTable(NimFamily::standard()));
    let family = registry.family("without-table").expect("it was added");
    assert_eq!(family.board_opponent(), None);
    let opponent = Player::Named("optimal".into());
    let session = family.sit_down(&opponent, Transcript::key(1)).expect("of this family");
    assert!(session.is_none());
    let unknown = Player::Named("best".into());
    assert!(family.sit_down(&unknown, Transcript::key(1)).is_err());
    let nim = registry.family("nim").expect("known");
    let transcript = transcript(nim.as_ref(), 1, Vec::new());
    let error = transcript.session(family.as_ref()).err().expect("no table");
    assert_eq!(error.to_string(), "family `without-table` cannot be played at the terminal");
}
