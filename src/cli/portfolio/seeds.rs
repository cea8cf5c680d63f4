//! `ruse portfolio --held-out`: the random-seed experiment.

use ruse_base::rng::StreamKey;
use ruse_base::stop::StopSignal;
use ruse_games::BySeat;
use ruse_lab::Pool;
use ruse_lab::seed_study::{SeedFigure, SeedStudy, StudyFiles, StudyPlan};
use ruse_optimise::portfolio::{Effort, SplitPayoffs};
use ruse_play::arena::League;
use serde_json::{Value, json};

use super::arguments::PortfolioArgs;
use crate::cli::failure::{Failure, Result};
use crate::cli::format::{four, grouped, paragraph, table, table_of, terminal, text, written};
use crate::cli::output::{self, Answer};
use crate::cli::progress::WorkProgress;

pub(super) fn seeds(
    args: &PortfolioArgs,
    pool: &Pool,
    league: &dyn League,
    key: StreamKey,
    stop: &StopSignal,
) -> Result {
    let num_held_out = args.held_out.unwrap_or(1) as usize;
    if pool.members.len() < num_held_out + 2 {
        return Err(Failure::bad_input(
            "--random drew too few different strategies: at least two must remain beside the held-out ones",
        ));
    }
    let lessons = args.lessons(1);
    let plan = StudyPlan {
        num_held_out,
        bandits: vec![lessons.bandit],
        num_games: lessons.num_rounds,
        num_runs: lessons.num_runs,
    };
    // All strategies meet equally often, because their roles, members or opponents, are decided later.
    let num_members = pool.members.len();
    let Effort { pairs_per_meeting, .. } = args.effort(num_members);
    let num_meetings = (num_members * (num_members + 1) / 2) as u64;
    let progress = WorkProgress::new("pairs", num_meetings * pairs_per_meeting);
    let on_pairs = |num_pairs| progress.on_done(num_pairs, None, "");
    let payoffs =
        SplitPayoffs::estimate(league, num_members, pairs_per_meeting, key, stop, on_pairs);
    progress.finish();
    let study = SeedStudy::new(&payoffs?, &plan, key, stop)?;
    if let Some(directory) = &args.out {
        StudyFiles::at(directory).write(&study)?;
    }
    output::write(&SeedStudyAnswer { args, pool, study: &study }, args.played.json)
}

fn percent(rate: f64) -> String {
    format!("{:.2}%", 100.0 * rate)
}

/// Formats a value and, unless they are equal, its bounds in brackets.
fn bounded(figure: f64, low: f64, high: f64, write: impl Fn(f64) -> String) -> String {
    match low == high {
        true => write(figure),
        false => format!("{} [{}, {}]", write(figure), write(low), write(high)),
    }
}

struct SeedStudyAnswer<'a> {
    args: &'a PortfolioArgs,
    pool: &'a Pool,
    study: &'a SeedStudy,
}

impl SeedStudyAnswer<'_> {
    /// Returns the parts of the page: an introduction, and tables with their definitions.
    fn parts(&self) -> [String; 7] {
        let SeedStudyAnswer { args, pool, study } = *self;
        let SeedStudy { figures, generalisation, lessons } = study;
        let num_held_out = args.held_out.unwrap_or(1);
        let about = paragraph(&format!(
            "{}: {} random seeds, {} held out, seed {}",
            pool.family.name(),
            grouped(pool.members.len() as u64 - num_held_out),
            grouped(num_held_out),
            args.seed,
        ));
        let rows = figures.iter().map(|SeedFigure { name, figure, low, high }| {
            let is_count = name == "support";
            let write = |x: f64| if is_count { format!("{x}") } else { percent(x) };
            let first = bounded(figure.first, low.first, high.first, write);
            [in_words(name).into(), first, bounded(figure.second, low.second, high.second, write)]
        });
        let figures = text(&table_of(["", "first seat", "second seat"], &[1, 2], rows));
        let of_figures = paragraph(
            "All figures are of this pool; another pool of the same size may differ by more than these bounds.",
        );
        let score = "score on held-out seeds";
        let header = ["seeds", "choice", score, "exploited inside", "exploited by held-out"];
        let mut rows = table(header, &[0, 2, 3, 4]);
        for (size, choices) in generalisation {
            for found in choices {
                let [score, inside, outside] =
                    [found.score, found.loss_inside, found.loss_held_out].map(|mean| {
                        format!("{} +- {}", four(mean.mean), four(mean.standard_error))
                    });
                rows.add_row([size.to_string(), found.choice.into(), score, inside, outside]);
            }
        }
        let choices = text(&rows);
        let of_choices = paragraph(&format!(
            "Means over {} draws of the seeds, with standard errors. `exploited` is the losing rate against the best \
             response: among the seeds to choose from, and among the held-out seeds.",
            grouped(args.runs)
        ));
        let mut rows =
            table(["seat", "against", "games", "losing rate", "best possible"], &[2, 3, 4]);
        for lesson in lessons {
            let Some(last) = lesson.curve.last() else { continue };
            rows.add_row([
                lesson.seat.to_string(),
                lesson.opponent.to_string(),
                grouped(last.num_rounds),
                four(last.losing_rate),
                four(lesson.best_possible),
            ]);
        }
        let losses = text(&rows);
        let of_losses = paragraph(&format!(
            "Losing rates of {} in the last half of its games.",
            args.bandit.name()
        ));
        [about, figures, of_figures, choices, of_choices, losses, of_losses]
    }
}

impl Answer for SeedStudyAnswer<'_> {
    fn page(&self) -> String {
        self.parts().join("\n") + &written(self.args.out.as_deref())
    }

    fn answer(&self) -> String {
        let [about, figures, _, choices, _, losses, _] = self.parts();
        let written = written(self.args.out.as_deref());
        terminal().on_a_screen(&[about, figures, choices, losses], &written)
    }

    fn object(&self) -> Value {
        let SeedStudyAnswer { args, pool, study } = *self;
        let SeedStudy { figures, generalisation, lessons } = study;
        let by_seat = |rates: &BySeat<f64>| json!([rates.first, rates.second]);
        let figures = figures.iter().map(|SeedFigure { name, figure, low, high }| {
            let object = json!({
                "figure": by_seat(figure),
                "low": by_seat(low),
                "high": by_seat(high),
            });
            (name.clone(), object)
        });
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
        let num_held_out = args.held_out.unwrap_or(1);
        json!({
            "family": pool.family.name(),
            "seed": args.seed,
            "seeds": pool.members.len() as u64 - num_held_out,
            "held_out": num_held_out,
            "figures": figures.collect::<serde_json::Map<_, _>>(),
            "runs": args.runs,
            "generalisation": generalisation.collect::<Vec<_>>(),
            "bandit": args.bandit.name(),
            "learning": lessons.collect::<Vec<_>>(),
            "out": args.out,
        })
    }
}

/// Returns the name of a [`SeedFigure`] in words.
fn in_words(name: &str) -> &str {
    match name {
        "value" => "value",
        "support" => "seeds in the mixture",
        "nash-against-uniform" => "Nash against uniform",
        "nash-exploitability" => "lost by Nash to the best of the pool",
        "uniform-exploitability" => "lost by uniform to the best of the pool",
        "best-arm-exploitability" => "lost by the best seed on average",
        other => other,
    }
}
