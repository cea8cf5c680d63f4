//! The tables of an experiment with random seeds, with the figures of Saint-Pierre & Teytaud (CIG 2014) beside ours.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::lab::seed_study::SeedStudy;

/// What the paper says of one pool.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct PublishedPool {
    /// What the pool is of.
    pub name: String,
    /// The figures for the first and the second seat, by the names of
    /// [`SeedFigure`](crate::lab::seed_study::SeedFigure).
    #[serde(flatten)]
    pub figures: BTreeMap<String, [f64; 2]>,
}

impl PublishedPool {
    /// The pools of Saint-Pierre & Teytaud, CIG 2014. The data is in `experiments/published/portfolio.yaml`.
    pub fn saint_pierre_teytaud_2014() -> Vec<PublishedPool> {
        let text = include_str!("../../experiments/published/portfolio.yaml");
        serde_yaml::from_str(text).expect("a test reads the file")
    }
}

/// The tables of pools.
#[derive(Debug, Clone, PartialEq)]
pub struct PortfolioReport {
    /// The names of the pools that are finished, and what came of them.
    pub pools: Vec<(String, SeedStudy)>,
    /// What the paper says.
    pub published: Vec<PublishedPool>,
}

/// A part of a report on pools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortfolioPart {
    /// Values, supports and exploitabilities (section IV-B2).
    Game,
    /// How mixtures do against seeds that are held out (figures 3 and 4).
    Generalisation,
    /// What bandits lose in the end (figures 1 and 2).
    Learning,
}

impl PortfolioPart {
    /// All parts.
    pub const ALL: [PortfolioPart; 3] =
        [PortfolioPart::Game, PortfolioPart::Generalisation, PortfolioPart::Learning];

    /// The name, as in the names of files.
    pub fn name(self) -> &'static str {
        match self {
            PortfolioPart::Game => "game",
            PortfolioPart::Generalisation => "generalisation",
            PortfolioPart::Learning => "learning",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::seed_study::SeedFigure;

    /// The figures as they are printed in the paper.
    #[test]
    fn published_pools_are_read() {
        let pools = PublishedPool::saint_pierre_teytaud_2014();
        let seeds = &pools[1].figures;
        assert_eq!(seeds["value"], [0.5416, 0.4584]);
        assert_eq!(seeds["support"], [11.0, 9.0]);
        // "the winning rate of the Nash-portfolio as Black (resp. White) is 68.51% (resp. 38.80%), i.e. the
        // exploitability of the uniform random combination is 14.35% (resp. 15.36%)".
        let gains = [0, 1].map(|seat| seeds["nash-against-uniform"][seat] - seeds["value"][seat]);
        assert!((gains[0] - 0.1435).abs() < 1e-9 && (gains[1] - 0.1536).abs() < 1e-9);
        let known = |name: &String| SeedFigure::NAMES.contains(&name.as_str());
        assert!(pools.iter().all(|pool| pool.figures.keys().all(known)));
    }
}
