//! Reports on pools of random seeds, in all formats.

use serde_json::{Map, Value, json};

use super::numbers::score;
use super::sheet::{Row, Sheet, Text};
use super::{Format, Options, csv, html, latex, markdown, terminal};
use crate::lab::seed_study::{CHOICES, Generalisation, Mean, SeedFigure, SeedLesson, SeedStudy};
use crate::report::portfolios::{OverPools, PortfolioPart, PortfolioReport};
use crate::score::CONFIDENCE;

/// The text of a missing figure.
const MISSING: &str = "-";
const SEATS: [&str; 2] = ["first", "second"];

/// Returns the name of a figure in words.
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

fn figure_of<'a>(study: &'a SeedStudy, name: &str) -> Option<&'a SeedFigure> {
    study.figures.iter().find(|found| found.name == name)
}

/// Returns a figure of each seat, followed by its lower and its upper bound.
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
        // A 95% interval of the normal distribution, as there are many runs.
        Some(error) => format!("{} ± {}", score(mean, 3), score(1.96 * error, 3)),
    }
}

/// Formats the mean over pools with its interval, and the deviation between pools.
fn over_pools(found: OverPools, is_count: bool) -> String {
    let number = |value: f64| if is_count { format!("{value:.1}") } else { score(value, 3) };
    let OverPools { mean, half_width, deviation } = found;
    format!("{} ± {} (sd {})", number(mean), number(half_width), number(deviation))
}

fn last_lesson<'a>(
    study: &'a SeedStudy,
    (opponent, seat, bandit): (&str, &str, &str),
) -> Option<(&'a SeedLesson, &'a crate::portfolio::LearningPoint)> {
    let is_it = |l: &&SeedLesson| (l.opponent, l.seat, l.bandit) == (opponent, seat, bandit);
    let lesson = study.lessons.iter().find(is_it)?;
    lesson.curve.last().map(|last| (lesson, last))
}

