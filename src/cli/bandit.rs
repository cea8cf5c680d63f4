//! `ruse bandit`: the regret of strategies for combinatorial bandits.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use comfy_table::Table;
use ruse_base::files::{check_new_directory, guarded, write_atomically};
use ruse_base::names::UnknownName;
use ruse_base::notation::Notation;
use ruse_base::rng::StreamKey;
use ruse_base::stop::StopSignal;
use ruse_games::NumActions;
use ruse_lab::parse_count;
use ruse_play::bandits::{
    Choice, Given, GivenPosition, GivenProblem, PositionSpec, ProblemFile, Row, Study,
    USUAL_HORIZON,
};
use ruse_play::score::hypothesis::{SIGNIFICANCE, welch_degrees};
use ruse_play::score::{CONFIDENCE, SampleMean, student_p_value};
use ruse_plots::Checked;
use ruse_registry::Registry;
use ruse_report::shown::FigureFormat;
use ruse_report::{Leader, Rival, few, figures};
use serde_json::{Value, json};

use super::arguments::{MachineArgs, RuleArgs, parse_seed};
use super::failure::{Failure, Result};
use super::figure_file::figure_formats;
use super::format::{
    counted, grouped, paragraph, percent, score, signed, table, terminal, text, written,
};
use super::output::{self, Answer};
use super::progress::WorkProgress;

/// Measure the regret of strategies that choose among arms, where an arm assigns a value to every variable
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(super) struct BanditArgs {
    /// A file of problems (see docs/bandits.md), or a position of a game: rts:8x8-4 and other maps, rts:cmab-a,
    /// rts:cmab-b or rts:cmab-c
    #[arg(value_name = "PROBLEMS")]
    problems: PathBuf,
    /// The strategies, with options as in ns:e0=.4,el=.33,ucb1-fpu
    #[arg(long, value_name = "S,...", default_value = "ns,two-phase,egreedy,ucb1-fpu,lsi,random")]
    strategies: String,
    /// The number of pulls in a run, or several numbers, as in 100,1k
    #[arg(long, value_name = "T,...", default_value = "100,1000", value_delimiter = ',',
          value_parser = |text: &str| parse_count(text, PULLS), allow_hyphen_values = true)]
    budget: Vec<u64>,
    /// The number of runs of every strategy with every budget
    #[arg(long, value_name = "R", default_value_t = 100, allow_hyphen_values = true,
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    repeats: u64,
    /// Fresh pulls from which the mean of each recommended arm is estimated, if the mean is not known
    #[arg(long, value_name = "N", default_value_t = 200, allow_hyphen_values = true,
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    judge: u64,
    /// Cycles to play from a position before it is evaluated [default: 100]
    #[arg(long, value_name = "CYCLES", allow_hyphen_values = true)]
    horizon: Option<u32>,
    /// The policy that plays the cycles before a position is evaluated: random-biased or random [default:
    /// random-biased]
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    #[command(flatten)]
    rules: RuleArgs,
    /// Study only this problem of the file; can be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// The seed of all random numbers
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = parse_seed, allow_hyphen_values = true)]
    seed: u64,
    /// A directory for the numbers and for a figure of each problem
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The format of the figures
    #[arg(long, value_name = "F", requires = "out", default_value = "svg",
          value_parser = figure_formats())]
    format: FigureFormat,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
Strategies and their options, with defaults:
  ns            naive sampling: e0=.8 el=.4 eg=0 force=yes
  two-phase     naive sampling that changes after a share of the pulls:
                share=.6, options of ns, then-e0=0 then-el=0 then-eg=.2
  ns-ucb1       naive sampling that exploits by UCB1: e0=.8 el=.4 c=.005 force=yes
  ucb1-swapped  the same with the constant in the mean: options of ns-ucb1
  egreedy       a random arm or the best so far: e=.25
  ucb1          upper confidence bounds of whole arms: c=.05
  ucb1-fpu      the same with first play urgency: c=.05 f=(the fpu of the problem)
  mlps          upper bounds of values: c=.005
  lsi           linear side information: others=v (or f) draw=e (or u)
  random        a random arm every time
