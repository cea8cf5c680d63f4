//! Tunes parametric strategies for partially observable games, and quantifies the uncertainty of the results.
//!
//! The modules follow, the lowest first. A module uses only lower ones (`tests/it/layers.rs`). Most are re-exported
//! from the crates in `DESIGN.md`:
//!
//! 1. [`ruse_games`] contains the rules of the games, and [`ruse_strategies`] contains the strategies.
//! 2. [`rng`] names every stream of random numbers by its purpose; [`files`] reads and writes files of any kind.
//! 3. [`arena`] plays pairs of games on all threads, with results in order.
//! 4. [`score`] measures the strength of a strategy, with intervals; [`race`] decides as early as possible which of two
//!    strategies is better; [`matrix`] solves zero-sum games.
//! 5. [`session`] is an interactive game between a person and a strategy. [`family`] hides the types of a game and of
//!    its strategies. [`programs`] starts programs that play or search. [`matches`](mod@matches) plays two players against each
//!    other. [`ggp`] is the protocol of match servers.
//! 6. [`optimise`] proposes candidates and keeps the candidates that win their race; the [`registry`] finds families
//!    and methods by the names that users type.
//! 7. [`exploit`] measures the gain of a best response to a strategy; [`portfolio`] mixes learned strategies.
//! 8. [`lab`], the main entry point, plans experiments, carries them out, and reads and writes their files. [`bandits`]
//!    lets combinatorial bandits choose arms, and measures their regret.
//! 9. [`report`] makes tables and a page from the results, and [`figures`] makes the data of figures, which
//!    [`ruse_plots`] draws. [`playable`] is a page for playing against strategies. [`speed`] measures how fast this
//!    machine plays.
//! 10. [`cli`] is the command-line program.
//!
//! ```
//! use ruse::arena::StopSignal;
//! use ruse::family::Player;
//! use ruse::registry::Registry;
//! use ruse::rng::StreamKey;
//! use ruse::score::{Until, score};
//!
//! let registry = Registry::standard();
//! let war = registry.family("war")?;
//! let best_card_first = Player::Parameters(vec![0.0, -9.0, 9.0]);
//! let duel = war.duel(&best_card_first, &Player::Named("random".into()))?;
//! let (scored, _) =
//!     score(&duel, StreamKey::root(1), Until::Pairs(2_000), &StopSignal::default(), |_| ());
//! let estimate = scored.estimate().expect("2000 pairs were played");
//! assert!(estimate.interval[0] > 0.65);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! More examples: [`lab`] carries out an experiment, [`optimise`] runs an optimiser, [`lab::StrategyFile`] reads a
//! strategy file, [`exploit`] measures the gain of a best response, [`portfolio`] mixes strategies, and [`report`]
//! makes tables. To add a game, a family or a method of your own, implement [`games::Game`], [`strategies::Family`] or
//! [`optimise::MethodKind`]; [`cli::run`] then provides all commands for it.
//!
//! Types that may get more variants, such as errors and enums of names, are `#[non_exhaustive]`. The results for a seed
//! may change between versions; the changelog records this.

#![warn(unnameable_types)]

/// Plays many pairs of games at a time, with results that do not depend on the number of threads.
pub mod arena {
    #[doc(inline)]
    pub use ruse_base::stop::{StopReason, StopSignal, Stopped};
    #[doc(inline)]
    pub use ruse_play::arena::*;
    #[doc(inline)]
    pub use ruse_strategies::PairResult;
}
#[cfg(feature = "cli")]
pub mod cli;
/// Families and players whose types are hidden.
pub mod family {
    #[doc(inline)]
    pub use ruse_families::{map_from, read_map};
    #[doc(inline)]
    pub use ruse_play::family::*;
}
/// The rules of the games.
pub mod games {
    #[doc(inline)]
    pub use ruse_games::*;
    pub use ruse_rts as rts;
}
/// The protocol of match servers for games from rule files.
pub mod ggp {
    #[doc(inline)]
    pub use ruse_ggp::*;
    #[doc(inline)]
    pub use ruse_programs::PEER;
}
/// Carries out experiments, and reads and writes their files.
pub mod lab {
    #[doc(inline)]
    pub use ruse_base::files::ReadError;
    #[doc(inline)]
    pub use ruse_lab::*;
}
/// Zero-sum games in matrix form: their equilibria with certificates.
pub mod matrix {
    #[doc(inline)]
    pub use ruse_play::matrix::*;
    #[doc(inline)]
    pub use ruse_search::matrix::{Equilibrium, MAX_GAP, MatrixError, PayoffMatrix, support};
    #[doc(inline)]
    pub use ruse_strategies::BestResponder;
}
#[cfg(feature = "cli")]
pub mod playable;
/// Mixtures of strategies that are hard to exploit, and players that learn which strategy is best.
pub mod portfolio {
    #[doc(inline)]
    pub use ruse_optimise::portfolio::*;
    #[doc(inline)]
    pub use ruse_search::bandit::{Bandit, BanditName, Exp3, Thompson, Ucb1, UcbTuned, Ucbt};
}
pub mod speed;
/// Strategies that play the games, the interface of strategies, and searches.
pub mod strategies {
    #[doc(inline)]
    pub use ruse_base::{gamma, gaussian, hashing, stop::StopRequest};
    #[doc(inline)]
    pub use ruse_search::{
        Decision, Decisions, Effort, Levels, LogLinear, Parameter, ParameterError, ParameterGroup,
        ParameterSpace, ParametricStrategy, Setting, SettingValue, Settings, Strategy, bandit, dot,
        matrix,
    };
    #[doc(inline)]
    pub use ruse_strategies::*;
    pub use ruse_strategies_rts as rts;
    pub use ruse_strategies_rules as rule_file;

    /// Searches and bandits that play any game, and the interface of strategies.
    pub mod search {
        #[doc(inline)]
        pub use ruse_base::{gamma, gaussian, hashing, stop::StopRequest};
        pub use ruse_csp as csp;
        #[doc(inline)]
        pub use ruse_search::*;

        /// The player that solves the stages of games from rule files as constraint networks.
        pub mod mac_ucb {
            #[doc(inline)]
            pub use ruse_csp::mac_ucb::*;
            #[doc(inline)]
            pub use ruse_search::{MacUcbSettings, SolverKind};
        }
    }

    /// Pictures of strategies as plain data.
    pub mod picture {
        #[doc(inline)]
        pub use ruse_picture::{
            Axis, Bars, Chart, HeatMap, Line, Lines, List, Mark, Panel, Picture, Scale, Triangle,
        };
        #[doc(inline)]
        pub use ruse_strategies::picture::picture_of_parameters;
    }

    #[doc(inline)]
    pub use self::picture::Picture;
}

pub use ruse_base::names::UnknownName;
#[doc(inline)]
pub use ruse_base::{files, notation, rng};
#[doc(inline)]
pub use ruse_optimise::{exploit, methods as optimise};
#[doc(inline)]
pub use ruse_play::{bandits, matches, race, score, session};
pub use ruse_programs as programs;
pub use ruse_registry as registry;
pub use ruse_report as report;
#[cfg(feature = "figures")]
#[doc(inline)]
pub use ruse_report::figures;

// The dependencies of the interfaces above, so that a program needs no others.
pub use rand;
#[cfg(feature = "figures")]
pub use ruse_plots as plots;
pub use schemars;
pub use serde;
pub use serde_json;
