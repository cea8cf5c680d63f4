//! Families of games that are read from rule files.

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ruse_base::files::reading;
use ruse_games::rule_file::{Observer, RuleFile, RuleFileError};
use ruse_gdl::{GambitError, LimitName, Limits};
use ruse_play::family::{AnyFamily, FamilyFileError, FamilyReader, ReadFamily};
use ruse_programs::PROGRAM;
use ruse_strategies::certificate::Work;
use ruse_strategies_rules::{
    FactValues, Linear, Program, RuleFileFamily, RuleFileStrategy, Seeded, Situations, Tabular,
    TunedMacUcb, TunedUct,
};

use crate::erased::erased;

/// The extensions of rule files, and of games of Gambit. The files that are built into the program have the first extension.
const ENDINGS: [&str; 4] = [".kif", ".gdl", ".efg", ".nfg"];

/// The settings for reading rule files, which a program may change before it reads the first file.
#[derive(Default)]
pub struct Reading {
    /// The limits on rule files, which apply to files read from now on.
    pub limits: Mutex<Limits>,
    /// The observer that is notified when work on a rule file takes long.
    pub observer: OnceLock<Observer>,
}

/// The end of the name of the family whose name is otherwise the path of its file.
const SEED: &str = ":seed";

/// A reader for one of the families that a rule file defines: `FILE.kif:linear`, or `FILE.kif`, which is also the name of
/// `FILE.kif:seed`.
pub struct RuleFiles {
    kind: &'static RuleFamilyKind,
    reading: Arc<Reading>,
}

struct RuleFamilyKind {
    form: &'static str,
    meaning: &'static str,
    /// Whether the family exists for games of any size, and is listed with the other families of a game.
    is_general: bool,
    /// Whether the strategies are log-linear.
    has_self_play: bool,
    make: Make,
}

type Make = fn(String, RuleFile) -> Arc<dyn AnyFamily>;

/// The form of the names of all families, before the name of their kind.
const FILE: &str = "FILE.kif";

impl RuleFamilyKind {
    /// Creates the kind of a family that exists for games of any size, and whose strategies are not log-linear.
    const fn of<S: RuleFileStrategy>(form: &'static str, meaning: &'static str) -> RuleFamilyKind {
        let make: Make = |name, game| erased(RuleFileFamily::<S>::new(name, game));
        RuleFamilyKind { form, meaning, is_general: true, has_self_play: false, make }
    }

    /// Returns the part of the family's name after the path.
    fn suffix(&self) -> &'static str {
        &self.form[FILE.len()..]
    }
}

const KINDS: [RuleFamilyKind; 9] = [
    RuleFamilyKind::of::<Seeded<true>>(
        "FILE.kif:seed",
        "a game from a rule file (GDL, GDL-II): a pure strategy for each number",
    ),
    RuleFamilyKind::of::<Seeded<false>>("FILE.kif:seed-memoryless", "the same, without memory"),
    RuleFamilyKind::of::<Linear<false>>(
        "FILE.kif:linear",
        "weights of what is known; the move with the largest sum",
    ),
    RuleFamilyKind {
        has_self_play: true,
        ..RuleFamilyKind::of::<Linear<true>>(
            "FILE.kif:linear-softmax",
            "the same, moves being drawn",
        )
    },
    RuleFamilyKind::of::<Program>(
        "FILE.kif:program",
        "ten lines with conditions; the first that fits plays",
    ),
    RuleFamilyKind {
        is_general: false,
        has_self_play: true,
        ..RuleFamilyKind::of::<Tabular>(
            "FILE.kif:table",
            "probabilities of moves in each situation of a small game, as `ruse solve` finds them",
        )
    },
    RuleFamilyKind::of::<TunedMacUcb>(
        "FILE.kif:mac-ucb",
        "the constants of a search that solves stages",
    ),
    RuleFamilyKind::of::<TunedUct>("FILE.kif:uct", "the constant of a search by confidence bounds"),
    RuleFamilyKind::of::<TunedUct<FactValues>>(
        "FILE.kif:value",
        "what each fact is worth, for a search by confidence bounds",
    ),
];

impl RuleFiles {
    /// Returns one reader for each family.
    pub fn all(reading: &Arc<Reading>) -> impl Iterator<Item = RuleFiles> {
        KINDS.iter().map(|kind| RuleFiles { kind, reading: Arc::clone(reading) })
    }
}

/// Returns the error for a file with more than `max_bytes` bytes.
fn too_large(path: &Path, max_bytes: u64) -> FamilyFileError {
    let (refused, limit) = (reading::UnreadableFile::TooLarge { max_bytes }, LimitName::TextBytes);
    let advice = format!("raise the limit if it is a file of rules: `--limit {limit}=N`");
    let error = FamilyFileError::new(path, format!("{refused} (limit {limit})"));
    FamilyFileError { advice: Some(advice), ..error }
}

