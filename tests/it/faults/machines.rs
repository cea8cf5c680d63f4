//! Several machines on one directory, in a simulation with a fixed seed.
//!
//! A schedule is a list of events. A machine starts its share of the work, alone or together with another machine. It
//! finishes, is killed at some call, or has a full disk from some call on. Sometimes a machine without a share
//! continues everything, and is killed as well. Kills leave locks and torn files behind. In the end one machine does
//! the rest, and the results have the same bytes as without faults.

use std::fs;
use std::process::{Child, Output};

use rand::RngExt;
use ruse::rng::{Label, Stream, StreamKey};

use super::{EXPERIMENTS, FAULTS, Preload, RESUME, RUN, Subject, check_end, results};
use crate::support::output;

/// The exit code of a share that was stopped, or that waits for the work of other machines.
const TRY_AGAIN: i32 = 75;

struct Machine {
    child: Child,
    fault: &'static str,
    what: String,
}

impl Subject {
    /// Starts a program on the directory, with a fault at a random call or none.
    fn start(&self, preload: &Preload, shares: usize, draws: &mut Stream) -> Machine {
        let has_begun = self.home.join("x/experiment.yaml").exists();
        let share = format!("{}/{shares}", draws.random_range(0..shares));
        let arguments = match has_begun && draws.random_range(0..4) == 0 {
            true => RESUME.to_vec(),
            false => [&RUN[..], &["--shard", &share]].concat(),
        };
        let fault = FAULTS[draws.random_range(0..FAULTS.len())];
        // A share has fewer calls than the whole, so some faults never happen.
        let at = draws.random_range(1..=self.num_calls);
        let mut command = preload.command(&arguments, &self.home);
        command.env("FAULT_AT", at.to_string()).env("FAULT", fault);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let what = format!("{fault} at call {at} of {}", arguments.join(" "));
        Machine { child: command.spawn().expect("it starts"), fault, what }
    }

    /// Does the rest of the work, and compares the results. Returns a description of the first difference.
    fn finish(&self) -> Result<(), String> {
        let x = self.home.join("x");
        let again = if x.join("experiment.yaml").exists() { &RESUME[..] } else { &RUN };
        let done = output(again, &self.home);
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stderr).into_owned());
        }
        let found = results(&x);
        let names = found.keys().chain(self.expected.keys());
        for name in names {
            if found.get(name) != self.expected.get(name) {
                return Err(format!("{} differs", name.display()));
            }
        }
        fs::remove_dir_all(x).map_err(|error| error.to_string())
    }
}

impl Machine {
    fn end(self) -> String {
        let output: Output = self.child.wait_with_output().expect("it is ours");
        if output.status.code() != Some(TRY_AGAIN) {
            check_end(&output, self.fault, &self.what);
        }
        format!("{}: {:?}", self.what, output.status.code())
    }
}

fn simulate(num_schedules: u64) {
    let parent = tempfile::tempdir().expect("a temporary directory");
    let Some(preload) = Preload::new(parent.path()) else { return };
    let subject = |experiment| Subject::new(&preload, parent.path(), experiment, |_| ());
    let subjects: Vec<_> =
        EXPERIMENTS.into_iter().take(num_schedules as usize).map(subject).collect();
    let (mut num_programs, mut num_killed) = (0, 0);
    for number in 0..num_schedules {
        let subject = &subjects[number as usize % subjects.len()];
        let mut draws = StreamKey::root(41).child(Label::Request, number).stream();
        let shares = draws.random_range(2..=3);
        let mut log = Vec::new();
        for _ in 0..draws.random_range(1..=4) {
            let first = subject.start(&preload, shares, &mut draws);
            let second =
                draws.random::<bool>().then(|| subject.start(&preload, shares, &mut draws));
            for machine in [first].into_iter().chain(second) {
                log.push(machine.end());
                num_programs += 1;
                num_killed += u64::from(log.last().is_some_and(|line| line.ends_with("None")));
            }
        }
        if let Err(problem) = subject.finish() {
            let kept = parent.keep();
            panic!("schedule {number} in {}: {problem}\n{}", kept.display(), log.join("\n"));
        }
    }
    println!("{num_schedules} schedules: {num_programs} programs, {num_killed} killed, none wrong");
    assert!(num_killed > 0);
}

tests! {
    fn a_few_schedules_of_several_machines_end_with_the_same_bytes() = simulate(3);
    @long
    fn schedules_of_several_machines_end_with_the_same_bytes() = simulate(1000);
}
