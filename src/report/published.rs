//! The figures that were published, to put beside ours.
//!
//! M.-L. Cauwet and O. Teytaud, *Surprising strategies obtained by stochastic optimization in partially observable
//! games*, CEC 2018: table II (against the original default parametrisation) and table III (head to head).
//! The data is in `experiments/published/tables.yaml`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::repeats::MeanScore;

/// A published score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>")]
pub struct PublishedScore {
    /// The winning rate, draws as one half, in [0, 1].
    pub score: f64,
    /// The standard deviation printed beside it, of the playing.
    pub standard_deviation: Option<f64>,
}

/// A figure is written as `[score]` or `[score, standard deviation]`, with both in [0, 1].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{0:?} is no figure: write [score] or [score, standard deviation], both in [0, 1]")]
pub struct NoFigure(Vec<f64>);

impl TryFrom<Vec<f64>> for PublishedScore {
    type Error = NoFigure;

    fn try_from(numbers: Vec<f64>) -> Result<PublishedScore, NoFigure> {
        let (score, standard_deviation) = match numbers[..] {
            [score] => (score, None),
            [score, deviation] => (score, Some(deviation)),
            _ => return Err(NoFigure(numbers)),
        };
        let is_sound = numbers.iter().all(|number| (0.0..=1.0).contains(number));
        if is_sound {
            Ok(PublishedScore { score, standard_deviation })
        } else {
            Err(NoFigure(numbers))
        }
    }
}

/// Whether our figure agrees with a published one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// The published figure is in our interval, widened by its standard deviation.
    Agrees,
    /// Ours is higher.
    Higher,
    /// Ours is lower.
    Lower,
}

impl Agreement {
    /// How our score compares with a published one.
    pub fn of(ours: &MeanScore, published: &PublishedScore) -> Agreement {
        // Both are rounded; equality must not fail by the last bit.
        let slack = published.standard_deviation.unwrap_or(0.0) + 1e-9;
        let [low, high] = ours.interval;
        match published.score {
            score if score < low - slack => Agreement::Higher,
            score if score > high + slack => Agreement::Lower,
            _ => Agreement::Agrees,
        }
    }

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Agreement::Agrees => "agrees",
            Agreement::Higher => "higher",
            Agreement::Lower => "lower",
        }
    }
}

/// A cell of a table: our figure and the published one, where there are such.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell<T> {
    /// Ours.
    pub ours: Option<T>,
    /// The published one.
    pub published: Option<PublishedScore>,
    /// How ours compares with it, if there are both.
    pub agreement: Option<Agreement>,
}

impl<T> Cell<T> {
    pub(super) fn new(
        ours: Option<T>,
        published: Option<PublishedScore>,
        mean: impl Fn(&T) -> &MeanScore,
    ) -> Cell<T> {
        let both = ours.as_ref().zip(published.as_ref());
        let agreement = both.map(|(ours, published)| Agreement::of(mean(ours), published));
        Cell { ours, published, agreement }
    }
}

/// A score for every method that has one.
type ByMethod<T> = BTreeMap<String, T>;

/// The published scores of a family head to head.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedMeetings {
    /// The method printed in bold, the best of the family.
    pub bold: Option<String>,
    /// The score of the first method against the second.
    pub scores: ByMethod<ByMethod<PublishedScore>>,
}

/// Tables II and III.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Published {
    score_against_baseline: BTreeMap<String, ByMethod<PublishedScore>>,
    head_to_head: BTreeMap<String, PublishedMeetings>,
}

impl Published {
    /// The tables of Cauwet & Teytaud, CEC 2018.
    pub fn cauwet_teytaud_2018() -> Published {
        let text = include_str!("../../experiments/published/tables.yaml");
        serde_yaml::from_str(text).expect("a test reads the file")
    }

    /// The score of a method against the baseline (table II).
    pub fn score(&self, family: &str, method: &str) -> Option<PublishedScore> {
        self.score_against_baseline.get(family)?.get(method).copied()
    }

    /// The score of `method` against `opponent` (table III).
    pub fn meeting(&self, family: &str, method: &str, opponent: &str) -> Option<PublishedScore> {
        self.head_to_head.get(family)?.scores.get(method)?.get(opponent).copied()
    }

