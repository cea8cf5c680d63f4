//! Bandit strategies, in the notation in which users write them, such as `ns:e0=.4,el=.33` or `lsi:others=f`.
//!
//! | name | strategy | options, with their defaults |
//! |---|---|---|
//! | `ns` | naive sampling | `e0=.8`, `el=.4`, `eg=0`, `force=yes` |
//! | `two-phase` | naive sampling with other parameters after a share of the pulls | `share=.6`, the options of `ns`, `then-e0=0`, `then-el=0`, `then-eg=.2` |
//! | `ns-ucb1` | naive sampling that exploits by UCB1 | `e0=.8`, `el=.4`, `c=.005`, `force=yes` |
//! | `ucb1-swapped` | `ns-ucb1` with the constant as a factor of the mean, not of the bonus | the options of `ns-ucb1` |
//! | `egreedy` | e-greedy over whole arms | `e=.25` |
//! | `ucb1` | UCB1 over whole arms | `c=.05` |
//! | `ucb1-fpu` | UCB1 with first play urgency | `c=.05`, `f` (the value of the problem) |
//! | `mlps` | MLPS-greedy | `c=.005` |
//! | `lsi` | linear side information | `others=v` (or `f`), `draw=e` (or `u`) |
//! | `random` | a random arm every time | |
//!
//! All except `lsi` also accept `recommend=most-pulled` or `recommend=highest-mean`. The defaults are the values of the
//! paper.

use rand::Rng;
use ruse_base::names::UnknownName;
use ruse_base::notation::{Notation, NotationError, Options};
use ruse_search::bandit::cmab::{
    AtRoot, Exploit, Lsi, LsiOptions, LsiOthers, LsiPicks, Naive, Problem, Recommendation, Sampler,
    Strategy, Tables, UcbForm,
};

use super::Playground;

/// The error if the expected reward of a new arm is unknown to `ucb1-fpu`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{strategy}` has no option `f`, and the problem has no `fpu` either: write {strategy}:f=.75 or so, a mean that an \
     untried arm may be expected to have"
)]
pub struct MissingUrgency {
    /// The strategy, as written by the user.
    pub strategy: String,
}

/// A parsed strategy. Parts that depend on the number of pulls or on the problem are not determined yet.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ParsedStrategy {
    Fixed(Strategy),
    TwoPhase { first: Naive, second: Naive, share: f64 },
    Ucb1Fpu { c: f64, threshold: Option<f64> },
    Lsi(LsiOptions),
}

/// A strategy with its options.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The text that the user wrote.
    pub text: String,
    kind: ParsedStrategy,
    recommendation: Recommendation,
}

const SHARE: [f64; 2] = [0.0, 1.0];
/// The range of the constant in upper confidence bounds, for rewards from 0 to 1.
const CONSTANT: [f64; 2] = [0.0, 1000.0];
/// The range of the expected reward of a new arm.
const REWARD: [f64; 2] = [-1e6, 1e6];

impl Choice {
    /// The names of all strategies.
    pub const NAMES: [&str; 10] = [
        "ns",
        "two-phase",
        "ns-ucb1",
        "ucb1-swapped",
        "egreedy",
        "ucb1",
        "ucb1-fpu",
        "mlps",
        "lsi",
        "random",
    ];

