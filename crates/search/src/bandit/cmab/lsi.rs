//! Linear side information (LSI): candidate arms are drawn according to the estimated worth of their values, and
//! sequential halving selects one candidate.
//!
//! After Shleyfman, Komenda & Domshlak, *On combinatorial actions and CMABs with linear side information*, ECAI 2014,
//! doi:10.3233/978-1-61499-419-0-825, as used by the paper of the parent module. The sampler must know the number of
//! pulls in advance, and its observations are useless for another number. So it is only for roots.
//!
//! The first quarter of T pulls visits all (variable, value) pairs in turn. The weight of a value is its mean reward in
//! these pulls, minus the lowest mean of its variable, plus .01. Candidates are drawn with these weights, and share the
//! remaining pulls.

use rand::{Rng, RngExt};

use super::draw::{Draw, Scratch};
use super::{Problem, Sampler};

/// The values of the other variables in a pull that examines a (variable, value) pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LsiOthers {
    /// The special values, such as "do nothing": `v` in the paper.
    Special,
    /// Random values: `f` in the paper.
    Free,
}

/// The order in which the values of a candidate are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LsiPicks {
    /// The variables get their values one by one, beginning with the variable whose weights have the lowest entropy:
    /// `e` in the paper.
    ByEntropy,
    /// Pairs are drawn one by one from all admissible pairs of the open variables: `u` in the paper.
    Union,
}

/// The options of LSI, which define four variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LsiOptions {
    /// The values of the other variables in a pull that examines a pair.
    pub others: LsiOthers,
    /// The order in which the values of a candidate are drawn.
    pub picks: LsiPicks,
}

/// The pulls that examine pairs are 1 / `FIRST_SHARE` of all pulls.
const FIRST_SHARE: u64 = 4;
/// The smallest weight, for the worst value of a variable and for values not examined.
const MIN_WEIGHT: f64 = 0.01;

/// A variable, one of its values, and the rewards of the pulls that examined this value.
#[derive(Debug, Clone, Copy, Default)]
struct Pair {
    variable: usize,
    value: u16,
    pulls: u32,
    sum: f64,
    weight: f64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Candidate {
    /// The position of the candidate in `arms`.
    number: usize,
    pulls: u32,
    sum: f64,
}

impl Candidate {
    fn mean(&self) -> f64 {
        match self.pulls {
            0 => f64::NEG_INFINITY,
            pulls => self.sum / f64::from(pulls),
        }
    }
}

/// A sampler with linear side information, for a known number of pulls.
///
/// After the last of these pulls, the sampler recommends the surviving candidate; before that, the remaining candidate
/// with the highest mean. Further pulls go to the survivor.
#[derive(Debug, Clone)]
pub struct Lsi<P: Problem> {
    options: LsiOptions,
    num_pulls: u64,
    /// The special value of each variable.
    special: Vec<u16>,
    scratch: Scratch<P::Partial>,
    done: u64,
    /// All pairs whose value is admissible while no other variable has a value, sorted by variable.
    pairs: Vec<Pair>,
    /// The values of all candidates, one after the other.
    arms: Vec<u16>,
    /// The remaining candidates.
    candidates: Vec<Candidate>,
    /// The total number of halving rounds, at least 1.
    num_rounds: u64,
    /// The number of pulls that each remaining candidate gets in this round.
    pulls_each: u64,
    /// The number of pulls in this round so far.
    of_round: u64,
    /// The index of the candidate pulled last or being pulled.
    current: usize,
}

impl<P: Problem> Lsi<P> {
    /// Prepares for `num_pulls` pulls of `problem`. `special` contains a special value for each variable; together
    /// these values are a legal arm.
    ///
    /// # Panics
    ///
    /// Panics if the number of special values is not the number of variables, or if `num_pulls` is 0.
    pub fn new(options: LsiOptions, num_pulls: u64, special: &[u16], problem: &P) -> Lsi<P> {
        assert!(num_pulls > 0, "there is something to learn from");
        let mut lsi = Lsi {
            options,
            num_pulls,
            special: special.to_vec(),
            scratch: Scratch::default(),
            done: 0,
            pairs: Vec::new(),
            arms: Vec::new(),
            candidates: Vec::new(),
            num_rounds: 1,
            pulls_each: 0,
            of_round: 0,
            current: 0,
        };
        lsi.reset(problem);
        lsi
    }

    fn num_first(&self) -> u64 {
        self.num_pulls / FIRST_SHARE
    }

    fn turn(&self) -> usize {
        (self.done % self.pairs.len() as u64) as usize
    }

