//! Tables at which a learner plays by numbers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::{
    AsSliceError, PyReadonlyArray1, PyReadwriteArray1, PyReadwriteArray2, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use ruse::games::{Payoff, Seat, Turn};
use ruse::lab::Transcript;
use ruse::session::Environment;

use crate::family::{Family, Player};
use crate::function::{Function, check_all};
use crate::refusal::{error, refused};

/// The seats of the learner.
#[derive(Clone, Copy)]
enum Seats {
    One(Seat),
    /// The first seat in games with even numbers, the second in others.
    Alternate,
    Both,
}

impl Seats {
    fn in_game(self, game: u64) -> Option<Seat> {
        match self {
            Seats::One(seat) => Some(seat),
            Seats::Alternate if game.is_multiple_of(2) => Some(Seat::First),
            Seats::Alternate => Some(Seat::Second),
            Seats::Both => None,
        }
    }
}

/// Tables with a game each, and the results of the games that are over.
#[pyclass(frozen, module = "ruse._ruse")]
pub(crate) struct Environments {
    inner: Mutex<Inner>,
    /// The Python functions that decide for the opponent.
    functions: Vec<Arc<Function>>,
}

struct Inner {
    environment: Box<dyn Environment>,
    seats: Seats,
    games: Vec<u64>,
    /// The payoff of the first seat at tables where the game is over.
    results: Vec<Option<Payoff>>,
}

/// The arrays that a step fills, with a place for each table.
struct StepArrays<'a> {
    rewards: &'a mut [f32],
    are_over: &'a mut [bool],
    are_illegal: &'a mut [bool],
}

impl Inner {
    fn deal(&mut self, table: usize, game: u64) {
        self.games[table] = game;
        self.environment.deal(table, game, self.seats.in_game(game));
        self.results[table] = match self.environment.turn(table) {
            Turn::Over(payoff) => Some(payoff),
            Turn::Act(_) => None,
        };
    }

    /// Plays an action at each table, or deals the next game where a game is over.
    fn step(&mut self, actions: &[i64], told: &mut StepArrays<'_>) {
        let num_tables = self.games.len() as u64;
        for (table, &action) in actions.iter().enumerate() {
            told.clear(table);
            if self.results[table].is_some() {
                self.deal(table, self.games[table] + num_tables);
                continue;
            }
            let Turn::Act(mover) = self.environment.turn(table) else { continue };
            let is_legal =
                usize::try_from(action).is_ok_and(|number| self.environment.act(table, number));
            let result = match (is_legal, self.environment.turn(table)) {
                (false, _) => Some(Payoff::won_by(mover.other())),
                (true, Turn::Over(payoff)) => Some(payoff),
                (true, Turn::Act(_)) => None,
            };
            self.results[table] = result;
            told.are_illegal[table] = !is_legal;
            if let Some(payoff) = result {
                let own = match self.seats.in_game(self.games[table]) {
                    Some(Seat::Second) => payoff.reversed(),
                    _ => payoff,
                };
                told.rewards[table] = (2.0 * own.score() - 1.0) as f32;
                told.are_over[table] = true;
            }
        }
    }
}

impl StepArrays<'_> {
    fn clear(&mut self, table: usize) {
        self.rewards[table] = 0.0;
        self.are_over[table] = false;
        self.are_illegal[table] = false;
    }
}

impl Environments {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn misshapen(expected: &str) -> PyErr {
    refused(format!("an array must be contiguous and of shape {expected}"))
}

#[pymethods]
impl Environments {
    /// Opens tables against this player. `seats` is "first", "second", "alternate" or
    /// "both".
    #[new]
    fn new(
        family: &Family,
        against: &Player,
        num_tables: usize,
        seats: &str,
        seed: u64,
    ) -> PyResult<Environments> {
        let seats = match seats {
            "first" => Seats::One(Seat::First),
            "second" => Seats::One(Seat::Second),
            "alternate" => Seats::Alternate,
            "both" => Seats::Both,
            other => return Err(refused(format!("there are no seats {other:?}"))),
        };
        let key = Transcript::key(seed);
        let environment = family.numbers()?.environment(&against.player, key, num_tables);
        let environment = environment.map_err(error)?;
        let (games, results) = (vec![0; num_tables], vec![None; num_tables]);
        let inner = Inner { environment, seats, games, results };
        let functions = against.functions.clone();
        Ok(Environments { inner: Mutex::new(inner), functions })
    }

