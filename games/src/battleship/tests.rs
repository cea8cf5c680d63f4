use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

use super::*;

fn cells(text: &str) -> Cells {
    text.to_string().try_into().expect("cells")
}

fn ship(end: &str, vertical: bool) -> Ship {
    Ship { end: end.parse().expect("a cell"), vertical }
}

/// Ships on a1-b1, a2-c2, i1-i4 and e5-e9.
fn fleet() -> Fleet {
    Fleet { ships: [ship("a1", false), ship("a2", false), ship("i1", true), ship("e5", true)] }
}

fn shoot(game: &Battleship, state: &mut BattleshipState, seat: Seat, cell: &str) {
    let action = BattleshipAction::Shoot(cell.parse().expect("a cell"));
    game.apply(state, seat, &action, &mut Xoshiro256PlusPlus::seed_from_u64(0));
}

/// A game in which both have placed the fleet above.
fn placed(game: &Battleship) -> BattleshipState {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut state = game.deal(&mut rng);
    for seat in Seat::BOTH {
        game.apply(&mut state, seat, &BattleshipAction::Place(fleet()), &mut rng);
    }
    state
}

/// The number of fleets of which no ship lies on `water`. The ships of two cells are not tried one by
/// one: they are the pairs of neighbours that are left.
fn count_fleets(water: Cells) -> u64 {
    let fits = |length: usize, taken: Cells| {
        let ship_index = length - 2;
        placements_of(ship_index).iter().filter(move |place| place.cells.is_disjoint(taken))
    };
    let last_column: Cells =
        (0..SIDE).fold(Cells::NONE, |cells, row| cells | Cells::of(Cell::new(row, 8)));
    let mut count = 0;
    for five in fits(5, water) {
        let taken = water | five.cells;
        for four in fits(4, taken) {
            let taken = taken | four.cells;
            for three in fits(3, taken) {
                let free = !(taken | three.cells);
                let pairs_in_rows = free.without(last_column).bits() & (free.bits() >> 1);
                let pairs_in_columns = free.bits() & (free.bits() >> SIDE);
                count += u64::from(pairs_in_rows.count_ones() + pairs_in_columns.count_ones());
            }
        }
    }
    count
}

#[test]
fn ships_have_the_places_of_the_rules() {
    // Two directions, nine lines, 10 - length offsets: 144 + 126 + 108 + 90.
    assert_eq!(NUM_PLACEMENTS, SHIP_LENGTHS.map(|length| 2 * 9 * (10 - length)));
    assert_eq!(NUM_PLACEMENTS.iter().sum::<usize>(), ALL_PLACEMENTS);
    for (ship_index, length) in SHIP_LENGTHS.into_iter().enumerate() {
        let places = placements_of(ship_index);
        assert!(places.iter().all(|place| place.cells.len() == length));
        assert!(places.iter().all(|place| place.ship.cells(length) == Some(place.cells)));
        for (index, place) in places.iter().enumerate() {
            assert!(places[..index].iter().all(|other| other.cells != place.cells));
        }
    }
}

#[test]
fn fleets_are_as_many_as_an_independent_prototype_says() {
    let all = count_fleets(Cells::NONE);
    assert_eq!(all, 84_547_392);
    // Chances that a cell is part of a ship, from the same source.
    for (cell, chance) in [("a1", 0.083258), ("b1", 0.119516), ("a2", 0.119516), ("e5", 0.228920)] {
        let without = count_fleets(cells(cell));
        let found = 1.0 - without as f64 / all as f64;
        assert!((found - chance).abs() < 5e-7, "{cell}: {found}");
    }
}

#[test]
fn neighbours_share_a_side() {
    assert_eq!(cells("a1").neighbours(), cells("b1 a2"));
    assert_eq!(cells("i5").neighbours(), cells("i4 h5 i6"));
    assert_eq!(cells("e9 e8").neighbours(), cells("e7 d8 f8 e8 d9 e9 f9"));
}

#[test]
fn cells_have_names() {
    assert_eq!(Cell::new(0, 0).to_string(), "a1");
    assert_eq!(Cell::new(3, 8).to_string(), "i4");
    for index in 0..NUM_CELLS {
        let cell = Cell::from_index(index);
        assert_eq!(cell.to_string().parse(), Ok(cell));
    }
    for text in ["", "j1", "a0", "A1", "a10", "1a"] {
        assert!(text.parse::<Cell>().is_err(), "{text}");
    }
    assert_eq!(cells("i4 b1").to_string(), "b1 i4");
}

