//! How a person plays: what lies on the table in text, and actions as they are typed.
//!
//! [`Board`] is a capability of a game, apart from its rules. What it shows to a seat is made of
//! [views](Game::View) and of what the seat did itself, so a hidden card cannot get into the text:
//! only [`Board::everything`], which is for the end of a game, gets to see a state.

use rand::Rng;

use crate::{BySeat, Drawing, Game, Legal, Retell, Seat, Turn};

/// What text is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// The columns there are; at least [`Page::MIN_WIDTH`] are used.
    pub width: usize,
    /// Whether letters other than ASCII can be shown.
    pub unicode: bool,
}

impl Page {
    /// The columns that every table needs.
    pub const MIN_WIDTH: usize = 40;

    /// Words, in lines that fit, the later ones indented as deep as `indent` is wide.
    pub fn wrapped<S: AsRef<str>>(
        self,
        indent: &str,
        words: impl IntoIterator<Item = S>,
    ) -> String {
        let width = self.width.max(Self::MIN_WIDTH);
        let indent_width = indent.chars().count();
        let (mut text, mut column) = (indent.to_string(), indent_width);
        for word in words {
            let word = word.as_ref();
            let length = word.chars().count();
            if column > indent_width && column + 1 + length > width {
                text.truncate(text.trim_end().len());
                text.push('\n');
                text.extend(std::iter::repeat_n(' ', indent_width));
                column = indent_width;
            }
            if column > indent_width {
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

/// What a person knows who sits at a seat.
pub struct Seen<'a, G: Game> {
    /// The seat.
    pub seat: Seat,
    /// Whose turn it is, or how the game ended: everybody at the table knows.
    pub turn: Turn,
    /// What can be seen now.
    pub view: G::View<'a>,
    /// What this seat has done, in order: who puts stones without seeing the board remembers where.
    pub own_actions: &'a [G::Action],
}

impl<G: Game> Seen<'_, G> {
    /// Whether it is the turn of the seat.
    pub fn is_to_act(&self) -> bool {
        self.turn == Turn::Act(self.seat)
    }
}

/// Something that happened, as a person at a seat learns of it.
pub struct Event<'a, G: Game> {
    /// The seat of the person who is told.
    pub seat: Seat,
    /// The seat that acted.
    pub actor: Seat,
    /// The action, if the person knows it: their own, or one that [everybody sees](Board::is_public).
    pub action: Option<&'a G::Action>,
    /// What they saw before.
    pub before: G::View<'a>,
    /// What they see now.
    pub after: G::View<'a>,
    /// What comes next.
    pub turn: Turn,
}

impl<G: Game> Event<'_, G> {
    /// Whether the person who is told did it themselves.
    pub fn is_own(&self) -> bool {
        self.seat == self.actor
    }

    /// A sentence of who acted, with the form of the verb that fits, and what they did: "You take", "The opponent
    /// takes".
    pub fn sentence(&self, you: &str, they: &str, rest: &str) -> String {
        if self.is_own() {
            format!("You {you} {rest}.")
        } else {
            format!("The opponent {they} {rest}.")
        }
    }
}

/// One of a few actions that a person may choose from.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice<A> {
    /// What is typed for it, which [`Board::parse`] understands.
    pub typed: String,
    /// What it does; nothing if what is typed says it.
    pub meaning: String,
    /// The action.
    pub action: A,
}

/// What a word on the table is, for a screen that has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tint {
    /// A stone of the first player.
    First,
    /// A stone of the second player.
    Second,
    /// A hit.
    Hit,
    /// A miss.
    Miss,
    /// A red card.
    RedSuit,
    /// Something that is won.
    Good,
    /// Something that is lost.
    Bad,
}

/// A text that is no action.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not understood: {expected}")]
pub struct NotAnAction {
    /// What was typed.
    pub found: String,
    /// What could have been.
    pub expected: String,
}

impl NotAnAction {
    /// Says what was typed and what could have been.
    pub fn new(found: &str, expected: impl Into<String>) -> NotAnAction {
        NotAnAction { found: found.into(), expected: expected.into() }
    }
}

/// What a game needs to be played by a person who reads and types.
///
/// It is implemented for the game itself. Texts end with a line break where they may have several lines, and
/// fit the [`Page`]; longer sentences are wrapped by whoever shows them.
pub trait Board<G: Game>: Send + Sync {
    /// The rules, as one explains them to a person who sits down, and how actions are typed. Each paragraph is a
    /// line.
    fn rules(&self) -> String;

