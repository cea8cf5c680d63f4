//! Results that prove nothing: no sentence of a report may claim anything about them.

use ruse_lab::fixtures::{estimate, exact, exploited, meeting, run, yardstick};
use ruse_lab::{Records, RunRecord, YardstickKind};
use ruse_play::score::{Estimate, Pairings};

use super::paper::Paper;
use super::{Format, Leader, Options, Report};

/// Words of claims, between bars. A sentence with one of them needs one of [`CAUTION`].
const CLAIMS: &str = "best|highest|lowest|least|largest|significant|clear|better|worse|wins|beats|lead|paid|chance|\
                      most|hardest|safest|nearest|support| > ";
/// Words of sentences that claim nothing, between bars: they deny a claim, name a tie, or define a word of the table.
const CAUTION: &str = "No method|no two|no significant|none of|in none|does not show|share the|may be chance|too few|\
                       did not|says nothing|say little|not known|no difference|nothing better|rough|\
                       cannot be computed|without cycles|no interval supports|Significant: by|\
                       Methods better: the number|has the highest mean score";

/// Records of methods on families. `score` returns the score of a run, given the family, the method and the seed.
fn records(
    sizes: [usize; 3],
    estimate: fn(f64) -> Estimate,
    score: impl Fn([usize; 3]) -> f64,
) -> Records {
    let [num_families, num_methods, num_runs] = sizes;
    let names =
        |letter: char, count: usize| (0..count).map(move |index| format!("{letter}{index}"));
    let mut records = Records {
        families: names('f', num_families).collect(),
        methods: names('m', num_methods).collect(),
        ..Records::default()
    };
    for (f, family) in names('f', num_families).enumerate() {
        for (m, method) in names('m', num_methods).enumerate() {
            for seed in 0..num_runs {
                let value = score([f, m, seed]);
                let run = run(&family, &method, seed as u64, value);
                records.runs.push(RunRecord { score: estimate(value), ..run });
                records.measurements.push(exploited(&family, &method, seed as u64, 0.6));
            }
        }
        for (a, b) in Pairings::of(num_methods).all() {
            let met = (0..num_runs).flat_map(|i| (0..num_runs).map(move |j| (i, j)));
            for (i, j) in met {
                let value = 0.5 + score([f, a, i]) - score([f, b, j]);
                let [a, b] = [a, b].map(|method| format!("m{method}"));
                let met = meeting(&family, (&a, i as u64), (&b, j as u64), value);
                records.measurements.push(met.scored(estimate(value)));
            }
        }
        for (kind, name) in
            [(YardstickKind::Random, "random"), (YardstickKind::Reference, "reference")]
        {
            records.measurements.push(yardstick(&family, kind, name, 0, estimate(0.5)));
        }
    }
    records
}

/// Returns the sentences that claim something without caution.
fn claims(texts: impl IntoIterator<Item = String>) -> Vec<String> {
    let texts: Vec<String> = texts.into_iter().collect();
    let sentences = texts.iter().flat_map(|text| text.split(". "));
    let is_claim = |sentence: &&str| {
        CLAIMS.split('|').any(|word| sentence.contains(word))
            && !CAUTION.split('|').any(|word| sentence.contains(word))
    };
    sentences.filter(is_claim).map(String::from).collect()
}

#[test]
fn unproven_claims_are_not_made() {
    // Scores that differ from run to run more than from method to method, by a fixed pattern.
    let noisy =
        |[f, m, seed]: [usize; 3]| 0.5 + 0.05 * ((7 * f + 5 * m + 3 * seed) % 8) as f64 - 0.175;
    // The methods take the first ranks in turn.
    let in_turn =
        |[f, m, seed]: [usize; 3]| 0.4 + 0.01 * ((f + m) % 2) as f64 + 0.1 * (seed % 3) as f64;
    let mut wrong = Vec::new();
    for (case, records) in [
        ("no method", records([1, 0, 0], estimate, noisy)),
        ("no run", records([2, 2, 0], estimate, noisy)),
        ("one method", records([1, 1, 4], estimate, noisy)),
        ("one run", records([1, 3, 1], estimate, noisy)),
        ("one run, two families", records([2, 3, 1], estimate, noisy)),
        ("two runs", records([2, 3, 2], estimate, noisy)),
        ("equal", records([1, 3, 4], estimate, |_| 0.5)),
        ("equal and exact", records([1, 3, 4], exact, |_| 0.5)),
        ("equal and exact, six families", records([6, 3, 4], exact, |_| 0.5)),
        ("equal, six families", records([6, 2, 4], estimate, |_| 0.5)),
        ("noise", records([1, 8, 6], estimate, noisy)),
        ("noise, two families", records([2, 2, 6], estimate, noisy)),
        ("in turn, two families", records([2, 2, 6], estimate, in_turn)),
        ("in turn, six families", records([6, 2, 6], estimate, in_turn)),
    ] {
        let report = Report::new(&records, None).expect("sound records");
        let options = Options::default();
        let tables = report.tables(&options);
        let mut texts = report.findings();
        for table in &tables.tables {
            texts.extend(table.notes.iter().cloned());
            texts.extend(table.absent.map(String::from));
        }
        let paper = Paper {
            report: &report,
            side_by_side: false,
            figures: Vec::new(),
            races: Vec::new(),
            without_races: Vec::new(),
            opponents: Vec::new(),
        };
        let (_, document) = &paper.files()[0];
        let described = document.split("\\begin{multicols}").next().unwrap_or_default();
        let words = described.lines().filter(|line| !line.starts_with(['%', '\\']));
        // "The best strategy of each run" is the champion.
        texts.extend(words.map(|line| line.replace("best strateg", "strateg")));
        wrong.extend(claims(texts).into_iter().map(|claim| format!("{case}: {claim}")));
        // Each score is marked as the best or as not clearly worse.
        for cell in report.scores.ours() {
            assert!(cell.is_best || cell.is_not_clearly_worse, "{case}: {cell:?}");
        }
        assert!(!matches!(report.ranking.leader(), Leader::Proven(_)), "{case}");
        let terminal = tables.render(Format::Terminal, &options);
        assert!(!terminal.contains("without bound"), "{case}: {terminal}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Proofs are stated, so the test above is not passed by silence.
#[test]
fn proven_claims_are_made() {
    let apart = |[_, m, seed]: [usize; 3]| 0.8 - 0.1 * m as f64 + 0.001 * (seed % 3) as f64;
    for (num_families, claim) in
        [(1, "All other methods score clearly less."), (6, "m0 scores best")]
    {
        let report = Report::new(&records([num_families, 2, 6], estimate, apart), None);
        let findings = report.expect("sound records").findings();
        assert!(findings[0].contains(claim), "{findings:?}");
        assert!(findings[1].starts_with("The largest significant difference"), "{findings:?}");
        assert!(findings[2].contains("earning"), "{findings:?}");
        assert!(claims(findings).len() >= 3, "{num_families}");
    }
}
