//! The guarantees of the text interface, checked for every game.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt, SeedableRng};
use regex::Regex;
use ruse_games::{Board, BySeat, Decided, Event, Imagine, Page, SampleAction, Seat, Seen, Turn};

use crate::cases::for_every_game;
use crate::suite::{Case, Suite, Testable, in_every_game, suites};

suites! {
    actions_are_read_as_they_are_written(2, 5);
    programs_know_what_they_may_type(2, 5);
    hidden_things_do_not_appear(2, 5);
    games_are_reconstructed_from_descriptions(2, 5);
}

const NARROW: Page = Page { width: Page::MIN_WIDTH, unicode: false };

const NAMES: BySeat<&str> = BySeat { first: "you", second: "opponent" };

/// A game in progress, with the actions of both seats so far.
struct Position<G: Imagine> {
    state: G::State,
    own_actions: BySeat<Vec<G::Action>>,
    knowledge: BySeat<G::Knowledge>,
}

impl<G: Imagine> Position<G> {
    fn seen<'a>(&'a self, game: &G, seat: Seat) -> Seen<'a, G> {
        self.seen_of(game, &self.state, seat)
    }

    /// Returns what `seat` sees in another state after the same actions.
    fn seen_of<'a>(&'a self, game: &G, state: &'a G::State, seat: Seat) -> Seen<'a, G> {
        Seen {
            seat,
            turn: game.turn(state),
            view: game.view(state, seat),
            own_actions: (&self.own_actions[seat]).into(),
        }
    }
}

/// Plays random actions. Calls `look` with every position and, unless the game is over, with the seat to act and its
/// next action.
fn play<G: Imagine + SampleAction>(
    game: &G,
    seed: u64,
    mut look: impl FnMut(&Position<G>, Option<(Seat, &G::Action)>, &mut Xoshiro256PlusPlus),
) {
    /// The maximum number of actions to play in a game: games of War, Cheat and Pig can be too long.
    const MAX_ACTIONS: usize = 300;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let state = game.deal(&mut rng);
    let mut position: Position<G> =
        Position { state, own_actions: BySeat::default(), knowledge: BySeat::default() };
    let mut action = G::Action::default();
    for _ in 0..MAX_ACTIONS {
        let Turn::Act(seat) = game.turn(&position.state) else { break };
        game.sample_action(&game.view(&position.state, seat), &mut rng, &mut action);
        look(&position, Some((seat, &action)), &mut rng);
        let view = game.view(&position.state, seat);
        game.learn(&mut position.knowledge[seat], seat, &view, &action);
        drop(view);
        game.apply(&mut position.state, seat, &action, &mut rng);
        position.own_actions[seat].push(action.clone());
    }
    look(&position, None, &mut rng);
}

/// The text of an action is parsed into the same action, and the text of a menu entry into its action.
fn actions_are_read_as_they_are_written(num_games: u64) {
    in_every_game!(num_games, |Case { name, game, .. }| {
        for seed in 0..num_games {
            let mut earlier: BTreeSet<String> = BTreeSet::new();
            play(&game, seed, |position, next, rng| {
                let Some((seat, action)) = next else { return };
                let seen = position.seen(&game, seat);
                let written = game.write(action);
                let read = game.parse(&seen, &written);
                assert_eq!(read.as_ref(), Ok(action), "{name}: {written}");
                let (spelt, _) = game.spell(&game.choices(&seen), action);
                assert_eq!(game.parse(&seen, &spelt).as_ref(), Ok(action), "{name}: {spelt}");
                assert!(game.permits(&seen, action), "{name}: {written}");
                // Texts of earlier turns may stand for actions that are not legal any more.
                for typed in &earlier {
                    let Ok(action) = game.parse(&seen, typed) else { continue };
                    let is_legal = game.check(&position.state, &action).is_ok();
                    assert_eq!(game.permits(&seen, &action), is_legal, "{name}: {typed}");
                }
                earlier.insert(written);
                let any = game.any_action(&seen.view, rng);
                game.check(&position.state, &any).expect("any action is a legal one");
                for choice in game.choices(&seen) {
                    let read = game.parse(&seen, &choice.typed);
                    assert_eq!(read.as_ref(), Ok(&choice.action), "{name}: {}", choice.typed);
                    let checked = game.check(&position.state, &choice.action);
                    assert!(checked.is_ok(), "{name}: {} is in the menu", choice.typed);
                }
            });
        }
    });
}

