//! `ruse race`: which of two is better, by their games or by scores of any origin.

mod counts;
mod scores;
mod settings;

use ruse_base::stop::StopSignal;
use ruse_play::race::Operator;
use ruse_registry::Registry;

pub(super) use self::scores::{is_file, read_scores};
use self::settings::parse_counts;
pub(super) use self::settings::{RaceArgs, parse_range};
use super::failure::{Failure, Result};

pub(super) fn race(args: &RaceArgs, _: &Registry, stop: &StopSignal) -> Result {
    if let [one] = &*args.of
        && parse_counts(one).is_ok()
        && !is_file(one)
    {
        let advice = format!("`ruse race --counts {one}` takes numbers of games");
        return Err(Failure::with_advice(format!("{one} is neither a file nor a command"), advice));
    }
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
