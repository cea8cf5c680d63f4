//! Tests of the requirements that every game must meet.
//!
//! `every_game_is_here` fails if a game is missing from the cases.

use std::collections::{HashMap, HashSet};

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::{AdjustableRules, BySeat, Game, Legal, Numbered, RulesError, Seat, Turn};

use crate::cases::for_every_game;
use crate::courses;
use crate::suite::{Case, Secrets, Suite, Testable, in_every_game, suites};

suites! {
    every_game_conforms(8, 60);
    every_legal_action_is_drawn(2, 5);
    imagined_states_agree_with_all_that_was_seen_and_done(4, 1);
    views_have_keys_of_their_own(3, 10);
    situations_with_the_same_key_have_the_same_actions(2, 10);
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
    // If the name of a case extends the name of another case, both are the same game under different rules.
    let all = names.0.clone();
    let goes_on = |name: &str, other: &str| {
        name.strip_prefix(other).is_some_and(|rest| rest.starts_with('-'))
    };
    names.0.retain(|name| !all.iter().any(|other| goes_on(name, other)));
    names.0.sort();

    // A module with an implementation of `Game` is a game.
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    let mut games = Vec::new();
    for entry in std::fs::read_dir(sources).expect("the sources are there") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("readable");
            let name = path.file_stem().expect("a name").to_string_lossy().replace('_', "-");
            if text.lines().any(|line| line.starts_with("impl") && line.contains(" Game for ")) {
                games.push(name);
            }
        }
    }
    // The other game has a crate of its own.
    games.push("rts".into());
    games.sort();
    assert_eq!(names.0, games);
}

fn every_game_conforms(num_games: u64) {
    struct Conformance(u64);

    impl Suite for Conformance {
        fn check<G: Testable>(&mut self, case: Case<G>) {
            illegal_actions_are_refused(&case);
            for seed in 0..games_of(&case, self.0) {
                play(&case, seed, |_, _| ());
            }
        }

        fn check_listed<G: Testable + Legal + Numbered<G>>(&mut self, case: Case<G>) {
            illegal_actions_are_refused(&case);
            for seed in 0..games_of(&case, self.0) {
                play(&case, seed, |state, seat| {
                    listed_actions_are_all_legal_ones(&case, state, seat)
                });
            }
        }
    }

    for_every_game(&mut Conformance(num_games));
}

fn every_legal_action_is_drawn(num_games: u64) {
    in_every_game!(num_games, |case| {
        for seed in 0..num_games {
            let mut num_looks = 0;
            play(&case, seed, |state, seat| {
                num_looks += 1;
                if num_looks <= 3 {
                    all_legal_actions_are_drawn(&case, state, seat);
                }
            });
        }
    });
}

fn imagined_states_agree_with_all_that_was_seen_and_done(part: u64) {
    in_every_game!(part, |case| {
        if let Secrets::Few(courses) = &case.secrets {
            courses::check(case.name, courses, part);
        }
    });
}

/// Different views must have different keys, because searches store results under these keys.
fn views_have_keys_of_their_own(num_games: u64) {
    in_every_game!(num_games, |case| {
        let (mut keys, mut views) = (HashMap::new(), HashMap::new());
        for seed in 0..num_games {
            play(&case, seed, |state, seat| {
                let view = case.game.view(state, seat);
                let (key, view) = (case.game.view_key(&view), format!("{view:?}"));
                let known = views.entry(view.clone()).or_insert(key);
                assert_eq!(*known, key, "{}: {view} has two keys", case.name);
                let other = keys.entry(key).or_insert_with(|| view.clone());
                assert_eq!(*other, view, "{}: a key stands for two views", case.name);
            });
        }
    });
}

