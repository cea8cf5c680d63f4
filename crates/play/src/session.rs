//! Interactive games between a person and a strategy.

mod action;
mod board;
mod game;
mod judged;
mod reconstructed;
mod sitter;
mod values;

pub use self::action::{Allowed, PlayError, Step};
pub(crate) use self::board::BoardSession;
pub use self::game::Session;
pub use self::judged::{Judged, Scale};
pub use self::values::{Chosen, Decision, Limit, Source, Valued, Values};
