//! Tests of families defined by files: maps of the real-time strategy game.

use std::fs;
use std::path::Path;

use crate::support::{Home, output, paths_below, printed, prints, refused, refuses};

const MAP: &str = "*.B...\n..W...\n......\n......\n...w..\n...b.*\n";

#[test]
fn a_map_is_a_family_in_all_commands() {
    let path = &*Home::new();
    fs::create_dir(path.join("my maps")).expect("writable");
    let file = path.join("my maps").join("small.txt");
    fs::write(&file, MAP).expect("writable");
    let family = "rts-script:my maps/small.txt";

    prints(&["show", family], path, "stands for what is on the map small");
    let result = printed(&["match", family, "worker-rush", "random", "--pairs", "5"], path);
    assert!(result.starts_with("rts-script:my maps/small.txt: worker-rush against random"));
    let experiment = format!(
        "families: ['{family}', war]\nmethods: [naive, cma-es]\nbudget: 400\nrepeats: 2\nhalf-width: 0.2\n\
         evaluation-pairs: 20\nmonitor-pairs: 5\n"
    );
    fs::write(path.join("e.yaml"), experiment).expect("writable");
    printed("run e.yaml --out runs --quiet", path);
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
    prints("table runs", path, "rts-script-small");
    printed("resume runs", path);
    // A strategy plays on any map. A run goes on only with its own.
    printed(&["match", "rts-script", strategy, "baseline", "--pairs", "5"], path);
    fs::write(&file, MAP.replace("*.B", "**B")).expect("writable");
    refuses("resume runs", path, "stands for another map than small");
    refuses(&["explain", strategy], path, "stands for another map than small");
    fs::remove_file(&file).expect("there");
    let missing = refused(&["explain", strategy], path);
    assert!(missing.contains("my maps/small.txt: there is no such file"), "{missing}");
    assert!(missing.contains("from the current directory"), "{missing}");
}

#[test]
fn invalid_maps_are_refused_with_the_place() {
    let path = &*Home::new();
    for (text, problem) in [
        ("B..\nb.\n", "line 2, column 3: this row ends after 2 cells, but the first one has 3"),
        (&"B.b\n".repeat(300_000), "it has more than 1000000 bytes"),
    ] {
        fs::write(path.join("map.txt"), text).expect("writable");
        let error = refused("optimise rts-script:map.txt", path);
        assert!(error.starts_with(&format!("error: map.txt: {problem}")), "{error}");
    }
    fs::write(path.join("map.txt"), [b'B', 0xff, b'b']).expect("writable");
    refuses("play rts-naive-mcts:map.txt", path, "it is not UTF-8 text from here on");
    refuses("show rts-script:.", path, "it is a directory, not a regular file");
    refuses("show rts-script:", path, "there is no family or strategy file `rts-script:`");
    refuses("list rts-script:map.txt", path, "it is not UTF-8 text");
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
        let game = [&["match", &family][..], &players, &["--pairs", "1"], &rules].concat();
        assert!(printed(&game, root).contains("random, 1 pair of games"), "{name}");
    }
    let search = "rts-naive-mcts:experiments/maps/plains-64x64.xml";
    let few = ["--pairs", "1", "--rule", "playouts=2", "--rule", "cap=20"];
    prints(
        &[&["match", search, "naive-mcts@2", "random"][..], &few].concat(),
        root,
        "random, 1 pair of games",
    );
}

#[test]
fn maps_in_xml_are_refused_with_the_place() {
    let text = "<rts.PhysicalGameState width=\"2\" height=\"1\">\n<terrain>000</terrain>\n</rts.PhysicalGameState>\n";
    let path = &*Home::with("map.xml", text);
    let error = refused("show rts-script:map.xml", path);
    let expected = "error: map.xml: line 2, column 1: the terrain has 3 digits, but a board of 2 x 1 cells needs 2; \
                    correct the terrain or the size";
    assert!(error.starts_with(expected), "{error}");
    refuses("show rts-naive-mcts:none.xml", path, "none.xml: there is no such file");
}

#[test]
fn a_comparison_names_such_a_family_in_its_file() {
    let path = &*Home::with("small.txt", MAP);
    let experiment = "families:\n  - {family: 'rts-script:small.txt', name: small}\n  - rts-script:small.txt\n\
                      methods: [cma-es]\nbudget: 300\nrepeats: 1\nevaluation-pairs: 20\nmonitor-pairs: 5\n";
    fs::write(path.join("two.yaml"), experiment).expect("writable");
    printed("run two.yaml --quiet", path);
    for run in ["small-cma-es-seed1", "rts-script-small-cma-es-seed1"] {
        assert!(path.join("runs/two").join(run).join("strategy.yaml").exists(), "{run}");
    }
    fs::write(
        path.join("two.yaml"),
        experiment.replace("- rts-script:small", "- rts-script:larger"),
    )
    .expect("writable");
    let error = refused("run two.yaml --out again", path);
    assert!(error.contains("larger.txt: there is no such file"), "{error}");
    assert!(error.contains("two.yaml:3"), "{error}");
}

