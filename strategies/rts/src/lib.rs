//! Strategies for the real-time strategy game: scripts, random players, and searches.
//!
//! The family `rts-script` tunes a [`Script`], the family `rts-program` an [`RtsProgram`], and the family
//! `rts-naive-mcts` the constants of a search.
//!
//! The random players and the four rushes follow S. Ontañón's program for *Combinatorial multi-armed bandits for
//! real-time strategy games*, Journal of Artificial Intelligence Research 58 (2017). They are written from a
//! description of the program's behaviour. The program asks its players in every cycle; asked in every cycle, these
//! players make the same moves. By default, the arena asks a player only when one of its units is idle, so the rushes
//! drop pointless orders later and play slightly different games. With the rule `ask` = 1, they play the same games.

#![warn(unnameable_types)]

mod decision;
mod family;
mod path;
mod portfolio;
mod program;
mod program_family;
mod rush;
mod script;
mod searching;
mod surroundings;

use std::sync::LazyLock;

use rand::Rng;
use ruse_games::Seat;
use ruse_rts::{BoardSize, Orders, Rts, RtsView, Weights};
use ruse_search::Strategy;
use ruse_strategies::{RANDOM, Reference};

pub use self::family::{RtsFamily, RtsNaiveMctsFamily, RtsScriptFamily, RtsStrategy};
pub use self::program::{NUM_PROGRAM_PARAMETERS, RtsProgram, RtsProgramMemory};
pub use self::program_family::RtsProgramFamily;
pub use self::rush::{Rush, RushMemory};
use self::script::SOLDIERS;
pub use self::script::{NUM_SCRIPT_PARAMETERS, Script, ScriptMemory};
pub use self::searching::{NUM_SEARCH_PARAMETERS, TunedSearch};

/// A reference player of the real-time strategy game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RtsPlayer {
    /// Gives each unit an allowed action, drawn uniformly.
    Random,
    /// Like `Random`, but attacks, harvesting and returning are five times as likely as other actions.
    RandomBiased,
    /// Plays a script that attacks as soon as it can.
    Rush(Rush),
    /// Plays a program.
    Program(&'static RtsProgram),
}

/// Buffers of an [`RtsPlayer`].
#[derive(Debug, Default)]
pub struct RtsPlayerMemory {
    rush: RushMemory,
    program: RtsProgramMemory,
}

impl<S: BoardSize> Strategy<Rts<S>> for RtsPlayer {
    type Memory = RtsPlayerMemory;

    #[inline]
    fn begin(&self, memory: &mut RtsPlayerMemory, _seat: Seat) {
        memory.rush.clear();
        memory.program.clear();
    }

    fn act<R: Rng>(
        &self,
        memory: &mut RtsPlayerMemory,
        view: RtsView<'_, S>,
        rng: &mut R,
        orders: &mut Orders,
    ) {
        match self {
            RtsPlayer::Random => view.random_orders(rng, orders),
            RtsPlayer::RandomBiased => view.biased_orders(&Weights::BIASED, rng, orders),
            RtsPlayer::Rush(rush) => rush.decide(&mut memory.rush, &view, orders),
            RtsPlayer::Program(program) => program.act(&mut memory.program, view, rng, orders),
        }
    }
}

/// Programs written by hand, in the manner of the scripts that won competitions of this game: their names, what they do, and
/// their texts. `docs/games/rts.md` has their scores.
static PROGRAMS: LazyLock<[(&str, &str, RtsProgram); 2]> = LazyLock::new(|| {
    [
        (
            "worker-program",
            "two of up to ten workers harvest, and the others attack",
            RtsProgram::of(
                "any: attack in range
                 base: if workers < 10 train worker
                 worker: if older < 2 harvest
                 any: attack the nearest enemy",
            ),
        ),
        (
            "adaptive-program",
            "attacks with workers on small maps; on large ones light soldiers attack, and all workers harvest",
            RtsProgram::of(
                "any: attack in range
                 base: if workers < 4 train worker
                 worker: if barracks < 1 and distance to enemy base >= 18 build barracks
                 base: if workers < 10 and distance to enemy base < 18 train worker
                 base: if resources >= 6 and distance to enemy base >= 18 train worker
                 worker: if older < 2 harvest
                 any: if distance to enemy < 5 attack the nearest enemy
                 worker: if distance to enemy base < 18 attack the nearest enemy",
            ),
        ),
    ]
});

/// Returns the reference players of all families.
fn references() -> Vec<Reference<RtsPlayer>> {
    let mut players = vec![
        Reference::named(RANDOM, RtsPlayer::Random)
            .meaning("each unit takes any allowed action, each with the same probability"),
        Reference::named("random-biased", RtsPlayer::RandomBiased).meaning(
            "attacks, harvests and hands over five times as often as it does anything else",
        ),
        Reference::named("worker-rush", RtsPlayer::Rush(Rush::Workers))
            .meaning("trains workers; all but one attack"),
    ];
    players.extend(SOLDIERS.map(|kind| {
        let meaning = format!("builds barracks and attacks with {} soldiers", kind.name());
        let rush = RtsPlayer::Rush(Rush::Soldiers(kind));
        Reference::new(format!("{}-rush", kind.name()), meaning, rush)
    }));
    players.extend(PROGRAMS.iter().map(|(name, meaning, program)| {
        Reference::new(*name, *meaning, RtsPlayer::Program(program))
    }));
    players
}

#[cfg(test)]
mod tests;
