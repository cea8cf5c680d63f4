//! Families with their types erased. The command line refers to these families by name.
//!
//! Modules in higher layers do not depend on the type of a game, and modules in lower layers do not refer to families
//! by name.

mod any;
mod capabilities;
mod erased;
mod learner;
mod opening;
mod player;
mod program_games;
mod self_play;
mod set;
mod teaching;

pub use any::AnyFamily;
pub use capabilities::{
    AnyBoard, AnyCapabilities, AnyMeasures, AnyNumbers, AnyPlayers, AnyResponses, AnyRules,
    AnySelfPlay, AnyTeaching,
};
pub use erased::ErasedFamily;
pub use learner::Decide;
pub use opening::{BETWEEN, FamilyError, FamilyFileError, FamilyReader, ReadFamily, family_label};
pub use player::{
    BASELINE, Guest, Home, MatchError, PlannerOf, Player, PlayerError, WeightError, Weighted,
    check_weights,
};
pub use program_games::{ProgramGames, UNASKED, check_game_line};
pub use set::FamilySet;
pub use teaching::Proposals;
