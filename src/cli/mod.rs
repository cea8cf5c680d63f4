//! The command-line program, with one file per subcommand.
//!
//! Results go to standard output; progress and messages go to standard error. The exit codes are: 0, done; 1, failed;
//! 2, bad usage or input; 75, a share of an experiment was stopped after a checkpoint, and the same command continues
//! it; 130, interrupted by Ctrl-C, with the results so far written; 143, the same by SIGTERM, as `timeout` sends it.

mod ablation;
mod advise;
mod arguments;
mod bandit;
mod bench;
mod check_player;
mod compare;
mod completions;
mod consent;
mod evaluate;
mod execute;
mod explain;
mod exploit;
mod export;
mod failure;
mod figure_file;
mod format;
mod gamer;
mod help;
mod init;
mod list;
mod man;
mod matrix;
mod merge;
mod method_options;
mod new;
mod optimise;
mod output;
mod page;
mod plan;
mod play;
mod play_match;
mod plot;
mod portfolio;
mod power;
mod progress;
mod publish;
mod race;
mod rank;
mod report;
mod resume;
mod rule_file;
mod rule_network;
mod run;
mod screen;
mod share;
mod show;
mod signals;
mod slurm;
mod solve;
mod table;
mod tournament;
mod unfinished;
mod verbosity;
mod watch;
mod welcome;
mod worth;

use std::ffi::OsString;
use std::process::ExitCode;

use arguments::MachineArgs;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
pub use execute::carry_out;
pub use failure::Failure;
use failure::{Result, print, print_json, report_usage};
pub use plot::figures_of;
pub use report::write_page;
pub use run::check_file;

use ruse_base::stop::StopSignal;
use ruse_lab::{parse_count, schema};
use ruse_play::arena::thread_pool;
use ruse_registry::Registry;

/// Tunes parametric strategies for partially observable games, and quantifies the uncertainty of the results.
#[derive(Debug, Parser)]
#[command(name = "ruse", version, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    verbosity: verbosity::VerbosityArgs,
    /// Change a limit on rule files (FILE.kif), as in ground-rules=100000, or information-sets=N for best responses
    #[arg(long = "limit", global = true, value_name = "NAME=N", display_order = 1001, help_heading = help::EVERYWHERE)]
    limits: Vec<String>,
    /// Start programs that only a file names, as methods, players or families; each is announced first
    #[arg(long, global = true, display_order = 1002, help_heading = help::EVERYWHERE)]
    allow_programs: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::ListArgs),
    Show(show::ShowArgs),
    Match(play_match::MatchArgs),
    Play(play::PlayArgs),
    Replay(play::ReplayArgs),
    Watch(watch::WatchArgs),
    Gamer(gamer::GamerArgs),
    CheckPlayer(check_player::CheckArgs),
    Advise(advise::AdviseArgs),
    Evaluate(evaluate::EvaluateArgs),
    Explain(explain::ExplainArgs),
    Exploit(exploit::ExploitArgs),
    Solve(solve::SolveArgs),
    Power(power::PowerArgs),
    Race(race::RaceArgs),
    Rank(rank::RankArgs),
    Export(export::ExportArgs),
    #[command(visible_alias = "optimize")]
    Optimise(optimise::OptimiseArgs),
    Compare(compare::CompareArgs),
    Init(init::InitArgs),
    Plan(plan::PlanArgs),
    Run(run::RunArgs),
    Resume(resume::ResumeArgs),
    Merge(merge::MergeArgs),
    Slurm(slurm::SlurmArgs),
    Table(table::TableArgs),
    Page(page::PageArgs),
    Report(report::ReportArgs),
    Publish(publish::PublishArgs),
    New(new::NewArgs),
    /// Print a JSON Schema of experiment files, with which an editor completes and checks them
    Schema,
    Plot(plot::PlotArgs),
    Tournament(tournament::TournamentArgs),
    Portfolio(portfolio::PortfolioArgs),
    Bandit(bandit::BanditArgs),
    Bench(bench::BenchArgs),
    Completions(completions::CompletionsArgs),
    Complete(completions::CompleteArgs),
    Man(man::ManArgs),
}

