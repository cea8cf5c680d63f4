//! Compares the games of the scripts with the games of the paper's program.

// The file of these games comes with the game, and so does its reader.
#[path = "../../../games/rts/tests/it/file.rs"]
mod file;

use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::{AdjustableRules, Game, Payoff, Seat, Turn};
use ruse_rts::{BoardSize, LargeBoard, Map, Orders, Rts, RtsState, UnitKind};
use ruse_search::Strategy;
use ruse_strategies::testing::{PanicRng, rng};
use serde_json::Value;

use self::file::{list, map_named, number, text, unit_text, vectors};
use super::{PROGRAMS, RtsPlayer, RtsPlayerMemory, Rush, RushMemory};

/// Returns the game on a built-in map, with these rules changed.
pub(crate) fn game_on(map: &str, rules: &[(&str, u64)]) -> Rts {
    let rules = rules.iter().map(|&(name, value)| (name.to_string(), value));
    let game = Rts::on(Map::named(map).expect("a map"));
    game.with_rules(&rules.collect()).expect("valid rules")
}

fn rush_named(name: &str) -> RtsPlayer {
    RtsPlayer::Rush(match name {
        "WorkerRush" => Rush::Workers,
        "LightRush" => Rush::Soldiers(UnitKind::Light),
        "HeavyRush" => Rush::Soldiers(UnitKind::Heavy),
        "RangedRush" => Rush::Soldiers(UnitKind::Ranged),
        other => panic!("there is no script {other}"),
    })
}

/// A game between two scripts.
struct Match {
    game: Rts,
    state: RtsState,
    players: [RtsPlayer; 2],
    memories: [RtsPlayerMemory; 2],
    rng: Xoshiro256PlusPlus,
}

impl Match {
    fn new(vectors: &Value, entry: &Value) -> Match {
        let game = Rts::on(map_named(vectors, text(&entry["map"])));
        let mut rng = rng(0);
        let state = game.deal(&mut rng);
        let bots = list(&entry["bots"]);
        let players = [0, 1].map(|index| rush_named(text(&bots[index])));
        Match { game, state, players, memories: Default::default(), rng }
    }

    /// Lets the game ask both players in every cycle.
    fn asked_in_every_cycle(self) -> Match {
        let game = self.game.with_rules(&[("ask".to_string(), 1)].into()).expect("valid rules");
        Match { state: game.start(), game, ..self }
    }

    fn orders_of(&mut self, seat: Seat) -> Orders {
        let mut orders = Orders::default();
        let (player, memory) = (self.players[seat as usize], &mut self.memories[seat as usize]);
        player.act(memory, self.game.view(&self.state, seat), &mut self.rng, &mut orders);
        orders
    }

    /// Plays a game, asking both players in every cycle.
    fn play_cycles(&mut self, mut look: impl FnMut(&Rts, &RtsState, &[Orders; 2])) {
        loop {
            let orders = Seat::BOTH.map(|seat| self.orders_of(seat));
            look(&self.game, &self.state, &orders);
            for (seat, orders) in Seat::BOTH.into_iter().zip(&orders) {
                self.game.issue(&mut self.state, seat, orders, &mut self.rng);
            }
            if let Turn::Over(_) = self.game.play_cycle(&mut self.state, &mut self.rng) {
                return;
            }
        }
    }

    /// Plays a game as the arena does: asks the player whose turn it is.
    fn play_turns(&mut self) {
        while let Turn::Act(seat) = self.game.turn(&self.state) {
            let orders = self.orders_of(seat);
            self.game.check(&self.state, &orders).expect("scripts keep the rules");
            self.game.apply(&mut self.state, seat, &orders, &mut self.rng);
        }
    }

    /// Returns the cycle and the winner of the game, and the numbers of units and the stocks of both players.
    fn result(&self) -> (u64, i64, [u64; 2], [u64; 2]) {
        let winner = match self.game.turn(&self.state) {
            Turn::Over(Payoff::WIN) => 0,
            Turn::Over(Payoff::LOSS) => 1,
            _ => -1,
        };
        let state = &self.state;
        let units = Seat::BOTH.map(|seat| state.num_units_of(seat) as u64);
        (state.time().into(), winner, units, Seat::BOTH.map(|seat| state.stock_of(seat).into()))
    }
}

fn both(values: &Value) -> [u64; 2] {
    [number(&values[0]), number(&values[1])]
}

#[test]
fn scripts_play_the_games_of_the_file() {
    let vectors = vectors();
    for entry in list(&vectors["bot_games"]) {
        let place = format!("{} {}", entry["map"], entry["bots"]);
        let mut game = Match::new(&vectors, entry);
        game.play_cycles(|_, _, _| ());
        let winner = entry["winner"].as_i64().expect("a number");
        let expected =
            (number(&entry["cycle"]), winner, both(&entry["units"]), both(&entry["stock"]));
        assert_eq!(game.result(), expected, "{place}, cycle by cycle");
        let mut game = Match::new(&vectors, entry).asked_in_every_cycle();
        game.play_turns();
        assert_eq!(game.result(), expected, "{place}, asked in every cycle");
        if let Some(lazy) = entry.get("lazy") {
            let mut game = Match::new(&vectors, entry);
            game.play_turns();
            let winner = lazy[1].as_i64().expect("a number");
            let expected = (number(&lazy[0]), winner, both(&lazy[2]), both(&lazy[3]));
            assert_eq!(game.result(), expected, "{place}, turn by turn");
        }
    }
}

