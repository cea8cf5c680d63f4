//! The table as a drawing: plain data for a screen with pixels, with words for those who cannot see it.
//!
//! A drawing is made of what the text of [`Board::show`](crate::Board::show) is made of, and hides as much.

use serde::Serialize;

/// What lies on the table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Drawing {
    /// The parts, from top to bottom.
    pub parts: Vec<Part>,
    /// What choosing an item does.
    pub entry: Entry,
}

/// What it does to choose an item that has something to [type](Item::typed).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Entry {
    /// It is the action.
    #[default]
    Plays,
    /// It is a word of the action; words stand one after the other.
    Words,
    /// Two items, one after the other, are the ends of a word, as in `a1-b1`.
    Pairs,
    /// It is one of several orders, which have a semicolon between them.
    Orders,
}

/// A part of a drawing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Part {
    /// Cells in rows and columns.
    Grid {
        /// What it is.
        title: String,
        /// The names of the columns, from the left.
        columns: Vec<String>,
        /// The rows, from the top.
        rows: Vec<GridRow>,
    },
    /// Things beside each other, such as cards.
    Row {
        /// What they are.
        title: String,
        /// The things, from the left.
        items: Vec<Item>,
    },
    /// Numbers, as lengths.
    Bars {
        /// What they count.
        title: String,
        /// The bars, from the top.
        bars: Vec<Bar>,
    },
    /// Items of which at most one is chosen.
    Menu {
        /// What items [open](Item::opens) it by.
        name: String,
        /// What is chosen.
        title: String,
        /// What there is to choose from.
        items: Vec<Item>,
    },
}

/// A row of a grid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GridRow {
    /// The name of the row.
    pub name: String,
    /// The cells, from the left.
    pub cells: Vec<Item>,
}

/// A number that is drawn as a length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bar {
    /// What it is the number of.
    pub name: String,
    /// The number.
    pub value: u64,
    /// The number that is drawn in full length; at least 1.
    pub most: u64,
}

/// Something that is drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    /// What it looks like.
    pub mark: Mark,
    /// A few letters on it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What it is, in words.
    pub words: String,
    /// What is typed when it is chosen; nothing if it cannot be.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub typed: String,
    /// The name of the menu of what can be chosen for it; nothing if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub opens: String,
    /// Whether it stands out, as a line that has won.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_strong: bool,
}

impl Item {
    /// An item without letters that cannot be chosen.
    pub fn new(mark: Mark, words: impl Into<String>) -> Item {
        let (text, typed, opens) = (String::new(), String::new(), String::new());
        Item { mark, text, words: words.into(), typed, opens, is_strong: false }
    }

    /// The same with letters on it.
    #[must_use]
    pub fn with_text(self, text: impl Into<String>) -> Item {
        Item { text: text.into(), ..self }
    }

    /// The same, to be chosen.
    #[must_use]
    pub fn typing(self, typed: impl Into<String>) -> Item {
        Item { typed: typed.into(), ..self }
    }

    /// The same, with a menu.
    #[must_use]
    pub fn opening(self, name: impl Into<String>) -> Item {
        Item { opens: name.into(), ..self }
    }

    /// The same; it stands out if `is_strong`.
    #[must_use]
    pub fn strong(self, is_strong: bool) -> Item {
        Item { is_strong, ..self }
    }
}

/// What an item looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// A cell with nothing on it.
    Empty,
    /// A stone of the first player.
    FirstStone,
    /// A stone of the second player.
    SecondStone,
    /// A part of a ship.
    Ship,
    /// A part of a ship that was hit.
    Hit,
    /// A part of a ship that is sunk.
    Sunk,
    /// Water that was shot at.
    Miss,
    /// A cell that cannot be seen.
    Dark,
    /// A cell that nothing can be on.
    Wall,
    /// A unit of the first player.
    FirstUnit,
    /// A unit of the second player.
    SecondUnit,
    /// What belongs to nobody and can be harvested.
    Mine,
    /// A card, face up.
    Card,
    /// A card of a red suit, face up.
    RedCard,
    /// A card, face down.
    Back,
    /// A match.
    Match,
    /// A character that may be the one.
    Face,
    /// A character that is not the one.
    Gone,
    /// A word.
    Word,
}
