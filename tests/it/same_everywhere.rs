//! Tests that computations have the same bits on every platform and processor.
//!
//! Each test folds two million results of a function into one number. The expected numbers were found on x86-64, both
//! with and without fused multiplication. They are properties of the implementation, not of the functions: a new
//! version of libm may change these numbers. The results for a given seed then change as well, and the change log must
//! mention this.

use rand::Rng;
use rand_distr::Distribution;
use ruse::arena::PairResult;
use ruse::rng::{Beta, Gamma, Gaussian, Label, StreamKey};
use ruse::score::{CONFIDENCE, Tally};
use ruse_base::hashing::mix;
use ruse_games::Payoff;

const NUM_VALUES: u64 = 2_000_000;

/// Returns evenly spread numbers between `low` and `high`.
fn even(low: f64, high: f64) -> impl Iterator<Item = f64> {
    (0..NUM_VALUES).map(move |index| {
        let share = (mix(index) >> 11) as f64 / (1u64 << 53) as f64;
        low + (high - low) * share
    })
}

/// Returns positive numbers between `low` and `high`. Their exponents are spread evenly.
fn of_all_magnitudes(low: f64, high: f64) -> impl Iterator<Item = f64> {
    // Positive numbers are in the same order as their bits.
    let range = high.to_bits() - low.to_bits();
    (0..NUM_VALUES).map(move |index| {
        let place = (u128::from(mix(index)) * u128::from(range)) >> 64;
        f64::from_bits(low.to_bits() + place as u64)
    })
}

fn fold(values: impl Iterator<Item = f64>) -> u64 {
    values.fold(0, |folded, value| mix(folded ^ value.to_bits()))
}

#[test]
fn functions_are_the_same() {
    let positive = || of_all_magnitudes(f64::MIN_POSITIVE, f64::MAX);
    let powers = of_all_magnitudes(1e-9, 1e9).zip(even(-30.0, 30.0));
    let found = [
        fold(even(-750.0, 710.0).map(libm::exp)),
        fold(even(-1.0, 1.0).map(libm::exp)),
        fold(even(-310.0, 310.0).map(libm::exp10)),
        fold(positive().map(libm::log)),
        fold(even(0.5, 2.0).map(libm::log)),
        fold(positive().map(libm::log2)),
        fold(positive().map(libm::log10)),
        fold(even(-1.0, 3.0).map(libm::log1p)),
        fold(powers.map(|(x, y)| libm::pow(x, y))),
    ];
    let expected = [
        0x6930_D90A_D277_35B7,
        0x29A9_04A2_793D_F7AF,
        0xE278_910F_E896_2CD2,
        0x1FA7_220E_259C_18F1,
        0xD878_A5AB_3A37_6CA7,
        0x13B7_3AE0_E9BD_7C6B,
        0x9EA7_819D_FDEA_536E,
        0x239C_EAD8_A3CA_B3EB,
        0x1030_9E1E_CE5C_8132,
    ];
    assert!(found == expected, "{found:#018X?}");
}

#[test]
fn draws_are_the_same() {
    let draws = |distribution: &dyn Fn(&mut ruse::rng::Stream) -> f64| {
        let mut stream = StreamKey::root(1).stream();
        fold((0..NUM_VALUES).map(|_| distribution(&mut stream)))
    };
    let gamma = |shape| Gamma::new(shape).expect("the shape is positive");
    let beta = Beta::new(2.0, 5.0).expect("the shapes are positive");
    let [small, large] = [0.5, 3.5].map(gamma);
    let found = [
        draws(&|stream| Gaussian.sample(stream)),
        draws(&|stream| small.sample(stream)),
        draws(&|stream| large.sample(stream)),
        draws(&|stream| beta.sample(stream)),
    ];
    let expected = [
        0x076F_7206_2CF8_2DD5,
        0xD192_B844_EC9C_4C48,
        0xA1F2_D25F_4289_0F0B,
        0x9B3C_DBF8_9923_6F4B,
    ];
    assert!(found == expected, "{found:#018X?}");
}

/// Tests intervals, and the quantiles of Student's distribution and of the normal distribution from which they are
/// computed.
#[test]
fn intervals_are_the_same() {
    let counts = |n: u64| [n / 7, n % 13, n / 2, n % 17, n / 3];
    let sizes = (1..2000).chain((2000..60_000).step_by(997));
    // Pairs worth 0, 1/4, 1/2, 3/4 and 1.
    let (win, draw, loss) = (Payoff::WIN, Payoff::DRAW, Payoff::LOSS);
    let results = [(loss, loss), (loss, draw), (draw, draw), (draw, win), (win, win)];
    let interval = |n: u64| {
        let mut tally = Tally::default();
        for ((as_first, as_second), count) in results.into_iter().zip(counts(n)) {
            tally.add_many(PairResult { as_first, as_second }, count);
        }
        tally.interval_at(CONFIDENCE)
    };
    let found = fold(sizes.flat_map(interval));
    assert_eq!(found, 0xA4AF_526F_8910_2298, "{found:#018X}");
}

/// Tests the first words of streams. The expected values come from a Python script that was written from the
/// definitions alone: the finaliser of SplitMix64 (Steele, Lea & Flood 2014) along the path of labels, as described in
/// the module `rng`, and xoshiro256++ as its authors define it (Blackman & Vigna 2021: result rotl(s0 + s3, 23) + s0,
/// shift 17, rotation 45).
#[test]
fn streams_are_the_same() {
    let one = StreamKey::root(1);
    let seat = one.child(Label::Iteration, 12).child(Label::Race, 0).child(Label::Pair, 345);
    let longest = StreamKey::root(2018).child(Label::Play, (1 << 56) - 1);
    for (key, expected) in [
        (StreamKey::root(0), [0xe66d_e5fa_4aca_fcff, 0x0836_d4d7_0f0a_1ddc, 0xadb0_59b9_0967_4dbf]),
        (one, [0x5f71_384c_e433_e193, 0x750e_04f6_8fe5_d53a, 0xdedc_aba4_14e1_5d3f]),
        (
            StreamKey::root(u64::MAX),
            [0xb7b6_8c67_a67a_76d2, 0xbff1_fabd_75b5_56e5, 0xcf5f_978d_88a8_c450],
        ),
        (
            seat.child(Label::Seat, 1),
            [0x42e0_626c_a4fe_1f61, 0x9c1a_d8b6_d2bc_9333, 0xcf72_5fe8_0099_00ce],
        ),
        (longest, [0xede9_df42_380e_6023, 0x4e3a_99f5_6a1e_4c53, 0xc300_5311_d138_b088]),
    ] {
        let mut stream = key.stream();
        let found: [u64; 3] = std::array::from_fn(|_| stream.next_u64());
        assert!(found == expected, "{key:?}: {found:#018x?}");
    }
}