    /// Sets `arm` to an arm that contains the next pair to examine.
    fn look<R: Rng + ?Sized>(&mut self, problem: &P, rng: &mut R, arm: &mut [u16]) {
        let Pair { variable, value, .. } = self.pairs[self.turn()];
        if self.options.others == LsiOthers::Free {
            let mut draw = Draw { problem, scratch: &mut self.scratch, rng };
            return draw.random(Some((variable, value)), arm);
        }
        problem.begin(&mut self.scratch.partial);
        problem.fix(&mut self.scratch.partial, variable, value);
        arm[variable] = value;
        for other in (0..arm.len()).filter(|&other| other != variable) {
            let special = self.special[other];
            arm[other] = if problem.admits(&self.scratch.partial, other, special) {
                special
            } else {
                self.scratch.list_admissible(problem, other);
                self.scratch.uniform_value(rng)
            };
            problem.fix(&mut self.scratch.partial, other, arm[other]);
        }
    }

    /// Draws the candidates, and starts the first round.
    fn propose<R: Rng + ?Sized>(&mut self, problem: &P, rng: &mut R) {
        self.weigh();
        let num_left = self.num_pulls - self.num_first();
        let num_variables = problem.sizes().len();
        let order = self.by_entropy(num_variables);
        let mut arm = vec![0; num_variables];
        for _ in 0..num_candidates(num_left) {
            match self.options.picks {
                LsiPicks::ByEntropy => self.pick_by_entropy(&order, problem, rng, &mut arm),
                LsiPicks::Union => self.pick_by_pairs(problem, rng, &mut arm),
            }
            if !self.arms.chunks(num_variables).any(|known| known == arm) {
                let number = self.candidates.len();
                self.candidates.push(Candidate { number, ..Candidate::default() });
                self.arms.extend_from_slice(&arm);
            }
        }
        self.num_rounds = ceil_log2(self.candidates.len() as u64).max(1);
        self.begin_round();
    }

    /// Computes the weight of each pair: [`MIN_WEIGHT`] plus, if the pair was examined, its mean reward minus the
    /// lowest mean of the same variable.
    fn weigh(&mut self) {
        let mean = |pair: &Pair| pair.sum / f64::from(pair.pulls);
        for of_variable in self.pairs.chunk_by_mut(|a, b| a.variable == b.variable) {
            let pulled = of_variable.iter().filter(|pair| pair.pulls > 0);
            let lowest = pulled.map(mean).fold(f64::INFINITY, f64::min);
            for pair in of_variable {
                let more = if pair.pulls > 0 { mean(pair) - lowest } else { 0.0 };
                pair.weight = more + MIN_WEIGHT;
            }
        }
    }

    /// Returns all variables in increasing order of the entropy of their weights.
    fn by_entropy(&self, num_variables: usize) -> Vec<usize> {
        let mut entropies = vec![0.0; num_variables];
        for of_variable in self.pairs.chunk_by(|a, b| a.variable == b.variable) {
            let sum: f64 = of_variable.iter().map(|pair| pair.weight).sum();
            let shares = of_variable.iter().map(|pair| pair.weight / sum);
            entropies[of_variable[0].variable] = -shares.map(|p| p * libm::log(p)).sum::<f64>();
        }
        let mut order: Vec<usize> = (0..num_variables).collect();
        order.sort_by(|&i, &j| entropies[i].total_cmp(&entropies[j]));
        order
    }

    fn pick_by_entropy<R: Rng + ?Sized>(
        &mut self,
        order: &[usize],
        problem: &P,
        rng: &mut R,
        arm: &mut [u16],
    ) {
        let partial = &mut self.scratch.partial;
        problem.begin(partial);
        for &variable in order {
            let first = self.pairs.partition_point(|pair| pair.variable < variable);
            let end = self.pairs.partition_point(|pair| pair.variable <= variable);
            let pair = draw(&self.pairs[first..end], problem, partial, |_| true, rng);
            arm[variable] = pair.value;
            problem.fix(partial, variable, pair.value);
        }
    }

    fn pick_by_pairs<R: Rng + ?Sized>(&mut self, problem: &P, rng: &mut R, arm: &mut [u16]) {
        let partial = &mut self.scratch.partial;
        problem.begin(partial);
        // While a variable is open, its entry is an impossible value.
        arm.fill(u16::MAX);
        for _ in 0..arm.len() {
            let is_open = |pair: &Pair| arm[pair.variable] == u16::MAX;
            let pair = draw(&self.pairs, problem, partial, is_open, rng);
            arm[pair.variable] = pair.value;
            problem.fix(partial, pair.variable, pair.value);
        }
    }

    fn begin_round(&mut self) {
        let num_left = self.candidates.len() as u64;
        let for_all = self.num_pulls - self.num_first();
        self.pulls_each = (for_all / (num_left * self.num_rounds)).max(1);
        self.of_round = 0;
    }

    /// Keeps the better half of the candidates, at the end of a round.
    fn halve(&mut self) {
        // The sort is stable: equal candidates stay in the order in which they were drawn.
        self.candidates.sort_by(|a, b| b.mean().total_cmp(&a.mean()));
        self.candidates.truncate(self.candidates.len().div_ceil(2));
    }

