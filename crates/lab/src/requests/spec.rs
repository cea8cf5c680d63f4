//! The format of requests from an external optimiser: one JSON object per line, for one evaluation each.
//!
//! ```json
//! {"id": 1, "a": [0.5, -1, 2], "b": "baseline", "pairs": 500, "seed": 1}
//! ```
//!
//! Only `a` is required. A contestant is a list of parameters, a mixture as in a strategy file, or any name that the
//! command line accepts.

use std::fmt;

use ruse_base::files::{in_plain_words, with_short_quotes};
use ruse_base::rng::StreamKey;
use ruse_play::family::{AnyFamily, Player, PlayerError};
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::files::strategy::{ContestantError, MEMBER};
use crate::language::baseline::Baseline;
use crate::language::quantity::{Count, PAIRS_RANGE};
use crate::language::written::PlayerSpec;

/// A request as written in a line.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with at least `a`")]
pub struct RequestSpec {
    /// The identifier of the request, which the answer repeats: a string, a number, or null.
    #[serde(default)]
    pub id: RequestId,
    /// The player that is scored.
    pub a: PlayerSpec,
    /// The opponent of `a`; the baseline by default.
    pub b: Option<PlayerSpec>,
    /// The number of pairs of games to play.
    #[serde(default, deserialize_with = "pairs")]
    pub pairs: Option<u64>,
    /// The seed of all random numbers.
    pub seed: Option<u64>,
}

fn pairs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(Option::<Count>::deserialize(deserializer)?.map(|Count(pairs)| pairs))
}

/// The identifier of a request: a string, a number or null. Kept byte for byte, so numbers of any size and precision
/// stay the same.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(Box<RawValue>);

impl PartialEq for RequestId {
    fn eq(&self, other: &RequestId) -> bool {
        self.0.get() == other.0.get()
    }
}

impl RequestId {
    /// The maximum size in bytes. It is limited because every answer repeats the identifier.
    const MAX_BYTES: usize = 256;

    fn is_allowed(&self) -> bool {
        let text = self.0.get();
        !text.starts_with(['[', '{', 't', 'f']) && text.len() <= Self::MAX_BYTES
    }
}

/// The reason why a request was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The line is longer than this maximum number of bytes.
    #[error("the line is longer than {0} bytes")]
    TooLong(usize),
    /// The line is not valid UTF-8. Has the number of the first invalid byte, from 1.
    #[error("the line is not UTF-8 text, from byte {0} on")]
    NotText(usize),
    /// The line is not a JSON object; for example, it is empty.
    #[error(r#"a request is a JSON object, such as {{"id": 1, "a": [0, 1.5, -2]}}"#)]
    NotAnObject,
    /// The line is not a valid request.
    #[error("{message} (column {column})")]
    NotARequest {
        /// The problem.
        message: String,
        /// The column of the problem, from 1.
        column: usize,
    },
    /// The `id` is invalid.
    #[error(
        "`id` must be a string, a number or null, and have at most {} bytes",
        RequestId::MAX_BYTES
    )]
    NotAnId,
    /// The number of pairs is out of range.
    #[error(
        "`pairs` is {0}, and must lie between {low} and {high}",
        low = PAIRS_RANGE.start(),
        high = PAIRS_RANGE.end()
    )]
    Pairs(u64),
    /// The number of pairs exceeds the limit of the service.
    #[error("`pairs` is {pairs}, and a request may have {max_pairs} at most here (`--max-pairs`)")]
    TooManyPairs {
        /// The number of pairs of the request.
        pairs: u64,
        /// The maximum number.
        max_pairs: u64,
    },
    /// A contestant is invalid. The message hides the contents of files, which the sender may not be allowed to read.
    #[error("`{side}`: {}", told(.source))]
    Contestant {
        /// The contestant: `a` or `b`.
        side: &'static str,
        /// The problem.
        source: ContestantError,
    },
}

/// Describes the problem with a contestant, with advice, but without the contents of a file.
fn told(error: &ContestantError) -> String {
    match error {
        ContestantError::Yaml(mistake) => {
            let mut place = mistake.source_file.path.display().to_string();
            if let Some((line, column)) = mistake.place {
                place += &format!(":{line}:{column}");
            }
            format!("{place}: this is not a strategy file for this family")
        }
        ContestantError::OtherFamily { path, .. }
        | ContestantError::OtherRules { path, .. }
        | ContestantError::MisfitInFile { path, .. } => {
            format!("{} holds no strategy of this family", path.display())
        }
        ContestantError::Unknown(unknown) if unknown.kind == MEMBER => unknown.to_string(),
        ContestantError::Unknown(unknown)
        | ContestantError::Misfit(PlayerError::Unknown(unknown)) => {
            format!("{unknown}; {}", unknown.advice())
        }
        error => with_short_quotes(&error.to_string()),
    }
}

impl RequestSpec {
    /// Parses a line, with or without its line end.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is not a valid request. Does not check that the contestants fit a family.
    pub fn parse(line: &[u8]) -> Result<RequestSpec, RequestError> {
        let text = std::str::from_utf8(line);
        let text = text.map_err(|error| RequestError::NotText(error.valid_up_to() + 1))?;
        // Serde would also accept a list of the fields in order.
        if !text.trim_start().starts_with('{') {
            return Err(RequestError::NotAnObject);
        }
        let request: RequestSpec = serde_json::from_str(text).map_err(|error| {
            let mut message = error.to_string();
            if let Some(end) = message.rfind(" at line ") {
                message.truncate(end);
            }
            let message = with_short_quotes(&in_plain_words(message));
            RequestError::NotARequest { message, column: error.column() }
        })?;
        if !request.id.is_allowed() {
            return Err(RequestError::NotAnId);
        }
        match request.pairs {
            Some(pairs) if !PAIRS_RANGE.contains(&pairs) => Err(RequestError::Pairs(pairs)),
            _ => Ok(request),
        }
    }

