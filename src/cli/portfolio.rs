//! `ruse portfolio`: finds the mixture of strategies that is hardest to exploit.

mod arguments;
mod online;
mod seeds;

use std::fmt::Write;
use std::path::Path;

use comfy_table::Table;
use ruse_base::files::{Replaces, check_new_directory, check_output, write_output};
use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::StopSignal;
use ruse_lab::{Pool, StrategyFile, parse_contestant};
use ruse_optimise::exploit::{Bracket, MeasureEffort, measure};
use ruse_optimise::portfolio::{
    Assessed, Effort, NUM_SAMPLES, NashPortfolio, PayoffError, Payoffs,
};
use ruse_play::arena::League;
use ruse_play::family::Player;
use ruse_play::score::CONFIDENCE;
use ruse_registry::Registry;
use serde_json::{Value, json};

pub(super) use self::arguments::PortfolioArgs;
use self::arguments::{FRESH_IN, MAX_ROWS};
use super::failure::{Failure, Result};
use super::format::{counted, grouped, paragraph, score, table_of, terminal, text, written};
use super::matrix;
use super::output::{self, Answer};
use super::progress::WorkProgress;
use super::race::is_file;

pub(super) fn portfolio(args: &PortfolioArgs, registry: &Registry, stop: &StopSignal) -> Result {
    if let [file] = args.sources.as_slice()
        && let Some(file) = file.to_str().filter(|file| is_file(file))
    {
        return matrix::solve(file, args.played.json, stop);
    }
    match &args.out {
        Some(directory) if args.held_out.is_some() => check_new_directory(directory)?,
        Some(file) => check_output(file, Replaces::Nothing)?,
        None => {}
    }
    let pool = args.pool(registry)?;
    let key = StreamKey::root(args.seed);
    let against = args.against.as_ref();
    let opponent = against.map(|text| parse_contestant(text, pool.family.as_ref())).transpose()?;
    let members = pool.members.iter().map(|member| &member.contestant);
    // The opponent comes last, and is not a member.
    let contestants: Vec<_> = members.chain(&opponent).collect();
    let league = pool.family.league(&contestants)?;
    if args.held_out.is_some() {
        return seeds::seeds(args, &pool, league.as_ref(), key, stop);
    }
    let Estimated { payoffs, found, num_fresh } =
        estimate(args, &pool, league.as_ref(), key, stop)?;
    if opponent.is_some() && stop.check().is_ok() {
        match online::online(args, &pool, &league, &found, key, stop) {
            // The portfolio is known.
            Err(Failure::Interrupted) => {}
            done => return done,
        }
    }
    let is_stopped = stop.check().is_err();

    // A strategy from fewer games than asked for would take the place of the whole one.
    let out = args.out.as_deref().filter(|_| !is_stopped);
    if let Some(path) = out {
        let file = StrategyFile {
            rules: pool.family.rule_values(),
            descriptions: pool.family.descriptions(),
            mixture: pool.mixture(&found.nash.mixture),
            ..StrategyFile::empty(pool.family.name())
        };
        let text = serde_yaml::to_string(&file).expect("plain data");
        write_output(path, Replaces::Nothing, &text)?;
    }
    let found =
        PortfolioAnswer { args, out, pool: &pool, payoffs: &payoffs, found: &found, num_fresh };
    output::write(&found, args.played.json)?;
    if is_stopped { Err(Failure::Interrupted) } else { Ok(()) }
}

struct Estimated {
    payoffs: Payoffs,
    found: NashPortfolio,
    /// The number of pairs played after the choice of mixtures.
    num_fresh: u64,
}

/// Splits the pairs of a meeting: pairs for choosing mixtures, and pairs for scoring them. Fewer than four pairs are
/// not split; they are all for choosing.
fn split(pairs: u64) -> [u64; 2] {
    let fresh = if pairs < 4 { 0 } else { (pairs / FRESH_IN).max(2) };
    [pairs - fresh, fresh]
}

