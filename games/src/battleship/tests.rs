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

/// Returns a fleet with ships on a1-b1, a2-c2, i1-i4 and e5-e9; on the board of the commercial game, it also has a ship
/// on j8-j10.
fn fleet(sea: Sea) -> Fleet {
    let [two, three, four, five] =
        [ship("a1", false), ship("a2", false), ship("i1", true), ship("e5", true)];
    match sea {
        Sea::Paper => Fleet::new(&[two, three, four, five]),
        Sea::Shop => Fleet::new(&[two, three, ship("j8", true), four, five]),
    }
}

fn shoot(game: &Battleship, state: &mut BattleshipState, seat: Seat, cell: &str) {
    let action = BattleshipAction::Shoot(cell.parse().expect("a cell"));
    game.apply(state, seat, &action, &mut Xoshiro256PlusPlus::seed_from_u64(0));
}

/// Returns a game in which both seats have placed the fleet above.
fn placed(game: &Battleship) -> BattleshipState {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut state = game.deal(&mut rng);
    for seat in Seat::BOTH {
        game.apply(&mut state, seat, &BattleshipAction::Place(fleet(game.sea())), &mut rng);
    }
    state
}

/// Counts the pairs of free cells that are neighbours.
fn num_pairs(free: Cells) -> u64 {
    let bits = free.bits();
    // Neighbours in a row differ by 1 in their bit index, neighbours in a column by 11.
    u64::from((bits & bits >> 1).count_ones() + (bits & bits >> 11).count_ones())
}

/// Counts the fleets of the paper that contain no cell of `water`. The ship of two cells is not placed explicitly: its
/// placements are the remaining pairs of neighbouring cells.
fn count_fleets(water: Cells) -> u64 {
    let sea = Sea::Paper;
    let fits = |length: usize, taken: Cells| {
        sea.placements_of(length - 2).iter().filter(move |place| place.cells.is_disjoint(taken))
    };
    let mut count = 0;
    for five in fits(5, water) {
        let taken = water | five.cells;
        for four in fits(4, taken) {
            let taken = taken | four.cells;
            for three in fits(3, taken) {
                count += num_pairs(sea.cells().without(taken | three.cells));
            }
        }
    }
    count
}

#[test]
fn ships_have_the_places_of_the_rules() {
    // On a board of n lines, a ship has 2 directions x n lines x (n + 1 - length) offsets.
    let expected: [(Sea, usize, &[usize]); 2] =
        [(Sea::Paper, 81, &[144, 126, 108, 90]), (Sea::Shop, 100, &[180, 160, 160, 140, 120])];
    for (sea, num_cells, num_places) in expected {
        assert_eq!((sea.num_cells(), sea.cells().len()), (num_cells, num_cells));
        assert_eq!(sea.num_ships(), num_places.len());
        assert_eq!(sea.fleet_cells(), sea.ship_lengths().iter().sum::<usize>());
        for (ship_index, &length) in sea.ship_lengths().iter().enumerate() {
            let places = sea.placements_of(ship_index);
            assert_eq!(places.len(), num_places[ship_index]);
            assert!(places.iter().all(|place| place.cells.len() == length));
            assert!(places.iter().all(|place| place.cells.without(sea.cells()).is_empty()));
            assert!(places.iter().all(|place| place.ship.cells(sea, length) == Some(place.cells)));
            for (index, place) in places.iter().enumerate() {
                assert!(places[..index].iter().all(|other| other.cells != place.cells));
            }
        }
    }
}

/// Counts the pairs of placements of two ships that do not cross, with the tables and cell by cell on a separate grid.
#[test]
fn pairs_of_ships_are_as_many_as_a_grid_says() {
    let on_grid = |side: usize, length: usize| -> Vec<Vec<(usize, usize)>> {
        let all = (0..side).flat_map(|a| (0..=side - length).map(move |b| (a, b)));
        let ship = |(a, b): (usize, usize)| (b..b + length).map(move |b| (a, b));
        let flipped = |(a, b): (usize, usize)| ship((a, b)).map(|(a, b)| (b, a)).collect();
        all.flat_map(|start| [ship(start).collect(), flipped(start)]).collect()
    };
    for sea in Sea::ALL {
        for (a, &length_a) in sea.ship_lengths().iter().enumerate() {
            for (b, &length_b) in sea.ship_lengths().iter().enumerate().skip(a + 1) {
                let (ships_a, ships_b) =
                    (on_grid(sea.side(), length_a), on_grid(sea.side(), length_b));
                let is_apart = |ship: &[(usize, usize)], other: &[(usize, usize)]| {
                    ship.iter().all(|cell| !other.contains(cell))
                };
                let expected: usize = ships_a
                    .iter()
                    .map(|ship| ships_b.iter().filter(|other| is_apart(ship, other)).count())
                    .sum();
                let places = sea.placements_of(a).iter();
                let found: usize = places
                    .map(|place| {
                        let others = sea.placements_of(b).iter();
                        others.filter(|other| other.cells.is_disjoint(place.cells)).count()
                    })
                    .sum();
                assert_eq!(found, expected, "{sea:?}, {length_a} and {length_b}");
            }
        }
    }
}

