//! Stages as constraint networks.

use std::ops::ControlFlow;

use ruse_gdl::{Evaluator, RoleId, Rules, State};
use ruse_search::SolverKind;

use super::stage::{Forward, SolveStage, Stage};
use crate::encode::{EncodeError, EncodeOptions, Encoding};
use crate::{
    Order, Preprocessing, PreprocessingReport, StageMethod, StageSolver, VariableId,
    preprocess_stage,
};

/// The constraint network of a game's stages, after preprocessing.
#[derive(Debug, Clone)]
pub struct StageNetwork {
    encoding: Encoding,
    stage: crate::Stage,
    report: PreprocessingReport,
}

impl StageNetwork {
    /// Encodes the rules of a game, and preprocesses the network.
    ///
    /// # Errors
    ///
    /// Returns an error if the network becomes too large.
    pub fn new(
        rules: &Rules,
        options: &EncodeOptions,
        steps: &Preprocessing,
    ) -> Result<StageNetwork, EncodeError> {
        let encoding = Encoding::new(rules, options)?;
        let effects = encoding.constraint_kinds().iter().enumerate();
        let mut stage = crate::Stage {
            network: encoding.network().clone(),
            decisions: encoding.moves().iter().map(|&(_, variable)| variable).collect(),
            chance: encoding.chance(),
            effects: effects.filter(|(_, kind)| kind.is_effect()).map(|(index, _)| index).collect(),
        };
        let report = preprocess_stage(&mut stage, steps);
        Ok(StageNetwork { encoding, stage, report })
    }

    /// Returns the encoding of the game.
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// Returns the report of the preprocessing.
    pub fn report(&self) -> &PreprocessingReport {
        &self.report
    }

    /// Returns a stage solver that uses this network, or `None` if `way` is [`SolverKind::Engine`].
    pub(super) fn solver(&self, way: SolverKind) -> Option<Box<Networked>> {
        let method = match way {
            SolverKind::Mac => StageMethod::Mac,
            SolverKind::ForwardChecking => StageMethod::Fc,
            SolverKind::Engine => return None,
        };
        Some(Box::new(Networked {
            solver: StageSolver::new(&self.stage, method, Order::DomWdeg),
            encoding: self.encoding.clone(),
            inputs: Vec::new(),
            decisions: Vec::new(),
            values: Vec::new(),
        }))
    }
}

/// A stage solver that uses a constraint network.
#[derive(Clone)]
pub(super) struct Networked {
    encoding: Encoding,
    solver: StageSolver,
    inputs: Vec<(VariableId, u16)>,
    /// The feasible decisions of the last listed state, each with a move for every role that chooses.
    decisions: Vec<Vec<u16>>,
    values: Vec<u16>,
}

impl Networked {
    /// Lists the feasible decisions of a state, ordered by role; the move of the last role changes first. Returns
    /// `false` if the network cannot represent the state.
    pub(super) fn list(&mut self, state: &State) -> bool {
        let Networked { encoding, solver, inputs, decisions, .. } = self;
        let Ok(values) = encoding.values_of(state) else { return false };
        inputs.clear();
        inputs.extend(encoding.state().zip(values));
        decisions.clear();
        if !solver.enter(inputs) {
            return false;
        }
        let _: ControlFlow<()> = solver.solve(|decision| {
            decisions.push(decision.to_vec());
            ControlFlow::Continue(())
        });
        decisions.sort_unstable();
        true
    }

    #[cfg(test)]
    pub(super) fn decisions(&self) -> &[Vec<u16>] {
        &self.decisions
    }

    /// Returns the number of search nodes visited so far.
    #[cfg(test)]
    pub(super) fn num_nodes(&self) -> u64 {
        self.solver.counters().nodes
    }

