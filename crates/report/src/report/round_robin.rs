//! The tables of a round robin: the score of each player, at each budget, under each set of rules.

use crate::lab::round_robin::{MeetingResult, RoundRobinPlan, RoundRobinResults, ThoughtRow};
use crate::score::{Estimate, Scored, over_meetings};

/// The tables of a round robin.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundRobinReport {
    /// The family.
    pub family: String,
    /// The names of the players, in order.
    pub players: Vec<String>,
    /// The players that all others meet; empty if all players meet each other.
    pub against: Vec<String>,
    /// The unit of budgets: playouts, or steps.
    pub unit: &'static str,
    /// The budgets of a turn; a single `None` if there are no budgets.
    pub budgets: Vec<Option<u64>>,
    /// The sets of rules.
    pub settings: Vec<String>,
    /// The number of pairs in each meeting whose score is not known exactly.
    pub pairs: u64,
    /// The score over all opponents and rules: `[player][budget]`.
    pub scores: Vec<Vec<Option<Estimate>>>,
    /// The score over all opponents under one set of rules: `[setting][player][budget]`.
    pub by_rules: Vec<Vec<Vec<Option<Estimate>>>>,
    /// The score against an opponent under all rules: `[budget][player][opponent]`.
    pub meetings: Vec<Vec<Vec<Option<Estimate>>>>,
    /// Statistics of the searches of the players, if they were recorded.
    pub thoughts: Vec<ThoughtRow>,
    /// Whether all pairs are played.
    pub is_finished: bool,
}

/// The result of a meeting from the point of view of one of its two players.
struct Side {
    player: usize,
    opponent: usize,
    setting: usize,
    budget: Option<usize>,
    scored: Scored,
}

fn sides(results: &RoundRobinResults) -> Vec<Side> {
    let both = |MeetingResult { meeting, scored }: &MeetingResult| {
        let (setting, budget) = (meeting.setting, meeting.budget);
        let side = |player, opponent, scored| Side { player, opponent, setting, budget, scored };
        [
            side(meeting.player, meeting.opponent, scored.clone()),
            side(meeting.opponent, meeting.player, scored.reversed()),
        ]
    };
    results.meetings.iter().flat_map(both).collect()
}

impl RoundRobinReport {
    /// Returns the opponents that a mean score covers, in words.
    pub fn opponents(&self) -> String {
        match self.against.as_slice() {
            [] => "all others".into(),
            against => {
                format!("those met: all meet {}, the others not each other", against.join(", "))
            }
        }
    }

    /// Creates the tables of the known results.
    pub fn new(plan: &RoundRobinPlan, results: &RoundRobinResults) -> RoundRobinReport {
        let sides = sides(results);
        let budgets: Vec<Option<u64>> = match plan.budgets.as_slice() {
            [] => vec![None],
            budgets => budgets.iter().copied().map(Some).collect(),
        };
        // A meeting that does not depend on the budget counts at each budget.
        let is_at = |side: &Side, column: usize| side.budget.is_none_or(|index| index == column);
        let mean = |wanted: &dyn Fn(&Side) -> bool| {
            over_meetings(sides.iter().filter(|side| wanted(side)).map(|side| &side.scored))
        };
        let num_players = plan.players.len();
        let table = |wanted: &dyn Fn(&Side) -> bool| -> Vec<Vec<Option<Estimate>>> {
            let cell = |player: usize, column: usize| {
                mean(&|side| side.player == player && is_at(side, column) && wanted(side))
            };
            let row = |player| (0..budgets.len()).map(|column| cell(player, column)).collect();
            (0..num_players).map(row).collect()
        };
        let by_rules =
            (0..plan.settings.len()).map(|setting| table(&|side| side.setting == setting));
        let against = |column: usize| -> Vec<Vec<Option<Estimate>>> {
            let cell = |player: usize, opponent: usize| {
                mean(&|side| {
                    side.player == player && side.opponent == opponent && is_at(side, column)
                })
            };
            let row = |player| (0..num_players).map(|opponent| cell(player, opponent)).collect();
            (0..num_players).map(row).collect()
        };
        RoundRobinReport {
            family: plan.family.clone(),
            unit: plan.unit(),
            players: plan.players.iter().map(|player| player.label.clone()).collect(),
            against: plan.against.iter().map(|&index| plan.players[index].label.clone()).collect(),
            settings: plan.settings.iter().map(|setting| setting.label.clone()).collect(),
            pairs: plan.pairs,
            scores: table(&|_| true),
            by_rules: by_rules.collect(),
            meetings: (0..budgets.len()).map(against).collect(),
            thoughts: results.thoughts.clone(),
            is_finished: results.is_finished,
            budgets,
        }
    }
}

/// A table of a round robin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundRobinPart {
    /// Scores over all opponents and rules.
    Scores,
    /// Scores over all opponents under each set of rules.
    Rules,
    /// The score of each player against each opponent, at each budget.
    Meetings,
    /// The number of decisions, and the mean time per decision, which differs from machine to machine.
    Time,
}

impl RoundRobinPart {
    /// All tables.
    pub const ALL: [RoundRobinPart; 4] = [
        RoundRobinPart::Scores,
        RoundRobinPart::Rules,
        RoundRobinPart::Meetings,
        RoundRobinPart::Time,
    ];

    /// The tables that are the same on every machine.
    pub const RESULTS: [RoundRobinPart; 3] =
        [RoundRobinPart::Scores, RoundRobinPart::Rules, RoundRobinPart::Meetings];

    /// Returns the name of the table, as used in file names.
    pub fn name(self) -> &'static str {
        match self {
            RoundRobinPart::Scores => "scores",
            RoundRobinPart::Rules => "rules",
            RoundRobinPart::Meetings => "meetings",
            RoundRobinPart::Time => "time",
        }
    }
}
