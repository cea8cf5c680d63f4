//! Figures: plain numbers in, SVG out.
//!
//! Nothing here knows of games, runs or files. Colours are those of Okabe & Ito, which colour-blind
//! readers can tell apart.

mod learning_curve;

pub use learning_curve::{CurvePoint, LearningCurve, learning_curve};
