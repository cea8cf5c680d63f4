//! Commands that print a score.

use std::time::Duration;

use super::process::{ExchangeError, Patience, Process, Watch};
use super::{ask_to_start, quoted, words_of};

/// The part of a command that a seed replaces.
const SEED: &str = "{seed}";
/// A command may take any time. A remark is made after a minute without output.
const PATIENCE: Patience =
    Patience { parting: Duration::from_secs(u32::MAX as u64), silence: Duration::from_secs(60) };

/// A command whose last line of standard output is a number, its score.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreCommand {
    words: Vec<String>,
}

impl ScoreCommand {
    /// Parses a command by the quoting rules of shells. Returns `None` if there is no word or a quotation is not closed.
    pub fn parse(command: &str) -> Option<ScoreCommand> {
        words_of(command).map(|words| ScoreCommand { words })
    }

    /// Returns `true` if the command has a place for a seed, `{seed}`.
    pub fn takes_seed(&self) -> bool {
        self.words.iter().any(|word| word.contains(SEED))
    }

    /// Asks whether the command may be started with any seed.
    ///
    /// # Errors
    ///
    /// Returns the reason why it [must not](super::guard_programs) be started.
    pub fn ask(&self) -> Result<(), String> {
        ask_to_start(&self.words).map_err(|reason| format!("{}: {reason}", quoted(&self.words)))
    }

    /// Runs the command with a seed, and returns the number that it prints. The command has no input.
    ///
    /// # Errors
    ///
    /// Returns an error if the command [must not](super::guard_programs) be started, fails, or does not end with a finite
    /// number, or if `watch` ends the wait.
    pub fn run(&self, seed: u64, watch: &mut dyn Watch) -> Result<f64, ExchangeError> {
        self.ask().map_err(ExchangeError::Failed)?;
        let seed = seed.to_string();
        let words: Vec<String> = self.words.iter().map(|word| word.replace(SEED, &seed)).collect();
        let mut process = Process::spawn(&words, PATIENCE).map_err(ExchangeError::Failed)?;
        process.leave();
        let mut last = String::new();
        while let Some(line) = process.hear(watch)? {
            if !line.trim().is_empty() {
                last = line;
            }
        }
        match last.trim().parse::<f64>() {
            Ok(score) if score.is_finite() => Ok(score),
            _ if last.is_empty() => Err(ExchangeError::Failed(process.failed("it prints nothing"))),
            _ => {
                let problem = "its last line is not a finite number";
                Err(ExchangeError::Failed(process.failed_by(&last, problem)))
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use ruse_base::stop::Stopped;

    use super::*;

    struct Always;

    impl Watch for Always {
        fn check(&self) -> Result<(), Stopped> {
            Ok(())
        }
    }

    #[test]
    fn the_last_line_is_the_score() {
        crate::allow_programs();
        let run = |command: &str| {
            let command = ScoreCommand::parse(command).expect("a command");
            command.run(7, &mut Always).map_err(|error| error.to_string())
        };
        assert_eq!(run("echo 0.{seed}"), Ok(0.7));
        assert_eq!(run("sh -c 'cat; echo some words; echo; echo \" -3e2 \"; echo'"), Ok(-300.0));
        for (command, problem) in [
            ("echo nan", "its last line is not a finite number; its line is nan"),
            ("echo 1 2", "its line is 1 2"),
            ("true", "it prints nothing"),
            ("sh -c 'echo no luck >&2; echo 1; exit 3'", "exit status: 3); it says:\n  no luck"),
            ("/nowhere/x {seed}", "cannot start `/nowhere/x 7`"),
        ] {
            let error = run(command).expect_err(command);
            assert!(error.contains(problem), "{command}: {error}");
        }
    }

    #[test]
    fn a_seed_has_a_place() {
        let takes_seed = |command| ScoreCommand::parse(command).map(|command| command.takes_seed());
        assert_eq!(takes_seed("a.py --seed={seed}"), Some(true));
        assert_eq!(takes_seed("a.py {Seed}"), Some(false));
        assert_eq!([takes_seed(""), takes_seed("a 'b")], [None, None]);
    }
}
