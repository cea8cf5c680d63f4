//! The family of Flip.

use ruse_games::flip::Flip;
use ruse_picture::Picture;

use super::{Aim, NamedPlayer, QuadraticPlayer, picture, words};
use crate::{Capabilities, Family, FamilyInfo, Reference};

/// The family of Flip.
#[derive(Debug, Clone)]
pub struct FlipFamily {
    game: Flip,
}

impl FlipFamily {
    /// Creates `flip`, which has 420 parameters.
    pub fn flip() -> FlipFamily {
        FlipFamily { game: Flip::standard() }
    }
}

impl Family for FlipFamily {
    type Game = Flip;
    type Strategy = QuadraticPlayer;
    type Reference = NamedPlayer;

    fn info(&self) -> FamilyInfo<'_> {
        FamilyInfo {
            about: "get rid of your cards, one rank up or down",
            common_play: Some("mobility"),
            // Each of the 420 directions matters little, so the score climbs slowly.
            default_budget: 3_000_000,
            ..FamilyInfo::new(
                "flip",
                "a quadratic value of how near the visible cards of both players are to the piles",
            )
        }
    }

    fn game(&self) -> &Flip {
        &self.game
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities::of(self)
            .adjustable(|_, game| FlipFamily { game })
            .board("blocking")
            .numbered()
            .listed()
    }

    fn references(&self) -> Vec<Reference<NamedPlayer>> {
        let references = [
            ("random", "makes any put", Aim::Random),
            ("mobility", "keeps as many playable cards as it can", Aim::Mobility),
            ("blocking", "leaves the opponent as few playable cards as it can", Aim::Blocking),
        ];
        let references = references.map(|(name, meaning, aim)| {
            let strategy = NamedPlayer { game: self.game.clone(), aim };
            Reference::new(name, meaning, strategy)
        });
        references.into()
    }

    fn words(&self, strategy: &QuadraticPlayer) -> String {
        words::words(strategy)
    }

    fn picture(&self, strategy: &QuadraticPlayer) -> Option<Picture> {
        Some(picture::picture(strategy))
    }
}
