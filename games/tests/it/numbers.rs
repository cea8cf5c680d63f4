//! Tests of observations and numbered actions, in every game that has them.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use ruse_games::{BySeat, Feature, Game, Legal, Numbered, Page, Recall, Seat, Seen, Turn};

use crate::cases::for_every_game;
use crate::conformance::play;
use crate::suite::{Case, Suite, Testable, suites};

suites! {
    every_numbered_game_conforms(200, 2000);
}

/// Observations determine what a person sees, so a learner knows as much as a person.
fn every_numbered_game_conforms(most: usize) {
    #[derive(Default)]
    struct Numbers {
        /// The largest number of decisions in a game.
        most: usize,
        num_games: usize,
        /// Observations after which different things are known.
        blind: Vec<String>,
        games: BTreeSet<&'static str>,
        /// The games in which an observation recurs.
        recurring: BTreeSet<&'static str>,
    }

    impl Suite for Numbers {
        fn check<G: Testable>(&mut self, _: Case<G>) {}

        fn check_numbered<G: Testable + Numbered<G>>(&mut self, case: Case<G>) {
            self.num_games += 1;
            self.games.insert(game_of(case.name));
            let (features, texts) = (case.game.features(), case.game.action_texts());
            let mut shown = Shown::default();
            let (mut seed, mut num_decisions) = (0, 0);
            let enough = (1000 * self.most / features.len()).clamp(self.most / 20, self.most);
            while num_decisions < enough {
                num_decisions += numbers_are_sound(&case, (&features, &texts), seed, &mut shown);
                seed += 1;
            }
            if shown.texts.len() < num_decisions {
                self.recurring.insert(game_of(case.name));
            }
            self.blind.extend(shown.differing);
        }

        fn check_listed<G: Testable + Legal + Numbered<G>>(&mut self, case: Case<G>) {
            let texts = case.game.action_texts();
            for seed in 0..(self.most as u64).div_ceil(500) {
                play(&case, seed, |state, seat| {
                    all_legal_actions_have_numbers(&case, &texts, state, seat);
                });
            }
            self.check_numbered(case);
        }
    }

    let mut numbers = Numbers { most, ..Numbers::default() };
    for_every_game(&mut numbers);
    assert!(numbers.num_games > 15, "only {} cases", numbers.num_games);
    assert!(numbers.blind.is_empty(), "{}", numbers.blind.join("\n"));
    // Few decisions are less than two games of War.
    let missing = numbers.games.difference(&numbers.recurring);
    assert!(missing.clone().all(|game| *game == "war" && most < 2000), "{missing:?}");
}

/// Returns the name of a game without the name of its rules.
fn game_of(case: &'static str) -> &'static str {
    let games = ["rule-file", "rts", "battleship", "flip"];
    games.into_iter().find(|game| case.starts_with(game)).unwrap_or(case)
}

/// The texts that people saw, by digests of the observations of learners in their place.
#[derive(Default)]
struct Shown {
    texts: HashMap<u64, String>,
    /// Two different texts with the same observation, if there are any.
    differing: Option<String>,
}

/// Plays a game by random numbers, and returns the number of its decisions. Before each part of an action, checks that
/// the observation has the stated ranges, and that the numbers increase and have texts. Each action must be legal, and a
/// text that can be typed stands for the same action. Adds to `shown`.
fn numbers_are_sound<G: Testable + Numbered<G>>(
    case: &Case<G>,
    (features, texts): (&[Feature], &[String]),
    seed: u64,
    shown: &mut Shown,
) -> usize {
    let Case { name, game, .. } = case;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut state = game.deal(&mut rng);
    let (mut past, mut own_actions) =
        (BySeat::<Vec<usize>>::default(), BySeat::<Vec<_>>::default());
    // Games from files with hidden information show the latest steps, so learners have to remember earlier observations.
    let is_file = game_of(name) == "rule-file";
    let mut observed = BySeat::<u64>::default();
    let mut num_decisions = 0;
    while let Turn::Act(seat) = game.turn(&state) {
        num_decisions += 1;
        let mut parts = Vec::new();
        let action = loop {
            let recall = Recall { seat, past: &past[seat], parts: &parts };
            let mut observation = vec![f32::NAN; features.len()];
            game.observe(&game.view(&state, seat), recall, &mut observation);
            for (feature, number) in features.iter().zip(&observation) {
                let [least, most] = feature.range;
                assert!(
                    (least..=most).contains(number),
                    "{name}: {} is {number}, and not in [{least}, {most}]",
                    feature.meaning
                );
            }
            let seen = |own_actions| Seen {
                seat,
                turn: game.turn(&state),
                view: game.view(&state, seat),
                own_actions,
            };
            if parts.is_empty() {
                let text = game.show(
                    &seen(own_actions[seat].as_slice().into()),
                    Page { width: 80, unicode: false },
                );
                // The rules do not know the number of the step in the first line.
                let text =
                    text.split_once('\n').filter(|_| is_file).map_or(&*text, |(_, rest)| rest);
                let mut hasher = DefaultHasher::new();
                (is_file.then_some(observed[seat])).hash(&mut hasher);
                observation.iter().for_each(|number| number.to_bits().hash(&mut hasher));
                observed[seat] = hasher.finish();
                let before = shown.texts.entry(observed[seat]).or_insert_with(|| text.into());
                if *before != text {
                    shown.differing =
                        Some(format!("{name}: one observation of\n{before}and of\n{text}"));
                }
            }
            let found = numbered(game, &state, recall);
            assert!(found.is_sorted_by(|(a, _), (b, _)| a < b), "{name}: {found:?}");
            if found.is_empty() {
                // Another part always has a number, since there are no dead ends.
                assert!(parts.is_empty(), "{name}: no number follows {parts:?}");
                let mut action = G::Action::default();
                game.sample_action(&game.view(&state, seat), &mut rng, &mut action);
                break action;
            }
            for (number, action) in &found {
                let (text, Some(action)) = (&texts[*number], action) else { continue };
                if let Err(error) = game.check(&state, action) {
                    panic!("{name}: {number} ({text}) is refused: {error}");
                }
                if parts.is_empty()
                    && let Ok(typed) = game.parse(&seen(Vec::new().into()), text)
                {
                    assert_eq!(typed, *action, "{name}: {text}");
                }
            }
            let mut found = found;
            let (number, action) = found.swap_remove(rng.random_range(0..found.len()));
            match action {
                Some(action) => {
                    past[seat].push(number);
                    break action;
                }
                None => parts.push(number),
            }
        };
        game.apply(&mut state, seat, &action, &mut rng);
        own_actions[seat].push(action);
    }
    num_decisions
}

type Found<G> = Vec<(usize, Option<<G as Game>::Action>)>;

fn numbered<G: Game + Numbered<G>>(game: &G, state: &G::State, recall: Recall<'_>) -> Found<G> {
    let mut found = Vec::new();
    game.each_numbered(&game.view(state, recall.seat), recall, &mut |number, action| {
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
    let found = numbered(game, state, Recall { seat, past: &[], parts: &[] });
    assert_eq!(found.len(), legal.len(), "{name}");
    for (number, action) in &found {
        let action = action.as_ref().expect("listed actions have one part");
        assert!(legal.contains(action), "{name}: {action:?}");
        let (text, written) = (&texts[*number], game.write(action));
        assert!(text.ends_with(&written), "{name}: {text} is {written}");
    }
}
