//! Proves that at most one of several fluents holds at a time, so that one variable can represent these fluents.
//!
//! A *family* is a name with value positions. The fluents of a family that agree at all other positions form a group,
//! and no two fluents of a group ever hold together. The proof is by induction over steps, as a greatest fixpoint: it
//! starts from all pairs of fluents, and removes the pairs that hold together at the start or in a random game. Then it
//! removes the pairs that may become true in the same step, until nothing changes. The remaining pairs never hold
//! together. The search may miss families, but every family that it finds is proven.

use std::collections::HashMap;
use std::hash::Hash;

use ruse_gdl::{AtomId, AtomKind, Rules};

use super::clash::{Implications, Prover, UsedUp};
use super::pairs::Pairs;
use super::states::{every_state, random_states};
use super::terms::FluentTerm;

/// Limits of the search for families.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FamilyLimits {
    /// The number of fluents above which only pairs within a possible group are considered.
    pub fluents: usize,
    /// The largest number of tests of pairs of ground rules, including the cases into which a pair is split. If it is
    /// too small, some fluents are not grouped.
    pub tests: u64,
    /// The number of ground rules above which the search is skipped, so that no fluents are grouped.
    pub ground_rules: usize,
    /// The number of random games that are played to eliminate pairs.
    pub games: u64,
    /// The total number of steps after which no more random games are started.
    pub steps: u64,
    /// If there are fewer states, all of them are enumerated, to find the groups in which some fluent always holds.
    pub states: usize,
    /// The number of joint moves after which the enumeration of states is abandoned.
    pub joint_moves: u64,
}

impl Default for FamilyLimits {
    fn default() -> Self {
        Self {
            fluents: 2_000,
            tests: 10_000_000,
            ground_rules: 500_000,
            games: 1_000,
            steps: 200_000,
            states: 200_000,
            joint_moves: 4_000_000,
        }
    }
}

/// A group of fluents with at most one true member, or a single fluent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The canonical text with `?` in place of the values. The name of a single fluent is its own text.
    pub name: String,
    /// The fluents in increasing order. There is at least one.
    pub fluents: Box<[u32]>,
    /// For each fluent, the values that replace `?`, separated by spaces. For a single fluent, the text is empty.
    pub values: Box<[String]>,
    /// True if possibly no fluent of the group holds in some state.
    pub may_be_none: bool,
}

impl Group {
    /// Returns the number of values of the group's variable: the number of its fluents, plus one if possibly no fluent
    /// holds. A single fluent has two values: it holds, or it does not hold.
    pub fn num_values(&self) -> u16 {
        match self.fluents.len() {
            1 => 2,
            several => several as u16 + u16::from(self.may_be_none),
        }
    }
}

/// A family of fluents: a name with value positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    /// The name of the fluents.
    pub name: String,
    /// The positions of values among the arguments, from 0, in increasing order.
    pub positions: Box<[usize]>,
    /// The numbers of the family's groups, in increasing order.
    pub groups: Box<[usize]>,
}

/// All fluents of a game, in groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Families {
    families: Vec<Family>,
    groups: Vec<Group>,
    /// For each fluent, its group and its place in the group.
    places: Vec<(u32, u16)>,
    is_enumerated: bool,
}

impl Families {
    /// Finds the families of a game.
    pub fn new(rules: &Rules, limits: &FamilyLimits) -> Self {
        let num_fluents = rules.num_fluents();
        let terms: Vec<FluentTerm> = (0..num_fluents as u32)
            .map(|fluent| FluentTerm::of_text(&rules.fluent(fluent)))
            .collect();
        let candidates = if rules.ground().num_rules() <= limits.ground_rules {
            candidates(&terms)
        } else {
            Vec::new()
        };
        let pairs = prove(rules, &candidates, limits);
        let mut families = Self {
            families: Vec::new(),
            groups: Vec::new(),
            places: vec![(u32::MAX, 0); num_fluents],
            is_enumerated: false,
        };
        let mut taken: Vec<(&Candidate, &[u32])> = Vec::new();
        for of_name in &candidates {
            let is_proven = |one: &&Candidate| one.groups.iter().all(|group| pairs.exclude(group));
            if let Some(found) = of_name.iter().find(is_proven) {
                taken.extend(found.groups.iter().map(|group| (found, &**group)));
            }
        }
        // Groups are numbered by their first fluents.
        let mut of_first: Vec<Option<(&Candidate, &[u32])>> = vec![None; num_fluents];
        for (candidate, group) in taken {
            of_first[group[0] as usize] = Some((candidate, group));
        }
        for fluent in 0..num_fluents as u32 {
            match of_first[fluent as usize] {
                _ if families.places[fluent as usize].0 != u32::MAX => (),
                Some((candidate, group)) if group.len() > 1 => {
                    families.add_group(&terms, candidate, group);
                }
                _ => families.add_single(rules, fluent),
            }
        }
        families.drop_none(rules, limits);
        families
    }