    fn values_of(&self, candidate: Candidate) -> &[u16] {
        let num_variables = self.special.len();
        &self.arms[candidate.number * num_variables..][..num_variables]
    }
}

/// Draws one of the admissible pairs for which `is_open` holds, with probability proportional to its weight.
fn draw<P: Problem, R: Rng + ?Sized>(
    pairs: &[Pair],
    problem: &P,
    partial: &P::Partial,
    is_open: impl Fn(&Pair) -> bool,
    rng: &mut R,
) -> Pair {
    let is_possible =
        |pair: &&Pair| is_open(pair) && problem.admits(partial, pair.variable, pair.value);
    let possible = || pairs.iter().filter(is_possible);
    let mut left = possible().map(|pair| pair.weight).sum::<f64>() * rng.random::<f64>();
    let mut last = None;
    for pair in possible() {
        left -= pair.weight;
        last = Some(*pair);
        if left < 0.0 {
            break;
        }
    }
    last.expect("a variable without a value admits one, as a problem promises")
}

/// Returns the number of candidates that share T = `num_pulls` pulls: the smallest k >= 2 with floor(floor(T / k) /
/// ceil(log2 k)) <= 1.
fn num_candidates(num_pulls: u64) -> u64 {
    (2..).find(|&k| num_pulls / k / ceil_log2(k) <= 1).expect("a large number satisfies it")
}

/// Returns the base-2 logarithm of `number` (at least 1), rounded up.
fn ceil_log2(number: u64) -> u64 {
    u64::from(u64::BITS - (number - 1).leading_zeros())
}

impl<P: Problem> Sampler<P> for Lsi<P> {
    fn reset(&mut self, problem: &P) {
        assert_eq!(self.special.len(), problem.sizes().len(), "a special value for each variable");
        (self.done, self.current) = (0, 0);
        self.arms.clear();
        self.candidates.clear();
        self.pairs.clear();
        problem.begin(&mut self.scratch.partial);
        for (variable, &size) in problem.sizes().iter().enumerate() {
            for value in 0..size {
                if problem.admits(&self.scratch.partial, variable, value) {
                    self.pairs.push(Pair { variable, value, ..Pair::default() });
                }
            }
        }
    }

    fn choose<R: Rng + ?Sized>(&mut self, problem: &P, rng: &mut R, arm: &mut [u16]) {
        if self.done < self.num_first() {
            return self.look(problem, rng, arm);
        }
        if self.candidates.is_empty() {
            self.propose(problem, rng);
        }
        self.current = match self.candidates.len() {
            1 => 0,
            _ => (self.of_round / self.pulls_each) as usize,
        };
        arm.copy_from_slice(self.values_of(self.candidates[self.current]));
    }

    fn observe(&mut self, _: &[u16], reward: f64) {
        assert!(reward.is_finite(), "the reward {reward} is not finite");
        if self.done < self.num_first() {
            let turn = self.turn();
            self.pairs[turn].pulls += 1;
            self.pairs[turn].sum += reward;
        } else {
            let candidate = &mut self.candidates[self.current];
            candidate.pulls += 1;
            candidate.sum += reward;
            self.of_round += 1;
            let num_left = self.candidates.len() as u64;
            if num_left > 1 && self.of_round == num_left * self.pulls_each {
                self.halve();
                self.begin_round();
            }
        }
        self.done += 1;
    }

    fn recommend(&self, arm: &mut [u16]) -> bool {
        let best = self.candidates.iter().copied().reduce(|best, candidate| {
            if candidate.mean() > best.mean() { candidate } else { best }
        });
        match best.filter(|best| best.pulls > 0) {
            Some(best) => {
                arm.copy_from_slice(self.values_of(best));
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected numbers are worked out by hand. T = 75: k = 18 gives floor(75 / 18) = 4 and ceil(log2 18) = 5, so
    /// the quotient is 0; k = 10 gives 7 / 4, rounded down to 1, and k = 9 gives 8 / 4 = 2, so the answer is 10. T = 1:
    /// k = 2 gives 0. T = 8: k = 2 gives 4, and k = 3 gives 2 / 2 = 1. T = 750: k = 65 gives 11 / 7, k = 64 and k = 63
    /// give 11 / 6, all rounded down to 1; k = 62 gives 12 / 6 = 2, and smaller k give more.
    #[test]
    fn the_number_of_candidates_is_that_of_the_formula() {
        assert_eq!([1, 8, 75, 750].map(num_candidates), [2, 3, 10, 63]);
        assert_eq!([1, 2, 3, 4, 5, 64, 65].map(ceil_log2), [0, 1, 2, 2, 3, 6, 7]);
    }
}
