//! The arguments of `ruse portfolio`.

use std::path::PathBuf;

use clap::Args;
use ruse_base::rng::StreamKey;
use ruse_lab::{Pool, StrategyFile, parse_contestant, varied_parameter};
use ruse_optimise::portfolio::{Effort, LearningSchedule};
use ruse_play::family::Player;
use ruse_registry::Registry;
use ruse_search::bandit::BanditName;

use crate::cli::arguments::{PlayedArgs, one_of, parse_games, parse_pairs, parse_seed};
use crate::cli::failure::{Failure, Result};

/// Mix strategies so that none of them can exploit the mixture
#[derive(Debug, Args)]
#[command(after_help = "\
`lost to best of pool` is what the best strategy of the pool scores against the mixture beyond one half: the Nash portfolio \
is the mixture that loses least. `when redrawn` are the weights in 95% of bootstrap samples of the games.")]
pub(crate) struct PortfolioArgs {
    /// Strategy files, directories of runs, and reference strategies; the family may be named first. With --random: a
    /// family, or with --vary a strategy file
    #[arg(value_name = "FILE|DIR|NAME", required = true)]
    pub(super) sources: Vec<PathBuf>,
    /// Take all accepted strategies of the runs, not only their champions
    #[arg(long)]
    pub(super) population: bool,
    /// Take K strategies of the family with random parameters
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(2..=1000),
          conflicts_with = "population")]
    pub(super) random: Option<u64>,
    /// Draw only this parameter at random, for example a seed; the others are from the strategy file, or zero for a family
    #[arg(long, value_name = "PARAMETER", requires = "random")]
    pub(super) vary: Option<String>,
    /// Mean number of pairs of games between two strategies; the mixture is chosen on four fifths of the pairs, and
    /// scored on the others [default: 200]
    #[arg(long, value_name = "N", value_parser = parse_pairs, allow_hyphen_values = true)]
    pub(super) pairs: Option<u64>,
    /// Games in all, instead of --pairs
    #[arg(long, value_name = "N", value_parser = parse_games, allow_hyphen_values = true,
          conflicts_with = "pairs")]
    pub(super) budget: Option<u64>,
    /// The opponent of a bandit; the bandit learns during play which strategy to choose
    #[arg(long, value_name = "STRATEGY", requires = "online")]
    pub(super) against: Option<String>,
    /// Learn during play, with --against
    #[arg(long, requires = "against")]
    pub(super) online: bool,
    /// The bandit that learns: ucbt (of the paper), ucb1, ucb-tuned, thompson or exp3
    #[arg(long, value_name = "B", default_value = BanditName::ALL[0].name(),
          value_parser = one_of(BanditName::ALL, BanditName::name), hide_possible_values = true)]
    pub(super) bandit: BanditName,
    /// Games that a run learns from [default: 1024]
    #[arg(long, value_name = "N", value_parser = parse_games, allow_hyphen_values = true)]
    pub(super) games: Option<u64>,
    /// Number of runs over which learning curves are averaged, and of repetitions over which held-out scores are
    /// averaged
    #[arg(long, value_name = "R", default_value_t = 1000,
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(super) runs: u64,
    /// Run the random-seed experiment: mixtures of up to K strategies of --random play against H further strategies
    #[arg(long, value_name = "H", value_parser = clap::value_parser!(u64).range(1..=500),
          requires = "random", conflicts_with_all = ["online", "against"])]
    pub(super) held_out: Option<u64>,
    /// Write the portfolio to this new file, as a strategy that draws a member for every pair of games; or, with
    /// --held-out, the data of the figures to this new directory
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// The seed of all random numbers
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = parse_seed, allow_hyphen_values = true)]
    pub(super) seed: u64,
    #[command(flatten)]
    pub(crate) played: PlayedArgs,
}

/// The default mean number of pairs of games between two members.
const DEFAULT_PAIRS: u64 = 200;
/// One in `FRESH_IN` pairs is played after the choice of mixtures, to score them.
pub(super) const FRESH_IN: u64 = 5;
/// The number of rounds after the first. They give pairs only to meetings that matter to the equilibrium.
const NUM_ROUNDS: u32 = 8;
/// The default number of games that a bandit learns from.
const DEFAULT_GAMES: u64 = 1024;
/// The maximum number of rows in a table. Longer tables are hard to read.
pub(super) const MAX_ROWS: usize = 40;

impl PortfolioArgs {
    pub(super) fn pool(&self, registry: &Registry) -> Result<Pool> {
        let source = self.sources.first().filter(|_| !self.played.rules.rules.is_empty());
        let family = source.and_then(|source| {
            let named = registry.family(&source.to_string_lossy());
            // A source that does not name a family is a file that does.
            named.ok().or_else(|| StrategyFile::read(source).ok()?.family(registry).ok())
        });
        let rules = family.map(|family| self.played.rules.values(family.as_ref())).transpose()?;
        let rules = rules.unwrap_or_default();
        let Some(size) = self.random else {
            return Ok(Pool::read(&self.sources, self.population, &rules, registry)?);
        };
        let [source] = self.sources.as_slice() else {
            return Err(Failure::bad_input("--random expects the name of one family"));
        };
        let text = source.to_string_lossy();
        let (family, others) = match (registry.family(&text), &self.vary) {
            (Err(_), Some(_)) if source.exists() => {
                let mut file = StrategyFile::read(source)?;
                file.rules.extend(rules);
                let family = file.family(registry)?.with_rules(&file.rules)?;
                let Player::Parameters(theta) = parse_contestant(&text, family.as_ref())? else {
                    return Err(Failure::bad_input("--vary expects a strategy with parameters"));
                };
                (family, theta)
            }
            (family, _) => {
                let family = self.played.rules.apply(family?.as_ref())?;
                let dimension = family.space().dimension();
                (family, vec![0.0; dimension])
            }
        };
        let varied = self.vary.as_ref().map(|name| varied_parameter(family.as_ref(), name));
        let varied = varied.transpose()?.map(|index| (index, others));
        let size = size + self.held_out.unwrap_or(0);
        Ok(Pool::random(family, varied.as_ref(), size, StreamKey::root(self.seed)))
    }

    pub(super) fn lessons(&self, games_per_round: u64) -> LearningSchedule {
        LearningSchedule {
            bandit: self.bandit,
            num_rounds: (self.games.unwrap_or(DEFAULT_GAMES) / games_per_round).max(1),
            num_runs: self.runs,
        }
    }

    pub(super) fn effort(&self, num_members: usize) -> Effort {
        let num_meetings = (num_members * num_members.saturating_sub(1) / 2) as u64;
        let pairs = match self.budget {
            Some(games) => games / 2 / num_meetings.max(1),
            None => self.pairs.unwrap_or(DEFAULT_PAIRS),
        };
        Effort { pairs_per_meeting: pairs.max(1), num_rounds: NUM_ROUNDS, with_self: false }
    }
}
