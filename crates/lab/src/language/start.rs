//! The start of a search.

use std::borrow::Cow;
use std::path::Path;

use ruse_base::names::{UnknownName, shortened};
use ruse_optimise::methods::UsualStart;
use ruse_play::family::{AnyFamily, BASELINE, Player};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use super::contestant::parse_contestant;
use super::error::StartError;
use super::written::{Entries, PlayerSpec, Written, read};
use crate::files::strategy::{ContestantError, ZERO};

const GAUSSIAN: &str = "gaussian";
/// The name of a method's default start.
const USUAL: &str = "usual";

/// A start as written by a user: `gaussian`, `zero`, `usual`, the name of a reference strategy, the path of a strategy
/// file, or parameters.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum StartSpec {
    /// The player whose parameters are the start, or a word.
    Written(PlayerSpec),
    /// The Gaussian start of runs from old versions, which had no other start and did not write it.
    #[serde(skip_serializing)]
    Unsaid,
}

pub(crate) fn is_unsaid(spec: &Option<StartSpec>) -> bool {
    matches!(spec, None | Some(StartSpec::Unsaid))
}

impl JsonSchema for StartSpec {
    fn schema_name() -> Cow<'static, str> {
        "StartSpec".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let numbers = json_schema!({ "type": "array", "items": { "type": "number" } });
        json_schema!({ "anyOf": [{ "type": "string" }, numbers] })
    }
}

impl Written for StartSpec {
    const EXPECTING: &'static str = "`gaussian`, `zero`, `usual`, a reference strategy, a strategy file, or a list of parameters";

    fn of_player(player: PlayerSpec) -> Option<StartSpec> {
        Some(StartSpec::Written(player))
    }

    fn of_map(_: Entries) -> Result<StartSpec, String> {
        Err(format!("expected {}", Self::EXPECTING))
    }
}

impl<'de> Deserialize<'de> for StartSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<StartSpec, D::Error> {
        read(deserializer)
    }
}

impl From<&str> for StartSpec {
    fn from(word: &str) -> StartSpec {
        StartSpec::Written(PlayerSpec::Name(word.into()))
    }
}

impl StartSpec {
    pub(crate) fn usual() -> StartSpec {
        USUAL.into()
    }

    /// Returns the start for `family` with its rules, and for a method with the default start `usual`.
    ///
    /// # Errors
    ///
    /// Returns an error if the start is not a point of the parameter space of the family.
    pub fn resolve(&self, usual: UsualStart, family: &dyn AnyFamily) -> Result<Start, StartError> {
        match self {
            StartSpec::Unsaid => Ok(Start::Gaussian),
            StartSpec::Written(PlayerSpec::Name(name)) if name == USUAL => Ok(Start::usual(usual)),
            StartSpec::Written(PlayerSpec::Name(name)) => Start::parse(name, family),
            StartSpec::Written(PlayerSpec::Parameters(theta)) => {
                family.check_parameters(theta).map_err(ContestantError::from)?;
                Ok(Start::Given(theta.clone()))
            }
            StartSpec::Written(PlayerSpec::Portfolio { .. }) => {
                Err(StartError::Mixture { path: "the start".into() })
            }
        }
    }
}

/// The start of a search.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Start {
    /// Standard Gaussian parameters, drawn from the seed of the run.
    Gaussian,
    /// All parameters are 0.
    Zero,
    /// The parameters of a reference strategy.
    Reference {
        /// The name of the reference strategy.
        name: String,
        /// The parameters: `[dimension]`.
        parameters: Vec<f64>,
    },
    /// These parameters: `[dimension]`.
    Given(Vec<f64>),
}

impl Start {
    /// Returns the default start of a method.
    pub fn usual(usual: UsualStart) -> Start {
        match usual {
            UsualStart::Gaussian => Start::Gaussian,
            UsualStart::Zero => Start::Zero,
        }
    }

