//! Files for a paper about a comparison: the tables in LaTeX, a bibliography, and a one-page example document.
//!
//! [`Paper::files`] is a pure function that returns names and texts. The figures are drawn elsewhere.

use std::collections::HashSet;
use std::fmt::Write as _;

use ruse_base::names::by_key;

use super::format::{escaped, span};
use super::words::{how_scored, listed};
use super::{Options, Report, ScoreCell};

/// The first words of files that are overwritten when the results are written again. All other files belong to the
/// author.
pub const MARK: &str = "% Written by ruse";

/// The name of the example document.
pub const DOCUMENT: &str = "main.tex";

/// The name of the makefile that compiles the document.
pub const MAKEFILE: &str = "Makefile";

/// The name of the file with the bibliography.
pub const BIBLIOGRAPHY: &str = "ruse.bib";

const REFERENCES: &str = include_str!("references.bib");

/// The content of a paper about a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Paper<'a> {
    /// The tables.
    pub report: &'a Report,
    /// True if published figures are shown beside ours.
    pub side_by_side: bool,
    /// The names of the figures, without extension, each with its description.
    pub figures: Vec<(String, String)>,
    /// The names of the operators that compare candidates, each with the methods that use it.
    pub races: Vec<(String, Vec<String>)>,
    /// The methods that compare no candidates by races.
    pub without_races: Vec<String>,
    /// The opponents against which champions are scored.
    pub opponents: Vec<String>,
}

