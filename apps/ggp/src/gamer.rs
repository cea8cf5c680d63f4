//! A player of the protocol: the side of the protocol that match servers ask.

use std::io::ErrorKind;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::StopSignal;
use ruse_play::family::AnyFamily;
use ruse_search::{Budget, SearchName};

use super::http::{Patience, receive, refuse, respond};
use super::message::{Clocks, Message, News, asked_for_move, canonical};
use super::thinker::{Answer, Ask, Thinker};

/// The maximum number of requests that are read or answered at a time. The oldest of those not yet read gives way to a
/// new one.
const MAX_REQUESTS: usize = 32;
/// The time within which a request must have been read.
const READING: Duration = Duration::from_secs(20);
/// The interval between checks for a connection and for a stop request.
const POLL: Duration = Duration::from_millis(5);
/// The bytes of a message beside the rules.
const BESIDE_RULES: usize = 64 << 10;
/// The time after which a match without messages is given up if another begins.
const FORGOTTEN: Duration = Duration::from_secs(600);
/// The time for the goal after the end of a match, and for thinking if the clock is 0.
const MOMENT: Duration = Duration::from_millis(50);

/// The settings of a player.
pub struct GamerSettings {
    /// The name of the player, such as `uct` or `random`. A search without a budget thinks for as long as the clock
    /// allows.
    pub player: String,
    /// The seed of the player's random numbers.
    pub seed: u64,
    /// The maximum number of bytes of the rules.
    pub max_rules: u64,
    /// The names by which servers reach this machine, beside its address.
    pub names: Vec<String>,
    /// Creates the family of a game from the text of its rules. The error is a message.
    pub read: Arc<ReadRules>,
    /// Receives messages about matches and problems.
    pub tell: Arc<dyn Fn(&str) + Send + Sync>,
}

/// A function that creates a family from the text of rules.
pub type ReadRules = dyn Fn(&[u8]) -> Result<Arc<dyn AnyFamily>, String> + Send + Sync;

/// A player of games from rule files, which plays one match at a time.
pub struct Gamer {
    settings: Arc<GamerSettings>,
    current: Mutex<Option<Match>>,
    num_matches: AtomicUsize,
}

/// A match in progress. The thread that thinks ends when the match is dropped.
struct Match {
    id: String,
    clocks: Clocks,
    asks: Sender<Ask>,
    is_abandoned: Arc<AtomicBool>,
    /// The time of the last message.
    heard: Instant,
    /// The canonical text of the last answer to a question for a move.
    last: Option<String>,
}

impl Drop for Match {
    fn drop(&mut self) {
        self.is_abandoned.store(true, Ordering::Relaxed);
    }
}

/// Returns the time to think and the time to answer, both from the start of a clock. The rest of the clock is for the
/// network.
fn times(clock: u32) -> (Duration, Duration) {
    let clock = Duration::from_secs(clock.into());
    let margin = (clock / 5).clamp(Duration::from_millis(200), Duration::from_secs(1));
    let think = clock.saturating_sub(margin).max(MOMENT);
    (think, clock.saturating_sub(margin / 2).max(2 * MOMENT))
}

