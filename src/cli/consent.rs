//! The consent to start programs.
//!
//! Programs that the command line names are started. A file may come from anybody, so programs that only a file names
//! are started with `--allow-programs`, or if the user agrees on a terminal. Plans and completions start nothing. Each
//! command is announced before its first start.

use std::collections::BTreeSet;
use std::io::{IsTerminal, Write, stderr, stdin};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::ArgMatches;
use ruse_lab::Plan;
use ruse_optimise::methods::External;
use ruse_play::family::BETWEEN;
use ruse_programs::{ProgramName, guard_programs, quoted, words_in};
use ruse_registry::Registry;

use super::verbosity::say_always;

/// The option that lets files name programs.
pub(super) const OPTION: &str = " --allow-programs";

/// True if files may name programs.
static IS_ALLOWED: AtomicBool = AtomicBool::new(false);

/// Guards the start of programs, in a process with these arguments.
pub(super) fn guard(matches: &ArgMatches, is_allowed: bool, registry: &Registry) {
    IS_ALLOWED.store(is_allowed, Ordering::Relaxed);
    let mut named = BTreeSet::new();
    add_named(matches, "", &mut named);
    let is_plan = matches.subcommand().is_some_and(|(name, of_command)| {
        let is_dry = matches!(of_command.try_get_one("dry_run"), Ok(Some(true)));
        is_dry || ["plan", "slurm", "complete"].contains(&name)
    });
    if is_plan {
        registry.start_no_programs();
    }
    guard_programs(move |words| {
        let command = quoted(words);
        if is_plan {
            return Err("a plan starts no programs".into());
        }
        if !(named.contains(words) || is_allowed || agrees(&command)) {
            let reason = "only a file names this program, so it is not started; `--allow-programs` starts it";
            return Err(reason.into());
        }
        say_always(&format!("starts `{command}`"));
        Ok(())
    });
}

/// Adds the programs that the arguments of a command name, as families, as players or as methods.
fn add_named(matches: &ArgMatches, command: &str, named: &mut BTreeSet<Vec<String>>) {
    for id in matches.ids().map(clap::Id::as_str) {
        let is_method = ["method", "methods"].contains(&id);
        let is_player = [("check-player", "player"), ("race", "of")].contains(&(command, id));
        let values = matches.get_raw(id).into_iter().flatten().filter_map(|value| value.to_str());
        // The families of a set stand between `+`.
        let names = values.flat_map(|value| value.split(BETWEEN).chain([value]));
        let names = names.filter(|name| {
            is_player
                || is_method && External::parse(name).is_some()
                || ProgramName::parse(name).is_some()
        });
        named.extend(names.filter_map(words_in));
    }
    if let Some((name, of_command)) = matches.subcommand() {
        add_named(of_command, name, named);
    }
}

/// Asks the user whether a program may be started. Without a terminal, it must not.
fn agrees(command: &str) -> bool {
    if !stdin().is_terminal() || !stderr().is_terminal() {
        return false;
    }
    let _ = write!(stderr(), "A file names the program `{command}`. Start it? [y/N] ");
    let mut answer = String::new();
    let read = stdin().read_line(&mut answer);
    read.is_ok() && ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}

/// Returns the option with which a later command may start the programs of the plan; empty if there are none.
pub(super) fn option_for(plan: &Plan) -> &'static str {
    if plan.programs().is_empty() { "" } else { OPTION }
}

/// Returns `true` if files may name programs.
pub(super) fn is_given() -> bool {
    IS_ALLOWED.load(Ordering::Relaxed)
}
