//! Tests of the interface of the games: requests and answers in JSON.

use std::collections::BTreeSet;

use ruse::lab::Transcript;
use serde_json::{Value, json};

use ruse_page::Desk;

/// A desk that takes requests in JSON.
struct Asked(Desk);

impl Asked {
    fn new() -> Asked {
        Asked(Desk::new())
    }

    fn answer(&mut self, question: &Value) -> Result<Value, String> {
        let answer = self.0.answer(&question.to_string());
        let answer: Value = serde_json::from_str(&answer).expect("answers are JSON");
        match answer.get("error") {
            Some(problem) => Err(problem.as_str().expect("a sentence").into()),
            None => Ok(answer["ok"].clone()),
        }
    }

    fn ok(&mut self, question: Value) -> Value {
        self.answer(&question).unwrap_or_else(|problem| panic!("{question}: {problem}"))
    }

    fn error(&mut self, question: Value) -> String {
        match self.answer(&question) {
            Err(problem) => problem,
            Ok(answer) => panic!("{question}: {answer}"),
        }
    }

    /// Plays by hints until the game is over.
    fn play_by_hints(&mut self, mut table: Value) -> Value {
        for _ in 0..20_000 {
            table = match table["turn"].as_str().expect("somebody's turn, or nobody's") {
                "nobody" => return table,
                "person" => self.ok(json!({"call": "follow"})),
                _ => self.ok(json!({"call": "go", "steps": 1000})),
            };
        }
        panic!("{} does not end", table["family"]);
    }
}

/// Returns a small value for each rule of the family that shortens a game.
fn short_rules(family: &Value) -> Value {
    let caps = [
        ("max-turns", 300),
        ("max-plies", 200),
        ("max-redraws", 50),
        ("playouts", 4),
        ("cap", 600),
    ];
    let rules = family["rules"].as_array().expect("a list");
    let has = |name: &str| rules.iter().any(|rule| rule["name"] == name);
    caps.into_iter().filter(|(name, _)| has(name)).collect()
}

