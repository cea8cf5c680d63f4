//! The answers to a page, as plain data.

use ruse::lab::SeriesScore;
use ruse::score::{CONFIDENCE, score_interval_at};
use ruse::session::{Decision, Judged, Scale, Source, Values};
use ruse_games::{Beliefs, Units};
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Debug, Serialize)]
pub(crate) struct FamilyLine {
    pub(crate) name: String,
    pub(crate) game: String,
}

/// The player whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TurnOf {
    /// The person.
    Person,
    /// A strategy.
    Strategy,
    /// No player: the game is over.
    Nobody,
}

/// Formats the numbers of games won, drawn and lost as JSON, with the person's score and its interval, or in a game with units
/// with the mean payoff.
pub(crate) fn score_json(series: SeriesScore, sum: f64, units: Option<&Units>) -> Value {
    let SeriesScore { wins, draws, losses } = series;
    let games = wins + draws + losses;
    let score = (games > 0).then(|| (wins as f64 + draws as f64 / 2.0) / games as f64);
    let values = [(0.0, losses), (0.5, draws), (1.0, wins)].into_iter();
    let values: Vec<(f64, u64)> = values.filter(|&(_, count)| count > 0).collect();
    let interval = (games > 1).then(|| score_interval_at(CONFIDENCE, &values));
    let mut object = json!({
        "wins": wins,
        "draws": draws,
        "losses": losses,
        // The wins plus half the draws, divided by the number of games; null before the end of the first game.
        "score": score,
        // The 95% interval of the score, if any.
        "interval": interval,
    });
    if let Some(units) = units.filter(|_| games > 0) {
        object["payoff"] = units.text(sum / games as f64, 2).into();
    }
    object
}

/// Formats the probabilities of a board's cells as JSON. The keys are the inputs for the cells.
pub(crate) fn beliefs_json(beliefs: &Beliefs) -> Value {
    let probabilities =
        beliefs.cells().map(|belief| (belief.cell.clone(), belief.probability.into()));
    let largest = beliefs.largest();
    let best = beliefs.cells().filter(|belief| beliefs.is_best(belief, largest));
    json!({
        "meaning": beliefs.meaning,
        "is_aim": beliefs.is_aim,
        "largest": largest,
        "best": best.map(|belief| &belief.cell).collect::<Vec<_>>(),
        "probabilities": probabilities.collect::<serde_json::Map<_, _>>(),
    })
}

/// Formats the values of choices as JSON.
pub(crate) fn values_json(values: &Values) -> Value {
    let (source, playouts) = match values.source {
        Source::PerfectPlay => ("perfect-play", None),
        Source::Playouts { number } => ("playouts", Some(number)),
    };
    let choices = values.choices.iter().map(|choice| {
        json!({
            "typed": choice.typed,
            "meaning": choice.meaning,
            "score": choice.score,
            "interval": choice.interval,
            "is_advice": choice.is_advice,
        })
    });
    json!({
        "source": source,
        "playouts": playouts,
        "num_compared": values.num_compared,
        "choices": choices.collect::<Vec<_>>(),
    })
}

/// Formats a comparison of a decision with the best one as JSON.
pub(crate) fn judged_json(judged: &Judged) -> Value {
    let (scale, rests_on) = match &judged.scale {
        Scale::Score(Source::PerfectPlay) => ("score", "perfect play of both sides".into()),
        Scale::Score(Source::Playouts { number }) => {
            ("score", format!("means of {number} playouts of each choice"))
        }
        Scale::Aim(meaning) => ("aim", meaning.clone()),
    };
    json!({
        "typed": judged.typed,
        "value": judged.value,
        "best": judged.best,
        "best_value": judged.best_value,
        "lost": judged.lost(),
        "is_clear": judged.is_clear,
        "scale": scale,
        "rests_on": rests_on,
    })
}

/// Formats the frequencies of a strategy's actions as JSON.
pub(crate) fn decision_json(decision: &Decision) -> Value {
    let chosen = decision.chosen.iter().map(
        |chosen| json!({ "typed": chosen.typed, "meaning": chosen.meaning, "share": chosen.share }),
    );
    json!({ "asked": decision.num_asked, "chosen": chosen.collect::<Vec<_>>() })
}