    /// Adds the successors of all decisions to a stage. Returns `true` if every joint move of the stage now has one.
    fn add_successors(&mut self, stage: &mut Stage) -> bool {
        let Networked { encoding, solver, decisions, values, .. } = self;
        for decision in decisions.iter() {
            let is_consistent = solver.outcomes(decision, |_, solver| {
                values.clear();
                let known = encoding.successors().iter().filter_map(|&id| solver.value(id));
                values.extend(known);
                if values.len() == encoding.successors().len() {
                    stage.successors.extend_from_slice(encoding.state_of(values).words());
                }
            });
            if !is_consistent {
                return false;
            }
        }
        let num_words = encoding.rules().start().words().len();
        let num_joint = stage.num_arms as usize * stage.num_chance as usize;
        stage.successors.len() == num_joint * num_words
    }

    /// Returns `true` if the decisions are the joint moves that the engine listed.
    fn agrees(&self, stage: &Stage, roles: &[RoleId]) -> bool {
        let num_chance = stage.num_chance as usize;
        let of_engine = stage.joint.chunks_exact(stage.legal.len()).step_by(num_chance);
        self.decisions.len() == stage.num_arms as usize
            && self.decisions.iter().zip(of_engine).all(|(decision, joint)| {
                let engine = roles.iter().map(|role| joint[role.0 as usize].0 as u16);
                decision.iter().copied().eq(engine)
            })
    }
}

impl SolveStage for Networked {
    /// Solves the stage with the network. Legal moves and the end of the game come from the engine, which evaluates the
    /// state anyway. If the two disagree, which tests rule out, the engine solves the stage.
    fn solve(&mut self, state: &State, evaluator: &mut Evaluator, stage: &mut Stage) {
        stage.begin(evaluator);
        let roles: Vec<RoleId> = self.encoding.moves().iter().map(|&(role, _)| role).collect();
        let is_solved =
            self.list(state) && self.agrees(stage, &roles) && self.add_successors(stage);
        debug_assert!(is_solved, "the network and the engine disagree");
        if !is_solved {
            Forward.solve(state, evaluator, stage);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;
    use ruse_gdl::{Limits, MoveId, RULE_FILES};

    use super::*;

    /// Checks that the three solvers find the same decisions and successors in every state of random games. Returns the
    /// numbers of search nodes of MAC and forward checking.
    fn compare(name: &str, text: &str, num_games: u64) -> [u64; 2] {
        let rules = Rules::from_text(text, &Limits::default()).expect("the file is right");
        let network =
            StageNetwork::new(&rules, &EncodeOptions::default(), &Preprocessing::default());
        let network = network.expect("the file is small");
        let solver = |way| network.solver(way).expect("a network solves it");
        let [mut mac, mut fc] = [SolverKind::Mac, SolverKind::ForwardChecking].map(solver);
        let mut evaluator = Evaluator::new(&rules);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let [mut expected, mut found] = [Stage::default(), Stage::default()];
        let mut state = rules.start().clone();
        for _ in 0..num_games {
            evaluator.set_state(rules.start());
            while !evaluator.is_terminal() {
                evaluator.copy_state(&mut state);
                Forward.solve(&state, &mut evaluator, &mut expected);
                for solver in [&mut mac, &mut fc] {
                    evaluator.set_state(&state);
                    solver.solve(&state, &mut evaluator, &mut found);
                    assert_eq!(found.successors, expected.successors, "{name}");
                    assert_eq!(solver.decisions().len(), expected.num_arms as usize, "{name}");
                }
                evaluator.set_state(&state);
                let joint: Vec<MoveId> = rules
                    .roles()
                    .map(|role| evaluator.random_legal(role, &mut rng).expect("a legal move"))
                    .collect();
                evaluator.play(&joint);
                evaluator.advance();
            }
        }
        [mac.num_nodes(), fc.num_nodes()]
    }

    #[test]
    fn networks_find_what_the_engine_finds_in_some_files() {
        for file in RULE_FILES.iter().step_by(4) {
            compare(file.name, file.text, 1);
        }
    }

    #[test]
    #[ignore = "long"]
    fn networks_find_what_the_engine_finds_in_a_thousand_games() {
        for file in RULE_FILES {
            compare(file.name, file.text, 1_000);
        }
    }
}
