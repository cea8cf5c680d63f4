//! Tests of positions of the real-time strategy game. In these positions, bandits choose orders.

use ruse::bandits::PositionSpec;
use ruse::games::NumActions;
use ruse::games::rts::{MAP_NAMES, SITUATION_NAMES};
use ruse::registry::Registry;

use crate::support::Home;

fn registry() -> Registry {
    Registry::standard()
}

fn usual(start: &str) -> PositionSpec {
    registry().positions().usual(start).expect("the game is there")
}

fn error(spec: PositionSpec) -> String {
    registry().positions().open(&spec, None).map(drop).expect_err("refused").to_string()
}

tests! {
    fn positions_have_names() = check_names(7);
    @long
    fn all_positions_have_names() = check_names(1);
}

/// Opens every `step`-th position.
fn check_names(step: usize) {
    let registry = registry();
    let positions = registry.positions();
    for name in SITUATION_NAMES.into_iter().chain(MAP_NAMES).step_by(step) {
        assert!(positions.open(&usual(&format!("rts:{name}")), None).is_ok(), "{name}");
    }
    let start = positions.open(&usual("rts"), None).expect("the usual map");
    assert_eq!((start.num_variables(), start.num_arms()), (2, NumActions::Exactly(10)));
    assert!(positions.is_meant("rts") && positions.is_meant("rts:xyz"));
    assert!(!positions.is_meant("rts.yaml") && !positions.is_meant("./rts"));
}

#[test]
fn maps_are_read_from_files() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/maps/crossing.txt");
    let position =
        registry().positions().open(&usual(&format!("rts:{path}")), None).expect("a map");
    // The worker waits, moves to one of 3 cells, or builds a barracks (5) on one of these cells; the base waits, or
    // trains a worker (1) on one of 2 cells. These are 7 x 3 arms, minus the 3 x 2 arms for which 5 resources are not
    // enough.
    let found = (position.num_variables(), position.num_arms());
    assert_eq!(found, (2, NumActions::Exactly(15)));
    // The map has 64 x 64 cells. Each player has three workers and two bases, which wait for orders.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/maps/plains-64x64.xml");
    let position =
        registry().positions().open(&usual(&format!("rts:{path}")), None).expect("a map");
    assert_eq!(position.num_variables(), 5);
    let missing = error(usual("rts:no/such.txt"));
    assert_eq!(missing, "no/such.txt: there is no such file");
    let directory = &*Home::new();
    let path = directory.join("ragged.txt");
    std::fs::write(&path, "b..\n..\n").expect("writable");
    let ragged = error(usual(&format!("rts:{}", path.display())));
    assert!(ragged.contains("ragged.txt"), "{ragged}");
}
