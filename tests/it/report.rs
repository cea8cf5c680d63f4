//! Tests of pages about runs, which may be unfinished. The pages are well-formed and complete, and always have the same
//! bytes.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use crate::support::{Home, object, printed, prints, refused, refuses};

/// Writes the page about the directory `name` twice, and checks the page.
fn page(parent: &Path, name: &str) -> String {
    let path = format!("{name}/report.html");
    assert_eq!(printed(&["report", name], parent), format!("{path}\n"));
    let html = fs::read_to_string(parent.join(&path)).expect("there");
    // If the page is written from another directory to another path, it has the same bytes.
    let elsewhere = parent.join("elsewhere.html");
    let out = elsewhere.to_str().expect("text");
    printed(&["report", ".", "--out", out], &parent.join(name));
    assert_eq!(fs::read_to_string(&elsewhere).expect("there"), html);

    let text = html.strip_prefix("<!DOCTYPE html>\n").expect("it begins with its type");
    let document = roxmltree::Document::parse(text).expect("balanced tags");
    let mut ids = HashSet::new();
    for node in document.descendants() {
        assert!(node.attribute("id").is_none_or(|id| ids.insert(id)), "{node:?}");
        assert!(node.attribute("src").is_none());
        assert!(!node.has_tag_name("script") || node.attributes().len() == 0);
        assert!(node.attribute("href").is_none_or(|href| href.starts_with('#')));
    }
    assert!(html.contains("content=\"default-src 'none'; script-src 'sha256-"));
    // The page does not show when, where and with how many threads it was made.
    assert!(html.contains("provenance.yaml in the directory of the results"));
    assert!(!html.contains(&parent.display().to_string()));
    let provenance = fs::read_to_string(parent.join(name).join("provenance.yaml")).expect("there");
    let started = provenance.lines().find(|line| line.starts_with("started:")).expect("a time");
    assert!(!html.contains(started.trim_start_matches("started: ").trim_matches('\'')));
    html
}

fn count(html: &str, what: &str) -> usize {
    html.matches(what).count()
}

#[test]
fn a_run_has_a_page() {
    let path = &*Home::new();
    // The method is in the paper, so there is a published figure.
    printed(
        "optimise war --method naive --budget 1k --out one --comparison majority --worst-case 0",
        path,
    );
    let html = page(path, "one");
    assert_eq!(count(&html, "<svg aria-label"), 2);
    for part in ["The strategy", "How it was learned"] {
        assert!(html.contains(&format!(">{part}</h2>")), "{part}");
    }
    // Published figures are shown only on request.
    assert!(!html.contains("Teytaud"));
    let beside = printed("report one --side-by-side --out beside.html", path);
    assert!(beside.contains("beside.html"));
    let beside = fs::read_to_string(path.join("beside.html")).expect("a page");
    assert!(beside.contains("Cauwet &amp; Teytaud"));
    assert!(html.contains("<th scope=\"row\">baseline</th>"));
    assert!(html.contains("ruse run DIR&#x2f;experiment.yaml --out NEW"));
    assert!(!html.contains("Not finished"));

    fs::remove_file(path.join("one/war-naive-seed1/strategy.yaml")).expect("there");
    let html = page(path, "one");
    assert!(html.contains("Not finished: 1 run<") && html.contains("ruse resume DIR"));
    assert_eq!(count(&html, "<svg aria-label"), 1);
}

#[test]
#[ignore = "long"]
fn all_methods_have_a_page() {
    let path = &*Home::new();
    printed("optimise pig --method all --budget 8k --comparison majority --out all", path);
    let html = page(path, "all");
    // There are two figures for each method, one for the champion, and three for all methods together.
    assert_eq!(count(&html, "<svg aria-label"), 22);
    assert!(html.contains(">The champion</h2>") && html.contains("36 races between champions"));
    assert!(html.contains("no other has a higher mean score than the champion of "));
}

