//! YAML files from users: read with the place of every mistake.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

/// The text of a YAML file and where it came from.
#[derive(Debug, Clone)]
pub struct YamlSource {
    /// The path of the file.
    pub path: PathBuf,
    /// Its contents.
    pub text: String,
}

/// The largest file that is read: one of this size is no experiment or strategy.
const MAX_BYTES: u64 = 16 << 20;

impl YamlSource {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// When it cannot be read, is no regular file of UTF-8 text, or is absurdly large.
    pub fn read(path: &Path) -> std::io::Result<YamlSource> {
        let metadata = std::fs::metadata(path)?;
        let refused =
            |problem: String| std::io::Error::new(std::io::ErrorKind::InvalidInput, problem);
        if !metadata.is_file() {
            return Err(refused("it is not a regular file".into()));
        }
        if metadata.len() > MAX_BYTES {
            let num_bytes = metadata.len();
            return Err(refused(format!(
                "{num_bytes} bytes are too many, {MAX_BYTES} are allowed"
            )));
        }
        Ok(YamlSource { path: path.into(), text: std::fs::read_to_string(path)? })
    }

    /// Turns the text into a value.
    ///
    /// # Errors
    ///
    /// Says where the text is not what was expected.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, Box<YamlError>> {
        serde_yaml::from_str(&self.text).map_err(|error| {
            let place = error.location().map(|at| (at.line(), at.column()));
            // The place is shown on its own.
            let mut message = error.to_string();
            if let Some(end) = message.rfind(" at line ") {
                message.truncate(end);
            }
            // The names of Rust's types mean nothing to who writes an experiment.
            for (rust, plain) in [("u64", "a whole number, 0 or more"), ("f64", "a number")] {
                if let Some(start) = message.strip_suffix(&format!("expected {rust}")) {
                    message = format!("{start}expected {plain}");
                }
            }
            Box::new(YamlError { source_file: self.clone(), place, message })
        })
    }

    /// The mistake `message` about the value of the top-level key `key`.
    pub fn error_at_key(&self, key: &str, message: String) -> YamlError {
        let line = self.text.lines().position(|line| {
            line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'))
        });
        YamlError { source_file: self.clone(), place: line.map(|line| (line + 1, 1)), message }
    }
}

/// A mistake in a YAML file.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}{}: {message}", source_file.path.display(), display_place(*place))]
pub struct YamlError {
    /// The file.
    pub source_file: YamlSource,
    /// Line and column of the mistake, both from 1, if known.
    pub place: Option<(usize, usize)>,
    /// What was found and what was expected.
    pub message: String,
}

fn display_place(place: Option<(usize, usize)>) -> String {
    place.map_or(String::new(), |(line, column)| format!(":{line}:{column}"))
}
