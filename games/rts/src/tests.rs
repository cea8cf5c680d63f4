//! Tests of behaviour that the recorded vectors do not cover: chance, hidden orders, fog, and games played turn by
//! turn.

mod sizes;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
use ruse_games::{BySeat, Factored, Imagine, Payoff, Simulate};

use super::*;

fn rng() -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(1)
}

fn game_on(text: &str) -> Rts {
    Rts::on(Map::from_text("test", text).expect("a map"))
}

fn with<S: BoardSize>(game: &Rts<S>, rules: &[(&str, u64)]) -> Rts<S> {
    let rules = rules.iter().map(|&(name, value)| (name.to_string(), value));
    game.with_rules(&rules.collect()).expect("valid rules")
}

fn orders(text: &str) -> Orders {
    text.parse().expect("orders")
}

fn play(game: &Rts, state: &mut RtsState, first: &str, second: &str) {
    game.apply(state, Seat::First, &orders(first), &mut rng());
    game.apply(state, Seat::Second, &orders(second), &mut rng());
}

/// Returns a game with two workers that want the same cell in the same cycle.
fn meeting(conflicts: u64) -> (Rts, RtsState) {
    let game = with(&game_on("W.w\n..."), &[("conflicts", conflicts)]);
    let state = game.deal(&mut rng());
    (game, state)
}

#[test]
fn conflicts_are_settled_as_the_rule_says() {
    let moved = |conflicts, num_games: u64| {
        let (game, start) = meeting(conflicts);
        let mut chance = rng();
        let mut moved = [0u64; 2];
        for _ in 0..num_games {
            let mut state = start.clone();
            game.apply(&mut state, Seat::First, &orders("0,0 m1"), &mut chance);
            game.apply(&mut state, Seat::Second, &orders("2,0 m3"), &mut chance);
            assert_eq!(state.time(), 10);
            for (moved, unit) in moved.iter_mut().zip(state.units()) {
                *moved += u64::from(unit.place() == Cell::new(1, 0));
            }
        }
        moved
    };
    assert_eq!(moved(0, 1), [0, 0]);
    // In the first conflict, the second player's unit waits.
    assert_eq!(moved(1, 1), [1, 0]);
    // In one of 1.7 million cases, the number of heads in 1000 throws of a fair coin deviates from its mean by more
    // than 5 standard deviations, or 79.1.
    let [first, second] = moved(2, 1_000);
    assert!(first + second == 1_000 && first.abs_diff(500) < 80, "{first}");
}

/// The view of the second seat does not depend on the first player's orders in the same cycle. After the second
/// player's orders, the orders of both players are carried out.
#[test]
fn orders_of_the_same_cycle_are_hidden() {
    let (game, start) = meeting(0);
    let told = |text: &str| {
        let mut state = start.clone();
        game.apply(&mut state, Seat::First, &orders(text), &mut rng());
        assert_eq!(game.turn(&state), Turn::Act(Seat::Second));
        state
    };
    let [mut down, right] = ["0,0 m2", "0,0 m1"].map(told);
    assert_ne!(down, right);
    assert_eq!(game.view(&down, Seat::Second), game.view(&right, Seat::Second));
    assert_eq!(
        format!("{:?}", game.view(&down, Seat::Second)),
        format!("{:?}", game.view(&right, Seat::Second))
    );
    // A playout starts with the first player's recorded orders.
    let mut ahead = down.clone();
    game.play_ahead(&mut ahead, &Policy::default(), 9, &mut rng());
    assert_eq!(ahead.doing(0), Some((UnitAction::Move(Direction::Down), 1)));
    assert_eq!(game.clock(&ahead), 9);
    game.apply(&mut down, Seat::Second, &orders("2,0 m3"), &mut rng());
    let cells: Vec<_> = down.units().iter().map(|unit| unit.place()).collect();
    assert_eq!(cells, [Cell::new(0, 1), Cell::new(1, 0)]);
}

