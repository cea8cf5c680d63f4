//! Functions of numbers as players.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rand::Rng;
use ruse_games::{Game, Payoff, Recall, Seat};
use ruse_search::Strategy;
use ruse_strategies::AnyGame;

use super::player::{Guest, Home, Player};

/// A function that decides by numbers, such as a trained network.
pub trait Decide: Send + Sync {
    /// Returns the number of a legal action, of which `mask` has a 1 in its place. `observation` has a number for each
    /// feature of the game. Returns `None` to forfeit the game, as an illegal number does.
    fn decide(&self, observation: &[f32], mask: &[i8]) -> Option<usize>;
}

/// Returns the player of a game that decides by a function. Its games count as not reproducible.
pub(super) fn learner<G: Game>(family: &Arc<dyn AnyGame<G>>, decide: Arc<dyn Decide>) -> Player {
    static NUM_LEARNERS: AtomicU64 = AtomicU64::new(0);
    let numbered = family.capabilities().numbered.expect("the actions of the game have numbers");
    let shape = [numbered.features().len(), numbered.action_texts().len()];
    let (info, rules) = (family.info(), family.rules());
    let learner = Learner { family: Arc::clone(family), decide, shape };
    let home = Home::of_one::<G>(info, rules, Arc::new(learner));
    // Players with equal names are taken for the same player.
    let name = format!("function {}", NUM_LEARNERS.fetch_add(1, Ordering::Relaxed));
    Player::Guest(Guest { home, player: Box::new(Player::Named(name)) })
}

/// A strategy that decides by a function.
struct Learner<G: Game> {
    family: Arc<dyn AnyGame<G>>,
    decide: Arc<dyn Decide>,
    /// The numbers of features and of numbered actions.
    shape: [usize; 2],
}

/// Buffers of a [`Learner`], and whether it has forfeited the game.
#[derive(Default)]
struct LearnerMemory<A> {
    observation: Vec<f32>,
    mask: Vec<i8>,
    seat: Seat,
    /// The numbers of the earlier actions of this game.
    past: Vec<usize>,
    /// The numbers of the parts of the next action that are chosen already.
    parts: Vec<usize>,
    legal: Vec<(usize, Option<A>)>,
    has_forfeited: bool,
}

impl<G: Game> Strategy<G> for Learner<G> {
    type Memory = LearnerMemory<G::Action>;

    fn begin(&self, memory: &mut Self::Memory, seat: Seat) {
        memory.seat = seat;
        memory.past.clear();
        memory.has_forfeited = false;
    }

    /// Takes a random legal action once the game is forfeited, and where actions have no numbers.
    fn act<R: Rng>(
        &self,
        memory: &mut Self::Memory,
        view: G::View<'_>,
        mut rng: &mut R,
        action: &mut G::Action,
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

    fn end(&self, memory: &mut Self::Memory, _: G::View<'_>, _: Payoff) -> bool {
        memory.has_forfeited
    }
}
