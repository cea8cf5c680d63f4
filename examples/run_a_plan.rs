//! Does the work of `ruse run FILE --out DIR` in a program of your own: `cargo run --example run_a_plan -- FILE DIR`.

use std::path::PathBuf;

use ruse::arena::StopSignal;
use ruse::lab::{self, Event, Watch};
use ruse::lab::{Plan, RunDirectory};
use ruse::registry::Registry;

/// A listener that prints every finished run.
struct Printer;

impl Watch for Printer {
    fn on_event(&self, event: &Event<'_>) {
        if let Event::RunDone { outcome, .. } = event {
            let words = outcome.strategy.words.as_deref().unwrap_or_default();
            println!("{}: {words}", outcome.experiment.run_name());
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut paths = std::env::args_os().skip(1).map(PathBuf::from);
    let (file, out) = paths.next().zip(paths.next()).ok_or("give a file and a new directory")?;
    let registry = Registry::standard();
    let plan = Plan::read(&file, &registry)?;
    let directory = RunDirectory::create(Some(&out), &plan)?;
    let outcome = lab::carry_out(&plan, &registry, &directory, &Printer, &StopSignal::default())?;
    println!("{} of {} runs are done", outcome.runs.len(), plan.runs.len());
    Ok(())
}