/// A unit without an order waits 10 cycles; the game jumps to the next time at which a unit is idle.
#[test]
fn time_jumps_to_the_next_decision() {
    let game = game_on("B.....\n*W...w");
    let mut state = game.deal(&mut rng());
    play(&game, &mut state, "1,1 h3;0,0 p1W", "5,1 m3");
    assert_eq!((state.time(), state.turn), (10, Turn::Act(Seat::Second)));
    game.apply(&mut state, Seat::Second, &Orders::default(), &mut rng());
    assert_eq!((state.time(), state.turn), (20, Turn::Act(Seat::First)));
    assert_eq!(state.stock_of(Seat::First), 5);
    let view = game.view(&state, Seat::First);
    assert_eq!((view.stock(), view.bound_stock()), (5, 1));
    assert!(
        view.is_reserved(Cell::new(1, 0))
            && !view.allows(Cell::new(1, 1), "m0".parse().expect("an action"))
    );
    let in_fog = with(&game, &[("fog", 1)]);
    assert!(in_fog.view(&state, Seat::First).is_reserved(Cell::new(1, 0)));
    let refused = game.check(&state, &orders("1,1 m0")).expect_err("the cell is reserved");
    assert_eq!(
        refused.to_string(),
        "m0 of the unit on 1,1 is not possible: the cell or the 4 free resources are taken"
    );
    let refused = game.check(&state, &orders("1,1 r3")).expect_err("no base is there");
    assert!(
        refused.to_string().starts_with("the unit on 1,1 cannot do r3 now; it can do p"),
        "{refused}"
    );
}

/// By the rule `ask`, both seats have a turn in every cycle; a seat without idle units has a single action, and the second
/// seat does not learn what the first seat ordered.
#[test]
fn both_seats_may_be_asked_in_every_cycle() {
    let game = with(&game_on("B.....\n*W...w"), &[("ask", 1), ("cap", 100)]);
    let mut state = game.deal(&mut rng());
    let mut num_idle = [0; 2];
    for turn in 0..200 {
        let seat = Seat::BOTH[turn % 2];
        assert_eq!((state.turn, state.time() as usize), (Turn::Act(seat), turn / 2));
        let idle = game.view(&state, seat).idle_units().count();
        num_idle[turn % 2] += idle;
        let view = game.view(&state, seat);
        let (refused, all) = (game.check(&state, &orders("5,0 m0")), view.all_orders(500));
        assert!(refused.is_err() && all.is_some_and(|all| (all.len() == 1) == (idle == 0)));
        assert_eq!(game.num_orders(&state, seat) == NumActions::Exactly(1), idle == 0);
        let imagined = game.imagine(&RtsKnowledge::default(), seat, &view, &mut rng());
        assert_eq!((imagined.turn, game.view(&imagined, seat)), (state.turn, view));
        let mut withdrawn = state.clone();
        game.withdraw(&mut withdrawn);
        assert_eq!(withdrawn.turn, Turn::Act(Seat::First));
        assert!(game.both_decide(&withdrawn) && !(turn % 2 == 1 && game.both_decide(&state)));
        let given = if turn == 0 { "1,1 h3" } else { "" };
        game.apply(&mut state, seat, &orders(given), &mut rng());
        // The base is idle every 10 cycles.
        let waited = state.time().checked_sub(1).map_or(0, |time| time % 10 + 1);
        assert_eq!(game.waited(&state), waited);
    }
    // The worker at the base harvests for 20 cycles; then each idle unit waits for 10 cycles again and again.
    assert_eq!((state.turn, num_idle), (Turn::Over(Payoff::DRAW), [10 + 9, 10]));
    assert_eq!(game.rules().iter().find(|rule| rule.name == "ask").map(|rule| rule.value), Some(1));
}

#[test]
fn games_end_by_elimination_or_at_the_cap() {
    let game = with(&game_on("Ww.."), &[("cap", 30)]);
    let ended = |first: &str, second: &str| {
        let mut state = game.deal(&mut rng());
        play(&game, &mut state, first, second);
        (state.time(), state.turn, Seat::BOTH.map(|seat| game.judge(&state, seat)))
    };
    assert_eq!(ended("0,0 a1,0", ""), (5, Turn::Over(Payoff::WIN), [1.0, -1.0]));
    assert_eq!(ended("", "1,0 a0,0"), (5, Turn::Over(Payoff::LOSS), [-1.0, 1.0]));
    assert_eq!(ended("0,0 a1,0", "1,0 a0,0"), (5, Turn::Over(Payoff::DRAW), [0.0, 0.0]));
    let mut state = game.deal(&mut rng());
    while let Turn::Act(seat) = state.turn {
        game.apply(&mut state, seat, &Orders::default(), &mut rng());
    }
    assert_eq!((state.time(), state.turn), (30, Turn::Over(Payoff::DRAW)));
    assert_eq!(game.judge(&state, Seat::First), 0.0);
    assert_eq!(game.check(&state, &Orders::default()), Err(IllegalOrders::GameOver));
}