#[test]
fn the_first_to_hit_everything_wins() {
    let game = Battleship::standard();
    let targets = cells("a1 b1 a2 b2 c2 i1 i2 i3 i4 e5 e6 e7 e8 e9");
    let water: Vec<Cell> = (!targets).collect();
    // The second seat misses `late` times before it starts to hit.
    for (late, first_misses, winner) in
        [(0, 0, Seat::First), (0, 1, Seat::Second), (1, 1, Seat::First), (3, 1, Seat::First)]
    {
        let mut state = placed(&game);
        let shots = |misses: usize| -> Vec<Cell> {
            water[..misses].iter().copied().chain(targets).collect()
        };
        let shots = BySeat { first: shots(first_misses), second: shots(late) };
        let mut num_shots = 0;
        while let Turn::Act(seat) = game.turn(&state) {
            let cell = shots[seat][state.num_shots(seat)];
            shoot(&game, &mut state, seat, &cell.to_string());
            num_shots += 1;
        }
        assert_eq!(game.turn(&state), Turn::Over(Payoff::won_by(winner)));
        let rounds = 14 + late.min(first_misses);
        assert_eq!(num_shots, 2 * rounds - usize::from(winner == Seat::First));
    }
}

#[test]
fn answers_and_nothing_else_are_seen() {
    let game = Battleship::standard();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut state = game.deal(&mut rng);
    assert_eq!(
        game.view(&state, Seat::Second),
        BattleshipView {
            fleet: None,
            shots: Cells::NONE,
            hits: Cells::NONE,
            sunk: None,
            opponent_shots: Cells::NONE
        }
    );
    let nothing = game.view(&state, Seat::Second);
    let mut after = state.clone();
    game.apply(&mut after, Seat::First, &BattleshipAction::Place(fleet()), &mut rng);
    assert_eq!(game.view(&after, Seat::Second), nothing, "the second seat saw the fleet");

    state = placed(&game);
    shoot(&game, &mut state, Seat::First, "a1");
    shoot(&game, &mut state, Seat::Second, "d4");
    shoot(&game, &mut state, Seat::First, "c1");
    let own = fleet();
    assert_eq!(
        game.view(&state, Seat::First),
        BattleshipView {
            fleet: Some(&own),
            shots: cells("a1 c1"),
            hits: cells("a1"),
            sunk: None,
            opponent_shots: cells("d4")
        }
    );
    assert_eq!(
        game.view(&state, Seat::Second),
        BattleshipView {
            fleet: Some(&own),
            shots: cells("d4"),
            hits: Cells::NONE,
            sunk: None,
            opponent_shots: cells("a1 c1")
        }
    );
}

#[test]
fn illegal_actions_say_why() {
    let game = Battleship::standard();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    let start = game.deal(&mut rng);
    let refused = |state: &BattleshipState, action: BattleshipAction| {
        game.check(state, &action).expect_err("refused").to_string()
    };
    let shot = |cell: &str| BattleshipAction::Shoot(cell.parse().expect("a cell"));
    let with_two = |two: Ship| {
        let mut ships = fleet().ships;
        ships[0] = two;
        BattleshipAction::Place(Fleet { ships })
    };
    assert_eq!(refused(&start, shot("b2")), "b2 cannot be shot at: the fleet must be placed first");
    assert_eq!(
        refused(&start, with_two(ship("i1", false))),
        "the ship of 2 cells that starts at i1 leaves the board"
    );
    assert_eq!(refused(&start, with_two(ship("c1", true))), "two ships lie on c2");
    let mut state = placed(&game);
    assert_eq!(
        refused(&state, BattleshipAction::Place(fleet())),
        "the fleet lies where it was placed"
    );
    shoot(&game, &mut state, Seat::First, "b2");
    shoot(&game, &mut state, Seat::Second, "b2");
    assert_eq!(refused(&state, shot("b2")), "b2 was shot at before");
}

/// Imagined fleets are those that a search finds, equally often.
#[test]
fn fleets_that_fit_are_equally_likely() {
    let game = Battleship::standard();
    let mut state = placed(&game);
    // What is left of the board is a corner of five rows and columns with some holes.
    let holes = cells("f1 f2 f3 f4 f5 c4 d4 b5 d2 d3");
    let far = !(0..5)
        .flat_map(|row| (0..6).map(move |column| Cell::new(row, column)))
        .fold(Cells::NONE, |cells, cell| cells | Cells::of(cell));
    let misses = far | holes;
    let hits = cells("a1 a2 e3");
    let mut fleets = Vec::new();
    let fits = |ship_index: usize, taken: Cells| {
        placements_of(ship_index).iter().filter(move |place| place.cells.is_disjoint(taken))
    };
    for five in fits(3, misses) {
        for four in fits(2, misses | five.cells) {
            for three in fits(1, misses | five.cells | four.cells) {
                for two in fits(0, misses | five.cells | four.cells | three.cells) {
                    let all = five.cells | four.cells | three.cells | two.cells;
                    if hits.without(all).is_empty() {
                        fleets.push([two.ship, three.ship, four.ship, five.ship]);
                    }
                }
            }
        }
    }
    assert!((20..500).contains(&fleets.len()), "{} fleets", fleets.len());

    let truth = Fleet { ships: fleets[0] };
    state.fleets.second = Some(truth);
    state.fleet_cells.second = truth.cells().expect("no ships cross");
    state.shots.first = misses | hits;
    assert_eq!(game.view(&state, Seat::First).hits, hits);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut counts = vec![0u32; fleets.len()];
    let answers = Answers { hits, misses, sunk: None };
    let mut listed: Vec<_> = answers.all_fleets().into_iter().map(|fleet| fleet.ships).collect();
    assert_eq!(listed.len(), fleets.len());
    listed.retain(|ships| !fleets.contains(ships));
    assert!(listed.is_empty(), "listed, and do not fit: {listed:?}");
    let view = game.view(&state, Seat::First);
    for _ in 0..100 * fleets.len() {
        let imagined = game.imagine(&(), Seat::First, &view, &mut rng);
        let ships = imagined.fleets.second.expect("placed").ships;
        let index = fleets.iter().position(|other| *other == ships);
        counts[index.expect("one of those that fit")] += 1;
    }
    // Chi-square, 100 expected each: 5 standard deviations are exceeded by one seed in 10^5 or fewer.
    let chi_square: f64 =
        counts.iter().map(|&count| f64::from(count) - 100.0).map(|d| d * d / 100.0).sum();
    let freedom = (fleets.len() - 1) as f64;
    assert!(
        (chi_square - freedom).abs() < 5.0 * (2.0 * freedom).sqrt(),
        "{chi_square} of {freedom}"
    );
}

