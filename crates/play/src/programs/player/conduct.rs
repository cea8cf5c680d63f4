//! How programs that play behave.

use std::collections::BTreeMap;

/// A mistake of a program, which costs it the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
    GivenUp,
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
        }
    }

    /// Returns `true` if the process cannot be used any more.
    pub(super) fn ends_process(self) -> bool {
        self != Fault::Illegal
    }
}

/// The reason for a missing answer.
pub(super) enum Absence {
    /// The games were stopped.
    Stopped,
    /// The program made a mistake, described by the text.
    Fault(Fault, String),
}

/// The games of a program so far, in all seats.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conduct {
    /// The command.
    pub command: String,
    /// The name that the program gives itself; the command if it gives none.
    pub name: String,
    /// The number of games that the program began.
    pub games: u64,
    /// The number of answers.
    pub decisions: u64,
    /// The numbers of games that the program forfeited.
    pub forfeits: BTreeMap<Fault, u64>,
    /// A description of the first fault.
    pub first_fault: Option<String>,
    /// The number of decisions that a program which calls itself deterministic took in another way when it was asked
    /// again.
    pub changes: u64,
    /// The first of these decisions.
    pub first_change: Option<String>,
}

impl Conduct {
    /// Returns the number of games that the program forfeited.
    pub fn num_forfeits(&self) -> u64 {
        self.forfeits.values().sum()
    }

    /// Returns a description of the program's faults, or `None` if there are none.
    pub fn faults_in_words(&self) -> Option<String> {
        let mut sentences = Vec::new();
        if let Some(first) = &self.first_fault {
            let kinds = self
                .forfeits
                .iter()
                .map(|(fault, number)| format!("{number} {}", fault.in_words()));
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