    /// Parses a start as users write it: a word, the name of a reference strategy, parameters in brackets, or the path
    /// of a strategy file.
    fn parse(text: &str, family: &dyn AnyFamily) -> Result<Start, StartError> {
        match text {
            GAUSSIAN => return Ok(Start::Gaussian),
            ZERO => return Ok(Start::Zero),
            BASELINE => return Err(StartError::Redrawn),
            _ => {}
        }
        let usable = usable_references(family);
        match parse_contestant(text, family) {
            Ok(Player::Parameters(theta)) => Ok(Start::Given(theta)),
            Ok(Player::Named(name)) => match family.reference_parameters(&name) {
                Some(parameters) => Ok(Start::Reference { name, parameters }),
                None => {
                    Err(StartError::NoParameters { name, family: family.name().into(), usable })
                }
            },
            Ok(Player::Redrawn) => Err(StartError::Redrawn),
            Ok(Player::Mixture(_) | Player::Guest(_) | Player::Planner(_)) => {
                Err(StartError::Mixture { path: shortened(text).into() })
            }
            // If only the member is missing in an existing file, its error is kept.
            Err(ContestantError::Unknown(_))
                if !Path::new(text).exists() && !text.contains('#') =>
            {
                let known = [ZERO, GAUSSIAN, USUAL].map(String::from).into_iter().chain(usable);
                let unknown = UnknownName::new("start or strategy file", text, known);
                Err(ContestantError::from(unknown).into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the start as written in a file. Strategy files are written out, because they may change or move.
    pub fn spec(&self) -> StartSpec {
        match self {
            Start::Gaussian => GAUSSIAN.into(),
            Start::Zero => ZERO.into(),
            Start::Reference { name, .. } => name.as_str().into(),
            Start::Given(theta) => StartSpec::Written(PlayerSpec::Parameters(theta.clone())),
        }
    }

    /// Returns the parameters, `[dimension]`, or `None` if the seed determines them.
    pub fn parameters(&self, family: &dyn AnyFamily) -> Option<Vec<f64>> {
        match self {
            Start::Gaussian => None,
            Start::Zero => Some(vec![0.0; family.space().dimension()]),
            Start::Reference { parameters, .. } | Start::Given(parameters) => {
                Some(parameters.clone())
            }
        }
    }
}

/// Returns the reference strategies of a family that have parameters.
fn usable_references(family: &dyn AnyFamily) -> Vec<String> {
    let usable = family.references().into_iter().filter(|known| known.parameters.is_some());
    usable.map(|reference| reference.name.into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use ruse_base::rng::StreamKey;
    use ruse_base::stop::StopSignal;
    use ruse_play::score::sample;
    use ruse_registry::Registry;

    use super::*;

    fn parse(text: &str, family: &str) -> Result<Start, StartError> {
        let family = Registry::standard().family(family).expect("known");
        StartSpec::from(text).resolve(UsualStart::Zero, family.as_ref())
    }

    #[test]
    fn starts_are_parsed() {
        let of_pig = |text| parse(text, "pig").expect("a start");
        assert_eq!(of_pig("gaussian"), Start::Gaussian);
        assert_eq!(of_pig("zero"), Start::Zero);
        assert_eq!(of_pig("usual"), Start::Zero);
        assert_eq!(of_pig("[2.5]"), Start::Given(vec![2.5]));
        let hold_25 = Start::Reference { name: "hold-25".into(), parameters: vec![5.0] };
        assert_eq!(of_pig("hold-25"), hold_25);
        assert_eq!(hold_25.spec(), StartSpec::from("hold-25"));
    }

    #[test]
    fn strategy_files_have_to_fit() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let written = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).expect("writable");
            path.display().to_string()
        };
        let good = written("good.yaml", "family: pig\nparameters: {patience: 3}\n");
        assert_eq!(parse(&good, "pig").expect("it fits"), Start::Given(vec![3.0]));
        // The contents of a strategy file are written out.
        assert_eq!(
            Start::Given(vec![3.0]).spec(),
            StartSpec::Written(PlayerSpec::Parameters(vec![3.0]))
        );
        let other_rules = "family: pig\nrules: {goal: 50}\nparameters: [3]\n";
        let mixture = "family: pig\nmixture:\n- {weight: 1, parameters: [3]}\n- {weight: 1, parameters: [4]}\n";
        for (name, text, family, message) in [
            ("good.yaml", "", "war", "holds a strategy of family `pig`, not of `war`"),
            (
                "long.yaml",
                "family: pig\nparameters: [3, 4]\n",
                "pig",
                "2 parameters given, 1 expected",
            ),
            ("rules.yaml", other_rules, "pig", "holds a strategy for the rule goal=50"),
            ("mix.yaml", mixture, "pig", "holds a mixture, and a search starts from one strategy"),
        ] {
            let path = match text {
                "" => good.clone(),
                text => written(name, text),
            };
            let error = parse(&path, family).expect_err("it does not fit").to_string();
            assert!(error.contains(message), "{error}");
        }
        let member = format!("{}#2", directory.path().join("mix.yaml").display());
        assert_eq!(parse(&member, "pig").expect("a member"), Start::Given(vec![4.0]));
        let no_member = format!("{}#7", directory.path().join("mix.yaml").display());
        let error = parse(&no_member, "pig").expect_err("there are two").to_string();
        assert!(!error.contains("no start"), "{error}");
    }

    /// Parameters that stand for a reference strategy score the same in each pair of games.
    #[test]
    fn parameters_of_reference_strategies_play_like_them() {
        let registry = Registry::standard();
        let mut found = Vec::new();
        for family in registry.families() {
            for name in usable_references(family) {
                let theta = family.reference_parameters(&name).expect("it is usable");
                family.check_parameters(&theta).expect("a point of the space");
                let slow = ["battleship", "four-in-a-row"].contains(&family.name());
                let num_pairs = if slow { 10 } else { 200 };
                let tally = |player: &Player| {
                    let duel = family.duel(player, &Player::Redrawn).expect("they fit");
                    let stop = StopSignal::default();
                    sample(&duel, StreamKey::root(7), num_pairs, &stop, |_| ()).0
                };
                let own = tally(&Player::Parameters(theta));
                assert_eq!(own, tally(&Player::Named(name.clone())), "{} {name}", family.name());
                found.push(format!("{} {name}", family.name()));
            }
            assert_eq!(family.reference_parameters("nobody"), None, "{}", family.name());
        }
        let expected = [
            "war-orders low-high",
            "war-orders high-low",
            "batawaf-orders low-high",
            "batawaf-orders high-low",
            "guess-who ol",
            "guess-who onl",
            "guess-who best",
            "guess-who-deterministic ol",
            "guess-who-deterministic onl",
            "guess-who-deterministic best",
            "morra uniform",
            "phantom-tic-tac-toe best-order",
            "battleship density",
            "four-in-a-row uniform-monte-carlo",
            "pig hold-20",
            "pig hold-25",
            "rts-program worker-program",
            "rts-program adaptive-program",
            "rts-program worker-rush-program",
            "rts-program light-rush-program",
            "rts-program heavy-rush-program",
            "rts-program ranged-rush-program",
        ];
        assert_eq!(found, expected);
    }
}
