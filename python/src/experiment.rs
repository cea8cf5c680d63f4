//! Experiments: plans, their execution, and their results.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use ruse::arena::StopSignal;
use ruse::cli::{self, Failure};
use ruse::family::UNASKED;
use ruse::figures::{Run, learning_curves};
use ruse::files::{YamlError, YamlSource};
use ruse::lab::{
    Event, Experiment, Jobs, PlanSpec, RunDirectory, Study, Watch, read_curves, read_records,
};
use ruse::plots::{Checked, Sheet, svg};
use ruse::report::{Format, Options, Report};
use ruse::serde_json::{self, Value, json};

use crate::refusal::{check_programs, error, reading_registry, refused};
use crate::work::{Teller, Worked, work};

/// A checked experiment.
#[pyclass(frozen, module = "ruse._ruse")]
pub(crate) struct Plan {
    plan: Arc<ruse::lab::Plan>,
}

/// The outcome of work on a directory: its path, whether the work was stopped, and the exception that stopped it.
type Done = (PathBuf, bool, Option<PyErr>);

#[pymethods]
impl Plan {
    /// Creates an experiment from keys and JSON values. `call` is the Python function whose keywords are the keys.
    #[staticmethod]
    fn of_keywords(keys: Vec<(String, String)>, call: &str) -> PyResult<Plan> {
        let text = keys.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
        let source = YamlSource { path: call.into(), text };
        let plan = ruse::lab::Plan::parse(&source, &crate::refusal::registry());
        let plan = plan.map_err(|mistake| refused(keyword_mistake(&keys, call, &mistake)))?;
        Ok(Plan { plan: Arc::new(plan) })
    }

    /// Reads an experiment from a file.
    #[staticmethod]
    fn read(path: PathBuf) -> PyResult<Plan> {
        let registry = reading_registry();
        cli::check_file(&path, &registry).map_err(error)?;
        let plan = ruse::lab::Plan::read(&path, &registry).map_err(error)?;
        check_programs(&path, plan.programs().into_iter().map(|program| program.name))?;
        Ok(Plan { plan: Arc::new(plan) })
    }

    /// Describes the experiment, as JSON.
    fn describe(&self) -> String {
        described(&self.plan).to_string()
    }

    /// Returns the jobs of the experiment, as `ruse plan --json` lists them.
    fn jobs(&self) -> String {
        let Jobs { fingerprint, jobs, .. } = Jobs::of(&self.plan);
        json!({ "fingerprint": fingerprint, "jobs": jobs }).to_string()
    }

    /// Creates a new directory for the experiment, and returns its path.
    fn prepare(&self, out: Option<PathBuf>) -> PyResult<PathBuf> {
        let directory = RunDirectory::create(out.as_deref(), &self.plan).map_err(error)?;
        Ok(directory.path().to_path_buf())
    }

    /// Carries out the experiment in a new directory.
    #[pyo3(signature = (out, threads, on_events))]
    fn carry_out(
        &self,
        py: Python<'_>,
        out: Option<PathBuf>,
        threads: Option<usize>,
        on_events: Option<Py<PyAny>>,
    ) -> PyResult<Done> {
        let directory = RunDirectory::create(out.as_deref(), &self.plan).map_err(error)?;
        carry_out(py, Arc::clone(&self.plan), directory, threads, on_events)
    }
}

/// Converts an error to a message that names a keyword, not a line. The experiment was made from `keys`, one per line.
fn keyword_mistake(keys: &[(String, String)], call: &str, mistake: &YamlError) -> String {
    let YamlError { message, place, .. } = mistake;
    let Some((key, _)) = place.and_then(|(line, _)| keys.get(line - 1)) else {
        return format!("{call}: {message}");
    };
    let keyword = key.replace('-', "_");
    if let Some(rest) = message.strip_prefix(&format!("unknown field `{key}`")) {
        return format!("{call} has no keyword `{keyword}`{}", rest.replace('-', "_"));
    }
    match message.strip_prefix(key.as_str()) {
        Some(rest) => format!("{call}: {keyword}{rest}"),
        None => format!("{call}: {keyword}: {message}"),
    }
}

fn described(plan: &ruse::lab::Plan) -> Value {
    let kind = plan.study.name();
    let families: Vec<&str> = match &plan.study {
        Study::Meetings(of) => of.families.iter().map(|(name, _)| name.as_str()).collect(),
        _ => Vec::new(),
    };
    let resolved: Value = serde_json::to_value(&plan.resolved).expect("plain data");
    json!({
        "kind": kind,
        "name": plan.name(),
        "fingerprint": plan.fingerprint(),
        "families": families,
        "resolved": resolved,
        "has_family": matches!(plan.resolved, PlanSpec::Run(_)),
        "num_runs": plan.runs.len(),
    })
}

