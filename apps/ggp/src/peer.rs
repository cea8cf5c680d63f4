//! A player of the protocol as an opponent: the manager's side.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rand::{Rng, RngExt};
use ruse_base::stop::{StopRequest, StopSignal};
use ruse_games::rule_file::{RoleMove, RoleView, RuleFile};
use ruse_games::{Payoff, Rule, Seat};
use ruse_play::family::{AnyFamily, Guest, Home, Player};
use ruse_programs::PEER;
use ruse_search::Strategy;
use ruse_strategies::FamilyInfo;
use serde::Serialize;

use super::http::{HttpError, Patience, post};
use super::message::{Clocks, MAX_CLOCK, Spelling, canonical, in_one_line};

/// The clocks of a player whose name has none.
const CLOCKS: Clocks = Clocks { start: 10, play: 5 };
/// The maximum number of bytes of an answer.
const MAX_ANSWER: usize = 64 << 10;
/// The time for the answer to a message that ends a match.
const PARTING: Duration = Duration::from_secs(2);

/// An error in the name of a player of the protocol, or a game that it cannot play.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PeerNameError {
    /// The name has a wrong form.
    #[error(
        "`{0}` is not a player: expected ggp:HOST:PORT@START/PLAY, with the clocks in whole seconds from 1 to {MAX_CLOCK}, \
         as in ggp:localhost:9147@10/5"
    )]
    Form(String),
    /// The family is not from a rule file.
    #[error("`{name}` plays games from rule files (FILE.kif), and `{family}` is not from one")]
    NoRuleFile {
        /// The name of the player.
        name: String,
        /// The name of the family.
        family: String,
    },
    /// A side of the game plays several roles.
    #[error(
        "`{name}` plays one role, and a side of {file} plays several of its {roles} roles; take a file with two roles, or \
         with one"
    )]
    Roles {
        /// The name of the player.
        name: String,
        /// The name of the file.
        file: String,
        /// The number of roles.
        roles: usize,
    },
}

/// The answers of a player so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Replaced {
    /// The number of moves asked for.
    pub moves: u64,
    /// The number of moves that were replaced because they came after the clock, or not at all.
    pub late: u64,
    /// The number of answers that were replaced because they were not legal moves.
    pub illegal: u64,
    /// The number of moves that were replaced because the connection broke or the answer was not valid HTTP.
    #[serde(rename = "lost")]
    pub broken: u64,
}

impl Replaced {
    /// Returns `true` if moves were asked for, and all of them were replaced.
    pub fn is_all(&self) -> bool {
        self.moves > 0 && self.total() == self.moves
    }

    /// Returns the number of moves that were replaced.
    pub fn total(&self) -> u64 {
        self.late + self.illegal + self.broken
    }
}

/// A player at an address, which plays one role of a game from a rule file.
///
/// A move that is late, illegal or lost is replaced by a random legal move. If no connection can be established, or if
/// the player is busy with another match, all games are stopped.
pub struct Peer {
    name: String,
    host: String,
    clocks: Clocks,
    /// The rules in one line, and the spelling of their words.
    rules: String,
    spelling: Spelling,
    game_name: String,
    rules_in_force: Vec<Rule>,
    stop: StopSignal,
    addresses: OnceLock<Vec<SocketAddr>>,
    num_matches: AtomicU64,
    replaced: Mutex<Replaced>,
    problem: OnceLock<String>,
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The reason for a missing answer.
enum Miss {
    Late,
    Broken,
    /// The games were stopped.
    Over,
}

fn parse_name(name: &str) -> Option<(String, Clocks)> {
    let rest = name.strip_prefix(PEER)?;
    let (host, clocks) = match rest.split_once('@') {
        None => (rest, CLOCKS),
        Some((host, clocks)) => {
            let (start, play) = clocks.split_once('/')?;
            let clock = |text: &str| text.parse().ok().filter(|c| (1..=MAX_CLOCK).contains(c));
            (host, Clocks { start: clock(start)?, play: clock(play)? })
        }
    };
    let (name, port) = host.rsplit_once(':')?;
    let is_port = port.parse::<u16>().is_ok_and(|port| port > 0);
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_graphic() && c != '/');
    (is_port && is_name).then(|| (host.to_string(), clocks))
}

