//! Tests of experiments whose work is shared by several programs. The results are the same as the results of one
//! program, however often the programs are killed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use rand::RngExt;
use ruse::rng::StreamKey;

use crate::support::{
    self, Fixture, Home, files, object, output, printed, refused, refuses, said, signal,
    wait_for_file, wait_until,
};

/// A comparison that consists of twelve runs and their meetings; some meetings are exact. It takes about a second.
const COMPARISON: &str = "families:\n- {family: batawaf4, budget: 4k}\n- {family: nim, budget: 4k}\n\
    methods: [naive, cma-es, seeds]\ncomparison: betting\nrepeats: 2\nhalf-width: 0.02\n\
    evaluation-pairs: 200\nmonitor-pairs: 20\noutputs: [csv, html]\n";

/// A comparison whose runs do not end during a test.
const ENDLESS: &str = "families: [war]\nmethods: [cma-es, naive]\ncomparison: betting\nbudget: 100G\nrepeats: 1\n\
    monitor-pairs: 20\n";

/// The comparison, carried out on one machine in `one`.
static DONE: Fixture = Fixture::new(|path| {
    fs::write(path.join("e.yaml"), COMPARISON).expect("writable");
    printed("run e.yaml --out one --threads 2", path);
});

fn home(text: &str) -> Home {
    let home = Home::new();
    fs::write(home.join("e.yaml"), text).expect("writable");
    home
}

/// Returns the command `ruse run e.yaml --out OUT` with these options.
fn share(out: &str, options: &str, home: &Path) -> Command {
    let mut command = support::ruse(&format!("run e.yaml --out {out} {options}"), home);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn shared(out: &str, options: &str, home: &Path) -> serde_json::Value {
    object(&format!("run e.yaml --json --out {out} {options}"), home)
}

/// Carries out the experiment on one machine, and returns all of its files.
fn of_one_machine(home: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    printed("run e.yaml --out one --threads 2", home);
    files(&home.join("one"))
}

fn assert_same(found: &BTreeMap<PathBuf, Vec<u8>>, expected: &BTreeMap<PathBuf, Vec<u8>>) {
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(found), names(expected));
    let different: Vec<_> = found.keys().filter(|name| found[*name] != expected[*name]).collect();
    assert!(different.is_empty(), "{different:?}");
}

#[test]
fn shards_make_the_results_of_one_machine() {
    let home = &*DONE.copy();
    let expected = files(&home.join("one"));

    // All shards start at once, in any order. The second pass does the rest, because meetings wait for the runs of
    // other shards.
    for pass in 0..2 {
        let children = ["2/3", "0/3", "1/3"].map(|shard| {
            share("all", &format!("--shard {shard}"), home).spawn().expect("it starts")
        });
        for mut child in children {
            assert!(child.wait().expect("it ends").success());
        }
        let left = shared("all", "--shard 0/1", home);
        let done: usize = ["done", "done_before"]
            .map(|key| left[key].as_array().expect("a list").len())
            .iter()
            .sum();
        assert_eq!(done as u64, left["num_jobs"].as_u64().expect("a number"), "{left}");
        if pass == 1 {
            assert_eq!(left["done"], serde_json::json!([]));
        }
    }
    assert!(home.join("all/.shards/parts/nim").is_dir());
    let resumed = output("resume all --threads 2", home);
    assert!(said(&resumed).contains("all jobs are finished"), "{}", said(&resumed));
    assert_same(&files(&home.join("all")), &expected);
    let provenance = fs::read_to_string(home.join("all/provenance.yaml")).expect("there");
    assert!(provenance.contains("- share: shard-1-of-3\n"), "{provenance}");

    // A shard of a finished experiment does nothing, and leaves nothing.
    let again = shared("all", "--shard 1/3", home);
    assert_eq!(
        (again["done"].as_array().map(Vec::len), again["waiting"].as_array().map(Vec::len)),
        (Some(0), Some(0))
    );
    assert_same(&files(&home.join("all")), &expected);
    assert!(!home.join("all/.shards").exists());

    // A shard does half of the work with several threads, and then one machine does the rest.
    let half = shared("half", "--shard 1/2 --threads 3 --checkpoint-every 1h", home);
    assert!(!half["waiting"].as_array().expect("a list").is_empty(), "{half}");
    let resumed = output("resume half", home);
    assert!(said(&resumed).contains("are not finished: doing the rest now"), "{}", said(&resumed));
    assert_same(&files(&home.join("half")), &expected);
}

