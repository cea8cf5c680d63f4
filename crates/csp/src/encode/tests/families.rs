//! Checks which families are found, and that they are valid.

use ruse_gdl::State;

use super::super::states::{every_state, random_states};
use super::super::{Families, FamilyLimits};
use super::{File, SOME, files, rules};

/// Describes families. A family has a name, value positions, and the number of its groups for each number
/// of values, followed by `+` if the groups may have no true fluent. The number of single fluents comes last.
fn described(families: &Families) -> String {
    let mut parts = Vec::new();
    for family in families.families() {
        let mut kinds: Vec<(usize, bool)> = family
            .groups
            .iter()
            .map(|&group| {
                let group = &families.groups()[group];
                (group.fluents.len(), group.may_be_none)
            })
            .collect();
        kinds.sort_unstable();
        let mut texts: Vec<String> = Vec::new();
        for chunk in kinds.chunk_by(|a, b| a == b) {
            let (size, may_be_none) = chunk[0];
            texts.push(format!("{}x{size}{}", chunk.len(), if may_be_none { "+" } else { "" }));
        }
        parts.push(format!("{} {:?} {}", family.name, family.positions, texts.join(" ")));
    }
    let single = families.groups().iter().filter(|group| group.fluents.len() == 1).count();
    parts.push(format!("{single} single"));
    parts.join("; ")
}

/// The expected values are the published choices of the encoding. The numbers of values do not count `none`:
/// tic-tac-toe has 9 cells with 3 values and `control` with 2, four in a row has 7 `free` groups with 7 values and 49
/// discs with 2 values, and so on. In addition, `none` is dropped if no state of a small file needs it.
const EXPECTED: [(&str, &str); 29] = [
    // Ships and shots are not grouped.
    ("battleship_4x4", "phase [0] 1x4+; 64 single"),
    ("breakthrough_6x6", "cell [2] 36x2+; control [0] 1x2+; 0 single"),
    // In all states seen, each runner and kept height has only one value, but this is not proven.
    (
        "cant_stop_mini",
        "turn [0] 1x13+; control [0] 1x2+; phase [0] 1x3+; coins [0, 1, 2] 1x8+; 114 single",
    ),
    ("connect_four", "free [1] 7x7+; control [0] 1x2+; disc [2] 49x2+; 0 single"),
    ("dark_hex_3", "control [0] 1x2+; mark [1] 9x2+; told [0] 9x2+; 0 single"),
    ("dark_hex_3_abrupt", "control [0] 1x2+; mark [1] 9x2+; told [0] 9x2+; 0 single"),
    ("dots_and_boxes_3x3", "control [0] 1x2+; box [2] 9x2+; 24 single"),
    // The cards in hand and in the pile are single.
    ("goofspiel_4", "at [0] 1x2; points [1] 2x11; prize [0] 1x4+; 12 single"),
    ("guess_who_16", "pool [1] 2x16; control [0] 1x2; 0 single"),
    ("guess_who_8", "pool [1] 2x8; control [0] 1x2; 0 single"),
    ("hex_5x5", "control [0] 1x2+; cell [2] 25x2+; 0 single"),
    ("kriegspiel_tic_tac_toe", "control [0] 1x2+; cell [2] 9x2+; 18 single"),
    ("kuhn_poker", "at [0] 1x9; holds [0] 3x2+; 0 single"),
    (
        "leduc_poker",
        "at [0] 1x6; round [0] 1x2; raises [0] 1x3; chips [1] 2x7; holds [0] 6x2+; control [0] 1x2+; board [0] 1x6+; \
         0 single",
    ),
    ("liars_dice_4", "last [0] 1x9; control [0] 1x2+; die [1] 2x4+; 4 single"),
    ("liars_dice_6", "last [0] 1x13; control [0] 1x2+; die [1] 2x6+; 4 single"),
    ("lowest_unique", "5 single"),
    // Both players have control at the same time.
    ("matching_pennies", "coin [1] 3x3; 3 single"),
    // To prove that only one door is left to switch to, the program would have to count.
    ("monty_hall", "step [0] 1x5; car [0] 1x3+; opened [0] 1x3+; 3 single"),
    ("morra", "won [0] 1x2+; 2 single"),
    ("nim", "heap [1] 1x2 1x4 1x6 1x8; control [0] 1x2; 0 single"),
    ("orchard", "tree [1] 4x11+; raven [0] 1x10+; turn [0] 1x2+; picks [0] 1x3+; 0 single"),
    ("pentago", "control [0] 1x2+; cell [2] 36x2+; 2 single"),
    (
        "phantom_tic_tac_toe_orders",
        "naming [0] 1x10+; order [1] 18x10+; at [1] 2x10+; turn [0] 1x2+; mark [1] 9x2+; 0 single",
    ),
    ("phantom_tic_tac_toe_try_again", "control [0] 1x2+; mark [1] 9x2+; told [0] 9x2+; 0 single"),
    // To prove that the score and the pot have only one value, more splits would be needed than are allowed.
    ("pig_20", "turn [0] 1x25; phase [0] 1x2; 75 single"),
    ("reversi_6x6", "cell [2] 36x2+; control [0] 1x2+; 1 single"),
    ("syntax_zoo", "at [0] 1x4; haunted [0] 1x4+; 5 single"),
    ("tic_tac_toe", "cell [2] 9x3; control [0] 1x2; 0 single"),
];