All except lsi also have recommend=most-pulled (or highest-mean).

`simple regret` is how much less the recommended arm is worth than the best arm, `cumulative regret` how much \
less all pulls together are worth, in expected rewards. If the best arm is not known, `recommended` is the \
mean of fresh pulls of the recommended arm, and `behind the first` how much less this is than for the best \
strategy. `arms` is the number of different arms pulled.";

/// The valid numbers of pulls. More would take hours, and too much memory.
const PULLS: std::ops::RangeInclusive<u64> = 1..=1_000_000;

impl BanditArgs {
    fn choices(&self) -> Result<Vec<Choice>> {
        let mut choices: Vec<Choice> = Vec::new();
        for notation in Notation::parse_list(&self.strategies)? {
            let choice = Choice::read(&notation)?;
            if choices.iter().any(|known| known.text == choice.text) {
                let message = format!("the strategy `{}` is given twice", choice.text);
                return Err(Failure::with_advice(message, "leave one out"));
            }
            choices.push(choice);
        }
        Ok(choices)
    }

    /// Returns the selected problems in file order, or the position.
    fn wanted(&self, registry: &Registry) -> Result<Vec<Wanted>> {
        let mut problems = match self.position(registry)? {
            Some(position) => vec![Wanted::Position(position)],
            None => {
                let ProblemFile { problems, positions, .. } =
                    ProblemFile::read(&self.problems, registry.positions())?;
                let problems = problems.into_iter().map(Wanted::Numbers);
                problems.chain(positions.into_iter().map(Wanted::Position)).collect()
            }
        };
        for name in &self.only {
            if !problems.iter().any(|problem| problem.name() == name) {
                return Err(
                    UnknownName::new("problem", name, problems.iter().map(Wanted::name)).into()
                );
            }
        }
        problems.retain(|problem| {
            self.only.is_empty() || self.only.iter().any(|name| problem.name() == name)
        });
        Ok(problems)
    }

    /// Opens the position, if one is given instead of a file.
    fn position(&self, registry: &Registry) -> Result<Option<GivenPosition>> {
        let name = self.problems.to_str().filter(|_| !self.problems.is_file());
        let positions = registry.positions();
        let Some(name) = name.filter(|name| positions.is_meant(name)) else {
            let is_set =
                self.horizon.is_some() || self.policy.is_some() || !self.rules.rules.is_empty();
            if is_set {
                let message = "--horizon, --policy and --rule need a position on the command line, such as rts:cmab-a";
                let advice = "in a file, each position has its own `horizon`, `policy` and `rules`";
                return Err(Failure::with_advice(message, advice));
            }
            let game = name.and_then(|name| name.split(':').next()).unwrap_or_default();
            let mut families = registry.families();
            if families.any(|family| family.name() == game || family.info().game == game) {
                let message = format!("`{game}` is not a file, and has no positions for bandits");
                let advice = format!(
                    "name a position of a game with joint actions and an evaluation: {}",
                    positions.games().collect::<Vec<_>>().join(", ")
                );
                return Err(Failure::with_advice(message, advice));
            }
            return Ok(None);
        };
        let game = name.split(':').next().unwrap_or_default();
        let family = registry.families().find(|family| family.info().game == game);
        let rules = family.map(|family| self.rules.values(family)).transpose()?;
        let usual = positions.usual(name)?;
        let spec = PositionSpec {
            rules: rules.unwrap_or_default(),
            horizon: self.horizon.unwrap_or(USUAL_HORIZON),
            policy: self.policy.clone().unwrap_or(usual.policy),
            ..usual
        };
        let position = positions.open(&spec, None)?;
        Ok(Some(GivenPosition { name: name.into(), spec, position }))
    }
}

enum Wanted {
    Numbers(GivenProblem),
    Position(GivenPosition),
}

impl Wanted {
    fn name(&self) -> &str {
        match self {
            Wanted::Numbers(given) => &given.name,
            Wanted::Position(given) => &given.name,
        }
    }
}

