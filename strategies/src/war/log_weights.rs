//! Recorded decisions of the strategies whose first three parameters are log-weights of the orders.

use rand::{Rng, RngExt};
use ruse_games::war::{Pile, War, WarView};
use ruse_search::{Decisions, LogLinear};

use super::{Hashed, OrderingMemory, Perturbation, PileOrdering, Plain, PureOrder};

/// A perturbation with three log-weights as its first parameters.
trait HasLogWeights: Perturbation {}

impl HasLogWeights for Plain {}
impl HasLogWeights for Hashed {}

/// The action of a decision is the order, which is drawn explicitly: a pile of two does not show whether its order was
/// random.
impl<P: HasLogWeights> LogLinear<War> for PileOrdering<P> {
    fn act_recorded<R: Rng>(
        &self,
        _: &mut OrderingMemory,
        view: WarView<'_>,
        rng: &mut R,
        action: &mut Pile,
        decisions: &mut Decisions,
    ) {
        let probabilities = self.probabilities.in_order();
        let drawn: f64 = rng.random();
        let taken = usize::from(drawn >= probabilities[0])
            + usize::from(drawn >= probabilities[0] + probabilities[1]);
        match taken {
            0 => action.set_shuffled(view.pile, rng),
            1 => self.arrange(PureOrder::Ascending, view.pile, action),
            _ => self.arrange(PureOrder::Descending, view.pile, action),
        }
        for order in 0..probabilities.len() {
            decisions.add_feature(order, 1.0);
            decisions.end_action();
        }
        decisions.end_decision(taken);
    }
}
