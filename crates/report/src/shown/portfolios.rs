//! Experiments with portfolios: their tables, figures and pages.

use std::path::Path;

use ruse_lab::Plan;
use ruse_lab::seed_study::{PortfoliosPlan, SeedStudy};
use serde_json::json;

use super::drawing::{Drawing, Look};
use super::planned::{Machine, Planned};
use super::{Results, Shown, folded, pictures};
use crate::error::Result;
use crate::figures::seeds as figures;
use crate::format::counted;
use crate::page::{Page, Section};
use crate::terminal::{in_words, rounded};
use crate::{Options, PortfolioReport, PublishedPool, Tables};

/// Returns the report about the finished pools, with the published figures if `side_by_side`.
fn read(of: &PortfoliosPlan, results: &Results<'_>, side_by_side: bool) -> Result<PortfolioReport> {
    let mut studies = Vec::new();
    for pool in &of.pools {
        if let Some(study) = results.directory.study(pool).read()? {
            studies.push((pool.portfolio.clone(), pool.name.clone(), study));
        }
    }
    let published = side_by_side.then(PublishedPool::saint_pierre_teytaud_2014);
    Ok(PortfolioReport::new(studies, published.unwrap_or_default()))
}

/// Returns the first finished pool of each family and size.
fn firsts(report: &PortfolioReport) -> impl Iterator<Item = &(String, SeedStudy)> {
    report.portfolios.iter().map(|(_, pools)| &report.pools[pools[0]])
}

/// Draws the figures of one pool.
///
/// # Errors
///
/// Returns an error if the results are invalid.
pub fn draw_study(name: &str, study: &SeedStudy, look: &Look) -> Result<Vec<Drawing>> {
    let first = study.lessons.first().map(|lesson| lesson.bandit);
    let figures = [
        ("learning", first.and_then(|bandit| figures::learning(name, study, bandit))),
        ("bandits", figures::bandits(name, study)),
        ("generalisation", figures::generalisation(name, study)),
        ("exploitation", figures::exploitation(name, study)),
    ];
    let mut drawings = Vec::new();
    for (what, figure) in figures {
        let Some(figure) = figure else { continue };
        drawings.push(Drawing::of_data(format!("{what}-{name}"), look, figure)?.about(name));
    }
    Ok(drawings)
}

impl Shown for PortfoliosPlan {
    fn subject(&self) -> &'static str {
        "the experiment"
    }

    fn have(&self) -> &'static str {
        "portfolios have"
    }

    fn planned(&self, plan: &Plan, machine: &Machine<'_>) -> Result<Planned> {
        let terminal = machine.terminal;
        let names = ["portfolio", "strategies", "held out", "games at most", "games/s"];
        let header = names.into_iter().chain(["time on one thread"]);
        let mut rows = terminal.table(header, &[1, 2, 3, 4, 5]);
        let mut pools = Vec::new();
        for pool in &self.pools {
            let speed = match pool.players.is_empty() {
                true => {
                    let family = machine.registry.family(&pool.family)?.with_rules(&pool.rules)?;
                    (machine.speed)(family.as_ref())?
                }
                false => None,
            };
            let games = pool.num_games();
            rows.add_row([
                pool.name.clone(),
                pool.num_seeds.to_string(),
                pool.study.num_held_out.to_string(),
                rounded(games as f64),
                speed.map_or("?".into(), rounded),
                speed.map_or("?".into(), |speed| in_words(games as f64 / speed)),
            ]);
            pools.push(json!({
                "name": pool.name,
                "family": pool.family,
                "seeds": pool.num_seeds,
                "held_out": pool.study.num_held_out,
                "games_at_most": games,
                "games_per_s": speed,
            }));
        }
        let note = terminal.paragraph(
            "Speeds were measured just now, with Gaussian parameters; listed players may search, and `ruse match` \
             with a pair or two measures their speed. Strategies without chance play one pair each, whatever the \
             plan asks for. The bandits take additional time, without games. No files were written.",
        );
        Ok(Planned::new(plan, terminal, &rows, &note, json!({ "portfolios": pools })))
    }

    fn unfinished(&self, results: &Results<'_>) -> Result<Option<String>> {
        let (done, all) = (read(self, results, false)?.pools.len(), self.pools.len());
        let path = results.directory.path().display();
        let all_pools = counted(all as u64, "portfolio");
        let text = || format!("{done} of {all_pools} are finished; `ruse resume {path}` continues");
        Ok((done < all).then(text))
    }

    fn first_tables(&self, _: &Path) -> (&'static [&'static str], String) {
        (&PortfolioReport::TABLES, String::new())
    }

    fn tables(&self, results: &Results<'_>, options: &Options) -> Result<Tables> {
        Ok(read(self, results, options.side_by_side)?.tables())
    }

    /// Draws the losses of bandits, and the scores of mixtures against held-out strategies. If several pools have the same
    /// family and size, only the first is drawn; `ruse plot` draws the others by their directories.
    fn draw(&self, results: &Results<'_>, look: &Look, _: bool) -> Result<Vec<Drawing>> {
        let report = read(self, results, false)?;
        let mut drawings = Vec::new();
        for (name, study) in firsts(&report) {
            drawings.extend(draw_study(name, study, look)?);
        }
        Ok(drawings)
    }

    fn page(&self, results: &Results<'_>, side_by_side: bool) -> Result<Page> {
        let report = read(self, results, side_by_side)?;
        let tables = report.tables().with_mistakes(&results.directory.mistakes()?);
        let markup = |id| folded(&tables, &[id], id == "game");
        let reports = PortfolioReport::TABLES.map(markup).into();
        let mut sections = vec![Section { reports, ..Section::titled("Tables") }];
        for (name, study) in firsts(&report) {
            let figures = pictures(&draw_study(name, study, &Look::of_page())?);
            sections.push(Section { figures, ..Section::titled(name) });
        }
        let is_finished = |name: &str| report.pools.iter().any(|(finished, _)| finished == name);
        let missing = self.pools.iter().filter(|pool| !is_finished(&pool.name));
        Ok(Page {
            title: "Portfolios of strategies".into(),
            summary: vec![format!(
                "The experiment of Saint-Pierre & Teytaud (CIG 2014) on {}, seed {}.",
                counted(self.pools.len() as u64, "pool"),
                self.seed
            )],
            missing: missing.map(|pool| format!("{}: not finished", pool.name)).collect(),
            sections,
            experiment: results.directory.experiment().into(),
            ..Page::default()
        })
    }
}
