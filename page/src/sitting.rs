//! Consecutive games at one table.

use std::sync::Arc;

use ruse::family::AnyFamily;
use ruse::lab::{
    ActionTranscript, Ending, GameTranscript, SeatChoice, SeatName, SeriesScore, Transcript,
};
use ruse::session::{Allowed, Judged, Limit, PlayError, Session, Step};
use ruse_games::{BySeat, Page, Seat, Turn};

use serde_json::{Value, json};

use crate::answer::{TurnOf, score_json};
use crate::strategies::Seated;

/// The number of stored actions of all games at which no further game is dealt. They take tens of megabytes.
const MAX_KEPT: usize = 500_000;
/// The maximum number of actions in a game. Without it, two strategies of War might repeat a cycle of positions
/// forever.
const MAX_ACTIONS: usize = 200_000;
/// The maximum number of messages in an answer. Older ones are dropped, but a replay of the transcript shows them.
const MAX_TOLD: usize = 200;
/// The maximum and default width of a line of text, in characters.
const MAX_WIDTH: usize = 120;
const USUAL_WIDTH: usize = 60;

/// The players at a table, and its appearance.
pub(crate) struct Seating {
    pub(crate) opponent: Seated,
    /// The strategy in place of the person, if any.
    pub(crate) player: Option<Seated>,
    pub(crate) seat: SeatChoice,
    pub(crate) seed: u64,
    pub(crate) reveal: bool,
    pub(crate) width: Option<usize>,
}

/// Returns a screen with lines of `width` characters.
pub(crate) fn page_of(width: Option<usize>) -> Page {
    let width = width.unwrap_or(USUAL_WIDTH);
    Page { width: width.clamp(Page::MIN_WIDTH, MAX_WIDTH), unicode: true }
}

/// Games at one table. The last game is in progress.
pub(crate) struct Sitting {
    family: Arc<dyn AnyFamily>,
    session: Box<dyn Session>,
    seating: Seating,
    transcript: Transcript,
    score: SeriesScore,
    sum_of_scores: f64,
    /// The number of the game, from 0.
    game: u64,
    /// The ending of the current game, if it has ended.
    ended: Option<Ending>,
    told: Vec<String>,
    /// The number of actions and games in the transcript.
    num_kept: usize,
    /// The games of a replay; `None` if games are played now.
    script: Option<Vec<GameTranscript>>,
}

impl Sitting {
    /// Creates a table, and deals the first game.
    pub(crate) fn new(family: Arc<dyn AnyFamily>, seating: Seating) -> Result<Sitting, String> {
        let Seating { opponent, player, seed, .. } = &seating;
        let key = Transcript::key(*seed);
        let session = match player {
            Some(player) => family.sit_down_beside(&player.player, &opponent.player, key),
            None => family.sit_down(&opponent.player, key),
        };
        let session = session.map_err(|error| error.to_string())?;
        let session = session
            .ok_or_else(|| format!("family `{}` cannot be played at a table", family.name()))?;
        let player = player.as_ref().map(|player| player.name.as_str());
        let transcript =
            Transcript::empty(family.as_ref(), player, &opponent.name, &opponent.player, *seed);
        let mut sitting = Sitting {
            family,
            session,
            seating,
            transcript,
            score: SeriesScore::default(),
            sum_of_scores: 0.0,
            game: 0,
            ended: None,
            told: Vec::new(),
            num_kept: 0,
            script: None,
        };
        sitting.begin(0);
        Ok(sitting)
    }

    /// Creates a table that replays a transcript.
    pub(crate) fn again(
        family: Arc<dyn AnyFamily>,
        mut transcript: Transcript,
        width: Option<usize>,
    ) -> Result<Sitting, String> {
        let mut session = transcript.session(family.as_ref()).map_err(|error| error.to_string())?;
        transcript.check(session.as_mut()).map_err(|error| error.to_string())?;
        drop(session);
        let games = std::mem::take(&mut transcript.games);
        if games.is_empty() {
            return Err("there is no game in this transcript".into());
        }
        let seated = |name: &str| Seated {
            name: name.into(),
            player: transcript.contestant(),
            words: String::new(),
        };
        let seating = Seating {
            opponent: seated(&transcript.opponent),
            player: Some(seated(transcript.player.as_deref().unwrap_or("the person"))),
            seat: SeatChoice::Alternate,
            seed: transcript.seed,
            reveal: true,
            width,
        };
        let mut sitting = Sitting::new(family, seating)?;
        sitting.transcript = transcript;
        sitting.script = Some(games);
        sitting.begin(0);
        Ok(sitting)
    }

    fn begin(&mut self, game: u64) {
        self.game = game;
        let person = self.person();
        let seat = self.script.is_none().then_some(person);
        self.session.begin(game, seat);
        self.ended = None;
        self.told.clear();
    }

    /// Returns the seat of the person, or of the strategy in the person's place.
    fn person(&self) -> Seat {
        if let Some(script) = &self.script {
            return script[self.game as usize].person.into();
        }
        self.seating.seat.of_game(self.game)
    }

