//! Tests of round robins. The bytes of the results depend neither on the number of threads nor on kills. Results have
//! tables, figures and pages.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::{Home, object, output, printed, prints, refuses, results_in_all_ways, said};

const EXPERIMENT: &str = "\
family: rts-script
players: [mc@T, {player: 'naive-mcts@T:carry=1', name: carrying}, worker-rush, random-biased]
budgets: [4, 8]
rules: [{map: melee8x8, cap: 600}, {map: 8x8-1, cap: 600}]
pairs: 3
outputs: [md, csv, tex, json, svg, html]
";

/// Returns the files that are the same on every machine.
fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = crate::support::files(directory);
    found.remove(Path::new("times.csv")).expect("times are kept");
    found
}

fn text(files: &BTreeMap<PathBuf, Vec<u8>>, name: &str) -> String {
    String::from_utf8(files[Path::new(name)].clone()).expect("text")
}

#[test]
#[ignore = "long"]
fn results_do_not_depend_on_threads_or_kills() {
    let path = &*Home::new();
    let results = results_in_all_ways(EXPERIMENT, path, Duration::from_millis(60), files);
    let names: Vec<_> = results.keys().map(|name| name.to_string_lossy()).collect();
    let mut expected = vec!["experiment.yaml", "film.json", "finished.yaml", "meetings.csv"];
    expected.extend(["report.html", "results.csv", "scores-by-budget.svg"]);
    let tables = ["meetings", "rules", "scores"].into_iter().flat_map(|table| {
        ["csv", "json", "md", "tex"].map(|format| format!("table-{table}.{format}"))
    });
    let tables: Vec<String> = tables.collect();
    expected.extend(tables.iter().map(String::as_str));
    assert_eq!(names, expected);

    // Under each of two sets of rules, two scripts meet once, and all other pairs of players meet at each of two
    // budgets: 2 * (1 + 2 * 5) meetings.
    let meetings = text(&results, "meetings.csv");
    assert_eq!(meetings.lines().count(), 1 + 22);
    assert!(
        meetings
            .lines()
            .nth(1)
            .expect("a row")
            .starts_with("map=melee8x8,,worker-rush,random-biased,3,")
    );
    let pairs =
        |line: &str| line.split(',').nth(4).expect("pairs").parse::<u64>().expect("a number");
    assert_eq!(meetings.lines().skip(1).map(pairs).sum::<u64>(), 22 * 3);
    let page = text(&results, "report.html");
    assert_eq!(page.matches("<pre style=").count(), 8, "boards of a game");

    // A finished experiment is not played again, and pairs that a killed program has left behind are removed.
    fs::write(path.join("killed/pairs.csv"), "").expect("writable");
    assert_eq!(said(&output("resume killed", path)), "the experiment is finished\n");
    assert_eq!(files(&path.join("killed")), results);

    // Tables, figures and pages are made again without playing, also from published results.
    let table = printed("table killed --format md --only scores", path);
    assert_eq!(table, text(&results, "table-scores.md"));
    prints("table killed --format csv --only time", path, "\nmap=8x8-1,8,carrying,");
    printed("publish killed --out published", path);
    for of in ["killed", "published"] {
        printed(&["plot", of], path);
        printed(&["report", of], path);
        let found = crate::support::files(&path.join(of));
        for name in ["scores-by-budget.svg", "report.html", "table-scores.md"] {
            assert_eq!(text(&found, name), text(&results, name), "{of}");
        }
    }
    for arguments in [&["table", "killed", "--measure"][..], &["report", "killed", "--ablate"]] {
        refuses(arguments, path, "a round robin has no");
    }

    // An edited result is refused.
    let changed = text(&results, "results.csv").replacen(",3,", ",2,", 1);
    fs::write(path.join("killed/results.csv"), changed).expect("writable");
    for command in ["resume", "table", "plot"] {
        refuses(&[command, "killed"], path, "results.csv was changed after it was written");
    }
}

/// If a score is known exactly, only one pair is played, and the score is not estimated.
#[test]
fn known_scores_are_exact() {
    let text = "family: nim\nplayers: [optimal, random]\npairs: 50\n";
    let path = &*Home::with("e.yaml", text);
    let found = object("run e.yaml --out x --json", path);
    let cell = &found["scores"][0]["scores"][0];
    assert_eq!(
        (found["scores"][0]["player"].as_str(), cell["exact"].as_bool()),
        (Some("optimal"), Some(true))
    );
    // `ruse match`, which is exact here, finds the same score.
    assert_eq!(cell["score"], object("match nim optimal random --json", path)["score"]);
    // The figure has no budgets on its axis, but a row for each player.
    printed("plot x --out figures", path);
    let figure = fs::read_to_string(path.join("figures/scores-by-player.svg")).expect("a figure");
    assert!(figure.contains("optimal") && figure.contains("score, draws one half"));
    assert!(path.join("x/scores-by-player.svg").exists());
    printed("run e.yaml --dry-run --out nothing", path);
    assert!(!path.join("nothing").exists());
}