#[test]
fn scripts_give_the_orders_of_the_file() {
    let vectors = vectors();
    for entry in list(&vectors["bot_traces"]) {
        let place = format!("{} {}", entry["map"], entry["bots"]);
        let mut game = Match::new(&vectors, entry);
        let actions = list(&entry["actions"]);
        let last = actions.last().map_or(0, |action| number(&action[0]));
        let mut actions = actions.iter().peekable();
        let mut dumps = list(&entry["dumps"]).iter().peekable();
        game.play_cycles(|game, state, orders| {
            let now = u64::from(state.time());
            if let Some(dump) = dumps.next_if(|dump| number(&dump["t"]) == now) {
                let units = game.view(state, Seat::First).units().map(|unit| unit_text(&unit));
                let units = units.collect::<Vec<_>>().join(";");
                assert_eq!(units, text(&dump["units"]), "{place} at {now}");
            }
            for (seat, orders) in orders.iter().enumerate() {
                if now <= last && !orders.orders.is_empty() {
                    let expected = actions.next().map(|action| {
                        (number(&action[0]), number(&action[1]), text(&action[2]).to_string())
                    });
                    let found = (now, seat as u64, orders.to_string());
                    assert_eq!(Some(found), expected, "{place}");
                }
            }
        });
        assert!(actions.next().is_none(), "{place}: the game ends too early");
    }
}

/// All orders are legal, even under fog and with the other values of the rules `units`, `conflicts` and `ask`.
#[test]
fn all_players_keep_the_rules() {
    let names = ["WorkerRush", "LightRush", "HeavyRush", "RangedRush"];
    let mut players = vec![RtsPlayer::Random, RtsPlayer::RandomBiased];
    players.extend(names.map(rush_named));
    players.extend(PROGRAMS.iter().map(|(.., program)| RtsPlayer::Program(program)));
    let mut chance = rng(3);
    for map in ["8x8-1", "walls8x8", "12x12-3", "melee8x8"] {
        for (index, &first) in players.iter().enumerate() {
            let second = players[(index + 3) % players.len()];
            for fog in [0, 1] {
                let rules =
                    [("fog", fog), ("units", 1 + fog), ("conflicts", 2 * fog), ("cap", 600)];
                let game = game_on(map, &rules);
                let state = game.deal(&mut chance);
                let contest = || {
                    let (game, state) = (game.clone(), state.clone());
                    let (players, memories) = ([first, second], Default::default());
                    let rng = rng(index as u64);
                    Match { game, state, players, memories, rng }
                };
                contest().play_turns();
                contest().asked_in_every_cycle().play_turns();
            }
        }
    }
}

/// Both programs win both games against each rush, on a small map and on one where the second builds barracks. (On 12x12-1
/// they do not.)
#[test]
fn the_programs_beat_the_rushes() {
    let names = ["WorkerRush", "LightRush", "HeavyRush", "RangedRush"];
    for map in ["12x12-2", "16x16-1"] {
        for (name, _, program) in PROGRAMS.iter() {
            for rush in names {
                for own in [Seat::First, Seat::Second] {
                    let mut players = [rush_named(rush), RtsPlayer::Program(program)];
                    players.rotate_left(usize::from(own == Seat::First));
                    let game = game_on(map, &[]);
                    let rng = rng(0);
                    let (state, memories) = (game.deal(&mut PanicRng), Default::default());
                    let mut contest = Match { game, state, players, memories, rng };
                    contest.play_turns();
                    assert_eq!(contest.result().1, own as i64, "{name}, {rush}, {map}");
                }
            }
        }
    }
}

/// The rushes play the same game on a small board of either class.
#[test]
fn the_class_of_a_board_makes_no_difference() {
    fn course<S: BoardSize>(game: &Rts<S>) -> Vec<String> {
        let mut rng = rng(0);
        let (mut state, mut orders) = (game.deal(&mut rng), Orders::default());
        let mut memories = [RushMemory::default(), RushMemory::default()];
        let mut course = Vec::new();
        while let Turn::Act(seat) = game.turn(&state) {
            let rush = [Rush::Workers, Rush::Soldiers(UnitKind::Ranged)][seat as usize];
            rush.decide(&mut memories[seat as usize], &game.view(&state, seat), &mut orders);
            game.check(&state, &orders).expect("scripts keep the rules");
            course.push(format!("{} {orders}", state.time()));
            game.apply(&mut state, seat, &orders, &mut rng);
        }
        course
    }
    let map = Map::named("12x12-2").expect("a map");
    let small = course(&Rts::on(map.clone()));
    assert!(small.len() > 50);
    assert_eq!(small, course(&Rts::<LargeBoard>::sized(map)));
}