    fn is_watched(&self) -> bool {
        self.seating.player.is_some()
    }

    fn page(&self) -> Page {
        page_of(self.seating.width)
    }

    /// Returns the names of the players, by seat.
    fn names(&self) -> BySeat<String> {
        let person = self.person();
        let [own, other] = match &self.seating.player {
            None => ["you".to_string(), "opponent".to_string()],
            Some(player) => {
                let names = [&player.name, &self.seating.opponent.name];
                let short = names.map(|name| name.chars().take(20).collect::<String>());
                match short[0] == short[1] {
                    true => [format!("{} A", short[0]), format!("{} B", short[1])],
                    false => short,
                }
            }
        };
        match person {
            Seat::First => BySeat { first: own, second: other },
            Seat::Second => BySeat { first: other, second: own },
        }
    }

    pub(crate) fn opponent(&self) -> &Seated {
        &self.seating.opponent
    }

    pub(crate) fn session(&self) -> &dyn Session {
        self.session.as_ref()
    }

    /// Returns the number of decisions of the person in this game so far.
    pub(crate) fn num_decisions(&self) -> usize {
        let person = self.person();
        self.session.actions().iter().filter(|(seat, _)| *seat == person).count()
    }

    /// Compares a decision of the person with the best one. Decisions are numbered from 0.
    pub(crate) fn judged(&self, decision: usize, limit: Limit) -> Option<Judged> {
        self.session.judged(self.person(), decision, limit)
    }

    pub(crate) fn reveal(&mut self, reveal: bool) {
        self.seating.reveal = reveal;
    }

    /// Returns the player whose turn it is.
    fn turn(&self) -> TurnOf {
        match self.session.turn() {
            _ if self.ended.is_some() => TurnOf::Nobody,
            Turn::Over(_) => TurnOf::Nobody,
            Turn::Act(seat) if seat == self.person() && !self.is_watched() => TurnOf::Person,
            Turn::Act(_) => TurnOf::Strategy,
        }
    }

    /// Returns an error unless it is the person's turn.
    fn check_turn(&self) -> Result<(), String> {
        match self.turn() {
            TurnOf::Person => Ok(()),
            TurnOf::Strategy => Err("it is not your turn".into()),
            TurnOf::Nobody => Err("the game is over".into()),
        }
    }

    /// Records the messages of an action, and the end of the game, if it has ended.
    fn note(&mut self, step: Result<Step, PlayError>) -> Result<(), String> {
        let step = step.map_err(|error| error.to_string())?;
        if self.is_watched() {
            self.told.push(format!("{}: {}", self.names()[step.seat], step.typed));
        } else if let Some(told) = &step.told[self.person()] {
            self.told.push(told.clone());
        }
        let num_told = self.told.len();
        self.told.drain(..num_told.saturating_sub(MAX_TOLD));
        if let Turn::Over(outcome) = self.session.turn() {
            let person = self.person();
            let own = if person == Seat::First { outcome } else { outcome.reversed() };
            self.sum_of_scores += own.score();
            self.write_down(Ending::of(outcome, person));
        }
        Ok(())
    }

    fn check_length(&self) -> Result<(), String> {
        match self.session.actions().len() {
            length if length < MAX_ACTIONS => Ok(()),
            _ => Err("this game has 200,000 actions, and may never end: give it up, or sit down at another".into()),
        }
    }

    /// Plays an action for the person.
    pub(crate) fn act(
        &mut self,
        act: impl FnOnce(&mut dyn Session) -> Result<Step, PlayError>,
    ) -> Result<(), String> {
        self.check_turn()?;
        self.check_length()?;
        let step = act(self.session.as_mut());
        self.note(step)
    }

    /// Lets strategies play at most `steps` actions.
    pub(crate) fn go(&mut self, steps: u32) -> Result<(), String> {
        for _ in 0..steps {
            let Turn::Act(seat) = self.session.turn() else { break };
            if self.turn() != TurnOf::Strategy {
                break;
            }
            self.check_length()?;
            let step = match &self.script {
                Some(script) => {
                    let transcript = &script[self.game as usize];
                    let done = self.session.actions().len();
                    let Some(action) = transcript.actions.get(done) else {
                        self.ended = Some(transcript.result);
                        break;
                    };
                    let (_, typed) = action.parts();
                    self.session.act(typed)
                }
                None if seat == self.person() => self.session.adviser_acts(),
                None => self.session.opponent_acts(),
            };
            self.note(step)?;
        }
        Ok(())
    }

    pub(crate) fn take_back(&mut self) -> Result<(), String> {
        if self.is_watched() {
            return Err("only a person can take an action back, and no person plays".into());
        }
        if !self.seating.reveal && !self.session.may_take_back() {
            return Err("what you have learnt since cannot be forgotten: nothing is taken back in this game, unless all is \
                        revealed"
                .into());
        }
        if self.ended.is_some() {
            return Err("the game is over, and written down".into());
        }
        if !self.session.take_back() {
            return Err("there is nothing to take back".into());
        }
        self.told.push("You take your last action back.".into());
        Ok(())
    }

