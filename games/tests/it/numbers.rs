//! Tests of observations and numbered actions, in every game that has them.

use ruse_games::{Feature, Game, Legal, Numbered, Seat, Seen};

use crate::cases::for_every_game;
use crate::conformance::play;
use crate::suite::{Case, Suite, Testable};

#[test]
fn every_numbered_game_conforms() {
    #[derive(Default)]
    struct Numbers {
        num_games: usize,
    }

    impl Suite for Numbers {
        fn check<G: Testable>(&mut self, _: Case<G>) {}

        fn check_numbered<G: Testable + Numbered<G>>(&mut self, case: Case<G>) {
            self.num_games += 1;
            let (features, texts) = (case.game.features(), case.game.action_texts());
            for seed in 0..10 {
                play(&case, seed, |state, seat| {
                    observations_have_the_stated_ranges(&case, &features, state, seat);
                    numbers_stand_for_legal_actions(&case, &texts, state, seat);
                });
            }
        }

        fn check_listed<G: Testable + Legal + Numbered<G>>(&mut self, case: Case<G>) {
            let texts = case.game.action_texts();
            for seed in 0..10 {
                play(&case, seed, |state, seat| {
                    all_legal_actions_have_numbers(&case, &texts, state, seat);
                });
            }
            self.check_numbered(case);
        }
    }

    let mut numbers = Numbers::default();
    for_every_game(&mut numbers);
    assert!(numbers.num_games > 15, "only {} cases", numbers.num_games);
}

fn observations_have_the_stated_ranges<G: Testable + Numbered<G>>(
    case: &Case<G>,
    features: &[Feature],
    state: &G::State,
    seat: Seat,
) {
    let Case { name, game, .. } = case;
    assert!(!features.is_empty(), "{name}: no features");
    let mut observation = vec![f32::NAN; features.len()];
    game.observe(&game.view(state, seat), &mut observation);
    for (feature, number) in features.iter().zip(&observation) {
        let [least, most] = feature.range;
        assert!(
            (least..=most).contains(number),
            "{name}: {} is {number}, and not in [{least}, {most}]",
            feature.meaning
        );
    }
}

fn numbered<G: Game + Numbered<G>>(
    game: &G,
    state: &G::State,
    seat: Seat,
) -> Vec<(usize, G::Action)> {
    let mut found = Vec::new();
    game.each_numbered(&game.view(state, seat), &mut |number, action| found.push((number, action)));
    found
}

/// Numbers increase, have texts, and stand for legal actions. A text that can be typed stands for the same action.
fn numbers_stand_for_legal_actions<G: Testable + Numbered<G>>(
    case: &Case<G>,
    texts: &[String],
    state: &G::State,
    seat: Seat,
) {
    let Case { name, game, .. } = case;
    let found = numbered(game, state, seat);
    assert!(found.is_sorted_by(|(a, _), (b, _)| a < b), "{name}: {found:?}");
    let (turn, view) = (game.turn(state), game.view(state, seat));
    let seen: Seen<'_, G> = Seen { seat, turn, view, own_actions: Vec::new().into() };
    for (number, action) in &found {
        let text = &texts[*number];
        if let Err(error) = game.check(state, action) {
            panic!("{name}: {number} ({text}) is refused: {error}");
        }
        if let Ok(typed) = game.parse(&seen, text) {
            assert_eq!(typed, *action, "{name}: {text}");
        }
    }
}

/// The texts of all legal actions begin with the role in games from rule files.
fn all_legal_actions_have_numbers<G: Testable + Legal + Numbered<G>>(
    case: &Case<G>,
    texts: &[String],
    state: &G::State,
    seat: Seat,
) {
    let Case { name, game, .. } = case;
    let mut legal = Vec::new();
    game.legal(&game.view(state, seat), &mut legal);
    let found = numbered(game, state, seat);
    assert_eq!(found.len(), legal.len(), "{name}");
    for (number, action) in &found {
        assert!(legal.contains(action), "{name}: {action:?}");
        let (text, written) = (&texts[*number], game.write(action));
        assert!(text.ends_with(&written), "{name}: {text} is {written}");
    }
}
