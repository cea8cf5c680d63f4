//! `ruse completions`: completion scripts for shells, and the words that they offer.

use clap::{Arg, Args, Command, ValueHint};
use clap_complete::Shell;
use ruse_lab::CHAMPION;
use ruse_play::family::BASELINE;
use ruse_registry::Registry;

use super::failure::{Result, print};

/// Print a completion script for a shell to source
///
/// In bash, zsh and fish, it completes families, strategies of the named family, methods and files.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Print the candidates for the last word, for completion scripts
#[derive(Debug, Args)]
#[command(hide = true)]
pub(super) struct CompleteArgs {
    /// The words of the line so far, the name of the program first
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

// The scripts for the shells that complete words by `ruse complete`.
const BASH: &str = include_str!("completions.bash");
const ZSH: &str = include_str!("completions.zsh");
const FISH: &str = include_str!("completions.fish");

/// The candidate that stands for all files. Scripts replace it with the shell's file completion.
const FILES: &str = ":files";

pub(super) fn completions(args: &CompletionsArgs, command: &mut clap::Command) -> Result {
    match args.shell {
        Shell::Bash => print(BASH),
        Shell::Zsh => print(ZSH),
        Shell::Fish => print(FISH),
        // These scripts complete each word independently.
        shell => {
            let mut script = Vec::new();
            clap_complete::generate(shell, command, "ruse", &mut script);
            print(&String::from_utf8_lossy(&script))
        }
    }
}

pub(super) fn complete(args: &CompleteArgs, root: clap::Command, registry: &Registry) -> Result {
    let lines = candidates(&args.words, root, registry).into_iter().map(|word| word + "\n");
    print(&lines.collect::<String>())
}

fn candidates(words: &[String], mut root: clap::Command, registry: &Registry) -> Vec<String> {
    let [_, before @ .., last] = words else { return Vec::new() };
    root.build();
    let place = Place::after(before, &root);
    let of_value = |arg: &Arg| values(arg, before, registry);
    let found = match (place.option, last.split_once('=')) {
        (Some(option), _) => of_value(option),
        // The shell replaces the whole word, so candidates repeat the option.
        (None, Some((option, _))) if option.starts_with("--") => {
            let values = place.option(option).map(of_value).unwrap_or_default();
            values.iter().map(|value| format!("{option}={value}")).collect()
        }
        _ if last.starts_with('-') => place.options(),
        _ => match place.command.get_positionals().nth(place.num_values) {
            Some(arg) => of_value(arg),
            // The last positional argument may be repeatable.
            None => match place.command.get_positionals().last().filter(|arg| is_repeated(arg)) {
                Some(arg) => of_value(arg),
                None => place.commands(),
            },
        },
    };
    let is_wanted = |word: &String| word.starts_with(last.as_str()) || word == FILES;
    found.into_iter().filter(is_wanted).collect()
}

struct Place<'a> {
    command: &'a Command,
    /// The option whose value the word is, if any.
    option: Option<&'a Arg>,
    /// The number of positional arguments before the word.
    num_values: usize,
}

impl<'a> Place<'a> {
    fn after(words: &[String], root: &'a Command) -> Place<'a> {
        let mut place = Place { command: root, option: None, num_values: 0 };
        for word in words {
            // Bash splits `--out=x` into three words.
            if word == "=" {
                continue;
            }
            if place.option.take().is_some() {
                continue;
            }
            if word.starts_with('-') {
                let takes_value = |arg: &&Arg| arg.get_action().takes_values();
                place.option = place.option(word).filter(takes_value);
            } else if let Some(command) = place.command.find_subcommand(word) {
                place = Place { command, option: None, num_values: 0 };
            } else {
                place.num_values += 1;
            }
        }
        place
    }

    /// Returns the option with this name, which includes two hyphens.
    fn option(&self, name: &str) -> Option<&'a Arg> {
        let name = name.strip_prefix("--")?;
        self.command.get_arguments().find(|arg| arg.get_long() == Some(name))
    }

