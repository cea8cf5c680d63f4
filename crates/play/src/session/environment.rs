//! Games in which a learner that knows nothing but numbers makes decisions.

use std::sync::Arc;

use ruse_base::rng::{Label, Stream, StreamKey};
use ruse_base::stop::StopRequest;
use ruse_games::{BySeat, Feature, Game, Numbered, Recall, Seat, Turn};
use ruse_strategies::{AnyGame, AnyPlayer};

use crate::arena::Sitter;

/// Tables with a game each. A learner plays one seat of each game against a strategy, or both seats.
///
/// Decisions that have no numbered action are drawn at random, and the opponent's turns are played, so each game is
/// over or waits for the learner.
pub trait Environment: Send {
    /// Returns the features of an observation, at least one.
    fn features(&self) -> Vec<Feature>;

    /// Returns the texts of the numbered actions, in the order of their numbers.
    fn action_texts(&self) -> Vec<String>;

    /// Deals game number `game` at a table. The learner plays `seat`, or both seats.
    fn deal(&mut self, table: usize, game: u64, seat: Option<Seat>);

    /// Returns the learner's seat to act, or the result of the finished game.
    fn turn(&self, table: usize) -> Turn;

    /// Writes what the seat to act sees to `observation`, a number for each feature. After the game, writes what the
    /// learner's seat sees, or the first seat if the learner plays both.
    fn observe(&self, table: usize, observation: &mut [f32]);

    /// Writes 1 for each legal numbered action to its place in `mask`, and leaves the others as they are.
    fn mark_legal(&self, table: usize, mask: &mut [i8]);

    /// Chooses an action, or a part of an action, for the seat to act, and goes on to the learner's next choice. Returns
    /// `false`, and plays nothing, if the number is not legal.
    fn act(&mut self, table: usize, number: usize) -> bool;
}

/// A game in progress.
struct Table<G: Game> {
    state: G::State,
    chance: Stream,
    /// The random stream of decisions that have no numbers.
    whims: Stream,
    seat: Option<Seat>,
    opponent: Option<Sitter<G>>,
    /// The numbers of the learner's earlier actions in each seat.
    past: BySeat<Vec<usize>>,
    /// The parts of the next action that are chosen already.
    parts: Vec<usize>,
    /// The legal numbers of the seat to act, and the action if no further part follows.
    legal: Vec<(usize, Option<G::Action>)>,
}

/// The [`Environment`] of a family.
pub(crate) struct FamilyEnvironment<G: Game> {
    family: Arc<dyn AnyGame<G>>,
    opponent: AnyPlayer<G>,
    key: StreamKey,
    tables: Vec<Table<G>>,
}

impl<G: Game> FamilyEnvironment<G> {
    /// Creates `num_tables` tables against an opponent. At table i the first game is game i, and the learner has the first
    /// seat. All randomness comes from children of `key`.
    pub(crate) fn new(
        family: Arc<dyn AnyGame<G>>,
        opponent: AnyPlayer<G>,
        key: StreamKey,
        num_tables: usize,
    ) -> FamilyEnvironment<G> {
        let table = |index| {
            let mut chance = key.child(Label::Pair, index as u64).stream();
            Table {
                state: family.game().deal(&mut chance),
                whims: chance.clone(),
                chance,
                seat: None,
                opponent: None,
                past: BySeat::default(),
                parts: Vec::new(),
                legal: Vec::new(),
            }
        };
        let tables = (0..num_tables).map(table).collect();
        let mut environment = FamilyEnvironment { family, opponent, key, tables };
        for table in 0..num_tables {
            environment.deal(table, table as u64, Some(Seat::First));
        }
        environment
    }

    fn numbered(&self) -> &dyn Numbered<G> {
        self.family.capabilities().numbered.expect("the actions of the game have numbers")
    }
}