#[test]
fn fleets_are_as_many_as_an_independent_prototype_says() {
    let all = count_fleets(Cells::NONE);
    assert_eq!(all, 84_547_392);
    // Probabilities that a cell is part of a ship, from the same source.
    for (cell, chance) in [("a1", 0.083258), ("b1", 0.119516), ("a2", 0.119516), ("e5", 0.228920)] {
        let without = count_fleets(cells(cell));
        let found = 1.0 - without as f64 / all as f64;
        assert!((found - chance).abs() < 5e-7, "{cell}: {found}");
    }
}

/// The expected number of fleets is from an independent program that does not use symmetries. This test uses
/// symmetries: it counts only fleets whose ship of five cells lies in a row of the upper half and starts in the left
/// half, which are one eighth of all fleets, and it does not distinguish the two ships of three cells.
#[test]
fn fleets_of_the_shops_are_as_many_as_an_independent_program_says() {
    let sea = Sea::Shop;
    let mut count = 0;
    for five in sea.placements_of(4) {
        let end = five.ship.end;
        if five.ship.vertical || end.row() > 4 || end.column() > 2 {
            continue;
        }
        for four in sea.placements_of(3) {
            if !four.cells.is_disjoint(five.cells) {
                continue;
            }
            let taken = four.cells | five.cells;
            let threes = sea.placements_of(1).iter().map(|place| place.cells);
            let threes: Vec<Cells> = threes.filter(|cells| cells.is_disjoint(taken)).collect();
            for (index, &first) in threes.iter().enumerate() {
                let others = threes[..index].iter().filter(|cells| cells.is_disjoint(first));
                count += others
                    .map(|&other| num_pairs(sea.cells().without(taken | first | other)))
                    .sum::<u64>();
            }
        }
    }
    assert_eq!(8 * 2 * count, 30_093_975_536);
}

#[test]
fn neighbours_share_a_side() {
    let neighbours = |text: &str, sea: Sea| cells(text).neighbours(sea);
    assert_eq!(neighbours("a1", Sea::Paper), cells("b1 a2"));
    assert_eq!(neighbours("i5", Sea::Paper), cells("i4 h5 i6"));
    assert_eq!(neighbours("e9 e8", Sea::Paper), cells("e7 d8 f8 e8 d9 e9 f9"));
    assert_eq!(neighbours("i5 j10", Sea::Shop), cells("i4 h5 j5 i6 j9 i10"));
    assert_eq!(neighbours("a2", Sea::Shop), cells("a1 b2 a3"));
}

#[test]
fn cells_have_names() {
    assert_eq!(Cell::new(0, 0).to_string(), "a1");
    assert_eq!(Cell::new(3, 8).to_string(), "i4");
    assert_eq!(Cell::new(9, 9).to_string(), "j10");
    for sea in Sea::ALL {
        for (number, cell) in (0..sea.num_cells()).map(|number| (number, sea.cell(number))) {
            assert_eq!(cell.to_string().parse(), Ok(cell));
            assert_eq!(sea.number(cell), number);
        }
        assert_eq!(
            (0..sea.num_cells()).map(|n| sea.cell(n)).collect::<Vec<_>>(),
            sea.cells().collect::<Vec<_>>()
        );
    }
    for text in ["", "k1", "a0", "A1", "a11", "a100", "a1 ", "1a"] {
        assert!(text.parse::<Cell>().is_err(), "{text}");
    }
    assert_eq!(cells("i4 b1").to_string(), "b1 i4");
}

