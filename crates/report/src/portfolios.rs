//! The tables of an experiment with portfolios, with the figures of Saint-Pierre & Teytaud (CIG 2014) beside ours.

use std::collections::BTreeMap;

use ruse_base::names::by_key;
use ruse_lab::seed_study::{CHOICES, SeedFigure, SeedLesson, SeedStudy};
use ruse_play::score::{CONFIDENCE, sample_variance, student_quantile};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::format::{Entry, Grid, Table, Tables, ToEntry, score};
use super::words::note_if;

/// The published figures of one pool.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct PublishedPool {
    /// The name of the pool.
    pub name: String,
    /// The figures for the two seats, by the names of [`SeedFigure`](ruse_lab::seed_study::SeedFigure).
    #[serde(flatten)]
    pub figures: BTreeMap<String, [f64; 2]>,
}

impl PublishedPool {
    /// Returns the pools of Saint-Pierre & Teytaud, CIG 2014. The data is in `experiments/published/portfolio.yaml`.
    pub fn saint_pierre_teytaud_2014() -> Vec<PublishedPool> {
        let text = include_str!("../published/portfolio.yaml");
        serde_yaml::from_str(text).expect("a test reads the file")
    }
}

/// The tables of pools.
#[derive(Debug, Clone, PartialEq)]
pub struct PortfolioReport {
    /// The names and results of the finished pools.
    pub pools: Vec<(String, SeedStudy)>,
    /// The portfolios by name, each with the indices of its pools.
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
        let mut pools = Vec::new();
        let portfolios = by_key(finished.into_iter().map(|(portfolio, name, study)| {
            pools.push((name, study));
            (portfolio, pools.len() - 1)
        }));
        PortfolioReport { pools, portfolios, published }
    }

    /// The names of the tables.
    pub const TABLES: [&'static str; 3] = ["game", "generalisation", "learning"];

    /// Returns the tables of the game between strategies, of mixtures against held-out strategies, and of bandits.
    pub fn tables(&self) -> Tables {
        let tables = self.game().into_iter().chain(self.generalisation()).chain(self.learning());
        let published = self.published.iter().map(|pool| (pool.name.clone(), json!(pool.figures)));
        let several = self.portfolios.iter().filter(|(_, pools)| pools.len() > 1);
        let over_pools = several.map(|(name, pools)| {
            let means = |of_pool: fn(&SeedStudy) -> Vec<Fact>| self.over_pools(pools, of_pool);
            // People see only the largest mixtures.
            let mut choices = means(generalisation);
            choices.retain(|fact| fact.label.is_some());
            let object = json!({
                "pools": pools.iter().map(|&pool| &self.pools[pool].0).collect::<Vec<_>>(),
                "game": game_as_json(&means(game)),
                "generalisation": generalisation_as_json(&choices),
                "learning": learning_as_json(&means(learning)),
            });
            (name.clone(), object)
        });
        let head = json!({
            "confidence": CONFIDENCE,
            "over_pools": over_pools.collect::<Map<_, _>>(),
            "published": published.collect::<Map<_, _>>(),
        });
        Tables::new(head, tables.collect())
    }

    /// Returns the facts about each pool, and then the means over each portfolio with several pools.
    fn facts(&self, of_pool: fn(&SeedStudy) -> Vec<Fact>) -> Vec<Facts<'_>> {
        let heading = |pool| {
            let is_of = |(_, pools): &&(String, Vec<usize>)| pools[..] == [pool];
            self.portfolios.iter().find(is_of).map(|(name, _)| name.as_str())
        };
        let mut all: Vec<Facts<'_>> = Vec::new();
        for (index, (of, study)) in self.pools.iter().enumerate() {
            let facts = of_pool(study).into_iter().map(|fact| Fact { num_pools: 1, ..fact });
            all.push(Facts { of, heading: heading(index), facts: facts.collect() });
        }
        for (of, pools) in self.portfolios.iter().filter(|(_, pools)| pools.len() > 1) {
            all.push(Facts { of, heading: Some(of), facts: self.over_pools(pools, of_pool) });
        }
        all
    }

    /// Returns the means over several pools.
    fn over_pools(&self, pools: &[usize], of_pool: fn(&SeedStudy) -> Vec<Fact>) -> Vec<Fact> {
        let pools: Vec<Vec<Fact>> =
            pools.iter().map(|&pool| of_pool(&self.pools[pool].1)).collect();
        pools[0].iter().filter_map(|fact| over_pools(fact, &pools)).collect()
    }

    /// Returns two tables. The table for people has a row for each label and a column for each portfolio. The table for
    /// programs has `data`.
    fn shown(
        &self,
        id: &'static str,
        [title, caption]: [&str; 2],
        labels: Vec<String>,
        all: &[Facts<'_>],
        data: Grid<'_, (&str, &Fact)>,
    ) -> Vec<Table> {
        let published = self.published.iter().map(|pool| &pool.name);
        let published = published.filter(|name| all.iter().any(|facts| facts.of == *name));
        let headings: Vec<&String> =
            published.chain(self.portfolios.iter().map(|(name, _)| name)).collect();
        let cells = labels.into_iter().flat_map(|label| {
            let cell = |heading: &&String| {
                let facts = all.iter().filter(|facts| facts.heading == Some(heading.as_str()));
                let mut facts = facts.flat_map(|facts| &facts.facts);
                let found = facts.find(|fact| fact.label.as_ref() == Some(&label));
                (label.clone(), heading.to_string(), found.map(|fact| fact.text.clone()))
            };
            headings.iter().map(cell).collect::<Vec<_>>()
        });
        let cells: Vec<(String, String, Option<String>)> = cells.collect();
        let grid = Grid::of(&cells)
            .label("", |cell| cell.0.clone())
            .across(headings.len(), None, |cell| cell.1.clone())
            .figure(|cell| cell.2.clone());
        let counts: Vec<usize> = self.portfolios.iter().map(|(_, pools)| pools.len()).collect();
        let mut notes = Vec::new();
        if counts.iter().any(|count| *count > 1) {
            let mut several: Vec<String> =
                counts.iter().filter(|count| **count > 1).map(usize::to_string).collect();
            several.dedup();
            notes.push(format!(
                "Columns of several pools ({}) have means over pools, 95% intervals of Student's distribution over \
                 pools, and the standard deviation between pools.",
                several.join(", ")
            ));
        }
        notes.extend(note_if(
            counts.contains(&1),
            "A column of one pool is about the strategies of this pool: another pool of the same size may differ by more \
             than the bounds. With `pools: 6` an experiment shows by how much.",
        ));
        let table = Table {
            caption: caption.into(),
            short: format!("{title}, 95% intervals."),
            notes,
            ..Table::new(id, title, grid)
        };
        vec![table, Table::new(id, "", data)]
    }

    fn game(&self) -> Vec<Table> {
        let published = self.published.iter().map(|pool| {
            let facts = pool.figures.iter().flat_map(|(name, by_seat)| {
                SEATS.into_iter().zip(by_seat).map(move |(seat, &figure)| Fact {
                    keys: vec![name.to_entry(), seat.to_entry()],
                    label: Some(game_label(name, seat)),
                    figure,
                    num_pools: 1,
                    text: with_bounds(figure, [figure; 2], name == COUNT),
                    ..Fact::default()
                })
            });
            Facts { of: &pool.name, heading: Some(&pool.name), facts: facts.collect() }
        });
        let all: Vec<Facts<'_>> = published.chain(self.facts(game)).collect();
        let rows = rows(&all);
        let data = Grid::of(&rows)
            .data("portfolio", |row| row.0)
            .data("quantity", |row| row.1.keys[0].clone())
            .data("seat", |row| row.1.keys[1].clone())
            .data("figure", |row| row.1.figure)
            .data("low", |row| Some(row.1.bounds?[0]))
            .data("high", |row| Some(row.1.bounds?[1]))
            .data("pools", |row| row.1.num_pools)
            .data("deviation", |row| row.1.deviation);
        let names = SeedFigure::NAMES.into_iter();
        let labels = names.flat_map(|name| SEATS.map(|seat| game_label(name, seat))).collect();
        let caption = "What the first seat scores if both choose a strategy by the equilibrium, and what a best \
                       response takes from three ways to choose, beyond the value. Where results are estimated, \
                       mixtures and responses are chosen on one part of the games and scored on another, with 95% \
                       bounds: the bounds hold what the best of the pool takes, and the figure is what the response \
                       takes that was found. The number of strategies in the Nash mixture is a count by all \
                       games, without bounds.";
        let mut tables =
            self.shown("game", ["The game between strategies", caption], labels, &all, data);
        tables[0].results = of_pools(&all[self.published.len()..], game_as_json);
        tables[0].notes.extend(note_if(
            !self.published.is_empty(),
            "What the paper calls the exploitability of uniform is what Nash gains against it beyond the value.",
        ));
        tables
    }

    fn generalisation(&self) -> Vec<Table> {
        let all = self.facts(generalisation);
        let rows = rows(&all);
        let data = Grid::of(&rows)
            .data("portfolio", |row| row.0)
            .data("seeds", |row| row.1.keys[0].clone())
            .data("choice", |row| row.1.keys[1].clone())
            .data("quantity", |row| row.1.keys[2].clone())
            .data("mean", |row| row.1.figure)
            .data("standard-error", |row| row.1.standard_error)
            .data("pools", |row| row.1.num_pools)
            .data("deviation", |row| row.1.deviation);
        let labels = AGAINST_HELD_OUT.into_iter();
        let labels = labels.flat_map(|what| CHOICES.map(|choice| format!("{what}, {choice}")));
        let caption = "Mixtures over as many strategies as the pool is named after, against strategies held out: their \
                       score, and their losing rate against the best response, among the strategies chosen from \
                       and among those held out. Means over draws of the strategies and both seats, with 95% \
                       intervals.";
        let words = ["Against strategies not seen", caption];
        let mut tables = self.shown("generalisation", words, labels.collect(), &all, data);
        if all.iter().all(|facts| facts.facts.is_empty()) {
            tables[0].absent = Some("No strategies were held out.");
        }
        tables[0].results = of_pools(&all, generalisation_as_json);
        tables
    }

    fn learning(&self) -> Vec<Table> {
        let all = self.facts(learning);
        let rows = rows(&all);
        let data = Grid::of(&rows)
            .data("portfolio", |row| row.0)
            .data("bandit", |row| row.1.keys[0].clone())
            .data("seat", |row| row.1.keys[1].clone())
            .data("against", |row| row.1.keys[2].clone())
            .data("games", |row| row.1.keys[3].clone())
            .data("losing-rate", |row| row.1.figure)
            .data("standard-error", |row| row.1.standard_error)
            .data("best-possible", |row| row.1.best_possible)
            .data("pools", |row| row.1.num_pools)
            .data("deviation", |row| row.1.deviation);
        let lessons = self.pools.iter().flat_map(|(_, study)| &study.lessons);
        let mut lessons: Vec<&SeedLesson> = lessons.collect();
        // The lessons are sorted by opponent and seat. The sort keeps the order of the bandits.
        lessons.sort_by_key(|lesson| (lesson.opponent, lesson.seat));
        let labels = by_key(lessons.into_iter().map(|lesson| (lesson_label(lesson), ())));
        let labels = labels.into_iter().map(|(label, _)| label).collect();
        let caption = "Losing rates in the last half of the games that a bandit learns from, against the Nash \
                       mixture, each strategy alone, and the uniform mixture. Means over runs, with 95% intervals.";
        let mut tables = self.shown("learning", ["Bandits", caption], labels, &all, data);
        tables[0].results = of_pools(&all, learning_as_json);
        tables
    }
}

