//! Tests of Ctrl-C: the results so far are printed and written, and the exit code reports the interruption.

#[cfg(target_os = "linux")]
use std::io::Write;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use crate::support::printed;
use crate::support::{Arguments, Home, ruse, signal, wait_until};

fn begin(arguments: &(impl Arguments + ?Sized), directory: &Path) -> Child {
    let mut command = ruse(arguments, directory);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

fn interrupt(name: &str, exit_code: i32) {
    let directory = &*Home::new();
    let mut child =
        begin(&["optimise", "pig", "--budget", "100G", "--out", "run", "--json"], directory);
    // The first line on standard error shows that the run has started.
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    stderr.read_line(&mut String::new()).expect("readable");
    let history = directory.join("run/pig-es-seed1/history.csv");
    wait_until("no iteration was done", || {
        std::fs::read_to_string(&history).is_ok_and(|text| text.lines().count() >= 4)
    });
    signal(&child, name);

    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(exit_code));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(found["stop_reason"], "interrupted");
    assert!(found["score_against_baseline"]["pairs"].as_u64() >= Some(1));
    let rows = std::fs::read_to_string(&history).expect("a history").lines().count() as u64;
    // The file has a row with the names of the columns, a row for the start, and one row for each iteration.
    assert_eq!(found["iterations"].as_u64(), Some(rows - 2));
    let strategy = directory.join("run/pig-es-seed1/strategy.yaml");
    assert!(std::fs::read_to_string(strategy).expect("there").contains("stop-reason: interrupted"));
}

tests! {
    fn interrupted_from_the_keyboard() = interrupt("-INT", 130);
    fn asked_to_terminate() = interrupt("-TERM", 143);
    /// The first decision of each of these players takes minutes or hours. After a signal, the decision is abandoned, and
    /// the command prints the same text as for other players.
    #[cfg(target_os = "linux")]
    fn a_decision_in_thought_is_broken_off() = break_off(7);
    /// All commands that can take long print what they have if they are interrupted, and say that they were.
    #[cfg(target_os = "linux")]
    fn some_commands_keep_what_they_have() = keep_what_they_have(5);
    @long
    #[cfg(target_os = "linux")]
    fn all_commands_keep_what_they_have() = keep_what_they_have(1);
    #[cfg(target_os = "linux")]
    fn any_decision_in_thought_is_broken_off() = break_off(1);
}

/// If no work polls for stop requests yet, there is nothing to save, so the first signal ends the program.
#[test]
#[cfg(target_os = "linux")]
fn interrupted_before_there_is_work() {
    let directory = &*Home::new();
    // 63,000 runs take a second to plan, and are then refused.
    let mut child = begin("compare all --repeats 1000", directory);
    let status = format!("/proc/{}/status", child.id());
    wait_until("it does not listen to signals", || {
        std::fs::read_to_string(&status).is_ok_and(listens_to_interrupts)
    });
    signal(&child, "-INT");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

/// Scoring the start of this run takes hours. The run is interrupted before its first iteration, and can be resumed.
#[test]
fn interrupted_before_the_first_iteration() {
    let experiment = "family: battleship\nmonitor-pairs: 1G\nbudget: 1k\n";
    let path = &*Home::with("e.yaml", experiment);
    for arguments in ["run e.yaml --out run --huge --threads 1", "resume run --threads 1"] {
        let mut child = begin(arguments, path);
        let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        while !line.contains("es method") {
            line.clear();
            assert!(stderr.read_line(&mut line).expect("readable") > 0, "{arguments:?}");
        }
        std::thread::sleep(Duration::from_millis(300));
        signal(&child, "-INT");
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
        assert!(!path.join("run/battleship-es-seed1/strategy.yaml").exists());
    }
}

/// Waits until a program handles signals and is at work: until it has started another program, or has used the
/// processor for `work`, which does not depend on how busy the machine is.
#[cfg(target_os = "linux")]
fn wait_for_work(child: &mut std::process::Child, work: Duration) {
    let process = format!("/proc/{}", child.id());
    let read =
        |name: &str| std::fs::read_to_string(format!("{process}/{name}")).unwrap_or_default();
    let has_children = || {
        let tasks = std::fs::read_dir(format!("{process}/task")).into_iter().flatten().flatten();
        let children = tasks.map(|task| std::fs::read_to_string(task.path().join("children")));
        children.into_iter().any(|children| children.is_ok_and(|children| !children.is_empty()))
    };
    wait_until("it does not listen to signals, or does not begin", || {
        let has_worked = || time_used(&read("stat")).is_some_and(|used| used >= work);
        let is_at_work = listens_to_interrupts(read("status")) && (has_worked() || has_children());
        is_at_work || child.try_wait().expect("a child").is_some()
    });
}

/// Returns the time of the processor in `/proc/PROCESS/stat`: the fields 14 and 15, in hundredths of a second.
#[cfg(target_os = "linux")]
fn time_used(stat: &str) -> Option<Duration> {
    let (_name, fields) = stat.rsplit_once(')')?;
    let fields = fields.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
    let hundredths: Vec<u64> = fields.collect::<Result<_, _>>().ok()?;
    Some(Duration::from_millis(10 * hundredths.iter().sum::<u64>()))
}

/// Returns `true` if the status of a process shows that SIGINT has a handler, which is bit 1 of the mask of caught
/// signals.
#[cfg(target_os = "linux")]
fn listens_to_interrupts(status: String) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 0b10 != 0)
}

