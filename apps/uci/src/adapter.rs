//! The answers to the lines of `ruse`.

use cozy_chess::Color;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::engine::{Engine, EngineError, Limit, Patience};
use crate::game::{GameError, Rules, play};
use crate::openings::Openings;
use crate::options::find;
use crate::parameters::{Parameter, ParameterError, check_names};

/// The name of the reference that plays with the engine's own values.
const DEFAULT: &str = "default";

/// The options of a run.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The command of the engine, with its arguments; not empty.
    pub command: Vec<String>,
    /// The options to tune, as [`Parameter::tune`] reads them.
    pub tune: Vec<String>,
    /// The text of a file of further options to tune, as [`Parameter::from_file`] reads it.
    pub file: Option<String>,
    /// The options that both sides are sent, with their values.
    pub fixed: Vec<(String, String)>,
    /// The limit of each move.
    pub limit: Limit,
    /// The rules by which games end.
    pub rules: Rules,
    /// The openings.
    pub openings: Openings,
    /// True if the engine promises the same moves for the same options.
    pub is_deterministic: bool,
    /// True if the process of a side stays when its settings change.
    pub is_kept: bool,
}

/// The error of a setup.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The engine failed.
    #[error("{command}: {problem}")]
    Engine {
        /// The command of the engine.
        command: String,
        /// The problem.
        problem: EngineError,
    },
    /// The options to tune are invalid.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The file of options to tune is invalid.
    #[error("--parameters: {0}")]
    File(ParameterError),
}

/// The reason why a pair has no payoffs.
#[derive(Debug, thiserror::Error)]
enum PairError {
    #[error("{side}: {problem}")]
    Player { side: &'static str, problem: ParameterError },
    #[error("unknown player `{0}`; the only name is `{DEFAULT}`")]
    Unknown(String),
    #[error("a player is a list of values or a name, not {0}")]
    NoPlayer(Value),
    #[error("{command}: {problem}")]
    Start { command: String, problem: EngineError },
    #[error("{command}, player {player} as {colour} with {settings}: {problem}")]
    Game {
        command: String,
        player: &'static str,
        colour: &'static str,
        settings: String,
        problem: Box<GameError>,
    },
}

/// A request for two games.
#[derive(Deserialize)]
struct Request {
    pair: u64,
    a: Value,
    b: Value,
    deal: u64,
}

/// Plays pairs of games between two settings of an engine.
pub struct Adapter {
    setup: Setup,
    parameters: Vec<Parameter>,
    engine_name: String,
    /// The engines of `a` and `b`, which are started when they are needed.
    sides: [Option<Engine>; 2],
}

impl Adapter {
    /// Starts an engine, and checks the options against what the engine announces.
    ///
    /// # Errors
    ///
    /// Returns an error if the engine does not start, or an option is unknown or has an invalid value.
    pub fn new(mut setup: Setup) -> Result<Adapter, SetupError> {
        let command = || setup.command.join(" ");
        let engine = Engine::start(&setup.command, Patience::default())
            .map_err(|problem| SetupError::Engine { command: command(), problem })?;
        let options = engine.options();
        let tuned = setup.tune.iter().map(|text| Parameter::tune(text, options));
        let mut parameters: Vec<Parameter> = tuned.collect::<Result<_, _>>()?;
        if let Some(text) = &setup.file {
            parameters.extend(Parameter::from_file(text, options).map_err(SetupError::File)?);
        }
        for (name, value) in &mut setup.fixed {
            let option = find(options, name).map_err(ParameterError::from)?;
            option.check(value).map_err(ParameterError::from)?;
            name.clone_from(&option.name);
        }
        check_names(&parameters, &setup.fixed, options)?;
        // Moves from a book say nothing about the settings.
        let is_named = |name: &str| {
            let tuned = parameters.iter().map(|parameter| &parameter.name);
            tuned.chain(setup.fixed.iter().map(|(name, _)| name)).any(|known| known == name)
        };
        let book = options.iter().find(|option| option.name.eq_ignore_ascii_case("OwnBook"));
        if let Some(book) = book.filter(|book| !is_named(&book.name)) {
            setup.fixed.push((book.name.clone(), "false".into()));
        }
        let engine_name = engine.name().to_string();
        Ok(Adapter { setup, parameters, engine_name, sides: [Some(engine), None] })
    }

