//! `ruse tournament`: plays all strategies against each other.

use std::path::PathBuf;

use clap::Args;
use comfy_table::Table;
use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::StopSignal;
use ruse_lab::{DefaultPairs, Duplicate, Pool};
use ruse_play::score::{Best, MAX_ENTRANTS, SharedDeals, best_of};
use ruse_programs::{Conduct, conduct_of_programs};
use ruse_registry::Registry;
use ruse_report::{Entrant, Format, Leader, Tables, TournamentTable, few};
use serde_json::{Value, json};

use super::arguments::{PlayedArgs, names, one_of, parse_fraction, parse_pairs, parse_seed};
use super::failure::{Failure, Result, print};
use super::format::{
    counted, digits, grouped, interval, paragraph, score, table_of, terminal, text,
};
use super::output::{self, Answer};
use super::progress::WorkProgress;
use super::verbosity::say;

/// Play all strategies against each other, and rank them by their mean score
#[derive(Debug, Args)]
#[command(after_help = "\
The mean score is taken over all other strategies. A win is an opponent against which the whole interval is \
above .5, a loss an opponent against which it is below .5. The first is clearly the first if the interval of \
its lead is above 0.")]
pub(super) struct TournamentArgs {
    /// The game and the kind of parameters (see `ruse list`)
    family: String,
    /// Strategy files, directories of runs, reference strategies, `baseline`, parameters as in [0,1.5,-2]
    /// [default: all reference strategies]
    #[arg(value_name = "STRATEGY")]
    strategies: Vec<PathBuf>,
    /// Pairs of games in each meeting, unless the score of the two strategies is known exactly: the same deal twice,
    /// with the seats swapped [default: a number that suits the family]
    #[arg(long, value_name = "N", value_parser = parse_pairs, allow_hyphen_values = true)]
    pairs: Option<u64>,
    /// Only look for the best: strategies that are proven not to be leave, and --pairs is a limit
    #[arg(long, conflicts_with_all = ["only", "format"])]
    best: bool,
    /// The probability that --best loses the best strategy
    #[arg(long, value_name = "D", default_value_t = 0.05, value_parser = parse_fraction, requires = "best",
          allow_hyphen_values = true)]
    delta: f64,
    /// The seed of all random numbers
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = parse_seed, allow_hyphen_values = true)]
    seed: u64,
    /// The format: terminal, md, csv, tex, json or html
    #[arg(long, value_name = "F", default_value = "terminal", conflicts_with = "json",
          value_parser = one_of(Format::ALL, Format::name), hide_possible_values = true)]
    format: Format,
    /// Print one table only: ranking or cross-table
    #[arg(long, value_name = "TABLE", conflicts_with = "json", hide_possible_values = true,
          value_parser = names(TournamentTable::TABLES))]
    only: Option<String>,
    #[command(flatten)]
    pub(super) played: PlayedArgs,
}