/// Returns the name of a player that thinks for this time, if the name is a search without a budget.
fn with_time(player: &str, time: Duration) -> String {
    let (method, settings) = player.split_at(player.find(':').unwrap_or(player.len()));
    if method.contains('@') || SearchName::parse(player).is_none() {
        return player.into();
    }
    let milliseconds = (time.as_millis() as u64).clamp(1, Budget::MAX_MILLISECONDS);
    format!("{method}@{milliseconds}ms{settings}")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The answer to a message. The inner `Err` says what is wrong with the message.
type Answered = Result<String, String>;

impl Gamer {
    /// Creates a player without a match.
    pub fn new(settings: GamerSettings) -> Gamer {
        let (settings, current) = (Arc::new(settings), Mutex::default());
        Gamer { settings, current, num_matches: AtomicUsize::new(0) }
    }

    /// Returns the name of the player in a match with this play clock.
    pub fn player_for(player: &str, play_clock: u32) -> String {
        with_time(player, times(play_clock).0)
    }

    /// Answers a message that was received at a time. A message that asks for a move of the match in progress is always
    /// answered by a move: if it is not understood, by a random legal one.
    ///
    /// # Errors
    ///
    /// Returns the reason why the message has no answer.
    pub fn answer(&self, text: &str, received: Instant) -> Answered {
        let message = match (Message::parse(text), asked_for_move(text)) {
            (Ok(message), _) => message,
            (Err(error), Some(id)) => {
                return Ok(self.play(id, Err(error.to_string()), received));
            }
            (Err(error), None) => return Err(error.to_string()),
        };
        match message {
            Message::Info => Ok(self.busy_or("available")),
            Message::Preview => Ok(self.busy_or("ready")),
            Message::Start { id, role, rules, clocks } => {
                self.start(id, role, rules, clocks, received)
            }
            Message::Play { id, news } => Ok(self.play(id, Ok(news), received)),
            Message::Stop { id, news } => Ok(self.stop(id, news)),
            Message::Abort { id } => Ok(match self.take(id) {
                None => "busy".into(),
                Some(_) => {
                    (self.settings.tell)(&format!("match {id}: aborted"));
                    "aborted".into()
                }
            }),
        }
    }

    fn start(&self, id: &str, role: String, rules: &str, clocks: Clocks, at: Instant) -> Answered {
        let GamerSettings { player, seed, tell, .. } = &*self.settings;
        let (asks, questions) = channel();
        let is_abandoned = Arc::<AtomicBool>::default();
        {
            let mut current = lock(&self.current);
            if current.as_ref().is_some_and(|other| other.heard.elapsed() <= FORGOTTEN) {
                return Ok("busy".into());
            }
            if let Some(other) = &*current {
                tell(&format!("match {}: given up, as no message came any more", other.id));
            }
            let is_abandoned = Arc::clone(&is_abandoned);
            let (id, heard) = (id.to_string(), Instant::now());
            *current = Some(Match { id, clocks, asks, is_abandoned, heard, last: None });
        }
        tell(&format!(
            "match {id}: {role}, with {} seconds to start and {} for a move",
            clocks.start, clocks.play
        ));
        let number = self.num_matches.fetch_add(1, Ordering::Relaxed) as u64;
        let player = Gamer::player_for(player, clocks.play);
        let key = StreamKey::root(*seed).child(Label::Match, number);
        let (told, ready) = channel();
        let (text, title) = (rules.as_bytes().to_vec(), format!("match {id}"));
        let settings = Arc::clone(&self.settings);
        // Reads the rules, says whether they can be played, and answers questions about the match.
        let run = move || {
            let tell = |text: &str| (settings.tell)(&format!("{title}: {text}"));
            let prepared = (settings.read)(&text).and_then(|family| {
                family.notes().iter().for_each(|note| tell(note));
                Thinker::new(family.as_ref(), &role, &player, key, is_abandoned)
            });
            match prepared {
                Ok(thinker) => {
                    // After the start clock, the word is not awaited.
                    let _ = told.send(Ok(()));
                    thinker.run(&questions);
                }
                Err(problem) => {
                    tell(&problem);
                    let _ = told.send(Err(problem));
                }
            }
        };
        if let Err(error) = thread::Builder::new().name("match".into()).spawn(run) {
            self.take(id);
            return Err(format!("cannot start a thread: {error}"));
        }
        let wait = times(clocks.start).1.saturating_sub(at.elapsed());
        let problem = match ready.recv_timeout(wait) {
            // If the rules take longer than the clock, the player may still be ready for the first move.
            Ok(Ok(())) | Err(RecvTimeoutError::Timeout) => return Ok("ready".into()),
            Ok(Err(problem)) => problem,
            Err(RecvTimeoutError::Disconnected) => FAILED.into(),
        };
        self.take(id);
        Err(problem)
    }

    fn busy_or(&self, free: &str) -> String {
        if lock(&self.current).is_some() { "busy" } else { free }.into()
    }

    /// Returns the move in a match, and tells of problems.
    fn play(&self, id: &str, news: Result<News, String>, received: Instant) -> String {
        let (answers, answered) = channel();
        let answer = {
            let mut current = lock(&self.current);
            let Some(current) = current.as_mut().filter(|it| it.id.eq_ignore_ascii_case(id)) else {
                return "busy".into();
            };
            current.heard = Instant::now();
            let (think, answer) = times(current.clocks.play);
            debug_assert!(think < answer, "there is time to write the answer");
            let (until, last) = (received + think, current.last.clone());
            // Without a thread, the channel is closed, which is noticed below.
            let _ = current.asks.send(Ask::Move { news, last, until, answers });
            answer
        };
        let (text, problem) = best_answer(&answered, received + answer);
        if let Some(problem) = problem {
            let none = || "no legal move is known".to_string();
            let what = text.as_ref().map_or_else(none, |text| format!("{text} is a random move"));
            (self.settings.tell)(&format!("match {id}: {problem}; {what}"));
        }
        let mut current = lock(&self.current);
        if let Some(current) = current.as_mut().filter(|it| it.id.eq_ignore_ascii_case(id)) {
            current.heard = Instant::now();
            current.last = text.as_deref().and_then(canonical);
        }
        text.unwrap_or_else(|| NO_MOVE.into())
    }

    fn stop(&self, id: &str, news: News) -> String {
        let Some(mut ended) = self.take(id) else { return "busy".into() };
        // A search that still thinks is not waited for.
        ended.is_abandoned.store(true, Ordering::Relaxed);
        let (sender, goal) = channel();
        let last = ended.last.take();
        let _ = ended.asks.send(Ask::End { news, last, goal: sender });
        let goal = goal.recv_timeout(MOMENT).ok().flatten();
        let goal = goal.map_or(String::new(), |goal| format!(", with goal {goal}"));
        (self.settings.tell)(&format!("match {id}: over{goal}"));
        "done".into()
    }

    /// Removes the match with this name, if it is in progress.
    fn take(&self, id: &str) -> Option<Match> {
        lock(&self.current).take_if(|current| current.id.eq_ignore_ascii_case(id))
    }

    /// Reads a message from a connection, and answers it.
    fn converse(&self, connection: &Connection, stop: &StopSignal) {
        let received = Instant::now();
        let max_rules = usize::try_from(self.settings.max_rules).unwrap_or(usize::MAX);
        let max_body = max_rules.saturating_add(BESIDE_RULES);
        let patience =
            Patience { until: received + READING, stop: stop.request().clone(), max_body };
        let stream = &connection.stream;
        let read = receive(stream, &patience, &self.settings.names);
        connection.stage.fetch_max(Connection::READ, Ordering::Relaxed);
        match read {
            Err(error) => refuse(stream, &error),
            Ok(text) => respond(stream, &self.answer(&text, received)),
        }
    }
}

/// The answer to a question for a move if no legal move is known. It is a term, as servers expect one.
const NO_MOVE: &str = "nil";

/// Waits for the best answer until the end of the clock. Returns the move, if any is known, and what went wrong.
fn best_answer(answered: &Receiver<Answer>, until: Instant) -> (Option<String>, Option<String>) {
    let mut legal = None;
    loop {
        match answered.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Answer::Move(text)) => return (Some(text), None),
            Ok(Answer::Legal(text)) => legal = Some(text),
            Ok(Answer::Unclear(text, wrong)) => return (Some(text), Some(wrong)),
            Ok(Answer::Problem(problem)) => return (legal, Some(problem)),
            Err(RecvTimeoutError::Timeout) => return (legal, Some("out of time".into())),
            Err(RecvTimeoutError::Disconnected) => return (legal, Some(FAILED.into())),
        }
    }
}

