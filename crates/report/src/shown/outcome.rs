//! The outcomes of runs, as pages for people and as objects for programs.

use std::fmt::Write;

use ruse_base::files::DirectoryError;
use ruse_lab::{
    ExperimentSpec, MIXTURE, Outcome, PORTFOLIO, Plan, RunDirectory, RunOutcome, mixed, read_curve,
};
use ruse_optimise::portfolio::RacedPortfolio;
use ruse_play::race::Championship;
use serde_json::{Value, json};

use crate::discovery::{nothing_found, scores_of, stopped_because, worst_case_in_words};
use crate::format::{counted, grouped, score};
use crate::terminal::{Answer, HINT, Terminal, digits, interval, rounded, sentence, text};

/// Mean scores that differ by less are equal: they may be sums of the same numbers in different orders.
const ROUNDING: f64 = 1e-12;
/// The maximum number of parameters in a table. Longer tables are hard to read.
const MAX_PARAMETERS_SHOWN: usize = 20;

/// Returns a warning, with advice, if the champion loses to the reference strategy that plays like most people.
fn worse_than_common_play(outcome: &RunOutcome<'_>) -> Option<String> {
    let RunOutcome { experiment, strategy, .. } = outcome;
    let name = experiment.family.info().common_play?;
    let estimate = strategy.score_against_references.get(name)?;
    // The warning about the start says the same.
    if outcome.against_start == Some(*estimate) {
        return None;
    }
    (estimate.interval[1] < 0.5 && !strategy.is_start()).then(|| {
        format!(
            "Against {name} it scores only {}. It was tuned to beat the baseline, unless the method has another \
             opponent; `--baseline {name}` tunes against {name}.",
            score(estimate.score, digits(estimate))
        )
    })
}

/// Returns a warning if the games against the start of the run do not prove that the champion is better.
fn not_improved(outcome: &RunOutcome<'_>) -> Option<String> {
    let against_start = outcome.against_start.filter(|_| outcome.improved() == Some(false))?;
    let value = score(against_start.score, digits(&against_start));
    let interval = if against_start.is_exact() { "exact".into() } else { interval(&against_start) };
    Some(format!("Against the start of the run, it scores {value} ({interval})."))
}

/// Returns the page of a strategy: description, scores and parameters.
fn strategy_page(terminal: Terminal, outcome: &RunOutcome<'_>) -> String {
    let RunOutcome { experiment, result, strategy, .. } = outcome;
    let scores = scores_of(strategy, experiment.family.as_ref());
    let space = experiment.family.space();
    let parameters = if space.dimension() <= MAX_PARAMETERS_SHOWN {
        text(&terminal.parameter_rows(&space, &result.champion))
    } else {
        format!("{} parameters, in strategy.yaml\n", space.dimension())
    };
    format!(
        "{}\n{}\n{}",
        in_words(terminal, outcome).join("\n"),
        text(&terminal.score_rows(&scores)),
        parameters
    )
}

/// Returns a short [`strategy_page`] that fits on one screen above `last`.
fn strategy_answer(terminal: Terminal, outcome: &RunOutcome<'_>, last: &str) -> String {
    /// The maximum numbers of lines for words, scores and parameters.
    const MAX_LINES: [usize; 3] = [8, 6, 6];
    let RunOutcome { experiment, result, strategy, .. } = outcome;
    let scores = scores_of(strategy, experiment.family.as_ref());
    let space = experiment.family.space();
    let score_rows = |num: usize| terminal.score_rows(&scores[..num]);
    let parameters = |num: usize| terminal.parameter_rows(&space, &result.champion[..num]);
    let [description, judgement] = in_words(terminal, outcome);
    let room = MAX_LINES[0].saturating_sub(terminal.height(&judgement));
    let words = terminal.first_sentences(room, &description) + "\n" + &judgement;
    let mut parts = vec![
        if words.contains(HINT) { terminal.with_hint(&words) } else { words },
        terminal.first_rows(MAX_LINES[1], scores.len(), score_rows),
    ];
    if space.dimension() < MAX_LINES[2] {
        parts.push(text(&parameters(space.dimension())));
    }
    terminal.on_a_screen(&parts, last)
}

