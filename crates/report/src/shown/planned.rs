//! The work of a plan before it begins, and an estimate of its time.

use std::collections::BTreeMap;

use comfy_table::Table;
use ruse_base::stop::Stopped;
use ruse_lab::{Experiment, JobKind, Jobs, Plan, PlanSize, Program};
use ruse_play::family::{AnyFamily, UNASKED};
use ruse_registry::Registry;
use serde_json::{Value, json};

use crate::error::Result;
use crate::format::{counted, grouped};
use crate::terminal::{Answer, Terminal, in_words, rounded, text};

/// Measures the number of games of a family per second on one thread. Returns `None` if it is unknown.
pub type MeasureSpeed<'a> = dyn Fn(&dyn AnyFamily) -> Result<Option<f64>, Stopped> + 'a;

/// The machine that would carry out a plan.
pub struct Machine<'a> {
    /// The families and methods.
    pub registry: &'a Registry,
    /// The number of threads.
    pub num_threads: usize,
    /// The measurement of speeds.
    pub speed: Box<MeasureSpeed<'a>>,
    /// The terminal that shows the work.
    pub terminal: Terminal,
}

/// The games per second on one thread, if known, by the name of the family in the experiment.
pub type Speeds = BTreeMap<String, Option<f64>>;

/// Measures the speeds of the families of a plan, and replaces the declared durations of its jobs by those at these
/// speeds. Best responses, which play no games, keep theirs.
///
/// # Errors
///
/// Returns an error if a measurement was stopped.
pub fn measure(plan: &Plan, jobs: &mut Jobs, machine: &Machine<'_>) -> Result<Speeds, Stopped> {
    let mut speeds = Speeds::new();
    let mut runs = BTreeMap::new();
    for run in &plan.runs {
        let [family, _] = &run.labels;
        if !speeds.contains_key(family) {
            speeds.insert(family.clone(), (machine.speed)(run.family.as_ref())?);
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
                // With several families, the finale scores reference players; otherwise, its games are of the only one.
                let games_of = |family: &str| match speeds.len() {
                    1 => job.games,
                    _ => plan.study.num_yardstick_games(plan, family),
                };
                job.seconds = speeds.keys().map(|family| time(family, games_of(family))).sum();
            }
            _ => {}
        }
    }
    Ok(speeds)
}

/// The planned work, for people and for programs.
pub struct Planned {
    page: String,
    object: Value,
}

impl Planned {
    /// Creates the description of a plan from a table of the work, and an explanation.
    pub(super) fn new(
        plan: &Plan,
        terminal: Terminal,
        rows: &Table,
        note: &str,
        object: Value,
    ) -> Planned {
        let (warning, starts) = (warning(plan, terminal), starts(plan, terminal));
        Planned { page: format!("{}\n{note}{warning}{starts}", text(rows)), object }
    }
}

impl Answer for Planned {
    fn page(&self) -> String {
        self.page.clone()
    }

    fn object(&self) -> Value {
        self.object.clone()
    }
}

