//! Tests that the map of a player's beliefs is exact, and close to the map by which it shoots.

use ruse_games::battleship::{Cells, Ship, SunkShips};
use ruse_games::{Belief, Beliefs, Game, Seen, Turn};
use ruse_search::AnyStrategy;

use super::super::*;
use super::{gaussian, unseen};
use crate::Family;
use crate::testing::rng;

fn family(sea: Sea, tells_sunk: bool) -> BattleshipFamily {
    let rules = [("ships", sea.num_ships() as u64), ("sunk", tells_sunk.into())];
    let rules = rules.map(|(name, value)| (name.to_string(), value)).into();
    BattleshipFamily::default().capabilities().with_rules(&rules).expect("rules of the game")
}

/// Returns what the first seat knows from this view when it is its turn.
fn seen(view: BattleshipView<'_>) -> Seen<'_, Battleship> {
    Seen { seat: Seat::First, turn: Turn::Act(Seat::First), view, own_actions: Default::default() }
}

fn believed(beliefs: &Beliefs, cell: Cell) -> &Belief {
    let cell = cell.to_string();
    beliefs.cells().find(|belief| belief.cell == cell).expect("a cell of the board")
}

/// The largest allowed loss of a shot: the largest probability of a hit on the map, minus the probability at the cell
/// of the shot. In all positions of hundreds of games the loss is at most .072, according to an independent program.
const MAX_LOST: f64 = 0.08;

/// Plays a game against a random fleet, and checks the map before every shot (on the large board, before every sixth
/// shot).
fn look_before_shooting<S>(family: &BattleshipFamily, strategy: &S, seed: u64)
where
    S: Strategy<Battleship, Memory = ShooterMemory> + 'static,
{
    let (game, sea) = (family.game(), family.game().sea());
    let mut rng = rng(seed);
    let mut state = game.deal(&mut rng);
    let mut memory = ShooterMemory::default();
    let mut action = BattleshipAction::default();
    strategy.begin(&mut memory, Seat::First);
    while let Turn::Act(seat) = game.turn(&state) {
        let view = game.view(&state, seat);
        if view.fleet.is_none() {
            assert_eq!(family.beliefs(strategy, &seen(view)), None, "no map of its own fleet");
        }
        if seat == Seat::Second {
            BattleshipReference::Random.act(&mut memory, view, &mut rng, &mut action);
        } else {
            strategy.act(&mut memory, view, &mut rng, &mut action);
            let is_looked_at = sea == Sea::Paper || view.shots.len() % 6 == 5;
            if let (BattleshipAction::Shoot(cell), true) = (action, is_looked_at) {
                let beliefs = family.beliefs(strategy, &seen(view)).expect("a map");
                let shot = believed(&beliefs, cell);
                assert!(beliefs.meaning.ends_with("(exact)"), "{}", beliefs.meaning);
                // The player's own model lets ships cross until they are found.
                let least = beliefs.largest() - MAX_LOST;
                assert!(shot.probability >= least, "{shot:?} of {beliefs:?}");
                let mut sum = 0.0;
                for cell in sea.cells() {
                    let Belief { probability, known, .. } = *believed(&beliefs, cell);
                    assert!((0.0..=1.0).contains(&probability), "{cell}: {probability}");
                    assert_eq!(known.is_empty(), !view.shots.contains(cell), "{cell}");
                    if !known.is_empty() {
                        assert_eq!(probability == 1.0, view.hits.contains(cell), "{cell}");
                        assert_eq!(probability == 0.0, !view.hits.contains(cell), "{cell}");
                    }
                    sum += probability;
                }
                let expected = sea.fleet_cells() as f64;
                assert!((sum - expected).abs() < 1e-9, "{sum}");
            }
        }
        game.apply(&mut state, seat, &action, &mut rng);
    }
}

#[test]
fn a_map_agrees_with_the_shots_and_sums_to_the_cells_of_the_ships() {
    for sea in Sea::ALL {
        for tells_sunk in [false, true] {
            let family = family(sea, tells_sunk);
            for seed in 0..if sea == Sea::Paper { 3 } else { 1 } {
                let density = BattleshipReference::Density(FleetPriors::uniform(sea));
                look_before_shooting(&family, &density, seed);
                let own = super::strategy(sea, &gaussian(sea, seed, 1.0));
                look_before_shooting(&family, &own, seed);
            }
        }
    }
}

/// A player without a prior has the map of `density`; a player with a prior has the map that follows from it.
#[test]
fn a_map_is_that_of_the_player() {
    let family = family(Sea::Paper, false);
    let fleet = Fleet::default();
    let view = unseen(Sea::Paper, &fleet);
    let [density, hunter] = [
        BattleshipReference::Density(FleetPriors::uniform(Sea::Paper)),
        BattleshipReference::HuntTarget,
    ];
    let map =
        |player: &dyn AnyStrategy<Battleship>| family.beliefs(player, &seen(view)).expect("a map");
    let uniform = map(&density);
    assert_eq!(map(&hunter), uniform);
    // This value is from an independent program; see the known values of the game.
    assert!((believed(&uniform, Cell::new(4, 4)).probability - 0.228920).abs() < 5e-7);
    // This strategy expects all ships along the border.
    let mut theta = vec![0.0; dimension(Sea::Paper)];
    (16..32).step_by(PER_SHIP).for_each(|line_border| theta[line_border] = 50.0);
    let own = super::strategy(Sea::Paper, &theta);
    assert!(believed(&map(&own), Cell::new(4, 4)).probability < 1e-9);
    assert_ne!(map(&own).meaning, uniform.meaning);
}

/// Two adjacent hits in a corner change the probability of the next cell. It is lower if the ship of two cells is
/// announced as sunk there. It is higher if sinkings are announced and none was: the hits are then part of a longer
/// ship.
#[test]
fn a_sunk_ship_explains_its_hits() {
    let sea = Sea::Paper;
    let fleet = Fleet::default();
    let hits = Cells::try_from("a1 b1".to_string()).expect("cells");
    let beside = Cell::new(0, 2);
    let map = |sunk| {
        let view = BattleshipView { shots: hits, hits, sunk, ..unseen(sea, &fleet) };
        let player = BattleshipReference::HuntTarget;
        let family = family(sea, sunk.is_some());
        family.beliefs(&player, &seen(view)).expect("a map")
    };
    let (corner, nothing) = (Some(Ship::default()), SunkShips::default());
    let [untold, unsunk, sunk] = [None, Some(nothing), Some([corner, None, None, None, None])]
        .map(|sunk| believed(&map(sunk), beside).probability);
    assert!(unsunk > untold && untold > sunk, "{unsunk} {untold} {sunk}");
}
