//! Tests of scores in the games of the registry. They are here because `ruse-play` has no games of its own.

mod difference;
mod round_robin;
mod shared_deals;
