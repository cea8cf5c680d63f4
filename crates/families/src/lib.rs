//! The families of this workspace, which are found by name, and the readers that create families from files.
//!
//! This is the only crate that instantiates games: [`ErasedFamily`] hides the types of a game and of its strategies,
//! and the code behind it is compiled here, once for each family. If a crate that uses this one changes, no game is
//! compiled again.

#![warn(unnameable_types)]

mod map_files;
mod rts_positions;
mod rule_files;

use std::sync::Arc;

use ruse_play::family::{AnyFamily, ErasedFamily, FamilyReader};
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

pub use map_files::{MapFiles, map_from, read_map};
pub use rts_positions::RtsPositions;
pub use rule_files::{Reading, RuleFiles};

/// Returns the families that need no file, in the order in which they are listed.
pub fn families() -> Vec<Arc<dyn AnyFamily>> {
    vec![
        Arc::new(ErasedFamily::new(WarFamily::war())),
        Arc::new(ErasedFamily::new(WarFamily::war4())),
        Arc::new(ErasedFamily::new(WarFamily::war_orders())),
        Arc::new(ErasedFamily::new(WarFamily::batawaf())),
        Arc::new(ErasedFamily::new(WarFamily::batawaf4())),
        Arc::new(ErasedFamily::new(WarFamily::batawaf_orders())),
        Arc::new(ErasedFamily::new(CheatFamily::cheat())),
        Arc::new(ErasedFamily::new(CheatFamily::cheat_special())),
        Arc::new(ErasedFamily::new(FlipFamily::flip())),
        Arc::new(ErasedFamily::new(GuessWhoFamily::stochastic())),
        Arc::new(ErasedFamily::new(GuessWhoFamily::deterministic())),
        Arc::new(ErasedFamily::new(MorraFamily::standard())),
        Arc::new(ErasedFamily::new(NimFamily::standard())),
        Arc::new(ErasedFamily::new(PhantomTicTacToeFamily::default())),
        Arc::new(ErasedFamily::new(PhantomFourFamily::default())),
        Arc::new(ErasedFamily::new(BattleshipFamily::default())),
        Arc::new(ErasedFamily::new(FourInARowFamily::default())),
        Arc::new(ErasedFamily::new(PigFamily::standard())),
        Arc::new(ErasedFamily::new(RtsScriptFamily::standard())),
        Arc::new(ErasedFamily::new(RtsProgramFamily::standard())),
        Arc::new(ErasedFamily::new(RtsNaiveMctsFamily::standard())),
    ]
}

/// Returns the families that are not games for people but test methods. They are found by name, and are not part of all
/// families.
pub fn test_families() -> Vec<Arc<dyn AnyFamily>> {
    vec![Arc::new(ErasedFamily::new(EloSurfaceFamily))]
}

/// Returns the readers that create families from files, in the order in which they are tried. Rule files are read with
/// the settings in `reading`.
pub fn readers(reading: &Arc<Reading>) -> Vec<Arc<dyn FamilyReader>> {
    let maps = MapFiles::ALL.into_iter().map(|reader| Arc::new(reader) as Arc<dyn FamilyReader>);
    let rules = RuleFiles::all(reading).map(|reader| Arc::new(reader) as Arc<dyn FamilyReader>);
    maps.chain(rules).collect()
}
