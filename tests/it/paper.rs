//! Tests of `--paper`. The document is the same each time, and keeps the changes that an author has made. If LaTeX is
//! installed, the document compiles to one page.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Home, files, printed, refused, refuses};

const COMPARE: &str = "compare morra guess-who guess-who-deterministic --methods naive,es --repeats 2 --budget 1k \
    --half-width 0.2 --out results --paper";

#[test]
fn a_comparison_is_a_paper() {
    let path = &*Home::new();
    printed(&format!("{COMPARE} paper"), path);
    let paper = path.join("paper");
    let before = files(&paper);
    for name in ["main.tex", "Makefile", "ruse.bib", "tables/scores-against-the-baseline.tex"] {
        assert!(before.contains_key(Path::new(name)), "{name}");
    }
    for name in ["scores", "learning-curves-morra", "head-to-head-guess-who"] {
        let figure = fs::read(paper.join(format!("figures/{name}.pdf"))).expect("a figure");
        assert!(figure.starts_with(b"%PDF-"), "{name}");
    }
    // The numbers in a column all have the same number of digits.
    let scores = fs::read_to_string(paper.join("tables/scores-against-the-baseline.tex"));
    let scores = scores.expect("a table");
    let row = |family: &str| {
        let line = scores.lines().find(|line| line.starts_with(family)).expect("a row");
        let figures = line.split(" & ").skip(1).map(|cell| {
            let digits = cell.split('.').nth(1).expect("a figure");
            digits.chars().take_while(char::is_ascii_digit).count()
        });
        figures.collect::<Vec<_>>()
    };
    assert_eq!(["guess-who", "guess-who-deterministic"].map(row), ["morra"; 2].map(row));

    // The author has edited the document; tables and figures are written again.
    let document = paper.join("main.tex");
    let mut text = fs::read_to_string(&document).expect("a document");
    text.push_str("% My own words.\n");
    fs::write(&document, &text).expect("writable");
    assert_eq!(printed("report results --paper paper", path), "paper\n");
    assert_eq!(fs::read_to_string(&document).expect("a document"), text);
    fs::remove_file(&document).expect("there");
    printed("report results --paper paper", path);
    assert!(files(&paper) == before);
    assert!(!path.join("results/report.html").exists());

    let is_there = |program: &str| Command::new(program).arg("--version").output().is_ok();
    // The smallest installation of TeX has no tables.
    let tables = Command::new("kpsewhich").arg("booktabs.sty").output();
    let has_tables = tables.is_ok_and(|found| found.status.success());
    if !has_tables || !["pdflatex", "bibtex", "make"].into_iter().all(is_there) {
        println!("skipped: pdflatex (Debian: texlive-latex-recommended) and make");
        return;
    }
    let made = Command::new("make").current_dir(&paper).output().expect("make starts");
    let log = fs::read(paper.join("main.log")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    assert!(made.status.success(), "{log}");
    assert!(log.contains("Output written on main.pdf (1 page,"), "{log}");
    for trouble in ["Overfull", "undefined", "Warning: Citation", "Warning: Reference"] {
        assert!(!log.contains(trouble), "{log}");
    }
    // All tables and figures compile, including those that do not fit on the page.
    let all = text.replace("% \\input", "\\input");
    let all: String = all.lines().map(|line| format!("{}\n", figure_line(line))).collect();
    fs::write(&document, all).expect("writable");
    let made = Command::new("make").current_dir(&paper).output().expect("make starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
}

/// Removes the comment sign from a line that includes a figure. Returns other lines unchanged.
fn figure_line(line: &str) -> &str {
    let commands = [
        "\\begin{figure}",
        "\\centering",
        "\\includegraphics",
        "\\caption",
        "\\label",
        "\\end{figure}",
    ];
    match line.strip_prefix("% ") {
        Some(rest) if commands.iter().any(|command| rest.starts_with(command)) => rest,
        _ => line,
    }
}

#[test]
fn a_paper_takes_the_place_of_nothing_else() {
    let path = &*Home::with("file", "mine");
    fs::create_dir(path.join("mine")).expect("writable");
    fs::write(path.join("mine/ruse.bib"), "@book{mine}").expect("writable");
    for (out, words) in [("file", "file is a file"), ("mine", "mine/ruse.bib")] {
        refuses(&format!("{COMPARE} {out}"), path, words);
    }
    // The refusal comes before any game is played.
    assert!(!path.join("results").exists());
    printed("optimise pig --method naive --budget 1k --out run", path);
    let error = refused("report run --paper paper", path);
    assert!(
        error.contains("a comparison of methods") && error.contains("ruse table run --format tex"),
        "{error}"
    );
    assert!(!path.join("paper").exists());
}
