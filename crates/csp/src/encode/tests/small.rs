//! Tests on small games: a complete network worked out by hand, states as values of variables, and errors.

use ruse_gdl::{Limits, MoveId, RoleId, Rules, State};

use super::super::super::NetworkSize;
use super::super::super::network::{Constraint, Literal, VariableId};
use super::super::{
    ConstraintKind, EncodeError, EncodeOptions, Encoding, UnfitState, VariableKind,
};
use super::rules;

fn encode(rules: &Rules, options: &EncodeOptions) -> Encoding {
    Encoding::new(rules, options).expect("it is small")
}

/// A game in which the player names a side of a coin and chance tosses the coin; the player wins if the sides agree.
const SIDES: &str = "(role a) (role random) (side heads) (side tails) (init open)
    (<= (legal ?r (show ?s)) (role ?r) (side ?s) (true open))
    (<= (next (shown ?r ?s)) (does ?r (show ?s)))
    (<= same (true (shown a ?s)) (true (shown random ?s)))
    (<= terminal (not (true open)))
    (<= (goal a 100) same) (<= (goal a 0) (not same)) (goal random 0)";

/// Compares the complete network of [`SIDES`] with one made by hand.
#[test]
fn a_small_game_is_written_as_expected() {
    let rules = Rules::from_text(SIDES, &Limits::default()).expect("it is sound");
    let encoding = encode(&rules, &EncodeOptions { table_product: 0, ..EncodeOptions::default() });
    let (role, random) = (RoleId(0), MoveId);
    use VariableKind as V;
    assert_eq!(
        encoding.variable_kinds(),
        [
            [V::State(0), V::State(1), V::State(2)].as_slice(),
            &[V::Move(role), V::Chance, V::ChanceLegal(random(0)), V::ChanceLegal(random(1))],
            &[V::End, V::Goal(role, 0), V::Goal(role, 100)],
            &[V::Successor(0), V::Successor(1), V::Successor(2)],
        ]
        .concat()
    );
    let groups = encoding.families().groups().iter();
    let groups: Vec<_> = groups.map(|group| (&*group.name, group.values.join(" "))).collect();
    let sides = "heads tails".to_string();
    let expected = [("(shown a ?)", sides.clone()), ("(shown random ?)", sides)];
    assert_eq!((groups[0].0, &groups[1..]), ("open", &expected[..]));
    let literal =
        |variable, value, is_equal| Literal { variable: VariableId(variable), value, is_equal };
    let is = |variable, value| literal(variable, value, true);
    let not = |variable, value| literal(variable, value, false);
    let clause = |literals: &[Literal]| Constraint::Clause(literals.into());
    let definition = |head, bodies: &[&[Literal]]| {
        let bodies = bodies.iter().map(|&body| body.into()).collect();
        Constraint::Definition { head, bodies }
    };
    use ConstraintKind as K;
    let mut found: Vec<(ConstraintKind, Constraint)> = encoding
        .constraint_kinds()
        .iter()
        .copied()
        .zip(encoding.network().constraints.iter().cloned())
        .collect();
    found.sort_by_key(|&(kind, _)| kind);
    let agree: &[&[Literal]] = &[&[is(1, 0), is(2, 0)], &[is(1, 1), is(2, 1)]];
    // The formula states, in its shortest form, that `a` or chance does not show heads, and that one of them does not
    // show tails.
    let differ: &[&[Literal]] =
        &[&[not(1, 0), not(2, 1)], &[not(1, 1), not(2, 0)], &[is(1, 2)], &[is(2, 2)]];
    let expected = [
        (K::Legal(RoleId(0)), clause(&[not(3, 0), is(0, 1)])),
        (K::Legal(RoleId(0)), clause(&[not(3, 1), is(0, 1)])),
        (K::Chance, clause(&[not(4, 0), is(5, 1)])),
        (K::Chance, clause(&[not(4, 1), is(6, 1)])),
        (K::ChanceLegal, definition(is(5, 1), &[&[is(0, 1)]])),
        (K::ChanceLegal, definition(is(6, 1), &[&[is(0, 1)]])),
        (K::End, definition(is(7, 1), &[&[is(0, 0)]])),
        (K::Goal, definition(is(8, 1), differ)),
        (K::Goal, definition(is(9, 1), agree)),
        (K::Next(0), clause(&[not(10, 1)])),
        (K::Next(1), definition(is(11, 0), &[&[is(3, 0)]])),
        (K::Next(1), definition(is(11, 1), &[&[is(3, 1)]])),
        (K::Next(2), definition(is(12, 0), &[&[is(4, 0)]])),
        (K::Next(2), definition(is(12, 1), &[&[is(4, 1)]])),
    ];
    assert_eq!(found, expected);
    assert_eq!(encoding.moves(), [(RoleId(0), VariableId(3))]);
    assert_eq!((encoding.chance(), encoding.end()), (Some(VariableId(4)), VariableId(7)));
    assert_eq!(encoding.chance_legal(), [VariableId(5), VariableId(6)]);
    assert_eq!(encoding.goals(), [(RoleId(0), 0, VariableId(8)), (RoleId(0), 100, VariableId(9))]);
    assert_eq!(encoding.constraint_kinds().iter().filter(|kind| kind.is_effect()).count(), 5);
    assert_eq!(
        NetworkSize::of(encoding.network()),
        NetworkSize {
            num_variables: 13,
            largest_domain: 3,
            // Four variables have three values, and nine have two.
            num_values: 4 * 3 + 9 * 2,
            num_constraints: 14,
            num_clauses: 5,
            num_definitions: 9,
            // Four clauses have two literals, and one has one. There are nine heads, three bodies of one literal, the
            // bodies of `agree` and `differ`, and four bodies of one literal.
            num_literals: 4 * 2 + 1 + 9 + 3 + 4 + 6 + 4,
            ..NetworkSize::default()
        }
    );
    assert_eq!(
        encoding.variables_by_kind(),
        [
            ("state", 3),
            ("moves", 1),
            ("chance", 1),
            ("legal chance", 2),
            ("end", 1),
            ("goals", 2),
            ("next state", 3)
        ]
    );
}

