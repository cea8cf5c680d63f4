//! Carries out a round robin. All threads play pairs, and each pair is recorded when it ends.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ruse_base::files::{DirectoryError, GrowingTable};
use ruse_base::stop::{StopSignal, Stopped};
use ruse_play::arena::{League, in_turn};
use ruse_play::family::Player;
use ruse_search::ThinkingCost;

use super::TABLES;
use super::film::Film;
use super::results::{PairRow, RoundRobinFiles};
use super::spec::{MeetingPlan, RoundRobinPlan};
use crate::error::LabError;
use crate::files::finished::FINISHED;
use crate::files::run_directory::RunDirectory;
use crate::files::shared::SharedFiles;
use crate::jobs::{Job, JobKind, JobTask, Jobs};
use crate::language::outputs::Output;
use crate::note::Note;
use crate::outcome::{Concluded, RunOutcome};
use crate::plan::Plan;
use crate::study::{StudyKind, Work};
use crate::watch::{Event, Phase, Watch};

/// The leagues by the indices of the budget and the set of rules, and of the players that meet if planners have to know
/// each other player.
type Leagues = BTreeMap<(Option<usize>, usize, Option<[usize; 2]>), Arc<dyn League>>;

/// The players of a plan by the indices of the budget and the set of rules.
type Players = BTreeMap<(Option<usize>, usize), Vec<Player>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct MeetingPair {
    meeting: usize,
    pair: u64,
}

/// A part of a round robin, with the pairs whose results are known before more pairs are played.
struct RoundRobinPart<'a> {
    plan: &'a RoundRobinPlan,
    files: RoundRobinFiles,
    meetings: Vec<MeetingPlan>,
    /// The indices of the meetings.
    range: Range<usize>,
    rows: Vec<PairRow>,
    done: HashSet<MeetingPair>,
    /// The meetings whose exact score is known from one pair.
    certain: HashSet<usize>,
}

