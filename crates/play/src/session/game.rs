//! The interface of an interactive game, as text.

use ruse_base::stop::StopRequest;
use ruse_games::{Beliefs, BySeat, Drawing, Grammar, Page, ReconstructError, Seat, Tint, Turn};

use super::action::{Allowed, PlayError, Step};
use super::judged::Judged;
use super::values::{Decision, Limit, Values};

/// A series of games between a person and a strategy; one game is in progress. A second strategy may take the person's
/// seat.
///
/// All inputs and outputs are text: the types of the game do not appear in this interface.
pub trait Session: Send {
    /// Makes strategies poll `request` while they think, beginning with the next game. After a stop request, a strategy
    /// that is still thinking plays no action.
    fn heed(&mut self, request: StopRequest);

    /// Deals game number `game`, counted from 0, with a person in seat `person`. If `person` is `None`, no seat is
    /// taken by a person, as in a replay. The same number gives the same deal.
    fn begin(&mut self, game: u64, person: Option<Seat>);

    /// Returns the seat to act, or the end of the game.
    fn turn(&self) -> Turn;

    /// Returns the rules, one paragraph per line.
    fn rules(&self) -> String;

    /// Returns the tint of a word of the table, for a screen with colours; see
    /// [`Board::tint`](ruse_games::Board::tint).
    fn tint(&self, word: &str) -> Option<Tint>;

    /// Returns `true` if the game hides any information from a seat.
    fn hides(&self) -> bool;

    /// Returns `true` if actions may be taken back, because they reveal nothing that the player cannot work out.
    fn may_take_back(&self) -> bool;

    /// Returns the text of the table as `seat` sees it.
    fn view(&self, seat: Seat, page: Page) -> String;

    /// Returns the text of the whole table, with everything revealed.
    fn everything(&self, names: BySeat<&str>, page: Page) -> String;

    /// Returns a drawing of the table as `seat` sees it, if the game has a board that can be drawn.
    fn drawing(&self, seat: Seat) -> Option<Drawing>;

    /// Returns a drawing of the whole table, with everything revealed.
    fn whole_drawing(&self, names: BySeat<&str>) -> Option<Drawing>;

    /// Returns the choices of the seat to act, if they are few. Each choice consists of the input and its meaning.
    fn choices(&self) -> Vec<(String, String)>;

    /// Returns the inputs that are allowed at this turn, or no inputs if the game is over.
    fn allowed(&self) -> Allowed;

    /// Returns the prompt for the seat whose turn it is.
    fn prompt(&self) -> String;

    /// Plays the typed action, or the choice with the typed number, in the seat whose turn it is.
    ///
    /// # Errors
    ///
    /// Returns an error if the input is invalid or against the rules; in this case nothing is played.
    fn act(&mut self, typed: &str) -> Result<Step, PlayError>;

    /// Plays a random legal action in the seat whose turn it is.
    ///
    /// # Errors
    ///
    /// Returns an error if the game is over.
    fn act_at_random(&mut self) -> Result<Step, PlayError>;

    /// Plays the strategy's action in the seat whose turn it is.
    ///
    /// # Errors
    ///
    /// Returns an error if the game is over, if it is the person's turn, or if a stop was requested.
    fn opponent_acts(&mut self) -> Result<Step, PlayError>;

    /// Plays the adviser's action in the person's seat, whose turn it must be. If a strategy sits there, this action is
    /// its move.
    ///
    /// # Errors
    ///
    /// Returns an error if the game is over, if it is not the turn of this seat, if the adviser has no legal action, or
    /// if a stop was requested.
    fn adviser_acts(&mut self) -> Result<Step, PlayError>;

    /// Returns the action that the adviser would play for the person, if it is the person's turn and the action is
    /// known.
    fn advice(&self) -> Option<String>;

    /// Returns the adviser's beliefs about the cells of the board, if the family can compute them. They are based on
    /// the knowledge of the seat to act.
    fn beliefs(&self) -> Option<Beliefs>;

    /// Returns the values of the choices of the seat to act, if they can be computed, or measured within `limit`. The
    /// same position gives the same values, as long as the time suffices for all playouts. Returns `None` after a stop
    /// request, and if [`beliefs`](Session::beliefs) already show the best choice.
    fn values(&self, limit: Limit) -> Option<Values>;

    /// Compares the adviser's action with the best choice of the seat to act, as [`judged`](Session::judged) does.
    fn best(&self, limit: Limit) -> Option<Judged>;

    /// Compares decision number `decision` (from 0) of `seat` in this game with the best decision, given the knowledge
    /// of the seat at that time. Values that cannot be computed are measured within `limit`; the result is the same
    /// each time. Returns `None` if there is no such decision, if nothing is known about the decision, or if a stop was
    /// requested.
    fn judged(&self, seat: Seat, decision: usize, limit: Limit) -> Option<Judged>;

    /// Returns the text of the table as `seat` saw it at its decision number `decision`, if there is one.
    fn view_at(&self, seat: Seat, decision: usize, page: Page) -> Option<String>;

    /// Lets the adviser decide for the seat whose turn it is, repeatedly within `limit`, and returns the adviser's
    /// actions with their frequencies. Returns `None` when the game is over, or after a stop request.
    fn decision(&self, limit: Limit) -> Option<Decision>;

    /// Goes back to the position before the person's last action; returns `false` if there is no such action.
    fn take_back(&mut self) -> bool;

    /// Returns all actions of the game in order, as a person would type them.
    fn actions(&self) -> &[(Seat, String)];

    /// Returns the grammar in which a seat describes what it saw and did, or `None` if games cannot be reconstructed.
    fn grammar(&self) -> Option<Grammar>;

    /// Replaces the game in progress by a game that agrees with the description `text` of what `seat` saw and did, asks
    /// the adviser of that seat, and returns the seat. If `seat` is `None`, `text` determines the seat. Unknown parts
    /// of the game are filled in; the [table](Session::view), the [advice](Session::advice) and the
    /// [values](Session::values) stay the same.
    ///
    /// # Errors
    ///
    /// Returns an error if `text` does not describe a game in which the seat is to act. The game in progress is lost in
    /// this case, too.
    ///
    /// # Panics
    ///
    /// Panics if the family has no [grammar](Session::grammar).
    fn reconstruct(&mut self, text: &str, seat: Option<Seat>) -> Result<Seat, ReconstructError>;

    /// Returns a description of what `seat` saw and did, as read by [`reconstruct`](Session::reconstruct). Returns
    /// `None` if the family has no [grammar](Session::grammar).
    fn tell(&self, seat: Seat) -> Option<String>;

    /// Returns the part that is missing from the [description](Session::reconstruct), such as "your fleet", if choices
    /// have no [values](Session::values) without this part.
    fn missing(&self) -> Option<&str>;
}
