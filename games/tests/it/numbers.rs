//! Tests of observations and numbered actions, in every game that has them.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
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
            for seed in 0..4 {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
                play(&case, seed, |state, seat| {
                    numbers_are_sound(&case, (&features, &texts), state, seat, &mut rng);
                });
            }
        }

        fn check_listed<G: Testable + Legal + Numbered<G>>(&mut self, case: Case<G>) {
            let texts = case.game.action_texts();
            for seed in 0..4 {
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

/// Chooses a whole action, part by part. Before each part, checks that the observation has the stated ranges, and that the
/// numbers increase and have texts. The action must be legal, and a text that can be typed stands for the same action.
fn numbers_are_sound<G: Testable + Numbered<G>>(
    case: &Case<G>,
    (features, texts): (&[Feature], &[String]),
    state: &G::State,
    seat: Seat,
    rng: &mut Xoshiro256PlusPlus,
) {
    let Case { name, game, .. } = case;
    let mut chosen = Vec::new();
    loop {
        let mut observation = vec![f32::NAN; features.len()];
        game.observe(&game.view(state, seat), &chosen, &mut observation);
        for (feature, number) in features.iter().zip(&observation) {
            let [least, most] = feature.range;
            assert!(
                (least..=most).contains(number),
                "{name}: {} is {number}, and not in [{least}, {most}]",
                feature.meaning
            );
        }
        let found = numbered(game, state, seat, &chosen);
        assert!(found.is_sorted_by(|(a, _), (b, _)| a < b), "{name}: {found:?}");
        if found.is_empty() {
            // Another part always has a number, since there are no dead ends.
            assert!(chosen.is_empty(), "{name}: no number follows {chosen:?}");
            return;
        }
        let seen = |own_actions| Seen {
            seat,
            turn: game.turn(state),
            view: game.view(state, seat),
            own_actions,
        };
        for (number, action) in &found {
            let (text, Some(action)) = (&texts[*number], action) else { continue };
            if let Err(error) = game.check(state, action) {
                panic!("{name}: {number} ({text}) is refused: {error}");
            }
            if chosen.is_empty()
                && let Ok(typed) = game.parse(&seen(Vec::new().into()), text)
            {
                assert_eq!(typed, *action, "{name}: {text}");
            }
        }
        let (number, action) = &found[rng.random_range(0..found.len())];
        if action.is_some() {
            return;
        }
        chosen.push(*number);
    }
}

type Found<G> = Vec<(usize, Option<<G as Game>::Action>)>;

fn numbered<G: Game + Numbered<G>>(
    game: &G,
    state: &G::State,
    seat: Seat,
    chosen: &[usize],
) -> Found<G> {
    let mut found = Vec::new();
    game.each_numbered(&game.view(state, seat), chosen, &mut |number, action| {
        found.push((number, action));
    });
    found
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
    let found = numbered(game, state, seat, &[]);
    assert_eq!(found.len(), legal.len(), "{name}");
    for (number, action) in &found {
        let action = action.as_ref().expect("listed actions have one part");
        assert!(legal.contains(action), "{name}: {action:?}");
        let (text, written) = (&texts[*number], game.write(action));
        assert!(text.ends_with(&written), "{name}: {text} is {written}");
    }
}
