//! Figures as files: their appearance, and unusual data.

#[macro_use]
#[path = "../../../tests/it/cases.rs"]
mod cases;

mod documents;
mod figures;
mod interpreter;
mod measurements;