/// The commands that read a file of a user, `FILE`.
const DOORS: &str = "\
    show FILE; solve FILE; exploit FILE random; exploit nim FILE; portfolio FILE random; \
    match FILE random random; match nim FILE random; match nim random FILE; watch FILE random random; \
    tournament nim FILE random; power nim FILE random; evaluate FILE --stdin; explain FILE; plot FILE; \
    page FILE --out page.html; play FILE; replay FILE; advise FILE; export FILE --efg; bench FILE; \
    bandit FILE; run FILE; run FILE --dry-run; plan FILE; compare FILE; optimise FILE; \
    optimise nim --start FILE; optimise nim --baseline FILE; optimise nim --score-against FILE; \
    match rts-script:FILE random random";

/// Checks that the file is refused at every `step`-th door with a message that contains `problem`.
fn refused_everywhere(path: &Path, file: &str, problem: &str, step: usize) {
    for door in DOORS.split("; ").step_by(step) {
        // Maps are XML, and `plot` draws tables of decisions.
        let is_map = door.contains("rts-script:") && file.ends_with(".xml");
        if is_map || (door.starts_with("plot") && file.ends_with(".csv")) {
            continue;
        }
        let command: Vec<String> = door.split(' ').map(|word| word.replace("FILE", file)).collect();
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let error = refused(&command, path);
        assert!(error.contains(problem), "{command:?}: {error}");
    }
}

#[test]
fn files_of_other_programs_are_named_at_every_door() {
    let path = &*Home::new();
    for (file, text, name) in [
        ("game.pgn", "\u{feff}[Event \"x\"]\r\n\r\n1. e4 *\r\n", "it is a record of chess games"),
        ("pay.csv", "a,b\n1,0\n", "it is a table"),
        ("map.xml", "<?xml version=\"1.0\"?>\n", "it is an XML file"),
        ("player.py", "print()\n", "it is a program"),
    ] {
        fs::write(path.join(file), text).expect("writable");
        // All files go through the same doors.
        refused_everywhere(path, file, name, if file == "game.pgn" { 1 } else { 6 });
    }
    let rule = ["match", "rts-script", "random", "random", "--rule", "map=map.xml"];
    refuses(&rule, path, "as in `rts-script:FILE.xml`");
}

/// The readers of files, each with a valid file and a command that reads it.
fn readers() -> [(&'static str, &'static str, &'static [&'static str]); 6] {
    let (strategy, map) = ("# a\nfamily: pig\n# b\nparameters: [2]\n", MAP);
    let experiment = "family: pig # a\nbudget: 200\n";
    let games = "family: pig\nopponent: optimal\nseed: 1\ngames: []\n";
    let rules = "; a\n(role a) (role b)\n; b\n(legal a m) (legal b m)\n(init s)\n(<= terminal (not (true s)))\n\
                 (goal a 50) (goal b 50)\n";
    let problems = "positions:\n  short:\n    start: rts:8x8-1\n    horizon: 20\n";
    [
        ("strategy.yaml", strategy, &["show", "strategy.yaml"]),
        ("experiment.yaml", experiment, &["run", "experiment.yaml", "--dry-run"]),
        ("games.yaml", games, &["replay", "games.yaml"]),
        ("game.kif", rules, &["show", "game.kif"]),
        ("map.txt", map, &["show", "rts-script:map.txt"]),
        (
            "problems.yaml",
            problems,
            &["bandit", "problems.yaml", "--budget", "5", "--repeats", "1"],
        ),
    ]
}