impl Peer {
    /// Creates the player with this name, for games of `family`. If the player cannot be reached, `stop` is raised.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is invalid, or if the player cannot play the game.
    pub fn new(
        name: &str,
        family: &dyn AnyFamily,
        stop: &StopSignal,
    ) -> Result<Arc<Peer>, PeerNameError> {
        let (host, clocks) = parse_name(name).ok_or_else(|| PeerNameError::Form(name.into()))?;
        let no_file =
            || PeerNameError::NoRuleFile { name: name.into(), family: family.name().into() };
        let game = family.rule_file().ok_or_else(no_file)?;
        let roles = game.roles().len();
        let max_roles = if game.plays_alone() { 1 } else { 2 };
        if roles > max_roles {
            let (name, file) = (name.into(), game.title().into());
            return Err(PeerNameError::Roles { name, file, roles });
        }
        let text = String::from_utf8_lossy(game.text());
        Ok(Arc::new(Peer {
            name: name.into(),
            host,
            clocks,
            rules: in_one_line(&text),
            spelling: Spelling::of(&text),
            game_name: family.info().game.into(),
            rules_in_force: family.rules(),
            stop: stop.clone(),
            addresses: OnceLock::new(),
            num_matches: AtomicU64::new(0),
            replaced: Mutex::default(),
            problem: OnceLock::new(),
        }))
    }