/// Builds the command line, with the methods of `registry` and their options.
fn command(registry: &Registry) -> clap::Command {
    let with_names =
        |argument: clap::Arg| argument.value_parser(arguments::MethodNames::of(registry));
    let with_help = |argument| with_names(argument).help(arguments::method_help(registry));
    let with_options = |command| method_options::with_options(command, registry);
    let with_usual = |command| arguments::with_usual(command, registry);
    let command = Cli::command()
        .mut_subcommand("optimise", |command| {
            optimise::with_defaults(with_usual(with_options(command))).mut_arg("method", with_help)
        })
        .mut_subcommand("compare", |command| with_usual(command).mut_arg("methods", with_names));
    // Without a game, `play` asks for one.
    let command = command.mut_subcommand("play", |command| {
        command.mut_arg("family", |family| family.required(false))
    });
    help::with_examples(help::with_headings(command))
}

/// Runs the program on the arguments of the process, with the families and methods of `registry`.
///
/// A program with your own games, strategies or methods needs only this call:
///
/// ```no_run
/// use ruse::registry::Registry;
/// use ruse::strategies::pig::PigFamily;
///
/// fn main() -> std::process::ExitCode {
///     // Put your own family in place of `PigFamily`, as in `examples/own_family.rs`.
///     ruse::cli::run(Registry::empty().with(PigFamily::standard()))
/// }
/// ```
pub fn run(registry: Registry) -> ExitCode {
    run_from(&registry, std::env::args_os()).into()
}

/// Runs the program on these arguments, for programs that embed it. Returns the exit code. The first argument is the
/// name of the program. Calls in one process must not overlap, because Ctrl-C would stop only one.
pub fn run_from<A>(registry: &Registry, args: impl IntoIterator<Item = A>) -> u8
where
    A: Into<OsString>,
{
    let args: Vec<OsString> = args.into_iter().map(A::into).collect();
    // The stack of the main thread may be too small: the parent process sets its size.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("main".into()).stack_size(STACK_BYTES);
        match thread.spawn_scoped(scope, || run_here(registry, &args)) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // There is no memory for the stack of another thread.
            Err(_) => run_here(registry, &args),
        }
    })
}

/// Sets limits on rule files of the form `NAME=N`.
fn set_limits(limits: &[String], registry: &Registry) -> Result {
    for limit in limits {
        let Some((name, value)) = limit.split_once('=') else {
            let message =
                format!("invalid limit `{limit}`: expected NAME=N, such as ground-rules=100000");
            return Err(Failure::bad_input(message));
        };
        if name == "steps" {
            let message = "`steps` is a rule of the game, not a limit on the file";
            return Err(Failure::with_advice(message, format!("play with `--rule steps={value}`")));
        }
        // Numbers may be written as 500M.
        let number = parse_count(value, 1..=u64::MAX);
        if name == "information-sets" {
            let number = number.map_err(|_| {
                let message = format!(
                    "invalid limit `{limit}`: expected a whole number from 1 on, such as 500M"
                );
                Failure::bad_input(message)
            })?;
            registry.limit_information_sets(number);
            continue;
        }
        let value = number.map_or_else(|_| value.to_owned(), |number| number.to_string());
        registry.limit_rule_files(name, &value).map_err(Failure::bad_input)?;
    }
    Ok(())
}

/// The threads of commands that play no games.
const ONE_THREAD: MachineArgs = MachineArgs { threads: Some(1) };

/// The size, in bytes, of the stack that a main thread usually has.
const STACK_BYTES: usize = 8 << 20;

