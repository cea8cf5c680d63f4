//! The last step of an experiment that compares all methods: the champions of the methods race each other, and a
//! mixture of them is computed.

use std::fmt::Write;

use ruse_base::files::Result;
use ruse_base::rng::StreamKey;
use ruse_optimise::portfolio::RacedPortfolio;
use ruse_play::family::Player;
use ruse_play::race::{Championship, RaceSettings};

use crate::files::checkpoint::STRATEGY;
use crate::files::run_directory::RunDirectory;
use crate::files::strategy::{MixtureMember, StrategyFile};
use crate::jobs::seconds;
use crate::language::run::ExperimentSpec;
use crate::note::Note;
use crate::outcome::{Concluded, RunOutcome};
use crate::plan::Plan;
use crate::study::{StudyKind, Work};
use crate::watch::{Event, Phase};

/// The name of the file with the races between all champions.
pub const CHAMPIONSHIP: &str = "championship.csv";
/// The name of the file with the mixture of all champions.
pub const PORTFOLIO: &str = "portfolio.yaml";
const FINALE: [&str; 3] = [STRATEGY, CHAMPIONSHIP, PORTFOLIO];

/// The settings of the races between the champions of several runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChampionshipSpec {
    /// The rules of the races: limited Bernstein races, in which either side can win. Their maximum number of games is
    /// for all meetings together.
    pub races: RaceSettings,
}

impl ChampionshipSpec {
    /// Returns the maximum number of games in all meetings together; `None` if it is not limited.
    pub fn max_games(&self) -> Option<u64> {
        Some(self.races.max_games).filter(|games| *games != u64::MAX)
    }
}

impl StudyKind for ChampionshipSpec {
    fn num_games(&self) -> [u64; 2] {
        [self.max_games().unwrap_or(0), 0]
    }

    fn last_work(&self, plan: &Plan) -> (u64, Option<f64>) {
        let of = |games| Some(seconds(plan.runs.first()?, games));
        (self.max_games().unwrap_or(0), self.max_games().and_then(of))
    }

    /// Plays the races between the champions of all runs, computes a mixture of the champions, and writes the results.
    /// If stopped, returns `None` and writes nothing.
    fn conclude(&self, work: &Work<'_>, _: &Note<'_>, outcomes: &[RunOutcome<'_>]) -> Concluded {
        let Work { directory, watch, stop, .. } = *work;
        let first = outcomes[0].experiment;
        let experiment = &first.resolved;
        let champions: Vec<Player> = outcomes.iter().map(RunOutcome::champion).collect();
        let members: Vec<_> = champions.iter().collect();
        let league = first.family.league(&members)?;
        let key = StreamKey::root(experiment.seed);
        watch.on_event(&Phase::Championship.begins(&first.resolved.family, 0));
        let held = Championship::hold(self.races, &league, members.len(), key, stop, |_| ());
        watch.on_event(&Event::PhaseEnds);
        let Ok(championship) = held else { return Ok(None) };
        let champion = &outcomes[championship.ranking()[0]];
        let portfolio = RacedPortfolio::new(&championship)?;
        let mixture = mixture_file(experiment, outcomes, &portfolio);
        let yaml = |file| serde_yaml::to_string(file).expect("plain data");
        let texts = [yaml(&champion.strategy), races(outcomes, &championship), yaml(&mixture)];
        let files: Vec<(&str, String)> = FINALE.into_iter().zip(texts).collect();
        directory.write_finale(&files)?;
        Ok(Some((championship, portfolio)))
    }

    fn published(&self, directory: &RunDirectory) -> Result<Vec<String>> {
        for name in FINALE {
            directory.read_finale(name)?;
        }
        Ok(FINALE.map(String::from).into())
    }
}

fn method<'a>(outcome: &'a RunOutcome<'_>) -> &'a str {
    &outcome.experiment.resolved.method
}

/// Returns the champions with a positive weight in the mixture, and their weights, largest weight first.
pub fn mixed<'a, 'p>(
    outcomes: &'a [RunOutcome<'p>],
    portfolio: &RacedPortfolio,
) -> Vec<(&'a RunOutcome<'p>, f64)> {
    let weights = portfolio.equilibrium.row_mixture.iter().copied();
    let mut members: Vec<_> = outcomes.iter().zip(weights).filter(|(_, w)| *w > 0.0).collect();
    members.sort_by(|x, y| y.1.total_cmp(&x.1));
    members
}

/// Returns the mixture of all champions as a strategy that every command can play.
fn mixture_file(
    spec: &ExperimentSpec,
    outcomes: &[RunOutcome<'_>],
    portfolio: &RacedPortfolio,
) -> StrategyFile {
    let member = |(outcome, weight): (&RunOutcome<'_>, f64)| MixtureMember {
        weight,
        name: Some(method(outcome).into()),
        strategy: outcome.result.champion.clone().into(),
    };
    StrategyFile {
        rules: outcomes[0].experiment.rules(),
        descriptions: outcomes[0].experiment.family.descriptions(),
        mixture: mixed(outcomes, portfolio).into_iter().map(member).collect(),
        ..StrategyFile::empty(&spec.family)
    }
}

/// Returns a CSV table with one row for each race.
fn races(outcomes: &[RunOutcome<'_>], championship: &Championship) -> String {
    let mut csv = String::from("a,b,score,low,high,reason,games\n");
    for meeting in &championship.meetings {
        let verdict = meeting.decision.verdict;
        let [low, high] = verdict.interval;
        let _ = writeln!(
            csv,
            "{},{},{},{low},{high},{},{}",
            method(&outcomes[meeting.a]),
            method(&outcomes[meeting.b]),
            verdict.score,
            verdict.reason,
            meeting.decision.num_games
        );
    }
    csv
}
