//! Leagues whose games a program plays.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::RngExt;
use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{StopSignal, Stopped};
use ruse_programs::{ExchangeError, Process};
use ruse_strategies::{Mixture, PairResult};
use serde_json::Value;

use super::program::{Program, Waiting, read};
use super::settings::values;
use super::wire::{Manifest, Request, read_answer};
use crate::arena::{FIRST_CHOICE, League, Pace, Side, draw_parameters};

/// The share of pairs that a deterministic program is asked for twice is 1 / `REPEATED`.
const REPEATED: u64 = 64;
/// The number of values of a deal: every one is exact in a floating-point number.
const DEALS: u64 = 1 << 53;

/// A player as it is told to the program.
pub(super) enum Entrant {
    /// Fixed settings, or the name of a reference.
    Fixed(Value),
    /// Settings that are drawn again for every pair.
    Redrawn,
    /// One member is drawn for every pair.
    Mixture(Mixture<Entrant>),
}

/// Players whose games a program plays.
pub(super) struct ProgramLeague {
    pub(super) program: Arc<Program>,
    pub(super) players: Vec<Entrant>,
    pub(super) pace: Pace,
}

/// The request for a pair, with its own copies of what is drawn.
struct Fixture<'a> {
    pair: u64,
    a: Cow<'a, Value>,
    b: Cow<'a, Value>,
    deal: u64,
}

impl ProgramLeague {
    fn fixture(&self, [a, b]: [usize; 2], key: StreamKey, pair: u64) -> Fixture<'_> {
        let of_pair = key.child(Label::Pair, pair);
        let mut chance = of_pair.child(Label::Chance, 0).stream();
        Fixture {
            pair,
            a: self.enter(&self.players[a], of_pair, Side::A),
            b: self.enter(&self.players[b], of_pair, Side::B),
            deal: chance.random_range(0..DEALS),
        }
    }

    /// Returns the settings with which a player plays both games of a pair.
    fn enter<'a>(&self, player: &'a Entrant, pair: StreamKey, side: Side) -> Cow<'a, Value> {
        let mut choices = pair.child(Label::Choice, FIRST_CHOICE + side as u64).stream();
        let mut drawn = player;
        loop {
            match drawn {
                Entrant::Fixed(value) => return Cow::Borrowed(value),
                Entrant::Mixture(mixture) => drawn = mixture.drawn(choices.random()),
                Entrant::Redrawn => {
                    let mut theta = Vec::new();
                    let settings = &self.program.settings;
                    draw_parameters(&mut theta, settings.dimension(), pair, side);
                    return Cow::Owned(values(settings, &theta));
                }
            }
        }
    }

    /// Plays the pairs with one process. The process is told up to `concurrent` pairs before it has answered the first.
    fn play_with(
        &self,
        process: &mut Process,
        fixtures: &[Fixture<'_>],
        results: &mut [PairResult],
        watch: &mut Waiting<'_>,
    ) -> Result<(), ExchangeError> {
        let mut num_asked = 0;
        for (index, result) in results.iter_mut().enumerate() {
            while num_asked < fixtures.len().min(index + self.program.manifest.concurrent) {
                ask(process, &fixtures[num_asked], watch)?;
                num_asked += 1;
            }
            *result = self.answer(process, &fixtures[index], watch)?;
        }
        let first =
            fixtures.iter().zip(&*results).find(|(fixture, _)| fixture.deal % REPEATED == 0);
        match first.filter(|_| self.program.manifest.deterministic) {
            Some((fixture, result)) => self.play_again(process, fixture, *result, watch),
            None => Ok(()),
        }
    }

    fn answer(
        &self,
        process: &mut Process,
        fixture: &Fixture<'_>,
        watch: &mut Waiting<'_>,
    ) -> Result<PairResult, ExchangeError> {
        let Manifest { steps, units, .. } = &self.program.manifest;
        read(process, watch, |line| read_answer(line, fixture.pair, (*steps, units.as_ref())))
    }

    /// Checks that a program that calls itself deterministic gives the same answer again.
    fn play_again(
        &self,
        process: &mut Process,
        fixture: &Fixture<'_>,
        before: PairResult,
        watch: &mut Waiting<'_>,
    ) -> Result<(), ExchangeError> {
        ask(process, fixture, watch)?;
        let now = self.answer(process, fixture, watch)?;
        let of = |pair: PairResult| [pair.as_first.score(), pair.as_second.score()];
        match now == before {
            true => Ok(()),
            false => Err(ExchangeError::Failed(format!(
                "the program calls itself deterministic, but answers {:?} and then {:?} to the same request, with a: \
                 {}, b: {}, deal: {}",
                of(before),
                of(now),
                fixture.a,
                fixture.b,
                fixture.deal
            ))),
        }
    }
}

fn ask(
    process: &mut Process,
    Fixture { pair, a, b, deal }: &Fixture<'_>,
    watch: &mut Waiting<'_>,
) -> Result<(), ExchangeError> {
    process.say(&Request { pair: *pair, a, b, deal: *deal }, watch)
}

impl League for ProgramLeague {
    fn payoff_steps(&self) -> u16 {
        self.program.manifest.steps
    }

    fn play(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        first_pair: u64,
        results: &mut [PairResult],
        stop: &StopSignal,
    ) -> Result<(), Stopped> {
        let begun = Instant::now();
        let pairs = first_pair..first_pair + results.len() as u64;
        let fixtures: Vec<_> = pairs.map(|pair| self.fixture([a, b], key, pair)).collect();
        let watch = &mut Waiting(stop);
        self.program
            .with_process(stop, |process| self.play_with(process, &fixtures, results, watch))?;
        self.pace.learn(results.len(), begun.elapsed());
        Ok(())
    }

    fn pace(&self) -> Option<Duration> {
        self.pace.of_play()
    }
}
