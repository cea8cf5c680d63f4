//! Interactive games between a person, or a learner, and a strategy.

mod action;
mod board;
mod environment;
mod game;
mod judged;
mod reconstructed;
mod values;

pub use self::action::{Allowed, PlayError, Step};
pub(crate) use self::board::BoardSession;
pub use self::environment::Environment;
pub(crate) use self::environment::FamilyEnvironment;
pub use self::game::Session;
pub use self::judged::{Judged, Scale};
pub use self::values::{Chosen, Decision, Limit, Source, Valued, Values};