    fn options(&self) -> Vec<String> {
        let visible = self.command.get_arguments().filter(|arg| !arg.is_hide_set());
        visible.filter_map(|arg| Some(format!("--{}", arg.get_long()?))).collect()
    }

    fn commands(&self) -> Vec<String> {
        let visible = self.command.get_subcommands().filter(|command| !command.is_hide_set());
        visible.map(|command| command.get_name().into()).collect()
    }
}

fn is_repeated(arg: &Arg) -> bool {
    arg.get_num_args().is_some_and(|range| range.max_values() > 1)
}

/// Returns the candidates for the value of an argument. `before` has the earlier words.
fn values(arg: &Arg, before: &[String], registry: &Registry) -> Vec<String> {
    let families = || {
        registry.families().chain(registry.test_families()).map(|family| family.name().to_string())
    };
    let of_family = || {
        let named = before.iter().find_map(|word| registry.family(word).ok());
        let references = named.iter().flat_map(|family| family.references());
        let references = references.map(|reference| reference.name.to_string());
        references.chain([BASELINE, CHAMPION].map(String::from)).collect::<Vec<_>>()
    };
    let known: Vec<String> = match arg.get_id().as_str() {
        "family" | "families" | "subject" => families().chain([FILES.into()]).collect(),
        "sources" => families().chain(of_family()).chain([FILES.into()]).collect(),
        "a" | "b" | "strategy" | "strategies" | "against" | "opponent" | "baseline" | "start"
        | "score_against" => of_family().into_iter().chain([FILES.into()]).collect(),
        _ => Vec::new(),
    };
    if !known.is_empty() {
        return known;
    }
    let possible = arg.get_possible_values();
    match (possible.as_slice(), arg.get_value_hint()) {
        ([], ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath) => vec![FILES.into()],
        ([], _) => Vec::new(),
        (possible, _) => possible.iter().map(|value| value.get_name().into()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_strategies_methods_and_files_are_offered() {
        let registry = Registry::standard();
        for (line, expected) in [
            ("ruse opt", &["optimise"][..]),
            ("ruse optimise w", &["war", "war4", "war-orders", FILES]),
            ("ruse compare war pi", &["pig", FILES]),
            ("ruse match pig hold-2", &["hold-20", "hold-25", FILES]),
            ("ruse match --seed 3 pig optimal ho", &["hold-20", "hold-25", FILES]),
            ("ruse optimise war --method es", &["es"]),
            ("ruse optimise war --method=es", &["--method=es"]),
            ("ruse optimise war --method = es", &["es"]),
            ("ruse optimise war --stop", &["--stop-when-stalled"]),
            ("ruse tournament war asc", &["ascending", FILES]),
            ("ruse play nim --against op", &["optimal", FILES]),
            ("ruse run ", &[FILES]),
            ("ruse optimise war --seed ", &[]),
            ("ruse new g", &["game"]),
            ("ruse complet", &["completions"]),
        ] {
            let words: Vec<String> = line.split(' ').map(String::from).collect();
            assert_eq!(
                candidates(&words, crate::cli::command(&registry), &registry),
                expected,
                "{line}"
            );
        }
    }

    #[test]
    fn bash_completes_known_names() {
        let script = format!(
            "ruse() {{ printf '%s\\n' war war4 :files; }}\n{BASH}\nCOMP_WORDS=(ruse optimise Cargo.to)\nCOMP_CWORD=2\n_ruse\n\
             echo \"${{COMPREPLY[@]}}\""
        );
        let Ok(output) = std::process::Command::new("bash").args(["-c", &script]).output() else {
            return;
        };
        assert_eq!(String::from_utf8_lossy(&output.stdout), "war war4 Cargo.toml\n");
    }

    #[test]
    fn paths_of_rule_files_are_families_too() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/games/gdl/rules/tic_tac_toe.kif");
        let words = ["ruse", "match", path, "first-"].map(String::from);
        let registry = Registry::standard();
        let found = candidates(&words, crate::cli::command(&registry), &registry);
        assert_eq!(found, ["first-legal", FILES]);
    }
}
