//! `ruse show`: explains a family or a strategy file.

use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

use clap::Args;
use comfy_table::Table;
use ruse_base::stop::StopSignal;
use ruse_games::{BySeat, Rule};
use ruse_lab::{MixtureMember, StrategyFile};
use ruse_play::family::{AnyFamily, BASELINE, FamilyError, Player};
use ruse_registry::Registry;
use ruse_report::discovery::{by_what, nothing_found, scores_of};
use serde_json::{Map, Value, json};

use super::arguments::RuleArgs;
use super::failure::{Failure, Result};
use super::format::{LINES, counted, grouped, paragraph, score, table, table_of, terminal};
use super::output::{self, Answer};
use super::rule_file::{self, RuleFileArgs};

/// Show the parameters of a family, or the strategy in a file in words
#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// A family (see `ruse list`), a strategy file, or the directory of a run
    #[arg(value_name = "FAMILY|FILE")]
    subject: String,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    rule_file: RuleFileArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn show(args: &ShowArgs, registry: &Registry, stop: &StopSignal) -> Result {
    match registry.family(&args.subject) {
        Ok(family) => {
            let family = args.rules.apply(family.as_ref())?;
            match (family.rule_file(), args.rule_file.is_wanted()) {
                (Some(file), _) => {
                    let shown = ShownFamily(family.as_ref());
                    rule_file::show(file, &args.rule_file, &shown, args.json, stop)
                }
                (None, true) => Err(no_rule_file(&args.subject)),
                (None, false) => show_family(family.as_ref(), args.json),
            }
        }
        // A rule file with an error is not a strategy file.
        Err(error @ FamilyError::File(_)) => Err(error.into()),
        Err(_) if args.rule_file.is_wanted() && Path::new(&args.subject).exists() => {
            Err(no_rule_file(&args.subject))
        }
        Err(_) if !args.rules.rules.is_empty() && Path::new(&args.subject).exists() => {
            let advice = "a strategy file contains the rules that it was tuned with";
            Err(Failure::with_advice("--rule applies to families, not to strategy files", advice))
        }
        Err(_) if Path::new(&args.subject).exists() => {
            show_file(Path::new(&args.subject), args.json, registry)
        }
        Err(FamilyError::Unknown(mut unknown)) => {
            unknown.kind = "family or strategy file".into();
            Err(unknown.into())
        }
    }
}

/// Prints the explanation of a family.
pub(super) fn show_family(family: &dyn AnyFamily, as_json: bool) -> Result {
    output::write(&ShownFamily(family), as_json)
}

/// Returns the error for an option of rule files that is used with another subject.
fn no_rule_file(subject: &str) -> Failure {
    let advice = "name a rule file by its path, which ends in .kif";
    let message = format!(
        "--perft, --games, --network and --exact need a rule file, and {subject} is not one"
    );
    Failure::with_advice(message, advice)
}

/// The maximum number of lines for parameters.
const MAX_PARAMETERS: usize = 1_000;

struct ShownFamily<'a>(&'a dyn AnyFamily);

impl Answer for ShownFamily<'_> {
    fn page(&self) -> String {
        let mut page = parts(self.0, [MAX_PARAMETERS, usize::MAX, usize::MAX]).join("\n");
        let _ = writeln!(page, "\n{}", default_budget(self.0));
        page
    }

    fn answer(&self) -> String {
        /// The maximum numbers of lines for parameters, strategies and rules. The first triple with which the answer
        /// fits a screen is used.
        const MAX_LINES: [[usize; 3]; 3] = [[12, 7, 6], [8, 6, 5], [5, 4, 4]];
        let last = format!("\n{}", paragraph(&default_budget(self.0)));
        let fits = |parts: &&Vec<String>| {
            terminal().height(&parts.join("\n")) + terminal().height(&last) <= LINES
        };
        let shown = MAX_LINES.map(|most| parts(self.0, most));
        let [.., fewest] = &shown;
        terminal().on_a_screen(shown.iter().find(fits).unwrap_or(fewest), &last)
    }

    fn object(&self) -> Value {
        let family = self.0;
        let space = family.space();
        let parameters = space.parameters().iter().map(|p| (p.name.to_string(), json!(p.meaning)));
        let references = family.references();
        let named = references.iter().map(|r| (r.name.to_string(), json!(r.meaning)));
        let rules = family.rules().into_iter().map(|rule| {
            let (least, most) = rule.range.clone().into_inner();
            let Rule { name, value, meaning, .. } = rule;
            let rule = json!({"value": value, "least": least, "most": most, "meaning": meaning});
            (name.to_string(), rule)
        });
        json!({
            "family": family.name(),
            "game": family.info().game,
            "summary": family.info().summary,
            "parameters": space.dimension(),
            "parameter_meanings": Map::from_iter(parameters),
            "seats": seats_object(family),
            "references": references.iter().map(|r| &r.name).collect::<Vec<_>>(),
            "reference_meanings": Map::from_iter(named),
            "game_rules": Map::from_iter(rules),
            "default_budget": family.info().default_budget,
        })
    }
}

