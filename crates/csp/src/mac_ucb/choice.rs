//! Chooses the next arm of a state.

use rand::{Rng, RngExt};
use ruse_search::MacUcbSettings;

use super::graph::{Graph, MoveRecord};
use super::proof::falls_short;

/// The purpose of choosing an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To find an unsolved stage.
    Solve,
    /// To sample the reward of the arm.
    Sample,
}

/// The allowed probability that at least one bound is wrong in a race, in which all moves of a seat take part.
const RACE_LEVEL: f64 = 0.05;

/// Returns the lower and upper empirical Bernstein bounds at level `delta` (Audibert, Munos & Szepesvari 2009,
/// theorem 1) for rewards in [0, 1]. Before the first reward, the bounds are 0 and 1.
fn bounds(record: &MoveRecord, delta: f64) -> [f64; 2] {
    if record.pulls == 0 {
        return [0.0, 1.0];
    }
    let n = f64::from(record.pulls);
    let mean = record.mean();
    let variance = (record.squares / n - mean * mean).max(0.0);
    let log = libm::log(3.0 / delta);
    let half = (2.0 * variance * log / n).sqrt() + 3.0 * log / n;
    [mean - half, mean + half]
}

/// The rules for choosing the arm of a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArmChooser<'a> {
    pub(super) settings: &'a MacUcbSettings,
    /// The least worth that a proven arm must have for every seat. Other proven arms are dropped.
    pub(super) theta: f64,
}

impl ArmChooser<'_> {
    /// Returns an arm of a solved node, and appends the choices of its choosers to `choices`. Returns `None` if the
    /// purpose is to solve, but all successors of the node are proven.
    pub(super) fn arm<R: Rng>(
        self,
        graph: &Graph,
        node: u32,
        purpose: Purpose,
        choices: &mut Vec<u32>,
        rng: &mut R,
    ) -> Option<u32> {
        let record = &graph.nodes[node as usize];
        let skips_closed = purpose == Purpose::Solve && self.settings.proves;
        if skips_closed && record.num_open_arms == 0 {
            return None;
        }
        match *graph.choosers_of(node) {
            [] => Some(0),
            [chooser] => {
                let choice = self.best_alone(graph, chooser.block, purpose, node)?;
                choices.push(choice);
                Some(choice)
            }
            ref choosers => {
                let start = choices.len();
                for chooser in choosers {
                    let choice = self.best_apart(graph, chooser.block, purpose, rng)?;
                    choices.push(choice);
                }
                let mut arm = graph.arm_of(node, choices[start..].iter().copied());
                if skips_closed && graph.arm(node, arm).num_open == 0 {
                    while graph.arm(node, arm).num_open == 0 {
                        arm = (arm + 1) % record.num_arms;
                    }
                    choices.truncate(start);
                    choices.extend(graph.choices_of(node, arm).map(|(_, choice)| choice));
                    choices[start..].reverse();
                }
                Some(arm)
            }
        }
    }

    /// Returns the best choice at a node where only one seat chooses. Moves are tried in the order of their texts,
    /// beginning with a different move at each visit; ties go to the first move tried. The worth of a proven arm
    /// replaces its bound. If the purpose is to solve, proven arms are skipped.
    fn best_alone(self, graph: &Graph, block: u32, purpose: Purpose, node: u32) -> Option<u32> {
        let record = &graph.blocks[block as usize];
        let looks = if purpose == Purpose::Solve { record.looks } else { 0 };
        let first = (record.pulls + looks) % record.num_moves;
        self.best(graph, block, purpose, first, Some(node))
    }

    /// Returns the best choice of one of several choosers. Moves are tried in a fixed order, beginning with a random
    /// move, and ties go to the first move tried. If all choosers began with the same move, seats with the same moves
    /// would always make equal moves, and most pairs of moves would not occur.
    pub(super) fn best_apart<R: Rng>(
        self,
        graph: &Graph,
        block: u32,
        purpose: Purpose,
        rng: &mut R,
    ) -> Option<u32> {
        let first = rng.random_range(0..graph.blocks[block as usize].num_moves);
        self.best(graph, block, purpose, first, None)
    }

    /// Returns the choice with the highest upper confidence bound, mean + c sqrt(ln N / n), where N is the number of
    /// visits of all choices, n the visits of this choice, and c = sqrt 2 in the paper. Choices without visits come
    /// first. Choices are tried from number `first` on, and ties go to the first choice tried.
    ///
    /// If only one seat chooses, `arms_of` is the node whose arms are the choices.
    fn best(
        self,
        graph: &Graph,
        block: u32,
        purpose: Purpose,
        first: u32,
        arms_of: Option<u32>,
    ) -> Option<u32> {
        let moves = graph.moves_of(block);
        let record = &graph.blocks[block as usize];
        let looks = |looks: u32| if purpose == Purpose::Solve { looks } else { 0 };
        let total = record.pulls + looks(record.looks);
        let log = libm::log(f64::from(total.max(1)));
        let num_moves = moves.len() as u32;
        let exact_of = |choice: u32| {
            let node = arms_of.filter(|_| self.settings.proves)?;
            graph.arm_value(node, choice).map(|value| (node, value))
        };
        let seat_of = |node: u32| usize::from(graph.choosers_of(node)[0].seat);
        let race = self.settings.has_race.then(|| Race::of(moves, self.settings.race_visits));
        let mut best: Option<(u32, f64)> = None;
        let mut fallback = None;
        for place in 0..num_moves {
            let choice = (first + place) % num_moves;
            let of_move = &moves[choice as usize];
            let tries = of_move.pulls + looks(of_move.looks);
            let bound = match exact_of(choice) {
                Some(_) if purpose == Purpose::Solve => continue,
                Some((node, value)) => {
                    if falls_short(value, self.theta) {
                        fallback.get_or_insert(choice);
                        continue;
                    }
                    value[seat_of(node)]
                }
                None if tries == 0 => f64::INFINITY,
                None if race.as_ref().is_some_and(|race| race.skips(of_move)) => {
                    fallback.get_or_insert(choice);
                    continue;
                }
                None => {
                    let mean = if of_move.pulls == 0 { 0.5 } else { of_move.mean() };
                    mean + self.settings.exploration * (log / f64::from(tries)).sqrt()
                }
            };
            if best.is_none_or(|(_, highest)| bound > highest) {
                best = Some((choice, bound));
            }
        }
        best.map(|(choice, _)| choice).or(fallback)
    }
}

