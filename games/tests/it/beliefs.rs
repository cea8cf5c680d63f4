//! Maps of probabilities.

use ruse_games::{Belief, BeliefRow, Beliefs};

fn map(cells: &[(f64, &'static str)]) -> Beliefs {
    let cell = |(index, &(probability, known)): (usize, &(f64, &'static str))| Belief {
        cell: format!("a{index}"),
        probability,
        known,
    };
    let row = BeliefRow { name: "a".into(), cells: cells.iter().enumerate().map(cell).collect() };
    Beliefs { meaning: String::new(), is_aim: true, columns: Vec::new(), rows: vec![row] }
}

/// The most probable cells are those among the unknown; a known ship is not a target.
#[test]
fn the_best_cells_are_unknown() {
    let map = map(&[(0.25, ""), (1.0, "x"), (0.5, ""), (0.5, "")]);
    assert_eq!(map.largest(), 0.5);
    let best: Vec<_> = map.cells().map(|belief| map.is_best(belief, map.largest())).collect();
    assert_eq!(best, [false, false, true, true]);
}

#[test]
fn nothing_is_probable_if_everything_is_known() {
    assert_eq!(map(&[(1.0, "x"), (0.0, ".")]).largest(), 0.0);
}
