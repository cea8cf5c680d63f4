//! The files of a round robin.
//!
//! During the work, `pairs.csv` gets a row for each pair that ends. Afterwards, `results.csv` has the counts of
//! results, `meetings.csv` the scores, and `film.json` a game. These three files do not depend on the number of
//! threads. The times of decisions, in `times.csv`, differ from run to run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ruse_base::files::{DirectoryError, GrowingTable, Result, reading, write_atomically};
use ruse_games::Payoff;
use ruse_play::score::Scored;
use ruse_strategies::PairResult;
use serde::{Deserialize, Serialize};

use super::film::Film;
use super::spec::{MeetingPlan, MeetingResult, RoundRobinPlan};
use crate::files::finished::{Finished, check_vouched, write_finished};
use crate::files::tables::{csv_of, rows_in};

/// The name of the file with the pairs played so far.
const PAIRS: &str = "pairs.csv";
/// The name of the file with the number of pairs with each result, by meeting.
const RESULTS: &str = "results.csv";
/// The name of the file with the score of each meeting.
const MEETINGS: &str = "meetings.csv";
/// The name of the file with a game between the two best players.
const FILM: &str = "film.json";
/// The name of the file with the players' times.
const TIMES: &str = "times.csv";
/// The published files, if they exist. `times.csv` is not published, because it depends on the machine.
pub(crate) const TABLES: [&str; 3] = [RESULTS, MEETINGS, FILM];
/// The maximum size of a table that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// A row of `pairs.csv`: the results of a pair, and the search effort of both players.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct PairRow {
    pub(super) rules: String,
    pub(super) budget: Option<u64>,
    pub(super) player: String,
    pub(super) opponent: String,
    pub(super) pair: u64,
    pub(super) first: Payoff,
    pub(super) second: Payoff,
    /// The exact score of the meeting, if known; this is then its only pair.
    pub(super) exact: Option<f64>,
    pub(super) decisions: u64,
    pub(super) opponent_decisions: u64,
    pub(super) seconds: f64,
    pub(super) opponent_seconds: f64,
    #[serde(default)]
    pub(super) choices: u64,
    #[serde(default)]
    pub(super) opponent_choices: u64,
    #[serde(default)]
    pub(super) proven: u64,
    #[serde(default)]
    pub(super) opponent_proven: u64,
    #[serde(default)]
    pub(super) playouts: u64,
    #[serde(default)]
    pub(super) opponent_playouts: u64,
    #[serde(default)]
    pub(super) expansions: u64,
    #[serde(default)]
    pub(super) opponent_expansions: u64,
    #[serde(default)]
    pub(super) steps: u64,
    #[serde(default)]
    pub(super) opponent_steps: u64,
}

impl PairRow {
    /// Returns what a side did: choices, proven choices, playouts, expansions and steps.
    fn efforts(&self) -> [[u64; 5]; 2] {
        [
            [self.choices, self.proven, self.playouts, self.expansions, self.steps],
            [
                self.opponent_choices,
                self.opponent_proven,
                self.opponent_playouts,
                self.opponent_expansions,
                self.opponent_steps,
            ],
        ]
    }
}

/// A row of `results.csv`: a result, and how many pairs of a meeting had it.
#[derive(Debug, Serialize, Deserialize)]
struct ResultRow {
    rules: String,
    budget: Option<u64>,
    player: String,
    opponent: String,
    first: Payoff,
    second: Payoff,
    pairs: u64,
    exact: Option<f64>,
}

/// A row of `meetings.csv`: the score of a meeting.
#[derive(Debug, Serialize)]
struct MeetingRow<'a> {
    rules: &'a str,
    budget: Option<u64>,
    player: &'a str,
    opponent: &'a str,
    pairs: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    score: f64,
    low: f64,
    high: f64,
    exact: u8,
}