/// Plays the members of a pool, the first players of `league`, against each other, chooses mixtures, and scores them.
fn estimate(
    args: &PortfolioArgs,
    pool: &Pool,
    league: &dyn League,
    key: StreamKey,
    stop: &StopSignal,
) -> Result<Estimated, PayoffError> {
    let num_members = pool.members.len();
    let effort = args.effort(num_members);
    let num_meetings = (num_members * num_members.saturating_sub(1) / 2) as u64;
    let [pairs_per_meeting, fresh_pairs] = split(effort.pairs_per_meeting);
    let progress = WorkProgress::new("pairs", num_meetings * effort.pairs_per_meeting);
    let effort = Effort { pairs_per_meeting, ..effort };
    let on_pairs = |num_pairs| progress.on_done(num_pairs, None, "");
    let payoffs = Payoffs::estimate(league, num_members, effort, key, stop, on_pairs);
    let chosen = payoffs.and_then(|payoffs| {
        // Quantiles and fresh games have their own keys, derived from this one.
        let key = key.child(Label::Evaluation, 0);
        if stop.check().is_err() {
            let hurry = StopSignal::in_a_hurry();
            let found = NashPortfolio::new(&payoffs, NUM_SAMPLES, key, &hurry)?;
            return Ok(Estimated { found, payoffs, num_fresh: 0 });
        }
        let found = NashPortfolio::new(&payoffs, NUM_SAMPLES, key, stop)?;
        let before = payoffs.num_pairs();
        let mut num_fresh = 0;
        let on_pairs = |num_pairs| {
            num_fresh = num_pairs;
            progress.on_done(before + num_pairs, None, "");
        };
        let fresh = payoffs.fresh(league, &found.mixtures(), fresh_pairs, key, stop, on_pairs)?;
        Ok(Estimated { found: found.scored_on(&fresh), payoffs, num_fresh })
    });
    progress.finish();
    chosen
}

/// Returns the mean score of each member against all others.
fn mean_scores(payoffs: &Payoffs) -> Vec<f64> {
    let n = payoffs.num_members();
    let matrix = payoffs.matrix().expect("it was solved");
    let others = (n - 1) as f64;
    (0..n).map(|i| ((0..n).map(|j| matrix.payoff(i, j)).sum::<f64>() - 0.5) / others).collect()
}

fn bounds([low, high]: [f64; 2]) -> String {
    format!("[{}, {}]", small(low), small(high))
}

/// Formats a weight, a score or an exploitability.
fn small(value: f64) -> String {
    score(value, 3)
}

/// Returns bounds on the exploitability of a mixture of the members of a pool. The best of the pool is a response, so
/// its score is a lower bound.
fn exploitability(pool: &Pool, assessed: &Assessed, seed: u64) -> Bracket {
    let members = pool.members.iter().zip(&assessed.mixture).filter(|(_, weight)| **weight > 0.0);
    let mixture =
        Player::mixture(members.map(|(member, &weight)| (weight, member.contestant.clone())));
    let known = vec![(assessed.interval[0], "the best of the pool".into())];
    let effort = MeasureEffort { seed, known, ..MeasureEffort::default() };
    measure(pool.family.as_ref(), &mixture, &effort).expect("the mixture is of the family").bracket
}

struct PortfolioAnswer<'a> {
    args: &'a PortfolioArgs,
    /// The file that was written.
    out: Option<&'a Path>,
    pool: &'a Pool,
    payoffs: &'a Payoffs,
    found: &'a NashPortfolio,
    num_fresh: u64,
}

