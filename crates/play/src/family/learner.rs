//! Functions of numbers as players.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rand::Rng;
use ruse_games::{Game, Payoff, Recall, Rule, Seat};
use ruse_strategies::{AnyPlayer, Family, Strategy};

use super::player::{Guest, Home, Player, PlayerError};
use crate::session::ActionOf;

/// A function that decides by numbers, such as a trained network.
pub trait Decide: Send + Sync {
    /// Returns the number of a legal action, of which `mask` has a 1 in its place. `observation` has a number for each
    /// feature of the game. Returns `None` to forfeit the game, as an illegal number does.
    fn decide(&self, observation: &[f32], mask: &[i8]) -> Option<usize>;
}

/// Returns the player of a family's game that decides by a function, or `None` if the actions of the game have no
/// numbers. Its games count as not reproducible.
pub(crate) fn learner<F: Family>(family: &Arc<F>, decide: Arc<dyn Decide>) -> Option<Player> {
    static NUM_LEARNERS: AtomicU64 = AtomicU64::new(0);
    let capabilities = family.capabilities();
    let numbered = capabilities.numbered?;
    capabilities.board?;
    let shape = [numbered.features().len(), numbered.action_texts().len()];
    let home = LearnerHome { family: Arc::clone(family), decide, shape };
    // Players with equal names are taken for the same player.
    let name = format!("function {}", NUM_LEARNERS.fetch_add(1, Ordering::Relaxed));
    Some(Player::Guest(Guest { home: Arc::new(home), player: Box::new(Player::Named(name)) }))
}

/// The home of a single player, which decides by a function.
struct LearnerHome<F: Family> {
    family: Arc<F>,
    decide: Arc<dyn Decide>,
    /// The numbers of features and of numbered actions.
    shape: [usize; 2],
}

impl<F: Family> Home for LearnerHome<F> {
    fn family_name(&self) -> &str {
        self.family.info().name
    }

    fn game_name(&self) -> &str {
        self.family.info().game
    }

    fn rules_in_force(&self) -> Vec<Rule> {
        self.family.capabilities().rules()
    }

    fn lend(&self, _: &Player) -> Result<Box<dyn Any>, PlayerError> {
        let LearnerHome { family, decide, shape } = self;
        let learner =
            Learner { family: Arc::clone(family), decide: Arc::clone(decide), shape: *shape };
        Ok(Box::new(AnyPlayer::<F::Game>::Fixed(Box::new(learner))))
    }

    fn thinks_by_the_clock(&self) -> bool {
        true
    }
}

/// A strategy that decides by a function.
struct Learner<F: Family> {
    family: Arc<F>,
    decide: Arc<dyn Decide>,
    shape: [usize; 2],
}

/// Buffers of a [`Learner`], and whether it has forfeited the game.
struct LearnerMemory<F: Family> {
    observation: Vec<f32>,
    mask: Vec<i8>,
    seat: Seat,
    /// The numbers of the earlier actions of this game.
    past: Vec<usize>,
    /// The numbers of the parts of the next action that are chosen already.
    parts: Vec<usize>,
    legal: Vec<(usize, Option<ActionOf<F>>)>,
    has_forfeited: bool,
}

impl<F: Family> Default for LearnerMemory<F> {
    fn default() -> LearnerMemory<F> {
        LearnerMemory {
            observation: Vec::new(),
            mask: Vec::new(),
            seat: Seat::First,
            past: Vec::new(),
            parts: Vec::new(),
            legal: Vec::new(),
            has_forfeited: false,
        }
    }
}

impl<F: Family> Strategy<F::Game> for Learner<F> {
    type Memory = LearnerMemory<F>;

    fn begin(&self, memory: &mut LearnerMemory<F>, seat: Seat) {
        memory.seat = seat;
        memory.past.clear();
        memory.has_forfeited = false;
    }

    /// Takes a random legal action once the game is forfeited, and where actions have no numbers.
    fn act<R: Rng>(
        &self,
        memory: &mut LearnerMemory<F>,
        view: <F::Game as Game>::View<'_>,
        mut rng: &mut R,
        action: &mut ActionOf<F>,
    ) {
        let LearnerMemory { observation, mask, seat, past, parts, legal, has_forfeited } = memory;
        let capabilities = self.family.capabilities();
        let both = capabilities.numbered.zip(capabilities.board);
        let (numbered, open) = both.expect("the player has been created");
        let [num_features, num_actions] = self.shape;
        observation.resize(num_features, 0.0);
        parts.clear();
        while !*has_forfeited {
            let recall = Recall { seat: *seat, past, parts };
            legal.clear();
            numbered
                .each_numbered(&view, recall, &mut |number, action| legal.push((number, action)));
            if legal.is_empty() {
                break;
            }
            mask.clear();
            mask.resize(num_actions, 0);
            legal.iter().for_each(|(number, _)| mask[*number] = 1);
            numbered.observe(&view, recall, observation);
            let decided = self.decide.decide(observation, mask);
            let index = decided
                .and_then(|wanted| legal.binary_search_by_key(&wanted, |(number, _)| *number).ok());
            match index.map(|index| legal.swap_remove(index)) {
                Some((number, Some(whole))) => {
                    past.push(number);
                    *action = whole;
                    return;
                }
                Some((number, None)) => parts.push(number),
                None => *has_forfeited = true,
            }
        }
        *action = open.board.any_action(&view, &mut rng);
    }

    fn end(
        &self,
        memory: &mut LearnerMemory<F>,
        _: <F::Game as Game>::View<'_>,
        _: Payoff,
    ) -> bool {
        memory.has_forfeited
    }
}