/// The search effort of a player in all its meetings at one budget and under one set of rules.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ThoughtRow {
    /// The set of rules.
    pub rules: String,
    /// The budget, in playouts.
    pub budget: Option<u64>,
    /// The player.
    pub player: String,
    /// The number of games.
    pub games: u64,
    /// The number of the player's decisions in these games.
    pub decisions: u64,
    /// The wall-clock time of all decisions, in seconds.
    pub seconds: f64,
    /// The number of decisions with more than one legal action, if the player counts them.
    #[serde(default)]
    pub choices: u64,
    /// The number of decisions, among `choices`, in which the chosen action was proven to be the best.
    #[serde(default)]
    pub proven: u64,
    /// The number of playouts in searches.
    #[serde(default)]
    pub playouts: u64,
    /// The number of states for which searches generated all successors.
    #[serde(default)]
    pub expansions: u64,
    /// The number of steps of the game that searches simulated.
    #[serde(default)]
    pub steps: u64,
}

/// The results of a round robin.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RoundRobinResults {
    /// The meetings that have results, in order.
    pub meetings: Vec<MeetingResult>,
    /// True if all meetings are finished.
    pub is_finished: bool,
    /// A game between the two best players, if the round robin is finished and the family has a board.
    pub film: Option<Film>,
    /// The search effort of the players; empty if no effort was recorded.
    pub thoughts: Vec<ThoughtRow>,
}

impl RoundRobinResults {
    /// Returns the number of pairs played.
    pub fn num_pairs(&self) -> u64 {
        self.meetings.iter().map(|result| result.scored.tally.num_pairs()).sum()
    }
}

/// The directory of a round robin.
#[derive(Debug, Clone)]
pub struct RoundRobinFiles {
    path: PathBuf,
    seal: String,
}

impl RoundRobinFiles {
    pub(crate) fn at(path: impl Into<PathBuf>, seal: &str) -> RoundRobinFiles {
        RoundRobinFiles { path: path.into(), seal: seal.into() }
    }

    fn finished(&self) -> Result<Option<Finished>> {
        Finished::read_of(&self.path, &self.seal)
    }

    /// Reads the results so far.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read, or was changed after the program wrote it.
    pub fn read(&self, plan: &RoundRobinPlan) -> Result<RoundRobinResults> {
        let finished = self.finished()?.filter(Finished::is_complete);
        // Some of the files are published, but are not read here.
        finished.as_ref().map_or(Ok(()), |finished| finished.check_all(&self.path))?;
        let Some(results) = self.text(RESULTS)?.filter(|_| finished.is_some()) else {
            let rows = self.read_pairs(&self.pairs())?;
            let meetings = self.meetings(plan, &rows)?;
            return Ok(RoundRobinResults { meetings, ..RoundRobinResults::default() });
        };
        let film = self.text(FILM)?.map(|text| serde_json::from_str(&text)).transpose();
        let film =
            film.map_err(|error| DirectoryError::unreadable(&self.path.join(FILM), error))?;
        let thoughts = self.text(TIMES)?.map(|text| rows_in(&self.path.join(TIMES), &text));
        let thoughts = thoughts.transpose()?.unwrap_or_default();
        let mut counts = Counts::new();
        for row in rows_in::<ResultRow>(&self.path.join(RESULTS), &results)? {
            let meeting =
                self.meeting(plan, RESULTS, &row.rules, row.budget, [&row.player, &row.opponent])?;
            let result = PairResult { as_first: row.first, as_second: row.second };
            let scored = counts.entry(meeting).or_default();
            scored.tally.add_many(result, row.pairs);
            scored.exact = row.exact;
        }
        let meetings = in_order(plan, counts);
        Ok(RoundRobinResults { meetings, is_finished: true, film, thoughts })
    }

    /// Returns the path of the table of pairs, for a program that plays the whole round robin.
    pub(super) fn pairs(&self) -> PathBuf {
        self.path.join(PAIRS)
    }

