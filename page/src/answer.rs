//! The answers to a page, as plain data.

use ruse::lab::{Ending, SeatName};
use ruse::session::{Decision, Judged, Scale, Source, Values};
use ruse_games::{Beliefs, Drawing};
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Debug, Serialize)]
pub(crate) struct FamilyLine {
    pub(crate) name: String,
    pub(crate) game: String,
}

/// A family, with everything that a page needs for a game.
#[derive(Debug, Serialize)]
pub(crate) struct FamilyPage {
    pub(crate) name: String,
    pub(crate) game: String,
    /// The first paragraph of the rules.
    pub(crate) goal: String,
    pub(crate) rules: Vec<RuleLine>,
    pub(crate) opponents: Vec<OpponentLine>,
    pub(crate) usual: String,
    /// Some opponents, weakest first.
    pub(crate) levels: Vec<LevelLine>,
    /// The numbers of this family's strategies from files, for [`Wanted::File`](crate::Wanted::File).
    pub(crate) files: Vec<usize>,
    /// Instructions for describing a game from one player's point of view; `None` if the family cannot advise on
    /// described games.
    pub(crate) grammar: Option<GrammarLine>,
}

/// Instructions for describing a game.
#[derive(Debug, Serialize)]
pub(crate) struct GrammarLine {
    pub(crate) how: String,
    pub(crate) example: String,
}

/// A rule that can be changed.
#[derive(Debug, Serialize)]
pub(crate) struct RuleLine {
    pub(crate) name: String,
    pub(crate) meaning: String,
    pub(crate) value: u64,
    pub(crate) least: u64,
    pub(crate) most: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct OpponentLine {
    pub(crate) name: String,
    pub(crate) meaning: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct LevelLine {
    pub(crate) level: &'static str,
    pub(crate) opponent: String,
}

/// The result of opening a file.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Opened {
    /// A strategy. `file` is its number for [`Wanted::File`](crate::Wanted::File).
    Strategy { file: usize, family: String, rules: Value, label: String, words: String },
    /// A family from a rule file or a map.
    Family { family: String },
}

/// The state of a table, as the person sees it.
#[derive(Debug, Serialize)]
pub(crate) struct TableView {
    pub(crate) family: String,
    pub(crate) seed: u64,
    /// The number of the game, from 1.
    pub(crate) game: u64,
    /// The seat of the person, or of the strategy in the person's place.
    pub(crate) seat: SeatName,
    /// True if a strategy plays in place of the person.
    pub(crate) is_watched: bool,
    pub(crate) turn: TurnOf,
    /// The text that the person sees.
    pub(crate) view: String,
    pub(crate) drawing: Option<Drawing>,
    /// The whole state as text, if hidden information is revealed.
    pub(crate) everything: Option<String>,
    pub(crate) whole: Option<Drawing>,
    pub(crate) prompt: String,
    pub(crate) choices: Vec<ChoiceLine>,
    /// Inputs to offer: all legal actions if `lists_all` is set, otherwise some.
    pub(crate) actions: Vec<String>,
    pub(crate) lists_all: bool,
    /// A regular expression for the possible inputs.
    pub(crate) grammar: String,
    /// The messages to the person since the last answer.
    pub(crate) told: Vec<String>,
    pub(crate) num_actions: usize,
    pub(crate) hides: bool,
    pub(crate) may_take_back: bool,
    pub(crate) ending: Option<EndingLine>,
    pub(crate) score: ScoreLine,
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

/// An input to choose, with its meaning.
#[derive(Debug, Serialize)]
pub(crate) struct ChoiceLine {
    pub(crate) typed: String,
    pub(crate) meaning: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct EndingLine {
    pub(crate) result: Ending,
    pub(crate) words: String,
}

/// The numbers of games that the person won, drew and lost at this table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Score {
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    pub(crate) losses: u64,
}

/// The numbers of games won, drawn and lost, with the person's score and its interval.
#[derive(Debug, Serialize)]
pub(crate) struct ScoreLine {
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    pub(crate) losses: u64,
    /// The wins plus half the draws, divided by the number of games; `None` before the end of the first game.
    pub(crate) score: Option<f64>,
    /// The 95% interval of the score, if any.
    pub(crate) interval: Option<[f64; 2]>,
}

impl Score {
    pub(crate) fn add(&mut self, ending: Ending) {
        match ending {
            Ending::Win => self.wins += 1,
            Ending::Draw => self.draws += 1,
            Ending::Loss | Ending::GivenUp => self.losses += 1,
            Ending::Unfinished => (),
        }
    }

    pub(crate) fn line(self) -> ScoreLine {
        let Score { wins, draws, losses } = self;
        let games = wins + draws + losses;
        let score = (games > 0).then(|| (wins as f64 + draws as f64 / 2.0) / games as f64);
        let values: Vec<(f64, u64)> = [(0.0, losses), (0.5, draws), (1.0, wins)]
            .into_iter()
            .filter(|&(_, count)| count > 0)
            .collect();
        let interval =
            (games > 1).then(|| ruse::score::score_interval_at(ruse::score::CONFIDENCE, &values));
        ScoreLine { wins, draws, losses, score, interval }
    }
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
