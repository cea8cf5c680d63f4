//! `ruse match` against players of the protocol, good and bad.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Output;
#[cfg(unix)]
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::Gamer;
#[cfg(unix)]
use crate::support::{Home, object, output, prints, refuses, ruse, said, signal, wait_until};

/// Both show a side of a coin at once, and Ann wins if the sides are the same.
const PENNIES: &str = "; Two coins.
(role Ann) (role Bob)
(side Heads) (side Tails)
(init open)
(<= (legal ?r (Show ?s)) (role ?r) (side ?s) (true open))
(<= (next (shown ?r ?s)) (does ?r (Show ?s)))
(<= same (true (shown Ann ?s)) (true (shown Bob ?s)))
(<= terminal (not (true open)))
(<= (goal Ann 100) same) (<= (goal Ann 0) (not same))
(<= (goal Bob 0) same) (<= (goal Bob 100) (not same))
";

/// The rules in one line, as they are sent.
const SENT: &str = "(role Ann) (role Bob) (side Heads) (side Tails) (init open) \
                    (<= (legal ?r (Show ?s)) (role ?r) (side ?s) (true open)) \
                    (<= (next (shown ?r ?s)) (does ?r (Show ?s))) \
                    (<= same (true (shown Ann ?s)) (true (shown Bob ?s))) (<= terminal (not (true open))) \
                    (<= (goal Ann 100) same) (<= (goal Ann 0) (not same)) \
                    (<= (goal Bob 0) same) (<= (goal Bob 100) (not same))";

/// A rule with which the players see the other coin.
const SEES: &str = "(<= (sees ?r (Saw ?s)) (role ?r) (does ?q (Show ?s)) (distinct ?q ?r))\n";

/// The reaction of a player to a message.
enum Reply {
    /// Answers in time.
    Text(String),
    /// Answers after this time.
    After(Duration, String),
    /// Sends these bytes.
    Raw(String),
    /// Closes the connection.
    Close,
    /// Closes the connection, and listens no longer.
    Vanish,
}

use Reply::{After, Close, Raw, Text, Vanish};

/// A player on this machine, with the messages it has received.
struct Peer {
    port: u16,
    heard: Arc<Mutex<Vec<String>>>,
}

/// Starts a player that answers each message by `reply`. A message that begins a match has the answer `ready`, and one
/// that ends it `done`, unless `reply` returns something for it.
fn peer(reply: impl Fn(&str) -> Option<Reply> + Send + 'static) -> Peer {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let heard = Arc::<Mutex<Vec<String>>>::default();
    let hearing = Arc::clone(&heard);
    thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let message = read(&mut stream);
            hearing.lock().expect("no panic").push(message.clone());
            let usual = if message.starts_with("(START") { "ready" } else { "done" };
            match reply(&message).unwrap_or_else(|| Text(usual.into())) {
                Text(text) => answer(&mut stream, &text),
                After(time, text) => {
                    _ = thread::spawn(move || {
                        thread::sleep(time);
                        answer(&mut stream, &text);
                    })
                }
                Raw(bytes) => _ = stream.write_all(bytes.as_bytes()),
                Close => {}
                Vanish => return,
            }
        }
    });
    Peer { port, heard }
}

