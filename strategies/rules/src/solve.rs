//! Equilibria of small games from rule files.
//!
//! The game is turned into its sequence form (von Stengel 1996). A sequence is the list of a role's moves in its
//! situations; the payoff matrix has an entry for each pair of sequences that ends plays. Predictive CFR+ with
//! alternating updates and quadratic averaging (Farina, Kroer & Sandholm, *Faster game solving via predictive Blackwell
//! approachability*, AAAI 2021) minimises the regret of each situation. The gap is exact: the same matrix gives the
//! best responses to the averages.
//!
//! An iteration takes time proportional to the entries of the matrix and to the number of sequences.

use std::collections::BTreeMap;
use std::sync::Arc;

use ruse_games::rule_file::{Position, RuleFile, Walk};
use ruse_gdl::{MoveId, PlayError, RoleId};
use ruse_strategies::certificate::Work;

use super::policy::normalise;
use super::situations::{Counter, Situations, SituationsError};

/// The reason why a game has no solution here.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The game is too large, or the file has a fault.
    #[error(transparent)]
    Situations(#[from] SituationsError),
    /// The goals of the two roles do not always have the same sum.
    #[error(
        "the goals add up to {} in one play and to {} in another: what one role wins, the other does not lose, so an \
         equilibrium has no value", sums[0], sums[1]
    )]
    NotConstantSum {
        /// Two sums of goals.
        sums: [u32; 2],
    },
    /// The file has one role, or three or more.
    #[error("the file has {num_roles} role{} besides `random`, and not two", if *num_roles == 1 { "" } else { "s" })]
    Roles {
        /// The number of roles besides `random`.
        num_roles: usize,
    },
}

impl From<PlayError> for SolveError {
    fn from(error: PlayError) -> SolveError {
        SituationsError::from(error).into()
    }
}

/// Returns the goals of both roles in the final position entered last. Checks that their sum is `sum`, or sets it.
pub(super) fn sum_of_goals(walk: &Walk, sum: &mut Option<u32>) -> Result<[f64; 2], SolveError> {
    let roles = walk.game().roles();
    let goals = [walk.goal(roles[0])?, walk.goal(roles[1])?];
    let found = goals.map(u32::from).iter().sum();
    let expected = *sum.get_or_insert(found);
    match found == expected {
        true => Ok(goals.map(f64::from)),
        false => Err(SolveError::NotConstantSum { sums: [expected, found] }),
    }
}

/// A situation in the sequence form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The sequence that leads to the situation.
    pub(super) parent: usize,
    /// The sequence that ends with the first move of the situation.
    pub(super) first: usize,
    pub(super) num_moves: usize,
    /// The index of the first move among the moves of all situations.
    parameter: usize,
}

impl Place {
    /// Returns the value of the best move, where each sequence has a value.
    pub(super) fn best(&self, values: &[f64]) -> f64 {
        let moves = &values[self.first..self.first + self.num_moves];
        moves.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }
}

/// The payoffs to one role, as rows of (sequence of the other role, payoff times the probability of chance).
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    starts: Vec<usize>,
    entries: Vec<(u32, f64)>,
}

impl Rows {
    /// Creates the rows from entries that are sorted by row.
    fn new(num_rows: usize, entries: impl Iterator<Item = (u32, u32, f64)>) -> Rows {
        let mut rows = Rows { starts: vec![0], entries: Vec::new() };
        for (row, column, payoff) in entries {
            while rows.starts.len() <= row as usize {
                rows.starts.push(rows.entries.len());
            }
            rows.entries.push((column, payoff));
        }
        rows.starts.resize(num_rows + 1, rows.entries.len());
        rows
    }

    pub(super) fn row(&self, row: usize) -> &[(u32, f64)] {
        &self.entries[self.starts[row]..self.starts[row + 1]]
    }

    /// Sets `sums` to the payoff of each row against a plan of the other role.
    fn multiply(&self, plan: &[f64], sums: &mut Vec<f64>) {
        let payoff = |&(column, payoff): &(u32, f64)| payoff * plan[column as usize];
        sums.clear();
        sums.extend(
            (1..self.starts.len()).map(|end| self.row(end - 1).iter().map(payoff).sum::<f64>()),
        );
    }
}

/// The state of one role.
#[derive(Debug, Clone, Default)]
pub(super) struct Side {
    /// The situations, each after the situations that lead to it.
    pub(super) places: Vec<Place>,
    pub(super) rows: Rows,
    /// The regrets, and the last change of the regrets, by sequence.
    regrets: Vec<f64>,
    changes: Vec<f64>,
    /// The probability of the last move of a sequence, by sequence.
    shares: Vec<f64>,
    /// The probability that the role makes all moves of a sequence, by sequence; its weighted sum is in the next field.
    plan: Vec<f64>,
    pub(super) average: Vec<f64>,
    values: Vec<f64>,
}