/// Returns each seat's half-open range of parameters as JSON, or null if the two seats use all parameters.
pub(super) fn seats_object(family: &dyn AnyFamily) -> Value {
    json!(
        family.seats().map(|BySeat { first, second }| {
            [[first.start, first.end], [second.start, second.end]]
        })
    )
}

fn default_budget(family: &dyn AnyFamily) -> String {
    format!("Default budget: {} games.", grouped(family.info().default_budget))
}

/// Returns the parts of the explanation of a family, with at most these numbers of lines for parameters, strategies and
/// rules.
fn parts(
    family: &dyn AnyFamily,
    [of_parameters, of_strategies, of_rules]: [usize; 3],
) -> Vec<String> {
    let mut all = vec![paragraph(&format!(
        "{}: {}. The strategy: {}.",
        family.name(),
        family.info().about,
        family.info().summary
    ))];
    let space = family.space();
    let parameters = |num: usize| {
        let shown = space.parameters().iter().take(num).enumerate();
        let rows =
            shown.map(|(i, of)| [i.to_string(), of.name.to_string(), of.meaning.to_string()]);
        table_of(["", "parameter", "meaning"], &[0], rows)
    };
    all.push(terminal().first_rows(of_parameters, space.dimension(), parameters));
    if let Some(seats) = family.seats() {
        let places = |range: &Range<usize>| match range.len() {
            1 => range.start.to_string(),
            _ => format!("{} to {}", range.start, range.end - 1),
        };
        let (first, second) = (places(&seats.first), places(&seats.second));
        let account = format!(
            "Each parameter is used in one seat only: {first} in the first, {second} in the second."
        );
        all.push(paragraph(&account));
    }
    let references = family.references();
    let strategies = |num: usize| {
        let rows = references.iter().take(num).map(|of| [&*of.name, &*of.meaning]);
        table_of(["reference strategy", "how it plays"], &[], rows)
    };
    all.push(terminal().first_rows(of_strategies, references.len(), strategies));
    let game = format!("rule of {}", family.info().game);
    let known = family.rules();
    let row = |rule: &Rule| {
        let (least, most) = rule.range.clone().into_inner();
        let allowed = match least == most {
            true => "no other".into(),
            false => format!("{} to {}", grouped(least), grouped(most)),
        };
        [rule.name.to_string(), grouped(rule.value), allowed, rule.meaning.to_string()]
    };
    let header = [&*game, "value", "allowed", "meaning"];
    let rules = |num: usize| table_of(header, &[1], known.iter().take(num).map(row));
    if !known.is_empty() {
        all.push(terminal().first_rows(of_rules, known.len(), rules));
    }
    all
}

fn show_file(path: &Path, as_json: bool, registry: &Registry) -> Result {
    let file = StrategyFile::read(path)?;
    let family = file.family(registry)?.with_rules(&file.rules)?;
    let file = file.checked(path, family.as_ref())?;
    output::write(&ShownFile { file: &file, family: family.as_ref() }, as_json)
}