/// A figure averaged over several pools: a sample of all pools of this family and size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverPools {
    /// The mean over the pools.
    pub mean: f64,
    /// Half the width of Student's interval for the mean over all such pools, at [`ruse_play::score::CONFIDENCE`].
    pub half_width: f64,
    /// The standard deviation between pools.
    pub deviation: f64,
}

impl OverPools {
    /// Returns the mean of the figures, one per pool, with its deviation; `None` for fewer than two pools. The
    /// deviation includes the errors of the figures.
    pub fn of(figures: &[f64]) -> Option<OverPools> {
        if figures.len() < 2 {
            return None;
        }
        let n = figures.len() as f64;
        let mean = figures.iter().sum::<f64>() / n;
        let deviation = sample_variance(figures).sqrt();
        let half_width = student_quantile(figures.len() as u64 - 1) * deviation / n.sqrt();
        Some(OverPools { mean, half_width, deviation })
    }

    fn in_words(self, is_count: bool) -> String {
        let number = |value: f64| if is_count { format!("{value:.1}") } else { score(value, 3) };
        let OverPools { mean, half_width, deviation } = self;
        format!("{} ± {} (sd {})", number(mean), number(half_width), number(deviation))
    }
}

const SEATS: [&str; 2] = ["first", "second"];

/// Returns the name of a figure in words.
fn in_words(name: &str) -> &str {
    match name {
        "support" => "strategies in the Nash mixture",
        "nash-against-uniform" => "Nash against uniform",
        "nash-exploitability" => "lost by Nash to the best of the pool",
        "uniform-exploitability" => "lost by uniform to the best of the pool",
        "best-arm-exploitability" => "lost by the best on average",
        other => other,
    }
}

