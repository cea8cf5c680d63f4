//! The families of a rule file.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Range;

use ruse_games::BySeat;
use ruse_games::rule_file::{FEATURES, HIDDEN, LESSONS, MEMORY, PLAYOUTS, RuleFile, TEXT, THOUGHT};
use ruse_picture::Picture;
use ruse_search::uct::UctSettings;
use ruse_search::{MacUcbSettings, ParametricStrategy};
use ruse_strategies::certificate::{Certificate, Work};
use ruse_strategies::{
    BestResponse, Capabilities, Family, FamilyInfo, Prepared, Reference, SelfPlay, Teaching,
};

use super::expected::{Results, exact_results};
use super::habits::Habits;
use super::lessons::FactValues;
use super::policy::{Linear, Policy, RuleFileReference, Seeded, references};
use super::program::Program;
use super::searching::{TunedMacUcb, TunedUct, searching_player};
use super::tabular::Tabular;
use super::unfolding::certificate;

/// Scores are computed exactly up to this number of joint moves of positive probability, in well under a second.
const MAX_MOVES: u64 = 100_000;

/// A function that returns the parameters of the strategy with a text, or the first mistake in the text.
pub type TextOf = fn(&RuleFile, &str) -> Result<Vec<f64>, String>;

/// A parametric strategy for rule files.
pub trait RuleFileStrategy: ParametricStrategy<RuleFile> + 'static {
    /// A one-line description of what the parameters decide.
    const SUMMARY: &'static str;

    /// The number of games after which a run has a useful result.
    const BUDGET: u64;

    /// The adjustable rules that concern only some strategies, and this one: such as `features`.
    const RULES: &'static [&'static str];

    /// The kind of the family, if the parameters mean the same in every game.
    const KIND: Option<&'static str> = None;

    /// Returns the parameters of the strategy that a text describes, if strategies are texts.
    const TEXT: Option<TextOf> = None;

    /// Returns the strategy as a policy, if its move probabilities are known.
    fn policy(&self) -> Option<&dyn Policy> {
        None
    }

    /// Returns the self-play of the family, if the strategy is log-linear.
    fn self_play() -> Option<SelfPlay<RuleFile, Self>> {
        None
    }

    /// Returns the learning from rollouts, if the strategies can.
    fn teaching() -> Option<Teaching<RuleFile, Self>> {
        None
    }

    /// Returns the range of the parameter indices of each seat, if each seat has parameters of its own.
    fn seats(game: &RuleFile) -> Option<BySeat<Range<usize>>> {
        let _ = game;
        None
    }

    /// Describes the strategy in words.
    fn words(&self, game: &RuleFile) -> String;

    /// Returns a picture of the strategy, if there is one.
    fn picture(&self, game: &RuleFile) -> Option<Picture> {
        let _ = game;
        None
    }
}

/// A parametric strategy with known move probabilities and separate parameters for each role.
pub trait ByRole: ParametricStrategy<RuleFile> + Policy + 'static {
    /// A one-line description of what the parameters decide.
    const SUMMARY: &'static str;

    /// The number of games after which a run has a useful result.
    const BUDGET: u64;

    /// True if the rule `features` sets the number of parameters of each role. Otherwise, each role has one parameter.
    const HAS_FEATURES: bool;

    /// Returns the self-play of the family, if the strategy is log-linear.
    fn self_play() -> Option<SelfPlay<RuleFile, Self>> {
        None
    }
}

impl<S: ByRole> RuleFileStrategy for S {
    const SUMMARY: &'static str = S::SUMMARY;
    const BUDGET: u64 = S::BUDGET;
    const RULES: &'static [&'static str] = if S::HAS_FEATURES { &[FEATURES, MEMORY] } else { &[] };

    fn policy(&self) -> Option<&dyn Policy> {
        Some(self)
    }

    fn self_play() -> Option<SelfPlay<RuleFile, S>> {
        <S as ByRole>::self_play()
    }

    /// Returns the range of the parameter indices of each seat, if the two seats have one role each.
    fn seats(game: &RuleFile) -> Option<BySeat<Range<usize>>> {
        let has_two = !game.plays_alone() && game.roles().len() == 2;
        let dimension = if S::HAS_FEATURES { game.num_features() as usize } else { 1 };
        has_two.then_some(BySeat { first: 0..dimension, second: dimension..2 * dimension })
    }

    fn words(&self, game: &RuleFile) -> String {
        Habits::of(game, self).words(game)
    }

    fn picture(&self, game: &RuleFile) -> Option<Picture> {
        Some(Habits::of(game, self).picture(game))
    }
}

impl ByRole for Seeded<true> {
    const SUMMARY: &'static str = "which of all pure strategies each role plays: its number";
    const BUDGET: u64 = 200_000;
    const HAS_FEATURES: bool = false;
}

impl ByRole for Seeded<false> {
    const SUMMARY: &'static str =
        "which of all pure strategies without memory each role plays: its number";
    const BUDGET: u64 = 200_000;
    const HAS_FEATURES: bool = false;
}

