//! The output of `--dry-run`: the work of a plan, and an estimate of its time.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use ruse_base::stop::StopSignal;
use ruse_lab::{Experiment, JobKind, Jobs, Plan, Program, Study, num_yardstick_games};
use ruse_play::family::UNASKED;
use serde_json::{Value, json};

use super::caution::excess;
use super::failure::Failure;
use super::format::{self, counted, in_words, paragraph, rounded, table, text};
use super::output::{self, Output};
use crate::speed;

/// The duration of a measurement of speed. Only its first digit is reliable.
pub(super) const MEASURE_FOR: Duration = Duration::from_millis(150);

/// The games per second on one thread, if known, by the name of the family in the experiment.
type Speeds = BTreeMap<String, Option<f64>>;

/// Measures the speeds of the families of a plan, and replaces the declared durations of its jobs by those at these
/// speeds. Best responses, which play no games, keep theirs.
pub(super) fn measure(plan: &Plan, jobs: &mut Jobs, stop: &StopSignal) -> Result<Speeds, Failure> {
    let mut speeds = Speeds::new();
    let mut runs = BTreeMap::new();
    for run in &plan.runs {
        let [family, _] = &run.labels;
        if !speeds.contains_key(family) {
            let (speed, measured) = speed::speed(run.family.as_ref(), MEASURE_FOR, stop);
            measured.map_err(|_| Failure::Interrupted)?;
            speeds.insert(family.clone(), speed.one_thread.games_per_s());
        }
        runs.insert(run.run_name(), run);
    }
    let time = |family: &str, games: u64| Some(games as f64 / speeds.get(family).copied()??);
    for job in &mut jobs.jobs {
        let family = job.family.as_deref().unwrap_or_default();
        match (job.kind, runs.get(&job.name)) {
            (JobKind::Run, Some(run)) => {
                let scoring = time(family, run.num_scoring_games());
                let learning = match run.budget.time {
                    Some(time) => Some(time.as_secs_f64()),
                    None => run.budget.games.and_then(|games| time(family, games)),
                };
                job.seconds = learning.zip(scoring).map(|(learning, scoring)| learning + scoring);
            }
            (JobKind::Meetings, _) => job.seconds = time(family, job.games),
            (JobKind::Finale, _) => {
                // The finale of a comparison plays games of all families; another plays games of the only one.
                let games_of = |family: &str| match &plan.study {
                    Study::Meetings(_) => num_yardstick_games(plan, family),
                    _ => job.games,
                };
                job.seconds = speeds.keys().map(|family| time(family, games_of(family))).sum();
            }
            _ => {}
        }
    }
    Ok(speeds)
}

/// The work of all runs on one family.
struct Part {
    family: String,
    num_runs: usize,
    /// The maximum number of games in comparisons; `None` if a run is limited only by time or iterations.
    comparison_games: Option<u64>,
    /// The number of games for scoring champions.
    evaluation_games: u64,
    /// The maximum number of games for scoring reference players.
    yardstick_games: u64,
    /// The maximum number of games in meetings of champions.
    meeting_games: u64,
    /// The number of games per second on one thread, if known.
    games_per_s: Option<f64>,
    /// The estimated time on one thread, in seconds, if known.
    time_s: Option<f64>,
}

impl Part {
    /// Returns the number of games for scoring champions and reference players.
    fn scoring_games(&self) -> u64 {
        self.evaluation_games.saturating_add(self.yardstick_games)
    }
}

/// Describes the work of `plan`.
pub(super) fn describe(plan: &Plan, as_json: bool, stop: &StopSignal) -> Result<(), Failure> {
    let mut jobs = Jobs::of(plan);
    let speeds = measure(plan, &mut jobs, stop)?;
    let mut parts: Vec<Part> = Vec::new();
    for run in &plan.runs {
        let family = &run.labels[0];
        let place = parts.iter().position(|part| part.family == *family);
        let index = match place {
            Some(index) => index,
            None => {
                parts.push(begin(plan, run, &jobs, &speeds));
                parts.len() - 1
            }
        };
        let part = &mut parts[index];
        part.num_runs += 1;
        part.comparison_games = part
            .comparison_games
            .zip(run.budget.games)
            .map(|(sum, games)| sum.saturating_add(games));
        part.evaluation_games = part.evaluation_games.saturating_add(run.num_scoring_games());
    }
    let num_threads = rayon::current_num_threads();
    // As in `ruse plan`, with the finale, which belongs to no family.
    let time_s: Option<f64> = jobs.jobs.iter().map(|job| job.seconds).sum();
    let time_s = time_s.map(|time_s| time_s / num_threads as f64);
    output::write(&Parts { plan, parts, num_threads, time_s }, as_json)
}

