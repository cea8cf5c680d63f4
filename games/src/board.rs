//! The text interface of a game: the table as text, and actions as they are typed.
//!
//! [`Board`] is a capability of a game, separate from its rules. The text for a seat is built from [views](Game::View)
//! and from the seat's own actions, so a hidden card cannot leak into it: only [`Board::everything`], which is called
//! at the end of a game, receives a state.

use std::borrow::Cow;

use crate::{AnyAction, BySeat, Drawing, Game, Legal, Reconstruct, Seat, Turn};

/// The page that a text must fit: its width and its character set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// The number of columns; widths below [`Page::MIN_WIDTH`] count as [`Page::MIN_WIDTH`].
    pub width: usize,
    /// Whether non-ASCII characters can be shown.
    pub unicode: bool,
}

impl Page {
    /// The smallest width that every table fits into, in columns.
    pub const MIN_WIDTH: usize = 40;

    /// Joins words into lines that fit the page. The first line starts with `lead`; later lines are indented to the
    /// same depth.
    pub fn wrapped<S: AsRef<str>>(self, lead: &str, words: impl IntoIterator<Item = S>) -> String {
        let width = self.width.max(Self::MIN_WIDTH);
        let lead_width = lead.chars().count();
        let (mut text, mut column) = (lead.to_string(), lead_width);
        for word in words {
            let word = word.as_ref();
            let length = word.chars().count();
            if column > lead_width && column + 1 + length > width {
                text.truncate(text.trim_end().len());
                text.push('\n');
                text.extend(std::iter::repeat_n(' ', lead_width));
                column = lead_width;
            }
            if column > lead_width {
                text.push(' ');
                column += 1;
            }
            text.push_str(word);
            column += length;
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }
}

/// The information that a player has at one seat.
pub struct Seen<'a, G: Game> {
    /// The seat of the player.
    pub seat: Seat,
    /// The seat to act, or the result of the finished game. Both players know this.
    pub turn: Turn,
    /// The current view of the seat.
    pub view: G::View<'a>,
    /// The actions of this seat so far, in order. Players who do not see the board need this list.
    pub own_actions: Cow<'a, [G::Action]>,
}

impl<G: Game> Seen<'_, G> {
    /// Returns whether it is this seat's turn.
    pub fn is_to_act(&self) -> bool {
        self.turn == Turn::Act(self.seat)
    }
}

/// An action, as reported to one player.
pub struct Event<'a, G: Game> {
    /// The seat of the player who gets the report.
    pub seat: Seat,
    /// The seat that acted.
    pub actor: Seat,
    /// The action, if the player knows it: their own, or a [public](Board::is_public) one.
    pub action: Option<&'a G::Action>,
    /// The player's view before the action.
    pub before: G::View<'a>,
    /// The player's view after the action.
    pub after: G::View<'a>,
    /// The turn after the action.
    pub turn: Turn,
}

impl<G: Game> Event<'_, G> {
    /// Returns whether the action is the player's own.
    pub fn is_own(&self) -> bool {
        self.seat == self.actor
    }

    /// Returns a sentence about the action: "You", `you` and `rest` for the player who acted, "The opponent", `they`
    /// and `rest` for the other. `you` and `they` are two forms of a verb.
    pub fn sentence(&self, you: &str, they: &str, rest: &str) -> String {
        if self.is_own() {
            format!("You {you} {rest}.")
        } else {
            format!("The opponent {they} {rest}.")
        }
    }
}

/// One of a few named actions to choose from.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice<A> {
    /// The text to type for the action, which [`Board::parse`] accepts.
    pub typed: String,
    /// The effect of the action; empty if the text to type is clear.
    pub meaning: String,
    /// The action that the text stands for.
    pub action: A,
}

/// The meaning of a word on the table, for screens with colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tint {
    /// A stone of the first player.
    First,
    /// A stone of the second player.
    Second,
    /// A shot that has hit a ship, or a tie in War.
    Hit,
    /// A shot that has hit water.
    Miss,
    /// A red card.
    RedSuit,
    /// A success of the player.
    Good,
    /// A failure of the player.
    Bad,
}

/// A text that does not name an action.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not understood: {expected}")]
pub struct NotAnAction {
    /// The text that was typed.
    pub found: String,
    /// A description of the valid inputs.
    pub expected: String,
}

