//! The variables and constraints of one stage.
//!
//! The kinds of variables follow Piette, Koriche, Lagrue & Tabary 2016, *General game playing with stochastic CSP*
//! (Constraints), section 3: fluents, moves, chance, the end and the fluents of the next stage. The network sizes of
//! the paper are not reproduced, since it does not say how they come about. Our choices:
//!
//! - A group of fluents with at most one true member is one variable ([`Families`]).
//! - An atom with a short definition is replaced by it. Other atoms are Boolean variables, if a constraint needs them.
//!   Atoms that are only used for percepts have no variables.
//! - An atom holds if and only if one of its rules applies (Clark's completion). Atoms that depend on each other share
//!   one constraint: they are the least model of their rules.
//! - One constraint determines the value of a group after the step, the legal moves of a role, or an atom. It is a
//!   table if the domains are small enough. Otherwise there is one constraint for each value, which may in turn be a
//!   table. If a move requires several literals, each literal gets a clause with the move, since these clauses express
//!   the condition without loss.
//! - Whether the game is over does not restrict the other variables: no stage follows the end.

use ruse_gdl::{AtomId, AtomKind, RoleId, Rules};

use super::super::network::VariableId;
use super::builder::Builder;
use super::encoding::{EncodeError, EncodeOptions, Encoding, Result, VariableKind};
use super::families::Families;
use super::fold::Folded;

impl Encoding {
    /// Encodes a game.
    ///
    /// # Errors
    ///
    /// Returns an error if the network becomes too large, or if the rules are not grounded.
    pub fn new(rules: &Rules, options: &EncodeOptions) -> Result<Encoding> {
        if !rules.is_grounded() {
            return Err(EncodeError::NotGrounded);
        }
        Encoding::with_families(rules, Families::new(rules, &options.families), options)
    }

    /// Encodes a game, with families that are already known.
    ///
    /// # Errors
    ///
    /// Returns an error if the network becomes too large.
    ///
    /// # Panics
    ///
    /// Panics if the number of fluents in the families is not the number of fluents of the game.
    pub fn with_families(
        rules: &Rules,
        families: Families,
        options: &EncodeOptions,
    ) -> Result<Encoding> {
        let num_fluents: usize = families.groups().iter().map(|group| group.fluents.len()).sum();
        assert_eq!(num_fluents, rules.num_fluents(), "the families are those of another game");
        encode(rules, families, options)
    }
}

/// Encodes a game with these families.
fn encode(rules: &Rules, families: Families, options: &EncodeOptions) -> Result<Encoding> {
    for role in rules.roles() {
        let (limit, reached) = (usize::from(u16::MAX), rules.num_moves(role));
        if reached > limit {
            return Err(EncodeError::TooLarge { what: "moves of a role", limit, reached });
        }
    }
    let folded = Folded::new(rules, &families, options.unfold_below);
    let mut builder = Builder::new(rules, options, &folded);
    for (number, group) in families.groups().iter().enumerate() {
        builder.add_group(group, VariableKind::State(number));
    }
    // Decisions come before chance, whatever the order of the roles.
    let moves: Vec<(RoleId, VariableId)> =
        rules.seats().map(|seat| (seat, builder.role(seat, VariableKind::Move(seat)))).collect();
    let chance = rules.random().map(|random| builder.role(random, VariableKind::Chance));

    let keywords = Keywords::new(rules);
    let chance_legal = match rules.random() {
        Some(random) => keywords.legal[usize::from(random.0)].as_slice(),
        None => &[],
    };
    let chance_legal: Vec<VariableId> =
        chance_legal.iter().map(|&atom| builder.atom(atom)).collect();
    let end = builder.end(keywords.end)?;
    let goals = keywords.goals.iter();
    let goals = goals.map(|&(role, value, atom)| (role, value, builder.atom(atom))).collect();
    let successors: Vec<VariableId> = families
        .groups()
        .iter()
        .enumerate()
        .map(|(number, group)| builder.add_group(group, VariableKind::Successor(number)))
        .collect();

    for &(seat, variable) in &moves {
        builder.legal(seat, variable, &keywords.legal[usize::from(seat.0)])?;
    }
    if let Some(chance) = chance {
        builder.chance(chance, &chance_legal)?;
    }
    for (number, (group, &successor)) in families.groups().iter().zip(&successors).enumerate() {
        builder.next(number, group, successor, &keywords.next)?;
    }
    builder.define_all()?;
    let (network, variables, constraints) = builder.finish();
    Ok(Encoding {
        rules: rules.clone(),
        families,
        network,
        variables,
        constraints,
        moves,
        chance,
        chance_legal,
        end,
        goals,
        successors,
    })
}

/// The atoms with a special meaning in a stage.
struct Keywords {
    /// `legal` atoms by role and move.
    legal: Vec<Vec<AtomId>>,
    /// `terminal`, or `None` if the game never ends.
    end: Option<AtomId>,
    /// `goal` atoms of the seats, in increasing order.
    goals: Vec<(RoleId, u8, AtomId)>,
    /// `next` atoms by fluent.
    next: Vec<Option<AtomId>>,
}

impl Keywords {
    fn new(rules: &Rules) -> Self {
        let ground = rules.ground();
        let mut legal: Vec<Vec<(u16, AtomId)>> = vec![Vec::new(); rules.num_roles()];
        let (mut end, mut goals) = (None, Vec::new());
        let mut next = vec![None; rules.num_fluents()];
        for atom in (ground.phase_a().start..ground.phase_b().end).map(AtomId) {
            match ground.kind(atom) {
                AtomKind::Legal { role, action } => {
                    legal[usize::from(role)].push((action as u16, atom))
                }
                AtomKind::Terminal => end = Some(atom),
                AtomKind::Goal { role, value } if Some(RoleId(role)) != rules.random() => {
                    goals.push((RoleId(role), value, atom));
                }
                AtomKind::Next(fluent) => next[fluent as usize] = Some(atom),
                _ => (),
            }
        }
        goals.sort_unstable();
        let by_move = |mut list: Vec<(u16, AtomId)>| {
            list.sort_unstable();
            list.into_iter().map(|(_, atom)| atom).collect()
        };
        Self { legal: legal.into_iter().map(by_move).collect(), end, goals, next }
    }
}
