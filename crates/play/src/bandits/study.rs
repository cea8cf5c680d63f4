//! Measures the regret of strategies over many runs.

use std::sync::OnceLock;

use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{StopSignal, Stopped};
use ruse_search::bandit::cmab::Sampler;

use super::{Choice, MissingUrgency, Playground};
use crate::arena::in_turn;
use crate::score::{CONFIDENCE, SampleMean, score_interval_at};

/// The reason why a study has no results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error(transparent)]
pub enum StudyError {
    /// A stop was requested.
    Stopped(#[from] Stopped),
    /// The expected reward of a new arm, for first play urgency, is unknown.
    MissingUrgency(#[from] MissingUrgency),
}

/// The strategies that pull arms, and the number of pulls and runs.
#[derive(Debug, Clone, Copy)]
pub struct Study<'a> {
    /// The strategies.
    pub strategies: &'a [Choice],
    /// The numbers of pulls in a run; each number is at least 1. Runs with different budgets are separate, because a
    /// strategy may depend on its budget.
    pub budgets: &'a [u64],
    /// The number of runs of each strategy with each budget. It is at least 1.
    pub num_runs: u64,
    /// The number of fresh pulls from which the mean of a recommended arm is estimated if it is unknown; at least 1.
    /// All strategies use the same random numbers for these pulls.
    pub num_judging: u64,
}

/// The regret of a strategy with a budget, if the best arm is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regret {
    /// The mean of the best arm minus the mean of the recommended arm.
    pub simple: SampleMean,
    /// The mean of the best arm minus the mean of the pulled arm, summed over all pulls.
    pub cumulative: SampleMean,
    /// The share of runs in which a best arm was recommended.
    pub optimum: f64,
    /// Bounds on the probability that a best arm is recommended.
    pub optimum_interval: [f64; 2],
}

/// The results of a strategy with a budget.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The strategy, as written by the user.
    pub strategy: String,
    /// The number of pulls of a run.
    pub budget: u64,
    /// The expected reward of the recommended arm, estimated from fresh pulls if it is unknown.
    pub recommended: SampleMean,
    /// The mean reward of a pull, computed from the expected rewards of the arms if these are known.
    pub reward: SampleMean,
    /// The number of different arms pulled.
    pub num_arms: SampleMean,
    /// The regret, if the best arm is known.
    pub regret: Option<Regret>,
    /// The gap to the best strategy at this budget: the strategy whose recommended arms have the highest mean. It is
    /// `None` for the best strategy itself, and for all strategies if the best arm is known. The gap is the mean of the
    /// arm that the best strategy recommends, minus the mean of the arm that this strategy recommends, averaged over
    /// pairs of runs with the same random numbers. The interval of a small gap is too narrow, because another strategy
    /// may be the best in other runs.
    pub behind: Option<SampleMean>,
}

#[derive(Debug, Clone, Copy)]
struct Outcome {
    recommended: f64,
    reward: f64,
    num_arms: f64,
}

/// The number of pulls between two checks for a stop request.
const PULLS_PER_CHECK: u64 = 256;
/// The difference below which two means are considered equal: they may be sums of the same terms in different orders.
const ROUNDING: f64 = 1e-9;