    /// Returns the meaning, the smallest and the largest value of each feature.
    fn features(&self) -> Vec<(String, f32, f32)> {
        let features = self.inner().environment.features().into_iter();
        features
            .map(|feature| (feature.meaning.into_owned(), feature.range[0], feature.range[1]))
            .collect()
    }

    /// Returns the texts of the numbered actions.
    fn actions(&self) -> Vec<String> {
        self.inner().environment.action_texts()
    }

    /// Deals game number `game` + i at table i.
    fn deal(&self, py: Python<'_>, game: u64) -> PyResult<()> {
        py.detach(|| {
            let mut inner = self.inner();
            let num_tables = inner.games.len();
            (0..num_tables).for_each(|table| inner.deal(table, game + table as u64));
        });
        check_all(&self.functions, py)
    }

    /// Plays an action at each table, or deals the next game where a game is over. Fills, for each table, the reward, from
    /// -1 to 1, `true` if the game is over, and `true` if the action was not legal and lost the game.
    fn step(
        &self,
        py: Python<'_>,
        actions: PyReadonlyArray1<'_, i64>,
        mut rewards: PyReadwriteArray1<'_, f32>,
        mut are_over: PyReadwriteArray1<'_, bool>,
        mut are_illegal: PyReadwriteArray1<'_, bool>,
    ) -> PyResult<()> {
        let num_tables = self.inner().games.len();
        let shape = format!("({num_tables},)");
        let wrong = |_: AsSliceError| misshapen(&shape);
        let actions = actions.as_slice().map_err(wrong)?;
        let rewards = rewards.as_slice_mut().map_err(wrong)?;
        let are_over = are_over.as_slice_mut().map_err(wrong)?;
        let are_illegal = are_illegal.as_slice_mut().map_err(wrong)?;
        let lengths = [actions.len(), rewards.len(), are_over.len(), are_illegal.len()];
        if lengths != [num_tables; 4] {
            return Err(misshapen(&shape));
        }
        let mut told = StepArrays { rewards, are_over, are_illegal };
        py.detach(|| self.inner().step(actions, &mut told));
        check_all(&self.functions, py)
    }

    /// Fills, for each table, what the seat to act sees, and a mask of the legal actions. Both arrays have a row for each
    /// table.
    fn look(
        &self,
        py: Python<'_>,
        mut observations: PyReadwriteArray2<'_, f32>,
        mut masks: PyReadwriteArray2<'_, i8>,
    ) -> PyResult<()> {
        let inner = self.inner();
        let num_tables = inner.games.len();
        if observations.shape()[0] != num_tables || masks.shape()[0] != num_tables {
            return Err(misshapen(&format!("({num_tables}, ...)")));
        }
        let [features, actions] = [observations.shape()[1], masks.shape()[1]];
        let wrong = |_: AsSliceError| misshapen(&format!("({num_tables}, ...)"));
        let observations = observations.as_slice_mut().map_err(wrong)?;
        let masks = masks.as_slice_mut().map_err(wrong)?;
        drop(inner);
        py.detach(|| {
            let inner = self.inner();
            let rows = observations.chunks_exact_mut(features).zip(masks.chunks_exact_mut(actions));
            for (table, (observation, mask)) in rows.enumerate() {
                inner.environment.observe(table, observation);
                mask.fill(0);
                if inner.results[table].is_none() {
                    inner.environment.mark_legal(table, mask);
                }
            }
        });
        Ok(())
    }

    /// Returns `true` if the first seat is to act at a table, `false` for the second seat, and `None` after the game.
    fn is_first(&self, table: usize) -> Option<bool> {
        let inner = self.inner();
        match (inner.results[table], inner.environment.turn(table)) {
            (None, Turn::Act(seat)) => Some(seat == Seat::First),
            _ => None,
        }
    }
}
