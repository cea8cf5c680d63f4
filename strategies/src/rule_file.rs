//! Strategies for games from rule files: any file has them.
//!
//! | family | parameters | plays |
//! |---|---|---|
//! | `FILE.kif` | one for each role | a pure strategy for each number |
//! | `FILE.kif:seed-memoryless` | one for each role | as before; where the same is legal it does the same |
//! | `FILE.kif:linear` | 64 for each role, or as the rule `features` says | the move with the largest sum of parameters |
//! | `FILE.kif:linear-softmax` | the same | a move drawn by these sums |
//! | `FILE.kif:mac-ucb`, `FILE.kif:uct` | the constants of a search | what the search finds |
//!
//! All go by hashes of texts, so that parameters mean the same in any implementation, and whatever the order of rules in the file.
//!
//! Small games are gone through: exact scores, and best responses among all strategies that the rules allow. The positions that a
//! role holds for possible, with their probabilities given the opponent's strategy, do not depend on what it will do, so that
//! it can choose at each decision what is best for all of them together.

use ruse_games::rule_file::RuleFile;
use ruse_gdl::Information;

use crate::Reference;
use crate::search::mac_ucb::{MacUcb, MacUcbSettings};
use crate::search::uct::{Listed, Uct};
use crate::search::{AnyStrategy, SearchName, listed, listed_and_open};

mod expected;
mod family;
mod habits;
mod policy;
mod response;
mod searching;
#[cfg(test)]
mod tests;

pub use self::family::{
    ByRole, LinearFamily, LinearSoftmaxFamily, MacUcbFamily, RuleFileFamily, RuleFileStrategy,
    SeedFamily, SeedMemorylessFamily, UctFamily,
};
pub use self::policy::{Linear, LinearMemory, Policy, RuleFileReference, Seeded};
pub use self::searching::{TunedMacUcb, TunedUct};

/// The named players of any file.
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

/// The player that searches, of this name.
fn searching_player(game: &RuleFile, name: &SearchName) -> Option<Box<dyn AnyStrategy<RuleFile>>> {
    if let SearchName::MacUcb(settings) = name {
        return Some(Box::new(MacUcb::new(game, *settings)));
    }
    let rules = game.language_rules();
    let sees_all = rules.information() == Information::Complete;
    if let SearchName::Uct(settings) = name
        && settings.has_solver
    {
        // Where not all is seen, nothing can be proven.
        return match sees_all {
            true => Some(Box::new(MacUcb::new(game, MacUcbSettings::of_uct(settings)))),
            false => Some(Box::new(Uct::<RuleFile, Listed>::new(game, *settings))),
        };
    }
    let is_open =
        sees_all && rules.random().is_none() && game.survey().turns && !game.plays_alone();
    if is_open { listed_and_open(game, name) } else { listed(game, name) }
}
