//! Observations of the arms and of the values of each variable.

use super::arms::Arms;

/// The rule that selects the arm to recommend from the arms pulled so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Recommendation {
    /// The arm pulled most often; ties go to the highest mean, then to the first arm. This is the rule of the paper.
    #[default]
    MostPulled,
    /// The arm with the highest mean; ties go to the first arm.
    HighestMean,
}

/// The rewards observed with one value of a variable.
#[derive(Debug, Clone, Copy, Default)]
struct Value {
    sum: f64,
    pulls: u32,
}

/// The rewards of all pulls so far, by arm and by value of each variable.
///
/// Empty tables own no memory; [`reset`](Tables::reset) keeps the memory. Tables grow only with the number of different
/// arms pulled.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    /// The offset of each variable's values, and the end of the last variable's values.
    offsets: Vec<u32>,
    /// The values of all variables, one variable after the other.
    values: Vec<Value>,
    arms: Arms,
    /// The number of pulls of each arm. The next two fields contain the sum and the mean of its rewards.
    pulls: Vec<u32>,
    sums: Vec<f64>,
    means: Vec<f64>,
    num_pulls: u64,
    /// The arm with the highest mean. It is `None` before the first pull, and after a pull of this arm until the next
    /// search for the best arm.
    best: Option<u32>,
    /// True if a search for a new arm was given up, so that all arms count as pulled.
    pub(super) is_exhausted: bool,
}

impl Tables {
    /// Forgets all pulls and prepares for variables with `sizes` values. The allocated memory is kept.
    pub fn reset(&mut self, sizes: &[u16]) {
        self.offsets.clear();
        let mut end = 0;
        self.offsets.push(end);
        self.offsets.extend(sizes.iter().map(|&size| {
            end += u32::from(size);
            end
        }));
        self.values.clear();
        self.values.resize(end as usize, Value::default());
        self.arms.reset(sizes.len());
        self.pulls.clear();
        self.sums.clear();
        self.means.clear();
        (self.num_pulls, self.best, self.is_exhausted) = (0, None, false);
    }

    /// Returns the number of bytes allocated.
    pub fn bytes(&self) -> usize {
        self.arms.bytes()
            + size_of::<u32>() * (self.offsets.capacity() + self.pulls.capacity())
            + size_of::<Value>() * self.values.capacity()
            + size_of::<f64>() * (self.sums.capacity() + self.means.capacity())
    }

    /// Records the reward of `arm` and returns the number of the arm.
    ///
    /// # Panics
    ///
    /// Panics if the reward is not finite, or if `arm` does not have one value for each variable.
    pub fn observe(&mut self, arm: &[u16], reward: f64) -> usize {
        assert!(reward.is_finite(), "the reward {reward} is not finite");
        for (variable, &value) in arm.iter().enumerate() {
            let place = self.place(variable, value);
            self.values[place].sum += reward;
            self.values[place].pulls += 1;
        }
        self.num_pulls += 1;
        let (number, is_new) = self.arms.find_or_add(arm);
        if is_new {
            self.pulls.push(1);
            self.sums.push(reward);
            self.means.push(reward);
        } else {
            self.pulls[number] += 1;
            self.sums[number] += reward;
            self.means[number] = self.sums[number] / f64::from(self.pulls[number]);
        }
        self.keep_best(number);
        number
    }

    /// Updates the best arm after the mean of `arm` has changed.
    fn keep_best(&mut self, arm: usize) {
        let Some(best) = self.best.map(|best| best as usize) else {
            if self.means.len() == 1 {
                self.best = Some(0);
            }
            return;
        };
        if arm == best {
            // If the mean of the best arm dropped, another arm may be better. The search for it can usually wait until
            // the next exploit step.
            self.best = None;
        } else if self.means[arm] > self.means[best]
            || (self.means[arm] == self.means[best] && arm < best)
        {
            self.best = Some(arm as u32);
        }
    }

    fn place(&self, variable: usize, value: u16) -> usize {
        let place = self.offsets[variable] as usize + usize::from(value);
        assert!(place < self.offsets[variable + 1] as usize, "variable {variable} has no {value}");
        place
    }

    fn values_of(&self, variable: usize) -> &[Value] {
        &self.values[self.offsets[variable] as usize..self.offsets[variable + 1] as usize]
    }

