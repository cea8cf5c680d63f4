//! `ruse gamer`: a player for match servers of general game playing.

use std::net::{IpAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use ruse_base::stop::StopSignal;
use ruse_ggp::{Gamer, GamerSettings, serve};
use ruse_play::family::AnyFamily;
use ruse_registry::Registry;
use ruse_search::SearchName;
use ruse_search::uct::UctSettings;

use super::arguments::{MachineArgs, parse_seed};
use super::failure::{Failure, Result, print};
use super::verbosity::say;

/// Play matches of a match server (the GGP protocol, GDL and GDL-II), until Ctrl-C
#[derive(Debug, Args)]
#[command(mut_arg("threads", |arg| arg.help(THREADS)))]
pub(super) struct GamerArgs {
    /// The port; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 9147)]
    port: u16,
    /// The address of this machine at which servers can reach the player; 0.0.0.0 is all of them
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    bind: IpAddr,
    /// A name of this machine by which servers reach it, beside its address; can be repeated
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// A player of any rule file: random, first-legal, or a search; without a budget, a search thinks for as long as the
    /// clock of the match allows [default: uct, with a tree for each thread]
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// The seed of all random numbers
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = parse_seed, allow_hyphen_values = true)]
    seed: u64,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

/// The help of `--threads`.
const THREADS: &str =
    "Threads of the default player, at most four per processor [default: all processors]";

/// Returns the default player: a search on all threads.
fn searching_player() -> String {
    match rayon::current_num_threads().min(UctSettings::MAX_TREES as usize) {
        1 => SearchName::UCT.into(),
        trees => format!("{}:trees={trees}", SearchName::UCT),
    }
}

/// The name of the rules that a server sends, in messages about mistakes.
const RECEIVED: &str = "received.kif";
/// A game for which the name of the player is checked. Every player of a rule file can play it.
const ANY_GAME: &str = "tic_tac_toe.kif";

pub(super) fn gamer(args: &GamerArgs, registry: &Registry, stop: &StopSignal) -> Result {
    let reader = registry.reader(RECEIVED)?;
    let player = args.player.clone().unwrap_or_else(searching_player);
    check_player(&player, registry)?;
    let listener = TcpListener::bind((args.bind, args.port)).map_err(|error| {
        let message = format!("cannot listen at {} port {}: {error}", args.bind, args.port);
        Failure::with_advice(message, "take another port (--port N), or 0 for any that is free")
    })?;
    let place = listener.local_addr().map_err(|error| Failure::Failed(error.to_string()))?;
    let read = move |text: &[u8]| -> Result<Arc<dyn AnyFamily>, String> {
        reader.read_from(RECEIVED, Path::new(RECEIVED), text).map_err(|error| error.to_string())
    };
    let gamer = Arc::new(Gamer::new(GamerSettings {
        player: player.clone(),
        seed: args.seed,
        max_rules: registry.rule_file_bytes(),
        names: args.host.clone(),
        read: Arc::new(read),
        tell: Arc::new(|text: &str| say(&ruse_base::visible::escaped(text))),
    }));
    print(&format!("{player} waits for matches at {place}; Ctrl-C ends it\n"))?;
    serve(&listener, &gamer, stop)
        .map_err(|error| Failure::Failed(format!("cannot accept connections: {error}")))?;
    Err(Failure::Interrupted)
}

/// Checks that a player can play any rule file, also with a time limit.
fn check_player(player: &str, registry: &Registry) -> Result {
    let family = registry.family(ANY_GAME)?;
    let with_budget = Gamer::player_for(player, 1);
    let check = family.check_named(&with_budget);
    check.map_err(|error| match with_budget == player {
        true => Failure::from(error),
        false => {
            Failure::with_advice(error, format!("give `{player}` a budget, as in {player}@1k"))
        }
    })
}