    /// Parses a strategy with its options.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such strategy or option, or a value is out of range.
    pub fn read(notation: &Notation) -> Result<Choice, NotationError> {
        let mut options = notation.options();
        let kind = match notation.name.as_str() {
            "ns" => ParsedStrategy::Fixed(Strategy::Naive(naive(&mut options)?)),
            "two-phase" => {
                let share = options.number("share", SHARE)?.unwrap_or(0.6);
                let first = naive(&mut options)?;
                let mut then = |key, default| {
                    Ok::<_, NotationError>(options.number(key, SHARE)?.unwrap_or(default))
                };
                let (e0, e_l, e_g) =
                    (then("then-e0", 0.0)?, then("then-el", 0.0)?, then("then-eg", 0.2)?);
                let second = Naive { force: first.force, ..Naive::greedy(e0, e_l, e_g) };
                ParsedStrategy::TwoPhase { first, second, share }
            }
            "ns-ucb1" => naive_ucb(&mut options, UcbForm::Plain)?,
            "ucb1-swapped" => naive_ucb(&mut options, UcbForm::Swapped)?,
            "egreedy" => {
                let e = options.number("e", SHARE)?.unwrap_or(0.25);
                ParsedStrategy::Fixed(Strategy::Naive(Naive::e_greedy(e)))
            }
            "ucb1" => ParsedStrategy::Fixed(Strategy::Ucb1 { c: constant(&mut options, 0.05)? }),
            "ucb1-fpu" => ParsedStrategy::Ucb1Fpu {
                c: constant(&mut options, 0.05)?,
                threshold: options.number("f", REWARD)?,
            },
            "mlps" => ParsedStrategy::Fixed(Strategy::Mlps { c: constant(&mut options, 0.005)? }),
            "lsi" => {
                let words = [("v", LsiOthers::Special), ("f", LsiOthers::Free)];
                let others = options.choice("others", &words)?.unwrap_or(LsiOthers::Special);
                let words = [("e", LsiPicks::ByEntropy), ("u", LsiPicks::Union)];
                let picks = options.choice("draw", &words)?.unwrap_or(LsiPicks::ByEntropy);
                ParsedStrategy::Lsi(LsiOptions { others, picks })
            }
            "random" => ParsedStrategy::Fixed(Strategy::Random),
            unknown => return Err(UnknownName::new("strategy", unknown, Choice::NAMES).into()),
        };
        let mut recommendation = None;
        if !matches!(kind, ParsedStrategy::Lsi(_)) {
            let words = [
                ("most-pulled", Recommendation::MostPulled),
                ("highest-mean", Recommendation::HighestMean),
            ];
            recommendation = options.choice("recommend", &words)?;
        }
        options.finish()?;
        let recommendation = recommendation.unwrap_or_default();
        Ok(Choice { text: notation.to_string(), kind, recommendation })
    }

    /// Prepares the strategy for `num_pulls` pulls.
    ///
    /// # Errors
    ///
    /// Returns an error if the strategy needs the expected reward of a new arm, and neither the options nor the problem
    /// state this reward.
    ///
    /// # Panics
    ///
    /// Panics if `num_pulls` is 0.
    pub fn begin<G: Playground>(
        &self,
        playground: &G,
        num_pulls: u64,
    ) -> Result<AnySampler<G::Problem>, MissingUrgency> {
        assert!(num_pulls > 0, "there is something to learn from");
        let problem = playground.problem();
        let strategy = match self.kind {
            ParsedStrategy::Fixed(strategy) => strategy,
            ParsedStrategy::TwoPhase { first, second, share } => {
                // The switch takes place after pull number `share` T, where T is the number of pulls.
                let switch = (share * num_pulls as f64).round() as u64;
                Strategy::TwoPhase { first, second, switch }
            }
            ParsedStrategy::Ucb1Fpu { c, threshold } => {
                let missing = || MissingUrgency { strategy: self.text.clone() };
                let threshold = threshold.or(playground.urgency()).ok_or_else(missing)?;
                Strategy::Ucb1Fpu { c, threshold }
            }
            ParsedStrategy::Lsi(options) => {
                let lsi = Lsi::new(options, num_pulls, playground.special(), problem);
                let mut seen = Tables::default();
                seen.reset(problem.sizes());
                return Ok(AnySampler::Lsi { lsi: Box::new(lsi), seen: Box::new(seen) });
            }
        };
        let sampler = AtRoot::new(strategy, problem).expect("all options are in their ranges");
        let sampler = Box::new(sampler.recommending(self.recommendation));
        Ok(AnySampler::Table { sampler, range: playground.range() })
    }
}

fn constant(options: &mut Options<'_>, default: f64) -> Result<f64, NotationError> {
    Ok(options.number("c", CONSTANT)?.unwrap_or(default))
}

/// Parses the options for the explore step of naive sampling. Its exploit step is `exploit`.
fn explore(options: &mut Options<'_>, exploit: Exploit) -> Result<Naive, NotationError> {
    let e0 = options.number("e0", SHARE)?.unwrap_or(0.8);
    let e_l = options.number("el", SHARE)?.unwrap_or(0.4);
    let force = options.choice("force", &[("yes", true), ("no", false)])?.unwrap_or(true);
    Ok(Naive { e0, e_l, exploit, force })
}

fn naive(options: &mut Options<'_>) -> Result<Naive, NotationError> {
    let e_g = options.number("eg", SHARE)?.unwrap_or(0.0);
    explore(options, Exploit::Greedy { e_g })
}

