//! Exact values: what the player must reach.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::{Game, Turn};
use ruse_gdl::Limits;

use super::*;
use crate::search::uct::{Listed, Uct, UctSettings};

fn file(name: &str) -> RuleFile {
    let text = ruse_gdl::rule_file(name).expect("a file of the engine").text.as_bytes();
    RuleFile::from_text(format!("{name}.kif"), text, &Limits::default()).expect("the file is right")
}

fn player(game: &RuleFile, steps: u64) -> MacUcb {
    let settings =
        MacUcbSettings { budget: Budget::Steps(steps), ..MacUcbSettings::of(StageSolver::Engine) };
    MacUcb::new(game, settings)
}

fn generator(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// The payoff of the first of two players, and what the player of interest has done.
fn play<A: Strategy<RuleFile>, B: Strategy<RuleFile>>(
    game: &RuleFile,
    first: (&A, &mut A::Memory),
    second: (&B, &mut B::Memory),
    seed: u64,
) -> f64 {
    let mut rng = generator(seed);
    let [mut first_rng, mut second_rng] = [generator(seed + 1000), generator(seed + 2000)];
    let mut state = game.deal(&mut rng);
    let mut action = RoleMove::default();
    first.0.begin(first.1, Seat::First);
    second.0.begin(second.1, Seat::Second);
    loop {
        match game.turn(&state) {
            Turn::Over(payoff) => return payoff.score(),
            Turn::Act(seat) => {
                let view = game.view(&state, seat);
                match seat {
                    Seat::First => first.0.act(first.1, view, &mut first_rng, &mut action),
                    Seat::Second => second.0.act(second.1, view, &mut second_rng, &mut action),
                }
                game.apply(&mut state, seat, &action, &mut rng);
            }
        }
    }
}

#[test]
fn at_tic_tac_toe_it_draws_against_itself_and_never_loses() {
    let game = file("tic_tac_toe");
    let player = player(&game, 100_000);
    let [mut own, mut other] = [MacUcbMemory::default(), MacUcbMemory::default()];
    for seed in 0..5 {
        assert_eq!(play(&game, (&player, &mut own), (&player, &mut other), seed), 0.5);
    }
    let uct = Uct::<RuleFile, Listed>::new(&game, UctSettings::default());
    for seed in 0..5 {
        let payoff = play(&game, (&player, &mut own), (&uct, &mut Default::default()), seed);
        assert!(payoff >= 0.5);
        let payoff = play(&game, (&uct, &mut Default::default()), (&player, &mut own), seed);
        assert!(payoff <= 0.5);
    }
    println!("{:?}", own.effort());
}

/// `gdl_vectors.yaml`, `optimal`: the second wins misere Nim with best play.
#[test]
fn at_nim_it_wins_as_second() {
    let game = file("nim");
    let player = player(&game, 100_000);
    let [mut own, mut other] = [MacUcbMemory::default(), MacUcbMemory::default()];
    for seed in 0..3 {
        assert_eq!(play(&game, (&player, &mut other), (&player, &mut own), seed), 0.0);
    }
    println!("{:?}", own.effort());
}

#[test]
fn effort() {
    for name in ["connect_four", "pig_20", "cant_stop_mini", "orchard", "guess_who_8", "guess_who_16", "morra", "matching_pennies", "monty_hall", "lowest_unique", "battleship_4x4", "phantom_tic_tac_toe_try_again", "syntax_zoo"] {
        let game = file(name);
        let player = player(&game, 100_000);
        let [mut own, mut other] = [MacUcbMemory::default(), MacUcbMemory::default()];
        let start = std::time::Instant::now();
        let payoff = play(&game, (&player, &mut other), (&player, &mut own), 1);
        println!("{name} {payoff} {:?} {:?} {:?}", start.elapsed(), own.effort(), other.effort());
    }
}
