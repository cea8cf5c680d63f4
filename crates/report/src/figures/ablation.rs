//! The worth of the groups of parameters of a champion.

use ruse_lab::Measurement;
use ruse_plots::{Forest, ForestRow};

use crate::{AblationTable, grouped};

/// Returns the worth of each group of a champion's parameters, largest first.
pub fn ablation(table: &AblationTable) -> Forest {
    let AblationTable { family, method, seed, groups } = table;
    let pairs = groups.iter().map(|group| group.pairs).max().unwrap_or(0);
    let sample = match pairs {
        0 => "exact".to_string(),
        pairs => format!("{} pairs each, intervals that hold together with 95%", grouped(pairs)),
    };
    let row = |group: &Measurement| ForestRow {
        name: group.condition.clone(),
        value: group.score,
        interval: [group.low, group.high],
    };
    Forest {
        title: format!("{family}: what parameters are worth"),
        caption: format!("The champion of {method}, seed {seed}; {sample}."),
        quantity: "score lost with these parameters at 0".into(),
        reference: 0.0,
        rows: groups.iter().map(row).collect(),
    }
}
