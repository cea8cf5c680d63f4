//! The families of Cheat.

use ruse_games::cheat::Cheat;
use ruse_picture::Picture;

use super::{NamedPlayer, ValuePlayer, picture, words};
use crate::{Capabilities, Family, FamilyInfo, Reference};

/// The families of Cheat.
#[derive(Debug, Clone)]
pub struct CheatFamily<const HASHED: bool> {
    game: Cheat,
}

impl CheatFamily<false> {
    /// Creates `cheat`, which has 28 parameters.
    pub fn cheat() -> Self {
        CheatFamily { game: Cheat::standard() }
    }
}

impl CheatFamily<true> {
    /// Creates `cheat-special`, which has 29 parameters.
    pub fn cheat_special() -> Self {
        CheatFamily { game: Cheat::standard() }
    }
}

impl<const HASHED: bool> Family for CheatFamily<HASHED> {
    type Game = Cheat;
    type Strategy = ValuePlayer<HASHED>;
    type Reference = NamedPlayer;

    fn info(&self) -> FamilyInfo<'_> {
        let (name, about, summary) = if HASHED {
            (
                "cheat-special",
                "the same game; habits are pseudo-random",
                "as cheat, plus a pseudo-random value of each action that another number seeds",
            )
        } else {
            (
                "cheat",
                "put cards face down, bluff, and call a bluff",
                "a quadratic value of leads, truthful cards, lies and claims",
            )
        };
        FamilyInfo {
            game: "cheat",
            about,
            common_play: Some("honest"),
            // After this many games, most runs have found a strategy that draws nearly all of its games, and no
            // strategy beats that.
            default_budget: 1_000_000,
            ..FamilyInfo::new(name, summary)
        }
    }

    fn game(&self) -> &Cheat {
        &self.game
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities::of(self)
            .adjustable(|_, game| CheatFamily { game })
            .board("honest")
            .numbered()
            .listed()
    }

    fn references(&self) -> Vec<Reference<NamedPlayer>> {
        vec![
            Reference::named("draw-rule", NamedPlayer::DrawRule).meaning(
                "never loses: claims, or leads a colour the opponent lacks, when they have 3 \
                          cards or fewer; honest before",
            ),
            Reference::named("honest", NamedPlayer::Honest).meaning(
                "leads its longest colour, tells the truth while it can, and claims when it \
                          cannot",
            ),
            Reference::new("random", "takes any legal action", NamedPlayer::Random),
        ]
    }

    fn words(&self, strategy: &ValuePlayer<HASHED>) -> String {
        words::words(&self.game, strategy)
    }

    fn picture(&self, strategy: &ValuePlayer<HASHED>) -> Option<Picture> {
        Some(picture::picture(&self.game, strategy))
    }
}
