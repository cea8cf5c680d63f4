//! Synthetic problems, defined by tables of numbers: the mean of an arm is the sum of the means of its values.
//!
//! The constraints resemble the constraints on orders in a game. A value may occupy a cell, and no two variables may
//! occupy the same cell; a value may have a cost, and the costs of an arm may not exceed a budget. The best arm is
//! found exactly, by dynamic programming over the variables; a state consists of the occupied cells and the spent
//! budget. Memory is proportional to the largest number of states.

mod optimum;

use std::collections::BTreeMap;

use rand::Rng;
use rand_distr::Distribution;
use ruse_base::gaussian::Gaussian;

pub use self::optimum::Optimum;
use super::Problem;

/// The numbers that define a problem, before they are checked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SyntheticSpec {
    /// The means of the values of each variable, at most [`Synthetic::MOST`] in absolute value.
    pub means: Vec<Vec<f64>>,
    /// The cells that the values occupy, in the shape of `means`; negative for a value that occupies no cell. Empty if
    /// no value occupies a cell.
    pub cells: Vec<Vec<i64>>,
    /// The costs of the values, in the shape of `means`. Empty if all costs are 0.
    pub costs: Vec<Vec<u32>>,
    /// The largest total cost of a legal arm.
    pub budget: u64,
    /// The standard deviation of the Gaussian noise that is added to a reward, from 0 to [`Synthetic::MOST`].
    pub sigma: f64,
}

ruse_base::named! {
    /// A kind of table in the definition of a problem.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Table {
        /// The means of the values.
        Means = "means",
        /// The cells that values occupy.
        Cells = "cells",
        /// The costs of the values.
        Costs = "costs",
    }
}

/// An error in the numbers of a problem. Variables and values are counted from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SyntheticError {
    /// There are too few or too many variables.
    #[error("{found} variables, where 1 to {} should be", Synthetic::MAX_VARIABLES)]
    NumVariables {
        /// The number of variables.
        found: usize,
    },
    /// A variable has too few or too many values.
    #[error(
        "variable {variable} has {found} values, where 1 to {} should be",
        Synthetic::MAX_VALUES
    )]
    NumValues {
        /// The index of the variable.
        variable: usize,
        /// The number of values of the variable.
        found: usize,
    },
    /// A table does not have the shape of `means`.
    #[error(
        "`{}` has {found} entries {}, where `means` has {expected}",
        table.name(),
        variable.map_or("in all".into(), |variable| format!("for variable {variable}"))
    )]
    Shape {
        /// The table with the wrong shape.
        table: Table,
        /// The variable with a wrong number of entries, or `None` if the number of variables is wrong.
        variable: Option<usize>,
        /// The number of entries found.
        found: usize,
        /// The number of entries expected.
        expected: usize,
    },
    /// A mean is NaN or too far from 0.
    #[error("the mean {found} of value {value} of variable {variable} is not between -1e6 and 1e6")]
    Mean {
        /// The index of the variable.
        variable: usize,
        /// The value of the variable.
        value: usize,
        /// The mean found.
        found: f64,
    },
    /// The standard deviation of the noise is NaN, negative or too large.
    #[error("the standard deviation `sigma` is {found}, where a number from 0 to 1e6 should be")]
    Sigma {
        /// The standard deviation found.
        found: f64,
    },
    /// A variable has no value that is always admissible.
    #[error(
        "each value of variable {variable} takes up a cell or costs more than another; give it one that takes up none, and \
         costs no more than the others"
    )]
    NoFreeValue {
        /// The index of the variable.
        variable: usize,
    },
    /// No arm is within the budget.
    #[error("there is no legal arm: every arm costs {least} or more, and the budget is {budget}")]
    NoLegalArm {
        /// The cost of the cheapest arm.
        least: u64,
        /// The budget.
        budget: u64,
    },
}

/// A value of a variable, after the checks.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Entry {
    mean: f64,
    cell: Option<u32>,
    /// The cost of the value minus the cost of the cheapest value of the variable.
    extra: u64,
}

/// A synthetic problem with valid numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Synthetic {
    sizes: Vec<u16>,
    entries: Vec<Vec<Entry>>,
    num_cells: usize,
    /// The budget minus the cost of the cheapest arm.
    spare: u64,
    special: Vec<u16>,
    sigma: f64,
}

impl Synthetic {
    /// The largest number of variables.
    pub const MAX_VARIABLES: usize = 1000;
    /// The largest number of values of a variable.
    pub const MAX_VALUES: usize = 1000;
    /// The largest absolute value of a mean, and the largest standard deviation of the noise.
    pub const MOST: f64 = 1e6;