pub(super) fn tournament(args: &TournamentArgs, registry: &Registry, stop: &StopSignal) -> Result {
    let named = args.strategies.iter().filter_map(|path| path.to_str());
    let family = args.played.rules.family(&args.family, named, registry)?;
    let all_references = || family.references().into_iter().map(|info| (*info.name).into());
    let sources = match args.strategies.is_empty() {
        true => all_references().collect(),
        false => args.strategies.clone(),
    };
    let pool = Pool::of_family(family, &sources, registry)?;
    let num_members = pool.members.len();
    if !(2..=MAX_ENTRANTS).contains(&num_members) {
        let message = format!(
            "a tournament needs 2 to {MAX_ENTRANTS} different strategies, found {num_members}"
        );
        let advice = "name other strategies: files, directories, references";
        return Err(Failure::with_advice(message, advice));
    }
    if !pool.duplicates.is_empty() {
        say(&format!("equal strategies play once: {}", equals_in_words(&pool.duplicates)));
    }
    let contestants: Vec<_> = pool.members.iter().map(|member| &member.contestant).collect();
    let league = pool.family.league(&contestants)?;
    let pairs = DefaultPairs::of_players(pool.family.as_ref(), &contestants).evaluation;
    let num_pairs = args.pairs.unwrap_or(pairs);
    let names: Vec<String> = pool.members.iter().map(|member| member.name.clone()).collect();
    // `ruse match` uses the same key for a seed, so meetings and matches have equal scores.
    let key = StreamKey::root(args.seed).child(Label::Match, 0);
    if args.best {
        let progress = WorkProgress::new("deals", num_pairs);
        let on_deals = |num_played, num_remaining| {
            progress.on_done(num_played, None, &format!("{num_remaining} left"));
        };
        let found =
            best_of(league.as_ref(), num_members, num_pairs, args.delta, key, stop, on_deals);
        progress.finish();
        let found = found.map_err(|_| Failure::nothing_yet())?;
        let family = pool.family.name();
        output::write(&Search { args, family, names: &names, found }, args.played.json)?;
        return stop.check().map_err(|_| Failure::Interrupted);
    }
    let num_meetings = (num_members * (num_members - 1) / 2) as u64;
    let progress = WorkProgress::new("pairs", num_meetings * num_pairs);
    let on_pairs = |num_played| progress.on_done(num_played, None, "");
    let found = SharedDeals::play(league.as_ref(), num_members, num_pairs, key, stop, on_pairs);
    progress.finish();
    let found = found.map_err(|_| Failure::nothing_yet())?;

    let table = TournamentTable::new(&pool.family.info(), &names, &found);
    let standings = Standings { args, table: &table, conducts: conduct_of_programs() };
    let (format, options, tables) = (args.format, terminal().options(), standings.tables());
    match &args.only {
        _ if args.played.json || format == Format::Json => output::write(&standings, true),
        Some(name) => print(&tables.only(&[name]).render(format, &options)),
        None if format == Format::Terminal => output::write(&standings, false),
        None => print(&tables.render(format, &options)),
    }?;
    stop.check().map_err(|_| Failure::Interrupted)
}

/// Lists at most eight strategies that equal another one. A directory may have hundreds.
fn equals_in_words(duplicates: &[Duplicate]) -> String {
    const MAX_LISTED: usize = 8;
    let listed =
        duplicates.iter().take(MAX_LISTED).map(|Duplicate { name, member }| match name == member {
            true => format!("`{name}` is named twice"),
            false => format!("`{name}` is `{member}`"),
        });
    let num_others = duplicates.len().saturating_sub(MAX_LISTED);
    let others = (num_others > 0).then(|| format!("and {num_others} more"));
    listed.chain(others).collect::<Vec<_>>().join(", ")
}

struct Standings<'a> {
    args: &'a TournamentArgs,
    table: &'a TournamentTable,
    /// The conduct of the programs that played.
    conducts: Vec<Conduct>,
}

impl Standings<'_> {
    fn tables(&self) -> Tables {
        self.table.tables().with_mistakes(&self.conducts)
    }

    /// Names the first strategy, and says if it is proven to be better than each other.
    fn lead(&self) -> String {
        match &self.table.leader {
            Leader::TooFew => String::new(),
            Leader::Tied(best) => format!("{} share the highest mean score.", few(best)),
            Leader::NotSignificant(best, rivals) => {
                format!("{best} is first, but not clearly: {} may be as good.", few(rivals))
            }
            Leader::Proven(best) => format!("{best} is first, clearly."),
        }
    }
}

impl Answer for Standings<'_> {
    fn page(&self) -> String {
        self.tables().render(Format::Terminal, &terminal().options())
    }

    fn answer(&self) -> String {
        /// The maximum number of lines for the ranking.
        const MAX_LINES: usize = 16;
        let entrants = &self.table.entrants;
        let row = |(place, entrant): (usize, &Entrant)| {
            let mean = &entrant.mean;
            [
                format!("{place}."),
                entrant.name.clone(),
                score(mean.score, digits(mean)) + &self.table.payoff(entrant),
                if mean.is_exact() { "exact".into() } else { interval(mean) },
                entrant.num_wins.to_string(),
                entrant.num_losses.to_string(),
            ]
        };
        let header = ["", "strategy", "mean score", "95% interval", "wins", "losses"];
        let rows = |num: usize| (1..).zip(entrants.iter().take(num)).map(row);
        let ranking = |num: usize| table_of(header, &[0, 2, 3, 4, 5], rows(num));
        let sample = match self.table.pairs {
            0 => "computed exactly".to_string(),
            pairs => format!("{} of games for every two", counted(pairs, "pair")),
        };
        let num_entrants = counted(entrants.len() as u64, "strategy");
        let about = format!("{}: {num_entrants}, {sample}.", self.table.family);
        let mistakes = self.conducts.iter().filter_map(Conduct::mistakes_in_words);
        let mistakes: String = mistakes.map(|line| paragraph(&format!("{line}."))).collect();
        format!(
            "{}\n{}\n{}{}{mistakes}",
            paragraph(&about),
            terminal().first_rows(MAX_LINES, entrants.len(), ranking),
            paragraph("--full prints the score of each against each."),
            paragraph(&self.lead())
        )
    }

    fn object(&self) -> Value {
        let mut object = self.tables().to_json();
        object["seed"] = self.args.seed.into();
        object
    }
}