/// The number of strategies in a mixture is a count. All other figures are in [0, 1].
const COUNT: &str = "support";

fn with_bounds(figure: f64, [low, high]: [f64; 2], is_count: bool) -> String {
    let number = |value: f64| if is_count { value.to_string() } else { score(value, 3) };
    match low == high {
        true => number(figure),
        false => format!("{} [{}, {}]", number(figure), number(low), number(high)),
    }
}

fn with_error(mean: f64, standard_error: Option<f64>) -> String {
    match standard_error {
        None => score(mean, 3),
        // There are enough runs for a 95% interval from the normal distribution.
        Some(error) => format!("{} ± {}", score(mean, 3), score(1.96 * error, 3)),
    }
}

/// A figure of one pool, or its mean over several pools.
#[derive(Debug, Clone, Default)]
struct Fact {
    /// The names of the figure, for programs.
    keys: Vec<Entry>,
    /// The name of the figure for people; `None` hides it.
    label: Option<String>,
    is_count: bool,
    figure: f64,
    bounds: Option<[f64; 2]>,
    standard_error: Option<f64>,
    best_possible: Option<f64>,
    num_pools: usize,
    deviation: Option<f64>,
    text: String,
}

/// The facts about a pool, or about the pools of a portfolio.
struct Facts<'r> {
    of: &'r str,
    /// The heading of the column for people; `None` hides it.
    heading: Option<&'r str>,
    facts: Vec<Fact>,
}

