//! A pseudo-terminal in which the program runs, so that tests can read its output.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, Winsize, tcgetattr, tcsetattr, tcsetwinsize};

/// A timeout that is longer than any command of these tests takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) rows: u16,
    pub(crate) columns: u16,
}

/// A program in a terminal.
pub(crate) struct Session {
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    size: Size,
    shown: Vec<u8>,
    command: String,
}

pub(crate) struct Shown {
    pub(crate) bytes: Vec<u8>,
    pub(crate) code: Option<i32>,
    size: Size,
}

/// Returns `true` if the terminal can become the controlling terminal of the program, so that a key can stop it.
pub(crate) fn has_setsid() -> bool {
    Command::new("setsid").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Starts the program in a terminal, which receives all of its output and provides its input.
pub(crate) fn start(size: Size, arguments: &[&str], directory: &Path) -> Session {
    start_with(size, arguments, directory, None)
}

fn start_with(size: Size, arguments: &[&str], directory: &Path, stdout: Option<Stdio>) -> Session {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    let master = openpt(flags).expect("a terminal");
    grantpt(&master).expect("ours");
    unlockpt(&master).expect("ours");
    let winsize = Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&master, winsize).expect("a size");
    let name = ptsname(&master, Vec::new()).expect("a name").into_string().expect("ASCII");
    let noctty = OFlags::NOCTTY.bits().cast_signed();
    let slave = OpenOptions::new().read(true).write(true).custom_flags(noctty).open(name);
    let slave = slave.expect("the other side");
    // The echo of a key would appear behind a bar, where no program expects it.
    let mut modes = tcgetattr(&slave).expect("a terminal");
    modes.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&slave, OptionalActions::Now, &modes).expect("ours");
    let end = || Stdio::from(slave.try_clone().expect("a descriptor"));

    let program = assert_cmd::cargo::cargo_bin!("ruse");
    let mut command = match has_setsid() {
        true => {
            let mut command = Command::new("setsid");
            command.args(["--ctty", "--wait"]).arg(program);
            command
        }
        false => Command::new(program),
    };
    command.args(arguments).current_dir(directory);
    // Variables from the environment of the tests could affect the program.
    command.env("TERM", "xterm-256color");
    for name in ["COLUMNS", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command.stdin(end()).stdout(stdout.unwrap_or_else(end)).stderr(end());
    let child = command.spawn().expect("it starts");
    drop((command, slave));

    let mut output = File::from(master.try_clone().expect("a descriptor"));
    let (sender, screen) = mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        // When the other side has been closed everywhere, reading ends with an error.
        while let Ok(length @ 1..) = output.read(&mut buffer) {
            if sender.send(buffer[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    let command = arguments.join(" ");
    Session { child, keyboard: File::from(master), screen, size, shown: Vec::new(), command }
}

/// Runs the program in a terminal until it ends.
pub(crate) fn run(size: Size, arguments: &[&str], directory: &Path) -> Shown {
    start(size, arguments, directory).finish()
}

/// Does the same as [`run`], but discards standard output, so that only standard error is shown.
pub(crate) fn run_without_results(size: Size, arguments: &[&str], directory: &Path) -> Shown {
    start_with(size, arguments, directory, Some(Stdio::null())).finish()
}

impl Session {
    /// Waits until the program has shown `text`.
    pub(crate) fn wait_for(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !String::from_utf8_lossy(&self.shown).contains(text) {
            assert!(self.read_on(deadline), "{}: ended without {text}", self.command);
        }
    }

    pub(crate) fn type_line(&mut self, line: &str) {
        self.keyboard.write_all(format!("{line}\n").as_bytes()).expect("a keyboard");
    }

    /// Presses Ctrl-C if the terminal controls the program; otherwise sends the signal of the key.
    pub(crate) fn press_ctrl_c(&mut self) {
        if has_setsid() {
            self.keyboard.write_all(b"\x03").expect("a keyboard");
        } else {
            let id = Pid::from_child(&self.child);
            kill_process(id, Signal::INT).expect("it is ours");
        }
    }

    /// Waits until the program ends.
    pub(crate) fn finish(mut self) -> Shown {
        let deadline = Instant::now() + PATIENCE;
        while self.read_on(deadline) {}
        let status = self.child.wait().expect("it is ours");
        Shown { bytes: self.shown, code: status.code(), size: self.size }
    }

    /// Reads the next output. Returns `false` at the end of the output.
    fn read_on(&mut self, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.screen.recv_timeout(left) {
            Ok(bytes) => self.shown.extend(bytes),
            Err(RecvTimeoutError::Disconnected) => return false,
            Err(RecvTimeoutError::Timeout) => {
                self.child.kill().expect("it is ours");
                let shown = String::from_utf8_lossy(&self.shown);
                panic!("{}: no end within {PATIENCE:?}; it showed {shown:?}", self.command);
            }
        }
        true
    }
}

impl Shown {
    /// Returns all output, including output that was cleared later.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// Returns the lines in the order in which they were drawn, including redrawn lines. A line that is as wide as the
    /// terminal ends at the edge, and a wider line continues in the next one. An empty line stands for a movement of
    /// the cursor or a deletion.
    pub(crate) fn drawn_lines(&self) -> Vec<String> {
        let text = self.text();
        let mut pieces = text.split("\x1b[");
        let mut plain = String::from(pieces.next().unwrap_or(""));
        for piece in pieces {
            let end = piece.find(|c: char| c.is_ascii_alphabetic()).expect("a complete escape");
            // Colours are part of a line.
            if !piece[end..].starts_with('m') {
                plain.push_str("\n\n");
            }
            plain.push_str(&piece[end + 1..]);
        }
        let mut lines = Vec::new();
        for line in plain.replace('\r', "").lines() {
            let characters: Vec<char> = line.chars().collect();
            let rows = characters.chunks(self.size.columns.into()).map(String::from_iter);
            lines.extend(rows);
            if line.is_empty() {
                lines.push(String::new());
            }
        }
        lines
    }

    /// Returns the text that remains at the end, including lines that have scrolled off the top.
    pub(crate) fn remaining(&self) -> String {
        const MAX_LINES: u16 = 2000;
        // The screen is so tall that no line leaves it. The effect of moving up by some lines does not depend on the
        // number of rows.
        let mut parser = vt100::Parser::new(MAX_LINES, self.size.columns, 0);
        parser.process(&self.bytes);
        parser.screen().contents()
    }

    pub(crate) fn has_cursor(&self) -> bool {
        let mut parser = vt100::Parser::new(self.size.rows, self.size.columns, 0);
        parser.process(&self.bytes);
        !parser.screen().hide_cursor()
    }
}
