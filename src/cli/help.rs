//! What `--help` says beyond arguments: which command is for what, and examples of each.

use clap::Command;

/// Names of commands, each with its examples.
type Commands = &'static [(&'static str, &'static [&'static str])];

/// Commands by what they are for, in the order in which help lists them, each with its examples.
const GROUPS: [(&str, Commands); 5] = [
    (
        "Learn",
        &[
            (
                "optimise",
                &[
                    "ruse optimise war",
                    "ruse optimise pig --method all --budget 1M --out runs/pig",
                    "ruse optimise guess-who --baseline dichotomy --seed 7",
                ],
            ),
            (
                "compare",
                &[
                    "ruse compare war pig --methods naive,cma-es --repeats 5",
                    "ruse compare all --budget 100k --dry-run",
                ],
            ),
            ("init", &["ruse init war", "ruse init war pig --out first.yaml"]),
            (
                "run",
                &[
                    "ruse run experiment.yaml --dry-run",
                    "ruse run experiment.yaml --out runs/first",
                    "ruse run experiment.yaml --out runs/first --shard 3/100",
                ],
            ),
            ("resume", &["ruse resume runs/first"]),
            (
                "plan",
                &["ruse plan experiment.yaml", "ruse plan experiment.yaml --simulate 1,10,100"],
            ),
            ("merge", &["ruse merge runs/all from-one from-another"]),
            (
                "slurm",
                &[
                    "ruse slurm experiment.yaml --out runs/first --tasks 100 --time 2:00:00 > send.sh",
                    "ruse slurm experiment.yaml --out runs/first --submit",
                ],
            ),
        ],
    ),
    (
        "Compare",
        &[
            (
                "match",
                &[
                    "ruse match war descending random",
                    "ruse match pig strategy.yaml optimal --pairs 100k",
                    "ruse match war [0,-9,9] baseline --plot match.svg",
                ],
            ),
            (
                "tournament",
                &[
                    "ruse tournament pig",
                    "ruse tournament war mine.yaml yours.yaml descending [0,-9,9] --pairs 20k",
                    "ruse tournament war runs/first --only cross-table --format csv > scores.csv",
                ],
            ),
            (
                "exploit",
                &[
                    "ruse exploit morra uniform",
                    "ruse exploit battleship strategy.yaml --budget 500k",
                    "ruse exploit runs/first",
                ],
            ),
            (
                "portfolio",
                &[
                    "ruse portfolio morra --random 8 --out mix.yaml",
                    "ruse portfolio runs/first --population",
                ],
            ),
            (
                "bandit",
                &[
                    "ruse bandit problems.yaml",
                    "ruse bandit problems.yaml --strategies ns:e0=.4,el=.33,ucb1-fpu --budget 100,1k",
                    "ruse bandit problems.yaml --only wide --repeats 400 --out runs/bandits",
                ],
            ),
            ("evaluate", &["ruse evaluate war --stdin < questions.jsonl"]),
        ],
    ),
    (
        "Look",
        &[
            ("list", &["ruse list", "ruse list --json"]),
            ("show", &["ruse show war", "ruse show strategy.yaml"]),
            ("explain", &["ruse explain strategy.yaml", "ruse explain runs/latest --ablate"]),
            (
                "plot",
                &[
                    "ruse plot strategy.yaml --out picture.svg",
                    "ruse plot runs/first --format png --out figures",
                ],
            ),
            (
                "table",
                &["ruse table runs/first", "ruse table runs/first --only scores --format tex"],
            ),
            ("report", &["ruse report runs/first", "ruse report runs/first --playable"]),
            ("publish", &["ruse publish runs/first --out results/first"]),
        ],
    ),
    (
        "Play",
        &[
            (
                "play",
                &[
                    "ruse play war",
                    "ruse play nim --against optimal --seat second --save games.yaml",
                ],
            ),
            ("replay", &["ruse replay games.yaml", "ruse replay games.yaml --step"]),
            (
                "page",
                &[
                    "ruse page --out play.html",
                    "ruse page runs/first strategy.yaml --out play.html",
                ],
            ),
            (
                "watch",
                &[
                    "ruse watch nim optimal random",
                    "ruse watch pig hold-20 optimal --speed 0.5 --games 2",
                    "ruse watch cheat honest draw-rule --seed 7 --save game.yaml",
                ],
            ),
            (
                "advise",
                &[
                    "ruse advise battleship --rule ships=5 --rule sunk=1 --saw 'e5=miss d4=hit d5=hit d6=sunk3'",
                    "ruse advise guess-who --saw '40=no half=yes'",
                    "ruse advise cheat --saw 'hand=6s7h6d7c they:s h they:?'",
                    "ruse advise nim optimal --position '4 4; 3 4'",
                ],
            ),
        ],
    ),
    (
        "Other",
        &[
            ("new", &["ruse new game my-game"]),
            ("schema", &["ruse schema > experiment.schema.json"]),
            ("bench", &["ruse bench", "ruse bench war pig --seconds 3"]),
            ("completions", &["ruse completions bash > ruse.bash"]),
            ("man", &["ruse man", "ruse man --out man1"]),
        ],
    ),
];