/// Skips the choices that are almost surely worse than another choice.
struct Race {
    delta: f64,
    highest_lower: f64,
    least_visits: u32,
}

impl Race {
    fn of(moves: &[MoveRecord], least_visits: u32) -> Race {
        let delta = RACE_LEVEL / moves.len() as f64;
        let lower = moves.iter().map(|record| bounds(record, delta)[0]);
        let highest_lower = lower.fold(f64::NEG_INFINITY, f64::max);
        Race { delta, highest_lower, least_visits }
    }

    fn skips(&self, record: &MoveRecord) -> bool {
        record.pulls >= self.least_visits && bounds(record, self.delta)[1] < self.highest_lower
    }
}

#[cfg(test)]
mod tests {
    use ruse_gdl::MoveId;

    use super::*;

    fn record(pulls: u32, points: f64, squares: f64) -> MoveRecord {
        MoveRecord { action: MoveId(0), pulls, looks: 0, points, squares }
    }

    /// The expected bounds are computed by hand for n = 100 rewards, half of them 0 and half 1, so that the mean is 1/2
    /// and the variance 1/4. With delta = .025, ln(120) = 4.787492, and the half-width is sqrt(2 * .25 * 4.787492
    /// / 100) + 3 * 4.787492 / 100 = .154718 + .143625.
    #[test]
    fn bounds_are_those_of_empirical_bernstein() {
        let [low, high] = bounds(&record(100, 50.0, 50.0), 0.025);
        assert!((low - 0.201657).abs() < 1e-6, "{low}");
        assert!((high - 0.798343).abs() < 1e-6, "{high}");
        assert_eq!(bounds(&record(0, 0.0, 0.0), 0.025), [0.0, 1.0]);
    }

    #[test]
    fn a_race_skips_what_is_worse_for_sure() {
        let moves = [record(1000, 900.0, 900.0), record(1000, 100.0, 100.0), record(20, 0.0, 0.0)];
        let race = Race::of(&moves, 30);
        assert!(!race.skips(&moves[0]) && race.skips(&moves[1]));
        // The move lost all its visits, but has too few of them to be skipped.
        assert!(!race.skips(&moves[2]));
    }
}
