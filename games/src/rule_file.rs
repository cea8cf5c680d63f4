//! Games from rule files, in the languages GDL and GDL-II.
//!
//! `ruse_gdl` reads a file, checks it and plays by it; here it becomes a [`Game`] for two sides, like every other.
//!
//! # Rules
//!
//! Those of the file. At each step all roles move at once, `random` uniformly among its legal moves. Roles with two or more
//! legal moves are asked one after the other, in the order of the file, and none sees what the others chose until all have;
//! where no role has a choice the game goes on by itself. After `steps` steps a game is broken off: it is a fault of the file, or,
//! by the rule `at-cap`, all roles have 50 or 0.
//!
//! # Two sides
//!
//! | roles besides `random` | who plays what | payoff to a side |
//! |---|---|---|
//! | two | the first seat the first role | (own goal - the other's + 100) / 200 |
//! | three or more | the first seat one role, drawn with the deal; the second all others | the same with the mean goal of the others |
//! | one, or all have the same goal always | each side plays all roles, in a play of its own; both plays meet the same chance | (1 + own goal / 100 - the other's / 100) / 2 |
//!
//! So a payoff is 1/2 where both sides do equally well, and goals are to be maximised in any file. Whether all roles always have
//! the same goal is seen from the ground rules ([`Rules::goals_are_common`]).
//!
//! Which role the first seat plays, of three or more, is drawn and not dealt in turn: pairs of games are then alike in
//! distribution, as intervals take for granted.
//!
//! # View
//!
//! | information | a role sees |
//! |---|---|
//! | complete (no rule for `sees`) | all moves of all roles so far, what is true, its legal moves |
//! | percepts | its own moves and percepts so far, its legal moves |
//!
//! Roles of one side share nothing: each has a view of its own.
//!
//! # Faults
//!
//! A file may break the language in a state that few games meet: a role without a legal move, without a goal, with two goals,
//! or a play that does not end. Such a game counts as a draw, and [`RuleFile::fault`] tells what happened, so that a program can
//! stop and say so. [`RuleFile::from_text`] plays 20 random games to find the most common of these before, but for plays that
//! do not end: the rules `steps` and `at-cap` may allow these.
//!
//! # Versions
//!
//! 1: as above.

mod belief;
mod board;
mod course;
mod drawing;
mod record;
mod table;
#[cfg(test)]
mod tests;
mod view;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
use ruse_gdl::{
    AtCap, DEFAULT_STEPS, Limits, LongWork, MoveId, PlayError, RoleId, Rules, State, Survey, survey,
};

use self::table::Table;
use crate::{AdjustableRules, Game, Legal, Payoff, Rule, RulesError, SampleAction, Seat, Turn};

pub use self::belief::Beliefs;
pub use self::table::RuleFileState;
pub use self::view::{RoleView, Step};
pub use self::walk::{Position, Walk};

/// Random games that are played before a file is a game.
const TRIED_GAMES: u64 = 20;

/// The most steps that the rule `steps` allows.
const MAX_STEPS: u64 = 1_000_000;

/// The rule that says how many parameters each role of a linear strategy has.
pub const FEATURES: &str = "features";

/// The rule that says for how long a search thinks whose constants are parameters.
pub const THOUGHT: &str = "thought";

/// The rule that stands for the text of the file: it has one value only.
pub const TEXT: &str = "text";

/// A game whose rules come from a file. Clones share their data.
#[derive(Debug, Clone)]
pub struct RuleFile {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    title: String,
    /// What the file says about itself.
    about: String,
    rules: Rules,
    survey: Survey,
    /// The roles besides `random`.
    roles: Vec<RoleId>,
    /// Whether each side plays all roles, in a play of its own.
    plays_alone: bool,
    cap: u32,
    at_cap: AtCap,
    /// A number of parameters for strategies that have as many as one likes.
    num_features: u32,
    /// Thousand steps that searches with parameters think at a turn.
    thought: u32,
    payoff_steps: u16,
    /// Tables at which nobody plays now.
    #[expect(clippy::vec_box, reason = "a table is large, and moves with each game")]
    free: Mutex<Vec<Box<Table>>>,
    /// That of all games of the same text.
    fault: Arc<OnceLock<PlayError>>,
    /// Those of all games of the same text.
    remarks: Arc<Mutex<BTreeSet<String>>>,
    observer: Observer,
}

/// Is told of work on a rule file that takes long, with the title of the file: of each piece of work once, after two seconds of
/// processor time.
#[derive(Clone)]
pub struct Observer(Arc<Tell>);

type Tell = dyn Fn(&str, LongWork) + Send + Sync;

impl Observer {
    /// Calls `tell`.
    pub fn new(tell: impl Fn(&str, LongWork) + Send + Sync + 'static) -> Observer {
        Observer(Arc::new(tell))
    }

