//! A table, as text.

use ruse_games::{Beliefs, BySeat, Drawing, Grammar, Page, RetellError, Seat, Tint, Turn};
use ruse_strategies::StopWish;

use super::action::{Allowed, PlayError, Step};
use super::judged::Judged;
use super::values::{Decision, Limit, Values};

/// Games of one family between a person and a strategy, or between two strategies of which one sits in the place of the
/// person, of which one is in progress.
///
/// Everything is text: the types of the game end here.
pub trait Session: Send {
    /// Lets strategies hear of a wish to stop while they think, from the next game on. Nothing is then played that they had not
    /// decided.
    fn heed(&mut self, wish: StopWish);

    /// Deals game number `game`, from 0, in which a person has seat `person`; nobody has a seat when a game is
    /// replayed. The same number is the same deal.
    fn begin(&mut self, game: u64, person: Option<Seat>);

    /// Whose turn it is, or how the game ended.
    fn turn(&self) -> Turn;

    /// The rules, a paragraph a line.
    fn rules(&self) -> String;

    /// What a word of the table is, for a screen that has colours; see [`Board::tint`](ruse_games::Board::tint).
    fn tint(&self, word: &str) -> Option<Tint>;

    /// Whether there is something that a seat does not see.
    fn hides(&self) -> bool;

    /// Whether an action may be taken back without having learnt anything from it.
    fn may_take_back(&self) -> bool;

    /// What `seat` sees, in lines.
    fn view(&self, seat: Seat, page: Page) -> String;

    /// All there is, in lines.
    fn everything(&self, names: BySeat<&str>, page: Page) -> String;

    /// What `seat` sees, drawn, where the game has a board that can be drawn.
    fn drawing(&self, seat: Seat) -> Option<Drawing>;

    /// All there is, drawn.
    fn whole_drawing(&self, names: BySeat<&str>) -> Option<Drawing>;

    /// What the seat whose turn it is may choose from, if that is few: what is typed, and what it means.
    fn choices(&self) -> Vec<(String, String)>;

    /// What the seat whose turn it is may type; nothing when the game is over.
    fn allowed(&self) -> Allowed;

    /// What the seat whose turn it is is asked for.
    fn prompt(&self) -> String;

    /// Plays what was typed for the seat whose turn it is: the number of a choice, or an action.
    ///
    /// # Errors
    ///
    /// When it is not understood, or against the rules; nothing is played then.
    fn act(&mut self, typed: &str) -> Result<Step, PlayError>;

    /// Plays any legal action for the seat whose turn it is.
    ///
    /// # Errors
    ///
    /// When the game is over.
    fn act_at_random(&mut self) -> Result<Step, PlayError>;

    /// Lets the strategy play for the seat whose turn it is.
    ///
    /// # Errors
    ///
    /// When the game is over, it is the turn of the person, or there is a wish to stop.
    fn opponent_acts(&mut self) -> Result<Step, PlayError>;

    /// Lets the adviser play for the seat whose turn it is, which is that of the person: what a hint says, and what the
    /// strategy in the place of the person does.
    ///
    /// # Errors
    ///
    /// When the game is over, it is not the turn of the person, the adviser does not know what to do, or there is a wish to stop.
    fn adviser_acts(&mut self) -> Result<Step, PlayError>;

    /// What the adviser would do in the place of the person whose turn it is, if that is known.
    fn hint(&self) -> Option<String>;

    /// What the adviser believes about the cells of the board in the place of the seat whose turn it is, where the family can say
    /// it: from what that seat saw and did.
    fn beliefs(&self) -> Option<Beliefs>;

    /// What the choices of the seat whose turn it is are worth, if that can be computed, or measured within `limit`; the
    /// same in the same position, as far as a time suffices for all that is to be played. None if there is a wish to stop, and
    /// where [`beliefs`](Session::beliefs) say which choice is best.
    fn values(&self, limit: Limit) -> Option<Values>;

    /// What a decision of `seat` in this game, by its number from 0, was worth beside the best one that there was: from what the
    /// seat knew then. Measured within `limit` where it cannot be computed; the same each time. None if there is no such
    /// decision, nothing is known about it, or there is a wish to stop.
    fn judged(&self, seat: Seat, decision: usize, limit: Limit) -> Option<Judged>;

    /// What the adviser's strategy does in the place of the seat whose turn it is: how often each action is taken when it
    /// is asked again and again, for `limit` at most. None when the game is over, or there is a wish to stop.
    fn decision(&self, limit: Limit) -> Option<Decision>;

    /// Goes back to before the last action of the person; `false` when there is none.
    fn take_back(&mut self) -> bool;

    /// All actions of the game, in order, as persons would type them.
    fn actions(&self) -> &[(Seat, String)];

    /// How one seat tells what it saw and did; none if no game can be made of it.
    fn grammar(&self) -> Option<Grammar>;

    /// Makes the game in progress one that agrees with what `seat` tells, which is then asked what to do, and returns that seat.
    /// Without a seat it is the one that the text is of. The rest is filled in, which has no influence on the
    /// [table](Session::view), the [hint](Session::hint) and the [values](Session::values).
    ///
    /// # Errors
    ///
    /// When the text tells no game in which the seat is to act. The game in progress is lost all the same.
    ///
    /// # Panics
    ///
    /// When the family has no [grammar](Session::grammar).
    fn retell(&mut self, text: &str, seat: Option<Seat>) -> Result<Seat, RetellError>;

    /// What `seat` saw and did so far, as [`retell`](Session::retell) reads it; none without a [grammar](Session::grammar).
    fn tell(&self, seat: Seat) -> Option<String>;

    /// What a seat left out of what it [told](Session::retell), so that choices have no [values](Session::values), such as "your
    /// fleet".
    fn missing(&self) -> Option<&str>;
}
