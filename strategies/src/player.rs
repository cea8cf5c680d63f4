//! What a family plays with, once names and numbers are strategies.

use std::sync::Arc;

use rand::Rng;
use ruse_games::Seat;

use crate::search::{AnyMemory, AnyStrategy};
use crate::{Family, ParametricStrategy, StopWish, Strategy};

/// A player of a family, ready to play.
pub enum Prepared<F: Family> {
    /// A parametric strategy.
    Own(F::Strategy),
    /// A reference strategy.
    Reference(F::Reference),
    /// A player that searches.
    Searching(Box<dyn AnyStrategy<F::Game>>),
    /// The baseline: a parametric strategy whose parameters are standard Gaussian, drawn anew for every pair.
    Redrawn(Arc<Redrawn<F>>),
    /// One of several, drawn anew for every pair with its probability.
    Mixture(Mixture<Prepared<F>>),
}

impl<F: Family> Prepared<F> {
    /// The baseline of a family.
    pub fn redrawn(family: &F) -> Prepared<F> {
        Prepared::Redrawn(Arc::new(Redrawn::new(family)))
    }
}

/// What the baseline of a family is made from: a strategy of the right shape, with parameters of zero.
#[derive(Debug)]
pub struct Redrawn<F: Family> {
    /// Drawn parameters are put into a copy of it.
    pub template: F::Strategy,
    /// The number of parameters.
    pub dimension: usize,
}

impl<F: Family> Redrawn<F> {
    /// That of a family.
    pub fn new(family: &F) -> Redrawn<F> {
        let dimension = F::Strategy::space(family.game()).dimension();
        let template = F::Strategy::from_parameters(family.game(), &vec![0.0; dimension])
            .expect("a vector of zeros is in every parameter space");
        Redrawn { template, dimension }
    }
}

/// Several of which one is drawn, each by its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture<T> {
    members: Vec<T>,
    /// The sum of the weights up to each member.
    sums: Vec<f64>,
}

impl<T> Mixture<T> {
    /// Those with a positive weight; none if there is none. The weights are finite numbers of any sum.
    pub fn new(members: impl IntoIterator<Item = (f64, T)>) -> Option<Mixture<T>> {
        let (mut kept, mut sums, mut sum) = (Vec::new(), Vec::new(), 0.0);
        for (weight, member) in members.into_iter().filter(|(weight, _)| *weight > 0.0) {
            sum += weight;
            kept.push(member);
            sums.push(sum);
        }
        (!kept.is_empty()).then_some(Mixture { members: kept, sums })
    }

    /// The number of members, at least one.
    #[allow(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// The member that `uniform`, a number in [0, 1), stands for.
    pub fn drawn(&self, uniform: f64) -> &T {
        let drawn = uniform * self.total();
        // Rounding may reach the total: then it is the last one.
        let index = self.sums.partition_point(|sum| *sum <= drawn);
        &self.members[index.min(self.members.len() - 1)]
    }

    /// The members, each with its probability.
    pub fn members(&self) -> impl Iterator<Item = (f64, &T)> {
        let total = self.total();
        let before = std::iter::once(0.0).chain(self.sums.iter().copied());
        let weights = self.sums.iter().zip(before).map(move |(sum, before)| (sum - before) / total);
        weights.zip(&self.members)
    }

    /// The only member, if there is just one.
    pub fn into_only(mut self) -> Result<T, Mixture<T>> {
        match self.members.len() {
            1 => Ok(self.members.remove(0)),
            _ => Err(self),
        }
    }

    fn total(&self) -> f64 {
        self.sums.last().copied().unwrap_or_default()
    }
}

