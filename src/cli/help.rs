//! The help beyond arguments: the purposes of commands, and examples.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use ruse_base::names::UnknownName;
use ruse_play::family::BASELINE;
use ruse_registry::Registry;

/// The commands, grouped by purpose, in the order of the help: the examples of each command, below the name of its
/// group.
const EXAMPLES: &str = include_str!("examples.txt");

/// The group of a command, its name, and its examples.
type Examples = (&'static str, &'static str, Vec<&'static str>);

/// Returns the commands in [`EXAMPLES`].
fn examples_by_command() -> Vec<Examples> {
    let (mut group, mut found) = ("", Vec::<Examples>::new());
    for line in EXAMPLES.lines() {
        let Some(example) = line.strip_prefix("ruse ") else {
            group = line.trim_end_matches(':');
            continue;
        };
        let name = example.split(' ').next().unwrap_or_default();
        match found.last_mut().filter(|(_, last, _)| *last == name) {
            Some((_, _, lines)) => lines.push(line),
            None => found.push((group, name, vec![line])),
        }
    }
    found
}

/// The heading above the options of all commands.
pub(super) const EVERYWHERE: &str = "For every command";

/// Commands with more options list them under headings.
const MANY_OPTIONS: usize = 12;

/// The most common options, in the order of the help.
const FIRST: &str = "method methods strategies counts range less budget repeats pairs seed baseline against rules only plot \
                     random out jobs format threads json exit_code";

/// The other options, below their headings.
const HEADINGS: [(&str, &str); 4] = [
    (
        "Length and effort",
        "iterations stop_when_stalled time half_width opponents games runs judge",
    ),
    ("Start and scores", "start prune respond_with reuse score_against target measure"),
    ("Races", "comparison delta precision accept ties"),
    ("Caution", "dry_run huge out_under"),
];

/// Returns the place of an argument in a list of names, if it is there.
fn place_in(names: &str, arg: &Arg) -> Option<usize> {
    names.split(' ').position(|name| name == arg.get_id().as_str())
}

fn has_many_options(command: &Command) -> bool {
    command.get_arguments().filter(|arg| !arg.is_positional()).count() > MANY_OPTIONS
}

/// Adds headings to the help of commands with many options.
pub(super) fn with_headings(command: Command) -> Command {
    command.mut_subcommands(|command| {
        if !has_many_options(&command) {
            return command;
        }
        // Headings appear in the order of their first options.
        command.mut_args(|arg| {
            if arg.is_positional() {
                return arg;
            }
            if let Some(place) = place_in(FIRST, &arg) {
                return arg.display_order(place);
            }
            let heading = HEADINGS.iter().find(|(_, options)| place_in(options, &arg).is_some());
            let heading = heading.map(|(heading, _)| *heading);
            let arg = arg.display_order(FIRST.len());
            if heading.is_some() { arg.help_heading(heading) } else { arg }
        })
    })
}

/// Hides all but the most common options in the help of commands with many options.
pub(super) fn shortened(command: Command) -> Command {
    let command = ["verbose", "limits"]
        .into_iter()
        .fold(command, |command, name| command.mut_arg(name, |arg| arg.hide(true)));
    command.mut_subcommands(|command| {
        if !has_many_options(&command) {
            return command;
        }
        let all = format!("All options: `ruse {} --help`.", command.get_name());
        let command = command.after_help(all);
        command.mut_args(|arg| {
            if arg.is_positional() {
                return arg;
            }
            let is_first = place_in(FIRST, &arg).is_some();
            let help = arg.get_help().map_or(String::new(), |help| in_short(&help.to_string()));
            arg.hide(!is_first).hide_env(true).help(help)
        })
    })
}

/// Shortens the help of an option to the text before the first punctuation mark, and the default if it is short.
fn in_short(help: &str) -> String {
    let (text, default) = match help.split_once(" [default: ") {
        Some((text, default)) => (text, format!(" [default: {default}")),
        None => (help, String::new()),
    };
    let end = [". ", ": ", "; ", " ("].iter().filter_map(|mark| text.find(mark)).min();
    /// The maximum length of a default in the short help. Longer ones are sentences.
    const LONGEST: usize = 30;
    let default = if default.len() <= LONGEST { default.as_str() } else { "" };
    format!("{}{default}", &text[..end.unwrap_or(text.len())])
}

/// Returns a tip for a mistake in the arguments: the commands for a family, the strategies of the family if one is missing,
/// or the environment variable with the invalid value.
pub(super) fn tip(error: &clap::Error, args: &[OsString], registry: &Registry) -> Option<String> {
    let words = || args.iter().filter_map(|arg| arg.to_str());
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && (registry.families().any(|family| family.name() == word) || registry.is_rule_file(word))
    {
        return Some(format!(
            "{word} is a family: `ruse show {word}` explains it, `ruse play {word}` plays it, and `ruse optimise {word}` \
             tunes a strategy"
        ));
    }
    if error.kind() == ErrorKind::MissingRequiredArgument {
        let takes_strategies = ["match", "watch", "exploit"].contains(&words().nth(1)?);
        let family = words().skip(2).find_map(|word| registry.family(word).ok());
        let family = family.filter(|_| takes_strategies)?;
        let references = family.references();
        let mut names: Vec<&str> = references.iter().map(|reference| &*reference.name).collect();
        names.push(BASELINE);
        return Some(format!(
            "strategies of {} are {}; a strategy file or parameters as in [0,1.5,-2] will do, too",
            family.name(),
            names.join(", ")
        ));
    }
    if error.kind() == ErrorKind::UnknownArgument && words().nth(1) == Some("resume") {
        let advice = "the directory keeps its settings; with others, a copy of its experiment.yaml begins a new run: \
                      `ruse run COPY.yaml --out NEW`";
        return Some(advice.into());
    }
    let Some(ContextValue::String(invalid)) = error.get(ContextKind::InvalidValue) else {
        return None;
    };
    let is_value = std::env::var("RUSE_THREADS").is_ok_and(|value| value == *invalid);
    let is_said = words().any(|word| word.starts_with("--threads"));
    (is_value && !is_said).then(|| "the environment variable RUSE_THREADS has this value".into())
}

/// Removes the `hidden` commands from the suggestions for a misspelt command, and suggestions for options that are not
/// similar.
pub(super) fn suggest_visible(error: &mut clap::Error, hidden: &[String]) {
    if let (Some(ContextValue::String(invalid)), Some(ContextValue::String(suggested))) =
        (error.get(ContextKind::InvalidArg), error.get(ContextKind::SuggestedArg))
        && UnknownName::new("option", invalid, [suggested.clone()]).nearest().is_none()
    {
        error.remove(ContextKind::SuggestedArg);
    }
    let kind = ContextKind::SuggestedSubcommand;
    if let Some(ContextValue::Strings(suggested)) = error.remove(kind) {
        let visible: Vec<String> =
            suggested.into_iter().filter(|name| !hidden.contains(name)).collect();
        if !visible.is_empty() {
            error.insert(kind, ContextValue::Strings(visible));
        }
    }
}

/// Adds examples to the help of every command, and groups the commands.
pub(super) fn with_examples(mut command: Command) -> Command {
    let mut groups = String::from("Commands by what they are for:");
    let mut last = "";
    let known = examples_by_command().into_iter();
    let known: Vec<Examples> =
        known.filter(|(_, name, _)| command.find_subcommand(name).is_some()).collect();
    for (place, (group, name, lines)) in (1..).zip(known) {
        groups += &match group == last {
            true => format!(", {name}"),
            false => format!("\n  {group:<8} {name}"),
        };
        last = group;
        command = command.mut_subcommand(name, |subcommand| {
            let before = subcommand.get_after_help().map(|help| format!("{help}\n\n"));
            let help = before.unwrap_or_default() + &section(&lines);
            let subcommand = subcommand.display_order(place).after_help(help);
            subcommand.mut_subcommands(|inner| inner.after_help(section(&lines)))
        });
    }
    let first = ["ruse list", "ruse optimise war", "ruse play war", "ruse help optimise"];
    command.after_help(format!("{groups}\n\n{}", section(&first)))
}

/// Returns a section of examples, one per line.
fn section(lines: &[&str]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("  {line}")).collect();
    format!("Examples:\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;
    use crate::cli::{Cli, command};

    /// Splits a shell command, up to a redirection or a pipe, into arguments. Single quotes may enclose blanks.
    fn arguments(line: &str) -> Vec<String> {
        let words = shlex::split(line).expect("balanced quotes");
        words.into_iter().take_while(|word| !["<", ">", "|"].contains(&word.as_str())).collect()
    }

    /// Returns the examples in the help of a command.
    fn examples(help: &str) -> Vec<&str> {
        let (_, section) = help.split_once("Examples:\n").expect("every command has examples");
        section.lines().map(str::trim).filter(|line| line.starts_with("ruse ")).collect()
    }

    /// Returns the names of the program, its commands and their subcommands, with their help.
    fn all_help() -> Vec<(String, String)> {
        let mut command = command(&Registry::standard());
        let mut found = vec![("ruse".to_string(), command.render_long_help().to_string())];
        // The commands that clap adds need no examples.
        let is_shown = |one: &&mut Command| one.get_name() != "help" && !one.is_hide_set();
        for subcommand in command.get_subcommands_mut().filter(is_shown) {
            let name = subcommand.get_name().to_string();
            found.push((name.clone(), subcommand.render_help().to_string()));
            for inner in subcommand.get_subcommands_mut().filter(|one| one.get_name() != "help") {
                let name = format!("{name} {}", inner.get_name());
                found.push((name, inner.render_help().to_string()));
            }
        }
        found
    }

    #[test]
    fn every_command_has_examples_that_parse() {
        let registry = Registry::standard();
        let all = all_help();
        assert!(all.iter().any(|(name, _)| name == "new game"), "{all:?}");
        for (name, help) in all {
            let lines = examples(&help);
            assert!((1..=4).contains(&lines.len()), "{name}: {help}");
            for line in lines {
                assert!(
                    name == "ruse" || line.starts_with(&format!("ruse {name}")),
                    "{name}: {line}"
                );
                let words = arguments(line);
                if words[1] == "help" {
                    assert!(command(&registry).find_subcommand(&words[2]).is_some(), "{line}");
                    continue;
                }
                let matches = command(&registry).try_get_matches_from(words);
                let parsed = matches.and_then(|matches| Cli::from_arg_matches(&matches));
                if let Err(error) = parsed {
                    panic!("{line}: {error}");
                }
            }
        }
    }

    /// All families in examples are built in, because users may not have the files of this repository.
    #[test]
    fn examples_name_known_families() {
        let registry = Registry::standard();
        let with_family = "optimise match tournament play evaluate init bench watch advise";
        for (name, help) in all_help() {
            let has_family = with_family.split(' ').any(|known| known == name);
            for line in examples(&help).into_iter().filter(|_| has_family) {
                if let Some(family) = arguments(line).get(2) {
                    assert!(registry.family(family).is_ok(), "{line}");
                }
            }
        }
    }

    #[test]
    fn every_command_is_in_a_group() {
        let command = command(&Registry::standard());
        let help = command.clone().render_help().to_string();
        let (_, groups) = help.split_once("Commands by what they are for:\n").expect("groups");
        let (groups, _) = groups.split_once("\n\n").expect("examples");
        let listed: Vec<&str> = groups
            .lines()
            .flat_map(|line| line.split([' ', ',']))
            .filter(|word| word.chars().next().is_some_and(char::is_lowercase))
            .collect();
        let is_shown = |one: &&Command| one.get_name() != "help" && !one.is_hide_set();
        for subcommand in command.get_subcommands().filter(is_shown) {
            assert!(listed.contains(&subcommand.get_name()), "{}: {groups}", subcommand.get_name());
        }
    }

    /// `-h` lists the most common options in at most 30 lines; `--help` lists all.
    #[test]
    fn short_help_is_short() {
        let registry = Registry::standard();
        let help = |program: Command, name: &str| {
            let mut program = program;
            program.build();
            program.find_subcommand_mut(name).expect("known").render_help().to_string()
        };
        for name in ["optimise", "compare", "portfolio"] {
            let all = help(command(&registry), name);
            let short = help(shortened(command(&registry)), name);
            assert!(short.contains("--seed") && short.contains("--json"), "{short}");
            assert!(
                short.lines().count() <= 30 && short.lines().count() < all.lines().count(),
                "{short}"
            );
            assert!(short.contains(&format!("`ruse {name} --help`")), "{short}");
        }
        let all = help(command(&registry), "optimise");
        let place = |text: &str| all.find(text).unwrap_or_else(|| panic!("{text}: {all}"));
        for two in [
            ["Options:", "--method "],
            ["--method ", "--budget "],
            ["--budget ", "--out "],
            ["--json", "Races:"],
            ["Races:", "--delta "],
            ["Options of ", EVERYWHERE],
        ] {
            assert!(place(two[0]) < place(two[1]), "{two:?}: {all}");
        }
    }
}
