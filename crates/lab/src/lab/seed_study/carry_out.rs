//! Carries out experiments with random seeds. The pools are studied one after the other, each on all threads.

use std::time::Instant;

use super::spec::{PoolPlan, PortfoliosPlan};
use super::study::SeedStudy;
use crate::arena::StopSignal;
use crate::files::make_directory;
use crate::lab::error::LabError;
use crate::lab::files::run_directory::RunDirectory;
use crate::lab::note::Note;
use crate::lab::watch::{Event, Phase, Watch};
use crate::portfolio::{PayoffError, SplitPayoffs};
use crate::registry::Registry;

/// Studies all unfinished pools.
pub(in crate::lab) fn carry_out(
    plan: &PortfoliosPlan,
    registry: &Registry,
    directory: &RunDirectory,
    note: &Note<'_>,
    watch: &dyn Watch,
    stop: &StopSignal,
) -> Result<(), LabError> {
    let mut due = Vec::new();
    for pool in &plan.pools {
        if !directory.study(pool).is_finished()? {
            due.push(pool);
        }
    }
    for pool in due {
        note.begin()?;
        study_pool(pool, plan.seed, registry, directory, watch, stop)?;
    }
    Ok(())
}

/// Studies a pool, and writes the results.
pub(in crate::lab) fn study_pool(
    pool: &PoolPlan,
    seed: u64,
    registry: &Registry,
    directory: &RunDirectory,
    watch: &dyn Watch,
    stop: &StopSignal,
) -> Result<(), LabError> {
    let started = Instant::now();
    let studied = study(pool, seed, registry, directory, watch, stop);
    watch.on_event(&Event::PhaseEnds);
    studied?;
    let elapsed_s = started.elapsed().as_secs_f64();
    watch.on_event(&Event::PoolDone { name: &pool.name, elapsed_s });
    Ok(())
}

/// Plays the strategies of a pool against each other, and writes the results.
fn study(
    plan: &PoolPlan,
    seed: u64,
    registry: &Registry,
    directory: &RunDirectory,
    watch: &dyn Watch,
    stop: &StopSignal,
) -> Result<(), LabError> {
    let pool = plan.pool(seed, registry)?;
    let found = pool.members.len() as u64;
    let wanted = plan.num_seeds + plan.study.num_held_out as u64;
    if found < wanted {
        return Err(LabError::TooFewStrategies { pool: plan.name.clone(), found, wanted });
    }
    let members: Vec<_> = pool.members.iter().map(|member| &member.contestant).collect();
    let league = pool.family.league(&members)?;
    let key = plan.key(seed);
    let name = plan.name.as_str();
    let num_pairs = plan.num_meetings() * plan.pairs;
    let begins = |phase, size, total| {
        watch.on_event(&Event::PhaseBegins { phase, name, size, total, done: 0 });
    };
    begins(Phase::Pool, found, num_pairs);
    let on_pairs = |done| watch.on_event(&Event::PhaseGoesOn { done, fraction: None, note: "" });
    let payoffs =
        SplitPayoffs::estimate(league.as_ref(), members.len(), plan.pairs, key, stop, on_pairs);
    let payoffs = payoffs.map_err(stopped)?;
    watch.on_event(&Event::PhaseEnds);
    begins(Phase::Bandits, payoffs.whole().num_pairs(), 0);
    let study = SeedStudy::new(&payoffs, &plan.study, key, stop).map_err(stopped)?;
    make_directory(directory.path(), &directory.path().join(&plan.name))?;
    Ok(directory.study(plan).write(&study)?)
}

fn stopped(error: PayoffError) -> LabError {
    match error {
        PayoffError::Stopped(_) => LabError::Stopped,
        error => error.into(),
    }
}