impl Paper<'_> {
    /// Returns the path and the text of each file of the paper, without the figures, `figures/NAME.pdf`.
    pub fn files(&self) -> Vec<(String, String)> {
        let options = Options { side_by_side: self.side_by_side, ..Options::default() };
        let tables = self.report.tables(&options).latex(&options);
        let mut files = vec![
            (DOCUMENT.into(), self.document(&tables)),
            (MAKEFILE.into(), include_str!("Makefile").into()),
            (BIBLIOGRAPHY.into(), self.bibliography()),
        ];
        let of_table = |(name, text): (String, String)| {
            (format!("tables/{name}.tex"), format!("{MARK}, table {name}.\n{text}"))
        };
        files.extend(tables.into_iter().map(of_table));
        files
    }

    /// Returns the keys of the bibliography entries on a subject: a kind and a name, as in `method:cma-es` or
    /// `game:war`.
    fn keys_of(kind: &str, name: &str) -> Vec<&'static str> {
        let is_of = |keyword: &str| match keyword.split_once(':') {
            // The name of a variant begins with the name of its game.
            Some(("game", game)) if kind == "game" => name.strip_prefix(game).is_some_and(|rest| {
                !rest.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
            }),
            Some(of) => of == (kind, name),
            None => false,
        };
        entries().filter(|entry| entry.keywords().any(is_of)).map(Entry::key).collect()
    }

    /// Returns the subjects in the text that have citations, by kind and name.
    fn cited(&self) -> Vec<(&'static str, String)> {
        let methods = self.report.scores.methods.iter().map(|method| ("method", method.clone()));
        let games = self.report.scores.families.iter().map(|family| ("game", family.clone()));
        let races = self.races.iter().map(|(race, _)| ("race", race.clone()));
        let meetings = (!self.report.head_to_head.is_empty()).then_some("meetings");
        let across = self.report.across.as_ref().map(|_| "across");
        let statistics = meetings.into_iter().chain(across);
        let statistics = statistics.map(|name| ("statistics", name.to_string()));
        methods.chain(games).chain(races).chain(statistics).collect()
    }

    fn bibliography(&self) -> String {
        let cited: HashSet<&str> =
            self.cited().iter().flat_map(|(kind, name)| Paper::keys_of(kind, name)).collect();
        let own = format!(
            "@misc{{ruse,\n  author = {{{{The developers of ruse}}}},\n  title = {{ruse: strategies for games with hidden \
             information, tuned and compared}},\n  note = {{Version {}}},\n  howpublished = {{\\url{{{}}}}}\n}}\n",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_REPOSITORY"),
        );
        let entries = entries().filter(|entry| cited.contains(entry.key()));
        let entries: Vec<String> =
            std::iter::once(own).chain(entries.map(|entry| entry.without_keywords())).collect();
        format!(
            "{MARK}: this software, and the methods, races, games and tests of the comparison.\n\n{}",
            entries.join("\n")
        )
    }

    /// Joins names for a sentence, each with its citations.
    fn named(kind: &str, names: &[String]) -> String {
        let one = |name: &String| match Paper::keys_of(kind, name).as_slice() {
            [] => escaped(name),
            keys => format!("{}~\\cite{{{}}}", escaped(name), keys.join(",")),
        };
        let names: Vec<String> = names.iter().map(one).collect();
        listed(&names, "and")
    }

    /// Says how the scores of each family were found, families with the same sample together.
    fn samples(&self) -> String {
        let scores = &self.report.scores;
        let samples = scores.families.iter().zip(&scores.cells).filter_map(|(family, row)| {
            let cells = row.iter().filter_map(|cell| cell.ours.as_ref());
            cells.clone().next()?;
            let how = how_scored(cells.map(|cell: &ScoreCell| (&cell.mean, cell.num_runs)));
            Some((how, family.clone()))
        });
        let samples = by_key(samples);
        match samples.as_slice() {
            [(how, _)] => how.clone(),
            samples => {
                let words = samples.iter();
                let words = words.map(|(how, of)| format!("{} {how}", Paper::named("", of)));
                words.collect::<Vec<_>>().join("; ")
            }
        }
    }

    /// Describes the experiment, by what was played.
    fn description(&self) -> String {
        let scores = &self.report.scores;
        let one_or_many = |names: &[String], one, many| if names.len() == 1 { one } else { many };
        let mut text = format!(
            "We compare the {} {} on the {} {}.\n",
            one_or_many(&scores.methods, "method", "methods"),
            Paper::named("method", &scores.methods),
            one_or_many(&scores.families, "family of strategies", "families of strategies"),
            Paper::named("game", &scores.families),
        );
        let cells = || scores.ours();
        let runs = span(cells().map(|cell| cell.num_runs as u64)).unwrap_or("0".into());
        let times = match runs.as_str() {
            "1" => "once".into(),
            runs => format!("{runs} times, each with another seed,"),
        };
        let games = cells().map(|cell| cell.num_games / cell.num_runs as u64);
        let games =
            span(games).map_or(String::new(), |games| format!(", with {games} games a run"));
        let _ = writeln!(text, "Each method is run {times} on each family{games}.");
        let races = self.races.iter().map(|(race, methods)| {
            let race = Paper::named("race", std::slice::from_ref(race));
            format!("{race} in {}", Paper::named("", methods))
        });
        let races: Vec<String> = races.collect();
        if !races.is_empty() {
            let others = match self.without_races.as_slice() {
                [] => String::new(),
                [one] => format!("; {} does not race", escaped(one)),
                some => format!("; {} do not race", Paper::named("", some)),
            };
            let _ =
                writeln!(text, "Candidates are compared by races: {}{others}.", races.join(", "));
        }
        let opponents = self.opponents.iter().map(|name| match name.as_str() {
            "redrawn" => "a strategy whose parameters are drawn again for every pair".into(),
            "fixed" => "a strategy whose parameters were drawn once".into(),
            "zero" => "the strategy whose parameters are all 0".into(),
            name => escaped(name),
        });
        let _ = writeln!(
            text,
            "The best strategy of each run is scored against {}: {}; in a pair the same deal is played twice, with the \
             seats swapped, and a draw counts as one half. Intervals are at 95\\%; those over runs are Student's.",
            opponents.collect::<Vec<_>>().join(" or "),
            self.samples(),
        );
        if !self.report.head_to_head.is_empty() {
            let keys = Paper::keys_of("statistics", "meetings").join(",");
            let _ = writeln!(
                text,
                "Methods meet through the best strategies of their runs; the intervals come from a two-sample \
                 statistic~\\cite{{{keys}}}."
            );
        }
        if self.report.across.is_some() {
            let keys = Paper::keys_of("statistics", "across").join(",");
            let _ = writeln!(
                text,
                "Methods are compared over families by the tests of Friedman, Wilcoxon and Nemenyi~\\cite{{{keys}}}."
            );
        }
        let _ = write!(
            text,
            "All results were computed with ruse {}~\\cite{{ruse}}, and can be repeated bit by bit from the experiment file.",
            env!("CARGO_PKG_VERSION")
        );
        text
    }

    fn document(&self, tables: &[(String, String)]) -> String {
        // Two tables fit on a page: the scores, and the comparison of the methods.
        let wanted = ["scores-against-the-baseline", "methods-across-families"];
        let is_shown = |name: &str| wanted.contains(&name);
        let input = |shown: bool| {
            let some = tables.iter().filter(move |(name, _)| is_shown(name) == shown);
            let comment = if shown { "" } else { "% " };
            some.map(move |(name, _)| format!("{comment}\\input{{tables/{name}}}\n"))
                .collect::<String>()
        };
        let figure = |(name, what): &(String, String)| {
            let is_shown = name == "scores";
            let comment = if is_shown { "" } else { "% " };
            let lines = [
                "\\begin{figure}".to_string(),
                "\\centering".into(),
                format!(
                    "\\includegraphics[width=85mm,height=.25\\textheight,keepaspectratio]{{figures/{name}}}"
                ),
                format!("\\caption{{{}}}", escaped(what)),
                format!("\\label{{fig:{name}}}"),
                "\\end{figure}".into(),
            ];
            lines.map(|line| format!("{comment}{line}\n")).concat()
        };
        let figures: String = self.figures.iter().map(figure).collect();
        format!(
            "% A page that shows how the tables and figures are used. It is yours: ruse writes it once, and tables/, figures/ and\n\
             % {BIBLIOGRAPHY} again whenever it is asked to. `make` compiles it.\n\
             \\documentclass{{article}}\n\
             \\usepackage[a4paper,margin=15mm]{{geometry}}\n\
             \\usepackage{{booktabs}}\n\
             \\usepackage{{graphicx}}\n\
             \\usepackage{{multicol}}\n\
             \\usepackage{{url}}\n\
             \\begin{{document}}\n\
             \\section*{{Comparison}}\n\
             {}\n\n\
             {}{}{figures}\n\
             \\begin{{multicols}}{{2}}\\footnotesize\n\
             \\bibliographystyle{{plain}}\n\
             \\bibliography{{ruse}}\n\
             \\end{{multicols}}\n\
             \\end{{document}}\n",
            self.description(),
            input(true),
            input(false),
        )
    }
}

