//! Measures how often a strategy decides differently from another strategy in the same situation.
//!
//! The two strategies meet in pairs of games. Whenever the strategy decides, the other strategy decides in its place as
//! well. The strategy also decides a second time with different random numbers, which measures the effect of its random
//! choices. Only the first decision is played; each of the three deciders keeps its own memory of the game.
//!
//! If the game has a [`Board`], the situation in which the two strategies differ most often is described as a player at
//! the table would see it.
//!
//! Games are independent, but decisions within a game are not: the intervals are computed for a ratio of sums over
//! games (Cochran, *Sampling techniques*, 3rd edition, 1977, section 6.3).

use std::collections::HashMap;
use std::sync::Arc;

use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{StopRequest, StopSignal, Stopped};
use ruse_games::{Board, BySeat, Game, Page, Seat, Seen, Turn};
use ruse_search::{AnyMemory, AnyStrategy};
use ruse_strategies::{AnyGame, AnyPlayer};
use serde::{Serialize, Serializer};

use super::interval::student_quantile;
use crate::arena::{Side, Sitter, entered, in_parallel, streams_of_pair};

/// A share of decisions, with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Share {
    /// The share, in [0, 1].
    #[serde(rename = "differs")]
    pub share: f64,
    /// The confidence interval of the share.
    #[serde(rename = "differs_interval")]
    pub interval: [f64; 2],
}

/// A situation in which two strategies decide differently.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Example {
    /// The board, as lines of text.
    pub situation: String,
    /// The action of the strategy.
    #[serde(rename = "choice")]
    pub own: String,
    /// The action of the other strategy.
    #[serde(rename = "common_choice")]
    pub other: String,
}

/// The frequency with which a strategy decides differently from another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Divergence {
    /// The share of decisions that differ from the decisions of the other strategy.
    #[serde(flatten)]
    pub from_other: Share,
    /// The share of decisions that differ from the decisions of the same strategy with different random numbers.
    #[serde(rename = "differs_by_chance", serialize_with = "only_share")]
    pub from_itself: Share,
    /// The number of decisions of the strategy.
    pub decisions: u64,
    /// The number of pairs of games in which the strategy made these decisions.
    pub pairs: u64,
    /// The situation in which the two strategies differ most often, or the first such situation if there are several. A
    /// situation counts only if the strategy would make the same decision in it again.
    pub example: Option<Example>,
}

fn only_share<S: Serializer>(of: &Share, serializer: S) -> Result<S::Ok, S::Error> {
    of.share.serialize(serializer)
}

/// The numbers of decisions in one pair of games, with examples of different decisions.
#[derive(Debug, Clone, Default)]
struct Counts {
    decisions: u64,
    from_other: u64,
    from_itself: u64,
    examples: Vec<Example>,
}

/// The page for which the text of an example is formatted.
const PAGE: Page = Page { width: 72, unicode: false };

/// Returns the meaning of an action, as the board describes it, or the action as a player would type it.
fn in_words<G: Game>(board: &dyn Board<G>, seen: &Seen<'_, G>, action: &G::Action) -> String {
    let choice = board.choices(seen).into_iter().find(|choice| choice.action == *action);
    let meaning = choice.map(|choice| choice.meaning).filter(|meaning| !meaning.is_empty());
    meaning.unwrap_or_else(|| board.write(action))
}

