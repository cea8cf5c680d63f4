//! Playouts, compared with the means of the program of the paper.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::{Game, Seat, Simulate};
use ruse_rts::{Evaluation, Policy, Rts, RtsState};
use serde_json::Value;

use super::vectors::{list, map_named, number, text, vectors};

/// Returns the quantities whose means are in the file.
fn quantities(game: &Rts, state: &RtsState) -> [(&'static str, f64); 7] {
    let units = game.view(state, Seat::First).units();
    let carried: u32 =
        units.filter(|unit| unit.owner.is_some()).map(|unit| u32::from(unit.carried)).sum();
    let eval = |evaluation| game.share_of_points(state, evaluation, Seat::First);
    [
        ("eval_ratio", eval(Evaluation::Ratio)),
        ("eval_step", eval(Evaluation::Step)),
        ("units0", state.num_units_of(Seat::First) as f64),
        ("units1", state.num_units_of(Seat::Second) as f64),
        ("stock0", state.stock_of(Seat::First).into()),
        ("stock1", state.stock_of(Seat::Second).into()),
        ("carried", carried.into()),
    ]
}

/// Checks that each mean is within 5 standard errors of the mean in the file. A correct program exceeds this limit in
/// one of 1.7 million comparisons.
fn compare(vectors: &Value, entry: &Value, num_playouts: u32) {
    let (map, policy) = (text(&entry["map"]), text(&entry["policy"]));
    let game = Rts::on(map_named(vectors, map));
    let horizon = number(&entry["cycles"]) as u32;
    let their_number = number(&entry["playouts"]) as f64;
    let moved = match policy {
        "random" => Policy::Random,
        "random_biased" => Policy::default(),
        other => panic!("{map}: there is no policy {other}"),
    };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(20_171_122);
    let start = game.deal(&mut rng);
    let mut sums = [0.0; 7];
    let mut state = start.clone();
    for _ in 0..num_playouts {
        state.clone_from(&start);
        game.play_ahead(&mut state, &moved, horizon, &mut rng);
        for (sum, (_, value)) in sums.iter_mut().zip(quantities(&game, &state)) {
            *sum += value;
        }
    }
    let our_number = f64::from(num_playouts);
    for (sum, (name, _)) in sums.into_iter().zip(quantities(&game, &state)) {
        let theirs: Vec<_> =
            list(&entry[name]).iter().map(|x| x.as_f64().expect("a number")).collect();
        let [mean, deviation] = theirs[..] else { panic!("{map}: {name} is not in the file") };
        let most = 5.0 * deviation * (1.0 / our_number + 1.0 / their_number).sqrt();
        let ours = sum / our_number;
        assert!(
            (ours - mean).abs() <= most,
            "{map}, {policy}: the mean of {name} is {ours}, theirs {mean}, more than {most} apart"
        );
    }
}

#[test]
fn games_played_ahead_go_on_average_as_theirs() {
    let vectors = vectors();
    list(&vectors["playouts"]).iter().for_each(|entry| compare(&vectors, entry, 1_500));
}

#[test]
#[ignore = "long"]
fn as_many_games_played_ahead_go_on_average_as_theirs() {
    let vectors = vectors();
    for entry in list(&vectors["playouts"]) {
        compare(&vectors, entry, number(&entry["playouts"]) as u32);
    }
}