#[test]
fn the_first_to_hit_everything_wins() {
    let game = Battleship::standard();
    let targets = cells("a1 b1 a2 b2 c2 i1 i2 i3 i4 e5 e6 e7 e8 e9");
    let water: Vec<Cell> = Sea::Paper.cells().without(targets).collect();
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
            sea: Sea::Paper,
            fleet: None,
            shots: Cells::NONE,
            hits: Cells::NONE,
            sunk: None,
            opponent_shots: Cells::NONE
        }
    );
    let nothing = game.view(&state, Seat::Second);
    let mut after = state.clone();
    game.apply(&mut after, Seat::First, &BattleshipAction::Place(fleet(game.sea())), &mut rng);
    assert_eq!(game.view(&after, Seat::Second), nothing, "the second seat saw the fleet");

    state = placed(&game);
    shoot(&game, &mut state, Seat::First, "a1");
    shoot(&game, &mut state, Seat::Second, "d4");
    shoot(&game, &mut state, Seat::First, "c1");
    let own = fleet(Sea::Paper);
    assert_eq!(
        game.view(&state, Seat::First),
        BattleshipView {
            sea: Sea::Paper,
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
            sea: Sea::Paper,
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
        let mut ships = fleet(Sea::Paper).ships().to_vec();
        ships[0] = two;
        BattleshipAction::Place(Fleet::new(&ships))
    };
    assert_eq!(refused(&start, shot("b2")), "b2 cannot be shot at: the fleet must be placed first");
    let mut state = placed(&game);
    let place = |sea| BattleshipAction::Place(fleet(sea));
    for (state, action, message) in [
        (
            &start,
            with_two(ship("i1", false)),
            "the ship of 2 cells that starts at i1 leaves the board",
        ),
        (&start, with_two(ship("c1", true)), "two ships lie on c2"),
        (&start, place(Sea::Shop), "the fleet has 5 ships, but 4 must be placed"),
        (&state, place(Sea::Paper), "the fleet lies where it was placed"),
    ] {
        assert_eq!(refused(state, action), message);
    }
    shoot(&game, &mut state, Seat::First, "b2");
    shoot(&game, &mut state, Seat::Second, "b2");
    assert_eq!(refused(&state, shot("b2")), "b2 was shot at before");
    assert_eq!(refused(&state, shot("b10")), "b10 is not on the board, whose last cell is i9");
}