    /// Opens a table of pairs, to continue it.
    pub(super) fn open_pairs(&self, path: PathBuf) -> Result<(GrowingTable, Vec<PairRow>)> {
        GrowingTable::open(path, &self.seal)
    }

    /// Reads a table of pairs. The result is empty if there is no file.
    pub(super) fn read_pairs(&self, path: &Path) -> Result<Vec<PairRow>> {
        GrowingTable::read(path, &self.seal)
    }

    /// Counts the results of these pairs by meeting. Returns the meetings in order.
    pub(super) fn meetings(
        &self,
        plan: &RoundRobinPlan,
        rows: &[PairRow],
    ) -> Result<Vec<MeetingResult>> {
        let mut counts = Counts::new();
        for row in rows {
            let scored = counts.entry(self.meeting_of(plan, row)?).or_default();
            let PairRow { first, second, exact, .. } = *row;
            scored.tally.add(PairResult { as_first: first, as_second: second });
            scored.exact = exact;
        }
        Ok(in_order(plan, counts))
    }

    /// Returns the meeting to which a pair belongs.
    pub(super) fn meeting_of(&self, plan: &RoundRobinPlan, row: &PairRow) -> Result<MeetingPlan> {
        self.meeting(plan, PAIRS, &row.rules, row.budget, [&row.player, &row.opponent])
    }

    /// Writes the final results, and removes the table of pairs.
    pub(super) fn finish(
        &self,
        plan: &RoundRobinPlan,
        meetings: &[MeetingResult],
        film: Option<&Film>,
        rows: &[PairRow],
    ) -> Result<()> {
        write_atomically(&self.path.join(TIMES), csv_of(thoughts(plan, rows)))?;
        let mut files = vec![
            (RESULTS, csv_of(result_rows(plan, meetings))),
            (MEETINGS, csv_of(meetings.iter().map(|result| meeting_row(plan, result)))),
        ];
        if let Some(film) = film {
            let text = serde_json::to_string_pretty(film).expect("a film is plain data");
            files.push((FILM, text + "\n"));
        }
        write_finished(&self.path, &self.seal, &files)?;
        self.remove_counted();
        Ok(())
    }

    /// Removes the table of pairs of a finished round robin, because the other tables have its counts. A failure does
    /// no harm.
    pub(super) fn remove_counted(&self) {
        let _ = fs::remove_file(self.pairs());
    }

    /// Returns `true` if all files are complete, and a list vouches for them.
    pub(crate) fn is_finished(&self) -> Result<bool> {
        match self.finished()? {
            Some(finished) => Ok(finished.is_complete() && finished.has_all(&self.path)?),
            None => Ok(false),
        }
    }

    /// Returns `true` if the round robin is published; it cannot be continued.
    pub(crate) fn is_published(&self) -> Result<bool> {
        Ok(self.finished()?.is_some_and(|finished| finished.is_published()))
    }

    fn text(&self, name: &str) -> Result<Option<String>> {
        let path = self.path.join(name);
        let Some(text) = reading::text_if_there(&path, MAX_BYTES)? else { return Ok(None) };
        check_vouched(&path, &text)?;
        Ok(Some(text))
    }

    /// Returns the meeting of the players with these names, at this budget and under the rules with this label.
    fn meeting(
        &self,
        plan: &RoundRobinPlan,
        file: &str,
        rules: &str,
        budget: Option<u64>,
        players: [&str; 2],
    ) -> Result<MeetingPlan> {
        let player = |name: &str| plan.players.iter().position(|player| player.label == name);
        let index = |budget: u64| plan.budgets.iter().position(|known| *known == budget);
        let find = || {
            Some(MeetingPlan {
                budget: match budget {
                    Some(budget) => Some(index(budget)?),
                    None => None,
                },
                setting: plan.settings.iter().position(|setting| setting.label == rules)?,
                player: player(players[0])?,
                opponent: player(players[1])?,
            })
        };
        find().ok_or_else(|| {
            let [player, opponent] = players;
            let budget = budget.map_or(String::new(), |budget| format!(" at {budget}"));
            let problem = format!(
                "the experiment has no meeting of `{player}` and `{opponent}`{budget}, {rules}"
            );
            DirectoryError::unreadable(&self.path.join(file), problem)
        })
    }
}

