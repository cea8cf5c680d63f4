//! What a picture of a strategy shows: plain data, drawn elsewhere.

use crate::ParameterSpace;

/// A picture of a strategy.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
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
    /// Whether half of the width is enough; two such parts in a row are next to each other.
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
    /// Three shares of a whole, as a point in a triangle. Over a run the points make a path.
    Triangle {
        /// What there are shares of.
        corners: [String; 3],
        /// Numbers that sum to 1.
        shares: [f64; 3],
    },
    /// Words: a label, which may be empty, and what belongs to it.
    List(Vec<(String, String)>),
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

/// Functions of one number.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    /// What the number is, with its unit.
    pub x: String,
    /// What the functions are, with their unit.
    pub y: String,
    /// A name, and points by increasing first number, for each function.
    pub lines: Vec<(String, Vec<(f64, f64)>)>,
    /// Points that matter, with their names.
    pub marks: Vec<(String, (f64, f64))>,
    /// A value that all are to be compared with.
    pub level: Option<f64>,
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

impl Picture {
    /// What can be shown of any strategy: its parameters by name, the largest ones if there are many.
    ///
    /// `theta`: `[dimension]`.
    pub fn of_parameters(space: &ParameterSpace, theta: &[f64]) -> Picture {
        /// More names than these are hard to read.
        const MOST: usize = 40;
        let mut shown: Vec<usize> = (0..theta.len().min(space.dimension())).collect();
        let num_all = shown.len();
        if num_all > MOST {
            shown.sort_by(|&i, &j| theta[j].abs().total_cmp(&theta[i].abs()));
            shown.truncate(MOST);
            shown.sort_unstable();
        }
        let names = shown.iter().map(|&index| space.parameters()[index].name.to_string());
        let bars = Bars {
            quantity: "value".into(),
            names: names.collect(),
            series: vec![("value".into(), shown.iter().map(|&index| theta[index]).collect())],
            level: None,
        };
        let panel = Panel::new("Parameters", Chart::Bars(bars));
        let panel = match num_all {
            0..=MOST => panel,
            _ => panel.with_note(format!("The {MOST} largest of {num_all} parameters, by size.")),
        };
        Picture { panels: vec![panel] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parameter;

    #[test]
    fn the_largest_of_many_parameters_are_shown_in_their_order() {
        let parameter = |index: usize| Parameter {
            name: format!("p{index}").into(),
            meaning: "a number".into(),
        };
        let space = ParameterSpace::new((0..100).map(parameter).collect());
        let theta: Vec<f64> = (0..100).map(|index| -f64::from(index)).collect();
        let picture = Picture::of_parameters(&space, &theta);
        let Chart::Bars(bars) = &picture.panels[0].chart else { panic!("parameters are bars") };
        assert_eq!(bars.names.len(), 40);
        assert_eq!((bars.names[0].as_str(), bars.series[0].1[0]), ("p60", -60.0));
        assert!(picture.panels[0].note.contains("40 largest of 100"));
        assert_eq!(Picture::of_parameters(&ParameterSpace::new(Vec::new()), &[]).panels.len(), 1);
    }
}