/// Interrupts every `step`-th of the commands while a player thinks.
#[cfg(target_os = "linux")]
fn break_off(step: usize) {
    /// A timeout that is ample on a busy machine. A signal takes effect within milliseconds.
    const PATIENCE: Duration = Duration::from_secs(10);
    const NOTHING_YET: &str = "stopped before the first results: there is nothing to print\n";
    const NO_SCORE: &str = "stopped before the first pair of games was over: there is no score\n";
    let round_robin =
        "family: connect_four.kif\nplayers: [mac-ucb@1000000ks, uct@10000k]\npairs: 2\n";
    let path = &*Home::with("round-robin.yaml", round_robin);
    for (command, said) in [
        ("match connect_four.kif mac-ucb@1000000ks uct@1000000ks", NO_SCORE),
        ("match connect_four.kif random fc-ucb@600s", NO_SCORE),
        ("match connect_four.kif forward-ucb@10000k:exact=1 random", NO_SCORE),
        ("match battleship_4x4.kif mac-ucb@1000000ks random", NO_SCORE),
        ("match connect_four.kif uct@10000k random --decisions decisions.csv", NO_SCORE),
        ("match four-in-a-row naive-mcts@10000k mc-lsi@10000k", NO_SCORE),
        ("match rts-script mcts-mlps@10000k mc-lsi@10000k", NO_SCORE),
        ("tournament nim uct@10000k:solver=0 random", NOTHING_YET),
        ("exploit connect_four.kif uct@10000k --budget 1k", ""),
        ("optimise connect_four.kif:uct --rule thought=100000 --out run", ""),
        (
            "compare connect_four.kif:uct --rule thought=100000 --methods naive --budget 10 --out comparison",
            "`ruse resume comparison` goes on from here\n",
        ),
        ("run round-robin.yaml --out round-robin", "`ruse resume round-robin` goes on from here\n"),
        ("resume round-robin", "`ruse resume round-robin` goes on from here\n"),
    ]
    .into_iter()
    .step_by(step)
    {
        let mut child = begin(command, path);
        wait_for_work(&mut child, Duration::from_millis(500));
        assert!(child.try_wait().expect("a child").is_none(), "{command} is over");
        signal(&child, "-INT");
        let start = Instant::now();
        while child.try_wait().expect("a child").is_none() {
            assert!(start.elapsed() < PATIENCE, "{command} goes on");
            std::thread::sleep(Duration::from_millis(10));
        }
        let output = child.wait_with_output().expect("it has ended");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{command}: {stderr}");
        assert!(!stderr.contains("panicked"), "{command}: {stderr}");
        assert!(stderr.ends_with(&format!("{said}interrupted by SIGINT\n")), "{command}: {stderr}");
        // No pair of games was finished, so no score is printed.
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(!stdout.contains("interval"), "{command}: {stdout}");
    }
}

/// Commands that end within moments, or wait for a person or a server. They are interrupted like others, and other tests
/// interrupt `play`, `gamer` and `resume`.
#[cfg(target_os = "linux")]
const SHORT: &str = "advise completions export gamer help init list man merge new page plan play plot publish race rank replay report \
                     resume schema slurm table watch";

/// Work that takes hours, and words of what is printed if it is interrupted, or nothing if there is nothing to print yet.
#[cfg(target_os = "linux")]
const LONG: [(&str, &str); 19] = [
    ("bandit rts:8x8-1 --strategies ns,random --budget 100 --repeats 1000000", "Means over"),
    ("bench war --seconds 3600", "games/s"),
    ("check-player 'sleep 1000' pig", ""),
    ("compare war --methods naive --budget 1G --out compared", ""),
    ("evaluate pig --stdin --max-pairs 1G", "\"score\""),
    ("explain war --budget 1G", "baseline"),
    ("exploit small --budget 1G", "Exploitability"),
    ("exploit war descending --budget 1G --json", "\"interrupted\": true"),
    ("match war random ascending --pairs 1G", "95% interval"),
    ("optimise pig --budget 100G --out optimised", "pig"),
    ("portfolio war --random 8 --pairs 100M", "Nash portfolio"),
    (
        "portfolio war --random 8 --pairs 100 --against random --online --games 100M",
        "Nash portfolio",
    ),
    ("power war --pairs 1G", "The variance of a pair was"),
    ("run long.yaml --out run --huge", "95% interval"),
    ("show connect_four.kif --perft 40", "sequences"),
    ("show connect_four.kif --games 100000000", "random games"),
    ("solve connect_four.kif", ""),
    ("tournament war --pairs 1G", "mean score"),
    ("tournament cheat --best --pairs 1G --delta 0.0000000001", "mean score"),
];