#[test]
fn players_may_meet_only_some() {
    let players =
        "family: nim\nplayers: ['uct@20', 'planner@5', optimal, random]\nseed: 3\npairs: 20\n";
    let path = &*Home::with("all.yaml", players);
    fs::write(path.join("one.yaml"), format!("{players}against: [random]\n")).expect("writable");
    for name in ["all", "one"] {
        printed(&["run", &format!("{name}.yaml"), "--out", name, "--quiet"], path);
    }
    let meetings = |name: &str| {
        let text = fs::read_to_string(path.join(name).join("meetings.csv")).expect("a table");
        text.lines().map(String::from).collect::<Vec<_>>()
    };
    let (all, one) = (meetings("all"), meetings("one"));
    // After the header, there are six meetings in one table and three in the other. The meetings that both tables
    // contain have the same games.
    assert_eq!((all.len(), one.len()), (7, 4));
    let with_random: Vec<_> = all.iter().filter(|line| line.contains("random")).collect();
    assert_eq!(one[1..].iter().collect::<Vec<_>>(), with_random);
    let table = fs::read_to_string(path.join("one/table-scores.md")).expect("a table");
    assert!(table.contains("all meet random, the others not each other"), "{table}");
    // The player that all others meet is not among the compared players.
    let figure = fs::read_to_string(path.join("one/scores-by-player.svg")).expect("a figure");
    assert!(figure.contains("uct@20") && figure.matches("\nrandom\n").count() == 0, "{figure}");
}

/// Figure 1 of Cauwet & Teytaud (CEC 2018): characters, player, opponent, score. The values are from a program in Python:
/// dynamic programming over both players' characters, with questions by equation 3 of the paper in fractions, and perfect
/// play by Nica's theorem. All 1143 scores of `experiments/characters.yaml` agree with this program within 1e-15.
#[rustfmt::skip]
const BY_CHARACTERS: [(u32, &str, &str, f64); 40] = [
    (6, "ol", "optimal", 0.472222222222),
    (6, "onl", "optimal", 0.500000000000),
    (6, "best", "optimal", 0.500000000000),
    (6, "dichotomy", "optimal", 0.444444444444),
    (6, "ol", "onl", 0.472222222222),
    (6, "onl", "best", 0.500000000000),
    (6, "ol", "dichotomy", 0.527777777778),
    (6, "best", "dichotomy", 0.555555555556),
    (17, "ol", "optimal", 0.487889273356),
    (17, "onl", "optimal", 0.477508650519),
    (17, "best", "optimal", 0.470588235294),
    (17, "dichotomy", "optimal", 0.347750865052),
    (17, "ol", "onl", 0.468858131488),
    (17, "onl", "best", 0.475778546713),
    (17, "ol", "dichotomy", 0.657439446367),
    (17, "best", "dichotomy", 0.595155709343),
    (24, "ol", "optimal", 0.472222222222),
    (24, "onl", "optimal", 0.493055555556),
    (24, "best", "optimal", 0.465277777778),
    (24, "dichotomy", "optimal", 0.402777777778),
    (24, "ol", "onl", 0.465277777778),
    (24, "onl", "best", 0.479166666667),
    (24, "ol", "dichotomy", 0.569444444444),
    (24, "best", "dichotomy", 0.569444444444),
    (100, "ol", "optimal", 0.473400000000),
    (100, "onl", "optimal", 0.482600000000),
    (100, "best", "optimal", 0.453600000000),
    (100, "dichotomy", "optimal", 0.374000000000),
    (100, "ol", "onl", 0.458100000000),
    (100, "onl", "best", 0.483400000000),
    (100, "ol", "dichotomy", 0.572800000000),
    (100, "best", "dichotomy", 0.575600000000),
    (128, "ol", "optimal", 0.500000000000),
    (128, "onl", "optimal", 0.478515625000),
    (128, "best", "optimal", 0.439453125000),
    (128, "dichotomy", "optimal", 0.253906250000),
    (128, "ol", "onl", 0.460876464844),
    (128, "onl", "best", 0.477844238281),
    (128, "ol", "dichotomy", 0.746093750000),
    (128, "best", "dichotomy", 0.625000000000),
];

/// If the sets of rules differ in one number, scores are drawn by this number, with a panel for each opponent.
#[test]
fn scores_by_the_value_of_a_rule() {
    let text = "family: guess-who\nplayers: [ol, onl, best, dichotomy, optimal]\n\
                against: [optimal, onl, dichotomy]\npairs: 1\noutputs: [md, csv, svg]\n\
                rules: [{characters: 128}, {characters: 6}, {characters: 17}, {characters: 24}, {characters: 100}]\n";
    let path = &*Home::with("e.yaml", text);
    printed("run e.yaml --out x --quiet", path);
    let published = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/results/characters");
    for results in [path.join("x"), published] {
        let meetings = fs::read_to_string(results.join("meetings.csv")).expect("a table");
        for (characters, player, opponent, score) in BY_CHARACTERS {
            let begins = format!("characters={characters},,{player},{opponent},1,");
            let row = meetings.lines().find(|line| line.starts_with(&begins)).expect("a meeting");
            let cells: Vec<&str> = row.split(',').collect();
            let found: f64 = cells[8].parse().expect("a score");
            assert!((found - score).abs() < 1e-11 && cells[11] == "1", "{row}, not {score}");
        }
    }
    // There is a table for each of the three opponents, with a row for each set of rules.
    let table = fs::read_to_string(path.join("x/table-rules.md")).expect("a table");
    assert_eq!(table.matches("## guess-who: against").count(), 3, "{table}");
    let row = "| characters=6 | .4722 exact | .5000 exact | .5000 exact | .4444 exact |  |";
    assert!(table.contains(row), "{table}");
    let data = fs::read_to_string(path.join("x/table-rules.csv")).expect("a table");
    // After the header, 4 players meet each of 3 opponents under each of 5 sets of rules.
    assert_eq!(data.lines().count(), 1 + 3 * 4 * 5);
    let figure = fs::read_to_string(path.join("x/scores-by-rule.svg")).expect("a figure");
    for words in ["against optimal", "against onl", "against dichotomy", "characters"] {
        assert!(figure.contains(words), "{words}");
    }
}
