//! The columns of a table.

use ruse_play::score::Estimate;
use serde::Serialize;
use serde_json::{Value, json};

use super::entry::{Entry, Text, ToEntry};
use crate::published::Cell;
use crate::repeats::{MeanScore, Withheld};

/// The role of a column in formats for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The column is not shown to people: it is for programs.
    Nowhere,
    /// The column has the names of the rows, below this heading.
    Label(String),
    /// The column is shown below this heading.
    Column(String),
    /// The column has the headings of other columns. People see this many consecutive rows as one row, and the entries
    /// of the first such group as headings.
    Across(usize),
    /// The figures below the headings of [`Across`](Place::Across).
    Figure,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The name in the formats for programs; `None` if the column is only for people.
    pub name: Option<&'static str>,
    /// The role of the column in formats for people.
    pub place: Place,
    /// The entries, one for each row.
    pub entries: Vec<Entry>,
}

/// The formats that show a table unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Visibility {
    /// All formats show the table.
    #[default]
    Always,
    /// All formats except the terminal show the table.
    NotInTerminal,
    /// Only JSON shows the table, and other formats on request.
    OnRequest,
}

/// A table of results.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The name that users type, and part of the names of files. Tables with the same name have the same columns for
    /// programs, which see them as one table.
    pub id: &'static str,
    /// The family, if there is a table of this name for each family.
    pub family: Option<String>,
    /// The formats that show the table.
    pub shown: Visibility,
    /// The title.
    pub title: String,
    /// A description of the figures.
    pub caption: String,
    /// A short description for a paper: at most 95 characters, two lines of a column.
    pub short: String,
    /// The columns, all with the same number of entries.
    pub columns: Vec<Column>,
    /// Flags of the rows that programs see. Other rows are only for people.
    pub is_data: Vec<bool>,
    /// The meanings of the two marks: of the best figures, and of nearly the best.
    pub legend: [Option<String>; 2],
    /// Sentences below the table.
    pub notes: Vec<String>,
    /// The sentence that people see instead of a table without results.
    pub absent: Option<&'static str>,
    /// The results for JSON, if they are more than the rows.
    pub results: Option<Value>,
}

impl Table {
    /// Creates a table with this name, title and columns, without descriptions.
    pub fn new<T>(id: &'static str, title: impl Into<String>, grid: Grid<'_, T>) -> Table {
        let Grid { columns, is_data, .. } = grid;
        Table { id, title: title.into(), columns, is_data, ..Table::default() }
    }

    /// Returns a table for each of `parts`, or, without parts, one table that people see as the sentence `absent`.
    pub(crate) fn each<P: Default + Serialize>(
        parts: &[P],
        absent: &'static str,
        table: impl Fn(&P) -> Table,
    ) -> Vec<Table> {
        let mut tables: Vec<Table> = parts.iter().map(&table).collect();
        if tables.is_empty() {
            tables.push(Table { absent: Some(absent), ..table(&P::default()) });
        }
        tables[0].results = Some(json!(parts));
        tables
    }

    /// Inserts a row for people, with this name and these figures, before the row `at`.
    pub(crate) fn add_for_people(&mut self, at: usize, name: &str, figures: Vec<Text>) {
        let num = figures.len();
        self.is_data.splice(at..at, vec![false; num]);
        for column in &mut self.columns {
            let entries: Vec<Entry> = match column.place {
                Place::Label(_) => vec![name.to_entry(); num],
                Place::Figure => figures.iter().map(ToEntry::to_entry).collect(),
                _ => vec![Entry::Missing; num],
            };
            column.entries.splice(at..at, entries);
        }
    }

    /// Returns `true` if people see the table, or a sentence in its place.
    pub(super) fn is_for_people(&self) -> bool {
        let is_shown = |column: &Column| column.place != Place::Nowhere;
        self.absent.is_some() || self.columns.iter().any(is_shown)
    }

    /// Returns `true` if programs see the table.
    pub(super) fn is_for_programs(&self) -> bool {
        self.columns.iter().any(|column| column.name.is_some())
    }

    /// Returns the legend and the notes. `marks` are the two marks in the legend, and `escape` escapes all other text.
    pub(super) fn remarks(&self, marks: [&str; 2], escape: impl Fn(&str) -> String) -> Vec<String> {
        let meanings = marks
            .into_iter()
            .zip(&self.legend)
            .filter_map(|(mark, meaning)| Some(format!("{mark}: {}.", escape(meaning.as_ref()?))));
        meanings.chain(self.notes.iter().map(|note| escape(note))).collect()
    }

    /// Returns the columns that programs see, each with its name.
    pub(super) fn data(&self) -> impl Iterator<Item = (&'static str, &Column)> {
        self.columns.iter().filter_map(|column| Some((column.name?, column)))
    }

    /// Returns the indices of the rows that programs see.
    pub(super) fn data_rows(&self) -> impl Iterator<Item = usize> {
        (0..self.is_data.len()).filter(|row| self.is_data[*row])
    }
}

/// Returns each cell of a table with the heads of its row and its column.
pub(crate) fn crossed<'t, R, C, T>(
    rows: &'t [R],
    columns: &'t [C],
    cells: &'t [Vec<T>],
) -> Vec<(&'t R, &'t C, &'t T)> {
    let of_row = |(row, cells): (&'t R, &'t Vec<T>)| {
        columns.iter().zip(cells).map(move |(column, cell)| (row, column, cell))
    };
    rows.iter().zip(cells).flat_map(of_row).collect()
}