impl<'a> RoundRobinPart<'a> {
    /// Returns the part with these meetings, or with all, before any pair is known.
    fn new(
        plan: &'a RoundRobinPlan,
        directory: &RunDirectory,
        range: Option<Range<usize>>,
    ) -> RoundRobinPart<'a> {
        let (files, meetings) = (directory.round_robin(), plan.meetings());
        let range = range.unwrap_or(0..meetings.len());
        let (done, certain) = (HashSet::new(), HashSet::new());
        RoundRobinPart { plan, files, meetings, range, rows: Vec::new(), done, certain }
    }

    /// Adds the rows of the file at `path` that belong to the part. Skips pairs that are already known.
    fn add(&mut self, path: &Path, rows: Vec<PairRow>) -> Result<(), DirectoryError> {
        for row in rows {
            let meeting = self.files.meeting_of(self.plan, &row)?;
            let place = self.meetings.binary_search(&meeting).ok();
            let Some(meeting) = place.filter(|_| row.pair < self.plan.pairs) else {
                let PairRow { player, opponent, pair, .. } = row;
                let problem = format!("{player} and {opponent} do not play a pair {pair}");
                return Err(DirectoryError::unreadable(path, problem));
            };
            if self.range.contains(&meeting)
                && self.done.insert(MeetingPair { meeting, pair: row.pair })
            {
                if row.exact.is_some() {
                    self.certain.insert(meeting);
                }
                self.rows.push(row);
            }
        }
        Ok(())
    }

    fn read(&mut self, path: &Path) -> Result<(), DirectoryError> {
        self.add(path, self.files.read_pairs(path)?)
    }

    /// Returns `true` if all pairs are known.
    fn is_finished(&self) -> bool {
        let is_known = |meeting| {
            let mut tasks = (0..self.plan.pairs).map(|pair| MeetingPair { meeting, pair });
            self.certain.contains(&meeting) || tasks.all(|task| self.done.contains(&task))
        };
        self.range.clone().all(is_known)
    }

    /// Plays the remaining pairs, and adds them to a table. Returns all pairs.
    fn play(self, table: GrowingTable, work: &Work<'_>) -> Result<Vec<PairRow>, LabError> {
        let RoundRobinPart { plan, meetings, range, rows, done, mut certain, .. } = self;
        let Work { registry, watch, stop, .. } = *work;
        let (mut leagues, mut players) = (Leagues::new(), Players::new());
        for meeting in &meetings[range.clone()] {
            let &MeetingPlan { budget, setting, player, opponent } = meeting;
            let family = plan.family(setting, registry)?;
            if let Entry::Vacant(place) = players.entry((budget, setting)) {
                let all = 0..plan.players.len();
                let all = all.map(|index| plan.player(index, budget, family.as_ref()));
                place.insert(all.collect::<Result<Vec<_>, _>>()?);
            }
            let all = &players[&(budget, setting)];
            let met = all.iter().any(Player::is_open).then_some([player, opponent]);
            if let Entry::Vacant(place) = leagues.entry((budget, setting, met)) {
                let meeting: Vec<&Player> = match met {
                    Some(met) => met.iter().map(|&index| &all[index]).collect(),
                    None => all.iter().collect(),
                };
                place.insert(family.league(&meeting)?);
            }
        }
        let weights: Vec<f64> = meetings.iter().map(|meeting| plan.weight(meeting)).collect();
        let whole: f64 = weights[range.clone()].iter().sum::<f64>() * plan.pairs as f64;
        let of_certain = certain.iter().map(|&index| weights[index] * (plan.pairs - 1) as f64);
        let done_before =
            done.iter().map(|task| weights[task.meeting]).sum::<f64>() + of_certain.sum::<f64>();
        watch.on_event(&Event::PhaseBegins {
            phase: Phase::RoundRobin,
            name: "",
            size: range.len() as u64,
            total: range.len() as u64 * plan.pairs,
            done: rows.len() as u64,
        });
        let work = Play {
            plan,
            meetings: &meetings,
            leagues: &leagues,
            players: &players,
            watch,
            stop,
            whole,
            log: Mutex::new(Log { table, rows, weight: done_before, failure: None }),
            weights: &weights,
        };
        // The first pair of players that do not search is played first. It may show that all pairs are equal.
        let is_first = |task: &MeetingPair| task.pair == 0;
        let tasks = |wanted: bool, certain: &HashSet<usize>| -> Vec<MeetingPair> {
            let all = range.clone().flat_map(|index| {
                let meeting = &meetings[index];
                let is_certain = certain.contains(&index);
                let num_pairs = if is_certain { 1 } else { plan.pairs };
                let searches = work.searches(meeting);
                (0..num_pairs)
                    .map(move |pair| MeetingPair { meeting: index, pair })
                    .filter(move |task| (!searches && is_first(task)) == wanted)
            });
            all.filter(|task| !done.contains(task)).collect()
        };
        let newly_certain = work.play(&tasks(true, &certain))?;
        certain.extend(newly_certain);
        work.play(&tasks(false, &certain))?;
        watch.on_event(&Event::PhaseEnds);
        let Log { rows, .. } = work.log.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(rows)
    }
}

impl StudyKind for RoundRobinPlan {
    fn programs(&self) -> Vec<&str> {
        self.players.iter().flat_map(|player| player.programs()).collect()
    }

    fn descriptions(&self) -> BTreeMap<String, String> {
        self.descriptions.clone()
    }

    fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    fn num_games(&self) -> [u64; 2] {
        [RoundRobinPlan::num_games(self), 0]
    }

    /// The range of a job contains indices of meetings. The ranges depend only on the plan, so all programs agree on
    /// them.
    fn jobs(&self, _: &Plan) -> Vec<Job> {
        /// The maximum number of jobs. Their files fit in one directory.
        const MAX_JOBS: usize = 90;
        let num_meetings = self.meetings().len();
        let num_jobs = num_meetings.min(MAX_JOBS);
        let bound = |job: usize| job * num_meetings / num_jobs;
        let job = |index: usize| {
            let range = bound(index)..bound(index + 1);
            let games = (range.len() as u64).saturating_mul(self.pairs).saturating_mul(2);
            let name = format!("meetings-{}-{}", range.start, range.end);
            let task = JobTask::Part { index: 0, range };
            Job { games, ..Job::new(JobKind::RoundRobin, name, task) }
        };
        (0..num_jobs).map(job).collect()
    }

