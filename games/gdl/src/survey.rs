//! Properties of rules, observed in random games.

use rand::Rng;
use thiserror::Error;

use crate::clock::{LongWork, Patience};
use crate::play::{PlayError, Playouts};

/// Totals and properties of random games.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Survey {
    /// The number of games.
    pub games: u64,
    /// The number of steps of all games.
    pub steps: u64,
    /// The number of steps of the shortest game.
    pub shortest: u32,
    /// The number of steps of the longest game.
    pub longest: u32,
    /// The number of games of each length in steps, from 0 to `longest`.
    pub lengths: Vec<u64>,
    /// The sum of each role's goals over the games; 0 for `random`.
    pub goals: Vec<u64>,
    /// The sum of the squares of each role's goals.
    pub squares: Vec<u64>,
    /// Whether the goals of all roles except `random` added up to 100 in every game.
    pub constant_sum: bool,
    /// Whether all roles except `random` had the same goal in every game.
    pub cooperative: bool,
    /// Whether, in each step of each game, at most one role other than `random` had a choice.
    pub turns: bool,
}

impl Survey {
    /// Returns the mean goal of a role, 0 to 100, and its standard error.
    pub fn mean(&self, role: usize) -> (f64, f64) {
        let games = self.games as f64;
        let mean = self.goals[role] as f64 / games;
        let variance = (self.squares[role] as f64 / games - mean * mean).max(0.0);
        (mean, (variance / (games - 1.0).max(1.0)).sqrt())
    }
}

/// The reason why a survey ended: a game that cannot be played to its end.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("in a random game (number {number} of {games}): {fault}{}", .fault.remedy())]
pub struct SurveyError {
    /// The number of the game, from 1.
    pub number: u64,
    /// The number of requested games.
    pub games: u64,
    /// The fault of the game.
    pub fault: PlayError,
}

/// Plays games of random moves from the start.
///
/// Violations of the language in certain states are found if a game reaches such a state. Notifies `observer` once if
/// the games take more than two seconds of processor time.
///
/// # Errors
///
/// Returns the error of the first game that cannot be played to its end.
///
/// # Panics
///
/// Panics if `games` is 0.
pub fn survey<R: Rng>(
    mut playouts: Playouts,
    games: u64,
    rng: &mut R,
    observer: &mut dyn FnMut(LongWork),
) -> Result<Survey, SurveyError> {
    assert!(games > 0, "a survey has one game or more");
    let rules = playouts.evaluator().rules().clone();
    let num_roles = rules.num_roles();
    let seats: Vec<usize> = rules.seats().map(|role| role.0 as usize).collect();
    let mut survey = Survey {
        games,
        steps: 0,
        shortest: u32::MAX,
        longest: 0,
        lengths: Vec::new(),
        goals: vec![0; num_roles],
        squares: vec![0; num_roles],
        constant_sum: true,
        cooperative: true,
        turns: true,
    };
    /// The number of steps between checks of the clock.
    const LOOK_EVERY: u64 = 64;
    let mut patience = Patience::start(observer);
    for done in 0..games {
        let mut turns = survey.turns;
        let mut steps = survey.steps;
        // The evaluator has received the joint move, but still reports the legal moves of the state before this move.
        let steps = playouts.play_watched(rules.start(), rng, |evaluator, _| {
            turns &= rules.seats().filter(|&role| evaluator.num_legal(role) > 1).count() <= 1;
            steps += 1;
            if steps.is_multiple_of(LOOK_EVERY) {
                patience.look(|| LongWork::RandomGames { done, games, steps });
            }
        });
        let steps = steps.map_err(|fault| SurveyError { number: done + 1, games, fault })?;
        survey.turns = turns;
        survey.steps += u64::from(steps);
        survey.shortest = survey.shortest.min(steps);
        survey.longest = survey.longest.max(steps);
        survey.lengths.resize(survey.longest as usize + 1, 0);
        survey.lengths[steps as usize] += 1;
        let goals = playouts.goals();
        for (role, &goal) in goals.iter().enumerate() {
            survey.goals[role] += u64::from(goal);
            survey.squares[role] += u64::from(goal) * u64::from(goal);
        }
        let sum: u32 = seats.iter().map(|&seat| u32::from(goals[seat])).sum();
        survey.constant_sum &= sum == 100;
        survey.cooperative &= seats.iter().all(|&seat| goals[seat] == goals[seats[0]]);
    }
    Ok(survey)
}