/// The columns of a table with a row for each item of a list.
#[derive(Debug)]
pub struct Grid<'i, T> {
    items: &'i [T],
    columns: Vec<Column>,
    is_data: Vec<bool>,
}

impl<'i, T> Grid<'i, T> {
    /// Creates a grid without columns, with a row for each item.
    pub fn of(items: &'i [T]) -> Grid<'i, T> {
        Grid { items, columns: Vec::new(), is_data: vec![true; items.len()] }
    }

    fn add<E: ToEntry>(
        mut self,
        name: Option<&'static str>,
        place: Place,
        entry: impl Fn(&T) -> E,
    ) -> Grid<'i, T> {
        let entries = self.items.iter().map(|item| entry(item).to_entry()).collect();
        self.columns.push(Column { name, place, entries });
        self
    }

    /// Adds a column with the names of the rows, for all formats.
    #[must_use]
    pub fn key<E: ToEntry>(self, name: &'static str, entry: impl Fn(&T) -> E) -> Grid<'i, T> {
        self.add(Some(name), Place::Label(name.into()), entry)
    }

    /// Adds a column with the names of the rows. Only formats for people show it.
    #[must_use]
    pub fn label<E: ToEntry>(self, heading: &str, entry: impl Fn(&T) -> E) -> Grid<'i, T> {
        self.add(None, Place::Label(heading.into()), entry)
    }

    /// Adds a column for programs.
    #[must_use]
    pub fn data<E: ToEntry>(self, name: &'static str, entry: impl Fn(&T) -> E) -> Grid<'i, T> {
        self.add(Some(name), Place::Nowhere, entry)
    }

    /// Adds a column for people.
    #[must_use]
    pub fn text<E: ToEntry>(self, heading: &str, entry: impl Fn(&T) -> E) -> Grid<'i, T> {
        self.add(None, Place::Column(heading.into()), entry)
    }

    /// Adds a column for all formats.
    #[must_use]
    pub fn both<E: ToEntry>(self, name: &'static str, entry: impl Fn(&T) -> E) -> Grid<'i, T> {
        self.add(Some(name), Place::Column(name.into()), entry)
    }

    /// Combines `num` consecutive rows into one row for people, with these entries as column headings. Programs see the
    /// entries in the column `name`, if it has one.
    #[must_use]
    pub fn across<E: ToEntry>(
        self,
        num: usize,
        name: impl Into<Option<&'static str>>,
        entry: impl Fn(&T) -> E,
    ) -> Grid<'i, T> {
        self.add(name.into(), Place::Across(num), entry)
    }

    /// Adds the figures that people see below the headings of [`across`](Grid::across).
    #[must_use]
    pub fn figure<E: ToEntry>(self, entry: impl Fn(&T) -> E) -> Grid<'i, T> {
        self.add(None, Place::Figure, entry)
    }

    /// Adds the columns of a mean score, for programs: the score, under this name, its interval and its sample.
    #[must_use]
    pub fn mean(self, name: &'static str, mean: impl Fn(&T) -> Option<MeanScore>) -> Grid<'i, T> {
        self.data(name, |item| mean(item).map(|mean| mean.score))
            .data("low", |item| mean(item).map(|mean| mean.interval[0]))
            .data("high", |item| mean(item).map(|mean| mean.interval[1]))
            .data("covers", |item| mean(item).map(|mean| mean.covers.name()))
            .data("playing-half-width", |item| mean(item).map(|mean| mean.playing_half_width))
            .data("pairs", |item| mean(item).map(|mean| mean.num_pairs))
            .data("interval-withheld", |item| mean(item)?.withheld.map(Withheld::name))
    }

    /// Adds the columns of an estimate, for programs: the score, under this name, and its interval.
    #[must_use]
    pub fn estimate(self, name: &'static str, of: impl Fn(&T) -> Option<Estimate>) -> Grid<'i, T> {
        self.data(name, |item| of(item).map(|estimate| estimate.score))
            .data("low", |item| of(item).map(|estimate| estimate.interval[0]))
            .data("high", |item| of(item).map(|estimate| estimate.interval[1]))
    }

    /// Adds a column with the number of pairs behind an estimate, for programs; 0 if it is exact.
    #[must_use]
    pub fn pairs(self, estimate: impl Fn(&T) -> Option<Estimate>) -> Grid<'i, T> {
        let pairs = |of: Estimate| if of.is_exact() { 0 } else { of.pairs };
        self.data("pairs", |item| estimate(item).map(pairs))
    }

    /// Adds the columns of published figures, for programs.
    #[must_use]
    pub fn published<C: 'i>(self, cell: impl Fn(&T) -> &'i Cell<C>) -> Grid<'i, T> {
        self.data("published", |item| Some(cell(item).published?.score))
            .data("published-standard-deviation", |item| cell(item).published?.standard_deviation)
            .data("agreement", |item| Some(cell(item).agreement?.name()))
    }

    /// Hides a row from programs if `is_data` returns `false` for its item.
    #[must_use]
    pub fn data_if(self, is_data: impl Fn(&T) -> bool) -> Grid<'i, T> {
        Grid { is_data: self.items.iter().map(is_data).collect(), ..self }
    }
}
