//! Bounds on the number of games in a plan. They serve to warn a user who is about to start years of work by accident.

use ruse_play::score::max_pairs_to_half_width;

use super::kinds::seed_study::PoolPlan;
use super::language::comparison::MeetingsSpec;
use super::language::run::{Experiment, WorstCaseSearch};
use super::plan::Plan;

pub(crate) const PAIR: u64 = 2;

/// The kinds of games in a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Work {
    /// Runs play games to compare strategies.
    Learning,
    /// Incumbents play the baseline for learning curves.
    Curves,
    /// Champions play the baseline and the reference strategies.
    Scoring,
    /// Champions, or the members of a pool, play each other.
    Meetings,
    /// Bandits learn to choose a strategy. Their games are drawn from the meetings.
    Bandits,
}

impl Work {
    /// Returns a phrase that follows the number of games in a sentence. It names the keys that determine the number.
    pub fn in_words(self) -> &'static str {
        match self {
            Work::Learning => "games to learn (`budget`, `repeats`)",
            Work::Curves => "games for learning curves (`monitor-pairs`)",
            Work::Scoring => "games to score champions (`evaluation-pairs`)",
            Work::Meetings => "games of meetings (`half-width`, `repeats`, `pairs`)",
            Work::Bandits => "games that bandits learn from (`games`, `runs`)",
        }
    }
}

/// The amount of work in a plan. Numbers saturate at 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanSize {
    /// The number of runs, without the runs of bandits.
    pub num_runs: u64,
    /// Upper bounds on the number of games of each kind. Runs without a budget of games count as 0 games of learning.
    pub games: [(Work, u64); 5],
}

impl PlanSize {
    /// The maximum number of games without a warning: twelve days at a million games per second. Most games are slower.
    pub const MANY_GAMES: u64 = 1_000_000_000_000;
    /// The maximum number of runs without a warning: ten methods on ten families with a hundred seeds. Each run has a
    /// directory.
    pub const MANY_RUNS: u64 = 10_000;

    /// Returns the total number of games.
    pub fn num_games(&self) -> u64 {
        self.games.iter().fold(0, |sum, (_, games)| sum.saturating_add(*games))
    }

    /// Returns the kind with the most games.
    pub fn largest(&self) -> (Work, u64) {
        let [first, others @ ..] = self.games;
        others.into_iter().fold(first, |x, y| if y.1 > x.1 { y } else { x })
    }

    /// Returns `true` if the plan is probably larger than the user intends.
    pub fn is_huge(&self) -> bool {
        self.num_games() > Self::MANY_GAMES || self.num_runs > Self::MANY_RUNS
    }
}

fn product(factors: impl IntoIterator<Item = u64>) -> u64 {
    factors.into_iter().fold(1, u64::saturating_mul)
}

fn sum(terms: impl Iterator<Item = u64>) -> u64 {
    terms.fold(0, u64::saturating_add)
}

/// Returns the expected duration of a run, relative to a run with the family's default budget; 1 if its games are not
/// limited.
pub fn expected_length(experiment: &Experiment) -> f64 {
    let default_budget = experiment.family.info().default_budget as f64;
    experiment.budget.games.map_or(1.0, |games| games as f64 / default_budget)
}

impl Experiment {
    /// Returns the number of games in which the champion is scored: against the baseline, the scoring opponent if that
    /// is another player, every reference strategy, and the strongest opponent, including the search for it.
    pub fn num_scoring_games(&self) -> u64 {
        let num_others = u64::from(self.score_against.is_some());
        let num_opponents = 1 + num_others + self.family.references().len() as u64;
        let num_scoring = product([PAIR, self.evaluation_pairs, num_opponents]);
        let Some(WorstCaseSearch { share, .. }) = &self.worst_case else { return num_scoring };
        let num_searching = (self.budget.games.unwrap_or(0) as f64 * share) as u64;
        num_scoring.saturating_add(num_searching).saturating_add(PAIR * self.evaluation_pairs)
    }

    /// Returns the number of games for a learning curve with a point for the start and for each iteration, if
    /// iterations are limited.
    fn num_curve_games(&self) -> u64 {
        let num_points = self.budget.iterations.unwrap_or(0).saturating_add(1);
        product([PAIR, self.monitor_pairs, num_points])
    }
}

impl MeetingsSpec {
    /// Returns an upper bound on the number of games in a meeting in the family with this index.
    pub fn num_games_of_meeting(&self, family: usize) -> u64 {
        PAIR.saturating_mul(max_pairs_to_half_width(self.half_width_of_meeting(family)))
    }

    /// Returns an upper bound on the number of games between the champions of one family; 0 without meetings.
    pub fn num_games(&self, family: &str) -> u64 {
        let Some(family) = self.families.iter().position(|(name, _)| name == family) else {
            return 0;
        };
        self.num_games_of_meeting(family).saturating_mul(self.num_meetings_each())
    }
}

impl PoolPlan {
    /// Returns an upper bound on the number of games between the strategies of the pool.
    pub fn num_games(&self) -> u64 {
        product([PAIR, self.pairs, self.num_meetings()])
    }

