//! Tests of games from rule files. All commands of the program support these games, and invalid files of all kinds are
//! refused.

mod long_work;
mod refused;

use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{
    self, Home, files, object, paths_below, printed, prints, refused, refuses, typed,
};

/// Writes the text of a bundled file under another name.
fn write(name: &str, path: &Path) {
    let file = ruse_gdl::rule_file(name).expect("a file of the engine");
    fs::write(path, file.text).expect("writable");
}

/// Creates a temporary directory with a bundled file in `my rules`. Returns the directory and the name of the file's
/// family.
fn directory_with(name: &str) -> (Home, String) {
    let directory = Home::new();
    fs::create_dir(directory.join("my rules")).expect("writable");
    let family = format!("my rules/{name}.kif");
    write(name, &directory.join(&family));
    (directory, family)
}

/// The numbers of sequences of one, two, three and four joint moves, from the reference data. There are fewer numbers
/// if a game ends earlier, or if there are too many sequences.
const PERFT: [(&str, &[u64]); 29] = [
    ("battleship_4x4", &[256, 69_696]),
    ("breakthrough_6x6", &[16, 256, 4_308]),
    ("cant_stop_mini", &[8, 14, 28, 224]),
    ("connect_four", &[7, 49, 343, 2_401]),
    ("dark_hex_3", &[9, 81, 648, 5_112]),
    ("dark_hex_3_abrupt", &[9, 81, 648, 5_184]),
    ("dots_and_boxes_3x3", &[24, 552, 12_144]),
    ("goofspiel_4", &[4, 64, 192, 1_728]),
    ("guess_who_16", &[240, 57_120]),
    ("guess_who_8", &[56, 3_024, 69_552]),
    ("hex_5x5", &[25, 600, 13_800]),
    ("kriegspiel_tic_tac_toe", &[9, 81, 648, 5_184]),
    ("kuhn_poker", &[6, 12, 24, 12]),
    ("leduc_poker", &[30, 60, 150, 390]),
    ("liars_dice_4", &[16, 128, 576, 1_344]),
    ("liars_dice_6", &[36, 432, 2_808, 10_296]),
    ("lowest_unique", &[27]),
    ("matching_pennies", &[4, 8]),
    ("monty_hall", &[3, 9, 12, 24]),
    ("morra", &[4_356]),
    ("nim", &[16, 206, 2_116, 17_338]),
    ("orchard", &[6, 34, 186, 1_026]),
    ("pentago", &[36, 288, 10_080]),
    ("phantom_tic_tac_toe_orders", &[81, 5_184, 254_016]),
    ("phantom_tic_tac_toe_try_again", &[9, 81, 648, 5_112]),
    ("pig_20", &[1, 6, 11, 41]),
    ("reversi_6x6", &[4, 12, 56, 244, 1_364]),
    ("syntax_zoo", &[6, 28, 155, 133]),
    ("tic_tac_toe", &[9, 72, 504, 3_024]),
];

/// The network of Nim has five variables before the step and five after it: four heaps of 2, 4, 6 and 8 values, and the
/// player to move. It also has two variables for the moves, one for the end, and four for the goals.
#[test]
fn a_file_is_shown_as_a_constraint_network() {
    let path = &*Home::new();
    let shown =
        object(&["show", "nim.kif", "--network", "--games", "30", "--json"], path)["network"]
            .clone();
    assert_eq!(shown["as_encoded"]["variables"], 5 + 5 + 2 + 1 + 4);
    // There are 1 + 3 + 5 + 7 moves, and one value for no move.
    assert_eq!(shown["as_encoded"]["largest_domain"], 17);
    let of = |when: &str, what: &str| shown[when][what].as_u64().expect("a number");
    assert!(of("as_solved", "constraints") <= of("as_encoded", "constraints"));
    assert!(of("as_solved", "values") <= of("as_encoded", "values"));
    assert_eq!(shown["variables"]["next_state"], 5);
    let heap = &shown["families"][0];
    assert_eq!(
        (&heap["name"], &heap["value_positions"]),
        (&"heap".into(), &serde_json::json!([1]))
    );
    let group = &heap["groups"][1];
    assert_eq!((&group["name"], &group["may_be_none"]), (&"(heap 2 ?)".into(), &false.into()));
    assert_eq!(group["values"].as_array().map(Vec::len), Some(4));
    let shown = object(&["show", "nim.kif", "--games", "30", "--json"], path);
    assert_eq!(shown["network"], Value::Null);
    let page = printed("show nim.kif --network --games 30", path);
    assert!(page.contains(" constraint network ") && page.contains(" as solved"), "{page}");
}