/// Rejects arguments that are not UTF-8, because file names are written to tables, pages and scripts.
fn check_text(args: &[OsString]) -> Result {
    let is_text = |arg: &OsString| arg.to_str().is_some();
    match args.iter().enumerate().skip(1).find(|(_, arg)| !is_text(arg)) {
        None => Ok(()),
        Some((number, arg)) => Err(Failure::with_advice(
            format!("argument {number} is not valid UTF-8: {arg:?}"),
            "nothing was done; rename the file or directory, with `mv`",
        )),
    }
}

fn run_here(registry: &Registry, args: &[OsString]) -> u8 {
    carry_out_args(registry, args).unwrap_or_else(Failure::report)
}

fn carry_out_args(registry: &Registry, args: &[OsString]) -> Result<u8> {
    check_text(args)?;
    check_memory()?;
    let deaf = |error| Failure::Failed(format!("cannot listen to signals: {error}"));
    signals::begin().map_err(deaf)?;
    if args.len() <= 1 {
        return print(&welcome::greeting(registry)).map(|()| 0);
    }
    let program = command(registry);
    let program = match args.iter().any(|arg| arg == "-h") {
        true => help::shortened(program),
        false => program,
    };
    let hidden = program.get_subcommands().filter(|command| command.is_hide_set());
    let hidden: Vec<String> = hidden.map(|command| command.get_name().into()).collect();
    let matches = match program.try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(mut error) => {
            help::suggest_visible(&mut error, &hidden);
            return Ok(report_usage(&error, help::tip(&error, args, registry)));
        }
    };
    if let Some(("play", of_play)) = matches.subcommand()
        && !of_play.contains_id("family")
    {
        let game = welcome::choose_game(registry)?;
        let with_game = |game: String| run_here(registry, &[args, &[game.into()]].concat());
        return Ok(game.map_or(0, with_game));
    }
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => return Ok(report_usage(&error, None)),
    };
    cli.verbosity.set();
    consent::guard(&matches, cli.allow_programs, registry);
    set_limits(&cli.limits, registry)?;
    registry.watch_files(|family| family.notes().iter().for_each(|note| verbosity::say(note)));
    registry.observe_rule_files(rule_file::say_long_work);
    let result = match &cli.command {
        Command::List(args) => list::list(args, registry),
        Command::Show(args) => on_threads(&ONE_THREAD, args, registry, show::show),
        Command::Match(args) => on_threads(&args.machine(), args, registry, play_match::play_match),
        Command::Play(args) => play::play(args, registry),
        Command::Replay(args) => play::replay(args, registry),
        Command::Watch(args) => watch::watch(args, registry),
        Command::Gamer(args) => on_threads(&args.machine, args, registry, gamer::gamer),
        Command::CheckPlayer(args) => {
            on_threads(&args.machine, args, registry, check_player::check_player)
        }
        Command::Advise(args) => advise::advise(args, registry),
        Command::Evaluate(args) => on_threads(&args.machine, args, registry, evaluate::evaluate),
        Command::Explain(args) => on_threads(&args.machine, args, registry, explain::explain),
        Command::Exploit(args) => {
            on_threads(&args.played.machine, args, registry, exploit::exploit)
        }
        Command::Export(args) => export::export(args, registry),
        Command::Solve(args) => on_threads(&args.played.machine, args, registry, solve::solve),
        Command::Rank(args) => rank::rank(args, registry),
        Command::Race(args) => on_threads(&args.machine, args, registry, race::race),
        Command::Power(args) => on_threads(&args.played.machine, args, registry, power::power),
        Command::Optimise(args) => on_threads(&args.machine, args, registry, optimise::optimise),
        Command::Compare(args) => on_threads(&args.machine, args, registry, compare::compare),
        Command::Table(args) => on_threads(&args.machine, args, registry, table::table),
        Command::Report(args) => on_threads(&args.machine, args, registry, report::report),
        Command::Page(args) => page::page(args, registry),
        Command::Publish(args) => publish::publish(args, registry),
        Command::Init(args) => init::init(args, registry),
        Command::Plan(args) => on_threads(&args.machine, args, registry, plan::plan),
        Command::Run(args) => {
            let share = args.share.share();
            // Schedulers give a share one processor.
            let threads = args.machine.threads.or(share.map(|_| 1));
            let exit_code = share.map(|_| Failure::StoppedShare.exit_code());
            let machine = MachineArgs { threads };
            on_threads_until(&machine, exit_code, |stop| run::run(args, registry, &stop))
        }
        Command::Merge(args) => merge::merge(args, registry),
        Command::Slurm(args) => slurm::slurm(args, registry),
        Command::Resume(args) => on_threads(&args.machine, args, registry, resume::resume),
        Command::Plot(args) => on_threads(&args.machine, args, registry, plot::plot),
        Command::Tournament(args) => {
            on_threads(&args.played.machine, args, registry, tournament::tournament)
        }
        Command::Portfolio(args) => {
            on_threads(&args.played.machine, args, registry, portfolio::portfolio)
        }
        Command::Bandit(args) => on_threads(&args.machine, args, registry, bandit::bandit),
        Command::Bench(args) => on_threads(&args.machine, args, registry, bench::bench),
        Command::New(args) => new::new(args),
        Command::Schema => print_json(&schema(registry)),
        Command::Completions(args) => completions::completions(args, &mut command(registry)),
        Command::Complete(args) => completions::complete(args, command(registry), registry),
        Command::Man(args) => man::man(args, command(registry)),
    };
    for remark in registry.remarks() {
        verbosity::say(&remark);
    }
    tell_of_programs();
    match (registry.fault(), result) {
        // If a game violates its own rules, all results are invalid.
        (Some(fault), Ok(()) | Err(Failure::Interrupted | Failure::StoppedShare)) => {
            Err(fault.into())
        }
        (_, result) => result.map(|()| 0),
    }
}