/// Returns `true` if a file begins with a list, after white space and comments. No other kind of file that `ruse` reads
/// begins in this way.
fn begins_like_rules(path: &Path) -> bool {
    /// The number of bytes in which the beginning of a list is sought.
    const MOST: u64 = 1 << 16;
    let mut bytes = Vec::new();
    let Ok(file) = reading::open(path) else { return false };
    if file.take(MOST).read_to_end(&mut bytes).is_err() {
        return false;
    }
    let mut rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes).trim_ascii_start();
    while rest.first() == Some(&b';') {
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        rest = rest[end..].trim_ascii_start();
    }
    rest.first() == Some(&b'(')
}

/// Reads the text of a file. If the file does not exist, takes the text of the built-in file with this name.
fn text_of(path: &Path, limits: &Limits) -> Result<Vec<u8>, FamilyFileError> {
    let found = reading::read_bytes(path, limits.text_bytes);
    found.or_else(|error| {
        // In a browser, only the built-in files exist.
        let missing =
            matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::Unsupported);
        let is_plain = path.parent().is_none_or(|parent| parent.as_os_str().is_empty())
            && path.as_os_str().as_encoded_bytes().ends_with(ENDINGS[0].as_bytes());
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        match ruse_gdl::rule_file(name) {
            Some(file) if missing && is_plain => Ok(file.text.into()),
            _ if error.kind() == std::io::ErrorKind::FileTooLarge => {
                Err(too_large(path, limits.text_bytes))
            }
            _ => Err(FamilyFileError::unreadable(path, &error)),
        }
    })
}

impl FamilyReader for RuleFiles {
    fn form(&self) -> &str {
        self.kind.form
    }

    fn meaning(&self) -> &str {
        self.kind.meaning
    }

    fn has_self_play(&self) -> bool {
        self.kind.has_self_play
    }

    fn path<'a>(&self, name: &'a str) -> Option<&'a Path> {
        let path = match self.kind.suffix() {
            _ if name.starts_with(PROGRAM) => return None,
            SEED => name.strip_suffix(SEED).unwrap_or(name),
            suffix => name.strip_suffix(suffix)?,
        };
        let mut endings = ENDINGS.into_iter();
        let has_ending = endings.any(|end| path.len() > end.len() && path.ends_with(end));
        (has_ending || begins_like_rules(Path::new(path))).then(|| Path::new(path))
    }

    /// Returns `None` for a family that only small games have: users must name it.
    fn name(&self, path: &Path) -> Option<String> {
        self.kind.is_general.then_some(())?;
        let suffix = self.kind.suffix();
        Some(format!("{}{}", path.to_str()?, if suffix == SEED { "" } else { suffix }))
    }

    fn read(&self, name: &str, path: &Path) -> ReadFamily {
        let limits = self.limits();
        let text = text_of(path, &limits)?;
        self.make(name, path, &text, &limits)
    }

    fn read_from(&self, name: &str, path: &Path, contents: &[u8]) -> ReadFamily {
        let limits = self.limits();
        if contents.len() as u64 > limits.text_bytes {
            return Err(too_large(path, limits.text_bytes));
        }
        self.make(name, path, contents, &limits)
    }
}

impl RuleFiles {
    fn limits(&self) -> Limits {
        self.reading.limits.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn make(&self, name: &str, path: &Path, text: &[u8], limits: &Limits) -> ReadFamily {
        // In text with other line ends, a comment would not end.
        let has_old_ends = text.windows(2).any(|two| two[0] == b'\r' && two[1] != b'\n');
        let text = match text {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                let refused = reading::text_of(text.into());
                let refused = refused.map_err(|why| FamilyFileError::new(path, why))?;
                Cow::Owned(refused.into_bytes())
            }
            _ if has_old_ends => text.iter().map(|&b| if b == b'\r' { b'\n' } else { b }).collect(),
            _ => Cow::Borrowed(text),
        };
        if let Some(format) = reading::foreign(path, &text, &ENDINGS) {
            return Err(FamilyFileError::foreign(path, format));
        }
        let text = match ruse_gdl::rules_of_gambit(&text) {
            None => text,
            Some(Ok(rules)) => Cow::Owned(rules.into_bytes()),
            Some(Err(GambitError { line, problem })) => {
                let place = Some((line, 1));
                return Err(FamilyFileError { place, ..FamilyFileError::new(path, problem) });
            }
        };
        let title = path.file_name().unwrap_or_default().to_string_lossy();
        let observer = self.reading.observer.get().cloned().unwrap_or_default();
        let game = RuleFile::from_text_observed(title, &text, limits, observer);
        let game = game.map_err(|error| match error {
            RuleFileError::Text(error) => in_text(path, &error),
            error => FamilyFileError::new(path, error),
        })?;
        if !self.kind.is_general {
            Situations::of(&game, &Work::default())
                .map_err(|error| FamilyFileError::new(path, error))?;
        }
        Ok((self.kind.make)(name.into(), game))
    }
}

/// Returns the error for a mistake in a file, with the line and the column of the mistake.
fn in_text(path: &Path, error: &ruse_gdl::Error) -> FamilyFileError {
    let place = error.place();
    let excerpt = error.report("").split_once('\n').map(|(_, excerpt)| excerpt.to_string());
    FamilyFileError {
        place: Some((place.line, place.column)),
        excerpt,
        ..FamilyFileError::new(path, format!("{}: {}", error.kind(), error.problem()))
    }
}