    /// Returns the number of pulls so far.
    pub fn num_pulls(&self) -> u64 {
        self.num_pulls
    }

    /// Returns the number of different arms pulled so far. The arms are numbered from 0, in the order of their first
    /// pulls.
    pub fn num_arms(&self) -> usize {
        self.arms.len()
    }

    /// Returns the values of arm number `arm`.
    pub fn arm(&self, arm: usize) -> &[u16] {
        self.arms.get(arm)
    }

    /// Returns the number of an arm, or `None` if it was not pulled.
    pub fn find(&self, arm: &[u16]) -> Option<usize> {
        self.arms.find(arm)
    }

    /// Returns the number of pulls of arm number `arm`.
    pub fn pulls(&self, arm: usize) -> u32 {
        self.pulls[arm]
    }

    /// Returns the mean reward of arm number `arm`.
    pub fn mean(&self, arm: usize) -> f64 {
        self.means[arm]
    }

    /// Returns the number of pulls of arms with this value.
    pub fn value_pulls(&self, variable: usize, value: u16) -> u32 {
        self.values[self.place(variable, value)].pulls
    }

    /// Returns the mean reward over all pulls of arms with this value, or 0 if the value was never pulled.
    pub fn value_mean(&self, variable: usize, value: u16) -> f64 {
        match self.values[self.place(variable, value)] {
            Value { pulls: 0, .. } => 0.0,
            Value { sum, pulls } => sum / f64::from(pulls),
        }
    }

    /// Returns the value of the variable with the highest mean, or `None` if some value was never pulled. Ties go to
    /// the lowest value.
    pub(super) fn best_value(&self, variable: usize) -> Option<u16> {
        let mut best = (f64::NEG_INFINITY, 0);
        for (number, value) in self.values_of(variable).iter().enumerate() {
            if value.pulls == 0 {
                return None;
            }
            let mean = value.sum / f64::from(value.pulls);
            if mean > best.0 {
                best = (mean, number as u16);
            }
        }
        Some(best.1)
    }

    /// Returns the arm with the highest mean, or `None` before the first pull. Ties go to the first arm.
    pub fn best_mean(&mut self) -> Option<usize> {
        if self.best.is_none() {
            self.best = self.highest_mean().map(|best| best as u32);
        }
        self.best.map(|best| best as usize)
    }

    fn highest_mean(&self) -> Option<usize> {
        let highest = self.means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.means.iter().position(|&mean| mean == highest)
    }

    /// Returns the arm with the highest bound (ties go to the first arm) and this bound, or `None` before the first
    /// pull. The bound is `weight` x mean + `c` sqrt(ln t / N), where t is the number of all pulls and N the pulls of
    /// the arm.
    pub(super) fn best_bound(&self, weight: f64, c: f64) -> Option<(usize, f64)> {
        if self.means.is_empty() {
            return None;
        }
        let log = libm::log(self.num_pulls as f64);
        let mut best = (0, f64::NEG_INFINITY);
        // Neighbouring arms mostly have one pull each, and thus the same bonus. Reusing it saves the square roots,
        // which dominate.
        let (mut pulls_before, mut bonus) = (0, 0.0);
        for (arm, (&mean, &pulls)) in self.means.iter().zip(&self.pulls).enumerate() {
            if pulls != pulls_before {
                bonus = c * (log / f64::from(pulls)).sqrt();
                pulls_before = pulls;
            }
            let bound = weight * mean + bonus;
            if bound > best.1 {
                best = (arm, bound);
            }
        }
        Some(best)
    }

