//! `ruse race` on commands that print a score.
#![cfg(unix)]

use std::process::Stdio;
use std::time::Instant;

use crate::support::{Home, object, output, printed, ruse, said, signal, wait_until};

/// Prints a score from 0 to 100 for a seed and a number that is added. Some seeds take longer, and with a third argument,
/// its multiples fail.
const SCORE: &str = "
s=$(( ($1 * 7919 + 13) % 97 ))
[ $(($1 % 5)) = 0 ] && sleep .02
[ \"$3\" ] && [ $(($1 % $3)) = 0 ] && exit 1
echo \"seed $1\"
echo $((s + $2))
";

/// Returns a directory with the command, and the words of a race between two settings of it.
fn place(rest: &str) -> (Home, Vec<String>) {
    let words = ["race", "sh score.sh {seed} 4", "sh score.sh {seed} 0", "--range", "0,101"];
    let words = words.into_iter().chain(rest.split_whitespace());
    (Home::with("score.sh", SCORE), words.map(String::from).collect())
}

#[test]
fn jobs_at_once_change_nothing() {
    let mut pages = Vec::new();
    for jobs in ["--jobs 1", "--jobs 3"] {
        let (place, words) = place(jobs);
        pages.push(printed(&words, &place));
    }
    assert_eq!(pages[0], pages[1]);
    assert!(pages[0].starts_with("better: `sh score.sh {seed} 4` scores more than"), "{pages:?}");
    assert!(pages[0].contains("; means "), "{pages:?}");
}

#[test]
fn the_verdict_is_the_exit_code() {
    for (rest, code) in [("", 0), ("--less", 1), ("--runs 9", 3), ("--range 0,50", 2)] {
        let (place, words) = place(&format!("{rest} --exit-code"));
        let words = match rest {
            "--range 0,50" => words
                .iter()
                .filter(|word| *word != "--range" && *word != "0,101")
                .cloned()
                .collect(),
            _ => words,
        };
        let output = output(&words, &place);
        assert_eq!(output.status.code(), Some(code), "{rest}: {}", said(&output));
    }
}

/// Every fourth seed fails in both commands.
#[test]
fn runs_that_fail_are_counted() {
    for (policy, num, skipped) in [("skip", 15, 5), ("worst", 20, 0)] {
        let (place, mut words) = place(&format!("--failures {policy} --runs 20 --json"));
        words[1] += " 4";
        words[2] += " 4";
        let found = object(&words, &place);
        assert_eq!(found["observations"], num, "{found}");
        assert_eq!(
            (&found["failed"][0], &found["skipped"]),
            (&5.into(), &skipped.into()),
            "{found}"
        );
    }
    let (place, mut words) = place("");
    words[1] += " 4";
    let output = output(&words, &place);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("seed 4: sh score.sh 4 4 4: it failed"), "{}", said(&output));
}

/// The second command never ends with seed 3.
#[test]
fn ctrl_c_gives_the_verdict_so_far() {
    let (place, mut words) = place("");
    words[2] = "sh -c 'test {seed} = 3 && touch begun && sleep 100; echo 1'".into();
    let mut command = ruse(&words, &place);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    wait_until("the third run has not begun", || place.join("begun").exists());
    let asked = Instant::now();
    signal(&child, "-INT");
    let output = child.wait_with_output().expect("it ends");
    assert!(asked.elapsed().as_secs() < 5);
    let page = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(130), "{page}");
    assert!(page.starts_with("undecided: ") && page.contains("2 pairs, seeds 1 to 2: "), "{page}");
}