    /// The families of table III.
    pub fn head_to_head(&self) -> impl Iterator<Item = (&str, &PublishedMeetings)> {
        self.head_to_head.iter().map(|(family, meetings)| (family.as_str(), meetings))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::AnyFamily;
    use crate::registry::Registry;
    use crate::report::repeats::Noise;

    #[test]
    fn the_tables_have_the_names_and_figures_of_the_paper() {
        let published = Published::cauwet_teytaud_2018();
        let registry = Registry::standard();
        let families: Vec<&str> = registry.families().map(AnyFamily::name).collect();
        let baseline = &published.score_against_baseline;
        for family in baseline.keys().chain(published.head_to_head.keys()) {
            assert!(families.contains(&family.as_str()), "{family}");
        }
        let methods: Vec<_> = registry.methods().map(|method| method.name()).collect();
        let meetings = published.head_to_head.values().flat_map(|meetings| &meetings.scores);
        let named = meetings.flat_map(|(method, row)| row.keys().chain([method]));
        for method in named.chain(baseline.values().flat_map(BTreeMap::keys)) {
            assert!(methods.contains(&method.as_str()), "{method}");
        }
        // Table II has 5 x 16 cells but: Battleship has one, deterministic Guess Who lacks iterative and seeds,
        // Guess Who seeds, Nim and phantom four naive, four in a row approximate: 80 - 4 - 2 - 1 - 1 - 1 - 1.
        assert_eq!(baseline.values().map(BTreeMap::len).sum::<usize>(), 70);
        // Table III: all families but Battleship, 4 x 3 cells each.
        assert_eq!((published.head_to_head.len(), baseline.len()), (15, 16));
        for (family, meetings) in published.head_to_head() {
            assert_eq!(meetings.scores.values().map(BTreeMap::len).sum::<usize>(), 12, "{family}");
        }
        let score =
            |score, deviation| Some(PublishedScore { score, standard_deviation: deviation });
        assert_eq!(published.score("war", "seeds"), score(0.632, Some(0.003)));
        assert_eq!(published.score("battleship", "seeds"), score(0.77, None));
        assert_eq!(published.score("battleship", "naive"), None);
        let meeting = published.meeting("war", "iterative", "real-coevolution");
        assert_eq!(meeting, score(0.708, Some(0.005)));
        assert_eq!(published.meeting("chess", "naive", "iterative"), None);
    }

    #[test]
    fn the_two_halves_of_table_iii_add_up_to_one_but_for_two_cells_of_cheat() {
        let published = Published::cauwet_teytaud_2018();
        let mut odd = Vec::new();
        for (family, meetings) in published.head_to_head() {
            for (a, row) in &meetings.scores {
                for (b, score) in row.iter().filter(|(b, _)| a < *b) {
                    let other = published.meeting(family, b, a).expect("the other half");
                    if (score.score + other.score - 1.0).abs() > 1e-9 {
                        odd.push((family, a.as_str(), b.as_str()));
                    }
                }
            }
        }
        // .0269 + .973 and .977 + .0235: rounded differently.
        let cheat = [("cheat", "iterative", "naive"), ("cheat", "naive", "real-coevolution")];
        assert_eq!(odd, cheat);
    }

    #[test]
    fn figures_agree_when_ours_could_be_theirs() {
        let ours = MeanScore {
            score: 0.6,
            interval: [0.58, 0.62],
            covers: Noise::Playing,
            playing_half_width: 0.02,
            num_pairs: 1000,
        };
        let agreement = |score, standard_deviation| {
            Agreement::of(&ours, &PublishedScore { score, standard_deviation }).name()
        };
        assert_eq!(agreement(0.62, None), "agrees");
        assert_eq!(agreement(0.63, None), "lower");
        assert_eq!(agreement(0.63, Some(0.01)), "agrees");
        assert_eq!(agreement(0.56, Some(0.01)), "higher");
    }

    #[test]
    fn what_is_no_figure_is_refused() {
        for text in ["[]", "[1.5]", "[.nan]", "[0.5, 0.1, 0.2]", "[0.5, -0.1]"] {
            let error = serde_yaml::from_str::<PublishedScore>(text).expect_err(text);
            assert!(error.to_string().contains("is no figure"), "{error}");
        }
    }
}
