//! Programs that play: a process chooses the actions of a seat.
//!
//! A program that plays never harms a run. If it plays an illegal action, answers too late, writes an invalid line or
//! ends, it loses the game, and the reason is counted. It is started again up to three times.

mod conduct;
mod deadline;
mod name;
mod pool;
mod wire;
mod worker;

use std::sync::Arc;

use rand::{Rng, RngExt};
use ruse_base::stop::StopRequest;
use ruse_games::{Board, Game, Page, Payoff, Seat, Seen, Turn};
use ruse_search::Strategy;
use ruse_strategies::AnyGame;

use self::conduct::{Absence, Result};
pub use self::conduct::{Conduct, Fault};
pub use self::name::{ProgramName, RefusedProgram, ask_to_start_named, words_in};
use self::pool::Pool;
pub use self::pool::{conduct_of_programs, dismiss_programs, programs_are_steady};
use self::wire::{Move, New, Over, Watch, read_move};
use self::worker::Worker;

/// The page for the texts that a program reads.
const PAGE: Page = Page { width: 80, unicode: false };
/// The interval, in decisions, at which a program that calls itself deterministic is asked twice.
const ASKED_TWICE: u64 = 16;

/// A program as a strategy for the game of a family with a board.
pub struct ProgramPlayer<G: Game> {
    family: Arc<dyn AnyGame<G>>,
    pool: Arc<Pool>,
}

impl<G: Game> ProgramPlayer<G> {
    /// Creates the player, and starts the program if it is not running.
    ///
    /// # Errors
    ///
    /// Returns a message if the game has no board, if the program cannot be started, or if its first answer is invalid.
    pub fn new(family: Arc<dyn AnyGame<G>>, name: &ProgramName) -> Result<Self, String> {
        ProgramPlayer::check(&*family, name)?;
        let how_to_play = board_of(&*family).rules();
        let pool = Pool::of(name, family.info().game, &family.rules(), &how_to_play)?;
        Ok(ProgramPlayer { family, pool })
    }

    /// Checks that a program can play the game, without starting it.
    ///
    /// # Errors
    ///
    /// Returns a message if the game has no board.
    pub fn check(family: &dyn AnyGame<G>, name: &ProgramName) -> Result<(), String> {
        let (command, info) = (name.command(), family.info());
        let none = || format!("{command}: no program can play `{}`, which has no board", info.name);
        family.capabilities().board.map(|_| ()).ok_or_else(none)
    }

    fn board(&self) -> &dyn Board<G> {
        board_of(&*self.family)
    }

    /// Begins the game of a process, unless it has begun.
    fn open(&self, memory: &mut ProgramMemory<G::Action>, seed: u64) -> Result {
        let ProgramMemory { seat, open, stop, .. } = memory;
        if open.is_none() {
            let pool = &self.pool;
            let worker = pool.worker(stop)?;
            let number = pool.next_game();
            let clock_ms = pool.time().as_millis() as u64;
            worker.tell(&New { new: number, seat: *seat, seed, clock_ms }, stop);
            *open = Some(Open { pool: Arc::clone(pool), worker: Some(worker), number });
        }
        Ok(())
    }

    /// Tells the process what its seat sees at a turn of the other seat.
    fn show(&self, memory: &mut ProgramMemory<G::Action>, view: G::View<'_>, seed: u64) -> Result {
        self.open(memory, seed)?;
        let ProgramMemory { seat, own_actions, open, stop, .. } = memory;
        let open = open.as_mut().expect("opened above");
        let own_actions = own_actions.clone().into();
        let seen = Seen { seat: *seat, turn: Turn::Act(seat.other()), view, own_actions };
        let text = self.board().show(&seen, PAGE);
        let worker = open.worker.as_deref().expect("kept until the game ends");
        worker.tell(&Watch { watch: open.number, text, view: self.board().drawing(&seen) }, stop);
        Ok(())
    }

    /// Ends the part of a process that cannot go on.
    fn leave(&self, memory: &mut ProgramMemory<G::Action>, absence: Absence) {
        let open = memory.open.take();
        match absence {
            Absence::Fault(fault, problem) => {
                memory.has_forfeited = true;
                open.into_iter().for_each(|open| open.end_after(fault));
                self.pool.count(fault, problem);
            }
            Absence::Stopped => open.into_iter().for_each(Open::leave),
        }
    }

