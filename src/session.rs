//! Games between a person and a strategy, one after the other.

use std::sync::Arc;

use ruse_games::{Board, BySeat, Event, Game, NotAnAction, Page, Seat, Seen, Turn};
use ruse_strategies::{Family, Strategy};

use crate::arena::{Contestant, Fixed, Given, Member, Mixed, Redrawn, Side};
use crate::rng::{Label, Stream, StreamKey};

/// Why what a person typed was not played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// It is no action of this game.
    #[error(transparent)]
    NotAnAction(#[from] NotAnAction),
    /// The menu ends before.
    #[error("there is no choice {number}: choices are numbered from 1 to {last}")]
    NoSuchChoice {
        /// The number that was typed.
        number: String,
        /// The number of choices.
        last: usize,
    },
    /// The rules forbid it.
    #[error("{problem}")]
    Illegal {
        /// What the rules say.
        problem: String,
    },
    /// Nobody is to act.
    #[error("the game is over")]
    GameOver,
}

/// An action that was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Who acted.
    pub seat: Seat,
    /// The action, as a person would type it.
    pub typed: String,
    /// What each seat learns of it.
    pub told: BySeat<Option<String>>,
}

/// Games of one family between a person and a strategy, of which one is in progress.
///
/// Everything is text: the types of the game end here.
pub trait Session {
    /// Deals game number `game`, from 0, in which a person has seat `person`; nobody has a seat when a game is
    /// replayed. The same number is the same deal.
    fn begin(&mut self, game: u64, person: Option<Seat>);

    /// Whose turn it is, or how the game ended.
    fn turn(&self) -> Turn;

    /// The rules, a paragraph a line.
    fn rules(&self) -> String;

    /// Whether there is something that a seat does not see.
    fn hides(&self) -> bool;

    /// Whether an action may be taken back without having learnt anything from it.
    fn may_take_back(&self) -> bool;

    /// What `seat` sees, in lines.
    fn view(&self, seat: Seat, page: Page) -> String;

    /// All there is, in lines.
    fn everything(&self, names: BySeat<&str>, page: Page) -> String;

    /// What the seat whose turn it is may choose from, if that is few: what is typed, and what it means.
    fn choices(&self) -> Vec<(String, String)>;

    /// What the seat whose turn it is is asked for.
    fn prompt(&self) -> String;

    /// Plays what was typed for the seat whose turn it is: the number of a choice, or an action.
    ///
    /// # Errors
    ///
    /// When it is not understood, or against the rules; nothing is played then.
    fn act(&mut self, typed: &str) -> Result<Step, PlayError>;

    /// Plays any legal action for the seat whose turn it is.
    ///
    /// # Errors
    ///
    /// When the game is over.
    fn act_at_random(&mut self) -> Result<Step, PlayError>;

    /// Lets the strategy play for the seat whose turn it is.
    ///
    /// # Errors
    ///
    /// When the game is over, or it is the turn of the person.
    fn opponent_acts(&mut self) -> Result<Step, PlayError>;

    /// What the strategy would do in the place of the person whose turn it is, if that is known.
    fn hint(&self) -> Option<String>;

    /// Goes back to before the last action of the person; `false` when there is none.
    fn take_back(&mut self) -> bool;

    /// All actions of the game, in order, as persons would type them.
    fn actions(&self) -> &[(Seat, String)];
}

/// Whom the person plays against.
pub(crate) enum Opponent<S, R> {
    Parametric(Arc<S>),
    Reference(Arc<R>),
    Redrawn(Redrawn<S>),
    Mixed(Mixed<Arc<Given<S, R>>>),
}

impl<S, R> From<Member<S, R>> for Opponent<S, R> {
    fn from(member: Member<S, R>) -> Opponent<S, R> {
        match member {
            Member::Parametric(Fixed(strategy)) => Opponent::Parametric(Arc::new(strategy)),
            Member::Reference(Fixed(strategy)) => Opponent::Reference(Arc::new(strategy)),
            Member::Redrawn(redrawn) => Opponent::Redrawn(redrawn),
            Member::Mixed(mixed) => Opponent::Mixed(mixed.shared()),
        }
    }
}

/// A strategy that plays one game from one seat.
trait Player<G: Game> {
    fn act(&mut self, view: G::View<'_>) -> G::Action;
}

struct Playing<S, M> {
    strategy: Arc<S>,
    memory: M,
    stream: Stream,
}

impl<G: Game, S: Strategy<G>> Player<G> for Playing<S, S::Memory> {
    fn act(&mut self, view: G::View<'_>) -> G::Action {
        let mut action = G::Action::default();
        self.strategy.act(&mut self.memory, view, &mut self.stream, &mut action);
        action
    }
}

fn playing<'a, G: Game, S: Strategy<G> + 'a>(
    strategy: Arc<S>,
    seat: Seat,
    game: StreamKey,
) -> Box<dyn Player<G> + 'a> {
    let mut memory = S::Memory::default();
    strategy.begin(&mut memory, seat);
    let stream = game.child(Label::Seat, seat as u64).stream();
    Box::new(Playing { strategy, memory, stream })
}

