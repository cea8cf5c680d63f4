//! The text without a command, and the menu without a game.

use std::io::{BufRead, IsTerminal, Write};

use ruse_base::names::UnknownName;
use ruse_play::family::AnyFamily;
use ruse_registry::Registry;

use super::failure::{Failure, Result, print};
use super::format::{paragraph, table, text};

/// Returns the commands to start with.
pub(super) fn greeting(registry: &Registry) -> String {
    let known = |name: &&str| registry.families().any(|family| family.name() == *name);
    let first = registry.families().next().map_or("FAMILY", AnyFamily::name);
    let or_first = |name: &'static str| [name].into_iter().find(known).unwrap_or(first);
    let (play, tune) = (or_first("battleship"), or_first("war"));
    let second = Some(or_first("pig")).filter(|name| *name != tune);
    let second = second.map_or(String::new(), |name| format!(" {name}"));
    paragraph(&format!(
        "Strategies for games with hidden information: play against them, tune them, and compare the methods that tune \
         them.\n\n  \
         ruse list\n      List the games, one per line.\n  \
         ruse play {play}\n      Play a game in the terminal; type `hint` for advice.\n  \
         ruse optimise {tune}\n      Tune a strategy in seconds, and read its description.\n  \
         ruse compare {tune}{second} --methods es,cma-es --budget 100k\n      \
         See which method tunes better, and whether clearly.\n  \
         ruse help\n      List all commands; `ruse help optimise` explains one."
    ))
}

/// Asks which game to play. Returns `None` if the person leaves.
///
/// # Errors
///
/// Returns an error if standard input or output is not a terminal.
pub(super) fn choose_game(registry: &Registry) -> Result<Option<String>> {
    let families: Vec<&dyn AnyFamily> = registry.families().collect();
    let names = || families.iter().map(|family| family.name());
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        let names: Vec<&str> = names().collect();
        return Err(Failure::with_advice(
            "the name of a game is missing",
            format!("name one of {}; `ruse list` describes them", names.join(", ")),
        ));
    }
    let mut menu = table(["", "game", "what it is"], &[0]);
    for (number, family) in families.iter().enumerate() {
        menu.add_row([&(number + 1).to_string(), family.name(), family.info().about]);
    }
    print(&text(&menu))?;
    loop {
        print("number or name, q to leave> ")?;
        std::io::stdout().flush()?;
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        let answer = line.trim();
        if matches!(read, Ok(0) | Err(_)) || ["q", "quit"].contains(&answer) {
            return Ok(None);
        }
        match chosen(answer, &families) {
            Ok(name) => return Ok(Some(name.into())),
            Err(unknown) => print(&paragraph(&format!("{unknown}; {}.", unknown.advice())))?,
        }
    }
}

/// Returns the game that `answer` selects: by its number in `families`, its name, or the path of a rule file.
fn chosen<'a>(answer: &'a str, families: &[&'a dyn AnyFamily]) -> Result<&'a str, UnknownName> {
    let numbered =
        answer.parse().ok().and_then(|number: usize| families.get(number.checked_sub(1)?));
    let named = families.iter().find(|family| family.name() == answer);
    match numbered.or(named) {
        Some(family) => Ok(family.name()),
        None if answer.contains('.') => Ok(answer),
        None => Err(UnknownName::new("game", answer, families.iter().map(|family| family.name()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_screen_names_families_that_there_are() {
        let own = Registry::empty().with(ruse_strategies::pig::PigFamily::standard());
        let own = greeting(&own);
        assert!(own.contains("play pig") && own.contains("compare pig --"), "{own}");
    }

    #[test]
    fn games_are_chosen_by_number_and_by_name() {
        let registry = Registry::standard();
        let families: Vec<&dyn AnyFamily> = registry.families().collect();
        assert_eq!(chosen("1", &families), Ok("war"));
        assert_eq!(chosen("nim", &families), Ok("nim"));
        assert_eq!(chosen("mine.kif", &families), Ok("mine.kif"));
        for answer in ["0", "99", "", "chess"] {
            assert!(chosen(answer, &families).is_err(), "{answer}");
        }
    }

    #[test]
    fn a_line_of_the_list_of_games_fits_a_terminal() {
        for family in Registry::standard().families() {
            // Each line of the menu begins with a number.
            let width = " 18  guess-who-deterministic  ".len() + family.info().about.len();
            assert!(width <= 79, "{}: {}", family.name(), family.info().about);
            assert_ne!(family.info().about, family.info().game);
        }
    }
}
