//! The provenance of results, which helps to reproduce them.

use ruse_programs::Conduct;
use serde::Serialize;

/// The name of the file with the provenance.
pub(crate) const PROVENANCE: &str = "provenance.yaml";

/// The program, the time and the machine that produced results. They do not influence the results.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Provenance {
    /// The version of this program.
    pub version: &'static str,
    /// The commit of the program.
    pub commit: &'static str,
    /// The compiler of the program.
    pub compiler: &'static str,
    /// The operating system and the processor architecture.
    pub machine: String,
    /// The number of threads that played games.
    pub threads: usize,
    /// The external programs that were started, as the experiment names them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<String>,
    /// The programs that made mistakes as players, in this work and in earlier work on the same results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mistakes: Vec<Conduct>,
    /// The start of the run, in UTC.
    pub started: String,
    /// The end of the run, in UTC, if it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished: Option<String>,
    /// The wall-clock time, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_s: Option<f64>,
    /// The programs that carried out shares of the work, if there were several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<ShareProvenance>,
}

/// A program that carried out a share of the work.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShareProvenance {
    /// The name of the share: `shard-3-of-100`, or `job-17`.
    pub share: String,
    #[serde(flatten)]
    pub(super) of: serde_yaml::Mapping,
}

impl ShareProvenance {
    /// Returns the programs that made mistakes in the share.
    pub(crate) fn mistakes(&self) -> Vec<Conduct> {
        mistakes_in(&self.of)
    }
}

/// Returns the programs that made mistakes, by a provenance as it was written. The answer is empty if there are none,
/// or if they are unreadable, because nothing depends on them.
pub(super) fn mistakes_in(provenance: &serde_yaml::Mapping) -> Vec<Conduct> {
    let mistakes = provenance.get("mistakes").cloned();
    mistakes.and_then(|mistakes| serde_yaml::from_value(mistakes).ok()).unwrap_or_default()
}

impl Provenance {
    /// Returns the provenance of work that starts now with `num_threads` threads.
    pub fn now(num_threads: usize) -> Provenance {
        Provenance {
            version: env!("CARGO_PKG_VERSION"),
            commit: env!("RUSE_COMMIT"),
            compiler: env!("RUSE_COMPILER"),
            machine: format!("{}, {}", std::env::consts::OS, std::env::consts::ARCH),
            threads: num_threads,
            started: Self::clock(),
            ..Provenance::default()
        }
    }

    /// Records that the run ended now, after `elapsed_s` seconds.
    pub fn finish(&mut self, elapsed_s: f64) {
        self.finished = Some(Self::clock());
        self.elapsed_s = Some((elapsed_s * 1e3).round() / 1e3);
    }

    fn clock() -> String {
        humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
    }
}

#[cfg(test)]
mod tests {
    use ruse_programs::Fault;

    use super::*;

    #[test]
    fn mistakes_are_read_as_they_were_written() {
        let mut provenance = Provenance::now(2);
        let read = |provenance: &Provenance| {
            let text = serde_yaml::to_string(provenance).expect("plain data");
            mistakes_in(&serde_yaml::from_str(&text).expect("a mapping"))
        };
        assert_eq!(read(&provenance), []);
        let forfeits = [(Fault::Late, 2), (Fault::Illegal, 1)].into();
        let conduct =
            Conduct { command: "./bot".into(), games: 20, forfeits, ..Conduct::default() };
        provenance.mistakes = vec![conduct.clone()];
        assert_eq!(read(&provenance), [conduct]);
        let unreadable = serde_yaml::from_str("mistakes: [{program: 1}]").expect("a mapping");
        assert_eq!(mistakes_in(&unreadable), []);
    }
}
