//! Proofs: the worth of states, derived from the proven worths of their successors.

use ruse_search::matrix::PayoffMatrix;

use super::graph::{Graph, NONE, NodeKind};

/// The difference below which two rewards count as equal. It exceeds their rounding errors.
const TIE: f64 = 1e-12;

/// Returns `true` if `value`, the worth to each seat, is less than `theta` for some seat. The comparison has a
/// tolerance, because sums in different orders round differently.
pub(super) fn falls_short(value: &[f64], theta: f64) -> bool {
    value.iter().any(|&worth| worth < theta - TIE)
}

/// The rules for proving the states of a game.
#[derive(Debug, Clone)]
pub(super) struct ProofRules {
    /// The largest reward that the rules can give each seat.
    pub(super) most: Vec<f64>,
    /// True if all seats always have the same reward.
    pub(super) is_cooperative: bool,
    /// The least worth that a proven arm must have for every seat. Other proven arms are dropped. With 0, all are kept.
    pub(super) theta: f64,
}

impl ProofRules {
    /// Records that a node is proven, and proves its predecessors if possible.
    pub(super) fn learn(&self, graph: &mut Graph, node: u32) {
        let mut proven = vec![node];
        while let Some(child) = proven.pop() {
            let links: Vec<(u32, u32)> = graph.links_to(child).collect();
            for (parent, arm) in links {
                if self.close(graph, parent, arm) && self.prove(graph, parent) {
                    proven.push(parent);
                }
            }
        }
    }

    /// Records that one more successor of an arm is proven. Returns `true` if it was the last.
    pub(super) fn close(&self, graph: &mut Graph, node: u32, arm: u32) -> bool {
        let record = &graph.nodes[node as usize];
        let index = (record.first_arm + arm) as usize;
        graph.arms[index].num_open -= 1;
        if graph.arms[index].num_open > 0 {
            return false;
        }
        let mut sum = vec![0.0; graph.num_seats()];
        let successors = graph.successors_of(node, arm);
        for &successor in successors {
            let value = graph.proven(successor).expect("no successor is open");
            sum.iter_mut().zip(value).for_each(|(sum, value)| *sum += value);
        }
        let num_chance = successors.len() as f64;
        sum.iter_mut().for_each(|sum| *sum /= num_chance);
        graph.arms[index].value = graph.add_value(&sum);
        graph.nodes[node as usize].num_open_arms -= 1;
        true
    }

    /// Proves the worth of a node if its arms determine it. Returns `true` if the node is newly proven.
    pub(super) fn prove(&self, graph: &mut Graph, node: u32) -> bool {
        let record = &graph.nodes[node as usize];
        if record.kind != NodeKind::Solved || record.value != NONE {
            return false;
        }
        let worth = match graph.choosers_of(node) {
            [chooser] => self.best_for(graph, node, usize::from(chooser.seat)),
            _ if record.num_open_arms > 0 => None,
            [] => graph.arm_value(node, 0).map(<[f64]>::to_vec),
            _ if self.is_cooperative => self.best_for(graph, node, 0),
            [_, _] => Self::equilibrium(graph, node).map(|solved| solved.0),
            _ => None,
        };
        let Some(worth) = worth else { return false };
        let value = graph.add_value(&worth);
        graph.nodes[node as usize].value = value;
        true
    }

    /// Returns the worth of a node at which one seat chooses: the mean over its best arms. One proven arm with the
    /// largest possible reward of the seat suffices.
    fn best_for(&self, graph: &Graph, node: u32, seat: usize) -> Option<Vec<f64>> {
        let record = &graph.nodes[node as usize];
        let known = || (0..record.num_arms).filter_map(|arm| graph.arm_value(node, arm));
        let most = known().map(|value| value[seat]).fold(f64::NEG_INFINITY, f64::max);
        if record.num_open_arms > 0 && most < self.most[seat] - TIE {
            return None;
        }
        // Arms whose worth to some seat is below theta are dropped, unless this would drop all arms.
        let is_left = |value: &&[f64]| !falls_short(value, self.theta);
        let any_left = known().any(|value| is_left(&value));
        let candidates = || known().filter(move |value| !any_left || is_left(value));
        let best = candidates().map(|value| value[seat]).fold(f64::NEG_INFINITY, f64::max);
        let mut sum = vec![0.0; graph.num_seats()];
        let mut num_tied = 0.0;
        for value in candidates().filter(|value| value[seat] >= best - TIE) {
            num_tied += 1.0;
            sum.iter_mut().zip(value).for_each(|(sum, value)| *sum += value);
        }
        Some(sum.into_iter().map(|sum| sum / num_tied).collect())
    }

    /// Returns the worth of a node with two simultaneous choosers whose rewards have a constant sum, and their
    /// equilibrium mixtures.
    pub(super) fn equilibrium(graph: &Graph, node: u32) -> Option<(Vec<f64>, [Vec<f64>; 2])> {
        let &[first, second] = graph.choosers_of(node) else { return None };
        let record = &graph.nodes[node as usize];
        let seats = [first, second].map(|chooser| usize::from(chooser.seat));
        let num_moves = |block: u32| graph.blocks[block as usize].num_moves;
        let (num_rows, num_columns) = (num_moves(first.block), num_moves(second.block));
        let sum_of = |value: &[f64]| value[seats[0]] + value[seats[1]];
        let mut sums = (0..record.num_arms).map(|arm| graph.arm_value(node, arm).map(sum_of));
        let sum = sums.next()??;
        if !sums.all(|other| other.is_some_and(|other| (other - sum).abs() < TIE)) {
            return None;
        }
        let worth_of = |row: usize, column: usize| {
            let arm = row as u32 * num_columns + column as u32;
            graph.arm_value(node, arm).expect("no arm is open")
        };
        let matrix =
            PayoffMatrix::from_fn(num_rows as usize, num_columns as usize, |row, column| {
                worth_of(row, column)[seats[0]]
            });
        let solved = matrix.ok()?.solve().ok()?;
        let mut worth = vec![0.0; graph.num_seats()];
        for (row, &x) in solved.row_mixture.iter().enumerate() {
            for (column, &y) in solved.column_mixture.iter().enumerate() {
                let value = worth_of(row, column);
                worth.iter_mut().zip(value).for_each(|(sum, value)| *sum += x * y * value);
            }
        }
        Some((worth, [solved.row_mixture, solved.column_mixture]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In binary floating point, .1 + .2 exceeds .3; the tolerance treats the sum and .3 as equal.
    #[test]
    fn theta_has_the_tolerance_of_ties() {
        let theta = 0.1 + 0.2;
        assert!(theta > 0.3);
        assert!(!falls_short(&[0.5, 0.3], theta));
        assert!(falls_short(&[0.5, 0.3 - 1e-9], theta));
    }
}