/// The other experiment has another budget in one family, another name of a method, and a third seed.
#[test]
fn runs_from_another_experiment_are_as_if_played_again() {
    let home = &*DONE.copy();
    let other = COMPARISON.replace("batawaf4, budget: 4k", "batawaf4, budget: 3k");
    let other =
        other.replace("repeats: 2", "repeats: 3").replace("seeds]", "{name: s, method: seeds}]");
    fs::write(home.join("other.yaml"), other).expect("writable");
    printed("run other.yaml --out fresh", home);
    let grown = said(&output("run other.yaml --out grown --reuse one --threads 2", home));
    assert!(grown.contains("6 of 18 runs taken from one"), "{grown}");
    assert_same(&files(&home.join("grown")), &files(&home.join("fresh")));
    fs::write(home.join("one/nim-naive-seed1/strategy.yaml"), "family: nim\n").expect("writable");
    refuses("run other.yaml --out again --reuse one", home, "was changed");
    printed("publish fresh --out small", home);
    refuses("run other.yaml --reuse small", home, "is published");
}

#[test]
fn jobs_one_by_one_make_the_results_of_one_machine() {
    let home = &*DONE.copy();
    let expected = files(&home.join("one"));
    let plan = object("plan e.yaml --json", home);
    let jobs = plan["jobs"].as_array().expect("a list");
    let experiment = fs::read_to_string(home.join("one/experiment.yaml")).expect("there");
    let fingerprint = plan["fingerprint"].as_str().expect("text");
    assert!(experiment.lines().next().expect("a line").ends_with(fingerprint), "{experiment}");

    let finale = jobs.len() - 1;
    assert_eq!(jobs[finale]["kind"], "finale");
    refuses(&format!("run e.yaml --out all --job {finale}"), home, "there is no directory all");
    // Jobs start in reverse order, because they wait for the runs that they need.
    for job in jobs[..finale].iter().rev() {
        let done = shared("all", &format!("--job {}", job["id"]), home);
        let is_waiting = !done["waiting"].as_array().expect("a list").is_empty();
        assert_eq!(is_waiting, !job["needs"].as_array().expect("a list").is_empty(), "{job}");
    }
    let missing = refused(&format!("run e.yaml --out all --job {finale}"), home);
    assert!(missing.contains("the finale needs all other jobs: "), "{missing}");
    assert!(missing.contains("parts of responses are not finished"), "{missing}");
    for job in jobs[..finale].iter().rev() {
        let done = shared("all", &format!("--job {}", job["id"]), home);
        assert_eq!(done["waiting"], serde_json::json!([]), "{job}");
    }
    printed(&format!("run e.yaml --out all --job {finale}"), home);
    assert_same(&files(&home.join("all")), &expected);

    let unknown = refused(&format!("run e.yaml --out all --job {}", jobs.len()), home);
    let range = format!(
        "there is no job {}: the jobs of this experiment are numbered from 0 to {finale}",
        jobs.len()
    );
    assert!(unknown.contains(&range), "{unknown}");
}

/// The meetings are divided into many parts, as in a large experiment. There are more seeds than opponents per
/// champion.
#[test]
fn parts_of_meetings_are_put_together() {
    // According to the declared duration of games of Nim, these meetings would take minutes. But the games are
    // deterministic, so each meeting takes only one pair.
    let home = &*home(
        "families: [{family: nim, name: piles}]\nmethods: [naive, seeds]\ncomparison: betting\nbudget: 2k\nrepeats: 6\n\
         opponents: 4\nhalf-width: 0.0001\nevaluation-pairs: 20\nmonitor-pairs: 5\n",
    );
    let expected = of_one_machine(home);
    let rows = String::from_utf8_lossy(&expected[Path::new("measurements.csv")]);
    let meetings = rows.lines().filter(|row| row.starts_with("meeting,"));
    assert_eq!(meetings.count(), 6 * 4);
    for _ in 0..2 {
        for index in 0..5 {
            shared("all", &format!("--shard {index}/5"), home);
        }
    }
    let parts = support::paths_below(&home.join("all/.shards/parts"));
    let is_of_meetings = |path: &&PathBuf| path.to_string_lossy().contains("meetings-");
    assert!(parts.iter().filter(is_of_meetings).count() > 3, "{parts:?}");
    printed("resume all", home);
    assert_same(&files(&home.join("all")), &expected);
}

