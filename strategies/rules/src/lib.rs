//! Strategies for games from rule files, available for any file.
//!
//! | family | parameters | plays |
//! |---|---|---|
//! | `FILE.kif` | one for each role | a pure strategy for each number |
//! | `FILE.kif:seed-memoryless` | one for each role | a pure strategy whose choices depend only on the legal moves |
//! | `FILE.kif:linear` | 64 for each role, or as set by `features` | the move with the largest sum of parameters |
//! | `FILE.kif:linear-softmax` | 64 for each role, or as set by `features` | a move drawn according to these sums |
//! | `FILE.kif:program` | the genes of ten lines for each role | a move of the first line that fits |
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

#![warn(unnameable_types)]

mod efg;
mod expected;
mod family;
mod finish;
mod habits;
mod induction;
mod lessons;
mod policy;
mod program;
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
    ByRole, LinearFamily, LinearSoftmaxFamily, MacUcbFamily, ProgramFamily, RuleFileFamily,
    RuleFileStrategy, SeedFamily, SeedMemorylessFamily, TabularFamily, TextOf, UctFamily,
    ValueFamily,
};
pub use self::induction::value_by_induction;
pub use self::lessons::FactValues;
pub use self::policy::{Linear, LinearMemory, Policy, RuleFileReference, Seeded};
pub use self::program::{Program, ProgramMemory};
pub use self::searching::{Tuned, TunedMacUcb, TunedUct};
pub use self::situations::{MAX_JOINT_MOVES, Situation, Situations, SituationsError};
pub use self::solve::{SolveError, Solver};
pub use self::tabular::{SituationWords, Tabular};
pub use self::unfolding::certificate;
