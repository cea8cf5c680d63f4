//! How programs that play behave.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A mistake of a program, which costs it the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// It played an illegal action.
    Illegal,
    /// It answered after its time.
    Late,
    /// It wrote a line that is not an answer, or a line that nothing had asked for.
    Broken,
    /// It ended, or closed its output.
    Ended,
    /// It had ended too often before, and was not asked again.
    #[serde(rename = "unavailable")]
    GivenUp,
    /// Its process, which plays several games at once, ended because of a mistake in another game.
    Beside,
}

impl Fault {
    /// Returns a description of several such games, as in "3 by illegal moves".
    pub fn in_words(self) -> &'static str {
        match self {
            Fault::Illegal => "by illegal moves",
            Fault::Late => "by late answers",
            Fault::Broken => "by invalid lines",
            Fault::Ended => "because it ended",
            Fault::GivenUp => "because it had to be started too often",
            Fault::Beside => "because of a mistake in another game of the process",
        }
    }

    /// Returns the number of such games, in words, as in "2 illegal moves".
    fn counted(self, number: u64) -> String {
        let s = if number == 1 { "" } else { "s" };
        match self {
            Fault::Illegal => format!("{number} illegal move{s}"),
            Fault::Late => format!("{number} too late"),
            Fault::Broken => format!("{number} invalid line{s}"),
            Fault::Ended => format!("{number} ended"),
            Fault::GivenUp => format!("{number} not started again"),
            Fault::Beside => format!("{number} beside another game with a mistake"),
        }
    }

    /// Returns `true` if another run of the program may avoid the mistake, because it depends on the machine or on
    /// other games.
    fn depends_on_time(self) -> bool {
        !matches!(self, Fault::Illegal | Fault::Broken)
    }

    /// Returns `true` if the process cannot be used any more.
    pub(super) fn ends_process(self) -> bool {
        self != Fault::Illegal
    }
}

/// The result of a question to a program.
pub(super) type Result<T = (), E = Absence> = std::result::Result<T, E>;

/// The reason for a missing answer.
pub(super) enum Absence {
    /// The games were stopped.
    Stopped,
    /// The program made a mistake, described by the text.
    Fault(Fault, String),
}

/// The games of a program so far, in all seats.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Conduct {
    /// The command.
    #[serde(rename = "program")]
    pub command: String,
    /// The name that the program gives itself; the command if it gives none.
    pub name: String,
    /// Whether the program calls itself deterministic.
    #[serde(skip)]
    pub deterministic: bool,
    /// The number of games that a process of the program plays at once.
    #[serde(skip)]
    pub concurrent: usize,
    /// The number of games that the program began.
    pub games: u64,
    /// The number of answers.
    pub decisions: u64,
    /// The numbers of games that the program forfeited.
    #[serde(default, rename = "lost")]
    pub forfeits: BTreeMap<Fault, u64>,
    /// A description of the first fault.
    #[serde(default, rename = "first", skip_serializing_if = "Option::is_none")]
    pub first_fault: Option<String>,
    /// The number of decisions that a program which calls itself deterministic took in another way when it was asked
    /// again.
    #[serde(default)]
    pub changes: u64,
    /// The first of these decisions.
    #[serde(skip)]
    pub first_change: Option<String>,
}

impl Conduct {
    /// Returns the number of games that the program forfeited.
    pub fn num_forfeits(&self) -> u64 {
        self.forfeits.values().sum()
    }

    /// Returns `true` if the program made a mistake, or took a decision in two ways.
    pub fn has_mistakes(&self) -> bool {
        !self.forfeits.is_empty() || self.changes > 0
    }

    /// Returns `true` if a program that calls itself deterministic has played like one: the same games would follow
    /// from the same seed.
    pub fn is_steady(&self) -> bool {
        self.changes == 0 && !self.forfeits.keys().any(|fault| fault.depends_on_time())
    }

    /// Adds the games of the same program elsewhere.
    pub fn merge(&mut self, other: &Conduct) {
        self.games += other.games;
        self.decisions += other.decisions;
        for (&fault, number) in &other.forfeits {
            *self.forfeits.entry(fault).or_default() += number;
        }
        self.changes += other.changes;
        for (first, others) in [
            (&mut self.first_fault, &other.first_fault),
            (&mut self.first_change, &other.first_change),
        ] {
            *first = first.take().or_else(|| others.clone());
        }
    }

    /// Combines the games of each program, in the order of the first occurrence of its command.
    pub fn merged(conducts: impl IntoIterator<Item = Conduct>) -> Vec<Conduct> {
        let mut found: Vec<Conduct> = Vec::new();
        for conduct in conducts {
            match found.iter_mut().find(|known| known.command == conduct.command) {
                Some(known) => known.merge(&conduct),
                None => found.push(conduct),
            }
        }
        found
    }

