//! The traits of games that the suites test, and the data of their cases.

use std::fmt::Debug;

use ruse_games::{AdjustableRules, Board, Game, Imagine, Legal, Numbered, SampleAction};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::courses::Courses;

/// The traits that the suite needs besides the rules: imagining, random play, comparison, printing and changes of rules.
pub(crate) trait Testable:
    Sized
    + Imagine<State: Debug + PartialEq, Action: Debug>
    + SampleAction
    + Board<Self>
    + AdjustableRules
{
}

impl<G> Testable for G where
    G: Imagine<State: Debug + PartialEq, Action: Debug>
        + SampleAction
        + Board<Self>
        + AdjustableRules
{
}

/// The traits that playthroughs need in addition: serialization.
pub(crate) trait Written:
    Testable + Game<State: Serialize + DeserializeOwned, Action: Serialize + DeserializeOwned>
{
}

impl<G> Written for G where
    G: Testable + Game<State: Serialize + DeserializeOwned, Action: Serialize + DeserializeOwned>
{
}

/// A game with its data for the suite.
pub(crate) struct Case<G: Game> {
    /// The name of the module, with dashes, which is also the name of the playthrough. For other rules, a dash and
    /// their name follow.
    pub(crate) name: &'static str,
    /// The checks of serialization; `None` if the game cannot be serialized.
    pub(crate) files: Option<Files<G>>,
    pub(crate) game: G,
    /// An upper bound on the number of actions in a game.
    pub(crate) max_actions: usize,
    /// Actions that are illegal at the start.
    pub(crate) illegal: Vec<G::Action>,
    /// Returns candidates that include all legal actions of a seat with this view; empty if there are too many.
    pub(crate) candidates: fn(&G::View<'_>) -> Vec<G::Action>,
    pub(crate) secrets: Secrets<G>,
}

/// The checks of a game that can be serialized.
pub(crate) struct Files<G: Game> {
    /// Compares the game with the playthrough of this name.
    pub(crate) playthrough: fn(&str, &G),
    /// Checks that a state survives a round trip.
    pub(crate) state: fn(&str, &G::State),
    /// Checks that an action survives a round trip.
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

/// The amount of hidden information at a seat's turns.
pub(crate) enum Secrets<G: Game> {
    /// Nothing is hidden: the imagined state is the true state.
    None,
    /// So little is hidden that enumeration finds all possible states.
    Few(Box<Courses<G>>),
    /// Too much is hidden for enumeration. The game has its own tests.
    Many,
}

pub(crate) trait Suite {
    fn check<G: Testable>(&mut self, case: Case<G>);

    /// Adds the checks of games with numbered actions.
    fn check_numbered<G: Testable + Numbered<G>>(&mut self, case: Case<G>) {
        self.check(case);
    }

    /// Adds the checks of games whose legal actions can be listed; all of them have numbers.
    fn check_listed<G: Testable + Legal + Numbered<G>>(&mut self, case: Case<G>) {
        self.check_numbered(case);
    }
}

/// Defines two tests of each function, which gets a number of games or a part of them: a test with few games, and a long
/// one with many.
macro_rules! suites {
    ($($suite:ident($few:literal, $many:literal);)*) => {
        mod few {
            $(#[test] fn $suite() { super::$suite($few); })*
        }

        mod many {
            $(#[test] #[ignore = "long"] fn $suite() { super::$suite($many); })*
        }
    };
}

/// Checks every game by a closure over its case, with the number of games to play if one is given. The type of the game is
/// `G`.
macro_rules! in_every_game {
    ($($num_games:ident,)? |$case:pat_param| $check:block) => {{
        struct Check {
            $($num_games: u64,)?
        }

        impl Suite for Check {
            fn check<G: Testable>(&mut self, $case: Case<G>) {
                $(let $num_games = self.$num_games;)?
                $check
            }
        }

        for_every_game(&mut Check { $($num_games)? });
    }};
}

pub(crate) use {in_every_game, suites};

/// Returns the game with one rule changed.
pub(crate) fn with<G: AdjustableRules>(game: &G, rule: &str, value: u64) -> G {
    game.with_rules(&[(rule.to_string(), value)].into()).expect("valid rules")
}

/// Returns all orders of `things`, with duplicates if some things are equal.
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

/// Returns the numbers 0 to `N` - 1 in ascending order, except that `first` comes first.
pub(crate) fn beginning_with<const N: usize>(first: u8) -> [u8; N] {
    std::array::from_fn(|place| match place as u8 {
        0 => first,
        place if place <= first => place - 1,
        place => place,
    })
}