/// Carries out `share` of an experiment, and then resumes the experiment. The share must contain at least one job.
/// Checks that the results are complete, that the share is recorded, and that the files of the share are removed.
fn leaves_a_note_and_nothing_else(text: &str, share: &str) {
    let home = &*if text == COMPARISON { DONE.copy() } else { home(text) };
    let is_round_robin = text.contains("players:");
    // The thinking times of players differ between runs.
    let results = |name: &str| {
        let mut found = files(&home.join(name));
        found.remove(Path::new("times.csv"));
        found
    };
    if !home.join("one").exists() {
        of_one_machine(home);
    }
    let expected = results("one");
    // All shares are carried out in `all`, and one of them elsewhere.
    let (_, num) = share.split_once('/').expect("a share of several");
    for index in (0..num.parse::<u64>().expect("a number")).rev() {
        let done = shared("all", &format!("--shard {index}/{num}"), home);
        assert!(text == COMPARISON || done["waiting"] == serde_json::json!([]), "{done}");
    }
    let mut directories = vec!["all"];
    if !is_round_robin {
        shared("from", &format!("--shard {share}"), home);
        printed("merge merged from", home);
        directories.push("merged");
    }
    for name in directories {
        assert!(home.join(name).join(".shards").is_dir(), "{name}: nothing was shared");
        printed(&["resume", name], home);
        assert!(!home.join(name).join(".shards").exists(), "{name}");
        assert_same(&results(name), &expected);
        let provenance = fs::read_to_string(home.join(name).join("provenance.yaml"));
        let provenance = provenance.expect("there");
        let note = format!("- share: shard-{}\n", share.replace('/', "-of-"));
        assert!(provenance.contains(&note), "{name}: {provenance}");
        // Everything is finished, and stays the same.
        printed(&["resume", name], home);
        let again = fs::read_to_string(home.join(name).join("provenance.yaml")).expect("there");
        assert_eq!(again, provenance, "{name}");
    }
}

tests! {
    fn a_share_of_a_single_run_leaves_a_note() =
        leaves_a_note_and_nothing_else("family: pig\nmethod: naive\nbudget: 5k\n", "0/2");
    fn a_share_of_all_methods_leaves_a_note() = leaves_a_note_and_nothing_else(
        "family: morra\nmethod: all\nbudget: 10k\nmonitor-pairs: 20\nevaluation-pairs: 100\n",
        "1/3"
    );
    fn a_share_of_a_comparison_leaves_a_note() = leaves_a_note_and_nothing_else(COMPARISON, "1/2");
    fn a_share_of_portfolios_leaves_a_note() = leaves_a_note_and_nothing_else(PORTFOLIOS, "1/3");
    fn a_share_of_a_round_robin_leaves_a_note() =
        leaves_a_note_and_nothing_else("family: nim\nplayers: [optimal, random]\npairs: 20\n", "0/2");
    @long
    fn killed_shards_leave_the_results_of_one_machine() = kill_shards(2, 3, 1);
}

const PORTFOLIOS: &str = "portfolios:\n- {family: phantom-four, random: [4, 8]}\n- {family: pig, name: dice, random: [3], \
    held-out: 2, pairs: 20}\nbandits: [ucbt, exp3]\ngames: 32\nruns: 20\n";

/// A killed share of a round robin is resumed and recorded, although it has done only a part of a job.
#[test]
fn a_killed_share_of_a_round_robin_leaves_a_note() {
    let home = &*home("family: nim\nplayers: [uct@400, uct@300, random]\npairs: 40\n");
    let mut child = share("all", "--shard 0/2", home).spawn().expect("it starts");
    let parts = home.join("all/.shards/parts/round-robin");
    let num_rows = || -> usize {
        let files = fs::read_dir(&parts).into_iter().flatten().flatten();
        files.filter_map(|file| fs::read_to_string(file.path()).ok()?.lines().count().into()).sum()
    };
    wait_until("no pair was played", || num_rows() >= 3);
    child.kill().expect("ours");
    child.wait().expect("it ends");
    assert!(!home.join("all/finished.yaml").exists(), "it was faster than the test");
    printed("resume all", home);
    assert!(!home.join("all/.shards").exists());
    let provenance = fs::read_to_string(home.join("all/provenance.yaml")).expect("there");
    assert!(provenance.contains("- share: shard-0-of-2\n"), "{provenance}");
}