/// States in which the situations of a seat have the same key offer the same actions: what is drawn in one of them is legal in the other.
fn situations_with_the_same_key_have_the_same_actions(num_games: u64) {
    in_every_game!(num_games, |case| {
        let Case { name, game, .. } = &case;
        let mut known: HashMap<(u64, bool), G::State> = HashMap::new();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut action = G::Action::default();
        for seed in 0..num_games {
            play(&case, seed, |state, seat| {
                let key = game.situation_key(&game.view(state, seat));
                // Searches tell the seats apart themselves.
                let key = (key, seat == Seat::First);
                let other = known.entry(key).or_insert_with(|| state.clone());
                for (from, to) in [(&*other, state), (state, &*other)] {
                    game.sample_action(&game.view(from, seat), &mut rng, &mut action);
                    assert!(game.check(to, &action).is_ok(), "{name}: {action:?}");
                }
            });
        }
    });
}

#[test]
fn every_game_replays_its_playthrough() {
    in_every_game!(|case| {
        case.files.iter().for_each(|files| (files.playthrough)(case.name, &case.game));
    });
}

/// A rule that is changed has its new value, and all other rules keep theirs. Values beyond the range are refused.
#[test]
fn rules_have_the_values_that_are_set() {
    in_every_game!(|Case { name, game, .. }| {
        let values = |game: &G| {
            let rules = AdjustableRules::rules(game).into_iter();
            rules.map(|rule| (rule.name, rule.value)).collect::<Vec<_>>()
        };
        for rule in AdjustableRules::rules(&game) {
            let (least, most) = rule.range.clone().into_inner();
            let set = |value| game.with_rules(&[(rule.name.to_string(), value)].into());
            for value in [least, least + 1, rule.value, most - 1, most] {
                let changed = match set(value) {
                    Ok(changed) => changed,
                    Err(RulesError::Inconsistent { .. }) if value != rule.value => continue,
                    Err(error) => panic!("{name}: {} = {value}: {error}", rule.name),
                };
                let mut expected = values(&game);
                for (name, expected) in &mut expected {
                    if *name == rule.name {
                        *expected = value;
                    }
                }
                assert_eq!(values(&changed), expected, "{name}: {} = {value}", rule.name);
            }
            for value in least.checked_sub(1).into_iter().chain([most + 1]) {
                assert!(set(value).is_err(), "{name}: {} = {value}", rule.name);
            }
            assert_eq!(game.rule_value(&rule.name, ""), None, "{name}: {}", rule.name);
        }
    });
}

/// Returns the number of random games to inspect, a quarter for rule files, since many cases have this type.
fn games_of<G: Game>(case: &Case<G>, most: u64) -> u64 {
    if case.files.is_some() { most } else { most / 4 }
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

/// Checks that the list has exactly the legal candidates, each once, and is the same when made again.
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

/// Checks that each legal action is drawn. Among n legal actions, an action with probability 1 / 4n is missed with
/// probability e^-23 or less.
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

/// Plays a random game, and checks its positions and actions. Calls `look` at the first 20 positions and then at every
/// tenth.
pub(crate) fn play<G: Testable>(case: &Case<G>, seed: u64, mut look: impl FnMut(&G::State, Seat)) {
    let Case { name, game, .. } = case;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut state = game.deal(&mut rng);
    let mut action = G::Action::default();
    let mut knowledge: BySeat<G::Knowledge> = BySeat::default();
    for num_actions in 0.. {
        // Every tenth position of long games is enough.
        let looks = num_actions < 20 || num_actions % 10 == 0;
        if looks {
            case.files.iter().for_each(|files| (files.state)(name, &state));
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
        case.files.iter().for_each(|files| (files.action)(name, &action));
        if looks {
            let nexts = [0, 1].map(|seed| {
                let mut next = state.clone();
                game.apply(&mut next, seat, &action, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
                next
            });
            nexts.iter().for_each(|next| assert_ne!(*next, state, "{name}: {action:?}"));
            if game.is_determined(&state) {
                assert_eq!(nexts[0], nexts[1], "{name}: {action:?} has two outcomes");
            }
        }
        game.apply(&mut state, seat, &action, &mut rng);
    }
    game.check(&state, &action).expect_err("nothing is legal when the game is over");
}

/// Imagines a state that agrees with the view, and plays up to ten actions from there as a search does: by the rules,
/// learning and imagining again.
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
            if matches!(case.secrets, Secrets::None) || game.is_determined(&imagined) {
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
