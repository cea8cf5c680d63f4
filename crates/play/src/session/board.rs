//! A series of games of one family, with one game in progress.

use std::sync::Arc;

use ruse_base::rng::{Label, Stream, StreamKey};
use ruse_base::stop::StopRequest;
use ruse_games::{
    Beliefs, Board, BySeat, Course, Decided, Drawing, Event, Game, Grammar, Page, ReconstructError,
    Seat, Seen, Tint, Turn,
};
use ruse_strategies::{AnyGame, AnyPlayer};

use super::action::{Allowed, PlayError, Step};
use super::game::Session;
use super::judged::Judged;
use super::reconstructed::{Reconstructed, grammar_of_moves};
use super::values::{Decision, Limit, Position, Values, board_of};
use crate::arena::Sitter;

/// The players of a game in which one seat is the person's.
struct Players<G: Game> {
    person: Seat,
    opponent: Sitter<G>,
    /// The strategy that is consulted at each of the person's turns. Its action is a hint for the person or, if a
    /// strategy takes the person's place, is played.
    adviser: Sitter<G>,
    /// The action that the adviser currently recommends.
    advice: Option<G::Action>,
}

/// The [`Session`] of a family.
pub(crate) struct BoardSession<G: Game> {
    family: Arc<dyn AnyGame<G>>,
    opponent: AnyPlayer<G>,
    /// The strategy in the person's seat, if it differs from the opponent's strategy.
    adviser: Option<AnyPlayer<G>>,
    /// The parent key of all games.
    key: StreamKey,
    game_index: u64,
    state: G::State,
    chance: Stream,
    /// The random stream from which the person's random actions are drawn.
    whims: Stream,
    players: Option<Players<G>>,
    request: StopRequest,
    own_actions: BySeat<Vec<G::Action>>,
    past: Vec<Decided<G>>,
    actions: Vec<(Seat, String)>,
    /// The description from which the game in progress was reconstructed, if any.
    retold: Option<Reconstructed<G>>,
}

impl<G: Game> BoardSession<G> {
    /// Creates a session of a game with a board. The streams of games are children of `key`. The adviser is the opponent's strategy unless another adviser is given. In the first game, no seat is
    /// taken by a person.
    pub(crate) fn new(
        family: Arc<dyn AnyGame<G>>,
        opponent: AnyPlayer<G>,
        adviser: Option<AnyPlayer<G>>,
        key: StreamKey,
    ) -> BoardSession<G> {
        let mut chance = key.stream();
        let mut session = BoardSession {
            state: family.game().deal(&mut chance),
            family,
            opponent,
            adviser,
            key,
            game_index: 0,
            whims: chance.clone(),
            chance,
            players: None,
            request: StopRequest::default(),
            own_actions: BySeat::default(),
            past: Vec::new(),
            actions: Vec::new(),
            retold: None,
        };
        session.begin(0, None);
        session
    }

    fn adviser(&self) -> &AnyPlayer<G> {
        self.adviser.as_ref().unwrap_or(&self.opponent)
    }

    fn game_key(&self) -> StreamKey {
        self.key.child(Label::Pair, self.game_index)
    }

    /// Returns the players of a game that begins with a person in this seat.
    fn players_with(&self, person: Seat) -> Players<G> {
        let sitter = |player, seat| {
            Sitter::enter(self.family.game(), player, self.game_key(), seat, &self.request)
        };
        let (opponent, adviser) =
            (sitter(&self.opponent, person.other()), sitter(self.adviser(), person));
        Players { person, opponent, adviser, advice: None }
    }

