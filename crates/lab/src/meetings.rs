//! The meetings of a comparison: champions of different methods play against each other.
//!
//! The meetings are written to `measurements.csv` in the order of the plan. Programs that share the directory may play
//! them in any order: each program writes to its own file, from which the meetings are copied unchanged.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ruse_base::files::DirectoryError;
use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::StopSignal;
use ruse_play::arena::{Duel, League};
use ruse_play::family::{Player, PlayerError};
use ruse_play::score::{Estimate, Until, score};

use super::files::checkpoint::STRATEGY;
use super::files::measurements::{MEASUREMENTS, MeasurementsFile, print_of};
use super::files::run_directory::RunDirectory;
use super::files::shared::SharedFiles;
use super::jobs::{Job, JobKind, Jobs};
use super::language::comparison::MeetingsSpec;
use super::language::run::Experiment;
use super::measurement::{Measurement, MeasurementKind::Meeting};
use super::outcome::RunOutcome;
use super::plan::Plan;
use super::study::{StudyKind, Work};
use super::watch::{Event, Phase};
use crate::error::Result;

/// All meetings of a comparison, ordered by family.
pub(super) struct Schedule<'a> {
    plan: &'a Plan,
    spec: &'a MeetingsSpec,
    /// The pairs of runs that meet in each family, by their indices in the family.
    pairings: Vec<[usize; 2]>,
    num_runs: usize,
}

