//! The way to a strategy for a game from a rule file, if no family of the file is named.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use ruse_games::rule_file::RuleFile;
use ruse_gdl::Information;
use ruse_play::family::FamilyError;
use ruse_strategies::certificate::Work;
use ruse_strategies_rules::Situations;

use super::{DEFAULT_METHOD, Registry};

/// The largest number of joint moves in a game that is small, which take about a second. The number does not depend on
/// the machine.
const SMALL: u64 = 500_000;

/// The way to a strategy for a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Road {
    /// The name of the family to tune.
    pub family: String,
    /// The name of the method.
    pub method: &'static str,
    /// Whether the game is small enough to be solved, which is better than tuning.
    pub is_small: bool,
    /// The property of the game that decides, the end of a sentence about the game.
    pub because: &'static str,
}

impl Registry {
    /// Returns `true` if the name is the path of a rule file alone, which names no family.
    pub fn is_rule_file(&self, name: &str) -> bool {
        let name = &*self.full_name(name);
        self.reader_of(name).is_ok_and(|(_, path)| path == Path::new(name))
    }

    /// Returns the way to a strategy for the game in a rule file; `None` if `name` is the name of a family, with which a
    /// user has chosen.
    ///
    /// # Errors
    ///
    /// Returns an error if the family does not exist or its file is invalid.
    pub fn road(&self, name: &str) -> Result<Option<Road>, FamilyError> {
        let name = &*self.full_name(name);
        let family = self.family(name)?;
        let file = family.rule_file().filter(|_| self.is_rule_file(name));
        Ok(file.map(|file| {
            let survey = file.survey();
            let is_contest = !file.plays_alone() && !survey.cooperative;
            let hides = file.language_rules().information() != Information::Complete;
            let road = |kind: &str, method, because| Road {
                family: format!("{name}:{kind}"),
                method,
                is_small: is_contest && is_small(file),
                because,
            };
            match () {
                () if is_contest && hides => {
                    road("linear-softmax", "policy-gradient", "hides information")
                }
                () if is_contest && !survey.turns => {
                    road("linear-softmax", "policy-gradient", "has simultaneous moves")
                }
                () => road("linear", DEFAULT_METHOD, "hides nothing"),
            }
        }))
    }
}

/// Returns `true` if a game of two roles whose goals have the same sum is small enough to be solved.
fn is_small(file: &RuleFile) -> bool {
    let visited = AtomicU64::new(0);
    let on_visited = |number| {
        visited.fetch_add(number, Ordering::Relaxed);
    };
    let is_over = || visited.load(Ordering::Relaxed) > SMALL;
    file.roles().len() == 2
        && file.survey().constant_sum
        && Situations::of(file, &Work::new(u64::MAX, &is_over, &on_visited)).is_ok()
}
