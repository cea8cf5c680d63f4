//! The families of War and Batawaf: `war`, `war4`, `batawaf`, `batawaf4`.

use std::fmt::Write;
use std::marker::PhantomData;

use rand::Rng;
use ruse_games::Payoff;
use ruse_games::war::{Pile, War, WarState};

use super::kernel::play_game;
use super::picture::SELDOM;
use super::{Hashed, OrderProbabilities, Perturbation, PileOrdering, Plain, PureOrder, picture};
use crate::player::of_either;
use crate::{
    Capabilities, Family, FamilyInfo, Halt, Memories, Picture, PlayerRef, Reference, Streams,
};

/// The families of War and Batawaf.
#[derive(Debug, Clone)]
pub struct WarFamily<P> {
    info: FamilyInfo<'static>,
    game: War,
    perturbation: PhantomData<P>,
}

impl WarFamily<Plain> {
    /// Creates `war`, which plays War and has three parameters.
    pub fn war() -> Self {
        let summary = "how often cards won go back in random, ascending or reverse order";
        let about = "the card game; order the cards that you win";
        Self::new(FamilyInfo { about, ..FamilyInfo::new("war", summary) }, War::standard())
    }

    /// Creates `batawaf`, which plays Batawaf and has three parameters.
    pub fn batawaf() -> Self {
        let summary = "how often cards won go back in random, ascending or reverse order";
        let about = "War with 36 cards, six ranks in six suits";
        Self::new(FamilyInfo { about, ..FamilyInfo::new("batawaf", summary) }, War::batawaf())
    }
}

impl WarFamily<Hashed> {
    /// Creates `war4`, which plays War and has four parameters.
    pub fn war4() -> Self {
        let summary = "as war, over an order of each size of pile that a fourth number scrambles";
        let about = "War; a strategy with a fourth parameter";
        let info = FamilyInfo { game: "war", about, ..FamilyInfo::new("war4", summary) };
        Self::new(info, War::standard())
    }

    /// Creates `batawaf4`, which plays Batawaf and has four parameters.
    pub fn batawaf4() -> Self {
        let summary =
            "as batawaf, over an order of each size of pile that a fourth number scrambles";
        let about = "Batawaf; a strategy with a fourth parameter";
        let info = FamilyInfo { game: "batawaf", about, ..FamilyInfo::new("batawaf4", summary) };
        Self::new(info, War::batawaf())
    }
}

impl<P: Perturbation> WarFamily<P> {
    fn new(info: FamilyInfo<'static>, game: War) -> WarFamily<P> {
        // The three weights converge to a pure order within half a million games. A scrambled order is redrawn with
        // every mutation, and more draws find better ones.
        let default_budget = if P::PARAMETERS.is_empty() { 5_000_000 } else { 10_000_000 };
        let info = FamilyInfo { common_play: Some("random"), default_budget, ..info };
        WarFamily { info, game, perturbation: PhantomData }
    }
}

/// Formats a probability for people: two digits, and more near 0 and 1.
fn in_words(probability: f64) -> String {
    match probability.min(1.0 - probability) {
        rest if rest >= 0.005 => format!("{probability:.2}"),
        rest if rest >= SELDOM => format!("{probability:.4}"),
        _ if probability == 1.0 || probability == 0.0 => format!("{probability}"),
        _ if probability > 0.5 => format!("over {}", 1.0 - SELDOM),
        _ => format!("under {SELDOM}"),
    }
}

impl<P: Perturbation> Family for WarFamily<P> {
    type Game = War;
    type Strategy = PileOrdering<P>;
    type Reference = PileOrdering<Plain>;

    fn info(&self) -> FamilyInfo<'_> {
        self.info
    }

    fn game(&self) -> &War {
        &self.game
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities::of(self)
            .adjustable(|family, game| WarFamily { game, ..family.clone() })
            .board("descending")
            .drawn()
    }

    fn references(&self) -> Vec<Reference<PileOrdering<Plain>>> {
        vec![
            Reference::new(
                "random",
                "puts cards back in random order, as most people do",
                PileOrdering::random(),
            ),
            Reference::new(
                "ascending",
                "puts cards back worst card first",
                PileOrdering::pure(PureOrder::Ascending),
            ),
            Reference::new(
                "descending",
                "puts cards back best card first",
                PileOrdering::pure(PureOrder::Descending),
            ),
        ]
    }

    fn words(&self, strategy: &PileOrdering<P>) -> String {
        let OrderProbabilities { random, ascending, descending } = strategy.probabilities();
        let [in_reverse, in_order] = if P::PARAMETERS.is_empty() {
            ["reverse order (best card first)", "ascending order (worst card first)"]
        } else {
            ["its scrambled order reversed", "its scrambled order"]
        };
        let mut orders =
            [(descending, in_reverse), (ascending, in_order), (random, "random order")];
        orders.sort_by(|x, y| y.0.total_cmp(&x.0));
        let mut words = String::from("puts the cards won back in ");
        for (i, (probability, order)) in orders.into_iter().enumerate() {
            if i > 0 && probability < SELDOM {
                continue;
            }
            let separator = if i == 0 { "" } else { ", in " };
            let _ = write!(words, "{separator}{order} with probability {}", in_words(probability));
        }
        if !P::PARAMETERS.is_empty() {
            // Nine of ten piles have two cards; nearly all others have six, from one tie.
            let best_first = if strategy.perturbation.swaps_two() { ascending } else { descending };
            let order: Vec<String> =
                strategy.permutation(6).iter().map(|card| (card + 1).to_string()).collect();
            let _ = write!(
                words,
                "; so the better of two cards goes first with probability {}, and the scrambled order \
                 of six cards, 1 being the worst, is {}",
                in_words(best_first + random / 2.0),
                order.join(" ")
            );
        }
        words
    }

    fn picture(&self, strategy: &PileOrdering<P>) -> Option<Picture> {
        Some(picture::picture(strategy))
    }

    #[inline(always)]
    fn play_game<R: Rng + Clone, H: Halt>(
        &self,
        state: WarState,
        first: (PlayerRef<'_, Self>, &mut Memories<Self>),
        second: (PlayerRef<'_, Self>, &mut Memories<Self>),
        action: &mut Pile,
        streams: &mut Streams<R>,
        halt: H,
    ) -> Payoff {
        of_either!(first, second, |first, second| {
            play_game(&self.game, state, first, second, action, streams, halt)
        })
    }
}
