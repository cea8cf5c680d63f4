//! The thread that plays one match: it reads the rules, follows the match, and thinks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rand::RngExt;
use ruse_base::rng::{Stream, StreamKey};
use ruse_base::stop::StopRequest;
use ruse_games::rule_file::{Follower, RoleMove, RuleFile};
use ruse_play::family::{AnyFamily, AnyPlayers, Player};
use ruse_search::{AnyMemory, AnyStrategy};
use ruse_strategies::AnyPlayer;

use super::message::{News, Spelling};

/// A question about the match.
pub(super) enum Ask {
    /// Asks for the move after the last step.
    Move {
        /// The last step; `Err` says why the message was not understood.
        news: Result<News, String>,
        /// The canonical text of the last answer in this match.
        last: Option<String>,
        /// The time at which the thinking ends.
        until: Instant,
        answers: Sender<Answer>,
    },
    /// Says that the match is over, and asks for the goal.
    End { news: News, last: Option<String>, goal: Sender<Option<u8>> },
}

/// An answer to a question, in the spelling of the rules.
pub(super) enum Answer {
    /// A legal move, for the case that the thinking takes too long.
    Legal(String),
    /// The move.
    Move(String),
    /// A legal move after the last step that was understood, and what is wrong with the message.
    Unclear(String, String),
    /// The reason for a missing move.
    Problem(String),
}

/// The end of the thinking, which the search polls.
#[derive(Clone)]
struct Alarm {
    until: Arc<Mutex<Instant>>,
    is_abandoned: Arc<AtomicBool>,
}

impl Alarm {
    fn set(&self, until: Instant) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    fn request(&self) -> StopRequest {
        let alarm = self.clone();
        StopRequest::new(move || {
            let until = *alarm.until.lock().unwrap_or_else(PoisonError::into_inner);
            alarm.is_abandoned.load(Ordering::Relaxed) || Instant::now() >= until
        })
    }
}

/// A match in progress, from the side of one role.
pub(super) struct Thinker {
    follower: Follower,
    strategy: Arc<dyn AnyStrategy<RuleFile>>,
    memory: AnyMemory,
    spelling: Spelling,
    rng: Stream,
    alarm: Alarm,
}

impl Thinker {
    /// Prepares to play `role` of a family from a rule file, with the player of this name.
    ///
    /// # Errors
    ///
    /// Returns a message if there is no such role, or if the player does not play the game.
    pub(super) fn new(
        family: &dyn AnyFamily,
        role: &str,
        player: &str,
        key: StreamKey,
        is_abandoned: Arc<AtomicBool>,
    ) -> Result<Thinker, String> {
        let game = family.rule_file().ok_or("the rules are not rules of a game")?;
        let no_role = || format!("the rules have no role `{role}` that a player can take");
        let follower = Follower::new(game, role).ok_or_else(no_role)?;
        let home = family
            .capabilities()
            .players
            .and_then(AnyPlayers::home)
            .ok_or("the game has no players")?;
        let lent = (home.lend)(&Player::Named(player.into())).map_err(|error| error.to_string())?;
        let strategy = match lent.downcast().map(|player| *player) {
            Ok(AnyPlayer::<RuleFile>::Fixed(strategy)) => strategy,
            _ => return Err(format!("`{player}` does not play single matches")),
        };
        let alarm = Alarm { until: Arc::new(Mutex::new(Instant::now())), is_abandoned };
        let mut memory = AnyMemory::heeding(&alarm.request());
        strategy.begin_any(&mut memory, follower.seat());
        let spelling = Spelling::of(&String::from_utf8_lossy(game.text()));
        Ok(Thinker { follower, strategy, memory, spelling, rng: key.stream(), alarm })
    }

    /// Answers questions until the match is dropped.
    pub(super) fn run(mut self, asks: &Receiver<Ask>) {
        while let Ok(ask) = asks.recv() {
            match ask {
                Ask::Move { news, last, until, answers } => {
                    self.alarm.set(until);
                    let learned = news.and_then(|news| self.learn(&news, last.as_deref()));
                    let answer = self.answer(learned.err(), &answers);
                    let answer = answer.unwrap_or_else(Answer::Problem);
                    // After the clock, the answer is not awaited.
                    let _ = answers.send(answer);
                }
                Ask::End { news, last, goal } => {
                    let is_told = self.learn(&news, last.as_deref()).is_ok();
                    let _ = goal.send(self.follower.goal().filter(|_| is_told));
                }
            }
        }
    }

    /// Adds the last step, unless it was added before. `last` is the last answer, the role's move in messages that do
    /// not name it.
    fn learn(&mut self, news: &News, last: Option<&str>) -> Result<(), String> {
        let steps = self.follower.num_steps();
        let added = match (news, self.follower.sees_all()) {
            (News::Nothing, true) | (News::Percepts { step: None, .. }, _) if steps > 0 => {
                return Err(format!("the last step is missing: the match has {steps} steps"));
            }
            (News::Nothing, true) => return Ok(()),
            (News::Terms(moves), true) => self.follower.add_moves(moves),
            (News::Nothing | News::Terms(_), false) => match (news, last) {
                (News::Terms(percepts), Some(own)) => self.follower.add_percepts(own, percepts),
                // After a move, NIL is the empty list.
                (_, Some(own)) => self.follower.add_percepts::<String>(own, &[]),
                (News::Nothing, None) => return Ok(()),
                _ => return Err("there are percepts before the first move".into()),
            },
            (News::Percepts { turn, step: None }, false) if *turn == 0 => return Ok(()),
            (News::Percepts { turn, step: Some(_) }, false) if *turn == steps => return Ok(()),
            (News::Percepts { turn, step: Some((own, percepts)) }, false) if *turn == steps + 1 => {
                self.follower.add_percepts(own, percepts)
            }
            (News::Percepts { turn, .. }, false) => {
                return Err(format!("the turn is {turn}, and must be {}", steps + 1));
            }
            (News::Percepts { .. }, true) => {
                return Err("the rules have no percepts: expected (play MATCH (MOVE...))".into());
            }
        };
        added.map_err(|error| error.to_string())
    }

    /// Returns a move, which is random if something is `wrong` with the message.
    fn answer(&mut self, wrong: Option<String>, sender: &Sender<Answer>) -> Result<Answer, String> {
        self.follower.find_legal(&mut self.rng).map_err(|error| error.to_string())?;
        let Thinker { follower, strategy, memory, spelling, rng, .. } = self;
        let view = follower.view();
        let (rules, role, legal) = (view.rules(), view.role(), view.legal());
        let drawn =
            if legal.len() == 1 { legal[0] } else { legal[rng.random_range(0..legal.len())] };
        let text = |action| spelling.spell(rules.move_text(role, action));
        if let Some(wrong) = wrong {
            return Ok(Answer::Unclear(text(drawn), wrong));
        }
        if legal.len() == 1 {
            return Ok(Answer::Move(text(drawn)));
        }
        let _ = sender.send(Answer::Legal(text(drawn)));
        let mut action = RoleMove { role, action: drawn };
        strategy.act_any(memory, view, rng, &mut action);
        Ok(Answer::Move(text(action.action)))
    }
}