#[test]
fn machines_without_common_files_are_merged() {
    let home = &*DONE.copy();
    let expected = files(&home.join("one"));
    for shard in [0, 1] {
        shared(&format!("from{shard}"), &format!("--shard {shard}/2"), home);
    }
    // The first directory alone is incomplete, and the message names the missing parts.
    let merge = |arguments: &str| object(&format!("merge --json {arguments}"), home);
    let first = merge("all from0");
    assert_eq!(first["taken"][0]["finished_runs"], 6);
    let names = first["unfinished"].as_array().expect("a list");
    assert!(names.len() > 6, "{first}");
    let told = printed("merge all from0", home);
    assert!(told.contains("from0: 0 results copied."), "{told}");
    assert!(
        told.contains("6 runs, ") && told.contains("`ruse resume all` does the rest"),
        "{told}"
    );
    assert_eq!(merge("all from1 from0")["taken"][0]["finished_runs"], 6);
    // Now all runs are complete, so a shard can play meetings in the merged directory.
    shared("all", "--shard 0/2", home);
    printed("resume all", home);
    assert_same(&files(&home.join("all")), &expected);

    // The meetings may be played in either directory, because both directories get all runs.
    merge("from0 from1");
    merge("from1 from0");
    for shard in [0, 1] {
        let done = shared(&format!("from{shard}"), &format!("--shard {shard}/2"), home);
        assert_eq!(done["waiting"], serde_json::json!([]), "{done}");
    }
    let all = merge("both from1 from0");
    assert_eq!(all["unfinished"], serde_json::json!([]), "{all}");
    printed("resume both", home);
    assert_same(&files(&home.join("both")), &expected);

    // Directories of another experiment are not touched.
    fs::write(home.join("e.yaml"), COMPARISON.replace("4k", "5k")).expect("writable");
    shared("other", "--job 0", home);
    let before = files(&home.join("from0"));
    for arguments in ["merge from0 other", "merge new from1 other", "merge other from1"] {
        refuses(arguments, home, "holds another experiment than");
    }
    assert!(!home.join("new").exists());
    refuses("merge from0 from0", home, "from0 is given twice");
    refuses("merge from0 nothing", home, "there is no directory nothing");
    refuses(
        "run e.yaml --out from0 --shard 0/2",
        home,
        "from0 is not empty: it holds another experiment",
    );
    fs::create_dir(home.join("thesis")).expect("writable");
    fs::write(home.join("thesis/thesis.tex"), "years of work").expect("writable");
    refuses(
        "run e.yaml --out thesis --shard 0/2",
        home,
        "holds something that is not an experiment",
    );
    assert_eq!(fs::read_dir(home.join("thesis")).expect("there").count(), 1);
    assert_same(&files(&home.join("from0")), &before);
}

#[test]
fn invalid_shares_are_refused() {
    let home = &*home(COMPARISON);
    for (options, message) in [
        ("--out all --shard 2/2", "there is no shard 2 of 2: they are numbered from 0 to 1"),
        ("--out all --shard 0/0", "0 shards are out of range"),
        ("--out all --shard -1/2", "`-1/2` is not a shard; write it as 3/100"),
        ("--out all --shard 7", "`7` is not a shard"),
        ("--out all --job -1", "unexpected argument '-1'"),
        ("--out all --job 1000", "there is no job 1000"),
        ("--out all --shard 0/2 --job 1", "cannot be used with"),
        ("--out all --shard 0/2 --dry-run", "cannot be used with"),
        ("--shard 0/2", "--out <DIR>"),
        ("--out all --shard 0/2 --checkpoint-every soon", "`soon` is not a duration"),
        ("--out e.yaml --shard 0/2", "e.yaml is not a directory"),
    ] {
        let found = refused(&format!("run e.yaml {options}"), home);
        assert!(found.contains(message), "{options}: {found}");
        assert!(!home.join("all").exists(), "{options}");
    }
}

