//! Compares reports with the files in `snapshots`. `REPORTS=overwrite cargo test --lib report` writes these files; read
//! the changes before you commit them.

use std::path::Path;

use ruse_base::stop::StopReason;
use ruse_lab::fixtures::{self, estimate, exact, exploited, lower_bound, meeting, run, yardstick};
use ruse_lab::{
    CurveRecord, Measurement, MeasurementKind::Reference, Product, Records, YardstickKind,
};
use ruse_programs::{Conduct, Fault};
use serde_json::Value;

use super::*;
use crate::tests::records_of;
use crate::{Published, Report};

/// Returns records of two families of the paper, and of a user's family with an awkward name. There are three runs per
/// cell, except for a cell with one run, a cell without runs, and a cell with exact scores.
fn sample() -> Records {
    let methods = ["naive", "iterative", "approximate-coevolution", "cma-es"];
    let families = ["war", "guess-who-deterministic", "my_game|50%"];
    let mut records = records_of(&families, &methods);
    let scores =
        [[0.640, 0.668, 0.600, 0.672], [0.625, 0.588, 0.376, 0.705], [0.5, 0.985, 0.52, 0.52]];
    for (f, family) in families.into_iter().enumerate() {
        for (m, method) in methods.into_iter().enumerate() {
            for seed in 1..=3 {
                // Seeds differ by .001 for the first method, by .002 for the second, and so on.
                let score = scores[f][m] + (m + 1) as f64 * 0.001 * (seed as f64 - 2.0);
                let mut run = run(family, method, seed, score);
                match (family, method, seed) {
                    ("war", "cma-es", 2..) | ("my_game|50%", "approximate-coevolution", _) => {
                        continue;
                    }
                    ("my_game|50%", "naive", _) => run.score = exact(0.5),
                    // All runs but one of one method reach the limit on iterations.
                    ("war", "iterative", ..3) => {
                        (run.games, run.stop_reason) = (30, Some(StopReason::Iterations));
                    }
                    // The scores are in two distant groups.
                    ("guess-who-deterministic", "iterative", 2) => run.score = estimate(0.452),
                    _ => {}
                }
                records.runs.push(run);
            }
        }
    }
    for (family, scores) in [
        // The first three methods form a cycle. The last method is the best.
        ("war", [0.6, 0.3, 0.45, 0.7, 0.4, 0.42]),
        ("guess-who-deterministic", [0.8, 0.501, 0.5, 0.504, 0.499, 0.5]),
    ] {
        let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        for ((a, b), score) in pairs.into_iter().zip(scores) {
            for (seed_a, seed_b) in (0..9).map(|k| (k / 3 + 1, k % 3 + 1)) {
                let score = score + 0.002 * (seed_a as f64 - seed_b as f64);
                let (a, b) = ((methods[a], seed_a), (methods[b], seed_b));
                records.measurements.push(meeting(family, a, b, score));
            }
        }
    }
    for (m, method) in methods.into_iter().enumerate() {
        for seed in 1..=3 {
            let score = 0.7 + 0.05 * m as f64 + 0.01 * seed as f64;
            records.measurements.push(exploited("guess-who-deterministic", method, seed, score));
        }
    }
    records.measurements.push(Measurement {
        condition: Product::Mixture.name().into(),
        ..exploited("guess-who-deterministic", "cma-es", 1, 0.53125)
    });
    records.measurements.push(lower_bound("war", "naive", 1, 0.52));
    for (kind, name, score) in [
        (YardstickKind::Random, "random", estimate(0.45)),
        (YardstickKind::Zero, "all parameters 0", estimate(0.6)),
        (YardstickKind::Reference, "random", estimate(0.45)),
        (YardstickKind::Reference, "descending", estimate(0.665)),
        (YardstickKind::Optimum, "exact optimum", exact(0.75)),
    ] {
        for family in &families[..2] {
            if *family == "war" || kind == YardstickKind::Zero {
                records.measurements.push(yardstick(family, kind, name, 1, score));
            }
        }
    }
    for (method, points) in
        methods.into_iter().zip([[(0, 0.4), (600, 0.67)], [(100, 0.5), (200, 0.6)]])
    {
        for seed in 1..=2 {
            let points = points.map(|(games, score)| (games * seed, score)).into();
            let (family, method) = ("war".to_string(), method.to_string());
            records.curves.push(CurveRecord { family, method, seed, points, games: 2000 });
        }
    }
    for (method, score) in methods.into_iter().zip([0.9, 0.4, 0.55]) {
        for seed in 1..=3 {
            for (reference, score) in [("random", score), ("descending", score - 0.1)] {
                let score = score + 0.003 * seed as f64;
                records
                    .measurements
                    .push(fixtures::reference("war", method, seed, reference, score));
            }
        }
    }
    records
}

