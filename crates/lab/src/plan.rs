//! Plans: the runs of an experiment, and the comparison of their champions.

use std::collections::HashMap;

use ruse_base::files::fingerprint;
use ruse_base::visible::escaped;
use ruse_programs::{quoted, words_in};

use super::kinds::{PlanSpec, Study};
use super::language::run::Experiment;
use super::measurement::Measurement;

/// The name that stands for all methods.
pub const ALL_METHODS: &str = "all";

/// The text before the fingerprint in the first line of a directory's experiment file. The fingerprint shows whether
/// the directory's results belong to the experiment.
pub(crate) const VOUCHED: &str = "# The results beside this file are of exactly this experiment: ";

/// A checked experiment: its runs, and the work that follows them.
pub struct Plan {
    /// The runs, in order: for a comparison, by family, then by method, then by seed.
    pub runs: Vec<Experiment>,
    /// The experiment with all defaults filled in. Running it again gives the same results.
    pub resolved: PlanSpec,
    /// The work that follows the runs.
    pub study: Study,
    /// The name of the experiment file without its extension; `None` without a file, or if the name is `experiment`.
    pub file_name: Option<String>,
}

/// An external program that an experiment starts: a family, a method, an opponent, or a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The name as written in the experiment: a command, or `program:` and a command.
    pub name: String,
    /// The number of runs that start the program; 0 if it plays in an experiment without runs.
    pub num_runs: usize,
}

impl Program {
    /// Returns the command, with quotes where a shell needs them, and with escapes in place of invisible characters.
    pub fn command(&self) -> String {
        words_in(&self.name)
            .map_or_else(|| escaped(&self.name).into_owned(), |words| quoted(&words))
    }

    /// Describes the command and the number of runs that start it.
    pub fn in_words(&self) -> String {
        let command = self.command();
        match self.num_runs {
            0 => format!("starts `{command}` as a player"),
            1 => format!("starts `{command}` for one run"),
            num => format!("starts `{command}` for each of {num} runs"),
        }
    }
}

impl Plan {
    /// Returns the runs by family, method and seed.
    pub(crate) fn runs_by_place(&self) -> HashMap<(&str, &str, u64), &Experiment> {
        let runs = self.runs.iter().map(|run| {
            let [family, method] = &run.labels;
            ((family.as_str(), method.as_str(), run.resolved.seed), run)
        });
        runs.collect()
    }

    /// Returns the number of parameters in the group of an ablation, or 0 if the plan has no such run or group.
    pub fn num_parameters(&self, row: &Measurement) -> u64 {
        let run = self.runs.iter().find(|run| row.is_of(run));
        run.and_then(|run| row.num_parameters(run)).unwrap_or(0)
    }

    /// Returns a fingerprint that changes whenever the resolved experiment changes.
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.resolved)
    }
}
