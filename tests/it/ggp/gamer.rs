//! `ruse gamer` against a match server.

use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use super::Gamer;
use crate::support::refuses;

const TIC_TAC_TOE: &str = include_str!("../../../games/gdl/rules/tic_tac_toe.kif");
const KUHN_POKER: &str = include_str!("../../../games/gdl/rules/kuhn_poker.kif");
const MONTY_HALL: &str = include_str!("../../../games/gdl/rules/monty_hall.kif");
const CONNECT_FOUR: &str = include_str!("../../../games/gdl/rules/connect_four.kif");

/// Conversations with match servers, in files: what a server says after `>`, what `first-legal` answers after `<` (`...` is
/// any end), and what its log then has after `log`. `first-legal` takes the legal move whose text comes first.
#[test]
fn conversations_with_match_servers() {
    const RULES: [(&str, &str); 3] =
        [("tic_tac_toe", TIC_TAC_TOE), ("kuhn_poker", KUHN_POKER), ("monty_hall", MONTY_HALL)];
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/ggp/transcripts");
    let mut num_files = 0;
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let transcript = fs::read_to_string(&path).expect("text");
        let gamer = Gamer::start("first-legal");
        let (mut head, mut rules, mut answer) = (String::new(), String::new(), String::new());
        for line in transcript.lines() {
            let (key, rest) = line.split_once(' ').expect("a key and a text");
            match key {
                "#" => {}
                "rules" => {
                    let (name, how) = rest.split_once(' ').unwrap_or((rest, ""));
                    let known = RULES.iter().find(|(known, _)| *known == name);
                    rules = known.expect("known rules").1.into();
                    if how == "in upper case" {
                        rules.make_ascii_uppercase();
                    }
                }
                "head" => {
                    head += &rest.replace("{port}", &gamer.port.to_string());
                    head += "\r\n";
                }
                ">" => {
                    let message = rest.replace("{rules}", &rules);
                    let length = message.len();
                    let request = format!("{head}Content-Length: {length}\r\n\r\n{message}");
                    let response = gamer.send(&request);
                    assert!(response.starts_with("HTTP/1.1 200 "), "{path:?} {rest}: {response}");
                    answer = response.split_once("\r\n\r\n").expect("a body").1.into();
                }
                "<" => match rest.strip_suffix("...") {
                    Some(start) => assert!(answer.starts_with(start), "{path:?} {rest}: {answer}"),
                    None => assert_eq!(answer, rest, "{path:?}"),
                },
                "log" => gamer.wait_for(rest),
                _ => panic!("{path:?}: {line}"),
            }
        }
        num_files += 1;
    }
    assert_eq!(num_files, 7);
}

/// A search imagines what it does not see: after a bet, the highest card calls.
#[test]
fn a_search_plays_from_percepts() {
    let gamer = Gamer::start("uct@200");
    assert_eq!(gamer.say(&format!("(START k second ({KUHN_POKER}) 30 20)")), "ready");
    assert_eq!(gamer.say("(PLAY k NIL)"), "noop");
    assert_eq!(gamer.say("(PLAY k ((got 3)))"), "noop");
    assert_eq!(gamer.say("(PLAY k ((did first bet)))"), "bet");
}

/// Silent connections give way to new ones, the oldest first. A connection has a time limit.
#[test]
fn silent_connections_do_not_make_the_player_deaf() {
    let gamer = Gamer::start("first-legal");
    let start = Instant::now();
    let silent: Vec<_> = (0..40).map(|_| TcpStream::connect(("127.0.0.1", gamer.port))).collect();
    assert_eq!(gamer.say("(info)"), "available");
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    drop(silent);
}

/// A page that a browser shows can send requests to this machine, under a name of its own.
#[test]
fn requests_for_other_hosts_are_refused() {
    let gamer = Gamer::start_with(&["--player", "first-legal", "--host", "player.example"]);
    let port = gamer.port;
    for (host, status) in [("localhost", 200), ("player.example", 200), ("page.example", 403)] {
        let head = format!("POST / HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 6");
        let response = gamer.send(&format!("{head}\r\n\r\n(info)"));
        assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{host}: {response}");
    }
}

#[test]
fn by_default_a_search_has_a_tree_for_each_thread() {
    let gamer = Gamer::start_with(&["--threads", "3"]);
    let greeting = &gamer.greeting;
    assert!(greeting.starts_with("uct:trees=3 waits for matches at 127.0.0.1:"), "{greeting}");
    assert_eq!(gamer.say(&format!("(START m x ({TIC_TAC_TOE}) 10 1)")), "ready");
    let first = gamer.say("(PLAY m NIL)");
    assert!(first.starts_with("(mark "), "{first}");
}

