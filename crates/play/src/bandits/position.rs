//! A position of a game as a problem: an arm is a joint action.

use rand::Rng;
use ruse_games::{Factored, Game, NumActions, Seat, Simulate, Slots, Turn};
use ruse_search::bandit::cmab::{Problem, is_legal};

use super::Playground;

/// The reason why a position cannot be a bandit problem.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// The game is over, or it is the other seat's turn.
    #[error(
        "it is not the turn of the {} player: name a position in which they decide",
        if *.seat == Seat::First { "first" } else { "second" }
    )]
    NoTurn {
        /// The seat that should choose.
        seat: Seat,
    },
    /// There is only one legal action.
    #[error(
        "nothing can be chosen in this position: {}; name one with two legal actions or more",
        if *.num_slots == 0 { "nothing waits for orders" } else { "all that waits for orders can do one thing only" }
    )]
    NoChoice {
        /// The number of slots of an action, which is 0 if nothing waits for orders.
        num_slots: usize,
    },
}

/// The joint actions of a seat in a position, as the arms of a problem: each variable is a slot of the action.
pub struct JointActions<G: Factored> {
    game: G,
    state: G::State,
    seat: Seat,
    slots: Slots<G::Value>,
    sizes: Vec<u16>,
}

impl<G: Factored> Problem for JointActions<G> {
    type Partial = G::Partial;

    fn sizes(&self) -> &[u16] {
        &self.sizes
    }

    fn begin(&self, partial: &mut G::Partial) {
        self.game.begin(&self.state, self.seat, partial);
    }

    #[inline]
    fn admits(&self, partial: &G::Partial, variable: usize, value: u16) -> bool {
        self.game.admits(partial, variable, self.slots.values(variable)[usize::from(value)])
    }

    #[inline]
    fn fix(&self, partial: &mut G::Partial, variable: usize, value: u16) {
        self.game.fix(partial, variable, self.slots.values(variable)[usize::from(value)]);
    }
}

/// A position of a game in which a seat decides. The reward of an arm is the value of a later position for that seat,
/// from -1 (lost) to 1 (won): a policy first moves both seats for a number of units of the [clock](Simulate::clock).
///
/// This is the setting of the first two experiments of Ontañón (2017), with 100 cycles and the policy RandomBiased. The
/// means of the arms are unknown.
pub struct Position<G: Factored + Simulate> {
    problem: JointActions<G>,
    special: Vec<u16>,
    /// The policy that moves both seats.
    pub policy: G::Policy,
    /// The number of units of the clock after which the position is evaluated.
    pub horizon: u32,
    /// The expected reward of a new arm for first play urgency. A value in [0, 1] stands for the reward 2 `urgency` - 1.
    /// The default is f rho + (1 - f), as in the searches of the paper: rho in [0, 1] is the value of the position, and
    /// f is .95.
    pub urgency: Option<f64>,
    num_actions: NumActions,
}

/// The usual horizon, in units of the clock: the length of a playout in the paper, which is 100 cycles.
pub const USUAL_HORIZON: u32 = 100;

impl<G: Factored + Simulate> Position<G> {
    /// Creates a position of `seat` in `state`. The usual policy of the game moves both seats until the position is
    /// evaluated after [`USUAL_HORIZON`] units of the clock.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not the turn of `seat`, or if `seat` has only one legal action.
    pub fn new(game: G, state: G::State, seat: Seat) -> Result<Position<G>, PositionError> {
        if game.turn(&state) != Turn::Act(seat) {
            return Err(PositionError::NoTurn { seat });
        }
        let mut slots = Slots::default();
        game.slots(&state, seat, &mut slots);
        let num_actions = game.num_actions(&state, seat);
        if num_actions == NumActions::Exactly(1) {
            return Err(PositionError::NoChoice { num_slots: slots.len() });
        }
        let sizes: Vec<u16> = slots
            .iter()
            .map(|values| u16::try_from(values.len()).expect("a slot has at most 65,535 values"))
            .collect();
        let problem = JointActions { game, state, seat, slots, sizes };
        let special = special(&problem);
        let (policy, horizon) = (G::Policy::default(), USUAL_HORIZON);
        Ok(Position { problem, special, policy, horizon, urgency: None, num_actions })
    }

    /// Returns the number of legal actions.
    pub fn num_actions(&self) -> NumActions {
        self.num_actions
    }
}

/// Returns the last value of every slot. In games with the action "do nothing", these values form that action. If the
/// last values are incompatible, goes through the slots in order and takes the last admissible value of each.
fn special<G: Factored>(problem: &JointActions<G>) -> Vec<u16> {
    let last: Vec<u16> = problem.sizes.iter().map(|size| size - 1).collect();
    if is_legal(problem, &last) {
        return last;
    }
    let mut partial = G::Partial::default();
    problem.begin(&mut partial);
    let values = problem.sizes.iter().enumerate().map(|(slot, &size)| {
        let value = (0..size).rev().find(|&value| problem.admits(&partial, slot, value));
        let value = value.expect("some value of every slot is admitted");
        problem.fix(&mut partial, slot, value);
        value
    });
    values.collect()
}

/// The weight of the value of the position in the default urgency, as in the searches of the paper.
const URGENCY_SHARE: f64 = 0.95;

