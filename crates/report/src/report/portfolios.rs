//! The tables of an experiment with random seeds, with the figures of Saint-Pierre & Teytaud (CIG 2014) beside ours.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::lab::seed_study::SeedStudy;
use crate::score::student_quantile;

/// The published figures of one pool.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct PublishedPool {
    /// The name of the pool.
    pub name: String,
    /// The figures for the first and the second seat, indexed by the names of
    /// [`SeedFigure`](crate::lab::seed_study::SeedFigure).
    #[serde(flatten)]
    pub figures: BTreeMap<String, [f64; 2]>,
}

impl PublishedPool {
    /// Returns the pools of Saint-Pierre & Teytaud, CIG 2014. The data is in `experiments/published/portfolio.yaml`.
    pub fn saint_pierre_teytaud_2014() -> Vec<PublishedPool> {
        let text = include_str!("../../published/portfolio.yaml");
        serde_yaml::from_str(text).expect("a test reads the file")
    }
}

/// The tables of pools.
#[derive(Debug, Clone, PartialEq)]
pub struct PortfolioReport {
    /// The names and results of the finished pools.
    pub pools: Vec<(String, SeedStudy)>,
    /// The portfolios by name, each with the indices of its pools (at least one).
    pub portfolios: Vec<(String, Vec<usize>)>,
    /// The published figures.
    pub published: Vec<PublishedPool>,
}

impl PortfolioReport {
    /// Creates the tables of finished pools, each given as `(portfolio, name, study)`. Pools of the same portfolio
    /// differ in their seeds.
    pub fn new(
        finished: impl IntoIterator<Item = (String, String, SeedStudy)>,
        published: Vec<PublishedPool>,
    ) -> PortfolioReport {
        let (mut pools, mut portfolios) = (Vec::new(), Vec::<(String, Vec<usize>)>::new());
        for (portfolio, name, study) in finished {
            match portfolios.iter_mut().find(|(known, _)| *known == portfolio) {
                Some((_, indices)) => indices.push(pools.len()),
                None => portfolios.push((portfolio, vec![pools.len()])),
            }
            pools.push((name, study));
        }
        PortfolioReport { pools, portfolios, published }
    }
}

/// A figure averaged over several pools, which are a sample of all pools of this family and size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverPools {
    /// The mean over the pools.
    pub mean: f64,
    /// Half the width of Student's interval for the mean of all pools, at [`crate::score::CONFIDENCE`].
    pub half_width: f64,
    /// The standard deviation between pools.
    pub deviation: f64,
}

impl OverPools {
    /// Returns the mean and the deviation of the figures of pools, or `None` for fewer than two pools. The errors of
    /// single figures are part of the deviation.
    pub fn of(figures: &[f64]) -> Option<OverPools> {
        if figures.len() < 2 {
            return None;
        }
        let n = figures.len() as f64;
        let mean = figures.iter().sum::<f64>() / n;
        let squares: f64 = figures.iter().map(|figure| (figure - mean) * (figure - mean)).sum();
        let deviation = (squares / (n - 1.0)).sqrt();
        let half_width = student_quantile(figures.len() as u64 - 1) * deviation / n.sqrt();
        Some(OverPools { mean, half_width, deviation })
    }
}

/// A part of a report on pools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortfolioPart {
    /// Values, supports and exploitabilities (section IV-B2).
    Game,
    /// Scores of mixtures against held-out seeds (figures 3 and 4).
    Generalisation,
    /// Final losses of bandits (figures 1 and 2).
    Learning,
}

impl PortfolioPart {
    /// All parts.
    pub const ALL: [PortfolioPart; 3] =
        [PortfolioPart::Game, PortfolioPart::Generalisation, PortfolioPart::Learning];

    /// Returns the name of the part, as used in file names.
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

    /// Computed by hand: mean 4, squares of deviations 4 + 0 + 4, deviation 2; Student's quantile with 2 degrees of
    /// freedom is 4.30265 (tables), and 4.30265 * 2 / sqrt(3) = 4.96827.
    #[test]
    fn pools_are_a_sample() {
        let found = OverPools::of(&[2.0, 4.0, 6.0]).expect("three");
        assert_eq!((found.mean, found.deviation), (4.0, 2.0));
        assert!((found.half_width - 4.968_27).abs() < 1e-5, "{found:?}");
        assert_eq!(OverPools::of(&[1.0]), None);
    }

    /// Reads the figures as printed in the paper.
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
