//! Experiments: their plans, their execution, and their files. The crate `ruse` re-exports the module [`lab`].

#![warn(unnameable_types)]

pub mod lab;

use ruse_optimise::{exploit, optimise, portfolio, registry};
use ruse_play::{
    arena, family, files, ggp, matrix, names, programs, race, rng, score, session, visible,
};
