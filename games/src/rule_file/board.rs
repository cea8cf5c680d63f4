//! The text interface of games from rule files.

use ruse_gdl::{Evaluator, Information, MoveId, RoleId};

use super::{RoleMove, RoleView, RuleFile, RuleFileState};
use crate::{Board, BySeat, Choice, Drawing, Event, NotAnAction, Page, Seat, Seen};

/// The maximum number of moves in a numbered list; more moves are shown as running text.
const FEW: usize = 40;

/// The maximum number of moves shown.
const SHOWN: usize = 400;

/// The maximum number of true fluents that are all shown; with more, only changes are shown.
const FLUENTS: usize = 60;

impl RuleFile {
    fn is_open(&self) -> bool {
        self.shared.rules.information() == Information::Complete
    }

    /// Returns whether at most one role had a choice at each step of the first random games.
    fn has_turns(&self) -> bool {
        self.shared.survey.turns
    }

    /// Returns the names of the roles that a seat plays if both seats take part in the same play.
    fn names_of(&self, lone_role: RoleId, seat: Seat) -> String {
        let is_of_seat = |role: RoleId| (role == lone_role) == (seat == Seat::First);
        let roles = self.shared.roles.iter().filter(|&&role| is_of_seat(role));
        roles.map(|&role| self.shared.rules.role_name(role)).collect::<Vec<_>>().join(", ")
    }

    /// Returns an evaluator in the state after the first `steps` steps. Requires complete information.
    fn state_before(&self, view: &RoleView<'_>, steps: u32) -> Evaluator {
        let mut evaluator = Evaluator::new(&self.shared.rules);
        for joint in view.steps().take(steps as usize).filter_map(|step| step.joint) {
            evaluator.play(joint);
            evaluator.advance();
        }
        evaluator
    }

    /// Describes a step as a role sees it: the moves of roles that had a choice, or the role's percepts.
    fn happened(&self, view: &RoleView<'_>, index: u32) -> Vec<String> {
        let rules = &self.shared.rules;
        let step = view.step(index);
        let Some(joint) = step.joint else {
            let texts = step.percepts.iter();
            return texts
                .map(|&percept| rules.percept_text(view.role(), percept).to_string())
                .collect();
        };
        let before = self.state_before(view, index);
        let chose = rules.roles().zip(joint).filter(|&(role, _)| before.num_legal(role) > 1);
        chose.map(|(role, &action)| self.did(role, action)).collect()
    }

    /// Returns the name of a role and the text of its move.
    fn did(&self, role: RoleId, action: MoveId) -> String {
        let rules = &self.shared.rules;
        format!("{} {}", rules.role_name(role), rules.move_text(role, action))
    }

    /// Returns the texts of fluents, in order.
    fn texts(&self, fluents: impl Iterator<Item = u32>) -> Vec<String> {
        let mut texts: Vec<String> =
            fluents.map(|fluent| self.shared.rules.fluent(fluent)).collect();
        texts.sort_by_cached_key(|text| natural(text));
        texts
    }

    /// Returns the true fluents as text or, if there are too many, the changes since the role's last decision.
    fn fluents(&self, view: &RoleView<'_>, page: Page) -> String {
        let Some(state) = view.state() else { return String::new() };
        let now = self.texts(state.iter());
        if now.len() <= FLUENTS {
            return listed("true: ", &now, page);
        }
        let before = self.state_before(view, view.num_known_steps());
        let before = before.state();
        let new = self.texts(state.iter().filter(|&fluent| !before.contains(fluent)));
        let gone = self.texts(before.iter().filter(|&fluent| !state.contains(fluent)));
        listed("new: ", &new, page) + &listed("no longer: ", &gone, page)
    }
}

/// Returns a sort key that orders numbers in a text by value.
pub(super) fn natural(text: &str) -> Vec<(u64, String)> {
    let words = text.split([' ', '(', ')']);
    words
        .map(|word| match word.parse::<u64>() {
            Ok(number) => (number, String::new()),
            Err(_) => (0, word.to_string()),
        })
        .collect()
}

