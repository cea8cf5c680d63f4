//! Values of the choices in an interactive game, and the frequencies of a strategy's choices.
//!
//! If perfect play is known, the value of a choice is computed. If a player aims at cells and has a map of beliefs
//! about these cells, nothing is measured: the map shows the best cell. Otherwise values are measured: states that
//! agree with everything the seat saw and did are [imagined](ruse_games::Imagine). In each of these states, every
//! choice is made, and the strategies at the table play the game to its end, with the same chance events for all
//! choices. Information that the seat cannot know has no influence. One inference is missing: the opponent's past
//! actions are taken for arbitrary legal actions. A choice that is good against a careful opponent may therefore look a
//! little better or worse than it is.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ruse_base::rng::{Label, Stream, StreamKey};
use ruse_base::stop::StopRequest;
use ruse_games::{Beliefs, Board, Decided, Game, Payoff, Seat, Seen, Turn};
use ruse_strategies::{AnyGame, AnyPlayer, Imagining};
use serde::Serialize;

use crate::arena::{Side, Sitter, entered};
use crate::score::{CONFIDENCE, score_interval_at};

/// The number of playouts of every choice, if the time suffices. With this number, the interval of a score extends by
/// 3% to either side.
const MAX_PLAYOUTS: u64 = 1_000;
/// The maximum number of choices that are compared in one step. The best of many choices are measured again, because
/// the selection makes them look better than they are.
const MAX_MEASURED: usize = 8;
/// The number of playouts of each choice before the best choices are selected. It applies only if there are many
/// choices.
const MAX_SCREENED: u64 = 60;
/// The number of actions after which a playout counts as a draw. A limit is needed because two strategies of War may
/// repeat a cycle forever.
const MAX_ACTIONS: u32 = 20_000;
/// The maximum number of times that a strategy decides again in the same position.
const MAX_ASKED: u64 = 1_000;

/// A limit on the effort to answer a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// A time limit.
    Time(Duration),
    /// The maximum number of playouts of each choice, or of repeated decisions of a strategy. The answer is the same on
    /// every machine, because no clock is read.
    Times(u64),
}

impl From<Duration> for Limit {
    fn from(time: Duration) -> Limit {
        Limit::Time(time)
    }
}

impl Limit {
    /// Returns the time at which the limit is reached if the work starts now, or `None` if the limit is not a time
    /// limit.
    fn deadline(self) -> Option<Instant> {
        match self {
            Limit::Time(time) => Some(Instant::now() + time),
            Limit::Times(_) => None,
        }
    }

    /// Returns half of the time limit, or zero if the limit is not a time limit.
    fn half(self) -> Duration {
        match self {
            Limit::Time(time) => time / 2,
            Limit::Times(_) => Duration::ZERO,
        }
    }

    /// Returns the number of repetitions, at most `number` and at least 1.
    fn at_most(self, number: u64) -> u64 {
        match self {
            Limit::Time(_) => number,
            Limit::Times(times) => number.min(times).max(1),
        }
    }
}

/// The value of one choice.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Valued {
    /// The action, as a person would type it.
    #[serde(rename = "action")]
    pub typed: String,
    /// The effect of the action, if the board describes it.
    pub meaning: Option<String>,
    /// The expected score of the seat to act, in [0, 1]: a win is 1, a draw 1/2.
    pub score: f64,
    /// The bounds on the score at the level of [`CONFIDENCE`](crate::score::CONFIDENCE), or `None` if the score is
    /// exact.
    pub interval: Option<[f64; 2]>,
    /// Whether the adviser chooses this action.
    pub is_advice: bool,
}

/// The source of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Perfect play by both sides after the choice; the values are exact.
    PerfectPlay,
    /// Means of playouts from imagined states, in which both sides play on with the strategies at the table.
    Playouts {
        /// The number of playouts of each choice.
        number: u64,
    },
}

/// The values of the choices of a seat.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// The source of the values.
    pub source: Source,
    /// The choices, by decreasing value. If many choices are measured, only the best-looking ones are included.
    pub choices: Vec<Valued>,
    /// The number of choices that were compared.
    pub num_compared: usize,
    /// True if the compared choices are a small random sample, with the adviser's action.
    pub is_sample: bool,
}

// Sorting does not depend on the family, so it is in functions that are compiled once.
impl Values {
    fn new(source: Source, mut choices: Vec<Valued>, num_compared: usize, is_sample: bool) -> Self {
        choices.sort_by(|a, b| b.score.total_cmp(&a.score));
        Values { source, choices, num_compared, is_sample }
    }
}

