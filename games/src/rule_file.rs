//! Games from rule files, in the languages GDL and GDL-II.
//!
//! `ruse_gdl` parses, checks and executes a file; this module turns it into a [`Game`] with two sides.
//!
//! # Rules
//!
//! The file defines the rules. At each step all roles move at once; `random` chooses uniformly among its legal moves.
//! Roles with two or more legal moves are asked one after the other, in the order of the file, and no role sees the
//! choices of the others until all have chosen. Steps in which no role has a choice are made automatically. A game that
//! is not over after `steps` steps is broken off. This is a fault of the file, unless the rule `at-cap` is set: then
//! all roles get the goal 50 or 0.
//!
//! # Two sides
//!
//! | roles besides `random` | assignment to sides | payoff to a side |
//! |---|---|---|
//! | two | the first seat plays the first role | (own goal - the other's + 100) / 200 |
//! | three or more | the first seat plays one role, drawn with the deal; the second plays all others | the same, with the mean goal of the others |
//! | one, or several that always have the same goal | each side plays all roles, in a separate play; both plays have the same chance events | (1 + own goal / 100 - the other's / 100) / 2 |
//!
//! A payoff is therefore 1/2 if both sides do equally well, and goals are maximised in any file. The ground rules show
//! whether all roles always have the same goal ([`Rules::goals_are_common`]).
//!
//! With three or more roles, the first seat's role is drawn in each pair of games, not rotated: confidence intervals
//! assume that pairs are identically distributed.
//!
//! # View
//!
//! | information | a role sees |
//! |---|---|
//! | complete (no rule for `sees`) | all moves of all roles so far, the true fluents, its legal moves |
//! | percepts | its own moves and percepts so far, its legal moves |
//!
//! The roles of one side share no information: each has its own view.
//!
//! # Faults
//!
//! A file may break the language in a state that few games reach: a role without a legal move, without a goal or with
//! two goals, or a play that does not end. Such a game counts as a draw, and [`RuleFile::fault`] returns the fault, so
//! that a program can stop and report it. [`RuleFile::from_text`] plays 20 random games to find the most common faults
//! early. It accepts plays that do not end and goals that are missing or not unique, because the rules `steps`,
//! `at-cap` and `goals` may allow them.
//!
//! # Versions
//!
//! 1: the rules above.

mod belief;
mod board;
mod course;
mod drawing;
mod follow;
mod record;
mod settings;
mod table;
#[cfg(test)]
mod tests;
mod view;
mod walk;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
use ruse_gdl::{
    AtCap, Evaluator, GoalRule, Limits, LongWork, MoveId, NoGoal, PlayError, Playouts, RoleId,
    Rules, State, Survey, SurveyError, survey,
};

use self::settings::Settings;
use self::table::Table;
use crate::{
    AdjustableRules, Game, Legal, Payoff, Rule, RulesError, SampleAction, Seat, Turn, Units,
};

pub use self::belief::Beliefs;
pub use self::follow::{FollowError, Follower};
pub use self::settings::{FEATURES, HIDDEN, LESSONS, MEMORY, PLAYOUTS, THOUGHT};
pub use self::table::RuleFileState;
pub use self::view::{RoleView, Step};
pub use self::walk::{Position, Walk};

/// The number of random games played to test a file when it is loaded.
const TRIED_GAMES: u64 = 20;

/// The name of the rule that identifies the text of the file; it has only one valid value.
pub const TEXT: &str = "text";

/// A game whose rules come from a file. Clones share their data.
#[derive(Debug, Clone)]
pub struct RuleFile {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    source: Source,
    rules: Rules,
    survey: Survey,
    /// The roles except `random`.
    roles: Vec<RoleId>,
    /// Whether each side plays all roles, in a separate play.
    plays_alone: bool,
    settings: Settings,
    payoff_steps: u16,
    /// Unused tables, kept for reuse.
    #[expect(clippy::vec_box, reason = "a table is large, and moves with each game")]
    free: Mutex<Vec<Box<Table>>>,
    /// The first fault found, shared by all games of the same text.
    fault: Arc<OnceLock<PlayError>>,
    /// The remarks for users of the file, shared by all games of the same text.
    remarks: Arc<Mutex<BTreeSet<String>>>,
    observer: Observer,
    /// Data that players have derived from the rules.
    derived: Mutex<Vec<Arc<dyn Any + Send + Sync>>>,
}

/// The name of a file, and its contents.
#[derive(Debug, Clone)]
struct Source {
    title: String,
    about: String,
    units: Option<Units>,
    text: Arc<[u8]>,
}

