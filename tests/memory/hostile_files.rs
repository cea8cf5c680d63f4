//! Tests of hostile files. Whatever a file contains, the time of reading is proportional to the size of the file, and
//! the memory is at most twenty times this size plus a constant.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use ruse::family::FamilyError;
use ruse::files::{Vouched, YamlSource, read_rows};
use ruse::lab::Transcript;
use ruse::lab::requests::{RequestSpec, id_of};
use ruse::lab::{ContestantError, Plan, StrategyFile};
use ruse::registry::Registry;

use crate::allocator::{measure_alone, peak_of};

/// The size of most files. It is a quarter of the largest accepted size, which saves time.
const NUM_BYTES: usize = YamlSource::MAX_BYTES as usize / 4;

/// Returns a text of [`NUM_BYTES`] that consists of `before`, repetitions of `repeated`, and `after`.
fn filled(before: &str, repeated: &str, after: &str) -> String {
    let room = NUM_BYTES - before.len() - after.len();
    format!("{before}{}{after}", repeated.repeat(room / repeated.len()))
}

/// Returns a text of at most [`NUM_BYTES`] bytes that consists of `before` and as many different lines as possible.
fn lines(before: &str, line: impl Fn(usize) -> String) -> String {
    lines_up_to(NUM_BYTES, before, line)
}

fn lines_up_to(max_bytes: usize, before: &str, line: impl Fn(usize) -> String) -> String {
    let mut text = before.to_string();
    for number in 0.. {
        let line = line(number);
        if text.len() + line.len() > max_bytes {
            break;
        }
        text += &line;
    }
    text
}

fn hostile_texts() -> Vec<(&'static str, String)> {
    let aliases: String = ('b'..='y')
        .zip('a'..)
        .map(|(name, of)| format!("{name}: &{name} [{}]\n", format!("*{of}, ").repeat(9)))
        .collect();
    let members = "{weight: 1, parameters: [".to_string() + &"1,".repeat(20_000) + "1]}";
    vec![
        ("brackets", filled("family: ", "[", "")),
        ("maps", filled("family: ", "{a: ", "")),
        ("maps that end", format!("family: {}1{}", "{a: ".repeat(100_000), "}".repeat(100_000))),
        ("items", filled("", "- ", "")),
        ("keys", filled("", "? ", "")),
        ("levels", (0..2800).map(|level| format!("{}a:\n", " ".repeat(level))).collect()),
        ("ones", filled("what: [", "1,", "1]")),
        ("ones as parameters", filled("family: pig\nparameters: [", "1,", "1]")),
        ("empty maps", filled("- ", "{},", "")),
        ("pairs", filled("family: [", "?,", "]")),
        ("items of a line", filled("family:\n", "-\n", "")),
        // This is the largest number of values in a file of this size.
        ("small and full", format!("family: pig\nparameters: [{}1]", "1,".repeat(53_000))),
        (
            "families",
            format!("families: [{}]", (0..50_000).map(|n| format!("a{n},")).collect::<String>()),
        ),
        ("the same families", format!("families: [{}pig]", "pig,".repeat(60_000))),
        ("methods", format!("family: pig\nmethods: [{}naive]", "naive,".repeat(60_000))),
        (
            "seeds",
            lines("families: [pig]\nseeds:\n", |n| {
                format!("- {}\n", n + 1_000_000_000_000_000_000)
            }),
        ),
        ("short keys", lines("", |n| format!("key{n}: 1\n"))),
        ("unknown keys", lines("", |n| format!("key{n:060}: 1\n"))),
        ("unknown rules", lines("family: pig\nrules:\n", |n| format!("  {n:060}: 1\n"))),
        ("parameters by name", lines("family: pig\nparameters:\n", |n| format!("  p{n:060}: 1\n"))),
        ("a long name", filled("family: ", "p", "\nparameters: [1]\n")),
        ("a long text", filled("family: pig\nparameters: \"", "p", "\"\n")),
        ("a long key", filled("family: pig\nrules: {", "p", ": x}\n")),
        ("a long weight", filled("family: pig\nmixture: [{weight: ", "9", "}]\n")),
        ("a long tag", filled("family: !", "p", " pig\n")),
        ("escapes", filled("family: \"", "\\x41", "\"\n")),
        ("marks", filled("family: '", "''", "'\n")),
        ("a block", filled("family: |\n", " a\n", "")),
        ("empty lines", filled("family: pig\n", "\n", "parameters: [1]\n")),
        ("comments", filled("family: pig\n", "#[\n", "parameters: [1]\n")),
        ("documents", filled("", "---\n", "")),
        ("anchors", filled("", "- &a\n", "")),
        ("aliases", format!("a: &a [1, 2, 3]\n{aliases}")),
        (
            "members by alias",
            format!("family: pig\nmixture: [&m {members}{}]", ",*m".repeat(20_000)),
        ),
        (
            "a mixture",
            lines_up_to(YamlSource::MAX_BYTES as usize, "family: pig\nmixture:\n", |_| {
                let number = "  - -0.12345678901234567\n";
                format!("- weight: 0.0009765625\n  parameters:\n{}", number.repeat(100))
            }),
        ),
        (
            "references",
            lines("family: pig\nmixture:\n", |n| {
                format!("- {{weight: 0.{n:0100}, name: {n:060}, strategy: hold-20}}\n")
            }),
        ),
    ]
}