/// Describes the strategy, or says that the run found nothing better than its start. The second text is how good the
/// strategy is.
fn in_words(terminal: Terminal, outcome: &RunOutcome<'_>) -> [String; 2] {
    let RunOutcome { experiment, strategy, .. } = outcome;
    let words = strategy.words.as_deref().unwrap_or_default();
    let subject = match nothing_found(strategy, experiment.family.as_ref()) {
        Some(nothing) => {
            let start = strategy.start_in_words().unwrap_or_default();
            format!("{nothing}\n\n{}", sentence(&format!("{start} {words}")))
        }
        None if outcome.improved() == Some(false) => {
            format!(
                "Nothing is shown to be better than the start of the run. The best guess {words}."
            )
        }
        None => format!("The champion {words}."),
    };
    let judgement =
        [not_improved(outcome), worse_than_common_play(outcome), worst_case_in_words(strategy)];
    [
        subject.split("\n\n").map(|text| terminal.paragraph(text)).collect(),
        judgement.into_iter().flatten().map(|text| terminal.paragraph(&text)).collect(),
    ]
    .map(|paragraphs: Vec<String>| paragraphs.join("\n"))
}

fn json(outcome: &RunOutcome<'_>, directory: &RunDirectory) -> Value {
    let RunOutcome { experiment, result, strategy, .. } = outcome;
    let spec = &experiment.resolved;
    let mut object = json!({
        "family": spec.family,
        "method": spec.method,
        "comparison": spec.races.comparison,
        "delta": spec.races.delta,
        "precision": spec.races.precision,
        "accept": spec.races.comparison.as_ref().map(|_| experiment.races.acceptance.accept.name()),
        "ties": spec.races.comparison.as_ref().map(|_| experiment.races.acceptance.ties.name()),
        "start": experiment.start.spec(),
        "seed": spec.seed,
        "iterations": result.iterations,
        "games": result.games,
        "stop_reason": result.stop_reason,
        "improved": outcome.improved(),
        "score_against_start": outcome.against_start,
        "parameters": result.champion,
        "sigma": result.sigma,
        "words": strategy.words,
        "score_against_baseline": strategy.score_against_baseline,
        "score_against_references": strategy.score_against_references,
        "exploitability": outcome.exploitability(),
        "out": directory.path(),
    });
    if let Some(share) = spec.prune {
        object["prune"] = json!(share);
    }
    if let Some(worst) = strategy.worst() {
        object["worst_case"] = json!(worst);
    }
    if let Some(of) = &strategy.score_against {
        object["score_against"] = json!(of);
    }
    object
}

/// The outcome of one run, and its last change of champion.
pub(super) struct OneRun<'a> {
    outcome: &'a RunOutcome<'a>,
    directory: &'a RunDirectory,
    /// The number of games until the champion last changed.
    last_change: u64,
    /// True if the run has a strategy, which people can see.
    has_strategy: bool,
    terminal: Terminal,
}

impl OneRun<'_> {
    /// Adds the last change of the champion, from the learning curve.
    pub(super) fn read<'a>(
        outcome: &'a RunOutcome<'a>,
        directory: &'a RunDirectory,
        terminal: Terminal,
    ) -> Result<OneRun<'a>, DirectoryError> {
        let curve = read_curve(directory, outcome.experiment)?;
        let last_change = curve.last().map_or(0, |point| point.games);
        let has_strategy = directory.strategy_path(outcome.experiment).exists();
        Ok(OneRun { outcome, directory, last_change, has_strategy, terminal })
    }

    /// Describes the cost of the run, why it stopped, and where its results are.
    fn account(&self) -> String {
        let OneRun { outcome, directory, last_change, terminal, .. } = *self;
        let RunOutcome { experiment, result, learning, .. } = outcome;
        let speed = learning.map_or(String::new(), |(games, learning_s)| {
            let since = match games < result.games {
                true => format!(", {} of them since it was resumed", grouped(games)),
                false => String::new(),
            };
            let games_per_s = rounded(games as f64 / learning_s.max(1e-3));
            format!("{since} in {learning_s:.1} s ({games_per_s} games/s)")
        });
        let account = format!(
            "{}, {}{speed}; stopped because {}.{}",
            counted(result.iterations, "iteration"),
            counted(result.games, "game"),
            stopped_because(
                result.stop_reason,
                result.games,
                experiment.resolved.length,
                experiment.resolved.prune.is_some(),
            ),
            match outcome.strategy.is_start() {
                true => String::new(),
                false => format!(" The last change came after {}.", counted(last_change, "game")),
            },
        );
        let mixture = result.mixture.as_ref().map_or(String::new(), |members| {
            let path = directory.run_path(experiment).join(MIXTURE);
            let members = counted(members.len() as u64, "member");
            terminal.paragraph(&format!(
                "The final mixture of the method, of {members}, is in {}.",
                path.display()
            ))
        });
        let written = terminal.written_to(&directory.strategy_path(experiment));
        match terminal.is_quiet {
            true => written,
            false => format!("{}{mixture}{written}", terminal.paragraph(&account)),
        }
    }
}

