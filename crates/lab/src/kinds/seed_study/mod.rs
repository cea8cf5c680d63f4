//! Random seeds as strategies: how much does a player gain if a mixture or a bandit chooses the seed?

mod bounds;
mod carry_out;
mod files;
mod lessons;
mod spec;
mod study;

pub use files::StudyFiles;
use files::TABLES;
pub use lessons::{CHOICES, Generalisation, Mean, OPPONENTS, SEATS, SeedLesson, generalise, learn};
pub(super) use spec::PORTFOLIOS;
pub use spec::{PoolPlan, PortfolioItem, PortfoliosPlan, PortfoliosSpec};
pub use study::{SeedFigure, SeedStudy, StudyPlan};
