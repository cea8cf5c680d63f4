//! The protocol of match servers: `ruse gamer` against the server side here, `ruse match` against a player here, and one
//! against the other. Everything is on this machine.
//!
//! Both sides here are written against the texts of the protocol (Genesereth & Thielscher 2014, *General Game Playing*,
//! chapter 3; the GDL-II protocol of the Dresden GGP server) and what `GameController` and `ggp-base` send, and share
//! no code with the program.

mod gamer;
mod peer;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::ruse;

/// A running `ruse gamer`, which is killed at the end.
struct Gamer {
    child: Child,
    port: u16,
    /// The first line that it prints.
    greeting: String,
    /// The log so far, in one line.
    log: Arc<Mutex<String>>,
}

impl Gamer {
    fn start(player: &str) -> Gamer {
        Gamer::start_with(&["--player", player])
    }

    fn start_with(options: &[&str]) -> Gamer {
        let arguments = [&["gamer", "--port", "0"], options].concat();
        let mut command = ruse(&arguments, &std::env::temp_dir());
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        stdout.read_line(&mut line).expect("a line");
        let place = line.split("127.0.0.1:").nth(1).expect("an address of this machine only");
        let port = place.split(';').next().expect("a port").parse().expect("a number");
        let log = Arc::<Mutex<String>>::default();
        let (told, stderr) = (Arc::clone(&log), child.stderr.take().expect("a pipe"));
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines() {
                let mut told = told.lock().expect("no panic");
                *told += line.expect("text").trim();
                *told += " ";
            }
        });
        Gamer { child, port, greeting: line, log }
    }

    /// Waits until the log has these words.
    fn wait_for(&self, words: &str) {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let log = self.log.lock().expect("no panic").clone();
            if log.contains(words) {
                return;
            }
            assert!(Instant::now() < deadline, "{words}: {log}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Sends a message as `GameController` does, and returns the answer, which must be a success.
    fn say(&self, message: &str) -> String {
        let length = message.len();
        let head = format!(
            "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\nReceiver: localhost\r\n\
             Content-type: text/acl\r\nContent-length: {length}\r\n\r\n"
        );
        let answer = self.send(&(head + message));
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        assert!(head.starts_with("HTTP/1.1 200 "), "{message}: {answer}");
        body.into()
    }

    /// Sends the bytes of a request, and returns the whole response.
    fn send(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        // A request that is too long is refused before its end.
        let _ = stream.write_all(request.as_bytes());
        let _ = stream.shutdown(Shutdown::Write);
        let mut response = String::new();
        stream.read_to_string(&mut response).expect("text");
        response
    }

    /// Sends a message that must be refused, and returns the whole response.
    fn refused(&self, message: &str) -> String {
        let length = message.len();
        let answer =
            self.send(&format!("POST / HTTP/1.1\r\nContent-Length: {length}\r\n\r\n{message}"));
        assert!(answer.starts_with("HTTP/1.1 400 "), "{message}: {answer}");
        answer
    }

    /// Sends messages that must be refused with these words.
    fn refuses(&self, cases: &[(&str, &str)]) {
        for (message, words) in cases {
            let answer = self.refused(message);
            assert!(answer.contains(words), "{message}: {answer}");
        }
    }
}

impl Drop for Gamer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
