//! Experiments with portfolios: their tables, figures and pages.

use ruse_base::stop::StopSignal;
use ruse_lab::seed_study::{PoolPlan, PortfoliosPlan, SeedStudy};
use ruse_lab::{Plan, RunDirectory};
use ruse_registry::Registry;
use ruse_report::figures::seeds as figures;
use ruse_report::page::{Markup, Page, Section};
use ruse_report::{Format, Options, PortfolioReport, PublishedPool, Tables};
use serde_json::{Value, json};

use super::drawing::{Drawing, Look};
use super::dry_run::MEASURE_FOR;
use super::dry_run::{starts, warning};
use super::failure::Failure;
use super::format::{counted, duration, in_words, paragraph, rounded, table, text};
use super::output::{self, Output};
use super::runless::Runless;
use super::verbosity::say;
use crate::speed;

/// Returns the studies of the finished pools, after the names of portfolio and pool. Prints a message if pools are
/// missing.
fn studies(
    plan: &PortfoliosPlan,
    directory: &RunDirectory,
) -> Result<Vec<(String, String, SeedStudy)>, Failure> {
    let mut studies = Vec::new();
    for pool in &plan.pools {
        if let Some(study) = directory.study(pool).read()? {
            studies.push((pool.portfolio.clone(), pool.name.clone(), study));
        }
    }
    let (done, all) = (studies.len(), plan.pools.len());
    if done < all {
        let path = directory.path().display();
        let all = counted(all as u64, "portfolio");
        say(&format!("{done} of {all} are finished; `ruse resume {path}` continues"));
    }
    Ok(studies)
}

/// Returns the report about the finished pools, with the published figures if `side_by_side`.
fn report(
    directory: &RunDirectory,
    plan: &PortfoliosPlan,
    side_by_side: bool,
) -> Result<PortfolioReport, Failure> {
    let published = match side_by_side {
        true => PublishedPool::saint_pierre_teytaud_2014(),
        false => Vec::new(),
    };
    Ok(PortfolioReport::new(studies(plan, directory)?, published))
}

/// Returns the first finished pool of each family and size.
fn firsts(report: &PortfolioReport) -> impl Iterator<Item = &(String, SeedStudy)> {
    report.portfolios.iter().map(|(_, pools)| &report.pools[pools[0]])
}

/// Draws the figures of one pool.
pub(super) fn draw_study(
    name: &str,
    study: &SeedStudy,
    look: &Look,
) -> Result<Vec<Drawing>, Failure> {
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
        let figure = || Ok(ruse_plots::Checked::new(figure)?);
        drawings.push(Drawing::new(format!("{what}-{name}"), look, figure)?.about(name));
    }
    Ok(drawings)
}

/// The planned work on one pool.
struct Part<'a> {
    pool: &'a PoolPlan,
    games_per_s: Option<f64>,
}

/// The planned work on all pools.
struct Parts<'a> {
    plan: &'a Plan,
    parts: Vec<Part<'a>>,
}

impl Output for Parts<'_> {
    fn page(&self) -> String {
        let mut rows = table(
            [
                "portfolio",
                "strategies",
                "held out",
                "games at most",
                "games/s",
                "time on one thread",
            ],
            &[1, 2, 3, 4, 5],
        );
        for Part { pool, games_per_s } in &self.parts {
            let games = pool.num_games() as f64;
            let time_s = games_per_s.map(|speed| games / speed);
            rows.add_row([
                pool.name.clone(),
                pool.num_seeds.to_string(),
                pool.study.num_held_out.to_string(),
                rounded(games),
                games_per_s.map_or("?".into(), rounded),
                time_s.map_or("?".into(), |s| in_words(duration(s))),
            ]);
        }
        let mut page = text(&rows);
        page.push('\n');
        page += &paragraph(
            "Speeds were measured just now, with Gaussian parameters; listed players may search, and `ruse match` \
             with a pair or two measures their speed. Strategies without chance play one pair each, whatever the \
             plan asks for. The bandits take additional time, without games. No files were written.",
        );
        page += &warning(self.plan);
        page += &starts(self.plan);
        page
    }

    fn object(&self) -> Value {
        let pools = self.parts.iter().map(|Part { pool, games_per_s }| {
            json!({
                "name": pool.name,
                "family": pool.family,
                "seeds": pool.num_seeds,
                "held_out": pool.study.num_held_out,
                "games_at_most": pool.num_games(),
                "games_per_s": games_per_s,
            })
        });
        json!({ "portfolios": pools.collect::<Vec<_>>() })
    }
}

impl Runless for PortfoliosPlan {
    fn have(&self) -> &'static str {
        "portfolios have"
    }

    fn first_tables(&self, _: &RunDirectory) -> (&'static [&'static str], String) {
        (&PortfolioReport::TABLES, String::new())
    }

    fn tables(
        &self,
        _: &Plan,
        directory: &RunDirectory,
        options: &Options,
    ) -> Result<Tables, Failure> {
        Ok(report(directory, self, options.side_by_side)?.tables())
    }

    /// Draws the losses of bandits, and the scores of mixtures against held-out strategies. If several pools have the same
    /// family and size, only the first is drawn; `ruse plot` draws the others by their directories.
    fn draw(
        &self,
        _: &Plan,
        directory: &RunDirectory,
        look: &Look,
    ) -> Result<Vec<Drawing>, Failure> {
        let report = report(directory, self, false)?;
        let mut drawings = Vec::new();
        for (name, study) in firsts(&report) {
            drawings.extend(draw_study(name, study, look)?);
        }
        Ok(drawings)
    }

    fn page(
        &self,
        _: &Plan,
        directory: &RunDirectory,
        side_by_side: bool,
    ) -> Result<Page, Failure> {
        let report = report(directory, self, side_by_side)?;
        let tables = report.tables().with_mistakes(&directory.mistakes()?);
        let markup = |id| {
            let html = tables.only(&[id]).render(Format::Html, &Options::default());
            Markup(html).folded(id == "game")
        };
        let mut sections = vec![Section {
            title: "Tables".into(),
            reports: PortfolioReport::TABLES.map(markup).into(),
            ..Section::default()
        }];
        for (name, study) in firsts(&report) {
            let drawings = draw_study(name, study, &Look::of_page())?;
            let figures =
                drawings.iter().filter_map(|drawing| drawing.picture(&drawing.name)).collect();
            sections.push(Section { title: name.clone(), figures, ..Section::default() });
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
            experiment: directory.experiment().into(),
            ..Page::default()
        })
    }

    fn describe(
        &self,
        plan: &Plan,
        registry: &Registry,
        as_json: bool,
        stop: &StopSignal,
    ) -> Result<(), Failure> {
        let mut parts = Vec::new();
        for pool in &self.pools {
            if !pool.players.is_empty() {
                parts.push(Part { pool, games_per_s: None });
                continue;
            }
            let family = registry.family(&pool.family)?.with_rules(&pool.rules)?;
            let (speed, measured) = speed::speed(family.as_ref(), MEASURE_FOR, stop);
            measured.map_err(|_| Failure::Interrupted)?;
            parts.push(Part { pool, games_per_s: speed.one_thread.games_per_s() });
        }
        output::write(&Parts { plan, parts }, as_json)
    }
}
