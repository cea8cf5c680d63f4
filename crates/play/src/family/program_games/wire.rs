//! The lines that are exchanged with a program that plays the games of a family. Each line is a JSON object. Keys that
//! are not known are ignored, so that the protocol can grow.

use ruse_base::names::check_name;
use ruse_games::{Payoff, Units};
use ruse_strategies::PairResult;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the protocol.
const PROTOCOL: u32 = 1;
/// The largest number of pairs that a program is asked for before it has answered the first of them.
const MAX_CONCURRENT: usize = 1000;

/// The first line that a program reads.
#[derive(Serialize)]
pub(super) struct Hello {
    hello: Greeting,
}

#[derive(Serialize)]
struct Greeting {
    protocol: u32,
    kind: &'static str,
}

impl Hello {
    pub(super) const GAME: Hello = Hello { hello: Greeting { protocol: PROTOCOL, kind: "game" } };
}

/// The answer to [`Hello`]: the description of the family.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Manifest {
    /// The name of the game.
    pub(super) family: String,
    /// A one-line description of what the parameters decide.
    #[serde(default)]
    pub(super) summary: String,
    pub(super) parameters: Vec<SettingLine>,
    #[serde(default)]
    pub(super) references: Vec<ReferenceLine>,
    /// The reference that takes the place of the redrawn baseline.
    pub(super) baseline: Option<String>,
    /// The possible payoffs.
    #[serde(default)]
    pub(super) payoffs: PayoffLine,
    /// The unit of payoffs, for a set of payoffs.
    #[serde(default, rename = "unit")]
    unit: String,
    /// The unit and the range of payoffs, for a set of payoffs.
    #[serde(skip)]
    pub(super) units: Option<Units>,
    /// The [steps](ruse_games::Game::payoff_steps) in which payoffs are counted.
    #[serde(skip)]
    pub(super) steps: u16,
    /// The number of pairs that the program may be asked for before it has answered the first of them.
    #[serde(default = "one")]
    pub(super) concurrent: usize,
    /// True if the answer depends only on the players and the deal.
    #[serde(default)]
    pub(super) deterministic: bool,
    /// True if the program describes strategies in words.
    #[serde(default)]
    pub(super) explains: bool,
}

fn one() -> usize {
    1
}

/// The possible payoffs of a game.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub(super) enum PayoffLine {
    /// The multiples of 1 / n from 0 to 1.
    Steps(u16),
    /// These numbers.
    Set(Vec<f64>),
}

impl Default for PayoffLine {
    fn default() -> PayoffLine {
        PayoffLine::Steps(2)
    }
}

/// A setting that can be tuned.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct SettingLine {
    pub(super) name: String,
    #[serde(default)]
    pub(super) meaning: String,
    #[serde(default)]
    pub(super) kind: SettingKind,
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
    pub(super) start: Option<Value>,
    pub(super) step: Option<f64>,
    /// The words of a choice.
    #[serde(default)]
    pub(super) choices: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SettingKind {
    #[default]
    Real,
    Integer,
    Choice,
}

/// A player with a name.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct ReferenceLine {
    pub(super) name: String,
    #[serde(default)]
    pub(super) meaning: String,
    /// The settings with which the strategy plays like this player.
    pub(super) parameters: Option<Vec<Value>>,
}

impl Manifest {
    /// Parses and checks the answer of a program.
    ///
    /// # Errors
    ///
    /// Returns a description of the problem.
    pub(super) fn read(line: &str) -> Result<Manifest, String> {
        let mut manifest: Manifest =
            serde_json::from_str(line).map_err(|error| error.to_string())?;
        (manifest.steps, manifest.units) = steps_of(&manifest.payoffs, &manifest.unit)?;
        let Manifest { family, parameters, concurrent, references, baseline, .. } = &manifest;
        let names = references.iter().map(|of| &of.name).chain(Some(family));
        let names = names.chain(parameters.iter().map(|of| &of.name));
        for name in names.chain(parameters.iter().flat_map(|of| &of.choices)) {
            check_name(name).map_err(|error| error.to_string())?;
        }
        if !(1..=MAX_CONCURRENT).contains(concurrent) {
            return Err(format!("`concurrent` is {concurrent}, and must be 1 to {MAX_CONCURRENT}"));
        }
        if manifest.parameters.is_empty() {
            return Err("`parameters` is empty: there is nothing to tune".into());
        }
        let unknown = |name: &&String| references.iter().all(|reference| reference.name != **name);
        match baseline.as_ref().filter(unknown) {
            Some(name) => Err(format!("`baseline` is {name}, which is not among `references`")),
            None => Ok(manifest),
        }
    }
}