impl<G: Game> Table<G> {
    /// Plays until the learner has a decision with a numbered action, or the game is over.
    fn go_on(&mut self, family: &dyn AnyGame<G>) {
        let capabilities = family.capabilities();
        let both = capabilities.numbered.zip(capabilities.board);
        let (numbered, board) = both.expect("the environment has been created");
        self.legal.clear();
        while let Turn::Act(seat) = family.game().turn(&self.state) {
            let action = {
                let view = family.game().view(&self.state, seat);
                match &mut self.opponent {
                    Some(sitter) if self.seat != Some(seat) => sitter.act(view).clone(),
                    _ => {
                        let recall = Recall { seat, past: &self.past[seat], parts: &self.parts };
                        numbered.each_numbered(&view, recall, &mut |number, action| {
                            self.legal.push((number, action));
                        });
                        if !self.legal.is_empty() {
                            return;
                        }
                        board.board.any_action(&view, &mut self.whims)
                    }
                }
            };
            family.game().apply(&mut self.state, seat, &action, &mut self.chance);
        }
    }
}

impl<G: Game> Environment for FamilyEnvironment<G> {
    fn features(&self) -> Vec<Feature> {
        self.numbered().features()
    }

    fn action_texts(&self) -> Vec<String> {
        self.numbered().action_texts()
    }

    fn deal(&mut self, table: usize, game: u64, seat: Option<Seat>) {
        let FamilyEnvironment { family, opponent, key, tables } = self;
        let table = &mut tables[table];
        let pair = key.child(Label::Pair, game);
        table.chance = pair.child(Label::Chance, 0).stream();
        table.whims = pair.child(Label::Choice, 0).stream();
        table.state = family.game().deal(&mut table.chance);
        table.seat = seat;
        Seat::BOTH.into_iter().for_each(|seat| table.past[seat].clear());
        table.parts.clear();
        match (seat, &mut table.opponent) {
            (None, sitter) => *sitter = None,
            (Some(seat), Some(sitter)) => {
                sitter.restart(family.game(), opponent, pair, seat.other());
            }
            (Some(seat), none) => {
                let request = StopRequest::default();
                *none = Some(Sitter::enter(family.game(), opponent, pair, seat.other(), &request));
            }
        }
        table.go_on(&**family);
    }

    fn turn(&self, table: usize) -> Turn {
        self.family.game().turn(&self.tables[table].state)
    }

    fn observe(&self, table: usize, observation: &mut [f32]) {
        let seat = match self.turn(table) {
            Turn::Act(seat) => seat,
            Turn::Over(_) => self.tables[table].seat.unwrap_or(Seat::First),
        };
        let table = &self.tables[table];
        let view = self.family.game().view(&table.state, seat);
        let recall = Recall { seat, past: &table.past[seat], parts: &table.parts };
        self.numbered().observe(&view, recall, observation);
    }

    fn mark_legal(&self, table: usize, mask: &mut [i8]) {
        self.tables[table].legal.iter().for_each(|(number, _)| mask[*number] = 1);
    }

    fn act(&mut self, table: usize, number: usize) -> bool {
        let FamilyEnvironment { family, tables, .. } = self;
        let table = &mut tables[table];
        let Ok(index) = table.legal.binary_search_by_key(&number, |(number, _)| *number) else {
            return false;
        };
        let Turn::Act(seat) = family.game().turn(&table.state) else { return false };
        match table.legal.swap_remove(index).1 {
            Some(action) => {
                table.past[seat].push(number);
                table.parts.clear();
                family.game().apply(&mut table.state, seat, &action, &mut table.chance);
            }
            None => table.parts.push(number),
        }
        table.go_on(&**family);
        true
    }
}

#[cfg(test)]
mod tests {
    use ruse_games::Payoff;
    use ruse_strategies::elo_surface::EloSurfaceFamily;
    use ruse_strategies::nim::NimFamily;
    use ruse_strategies::pig::PigFamily;
    use ruse_strategies_rts::RtsScriptFamily;

