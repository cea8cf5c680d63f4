use super::*;
use crate::methods::Method;
use crate::methods::method::Joined;
use crate::methods::method::tests::{Asked, Scripted, assert_restorable};

/// Returns the score of a strategy against a mixture in a game in which the larger first parameter wins.
fn score_by_size(theta: &[f64], mixture: &[Weighted<Player>]) -> f64 {
    let against = |Weighted { weight, of }: &Weighted<Player>| {
        let other = of.parameters().expect("the baseline is not a member");
        weight * f64::from(u8::from(theta[0] > other[0]))
    };
    mixture.iter().map(against).sum()
}

fn decide_by_size(candidate: &[f64], question: &Question<'_>) -> bool {
    match question {
        Question::BeatsMixture(mixture) => score_by_size(candidate, mixture) > 0.5,
        Question::DoesBetterAgainst { incumbent, .. } => candidate[0] > incumbent[0],
        _ => panic!("{question:?}"),
    }
}

#[test]
fn equilibria_of_small_games() {
    // In rock, paper, scissors, each member has a third of the weight (von Neumann 1928).
    let rps = vec![vec![0.5, 0.0, 1.0], vec![1.0, 0.5, 0.0], vec![0.0, 1.0, 0.5]];
    for weight in equilibrium(&rps) {
        assert!((weight - 1.0 / 3.0).abs() < 1e-12, "{weight}");
    }
    // A member that beats all others has all the weight.
    let dominated = vec![vec![0.5, 0.4, 0.2], vec![0.6, 0.5, 0.3], vec![0.8, 0.7, 0.5]];
    assert_eq!(equilibrium(&dominated), [0.0, 0.0, 1.0]);
}

#[test]
fn a_search_follows_the_algorithm() {
    // A step of 1 is accepted; all later steps are refused until the search is over.
    let draws = [&[1.0][..], &[-1.0; PATIENCE]].concat();
    let mut oracle = Scripted::new(draws, decide_by_size);
    let mut method = Running::new(vec![2.0], DoubleOracleKind::default());
    for _ in 0..=PATIENCE {
        assert_eq!(method.iterate(&mut oracle).expect("not stopped").joined, None);
        // The response has not joined yet.
        assert_eq!(method.incumbent(), [2.0]);
    }
    assert_eq!(method.memory.search.response, [3.0]);
    let (candidate, asked) = &oracle.asked[0];
    let alone = vec![Weighted { weight: 1.0, of: vec![2.0].into() }];
    let the_start = Asked::BeatsMixture(alone.clone());
    assert_eq!((candidate.as_slice(), asked), (&[3.0][..], &the_start));
    let (candidate, asked) = &oracle.asked[1];
    let better = Asked::DoesBetterAgainst(vec![3.0], alone);
    assert_eq!((candidate.as_slice(), asked), (&[1.0][..], &better));

    // The response races against the mixture, joins, and is the new equilibrium.
    let done = method.iterate(&mut oracle).expect("not stopped");
    assert_eq!(oracle.asked.last(), Some(&(vec![3.0], the_start)));
    let joined = Joined { parameters: vec![3.0], against: Against::Mixture };
    assert_eq!(done.joined, Some(joined));
    assert_eq!(
        (method.incumbent(), &*method.memory.payoffs.weights),
        (&[3.0][..], &[0.0, 1.0][..])
    );
    // 2 * 0.84^8 = 0.4957...
    assert!((method.memory.search.sigma - 0.49575).abs() < 1e-5, "{}", method.memory.search.sigma);
    assert_eq!(method.memory.search.response, [3.0]);
}