/// A game in the course of its solution.
#[derive(Debug, Clone)]
pub struct Solver {
    situations: Arc<Situations>,
    pub(super) sides: [Side; 2],
    num_iterations: u64,
    /// The smallest and the largest payoff of a play.
    payoff_range: [f64; 2],
}

/// The sequence form under construction.
struct Builder<'a> {
    counter: Counter<'a>,
    walk: Walk,
    situations: Arc<Situations>,
    /// For each situation, the sequence that ends with its first move.
    firsts: Vec<usize>,
    places: [Vec<Place>; 2],
    num_sequences: [usize; 2],
    payoffs: BTreeMap<(u32, u32), f64>,
    payoff_range: [f64; 2],
    sum_of_goals: Option<u32>,
}

impl Builder<'_> {
    /// Adds a position reached by these sequences, if chance has this probability.
    fn add(
        &mut self,
        position: &Position,
        sequences: [usize; 2],
        probability: f64,
    ) -> Result<(), SolveError> {
        let roles: Vec<RoleId> = self.walk.game().roles().to_vec();
        if self.walk.enter(position)? {
            let [own, other] = sum_of_goals(&self.walk, &mut self.sum_of_goals)?;
            // The score of the first role beyond one half.
            let payoff = (own - other) / 200.0;
            let [least, most] = self.payoff_range;
            self.payoff_range = [least.min(payoff), most.max(payoff)];
            let [first, second] = sequences.map(|sequence| sequence as u32);
            *self.payoffs.entry((first, second)).or_default() += probability * payoff;
            return Ok(());
        }
        // For each role, the first sequence of its situation, or `None` without a choice.
        let mut firsts = [None; 2];
        for (side, &role) in roles.iter().enumerate() {
            let view = self.walk.view(position, role);
            let Some(index) = self.situations.find(&view) else { continue };
            if self.firsts[index] == 0 {
                let num_moves = view.legal().len();
                let first = self.num_sequences[side];
                self.num_sequences[side] += num_moves;
                self.firsts[index] = first;
                let parameter = self.situations.all()[index].first;
                let parent = sequences[side];
                self.places[side].push(Place { parent, first, num_moves, parameter });
            }
            firsts[side] = Some(self.firsts[index]);
        }
        let random = self.walk.game().language_rules().random();
        let share = random.map_or(1.0, |role| 1.0 / self.walk.legal(role).len() as f64);
        let legal: Vec<Vec<MoveId>> =
            roles.iter().map(|&role| self.walk.legal(role).to_vec()).collect();
        for joint in self.walk.joint_moves() {
            let mut after = sequences;
            for (side, &role) in roles.iter().enumerate() {
                if let Some(first) = firsts[side] {
                    let chosen = joint[role.0 as usize];
                    after[side] = first + legal[side].partition_point(|action| *action < chosen);
                }
            }
            self.counter.count()?;
            let next = self.walk.after(position, &joint);
            self.add(&next, after, probability * share)?;
        }
        Ok(())
    }
}

impl Solver {
    /// Creates the sequence form of a game.
    ///
    /// # Errors
    ///
    /// Returns an error if the game is too large, does not have two roles, or has goals without a constant sum, or if
    /// the work was stopped.
    pub fn new(game: &RuleFile, work: &Work<'_>) -> Result<Solver, SolveError> {
        let num_roles = game.roles().len();
        if num_roles != 2 {
            return Err(SolveError::Roles { num_roles });
        }
        let situations = Situations::of(game, work)?;
        let mut builder = Builder {
            counter: Counter::new(work),
            walk: Walk::new(game),
            firsts: vec![0; situations.all().len()],
            situations: Arc::clone(&situations),
            places: Default::default(),
            // Sequence 0 is empty.
            num_sequences: [1; 2],
            payoffs: BTreeMap::new(),
            payoff_range: [f64::INFINITY, f64::NEG_INFINITY],
            sum_of_goals: None,
        };
        let start = builder.walk.start();
        builder.add(&start, [0; 2], 1.0)?;
        let Builder { places, num_sequences, payoffs, payoff_range, .. } = builder;
        let of_first = payoffs.iter().map(|(&(row, column), &payoff)| (row, column, payoff));
        let mut of_second: Vec<_> =
            of_first.clone().map(|(row, column, payoff)| (column, row, -payoff)).collect();
        of_second.sort_by_key(|&(row, column, _)| (row, column));
        let rows = [
            Rows::new(num_sequences[0], of_first),
            Rows::new(num_sequences[1], of_second.into_iter()),
        ];
        let mut sides = [Side::default(), Side::default()];
        for (((side, places), rows), number) in
            sides.iter_mut().zip(places).zip(rows).zip(num_sequences)
        {
            *side = Side { places, rows, ..Side::default() };
            let Side { regrets, changes, shares, plan, average, values, .. } = side;
            for list in [regrets, changes, shares, plan, average, values] {
                list.resize(number, 0.0);
            }
            side.follow_regrets(0.0);
        }
        Ok(Solver { situations, sides, num_iterations: 0, payoff_range })
    }