/// The strategy that plays the game of key `key`, in `seat`.
fn sit_down<'a, F: Family>(
    family: &F,
    opponent: &Opponent<F::Strategy, F::Reference>,
    key: StreamKey,
    seat: Seat,
) -> Box<dyn Player<F::Game> + 'a> {
    let game = family.game();
    let strategy = match opponent {
        Opponent::Reference(strategy) => return playing(Arc::clone(strategy), seat, key),
        Opponent::Parametric(strategy) => Arc::clone(strategy),
        Opponent::Redrawn(redrawn) => {
            Arc::new(redrawn.enter(game, key, Side::B, &mut Default::default()).clone())
        }
        Opponent::Mixed(mixed) => {
            let Fixed(drawn) = mixed.drawn(key, Side::B);
            return playing(Arc::clone(drawn), seat, key);
        }
    };
    playing(strategy, seat, key)
}

/// The players of a game with a person.
struct Players<'a, G: Game> {
    person: Seat,
    opponent: Box<dyn Player<G> + 'a>,
    /// The strategy of the opponent in the place of the person: it is asked whenever the person is, and what
    /// it says is not played.
    adviser: Box<dyn Player<G> + 'a>,
    /// What the adviser says now.
    advice: Option<G::Action>,
}

/// The [`Session`] of a family.
pub(crate) struct BoardSession<'a, F: Family> {
    family: &'a F,
    board: &'a dyn Board<F::Game>,
    opponent: Opponent<F::Strategy, F::Reference>,
    /// All games are children of it.
    key: StreamKey,
    game_index: u64,
    state: <F::Game as Game>::State,
    chance: Stream,
    /// Where random actions of the person come from.
    whims: Stream,
    players: Option<Players<'a, F::Game>>,
    own_actions: BySeat<Vec<<F::Game as Game>::Action>>,
    actions: Vec<(Seat, String)>,
}

impl<'a, F: Family> BoardSession<'a, F> {
    /// Games whose streams are children of `key`. The first is dealt, without a person.
    pub(crate) fn new(
        family: &'a F,
        board: &'a dyn Board<F::Game>,
        opponent: Opponent<F::Strategy, F::Reference>,
        key: StreamKey,
    ) -> BoardSession<'a, F> {
        let mut chance = key.stream();
        let mut session = BoardSession {
            family,
            board,
            opponent,
            key,
            game_index: 0,
            state: family.game().deal(&mut chance),
            whims: chance.clone(),
            chance,
            players: None,
            own_actions: BySeat::default(),
            actions: Vec::new(),
        };
        session.begin(0, None);
        session
    }

    fn seen_by(&self, seat: Seat) -> Seen<'_, F::Game> {
        Seen {
            seat,
            turn: self.turn(),
            view: self.family.game().view(&self.state, seat),
            own_actions: &self.own_actions[seat],
        }
    }

    fn seat_to_act(&self) -> Result<Seat, PlayError> {
        match self.turn() {
            Turn::Act(seat) => Ok(seat),
            Turn::Over(_) => Err(PlayError::GameOver),
        }
    }

    /// What was typed for `seat`: the number of a choice, or an action.
    fn read(&self, seat: Seat, typed: &str) -> Result<<F::Game as Game>::Action, PlayError> {
        let seen = self.seen_by(seat);
        let mut choices = self.board.choices(&seen);
        let is_number = !typed.is_empty() && typed.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || choices.is_empty() {
            return Ok(self.board.parse(&seen, typed)?);
        }
        let index = typed.parse().ok().and_then(|number: usize| number.checked_sub(1));
        match index.filter(|&index| index < choices.len()) {
            Some(index) => Ok(choices.swap_remove(index).action),
            None => Err(PlayError::NoSuchChoice { number: typed.into(), last: choices.len() }),
        }
    }

    /// Asks the adviser, if it is the turn of the person.
    fn ask_adviser(&mut self) {
        let game = self.family.game();
        let (Some(players), turn) = (&mut self.players, game.turn(&self.state)) else { return };
        players.advice = (turn == Turn::Act(players.person)).then(|| {
            let view = game.view(&self.state, players.person);
            players.adviser.act(view)
        });
        // Who expected to have acted otherwise may be at a loss.
        players.advice.take_if(|advice| game.check(&self.state, advice).is_err());
    }

    /// Takes a legal action of the seat whose turn it is.
    fn apply(&mut self, seat: Seat, action: <F::Game as Game>::Action) -> Step {
        let (game, board) = (self.family.game(), self.board);
        let before = self.state.clone();
        game.apply(&mut self.state, seat, &action, &mut self.chance);
        let turn = game.turn(&self.state);
        let is_public = board.is_public(&game.view(&before, seat), &action);
        let told = BySeat::from_fn(|viewer| {
            board.told(&Event {
                seat: viewer,
                actor: seat,
                action: Some(&action).filter(|_| is_public || viewer == seat),
                before: game.view(&before, viewer),
                after: game.view(&self.state, viewer),
                turn,
            })
        });
        let typed = board.write(&action);
        self.actions.push((seat, typed.clone()));
        self.own_actions[seat].push(action);
        self.ask_adviser();
        Step { seat, typed, told }
    }
}

