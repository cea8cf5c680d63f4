//! Writes `provenance.yaml` at the start and at the end of the work.

use std::sync::Mutex;
use std::time::Instant;

use ruse_programs::{Conduct, ask_to_start_named, conduct_of_programs};

use super::files::provenance::{Provenance, ShareProvenance};
use super::files::run_directory::RunDirectory;
use crate::error::Result;

/// The provenance of all results of a directory, or of one share of them.
pub(super) struct Note<'a> {
    directory: &'a RunDirectory,
    /// The name of the share; `None` for all results.
    share: Option<String>,
    num_threads: usize,
    begun: Mutex<Option<(Provenance, Instant)>>,
}

impl<'a> Note<'a> {
    /// Creates the provenance of work on the threads of the current pool.
    pub(super) fn new(directory: &'a RunDirectory, share: Option<String>) -> Note<'a> {
        let num_threads = rayon::current_num_threads();
        Note { directory, share, num_threads, begun: Mutex::new(None) }
    }

    fn write(&self, provenance: &Provenance) -> Result {
        match &self.share {
            None => self.directory.write_provenance(provenance)?,
            Some(share) => self.directory.shared().write_provenance(share, provenance)?,
        }
        Ok(())
    }

    /// Returns the programs that made mistakes in earlier work on the same results.
    fn mistakes_before(&self) -> Result<Vec<Conduct>> {
        Ok(match &self.share {
            None => self.directory.mistakes_of_whole()?,
            Some(share) => {
                let known = self.directory.shared().provenances()?;
                let known = known.iter().find(|known| known.share == *share);
                known.map_or(Vec::new(), ShareProvenance::mistakes)
            }
        })
    }

    /// Writes the provenance at the start of the work. Later calls have no effect.
    pub(super) fn begin(&self) -> Result {
        let mut begun = self.begun.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if begun.is_none() {
            let mut provenance = Provenance::now(self.num_threads);
            provenance.mistakes = self.mistakes_before()?;
            self.write(&provenance)?;
            *begun = Some((provenance, Instant::now()));
        }
        Ok(())
    }

    /// Asks whether the work may start these programs, and records them. Programs that are already listed have no
    /// effect.
    pub(super) fn starts(&self, programs: impl IntoIterator<Item = String>) -> Result {
        let mut begun = self.begun.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Some((provenance, _)) = &mut *begun else { return Ok(()) };
        for program in programs {
            ask_to_start_named(&program)?;
            if !provenance.programs.contains(&program) {
                provenance.programs.push(program);
                provenance.programs.sort_unstable();
                self.write(provenance)?;
            }
        }
        Ok(())
    }

    /// Writes the final provenance, with the programs that carried out shares. Writes nothing and returns `false` if
    /// the work has not begun.
    pub(super) fn end(&self, shares: Vec<ShareProvenance>) -> Result<bool> {
        let mut begun = self.begun.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Some((mut provenance, started)) = begun.take() else { return Ok(false) };
        provenance.finish(started.elapsed().as_secs_f64());
        let of_shares: Vec<Conduct> = shares.iter().flat_map(ShareProvenance::mistakes).collect();
        let now = conduct_of_programs().into_iter().filter(Conduct::has_mistakes);
        let before = std::mem::take(&mut provenance.mistakes);
        provenance.mistakes = Conduct::merged(before.into_iter().chain(of_shares).chain(now));
        provenance.shares = shares;
        self.write(&provenance)?;
        Ok(true)
    }
}