    /// Returns the total number of games that bandits learn from in the pool.
    pub(crate) fn num_bandit_games(&self) -> u64 {
        product([self.study.bandits.len() as u64, self.study.num_runs, self.study.num_games])
    }
}

impl Plan {
    /// Returns the number of runs, and the known bounds on the games.
    pub fn size(&self) -> PlanSize {
        let of_runs = |games: &dyn Fn(&Experiment) -> u64| sum(self.runs.iter().map(games));
        let [meetings, bandits] = self.study.kind().num_games();
        PlanSize {
            num_runs: self.runs.len() as u64,
            games: [
                (Work::Learning, of_runs(&|run| run.budget.games.unwrap_or(0))),
                (Work::Curves, of_runs(&Experiment::num_curve_games)),
                (Work::Scoring, of_runs(&Experiment::num_scoring_games)),
                (Work::Meetings, meetings),
                (Work::Bandits, bandits),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use ruse_registry::Registry;

    use super::*;
    use crate::fixtures::plan;

    fn size(text: &str) -> PlanSize {
        plan(text).unwrap_or_else(|error| panic!("{text}: {error}")).size()
    }

    fn games(text: &str) -> [u64; 5] {
        size(text).games.map(|(_, games)| games)
    }

    #[test]
    fn games_are_added_up() {
        // War has three reference strategies: 2 * 100 * (1 + 3) = 800.
        let one = "family: war\nbudget: 1M\nevaluation-pairs: 100\nmonitor-pairs: 10\n";
        assert_eq!(games(one), [1_000_000, 20, 800, 0, 0]);
        assert_eq!(games(&format!("{one}iterations: 9")), [1_000_000, 200, 800, 0, 0]);
        // Each method and the championship get an equal share of the games.
        let num_methods = Registry::standard().general_methods().count() as u64;
        let share = 1_000_000 / (num_methods + 1);
        let all = [num_methods * share, 20 * num_methods, 800 * num_methods, share, 0];
        assert_eq!(games(&format!("{one}method: all")), all);
        // Two methods with three repeats have nine meetings. A meeting needs (.5 * 1.95996 / (.05 * 3))^2 = 42.7 pairs,
        // so the pilot of 64 pairs suffices.
        let several = "families: [war]\nmethods: [naive, seeds]\nrepeats: 3\nbudget: 1M\n\
                       evaluation-pairs: 100\nmonitor-pairs: 10\nhalf-width: 0.05\n";
        assert_eq!(games(several), [6_000_000, 120, 4_800, 2 * 64 * 9, 0]);
        assert_eq!(size(several).num_runs, 6);
        // Four seeds and two held-out seeds have 21 meetings.
        let pools = "portfolios: [{family: pig, random: [4], held-out: 2, pairs: 50}]\n\
                     bandits: [ucbt, exp3]\ngames: 1000\nruns: 10\n";
        assert_eq!(games(pools), [0, 0, 0, 2 * 50 * 21, 2 * 10 * 1000]);
        for text in [one, several, pools, "families: all"] {
            assert!(!size(text).is_huge(), "{text}");
        }
    }

    #[test]
    fn whatever_is_allowed_can_be_counted() {
        for (text, largest) in [
            ("family: war\nbudget: 1000000G", Work::Learning),
            ("family: war\nmonitor-pairs: 1000G", Work::Curves),
            ("family: war\nmonitor-pairs: 1000G\niterations: 1000G", Work::Curves),
            ("family: war\nevaluation-pairs: 1000G", Work::Scoring),
            ("families: [war]\nevaluation-pairs: 1000G\nrepeats: 1000", Work::Scoring),
            ("families: [war]\nhalf-width: 1e-300", Work::Meetings),
            ("portfolios: [{family: pig, random: [500], pairs: 1000G}]", Work::Meetings),
            ("portfolios: [{family: pig, random: [2]}]\ngames: 1000000G\nruns: 1M", Work::Bandits),
        ] {
            let size = size(text);
            assert!(size.is_huge(), "{text}: {size:?}");
            assert_eq!(size.largest().0, largest, "{text}: {size:?}");
        }
        assert_eq!(size("families: [war]\nhalf-width: 1e-300").num_games(), u64::MAX);
    }

    #[test]
    fn the_limits_are_allowed() {
        let one = |budget: u64| {
            let text =
                format!("family: war\nbudget: {budget}\nevaluation-pairs: 1\nmonitor-pairs: 1");
            size(&text).is_huge()
        };
        // The curve and the scores take ten more games: 2 + 2 * 4.
        assert!(!one(PlanSize::MANY_GAMES - 10));
        assert!(one(PlanSize::MANY_GAMES - 9));
        let repeats = |repeats: u64| {
            let methods = "[naive, iterative, seeds, cma-es, double-oracle]";
            let text = format!(
                "families: [pig, war]\nmethods: {methods}\nrepeats: {repeats}\nbudget: 2\nhalf-width: 0.5\n\
                 evaluation-pairs: 1\nmonitor-pairs: 1"
            );
            size(&text)
        };
        assert!(!repeats(1000).is_huge());
        assert_eq!(repeats(1000).num_runs, 10_000);
    }
}
