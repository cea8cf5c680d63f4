//! What the suites ask of a game, and what its case tells them.

use std::fmt::Debug;

use ruse_games::{AdjustableRules, Board, Game, Imagine, Legal, SampleAction};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::courses::Courses;

/// What the suite asks of a game besides the rules: to be imagined and played at random, to be compared and printed.
pub(crate) trait Testable:
    Sized + Imagine<State: Debug + PartialEq, Action: Debug> + SampleAction + Board<Self>
{
}

impl<G> Testable for G where
    G: Imagine<State: Debug + PartialEq, Action: Debug> + SampleAction + Board<Self>
{
}

/// What playthroughs need besides: to be written down.
pub(crate) trait Written:
    Testable + Game<State: Serialize + DeserializeOwned, Action: Serialize + DeserializeOwned>
{
}

impl<G> Written for G where
    G: Testable + Game<State: Serialize + DeserializeOwned, Action: Serialize + DeserializeOwned>
{
}

/// A game, and what the suite has to know about it.
pub(crate) struct Case<G: Game> {
    /// The name of the module, with dashes, and the name of the playthrough. A case of the same game under other rules
    /// goes on with a dash and their name.
    pub(crate) name: &'static str,
    /// How it is written down; none for a game that cannot be.
    pub(crate) files: Option<Files<G>>,
    pub(crate) game: G,
    /// More actions than any game takes.
    pub(crate) max_actions: usize,
    /// Actions that nobody may take first.
    pub(crate) illegal: Vec<G::Action>,
    /// Actions among which all legal ones of a seat with this view are; nothing where these are too many.
    pub(crate) candidates: fn(&G::View<'_>) -> Vec<G::Action>,
    pub(crate) secrets: Secrets<G>,
}

/// What is checked of a game that can be written down.
pub(crate) struct Files<G: Game> {
    /// Compares with the playthrough of this name.
    pub(crate) playthrough: fn(&str, &G),
    /// Checks that a state is read as it was written.
    pub(crate) state: fn(&str, &G::State),
    /// Checks that an action is read as it was written.
    pub(crate) action: fn(&str, &G::Action),
}

impl<G: Written> Files<G> {
    pub(crate) fn of() -> Files<G> {
        Files {
            playthrough: crate::playthrough::check,
            state: survives_a_file,
            action: survives_a_file,
        }
    }
}

fn survives_a_file<T>(name: &str, value: &T)
where
    T: Debug + PartialEq + Serialize + DeserializeOwned,
{
    let text = serde_json::to_string(value).expect("plain data");
    let read: T = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(&read, value, "{name}: changed by {text}");
}

/// What a seat does not know at its turns.
pub(crate) enum Secrets<G: Game> {
    /// Nothing: the state that it imagines is the true one.
    None,
    /// So little that all states which can have come about are found by trying.
    Few(Box<Courses<G>>),
    /// Too much for that. The tests of the game say what is right.
    Many,
}

pub(crate) trait Suite {
    fn check<G: Testable>(&mut self, case: Case<G>);

    /// For games whose legal actions can be listed.
    fn check_listed<G: Testable + Legal>(&mut self, case: Case<G>) {
        self.check(case);
    }
}

/// The game with one rule changed.
pub(crate) fn with<G: AdjustableRules>(game: &G, rule: &str, value: u64) -> G {
    game.with_rules(&[(rule.to_string(), value)].into()).expect("valid rules")
}

/// All orders of some things, some of them twice if they are equal.
pub(crate) fn orders<T: Copy>(things: &[T]) -> Vec<Vec<T>> {
    let Some((&last, rest)) = things.split_last() else { return vec![Vec::new()] };
    let insert = |order: Vec<T>| {
        (0..=order.len()).map(move |place| {
            let mut longer = order.clone();
            longer.insert(place, last);
            longer
        })
    };
    orders(rest).into_iter().flat_map(insert).collect()
}

/// The numbers from 0, `first` in front of all others.
pub(crate) fn beginning_with<const N: usize>(first: u8) -> [u8; N] {
    std::array::from_fn(|place| match place as u8 {
        0 => first,
        place if place <= first => place - 1,
        place => place,
    })
}
