//! A program and all that it starts, which end together.
//!
//! On Unix the program has a process group, which its children inherit: it is killed as a whole. A child that leaves the group
//! is out of reach, as are children on other systems.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The groups that have not ended.
static LIVE: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn live() -> MutexGuard<'static, BTreeSet<u32>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills every program that was started and has not ended, with all that it has started: for a process that is about to exit
/// without ending its runs.
pub fn kill_programs() {
    live().iter().for_each(|&group| kill(group));
}

#[cfg(unix)]
fn kill(group: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};

    if let Some(group) = i32::try_from(group).ok().and_then(Pid::from_raw) {
        // An error says that all of it has ended.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill(_: u32) {}

/// A program that was started, and its children. They end with this.
pub(super) struct Group {
    child: Child,
    /// How the program has ended, once it has.
    status: Option<ExitStatus>,
}

impl Group {
    /// Starts a program in a group of its own.
    ///
    /// # Errors
    ///
    /// When it cannot be started.
    pub(super) fn start(program: &mut Command) -> io::Result<Group> {
        // Ctrl-C is for us: a program that died of it would be one that has failed.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(program, 0);
        // Whoever kills all groups sees this one, or comes before it is started.
        let mut live = live();
        let child = program.spawn()?;
        live.insert(child.id());
        Ok(Group { child, status: None })
    }

    /// The program itself.
    pub(super) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// How the program has ended; none if it goes on. Its children end with it.
    ///
    /// # Errors
    ///
    /// When the system does not tell.
    pub(super) fn status(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.status.is_none()
            && let Some(status) = self.child.try_wait()?
        {
            self.close();
            self.status = Some(status);
        }
        Ok(self.status)
    }

    /// Kills what there is of the group. The number is not given to another process as long as a member lives.
    fn close(&self) {
        let mut live = live();
        kill(self.child.id());
        live.remove(&self.child.id());
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.status.is_none() {
            self.close();
            // An error says that it has ended.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
