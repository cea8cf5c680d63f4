//! A small chess engine that speaks UCI, to try `ruse-uci` without another engine: alpha-beta on material and mobility.
//!
//! With `--fault NAME` it misbehaves, for tests: `mute` does not answer `uci`, `stale` ignores options after its first
//! move, and `hang`, `die`, `illegal`, `none` and `babble` fail at the tenth move of a process.

use std::io::{self, BufRead, Write};

use cozy_chess::util::{display_uci_move, parse_uci_move};
use cozy_chess::{Board, Color, GameStatus, Move, Piece, Rank};

/// The options that are whole numbers: name, default, least and largest value.
const SPINS: [(&str, i32, i32, i32); 8] = [
    ("PawnValue", 100, 0, 1000),
    ("KnightValue", 300, 0, 1000),
    ("BishopValue", 320, 0, 1000),
    ("RookValue", 500, 0, 1500),
    ("QueenValue", 900, 0, 2000),
    ("Mobility", 4, -20, 40),
    ("PawnAdvance", 6, -20, 40),
    ("TempoBonus", 10, -100, 100),
];
const PIECES: [Piece; 5] = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];
const MOBILITY: usize = 5;
const ADVANCE: usize = 6;
const TEMPO: usize = 7;
/// The score of a mate at the root, in hundredths of a pawn.
const MATE: i32 = 30_000;
/// The number of the move at which a faulty engine fails.
const FAILING_MOVE: usize = 10;

struct Engine {
    values: [i32; SPINS.len()],
    /// Whether captures are searched beyond the depth.
    quiescence: bool,
    /// Whether captures are searched before other moves.
    captures_first: bool,
    nodes_left: u64,
}

impl Engine {
    /// Returns the score of a side without the other side's, in hundredths of a pawn.
    fn side(&self, board: &Board, side: Color) -> i32 {
        let pieces = PIECES.iter().zip(self.values);
        let material: i32 = pieces
            .map(|(&piece, value)| board.colored_pieces(side, piece).len() as i32 * value)
            .sum();
        let first = Rank::First.relative_to(side) as i32;
        let pawns = board.colored_pieces(side, Piece::Pawn).into_iter();
        let advance: i32 = pawns.map(|pawn| (pawn.rank() as i32 - first).abs() - 1).sum();
        material + advance * self.values[ADVANCE]
    }

    fn mobility(board: &Board) -> i32 {
        let mut count = 0;
        board.generate_moves(|moves| {
            count += moves.len() as i32;
            false
        });
        count
    }

    /// Returns the score for the side to move.
    fn score(&self, board: &Board) -> i32 {
        let us = board.side_to_move();
        let others = board.null_move().map_or(0, |other| Engine::mobility(&other));
        let mobility = Engine::mobility(board) - others;
        self.side(board, us) - self.side(board, !us)
            + mobility * self.values[MOBILITY]
            + self.values[TEMPO]
    }

    fn moves(&self, board: &Board) -> Vec<Move> {
        let mut all = Vec::new();
        board.generate_moves(|moves| {
            all.extend(moves);
            false
        });
        if self.captures_first {
            let victim = |next: &Move| match board.color_on(next.to) == Some(board.side_to_move()) {
                true => None, // castling
                false => board.piece_on(next.to),
            };
            all.sort_by_key(|next| std::cmp::Reverse(victim(next).map(|piece| piece as usize)));
        }
        all
    }

    /// Returns the score of a position for the side to move, or `None` if no nodes are left.
    fn search(
        &mut self,
        board: &Board,
        depth: u32,
        ply: i32,
        mut low: i32,
        high: i32,
    ) -> Option<i32> {
        self.nodes_left = self.nodes_left.checked_sub(1)?;
        match board.status() {
            GameStatus::Won => return Some(ply - MATE),
            GameStatus::Drawn => return Some(0),
            GameStatus::Ongoing => {}
        }
        let mut best = -MATE;
        if depth == 0 {
            best = self.score(board);
            low = low.max(best);
            if !self.quiescence || low >= high {
                return Some(best);
            }
        }
        let enemies = board.colors(!board.side_to_move());
        for next in self.moves(board) {
            if depth == 0 && !enemies.has(next.to) {
                continue;
            }
            let mut after = board.clone();
            after.play_unchecked(next);
            let score = -self.search(&after, depth.saturating_sub(1), ply + 1, -high, -low)?;
            best = best.max(score);
            low = low.max(score);
            if low >= high {
                break;
            }
        }
        Some(best)
    }