/// The actions on the list of a unit are drawn in proportion to their weights. Each of the 38 frequencies is within 5
/// standard deviations of its expected value. A correct program fails in one of 46,000 runs.
#[test]
fn units_draw_by_weights() {
    const NUM_DRAWS: u32 = 20_000;
    let game = game_on("*wW.*\n.RwBW\nw.Kb.\nLwHW.\n.B.w*");
    let mut state = game.deal(&mut rng());
    let carrier = state.units().iter().position(|unit| unit.place() == Cell::new(4, 1));
    state.units[carrier.expect("a worker next to the base")].carried = 1;
    let weights =
        Weights { attack: 7, harvest: 3, hand_over: 4, build: 2, train: 5, go: 6, wait: 1 };
    let mut chance = rng();
    let mut num_compared = 0;
    for unit in 0..state.num_units() {
        let record = state.units[unit];
        if record.owner != 0 {
            continue;
        }
        let mut listed = Vec::new();
        state.generate(game.table(), unit, |code, target| {
            let weight = match code.verb() {
                Code::ATTACK => 7,
                Code::HARVEST => 3,
                Code::RETURN => 4,
                Code::PRODUCE if record.kind() == UnitKind::Worker => 2,
                Code::PRODUCE => 5,
                Code::MOVE => 6,
                _ => 1,
            };
            listed.push(((code, target), weight, 0));
        });
        let total: u32 = listed.iter().map(|(_, weight, _)| weight).sum();
        for _ in 0..NUM_DRAWS {
            let draw = playout::Draw(chance.next_u64());
            let drawn = state.draw_biased(game.table(), &weights, &state.units[unit], draw);
            let found = listed.iter_mut().find(|(action, ..)| *action == drawn);
            found.expect("what is drawn is on the list").2 += 1;
        }
        for (action, weight, count) in listed {
            let p = f64::from(weight) / f64::from(total);
            let n = f64::from(NUM_DRAWS);
            let most = 5.0 * (n * p * (1.0 - p)).sqrt();
            assert!(
                (f64::from(count) - n * p).abs() <= most,
                "{unit}: {action:?} {count} of {}",
                n * p
            );
            num_compared += 1;
        }
    }
    assert_eq!(num_compared, 38, "as many as the comment says");
}

#[test]
fn copies_are_the_same_whatever_was_there_before() {
    let mut copy = Rts::on(Map::named("16x16-1").expect("a map")).deal(&mut rng());
    for name in ["12x12-3", "8x8-1", "melee8x8", "12x12-6"] {
        let game = Rts::on(Map::named(name).expect("a map"));
        let mut state = game.deal(&mut rng());
        game.play_ahead(&mut state, &Policy::Random, 400, &mut rng());
        copy.clone_from(&state);
        assert_eq!(copy, state, "{name}");
        let mut ends = [copy.clone(), state];
        for end in &mut ends {
            game.play_ahead(end, &Policy::default(), 200, &mut rng());
        }
        assert_eq!(ends[0], ends[1], "{name}");
    }
}

/// The workers stand on the cells (x, y) with x + 2y divisible by 5. Every other cell is a neighbour of at most one
/// worker, so the workers do not compete, and the number of joint actions is a product. Each worker can wait, and has
/// three actions for each neighbour on the board: to move, to build a base, or to build barracks. On 16 x 16 cells the
/// product is too large for 128 bits.
#[test]
fn very_many_joint_actions_are_counted_about() {
    let mut expected = 1.0;
    let mut units = Vec::new();
    for (x, y) in (0..16u8).flat_map(|y| (0..16u8).map(move |x| (x, y))) {
        if (x + 2 * y) % 5 == 0 {
            let owner = if units.is_empty() { Seat::Second } else { Seat::First };
            let sides = 4 - u8::from([0, 15].contains(&x)) - u8::from([0, 15].contains(&y));
            if owner == Seat::First {
                expected *= f64::from(3 * sides + 1);
            }
            let (owner, cell) = (Some(owner), Cell::new(x, y));
            units.push(StartUnit { kind: UnitKind::Worker, owner, cell, carried: 0, hp: None });
        }
    }
    let stock = BySeat { first: 1_000, second: 0 };
    let map = |units: &[StartUnit]| {
        Map::new("many", (16, 16), Vec::new(), units.to_vec(), stock).expect("a map")
    };
    let count = |units: &[StartUnit]| {
        let game = Rts::on(map(units));
        game.num_orders(&game.deal(&mut rng()), Seat::First)
    };
    let NumActions::About(found) = count(&units) else { panic!("it fits 128 bits") };
    assert!((found / expected - 1.0).abs() < 1e-9, "{found}, not {expected}");
    // The second player's worker is in the corner 0,0. The first player's are at 5,0 and 10,0 on the edge, and at 15,0
    // in the corner.
    assert_eq!(count(&units[..4]), NumActions::Exactly(10 * 10 * 7));
}

