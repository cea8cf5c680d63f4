//! The family `rts-program`.

use std::sync::LazyLock;

use ruse_rts::{BoardSize, SmallBoard};
use ruse_strategies::{Capabilities, FamilyInfo, Reference};

use super::family::{RtsFamily, RtsStrategy};
use super::program::{LIGHT_RUSH, RtsProgram};
use super::{RtsPlayer, references};

/// The family `rts-program`: programs that people can read and write.
pub type RtsProgramFamily<S = SmallBoard> = RtsFamily<RtsProgram, S>;

/// The rushes as programs: the names, what they do, and their texts.
static RUSHES: LazyLock<[(&str, &str, RtsProgram); 4]> = LazyLock::new(|| {
    let program = |name, meaning, text| (name, meaning, RtsProgram::of(text));
    [
        program(
            "worker-rush-program",
            "the worker rush as a program",
            "base: train worker
             worker: if bases < 1 build base
             worker: if older < 1 and bases >= 1 harvest
             any: attack the nearest enemy",
        ),
        program("light-rush-program", "the light rush as a program", LIGHT_RUSH),
        program("heavy-rush-program", "the heavy rush as a program", "barracks: train heavy"),
        program("ranged-rush-program", "the ranged rush as a program", "barracks: train ranged"),
    ]
});

impl<S: BoardSize> RtsStrategy<S> for RtsProgram {
    const INFO: FamilyInfo<'static> = FamilyInfo {
        game: "rts",
        about: "the same game; a program that people can read",
        common_play: Some("light-rush"),
        default_budget: 100_000,
        ..FamilyInfo::new("rts-program", "a program of ten lines, which people can read and write")
    };

    fn extend(capabilities: &mut Capabilities<'_, RtsProgramFamily<S>>) {
        capabilities.text = Some(|_, text| RtsProgram::parse(text));
    }

    fn references() -> Vec<Reference<RtsPlayer>> {
        let rushes = RUSHES.iter().map(|(name, meaning, program)| {
            Reference::new(*name, *meaning, RtsPlayer::Program(program))
        });
        let all = references().into_iter().chain(rushes);
        let with_parameters = |reference: Reference<RtsPlayer>| match reference.strategy {
            RtsPlayer::Program(program) => reference.with_parameters(program.parameters()),
            _ => reference,
        };
        all.map(with_parameters).collect()
    }

    fn words(&self) -> String {
        RtsProgram::words(self)
    }
}

#[cfg(test)]
mod tests {
    use ruse_games::Game;
    use ruse_strategies::Family;
    use ruse_strategies::testing::{play, rng};

    use super::*;
    use crate::tests::game_on;

    /// Each rush as a program scores within a tenth of the script, against the other scripts.
    ///
    /// With random damage (table 3), a score is a mean over different games. On other maps the difference is larger;
    /// `docs/games/rts.md` has a table.
    #[test]
    fn the_rushes_score_as_the_scripts() {
        let game = game_on("12x12-2", &[("units", 3)]);
        let family = RtsProgramFamily::named("test", game.clone());
        let all = family.references();
        let player = |name: &str| {
            let found = all.iter().find(|reference| reference.name == name);
            &found.expect("a reference").strategy
        };
        let names = ["worker-rush", "light-rush", "heavy-rush", "ranged-rush"];
        let score = |name: &str, own: &str| {
            let mut rng = rng(5);
            let others = names.iter().filter(|other| **other != own);
            let (mut points, mut num_games) = (0.0, 0.0);
            for other in others {
                for _ in 0..40 {
                    let (a, b) = (player(name), player(other));
                    let start = game.deal(&mut rng);
                    points += play(&game, start.clone(), a, b, &mut rng).0.score();
                    points += play(&game, start, b, a, &mut rng).0.reversed().score();
                    num_games += 2.0;
                }
            }
            points / num_games
        };
        for name in names {
            let script = score(name, name);
            let program = score(&format!("{name}-program"), name);
            assert!((script - program).abs() <= 0.1, "{name}: {script}, as a program {program}");
        }
    }
}