    /// Creates families in which every group is a single fluent.
    pub fn single(rules: &Rules) -> Self {
        Self::new(rules, &FamilyLimits { ground_rules: 0, states: 0, ..FamilyLimits::default() })
    }

    fn add_single(&mut self, rules: &Rules, fluent: u32) {
        self.places[fluent as usize] = (self.groups.len() as u32, 0);
        self.groups.push(Group {
            name: rules.fluent(fluent),
            fluents: [fluent].into(),
            values: [].into(),
            may_be_none: true,
        });
    }

    fn add_group(&mut self, terms: &[FluentTerm], candidate: &Candidate, group: &[u32]) {
        let number = self.groups.len();
        for (value, &fluent) in group.iter().enumerate() {
            self.places[fluent as usize] = (number as u32, value as u16);
        }
        let first = &terms[group[0] as usize];
        let positions = &candidate.positions;
        self.groups.push(Group {
            name: first.without(positions),
            fluents: group.into(),
            values: group.iter().map(|&fluent| terms[fluent as usize].at(positions)).collect(),
            may_be_none: true,
        });
        let is_this =
            |family: &&mut Family| family.name == first.name && family.positions == *positions;
        match self.families.iter_mut().find(is_this) {
            Some(family) => family.groups = [&*family.groups, &[number]].concat().into(),
            None => self.families.push(Family {
                name: first.name.clone(),
                positions: positions.clone(),
                groups: [number].into(),
            }),
        }
    }

    /// Finds the groups in which some fluent always holds, by enumerating all states if there are few.
    fn drop_none(&mut self, rules: &Rules, limits: &FamilyLimits) {
        if self.families.is_empty() {
            return;
        }
        let Some(states) = every_state(rules, limits.states, limits.joint_moves) else { return };
        self.is_enumerated = true;
        for group in self.groups.iter_mut().filter(|group| group.fluents.len() > 1) {
            let is_none = |state: &ruse_gdl::State| {
                !group.fluents.iter().any(|&fluent| state.contains(fluent))
            };
            group.may_be_none = states.iter().any(is_none);
        }
    }

    /// Returns the families, in the order of their first fluents.
    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// Returns the groups, in the order of their first fluents; each fluent is in exactly one group.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Returns `true` if all states were enumerated, so that [`Group::may_be_none`] is exact, not only an upper bound.
    pub fn is_enumerated(&self) -> bool {
        self.is_enumerated
    }

    /// Returns the group of a fluent, and the place of the fluent in the group.
    ///
    /// # Panics
    ///
    /// Panics if the fluent does not exist.
    pub fn place(&self, fluent: u32) -> (usize, u16) {
        let (group, value) = self.places[fluent as usize];
        (group as usize, value)
    }
}

/// The seed of the random games, fixed so that results are reproducible.
const SEED: u64 = 1;

/// Value positions for all fluents of a name, and the groups that they define.
#[derive(Debug, Clone)]
struct Candidate {
    positions: Box<[usize]>,
    groups: Vec<Vec<u32>>,
}

/// The largest number of arguments for which all sets of value positions are tried. With more arguments, only single
/// positions are tried.
const MAX_ARGUMENTS: usize = 8;

/// The largest number of fluents in a group. Values have 16 bits, and one value means that no fluent holds.
const MAX_VALUES: usize = u16::MAX as usize - 1;