/// An action that a strategy takes in a position.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chosen {
    /// The action, as a person would type it.
    #[serde(rename = "action")]
    pub typed: String,
    /// The effect of the action, if the board describes it.
    pub meaning: Option<String>,
    /// The frequency of the action, in (0, 1].
    pub share: f64,
}

/// The decision of a strategy in a position: the actions that it takes, with frequencies.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The actions, by decreasing frequency.
    pub chosen: Vec<Chosen>,
    /// The number of times that the strategy decided.
    pub num_asked: u64,
}

impl Decision {
    fn new(mut chosen: Vec<Chosen>, num_asked: u64) -> Decision {
        chosen.sort_by(|a, b| b.share.total_cmp(&a.share));
        Decision { chosen, num_asked }
    }
}

/// Returns `true` if less than `reserve` is left until a deadline.
fn is_past(deadline: Option<Instant>, reserve: Duration) -> bool {
    deadline.is_some_and(|deadline| Instant::now() + reserve >= deadline)
}

/// Returns a description of an action, if the board has one.
fn meaning<G: Game>(
    board: &dyn Board<G>,
    seen: &Seen<'_, G>,
    action: &G::Action,
) -> Option<String> {
    let choice = board.choices(seen).into_iter().find(|choice| choice.action == *action);
    choice.map(|choice| choice.meaning).filter(|meaning| !meaning.is_empty())
}

/// A predicate that is `true` for every state that may be the true state.
pub(super) type AgreesOf<G> = dyn Fn(&<G as Game>::State) -> bool + Send + Sync;

/// A position of a game in progress, with the players and the knowledge of the seat to act.
pub(super) struct Position<'a, G: Game> {
    pub(super) family: &'a dyn AnyGame<G>,
    /// The strategy of the seat to act.
    pub(super) adviser: &'a AnyPlayer<G>,
    /// The strategy of the other seat.
    pub(super) opponent: &'a AnyPlayer<G>,
    pub(super) key: StreamKey,
    pub(super) state: &'a G::State,
    pub(super) seat: Seat,
    pub(super) past: &'a [Decided<G>],
    pub(super) own_actions: &'a [G::Action],
    /// A predicate that is `true` for states that agree with the facts described in addition to the seat's views.
    pub(super) agrees: Option<&'a AgreesOf<G>>,
    /// The action of the adviser, or an action to compare with the best action.
    pub(super) advice: Option<&'a G::Action>,
    /// A stop request; after a stop, results are unspecified.
    pub(super) request: &'a StopRequest,
}

pub(super) fn board_of<G: Game>(family: &dyn AnyGame<G>) -> &dyn Board<G> {
    family.capabilities().board.expect("a session is of a family with a board").board
}

