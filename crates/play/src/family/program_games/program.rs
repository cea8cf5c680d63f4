//! A program that plays games, and its processes.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use ruse_base::stop::{StopReason, StopSignal, Stopped};
use ruse_programs::{ExchangeError, PATIENCE, Process, Watch, has_passed};
use ruse_search::Settings;

use super::settings::{parameters_for, settings, values};
use super::wire::{Hello, Manifest, Words, read_words};

/// A program that plays the games of a family.
pub(super) struct Program {
    pub(super) words: Vec<String>,
    /// The line in which the program describes the family.
    pub(super) description: String,
    pub(super) manifest: Manifest,
    pub(super) settings: Settings,
    /// The parameters of the references that have any.
    pub(super) reference_parameters: BTreeMap<String, Vec<f64>>,
    /// The running processes that are not used by a thread.
    idle: Mutex<Vec<Process>>,
    pub(super) fault: Mutex<Option<String>>,
}

/// Work that waits for a program until it is stopped.
pub(super) struct Waiting<'a>(pub(super) &'a StopSignal);

impl Watch for Waiting<'_> {
    fn check(&self) -> Result<(), Stopped> {
        self.0.check()
    }
}

/// A description of the family, as a line and as its contents.
type Described = (String, Manifest);

/// Starts a process and reads its description of the family.
fn start(words: &[String], watch: &mut dyn Watch) -> Result<(Process, Described), ExchangeError> {
    let mut process = Process::start(words, PATIENCE).map_err(ExchangeError::Failed)?;
    process.say(&Hello::GAME, watch)?;
    let parse = |line: &str| Manifest::read(line).map(|manifest| (line.trim().into(), manifest));
    read(&mut process, watch, parse).map(|described| (process, described))
}

/// Reads a line of the program with `parse`.
pub(super) fn read<T>(
    process: &mut Process,
    watch: &mut dyn Watch,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, ExchangeError> {
    let read = match process.hear(watch)? {
        Some(line) => parse(&line).map_err(|problem| process.failed_by(&line, &problem)),
        None => Err(process.failed("it ended before it had answered")),
    };
    read.map_err(ExchangeError::Failed)
}

/// Removes the command from the beginning of a message that is shown after the name of the family.
fn without_name(words: &[String], problem: String) -> String {
    let name = format!("{}: ", words.join(" "));
    problem.strip_prefix(&name).map(str::to_owned).unwrap_or(problem)
}

impl Program {
    /// Starts the program of this command.
    ///
    /// # Errors
    ///
    /// Returns a message if the program cannot be started, or its description is invalid.
    pub(super) fn start(words: Vec<String>) -> Result<Program, String> {
        let never = StopSignal::default();
        let started = start(&words, &mut Waiting(&never));
        let (process, described) =
            started.map_err(|error| without_name(&words, error.to_string()))?;
        Program::new(words, described, vec![process])
    }

    /// Returns the program of this command, which is not started before its first game. `description` is its
    /// description of the family when it was started before.
    ///
    /// # Errors
    ///
    /// Returns a message if the description is invalid.
    pub(super) fn described(words: Vec<String>, description: &str) -> Result<Program, String> {
        let manifest = Manifest::read(description)?;
        Program::new(words, (description.into(), manifest), Vec::new())
    }

    fn new(
        words: Vec<String>,
        (description, manifest): Described,
        idle: Vec<Process>,
    ) -> Result<Program, String> {
        let settings = settings(&manifest.parameters)?;
        let mut reference_parameters = BTreeMap::new();
        for reference in &manifest.references {
            if let Some(values) = &reference.parameters {
                let about = |problem| format!("reference `{}`: {problem}", reference.name);
                let theta = parameters_for(&settings, values).map_err(about)?;
                reference_parameters.insert(reference.name.clone(), theta);
            }
        }
        Ok(Program {
            words,
            description,
            manifest,
            settings,
            reference_parameters,
            idle: Mutex::new(idle),
            fault: Mutex::default(),
        })
    }

    /// Returns an idle process, or a new one.
    fn process(&self, watch: &mut dyn Watch) -> Result<Process, ExchangeError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(process) = idle {
            return Ok(process);
        }
        let (mut process, (_, manifest)) = start(&self.words, watch)?;
        match manifest == self.manifest {
            true => Ok(process),
            false => Err(ExchangeError::Failed(process.failed(
                "it describes another family than before; begin a new run, or take the program as it was",
            ))),
        }
    }

    /// Works with a process that no other thread uses. After a failure, the process is ended.
    pub(super) fn with_process<T>(
        &self,
        stop: &StopSignal,
        work: impl FnOnce(&mut Process) -> Result<T, ExchangeError>,
    ) -> Result<T, Stopped> {
        let process = self.process(&mut Waiting(stop));
        match process.and_then(|mut process| Ok((work(&mut process)?, process))) {
            Ok((done, process)) => {
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(process);
                Ok(done)
            }
            Err(ExchangeError::Stopped(stopped)) => Err(stopped),
            Err(error) => {
                let problem = error.to_string();
                let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
                fault.get_or_insert(without_name(&self.words, problem));
                stop.raise();
                Err(Stopped(StopReason::Interrupted))
            }
        }
    }

    /// Returns the program's own description of the strategy with parameters `theta`; `None` if the program has not
    /// been started. It is not started for its words.
    pub(super) fn told(&self, theta: &[f64]) -> Option<String> {
        if !has_passed(&self.words) {
            return None;
        }
        let values = values(&self.settings, theta);
        let never = StopSignal::default();
        let watch = &mut Waiting(&never);
        let told = self.with_process(&never, |process| {
            process.say(&Words { words: &values }, watch)?;
            read(process, watch, read_words)
        });
        told.ok().filter(|words| !words.is_empty())
    }
}

impl Drop for Program {
    /// Tells the processes that they are no longer needed. A process that does not end is killed.
    fn drop(&mut self) {
        Process::dismiss(self.idle.get_mut().unwrap_or_else(PoisonError::into_inner));
    }
}