/// A callback for long work on a rule file. It is called with the title of the file, once for each piece of work that
/// has taken two seconds of processor time.
#[derive(Clone)]
pub struct Observer(Arc<Tell>);

type Tell = dyn Fn(&str, LongWork) + Send + Sync;

impl Observer {
    /// Creates an observer that calls `tell`.
    pub fn new(tell: impl Fn(&str, LongWork) + Send + Sync + 'static) -> Observer {
        Observer(Arc::new(tell))
    }

    /// Reports that work on the file with this title takes a long time.
    pub fn tell(&self, title: &str, work: LongWork) {
        (self.0)(title, work);
    }
}

/// Ignores all reports.
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
    /// Creates the game that a text defines. `title` is the name of the file in messages.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is invalid, or if one of the first random games breaks the language. A game that is
    /// not over after 1,000 steps is accepted, because the rules `steps` and `at-cap` may allow it. So is a role
    /// without a unique goal, because the rule `goals` may allow it.
    pub fn from_text(
        title: impl Into<String>,
        text: &[u8],
        limits: &Limits,
    ) -> Result<RuleFile, RuleFileError> {
        RuleFile::from_text_observed(title, text, limits, Observer::default())
    }

    /// Like [`from_text`](RuleFile::from_text), but tells `observer` about long work, including work on the game with
    /// other rules.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`from_text`](RuleFile::from_text).
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
        let about = about(text);
        let units = about.iter().find_map(|line| Units::parse(line.strip_prefix("Payoffs:")?));
        let (about, text) = (about.join(" ").trim().into(), text.into());
        let (source, settings) = (Source { title, about, units, text }, Settings::default());
        let tried = (AtCap::Draw, GoalRule::Highest);
        Ok(RuleFile::with(source, rules, settings, tried, observer)?)
    }

    /// Creates the game. The first random games use the values in `tried` instead of `at_cap` and `goal_rule` in
    /// `settings`.
    fn with(
        source: Source,
        rules: Rules,
        settings: Settings,
        (tried_at_cap, tried_goals): (AtCap, GoalRule),
        observer: Observer,
    ) -> Result<RuleFile, SurveyError> {
        let Settings { cap, at_cap, .. } = settings;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut tell = |work| observer.tell(&source.title, work);
        let playouts = Playouts::new(&rules, cap, tried_at_cap).with_goals(tried_goals);
        let survey = survey(playouts, TRIED_GAMES, &mut rng, &mut tell)?;
        let roles: Vec<RoleId> = rules.seats().collect();
        let plays_alone = roles.len() == 1 || rules.goals_are_common();
        let payoff_steps = payoff_steps(&rules, roles.len(), plays_alone, at_cap);
        let shared = Shared {
            source,
            rules,
            survey,
            roles,
            plays_alone,
            settings,
            payoff_steps,
            free: Mutex::default(),
            fault: Arc::default(),
            remarks: Arc::default(),
            observer,
            derived: Mutex::default(),
        };
        Ok(RuleFile { shared: Arc::new(shared) })
    }

    /// Returns the name of the file.
    pub fn title(&self) -> &str {
        &self.shared.source.title
    }

    /// Returns the description in the file: the comment at its start, on one line.
    pub fn about(&self) -> &str {
        &self.shared.source.about
    }

    /// Returns the unit of payoffs, if the comment at the start has a line such as `Payoffs: -2 to 2 chips`: the payoffs of
    /// the goals 0 and 100. Goals must add up to 100 between two roles.
    pub fn units(&self) -> Option<&Units> {
        let is_shared =
            self.roles().len() == 2 && !self.plays_alone() && self.survey().constant_sum;
        self.shared.source.units.as_ref().filter(|_| is_shared)
    }

    /// Returns the contents of the file.
    pub fn text(&self) -> &[u8] {
        &self.shared.source.text
    }

    /// Returns the rules that the file defines.
    pub fn language_rules(&self) -> &Rules {
        &self.shared.rules
    }

    /// Returns the results of the first random games.
    pub fn survey(&self) -> &Survey {
        &self.shared.survey
    }

    /// Returns the roles that players play: all except `random`.
    pub fn roles(&self) -> &[RoleId] {
        &self.shared.roles
    }

    /// Returns whether each side plays all roles in a separate play, because there is only one role or all roles have
    /// the same goal.
    pub fn plays_alone(&self) -> bool {
        self.shared.plays_alone
    }

    /// Returns the maximum number of steps of a game, and the result of a game that reaches it.
    pub fn cap(&self) -> (u32, AtCap) {
        (self.shared.settings.cap, self.shared.settings.at_cap)
    }

    /// Returns the rule for roles without a unique goal at the end.
    pub fn goal_rule(&self) -> GoalRule {
        self.shared.settings.goal_rule
    }

    /// Returns the number of parameters per role, for strategies that allow any number: the rule `features`.
    pub fn num_features(&self) -> u32 {
        self.shared.settings.num_features
    }

    /// Returns the number of latest steps that linear strategies remember if information is hidden: the rule `memory`. With 0,
    /// they know their legal moves instead.
    pub fn num_remembered(&self) -> usize {
        self.shared.settings.num_remembered as usize
    }

    /// Returns the number of steps, in thousands, that parametric searches may simulate at each turn: the rule
    /// `thought`.
    pub fn thought(&self) -> u32 {
        self.shared.settings.thought
    }

    /// Reports long work on the game to the observer of its file.
    pub fn tell(&self, work: LongWork) {
        self.shared.observer.tell(&self.shared.source.title, work);
    }

    /// Returns the number of steps, in thousands, of own play from which values of states are learned: the rule
    /// `lessons`.
    pub fn lessons(&self) -> u32 {
        self.shared.settings.lessons
    }

    /// Returns `true` if learned values have a hidden layer: the rule `hidden`.
    pub fn has_hidden_layer(&self) -> bool {
        self.shared.settings.has_hidden_layer
    }

    /// Returns the number of playouts at each turn of players that value states: the rule `playouts`.
    pub fn num_playouts(&self) -> u32 {
        self.shared.settings.num_playouts
    }

    /// Returns data that players derive from the rules, such as a list of all situations. The data are made on first
    /// use and kept with the game, one value of each type. `make` must not ask for other derived data.
    pub fn derived<T: Any + Send + Sync>(&self, make: impl Fn() -> T) -> Arc<T> {
        let mut kept = self.shared.derived.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().find_map(|value| Arc::clone(value).downcast().ok());
        found.unwrap_or_else(|| {
            let made = Arc::new(make());
            kept.push(Arc::clone(&made) as Arc<dyn Any + Send + Sync>);
            made
        })
    }

    /// Returns the first fault of the file that any game has met.
    pub fn fault(&self) -> Option<&PlayError> {
        self.shared.fault.get()
    }

    /// Records a remark for users of the file, about something that is not a fault. Duplicates are ignored.
    pub fn remark(&self, text: String) {
        self.shared.remarks.lock().unwrap_or_else(PoisonError::into_inner).insert(text);
    }

    /// Returns the remarks recorded so far.
    pub fn remarks(&self) -> Vec<String> {
        self.shared.remarks.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Returns a hash of the rules, without the name and the layout of the file. The hash has 53 bits, so that every
    /// JSON reader keeps it exactly.
    pub fn text_number(&self) -> u64 {
        self.shared.rules.text_key() >> 11
    }

    /// Returns whether both games have the same rules and settings.
    pub fn is_same(&self, other: &RuleFile) -> bool {
        let (own, theirs) = (&self.shared, &other.shared);
        let play = |settings: &Settings| (settings.cap, settings.at_cap, settings.goal_rule);
        Arc::ptr_eq(own, theirs)
            || own.rules.text_key() == theirs.rules.text_key()
                && play(&own.settings) == play(&theirs.settings)
    }

    /// Returns the true state in the play of a seat, including hidden fluents. Players may call this on states that
    /// they have imagined.
    pub fn truth<'a>(&self, state: &'a RuleFileState, seat: Seat) -> &'a State {
        state.table().course_of(seat).evaluator.state()
    }

    /// Returns the goal of each side, from 0 to 100: the mean of the goals of its roles. Returns `None` before the end
    /// of the game.
    pub fn goals(&self, state: &RuleFileState) -> Option<crate::BySeat<f64>> {
        state.table().mean_goals(&self.shared)
    }
}

