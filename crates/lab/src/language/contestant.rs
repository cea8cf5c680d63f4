//! Parses contestants: a strategy file, a reference strategy, the baseline, or parameters.

use std::path::Path;
use std::sync::Arc;

use ruse_base::names::{UnknownName, shortened};
use ruse_games::Rule;
use ruse_play::family::{AnyFamily, BASELINE, FamilyError, PlannerOf, Player};
use ruse_programs::{PEER, ProgramName};
use ruse_registry::Registry;
use ruse_search::SearchName;
use ruse_strategies::{PlannerSettings, RANDOM};

use crate::champions::{CHAMPION, champion};
use crate::files::contestant_error::Result;
use crate::files::strategy::{ContestantError, StrategyFile, ZERO};

/// Parses a contestant as users write it: `baseline`, `champion`, the name of a reference strategy, parameters in
/// brackets as in `[0,1.5,-2]`, or the path of a strategy file. `FILE#MEMBER` is a member of a mixture, by name or by
/// number, counted from 1.
///
/// # Errors
///
/// Returns an error if the text is not a contestant, or not a contestant of this family.
pub fn parse_contestant(text: &str, family: &dyn AnyFamily) -> Result<Player> {
    let player = parse_sitter(text, family)?;
    match player.search() {
        Some(search) if !search.is_reproducible() => {
            Err(ContestantError::Timed { name: shortened(text).into() })
        }
        _ => Ok(player),
    }
}

/// Like [`parse_contestant`], but allows a search with a time limit. For games whose results are not kept.
///
/// # Errors
///
/// Same as [`parse_contestant`].
pub fn parse_sitter(text: &str, family: &dyn AnyFamily) -> Result<Player> {
    let references = family.references();
    if text == BASELINE {
        return Ok(Player::Redrawn);
    }
    let is_reference = references.iter().any(|reference| reference.name == text);
    if text == ZERO && !is_reference {
        return Ok(Player::Parameters(vec![0.0; family.space().dimension()]));
    }
    if is_reference {
        return Ok(Player::Named(text.into()));
    }
    if text == CHAMPION
        && let Some(champion) = champion(family)
    {
        return Ok(champion);
    }
    let is_random = text == RANDOM && family.check_named(RANDOM).is_ok();
    if is_random || SearchName::parse(text).is_some() || ProgramName::parse(text).is_some() {
        family.check_named(text)?;
        return Ok(Player::Named(text.into()));
    }
    let after_planner = text.strip_prefix(PlannerSettings::NAME);
    if after_planner.is_some_and(|rest| rest.is_empty() || rest.starts_with(['@', ':'])) {
        return parse_planner(text, family);
    }
    if text.starts_with(PEER) {
        return Err(ContestantError::Peer { name: shortened(text).into() });
    }
    if text.trim_start().starts_with('[') {
        let theta = parse_numbers(text)?;
        family.check_parameters(&theta)?;
        return Ok(Player::Parameters(theta));
    }
    // `file#member` is a member of a mixture, unless a file has this whole name.
    let (path, member) = match text.rsplit_once('#') {
        Some((file, member)) if !Path::new(text).exists() => (Path::new(file), Some(member)),
        _ => (Path::new(text), None),
    };
    if !path.exists() {
        // A family whose program was not asked takes any name.
        if family.check_named(text).is_ok() {
            return Ok(Player::Named(text.into()));
        }
        if let Some(numbers) = bare_numbers(text) {
            return Err(ContestantError::BareNumbers { text: shortened(text).into(), numbers });
        }
        let known = references.iter().map(|reference| &*reference.name).chain([BASELINE]);
        let known = known.chain(champion(family).map(|_| CHAMPION));
        let methods = family.search_methods();
        // The other search methods are variants of these.
        let searching = SearchName::COMMON.into_iter().filter(|name| methods.contains(name));
        let known = known.chain(searching);
        return Err(UnknownName::new("strategy or strategy file", text, known).into());
    }
    let file = StrategyFile::read(path)?;
    if !family.accepts(&file.family) {
        return Err(ContestantError::OtherFamily {
            path: path.into(),
            found: file.family,
            expected: family.name().into(),
        });
    }
    // Under other rules, a strategy may have more, fewer or different parameters.
    let differs = |(name, value): &(&String, &u64)| {
        let of_name = |rule: &Rule| rule.name == name.as_str() && rule.value != **value;
        family.rules().iter().any(of_name) && !family.is_portable(name)
    };
    if let Some((name, value)) = file.rules.iter().find(differs) {
        let (rule, value) = (name.clone(), *value);
        let (found, expected) = (file.parameters.len(), family.space().dimension());
        // Here the number is unknown for a mixture and for parameters given by name.
        let differs = found > 0 && found != expected;
        let dimensions = differs.then_some((found, expected));
        return Err(ContestantError::OtherRules { path: path.into(), rule, value, dimensions });
    }
    let file = file.checked(path, family)?;
    if let Some(member) = member { Ok(file.member(member)?) } else { Ok(file.contestant()) }
}