    use super::*;
    use crate::family::{AnyFamily, ErasedFamily, Player};

    fn environment(family: &dyn AnyFamily, opponent: &str, tables: usize) -> Box<dyn Environment> {
        let opponent = Player::Named(opponent.into());
        let numbers = family.capabilities().numbers.expect("its actions have numbers");
        let opened = numbers.environment(&opponent, StreamKey::root(3), tables);
        opened.expect("a player of the family")
    }

    /// The learner rolls twice and holds, in both seats of two games.
    #[test]
    fn a_table_has_the_deals_and_the_opponent_of_a_session() {
        let family = ErasedFamily::new(PigFamily::standard());
        let mut learner = environment(&family, "hold-20", 4);
        let opponent = Player::Named("hold-20".into());
        let board = family.capabilities().board.expect("it has a board");
        let session = board.sit_down(&opponent, &opponent, StreamKey::root(3));
        let mut session = session.expect("a player");
        for (table, seat) in
            [Seat::First, Seat::Second, Seat::First, Seat::Second].iter().enumerate()
        {
            let game = table as u64;
            learner.deal(table, game, Some(*seat));
            session.begin(game, Some(*seat));
            let mut own = 0;
            while let Turn::Act(mover) = session.turn() {
                if mover != *seat {
                    session.opponent_acts().expect("it is the opponent's turn");
                    continue;
                }
                assert_eq!(learner.turn(table), session.turn());
                let mut seen = [f32::NAN; 3];
                learner.observe(table, &mut seen);
                let number = usize::from(own % 3 == 2 && seen[2] > 0.0);
                session.act(["roll", "hold"][number]).expect("legal");
                assert!(learner.act(table, number));
                own += 1;
            }
            assert_eq!(learner.turn(table), session.turn());
            assert!(!learner.act(table, 0), "the game is over");
        }
    }

    #[test]
    fn a_learner_in_both_seats_makes_all_decisions() {
        let family = ErasedFamily::new(NimFamily::standard());
        let mut learner = environment(&family, "optimal", 1);
        learner.deal(0, 0, None);
        // The numbers 1, 4, 9 and 0 take a match from the heaps of 3, 5, 7 and 1.
        for (number, seat) in [(1, Seat::First), (4, Seat::Second), (9, Seat::First)] {
            assert_eq!(learner.turn(0), Turn::Act(seat));
            assert!(learner.act(0, number));
        }
        let mut mask = [0; 16];
        learner.mark_legal(0, &mut mask);
        assert_eq!(mask, [1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0]);
        assert!(!learner.act(0, 3) && !learner.act(0, 16));
        // They take the heaps of 1, 2, 4 and 6 in turn. The first player takes the last match, and so loses.
        for number in [0, 2, 7, 14] {
            assert!(learner.act(0, number));
        }
        assert_eq!(learner.turn(0), Turn::Over(Payoff::LOSS));
    }

    /// If both seats are asked in every cycle, the learner still decides only for idle units.
    #[test]
    fn a_turn_without_a_choice_is_not_the_learners() {
        let family = ruse_strategies::Family::capabilities(&RtsScriptFamily::standard())
            .with_rules(
                &[("ask", 1), ("cap", 60)].map(|(name, value)| (name.to_string(), value)).into(),
            );
        let family = ErasedFamily::new(family.expect("valid rules"));
        let mut learner = environment(&family, "light-rush", 1);
        let mut num_decisions = 0;
        while let Turn::Act(_) = learner.turn(0) {
            // Each unit always waits for ten cycles.
            assert!(learner.act(0, 0));
            num_decisions += 1;
        }
        assert_eq!(num_decisions, 2 * 6, "of a base and a worker");
        assert_eq!(learner.turn(0), Turn::Over(Payoff::DRAW));
    }

    #[test]
    fn a_game_without_numbers_has_no_environment() {
        assert!(ErasedFamily::new(EloSurfaceFamily).capabilities().numbers.is_none());
    }
}
