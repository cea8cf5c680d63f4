//! The openings from which games begin, and the list that is built in.

use cozy_chess::{Board, Color, GameStatus, Move, Piece};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

/// The number of random moves of the built-in openings, in plies.
const RANDOM_PLIES: usize = 8;

/// An opening: a position and the moves that are played from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The position before the moves.
    pub start: Board,
    /// Legal moves, after which the game goes on.
    pub moves: Vec<Move>,
}

/// The openings of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Openings {
    /// Random moves, a different opening for every number. The list is the same on every machine.
    BuiltIn,
    /// Openings from a file, at least one.
    Listed(Vec<Opening>),
}

impl Openings {
    /// Returns the opening of a deal. The same deal has the same opening.
    pub fn of_deal(&self, deal: u64) -> Opening {
        match self {
            Openings::BuiltIn => balanced(deal),
            // Deals are uniform, and much larger than the list.
            Openings::Listed(list) => list[(deal % list.len() as u64) as usize].clone(),
        }
    }
}

/// Returns all legal moves, in an order that does not depend on how they are generated.
fn legal_moves(board: &Board) -> Vec<Move> {
    let mut moves = Vec::new();
    board.generate_moves(|of_piece| {
        moves.extend(of_piece);
        false
    });
    moves.sort_unstable_by_key(|next| (next.from, next.to, next.promotion));
    moves
}

/// Returns the value of a piece, in pawns.
fn value(piece: Piece) -> i32 {
    match piece {
        Piece::Pawn => 1,
        Piece::Knight | Piece::Bishop => 3,
        Piece::Rook => 5,
        Piece::Queen => 9,
        Piece::King => 0,
    }
}

/// Returns the material of the side to move minus the material of the other side, in pawns.
fn material(board: &Board) -> i32 {
    let of = |side: Color| {
        let pieces = Piece::ALL.iter();
        pieces
            .map(|&piece| board.colored_pieces(side, piece).len() as i32 * value(piece))
            .sum::<i32>()
    };
    of(board.side_to_move()) - of(!board.side_to_move())
}

/// Returns the material for the side to move after the best captures of both sides. Either side may stop capturing.
/// Values outside `low..high` are cut off.
fn after_captures(board: &Board, low: i32, high: i32) -> i32 {
    let mut best = material(board);
    let enemies = board.colors(!board.side_to_move());
    let mut captures = legal_moves(board);
    captures.retain(|next| enemies.has(next.to));
    captures.sort_by_key(|next| -board.piece_on(next.to).map_or(0, value));
    for next in captures {
        if best >= high {
            break;
        }
        let mut after = board.clone();
        after.play_unchecked(next);
        best = best.max(-after_captures(&after, -high, -low.max(best)));
    }
    best
}

/// Checks whether the game goes on, the side to move is not in check, material is equal, and neither side wins material
/// by captures if it moves.
fn is_balanced(board: &Board) -> bool {
    let is_level = |board: &Board| after_captures(board, -1, 1) == 0;
    board.status() == GameStatus::Ongoing
        && material(board) == 0
        && board.null_move().is_some_and(|other| is_level(board) && is_level(&other))
}

/// Returns the balanced opening with this number: eight random plies from the initial position. Openings that are not
/// balanced are drawn again.
fn balanced(number: u64) -> Opening {
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(number);
    loop {
        let mut board = Board::default();
        let mut moves = Vec::with_capacity(RANDOM_PLIES);
        while moves.len() < RANDOM_PLIES {
            let legal = legal_moves(&board);
            // A mate is possible after four plies.
            if legal.is_empty() {
                break;
            }
            let next = legal[(chance.next_u64() % legal.len() as u64) as usize];
            board.play_unchecked(next);
            moves.push(next);
        }
        if moves.len() == RANDOM_PLIES && is_balanced(&board) {
            return Opening { start: Board::default(), moves };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(opening: &Opening) -> Board {
        let mut board = opening.start.clone();
        opening.moves.iter().for_each(|&next| board.play(next));
        board
    }

    #[test]
    fn the_first_500_openings_are_balanced_and_distinct() {
        let mut fens = std::collections::BTreeSet::new();
        for number in 0..500 {
            let opening = Openings::BuiltIn.of_deal(number);
            assert_eq!(opening.moves.len(), 8);
            let board = board(&opening);
            assert_eq!(board.status(), GameStatus::Ongoing);
            assert!(board.checkers().is_empty());
            assert_eq!(material(&board), 0, "{board}");
            assert!(fens.insert(board.to_string()), "{board} comes twice");
        }
    }

    /// The list must not change: results of the same seed would change, and openings differ between machines. The
    /// fingerprint is FNV-1a (Fowler, Noll and Vo, with 64 bits) of the positions, as this code first made them.
    #[test]
    fn the_openings_are_the_same_everywhere() {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for number in 0..500 {
            for byte in board(&balanced(number)).to_string().bytes().chain([b'\n']) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        assert_eq!(format!("{hash:016x}"), "a539164f521d38fc");
        assert_eq!(
            board(&balanced(0)).to_string(),
            "r1bqkbnr/ppp1p1pp/3p4/4npP1/7P/N7/PPPPPP2/R1BQKBNR w KQkq - 1 5"
        );
    }

    #[test]
    fn captures_are_played_out() {
        let value = |fen: &str| after_captures(&fen.parse().expect("a position"), -99, 99);
        // The pawn takes a knight, which nothing protects.
        assert_eq!(value("4k3/8/8/3n4/4P3/8/8/4K3 w - - 0 1"), 1);
        // The knight is protected: the pawns are exchanged for it, and Black keeps one.
        assert_eq!(value("4k3/8/4p3/3n4/4P3/8/8/4K3 w - - 0 1"), -1);
        // A queen does not take a protected pawn.
        assert_eq!(value("4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1"), 7);
        let balanced = |fen: &str| is_balanced(&fen.parse().expect("a position"));
        let hanging = "4k3/8/8/3n4/8/4P3/1N6/4K3";
        assert!(!balanced(&format!("{hanging} w - - 0 1")), "a pawn more");
        let threat = "4k3/p7/8/3n4/4P3/8/1N6/4K3";
        assert!(!balanced(&format!("{threat} w - - 0 1")), "White takes the knight");
        assert!(!balanced(&format!("{threat} b - - 0 1")), "White threatens to take the knight");
        assert!(balanced("4k2n/p7/8/8/4P3/8/1N6/4K3 b - - 0 1"), "nothing is attacked");
    }
}