/// Reports events to Python, as JSON.
struct Listener {
    tell: Mutex<Teller<Value>>,
}

impl Watch for Listener {
    fn on_event(&self, event: &Event<'_>) {
        let told = match event {
            Event::RunsBegin { plan, runs } => {
                let names: Vec<String> = plan.runs.iter().map(Experiment::run_name).collect();
                json!({"event": "runs-begin", "names": names, "runs": runs})
            }
            Event::RunBegins { run, done } => {
                let [iteration, games] = done.unwrap_or_default();
                json!({"event": "run-begins", "run": run, "iteration": iteration, "games": games})
            }
            Event::RunGoesOn { run, fraction, progress } => json!({
                "event": "run-goes-on",
                "run": run,
                "fraction": fraction,
                "iteration": progress.iteration,
                "games": progress.games,
                "sigma": progress.sigma,
            }),
            // Only iterations with a scored new champion matter, among thousands.
            Event::IterationDone { run, record } => {
                let Some(estimate) = record.baseline_score else { return };
                json!({
                    "event": "champion",
                    "run": run,
                    "iteration": record.iteration,
                    "games": record.games,
                    "sigma": record.sigma,
                    "score": estimate.score,
                    "interval": estimate.interval,
                    "parameters": record.joined,
                })
            }
            Event::RunDone { run, outcome } => json!({
                "event": "run-done",
                "run": run,
                "fraction": 1.0,
                "iteration": outcome.result.iterations,
                "games": outcome.result.games,
                "score": outcome.strategy.score().map(|estimate| estimate.score),
                "interval": outcome.strategy.score().map(|estimate| estimate.interval),
            }),
            Event::PhaseBegins { phase, name, total, .. } => {
                let phase = phase.name();
                json!({"event": "phase-begins", "phase": phase, "name": name, "total": total})
            }
            Event::PhaseGoesOn { done, fraction, note } => {
                json!({"event": "phase-goes-on", "done": done, "fraction": fraction, "note": note})
            }
            _ => return,
        };
        self.tell.lock().unwrap_or_else(PoisonError::into_inner).tell(told);
    }
}

/// Carries out the remaining work of a plan in its directory.
fn carry_out(
    py: Python<'_>,
    plan: Arc<ruse::lab::Plan>,
    directory: RunDirectory,
    threads: Option<usize>,
    on_events: Option<Py<PyAny>>,
) -> PyResult<Done> {
    let path = directory.path().to_path_buf();
    let is_heard = on_events.is_some();
    let job = move |stop: &StopSignal, tell: Teller<Value>| -> Result<bool, Failure> {
        let registry = crate::refusal::registry();
        let listener = Listener { tell: Mutex::new(tell) };
        let watch: &dyn Watch = if is_heard { &listener } else { &() };
        let outcome = cli::carry_out(&plan, &registry, &directory, watch, stop)?;
        Ok(outcome.was_stopped)
    };
    let on_events = |py: Python<'_>, events: Vec<Value>| -> PyResult<bool> {
        let Some(callback) = &on_events else { return Ok(false) };
        callback.call1(py, (Value::Array(events).to_string(),))?.is_truthy(py)
    };
    let Worked { result, raised } = work(py, threads, job, on_events)?;
    match (result, raised) {
        (Ok(was_stopped), raised) => Ok((path, was_stopped, raised)),
        // The work was stopped before it had results.
        (Err(Failure::Interrupted), raised) => Ok((path, true, raised)),
        (Err(failure), _) => Err(error(failure)),
    }
}

/// The directory of an experiment, opened for reading.
#[pyclass(frozen, module = "ruse._ruse")]
pub(crate) struct Directory {
    plan: Arc<ruse::lab::Plan>,
    directory: RunDirectory,
}

#[pymethods]
impl Directory {
    #[new]
    fn new(path: PathBuf) -> PyResult<Directory> {
        let (directory, plan) = RunDirectory::open(&path, &reading_registry()).map_err(error)?;
        let unknown = plan.descriptions().into_iter().filter(|(_, known)| known == UNASKED);
        check_programs(&path, unknown.map(|(name, _)| name))?;
        Ok(Directory { plan: Arc::new(plan), directory })
    }

