//! One game, from the deal to the outcome.

use ruse_games::{BySeat, Game, Outcome, Seat, Turn};
use ruse_strategies::Strategy;

use crate::rng::{Label, Stream, StreamKey};

/// The random streams of one game: chance, and one for each seat.
#[derive(Debug, Clone)]
pub struct Streams {
    chance: Stream,
    seats: BySeat<Stream>,
}

impl Streams {
    /// The streams of both games of a pair, from their start.
    #[inline]
    pub fn of_pair(pair: StreamKey) -> Streams {
        Streams {
            chance: pair.child(Label::Chance, 0).stream(),
            seats: BySeat::from_fn(|seat| pair.child(Label::Seat, seat as u64).stream()),
        }
    }
}

/// What two strategies need to play one game after another without allocating.
pub struct Table<G: Game, A: Strategy<G>, B: Strategy<G>> {
    a: A::Memory,
    b: B::Memory,
    action: G::Action,
}

impl<G: Game, A: Strategy<G>, B: Strategy<G>> Default for Table<G, A, B> {
    fn default() -> Self {
        Table {
            a: A::Memory::default(),
            b: B::Memory::default(),
            action: G::Action::default(),
        }
    }
}

/// Plays one game in which `a` has the seat `seat_of_a`, and returns the outcome for `a`.
///
/// A game that goes round in circles, because both strategies are steady
/// ([`Strategy::steady_actions`]) and a position came back, is not played out: its repetitions are
/// skipped. Outcome, length and random numbers used are those of playing it out.
#[inline]
pub fn play_game<G: Game, A: Strategy<G>, B: Strategy<G>>(
    game: &G,
    a: &A,
    b: &B,
    seat_of_a: Seat,
    table: &mut Table<G, A, B>,
    streams: &mut Streams,
) -> Outcome {
    let mut state = game.deal(&mut streams.chance);
    a.begin(&mut table.a, seat_of_a);
    b.begin(&mut table.b, seat_of_a.other());
    let mut circles = CircleDetector::new();
    loop {
        let seat = match game.turn(&state) {
            Turn::Act(seat) => seat,
            Turn::Over(outcome) if seat_of_a == Seat::First => return outcome,
            Turn::Over(outcome) => return outcome.reversed(),
        };
        let observation = game.observe(&state, seat);
        let rng = &mut streams.seats[seat];
        if seat == seat_of_a {
            a.act(&mut table.a, observation, rng, &mut table.action);
        } else {
            b.act(&mut table.b, observation, rng, &mut table.action);
        }
        game.apply(&mut state, &table.action, &mut streams.chance);

        if G::CAN_LOOP {
            let steady = (a.steady_actions(&table.a), b.steady_actions(&table.b));
            if steady.0 == 0 || steady.1 == 0 {
                circles.forget();
            } else if let Some(skipped) =
                circles.advance(game, &mut state, seat == seat_of_a, steady)
            {
                a.skip_actions(&mut table.a, skipped.0);
                b.skip_actions(&mut table.b, skipped.1);
            }
        }
    }
}

/// Notices that a position came back (Brent, *An improved Monte Carlo factorization algorithm*, BIT 20,
/// 1980): the position is kept at distances that double, and compared with every later one.
struct CircleDetector<S> {
    kept: Option<S>,
    /// Actions since the position was kept, of `a` and of `b`.
    actions: (u64, u64),
    /// Actions after which a new position is kept.
    limit: u64,
}

impl<S: Clone> CircleDetector<S> {
    /// Most games are over before they can have gone round once.
    const FIRST_LIMIT: u64 = 128;

    fn new() -> Self {
        CircleDetector {
            kept: None,
            actions: (0, 0),
            limit: Self::FIRST_LIMIT,
        }
    }

    #[inline]
    fn forget(&mut self) {
        self.kept = None;
        self.actions = (0, 0);
        self.limit = Self::FIRST_LIMIT;
    }

