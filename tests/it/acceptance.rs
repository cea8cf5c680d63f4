//! Tests of the rules that accept candidates, and of the starts of runs. Candidates are rarely accepted wrongly. With
//! each rule and each start, a run that was killed continues with the same results.
//!
//! A test fails if a count is so large that Chernoff's bound gives it a probability below 1e-8. The tests check fewer
//! than 400 counts, so fewer than one of 200 000 sets of seeds fails by chance.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use ruse::race::{Accept, Acceptance, Limits, Operator, Race, Ties, Verdict};
use ruse::rng::{Label, StreamKey};

use crate::support;
use crate::support::samples::{KINDS, Sample};

const PROVEN: Acceptance = Acceptance { accept: Accept::Proven, ties: Ties::Refuse };

/// Returns the verdicts of `num` races of an operator over observations of one distribution.
fn verdicts(
    comparison: Operator,
    limits: Limits,
    sample: &Sample,
    seed: u64,
    num: usize,
) -> Vec<Verdict> {
    let mut rng = StreamKey::root(20_261_122).child(Label::Race, seed).stream();
    let mut observations = sample.observations(&mut rng);
    let mut race = |_| {
        let mut race = comparison.race(limits, sample.scale());
        observations.find_map(|value| race.push(value).break_value()).expect("races end")
    };
    (0..num).map(&mut race).collect()
}

fn num_admitted(acceptance: Acceptance, verdicts: &[Verdict]) -> usize {
    verdicts.iter().filter(|verdict| acceptance.admits(verdict)).count()
}

/// Returns `true` if `found` of `num` events with probability `p` may be due to chance, by Chernoff's bound: P <=
/// exp(-num KL(found / num, p)).
fn may_be_chance(found: usize, num: usize, p: f64) -> bool {
    let share = found as f64 / num as f64;
    let term = |x: f64, y: f64| if x == 0.0 { 0.0 } else { x * libm::log(x / y) };
    share <= p || -(num as f64) * (term(share, p) + term(1.0 - share, 1.0 - p)) > libm::log(1e-8)
}

/// Every operator, including the majority, accepts at most a fraction delta of the candidates that are not better than
/// the incumbent. This holds for each of the distributions with which races are tested.
#[test]
fn what_is_not_better_is_rarely_accepted_as_proven() {
    let num = 300;
    let limits = Limits { delta: 0.2, precision: 0.05 };
    let mut seed = 0;
    for comparison in Operator::ALL {
        for kind in KINDS {
            for draw in [0.0, 0.4] {
                for mu in [0.5, 0.49, 0.4] {
                    seed += 1;
                    let sample = Sample::new(kind, mu, draw);
                    let verdicts = verdicts(comparison, limits, &sample, seed, num);
                    let found = num_admitted(PROVEN, &verdicts);
                    assert!(
                        may_be_chance(found, num, limits.delta),
                        "{comparison:?} accepts {found} of {num}: {sample:?}"
                    );
                }
            }
        }
    }
}

/// The rule `leading` accepts about half of the candidates that are as good as the incumbent, in races that stop at a
/// given precision or after a given number of games. Of 300 fair coins, 100 or fewer show heads with a probability
/// below 1e-8. The rules `leading` and `proven` both accept a much better candidate.
#[test]
fn a_lead_is_no_proof_and_a_proof_is_no_hindrance() {
    let num = 300;
    let limits = Limits { delta: 0.05, precision: 0.05 };
    for (seed, comparison) in (1000..).zip(Operator::ALL) {
        let equal = Sample::new(KINDS[0], 0.5, 0.0);
        let found =
            num_admitted(Acceptance::default(), &verdicts(comparison, limits, &equal, seed, num));
        if comparison == Operator::Betting {
            assert!(may_be_chance(found, num, limits.delta), "{comparison:?}: {found}");
        } else {
            assert!(found > 100, "{comparison:?} accepts {found} of {num} equal candidates");
        }
        let better = Sample::new(KINDS[0], 0.9, 0.0);
        let verdicts = verdicts(comparison, limits, &better, seed + 100, num);
        // The operators guarantee .95. For a candidate that is much better than the incumbent, they err far less often.
        for acceptance in [Acceptance::default(), PROVEN] {
            let found = num_admitted(acceptance, &verdicts);
            assert!(found >= 285, "{comparison:?}, {acceptance:?}: {found} of {num}");
        }
    }
}

/// In betting races the rules `leading` and `proven` accept the same candidates, because every verdict is proven. A
/// part of delta is reserved for the decision at the cap.
#[test]
fn in_betting_races_a_lead_is_a_proof() {
    let limits = Limits { delta: 0.2, precision: 0.05 };
    for (seed, mu) in (2000..).zip([0.5, 0.52, 0.55, 0.6]) {
        let sample = Sample::new(KINDS[0], mu, 0.4);
        for verdict in verdicts(Operator::Betting, limits, &sample, seed, 200) {
            assert_eq!(
                Acceptance::default().admits(&verdict),
                PROVEN.admits(&verdict),
                "{verdict:?}"
            );
        }
    }
}

fn ruse(arguments: &[&str], directory: &Path) -> Command {
    let mut command = support::ruse(arguments, directory);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn output(arguments: &[&str], directory: &Path) -> Output {
    ruse(arguments, directory).output().expect("it runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

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
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path();
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
        let begin = |out: &str, threads: &str| {
            let mut arguments = vec!["optimise", family, "--budget", "40k", "--seed", "3"];
            arguments.extend(["--threads", threads, "--out", out, "--quiet"]);
            arguments.extend(options);
            ruse(&arguments, path)
        };
        fs::write(&mine, "family: pig\nparameters: [2.5]\n").expect("writable");
        let done = begin(&whole, "1").output().expect("it runs");
        assert!(done.status.success(), "{}", said(&done));
        let mut killed = begin(&parts, "2").spawn().expect("it runs");
        // The run may be killed before it has begun its work, or may already have finished.
        while !path.join(&parts).join("experiment.yaml").exists() {
            assert!(killed.try_wait().expect("a child").is_none_or(|status| status.success()));
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        std::thread::sleep(std::time::Duration::from_millis(40));
        let _ = killed.kill();
        let _ = killed.wait();
        fs::write(&mine, "family: pig\nparameters: [-9.5]\n").expect("writable");
        let resumed = output(&["resume", &parts, "--quiet"], path);
        assert!(resumed.status.success(), "{}", said(&resumed));
        assert_eq!(files(&path.join(&whole)), files(&path.join(&parts)), "{family} {options:?}");
    }
}

/// If a run keeps its start as the champion, the strategy file and the page name the start.
#[test]
fn a_start_that_is_kept_is_named() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path();
    fs::write(path.join("given.yaml"), "family: pig\nparameters: {patience: 4}\n")
        .expect("writable");
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
        let output = output(&[&arguments[..], &how[..]].concat(), path);
        let page = said(&output);
        assert!(output.status.success(), "{page}");
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
fn what_was_begun_before_starts_could_be_chosen_starts_where_it_did() {
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
        let usual = registry.method("cma-es").expect("known").usual_start();
        assert_eq!(plan(text.into()).runs[0].start, Start::usual(usual));
        // Writing and reading the plan again changes nothing.
        let new = plan(text.into());
        let written = serde_yaml::to_string(&new.resolved).expect("plain data");
        let again = plan(format!("{begun}{written}"));
        assert_eq!(again.fingerprint(), new.fingerprint(), "{written}");
        assert!(again.runs.iter().zip(&new.runs).all(|(x, y)| x.start == y.start), "{written}");
    }
}