fn report(records: &Records) -> Report {
    Report::new(records, Some(&Published::cauwet_teytaud_2018())).expect("sound records")
}

fn every(report: &Report, format: Format, options: &Options) -> String {
    report.tables(options).render(format, options)
}

fn one(report: &Report, id: &str, format: Format, options: &Options) -> String {
    report.tables(options).only(&[id]).render(format, options)
}

fn compare(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/format/snapshots").join(name);
    if std::env::var("REPORTS").is_ok_and(|what| what == "overwrite") {
        std::fs::write(&path, found).expect("the snapshot can be written");
    }
    let expected = std::fs::read_to_string(&path).expect("the snapshot can be read");
    assert!(found == expected, "{name} has changed; it is now\n{found}");
}

#[test]
fn runs_that_found_nothing_are_named() {
    let note = "Runs that found nothing better than their start: naive on war (1 of 3).";
    let mut records = sample();
    let options = Options::default();
    let scores = |records: &Records| one(&report(records), "scores", Format::Markdown, &options);
    assert!(!scores(&records).contains("their start"));
    records.runs[0].is_random_start = true;
    let table = scores(&records);
    assert!(table.contains(note), "{table}");
}

#[test]
fn every_format_is_as_it_was() {
    let report = report(&sample());
    let narrow = Options { width: Some(80), ..Options::default() };
    compare("terminal.txt", &every(&report, Format::Terminal, &narrow));
    let all = Options { side_by_side: true, ranges: true, width: Some(80), ..Options::default() };
    compare("terminal-side-by-side.txt", &every(&report, Format::Terminal, &all));
    compare("report.md", &every(&report, Format::Markdown, &Options::default()));
    let side_by_side = Options { side_by_side: true, ..Options::default() };
    compare("side-by-side.md", &one(&report, "scores", Format::Markdown, &side_by_side));
    compare("report.tex", &every(&report, Format::Latex, &side_by_side));
    for part in Report::TABLES {
        let text = one(&report, part, Format::Csv, &Options::default());
        compare(&format!("{}.csv", part), &text);
    }
    compare("scores.json", &one(&report, "scores", Format::Json, &Options::default()));
}

#[test]
fn json_has_all_parts_and_csv_as_many_cells_in_every_row() {
    let report = report(&sample());
    let text = every(&report, Format::Json, &Options::default());
    let value: Value = serde_json::from_str(&text).expect("it is JSON");
    let keys: Vec<&String> = value.as_object().expect("an object").keys().collect();
    let expected = [
        "confidence",
        "scores",
        "yardsticks",
        "effort",
        "targets",
        "references",
        "seats",
        "head_to_head",
        "ranking",
        "across",
        "exploitability",
    ];
    assert_eq!(keys, expected);
    let cell = &value["head_to_head"][0]["cells"][0][1]["ours"];
    assert_eq!(
        (cell["num_meetings"].as_u64(), cell["covers"].as_str()),
        (Some(9), Some("learning_and_playing"))
    );
    // Two families with 4 x 3 cells each.
    let text = one(&report, "head-to-head", Format::Csv, &Options::default());
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    assert_eq!(reader.records().filter(Result::is_ok).count(), 24);
}

fn widest(text: &str) -> usize {
    text.lines().map(textwrap::core::display_width).max().unwrap_or(0)
}

/// Returns records of all methods on all built-in families, with invented scores.
fn benchmark() -> Records {
    let registry = ruse_registry::Registry::standard();
    let methods: Vec<_> =
        registry.general_methods().map(|method| method.name().to_string()).collect();
    let mut records = Records { methods: methods.clone(), ..Records::default() };
    for family in registry.families() {
        let family = family.name();
        records.families.push(family.into());
        for (m, method) in methods.iter().enumerate() {
            for seed in 1..=3 {
                let score = 0.5 + 0.01 * m as f64 + 0.003 * seed as f64;
                records.runs.push(run(family, method, seed, score));
            }
            for other in &methods[m + 1..] {
                records.measurements.push(meeting(family, (method, 1), (other, 1), 0.45));
            }
        }
    }
    records
}

