//! The protocol of general game playing, by which match servers and players of games from rule files talk.
//!
//! A player is an HTTP server; a match server, the *manager*, sends it one message in each request (POST), and the answer
//! is the body of the response:
//!
//! | message | answer |
//! |---|---|
//! | `(info)` | `available` or `busy` |
//! | `(preview RULES CLOCK)` | `ready` |
//! | `(start MATCH ROLE RULES START-CLOCK PLAY-CLOCK)` | `ready`, or `busy` during another match |
//! | `(play MATCH nil)`, `(play MATCH (MOVE...))` | a move; the message has the last moves of all roles |
//! | `(stop MATCH (MOVE...))` | `done` |
//! | `(abort MATCH)` | `aborted` |
//!
//! If the rules have percepts (GDL-II), the messages are `(play MATCH TURN MOVE (PERCEPT...))` and `(stop MATCH TURN MOVE
//! (PERCEPT...))`: the number of steps so far, the role's own last move, and what it perceived; at the start, turn 0, `nil`
//! and `nil`. `GameController` sends the percepts only, `(play MATCH (PERCEPT...))`, and `nil` at the start. A player
//! understands both. Clocks are whole seconds. Letter case does not matter.
//!
//! * Genesereth & Thielscher 2014, *General Game Playing*, chapter 3 (<http://logic.stanford.edu/ggp/notes/chapter_03.html>).
//! * The GDL-II communication protocol of the Dresden GGP server
//!   (<http://ggpserver.general-game-playing.de/ggpserver/public/gdlii_protocol.jsp>).
//!
//! The message `preview` comes from `ggp-base`. [`Gamer`] is the player's side, and [`Peer`] the
//! manager's.

#![warn(unnameable_types)]

mod gamer;
mod http;
mod message;
mod peer;
mod thinker;

pub use self::gamer::{Gamer, GamerSettings, ReadRules, serve};
pub use self::message::{Clocks, Message, MessageError, News, canonical};
pub use self::peer::{Peer, PeerNameError, Replaced};