#[derive(Clone, Copy)]
struct Entry(&'static str);

fn entries() -> impl Iterator<Item = Entry> {
    REFERENCES.split("\n\n").map(|text| Entry(text.trim()))
}

impl Entry {
    fn key(self) -> &'static str {
        self.0.split_once('{').and_then(|(_, rest)| rest.split(',').next()).unwrap_or_default()
    }

    /// Returns the subject keywords of the entry, such as `method:cma-es`.
    fn keywords(self) -> impl Iterator<Item = &'static str> {
        let (_, rest) = self.0.split_once("keywords = {").unwrap_or_default();
        rest.split('}').next().unwrap_or_default().split(", ")
    }

    fn without_keywords(self) -> String {
        let lines = self.0.lines().filter(|line| !line.trim_start().starts_with("keywords"));
        lines.map(|line| format!("{line}\n")).collect()
    }
}

#[cfg(test)]
mod tests {
    use ruse_lab::fixtures::{meeting, run};
    use ruse_play::race::Operator;
    use ruse_registry::Registry;

    use super::*;
    use crate::tests::records_of;

    #[test]
    fn all_that_is_built_in_is_cited_and_nothing_else() {
        let registry = Registry::standard();
        let mut known = HashSet::new();
        let methods = registry.methods().map(|method| ("method", method.name().to_string()));
        let games = registry.families().map(|family| ("game", family.name().to_string()));
        let races = Operator::ALL.map(|race| ("race", race.name().to_string()));
        for (kind, name) in methods.chain(games).chain(races) {
            let keys = Paper::keys_of(kind, &name);
            assert!(!keys.is_empty(), "{kind} {name} has no reference");
            known.extend(keys);
        }
        known.extend(Paper::keys_of("statistics", "meetings"));
        known.extend(Paper::keys_of("statistics", "across"));
        let all: Vec<&str> = entries().map(Entry::key).collect();
        assert_eq!(all.iter().copied().collect::<HashSet<_>>(), known);
        assert_eq!(all.len(), known.len(), "a key stands for two works");
        assert!(Paper::keys_of("game", "nimble").is_empty());
        assert_eq!(Paper::keys_of("game", "guess-who-deterministic").len(), 2);
    }