    /// What a seat sees, in lines.
    fn show(&self, seen: &Seen<'_, G>, page: Page) -> String;

    /// The actions of the seat, when there are few and they have names; they are then numbered from 1, and
    /// [`parse`](Board::parse) is not asked about a number alone.
    fn choices(&self, seen: &Seen<'_, G>) -> Vec<Choice<G::Action>> {
        let _ = seen;
        Vec::new()
    }

    /// All legal actions of the seat whose turn it is, each once; none where they are too many to list. By default they are
    /// the [`choices`](Board::choices), if there are any: a game whose choices are not all says so here.
    fn all_actions(&self, seen: &Seen<'_, G>) -> Option<Vec<G::Action>> {
        let choices = self.choices(seen);
        (!choices.is_empty()).then(|| choices.into_iter().map(|choice| choice.action).collect())
    }

    /// A regular expression that matches the whole text of each legal action of the seat whose turn it is, as
    /// [`write`](Board::write) writes it, and what is typed for each of the [`choices`](Board::choices). It may match more.
    ///
    /// Of the dialects it has what all have in common: alternatives, groups, sets of letters and counts.
    /// By default it matches [all actions](Board::all_actions) and nothing else, or any text where these are not listed.
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

    /// Actions of the seat whose turn it is that are worth comparing, all legal and each once: all of them where they are
    /// few, some of each kind where they are many, and none where nothing can be said without knowing what the player
    /// plans. By default they are [all actions](Board::all_actions), or else the [`choices`](Board::choices).
    fn alternatives(&self, seen: &Seen<'_, G>) -> Vec<G::Action> {
        let choices = || self.choices(seen).into_iter().map(|choice| choice.action).collect();
        self.all_actions(seen).unwrap_or_else(choices)
    }

    /// What a person is asked for who is to act, such as "a column from a to g".
    fn prompt(&self, seen: &Seen<'_, G>) -> String;

    /// The action that a person typed who has this view. Whether it is legal is for [`Game::check`] to say.
    ///
    /// # Errors
    ///
    /// Says what could have been typed.
    fn parse(&self, seen: &Seen<'_, G>, text: &str) -> Result<G::Action, NotAnAction>;

    /// The action in the form in which a person would type it: [`parse`](Board::parse) makes the same of it for
    /// whoever may take it.
    fn write(&self, action: &G::Action) -> String;

    /// Whether the other seat sees which action it is that a seat takes which sees `view`.
    fn is_public(&self, view: &G::View<'_>, action: &G::Action) -> bool;

    /// What a person learns of an action, in a sentence; nothing if that goes without saying.
    fn told(&self, event: &Event<'_, G>) -> Option<String>;

    /// All there is, hidden or not, in lines. `names` are those of the seats.
    fn everything(&self, state: &G::State, names: BySeat<&str>, page: Page) -> String;

    /// What a seat sees, drawn; none, as by default, where the text says it as well. It hides what the text hides.
    fn drawing(&self, seen: &Seen<'_, G>) -> Option<Drawing> {
        let _ = seen;
        None
    }

    /// All there is, hidden or not, drawn. `names` are those of the seats.
    fn whole_drawing(&self, state: &G::State, names: BySeat<&str>) -> Option<Drawing> {
        let _ = (state, names);
        None
    }

    /// A legal action of the seat that has this view, whose turn it must be, as
    /// [`SampleAction`](crate::SampleAction).
    fn any_action(&self, view: &G::View<'_>, rng: &mut dyn Rng) -> G::Action;

    /// How one seat tells what it saw and did; none, as by default, if that cannot be made a game of. A game in which nothing is
    /// hidden or left to chance does not need it: all moves are told.
    fn retelling(&self) -> Option<&dyn Retell<G>> {
        None
    }

    /// What a word is that the board shows or tells, without blanks and without a full stop or a comma at its end; none, as
    /// by default, if it has no colour. Colours add nothing that the words do not say.
    fn tint(&self, word: &str) -> Option<Tint> {
        let _ = word;
        None
    }

    /// Whether anything is hidden, so that there is something to show when the game is over.
    fn hides(&self) -> bool {
        true
    }

    /// Whether a person learns nothing from their action and the answer but what they could have worked out, so
    /// that they may take it back: nothing is hidden, and nothing is left to chance. Where nothing is told one still
    /// learns whether the game goes on.
    fn may_take_back(&self) -> bool {
        false
    }
}

/// All legal actions of a game that lists them.
pub(crate) fn all_legal<G: Legal>(game: &G, seen: &Seen<'_, G>) -> Option<Vec<G::Action>> {
    let mut actions = Vec::new();
    game.legal(&seen.view, &mut actions);
    Some(actions)
}

/// A regular expression that matches these texts and nothing else.
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

/// How many there are of something: "1 card", "2 cards".
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {many}"),
    }
}

/// A number with its thousands apart: 1,000,000.
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
