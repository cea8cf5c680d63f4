use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use rand_distr::StandardNormal;
use ruse_games::{Game, Payoff};
use ruse_rts::{Map, RtsState};
use ruse_strategies::Family;
use ruse_strategies::testing::{PanicRng, play, rng};

use super::super::{RtsPlayer, RtsScriptFamily};
use super::*;
use crate::tests::game_on;

fn script(theta: &[f64]) -> Script {
    Script::from_parameters(&Rts::standard(), theta).expect("parameters")
}

/// Returns the orders for the first player at the start of a map drawn as text.
fn first_orders(script: &Script, text: &str) -> String {
    let game = Rts::on(Map::from_text("test", text).expect("a map"));
    let state = game.deal(&mut PanicRng);
    orders_in(script, &game, &state)
}

fn orders_in(script: &Script, game: &Rts, state: &RtsState) -> String {
    let mut orders = Orders::default();
    let mut memory = ScriptMemory::default();
    script.act(&mut memory, game.view(state, Seat::First), &mut PanicRng, &mut orders);
    orders.to_string()
}

#[test]
fn all_scripts_keep_the_rules() {
    let mut rng = rng(1);
    for seed in 0..150u64 {
        let map = ["8x8-1", "8x8-2", "walls8x8", "melee8x8", "12x12-2"][seed as usize % 5];
        let rules =
            [("fog", seed % 2), ("units", 1 + seed % 2), ("conflicts", seed % 3), ("cap", 800)];
        let game = game_on(map, &[&rules[..], &[("ask", seed / 2 % 2)]].concat());
        // The parameters are up to a hundred times as large as the parameters of a baseline.
        let scale = [1.0, 3.0, 100.0][seed as usize % 3];
        let theta = |rng: &mut Xoshiro256PlusPlus| {
            let drawn = (0..NUM_SCRIPT_PARAMETERS).map(|_| rng.sample::<f64, _>(StandardNormal));
            drawn.map(|x| scale * x).collect::<Vec<_>>()
        };
        let [first, second] = [(); 2].map(|()| script(&theta(&mut rng)));
        play(&game, game.deal(&mut rng), &first, &second, &mut rng);
    }
}

/// The script whose parameters are all 0 harvests, builds and attacks: it wins nearly all games against random play.
#[test]
fn zero_is_a_sane_player() {
    let zero = script(&[0.0; NUM_SCRIPT_PARAMETERS]);
    let mut rng = rng(2);
    for map in ["8x8-1", "walls8x8", "12x12-2"] {
        let game = game_on(map, &[]);
        let mut points = 0.0;
        for _ in 0..10 {
            let random = RtsPlayer::RandomBiased;
            points += play(&game, game.deal(&mut rng), &zero, &random, &mut rng).0.score();
            points +=
                play(&game, game.deal(&mut rng), &random, &zero, &mut rng).0.reversed().score();
        }
        // A player that wins nine of ten games has fewer than 14 of 20 points once in 7,000 times.
        assert!(points >= 14.0, "{map}: {points} of 20");
    }
}

#[test]
fn numbers_follow_their_formulas() {
    let theta = [0.5, 1.0, -2.0, -3.0, 0.0, 1.0, -1.0, -2.0, 0.0, 40.0, 1.5, -0.5];
    let found = script(&theta);
    let expected = (3, 7, 1, 0, 1, 64);
    let Script {
        num_harvesters, num_workers, num_first_workers, num_barracks, army, guard, ..
    } = found;
    assert_eq!(
        (num_harvesters, num_workers, num_first_workers, num_barracks, army, guard),
        expected
    );
    // e^0, e^1 and e^-1.
    let shares = [1.0, std::f64::consts::E, 0.367_879_441_171_442_33];
    assert!(found.shares.iter().zip(shares).all(|(x, y)| (x - y).abs() < 1e-12));
    assert_eq!((found.boldness, found.preys), (2.0, [3.0, -1.0]));
    let mut same = script(&[0.0; NUM_SCRIPT_PARAMETERS]);
    same.set_parameters(&Rts::standard(), &theta).expect("parameters");
    assert_eq!(same, found);
    assert!(same.set_parameters(&Rts::standard(), &theta[1..]).is_err());
    assert!(same.set_parameters(&Rts::standard(), &[f64::NAN; NUM_SCRIPT_PARAMETERS]).is_err());
    script(&[1e300; NUM_SCRIPT_PARAMETERS]);
    script(&[-1e300; NUM_SCRIPT_PARAMETERS]);
}

