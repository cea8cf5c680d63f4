//! Measures the time that a race spends on bookkeeping for each pair that it counts. No games are played.
//!
//! The group `push` measures the comparison operator alone. The group `head to head` measures the whole race on one
//! thread, which hands out blocks of pairs, observes the results in order, and pushes each result. The results of the
//! pairs come from a list.

#[path = "workload/observations.rs"]
mod observations;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ruse::arena::{Opening, PairResult, Source, StopSignal, Stopped};
use ruse::race::{Acceptance, Limits, Operator, RaceSettings, head_to_head};
use ruse::rng::StreamKey;
use ruse_games::Payoff;

use observations::{RATES, expected_verdicts, hold_races, observations};

/// A duel whose results come from a list. After the last result, the list starts again.
struct Known(Vec<PairResult>);

impl Known {
    fn new(observations: &[u16]) -> Known {
        let pair = |&quarter_points: &u16| {
            let [as_first, as_second] = match quarter_points {
                0 => [Payoff::LOSS, Payoff::LOSS],
                2 => [Payoff::WIN, Payoff::LOSS],
                _ => [Payoff::WIN, Payoff::WIN],
            };
            PairResult { as_first, as_second }
        };
        Known(observations.iter().map(pair).collect())
    }
}

impl Source for Known {
    type Item = PairResult;
    const NUM_GAMES: u64 = 2;

    fn play(
        &self,
        _: StreamKey,
        first_pair: u64,
        results: &mut [PairResult],
        _: &StopSignal,
    ) -> Result<(), Stopped> {
        let first = first_pair as usize % self.0.len();
        let known = self.0[first..].iter().chain(&self.0);
        results.iter_mut().zip(known).for_each(|(result, &known)| *result = known);
        Ok(())
    }

    fn open(&self, _: StreamKey, _: &StopSignal) -> Result<Opening<PairResult>, Stopped> {
        Ok(Opening { seen: self.0[0], exact: None })
    }
}

fn ns_per_pair(c: &mut Criterion) {
    let streams = RATES.map(observations);
    for comparison in Operator::ALL {
        let name = comparison.name();
        let mut group = c.benchmark_group("push");
        let expected = expected_verdicts(comparison).expect("a file in benches/outcomes/races");
        for ((rate, stream), expected) in RATES.iter().zip(&streams).zip(expected) {
            // Checks the timed races against the reviewed verdicts.
            assert_eq!(hold_races(comparison, stream), expected, "{name} at {rate}");
            group.throughput(Throughput::Elements(stream.len() as u64)).sample_size(20);
            group.bench_function(BenchmarkId::new(name, rate), |b| {
                b.iter(|| hold_races(comparison, stream));
            });
        }
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    for comparison in Operator::ALL {
        let mut group = c.benchmark_group("head to head");
        for (rate, stream) in RATES.iter().zip(&streams) {
            let duel = Known::new(stream);
            let rules = RaceSettings {
                comparison,
                limits: Limits::default(),
                acceptance: Acceptance::default(),
                max_games: u64::MAX,
            };
            let race = || {
                let stop = StopSignal::default();
                head_to_head(rules, &duel, StreamKey::root(1), &stop, |_| ())
                    .expect("no stop is requested")
            };
            let num_pairs = race().verdict.num_observations;
            group.throughput(Throughput::Elements(num_pairs)).sample_size(20);
            group.bench_function(BenchmarkId::new(comparison.name(), rate), |b| {
                pool.install(|| b.iter(race));
            });
        }
    }
}

criterion_group! {
    name = benches;
    // The sixteen measurements take half a minute in total.
    config = Criterion::default()
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = ns_per_pair
}
criterion_main!(benches);