impl<'a> Schedule<'a> {
    pub(super) fn new(plan: &'a Plan, spec: &'a MeetingsSpec) -> Schedule<'a> {
        let num_runs = spec.methods.len() * spec.num_repeats;
        Schedule { plan, spec, pairings: spec.pairings(), num_runs }
    }

    /// Returns the number of meetings in all families.
    pub(super) fn len(&self) -> usize {
        self.spec.families.len() * self.pairings.len()
    }

    /// Returns the index of a meeting among all meetings. `place` is its index in its family.
    pub(super) fn place(&self, family: usize, place: usize) -> usize {
        family * self.pairings.len() + place
    }

    /// Returns the runs that meet in `range` of a family, as ascending indices in the plan.
    pub(super) fn runs_of(&self, family: usize, range: Range<usize>) -> Vec<usize> {
        let mut runs: Vec<usize> = self.pairings[range].iter().flatten().copied().collect();
        runs.sort_unstable();
        runs.dedup();
        runs.into_iter().map(|run| family * self.num_runs + run).collect()
    }

    /// Returns the runs that meet.
    fn sides(&self, family: usize, place: usize) -> [&Experiment; 2] {
        self.pairings[place].map(|side| &self.plan.runs[family * self.num_runs + side])
    }

    fn row(
        &self,
        directory: &RunDirectory,
        family: usize,
        place: usize,
        estimate: Estimate,
    ) -> Result<Measurement, DirectoryError> {
        let sides @ [a, b] = self.sides(family, place);
        let [print, of_opponent] =
            sides.map(|run| print_of(directory, run, STRATEGY).map(Option::unwrap_or_default));
        Ok(Measurement {
            opponent_seed: Some(b.resolved.seed),
            opponent_strategy: of_opponent?,
            ..Measurement::of_champion(Meeting, a, &b.labels[1], estimate, &print?)
        })
    }

    /// Returns the meetings in `rows`, which were read from the file at `path`. Their indices must be `places`, in
    /// order; the last ones may be missing.
    fn held(
        &self,
        path: &Path,
        rows: Vec<Measurement>,
        places: Range<usize>,
    ) -> Result<Vec<Measurement>> {
        let held: Vec<Measurement> = rows.into_iter().filter(|row| row.kind == Meeting).collect();
        let is_expected = |(row, place): (&Measurement, usize)| {
            let [a, b] = self.sides(place / self.pairings.len(), place % self.pairings.len());
            row.is_of(a)
                && (&row.opponent, row.opponent_seed) == (&b.labels[1], Some(b.resolved.seed))
        };
        if held.len() <= places.len() && held.iter().zip(places).all(is_expected) {
            return Ok(held);
        }
        let problem = "it has other meetings than the experiment";
        Err(DirectoryError::Corrupt { path: path.into(), problem: problem.into() }.into())
    }

    /// Creates a league whose members are these champions of a family, in this order.
    fn league(&self, family: usize, champions: &[Player]) -> Result<Arc<dyn League>, PlayerError> {
        let members: Vec<_> = champions.iter().collect();
        self.plan.runs[family * self.num_runs].family.league(&members)
    }

    /// Plays the meeting with index `place` in a family. `members` are the indices of the champions in the league.
    /// Returns the first champion's score, or `None` if the meeting was stopped.
    fn hold(
        &self,
        family: usize,
        place: usize,
        league: &Arc<dyn League>,
        members: [usize; 2],
        stop: &StopSignal,
    ) -> Option<Estimate> {
        let [a, b] = self.pairings[place];
        let key = StreamKey::root(self.plan.runs[0].resolved.seed)
            .child(Label::Meeting, (a * self.num_runs + b) as u64);
        let until = Until::HalfWidth(self.spec.half_width_of_meeting(family));
        let duel = Duel::new(league, members[0], members[1]);
        let (scored, played) = score(&duel, key, until, stop, |_| ());
        played.ok()?;
        Some(scored.estimate().expect("pairs were played"))
    }

    /// Returns the meetings in the files of programs that share the directory, one entry per meeting of the plan;
    /// missing meetings are `None`. The result is empty if there are no such files.
    fn of_parts(&self, directory: &RunDirectory) -> Result<Vec<Option<Measurement>>> {
        let shared = directory.shared();
        if !shared.is_there() {
            return Ok(Vec::new());
        }
        let mut known = vec![None; self.len()];
        for job in Jobs::of(self.plan).of_kind(JobKind::Meetings) {
            let (family, range) = job.numbers();
            let path = self.spec.part(directory, job);
            let rows = MeasurementsFile::read_at(&path, directory, self.plan)?;
            let places = self.place(family, range.start)..self.place(family, range.end);
            let held = self.held(&path, rows, places.clone())?;
            for (place, meeting) in places.zip(held) {
                known[place] = Some(meeting);
            }
        }
        Ok(known)
    }

    /// Plays the remaining meetings. A stop request is not an error.
    ///
    /// # Errors
    ///
    /// Returns an error if files cannot be written, or do not belong to this plan.
    pub(super) fn hold_all(&self, work: &Work<'_>, outcomes: &[RunOutcome<'_>]) -> Result {
        let Work { plan, directory, watch, stop, .. } = *work;
        let (mut file, rows) = MeasurementsFile::open(directory, plan)?;
        let path = directory.path().join(MEASUREMENTS);
        let mut num_held = self.held(&path, rows, 0..self.len())?.len();
        let mut known = self.of_parts(directory)?;

        watch.on_event(&Phase::Meetings.begins("", self.len() as u64));
        'families: for (family, (name, _)) in self.spec.families.iter().enumerate() {
            let mut league = None;
            while num_held < self.place(family + 1, 0) {
                let done = known.iter_mut().skip(num_held).map_while(Option::take);
                let done: Vec<Measurement> = done.collect();
                if !done.is_empty() {
                    file.append(&done)?;
                    num_held += done.len();
                    continue;
                }
                watch.on_event(&Event::goes_on(num_held as u64, name));
                if league.is_none() {
                    let of_family = outcomes[family * self.num_runs..][..self.num_runs].iter();
                    let champions: Vec<Player> = of_family.map(RunOutcome::champion).collect();
                    league = Some(self.league(family, &champions)?);
                }
                let league = league.as_ref().expect("it was just made");
                let place = num_held - self.place(family, 0);
                let sides = self.pairings[place];
                let Some(estimate) = self.hold(family, place, league, sides, stop) else {
                    break 'families;
                };
                file.append(&[self.row(directory, family, place, estimate)?])?;
                num_held += 1;
            }
        }
        watch.on_event(&Event::PhaseEnds);
        Ok(())
    }

    /// Plays the remaining meetings of a job between `players`, the champions of the runs of the job. Returns `false`
    /// if stopped.
    pub(super) fn hold_part(&self, work: &Work<'_>, job: &Job, players: &[Player]) -> Result<bool> {
        let Work { plan, directory, watch, stop, .. } = *work;
        let (family, range) = job.numbers();
        let path = self.spec.part(directory, job);
        SharedFiles::prepare(&path)?;
        let (mut file, rows) = MeasurementsFile::open_at(path.clone(), directory, plan)?;
        let places = self.place(family, range.start)..self.place(family, range.end);
        let held = self.held(&path, rows, places)?;
        let league = self.league(family, players)?;
        let member = |side: usize| {
            let run = family * self.num_runs + side;
            job.runs.binary_search(&run).expect("those who meet are among the runs")
        };
        // A meeting may take only a millisecond. Separate writes would keep a shared file system busy.
        let mut waiting = Vec::new();
        let mut last_write = Instant::now();
        watch.on_event(&Phase::Meetings.begins("", range.len() as u64));
        let mut is_whole = true;
        for (num_done, place) in range.enumerate().skip(held.len()) {
            watch.on_event(&Event::goes_on(num_done as u64, &self.spec.families[family].0));
            let members = self.pairings[place].map(member);
            let Some(estimate) = self.hold(family, place, &league, members, stop) else {
                is_whole = false;
                break;
            };
            waiting.push(self.row(directory, family, place, estimate)?);
            if last_write.elapsed() >= directory.checkpoint_every() {
                file.append(&std::mem::take(&mut waiting))?;
                last_write = Instant::now();
            }
        }
        file.append(&waiting)?;
        watch.on_event(&Event::PhaseEnds);
        Ok(is_whole)
    }
}