#[test]
fn the_whole_benchmark_fits_80_columns() {
    let report = report(&benchmark());
    for all in [false, true] {
        let width = Some(80);
        let options = Options { side_by_side: all, ranges: all, width, ..Options::default() };
        let text = every(&report, Format::Terminal, &options);
        assert!(widest(&text) <= 80, "{text}");
    }
    // With unlimited width, each table is one block.
    let text = one(&report, "scores", Format::Terminal, &Options::default());
    assert_eq!(text.matches("guess-who-deterministic").count(), 1);
}

#[test]
fn unusual_records_have_reports() {
    let long = "a-very-long-name-that-somebody-gave-to-a-family-of-strategies-without-end";
    let unbroken = "x".repeat(200);
    let name = |n: usize| format!("method-{n}");
    let many = |count: usize| Records {
        families: vec![long.into(), unbroken.clone(), "new\nline\t\u{1b}[1m".into()],
        methods: (0..count).map(name).collect(),
        runs: (0..count).map(|n| run(long, &name(n), 1, 0.5)).collect(),
        measurements: (1..count)
            .map(|n| meeting(long, (&name(0), 1), (&name(n), 1), 0.4))
            .chain((0..count).map(|n| exploited(long, &name(n), 1, 0.75)))
            .collect(),
        ..Records::default()
    };
    let (only_names, no_methods) = (records_of(&["war"], &["naive"]), records_of(&["war"], &[]));
    for records in [Records::default(), only_names, no_methods, many(1), many(20)] {
        let report = report(&records);
        for format in Format::ALL {
            for width in [None, Some(1), Some(40), Some(80)] {
                for all in [false, true] {
                    let (side_by_side, ranges, long_captions) = (all, all, all);
                    let options =
                        Options { side_by_side, ranges, width, long_captions, target: None };
                    let text = every(&report, format, &options);
                    assert!(text.ends_with('\n'));
                    if format == Format::Html {
                        let page = format!("<body>{text}</body>");
                        roxmltree::Document::parse(&page).expect("balanced tags");
                    }
                    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
                    if format != Format::Csv {
                        assert!(!text.contains('\u{1b}'), "{text}");
                    }
                    if let (Format::Terminal, Some(80)) = (format, width) {
                        assert!(widest(&text) <= 80, "{text}");
                    }
                }
            }
        }
    }
}

#[test]
fn special_characters_mean_themselves() {
    let name = r"[a|b]_*<i>~#$%&{\}^`";
    let runs = vec![run(name, "naive", 1, 0.5)];
    let report = report(&Records { runs, ..records_of(&[name], &["naive"]) });
    let row_of = |format| {
        let text = one(&report, "scores", format, &Options::default());
        text.lines()
            .find(|line| line.contains(".500") || line.contains(",0.5,"))
            .expect("there is a run")
            .to_string()
    };
    assert_eq!(row_of(Format::Markdown), r"| \[a\|b]\_\*\<i>\~#$%&{\\}^\` | **.500 ± .010** |");
    assert_eq!(
        row_of(Format::Latex),
        r"{[}a|b{]}\_{*}$<$i$>$\textasciitilde{}\#\$\%\&\{\textbackslash{}\}\textasciicircum{}\textasciigrave{} & \textbf{.500 $\pm$ .010} \\"
    );
    let row = row_of(Format::Html);
    let label = r"[a|b]_*&lt;i&gt;~#$%&amp;{\}^`";
    assert!(row.starts_with(&format!("<tr><th scope=\"row\">{label}</th>")), "{row}");
    assert!(row_of(Format::Csv).starts_with(&format!("{name},naive,1,0.5,0.49,0.51,playing,")));
}

