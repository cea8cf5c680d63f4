//! Games that one seat tells.

use rand::Rng;
use ruse_games::{Agrees, Board, Course, Game, Grammar, RetellError, Seat, Turn, Untold};
use ruse_strategies::Family;

use super::sitter::Sitter;
use super::{BoardSession, Players, Session};

/// Facts that a seat told beyond its views, and those it left out.
pub(super) struct Retold<G: Game> {
    pub(super) untold: Option<Untold<G>>,
    pub(super) agrees: Option<Agrees<G>>,
}

/// Says how a game is told whose moves are all seen, with the first two of some game as an example.
pub(super) fn grammar_of_moves<G: Game>(
    game: &G,
    board: &dyn Board<G>,
    mut rng: &mut dyn Rng,
) -> Grammar {
    const NUM_SHOWN: usize = 2;
    let mut course = Course::<G>::new(Seat::First, game.deal(&mut rng));
    let mut example = Vec::new();
    while let (Turn::Act(seat), true) = (game.turn(&course.now), example.len() < NUM_SHOWN) {
        let action = board.any_action(&game.view(&course.now, seat), rng);
        example.push(board.write(&action));
        if course.act(game, seat, action, &mut rng).is_err() {
            break;
        }
    }
    let first = example.first().cloned().unwrap_or_default();
    let example = example.join("; ");
    Grammar {
        how: format!(
            "Tell the moves of both players in turn from the start, with a semicolon between them, as in {example}."
        ),
        example,
        prompt: format!("the next move, such as {first}"),
    }
}

impl<F: Family> BoardSession<F> {
    /// Plays a game that `seat` tells, and asks its adviser.
    pub(super) fn follow(
        &mut self,
        course: Course<F::Game>,
        seat: Option<Seat>,
    ) -> Result<Seat, RetellError> {
        let Course { teller, past, now, untold, agrees } = course;
        match self.family.game().turn(&now) {
            Turn::Over(_) => return Err(RetellError::GameOver),
            Turn::Act(mover) if mover != seat.unwrap_or(teller) => {
                return Err(RetellError::OpponentsTurn);
            }
            Turn::Act(_) => (),
        }
        let key = self.game_key();
        self.begin(self.game_index, None);
        self.players = Some(Players {
            person: teller,
            opponent: Sitter::new(&*self.family, &self.opponent, key, teller.other(), &self.wish),
            adviser: Sitter::new(&*self.family, self.adviser(), key, teller, &self.wish),
            advice: None,
        });
        for decided in past {
            self.state = decided.state.clone();
            self.ask_adviser();
            let typed = self.board().write(&decided.action);
            self.actions.push((decided.seat, typed));
            self.own_actions[decided.seat].push(decided.action.clone());
            self.past.push(decided);
        }
        self.state = now;
        self.retold = Some(Retold { untold, agrees });
        self.ask_adviser();
        Ok(teller)
    }

    /// The game of the moves of both players, where these are all there is to know.
    pub(super) fn course_of_moves(&mut self, text: &str) -> Result<Course<F::Game>, RetellError> {
        let typed = text.split([';', '\n']).map(str::trim).filter(|typed| !typed.is_empty());
        for (number, typed) in (1..).zip(typed) {
            self.act(typed).map_err(|error| RetellError::Impossible {
                number,
                item: typed.into(),
                problem: error.to_string(),
            })?;
        }
        let Turn::Act(teller) = self.turn() else { return Err(RetellError::GameOver) };
        let past = std::mem::take(&mut self.past);
        Ok(Course { past, ..Course::new(teller, self.state.clone()) })
    }

    /// The moves so far.
    pub(super) fn moves(&self) -> String {
        let moves: Vec<&str> = self.actions.iter().map(|(_, typed)| typed.as_str()).collect();
        moves.join("; ")
    }
}
