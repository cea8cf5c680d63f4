//! Descriptions of unfinished jobs.

use ruse_lab::{Job, JobKind};

use super::format::counted;

/// Describes the numbers of unfinished jobs of each kind.
pub(super) fn in_words(left: &[&Job]) -> String {
    let kinds = JobKind::ALL.into_iter().filter_map(|kind| {
        let num = left.iter().filter(|job| job.kind == kind).count() as u64;
        let what = match kind {
            JobKind::Run => "run",
            JobKind::Pool => "pool",
            JobKind::RoundRobin => "part of a round robin",
            JobKind::Meetings => "part of meetings",
            JobKind::Responses => "part of responses",
            _ => return None,
        };
        let counted = match (num, what.split_once(' ')) {
            (0, _) => return None,
            (1, _) | (_, None) => counted(num, what),
            (_, Some(("part", of_what))) => format!("{} {of_what}", counted(num, "part")),
            _ => counted(num, what),
        };
        Some(counted)
    });
    let kinds: Vec<String> = kinds.collect();
    let verb = if left.len() == 1 { "is" } else { "are" };
    format!("{} {verb} not finished", kinds.join(", "))
}