#[test]
fn a_search_without_success_is_widened() {
    let mut oracle = Scripted::new(Vec::new(), |_: &[f64], _: &Question<'_>| false);
    let mut method = Running::new(vec![0.0], DoubleOracleKind::default());
    for _ in 0..PATIENCE {
        method.iterate(&mut oracle).expect("not stopped");
    }
    // No candidate beat the start, so the next search starts from random individual 1.
    let individual = oracle.individual(1);
    assert_eq!(method.memory.search, Search::new(individual, FIRST_SIGMA, Origin::Individual));
    // The search from this individual ends with a race against the mixture, which it loses. The next search starts from
    // a member again, with the earlier step size: 0.84^8 = 0.2478...
    for _ in 0..=PATIENCE {
        assert_eq!(method.iterate(&mut oracle).expect("not stopped").joined, None);
    }
    let search = &method.memory.search;
    assert_eq!((search.origin, search.response.as_slice()), (Origin::Member, &[0.0][..]));
    assert!((search.sigma - 0.24788).abs() < 1e-5, "{}", search.sigma);
}

#[test]
fn half_of_the_games_left_are_for_showing_what_was_found() {
    let mut oracle = Scripted::new(Vec::new(), decide_by_size);
    let mut method = Running::new(vec![0.0], DoubleOracleKind::default());
    method.memory.search = Search {
        games: 600,
        is_at_origin: false,
        ..Search::new(vec![1.0], FIRST_SIGMA, Origin::Member)
    };
    // The meetings take 400 games.
    oracle.games_left = 599;
    let done = method.iterate(&mut oracle).expect("not stopped");
    assert_eq!(done.joined.map(|joined| joined.parameters), Some(vec![1.0]));
    assert_eq!(oracle.games_left, 199);
    assert_eq!(method.incumbent(), [1.0]);
}

#[test]
fn the_equilibrium_moves_to_the_strongest() {
    let mut oracle = Scripted::new(Vec::new(), decide_by_size);
    let mut method = Running::new(vec![-1.0], DoubleOracleKind::default());
    let mut last = -1.0;
    for _ in 0..3000 {
        method.iterate(&mut oracle).expect("not stopped");
        assert!(method.incumbent()[0] >= last);
        last = method.incumbent()[0];
        assert!(method.memory.payoffs.members.len() <= MAX_MEMBERS);
    }
    assert_restorable(&method);
    assert!(last > 10.0, "{last}");
}

#[test]
fn the_size_of_the_mixture_is_limited() {
    let mut oracle = Scripted::new(Vec::new(), decide_by_size);
    let mut method = Running::new(vec![0.0], DoubleOracleKind::default());
    for size in 1..=2 * MAX_MEMBERS {
        let newcomer = vec![size as f64];
        let admitted =
            method.memory.payoffs.admit(&newcomer, 1.0, &RULES, &method.population, &mut oracle);
        admitted.expect("not stopped");
        method.population.push(newcomer);
        assert_eq!(method.incumbent(), [size as f64]);
    }
    assert_eq!(method.memory.payoffs.members.len(), MAX_MEMBERS);
    assert_eq!(method.population.len(), 2 * MAX_MEMBERS + 1);
    assert_restorable(&method);
}

/// Each strategy is an angle, and scores 1/2 + sin(difference)/2 against another. A best response gains 1/2 against a
/// single strategy, but nothing against a mixture of three strategies in an equilateral triangle.
#[test]
fn cyclic_strategies_are_mixed() {
    let score = |x: f64, y: f64| 0.5 + 0.5 * libm::sin(x - y);
    let against = move |theta: &[f64], mixture: &[Weighted<Player>]| -> f64 {
        let angle = |player: &Player| player.parameters().expect("no baseline")[0];
        mixture.iter().map(|member| member.weight * score(theta[0], angle(&member.of))).sum()
    };
    let decide = move |candidate: &[f64], question: &Question<'_>| match question {
        Question::BeatsMixture(mixture) => {
            // This rule decides like a race with a precision of 0.01.
            against(candidate, mixture) > 0.51
        }
        Question::DoesBetterAgainst { incumbent, mixture } => {
            against(candidate, mixture) > against(incumbent, mixture) + 0.01
        }
        _ => panic!("{question:?}"),
    };
    let mut oracle = Scripted::new(Vec::new(), decide);
    // In the tally of a meeting, the share of won pairs is the score of one angle against the other, rounded to half a
    // percent.
    oracle.games = Some(Box::new(move |players, fixture, _| {
        let angle = |index: usize| players[index].parameters().expect("no baseline")[0];
        let share = score(angle(fixture.a), angle(fixture.b));
        let num_won = (share * fixture.num_pairs as f64).round() as u64;
        let [won, lost] = [ruse_games::Payoff::WIN, ruse_games::Payoff::LOSS]
            .map(|payoff| ruse_strategies::PairResult { as_first: payoff, as_second: payoff });
        let mut tally = ruse_play::score::Tally::default();
        tally.add_many(won, num_won);
        tally.add_many(lost, fixture.num_pairs - num_won);
        tally
    }));
    let mut method = Running::new(vec![0.3], DoubleOracleKind::default());
    // The score of the best angle against the mixture, minus one half.
    let exploitability = |method: &Running<DoubleOracleKind>| {
        let mixture = method.weighted();
        (0..360)
            .map(|degrees| against(&[f64::from(degrees).to_radians()], &mixture) - 0.5)
            .fold(f64::NEG_INFINITY, f64::max)
    };
    // Against a single angle, the best response gains sin(90 degrees) / 2, except for rounding to degrees.
    assert!((exploitability(&method) - 0.5).abs() < 1e-4, "{}", exploitability(&method));
    for _ in 0..400 {
        method.iterate(&mut oracle).expect("not stopped");
    }
    assert!(exploitability(&method) < 0.05, "{}", exploitability(&method));
    assert!(method.weighted().len() >= 2);
}

#[test]
fn a_state_of_something_else_is_refused() {
    let method = Running::new(vec![1.0], DoubleOracleKind::default());
    for damage in ["members", "scores", "weights", "search", "next_sigma"] {
        let mut state = method.state();
        state[damage] = serde_json::json!([]);
        assert!(
            Running::restore(vec![vec![1.0]], DoubleOracleKind::default(), state).is_err(),
            "{damage}"
        );
    }
    let misfit =
        Running::restore(vec![vec![1.0, 2.0]], DoubleOracleKind::default(), method.state());
    assert!(misfit.is_err(), "the response has another length");
}

/// In a game in which the larger first parameter wins, trained responses join one after the other, each with a larger
/// parameter than the last.
#[test]
fn trained_responses_join_as_well() {
    for responses in [Responses::Es, Responses::CmaEs] {
        let mut oracle = Scripted::new(Vec::new(), decide_by_size);
        oracle.games_left = 200_000;
        let mut method = Running::new(vec![-1.0], DoubleOracleKind { responses });
        let mut joined = Vec::new();
        // The races of the scripted oracle take no games.
        while oracle.games_left > 20_000 {
            let done = method.iterate(&mut oracle).expect("not stopped");
            joined.extend(done.joined.map(|joined| joined.parameters[0]));
        }
        assert!(joined.len() >= 2, "{responses:?}: {joined:?}");
        assert!(joined.is_sorted() && joined[0] > 0.0, "{responses:?}: {joined:?}");
        assert_eq!(method.incumbent(), [joined[joined.len() - 1]]);
    }
}
