//! Tests that games do not allocate memory: a block of pairs causes as many allocations as a single pair.

use ruse::arena::{PairResult, Source, StopSignal};
use ruse::family::Player;
use ruse::registry::Registry;
use ruse::rng::StreamKey;

use crate::allocator::{measure_alone, num_allocations as allocations_so_far};

tests! {
    fn games_do_not_allocate() = check_allocations(5);
    @long
    fn more_games_do_not_allocate() = check_allocations(50);
}

fn check_allocations(most: usize) {
    let _alone = measure_alone();
    let registry = Registry::standard();
    let names = registry.families().map(|family| family.name().to_string());
    // The rule files have simultaneous moves, three roles, one role, or the same goal for all roles; some have complete
    // information, and some have percepts.
    let of_files = [
        "tic_tac_toe.kif",
        "pig_20.kif:linear",
        "lowest_unique.kif:linear-softmax",
        "monty_hall.kif:seed-memoryless",
        "matching_pennies.kif",
        "phantom_tic_tac_toe_try_again.kif:linear",
        "battleship_4x4.kif",
    ];
    for name in names.chain(of_files.map(String::from)) {
        let family = registry.family(&name).expect("it is there");
        // A player with a number of playouts builds trees, whose sizes differ from turn to turn.
        if family.rules().iter().any(|rule| rule.name == "playouts") {
            continue;
        }
        let dimension = family.space().dimension();
        let mut contestants = vec![Player::Redrawn, Player::Parameters(vec![0.25; dimension])];
        contestants
            .push(Player::mixture([(1.0, vec![0.25; dimension]), (2.0, vec![-0.5; dimension])]));
        contestants.extend(family.references().into_iter().map(|r| Player::Named(r.name.into())));
        for a in &contestants {
            for b in &contestants {
                let duel = family.duel(a, b).expect("contestants of the family");
                let mut results = vec![PairResult::default(); most];
                let mut num_allocations = |num_pairs: usize| {
                    let before = allocations_so_far();
                    duel.play(
                        StreamKey::root(1),
                        0,
                        &mut results[..num_pairs],
                        &StopSignal::default(),
                    )
                    .expect("not stopped");
                    allocations_so_far() - before
                };
                // Optimal play may be computed when it is first used.
                num_allocations(1);
                if family.rule_file().is_some() {
                    // The tables of a rule file take turns, and their buffers grow until they can hold the longest
                    // game.
                    for num_pairs in [most, 1, most] {
                        num_allocations(num_pairs);
                    }
                }
                let (one, many) = (num_allocations(1), num_allocations(most));
                assert_eq!(one, many, "{}: {a:?} against {b:?}", family.name());
            }
        }
    }
}
