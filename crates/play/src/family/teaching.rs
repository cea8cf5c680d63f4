//! Better strategies proposed from rollouts, in a family with its types erased.

use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{StopSignal, Stopped};
use ruse_games::Seat;
use ruse_search::{AnyMemory, ParametricStrategy};
use ruse_strategies::{AnyPlayer, Family, Teaching, Trial};

use crate::arena::{Side, entered, faultless, in_parallel, streams_of_pair};

/// The number of trials in a task of one thread.
const TASK_TRIALS: u64 = 8;

/// Proposals for a strategy, from games against an opponent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proposals {
    /// The parameters of the proposed strategies.
    pub parameters: Vec<Vec<f64>>,
    /// The number of games.
    pub num_games: u64,
}

/// Plays at most `max_games` games of the strategy with parameters `theta` against `opponent`, and returns up to `num`
/// proposals. Everything depends only on `key`.
pub(super) fn proposals<F: Family>(
    family: &F,
    teaching: &Teaching<F::Game, F::Strategy>,
    (theta, opponent): (&[f64], &AnyPlayer<F::Game>),
    (max_games, num): (u64, usize),
    key: StreamKey,
    stop: &StopSignal,
) -> Result<Proposals, Stopped> {
    let game = family.game();
    let strategy = F::Strategy::from_parameters(game, theta).expect("the parameters were checked");
    let task = |trials: std::ops::Range<u64>| {
        let mut memory = AnyMemory::heeding(stop.request());
        let mut played = Vec::new();
        for index in trials {
            let pair = key.child(Label::Pair, index);
            let opponent = entered(game, opponent, pair, Side::B);
            let seat = if index % 2 == 0 { Seat::First } else { Seat::Second };
            let mut choice = pair.child(Label::Choice, 0).stream();
            let opponent = (&*opponent, &mut memory);
            let (streams, request) = (streams_of_pair(pair), stop.request());
            played.push((teaching.play)(
                game,
                &strategy,
                seat,
                opponent,
                &streams,
                &mut choice,
                request,
            ));
        }
        // Stop requests are sticky, so games that were abandoned because of a request are detected here.
        stop.check().map(|()| played)
    };
    let (mut trials, mut num_games, mut next): (Vec<Trial>, u64, u64) = (Vec::new(), 0, 0);
    loop {
        let fitting = (max_games - num_games) / ruse_strategies::MAX_TRIED as u64;
        if fitting == 0 {
            break;
        }
        let starts: Vec<u64> = (next..next + fitting).step_by(TASK_TRIALS as usize).collect();
        let end = next + fitting;
        let played =
            in_parallel(&starts, stop, |&start| task(start..end.min(start + TASK_TRIALS)))?;
        for (trial, games) in played.into_iter().flatten() {
            trials.extend(trial);
            num_games += games;
        }
        next = end;
    }
    faultless(family, stop)?;
    let numbers: Vec<u64> = (0..num as u64).collect();
    let parameters = in_parallel(&numbers, stop, |&number| {
        let mut stream = key.child(Label::Mutation, number).stream();
        Ok((teaching.taught)(game, theta, &trials, &mut stream))
    })?;
    Ok(Proposals { parameters: parameters.into_iter().flatten().collect(), num_games })
}
