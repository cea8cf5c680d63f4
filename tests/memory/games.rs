//! Games allocate nothing: a block of pairs makes as many allocations as one pair.

use ruse::arena::PairResult;
use ruse::family::ContestantSpec;
use ruse::registry::Registry;
use ruse::rng::StreamKey;

use crate::allocator::{measure_alone, num_allocations as allocations_so_far};

#[test]
fn games_do_not_allocate() {
    let _alone = measure_alone();
    for family in Registry::standard().families() {
        let dimension = family.space().dimension();
        let mut contestants =
            vec![ContestantSpec::Redrawn, ContestantSpec::Parameters(vec![0.25; dimension])];
        contestants.push(ContestantSpec::Mixture(vec![
            (1.0, vec![0.25; dimension].into()),
            (2.0, vec![-0.5; dimension].into()),
        ]));
        let references = family.references().into_iter();
        contestants.extend(references.map(|r| ContestantSpec::Reference(r.name.into())));
        for a in &contestants {
            for b in &contestants {
                let matchup = family.matchup(a, b).expect("contestants of the family");
                let mut results = [PairResult::default(); 50];
                let mut num_allocations = |num_pairs: usize| {
                    let before = allocations_so_far();
                    matchup.play(StreamKey::root(1), 0, &mut results[..num_pairs]);
                    allocations_so_far() - before
                };
                // Optimal play may be worked out when it is first asked for.
                num_allocations(1);
                let (one, many) = (num_allocations(1), num_allocations(50));
                assert_eq!(one, many, "{}: {a:?} against {b:?}", family.name());
            }
        }
    }
}
