//! As much of HTTP/1.1 (RFC 9112) as the protocol needs: one request and one response for each connection.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use ruse_base::stop::StopRequest;

/// The maximum number of bytes before the body of a message.
const MAX_HEAD: usize = 16 << 10;
/// The maximum number of bytes in the line of a chunk.
const MAX_LINE: usize = 1 << 10;
/// The maximum number of characters that an error quotes.
const MAX_QUOTED: usize = 60;
/// The interval between checks for a stop request while a connection is silent.
const POLL: Duration = Duration::from_millis(25);
/// The time for establishing a connection.
const CONNECT: Duration = Duration::from_secs(3);
/// The time and the bytes for which a refused request is read on, so that its sender can read the response.
const LINGER: (Duration, usize) = (Duration::from_millis(500), 8 << 20);

/// The result of a part of an exchange.
type Result<T = (), E = HttpError> = std::result::Result<T, E>;

/// The limits on reading a message.
pub(super) struct Patience {
    /// The time at which the whole message must have been read.
    pub(super) until: Instant,
    /// The signal that ends the waiting.
    pub(super) stop: StopRequest,
    /// The maximum number of bytes of the body.
    pub(super) max_body: usize,
}

/// The reason why an exchange failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum HttpError {
    #[error("cannot connect ({0})")]
    Unreachable(io::Error),
    #[error("the connection broke ({0})")]
    Broken(io::Error),
    #[error("the connection was closed before the end of the message")]
    Closed,
    #[error("no whole message in time")]
    Late,
    #[error("a stop was requested")]
    Stopped,
    #[error("invalid HTTP: {0}")]
    Invalid(&'static str),
    #[error("only POST is answered, and not {0}")]
    Method(String),
    #[error("a POST needs a Content-Length, or the transfer encoding `chunked`")]
    NoLength,
    #[error("the message has more than {0} bytes")]
    TooLarge(usize),
    #[error("the status is {0}")]
    Status(u16),
    #[error("the request is from a web page, and only match servers are answered")]
    WebPage,
    #[error("the request is for the host `{0}`, and this player has another name")]
    OtherHost(String),
}

impl HttpError {
    /// Returns the status line of the response to a request with this error.
    fn status(&self) -> &'static str {
        match self {
            HttpError::Method(_) => "405 Method Not Allowed",
            HttpError::NoLength => "411 Length Required",
            HttpError::TooLarge(_) => "413 Content Too Large",
            HttpError::Late => "408 Request Timeout",
            HttpError::WebPage | HttpError::OtherHost(_) => "403 Forbidden",
            _ => "400 Bad Request",
        }
    }
}

/// A connection from which a message is read.
struct Reader<'a> {
    stream: &'a TcpStream,
    patience: &'a Patience,
    /// The bytes that were read and not used.
    ahead: Vec<u8>,
}

/// The lines before the body.
#[derive(Default)]
struct Head {
    first: String,
    length: Option<u64>,
    is_chunked: bool,
    expects_continue: bool,
    host: Option<String>,
    /// Whether a web browser has sent the message.
    is_of_browser: bool,
}

impl Head {
    /// Reads a field, which is a line.
    fn add(&mut self, field: &str) -> Result {
        let (name, value) =
            field.split_once(':').ok_or(HttpError::Invalid("a header has no colon"))?;
        let value = value.trim();
        match &*name.to_ascii_lowercase() {
            "content-length" => {
                let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
                let length = value.parse::<u64>().ok().filter(|_| is_number);
                let length = length.ok_or(HttpError::Invalid("the length is not a number"))?;
                if self.length.is_some_and(|other| other != length) {
                    return Err(HttpError::Invalid("there are two lengths"));
                }
                self.length = Some(length);
            }
            "transfer-encoding" => match value.eq_ignore_ascii_case("chunked") {
                true => self.is_chunked = true,
                false => return Err(HttpError::Invalid("unknown transfer encoding")),
            },
            "host" => self.host = Some(value.into()),
            // Pages cannot remove or change these fields.
            "origin" => self.is_of_browser = true,
            name if name.starts_with("sec-fetch-") => self.is_of_browser = true,
            "expect" => self.expects_continue = value.eq_ignore_ascii_case("100-continue"),
            _ => {}
        }
        Ok(())
    }

