//! Descriptions of unfinished jobs.

use ruse_lab::{Job, JobKind};

use super::format::grouped;

/// Describes the numbers of unfinished jobs of each kind.
pub(super) fn in_words(left: &[&Job]) -> String {
    let kinds = JobKind::ALL.into_iter().filter_map(|kind| {
        let num = left.iter().filter(|job| job.kind == kind).count() as u64;
        let [one, many] = match kind {
            JobKind::Run => ["run", "runs"],
            JobKind::Pool => ["pool", "pools"],
            JobKind::RoundRobin => ["part of a round robin", "parts of a round robin"],
            JobKind::Meetings => ["part of meetings", "parts of meetings"],
            JobKind::Responses => ["part of responses", "parts of responses"],
            _ => return None,
        };
        (num > 0).then(|| format!("{} {}", grouped(num), if num == 1 { one } else { many }))
    });
    let kinds: Vec<String> = kinds.collect();
    let verb = if left.len() == 1 { "is" } else { "are" };
    format!("{} {verb} not finished", kinds.join(", "))
}