    /// Tells of long work on a file.
    pub fn tell(&self, title: &str, work: LongWork) {
        (self.0)(title, work);
    }
}

/// Does nothing.
impl Default for Observer {
    fn default() -> Observer {
        Observer::new(|_, _| {})
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observer").finish_non_exhaustive()
    }
}

impl RuleFile {
    /// The game of a text. `title` is what the file is called in messages.
    ///
    /// # Errors
    ///
    /// When the text is wrong, or one of the first random games breaks the language. A game that is not over after 1,000 steps
    /// is no error here: other rules of the game may allow it.
    pub fn from_text(
        title: impl Into<String>,
        text: &[u8],
        limits: &Limits,
    ) -> Result<RuleFile, RuleFileError> {
        RuleFile::from_text_observed(title, text, limits, Observer::default())
    }

    /// As [`from_text`](RuleFile::from_text). `observer` is told of long work, also of that on the game with other rules.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn from_text_observed(
        title: impl Into<String>,
        text: &[u8],
        limits: &Limits,
        observer: Observer,
    ) -> Result<RuleFile, RuleFileError> {
        let title = title.into();
        let rules =
            Rules::from_text_observed(text, limits, &mut |work| observer.tell(&title, work));
        let rules = rules.map_err(Box::new)?;
        let (about, settings) = (about(text), Settings::default());
        Ok(RuleFile::with(title, about, rules, settings, AtCap::Draw, observer)?)
    }

    /// The first random games are played with `tried_at_cap` in the place of what the settings say.
    fn with(
        title: String,
        about: String,
        rules: Rules,
        settings: Settings,
        tried_at_cap: AtCap,
        observer: Observer,
    ) -> Result<RuleFile, PlayError> {
        let Settings { cap, at_cap, num_features, thought } = settings;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut tell = |work| observer.tell(&title, work);
        let survey = survey(&rules, TRIED_GAMES, cap, tried_at_cap, &mut rng, &mut tell)?;
        let roles: Vec<RoleId> = rules.seats().collect();
        let plays_alone = roles.len() == 1 || rules.goals_are_common();
        let payoff_steps = payoff_steps(&rules, roles.len(), plays_alone, at_cap);
        let shared = Shared {
            title,
            about,
            rules,
            survey,
            roles,
            plays_alone,
            cap,
            at_cap,
            num_features,
            thought,
            payoff_steps,
            free: Mutex::default(),
            fault: Arc::default(),
            remarks: Arc::default(),
            observer,
        };
        Ok(RuleFile { shared: Arc::new(shared) })
    }

    /// What the file is called.
    pub fn title(&self) -> &str {
        &self.shared.title
    }

    /// What the file says about itself: the comment at its beginning, on one line.
    pub fn about(&self) -> &str {
        &self.shared.about
    }

    /// The rules.
    pub fn language_rules(&self) -> &Rules {
        &self.shared.rules
    }

    /// What the first random games had in common.
    pub fn survey(&self) -> &Survey {
        &self.shared.survey
    }

    /// The roles that are played: all but `random`.
    pub fn roles(&self) -> &[RoleId] {
        &self.shared.roles
    }

    /// Whether each side plays all roles, in a play of its own, because there is one role, or all have the same goal.
    pub fn plays_alone(&self) -> bool {
        self.shared.plays_alone
    }

    /// The most steps of a game, and what it is worth then.
    pub fn cap(&self) -> (u32, AtCap) {
        (self.shared.cap, self.shared.at_cap)
    }

    /// The number of parameters of a role, for strategies that have as many as one likes: the rule `features`.
    pub fn num_features(&self) -> u32 {
        self.shared.num_features
    }

    /// Thousand steps in thought at a turn, for searches with parameters: the rule `thought`.
    pub fn thought(&self) -> u32 {
        self.shared.thought
    }

    /// The first fault of the file that a game has met, if any has.
    pub fn fault(&self) -> Option<&PlayError> {
        self.shared.fault.get()
    }

    /// Keeps what a user of the file should know, and is no fault of it. The same is kept once.
    pub fn remark(&self, text: String) {
        self.shared.remarks.lock().unwrap_or_else(PoisonError::into_inner).insert(text);
    }

    /// What there is to know of the file since it was read, as those who play it have found.
    pub fn remarks(&self) -> Vec<String> {
        let remarks = self.shared.remarks.lock().unwrap_or_else(PoisonError::into_inner);
        remarks.iter().cloned().collect()
    }

    /// A number that stands for the rules, whatever the file is called and however it is laid out. It has 53 bits, so that
    /// every program that reads JSON keeps it.
    pub fn text_number(&self) -> u64 {
        self.shared.rules.text_key() >> 11
    }

    /// Whether it is played by the same rules, with the same settings.
    pub fn is_same(&self, other: &RuleFile) -> bool {
        let (own, theirs) = (&self.shared, &other.shared);
        Arc::ptr_eq(own, theirs)
            || own.rules.text_key() == theirs.rules.text_key()
                && (own.cap, own.at_cap) == (theirs.cap, theirs.at_cap)
    }

    /// What is true in the play of a seat, hidden or not. Players may ask it of states that they imagined.
    pub fn truth<'a>(&self, state: &'a RuleFileState, seat: Seat) -> &'a State {
        state.table().course_of(seat).evaluator.state()
    }

    /// The goals of the sides at the end of a game, each the mean of its roles, 0 to 100; none before.
    pub fn goals(&self, state: &RuleFileState) -> Option<crate::BySeat<f64>> {
        state.table().mean_goals(&self.shared)
    }
}

