//! Tests of files in `docs/` that are derived from other files. With `TRYCMD=overwrite`, the tests write the derived
//! files.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use super::{Page, RUSE, page, root, sandbox};

pub(super) fn is_to_be_written() -> bool {
    std::env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite")
}

/// Returns the first sentence of the text of a page.
fn first_sentence(page: &Page) -> String {
    let prose = page.prose();
    let is_text = |paragraph: &&str| {
        paragraph.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '*' | '`' | '['))
    };
    let paragraph = prose.split("\n\n").map(str::trim).find(is_text).unwrap_or_default();
    let line = paragraph.replace('\n', " ");
    line.split_inclusive(". ").next().unwrap_or_default().trim().to_owned()
}

/// Returns the contents of `docs/llms.txt`: the subject of the book, and a line for every page in the order of the
/// summary.
fn list_for_language_models() -> String {
    let docs = root().join("docs");
    let about = first_sentence(&page(&docs.join("README.md")));
    let mut list = format!("# ruse\n\n> {about}\n\n## Pages\n\n");
    for path in page(&docs.join("SUMMARY.md")).links() {
        let page = page(&docs.join(&path));
        let title = page.text.lines().find_map(|line| line.strip_prefix("# "));
        let title = title.expect("a page has a title");
        let address = format!("https://github.com/OWNER/ruse/raw/main/docs/{path}");
        writeln!(list, "- [{title}]({address}): {}", first_sentence(&page)).expect("a string");
    }
    list
}

#[test]
fn the_list_for_language_models_has_every_page() {
    /// Returns the titles and paths in a list. Other parts of the list are not compared: the addresses may contain
    /// another owner of the repository, and the first sentences of pages may have changed.
    fn pages(list: &str) -> Vec<(&str, &str)> {
        let lines = list.lines().filter_map(|line| line.strip_prefix("- ["));
        let links = lines.filter_map(|line| line.split("): ").next()?.split_once("]("));
        links.map(|(title, to)| (title, to.split_once("/docs/").map_or(to, |to| to.1))).collect()
    }
    let path = root().join("docs/llms.txt");
    let list = list_for_language_models();
    if is_to_be_written() {
        fs::write(&path, &list).expect("the list can be written");
    }
    let written = fs::read_to_string(path).unwrap_or_default();
    assert_eq!(pages(&written), pages(&list), "TRYCMD=overwrite writes docs/llms.txt");
}

/// A row of `docs/figures/speed.csv`: the games per second of `ruse` and of another program.
struct Speed<'a> {
    peer: &'a str,
    game: &'a str,
    ruse: f64,
    other: f64,
}

/// The prefix of the name of the Java program, whose speed is scaled to the machine of `ruse`.
const SCALED: &str = "Ontañón";

fn speeds(table: &str) -> Vec<Speed<'_>> {
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|row| {
        let cells: Vec<&str> = row.split(',').collect();
        let number = |at: usize| cells[at].parse::<f64>().expect("a number");
        // The yardstick of War reached 215,000 games per second on the machine of `ruse`, and 270,000 on the machine of
        // the Java program. OpenSpiel was measured on the same machine as `ruse`.
        let scale = if cells[0].starts_with(SCALED) { 215.0 / 270.0 } else { 1.0 };
        assert!((number(3) - number(4) * scale).abs() < 1.0, "{row}: the scaled speed is wrong");
        Speed { peer: cells[0], game: cells[1], ruse: number(2), other: number(3) }
    })
    .collect()
}

