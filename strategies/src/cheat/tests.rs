use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::{Game, Payoff, Turn};
use ruse_search::Strategy;

use super::words::leading;
use super::*;
use crate::Family;
use crate::testing::{self, PanicRng, rng};

fn play<S: Strategy<Cheat>, T: Strategy<Cheat>>(
    first: &S,
    second: &T,
    rng: &mut Xoshiro256PlusPlus,
) -> Payoff {
    let game = Cheat::standard();
    testing::play(&game, game.deal(rng), first, second, rng).0
}

fn gaussian<const HASHED: bool>(rng: &mut Xoshiro256PlusPlus) -> ValuePlayer<HASHED> {
    let theta: Vec<f64> =
        (0..NUM_MONOMIALS + usize::from(HASHED)).map(|_| Gaussian.sample(rng)).collect();
    ValuePlayer::from_parameters(&Cheat::standard(), &theta).expect("finite numbers")
}

fn player(theta: &[f64]) -> ValuePlayer<false> {
    ValuePlayer::from_parameters(&Cheat::standard(), theta).expect("28 numbers")
}

/// Returns a situation in the middle of a game. The player has one card of the current colour, and seven cards of each
/// other colour.
fn midgame() -> CheatView {
    CheatView {
        own: [1, 7, 7, 7],
        own_put: [2, 0, 0, 0],
        opponent_cards: 25,
        opponent_put: 3,
        opponent_at_start: [10, 6, 6, 6],
        current: Some(0),
    }
}

#[test]
fn monomials_are_in_the_order_of_the_parameters() {
    // An independent prototype with the same definition gave these values.
    let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let expected = [
        1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, // constant and features
        1.0, 2.0, 3.0, 4.0, 5.0, 6.0, // times x1
        4.0, 6.0, 8.0, 10.0, 12.0, // x2
        9.0, 12.0, 15.0, 18.0, // x3
        16.0, 20.0, 24.0, // x4
        25.0, 30.0, // x5
        36.0,
    ];
    assert_eq!(monomials(&x), expected);
    assert_eq!(quadratic(&array::from_fn(|k| k as f64), &x), 5761.0);
    assert_eq!([product(1, 1), product(1, 6), product(2, 2), product(6, 6)], [7, 12, 13, 27]);

    let space = ValuePlayer::<true>::space(&Cheat::standard());
    let name = |k: usize| &*space.parameters()[k].name;
    assert_eq!([name(0), name(1), name(6), name(7)], ["constant", "own", "kind", "own*own"]);
    assert_eq!([name(12), name(13), name(27)], ["own*kind", "opponent*opponent", "kind*kind"]);
    assert_eq!((name(28), space.dimension()), ("seed", 29));
    assert_eq!(ValuePlayer::<false>::space(&Cheat::standard()).dimension(), 28);
}

/// Computes the features of an action directly from their definition in the module documentation.
fn features(view: &CheatView, action: CheatAction) -> [f64; NUM_FEATURES] {
    let own = f64::from(num_cards(view.own));
    let table = f64::from(view.table());
    let opponent = f64::from(view.opponent_cards);
    let (colour, put, kind) = match action {
        CheatAction::Claim => (view.current.expect("a round has begun"), 0.0, 1.0),
        CheatAction::Put(colour) if view.current.is_none_or(|c| c == colour) => (colour, 1.0, 0.0),
        CheatAction::Put(colour) => (colour, 1.0, -1.0),
    };
    let slack =
        f64::from(view.opponent_at_start[usize::from(colour)]) - f64::from(view.opponent_put);
    let left = f64::from(view.own[usize::from(colour)]) - put;
    let [own, opponent, table] = [own - put, opponent, table + put].map(|cards| cards / 26.0);
    [own, opponent, table, left / 13.0, slack / 13.0, kind]
}