#[test]
fn wrong_messages_are_refused_with_words_and_the_player_lives_on() {
    let gamer = Gamer::start("first-legal");
    gamer.refuses(&[
        ("", "a message is one list"),
        ("(ping)", "unknown message `ping`"),
        ("(stop m", "a parenthesis is missing"),
        ("(start m x ((role x)) soon 10)", "a whole number in place of `soon`"),
        ("(start m x ((role x)) 4000000000 10)", "a clock of 4000000000 seconds is too long"),
        ("(start m x ((role x)) 10 10)", "received.kif:"),
        ("(start m x ((role x) (legal x)) 10 10)", "arity"),
    ]);
    let start = format!("(start m z ({TIC_TAC_TOE}) 30 10)");
    assert!(gamer.refused(&start).contains("the rules have no role `z`"));
    assert_eq!(gamer.say("(info)"), "available");
    let start = format!("(start m x ({TIC_TAC_TOE}) 30 10)");
    assert_eq!(gamer.say(&start), "ready");
    let response = gamer.send("GET / HTTP/1.1\r\n\r\n");
    assert!(response.starts_with("HTTP/1.1 405 "), "{response}");
    let response = gamer.send("POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n(info)");
    assert!(response.starts_with("HTTP/1.1 413 "), "{response}");
    // 3 MiB in chunks are more than a rule file may have.
    let chunks = format!("100000\r\n{}\r\n", "(".repeat(1 << 20)).repeat(3);
    let response = gamer
        .send(&format!("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n"));
    assert!(response.is_empty() || response.starts_with("HTTP/1.1 413 "), "{response}");
    let response = gamer.send("\0\r\n\r\n");
    assert!(response.starts_with("HTTP/1.1 400 "), "{response}");
    let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n(play \r\n6\r\nm nil)\r\n0\r\n\r\n";
    assert!(gamer.send(chunked).ends_with("\r\n\r\n(mark 1 1)"));
}

/// A search without a budget thinks for four fifths of a second of the clock. The bound of this test is far above the
/// clock, for a busy machine.
#[test]
fn a_move_comes_within_the_clock() {
    // The budget of the second player takes minutes.
    for player in ["uct", "uct@10000k"] {
        let gamer = Gamer::start(player);
        assert_eq!(gamer.say(&format!("(start m first ({CONNECT_FOUR}) 30 1)")), "ready");
        let start = Instant::now();
        let answer = gamer.say("(play m nil)");
        assert!(start.elapsed() < Duration::from_secs(30), "{player}: {:?}", start.elapsed());
        assert!(answer.starts_with("(drop "), "{player}: {answer}");
        assert_eq!(gamer.say("(abort m)"), "aborted");
    }
}

#[test]
fn mistakes_in_the_command_are_explained() {
    let directory = std::env::temp_dir();
    for (arguments, words) in [
        (vec!["gamer", "--player", "utc"], "there is no reference strategy `utc`"),
        (vec!["gamer", "--player", "mc-lsi"], "give `mc-lsi` a budget, as in mc-lsi@1k"),
        (vec!["gamer", "--bind", "192.0.2.1", "--port", "0"], "cannot listen at 192.0.2.1"),
        (vec!["gamer", "--bind", "localhost"], "invalid value 'localhost'"),
    ] {
        refuses(&arguments, &directory, words);
    }
}

/// Ctrl-C ends the player, also while it thinks.
#[test]
#[cfg(unix)]
fn interrupts_end_the_player() {
    for is_thinking in [false, true] {
        let mut gamer = Gamer::start("uct");
        let port = gamer.port;
        if is_thinking {
            assert_eq!(gamer.say(&format!("(start m first ({CONNECT_FOUR}) 30 60)")), "ready");
            let message = "POST / HTTP/1.1\r\nContent-Length: 12\r\n\r\n(play m nil)";
            let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).expect("it listens");
            std::io::Write::write_all(&mut stream, message.as_bytes()).expect("it reads");
            std::thread::sleep(Duration::from_millis(300));
        }
        let id = gamer.child.id().to_string();
        let kill = std::process::Command::new("kill").args(["-INT", &id]).status();
        assert!(kill.expect("kill is there").success());
        let start = Instant::now();
        assert_eq!(gamer.child.wait().expect("it ends").code(), Some(130));
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    }
}
