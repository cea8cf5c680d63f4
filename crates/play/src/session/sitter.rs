//! A strategy in a seat of an interactive game, regardless of the type of the strategy.

use ruse_games::{Game, Seat};
use ruse_strategies::{Family, Memories, Prepared, StopRequest, Strategy};

use crate::arena::{Entered, Side};
use crate::rng::{Label, Stream, StreamKey};

pub(crate) type ActionOf<F> = <<F as Family>::Game as Game>::Action;

/// A strategy that plays one game from one seat.
pub(super) struct Sitter<F: Family> {
    drawn: Entered<F>,
    pair: StreamKey,
    memories: Memories<F>,
    stream: Stream,
}

impl<F: Family> Sitter<F> {
    /// Prepares `player` to play the game with key `pair` from `seat`. After a stop request through `request`, the
    /// actions of the player are unspecified.
    pub(super) fn new(
        family: &F,
        player: &Prepared<F>,
        pair: StreamKey,
        seat: Seat,
        request: &StopRequest,
    ) -> Sitter<F> {
        let (drawn, memories) = (Entered::default(), Memories::heeding(request));
        let mut sitter = Sitter { drawn, pair, memories, stream: pair.stream() };
        sitter.restart(family, player, pair, seat);
        sitter
    }

    /// Starts another game, with this player, key and seat.
    pub(super) fn restart(
        &mut self,
        family: &F,
        player: &Prepared<F>,
        pair: StreamKey,
        seat: Seat,
    ) {
        self.pair = pair;
        self.stream = pair.child(Label::Seat, seat as u64).stream();
        let Sitter { drawn, memories, .. } = self;
        drawn.enter(family, player, pair, Side::B).begin(memories, seat);
    }

    pub(super) fn act(
        &mut self,
        family: &F,
        player: &Prepared<F>,
        view: <F::Game as Game>::View<'_>,
    ) -> ActionOf<F> {
        let Sitter { drawn, pair, memories, stream } = self;
        let mut action = ActionOf::<F>::default();
        drawn.enter(family, player, *pair, Side::B).act(memories, view, stream, &mut action);
        action
    }
}