/// The list of all actions contains the legal actions, each once, and the grammar matches each of them.
fn programs_know_what_they_may_type(num_games: u64) {
    struct Grammars(Vec<&'static str>, u64);

    impl Suite for Grammars {
        fn check<G: Testable>(&mut self, Case { name, game, candidates, .. }: Case<G>) {
            for seed in 0..self.1 {
                play(&game, seed, |position, next, _| {
                    let Some((seat, action)) = next else { return };
                    let seen = position.seen(&game, seat);
                    let grammar = game.grammar(&seen);
                    let pattern = Regex::new(&format!("^(?:{grammar})$")).expect("an expression");
                    let all = game.all_actions(&seen);
                    let choices = game.choices(&seen).into_iter().map(|choice| choice.typed);
                    let listed = all.iter().flatten().map(|action| game.write(action));
                    for typed in choices.chain(listed).chain([game.write(action)]) {
                        assert!(pattern.is_match(&typed), "{name}: {typed} by {grammar}");
                    }
                    for wrong in ["", " ", "\u{2660}", "a1-", "x y z"] {
                        assert!(!pattern.is_match(wrong), "{name}: {wrong:?} by {grammar}");
                    }
                    let Some(all) = all else { return };
                    if !self.0.contains(&name) {
                        self.0.push(name);
                    }
                    let is_legal = |action: &G::Action| game.check(&position.state, action).is_ok();
                    for (index, action) in all.iter().enumerate() {
                        assert!(is_legal(action), "{name}: {action:?}");
                        assert!(!all[..index].contains(action), "{name}: {action:?} twice");
                    }
                    let mut legal = candidates(&seen.view);
                    legal.retain(is_legal);
                    assert!(legal.iter().all(|action| all.contains(action)), "{name}: {all:?}");
                });
            }
        }
    }

    let mut grammars = Grammars(Vec::new(), num_games);
    for_every_game(&mut grammars);
    for name in ["nim", "morra", "guess-who", "four-in-a-row", "battleship", "rts", "war"] {
        assert!(grammars.0.iter().any(|listed| listed.starts_with(name)), "{name} lists nothing");
    }
}

/// The texts for a seat are the same in all states that the seat cannot distinguish.
fn hidden_things_do_not_appear(num_games: u64) {
    in_every_game!(num_games, |Case { name, game, .. }| {
        for seed in 0..num_games {
            play(&game, seed, |position, next, rng| {
                // The end of a game may reveal more than the view.
                let Some((actor, action)) = next else { return };
                let view = game.view(&position.state, actor);
                let other = game.imagine(&position.knowledge[actor], actor, &view, rng);
                let both = [position.seen(&game, actor), position.seen_of(&game, &other, actor)];
                let [shown, imagined] = both.map(|seen| {
                    let choices = game.choices(&seen).into_iter();
                    let choices: Vec<_> = choices.map(|choice| choice.meaning).collect();
                    (game.show(&seen, NARROW), game.prompt(&seen), game.grammar(&seen), choices)
                });
                assert_eq!(shown, imagined, "{name}: {actor:?} sees what is hidden");
                // The other seat learns only the effect of a hidden action.
                let is_public = game.is_public(&view, action);
                if is_public {
                    return;
                }
                let viewer = actor.other();
                let other = game.any_action(&view, rng);
                let told = [action, &other].map(|action| {
                    let mut after = position.state.clone();
                    game.apply(&mut after, actor, action, &mut rng.clone());
                    let seen = format!("{:?}", game.view(&after, viewer));
                    let told = game.told(&Event {
                        seat: viewer,
                        actor,
                        action: None,
                        before: game.view(&position.state, viewer),
                        after: game.view(&after, viewer),
                        turn: game.turn(&after),
                    });
                    (seen, game.turn(&after), told)
                });
                if (&told[0].0, told[0].1) == (&told[1].0, told[1].1) {
                    assert_eq!(told[0].2, told[1].2, "{name}: {viewer:?} is told what is hidden");
                }
            });
        }
    });
}

/// A seat tells what it saw and did, and a game is found in which it saw and did the same, and in which it tells the
/// same. The true state agrees with what was told.
fn games_are_reconstructed_from_descriptions(num_games: u64) {
    struct Told(Vec<&'static str>, u64);

    impl Suite for Told {
        fn check<G: Testable>(&mut self, Case { name, game, .. }: Case<G>) {
            let Some(reconstruction) = game.reconstruction() else { return };
            self.0.push(name);
            for seed in 0..self.1 {
                let mut past: Vec<Decided<G>> = Vec::new();
                play(&game, seed, |position, next, rng| {
                    let Some((seat, action)) = next else { return };
                    // Only the beginning: some searches for a game take longer with every item.
                    if past.len() < 12 {
                        let text = reconstruction.tell(seat, &past, &position.state);
                        let found = reconstruction.reconstruct(&text, Some(seat), rng);
                        let course =
                            found.unwrap_or_else(|error| panic!("{name}: {text}: {error}"));
                        assert_eq!(course.teller, seat, "{name}: {text}");
                        assert_eq!(game.turn(&course.now), Turn::Act(seat), "{name}: {text}");
                        assert_eq!(
                            game.view(&course.now, seat),
                            game.view(&position.state, seat),
                            "{name}: {text}"
                        );
                        let own = course.past.iter().filter(|decided| decided.seat == seat);
                        let own: Vec<_> = own.map(|decided| decided.action.clone()).collect();
                        assert_eq!(own, position.own_actions[seat], "{name}: {text}");
                        let agrees = course.agrees.as_ref();
                        assert!(
                            agrees.is_none_or(|agrees| agrees(&position.state)),
                            "{name}: {text}"
                        );
                        let again = reconstruction.tell(seat, &course.past, &course.now);
                        assert_eq!(again, text, "{name}");
                    }
                    let (state, action) = (position.state.clone(), action.clone());
                    past.push(Decided { state, seat, action });
                });
            }
        }
    }

    let mut told = Told(Vec::new(), num_games);
    for_every_game(&mut told);
    for name in ["battleship", "cheat", "guess-who", "phantom-tic-tac-toe", "pig"] {
        assert!(told.0.contains(&name), "{name} is not told");
    }
}

#[test]
fn texts_fit_a_narrow_page_in_ascii() {
    fn check_text(name: &str, text: &str) {
        assert!(text.is_ascii(), "{name}: {text}");
        for line in text.lines() {
            assert!(line.len() <= Page::MIN_WIDTH, "{name}: {} columns: {line}", line.len());
            assert_eq!(line.trim_end(), line, "{name}: blanks at the end of a line");
        }
    }

    in_every_game!(|Case { name, game, .. }| {
        let rules = Board::rules(&game);
        assert!(rules.is_ascii() && rules.ends_with('\n'), "{name}");
        play(&game, 1, |position, next, _| {
            for seat in Seat::BOTH {
                check_text(name, &game.show(&position.seen(&game, seat), NARROW));
            }
            let everything = game.everything(&position.state, NAMES, NARROW);
            assert!(!everything.is_empty(), "{name}");
            check_text(name, &everything);
            if let Some((seat, _)) = next {
                let prompt = game.prompt(&position.seen(&game, seat));
                let is_short = (1..=30).contains(&prompt.len());
                assert!(prompt.is_ascii() && is_short, "{name}: {prompt:?}");
            }
        });
    });
}

/// No input makes a board panic: a random text is rejected, or parsed into an action that the board can write.
#[test]
fn anything_may_be_typed() {
    in_every_game!(|Case { name, game, .. }| {
        let mut texts = Xoshiro256PlusPlus::seed_from_u64(7);
        play(&game, 2, |position, next, _| {
            let Some((seat, _)) = next else { return };
            let seen = position.seen(&game, seat);
            for _ in 0..50 {
                let text = garbage(&mut texts);
                if let Ok(action) = game.parse(&seen, &text) {
                    // The rules decide whether the action is legal.
                    let _ = game.check(&position.state, &action);
                    assert!(!game.write(&action).is_empty(), "{name}: {text}");
                }
            }
        });
    });
}

fn garbage<R: Rng>(rng: &mut R) -> String {
    const LETTERS: [char; 40] = [
        'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 's', 'q', 'k', 'j', 't', '0', '1', '2', '3',
        '4', '5', '6', '7', '8', '9', ' ', ' ', ' ', '-', ',', '.', '+', ':', '\u{e9}', '\u{2660}',
        '\t', 'K', 'A', 'Q', 'J', 'Z',
    ];
    let length = rng.random_range(0..14);
    (0..length).map(|_| LETTERS[rng.random_range(0..LETTERS.len())]).collect()
}

proptest! {
    /// Wrapped text contains all words, in order, and no line is wider than the page.
    #[test]
    fn words_are_wrapped(
        words in prop::collection::vec("[a-z]{1,12}", 0..60),
        width in 0usize..120,
    ) {
        let text = Page { width, unicode: true }.wrapped("cards: ", &words);
        let found: Vec<_> = text.split_whitespace().skip(1).collect();
        prop_assert_eq!(found, words.iter().map(String::as_str).collect::<Vec<_>>());
        let longest = text.lines().map(str::len).max().unwrap_or(0);
        prop_assert!(longest <= width.max(Page::MIN_WIDTH), "{longest} columns");
        prop_assert!(text.ends_with('\n'));
    }
}