impl<G: Game> Position<'_, G> {
    pub(super) fn board(&self) -> &dyn Board<G> {
        board_of(self.family)
    }

    pub(super) fn seen(&self) -> Seen<'_, G> {
        Seen {
            seat: self.seat,
            turn: Turn::Act(self.seat),
            view: self.family.game().view(self.state, self.seat),
            own_actions: self.own_actions.into(),
        }
    }

    /// Calls `look` with the state and the action of every past decision of the seat to act.
    fn replayed(&self, mut look: impl FnMut(&G::State, &G::Action)) {
        let own = self.past.iter().filter(|decided| decided.seat == self.seat);
        own.for_each(|decided| look(&decided.state, &decided.action));
    }

    /// Returns a key for random numbers that do not affect the game, such as the random numbers of playouts. `what`
    /// identifies the purpose of the numbers.
    fn aside(&self, what: u64) -> StreamKey {
        self.key.child(Label::Request, what).child(Label::Request, self.past.len() as u64)
    }

    /// Returns the beliefs of the adviser about the cells of the board, if the family can compute them.
    pub(super) fn beliefs(&self) -> Option<Beliefs> {
        // This is the player that a `Sitter` with the same key would draw.
        let player = entered(self.family.game(), self.adviser, self.key, Side::B);
        self.family.beliefs(&*player, &self.seen())
    }

    /// Returns the values of the choices of the seat, if they can be computed, or measured within `limit`.
    pub(super) fn values(&self, limit: Limit) -> Option<Values> {
        let (board, seen) = (self.board(), self.seen());
        let mut actions = board.alternatives(&seen);
        let is_sample = actions.is_empty();
        if is_sample {
            actions = self.sampled();
        }
        if let Some(advice) = self.advice.filter(|advice| !actions.contains(advice)) {
            actions.push(advice.clone());
        }
        let num_compared = actions.len();
        let valued = |action: &G::Action, score, interval| Valued {
            typed: board.write(action),
            meaning: meaning(board, &seen, action),
            score,
            interval,
            is_advice: self.advice == Some(action),
        };
        let answer = |source, choices| Values::new(source, choices, num_compared, is_sample);
        if let Some(scores) = self.family.perfect_values(&seen.view, &actions) {
            let scored = actions.iter().zip(scores);
            let choices = scored.map(|(action, score)| valued(action, score, None)).collect();
            return Some(answer(Source::PerfectPlay, choices));
        }
        if self.beliefs().is_some_and(|beliefs| beliefs.is_aim) {
            return None;
        }
        let mut playouts = Playouts::new(self, limit.deadline())?;
        if actions.len() > MAX_MEASURED {
            let screened = playouts.play(&actions, limit.at_most(MAX_SCREENED), limit.half());
            let is_kept = |(place, index): &(usize, usize)| {
                place + 1 < MAX_MEASURED || self.advice == Some(&actions[*index])
            };
            let kept = by_decreasing_score(&screened).into_iter().enumerate().filter(is_kept);
            actions = kept.map(|(_, index)| actions[index].clone()).collect();
        }
        let measured = playouts.play(&actions, limit.at_most(MAX_PLAYOUTS), Duration::ZERO);
        let number = measured.first()?.number();
        let choices = actions.iter().zip(&measured);
        let choices = choices
            .map(|(action, measured)| valued(action, measured.score(), Some(measured.interval())));
        Some(answer(Source::Playouts { number }, choices.collect()))
    }

    /// Returns a few different random actions, for boards that cannot list the actions worth comparing.
    fn sampled(&self) -> Vec<G::Action> {
        const MAX_DRAWN: usize = 50;
        let view = self.seen().view;
        let mut rng = self.aside(0).stream();
        let mut actions = Vec::new();
        for _ in 0..MAX_DRAWN {
            let action = self.board().any_action(&view, &mut rng);
            if actions.len() + 1 < MAX_MEASURED && !actions.contains(&action) {
                actions.push(action);
            }
        }
        actions
    }

    /// Returns the frequencies of the adviser's actions, from repeated decisions within `limit`.
    pub(super) fn decision(&self, limit: Limit) -> Decision {
        let game = self.family.game();
        // The states of the earlier decisions, which the strategy sees again so that it remembers the game.
        let mut before = Vec::new();
        self.replayed(|state, _| before.push(state.clone()));
        let mut counts: Vec<(G::Action, u64)> = Vec::new();
        let (deadline, most) = (limit.deadline(), limit.at_most(MAX_ASKED));
        let mut sitter = Sitter::enter(game, self.adviser, self.aside(2), self.seat, self.request);
        let mut num_asked = 0;
        let is_over = || self.request.is_set() || is_past(deadline, Duration::ZERO);
        while num_asked < most && (num_asked == 0 || !is_over()) {
            let key = self.aside(2).child(Label::Pair, num_asked);
            sitter.restart(game, self.adviser, key, self.seat);
            for state in &before {
                sitter.act(game.view(state, self.seat));
            }
            let action = sitter.act(game.view(self.state, self.seat));
            num_asked += 1;
            match counts.iter_mut().find(|(known, _)| known == action) {
                Some((_, count)) => *count += 1,
                None => counts.push((action.clone(), 1)),
            }
        }
        let (board, seen) = (self.board(), self.seen());
        let chosen = counts.iter().map(|(action, count)| Chosen {
            typed: board.write(action),
            meaning: meaning(board, &seen, action),
            share: *count as f64 / num_asked as f64,
        });
        Decision::new(chosen.collect(), num_asked)
    }
}

/// The number of occurrences of each payoff of a choice.
#[derive(Debug, Clone, Default)]
struct Measured(BTreeMap<Payoff, u64>);

/// Returns the indices of the choices, the best first.
fn by_decreasing_score(measured: &[Measured]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..measured.len()).collect();
    order.sort_by(|&a, &b| measured[b].score().total_cmp(&measured[a].score()));
    order
}

impl Measured {
    fn number(&self) -> u64 {
        self.0.values().sum()
    }

    fn values(&self) -> Vec<(f64, u64)> {
        self.0.iter().map(|(payoff, &count)| (payoff.score(), count)).collect()
    }