/// Draws a panel for each program that `ruse` is compared with, and in it two bars for each game. Their lengths are
/// proportional to the speeds.
fn chart_of_speed(speeds: &[Speed<'_>]) -> String {
    const LEFT: f64 = 120.0;
    const LONGEST: f64 = 390.0;
    const TOP: f64 = 40.0;
    const HEADING: f64 = 30.0;
    const ROW: f64 = 30.0;
    const FONT: &str = r#"font-family="DejaVu Sans, Verdana, sans-serif""#;
    const OURS: &str = "#0072B2";
    const THEIRS: &str = "#999999";
    let panels: Vec<&[Speed<'_>]> = speeds.chunk_by(|a, b| a.peer == b.peer).collect();
    let most = speeds.iter().map(|speed| speed.ruse).fold(1.0, f64::max);
    let height = TOP + HEADING * panels.len() as f64 + ROW * speeds.len() as f64 + 30.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"{height}\" viewBox=\"0 0 640 {height}\" {FONT} \
         font-size=\"11\" fill=\"#262626\">\n<rect width=\"640\" height=\"{height}\" fill=\"#FFFFFF\"/>\n"
    );
    fn text(svg: &mut String, x: f64, y: f64, look: &str, words: &str) {
        writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" {look}>{words}</text>").expect("a string");
    }
    let heading = "Random games per second, on one core";
    text(&mut svg, 10.0, 24.0, "font-size=\"14\"", heading);
    let mut y = TOP;
    for panel in panels {
        let (kind, note) = if panel[0].peer.starts_with(SCALED) {
            ("ruse, strategy game, 100 cycles", ", scaled to the same machine")
        } else {
            ("ruse, rule files", ", games in C++")
        };
        text(&mut svg, 10.0, y + 16.0, &format!("fill=\"{OURS}\""), kind);
        text(&mut svg, 230.0, y + 16.0, "fill=\"#5F5F5F\"", &format!("{}{note}", panel[0].peer));
        y += HEADING;
        for speed in panel {
            text(&mut svg, 10.0, y + 15.0, "", &speed.game.replace('_', " "));
            for (value, below, colour) in [(speed.ruse, 0.0, OURS), (speed.other, 12.0, THEIRS)] {
                let (y, length) = (y + below, LONGEST * value / most);
                writeln!(
                    svg,
                    "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{length:.1}\" height=\"11\" fill=\"{colour}\"/>"
                )
                .expect("a string");
                let words = format!("{:.0}k", value / 1000.0);
                text(&mut svg, LEFT + length + 5.0, y + 9.5, "font-size=\"10\"", &words);
            }
            let ratio = speed.ruse / speed.other;
            let words = format!("{ratio:.*} times", usize::from(ratio < 9.95));
            text(&mut svg, 575.0, y + 15.0, "", &words);
            y += ROW;
        }
    }
    let foot = "docs/figures/speed.csv has versions, machines and numbers.";
    text(&mut svg, 10.0, y + 16.0, "fill=\"#5F5F5F\" font-size=\"10\"", foot);
    svg + "</svg>\n"
}

#[test]
fn the_chart_of_speed_is_that_of_its_table() {
    let table =
        fs::read_to_string(root().join("docs/figures/speed.csv")).expect("the table can be read");
    let chart = chart_of_speed(&speeds(&table));
    let path = root().join("docs/figures/speed.svg");
    if is_to_be_written() {
        fs::write(&path, &chart).expect("the chart can be written");
    }
    assert_eq!(fs::read_to_string(path).unwrap_or_default(), chart, "TRYCMD=overwrite draws it");
}

/// Returns the figures of the book: the file in `docs/`, the file that is drawn, and the commands, separated by
/// semicolons, after `long: ` if they take long.
fn figures() -> Vec<[&'static str; 3]> {
    let lines = include_str!("figures.txt").lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| line.split(" | ").collect::<Vec<_>>().try_into().expect("three parts"))
        .collect()
}

fn check_figures(are_long: bool) {
    let figures = figures();
    let mut stale = Vec::new();
    for together in figures.chunk_by(|a, b| a[2] == b[2]) {
        let commands = together[0][2];
        let long = commands.strip_prefix("long: ");
        if long.is_some() != are_long {
            continue;
        }
        let sandbox = sandbox();
        for command in long.unwrap_or(commands).split("; ") {
            let mut process = Command::new(RUSE);
            let output = process.args(command.split(' ')).current_dir(&sandbox).output();
            let output = output.expect("the program starts");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{command}: {said}");
        }
        for [figure, drawn, _] in together {
            let path = root().join("docs").join(figure);
            let drawn = fs::read(sandbox.path().join(drawn)).expect("the figure is drawn");
            if is_to_be_written() {
                fs::write(&path, &drawn).expect("the figure can be written");
            }
            if fs::read(&path).unwrap_or_default() != drawn {
                stale.push(format!("docs/{figure} differs from what `ruse {commands}` draws"));
            }
        }
    }
    assert!(stale.is_empty(), "TRYCMD=overwrite draws them:\n{}", stale.join("\n"));
}

tests! {
    fn figures_are_what_the_program_draws() = check_figures(false);
    @long
    fn figures_of_longer_work_are_what_the_program_draws() = check_figures(true);
}

#[test]
fn every_figure_has_its_command() {
    let files = fs::read_dir(root().join("docs/figures")).expect("the directory can be read");
    let files = files.map(|file| file.expect("readable").file_name().into_string().expect("text"));
    let there: BTreeSet<String> = files.map(|name| format!("figures/{name}")).collect();
    let known = figures().into_iter().map(|[figure, ..]| figure.to_string());
    // The chart of speed has a table, and a test of its own.
    let known = known.filter(|figure| figure.starts_with("figures/"));
    let speed = ["figures/speed.csv", "figures/speed.svg"].map(String::from);
    assert_eq!(there, known.chain(speed).collect::<BTreeSet<_>>());
    let text: String = super::pages().iter().map(|page| page.text.as_str()).collect();
    for figure in there {
        assert!(text.contains(&figure), "no page shows docs/{figure}");
    }
}
