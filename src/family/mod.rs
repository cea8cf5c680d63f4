//! Families without their types: what a name on the command line stands for.
//!
//! Above this module nothing knows the type of a game, and below it nothing knows a name.

mod any;
mod map_file;
mod opening;
mod player;

pub use any::{AnyFamily, ErasedFamily, ReferenceInfo};
pub use map_file::{map_from, read_map};
pub use opening::{FamilyError, FamilyFileError, FamilyReader, family_label, read_family_text};
pub use player::{BASELINE, MatchError, Player, PlayerError, WeightError, Weighted, check_weights};