/// Hidden things that cannot move are imagined in their old place; things that can move are imagined on hidden cells.
#[test]
fn fog_hides_and_leaves_room_for_imagination() {
    let map = "W.......\n........\n........\n........\n........\n........\n......bk\n*.....w#";
    let game = with(&game_on(map), &[("fog", 1)]);
    let state = game.deal(&mut rng());
    let view = game.view(&state, Seat::First);
    assert_eq!(view.units().count(), 1);
    assert_eq!(view.other_stock(), None);
    let mut chance = rng();
    let mut workers = std::collections::BTreeSet::new();
    let mut stocks = std::collections::BTreeSet::new();
    for _ in 0..300 {
        let imagined = game.imagine(&RtsKnowledge::default(), Seat::First, &view, &mut chance);
        assert_eq!(game.view(&imagined, Seat::First), view);
        let of = |kind: UnitKind| {
            let units = imagined.units().iter().filter(move |unit| unit.kind() == kind);
            units.map(|unit| unit.place()).collect::<Vec<_>>()
        };
        assert_eq!(of(UnitKind::Base), [Cell::new(6, 6)]);
        assert_eq!(of(UnitKind::Barracks), [Cell::new(7, 6)]);
        assert_eq!(of(UnitKind::Mine), [Cell::new(0, 7)]);
        workers.extend(of(UnitKind::Worker).into_iter().filter(|cell| *cell != Cell::new(0, 0)));
        stocks.insert(imagined.stock_of(Seat::Second));
    }
    // At the start the worker may be one step away, since a move may be under way. The base above it and the wall to
    // its right leave only one direction.
    assert_eq!(workers.into_iter().collect::<Vec<_>>(), [Cell::new(5, 7), Cell::new(6, 7)]);
    assert_eq!(stocks.into_iter().collect::<Vec<_>>(), (0..=10).collect::<Vec<_>>());
}

/// A worker sees three cells far. One that went out of sight is still somewhere. A barracks that was destroyed is not.
#[test]
fn seen_units_are_remembered() {
    let after = |map: &str, kind: UnitKind, rounds: &[[&str; 2]]| {
        let game = with(&game_on(map), &[("fog", 1)]);
        let (mut state, mut knowledge) = (game.deal(&mut rng()), RtsKnowledge::default());
        let mut learn = |state: &RtsState| {
            let view = game.view(state, Seat::First);
            game.learn(&mut knowledge, Seat::First, &view, &Orders::default());
            view.units()
                .filter(|unit| unit.kind == kind && unit.owner == Some(Seat::Second))
                .count()
        };
        assert_eq!(learn(&state), 1);
        for [first, second] in rounds {
            game.apply(&mut state, Seat::First, &orders(first), &mut rng());
            if state.turn == Turn::Act(Seat::Second) {
                game.apply(&mut state, Seat::Second, &orders(second), &mut rng());
            }
            learn(&state);
        }
        assert_eq!(learn(&state), 0);
        let mut chance = rng();
        let view = game.view(&state, Seat::First);
        [0; 20].map(|_| {
            let imagined = game.imagine(&knowledge, Seat::First, &view, &mut chance);
            imagined.units().iter().filter(|unit| unit.kind() == kind).count()
        })
    };
    assert_eq!(after("W..w....\n.......b", UnitKind::Worker, &[["", "3,0 m1"]]), [2; 20]);
    let attacks = [["0,0 a1,0", ""]; 4];
    assert_eq!(after("Wk......\n.......b", UnitKind::Barracks, &attacks), [0; 20]);
}

