//! Tests with damaged and random texts: parsing stays within the limits, returns rules or an error, and never panics.

use std::sync::LazyLock;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
use ruse_gdl::{AtCap, Evaluator, Limits, Playouts, RULE_FILES, Rules};

fn below(n: usize, rng: &mut Xoshiro256PlusPlus) -> usize {
    ((u128::from(rng.next_u64()) * n as u128) >> 64) as usize
}

/// Returns the words and parentheses of a text, without comments.
fn tokens(text: &str) -> Vec<&str> {
    let code = text.lines().map(|line| line.split(';').next().unwrap_or_default());
    let mut tokens = Vec::new();
    for part in code.flat_map(str::split_whitespace) {
        let mut rest = part;
        while !rest.is_empty() {
            let end = match rest.find(['(', ')']) {
                Some(0) => 1,
                Some(end) => end,
                None => rest.len(),
            };
            tokens.push(&rest[..end]);
            rest = &rest[end..];
        }
    }
    tokens
}

/// Parentheses and words, most of them with a meaning in the language.
static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let words = "( ) ( ) (<= (not (or (and (distinct role init true next legal does \
        goal terminal sees base input <= not ? ?x ?y a random 0 100 101 \
        (f f (s (true (does (next (legal (goal (init (role ; \u{e9} \"";
    words.split(' ').chain(["\n"]).collect()
});

/// Replaces a few words of a rule file with other words of the file. The parentheses stay, so that many texts can still
/// be grounded.
fn reworded(all: &[Vec<&'static str>], rng: &mut Xoshiro256PlusPlus) -> String {
    let mut tokens = all[below(all.len(), rng)].clone();
    let words: Vec<usize> =
        (0..tokens.len()).filter(|&at| !matches!(tokens[at], "(" | ")" | "<=")).collect();
    for _ in 0..=below(3, rng) {
        let at = words[below(words.len(), rng)];
        tokens[at] = tokens[words[below(words.len(), rng)]];
    }
    tokens.join(" ")
}

/// Returns a rule file with some words replaced, moved, doubled or removed.
fn mutated(all: &[Vec<&'static str>], rng: &mut Xoshiro256PlusPlus) -> String {
    let mut tokens = all[below(all.len(), rng)].clone();
    for _ in 0..=below(4, rng) {
        let at = below(tokens.len(), rng);
        match below(6, rng) {
            0 => tokens[at] = WORDS[below(WORDS.len(), rng)],
            1 => tokens[at] = tokens[below(tokens.len(), rng)],
            2 => tokens.insert(at, WORDS[below(WORDS.len(), rng)]),
            3 if tokens.len() > 1 => {
                tokens.remove(at);
            }
            4 => {
                let other = below(tokens.len(), rng);
                tokens.swap(at, other);
            }
            _ => {
                let end = (at + below(12, rng)).min(tokens.len());
                let piece = tokens[at..end].to_vec();
                let to = below(tokens.len() + 1, rng);
                tokens.splice(to..to, piece);
            }
        }
    }
    tokens.join(" ")
}

/// Returns random words, with or without balanced parentheses.
fn soup(rng: &mut Xoshiro256PlusPlus) -> String {
    let mut text = String::new();
    if below(2, rng) == 0 {
        text.push_str(
            "(role a) (init p) (legal a m) (next p) (<= terminal (true q)) (goal a 50)\n",
        );
    }
    let balanced = below(2, rng) == 0;
    let mut depth = 0;
    for _ in 0..below(60, rng) {
        let word = WORDS[below(WORDS.len(), rng)];
        if balanced && (word == ")" && depth == 0 || word == ";" || !word.is_ascii()) {
            continue;
        }
        depth += i32::from(word.starts_with('(')) - i32::from(word == ")");
        text.push_str(word);
        text.push(' ');
    }
    if balanced {
        (0..depth).for_each(|_| text.push(')'));
    }
    text
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.text_bytes = 1 << 16;
    limits.ground_rules = 3_000;
    limits.ground_atoms = 3_000;
    limits.memory = 4 << 20;
    limits.ground_seconds = 0.25;
    limits.disjuncts = 300;
    limits
}

/// Parses random texts, and plays the games of the accepted ones.
fn fuzz(num_texts: usize, seed: u64) {
    let all: Vec<Vec<&str>> = RULE_FILES.iter().map(|file| tokens(file.text)).collect();
    let limits = limits();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut taken, mut refused) = (0, std::collections::BTreeMap::<_, usize>::new());
    for number in 0..num_texts {
        let text = match number % 4 {
            0 => mutated(&all, &mut rng),
            1 => soup(&mut rng),
            _ => reworded(&all, &mut rng),
        };
        match Rules::from_text(&text, &limits) {
            Ok(rules) => {
                taken += 1;
                assert!(rules.ground().num_rules_before_cleaning() as u64 <= limits.ground_rules);
                let mut playouts = Playouts::new(&rules, 20, AtCap::Draw);
                // A game may fail because it breaks the language. This is allowed here.
                let _ = playouts.play(rules.start(), &mut rng);
                let evaluator = Evaluator::new(&rules);
                for role in rules.roles() {
                    assert_eq!(evaluator.legal(role).count(), evaluator.num_legal(role));
                }
            }
            Err(error) => {
                *refused.entry(error.kind().name()).or_default() += 1;
                let report = error.report("x.kif");
                assert_eq!(report.lines().count(), 4, "{report}");
            }
        }
    }
    println!("{num_texts} texts: {taken} taken, refused {refused:?}");
    assert!(taken > num_texts / 50, "hardly a text is taken: {taken}");
    assert!(refused.len() >= 8, "few kinds of errors come up: {refused:?}");
}

#[test]
fn some_damaged_texts_do_no_harm() {
    fuzz(2_000, 1);
}

/// Parses 60,000 damaged or random texts. `GDL_FUZZ_TEXTS` sets another number; 1,000,000 texts take a few minutes.
#[test]
#[ignore = "long"]
fn many_damaged_texts_do_no_harm() {
    let num_texts = std::env::var("GDL_FUZZ_TEXTS").map_or(60_000, |number| {
        number.parse().unwrap_or_else(|_| panic!("GDL_FUZZ_TEXTS is not a number: {number}"))
    });
    fuzz(num_texts, 2);
}

#[test]
fn bytes_of_any_kind_do_no_harm() {
    damage_bytes(1_500);
}

#[test]
#[ignore = "long"]
fn more_bytes_of_any_kind_do_no_harm() {
    damage_bytes(10_000);
}

fn damage_bytes(num_texts: u64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    for _ in 0..num_texts {
        let file = RULE_FILES[below(RULE_FILES.len(), &mut rng)].text.as_bytes();
        let mut text = file.to_vec();
        let start = below(text.len(), &mut rng);
        let end = start + below(200, &mut rng).min(text.len() - start);
        for byte in &mut text[start..end] {
            if below(10, &mut rng) == 0 {
                *byte = rng.next_u64() as u8;
            }
        }
        if let Err(error) = Rules::from_text(&text, &limits()) {
            assert!(!error.to_string().is_empty());
        }
    }
}
