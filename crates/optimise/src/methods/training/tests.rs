use super::*;
use crate::methods::method::tests::{Asked, Scripted};

fn mixture() -> Vec<Weighted<Player>> {
    vec![Weighted { weight: 1.0, of: vec![-1.0].into() }]
}

/// Returns an oracle in which the larger first parameter wins all games and comparisons; the first parameter of a
/// mixture counts as 0.
fn scripted(games_left: u64) -> Scripted<'static, impl FnMut(&[f64], &Question<'_>) -> bool> {
    let is_better = |candidate: &[f64], question: &Question<'_>| match question {
        Question::DoesBetterAgainst { incumbent, .. } => candidate[0] > incumbent[0],
        _ => panic!("{question:?}"),
    };
    let mut oracle = Scripted::new(Vec::new(), is_better);
    oracle.games_left = games_left;
    oracle
}

/// A response is trained with a sixteenth of 160 000 games, all against the mixture.
#[test]
fn a_response_is_trained_against_the_mixture_with_its_games() {
    for by in [Responses::Es, Responses::CmaEs, Responses::LocalSearch] {
        let mut oracle = scripted(160_000);
        let mut training = Training::new(by, vec![-2.0], 1, 160_000).expect("it trains");
        let mut num_iterations = 0;
        while training.iterate(&mut oracle, &mixture()).expect("not stopped").is_some() {
            num_iterations += 1;
        }
        let is_local = by == Responses::LocalSearch;
        assert!(num_iterations > if is_local { 2 } else { 10 }, "{by:?}: {num_iterations}");
        assert_eq!(oracle.num_asked > 0, is_local);
        assert!(training.response()[0] > 0.0, "{by:?}: {:?}", training.response());
        let races = oracle.asked.len() as u64;
        // Each scripted race takes two games, which are not subtracted from `games_left`.
        let used = 160_000 - oracle.games_left + 2 * races;
        assert!((9_000..=10_000).contains(&used), "{by:?}: {used}");
        assert_eq!(training.games_left, 10_000 - used);
        for (_, asked) in &oracle.asked {
            let Asked::DoesBetterAgainst(_, against) = asked else { panic!("{asked:?}") };
            assert_eq!(against, &mixture());
        }
        assert_eq!(races > 0, by != Responses::Es);
    }
    assert!(Training::new(Responses::Races, vec![0.0], 1, 1000).is_none());
}

#[test]
fn a_training_is_the_same_when_it_is_written_and_read() {
    for by in [Responses::Es, Responses::CmaEs, Responses::LocalSearch] {
        let (mut oracle, mut twin) = (scripted(400_000), scripted(400_000));
        let mut whole = Trainings::default();
        let mut again = Trainings::default();
        for _ in 0..40 {
            let start = [-1.5];
            let done = whole.iterate(by, &start, &mut oracle, &mixture()).expect("not stopped");
            let text = serde_json::to_string(&again).expect("plain data");
            again = serde_json::from_str(&text).expect("as it was written");
            let same = again.iterate(by, &start, &mut twin, &mixture()).expect("not stopped");
            let saved =
                [&whole, &again].map(|trainings| serde_json::to_value(trainings).expect("data"));
            assert_eq!((&done, &saved[1]), (&same, &saved[0]), "{by:?}");
        }
        assert!(!whole.is_new() && whole.is_sound(1) && !whole.is_sound(2));
    }
}

#[test]
fn invalid_training_is_refused() {
    let training = Training::new(Responses::Es, vec![1.0], 1, 16_000);
    let state = serde_json::to_value(training).expect("plain data");
    let read = |state: Value| serde_json::from_value::<Training>(state).map(|_| ());
    assert!(read(state.clone()).is_ok());
    for (key, value) in [
        ("by", serde_json::json!("races")),
        ("start", serde_json::json!([1.0, 2.0])),
        ("response", serde_json::json!([1.0, 2.0])),
        ("games_left", serde_json::json!(-1)),
    ] {
        let mut damaged = state.clone();
        damaged[key] = value;
        assert!(read(damaged).is_err(), "{key}");
    }
}
