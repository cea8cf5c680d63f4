//! Texts that are refused.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_gdl::{AtCap, DEFAULT_STEPS, Limits, Playouts, Rules};

use crate::vectors::vectors;

#[test]
fn every_broken_text_is_refused_with_kind_and_place() {
    for case in &vectors().refused {
        let error =
            Rules::from_text(&case.text, &Limits::default()).expect_err("the vectors say so");
        assert_eq!(error.kind().name(), case.kind, "{}: {error}", case.name);
        let shown = format!("{}: {}", error.place(), error.problem());
        assert!(shown.contains(&case.says), "{}: {shown}", case.name);
    }
}

#[test]
fn games_that_break_the_rules_are_refused_while_playing() {
    for case in &vectors().refused_while_playing {
        let rules = Rules::from_text(&case.text, &Limits::default()).expect("the text is right");
        let mut playouts = Playouts::new(&rules, DEFAULT_STEPS, AtCap::Error);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let error =
            playouts.play(rules.start(), &mut rng).expect_err("the vectors say so").to_string();
        assert_eq!(error, case.says, "{}", case.name);
    }
}
