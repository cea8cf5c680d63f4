//! `ruse portfolio --held-out`: the random-seed experiment.

use std::fmt::Write;

use serde_json::json;

use super::PortfolioArgs;
use crate::arena::StopSignal;
use crate::cli::failure::{Failure, print, print_json};
use crate::cli::format::{grouped, paragraph, score, table, text};
use crate::experiment::{Pool, write_atomically};
use crate::portfolio::{
    BySeat, Generalisation, PayoffMatrix, Payoffs, SeedGame, SeedLesson, generalise, learn,
};
use crate::rng::{Label, StreamKey};

/// What came of it.
struct Results {
    game: SeedGame,
    /// By the number of seeds chosen from.
    generalisation: Vec<(usize, [Generalisation; 3])>,
    lessons: Vec<SeedLesson>,
}

pub(super) fn seeds(
    args: &PortfolioArgs,
    pool: &Pool,
    payoffs: &Payoffs,
    key: StreamKey,
    stop: &StopSignal,
) -> Result<(), Failure> {
    let num_held_out = args.held_out.unwrap_or(1) as usize;
    let num_seeds = pool.members.len().saturating_sub(num_held_out);
    if num_seeds < 2 {
        return Err(Failure::bad_input("too few different strategies are left to choose from"));
    }
    let all = payoffs.matrix_by_seat()?;
    let failed = |error: crate::portfolio::MatrixError| Failure::Failed(error.to_string());
    let matrix =
        PayoffMatrix::from_fn(num_seeds, num_seeds, |i, j| all.payoff(i, j)).map_err(failed)?;
    let game = SeedGame::new(&matrix).map_err(failed)?;
    let mut sizes: Vec<usize> = (1..).map(|k| 1 << k).take_while(|n| *n < num_seeds).collect();
    sizes.push(num_seeds);
    let mut generalisation = Vec::new();
    for size in sizes {
        let key = key.child(Label::Request, 1);
        generalisation.push((size, generalise(&all, size, args.runs, key, stop)?));
    }
    let lessons = learn(&matrix, args.lessons(1), key.child(Label::Request, 2), stop)?;
    let results = Results { game, generalisation, lessons };
    if let Some(directory) = &args.out {
        let unwritable = |error: std::io::Error| {
            Failure::Failed(format!("cannot write to {}: {error}", directory.display()))
        };
        std::fs::create_dir_all(directory).map_err(unwritable)?;
        let files = [
            ("game.csv", game_csv(&results.game)),
            ("generalisation.csv", generalisation_csv(&results)),
            ("learning.csv", learning_csv(&results)),
        ];
        for (name, contents) in files {
            write_atomically(&directory.join(name), &contents)?;
        }
    }
    if args.json {
        print_json(&json(args, pool, &results))
    } else {
        print(&page(args, pool, &results))
    }
}

fn percent(rate: f64) -> String {
    format!("{:.2} %", 100.0 * rate)
}

fn page(args: &PortfolioArgs, pool: &Pool, results: &Results) -> String {
    let Results { game, generalisation, lessons } = results;
    let [first, second] = game.support;
    let mut page = paragraph(&format!(
        "{}: {} random seeds, {} held out, seed {}",
        pool.family.name(),
        grouped(game.num_seeds as u64),
        grouped((pool.members.len() - game.num_seeds) as u64),
        args.seed,
    ));
    page += &paragraph(&format!(
        "The first seat scores {} at the equilibrium (gap {:.0e}), which mixes {first} seeds in the first seat and \
         {second} in the second.",
        percent(game.value),
        game.gap.max(0.0),
    ));
    page.push('\n');
    let mut rows = table(["", "first seat", "second seat"], &[1, 2]);
    for (name, BySeat { first, second }) in [
        ("Nash against uniform", game.nash_against_uniform),
        ("exploitability of uniform", game.uniform_exploitability),
        ("exploitability of the best seed on average", game.best_arm_exploitability),
    ] {
        rows.add_row([name.into(), percent(first), percent(second)]);
    }
    page += &text(&rows);
    page.push('\n');
    let mut rows = table(
        ["seeds", "choice", "score on held-out seeds", "exploited inside", "exploited by held-out"],
        &[0, 2, 3, 4],
    );
    for (size, choices) in generalisation {
        for found in choices {
            let [score, inside, outside] = [found.score, found.loss_inside, found.loss_held_out]
                .map(|mean| {
                    format!("{} +- {}", score(mean.mean, 4), score(mean.standard_error, 4))
                });
            rows.add_row([size.to_string(), found.choice.into(), score, inside, outside]);
        }
    }
    page += &text(&rows);
    page.push('\n');
    page += &paragraph(&format!(
        "Means over {} draws of the seeds, with standard errors. `exploited` is the losing rate against the best \
         response: among the seeds chosen from, and among those held out.",
        grouped(args.runs)
    ));
    page.push('\n');
    let mut rows = table(["seat", "against", "games", "losing rate", "best possible"], &[2, 3, 4]);
    for lesson in lessons {
        let Some(last) = lesson.curve.last() else { continue };
        rows.add_row([
            lesson.seat.to_string(),
            lesson.opponent.to_string(),
            grouped(last.num_rounds),
            score(last.losing_rate, 4),
            score(lesson.best_possible, 4),
        ]);
    }
    page += &text(&rows);
    page.push('\n');
    page += &paragraph(&format!("Losing rates of {} in the last half of its games.", args.bandit));
    if let Some(path) = &args.out {
        let _ = writeln!(page, "Written to {}.", path.display());
    }
    page
}

