//! The habits of a strategy in a rule file, observed in games that it plays.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::rule_file::{RoleView, RuleFile};
use ruse_games::{Game, SampleAction, Seat, Turn};
use ruse_gdl::{MoveId, RoleId};
use ruse_picture::{Bars, Chart, List, Panel, Picture};
use ruse_search::Strategy;

use super::policy::Policy;

/// The number of games that are played to observe a strategy. The strategy has each seat in half of the games.
const GAMES: u32 = 400;

/// The largest number of decisions that are observed.
const MAX_DECISIONS: u32 = 200_000;

/// The largest number of situations that a picture lists in full.
const FEW_SITUATIONS: usize = 60;

/// The largest number of moves of a role that a picture names. The picture names the most frequent moves.
const NAMED_MOVES: usize = 12;

/// The observed choices of a strategy in games against random moves.
#[derive(Default)]
pub(super) struct Habits {
    /// The situations, by role, knowledge in words, and key.
    situations: BTreeMap<(RoleId, Vec<String>, u64), Situation>,
    /// The expected number of decisions for each move of a role.
    moves: BTreeMap<(RoleId, MoveId), f64>,
    /// The number of decisions of each role.
    decisions: BTreeMap<RoleId, u32>,
}

/// The choices of a role in one state of its knowledge.
struct Situation {
    /// The number of decisions of the role in this situation.
    times: u32,
    /// The probability of each possible move.
    moves: Vec<(MoveId, f64)>,
}

/// Returns the steps that a role knows as the end of a sentence, or `None` if it knows none.
pub(super) fn after(known: &[String]) -> Option<String> {
    let steps: Vec<&str> =
        known.iter().map(String::as_str).filter(|step| !step.is_empty()).collect();
    (!steps.is_empty()).then(|| format!(" after {}", steps.join("; ")))
}

impl Habits {
    pub(super) fn of<S: Strategy<RuleFile> + Policy>(game: &RuleFile, strategy: &S) -> Habits {
        let mut habits = Habits::default();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut memory = S::Memory::default();
        let mut action = ruse_games::rule_file::RoleMove::default();
        let (mut probabilities, mut num_decisions) = (Vec::new(), 0);
        for number in 0..GAMES {
            let own = Seat::BOTH[number as usize % 2];
            let mut state = game.deal(&mut rng);
            strategy.begin(&mut memory, own);
            while let Turn::Act(seat) = game.turn(&state) {
                let view = game.view(&state, seat);
                if seat == own && num_decisions < MAX_DECISIONS {
                    strategy.act(&mut memory, view, &mut rng, &mut action);
                    strategy.probabilities(&view, &mut probabilities);
                    habits.add(&view, &probabilities);
                    num_decisions += 1;
                } else {
                    game.sample_action(&view, &mut rng, &mut action);
                }
                game.apply(&mut state, seat, &action, &mut rng);
            }
        }
        habits
    }

    fn add(&mut self, view: &RoleView<'_>, probabilities: &[f64]) {
        let role = view.role();
        *self.decisions.entry(role).or_default() += 1;
        for (&action, &probability) in view.legal().iter().zip(probabilities) {
            *self.moves.entry((role, action)).or_default() += probability;
        }
        // A list that is too long to be shown may be incomplete.
        if self.situations.len() <= 4 * FEW_SITUATIONS {
            let moves = || {
                let all = view.legal().iter().copied().zip(probabilities.iter().copied());
                all.filter(|&(_, probability)| probability > 0.0).collect()
            };
            let situation = self.situations.entry((role, view.known(), view.key()));
            situation.or_insert_with(|| Situation { times: 0, moves: moves() }).times += 1;
        }
    }

    /// Describes the first move of each role in a sentence.
    pub(super) fn words(&self, game: &RuleFile) -> String {
        let rules = game.language_rules();
        let mut words = Vec::new();
        for &role in game.roles() {
            let own = self.situations.iter().filter(|((of, ..), _)| *of == role);
            let Some(((_, known, _), Situation { moves, .. })) =
                own.min_by_key(|((_, known, _), _)| known.len())
            else {
                continue;
            };
            let (action, share) =
                moves.iter().copied().fold((MoveId::default(), 0.0), |best, next| {
                    if next.1 > best.1 { next } else { best }
                });
            let often = match share > 0.995 {
                true => String::new(),
                false => format!(" with probability {:.2}", share),
            };
            let (name, text) = (rules.role_name(role), rules.move_text(role, action));
            let after = after(known).unwrap_or_default();
            words.push(format!("with {text}{often} as {name}{after}"));
        }
        match words.is_empty() {
            true => "never has a choice".into(),
            false => format!("begins {}", words.join(", ")),
        }
    }

    /// Shows the frequency of each move and, if there are few situations, the choices in each situation.
    pub(super) fn picture(&self, game: &RuleFile) -> Picture {
        let rules = game.language_rules();
        let mut panels = Vec::new();
        for &role in game.roles() {
            let Some(&num_decisions) = self.decisions.get(&role) else { continue };
            let own: Vec<_> = self.situations.iter().filter(|((of, ..), _)| *of == role).collect();
            if self.situations.len() <= FEW_SITUATIONS {
                let item = |(key, situation): &(&(RoleId, Vec<String>, u64), &Situation)| {
                    let Situation { times, moves } = situation;
                    let moves = moves.iter().map(|&(action, probability)| {
                        let text = rules.move_text(role, action);
                        if probability > 0.995 {
                            text.into()
                        } else {
                            format!("{text} {:.0}%", 100.0 * probability)
                        }
                    });
                    let known = match key.1.iter().all(String::is_empty) {
                        true => "at first".to_string(),
                        false => key.1.join("; "),
                    };
                    (known, format!("{} (met {times} times)", moves.collect::<Vec<_>>().join(", ")))
                };
                let list = List { items: own.iter().map(item).collect() };
                let title = format!("What {} does", rules.role_name(role));
                panels.push(Panel::new(title, Chart::List(list)).with_note(format!(
                    "Situations met in {GAMES} games against random moves, one for each line."
                )));
            }
            let mut moves: Vec<(MoveId, f64)> = self
                .moves
                .iter()
                .filter(|((of, _), _)| *of == role)
                .map(|(&(_, action), &times)| (action, times / f64::from(num_decisions)))
                .collect();
            moves.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let num_moves = moves.len();
            moves.truncate(NAMED_MOVES);
            let bars = Bars {
                quantity: "share of decisions".into(),
                names: moves
                    .iter()
                    .map(|&(action, _)| rules.move_text(role, action).into())
                    .collect(),
                series: vec![("share".into(), moves.iter().map(|&(_, share)| share).collect())],
                level: None,
            };
            let title = format!("How often {} makes each move", rules.role_name(role));
            let which = match num_moves > NAMED_MOVES {
                true => format!("The {NAMED_MOVES} most frequent of {num_moves} moves"),
                false => "All moves".into(),
            };
            panels.push(Panel::new(title, Chart::Bars(bars)).with_note(format!(
                "{which}, in {num_decisions} decisions of games against random moves."
            )));
        }
        Picture::of(panels)
    }
}
