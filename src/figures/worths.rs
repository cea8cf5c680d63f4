//! What the parameters of a champion are worth.

use ruse_plots::{PartWorth, Worths};

use crate::lab::AblationRecord;
use crate::report::{WorthTable, grouped};

/// The worths of the groups of a champion, the greatest first.
pub fn worths(table: &WorthTable) -> Worths {
    let WorthTable { family, method, seed, groups } = table;
    let pairs = groups.iter().map(|group| group.pairs).max().unwrap_or(0);
    let sample = match pairs {
        0 => "exact".to_string(),
        pairs => format!("{} pairs each, intervals that hold together with 95%", grouped(pairs)),
    };
    let part = |group: &AblationRecord| PartWorth {
        name: group.group.clone(),
        worth: group.worth,
        interval: group.interval,
    };
    Worths {
        title: format!("{family}: what parameters are worth"),
        caption: format!("The champion of {method}, seed {seed}; {sample}."),
        quantity: "score lost with these parameters at 0".into(),
        parts: groups.iter().map(part).collect(),
    }
}
