//! Problems given by numbers: the mean of an arm is the sum of the means of its values.
//!
//! What restricts them is what restricts orders in a game. A value may take up a cell, and no two variables may take up the
//! same one; a value may have a cost, and the costs of an arm may not exceed a budget. The best arm is found exactly, variable
//! by variable, by what those before leave of the cells and of the budget: the memory this takes is that of the largest
//! number of such remainders.

mod optimum;

use std::collections::BTreeMap;

use rand::Rng;
use rand_distr::Distribution;

pub use self::optimum::Optimum;
use super::Problem;
use crate::gaussian::Gaussian;

/// The numbers of a problem, as somebody gives them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SyntheticSpec {
    /// For each variable the means of its values, of at most [`Synthetic::MOST`] in absolute value.
    pub means: Vec<Vec<f64>>,
    /// In the same shape the cells that the values take up; below 0 for none. Empty if no value takes up one.
    pub cells: Vec<Vec<i64>>,
    /// In the same shape the costs of the values. Empty if none costs anything.
    pub costs: Vec<Vec<u32>>,
    /// What the costs of an arm may come to.
    pub budget: u64,
    /// The standard deviation of the Gaussian noise of a reward, from 0 to [`Synthetic::MOST`].
    pub sigma: f64,
}

/// A table of numbers of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Table {
    /// The means.
    Means,
    /// The cells.
    Cells,
    /// The costs.
    Costs,
}

impl Table {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Table::Means => "means",
            Table::Cells => "cells",
            Table::Costs => "costs",
        }
    }
}

/// Why numbers are no problem. Variables and values are counted from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SyntheticError {
    /// There are too few or too many variables.
    #[error("{found} variables, where 1 to {} should be", Synthetic::MOST_VARIABLES)]
    NumVariables {
        /// How many there are.
        found: usize,
    },
    /// A variable has too few or too many values.
    #[error(
        "variable {variable} has {found} values, where 1 to {} should be",
        Synthetic::MOST_VALUES
    )]
    NumValues {
        /// The variable.
        variable: usize,
        /// How many values it has.
        found: usize,
    },
    /// A table has not the shape of the means.
    #[error(
        "`{}` has {found} entries {}, where `means` has {expected}",
        table.name(),
        variable.map_or("in all".into(), |variable| format!("for variable {variable}"))
    )]
    Shape {
        /// The table.
        table: Table,
        /// The variable, if it is about the values of one.
        variable: Option<usize>,
        /// Entries there are.
        found: usize,
        /// Entries there should be.
        expected: usize,
    },
    /// A mean is no number, or too far from 0.
    #[error("the mean {found} of value {value} of variable {variable} is not between -1e6 and 1e6")]
    Mean {
        /// The variable.
        variable: usize,
        /// Its value.
        value: usize,
        /// What is there.
        found: f64,
    },
    /// The noise is no number, negative, or too large.
    #[error("the standard deviation `sigma` is {found}, where a number from 0 to 1e6 should be")]
    Sigma {
        /// What is there.
        found: f64,
    },
    /// A variable may be left without a value.
    #[error(
        "each value of variable {variable} takes up a cell or costs more than another; give it one that takes up none, and \
         costs no more than the others"
    )]
    NoFreeValue {
        /// The variable.
        variable: usize,
    },
    /// Every arm costs too much.
    #[error("there is no legal arm: every arm costs {least} or more, and the budget is {budget}")]
    NoLegalArm {
        /// What the cheapest arm costs.
        least: u64,
        /// The budget.
        budget: u64,
    },
}

/// A value of a variable, checked.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Entry {
    mean: f64,
    cell: Option<u32>,
    /// What it costs more than the cheapest value of the variable.
    extra: u64,
}

/// A problem given by numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Synthetic {
    sizes: Vec<u16>,
    entries: Vec<Vec<Entry>>,
    num_cells: usize,
    /// The budget beyond what the cheapest arm costs.
    spare: u64,
    special: Vec<u16>,
    sigma: f64,
}

impl Synthetic {
    /// The most variables.
    pub const MOST_VARIABLES: usize = 1000;
    /// The most values of a variable.
    pub const MOST_VALUES: usize = 1000;
    /// The largest mean and the largest standard deviation.
    pub const MOST: f64 = 1e6;

    /// Checks the numbers.
    ///
    /// # Errors
    ///
    /// At the first of them that makes no sense, and when no arm is legal.
    pub fn new(spec: &SyntheticSpec) -> Result<Synthetic, SyntheticError> {
        let num_variables = spec.means.len();
        if !(1..=Synthetic::MOST_VARIABLES).contains(&num_variables) {
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
            if !(1..=Synthetic::MOST_VALUES).contains(&num_values) {
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

    /// Of each variable the first value that takes up no cell and costs no more than any other: with all of them an arm is
    /// legal.
    pub fn special(&self) -> &[u16] {
        &self.special
    }

    /// The expected reward of an arm.
    pub fn mean(&self, arm: &[u16]) -> f64 {
        let values = self.entries.iter().zip(arm);
        values.map(|(entries, &value)| entries[usize::from(value)].mean).sum()
    }

    /// A reward of an arm.
    pub fn pull<R: Rng + ?Sized>(&self, arm: &[u16], rng: &mut R) -> f64 {
        let noise: f64 = Gaussian.sample(rng);
        self.mean(arm) + self.sigma * noise
    }
}

fn check_shape<A, B>(
    table: Table,
    means: &[Vec<A>],
    others: &[Vec<B>],
) -> Result<(), SyntheticError> {
    let check = |variable, found: usize, expected: usize| match found == expected {
        true => Ok(()),
        false => Err(SyntheticError::Shape { table, variable, found, expected }),
    };
    if others.is_empty() {
        return Ok(());
    }
    check(None, others.len(), means.len())?;
    let mut rows = means.iter().zip(others).enumerate();
    rows.try_for_each(|(variable, (a, b))| check(Some(variable), b.len(), a.len()))
}

/// What the values chosen so far use up of a [`Synthetic`] problem.
#[derive(Debug, Clone, Default)]
pub struct Used {
    /// A bit for each cell.
    cells: Vec<u64>,
    /// What is left of the budget.
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
        // The variables without a value can have their cheapest ones, which take up no cell.
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