/// The imagined fleets are exactly the fleets that an exhaustive search finds, and all are drawn equally often.
#[test]
fn fleets_that_fit_are_equally_likely() {
    let game = Battleship::standard();
    let mut state = placed(&game);
    // The free cells lie in a corner of five rows and five columns, which has some holes.
    let holes = cells("f1 f2 f3 f4 f5 c4 d4 b5 d2 d3");
    let sea = Sea::Paper;
    let far = sea.cells().without(
        (0..5)
            .flat_map(|row| (0..6).map(move |column| Cell::new(row, column)))
            .fold(Cells::NONE, |cells, cell| cells | Cells::of(cell)),
    );
    let misses = far | holes;
    let hits = cells("a1 a2 e3");
    let mut fleets = Vec::new();
    let fits = |ship_index: usize, taken: Cells| {
        sea.placements_of(ship_index).iter().filter(move |place| place.cells.is_disjoint(taken))
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

    let truth = Fleet::new(&fleets[0]);
    state.fleets.second = Some(truth);
    state.fleet_cells.second = truth.cells(sea).expect("no ships cross");
    state.shots.first = misses | hits;
    assert_eq!(game.view(&state, Seat::First).hits, hits);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut counts = vec![0u32; fleets.len()];
    let mut listed = Answers { sea, hits, misses, sunk: None }.fleets(usize::MAX);
    assert_eq!(listed.len(), fleets.len());
    listed.retain(|fleet| fleets.iter().all(|ships| fleet.ships() != ships));
    assert!(listed.is_empty(), "listed, and do not fit: {listed:?}");
    let view = game.view(&state, Seat::First);
    for _ in 0..100 * fleets.len() {
        let fleet = game.imagine(&(), Seat::First, &view, &mut rng).fleets.second.expect("placed");
        let index = fleets.iter().position(|ships| fleet.ships() == ships);
        counts[index.expect("one of those that fit")] += 1;
    }
    // The chi-square statistic of the counts; the expected count of each fleet is 100. For at most one seed in 10^5,
    // the statistic is more than 5 standard deviations from its mean.
    let chi_square: f64 =
        counts.iter().map(|&count| f64::from(count) - 100.0).map(|d| d * d / 100.0).sum();
    let freedom = (fleets.len() - 1) as f64;
    assert!(
        (chi_square - freedom).abs() < 5.0 * (2.0 * freedom).sqrt(),
        "{chi_square} of {freedom}"
    );
}

#[test]
fn sunk_ships_may_be_announced() {
    let game = Battleship::standard();
    assert!(!game.tells_sunk());
    let told = game.with_rules(&[("sunk".to_string(), 1)].into()).expect("a rule");
    assert!(told.tells_sunk());
    assert_eq!(told.with_rules(&[("sunk".to_string(), 0)].into()), Ok(game.clone()));

    // The fleet has a ship of two cells, which is sunk, and a ship of three cells, which lacks one hit.
    let mut state = placed(&told);
    let fleet = state.fleets.second.expect("placed");
    let lengths = Sea::Paper.ship_lengths();
    let cells = |index: usize| {
        fleet.ships()[index].cells(Sea::Paper, lengths[index]).expect("on the board")
    };
    let targets: Vec<Cell> = cells(0).chain(cells(1).take(2)).collect();
    let mut waters = Sea::Paper.cells().without(state.fleet_cells.first);
    for cell in targets {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        game.apply(&mut state, Seat::First, &BattleshipAction::Shoot(cell), &mut rng);
        let water = waters.next().expect("much water");
        game.apply(&mut state, Seat::Second, &BattleshipAction::Shoot(water), &mut rng);
    }
    let sunk = told.view(&state, Seat::First).sunk;
    assert_eq!(sunk, Some([Some(fleet.ships()[0]), None, None, None, None]));
    assert_eq!(told.view(&state, Seat::Second).sunk, Some(SunkShips::default()));
    assert_eq!(game.view(&state, Seat::First).sunk, None);
    // An imagined fleet has the sunk ship in its announced position, and no other sunk ship.
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for _ in 0..200 {
        let view = told.view(&state, Seat::First);
        let imagined = told.imagine(&(), Seat::First, &view, &mut rng);
        assert_eq!(told.view(&imagined, Seat::First), view);
    }
}

/// When one of two ships of the same length is sunk, its position is announced, but not which of the two it is:
/// exchanging the two ships of the fleet changes no view.
#[test]
fn ships_of_the_same_length_are_interchangeable() {
    let game = Battleship { tells_sunk: true, ..Battleship::on(Sea::Shop) };
    let exchanged = {
        let mut ships = fleet(Sea::Shop).ships().to_vec();
        ships.swap(1, 2);
        Fleet::new(&ships)
    };
    let start = placed(&game);
    let mut other = start.clone();
    other.fleets.second = Some(exchanged);
    let mut states = [start, other];
    let (upper, lower) = (ship("a2", false), ship("j8", true));
    // The lower ship is sunk first. Once the upper ship is sunk too, it comes before the lower one.
    let expected = [
        ("j9", [None, None]),
        ("j8", [None, None]),
        ("a2", [None, None]),
        ("j10", [Some(lower), None]),
        ("b2", [Some(lower), None]),
        ("c2", [Some(upper), Some(lower)]),
    ];
    let mut waters = Sea::Shop.cells().without(states[0].fleet_cells.first);
    for (cell, threes) in expected {
        let water = waters.next().expect("much water").to_string();
        for state in &mut states {
            shoot(&game, state, Seat::First, cell);
            shoot(&game, state, Seat::Second, &water);
        }
        let [a, b] = states.each_ref().map(|state| game.view(state, Seat::First));
        assert_eq!(a, b, "after {cell}");
        assert_eq!(a.sunk, Some([None, threes[0], threes[1], None, None]), "after {cell}");
        // A state with an imagined fleet has the same view.
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        for _ in 0..50 {
            let imagined = game.imagine(&(), Seat::First, &a, &mut rng);
            assert_eq!(game.view(&imagined, Seat::First), a, "after {cell}");
        }
    }
}

proptest! {
    #[test]
    fn drawn_fleets_are_legal(seed in any::<u64>()) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        for sea in Sea::ALL {
            let fleet = sample_fleet(sea, &mut rng);
            prop_assert_eq!(check_fleet(sea, &fleet), Ok(()));
            prop_assert_eq!(fleet.cells(sea).map(Cells::len), Some(sea.fleet_cells()));
        }
    }

    /// Random games end with as many hits as a fleet has cells, and imagined fleets are legal.
    #[test]
    fn random_games_end_with_all_ships_hit(
        seed in any::<u64>(),
        look_at in 0usize..150,
        tells_sunk in any::<bool>(),
        sea in prop::sample::select(&Sea::ALL),
    ) {
        let game = Battleship { sea, tells_sunk };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut state = game.deal(&mut rng);
        let mut action = BattleshipAction::default();
        for num_actions in 0.. {
            let Turn::Act(seat) = game.turn(&state) else { break };
            if num_actions == look_at {
                let view = game.view(&state, seat);
                let imagined = game.imagine(&(), seat, &view, &mut rng);
                prop_assert_eq!(imagined.fleets[seat], state.fleets[seat]);
                if let Some(fleet) = imagined.fleets[seat.other()] {
                    prop_assert_eq!(check_fleet(sea, &fleet), Ok(()));
                }
            }
            game.sample_action(&game.view(&state, seat), &mut rng, &mut action);
            game.apply(&mut state, seat, &action, &mut rng);
        }
        let Turn::Over(outcome) = game.turn(&state) else { unreachable!("the game is over") };
        let winner = if outcome == Payoff::WIN { Seat::First } else { Seat::Second };
        prop_assert_eq!(game.view(&state, winner).hits.len(), sea.fleet_cells());
        prop_assert!(game.view(&state, winner.other()).hits.len() < sea.fleet_cells());
        prop_assert!(state.num_shots(winner) <= sea.num_cells());
    }
}
