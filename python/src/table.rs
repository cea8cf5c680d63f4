//! A table at which a user, a program or a language model plays through text.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use ruse::arena::StopSignal;
use ruse::cli::Failure;
use ruse::games::{Page, Seat, Turn};
use ruse::lab::Transcript;
use ruse::session::{Allowed, PlayError, Session};

use crate::family::{Family, Player};
use crate::function::{Function, check_all};
use crate::refusal::{error, refused};

/// A game in progress; the caller plays one seat.
#[pyclass(frozen, module = "ruse._ruse")]
pub(crate) struct Table {
    session: Mutex<Box<dyn Session>>,
    seat: Seat,
    /// The Python functions that decide for the opponent.
    functions: Vec<Arc<Function>>,
}

fn page(width: usize) -> Page {
    Page { width: width.max(Page::MIN_WIDTH), unicode: true }
}

impl Table {
    fn session(&self) -> MutexGuard<'_, Box<dyn Session>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an error unless the game is over. Until then, hidden information must stay hidden.
    fn check_over(&self) -> PyResult<()> {
        match self.session().turn() {
            Turn::Over(_) => Ok(()),
            Turn::Act(_) => {
                Err(refused("the game goes on, and what is hidden stays so until it is over"))
            }
        }
    }

    fn is_own_turn(&self) -> bool {
        matches!(self.session().turn(), Turn::Act(seat) if seat == self.seat)
    }

    fn refuse(problem: PlayError) -> PyErr {
        match problem {
            PlayError::Stopped => error(Failure::Interrupted),
            problem => refused(problem.to_string()),
        }
    }
}

#[pymethods]
impl Table {
    /// Opens a table of the family, and deals this game.
    #[new]
    fn new(
        family: &Family,
        against: &Player,
        is_first: bool,
        seed: u64,
        game: u64,
    ) -> PyResult<Table> {
        let session =
            family.family.sit_down(&against.player, Transcript::key(seed)).map_err(error)?;
        let mut session = session
            .ok_or_else(|| refused(format!("{} has no table for persons", family.family.name())))?;
        session.heed(StopSignal::default().request().clone());
        let seat = if is_first { Seat::First } else { Seat::Second };
        session.begin(game, Some(seat));
        Ok(Table { session: Mutex::new(session), seat, functions: against.functions.clone() })
    }

    /// Returns the rules, one paragraph per line.
    fn rules(&self) -> String {
        self.session().rules()
    }

    /// Returns the state of the game as the caller's seat sees it.
    fn view(&self, width: usize) -> String {
        self.session().view(self.seat, page(width))
    }

    /// Returns `true` if it is the caller's turn.
    fn is_asked(&self) -> bool {
        self.is_own_turn()
    }

    /// Returns some actions with their meanings, a flag that is set if the list is complete, and a regular expression
    /// for actions.
    fn allowed(&self) -> (Vec<(String, String)>, bool, String) {
        let allowed = match self.is_own_turn() {
            true => self.session().allowed(),
            false => Allowed::default(),
        };
        (allowed.actions, allowed.is_complete, allowed.grammar)
    }

    /// Returns the prompt for the caller's next action.
    fn prompt(&self) -> String {
        if self.is_own_turn() { self.session().prompt() } else { String::new() }
    }

    /// Plays the typed action. Returns the message to the caller's seat, if any.
    fn act(&self, typed: &str) -> PyResult<Option<String>> {
        if let Turn::Act(seat) = self.session().turn()
            && seat != self.seat
        {
            return Err(refused("it is the turn of the opponent"));
        }
        let step = match typed.trim() {
            "random" => self.session().act_at_random(),
            typed => self.session().act(typed),
        };
        let step = step.map_err(Table::refuse)?;
        Ok(step.told[self.seat].clone())
    }

    /// Lets the opponent play if it is the opponent's turn. Returns the message to the caller's seat, if any.
    fn opponent_acts(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let told = py.detach(|| {
            let mut session = self.session();
            match session.turn() {
                Turn::Act(seat) if seat != self.seat => {}
                _ => return Ok(None),
            }
            let step = session.opponent_acts().map_err(Table::refuse)?;
            // The opponent's typed action may be hidden.
            Ok(step.told[self.seat].clone())
        });
        check_all(&self.functions, py)?;
        told
    }

    /// Returns the opponent's choice in the caller's place, if known.
    fn hint(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| if self.is_own_turn() { self.session().advice() } else { None })
    }

    /// Goes back to the state before the caller's last action. Returns `false` if the caller has not acted.
    fn take_back(&self) -> bool {
        self.session().take_back()
    }

    /// Returns `true` if an action can be taken back without giving away hidden information.
    fn may_take_back(&self) -> bool {
        self.session().may_take_back()
    }

    /// Returns the whole state, once the game is over.
    fn everything(&self, width: usize) -> PyResult<String> {
        self.check_over()?;
        let names = match self.seat {
            Seat::First => ["you", "the opponent"],
            Seat::Second => ["the opponent", "you"],
        };
        let [first, second] = names;
        Ok(self.session().everything(ruse::games::BySeat { first, second }, page(width)))
    }

    /// Returns the payoff of the caller's seat, if the game is over.
    fn result(&self) -> Option<f64> {
        match (self.session().turn(), self.seat) {
            (Turn::Over(payoff), Seat::First) => Some(payoff.score()),
            (Turn::Over(payoff), Seat::Second) => Some(payoff.reversed().score()),
            (Turn::Act(_), _) => None,
        }
    }

    /// Returns all actions, once the game is over: a flag, set if the first seat acted, and the typed text.
    fn actions(&self) -> PyResult<Vec<(bool, String)>> {
        self.check_over()?;
        let session = self.session();
        let actions = session.actions().iter();
        Ok(actions.map(|(seat, typed)| (*seat == Seat::First, typed.clone())).collect())
    }
}