/// Returns `title` and `texts` as lines, which break between texts if possible. Without texts, returns an empty text.
fn listed(title: &str, texts: &[String], page: Page) -> String {
    if texts.is_empty() {
        return String::new();
    }
    let last = texts.len() - 1;
    let words = texts.iter().enumerate().map(|(index, text)| match index == last {
        true => text.clone(),
        false => format!("{text},"),
    });
    let indent = " ".repeat(title.len());
    let text = page.wrapped(&indent, words);
    format!("{title}{}", &text[indent.len()..])
}

/// Returns a text in canonical form: in lower case, with single blanks, and in parentheses if it has several words.
fn canonical(typed: &str) -> String {
    let spaced = typed.to_ascii_lowercase().replace('(', " ( ").replace(')', " ) ");
    let joined = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = joined.replace("( ", "(").replace(" )", ")");
    if text.contains(' ') && !text.starts_with('(') { format!("({text})") } else { text }
}

impl Board<RuleFile> for RuleFile {
    fn rules(&self) -> String {
        let shared = &*self.shared;
        let names = shared.roles.iter().map(|&role| shared.rules.role_name(role));
        let names = names.collect::<Vec<_>>().join(", ");
        let about = match shared.source.about.as_str() {
            "" => format!("The rules are those in {}.", shared.source.title),
            about => about.to_string(),
        };
        let sides = match (shared.plays_alone, shared.roles.len()) {
            (true, 1) => format!(
                "You and the opponent each play {names} on your own, with the same chance; more is better"
            ),
            (true, _) => format!(
                "You and the opponent each play all roles ({names}) on your own, with the same chance; more is better"
            ),
            (false, 2) => format!("The roles are {names}"),
            (false, _) => format!(
                "One of you plays one role of {names}, the other all others, and their mean goal counts"
            ),
        };
        let sees = match self.is_open() {
            true => "You see all that is true",
            false => "You see what your role perceives, and nothing else",
        };
        format!(
            "{about}\n\
             {sides}. {sees}.\n\
             Type the number of a move, or its text, with or without the outer parentheses.\n"
        )
    }

    fn show(&self, seen: &Seen<'_, RuleFile>, page: Page) -> String {
        let view = &seen.view;
        let name = self.shared.rules.role_name(view.role());
        let mut text = format!("step {}, you are {name}\n", view.num_steps() + 1);
        text += &self.fluents(view, page);
        if !self.is_open() {
            for (index, step) in view.steps().enumerate() {
                let known = self.happened(view, index as u32);
                let own = self.shared.rules.move_text(view.role(), step.own);
                let title = format!("step {}: ", index + 1);
                let told = match known.is_empty() {
                    true => vec![format!("you {own}")],
                    false => vec![format!("you {own};"), format!("seen {}", known.join(", "))],
                };
                text += &page.wrapped("", std::iter::once(title.trim().to_string()).chain(told));
            }
        }
        if view.legal().len() > FEW {
            let moves = view.legal().iter().take(SHOWN).enumerate().map(|(index, &action)| {
                format!("{} {}", index + 1, self.shared.rules.move_text(view.role(), action))
            });
            text += &listed("moves: ", &moves.collect::<Vec<_>>(), page);
            if view.legal().len() > SHOWN {
                text += &format!("and {} more\n", view.legal().len() - SHOWN);
            }
        }
        text
    }

    fn choices(&self, seen: &Seen<'_, RuleFile>) -> Vec<Choice<RoleMove>> {
        let (legal, role) = (seen.view.legal(), seen.view.role());
        if legal.len() > FEW {
            return Vec::new();
        }
        let choice = |&action: &MoveId| Choice {
            typed: self.shared.rules.move_text(role, action).to_string(),
            meaning: String::new(),
            action: RoleMove { role, action },
        };
        legal.iter().map(choice).collect()
    }

    fn all_actions(&self, seen: &Seen<'_, RuleFile>) -> Option<Vec<RoleMove>> {
        let role = seen.view.role();
        Some(seen.view.legal().iter().map(|&action| RoleMove { role, action }).collect())
    }

    fn prompt(&self, seen: &Seen<'_, RuleFile>) -> String {
        format!("a move of {}", self.shared.rules.role_name(seen.view.role()))
    }