    fn progress(&self, _: &Plan, directory: &RunDirectory, job: &Job) -> Result<usize, LabError> {
        Ok(directory.round_robin().read_pairs(&self.part(directory, job))?.len())
    }

    fn is_done(&self, work: &Work<'_>, job: &Job) -> Result<bool, LabError> {
        let files = work.directory.round_robin();
        if files.is_finished()? {
            return Ok(true);
        }
        let (_, range) = job.numbers();
        let mut part = RoundRobinPart::new(self, work.directory, Some(range));
        // Another program may have begun the whole round robin, including pairs of this part.
        part.read(&files.pairs())?;
        part.read(&self.part(work.directory, job))?;
        Ok(part.is_finished())
    }

    fn carry_out(&self, work: &Work<'_>, job: &Job, _: &[Player]) -> Result<bool, LabError> {
        let (_, range) = job.numbers();
        let mut part = RoundRobinPart::new(self, work.directory, Some(range));
        part.read(&part.files.pairs())?;
        let path = self.part(work.directory, job);
        SharedFiles::prepare(&path)?;
        let (table, rows) = part.files.open_pairs(path.clone())?;
        part.add(&path, rows)?;
        part.play(table, work).map(|_| true)
    }

    fn conclude(&self, work: &Work<'_>, note: &Note<'_>, _: &[RunOutcome<'_>]) -> Concluded {
        let Work { plan, registry, directory, stop, .. } = *work;
        let files = directory.round_robin();
        if files.is_finished()? {
            // If the program was killed just after it wrote the last of the other tables, the table of pairs still
            // exists.
            files.remove_counted();
            return Ok(None);
        }
        note.begin()?;
        note.starts(plan.programs().into_iter().map(|program| program.name))?;
        let mut whole = RoundRobinPart::new(self, directory, None);
        let (table, rows) = files.open_pairs(files.pairs())?;
        whole.add(&files.pairs(), rows)?;
        if directory.is_shared() {
            for job in Jobs::of(plan).of_kind(JobKind::RoundRobin) {
                whole.read(&self.part(directory, job))?;
            }
        }
        let rows = whole.play(table, work)?;
        let found = files.meetings(self, &rows)?;
        let film = Film::of_best(self, &found, registry, stop)?;
        files.finish(self, &found, film.as_ref(), &rows)?;
        Ok(None)
    }

    fn is_whole(&self, directory: &RunDirectory) -> Result<bool, DirectoryError> {
        Ok(directory.round_robin().read(self)?.num_pairs() > 0)
    }

    fn is_published(&self, directory: &RunDirectory) -> Result<bool, DirectoryError> {
        directory.round_robin().is_published()
    }

    fn published(&self, _: &RunDirectory) -> Result<Vec<String>, DirectoryError> {
        Ok(TABLES.into_iter().chain([FINISHED]).map(String::from).collect())
    }

    fn num_finished(&self, directory: &RunDirectory) -> Result<Option<[usize; 2]>, DirectoryError> {
        let (results, all) = (directory.round_robin().read(self)?, self.meetings().len());
        let num = if results.is_finished { all } else { results.meetings.len().min(all - 1) };
        Ok(Some([num, all]))
    }
}

struct Log {
    table: GrowingTable,
    rows: Vec<PairRow>,
    /// The sum of the [weights](RoundRobinPlan::weight) of the played pairs.
    weight: f64,
    failure: Option<DirectoryError>,
}

struct Play<'a> {
    plan: &'a RoundRobinPlan,
    meetings: &'a [MeetingPlan],
    leagues: &'a Leagues,
    players: &'a Players,
    weights: &'a [f64],
    /// The sum of the [weights](RoundRobinPlan::weight) of all pairs.
    whole: f64,
    watch: &'a dyn Watch,
    stop: &'a StopSignal,
    log: Mutex<Log>,
}

