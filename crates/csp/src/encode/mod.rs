//! Rule files as constraint networks.
//!
//! After Piette, Koriche, Lagrue & Tabary 2016, *General game playing with stochastic CSP* (Constraints): a game is a
//! sequence of stages, each a constraint network over the state, the decisions, the move of chance and the next state.
//! All stages share the network: fixing the variables of the state selects a stage.
//!
//! First, groups of fluents are found and proven: at most one fluent of a group holds in any state. Each group becomes
//! one variable ([`Families`]). Then the ground rules become constraints ([`Encoding`]). The result depends only on the
//! rules and the options.
//!
//! ```
//! use ruse_csp::NetworkSize;
//! use ruse_csp::encode::{EncodeOptions, Encoding};
//! use ruse_gdl::{Limits, Rules, rule_file};
//!
//! let file = rule_file("tic_tac_toe").expect("a file that comes with the language");
//! let rules = Rules::from_text(file.text, &Limits::default())?;
//! let encoding = Encoding::new(&rules, &EncodeOptions::default())?;
//! // Nine cells of three values and the player to move, now and after the step; two moves; the end, and goals.
//! assert_eq!(encoding.families().groups()[0].name, "(cell 1 1 ?)");
//! assert_eq!((encoding.state().len(), encoding.moves().len()), (10, 2));
//! assert_eq!(NetworkSize::of(encoding.network()).largest_domain, 10);
//! // States are values of variables.
//! let values = encoding.values_of(rules.start())?;
//! assert_eq!(&encoding.state_of(&values), rules.start());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod builder;
mod clash;
mod encoding;
mod families;
mod fold;
mod formula;
mod pairs;
mod scheme;
mod sizes;
mod states;
mod tables;
mod terms;
#[cfg(test)]
mod tests;

pub use encoding::{
    ConstraintKind, EncodeError, EncodeOptions, Encoding, UnfitState, VariableKind,
};
pub use families::{Families, Family, FamilyLimits, Group};
