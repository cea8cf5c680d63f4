//! Figures as files: their appearance, and unusual data.

mod documents;
mod figures;
mod interpreter;
mod measurements;
