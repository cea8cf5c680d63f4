//! Tests of families defined by files: maps of the real-time strategy game.

use std::fs;
use std::path::Path;

use crate::support::{output, paths_below, printed};

const MAP: &str = "*.B...\n..W...\n......\n......\n...w..\n...b.*\n";

fn refused(arguments: &[&str], directory: &Path) -> String {
    let output = output(arguments, directory);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    let error = String::from_utf8(output.stderr).expect("text");
    // Messages are wrapped to the width of a page, so line breaks are removed.
    error.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_map_is_a_family_in_all_commands() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path();
    fs::create_dir(path.join("my maps")).expect("writable");
    let file = path.join("my maps").join("small.txt");
    fs::write(&file, MAP).expect("writable");
    let family = "rts-script:my maps/small.txt";

    assert!(printed(&["show", family], path).contains("stands for what is on the map small"));
    let result = printed(&["match", family, "worker-rush", "random", "--pairs", "5"], path);
    assert!(result.starts_with("rts-script:my maps/small.txt: worker-rush against random"));
    let comparison = ["compare", family, "war", "--methods", "naive,cma-es", "--budget", "400"];
    let few = ["--repeats", "2", "--out", "runs", "--quiet"];
    printed(&[&comparison[..], &few].concat(), path);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    for written in paths_below(&path.join("runs")) {
        let name = written.strip_prefix(path).expect("below").to_string_lossy().into_owned();
        assert!(name.chars().all(is_plain), "{name}");
    }
    let run = "runs/rts-script-small-cma-es-seed1";
    let strategy = format!("{run}/strategy.yaml");
    let strategy = strategy.as_str();
    printed(&["match", family, strategy, "baseline", "--pairs", "5"], path);
    printed(&["explain", strategy], path);
    assert!(printed(&["table", "runs"], path).contains("rts-script-small"));
    printed(&["resume", "runs"], path);
    // A strategy plays on any map. A run goes on only with its own.
    printed(&["match", "rts-script", strategy, "baseline", "--pairs", "5"], path);
    fs::write(&file, MAP.replace("*.B", "**B")).expect("writable");
    assert!(refused(&["resume", "runs"], path).contains("stands for another map than small"));
    assert!(refused(&["explain", strategy], path).contains("stands for another map than small"));
    fs::remove_file(&file).expect("there");
    let missing = refused(&["explain", strategy], path);
    assert!(missing.contains("my maps/small.txt: there is no such file"), "{missing}");
    assert!(missing.contains("from the current directory"), "{missing}");
}

#[test]
fn files_that_are_no_map_are_refused_with_the_place() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path();
    for (text, problem) in [
        ("", "the map has no cells"),
        ("B..\nb.\n", "line 2, column 3: this row ends after 2 cells, but the first one has 3"),
        ("B.x\n..b\n", "line 1, column 3: `x` stands for nothing"),
        ("B..\n...\n", "the second player has no unit"),
        (&"B".repeat(65), "line 1, column 65: the map is larger than 64 x 64 cells"),
        (&"B.b\n".repeat(65), "line 65, column 1: the map is larger than 64 x 64 cells"),
        (&"B.b\n".repeat(300_000), "it has more than 1000000 bytes"),
    ] {
        fs::write(path.join("map.txt"), text).expect("writable");
        let error = refused(&["optimise", "rts-script:map.txt"], path);
        assert!(error.starts_with(&format!("error: map.txt: {problem}")), "{error}");
    }
    fs::write(path.join("map.txt"), [b'B', 0xff, b'b']).expect("writable");
    let error = refused(&["play", "rts-naive-mcts:map.txt"], path);
    assert!(error.contains("it is not UTF-8 text, from byte 2 on"), "{error}");
    let error = refused(&["show", "rts-script:."], path);
    assert!(error.contains("it is a directory, not a regular file"), "{error}");
    let error = refused(&["show", "rts-script:"], path);
    assert!(error.contains("there is no family or strategy file `rts-script:`"), "{error}");
    let error = refused(&["list", "rts-script:map.txt"], path);
    assert!(error.contains("it is not UTF-8 text"), "{error}");
}

/// Every map in `experiments/maps` is a game in all commands, whatever its size and its format.
#[test]
fn our_maps_are_games() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let maps = paths_below(&root.join("experiments/maps"));
    assert_eq!(maps.len(), 6);
    for map in maps {
        let name = map.file_name().expect("a name").to_string_lossy().into_owned();
        let family = format!("rts-script:experiments/maps/{name}");
        let players = ["worker-rush", "random"];
        let rules = ["--rule", "units=3", "--rule", "conflicts=random", "--rule", "cap=300"];
        let game = [&["match", &family][..], &players, &["--pairs", "2"], &rules].concat();
        assert!(printed(&game, root).contains("random, 2 pairs of games"), "{name}");
    }
    let search = "rts-naive-mcts:experiments/maps/plains-64x64.xml";
    let few = ["--pairs", "1", "--rule", "playouts=2", "--rule", "cap=20"];
    let played = printed(&[&["match", search, "naive-mcts@2", "random"][..], &few].concat(), root);
    assert!(played.contains("random, 1 pairs of games"), "{played}");
}

#[test]
fn maps_in_xml_are_refused_with_the_place() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path();
    let text = "<rts.PhysicalGameState width=\"2\" height=\"1\">\n<terrain>000</terrain>\n</rts.PhysicalGameState>\n";
    fs::write(path.join("map.xml"), text).expect("writable");
    let error = refused(&["show", "rts-script:map.xml"], path);
    let expected = "error: map.xml: line 2, column 1: the terrain has 3 digits, but a board of 2 x 1 cells needs 2; \
                    correct the terrain or the size";
    assert!(error.starts_with(expected), "{error}");
    let error = refused(&["show", "rts-naive-mcts:none.xml"], path);
    assert!(error.contains("none.xml: there is no such file"), "{error}");
}

#[test]
fn a_comparison_names_such_a_family_in_its_file() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path();
    fs::write(path.join("small.txt"), MAP).expect("writable");
    let experiment = "families:\n  - {family: 'rts-script:small.txt', name: small}\n  - rts-script:small.txt\n\
                      methods: [cma-es]\nbudget: 300\nrepeats: 1\n";
    fs::write(path.join("two.yaml"), experiment).expect("writable");
    printed(&["run", "two.yaml", "--quiet"], path);
    for run in ["small-cma-es-seed1", "rts-script-small-cma-es-seed1"] {
        assert!(path.join("runs/two").join(run).join("strategy.yaml").exists(), "{run}");
    }
    fs::write(
        path.join("two.yaml"),
        experiment.replace("- rts-script:small", "- rts-script:larger"),
    )
    .expect("writable");
    let error = refused(&["run", "two.yaml", "--out", "again"], path);
    assert!(error.contains("larger.txt: there is no such file"), "{error}");
    assert!(error.contains("two.yaml:3"), "{error}");
}
