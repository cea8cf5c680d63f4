//! Published figures, to compare with ours.
//!
//! M.-L. Cauwet and O. Teytaud, *Surprising strategies obtained by stochastic optimization in partially observable
//! games*, CEC 2018: table II (against the original default parametrisation) and table III (head to head).
//! The data is in `experiments/published/tables.yaml`.

use std::collections::BTreeMap;

use ruse_play::score::student_quantile;
use serde::{Deserialize, Serialize};

use super::format::{counted, score};
use super::repeats::MeanScore;

/// A published score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>")]
pub struct PublishedScore {
    /// The winning rate in [0, 1]; a draw counts as one half.
    pub score: f64,
    /// The printed standard deviation, which covers the noise of playing.
    pub standard_deviation: Option<f64>,
}

/// The error for an invalid figure. A valid one is `[score]` or `[score, standard deviation]`, both in [0, 1].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("invalid figure {0:?}: expected [score] or [score, standard deviation], both in [0, 1]")]
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
        is_sound.then_some(PublishedScore { score, standard_deviation }).ok_or(NoFigure(numbers))
    }
}

ruse_base::named! {
    /// The relation of our figure to a published figure.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Agreement {
        /// The published figure lies in the prediction interval for one more run of ours.
        Agrees = "agrees",
        /// Our figure is higher.
        Higher = "higher",
        /// Our figure is lower.
        Lower = "lower",
    }
}

impl Agreement {
    /// Compares our runs with a published figure, which comes from one run: "Each learning is performed only once" (on
    /// table II).
    ///
    /// The figure agrees if it lies in the 95% prediction interval for one more run of ours, scored as in the paper. This
    /// interval is mean ± t sqrt(s^2 (1 + 1/n) + d^2). Here s is the standard deviation of our n runs, d the standard
    /// deviation of the paper's scoring, and t Student's quantile with n - 1 degrees of freedom.
    ///
    /// Returns `None` if we have only one run, which says nothing about the scores of other runs.
    pub fn of(ours: &MeanScore, published: &PublishedScore) -> Option<Agreement> {
        let allowed = Agreement::allowed(ours, published)?;
        Some(match ours.score - published.score {
            difference if difference > allowed => Agreement::Higher,
            difference if difference < -allowed => Agreement::Lower,
            _ => Agreement::Agrees,
        })
    }

    /// Returns the largest distance at which the two figures agree; `None` if we have only one run.
    fn allowed(ours: &MeanScore, published: &PublishedScore) -> Option<f64> {
        let spread = ours.spread?;
        let of_playing = published.standard_deviation.unwrap_or(0.0);
        let error = libm::hypot(spread.prediction_error, of_playing);
        // Both figures are rounded, so an error in the last bit must not decide.
        Some(student_quantile(spread.degrees) * error + 1e-9)
    }
}

/// A cell of a table: our figure and the published one. Either may be missing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell<T> {
    /// Our figure.
    pub ours: Option<T>,
    /// The published figure.
    pub published: Option<PublishedScore>,
    /// The relation of the two figures, if they exist and ours comes from several runs.
    pub agreement: Option<Agreement>,
    /// Whether a difference of [`TELLING`] would be a disagreement. Otherwise, agreement says little.
    #[serde(skip)]
    pub is_telling: bool,
}

/// The difference of two figures that a telling comparison would notice.
pub const TELLING: f64 = 0.05;

/// The number of published figures that agree with ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Agreements {
    /// The number of figures that agree.
    pub agree: u64,
    /// The number of figures that agree where a difference of [`TELLING`] would show.
    pub telling: u64,
    /// The number of figures that are higher than ours.
    pub higher: u64,
    /// The number of figures that are lower than ours.
    pub lower: u64,
}

impl Agreements {
    pub(super) fn of<'a, T: 'a>(cells: impl Iterator<Item = &'a Cell<T>>) -> Agreements {
        let mut counts = Agreements::default();
        for (agreement, cell) in cells.filter_map(|cell| Some((cell.agreement?, cell))) {
            match agreement {
                Agreement::Agrees => {
                    counts.agree += 1;
                    counts.telling += u64::from(cell.is_telling);
                }
                Agreement::Higher => counts.lower += 1,
                Agreement::Lower => counts.higher += 1,
            }
        }
        counts
    }

    pub(super) fn in_words(self) -> String {
        let Agreements { agree, telling, higher, lower } = self;
        let compared = counted(agree + higher + lower, "published figure");
        let telling = match agree {
            0 => String::new(),
            _ => format!(
                " ({telling} of them where a difference of {} would show)",
                score(TELLING, 2)
            ),
        };
        format!(
            "{compared} compared with ours: {agree} agree{telling}, {higher} higher, {lower} lower."
        )
    }
}

impl<T> Cell<T> {
    pub(super) fn new(
        ours: Option<T>,
        published: Option<PublishedScore>,
        mean: impl Fn(&T) -> &MeanScore,
    ) -> Cell<T> {
        let both = ours.as_ref().zip(published.as_ref());
        let agreement = both.and_then(|(ours, published)| Agreement::of(mean(ours), published));
        let allowed = both.and_then(|(ours, published)| Agreement::allowed(mean(ours), published));
        let is_telling = allowed.is_some_and(|allowed| allowed < TELLING);
        Cell { ours, published, agreement, is_telling }
    }
}

/// Values indexed by the name of the method.
type ByMethod<T> = BTreeMap<String, T>;

