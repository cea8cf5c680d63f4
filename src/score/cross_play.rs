//! The scores of every member of a league against every other member, over a fixed number of pairs.

use super::round_robin::{Request, open_all, play_all};
use super::scored::Scored;
use super::tally::Estimate;
use crate::arena::{League, StopSignal, Stopped};
use crate::rng::StreamKey;

/// The score of every member of a league against every other member.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossTable {
    num_members: usize,
    /// The estimates of a against b for a < b, row by row.
    estimates: Vec<Estimate>,
}

impl CrossTable {
    /// Returns the number of members.
    pub fn num_members(&self) -> usize {
        self.num_members
    }

    /// Returns the score of member `a` against member `b`; exactly one half if they are the same member.
    ///
    /// # Panics
    ///
    /// Panics if there is no member with this index.
    pub fn estimate(&self, a: usize, b: usize) -> Estimate {
        let n = self.num_members;
        assert!(a < n && b < n, "members {a} and {b} of {n}");
        if a == b {
            return Estimate {
                score: 0.5,
                interval: [0.5; 2],
                confidence: super::CONFIDENCE,
                pairs: 0,
            };
        }
        let (first, second) = (a.min(b), a.max(b));
        // The rows before `first` have n - 1, n - 2, ... entries.
        let index = first * (2 * n - first - 1) / 2 + (second - first - 1);
        let estimate = self.estimates[index];
        if a < b { estimate } else { estimate.reversed() }
    }
}

/// Plays `num_pairs` pairs, at least two, between any two of the first `num_members` members of a league, or one pair
/// if the score is known exactly. All meetings share the same deals, so members that play alike have the same rows.
/// `on_row` is called with the number of members that have met all others.
///
/// # Errors
///
/// Returns an error if the games were stopped from outside.
pub fn cross_play(
    league: &dyn League,
    num_members: usize,
    num_pairs: u64,
    key: StreamKey,
    stop: &StopSignal,
    mut on_row: impl FnMut(usize),
) -> Result<CrossTable, Stopped> {
    let num_pairs = num_pairs.max(2);
    let mut estimates = Vec::new();
    for a in 0..num_members {
        let opponents: Vec<usize> = (a + 1..num_members).collect();
        let duels: Vec<_> = opponents.iter().map(|&b| (a, b, key)).collect();
        let mut row = open_all(league, num_members, &duels, stop)?;
        let due: Vec<Request> = opponents
            .iter()
            .zip(&row)
            .filter(|(_, opened)| opened.exact.is_none())
            .map(|(&b, _)| Request { a, b, key, first_pair: 1, num_pairs: num_pairs - 1 })
            .collect();
        let played = play_all(league, &due, stop, |_| ())?;
        for (request, tally) in due.iter().zip(&played) {
            row[request.b - a - 1].tally.merge(tally);
        }
        let known = |scored: &Scored| scored.estimate().expect("a pair was played");
        estimates.extend(row.iter().map(known));
        on_row(a + 1);
    }
    Ok(CrossTable { num_members, estimates })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::Player;
    use crate::registry::Registry;

    fn table(family: &str, num_threads: usize) -> CrossTable {
        let registry = Registry::standard();
        let family = registry.family(family).expect("known");
        let names = family.references();
        let members: Vec<_> =
            names.iter().map(|info| Player::Named(info.name.to_string())).collect();
        let members: Vec<_> = members.iter().collect();
        let league = family.league(&members).expect("references");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build();
        pool.expect("threads").install(|| {
            let (key, stop) = (StreamKey::root(1), StopSignal::default());
            cross_play(league.as_ref(), members.len(), 300, key, &stop, |_| ()).expect("no stop")
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
        let registry = Registry::standard();
        let war = registry.family("war").expect("known");
        let spec = |name: &str| Player::Named(name.into());
        let (a, b) = (spec("descending"), spec("random"));
        let matchup = war.duel(&a, &b).expect("references");
        let stop = StopSignal::default();
        let key = StreamKey::root(1);
        let (tally, _) = super::super::sample(&matchup, key, 300, &stop, |_| ());
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
}