impl Study<'_> {
    /// Carries out the runs of every strategy with every budget. Rows are ordered by strategy, then by budget. `on_run`
    /// is called after every run, from any thread. The results do not depend on the number of threads. If the study is
    /// stopped, they are the results of the first runs, as many as all strategies have finished.
    ///
    /// # Errors
    ///
    /// Returns an error if the study was stopped before all strategies had finished a run, or if a strategy with first play urgency needs the expected reward of
    /// a new arm and this reward is unknown.
    ///
    /// # Panics
    ///
    /// Panics if a budget, the number of runs, or the number of judging pulls is 0.
    pub fn run<G: Playground>(
        &self,
        playground: &G,
        key: StreamKey,
        stop: &StopSignal,
        on_run: impl Fn() + Sync,
    ) -> Result<Vec<Row>, StudyError> {
        assert!(self.num_runs > 0, "there is a run");
        assert!(self.num_judging > 0, "there is a pull to judge by");
        let cells: Vec<(&Choice, u64)> = self
            .strategies
            .iter()
            .flat_map(|choice| self.budgets.iter().map(move |&budget| (choice, budget)))
            .collect();
        // All strategies are begun once before the first run, so that a strategy that cannot begin is detected early.
        cells
            .iter()
            .try_for_each(|(choice, budget)| choice.begin(playground, *budget).map(drop))?;
        let runs: Vec<(u64, usize, OnceLock<Outcome>)> = (0..self.num_runs)
            .flat_map(|run| (0..cells.len()).map(move |cell| (run, cell, OnceLock::new())))
            .collect();
        let done = in_turn(&runs, stop, |(run, cell, outcome)| {
            let (choice, budget) = cells[*cell];
            let key = key.child(Label::Bandit, *run).child(Label::Request, budget);
            // It is set only here.
            let _ = outcome.set(self.run_once(playground, choice, budget, key, stop)?);
            on_run();
            Ok(())
        });
        let mut outcomes = vec![Vec::new(); cells.len()];
        for of_run in runs.chunks(cells.len()) {
            let of_run: Option<Vec<Outcome>> =
                of_run.iter().map(|it| it.2.get().copied()).collect();
            let Some(of_run) = of_run else { break };
            outcomes.iter_mut().zip(of_run).for_each(|(of, outcome)| of.push(outcome));
        }
        if outcomes.iter().any(Vec::is_empty) {
            done?;
        }
        let outcomes: Vec<&[Outcome]> = outcomes.iter().map(Vec::as_slice).collect();
        let mut rows: Vec<Row> = cells
            .iter()
            .zip(&outcomes)
            .map(|((choice, budget), of)| row(playground, choice, *budget, of))
            .collect();
        if playground.best_mean().is_none() {
            compare(&mut rows, &outcomes);
        }
        Ok(rows)
    }

    /// Carries out one run: `budget` pulls, followed by a recommendation. Choices and rewards have separate streams,
    /// which are the same for all strategies.
    fn run_once<G: Playground>(
        &self,
        playground: &G,
        choice: &Choice,
        budget: u64,
        key: StreamKey,
        stop: &StopSignal,
    ) -> Result<Outcome, Stopped> {
        let problem = playground.problem();
        let mut sampler = choice.begin(playground, budget).expect("it has begun before");
        let mut choices = key.child(Label::Choice, 0).stream();
        let mut chance = key.child(Label::Chance, 0).stream();
        let mut arm = playground.special().to_vec();
        let mut scratch = G::Scratch::default();
        let mut sum = 0.0;
        for pull in 0..budget {
            if pull % PULLS_PER_CHECK == 0 {
                stop.check()?;
            }
            sampler.choose(problem, &mut choices, &mut arm);
            let reward = playground.pull(&arm, &mut scratch, &mut chance);
            sampler.observe(&arm, reward);
            sum += playground.mean(&arm).unwrap_or(reward);
        }
        let is_there = sampler.recommend(&mut arm);
        assert!(is_there, "a strategy recommends an arm after its pulls");
        let mut judged = || {
            let mut fresh = key.child(Label::Evaluation, 0).stream();
            let pull = |_| playground.pull(&arm, &mut scratch, &mut fresh);
            (0..self.num_judging).map(pull).sum::<f64>() / self.num_judging as f64
        };
        let recommended = playground.mean(&arm).unwrap_or_else(&mut judged);
        let (reward, num_arms) = (sum / budget as f64, sampler.num_arms() as f64);
        Ok(Outcome { recommended, reward, num_arms })
    }
}

/// Sets `behind` in every row: compares each row with the row that has the highest mean at the same budget.
fn compare(rows: &mut [Row], outcomes: &[&[Outcome]]) {
    for index in 0..rows.len() {
        let rivals = (0..rows.len()).filter(|&other| rows[other].budget == rows[index].budget);
        // If several rows have the highest mean, the first of these rows is chosen.
        let first = rivals.reduce(|first, other| {
            let is_higher = rows[other].recommended.mean > rows[first].recommended.mean;
            if is_higher { other } else { first }
        });
        let first = first.expect("the row itself is one");
        let pairs = outcomes[first].iter().zip(outcomes[index]);
        let behind: Vec<f64> =
            pairs.map(|(first, own)| first.recommended - own.recommended).collect();
        rows[index].behind = SampleMean::of(&behind).filter(|_| first != index);
    }
}

fn row<G: Playground>(playground: &G, choice: &Choice, budget: u64, runs: &[Outcome]) -> Row {
    let mean = |of: &dyn Fn(&Outcome) -> f64| {
        let values: Vec<f64> = runs.iter().map(of).collect();
        SampleMean::of(&values).expect("there is a run")
    };
    let regret = playground.best_mean().map(|best| {
        // The regret of a best arm is exactly 0, regardless of the order in which its values are added.
        let regret = |mean: f64| if (best - mean).abs() < ROUNDING { 0.0 } else { best - mean };
        let num_best = runs.iter().filter(|run| regret(run.recommended) <= 0.0).count() as u64;
        let num_others = runs.len() as u64 - num_best;
        Regret {
            simple: mean(&|run| regret(run.recommended)),
            cumulative: mean(&|run| regret(run.reward) * budget as f64),
            optimum: num_best as f64 / runs.len() as f64,
            optimum_interval: score_interval_at(CONFIDENCE, &[(0.0, num_others), (1.0, num_best)]),
        }
    });
    Row {
        strategy: choice.text.clone(),
        budget,
        recommended: mean(&|run| run.recommended),
        reward: mean(&|run| run.reward),
        num_arms: mean(&|run| run.num_arms),
        regret,
        behind: None,
    }
}

#[cfg(test)]
mod tests {
    use ruse_base::notation::Notation;
    use ruse_search::bandit::cmab::{Synthetic, SyntheticSpec};