pub(super) fn bandit(args: &BanditArgs, registry: &Registry, stop: &StopSignal) -> Result {
    let strategies = args.choices()?;
    let budgets = Vec::from_iter(args.budget.iter().copied().collect::<BTreeSet<u64>>());
    // A new kind of problem needs a `Playground`, and a conversion of its results to `ProblemResults`.
    let problems = args.wanted(registry)?;
    if let Some(out) = &args.out {
        args.format.check()?;
        check_new_directory(out)?;
    }
    let study = Study {
        strategies: &strategies,
        budgets: &budgets,
        num_runs: args.repeats,
        num_judging: args.judge,
    };
    let num_cells = (problems.len() * strategies.len() * budgets.len()) as u64;
    let progress = WorkProgress::new("runs", num_cells.saturating_mul(args.repeats));
    let key = StreamKey::root(args.seed);
    let on_run = || progress.on_more(1, "");
    let find = |wanted: &Wanted| match wanted {
        Wanted::Numbers(given) => {
            let best = given.optimum.as_ref().map(|best| best.mean);
            let playground = Given { problem: &given.problem, best, urgency: given.urgency };
            Ok(ProblemResults::of(given, study.run(&playground, key, stop, on_run)?))
        }
        Wanted::Position(given) => Ok(ProblemResults::of_position(
            given,
            given.position.study(&study, key, stop, &on_run)?,
        )),
    };
    let mut found = Vec::new();
    for wanted in &problems {
        match find(wanted) {
            Ok(of_problem) => found.push(of_problem),
            Err(Failure::Interrupted) => break,
            Err(failure) => return Err(failure),
        }
    }
    progress.finish();
    if found.is_empty() {
        return Err(Failure::nothing_yet());
    }
    let num_runs = found.iter().flat_map(|found| &found.rows).map(|row| row.reward.count).min();
    let regrets = Regrets { args, found, num_runs: num_runs.unwrap_or(args.repeats) };
    if let Some(out) = &args.out {
        regrets.write_files(out)?;
    }
    output::write(&regrets, args.json)?;
    stop.check().map_err(|_| Failure::Interrupted)
}

/// The columns of the file with all numbers.
const MEANS: &str = "recommended reward arms simple_regret cumulative_regret optimum behind";

/// The name of the file with all numbers.
const NUMBERS: &str = "bandit.csv";

struct ProblemResults {
    name: String,
    about: String,
    /// The description as JSON.
    object: Value,
    rows: Vec<Row>,
}

impl ProblemResults {
    /// Creates the results for a problem whose means are given in the file.
    fn of(given: &GivenProblem, rows: Vec<Row>) -> ProblemResults {
        let num_variables = given.problem.special().len();
        let best = given.optimum.as_ref();
        let known = match best {
            None => "; the best arm is not known: too many ways to compete for cells".into(),
            Some(best) => {
                let legal = best.num_legal.map_or("2^128 or more".into(), in_groups);
                let next = best.gap.map_or(String::new(), |gap| {
                    format!(", the next best {}", score(best.mean - gap, 4))
                });
                format!(", {legal} legal arms; the best has the mean {}{next}", score(best.mean, 4))
            }
        };
        let object = json!({
            "name": given.name,
            "variables": num_variables,
            "legal_arms": best.and_then(|best| best.num_legal).map(number),
            "best": best.map(|best| json!({"mean": best.mean, "arm": best.arm})),
            "gap": best.and_then(|best| best.gap),
        });
        let about = format!("{}{known}", counted(num_variables as u64, "variable"));
        ProblemResults { name: given.name.clone(), about, object, rows }
    }

    fn of_position(given: &GivenPosition, rows: Vec<Row>) -> ProblemResults {
        let GivenPosition { name, spec, position } = given;
        let (num_arms, exactly) = match position.num_arms() {
            NumActions::Exactly(count) => (in_groups(count), Some(number(count))),
            about => (about.to_string(), None),
        };
        let variables = counted(position.num_variables() as u64, "variable");
        let about = format!(
            "{variables}, {num_arms} legal arms; a reward is the evaluation, from -1 to 1, after {} of {} play; the best arm \
             is not known",
            counted(spec.horizon.into(), "cycle"),
            spec.policy
        );
        let object = json!({
            "name": name,
            "variables": position.num_variables(),
            "legal_arms": exactly,
            "best": null,
            "gap": null,
            "start": spec.start,
            "rules": spec.rules,
            "horizon": spec.horizon,
            "policy": spec.policy,
        });
        ProblemResults { name: name.clone(), about, object, rows }
    }

