//! Tests of the figures of runs and matches. The bytes of figures do not depend on the number of threads. If there is
//! nothing to draw, a message explains why.

use std::fs;
use std::path::{Path, PathBuf};

use ruse::arena::StopSignal;
use ruse::figures::{
    Run, head_to_head, head_to_head_of_table, learning_curves, population, scores, scores_of_table,
};
use ruse::lab::{ExperimentSpec, Plan, RunDirectory};
use ruse::lab::{Records, RunRecord, fixtures::meeting};
use ruse::registry::Registry;
use ruse::report::{Published, Report, ReportError};
use ruse::score::{CONFIDENCE, Estimate};
use ruse_plots::{Checked, Drawable, Sheet, svg};

use crate::support::{Home, printed};

#[test]
fn a_match_is_drawn_from_the_pairs_that_it_plays() {
    let path = &*Home::new();
    let play = |threads: &str, file: &str| {
        let players = ["match", "war", "descending", "random", "--pairs", "3000"];
        printed(&[&players[..], &["--threads", threads, "--plot", file]].concat(), path)
    };
    let said = play("1", "one.svg");
    assert_eq!(said, play("3", "three.svg"));
    assert_eq!(said, printed("match war descending random --pairs 3000", path));
    let [one, three] =
        ["one.svg", "three.svg"].map(|name| fs::read_to_string(path.join(name)).expect("there"));
    assert_eq!(one, three);
    assert!(one.contains("3,000 pairs") && one.contains("betting race: the first is better"));
    play("2", "match.PNG");
    assert!(fs::read(path.join("match.PNG")).expect("there").starts_with(b"\x89PNG"));
}

/// Returns a directory with a run of a method over 8000 games.
fn run_of(parent: &Path, method: &str, seed: &str) -> PathBuf {
    let name = format!("{method}-{seed}");
    let comparison = if method == "seeds" { "" } else { "comparison: majority\n" };
    let experiment = format!(
        "family: batawaf\nmethod: {method}\nseed: {seed}\nbudget: 8k\nmonitor-pairs: 100\nevaluation-pairs: 1k\nworst-case: 0\n{comparison}"
    );
    fs::write(parent.join("e.yaml"), experiment).expect("writable");
    printed(&["run", "e.yaml", "--out", &name], parent);
    parent.join(name)
}

fn picture<T: Drawable>(data: T) -> String {
    let data = Checked::new(data).expect("the files of runs have good numbers");
    svg(&data, Sheet::default())
}