/// Returns the figures of the game between the strategies.
fn game(study: &SeedStudy) -> Vec<Fact> {
    let facts = study.figures.iter().flat_map(|SeedFigure { name, figure, low, high }| {
        let by_seat =
            [[figure.first, low.first, high.first], [figure.second, low.second, high.second]];
        let is_count = name == COUNT;
        SEATS.into_iter().zip(by_seat).map(move |(seat, [figure, low, high])| Fact {
            keys: vec![name.to_entry(), seat.to_entry()],
            label: Some(game_label(name, seat)),
            is_count,
            figure,
            bounds: Some([low, high]),
            text: with_bounds(figure, [low, high], is_count),
            ..Fact::default()
        })
    });
    facts.collect()
}

fn game_label(name: &str, seat: &str) -> String {
    format!("{}, {seat} seat", in_words(name))
}

/// The names of the scores of mixtures against held-out strategies.
const AGAINST_HELD_OUT: [&str; 3] =
    ["score", "lost to those chosen from", "lost to those held out"];

/// Returns the scores of mixtures against held-out strategies. People see only the largest mixtures.
fn generalisation(study: &SeedStudy) -> Vec<Fact> {
    let largest = study.generalisation.len();
    let sizes = study.generalisation.iter().zip(1..).flat_map(|((size, choices), number)| {
        choices.iter().flat_map(move |of| {
            let means = [of.score, of.loss_inside, of.loss_held_out];
            AGAINST_HELD_OUT.into_iter().zip(means).map(move |(quantity, mean)| Fact {
                keys: vec![size.to_entry(), of.choice.to_entry(), quantity.to_entry()],
                label: (number == largest).then(|| format!("{quantity}, {}", of.choice)),
                figure: mean.mean,
                standard_error: Some(mean.standard_error),
                text: with_error(mean.mean, Some(mean.standard_error)),
                ..Fact::default()
            })
        })
    });
    sizes.collect()
}

/// Returns the losing rates of bandits at the end of their curves.
fn learning(study: &SeedStudy) -> Vec<Fact> {
    let facts = study.lessons.iter().filter_map(|lesson| {
        let last = lesson.curve.last()?;
        let SeedLesson { bandit, seat, opponent, best_possible, .. } = lesson;
        let keys = [bandit, seat, opponent].map(ToEntry::to_entry).into_iter();
        Some(Fact {
            keys: keys.chain([last.num_rounds.to_entry()]).collect(),
            label: Some(lesson_label(lesson)),
            figure: last.losing_rate,
            standard_error: last.standard_error,
            best_possible: Some(*best_possible),
            text: with_error(last.losing_rate, last.standard_error),
            ..Fact::default()
        })
    });
    facts.collect()
}

