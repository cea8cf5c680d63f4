//! Searching players by name.

use std::fmt;

use super::Budget;
use super::budget::BudgetError;
use super::uct::UctSettings;

/// A searching player, as it is named wherever a player is: `METHOD[@BUDGET][:SETTING=VALUE,...]`, as `uct`, `uct@500`,
/// `uct@2k:c=0.7`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum SearchName {
    /// `uct`, with the setting `c`.
    Uct(UctSettings),
}

/// Why a name is not that of a searching player, though it begins like one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchNameError {
    /// What stands behind `@` is no budget.
    #[error("player `{name}`: {error}")]
    Budget {
        /// What was given.
        name: String,
        /// What is wrong.
        error: BudgetError,
    },
    /// What stands behind `:` are no settings, or not those of the method.
    #[error("player `{name}`: `{found}` is not a setting; {known}")]
    Setting {
        /// What was given.
        name: String,
        /// The part that is wrong.
        found: String,
        /// What can be set.
        known: &'static str,
    },
}

impl SearchName {
    /// The methods there are.
    pub const METHODS: [&str; 1] = ["uct"];

    /// The player of this name; none if the name does not begin with that of a method, followed by `@`, `:` or nothing.
    ///
    /// # Errors
    ///
    /// On a budget or a setting that does not exist.
    pub fn parse(name: &str) -> Option<Result<SearchName, SearchNameError>> {
        let end = name.find(['@', ':']).unwrap_or(name.len());
        Self::METHODS.contains(&&name[..end]).then(|| Self::with_settings(name, &name[end..]))
    }

    fn with_settings(name: &str, rest: &str) -> Result<SearchName, SearchNameError> {
        let (budget, settings) = match rest.split_once(':') {
            Some((budget, settings)) => (budget, Some(settings)),
            None => (rest, None),
        };
        let mut uct = UctSettings::default();
        if let Some(budget) = budget.strip_prefix('@') {
            let error = |error| SearchNameError::Budget { name: name.into(), error };
            uct.budget = budget.parse().map_err(error)?;
        }
        for setting in settings.into_iter().flat_map(|settings| settings.split(',')) {
            let error = || SearchNameError::Setting {
                name: name.into(),
                found: setting.into(),
                known: UctSettings::KNOWN,
            };
            let (key, value) = setting.split_once('=').ok_or_else(error)?;
            let value: f64 = value.parse().map_err(|_| error())?;
            uct.set(key, value).ok_or_else(error)?;
        }
        Ok(SearchName::Uct(uct))
    }

    /// Whether the same seed gives the same actions on every machine.
    pub fn is_reproducible(&self) -> bool {
        self.budget().is_reproducible()
    }

    /// For how long the player thinks at each of its turns.
    pub fn budget(&self) -> Budget {
        let SearchName::Uct(UctSettings { budget, .. }) = self;
        *budget
    }
}

/// The shortest name that [`parse`](SearchName::parse) reads as this player; the budget is always named.
impl fmt::Display for SearchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SearchName::Uct(UctSettings { budget, exploration }) = self;
        write!(f, "uct@{budget}")?;
        if *exploration != UctSettings::default().exploration {
            write!(f, ":c={exploration}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for (name, written) in [
            ("uct", "uct@1k"),
            ("uct@500", "uct@500"),
            ("uct@2000:c=0.5", "uct@2k:c=0.5"),
            ("uct:c=1e0", "uct@1k:c=1"),
            ("uct@20ms", "uct@20ms"),
        ] {
            let player = SearchName::parse(name).expect("a method").expect("a player");
            assert_eq!(player.to_string(), written);
            assert_eq!(SearchName::parse(written), Some(Ok(player)));
        }
    }

    #[test]
    fn other_names_are_those_of_others() {
        for name in ["", "uc", "ucts", "uct-2", "random", "@500", "baseline"] {
            assert_eq!(SearchName::parse(name), None);
        }
    }

    #[test]
    fn errors_say_which_part_is_wrong() {
        for (name, part) in [
            ("uct@", "``"),
            ("uct@0", "`0`"),
            ("uct@fast", "`fast`"),
            ("uct:", "`` is not a setting"),
            ("uct@5:c", "`c` is not a setting"),
            ("uct@5:c=x", "`c=x` is not a setting"),
            ("uct@5:c=-1", "`c=-1` is not a setting"),
            ("uct@5:c=inf", "`c=inf` is not a setting"),
            ("uct@5:d=1", "`d=1` is not a setting"),
            ("uct@5:c=1,c", "`c` is not a setting"),
        ] {
            let error = SearchName::parse(name).expect("a method").expect_err(name).to_string();
            assert!(error.contains(part) && error.contains(&format!("`{name}`")), "{error}");
        }
    }
}