    /// Returns the current position, or `None` when the game is over.
    fn position(&self) -> Option<Position<'_, G>> {
        let seat = self.seat_to_act().ok()?;
        let players = self.players.as_ref().filter(|players| players.person == seat);
        Some(Position {
            agrees: self.retold.as_ref().and_then(|retold| retold.agrees.as_deref()),
            advice: players.and_then(|players| players.advice.as_ref()),
            ..self.position_in(&self.state, seat, &self.past, &self.own_actions[seat])
        })
    }

    /// Returns the position of `seat` in `state` after these decisions. No action is advised.
    fn position_in<'a>(
        &'a self,
        state: &'a G::State,
        seat: Seat,
        past: &'a [Decided<G>],
        own_actions: &'a [G::Action],
    ) -> Position<'a, G> {
        Position {
            family: &*self.family,
            adviser: self.adviser(),
            opponent: &self.opponent,
            key: self.game_key(),
            state,
            seat,
            past,
            own_actions,
            agrees: None,
            advice: None,
            request: &self.request,
        }
    }

    /// Returns what `look` returns for the position of decision number `decision` of `seat`. The action that was taken
    /// is marked as advice.
    fn at<T>(
        &self,
        seat: Seat,
        decision: usize,
        look: impl FnOnce(Position<'_, G>) -> T,
    ) -> Option<T> {
        let own = || self.past.iter().enumerate().filter(|(_, decided)| decided.seat == seat);
        let (index, Decided { state, action, .. }) = own().nth(decision)?;
        let own_actions: Vec<_> = own().take(decision).map(|(_, it)| it.action.clone()).collect();
        let position = self.position_in(state, seat, &self.past[..index], &own_actions);
        Some(look(Position { advice: Some(action), ..position }))
    }

    fn board(&self) -> &dyn Board<G> {
        board_of(&*self.family)
    }

    fn seen_by(&self, seat: Seat) -> Seen<'_, G> {
        self.seen_in(&self.state, seat)
    }

    fn seen_in<'a>(&'a self, state: &'a G::State, seat: Seat) -> Seen<'a, G> {
        Seen {
            seat,
            turn: self.family.game().turn(state),
            view: self.family.game().view(state, seat),
            own_actions: (&self.own_actions[seat]).into(),
        }
    }

    /// Returns the knowledge that is shown to a seat, without the parts of the game that were filled in.
    fn shown_to(&self, seat: Seat) -> Seen<'_, G> {
        let untold = self.retold.as_ref().and_then(|retold| retold.untold.as_ref());
        self.seen_in(untold.map_or(&self.state, |untold| &untold.shown), seat)
    }

    fn seat_to_act(&self) -> Result<Seat, PlayError> {
        match self.turn() {
            Turn::Act(seat) => Ok(seat),
            Turn::Over(_) => Err(PlayError::GameOver),
        }
    }

    /// Parses input for `seat`: the number of a choice, or an action.
    fn read(&self, seat: Seat, typed: &str) -> Result<G::Action, PlayError> {
        let seen = self.seen_by(seat);
        let mut choices = self.board().choices(&seen);
        // An action may itself be a number, so the input is compared with the texts of the actions before it is taken
        // for the number of a choice.
        if let Some(index) = choices.iter().position(|choice| choice.typed == typed) {
            return Ok(choices.swap_remove(index).action);
        }
        let is_number = !typed.is_empty() && typed.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || choices.is_empty() {
            return Ok(self.board().parse(&seen, typed)?);
        }
        let index = typed.parse().ok().and_then(|number: usize| number.checked_sub(1));
        match index.filter(|&index| index < choices.len()) {
            Some(index) => Ok(choices.swap_remove(index).action),
            None => Err(PlayError::NoSuchChoice { number: typed.into(), last: choices.len() }),
        }
    }

    /// Asks the adviser for its action, if it is the person's turn.
    fn ask_adviser(&mut self) {
        let game = self.family.game();
        let (Some(players), turn) = (&mut self.players, game.turn(&self.state)) else { return };
        players.advice = (turn == Turn::Act(players.person)).then(|| {
            let view = game.view(&self.state, players.person);
            players.adviser.act(view).clone()
        });
        // If the strategy would not have made the earlier decisions itself, its action may be illegal.
        let is_told = self.request.is_set();
        players.advice.take_if(|advice| is_told || game.check(&self.state, advice).is_err());
    }

    /// Plays a legal action of the seat to act.
    fn apply(&mut self, seat: Seat, action: G::Action) -> Step {
        let (game, board) = (self.family.game(), board_of(&*self.family));
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
        self.own_actions[seat].push(action.clone());
        self.past.push(Decided { state: before, seat, action });
        self.ask_adviser();
        Step { seat, typed, told }
    }

    /// Continues from the reconstructed game `course`, asks the adviser of the seat that described the game, and
    /// returns this seat.
    fn follow(&mut self, course: Course<G>, seat: Option<Seat>) -> Result<Seat, ReconstructError> {
        let Course { teller, past, now, untold, agrees } = course;
        match self.family.game().turn(&now) {
            Turn::Over(_) => return Err(ReconstructError::GameOver),
            Turn::Act(mover) if mover != seat.unwrap_or(teller) => {
                return Err(ReconstructError::OpponentsTurn);
            }
            Turn::Act(_) => (),
        }
        self.begin(self.game_index, None);
        self.players = Some(self.players_with(teller));
        for decided in past {
            self.state = decided.state.clone();
            self.ask_adviser();
            let typed = self.board().write(&decided.action);
            self.actions.push((decided.seat, typed));
            self.own_actions[decided.seat].push(decided.action.clone());
            self.past.push(decided);
        }
        self.state = now;
        self.retold = Some(Reconstructed { untold, agrees });
        self.ask_adviser();
        Ok(teller)
    }

    /// Returns the game that `text` describes by the moves of both players. The moves must determine the whole game.
    fn course_of_moves(&mut self, text: &str) -> Result<Course<G>, ReconstructError> {
        let typed = text.split([';', '\n']).map(str::trim).filter(|typed| !typed.is_empty());
        for (number, typed) in (1..).zip(typed) {
            self.act(typed).map_err(|error| ReconstructError::Impossible {
                number,
                item: typed.into(),
                problem: error.to_string(),
            })?;
        }
        let Turn::Act(teller) = self.turn() else { return Err(ReconstructError::GameOver) };
        let past = std::mem::take(&mut self.past);
        Ok(Course { past, ..Course::new(teller, self.state.clone()) })
    }

    /// Returns the moves of the game so far, separated by semicolons.
    fn moves(&self) -> String {
        let moves: Vec<&str> = self.actions.iter().map(|(_, typed)| typed.as_str()).collect();
        moves.join("; ")
    }
}