#[test]
fn jobs_in_progress_are_left_to_their_program() {
    let home = &*home(ENDLESS);
    let mut first =
        share("run", "--shard 0/2 --checkpoint-every 20ms", home).spawn().expect("it starts");
    let run = home.join("run/war-cma-es-seed1");
    wait_for_file(&mut first, &run.join("checkpoint.yaml"));
    let holder = format!("in use by process {} on ", first.id());
    // A second start of the same shard is refused, and so is a program that wants the whole experiment.
    refuses("run e.yaml --out run --shard 0/2", home, &format!("shard 0/2 is {holder}"));
    for arguments in ["resume run", "run e.yaml --out run --job 5", "merge new run"] {
        let message = refused(arguments, home);
        assert!(message.contains(&format!("run is {holder}")), "{arguments}: {message}");
    }
    assert!(!home.join("new").exists());
    // A share of another division of the work leaves a job to the program that is doing it.
    let other = shared("run", "--job 0", home);
    assert_eq!(other["in_use"], serde_json::json!(["war-cma-es-seed1"]), "{other}");
    // Programs that only read are not refused.
    assert!(output("table run", home).status.success());

    // If a scheduler asks the shard to stop, the exit code means "try again", and only the checkpoint is written.
    assert!(first.try_wait().expect("ours").is_none(), "it was disturbed");
    signal(&first, "-TERM");
    assert_eq!(first.wait().expect("it ends").code(), Some(75));
    assert!(!run.join("strategy.yaml").exists());
    assert!(support::paths_below(&home.join("run")).iter().all(|path| !path.ends_with(".lock")));

    // The shard continues from the checkpoint. When it is killed, it leaves a lock behind that is no longer valid.
    let history = fs::read_to_string(run.join("history.csv")).expect("there");
    let mut again =
        share("run", "--shard 0/2 --checkpoint-every 20ms", home).spawn().expect("it starts");
    let longer = || fs::read_to_string(run.join("history.csv")).expect("there");
    wait_until("nothing was added", || longer().len() > history.len());
    assert!(longer().starts_with(&history));
    again.kill().expect("ours");
    again.wait().expect("it ends");
    assert!(home.join("run/.shards/locks/share-shard-0-of-2.lock").exists());
    let mut resumed = support::ruse("resume run --threads 2", home)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    // While one program works on the whole experiment, a shard is refused.
    wait_for_file(&mut resumed, &home.join("run/.lock"));
    wait_for_file(&mut resumed, &home.join("run/war-naive-seed1/checkpoint.yaml"));
    refuses(
        "run e.yaml --out run --shard 0/2",
        home,
        &format!("run is in use by process {} on ", resumed.id()),
    );
    resumed.kill().expect("ours");
    resumed.wait().expect("it ends");
}

/// Results do not depend on the times of files, or on the clocks of programs that hold locks.
#[test]
fn clocks_may_disagree() {
    let home = &*DONE.copy();
    let expected = files(&home.join("one"));
    let day = Duration::from_secs(86_400);
    let times = [SystemTime::UNIX_EPOCH + day, SystemTime::now() + 20_000 * day];
    for (round, time) in times.into_iter().cycle().take(4).enumerate() {
        shared("all", &format!("--shard {}/2", round % 2), home);
        let locks = home.join("all/.shards/locks");
        fs::create_dir_all(&locks).expect("writable");
        let since = "process: 1\nhost: elsewhere\nsince: 2999-01-01T00:00:00Z\n";
        fs::write(locks.join("share-shard-0-of-2.lock"), since).expect("writable");
        for path in support::paths_below(&home.join("all")) {
            let file = File::options().append(true).open(path).expect("ours");
            file.set_modified(time).expect("a time");
        }
    }
    printed("resume all", home);
    assert_same(&files(&home.join("all")), &expected);
}