    /// Checks that a request is not from a web page, which could reach a player on the machine of its reader. `names` are
    /// the names of the machine beside the address of the connection.
    fn check_sender(&self, address: SocketAddr, names: &[String]) -> Result {
        if self.is_of_browser {
            return Err(HttpError::WebPage);
        }
        // Servers that speak HTTP/1.0 may leave out the host or the port.
        let Some(host) = &self.host else { return Ok(()) };
        let port = format!(":{}", address.port());
        let name = host.strip_suffix(&*port).unwrap_or(host);
        let ip = address.ip().to_canonical();
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let is_own = bare.parse::<IpAddr>() == Ok(ip)
            || ip.is_loopback() && name.eq_ignore_ascii_case("localhost")
            || names.iter().any(|known| known.eq_ignore_ascii_case(name));
        let quoted = || host.chars().take(MAX_QUOTED).collect();
        if is_own { Ok(()) } else { Err(HttpError::OtherHost(quoted())) }
    }
}

impl Reader<'_> {
    /// Reads more bytes. Returns `false` at the end of the connection.
    fn more(&mut self) -> Result<bool> {
        let mut buffer = [0; 16 << 10];
        loop {
            if self.patience.stop.is_set() {
                return Err(HttpError::Stopped);
            }
            let left = self.patience.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(HttpError::Late);
            }
            self.stream.set_read_timeout(Some(left.min(POLL))).map_err(HttpError::Broken)?;
            match (&mut &*self.stream).read(&mut buffer) {
                Ok(0) => return Ok(false),
                Ok(count) => {
                    self.ahead.extend_from_slice(&buffer[..count]);
                    return Ok(true);
                }
                Err(error) if is_pause(&error) => {}
                Err(error) => return Err(HttpError::Broken(error)),
            }
        }
    }

    fn more_or_closed(&mut self) -> Result {
        if self.more()? { Ok(()) } else { Err(HttpError::Closed) }
    }

    /// Reads a line, without its end.
    fn line(&mut self, max_bytes: usize) -> Result<String> {
        let mut searched = 0;
        let end = loop {
            let found = self.ahead[searched..].iter().position(|&byte| byte == b'\n');
            if let Some(at) = found {
                break searched + at;
            }
            searched = self.ahead.len();
            if searched > max_bytes {
                return Err(HttpError::Invalid("a line is too long"));
            }
            self.more_or_closed()?;
        };
        let line: Vec<u8> = self.ahead.drain(..=end).collect();
        let line = line[..end].strip_suffix(b"\r").unwrap_or(&line[..end]);
        if line.len() > max_bytes {
            return Err(HttpError::Invalid("a line is too long"));
        }
        Ok(String::from_utf8_lossy(line).into_owned())
    }

    /// Reads lines of at most `left` bytes in all, up to an empty one.
    fn fields(&mut self, mut left: usize, mut on_field: impl FnMut(&str) -> Result) -> Result {
        loop {
            let field = self.line(left)?;
            if field.is_empty() {
                return Ok(());
            }
            left = left.saturating_sub(field.len() + 1);
            on_field(&field)?;
        }
    }

    fn head(&mut self) -> Result<Head> {
        let mut head = Head { first: self.line(MAX_HEAD)?, ..Head::default() };
        self.fields(MAX_HEAD.saturating_sub(head.first.len() + 1), |field| head.add(field))?;
        if head.is_chunked && head.length.is_some() {
            return Err(HttpError::Invalid("the message has a length and is chunked"));
        }
        Ok(head)
    }

    fn exactly(&mut self, length: usize) -> Result<Vec<u8>> {
        while self.ahead.len() < length {
            self.more_or_closed()?;
        }
        Ok(self.ahead.drain(..length).collect())
    }

    fn check_length(&self, length: u64) -> Result<usize> {
        let max = self.patience.max_body;
        usize::try_from(length).ok().filter(|&it| it <= max).ok_or(HttpError::TooLarge(max))
    }

    fn chunks(&mut self) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.line(MAX_LINE)?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let is_hex = !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_hexdigit());
            let size = u64::from_str_radix(size, 16).ok().filter(|_| is_hex);
            let size = size.ok_or(HttpError::Invalid("the size of a chunk is not a number"))?;
            let size = self.check_length(size.saturating_add(body.len() as u64))? - body.len();
            if size == 0 {
                break;
            }
            body.extend(self.exactly(size)?);
            if !self.line(MAX_LINE)?.is_empty() {
                return Err(HttpError::Invalid("a chunk is longer than its size"));
            }
        }
        // The fields after the last chunk are ignored.
        self.fields(MAX_HEAD, |_| Ok(()))?;
        Ok(body)
    }

    /// Reads the rest of the connection.
    fn rest(&mut self) -> Result<Vec<u8>> {
        while self.more()? {
            self.check_length(self.ahead.len() as u64)?;
        }
        Ok(std::mem::take(&mut self.ahead))
    }

    fn body(&mut self, head: &Head) -> Result<Option<Vec<u8>>> {
        match head.length {
            _ if head.is_chunked => self.chunks().map(Some),
            Some(length) => {
                let length = self.check_length(length)?;
                self.exactly(length).map(Some)
            }
            None => Ok(None),
        }
    }
}