    /// Returns `true` if the best arm is known, so that regret can be measured.
    fn has_regret(&self) -> bool {
        self.rows.iter().all(|row| row.regret.is_some())
    }

    /// Returns a table of `rows`, which are some of the results.
    fn table(&self, rows: &[&Row]) -> Table {
        let has_regret = self.has_regret();
        let [first, second, third] = match has_regret {
            true => ["simple regret", "cumulative regret", "finds the best"],
            false => ["recommended", "behind the first", "reward of a pull"],
        };
        let header = ["strategy", "pulls", first, second, third, "arms"];
        let mut shown = table(header, &[1, 2, 3, 4, 5]);
        for row in rows {
            let [first, second, third] = match &row.regret {
                Some(regret) if has_regret => {
                    let [low, high] = regret.optimum_interval.map(percent);
                    let optimum = format!("{}% [{low}, {high}]", percent(regret.optimum));
                    [amount(&regret.simple), amount(&regret.cumulative), optimum]
                }
                _ => {
                    let behind = row.behind.as_ref().map_or("first".into(), amount);
                    [amount(&row.recommended), behind, amount(&row.reward)]
                }
            };
            let [pulls, arms] = [grouped(row.budget), amount(&row.num_arms)];
            shown.add_row([row.strategy.clone(), pulls, first, second, third, arms]);
        }
        shown
    }

    /// Returns the mean by which strategies are compared.
    fn estimate(&self, row: &Row) -> SampleMean {
        match &row.regret {
            Some(regret) if self.has_regret() => regret.simple,
            _ => row.recommended,
        }
    }

    /// Returns the number by which strategies are compared; larger is better.
    fn value(&self, row: &Row) -> f64 {
        let mean = self.estimate(row).mean;
        if self.has_regret() { -mean } else { mean }
    }

    /// Returns the first strategy's row at the largest number of pulls, and says what is proven about it.
    fn best(&self) -> Option<(&Row, String)> {
        let most = self.rows.iter().map(|row| row.budget).max()?;
        let rows: Vec<&Row> = self.rows.iter().filter(|row| row.budget == most).collect();
        let best = *rows.iter().rev().max_by(|x, y| self.value(x).total_cmp(&self.value(y)))?;
        let (highest, of_best) = (self.value(best), self.estimate(best));
        let num_pairs = rows.len() * (rows.len() - 1) / 2;
        let place = |row: &Row| {
            let of_row = self.estimate(row);
            let lead = highest - self.value(row);
            let errors = of_best.standard_error.zip(of_row.standard_error);
            // Runs that are all alike do not show how much others differ.
            let errors = errors.filter(|&(a, b)| a > 0.0 && b > 0.0);
            let p_value = errors.map(|(a, b)| {
                let variances = [a * a, b * b];
                let degrees = welch_degrees(variances, [of_best, of_row].map(|of| of.count - 1));
                student_p_value(lead / (variances[0] + variances[1]).sqrt(), degrees)
            });
            let is_worse =
                p_value.is_some_and(|p_value| p_value * num_pairs as f64 <= SIGNIFICANCE);
            Rival::new(lead <= ROUNDING, is_worse)
        };
        let what = if self.has_regret() { "simple regret" } else { "its arm is worth" };
        let how = format!("{what} {}", amount(&of_best));
        let places = rows.iter().map(|row| (row.strategy.as_str(), place(row)));
        let words = match Leader::of(places) {
            Leader::TooFew => format!("{}, {how}", best.strategy),
            Leader::Tied(names) => format!("{} share the best result, {how}", few(&names)),
            Leader::NotSignificant(name, rivals) => {
                format!("{name} is first, {how}, but not clearly: {} may be as good", few(&rivals))
            }
            Leader::Proven(name) => format!("{name} is best, clearly, {how}"),
        };
        Some((best, words))
    }
}