/// With tables, one constraint determines a group after the step.
#[test]
fn small_constraints_become_tables() {
    let rules = Rules::from_text(SIDES, &Limits::default()).expect("it is sound");
    let encoding = encode(&rules, &EncodeOptions::default());
    let scope = [3, 11].map(VariableId);
    let next = encoding.constraint_kinds().iter().position(|&kind| kind == ConstraintKind::Next(1));
    assert_eq!(
        encoding.network().constraints[next.expect("it has one")],
        Constraint::Table { scope: scope.into(), tuples: [0, 0, 1, 1].into() }
    );
    // The variables are the move and the state. If the game is open, both moves are legal; otherwise neither is.
    let sizes = NetworkSize::of(encoding.network());
    assert_eq!((sizes.num_tables, sizes.num_clauses, sizes.num_definitions), (8, 3, 0));
    let scope = [0, 3].map(VariableId);
    assert_eq!(
        encoding.network().constraints[0],
        Constraint::Table { scope: scope.into(), tuples: [1, 0, 1, 1].into() }
    );
}

/// If atoms are not replaced, the atom `same`, which compares the sides of the coin, is a variable.
#[test]
fn atoms_that_are_not_replaced_are_variables() {
    let rules = Rules::from_text(SIDES, &Limits::default()).expect("it is sound");
    let encoding = encode(&rules, &EncodeOptions { unfold_below: 0, ..EncodeOptions::default() });
    let [.., VariableKind::Successor(2), VariableKind::Atom(atom)] = *encoding.variable_kinds()
    else {
        panic!("{:?}", encoding.variable_kinds())
    };
    assert_eq!(rules.atom_text(atom), "(same)");
}

#[test]
fn states_are_values_and_back() {
    let rules = rules("battleship_4x4");
    let encoding = encode(&rules, &EncodeOptions::default());
    let mut state = rules.start().clone();
    let phases: Vec<u32> =
        (0..68).filter(|&fluent| rules.fluent(fluent).starts_with("(phase")).collect();
    let ship = (0..68).find(|&fluent| rules.fluent(fluent) == "(ship second 4 4)");
    state.set(ship.expect("it is a fluent"), true);
    let values = encoding.values_of(&state).expect("it is possible");
    assert_eq!(values.len(), encoding.state().len());
    // Phase 3 is the first value, and one ship is true.
    assert_eq!(values.iter().sum::<u16>(), 1);
    assert_eq!(encoding.state_of(&values), state);

    state.set(phases[1], true);
    let [first, second] = [0, 1].map(|at| rules.fluent(phases[at]));
    assert_eq!(encoding.values_of(&state), Err(UnfitState::Several { first, second }));
    let nothing = State::empty(rules.num_fluents());
    let none = encoding.values_of(&nothing).expect("that a phase holds is not proven");
    assert_eq!(none.iter().sum::<u16>(), 4);
    assert_eq!(encoding.state_of(&none), nothing);
}

#[test]
fn something_always_holds_of_some_groups() {
    let rules = rules("nim");
    let encoding = encode(&rules, &EncodeOptions::default());
    let error = encoding.values_of(&State::empty(rules.num_fluents())).expect_err("no heap");
    let text = "nothing holds of `(heap 1 ?)`, and something always does in a game";
    assert_eq!(error.to_string(), text);
}

#[test]
fn networks_that_are_too_large_are_refused() {
    let rules = rules("tic_tac_toe");
    let all = EncodeOptions::default();
    let refused = |options: EncodeOptions| {
        Encoding::new(&rules, &options).expect_err("it is larger").to_string()
    };
    let text = refused(EncodeOptions { variables: 30, ..all });
    assert_eq!(text, "the constraint network has more than 30 variables: 31 when it was given up");
    assert!(
        refused(EncodeOptions { table_values: 1_000, ..all }).contains("1000 values in tables")
    );
    let error = Encoding::new(&rules, &EncodeOptions { literals: 10, table_product: 0, ..all });
    assert!(matches!(error, Err(EncodeError::TooLarge { what: "literals", limit: 10, .. })));
}
