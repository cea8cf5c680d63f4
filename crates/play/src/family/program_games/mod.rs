//! Families whose games are played by programs. The program says what can be tuned, and plays pairs of games between
//! two settings; `docs/extending.md` describes the lines that are exchanged.
//!
//! Each thread that plays has a process of its own. If a program fails, the work stops as if it were interrupted, and
//! [`AnyFamily::fault`] has the reason.

mod league;
mod program;
mod settings;
mod wire;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use ruse_base::names::UnknownName;
use ruse_games::RulesError;
use ruse_programs::{PROGRAM, ask_to_start, quoted, words_in, words_of};
use ruse_search::{ParameterError, ParameterSpace};
use ruse_strategies::{FamilyInfo, Mixture, Reference};

use self::league::{Entrant, ProgramLeague};
use self::program::Program;
use self::settings::{parameters_for, settings, values, words};
use self::wire::Manifest;
use super::any::AnyFamily;
use super::capabilities::AnyCapabilities;
use super::opening::{FamilyFileError, FamilyReader, ReadFamily};
use super::player::{Player, PlayerError, Weighted, check_weights};
use crate::arena::{League, Pace};

/// The [description](AnyFamily::descriptions) of a family whose program was not asked. Whatever the family takes, as
/// parameters or as the name of a player, is taken to be valid.
pub const UNASKED: &str = r#"{"family":"unknown before the program is started","parameters":[{"name":"unknown"}],"deterministic":true}"#;
/// The default number of games of a run: a program is slower than our games.
const DEFAULT_BUDGET: u64 = 20_000;

/// A family whose games a program plays.
struct ProgramFamily {
    name: String,
    program: Arc<Program>,
}

impl ProgramFamily {
    fn is_unasked(&self) -> bool {
        self.program.description == UNASKED
    }

    fn entrant(&self, player: &Player) -> Result<Entrant, PlayerError> {
        let Program { manifest, settings, .. } = &*self.program;
        if self.is_unasked() {
            return Ok(Entrant::Redrawn);
        }
        Ok(match player {
            Player::Parameters(theta) => {
                (self as &dyn AnyFamily).check_parameters(theta)?;
                Entrant::Fixed(values(settings, theta))
            }
            Player::Named(name) => {
                let known = manifest.references.iter().map(|reference| &*reference.name);
                if !known.clone().any(|known| known == name) {
                    return Err(UnknownName::new("reference strategy", name, known).into());
                }
                Entrant::Fixed(name.clone().into())
            }
            Player::Redrawn => match &manifest.baseline {
                Some(name) => Entrant::Fixed(name.clone().into()),
                None => Entrant::Redrawn,
            },
            Player::Mixture(members) => {
                check_weights(members.iter().map(|member| member.weight))?;
                let entrant =
                    |member: &Weighted<Player>| Ok((member.weight, self.entrant(&member.of)?));
                let members: Vec<_> =
                    members.iter().map(entrant).collect::<Result<_, PlayerError>>()?;
                let mixture = Mixture::new(members).expect("a weight is positive");
                mixture.into_only().unwrap_or_else(Entrant::Mixture)
            }
            Player::Planner(_) => {
                return Err(PlayerError::NoPlanner { family: self.name.clone() });
            }
            Player::Guest(guest) => {
                return Err(PlayerError::OtherGame {
                    family: self.name.clone(),
                    guest: guest.home.family.clone(),
                });
            }
        })
    }
}

/// Returns the words of a command before the first that begins with `-`.
fn before_options(words: &[String]) -> &[String] {
    let end = words.iter().position(|word| word.starts_with('-'));
    &words[..end.unwrap_or(words.len())]
}

