//! Figures: plain numbers and words in, SVG or PNG out.
//!
//! Nothing here knows of games, runs or files. A [`Figure`] is drawn once, and [`svg`] and [`png`] make
//! documents of it; how all of them look is in [`style`].

mod canvas;
mod learning_curve;
mod picture;
pub mod style;

pub use canvas::{Area, DrawResult, Figure, png, svg};
pub use learning_curve::{CurvePoint, LearningCurve, learning_curve};
pub use picture::{
    Axis, Bars, Chart, HeatMap, Line, Lines, List, Mark, Panel, Picture, Scale, Triangle,
};