/// Games of every family can be played to their end with hints. The transcript is legal, and keeps its bytes when read
/// and written again.
#[test]
fn every_family_is_played_to_its_end() {
    let mut desk = Asked::new();
    let families = desk.ok(json!({"call": "families"}));
    let names: Vec<String> = families
        .as_array()
        .expect("a list")
        .iter()
        .map(|line| line["name"].as_str().expect("a name").into())
        .collect();
    assert!(names.len() > 30, "{names:?}");
    let registry = ruse::registry::Registry::standard();
    for name in names {
        let family = desk.ok(json!({"call": "family", "name": name}));
        assert!(!family["opponents"].as_array().expect("a list").is_empty(), "{name}");
        let table = desk.ok(json!({
            "call": "sit", "family": name, "rules": short_rules(&family), "seat": "first", "seed": 7,
        }));
        assert!(table["rules"].as_str().is_some_and(|rules| !rules.is_empty()), "{name}");
        let table = desk.play_by_hints(table);
        assert!(table["ending"]["words"].is_string(), "{name}: {table}");
        let next = desk.ok(json!({"call": "next"}));
        assert_eq!(next["game"], 2, "{name}");
        let yaml = desk.ok(json!({"call": "transcript"}));
        let yaml = yaml["yaml"].as_str().expect("a text");
        let source = ruse::files::YamlSource { path: "games.yaml".into(), text: yaml.into() };
        let transcript: Transcript = source.parse().expect("a transcript");
        assert_eq!(transcript.games.len(), 2, "{name}");
        assert_eq!(transcript.to_yaml(), yaml, "{name}");
        let family = registry.family(&name).expect("known").with_rules(&transcript.rules);
        let family = family.expect("rules of the family");
        let mut session = transcript.session(family.as_ref()).expect("a person plays");
        transcript.check(session.as_mut()).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// The drawing at the start of a game has items to choose. Each is accepted as an action, except in Battleship, where
/// an action is pairs of items.
#[test]
fn drawn_items_can_be_chosen() {
    let mut desk = Asked::new();
    for (family, entry) in [
        ("battleship", "pairs"),
        ("four-in-a-row", "plays"),
        ("phantom-tic-tac-toe", "words"),
        ("phantom-four", "words"),
        ("tic_tac_toe.kif", "plays"),
        ("guess-who", "plays"),
        ("cheat", "plays"),
        ("flip", "plays"),
        ("nim", "plays"),
        ("morra", "plays"),
        ("rts-script", "orders"),
    ] {
        let sit = json!({"call": "sit", "family": family, "seat": "first", "seed": 3});
        let table = desk.ok(sit.clone());
        assert_eq!(table["drawing"]["entry"], entry, "{family}");
        let typed = typed(&table["drawing"]);
        assert!(!typed.is_empty(), "{family}: {}", table["drawing"]);
        if entry == "pairs" {
            continue;
        }
        for typed in typed {
            desk.ok(sit.clone());
            desk.ok(json!({"call": "act", "typed": typed}));
        }
    }
    // Each unit without orders opens a menu; each menu belongs to a unit.
    let table = desk.ok(json!({"call": "sit", "family": "rts-script", "seat": "first", "seed": 3}));
    let opens: BTreeSet<_> = said(&table["drawing"], "opens").into_iter().collect();
    let parts = table["drawing"]["parts"].as_array().expect("parts").iter();
    let menus = parts.filter(|part| part["kind"] == "menu").flat_map(|part| said(part, "name"));
    assert!(!opens.is_empty());
    assert_eq!(menus.collect::<BTreeSet<_>>(), opens);
    // War has cards to order after the first battles.
    let table = desk.ok(json!({"call": "sit", "family": "war", "seat": "first", "seed": 3}));
    let table = match table["turn"].as_str() {
        Some("person") => table,
        _ => desk.ok(json!({"call": "go", "steps": 1000})),
    };
    let order = typed(&table["drawing"]).join(" ");
    desk.ok(json!({"call": "act", "typed": order}));
}

fn typed(drawing: &Value) -> Vec<String> {
    said(drawing, "typed")
}

/// Returns all values of `name` in a drawing.
fn said(drawing: &Value, name: &str) -> Vec<String> {
    fn collect(value: &Value, name: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(entries) => {
                if let Some(Value::String(said)) = entries.get(name) {
                    found.push(said.clone());
                }
                entries.values().for_each(|value| collect(value, name, found));
            }
            Value::Array(items) => items.iter().for_each(|value| collect(value, name, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(drawing, name, &mut found);
    found
}

/// A shot at a ship is a hit on the shooter's board. Other ships stay hidden.
#[test]
fn drawings_hide_what_is_hidden() {
    let mut desk = Asked::new();
    let sit = json!({"call": "sit", "family": "battleship", "seat": "first", "seed": 5});
    desk.ok(sit);
    desk.ok(json!({"call": "follow"}));
    let mut table = desk.ok(json!({"call": "go", "steps": 10}));
    for _ in 0..10 {
        let enemy = &table["drawing"]["parts"][0];
        assert_eq!(enemy["title"], "Your shots");
        let marks: Vec<&str> = enemy["rows"]
            .as_array()
            .expect("rows")
            .iter()
            .flat_map(|row| row["cells"].as_array().expect("cells"))
            .map(|cell| cell["mark"].as_str().expect("a mark"))
            .collect();
        assert_eq!(marks.len(), 81);
        assert!(!marks.contains(&"ship"), "{marks:?}");
        assert!(table["whole"].is_null() && table["everything"].is_null(), "{table}");
        desk.ok(json!({"call": "follow"}));
        table = desk.ok(json!({"call": "go", "steps": 10}));
    }
    let revealed = desk.ok(json!({"call": "reveal", "reveal": true}));
    assert!(revealed["whole"]["parts"].is_array(), "{revealed}");
    assert!(revealed["everything"].is_string());
    let hidden = desk.ok(json!({"call": "reveal", "reveal": false}));
    assert!(hidden["whole"].is_null(), "{hidden}");
}

/// Hints have values: exact with perfect play, otherwise estimates that repeat for the same number of playouts.
#[test]
fn hints_have_values() {
    let mut desk = Asked::new();
    desk.ok(json!({"call": "sit", "family": "nim", "seat": "first", "seed": 1}));
    let values = desk.ok(json!({"call": "values", "times": 1}));
    assert_eq!(values["source"], "perfect-play");
    // With heaps of 1, 3, 5 and 7, the player whose turn it is loses (Bouton 1901).
    assert_eq!(values["choices"][0]["score"], 0.0);
    desk.ok(json!({"call": "sit", "family": "four-in-a-row", "seat": "first", "seed": 1}));
    let values = desk.ok(json!({"call": "values", "times": 20}));
    assert_eq!((&values["source"], &values["playouts"]), (&json!("playouts"), &json!(20)));
    assert_eq!(desk.ok(json!({"call": "values", "times": 20})), values);
    let hint = desk.ok(json!({"call": "hint"}));
    let decision = desk.ok(json!({"call": "decision", "times": 10}));
    assert_eq!(decision["asked"], 10);
    assert!(hint["hint"].is_string() && decision["chosen"][0]["share"].as_f64() > Some(0.0));
}

/// Every family lists its inputs, or describes them by a grammar.
#[test]
fn actions_are_listed_or_have_a_grammar() {
    let mut desk = Asked::new();
    let table = desk.ok(json!({"call": "sit", "family": "nim", "seat": "first", "seed": 1}));
    assert_eq!(table["actions"].as_array().map(Vec::len), Some(1 + 3 + 5 + 7));
    assert_eq!(table["lists_all"], true);
    let table = desk.ok(json!({"call": "sit", "family": "battleship", "seat": "first", "seed": 1}));
    assert_eq!((&table["actions"], &table["lists_all"]), (&json!([]), &json!(false)));
    let ship = "[a-i][1-9]-[a-i][1-9]";
    assert_eq!(table["grammar"], [ship; 4].join(" "));
}

/// In Battleship, a map shows where to shoot, so choices need no values from playouts. While the fleet is placed, there
/// is no map.
#[test]
fn hints_where_to_shoot_are_a_map() {
    let mut desk = Asked::new();
    let rules = json!({"ships": 5, "sunk": 1});
    desk.ok(
        json!({"call": "sit", "family": "battleship", "rules": rules, "seat": "first", "seed": 3}),
    );
    assert!(desk.ok(json!({"call": "beliefs"})).is_null());
    desk.ok(json!({"call": "random"}));
    desk.ok(json!({"call": "go", "steps": 10}));
    let beliefs = desk.ok(json!({"call": "beliefs"}));
    let probabilities = beliefs["probabilities"].as_object().expect("cells");
    let sum: f64 = probabilities.values().filter_map(Value::as_f64).sum();
    assert_eq!(probabilities.len(), 100);
    assert!((sum - 17.0).abs() < 1e-9, "{sum}");
    let hint = desk.ok(json!({"call": "hint"}));
    let hinted = probabilities[hint["hint"].as_str().expect("a cell")].as_f64();
    let largest = beliefs["largest"].as_f64().expect("a number");
    // The map is exact, but the strategy treats ships without hits as if they could cross.
    assert!(hinted.is_some_and(|hinted| hinted > largest - 0.08), "{hint} {beliefs}");
    assert!(desk.ok(json!({"call": "values", "times": 1})).is_null());
    desk.ok(json!({"call": "sit", "family": "nim", "seat": "first", "seed": 1}));
    assert!(desk.ok(json!({"call": "beliefs"})).is_null());
}

#[test]
fn moves_are_taken_back_where_nothing_was_learnt() {
    let mut desk = Asked::new();
    desk.ok(json!({"call": "sit", "family": "nim", "seat": "first", "seed": 1}));
    desk.ok(json!({"call": "act", "typed": "4 4"}));
    let table = desk.ok(json!({"call": "go", "steps": 10}));
    assert_eq!((&table["num_actions"], &table["may_take_back"]), (&json!(2), &json!(true)));
    let table = desk.ok(json!({"call": "take-back"}));
    assert_eq!((table["num_actions"].as_u64(), table["turn"].as_str()), (Some(0), Some("person")));
    assert!(desk.error(json!({"call": "take-back"})).contains("nothing to take back"));
    // An action that reveals cards cannot be taken back, unless everything is revealed.
    desk.ok(json!({"call": "sit", "family": "cheat", "seat": "first", "seed": 1}));
    desk.ok(json!({"call": "follow"}));
    assert!(desk.error(json!({"call": "take-back"})).contains("cannot be forgotten"));
    desk.ok(json!({"call": "reveal", "reveal": true}));
    assert_eq!(desk.ok(json!({"call": "take-back"}))["num_actions"], 0);
}

#[test]
fn a_game_can_be_given_up_and_is_counted() {
    let mut desk = Asked::new();
    desk.ok(json!({"call": "sit", "family": "pig", "seed": 1}));
    let table = desk.ok(json!({"call": "resign"}));
    assert_eq!(table["ending"]["result"], "given-up");
    assert_eq!(table["score"]["losses"], 1);
    assert!(desk.error(json!({"call": "act", "typed": "roll"})).contains("over"));
    assert!(desk.error(json!({"call": "resign"})).contains("over"));
    let table = desk.ok(json!({"call": "next"}));
    // The seats alternate.
    assert_eq!((&table["seat"], &table["turn"]), (&json!("second"), &json!("strategy")));
    desk.ok(json!({"call": "resign"}));
    let score = &desk.ok(json!({"call": "table"}))["score"];
    assert_eq!((score["losses"].as_u64(), score["score"].as_f64()), (Some(2), Some(0.0)));
    assert!(score["interval"][1].as_f64().expect("two games have an interval") > 0.5);
    desk.ok(json!({"call": "sit", "family": "kuhn_poker.kif", "seed": 1}));
    assert_eq!(desk.ok(json!({"call": "resign"}))["score"]["payoff"], "-2.00 chips");
}

#[test]
fn two_strategies_can_be_watched() {
    let mut desk = Asked::new();
    let mut table = desk.ok(json!({
        "call": "sit", "family": "rts-script", "rules": {"cap": 400}, "seed": 1,
        "player": {"name": "worker-rush"}, "opponent": {"name": "light-rush"},
    }));
    assert_eq!((&table["is_watched"], &table["turn"]), (&json!(true), &json!("strategy")));
    assert!(table["whole"]["parts"][0]["rows"].is_array());
    table = desk.ok(json!({"call": "go", "steps": 1}));
    assert_eq!(table["num_actions"], 1);
    assert!(desk.error(json!({"call": "act", "typed": "-"})).contains("not your turn"));
    assert!(desk.error(json!({"call": "resign"})).contains("no person plays"));
    while table["turn"] == "strategy" {
        table = desk.ok(json!({"call": "go", "steps": 100}));
    }
    assert!(table["ending"]["words"].is_string(), "{table}");
}

/// A strategy from a file plays under its own rules. A saved transcript can be opened again.
#[test]
fn files_are_opened() {
    let mut desk = Asked::new();
    let text = "family: war\nrules: {max-turns: 300}\nparameters: {C: 9, B: -9, others: 0}\n";
    let opened = desk.ok(json!({"call": "open", "name": "mine.yaml", "text": text}));
    assert_eq!((&opened["kind"], &opened["label"]), (&json!("strategy"), &json!("mine")));
    assert!(opened["words"].as_str().expect("words").contains("reverse order"), "{opened}");
    let file = opened["file"].clone();
    // Opening the file again replaces the first strategy.
    assert_eq!(desk.ok(json!({"call": "open", "name": "mine.yaml", "text": text}))["file"], file);
    let family = desk.ok(json!({"call": "family", "name": "war"}));
    assert_eq!(family["files"], json!([file]));
    let sit = json!({"call": "sit", "family": "war", "opponent": {"file": file}, "seat": "first", "seed": 2});
    let table = desk.ok(sit);
    desk.play_by_hints(table);
    let yaml = desk.ok(json!({"call": "transcript"}))["yaml"].clone();
    assert!(yaml.as_str().expect("a text").contains("max-turns: 300"), "{yaml}");
    let again = desk.ok(json!({"call": "open", "name": "games.yaml", "text": yaml}));
    assert_eq!(again["kind"], "games");
    let mut table = again["table"].clone();
    let mut num_steps = 0;
    while table["turn"] == "strategy" {
        table = desk.ok(json!({"call": "go", "steps": 1}));
        num_steps += 1;
    }
    assert!(num_steps > 10 && table["ending"].is_object(), "{num_steps} {table}");
    assert_eq!(desk.ok(json!({"call": "transcript"}))["yaml"], yaml);
    // Rule files and maps can be opened, too.
    let rules = ruse_gdl::rule_file("tic_tac_toe").expect("it is there").text;
    let opened = desk.ok(json!({"call": "open", "name": "mine.kif", "text": rules}));
    assert_eq!(opened["family"], "mine.kif");
    let table = desk.ok(json!({"call": "sit", "family": "mine.kif", "seed": 1, "seat": "first"}));
    assert_eq!(desk.play_by_hints(table)["family"], "mine.kif");
}

/// The answer to every invalid input is a sentence.
#[test]
fn bad_input_gives_a_sentence() {
    let mut desk = Asked::new();
    let against =
        |opponent: Value| json!({"call": "sit", "family": "war", "seed": 1, "opponent": opponent});
    let open = |name: &str, text: &str| json!({"call": "open", "name": name, "text": text});
    for (question, expected) in [
        (json!({"call": "table"}), "there is no game yet"),
        (json!({"call": "dance"}), "unknown variant `dance`"),
        (json!({"call": "family", "name": "wra"}), "war"),
        (json!({"call": "family", "name": "none.kif"}), "no such file"),
        (json!({"call": "sit", "family": "war", "seed": -1}), "invalid value"),
        (json!({"call": "sit", "family": "war", "seed": 1, "more": 2}), "unknown field `more`"),
        (json!({"call": "sit", "family": "war", "seed": 1, "rules": {"ranks": 0}}), "ranks"),
        (against(json!({"name": "descendign"})), "descending"),
        (against(json!({"name": "uct@50ms"})), "by the clock"),
        (against(json!({"file": 9})), "no strategy number 9"),
        (open("a.png", "x"), "not a file of ours"),
        (open("a.yaml", "x"), "a.yaml"),
        (open("a.yaml", "family: war\nversion: 9\nparameters: [1, 2, 3]\n"), "version"),
        (open("a.yaml", "family: war\nparameters: [1, .nan, 3]\n"), "a.yaml:2"),
        (open("a.yaml", "family: chess\nparameters: [1]\n"), "chess"),
        (open("a.yaml", "family: pig\nseed: 1\nopponent: optimal\ngames: []\n"), "no game"),
        (open("a.kif", "(role x"), "a.kif:1:1"),
        (open("a.txt", "no map"), "a.txt"),
        (open("a.xml", "no map"), "a.xml"),
        (open("big.yaml", &"x".repeat(3 << 20)), "more than"),
        (open("deep.yaml", &"[".repeat(100_000)), "deep.yaml"),
        (open("deep.kif", &"(".repeat(100_000)), "deep.kif"),
    ] {
        let problem = desk.error(question.clone());
        assert!(problem.contains(expected), "{question}: {problem}");
        assert!(problem.len() < 2_000, "{problem}");
    }
    for text in ["", "null", "{", "[]", "{\"call\": 1}", "\u{0}"] {
        let answer = desk.0.answer(text);
        assert!(answer.starts_with("{\"error\":\"the question is not understood"), "{answer}");
    }
    desk.ok(json!({"call": "sit", "family": "nim", "seat": "first", "seed": 1}));
    assert!(desk.error(json!({"call": "act", "typed": "9 9"})).contains("heap"));
    assert!(desk.error(json!({"call": "act", "typed": "<b>"})).contains("<b>"));
}

/// A thousand games can be played at one table. Messages are sent only once, so their list stays short.
#[test]
fn a_thousand_games_are_one_transcript() {
    let mut desk = Asked::new();
    desk.ok(json!({"call": "sit", "family": "pig", "rules": {"goal": 10}, "seed": 1}));
    for game in 1..=1_000 {
        let table = desk.ok(json!({"call": "table"}));
        assert_eq!(table["game"], game);
        let table = desk.play_by_hints(table);
        assert!(table["told"].as_array().expect("a list").len() <= 200);
        desk.ok(json!({"call": "next"}));
    }
    let score = desk.ok(json!({"call": "table"}))["score"].clone();
    let count = |key: &str| score[key].as_u64().expect("a number");
    assert_eq!(count("wins") + count("draws") + count("losses"), 1_000);
}

/// The functions of the WebAssembly interface give the same answer as [`Desk::answer`].
#[test]
#[allow(
    unsafe_code,
    reason = "a caller writes a question to where there is room, and reads the answer"
)]
fn texts_come_in_and_out() {
    let question = r#"{"call":"families"}"#;
    let room = ruse_page::abi::ruse_room(question.len());
    // SAFETY: the buffer has room for this number of bytes, and is not used elsewhere before the call.
    let answer = unsafe {
        std::ptr::copy_nonoverlapping(question.as_ptr(), room, question.len());
        let length = ruse_page::abi::ruse_call();
        assert_eq!(length, ruse_page::abi::ruse_answer_bytes());
        std::slice::from_raw_parts(ruse_page::abi::ruse_answer(), length)
    };
    assert_eq!(answer, Desk::new().answer(question).as_bytes());
}

/// Every family with a format for descriptions advises a person on a described game. Error messages explain the format.
#[test]
fn a_person_is_advised_on_what_they_tell() {
    let mut desk = Asked::new();
    let families = desk.ok(json!({"call": "families"}));
    let mut num_told = 0;
    for name in families.as_array().expect("a list").iter().map(|line| &line["name"]) {
        if name.as_str().is_some_and(|name| name.ends_with(".kif")) {
            continue;
        }
        let family = desk.ok(json!({"call": "family", "name": name}));
        let advise = |saw: &Value| json!({"call": "advise", "family": name, "strategy": {"name": family["usual"]}, "saw": saw});
        if family["grammar"].is_null() {
            let problem = desk.error(advise(&json!("")));
            assert!(problem.contains("cannot be told from one side"), "{name}: {problem}");
            continue;
        }
        let told = desk.ok(advise(&family["grammar"]["example"]));
        assert!(told["view"].as_str().is_some_and(|view| !view.is_empty()), "{name}");
        assert!(told["decision"]["chosen"][0]["typed"].is_string(), "{name}: {told}");
        assert_eq!(told["values"].is_null(), told["missing"].is_string(), "{name}: {told}");
        let map = told["beliefs"]["probabilities"].as_object();
        let has_map = name == "battleship" || name == "phantom-tic-tac-toe";
        assert_eq!(map.is_some_and(|map| !map.is_empty()), has_map, "{name}: {told}");
        let problem = desk.error(advise(&json!("#")));
        assert!(problem.contains("Tell "), "{name}: {problem}");
        num_told += 1;
    }
    assert!(num_told >= 9, "only {num_told} games can be told");
}

/// A decision of the person is compared with the best one: exactly in Nim, and by the map in Battleship. The placement
/// of the fleet is not compared.
#[test]
fn decisions_are_judged_after_a_game() {
    let mut desk = Asked::new();
    let rules = json!({"heap-3": 0, "heap-4": 0, "misere": 0});
    desk.ok(json!({"call": "sit", "family": "nim", "rules": rules, "seat": "first", "seed": 1}));
    let table = desk.ok(json!({"call": "table"}));
    assert_eq!(table["turn"], "person");
    // The heaps have 1 and 3 matches, and the player who takes the last match wins. Taking two leaves equal heaps;
    // taking three leaves the last match to the opponent.
    desk.ok(json!({"call": "act", "typed": "2 3"}));
    let answer = desk.ok(json!({"call": "review", "decision": 0, "times": 10}));
    assert_eq!(answer["num_decisions"], 1);
    let judged = &answer["judged"];
    assert_eq!((&judged["typed"], &judged["best"]), (&json!("2 3"), &json!("2 2")), "{judged}");
    assert_eq!((&judged["lost"], &judged["is_clear"]), (&json!(1.0), &json!(true)), "{judged}");
    assert!(desk.ok(json!({"call": "review", "decision": 1, "times": 10}))["judged"].is_null());

    desk.ok(json!({"call": "sit", "family": "battleship", "seat": "first", "seed": 3}));
    desk.ok(json!({"call": "random"}));
    desk.ok(json!({"call": "go", "steps": 10}));
    let beliefs = desk.ok(json!({"call": "beliefs"}));
    desk.ok(json!({"call": "act", "typed": "a1"}));
    let fleet = desk.ok(json!({"call": "review", "decision": 0, "times": 1}));
    assert!(fleet["judged"].is_null(), "{fleet}");
    let judged = &desk.ok(json!({"call": "review", "decision": 1, "times": 1}))["judged"];
    assert_eq!((&judged["scale"], &judged["best"]), (&json!("aim"), &json!("e5")), "{judged}");
    assert_eq!(judged["best_value"], beliefs["largest"], "{judged}");
    assert_eq!(judged["value"], beliefs["probabilities"]["a1"], "{judged}");
    let table = desk.ok(json!({"call": "table"}));
    desk.play_by_hints(table);
    let all = desk.ok(json!({"call": "review", "decision": 2, "times": 1}));
    assert!(all["num_decisions"].as_u64() > Some(20), "{all}");
}

/// Opponents are ordered from weak to strong. The default opponent is as in the terminal.
#[test]
fn opponents_have_levels() {
    let mut desk = Asked::new();
    let mut levels = |name: &str| {
        let family = desk.ok(json!({"call": "family", "name": name}));
        let levels = family["levels"].as_array().expect("a list").iter();
        let levels: Vec<_> = levels.map(|line| line["opponent"].to_string()).collect();
        (levels.join(" "), family["usual"].clone())
    };
    let (battleship, usual) = levels("battleship");
    assert_eq!(
        (battleship.as_str(), usual),
        (r#""random" "champion" "density""#, json!("density"))
    );
    let (cheat, usual) = levels("cheat");
    assert!(cheat.ends_with("\"champion\""), "{cheat}");
    assert_eq!(usual, "champion");
    let (file, _) = levels("tic_tac_toe.kif");
    assert!(file.contains("uct@200"), "{file}");
    let table = desk.ok(json!({"call": "sit", "family": "cheat", "seat": "first", "seed": 3}));
    assert_eq!(table["opponent"], "champion");
    let words = table["opponent_words"].as_str().expect("words");
    assert!(!words.is_empty() && words != "takes any legal action", "{words}");
}