/// Interrupts every `step`-th of the commands that take long. Each command has to be known.
#[cfg(target_os = "linux")]
fn keep_what_they_have(step: usize) {
    let directory = &*Home::new();
    let help = printed("--help", directory);
    let commands = help.split_once("Commands:\n").expect("commands").1.lines();
    for command in commands.take_while(|line| !line.is_empty()) {
        let Some(name) = command.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')) else {
            continue;
        };
        let name = name.split(' ').next().expect("a name");
        let is_long = LONG.iter().any(|(command, _)| command.split(' ').next() == Some(name));
        let is_short = SHORT.split_whitespace().any(|short| short == name);
        assert!(is_long != is_short, "add `{name}` to `LONG` or to `SHORT`");
    }
    let small =
        "compare war --rule ranks=3 --methods naive --budget 1k --half-width 0.2 --out small";
    printed(small, directory);
    std::fs::write(directory.join("long.yaml"), "family: pig\nbudget: 100G\n").expect("writable");
    for (number, (command, printed)) in LONG.into_iter().enumerate().step_by(step) {
        let (signal, code) = [("INT", 130), ("TERM", 143)][number % 2];
        // There may be nothing to print yet.
        let is_kept = [200, 1_000, 5_000, 20_000].into_iter().any(|milliseconds| {
            let time = Duration::from_millis(milliseconds);
            is_kept_at(directory, command, printed, time, signal, code)
        });
        assert!(is_kept, "{command}: nothing of `{printed}` is printed");
    }
}

/// Interrupts a command after this time of work. Returns `true` if it then prints these words.
#[cfg(target_os = "linux")]
fn is_kept_at(
    directory: &Path,
    command: &str,
    printed: &str,
    time: Duration,
    name: &str,
    code: i32,
) -> bool {
    // An earlier attempt may have made them.
    for made in ["compared", "optimised", "run"] {
        let _ = std::fs::remove_dir_all(directory.join(made));
    }
    let mut child = begin(command, directory);
    if command.starts_with("evaluate") {
        let requests = b"{\"a\": \"hold-20\"}\n{\"a\": [1], \"pairs\": 90000000}\n";
        let _ = child.stdin.as_mut().expect("a pipe").write_all(requests);
    }
    wait_for_work(&mut child, time);
    assert!(child.try_wait().expect("a child").is_none(), "{command} is over");
    signal(&child, &format!("-{name}"));
    let since = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert!(since.elapsed() < Duration::from_secs(20), "{command}: {:?}", since.elapsed());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{command}: {stderr}");
    assert!(stderr.ends_with(&format!("interrupted by SIG{name}\n")), "{command}: {stderr}");
    String::from_utf8_lossy(&output.stdout).contains(printed)
}

/// `timeout` sends the signal to the program and to its group, which is one request. A later signal ends the program at
/// once, even if the work is not over.
#[test]
#[cfg(target_os = "linux")]
fn two_signals_at_once_are_one_request() {
    let command = ["2", "PROGRAM", "tournament", "war", "--pairs", "1G", "--threads", "1"];
    let program = assert_cmd::cargo::cargo_bin!("ruse");
    let mut timed = Command::new("timeout");
    let output = timed.arg(command[0]).arg(program).args(&command[2..]).output().expect("it runs");
    // The exit code of `timeout` itself.
    assert_eq!(output.status.code(), Some(124));
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|it| String::from_utf8(it).expect("text"));
    assert!(stdout.contains("mean score"), "{stdout}{stderr}");
    assert!(stderr.ends_with("interrupted by SIGTERM\n"), "{stderr}");
}

/// The results of a round robin that is interrupted repeatedly equal the results of an uninterrupted round robin,
/// because abandoned decisions are not recorded.
#[test]
#[cfg(target_os = "linux")]
fn a_game_that_is_broken_off_counts_for_nothing() {
    let experiment =
        "family: tic_tac_toe.kif\nplayers: [mac-ucb@1ks, 'uct@1ks', random]\npairs: 3\n";
    let path = &*Home::with("e.yaml", experiment);
    let ruse = |arguments: &str| {
        let mut command = ruse(arguments, path);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
    };
    assert!(ruse("run e.yaml --out whole").wait().expect("it ends").success());
    let mut child = ruse("run e.yaml --out stopped");
    for attempt in 1.. {
        wait_for_work(&mut child, Duration::from_millis(100 + 40 * attempt));
        let mut kill = Command::new("kill");
        kill.args(["-INT", &child.id().to_string()]).stderr(Stdio::null());
        let _it_may_be_over = kill.status();
        if child.wait().expect("it ends").success() {
            break;
        }
        child = match path.join("stopped/experiment.yaml").exists() {
            true => ruse("resume stopped"),
            false => ruse("run e.yaml --out stopped"),
        };
    }
    for name in ["results.csv", "meetings.csv", "film.json"] {
        let read = |of: &str| std::fs::read_to_string(path.join(of).join(name)).expect("a file");
        assert_eq!(read("stopped"), read("whole"), "{name}");
    }
}
