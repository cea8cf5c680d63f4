//! Reports on pools of random seeds, in all formats.

use serde_json::{Map, Value, json};

use super::numbers::score;
use super::sheet::{Mark, Row, Sheet, Text};
use super::{Format, Options, csv, html, latex, markdown, terminal};
use crate::lab::seed_study::{CHOICES, Generalisation, Mean, SeedFigure, SeedLesson};
use crate::report::portfolios::{PortfolioPart, PortfolioReport};
use crate::score::CONFIDENCE;

/// What stands for a figure that is not there.
const MISSING: &str = "-";
const SEATS: [&str; 2] = ["first", "second"];

/// A figure for a person.
fn in_words(name: &str) -> &str {
    match name {
        "support" => "seeds in the Nash mixture",
        "nash-against-uniform" => "Nash against uniform",
        "nash-exploitability" => "lost by Nash to the best of the pool",
        "uniform-exploitability" => "lost by uniform to the best of the pool",
        "best-arm-exploitability" => "lost by the best on average",
        other => other,
    }
}

fn plain(figure: impl Into<String>) -> Text {
    Text { figure: figure.into(), mark: Mark::Plain }
}

/// A figure of one seat with its bounds.
fn seats(found: &SeedFigure) -> [[f64; 3]; 2] {
    let SeedFigure { figure, low, high, .. } = found;
    [[figure.first, low.first, high.first], [figure.second, low.second, high.second]]
}

fn with_bounds([figure, low, high]: [f64; 3], is_count: bool) -> String {
    let number = |value: f64| if is_count { value.to_string() } else { score(value, 3) };
    match low == high {
        true => number(figure),
        false => format!("{} [{}, {}]", number(figure), number(low), number(high)),
    }
}

fn with_error(mean: f64, standard_error: Option<f64>) -> String {
    match standard_error {
        None => score(mean, 3),
        // 95%; runs are many.
        Some(error) => format!("{} ± {}", score(mean, 3), score(1.96 * error, 3)),
    }
}