#[test]
fn values_are_the_quadratic_form_of_the_features() {
    let game = Cheat::standard();
    let mut rng = rng(1);
    // Computed by hand: after the put there are 21 own cards, 25 cards of the opponent and 6 on the table. The only
    // card of the colour is gone, and the slack is 10 - 3.
    assert_eq!(
        features(&midgame(), CheatAction::Put(0)),
        [21.0 / 26.0, 25.0 / 26.0, 6.0 / 26.0, 0.0, 7.0 / 13.0, 0.0]
    );
    for _ in 0..100 {
        let theta: [f64; NUM_MONOMIALS] = array::from_fn(|_| Gaussian.sample(&mut rng));
        let player = player(&theta);
        let mut state = game.deal(&mut rng);
        while let Turn::Act(seat) = game.turn(&state) {
            let view = game.view(&state, seat);
            for (index, value) in player.values(&view).into_iter().enumerate() {
                let action = action_of(index);
                if game.check(&state, &action).is_err() {
                    assert_eq!(value, f64::NEG_INFINITY);
                } else {
                    let expected = quadratic(&theta, &features(&view, action));
                    // The 28 terms are summed in another order.
                    assert!((value - expected).abs() < 1e-10, "{value}, {expected}");
                }
            }
            let action = sample_legal(view.own, view.current.is_some(), &mut rng);
            game.apply(&mut state, seat, &action, &mut rng);
        }
    }
}

#[test]
fn the_noise_is_a_tenth_of_a_gaussian() {
    // Only the kind of the action counts: a claim is worth .1, a truthful card 0, a lie -1e3.
    let mut theta = [0.0; NUM_MONOMIALS];
    theta[6] = 500.05;
    theta[27] = -499.95;
    let player = player(&theta);
    let mut rng = rng(1);
    let mut memory = Situations::default();
    let num_actions = 100_000;
    let mut claims = 0;
    for _ in 0..num_actions {
        let mut action = CheatAction::default();
        player.act(&mut memory, midgame(), &mut rng, &mut action);
        assert!(matches!(action, CheatAction::Claim | CheatAction::Put(0)));
        claims += u32::from(action == CheatAction::Claim);
    }
    // The difference has mean .1 and standard deviation .1 sqrt(2), so it is positive with probability Phi(.7071) =
    // .76025. Five standard errors are allowed, so one seed in a million fails.
    let frequency = f64::from(claims) / f64::from(num_actions);
    assert!((frequency - 0.76025).abs() < 5.0 * 0.00135, "{frequency}");
}

#[test]
fn deterministic_strategies_draw_no_noise() {
    let mut theta = [0.0; NUM_MONOMIALS];
    theta[6] = 1.01;
    let player = player(&theta);
    let mut action = CheatAction::default();
    player.act(&mut Situations::default(), midgame(), &mut PanicRng, &mut action);
    assert_eq!(action, CheatAction::Claim);
    // There is only one colour to lead.
    let (mut memory, view) = (Situations::default(), leading(13, [0, 0, 5, 0]));
    self::player(&[0.0; 28]).act(&mut memory, view, &mut PanicRng, &mut action);
    assert_eq!(action, CheatAction::Put(2));
}

/// A memory of other games, or of another strategy, does not change the player's actions.
#[test]
fn memories_change_no_action() {
    let game = Cheat::standard();
    let mut rng = rng(1);
    let mut memories: [Situations<ValuePlayer<true>>; 2] = Default::default();
    for _ in 0..100 {
        let players = [(); 2].map(|()| gaussian::<true>(&mut rng));
        for _ in 0..3 {
            for (player, memory) in players.iter().zip(&mut memories) {
                player.begin(memory, Seat::First);
            }
            let mut state = game.deal(&mut rng);
            while let Turn::Act(seat) = game.turn(&state) {
                let view = game.view(&state, seat);
                let player = &players[seat as usize];
                let mut same_rng = rng.clone();
                let (mut action, mut expected) = Default::default();
                player.act(&mut memories[seat as usize], view, &mut rng, &mut action);
                let memory = &mut Situations::default();
                player.act(memory, view, &mut same_rng, &mut expected);
                assert_eq!(action, expected, "{view:?}");
                assert_eq!(rng, same_rng);
                game.apply(&mut state, seat, &action, &mut rng);
            }
        }
    }
}