/// Means that differ by less are equal: they may be sums of the same numbers in different orders.
const ROUNDING: f64 = 1e-12;

struct Regrets<'a> {
    args: &'a BanditArgs,
    found: Vec<ProblemResults>,
    /// The number of runs of each strategy, or the least of them if the study was interrupted.
    num_runs: u64,
}

/// Formats a mean and the half-width of its interval, as in `.0438 ± .0045`. The half-width has two significant digits.
/// Without an interval, a mean has four decimals.
fn amount(mean: &SampleMean) -> String {
    let Some([low, high]) = mean.interval() else {
        let note = if mean.is_all_alike() { " (alike)" } else { "" };
        return format!("{}{note}", number_of(mean.mean, 4));
    };
    let half_width = (high - low) / 2.0;
    let digits = (1.0 - libm::log10(half_width).floor()).clamp(0.0, 6.0) as usize;
    format!("{} ± {}", number_of(mean.mean, digits), score(half_width, digits))
}

/// Formats a number. A number that rounds to zero has no sign.
fn number_of(value: f64, digits: usize) -> String {
    signed(value, digits).trim_start_matches('+').to_string()
}

impl Regrets<'_> {
    /// Returns `true` if one of the problems is a position, whose arms have unknown means.
    fn is_judged(&self) -> bool {
        self.found.iter().any(|found| found.object.get("horizon").is_some())
    }

    fn means(&self) -> String {
        match self.num_runs {
            1 => "1 run of each strategy, which shows nothing about other runs".to_string(),
            runs => {
                format!("Means over {} of each strategy, with 95% intervals", counted(runs, "run"))
            }
        }
    }

    fn write_files(&self, out: &Path) -> Result {
        std::fs::create_dir_all(out).map_err(|error| {
            Failure::bad_input(format!("cannot make {}: {error}", out.display()))
        })?;
        write_atomically(&out.join(NUMBERS), self.csv())?;
        let mut names = BTreeSet::new();
        for ProblemResults { name, rows, .. } in &self.found {
            let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
            let mut file: String = name.chars().map(letter).collect();
            // Different names may become equal, because some characters become hyphens.
            while !names.insert(file.clone()) {
                file.push('-');
            }
            let figure = Checked::new(figures::regret(name, rows))?;
            let format = self.args.format;
            let path = out.join(format!("regret-{file}.{}", format.extension()));
            write_atomically(&path, format.render(&figure, ruse_plots::Sheet::default())?)?;
        }
        Ok(())
    }

    fn csv(&self) -> Vec<u8> {
        let mut table = csv::Writer::from_writer(Vec::new());
        let names = || MEANS.split(' ');
        let columns =
            names().flat_map(|name| ["", "_low", "_high"].map(|end| format!("{name}{end}")));
        let header = ["problem", "strategy", "pulls", "runs"].map(String::from);
        let header = header.into_iter().chain(columns);
        table.write_record(header).expect("memory can be written to");
        for (name, row) in
            self.found.iter().flat_map(|of| of.rows.iter().map(|row| (&of.name, row)))
        {
            let [pulls, runs] = [row.budget, row.recommended.count].map(|count| count.to_string());
            let mut record = vec![name.clone(), row.strategy.clone(), pulls, runs];
            let object = object_of_row(row);
            let cell = |value: &Value| value.as_f64().map_or(String::new(), |it| it.to_string());
            for of in names().map(|name| &object[name]) {
                let mean = cell(of.get("share").unwrap_or(&of["mean"]));
                record.extend([mean, cell(&of["interval"][0]), cell(&of["interval"][1])]);
            }
            let cells = record.iter().map(|cell| guarded(cell).into_owned());
            table.write_record(cells).expect("memory can be written to");
        }
        table.into_inner().expect("memory can be written to")
    }
}

/// Formats a number of arms. Digits beyond 64 bits are not grouped.
fn in_groups(count: u128) -> String {
    u64::try_from(count).map_or(count.to_string(), grouped)
}

fn object_of(mean: &SampleMean) -> Value {
    json!({
        "mean": mean.mean,
        "standard_error": mean.standard_error,
        "interval": mean.interval(),
    })
}