    /// Returns the answer to a line of `ruse`, or `None` if the line is the last one. Problems are answers, too, so that
    /// the run stops with a message and can be resumed.
    pub fn answer(&mut self, line: &str) -> Option<Value> {
        let message: Value = match serde_json::from_str(line) {
            Ok(message) => message,
            Err(error) => return Some(json!({"error": format!("invalid line: {error}")})),
        };
        if message.get("bye").is_some() {
            return None;
        }
        if message.get("hello").is_some() {
            return Some(self.description());
        }
        Some(match serde_json::from_value::<Request>(message) {
            Ok(request) => match self.pair(&request) {
                Ok(payoffs) => json!({"pair": request.pair, "payoffs": payoffs}),
                Err(error) => {
                    // An engine that has failed may still be thinking, so both begin again.
                    self.sides = [None, None];
                    json!({"pair": request.pair, "error": error.to_string()})
                }
            },
            Err(error) => json!({"error": format!("invalid request: {error}")}),
        })
    }

    /// Returns the description of the family.
    fn description(&self) -> Value {
        let default: Option<Vec<Value>> =
            self.parameters.iter().map(Parameter::default_value).collect();
        let mut reference = json!({"name": DEFAULT, "meaning": "the engine's own values"});
        if let Some(values) = default {
            reference["parameters"] = values.into();
        }
        json!({
            "family": self.engine_name,
            "summary": format!("options of the chess engine {}, with {} a move", self.engine_name, self.setup.limit),
            "parameters": self.parameters,
            "references": [reference],
            "baseline": DEFAULT,
            "payoffs": 2,
            "deterministic": self.setup.is_deterministic,
        })
    }

    /// Returns the values of a player as they are sent to the engine, in the order of the parameters.
    fn values(&self, side: &'static str, player: &Value) -> Result<Vec<String>, PairError> {
        let about = |problem| PairError::Player { side, problem };
        match player {
            Value::String(name) if name == DEFAULT => {
                Ok(self.parameters.iter().map(|parameter| parameter.default.clone()).collect())
            }
            Value::String(name) => Err(PairError::Unknown(name.clone())),
            Value::Array(values) if values.len() == self.parameters.len() => {
                let words = self.parameters.iter().zip(values);
                words
                    .map(|(parameter, value)| parameter.word(value))
                    .collect::<Result<_, _>>()
                    .map_err(about)
            }
            Value::Array(values) => Err(about(ParameterError::Number {
                given: values.len(),
                expected: self.parameters.len(),
            })),
            other => Err(PairError::NoPlayer(other.clone())),
        }
    }

    /// Plays two games with one opening, `a` with White first. Returns the payoffs to `a`.
    fn pair(&mut self, request: &Request) -> Result<[f64; 2], PairError> {
        let values = [self.values("a", &request.a)?, self.values("b", &request.b)?];
        let Setup { command, fixed, limit, rules, openings, .. } = &self.setup;
        for (side, values) in self.sides.iter_mut().zip(&values) {
            let tuned = self.parameters.iter().zip(values);
            let tuned = tuned.map(|(parameter, value)| (&*parameter.name, &**value));
            let fixed = fixed.iter().map(|(name, value)| (&**name, &**value));
            let settings: Vec<(&str, &str)> = fixed.chain(tuned).collect();
            let is_fit = |engine: &Engine| self.setup.is_kept || engine.suits(&settings);
            let engine = match side.take().filter(is_fit) {
                Some(engine) => engine,
                None => Engine::start(command, Patience::default())
                    .map_err(|problem| PairError::Start { command: command.join(" "), problem })?,
            };
            side.insert(engine).configure(&settings);
        }
        let [Some(a), Some(b)] = &mut self.sides else { unreachable!("both were started") };
        let opening = openings.of_deal(request.deal);
        let failed = |white: usize, problem: GameError| {
            let side = if problem.side == Color::White { white } else { 1 - white };
            let named = self.parameters.iter().zip(&values[side]);
            let settings = named.map(|(parameter, value)| format!("{} {value}", parameter.name));
            PairError::Game {
                command: command.join(" "),
                player: ["a", "b"][side],
                colour: if problem.side == Color::White { "White" } else { "Black" },
                settings: settings.collect::<Vec<_>>().join(", "),
                problem: problem.into(),
            }
        };
        let first = play([&mut *a, &mut *b], &opening, rules, *limit);
        let first = first.map_err(|problem| failed(0, problem))?;
        let second = play([b, a], &opening, rules, *limit).map_err(|problem| failed(1, problem))?;
        Ok([first.payoff(Color::White), second.payoff(Color::Black)])
    }
}