#[test]
fn it_may_be_told_that_a_ship_is_sunk() {
    let game = Battleship::standard();
    assert!(!game.tells_sunk());
    let told = game.with_rules(&[("sunk".to_string(), 1)].into()).expect("a rule");
    assert!(told.tells_sunk());
    assert_eq!(told.with_rules(&[("sunk".to_string(), 0)].into()), Ok(game.clone()));
    let error = game.with_rules(&[("side".to_string(), 10)].into()).expect_err("refused");
    assert_eq!(error.to_string(), "there is no rule `side`; this game has sunk");

    // The fleet of two cells, then of three; the first is sunk, and the second lacks a shot.
    let mut state = placed(&told);
    let fleet = state.fleets.second.expect("placed");
    let cells = |index: usize| fleet.ships[index].cells(SHIP_LENGTHS[index]).expect("on the board");
    let targets: Vec<Cell> = cells(0).chain(cells(1).take(2)).collect();
    let mut waters = (!state.fleet_cells.first).into_iter();
    for cell in targets {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        game.apply(&mut state, Seat::First, &BattleshipAction::Shoot(cell), &mut rng);
        let water = waters.next().expect("much water");
        game.apply(&mut state, Seat::Second, &BattleshipAction::Shoot(water), &mut rng);
    }
    let sunk = told.view(&state, Seat::First).sunk;
    assert_eq!(sunk, Some([Some(fleet.ships[0]), None, None, None]));
    assert_eq!(told.view(&state, Seat::Second).sunk, Some(SunkShips::default()));
    assert_eq!(game.view(&state, Seat::First).sunk, None);
    // Those who imagine the fleet know where the ship lies, and that no other is sunk.
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for _ in 0..200 {
        let view = told.view(&state, Seat::First);
        let imagined = told.imagine(&(), Seat::First, &view, &mut rng);
        assert_eq!(told.view(&imagined, Seat::First), view);
    }
}

proptest! {
    /// Random games end with 14 hits, and what the opponent hides fits what was seen.
    #[test]
    fn random_games_end_with_all_ships_hit(
        seed in any::<u64>(),
        look_at in 0usize..150,
        tells_sunk in any::<bool>(),
    ) {
        let game = Battleship { tells_sunk };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut state = game.deal(&mut rng);
        let mut action = BattleshipAction::default();
        for num_actions in 0.. {
            let Turn::Act(seat) = game.turn(&state) else { break };
            if num_actions == look_at {
                let view = game.view(&state, seat);
                let imagined = game.imagine(&(), seat, &view, &mut rng);
                prop_assert_eq!(game.view(&imagined, seat), game.view(&state, seat));
                prop_assert_eq!(imagined.fleets[seat], state.fleets[seat]);
                if let Some(fleet) = imagined.fleets[seat.other()] {
                    prop_assert_eq!(check_fleet(&fleet), Ok(()));
                }
            }
            game.sample_action(&game.view(&state, seat), &mut rng, &mut action);
            prop_assert_eq!(game.check(&state, &action), Ok(()));
            game.apply(&mut state, seat, &action, &mut rng);
        }
        let Turn::Over(outcome) = game.turn(&state) else { unreachable!("the game is over") };
        let winner = if outcome == Payoff::WIN { Seat::First } else { Seat::Second };
        prop_assert_eq!(game.view(&state, winner).hits.len(), FLEET_CELLS);
        prop_assert!(game.view(&state, winner.other()).hits.len() < FLEET_CELLS);
        prop_assert!(state.num_shots(winner) <= NUM_CELLS);
    }
}