impl NotAnAction {
    /// Creates an error for the typed text.
    pub fn new(found: &str, expected: impl Into<String>) -> NotAnAction {
        NotAnAction { found: found.into(), expected: expected.into() }
    }
}

/// The text interface through which a person plays a game.
///
/// Games implement this trait themselves. A text that may have several lines ends with a line break and fits the
/// [`Page`]. A text of one sentence has no line breaks; the caller wraps it.
pub trait Board<G: Game>: AnyAction<G> + Send + Sync {
    /// Returns the rules for a new player, including how to type actions. Each paragraph is a single line.
    fn rules(&self) -> String;

    /// Returns the table as the seat sees it, as lines of text.
    fn show(&self, seen: &Seen<'_, G>, page: Page) -> String;

    /// Returns the actions of the seat if they are few and have names, otherwise an empty list (the default). The
    /// interface numbers them from 1. A number that a player types is not passed to [`parse`](Board::parse).
    fn choices(&self, seen: &Seen<'_, G>) -> Vec<Choice<G::Action>> {
        let _ = seen;
        Vec::new()
    }

    /// Returns all legal actions of the seat whose turn it is, each once, or `None` if there are too many to list. The
    /// default returns the [`choices`](Board::choices) unless they are empty; a game whose choices are incomplete must
    /// override this method.
    fn all_actions(&self, seen: &Seen<'_, G>) -> Option<Vec<G::Action>> {
        let choices = self.choices(seen);
        (!choices.is_empty()).then(|| choices.into_iter().map(|choice| choice.action).collect())
    }

    /// Returns a regular expression for the legal actions of the seat to move. It matches each action as
    /// [`write`](Board::write) produces it and as the [`choices`](Board::choices) list it. It may also match other
    /// texts.
    ///
    /// The expression uses only features of all dialects: alternatives, groups, character sets and counts. The default
    /// matches exactly [all actions](Board::all_actions), or any text if these are not listed.
    fn grammar(&self, seen: &Seen<'_, G>) -> String {
        let Some(actions) = self.all_actions(seen) else { return ".+".into() };
        let mut texts: Vec<String> =
            self.choices(seen).into_iter().map(|choice| choice.typed).collect();
        let num_choices = texts.len();
        for action in &actions {
            let written = self.write(action);
            if !texts[..num_choices].contains(&written) {
                texts.push(written);
            }
        }
        pattern_of(texts)
    }

    /// Returns legal actions that are worth comparing, each once: all if there are few, some of each kind if there are
    /// many. The list is empty if the comparison would depend on the player's plans. The default returns [all
    /// actions](Board::all_actions), or else the [`choices`](Board::choices).
    fn alternatives(&self, seen: &Seen<'_, G>) -> Vec<G::Action> {
        let choices = || self.choices(seen).into_iter().map(|choice| choice.action).collect();
        self.all_actions(seen).unwrap_or_else(choices)
    }

    /// Returns a description of the input to ask for, such as "a column from a to g".
    fn prompt(&self, seen: &Seen<'_, G>) -> String;

    /// Parses an action that a player with this view typed. [`Game::check`] decides whether it is legal.
    ///
    /// # Errors
    ///
    /// Returns a description of the valid inputs.
    fn parse(&self, seen: &Seen<'_, G>, text: &str) -> Result<G::Action, NotAnAction>;

    /// Returns whether the seat, whose turn it is, may take an action that was [parsed](Board::parse). The default returns
    /// `true` if [all actions](Board::all_actions) contain it, or are not listed; a game that does not list all actions
    /// must override this method, unless parsed actions are always legal.
    fn permits(&self, seen: &Seen<'_, G>, action: &G::Action) -> bool {
        self.all_actions(seen).is_none_or(|all| all.contains(action))
    }

    /// Returns the text to type for the action. For a player who may take it, [`parse`](Board::parse) turns this text
    /// back into the action.
    fn write(&self, action: &G::Action) -> String;

    /// Returns whether the opponent sees this action of a seat with this view. The default returns `false`.
    fn is_public(&self, view: &G::View<'_>, action: &G::Action) -> bool {
        let _ = (view, action);
        false
    }

    /// Returns a sentence that describes an action to a player, or `None` if there is nothing to report.
    fn told(&self, event: &Event<'_, G>) -> Option<String>;

    /// Returns the whole table, including hidden information, as lines of text. `names` are the names of the seats.
    fn everything(&self, state: &G::State, names: BySeat<&str>, page: Page) -> String;

    /// Returns a drawing of what a seat sees, or `None` (the default) if the text is enough. The drawing hides what the
    /// text hides.
    fn drawing(&self, seen: &Seen<'_, G>) -> Option<Drawing> {
        let _ = seen;
        None
    }

    /// Returns a drawing of the whole table, including hidden information. `names` are the names of the seats.
    fn whole_drawing(&self, state: &G::State, names: BySeat<&str>) -> Option<Drawing> {
        let _ = (state, names);
        None
    }

    /// Returns the text to type for an action, and its meaning. An action that is not among the choices has an empty
    /// meaning, and the text that [`write`](Board::write) returns.
    fn spell(&self, choices: &[Choice<G::Action>], action: &G::Action) -> (String, String) {
        match choices.iter().find(|choice| choice.action == *action) {
            Some(choice) => (choice.typed.clone(), choice.meaning.clone()),
            None => (self.write(action), String::new()),
        }
    }

    /// Returns the parser of one player's descriptions of a game, or `None` (the default) if such a description cannot
    /// be extended to a whole game. A game without hidden information or chance needs no parser: its moves describe it
    /// completely.
    fn reconstruction(&self) -> Option<&dyn Reconstruct<G>> {
        None
    }

    /// Returns the tint of a word in the texts of the board, or `None` (the default). `word` contains no blanks and
    /// does not end with a full stop or a comma. A tint only repeats what the word says.
    fn tint(&self, word: &str) -> Option<Tint> {
        let _ = word;
        None
    }

    /// Returns whether the game hides anything that can be revealed at its end.
    fn hides(&self) -> bool {
        true
    }

    /// Returns whether a player may take an action back. This requires a game without hidden information or chance, in
    /// which an action reveals only what the player could have worked out. Games that report nothing do not qualify,
    /// because an action still reveals whether the game is over.
    fn may_take_back(&self) -> bool {
        false
    }
}

/// Returns all legal actions of a game that lists them.
pub(crate) fn all_legal<G: Legal>(game: &G, seen: &Seen<'_, G>) -> Option<Vec<G::Action>> {
    let mut actions = Vec::new();
    game.legal(&seen.view, &mut actions);
    Some(actions)
}

/// Returns a regular expression that matches the given texts and no others.
pub fn pattern_of<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> String {
    const SPECIAL: &str = r"\.+*?()|[]{}^$";
    let mut pattern = String::new();
    for text in texts {
        if !pattern.is_empty() {
            pattern.push('|');
        }
        for letter in text.as_ref().chars() {
            if SPECIAL.contains(letter) {
                pattern.push('\\');
            }
            pattern.push(letter);
        }
    }
    pattern
}

/// Returns a count with its noun: "1 card", "2 cards".
pub fn counted(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// Formats a number with thousands separators: 1,000,000.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Reads an order of the `N` numbers below `N`. The last numbers may be left out: they follow in order. Returns `None` if
/// the text has no number, if a number is repeated, or if `number` does not know a character.
pub(crate) fn preferences<const N: usize>(
    text: &str,
    number: impl Fn(char) -> Option<u8>,
) -> Option<[u8; N]> {
    let mut order: Vec<u8> = Vec::with_capacity(N);
    for letter in text.chars().filter(|c| !c.is_whitespace() && *c != ',') {
        let found = number(letter)?;
        if order.contains(&found) {
            return None;
        }
        order.push(found);
    }
    if order.is_empty() {
        return None;
    }
    let rest: Vec<u8> = (0..N as u8).filter(|found| !order.contains(found)).collect();
    order.extend(rest);
    order.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_take_letters_as_they_are() {
        assert_eq!(pattern_of(["(mark 1 2)", "noop"]), r"\(mark 1 2\)|noop");
        assert_eq!(pattern_of(["4 2", "a.b"]), r"4 2|a\.b");
    }

    #[test]
    fn numbers_are_readable() {
        let numbers = [0, 999, 1_000, 1_000_000];
        assert_eq!(numbers.map(grouped), ["0", "999", "1,000", "1,000,000"]);
        assert_eq!(counted(1, "card", "cards"), "1 card");
        assert_eq!(counted(0, "card", "cards"), "0 cards");
    }
}