#[test]
fn missing_measurements_are_mentioned() {
    let mut bare = sample();
    bare.measurements.retain(|row| row.yardstick().is_none() && row.kind != Reference);
    let text = |part, format| one(&report(&bare), part, format, &Options::default());
    for part in ["scores", "yardsticks", "references"] {
        for format in [Format::Terminal, Format::Markdown, Format::Html, Format::Latex] {
            let text = text(part, format);
            assert!(text.contains("ruse table DIR --measure"), "{text}");
        }
    }
}

/// Returns a table with the scores of two players at two budgets. One score is unknown, and one row is only for people.
fn small() -> Table {
    let items =
        [("a", 10, Some(0.25)), ("a", 2000, Some(0.5)), ("b", 10, None), ("b", 2000, Some(1.0))];
    let grid = Grid::of(&items)
        .key("player", |item| item.0)
        .across(2, None, |item| item.1.to_string())
        .figure(|item| Some(Text::plain(score(item.2?, 2))))
        .data("budget", |item| item.1 as u64)
        .data("score", |item| item.2)
        .data("won", |item| Some(item.2? > 0.5))
        .data_if(|item| item.2.is_some());
    let mut table = Table::new("by-budget", "T", grid);
    table.add_for_people(2, "paper", vec![Text::plain(".3"), Text::plain("")]);
    table
}

#[test]
fn rows_for_programs_are_cells_for_people() {
    let on_request = Table { shown: Visibility::OnRequest, ..small() };
    let tables = Tables::new(serde_json::json!({ "family": "war" }), vec![small(), on_request]);
    let render = |format| tables.render(format, &Options::default());
    assert_eq!(
        render(Format::Markdown),
        "## T\n\n| player | 10 | 2000 |\n| --- | ---: | ---: |\n| a | .25 | .50 |\n| paper | .3 |  |\n\
         | b | - | 1.00 |\n\n"
    );
    assert_eq!(
        render(Format::Csv),
        "player,budget,score,won\na,10,0.25,0\na,2000,0.5,0\nb,2000,1,1\n"
    );
    let row = |player: &str, budget: u64, score: f64, won: bool| serde_json::json!({ "player": player, "budget": budget, "score": score, "won": won });
    let rows = [row("a", 10, 0.25, false), row("a", 2000, 0.5, false), row("b", 2000, 1.0, true)];
    let one = Tables { tables: vec![small()], ..tables };
    assert_eq!(one.to_json(), serde_json::json!({ "family": "war", "by_budget": rows }));
}

#[test]
fn tables_have_names_and_families() {
    let report = report(&sample());
    let tables = report.tables(&Options::default());
    assert_eq!(tables.all_ids(), Report::TABLES);
    let titles = |tables: Tables| tables.tables.into_iter().map(|table| table.title);
    let of_war: Vec<String> = titles(tables.only(&["head-to-head"]).of_family("war")).collect();
    assert_eq!(of_war, ["war: head to head"]);
    // Scores of reference players are shown below the scores of the methods. Their own table is shown only on request.
    let is_request = |table: &Table| table.shown == Visibility::OnRequest;
    let on_request = tables.tables.iter().filter(|table| is_request(table));
    assert!(
        on_request.clone().count() > 0
            && on_request.clone().all(|table| ["yardsticks", "seats"].contains(&table.id))
    );
    assert!(!tables.only(&["yardsticks"]).tables.iter().any(is_request));
}

/// The mistakes stand below the first table and in JSON, and nothing changes without mistakes.
#[test]
fn mistakes_of_programs_are_notes_on_the_first_table() {
    let tables = report(&sample()).tables(&Options::default());
    let good = Conduct { command: "./good".into(), games: 9, ..Conduct::default() };
    assert_eq!(tables.clone().with_mistakes(std::slice::from_ref(&good)), tables);
    let late = Conduct {
        command: "./late".into(),
        forfeits: [(Fault::Late, 2)].into(),
        ..Conduct::default()
    };
    let noted = tables.clone().with_mistakes(&[good, late]);
    let line = "2 games lost by mistakes of `./late`: 2 too late.";
    assert_eq!(noted.tables[0].notes.last().map(String::as_str), Some(line));
    assert_eq!(noted.tables[1..], tables.tables[1..]);
    let json = noted.to_json();
    assert_eq!(json["mistakes"].as_array().map(Vec::len), Some(1), "{json}");
    assert_eq!(json["mistakes"][0]["lost"]["late"], 2);
}
