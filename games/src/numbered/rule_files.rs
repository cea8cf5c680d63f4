//! Games from rule files as numbers.

use ruse_gdl::{Information, MoveId, PerceptId, REMEMBERED_STEPS, RoleId, Rules};

use super::{Feature, Numbered, Recall, Receiver, Writer};
use crate::rule_file::{RoleMove, RoleView, RuleFile};

/// Returns the sum of the values of all roles before `role`, in the order of the rules.
fn sum_before(rules: &Rules, role: RoleId, value: impl Fn(RoleId) -> usize) -> usize {
    rules.seats().take_while(|&other| other != role).map(value).sum()
}

/// Features: the role that decides and, with complete information, a flag for each fluent; otherwise, for each of the
/// latest eight steps, which strategies `FILE.kif:linear` remember, too, a flag for each move of the role and for each
/// of its percepts. Actions: the moves of all roles.
impl Numbered<RuleFile> for RuleFile {
    fn features(&self) -> Vec<Feature> {
        let rules = self.language_rules();
        let mut features: Vec<Feature> = rules
            .seats()
            .map(|role| Feature::flag(format!("the player is {}", rules.role_name(role))))
            .collect();
        if rules.information() == Information::Complete {
            let fluents = 0..rules.num_fluents() as u32;
            features.extend(fluents.map(|fluent| Feature::flag(rules.fluent(fluent))));
            return features;
        }
        for age in 1..=REMEMBERED_STEPS {
            for role in rules.seats() {
                let name = rules.role_name(role);
                let when = format!("{age} steps ago, as {name}");
                features.extend((0..rules.num_moves(role)).map(|index| {
                    let text = rules.move_text(role, MoveId(index as u32));
                    Feature::flag(format!("{when}: did {text}"))
                }));
                features.extend((0..rules.num_percepts(role)).map(|index| {
                    let text = rules.percept_text(role, PerceptId(index as u32));
                    Feature::flag(format!("{when}: saw {text}"))
                }));
            }
        }
        features
    }

    fn observe(&self, view: &RoleView<'_>, _: Recall<'_>, observation: &mut [f32]) {
        let (rules, own) = (view.rules(), view.role());
        let (of_roles, rest) = observation.split_at_mut(rules.seats().count());
        Writer::new(of_roles).put_all(rules.seats().map(|role| u8::from(role == own))).finish();
        rest.fill(0.0);
        if let Some(state) = view.state() {
            state.iter().for_each(|fluent| rest[fluent as usize] = 1.0);
            return;
        }
        let num_of = |role| rules.num_moves(role) + rules.num_percepts(role);
        let before = sum_before(rules, own, num_of);
        let per_step = rules.seats().map(num_of).sum();
        for (flags, step) in rest.chunks_exact_mut(per_step).zip(view.steps().rev()) {
            let flags = &mut flags[before..];
            flags[step.own.0 as usize] = 1.0;
            for percept in step.percepts {
                flags[rules.num_moves(own) + percept.0 as usize] = 1.0;
            }
        }
    }

    fn action_texts(&self) -> Vec<String> {
        let rules = self.language_rules();
        let has_roles = rules.seats().count() > 1;
        let texts = rules.seats().flat_map(|role| {
            (0..rules.num_moves(role)).map(move |index| {
                let text = rules.move_text(role, MoveId(index as u32));
                match has_roles {
                    true => format!("{} {text}", rules.role_name(role)),
                    false => text.to_string(),
                }
            })
        });
        texts.collect()
    }

    fn each_numbered(&self, view: &RoleView<'_>, _: Recall<'_>, add: Receiver<'_, RoleMove>) {
        let (rules, role) = (view.rules(), view.role());
        let first = sum_before(rules, role, |other| rules.num_moves(other));
        for &action in view.legal() {
            add(first + action.0 as usize, Some(RoleMove { role, action }));
        }
    }
}