/// Parses `planner@PLAYOUTS:base=PLAYER,against=PLAYER` after its first word. Without `against`, the planner knows each
/// opponent that it meets; without a base, it improves on its opponent.
fn parse_planner(text: &str, family: &dyn AnyFamily) -> Result<Player> {
    let refused = || ContestantError::Planner { name: shortened(text).into() };
    let (name, players) = text.split_once(':').unwrap_or((text, ""));
    let settings = PlannerSettings::parse(name).ok_or_else(refused)?;
    let (base, against) = match players.strip_prefix("base=") {
        Some(players) => match players.split_once(",against=") {
            Some((base, against)) => (Some(base), Some(against)),
            None => (Some(players), None),
        },
        None if players.is_empty() && name == text => (None, None),
        None => (None, Some(players.strip_prefix("against=").ok_or_else(refused)?)),
    };
    let parse = |text: Option<&str>| text.map(|text| parse_contestant(text, family)).transpose();
    let (base, against) = (parse(base)?, parse(against)?);
    let planner =
        Player::Planner(Box::new(PlannerOf { name: text.into(), against, base, settings }));
    family.check(&planner)?;
    Ok(planner)
}

/// Like [`parse_sitter`], but also reads strategy files of other families of the same game.
///
/// # Errors
///
/// Same as [`parse_contestant`].
pub fn parse_guest(text: &str, family: &Arc<dyn AnyFamily>, registry: &Registry) -> Result<Player> {
    let (path, found, expected) = match parse_sitter(text, family.as_ref()) {
        Err(ContestantError::OtherFamily { path, found, expected }) => (path, found, expected),
        other => return other,
    };
    let mut families = registry.families_of_game(family);
    // A family that only small games have is not listed.
    let named = registry.family(&found).ok();
    families.extend(named.filter(|home| home.info().game == family.info().game));
    let guest = match families.iter().find(|home| home.accepts(&found)) {
        Some(home) => home.guest(&parse_sitter(text, home.as_ref())?),
        None => None,
    };
    guest.ok_or(ContestantError::OtherFamily { path, found, expected })
}

/// Returns the family with this name. If the name is a rule file alone, this is the family of the file to which the first
/// strategy file among `players` belongs.
///
/// # Errors
///
/// Returns an error if the family is unknown, or if its file is invalid.
pub fn family_for<'p>(
    name: &str,
    players: impl IntoIterator<Item = &'p Path>,
    registry: &Registry,
) -> Result<Arc<dyn AnyFamily>, FamilyError> {
    let name = &*registry.full_name(name);
    let kind = players.into_iter().filter(|path| path.exists()).find_map(|path| {
        let family = StrategyFile::read(path).ok()?.family;
        let (file, kind) = family.rsplit_once(':')?;
        let is_same = Path::new(file).file_name() == Path::new(name).file_name();
        is_same.then(|| kind.to_string())
    });
    let kind = kind.filter(|_| registry.is_rule_file(name));
    let family = kind.and_then(|kind| registry.family(&format!("{name}:{kind}")).ok());
    family.map_or_else(|| registry.family(name), Ok)
}

/// If the text is a list of numbers, such as `1,2`, suggests brackets: `[1,2]`.
fn bare_numbers(text: &str) -> Option<String> {
    let numbers: Vec<&str> = text.split([',', ' ']).filter(|part| !part.is_empty()).collect();
    let are_numbers = numbers.iter().all(|part| part.parse::<f64>().is_ok());
    (are_numbers && !numbers.is_empty()).then(|| format!("[{}]", shortened(&numbers.join(","))))
}

