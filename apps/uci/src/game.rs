//! One game of chess between two engines.

use cozy_chess::util::{display_uci_move, parse_uci_move};
use cozy_chess::{BitBoard, Board, Color, GameStatus, Move, Piece};

use crate::engine::{Engine, EngineError, Limit};
use crate::openings::Opening;

/// The number of moves of each side for which both engines must agree that one side wins.
const MOVES_TO_RESIGN: usize = 4;
/// The number of moves of each side for which both engines must agree that the game is a draw.
const MOVES_TO_DRAW: usize = 8;
/// The number of the last move after which no draw is agreed.
const EARLY_MOVES: u16 = 40;

/// The rules by which games end before they are decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub struct Rules {
    /// The number of plies after the opening at which a game is a draw.
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub max_plies: usize,
    /// A game is won if both engines agree for four moves that a side is ahead by so much, for example 600. Off by
    /// default, because settings may change the scale of scores.
    #[arg(long, value_name = "CENTIPAWNS", value_parser = clap::value_parser!(u32).range(1..))]
    pub resign: Option<u32>,
    /// After move 40, a game is a draw if both engines agree for eight moves that no side is ahead by more, for example
    /// 10. Off by default.
    #[arg(long, value_name = "CENTIPAWNS")]
    pub draw: Option<u32>,
}

/// The end of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// A side has won.
    Won(Color),
    /// The game is a draw.
    Drawn,
}

impl Ending {
    /// Returns the payoff to a side: 1, 0.5 or 0.
    pub fn payoff(self, side: Color) -> f64 {
        match self {
            Ending::Won(winner) if winner == side => 1.0,
            Ending::Won(_) => 0.0,
            Ending::Drawn => 0.5,
        }
    }
}

/// The error of a game.
#[derive(Debug, thiserror::Error)]
#[error("{problem}; position {fen}")]
pub struct GameError {
    /// The side whose engine failed.
    pub side: Color,
    /// The position in which the engine failed.
    pub fen: String,
    /// The problem of the engine.
    pub problem: EngineError,
}

/// The course of a game.
#[derive(Debug, Clone)]
pub struct Course {
    /// All positions, the last one being the present one.
    boards: Vec<Board>,
    /// The position as in the command `position` of engines.
    command: String,
    /// The scores of the moves after the opening, in hundredths of a pawn for White.
    scores: Vec<Option<i32>>,
}

/// Checks whether neither side can ever mate: bare kings, one knight, or bishops of one colour of squares.
fn is_insufficient(board: &Board) -> bool {
    let bishops = board.pieces(Piece::Bishop);
    let knights = board.pieces(Piece::Knight);
    let others = board.occupied() - board.pieces(Piece::King) - bishops - knights;
    let one_colour = [BitBoard::DARK_SQUARES, BitBoard::LIGHT_SQUARES]
        .iter()
        .any(|squares| bishops.is_subset(*squares));
    others.is_empty()
        && match knights.len() {
            0 => one_colour,
            1 => bishops.is_empty(),
            _ => false,
        }
}

impl Course {
    /// Begins a game with an opening.
    pub fn new(opening: &Opening) -> Course {
        let start = match opening.start == Board::default() {
            true => "startpos".to_string(),
            false => format!("fen {}", opening.start),
        };
        let command = start + " moves";
        let mut course =
            Course { boards: vec![opening.start.clone()], command, scores: Vec::new() };
        opening.moves.iter().for_each(|&next| course.advance(next));
        course
    }

    fn advance(&mut self, next: Move) {
        let mut board = self.board().clone();
        self.command += &format!(" {}", display_uci_move(&board, next));
        board.play(next);
        self.boards.push(board);
    }

    /// Returns the present position.
    pub fn board(&self) -> &Board {
        self.boards.last().expect("there is always a position")
    }

    /// Plays a move, with its score in hundredths of a pawn for the side that moves.
    ///
    /// # Errors
    ///
    /// Returns an error if the move is illegal.
    pub fn play(&mut self, text: &str, score: Option<i32>) -> Result<(), EngineError> {
        let next = parse_uci_move(self.board(), text).ok();
        let next = next.filter(|next| self.board().is_legal(*next));
        let next = next.ok_or_else(|| EngineError::IllegalMove(text.into()))?;
        let sign = if self.board().side_to_move() == Color::White { 1 } else { -1 };
        self.scores.push(score.map(|score| sign * score));
        self.advance(next);
        Ok(())
    }

