//! Tests of external methods that `ruse run` starts. Runs are killed at any moment and resumed, and files are changed.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Home, files, output, printed, refuses, ruse, wait_until};

/// A program that searches with 60 requests. The first time that it reaches a request listed in the file `kills`, it
/// kills its parent process, or sends it the signal in the file `signal`. It does not do so again at the same request.
const SEARCH: &str = r#"
read -r task
seed=$(printf '%s' "$task" | sed 's/.*"seed":\([0-9]*\).*/\1/')
i=0
while [ $i -lt 60 ]; do
    i=$((i + 1))
    if grep -qx $i kills 2>/dev/null && ! [ -e killed-$i ]; then
        touch killed-$i
        kill -"$(cat signal 2>/dev/null || echo KILL)" $PPID
    fi
    printf '{"evaluate":[[0,-%s,%s],[0,1,2]],"pairs":3}\n' $i $((seed % 7))
    read -r answer || exit 1
    case $answer in *stop*) exit ;; esac
    [ $((i % 9)) -ne 0 ] || printf '{"champion":[0,-%s,1]}\n' $i
done
"#;

const EXPERIMENT: &str =
    "family: war\nmethod: sh search.sh\nbudget: 100k\nevaluation-pairs: 50\nmonitor-pairs: 20\n";

/// Lets the experiment start the search.
const ALLOWED: &str = "--allow-programs";

/// The directory of the run inside the directory of its experiment.
const RUN: &str = "run/war-search-seed1";

/// Creates a directory with the search and its experiment.
fn begin(seed: u64, kills: &str) -> Home {
    let path = Home::new();
    fs::write(path.join("search.sh"), SEARCH).expect("writable");
    fs::write(path.join("e.yaml"), format!("{EXPERIMENT}seed: {seed}\n")).expect("writable");
    fs::write(path.join("kills"), kills).expect("writable");
    path
}

#[test]
fn killed_by_its_program_a_run_goes_on() {
    let whole = begin(1, "");
    printed(&["run", "e.yaml", "--out", "run", "-q", ALLOWED], &whole);
    let expected = files(&whole.join("run"));
    let answers = fs::read_to_string(whole.join(RUN).join("answers.csv")).expect("there");
    assert_eq!(answers.lines().count(), 1 + 2 * 60);
    let checkpoint = &expected[Path::new("war-search-seed1/checkpoint.yaml")];
    assert!(checkpoint.len() < 1_000, "it does not grow: {} bytes", checkpoint.len());

    for every in ["20ms", "1h"] {
        let killed = begin(1, "1\n2\n20\n41\n60\n");
        let path = &killed;
        let begun =
            output(&["run", "e.yaml", "--out", "run", "--checkpoint-every", every, ALLOWED], path);
        assert_eq!(begun.status.code(), None, "{begun:?}");
        let mut num_kills = 1;
        while !output(&["resume", "run", "--checkpoint-every", every, ALLOWED], path)
            .status
            .success()
        {
            // Rows that were not confirmed, and half a row, are dropped.
            let table = path.join(RUN).join("answers.csv");
            let text = fs::read_to_string(&table).unwrap_or_default();
            fs::write(&table, format!("{text}{},0f", text.lines().last().unwrap_or_default()))
                .expect("writable");
            num_kills += 1;
            assert!(num_kills < 6, "it is killed once at each");
        }
        assert_eq!(num_kills, 5);
        assert_eq!(files(&path.join("run")), expected, "{every}");
    }
}

#[test]
fn answers_that_are_not_those_of_the_run_are_refused() {
    let other = begin(2, "");
    printed(&["run", "e.yaml", "--out", "run", "-q", ALLOWED], &other);
    let theirs = other.join("run/war-search-seed2/answers.csv");
    let theirs = fs::read_to_string(theirs).expect("there");
    let ours = begin(1, "50\n");
    let path = &ours;
    // An interrupted run keeps all its answers. One that is killed keeps those before its last checkpoint.
    fs::write(path.join("signal"), "INT").expect("writable");
    let interrupted = output(&["run", "e.yaml", "--out", "run", ALLOWED], path);
    assert_eq!(interrupted.status.code(), Some(130), "{interrupted:?}");
    let table = path.join(RUN).join("answers.csv");
    let whole = fs::read_to_string(&table).expect("it had answers");
    let rows: Vec<&str> = whole.lines().collect();
    let repeated = [&rows[..1], &rows[2..3], &rows[1..]].concat().join("\n");
    for (what, changed) in
        [("edited", whole.replacen(",0.", ",1.", 1)), ("repeated", repeated), ("foreign", theirs)]
    {
        fs::write(&table, &changed).expect("writable");
        refuses(&["resume", "run", ALLOWED], path, "answers.csv");
        assert_eq!(fs::read_to_string(&table).expect("there"), changed, "{what}");
    }
    // Without the answers that were lost, the run begins again.
    fs::write(&table, "").expect("writable");
    printed(&["resume", "run", ALLOWED], path);
    assert_eq!(fs::read_to_string(&table).expect("there").lines().count(), 1 + 2 * 60);
}

/// Returns `true` if a process is running. A zombie, which is still listed although it has ended, does not count.
fn is_alive(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
}

/// A program that starts a child, writes both process ids, and waits.
const WAITS: &str =
    "read -r task\nsleep 600 &\necho $! > child\necho $$ > program\nread -r answer\ntouch closed\n";

/// If Ctrl-C or a scheduler stops `ruse`, the program and its children end. If `ruse` is killed, the program's input is
/// closed.
#[test]
fn a_program_and_its_children_end_with_the_run() {
    for signal in ["-INT", "-TERM", "-KILL"] {
        let directory = begin(1, "");
        let path = &directory;
        fs::write(path.join("search.sh"), WAITS).expect("writable");
        let mut command = ruse(&["run", "e.yaml", "--out", "run", ALLOWED], path);
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        let read = |name: &str| fs::read_to_string(path.join(name)).unwrap_or_default();
        wait_until("it starts", || read("program").ends_with('\n'));
        let kill = |signal: &str, pid: &str| {
            let status = Command::new("kill").args([signal, pid]).status();
            assert!(status.expect("kill is there").success());
        };
        kill(signal, &child.id().to_string());
        child.wait().expect("it ends");
        let [program, grandchild] = ["program", "child"].map(|name| read(name).trim().to_string());
        wait_until("the program ends", || !is_alive(&program));
        match signal {
            "-KILL" => {
                assert!(path.join("closed").exists(), "its input is closed");
                kill("-KILL", &grandchild);
            }
            _ => wait_until("its child ends", || !is_alive(&grandchild)),
        }
    }
}
