//! Mean ranks of methods over families, and groups of methods that do not differ significantly.

use ruse_plots::CriticalDifference;

use crate::Across;

/// Returns the mean ranks of methods with Nemenyi's critical difference. `caption` names the methods.
pub fn critical_difference(across: &Across, caption: &str) -> CriticalDifference {
    let ranks = across.methods.iter().map(|method| (method.method.clone(), method.rank));
    CriticalDifference {
        title: format!("Mean rank by {}", across.nouns.scores.replace("mean scores", "the score")),
        caption: caption.into(),
        ranks: ranks.collect(),
        critical_difference: across.critical_difference,
        groups: across.groups(),
    }
}
