//! Tests of the player's memory use, and of its proofs.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::AdjustableRules;
use ruse_games::four_in_a_row::FourInARow;
use ruse_games::nim::Nim;
use ruse_games::phantom_tic_tac_toe::PhantomTicTacToe;
use ruse_games::rule_file::RuleFile;
use ruse_gdl::Limits;

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
        (memory.growth.tree.num_nodes(), action)
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
        [open.growth.tree.bytes(), closed.growth.tree.bytes()]
    };
    const MIB: usize = 1 << 20;
    let [open, closed] = peak(1);
    assert!((MIB / 3..MIB + 1024).contains(&open), "{open}");
    assert!((MIB..MIB + 1024).contains(&closed), "{closed}");
    assert!(peak(1024).into_iter().all(|bytes| bytes > 2 * MIB), "{:?}", peak(1024));
}

/// Returns the exact payoff to the first seat, by visiting all states that follow.
fn exact<G: Imagine + Legal>(game: &G, state: &G::State, rng: &mut Xoshiro256PlusPlus) -> Payoff {
    let seat = match game.turn(state) {
        Turn::Over(payoff) => return payoff,
        Turn::Act(seat) => seat,
    };
    let mut actions = Vec::new();
    game.legal(&game.view(state, seat), &mut actions);
    let payoffs = actions.iter().map(|action| {
        let mut next = state.clone();
        game.apply(&mut next, seat, action, rng);
        to_first(seat, exact(game, &next, rng))
    });
    to_first(seat, payoffs.max().expect("a seat has an action"))
}

/// Proves positions of random games after `num_turns` turns. Compares the proven payoffs with [`exact`], and the payoff
/// after the player's action. Returns the number of positions with each payoff: lost, drawn and won for the first seat.
fn proven_positions<G: Imagine + Legal + SampleAction>(game: &G, num_turns: usize) -> [u32; 3] {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let player = Uct::<G, Listed>::new(game, settings(20_000));
    let (mut memory, mut action) = (UctMemory::default(), G::Action::default());
    let mut counts = [0; 3];
    for _ in 0..40 {
        let mut state = game.deal(&mut rng);
        for _ in 0..num_turns {
            if let Turn::Act(seat) = game.turn(&state) {
                game.sample_action(&game.view(&state, seat), &mut rng, &mut action);
                game.apply(&mut state, seat, &action, &mut rng);
            }
        }
        let Turn::Act(seat) = game.turn(&state) else { continue };
        player.begin(&mut memory, seat);
        player.act(&mut memory, game.view(&state, seat), &mut rng, &mut action);
        let key = player.situation(0, seat, &game.view(&state, seat));
        let root = memory.growth.tree.find(key).expect("it has thought");
        let payoff = exact(game, &state, &mut rng);
        if memory.growth.tree.num_arms(root) > 1 {
            assert_eq!(memory.growth.tree.worth(root), Some(to_first(seat, payoff)));
        }
        game.apply(&mut state, seat, &action, &mut rng);
        assert_eq!(exact(game, &state, &mut rng), payoff);
        counts[payoff.half_points().map_or(1, usize::from)] += 1;
    }
    counts
}

#[test]
fn proven_payoffs_are_exact() {
    let file = |name| {
        let text = ruse_gdl::rule_file(name).expect("a file of the engine").text.as_bytes();
        RuleFile::from_text(name, text, &Limits::default()).expect("a game")
    };
    let small = [("heap-1", 1), ("heap-2", 2), ("heap-3", 3), ("heap-4", 0)];
    let small = small.map(|(name, size)| (name.to_string(), size)).into();
    let nim = Nim::standard().with_rules(&small).expect("rules");
    let [lost, drawn, won] = proven_positions(&nim, 2);
    assert!(lost > 0 && drawn == 0 && won > 0, "{lost} {won}");
    let [lost, drawn, won] = proven_positions(&file("tic_tac_toe"), 3);
    assert!(lost > 0 && drawn > 0 && won > 0, "{lost} {drawn} {won}");
    proven_positions(&file("nim"), 8);
}

