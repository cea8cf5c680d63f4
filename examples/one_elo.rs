//! Measures which methods find the top of `elo-surface`, which is 2 Elo above the start, and with how many games:
//! `cargo run --release --example one_elo -- RUNS BUDGET...`, for example with 1000 47500 95000 190000 380000.

use std::sync::Arc;

use rayon::prelude::*;
use ruse::arena::StopSignal;
use ruse::family::Player;
use ruse::optimise::{self, AnyMethod, Budget, MethodKind, QuadraticFitKind, SpsaKind, Task};
use ruse::registry::Registry;
use ruse::rng::StreamKey;
use ruse::strategies::elo_surface::elo;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Returns how many Elo the champion of a run is below the top.
fn loss(
    registry: &Registry,
    method: &Arc<dyn AnyMethod>,
    games: u64,
    seed: u64,
) -> Result<f64, Error> {
    let family = registry.family("elo-surface")?;
    let races = method.info().usual_races;
    let task = Task {
        family: family.as_ref(),
        races: races.settings(),
        start: Some(vec![0.0; 4]),
        method: Arc::clone(method),
        budget: Budget { games: Some(games), ..Budget::default() },
        baseline: Player::Redrawn,
        scored_against: None,
        monitor_pairs: 1,
        wide_responses: None,
        key: StreamKey::root(seed),
    };
    let result = optimise::run(&task, None, &StopSignal::default(), &mut ())?;
    Ok(-elo(result.champion.as_slice().try_into()?))
}

/// Returns the limits of a 95% interval for a probability (Wilson 1927), if `num` of `total` trials succeeded.
fn wilson(num: f64, total: f64) -> [f64; 2] {
    let z = 1.96;
    let (share, z2) = (num / total, z * z / total);
    let half = z * ((share * (1.0 - share) + z2 / 4.0) / total).sqrt();
    [-half, half].map(|half| (share + z2 / 2.0 + half) / (1.0 + z2))
}

fn main() -> Result<(), Error> {
    let mut numbers = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let num_runs = numbers.next().ok_or("give the number of runs, and budgets")??;
    let budgets = numbers.collect::<Result<Vec<_>, _>>()?;
    let registry = Registry::standard();
    let spsa = |perturbation| SpsaKind { perturbation, ..SpsaKind::default() }.into_any();
    let fit = |width| QuadraticFitKind { width }.into_any();
    let methods = [
        ("`quadratic-fit`, width 2", fit(2.0)),
        ("`quadratic-fit`, width 1", fit(1.0)),
        ("`spsa`, perturbation 1", spsa(1.0)),
        ("`spsa`, perturbation 2", spsa(2.0)),
        ("`es`", registry.method("es")?),
        ("`cma-es`", registry.method("cma-es")?),
    ];
    println!(
        "| method | games | at most .5 Elo below the top | 95% interval | mean Elo below the top |"
    );
    println!("|---|---|---|---|---|");
    for (name, method) in methods {
        for &games in &budgets {
            let runs = (1..=num_runs).into_par_iter();
            let losses = runs
                .map(|seed| loss(&registry, &method, games, seed))
                .collect::<Result<Vec<_>, _>>()?;
            let n = num_runs as f64;
            let num_close = losses.iter().filter(|&&loss| loss <= 0.5).count() as f64;
            let [low, high] = wilson(num_close, n);
            let mean = losses.iter().sum::<f64>() / n;
            let squares: f64 = losses.iter().map(|loss| (loss - mean) * (loss - mean)).sum();
            let error = 1.96 * (squares / (n - 1.0) / n).sqrt();
            let share = num_close / n;
            println!(
                "| {name} | {games} | {share:.3} | {low:.3} to {high:.3} | {mean:.3} ± {error:.3} |"
            );
        }
    }
    Ok(())
}
