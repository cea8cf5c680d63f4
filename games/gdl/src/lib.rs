//! GDL

mod check;
mod circuit;
mod clean;
mod clock;
mod error;
mod evaluator;
mod formula;
mod gates;
mod graph;
mod ground;
mod hash;
mod join;
mod library;
mod limits;
mod network;
mod perft;
mod plain;
mod play;
mod policy;
mod program;
mod rules;
mod state;
mod terms;
mod text;

pub use error::{Error, ErrorKind, Oddity, Place, Problem, Warning};
pub use evaluator::{Evaluator, NoGoal};
pub use hash::{fnv, key, mix, parameter_bits};
pub use library::{RULE_FILES, RuleFile, rule_file};
pub use limits::Limits;
pub use network::{AtomId, AtomKind, GroundProgram, GroundRule};
pub use perft::perft;
pub use plain::PlainEvaluator;
pub use play::{AtCap, DEFAULT_STEPS, PlayError, Playouts};
pub use policy::{
    History, REMEMBERED_STEPS, items_of_percepts, items_of_state, linear_choice, linear_score,
    memoryless_history, seed_base, seed_choice,
};
pub use rules::{Information, MoveId, PerceptId, RoleId, Rules};
pub use state::State;