    /// Asks for the action of the seat to act.
    fn ask(
        &self,
        memory: &mut ProgramMemory<G::Action>,
        view: G::View<'_>,
        seed: u64,
    ) -> Result<G::Action> {
        self.open(memory, seed)?;
        let ProgramMemory { seat, own_actions, open, stop, .. } = memory;
        let (board, pool) = (self.board(), &self.pool);
        let open = open.as_mut().expect("opened above");
        let of_seat = own_actions.clone().into();
        let seen = Seen { seat: *seat, turn: Turn::Act(*seat), view, own_actions: of_seat };
        let choices = board.choices(&seen);
        let texts =
            |all: Vec<_>| all.iter().map(|action| board.spell(&choices, action).0).collect();
        let legal: Option<Vec<String>> = board.all_actions(&seen).map(texts);
        let question = Move {
            to_move: open.number,
            step: own_actions.len(),
            text: board.show(&seen, PAGE),
            view: board.drawing(&seen),
            grammar: legal.is_none().then(|| board.grammar(&seen)),
            legal,
            again: false,
        };
        let worker = open.worker.as_deref().expect("kept until the game ends");
        let ask = |question: &Move| pool.ask(worker, question, stop, read_move);
        let answer = ask(&question)?;
        let decision = pool.next_decision();
        if pool.is_deterministic() && decision.is_multiple_of(ASKED_TWICE) {
            let again = ask(&Move { again: true, ..question })?;
            if again != answer {
                pool.changes_its_mind(&format!("first `{answer}`, then `{again}`"));
            }
        }
        parsed(board, &seen, &answer).map_err(|problem| Absence::Fault(Fault::Illegal, problem))
    }
}

fn board_of<G: Game>(family: &dyn AnyGame<G>) -> &dyn Board<G> {
    family.capabilities().board.expect("checked when the player was created").board
}

/// Returns the legal action that a text stands for.
fn parsed<G: Game>(
    board: &dyn Board<G>,
    seen: &Seen<'_, G>,
    text: &str,
) -> Result<G::Action, String> {
    let mut choices = board.choices(seen);
    if let Some(index) = choices.iter().position(|choice| choice.typed == text) {
        return Ok(choices.swap_remove(index).action);
    }
    let action = board.parse(seen, text).map_err(|error| error.to_string())?;
    match board.permits(seen, &action) {
        true => Ok(action),
        false => Err(format!("`{text}` is not a legal move here")),
    }
}

/// The memory of a [`ProgramPlayer`] during a game.
#[derive(Default)]
pub struct ProgramMemory<A> {
    seat: Seat,
    own_actions: Vec<A>,
    /// The game that the process plays; `None` before its first move and after a forfeit.
    open: Option<Open>,
    has_forfeited: bool,
    stop: StopRequest,
}

/// A game that a process plays. The process goes back to the pool when the game is dropped.
struct Open {
    pool: Arc<Pool>,
    worker: Option<Arc<Worker>>,
    number: u64,
}

impl Open {
    /// Tells the process that the game is over, with its payoff if it was played to the end.
    fn end(mut self, payoff: Option<Payoff>, text: Option<String>) {
        self.conclude(payoff, text);
    }

    /// Ends a game that the program has forfeited. The process has ended unless it can play on.
    fn end_after(mut self, fault: Fault) {
        if fault.ends_process() {
            self.worker = None;
        }
        self.conclude(Some(Payoff::LOSS), None);
    }

    /// Leaves the process, which still owed an answer and was killed.
    fn leave(mut self) {
        self.worker = None;
    }

    fn conclude(&mut self, payoff: Option<Payoff>, text: Option<String>) {
        let Some(worker) = self.worker.take() else { return };
        let over = Over { over: self.number, score: payoff.map(Payoff::score), text };
        worker.tell(&over, &StopRequest::default());
        self.pool.give_back(worker);
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.conclude(None, None);
    }
}

impl<G: Game> Strategy<G> for ProgramPlayer<G> {
    type Memory = ProgramMemory<G::Action>;

    const WATCHES: bool = true;

    fn watch<R: Rng>(&self, memory: &mut Self::Memory, view: G::View<'_>, rng: &mut R) {
        if self.pool.watches() && !memory.has_forfeited {
            let seed = rng.random_range(0..1 << 53);
            if let Err(absence) = self.show(memory, view, seed) {
                self.leave(memory, absence);
            }
        }
    }

    fn begin(&self, memory: &mut Self::Memory, seat: Seat) {
        memory.open = None;
        memory.seat = seat;
        memory.own_actions.clear();
        memory.has_forfeited = false;
    }

    fn act<R: Rng>(
        &self,
        memory: &mut Self::Memory,
        view: G::View<'_>,
        mut rng: &mut R,
        action: &mut G::Action,
    ) {
        // The action of a program that has forfeited, or if games are stopped.
        let own: &mut dyn Rng = &mut rng;
        let any = self.board().any_action(&view, own);
        let seed = rng.random_range(0..1 << 53);
        if memory.has_forfeited {
            *action = any;
            return;
        }
        match self.ask(memory, view, seed) {
            Ok(found) => {
                memory.own_actions.push(found.clone());
                *action = found;
            }
            Err(absence) => {
                self.leave(memory, absence);
                *action = any;
            }
        }
    }

    fn end(&self, memory: &mut Self::Memory, view: G::View<'_>, payoff: Payoff) -> bool {
        if let Some(open) = memory.open.take() {
            let own_actions = memory.own_actions.clone().into();
            let turn = Turn::Over(match memory.seat {
                Seat::First => payoff,
                Seat::Second => payoff.reversed(),
            });
            let seen = Seen { seat: memory.seat, turn, view, own_actions };
            open.end(Some(payoff), Some(self.board().show(&seen, PAGE)));
        }
        memory.has_forfeited
    }

    fn heed(memory: &mut Self::Memory, request: &StopRequest) {
        memory.stop = request.clone();
    }
}
