//! Where results come from, for those who want to repeat them.

use serde::Serialize;

/// The name of the file.
pub(in crate::lab) const PROVENANCE: &str = "provenance.yaml";

/// By which program results were made, when and on what. Nothing here has an influence on them.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Provenance {
    /// The version of this program.
    pub version: &'static str,
    /// The commit it was built from.
    pub commit: &'static str,
    /// The compiler it was built with.
    pub compiler: &'static str,
    /// Operating system and processor architecture.
    pub machine: String,
    /// Threads that played.
    pub threads: usize,
    /// The commands of programs that were started, of methods that are programs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<String>,
    /// When the run started, in universal time.
    pub started: String,
    /// When it ended, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished: Option<String>,
    /// Wall time, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_s: Option<f64>,
    /// The programs that did shares of the work, if several did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<ShareProvenance>,
}

/// A program that did a share of the work.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShareProvenance {
    /// The share: `shard-3-of-100`, or `job-17`.
    pub share: String,
    /// As the program has written it.
    #[serde(flatten)]
    pub(super) of: serde_yaml::Mapping,
}

impl Provenance {
    /// The provenance of something that starts now on so many threads.
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

    /// Notes that the run ended now, after so many seconds.
    pub fn finish(&mut self, elapsed_s: f64) {
        self.finished = Some(Self::clock());
        self.elapsed_s = Some((elapsed_s * 1e3).round() / 1e3);
    }

    fn clock() -> String {
        humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
    }
}
