//! Programs that hold a lock, as they say themselves.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The program that works in a directory, as it says itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Holder {
    /// The number of the process.
    pub process: u32,
    /// The machine it runs on, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// When it began, in universal time.
    pub since: String,
}

impl Holder {
    /// This program, from now on.
    pub(super) fn new() -> Holder {
        #[cfg(unix)]
        let host = rustix::system::uname().nodename().to_str().ok().map(String::from);
        #[cfg(not(unix))]
        let host = None;
        let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now());
        Holder { process: std::process::id(), host, since: now.to_string() }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {}", self.process)?;
        if let Some(host) = &self.host {
            write!(f, " on {host}")?;
        }
        write!(f, " since {}", self.since)
    }
}