/// Carries out a command on a pool of threads, with a signal that Ctrl-C and the like raise.
fn on_threads<A: Sync>(
    machine: &MachineArgs,
    args: &A,
    registry: &Registry,
    command: fn(&A, &Registry, &StopSignal) -> Result,
) -> Result {
    on_threads_until(machine, None, |stop| command(args, registry, &stop))
}

/// Like [`on_threads`], with this exit code, if any, if Ctrl-C ends the program at once. It does so before `work` first
/// checks the signal, as there is nothing to save, or if pressed twice.
fn on_threads_until(
    machine: &MachineArgs,
    exit_code: Option<u8>,
    work: impl FnOnce(StopSignal) -> Result + Send,
) -> Result {
    let pool = thread_pool(machine.threads.map(usize::from)).map_err(Failure::no_thread)?;
    let stop = StopSignal::default();
    let asked = stop.clone();
    signals::listen(move || asked.is_heard() && !asked.raise(), exit_code);
    verbosity::detail(|| match pool.current_num_threads() {
        1 => "playing on 1 thread".to_string(),
        threads => format!("playing on {threads} threads"),
    });
    let result = pool.install(|| work(stop));
    // The work is over, so Ctrl-C now ends the program at once.
    signals::listen(|| false, exit_code);
    result
}

/// Names the mistakes of programs that have played, and ends the programs.
fn tell_of_programs() {
    for conduct in ruse_programs::conduct_of_programs() {
        conduct.faults_in_words().iter().for_each(|faults| verbosity::say_always(faults));
    }
    ruse_programs::dismiss_programs();
}

/// Checks that there is memory for small work. Rust ends a program that gets none at once, without a sentence.
fn check_memory() -> Result {
    const LEAST: usize = 64 << 20;
    let mut probe: Vec<u8> = Vec::new();
    std::hint::black_box(&mut probe).try_reserve_exact(LEAST).map_err(|_| Failure::no_memory(LEAST))
}
