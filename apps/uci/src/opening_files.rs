//! Files of openings: positions in EPD and FEN, and games in PGN (Edwards, *Portable Game Notation: specification and
//! implementation guide*, 1994).

use std::path::Path;

use cozy_chess::util::parse_san_move;
use cozy_chess::{Board, Color, FenParseError, File, GameStatus};

use crate::openings::{Opening, Openings};

/// The error of a file of openings.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum OpeningError {
    /// A position is invalid.
    #[error("line {line}: `{text}` is not a position: {problem}")]
    Position {
        /// The number of the line, from 1.
        line: usize,
        /// The text of the position.
        text: String,
        /// The problem.
        problem: FenParseError,
    },
    /// A move is illegal, ambiguous or unreadable.
    #[error("line {line}: `{text}` is not a legal move in {fen}")]
    Move {
        /// The number of the line, from 1.
        line: usize,
        /// The text of the move.
        text: String,
        /// The position before the move.
        fen: String,
    },
    /// The game is over after an opening.
    #[error("line {line}: the game is over after this opening; shorten it with --opening-plies")]
    Over {
        /// The number of the last line of the opening, from 1.
        line: usize,
    },
    /// A comment does not end.
    #[error("line {line}: the comment that begins here does not end")]
    Comment {
        /// The number of the line, from 1.
        line: usize,
    },
    /// The file has no openings.
    #[error("the file has no openings")]
    Empty,
}

/// Reads the text of a file: the first `max_plies` plies of games in PGN if the name of the file ends in `.pgn`, otherwise
/// positions in EPD or FEN, one a line.
///
/// # Errors
///
/// Returns an error with the number of the first line that is wrong.
pub fn read(path: &Path, text: &str, max_plies: usize) -> Result<Openings, OpeningError> {
    let is_pgn = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"));
    let list = if is_pgn { games(text, max_plies)? } else { positions(text)? };
    if list.is_empty() { Err(OpeningError::Empty) } else { Ok(Openings::Listed(list)) }
}

/// Reads a position: the four fields of EPD, followed by two numbers as in FEN, or by operations, which are ignored.
fn board(text: &str) -> Result<Board, FenParseError> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let is_number = |field: Option<&&str>| field.is_some_and(|field| field.parse::<u16>().is_ok());
    let clocks = match is_number(fields.get(4)) && is_number(fields.get(5)) {
        true => fields[4..6].join(" "),
        false => "0 1".into(),
    };
    let fen = format!("{} {clocks}", fields[..fields.len().min(4)].join(" "));
    let board = Board::from_fen(&fen, false)?;
    let castles_elsewhere = |side: Color| {
        let rights = board.castle_rights(side);
        (rights.short.is_some() || rights.long.is_some()) && board.king(side).file() != File::E
    };
    match Color::ALL.iter().any(|&side| castles_elsewhere(side)) {
        true => Err(FenParseError::InvalidCastlingRights),
        false => Ok(board),
    }
}

/// Reads the position in this line of a file.
fn position(text: &str, line: usize) -> Result<Board, OpeningError> {
    board(text).map_err(|problem| OpeningError::Position { line, text: text.into(), problem })
}

/// Reads positions, one a line. Empty lines and lines that begin with `#` are skipped.
fn positions(text: &str) -> Result<Vec<Opening>, OpeningError> {
    let lines = text.lines().map(str::trim).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let read = |(index, text): (usize, &str)| {
        let line = index + 1;
        let start = position(text, line)?;
        match start.status() {
            GameStatus::Ongoing => Ok(Opening { start, moves: Vec::new() }),
            _ => Err(OpeningError::Over { line }),
        }
    };
    lines.map(read).collect()
}

/// The game that is being read.
struct Reader {
    max_plies: usize,
    found: Vec<Opening>,
    opening: Opening,
    /// The position after the opening.
    board: Board,
    line: usize,
    /// The line of the last move or position of the opening.
    last_line: usize,
    /// The number of open parentheses, within which moves are variations.
    depth: usize,
}

impl Reader {
    fn begin(&mut self, start: Board) {
        self.board = start.clone();
        self.opening = Opening { start, moves: Vec::new() };
        self.last_line = self.line;
    }

    /// Ends a game. A game without moves from the initial position is not an opening.
    fn finish(&mut self) -> Result<(), OpeningError> {
        if self.board != Board::default() {
            if self.board.status() != GameStatus::Ongoing {
                return Err(OpeningError::Over { line: self.last_line });
            }
            self.found.push(self.opening.clone());
        }
        self.depth = 0;
        self.begin(Board::default());
        Ok(())
    }

    /// Reads a line such as `[FEN "..."]`.
    fn tag(&mut self, text: &str) -> Result<(), OpeningError> {
        // The game before may have no result.
        if !self.opening.moves.is_empty() {
            self.finish()?;
        }
        let value = text.strip_prefix("[FEN ").and_then(|rest| rest.split('"').nth(1));
        if let Some(text) = value {
            self.begin(position(text, self.line)?);
        }
        Ok(())
    }

