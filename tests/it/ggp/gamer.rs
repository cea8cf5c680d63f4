//! `ruse gamer` against a match server.

use std::time::{Duration, Instant};

use super::Gamer;
use crate::support::output;

const TIC_TAC_TOE: &str = include_str!("../../../games/gdl/rules/tic_tac_toe.kif");
const KUHN_POKER: &str = include_str!("../../../games/gdl/rules/kuhn_poker.kif");
const CONNECT_FOUR: &str = include_str!("../../../games/gdl/rules/connect_four.kif");

/// The answers are the legal moves whose texts come first, which is what the player `first-legal` takes.
#[test]
fn a_match_is_played_in_the_spelling_of_the_server() {
    let gamer = Gamer::start("first-legal");
    assert_eq!(gamer.say("(INFO)"), "available");
    assert_eq!(gamer.say("( preview ((role a)) 10 )"), "ready");
    let rules = TIC_TAC_TOE.to_uppercase();
    assert_eq!(gamer.say(&format!("(START MATCH.3316980891 X ({rules}) 30 10)")), "ready");
    assert_eq!(gamer.say("(INFO)"), "busy");
    assert_eq!(gamer.say(&format!("(START other O ({rules}) 30 10)")), "busy");
    assert_eq!(gamer.say("(PLAY other NIL)"), "busy");
    assert_eq!(gamer.say("(STOP other NIL)"), "busy");
    assert_eq!(gamer.say("(ABORT other)"), "busy");
    assert_eq!(gamer.say("(PLAY MATCH.3316980891 NIL)"), "(MARK 1 1)");
    assert_eq!(gamer.say("(PLAY MATCH.3316980891 ((MARK 1 1) NOOP))"), "NOOP");
    // The server chose another move for the player, and o has marked 1 1.
    assert_eq!(gamer.say("(play match.3316980891 (NOOP  ( mark 1 2 )))"), "(MARK 1 3)");
    assert_eq!(gamer.say("(STOP MATCH.3316980891 ((MARK 1 3) NOOP))"), "done");
    assert_eq!(gamer.say("(info)"), "available");
    assert_eq!(gamer.say(&format!("(start m2 o ({TIC_TAC_TOE}) 30 10)")), "ready");
    assert_eq!(gamer.say("(play m2 nil)"), "noop");
    assert_eq!(gamer.say("(play m2 ((mark 1 1) noop))"), "(mark 1 2)");
    assert_eq!(gamer.say("(abort m2)"), "aborted");
    assert_eq!(gamer.say("(info)"), "available");
}

/// In Kuhn poker the second player sees its card and what the players do. `bet` comes before `pass`.
#[test]
fn percepts_say_what_happened() {
    let gamer = Gamer::start("first-legal");
    assert_eq!(gamer.say(&format!("(START k second ({KUHN_POKER}) 30 10)")), "ready");
    assert_eq!(gamer.say("(PLAY k 0 NIL NIL)"), "noop");
    assert_eq!(gamer.say("(PLAY k 1 NOOP ((GOT 3)))"), "noop");
    // The same turn again has the same answer.
    assert_eq!(gamer.say("(PLAY k 1 NOOP ((GOT 3)))"), "noop");
    gamer.refuses(&[
        ("(PLAY k NIL)", "the last step is missing"),
        ("(PLAY k (NOOP NOOP))", "expected (play MATCH TURN MOVE (PERCEPT...))"),
        ("(PLAY k 3 NOOP ())", "the turn is 3, and must be 2"),
        ("(PLAY k 2 FLY ())", "`second` has no move `fly`"),
        ("(PLAY k 2 NOOP ((got 9)))", "`second` has no percept `(got 9)`"),
    ]);
    assert_eq!(gamer.say("(PLAY k 2 NOOP ((did first pass)))"), "bet");
    assert_eq!(gamer.say("(PLAY k 3 bet ((DID second bet)))"), "noop");
    assert_eq!(gamer.say("(STOP k 4 noop ((did first pass)))"), "done");
    // A search imagines what it does not see: after a bet, the highest card calls.
    let gamer = Gamer::start("uct@200");
    assert_eq!(gamer.say(&format!("(START k second ({KUHN_POKER}) 30 20)")), "ready");
    assert_eq!(gamer.say("(PLAY k 0 NIL NIL)"), "noop");
    assert_eq!(gamer.say("(PLAY k 1 noop ((got 3)))"), "noop");
    assert_eq!(gamer.say("(PLAY k 2 noop ((did first bet)))"), "bet");
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
        ("(play m", "a parenthesis is missing"),
        ("(start m x ((role x)) soon 10)", "a whole number in place of `soon`"),
        ("(start m x ((role x)) 10 10)", "received.kif:"),
        ("(start m x ((role x) (legal x)) 10 10)", "arity"),
    ]);
    let start = format!("(start m z ({TIC_TAC_TOE}) 30 10)");
    assert!(gamer.refused(&start).contains("the rules have no role `z`"));
    assert_eq!(gamer.say("(info)"), "available");
    let start = format!("(start m x ({TIC_TAC_TOE}) 30 10)");
    assert_eq!(gamer.say(&start), "ready");
    gamer.refuses(&[
        ("(play m ((mark 1 1)))", "2 moves, one for each role, and not 1"),
        ("(play m ((mark 4 4) noop))", "`x` has no move `(mark 4 4)`"),
        ("(play m (noop noop))", "`x` may not do `noop` in step 1"),
        ("(play m 1 noop ())", "the rules have no percepts"),
    ]);
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

/// A search without a budget thinks for four fifths of a second of the clock. The bound of this test is the clock, and two
/// seconds for a busy machine.
#[test]
fn a_move_comes_within_the_clock() {
    // The budget of the second player takes minutes.
    for player in ["uct", "uct@10000k"] {
        let gamer = Gamer::start(player);
        assert_eq!(gamer.say(&format!("(start m first ({CONNECT_FOUR}) 30 1)")), "ready");
        let start = Instant::now();
        let answer = gamer.say("(play m nil)");
        assert!(start.elapsed() < Duration::from_secs(3), "{player}: {:?}", start.elapsed());
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
        let output = output(&arguments, &directory);
        let said = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
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
