//! The reference data: `tests/data/gdl_vectors.yaml`, or the file that `GDL_VECTORS` names.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use rand::Rng;
use ruse_gdl::{Evaluator, Limits, MoveId, RULE_FILES, RuleFile, Rules};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(crate) struct Vectors {
    pub(crate) games: BTreeMap<String, Game>,
    pub(crate) hashing: Hashing,
    pub(crate) refused: Vec<Refused>,
    pub(crate) refused_while_playing: Vec<RefusedWhilePlaying>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Game {
    pub(crate) roles: Vec<String>,
    pub(crate) information: String,
    pub(crate) perft: Vec<u128>,
    pub(crate) fluents_at_start: usize,
    pub(crate) legal_at_start: BTreeMap<String, usize>,
    pub(crate) random_play: BTreeMap<String, Mean>,
    #[serde(default)]
    pub(crate) length_under_random_play: BTreeMap<u32, f64>,
    pub(crate) playthrough: Vec<Step>,
    pub(crate) playthrough_goals: BTreeMap<String, u8>,
    pub(crate) history_hashes_at_end: BTreeMap<String, String>,
}

/// The mean of a quantity. A mean that was estimated from a sample has a standard error.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Mean {
    Exact(f64),
    Sampled([f64; 2]),
}

#[derive(Debug, Deserialize)]
pub(crate) struct Step {
    pub(crate) legal: Vec<usize>,
    pub(crate) moves: Vec<String>,
    #[serde(default)]
    pub(crate) sees: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Hashing {
    pub(crate) key: BTreeMap<String, String>,
    pub(crate) seed_base: BTreeMap<String, String>,
    pub(crate) history_of_x_at_start: String,
    pub(crate) after_x_marks_2_2_and_o_noop: String,
    pub(crate) first_choice_of_x_in_tic_tac_toe: serde_yaml::Mapping,
    pub(crate) linear_scores_of_x_at_the_start_of_tic_tac_toe: BTreeMap<String, f64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Refused {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) says: String,
    pub(crate) text: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct RefusedWhilePlaying {
    pub(crate) name: String,
    pub(crate) says: String,
    pub(crate) text: String,
}

pub(crate) fn vectors() -> &'static Vectors {
    static VECTORS: OnceLock<Vectors> = OnceLock::new();
    VECTORS.get_or_init(|| {
        let text = match std::env::var("GDL_VECTORS") {
            Ok(path) => std::fs::read_to_string(path).expect("GDL_VECTORS names a file"),
            Err(_) => include_str!("../data/gdl_vectors.yaml").into(),
        };
        serde_yaml::from_str(&text).expect("the vectors have the fields above")
    })
}

/// Returns the rule files of the crate, grounded, in the order of their names.
pub(crate) fn all_rules() -> &'static [(&'static str, Rules)] {
    static RULES: OnceLock<Vec<(&'static str, Rules)>> = OnceLock::new();
    RULES.get_or_init(|| {
        let load = |text| Rules::from_text(text, &Limits::default()).expect("the rules are right");
        RULE_FILES.iter().map(|file| (file.name, load(file.text))).collect()
    })
}

macro_rules! more_files {
    ($($name:literal)*) => {
        /// Rule files of kinds that are often published, in the order of their names. Only tests use these files.
        pub(crate) const MORE_FILES: &[RuleFile] = &[$(RuleFile {
            name: $name,
            text: include_str!(concat!("../rules/", $name, ".kif")),
        }),*];
    };
}

more_files! {
    "amazons_6x6"
    "any_role"
    "chess"
    "nine_mens_morris"
    "racer"
    "sudoku_4x4"
    "sudoku_9x9"
    "transit"
    "two_goals"
}

/// Returns the files of `MORE_FILES`, grounded, with the data of `tests/perft/perft.py`.
pub(crate) fn more_games() -> &'static [(&'static str, Rules, Game)] {
    static GAMES: OnceLock<Vec<(&'static str, Rules, Game)>> = OnceLock::new();
    GAMES.get_or_init(|| {
        let text = include_str!("../data/more_vectors.yaml");
        let mut games: BTreeMap<String, Game> =
            serde_yaml::from_str(text).expect("the vectors have the fields above");
        let load = |file: &RuleFile| {
            let rules = Rules::from_text(file.text, &Limits::default());
            let game = games.remove(file.name).expect("each file has vectors");
            (file.name, rules.expect("the rules are right"), game)
        };
        MORE_FILES.iter().map(load).collect()
    })
}

/// Returns all games with data, first the rule files of the crate.
pub(crate) fn all_games() -> impl Iterator<Item = (&'static str, &'static Rules, &'static Game)> {
    let own = all_rules().iter().map(|(name, rules)| (*name, rules, &vectors().games[*name]));
    own.chain(more_games().iter().map(|(name, rules, game)| (*name, rules, game)))
}

/// Draws a joint move from the legal moves.
pub(crate) fn random_joint(evaluator: &Evaluator, rng: &mut impl Rng) -> Vec<MoveId> {
    let draw = |role| evaluator.random_legal(role, rng).expect("no role is stuck");
    evaluator.rules().roles().map(draw).collect()
}

pub(crate) fn rules(name: &str) -> &'static Rules {
    let found = all_rules().iter().find(|(other, _)| *other == name);
    found.map(|(_, rules)| rules).expect("a rule file of the crate")
}
