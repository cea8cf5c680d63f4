//! `ruse race`: which of two is better, by their games or by scores of any origin.

mod counts;
mod scores;
mod settings;

use ruse_base::stop::StopSignal;
use ruse_play::race::Operator;
use ruse_registry::Registry;

pub(super) use self::scores::{is_file, read_scores};
pub(super) use self::settings::{RaceArgs, parse_range};
use super::failure::{Failure, Result};

pub(super) fn race(args: &RaceArgs, _: &Registry, stop: &StopSignal) -> Result {
    let is_asked = args.against.is_some() || args.elo0.is_some();
    if args.comparison != Operator::Betting && (args.counts.is_none() || is_asked) {
        let name = args.comparison.name();
        let message = format!("a {name} race is about games and the score .5 only");
        return Err(Failure::with_advice(message, "leave --comparison out"));
    }
    match &args.counts {
        Some(counts) => counts::race(args, counts, stop),
        None => scores::race(args, stop),
    }
}