impl Play<'_> {
    /// Returns `true` if at least one of the two players searches. The first pair then does not show whether the score
    /// is exact.
    fn searches(&self, meeting: &MeetingPlan) -> bool {
        let players = &self.players[&(meeting.budget, meeting.setting)];
        players[meeting.player].searches() || players[meeting.opponent].searches()
    }

    /// Plays these pairs in order, on the threads of the current pool. Returns the indices of the meetings whose exact
    /// score became known.
    fn play(&self, tasks: &[MeetingPair]) -> Result<Vec<usize>, LabError> {
        let certain = Mutex::new(Vec::new());
        let played = in_turn(tasks, self.stop, |&task| {
            if self.pair(task)? {
                certain.lock().unwrap_or_else(PoisonError::into_inner).push(task.meeting);
            }
            Ok(())
        });
        let failure = self.log.lock().unwrap_or_else(PoisonError::into_inner).failure.take();
        if let Some(failure) = failure {
            return Err(failure.into());
        }
        if played.is_err() {
            self.watch.on_event(&Event::PhaseEnds);
            return Err(LabError::Stopped);
        }
        Ok(certain.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Plays a pair and records it. Returns `true` if the exact score of its meeting is now known.
    fn pair(&self, task: MeetingPair) -> Result<bool, Stopped> {
        let meeting = &self.meetings[task.meeting];
        let (a, b) = (meeting.player, meeting.opponent);
        let MeetingPlan { budget, setting, .. } = *meeting;
        let (league, [first, second]) = match self.leagues.get(&(budget, setting, None)) {
            Some(league) => (league, [a, b]),
            None => (&self.leagues[&(budget, setting, Some([a, b]))], [0, 1]),
        };
        let key = self.plan.key(meeting);
        let (result, thoughts, exact) = if task.pair == 0 && !self.searches(meeting) {
            let opening = league.open(first, second, key, self.stop)?;
            let exact = opening.exact.or_else(|| league.exact(first, second));
            (opening.seen, [ThinkingCost::default(); 2], exact)
        } else {
            let (result, thoughts) =
                league.play_thinking(first, second, key, task.pair, self.stop)?;
            (result, thoughts, None)
        };
        let row = PairRow {
            rules: self.plan.settings[meeting.setting].label.clone(),
            budget: self.plan.budget_of(meeting),
            player: self.plan.players[a].label.clone(),
            opponent: self.plan.players[b].label.clone(),
            pair: task.pair,
            first: result.as_first,
            second: result.as_second,
            exact,
            decisions: thoughts[0].num_decisions,
            opponent_decisions: thoughts[1].num_decisions,
            seconds: thoughts[0].time.as_secs_f64(),
            opponent_seconds: thoughts[1].time.as_secs_f64(),
            choices: thoughts[0].effort.choices,
            opponent_choices: thoughts[1].effort.choices,
            proven: thoughts[0].effort.proven,
            opponent_proven: thoughts[1].effort.proven,
            playouts: thoughts[0].effort.playouts,
            opponent_playouts: thoughts[1].effort.playouts,
            expansions: thoughts[0].effort.expansions,
            opponent_expansions: thoughts[1].effort.expansions,
            steps: thoughts[0].effort.steps,
            opponent_steps: thoughts[1].effort.steps,
        };
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(failure) = log.table.append(&row) {
            // Other threads stop after their current pairs. The round robin can be resumed from the file.
            log.failure.get_or_insert(failure);
            self.stop.raise();
            return Ok(false);
        }
        log.rows.push(row);
        let pairs = if exact.is_some() { self.plan.pairs } else { 1 };
        log.weight += self.weights[task.meeting] * pairs as f64;
        let (done, fraction) = (log.rows.len() as u64, (log.weight / self.whole).min(1.0));
        self.watch.on_event(&Event::PhaseGoesOn { done, fraction: Some(fraction), note: "" });
        Ok(exact.is_some())
    }
}
