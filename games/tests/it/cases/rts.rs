use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::Game;
use ruse_games::{BySeat, Seat};
use ruse_rts::{BoardSize, Cell, LargeBoard, Map, Orders, Rts, RtsView, StartUnit, UnitKind};

use crate::courses::Courses;
use crate::suite::{Case, Secrets, Suite, with};

const MANY: usize = 1_000;

/// Returns all combinations of actions of the idle units, or an empty list if there are more than [`MANY`].
fn combinations<S: BoardSize>(view: &RtsView<'_, S>) -> Vec<Orders> {
    let units: Vec<_> = view.idle_units().map(|unit| (unit.cell, view.actions(unit.cell))).collect();
    let number = units.iter().map(|(_, actions)| actions.len()).try_fold(1, usize::checked_mul);
    if number.is_none_or(|number| number > MANY) {
        return Vec::new();
    }
    let mut all = vec![Orders::default()];
    for (cell, actions) in units {
        let with_one_more = |orders: &Orders| {
            let orders = orders.clone();
            let longer = move |&action| {
                let mut orders = orders.clone();
                orders.push(cell, action);
                orders
            };
            actions.iter().map(longer).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with_one_more).collect();
    }
    all
}

fn illegal(texts: &[&str]) -> Vec<Orders> {
    texts.iter().map(|text| text.parse().expect("orders")).collect()
}

/// Returns the game on 64 x 64 cells, with a fight in the last columns and rows.
fn largest() -> Rts<LargeBoard> {
    let unit = |kind, owner, x, y| {
        let carried = if kind == UnitKind::Mine { 20 } else { 0 };
        StartUnit { kind, owner, cell: Cell::new(x, y), carried, hp: None }
    };
    let (first, second) = (Some(Seat::First), Some(Seat::Second));
    let units = vec![
        unit(UnitKind::Mine, None, 63, 63),
        unit(UnitKind::Base, first, 61, 63),
        unit(UnitKind::Worker, first, 62, 63),
        unit(UnitKind::Heavy, first, 60, 60),
        unit(UnitKind::Ranged, second, 62, 60),
        unit(UnitKind::Light, second, 60, 61),
        unit(UnitKind::Barracks, second, 0, 0),
    ];
    let walls = vec![Cell::new(63, 61), Cell::new(61, 60)];
    let stock = BySeat { first: 5, second: 5 };
    Rts::sized(Map::new("largest", (64, 64), walls, units, stock).expect("a map"))
}

/// Returns the courses of a game with two workers, one for each player, in opposite corners: only the first player's
/// orders are hidden.
fn courses() -> Courses<Rts> {
    let map = Map::from_text("two workers", "W..\n.#.\n..w").expect("a map");
    let game = with(&Rts::on(map), "cap", 60);
    let start = game.deal(&mut Xoshiro256PlusPlus::seed_from_u64(0));
    Courses {
        game,
        deals: vec![start],
        moves: |game, state| {
            let ruse_games::Turn::Act(seat) = game.turn(state) else { return Vec::new() };
            let all = combinations(&game.view(state, seat)).into_iter();
            all.filter(|orders| game.check(state, orders).is_ok()).collect()
        },
        is_exact: true,
        num_games: 10,
        max_turns: 10,
    }
}

pub(super) fn hand_over(suite: &mut impl Suite) {
    // Each text has one fault: a cell without a unit, an opponent's unit, nothing to harvest, two orders for a unit,
    // and two units that want the same cell.
    let wrong =
        ["3,3 n10", "7,6 n10", "0,1 h1", "0,1 n10;0,1 m1", "0,2 p1W;0,1 n9", "0,2 p4W;0,1 n10"];
    let wrong: Vec<_> = wrong.into_iter().filter(|text| text.parse::<Orders>().is_ok()).collect();
    assert_eq!(wrong.len(), 5, "only the last one is not even a text of orders");
    suite.check_numbered(Case {
        name: "rts",
        files: Some(crate::suite::Files::of()),
        game: with(&Rts::standard(), "cap", 1_000),
        max_actions: 2 * 1_000,
        illegal: illegal(&wrong),
        candidates: combinations,
        secrets: Secrets::Few(Box::new(courses())),
    });
    let melee = Rts::on(Map::named("melee8x8").expect("a map"));
    let fog = with(&with(&with(&melee, "fog", 1), "units", 2), "conflicts", 2);
    suite.check_numbered(Case {
        name: "rts-fog",
        files: Some(crate::suite::Files::of()),
        game: with(&fog, "cap", 600),
        max_actions: 2 * 600,
        illegal: illegal(&["0,0 m1", "2,0 a5,6", "2,0 m1;2,1 m0", "7,7 n10"]),
        candidates: combinations,
        secrets: Secrets::Many,
    });
    let large = Rts::on(Map::named("12x12-2").expect("a map"));
    let large = with(&with(&large, "fog", 1), "conflicts", 1);
    suite.check_numbered(Case {
        name: "rts-large-fog",
        files: Some(crate::suite::Files::of()),
        game: with(&large, "cap", 300),
        max_actions: 2 * 300,
        illegal: illegal(&["0,1 p1B", "0,1 m1;0,2 p1W;2,1 m3"]),
        candidates: combinations,
        secrets: Secrets::Many,
    });
    let rules = [("fog", 1), ("units", 3), ("conflicts", 2), ("cap", 100)];
    suite.check_numbered(Case {
        name: "rts-largest-fog",
        files: Some(crate::suite::Files::of()),
        game: rules.iter().fold(largest(), |game, (rule, value)| with(&game, rule, *value)),
        max_actions: 2 * 100,
        illegal: illegal(&["62,63 m1", "60,60 a62,60", "62,60 n10", "64,63 n10"]),
        candidates: combinations,
        secrets: Secrets::Many,
    });
}
