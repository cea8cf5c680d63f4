//! Figures as files: what they look like, and what they do with odd data.

mod documents;
mod figures;
mod interpreter;
mod measurements;