/// Why a text is no game.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleFileError {
    /// Something is wrong with the text. There is a report with the place: [`ruse_gdl::Error::report`].
    #[error(transparent)]
    Text(#[from] Box<ruse_gdl::Error>),
    /// A random game cannot be played to its end.
    #[error("in a random game: {0}")]
    Play(#[from] PlayError),
}

/// The comment at the beginning of a text.
fn about(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    // A byte-order mark is neither white space nor a part of the comment.
    let lines = text
        .trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim)
        .take_while(|line| line.starts_with(';'));
    let lines = lines.map(|line| line.trim_start_matches(';').trim());
    lines.collect::<Vec<_>>().join(" ").trim().to_string()
}

/// What can be set beside the text.
#[derive(Debug, Clone, Copy)]
struct Settings {
    cap: u32,
    at_cap: AtCap,
    num_features: u32,
    thought: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { cap: DEFAULT_STEPS, at_cap: AtCap::Error, num_features: 64, thought: 1 }
    }
}

/// The steps in which payoffs are counted: what divides all of them.
fn payoff_steps(rules: &Rules, num_roles: usize, plays_alone: bool, at_cap: AtCap) -> u16 {
    let at_cap = (at_cap == AtCap::Draw).then_some(50);
    let values = rules.goal_values().into_iter().chain(at_cap);
    let unit = values.fold(100, |unit, value| greatest_divisor(unit, value.into()));
    // Sides of several roles have mean goals; those of others than these are rounded to parts.
    let others = if plays_alone { 1 } else { num_roles - 1 };
    let parts = u32::from(Payoff::PARTS) / 200 * unit / others as u32;
    let exact = (u32::from(Payoff::PARTS) / 200 * unit).is_multiple_of(others as u32);
    let divides = exact && u32::from(Payoff::PARTS).is_multiple_of(parts);
    if divides { (u32::from(Payoff::PARTS) / parts) as u16 } else { Payoff::PARTS }
}

fn greatest_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

/// Why a move was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalMove {
    /// The role may not do this now.
    #[error("`{role}` may not do `{found}` now")]
    NotNow {
        /// The role.
        role: String,
        /// The move.
        found: String,
    },
    /// The role may never do this.
    #[error("`{role}` has no move number {number}")]
    Unknown {
        /// The role.
        role: String,
        /// The number.
        number: u16,
    },
    /// Another role is asked.
    #[error("it is the turn of `{role}`")]
    OtherRole {
        /// The role that is asked.
        role: String,
    },
    /// There is nothing to do.
    #[error("the game is over")]
    GameOver,
}

impl Game for RuleFile {
    type State = RuleFileState;
    type Action = RoleMove;
    type View<'a> = RoleView<'a>;
    type Illegal = IllegalMove;

    fn deal<R: Rng>(&self, rng: &mut R) -> RuleFileState {
        RuleFileState::dealt(self, rng)
    }

    #[inline]
    fn turn(&self, state: &RuleFileState) -> Turn {
        state.table().turn()
    }

    #[inline]
    fn view<'a>(&self, state: &'a RuleFileState, seat: Seat) -> RoleView<'a> {
        state.table().view(state.shared(), seat)
    }

    fn check(&self, state: &RuleFileState, action: &RoleMove) -> Result<(), IllegalMove> {
        let Turn::Act(seat) = self.turn(state) else { return Err(IllegalMove::GameOver) };
        let view = self.view(state, seat);
        let (rules, role) = (&self.shared.rules, view.role());
        let name = || rules.role_name(role).to_string();
        let number = action.action.0;
        if action.role != role {
            return Err(IllegalMove::OtherRole { role: name() });
        }
        if usize::from(number) >= rules.num_moves(role) {
            return Err(IllegalMove::Unknown { role: name(), number });
        }
        if view.legal().binary_search(&action.action).is_err() {
            let found = rules.move_text(role, action.action).into();
            return Err(IllegalMove::NotNow { role: name(), found });
        }
        Ok(())
    }

    #[inline]
    fn apply<R: Rng>(&self, state: &mut RuleFileState, seat: Seat, action: &RoleMove, rng: &mut R) {
        debug_assert_eq!(self.turn(state), Turn::Act(seat), "it is not the turn of {seat:?}");
        debug_assert_eq!(self.check(state, action), Ok(()), "a strategy broke the rules");
        state.apply(seat, action.action, rng);
    }

    fn payoff_steps(&self) -> u16 {
        self.shared.payoff_steps
    }
}

