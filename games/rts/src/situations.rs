//! Positions for the comparison of combinatorial bandits.
//!
//! The paper's three situations, with 12, 9 and 110 units, have not been preserved. These positions are similar: few
//! units, more units, and a full board.

use super::map::{Map, StartUnit};

/// The names of the positions.
pub const SITUATION_NAMES: [&str; 3] = ["cmab-a", "cmab-b", "cmab-c"];

/// A full board: the first player has 44 units that wait for orders, and the number of joint actions has 24 digits.
const FULL_BOARD: &str = "\
****************
W.W.W.W.W.W.W.W.
B.B.B.B.B.B.B.B.
.W.W.W.W.W.W.W.W
L.H.R.L.H.R.L.H.
.W.L.W.H.W.R.W.L
K...K...K...K...
................
................
...k...k...k...k
l.w.r.w.h.w.l.w.
.h.l.r.h.l.r.h.l
w.w.w.w.w.w.w.w.
.b.b.b.b.b.b.b.b
.w.w.w.w.w.w.w.w
****************
";

/// Returns the position with this name, as a map. `cmab-a` is the start of 8x8-4, in which each player has 8 idle
/// units; `cmab-b` is the start of 12x12-6, in which each player has 12; `cmab-c` is a full board of 16 x 16 cells, on
/// which the first player has 44.
pub fn situation(name: &str) -> Option<Map> {
    match name {
        "cmab-a" => Map::named("8x8-4"),
        "cmab-b" => Map::named("12x12-6"),
        "cmab-c" => {
            let map = Map::from_text(name, FULL_BOARD).expect("a map of this program");
            let mut units: Vec<StartUnit> = map.units().to_vec();
            units.sort_by_key(|unit| (unit.cell.x, unit.cell.y));
            let sides = (map.width(), map.height());
            let map = Map::new(name, sides, map.walls().to_vec(), units, map.stock());
            Some(map.expect("a map of this program"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use ruse_games::{Factored, NumActions, Seat};

    use super::super::Rts;
    use super::*;

    /// For the starts of the maps, the expected numbers are from the program of the paper and a second program; for the
    /// full board, from two programs that count in different ways.
    #[test]
    #[ignore = "long"]
    fn situations_have_as_many_joint_actions_as_elsewhere() {
        let arms = SITUATION_NAMES.map(|name| {
            let game = Rts::on(situation(name).expect("it is there"));
            let state = game.start();
            Seat::BOTH.map(|seat| game.num_actions(&state, seat))
        });
        let expected = [23_649, 4_049_782, 377_461_386_454_565_822_691_133];
        assert_eq!(arms, expected.map(|number| [NumActions::Exactly(number); 2]));
        assert_eq!(situation("cmab-d"), None);
    }
}