fn lesson_label(SeedLesson { bandit, seat, opponent, .. }: &SeedLesson) -> String {
    format!("{bandit} against {opponent}, {seat} seat")
}

/// Returns the mean of a figure over pools, from the facts about each pool; `None` if a pool lacks the figure.
fn over_pools(fact: &Fact, pools: &[Vec<Fact>]) -> Option<Fact> {
    let same = |facts: &Vec<Fact>| facts.iter().find(|found| found.keys == fact.keys).cloned();
    let found: Vec<Fact> = pools.iter().map(same).collect::<Option<_>>()?;
    let over = OverPools::of(&found.iter().map(|fact| fact.figure).collect::<Vec<_>>())?;
    let best_possible = found.iter().map(|fact| fact.best_possible).collect::<Option<Vec<_>>>();
    Some(Fact {
        figure: over.mean,
        bounds: Some([over.mean - over.half_width, over.mean + over.half_width]),
        // The standard error of the mean over all pools.
        standard_error: Some(over.deviation / (pools.len() as f64).sqrt()),
        best_possible: best_possible.and_then(|all| OverPools::of(&all)).map(|over| over.mean),
        num_pools: pools.len(),
        deviation: Some(over.deviation),
        text: over.in_words(fact.is_count),
        ..fact.clone()
    })
}

impl Fact {
    /// Returns the figure with its bounds; a mean over pools also has its deviation.
    fn with_bounds(&self) -> Value {
        let [low, high] = self.bounds.unwrap_or([self.figure; 2]);
        let mut object = json!({ "figure": self.figure, "low": low, "high": high });
        if let Some(deviation) = self.deviation {
            object["deviation"] = json!(deviation);
        }
        object
    }

    /// Returns a pool's figure as a number, or a mean over pools with its bounds.
    fn figure(&self) -> Value {
        if self.num_pools == 1 { json!(self.figure) } else { self.with_bounds() }
    }
}

/// Returns the facts from [`game`] as an object, by figure and seat.
fn game_as_json(facts: &[Fact]) -> Value {
    let mut object = Map::new();
    for fact in facts {
        let [name, seat] = [0, 1].map(|index| json!(fact.keys[index]));
        let (name, seat) = (name.as_str().expect("a name"), seat.as_str().expect("a name"));
        object.entry(name).or_insert(json!({}))[seat] = fact.with_bounds();
    }
    object.into()
}

/// Returns the facts from [`generalisation`] as JSON, by size and choice.
fn generalisation_as_json(facts: &[Fact]) -> Value {
    let of_choice = facts.chunks(AGAINST_HELD_OUT.len()).map(|of| {
        json!({
            "seeds": of[0].keys[0],
            "choice": of[0].keys[1],
            "score": of[0].figure(),
            "loss_inside": of[1].figure(),
            "loss_held_out": of[2].figure(),
        })
    });
    of_choice.collect()
}

/// Returns the facts from [`learning`] as JSON.
fn learning_as_json(facts: &[Fact]) -> Value {
    let of_bandit = facts.iter().map(|fact| {
        let mut object = json!({
            "bandit": fact.keys[0],
            "seat": fact.keys[1],
            "against": fact.keys[2],
            "games": fact.keys[3],
            "losing_rate": fact.figure(),
        });
        if fact.num_pools == 1 {
            object["standard_error"] = json!(fact.standard_error);
            object["best_possible"] = json!(fact.best_possible);
        }
        object
    });
    of_bandit.collect()
}

/// Returns an object with the facts of each pool under its name, without means over pools.
fn of_pools(all: &[Facts<'_>], as_json: fn(&[Fact]) -> Value) -> Option<Value> {
    let single = all.iter().filter(|of| of.facts.iter().any(|fact| fact.num_pools == 1));
    Some(single.map(|facts| (facts.of.to_string(), as_json(&facts.facts))).collect())
}

/// Returns all facts with the names of their pools or portfolios.
fn rows<'f>(all: &'f [Facts<'_>]) -> Vec<(&'f str, &'f Fact)> {
    all.iter().flat_map(|facts| facts.facts.iter().map(|fact| (facts.of, fact))).collect()
}

#[cfg(test)]
mod tests {
    use ruse_lab::seed_study::SeedFigure;

    use super::*;

    /// By hand: mean 4, squares of deviations 4 + 0 + 4, deviation 2. Student's quantile with 2 degrees of freedom is
    /// 4.30265 (tables), and 4.30265 * 2 / sqrt(3) = 4.96827.
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