    /// Describes the contents of the directory, as JSON.
    fn describe(&self) -> PyResult<String> {
        let mut described = described(&self.plan);
        let runs: PyResult<Vec<Value>> = self.plan.runs.iter().map(|run| self.run(run)).collect();
        described["runs"] = Value::Array(runs?);
        described["published"] = self.directory.is_published().into();
        Ok(described.to_string())
    }

    /// Returns the strategy and the mixture of the run with this index, as JSON, if they exist.
    fn found(&self, run: usize) -> PyResult<(Option<String>, Option<String>)> {
        let run = self.experiment(run)?;
        let strategy = self.directory.learned(run).map_err(error)?;
        let mixture = match self.directory.is_published() {
            true => None,
            false => {
                let checkpoint = self.directory.checkpoint(run).map_err(error)?;
                self.directory.read_mixture(run, checkpoint.as_ref()).map_err(error)?
            }
        };
        let text = |file| serde_json::to_string(&file).expect("plain data");
        Ok((strategy.map(text), mixture.map(text)))
    }

    /// Returns the tables of a comparison as CSV, by name.
    fn tables(&self) -> PyResult<Vec<(&'static str, String)>> {
        let mut records = read_records(&self.directory, &self.plan).map_err(error)?;
        records.curves = read_curves(&self.directory, &self.plan).map_err(error)?;
        let report = Report::new(&records, None).map_err(|of| refused(of.to_string()))?;
        let options = Options::default();
        let tables = report.tables(&options);
        let render = |id| (id, tables.only(&[id]).render(Format::Csv, &options));
        Ok(tables.ids().into_iter().map(render).collect())
    }

    /// Draws the learning curves of these runs, which must belong to one family, as SVG.
    fn curves(&self, runs: Vec<usize>) -> PyResult<String> {
        let experiments = runs.into_iter().map(|run| self.experiment(run));
        let experiments = experiments.collect::<PyResult<Vec<_>>>()?;
        let runs = experiments
            .into_iter()
            .map(|experiment| Run { directory: &self.directory, experiment });
        let curves = learning_curves(&runs.collect::<Vec<_>>()).map_err(error)?;
        Ok(svg(&Checked::new(curves).map_err(error)?, Sheet::default()))
    }

    /// Draws the figures with this text in their names, or all figures, as `ruse plot` does. Returns their names, and the
    /// figures as SVG.
    fn figures(&self, py: Python<'_>, only: Option<String>) -> PyResult<Vec<(String, String)>> {
        py.detach(|| {
            let registry = crate::refusal::registry();
            cli::figures_of(&self.directory, &self.plan, &registry, only).map_err(error)
        })
    }

    /// Writes the page of `ruse report`.
    fn write_page(&self, py: Python<'_>, out: PathBuf) -> PyResult<()> {
        py.detach(|| {
            let registry = crate::refusal::registry();
            cli::write_page(&self.directory, &self.plan, &registry, &out, false, None)
                .map_err(error)
        })
    }
}

impl Directory {
    fn experiment(&self, run: usize) -> PyResult<&Experiment> {
        let count = self.plan.runs.len();
        self.plan
            .runs
            .get(run)
            .ok_or_else(|| refused(format!("there are {count} runs, and no number {run}")))
    }

    fn run(&self, run: &Experiment) -> PyResult<Value> {
        let has_begun = self.directory.has_begun(run).map_err(error)?;
        let finished = self.directory.checkpoint(run).ok().flatten();
        let finished = finished.is_some_and(|checkpoint| checkpoint.result.is_some());
        let [family_label, method_label] = &run.labels;
        Ok(json!({
            "name": run.run_name(),
            "family": run.resolved.family,
            "rules": run.resolved.rules,
            "method": run.resolved.method,
            "labels": [family_label, method_label],
            "seed": run.resolved.seed,
            "budget": run.budget.games,
            "path": self.directory.run_path(run),
            "begun": has_begun,
            "finished": finished || (self.directory.is_published() && has_begun),
        }))
    }
}

/// Resumes the experiment in a directory.
#[pyfunction]
#[pyo3(signature = (path, threads, on_events))]
pub(crate) fn resume(
    py: Python<'_>,
    path: PathBuf,
    threads: Option<usize>,
    on_events: Option<Py<PyAny>>,
) -> PyResult<Done> {
    let path: &Path = &path;
    let (directory, plan) = RunDirectory::reopen(path, &reading_registry()).map_err(error)?;
    check_programs(path, plan.programs().into_iter().map(|program| program.name))?;
    carry_out(py, Arc::new(plan), directory, threads, on_events)
}
