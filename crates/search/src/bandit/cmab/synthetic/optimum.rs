//! The best arm of a synthetic problem, and the number of legal arms.

use std::collections::BTreeMap;

use super::{Entry, Synthetic};

/// A summary of all legal arms of a problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// A legal arm with the highest mean.
    pub arm: Vec<u16>,
    /// The mean reward of `arm`.
    pub mean: f64,
    /// The difference between the means of the best and the second best arm, at least 0; `None` if there is only one
    /// arm.
    pub gap: Option<f64>,
    /// The number of legal arms; `None` if it is 2^128 or more.
    pub num_legal: Option<u128>,
}

/// A state of the dynamic program: the occupied cells that later variables might otherwise take, in ascending
/// order, and the budget spent.
type Left = (Vec<u32>, u64);

/// A summary of the partial arms that lead to a state.
#[derive(Debug, Clone)]
struct Way {
    num_arms: Option<u128>,
    /// The sums of means of the best and the second best partial arm; minus infinity for an arm that does not exist.
    best: [f64; 2],
    /// The index of the state before the best partial arm got its last value, which is in `value`.
    before: usize,
    value: u16,
}

impl Synthetic {
    /// The largest number of states per variable that [`optimum`](Synthetic::optimum) keeps.
    pub const MAX_REMAINDERS: usize = 200_000;

    /// Returns the best arm and the number of legal arms, exactly. Returns `None` if there are more than
    /// [`Synthetic::MAX_REMAINDERS`] states, because many variables compete for many cells.
    pub fn optimum(&self) -> Option<Optimum> {
        let mut last_use = vec![0; self.num_cells];
        for (variable, entries) in self.entries.iter().enumerate() {
            for cell in entries.iter().filter_map(|entry| entry.cell) {
                last_use[cell as usize] = variable;
            }
        }
        let start = Way { num_arms: Some(1), best: [0.0, f64::NEG_INFINITY], before: 0, value: 0 };
        let mut left: Vec<Left> = vec![(Vec::new(), 0)];
        let mut layers = vec![vec![start]];
        for (variable, entries) in self.entries.iter().enumerate() {
            let mut places: BTreeMap<Left, usize> = BTreeMap::new();
            let mut ways: Vec<Way> = Vec::new();
            let last = layers.last().expect("there is one from the start");
            for (before, (from, way)) in left.iter().zip(last).enumerate() {
                for (value, entry) in entries.iter().enumerate() {
                    let Some(to) = self.after(from, entry, variable, &last_use) else { continue };
                    let step = Way {
                        best: way.best.map(|sum| sum + entry.mean),
                        before,
                        value: value as u16,
                        ..*way
                    };
                    let place = *places.entry(to).or_insert(ways.len());
                    match ways.get_mut(place) {
                        Some(known) => known.join(&step),
                        None => ways.push(step),
                    }
                }
                if ways.len() > Synthetic::MAX_REMAINDERS {
                    return None;
                }
            }
            left = vec![Left::default(); ways.len()];
            places.into_iter().for_each(|(key, place)| left[place] = key);
            layers.push(ways);
        }
        let ends = layers.last().expect("there is one from the start");
        // All final states are legal; the cells and budget that they used no longer matter.
        let mut end = 0;
        let mut all = ends[0].clone();
        for (number, way) in ends.iter().enumerate().skip(1) {
            if way.best[0] > all.best[0] {
                end = number;
            }
            all.join(way);
        }
        let mut arm = Vec::new();
        for layer in layers[1..].iter().rev() {
            arm.push(layer[end].value);
            end = layer[end].before;
        }
        arm.reverse();
        let [mean, second] = all.best;
        let gap = second.is_finite().then_some(mean - second);
        Some(Optimum { arm, mean, gap, num_legal: all.num_arms })
    }

    /// Returns the state after one more value, or `None` if the value is not admissible.
    fn after(
        &self,
        (cells, spent): &Left,
        entry: &Entry,
        variable: usize,
        last_use: &[usize],
    ) -> Option<Left> {
        let spent = spent + entry.extra;
        let is_taken = entry.cell.is_some_and(|cell| cells.contains(&cell));
        if spent > self.spare || is_taken {
            return None;
        }
        let mut cells: Vec<u32> = cells.iter().copied().chain(entry.cell).collect();
        cells.retain(|&cell| last_use[cell as usize] > variable);
        cells.sort_unstable();
        Some((cells, spent))
    }
}