impl ByRole for Linear<false> {
    const SUMMARY: &'static str =
        "what each role makes of what it knows: weights of moves, the largest of which is made";
    const BUDGET: u64 = 500_000;
    const HAS_FEATURES: bool = true;
}

impl ByRole for Linear<true> {
    const SUMMARY: &'static str =
        "what each role makes of what it knows: weights of moves, one of which is drawn by them";
    const BUDGET: u64 = 500_000;
    const HAS_FEATURES: bool = true;

    fn self_play() -> Option<SelfPlay<RuleFile, Self>> {
        Some(SelfPlay::new())
    }
}

impl RuleFileStrategy for Tabular {
    const SUMMARY: &'static str = "the probability of each move in each situation, for small games; `ruse solve` writes such strategies";
    const BUDGET: u64 = 500_000;
    const RULES: &'static [&'static str] = &[];

    fn policy(&self) -> Option<&dyn Policy> {
        Some(self)
    }

    fn self_play() -> Option<SelfPlay<RuleFile, Self>> {
        Some(SelfPlay::new())
    }

    /// The situations of both roles alternate.
    fn words(&self, game: &RuleFile) -> String {
        Tabular::words(self, game)
    }

    fn picture(&self, game: &RuleFile) -> Option<Picture> {
        Some(Habits::of(game, self).picture(game))
    }
}

impl RuleFileStrategy for Program {
    const SUMMARY: &'static str =
        "a program of ten lines for each role, which people can read and write";
    const TEXT: Option<TextOf> = Some(Program::parse);
    const BUDGET: u64 = 500_000;
    const RULES: &'static [&'static str] = &[];

    fn policy(&self) -> Option<&dyn Policy> {
        Some(self)
    }

    fn teaching() -> Option<Teaching<RuleFile, Program>> {
        Some(Teaching::new())
    }

    fn seats(game: &RuleFile) -> Option<BySeat<Range<usize>>> {
        let &[first, second] = game.roles() else { return None };
        let [first, second] = [first, second].map(|role| Program::num_genes(game, role));
        let seats = BySeat { first: 0..first, second: first..first + second };
        (!game.plays_alone()).then_some(seats)
    }

    fn words(&self, game: &RuleFile) -> String {
        Program::words(self, game)
    }

    fn picture(&self, game: &RuleFile) -> Option<Picture> {
        Some(Habits::of(game, self).picture(game))
    }
}

/// The family of a rule file for one type of strategy.
#[derive(Debug, Clone)]
pub struct RuleFileFamily<S> {
    name: Cow<'static, str>,
    game: RuleFile,
    strategy: PhantomData<fn() -> S>,
}

/// The family of pure strategies. A number for each role selects the strategy.
pub type SeedFamily = RuleFileFamily<Seeded<true>>;
/// Like [`SeedFamily`], but the strategies have no memory.
pub type SeedMemorylessFamily = RuleFileFamily<Seeded<false>>;
/// The family of strategies that make the move with the highest score: a sum of parameters selected by the move and by
/// the role's knowledge.
pub type LinearFamily = RuleFileFamily<Linear<false>>;
/// Like [`LinearFamily`], but the move is drawn with a probability that grows exponentially with its score.
pub type LinearSoftmaxFamily = RuleFileFamily<Linear<true>>;
/// The family of strategies with a probability for each move in each situation, for small games.
pub type TabularFamily = RuleFileFamily<Tabular>;

/// The family of [`Program`].
pub type ProgramFamily = RuleFileFamily<Program>;
/// The family of MAC-UCB players, with the constants of the search as parameters.
pub type MacUcbFamily = RuleFileFamily<TunedMacUcb>;
/// The family of UCT players, with the constant of the search as the parameter.
pub type UctFamily = RuleFileFamily<TunedUct>;
/// The family of UCT players that value states, with a weight for each fact as parameters.
pub type ValueFamily = RuleFileFamily<TunedUct<FactValues>>;

impl<S: RuleFileStrategy> RuleFileFamily<S> {
    fn exact_results(&self, a: &Prepared<Self>, b: &Prepared<Self>) -> Option<Results> {
        exact_results(&self.game, &policies(a)?, &policies(b)?, MAX_MOVES)
    }

    /// Creates the family named `name` for a file.
    pub fn new(name: impl Into<Cow<'static, str>>, game: RuleFile) -> RuleFileFamily<S> {
        RuleFileFamily { name: name.into(), game, strategy: PhantomData }
    }
}

/// Returns the policies of a player with their probabilities, or `None` if some policy is not known.
fn policies<S: RuleFileStrategy>(
    player: &Prepared<RuleFileFamily<S>>,
) -> Option<Vec<(f64, &dyn Policy)>> {
    match player {
        Prepared::Own(strategy) => Some(vec![(1.0, strategy.policy()?)]),
        Prepared::Reference(reference) => Some(vec![(1.0, reference as &dyn Policy)]),
        Prepared::Mixture(mixture) => {
            let mut all = Vec::new();
            for (share, member) in mixture.members() {
                let of_member = policies(member)?;
                all.extend(of_member.into_iter().map(|(part, policy)| (share * part, policy)));
            }
            Some(all)
        }
        Prepared::Searching(_) | Prepared::Redrawn(_) | Prepared::RedrawnGuest(_) => None,
    }
}