/// The reason why a text is not a game.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[error(transparent)]
pub enum RuleFileError {
    /// The text is invalid. [`ruse_gdl::Error::report`] shows where the error is.
    Text(#[from] Box<ruse_gdl::Error>),
    /// A random game could not be played to its end.
    Play(#[from] SurveyError),
}

/// Returns the lines of the comment at the start of a text.
fn about(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    // A byte-order mark is neither white space nor part of the comment.
    let lines = text
        .trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim)
        .take_while(|line| line.starts_with(';'));
    lines.map(|line| line.trim_start_matches(';').trim().into()).collect()
}

impl Shared {
    /// Returns the goal of a role in the final state of an evaluator.
    fn goal(&self, evaluator: &Evaluator, role: RoleId) -> Result<u8, PlayError> {
        if self.settings.goal_rule != GoalRule::Error && evaluator.goal(role) == Err(NoGoal::None) {
            let name = self.rules.role_name(role);
            let text = format!("no goal of `{name}` at the end of a game: it counts as 0");
            self.remarks.lock().unwrap_or_else(PoisonError::into_inner).insert(text);
        }
        let goal = evaluator.goal_by(role, self.settings.goal_rule);
        goal.map_err(|why| PlayError::no_goal(&self.rules, role, why))
    }

    /// Returns the error of a state that takes too long to evaluate after `steps` steps.
    fn exhausted(evaluator: &Evaluator, steps: u32) -> Result<(), PlayError> {
        if evaluator.is_exhausted() { Err(PlayError::TooLong { steps }) } else { Ok(()) }
    }
}

/// Returns a number n such that each payoff is a multiple of 1/n.
fn payoff_steps(rules: &Rules, num_roles: usize, plays_alone: bool, at_cap: AtCap) -> u16 {
    let at_cap = (at_cap == AtCap::Draw).then_some(50);
    let values = rules.goal_values().into_iter().chain(at_cap);
    let unit = values.fold(100, |unit, value| greatest_divisor(unit, value.into()));
    // The goal of several roles is a mean. If it does not divide evenly, payoffs are rounded to parts.
    let others = if plays_alone { 1 } else { num_roles - 1 };
    let parts = u32::from(Payoff::PARTS) / 200 * unit / others as u32;
    let exact = (u32::from(Payoff::PARTS) / 200 * unit).is_multiple_of(others as u32);
    let divides = exact && u32::from(Payoff::PARTS).is_multiple_of(parts);
    if divides { (u32::from(Payoff::PARTS) / parts) as u16 } else { Payoff::PARTS }
}

fn greatest_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

/// The reason why a move was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalMove {
    /// The move is not legal for the role now.
    #[error("`{role}` may not do `{found}` now")]
    NotNow {
        /// The name of the role.
        role: String,
        /// The text of the move.
        found: String,
    },
    /// The role has no such move.
    #[error("`{role}` has no move number {number}")]
    Unknown {
        /// The name of the role.
        role: String,
        /// The invalid index.
        number: u32,
    },
    /// It is the turn of another role.
    #[error("it is the turn of `{role}`")]
    OtherRole {
        /// The name of the role to act.
        role: String,
    },
    /// The game is over.
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
        if number as usize >= rules.num_moves(role) {
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

/// A move of a role. The move is an index into all moves of the role, in the order of their texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RoleMove {
    /// The role that makes the move.
    pub role: RoleId,
    /// The index of the move.
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

/// Draws a number below `n`, uniform to within `n` / 2^64.
#[inline]
fn below<R: Rng>(n: usize, rng: &mut R) -> usize {
    ((u128::from(rng.next_u64()) * n as u128) >> 64) as usize
}

impl AdjustableRules for RuleFile {
    fn rules(&self) -> Vec<Rule> {
        let text = format!("stands for the rules in {}", self.shared.source.title);
        let text = Rule::new(TEXT, text, self.text_number(), 0..=(1 << 53) - 1);
        [text].into_iter().chain(self.shared.settings.rules()).collect()
    }

    fn rule_value(&self, rule: &str, text: &str) -> Option<u64> {
        Settings::rule_value(rule, text)
    }

    fn check_changes(&self, changes: &BTreeMap<String, u64>) -> Result<(), RulesError> {
        let own = self.text_number();
        if let Some(number) = changes.get(TEXT).filter(|&&number| number != own) {
            let reason = format!(
                "the rule `text` is {number}, and stands for other rules than those in {}, which are {own}; leave the rule out, or \
                 take the file as it was",
                self.shared.source.title
            );
            return Err(RulesError::Inconsistent { reason });
        }
        Ok(())
    }

    fn with_values(&self, values: &[u64]) -> Result<RuleFile, RulesError> {
        let settings = Settings::of(&values[1..]);
        let (source, rules) = (self.shared.source.clone(), self.shared.rules.clone());
        let observer = self.shared.observer.clone();
        let tried = (settings.at_cap, settings.goal_rule);
        let game = RuleFile::with(source, rules, settings, tried, observer);
        let game = game.map_err(|error| {
            let reason = format!("{}: {error}", self.shared.source.title);
            RulesError::Inconsistent { reason }
        })?;
        let mut shared = Arc::into_inner(game.shared).expect("it is not shared yet");
        shared.fault = Arc::clone(&self.shared.fault);
        shared.remarks = Arc::clone(&self.shared.remarks);
        Ok(RuleFile { shared: Arc::new(shared) })
    }
}
