//! All reachable states of small files, and the states of random games.

use std::collections::HashSet;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_gdl::{AtCap, Evaluator, MoveId, Playouts, Rules, State, joint_moves};

/// The number of steps after which a random game is cut off.
const STEPS_OF_A_GAME: u32 = 1_000;

/// Returns all reachable states, ordered by distance from the start. Returns `None` if there are `max_states` or more,
/// or if finding them takes more than `max_steps` joint moves.
pub(super) fn every_state(rules: &Rules, max_states: usize, max_steps: u64) -> Option<Vec<State>> {
    let mut evaluator = Evaluator::new(rules);
    let mut seen = HashSet::from([rules.start().clone()]);
    let mut states = vec![rules.start().clone()];
    let mut next = rules.start().clone();
    let (mut at, mut steps) = (0, 0);
    while at < states.len() {
        evaluator.set_state(&states[at]);
        at += 1;
        if evaluator.is_terminal() {
            continue;
        }
        let legal: Vec<Vec<MoveId>> =
            rules.roles().map(|role| evaluator.legal(role).collect()).collect();
        for joint in joint_moves(legal) {
            steps += 1;
            evaluator.play(&joint);
            evaluator.copy_next(&mut next);
            if !seen.contains(&next) {
                seen.insert(next.clone());
                states.push(next.clone());
            }
            if states.len() >= max_states || steps > max_steps {
                return None;
            }
        }
    }
    Some(states)
}

/// Visits the states of random games, including their starts, until a limit on games or steps is reached. A game ends
/// early if a role has no moves.
pub(super) fn random_states(
    rules: &Rules,
    games: u64,
    max_steps: u64,
    seed: u64,
    mut visit: impl FnMut(&State),
) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut playouts = Playouts::new(rules, STEPS_OF_A_GAME, AtCap::Zero);
    let mut steps = 0;
    for _ in 0..games {
        // The final state of a game that breaks a rule of the language is visited like any other.
        let _ended = playouts.play_watched(rules.start(), &mut rng, |evaluator, _| {
            steps += 1;
            visit(evaluator.state());
        });
        visit(playouts.evaluator().state());
        if steps >= max_steps {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use ruse_gdl::{Limits, Rules, rule_file};

    use super::{every_state, random_states};

    fn rules(name: &str) -> Rules {
        let file = rule_file(name).expect("a file that comes with the language");
        Rules::from_text(file.text, &Limits::default()).expect("it is sound")
    }

    /// Tic-tac-toe has 5,478 reachable positions (a well-known number), including the empty board, if play ends with
    /// three in a row.
    #[test]
    fn tic_tac_toe_has_5478_states() {
        let states = every_state(&rules("tic_tac_toe"), 200_000, 1_000_000).expect("it is small");
        assert_eq!(states.len(), 5_478);
    }

    /// There are 13 states: the start, 4 states after the simultaneous moves of the two players, and 8 final states
    /// after the moves of chance.
    #[test]
    fn matching_pennies_has_thirteen_states() {
        let rules = rules("matching_pennies");
        assert_eq!(every_state(&rules, 14, 1_000).expect("fewer than 14").len(), 1 + 4 + 8);
        assert_eq!(every_state(&rules, 13, 1_000), None);
        assert_eq!(every_state(&rules, 14, 3), None);
    }

    #[test]
    fn random_games_show_start_and_end() {
        let rules = rules("matching_pennies");
        let mut seen = Vec::new();
        random_states(&rules, 2, 1_000, 1, |state| seen.push(state.clone()));
        assert_eq!(seen.len(), 6);
        assert_eq!((&seen[0], &seen[3]), (rules.start(), rules.start()));
        assert_ne!(seen[1], seen[2]);
    }
}
