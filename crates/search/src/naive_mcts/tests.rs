//! Tests of the searches in games with known values, and in their intended game, the real-time strategy game.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::{Game, Simulate};
use ruse_rts::{Map, Rts};

use super::*;

fn settings(bandit: BanditKind, is_tree: bool, playouts: u64) -> NaiveMctsSettings {
    let budget = Budget::Playouts(playouts);
    NaiveMctsSettings { budget, ..NaiveMctsSettings::of(bandit, is_tree) }
}

#[test]
fn nodes_are_bounded_by_playouts_and_reused() {
    let game = Rts::on(Map::named("8x8-2").expect("a map"));
    let policy = <Rts as Simulate>::Policy::default();
    let player =
        NaiveMcts::<_, BySlots>::new(&game, settings(BanditKind::Naive, true, 100), policy);
    let mut memory = NaiveMctsMemory::default();
    let mut once = || {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let state = game.deal(&mut rng);
        let mut orders = Default::default();
        player.begin(&mut memory, Seat::First);
        player.act(&mut memory, game.view(&state, Seat::First), &mut rng, &mut orders);
        (memory.num_nodes, memory.nodes.len(), orders)
    };
    let (nodes, owned, orders) = once();
    // The tree has a root, and at most one node for each playout.
    assert!((50..=101).contains(&nodes) && owned == nodes, "{nodes} {owned}");
    assert_eq!(once(), (nodes, owned, orders));
}

/// In a random game, the game and the test count the same cycles since the last orders of either player. A carried-over
/// budget leads to the same choice as a plain budget multiplied by this number.
#[test]
fn a_budget_is_carried_over_from_cycles_without_orders() {
    let game = Rts::on(Map::named("8x8-1").expect("a map"));
    let policy = <Rts as Simulate>::Policy::default();
    let player = |playouts, carry| {
        let settings = NaiveMctsSettings { carry, ..settings(BanditKind::Naive, true, playouts) };
        NaiveMcts::<_, BySlots>::new(&game, settings, policy)
    };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut state = game.deal(&mut rng);
    let mut orders = Default::default();
    // These are the times of the last two orders of either player.
    let (mut before, mut last) = (0, 0);
    let mut num_compared = 0;
    for _ in 0..200 {
        let Turn::Act(mover) = game.turn(&state) else { break };
        let now = game.clock(&state);
        if now > last {
            (before, last) = (last, now);
        }
        let waited = if now == 0 { 0 } else { now - before };
        assert_eq!(game.waited(&state), waited);
        if mover == Seat::First && waited > 1 && num_compared < 20 {
            let mut choice = |player: NaiveMcts<Rts, BySlots>| {
                let (mut memory, mut rng) =
                    (NaiveMctsMemory::default(), Xoshiro256PlusPlus::seed_from_u64(4));
                player.begin(&mut memory, mover);
                player.act(&mut memory, game.view(&state, mover), &mut rng, &mut orders);
                (orders.clone(), memory.num_nodes)
            };
            let carried = choice(player(10, true));
            assert_eq!(carried, choice(player(10 * u64::from(waited), false)));
            num_compared += 1;
        }
        Simulate::draw(&game, &state, mover, &policy, &mut rng, &mut orders);
        game.apply(&mut state, mover, &orders, &mut rng);
    }
    assert_eq!(num_compared, 20);
    // Fog hides the times at which the opponent gave orders.
    let rules = [("fog".to_string(), 1)].into_iter().collect();
    let foggy = ruse_games::AdjustableRules::with_rules(&game, &rules).expect("a rule");
    assert!(game.shows_waiting() && !foggy.shows_waiting());
}

/// A tree stops growing at a limit of one mebibyte, and the player still makes moves.
#[test]
fn memory_is_bounded() {
    let game = Rts::on(Map::named("8x8-4").expect("a map"));
    let bytes_after = |memory_mib: u32, num_turns: usize| {
        let settings =
            NaiveMctsSettings { memory: memory_mib, ..settings(BanditKind::Naive, true, 2000) };
        let player = NaiveMcts::<_, BySlots>::new(&game, settings, Default::default());
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let (mut state, mut memory) = (game.deal(&mut rng), NaiveMctsMemory::default());
        let mut orders = Default::default();
        player.begin(&mut memory, Seat::First);
        for _ in 0..num_turns {
            let Turn::Act(seat) = game.turn(&state) else { panic!("a game of more turns") };
            match seat {
                Seat::First => {
                    player.act(&mut memory, game.view(&state, seat), &mut rng, &mut orders);
                }
                Seat::Second => game.view(&state, seat).random_orders(&mut rng, &mut orders),
            }
            game.apply(&mut state, seat, &orders, &mut rng);
        }
        assert_eq!(memory.bytes, memory.nodes.iter().map(Node::bytes).sum::<usize>());
        (memory.bytes, memory.nodes.len())
    };
    let mib = 1 << 20;
    let (bytes, nodes) = bytes_after(1024, 6);
    assert!(bytes > 4 * mib && nodes <= 2001, "{bytes} bytes of {nodes} nodes");
    let (bytes, nodes) = bytes_after(1, 6);
    // The excess consists of the last node, and of the tables of existing nodes.
    assert!((mib..2 * mib).contains(&bytes) && nodes < 500, "{bytes} bytes of {nodes} nodes");
}