impl Answer for OneRun<'_> {
    fn page(&self) -> String {
        match self.has_strategy {
            true => format!("{}\n{}", strategy_page(self.terminal, self.outcome), self.account()),
            false => String::new(),
        }
    }

    fn answer(&self) -> String {
        match self.has_strategy {
            true => strategy_answer(self.terminal, self.outcome, &format!("\n{}", self.account())),
            false => String::new(),
        }
    }

    fn object(&self) -> Value {
        json(self.outcome, self.directory)
    }
}

fn method<'a>(outcome: &'a RunOutcome<'_>) -> &'a str {
    &outcome.experiment.resolved.method
}

/// Returns the indices of the methods, strongest champion first, or in the original order if the champions have not
/// met.
fn ranking(outcomes: &[RunOutcome<'_>], championship: Option<&Championship>) -> Vec<usize> {
    championship.map_or((0..outcomes.len()).collect(), Championship::ranking)
}

/// Returns the number of champions that champion number `member` is proven to beat.
fn num_beaten(championship: &Championship, member: usize) -> usize {
    let beats = |meeting: &&ruse_play::race::Meeting| {
        let [low, high] = meeting.decision.verdict.interval;
        (meeting.a == member && low > 0.5) || (meeting.b == member && high < 0.5)
    };
    championship.meetings.iter().filter(beats).count()
}

/// Names the leading champion, states how many champions it is proven to beat, and names the methods that found
/// nothing.
fn lead(outcomes: &[RunOutcome<'_>], championship: &Championship, ranking: &[usize]) -> String {
    let Some((&best, others)) = ranking.split_first() else { return String::new() };
    let num_beaten = num_beaten(championship, best);
    let beaten = match (num_beaten, others.len()) {
        (0, _) => "no race proves that it beats another".to_string(),
        (n, all) if n == all => format!("it beats all {all} others in their races"),
        (n, all) => {
            format!("it beats {n} of {all} others in their races; the rest is undecided or lost")
        }
    };
    let equal = |&&other: &&usize| {
        championship.mean_score(best) - championship.mean_score(other) <= ROUNDING
    };
    let equal: Vec<&str> =
        others.iter().filter(equal).map(|&other| method(&outcomes[other])).collect();
    let name = method(&outcomes[best]);
    let first = match equal.as_slice() {
        [] => format!("The champion of {name} has the highest mean score against the others"),
        equal if equal.len() == others.len() => {
            format!("All {} champions have the same mean score against the others", ranking.len())
        }
        equal => format!(
            "The champions of {name} and {} share the highest mean score against the others; {name} is the first of them",
            equal.join(", ")
        ),
    };
    let mut text = match equal.len() == others.len() {
        true => format!("{first}: this is one run of each method."),
        false => format!(
            "{first}; {beaten}. This is one run of each method; other seeds may give another ranking."
        ),
    };
    let at_start: Vec<_> = outcomes.iter().filter(|outcome| outcome.strategy.is_start()).collect();
    let all_random = at_start.iter().all(|outcome| outcome.strategy.is_random_start());
    let start = if all_random { "the random start" } else { "their start" };
    let at_start: Vec<&str> = at_start.into_iter().map(method).collect();
    let mut say = |verb: &str, of: &[&str]| {
        if !of.is_empty() {
            let (num, all, names) = (of.len(), outcomes.len(), of.join(", "));
            let _ = write!(text, " {num} of {all} methods {verb} {start}: {names}.");
        }
    };
    say("found nothing better than", &at_start);
    let unproven = outcomes.iter().filter(|of| of.against_start.is_some());
    let unproven = unproven.filter(|of| of.improved() == Some(false));
    say("are not shown to be better than", &unproven.map(method).collect::<Vec<_>>());
    text
}

fn portfolio_in_words(outcomes: &[RunOutcome<'_>], portfolio: &RacedPortfolio) -> String {
    let equilibrium = &portfolio.equilibrium;
    let members = mixed(outcomes, portfolio).into_iter();
    let members = members.map(|(of, weight)| format!("{} {}", method(of), score(weight, 3)));
    let most = portfolio.exploitability_bounds[1];
    let bound = match most < 5e-4 {
        true => "The intervals of the races leave no champion more than one half against it."
            .to_string(),
        false => format!(
            "Within the intervals of the races, a champion may score up to {} beyond one half against it.",
            score(most, 3)
        ),
    };
    format!(
        "The Nash portfolio of the champions: {}. By the scores of the races it guarantees {}, and no champion scores \
         more than {} against it. {bound} The portfolio is in {PORTFOLIO}.",
        members.collect::<Vec<_>>().join(", "),
        score(equilibrium.guaranteed, 4),
        score(equilibrium.conceded, 4),
    )
}

fn portfolio_json(
    outcomes: &[RunOutcome<'_>],
    portfolio: &RacedPortfolio,
    directory: &RunDirectory,
) -> Value {
    let equilibrium = &portfolio.equilibrium;
    let members = outcomes.iter().zip(&equilibrium.row_mixture);
    let members =
        members.map(|(outcome, weight)| json!({ "method": method(outcome), "weight": weight }));
    json!({
        "members": members.collect::<Vec<_>>(),
        "value": equilibrium.value(),
        "guaranteed": equilibrium.guaranteed,
        "conceded": equilibrium.conceded,
        "gap": equilibrium.gap(),
        "support": equilibrium.row_support().len(),
        "exploitability": portfolio.exploitability,
        "exploitability_interval": portfolio.exploitability_bounds,
        "file": directory.path().join(PORTFOLIO),
    })
}

/// The outcomes of the runs on one family.
pub(super) struct AllRuns<'a> {
    pub(super) plan: &'a Plan,
    pub(super) spec: &'a ExperimentSpec,
    pub(super) all: &'a Outcome<'a>,
    pub(super) directory: &'a RunDirectory,
    pub(super) terminal: Terminal,
}

impl AllRuns<'_> {
    fn championship(&self) -> Option<&Championship> {
        self.all.championship.as_ref().map(|(championship, _)| championship)
    }

    /// Returns the name of a method, its mean score in the races and the number of champions it beats, and its score
    /// against the baseline with an interval.
    fn cells(&self, index: usize) -> [String; 5] {
        let AllRuns { all, .. } = self;
        let races = self.championship();
        let estimate = all.runs[index].strategy.score_against_baseline;
        [
            method(&all.runs[index]).into(),
            races.map_or(String::new(), |races| score(races.mean_score(index), 3)),
            races.map_or(String::new(), |races| num_beaten(races, index).to_string()),
            estimate.map_or(String::new(), |e| score(e.score, digits(&e))),
            estimate.map_or(String::new(), |e| interval(&e)),
        ]
    }
}

impl Answer for AllRuns<'_> {
    fn answer(&self) -> String {
        let AllRuns { all, directory, terminal, .. } = *self;
        let outcomes = all.runs.as_slice();
        let Some((championship, _)) = &all.championship else { return self.page() };
        let ranking = ranking(outcomes, Some(championship));
        let Some(best) = ranking.first() else { return self.page() };
        let methods = |num: usize| {
            let header = ["method", "against the others", "against baseline", "95% interval"];
            let mut rows = terminal.table(header, &[1, 2, 3]);
            rows.add_rows(ranking.iter().take(num).map(|&index| {
                let [name, mean, _, score, interval] = self.cells(index);
                [name, mean, score, interval]
            }));
            rows
        };
        /// The maximum numbers of lines for the methods and the best strategy's description.
        const MAX_LINES: [usize; 2] = [11, 5];
        let parts = [
            terminal
                .first_sentences(MAX_LINES[1], &in_words(terminal, &outcomes[*best]).join("\n")),
            terminal.first_rows(MAX_LINES[0], ranking.len(), methods),
        ];
        let lead = terminal.paragraph(&lead(outcomes, championship, &ranking));
        let written = terminal.written_to(directory.path());
        terminal.on_a_screen(&parts, &terminal.ending(&written, &lead))
    }

    fn page(&self) -> String {
        let AllRuns { plan, all, directory, terminal, .. } = *self;
        let outcomes = all.runs.as_slice();
        let championship = self.championship();
        let ranking = ranking(outcomes, championship);
        let names = ["method", "against the others", "beats", "against baseline", "95% interval"];
        let header = names.into_iter().chain(["exploitability", "games"]);
        let mut rows = terminal.table(header, &[1, 2, 3, 4, 5, 6]);
        let mut is_solved = false;
        for &index in &ranking {
            let outcome = &outcomes[index];
            let exploitability = outcome.exploitability();
            is_solved |= exploitability.is_some();
            let exploitability = exploitability.map_or("?".into(), |value| score(value, 4));
            let games = grouped(outcome.result.games);
            rows.add_row(self.cells(index).into_iter().chain([exploitability, games]));
        }
        let mut page = String::new();
        if let (Some(championship), [best, ..]) = (championship, ranking.as_slice()) {
            page += &terminal.paragraph(&lead(outcomes, championship, &ranking));
            page.push('\n');
            page += &strategy_page(terminal, &outcomes[*best]);
            page.push('\n');
        }
        page += &text(&rows);
        if championship.is_some() {
            page.push('\n');
            page += &terminal.paragraph(
                "`against the others` is the mean score in races between every two champions, `beats` the \
                 number of champions that are proven to lose.",
            );
            page += &terminal.paragraph(if is_solved {
                "`exploitability` is the exact score of a best response, minus one half."
            } else {
                "`exploitability` is not known exactly; `ruse exploit` finds a lower bound."
            });
        } else {
            let (done, all) = (outcomes.len(), plan.runs.len());
            let _ = writeln!(page, "\n{done} of {all} methods ran; their champions did not meet.");
        }
        if let Some((_, portfolio)) = &all.championship {
            page.push('\n');
            page += &terminal.paragraph(&portfolio_in_words(outcomes, portfolio));
        }
        page + &terminal.written_to(directory.path())
    }

    fn object(&self) -> Value {
        let AllRuns { spec, all, directory, .. } = *self;
        let outcomes = all.runs.as_slice();
        let championship = self.championship();
        let portfolio = all.championship.as_ref();
        let portfolio = portfolio.map(|(_, of)| portfolio_json(outcomes, of, directory));
        let best = championship.map(|championship| &outcomes[championship.ranking()[0]]);
        let meetings = championship.map(|championship| {
            let meeting = |meeting: &ruse_play::race::Meeting| {
                let verdict = meeting.decision.verdict;
                json!({
                    "a": method(&outcomes[meeting.a]),
                    "b": method(&outcomes[meeting.b]),
                    "score": verdict.score,
                    "interval": verdict.interval,
                    "reason": verdict.reason,
                    "games": meeting.decision.num_games,
                })
            };
            championship.meetings.iter().map(meeting).collect::<Vec<_>>()
        });
        json!({
            "family": spec.family,
            "method": spec.method,
            "seed": spec.seed,
            "champion": best.map(method),
            "parameters": best.map(|outcome| &outcome.result.champion),
            "words": best.and_then(|outcome| outcome.strategy.words.as_deref()),
            "score_against_baseline": best.and_then(|outcome| outcome.strategy.score_against_baseline),
            "meetings": meetings,
            "portfolio": portfolio,
            "runs": outcomes.iter().map(|outcome| json(outcome, directory)).collect::<Vec<_>>(),
            "out": directory.path(),
        })
    }
}