#[test]
fn text_means_the_same_in_every_encoding_or_is_refused() {
    let path = &*Home::new();
    for (file, text, command) in readers() {
        let shown = |bytes: &[u8]| {
            fs::write(path.join(file), bytes).expect("writable");
            let found = output(command, path);
            // The speed of a dry run varies.
            let page = if command.contains(&"--dry-run") { Vec::new() } else { found.stdout };
            (found.status.code(), String::from_utf8_lossy(&page).into_owned())
        };
        let plain = shown(text.as_bytes());
        assert_eq!(plain.0, Some(0), "{file}: {plain:?}");
        for same in [
            format!("\u{feff}{text}"),
            text.replace('\n', "\r\n"),
            text.replace('\n', "\r"),
            format!("\u{feff}{}", text.replace('\n', "\r\n")),
        ] {
            assert_eq!(shown(same.as_bytes()), plain, "{file}: {same:?}");
        }
        let utf_16: Vec<u8> =
            format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        let invalid = [text.as_bytes(), b"# \n(\xff"].concat();
        let binary = [text.as_bytes(), b"\n\0"].concat();
        for (bytes, problem) in [(utf_16, "UTF-16"), (invalid, "line "), (binary, "line ")] {
            fs::write(path.join(file), bytes).expect("writable");
            let error = refused(command, path);
            assert!(
                error.contains(problem) || error.contains(&format!("{file}:")),
                "{file}: {error}"
            );
        }
    }
}

/// All places where a name of a user is read. None of them accepts a character that controls a terminal, turns text or
/// ends a line.
#[test]
fn names_are_visible_wherever_they_are_read() {
    let path = &*Home::new();
    let manifest = |family: &str, setting: &str, reference: &str, choice: &str| {
        let text = format!(
            "{{\"family\": \"{family}\", \"parameters\": [{{\"name\": \"{setting}\"}}, {{\"name\": \"c\", \"kind\": \"choice\", \
             \"choices\": [\"a\", \"{choice}\"]}}], \"references\": [{{\"name\": \"{reference}\"}}]}}"
        );
        fs::write(path.join("manifest.json"), text + "\n").expect("writable");
    };
    for hidden in ["\\u001b[31mx", "x\\u202ey", "x\\ny", "\\u0007"] {
        let yaml = [
            format!("family: nim\nplayers: [random, {{player: optimal, name: \"{hidden}\"}}]\n"),
            format!("family: nim\nplayers: [random, \"{hidden}\"]\n"),
            format!("families: [{{family: nim, name: \"{hidden}\"}}]\nmethods: [es, naive]\n"),
            format!("families: [nim]\nmethods: [es, {{method: naive, name: \"{hidden}\"}}]\n"),
            format!("family: \"{hidden}\"\n"),
            format!("family: nim\nmethod: \"{hidden}\"\n"),
            format!(
                "family: nim\nscore-against: {{mixture: [{{weight: 1, name: \"{hidden}\", strategy: random}}]}}\n"
            ),
            format!("portfolios: [{{family: nim, name: \"{hidden}\"}}]\n"),
        ];
        for text in yaml {
            fs::write(path.join("x.yaml"), &text).expect("writable");
            let error = refused("run x.yaml --out out", path);
            assert!(!path.join("out").exists() && !error.contains('\u{1b}'), "{text}: {error}");
        }
        for (command, text) in [
            (
                "show",
                format!(
                    "family: pig\nmixture: [{{weight: 1, name: \"{hidden}\", parameters: [1]}}]\n"
                ),
            ),
            (
                "replay",
                format!(
                    "family: pig\nplayer: \"{hidden}\"\nopponent: optimal\nseed: 1\ngames: []\n"
                ),
            ),
            ("bandit", format!("positions:\n  \"{hidden}\": {{game: rts, map: 8x8-1}}\n")),
        ] {
            fs::write(path.join("x.yaml"), &text).expect("writable");
            let error = refused(&[command, "x.yaml"], path);
            assert!(error.contains("invisible character U+"), "{text}: {error}");
        }
        for place in 0..4 {
            let mut names = ["f", "s", "r", "b"];
            names[place] = hidden;
            manifest(names[0], names[1], names[2], names[3]);
            let program = "program:sh -c \"read line; cat manifest.json\"";
            let error = refused(&["show", program], path);
            assert!(error.contains("invisible character U+"), "{names:?}: {error}");
        }
        let typed: String = serde_json::from_str(&format!("\"{hidden}\"")).expect("JSON");
        fs::write(path.join(format!("{typed}.yaml")), "family: pig\nparameters: [1]\n")
            .expect("writable");
        fs::write(path.join(format!("{typed}.kif")), "(role a)").expect("writable");
        for command in [
            &["show", &format!("{typed}.kif")][..],
            &["portfolio", &format!("{typed}.yaml"), "optimal"],
            &["tournament", "pig", &format!("{typed}.yaml"), "optimal"],
            &["run", &format!("{typed}.yaml")],
            &["optimise", "pig", "--method", &format!("./{typed}")],
        ] {
            let error = refused(command, path);
            assert!(!error.contains(&typed), "{command:?}: {error}");
        }
    }
}
