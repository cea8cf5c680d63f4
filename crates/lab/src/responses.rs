//! Best responses to the results of all runs of an experiment.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use ruse_base::files::{DirectoryError, reading};
use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::StopSignal;
use ruse_optimise::exploit::{
    Bracket, LowerBound, Responders, ResponseSearch, USUAL_RESTARTS, certify,
};
use ruse_play::family::{AnyFamily, Player, PlayerError};
use ruse_play::race::Limits;
use ruse_play::score::Estimate;
use ruse_registry::Registry;
use ruse_strategies::certificate::Work;

use super::files::measurements::MeasurementsFile;
use super::files::run_directory::RunDirectory;
use super::files::shared::SharedFiles;
use super::files::subjects::{Subject, read_subjects, read_subjects_of};
use super::files::summaries::write_summaries;
use super::jobs::{Job, JobKind, Jobs};
use super::language::run::{DefaultPairs, Experiment};
use super::measurement::MeasurementKind::{Certificate, Response};
use super::measurement::{Measurement, Product, ResponseKind, bracket};
use super::plan::Plan;
use super::study;
use super::watch::{Event, Phase, Watch};
use crate::error::Result;

/// The known best responses to the strategies of an experiment, in the order of its plan.
pub struct Responses<'a> {
    plan: &'a Plan,
    directory: &'a RunDirectory,
    /// The strategies that finished runs have found.
    pub subjects: Vec<Subject<'a>>,
    /// The known responses to these strategies, and their certificates.
    pub measurements: Vec<Measurement>,
}

