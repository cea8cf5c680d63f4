//! Strategies for games from rule files: any file has them.
//!
//! | family | parameters | plays |
//! |---|---|---|
//! | `FILE.kif` | one for each role | a pure strategy for each number |
//! | `FILE.kif:seed-memoryless` | one for each role | as before; where the same is legal it does the same |
//! | `FILE.kif:linear` | 64 for each role, or as the rule `features` says | the move with the largest sum of parameters |
//! | `FILE.kif:linear-softmax` | the same | a move drawn by these sums |
//!
//! All go by hashes of texts, so that parameters mean the same in any implementation, and whatever the order of rules in the file.
//!
//! Small games are gone through: exact scores, and best responses among all strategies that the rules allow. The positions that a
//! role holds for possible, with their probabilities given the opponent's strategy, do not depend on what it will do, so that
//! it can choose at each decision what is best for all of them together.

mod expected;
mod family;
mod habits;
mod policy;
mod response;
#[cfg(test)]
mod tests;

pub use self::family::{
    LinearFamily, LinearSoftmaxFamily, RuleFileFamily, RuleFileStrategy, SeedFamily,
    SeedMemorylessFamily,
};
pub use self::policy::{Linear, LinearMemory, Policy, RuleFileReference, Seeded};
