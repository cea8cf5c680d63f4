//! The part of `ruse show` for games from rule files.

use std::collections::{BTreeSet, HashMap};
use std::fmt::{Display, Write};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_base::stop::StopSignal;
use ruse_csp::encode::EncodeOptions;
use ruse_csp::mac_ucb::{Solution, solve};
use ruse_games::rule_file::{RoleMove, RuleFile};
use ruse_games::{Game, SampleAction, Turn};
use ruse_gdl::{Information, LongWork, Playouts, Survey, perft, survey};
use serde_json::{Value, json};

use super::failure::{Failure, Result};
use super::format::{LINES, counted, grouped, paragraph, table_of, terminal, text};
use super::output::{self, Answer};
use super::rule_network::ShownNetwork;
use super::verbosity;

const GAMES: u64 = 1_000;

/// The options of `ruse show` for rule files.
#[derive(Debug, Args)]
pub(super) struct RuleFileArgs {
    /// For a rule file: count the sequences of 1 to N joint moves
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_000))]
    perft: Option<u16>,
    /// For a rule file: play N random games, 1000 by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    games: Option<u64>,
    /// For a rule file: show the size of its constraint network
    #[arg(long)]
    network: bool,
    /// For a rule file with fewer than a million states: compute its value with best play
    #[arg(long)]
    exact: bool,
}

impl RuleFileArgs {
    /// Returns `true` if an option for rule files is given.
    pub(super) fn is_wanted(&self) -> bool {
        self.perft.is_some() || self.games.is_some() || self.network || self.exact
    }
}

/// Prints the progress of long work on a rule file.
pub(super) fn say_long_work(title: &str, work: LongWork) {
    let what = match work {
        LongWork::Grounding { rule, ground_rules } => format!(
            "grounding continues, with the rule at {rule}; {} so far",
            counted(ground_rules, "ground rule")
        ),
        LongWork::RandomGames { done, games, steps } => format!(
            "random games continue; {} of {} so far, {}",
            grouped(done),
            grouped(games),
            counted(steps, "step")
        ),
        LongWork::Lessons { done, steps } => format!(
            "values of states are being learned; {} of {} steps of own play so far",
            grouped(done),
            grouped(steps)
        ),
        _ => return,
    };
    verbosity::say(&format!("{title}: {what}"));
}

/// Does work on a thread of its own, which is abandoned at a stop request. Returns `None` if it was.
fn unless_stopped<T: Send + 'static>(
    stop: &StopSignal,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Option<T>> {
    const POLL: Duration = Duration::from_millis(20);
    let (sender, done) = mpsc::channel();
    let thread = thread::Builder::new().name("work".into());
    let started = thread.spawn(move || sender.send(work())).map_err(Failure::no_thread)?;
    loop {
        match done.recv_timeout(POLL) {
            Ok(found) => return Ok(Some(found)),
            Err(mpsc::RecvTimeoutError::Timeout) if stop.check().is_err() => return Ok(None),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let panic = started.join().expect_err("it has sent nothing");
                std::panic::resume_unwind(panic);
            }
        }
    }
}

/// Prints the facts about a rule file, and then the explanation of its family. After a stop request, the facts found so
/// far are printed.
pub(super) fn show(
    file: &RuleFile,
    args: &RuleFileArgs,
    shown: &dyn Answer,
    as_json: bool,
    stop: &StopSignal,
) -> Result {
    let refused = |error: &dyn Display| Failure::bad_input(format!("{}: {error}", file.title()));
    let games = args.games.unwrap_or(GAMES);
    // A few games are surveyed before all of them, so that an interruption leaves something to print.
    let mut surveyed = None;
    for games in
        (0..).map(|step| GAMES * 10_u64.pow(step)).take_while(|&few| few < games).chain([games])
    {
        let file = file.clone();
        let work = move || {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
            let (cap, at_cap) = file.cap();
            let playouts = Playouts::new(file.language_rules(), cap, at_cap);
            let playouts = playouts.with_goals(file.goal_rule());
            survey(playouts, games, &mut rng, &mut |work| say_long_work(file.title(), work))
        };
        match unless_stopped(stop, work)? {
            Some(found) => surveyed = Some(found.map_err(|error| refused(&error))?),
            None => break,
        }
    }
    let survey = surveyed.ok_or_else(Failure::nothing_yet)?;
    let mut counts = args.perft.map(|_| (Vec::new(), 0.0));
    for depth in 1..=args.perft.unwrap_or(0) {
        let (start, rules) = (Instant::now(), file.language_rules().clone());
        let Some(found) = unless_stopped(stop, move || perft(&rules, depth.into()))? else { break };
        counts = Some((found.map_err(|error| refused(&error))?, start.elapsed().as_secs_f64()));
    }
    let network =
        args.network.then(|| ShownNetwork::new(file.language_rules(), &EncodeOptions::default()));
    let mut solution = None;
    if args.exact {
        let game = file.clone();
        let solved = unless_stopped(stop, move || solve(&game))?.transpose();
        solution = solved.map_err(|error| refused(&error))?;
    }
    let learners = learners_by_legal_moves(file, games.min(GAMES));
    output::write(&Shown { file, survey, counts, network, solution, learners, shown }, as_json)?;
    stop.check().map_err(|_| Failure::Interrupted)
}