    /// Returns the mean payoff, or one half if there are no playouts.
    fn score(&self) -> f64 {
        match self.number() {
            0 => 0.5,
            number => {
                let sum: f64 = self.values().iter().map(|&(x, n)| x * n as f64).sum();
                sum / number as f64
            }
        }
    }

    fn interval(&self) -> [f64; 2] {
        score_interval_at(CONFIDENCE, &self.values())
    }
}

/// Plays games from imagined states to their end.
struct Playouts<'a, G: Game> {
    position: &'a Position<'a, G>,
    mind: Box<dyn Imagining<G>>,
    own: Sitter<G>,
    other: Sitter<G>,
    /// The number of states imagined so far.
    num_imagined: u64,
    /// The deadline; `None` without a time limit.
    deadline: Option<Instant>,
}

impl<'a, G: Game> Playouts<'a, G> {
    /// Prepares playouts from a position; returns `None` if states cannot be imagined.
    fn new(position: &'a Position<'a, G>, deadline: Option<Instant>) -> Option<Self> {
        let Position { family, seat, request, .. } = *position;
        let mut mind = family.capabilities().imagining?(family.game(), seat);
        position.replayed(|state, action| mind.learn(&family.game().view(state, seat), action));
        let key = position.aside(1);
        let own = Sitter::enter(family.game(), position.adviser, key, seat, request);
        let other = Sitter::enter(family.game(), position.opponent, key, seat.other(), request);
        Some(Playouts { position, mind, own, other, num_imagined: 0, deadline })
    }

    /// Plays each of `actions` up to `number` times, in the same imagined states, as long as more than `reserve` is
    /// left until the deadline. All actions are played equally often, and at least once.
    fn play(&mut self, actions: &[G::Action], number: u64, reserve: Duration) -> Vec<Measured> {
        let view = self.position.seen().view;
        let mut measured = vec![Measured::default(); actions.len()];
        for round in 0..number {
            let is_told = self.position.request.is_set();
            if round > 0 && (is_told || is_past(self.deadline, reserve)) {
                break;
            }
            let key = self.position.aside(1).child(Label::Pair, self.num_imagined);
            self.num_imagined += 1;
            let imagined = self.imagined(&view, &mut key.child(Label::Chance, 0).stream());
            for (action, measured) in actions.iter().zip(&mut measured) {
                let payoff = self.payoff(imagined.clone(), action, key);
                *measured.0.entry(payoff).or_default() += 1;
            }
        }
        measured
    }

    /// Returns an imagined state that agrees with the view of the seat and all other facts that the seat knows. After
    /// `MAX_DRAWN` states that contradict these other facts, the returned state may contradict them, too.
    fn imagined(&self, view: &G::View<'_>, rng: &mut Stream) -> G::State {
        /// The maximum number of states drawn in a row; long runs of states that contradict a referee are rare.
        const MAX_DRAWN: u32 = 1_000;
        let mut state = self.mind.imagine(view, rng);
        if let Some(agrees) = self.position.agrees {
            for _ in 1..MAX_DRAWN {
                if agrees(&state) {
                    break;
                }
                state = self.mind.imagine(view, rng);
            }
        }
        state
    }

    /// Returns the payoff of the seat to act if it takes `action` in `state`, and the game is then played to its end.
    fn payoff(&mut self, mut state: G::State, action: &G::Action, key: StreamKey) -> Payoff {
        let Playouts { position, own, other, .. } = self;
        let Position { family, adviser, opponent, seat, .. } = **position;
        let game = family.game();
        // With a common key, both players would draw the same member of a mixture.
        own.restart(game, adviser, key.child(Label::Opponent, 0), seat);
        other.restart(game, opponent, key.child(Label::Opponent, 1), seat.other());
        let mut chance = key.child(Label::Chance, 1).stream();
        game.apply(&mut state, seat, action, &mut chance);
        for _ in 0..MAX_ACTIONS {
            if position.request.is_set() {
                break;
            }
            let actor = match game.turn(&state) {
                Turn::Over(outcome) if seat == Seat::First => return outcome,
                Turn::Over(outcome) => return outcome.reversed(),
                Turn::Act(actor) => actor,
            };
            let sitter = if actor == seat { &mut *own } else { &mut *other };
            let mut action = sitter.act(game.view(&state, actor)).clone();
            // If a strategy would not have made the earlier decisions itself, its action may be illegal.
            if game.check(&state, &action).is_err() {
                let view = game.view(&state, actor);
                action = position.board().any_action(&view, &mut chance);
            }
            game.apply(&mut state, actor, &action, &mut chance);
        }
        Payoff::DRAW
    }
}
