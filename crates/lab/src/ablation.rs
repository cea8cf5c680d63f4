//! Ablation measures the worth of groups of parameters: how much lower a strategy scores when all parameters of a group
//! are set to zero.
//!
//! A search with a limited budget leaves many parameters near their starting values. Only a comparison shows whether
//! the other parameters matter.

use std::collections::BTreeSet;

use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{StopSignal, Stopped};
use ruse_play::arena::SameDeals;
use ruse_play::family::{AnyFamily, Player, PlayerError};
use ruse_play::score::{CONFIDENCE, Difference, difference};
use ruse_search::ParameterGroup;
use serde::Serialize;

/// The name of the group that contains all parameters.
pub const ALL_PARAMETERS: &str = "all";

/// The error returned for an unknown group of parameters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no parameter of {family} is in a group {wanted}; its groups are {}", names.join(", "))]
pub struct NoSuchGroup {
    /// The name of the family.
    pub family: String,
    /// The group that was asked for.
    pub wanted: String,
    /// The names of the existing groups.
    pub names: Vec<String>,
}

/// The measured worth of a group of parameters for a strategy.
#[derive(Debug, Clone, PartialEq)]
pub struct Worth {
    /// The parameters that were set to zero.
    pub group: ParameterGroup,
    /// The score of the whole strategy minus its score without the group. The intervals of all groups hold
    /// simultaneously with probability [`CONFIDENCE`].
    pub difference: Difference,
}

/// The effect of a group on a strategy, as far as the interval of its worth proves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Finding {
    /// The strategy scores more with the group.
    Helps,
    /// The strategy scores more without the group.
    Harms,
    /// It is not proven whether the group helps or harms.
    Unclear,
    /// The two scores are exactly equal.
    Nothing,
}

impl Finding {
    /// Returns the finding for a group whose worth has the interval `[low, high]`. `is_exact` states whether the worth
    /// is exact.
    pub fn of([low, high]: [f64; 2], is_exact: bool) -> Finding {
        match (low, high) {
            _ if low > 0.0 => Finding::Helps,
            _ if high < 0.0 => Finding::Harms,
            _ if is_exact => Finding::Nothing,
            _ => Finding::Unclear,
        }
    }
}

impl Worth {
    /// Returns the finding about the group.
    pub fn finding(&self) -> Finding {
        Finding::of(self.difference.interval, self.difference.is_exact)
    }

    /// Returns the scores of the whole strategy and of the strategy without the group. Both are `None` if the worth is
    /// exact.
    pub fn scores(&self) -> [Option<f64>; 2] {
        match self.difference.is_exact {
            true => [None; 2],
            false => [0, 1].map(|index: usize| self.difference.tallies[index].score()),
        }
    }
}

/// Returns the groups with these names. Without names, returns all groups of the family, and then the group of all
/// parameters.
///
/// # Errors
///
/// Returns an error if a group does not exist.
pub fn groups(family: &dyn AnyFamily, only: &[String]) -> Result<Vec<ParameterGroup>, NoSuchGroup> {
    let space = family.space();
    let all = || ParameterGroup {
        name: ALL_PARAMETERS.into(),
        members: (0..space.dimension()).collect(),
    };
    let mut groups = match only {
        [] => space.groups(),
        only => only
            .iter()
            .map(|name| match name.as_str() {
                ALL_PARAMETERS => Ok(all()),
                name => space.group(name).ok_or_else(|| NoSuchGroup {
                    family: family.name().into(),
                    wanted: name.into(),
                    names: space.groups().into_iter().map(|group| group.name.into()).collect(),
                }),
            })
            .collect::<Result<_, _>>()?,
    };
    if only.is_empty() && groups.len() > 1 {
        groups.push(all());
    }
    // Groups with the same parameters would be measured twice on the same games.
    let mut seen = BTreeSet::new();
    groups.retain(|group| seen.insert(group.members.clone()));
    Ok(groups)
}

/// The settings of an ablation.
pub struct AblationPlan<'a> {
    /// The family of the strategy.
    pub family: &'a dyn AnyFamily,
    /// The parameters of the strategy: `[dimension]`.
    pub parameters: &'a [f64],
    /// The groups that are set to zero, one after the other.
    pub groups: Vec<ParameterGroup>,
    /// The opponent in all games.
    pub opponent: &'a Player,
    /// The number of deals for each group.
    pub num_pairs: u64,
}