impl<'a> Responses<'a> {
    /// Computes all best responses that can be computed and are not known yet, and adds them to the file of the
    /// experiment. A stop request is not an error.
    ///
    /// # Errors
    ///
    /// Returns an error if files cannot be written, or do not belong to this plan.
    pub fn compute(
        plan: &'a Plan,
        directory: &'a RunDirectory,
        watch: &dyn Watch,
        stop: &StopSignal,
    ) -> Result<Responses<'a>> {
        let subjects = read_subjects(directory, plan)?;
        let mut measurements = MeasurementsFile::read(directory, plan)?;
        measurements.retain(|row| row.exploited().is_some());
        let is_due = |subject: &&Subject<'_>| {
            Measurement::find(&measurements, Response, subject.exploited()).is_none()
        };
        let due: Vec<&Subject<'_>> = subjects.iter().filter(is_due).collect();
        let of_parts = Prepared::read(plan, directory)?;
        // The file is created with the first response, because a response may take seconds, or be impossible to
        // compute.
        let mut file = None;
        watch.on_event(&Phase::Responses.begins("", due.len() as u64));
        let mut num_done = 0;
        for some in due.chunks(rayon::current_num_threads().max(1)) {
            if stop.check().is_err() {
                break;
            }
            let response = |subject: &&Subject<'_>| match of_parts.of(subject) {
                Some(known) => Ok(known.cloned()),
                None => computed(subject),
            };
            let responses: Vec<Option<Measurement>> =
                some.par_iter().map(response).collect::<Result<_, PlayerError>>()?;
            for (subject, row) in some.iter().zip(responses) {
                num_done += 1;
                watch.on_event(&Event::goes_on(num_done, &subject.experiment.labels[0]));
                let Some(row) = row else { continue };
                let file = match &mut file {
                    Some(file) => file,
                    None => file.insert(open(directory, plan)?),
                };
                file.append(std::slice::from_ref(&row))?;
                measurements.push(row);
            }
        }
        watch.on_event(&Event::PhaseEnds);
        Ok(Responses { plan, directory, subjects, measurements })
    }

    /// Writes the summaries of the runs, with the known responses in `runs.csv`.
    ///
    /// # Errors
    ///
    /// Returns an error if the files cannot be written.
    pub fn write_summaries(&self) -> Result {
        match self.directory.is_published() {
            true => Ok(()),
            false => Ok(write_summaries(self.directory, self.plan)?),
        }
    }

    /// Iterates over the strategies without a known response.
    pub fn unsolved(&self) -> impl Iterator<Item = &Subject<'a>> {
        self.subjects.iter().filter(|subject| self.response(subject).is_none())
    }

    /// Returns bounds on the exploitability of a strategy.
    pub fn bracket(&self, subject: &Subject<'_>) -> Bracket {
        bracket(self.response(subject), self.certificate(subject))
    }

    /// Returns the known response to a strategy.
    pub fn response(&self, subject: &Subject<'_>) -> Option<&Measurement> {
        Measurement::find(&self.measurements, Response, subject.exploited())
    }

    /// Returns the known certificate of a strategy.
    pub fn certificate(&self, subject: &Subject<'_>) -> Option<&Measurement> {
        Measurement::find(&self.measurements, Certificate, subject.exploited())
    }

    /// Computes bounds on the scores of the best responses that are not known exactly, and adds them to the file of the
    /// experiment. Families that cannot compute bounds are skipped; if `only` names families, so are all others.
    /// `information_sets` is the limit of the work for each strategy. If the computation is stopped, nothing is written
    /// about the strategy in hand.
    ///
    /// # Errors
    ///
    /// Returns an error if files cannot be written.
    pub fn certify(
        &mut self,
        information_sets: u64,
        only: &[String],
        watch: &dyn Watch,
        stop: &StopSignal,
    ) -> Result {
        let is_due = |subject: &&Subject<'_>| {
            let response = self.response(subject);
            let is_exact = response.and_then(Measurement::response) == Some(ResponseKind::Exact);
            is_asked(only, subject) && !is_exact && self.certificate(subject).is_none()
        };
        let due: Vec<&Subject<'_>> = self.subjects.iter().filter(is_due).collect();
        if self.directory.is_published() || due.is_empty() {
            return Ok(());
        }
        watch.on_event(&Phase::Responses.begins("", due.len() as u64));
        for (done, subject) in (1..).zip(&due) {
            let is_stopped = || stop.check().is_err();
            let work = Work::new(information_sets, &is_stopped, &|_| ());
            let family = &subject.experiment.family;
            let player = subject.strategy.contestant();
            let seed = subject.experiment.resolved.seed;
            let certificate = certify(family.as_ref(), &player, &work, seed)?;
            if is_stopped() {
                break;
            }
            if let Some(certificate) = certificate {
                let basis = Bracket::of_certificate(&certificate).high_basis;
                let row = subject.certificate(certificate.score(), &basis);
                let mut file = open(self.directory, self.plan)?;
                file.append(std::slice::from_ref(&row))?;
                self.measurements.push(row);
            }
            watch.on_event(&Event::goes_on(done, &subject.experiment.labels[0]));
        }
        watch.on_event(&Event::PhaseEnds);
        Ok(())
    }

    /// Trains responses to the strategies without a known response, and adds them to the file of the experiment. If
    /// `only` names families, skips the others. `how` describes a response and its search, from the search's result and
    /// seed. A stopped search leaves nothing in the file.
    ///
    /// # Errors
    ///
    /// Returns an error if files cannot be written, or a responder does not play the game of a strategy.
    pub fn bound(
        &mut self,
        training: &Training,
        only: &[String],
        registry: &Registry,
        watch: &dyn Watch,
        stop: &StopSignal,
        how: impl Fn(&LowerBound, u64) -> String,
    ) -> Result {
        let due: Vec<&Subject<'_>> = self.unsolved().filter(|of| is_asked(only, of)).collect();
        let mut found = Vec::new();
        // A responder for another game is detected here, before hours of training.
        for subject in &due {
            training.responders(&subject.experiment.family, registry)?;
        }
        if !due.is_empty() {
            let mut file = open(self.directory, self.plan)?;
            for (number, subject) in (1..).zip(&due) {
                if stop.check().is_err() {
                    break;
                }
                let run = &subject.experiment;
                let strategy = subject.strategy.contestant();
                // The runs of a method use different deals. Their results are then independent, and the error of their
                // mean is correct.
                let seed = run.resolved.seed.wrapping_add(training.seed).wrapping_sub(1);
                let training = Training { seed, ..training.clone() };
                let search = training.search(&run.family, &strategy, registry)?;
                let name = match subject.product {
                    Product::Champion => run.run_name(),
                    Product::Mixture => format!("{} (mixture)", run.run_name()),
                };
                let name = format!("{number} of {}: {name}", due.len());
                watch.on_event(&Phase::Search.begins(&name, search.num_games()));
                let bound = search.run(stop, |stage| {
                    let (done, note) = search.progress(stage);
                    watch.on_event(&Event::goes_on(done, &note));
                })?;
                watch.on_event(&Event::PhaseEnds);
                if bound.was_stopped {
                    break;
                }
                let how = how(&bound, seed);
                let row = subject.response(ResponseKind::LowerBound, bound.score, &how);
                file.append(std::slice::from_ref(&row))?;
                found.push(row);
            }
        }
        self.measurements.extend(found);
        Ok(())
    }
}

/// Returns `true` if `only` names the family of the strategy, or no family.
fn is_asked(only: &[String], subject: &Subject<'_>) -> bool {
    only.is_empty() || only.contains(&subject.experiment.labels[0])
}

fn open(directory: &RunDirectory, plan: &Plan) -> Result<MeasurementsFile> {
    if directory.is_published() {
        return Err(DirectoryError::Published(directory.path().into()).into());
    }
    Ok(MeasurementsFile::open(directory, plan)?.0)
}

/// Computes the best response to a strategy, if the family supports it.
fn computed(subject: &Subject<'_>) -> Result<Option<Measurement>, PlayerError> {
    let response = subject.experiment.family.best_response(&subject.strategy.contestant())?;
    Ok(response.map(|response| {
        let score = Estimate::computed(response.score(), 0);
        subject.response(ResponseKind::Exact, score, "computed best response")
    }))
}