/// Plays one game of `strategy` in `seat` against `other`, and collects examples if there is a board. Returns early if
/// a stop is requested.
fn watch<G: Game>(
    (game, board): (&G, Option<&dyn Board<G>>),
    pair: StreamKey,
    seat: Seat,
    strategy: &Arc<dyn AnyStrategy<G>>,
    other: &Arc<dyn AnyStrategy<G>>,
    counts: &mut Counts,
    request: &StopRequest,
) {
    let shadow = |strategy: &Arc<_>, seat, key: StreamKey| {
        Sitter::new(Arc::clone(strategy), seat, key.stream(), AnyMemory::heeding(request))
    };
    // Additional decisions draw from their own streams, so the game is the same as in `ruse match`.
    let aside = |index: u64| pair.child(Label::Request, 2 * index + seat as u64);
    let mut streams = streams_of_pair(pair);
    let mut state = game.deal(&mut streams.chance);
    let seats = BySeat::from_fn(|seat| pair.child(Label::Seat, seat as u64));
    let mut own = shadow(strategy, seat, seats[seat]);
    let mut opponent = shadow(other, seat.other(), seats[seat.other()]);
    let mut itself = shadow(strategy, seat, aside(0));
    let mut in_its_place = shadow(other, seat, aside(1));
    let mut own_actions = Vec::new();
    while let Turn::Act(turn) = game.turn(&state) {
        if request.is_set() {
            return;
        }
        if turn == seat {
            let action = own.act(game.view(&state, seat));
            counts.decisions += 1;
            let of_other = in_its_place.act(game.view(&state, seat));
            counts.from_other += u64::from(of_other != action);
            let again = itself.act(game.view(&state, seat));
            counts.from_itself += u64::from(again != action);
            if let Some(board) = board {
                if of_other != action && again == action {
                    let view = game.view(&state, seat);
                    let turn = Turn::Act(seat);
                    let seen = Seen { seat, turn, view, own_actions: (&own_actions).into() };
                    counts.examples.push(Example {
                        situation: board.show(&seen, PAGE),
                        own: in_words(board, &seen, action),
                        other: in_words(board, &seen, of_other),
                    });
                }
                own_actions.push(action.clone());
            }
            game.apply(&mut state, turn, action, &mut streams.chance);
        } else {
            let action = opponent.act(game.view(&state, turn));
            game.apply(&mut state, turn, action, &mut streams.chance);
        }
    }
}

/// Counts the differing decisions of `strategy` in `pairs` pairs of games against `other`, on the threads of the
/// current pool.
///
/// # Errors
///
/// Returns an error if the games were stopped.
pub fn divergence<G: Game>(
    family: &dyn AnyGame<G>,
    strategy: &AnyPlayer<G>,
    other: &AnyPlayer<G>,
    key: StreamKey,
    pairs: u64,
    stop: &StopSignal,
) -> Result<Divergence, Stopped> {
    /// The number of pairs that are searched for examples; more pairs would repeat the examples.
    const PAIRS_WITH_EXAMPLES: u64 = 20;
    let indices: Vec<u64> = (0..pairs).collect();
    let request = stop.request();
    let counts = in_parallel(&indices, stop, |&index| {
        let pair = key.child(Label::Pair, index);
        let strategy = entered(family.game(), strategy, pair, Side::A);
        let other = entered(family.game(), other, pair, Side::B);
        let mut counts = Counts::default();
        for seat in [Seat::First, Seat::Second] {
            let board = family.capabilities().board.filter(|_| index < PAIRS_WITH_EXAMPLES);
            let game = (family.game(), board.map(|open| open.board));
            watch(game, pair, seat, &strategy, &other, &mut counts, request);
        }
        // Stop requests are sticky, so a game that was abandoned because of a request is detected here.
        stop.check()?;
        Ok(counts)
    })?;
    Ok(summarised(counts))
}

/// Summarises the decisions in all pairs. It is a function of its own, so that it is compiled once for all games.
fn summarised(counts: Vec<Counts>) -> Divergence {
    Divergence {
        from_other: share(&counts, |counts| counts.from_other),
        from_itself: share(&counts, |counts| counts.from_itself),
        decisions: counts.iter().map(|counts| counts.decisions).sum(),
        pairs: counts.len() as u64,
        example: most_frequent(counts.into_iter().flat_map(|counts| counts.examples)),
    }
}

/// Returns the most frequent example, or the first such example if there are several.
fn most_frequent(examples: impl Iterator<Item = Example>) -> Option<Example> {
    let mut counts: HashMap<Example, (u64, usize)> = HashMap::new();
    for (place, example) in examples.enumerate() {
        counts.entry(example).or_insert((0, place)).0 += 1;
    }
    let first = |&(count, place): &(u64, usize)| (count, std::cmp::Reverse(place));
    counts.into_iter().max_by_key(|(_, found)| first(found)).map(|(example, _)| example)
}