fn of_choice(found: &Generalisation) -> [(&'static str, Mean); 3] {
    [
        ("score", found.score),
        ("lost to those chosen from", found.loss_inside),
        ("lost to those held out", found.loss_held_out),
    ]
}

impl PortfolioReport {
    /// Returns one part of the report as text that ends with a newline.
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
            Format::Latex => format!("{}{}", latex::PREAMBLE, latex::write(&sheet(), options)),
            Format::Csv => self.csv(part),
            Format::Json => {
                let mut all = self.to_json();
                let over = self
                    .several()
                    .map(|(name, _)| (name.clone(), all["over_pools"][name][part.name()].clone()));
                let over: Map<_, _> = over.collect();
                if let (Value::Object(of_pools), false) = (&mut all[part.name()], over.is_empty()) {
                    // A pool cannot have this name: pool names end with a number.
                    of_pools.insert("over_pools".into(), Value::Object(over));
                }
                format!("{:#}\n", all[part.name()])
            }
        }
    }

    /// Returns all parts, with an empty line between them; as JSON, one object.
    pub fn render_all(&self, format: Format, options: &Options) -> String {
        if format == Format::Json {
            return format!("{:#}\n", self.to_json());
        }
        PortfolioPart::ALL.map(|part| self.render(part, format, options)).join("\n")
    }

    fn sheet(&self, title: &str, caption: &str, corner: &str, rows: Vec<Row>) -> Sheet {
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
        if counts.contains(&1) {
            notes.push(
                "A column of one pool is about the strategies of this pool: another pool of the same size may differ \
                 by more than the bounds. With `pools: 6` an experiment shows by how much."
                    .into(),
            );
        }
        Sheet {
            title: title.into(),
            caption: caption.into(),
            short: format!("{title}, 95% intervals."),
            corner: corner.into(),
            columns: self.portfolios.iter().map(|(name, _)| name.clone()).collect(),
            rows,
            legend: [None, None],
            notes,
        }
    }

    /// Returns a cell for each portfolio: the result of `one` for its only pool, or the mean of `figure` over its
    /// pools.
    fn cells<'a>(
        &'a self,
        is_count: bool,
        figure: impl Fn(&'a SeedStudy) -> Option<f64> + 'a,
        one: impl Fn(&'a SeedStudy) -> Option<String> + 'a,
    ) -> impl Iterator<Item = String> + 'a {
        self.portfolios.iter().map(move |(_, pools)| {
            let found = match pools[..] {
                [pool] => one(&self.pools[pool].1),
                _ => self.over(pools, &figure).map(|found| over_pools(found, is_count)),
            };
            found.unwrap_or_else(|| MISSING.into())
        })
    }

    /// Returns the mean of a figure over pools.
    fn over<'a>(
        &'a self,
        pools: &[usize],
        figure: impl Fn(&'a SeedStudy) -> Option<f64>,
    ) -> Option<OverPools> {
        let figures: Option<Vec<f64>> =
            pools.iter().map(|&pool| figure(&self.pools[pool].1)).collect();
        OverPools::of(&figures?)
    }

    /// Returns the portfolios with several pools.
    fn several(&self) -> impl Iterator<Item = (&String, &Vec<usize>)> {
        self.portfolios
            .iter()
            .filter(|(_, pools)| pools.len() > 1)
            .map(|(name, pools)| (name, pools))
    }

    fn row(&self, label: String, cells: impl Iterator<Item = String>) -> Row {
        Row { label, is_best: false, cells: cells.map(Text::plain).collect() }
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
                let is_count = name == "support";
                let known =
                    move |study: &SeedStudy| figure_of(study, name).map(|found| seats(found)[seat]);
                let ours = self.cells(
                    is_count,
                    move |study| known(study).map(|[figure, ..]| figure),
                    move |study| known(study).map(|bounded| with_bounds(bounded, is_count)),
                );
                let label = format!("{}, {seat_name} seat", in_words(name));
                rows.push(self.row(label, published.chain(ours)));
            }
        }
        let caption = "What the first seat scores if both choose a seed by the equilibrium, and what a best \
                       response takes from three ways to choose, beyond the value. Where results are estimated, \
                       mixtures and responses are chosen on one part of the games and scored on another, with 95% \
                       bounds: the bounds hold what the best of the pool takes, and the figure is what the response \
                       takes that was found. The number of seeds in the Nash mixture is a count by all games, \
                       without bounds.";
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
                let known = move |study: &SeedStudy| {
                    study.generalisation.last().map(|(_, found)| of_choice(&found[choice])[which])
                };
                let what = self
                    .pools
                    .iter()
                    .find_map(|(_, study)| known(study))
                    .map_or("", |(what, _)| what);
                let cells = self.cells(
                    false,
                    move |study| known(study).map(|(_, mean)| mean.mean),
                    move |study| {
                        known(study)
                            .map(|(_, mean)| with_error(mean.mean, Some(mean.standard_error)))
                    },
                );
                rows.push(self.row(format!("{what}, {choice_name}"), cells));
            }
        }
        let caption = "Mixtures over as many seeds as the pool is named after, against seeds held out: their score, \
                       and their losing rate against the best response, among the seeds chosen from and among \
                       those held out. Means over draws of the seeds and both seats, with 95% intervals.";
        self.sheet("Against seeds not seen", caption, "", rows)
    }

    /// Returns the kinds of lessons in any pool, each as its opponent, seat and bandit.
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
            let last = move |study| last_lesson(study, (opponent, seat, bandit));
            let cells = self.cells(
                false,
                move |study| last(study).map(|(_, last)| last.losing_rate),
                move |study| last(study).map(|(_, p)| with_error(p.losing_rate, p.standard_error)),
            );
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
                let header = vec![
                    "portfolio",
                    "quantity",
                    "seat",
                    "figure",
                    "low",
                    "high",
                    "pools",
                    "deviation",
                ];
                let published = self.published.iter().flat_map(|pool| {
                    pool.figures.iter().flat_map(move |(name, by_seat)| {
                        let one = move |seat: usize| {
                            let figure = number(by_seat[seat]);
                            [&pool.name, name, SEATS[seat], &figure, "", "", "1", ""]
                                .map(String::from)
                        };
                        [one(0), one(1)]
                    })
                });
                let ours = self.pools.iter().flat_map(|(name, study)| {
                    study.figures.iter().flat_map(move |found| {
                        let one = |seat: usize| {
                            let [figure, low, high] = seats(found)[seat].map(number);
                            [name, &found.name, SEATS[seat], &figure, &low, &high, "1", ""]
                                .map(String::from)
                        };
                        [one(0), one(1)]
                    })
                });
                let over = self.several().flat_map(|(name, pools)| {
                    SeedFigure::NAMES.into_iter().flat_map(move |quantity| {
                        [0, 1].into_iter().filter_map(move |seat| {
                            let known = |study| Some(seats(figure_of(study, quantity)?)[seat][0]);
                            let OverPools { mean, half_width, deviation } =
                                self.over(pools, known)?;
                            let numbers = [mean, mean - half_width, mean + half_width].map(number);
                            let before =
                                [name, quantity, SEATS[seat]].map(String::from).into_iter();
                            let after = [pools.len().to_string(), number(deviation)];
                            Some(before.chain(numbers).chain(after).collect::<Vec<_>>())
                        })
                    })
                });
                csv::text(header, published.chain(ours).map(Vec::from).chain(over))
            }
            PortfolioPart::Generalisation => {
                let header = vec![
                    "portfolio",
                    "seeds",
                    "choice",
                    "quantity",
                    "mean",
                    "standard-error",
                    "pools",
                    "deviation",
                ];
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
                                    "1".into(),
                                    String::new(),
                                ]
                            })
                        })
                    })
                });
                let over = self.several().flat_map(|(name, pools)| {
                    let sizes = &self.pools[pools[0]].1.generalisation;
                    sizes.iter().enumerate().flat_map(move |(index, (size, found))| {
                        found.iter().enumerate().flat_map(move |(choice, found)| {
                            of_choice(found).into_iter().enumerate().filter_map(
                                move |(which, (quantity, _))| {
                                    let known = |study: &SeedStudy| {
                                        let (_, found) = study.generalisation.get(index)?;
                                        Some(of_choice(&found[choice])[which].1.mean)
                                    };
                                    let over = self.over(pools, known)?;
                                    // The standard error of the mean of all pools.
                                    let error = over.deviation / (pools.len() as f64).sqrt();
                                    Some(vec![
                                        name.clone(),
                                        size.to_string(),
                                        found.choice.into(),
                                        quantity.into(),
                                        number(over.mean),
                                        number(error),
                                        pools.len().to_string(),
                                        number(over.deviation),
                                    ])
                                },
                            )
                        })
                    })
                });
                csv::text(header, rows.chain(over))
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
                    "pools",
                    "deviation",
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
                            "1".into(),
                            String::new(),
                        ])
                    })
                });
                let over = self.several().flat_map(|(name, pools)| {
                    self.lessons().into_iter().filter_map(move |key| {
                        let (opponent, seat, bandit) = key;
                        let losing_rate = |study| Some(last_lesson(study, key)?.1.losing_rate);
                        let best_possible = |study| Some(last_lesson(study, key)?.0.best_possible);
                        let (_, last) = last_lesson(&self.pools[pools[0]].1, key)?;
                        let over = self.over(pools, losing_rate)?;
                        Some(vec![
                            name.clone(),
                            bandit.into(),
                            seat.into(),
                            opponent.into(),
                            last.num_rounds.to_string(),
                            number(over.mean),
                            number(over.deviation / (pools.len() as f64).sqrt()),
                            number(self.over(pools, best_possible)?.mean),
                            pools.len().to_string(),
                            number(over.deviation),
                        ])
                    })
                });
                csv::text(header, rows.chain(over))
            }
        }
    }

    /// Returns all numbers of the tables.
    pub fn to_json(&self) -> Value {
        let game = |(name, study): &(String, SeedStudy)| {
            let figures = study.figures.iter().map(|found| {
                let [first, second] = seats(found).map(
                    |[figure, low, high]| json!({ "figure": figure, "low": low, "high": high }),
                );
                (found.name.clone(), json!({ "first": first, "second": second }))
            });
            (name.clone(), Value::Object(figures.collect()))
        };
        let generalisation = |(name, study): &(String, SeedStudy)| {
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
        let learning = |(name, study): &(String, SeedStudy)| {
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
        let over = |(name, pools): (&String, &Vec<usize>)| {
            let object = |known: &dyn Fn(&SeedStudy) -> Option<f64>| {
                self.over(pools, known).map(|OverPools { mean, half_width, deviation }| {
                    json!({
                        "figure": mean,
                        "low": mean - half_width,
                        "high": mean + half_width,
                        "deviation": deviation,
                    })
                })
            };
            let figures = SeedFigure::NAMES.map(|name| {
                let [first, second] = [0, 1]
                    .map(|seat| object(&|study| Some(seats(figure_of(study, name)?)[seat][0])));
                (name.to_string(), json!({ "first": first, "second": second }))
            });
            let choices = CHOICES.iter().enumerate().map(|(choice, name)| {
                let [score, loss_inside, loss_held_out] = [0, 1, 2].map(|which| {
                    object(&|study| {
                        let (_, found) = study.generalisation.last()?;
                        Some(of_choice(&found[choice])[which].1.mean)
                    })
                });
                json!({
                    "choice": name,
                    "score": score,
                    "loss_inside": loss_inside,
                    "loss_held_out": loss_held_out,
                })
            });
            let lessons = self.lessons().into_iter().map(|key| {
                let (opponent, seat, bandit) = key;
                let losing_rate = object(&|study| Some(last_lesson(study, key)?.1.losing_rate));
                json!({
                    "bandit": bandit,
                    "seat": seat,
                    "against": opponent,
                    "losing_rate": losing_rate,
                })
            });
            let object = json!({
                "pools": pools.iter().map(|&pool| &self.pools[pool].0).collect::<Vec<_>>(),
                "game": figures.into_iter().collect::<Map<_, _>>(),
                "generalisation": choices.collect::<Vec<_>>(),
                "learning": lessons.collect::<Vec<_>>(),
            });
            (name.clone(), object)
        };
        json!({
            "confidence": CONFIDENCE,
            "over_pools": self.several().map(over).collect::<Map<_, _>>(),
            "published": published.collect::<Map<_, _>>(),
            "game": self.pools.iter().map(game).collect::<Map<_, _>>(),
            "generalisation": self.pools.iter().map(generalisation).collect::<Map<_, _>>(),
            "learning": self.pools.iter().map(learning).collect::<Map<_, _>>(),
        })
    }
}