    /// Returns the contestants as players. A fixed baseline is drawn from `key`, the root key of the seed.
    ///
    /// # Errors
    ///
    /// Returns an error if a contestant does not belong to this family.
    pub fn contestants(
        &self,
        family: &dyn AnyFamily,
        key: StreamKey,
    ) -> Result<[Player; 2], RequestError> {
        let contestant = |side, spec: &PlayerSpec| {
            let found = spec.resolve(family);
            let found = found.map_err(|source| RequestError::Contestant { side, source })?;
            Ok(found.contestant(family, key))
        };
        let b = match &self.b {
            Some(spec) => contestant("b", spec)?,
            None => Baseline::Redrawn.contestant(family, key),
        };
        Ok([contestant("a", &self.a)?, b])
    }
}

/// Returns the `id` of an invalid request, or null if it cannot be read.
pub fn id_of(line: &[u8]) -> RequestId {
    struct IdVisitor<'a>(&'a mut RequestId);

    impl<'de> Visitor<'de> for IdVisitor<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
            while let Some(key) = items.next_key::<String>()? {
                if key == "id" {
                    *self.0 = items.next_value()?;
                } else {
                    items.next_value::<IgnoredAny>()?;
                }
            }
            Ok(())
        }
    }

    let mut id = RequestId::default();
    // The error is ignored: all keys before it are recorded.
    let _ = serde_json::Deserializer::from_slice(line).deserialize_map(IdVisitor(&mut id));
    if id.is_allowed() { id } else { RequestId::default() }
}

#[cfg(test)]
mod tests {
    use ruse_registry::Registry;

    use super::*;

    fn contestants(line: &[u8]) -> Result<[Player; 2], RequestError> {
        let war = Registry::standard().family("war").expect("known");
        RequestSpec::parse(line)?.contestants(war.as_ref(), StreamKey::root(1))
    }

    #[test]
    fn requests_are_read_as_they_are_written() {
        let line = br#"{"id": "x", "a": [0, 1.5, -2e3], "pairs": 7, "seed": 3}"#;
        let request = RequestSpec::parse(line).expect("a request");
        assert_eq!((request.id.0.get(), request.pairs, request.seed), ("\"x\"", Some(7), Some(3)));
        let a = Player::Parameters(vec![0.0, 1.5, -2000.0]);
        assert_eq!(contestants(line).expect("of the family"), [a, Player::Redrawn]);
        for line in [&b"{\"a\":\"random\",\"b\":null}\r\n"[..], b" { \"a\" : \"random\" } "] {
            let expected = [Player::Named("random".into()), Player::Redrawn];
            assert_eq!(contestants(line).expect("of the family"), expected);
        }
        let mixed = br#"{"a": {"mixture": [{"weight": 1, "parameters": [1, 2, 3]}]}}"#;
        let [a, _] = contestants(mixed).expect("a mixture");
        assert_eq!(a, Player::mixture([(1.0, vec![1.0, 2.0, 3.0])]));
    }

    #[test]
    fn errors_name_the_request() {
        const NOT_AN_OBJECT: &str =
            r#"a request is a JSON object, such as {"id": 1, "a": [0, 1.5, -2]}"#;
        for (line, id, message) in [
            (&b""[..], "null", NOT_AN_OBJECT),
            (b"[1,\"random\"]", "null", NOT_AN_OBJECT),
            (b"{\"id\":1}", "1", "missing field `a` (column 8)"),
            (b"{\"id\":1,\"a\":[NaN,1,2]}", "1", "expected value (column 14)"),
            (b"{\"id\":1,\"a\":[1e999,1,2]}", "1", "number out of range (column 1"),
            (
                b"{\"id\":1,\"a\":[\"1\",1,2]}",
                "1",
                "invalid type: string \"1\", expected a number (column 16)",
            ),
            (
                b"{\"A\":[],\"id\":\"x\"}",
                "\"x\"",
                "unknown field `A`, expected one of `id`, `a`, `b`, `pairs`, `seed` (column 4)",
            ),
            (
                b"{\"id\":1,\"a\":\"random\",\"pairs\":0}",
                "1",
                "`pairs` is 0, and must lie between 1 and 1000000000000",
            ),
            (
                b"{\"id\":1,\"a\":\"random\",\"pairs\":-1}",
                "1",
                "invalid type: integer `-1`, expected a whole number such as 500000, 500k or 2M (column 31)",
            ),
            (
                b"{\"id\":[1],\"a\":\"random\"}",
                "null",
                "`id` must be a string, a number or null, and have at most 256 bytes",
            ),
            (b"{\"id\":1,\"a\":\"\xff\"}", "1", "the line is not UTF-8 text, from byte 14 on"),
            (
                b"{\"id\":1,\"a\":\"random\",\"b\":\"descnding\"}",
                "1",
                "`b`: there is no strategy or strategy file `descnding`; did you mean `descending`?",
            ),
            (b"{\"id\":1,\"a\":\"random\"} {}", "1", "trailing characters (column 23)"),
        ] {
            let error = contestants(line).expect_err("refused");
            let shown = String::from_utf8_lossy(line);
            assert_eq!(id_of(line).0.get(), id, "{shown}");
            // For a number out of range, the error states the column of its end, or the next one, depending on the
            // build.
            assert!(error.to_string().starts_with(message), "{shown}: {error}");
        }
    }
}