    /// Returns a line that counts the program's mistakes for a table of results, or `None` if there are none.
    pub fn mistakes_in_words(&self) -> Option<String> {
        let changes = (self.changes > 0).then(|| {
            let s = if self.changes == 1 { "" } else { "s" };
            let taken = "taken in two ways, though it is called deterministic";
            format!("{} decision{s} {taken}", self.changes)
        });
        let lost = self.num_forfeits();
        if lost == 0 {
            return changes.map(|changes| format!("`{}`: {changes}", self.command));
        }
        let games = if lost == 1 { "game" } else { "games" };
        // The most frequent mistake comes first.
        let mut kinds: Vec<(Fault, u64)> = self.forfeits.iter().map(|(&of, &n)| (of, n)).collect();
        kinds.sort_by_key(|&(_, number)| std::cmp::Reverse(number));
        let kinds = kinds.into_iter().map(|(fault, number)| fault.counted(number));
        let kinds: Vec<String> = kinds.chain(changes).collect();
        Some(format!("{lost} {games} lost by mistakes of `{}`: {}", self.command, kinds.join(", ")))
    }

    /// Returns a description of the program's faults, or `None` if there are none.
    pub fn faults_in_words(&self) -> Option<String> {
        let mut sentences = Vec::new();
        if let Some(first) = &self.first_fault {
            let kinds = self.forfeits.iter();
            let kinds = kinds.map(|(fault, number)| format!("{number} {}", fault.in_words()));
            sentences.push(format!(
                "{} lost {} of {} games without playing them to the end: {}. The first fault: {first}",
                self.command,
                self.num_forfeits(),
                self.games.max(self.num_forfeits()),
                kinds.collect::<Vec<_>>().join(", "),
            ));
        }
        if let Some(first) = &self.first_change {
            sentences.push(format!(
                "{} says that it is deterministic, and took {} decisions in two ways: {first}",
                self.command, self.changes
            ));
        }
        (!sentences.is_empty()).then(|| sentences.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conduct(command: &str, forfeits: &[(Fault, u64)], changes: u64) -> Conduct {
        let forfeits = forfeits.iter().copied().collect();
        Conduct { command: command.into(), games: 10, forfeits, changes, ..Conduct::default() }
    }

    #[test]
    fn mistakes_are_counted_in_a_line() {
        let bot = conduct("./bot", &[(Fault::Illegal, 1), (Fault::Late, 2)], 0);
        let line = "3 games lost by mistakes of `./bot`: 2 too late, 1 illegal move";
        assert_eq!(bot.mistakes_in_words().as_deref(), Some(line));
        assert!(bot.has_mistakes() && !bot.is_steady());
        let one = conduct("./bot", &[(Fault::Broken, 1)], 2);
        let line = "1 game lost by mistakes of `./bot`: 1 invalid line, 2 decisions taken in two ways, though it is \
                    called deterministic";
        assert_eq!(one.mistakes_in_words().as_deref(), Some(line));
        let fickle = conduct("./bot", &[], 1);
        let line = "`./bot`: 1 decision taken in two ways, though it is called deterministic";
        assert_eq!(fickle.mistakes_in_words().as_deref(), Some(line));
        assert!(fickle.has_mistakes() && !fickle.is_steady());
        let good = conduct("./bot", &[], 0);
        assert_eq!((good.mistakes_in_words(), good.has_mistakes()), (None, false));
        // An illegal move would be played again.
        assert!(good.is_steady() && conduct("./bot", &[(Fault::Illegal, 9)], 0).is_steady());
    }

    #[test]
    fn games_of_the_same_command_count_together() {
        let first = |text: &str| Some(text.to_string());
        let parts = [
            conduct("a", &[], 0),
            Conduct { first_fault: first("b1"), ..conduct("b", &[(Fault::Ended, 1)], 0) },
            Conduct { first_fault: first("a2"), ..conduct("a", &[(Fault::GivenUp, 2)], 1) },
            Conduct { first_fault: first("a3"), ..conduct("a", &[(Fault::GivenUp, 3)], 0) },
        ];
        let found = Conduct::merged(parts);
        assert_eq!(found.len(), 2);
        let a = &found[0];
        assert_eq!((a.games, a.num_forfeits(), a.changes), (30, 5, 1));
        assert_eq!((a.first_fault.as_deref(), found[1].num_forfeits()), (Some("a2"), 1));
    }

    #[test]
    fn conduct_is_read_as_it_was_written() {
        let written = Conduct {
            first_fault: Some("no answer".into()),
            ..conduct("./bot", &[(Fault::Late, 2), (Fault::GivenUp, 1)], 0)
        };
        let text = serde_yaml::to_string(&written).expect("plain data");
        assert!(text.contains("late: 2") && text.contains("unavailable: 1"), "{text}");
        assert_eq!(serde_yaml::from_str::<Conduct>(&text).expect("as written"), written);
    }
}
