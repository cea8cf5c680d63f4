//! The goals of both players, which are results from 0 to 100, in games whose goals do not add up to a constant.
//!
//! In these games a payoff is a difference of goals. Payoffs therefore do not distinguish two bad players from two good
//! players: in both cases, each player scores one half.

use ruse_games::{BySeat, Game, Seat, Turn};
use ruse_strategies::{Family, Memories, PlayerRef, Prepared, StopRequest, Strategy, Streams};

use super::SampleMean;
use crate::arena::{Entered, Side, StopSignal, Stopped, in_parallel, streams_of_pair};
use crate::rng::{Label, Stream, StreamKey};

/// Plays the first `pairs` pairs of `a` against `b`, and returns the mean goal of each player, from 0 to 100. Each pair
/// is one measurement. Computes the goals if `pairs` is 0. Returns `None` if they cannot be computed, or if the goals of
/// the family carry no more information than its payoffs.
///
/// # Errors
///
/// Returns an error if the games were stopped.
pub fn mean_goals<F: Family>(
    family: &F,
    (a, b): (&Prepared<F>, &Prepared<F>),
    key: StreamKey,
    pairs: u64,
    stop: &StopSignal,
) -> Result<Option<[SampleMean; 2]>, Stopped> {
    if family.capabilities().goals.is_none() {
        return Ok(None);
    }
    if pairs == 0 {
        return Ok(family.exact_goals(a, b).map(|goals| goals.map(SampleMean::exact)));
    }
    let indices: Vec<u64> = (0..pairs).collect();
    let request = stop.request();
    let goals = in_parallel(&indices, stop, |&index| {
        let pair = key.child(Label::Pair, index);
        let (mut drawn_a, mut drawn_b) = (Entered::default(), Entered::default());
        let a = drawn_a.enter(family, a, pair, Side::A);
        let b = drawn_b.enter(family, b, pair, Side::B);
        let as_first = goals_of_game(family, a, b, streams_of_pair(pair), request);
        let as_second = goals_of_game(family, b, a, streams_of_pair(pair), request);
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
fn goals_of_game<F: Family>(
    family: &F,
    first: PlayerRef<'_, F>,
    second: PlayerRef<'_, F>,
    mut streams: Streams<Stream>,
    request: &StopRequest,
) -> Option<BySeat<f64>> {
    let game = family.game();
    let mut memories = BySeat::from_fn(|_| Memories::heeding(request));
    first.begin(&mut memories.first, Seat::First);
    second.begin(&mut memories.second, Seat::Second);
    let mut state = game.deal(&mut streams.chance);
    let mut action = <F::Game as Game>::Action::default();
    while let Turn::Act(seat) = game.turn(&state) {
        let sitting = if seat == Seat::First { &first } else { &second };
        let view = game.view(&state, seat);
        sitting.act(&mut memories[seat], view, &mut streams.seats[seat], &mut action);
        game.apply(&mut state, seat, &action, &mut streams.chance);
        if request.is_set() {
            return None;
        }
    }
    family.capabilities().goals?(game, &state)
}

#[cfg(test)]
mod tests {
    use ruse_games::rule_file::RuleFile;
    use ruse_gdl::Limits;
    use ruse_strategies::rule_file::{RuleFileReference, SeedFamily};

    use super::*;

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
        let player = Prepared::Reference;
        let (keeps, random) = (RuleFileReference::FirstLegal, RuleFileReference::Random);
        let stop = StopSignal::default();
        let goals = |pairs| {
            mean_goals(&family, (&player(keeps), &player(random)), StreamKey::root(1), pairs, &stop)
                .expect("no stop is requested")
                .expect("the file has goals")
        };
        assert_eq!(goals(0), [30.0, 60.0].map(SampleMean::exact));
        let [own, other] = goals(2000);
        assert_eq!((own.mean, own.standard_error), (30.0, Some(0.0)));
        assert!((other.mean - 60.0).abs() < 5.0 * 0.474, "{other:?}");
        assert!((other.standard_error.expect("many pairs") - 0.474).abs() < 0.02, "{other:?}");
    }

    #[test]
    fn games_without_goals_have_no_mean_goals() {
        let nim = ruse_strategies::nim::NimFamily::standard();
        let random = Prepared::redrawn(&nim);
        let stop = StopSignal::default();
        let goals = mean_goals(&nim, (&random, &random), StreamKey::root(1), 2, &stop);
        assert!(goals.expect("no stop is requested").is_none());
    }
}
