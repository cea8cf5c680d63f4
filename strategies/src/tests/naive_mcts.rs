//! Tests the searches in games with known values, and in the real-time strategy game, for which they were made.

use ruse_games::{AdjustableRules, Game, Seat, Simulate, Turn};
use ruse_rts::{Map, Rts};
use ruse_search::naive_mcts::{
    BanditKind, BySlots, NaiveMcts, NaiveMctsMemory, NaiveMctsSettings, OneSlot,
};
use ruse_search::uct::{Drawn, Uct, UctSettings};
use ruse_search::{Budget, Strategy};

use super::loss::mean_loss;
use crate::Family;
use crate::four_in_a_row::FourInARowFamily;
use crate::nim::NimFamily;
use crate::testing::{play, rng};

fn settings(bandit: BanditKind, is_tree: bool, playouts: u64) -> NaiveMctsSettings {
    let budget = Budget::Playouts(playouts);
    NaiveMctsSettings { budget, ..NaiveMctsSettings::of(bandit, is_tree) }
}

/// With one slot per action, each node is a plain bandit, and more playouts lose less. Naive sampling exploits the best
/// value after a few pulls and is not meant for such games, so the bounds are loose.
#[test]
fn more_playouts_lose_less_in_nim() {
    check_losses_in_nim(12);
}

#[test]
#[ignore = "long"]
fn more_playouts_lose_less_in_more_games_of_nim() {
    check_losses_in_nim(40);
}

fn check_losses_in_nim(num_games: u64) {
    let family = NimFamily::standard();
    let loss = |bandit, playouts| {
        let settings = settings(bandit, true, playouts);
        mean_loss(&family, &NaiveMcts::<_, OneSlot>::new(family.game(), settings, ()), num_games)
    };
    for bandit in [BanditKind::Naive, BanditKind::EGreedy, BanditKind::Ucb1] {
        let [few, many] = [1, 5000].map(|playouts| loss(bandit, playouts));
        assert!(few > 0.3 && many < 0.5 * few, "{bandit:?}: {few} {many}");
    }
}

#[test]
fn a_stone_that_wins_is_put_by_every_bandit() {
    let family = FourInARowFamily::default();
    let game = family.game();
    for (bandit, is_tree) in [
        (BanditKind::Naive, true),
        (BanditKind::EGreedy, true),
        (BanditKind::Ucb1, true),
        (BanditKind::Ucb1Fpu, true),
        (BanditKind::TwoPhase, true),
        (BanditKind::Mlps, true),
        (BanditKind::Naive, false),
        (BanditKind::Lsi, false),
    ] {
        // With f = 0, an arm stays urgent until another arm surely wins.
        let settings = NaiveMctsSettings { f: 0.0, ..settings(bandit, is_tree, 2000) };
        let player = NaiveMcts::<_, OneSlot>::new(game, settings, ());
        let mut rng = rng(1);
        let mut state = game.deal(&mut rng);
        let mut seat = Seat::First;
        // The first player has three stones in column 3 and is to move.
        for column in [3, 4, 3, 4, 3, 4] {
            game.apply(&mut state, seat, &column, &mut rng);
            seat = seat.other();
        }
        let (mut memory, mut action) = (NaiveMctsMemory::default(), 0);
        player.begin(&mut memory, seat);
        player.act(&mut memory, game.view(&state, seat), &mut rng, &mut action);
        assert_eq!(action, 3, "{bandit:?}");
    }
}

/// Returns the score of a search against RandomBiased, over `pairs` pairs of games on a map.
fn score_against_biased(map: &str, settings: NaiveMctsSettings, pairs: u64) -> f64 {
    let game = Rts::on(Map::named(map).expect("a map"));
    let policy = <Rts as Simulate>::Policy::default();
    let player = NaiveMcts::<_, BySlots>::new(&game, settings, policy);
    let mut memory = NaiveMctsMemory::default();
    let mut score = 0.0;
    for index in 0..2 * pairs {
        let mut rng = rng(index);
        let seat = if index % 2 == 0 { Seat::First } else { Seat::Second };
        let mut state = game.deal(&mut rng);
        let mut orders = Default::default();
        player.begin(&mut memory, seat);
        score += loop {
            match game.turn(&state) {
                Turn::Over(payoff) => {
                    let first = payoff.score();
                    break if seat == Seat::First { first } else { 1.0 - first };
                }
                Turn::Act(mover) => {
                    if mover == seat {
                        let view = game.view(&state, mover);
                        player.act(&mut memory, view, &mut rng, &mut orders);
                    } else {
                        Simulate::draw(&game, &state, mover, &policy, &mut rng, &mut orders);
                    }
                    assert_eq!(game.check(&state, &orders), Ok(()));
                    game.apply(&mut state, mover, &orders, &mut rng);
                }
            }
        };
    }
    score / (2 * pairs) as f64
}

/// Searches that are asked in every cycle keep the rules, and so do the games that they simulate.
#[test]
fn searches_may_be_asked_in_every_cycle() {
    let mut rng = rng(1);
    for (map, fog) in [("melee8x8", 0), ("8x8-1", 0), ("8x8-2", 1)] {
        let rules = [("ask", 1), ("cap", 120), ("fog", fog)];
        let rules = rules.map(|(name, value)| (name.to_string(), value)).into();
        let game = Rts::on(Map::named(map).expect("a map")).with_rules(&rules).expect("valid");
        for settings in [
            settings(BanditKind::Naive, true, 20),
            NaiveMctsSettings { worlds: 3, ..settings(BanditKind::TwoPhase, true, 20) },
            settings(BanditKind::Lsi, false, 20),
        ] {
            let player = NaiveMcts::<_, BySlots>::new(&game, settings, Default::default());
            play(&game, game.deal(&mut rng), &player, &player, &mut rng);
        }
        let settings = UctSettings { budget: Budget::Playouts(2), ..UctSettings::default() };
        let player = Uct::<_, Drawn>::new(&game, settings);
        play(&game, game.deal(&mut rng), &player, &player, &mut rng);
    }
}

/// The paper's players win nearly all games against random players. With equal strength, 20 games would give .75 or
/// more with a probability of 2%; a player that wins nine of ten gets less than .75 with a probability of 1%.
#[test]
fn searches_win_against_random_players() {
    for settings in [
        settings(BanditKind::Naive, true, 50),
        settings(BanditKind::Naive, false, 50),
        settings(BanditKind::Lsi, false, 50),
        settings(BanditKind::TwoPhase, true, 50),
    ] {
        let score = score_against_biased("melee8x8", settings, 10);
        assert!(score >= 0.75, "{settings:?}: {score}");
    }
    let score = score_against_biased("8x8-1", settings(BanditKind::Naive, true, 50), 5);
    assert!(score >= 0.8, "{score}");
}
