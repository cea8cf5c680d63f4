//! Checks of the code that reads files from any source: no bytes may cause a panic, a hang or excessive memory use.
//!
//! The fuzz targets call these functions with bytes that a fuzzer generates; `tests/it/parsers.rs` calls them with
//! inputs that once caused problems, in `fuzz/regressions/`, and with the files of this repository.

#![allow(dead_code, reason = "every fuzz target uses one of these")]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use ruse::bandits::ProblemFile;
use ruse::family::{AnyFamily, Player, PlayerError, check_game_line};
use ruse::files::{Vouched, YamlSource, fingerprint_of};
use ruse::ggp::{Message, canonical};
use ruse::lab::requests::{RequestSpec, id_of};
use ruse::lab::seed_study::StudyFiles;
use ruse::lab::{
    Checkpoint, ContestantError, MeasurementsFile, Plan, Pool, RunDirectory, RunFiles,
    StrategyFile, parse_contestant, read_accepted, read_curve, read_history, read_members,
};
use ruse::lab::{Transcript, TranscriptError};
use ruse::optimise::check_program_line;
use ruse::registry::Registry;
use ruse::rng::StreamKey;

static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::standard);

/// Checks an experiment file: either it is refused, or its resolved form is accepted and resolves to itself.
pub(crate) fn experiment(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let source = YamlSource { path: "experiment.yaml".into(), text: text.into() };
    let plan = match Plan::parse(&source, &REGISTRY) {
        Ok(plan) => plan,
        Err(mistake) => return assert!(!mistake.to_string().is_empty()),
    };
    // The first line, by which files that the program has written are recognised, stays first.
    let head = text.split_inclusive('\n').next().filter(|line| line.starts_with('#')).unwrap_or("");
    let in_full =
        |plan: &Plan| head.to_owned() + &serde_yaml::to_string(&plan.resolved).expect("plain data");
    let source = YamlSource { path: "resolved.yaml".into(), text: in_full(&plan) };
    let again = Plan::parse(&source, &REGISTRY)
        .unwrap_or_else(|error| panic!("refused what it wrote: {error}\n{}", source.text));
    assert_eq!(in_full(&again), source.text);
}

/// Checks a strategy file: either it is refused, or it has a description and a picture, and can play.
pub(crate) fn strategy(input: &[u8]) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("strategy.yaml");
    fs::write(&path, input).expect("a file can be written");
    /// Only inputs whose length is a multiple of this number are described, because a description may require the
    /// solution of a game, which takes a second.
    const WITH_WORDS: usize = 64;
    let _ = read_strategy(&path, input.len().is_multiple_of(WITH_WORDS));
}

fn read_strategy(path: &Path, with_words: bool) -> Result<(), ContestantError> {
    let file = StrategyFile::read(path)?;
    let Ok(family) = REGISTRY.family(&file.family) else { return Ok(()) };
    let Ok(family) = family.with_rules(&file.rules) else { return Ok(()) };
    let file = file.checked(path, family.as_ref())?;
    if file.mixture.is_empty() && with_words {
        assert!(!family.words(&file.parameters).expect("the parameters were checked").is_empty());
        family.picture(&file.parameters).expect("the parameters were checked");
    }
    let strategy = file.contestant();
    prepare(family.as_ref(), &[&strategy]);
    Ok(())
}

/// Prepares players that were checked. Names of programs are checked, too, but a library starts no program unless it is
/// allowed to.
fn prepare(family: &dyn AnyFamily, players: &[&Player]) {
    match family.league(players) {
        Ok(_) | Err(PlayerError::Program(_)) => {}
        Err(error) => panic!("the players were checked: {error}"),
    }
}

/// Checks a transcript: either it is refused with an error that names the line, or it can be replayed completely.
/// Returns `true` if it can be replayed.
pub(crate) fn transcript(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let source = YamlSource { path: "games.yaml".into(), text: text.into() };
    let transcript: Transcript = match source.parse() {
        Ok(transcript) => transcript,
        Err(mistake) => {
            assert!(!mistake.to_string().is_empty());
            return false;
        }
    };
    let Ok(family) = REGISTRY.family(&transcript.family) else { return false };
    let Ok(family) = family.with_rules(&transcript.rules) else { return false };
    let checked = transcript
        .session(family.as_ref())
        .and_then(|mut session| transcript.check(session.as_mut()));
    let told = |error: TranscriptError| {
        assert!(!source.error_at(&error.path(), error.to_string()).to_string().is_empty());
    };
    checked.map_err(told).is_ok()
}

/// Methods whose runs store different states.
pub(crate) const METHODS: [&str; 6] =
    ["naive", "seeds", "cma-es", "hall-of-fame", "double-oracle", "es"];

