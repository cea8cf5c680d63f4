//! Games from rule files: the languages GDL and GDL-II.
//!
//! A rule file (`.kif`) says in logic who plays, what is true at the start, which moves are legal,
//! what is true after a step, when the game is over, what it is then worth, and, in GDL-II, what the
//! roles perceive. This crate reads such files, refuses those that are wrong with the place and the
//! reason, grounds them, and plays them.
//!
//! * Love, Hinrichs, Haley, Schkufza & Genesereth 2008, *General Game Playing: Game Description
//!   Language Specification*, Stanford Logic Group LG-2006-01.
//! * Thielscher 2010, *A general game description language for incomplete information games*, AAAI.
//!
//! ```
//! use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
//! use ruse_gdl::{AtCap, Evaluator, Limits, Playouts, Rules};
//!
//! // Both name a side of a coin at once; a wins if they are the same.
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
//! // Random games: the generator is the caller's, and nothing allocates after the first.
//! let mut playouts = Playouts::new(&rules, 1_000, AtCap::Error);
//! let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
//! assert_eq!(playouts.play(rules.start(), &mut rng), Ok(1));
//!
//! // A file that is wrong is refused as a compiler would do it.
//! let error = Rules::from_text("(role a) (<= (legal a ?m))", &Limits::default()).unwrap_err();
//! assert_eq!(error.to_string(), "1:1: missing: no `terminal`");
//! # Ok::<(), ruse_gdl::Error>(())
//! ```
//!
//! # What the language is here
//!
//! As published, with these additions and settlements. The case of letters does not matter. Bodies
//! may have `and`, and `not` of anything; a rule is taken apart into one for each disjunct. Ground
//! atoms must not depend on their own negation; names of relations may. A file without a rule for
//! `sees` has complete information: all roles see all moves, those of `random` too. `random` draws
//! uniformly among its legal moves, its goals and percepts are ignored. `base` and `input` are read
//! and not used. Goals are asked for at the end only.
//!
//! # From a text to an engine
//!
//! [`Rules::from_text`] reads, checks, grounds and cleans: [`Rules::ground`] is what comes out, for
//! whoever wants to encode it otherwise. [`Limits`] bound the size and the time of all that. An
//! [`Evaluator`] is a game in progress, a [`State`] what is true in it. Moves, percepts and fluents
//! are numbers; their canonical texts, which are the same in any implementation, identify them
//! outside: in files, in hashes, for people.
//!
//! Everything is a function of the text and, for games, of the generator: nothing depends on time,
//! on threads or on the machine, but for the limit on the time of grounding, which can only refuse.

#![warn(unnameable_types)]

mod check;
mod circuit;
mod clean;
mod clock;
mod error;
mod evaluator;
mod facts;
mod formula;
mod gates;
mod graph;
mod ground;
mod hash;
mod join;
mod library;
mod limits;
mod meter;
mod network;
mod parse;
mod perft;
mod plain;
mod play;
mod policy;
mod program;
mod rules;
mod state;
mod survey;
mod terms;
mod text;

pub use clock::LongWork;
pub use error::{Error, ErrorKind, Oddity, Place, Problem, Warning};
pub use evaluator::{Evaluator, NoGoal};
pub use hash::{fnv, key, mix, parameter_bits};
pub use library::{RULE_FILES, RuleFile, rule_file};
pub use limits::{LimitError, LimitName, Limits};
pub use network::{AtomId, AtomKind, GroundProgram, GroundRule};
pub use perft::perft;
pub use plain::PlainEvaluator;
pub use play::{AtCap, DEFAULT_STEPS, PlayError, Playouts};
pub use policy::{
    History, REMEMBERED_STEPS, items_of_percepts, items_of_state, linear_choice, linear_score,
    memoryless_history, seed_base, seed_choice,
};
pub use rules::{Information, MoveId, PerceptId, RoleId, Rules};
pub use state::State;
pub use survey::{Survey, survey};