fn check_families(files: &[File]) {
    for (name, _, families) in files {
        let expected = EXPECTED.iter().find(|(file, _)| file == name).expect("it is listed").1;
        assert_eq!(described(families), expected, "{name}");
    }
}

#[test]
fn the_families_of_some_files_are_known() {
    check_families(&SOME);
}

#[test]
#[ignore = "long"]
fn the_families_of_the_files_are_known() {
    assert!(EXPECTED.map(|(name, _)| name).into_iter().eq(files().map(|(name, ..)| name)));
    check_families(&files().collect::<Vec<_>>());
}

/// Checks the groups in all states of files with at most `max_states` states, and in states of random games that were
/// not used for the proof.
fn check_groups(files: &[File], num_games: u64, max_states: usize) {
    for (name, rules, families) in files {
        let mut num_states = 0;
        let mut check = |state: &State| {
            num_states += 1;
            let mut held = vec![0; families.groups().len()];
            state.iter().for_each(|fluent| held[families.place(fluent).0] += 1);
            for (group, held) in families.groups().iter().zip(held) {
                assert!(held <= 1, "{name}: {} has several values", group.name);
                assert!(group.may_be_none || held == 1, "{name}: {} has none", group.name);
            }
        };
        random_states(rules, num_games, u64::MAX, 2, &mut check);
        every_state(rules, max_states, 20 * max_states as u64)
            .iter()
            .flatten()
            .for_each(&mut check);
        assert!(num_states >= 2 * num_games, "{name}: a start and an end each game");
    }
}

#[test]
fn no_two_fluents_of_a_group_hold_together() {
    check_groups(&SOME, 100, 2_000);
}

#[test]
#[ignore = "long"]
fn no_two_fluents_of_a_group_of_larger_files_hold_together() {
    check_groups(&files().collect::<Vec<_>>(), 1_000, 200_000);
}

/// Without tests of pairs of ground rules, no pair is proven, so all fluents remain single.
#[test]
fn without_a_proof_fluents_remain_single() {
    let rules = rules("tic_tac_toe");
    let nothing = FamilyLimits { tests: 0, ..FamilyLimits::default() };
    assert_eq!(Families::new(&rules, &nothing), Families::single(&rules));
    assert_eq!(Families::single(&rules).groups().len(), 29);
    // Pairs within groups suffice if other pairs do not help: nine cells and the player to move.
    let within = FamilyLimits { fluents: 28, ..FamilyLimits::default() };
    assert_eq!(Families::new(&rules, &within).groups().len(), 10);
}

#[test]
fn groups_have_names_for_people() {
    let families = Families::new(&rules("battleship_4x4"), &FamilyLimits::default());
    let phase = &families.groups()[families.families()[0].groups[0]];
    assert_eq!(phase.name, "(phase ?)");
    assert_eq!(*phase.values, ["3", "2", "(shots first)", "(shots second)"]);
}