fn with_runs<T>(paths: &[PathBuf], then: impl FnOnce(&[Run<'_>]) -> T) -> T {
    let registry = Registry::standard();
    let open = |path: &PathBuf| RunDirectory::open(path, &registry).expect("a run directory");
    let opened: Vec<(RunDirectory, Plan)> = paths.iter().map(open).collect();
    let runs: Vec<Run<'_>> = opened
        .iter()
        .map(|(directory, plan)| Run { directory, experiment: &plan.runs[0] })
        .collect();
    then(&runs)
}

#[test]
fn runs_of_several_methods_and_seeds_are_drawn() {
    let parent = &*Home::new();
    let paths: Vec<PathBuf> =
        [("iterative", "1"), ("iterative", "2"), ("seeds", "1"), ("seeds", "2")]
            .map(|(method, seed)| run_of(parent, method, seed))
            .into();
    let stop = StopSignal::default();
    with_runs(&paths, |runs| {
        let curves = learning_curves(runs).expect("histories");
        assert_eq!(curves.methods.len(), 2);
        assert!(curves.methods.iter().all(|m| m.runs.len() == 2 && !m.mean.is_empty()));
        // A majority takes 102 games, so there are 78 decisions in each of the two runs.
        assert!(curves.methods[0].acceptance.len() > 3);
        assert!(curves.caption.contains("seeds 1, 2; 100 pairs"), "{}", curves.caption);
        assert!(curves.caption.contains("bands reach from the lowest run"), "{}", curves.caption);
        // With two runs, the band reaches from the one to the other.
        let last = |run: &ruse_plots::RunCurve| run.points.last().map(|point| point.score);
        for method in &curves.methods {
            let mut ends = [&method.runs[0], &method.runs[1]].map(|run| last(run).expect("scores"));
            ends.sort_unstable_by(f64::total_cmp);
            assert_eq!(method.mean.last().map(|point| point.interval), Some(ends));
        }
        assert!(!curves.has_all_panels);
        picture(curves);
        assert!(learning_curves(&runs[..1]).expect("a history").methods[0].mean.is_empty());

        let published = |family: &str, method: &str| {
            (family == "batawaf" && method == "seeds").then_some(0.627)
        };
        let found = scores(runs, &published).expect("strategies");
        assert_eq!((found.families.len(), found.methods.len()), (1, 2));
        assert!(found.families[0].scores.iter().all(|score| score.score.is_some()));
        assert_eq!(found.families[0].scores[1].published, Some(0.627));
        picture(found);

        let table = head_to_head(runs, Some(50), &stop).expect("strategies");
        let [a, b] = [table.cells[0][1], table.cells[1][0]].map(|cell| cell.expect("played"));
        assert!((a.score + b.score - 1.0).abs() < 1e-12);
        assert!(table.cells[0][0].is_none());
        picture(table);

        let on_threads = |num: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(num).build().expect("threads");
            pool.install(|| population(runs[0], Some(20), &stop)).expect("a population")
        };
        let members = on_threads(1);
        assert_eq!(members, on_threads(3));
        let document = svg(&members, Sheet::default());
        assert!(document.contains("opponent: games before it joined"), "{document}");
        assert!(matches!(learning_curves(&[]), Err(ReportError::NoRuns)));
    });
}

#[test]
fn files_that_were_changed_give_a_picture_or_a_message() {
    let parent = &*Home::new();
    let path = run_of(parent, "iterative", "1");
    let history = path.join("batawaf-iterative-seed1/history.csv");
    let whole = fs::read_to_string(&history).expect("a history");
    let columns = whole.lines().next().expect("names of columns");
    let stop = StopSignal::default();
    let drawn = || with_runs(std::slice::from_ref(&path), learning_curves);
    fs::write(&history, whole.replacen("\n0,", "\n8,", 1)).expect("writable");
    let refused = drawn().expect_err("the checkpoint vouches for another").to_string();
    assert!(refused.ends_with("history.csv was changed after it was written"), "{refused}");
    // Published results have no checkpoint.
    fs::remove_file(path.join("batawaf-iterative-seed1/checkpoint.yaml")).expect("there");

    // The file ends with half a row, as left by a killed run.
    fs::write(&history, format!("{}77,0.5,1,bet", whole)).expect("writable");
    let num_points = drawn().expect("the rows before").methods[0].runs[0].sigma.len();
    assert_eq!(num_points, whole.lines().count() - 1);
    for nothing in ["", &format!("{columns}\n")] {
        fs::write(&history, nothing).expect("writable");
        assert!(picture(drawn().expect("no rows")).contains("nothing was measured"));
    }
    let row = "0,1,,,,,,,0,NaN,0.4,0.5,1000";
    fs::write(&history, format!("{columns}\n{row}\n")).expect("writable");
    let refused = Checked::new(drawn().expect("numbers, for a reader")).expect_err("NaN");
    assert!(refused.to_string().contains("the learning curve of iterative: NaN"), "{refused}");
    fs::write(&history, format!("{columns}\n0,one,,,,,,,0,,,,\n")).expect("writable");
    assert!(drawn().expect_err("no number").to_string().contains("history.csv"));
    fs::remove_file(&history).expect("there");
    assert!(drawn().expect_err("no file").to_string().contains("history.csv"));

    let members = path.join("batawaf-iterative-seed1/population.csv");
    let whole = fs::read_to_string(&members).expect("a population");
    let columns = whole.lines().next().expect("names of columns");
    let draw = || with_runs(std::slice::from_ref(&path), |runs| population(runs[0], None, &stop));
    fs::write(&members, format!("{columns}\n")).expect("writable");
    let nothing = svg(&draw().expect("no rows"), Sheet::default());
    assert!(nothing.contains("nothing to show"), "{nothing}");
    fs::write(&members, format!("{columns}\n0,0,,,1,2,NaN\n")).expect("writable");
    assert!(draw().expect_err("NaN").to_string().contains("line 2"));
}

#[test]
fn families_are_drawn_one_at_a_time() {
    let parent = &*Home::new();
    let registry = Registry::standard();
    let open = |family: &str| {
        let plan = Plan::new(ExperimentSpec::new(family), &registry).expect("defaults are valid");
        let path = parent.join(family);
        (RunDirectory::create(Some(&path), &plan).expect("writable"), plan)
    };
    let [war, pig] = ["war", "pig"].map(open);
    let runs = [&war, &pig].map(|(directory, plan)| Run { directory, experiment: &plan.runs[0] });
    let error = learning_curves(&runs).expect_err("two families");
    assert!(matches!(error, ReportError::SeveralFamilies { .. }), "{error}");
    let error = scores(&runs, &|_, _| None).expect_err("no strategy yet");
    assert!(error.to_string().contains("strategy.yaml"), "{error}");
}

#[test]
fn tables_are_drawn_with_the_published_scores() {
    let estimate = |score| Estimate {
        score,
        interval: [score - 0.01, score + 0.01],
        confidence: CONFIDENCE,
        pairs: 20_000,
    };
    let run = |method: &str, score| RunRecord {
        family: "war".into(),
        method: method.into(),
        seed: 1,
        games: 2_000_000,
        iterations: 50,
        score: estimate(score),
        opponents: None,
        is_random_start: false,
        is_start: false,
        budget: None,
        stop_reason: None,
    };
    let met = meeting("war", ("naive", 1), ("cma-es", 1), 0.51);
    let records = Records {
        families: vec!["war".into()],
        methods: vec!["naive".into(), "cma-es".into()],
        runs: vec![run("naive", 0.67), run("cma-es", 0.66)],
        measurements: vec![met.scored(estimate(0.51))],
        ..Records::default()
    };
    let report = Report::new(&records, Some(&Published::cauwet_teytaud_2018()));
    let report = report.expect("records that make sense");
    let found = scores_of_table(&report.scores, &report.yardsticks, "Seed 1.");
    let [naive, cma_es] = &found.families[0].scores[..] else { panic!("two methods") };
    // The published score is from table II of the paper.
    assert_eq!((naive.score, naive.published), (Some((0.67, [0.66, 0.68])), Some(0.632)));
    assert_eq!((cma_es.score.map(|score| score.0), cma_es.published), (Some(0.66), None));
    assert!(picture(found).contains("published"));
    let table = head_to_head_of_table(&report.head_to_head[0], "Seed 1.");
    assert_eq!(table.cells[0][1].map(|cell| cell.score), Some(0.51));
    assert!(table.cells[0][0].is_none());
    picture(table);
}