/// A strategy of a family that plays one pair, of any type.
pub enum Sitting<'a, F: Family> {
    /// A parametric strategy.
    Own(&'a F::Strategy),
    /// A reference strategy.
    Reference(&'a F::Reference),
    /// A player that searches.
    Searching(&'a dyn AnyStrategy<F::Game>),
}

impl<F: Family> Clone for Sitting<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Family> Copy for Sitting<'_, F> {}

/// The strategy whose type is found out at each turn: for games that take long anyway.
impl<F: Family> Strategy<F::Game> for Sitting<'_, F> {
    type Memory = Memories<F>;

    fn begin(&self, memory: &mut Memories<F>, seat: Seat) {
        match self {
            Sitting::Own(strategy) => strategy.begin(&mut memory.own, seat),
            Sitting::Reference(strategy) => strategy.begin(&mut memory.reference, seat),
            Sitting::Searching(strategy) => strategy.begin_any(&mut memory.searching, seat),
        }
    }

    fn act<R: Rng>(
        &self,
        memory: &mut Memories<F>,
        view: <F::Game as ruse_games::Game>::View<'_>,
        rng: &mut R,
        action: &mut <F::Game as ruse_games::Game>::Action,
    ) {
        match self {
            Sitting::Own(strategy) => strategy.act(&mut memory.own, view, rng, action),
            Sitting::Reference(strategy) => strategy.act(&mut memory.reference, view, rng, action),
            Sitting::Searching(strategy) => {
                strategy.act_any(&mut memory.searching, view, rng, action);
            }
        }
    }

    fn heed(memory: &mut Memories<F>, wish: &StopWish) {
        F::Strategy::heed(&mut memory.own, wish);
        F::Reference::heed(&mut memory.reference, wish);
        memory.searching.heed(wish);
    }
}

/// Plays with two players, each with its buffers, whatever the types of their strategies are: `play` sees each of them as
/// [`WithMemory`](crate::WithMemory).
macro_rules! of_either {
    ($first:expr, $second:expr, |$a:ident, $b:ident| $play:expr) => {{
        use $crate::Sitting::{Own, Reference, Searching};
        let ((first, first_memories), (second, second_memories)) = ($first, $second);
        match (&first, &second) {
            (Own(first), Own(second)) => {
                let ($a, $b) = ((*first, &mut first_memories.own), (*second, &mut second_memories.own));
                $play
            }
            (Own(first), Reference(second)) => {
                let ($a, $b) =
                    ((*first, &mut first_memories.own), (*second, &mut second_memories.reference));
                $play
            }
            (Reference(first), Own(second)) => {
                let ($a, $b) =
                    ((*first, &mut first_memories.reference), (*second, &mut second_memories.own));
                $play
            }
            (Reference(first), Reference(second)) => {
                let ($a, $b) = (
                    (*first, &mut first_memories.reference),
                    (*second, &mut second_memories.reference),
                );
                $play
            }
            // A search takes so long that its opponent's type need not be known: a third type would be five more copies
            // of the game.
            (Searching(_), _) | (_, Searching(_)) => {
                let ($a, $b) = ((&first, first_memories), (&second, second_memories));
                $play
            }
        }
    }};
}
pub(crate) use of_either;

/// Buffers of one player for what either type of strategy remembers during a game.
pub struct Memories<F: Family> {
    /// That of a parametric strategy.
    pub own: <F::Strategy as Strategy<F::Game>>::Memory,
    /// That of a reference strategy.
    pub reference: <F::Reference as Strategy<F::Game>>::Memory,
    /// That of a player that searches.
    pub searching: AnyMemory,
}

impl<F: Family> Memories<F> {
    /// Buffers of a player who hears of a wish to stop while it thinks.
    pub fn heeding(wish: &StopWish) -> Memories<F> {
        let mut memories = Memories::default();
        Sitting::heed(&mut memories, wish);
        memories
    }
}

impl<F: Family> Default for Memories<F> {
    fn default() -> Self {
        Memories {
            own: Default::default(),
            reference: Default::default(),
            searching: AnyMemory::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_drawn_by_their_weights() {
        let mixture = Mixture::new([(1.0, 'a'), (0.0, 'b'), (3.0, 'c')]).expect("two have weight");
        let drawn = [0.0, 0.249, 0.25, 0.999, 1.0].map(|uniform| *mixture.drawn(uniform));
        assert_eq!(drawn, ['a', 'a', 'c', 'c', 'c']);
        let members: Vec<_> = mixture.members().map(|(p, member)| (p, *member)).collect();
        assert_eq!(members, [(0.25, 'a'), (0.75, 'c')]);
        assert_eq!(Mixture::new([(0.0, 'a')]), None);
        assert_eq!(Mixture::new([(0.5, 'a')]).expect("one").into_only(), Ok('a'));
    }
}