impl Way {
    /// Adds the partial arms of another way to the same state.
    fn join(&mut self, other: &Way) {
        self.num_arms = self.num_arms.zip(other.num_arms).and_then(|(a, b)| a.checked_add(b));
        let [first, second] = self.best;
        if other.best[0] > first {
            self.best = [other.best[0], first.max(other.best[1])];
            (self.before, self.value) = (other.before, other.value);
        } else {
            self.best[1] = second.max(other.best[0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::bandit::cmab::{SyntheticSpec, is_legal};

    /// Lists all arms of a problem, legal or not.
    fn all_arms(sizes: &[Vec<f64>]) -> Vec<Vec<u16>> {
        sizes.iter().fold(vec![Vec::new()], |arms, values| {
            let longer = |arm: &Vec<u16>, value| [arm.as_slice(), &[value]].concat();
            arms.iter().flat_map(|arm| (0..values.len()).map(|v| longer(arm, v as u16))).collect()
        })
    }

    /// Compares the best arm, its lead and the number of legal arms with an enumeration of all arms. In the
    /// enumeration, an arm is legal if no two of its values occupy the same cell and its costs are within the budget.
    #[test]
    fn the_best_arm_is_that_of_all() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..200 {
            let sizes: Vec<usize> =
                (0..rng.random_range(1..6)).map(|_| rng.random_range(1..5)).collect();
            let means: Vec<Vec<f64>> =
                sizes.iter().map(|&k| (0..k).map(|_| rng.random()).collect()).collect();
            let mut cells: Vec<Vec<i64>> =
                sizes.iter().map(|&k| (0..k).map(|_| rng.random_range(-2..6)).collect()).collect();
            let mut costs: Vec<Vec<u32>> =
                sizes.iter().map(|&k| (0..k).map(|_| rng.random_range(1..4)).collect()).collect();
            for (cells, costs) in cells.iter_mut().zip(&mut costs) {
                (cells[0], costs[0]) = (-1, 1);
            }
            let budget = sizes.len() as u64 + rng.random_range(0..4);
            let spec = SyntheticSpec { means, cells, costs, budget, sigma: 0.1 };
            let problem = Synthetic::new(&spec).expect("the first values are free");
            let legal = |arm: &Vec<u16>| {
                let value = |i: usize| usize::from(arm[i]);
                let cost: u64 = (0..arm.len()).map(|i| u64::from(spec.costs[i][value(i)])).sum();
                let mut cells: Vec<i64> = (0..arm.len()).map(|i| spec.cells[i][value(i)]).collect();
                cells.retain(|&cell| cell >= 0);
                let num_cells = cells.len();
                cells.sort_unstable();
                cells.dedup();
                cost <= spec.budget && cells.len() == num_cells
            };
            let arms = all_arms(&spec.means);
            for arm in &arms {
                assert_eq!(is_legal(&problem, arm), legal(arm), "{spec:?} {arm:?}");
            }
            let mut means: Vec<f64> =
                arms.iter().filter(|arm| legal(arm)).map(|arm| problem.mean(arm)).collect();
            means.sort_by(|a, b| b.total_cmp(a));
            let found = problem.optimum().expect("few remainders");
            assert_eq!(found.num_legal, Some(means.len() as u128));
            assert_eq!((found.mean, problem.mean(&found.arm)), (means[0], means[0]));
            assert!(is_legal(&problem, &found.arm));
            assert_eq!(found.gap, means.get(1).map(|second| means[0] - second));
        }
    }

    /// 130 variables with two values each have 2^130 arms, too many to count. 60 variables that may take any of 60
    /// cells have too many states, so there is no optimum.
    #[test]
    fn large_optima_are_unknown() {
        let spec = SyntheticSpec { means: vec![vec![0.0, 1.0]; 130], ..SyntheticSpec::default() };
        let found =
            Synthetic::new(&spec).expect("no restrictions").optimum().expect("one remainder");
        assert_eq!((found.num_legal, found.mean, found.gap), (None, 130.0, Some(1.0)));
        let cells: Vec<i64> = (-1..60).collect();
        let spec = SyntheticSpec {
            means: vec![vec![0.5; 61]; 60],
            cells: vec![cells; 60],
            ..SyntheticSpec::default()
        };
        assert_eq!(Synthetic::new(&spec).expect("the first values are free").optimum(), None);
    }
}