/// The work of a plan, one part per family.
struct Parts<'a> {
    plan: &'a Plan,
    parts: Vec<Part>,
    num_threads: usize,
    time_s: Option<f64>,
}

impl Output for Parts<'_> {
    fn page(&self) -> String {
        let Parts { plan, parts, num_threads, time_s } = self;
        let games = |games: Option<u64>| games.map_or("?".into(), |games| rounded(games as f64));
        let duration =
            |time_s: Option<f64>| time_s.map_or("?".into(), |s| in_words(format::duration(s)));
        let mut rows = table(
            [
                "family",
                "runs",
                "games to learn",
                "to score",
                "to meet",
                "games/s",
                "time on one thread",
            ],
            &[1, 2, 3, 4, 5, 6],
        );
        for part in parts {
            rows.add_row([
                part.family.clone(),
                part.num_runs.to_string(),
                games(part.comparison_games),
                games(Some(part.scoring_games())),
                games(Some(part.meeting_games)),
                part.games_per_s.map_or("?".into(), rounded),
                duration(part.time_s),
            ]);
        }
        let mut page = text(&rows);
        let total = counted(plan.runs.len() as u64, "run");
        let threads = counted(*num_threads as u64, "thread");
        let _ = write!(
            page,
            "\n{total}, {} in all on {threads}, if all budgets are used.\n",
            duration(*time_s)
        );
        page += &paragraph(
            "Speeds were measured just now, with Gaussian parameters; learned strategies may play longer games. \
             Games against the baseline for learning curves come on top. `to score` is for champions and, in a comparison, \
             for reference players. `to meet` is the most that meetings can take. Nothing was written.",
        );
        page += &warning(plan);
        page += &starts(plan);
        page
    }

    fn object(&self) -> Value {
        let Parts { plan, parts, num_threads, time_s } = self;
        let parts = parts.iter().map(|part| {
            json!({
                "family": part.family,
                "runs": part.num_runs,
                "comparison_games": part.comparison_games,
                "evaluation_games": part.evaluation_games,
                "yardstick_games_at_most": part.yardstick_games,
                "meeting_games_at_most": part.meeting_games,
                "games_per_s": part.games_per_s,
            })
        });
        let object = json!({
            "runs": plan.runs.len(),
            "threads": num_threads,
            "estimated_time_s": time_s,
            "families": parts.collect::<Vec<_>>(),
        });
        with_programs(object, plan)
    }
}

/// Returns a paragraph for each external program, and one about what is unknown before it is started.
pub(super) fn starts(plan: &Plan) -> String {
    let programs = plan.programs();
    let paragraphs = programs
        .iter()
        .map(|program| format!("\n{}", paragraph(&format!("It {}.", program.in_words()))));
    let mut text: String = paragraphs.collect();
    if plan.descriptions().values().any(|known| known == UNASKED) {
        let unknown = "The games of a family are played by a program, which was not started. So its parameters and \
                       players were not checked, and the speed and the number of games that depend on them are unknown.";
        text += &format!("\n{}", paragraph(unknown));
    }
    text
}

/// Adds the external programs of the plan to a JSON object, if any.
pub(super) fn with_programs(mut object: Value, plan: &Plan) -> Value {
    let programs = plan.programs();
    if !programs.is_empty() {
        let program =
            |Program { name, num_runs }: &Program| json!({"command": name, "runs": num_runs});
        object["programs"] = programs.iter().map(program).collect();
    }
    object
}

/// Returns a warning if the plan needs `--huge`, otherwise an empty text.
pub(super) fn warning(plan: &Plan) -> String {
    let warn = |excess| format!("The plan comes to {excess}: it needs `--huge`.");
    excess(plan).map_or(String::new(), |excess| format!("\n{}", paragraph(&warn(excess))))
}

/// Returns a part without runs for the family of `run`.
fn begin(plan: &Plan, run: &Experiment, jobs: &Jobs, speeds: &Speeds) -> Part {
    let family = run.labels[0].clone();
    let meeting_games = match &plan.study {
        Study::Championship(spec) => spec.max_games().unwrap_or(0),
        Study::Meetings(spec) => spec.num_games(&family),
        _ => 0,
    };
    let jobs = jobs.jobs.iter().filter(|job| job.family.as_ref() == Some(&family));
    Part {
        num_runs: 0,
        comparison_games: Some(0),
        evaluation_games: 0,
        yardstick_games: num_yardstick_games(plan, &family),
        meeting_games,
        games_per_s: speeds.get(&family).copied().flatten(),
        time_s: jobs.map(|job| job.seconds).sum(),
        family,
    }
}