/// The explanation of a strategy file with checked parameters.
struct ShownFile<'a> {
    file: &'a StrategyFile,
    family: &'a dyn AnyFamily,
}

impl ShownFile<'_> {
    /// Describes how the strategy plays; `None` for a mixture.
    fn words(&self) -> Option<String> {
        let ShownFile { file, family } = self;
        let is_single = file.mixture.is_empty();
        is_single.then(|| file.in_words(*family).expect("the parameters were checked"))
    }

    /// Returns the parts of the explanation, with at most these numbers of lines for words, parameters and scores.
    fn parts(&self, [of_words, of_parameters, of_scores]: [usize; 3]) -> Vec<String> {
        let ShownFile { file, family } = *self;
        let mut parts = Vec::new();
        match self.words() {
            Some(words) => {
                let words = paragraph(&format!("{}: {words}", file.family));
                parts.push(terminal().first_sentences(of_words, &words));
                let space = family.space();
                let rows = |num: usize| terminal().parameter_rows(&space, &file.parameters[..num]);
                parts.push(terminal().first_rows(of_parameters, file.parameters.len(), rows));
            }
            None => {
                let account =
                    format!("{}: one of these is drawn for every pair of games.", file.family);
                parts.push(paragraph(&account));
                let members = |num: usize| mixture_table(family, &file.mixture, num);
                parts.push(terminal().first_rows(of_parameters, file.mixture.len(), members));
            }
        }
        let scores = scores_of(file, family);
        if !scores.is_empty() {
            parts.push(
                terminal().first_rows(of_scores, scores.len(), |num| {
                    terminal().score_rows(&scores[..num])
                }),
            );
        }
        if let Some(found) = &file.found {
            let account = match nothing_found(file, family) {
                Some(nothing) => format!("A run of {}: {nothing}", by_what(found)),
                None => format!(
                    "Found by {}, in {} and {}.",
                    by_what(found),
                    counted(found.iterations, "iteration"),
                    counted(found.games, "game")
                ),
            };
            parts.push(paragraph(&account));
        }
        parts
    }
}

impl Answer for ShownFile<'_> {
    fn page(&self) -> String {
        self.parts([usize::MAX; 3]).join("\n")
    }

    fn answer(&self) -> String {
        /// The maximum numbers of lines for words, parameters and scores.
        const MAX_LINES: [usize; 3] = [6, 6, 5];
        terminal().on_a_screen(&self.parts(MAX_LINES), "")
    }

    /// Returns a JSON object with the keys of the file and a description of the strategy.
    fn object(&self) -> Value {
        let mut object = json!(self.file);
        object["words"] = json!(self.words());
        object
    }
}

/// Returns the table of the members of a portfolio with the largest weights, at most `most` of them, in order.
pub(super) fn mixture_table(family: &dyn AnyFamily, parts: &[MixtureMember], most: usize) -> Table {
    let total: f64 = parts.iter().map(|member| member.weight).sum();
    let mut members: Vec<_> = parts.iter().enumerate().collect();
    members.sort_by(|x, y| y.1.weight.total_cmp(&x.1.weight));
    let mut rows = table(["weight", "member", "how it plays"], &[0]);
    let references = family.references();
    for (index, MixtureMember { weight, name, strategy }) in members.into_iter().take(most) {
        let name = name.clone().unwrap_or_else(|| match strategy {
            Player::Named(name) => name.clone(),
            Player::Redrawn => BASELINE.into(),
            _ => (index + 1).to_string(),
        });
        let words = match strategy {
            Player::Parameters(theta) => family.words(theta).expect("the parameters were checked"),
            Player::Named(name) => {
                let known = references.iter().find(|reference| reference.name == *name);
                known.map_or(String::new(), |reference| reference.meaning.to_string())
            }
            Player::Redrawn => "with parameters redrawn for every pair".into(),
            Player::Mixture(members) => format!("like one of {} strategies", members.len()),
            Player::Planner(planner) => format!("by playouts: {}", planner.name),
            Player::Guest(guest) => format!("like a player of {}", guest.home.family),
        };
        rows.add_row([score(weight / total, 3), name, words]);
    }
    rows
}