type Counts = BTreeMap<MeetingPlan, Scored>;

fn in_order(plan: &RoundRobinPlan, mut counts: Counts) -> Vec<MeetingResult> {
    let meetings = plan.meetings().into_iter();
    let found = meetings.filter_map(|meeting| {
        let scored = counts.remove(&meeting)?;
        Some(MeetingResult { meeting, scored })
    });
    found.collect()
}

fn result_rows<'a>(
    plan: &'a RoundRobinPlan,
    meetings: &'a [MeetingResult],
) -> impl Iterator<Item = ResultRow> + 'a {
    meetings.iter().flat_map(move |MeetingResult { meeting, scored }| {
        let mut results: Vec<_> = scored.tally.results().filter(|&(_, pairs)| pairs > 0).collect();
        results.sort_unstable();
        results.into_iter().map(move |(result, pairs)| ResultRow {
            rules: plan.settings[meeting.setting].label.clone(),
            budget: plan.budget_of(meeting),
            player: plan.players[meeting.player].label.clone(),
            opponent: plan.players[meeting.opponent].label.clone(),
            first: result.as_first,
            second: result.as_second,
            pairs,
            exact: scored.exact,
        })
    })
}

fn meeting_row<'a>(plan: &'a RoundRobinPlan, result: &MeetingResult) -> MeetingRow<'a> {
    let MeetingResult { meeting, scored } = result;
    let [low, high] = scored.interval();
    MeetingRow {
        rules: &plan.settings[meeting.setting].label,
        budget: plan.budget_of(meeting),
        player: &plan.players[meeting.player].label,
        opponent: &plan.players[meeting.opponent].label,
        pairs: scored.tally.num_pairs(),
        wins: scored.tally.wins(),
        draws: scored.tally.draws(),
        losses: scored.tally.losses(),
        score: scored.score().expect("a pair was played"),
        low,
        high,
        exact: u8::from(scored.exact.is_some()),
    }
}

/// Returns the effort of the players that search, ordered by budget, rules and player.
fn thoughts(plan: &RoundRobinPlan, rows: &[PairRow]) -> Vec<ThoughtRow> {
    let mut found: BTreeMap<(Option<u64>, usize, usize), ThoughtRow> = BTreeMap::new();
    for row in rows {
        let setting = plan.settings.iter().position(|setting| setting.label == row.rules);
        let [own, of_opponent] = row.efforts();
        let both = [
            (&row.player, row.decisions, row.seconds, own),
            (&row.opponent, row.opponent_decisions, row.opponent_seconds, of_opponent),
        ];
        for (name, decisions, seconds, effort) in both {
            let index = plan.players.iter().position(|player| player.label == *name);
            let (Some(setting), Some(index)) = (setting, index) else { continue };
            if decisions == 0 {
                continue;
            }
            let sum = found.entry((row.budget, setting, index)).or_insert_with(|| ThoughtRow {
                rules: row.rules.clone(),
                budget: row.budget,
                player: name.clone(),
                ..ThoughtRow::default()
            });
            sum.games += 2;
            sum.decisions += decisions;
            sum.seconds += seconds;
            let [choices, proven, playouts, expansions, steps] = effort;
            sum.choices += choices;
            sum.proven += proven;
            sum.playouts += playouts;
            sum.expansions += expansions;
            sum.steps += steps;
        }
    }
    let mut rows: Vec<_> = found.into_values().collect();
    // Times are rounded to microseconds; further digits are noise.
    rows.iter_mut().for_each(|row| row.seconds = (row.seconds * 1e6).round() / 1e6);
    rows
}
