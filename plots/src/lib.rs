//! Figures: plain numbers and words in, SVG or PNG out.
//!
//! Nothing here knows of games, runs or files. A [`Figure`] is drawn once, and [`svg`] and [`png`] make
//! documents of it; how all of them look is in [`style`]. Numbers from outside are [`Checked`] first.

#![warn(unnameable_types)]

mod axes;
mod canvas;
mod checked;
mod decisions;
mod head_to_head;
mod learning_curve;
mod picture;
mod population;
mod race;
mod rate_curves;
mod score_bars;
pub mod style;

pub use canvas::{Area, DrawResult, Figure, png, svg};
pub use checked::{Checked, Drawable, FigureError};
pub use decisions::{CostPoint, DecisionCosts, LeastGames, OperatorCosts};
pub use head_to_head::{CellScore, HeadToHead};
pub use learning_curve::{
    Acceptance, CurvePoint, LearningCurves, MOST_BANDS, MethodCurves, RunCurve,
};
pub use picture::{
    Axis, Bars, Chart, HeatMap, Line, Lines, List, Mark, Panel, Picture, Scale, Triangle,
};
pub use population::CrossScores;
pub use race::{RaceEnd, RacePoint, RaceTrace};
pub use rate_curves::{RateCurves, RateLine, RatePanel, RatePoint};
pub use score_bars::{FamilyScores, MethodScore, ScoreBars};