impl<S: RuleFileStrategy> Family for RuleFileFamily<S> {
    type Game = RuleFile;
    type Strategy = S;
    type Reference = RuleFileReference;

    fn info(&self) -> FamilyInfo<'_> {
        FamilyInfo {
            game: self.game.title(),
            about: "a game from a rule file",
            default_budget: S::BUDGET,
            units: self.game.units(),
            ..FamilyInfo::new(&self.name, S::SUMMARY)
        }
    }

    fn game(&self) -> &RuleFile {
        &self.game
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        let mut capabilities = Capabilities::of(self)
            .adjustable(|family, game| Self { game, ..family.clone() })
            .only_rules(|rule| {
                let is_general =
                    ![FEATURES, MEMORY, THOUGHT, LESSONS, PLAYOUTS, HIDDEN].contains(&rule);
                is_general || S::RULES.contains(&rule)
            })
            .portable(|rule| match rule {
                FEATURES | HIDDEN | LESSONS => false,
                TEXT => S::KIND.is_some(),
                _ => true,
            })
            .board("uct@200")
            .numbered()
            .listed();
        capabilities.kind = S::KIND;
        capabilities.text = S::TEXT;
        capabilities.searching = Some(searching_player);
        capabilities.game.goals = (!self.game.survey().constant_sum).then_some(RuleFile::goals);
        capabilities.fault = Some(|game| game.fault().map(ToString::to_string));
        capabilities.rule_file = Some(&self.game);
        capabilities.self_play = <S as RuleFileStrategy>::self_play();
        capabilities.teaching = S::teaching();
        capabilities
    }

    fn references(&self) -> Vec<Reference<RuleFileReference>> {
        references()
    }

    fn seats(&self) -> Option<BySeat<Range<usize>>> {
        S::seats(&self.game)
    }

    fn words(&self, strategy: &S) -> String {
        strategy.words(&self.game)
    }

    fn picture(&self, strategy: &S) -> Option<Picture> {
        strategy.picture(&self.game)
    }

    fn exact_score(&self, a: &Prepared<Self>, b: &Prepared<Self>) -> Option<f64> {
        self.exact_results(a, b).map(|results| results.score)
    }

    fn exact_goals(&self, a: &Prepared<Self>, b: &Prepared<Self>) -> Option<[f64; 2]> {
        self.exact_results(a, b).map(|results| results.goals)
    }

    fn best_response(&self, strategy: &Prepared<Self>) -> Option<BestResponse> {
        let found = self.certificate(strategy, &Work::brief())?;
        let scores = BySeat::from_fn(|seat| found.seats[seat].high);
        found.is_exact().then_some(BestResponse { scores, words: None })
    }

    fn certificate(&self, strategy: &Prepared<Self>, work: &Work<'_>) -> Option<Certificate> {
        certificate(&self.game, &policies(strategy)?, work)
    }
}

impl RuleFileStrategy for TunedMacUcb {
    const KIND: Option<&'static str> = Some("mac-ucb");
    const SUMMARY: &'static str =
        "the constants of MAC-UCB: how much it solves, how it explores, what it skips";

    // A game takes a few milliseconds.
    const BUDGET: u64 = 2_000;
    const RULES: &'static [&'static str] = &[THOUGHT];

    fn words(&self, _game: &RuleFile) -> String {
        let MacUcbSettings { budget, share, exploration, has_race, race_visits, .. } =
            self.settings;
        let race = match has_race {
            true => {
                format!("skips moves that are worse with confidence after {race_visits} visits")
            }
            false => "skips no moves".into(),
        };
        format!(
            "thinks for {budget} steps at a decision, {:.0}% of them to solve stages; takes bounds with the factor \
             {exploration:.2}; {race}",
            100.0 * share
        )
        .replace("ks steps", ",000 steps")
    }
}

impl RuleFileStrategy for TunedUct {
    const SUMMARY: &'static str =
        "the constants of UCT: how it explores, and what its playouts repeat";
    const KIND: Option<&'static str> = Some("uct");

    // A game takes a few milliseconds.
    const BUDGET: u64 = 2_000;
    const RULES: &'static [&'static str] = &[THOUGHT];

    fn words(&self, _game: &RuleFile) -> String {
        let UctSettings { budget, exploration, mast, rave, .. } = self.settings;
        let mut words = format!("thinks for {budget} steps at a decision, and takes bounds with the factor {exploration:.2}")
            .replace("ks steps", ",000 steps");
        if mast > 0.0 {
            words += &format!(
                "; {:.0}% of the actions in its playouts repeat what did best so far",
                100.0 * mast
            );
        }
        if rave > 0.0 {
            words += &format!(
                "; up to some {rave:.0} visits, the results of an action later in a playout count"
            );
        }
        words
    }
}