fn object_of_row(row: &Row) -> Value {
    let regret = row.regret.as_ref();
    json!({
        "strategy": row.strategy,
        "pulls": row.budget,
        "recommended": object_of(&row.recommended),
        "reward": object_of(&row.reward),
        "arms": object_of(&row.num_arms),
        "simple_regret": regret.map(|regret| object_of(&regret.simple)),
        "cumulative_regret": regret.map(|regret| object_of(&regret.cumulative)),
        "behind": row.behind.as_ref().map(object_of),
        "optimum": regret.map(|of| json!({ "share": of.optimum, "interval": of.optimum_interval })),
    })
}

/// Returns a number of arms as JSON. Numbers above 2^53 become text, because a double cannot represent all of them.
fn number(count: u128) -> Value {
    /// 2^53: doubles represent all whole numbers up to here.
    const LARGEST: u128 = 1 << 53;
    match u64::try_from(count) {
        Ok(small) if count <= LARGEST => small.into(),
        _ => count.to_string().into(),
    }
}

impl Answer for Regrets<'_> {
    fn answer(&self) -> String {
        /// The maximum total number of lines of all tables.
        const MAX_LINES: usize = 14;
        let mut parts = Vec::new();
        let mut verdict = String::new();
        let num_problems = self.found.len();
        for found in &self.found {
            let Some((best, words)) = found.best() else { continue };
            let pulls = grouped(best.budget);
            verdict += &paragraph(&format!("{}, {pulls} pulls: {words}.", found.name));
            if num_problems <= 2 {
                let most = MAX_LINES / num_problems;
                let mut rows: Vec<&Row> = found.rows.iter().collect();
                if rows.len() >= most {
                    // The best strategies come first, since the last rows may be left out.
                    rows.retain(|row| row.budget == best.budget);
                    rows.sort_by(|x, y| found.value(y).total_cmp(&found.value(x)));
                }
                let first = |num: usize| found.table(&rows[..num]);
                parts.push(paragraph(&format!("{}: {}", found.name, found.about)));
                parts.push(terminal().first_rows(most, rows.len(), first));
            }
        }
        parts.push(paragraph(&format!(
            "{}; seed {}; --full explains the columns.",
            self.means(),
            self.args.seed
        )));
        let written = written(self.args.out.as_deref());
        let verdict = terminal().first_sentences(MAX_LINES, &verdict);
        terminal().on_a_screen(&parts, &terminal().ending(&written, &verdict))
    }

    fn page(&self) -> String {
        let mut page = String::new();
        for found in &self.found {
            page += &paragraph(&format!("{}: {}", found.name, found.about));
            page += &format!("\n{}\n", text(&found.table(&found.rows.iter().collect::<Vec<_>>())));
        }
        let mut legend = String::new();
        if self.found.iter().any(ProblemResults::has_regret) {
            legend += " `simple regret` is how much less the recommended arm is worth than the best arm, `cumulative \
                 regret` how much less all pulls together are worth, in expected rewards;";
        }
        if !self.found.iter().all(ProblemResults::has_regret) {
            legend += " `recommended` is the expected reward of the recommended arm";
            if self.is_judged() {
                legend += &format!(", estimated from {}", counted(self.args.judge, "fresh pull"));
            }
            legend += "; `behind the first` is how much less this is than the highest mean among strategies with as \
                       many pulls, by pairs of runs (chance decides, too, which strategy is first);";
        }
        page += &paragraph(&format!(
            "{}; seed {}.{legend} `arms` is the number of different arms pulled.",
            self.means(),
            self.args.seed
        ));
        page + &written(self.args.out.as_deref())
    }

    fn object(&self) -> Value {
        let problems = self.found.iter().map(|found| {
            let mut object = found.object.clone();
            object["rows"] = found.rows.iter().map(object_of_row).collect();
            object
        });
        json!({
            "problems": problems.collect::<Vec<_>>(),
            "runs": self.num_runs,
            "seed": self.args.seed,
            "confidence": CONFIDENCE,
            "out": self.args.out,
        })
    }
}
