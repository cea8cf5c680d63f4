//! Experiments with random seeds: their pools are studied one after the other, each on all threads.

use std::time::{Duration, Instant};

use serde_json::json;

use super::failure::{Failure, print, print_json};
use super::format::{counted, paragraph, rounded, table, text};
use super::progress::MatchProgress;
use super::verbosity::say;
use crate::arena::StopSignal;
use crate::bench;
use crate::experiment::{PoolPlan, PortfoliosPlan, Provenance, RunDirectory};
use crate::family::Registry;
use crate::portfolio::{Payoffs, SeedStudy};
use crate::rng::StreamKey;

/// Studies all pools that are not finished.
pub(super) fn carry_out(
    plan: &PortfoliosPlan,
    registry: &Registry,
    directory: &RunDirectory,
    stop: &StopSignal,
) -> Result<(), Failure> {
    // As long as it is open, no other program goes on with the experiment.
    let _lock = directory.lock()?;
    let mut due = Vec::new();
    for pool in &plan.pools {
        if !directory.study(pool).is_finished()? {
            due.push(pool);
        }
    }
    if due.is_empty() {
        say("the experiment is finished");
        return Ok(());
    }
    let mut provenance = Provenance::now(rayon::current_num_threads());
    directory.write_provenance(&provenance)?;
    let started = Instant::now();
    for pool in due {
        let studied = study(pool, plan.seed, registry, directory, stop);
        if matches!(studied, Err(Failure::Interrupted)) {
            say(&format!("`ruse resume {}` goes on from here", directory.path().display()));
        }
        studied?;
    }
    provenance.finish(started.elapsed().as_secs_f64());
    Ok(directory.write_provenance(&provenance)?)
}

/// Lets the strategies of a pool meet, and writes what is found.
fn study(
    plan: &PoolPlan,
    seed: u64,
    registry: &Registry,
    directory: &RunDirectory,
    stop: &StopSignal,
) -> Result<(), Failure> {
    let started = Instant::now();
    let pool = plan.pool(seed, registry)?;
    let found = pool.members.len() as u64;
    let wanted = plan.num_seeds + plan.study.num_held_out as u64;
    if found < wanted {
        return Err(Failure::with_advice(
            format!("{}: only {found} of {wanted} random strategies are different", plan.name),
            "ask for fewer, or let more parameters vary",
        ));
    }
    let members: Vec<_> = pool.members.iter().map(|member| &member.contestant).collect();
    let league = pool.family.league(&members)?;
    say(&format!("{}: {} meet", plan.name, counted(found, "player")));
    let key = StreamKey::root(seed);
    let mut progress = MatchProgress::new(plan.num_meetings() * plan.pairs);
    let on_pairs = |num_pairs| progress.on_pairs(num_pairs);
    let payoffs =
        Payoffs::estimate(league.as_ref(), members.len(), plan.effort(), key, stop, on_pairs);
    progress.finish();
    let payoffs = payoffs?;
    say(&format!(
        "{}: {} of games played; bandits learn",
        plan.name,
        counted(payoffs.num_pairs(), "pair")
    ));
    let study = SeedStudy::new(&payoffs, &plan.study, key, stop)?;
    directory.study(plan).write(&study)?;
    say(&format!("{}: finished after {:.0} s", plan.name, started.elapsed().as_secs_f64()));
    Ok(())
}

/// How long the speed of a family is measured: enough for the first digit.
const MEASURE_FOR: Duration = Duration::from_millis(150);

/// Says what would be done.
pub(super) fn describe(
    plan: &PortfoliosPlan,
    registry: &Registry,
    as_json: bool,
    stop: &StopSignal,
) -> Result<(), Failure> {
    let mut pools = Vec::new();
    let mut rows = table(
        ["portfolio", "seeds", "held out", "games at most", "games/s", "time on one thread"],
        &[1, 2, 3, 4, 5],
    );
    for pool in &plan.pools {
        let family = registry.family(&pool.family)?.with_rules(&pool.rules)?;
        let (speed, measured) = bench::speed(family.as_ref(), MEASURE_FOR, stop);
        measured.map_err(|_| Failure::Interrupted)?;
        let games_per_s = speed.one_thread.games_per_s();
        let games = 2 * pool.pairs * pool.num_meetings();
        let time_s = games_per_s.map(|speed| games as f64 / speed);
        rows.add_row([
            pool.name.clone(),
            pool.num_seeds.to_string(),
            pool.study.num_held_out.to_string(),
            rounded(games as f64),
            games_per_s.map_or("?".into(), rounded),
            time_s.map_or("?".into(), |s| {
                indicatif::HumanDuration(Duration::from_secs_f64(s)).to_string()
            }),
        ]);
        pools.push(json!({
            "name": pool.name,
            "family": pool.family,
            "seeds": pool.num_seeds,
            "held_out": pool.study.num_held_out,
            "games_at_most": games,
            "games_per_s": games_per_s,
        }));
    }
    if as_json {
        return print_json(&json!({ "portfolios": pools }));
    }
    let mut page = text(&rows);
    page.push('\n');
    page += &paragraph(
        "Speeds were measured just now, with Gaussian parameters. Strategies without chance play one pair each, \
         whatever was asked for. What bandits learn comes on top: it plays no games. Nothing was written.",
    );
    print(&page)
}