/// Returns the roles that learn something from their legal moves alone, as random games show.
fn learners_by_legal_moves(file: &RuleFile, num_games: u64) -> Vec<&str> {
    let rules = file.language_rules();
    let (mut keys, mut learners) = (HashMap::new(), BTreeSet::new());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut action = RoleMove::default();
    let num_games = if rules.information() == Information::Complete { 0 } else { num_games };
    for _ in 0..num_games {
        let mut state = file.deal(&mut rng);
        while let Turn::Act(seat) = file.turn(&state) {
            let view = file.view(&state, seat);
            if *keys.entry((view.role(), view.history())).or_insert(view.key()) != view.key() {
                learners.insert(view.role());
            }
            file.sample_action(&view, &mut rng, &mut action);
            file.apply(&mut state, seat, &action, &mut rng);
        }
    }
    learners.into_iter().map(|role| rules.role_name(role)).collect()
}

struct Shown<'a> {
    file: &'a RuleFile,
    survey: Survey,
    /// The numbers of sequences of 1, 2, ... joint moves, and the time for counting them, in seconds.
    counts: Option<(Vec<u128>, f64)>,
    /// The constraint network, with `--network`.
    network: Option<ShownNetwork>,
    /// The values with best play, with `--exact`.
    solution: Option<Solution>,
    /// The roles that learn something from their legal moves alone.
    learners: Vec<&'a str>,
    /// The explanation of the file's family.
    shown: &'a dyn Answer,
}

impl Shown<'_> {
    /// Describes the kind of the game in a sentence.
    fn kind(&self) -> String {
        let rules = self.file.language_rules();
        let roles: Vec<&str> = rules.seats().map(|role| rules.role_name(role)).collect();
        let chance = if rules.random().is_some() { " and chance" } else { "" };
        let information = match rules.information() {
            Information::Complete => "complete information",
            Information::Percepts => "hidden information",
        };
        let moves = match self.survey.turns {
            true => "one role chooses at a time",
            false => "roles choose at the same time",
        };
        let goals = match (self.file.plays_alone(), self.survey.constant_sum) {
            (true, _) if roles.len() == 1 => "a single role, which each side plays alone",
            (true, _) => "all roles have the same goal",
            (false, true) => "goals add up to 100",
            (false, false) => "goals do not always add up to 100",
        };
        format!(
            "{}: {} ({}){chance}; {information}; {moves}; {goals} (as far as {} tell).",
            self.file.title(),
            counted(roles.len() as u64, "role"),
            roles.join(", "),
            counted(self.survey.games, "random game"),
        )
    }

    fn size(&self) -> String {
        let rules = self.file.language_rules();
        let ground = rules.ground();
        format!(
            "{} in the text; {} (of {} before they were simplified), {}, {}.",
            counted(rules.num_rules() as u64, "rule"),
            counted(ground.num_rules() as u64, "ground rule"),
            grouped(ground.num_rules_before_cleaning() as u64),
            counted(ground.num_atoms() as u64, "atom"),
            counted(rules.num_fluents() as u64, "fluent"),
        )
    }

    /// Returns all facts about the file.
    fn facts(&self) -> String {
        let rules = self.file.language_rules();
        let mut page = paragraph(&self.kind());
        page += &paragraph(&self.size());
        let survey = &self.survey;
        let means = rules.seats().map(|role| {
            let (mean, error) = survey.mean(usize::from(role.0));
            let [mean, error] = [mean, error].map(|goal| format!("{goal:.2}"));
            [rules.role_name(role).into(), mean, error, grouped(rules.num_moves(role) as u64)]
        });
        let header = ["random play", "mean goal", "standard error", "moves"];
        let _ = write!(page, "\n{}", text(&table_of(header, &[1, 2, 3], means)));
        let lengths = format!(
            "{} to {} steps, {:.1} on average, in {}.",
            grouped(survey.shortest.into()),
            grouped(survey.longest.into()),
            survey.steps as f64 / survey.games as f64,
            counted(survey.games, "random game"),
        );
        page += &paragraph(&lengths);
        if let Some((counts, seconds)) = &self.counts {
            let rows = (1..).zip(counts).map(|(num, count): (u128, _)| [num, *count]);
            let rows = text(&table_of(["joint moves", "sequences"], &[0, 1], rows));
            let _ = write!(page, "\n{rows}Counted in {seconds:.2} s.\n");
        }
        if let Some(solution) = &self.solution {
            let rows = rules.seats().zip(solution.start()).map(|(role, start)| {
                [rules.role_name(role).to_string(), format!("{:.6}", 100.0 * start)]
            });
            let _ = write!(
                page,
                "\n{}Exact, from all {}, {} of them ends.\n",
                text(&table_of(["best play", "expected goal"], &[1], rows)),
                counted(solution.num_states() as u64, "state"),
                grouped(solution.num_ends() as u64)
            );
        }
        if let Some(network) = &self.network {
            let _ = write!(page, "\n{}", network.page());
        }
        for role in &self.learners {
            page += &paragraph(&format!(
                "Role `{role}` learns something from its legal moves that its percepts do not tell."
            ));
        }
        for warning in rules.warnings() {
            page += &paragraph(&format!("Warning: {}:{warning}.", self.file.title()));
        }
        page
    }
}