impl<G: Game> Session for BoardSession<G> {
    fn heed(&mut self, request: StopRequest) {
        self.request = request;
    }

    fn begin(&mut self, game: u64, person: Option<Seat>) {
        self.game_index = game;
        let key = self.game_key();
        self.chance = key.child(Label::Chance, 0).stream();
        self.whims = key.child(Label::Choice, 0).stream();
        self.state = self.family.game().deal(&mut self.chance);
        self.own_actions = BySeat::default();
        self.past.clear();
        self.actions.clear();
        self.retold = None;
        self.players = person.map(|person| self.players_with(person));
        self.ask_adviser();
    }

    fn turn(&self) -> Turn {
        self.family.game().turn(&self.state)
    }

    fn rules(&self) -> String {
        self.board().rules()
    }

    fn tint(&self, word: &str) -> Option<Tint> {
        self.board().tint(word)
    }

    fn hides(&self) -> bool {
        self.board().hides()
    }

    fn may_take_back(&self) -> bool {
        self.board().may_take_back()
    }

    fn view(&self, seat: Seat, page: Page) -> String {
        self.board().show(&self.shown_to(seat), page)
    }

    fn everything(&self, names: BySeat<&str>, page: Page) -> String {
        self.board().everything(&self.state, names, page)
    }

    fn drawing(&self, seat: Seat) -> Option<Drawing> {
        self.board().drawing(&self.shown_to(seat))
    }

    fn whole_drawing(&self, names: BySeat<&str>) -> Option<Drawing> {
        self.board().whole_drawing(&self.state, names)
    }

    fn choices(&self) -> Vec<(String, String)> {
        let Ok(seat) = self.seat_to_act() else { return Vec::new() };
        let choices = self.board().choices(&self.seen_by(seat)).into_iter();
        choices.map(|choice| (choice.typed, choice.meaning)).collect()
    }

    fn allowed(&self) -> Allowed {
        let Ok(seat) = self.seat_to_act() else { return Allowed::default() };
        let (board, seen) = (self.board(), self.seen_by(seat));
        let choices = board.choices(&seen);
        let all = board.all_actions(&seen);
        let is_complete = all.is_some();
        let actions = all.unwrap_or_else(|| match choices.is_empty() {
            true => board.alternatives(&seen),
            false => choices.iter().map(|choice| choice.action.clone()).collect(),
        });
        Allowed {
            actions: actions.iter().map(|action| board.spell(&choices, action)).collect(),
            is_complete,
            grammar: board.grammar(&seen),
        }
    }

