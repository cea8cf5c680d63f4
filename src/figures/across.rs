//! Methods over families: mean ranks, and which of them are not told apart.

use ruse_plots::CriticalDifference;

use crate::report::Across;

/// The mean ranks of methods, with Nemenyi's critical difference; `caption` says whose they are.
pub fn critical_difference(across: &Across, caption: &str) -> CriticalDifference {
    let ranks = across.methods.iter().map(|method| (method.method.clone(), method.rank));
    CriticalDifference {
        title: "Mean rank by the score against the baseline".into(),
        caption: caption.into(),
        ranks: ranks.collect(),
        critical_difference: across.critical_difference,
        groups: across.groups(),
    }
}