fn of_choice(found: &Generalisation) -> [(&'static str, Mean); 3] {
    [
        ("score", found.score),
        ("lost to those chosen from", found.loss_inside),
        ("lost to those held out", found.loss_held_out),
    ]
}

impl PortfolioReport {
    /// One part of the report as text, with an end of line at its end.
    pub fn render(&self, part: PortfolioPart, format: Format, options: &Options) -> String {
        let sheet = || match part {
            PortfolioPart::Game => self.game(),
            PortfolioPart::Generalisation => self.generalisation(),
            PortfolioPart::Learning => self.learning(),
        };
        match format {
            Format::Terminal => terminal::write(&sheet(), options.width),
            Format::Markdown => markdown::write(&sheet()),
            Format::Html => html::write(&sheet()),
            Format::Latex => format!("{}{}", latex::PREAMBLE, latex::write(&sheet())),
            Format::Csv => self.csv(part),
            Format::Json => format!("{:#}\n", self.to_json()[part.name()]),
        }
    }

    /// All parts, with an empty line between; one object as JSON.
    pub fn render_all(&self, format: Format, options: &Options) -> String {
        if format == Format::Json {
            return format!("{:#}\n", self.to_json());
        }
        PortfolioPart::ALL.map(|part| self.render(part, format, options)).join("\n")
    }

    fn sheet(&self, title: &str, caption: &str, corner: &str, rows: Vec<Row>) -> Sheet {
        Sheet {
            title: title.into(),
            caption: caption.into(),
            corner: corner.into(),
            columns: self.pools.iter().map(|(name, _)| name.clone()).collect(),
            rows,
            legend: [None, None],
            notes: Vec::new(),
        }
    }

    fn row(&self, label: String, cells: impl Iterator<Item = String>) -> Row {
        Row { label, is_best: false, cells: cells.map(plain).collect() }
    }

    fn game(&self) -> Sheet {
        let mut rows = Vec::new();
        for name in SeedFigure::NAMES {
            for (seat, seat_name) in SEATS.iter().enumerate() {
                let published = self.published.iter().map(|pool| {
                    let figure = pool.figures.get(name);
                    figure.map_or(MISSING.into(), |by_seat| {
                        with_bounds([by_seat[seat]; 3], name == "support")
                    })
                });
                let ours = self.pools.iter().map(|(_, study)| {
                    let found = study.figures.iter().find(|found| found.name == name);
                    found.map_or(MISSING.into(), |found| {
                        with_bounds(seats(found)[seat], name == "support")
                    })
                });
                let label = format!("{}, {seat_name} seat", in_words(name));
                rows.push(self.row(label, published.chain(ours)));
            }
        }
        let caption = "What the first seat scores if both choose a seed by the equilibrium, and what a best \
                       response takes from three ways to choose, beyond the value. 95% bounds of the bootstrap, \
                       where results are estimated: they hold the optimism of choosing and scoring on the same \
                       games.";
        let mut sheet = self.sheet("The game between seeds", caption, "", rows);
        let published = self.published.iter().map(|pool| pool.name.clone());
        sheet.columns = published.chain(sheet.columns).collect();
        if !self.published.is_empty() {
            sheet.notes.push(
                "What the paper calls the exploitability of uniform is what Nash gains against it beyond the value."
                    .into(),
            );
        }
        sheet
    }

    fn generalisation(&self) -> Sheet {
        let mut rows = Vec::new();
        for which in 0..3 {
            for (choice, choice_name) in CHOICES.iter().enumerate() {
                let mut what = "";
                let cells: Vec<String> = self
                    .pools
                    .iter()
                    .map(|(_, study)| {
                        study.generalisation.last().map_or(MISSING.into(), |(_, found)| {
                            let (name, mean) = of_choice(&found[choice])[which];
                            what = name;
                            with_error(mean.mean, Some(mean.standard_error))
                        })
                    })
                    .collect();
                rows.push(self.row(format!("{what}, {choice_name}"), cells.into_iter()));
            }
        }
        let caption = "Mixtures over as many seeds as the pool is named after, against seeds held out: their score, \
                       and their losing rate against the best response, among the seeds chosen from and among \
                       those held out. Means over draws of the seeds and both seats, with 95% intervals.";
        self.sheet("Against seeds not seen", caption, "", rows)
    }

    /// The lessons that some pool has: bandit, opponent, seat.
    fn lessons(&self) -> Vec<(&'static str, &'static str, &'static str)> {
        let mut all = Vec::new();
        for lesson in self.pools.iter().flat_map(|(_, study)| &study.lessons) {
            let key = (lesson.opponent, lesson.seat, lesson.bandit);
            if !all.contains(&key) {
                all.push(key);
            }
        }
        all
    }

    fn learning(&self) -> Sheet {
        let mut lessons = self.lessons();
        // By opponent and seat, in the order of the bandits.
        lessons.sort_by_key(|&(opponent, seat, _)| (opponent, seat));
        let mut rows = Vec::new();
        for (opponent, seat, bandit) in lessons {
            let cells = self.pools.iter().map(|(_, study)| {
                let is_it =
                    |l: &&SeedLesson| (l.opponent, l.seat, l.bandit) == (opponent, seat, bandit);
                let last = study.lessons.iter().find(is_it).and_then(|lesson| lesson.curve.last());
                last.map_or(MISSING.into(), |p| with_error(p.losing_rate, p.standard_error))
            });
            rows.push(self.row(format!("{bandit} against {opponent}, {seat} seat"), cells));
        }
        let caption = "Losing rates in the last half of the games that a bandit learns from, against the Nash \
                       mixture, each seed alone, and the uniform mixture. Means over runs, with 95% intervals.";
        self.sheet("Bandits", caption, "", rows)
    }

    fn csv(&self, part: PortfolioPart) -> String {
        let number = |value: f64| value.to_string();
        match part {
            PortfolioPart::Game => {
                let header = vec!["portfolio", "quantity", "seat", "figure", "low", "high"];
                let published = self.published.iter().flat_map(|pool| {
                    pool.figures.iter().flat_map(move |(name, by_seat)| {
                        let one = move |seat: usize| {
                            let figure = number(by_seat[seat]);
                            [&pool.name, name, SEATS[seat], &figure, "", ""].map(String::from)
                        };
                        [one(0), one(1)]
                    })
                });
                let ours = self.pools.iter().flat_map(|(name, study)| {
                    study.figures.iter().flat_map(move |found| {
                        let one = |seat: usize| {
                            let [figure, low, high] = seats(found)[seat].map(number);
                            [name, &found.name, SEATS[seat], &figure, &low, &high].map(String::from)
                        };
                        [one(0), one(1)]
                    })
                });
                csv::text(header, published.chain(ours).map(Vec::from))
            }
            PortfolioPart::Generalisation => {
                let header =
                    vec!["portfolio", "seeds", "choice", "quantity", "mean", "standard-error"];
                let rows = self.pools.iter().flat_map(|(name, study)| {
                    study.generalisation.iter().flat_map(move |(size, found)| {
                        found.iter().flat_map(move |found| {
                            of_choice(found).map(|(quantity, mean)| {
                                vec![
                                    name.clone(),
                                    size.to_string(),
                                    found.choice.into(),
                                    quantity.into(),
                                    number(mean.mean),
                                    number(mean.standard_error),
                                ]
                            })
                        })
                    })
                });
                csv::text(header, rows)
            }
            PortfolioPart::Learning => {
                let header = vec![
                    "portfolio",
                    "bandit",
                    "seat",
                    "against",
                    "games",
                    "losing-rate",
                    "standard-error",
                    "best-possible",
                ];
                let rows = self.pools.iter().flat_map(|(name, study)| {
                    study.lessons.iter().filter_map(move |lesson| {
                        let last = lesson.curve.last()?;
                        Some(vec![
                            name.clone(),
                            lesson.bandit.into(),
                            lesson.seat.into(),
                            lesson.opponent.into(),
                            last.num_rounds.to_string(),
                            number(last.losing_rate),
                            last.standard_error.map_or(String::new(), number),
                            number(lesson.best_possible),
                        ])
                    })
                });
                csv::text(header, rows)
            }
        }
    }

    /// All numbers of the tables.
    pub fn to_json(&self) -> Value {
        let game = |(name, study): &(String, crate::lab::seed_study::SeedStudy)| {
            let figures = study.figures.iter().map(|found| {
                let [first, second] = seats(found).map(
                    |[figure, low, high]| json!({ "figure": figure, "low": low, "high": high }),
                );
                (found.name.clone(), json!({ "first": first, "second": second }))
            });
            (name.clone(), Value::Object(figures.collect()))
        };
        let generalisation = |(name, study): &(String, crate::lab::seed_study::SeedStudy)| {
            let rows = study.generalisation.iter().flat_map(|(size, found)| {
                found.iter().map(move |found| {
                    json!({
                        "seeds": size,
                        "choice": found.choice,
                        "score": found.score.mean,
                        "loss_inside": found.loss_inside.mean,
                        "loss_held_out": found.loss_held_out.mean,
                    })
                })
            });
            (name.clone(), Value::Array(rows.collect()))
        };
        let learning = |(name, study): &(String, crate::lab::seed_study::SeedStudy)| {
            let rows = study.lessons.iter().filter_map(|lesson| {
                let last = lesson.curve.last()?;
                Some(json!({
                    "bandit": lesson.bandit,
                    "seat": lesson.seat,
                    "against": lesson.opponent,
                    "games": last.num_rounds,
                    "losing_rate": last.losing_rate,
                    "standard_error": last.standard_error,
                    "best_possible": lesson.best_possible,
                }))
            });
            (name.clone(), Value::Array(rows.collect()))
        };
        let published = self.published.iter().map(|pool| (pool.name.clone(), json!(pool.figures)));
        json!({
            "confidence": CONFIDENCE,
            "published": published.collect::<Map<_, _>>(),
            "game": self.pools.iter().map(game).collect::<Map<_, _>>(),
            "generalisation": self.pools.iter().map(generalisation).collect::<Map<_, _>>(),
            "learning": self.pools.iter().map(learning).collect::<Map<_, _>>(),
        })
    }
}