/// Buffers for a playout.
pub struct Ahead<G: Game> {
    state: Option<G::State>,
    action: G::Action,
}

impl<G: Game> Default for Ahead<G> {
    fn default() -> Ahead<G> {
        Ahead { state: None, action: G::Action::default() }
    }
}

impl<G> Playground for Position<G>
where
    G: Factored + Simulate,
    G::State: Sync,
{
    type Problem = JointActions<G>;
    type Scratch = Ahead<G>;

    fn problem(&self) -> &JointActions<G> {
        &self.problem
    }

    fn special(&self) -> &[u16] {
        &self.special
    }

    fn pull<R: Rng>(&self, arm: &[u16], scratch: &mut Ahead<G>, rng: &mut R) -> f64 {
        let JointActions { game, state: start, seat, slots, .. } = &self.problem;
        let state = match &mut scratch.state {
            Some(state) => {
                state.clone_from(start);
                state
            }
            none => none.insert(start.clone()),
        };
        game.assemble(start, *seat, slots, arm, &mut scratch.action);
        game.apply(state, *seat, &scratch.action, rng);
        if matches!(game.turn(state), Turn::Act(_)) {
            game.play_ahead(state, &self.policy, self.horizon, rng);
        }
        game.judge(state, *seat)
    }

    fn mean(&self, _: &[u16]) -> Option<f64> {
        None
    }

    fn best_mean(&self) -> Option<f64> {
        None
    }

    fn urgency(&self) -> Option<f64> {
        let JointActions { game, state, seat, .. } = &self.problem;
        let rho = (1.0 + game.judge(state, *seat)) / 2.0;
        Some(self.urgency.unwrap_or(URGENCY_SHARE * rho + (1.0 - URGENCY_SHARE)))
    }

    fn range(&self) -> [f64; 2] {
        [-1.0, 1.0]
    }
}

#[cfg(test)]
mod tests {
    use ruse_base::notation::Notation;
    use ruse_base::rng::StreamKey;
    use ruse_base::stop::StopSignal;
    use ruse_rts::{Map, Rts, situation};

    use super::*;
    use crate::bandits::{Choice, Study};

    fn position(map: Map) -> Result<Position<Rts>, PositionError> {
        let game = Rts::on(map);
        let state = game.start();
        Position::new(game, state, Seat::First)
    }

    /// The numbers of slots and of joint actions agree with the program of the paper, and with a second program.
    #[test]
    fn arms_are_joint_actions() {
        for (name, num_slots, num_actions) in [("cmab-a", 8, 23_649), ("cmab-b", 12, 4_049_782)] {
            let position = position(situation(name).expect("known")).expect("a choice");
            assert_eq!(position.problem.sizes.len(), num_slots);
            assert_eq!(position.num_actions(), NumActions::Exactly(num_actions));
            assert!(is_legal(position.problem(), position.special()));
        }
    }

    /// A position with a single legal action is refused: the worker is enclosed, and the base has no resources. A
    /// position is also refused if it is the turn of the other seat.
    #[test]
    fn a_position_without_choice_is_refused() {
        let map = Map::from_text("shut", "W#.\n##w").expect("a map");
        let error = position(map).map(drop).expect_err("one action");
        assert_eq!(error, PositionError::NoChoice { num_slots: 1 });
        let game = Rts::standard();
        let state = game.start();
        let error = Position::new(game, state, Seat::Second).map(drop).expect_err("not their turn");
        assert_eq!(error, PositionError::NoTurn { seat: Seat::Second });
    }

    /// The program of the paper, with NS(.8, .4, 0) at the root and 100 pulls, recommends actions on 8x8-4 with a mean
    /// reward of .0038 and a standard error of .0005 over 40 searches; a random action has a mean reward of -.0050
    /// (.0022). This test also runs 40 searches. The difference exceeds 4.5 standard errors for one seed in 150,000.
    #[test]
    fn rewards_are_those_of_the_program_of_the_paper() {
        let position = position(situation("cmab-a").expect("known")).expect("a choice");
        let list = Notation::parse_list("ns,random:recommend=most-pulled").expect("well formed");
        let strategies: Vec<Choice> =
            list.iter().map(|one| Choice::read(one).expect("a strategy")).collect();
        let study =
            Study { strategies: &strategies, budgets: &[1, 100], num_runs: 40, num_judging: 500 };
        let (key, stop) = (StreamKey::root(1), StopSignal::default());
        let rows = study.run(&position, key, &stop, || ()).expect("not stopped");
        let is_near = |row: usize, mean: f64, error: f64| {
            let ours = rows[row].recommended;
            let own = ours.standard_error.expect("several runs");
            let distance = (ours.mean - mean).abs() / (own * own + error * error).sqrt();
            assert!(distance < 4.5, "{ours:?}, not {mean}");
        };
        is_near(1, 0.0038, 0.0005);
        // The arm recommended after one pull is a random arm.
        is_near(2, -0.0050, 0.0022);
        assert!(rows.iter().all(|row| row.regret.is_none()));
        // After 100 pulls, it is clear which of the two strategies is better. The better strategy has no gap.
        assert_eq!(rows[1].behind, None);
        let [low, _] = rows[3].behind.and_then(|behind| behind.interval()).expect("40 runs");
        assert!(low > 0.0, "{rows:#?}");
    }
}
