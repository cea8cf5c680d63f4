//! Tests of the program and of the public interface of the library. They form one test binary, so that the library is
//! linked only once.
//!
//! `tests/memory/`, which counts allocations, and `tests/book.rs`, which changes the current directory, are separate
//! binaries, because both affect all tests of a process.

#[macro_use]
mod cases;

mod acceptance;
#[cfg(unix)]
mod attack;
mod bandits;
mod bench_outcomes;
mod command_line;
mod comparison;
mod consent;
mod decisions;
mod english;
mod evaluate;
mod exploitability;
#[cfg(target_os = "linux")]
mod external;
mod families;
mod faults;
mod figures;
mod files_of_families;
mod ggp;
#[cfg(unix)]
mod interruption;
mod lab;
mod layers;
mod licences;
#[cfg(unix)]
mod limits;
mod new_game;
#[cfg(unix)]
mod optimiser_examples;
#[cfg(unix)]
mod outputs;
mod own_family;
mod paper;
mod parsers;
mod persons;
mod pictures;
mod play;
mod playable;
mod portfolio_experiment;
mod portfolios;
mod positions;
mod problem_files;
mod program_games;
#[cfg(unix)]
mod program_players;
mod published;
mod race;
mod reference_values;
mod release;
mod report;
mod reproducibility;
#[cfg(unix)]
mod resume;
mod round_robin;
mod rule_files;
mod same_everywhere;
mod scores;
mod search;
#[cfg(unix)]
mod shards;
#[cfg(target_os = "linux")]
mod slurm;
mod support;
#[cfg(unix)]
mod terminal;
mod workflows;