/// A coin that Bob does not see decides which moves he has.
#[test]
fn roles_that_learn_from_their_legal_moves_are_named() {
    let text = include_str!("../../strategies/rules/src/tests/coin_moves.kif");
    let directory = &*Home::with("coin.kif", text);
    let shown = object(&["show", "coin.kif", "--json"], directory);
    assert_eq!(shown["learn_from_legal_moves"], serde_json::json!(["bob"]));
}

tests! {
    fn some_files_that_come_with_the_program_are_shown_and_played() = check_files(5);
    @long
    fn all_files_that_come_with_the_program_are_shown_and_played() = check_files(1);
}

/// Shows and plays every `step`-th file.
fn check_files(step: usize) {
    let path = &*Home::new();
    assert_eq!(PERFT.len(), ruse_gdl::RULE_FILES.len());
    for (name, counts) in PERFT.into_iter().step_by(step) {
        // No file has this name, so the name denotes the bundled file.
        let file = format!("{name}.kif");
        let depth = counts.len().to_string();
        let shown = object(&["show", &file, "--perft", &depth, "--games", "30", "--json"], path);
        assert_eq!(shown["perft"], serde_json::json!(counts), "{name}");
        assert_eq!(shown["games"], 30, "{name}");
        let warned = shown["warnings"].as_array().expect("a list").len();
        // The zoo has a rule with an empty body.
        assert_eq!(warned, usize::from(name == "syntax_zoo"), "{name}: {shown}");
        let roles: Vec<&str> =
            shown["roles"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        let played: Vec<&str> = roles.iter().copied().filter(|&role| role != "random").collect();
        assert_eq!(shown["parameters"], played.len(), "{name}: one for each role");
        for role in played {
            let mean = shown["random_play"][role]["mean"].as_f64().expect("a number");
            assert!((0.0..=100.0).contains(&mean), "{name}: {role} {mean}");
        }
        let shown = printed(&["show", &file], path);
        assert!(shown.starts_with(&format!("{name}.kif: ")), "{shown}");

        let result =
            object(&["match", &file, "random", "first-legal", "--pairs", "3", "--json"], path);
        assert_eq!((&result["pairs"], &result["family"]), (&3.into(), &file.as_str().into()));
        let score = result["score"].as_f64().expect("a number");
        assert!((0.0..=1.0).contains(&score), "{name}: {score}");
        let own = format!("{file}:linear-softmax");
        let again = ["match", &own, "baseline", "random", "--pairs", "3", "--json", "--seed", "5"];
        let result = printed(&again, path);
        let threads = [&again[..], &["--threads", "2"]].concat();
        assert_eq!(printed(&threads, path), result, "{name}: the same with any number of threads");
    }
    assert_eq!(paths_below(path), Vec::<std::path::PathBuf>::new(), "nothing is written");
}

#[test]
fn a_rule_file_is_a_family_in_all_commands() {
    let (path, family) = &directory_with("tic_tac_toe");
    let linear = format!("{family}:linear");

    let page = printed(&["show", family], path);
    assert!(
        page.starts_with("tic_tac_toe.kif: 2 roles (x, o); complete information; one role chooses")
    );
    let few = ["--budget", "300", "--repeats", "2", "--methods", "naive,seeds"];
    let seed = format!("{family}:seed");
    let comparison = ["compare", &seed, &linear, "--out", "runs", "--quiet"];
    printed(&[&comparison[..], &few].concat(), path);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    for written in paths_below(&path.join("runs")) {
        let name = written.strip_prefix(&**path).expect("below").to_string_lossy().into_owned();
        assert!(name.chars().all(is_plain), "{name}");
    }
    // The bytes are the same for any number of threads.
    let again = ["compare", &seed, &linear, "--out", "again", "--quiet", "--threads", "1"];
    printed(&[&again[..], &few].concat(), path);
    assert_eq!(files(&path.join("runs")), files(&path.join("again")));
    printed("resume runs", path);
    prints("table runs", path, "tic_tac_toe-linear");
    printed("plot runs --out plots", path);
    assert!(paths_below(&path.join("plots")).len() > 2);
    printed("report runs", path);
    let report = fs::read_to_string(path.join("runs/report.html")).expect("written");
    assert!(report.contains("tic_tac_toe"));

    let run = "runs/tic_tac_toe-seed-seeds-seed1";
    let strategy = format!("{run}/strategy.yaml");
    let strategy = strategy.as_str();
    let written = fs::read_to_string(path.join(strategy)).expect("written");
    assert!(written.contains("family: my rules/tic_tac_toe.kif"), "{written}");
    assert!(written.contains("text: 5480587772870075"), "{written}");
    let explained = printed(&["explain", strategy], path);
    assert!(explained.contains("Begins with (mark ") && explained.contains("as o"), "{explained}");
    printed(&["plot", strategy, "--out", "strategy.svg"], path);
    let score = object(&["match", family, strategy, "random", "--pairs", "5", "--json"], path);
    assert_eq!(score["exact"], true, "{score}");
    prints(&["exploit", family, strategy], path, "exact");
    printed(
        &["optimise", &linear, "--method", "cma-es", "--budget", "300", "--out", "own", "--quiet"],
        path,
    );
    prints(
        &["watch", family, strategy, "random", "--seed", "1", "--games", "1"],
        path,
        "step 5: x (mark ",
    );
    // A search can play the game, too.
    let searched = object(&["match", family, "uct@20", "random", "--pairs", "10", "--json"], path);
    assert!(searched["score"].as_f64().expect("a number") > 0.5, "{searched}");
}

/// The first player loses 1/18 chip in Kuhn poker, and a chip is worth 1/4 of the score.
#[test]
fn a_small_game_is_solved_by_a_strategy_that_plays() {
    let (path, family) = &directory_with("kuhn_poker");
    let arguments = ["solve", family, "--gap", "1e-5", "--out", "kuhn.yaml", "--json"];
    let solved = object(&arguments, path);
    let value = solved["value"].as_f64().expect("a number");
    assert!((value - (0.5 - 1.0 / 72.0)).abs() < 1e-5, "{solved}");
    let table = format!("{family}:table");
    let exploited = object(&["exploit", &table, "kuhn.yaml", "--json"], path);
    let [gap, found] = [&solved, &exploited].map(|of| of["exploitability"].as_f64().expect("one"));
    assert!((gap - found).abs() < 1e-12 && gap <= 1e-5, "{solved} {exploited}");
    let score = object(&["match", &table, "kuhn.yaml", "random", "--json"], path);
    assert!(score["score"].as_f64().expect("a number") > 0.5, "{score}");
    prints("explain kuhn.yaml", path, "as second after (got 3); (did first bet): bet 100%");
    refuses(&arguments, path, "kuhn.yaml");
    refuses(&["solve", family, "--gap", "0"], path, "--gap");
    // With goals from 48 to 52, the same gap is a share of .04.
    let rules = std::fs::read_to_string(path.join(family)).expect("there");
    let narrow = [("100", "52"), ("75", "51"), ("25", "49"), ("p 0)", "p 48)")];
    let narrow = narrow.iter().fold(rules, |text, (from, to)| text.replace(from, to));
    std::fs::write(path.join("narrow.kif"), narrow).expect("writable");
    let found =
        object("solve narrow.kif --gap 1e-5 --json", path)["exploitability"].as_f64().expect("one");
    assert!(found <= 4e-7, "{found}");
    prints("solve narrow.kif", path, "the scores of plays are within .0400");
    prints("solve tic_tac_toe.kif", path, "solved, exact; the first seat scores .5000");
    refuses("solve tic_tac_toe.kif --out perfect.yaml", path, "without `--out`");
    prints("solve nim", path, "The reference strategy `optimal` loses to no opponent");
    for (game, reason) in [
        ("syntax_zoo.kif", "the goals add up to"),
        ("monty_hall.kif", "1 role besides"),
        ("phantom_tic_tac_toe_try_again.kif", "too large"),
        ("war", "no reference strategy is known to be perfect"),
    ] {
        refuses(&["solve", game], path, reason);
    }
}

/// An interval is printed if a walk is too long, or if the strategy is a search without known probabilities.
#[test]
#[ignore = "long"]
fn exploitability_has_two_ends() {
    let path = &*Home::new();
    let game = "phantom_tic_tac_toe_try_again.kif";
    let bounds = |player: &str, limit: &str| {
        let exploit = ["exploit", game, player, "--budget", "200", "--restarts", "1", "--json"];
        let found = object(&[&exploit[..], &["--limit", limit]].concat(), path);
        [&found["low"], &found["high"]].map(|end| end.as_f64().expect("a number"))
    };
    let exact = object(&["exploit", game, "random", "--json"], path);
    assert_eq!(exact["kind"], "exact", "{exact}");
    let value = exact["exploitability"].as_f64().expect("a number");
    assert!((value - 0.394_365_906).abs() < 1e-9, "{exact}");
    let [low, high] = bounds("random", "information-sets=1000000");
    assert!(low <= value && value <= high, "{low} {high}");
    let [low, high] = bounds("uct@2", "information-sets=1");
    assert!(0.0 <= low && high == 0.5, "{low} {high}");
    let limit = ["exploit", game, "random", "--limit", "information-sets=0"];
    refuses(&limit, path, "expected a whole number from 1 on");
}

/// In the Monty Hall game, a candidate that switches wins with probability 2/3, and a random candidate with probability
/// 1/2.
#[test]
fn exact_values_are_printed_as_exact() {
    let (path, family) = &directory_with("monty_hall");
    prints(&["exploit", family, "random"], path, "the best response to random scores .5833, exact");
    // One seed in four always switches. The probability that no seed of 40 always switches is 1e-5.
    let arguments = ["portfolio", family, "--random", "40", "--pairs", "60", "--out", "best.yaml"];
    let arguments = [&arguments[..], &["--full"]].concat();
    prints(&arguments, path, "exact");
    let exploited = object(&["exploit", family, "best.yaml", "--json"], path);
    assert_eq!(exploited["kind"], "exact", "{exploited}");
    assert_eq!(exploited["best_response_score"], 0.5, "{exploited}");
}

#[test]
fn a_person_plays_and_replays_it() {
    let (path, family) = &directory_with("monty_hall");
    let play = ["play", family, "--against", "random", "--seed", "4", "--save", "games.yaml"];
    // A move is typed as its number, and as its text without parentheses.
    let played = typed(&play, path, "choose 3\nfly\nswicth\n2\n\nq\n");
    assert!(played.contains("step 2: you (choose 3)"), "{played}");
    assert!(played.contains("candidate switch, random noop"), "{played}");
    assert!(
        played.contains("`fly` is not understood: type a move of candidate such as stay"),
        "{played}"
    );
    assert!(played.contains("a move of candidate such as switch"), "{played}");
    assert!(played.contains("goals: you "), "{played}");
    let replayed = typed(&["replay", "games.yaml"], path, "");
    assert!(replayed.contains("candidate (choose 3), random noop"), "{replayed}");
    // A file with changed rules is another game.
    let text = fs::read_to_string(path.join(family)).expect("there");
    fs::write(path.join(family), text.replace("candidate 100", "candidate 90")).expect("writable");
    refuses("replay games.yaml", path, "the rule `text` is 1486046883601478, and stands for");
}

/// If a typed number is both a move and a position in the menu, it stands for the move.
#[test]
fn a_move_may_be_a_number() {
    const RULES: &str = "(role you) (role they)\n\
        (number 2) (number 3) (number 5)\n\
        (<= (legal ?role ?n) (role ?role) (number ?n))\n\
        (<= (next (did ?role ?n)) (does ?role ?n))\n\
        (<= terminal (true (did you ?n)))\n\
        (<= (goal you 100) (true (did you 5)))\n\
        (<= (goal you 0) (not (true (did you 5))))\n\
        (<= (goal they 100) (not (true (did you 5))))\n\
        (<= (goal they 0) (true (did you 5)))\n";
    let path = &*Home::with("numbers.kif", RULES);
    for (typed_move, save) in [("2", "2.yaml"), ("3", "3.yaml")] {
        let play = ["play", "numbers.kif", "--against", "random", "--seed", "1", "--save", save];
        let played = typed(&play, path, &format!("{typed_move}\n\nq\n"));
        assert!(played.contains(&format!("you {typed_move}")), "{played}");
        let replayed = typed(&["replay", save], path, "");
        assert!(replayed.contains(&format!("you {typed_move}")), "{replayed}");
    }
}

#[test]
fn a_text_that_was_changed_is_refused_by_its_number() {
    let (path, family) = &directory_with("nim");
    let arguments =
        ["optimise", family, "--budget", "300", "--method", "seeds", "--out", "run", "--quiet"];
    printed(&arguments, path);
    let strategies = paths_below(&path.join("run"));
    let strategy = strategies.iter().find(|path| path.ends_with("strategy.yaml")).expect("one");
    let strategy = strategy.to_str().expect("text");
    let text = fs::read_to_string(path.join(family)).expect("there");
    // If a change does not affect the meaning of the file, the game is the same.
    fs::write(path.join(family), format!("; read again\n{text}")).expect("writable");
    printed("resume run", path);
    printed(&["explain", strategy], path);
    fs::write(path.join(family), text.replace("(heap 4 7)", "(heap 4 6)")).expect("writable");
    for arguments in [&["resume", "run"][..], &["explain", strategy]] {
        let error = refused(arguments, path);
        let says = "stands for other rules than those in nim.kif, which are ";
        assert!(error.contains("the rule `text` is 1455558999089808"), "{error}");
        assert!(error.contains(says), "{error}");
    }
    let error = refused(&["match", family, strategy, "random"], path);
    assert!(error.contains("for the rule text=1455558999089808, which is not in force"), "{error}");
    assert!(error.contains("tip: take the rule file as it was, or leave `rules` out"), "{error}");
    // The number that identifies the text can be given as a rule, too.
    fs::write(path.join(family), text).expect("writable");
    let with_rule = ["match", family, "random", "random", "--pairs", "2", "--rule"];
    printed(&[&with_rule[..], &["text=1455558999089808"]].concat(), path);
    refuses(&[&with_rule[..], &["text=5"]].concat(), path, "the rule `text` is 5");
    fs::remove_file(path.join(family)).expect("there");
    refuses("resume run", path, "there is no such file");
}

/// A killed and resumed run in a game with hidden moves has the same results as an uninterrupted run on one thread.
#[test]
fn a_run_that_is_killed_goes_on_with_the_same_results() {
    let (path, family) = &directory_with("leduc_poker");
    let linear = format!("{family}:linear-softmax");
    let arguments = |out, threads| {
        let arguments = ["optimise", linear.as_str(), "--budget", "20k", "--out", out];
        [&arguments[..], &["--worst-case", "0", "--threads", threads, "--quiet"]].concat()
    };
    printed(&arguments("whole", "1"), path);
    let mut child = support::ruse(&arguments("run", "2"), path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let run = "leduc_poker-linear-softmax-es-seed1";
    support::wait_for_file(&mut child, &path.join("run").join(run).join("checkpoint.yaml"));
    child.kill().expect("it is ours");
    child.wait().expect("it is ours");
    printed("resume run --quiet", path);
    for name in ["history.csv", "strategy.yaml"] {
        let [whole, resumed] =
            ["whole", "run"].map(|out| fs::read(path.join(out).join(run).join(name)));
        assert_eq!(whole.expect("written"), resumed.expect("written"), "{name}");
    }
}
