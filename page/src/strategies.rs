//! Strategies from files and by name.

use std::collections::BTreeMap;
use std::path::Path;

use ruse::family::{AnyFamily, BASELINE, Player};
use ruse::files::YamlSource;
use ruse::lab::{CHAMPION, StrategyFile, champion};
use ruse::registry::Registry;

use crate::request::Wanted;

/// The maximum size of a file, in bytes. A mixture of a hundred strategies for Flip, which have many parameters, is
/// smaller.
pub(crate) const MAX_BYTES: usize = 2 << 20;
/// The maximum number of stored strategies.
const MAX_FILES: usize = 100;

pub(crate) struct Filed {
    /// The player. Its name is the name of the file without extension.
    pub(crate) seated: Seated,
    pub(crate) family: String,
    pub(crate) rules: BTreeMap<String, u64>,
}

/// A player at a table.
#[derive(Clone)]
pub(crate) struct Seated {
    /// The name of the player in transcripts.
    pub(crate) name: String,
    pub(crate) player: Player,
    /// A description of how the player plays.
    pub(crate) words: String,
}

/// All strategies from files.
#[derive(Default)]
pub(crate) struct Strategies(Vec<Filed>);

impl Strategies {
    /// Returns the numbers of a family's strategies. The strategies of all families are numbered together, from 0.
    pub(crate) fn of_family(&self, family: &str) -> Vec<usize> {
        let all = self.0.iter().enumerate();
        all.filter(|(_, filed)| filed.family == family).map(|(index, _)| index).collect()
    }

    /// Parses and stores a strategy file. Returns the strategy and its number.
    pub(crate) fn take_in(
        &mut self,
        name: &str,
        text: &str,
        registry: &Registry,
    ) -> Result<(usize, &Filed), String> {
        let source = YamlSource { path: name.into(), text: text.into() };
        let file = StrategyFile::from_source(&source).map_err(|error| error.to_string())?;
        let family = registry.family(&file.family).map_err(|error| {
            let advice = error.advice().map(|advice| format!("; {advice}")).unwrap_or_default();
            format!("{name}: {error}{advice}")
        })?;
        let family = family.with_rules(&file.rules).map_err(|error| format!("{name}: {error}"))?;
        let file = file.checked_in(&source, family.as_ref()).map_err(|error| error.to_string())?;
        let words = match file.mixture.as_slice() {
            [] => family.words(&file.parameters).map_err(|error| format!("{name}: {error}"))?,
            members => {
                format!("draws one of {} strategies for every pair of games", members.len())
            }
        };
        let name = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into();
        let seated = Seated { name, player: file.contestant(), words };
        let filed = Filed { seated, family: family.name().into(), rules: file.rules.clone() };
        let same = self.0.iter().position(|other| {
            (&other.seated.name, &other.family) == (&filed.seated.name, &filed.family)
        });
        let index = match same {
            // A new version of a stored file.
            Some(index) => {
                self.0[index] = filed;
                index
            }
            None if self.0.len() == MAX_FILES => {
                return Err(format!(
                    "there are {MAX_FILES} strategies already: load the page again"
                ));
            }
            None => {
                self.0.push(filed);
                self.0.len() - 1
            }
        };
        Ok((index, &self.0[index]))
    }

    /// Returns the rules in the requested strategy's file, or no rules if it has no file.
    pub(crate) fn rules_of(&self, wanted: &Wanted) -> BTreeMap<String, u64> {
        match wanted {
            Wanted::File(index) => self.0.get(*index).map(|filed| filed.rules.clone()),
            Wanted::Name(_) => None,
        }
        .unwrap_or_default()
    }

    /// Returns the requested player of `family`.
    pub(crate) fn seated(&self, wanted: &Wanted, family: &dyn AnyFamily) -> Result<Seated, String> {
        match wanted {
            Wanted::Name(name) => named(name, family),
            Wanted::File(index) => {
                let filed = self.0.get(*index);
                let filed = filed.ok_or_else(|| format!("there is no strategy number {index}"))?;
                let Filed { seated, family: own, .. } = filed;
                if own != family.name() {
                    return Err(format!(
                        "{} is a strategy of {own}, and the game is {}",
                        seated.name,
                        family.name()
                    ));
                }
                Ok(seated.clone())
            }
        }
    }
}

/// Returns a strategy by its name.
fn named(name: &str, family: &dyn AnyFamily) -> Result<Seated, String> {
    let seated = |player: Player, words: &str| Seated {
        name: name.into(),
        player,
        words: words.to_string(),
    };
    if name == BASELINE {
        return Ok(seated(
            Player::Redrawn,
            "has parameters that are drawn at random for every game",
        ));
    }
    if name == CHAMPION
        && let Some(player) = champion(family)
    {
        let words = match &player {
            Player::Parameters(theta) => family.words(theta).map_err(|error| error.to_string())?,
            _ => "was learned".into(),
        };
        return Ok(seated(player, &words));
    }
    family.check_named(name).map_err(|error| match error {
        ruse::family::PlayerError::Unknown(unknown) => format!("{unknown}; {}", unknown.advice()),
        error => error.to_string(),
    })?;
    let player = Player::Named(name.into());
    if player.search().is_some_and(|search| !search.is_reproducible()) {
        return Err(format!(
            "`{name}` thinks by the clock, which a page does not have: give it playouts, as in uct@500"
        ));
    }
    let references = family.references();
    let reference = references.iter().find(|reference| reference.name == name);
    let words = match reference {
        Some(reference) => reference.meaning.to_string(),
        None if player.searches() => "plays the game on in thought, and takes what did best".into(),
        None => "takes any legal action".into(),
    };
    Ok(seated(player, &words))
}