#[test]
fn each_number_does_what_it_says() {
    let zero = script(&[0.0; NUM_SCRIPT_PARAMETERS]);
    let far = "*W.....\nB......\n.......\n......w";
    // The worker harvests, and the base trains the next one near the mine.
    assert_eq!(first_orders(&zero, far), "0,1 p1W;1,0 h3");
    let idle = Script { num_harvesters: 0, ..zero };
    assert_eq!(first_orders(&idle, far), "0,1 p1W");
    let small = Script { num_workers: 1, ..zero };
    assert_eq!(first_orders(&small, far), "1,0 h3");
    // Once there are enough workers, the stock is saved for barracks, which are built away from the base and the mine.
    let early = Script { num_first_workers: 1, ..zero };
    assert_eq!(first_orders(&early, far), "1,0 p1K");
    // The script attacks if it has enough fighters and they are strong enough; otherwise its fighters wait near home.
    let two = "L.....\nB.....\n......\n.....h";
    assert_eq!(first_orders(&Script { army: 1, ..zero }, two), "0,1 p1W;0,0 m1");
    assert_eq!(first_orders(&Script { army: 2, ..zero }, two), "0,1 p1W");
    assert_eq!(first_orders(&Script { army: 1, boldness: 0.9, ..zero }, two), "0,1 p1W");
    // Near home, the script fights in any case.
    assert_eq!(first_orders(&Script { guard: 7, army: 2, ..zero }, two), "0,1 p1W;0,0 m1");
    // Prey seems nearer: the worker is 3 steps away, the base 4.
    let prey = "..w\n...\n.L.\n...\n...\n...\n.b.";
    let attack = Script { army: 1, ..zero };
    // Among paths of equal length, the script takes the path tried last, to the right.
    assert_eq!(first_orders(&attack, prey), "1,2 m1");
    assert_eq!(first_orders(&Script { preys: [0.0, 1.5], ..attack }, prey), "1,2 m2");
    // Enemies in range are attacked at once. Enemies that a hit destroys come first.
    assert_eq!(first_orders(&attack, "bLw"), "1,0 a2,0");
}

/// Soldiers are trained in proportion to their shares.
#[test]
fn soldiers_come_in_shares() {
    let theta = [0.0; NUM_SCRIPT_PARAMETERS];
    let script = Script { shares: [1.0, 2.0, 0.001], num_workers: 1, ..script(&theta) };
    assert_eq!(first_orders(&script, "K..\n...\n..w"), "0,0 p1H");
    assert_eq!(first_orders(&script, "K.H\n...\n..w"), "0,0 p1L;2,0 m2");
    assert_eq!(first_orders(&script, "K.H\nL..\n..w"), "0,0 p1H;2,0 m2;0,1 m2");
}

#[test]
fn the_family_explains_itself() {
    let family = RtsScriptFamily::standard();
    let zero = script(&[0.0; NUM_SCRIPT_PARAMETERS]);
    assert_eq!(
        family.words(&zero),
        "trains up to 4 workers: the first 2 harvest and the others fight; builds 1 barracks after 2 workers, and \
         trains soldiers, 33% light, 33% heavy, 33% ranged; attacks with 3 fighters or more against up to 2.00 times its \
         own strength, and else fights within 4 steps of home; to an attack, enemy workers seem 0 steps nearer, and enemy \
         buildings 0 steps nearer"
    );
    assert_eq!(family.references().len(), 8);
    assert!(family.random_player().is_some());
    // The rush wins against random play.
    let mut rng = rng(3);
    let rush = family.references().swap_remove(3).strategy;
    let state = family.game().deal(&mut rng);
    assert_eq!(play(family.game(), state, &rush, &RtsPlayer::Random, &mut rng).0, Payoff::WIN);
}