#[test]
fn hashed_perturbations_are_standard_gaussian() {
    let game = Cheat::standard();
    let perturbations = |seed: f64| {
        let mut theta = [0.0; NUM_MONOMIALS + 1];
        theta[NUM_MONOMIALS] = seed;
        let player = ValuePlayer::<true>::from_parameters(&game, &theta).expect("29 numbers");
        player.values(&midgame())
    };
    assert_eq!(perturbations(0.5), perturbations(0.5));
    assert_ne!(perturbations(0.5), perturbations(0.5 + f64::EPSILON));
    // The Gaussian of the first action is the first number of the stream of its tag.
    let tag = u64::from_le_bytes([1, 7, 7, 7, 25, 5, 0, 0]);
    let expected: f64 = Gaussian.sample(&mut HashStream::new(0.5, tag));
    assert_eq!(perturbations(0.5)[0], expected);

    let values: Vec<f64> = (0..4000).flat_map(|i| perturbations(f64::from(i))).collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| x * x).sum::<f64>() / n;
    let tail = values.iter().filter(|x| x.abs() > 2.0).count() as f64 / n;
    // The standard errors are 1/sqrt(n), sqrt(2/n) and sqrt(p q / n). Five of them are allowed, so one set of seeds in
    // 500 000 fails. P(|Z| > 2) = .0455.
    assert!(mean.abs() < 5.0 / n.sqrt(), "{mean}");
    assert!((variance - 1.0).abs() < 5.0 * (2.0 / n).sqrt(), "{variance}");
    assert!((tail - 0.0455).abs() < 5.0 * (0.0455 * 0.9545 / n).sqrt(), "{tail}");
}

#[test]
fn the_draw_rule_never_loses() {
    let mut rng = rng(1);
    let rule = NamedPlayer::DrawRule;
    let no_loss = |as_first: Payoff, as_second: Payoff| {
        assert_ne!(as_first, Payoff::LOSS);
        assert_ne!(as_second, Payoff::WIN);
    };
    for _ in 0..1000 {
        let opponent = gaussian::<false>(&mut rng);
        no_loss(play(&rule, &opponent, &mut rng), play(&opponent, &rule, &mut rng));
        let opponent = gaussian::<true>(&mut rng);
        no_loss(play(&rule, &opponent, &mut rng), play(&opponent, &rule, &mut rng));
        for opponent in [NamedPlayer::Honest, NamedPlayer::Random, NamedPlayer::DrawRule] {
            no_loss(play(&rule, &opponent, &mut rng), play(&opponent, &rule, &mut rng));
        }
    }
}

#[test]
fn the_draw_rule_leads_what_the_opponent_lacks() {
    let act = |player: NamedPlayer, view| {
        let mut action = CheatAction::default();
        player.act(&mut (), view, &mut PanicRng, &mut action);
        action
    };
    let view = leading(13, [12, 11, 13, 13]);
    assert_eq!(act(NamedPlayer::DrawRule, view), CheatAction::Put(2));
    let following = CheatView { opponent_cards: 3, ..midgame() };
    assert_eq!(act(NamedPlayer::DrawRule, following), CheatAction::Claim);
    assert_eq!(act(NamedPlayer::Honest, following), CheatAction::Put(0));
    // With more cards, `draw-rule` plays honestly.
    let following = CheatView { opponent_cards: 4, ..midgame() };
    assert_eq!(act(NamedPlayer::DrawRule, following), CheatAction::Put(0));
    let lacking = CheatView { own: [0, 8, 7, 7], ..midgame() };
    assert_eq!(act(NamedPlayer::Honest, lacking), CheatAction::Claim);
    let last = CheatView { own: [0, 0, 1, 0], ..midgame() };
    assert_eq!(act(NamedPlayer::Honest, last), CheatAction::Put(2));
}

#[test]
fn words_say_what_a_person_would_see() {
    let family = CheatFamily::cheat();
    let words = |k: usize, value: f64| {
        let mut theta = [0.0; NUM_MONOMIALS];
        theta[k] = value;
        let player = ValuePlayer::from_parameters(family.game(), &theta).expect("28 numbers");
        family.words(&player)
    };
    // Only x6, the kind of the action, counts: the strategy prefers claims to all other actions.
    let claims = words(6, 1.0);
    assert!(claims.contains("right after a lead it always claims"), "{claims}");
    assert!(claims.contains("wins, in 0 of 6 situations"), "{claims}");
    let lies = words(6, -1.0);
    assert!(lies.contains("without the colour it always lies"), "{lies}");
    // Only the square of x6 counts: the strategy tells the truth as long as possible.
    let honest = words(27, -1.0);
    assert!(honest.contains("holding the current colour, it always tells the truth"), "{honest}");
    // Only x4, the cards left of the colour, counts.
    assert!(words(4, 1.0).contains("leads the colour it has the most of (in 12 of 12"));
    assert!(words(4, -1.0).contains("leads the colour it has the fewest of (in 12 of 12"));
    assert!(words(5, -1.0).contains("leads a colour that they lack"));
}