/// Reads a request with a length, and returns its body.
fn read(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).expect("a head");
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).expect("text");
    assert!(head.starts_with("POST / HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("\r\nContent-Type: text/acl\r\n"), "{head}");
    let length = head.split("Content-Length: ").nth(1).expect("a length");
    let length = length.split("\r\n").next().expect("a line").parse().expect("a number");
    let mut body = vec![0; length];
    stream.read_exact(&mut body).expect("a body");
    String::from_utf8(body).expect("text")
}

/// Answers as `ggp-base` does.
fn answer(stream: &mut TcpStream, text: &str) {
    let length = text.len();
    let response =
        format!("HTTP/1.0 200 OK\nContent-type: text/acl\nContent-length: {length}\n\n{text}");
    // A manager that waited too long has gone.
    let _ = stream.write_all(response.as_bytes());
}

/// Answers questions for a move by `reply`.
fn mover(reply: impl Fn() -> Reply + Send + 'static) -> Peer {
    peer(move |message| message.starts_with("(PLAY").then(&reply))
}

/// Plays `pairs` pairs of `opponent` against the player at `port`, with clocks of a minute.
fn play(rules: &str, opponent: &str, port: u16, pairs: &str) -> Output {
    play_by_clock(rules, opponent, port, pairs, 60)
}

fn play_by_clock(rules: &str, opponent: &str, port: u16, pairs: &str, seconds: u32) -> Output {
    let directory = &*Home::with("coins.kif", rules);
    let name = format!("ggp:127.0.0.1:{port}@{seconds}/{seconds}");
    let arguments = ["match", "coins.kif", opponent, &name, "--pairs", pairs, "--json"];
    output(&arguments, directory)
}

fn in_one_line(output: &Output) -> String {
    said(output).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn result(output: &Output) -> Value {
    assert!(output.status.success(), "{}", said(output));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// Returns a message without the name of its match, which begins with a letter.
fn nameless(message: &str) -> String {
    let mut words: Vec<&str> = message.split(' ').collect();
    let name = words.remove(1).trim_end_matches(')');
    let is_name = name.starts_with("ruse") && name.chars().all(|c| c.is_ascii_alphanumeric());
    assert!(is_name, "{message}");
    words.join(" ")
}

fn heard(peer: &Peer) -> Vec<String> {
    peer.heard.lock().expect("no panic").iter().map(|message| nameless(message)).collect()
}

/// The first legal move shows heads. The player here is Bob in the first game and Ann in the second.
#[test]
fn messages_are_those_of_the_protocol() {
    let tails = mover(|| Text("( SHOW tails )".into()));
    let found = result(&play(PENNIES, "first-legal", tails.port, "1"));
    let start = |role: &str| format!("(START {role} ({SENT}) 60 60)");
    let expected = [
        start("Bob"),
        "(PLAY NIL)".into(),
        "(STOP ((Show Heads) (Show Tails)))".into(),
        start("Ann"),
        "(PLAY NIL)".into(),
        "(STOP ((Show Tails) (Show Heads)))".into(),
    ];
    assert_eq!(heard(&tails), expected);
    // The sides differ in both games: Bob wins, who is the player here in the first.
    assert_eq!((&found["score"], &found["pairs"]), (&json!(0.5), &json!(1)));
    assert_eq!((&found["wins"], &found["losses"]), (&json!(1), &json!(1)));
    assert_eq!(found["reproducible"], false);
    let counts = json!([null, {"moves": 2, "late": 0, "illegal": 0, "lost": 0}]);
    assert_eq!(found["replaced"], counts);
}

#[test]
fn percepts_are_sent_in_gdl_ii() {
    let heads = mover(|| Text("(show heads)".into()));
    result(&play(&format!("{PENNIES}{SEES}"), "first-legal", heads.port, "1"));
    let heard = heard(&heads);
    assert_eq!(heard[1..3], ["(PLAY 0 NIL NIL)", "(STOP 1 (Show Heads) ((Saw Heads)))"]);
    assert_eq!(heard[4..], ["(PLAY 0 NIL NIL)", "(STOP 1 (Show Heads) ((Saw Heads)))"]);
}

#[test]
fn answers_of_all_forms_are_read() {
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n6\r\n(show \r\n6\r\nheads)\r\n0\r\n\r\n";
    let until_closed = "HTTP/1.0 200 OK\r\n\r\n(show heads)\r\n";
    let after_more =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n(show heads)";
    for bytes in [chunked, until_closed, after_more] {
        let odd = mover(move || Raw(bytes.into()));
        let found = result(&play(PENNIES, "first-legal", odd.port, "1"));
        let counts = json!({"moves": 2, "late": 0, "illegal": 0, "lost": 0});
        assert_eq!(found["replaced"][1], counts, "{bytes}");
    }
}

#[test]
fn moves_of_slow_lying_and_dying_players_are_replaced_and_counted() {
    type Replies = Box<dyn Fn() -> Reply + Send>;
    let text = |text: &str| Text(text.into());
    let late = || After(Duration::from_millis(2_500), "(show heads)".into());
    let replies: Vec<(Replies, [u64; 3])> = vec![
        (Box::new(late), [2, 0, 0]),
        (Box::new(move || text("(show edge)")), [0, 2, 0]),
        (Box::new(move || text("(show heads) (show tails)")), [0, 2, 0]),
        (Box::new(move || text("((")), [0, 2, 0]),
        (Box::new(move || text("")), [0, 2, 0]),
        (Box::new(move || text("busy")), [0, 2, 0]),
        (Box::new(|| Close), [0, 0, 2]),
        (Box::new(|| Raw("nonsense\r\n\r\n".into())), [0, 0, 2]),
        (Box::new(|| Raw("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n".into())), [0, 0, 2]),
        (
            Box::new(|| Raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n(show heads)".into())),
            [0, 0, 2],
        ),
        (Box::new(|| Raw(format!("HTTP/1.1 200 OK\r\n\r\n{}", "(".repeat(100_000)))), [0, 0, 2]),
    ];
    for (index, (reply, [late, illegal, lost])) in replies.into_iter().enumerate() {
        let bad = mover(reply);
        // The first player takes longer than its clock.
        let seconds = if late > 0 { 1 } else { 60 };
        let output = play_by_clock(PENNIES, "random", bad.port, "1", seconds);
        let said = in_one_line(&output);
        // Without a move of the player there is no score.
        assert_eq!((output.status.code(), &*output.stdout), (Some(1), &[][..]), "{index}: {said}");
        let counts =
            format!("all 2 of the player's moves ({late} late, {illegal} not legal, {lost} lost)");
        assert!(said.contains(&counts), "{index}: {said}");
        // Both matches go on to their end.
        assert!(heard(&bad).last().expect("a message").starts_with("(STOP (("), "reply {index}");
    }
}

/// One move of the player is a score, and the result has the number of the others.
#[test]
fn a_player_may_fail_in_some_moves() {
    let num_asked = AtomicU64::new(0);
    let fails_first = mover(move || match num_asked.fetch_add(1, Ordering::Relaxed) {
        0 => Close,
        _ => Text("(show heads)".into()),
    });
    let found = result(&play(PENNIES, "random", fails_first.port, "1"));
    assert_eq!(found["replaced"][1], json!({"moves": 2, "late": 0, "illegal": 0, "lost": 1}));
}

/// A player that does not answer the first message may answer the next.
#[test]
fn a_player_may_be_ready_late() {
    let slow = peer(|message| match &message[..5] {
        "(STAR" => Some(Close),
        "(PLAY" => Some(Text("(show heads)".into())),
        _ => None,
    });
    let found = result(&play(PENNIES, "random", slow.port, "1"));
    assert_eq!(found["replaced"][1], json!({"moves": 2, "late": 0, "illegal": 0, "lost": 0}));
}

#[test]
fn a_player_that_cannot_be_reached_stops_the_match() {
    let gone = peer(|message| message.starts_with("(PLAY").then_some(Vanish));
    let busy = peer(|_| Some(Text("BUSY".into())));
    let unused =
        TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its address");
    for (port, words) in [
        (gone.port, "start the player there"),
        (unused.port(), "start the player there"),
        (busy.port, "busy with another match; wait for the end of the match"),
    ] {
        let output = play(PENNIES, "random", port, "3");
        let said = in_one_line(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(words) && said.contains(&format!("ggp:127.0.0.1:{port}")), "{said}");
        assert!(output.stdout.is_empty());
    }
}

/// Ctrl-C ends the waiting for a move, and the player hears that the match is over.
#[test]
#[cfg(unix)]
fn interrupts_abort_the_match() {
    let slow = mover(|| After(Duration::from_secs(600), "(show heads)".into()));
    let directory = &*Home::with("coins.kif", PENNIES);
    let name = format!("ggp:127.0.0.1:{}@600/600", slow.port);
    let mut command = ruse(&["match", "coins.kif", "random", &name], directory);
    let mut child = command.stderr(Stdio::null()).spawn().expect("it starts");
    wait_until("no move was asked for", || heard(&slow).len() >= 2);
    signal(&child, "-INT");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert_eq!(heard(&slow)[1..], ["(PLAY NIL)", "(ABORT"]);
}

#[test]
fn players_that_cannot_play_are_refused() {
    let pennies = |command: &'static str, players: [&'static str; 2]| {
        vec![command, "tic_tac_toe.kif", players[0], players[1]]
    };
    for (arguments, words) in [
        (
            pennies("match", ["random", "ggp:here"]),
            "`ggp:here` is not a player: expected ggp:HOST:PORT",
        ),
        (
            pennies("match", ["ggp:here:1@1/1", "ggp:here:1@2/2"]),
            "start a second player, at another port",
        ),
        (
            pennies("watch", ["random", "ggp:here:1"]),
            "`ggp:here:1` is a player for `ruse match` only",
        ),
        (vec!["match", "war", "random", "ggp:here:1"], "plays games from rule files"),
        (
            vec!["match", "lowest_unique.kif", "random", "ggp:here:1"],
            "plays several of its 3 roles",
        ),
    ] {
        refuses(&arguments, Path::new(env!("CARGO_MANIFEST_DIR")), words);
    }
}

/// The player `first-legal` plays the same games elsewhere as here. The games have complete information, percepts and
/// chance, and one role.
#[test]
fn a_player_elsewhere_plays_as_here() {
    let gamer = Gamer::start("first-legal");
    let name = format!("ggp:127.0.0.1:{}@30/20", gamer.port);
    let directory = std::env::temp_dir();
    for game in ["tic_tac_toe.kif", "kuhn_poker.kif", "leduc_poker.kif", "monty_hall.kif"] {
        let with = |player: &str| {
            object(&["match", game, "random", player, "--pairs", "4", "--json"], &directory)
        };
        let (here, elsewhere) = (with("first-legal"), with(&name));
        for key in ["wins", "draws", "losses", "pairs"] {
            assert_eq!(here[key], elsewhere[key], "{game} {key}");
        }
        let counts = &elsewhere["replaced"][1];
        assert!(counts["moves"].as_u64() >= Some(8), "{game}: {counts}");
        let replaced = ["late", "illegal", "lost"].map(|key| counts[key].as_u64());
        assert_eq!(replaced, [Some(0); 3], "{game}: {counts}");
    }
    let arguments = ["match", "tic_tac_toe.kif", &name, "random", "--pairs", "1"];
    prints(&arguments, &directory, "all of them legal and in time");
}