    /// Sets `arm` to the recommended arm. Returns `false` before the first pull.
    pub fn recommend(&self, rule: Recommendation, arm: &mut [u16]) -> bool {
        let best = match rule {
            Recommendation::HighestMean => self.highest_mean(),
            Recommendation::MostPulled => {
                let key = |k: usize| (self.pulls[k], self.means[k]);
                (0..self.num_arms()).reduce(|best, k| if key(k) > key(best) { k } else { best })
            }
        };
        if let Some(best) = best {
            arm.copy_from_slice(self.arm(best));
        }
        best.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pull_counts_for_its_arm_and_for_its_values() {
        let mut tables = Tables::default();
        tables.reset(&[2, 3]);
        assert!(!tables.recommend(Recommendation::default(), &mut [0, 0]));
        for (arm, reward, number) in
            [([0, 1], 0.5, 0), ([1, 1], 0.75, 1), ([0, 2], 0.25, 2), ([0, 1], 0.125, 0)]
        {
            assert_eq!(tables.observe(&arm, reward), number);
        }
        assert_eq!((tables.num_pulls(), tables.num_arms()), (4, 3));
        // (.5 + .25 + .125) / 3 and (.5 + .75 + .125) / 3, by hand.
        assert_eq!((tables.value_pulls(0, 0), tables.value_mean(0, 0)), (3, 0.875 / 3.0));
        assert_eq!((tables.value_pulls(1, 1), tables.value_mean(1, 1)), (3, 1.375 / 3.0));
        assert_eq!((tables.value_pulls(1, 0), tables.value_mean(1, 0)), (0, 0.0));
        assert_eq!([0, 1, 2].map(|arm| tables.mean(arm)), [0.3125, 0.75, 0.25]);
        assert_eq!((tables.best_value(0), tables.best_value(1)), (Some(1), None));
        assert_eq!((tables.find(&[1, 1]), tables.find(&[1, 2])), (Some(1), None));
        assert_eq!(tables.best_mean(), Some(1));
        let mut arm = [9, 9];
        assert!(tables.recommend(Recommendation::MostPulled, &mut arm));
        assert_eq!(arm, [0, 1]);
        assert!(tables.recommend(Recommendation::HighestMean, &mut arm));
        assert_eq!(arm, [1, 1]);
        tables.reset(&[2]);
        assert_eq!((tables.num_pulls(), tables.num_arms(), tables.best_mean()), (0, 0, None));
    }

    #[test]
    fn the_first_of_equals_comes_first() {
        let mut tables = Tables::default();
        tables.reset(&[4]);
        for arm in [3, 1, 2, 1, 3, 2] {
            tables.observe(&[arm], 0.5);
        }
        let mut arm = [0];
        assert!(tables.recommend(Recommendation::MostPulled, &mut arm));
        assert_eq!((arm, tables.best_mean()), ([3], Some(0)));
        assert_eq!(tables.best_bound(1.0, 0.05).map(|(arm, _)| arm), Some(0));
        tables.observe(&[2], 0.5);
        assert!(tables.recommend(Recommendation::MostPulled, &mut arm));
        assert_eq!(arm, [2]);
        // The bonus of an arm with fewer pulls is larger.
        assert_eq!(tables.best_bound(1.0, 0.05).map(|(arm, _)| arm), Some(0));
    }

    /// The expected bounds of two arms are worked out by hand. Their means are .6 after 2 pulls and .5 after 1 pull; t
    /// = 3, so ln 3 = 1.0986123. With C = .05 before the bonus, the bounds are .6 + .05 x .741152 = .637058 and .5 +
    /// .05 x 1.048147 = .552407. With C before the mean, they are .03 + .741152 = .771152 and .025 + 1.048147 =
    /// 1.073147.
    #[test]
    fn upper_bounds_are_those_of_the_formula() {
        let mut tables = Tables::default();
        tables.reset(&[2]);
        for (arm, reward) in [(0, 0.7), (1, 0.5), (0, 0.5)] {
            tables.observe(&[arm], reward);
        }
        let (arm, bound) = tables.best_bound(1.0, 0.05).expect("pulls");
        assert!(arm == 0 && (bound - 0.637_058).abs() < 1e-6, "{arm} {bound}");
        let (arm, bound) = tables.best_bound(0.05, 1.0).expect("pulls");
        assert!(arm == 1 && (bound - 1.073_147).abs() < 1e-6, "{arm} {bound}");
    }

    /// The best arm that the tables keep is the arm that a search through all arms finds.
    #[test]
    fn the_best_arm_is_kept() {
        let mut tables = Tables::default();
        tables.reset(&[50]);
        let mut stream = ruse_base::hashing::HashStream::new(1.0, 1);
        for pull in 0..2000 {
            tables.observe(&[stream.below(50) as u16], stream.below(8) as f64);
            if pull % 3 > 0 {
                assert_eq!(tables.best_mean(), tables.highest_mean());
            }
        }
    }
}
