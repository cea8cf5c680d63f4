//! Carries out experiments with random seeds. Pools are studied one by one, each on all threads.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use ruse_base::files::{DirectoryError, make_directory};
use ruse_optimise::portfolio::{PayoffError, SplitPayoffs};
use ruse_play::family::Player;

use super::TABLES;
use super::spec::{PoolPlan, PortfoliosPlan};
use super::study::SeedStudy;
use crate::error::{LabError, Result};
use crate::files::finished::FINISHED;
use crate::files::run_directory::RunDirectory;
use crate::jobs::{Job, JobKind, JobTask};
use crate::language::outputs::Output;
use crate::note::Note;
use crate::outcome::{Concluded, RunOutcome};
use crate::plan::Plan;
use crate::study::{StudyKind, Work};
use crate::watch::{Event, Phase};

impl StudyKind for PortfoliosPlan {
    fn programs(&self) -> Vec<&str> {
        let players = self.pools.iter().flat_map(|pool| &pool.players);
        players.flat_map(|(_, player)| player.programs()).collect()
    }

    fn descriptions(&self) -> BTreeMap<String, String> {
        self.pools.iter().flat_map(|pool| pool.descriptions.clone()).collect()
    }

    fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    fn num_games(&self) -> [u64; 2] {
        let sum =
            |games: fn(&PoolPlan) -> u64| self.pools.iter().map(games).fold(0, u64::saturating_add);
        [sum(PoolPlan::num_games), sum(PoolPlan::num_bandit_games)]
    }

    /// The number of a job is the index of its pool.
    fn jobs(&self, _: &Plan) -> Vec<Job> {
        let job = |(index, pool): (usize, &PoolPlan)| {
            let task = JobTask::Part { index, range: 0..0 };
            Job { games: pool.num_games(), ..Job::new(JobKind::Pool, pool.name.clone(), task) }
        };
        self.pools.iter().enumerate().map(job).collect()
    }

    fn part(&self, directory: &RunDirectory, job: &Job) -> PathBuf {
        directory.path().join(&job.name)
    }

    fn progress(&self, _: &Plan, directory: &RunDirectory, job: &Job) -> Result<usize> {
        let (index, _) = job.numbers();
        Ok(usize::from(directory.study(&self.pools[index]).is_finished()?))
    }

    fn is_done(&self, work: &Work<'_>, job: &Job) -> Result<bool> {
        Ok(self.progress(work.plan, work.directory, job)? > 0)
    }

    fn carry_out(&self, work: &Work<'_>, job: &Job, _: &[Player]) -> Result<bool> {
        let (index, _) = job.numbers();
        study_pool(&self.pools[index], self.seed, work).map(|()| true)
    }

    fn conclude(&self, work: &Work<'_>, note: &Note<'_>, _: &[RunOutcome<'_>]) -> Concluded {
        let mut due = Vec::new();
        for pool in &self.pools {
            if !work.directory.study(pool).is_finished()? {
                due.push(pool);
            }
        }
        for pool in due {
            note.begin()?;
            note.starts(work.plan.programs().into_iter().map(|program| program.name))?;
            study_pool(pool, self.seed, work)?;
        }
        Ok(None)
    }

    fn is_published(&self, directory: &RunDirectory) -> Result<bool, DirectoryError> {
        let published = self.pools.iter().map(|pool| directory.study(pool).is_published());
        Ok(published.collect::<Result<Vec<_>, _>>()?.contains(&true))
    }

    fn published(&self, _: &RunDirectory) -> Result<Vec<String>, DirectoryError> {
        let names = self.pools.iter().flat_map(|pool| {
            TABLES.into_iter().chain([FINISHED]).map(|name| format!("{}/{name}", pool.name))
        });
        Ok(names.collect())
    }

    fn num_finished(&self, directory: &RunDirectory) -> Result<Option<[usize; 2]>, DirectoryError> {
        let mut num_finished = 0;
        for pool in &self.pools {
            num_finished += usize::from(directory.study(pool).read()?.is_some());
        }
        Ok(Some([num_finished, self.pools.len()]))
    }
}

/// Studies a pool, and writes the results.
fn study_pool(pool: &PoolPlan, seed: u64, work: &Work<'_>) -> Result {
    let started = Instant::now();
    let studied = study(pool, seed, work);
    work.watch.on_event(&Event::PhaseEnds);
    studied?;
    let elapsed_s = started.elapsed().as_secs_f64();
    work.watch.on_event(&Event::PoolDone { name: &pool.name, elapsed_s });
    Ok(())
}

/// Plays the strategies of a pool against each other, and writes the results.
fn study(plan: &PoolPlan, seed: u64, work: &Work<'_>) -> Result {
    let Work { registry, directory, watch, stop, .. } = *work;
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
    let on_pairs = |done| watch.on_event(&Event::goes_on(done, ""));
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