    /// Returns the number of situations and the number of entries of the payoff matrix.
    pub fn size(&self) -> [usize; 2] {
        [self.situations.all().len(), self.sides[0].rows.entries.len()]
    }

    /// Returns the difference between the largest and the smallest score of the first role in a play, from 0 to 1.
    pub fn score_range(&self) -> f64 {
        self.payoff_range[1] - self.payoff_range[0]
    }

    /// Returns the number of iterations so far.
    pub fn num_iterations(&self) -> u64 {
        self.num_iterations
    }

    /// Carries out one iteration: the first role adapts to the second, and then the second to the first.
    pub fn iterate(&mut self) {
        self.num_iterations += 1;
        let number = self.num_iterations as f64;
        let [first, second] = &mut self.sides;
        first.improve(&second.plan, number * number);
        second.improve(&first.plan, number * number);
    }

    /// Returns a lower and an upper bound on the first role's score, from 0 to 1. They are the scores of best responses
    /// to the average strategies of the two roles.
    pub fn bounds(&self) -> [f64; 2] {
        let [first, second] = &self.sides;
        let most = 0.5 + first.best_response(&second.average_plan());
        [0.5 - second.best_response(&first.average_plan()), most]
    }

    /// Returns the probabilities of all moves in the average strategies: parameters of [`Tabular`](super::Tabular).
    pub fn parameters(&self) -> Vec<f64> {
        let mut theta = vec![0.0; self.situations.num_moves()];
        for side in &self.sides {
            for place in &side.places {
                let shares = side.average_shares(place);
                theta[place.parameter..place.parameter + place.num_moves].copy_from_slice(&shares);
            }
        }
        theta
    }
}

impl Side {
    /// Adapts the strategy to a plan of the other role.
    fn improve(&mut self, plan: &[f64], weight: f64) {
        let mut values = std::mem::take(&mut self.values);
        self.rows.multiply(plan, &mut values);
        for place in self.places.iter().rev() {
            let Place { parent, first, num_moves, .. } = *place;
            let moves = first..first + num_moves;
            let shares = self.shares[moves.clone()].iter();
            let value: f64 = shares.zip(&values[moves.clone()]).map(|(share, v)| share * v).sum();
            for sequence in moves {
                let change = values[sequence] - value;
                self.changes[sequence] = change;
                self.regrets[sequence] = (self.regrets[sequence] + change).max(0.0);
            }
            values[parent] += value;
        }
        self.values = values;
        self.follow_regrets(weight);
    }

    /// Chooses moves in proportion to their regrets, as if the last change occurred again, and adds the plan to the
    /// average.
    fn follow_regrets(&mut self, weight: f64) {
        self.plan[0] = 1.0;
        for place in &self.places {
            let Place { parent, first, num_moves, .. } = *place;
            let moves = first..first + num_moves;
            for sequence in moves.clone() {
                let predicted = (self.regrets[sequence] + self.changes[sequence]).max(0.0);
                self.shares[sequence] = predicted;
            }
            normalise(&mut self.shares[moves.clone()]);
            let before = self.plan[parent];
            for sequence in moves {
                self.plan[sequence] = before * self.shares[sequence];
                self.average[sequence] += weight * self.plan[sequence];
            }
        }
    }

    /// Returns the probabilities of the moves of a situation in the average.
    pub(super) fn average_shares(&self, place: &Place) -> Vec<f64> {
        let mut weights = self.average[place.first..place.first + place.num_moves].to_vec();
        normalise(&mut weights);
        weights
    }

    /// Returns the plan of the average.
    pub(super) fn average_plan(&self) -> Vec<f64> {
        let mut plan = vec![0.0; self.average.len()];
        plan[0] = 1.0;
        for place in &self.places {
            for (sequence, share) in (place.first..).zip(self.average_shares(place)) {
                plan[sequence] = plan[place.parent] * share;
            }
        }
        plan
    }

    /// Returns the value of the best response to a plan of the other role.
    fn best_response(&self, plan: &[f64]) -> f64 {
        self.answers(plan)[0]
    }

    /// Returns the value of each sequence against a plan of the other role, if best responses follow.
    pub(super) fn answers(&self, plan: &[f64]) -> Vec<f64> {
        let mut values = Vec::new();
        self.rows.multiply(plan, &mut values);
        for place in self.places.iter().rev() {
            values[place.parent] += place.best(&values);
        }
        values
    }
}
