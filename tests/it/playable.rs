//! Tests of the pages for playing that the program writes. The tests pack only the first bytes of a WebAssembly file,
//! not the compiled games, because the program checks only these bytes. `.ci/page` plays the real games.

use std::fs;
use std::path::Path;

use crate::support::{Home, output, printed, refuses, said};

/// Writes a file that is accepted as a file of compiled games, and returns the name of the file.
fn imitated(parent: &Path) -> &'static str {
    fs::write(parent.join("games.wasm"), b"\0asm\x01\0\0\0").expect("writable");
    "games.wasm"
}

#[test]
fn the_page_is_one_file_with_all_strategies() {
    let path = &*Home::with("mine.yaml", "family: morra\nparameters: {others: 0}\n");
    fs::create_dir(path.join("kept")).expect("writable");
    fs::write(
        path.join("kept/strategy.yaml"),
        "family: tic_tac_toe.kif\nparameters: {others: 0}\n",
    )
    .expect("writable");
    let wasm = imitated(path);
    let written = |strategies: &[&str]| {
        let arguments = [&["page", "--wasm", wasm, "--out", "play.html"], strategies].concat();
        let output = output(&arguments, path);
        let said = said(&output);
        assert!(output.status.success() && output.stdout.is_empty(), "{said}");
        (fs::read_to_string(path.join("play.html")).expect("there"), said)
    };
    let (usual, said) = written(&[]);
    assert!(said.contains("play.html has 20 strategies"), "{said}");
    let (html, said) = written(&["mine.yaml", "kept", "mine.yaml"]);
    assert!(said.contains("play.html has 23 strategies"), "{said}");
    assert!(html.len() > usual.len());
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
    assert_eq!(written(&[]).0, usual, "the same bytes each time");
}

#[test]
fn files_without_game_or_strategy_are_refused() {
    let path = &*Home::with("text.wasm", "no games");
    imitated(path);
    for (arguments, expected) in [
        ("text.wasm --out x.html", "cannot take the games from text.wasm: not WebAssembly"),
        ("none.wasm --out x.html", "cannot take the games from none.wasm"),
        ("games.wasm --out x.html none.yaml", "cannot read none.yaml"),
        ("games.wasm --out no/where.html", "there is no directory no"),
        ("games.wasm", "--out <FILE>"),
    ] {
        refuses(&format!("page --wasm {arguments}"), path, expected);
        assert!(!path.join("x.html").exists());
    }
}

/// A report contains the page for playing as the text of an attribute.
#[test]
fn a_report_can_be_played() {
    let path = &*Home::new();
    let wasm = imitated(path);
    printed("optimise morra --budget 2k --method naive --out one", path);
    printed(&["report", "one", "--playable", "--wasm", wasm, "--out", "played.html"], path);
    printed("report one --out plain.html", path);
    let read = |name: &str| fs::read_to_string(path.join(name)).expect("there");
    assert!(!read("plain.html").contains("<iframe"));
    let html = read("played.html");
    let text = html.strip_prefix("<!DOCTYPE html>\n").expect("it begins with its type");
    let document = roxmltree::Document::parse(text).expect("balanced tags");
    let frames = document.descendants().filter(|node| node.has_tag_name("iframe"));
    let [frame] = frames.collect::<Vec<_>>().try_into().expect("one frame");
    let inner = frame.attribute("srcdoc").expect("a page in the page");
    assert!(inner.starts_with("<!DOCTYPE html>") && inner.contains("id=\"files\""), "{inner:.200}");
}
