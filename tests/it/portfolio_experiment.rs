//! Tests of experiments with random seeds. The bytes of the results depend neither on the number of threads nor on
//! kills. Results have tables and figures.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::support::{Home, files, output, printed, refuses, results_in_all_ways, said};

const EXPERIMENT: &str = "\
portfolios:
- {family: phantom-four, random: [4, 8]}
- {family: pig, name: dice, random: [3], held-out: 2, pairs: 20}
bandits: [ucbt, exp3]
games: 32
runs: 20
pools: 2
outputs: [md, csv, tex, json, svg, html]
";

#[test]
fn results_do_not_depend_on_threads_or_kills() {
    let path = &*Home::new();
    let results = results_in_all_ways(EXPERIMENT, path, Duration::from_millis(40), files);
    for name in "experiment.yaml dice-3/game.csv dice-3.2/game.csv phantom-four-8.2/finished.yaml table-game.md \
                 phantom-four-8/finished.yaml table-generalisation.tex table-learning.csv bandits-dice-3.svg report.html \
                 learning-phantom-four-4.svg generalisation-phantom-four-8.svg exploitation-phantom-four-8.svg"
        .split(' ')
    {
        assert!(results.contains_key(Path::new(name)), "{name} in {:?}", results.keys());
    }
    // A table in another format is made, and figures are drawn again, for which no games are played.
    let table = output("table killed --format md --only game", path);
    assert_eq!(table.stdout, results[Path::new("table-game.md")]);
    printed("plot killed", path);
    assert_eq!(files(&path.join("killed")), results);
    // The figures of one pool can be drawn, too.
    printed("plot killed/dice-3 --out figures", path);
    let alone = fs::read_to_string(path.join("figures/bandits-dice-3.svg")).expect("drawn");
    let together = fs::read_to_string(path.join("1/bandits-dice-3.svg")).expect("drawn");
    assert_eq!(alone, together);
    // Finished pools are not studied again.
    assert_eq!(said(&output("resume killed", path)), "the experiment is finished\n");
}

/// Returns the numbers in the row of `quantity` in `game.csv`: the value for the first seat with its bounds, and then
/// the value for the second seat with its bounds.
fn figures(path: &Path, quantity: &str) -> Vec<f64> {
    let text = fs::read_to_string(path.join("game.csv")).expect("there");
    let row = text.lines().find(|line| line.starts_with(quantity)).expect("a row");
    row.split(',').skip(1).map(|number| number.parse().expect("a number")).collect()
}

/// The files of the first pool are the same whether the experiment has one pool or several. Tables contain the mean and
/// the standard deviation over pools; for two pools, the standard deviation is the difference of the two values divided
/// by the square root of two.
#[test]
fn tables_are_over_pools() {
    let path = &*Home::new();
    let two = EXPERIMENT.replace("- {family: phantom-four, random: [4, 8]}\n", "");
    for (name, text) in [("one", two.replace("pools: 2\n", "")), ("two", two)] {
        fs::write(path.join(format!("{name}.yaml")), text).expect("writable");
        printed(&["run", &format!("{name}.yaml"), "--out", name], path);
    }
    // The list of finished files names the experiment.
    let tables = |name: &str| {
        let mut tables = files(&path.join(name));
        tables.remove(Path::new("finished.yaml")).expect("there");
        tables
    };
    assert_eq!(tables("one/dice-3"), tables("two/dice-3"));
    assert_ne!(files(&path.join("one/dice-3")), files(&path.join("two/dice-3.2")));
    let table = |name: &str| fs::read_to_string(path.join(name)).expect("there");
    assert!(!table("one/experiment.yaml").contains("pools"));
    assert!(table("one/table-game.md").contains("another pool of the same size may differ"));
    assert!(table("two/table-game.md").contains("standard deviation between pools"));

    let [first, second] = ["dice-3", "dice-3.2"]
        .map(|name| figures(&path.join("two").join(name), "uniform-exploitability")[0]);
    assert!(first != second, "dice differ");
    let csv = table("two/table-game.csv");
    let row = "dice-3,uniform-exploitability,first,";
    let row = csv.lines().rfind(|line| line.starts_with(row)).expect("a row over pools");
    let found: Vec<f64> = row.split(',').skip(3).map(|n| n.parse().expect("a number")).collect();
    let [mean, low, high, pools, deviation] = found[..] else { panic!("{row}") };
    assert_eq!(pools, 2.0);
    assert!((mean - (first + second) / 2.0).abs() < 1e-12, "{row}");
    assert!((deviation - (first - second).abs() / 2.0_f64.sqrt()).abs() < 1e-12, "{row}");
    // Student's quantile with one degree of freedom is 12.7062.
    let margin = 12.7062 * deviation / 2.0_f64.sqrt();
    assert!((high - mean - margin).abs() < 1e-12 && (mean - low - margin).abs() < 1e-12, "{row}");
    let json: serde_json::Value =
        serde_json::from_str(&table("two/table-game.json")).expect("JSON");
    let over = &json["over_pools"]["dice-3"]["game"]["uniform-exploitability"]["first"];
    assert_eq!(
        (over["figure"].as_f64(), over["deviation"].as_f64()),
        (Some(mean), Some(deviation))
    );
    assert_eq!(json["game"]["dice-3.2"]["uniform-exploitability"]["first"]["figure"], second);
}

#[test]
fn existing_results_are_checked() {
    let short = EXPERIMENT.replace("- {family: phantom-four, random: [4, 8]}\n", "");
    let path = &*Home::with("e.yaml", short);
    printed("run e.yaml --out x", path);
    printed("run e.yaml --dry-run --out nothing", path);
    assert!(!path.join("nothing").exists());
    refuses("table x --only ranking", path, "this experiment has no table `ranking`");

    let game = path.join("x/dice-3/game.csv");
    let text = fs::read_to_string(&game).expect("there").replace("value,0", "value,1");
    fs::write(&game, text).expect("writable");
    for command in ["resume", "table", "plot"] {
        refuses(&[command, "x"], path, "game.csv was changed after it was written");
    }
}