impl<F: Family> Session for BoardSession<'_, F> {
    fn begin(&mut self, game: u64, person: Option<Seat>) {
        let key = self.key.child(Label::Pair, game);
        self.game_index = game;
        self.chance = key.child(Label::Chance, 0).stream();
        self.whims = key.child(Label::Choice, 0).stream();
        self.state = self.family.game().deal(&mut self.chance);
        self.own_actions = BySeat::default();
        self.actions.clear();
        self.players = person.map(|person| Players {
            person,
            opponent: sit_down(self.family, &self.opponent, key, person.other()),
            adviser: sit_down(self.family, &self.opponent, key, person),
            advice: None,
        });
        self.ask_adviser();
    }

    fn turn(&self) -> Turn {
        self.family.game().turn(&self.state)
    }

    fn rules(&self) -> String {
        self.board.rules()
    }

    fn hides(&self) -> bool {
        self.board.hides()
    }

    fn may_take_back(&self) -> bool {
        self.board.may_take_back()
    }

    fn view(&self, seat: Seat, page: Page) -> String {
        self.board.show(&self.seen_by(seat), page)
    }

    fn everything(&self, names: BySeat<&str>, page: Page) -> String {
        self.board.everything(&self.state, names, page)
    }

    fn choices(&self) -> Vec<(String, String)> {
        let Ok(seat) = self.seat_to_act() else { return Vec::new() };
        let choices = self.board.choices(&self.seen_by(seat)).into_iter();
        choices.map(|choice| (choice.typed, choice.meaning)).collect()
    }

    fn prompt(&self) -> String {
        self.seat_to_act().map_or(String::new(), |seat| self.board.prompt(&self.seen_by(seat)))
    }

    fn act(&mut self, typed: &str) -> Result<Step, PlayError> {
        let seat = self.seat_to_act()?;
        let action = self.read(seat, typed.trim())?;
        let checked = self.family.game().check(&self.state, &action);
        checked.map_err(|error| PlayError::Illegal { problem: error.to_string() })?;
        Ok(self.apply(seat, action))
    }

    fn act_at_random(&mut self) -> Result<Step, PlayError> {
        let seat = self.seat_to_act()?;
        let action = self.board.any_action(&self.state, &mut self.whims);
        Ok(self.apply(seat, action))
    }

    fn opponent_acts(&mut self) -> Result<Step, PlayError> {
        let seat = self.seat_to_act()?;
        let players = self.players.as_mut().filter(|players| players.person != seat);
        let Some(players) = players else {
            return Err(PlayError::Illegal {
                problem: "it is not the turn of the opponent".into(),
            });
        };
        let view = self.family.game().view(&self.state, seat);
        let action = players.opponent.act(view);
        Ok(self.apply(seat, action))
    }

    fn hint(&self) -> Option<String> {
        let advice = self.players.as_ref()?.advice.as_ref()?;
        Some(self.board.write(advice))
    }

    fn take_back(&mut self) -> bool {
        let Some(person) = self.players.as_ref().map(|players| players.person) else {
            return false;
        };
        let last = self.actions.iter().rposition(|(seat, _)| *seat == person);
        let Some(num_kept) = last else { return false };
        let order: Vec<Seat> = self.actions[..num_kept].iter().map(|(seat, _)| *seat).collect();
        let played = std::mem::take(&mut self.own_actions);
        let mut played =
            BySeat { first: played.first.into_iter(), second: played.second.into_iter() };
        // Streams and memories cannot be turned back: all is played again, and the opponent thinks again what it
        // thought.
        self.begin(self.game_index, Some(person));
        for seat in order {
            let action = played[seat].next().expect("who acted has an action");
            if let Some(players) = self.players.as_mut().filter(|_| seat != person) {
                let view = self.family.game().view(&self.state, seat);
                players.opponent.act(view);
            }
            self.apply(seat, action);
        }
        true
    }

    fn actions(&self) -> &[(Seat, String)] {
        &self.actions
    }
}