/// Returns the share of the decisions that `part` counts. The interval is computed for a ratio of sums over pairs.
fn share(counts: &[Counts], part: impl Fn(&Counts) -> u64) -> Share {
    let decisions: u64 = counts.iter().map(|counts| counts.decisions).sum();
    if decisions == 0 {
        return Share { share: 0.0, interval: [0.0, 1.0] };
    }
    let total = decisions as f64;
    let share = counts.iter().map(&part).sum::<u64>() as f64 / total;
    let n = counts.len() as f64;
    let residuals = counts.iter().map(|counts| {
        let residual = part(counts) as f64 - share * counts.decisions as f64;
        residual * residual
    });
    let half_width = match counts.len() {
        0 | 1 => 1.0,
        _ => {
            let variance = n / (n - 1.0) * residuals.sum::<f64>();
            student_quantile(counts.len() as u64 - 1) * variance.sqrt() / total
        }
    };
    Share { share, interval: [(share - half_width).max(0.0), (share + half_width).min(1.0)] }
}

#[cfg(test)]
mod tests {
    use ruse_search::ParametricStrategy;
    use ruse_strategies::morra::{MixedStrategy, MorraFamily};
    use ruse_strategies::pig::{HoldAt, PigFamily};
    use ruse_strategies::{Family, Prepared};

    use super::*;

    fn between<F: Family>(
        family: &F,
        strategy: Prepared<F>,
        other: &str,
        pairs: u64,
    ) -> Divergence {
        let (strategy, other) = (strategy.into_any(), reference(family, other).into_any());
        let stop = StopSignal::default();
        divergence(family, &strategy, &other, StreamKey::root(1), pairs, &stop)
            .expect("no stop is requested")
    }

    fn reference<F: Family>(family: &F, name: &str) -> Prepared<F> {
        let mut references = family.references().into_iter();
        let found = references.find(|reference| reference.name == name);
        Prepared::Reference(found.expect("the family has it").strategy)
    }

    #[test]
    fn a_strategy_without_randomness_does_what_it_does() {
        let pig = PigFamily::standard();
        let found = between(&pig, reference(&pig, "hold-20"), "hold-20", 20);
        assert_eq!(found.from_other, Share { share: 0.0, interval: [0.0, 0.0] });
        assert_eq!(found.from_itself, found.from_other);
        assert_eq!(found.example, None);
        assert!(found.decisions > 20 * 2 * 5, "{found:?}");
        // The share of a player that sometimes decides differently lies between the two extremes.
        let own = HoldAt::from_parameters(Family::game(&pig), &[3.0]).expect("a sum");
        let found = between(&pig, Prepared::Own(own), "hold-20", 200);
        assert!(found.from_other.interval[0] > 0.0 && found.from_other.interval[1] < 1.0);
        assert_eq!(found.from_itself.share, 0.0);
        // It rolls for longer than the other.
        let example = found.example.expect("they differ between the two sums");
        assert!(
            example.own.starts_with("roll") && example.other.starts_with("keep"),
            "{example:?}"
        );
        assert!(example.situation.contains(" 2"), "{example:?}");
    }

    /// A player that keeps any sum rolls once, as the other does, and keeps the sum if it did not roll a 1: in each turn,
    /// 5/6 of a decision of 11/6 differs. The interval misses this share for one seed in twenty.
    #[test]
    fn a_player_that_keeps_any_sum_differs_in_five_of_eleven_decisions() {
        let pig = PigFamily::standard();
        let own = HoldAt::new(1);
        let found = between(&pig, Prepared::Own(own), "hold-20", 500);
        let [low, high] = found.from_other.interval;
        assert!(low <= 5.0 / 11.0 && 5.0 / 11.0 <= high && high - low < 0.02, "{found:?}");
    }

