//! Converts plain numbers and words to figures: SVG, PNG or PDF documents.
//!
//! This crate does not depend on games, runs or files. [`svg`], [`png`] and [`pdf`](fn@pdf) make documents from a
//! [`Figure`]; [`style`] defines their common appearance. Numbers from outside must be [`Checked`] first.

#![warn(unnameable_types)]

mod axes;
mod canvas;
mod checked;
mod critical_difference;
mod decisions;
mod figure;
mod forest;
mod head_to_head;
mod labels;
mod learning_curve;
#[cfg(feature = "png")]
mod pdf;
mod picture;
mod race;
mod rate_curves;
#[cfg(feature = "png")]
mod rendering;
mod score_dots;
pub mod style;

pub use canvas::{Area, DrawResult, OutputWidth, Sheet};
pub use checked::{Checked, Drawable, FigureError};
pub use critical_difference::CriticalDifference;
pub use decisions::{CostPoint, DecisionCosts, LeastGames, OperatorCosts};
pub use figure::{Figure, Outline, svg};
pub use forest::{Forest, ForestRow};
pub use head_to_head::{CellScore, HeadToHead};
pub use learning_curve::{
    Acceptance, CurvePoint, LearningCurves, MAX_BANDS, MethodCurves, RunCurve,
};
pub use picture::{
    Axis, Bars, Chart, HeatMap, Line, Lines, List, Mark, Panel, Picture, Scale, Triangle,
};
pub use race::{RaceEnd, RacePoint, RaceTrace};
pub use rate_curves::{CurveKind, RateCurves, RateLine, RatePanel, RatePoint};
#[cfg(feature = "png")]
pub use rendering::{pdf, png};
pub use score_dots::{FamilyScores, MethodScore, ScoreDots};