#[test]
fn a_comparison_has_a_page() {
    let path = &*Home::new();
    let run = ["compare", "guess-who", "morra", "--methods", "naive,seeds", "--repeats", "2"];
    let how =
        ["--budget", "1k", "--half-width", "0.2", "--comparison", "majority", "--out", "both"];
    printed(&[&run[..], &how].concat(), path);
    let html = page(path, "both");
    // There are figures of the scores, of score and safety, and of the targets; two families are too few for mean ranks. For
    // each family, there are figures of the learning curves, the head-to-head scores, and the best strategy.
    assert_eq!(count(&html, "<svg aria-label"), 9);
    assert!(html.contains("<h1>naive and seeds on guess-who and morra</h1>"));
    assert!(html.contains("All 8 runs are finished.") && html.contains("8 of 8 meetings"));
    assert_eq!(count(&html, "The best of 4 runs"), 2);
    assert!(html.contains("morra: head to head") && html.contains("Methods across families"));
    // A computed score has neither interval nor sample.
    let cells = "<td data-label=\"95% interval\">exact</td><td data-label=\"pairs\">\u{2013}</td>";
    assert!(html.contains(cells) && !html.contains("data-label=\"pairs\">0</td></tr>"));
    // The findings come first, then the progress of the experiment. One table is open, and all tables of the report can
    // be folded.
    let findings = html.split("<ol class=\"findings\">").nth(1).expect("findings");
    let findings = findings.split("</ol>").next().unwrap_or_default();
    assert!((2..=3).contains(&count(findings, "<li>")), "{findings}");
    assert!(findings.contains("2 families are too few to rank methods"), "{findings}");
    assert!(html.find("</ol>") < html.find("All 8 runs are finished."));
    assert_eq!(count(&html, "<details open=\"open\">\n<summary>Scores against the baseline"), 1);
    assert_eq!(count(&html, "<caption>Scores against the baseline</caption>"), 0);
    let folded = "</summary>\n<figure class=\"table\">";
    assert_eq!(count(&html, folded), count(&html, "<figure class=\"table\">"));
    assert_eq!(count(&html, ">Scores against the baseline</h2>"), 1);
    // The commands for the best strategies come first.
    let at = |what: &str| html.find(what).expect(what);
    assert!(at("explains the best strategy of morra") < at("ruse run DIR&#x2f;experiment.yaml"));

    fs::remove_dir_all(path.join("both/morra-seeds-seed2")).expect("there");
    fs::remove_file(path.join("both/measurements.csv")).expect("there");
    let html = page(path, "both");
    assert!(html.contains("<li>morra, seeds, seed 2: not begun</li>"));
    assert!(html.contains("0 of 8 meetings") && html.contains("The best of 3 runs"));

    for name in ["guess-who", "morra"] {
        for method in ["naive", "seeds"] {
            for seed in ["1", "2"] {
                let run = path.join(format!("both/{name}-{method}-seed{seed}"));
                let _ = fs::remove_dir_all(run);
            }
        }
    }
    // A directory with this table would count as published.
    fs::remove_file(path.join("both/runs.csv")).expect("there");
    let html = page(path, "both");
    assert!(html.contains("0 of 8 runs are finished."));
    assert_eq!(count(&html, "No run of this family is finished."), 2);
}

/// The worth of parameters is measured once, stored beside the results, shown on later pages, and published.
#[test]
fn the_worth_of_parameters_is_on_the_page() {
    let path = &*Home::new();
    printed(
        "compare morra --methods naive,seeds --repeats 1 --budget 2k --half-width 0.2 --comparison majority --out both",
        path,
    );
    let table = path.join("both/measurements.csv");
    let rows = || fs::read_to_string(&table).expect("there");
    let ablations = |rows: &str| -> Vec<String> {
        rows.lines().filter(|row| row.starts_with("ablation,")).map(String::from).collect()
    };
    let before = page(path, "both");
    let compared = rows();
    assert!(!before.contains("The worth of parameters") && ablations(&compared).is_empty());

    printed("report both --ablate --threads 2", path);
    let all = rows();
    // One champion of the family is measured, with a row for each group.
    let measured = ablations(&all);
    assert!(measured.len() > 1, "{all}");
    let html = page(path, "both");
    assert_eq!(count(&html, ">The worth of parameters</h2>"), 1);
    assert_eq!(count(&html, "score lost with these parameters at 0"), 1);
    assert_eq!(count(&html, "<svg aria-label"), count(&before, "<svg aria-label") + 1);
    // Known values are not measured again, even with another number of threads.
    printed("report both --ablate --threads 1", path);
    assert_eq!(rows(), all);
    fs::write(&table, &compared).expect("writable");
    printed("report both --ablate --threads 1", path);
    assert_eq!(rows(), all);

    printed("publish both --out public", path);
    assert_eq!(fs::read_to_string(path.join("public/measurements.csv")).expect("there"), all);
    printed("report public --out public.html", path);
    let public = fs::read_to_string(path.join("public.html")).expect("a page");
    assert_eq!(count(&public, "score lost with these parameters at 0"), 1);

    // If only some groups are requested, they replace the measured groups of the family to which they belong.
    let groups: Vec<&str> = measured.iter().filter_map(|row| row.split(',').nth(2)).collect();
    printed(&["report", "both", &format!("--ablate={}", groups[0])], path);
    let again: Vec<String> = ablations(&rows()).split_off(measured.len());
    assert!(again.len() == 1 && again[0].contains(",group 1 of 1,"), "{again:?}");

    refuses("report both --ablate=queens", path, "no parameter of morra is in a group queens");
    let lines: Vec<String> = rows().lines().map(|row| row.replacen(",0.", ",0.1", 1)).collect();
    fs::write(&table, lines.join("\n") + "\n").expect("writable");
    refuses("report both", path, "measurements.csv");
}