fn parse_numbers(text: &str) -> Result<Vec<f64>> {
    let problem = |problem| ContestantError::NotNumbers { text: shortened(text).into(), problem };
    let inside = text
        .trim()
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
        .ok_or_else(|| problem("the closing bracket is missing".into()))?;
    if inside.trim().is_empty() {
        return Ok(Vec::new());
    }
    let numbers = inside.split(',').map(str::trim);
    numbers
        .map(|number| {
            number.parse().map_err(|_| problem(format!("`{}` is not a number", shortened(number))))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contestants_are_read_as_they_are_written() {
        let family = Registry::standard().family("war").expect("known");
        let parse =
            |text| parse_contestant(text, family.as_ref()).map_err(|error| error.to_string());
        assert_eq!(parse("baseline"), Ok(Player::Redrawn));
        assert_eq!(parse("random"), Ok(Player::Named("random".into())));
        assert_eq!(parse(" [0, 1.5,-2e3]"), Ok(Player::Parameters(vec![0.0, 1.5, -2000.0])));
        for (text, message) in [
            ("[]", "parameters of family `war`: 0 parameters given, 3 expected"),
            (
                "[1,nan,3]",
                "parameters of family `war`: parameter 1 (`B`) is NaN, and must be a finite number",
            ),
            ("[1,x,3]", "`[1,x,3]` is not a list of numbers: `x` is not a number"),
            ("1, 2,3", "`1, 2,3` is not a strategy: parameters stand in brackets"),
        ] {
            assert_eq!(parse(text), Err(message.into()), "{text}");
        }
    }

    #[test]
    fn strategies_of_other_families_of_the_game_are_guests() {
        let registry = Registry::standard();
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("war4.yaml");
        let parse = |family: &str, file: &str| {
            std::fs::write(&path, file).expect("a file");
            let family = registry.family(family).expect("known");
            let text = path.to_str().expect("a text");
            let guest = parse_guest(text, &family, &registry);
            assert!(parse_sitter(text, family.as_ref()).is_err());
            guest.map_err(|error| error.to_string().replace(text, "FILE")).map(|guest| {
                let Player::Guest(guest) = &guest else {
                    panic!("expected a guest, found {guest:?}")
                };
                (guest.home.family.clone(), (*guest.player).clone())
            })
        };
        let war4 = "family: war4\nparameters: [0, 1, 2, 3]\n";
        let parameters = Player::Parameters(vec![0.0, 1.0, 2.0, 3.0]);
        assert_eq!(parse("war", war4), Ok(("war4".into(), parameters)));
        let refused = "FILE holds a strategy of family `war4`, not of `pig`";
        assert_eq!(parse("pig", war4), Err(refused.into()));
        let softmax =
            format!("family: kuhn_poker.kif:linear-softmax\nparameters: {:?}\n", [1; 128]);
        let found = parse("kuhn_poker.kif:table", &softmax).expect("the same game");
        assert_eq!(found.0, "kuhn_poker.kif:linear-softmax");
        assert!(parse("leduc_poker.kif", &softmax).is_err());
        let bad = parse("war", "family: war4\nparameters: [0, 1]\n");
        assert!(bad.is_err_and(|error| error.contains("2 parameters given, 4 expected")));
    }

    /// A family has the same parameters, with the same names, under all values of a portable rule.
    #[test]
    fn portable_rules_keep_the_parameters() {
        let registry = Registry::standard();
        let mut num_compared = 0;
        for family in registry.families() {
            let names = |family: &dyn AnyFamily| -> Vec<String> {
                let space = family.space();
                space.parameters().iter().map(|parameter| parameter.name.to_string()).collect()
            };
            for rule in family.rules().iter().filter(|rule| family.is_portable(&rule.name)) {
                let (least, most) = (*rule.range.start(), (*rule.range.end()).min(1000));
                for value in [least, most, rule.value + 1] {
                    let Ok(other) = family.with_rules(&[(rule.name.to_string(), value)].into())
                    else {
                        continue;
                    };
                    assert_eq!(names(&*other), names(family), "{}: {}", family.name(), rule.name);
                    num_compared += 1;
                }
            }
        }
        assert!(num_compared > 60, "only {num_compared} comparisons");
        // The goal of Pig changes what a parameter means, and the ships of Battleship how many there are.
        for (family, rule) in
            [("pig", "goal"), ("battleship", "ships"), ("cheat", "cards-per-colour")]
        {
            assert!(!registry.family(family).expect("known").is_portable(rule), "{family}: {rule}");
        }
    }
}
