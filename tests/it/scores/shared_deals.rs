//! Tests of tournaments on the same deals.

use std::sync::Arc;

use ruse::arena::{League, StopSignal};
use ruse::family::Player;
use ruse::registry::Registry;
use ruse::rng::StreamKey;
use ruse::score::{SharedDeals, sample};

fn references(family: &str) -> (Vec<Player>, Arc<dyn League>) {
    let family = Registry::standard().family(family).expect("known");
    let names = family.references().into_iter();
    let players: Vec<_> = names.map(|info| Player::Named(info.name.to_string())).collect();
    let league = family.league(&players.iter().collect::<Vec<_>>()).expect("references");
    (players, league)
}

fn tournament(family: &str, num_deals: u64, num_threads: usize) -> SharedDeals {
    let (players, league) = references(family);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build();
    pool.expect("threads").install(|| {
        let (key, stop) = (StreamKey::root(1), StopSignal::default());
        SharedDeals::play(league.as_ref(), players.len(), num_deals, key, &stop, |_| ())
            .expect("not stopped")
    })
}

#[test]
fn threads_do_not_matter_and_meetings_are_those_of_a_match() {
    let found = tournament("war", 300, 1);
    assert_eq!(found, tournament("war", 300, 3));
    let war = Registry::standard().family("war").expect("known");
    let names: Vec<_> = war.references().into_iter().map(|info| info.name.to_string()).collect();
    let place = |name: &str| names.iter().position(|known| known == name).expect("a reference");
    let player = |name: &str| Player::Named(name.into());
    let duel = war.duel(&player("descending"), &player("random")).expect("references");
    let (key, stop) = (StreamKey::root(1), StopSignal::default());
    let (tally, _) = sample(&duel, key, 300, &stop, |_| ());
    let meeting = found.scores().estimate(place("descending"), place("random"));
    assert_eq!(Some(meeting), tally.estimate());
    let other = found.scores().estimate(place("random"), place("descending"));
    assert_eq!(other.score, 1.0 - meeting.score);
}

/// Mean scores average one half, and leads are differences of mean scores. The interval of a mean score is narrower
/// than the average interval of the member's meetings.
#[test]
fn means_and_leads_agree_with_meetings() {
    let found = tournament("cheat", 200, 2);
    let n = found.scores().num_members();
    assert!(n >= 3 && found.num_deals() == 200);
    let mut sum = 0.0;
    for a in 0..n {
        let mean = found.mean(a);
        let others = || (0..n).filter(|&b| b != a).map(|b| found.scores().estimate(a, b));
        let expected = others().map(|estimate| estimate.score).sum::<f64>() / (n - 1) as f64;
        assert!((mean.score - expected).abs() < 1e-12);
        let widths = others().map(|e| e.half_width()).sum::<f64>() / (n - 1) as f64;
        assert!(mean.half_width() < widths + 1e-12, "{} of {widths}", mean.half_width());
        sum += mean.score;
        for b in (0..n).filter(|&b| b != a) {
            let (lead, [low, high]) = found.lead(a, b);
            assert!((lead - (mean.score - found.mean(b).score)).abs() < 1e-12);
            assert!(low <= lead && lead <= high);
            let (other, [other_low, _]) = found.lead(b, a);
            assert_eq!((other, other_low), (-lead, -high));
        }
    }
    assert!((sum - n as f64 / 2.0).abs() < 1e-9);
}

/// In a tournament of two members, the mean score of the first member is the score s of the only meeting, and the lead
/// is 2 s - 1. The intervals agree accordingly.
#[test]
fn a_tournament_of_two_is_a_match() {
    let (_, league) = references("war");
    let (key, stop) = (StreamKey::root(3), StopSignal::default());
    let found =
        SharedDeals::play(league.as_ref(), 2, 100, key, &stop, |_| ()).expect("not stopped");
    let (meeting, mean, (lead, [low, high])) =
        (found.scores().estimate(0, 1), found.mean(0), found.lead(0, 1));
    let same = |x: f64, y: f64| assert!((x - y).abs() < 1e-12, "{x} and {y}");
    same(mean.score, meeting.score);
    for side in 0..2 {
        same(mean.interval[side], meeting.interval[side]);
    }
    same(lead, 2.0 * meeting.score - 1.0);
    same(low, 2.0 * meeting.interval[0] - 1.0);
    same(high, 2.0 * meeting.interval[1] - 1.0);
}

#[test]
fn exact_scores_leave_nothing_to_play() {
    let found = tournament("pig", 200, 2);
    assert_eq!((found.num_deals(), found.num_pairs()), (0, 0));
    for a in 0..found.scores().num_members() {
        assert!(found.mean(a).is_exact());
        assert!((0..a).all(|b| found.scores().estimate(a, b).is_exact()));
    }
    let (lead, bounds) = found.lead(0, 1);
    assert_eq!(bounds, [lead; 2]);
}