#[test]
fn figures_are_picked_by_their_names() {
    let path = &*Home::new();
    printed("optimise morra --method cma-es --budget 2k --comparison majority --out one", path);
    let said = refused("plot one --out both.svg", path);
    assert!(
        said.contains("both.svg: strategy, learning-curve") && said.contains("--only"),
        "{said}"
    );

    let draw = |options: &[&str], out: &str| {
        let arguments = [&["plot", "one", "--out", out][..], options].concat();
        assert_eq!(printed(&arguments, path), format!("{out}\n"));
        fs::read(path.join(out)).expect("drawn")
    };
    assert!(draw(&["--only", "curve"], "curve.pdf").starts_with(b"%PDF-1.7"));
    let text = |document: Vec<u8>| String::from_utf8(document).expect("text");
    let usual = text(draw(&["--only", "strategy"], "strategy.svg"));
    assert!(usual.starts_with("<svg width=\"388\""), "{usual}");
    let options = ["--only", "strategy", "--width", "85mm", "--no-title"];
    let narrow = text(draw(&options, "narrow.svg"));
    assert!(narrow.starts_with("<svg width=\"85mm\""), "{narrow}");
    // Without a title, the words are only for screen readers. The caption states the seed.
    let drawn = |document: &str| document.split_once("</desc>").expect("its words").1.to_string();
    for words in ["morra: the start of a search", "seed 1"] {
        assert!(drawn(&usual).contains(words) && !drawn(&narrow).contains(words), "{narrow}");
        assert!(narrow.contains(words), "{narrow}");
    }
    let curve = text(draw(&["--only", "curve"], "curve.svg"));
    let all = text(draw(&["--only", "curve", "--all-panels"], "all.svg"));
    assert!(!curve.contains("step size sigma") && all.contains("step size sigma"));
}

#[test]
fn mistakes_are_explained() {
    let path = &*Home::new();
    printed("optimise pig --method cma-es --budget 1k --comparison majority --out one", path);
    for (arguments, message) in [
        (&["report", "one", "--out", "no/where.html"][..], "there is no directory no"),
        (&["report", "one", "--out", "one"], "one is a directory"),
        (&["report", "one/experiment.yaml"], "one/experiment.yaml is not a directory"),
        (&["report", "one/pig-cma-es-seed1"], "holds no experiment"),
    ] {
        refuses(arguments, path, message);
    }
}

#[test]
fn populations_are_drawn_the_same_on_any_number_of_threads() {
    let path = &*Home::new();
    printed("optimise nim --method iterative --iterations 60 --out nim", path);
    for threads in ["1", "3"] {
        let out = format!("{threads}.svg");
        printed(&["plot", "nim", "--population", "--threads", threads, "--out", &out], path);
    }
    let [one, three] = ["1.svg", "3.svg"].map(|name| fs::read(path.join(name)).expect("drawn"));
    assert!(!one.is_empty());
    assert_eq!(one, three);
}

/// A budget of ten games is too small for one iteration, so the champion is the start, and the page says so.
#[test]
fn a_run_that_found_nothing_says_so() {
    let path = &*Home::new();
    let said = printed("optimise war --rule ranks=3 --method cma-es --budget 10 --out none", path);
    let nothing = "No candidate was tried: this is the start (all parameters 0).";
    assert!(said.contains(nothing) && said.contains("`--budget 5M`"), "{said}");
    assert!(said.contains("The start (all parameters 0) puts"), "{said}");
    assert!(!said.contains("champion"), "{said}");

    prints("show none", path, nothing);
    let explained = object("explain none --json", path);
    assert_eq!(explained["improved"], false);
    let html = page(path, "none");
    assert_eq!(html.matches(nothing).count(), 1, "{html}");
    assert!(html.contains("war: the start of a search"), "{html}");
    assert!(!html.contains("the strategy found by"), "{html}");

    let resumed = object("resume none --json", path);
    assert_eq!(resumed["improved"], false);
    // Every method must prove in fresh games that its champion is better than the start.
    let elo = ["--method", "es", "--budget", "60k", "--seed", "3", "--out", "elo", "--json"];
    let worse = object(&[&["optimise", "elo-surface"], &elo[..]].concat(), path);
    let score = worse["score_against_start"]["score"].as_f64().expect("exact");
    assert_eq!((&worse["improved"], score < 0.5), (&false.into(), true), "{worse}");
    let better = object("optimise pig --budget 20k --out pig --json", path);
    assert_eq!(better["improved"], better["score_against_start"]["score"].as_f64() > Some(0.5));
}