impl AnyFamily for ProgramFamily {
    fn info(&self) -> FamilyInfo<'_> {
        let Manifest { family, summary, units, .. } = &self.program.manifest;
        FamilyInfo {
            about: family,
            default_budget: DEFAULT_BUDGET,
            units: units.as_ref(),
            ..FamilyInfo::new(&self.name, summary)
        }
    }

    fn with_rules(&self, rules: &BTreeMap<String, u64>) -> Result<Arc<dyn AnyFamily>, RulesError> {
        let family = ProgramFamily { name: self.name.clone(), program: Arc::clone(&self.program) };
        match rules.keys().next() {
            None => Ok(Arc::new(family)),
            Some(name) => Err(RulesError::Unknown { name: name.clone(), known: Vec::new() }),
        }
    }

    /// Accepts strategies of the same program with other options, such as other openings. The words of the command before
    /// the options name the program if there are two, as in `ruse-uci toga2` and `python3 my_game.py`; after `sh -c` there
    /// may be anything.
    fn accepts(&self, family: &str) -> bool {
        let words = family.strip_prefix(PROGRAM).and_then(words_of);
        let is_same = words.is_some_and(|words| {
            let program = before_options(&words);
            program.len() > 1 && program == before_options(&self.program.words)
        });
        is_same || family == self.name
    }

    fn fault(&self) -> Option<String> {
        self.program.fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn notes(&self) -> Vec<String> {
        let command = quoted(&self.program.words);
        let note = || {
            format!(
                "`{command}` does not call itself deterministic, so results cannot be repeated exactly"
            )
        };
        (!self.program.manifest.deterministic).then(note).into_iter().collect()
    }

    fn descriptions(&self) -> BTreeMap<String, String> {
        [(self.name.clone(), self.program.description.clone())].into()
    }

    fn space(&self) -> ParameterSpace {
        self.program.settings.space()
    }

    fn references(&self) -> Vec<Reference<()>> {
        let Program { manifest, reference_parameters, settings, .. } = &*self.program;
        let references = manifest.references.iter().map(|reference| {
            let parameters = reference_parameters.get(&reference.name);
            let meaning = match (reference.meaning.is_empty(), parameters) {
                (true, Some(theta)) => words(settings, theta),
                _ => reference.meaning.clone(),
            };
            Reference {
                parameters: parameters.cloned(),
                ..Reference::new(reference.name.clone(), meaning, ())
            }
        });
        references.collect()
    }

    /// Parameters that differ may stand for the same values, because integers are rounded and bounds hold.
    fn plays_alike(&self, a: &[f64], b: &[f64]) -> bool {
        let settings = &self.program.settings;
        settings.values(a).eq(settings.values(b))
    }

    fn words(&self, theta: &[f64]) -> Result<String, ParameterError> {
        let Program { manifest, settings, .. } = &*self.program;
        settings.space().check(theta)?;
        let told = manifest.explains.then(|| self.program.told(theta)).flatten();
        Ok(told.unwrap_or_else(|| words(settings, theta)))
    }

    fn capabilities(&self) -> AnyCapabilities<'_> {
        AnyCapabilities {
            takes_anything: self.is_unasked(),
            may_differ: !self.program.manifest.deterministic,
            ..AnyCapabilities::default()
        }
    }

    fn check(&self, player: &Player) -> Result<(), PlayerError> {
        self.entrant(player).map(drop)
    }

    fn league(&self, players: &[&Player]) -> Result<Arc<dyn League>, PlayerError> {
        let players =
            players.iter().map(|player| self.entrant(player)).collect::<Result<_, _>>()?;
        let refused = |reason| PlayerError::Program(format!("{}: {reason}", self.name));
        ask_to_start(&self.program.words).map_err(refused)?;
        Ok(Arc::new(ProgramLeague {
            program: Arc::clone(&self.program),
            players,
            pace: Pace::default(),
        }))
    }
}

/// Checks a line written by a program that plays games: its description of the family, or the answer to the request for
/// pair 0, whose payoffs count in half points.
///
/// # Errors
///
/// Returns a description of the problem. A program that wrote this line would fail with the same message.
pub fn check_game_line(line: &str) -> Result<(), String> {
    if line.contains("\"pair\"") {
        return wire::read_answer(line, 0, (2, None)).map(drop);
    }
    let manifest = Manifest::read(line)?;
    let settings = settings(&manifest.parameters)?;
    for reference in &manifest.references {
        let theta = reference.parameters.as_ref().map(|values| parameters_for(&settings, values));
        theta.transpose()?.map(|theta| words(&settings, &theta));
    }
    Ok(())
}

/// The reader of families whose games a program plays, such as `program:python my_game.py`. It is not in the standard
/// registry, because to read such a family is to start a program:
/// `Registry::standard().with_reader(ProgramGames)` adds it.
pub struct ProgramGames;

impl FamilyReader for ProgramGames {
    fn form(&self) -> &str {
        "program:COMMAND"
    }

    fn meaning(&self) -> &str {
        "a program that plays games between two settings"
    }

    fn path<'a>(&self, name: &'a str) -> Option<&'a Path> {
        name.strip_prefix(PROGRAM).filter(|command| !command.trim().is_empty()).map(Path::new)
    }

    fn read(&self, name: &str, path: &Path) -> ReadFamily {
        family(name, path, Program::start)
    }

    /// Creates the family from the line in which the program has described it. The program is not started before its
    /// first game.
    fn read_from(&self, name: &str, path: &Path, contents: &[u8]) -> ReadFamily {
        family(name, path, |words| Program::described(words, &String::from_utf8_lossy(contents)))
    }
}

/// Returns the family whose games the program with this name plays.
fn family(
    name: &str,
    path: &Path,
    program: impl FnOnce(Vec<String>) -> Result<Program, String>,
) -> ReadFamily {
    match words_in(name).ok_or_else(|| "it is not a command".into()).and_then(program) {
        Ok(program) => {
            Ok(Arc::new(ProgramFamily { name: name.into(), program: Arc::new(program) }))
        }
        Err(problem) => Err(FamilyFileError::new(path, problem)),
    }
}

#[cfg(all(test, unix))]
mod tests;
