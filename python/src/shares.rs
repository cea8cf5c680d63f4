//! Functions for executors: they do the jobs of a plan in separate directories, which are merged afterwards.

use std::path::PathBuf;

use pyo3::prelude::*;
use ruse::arena::StopSignal;
use ruse::cli::Failure;
use ruse::lab::{self, Jobs, MergeError, RunDirectory, Share};

use crate::refusal::error;
use crate::work::quietly;

/// Carries out one job in the directory at `path`, which must have the runs that the job needs. Returns `true` if the
/// job is finished.
#[pyfunction]
pub(crate) fn do_job(
    py: Python<'_>,
    path: PathBuf,
    job: usize,
    threads: Option<usize>,
) -> PyResult<bool> {
    let job = move |stop: &StopSignal| -> Result<bool, Failure> {
        let registry = crate::refusal::registry();
        let (_, plan) = RunDirectory::open(&path, &registry)?;
        let (jobs, share) = (Jobs::of(&plan), Share::Job(job));
        let of_share = share.jobs(&jobs).map_err(|error| Failure::Failed(error.to_string()))?;
        let directory = RunDirectory::join(&path, &plan, &registry)?;
        let done = lab::carry_out_share(&plan, share, &of_share, &registry, &directory, &(), stop)?;
        Ok(!done.was_stopped && done.waiting.is_empty() && done.in_use.is_empty())
    };
    quietly(py, threads, job)?.map_err(error)
}

/// Adds the results in `other` to the directory `into` of the same experiment.
#[pyfunction]
pub(crate) fn merge(py: Python<'_>, into: PathBuf, other: PathBuf) -> PyResult<()> {
    let merged = move || -> Result<(), Failure> {
        let registry = crate::refusal::registry();
        let (into, plan) = RunDirectory::reopen(&into, &registry)?;
        let (from, of_other) = RunDirectory::reopen(&other, &registry)?;
        if plan.fingerprint() != of_other.fingerprint() {
            let (from, into) = (from.path().into(), into.path().into());
            return Err(MergeError::OtherExperiment { from, into }.into());
        }
        lab::merge(&plan, &into, &from)?;
        Ok(())
    };
    py.detach(merged).map_err(error)
}
