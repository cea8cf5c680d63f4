//! The program that holds a lock, as described in its lock file.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The program that works in a directory, as described in the lock file of the directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Holder {
    /// The process id.
    pub process: u32,
    /// The name of the machine, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The time at which the program took the lock, in UTC.
    pub since: String,
}

impl Holder {
    /// Describes this program as a holder that takes its lock now.
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