/// Returns the steps in which payoffs are counted, and the unit of a set of payoffs.
fn steps_of(payoffs: &PayoffLine, unit: &str) -> Result<(u16, Option<Units>), String> {
    let of_parts = |steps: &u16| Payoff::PARTS.is_multiple_of(*steps);
    let set = match payoffs {
        PayoffLine::Steps(steps) if *steps > 0 && of_parts(steps) => return Ok((*steps, None)),
        PayoffLine::Steps(steps) => {
            return Err(format!(
                "`payoffs` is {steps}, and must be a divisor of {}: payoffs are multiples of 1/{steps}; or a list of all \
                 payoffs, as in [-2,0,2]",
                Payoff::PARTS
            ));
        }
        PayoffLine::Set(set) => set,
    };
    let low = set.iter().copied().fold(f64::INFINITY, f64::min);
    let high = set.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let units = Units { range: [low, high], name: unit.into() };
    let is_multiple =
        |steps: &u16| set.iter().all(|&payoff| counted(payoff, &units, *steps).is_some());
    let steps = (1..=Payoff::PARTS).filter(of_parts).find(is_multiple).filter(|_| low < high);
    let steps = steps.ok_or_else(|| {
        format!(
            "`payoffs` is {set:?}; expected two payoffs or more, whose shares of the range are multiples of 1/{}",
            Payoff::PARTS
        )
    })?;
    Ok((steps, Some(units)))
}

/// Returns the number of steps from the lowest payoff to this one, or `None` if it is not a whole number.
fn counted(payoff: f64, Units { range: [low, high], .. }: &Units, steps: u16) -> Option<u16> {
    let counted = (payoff - low) / (high - low) * f64::from(steps);
    let is_whole = (*low..=*high).contains(&payoff) && (counted - counted.round()).abs() < 1e-6;
    is_whole.then(|| counted.round() as u16)
}

/// The request for a pair: both games have the deal `deal`, and the players change seats.
#[derive(Serialize)]
pub(super) struct Request<'a> {
    pub(super) pair: u64,
    pub(super) a: &'a Value,
    pub(super) b: &'a Value,
    /// A number below 2^53, which is exact in every language.
    pub(super) deal: u64,
}

/// The answer to a [`Request`].
#[derive(Debug, Deserialize)]
struct Answer {
    pair: Option<u64>,
    payoffs: Option<[f64; 2]>,
    error: Option<String>,
}

/// Parses the answer to the request for pair number `pair`, whose payoffs are counted in `steps`.
///
/// # Errors
///
/// Returns a description of the problem, or the error that the program reports.
pub(super) fn read_answer(
    line: &str,
    pair: u64,
    (steps, units): (u16, Option<&Units>),
) -> Result<PairResult, String> {
    let answer: Answer = serde_json::from_str(line).map_err(|error| unreadable(line, &error))?;
    if let Some(error) = answer.error {
        return Err(error);
    }
    match answer.pair {
        Some(number) if number == pair => {}
        Some(number) => return Err(format!("the answer is to pair {number}, not to pair {pair}")),
        None => return Err("the answer has no `pair`".into()),
    }
    let payoffs = answer.payoffs.ok_or("the answer has neither `payoffs` nor `error`")?;
    let of_scores = Units { range: [0.0, 1.0], name: String::new() };
    let range = units.unwrap_or(&of_scores);
    let payoff = |payoff: f64| {
        let counted = counted(payoff, range, steps);
        counted
            .and_then(|counted| Payoff::from_parts(counted * (Payoff::PARTS / steps)))
            .ok_or_else(|| {
                let [low, high] = range.range;
                let step = (high - low) / f64::from(steps);
                match units {
                    None => format!(
                        "a payoff is {payoff}, and must be a multiple of 1/{steps} from 0 to 1"
                    ),
                    Some(_) => format!(
                        "a payoff is {payoff}, and must be from {low} to {high} in steps of {step}"
                    ),
                }
            })
    };
    Ok(PairResult { as_first: payoff(payoffs[0])?, as_second: payoff(payoffs[1])? })
}

/// Describes the mistake in a line. Most libraries write numbers in it that JSON does not have.
fn unreadable(line: &str, error: &serde_json::Error) -> String {
    let number = ["NaN", "Infinity"].into_iter().find(|number| line.contains(number));
    number.map_or_else(
        || error.to_string(),
        |number| format!("JSON has no `{number}`: a payoff is a number from 0 to 1"),
    )
}

/// The request for a description of the strategy with these settings.
#[derive(Serialize)]
pub(super) struct Words<'a> {
    pub(super) words: &'a Value,
}

/// The answer to [`Words`].
#[derive(Deserialize)]
struct WordsAnswer {
    words: String,
}

/// Parses the answer to [`Words`].
///
/// # Errors
///
/// Returns a description of the problem.
pub(super) fn read_words(line: &str) -> Result<String, String> {
    let told: WordsAnswer = serde_json::from_str(line).map_err(|error| error.to_string())?;
    Ok(told.words.split_whitespace().collect::<Vec<_>>().join(" "))
}
