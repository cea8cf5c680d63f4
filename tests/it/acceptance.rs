//! Tests of the starts of runs, and of the rules that accept candidates. With each rule and each start, a run that was
//! killed continues with the same results.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::support::{Home, object, printed, ruse};

/// Returns the files of the only run under `path`.
fn files(path: &Path) -> Vec<String> {
    let entries =
        fs::read_dir(path).expect("a directory").map(|entry| entry.expect("readable").path());
    let run = entries.into_iter().find(|path| path.is_dir()).expect("a run");
    ["history.csv", "population.csv", "strategy.yaml"]
        .map(|name| fs::read_to_string(run.join(name)).expect("a result"))
        .into()
}

/// A run that was killed and resumed has the same results as an uninterrupted run. This holds for every rule and every
/// start, for another number of threads, and even if the file that contained the start has changed in the meantime.
#[test]
fn runs_with_each_rule_and_start_go_on_as_if_nothing_had_happened() {
    let path = &*Home::new();
    let mine = path.join("mine.yaml");
    let cases: [(&str, &[&str]); 5] = [
        ("nim", &["--method", "naive", "--ties", "accept", "--start", "zero"]),
        ("pig", &["--method", "iterative", "--accept", "proven", "--start", "hold-25"]),
        ("pig", &["--method", "naive", "--comparison", "hoeffding", "--start", "mine.yaml"]),
        ("pig", &["--method", "cma-es", "--start", "[1.5]"]),
        ("guess-who", &["--method", "seeds", "--start", "best"]),
    ];
    for (index, (family, options)) in cases.into_iter().enumerate() {
        let [whole, parts] = ["whole", "parts"].map(|name| format!("{name}{index}"));
        let begin = |out: &str, threads: u32| {
            let options = options.join(" ");
            format!(
                "optimise {family} --budget 20k --seed 3 --threads {threads} --out {out} --quiet {options}"
            )
        };
        fs::write(&mine, "family: pig\nparameters: [2.5]\n").expect("writable");
        printed(&begin(&whole, 1), path);
        let mut killed = ruse(&begin(&parts, 2), path);
        let killed = killed.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut killed = killed.expect("it runs");
        // The run may be killed before it has begun its work, or may already have finished.
        while !path.join(&parts).join("experiment.yaml").exists() {
            assert!(killed.try_wait().expect("a child").is_none_or(|status| status.success()));
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        std::thread::sleep(std::time::Duration::from_millis(40));
        let _ = killed.kill();
        let _ = killed.wait();
        fs::write(&mine, "family: pig\nparameters: [-9.5]\n").expect("writable");
        printed(&["resume", &parts, "--quiet"], path);
        assert_eq!(files(&path.join(&whole)), files(&path.join(&parts)), "{family} {options:?}");
    }
}

/// If a run keeps its start as the champion, the strategy file and the page name the start.
#[test]
fn a_start_that_is_kept_is_named() {
    let path = &*Home::with("given.yaml", "family: pig\nparameters: {patience: 4}\n");
    for (start, written, words) in [
        ("gaussian", "", "the random start"),
        ("zero", "start: zero", "the start (all parameters 0)"),
        ("hold-25", "start: hold-25", "the start (hold-25)"),
        ("[1.5]", "start: given", "the start (given parameters)"),
        ("given.yaml", "start: given", "the start (given parameters)"),
    ] {
        let out = format!("run-{}", start.trim_matches(['[', ']']));
        let arguments = ["optimise", "pig", "--method", "naive", "--budget", "10", "--seed", "2"];
        let how = ["--start", start, "--out", &out];
        let page = printed(&[&arguments[..], &how[..]].concat(), path);
        let first =
            page.lines().find(|line| line.starts_with("Nothing better")).unwrap_or_default();
        assert!(first.starts_with(&format!("Nothing better than {words} was found")), "{page}");
        let run = path.join(&out).join("pig-naive-seed2");
        let strategy = fs::read_to_string(run.join("strategy.yaml")).expect("it is written");
        assert!(strategy.contains(written), "{strategy}");
        assert_eq!(strategy.contains("is-start: true"), start != "gaussian", "{strategy}");
        let experiment =
            fs::read_to_string(path.join(&out).join("experiment.yaml")).expect("there");
        let in_experiment = match start {
            "gaussian" => "",
            "[1.5]" => "start:\n- 1.5\n",
            "given.yaml" => "start:\n- 4.0\n",
            name => &format!("start: {name}\n"),
        };
        assert!(experiment.contains(in_experiment), "{experiment}");
        assert_eq!(experiment.contains("start"), start != "gaussian", "{experiment}");
    }
}

/// Files from earlier versions do not name the start, and their experiments continue from the Gaussian start. In a
/// user's file, the same keys mean the default start of the method.
#[test]
fn runs_of_earlier_versions_keep_their_start() {
    use ruse::files::YamlSource;
    use ruse::lab::{Plan, Start};
    use ruse::registry::Registry;

    let registry = Registry::standard();
    let begun = "# The results beside this file are of exactly this experiment: 0\n";
    for text in ["family: pig\nmethod: cma-es\n", "families: [pig]\nmethods: [cma-es, naive]\n"] {
        let plan = |text: String| {
            let source = YamlSource { path: "experiment.yaml".into(), text };
            Plan::parse(&source, &registry).expect("valid")
        };
        let old = plan(format!("{begun}{text}"));
        assert!(old.runs.iter().all(|run| run.start == Start::Gaussian));
        let written = serde_yaml::to_string(&old.resolved).expect("plain data");
        assert!(!written.contains("start"), "{written}");
        let usual = registry.method("cma-es").expect("known").info().usual_start;
        assert_eq!(plan(text.into()).runs[0].start, Start::usual(usual));
        // Writing and reading the plan again changes nothing.
        let new = plan(text.into());
        let written = serde_yaml::to_string(&new.resolved).expect("plain data");
        let again = plan(format!("{begun}{written}"));
        assert_eq!(again.fingerprint(), new.fingerprint(), "{written}");
        assert!(again.runs.iter().zip(&new.runs).all(|(x, y)| x.start == y.start), "{written}");
    }
}

/// Scores in a strategy file are against the baseline of its run, which `explain` does not play again.
#[test]
fn a_baseline_that_was_given_is_written_down() {
    let path = &*Home::new();
    let arguments = ["optimise", "pig", "--method", "naive", "--budget", "2k", "--seed", "2"];
    let given = ["--baseline", "hold-20", "--out", "run", "--quiet"];
    printed(&[&arguments[..], &given[..]].concat(), path);
    let file = path.join("run/pig-naive-seed2/strategy.yaml");
    let strategy: serde_json::Value =
        serde_yaml::from_str(&fs::read_to_string(&file).expect("it is written")).expect("YAML");
    assert_eq!(strategy["found"]["baseline"], "hold-20");
    let explained = object("explain run/pig-naive-seed2/strategy.yaml --json", path);
    let first = &explained["scores"][0];
    assert_eq!(first["against"], "baseline");
    assert_eq!(first["score"], strategy["score-against-baseline"]["score"]);
}
