//! Strategies for games from rule files, available for any file.
//!
//! | family | parameters | plays |
//! |---|---|---|
//! | `FILE.kif` | one for each role | a pure strategy for each number |
//! | `FILE.kif:seed-memoryless` | one for each role | a pure strategy whose choices depend only on the legal moves |
//! | `FILE.kif:linear` | 64 for each role, or as set by `features` | the move with the largest sum of parameters |
//! | `FILE.kif:linear-softmax` | 64 for each role, or as set by `features` | a move drawn according to these sums |
//! | `FILE.kif:table` | one for each move in each situation | a move drawn with the probability in the table |
//! | `FILE.kif:value` | a weight for each fact | the move that a search with learned values finds |
//! | `FILE.kif:mac-ucb`, `FILE.kif:uct` | the constants of a search | the move that the search finds |
//!
//! The families except `value` use hashes of texts, so parameters mean the same in every implementation, whatever the order of
//! the rules in the file.
//!
//! In small games, exact scores are computed by enumeration, and so are best responses among all strategies that the
//! rules allow. The positions that a role considers possible, and their probabilities, follow from the opponent's
//! strategy and not from the role's later moves. So each decision can take the best move for all these positions
//! together.

use ruse_games::rule_file::RuleFile;
use ruse_gdl::Information;

use crate::Reference;
use crate::search::mac_ucb::MacUcb;
use crate::search::uct::{Listed, Uct};
use crate::search::{AnyStrategy, SearchName, listed, listed_and_open};

mod efg;
mod expected;
mod family;
mod habits;
mod induction;
mod lessons;
mod policy;
mod searching;
mod situations;
mod solve;
mod tabular;
#[cfg(test)]
mod tests;
mod unfolding;
mod value;

pub use self::efg::gambit_tree;
pub use self::family::{
    ByRole, LinearFamily, LinearSoftmaxFamily, MacUcbFamily, RuleFileFamily, RuleFileStrategy,
    SeedFamily, SeedMemorylessFamily, TabularFamily, UctFamily, ValueFamily,
};
pub use self::induction::value_by_induction;
pub use self::policy::{Linear, LinearMemory, Policy, RuleFileReference, Seeded};
pub use self::searching::{TunedMacUcb, TunedUct};
pub use self::situations::{Situation, Situations, SituationsError};
pub use self::solve::{SolveError, Solver};
pub use self::tabular::Tabular;
pub use self::unfolding::certificate;
pub use self::value::{Valued, Values};

/// Returns the reference players of any file.
fn references() -> Vec<Reference<RuleFileReference>> {
    vec![
        Reference::new("random", "makes any legal move", RuleFileReference::Random),
        Reference::new(
            "first-legal",
            "makes the legal move that comes first by its text",
            RuleFileReference::FirstLegal,
        ),
    ]
}

/// Returns the searching player named `name`.
fn searching_player(game: &RuleFile, name: &SearchName) -> Option<Box<dyn AnyStrategy<RuleFile>>> {
    if let SearchName::MacUcb(settings) = name {
        return Some(Box::new(MacUcb::new(game, *settings)));
    }
    let rules = game.language_rules();
    let sees_all = rules.information() == Information::Complete;
    if let SearchName::Uct(settings) = name
        && settings.share > 0.0
    {
        let values = Values::clone(&lessons::learned(game));
        return Some(Box::new(Uct::<_, Listed, _>::with_leaves(game, *settings, values)));
    }
    let is_open =
        sees_all && rules.random().is_none() && game.survey().turns && !game.plays_alone();
    if is_open { listed_and_open(game, name) } else { listed(game, name) }
}
