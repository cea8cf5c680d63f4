//! Game trees of small rule files, in the format of Gambit (`.efg`).
//!
//! The format lists the nodes of the tree in depth-first order (Savani & Turocy, *Gambit: the package for computation in
//! game theory*, 2025). Roles that move at the same time become nodes below each other, and their information sets hide
//! the moves from each other. A step of `random` becomes a node of chance above these nodes. Nodes with one move are
//! left out. Payoffs are goals.

use std::fmt::Write;
use std::sync::Arc;

use ruse_games::rule_file::{Position, RuleFile, Walk};
use ruse_gdl::{MoveId, RoleId};
use ruse_strategies::certificate::Work;

use super::habits::after;
use super::situations::{Counter, Situation, Situations, SituationsError};

/// The player who makes the moves of a node.
#[derive(Debug, Clone, Copy)]
enum Mover {
    Chance,
    /// A player, counted from 1, and the index of the situation, which is the name of the information set.
    Player(usize, usize),
}

/// A choice in a step: the role, who moves, and the legal moves.
type Choice = (RoleId, Mover, Vec<MoveId>);

/// A tree in the course of its construction.
struct Tree<'a> {
    counter: Counter<'a>,
    walk: Walk,
    situations: Arc<Situations>,
    /// The number of each situation among the situations of its role, from 1.
    numbers: Vec<usize>,
    num_chance_nodes: usize,
    num_outcomes: usize,
    text: String,
}

/// Returns the game tree of a rule file in Gambit's format.
///
/// # Errors
///
/// Returns an error if the game is too large, if the file has a fault, or if the work was stopped.
pub fn gambit_tree(game: &RuleFile, work: &Work<'_>) -> Result<String, SituationsError> {
    let situations = Situations::of(game, work)?;
    let rules = game.language_rules();
    let names = game.roles().iter().map(|&role| quoted(rules.role_name(role)));
    let names = names.collect::<Vec<_>>().join(" ");
    let text = format!("EFG 2 R {} {{ {names} }}\n", quoted(game.title()));
    let walk = Walk::new(game);
    let mut counts = vec![0; rules.num_roles()];
    let number = |situation: &Situation| {
        let count = &mut counts[situation.role.0 as usize];
        *count += 1;
        *count
    };
    let numbers = situations.all().iter().map(number).collect();
    let counter = Counter::new(work);
    let mut tree =
        Tree { counter, walk, situations, numbers, num_chance_nodes: 0, num_outcomes: 0, text };
    let start = tree.walk.start();
    tree.add(&start)?;
    Ok(tree.text)
}

/// Returns a text in quotation marks.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

impl Tree<'_> {
    /// Adds the nodes of a position and of all later positions.
    fn add(&mut self, position: &Position) -> Result<(), SituationsError> {
        let game = self.walk.game().clone();
        if self.walk.enter(position)? {
            let goals = game.roles().iter().map(|&role| Ok(self.walk.goal(role)?.to_string()));
            let goals = goals.collect::<Result<Vec<_>, SituationsError>>()?.join(", ");
            self.num_outcomes += 1;
            writeln!(self.text, "t \"\" {} \"\" {{ {goals} }}", self.num_outcomes)
                .expect("a text grows");
            return Ok(());
        }
        let mut joint = vec![MoveId::default(); game.language_rules().num_roles()];
        let mut choices: Vec<Choice> = Vec::new();
        if let Some(random) = game.language_rules().random() {
            let legal = self.walk.legal(random).to_vec();
            joint[random.0 as usize] = legal[0];
            if legal.len() > 1 {
                choices.push((random, Mover::Chance, legal));
            }
        }
        for (number, &role) in (1..).zip(game.roles()) {
            let legal = self.walk.legal(role).to_vec();
            joint[role.0 as usize] = legal[0];
            if let Some(index) = self.situations.find(&self.walk.view(position, role)) {
                choices.push((role, Mover::Player(number, index), legal));
            }
        }
        self.add_choices(position, &choices, &mut joint)
    }

    /// Adds the nodes of the remaining choices of a step. `joint` contains the moves made so far.
    fn add_choices(
        &mut self,
        position: &Position,
        choices: &[Choice],
        joint: &mut [MoveId],
    ) -> Result<(), SituationsError> {
        let Some(((role, mover, moves), rest)) = choices.split_first() else {
            self.counter.count()?;
            let after = self.walk.after(position, joint);
            return self.add(&after);
        };
        let rules = self.walk.game().language_rules();
        let (node, share) = match *mover {
            Mover::Chance => {
                self.num_chance_nodes += 1;
                (format!("c \"\" {} \"\"", self.num_chance_nodes), format!(" 1/{}", moves.len()))
            }
            Mover::Player(number, index) => {
                let known = after(&self.situations.all()[index].known);
                let name = known.as_deref().map_or("start", |known| &known[" after ".len()..]);
                let node = format!("p \"\" {number} {} {}", self.numbers[index], quoted(name));
                (node, String::new())
            }
        };
        let name = |&action: &MoveId| quoted(rules.move_text(*role, action)) + &share;
        let names = moves.iter().map(name).collect::<Vec<_>>().join(" ");
        self.text += &format!("{node} {{ {names} }} 0\n");
        for &action in moves {
            joint[role.0 as usize] = action;
            self.add_choices(position, rest, joint)?;
        }
        Ok(())
    }
}