    fn prompt(&self) -> String {
        self.seat_to_act().map_or(String::new(), |seat| self.board().prompt(&self.seen_by(seat)))
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
        let action = {
            let view = self.family.game().view(&self.state, seat);
            board_of(&*self.family).any_action(&view, &mut self.whims)
        };
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
        let action = players.opponent.act(view).clone();
        if self.request.is_set() {
            return Err(PlayError::Stopped);
        }
        Ok(self.apply(seat, action))
    }

    fn adviser_acts(&mut self) -> Result<Step, PlayError> {
        let seat = self.seat_to_act()?;
        if self.request.is_set() {
            return Err(PlayError::Stopped);
        }
        let advice = self.players.as_ref().and_then(|players| players.advice.clone());
        let Some(action) = advice else {
            return Err(PlayError::Illegal { problem: "there is no hint to follow".into() });
        };
        Ok(self.apply(seat, action))
    }

    fn beliefs(&self) -> Option<Beliefs> {
        self.position()?.beliefs()
    }

    fn values(&self, limit: Limit) -> Option<Values> {
        if self.missing().is_some() {
            return None;
        }
        self.position()?.values(limit).filter(|_| !self.request.is_set())
    }

    fn best(&self, limit: Limit) -> Option<Judged> {
        self.position()?.judged(limit).filter(|_| !self.request.is_set())
    }

    fn judged(&self, seat: Seat, decision: usize, limit: Limit) -> Option<Judged> {
        let judged = self.at(seat, decision, |position| position.judged(limit));
        judged?.filter(|_| !self.request.is_set())
    }

    fn view_at(&self, seat: Seat, decision: usize, page: Page) -> Option<String> {
        self.at(seat, decision, |position| position.board().show(&position.seen(), page))
    }

    fn decision(&self, limit: Limit) -> Option<Decision> {
        Some(self.position()?.decision(limit)).filter(|_| !self.request.is_set())
    }

    fn advice(&self) -> Option<String> {
        let advice = self.players.as_ref()?.advice.as_ref()?;
        Some(self.board().write(advice))
    }

    fn take_back(&mut self) -> bool {
        if self.retold.is_some() {
            return false;
        }
        let Some(person) = self.players.as_ref().map(|players| players.person) else {
            return false;
        };
        let last = self.actions.iter().rposition(|(seat, _)| *seat == person);
        let Some(num_kept) = last else { return false };
        let played = std::mem::take(&mut self.past);
        // Streams and memories cannot be rewound, so the whole game is played again, and the opponent repeats its
        // decisions.
        self.begin(self.game_index, Some(person));
        for Decided { seat, action, .. } in played.into_iter().take(num_kept) {
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

    fn grammar(&self) -> Option<Grammar> {
        match self.board().reconstruction() {
            Some(reconstruction) => Some(reconstruction.grammar()),
            None => self.board().may_take_back().then(|| {
                let mut chance = self.key.child(Label::Choice, 2).stream();
                grammar_of_moves(self.family.game(), self.board(), &mut chance)
            }),
        }
    }

    fn reconstruct(&mut self, text: &str, seat: Option<Seat>) -> Result<Seat, ReconstructError> {
        self.begin(0, None);
        let family = Arc::clone(&self.family);
        let course = match board_of(&*family).reconstruction() {
            Some(reconstruction) => {
                let mut unknown = self.game_key().child(Label::Choice, 1).stream();
                reconstruction.reconstruct(text, seat, &mut unknown)?
            }
            None => self.course_of_moves(text)?,
        };
        self.follow(course, seat)
    }

    fn tell(&self, seat: Seat) -> Option<String> {
        match self.board().reconstruction() {
            Some(reconstruction) => Some(reconstruction.tell(seat, &self.past, &self.state)),
            None => self.board().may_take_back().then(|| self.moves()),
        }
    }

    fn missing(&self) -> Option<&str> {
        let untold = self.retold.as_ref()?.untold.as_ref()?;
        Some(&untold.missing)
    }
}

#[cfg(test)]
mod tests;