/// Returns `true` if nothing was wrong but the time of one read.
fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// Reads a request, and returns its body. `names` are the names of the machine beside the address of the connection.
pub(super) fn receive(stream: &TcpStream, patience: &Patience, names: &[String]) -> Result<String> {
    let mut reader = Reader { stream, patience, ahead: Vec::new() };
    let head = reader.head()?;
    head.check_sender(stream.local_addr().map_err(HttpError::Broken)?, names)?;
    let mut words = head.first.split_ascii_whitespace();
    let (method, version) = (words.next().unwrap_or_default(), words.nth(1).unwrap_or_default());
    if !version.starts_with("HTTP/1.") {
        return Err(HttpError::Invalid("the first line is not METHOD PATH HTTP/1.1"));
    }
    if method != "POST" {
        return Err(HttpError::Method(method.chars().take(20).collect()));
    }
    if head.expects_continue && (head.is_chunked || head.length.is_some()) {
        if let Some(length) = head.length {
            reader.check_length(length)?;
        }
        write_all(stream, b"HTTP/1.1 100 Continue\r\n\r\n", patience.until)?;
    }
    let body = reader.body(&head)?.ok_or(HttpError::NoLength)?;
    String::from_utf8(body).map_err(|_| HttpError::Invalid("the body is not UTF-8"))
}

/// Writes bytes within the time left, and a little more.
fn write_all(mut stream: &TcpStream, bytes: &[u8], until: Instant) -> Result {
    let left = until.saturating_duration_since(Instant::now()).max(POLL);
    stream.set_write_timeout(Some(left)).map_err(HttpError::Broken)?;
    stream.write_all(bytes).map_err(|error| match is_pause(&error) {
        true => HttpError::Late,
        false => HttpError::Broken(error),
    })
}

/// Answers a request. The inner `Err` is an answer that says what is wrong with the message.
pub(super) fn respond(stream: &TcpStream, answer: &Result<String, String>) {
    let status = if answer.is_ok() { "200 OK" } else { "400 Bad Request" };
    let (Ok(body) | Err(body)) = answer;
    write_response(stream, status, body);
}

/// Answers a request that cannot be read.
pub(super) fn refuse(stream: &TcpStream, error: &HttpError) {
    write_response(stream, error.status(), &error.to_string());
    // If a connection is closed with unread bytes, its other end may lose the response.
    let _ = stream.shutdown(Shutdown::Write);
    let (time, mut left) = LINGER;
    let until = Instant::now() + time;
    let _ = stream.set_read_timeout(Some(POLL));
    let mut buffer = [0; 16 << 10];
    while left > 0 && Instant::now() < until {
        match (&mut &*stream).read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => left = left.saturating_sub(count),
            Err(error) if is_pause(&error) => {}
            Err(_) => return,
        }
    }
}