    /// Creates the problem after checking its numbers.
    ///
    /// # Errors
    ///
    /// Returns an error if a number is invalid, or if no arm is legal. Only the first invalid number is reported.
    pub fn new(spec: &SyntheticSpec) -> Result<Synthetic, SyntheticError> {
        let num_variables = spec.means.len();
        if !(1..=Synthetic::MAX_VARIABLES).contains(&num_variables) {
            return Err(SyntheticError::NumVariables { found: num_variables });
        }
        check_shape(Table::Cells, &spec.means, &spec.cells)?;
        check_shape(Table::Costs, &spec.means, &spec.costs)?;
        if !(0.0..=Synthetic::MOST).contains(&spec.sigma) {
            return Err(SyntheticError::Sigma { found: spec.sigma });
        }
        let mut cell_numbers: BTreeMap<i64, u32> = BTreeMap::new();
        let (mut entries, mut special, mut least) = (Vec::new(), Vec::new(), 0);
        for (variable, means) in spec.means.iter().enumerate() {
            let num_values = means.len();
            if !(1..=Synthetic::MAX_VALUES).contains(&num_values) {
                return Err(SyntheticError::NumValues { variable, found: num_values });
            }
            let cost =
                |value: usize| spec.costs.get(variable).map_or(0, |costs| u64::from(costs[value]));
            let cell = |value: usize| spec.cells.get(variable).map_or(-1, |cells| cells[value]);
            let cheapest = (0..num_values).map(cost).min().expect("there is a value");
            let is_free = |&value: &usize| cell(value) < 0 && cost(value) == cheapest;
            let free = (0..num_values).find(is_free);
            special.push(free.ok_or(SyntheticError::NoFreeValue { variable })? as u16);
            least += cheapest;
            let mut of_variable = Vec::new();
            for (value, &mean) in means.iter().enumerate() {
                if !(-Synthetic::MOST..=Synthetic::MOST).contains(&mean) {
                    return Err(SyntheticError::Mean { variable, value, found: mean });
                }
                let next = cell_numbers.len() as u32;
                let cell =
                    (cell(value) >= 0).then(|| *cell_numbers.entry(cell(value)).or_insert(next));
                of_variable.push(Entry { mean, cell, extra: cost(value) - cheapest });
            }
            entries.push(of_variable);
        }
        let Some(spare) = spec.budget.checked_sub(least) else {
            return Err(SyntheticError::NoLegalArm { least, budget: spec.budget });
        };
        let sizes = entries.iter().map(|values| values.len() as u16).collect();
        let (num_cells, sigma) = (cell_numbers.len(), spec.sigma);
        Ok(Synthetic { sizes, entries, num_cells, spare, special, sigma })
    }

    /// Returns, for each variable, the first of its cheapest values that occupy no cell. Together they are a legal arm.
    pub fn special(&self) -> &[u16] {
        &self.special
    }

    /// Returns the expected reward of an arm.
    pub fn mean(&self, arm: &[u16]) -> f64 {
        self.entries.iter().zip(arm).map(|(entries, &value)| entries[usize::from(value)].mean).sum()
    }

    /// Draws a reward of an arm.
    pub fn pull<R: Rng + ?Sized>(&self, arm: &[u16], rng: &mut R) -> f64 {
        let noise: f64 = Gaussian.sample(rng);
        self.mean(arm) + self.sigma * noise
    }
}

fn check_shape<A, B>(table: Table, rows: &[Vec<A>], more: &[Vec<B>]) -> Result<(), SyntheticError> {
    let check = |variable, found: usize, expected: usize| match found == expected {
        true => Ok(()),
        false => Err(SyntheticError::Shape { table, variable, found, expected }),
    };
    if more.is_empty() {
        return Ok(());
    }
    check(None, more.len(), rows.len())?;
    let mut rows = rows.iter().zip(more).enumerate();
    rows.try_for_each(|(variable, (a, b))| check(Some(variable), b.len(), a.len()))
}

/// The cells and the part of the budget that the values chosen so far use.
#[derive(Debug, Clone, Default)]
pub struct Used {
    /// One bit per cell, set if the cell is occupied.
    cells: Vec<u64>,
    /// The part of the budget that remains if all open variables take their cheapest values.
    spare: u64,
}

impl Problem for Synthetic {
    type Partial = Used;

    fn sizes(&self) -> &[u16] {
        &self.sizes
    }

    fn begin(&self, partial: &mut Used) {
        partial.cells.clear();
        partial.cells.resize(self.num_cells.div_ceil(64), 0);
        partial.spare = self.spare;
    }

    fn admits(&self, partial: &Used, variable: usize, value: u16) -> bool {
        let Entry { cell, extra, .. } = self.entries[variable][usize::from(value)];
        // The open variables can still take their cheapest values, which occupy no cells.
        extra <= partial.spare
            && cell.is_none_or(|cell| partial.cells[cell as usize / 64] >> (cell % 64) & 1 == 0)
    }

    fn fix(&self, partial: &mut Used, variable: usize, value: u16) {
        let Entry { cell, extra, .. } = self.entries[variable][usize::from(value)];
        partial.spare -= extra;
        if let Some(cell) = cell {
            partial.cells[cell as usize / 64] |= 1 << (cell % 64);
        }
    }
}
