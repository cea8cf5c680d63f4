//! Tests of the player's memory use.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::four_in_a_row::FourInARow;
use ruse_games::phantom_tic_tac_toe::PhantomTicTacToe;

use super::*;

fn settings(playouts: u64) -> UctSettings {
    UctSettings { budget: Budget::Playouts(playouts), ..UctSettings::default() }
}

#[test]
fn memory_is_reused_and_bounded_by_playouts() {
    let game = &PhantomTicTacToe;
    let player = Uct::<PhantomTicTacToe, Drawn>::new(game, settings(200));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let (mut memory, mut action) = (UctMemory::default(), Default::default());
    let state = game.deal(&mut rng);
    let mut once = |memory: &mut UctMemory<PhantomTicTacToe>| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        player.begin(memory, Seat::First);
        player.act(memory, game.view(&state, Seat::First), &mut rng, &mut action);
        (memory.tree.num_nodes(), action)
    };
    let (nodes, first) = once(&mut memory);
    // The tree has a root, and at most one node for each playout.
    assert!(nodes > 100 && nodes <= 201, "{nodes}");
    assert_eq!(once(&mut memory), (nodes, first));
}

/// The situations of a turn respect the memory limit, except within a playout, and would exceed it otherwise.
#[test]
fn situations_that_take_too_much_memory_go() {
    let (game, hidden) = (&FourInARow::standard(), PhantomTicTacToe);
    let peak = |memory: u32| {
        let settings = UctSettings { memory, ..settings(30_000) };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let player = Uct::<_, Listed>::new(game, settings);
        let (mut open, mut column) = (UctMemory::default(), 0);
        let state = game.deal(&mut rng);
        player.begin(&mut open, Seat::First);
        player.act(&mut open, game.view(&state, Seat::First), &mut rng, &mut column);
        assert_eq!(game.check(&state, &column), Ok(()));
        let player = Uct::<PhantomTicTacToe, Drawn>::new(&hidden, settings);
        let (mut closed, mut order) = (UctMemory::default(), Default::default());
        let state = hidden.deal(&mut rng);
        player.begin(&mut closed, Seat::First);
        player.act(&mut closed, hidden.view(&state, Seat::First), &mut rng, &mut order);
        [open.tree.bytes(), closed.tree.bytes()]
    };
    const MIB: usize = 1 << 20;
    let [open, closed] = peak(1);
    assert!((MIB / 3..MIB + 1024).contains(&open), "{open}");
    assert!((MIB..MIB + 1024).contains(&closed), "{closed}");
    assert!(peak(1024).into_iter().all(|bytes| bytes > 2 * MIB), "{:?}", peak(1024));
}
