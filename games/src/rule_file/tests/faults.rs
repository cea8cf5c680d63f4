//! Files that break the language in a state that few games reach.

use super::*;

/// The number of moves of role `a` at the start; the last move leads to a state that breaks the language.
const BAD: u32 = 400;

/// Returns a game in which a role names a number, and then `random` has a step. One number leads to a state that the
/// rules in `faulty` break.
fn rarely(faulty: &str) -> String {
    let numbers: String = (1..=BAD).map(|number| format!("(n {number}) ")).collect();
    format!(
        "(role a) (role b) (role random) {numbers} (init start)
         (<= (legal a (pick ?n)) (true start) (n ?n))
         (<= (legal b noop) (true start))
         (<= (legal random wait) (true start))
         (<= (next (picked ?n)) (does a (pick ?n)))
         (<= bad (true (picked {BAD})))
         (<= good (true (picked ?n)) (distinct ?n {BAD}))
         {faulty}"
    )
}

/// Returns a name, a file and the expected error for each kind of fault.
fn faults() -> [(&'static str, String, PlayError); 5] {
    let goals = "(goal a 100) (goal b 0)";
    let stuck = |role: &str| {
        let others = ["a", "b", "random"].into_iter().filter(|&other| other != role);
        let rest: String = others.map(|other| format!("(<= (legal {other} rest) bad) ")).collect();
        rarely(&format!("(<= terminal good) {goals} {rest}"))
    };
    let name = |role: &str| role.to_string();
    [
        (
            "a role without a legal move",
            stuck("b"),
            PlayError::NoLegalMove { role: name("b"), steps: 1 },
        ),
        (
            "chance without a legal move",
            stuck("random"),
            PlayError::NoLegalMove { role: name("random"), steps: 1 },
        ),
        (
            "no goal",
            rarely("(<= terminal (not (true start))) (goal a 50) (<= (goal b 50) good)"),
            PlayError::NoGoal { role: name("b") },
        ),
        (
            "two goals",
            rarely("(<= terminal (not (true start))) (goal a 50) (goal b 50) (<= (goal a 30) bad)"),
            PlayError::TwoGoals { role: name("a"), first: 30, second: 50 },
        ),
        (
            "no end",
            rarely(&format!(
                "(<= terminal good) {goals} (<= (legal ?r rest) (role ?r) bad)
                 (<= (next (picked ?n)) (true (picked ?n)))"
            )),
            PlayError::Cap { steps: 1_000 },
        ),
    ]
}

fn pick(game: &RuleFile, state: &mut RuleFileState, number: u32) -> Turn {
    assert_eq!(game.turn(state), Turn::Act(Seat::First));
    let role = game.view(state, Seat::First).role();
    let action = game.language_rules().find_move(role, &format!("(pick {number})"));
    let action = RoleMove { role, action: action.expect("a number") };
    assert_eq!(game.check(state, &action), Ok(()));
    game.apply(state, Seat::First, &action, &mut generator(1));
    game.turn(state)
}

#[test]
fn a_rare_fault_ends_the_game_and_is_reported() {
    for (name, text, fault) in faults() {
        let game = inline(&text);
        let copy = with(&game, &[("features", 3)]).expect("a right rule");
        let mut rng = generator(1);
        let mut state = game.deal(&mut rng);
        assert!(matches!(pick(&game, &mut state, 1), Turn::Over(_)), "{name}");
        assert_eq!(game.fault(), None, "{name}");

        // A fault in an imagined state is not reported.
        let mut state = game.deal(&mut rng);
        let view = game.view(&state, Seat::First);
        let mut thought = game.imagine(&Beliefs::default(), Seat::First, &view, &mut rng);
        let mut again = thought.clone();
        assert_eq!(pick(&game, &mut thought, BAD), Turn::Over(Payoff::DRAW), "{name}");
        assert_eq!(pick(&game, &mut again, BAD), Turn::Over(Payoff::DRAW), "{name}");
        assert_eq!(game.fault(), None, "{name}");

        assert_eq!(pick(&game, &mut state, BAD), Turn::Over(Payoff::DRAW), "{name}");
        assert_eq!(game.fault(), Some(&fault), "{name}");
        assert_eq!(copy.fault(), Some(&fault), "{name}: games of the same text share it");
        // The game continues, and the table is reset.
        let mut state = game.deal(&mut rng);
        assert!(matches!(pick(&game, &mut state, 1), Turn::Over(_)), "{name}");
    }
}

#[test]
fn random_games_find_it_in_time() {
    for (name, text, fault) in faults() {
        let game = inline(&text);
        let mut rng = generator(2);
        // The bad move is one of 400: the probability that none of 10,000 games contains it is 1e-11.
        let met = (0..10_000).any(|_| {
            play_random(&game, &mut rng);
            game.fault().is_some()
        });
        assert!(met, "{name}");
        assert_eq!(game.fault(), Some(&fault), "{name}");
    }
}

/// Walks, in which the caller chooses all moves, report the same faults.
#[test]
fn walks_meet_the_same_faults() {
    for (name, text, fault) in faults() {
        let game = inline(&text);
        let mut walk = Walk::new(&game);
        let start = walk.start();
        assert_eq!(walk.enter(&start), Ok(false), "{name}");
        let [a, b] = *game.roles() else { panic!("two roles") };
        let random = game.language_rules().random().expect("there is one");
        let bad = game.language_rules().find_move(a, &format!("(pick {BAD})")).expect("a move");
        let joint = [bad, walk.legal(b)[0], walk.legal(random)[0]];
        let mut position = walk.after(&start, &joint);
        let found = loop {
            match walk.enter(&position) {
                Err(error) => break error,
                Ok(true) => {
                    let goals = [a, b].map(|role| walk.goal(role));
                    break goals.into_iter().find_map(Result::err).expect("a fault");
                }
                Ok(false) => {
                    let joint: Vec<_> =
                        game.language_rules().roles().map(|role| walk.legal(role)[0]).collect();
                    position = walk.after(&position, &joint);
                }
            }
        };
        assert_eq!(found, fault, "{name}");
        assert_eq!(game.fault(), None, "{name}: walks tell it themselves");
    }
}

/// Each side has a separate play; a fault in one play ends both plays.
#[test]
fn a_fault_ends_the_plays_of_both_sides() {
    let numbers: String = (1..=BAD).map(|number| format!("(n {number}) ")).collect();
    let game = inline(&format!(
        "(role a) {numbers} (init start)
         (<= (legal a (pick ?n)) (true start) (n ?n))
         (<= (next (picked ?n)) (does a (pick ?n)))
         (<= terminal (true (picked ?n)))
         (<= (goal a 100) (true (picked ?n)) (distinct ?n {BAD}))"
    ));
    for bad_seat in Seat::BOTH {
        let told =
            |seat, _: &str| Some(format!("(pick {})", if seat == bad_seat { BAD } else { 1 }));
        let (_, payoff) = play_told(&game, &mut generator(1), told);
        assert_eq!(payoff, Payoff::DRAW, "{bad_seat:?}");
    }
    assert_eq!(game.fault(), Some(&PlayError::NoGoal { role: "a".into() }));
}

/// Faults that many games meet are found before the first game.
#[test]
fn files_that_fail_often_are_refused() {
    let never_over = "(role a) (init p) (<= (legal a m) (true p)) (<= (next p) (true p)) (<= terminal (true z)) (goal a 1)";
    // The file is accepted, because other rules may allow games without an end. Games are refused until such rules are
    // set.
    let game = RuleFile::from_text("x", never_over.as_bytes(), &Limits::default());
    let refused = game.expect("it can be read").with_rules(&[].into()).expect_err("no end");
    assert!(refused.to_string().contains("not over after 1000 steps"), "{refused}");
    let no_goal =
        "(role a) (init p) (legal a m) (next q) (<= terminal (true q)) (<= (goal a 1) (true p))";
    let game = RuleFile::from_text("x", no_goal.as_bytes(), &Limits::default());
    let game = game.expect("it can be read");
    let refused = game.with_rules(&[].into()).expect_err("no goal").to_string();
    let told = "x: in a random game (number 1 of 20): no goal of `a` at the end; the rule `goals` says what counts then";
    assert!(refused.contains(told), "{refused}");
    let stuck = "(role a) (init p) (<= (legal a m) (true p)) (<= (next q) (true p)) (<= terminal (true z)) (goal a 1)";
    let refused = RuleFile::from_text("x", stuck.as_bytes(), &Limits::default());
    let fault = PlayError::NoLegalMove { role: "a".into(), steps: 1 };
    let fault = ruse_gdl::SurveyError { number: 1, games: 20, fault };
    assert_eq!(refused.expect_err("no move"), RuleFileError::Play(fault));
    let no_text = RuleFile::from_text("x", b"(role a", &Limits::default());
    assert!(matches!(no_text.expect_err("not closed"), RuleFileError::Text(_)));
}

/// With the rule `goals`, the highest or the lowest goal of a role with two goals counts, and a role without a goal
/// gets 0. A remark reports a missing goal.
#[test]
fn goals_that_are_not_unique_count_by_the_rule() {
    for (name, text, fault) in faults() {
        let (is_missing, goals) = match fault {
            PlayError::NoGoal { .. } => (true, [[50.0, 0.0], [50.0, 0.0]]),
            PlayError::TwoGoals { .. } => (false, [[50.0, 50.0], [30.0, 50.0]]),
            _ => continue,
        };
        let game = inline(&text);
        for (value, [first, second]) in ["highest", "lowest"].into_iter().zip(goals) {
            let number = game.rule_value("goals", value).expect("a name");
            let game = with(&game, &[("goals", number)]).expect("right rules");
            let mut rng = generator(1);
            let mut state = game.deal(&mut rng);
            assert!(matches!(pick(&game, &mut state, BAD), Turn::Over(_)), "{name}");
            assert_eq!(game.goals(&state), Some(BySeat { first, second }), "{name}");
            assert_eq!(game.fault(), None, "{name}");
            assert_eq!(game.remarks().len(), usize::from(is_missing), "{name}");
        }
    }
}