    /// Returns the end of the game, or `None` if it goes on.
    pub fn ending(&self, rules: &Rules) -> Option<Ending> {
        let board = self.board();
        match board.status() {
            GameStatus::Won => return Some(Ending::Won(!board.side_to_move())),
            GameStatus::Drawn => return Some(Ending::Drawn),
            GameStatus::Ongoing => {}
        }
        // A position cannot occur again after a capture or a move of a pawn.
        let reversible = usize::from(board.halfmove_clock()) + 1;
        let same = self.boards.iter().rev().take(reversible);
        let is_repeated = same.filter(|before| board.same_position(before)).count() >= 3;
        if is_repeated || is_insufficient(board) || self.scores.len() >= rules.max_plies {
            return Some(Ending::Drawn);
        }
        self.agreed(rules)
    }

    /// Returns the end on which both engines agree, if they do.
    fn agreed(&self, rules: &Rules) -> Option<Ending> {
        let last = |moves: usize, holds: &dyn Fn(i64) -> bool| {
            let scores = self.scores.iter().rev().take(2 * moves);
            self.scores.len() >= 2 * moves
                && scores.copied().all(|score| score.is_some_and(|score| holds(score.into())))
        };
        if let Some(least) = rules.resign.map(i64::from) {
            if last(MOVES_TO_RESIGN, &|score| score >= least) {
                return Some(Ending::Won(Color::White));
            }
            if last(MOVES_TO_RESIGN, &|score| score <= -least) {
                return Some(Ending::Won(Color::Black));
            }
        }
        let most = rules.draw.map(i64::from)?;
        let is_late = self.board().fullmove_number() > EARLY_MOVES;
        let is_drawn = is_late && last(MOVES_TO_DRAW, &|score| score.abs() <= most);
        is_drawn.then_some(Ending::Drawn)
    }
}