    /// Takes note of one action, and skips repetitions if there are any: returns how many actions of `a`
    /// and of `b` were skipped.
    #[inline]
    fn advance<G: Game<State = S>>(
        &mut self,
        game: &G,
        state: &mut S,
        a_acted: bool,
        steady: (u64, u64),
    ) -> Option<(u64, u64)> {
        if a_acted {
            self.actions.0 += 1;
        } else {
            self.actions.1 += 1;
        }
        if let Some(kept) = &self.kept {
            let (by_a, by_b) = self.actions;
            let repeats = |steady: u64, actions: u64| match actions {
                0 => u64::MAX,
                _ => steady / actions,
            };
            let max_repeats = repeats(steady.0, by_a).min(repeats(steady.1, by_b));
            let done = game.fast_forward(kept, state, max_repeats);
            if done > 0 {
                self.forget();
                return Some((done * by_a, done * by_b));
            }
        }
        if self.actions.0 + self.actions.1 >= self.limit {
            self.kept = Some(state.clone());
            self.actions = (0, 0);
            self.limit *= 2;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use rand::Rng;
    use ruse_games::AdjustableRules;
    use ruse_games::war::{IllegalOrder, Pile, War, WarObservation, WarState};
    use ruse_strategies::war::{PileOrdering, Plain, PureOrder};
    use ruse_strategies::{ParametricStrategy, Strategy};

    use super::*;

    /// War whose circles are played out.
    #[derive(Debug, Clone)]
    struct PlayedOut(War);

    impl Game for PlayedOut {
        type State = WarState;
        type Action = Pile;
        type Observation<'a> = WarObservation<'a>;
        type IllegalAction = IllegalOrder;

        fn deal<R: Rng>(&self, rng: &mut R) -> WarState {
            self.0.deal(rng)
        }

        fn turn(&self, state: &WarState) -> Turn {
            self.0.turn(state)
        }

        fn observe<'a>(&self, state: &'a WarState, seat: Seat) -> WarObservation<'a> {
            self.0.observe(state, seat)
        }

        fn check(&self, state: &WarState, action: &Pile) -> Result<(), IllegalOrder> {
            self.0.check(state, action)
        }

        fn apply<R: Rng>(&self, state: &mut WarState, action: &Pile, rng: &mut R) {
            self.0.apply(state, action, rng);
        }
    }

    /// The same strategy for the other type of game.
    struct Ported(PileOrdering<Plain>);

    impl Strategy<PlayedOut> for Ported {
        type Memory = <PileOrdering<Plain> as Strategy<War>>::Memory;

        fn begin(&self, memory: &mut Self::Memory, seat: Seat) {
            Strategy::<War>::begin(&self.0, memory, seat);
        }

        fn act<R: Rng>(
            &self,
            memory: &mut Self::Memory,
            observation: WarObservation<'_>,
            rng: &mut R,
            action: &mut Pile,
        ) {
            Strategy::<War>::act(&self.0, memory, observation, rng, action);
        }
    }

    fn nearly(order: PureOrder, exception: f64) -> PileOrdering<Plain> {
        let rest = (exception / 2.0).ln();
        let theta = match order {
            PureOrder::Ascending => [rest, 0.0, rest],
            PureOrder::Descending => [rest, rest, 0.0],
        };
        PileOrdering::from_parameters(&War::standard(), &theta).expect("finite parameters")
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        /// Skipping the repetitions of a game changes nothing: not its outcome, nor what is drawn.
        #[test]
        fn skipping_circles_is_playing_them_out(
            seed in any::<u64>(), exponent_a in 3.1..7.0f64, exponent_b in 3.1..7.0f64,
            max_turns in 10_000u64..60_000,
        ) {
            let game = War::standard()
                .with_rules(&BTreeMap::from([("max-turns".to_string(), max_turns)]))
                .expect("valid rules");
            let a = nearly(PureOrder::Descending, 10f64.powf(-exponent_a));
            let b = nearly(PureOrder::Ascending, 10f64.powf(-exponent_b));

            let mut streams = Streams::of_pair(StreamKey::root(seed));
            let mut played_out = streams.clone();
            let outcome =
                play_game(&game, &a, &b, Seat::First, &mut Table::default(), &mut streams);
            let expected = play_game(
                &PlayedOut(game), &Ported(a), &Ported(b), Seat::First,
                &mut Table::default(), &mut played_out,
            );
            prop_assert_eq!(outcome, expected);
            prop_assert_eq!(streams.seats, played_out.seats);
        }
    }

    #[test]
    fn pure_strategies_end_where_the_cap_ends_them() {
        let game = War::standard();
        let a = PileOrdering::pure(PureOrder::Descending);
        let b = PileOrdering::pure(PureOrder::Ascending);
        let mut draws = 0;
        for seed in 0..100 {
            let mut streams = Streams::of_pair(StreamKey::root(seed));
            let outcome = play_game(
                &game,
                &a,
                &b,
                Seat::Second,
                &mut Table::default(),
                &mut streams,
            );
            draws += u32::from(outcome == Outcome::Draw);
        }
        // 56.0 % of these games never end (independent prototype, 400 000 pairs); 100 games stay within
        // 36 to 76 draws but once in 20 000 sets of seeds.
        assert!((36..=76).contains(&draws), "{draws} of 100 games never end");
    }
}
