#![cfg_attr(rustfmt, rustfmt_skip)]
//! Draw again: both are dealt a number from 1 to 100 that the other does not see, and may draw another one, once.
//! The higher number wins.

use std::{convert::Infallible, process::ExitCode};
use ruse::games::{BySeat, Game, Seat, Turn};
use ruse::rand::{Rng, RngExt};
use ruse::strategies::{Family, FamilyInfo, Parameter, ParameterError, ParameterSpace, ParametricStrategy, Reference, Strategy};

#[derive(Clone)]
struct DrawAgain;

impl Game for DrawAgain {
    type State = (BySeat<u8>, Turn); // the numbers, and whose turn it is
    type Action = bool;              // whether to draw again
    type View<'a> = u8;              // what a player sees: its own number
    type Illegal = Infallible;       // both actions are always legal

    fn deal<R: Rng>(&self, rng: &mut R) -> Self::State {
        (BySeat::from_fn(|_| rng.random_range(1..=100)), Turn::Act(Seat::First))
    }
    fn turn(&self, state: &Self::State) -> Turn { state.1 }
    fn view(&self, state: &Self::State, seat: Seat) -> u8 { state.0[seat] }
    fn check(&self, _: &Self::State, _: &bool) -> Result<(), Infallible> { Ok(()) }
    fn apply<R: Rng>(&self, (numbers, turn): &mut Self::State, seat: Seat, again: &bool, rng: &mut R) {
        if *again { numbers[seat] = rng.random_range(1..=100) }
        let over = Turn::Over(numbers.first.cmp(&numbers.second).into());
        *turn = if seat == Seat::First { Turn::Act(Seat::Second) } else { over };
    }
}

#[derive(Clone)]
struct KeepFrom(f64); // the lowest number that is kept

impl Strategy<DrawAgain> for KeepFrom {
    type Memory = ();
    fn act<R: Rng>(&self, (): &mut (), number: u8, _: &mut R, again: &mut bool) { *again = f64::from(number) < self.0 }
}

impl ParametricStrategy<DrawAgain> for KeepFrom {
    fn space(_: &DrawAgain) -> ParameterSpace {
        ParameterSpace::new(vec![Parameter::new("keep from", "what is kept, in steps of 100 from 20 on")])
    }
    fn from_parameters(game: &DrawAgain, theta: &[f64]) -> Result<KeepFrom, ParameterError> {
        Self::space(game).check(theta)?;
        Ok(KeepFrom(20.0 + 100.0 * theta[0]))
    }
}

#[derive(Clone)]
struct DrawAgainFamily;

impl Family for DrawAgainFamily {
    type Game = DrawAgain;
    type Strategy = KeepFrom;
    type Reference = KeepFrom;
    fn info(&self) -> FamilyInfo<'_> { FamilyInfo::new("draw-again", "the lowest number to keep") }
    fn game(&self) -> &DrawAgain { &DrawAgain }
    fn references(&self) -> Vec<Reference<KeepFrom>> { vec![Reference::new("average", "keeps 51 or more", KeepFrom(51.0))] }
    fn words(&self, KeepFrom(lowest): &KeepFrom) -> String { format!("keeps {:.0} or more", lowest.ceil()) }
}

fn main() -> ExitCode { ruse::cli::run(ruse::registry::Registry::empty().with(DrawAgainFamily)) }
