//! `ruse slurm`: prints or submits an experiment as Slurm arrays.

use std::env;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use clap::builder::RangedU64ValueParser;
use minijinja::{Environment, UndefinedBehavior, context};
use ruse_base::visible::{ScriptWordError, check_script_word};
use ruse_lab::{JobKind, Jobs, Plan};
use ruse_registry::Registry;

use super::consent;
use super::failure::{Failure, Result, print};
use super::run::check_file;
use super::verbosity::say;

/// Print or submit a script that carries out an experiment on a Slurm cluster
///
/// Two arrays of shards share DIR, which must be visible to all nodes: the first does the runs, the second the meetings
/// of their champions and best responses. Then one job combines the results. A shard that is stopped at a time limit is
/// queued again, and continues from its checkpoint. If the script is submitted again, it continues the unfinished work.
#[derive(Debug, Args)]
pub(super) struct SlurmArgs {
    /// The experiment, in YAML
    file: PathBuf,
    /// The directory of the results, on a file system that all nodes share
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The number of shards; each is a task of the array on one core [default: one per five minutes of work, up to 100]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    tasks: Option<usize>,
    /// The time limit of each task, in the format of Slurm: 2:00:00, or 1-12 [default: the limit of the partition]
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    time: Option<String>,
    /// The maximum number of tasks of an array that run at the same time [default: no limit]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    at_once: Option<usize>,
    /// The number of threads of the job that combines the results
    #[arg(long, value_name = "T", default_value = "1", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    finale_threads: usize,
    /// A further option for every sbatch, such as --sbatch=--partition=long; can be repeated
    #[arg(long, value_name = "OPTION", value_parser = parse_option, allow_hyphen_values = true)]
    sbatch: Vec<String>,
    /// Submit the script, which needs `sbatch`
    #[arg(long)]
    submit: bool,
}

