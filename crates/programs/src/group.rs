//! A program and all processes that it starts, which end together.
//!
//! On Unix the program has a process group, which its children inherit and which is killed as a whole. Children that
//! leave the group, and children on other systems, cannot be reached.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::Mutex;

use crate::gate::lock;

/// The process groups of the programs that have not ended.
static LIVE: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Kills every started program that has not ended, with all its children. Call this function before the process exits
/// without ending its runs.
pub fn kill_programs() {
    lock(&LIVE).iter().for_each(|&group| kill(group));
}

#[cfg(unix)]
fn kill(group: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};

    if let Some(group) = i32::try_from(group).ok().and_then(Pid::from_raw) {
        // An error means that all processes of the group have ended.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill(_: u32) {}

/// A started program and its children, which end when the group is dropped.
pub(super) struct Group {
    child: Child,
    /// The exit status, once the program has ended.
    status: Option<ExitStatus>,
}

impl Group {
    /// Starts a program in a process group of its own.
    ///
    /// # Errors
    ///
    /// Returns an error if the program cannot be started.
    pub(super) fn start(program: &mut Command) -> io::Result<Group> {
        // Ctrl-C should reach our process only: a program ended by Ctrl-C would count as failed.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(program, 0);
        // The lock is held until the group is registered, so `kill_programs` cannot miss the group.
        let mut live = lock(&LIVE);
        let child = program.spawn()?;
        live.insert(child.id());
        Ok(Group { child, status: None })
    }

    pub(super) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Returns the exit status, or `None` if the program is still running. When the program has ended, its children are
    /// killed.
    ///
    /// # Errors
    ///
    /// Returns an error if the system does not report a status.
    pub(super) fn status(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.status.is_none()
            && let Some(status) = self.child.try_wait()?
        {
            self.close();
            self.status = Some(status);
        }
        Ok(self.status)
    }

    /// Kills the remaining processes of the group. The number of a group is not reused while a process of the group
    /// lives.
    fn close(&self) {
        let mut live = lock(&LIVE);
        kill(self.child.id());
        live.remove(&self.child.id());
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.status.is_none() {
            self.close();
            // An error means that the program has ended already.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
