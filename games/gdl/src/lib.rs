//! Games from rule files: the languages GDL and GDL-II.
//!
//! A rule file (`.kif`) describes a game in logic: the players, the initial state, the legal moves, the state after a
//! step, the end of the game, the goals and, in GDL-II, the percepts of the roles. This crate parses such files,
//! rejects invalid ones with the place and the reason, grounds them, and plays them.
//!
//! * Love, Hinrichs, Haley, Schkufza & Genesereth 2008, *General Game Playing: Game Description
//!   Language Specification*, Stanford Logic Group LG-2006-01.
//! * Thielscher 2010, *A general game description language for incomplete information games*, AAAI.
//!
//! ```
//! use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
//! use ruse_gdl::{AtCap, Evaluator, Limits, Playouts, Rules};
//!
//! // Both players show a side of a coin at the same time; a wins if the sides are the same.
//! let rules = Rules::from_text(
//!     "(role a) (role b) (side heads) (side tails) (init open)
//!      (<= (legal ?r (show ?s)) (role ?r) (side ?s) (true open))
//!      (<= (next (shown ?r ?s)) (does ?r (show ?s)))
//!      (<= same (true (shown a ?s)) (true (shown b ?s)))
//!      (<= terminal (not (true open)))
//!      (<= (goal a 100) same) (<= (goal b 0) same)
//!      (<= (goal a 0) (not same)) (<= (goal b 100) (not same))",
//!     &Limits::default(),
//! )?;
//! let [a, b] = [0, 1].map(|index| rules.roles().nth(index).expect("two roles"));
//! let mut game = Evaluator::new(&rules);
//! let texts: Vec<&str> = game.legal(a).map(|action| rules.move_text(a, action)).collect();
//! assert_eq!(texts, ["(show heads)", "(show tails)"]);
//! let heads = rules.find_move(a, "(show heads)").expect("a legal move");
//! game.play(&[heads, heads]);
//! game.advance();
//! assert!(game.is_terminal());
//! assert_eq!([game.goal(a), game.goal(b)], [Ok(100), Ok(0)]);
//!
//! // Random games take a generator as an argument, and do not allocate after the first game.
//! let mut playouts = Playouts::new(&rules, 1_000, AtCap::Error);
//! let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
//! assert_eq!(playouts.play(rules.start(), &mut rng), Ok(1));
//!
//! // An invalid file is rejected with an error in the style of a compiler.
//! let error = Rules::from_text("(role a) (<= (legal a ?m))", &Limits::default()).unwrap_err();
//! assert_eq!(error.to_string(), "1:1: missing: no `terminal`");
//! # Ok::<(), ruse_gdl::Error>(())
//! ```
//!
//! # The supported language
//!
//! The language is as published, with these additions and clarifications. Letter case does not matter. Bodies may
//! contain `and`, and `not` applied to any formula; a rule is split into one rule for each disjunct. Ground atoms must
//! not depend on their own negation; relations may. A file without a rule for `sees` has complete information: all
//! roles see all moves, including the moves of `random`. `random` draws uniformly from its legal moves; its goals and
//! percepts are ignored. Rules for `base` and `input` are skipped. Rules for `sees` may depend on `next`. An unbound
//! variable in the place of the role in the head of `legal`, `goal` or `sees` stands for each role. Goals are evaluated
//! only at the end.
//!
//! # From text to engine
//!
//! [`Rules::from_text`] parses, checks, grounds and cleans a text. Rules with many instances are split into rules with
//! fewer variables. [`Rules::ground`] returns the ground program, from which a game can be encoded in other ways.
//! [`Limits`] bound the size and the time of this work; rules that exceed a limit of grounding are evaluated without
//! ground rules, which is slower ([`Rules::is_grounded`]). An [`Evaluator`] is a game in progress, and a [`State`] is
//! the set of its true fluents. Moves, percepts and fluents are numbers in this crate. Elsewhere, their canonical texts
//! identify them, which are the same in every implementation.
//!
//! All results are functions of the text and, for random games, of the random number generator. Nothing depends on
//! time, threads or the machine, except that the limit on the time of grounding may decide whether the rules are
//! grounded. The games are the same in both cases; only the numbers of moves, percepts and fluents differ.

#![warn(unnameable_types)]

mod check;
mod circuit;
mod clean;
mod clock;
mod deduction;
mod error;
mod evaluator;
mod facts;
mod formula;
mod gambit;
mod gates;
mod graph;
mod ground;
mod hash;
mod ids;
mod join;
mod library;
mod limits;
mod meter;
mod named;
mod network;
mod parse;
mod patterns;
mod perft;
mod plain;
mod play;
mod policy;
mod program;
mod rules;
mod split;
mod state;
mod survey;
mod terms;
mod text;
mod universe;

pub use clock::{LongWork, Patience};
pub use error::{Error, ErrorKind, Oddity, Place, Problem, Warning};
pub use evaluator::{Evaluator, GoalRule, NoGoal};
pub use gambit::{GambitError, matrix_of_gambit, rules_of_gambit};
pub use hash::{fnv, key, mix, parameter_bits};
pub use ids::{MoveId, PerceptId, RoleId};
pub use library::{RULE_FILES, RuleFile, rule_file};
pub use limits::{LimitError, LimitName, Limits};
pub use network::{AtomId, AtomKind, GroundProgram, GroundRule};
pub use perft::perft;
pub use plain::PlainEvaluator;
pub use play::{AtCap, DEFAULT_STEPS, PlayError, Playouts, joint_moves};
pub use policy::{
    History, REMEMBERED_STEPS, items_of_moves, items_of_percepts, items_of_state, linear_choice,
    linear_feature, linear_score, memoryless_history, seed_base, seed_choice,
};
pub use rules::{Information, Rules};
pub use state::State;
pub use survey::{Survey, SurveyError, survey};
pub use text::{parts_of_term, split_terms};