fn write_response(stream: &TcpStream, status: &str, body: &str) {
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/acl\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    // The other end may be gone.
    let _ = write_all(stream, text.as_bytes(), Instant::now() + CONNECT);
}

/// Sends a message to the first of the addresses that accepts a connection, and returns the body of the response.
pub(super) fn post(
    addresses: &[SocketAddr],
    host: &str,
    body: &str,
    patience: &Patience,
) -> Result<String> {
    let mut refused = io::Error::from(ErrorKind::AddrNotAvailable);
    let connected = addresses.iter().find_map(|address| {
        TcpStream::connect_timeout(address, CONNECT).map_err(|error| refused = error).ok()
    });
    let stream = connected.ok_or(HttpError::Unreachable(refused))?;
    let _ = stream.set_nodelay(true);
    let length = body.len();
    let request = format!(
        "POST / HTTP/1.1\r\nHost: {host}\r\nAccept: text/delim\r\nSender: ruse\r\nReceiver: {host}\r\n\
         Content-Type: text/acl\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    write_all(&stream, request.as_bytes(), patience.until)?;
    let mut reader = Reader { stream: &stream, patience, ahead: Vec::new() };
    let head = loop {
        let head = reader.head()?;
        match status(&head.first)? {
            100..=199 => {}
            200..=299 => break head,
            other => return Err(HttpError::Status(other)),
        }
    };
    let body = reader.body(&head)?.map_or_else(|| reader.rest(), Ok)?;
    Ok(String::from_utf8_lossy(&body).into_owned())
}

fn status(line: &str) -> Result<u16> {
    let mut words = line.split_ascii_whitespace();
    let is_http = words.next().is_some_and(|version| version.starts_with("HTTP/1."));
    let status = words.next().and_then(|status| status.parse().ok()).filter(|_| is_http);
    status.ok_or(HttpError::Invalid("the first line is not HTTP/1.1 STATUS"))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    fn patience() -> Patience {
        let until = Instant::now() + Duration::from_secs(10);
        Patience { until, stop: StopRequest::default(), max_body: 20 }
    }

    /// Returns the result of reading what a client sends in pieces, and what the client reads.
    fn exchange(pieces: &[&str]) -> (Result<String, HttpError>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        thread::scope(|scope| {
            let client = scope.spawn(move || {
                let mut stream = TcpStream::connect(address).expect("a connection");
                for piece in pieces {
                    // The server may have refused the rest.
                    let _ = stream.write_all(piece.as_bytes());
                    thread::sleep(Duration::from_millis(5));
                }
                let _ = stream.shutdown(Shutdown::Write);
                let mut answer = String::new();
                let _ = stream.read_to_string(&mut answer);
                answer
            });
            let (stream, _) = listener.accept().expect("a connection");
            let read = receive(&stream, &patience(), &["player.example".into()]);
            match &read {
                Ok(body) => respond(&stream, &Ok(body.clone())),
                Err(error) => refuse(&stream, error),
            }
            drop(stream);
            (read, client.join().expect("no panic"))
        })
    }

    /// The first request is what `GameController` sends (Schiffel's `RemotePlayer`), the others are odd and valid.
    #[test]
    fn requests_of_all_forms_are_read() {
        let controller = "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\nReceiver: localhost\r\n\
                          Content-type: text/acl\r\nContent-length: 6\r\n\r\n(INFO)";
        let bare = "POST /x HTTP/1.1\ncontent-LENGTH:6\n\n(info)rest";
        let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: CHUNKED\r\n\r\n";
        for (pieces, body) in [
            (vec![controller], "(INFO)"),
            (vec!["POST / HT", "TP/1.1\r\nContent-Length: 6\r", "\n\r\n(in", "fo)"], "(info)"),
            (vec![bare], "(info)"),
            (vec![chunked, "2\r\n(i\r\n", "4;x=y\r\nnfo)\r\n0\r\nTrailer: x\r\n\r\n"], "(info)"),
            (vec!["POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n"], ""),
            (vec!["POST / HTTP/1.0\r\nHost: LOCALHOST\r\nContent-Length: 0\r\n\r\n"], ""),
            (vec!["POST / HTTP/1.0\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n"], ""),
            (vec!["POST / HTTP/1.0\r\nHost: Player.example\r\nContent-Length: 0\r\n\r\n"], ""),
        ] {
            let (read, answer) = exchange(&pieces);
            assert_eq!(read.expect(body), body);
            assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
            assert!(answer.ends_with(&format!("\r\n\r\n{body}")), "{answer}");
        }
        let waiting = "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n";
        let (read, answer) = exchange(&[waiting, "(info)"]);
        assert_eq!(read.expect("a body"), "(info)");
        assert!(answer.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"), "{answer}");
    }

    #[test]
    fn other_requests_are_refused_with_words() {
        let long = format!("POST / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(MAX_HEAD));
        let post = "POST / HTTP/1.1\r\n";
        for (request, status, words) in [
            ("GET / HTTP/1.1\r\n\r\n".to_string(), "405", "only POST is answered, and not GET"),
            (format!("{post}\r\n"), "411", "needs a Content-Length"),
            (format!("{post}Content-Length: 21\r\n\r\n"), "413", "more than 20 bytes"),
            (format!("{post}Content-Length: 99999999999999999999\r\n\r\n"), "400", "length"),
            (format!("{post}Content-Length: +6\r\n\r\n(info)"), "400", "not a number"),
            (format!("{post}Content-Length: 6\r\nContent-Length: 7\r\n\r\n"), "400", "two lengths"),
            (format!("{post}Content-Length: 7\r\n\r\n(info)"), "400", "closed before the end"),
            (format!("{post}nonsense\r\n\r\n"), "400", "no colon"),
            (format!("{post}Transfer-Encoding: gzip\r\n\r\n"), "400", "unknown transfer encoding"),
            (format!("{post}Transfer-Encoding: chunked\r\n\r\nxyz\r\n"), "400", "size of a chunk"),
            (
                format!("{post}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"),
                "413",
                "more than 20",
            ),
            (
                format!("{post}Transfer-Encoding: chunked\r\n\r\n2\r\n(info)\r\n"),
                "400",
                "longer than its size",
            ),
            (
                format!("{post}Origin: null\r\nContent-Length: 6\r\n\r\n(info)"),
                "403",
                "from a web page",
            ),
            ("OPTIONS / HTTP/1.1\r\nSec-Fetch-Site: none\r\n\r\n".into(), "403", "from a web page"),
            (format!("{post}Host: evil.example\r\n\r\n"), "403", "the host `evil.example`"),
            (format!("{post}Host: localhost:1\r\n\r\n"), "403", "the host `localhost:1`"),
            (format!("{post}Host: 127.0.0.2\r\n\r\n"), "403", "the host `127.0.0.2`"),
            ("hello\r\n\r\n".into(), "400", "the first line"),
            (String::new(), "400", "closed before the end"),
            (long, "400", "a line is too long"),
        ] {
            let (read, answer) = exchange(&[&request]);
            assert!(read.is_err(), "{request}");
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {answer}");
            assert!(answer.contains(words), "{request}: {answer}");
        }
    }

    #[test]
    fn waiting_ends_in_time_and_at_a_stop_request() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let soon = Instant::now() + Duration::from_millis(30);
        let post = |patience: &Patience| post(&[address], "x", "(info)", patience);
        let late = post(&Patience { until: soon, ..patience() });
        assert!(matches!(late, Err(HttpError::Late)), "{late:?}");
        let stopped = post(&Patience { stop: StopRequest::new(|| true), ..patience() });
        assert!(matches!(stopped, Err(HttpError::Stopped)), "{stopped:?}");
        drop(listener);
        assert!(matches!(post(&patience()), Err(HttpError::Unreachable(_) | HttpError::Broken(_))));
    }
}