/// With `solver=0`, nothing is proven, and the search uses its whole budget.
#[test]
fn nothing_is_proven_without_a_solver() {
    let game = &FourInARow::standard();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut state = game.deal(&mut rng);
    let mut seat = Seat::First;
    // The first player has three stones in column 3, and wins.
    for column in [3, 4, 3, 4, 3, 4] {
        game.apply(&mut state, seat, &column, &mut rng);
        seat = seat.other();
    }
    for (has_solver, playouts) in [(true, 1..100), (false, 1_000..1_001)] {
        let player = Uct::<_, Listed>::new(game, UctSettings { has_solver, ..settings(1_000) });
        let (mut memory, mut column) = (UctMemory::default(), 0);
        player.begin(&mut memory, seat);
        player.act(&mut memory, game.view(&state, seat), &mut rng, &mut column);
        assert_eq!((column, memory.effort.proven), (3, u64::from(has_solver)));
        assert!(playouts.contains(&memory.effort.playouts), "{:?}", memory.effort);
    }
}

/// Gives all states of four in a row the same value.
struct Constant(f64);

impl Leaves<FourInARow> for Constant {
    fn value(&self, _game: &FourInARow, _state: &<FourInARow as Game>::State) -> Option<f64> {
        Some(self.0)
    }
}

/// With a share of 1, each playout ends at its leaf with the value, so all actions have the same mean, and a playout
/// takes one step. With a share of .5, the reward is halfway between the value and the result, which is 0, .5 or 1.
/// Without a budget, each of the seven columns is tried once.
#[test]
fn a_share_mixes_value_and_result() {
    let game = &FourInARow::standard();
    for (share, seat, means) in [
        (1.0, Seat::First, &[0.75][..]),
        (1.0, Seat::Second, &[0.25]),
        (0.5, Seat::First, &[0.375, 0.625, 0.875]),
    ] {
        let settings = UctSettings { share, ..settings(0) };
        let player = Uct::<_, Listed, _>::with_leaves(game, settings, Constant(0.75));
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut state = game.deal(&mut rng);
        if seat == Seat::Second {
            game.apply(&mut state, Seat::First, &3, &mut rng);
        }
        let (mut memory, mut column) = (UctMemory::default(), 0);
        player.begin(&mut memory, seat);
        player.act(&mut memory, game.view(&state, seat), &mut rng, &mut column);
        let key = player.situation(0, seat, &game.view(&state, seat));
        let (tree, effort) = (&memory.growth.tree, &memory.effort);
        let root = tree.find(key).expect("the root");
        assert_eq!((tree.pulls(root), effort.playouts), (7, 7));
        assert_eq!(effort.steps == 7, share == 1.0, "{}", effort.steps);
        let found = tree.means(root);
        assert_eq!(found.len(), 7);
        assert!(found.iter().all(|mean| means.contains(mean)), "{found:?}");
    }
}

/// In 20 pairs of games of Breakthrough with 100 playouts, a search with habits in its playouts wins more than three
/// quarters. It scores about .83 against the same search without them (`ruse match`, 50 pairs, 300 playouts), and 28 of 40
/// or fewer has a probability below .02.
#[test]
fn habits_improve_playouts() {
    let text = ruse_gdl::rule_file("breakthrough_6x6").expect("a file of the engine").text;
    let game = RuleFile::from_text("breakthrough", text.as_bytes(), &Limits::default());
    let game = &game.expect("a game");
    let players = [0.8, 0.0].map(|mast| UctSettings { mast, ..settings(100) });
    let players = players.map(|settings| Uct::<_, Listed>::new(game, settings));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut score = 0.0;
    for number in 0..40 {
        let seat = [Seat::First, Seat::Second][number % 2];
        let mut memories = BySeat { first: UctMemory::default(), second: UctMemory::default() };
        for seat in [Seat::First, Seat::Second] {
            players[0].begin(&mut memories[seat], seat);
        }
        let mut state = game.deal(&mut rng);
        let mut action = Default::default();
        let payoff = loop {
            let mover = match game.turn(&state) {
                Turn::Over(payoff) => break payoff,
                Turn::Act(mover) => mover,
            };
            let player = &players[usize::from(mover != seat)];
            player.act(&mut memories[mover], game.view(&state, mover), &mut rng, &mut action);
            game.apply(&mut state, mover, &action, &mut rng);
        };
        score += to_first(seat, payoff).score();
    }
    assert!(score > 28.0, "{score} of 40");
}