impl PortfolioAnswer<'_> {
    /// Describes the games: the family, and the numbers of strategies and pairs.
    fn about(&self) -> String {
        let PortfolioAnswer { args, pool, payoffs, num_fresh, .. } = *self;
        paragraph(&format!(
            "{}: {} strategies{}, {} of games, seed {}",
            pool.family.name(),
            grouped(pool.members.len() as u64),
            match pool.duplicates.len() {
                0 => String::new(),
                n => format!(" and {}", counted(n as u64, "duplicate")),
            },
            counted(payoffs.num_pairs() + num_fresh, "pair"),
            args.seed,
        ))
    }

    /// Returns the mixtures with their names.
    fn mixtures(&self) -> [(String, &Assessed); 3] {
        let PortfolioAnswer { pool, found, .. } = self;
        let best = &pool.members[found.best_average_member].name;
        [
            ("Nash portfolio".into(), &found.nash),
            ("uniform".into(), &found.uniform),
            (format!("best on average: {best}"), &found.best_average),
        ]
    }

    fn interval(&self, interval: [f64; 2]) -> String {
        if self.found.num_samples == 0 { "exact".into() } else { bounds(interval) }
    }

    /// Returns a table of the first `num` members, sorted by weight and mean score.
    fn members(&self, num: usize) -> Table {
        let PortfolioAnswer { pool, payoffs, found, .. } = *self;
        let mean_scores = mean_scores(payoffs);
        let weights = &found.nash.mixture;
        let mut order: Vec<usize> = (0..pool.members.len()).collect();
        order.sort_by(|&i, &j| {
            weights[j].total_cmp(&weights[i]).then(mean_scores[j].total_cmp(&mean_scores[i]))
        });
        let row = |i: usize| {
            let interval = self.interval(found.weight_intervals[i]);
            [small(weights[i]), interval, pool.members[i].name.clone(), small(mean_scores[i])]
        };
        let header = ["weight", "when redrawn", "strategy", "mean score"];
        table_of(header, &[0, 1, 3], order.into_iter().take(num).map(row))
    }
}

