//! `ruse-uci`: plays games of chess between two settings of an engine, for `ruse`.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use ruse_uci::adapter::{Adapter, Setup};
use ruse_uci::engine::Limit;
use ruse_uci::game::Rules;
use ruse_uci::opening_files;
use ruse_uci::openings::Openings;

/// Lets ruse tune the options of chess engines that speak UCI
///
/// ruse starts this program as a family, `program:ruse-uci ENGINE ...`, and sends it the settings that are to play. A pair
/// is two games from one opening with the colours swapped, between two processes of the engine. The reference `default`,
/// which is also the baseline, plays with the engine's own values.
#[derive(Parser)]
#[command(name = "ruse-uci", version, after_help = EXAMPLES, arg_required_else_help = true)]
struct Arguments {
    /// The engine, and its arguments, which follow after `--` if they begin with a dash.
    #[arg(required = true, value_name = "ENGINE")]
    command: Vec<String>,
    /// An option to tune: NAME, NAME=MIN..MAX or NAME=MIN..MAX/STEP. May be repeated. Without a range it is the engine's;
    /// without a step it is a tenth of the range, and at least 1 for whole numbers. Methods start from the engine's
    /// default, and first change it by about a step.
    #[arg(long, value_name = "OPTION")]
    tune: Vec<String>,
    /// A file of options to tune, with lines as tuners of engines print them: `name, int, value, min, max, c_end, r_end`,
    /// or `float`. The value is the start, and c_end the step.
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// An option of both sides. May be repeated. The book of the engine, `OwnBook`, is off unless it is set here.
    #[arg(long, value_name = "NAME=VALUE", value_parser = read_setting)]
    set: Vec<(String, String)>,
    /// The number of positions that an engine looks at for a move. Not all engines know this limit: see --depth.
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// The depth to which an engine looks for a move, in plies, instead of a number of positions.
    #[arg(long, value_name = "PLIES", conflicts_with = "nodes", value_parser = clap::value_parser!(u64).range(1..))]
    depth: Option<u64>,
    /// The time for a move in milliseconds, instead of a number of positions. Results then depend on the load of the
    /// machine.
    #[arg(long, value_name = "MS", conflicts_with_all = ["nodes", "depth"], value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// A file of openings: games in PGN if its name ends in `.pgn`, otherwise positions in EPD or FEN, one a line. Without
    /// a file, an opening is eight random plies after which material is equal and nothing can be won by captures.
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// The number of plies that are taken from each game in PGN.
    #[arg(long, value_name = "N", default_value_t = 16, requires = "openings")]
    opening_plies: usize,
    #[command(flatten)]
    rules: Rules,
    /// Promises that the same settings play the same games. ruse then checks some pairs, and calls results reproducible.
    #[arg(long, conflicts_with = "movetime")]
    deterministic: bool,
    /// Keeps the process of an engine if its settings change, and sends only the options that change. Otherwise the engine
    /// starts again, because some engines, such as Toga II, remember evaluations of earlier settings. This option saves
    /// time with engines that start slowly.
    #[arg(long)]
    keep: bool,
}

const EXAMPLES: &str = "Examples:
  ruse optimise \"program:ruse-uci stockfish --tune 'Skill Level' --nodes 2000\"
  ruse optimise \"program:ruse-uci toga2 --parameters toga2.txt --depth 4 --deterministic\" --method spsa
  ruse match \"program:ruse-uci gnuchess --tune 'King Safety=0..200/20' --depth 4 -- --uci\" default \"[1]\"
  ruse-uci stockfish        prints the names of the options, because none is tuned

Rules: mate, stalemate, fifty moves, three times the same position, and too little material to mate. An engine that does
not start, ends, answers late (after 10 s, or the time for a move and 5 s) or names an illegal move stops the run with a
message; `ruse resume` continues it.";

/// Reads the argument of `--set`.
fn read_setting(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text.split_once('=').ok_or("it is not NAME=VALUE")?;
    Ok((name.trim().into(), value.trim().into()))
}

/// Reads a file that an option names.
fn read_file(path: &PathBuf) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

impl Arguments {
    fn setup(self) -> Result<Setup, String> {
        let openings = match &self.openings {
            None => Openings::BuiltIn,
            Some(path) => opening_files::read(path, &read_file(path)?, self.opening_plies)
                .map_err(|error| format!("{}: {error}", path.display()))?,
        };
        Ok(Setup {
            command: self.command,
            tune: self.tune,
            file: self.parameters.as_ref().map(read_file).transpose()?,
            fixed: self.set,
            limit: match (self.depth, self.movetime) {
                (Some(depth), _) => Limit::Depth(depth),
                (_, Some(time)) => Limit::Time(time),
                _ => Limit::Nodes(self.nodes),
            },
            rules: self.rules,
            openings,
            is_deterministic: self.deterministic,
            is_kept: self.keep,
        })
    }
}

/// Answers the lines of the standard input until it ends.
fn run(arguments: Arguments) -> Result<(), String> {
    let mut adapter = Adapter::new(arguments.setup()?).map_err(|error| error.to_string())?;
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let Some(answer) = adapter.answer(&line.map_err(|error| error.to_string())?) else { break };
        writeln!(out, "{answer}").and_then(|()| out.flush()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