/// The published head-to-head scores of a family.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedMeetings {
    /// The method printed in bold, the best of the family.
    pub bold: Option<String>,
    /// The scores, by method and then by opponent.
    pub scores: ByMethod<ByMethod<PublishedScore>>,
}

/// The figures of the published tables II and III.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Published {
    score_against_baseline: BTreeMap<String, ByMethod<PublishedScore>>,
    head_to_head: BTreeMap<String, PublishedMeetings>,
}

impl Published {
    /// Returns the tables of Cauwet & Teytaud, CEC 2018.
    pub fn cauwet_teytaud_2018() -> Published {
        let text = include_str!("../published/tables.yaml");
        serde_yaml::from_str(text).expect("a test reads the file")
    }

    /// Returns the score of a method against the baseline (table II).
    pub fn score(&self, family: &str, method: &str) -> Option<PublishedScore> {
        self.score_against_baseline.get(family)?.get(method).copied()
    }

    /// Returns the score of `method` against `opponent` (table III).
    pub fn meeting(&self, family: &str, method: &str, opponent: &str) -> Option<PublishedScore> {
        self.head_to_head.get(family)?.scores.get(method)?.get(opponent).copied()
    }

    /// Returns the families of table III.
    pub fn head_to_head(&self) -> impl Iterator<Item = (&str, &PublishedMeetings)> {
        self.head_to_head.iter().map(|(family, meetings)| (family.as_str(), meetings))
    }
}

#[cfg(test)]
mod tests {
    use rand_distr::Distribution;
    use ruse_base::rng::{Gaussian, StreamKey};
    use ruse_lab::fixtures::estimate;
    use ruse_play::family::AnyFamily;
    use ruse_play::score::Estimate;
    use ruse_registry::Registry;

    use super::*;

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
        // Table II has 5 x 16 cells, of which 10 are empty: Battleship has only one cell, deterministic Guess Who lacks
        // iterative and seeds, Guess Who lacks seeds, Nim and phantom four lack naive, and four in a row lacks
        // approximate: 80 - 4 - 2 - 1 - 1 - 1 - 1.
        assert_eq!(baseline.values().map(BTreeMap::len).sum::<usize>(), 70);
        // Table III has 4 x 3 cells for each family except Battleship.
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
    fn the_halves_of_table_iii_add_up_to_one_except_two_cells_of_cheat() {
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
        // The sums .0269 + .973 and .977 + .0235 are not 1, because the paper rounds figures differently.
        let cheat = [("cheat", "iterative", "naive"), ("cheat", "naive", "real-coevolution")];
        assert_eq!(odd, cheat);
    }

    #[test]
    fn figures_agree_when_one_run_of_ours_could_be_theirs() {
        // The scores .60, .62, .70 have mean .64 and s^2 = .0028. The root of s^2 (1 + 1/3) = .00373333 is .0611010;
        // times t(.975; 2) = 4.302653, .262897. With a deviation of .05, sqrt(.00373333 + .0025) = .0789515; times t,
        // .339701.
        let ours = MeanScore::over_runs(&[0.60, 0.62, 0.70].map(estimate)).expect("runs");
        let agreement = |score, standard_deviation| {
            let published = PublishedScore { score, standard_deviation };
            Agreement::of(&ours, &published).expect("several runs").name()
        };
        assert_eq!(agreement(0.64 + 0.262_8, None), "agrees");
        assert_eq!(agreement(0.64 + 0.263_0, None), "lower");
        assert_eq!(agreement(0.64 - 0.262_8, None), "agrees");
        assert_eq!(agreement(0.64 - 0.263_0, None), "higher");
        assert_eq!(agreement(0.64 + 0.339_6, Some(0.05)), "agrees");
        assert_eq!(agreement(0.64 + 0.339_8, Some(0.05)), "lower");
        // One run says nothing about other runs.
        let one = MeanScore::over_runs(&[estimate(0.9)]).expect("a run");
        let published = PublishedScore { score: 0.1, standard_deviation: None };
        assert_eq!(Agreement::of(&one, &published), None);
    }

    /// A published run from the distribution of our runs agrees in 95% of all cases. With 20 000 samples the standard
    /// error is .0015; the tolerance is four standard errors. There are three cases, so one seed in 5000 fails by
    /// chance.
    #[test]
    fn runs_of_the_same_distribution_agree() {
        let mut rng = StreamKey::root(11).stream();
        for num_runs in [2, 4, 8] {
            let agreeing = (0..20_000).filter(|_| {
                let mut run = || -> f64 {
                    let deviation: f64 = Gaussian.sample(&mut rng);
                    0.5 + 0.02 * deviation
                };
                let precise = |score: f64| Estimate { interval: [score; 2], ..estimate(score) };
                let runs: Vec<_> = (0..num_runs).map(|_| precise(run())).collect();
                let published = PublishedScore { score: run(), standard_deviation: None };
                let ours = MeanScore::over_runs(&runs).expect("runs");
                Agreement::of(&ours, &published) == Some(Agreement::Agrees)
            });
            let share = agreeing.count() as f64 / 20_000.0;
            assert!((0.944..0.956).contains(&share), "{num_runs} runs: {share}");
        }
    }

    #[test]
    fn invalid_published_scores_are_refused() {
        for text in ["[]", "[1.5]", "[.nan]", "[0.5, 0.1, 0.2]", "[0.5, -0.1]"] {
            let error = serde_yaml::from_str::<PublishedScore>(text).expect_err(text);
            assert!(error.to_string().contains("invalid figure"), "{error}");
        }
    }
}
