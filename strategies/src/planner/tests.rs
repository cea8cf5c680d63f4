use rayon::prelude::*;
use ruse_games::BySeat;

use super::*;
use crate::flip::FlipFamily;
use crate::testing::rng;
use crate::war::WarFamily;
use crate::{Family, Memories, Never, PlayerRef, Streams};

fn reference<F: Family>(family: &F, name: &str) -> Arc<dyn AnyStrategy<F::Game>> {
    let mut all = family.references();
    let index = all.iter().position(|reference| reference.name == name).expect("a reference");
    Arc::new(all.swap_remove(index).strategy)
}

fn planner_of<F: Family>(
    family: &F,
    opponents: &[&str],
    base: &str,
    settings: PlannerSettings,
) -> Planner<F::Game> {
    let known = Family::capabilities(family).game;
    let (imagining, actions) = (known.imagining.expect("known"), known.actions.expect("known"));
    let members = |names: &[&str]| {
        let members = names.iter().map(|name| (1.0, reference(family, name)));
        Mixture::new(members).expect("members")
    };
    let planning = Planning { imagining, actions };
    Planner::new(family.game(), planning, members(opponents), members(&[base]), settings)
}

/// Returns the mean score of a planner in pairs with the opponent.
fn score<F: Family>(family: &F, planner: &Planner<F::Game>, opponent: &str, num_pairs: u64) -> f64 {
    let opponent = reference(family, opponent);
    let play = |pair: u64| {
        let stream = |number| rng(10 * pair + number);
        let streams =
            Streams { chance: stream(0), seats: BySeat { first: stream(1), second: stream(2) } };
        let (mut own, mut other) = (Memories::<F>::default(), Memories::<F>::default());
        let sides = (PlayerRef::Searching(planner), PlayerRef::Searching(&*opponent));
        let mut action = <F::Game as Game>::Action::default();
        let sides = ((sides.0, &mut own), (sides.1, &mut other));
        family.play_pair(sides.0, sides.1, &mut action, streams, Never).0.score()
    };
    (0..num_pairs).into_par_iter().map(play).sum::<f64>() / num_pairs as f64
}

/// Against an order without chance, the planner knows all cards after one round and looks for a plan that wins. It scored
/// .96 in 40 pairs, and .77 in 20 pairs from its own piles alone. In 8 pairs a mean of .8, and of .7, is six and three
/// standard errors above one half, the score of the base, which is the opponent itself.
#[test]
fn an_order_of_war_is_played_out() {
    for (watched, least) in [(1, 0.8), (0, 0.7)] {
        let rules = [("watched".to_string(), watched)].into();
        let family = WarFamily::war();
        let family = Family::capabilities(&family).with_rules(&rules).expect("a rule of War");
        let settings = PlannerSettings { playouts: 60, particles: 100 };
        let planner = planner_of(&family, &["descending"], "descending", settings);
        let score = score(&family, &planner, "descending", 8);
        assert!(score > least, "{score}, watched {watched}");
        let share = planner.imagined_share();
        assert!(share < 0.05, "{share}, watched {watched}");
    }
}

/// Names are read as they are written.
#[test]
fn planners_have_names() {
    assert_eq!(PlannerSettings::parse("planner"), Some(PlannerSettings::new(400)));
    assert_eq!(
        PlannerSettings::parse("planner@50").map(PlannerSettings::name),
        Some("planner@50".into())
    );
    for name in ["planner@", "planner@0", "planner@x", "planners", "plan"] {
        assert_eq!(PlannerSettings::parse(name), None, "{name}");
    }
}

/// The same seeds lead to the same games, whatever the thread.
#[test]
fn plans_are_reproducible() {
    let family = FlipFamily::flip();
    let settings = PlannerSettings { playouts: 20, particles: 32 };
    let first = family.references()[0].name.to_string();
    let planner = planner_of(&family, &[&first, &first], &first, settings);
    let scores = [(); 2].map(|()| score(&family, &planner, &first, 4));
    assert_eq!(scores[0], scores[1]);
}

/// An action must be better by more than its standard error in the same playouts.
#[test]
fn the_base_is_kept_without_a_clear_difference() {
    assert!(playout::is_better(&[1.0, 1.0], &[0.0, 0.0]));
    assert!(!playout::is_better(&[0.5, 0.5], &[0.5, 0.5]));
    // The mean difference is 1/4, with a standard error of 1/4.
    assert!(!playout::is_better(&[1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 0.0, 0.0]));
    assert!(playout::is_better(&[1.0, 1.0, 0.0, 0.0], &[0.0, 0.0, 0.0, 0.0]));
}
