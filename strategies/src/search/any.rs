//! Strategies behind one pointer.

use std::any::Any;

use rand::Rng;
use ruse_games::{Game, Seat};

use crate::Strategy;

/// A [`Strategy`] of which the type is not known: for players that think for so long that a dynamic call costs nothing.
pub trait AnyStrategy<G: Game>: Send + Sync {
    /// As [`Strategy::begin`].
    fn begin_any(&self, memory: &mut AnyMemory, seat: Seat);

    /// As [`Strategy::act`].
    fn act_any(
        &self,
        memory: &mut AnyMemory,
        view: G::View<'_>,
        rng: &mut dyn Rng,
        action: &mut G::Action,
    );
}

/// What an [`AnyStrategy`] remembers of a game; the buffer is reused from game to game, and by strategies of one type.
#[derive(Default)]
pub struct AnyMemory(Option<Box<dyn Any + Send>>);

impl AnyMemory {
    /// The memory of a strategy of this type, made anew if it was that of another type.
    fn of<M: Default + Send + 'static>(&mut self) -> &mut M {
        if !self.0.as_ref().is_some_and(|memory| memory.is::<M>()) {
            self.0 = Some(Box::<M>::default());
        }
        let memory = self.0.as_mut().and_then(|memory| memory.downcast_mut());
        memory.expect("it was made of this type just now, if it was not before")
    }
}

impl<G: Game, S: Strategy<G>> AnyStrategy<G> for S
where
    S::Memory: 'static,
{
    fn begin_any(&self, memory: &mut AnyMemory, seat: Seat) {
        Strategy::begin(self, memory.of(), seat);
    }

    fn act_any(
        &self,
        memory: &mut AnyMemory,
        view: G::View<'_>,
        mut rng: &mut dyn Rng,
        action: &mut G::Action,
    ) {
        Strategy::act(self, memory.of(), view, &mut rng, action);
    }
}
