//! Drawings of the table: plain data for graphical screens, with words for screen readers.
//!
//! A drawing shows and hides the same information as the text of [`Board::show`](crate::Board::show).

use serde::Serialize;

/// A drawing of the table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Drawing {
    /// The parts, from top to bottom.
    pub parts: Vec<Part>,
    /// The effect of choosing an item.
    pub entry: Entry,
}

/// The effect of choosing an item that has text to [type](Item::typed).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Entry {
    /// The text of the item is a whole action.
    #[default]
    Plays,
    /// The text of the item is one word of an action; the words of the chosen items follow one another.
    Words,
    /// The texts of two chosen items are the two ends of a word, as in `a1-b1`.
    Pairs,
    /// The text of the item is one of several orders. The orders of an action are separated by semicolons.
    Orders,
}

/// A part of a drawing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Part {
    /// Cells in rows and columns.
    Grid {
        /// The title of the grid.
        title: String,
        /// The names of the columns, from the left.
        columns: Vec<String>,
        /// The rows, from the top.
        rows: Vec<GridRow>,
    },
    /// Items side by side, such as cards.
    Row {
        /// The title of the row.
        title: String,
        /// The items, from the left.
        items: Vec<Item>,
    },
    /// Numbers drawn as bars.
    Bars {
        /// The title, which states what the bars count.
        title: String,
        /// The bars, from the top.
        bars: Vec<Bar>,
    },
    /// Items of which at most one can be chosen.
    Menu {
        /// The name by which items [open](Item::opens) the menu.
        name: String,
        /// The title, which states what is chosen.
        title: String,
        /// The items to choose from.
        items: Vec<Item>,
    },
}

impl Part {
    /// Returns a row of items.
    pub(crate) fn row(title: impl Into<String>, items: impl IntoIterator<Item = Item>) -> Part {
        Part::Row { title: title.into(), items: items.into_iter().collect() }
    }

    /// Returns a grid whose rows are named by their numbers, counted from 1. `rows` are their indices from the top, and
    /// `item` returns the cell in a row and a column.
    pub(crate) fn grid<C: Into<String>>(
        title: &str,
        columns: impl IntoIterator<Item = C>,
        rows: impl IntoIterator<Item = usize>,
        item: impl Fn(usize, usize) -> Item,
    ) -> Part {
        let columns: Vec<String> = columns.into_iter().map(Into::into).collect();
        let row = |row: usize| GridRow {
            name: (row + 1).to_string(),
            cells: (0..columns.len()).map(|column| item(row, column)).collect(),
        };
        let rows = rows.into_iter().map(row).collect();
        Part::Grid { title: title.into(), columns, rows }
    }
}

/// A row of a grid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GridRow {
    /// The name of the row.
    pub name: String,
    /// The cells, from the left.
    pub cells: Vec<Item>,
}

/// A number that is drawn as a bar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bar {
    /// The name of the quantity.
    pub name: String,
    /// The value of the quantity.
    pub value: u64,
    /// The value of a full-length bar; at least 1.
    pub most: u64,
}

/// An object in a drawing, such as a cell, a card or a stone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    /// The appearance of the item.
    pub mark: Mark,
    /// A short label on the item.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// A description of the item in words.
    pub words: String,
    /// The text to type when the item is chosen; empty if it cannot be chosen.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub typed: String,
    /// The name of the menu that the item opens; empty if it does not open a menu.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub opens: String,
    /// Whether the item is highlighted, like the stones of a winning line.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_strong: bool,
}

impl Item {
    /// Creates an unlabelled item that cannot be chosen.
    pub fn new(mark: Mark, words: impl Into<String>) -> Item {
        let (text, typed, opens) = (String::new(), String::new(), String::new());
        Item { mark, text, words: words.into(), typed, opens, is_strong: false }
    }

    /// Sets the label.
    #[must_use]
    pub fn with_text(self, text: impl Into<String>) -> Item {
        Item { text: text.into(), ..self }
    }

    /// Sets the text to type, so that the item can be chosen.
    #[must_use]
    pub fn typing(self, typed: impl Into<String>) -> Item {
        Item { typed: typed.into(), ..self }
    }

    /// Sets the name of the menu that the item opens.
    #[must_use]
    pub fn opening(self, name: impl Into<String>) -> Item {
        Item { opens: name.into(), ..self }
    }

    /// Sets whether the item is highlighted.
    #[must_use]
    pub fn strong(self, is_strong: bool) -> Item {
        Item { is_strong, ..self }
    }
}

/// The appearance of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// An empty cell.
    Empty,
    /// A stone of the first player.
    FirstStone,
    /// A stone of the second player.
    SecondStone,
    /// A part of a ship.
    Ship,
    /// A part of a ship that was hit.
    Hit,
    /// A part of a sunk ship.
    Sunk,
    /// Water that was shot at.
    Miss,
    /// A hidden cell.
    Dark,
    /// A cell that nothing can occupy.
    Wall,
    /// A unit of the first player.
    FirstUnit,
    /// A unit of the second player.
    SecondUnit,
    /// A resource that can be harvested, without an owner.
    Mine,
    /// A card, face up.
    Card,
    /// A card of a red suit, face up.
    RedCard,
    /// A card, face down.
    Back,
    /// A match of the game of Nim.
    Match,
    /// A character that may be the hidden one.
    Face,
    /// A character that is ruled out.
    Gone,
    /// A label without a picture.
    Word,
}
