//! Tests of the mean goals of both sides.

use ruse::arena::StopSignal;
use ruse::family::Player;
use ruse::registry::Registry;
use ruse::rng::StreamKey;

/// A candidate that stays with its door wins the car one time in three; a candidate that switches wins the car two
/// times in three. The strategy that takes the first legal move by its text stays, because `noop` comes before
/// `switch`.
#[test]
fn both_sides_have_goals_of_their_own() {
    let registry = Registry::standard();
    let family = registry.family("monty_hall.kif").expect("it comes with the program");
    let [first_legal, random] = ["first-legal", "random"].map(|name| Player::Named(name.into()));
    let goals = |a: &Player, b: &Player| {
        let stop = StopSignal::default();
        let goals = family.mean_goals(a, b, StreamKey::root(1), 20_000, &stop);
        goals.expect("no stop is requested").expect("it has goals")
    };
    let [own, other] = goals(&first_legal, &random);
    // For one seed in two million, the error exceeds five standard errors.
    assert!((own.mean - 100.0 / 3.0).abs() < 5.0 * own.standard_error.expect("many"), "{own:?}");
    assert!((other.mean - 50.0).abs() < 5.0 * other.standard_error.expect("many"), "{other:?}");
    let nim = registry.family("nim").expect("it is there");
    let stop = StopSignal::default();
    let random = Player::Named("random".into());
    let goals = nim.mean_goals(&random, &random, StreamKey::root(1), 2, &stop);
    assert!(goals.expect("no stop is requested").is_none());
}
