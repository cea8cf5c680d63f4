//! The goals of both players, which are results from 0 to 100, in games whose goals do not add up to a constant.
//!
//! In these games a payoff is a difference of goals. Payoffs therefore do not distinguish two bad players from two good
//! players: in both cases, each player scores one half.

use std::sync::Arc;

use ruse_base::rng::{Label, Stream, StreamKey};
use ruse_base::stop::{StopRequest, StopSignal, Stopped};
use ruse_games::{BySeat, Game, Seat};
use ruse_search::{AnyMemory, AnyStrategy};
use ruse_strategies::{AnyPlayer, Streams};

use super::SampleMean;
use crate::arena::{Side, Sitter, entered, in_parallel, play_seen, streams_of_pair};

/// A function that returns the goals of both seats at the end of a game.
type Goals<G> = fn(&G, &<G as Game>::State) -> Option<BySeat<f64>>;

/// Plays the first `pairs` pairs of `a` against `b`, and returns the mean goal of each player, from 0 to 100. Each pair
/// is one measurement. Returns `None` without pairs.
///
/// # Errors
///
/// Returns an error if the games were stopped.
pub fn mean_goals<G: Game>(
    game: &G,
    goals: Goals<G>,
    [a, b]: [&AnyPlayer<G>; 2],
    key: StreamKey,
    pairs: u64,
    stop: &StopSignal,
) -> Result<Option<[SampleMean; 2]>, Stopped> {
    let indices: Vec<u64> = (0..pairs).collect();
    let request = stop.request();
    let goals = in_parallel(&indices, stop, |&index| {
        let pair = key.child(Label::Pair, index);
        let [a, b] =
            [(a, Side::A), (b, Side::B)].map(|(player, side)| entered(game, player, pair, side));
        let of_game = |first, second| {
            goals_of_game(game, goals, first, second, streams_of_pair(pair), request)
        };
        let (as_first, as_second) = (of_game(&a, &b), of_game(&b, &a));
        stop.check()?;
        Ok(as_first.zip(as_second).map(|(first, second)| {
            [(first.first + second.second) / 2.0, (first.second + second.first) / 2.0]
        }))
    })?;
    Ok(goals.into_iter().collect::<Option<Vec<_>>>().and_then(|goals| means(&goals)))
}

/// Returns the mean of each side over all pairs.
fn means(goals: &[[f64; 2]]) -> Option<[SampleMean; 2]> {
    let of_side = |side: usize| {
        SampleMean::of(&goals.iter().map(|of_pair| of_pair[side]).collect::<Vec<_>>())
    };
    of_side(0).zip(of_side(1)).map(|(a, b)| [a, b])
}

/// Plays a game and returns the goals of both seats. Returns `None` if the game has no goals or a stop is requested.
fn goals_of_game<G: Game>(
    game: &G,
    goals: Goals<G>,
    first: &Arc<dyn AnyStrategy<G>>,
    second: &Arc<dyn AnyStrategy<G>>,
    Streams { mut chance, seats }: Streams<Stream>,
    request: &StopRequest,
) -> Option<BySeat<f64>> {
    let sitter = |strategy: &Arc<_>, seat, stream| {
        Sitter::new(Arc::clone(strategy), seat, stream, AnyMemory::heeding(request))
    };
    let mut sitters = BySeat {
        first: sitter(first, Seat::First, seats.first),
        second: sitter(second, Seat::Second, seats.second),
    };
    let state = game.deal(&mut chance);
    goals(game, &play_seen(game, state, &mut sitters, &mut chance, request, |_, _, _| ())?)
}

#[cfg(test)]
mod tests {
    use ruse_games::rule_file::RuleFile;
    use ruse_gdl::Limits;
    use ruse_strategies::nim::NimFamily;
    use ruse_strategies_rules::SeedFamily;

    use super::*;
    use crate::family::{AnyMeasures, ErasedFamily, Player};

    /// Each role keeps or raises: white has 20 or 80, black 40 or 100.
    const RAISE: &str = "
        (role white) (role black) (init start)
        (legal white keep) (legal white raise) (legal black keep) (legal black raise)
        (<= (next (did ?r ?m)) (does ?r ?m))
        (<= terminal (not (true start)))
        (<= (goal white 20) (true (did white keep))) (<= (goal white 80) (true (did white raise)))
        (<= (goal black 40) (true (did black keep))) (<= (goal black 100) (true (did black raise)))";

    /// The strategy that takes the first legal move by its text keeps: 30 on average over both roles. A random move has
    /// 60 on average, within five standard errors for all but one seed in two million. Its goals are 20 or 80, and 40
    /// or 100: the variance of their mean is 30^2 / 2, so the standard error over 2000 pairs is .474.
    #[test]
    fn both_sides_have_goals_of_their_own() {
        let file = RuleFile::from_text("raise.kif", RAISE.as_bytes(), &Limits::default());
        let family = SeedFamily::new("raise.kif", file.expect("the text is right"));
        let family = ErasedFamily::new(family);
        let [keeps, random] = ["first-legal", "random"].map(|name| Player::Named(name.into()));
        let stop = StopSignal::default();
        let goals = |pairs| {
            let goals = family.mean_goals(&keeps, &random, StreamKey::root(1), pairs, &stop);
            goals.expect("no stop is requested").expect("the file has goals")
        };
        assert_eq!(goals(0), [30.0, 60.0].map(SampleMean::exact));
        let [own, other] = goals(2000);
        assert_eq!((own.mean, own.standard_error), (30.0, Some(0.0)));
        assert!((other.mean - 60.0).abs() < 5.0 * 0.474, "{other:?}");
        assert!((other.standard_error.expect("many pairs") - 0.474).abs() < 0.02, "{other:?}");
    }

    #[test]
    fn games_without_goals_have_no_mean_goals() {
        let nim = ErasedFamily::new(NimFamily::standard());
        let stop = StopSignal::default();
        let goals =
            nim.mean_goals(&Player::Redrawn, &Player::Redrawn, StreamKey::root(1), 2, &stop);
        assert!(goals.expect("no stop is requested").is_none());
    }
}