    fn parse(&self, seen: &Seen<'_, RuleFile>, text: &str) -> Result<RoleMove, NotAnAction> {
        let (rules, role, legal) = (&self.shared.rules, seen.view.role(), seen.view.legal());
        let numbered = || {
            let number: usize = text.trim().parse().ok()?;
            legal.get(number.checked_sub(1)?).copied()
        };
        // A move may be a number, as in Nim, so the text of a move takes precedence over its position in a list.
        let typed = canonical(text);
        let found = rules.find_move(role, &typed).or_else(numbered);
        found.map(|action| RoleMove { role, action }).ok_or_else(|| {
            let nearest = rules.nearest_move(role, legal, &typed);
            let example = nearest.map(|action| rules.move_text(role, action));
            let expected = match example {
                Some(example) => {
                    format!("type a move of {} such as {example}", rules.role_name(role))
                }
                None => "there is nothing to do".into(),
            };
            NotAnAction::new(text, expected)
        })
    }

    fn write(&self, action: &RoleMove) -> String {
        self.shared.rules.move_text(action.role, action.action).to_string()
    }

    fn is_public(&self, _: &RoleView<'_>, _: &RoleMove) -> bool {
        self.is_open() && self.has_turns() && !self.shared.plays_alone
    }

    fn told(&self, event: &Event<'_, RuleFile>) -> Option<String> {
        // For the role that acted, the steps since its move are new; for another role, the steps since its last
        // decision are new.
        let after = &event.after;
        let known = match after.role() == event.before.role() {
            true => event.before.num_steps(),
            false => after.num_known_steps(),
        };
        let steps = known..after.num_steps();
        let texts: Vec<String> = steps.flat_map(|index| self.happened(after, index)).collect();
        match (texts.is_empty(), self.is_open()) {
            (true, _) => None,
            (false, true) => Some(format!("Moves: {}.", texts.join(", "))),
            (false, false) => Some(format!("You perceive {}.", texts.join(", "))),
        }
    }

    fn everything(&self, state: &RuleFileState, names: BySeat<&str>, page: Page) -> String {
        let (rules, table) = (&self.shared.rules, state.table());
        let mut text = String::new();
        for seat in Seat::BOTH {
            let course = table.course_of(seat);
            if self.shared.plays_alone {
                text += &format!("{}:\n", names[seat]);
            } else {
                let roles = self.names_of(table.view(&self.shared, seat).lone_role(), seat);
                text += &format!("{} {}\n", roles, names[seat]);
                if seat == Seat::First {
                    continue;
                }
            }
            for step in 0..course.record.steps {
                let moves = rules.roles().zip(course.record.joint_move(step));
                let moves = moves.map(|(role, &action)| self.did(role, action));
                text += &listed(&format!("step {}: ", step + 1), &moves.collect::<Vec<_>>(), page);
            }
            let fluents = self.texts(course.evaluator.state().iter());
            text += &listed("true: ", &fluents, page);
        }
        if let Some(goals) = self.goals(state) {
            let goal = |seat: Seat| format!("{} {}", names[seat], rounded(goals[seat]));
            let goals = [goal(Seat::First), goal(Seat::Second)];
            text += &listed("goals: ", &goals, page);
        }
        text
    }

    fn drawing(&self, seen: &Seen<'_, RuleFile>) -> Option<Drawing> {
        self.drawing(&seen.view, seen.is_to_act())
    }

    fn whole_drawing(&self, state: &RuleFileState, _names: BySeat<&str>) -> Option<Drawing> {
        // If the sides play alone, there are two boards.
        match self.shared.plays_alone {
            true => None,
            false => self.whole_drawing(self.truth(state, Seat::First)),
        }
    }

    fn hides(&self) -> bool {
        !self.is_open() || !self.has_turns() || self.shared.plays_alone
    }

    fn may_take_back(&self) -> bool {
        !self.hides() && self.shared.rules.random().is_none()
    }
}

/// Returns a goal as text, without decimals if it is an integer.
fn rounded(goal: f64) -> String {
    if goal.fract() == 0.0 { format!("{goal:.0}") } else { format!("{goal:.1}") }
}