    /// Reads a word: a move, the number of a move, an annotation or the result.
    fn word(&mut self, word: &str) -> Result<(), OpeningError> {
        if ["1-0", "0-1", "1/2-1/2", "*"].contains(&word) && self.depth == 0 {
            return self.finish();
        }
        let text = word.trim_end_matches(['!', '?']);
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        let is_beyond = self.opening.moves.len() >= self.max_plies;
        if is_number || is_beyond || self.depth > 0 || text.starts_with('$') {
            return Ok(());
        }
        // Some programs write castling with zeros.
        let text = if text.starts_with("0-0") { text.replace('0', "O") } else { text.into() };
        let next = parse_san_move(&self.board, &text).map_err(|_| OpeningError::Move {
            line: self.line,
            text: word.into(),
            fen: self.board.to_string(),
        })?;
        self.board.play(next);
        self.opening.moves.push(next);
        self.last_line = self.line;
        Ok(())
    }
}

/// Reads the first `max_plies` plies of each game. Comments, variations and annotations are skipped.
fn games(text: &str, max_plies: usize) -> Result<Vec<Opening>, OpeningError> {
    let opening = Opening { start: Board::default(), moves: Vec::new() };
    let (found, board) = (Vec::new(), Board::default());
    let mut reader = Reader { max_plies, found, opening, board, line: 1, last_line: 1, depth: 0 };
    // The line at which an open comment begins.
    let mut comment = None;
    for (index, line) in text.lines().enumerate() {
        reader.line = index + 1;
        if comment.is_none() && line.starts_with('%') {
            continue;
        }
        if comment.is_none() && line.trim_start().starts_with('[') {
            reader.tag(line.trim_start())?;
            continue;
        }
        let mut word = String::new();
        for char in line.chars().chain([' ']) {
            if comment.is_some() {
                if char == '}' {
                    comment = None;
                }
                continue;
            }
            if !char.is_whitespace() && !".{};()".contains(char) {
                word.push(char);
                continue;
            }
            reader.word(&std::mem::take(&mut word))?;
            match char {
                '{' => comment = Some(reader.line),
                ';' => break,
                '(' => reader.depth += 1,
                ')' => reader.depth = reader.depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    if let Some(line) = comment {
        return Err(OpeningError::Comment { line });
    }
    reader.finish()?;
    Ok(reader.found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: &str = r#"% a line that is escaped
[Event "One"]
[Result "1-0"]

1. e4! {the best, they say: 1. d4
[not a tag]} e5 $1 2.Nf3 (2. f4 exf4 (2... d5) 3. Nf3) 2... Nc6 ; to the end { of the line
3. Bb5 a6 4. O-O 1-0

[Event "Without a result"]
1.d4 d5

[Event "From a position"]
[FEN "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"]
1. 0-0-0+ O-O?! 1/2-1/2
[Event "Empty"]
*
"#;

    fn moves(opening: &Opening) -> String {
        opening.moves.iter().map(|next| next.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_and_variations_are_skipped() {
        let found: Vec<String> = games(GAMES, 5).expect("valid").iter().map(moves).collect();
        // Castling is the move of the king to its rook.
        assert_eq!(found, ["e2e4 e7e5 g1f3 b8c6 f1b5", "d2d4 d7d5", "e1a1 e8h8"]);
        let short = games(GAMES, 1).expect("valid");
        assert_eq!(short.iter().map(moves).collect::<Vec<_>>(), ["e2e4", "d2d4", "e1a1"]);
    }

    #[test]
    fn errors_name_the_line() {
        let problem = |text| games(text, 8).expect_err(text).to_string();
        let error = problem("[Event \"x\"]\n\n1. e4 e5\n2. Ke3 *");
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2";
        assert_eq!(error, format!("line 4: `Ke3` is not a legal move in {fen}"));
        assert!(problem("1. e4 e5\n{ open\n").starts_with("line 2: the comment"));
        assert!(problem("\n[FEN \"x\"]\n*").starts_with("line 2: `x` is not a position"));
        assert!(problem("1. f3 e5\n2. g4 Qh4#\n\n0-1").starts_with("line 2: the game is over"));
    }

    #[test]
    fn positions_are_read_from_lines() {
        let text = "# EPD and FEN\n\
            rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - id \"e4\"; c0 \"x\";\n\n\
            rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1\n";
        let read = |text: &str| super::read(Path::new("x.epd"), text, 16);
        let openings = read(text).expect("valid");
        let Openings::Listed(list) = &openings else { panic!("a list") };
        assert_eq!(list.len(), 2);
        let first = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        assert_eq!(list[0].start.to_string(), first);
        assert_eq!([7, 8, 9].map(|deal| openings.of_deal(deal) == list[0]), [false, true, false]);
        for (line, part) in [
            ("8/8/8/8 w - -", "is not a position"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "is not a position"),
            ("8/8/8/4k3/8/8/8/R3K2R w kq - 0 1", "castling"),
            ("4k3/8/8/8/8/8/8/5K1R w K - 0 1", "castling"),
            ("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", "the game is over"),
        ] {
            let error = read(&format!("# x\n{line}\n")).expect_err(line).to_string();
            assert!(error.starts_with("line 2: ") && error.contains(part), "{error}");
        }
        assert!(matches!(read("# x\n"), Err(OpeningError::Empty)));
    }
}