/// The sum of two nodes has all their actions, pulls and proofs, and the player's choice is made from it.
#[test]
fn roots_are_added_up_by_action() {
    let mut trees = [Tree::default(), Tree::default(), Tree::default()];
    for (tree, pulls) in trees.iter_mut().zip([&[(7, 3), (8, 2)][..], &[(8, 2), (9, 1)][..], &[]]) {
        let node = tree.add(1);
        for &(action, num_pulls) in pulls {
            tree.add_arm(node, action);
            let arm = tree.arm_with(node, action);
            (0..num_pulls).for_each(|_| tree.learn(node, arm, 0.5));
        }
    }
    let [first, second, mut sum] = trees;
    let node = sum.find(1).expect("added");
    sum.add_counts(node, &first, node);
    sum.add_counts(node, &second, node);
    assert_eq!((sum.num_arms(node), sum.pulls(node)), (3, 8));
    // Action 7 has the most pulls in the first tree, action 8 in the sum.
    assert_eq!(first.best(node).map(|arm| *first.action(arm)), Some(7));
    assert_eq!(sum.best(node).map(|arm| *sum.action(arm)), Some(8));
    let mut proof = second;
    let arm = proof.arm_with(node, 9);
    proof.prove(node, arm, Payoff::WIN);
    sum.add_counts(node, &proof, node);
    assert_eq!(sum.best(node).map(|arm| *sum.action(arm)), Some(9));
}

/// Several trees give the same action on any number of threads, and simulate as many games as one tree.
#[test]
fn several_trees_share_a_budget_on_any_number_of_threads() {
    fn played<G: Imagine + SampleAction, A: Actions<G>>(
        game: &G,
        threads: usize,
        trees: u32,
    ) -> (Vec<Option<usize>>, Effort) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let player = Uct::<G, A>::new(game, UctSettings { trees, ..settings(100) });
            let mut memories = BySeat { first: UctMemory::default(), second: UctMemory::default() };
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
            let mut state = game.deal(&mut rng);
            player.begin(&mut memories.first, Seat::First);
            player.begin(&mut memories.second, Seat::Second);
            let mut actions: Vec<G::Action> = Vec::new();
            let mut numbers = Vec::new();
            while let Turn::Act(mover) = game.turn(&state) {
                let mut action = G::Action::default();
                let view = game.view(&state, mover);
                player.act(&mut memories[mover], view, &mut rng, &mut action);
                numbers.push(actions.iter().position(|earlier| *earlier == action));
                game.apply(&mut state, mover, &action, &mut rng);
                actions.push(action);
            }
            let effort = <Uct<G, A> as Strategy<G>>::effort(&memories.first);
            (numbers, effort)
        })
    }
    let game = &FourInARow::standard();
    let (one, two) = (played::<_, Listed>(game, 1, 3), played::<_, Listed>(game, 2, 3));
    assert_eq!(one, two);
    // Each of three trees simulates 34 games a turn, unless it has proven its situation.
    assert!(one.1.playouts <= one.1.choices * 102 && one.1.playouts > one.1.choices * 51);
    let hidden = &PhantomTicTacToe;
    let (one, two) = (played::<_, Drawn>(hidden, 1, 4), played::<_, Drawn>(hidden, 2, 4));
    assert_eq!(one, two);
    assert_eq!(one.1.playouts, one.1.choices * 100);
}
