//! Mixtures of players.

/// Members with weights. For each pair, one member is drawn with a probability proportional to its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture<T> {
    members: Vec<T>,
    /// The cumulative weights, up to and including each member.
    sums: Vec<f64>,
}

impl<T> Mixture<T> {
    /// Creates a mixture of the members with positive weights. Returns `None` if there are no such members. Weights are
    /// finite, and their sum is arbitrary.
    pub fn new(members: impl IntoIterator<Item = (f64, T)>) -> Option<Mixture<T>> {
        let (mut kept, mut sums, mut sum) = (Vec::new(), Vec::new(), 0.0);
        for (weight, member) in members.into_iter().filter(|(weight, _)| *weight > 0.0) {
            sum += weight;
            kept.push(member);
            sums.push(sum);
        }
        (!kept.is_empty()).then_some(Mixture { members: kept, sums })
    }

    /// Returns the number of members, at least one.
    #[allow(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns the member that a uniform number in [0, 1) selects.
    pub fn drawn(&self, uniform: f64) -> &T {
        let drawn = uniform * self.total();
        // Rounding may reach the total, which selects the last member.
        let index = self.sums.partition_point(|sum| *sum <= drawn);
        &self.members[index.min(self.members.len() - 1)]
    }

    /// Iterates over the members with their probabilities.
    pub fn members(&self) -> impl Iterator<Item = (f64, &T)> {
        let total = self.total();
        let before = std::iter::once(0.0).chain(self.sums.iter().copied());
        let weights = self.sums.iter().zip(before).map(move |(sum, before)| (sum - before) / total);
        weights.zip(&self.members)
    }

    /// Returns the only member, or the mixture as an `Err` if there are several members.
    pub fn into_only(mut self) -> Result<T, Mixture<T>> {
        if self.members.len() == 1 { Ok(self.members.remove(0)) } else { Err(self) }
    }

    /// Replaces each member.
    pub(crate) fn map<U>(self, replace: impl FnMut(T) -> U) -> Mixture<U> {
        Mixture { members: self.members.into_iter().map(replace).collect(), sums: self.sums }
    }

    fn total(&self) -> f64 {
        self.sums.last().copied().unwrap_or_default()
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
