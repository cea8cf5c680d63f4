//! `ruse portfolio --online`: a bandit learns during play which strategy to choose.

use std::sync::Arc;

use ruse_base::rng::{Label, Stream, StreamKey};
use ruse_base::stop::StopSignal;
use ruse_lab::Pool;
use ruse_optimise::portfolio::{LearningPoint, LearningSchedule, NashPortfolio, learning_curve};
use ruse_play::arena::{Duel, League};
use ruse_play::score::{self, Until};
use ruse_strategies::PairResult;
use serde_json::{Value, json};

use super::arguments::PortfolioArgs;
use crate::cli::failure::{Failure, Result};
use crate::cli::format::{counted, grouped, paragraph, score, table_of, text};
use crate::cli::output::{self, Answer};

/// The number of pairs for estimating a member's score against the opponent, unless it is known exactly.
const SCORE_PAIRS: u64 = 2000;

/// Runs the bandit and prints its learning curve. The opponent is the last player of the league.
pub(super) fn online(
    args: &PortfolioArgs,
    pool: &Pool,
    league: &Arc<dyn League>,
    found: &NashPortfolio,
    key: StreamKey,
    stop: &StopSignal,
) -> Result {
    let num_members = pool.members.len();
    let opponent = num_members;
    let mut expected = Vec::new();
    for member in 0..num_members {
        let key = key.child(Label::Evaluation, 1 + member as u64);
        let duel = Duel::new(league, member, opponent);
        let (scored, played) = score::score(&duel, key, Until::Pairs(SCORE_PAIRS), stop, |_| ());
        played?;
        expected.push(scored.score().expect("pairs were played"));
    }
    // A round is a pair of games.
    let lessons = args.lessons(2);
    let play = |member: usize, run: StreamKey, round: u64, _: &mut Stream| {
        let mut result = [PairResult::default()];
        league.play(member, opponent, run, round, &mut result, stop)?;
        Ok(result[0].score())
    };
    let curve = learning_curve(lessons, &expected, key.child(Label::Request, 0), stop, play)
        .map_err(|_| Failure::Interrupted)?;

    let best =
        (1..num_members).fold(0, |best, i| if expected[i] > expected[best] { i } else { best });
    let loss_of = |mixture: &[f64]| {
        1.0 - mixture.iter().zip(&expected).map(|(weight, score)| weight * score).sum::<f64>()
    };
    let nash = loss_of(&found.nash.mixture);
    let uniform = loss_of(&found.uniform.mixture);
    let learned = Learned { args, pool, lessons, expected, curve, best, nash, uniform };
    output::write(&learned, args.played.json)
}

struct Learned<'a> {
    args: &'a PortfolioArgs,
    pool: &'a Pool,
    lessons: LearningSchedule,
    /// The score of each member against the opponent.
    expected: Vec<f64>,
    curve: Vec<LearningPoint>,
    best: usize,
    /// The losing rate of the Nash portfolio.
    nash: f64,
    /// The losing rate of the uniform mixture.
    uniform: f64,
}

impl Answer for Learned<'_> {
    fn page(&self) -> String {
        let Learned { args, pool, lessons, expected, curve, best, nash, uniform } = self;
        let against = args.against.as_deref().unwrap_or_default();
        let mut page = paragraph(&format!(
            "{}: {} strategies against {against}, {}, {} of {}, seed {}",
            pool.family.name(),
            grouped(pool.members.len() as u64),
            args.bandit.name(),
            counted(lessons.num_runs, "run"),
            counted(2 * lessons.num_rounds, "game"),
            args.seed,
        ));
        page.push('\n');
        let four = |rate: f64| score(rate, 4);
        let rows = curve.iter().map(|point| {
            let error = point.standard_error.map_or("-".into(), four);
            let games = grouped(2 * point.num_rounds);
            [games, four(point.losing_rate), error, four(point.recommended)]
        });
        let header = ["games", "losing rate", "standard error", "of the recommended"];
        page += &text(&table_of(header, &[0, 1, 2, 3], rows));
        page.push('\n');
        page += &paragraph(&format!(
            "Against {against} the Nash portfolio loses {}, the uniform mixture {}, and the best strategy ({}) {} of \
             the games; a draw is half a loss. Each losing rate is of the games since the previous row.",
            score(*nash, 4),
            score(*uniform, 4),
            pool.members[*best].name,
            score(1.0 - expected[*best], 4),
        ));
        page
    }

    fn object(&self) -> Value {
        let Learned { args, pool, lessons, expected, curve, best, nash, uniform } = self;
        let against = args.against.as_deref().unwrap_or_default();
        let points = curve.iter().map(|point| {
            json!({
                "games": 2 * point.num_rounds,
                "losing_rate": point.losing_rate,
                "standard_error": point.standard_error,
                "recommended": point.recommended,
            })
        });
        let members = pool.members.iter().zip(expected);
        let members = members.map(|(m, score)| json!({"name": m.name, "losing_rate": 1.0 - score}));
        json!({
            "family": pool.family.name(),
            "against": against,
            "bandit": args.bandit.name(),
            "seed": args.seed,
            "runs": lessons.num_runs,
            "games": 2 * lessons.num_rounds,
            "curve": points.collect::<Vec<_>>(),
            "nash": nash,
            "uniform": uniform,
            "best": pool.members[*best].name,
            "members": members.collect::<Vec<_>>(),
        })
    }
}