/// Returns, for each name with its number of arguments, the sets of value positions that define a group of at least two
/// fluents. Larger sets come first; sets of the same size are in lexicographic order.
fn candidates(terms: &[FluentTerm]) -> Vec<Vec<Candidate>> {
    let names = terms.iter().map(|term| (&*term.name, term.arguments.len()));
    let of_name = |((_, arity), fluents): ((&str, usize), Vec<u32>)| {
        let groups = position_sets(arity).into_iter().map(|positions| {
            // The fluents of a group agree at all other positions.
            let key = |&fluent: &u32| (terms[fluent as usize].without(&positions), fluent);
            let groups = grouped(fluents.iter().map(key));
            Candidate { groups: groups.into_iter().map(|(_, group)| group).collect(), positions }
        });
        let is_possible = |candidate: &Candidate| {
            let mut sizes = candidate.groups.iter().map(Vec::len);
            sizes.clone().any(|size| size > 1) && sizes.all(|size| size <= MAX_VALUES)
        };
        groups.filter(is_possible).collect()
    };
    grouped(names.zip(0..)).into_iter().map(of_name).collect()
}

fn position_sets(arity: usize) -> Vec<Box<[usize]>> {
    if arity > MAX_ARGUMENTS {
        return (0..arity).map(|position| [position].into()).collect();
    }
    let of_bits = |bits: u32| (0..arity).filter(|at| bits >> at & 1 == 1).collect::<Box<[_]>>();
    let mut sets: Vec<Box<[usize]>> = (1..1 << arity).map(of_bits).collect();
    sets.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    sets
}

/// Groups fluents by their keys, in the order of their first fluents.
fn grouped<K: Clone + Eq + Hash>(fluents: impl Iterator<Item = (K, u32)>) -> Vec<(K, Vec<u32>)> {
    let mut groups: Vec<(K, Vec<u32>)> = Vec::new();
    let mut numbers = HashMap::new();
    for (key, fluent) in fluents {
        let number = *numbers.entry(key.clone()).or_insert(groups.len());
        if number == groups.len() {
            groups.push((key, Vec::new()));
        }
        groups[number].1.push(fluent);
    }
    groups
}

/// Returns the pairs of fluents that are proven never to hold together.
fn prove(rules: &Rules, candidates: &[Vec<Candidate>], limits: &FamilyLimits) -> Pairs {
    let num_fluents = rules.num_fluents();
    let none = Pairs::none(num_fluents);
    if candidates.iter().all(Vec::is_empty) {
        return none;
    }
    let mut within = none.clone();
    for group in candidates.iter().flatten().flat_map(|candidate| &candidate.groups) {
        // Groups with more fluents are hardly ever exclusive, and have too many pairs.
        if group.len() <= limits.fluents {
            for (at, &first) in group.iter().enumerate() {
                group[..at].iter().for_each(|&second| within.set(first, second, true));
            }
        }
    }
    let mut sampled = match num_fluents <= limits.fluents {
        true => Pairs::all(num_fluents),
        false => within.clone(),
    };
    sampled.remove(rules.start());
    random_states(rules, limits.games, limits.steps, SEED, |state| sampled.remove(state));

    let implications = Implications::new(rules);
    let attempt = |start: Pairs| {
        let tests = limits.tests / 2;
        fixpoint(rules, start, &mut Prover::new(&implications, rules.num_roles(), tests))
    };
    // If testing all pairs is too much work, only the pairs within groups are tested.
    let found = attempt(sampled.clone()).or_else(|UsedUp| {
        sampled.retain(&within);
        attempt(sampled)
    });
    found.unwrap_or(none)
}

/// Removes each pair that the other pairs do not prove, until all remaining pairs are proven.
fn fixpoint(rules: &Rules, mut pairs: Pairs, prover: &mut Prover<'_>) -> Result<Pairs, UsedUp> {
    let ground = rules.ground();
    let mut next: Vec<Option<AtomId>> = vec![None; rules.num_fluents()];
    for atom in ground.phase_b().map(AtomId) {
        if let AtomKind::Next(fluent) = ground.kind(atom) {
            next[fluent as usize] = Some(atom);
        }
    }
    loop {
        let mut has_changed = false;
        for (first, second) in pairs.clone().iter() {
            // A fluent that is never derived holds only at the start, if at all.
            let (Some(one), Some(other)) = (next[first as usize], next[second as usize]) else {
                continue;
            };
            if !prover.exclude(one, other, &pairs)? {
                pairs.set(first, second, false);
                has_changed = true;
            }
        }
        if !has_changed {
            return Ok(pairs);
        }
    }
}
