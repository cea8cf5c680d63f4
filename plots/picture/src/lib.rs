//! Pictures as plain data. The code that makes pictures does not draw, and the code that draws does not depend on a
//! game.

/// A picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Picture {
    /// The title.
    pub title: String,
    /// The source of the data: method, seed, sample size.
    pub caption: String,
    /// The panels, in reading order.
    pub panels: Vec<Panel>,
}

/// A panel of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// The title of the panel.
    pub title: String,
    /// An explanation for readers; may be empty.
    pub note: String,
    /// Whether the panel is half as wide as a column of text. Such panels are side by side, and a picture with many of
    /// them is as wide as two columns.
    pub is_half: bool,
    /// The chart that the panel shows.
    pub chart: Chart,
}

/// A chart of numbers and words. Non-finite numbers are shown as missing.
#[derive(Debug, Clone, PartialEq)]
pub enum Chart {
    /// Numbers by row and column, shown as colours, or a board with words in its cells.
    HeatMap(HeatMap),
    /// Named numbers, shown as bars.
    Bars(Bars),
    /// Functions of one argument, shown as lines.
    Lines(Lines),
    /// Three shares of a whole, shown as a point in a triangle.
    Triangle(Triangle),
    /// Lines of words.
    List(List),
}

/// The rows or columns of a map.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// The name of the axis; may be empty.
    pub name: String,
    /// A label for each row or column.
    pub ticks: Vec<String>,
}

impl Axis {
    /// Creates an axis with a row or column for each label of `ticks`.
    pub fn new<T: ToString>(name: &str, ticks: impl IntoIterator<Item = T>) -> Axis {
        let ticks = ticks.into_iter().map(|tick| tick.to_string()).collect();
        Axis { name: name.into(), ticks }
    }
}

/// A scale of colours for numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// A light colour for `low`, a dark colour for `high`.
    Sequential {
        /// The number with the lightest colour.
        low: f64,
        /// The number with the darkest colour.
        high: f64,
    },
    /// White for `centre`, shades of one colour for smaller numbers, and of another for larger numbers.
    Diverging {
        /// The number shown in white.
        centre: f64,
        /// The distance from the centre at which colours are strongest.
        reach: f64,
    },
}

impl Scale {
    /// Creates a sequential scale from 0 to the largest number.
    pub fn from_zero(values: impl IntoIterator<Item = f64>) -> Scale {
        Scale::Sequential { low: 0.0, high: largest(values) }
    }

    /// Creates a diverging scale with centre 0 that covers these numbers.
    pub fn around_zero(values: impl IntoIterator<Item = f64>) -> Scale {
        Scale::Diverging { centre: 0.0, reach: largest(values.into_iter().map(f64::abs)) }
    }
}

fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().filter(|value| value.is_finite()).fold(0.0, f64::max)
}

/// A table of numbers, shown as colours.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// The rows, from the top.
    pub rows: Axis,
    /// The columns, from the left.
    pub columns: Axis,
    /// The values, row by row: `[rows x columns]`; `None` for a missing value.
    pub values: Vec<Option<f64>>,
    /// The texts in the cells: empty, or one for each value.
    pub texts: Vec<String>,
    /// The colours.
    pub scale: Scale,
    /// The meaning of the numbers. Without it, the colours have no legend.
    pub quantity: String,
    /// Whether the sums of rows and columns are shown.
    pub has_sums: bool,
}

/// Named numbers, in one or several series, shown as bars.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// The meaning of the numbers.
    pub quantity: String,
    /// The name of each group of bars.
    pub names: Vec<String>,
    /// The series, each with a name and a number for each group.
    pub series: Vec<(String, Vec<f64>)>,
    /// A reference number with its name, drawn as a line.
    pub level: Option<(f64, String)>,
}

/// A function, as a list of points.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The name of the function.
    pub name: String,
    /// The points, as argument and value, in order of increasing argument.
    pub points: Vec<(f64, f64)>,
}

/// A marked point.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// The name of the point.
    pub name: String,
    /// The argument and the value of the point.
    pub place: (f64, f64),
}

/// Functions of one argument, shown as lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    /// The meaning of the argument, with its unit.
    pub x: String,
    /// The meaning of the values, with their unit.
    pub y: String,
    /// The functions.
    pub lines: Vec<Line>,
    /// Marked points.
    pub marks: Vec<Mark>,
    /// A reference value, drawn as a line.
    pub level: Option<f64>,
}

/// Three shares of a whole, shown as a point in a triangle.
#[derive(Debug, Clone, PartialEq)]
pub struct Triangle {
    /// The names of the shares, in the order of their corners: top, left, right.
    pub corners: [String; 3],
    /// The points of the path, each with three shares that sum to 1. The last point is marked; points with invalid
    /// shares are omitted.
    pub path: Vec<[f64; 3]>,
}

/// Lines of words.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct List {
    /// The lines, each with a label and a text. Labels may be empty.
    pub items: Vec<(String, String)>,
}

impl Picture {
    /// Creates a picture with these panels, without a title or a caption.
    pub fn of(panels: impl IntoIterator<Item = Panel>) -> Picture {
        Picture { panels: panels.into_iter().collect(), ..Picture::default() }
    }
}

impl Panel {
    /// Creates a panel of full width, without a note.
    pub fn new(title: impl Into<String>, chart: Chart) -> Panel {
        Panel { title: title.into(), note: String::new(), is_half: false, chart }
    }

    /// Returns the panel with a note.
    #[must_use]
    pub fn with_note(self, note: impl Into<String>) -> Panel {
        Panel { note: note.into(), ..self }
    }

    /// Returns the panel at half width.
    #[must_use]
    pub fn half(self) -> Panel {
        Panel { is_half: true, ..self }
    }
}