    /// Two uniform announcements differ with probability 65 / 66, since there are 6 x 11 announcements. Each of the two
    /// intervals misses this share for one seed in twenty. Both are drawn separately.
    #[test]
    fn chance_differs_from_itself() {
        let morra = MorraFamily::standard();
        let uniform = || reference(&morra, "uniform");
        let found = between(&morra, uniform(), "uniform", 10_000);
        for share in [found.from_other, found.from_itself] {
            let [low, high] = share.interval;
            assert!(low <= 65.0 / 66.0 && 65.0 / 66.0 <= high, "{found:?}");
            assert!(high - low < 0.01, "{found:?}");
        }
        assert_ne!(found.from_other, found.from_itself);
        // An example takes a strategy that would decide the same again.
        let ([own, other], stop) =
            ([uniform(), uniform()].map(Prepared::into_any), StopSignal::default());
        let found = divergence(&morra, &own, &other, StreamKey::root(4), 1, &stop);
        assert_eq!(found.expect("no stop is requested").example, None);
    }

    /// A game of Morra is one decision. The strategy always shows 5 and calls 0, which the optimal strategy never does.
    #[test]
    fn a_decision_that_another_never_makes_is_an_example() {
        let morra = MorraFamily::standard();
        let mut weights = vec![-1000.0; 66];
        weights[55] = 0.0;
        let own = MixedStrategy::from_parameters(Family::game(&morra), &weights).expect("weights");
        let found = between(&morra, Prepared::Own(own), "optimal", 3);
        assert_eq!((found.decisions, found.pairs), (6, 3));
        assert_eq!((found.from_other.share, found.from_itself.share), (1.0, 0.0));
        let example = found.example.expect("all decisions differ");
        assert!(!example.situation.is_empty());
        assert_eq!(example.own, "5 0");
        let (fingers, call) = example.other.split_once(' ').expect("two numbers");
        let [fingers, call] = [fingers, call].map(|number| number.parse::<u8>().expect("a number"));
        assert!((fingers..=fingers + 5).contains(&call), "{}", example.other);
    }

    #[test]
    fn the_ratio_has_the_interval_of_the_textbook() {
        // Three pairs have 10, 20 and 30 decisions, and 1, 4 and 4 of them differ: a share of 9/60. The residuals are
        // -.5, 1 and -.5, and the variance is 3/2 x 1.5; the quantile of Student's distribution with 2 degrees of
        // freedom is 4.30265.
        let counts = [(10, 1), (20, 4), (30, 4)].map(|(decisions, from_other)| Counts {
            decisions,
            from_other,
            ..Counts::default()
        });
        let found = share(&counts, |counts| counts.from_other);
        assert!((found.share - 0.15).abs() < 1e-12);
        let half_width = 4.302_65 * 2.25_f64.sqrt() / 60.0;
        assert!((found.interval[1] - 0.15 - half_width).abs() < 1e-8, "{found:?}");
    }

    /// For one pair nothing is known of the spread. For two pairs with one and no difference in ten decisions each, the
    /// residuals are .5 and -.5, the variance is 2 x .5 = 1, and 12.7062 / 20 is the half-width.
    #[test]
    fn few_pairs_have_wide_intervals() {
        let counts = [(10, 1), (10, 0)].map(|(decisions, from_other)| Counts {
            decisions,
            from_other,
            ..Counts::default()
        });
        let one = share(&counts[..1], |counts| counts.from_other);
        assert_eq!(one, Share { share: 0.1, interval: [0.0, 1.0] });
        let two = share(&counts, |counts| counts.from_other);
        assert!((two.interval[1] - 0.05 - 0.635_31).abs() < 1e-6, "{two:?}");
        assert_eq!((two.share, two.interval[0]), (0.05, 0.0));
        let none = share(&[], |counts| counts.from_other);
        assert_eq!(none, Share { share: 0.0, interval: [0.0, 1.0] });
    }

    #[test]
    fn the_most_frequent_example_is_shown() {
        let example = |own: &str| Example {
            situation: String::new(),
            own: own.to_owned(),
            other: String::new(),
        };
        let found = |owns: &[&str]| {
            most_frequent(owns.iter().map(|own| example(own))).map(|example| example.own)
        };
        assert_eq!(found(&[]), None);
        assert_eq!(found(&["a", "b", "c", "b"]).as_deref(), Some("b"));
        assert_eq!(found(&["c", "a", "a", "c"]).as_deref(), Some("c"));
    }
}