    /// Returns the best move and its score, from the deepest search within the limits.
    fn best(&mut self, board: &Board, nodes: u64, max_depth: u32) -> Option<(Move, i32)> {
        let mut found = (*self.moves(board).first()?, 0);
        self.nodes_left = nodes;
        for depth in 0..max_depth {
            let mut best = None;
            let mut low = -MATE;
            for next in self.moves(board) {
                let mut after = board.clone();
                after.play_unchecked(next);
                let Some(score) = self.search(&after, depth, 1, -MATE, -low) else {
                    return Some(found);
                };
                if best.is_none() || -score > low {
                    low = low.max(-score);
                    best = Some((next, -score));
                }
            }
            found = best.unwrap_or(found);
        }
        Some(found)
    }

    fn set(&mut self, name: &str, value: &str) {
        let spin = SPINS.iter().position(|spin| spin.0.eq_ignore_ascii_case(name));
        match (spin, value.parse()) {
            (Some(index), Ok(value)) => self.values[index] = value,
            _ if name == "Quiescence" => self.quiescence = value == "true",
            _ if name == "Move Order" => self.captures_first = value == "captures first",
            _ => {}
        }
    }
}

/// Reads `position startpos moves ...` or `position fen ... moves ...`.
fn position(text: &str) -> Option<Board> {
    let (start, moves) = text.split_once(" moves").unwrap_or((text, ""));
    let mut board = match start.strip_prefix("fen ") {
        Some(fen) => fen.parse().ok()?,
        None => Board::default(),
    };
    for text in moves.split_whitespace() {
        let next = parse_uci_move(&board, text).ok()?;
        board.try_play(next).ok()?;
    }
    Some(board)
}

fn introduce(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "id name Little Engine")?;
    for (name, default, min, max) in SPINS {
        writeln!(out, "option name {name} type spin default {default} min {min} max {max}")?;
    }
    writeln!(out, "option name Quiescence type check default true")?;
    writeln!(
        out,
        "option name Move Order type combo default captures first var captures first var as generated"
    )?;
    writeln!(out, "option name OwnBook type check default true")?;
    writeln!(out, "uciok")
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let fault = match &arguments[..] {
        [flag, fault] if flag == "--fault" => fault.as_str(),
        _ => "",
    };
    let values = SPINS.map(|spin| spin.1);
    let mut engine = Engine { values, quiescence: true, captures_first: true, nodes_left: 0 };
    let mut board = Board::default();
    let mut num_moves = 0;
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (command, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        match command {
            "uci" if fault != "mute" => introduce(&mut out)?,
            "isready" => writeln!(out, "readyok")?,
            "setoption" if fault != "stale" || num_moves == 0 => {
                if let Some((name, value)) =
                    rest.strip_prefix("name ").and_then(|rest| rest.split_once(" value "))
                {
                    engine.set(name, value);
                }
            }
            "position" => board = position(rest).unwrap_or_default(),
            "go" => {
                num_moves += 1;
                let words: Vec<&str> = rest.split_whitespace().collect();
                let limit = |name| {
                    let found = words.windows(2).find(|two| two[0] == name);
                    found.and_then(|two| two[1].parse().ok())
                };
                let depth = limit("depth").map_or(64, |depth: u64| depth.min(64) as u32);
                let best = engine.best(&board, limit("nodes").unwrap_or(2000), depth);
                match fault {
                    _ if num_moves != FAILING_MOVE => {}
                    "hang" => loop {
                        std::thread::park();
                    },
                    "die" => std::process::exit(3),
                    "illegal" => writeln!(out, "bestmove a1a1")?,
                    "none" => writeln!(out, "bestmove (none)")?,
                    "babble" => loop {
                        writeln!(out, "info string nothing")?;
                    },
                    _ => {}
                }
                match best {
                    Some((next, score)) => writeln!(
                        out,
                        "info score cp {score}\nbestmove {}",
                        display_uci_move(&board, next)
                    )?,
                    None => writeln!(out, "bestmove (none)")?,
                }
            }
            "quit" => break,
            _ => {}
        }
        out.flush()?;
    }
    Ok(())
}
