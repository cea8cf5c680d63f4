//! Games of a log-linear strategy against itself, with a record of all decisions.

use rand::rngs::Xoshiro256PlusPlus;
use ruse_base::stop::StopRequest;
use ruse_games::{BySeat, Game, Payoff};
use ruse_search::{Decisions, LogLinear, Recorded, RecordedMemory, Strategy};

use crate::{Streams, play_by_turns};

/// A game of a strategy against itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Episode {
    /// The payoff to the first seat.
    pub payoff: Payoff,
    /// The decisions of each seat.
    pub decisions: BySeat<Decisions>,
}

/// The streams of a game between a strategy and itself.
type StreamsOfGame = Streams<Xoshiro256PlusPlus>;

/// The self-play of strategies that are [log-linear](LogLinear).
#[allow(
    clippy::type_complexity,
    reason = "each function has the types of its trait and is written once"
)]
pub struct SelfPlay<G: Game, S> {
    /// Plays a game of the strategy against itself for each of these streams. If the request is made, the results are
    /// meaningless.
    pub play: fn(&G, &S, &mut dyn Iterator<Item = StreamsOfGame>, &StopRequest) -> Vec<Episode>,
    /// See [`LogLinear::to_coordinates`].
    pub to_coordinates: fn(&G, &mut [f64]),
    /// See [`LogLinear::to_parameters`].
    pub to_parameters: fn(&G, &mut [f64]),
}

impl<G: Game, S: LogLinear<G>> SelfPlay<G, S> {
    /// Returns the self-play of the strategies.
    pub fn new() -> SelfPlay<G, S> {
        SelfPlay {
            play: play_itself,
            to_coordinates: S::to_coordinates,
            to_parameters: S::to_parameters,
        }
    }
}

impl<G: Game, S: LogLinear<G>> Default for SelfPlay<G, S> {
    fn default() -> SelfPlay<G, S> {
        SelfPlay::new()
    }
}

fn play_itself<G: Game, S: LogLinear<G>>(
    game: &G,
    strategy: &S,
    games: &mut dyn Iterator<Item = StreamsOfGame>,
    request: &StopRequest,
) -> Vec<Episode> {
    let memory = || {
        let mut memory = RecordedMemory::<S::Memory>::default();
        <Recorded<'_, S> as Strategy<G>>::heed(&mut memory, request);
        memory
    };
    let (mut first, mut second) = (memory(), memory());
    let player = Recorded(strategy);
    let mut action = G::Action::default();
    let play = |mut streams: StreamsOfGame| {
        let state = game.deal(&mut streams.chance);
        let payoff = play_by_turns(
            game,
            state,
            (&player, &mut first),
            (&player, &mut second),
            &mut action,
            &mut streams,
            request,
        );
        let [first, second] =
            [&mut first, &mut second].map(|memory| std::mem::take(&mut memory.decisions));
        Episode { payoff, decisions: BySeat { first, second } }
    };
    games.map(play).collect()
}