/// Measures the worth of each group. The strategy plays the opponent twice on the same deals: unchanged, and with the
/// parameters of the group set to zero. The deals are the same for all groups. The intervals are simultaneous
/// (Bonferroni). After each group, `on_group` is called with the number of groups measured so far.
///
/// The number of deals is fixed. A race would end once it is known whether the group helps, before it is known how
/// much.
///
/// # Errors
///
/// Returns an error if the strategy or the opponent does not belong to the family, or if the measurement was stopped.
pub fn ablate(
    plan: AblationPlan<'_>,
    key: StreamKey,
    stop: &StopSignal,
    mut on_group: impl FnMut(usize),
) -> Result<Vec<Worth>, AblationError> {
    let AblationPlan { family, parameters, groups, opponent, num_pairs } = plan;
    let key = key.child(Label::Ablation, 0);
    let confidence = 1.0 - (1.0 - CONFIDENCE) / groups.len().max(1) as f64;
    let whole = Player::from(parameters);
    let mut worths = Vec::new();
    for group in groups {
        let mut reset = parameters.to_vec();
        group.members.iter().for_each(|&member| reset[member] = 0.0);
        let league = family.league(&[&whole, &Player::from(reset.as_slice()), opponent])?;
        let deals = SameDeals { league, players: [0, 1], opponent: 2 };
        let difference = difference(&deals, key, num_pairs, confidence, stop)?;
        worths.push(Worth { group, difference });
        on_group(worths.len());
    }
    Ok(worths)
}

/// The reason why an ablation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AblationError {
    /// A player does not belong to the family.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// The measurement was stopped from outside.
    #[error("it was stopped")]
    Stopped(#[from] Stopped),
}

#[cfg(test)]
mod tests {
    use ruse_registry::Registry;

    use super::*;

    fn worths(family: &str, theta: &[f64], wanted: &[&str], seed: u64) -> Vec<Worth> {
        let family = Registry::standard().family(family).expect("known");
        let wanted: Vec<String> = wanted.iter().map(|&name| name.into()).collect();
        let groups = groups(family.as_ref(), &wanted).expect("there are such groups");
        let (key, stop) = (StreamKey::root(seed), StopSignal::default());
        let opponent = &Player::Redrawn;
        let plan = AblationPlan {
            family: family.as_ref(),
            parameters: theta,
            groups,
            opponent,
            num_pairs: 1000,
        };
        ablate(plan, key, &stop, |_| ()).expect("it plays")
    }

    /// C is the weight of the good order in War. Parameters are on a logarithmic scale, so with C = 6 the strategy
    /// chooses this order with probability .995. Without C it plays at random, and its score is about .17 lower.
    #[test]
    fn helpful_parameters_score() {
        let found = worths("war", &[0.0, 0.0, 6.0], &[], 1);
        let names: Vec<&str> = found.iter().map(|worth| &*worth.group.name).collect();
        // `all` is listed as well as C, although A and B are zero: two groups count as equal only if they have the same
        // members.
        assert_eq!(names, ["A", "B", "C", "all"]);
        let findings: Vec<Finding> = found.iter().map(Worth::finding).collect();
        assert_eq!(findings[2..], [Finding::Helps, Finding::Helps]);
        // Removing a parameter that is zero changes nothing.
        assert_eq!(found[0].difference.mean, 0.0);
        assert_eq!(found[0].difference.interval, found[1].difference.interval);
        assert!((0.12..0.22).contains(&found[2].difference.mean), "{:?}", found[2].difference);
    }

    /// With B = 6 and C = 5, the strategy plays the worst card first in three of four piles, and the best card first in
    /// the others. Without B the strategy nearly always plays the best card first, so B does harm.
    #[test]
    fn harmful_parameters_score() {
        let found = worths("war", &[0.0, 6.0, 5.0], &["B"], 1);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].finding(), Finding::Harms);
    }

    /// A group without any effect is never found to help or to harm. In Cheat, the parameter of the group `constant` is
    /// added to the values of all actions, so it has no effect.
    #[test]
    fn parameters_without_effect_score_nothing() {
        let theta: Vec<f64> = (0..28).map(|i| libm::sin(f64::from(i))).collect();
        for seed in 1..=4 {
            let found = worths("cheat", &theta, &["constant"], seed);
            assert_eq!(found[0].difference.mean, 0.0);
            assert!(matches!(found[0].finding(), Finding::Unclear | Finding::Nothing));
        }
    }
}