    /// Returns the player for games of its family.
    pub fn player(self: &Arc<Peer>) -> Player {
        let info = FamilyInfo { game: &self.game_name, ..FamilyInfo::new(&self.name, "") };
        let remote = Remote(Arc::clone(self));
        let home = Home::of_one::<RuleFile>(info, self.rules_in_force.clone(), Arc::new(remote));
        Player::Guest(Guest { home, player: Box::new(Player::Named(self.name.clone())) })
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the host and the port.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the numbers of answers so far.
    pub fn replaced(&self) -> Replaced {
        *self.replaced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the reason why the games were stopped, if the player is the reason.
    pub fn problem(&self) -> Option<&str> {
        self.problem.get().map(String::as_str)
    }

    fn count(&self, count: impl FnOnce(&mut Replaced)) {
        count(&mut self.replaced.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn stop_with(&self, problem: String) -> Miss {
        // Only the first problem is kept.
        let _ = self.problem.set(problem);
        self.stop.raise();
        Miss::Over
    }

    fn addresses(&self) -> Result<&[SocketAddr], Miss> {
        if let Some(known) = self.addresses.get() {
            return Ok(known);
        }
        let host = &self.host;
        match host.to_socket_addrs() {
            Ok(found) => Ok(self.addresses.get_or_init(|| found.collect())),
            Err(error) => Err(self.stop_with(format!(
                "{}: there is no host `{host}` ({error}); check the name and the network",
                self.name
            ))),
        }
    }

    /// Sends a message, and waits for the answer until the clock has run down.
    fn send(&self, message: &str, time: Duration, stop: StopRequest) -> Result<String, Miss> {
        let addresses = self.addresses()?;
        let patience = Patience { until: Instant::now() + time, stop, max_body: MAX_ANSWER };
        post(addresses, &self.host, message, &patience).map_err(|error| match error {
            HttpError::Late => Miss::Late,
            HttpError::Stopped => Miss::Over,
            HttpError::Unreachable(_) => self.stop_with(format!(
                "{}: {error}; start the player there (`ruse gamer` is one), or check the host and the port",
                self.name
            )),
            _ => Miss::Broken,
        })
    }

    fn ask(&self, message: &str, seconds: u32) -> Result<String, Miss> {
        let time = Duration::from_secs(seconds.into());
        self.send(message, time, self.stop.request().clone())
    }

    /// Returns the end of a message after `num_steps` steps: the moves or the percepts of the last step.
    fn news(&self, view: &RoleView<'_>, num_steps: u32) -> String {
        let (rules, role) = (view.rules(), view.role());
        let sees_all = view.state().is_some();
        let Some(last) = num_steps.checked_sub(1) else {
            return if sees_all { "NIL" } else { "0 NIL NIL" }.into();
        };
        let step = view.step(last);
        let spell = |text: &str| self.spelling.spell(text);
        match step.joint {
            Some(joint) => {
                let moves = rules.roles().zip(joint);
                let moves = moves.map(|(role, &action)| spell(rules.move_text(role, action)));
                format!("({})", moves.collect::<Vec<_>>().join(" "))
            }
            None => {
                let own = spell(rules.move_text(role, step.own));
                let percepts = step.percepts.iter();
                let percepts = percepts.map(|&percept| spell(rules.percept_text(role, percept)));
                let percepts = percepts.collect::<Vec<_>>().join(" ");
                format!("{num_steps} {own} ({percepts})")
            }
        }
    }
}

/// A match with a player, which is aborted when it is dropped before its end.
struct Open {
    peer: Arc<Peer>,
    id: String,
    /// The number of moves asked for.
    asked: u32,
    is_over: bool,
}

impl Open {
    /// Begins a match. Without an answer, the match goes on: the player may be ready when it is asked for a move.
    fn begin(peer: &Arc<Peer>, view: &RoleView<'_>) -> Result<Open, Miss> {
        let number = peer.num_matches.fetch_add(1, Ordering::Relaxed);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        // Players remember the names of matches, so names of different processes differ.
        let id = format!("ruse{}t{now}m{number}", std::process::id());
        let open = Open { peer: Arc::clone(peer), id, asked: 0, is_over: false };
        let role = peer.spelling.spell(view.rules().role_name(view.role()));
        let (id, rules, Clocks { start, play }) = (&open.id, &peer.rules, peer.clocks);
        match peer.ask(&format!("(START {id} {role} ({rules}) {start} {play})"), start) {
            Ok(answer) if answer.trim().eq_ignore_ascii_case("busy") => {
                Err(peer.stop_with(format!(
                    "{}: the player is busy with another match; wait for the end of the match, or restart the player",
                    peer.name
                )))
            }
            Err(Miss::Over) => Err(Miss::Over),
            _ => Ok(open),
        }
    }

    /// Asks for the move of the next step, and returns it if it is among `legal`. A move that is not is counted.
    fn next_move(&mut self, view: &RoleView<'_>, legal: &[RoleMove]) -> Option<RoleMove> {
        let peer = &self.peer;
        let message = format!("(PLAY {} {})", self.id, peer.news(view, self.asked));
        self.asked += 1;
        let answer = peer.ask(&message, peer.clocks.play);
        if let Err(Miss::Over) = answer {
            return None;
        }
        let (rules, role) = (view.rules(), view.role());
        let text = answer.as_deref().ok().and_then(canonical);
        let action = text.and_then(|text| rules.find_move(role, &text));
        let found = action.map(|action| RoleMove { role, action }).filter(|it| legal.contains(it));
        peer.count(|replaced| {
            replaced.moves += 1;
            match answer {
                Ok(_) => replaced.illegal += u64::from(found.is_none()),
                Err(Miss::Late) => replaced.late += 1,
                Err(_) => replaced.broken += 1,
            }
        });
        found
    }

    /// Tells the player of the steps before the present one, in which its role had one legal move.
    fn catch_up(&mut self, view: &RoleView<'_>) {
        while self.asked < view.num_steps() && self.peer.problem().is_none() {
            let action = view.step(self.asked).own;
            self.next_move(view, &[RoleMove { role: view.role(), action }]);
        }
    }

    fn end(mut self, view: &RoleView<'_>) {
        self.catch_up(view);
        self.is_over = true;
        let message = format!("(STOP {} {})", self.id, self.peer.news(view, view.num_steps()));
        let _ = self.peer.send(&message, PARTING, self.peer.stop.request().clone());
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if !self.is_over && self.peer.problem().is_none() {
            let message = format!("(ABORT {})", self.id);
            let _ = self.peer.send(&message, PARTING, StopRequest::default());
        }
    }
}

/// The player as a strategy.
struct Remote(Arc<Peer>);

impl Strategy<RuleFile> for Remote {
    type Memory = Option<Open>;

    fn begin(&self, memory: &mut Option<Open>, _: Seat) {
        *memory = None;
    }

    fn act<R: Rng>(
        &self,
        memory: &mut Option<Open>,
        view: RoleView<'_>,
        rng: &mut R,
        action: &mut RoleMove,
    ) {
        let role = view.role();
        let legal: Vec<RoleMove> =
            view.legal().iter().map(|&action| RoleMove { role, action }).collect();
        // After a stop request no match begins: the games that are left are abandoned.
        if memory.is_none() && self.0.stop.check().is_ok() {
            *memory = Open::begin(&self.0, &view).ok();
        }
        let found = memory.as_mut().and_then(|open| {
            open.catch_up(&view);
            open.next_move(&view, &legal)
        });
        *action = found.unwrap_or_else(|| legal[rng.random_range(0..legal.len())]);
    }

    fn end(&self, memory: &mut Option<Open>, view: RoleView<'_>, _: Payoff) -> bool {
        if let Some(open) = memory.take() {
            open.end(&view);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_host_a_port_and_clocks() {
        let named =
            |text| parse_name(text).map(|(host, Clocks { start, play })| (host, start, play));
        for (text, host, start, play) in [
            ("ggp:localhost:9147", "localhost:9147", 10, 5),
            ("ggp:localhost:9147@30/15", "localhost:9147", 30, 15),
            ("ggp:[::1]:4000@1/3600", "[::1]:4000", 1, 3600),
        ] {
            assert_eq!(named(text), Some((host.to_string(), start, play)), "{text}");
        }
        for text in [
            "ggp:",
            "ggp:host",
            "ggp::9147",
            "ggp:host:0",
            "ggp:host:65536",
            "ggp:host:1@",
            "ggp:host:1@5",
            "ggp:host:1@0/5",
            "ggp:host:1@5/3601",
            "ggp:http://host:1",
            "uct@500",
        ] {
            assert_eq!(named(text), None, "{text}");
        }
    }
}