    use super::super::Given;
    use super::*;

    fn problem() -> Synthetic {
        let means = vec![vec![0.1, 0.3], vec![0.2, 0.4, 0.1]];
        let spec = SyntheticSpec { means, sigma: 0.1, ..SyntheticSpec::default() };
        Synthetic::new(&spec).expect("numbers")
    }

    fn choices(text: &str) -> Vec<Choice> {
        let list = Notation::parse_list(text).expect("well formed");
        list.iter().map(|one| Choice::read(one).expect("a strategy")).collect()
    }

    fn study<G: Playground>(playground: &G, text: &str, num_runs: u64) -> Vec<Row> {
        let strategies = choices(text);
        let study =
            Study { strategies: &strategies, budgets: &[1, 60], num_runs, num_judging: 200 };
        let (key, stop) = (StreamKey::root(3), StopSignal::default());
        study.run(playground, key, &stop, || ()).expect("not stopped")
    }

    /// Six arms have the means .3, .5, .2, .5, .7 and .4. Calculated by hand, the regret of a random arm is .7 - 2.6 /
    /// 6 = .26667 per pull, with a standard deviation of .1599 over arms. For 400 runs of 60 pulls the standard error
    /// of the sum is sqrt(60) .1599 / 20 = .0619; 4.5 standard errors are exceeded for one seed in 150,000.
    #[test]
    fn random_arms_regret_what_they_are_worth() {
        let problem = problem();
        let best = problem.optimum().map(|best| best.mean);
        let playground = Given { problem: &problem, best, urgency: None };
        let rows = study(&playground, "random", 400);
        let regret = rows[1].regret.expect("the best arm is known");
        assert!((regret.cumulative.mean - 16.0).abs() < 4.5 * 0.0619, "{regret:?}");
        assert!((rows[1].reward.mean - (0.7 - 16.0 / 60.0)).abs() < 0.005);
        let sum = regret.simple.mean + rows[1].recommended.mean;
        assert!((sum - 0.7).abs() < 1e-9, "{sum}");
        // With one pull, the pulled arm is recommended, which is the best arm in a sixth of the runs.
        let one = rows[0].regret.expect("the best arm is known");
        assert_eq!((one.simple.mean, rows[0].num_arms.mean), (one.cumulative.mean, 1.0));
        let [low, high] = one.optimum_interval;
        assert!(low < 1.0 / 6.0 && 1.0 / 6.0 < high, "{one:?}");
    }

    /// A problem that hides its means, so each recommended arm is estimated by 200 fresh pulls, with a standard error
    /// of .1 / sqrt(200) = .0071.
    struct Hidden<'a>(Given<'a>);

    impl Playground for Hidden<'_> {
        type Problem = Synthetic;
        type Scratch = ();

        fn problem(&self) -> &Synthetic {
            self.0.problem()
        }

        fn special(&self) -> &[u16] {
            self.0.special()
        }

        fn pull<R: rand::Rng>(&self, arm: &[u16], (): &mut (), rng: &mut R) -> f64 {
            self.0.pull(arm, &mut (), rng)
        }

        fn mean(&self, _: &[u16]) -> Option<f64> {
            None
        }

        fn best_mean(&self) -> Option<f64> {
            None
        }

        fn urgency(&self) -> Option<f64> {
            None
        }
    }

    /// If the means are hidden, the pulls stay the same, and only the reported means are estimates. Over 20 runs, the
    /// standard error is .0016 for the mean of the recommended arms, and .0029 for the mean of the 1200 rewards.
    #[test]
    fn unknown_means_are_estimated_by_fresh_pulls() {
        let problem = problem();
        let known = Given { problem: &problem, best: Some(0.7), urgency: None };
        let (known, hidden) = (study(&known, "ns", 20), study(&Hidden(known), "ns", 20));
        assert_eq!(hidden[1].regret, None);
        assert_eq!(hidden[1].num_arms, known[1].num_arms);
        assert_ne!(hidden[1].recommended, known[1].recommended);
        assert!((hidden[1].recommended.mean - known[1].recommended.mean).abs() < 5.0 * 0.0016);
        assert!((hidden[1].reward.mean - known[1].reward.mean).abs() < 5.0 * 0.0029);
    }

    #[test]
    fn first_play_urgency_has_to_come_from_somewhere() {
        let problem = problem();
        let playground = Given { problem: &problem, best: None, urgency: None };
        let strategies = choices("random,ucb1-fpu:c=.1");
        let study = Study { strategies: &strategies, budgets: &[5], num_runs: 1, num_judging: 1 };
        let (key, stop) = (StreamKey::root(3), StopSignal::default());
        let error = study.run(&playground, key, &stop, || ()).expect_err("`f` is unknown");
        assert!(error.to_string().starts_with("`ucb1-fpu:c=.1` has no option `f`"), "{error}");
        assert!(choices("ucb1-fpu:f=.7")[0].begin(&playground, 5).is_ok());
    }
}