fn json(args: &PortfolioArgs, pool: &Pool, results: &Results) -> serde_json::Value {
    let Results { game, generalisation, lessons } = results;
    let by_seat = |rates: BySeat| json!([rates.first, rates.second]);
    let generalisation = generalisation.iter().flat_map(|(size, choices)| {
        choices.iter().map(move |found| {
            json!({
                "seeds": size,
                "choice": found.choice,
                "score": found.score.mean,
                "score_standard_error": found.score.standard_error,
                "loss_inside": found.loss_inside.mean,
                "loss_held_out": found.loss_held_out.mean,
            })
        })
    });
    let lessons = lessons.iter().map(|lesson| {
        let points =
            lesson.curve.iter().map(|p| json!([p.num_rounds, p.losing_rate, p.recommended]));
        json!({
            "seat": lesson.seat,
            "against": lesson.opponent,
            "best_possible": lesson.best_possible,
            "curve": points.collect::<Vec<_>>(),
        })
    });
    json!({
        "family": pool.family.name(),
        "seed": args.seed,
        "seeds": game.num_seeds,
        "held_out": pool.members.len() - game.num_seeds,
        "value": game.value,
        "gap": game.gap,
        "support": game.support,
        "nash_against_uniform": by_seat(game.nash_against_uniform),
        "uniform_exploitability": by_seat(game.uniform_exploitability),
        "best_arm_exploitability": by_seat(game.best_arm_exploitability),
        "runs": args.runs,
        "generalisation": generalisation.collect::<Vec<_>>(),
        "bandit": args.bandit,
        "learning": lessons.collect::<Vec<_>>(),
        "out": args.out,
    })
}

fn game_csv(game: &SeedGame) -> String {
    let mut csv = String::from("quantity,first,second\n");
    let [first, second] = game.support;
    let _ = writeln!(csv, "value,{},{}", game.value, 1.0 - game.value);
    let _ = writeln!(csv, "support,{first},{second}");
    for (name, BySeat { first, second }) in [
        ("nash-against-uniform", game.nash_against_uniform),
        ("uniform-exploitability", game.uniform_exploitability),
        ("best-arm-exploitability", game.best_arm_exploitability),
    ] {
        let _ = writeln!(csv, "{name},{first},{second}");
    }
    csv
}

fn generalisation_csv(results: &Results) -> String {
    let mut csv = String::from(
        "seeds,choice,score,score_error,loss_inside,loss_inside_error,loss_held_out,loss_held_out_error\n",
    );
    for (size, choices) in &results.generalisation {
        for found in choices {
            let _ = write!(csv, "{size},{}", found.choice);
            for mean in [found.score, found.loss_inside, found.loss_held_out] {
                let _ = write!(csv, ",{:.6},{:.6}", mean.mean, mean.standard_error);
            }
            csv.push('\n');
        }
    }
    csv
}

fn learning_csv(results: &Results) -> String {
    let mut csv =
        String::from("seat,against,games,losing_rate,standard_error,recommended,best_possible\n");
    for lesson in &results.lessons {
        for point in &lesson.curve {
            let error = point.standard_error.map_or(String::new(), |error| format!("{error:.6}"));
            let _ = writeln!(
                csv,
                "{},{},{},{:.6},{error},{:.6},{:.6}",
                lesson.seat,
                lesson.opponent,
                point.num_rounds,
                point.losing_rate,
                point.recommended,
                lesson.best_possible
            );
        }
    }
    csv
}