/// Returns the experiment to which the files of [`run_files`] belong.
pub(crate) fn experiment_of_run(method: &str) -> String {
    format!("family: pig\nmethod: {method}\nbudget: 4k\n")
}

/// The separator between files in the input of [`run_files`] and [`result_files`].
pub(crate) const DIVIDER: &[u8] = b"\n---\n";

/// Checks the files of a started run. The input is a byte for the method, and then the checkpoint, the history, the
/// population and the meetings of a comparison. Returns `true` if the run can be resumed. In a valid checkpoint, the
/// fingerprints of the other files are corrected first: otherwise nothing else would be tested.
pub(crate) fn run_files(input: &[u8]) -> bool {
    let Some((first, rest)) = input.split_first() else { return false };
    let method = METHODS[usize::from(*first) % METHODS.len()];
    let text = experiment_of_run(method);
    let source = YamlSource { path: "experiment.yaml".into(), text };
    let plan = Plan::parse(&source, &REGISTRY).expect("an experiment");
    let parent = tempfile::tempdir().expect("a temporary directory");
    let directory =
        RunDirectory::create(Some(&parent.path().join("run")), &plan).expect("a new directory");
    let experiment = &plan.runs[0];
    let run = directory.run_path(experiment);
    fs::create_dir_all(&run).expect("a new directory");
    let mut parts = split(rest, DIVIDER).into_iter();
    let mut file = |name: &str| {
        let bytes = parts.next().unwrap_or_default();
        fs::write(run.join(name), bytes).expect("writable");
        bytes
    };
    let checkpoint = file("checkpoint.yaml");
    let (history, population) = (file("history.csv"), file("population.csv"));
    let _ = read_history(&directory, experiment);
    let json = checkpoint.iter().position(|&byte| byte == b'\n').map(|end| &checkpoint[end..]);
    if let Ok(checkpoint) = serde_json::from_slice::<Checkpoint>(json.unwrap_or(checkpoint)) {
        let (history, population) = (Vouched::of(history), Vouched::of(population));
        let checkpoint = Checkpoint { history, population, ..checkpoint };
        checkpoint.write(&run.join("checkpoint.yaml")).expect("writable");
    }
    fs::write(directory.path().join("measurements.csv"), parts.next().unwrap_or_default())
        .expect("writable");
    let _ = read_history(&directory, experiment);
    let _ = read_curve(&directory, experiment);
    let _ = read_members(&directory, experiment);
    let _ = read_accepted(&directory, experiment);
    let _ = MeasurementsFile::read(&directory, &plan);
    let _ = MeasurementsFile::open(&directory, &plan);
    matches!(RunFiles::open(&directory, experiment), Ok((_, Some(_), Some(_))))
}

/// Checks the results of an experiment. The input is a table of measurements, the population of a run, and the three
/// tables of a study of random seeds. Returns `true` for each valid part: the measurements, the population as a pool,
/// and the study.
pub(crate) fn result_files(input: &[u8]) -> [bool; 3] {
    let text = experiment_of_run(METHODS[0]);
    let source = YamlSource { path: "experiment.yaml".into(), text };
    let plan = Plan::parse(&source, &REGISTRY).expect("an experiment");
    let parent = tempfile::tempdir().expect("a temporary directory");
    let directory =
        RunDirectory::create(Some(&parent.path().join("run")), &plan).expect("a new directory");
    let run = directory.run_path(&plan.runs[0]);
    let study = parent.path().join("study");
    for path in [&run, &study] {
        fs::create_dir_all(path).expect("a new directory");
    }
    fs::write(run.join("strategy.yaml"), "family: pig\nparameters: [20]\n").expect("writable");
    let mut parts = split(input, DIVIDER).into_iter();
    for path in [
        directory.path().join("measurements.csv"),
        run.join("population.csv"),
        study.join("game.csv"),
        study.join("generalisation.csv"),
        study.join("learning.csv"),
    ] {
        fs::write(path, parts.next().unwrap_or_default()).expect("writable");
    }
    let measurements = MeasurementsFile::read(&directory, &plan);
    let pool = Pool::read(&[run], true, &Default::default(), &REGISTRY);
    [measurements.is_ok(), pool.is_ok(), StudyFiles::at(study).read().is_ok()]
}

