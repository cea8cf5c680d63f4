//! Tests of files of bandit problems.

use std::path::Path;

use ruse::bandits::{Positions, ProblemFile};
use ruse::registry::Registry;

fn read(text: &str) -> Result<ProblemFile, String> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("p.yaml");
    std::fs::write(&path, text).expect("writable");
    ProblemFile::read(&path, Registry::standard().positions()).map_err(|error| {
        let text = error.to_string();
        text.split_once("p.yaml").map_or(text.clone(), |(_, rest)| rest.into())
    })
}

/// The expected data were computed from the definition by another program.
#[test]
fn the_data_are_right() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/bandits/synthetic.yaml");
    let file = ProblemFile::read(&path, &Positions::default()).expect("it is ours");
    let names: Vec<&str> = file.problems.iter().map(|problem| problem.name.as_str()).collect();
    assert_eq!(names, ["small", "cells", "wide"]);
    let optimum = |k: usize| file.problems[k].optimum.as_ref().expect("few remainders");
    let legal = [0, 1, 2].map(|k| optimum(k).num_legal);
    assert_eq!(legal, [180, 966_351, 127_215_962_371_663].map(Some));
    assert_eq!(optimum(2).arm, [2, 7, 6, 4, 4, 7, 4, 5, 3, 3, 5, 1, 2, 7, 5, 7]);
    assert_eq!(file.results["wide"]["random"][&100].simple, [0.317749, 0.002779]);
}

#[test]
fn mistakes_have_their_place() {
    for (text, message) in [
        ("problems: {}", ":1:11: problems: there is no problem here; give one a name"),
        (
            "problems:\n  a: { means: [], sigma: 1 }",
            ":2:15: a: 0 variables, where 1 to 1000 should be",
        ),
        (
            "problems:\n  a: { means: [[1, 2], []], sigma: 1 }",
            ":2:24: a: variable 1 has 0 values, where 1 to 1000 should be",
        ),
        (
            "problems:\n  a:\n    means: [[1, 2]]\n    costs: [[0]]\n    sigma: 1",
            ":4:13: a: `costs` has 1 entries for variable 0, where `means` has 2",
        ),
        (
            "problems:\n  a: { means: [[1, .nan]], sigma: 1 }",
            ":2:20: a: the mean NaN of value 1 of variable 0 is not between -1e6 and 1e6",
        ),
        (
            "problems:\n  a: { means: [[1, 1e308]], sigma: 1 }",
            ":2:20: a: the mean 1e308 of value 1 of variable 0 is not between -1e6 and 1e6",
        ),
        (
            "problems:\n  a: { means: [[1]], sigma: -1 }",
            ":2:29: a: the standard deviation `sigma` is -1, where a number from 0 to 1e6 should be",
        ),
        (
            "problems:\n  a: { means: [[1], [2]], costs: [[2], [3]], budget: 4, sigma: 1 }",
            ":2:54: a: there is no legal arm: every arm costs 5 or more, and the budget is 4",
        ),
        (
            "problems:\n  a: { means: [[1], [2]], cells: [[3], [3]], sigma: 1 }",
            ":2:35: a: each value of variable 0 takes up a cell or costs more than another; give it one that takes up none, \
             and costs no more than the others",
        ),
        (
            "problems:\n  a: { means: [[1, 2]], sigma: 1, best: { mean: 1, arm: [0] } }",
            ":2:57: a: there is a better arm, [1] with 2.000000",
        ),
        (
            "problems:\n  a: { means: [[1, 2]], sigma: 1, legal_arms: 3 }",
            ":2:47: a: there are 2 legal arms, not 3",
        ),
        (
            "problems:\n  a: { means: [[1, 2]], sigma: 1, gap: 3 }",
            ":2:40: a: the gap to the second best arm is 1.000000, not 3",
        ),
    ] {
        assert_eq!(read(text).err().as_deref(), Some(message), "{text}");
    }
    for (text, message) in [
        ("results: {}", ":1:1: there is neither `problems` nor `positions`; give one of them"),
        (
            "positions:\n  a: { start: pig }",
            ":2:15: a: there is no game with positions for bandits `pig`; known are rts",
        ),
        (
            "positions:\n  a: { start: rts, policy: greedy }",
            ":2:28: a: there is no policy `greedy`; known are random-biased, random",
        ),
        (
            "positions:\n  a: { start: rts, horizon: 0 }",
            ":2:29: a: the horizon is 0 cycles, but must lie between 1 and 10000",
        ),
        (
            "positions:\n  a: { start: rts, fpu: 1.5 }",
            ":2:25: a: `fpu` is 1.5, where a number from 0 to 1 should be",
        ),
        (
            "problems:\n  a: { means: [[1]], sigma: 1 }\npositions:\n  a: { start: rts }",
            ":4:6: a: a problem has this name already",
        ),
    ] {
        assert_eq!(read(text).err().as_deref(), Some(message), "{text}");
    }
    let error =
        read("problems:\n  a: { means: [[1]], sigma: 1, colour: red }").err().unwrap_or_default();
    assert!(error.contains("unknown field `colour`"), "{error}");
}