    fn sample() -> Report {
        let mut records = records_of(&["war", "my_game"], &["naive", "my_method"]);
        for family in ["war", "my_game"] {
            for seed in 1..=3 {
                records.runs.push(run(family, "naive", seed, 0.6 + 0.01 * seed as f64));
                records.runs.push(run(family, "my_method", seed, 0.5));
                let (a, b) = (("naive", seed), ("my_method", seed));
                records.measurements.push(meeting(family, a, b, 0.55));
            }
        }
        Report::new(&records, None).expect("sound records")
    }

    fn paper(report: &Report) -> Paper<'_> {
        Paper {
            report,
            side_by_side: false,
            figures: vec![
                ("scores".into(), "Scores.".into()),
                ("head-to-head-war".into(), "war: scores.".into()),
            ],
            races: vec![("betting".into(), vec!["naive".into()])],
            without_races: vec!["my_method".into()],
            opponents: vec!["redrawn".into()],
        }
    }

    #[test]
    fn citations_are_in_the_bibliography() {
        let report = sample();
        let files = paper(&report).files();
        let text = |path: &str| {
            let found = files.iter().find(|(name, _)| name == path);
            &found.unwrap_or_else(|| panic!("{path}")).1
        };
        let (document, bibliography) = (text(DOCUMENT), text(BIBLIOGRAPHY));
        let cited = document.split("\\cite{").skip(1).filter_map(|rest| rest.split('}').next());
        let cited: HashSet<&str> = cited.flat_map(|keys| keys.split(',')).collect();
        let entries = bibliography.split("\n@").skip(1);
        let entries: HashSet<&str> =
            entries.filter_map(|entry| entry.split_once('{')?.1.split(',').next()).collect();
        assert_eq!(cited, entries);
        assert!(cited.contains("ruse") && cited.contains("waudby2024estimating"), "{cited:?}");
        assert!(!bibliography.contains("keywords"));
        // The sample is what was played: 20,000 pairs each, and 1,000 games a run.
        assert!(document.contains("is run 3 times") && document.contains("with 1,000 games a run"));
        assert!(
            document.contains("for every pair: on 20,000 pairs of games; in a pair"),
            "{document}"
        );
        assert!(document.contains("in naive; my\\_method does not race."), "{document}");
        // A user's own method and game are named, but not cited.
        assert!(document.contains("and my\\_method on"), "{document}");
    }

    /// A caption of two lines has at most about 95 letters, with the number of the table.
    #[test]
    fn captions_are_short_and_labels_are_names() {
        let report = sample();
        let files = paper(&report).files();
        let tables: Vec<_> = files.iter().filter(|(path, _)| path.starts_with("tables/")).collect();
        assert!(tables.len() >= 5, "{}", tables.len());
        for (path, text) in tables {
            let name = path.trim_start_matches("tables/").trim_end_matches(".tex");
            assert!(text.starts_with(MARK) && text.contains(&format!("\\label{{tab:{name}}}")));
            let caption = text.split("\\caption{").nth(1).and_then(|rest| rest.lines().next());
            let caption = caption.expect("a caption");
            let letters =
                caption.replace("$^{\\sim}$", "~").replace("$\\pm$", "+").replace("\\%", "%");
            assert!(letters.len() <= 100, "{caption}");
            assert!(!text.contains("the paper's rule}"), "{text}");
        }
    }
}
