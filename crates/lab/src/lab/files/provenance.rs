//! The provenance of results, which helps to reproduce them.

use serde::Serialize;

/// The name of the file with the provenance.
pub(in crate::lab) const PROVENANCE: &str = "provenance.yaml";

/// The program, the time and the machine that produced results. They do not influence the results.
#[derive(Debug, Clone, Serialize)]
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
    /// The commands of external programs that serve as methods.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<String>,
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

impl Provenance {
    /// Returns the provenance of work that starts now with `num_threads` threads.
    pub fn now(num_threads: usize) -> Provenance {
        Provenance {
            version: env!("CARGO_PKG_VERSION"),
            commit: env!("RUSE_COMMIT"),
            compiler: env!("RUSE_COMPILER"),
            machine: format!("{}, {}", std::env::consts::OS, std::env::consts::ARCH),
            threads: num_threads,
            programs: Vec::new(),
            started: Self::clock(),
            finished: None,
            elapsed_s: None,
            shares: Vec::new(),
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