#[test]
fn walls_are_where_the_map_has_them() {
    let game = game_on("W#w");
    let state = game.deal(&mut rng());
    let view = game.view(&state, Seat::First);
    let cells = [0, 1, 2, 3].map(|x| Cell::new(x, 0));
    assert_eq!(cells.map(|cell| view.is_wall(cell)), [false, true, false, true]);
    assert_eq!(cells.map(|cell| view.is_empty(cell)), [false; 4]);
}

#[test]
fn rules_change_what_they_name() {
    let standard = Rts::standard();
    assert_eq!(standard.rule_value("map", "12x12-1"), Some(4));
    assert_eq!(standard.rule_value("evaluation", "legacy"), Some(2));
    assert_eq!(standard.rule_value("conflicts", "alternate"), Some(1));
    assert_eq!(standard.rule_value("ask", "every-cycle"), Some(1));
    assert_eq!(
        (standard.rule_value("map", "9x9"), standard.rule_value("cap", "12x12-1")),
        (None, None)
    );
    assert_eq!(with(&standard, &[("map", 4)]).map().name(), "12x12-1");
    let beyond = [("map".to_string(), MAP_NAMES.len() as u64)];
    assert!(standard.with_rules(&beyond.into()).is_err());
    let mines = |game: &Rts| {
        let state = game.deal(&mut rng());
        let mines = state.units().iter().filter(|unit| unit.kind() == UnitKind::Mine);
        mines.map(|mine| mine.carried).collect::<Vec<_>>()
    };
    let large = Rts::on(Map::named("12x12-6").expect("a map"));
    assert_eq!(mines(&large), [10; 22]);
    let twenty = with(&large, &[("mines", 20)]);
    assert_eq!(mines(&twenty), [20; 22]);
    assert_eq!(mines(&with(&twenty, &[("mines", 0)])), [10; 22]);
    let melee = Rts::on(Map::named("melee8x8").expect("a map"));
    let heavy = |game: &Rts| game.deal(&mut rng()).units()[2].hp;
    assert_eq!([heavy(&melee), heavy(&with(&melee, &[("units", 2)]))], [4, 8]);
}

#[test]
fn a_custom_map_is_kept() {
    let own = game_on("W..w");
    // The number is FNV-1a over the size, the units and the stocks, computed by another program.
    let number = 8993933597970000;
    assert_eq!(own.rules()[0].value, number);
    assert_eq!(own.rules()[0].range, number..=number);
    assert_eq!(own.rule_value("map", "12x12-1"), None);
    assert_eq!(with(&own, &[("cap", 50), ("map", number)]).map().name(), "test");
    for other in [4, number + 1] {
        let refused =
            own.with_rules(&[("map".to_string(), other)].into()).expect_err("another map");
        assert!(refused.to_string().contains("stands for another map than test"), "{refused}");
    }
    // The number ignores the name of the map, but not its contents.
    let numbers = ["W..w", "W.w.", "w..W", "W#.w", "L..w"].map(|text| game_on(text).map().number());
    assert_eq!(Map::from_text("other", "W..w\n").expect("a map").number(), number);
    assert!(!(1..numbers.len()).any(|index| numbers[..index].contains(&numbers[index])));
    // A built-in map is recognised, even if it comes from text.
    let drawn = Map::built_in(11).expect("a map");
    assert_eq!(Rts::on(drawn).rules()[0].value, 11);
}

#[test]
fn damaged_states_are_refused() {
    let state = game_on("W..w").deal(&mut rng());
    let text = serde_json::to_string(&state).expect("plain data");
    for (part, wrong) in [
        ("\"width\":4", "\"width\":17"),
        ("\"cell\":\"0,0\"", "\"cell\":\"3,0\""),
        ("\"cell\":\"0,0\"", "\"cell\":\"4,0\""),
        ("\"owner\":0", "\"owner\":2"),
        ("\"time\":0", "\"time\":-1"),
    ] {
        let damaged = text.replacen(part, wrong, 1);
        assert_ne!(damaged, text, "{part}");
        assert!(serde_json::from_str::<RtsState>(&damaged).is_err(), "{damaged}");
    }
}
