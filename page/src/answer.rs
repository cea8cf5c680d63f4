//! What a page is told.

use ruse::lab::{Ending, SeatName};
use ruse::session::{Decision, Judged, Scale, Source, Values};
use ruse_games::{Beliefs, Drawing};
use serde::Serialize;
use serde_json::{Value, json};

/// A family in a list.
#[derive(Debug, Serialize)]
pub(crate) struct FamilyLine {
    pub(crate) name: String,
    pub(crate) game: String,
}

/// A family, to sit down at.
#[derive(Debug, Serialize)]
pub(crate) struct FamilyPage {
    pub(crate) name: String,
    pub(crate) game: String,
    /// The first paragraph of the rules.
    pub(crate) goal: String,
    pub(crate) rules: Vec<RuleLine>,
    pub(crate) opponents: Vec<OpponentLine>,
    /// The opponent of who names none.
    pub(crate) usual: String,
    /// Opponents from weak to strong.
    pub(crate) levels: Vec<LevelLine>,
    /// Strategies from files that are of this family.
    pub(crate) files: Vec<usize>,
    /// How one side tells what it saw and did; none if no advice can be given on that.
    pub(crate) grammar: Option<GrammarLine>,
}

/// How a game is told.
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

/// Somebody to play against.
#[derive(Debug, Serialize)]
pub(crate) struct OpponentLine {
    pub(crate) name: String,
    pub(crate) meaning: String,
}

/// How strong an opponent is.
#[derive(Debug, Serialize)]
pub(crate) struct LevelLine {
    pub(crate) level: &'static str,
    /// The name of the opponent.
    pub(crate) opponent: String,
}

/// What came of a file.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Opened {
    /// A strategy, with its number.
    Strategy { file: usize, family: String, rules: Value, label: String, words: String },
    /// A game.
    Family { family: String },
}

/// What there is to see at a table.
#[derive(Debug, Serialize)]
pub(crate) struct TableView {
    pub(crate) family: String,
    pub(crate) seed: u64,
    /// The number of the game, from 1.
    pub(crate) game: u64,
    /// The seat of the person, or of the strategy in the place of one.
    pub(crate) seat: SeatName,
    /// Whether there is no person.
    pub(crate) is_watched: bool,
    pub(crate) turn: TurnOf,
    /// What the person sees, in lines.
    pub(crate) view: String,
    pub(crate) drawing: Option<Drawing>,
    /// All there is, in lines, if that is shown.
    pub(crate) everything: Option<String>,
    pub(crate) whole: Option<Drawing>,
    pub(crate) prompt: String,
    pub(crate) choices: Vec<ChoiceLine>,
    /// What a program may type: all legal actions if `lists_all`, else some.
    pub(crate) actions: Vec<String>,
    pub(crate) lists_all: bool,
    /// A regular expression of what may be typed.
    pub(crate) grammar: String,
    /// What the person has learnt since the last answer.
    pub(crate) told: Vec<String>,
    pub(crate) num_actions: usize,
    pub(crate) hides: bool,
    pub(crate) may_take_back: bool,
    pub(crate) ending: Option<EndingLine>,
    pub(crate) score: ScoreLine,
}

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TurnOf {
    /// Of the person.
    Person,
    /// Of a strategy.
    Strategy,
    /// The game is over.
    Nobody,
}

/// Something to choose.
#[derive(Debug, Serialize)]
pub(crate) struct ChoiceLine {
    pub(crate) typed: String,
    pub(crate) meaning: String,
}

/// How a game ended.
#[derive(Debug, Serialize)]
pub(crate) struct EndingLine {
    pub(crate) result: Ending,
    pub(crate) words: String,
}

/// The games at this table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Score {
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    pub(crate) losses: u64,
}

/// The same with an interval.
#[derive(Debug, Serialize)]
pub(crate) struct ScoreLine {
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    pub(crate) losses: u64,
    /// Wins and half the draws over the games; none before the first game is over.
    pub(crate) score: Option<f64>,
    /// Its 95% interval, if there is one.
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

/// What is believed about the cells of the board, by what is typed for them.
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

/// What choices are worth, as the page shows it.
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

/// What a decision was worth beside the best one.
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

/// How a strategy decides.
pub(crate) fn decision_json(decision: &Decision) -> Value {
    let chosen = decision.chosen.iter().map(
        |chosen| json!({ "typed": chosen.typed, "meaning": chosen.meaning, "share": chosen.share }),
    );
    json!({ "asked": decision.num_asked, "chosen": chosen.collect::<Vec<_>>() })
}
