//! Plans: the runs of an experiment.

use std::path::{Path, PathBuf};

use super::quantity::{GAMES_RANGE, QuantityError, parse_duration};
use super::spec::{Experiment, ExperimentSpec, SpecError};
use super::yaml::{YamlError, YamlSource};
use crate::family::Registry;
use crate::optimise::MethodName;
use crate::race::Limits;

/// The name that stands for all methods.
pub const ALL_METHODS: &str = "all";

/// The runs that one experiment asks for.
pub struct Plan {
    /// The runs, in their order.
    pub runs: Vec<Experiment>,
    /// The experiment, written out: running it again gives the same results.
    pub resolved: ExperimentSpec,
    /// How the champions of several runs meet, each with each.
    pub championship: Option<ChampionshipSpec>,
}

/// How the champions of several runs meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChampionshipSpec {
    /// The limits of their races, which are limited Bernstein races: these name a winner on either side.
    pub limits: Limits,
    /// Games that all meetings together may take.
    pub max_games: Option<u64>,
}

/// Why an experiment file was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is a mistake in it.
    #[error(transparent)]
    Yaml(#[from] Box<YamlError>),
}

impl Plan {
    /// Checks an experiment and fills in what it leaves open.
    ///
    /// # Errors
    ///
    /// At the first thing that makes no sense.
    pub fn new(spec: ExperimentSpec, registry: &Registry) -> Result<Plan, SpecError> {
        if spec.method != ALL_METHODS {
            let run = Experiment::new(spec, registry)?;
            let resolved = run.resolved.clone();
            return Ok(Plan { runs: vec![run], resolved, championship: None });
        }
        // Everything that no method decides is checked with one that has all options but those of seeds.
        let (allocation, individuals) = (spec.allocation.clone(), spec.individuals);
        let general = ExperimentSpec {
            method: MethodName::DEFAULT.name().into(),
            allocation: None,
            individuals: None,
            ..spec
        };
        let general = Experiment::new(general, registry)?;
        // One share for each method, and one for the championship.
        let num_shares = MethodName::ALL.len() as u64 + 1;
        let share = general.resolved.budget.map(|games| games / num_shares);
        let least = GAMES_RANGE.start() * num_shares;
        if let Some(games) = general.resolved.budget.filter(|&games| games < least) {
            let range = least..=*GAMES_RANGE.end();
            let source = QuantityError::CountOutOfRange { found: games.to_string(), range };
            return Err(SpecError::Quantity { key: "budget", source });
        }
        let time = general.budget.time.map(|time| {
            let share_ms = time.as_millis() as u64 / num_shares;
            format!("{}ms", share_ms.max(1))
        });
        let runs = MethodName::ALL.map(|method| {
            let mut spec = ExperimentSpec {
                method: method.name().into(),
                budget: share,
                time: time.clone(),
                ..general.resolved.clone()
            };
            if !method.compares() {
                (spec.comparison, spec.delta, spec.precision) = (None, None, None);
            }
            if method == MethodName::Seeds {
                (spec.allocation, spec.individuals) = (allocation.clone(), individuals);
            }
            Experiment::new(spec, registry)
        });
        let runs = runs.into_iter().collect::<Result<Vec<_>, _>>()?;
        debug_assert!(time.iter().all(|time| parse_duration(time).is_ok()));
        let championship = ChampionshipSpec { limits: general.limits, max_games: share };
        let resolved = ExperimentSpec {
            method: ALL_METHODS.into(),
            allocation,
            individuals,
            ..general.resolved
        };
        Ok(Plan { runs, resolved, championship: Some(championship) })
    }

    /// Reads an experiment file.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or at the first mistake in it.
    pub fn read(path: &Path, registry: &Registry) -> Result<Plan, ReadError> {
        let source = YamlSource::read(path)
            .map_err(|source| ReadError::Unreadable { path: path.into(), source })?;
        let spec: ExperimentSpec = source.parse()?;
        Plan::new(spec, registry).map_err(|error| {
            let advice = match &error {
                SpecError::Unknown(unknown) => format!("; {}", unknown.advice()),
                _ => String::new(),
            };
            Box::new(source.error_at_key(error.key(), format!("{error}{advice}"))).into()
        })
    }

    /// The name of the directory of the plan.
    pub fn name(&self) -> String {
        self.resolved.run_name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str) -> Result<Plan, String> {
        let source = YamlSource { path: "x.yaml".into(), text: text.into() };
        let spec = source.parse().map_err(|error| error.to_string())?;
        Plan::new(spec, &Registry::standard()).map_err(|error| error.to_string())
    }

    #[test]
    fn all_methods_share_the_budget() {
        let plan =
            plan("family: war\nmethod: all\nbudget: 800k\nallocation: round-robin").expect("valid");
        let methods: Vec<_> = plan.runs.iter().map(|run| run.resolved.method.as_str()).collect();
        assert_eq!(methods, MethodName::ALL.map(MethodName::name));
        let share = 800_000 / (MethodName::ALL.len() as u64 + 1);
        assert!(plan.runs.iter().all(|run| run.budget.games == Some(share)));
        assert_eq!(plan.championship.expect("several runs").max_games, Some(share));
        assert_eq!(plan.name(), "war-all-seed1");
        let again = Plan::new(plan.resolved.clone(), &Registry::standard()).expect("valid");
        assert_eq!(again.resolved, plan.resolved);
        for (run, run_again) in plan.runs.iter().zip(&again.runs) {
            assert_eq!(run.resolved, run_again.resolved);
        }
    }

    #[test]
    fn options_belong_to_methods() {
        for (text, message) in [
            ("family: war\nmethod: seeds\ndelta: 0.1", "the seeds method has no `delta`"),
            ("family: war\nallocation: halving", "the cma-es method has no `allocation`"),
            ("family: war\nmethod: naive\nindividuals: 5", "the naive method has no `individuals`"),
            (
                "family: war\nmethod: seeds\nindividuals: 1",
                "individuals: 1 is out of range: 2 to 100000 are allowed",
            ),
            (
                "family: war\nmethod: all\nindividuals: 1",
                "individuals: 1 is out of range: 2 to 100000 are allowed",
            ),
            ("family: war\nmethod: seeds\nallocation: fair", "there is no allocation `fair`"),
            (
                "family: war\nmethod: all\nbudget: 5",
                "budget: 5 is out of range: 16 to 1000000000000000 are allowed",
            ),
        ] {
            assert_eq!(plan(text).err().as_deref(), Some(message), "{text}");
        }
    }
}
