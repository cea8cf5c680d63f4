//! Portfolios: mixtures of strategies that are hard to exploit, and players that find out which of theirs
//! is best against whom they meet.
//!
//! After Saint-Pierre & Teytaud, *Nash and the bandit approach for adversarial portfolios*, CIG 2014,
//! <https://doi.org/10.1109/CIG.2014.6932897>.

mod bandit;
mod cell_orders;
mod double_oracle;
mod matrix_game;
mod nash;
mod online;
mod payoffs;
mod raced;
mod random_seeds;
mod seed_study;

pub use bandit::{Bandit, BanditName, Exp3, Thompson, Ucb1, UcbTuned, Ucbt};
pub use cell_orders::{cell_order_equilibrium, with_images};
pub use double_oracle::{BestResponder, DoubleOracle, double_oracle};
pub use matrix_game::{Equilibrium, MAX_GAP, MatrixError, PayoffMatrix, support};
pub use nash::{Assessed, NUM_SAMPLES, NashPortfolio};
pub use online::{LearningPoint, Lessons, learning_curve};
pub use payoffs::{Effort, MAX_MEMBERS, Meeting, PayoffError, Payoffs};
pub use raced::RacedPortfolio;
pub use random_seeds::{
    BySeat, CHOICES, Generalisation, Mean, OPPONENTS, SEATS, SeedLesson, generalise, learn,
};
pub use seed_study::{SeedFigure, SeedStudy, StudyPlan};