/// Checks a time limit in a format of Slurm: minutes, minutes:seconds, hours:minutes:seconds, days-hours and so on.
fn parse_limit(text: &str) -> Result<String, String> {
    let refused = || {
        format!(
            "invalid Slurm time limit `{text}`: expected a form such as 90 (minutes), 2:00:00 or 1-12 (days and hours)"
        )
    };
    let is_number = |part: &str| {
        (1..=6).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let (days, rest) = text.split_once('-').map_or((None, text), |(days, rest)| (Some(days), rest));
    let parts: Vec<&str> = rest.split(':').collect();
    let is_fine =
        days.is_none_or(is_number) && parts.len() <= 3 && parts.iter().all(|part| is_number(part));
    if is_fine { Ok(text.into()) } else { Err(refused()) }
}

fn parse_option(text: &str) -> Result<String, ScriptWordError> {
    check_script_word(text.as_ref()).map(String::from)
}

/// Quotes a word for a shell, if necessary.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-=:,+@%".contains(&byte);
    match !word.is_empty() && word.bytes().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Returns the absolute path, because tasks may start in other directories, or `path` if the current directory is
/// unknown.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}

/// Returns the command for this program in a task: its name if the shell found it by name, otherwise its path.
fn program() -> PathBuf {
    let called = env::args_os().next().map(PathBuf::from).unwrap_or_default();
    let is_name = called.components().count() == 1;
    env::current_exe().ok().filter(|_| !is_name).unwrap_or_else(|| "ruse".into())
}

/// Returns the default number of shards, each with a few minutes of work and at least one run.
fn sensible_tasks(jobs: &Jobs) -> usize {
    const WORK_S: f64 = 300.0;
    const MOST: usize = 100;
    let seconds: f64 = jobs.jobs.iter().filter_map(|job| job.seconds).sum();
    let first = jobs.num_of(JobKind::Run) + jobs.num_of(JobKind::Pool);
    let by_work = (seconds / WORK_S).ceil().min(MOST as f64) as usize;
    by_work.clamp(1, first.max(1))
}

/// Returns a remark if Slurm, as it comes, refuses an array of this many tasks.
fn remark(tasks: usize) -> Option<String> {
    const MAX_ARRAY_SIZE: usize = 1001;
    (tasks > MAX_ARRAY_SIZE).then(|| {
        format!(
            "Slurm refuses arrays of more than {MAX_ARRAY_SIZE} tasks, unless its MaxArraySize was raised: `scontrol show config` \
             shows it"
        )
    })
}

/// Returns the script, which calls `program`, with this further option.
///
/// # Errors
///
/// Returns an error if a path has a line break or another invisible character that would change the script's meaning.
fn script(
    args: &SlurmArgs,
    jobs: &Jobs,
    program: &Path,
    option: &str,
) -> Result<String, ScriptWordError> {
    let [file, out] = [&args.file, &args.out].map(|path| absolute(path));
    let [file, out, program] =
        [&file, &out, program].map(|path| check_script_word(path.as_os_str()));
    let (file, out, program) = (file?, out?, program?);
    let mut options =
        vec!["--parsable".to_string(), "--requeue".into(), "--open-mode=append".into()];
    options.extend(args.time.iter().map(|time| format!("--time={time}")));
    options.extend(args.sbatch.iter().map(|option| quoted(option)));
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.add_filter("quoted", |word: String| quoted(&word));
    let values = context! {
        num_jobs => jobs.jobs.len(),
        stem => Path::new(file).file_stem().and_then(OsStr::to_str).unwrap_or("ruse"),
        tasks => args.tasks.unwrap_or_else(|| sensible_tasks(jobs)),
        at_once => args.at_once.map_or(String::new(), |num| format!("%{num}")),
        threads => args.finale_threads,
        has_second => jobs.num_of(JobKind::Meetings) + jobs.num_of(JobKind::Responses) > 0,
        logs => format!("{out}.logs"),
        options => options.join(" "),
        file,
        out,
        program,
        option,
    };
    let script = environment.render_str(include_str!("slurm.sh"), values);
    Ok(script.expect("the template knows all values") + "\n")
}

pub(super) fn slurm(args: &SlurmArgs, registry: &Registry) -> Result {
    check_file(&args.file, registry)?;
    let plan = Plan::read(&args.file, registry)?;
    let jobs = Jobs::of(&plan);
    for program in plan.programs() {
        say(&program.in_words());
    }
    if let Some(remark) = args.tasks.and_then(remark) {
        say(&remark);
    }
    let option = consent::option_for(&plan);
    if !option.is_empty() && !consent::is_given() {
        say(
            "the jobs will not start these programs: with `--allow-programs`, the script lets them",
        );
    }
    let option = if consent::is_given() { option } else { "" };
    let script = script(args, &jobs, &program(), option)?;
    if !args.submit {
        return print(&script);
    }
    let failed =
        |error: std::io::Error| Failure::Failed(format!("cannot submit the script: {error}"));
    if Command::new("sbatch")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_err()
    {
        return Err(Failure::with_advice(
            "cannot find `sbatch` on this machine",
            "log in to a node that submits jobs, or leave --submit out to print the script, and run it there",
        ));
    }
    let mut shell = Command::new("bash").stdin(Stdio::piped()).spawn().map_err(failed)?;
    // Closing the pipe ends the input of the shell.
    shell.stdin.take().expect("a pipe").write_all(script.as_bytes()).map_err(failed)?;
    let status = shell.wait().map_err(failed)?;
    if !status.success() {
        return Err(Failure::Failed("sbatch rejected the script".into()));
    }
    say(&format!("`squeue --me` shows the jobs; their logs are in {}.logs", args.out.display()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_limits_are_those_of_slurm() {
        for fine in ["90", "30:00", "2:00:00", "1-12", "1-12:30", "1-00:00:00"] {
            assert_eq!(parse_limit(fine).as_deref(), Ok(fine));
        }
        for bad in ["", "2h", "1:2:3:4", "-1", "1-", "1;rm", "1 2", "1234567"] {
            assert!(parse_limit(bad).is_err(), "{bad}");
        }
    }

    /// The default of MaxArraySize is 1001, one more than the largest index.
    #[test]
    fn arrays_that_slurm_refuses_are_remarked_on() {
        assert_eq!([1, 1000, 1001].map(remark), [const { None }; 3]);
        assert!(remark(1002).is_some_and(|remark| remark.contains("more than 1001 tasks")));
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (word, expected) in [
            ("/runs/paper", "/runs/paper"),
            ("two words", "'two words'"),
            ("it's", r"'it'\''s'"),
            ("$HOME", "'$HOME'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