/// The responses computed by programs that share the directory.
struct Prepared {
    /// The names of the runs with all responses known, except responses that cannot be computed.
    runs: HashSet<String>,
    rows: Vec<Measurement>,
}

impl Prepared {
    fn read(plan: &Plan, directory: &RunDirectory) -> Result<Prepared> {
        let mut prepared = Prepared { runs: HashSet::new(), rows: Vec::new() };
        let shared = directory.shared();
        if !shared.is_there() {
            return Ok(prepared);
        }
        for job in Jobs::of(plan).of_kind(JobKind::Responses) {
            let (_, runs) = job.numbers();
            let path = plan.study.kind().part(directory, job);
            if !reading::is_there(&path)? {
                continue;
            }
            prepared.rows.extend(MeasurementsFile::read_at(&path, directory, plan)?);
            prepared.runs.extend(plan.runs[runs].iter().map(Experiment::run_name));
        }
        Ok(prepared)
    }

    /// Returns the response to a strategy: `None` if it is not known yet, `Some(None)` if it cannot be computed.
    fn of(&self, subject: &Subject<'_>) -> Option<Option<&Measurement>> {
        let is_known = self.runs.contains(&subject.experiment.run_name());
        is_known.then(|| Measurement::find(&self.rows, Response, subject.exploited()))
    }
}

/// Computes the responses to the results of the finished runs of a job on the threads of the current pool, and writes
/// the whole file of the job. Returns `false` if stopped.
pub(super) fn compute_part(work: &study::Work<'_>, job: &Job) -> Result<bool> {
    let study::Work { plan, directory, watch, stop, .. } = *work;
    let path = plan.study.kind().part(directory, job);
    SharedFiles::prepare(&path)?;
    let (_, runs) = job.numbers();
    let subjects = read_subjects_of(directory, &plan.runs[runs])?;
    watch.on_event(&Phase::Responses.begins("", subjects.len() as u64));
    let num_done = AtomicU64::new(0);
    let response = |subject: &Subject<'_>| {
        if stop.check().is_err() {
            return Ok(None);
        }
        let found = computed(subject);
        let done = num_done.fetch_add(1, Ordering::Relaxed) + 1;
        watch.on_event(&Event::goes_on(done, &subject.experiment.labels[0]));
        found
    };
    let responses: Vec<Option<Measurement>> =
        subjects.par_iter().map(response).collect::<Result<_, PlayerError>>()?;
    watch.on_event(&Event::PhaseEnds);
    if stop.check().is_err() {
        return Ok(false);
    }
    let rows: Vec<Measurement> = responses.into_iter().flatten().collect();
    MeasurementsFile::write_part(&path, directory, &rows)?;
    Ok(true)
}

/// The settings for training a response that cannot be computed.
#[derive(Debug, Clone)]
pub struct Training {
    /// The number of games in all runs of a search together; `None` for a number that suits the family.
    pub budget: Option<u64>,
    /// The number of runs of a search in each family. They share the games equally.
    pub restarts: u64,
    /// The families and searches that respond, by name. If empty, all that can play the game respond.
    pub respond_with: Vec<String>,
    /// The seed of all random numbers.
    pub seed: u64,
}

impl Training {
    /// Returns the settings with a budget that suits the family, the usual number of runs, and all responders.
    pub fn usual(seed: u64) -> Training {
        Training { budget: None, restarts: USUAL_RESTARTS, respond_with: Vec::new(), seed }
    }

    /// Returns the responders to the strategies of a family.
    ///
    /// # Errors
    ///
    /// Returns an error that lists the valid names if a name is not a responder to these strategies.
    pub fn responders(
        &self,
        family: &Arc<dyn AnyFamily>,
        registry: &Registry,
    ) -> Result<Responders, PlayerError> {
        let families = registry.families_of_game(family);
        match self.respond_with.as_slice() {
            [] => Ok(Responders::all(families, registry.methods())),
            names => Ok(Responders::named(names, &families, registry.methods())?),
        }
    }

    /// Returns the search for a response to a strategy.
    ///
    /// # Errors
    ///
    /// Same as [`responders`](Training::responders).
    pub fn search<'s>(
        &self,
        family: &'s Arc<dyn AnyFamily>,
        strategy: &'s Player,
        registry: &Registry,
    ) -> Result<ResponseSearch<'s>, PlayerError> {
        let pairs = DefaultPairs::of_players(family.as_ref(), &[strategy]).evaluation;
        let budget = self.budget.unwrap_or(family.info().default_budget);
        Ok(ResponseSearch {
            family: family.as_ref(),
            responders: self.responders(family, registry)?,
            strategy,
            budget,
            restarts: self.restarts,
            limits: Limits::default(),
            selection_pairs: ResponseSearch::usual_selection(budget, pairs),
            confirmation_pairs: pairs,
            key: StreamKey::root(self.seed).child(Label::BestResponse, 0),
        })
    }
}