    pub(crate) fn resign(&mut self) -> Result<(), String> {
        match (self.is_watched(), self.turn()) {
            (true, _) => Err("only a person can give up, and no person plays".into()),
            (false, TurnOf::Nobody) => Err("the game is over".into()),
            (false, _) => {
                self.write_down(Ending::GivenUp);
                Ok(())
            }
        }
    }

    pub(crate) fn next(&mut self) -> Result<(), String> {
        if let Some(script) = &self.script {
            if self.game as usize + 1 >= script.len() {
                return Err("this was the last game of the transcript".into());
            }
        } else if self.ended.is_none() {
            self.write_down(Ending::Unfinished);
        }
        if self.num_kept >= MAX_KEPT {
            return Err("the transcript of this table is full: save it, and sit down again".into());
        }
        self.begin(self.game + 1);
        Ok(())
    }

    fn written(&self, result: Ending) -> GameTranscript {
        let actions = self.session.actions().iter();
        let actions = actions.map(|(seat, typed)| ActionTranscript::new(*seat, typed.clone()));
        GameTranscript { person: self.person().into(), result, actions: actions.collect() }
    }

    fn write_down(&mut self, ending: Ending) {
        self.ended = Some(ending);
        if self.script.is_none() {
            let game = self.written(ending);
            self.num_kept += game.actions.len() + 1;
            self.transcript.games.push(game);
        }
        self.score.add(ending);
    }

    /// Returns the transcript of all games at this table. The game in progress counts as abandoned.
    pub(crate) fn transcript(&self) -> String {
        if let Some(script) = &self.script {
            return Transcript { games: script.clone(), ..self.transcript.clone() }.to_yaml();
        }
        let mut transcript = self.transcript.clone();
        if self.ended.is_none() {
            transcript.games.push(self.written(Ending::Unfinished));
        }
        transcript.to_yaml()
    }

    /// Returns the rules, one paragraph per line.
    pub(crate) fn rules(&self) -> String {
        self.session.rules()
    }

    fn ending(&self) -> Option<Value> {
        let result = self.ended?;
        let names = self.seating.player.as_ref().map(|_| self.names());
        let words = match (&names, result) {
            (None, Ending::Win) => "You win.".into(),
            (None, Ending::Loss) => "You lose.".into(),
            (None, Ending::GivenUp) => "You give up, and lose.".into(),
            (_, Ending::Draw) => "The game is a draw.".into(),
            (Some(names), Ending::Win) => format!("{} wins.", names[self.person()]),
            (Some(names), Ending::Loss) => format!("{} wins.", names[self.person().other()]),
            (Some(names), Ending::GivenUp) => format!("{} gives up.", names[self.person()]),
            (_, Ending::Unfinished) => "The game was left there.".into(),
        };
        Some(json!({ "result": result, "words": words }))
    }

    /// Returns the state of the table as the person sees it, with each message only once.
    pub(crate) fn view(&mut self) -> Value {
        let (person, page, turn) = (self.person(), self.page(), self.turn());
        let names = self.names();
        let names = BySeat { first: names.first.as_str(), second: names.second.as_str() };
        let (is_watched, session) = (self.is_watched(), &self.session);
        let hides = session.hides();
        let is_shown = is_watched || hides && (self.seating.reveal || turn == TurnOf::Nobody);
        let is_own_turn = turn == TurnOf::Person;
        let choices = if is_own_turn { session.choices() } else { Vec::new() };
        let choices =
            choices.iter().map(|(typed, meaning)| json!({ "typed": typed, "meaning": meaning }));
        let allowed = if is_own_turn { session.allowed() } else { Allowed::default() };
        let may_take_back =
            !is_watched && self.ended.is_none() && (self.seating.reveal || session.may_take_back());
        json!({
            "family": self.family.name(),
            "seed": self.seating.seed,
            // From 1.
            "game": self.game + 1,
            // The seat of the person, or of the strategy in the person's place.
            "seat": SeatName::from(person),
            "is_watched": is_watched,
            "turn": turn,
            "view": if is_watched { String::new() } else { session.view(person, page) },
            "drawing": if is_watched { None } else { session.drawing(person) },
            // The whole state, if hidden information is revealed.
            "everything": is_shown.then(|| session.everything(names, page)),
            "whole": if is_shown { session.whole_drawing(names) } else { None },
            "prompt": if is_own_turn { session.prompt() } else { String::new() },
            "choices": choices.collect::<Vec<_>>(),
            // Inputs to offer: all legal actions if `lists_all` is set, otherwise some.
            "actions": allowed.actions.iter().map(|(typed, _)| typed).collect::<Vec<_>>(),
            "lists_all": allowed.is_complete,
            // A regular expression for the possible inputs.
            "grammar": allowed.grammar,
            // The messages to the person since the last answer.
            "told": std::mem::take(&mut self.told),
            "num_actions": session.actions().len(),
            "hides": hides,
            "may_take_back": may_take_back,
            "ending": self.ending(),
            "score": score_json(self.score, self.sum_of_scores, self.family.info().units),
        })
    }
}
