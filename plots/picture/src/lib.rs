//! Pictures as plain data: what makes one draws nothing, and what draws it knows no game.

/// A picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Picture {
    /// What is shown.
    pub title: String,
    /// Where it comes from: method, seed, sample size.
    pub caption: String,
    /// The parts, in reading order.
    pub panels: Vec<Panel>,
}

/// A part of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// What this part shows.
    pub title: String,
    /// What a reader has to know to understand it; may be empty.
    pub note: String,
    /// Whether half of a column is wide enough; such parts are next to each other, and a picture of many is as wide
    /// as two columns.
    pub is_half: bool,
    /// The part itself.
    pub chart: Chart,
}

/// A way to show numbers and words. Numbers that are not finite are shown as missing.
#[derive(Debug, Clone, PartialEq)]
pub enum Chart {
    /// Numbers by row and column, as colours; also boards, with words in their cells.
    HeatMap(HeatMap),
    /// Numbers by name, as lengths.
    Bars(Bars),
    /// Functions of a number.
    Lines(Lines),
    /// Three shares of a whole, as a point in a triangle.
    Triangle(Triangle),
    /// Words.
    List(List),
}

/// Rows or columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// What they are; may be empty.
    pub name: String,
    /// A label for each.
    pub ticks: Vec<String>,
}

impl Axis {
    /// Rows or columns with these labels.
    pub fn new<T: ToString>(name: &str, ticks: impl IntoIterator<Item = T>) -> Axis {
        let ticks = ticks.into_iter().map(|tick| tick.to_string()).collect();
        Axis { name: name.into(), ticks }
    }
}

/// Which colour stands for which number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// Light for `low`, dark for `high`.
    Sequential {
        /// The number of the lightest colour.
        low: f64,
        /// The number of the darkest colour.
        high: f64,
    },
    /// White for `centre`, one colour below it, another above.
    Diverging {
        /// The number that is white.
        centre: f64,
        /// How far from it the colours are full.
        reach: f64,
    },
}

impl Scale {
    /// From 0 to the largest of these numbers.
    pub fn from_zero(values: impl IntoIterator<Item = f64>) -> Scale {
        Scale::Sequential { low: 0.0, high: largest(values) }
    }

    /// As far above and below 0 as these numbers go.
    pub fn around_zero(values: impl IntoIterator<Item = f64>) -> Scale {
        Scale::Diverging { centre: 0.0, reach: largest(values.into_iter().map(f64::abs)) }
    }
}

fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().filter(|value| value.is_finite()).fold(0.0, f64::max)
}

/// Numbers by row and column.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// The rows, the first at the top.
    pub rows: Axis,
    /// The columns, from the left.
    pub columns: Axis,
    /// `[rows x columns]`, row by row; `None` for no value.
    pub values: Vec<Option<f64>>,
    /// What is written in the cells: empty, or as many as there are values.
    pub texts: Vec<String>,
    /// The colours.
    pub scale: Scale,
    /// What the numbers are. If it is empty, the colours need no legend.
    pub quantity: String,
    /// Whether the sums of rows and columns are of interest.
    pub has_sums: bool,
}

/// Numbers by name, of one or several series.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// What the numbers are.
    pub quantity: String,
    /// A name for each group of bars.
    pub names: Vec<String>,
    /// A name, and a number for each group.
    pub series: Vec<(String, Vec<f64>)>,
    /// A number that all are to be compared with, and what it is.
    pub level: Option<(f64, String)>,
}

/// A function, by some of its points.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// Arguments and values, by increasing argument.
    pub points: Vec<(f64, f64)>,
}

/// A point that matters.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// What it is.
    pub name: String,
    /// Where it is.
    pub place: (f64, f64),
}

/// Functions of one number.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    /// What the number is, with its unit.
    pub x: String,
    /// What the functions are, with their unit.
    pub y: String,
    /// The functions.
    pub lines: Vec<Line>,
    /// Points that matter.
    pub marks: Vec<Mark>,
    /// A value that all are to be compared with.
    pub level: Option<f64>,
}

/// Shares of three things.
#[derive(Debug, Clone, PartialEq)]
pub struct Triangle {
    /// What there are shares of: at the top, on the left, on the right.
    pub corners: [String; 3],
    /// Shares that sum to 1: the last are what is shown, those before how they came about. What are no shares is left
    /// out.
    pub path: Vec<[f64; 3]>,
}

/// Lines of words.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct List {
    /// A label, which may be empty, and what belongs to it.
    pub items: Vec<(String, String)>,
}

impl Picture {
    /// These parts, without a title and a caption.
    pub fn of(panels: impl IntoIterator<Item = Panel>) -> Picture {
        Picture { panels: panels.into_iter().collect(), ..Picture::default() }
    }
}

impl Panel {
    /// A part of full width, without a note.
    pub fn new(title: impl Into<String>, chart: Chart) -> Panel {
        Panel { title: title.into(), note: String::new(), is_half: false, chart }
    }

    /// The same part with a note.
    #[must_use]
    pub fn with_note(self, note: impl Into<String>) -> Panel {
        Panel { note: note.into(), ..self }
    }

    /// The same part, of half of the width.
    #[must_use]
    pub fn half(self) -> Panel {
        Panel { is_half: true, ..self }
    }
}
