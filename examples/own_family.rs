//! A program with all commands of `ruse` for your own family, a parametric strategy for the game in
//! `kuhn_poker/mod.rs`.
//!
//! ```sh
//! cargo run --release --example own_family -- optimise kuhn-poker --method all
//! cargo run --release --example own_family -- match kuhn-poker equilibrium honest
//! cargo run --release --example own_family -- play kuhn-poker
//! ```

mod kuhn_poker;

use std::process::ExitCode;

use kuhn_poker::{Action, KuhnPoker, View};
use ruse::rand::{Rng, RngExt};
use ruse::registry::Registry;
use ruse::strategies::{
    Capabilities, Family, FamilyInfo, Parameter, ParameterError, ParameterSpace,
    ParametricStrategy, Reference, Strategy,
};

/// The probabilities of betting or calling, for each situation and card. A situation's three cards are adjacent.
#[derive(Debug, Clone)]
struct Bettor([f64; 12]);

impl Strategy<KuhnPoker> for Bettor {
    type Memory = ();

    fn act<R: Rng>(&self, (): &mut (), seen: View, rng: &mut R, action: &mut Action) {
        let index = 3 * seen.situation as usize + usize::from(seen.card);
        *action = if rng.random_bool(self.0[index]) { Action::Bet } else { Action::Pass };
    }
}

impl ParametricStrategy<KuhnPoker> for Bettor {
    fn space(_: &KuhnPoker) -> ParameterSpace {
        let situations = ["opening", "after a check", "facing a bet", "facing a bet after a check"];
        let names =
            situations.iter().flat_map(|at| ["J", "Q", "K"].map(|card| format!("{card} {at}")));
        let meaning = "log-odds of betting or calling";
        ParameterSpace::new(names.map(|name| Parameter::new(name, meaning)).collect())
    }

    fn from_parameters(game: &KuhnPoker, theta: &[f64]) -> Result<Bettor, ParameterError> {
        Self::space(game).check(theta)?;
        Ok(Bettor(std::array::from_fn(|index| 1.0 / (1.0 + libm::exp(-theta[index])))))
    }
}

#[derive(Debug, Clone, Default)]
struct KuhnFamily(KuhnPoker);

#[rustfmt::skip]
impl Family for KuhnFamily {
    type Game = KuhnPoker;
    type Strategy = Bettor;
    type Reference = Bettor;

    fn info(&self) -> FamilyInfo<'_> { FamilyInfo::new("kuhn-poker", "how often to bet and to call with which card") }
    fn game(&self) -> &KuhnPoker { &self.0 }
    fn capabilities(&self) -> Capabilities<'_, Self> { Capabilities::of(self).adjustable(|_, game| KuhnFamily(game)).board("equilibrium") }

    fn references(&self) -> Vec<Reference<Bettor>> {
        let (third, honest) = (1.0 / 3.0, [0.0, 0.0, 1.0].repeat(4));
        let equilibrium =
            Bettor([third, 0.0, 1.0, third, 0.0, 1.0, 0.0, third, 1.0, 0.0, 2.0 * third, 1.0]);
        let honest = Bettor(std::array::from_fn(|index| honest[index]));
        vec![
            Reference::new("equilibrium", "plays for chips as Kuhn found", equilibrium),
            Reference::new("honest", "bets and calls with the King alone", honest),
        ]
    }

    fn words(&self, Bettor(p): &Bettor) -> String {
        format!("opens by betting a Jack with probability {:.2}, a Queen {:.2}, a King {:.2}", p[0], p[1], p[2])
    }
}

fn main() -> ExitCode {
    ruse::cli::run(Registry::standard().with(KuhnFamily::default()))
}