/// The result of a search for the best strategy.
struct Search<'a> {
    args: &'a TournamentArgs,
    family: &'a str,
    names: &'a [String],
    found: Best,
}

impl Search<'_> {
    fn rows(&self, num: usize) -> Table {
        let row = |(place, member): (usize, usize)| {
            let contender = &self.found.contenders[member];
            [
                format!("{place}."),
                self.names[member].clone(),
                score(contender.score, 3),
                grouped(contender.num_deals),
                contender.beaten_by.map_or(String::new(), |other| self.names[other].clone()),
            ]
        };
        let rows = (1..).zip(self.found.ranking()).take(num).map(row);
        table_of(["", "strategy", "mean score", "deals", "beaten by"], &[0, 2, 3], rows)
    }

    fn verdict(&self) -> String {
        let remaining: Vec<&str> =
            self.found.remaining().map(|member| &*self.names[member]).collect();
        match remaining[..] {
            [best] => format!("{best} is the best."),
            _ if self.found.num_deals == 0 => {
                format!("{} are equally good.", remaining.join(" and "))
            }
            _ => format!(
                "{} strategies may be the best: {}. More pairs (--pairs) may tell them apart.",
                remaining.len(),
                remaining.join(", ")
            ),
        }
    }
}

impl Answer for Search<'_> {
    fn page(&self) -> String {
        format!("{}\n{}", text(&self.rows(self.names.len())), paragraph(&self.verdict()))
    }

    fn answer(&self) -> String {
        /// The maximum number of lines for the ranking.
        const MAX_LINES: usize = 16;
        let Best { num_deals, num_pairs, round_robin_pairs, .. } = self.found;
        let num_names = self.names.len();
        let cost = match num_deals {
            0 => "computed exactly".to_string(),
            _ => format!(
                "{} of games, where a round robin of {} takes {}",
                counted(num_pairs, "pair"),
                counted(num_deals, "deal"),
                grouped(round_robin_pairs)
            ),
        };
        let about = format!("{}: {}, {cost}.", self.family, counted(num_names as u64, "strategy"));
        let promise = format!(
            "The best is lost with probability {} at most. Mean scores are those until a strategy left.",
            self.args.delta
        );
        format!(
            "{}\n{}\n{}{}",
            paragraph(&about),
            terminal().first_rows(MAX_LINES, num_names, |num| self.rows(num)),
            paragraph(&self.verdict()),
            if num_deals == 0 { String::new() } else { paragraph(&promise) }
        )
    }

    fn object(&self) -> Value {
        let name = |member: usize| &self.names[member];
        let strategy = |member: usize| {
            let contender = &self.found.contenders[member];
            json!({
                "strategy": name(member),
                "score": contender.score,
                "deals": contender.num_deals,
                "beaten_by": contender.beaten_by.map(name),
            })
        };
        json!({
            "family": self.family,
            "seed": self.args.seed,
            "delta": self.args.delta,
            "best": self.found.remaining().map(name).collect::<Vec<_>>(),
            "strategies": self.found.ranking().into_iter().map(strategy).collect::<Vec<_>>(),
            "deals": self.found.num_deals,
            "pairs": self.found.num_pairs,
            "round_robin_pairs": self.found.round_robin_pairs,
        })
    }
}
