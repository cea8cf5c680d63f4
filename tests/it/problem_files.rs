//! Tests of files of bandit problems.

use std::path::Path;

use ruse::bandits::{Positions, ProblemFile};
use ruse::registry::Registry;

use crate::support::Home;

fn read(text: &str) -> Result<ProblemFile, String> {
    let directory = &*Home::new();
    let path = directory.join("p.yaml");
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
    for case in include_str!("problem_files.txt").split_terminator("\n---\n") {
        let (text, message) = case.rsplit_once("\n=> ").expect("a text and a message");
        assert_eq!(read(text).err().as_deref(), Some(message), "{text}");
    }
    let error =
        read("problems:\n  a: { means: [[1]], sigma: 1, colour: red }").err().unwrap_or_default();
    assert!(error.contains("unknown field `colour`"), "{error}");
}
