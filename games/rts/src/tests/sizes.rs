//! Tests of large boards and of random damage.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rand::RngExt;
use ruse_games::{Factored, Slots};

use super::*;

/// Returns a map of this size without mines, on which both players have resources.
fn map_with(side: u8, units: &[(UnitKind, Seat, Cell)]) -> Map {
    let unit =
        |&(kind, owner, cell)| StartUnit { kind, owner: Some(owner), cell, carried: 0, hp: None };
    let units = units.iter().map(unit).collect();
    let stock = BySeat { first: 5, second: 5 };
    Map::new("large", (side, side), Vec::new(), units, stock).expect("a map")
}

/// On 64 x 64 cells, distances, attacks and moves beyond column and row 16 are the same as near the origin.
#[test]
fn far_cells_are_cells_like_others() {
    let (first, second) = (Seat::First, Seat::Second);
    let game = Rts::<LargeBoard>::sized(map_with(
        64,
        &[
            (UnitKind::Ranged, first, Cell::new(40, 40)),
            (UnitKind::Worker, second, Cell::new(43, 40)),
            (UnitKind::Worker, second, Cell::new(42, 42)),
            // 3² + 1² is more than 3².
            (UnitKind::Worker, second, Cell::new(43, 41)),
            (UnitKind::Worker, second, Cell::new(56, 40)),
            (UnitKind::Light, first, Cell::new(63, 63)),
        ],
    ));
    let mut state = game.deal(&mut rng());
    let actions = |state: &RtsState<LargeBoard>, x, y| {
        let listed = game.view(state, first).actions(Cell::new(x, y));
        listed.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(actions(&state, 40, 40), "a43,40 a42,42 m0 m1 m2 m3 n10");
    assert_eq!(actions(&state, 63, 63), "m0 m3 n10");
    game.apply(&mut state, first, &orders("40,40 a42,42;63,63 m3"), &mut rng());
    game.apply(&mut state, second, &orders("43,40 m1"), &mut rng());
    // The attack lands after 5 cycles, and a worker has 1 hp.
    assert_eq!((state.time(), state.num_units_of(second)), (5, 3));
    assert_eq!(actions(&state, 40, 40), "a43,40 m0 m1 m2 m3 n10");
    game.apply(&mut state, first, &Orders::default(), &mut rng());
    assert_eq!(state.time(), 8);
    assert_eq!(actions(&state, 62, 63), "m0 m1 m3 n10");
}

#[test]
fn the_usual_cap_grows_with_the_map() {
    let cap = |side: u8| {
        let worker = |seat, x| (UnitKind::Worker, seat, Cell::new(x, 0));
        match AnyRts::on(map_with(side, &[worker(Seat::First, 0), worker(Seat::Second, 1)])) {
            AnyRts::Small(game) => (16, game.cap()),
            AnyRts::Large(game) => (64, game.cap()),
        }
    };
    assert_eq!([8, 16].map(cap), [(16, 3_000); 2]);
    assert_eq!([17, 24].map(cap), [(64, 5_000); 2]);
    assert_eq!([25, 32].map(cap), [(64, 6_000); 2]);
    assert_eq!([33, 64].map(cap), [(64, 8_000); 2]);
}

/// Returns a game of random players until the time `limit`: the state, as JSON, and both views at each turn.
fn random_game<S: BoardSize>(game: &Rts<S>, seed: u64, limit: u32) -> Vec<String> {
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut players = Xoshiro256PlusPlus::seed_from_u64(seed + 1);
    let (mut state, mut orders) = (game.deal(&mut chance), Orders::default());
    let mut course = Vec::new();
    while let Turn::Act(seat) = game.turn(&state)
        && state.time() < limit
    {
        let view = game.view(&state, seat);
        course.push(format!("{} {view:?}", serde_json::to_string(&state).expect("plain data")));
        game.sample_action(&view, &mut players, &mut orders);
        game.apply(&mut state, seat, &orders, &mut chance);
    }
    course
}

/// Both classes of boards play the same games, imagine the same states, and count the same joint actions.
#[test]
fn the_class_of_a_board_makes_no_difference() {
    for (index, name) in ["8x8-4", "12x12-6", "16x16-1", "walls8x8"].into_iter().enumerate() {
        let map = Map::named(name).expect("a built-in map");
        let changes = [("fog", index as u64 % 2), ("units", 1 + index as u64 % 3)];
        let small = with(&Rts::on(map.clone()), &changes);
        let large = with(&Rts::<LargeBoard>::sized(map), &changes);
        let course = random_game(&small, 5, 600);
        assert!(course.len() > 50, "{name}");
        assert_eq!(course, random_game(&large, 5, 600), "{name}");
        let (state, wide) = (small.start(), large.start());
        assert_eq!(
            small.num_orders(&state, Seat::First),
            large.num_orders(&wide, Seat::First),
            "{name}"
        );
        let mut ahead = (state.clone(), wide.clone());
        small.play_ahead(&mut ahead.0, &Policy::default(), 300, &mut rng());
        large.play_ahead(&mut ahead.1, &Policy::default(), 300, &mut rng());
        assert_eq!(format!("{:?}", ahead.0), format!("{:?}", ahead.1), "{name}");
        let seat = Seat::Second;
        let (view, wide) = (small.view(&ahead.0, seat), large.view(&ahead.1, seat));
        let imagined = (
            small.imagine(&RtsKnowledge::default(), seat, &view, &mut rng()),
            large.imagine(&RtsKnowledge::default(), seat, &wide, &mut rng()),
        );
        assert_eq!(format!("{:?}", imagined.0), format!("{:?}", imagined.1), "{name}");
    }
}

/// Returns how often each amount of health was lost in attacks of a unit on a base.
fn losses(kind: UnitKind, units: u64, num_attacks: u32) -> BTreeMap<u8, u32> {
    let attacker = Cell::new(1, 1);
    let map = map_with(
        3,
        &[(kind, Seat::First, attacker), (UnitKind::Base, Seat::Second, Cell::new(2, 1))],
    );
    let game = with(&Rts::on(map), &[("units", units)]);
    let (mut chance, mut counts) = (rng(), BTreeMap::new());
    for _ in 0..num_attacks {
        let mut state = game.deal(&mut chance);
        game.apply(&mut state, Seat::First, &orders("1,1 a2,1"), &mut chance);
        game.apply(&mut state, Seat::Second, &Orders::default(), &mut chance);
        assert_eq!(state.time(), 5);
        // A base has 10 hp.
        *counts.entry(10 - state.units()[1].hp).or_default() += 1;
    }
    counts
}

/// By table 3, the damage is uniform from 0 to 2 for a worker, from 1 to 3 for a light, from 0 to 6 for a heavy, and
/// from 1 to 2 for a ranged. Each of the 15 frequencies is within 5 standard deviations of its expected value; a correct
/// program fails in one of 110,000 runs.
#[test]
fn damage_by_table_3_is_uniform() {
    let num_attacks = 4_200;
    for (kind, expected) in [
        (UnitKind::Worker, vec![0, 1, 2]),
        (UnitKind::Light, vec![1, 2, 3]),
        (UnitKind::Heavy, vec![0, 1, 2, 3, 4, 5, 6]),
        (UnitKind::Ranged, vec![1, 2]),
    ] {
        let counts = losses(kind, 3, num_attacks);
        assert_eq!(counts.keys().copied().collect::<Vec<_>>(), expected, "{kind:?}");
        let p = 1.0 / expected.len() as f64;
        let n = f64::from(num_attacks);
        for (damage, count) in counts {
            let deviation = (f64::from(count) - n * p).abs();
            assert!(deviation <= 5.0 * (n * p * (1.0 - p)).sqrt(), "{kind:?}: {damage} {count}");
        }
    }
    for units in [1, 2] {
        let fixed = [UnitKind::Worker, UnitKind::Light, UnitKind::Heavy, UnitKind::Ranged]
            .map(|kind| losses(kind, units, 3).into_iter().collect::<Vec<_>>());
        assert_eq!(fixed, [[(1, 3)], [(2, 3)], [(4, 3)], [(1, 3)]], "table {units}");
    }
}

/// An attack draws a number only when it lands on a unit. Two attacks draw twice, even if the first destroys a unit
/// that attacks, too.
#[test]
fn only_attacks_that_land_draw_their_damage() {
    let after = |map: &str, first: &str, second: &str, cycles: u32| {
        let game = with(&game_on(map), &[("units", 3)]);
        let mut chance = rng();
        let mut state = game.deal(&mut chance);
        game.apply(&mut state, Seat::First, &orders(first), &mut chance);
        game.apply(&mut state, Seat::Second, &orders(second), &mut chance);
        assert_eq!(state.time(), cycles, "{map}");
        (chance, Seat::BOTH.map(|seat| state.num_units_of(seat)))
    };
    let (drawn, _) = after("W.w", "0,0 n10", "2,0 n10", 10);
    assert_eq!(drawn, rng());
    // The light moves away from cycle 0 to 8, and the attack from cycle 4 to 9 misses it.
    let game = with(&game_on("Hl."), &[("units", 3)]);
    let (mut chance, mut state) = (rng(), game.deal(&mut rng()));
    game.issue(&mut state, Seat::Second, &orders("1,0 m1"), &mut chance);
    for _ in 0..4 {
        game.play_cycle(&mut state, &mut chance);
    }
    game.issue(&mut state, Seat::First, &orders("0,0 a1,0"), &mut chance);
    for _ in 4..9 {
        game.play_cycle(&mut state, &mut chance);
    }
    assert_eq!((state.time(), state.units()[1].place()), (9, Cell::new(2, 0)));
    assert_eq!((state.units()[0].seq, &chance), (0, &rng()));
    // Two rangeds always destroy each other, because the damage is at least 1.
    let (drawn, left) = after("Rr", "0,0 a1,0", "1,0 a0,0", 5);
    let mut twice = rng();
    let _: [u8; 2] = [twice.random_range(1..=2), twice.random_range(1..=2)];
    assert_eq!((drawn, left), (twice, [0, 0]));
}

/// Returns a random map: at most 40 things on up to 64 x 64 cells.
fn random_map(seed: u64) -> Map {
    let mut draws = Xoshiro256PlusPlus::seed_from_u64(seed);
    let [width, height] = [(); 2].map(|()| draws.random_range(2..=64u8));
    let (mut walls, mut units) = (Vec::new(), Vec::new());
    for index in 0..draws.random_range(8..=40) {
        let cell = Cell::new(draws.random_range(0..width), draws.random_range(0..height));
        if walls.contains(&cell) || units.iter().any(|unit: &StartUnit| unit.cell == cell) {
            continue;
        }
        let kind = UnitKind::ALL[draws.random_range(0..7)];
        let seat = Seat::BOTH[index % 2];
        match kind {
            UnitKind::Mine if index % 3 == 0 => walls.push(cell),
            UnitKind::Mine => {
                units.push(StartUnit { kind, owner: None, cell, carried: 3, hp: None })
            }
            _ => units.push(StartUnit { kind, owner: Some(seat), cell, carried: 0, hp: None }),
        }
    }
    let stock = BySeat { first: draws.random_range(0..30), second: draws.random_range(0..30) };
    Map::new("random", (width, height), walls.clone(), units, stock).unwrap_or_else(|_| {
        let worker = |seat, x| (UnitKind::Worker, seat, Cell::new(x, 0));
        map_with(width, &[worker(Seat::First, 0), worker(Seat::Second, 1)])
    })
}

/// The resources of both players: in stock, carried, in mines, and spent on the units that live.
fn resources(game: &Rts<LargeBoard>, state: &RtsState<LargeBoard>) -> u32 {
    let spent = |unit: &super::super::state::Unit<LargeBoard>| {
        u32::from(unit.carried) + u32::from(game.table().facts(unit.kind()).cost)
    };
    state.stock.iter().sum::<u32>() + state.units().iter().map(spent).sum::<u32>()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// Random games on random boards obey the rules, whatever the rules are, and are the same when they are repeated.
    #[test]
    fn random_games_obey_the_rules(
        seed in 0..u64::MAX / 2,
        units in 1..=3u64,
        conflicts in 0..=2u64,
        fog in 0..=1u64,
    ) {
        let rules = [("units", units), ("conflicts", conflicts), ("fog", fog)];
        let game = with(&Rts::<LargeBoard>::sized(random_map(seed)), &rules);
        let limit = 250;
        prop_assert_eq!(random_game(&game, seed, limit), random_game(&game, seed, limit));
        let (mut chance, mut players) =
            (Xoshiro256PlusPlus::seed_from_u64(seed), Xoshiro256PlusPlus::seed_from_u64(!seed));
        let (mut state, mut orders) = (game.deal(&mut chance), Orders::default());
        let mut slots = Slots::default();
        while let Turn::Act(seat) = game.turn(&state) && state.time() < limit {
            let before = state.clone();
            game.slots(&state, seat, &mut slots);
            prop_assert_eq!(slots.len(), state.idle_units(seat).iter().count());
            game.sample_action(&game.view(&state, seat), &mut players, &mut orders);
            prop_assert_eq!(game.check(&state, &orders), Ok(()));
            game.apply(&mut state, seat, &orders, &mut chance);
            let mut cells: Vec<Cell> = state.units().iter().map(|unit| unit.place()).collect();
            cells.sort();
            cells.dedup();
            prop_assert_eq!(cells.len(), state.num_units());
            for seat in Seat::BOTH {
                let own = state.units().iter().filter(|unit| unit.seat() == Some(seat));
                prop_assert_eq!(own.count(), state.num_units_of(seat));
            }
            // Resources are lost only with units.
            let is_alive = |id: u16| state.units().iter().any(|unit| unit.id == id);
            let mut owned = before.units().iter().filter(|unit| unit.seat().is_some());
            let [old, new] = [&before, &state].map(|state| resources(&game, state));
            if owned.all(|unit| is_alive(unit.id)) {
                prop_assert_eq!(new, old);
            } else {
                prop_assert!(new < old);
            }
        }
    }
}
