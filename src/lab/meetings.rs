//! The meetings of a comparison: champions of different methods play against each other.

use super::error::LabError;
use super::files::meetings::MeetingsFile;
use super::files::run_directory::RunDirectory;
use super::outcome::RunOutcome;
use super::plan::{MeetingsSpec, Plan};
use super::records::{MeetingRecord, RunId};
use super::watch::{Event, Watch};
use crate::arena::{Duel, StopSignal, Stopped};
use crate::family::Player;
use crate::files::DirectoryError;
use crate::rng::{Label, StreamKey};
use crate::score::{Until, score};

/// A meeting that the plan asks for.
struct Due {
    /// Which family of the plan.
    family: usize,
    /// The runs of the champions, among those of the family.
    sides: [usize; 2],
}

/// All meetings of a comparison: on each family the champion of each run meets those of all other methods.
fn schedule(spec: &MeetingsSpec) -> Vec<Due> {
    let num_runs = spec.methods.len() * spec.num_repeats;
    let method = |run: usize| run / spec.num_repeats;
    let pairs = (0..num_runs).flat_map(|a| (a + 1..num_runs).map(move |b| [a, b]));
    let pairs: Vec<_> = pairs.filter(|&[a, b]| method(a) != method(b)).collect();
    (0..spec.families.len())
        .flat_map(|family| pairs.iter().map(move |&sides| Due { family, sides }))
        .collect()
}

/// Lets the champions meet that have not met; stops quietly when it is asked to.
///
/// # Errors
///
/// When files cannot be written, or are not of this plan.
pub(super) fn hold(
    plan: &Plan,
    spec: &MeetingsSpec,
    directory: &RunDirectory,
    outcomes: &[RunOutcome<'_>],
    watch: &dyn Watch,
    stop: &StopSignal,
) -> Result<(), LabError> {
    let due = schedule(spec);
    let (mut file, mut held) = MeetingsFile::open(directory)?;
    let num_runs = spec.methods.len() * spec.num_repeats;
    let record = |due: &Due, estimate| {
        let [a, b] = due.sides.map(|side| {
            let run = &plan.runs[due.family * num_runs + side];
            RunId { method: run.labels[1].clone(), seed: run.resolved.seed }
        });
        MeetingRecord { family: spec.families[due.family].0.clone(), a, b, estimate }
    };
    let is_expected = |(held, due): (&MeetingRecord, &Due)| *held == record(due, held.estimate);
    if held.len() > due.len() || !held.iter().zip(&due).all(is_expected) {
        let problem = "it has other meetings than the experiment";
        let path = directory.path().join("meetings.csv");
        return Err(DirectoryError::Corrupt { path, problem: problem.into() }.into());
    }

    // The half-width of a mean of so many meetings is as many times smaller as there are repeats.
    let num_repeats = spec.num_repeats as f64;
    let key = StreamKey::root(plan.runs[0].resolved.seed);
    watch.on_event(&Event::MeetingsBegin { num_meetings: due.len() as u64 });
    'families: for (family, (name, half_width)) in spec.families.iter().enumerate() {
        let left: Vec<&Due> =
            due[held.len()..].iter().take_while(|due| due.family == family).collect();
        if left.is_empty() {
            continue;
        }
        let first = family * num_runs;
        let champions: Vec<_> = outcomes[first..first + num_runs]
            .iter()
            .map(|outcome| Player::Parameters(outcome.result.champion.clone()))
            .collect();
        let members: Vec<_> = champions.iter().collect();
        let family = plan.runs[first].family.as_ref();
        let league = family.league(&members)?;
        for due in left {
            watch.on_event(&Event::MeetingBegins { family: name, num_done: held.len() as u64 });
            let [a, b] = due.sides;
            let key = key.child(Label::Meeting, (a * num_runs + b) as u64);
            let until = Until::HalfWidth(half_width * num_repeats);
            let (scored, played) = score(&Duel::new(&league, a, b), key, until, stop, |_| ());
            match played {
                Ok(()) => {
                    let estimate = scored.estimate().expect("pairs were played");
                    let meeting = record(due, estimate);
                    file.append(&meeting)?;
                    held.push(meeting);
                }
                Err(Stopped(_)) => break 'families,
            }
        }
    }
    watch.on_event(&Event::MeetingsDone);
    Ok(())
}
