//! The family of Battleship.

use std::fmt::Write;

use ruse_games::battleship::{Battleship, Sea};
use ruse_games::{Beliefs, Seen};
use ruse_picture::Picture;
use ruse_search::AnyStrategy;

use super::priors::{beliefs, uniform_beliefs};
use super::{BattleshipReference, FleetPriors, OnSea, dimension, on_any_sea, picture};
use crate::{Capabilities, Family, FamilyInfo, Reference};

/// The family of Battleship: 33 parameters, or 41 on the shop board.
#[derive(Debug, Clone, Default)]
pub struct BattleshipFamily {
    game: Battleship,
}

impl Family for BattleshipFamily {
    type Game = Battleship;
    type Strategy = FleetPriors;
    type Reference = BattleshipReference;

    fn info(&self) -> FamilyInfo<'_> {
        let summary = "where its own ships often lie, and where the opponent's ships are expected";
        FamilyInfo {
            about: "hide a fleet, and shoot at the other one",
            common_play: Some("hunt-target"),
            default_budget: match self.game.sea() {
                // Thirty-three numbers converge slowly, and a game takes a quarter of a millisecond.
                Sea::Paper => 200_000,
                // A game takes about five milliseconds.
                Sea::Shop => 20_000,
            },
            ..FamilyInfo::new("battleship", summary)
        }
    }

    fn game(&self) -> &Battleship {
        &self.game
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities::of(self)
            .adjustable(|_, game| BattleshipFamily { game })
            .portable(|rule| rule == "sunk")
            .board("density")
            .numbered()
            .drawn()
    }

    fn references(&self) -> Vec<Reference<BattleshipReference>> {
        vec![
            Reference::named("random", BattleshipReference::Random)
                .meaning("hides its fleet at random, and shoots at random"),
            Reference::named("hunt-target", BattleshipReference::HuntTarget)
                .meaning("shoots at neighbours of its hits, and at random when there are none"),
            Reference::named(
                "density",
                BattleshipReference::Density(FleetPriors::uniform(self.game.sea())),
            )
            .meaning("shoots where most fleets that fit the answers have a ship")
            // With all parameters 0, all fleets are equally likely.
            .with_parameters(vec![0.0; dimension(self.game.sea())]),
        ]
    }

    fn words(&self, strategy: &FleetPriors) -> String {
        let mut words = on_any_sea!(strategy, priors => priors.words_of_placing());
        words += "looks first at";
        for (index, cell) in strategy.first_shots(6).into_iter().enumerate() {
            let separator = if index == 0 { " " } else { ", then " };
            let _ = write!(words, "{separator}{cell}");
        }
        words
            + " (or their mirror images) as long as it finds water, then where most of the fleets that \
                 fit its hits and misses have a ship"
    }

    fn picture(&self, strategy: &FleetPriors) -> Option<Picture> {
        Some(picture::picture(strategy))
    }

    /// Returns the beliefs that follow from the prior of the strategy, or from equally likely fleets if it has no
    /// prior.
    fn beliefs(
        &self,
        player: &dyn AnyStrategy<Battleship>,
        seen: &Seen<'_, Battleship>,
    ) -> Option<Beliefs> {
        // While the player's own fleet is being placed, nothing is known about the opponent's fleet.
        seen.view.fleet?;
        Some(match player.as_any().downcast_ref::<FleetPriors>() {
            Some(strategy) => {
                let fleets = "fleets being as likely as the strategy expects them";
                on_any_sea!(strategy, priors => beliefs(&priors.prior, &seen.view, fleets))
            }
            None => uniform_beliefs(&seen.view),
        })
    }
}
