//! A curve of budgets: one method on one family, with several budgets and several seeds each.
//!
//! Runs with the same seed use the same random numbers. If the budget does not influence a method's candidates, such
//! runs begin alike. Differences between budgets are then more certain than the intervals of the scores suggest.

use ruse_optimise::methods::{OptionValues, method_label};
use ruse_registry::Registry;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::files::summaries::add_scores;
use crate::language::error::SpecError;
use crate::language::method::known_keys;
use crate::language::outputs::{
    Output, Planned, distinct_numbers, number, output_list, outputs_of,
};
use crate::language::parts::composed;
use crate::language::quantity::{
    DEFAULT_REPEATS, GAMES_RANGE, REPEATS_RANGE, count, count_schema, counts,
};
use crate::language::rules::RulesSpec;
use crate::language::run::{Experiment, ExperimentSpec, default_method};
use crate::language::schema_names::{FamilyName, MethodName};
use crate::language::shared::{Length, OpponentOptions, RaceOptions, Scoring, repeats};
use crate::language::start::{StartSpec, is_unsaid};
use crate::note::Note;
use crate::outcome::{Concluded, RunOutcome};
use crate::study::{StudyKind, Work};

/// The key that marks a file as a curve of budgets.
pub(crate) const BUDGETS: &str = "budgets";

/// One method on one family, with several budgets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", remote = "Self")]
#[schemars(!remote, deny_unknown_fields)]
pub struct BudgetsSpec {
    /// The family to tune.
    #[schemars(with = "FamilyName")]
    pub family: String,
    /// The changed rules of the game (see `ruse show FAMILY`). Other rules keep their defaults.
    #[serde(default, skip_serializing_if = "RulesSpec::is_empty")]
    pub rules: RulesSpec,
    /// The optimiser. Default: es.
    #[serde(default = "default_method")]
    #[schemars(with = "MethodName")]
    pub method: String,
    /// The budgets: the numbers of games that runs may play in comparisons.
    #[serde(deserialize_with = "counts")]
    #[schemars(schema_with = "budgets")]
    pub budgets: Vec<u64>,
    /// The settings of comparisons.
    #[serde(flatten)]
    pub races: RaceOptions,
    /// The options of the method, by their names.
    #[serde(flatten)]
    #[schemars(skip)]
    pub options: OptionValues,
    /// The start of the searches, as in a single run. Default: the usual start of the method.
    #[serde(default, skip_serializing_if = "is_unsaid")]
    pub start: Option<StartSpec>,
    /// The opponents of runs.
    #[serde(flatten)]
    pub against: OpponentOptions,
    /// The number of runs with each budget. Default: 3.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "repeats")]
    pub repeats: Option<u64>,
    /// The seed of the first repeat; the seeds of the other repeats follow it. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The numbers of games for the scores of results.
    #[serde(flatten)]
    pub measurement: Scoring,
    /// The formats of the tables, figures and pages that are written in addition to the results. Default: md, csv, tex,
    /// svg.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "output_list")]
    pub outputs: Option<Vec<String>>,
}

composed! {
    BudgetsSpec, "a curve of budgets, with at least `family` and `budgets`",
    parts: { races: RaceOptions, against: OpponentOptions, measurement: Scoring },
    is_open: true
}

fn budgets(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "minItems": 1, "items": count_schema(GAMES_RANGE) })
}

/// The plan of a curve of budgets.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetsPlan {
    /// The family.
    pub family: String,
    /// The method.
    pub method: String,
    /// The budgets in ascending order. Each has a label, which replaces the name of the method in its runs.
    pub budgets: Vec<(u64, String)>,
    /// The number of runs with each budget.
    pub num_repeats: usize,
    /// The additional outputs.
    pub outputs: Vec<Output>,
}

impl BudgetsSpec {
    /// Checks the specification and fills in defaults.
    pub(crate) fn plan(mut self, registry: &Registry) -> Planned<BudgetsSpec, BudgetsPlan> {
        self.budgets = distinct_numbers(BUDGETS, "budget", &self.budgets, &GAMES_RANGE)?;
        self.budgets.sort_unstable();
        let repeats = number("repeats", self.repeats.unwrap_or(DEFAULT_REPEATS), REPEATS_RANGE)?;
        let seed = self.seed.unwrap_or(1);
        let method = method_label(&self.method).into_owned();
        let label = |budget: &u64| (*budget, format!("{method}-{budget}"));
        let budgets: Vec<(u64, String)> = self.budgets.iter().map(label).collect();
        let mut runs = Vec::new();
        for (budget, label) in &budgets {
            for repeat in 0..repeats {
                let spec = ExperimentSpec {
                    rules: self.rules.clone(),
                    method: self.method.clone(),
                    races: self.races.clone(),
                    options: self.options.clone(),
                    start: self.start.clone(),
                    against: self.against.clone(),
                    length: Length::games(*budget),
                    seed: seed.saturating_add(repeat),
                    measurement: self.measurement,
                    ..ExperimentSpec::new(&self.family)
                };
                let mut run = Experiment::new(spec, registry).map_err(|mut error| {
                    if let SpecError::UnknownKey { known, .. } = &mut error {
                        *known = known_keys::<BudgetsSpec>(registry);
                    }
                    (vec![error.step()], error)
                })?;
                run.labels[1].clone_from(label);
                runs.push(run);
            }
        }
        let outputs = outputs_of(self.outputs.as_deref())?;
        let first = runs[0].resolved.clone();
        let resolved = BudgetsSpec {
            rules: first.rules,
            races: first.races,
            options: first.options,
            start: first.start,
            against: first.against,
            measurement: first.measurement,
            repeats: Some(repeats),
            seed: Some(seed),
            ..self
        };
        let plan = BudgetsPlan {
            family: runs[0].labels[0].clone(),
            method,
            budgets,
            num_repeats: repeats as usize,
            outputs,
        };
        Ok((runs, resolved, plan))
    }
}

impl StudyKind for BudgetsPlan {
    fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    fn conclude(&self, work: &Work<'_>, _: &Note<'_>, _: &[RunOutcome<'_>]) -> Concluded {
        add_scores(work.directory, work.plan)?;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::plan;
    use crate::{Plan, Study};

    #[test]
    fn every_budget_has_runs_of_its_own() {
        let text = "family: pig\nmethod: naive\nbudgets: [20k, 500]\nrepeats: 2\nseed: 7\n";
        let Plan { runs, study: Study::Budgets(of), .. } = plan(text).expect("valid") else {
            panic!("a curve of budgets")
        };
        let names: Vec<String> = runs.iter().map(Experiment::run_name).collect();
        let expected = ["500-seed7", "500-seed8", "20000-seed7", "20000-seed8"];
        assert_eq!(names, expected.map(|name| format!("pig-naive-{name}")));
        let games: Vec<_> = runs.iter().map(|run| run.budget.games).collect();
        assert_eq!(games, [Some(500), Some(500), Some(20_000), Some(20_000)]);
        assert_eq!(of.budgets, [(500, "naive-500".into()), (20_000, "naive-20000".into())]);
    }
}
