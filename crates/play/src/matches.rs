//! A match: pairs of games between two players, and all facts about its score.

use std::collections::BTreeMap;

use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{StopSignal, Stopped};
use ruse_programs::programs_are_steady;
use ruse_strategies::PairResult;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::arena::{Counted, Duel};
use crate::family::{AnyFamily, MatchError, Player};
use crate::score::{SampleMean, Scored, Tally, known, sample};

/// The minimum and the maximum number of pairs of games for estimating the mean goals. Fewer pairs have no useful
/// interval.
const GOAL_PAIRS: [u64; 2] = [30, 10_000];

/// A match between two players of a family.
#[derive(Clone, Copy)]
pub struct Match<'a> {
    /// The family.
    pub family: &'a dyn AnyFamily,
    /// The players.
    pub players: [&'a Player; 2],
    /// The duel of the players.
    pub duel: &'a Duel,
    /// The same duel, if its decisions are recorded.
    pub counted: Option<&'a Counted<'a>>,
    /// The number of pairs to play if the score is not known exactly.
    pub pairs: u64,
    /// The number of pairs to play if the score is known exactly.
    pub exact_pairs: u64,
    /// Whether a player is elsewhere. Such a player plays only the pairs that count.
    pub is_elsewhere: bool,
    /// Whether the mean goals are of interest, which may take as many games again.
    pub with_goals: bool,
    /// The seed of all random numbers.
    pub seed: u64,
}

/// The result of a match, from the point of view of the first player.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MatchResult {
    /// The pairs played, and the exact score, if it is known.
    pub scored: Scored,
    /// The results in each family of a set, by name; empty for other families.
    pub by_family: BTreeMap<String, Tally>,
    /// The mean goals of the players; `None` if they are not known, or add up to a constant.
    pub goals: Option<[SampleMean; 2]>,
    /// Whether the same match has the same games again.
    pub is_reproducible: bool,
    /// Whether several pairs were played with a program or a player elsewhere, and all had the same results.
    pub is_one_pair: bool,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The reason why the match was stopped before its end, if it was.
    pub stopped: Option<Stopped>,
}

impl Match<'_> {
    /// Returns the stream of the deals.
    pub fn key(&self) -> StreamKey {
        StreamKey::root(self.seed).child(Label::Match, 0)
    }
}

/// Plays a match. `on_results` receives the number of pairs to play, and the results of all pairs in order, one block at
/// a time.
///
/// # Errors
///
/// Returns an error if a player does not belong to the family, or if the match was stopped before its first pair.
pub fn play_match(
    game: &Match<'_>,
    stop: &StopSignal,
    mut on_results: impl FnMut(u64, &[PairResult]),
) -> Result<MatchResult, MatchError> {
    let Match { family, players: [a, b], duel, is_elsewhere, seed, .. } = *game;
    let key = game.key();
    let has_program = [a, b].iter().any(|player| !player.programs().is_empty());
    // A game with a program or a player elsewhere is not played only to see whether it is always the same.
    let known = if is_elsewhere || has_program { None } else { known(duel, key, stop)? };
    let exact = known.and_then(|scored| scored.exact);
    let num_pairs = if exact.is_some() { game.exact_pairs } else { game.pairs };
    let mut num_played = 0;
    let (mut first_result, mut is_one_pair) = (None, has_program || is_elsewhere);
    let mut by_family = BTreeMap::<String, Tally>::new();
    let on_block = |results: &[PairResult]| {
        for (pair, &result) in (num_played..).zip(results) {
            if let Some(set) = family.capabilities().set {
                by_family.entry(set.drawn(key, pair).name().into()).or_default().add(result);
            }
        }
        is_one_pair &= results.iter().all(|of| of == first_result.get_or_insert(*of));
        num_played += results.len() as u64;
        on_results(num_pairs, results);
    };
    let (tally, played) = match game.counted {
        Some(counted) => sample(counted, key, num_pairs, stop, on_block),
        None => sample(duel, key, num_pairs, stop, on_block),
    };
    let mut stopped = played.err();
    // Goals that are not computed are measured in the same games, played again; a player elsewhere would play other
    // games.
    let may_repeat = stopped.is_none() && !is_elsewhere && num_pairs >= GOAL_PAIRS[0];
    let computed = exact.map(|_| 0);
    let measured = may_repeat.then_some(num_pairs.min(GOAL_PAIRS[1]));
    let mut goals = None;
    for pairs in computed.into_iter().chain(measured).filter(|_| game.with_goals) {
        let Some(measures) = family.capabilities().measures else { break };
        match measures.mean_goals(a, b, key, pairs, stop) {
            // The score is known even if the goals are not.
            Err(MatchError::Stopped(reason)) => stopped = Some(reason),
            found => goals = found?,
        }
        if goals.is_some() {
            break;
        }
    }
    let is_timed = a.thinks_by_the_clock() || b.thinks_by_the_clock();
    let is_steady = !has_program || programs_are_steady();
    Ok(MatchResult {
        scored: Scored { tally, exact },
        by_family,
        goals,
        is_reproducible: !is_timed && is_steady && family.is_reproducible(),
        is_one_pair: is_one_pair && num_played > 1,
        seed,
        stopped,
    })
}

/// Writes one object, as `ruse match --json` does.
impl Serialize for MatchResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Scored { tally, exact } = &self.scored;
        let estimate = self.scored.estimate();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("pairs", &tally.num_pairs())?;
        map.serialize_entry("wins", &tally.wins())?;
        map.serialize_entry("draws", &tally.draws())?;
        map.serialize_entry("losses", &tally.losses())?;
        map.serialize_entry("score", &estimate.map(|of| of.score))?;
        map.serialize_entry("exact", &exact.is_some())?;
        map.serialize_entry("reproducible", &self.is_reproducible)?;
        map.serialize_entry("interval", &estimate.map(|of| of.interval))?;
        map.serialize_entry("confidence", &estimate.map(|of| of.confidence))?;
        map.serialize_entry("seed", &self.seed)?;
        if let Some(goals) = &self.goals {
            let goals = goals
                .map(|of| json!({"mean": of.mean, "interval": of.interval(), "pairs": of.count}));
            map.serialize_entry("goals", &goals)?;
        }
        if !self.by_family.is_empty() {
            let of_family = |(family, tally): (&String, &Tally)| {
                let of = tally.estimate().expect("there are pairs");
                json!({"family": family, "score": of.score, "interval": of.interval, "pairs": of.pairs})
            };
            map.serialize_entry(
                "families",
                &self.by_family.iter().map(of_family).collect::<Vec<Value>>(),
            )?;
        }
        map.end()
    }
}