fn read_strategy(path: &Path, registry: &Registry) -> Result<(), ContestantError> {
    let file = StrategyFile::read(path)?;
    let family = registry.family(&file.family).map_err(|error| match error {
        FamilyError::Unknown(unknown) => ContestantError::from(unknown),
        error => panic!("no file names a file: {error}"),
    })?;
    file.checked(path, family.as_ref())?;
    Ok(())
}

/// Returns the time for which this thread has used the processor, which does not depend on how busy the machine is, or
/// the time since `start` if the system does not tell.
fn time_used(start: Instant) -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|number| number.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// Measures one way of reading a file, and asserts that its time and memory stay within the bounds.
fn measure(name: &str, num_bytes: usize, what: &str, read: impl FnOnce() -> String) {
    /// The memory allowed for small files, and for structures that do not grow with the file.
    const FREE_BYTES: usize = 32 << 20;
    /// The time of the processor that is allowed. Without limits on files, reading would take minutes to weeks.
    const MAX_TIME: Duration = Duration::from_secs(10);
    let start = Instant::now();
    let before = time_used(start);
    let (message, peak) = peak_of(read);
    let time = time_used(start).saturating_sub(before);
    let per_byte = peak as f64 / num_bytes as f64;
    eprintln!(
        "{name}, {what}: {num_bytes} bytes, {time:.2?}, peak {peak} ({per_byte:.1} each): {message}"
    );
    assert!(peak <= 20 * num_bytes + FREE_BYTES, "{name}, {what}: {peak} bytes for {num_bytes}");
    assert!(time < MAX_TIME, "{name}, {what}: {time:?}");
    assert!(message.len() <= 2000, "{name}, {what}: {message}");
}

fn told<T, E: ToString>(result: Result<T, E>) -> String {
    result.map_or_else(|error| error.to_string(), |_| "accepted".into())
}

tests! {
    fn some_hostile_files_take_little_time_and_memory() = assert_bounds(20);
    @long
    fn hostile_files_take_little_time_and_memory() = assert_bounds(1);
}

/// Reads every `step`th text, and bytes that are not text, and asserts that time and memory stay within the bounds.
fn assert_bounds(step: usize) {
    // The texts themselves take hundreds of megabytes, which would distort the measurements of other tests.
    let _alone = measure_alone();
    let texts = hostile_texts();
    let num_skipped = texts.len() % step;
    let registry = Registry::standard();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("a.yaml");
    for (name, text) in texts.into_iter().skip(num_skipped).step_by(step) {
        let num_bytes = text.len();
        assert!(num_bytes as u64 <= YamlSource::MAX_BYTES, "{name}");
        fs::write(&path, &text).expect("writable");
        drop(text);
        measure(name, num_bytes, "an experiment", || told(Plan::read(&path, &registry)));
        measure(name, num_bytes, "a strategy", || told(read_strategy(&path, &registry)));
        measure(name, num_bytes, "a transcript", || {
            let source = YamlSource::read(&path).expect("readable");
            told(source.parse::<Transcript>())
        });
    }

    // A sparse file of a gigabyte takes neither disk space nor memory.
    let hole = fs::File::create(&path).and_then(|file| file.set_len(1 << 30));
    hole.expect("a sparse file");
    measure("a hole", 0, "an experiment", || told(Plan::read(&path, &registry)));
    measure("a hole", 0, "a strategy", || told(StrategyFile::read(&path)));
    // All bytes of a table are read, to compare them with its fingerprint.
    const TABLE: u64 = 1 << 26;
    fs::File::create(&path).and_then(|file| file.set_len(TABLE)).expect("a sparse file");
    measure("a hole", 0, "a table", || {
        let whole = Vouched { bytes: TABLE, fingerprint: String::new() };
        told(read_rows::<Vec<String>>(&path, Some(&whole)))
    });

    for (name, line) in [
        ("brackets", "[".repeat(1 << 20)),
        ("an id in brackets", format!(r#"{{"id":{}}}"#, "[".repeat(1 << 20))),
        ("a long id", format!(r#"{{"a":"random","id":"{}"}}"#, "a".repeat(1 << 20))),
        ("a large id", format!(r#"{{"a":"random","id":{}}}"#, "9".repeat(1 << 20))),
        ("a long name", format!(r#"{{"a":"{}"}}"#, "a".repeat(1 << 20))),
        ("a long field", format!(r#"{{"{}":1}}"#, "a".repeat(1 << 20))),
        ("a long list in a name", format!(r#"{{"a":"[{}"}}"#, "1,".repeat(1 << 19))),
        ("ones", format!(r#"{{"a":[{}1]}}"#, "1,".repeat(1 << 19))),
        ("empty members", format!(r#"{{"a":{{"mixture":[{}1]}}}}"#, "{},".repeat(1 << 18))),
    ] {
        let family = registry.family("pig").expect("known");
        measure(name, line.len(), "a request", || {
            id_of(line.as_bytes());
            let key = ruse::rng::StreamKey::root(1);
            told(
                RequestSpec::parse(line.as_bytes())
                    .and_then(|request| request.contestants(family.as_ref(), key)),
            )
        });
    }
}
