//! Tests of the scores of all players against each other.

use ruse::arena::StopSignal;
use ruse::family::Player;
use ruse::registry::Registry;
use ruse::rng::StreamKey;
use ruse::score::{RoundRobin, sample};

fn table(family: &str, num_threads: usize) -> RoundRobin {
    let family = Registry::standard().family(family).expect("known");
    let names = family.references();
    let members: Vec<_> = names.iter().map(|info| Player::Named(info.name.to_string())).collect();
    let members: Vec<_> = members.iter().collect();
    let league = family.league(&members).expect("references");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build();
    pool.expect("threads").install(|| {
        let (key, stop) = (StreamKey::root(1), StopSignal::default());
        RoundRobin::hold(league.as_ref(), members.len(), 300, key, &stop, |_| ()).expect("no stop")
    })
}

#[test]
fn scores_are_antisymmetric_and_do_not_depend_on_threads() {
    let found = table("war", 1);
    assert_eq!(found, table("war", 3));
    let n = found.num_members();
    assert!(n >= 3);
    for a in 0..n {
        for b in 0..n {
            let (x, y) = (found.estimate(a, b), found.estimate(b, a));
            assert_eq!(x.score + y.score, 1.0);
            assert_eq!(x.interval[0] + y.interval[1], 1.0);
        }
    }
}

#[test]
fn the_estimates_are_those_of_a_match() {
    let war = Registry::standard().family("war").expect("known");
    let spec = |name: &str| Player::Named(name.into());
    let (a, b) = (spec("descending"), spec("random"));
    let matchup = war.duel(&a, &b).expect("references");
    let stop = StopSignal::default();
    let key = StreamKey::root(1);
    let (tally, _) = sample(&matchup, key, 300, &stop, |_| ());
    let place = |name| war.references().iter().position(|info| info.name == name);
    let (a, b) = (place("descending").expect("known"), place("random").expect("known"));
    assert_eq!(Some(table("war", 2).estimate(a, b)), tally.estimate());
}

#[test]
fn certain_meetings_are_exact() {
    let found = table("nim", 2);
    let exact = (0..found.num_members())
        .flat_map(|a| (0..found.num_members()).map(move |b| (a, b)))
        .filter(|&(a, b)| a != b && found.estimate(a, b).pairs == 1);
    for (a, b) in exact {
        let [low, high] = found.estimate(a, b).interval;
        assert_eq!(low, high);
    }
}