/// Lets two engines, which have their options, play a game.
///
/// # Errors
///
/// Returns an error if an engine fails: it ends, is late, or names an illegal move.
pub fn play(
    [white, black]: [&mut Engine; 2],
    opening: &Opening,
    rules: &Rules,
    limit: Limit,
) -> Result<Ending, GameError> {
    let mut course = Course::new(opening);
    let failed = |course: &Course, side, problem| GameError {
        side,
        fen: course.board().to_string(),
        problem,
    };
    white.new_game().map_err(|problem| failed(&course, Color::White, problem))?;
    black.new_game().map_err(|problem| failed(&course, Color::Black, problem))?;
    loop {
        if let Some(ending) = course.ending(rules) {
            return Ok(ending);
        }
        let side = course.board().side_to_move();
        let engine = if side == Color::White { &mut *white } else { &mut *black };
        let answer = engine.think(&course.command, limit);
        answer
            .and_then(|answer| course.play(&answer.best_move, answer.score))
            .map_err(|problem| failed(&course, side, problem))?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules = Rules { max_plies: 400, resign: None, draw: None };

    fn course(fen: &str) -> Course {
        Course::new(&Opening { start: fen.parse().expect("a position"), moves: Vec::new() })
    }

    fn start() -> Course {
        course("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    }

    /// Plays moves. Only the last move may end the game.
    fn played(mut course: Course, rules: &Rules, moves: &str, score: [i32; 2]) -> Option<Ending> {
        for (index, text) in moves.split_whitespace().enumerate() {
            assert_eq!(course.ending(rules), None, "before {text}");
            course.play(text, Some(score[index % 2])).expect("legal");
        }
        course.ending(rules)
    }

    #[test]
    fn a_mate_pays_the_winner() {
        // The fool's mate.
        let end = played(start(), &RULES, "f2f3 e7e5 g2g4 d8h4", [0, 0]).expect("mate");
        assert_eq!(end, Ending::Won(Color::Black));
        assert_eq!((end.payoff(Color::White), end.payoff(Color::Black)), (0.0, 1.0));
        let stalemate = course("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1").ending(&RULES);
        assert_eq!(stalemate.map(|end| end.payoff(Color::Black)), Some(0.5));
    }

    #[test]
    fn positions_repeat() {
        let back_and_forth = "g1f3 g8f6 f3g1 f6g8 ".repeat(2);
        assert_eq!(played(start(), &RULES, &back_and_forth, [0, 0]), Some(Ending::Drawn));
        let not_yet = back_and_forth.trim_end().rsplit_once(' ').expect("moves").0;
        assert_eq!(played(start(), &RULES, not_yet, [0, 0]), None);
        // The rights to castle make the first two positions others.
        let kings = "e1e2 e8e7 e2e1 e7e8 ".repeat(2);
        let open = || course("r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 0 1");
        assert_eq!(played(open(), &RULES, &kings, [0, 0]), None);
        let further = kings + "e1e2 e8e7";
        assert_eq!(played(open(), &RULES, &further, [0, 0]), Some(Ending::Drawn));
    }

    #[test]
    fn fifty_moves_and_the_cap_are_draws() {
        let rooks = |clock| course(&format!("4k3/r7/8/8/8/8/7R/4K3 w - - {clock} 80"));
        assert_eq!(played(rooks(98), &RULES, "h2h3", [0, 0]), None);
        assert_eq!(played(rooks(98), &RULES, "h2h3 a7a6", [0, 0]), Some(Ending::Drawn));
        // A mate with the hundredth ply wins.
        let mate = course("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 99 80");
        assert_eq!(played(mate, &RULES, "a1a8", [0, 0]), Some(Ending::Won(Color::White)));
        let short = Rules { max_plies: 2, ..RULES };
        assert_eq!(played(start(), &short, "e2e4 e7e5", [0, 0]), Some(Ending::Drawn));
    }

    #[test]
    fn material_may_be_insufficient() {
        for (pieces, is_drawn) in [
            ("4k3/8/8/8/8/8/8/4K3", true),
            ("4k3/8/8/8/8/8/8/4KN2", true),
            ("4kb2/8/8/8/8/8/8/4K3", true),
            // f8 and c1 are dark, f1 is light.
            ("4kb2/8/8/8/8/8/8/2B1K3", true),
            ("4kb2/8/8/8/8/8/8/4KB2", false),
            ("4kn2/8/8/8/8/8/8/4KN2", false),
            ("4kb2/8/8/8/8/8/8/4KN2", false),
            ("4k3/8/8/8/8/8/4P3/4K3", false),
            ("4k3/8/8/8/8/8/8/4KR2", false),
        ] {
            let ending = course(&format!("{pieces} w - - 0 1")).ending(&RULES);
            assert_eq!(ending, is_drawn.then_some(Ending::Drawn), "{pieces}");
        }
    }

    #[test]
    fn illegal_moves_are_refused() {
        for text in ["e2e5", "e7e5", "e1g1", "e2e4q", "hello", ""] {
            assert!(start().play(text, None).is_err(), "{text}");
        }
        // Castling is written as a move of the king.
        let mut castles = course("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
        castles.play("e1g1", None).expect("legal");
        castles.play("e8c8", None).expect("legal");
        assert_eq!(castles.board().to_string(), "2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2");
        assert_eq!(castles.command, "fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1g1 e8c8");
    }

    #[test]
    fn engines_agree_on_the_end() {
        let rules = Rules { resign: Some(600), draw: Some(10), ..RULES };
        let waiting = "e2e4 a7a6 d2d4 b7b6 c2c4 c7c6 f2f4 d7d6";
        let winning = |score| played(start(), &rules, waiting, score);
        assert_eq!(winning([600, -600]), Some(Ending::Won(Color::White)));
        assert_eq!(winning([-700, 900]), Some(Ending::Won(Color::Black)));
        assert_eq!(winning([900, -500]), None);
        assert_eq!(played(start(), &RULES, waiting, [900, -900]), None);
        let late = |first: u16| {
            let fen = format!("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 {first}");
            let kings =
                "e1e2 e8e7 e2e3 e7e6 e3e4 e6d6 e4d4 d6e6 d4c4 e6d6 c4b4 d6c6 b4a4 c6b6 a4b4";
            played(course(&fen), &rules, &format!("{kings} b6c6"), [10, -10])
        };
        assert_eq!(late(33), Some(Ending::Drawn));
        assert_eq!(late(32), None);
    }
}