/// A connection from which a request comes.
struct Connection {
    stream: TcpStream,
    /// One of the constants below.
    stage: AtomicU8,
}

impl Connection {
    const SILENT: u8 = 0;
    const READ: u8 = 1;
    const OVER: u8 = 2;

    fn is_at(&self, stage: u8) -> bool {
        self.stage.load(Ordering::Relaxed) == stage
    }
}

/// The message about a match whose thread has ended.
const FAILED: &str = "the player failed in this match";

/// Answers requests until a stop is requested.
///
/// # Errors
///
/// Returns an error if connections cannot be accepted.
pub fn serve(listener: &TcpListener, gamer: &Arc<Gamer>, stop: &StopSignal) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    let mut open: Vec<Arc<Connection>> = Vec::new();
    while stop.check().is_ok() {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Otherwise the other end has gone, or there are too many open files; both may pass.
                let is_idle = error.kind() == ErrorKind::WouldBlock;
                thread::sleep(if is_idle { POLL } else { 10 * POLL });
                continue;
            }
        };
        open.retain(|connection| !connection.is_at(Connection::OVER));
        if open.len() >= MAX_REQUESTS {
            let Some(oldest) = open.iter().position(|it| it.is_at(Connection::SILENT)) else {
                continue;
            };
            // Its thread notices the end of the connection.
            let _ = open.remove(oldest).stream.shutdown(Shutdown::Both);
        }
        let _ = stream.set_nonblocking(false);
        let _ = stream.set_nodelay(true);
        let connection = Arc::new(Connection { stream, stage: Connection::SILENT.into() });
        let (gamer, stop, of_thread) = (Arc::clone(gamer), stop.clone(), Arc::clone(&connection));
        // Without a thread for it, the connection is closed.
        let started = thread::Builder::new().name("request".into()).spawn(move || {
            gamer.converse(&of_thread, &stop);
            of_thread.stage.store(Connection::OVER, Ordering::Relaxed);
            let _ = of_thread.stream.shutdown(Shutdown::Both);
        });
        if started.is_ok() {
            open.push(connection);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_clock_is_for_the_network() {
        let milliseconds = |clock| {
            let (think, answer) = times(clock);
            (think.as_millis(), answer.as_millis())
        };
        assert_eq!(milliseconds(0), (50, 100));
        assert_eq!(milliseconds(1), (800, 900));
        assert_eq!(milliseconds(2), (1_600, 1_800));
        assert_eq!(milliseconds(10), (9_000, 9_500));
        assert_eq!(milliseconds(60), (59_000, 59_500));
    }

    #[test]
    fn a_search_without_a_budget_takes_its_time() {
        let named = |player| Gamer::player_for(player, 1);
        assert_eq!(named("uct"), "uct@800ms");
        assert_eq!(named("uct:c=0.5"), "uct@800ms:c=0.5");
        assert_eq!(named("uct@100:c=0.5"), "uct@100:c=0.5");
        assert_eq!(named("mac-ucb"), "mac-ucb@800ms");
        assert_eq!(named("random"), "random");
    }
}
