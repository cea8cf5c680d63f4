//! Exact equilibria of small games, computed from averages of CFR.
//!
//! The averages say which sequences each role uses. The plan of the other role must make all sequences that a role uses equally
//! good: with the values of the situations as unknowns, these are linear equations (the dual constraints of the sequence form
//! that hold with equality; von Stengel 1996). The averages move to the nearest solution. Whether it is an equilibrium is
//! checked by best responses, so a wrong guess about the sequences does no harm.

use nalgebra::{DMatrix, DVector};

use super::solve::{Place, Side, Solver};

/// The largest gap of an equilibrium that counts as exact: the rounding of sums of products.
const MAX_GAP: f64 = 1e-11;
/// The smallest difference of scores, and the smallest singular value, that is more than rounding.
const CLEAR: f64 = 1e-9;
/// The largest number of moves that both roles use, for which a solution takes some tenths of a second.
const MAX_USED: usize = 400;
/// The largest number of entries of the matrix times iterations that an attempt adds, which take some tenths of a second.
const MAX_WORK: u64 = 100_000_000;
/// The shares of a move below which it may be unused.
const SHARES: [f64; 2] = [1e-2, 1e-3];

impl Solver {
    /// Replaces the average strategies by an exact equilibrium with their supports, if there is one. Returns whether it is
    /// certainly the only one, or `None` if the averages stay.
    ///
    /// The equilibrium is the only one if all other moves are worse, by more than rounding, and the equations have one solution.
    /// Equilibria of a zero-sum game are interchangeable, so no other one makes other moves. Situations that a role's own
    /// moves exclude are not compared.
    pub fn finish(&mut self) -> Option<bool> {
        let num_used = |side: &Side| side.used(SHARES[0]).into_iter().filter(|it| *it).count();
        if self.sides.iter().map(num_used).sum::<usize>() > MAX_USED {
            return None;
        }
        let mut further = self.clone();
        // The iterations double between four attempts, since other averages may have other supports.
        for _ in 0..4 {
            if let Some((exact, is_only)) = SHARES.iter().find_map(|&share| further.exact(share)) {
                *self = exact;
                return Some(is_only);
            }
            if further.size()[1] as u64 * further.num_iterations() > MAX_WORK {
                return None;
            }
            (0..further.num_iterations()).for_each(|_| further.iterate());
        }
        None
    }

    /// Returns the game with an exact equilibrium, if that makes the moves with more than this share in the averages, and whether
    /// it is the only one.
    fn exact(&self, share: f64) -> Option<(Solver, bool)> {
        let [first, second] = &self.sides;
        let used = [first.used(share), second.used(share)];
        let (second_plan, is_second_clear) = first.equalised(&used[0], second, &used[1]);
        let (first_plan, is_first_clear) = second.equalised(&used[1], first, &used[0]);
        let good = [first.good(&second_plan), second.good(&first_plan)];
        let mut exact = self.clone();
        exact.sides[0].follow(&first_plan);
        exact.sides[1].follow(&second_plan);
        let [low, high] = exact.bounds();
        (high - low <= MAX_GAP)
            .then_some((exact, is_first_clear && is_second_clear && good == used))
    }
}

impl Side {
    /// Says of each sequence whether the average makes all of its moves, each with more than this share.
    fn used(&self, share: f64) -> Vec<bool> {
        self.chosen(|place| self.average_shares(place).iter().map(|it| *it > share).collect())
    }

    /// Says of each sequence whether all of its moves are best responses to a plan of the other role.
    fn good(&self, plan: &[f64]) -> Vec<bool> {
        let values = self.answers(plan);
        self.chosen(|place| {
            let best = place.best(&values);
            values[place.first..][..place.num_moves].iter().map(|it| best - it < CLEAR).collect()
        })
    }

    /// Says of each sequence whether all of its moves are chosen in their situations.
    fn chosen(&self, choose: impl Fn(&Place) -> Vec<bool>) -> Vec<bool> {
        let mut chosen = vec![true; self.average.len()];
        for place in &self.places {
            for (sequence, is_chosen) in (place.first..).zip(choose(place)) {
                chosen[sequence] = chosen[place.parent] && is_chosen;
            }
        }
        chosen
    }

    /// Returns a plan of the other role against which all `used` sequences are equally good, and whether it is the only one
    /// with these sequences.
    fn equalised(&self, used: &[bool], other: &Side, other_used: &[bool]) -> (Vec<f64>, bool) {
        let mut plan = other.average_plan();
        let values = self.answers(&plan);
        // The unknowns: the other role's plan, the value of the game, and the values of the situations.
        let mut unknowns = Vec::new();
        let mut columns = vec![usize::MAX; plan.len()];
        for sequence in (0..plan.len()).filter(|&sequence| other_used[sequence]) {
            columns[sequence] = unknowns.len();
            unknowns.push(plan[sequence]);
        }
        let mut equations = vec![vec![(columns[0], 1.0)]];
        let places = other.places.iter().filter(|place| other_used[place.parent]);
        equations.extend(places.map(|place| {
            let moves = (place.first..place.first + place.num_moves).filter(|&it| other_used[it]);
            moves.map(|it| (columns[it], 1.0)).chain([(columns[place.parent], -1.0)]).collect()
        }));
        let entries = |sequence: usize| {
            let row = self.rows.row(sequence).iter().filter(|entry| other_used[entry.0 as usize]);
            row.map(|&(column, payoff)| (columns[column as usize], payoff)).collect()
        };
        let mut of_sequences: Vec<Vec<(usize, f64)>> = (0..used.len()).map(entries).collect();
        of_sequences[0].push((unknowns.len(), -1.0));
        unknowns.push(values[0]);
        for place in self.places.iter().filter(|place| used[place.parent]) {
            of_sequences[place.parent].push((unknowns.len(), 1.0));
            let moves = &mut of_sequences[place.first..place.first + place.num_moves];
            moves.iter_mut().for_each(|terms| terms.push((unknowns.len(), -1.0)));
            unknowns.push(place.best(&values));
        }
        let used_rows = of_sequences.into_iter().zip(used).filter(|(_, is_used)| **is_used);
        equations.extend(used_rows.map(|(row, _)| row));
        let rank = solve(&equations, &mut unknowns);
        for (weight, column) in plan.iter_mut().zip(columns) {
            *weight = unknowns.get(column).map_or(0.0, |weight| weight.max(0.0));
        }
        (plan, rank == unknowns.len())
    }

    /// Makes the average this plan, where the plan leads.
    fn follow(&mut self, plan: &[f64]) {
        for Place { first, num_moves, .. } in self.places.iter().filter(|it| plan[it.parent] > 0.0)
        {
            let moves = *first..first + num_moves;
            self.average[moves.clone()].copy_from_slice(&plan[moves]);
        }
    }
}

/// Moves the unknowns to the nearest solution of linear equations, whose right sides are 1 for the first and 0 for the others.
/// Returns the rank.
fn solve(equations: &[Vec<(usize, f64)>], unknowns: &mut [f64]) -> usize {
    let mut matrix = DMatrix::zeros(equations.len(), unknowns.len());
    let mut rest = DVector::zeros(equations.len());
    rest[0] = 1.0;
    for (row, terms) in equations.iter().enumerate() {
        for &(column, factor) in terms {
            matrix[(row, column)] += factor;
            rest[row] -= factor * unknowns[column];
        }
    }
    let parts = matrix.svd(true, true);
    let change = parts.solve(&rest, CLEAR).expect("both factors are there");
    unknowns.iter_mut().zip(change.iter()).for_each(|(unknown, by)| *unknown += by);
    parts.rank(CLEAR)
}