impl Answer for Shown<'_> {
    fn answer(&self) -> String {
        /// The maximum number of lines of facts, if no others are requested.
        const MAX_LINES: usize = 12;
        let facts = self.facts();
        if self.counts.is_some() || self.solution.is_some() || self.network.is_some() {
            return facts;
        }
        let facts = terminal().first_sentences(MAX_LINES, &facts);
        let shown =
            terminal().first_blocks(LINES - terminal().height(&facts) - 2, &self.shown.answer());
        terminal().with_hint(&format!("{facts}\n{shown}"))
    }

    fn page(&self) -> String {
        format!("{}\n{}", self.facts(), self.shown.page())
    }

    fn object(&self) -> Value {
        let (rules, survey) = (self.file.language_rules(), &self.survey);
        let ground = rules.ground();
        let means = rules.seats().map(|role| {
            let (mean, error) = survey.mean(usize::from(role.0));
            let name = rules.role_name(role).to_string();
            (name, json!({"mean": mean, "standard_error": error, "moves": rules.num_moves(role)}))
        });
        let counts = self.counts.as_ref().map(|(counts, _)| {
            let number = |&count: &u128| match u64::try_from(count) {
                Ok(count) => json!(count),
                // Most JSON parsers do not support such large numbers.
                Err(_) => json!(count.to_string()),
            };
            counts.iter().map(number).collect::<Vec<_>>()
        });
        let mut object = self.shown.object();
        let of_file = json!({
            "file": self.file.title(),
            "text": self.file.text_number(),
            "roles": rules.roles().map(|role| rules.role_name(role)).collect::<Vec<_>>(),
            "information": match rules.information() {
                Information::Complete => "complete",
                Information::Percepts => "percepts",
            },
            "constant_sum": survey.constant_sum,
            "cooperative": self.file.plays_alone() && self.file.roles().len() > 1,
            "turns": survey.turns,
            "rules": rules.num_rules(),
            "ground_rules": ground.num_rules(),
            "atoms": ground.num_atoms(),
            "fluents": rules.num_fluents(),
            "games": survey.games,
            "steps": {
                "shortest": survey.shortest,
                "longest": survey.longest,
                "mean": survey.steps as f64 / survey.games as f64,
            },
            "random_play": means.collect::<serde_json::Map<_, _>>(),
            "perft": counts,
            "network": self.network.as_ref().map(ShownNetwork::object),
            "exact": self.solution.as_ref().map(|solution| {
                let goals: Vec<f64> = solution.start().iter().map(|start| 100.0 * start).collect();
                json!({ "goals": goals, "states": solution.num_states(), "ends": solution.num_ends() })
            }),
            "learn_from_legal_moves": self.learners,
            "warnings": rules.warnings().iter().map(ToString::to_string).collect::<Vec<_>>(),
        });
        if let (Value::Object(object), Value::Object(of_file)) = (&mut object, of_file) {
            object.extend(of_file);
        }
        object
    }
}
