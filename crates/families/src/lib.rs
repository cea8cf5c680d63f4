//! The families of this workspace, which are found by name, and the readers that create families from files.
//!
//! This is the only crate that instantiates games: [`ErasedFamily`](ruse_play::family::ErasedFamily) hides the types of
//! a game and of its strategies, and the code behind it is compiled here, once for each family. If a crate that uses this
//! one changes, no game is compiled again.

#![warn(unnameable_types)]

mod erased;
mod map_files;
mod rts_positions;
mod rule_files;

use std::sync::Arc;

use ruse_play::family::{AnyFamily, FamilyReader};
use ruse_strategies::battleship::BattleshipFamily;
use ruse_strategies::cheat::CheatFamily;
use ruse_strategies::elo_surface::EloSurfaceFamily;
use ruse_strategies::flip::FlipFamily;
use ruse_strategies::four_in_a_row::FourInARowFamily;
use ruse_strategies::guess_who::GuessWhoFamily;
use ruse_strategies::morra::MorraFamily;
use ruse_strategies::nim::NimFamily;
use ruse_strategies::phantom_four::PhantomFourFamily;
use ruse_strategies::phantom_tic_tac_toe::PhantomTicTacToeFamily;
use ruse_strategies::pig::PigFamily;
use ruse_strategies::war::WarFamily;
use ruse_strategies_rts::{RtsNaiveMctsFamily, RtsProgramFamily, RtsScriptFamily};

use self::erased::erased;
pub use map_files::{MapFiles, map_from, read_map};
pub use rts_positions::RtsPositions;
pub use rule_files::{Reading, RuleFiles};

/// Returns the families that need no file, in the order in which they are listed.
pub fn families() -> Vec<Arc<dyn AnyFamily>> {
    vec![
        erased(WarFamily::war()),
        erased(WarFamily::war4()),
        erased(WarFamily::war_orders()),
        erased(WarFamily::batawaf()),
        erased(WarFamily::batawaf4()),
        erased(WarFamily::batawaf_orders()),
        erased(CheatFamily::cheat()),
        erased(CheatFamily::cheat_special()),
        erased(FlipFamily::flip()),
        erased(GuessWhoFamily::stochastic()),
        erased(GuessWhoFamily::deterministic()),
        erased(MorraFamily::standard()),
        erased(NimFamily::standard()),
        erased(PhantomTicTacToeFamily::default()),
        erased(PhantomFourFamily::default()),
        erased(BattleshipFamily::default()),
        erased(FourInARowFamily::default()),
        erased(PigFamily::standard()),
        erased(RtsScriptFamily::standard()),
        erased(RtsProgramFamily::standard()),
        erased(RtsNaiveMctsFamily::standard()),
    ]
}

/// Returns the families that are not games for people but test methods. They are found by name, and are not part of all
/// families.
pub fn test_families() -> Vec<Arc<dyn AnyFamily>> {
    vec![erased(EloSurfaceFamily)]
}

/// Returns the readers that create families from files, in the order in which they are tried. Rule files are read with
/// the settings in `reading`.
pub fn readers(reading: &Arc<Reading>) -> Vec<Arc<dyn FamilyReader>> {
    let maps = MapFiles::ALL.into_iter().map(|reader| Arc::new(reader) as Arc<dyn FamilyReader>);
    let rules = RuleFiles::all(reading).map(|reader| Arc::new(reader) as Arc<dyn FamilyReader>);
    maps.chain(rules).collect()
}