/// The program with examples in the help of every command, its commands in groups.
pub(super) fn with_examples(mut command: Command) -> Command {
    let mut groups = String::from("Commands by what they are for:\n");
    let known = |command: &Command, name: &str| command.find_subcommand(name).is_some();
    let mut place = 0;
    for (group, commands) in GROUPS {
        let names: Vec<&str> =
            commands.iter().map(|(name, _)| *name).filter(|name| known(&command, name)).collect();
        groups += &format!("  {group:<8} {}\n", names.join(", "));
        for (name, lines) in commands {
            if known(&command, name) {
                place += 1;
                command = command.mut_subcommand(name, |subcommand| {
                    let more = subcommand.get_after_help().map(|help| format!("{help}\n\n"));
                    let help = more.unwrap_or_default() + &section(lines);
                    let subcommand = subcommand.display_order(place).after_help(help);
                    subcommand.mut_subcommands(|inner| inner.after_help(section(lines)))
                });
            }
        }
    }
    let first = ["ruse list", "ruse optimise war", "ruse play war", "ruse help optimise"];
    command.after_help(format!("{groups}\n{}", section(&first)))
}

/// Examples, a line each.
fn section(lines: &[&str]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("  {line}")).collect();
    format!("Examples:\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use crate::cli::{Cli, command};
    use crate::registry::Registry;

    /// The arguments of a line that a shell is given, up to where it redirects. Single quotes hold blanks together.
    fn arguments(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut is_quoted = false;
        for letter in line.chars() {
            match letter {
                '\'' => is_quoted = !is_quoted,
                ' ' if !is_quoted => words.push(String::new()),
                letter => words.last_mut().expect("there is one from the start").push(letter),
            }
        }
        words.into_iter().take_while(|word| !["<", ">", "|"].contains(&word.as_str())).collect()
    }

    /// The lines of the help that are commands.
    fn examples(help: &str) -> Vec<&str> {
        let (_, section) = help.split_once("Examples:\n").expect("every command has examples");
        section.lines().map(str::trim).filter(|line| line.starts_with("ruse ")).collect()
    }

    /// All commands, those of commands included, with their help.
    fn all_help() -> Vec<(String, String)> {
        let mut command = command(&Registry::standard());
        let mut found = vec![("ruse".to_string(), command.render_long_help().to_string())];
        // What clap adds needs no examples.
        for subcommand in command.get_subcommands_mut().filter(|one| one.get_name() != "help") {
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

    /// Examples are for those who have nothing but the program: what they name is there.
    #[test]
    fn examples_name_families_that_there_are() {
        let registry = Registry::standard();
        let with_family = [
            "optimise",
            "match",
            "tournament",
            "play",
            "evaluate",
            "init",
            "bench",
            "watch",
            "advise",
        ];
        for (name, help) in all_help() {
            for line in examples(&help).into_iter().filter(|_| with_family.contains(&&*name)) {
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
        for subcommand in command.get_subcommands().filter(|command| command.get_name() != "help") {
            assert!(listed.contains(&subcommand.get_name()), "{}: {groups}", subcommand.get_name());
        }
    }
}