/// A move of a role, by its place among all moves of that role in the order of their texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RoleMove {
    /// The role.
    pub role: RoleId,
    /// The move.
    pub action: MoveId,
}

impl Legal for RuleFile {
    fn legal(&self, view: &RoleView<'_>, actions: &mut Vec<RoleMove>) {
        let role = view.role();
        actions.extend(view.legal().iter().map(|&action| RoleMove { role, action }));
    }
}

impl SampleAction for RuleFile {
    #[inline]
    fn sample_action<R: Rng>(&self, view: &RoleView<'_>, rng: &mut R, action: &mut RoleMove) {
        let legal = view.legal();
        *action = RoleMove { role: view.role(), action: legal[below(legal.len(), rng)] };
    }
}

/// A number below `n`, uniform to within n parts of 2^64.
#[inline]
fn below<R: Rng>(n: usize, rng: &mut R) -> usize {
    ((u128::from(rng.next_u64()) * n as u128) >> 64) as usize
}

/// The names of what a game that is broken off is worth.
const AT_CAP: [&str; 3] = ["error", "draw", "zero"];

impl AdjustableRules for RuleFile {
    fn rules(&self) -> Vec<Rule> {
        let rule = |name: &'static str, meaning: String, value, range| Rule {
            name: name.into(),
            meaning: meaning.into(),
            value,
            range,
        };
        let text = format!("stands for the rules in {}", self.shared.title);
        vec![
            rule(TEXT, text, self.text_number(), 0..=(1 << 53) - 1),
            rule(
                "steps",
                "joint moves after which a game is broken off".into(),
                self.shared.cap.into(),
                1..=MAX_STEPS,
            ),
            rule(
                "at-cap",
                "a game that is broken off: 0 (error) is a fault of the file, 1 (draw) gives all roles 50, 2 (zero) gives all 0"
                    .into(),
                self.shared.at_cap as u64,
                0..=2,
            ),
            rule(
                FEATURES,
                "parameters of each role in the families `linear`".into(),
                self.shared.num_features.into(),
                1..=65_536,
            ),
            rule(
                THOUGHT,
                "thousand steps in thought at a turn in the families `mac-ucb` and `uct`".into(),
                self.shared.thought.into(),
                1..=1_000_000,
            ),
        ]
    }

    fn rule_value(&self, rule: &str, text: &str) -> Option<u64> {
        let index = AT_CAP.iter().position(|&name| name == text)?;
        (rule == "at-cap").then_some(index as u64)
    }

    fn with_rules(&self, changes: &BTreeMap<String, u64>) -> Result<RuleFile, RulesError> {
        let own = self.text_number();
        if let Some(number) = changes.get(TEXT).filter(|&&number| number != own) {
            let reason = format!(
                "the rule `text` is {number}, and stands for other rules than those in {}, which are {own}; leave the rule out, or \
                 take the file as it was",
                self.shared.title
            );
            return Err(RulesError::Inconsistent { reason });
        }
        let mut rules = self.rules();
        Rule::change(&mut rules, changes)?;
        let settings = Settings {
            cap: rules[1].value as u32,
            at_cap: [AtCap::Error, AtCap::Draw, AtCap::Zero][rules[2].value as usize],
            num_features: rules[3].value as u32,
            thought: rules[4].value as u32,
        };
        let Shared { title, about, rules, .. } = &*self.shared;
        let (title, about, rules) = (title.clone(), about.clone(), rules.clone());
        let observer = self.shared.observer.clone();
        let game = RuleFile::with(title, about, rules, settings, settings.at_cap, observer);
        let game = game.map_err(|error| {
            let advice = match error {
                PlayError::Cap { .. } => {
                    "; the rule `steps` says how long a game may be, and `at-cap` what it is worth then"
                }
                _ => "",
            };
            let reason = format!("in a random game of {}: {error}{advice}", self.shared.title);
            RulesError::Inconsistent { reason }
        })?;
        let mut shared = Arc::into_inner(game.shared).expect("nobody else has it yet");
        shared.fault = Arc::clone(&self.shared.fault);
        shared.remarks = Arc::clone(&self.shared.remarks);
        Ok(RuleFile { shared: Arc::new(shared) })
    }
}