impl Answer for PortfolioAnswer<'_> {
    fn answer(&self) -> String {
        /// The maximum number of lines for the members.
        const MAX_LINES: usize = 10;
        let PortfolioAnswer { pool, found, .. } = *self;
        let rows = self.mixtures().map(|(mixture, assessed)| {
            [mixture, small(assessed.exploitability), self.interval(assessed.interval)]
        });
        let rows = table_of(["mixture", "lost to best of pool", "95% interval"], &[1, 2], rows);
        let num_mixed = found.equilibrium.row_support().len();
        let [nash, uniform] =
            [&found.nash, &found.uniform].map(|assessed| small(assessed.exploitability));
        // Another mixture may be as hard to exploit.
        let of = match found.num_samples {
            0 => "In this pool",
            _ => "By the games played in this pool",
        };
        let weights = &found.nash.mixture;
        let heaviest = (0..weights.len()).max_by(|&i, &j| weights[i].total_cmp(&weights[j]));
        let name = &pool.members[heaviest.unwrap_or(0)].name;
        let what = match num_mixed {
            1 => format!("no mixture is harder to exploit than one strategy, {name}"),
            num => format!("nothing is harder to exploit than a mixture of {num} strategies"),
        };
        let verdict = format!(
            "{of} {what}: it loses {nash} to the best of the pool; equal shares lose {uniform}."
        );
        let written = written(self.out);
        let members = terminal().first_rows(MAX_LINES, pool.members.len(), |num| self.members(num));
        let last = terminal().ending(&written, &paragraph(&verdict));
        terminal().on_a_screen(&[self.about(), members, text(&rows)], &last)
    }

    fn page(&self) -> String {
        let PortfolioAnswer { args, pool, payoffs, found, num_fresh, .. } = *self;
        let names: Vec<&str> = pool.members.iter().map(|member| member.name.as_str()).collect();
        let mut page = self.about();
        page.push('\n');
        page += &text(&self.members(MAX_ROWS));
        if names.len() > MAX_ROWS {
            let _ = writeln!(page, "and {} more; --json lists all", names.len() - MAX_ROWS);
        }

        page.push('\n');
        let rows = self.mixtures().map(|(name, assessed)| {
            let exploiter =
                if assessed.exploitability > 1e-11 { names[assessed.best_response] } else { "-" };
            [
                name,
                small(assessed.exploitability),
                self.interval(assessed.interval),
                exploiter.into(),
                small(assessed.against_uniform),
                match exploitability(pool, assessed, args.seed) {
                    known if known.is_exact() => score(known.high, 4),
                    known => format!("[{}, {}]", score(known.low, 4), score(known.high, 4)),
                },
            ]
        });
        let header = ["mixture", "lost to best of pool", "95% interval", "best of pool"];
        let header = header.into_iter().chain(["against uniform", "exploitability"]);
        page += &text(&table_of(header, &[1, 2, 4, 5], rows));

        page.push('\n');
        let equilibrium = &found.equilibrium;
        let [fewest, most] = found.support_interval;
        page += &paragraph(&format!(
            "`lost to best of pool` is the score of the best strategy of the pool against the mixture, minus one half; \
             `exploitability` is the same for the best response among all strategies (`[low, high]` if it \
             is not known exactly; `ruse exploit` narrows the interval). The equilibrium of the scores mixes {} of {} strategies{}; it \
             guarantees {:.6}, and no strategy of the pool scores more than {:.6} against it (gap {}).",
            equilibrium.row_support().len(),
            names.len(),
            match found.num_samples {
                0 => String::new(),
                n => format!(" ({fewest} to {most} in 95% of {})", counted(n, "bootstrap sample")),
            },
            equilibrium.guaranteed,
            equilibrium.conceded,
            match equilibrium.gap() {
                gap if gap > 0.0 => format!("{gap:.0e}"),
                _ => "0".into(),
            },
        ));
        if found.num_samples > 0 {
            page += &paragraph(&format!(
                "The mixtures are chosen by {}, and their losses are estimated from {} played afterwards: the loss to \
                 the response that was best before, and 95% bounds of the loss to the best of the pool. `when redrawn` \
                 is the range of 95% of the weights in a bootstrap, which redraws all scores from the distributions \
                 that the games allow; it is not an interval of a true weight.",
                counted(payoffs.num_pairs(), "pair"),
                counted(num_fresh, "pair"),
            ));
        }
        page += &paragraph(&match &found.cycle {
            Some(cycle) => {
                let beats = cycle.iter().zip(cycle.iter().cycle().skip(1)).map(|(&i, &j)| {
                    format!("{} beats {} {}", names[i], names[j], bounds(payoffs.interval(i, j)))
                });
                format!("Superiority is cyclic: {}.", beats.collect::<Vec<_>>().join(", "))
            }
            None => "No cycle of strategies that each beat the next is proven.".into(),
        });
        page + &written(self.out)
    }

    fn object(&self) -> Value {
        let PortfolioAnswer { args, pool, payoffs, found, num_fresh, .. } = *self;
        let names: Vec<&str> = pool.members.iter().map(|member| member.name.as_str()).collect();
        let mean_scores = mean_scores(payoffs);
        let members = (0..names.len()).map(|i| {
            let (weight, interval) = (found.nash.mixture[i], found.weight_intervals[i]);
            json!({"name": names[i], "weight": weight, "interval": interval, "mean_score": mean_scores[i]})
        });
        let assessed = |assessed: &Assessed| {
            let bracket = exploitability(pool, assessed, args.seed);
            json!({
                "exploitability": assessed.exploitability,
                "loss_to_best_of_pool": assessed.exploitability,
                "exploitability_among_all": bracket.is_exact().then_some(bracket.high),
                "low": bracket.low,
                "high": bracket.high,
                "low_basis": bracket.low_basis,
                "high_basis": bracket.high_basis,
                "interval": assessed.interval,
                "against_uniform": assessed.against_uniform,
                "best_response": names[assessed.best_response],
            })
        };
        let equilibrium = &found.equilibrium;
        json!({
            "family": pool.family.name(),
            "seed": args.seed,
            "members": members.collect::<Vec<_>>(),
            "duplicates": pool.duplicates.len(),
            "pairs": payoffs.num_pairs() + num_fresh,
            "fresh_pairs": num_fresh,
            "value": equilibrium.value(),
            "guaranteed": equilibrium.guaranteed,
            "conceded": equilibrium.conceded,
            "gap": equilibrium.gap(),
            "support": equilibrium.row_support().len(),
            "support_interval": found.support_interval,
            "nash": assessed(&found.nash),
            "uniform": assessed(&found.uniform),
            "best_average": assessed(&found.best_average),
            "best_average_member": names[found.best_average_member],
            "cycle": found.cycle.as_ref().map(|cycle| cycle.iter().map(|&i| names[i]).collect::<Vec<_>>()),
            "bootstrap_samples": found.num_samples,
            "confidence": CONFIDENCE,
            "out": self.out,
        })
    }
}