/// Returns the work on the runs of a plan, and the work that follows them.
pub(super) fn runs(plan: &Plan, machine: &Machine<'_>) -> Result<Planned> {
    let mut jobs = Jobs::of(plan);
    let speeds = measure(plan, &mut jobs, machine)?;
    let Machine { num_threads, terminal, .. } = *machine;
    let yardsticks_of = |family: &String| plan.study.num_yardstick_games(plan, family);
    // The finale scores reference players, or the champions of the only family race each other.
    let finale = jobs.jobs.iter().filter(|job| job.kind == JobKind::Finale).map(|job| job.games);
    let yardsticks = speeds.keys().map(yardsticks_of).fold(0, u64::saturating_add);
    let races = finale.sum::<u64>().saturating_sub(yardsticks);
    let names = ["family", "runs", "games to learn", "to score", "to meet", "games/s"];
    let header = names.into_iter().chain(["time on one thread"]);
    let mut rows = terminal.table(header, &[1, 2, 3, 4, 5, 6]);
    let mut families = Vec::new();
    let games = |games: u64| rounded(games as f64);
    let duration = |time_s: Option<f64>| time_s.map_or("?".into(), in_words);
    for runs in plan.runs.chunk_by(|a, b| a.labels[0] == b.labels[0]) {
        let family = &runs[0].labels[0];
        let jobs = jobs.jobs.iter().filter(|job| job.family.as_ref() == Some(family));
        let meetings = jobs.clone().filter(|job| job.kind == JobKind::Meetings);
        let meetings = meetings.map(|job| job.games).fold(races, u64::saturating_add);
        let budgets: Option<Vec<u64>> = runs.iter().map(|run| run.budget.games).collect();
        let learning = budgets.map(|games| games.into_iter().fold(0, u64::saturating_add));
        let scoring = runs.iter().map(Experiment::num_scoring_games).fold(0, u64::saturating_add);
        let yardsticks = yardsticks_of(family);
        let speed = speeds.get(family).copied().flatten();
        rows.add_row([
            family.clone(),
            runs.len().to_string(),
            learning.map_or("?".into(), games),
            games(scoring.saturating_add(yardsticks)),
            games(meetings),
            speed.map_or("?".into(), rounded),
            duration(jobs.map(|job| job.seconds).sum()),
        ]);
        families.push(json!({
            "family": family,
            "runs": runs.len(),
            "comparison_games": learning,
            "evaluation_games": scoring,
            "yardstick_games_at_most": yardsticks,
            "meeting_games_at_most": meetings,
            "games_per_s": speed,
        }));
    }
    // As in `ruse plan`, with the finale, which belongs to no family.
    let time_s: Option<f64> = jobs.jobs.iter().map(|job| job.seconds).sum();
    let time_s = time_s.map(|time_s| time_s / num_threads as f64);
    let about = terminal.paragraph(
        "Speeds were measured just now, with Gaussian parameters; learned strategies may play longer games. \
         Games against the baseline for learning curves come on top. `to score` is for champions and, in a comparison, \
         for reference players. `to meet` is the most that meetings can take. Nothing was written.",
    );
    let note = format!(
        "{}, {} in all on {}, if all budgets are used.\n{about}",
        counted(plan.runs.len() as u64, "run"),
        duration(time_s),
        counted(num_threads as u64, "thread"),
    );
    let object = json!({
        "runs": plan.runs.len(),
        "threads": num_threads,
        "estimated_time_s": time_s,
        "families": families,
    });
    Ok(Planned::new(plan, terminal, &rows, &note, with_programs(object, plan)))
}

/// Returns a paragraph for each external program, and one about what is unknown before it is started.
pub fn starts(plan: &Plan, terminal: Terminal) -> String {
    let programs = plan.programs();
    let programs = programs.iter().map(|program| format!("It {}.", program.in_words()));
    let mut paragraphs: Vec<String> = programs.collect();
    if plan.descriptions().values().any(|known| known == UNASKED) {
        let unknown = "The games of a family are played by a program, which was not started. So its parameters and \
                       players were not checked, and the speed and the number of games that depend on them are unknown.";
        paragraphs.push(unknown.into());
    }
    paragraphs.iter().map(|text| format!("\n{}", terminal.paragraph(text))).collect()
}

/// Adds the external programs of the plan to a JSON object, if any.
pub fn with_programs(mut object: Value, plan: &Plan) -> Value {
    let programs = plan.programs();
    if !programs.is_empty() {
        let program =
            |Program { name, num_runs }: &Program| json!({"command": name, "runs": num_runs});
        object["programs"] = programs.iter().map(program).collect();
    }
    object
}

/// Returns a warning if the plan needs `--huge`, otherwise an empty text.
fn warning(plan: &Plan, terminal: Terminal) -> String {
    let warn = |excess| format!("The plan comes to {excess}: it needs `--huge`.");
    excess(plan).map_or(String::new(), |excess| format!("\n{}", terminal.paragraph(&warn(excess))))
}

/// Describes the size of a plan that is probably a mistake. Returns `None` for other plans.
pub fn excess(plan: &Plan) -> Option<String> {
    let size = plan.size();
    if !size.is_huge() {
        return None;
    }
    if size.num_runs > PlanSize::MANY_RUNS {
        return Some(format!("{} runs", grouped(size.num_runs)));
    }
    let (work, games) = size.largest();
    let at_least = if games == u64::MAX { "at least " } else { "" };
    Some(format!("{at_least}{} {}", grouped(games), work.in_words()))
}
