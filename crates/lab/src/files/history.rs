//! The history of a run: one row per iteration.

use ruse_optimise::methods::{IterationRecord, Lesson, StepEnd};
use ruse_play::score::{CONFIDENCE, Estimate};
use serde::Deserialize;

pub(crate) const HISTORY: &str = "history.csv";

pub(crate) const COLUMNS: [&str; 13] = [
    "iteration",
    "sigma",
    "accepted",
    "reason",
    "iteration-games",
    "score",
    "low",
    "high",
    "games",
    "baseline-score",
    "baseline-low",
    "baseline-high",
    "baseline-pairs",
];

pub(crate) fn row(record: &IterationRecord) -> [String; COLUMNS.len()] {
    let step = record.step;
    let score = step.map(|step| step.score());
    let baseline = record.baseline_score.as_ref();
    [
        record.iteration.to_string(),
        cell(record.sigma),
        cell(record.accepted().map(u8::from)),
        cell(step.map(|step| step.end())),
        cell(step.map(|_| record.iteration_games)),
        cell(score.map(|(score, _)| score)),
        cell(score.map(|(_, [low, _])| low)),
        cell(score.map(|(_, [_, high])| high)),
        record.games.to_string(),
        cell(baseline.map(|estimate| estimate.score)),
        cell(baseline.map(|estimate| estimate.interval[0])),
        cell(baseline.map(|estimate| estimate.interval[1])),
        cell(baseline.map(|estimate| estimate.pairs)),
    ]
}

pub(crate) fn cell<T: ToString>(value: Option<T>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// A point of a learning curve: the score of an incumbent against the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// The number of games in comparisons so far.
    pub games: u64,
    /// The score of the incumbent.
    pub estimate: Estimate,
}

/// A row of the history of a run: one iteration. Row 0 is the start.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct HistoryRow {
    /// The iteration, 0 for the start.
    pub iteration: u64,
    /// The step size after the iteration, for methods that have one.
    pub sigma: Option<f64>,
    /// 1 if the candidate was accepted, 0 if not; `None` if there was no comparison.
    pub accepted: Option<u8>,
    /// The reason why the games of the iteration ended.
    pub reason: Option<StepEnd>,
    /// The number of games in comparisons so far.
    pub games: u64,
    baseline_score: Option<f64>,
    baseline_low: Option<f64>,
    baseline_high: Option<f64>,
    baseline_pairs: Option<u64>,
}

impl HistoryRow {
    /// Returns the score of the incumbent against the baseline, if this iteration has a new incumbent.
    pub fn curve_point(&self) -> Option<CurvePoint> {
        let interval = [self.baseline_low?, self.baseline_high?];
        let (score, pairs) = (self.baseline_score?, self.baseline_pairs?);
        let estimate = Estimate { score, interval, confidence: CONFIDENCE, pairs };
        Some(CurvePoint { games: self.games, estimate })
    }

    /// Returns `true` if the candidate was accepted; `None` if no candidate was tested, as in a generation from which
    /// the method only learns.
    pub fn decision(&self) -> Option<bool> {
        let learned = [Lesson::Generation, Lesson::SelfPlay, Lesson::Ablation, Lesson::Response]
            .map(StepEnd::Lesson);
        let asked = self.reason.is_some_and(|reason| !learned.contains(&reason));
        self.accepted.filter(|_| asked).map(|accepted| accepted != 0)
    }
}

#[cfg(test)]
mod tests {
    use ruse_play::race::Reason;

    use super::*;

    /// Returns the meaning of two fields of a row: why the iteration's games ended, and whether the candidate was
    /// accepted.
    fn read(accepted: &str, reason: &str) -> (Option<StepEnd>, Option<bool>) {
        let columns = "iteration,sigma,accepted,reason,games,baseline-score,baseline-low,baseline-high,baseline-pairs";
        let text = format!("{columns}\n1,,{accepted},{reason},10,,,,\n");
        let row = csv::Reader::from_reader(text.as_bytes()).deserialize().next();
        let row: HistoryRow = row.expect("a row").expect("of a history");
        (row.reason, row.decision())
    }

    #[test]
    fn games_outside_races_have_their_own_words() {
        let race = |reason| Some(StepEnd::Race(reason));
        let lesson = |lesson| Some(StepEnd::Lesson(lesson));
        assert_eq!(read("1", "better"), (race(Reason::Better), Some(true)));
        assert_eq!(read("0", "not-better"), (race(Reason::NotBetter), Some(false)));
        assert_eq!(read("1", "best-average"), (lesson(Lesson::BestAverage), Some(true)));
        // A generation does not decide about a candidate.
        assert_eq!(read("0", "generation"), (lesson(Lesson::Generation), None));
        assert_eq!(read("", ""), (None, None));
        for end in [StepEnd::Race(Reason::NotBetter), StepEnd::Lesson(Lesson::BestAverage)] {
            assert_eq!(read("0", &end.to_string()).0, Some(end));
        }
    }
}