/// Checks the tables of a published experiment: `runs.csv` and `curves.csv` of [`experiment_of_run`]. Returns `true` if
/// both are valid.
pub(crate) fn published_files(input: &[u8]) -> bool {
    let text = experiment_of_run(METHODS[0]);
    let source = YamlSource { path: "experiment.yaml".into(), text };
    let plan = Plan::parse(&source, &REGISTRY).expect("an experiment");
    let parent = tempfile::tempdir().expect("a temporary directory");
    let path = parent.path().join("published");
    drop(RunDirectory::create(Some(&path), &plan).expect("a new directory"));
    let mut parts = split(input, DIVIDER).into_iter();
    let mut list =
        format!("# The files that are published:\n# The experiment is: {}\n", plan.fingerprint());
    for name in ["runs.csv", "curves.csv"] {
        let contents = parts.next().unwrap_or_default();
        fs::write(path.join(name), contents).expect("writable");
        list += &format!("{name}: '{}'\n", fingerprint_of(contents));
    }
    let list =
        format!("# Written by ruse, and not to be edited: {}\n{list}", fingerprint_of(&list));
    fs::write(path.join("finished.yaml"), list).expect("writable");
    let Ok((directory, plan)) = RunDirectory::open(&path, &REGISTRY) else { return false };
    let experiment = &plan.runs[0];
    let curve = read_curve(&directory, experiment).expect("it was read");
    let learned = directory.learned(experiment).expect("it was read");
    if let Some(file) = &learned {
        assert!(file.parameters.iter().all(|value| value.is_finite()));
    }
    directory.is_published() && learned.is_some() && !curve.is_empty()
}

fn split<'a>(mut input: &'a [u8], at: &[u8]) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    while let Some(end) = input.windows(at.len()).position(|window| window == at) {
        parts.push(&input[..end]);
        input = &input[end + at.len()..];
    }
    parts.push(input);
    parts
}

/// Checks a contestant as typed by a user. The first byte chooses a family.
pub(crate) fn contestant(input: &[u8]) {
    let Some((first, rest)) = input.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    // Paths are tested by `strategy`.
    if text.contains(['/', '.']) && !text.trim_start().starts_with('[') {
        return;
    }
    let families: Vec<_> = REGISTRY.families().collect();
    let family = families[usize::from(*first) % families.len()];
    if let Ok(contestant) = parse_contestant(text, family) {
        prepare(family, &[&contestant]);
    }
}

/// Checks a request of another program. The first byte chooses a family.
pub(crate) fn json_line(input: &[u8]) {
    let Some((first, line)) = input.split_first() else { return };
    let families: Vec<_> = REGISTRY.families().collect();
    let family = families[usize::from(*first) % families.len()];
    // Paths are tested by `strategy`.
    if line.contains(&b'/') {
        return;
    }
    match RequestSpec::parse(line) {
        Ok(request) => {
            if let Ok([a, b]) = request.contestants(family, StreamKey::root(1)) {
                prepare(family, &[&a, &b]);
            }
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            id_of(line);
        }
    }
}

/// Checks a rule file: either it is refused, or it is a game, and some random games of it are played.
pub(crate) fn rule_file(input: &[u8]) {
    /// The standard families, with low limits on rule files: the default limits would be too slow for a fuzzer.
    static SMALL: LazyLock<Registry> = LazyLock::new(|| {
        let registry = Registry::standard();
        for (name, value) in [
            ("text-bytes", "65536"),
            ("ground-rules", "20000"),
            ("ground-atoms", "10000"),
            ("memory", "16777216"),
            ("ground-seconds", "0.25"),
            ("disjuncts", "300"),
        ] {
            registry.limit_rule_files(name, value).expect("a limit");
        }
        registry
    });
    match SMALL.family_from("x.kif:linear", input) {
        Ok(family) => {
            assert!(family.rule_file().expect("the family of a rule file").survey().games > 0);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Checks a map, drawn or in XML: either it is refused, or it is a game.
pub(crate) fn map(input: &[u8]) {
    let name = if input.starts_with(b"<") { "rts-script:x.xml" } else { "rts-script:x.txt" };
    match REGISTRY.family_from(name, input) {
        Ok(family) => assert!(!family.info().summary.is_empty()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Checks a file of bandit problems: either it is refused, or it contains a problem or a position.
pub(crate) fn bandit_problems(input: &[u8]) {
    // A file may name positions that are read from other files.
    if input.contains(&b'/') {
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("problems.yaml");
    fs::write(&path, input).expect("a file can be written");
    match ProblemFile::read(&path, REGISTRY.positions()) {
        Ok(file) => assert!(file.problems.len() + file.positions.len() > 0),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Checks a line from a program that searches or plays. The first byte is the number of parameters of a search.
pub(crate) fn program_line(input: &[u8]) {
    let Some((dimension, line)) = input.split_first() else { return };
    let Ok(line) = std::str::from_utf8(line) else { return };
    for checked in [check_program_line(line, usize::from(*dimension)), check_game_line(line)] {
        if let Err(problem) = checked {
            assert!(!problem.is_empty());
        }
    }
    // Messages of match servers are texts from outside, too.
    match Message::parse(line) {
        Ok(Message::Start { rules, .. }) => assert!(line.contains(rules)),
        Ok(_) => {}
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if let Some(term) = canonical(line) {
        assert_eq!(canonical(&term), Some(term.clone()), "a canonical text is its own");
    }
}
