use super::*;

fn rules(text: &str) -> Result<String> {
    rules_of_gambit(text.as_bytes()).expect("a format of Gambit")
}

/// Returns the facts of the rules, without the rules that all games share.
fn facts(text: &str) -> String {
    let rules = rules(text).expect("the text is right");
    rules.split("(<= (asked").next().expect("there is always a part").into()
}

/// A coin that only the first player sees, and a bet that the second player calls or not. The third leaf uses an outcome
/// again, and an outcome within the tree adds to those below it.
const BET: &str = include_str!("bet.efg");

#[test]
fn trees_are_rules() {
    assert_eq!(facts(BET), include_str!("bet.kif"));
}

#[test]
fn plays_wait_for_sets_that_they_miss() {
    // The second player does not know whether the first has moved twice.
    let text = "EFG 2 R \"\" { \"a\" \"b\" }
        p \"\" 1 1 \"\" { \"short\" \"long\" } 0
        p \"\" 2 1 \"\" { \"l\" \"r\" } 0 t \"\" 1 \"\" { 100 0 } t \"\" 2 \"\" { 0 100 }
        p \"\" 1 2 \"\" { \"go\" } 0
        p \"\" 2 1 0 t \"\" 2 t \"\" 1";
    // Goals stay as they are.
    let facts = facts(text);
    for fact in ["(move n0 short n1-1)", "(pass n1-1 n1)", "(move n4 go n5)", "(end n2 100 0)"] {
        assert!(facts.contains(fact), "{fact}: {facts}");
    }
}

#[test]
fn normal_forms_are_rules() {
    // In both forms the first strategy of the second player comes first, with all strategies of the first player. Three
    // steps have 33 goals each.
    let by_payoffs = "NFG 1 R \"\" { \"a\" \"b\" } { 2 2 } 1 0 2 -1 3 -2 4 -3";
    let by_outcomes = "NFG 1 R \"\" { \"a\" \"b\" } { { \"1\" \"2\" } { \"1\" \"2\" } } \"comment\"
        { { \"x\" 1, 0 } { \"\" 2, -1 } { \"\" 3, -2 } { \"\" 4, -3 } } 1 2 3 4";
    let of_cells = facts(by_payoffs);
    for (cell, goal) in [("n2", 0), ("n3", 66), ("n5", 33), ("n6", 99)] {
        assert!(of_cells.contains(&format!("(end {cell} {goal} ")), "{cell}: {of_cells}");
    }
    assert_eq!(facts(by_outcomes), of_cells);
    let uneven = by_payoffs.replace("4 -3", "4.001 -3.001");
    assert_eq!(rules(&uneven).map_err(|error| error.line), Err(1), "there are too many steps");
}

#[test]
fn other_texts_are_refused_with_the_line() {
    assert_eq!(rules_of_gambit(b"(role a)"), None);
    let head = "EFG 2 R \"\" { \"a\" \"b\" }\n";
    let cases = [
        ("EFG 2 R \"\" { \"a\" }", 1, "the game has 1 players; expected two"),
        ("EFG 2 R \"x", 1, "the text in quotation marks does not end"),
        (&format!("{head}x"), 2, "expected a node, as in `c`, `p` or `t`, found `x`"),
        (&format!("{head}t \"\" 1"), 2, "outcome 1 has no payoffs"),
        (&format!("{head}t \"\" 1 \"\" {{ 1 }}"), 2, "expected the payoffs of two players"),
        (&format!("{head}p \"\" 1 1 0"), 2, "expected `{`"),
        (&format!("{head}p \"\" 1 1 {{ }} 0"), 2, "set 1 has no moves"),
        (
            &format!("{head}p \"\" 1 1 {{ \"x\" }} 0\n"),
            3,
            "expected a node, as in `c`, `p` or `t`, found ``",
        ),
        (
            &format!("{head}c \"\" 1 {{ \"x\" .5 \"y\" .4 }} 0\nt \"\" 1 {{ 1 0 }} t \"\" 1"),
            2,
            "the probabilities add up to 0.9; expected 1",
        ),
        (
            &format!(
                "{head}p \"\" 1 1 {{ \"x\" \"y\" }} 0\nt \"\" 1 {{ 1 0 }}\nt \"\" 2 {{ 1 1 }}"
            ),
            4,
            "the payoffs 1 and 1 do not have the sum 1 of the payoffs before; only games with a constant sum can be played",
        ),
        (
            &format!(
                "{head}p \"\" 1 1 {{ \"x\" \"y\" }} 0\np \"\" 1 1 0\nt \"\" 1 {{ 1 0 }} t \"\" 1 t \"\" 1"
            ),
            3,
            "the player forgets earlier moves in set 1 (imperfect recall)",
        ),
        (
            // The sets 1 of both players come in both orders.
            &format!(
                "{head}c \"\" 1 {{ \"x\" .5 \"y\" .5 }} 0
                p \"\" 1 1 {{ \"a\" }} 0 p \"\" 2 1 {{ \"b\" }} 0 t \"\" 1 {{ 1 0 }}
                p \"\" 2 1 {{ \"b\" }} 0 p \"\" 1 1 {{ \"a\" }} 0 t \"\" 1"
            ),
            3,
            "two plays meet the same information sets in different orders",
        ),
    ];
    for (text, line, problem) in cases {
        let error = rules(text).expect_err(problem);
        assert_eq!((error.line, &*error.problem), (line, problem), "{text}");
    }
}
