//! The score of a player over several opponents, several sets of rules, or both.

use ruse_strategies::PairResult;

use super::CONFIDENCE;
use super::scored::Scored;
use super::tally::{Estimate, Tally};

/// Returns the result of a pair from the opponent's point of view.
fn reversed(result: PairResult) -> PairResult {
    // The player that sits first in one game faces an opponent that sits second.
    PairResult { as_first: result.as_second.reversed(), as_second: result.as_first.reversed() }
}

impl Scored {
    /// Returns the same score from the opponent's point of view.
    #[must_use]
    pub fn reversed(&self) -> Scored {
        let mut tally = Tally::default();
        for (result, pairs) in self.tally.results().filter(|&(_, pairs)| pairs > 0) {
            tally.add_many(reversed(result), pairs);
        }
        Scored { tally, exact: self.exact.map(|score| 1.0 - score) }
    }
}

/// Returns the mean score over meetings whose games are independent of each other. Meetings with the same number of
/// pairs have equal weight. Returns `None` if there are no meetings.
///
/// Exactly known scores are constants; the pairs of all other meetings form one sample. Its interval treats the
/// meetings as drawn at random, so it is too wide rather than too narrow: differences between fixed meetings add no
/// noise to the mean.
pub fn over_meetings<'a>(meetings: impl IntoIterator<Item = &'a Scored>) -> Option<Estimate> {
    let (mut exact, mut num_exact, mut num_sampled) = (0.0, 0u32, 0u32);
    let mut pooled = Tally::default();
    for meeting in meetings {
        match meeting.exact {
            Some(score) => {
                exact += score;
                num_exact += 1;
            }
            None if meeting.tally.num_pairs() > 0 => {
                pooled.merge(&meeting.tally);
                num_sampled += 1;
            }
            None => {}
        }
    }
    let num_all = f64::from(num_exact + num_sampled);
    let whole = |sampled: f64| (exact + f64::from(num_sampled) * sampled) / num_all;
    match pooled.estimate() {
        Some(sampled) => Some(Estimate {
            score: whole(sampled.score),
            interval: sampled.interval.map(whole),
            confidence: CONFIDENCE,
            pairs: sampled.pairs,
        }),
        None if num_exact > 0 => Some(Estimate::exact(exact / f64::from(num_exact))),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use ruse_games::Payoff;

    use super::*;

    fn sampled(pairs: &[(Payoff, Payoff, u64)]) -> Scored {
        let mut tally = Tally::default();
        for &(as_first, as_second, pairs) in pairs {
            tally.add_many(PairResult { as_first, as_second }, pairs);
        }
        Scored { tally, exact: None }
    }

    #[test]
    fn exact_scores_are_constants_of_the_mean() {
        let (win, loss, draw) = (Payoff::WIN, Payoff::LOSS, Payoff::DRAW);
        let first = sampled(&[(win, win, 6), (loss, loss, 2), (win, draw, 2)]);
        let second = sampled(&[(win, loss, 10)]);
        let known = Scored { tally: Tally::default(), exact: Some(1.0) };
        // The scores are (6 + 2 * .75) / 10 = .75 and .5; their mean is .625.
        let both = over_meetings([&first, &second]).expect("pairs");
        assert!((both.score - 0.625).abs() < 1e-12, "{both:?}");
        assert_eq!(both.pairs, 20);
        // The mean of .75, .5 and 1; the interval is the interval of the first two, scaled by two thirds.
        let all = over_meetings([&first, &second, &known]).expect("pairs");
        assert!((all.score - 0.75).abs() < 1e-12, "{all:?}");
        for (whole, part) in all.interval.into_iter().zip(both.interval) {
            assert!((whole - (1.0 + 2.0 * part) / 3.0).abs() < 1e-12);
        }
        assert_eq!(over_meetings([&known]), Some(Estimate::exact(1.0)));
        assert_eq!(over_meetings([&Scored::default()]), None);
    }

    #[test]
    fn the_other_side_has_what_is_left() {
        let (win, loss, draw) = (Payoff::WIN, Payoff::LOSS, Payoff::DRAW);
        let one = sampled(&[(win, draw, 3), (loss, loss, 1)]);
        // The drawn game is the one in which the opponent sat first.
        assert_eq!(one.reversed(), sampled(&[(draw, loss, 3), (win, win, 1)]));
        assert_eq!(one.reversed().reversed(), one);
    }

    #[test]
    fn exact_scores_have_another_side() {
        let known = Scored { tally: Tally::default(), exact: Some(0.75) };
        assert_eq!(known.reversed().exact, Some(0.25));
        // Results that did not occur are not listed.
        assert_eq!(known.reversed().tally, Tally::default());
    }

    /// Meetings without games do not count, and exact scores have equal weight: (.5 + 1 + .25) / 3.
    #[test]
    fn meetings_without_games_are_left_out() {
        let exact = |score| Scored { tally: Tally::default(), exact: Some(score) };
        let (half, one, quarter) = (exact(0.5), exact(1.0), exact(0.25));
        let mean = over_meetings([&half, &Scored::default(), &one, &quarter]).expect("exact");
        assert!((mean.score - 1.75 / 3.0).abs() < 1e-15 && mean.is_exact());
        let games = sampled(&[(Payoff::WIN, Payoff::LOSS, 4)]);
        let mean = over_meetings([&games, &Scored::default(), &one]).expect("games");
        assert_eq!((mean.score, mean.pairs), (0.75, 4));
    }
}