fn naive_ucb(options: &mut Options<'_>, form: UcbForm) -> Result<ParsedStrategy, NotationError> {
    let c = constant(options, 0.005)?;
    Ok(ParsedStrategy::Fixed(Strategy::Naive(explore(options, Exploit::Ucb1 { c, form })?)))
}

/// A prepared strategy of any kind.
#[derive(Clone)]
#[non_exhaustive]
pub enum AnySampler<P: Problem> {
    /// A strategy that chooses arms by [`Tables`] of earlier rewards.
    Table {
        /// The strategy.
        sampler: Box<AtRoot<P>>,
        /// The two rewards that are rescaled to 0 and to 1 for the strategy.
        range: [f64; 2],
    },
    /// Linear side information.
    Lsi {
        /// The strategy.
        lsi: Box<Lsi<P>>,
        /// The pulls so far, which the strategy itself does not store.
        seen: Box<Tables>,
    },
}

impl<P: Problem> AnySampler<P> {
    /// Returns the number of different arms pulled.
    pub fn num_arms(&self) -> usize {
        match self {
            AnySampler::Table { sampler, .. } => sampler.tables().num_arms(),
            AnySampler::Lsi { seen, .. } => seen.num_arms(),
        }
    }
}

impl<P: Problem> Sampler<P> for AnySampler<P> {
    fn reset(&mut self, problem: &P) {
        match self {
            AnySampler::Table { sampler, .. } => sampler.reset(problem),
            AnySampler::Lsi { lsi, seen } => {
                lsi.reset(problem);
                seen.reset(problem.sizes());
            }
        }
    }

    fn choose<R: Rng + ?Sized>(&mut self, problem: &P, rng: &mut R, arm: &mut [u16]) {
        match self {
            AnySampler::Table { sampler, .. } => sampler.choose(problem, rng, arm),
            AnySampler::Lsi { lsi, .. } => lsi.choose(problem, rng, arm),
        }
    }

    fn observe(&mut self, arm: &[u16], reward: f64) {
        match self {
            AnySampler::Table { sampler, range: [low, high] } => {
                sampler.observe(arm, (reward - *low) / (*high - *low));
            }
            AnySampler::Lsi { lsi, seen } => {
                lsi.observe(arm, reward);
                seen.observe(arm, reward);
            }
        }
    }

    fn recommend(&self, arm: &mut [u16]) -> bool {
        match self {
            AnySampler::Table { sampler, .. } => sampler.recommend(arm),
            AnySampler::Lsi { lsi, .. } => lsi.recommend(arm),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Choice, NotationError> {
        Choice::read(&Notation::parse_list(text).expect("well formed")[0])
    }

    #[test]
    fn names_stand_for_strategies() {
        for name in Choice::NAMES {
            assert_eq!(read(name).expect("a name").text, name);
        }
        let naive = |text| match read(text).expect("a strategy").kind {
            ParsedStrategy::Fixed(Strategy::Naive(naive)) => naive,
            other => panic!("{other:?}"),
        };
        // These are the settings of the paper's first experiment.
        assert_eq!(naive("ns"), Naive::greedy(0.8, 0.4, 0.0));
        assert_eq!(naive("ns:e0=.4,el=.33,eg=.1"), Naive::greedy(0.4, 0.33, 0.1));
        assert!(!naive("ns:force=no").force);
        assert_eq!(naive("egreedy"), Naive::e_greedy(0.25));
        let c = 0.005;
        assert_eq!(naive("ns-ucb1").exploit, Exploit::Ucb1 { c, form: UcbForm::Plain });
        assert_eq!(naive("ucb1-swapped").exploit, Exploit::Ucb1 { c, form: UcbForm::Swapped });
        let (first, second) = (Naive::greedy(0.8, 0.4, 0.0), Naive::greedy(0.0, 0.0, 0.2));
        let two = read("two-phase").expect("a strategy").kind;
        assert_eq!(two, ParsedStrategy::TwoPhase { first, second, share: 0.6 });
        assert_eq!(
            read("ucb1:recommend=highest-mean").expect("a strategy").recommendation,
            Recommendation::HighestMean
        );
    }

    #[test]
    fn options_belong_to_their_strategies() {
        for (text, message) in [
            ("lsi:others=w", "`lsi` has others=w, where v or f should be"),
            ("lsi:recommend=most-pulled", "there is no option of `lsi` `recommend`"),
            ("random:c=1", "there is no option of `random` `c`"),
        ] {
            assert_eq!(read(text).expect_err(text).to_string(), message);
        }
    }
}