/// The runs of a large experiment are in several directories, because a directory should not have too many entries.
/// Results in the layout of an earlier version are still read.
#[test]
#[ignore = "long"]
fn many_runs_are_in_several_directories() {
    let home = &*home(
        "families: [nim]\nmethods: [naive, cma-es]\ncomparison: betting\nbudget: 2\niterations: 1\nrepeats: 451\nopponents: 1\n\
         half-width: 0.5\nevaluation-pairs: 1\nmonitor-pairs: 1\noutputs: []\n",
    );
    let expected = of_one_machine(home);
    let one = home.join("one");
    let mut open = vec![one.clone()];
    while let Some(directory) = open.pop() {
        let entries: Vec<_> = fs::read_dir(&directory).expect("there").flatten().collect();
        assert!(entries.len() <= 1000, "{}: {}", directory.display(), entries.len());
        open.extend(entries.iter().map(fs::DirEntry::path).filter(|path| path.is_dir()));
    }
    assert!(one.join("runs/nim/naive/nim-naive-seed7/strategy.yaml").exists());
    let table = printed("table one", home);

    // Two shards work first, and then one machine.
    shared("all", "--shard 0/2", home);
    printed("resume all", home);
    assert_same(&files(&home.join("all")), &expected);
    refuses("resume one/runs/nim/naive/nim-naive-seed7", home, "is one run of an experiment");

    for method in ["naive", "cma-es"] {
        let group = one.join("runs/nim").join(method);
        for entry in fs::read_dir(&group).expect("there").flatten() {
            fs::rename(entry.path(), one.join(entry.file_name())).expect("ours");
        }
    }
    fs::remove_dir_all(one.join("runs")).expect("ours");
    let flat = files(&one);
    assert_eq!(printed("table one", home), table);
    fs::remove_file(one.join("nim-naive-seed7/strategy.yaml")).expect("ours");
    fs::remove_file(one.join("measurements.csv")).expect("ours");
    shared("one", "--shard 0/1", home);
    printed("resume one", home);
    assert_same(&files(&one), &flat);
}

/// Kills shards repeatedly, and restarts them as a scheduler would. Some restarts change the division of the work.
fn kill_shards(num_shards: usize, num_kills: usize, seed: u64) {
    let longer = COMPARISON.replace("4k", "60k").replace("0.02", "0.003");
    let home = &*home(&longer.replace("[csv, html]", "[md, csv, tex, json, svg, html]"));
    let started = Instant::now();
    let expected = of_one_machine(home);
    let whole_ms = started.elapsed().as_millis() as u64;
    let mut rng = StreamKey::root(seed).stream();
    let mut num_killed = 0;
    let mut rounds = 0;
    while num_killed < num_kills {
        rounds += 1;
        assert!(rounds < 20 * num_kills, "{num_killed} of {num_kills} killed");
        let begin = |index: usize| {
            let every = if index.is_multiple_of(2) { "1s" } else { "20ms" };
            let options = format!("--shard {index}/{num_shards} --checkpoint-every {every}");
            share("all", &options, home).spawn().expect("it starts")
        };
        let mut children: Vec<Child> = (0..num_shards).map(begin).collect();
        // Some shards are killed at a random moment during their work, or before they begin.
        let wait_ms = rng.random_range(0..=(whole_ms / 3).max(1));
        std::thread::sleep(Duration::from_millis(wait_ms));
        let num_doomed = rng.random_range(1..=num_shards);
        for (index, mut child) in children.drain(..).enumerate() {
            if index < num_doomed {
                num_killed += usize::from(child.try_wait().expect("ours").is_none());
                child.kill().expect("ours");
                child.wait().expect("it ends");
            } else {
                // The scheduler either asks the shard to stop first, or kills it at once.
                if rng.random() {
                    let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
                }
                let code = child.wait().expect("it ends").code();
                // There is no code if the signal came before the program listened to signals, as on a busy machine, and
                // 143 if it came before the program knew that it is a shard.
                assert!([Some(0), Some(75), Some(143), None].contains(&code), "{code:?}");
            }
        }
        // If all work is done, the next round begins again from the start.
        let left = shared("all", &format!("--shard 0/{num_shards} --threads 1"), home);
        let is_over = left["waiting"].as_array().is_some_and(Vec::is_empty)
            && left["done"].as_array().is_some_and(Vec::is_empty);
        if is_over && num_killed < num_kills {
            finish(home, &expected);
            fs::remove_dir_all(home.join("all")).expect("ours");
        }
    }
    finish(home, &expected);
}

fn finish(home: &Path, expected: &BTreeMap<PathBuf, Vec<u8>>) {
    printed("resume all --threads 2", home);
    assert_same(&files(&home.join("all")), expected);
}

#[test]
#[ignore = "long"]
fn many_killed_shards_leave_the_results_of_one_machine() {
    kill_shards(2, 30, 2);
    kill_shards(4, 30, 3);
}
