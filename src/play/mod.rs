//! A person at the table: games between who types and a strategy, and what was played.
//!
//! A [`Session`] knows the types of one family and speaks texts; whoever shows them knows no game. Nothing here
//! reads, prints or waits.

mod session;
mod transcript;

pub(crate) use session::{BoardSession, Opponent};
pub use session::{PlayError, Session, Step};
pub use transcript::{
    ActionTranscript, Ending, GameTranscript, SeatName, Transcript, TranscriptError,
};
