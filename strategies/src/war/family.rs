//! The families of War and Batawaf: `war`, `war4`, `war-orders`, `batawaf`, `batawaf4`, `batawaf-orders`.

use std::any::Any;
use std::marker::PhantomData;

use rand::Rng;
use ruse_games::Payoff;
use ruse_games::war::{Answers, Pile, War, WarState};
use ruse_picture::Picture;
use ruse_search::AnyStrategy;

use super::kernel::{Foresight, play_game};
use super::{
    ByPosition, Hashed, OrderProbabilities, OrderingMemory, Perturbation, PileOrdering, Plain,
    Plan, picture,
};
use crate::player::of_either;
use crate::{Capabilities, Family, FamilyInfo, Halt, Memories, PlayerRef, Reference, Streams};

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

impl WarFamily<ByPosition> {
    /// Creates `war-orders`, which plays War. Its parameters are the weights of an order and a rate of shuffling.
    pub fn war_orders() -> Self {
        let summary = "the order of two and of six cards, and how many piles are shuffled";
        let about = "War; an order by the weights of positions";
        let info = FamilyInfo { game: "war", about, ..FamilyInfo::new("war-orders", summary) };
        Self::new(info, War::standard())
    }

    /// Creates `batawaf-orders`, which plays Batawaf. Its parameters are the weights of an order and a rate of
    /// shuffling.
    pub fn batawaf_orders() -> Self {
        let summary = "the order of two and of six cards, and how many piles are shuffled";
        let about = "Batawaf; an order by the weights of positions";
        let info =
            FamilyInfo { game: "batawaf", about, ..FamilyInfo::new("batawaf-orders", summary) };
        Self::new(info, War::batawaf())
    }
}

impl<P: Perturbation> WarFamily<P> {
    fn new(info: FamilyInfo<'static>, game: War) -> WarFamily<P> {
        let default_budget = match P::PARAMETERS.len() {
            // Within half a million games, runs with three weights converge to one of the orders.
            3 => 5_000_000,
            // A scrambled order is redrawn with every mutation, and more draws find better ones.
            4 => 10_000_000,
            // Orders that rarely shuffle play long games.
            _ => 3_000_000,
        };
        let info = FamilyInfo { common_play: Some("random"), default_budget, ..info };
        WarFamily { info, game, perturbation: PhantomData }
    }
}

impl<P: Perturbation> Family for WarFamily<P> {
    type Game = War;
    type Strategy = PileOrdering<P>;
    type Reference = PileOrdering<P::Named>;

    fn info(&self) -> FamilyInfo<'_> {
        self.info
    }

    fn game(&self) -> &War {
        &self.game
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        let mut capabilities = Capabilities::of(self)
            .adjustable(|family, game| WarFamily { game, ..family.clone() })
            .portable(|_| true)
            .board("descending")
            .numbered()
            .drawn();
        capabilities.self_play = P::self_play();
        capabilities
    }

    fn references(&self) -> Vec<Reference<PileOrdering<P::Named>>> {
        let plain = |name, meaning, [random, ascending, descending]: [f64; 3]| {
            let probabilities = OrderProbabilities { random, ascending, descending };
            Reference::new(name, meaning, PileOrdering::with(probabilities, P::Named::default()))
        };
        let mut references = vec![
            plain("random", "puts cards back in random order, as most people do", [1.0, 0.0, 0.0]),
            plain("ascending", "puts cards back worst card first", [0.0, 1.0, 0.0]),
            plain("descending", "puts cards back best card first", [0.0, 0.0, 1.0]),
        ];
        references.extend(P::further_references());
        references
    }

    fn words(&self, strategy: &PileOrdering<P>) -> String {
        P::words(strategy)
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

/// Returns the plan of a strategy from any family of the game, or `None` for players that search.
fn plan_of(strategy: &dyn AnyStrategy<War>) -> Option<Plan> {
    fn of<P: Perturbation>(strategy: &dyn Any) -> Option<Plan> {
        strategy.downcast_ref::<PileOrdering<P>>().map(PileOrdering::plan)
    }
    let strategy = strategy.as_any();
    of::<Plain>(strategy).or_else(|| of::<Hashed>(strategy)).or_else(|| of::<ByPosition>(strategy))
}

/// A player of any type. A strategy from any family of the game plays as fast as in its own family; a searching player
/// is asked every time.
impl<P: Perturbation> Foresight for PlayerRef<'_, WarFamily<P>> {
    fn answers<R: Rng>(
        &self,
        memory: &mut Memories<WarFamily<P>>,
        stretch: u64,
        rng: &mut R,
    ) -> Option<Answers> {
        match self {
            PlayerRef::Own(strategy) => strategy.answers(&mut memory.own, stretch, rng),
            PlayerRef::Reference(strategy) => strategy.answers(&mut memory.reference, stretch, rng),
            PlayerRef::Searching(strategy) => {
                plan_of(*strategy)?.answers(memory.searching.of(), stretch, rng)
            }
        }
    }

    fn can_be_steady(&self) -> bool {
        match self {
            PlayerRef::Own(strategy) => strategy.can_be_steady(),
            PlayerRef::Reference(strategy) => strategy.can_be_steady(),
            PlayerRef::Searching(strategy) => plan_of(*strategy).is_some_and(Plan::can_be_steady),
        }
    }

    fn steady_actions(&self, memory: &Memories<WarFamily<P>>) -> u64 {
        match self {
            PlayerRef::Own(strategy) => strategy.steady_actions(&memory.own),
            PlayerRef::Reference(strategy) => strategy.steady_actions(&memory.reference),
            PlayerRef::Searching(strategy) => match (plan_of(*strategy), memory.searching.get()) {
                (Some(plan), Some(memory)) => plan.steady_actions(memory),
                _ => 0,
            },
        }
    }

    fn skip_actions(&self, memory: &mut Memories<WarFamily<P>>, num_actions: u64) {
        match self {
            PlayerRef::Own(_) => memory.own.skip(num_actions),
            PlayerRef::Reference(_) => memory.reference.skip(num_actions),
            PlayerRef::Searching(strategy) if plan_of(*strategy).is_some() => {
                memory.searching.of::<OrderingMemory>().skip(num_actions);
            }
            PlayerRef::Searching(_) => {}
        }
    }
}
