//! Failures of the program: a message, perhaps advice, and an exit code.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use ruse_base::files::reading::with_plain_lines;
use ruse_base::files::{DirectoryError, ReadError, UnwritableFile, YamlError};
use ruse_base::names::UnknownName;
use ruse_base::notation::NotationError;
use ruse_base::stop::{StopSignal, Stopped};
use ruse_base::visible::{ScriptWordError, visible, visible_json};
use ruse_games::RulesError;
use ruse_games::rule_file::TEXT;
use ruse_ggp::PeerNameError;
use ruse_lab::{
    AblationError, ContestantError, LabError, MergeError, NoSuchGroup, PoolError, PublishError,
    RecordError, RunDirectory, SpecError, StartError,
};
use ruse_optimise::portfolio::PayoffError;
use ruse_play::bandits::{OpenError, StudyError};
use ruse_play::family::{FamilyError, FamilyFileError, MatchError, PlayerError};
use ruse_plots::FigureError;
use ruse_programs::RefusedProgram;
use ruse_report::ReportError;

use super::format::wrapped;
use super::signals;
use super::verbosity::{error_width, say, say_always};

/// The result of a command, or of a part of one.
pub(super) type Result<T = (), E = Failure> = std::result::Result<T, E>;

/// The reason why a command failed. Every error of the library converts to a `Failure`, with advice for the user.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// The usage or the input is invalid.
    BadInput {
        /// The problem, in words.
        message: String,
        /// The advice, if any.
        advice: Option<String>,
    },
    /// A file contains a mistake.
    BadFile(Box<YamlError>),
    /// A text contains a mistake. Lines of the text follow the message, without wrapping.
    BadText {
        /// The problem, in words.
        message: String,
        /// The part of the text with the mistake.
        excerpt: String,
    },
    /// The request was valid, but could not be carried out.
    Failed(String),
    /// Ctrl-C was pressed, or another signal came; the results so far were printed.
    Interrupted,
    /// A verdict other than the first one, whose exit code was asked for.
    Verdict(u8),
    /// A share of an experiment was stopped after a checkpoint.
    StoppedShare,
    /// The reader of the output has closed it.
    BrokenPipe,
}

impl Failure {
    /// The exit code of a stopped share, which the same command continues. It is EX_TEMPFAIL of sysexits.h, which tells
    /// schedulers to try again.
    const STOPPED_SHARE: u8 = 75;
    const BAD_INPUT: u8 = 2;

    pub(super) fn bad_input(message: impl ToString) -> Failure {
        Failure::BadInput { message: message.to_string(), advice: None }
    }

    pub(super) fn with_advice(message: impl ToString, advice: impl Into<String>) -> Failure {
        Failure::BadInput { message: message.to_string(), advice: Some(advice.into()) }
    }

    /// Says that the work was interrupted before it had a result, and returns the failure.
    pub(super) fn nothing_yet() -> Failure {
        say_always("stopped before the first results: there is nothing to print");
        Failure::Interrupted
    }

    /// Returns the failure if the work was stopped, after a remark that the results so far are kept.
    pub(super) fn unless_finished(stop: &StopSignal) -> Result {
        stop.check().map_err(|_| {
            say("the same command continues from here");
            Failure::Interrupted
        })
    }

    /// Returns the failure if the system cannot start a thread.
    pub(super) fn no_thread(error: impl std::fmt::Display) -> Failure {
        Failure::Failed(format!(
            "cannot start a thread: {error}; there may be a limit on memory or on processes (`ulimit -a`)"
        ))
    }

    /// Returns the failure if `number` bytes of memory are missing.
    pub(super) fn no_memory(number: usize) -> Failure {
        let mebibytes = number >> 20;
        Failure::Failed(format!(
            "cannot get {mebibytes} MiB of memory; there may be a limit (`ulimit -v`)"
        ))
    }

    /// Returns the message and the advice as plain text without wrapping; empty if the command was only stopped.
    pub fn text(&self) -> String {
        match self {
            Failure::BadInput { message, advice: None } | Failure::Failed(message) => {
                visible(message).into_owned()
            }
            Failure::BadInput { message, advice: Some(advice) } => {
                format!("{}; {}", visible(message), visible(advice))
            }
            Failure::BadText { message, excerpt } => {
                format!("{}\n{}", visible(message), visible(excerpt))
            }
            Failure::BadFile(mistake) => {
                let report = snippet(mistake, &Renderer::plain());
                report.strip_prefix("error: ").unwrap_or(&report).into()
            }
            Failure::Interrupted
            | Failure::Verdict(_)
            | Failure::StoppedShare
            | Failure::BrokenPipe => String::new(),
        }
    }

    /// Returns the exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::BadInput { .. } | Failure::BadText { .. } | Failure::BadFile(_) => {
                Self::BAD_INPUT
            }
            Failure::Failed(_) => 1,
            Failure::Interrupted => signals::exit_code(),
            Failure::Verdict(code) => *code,
            Failure::StoppedShare => Self::STOPPED_SHARE,
            Failure::BrokenPipe => 0,
        }
    }

    /// Prints the failure on standard error, and returns the exit code.
    pub(super) fn report(self) -> u8 {
        let mut error = anstream::stderr().lock();
        let style = clap::builder::Styles::styled();
        let mut say = |message: &str, advice: Option<&str>| {
            let (red, green) = (style.get_error(), style.get_valid());
            let mut text = format!("{red}error:{red:#} {}", visible(message));
            if let Some(advice) = advice {
                text += &format!("\n\n  {green}tip:{green:#} {}", visible(advice));
            }
            let _ = writeln!(error, "{}", wrapped(&text, error_width()));
        };
        match &self {
            Failure::BadInput { message, advice } => say(message, advice.as_deref()),
            Failure::BadText { message, excerpt } => {
                say(message, None);
                let _ = writeln!(error, "{}", visible(excerpt));
            }
            Failure::BadFile(mistake) => {
                // Wrap only the title. The lines of the file keep their columns.
                let snippet = snippet(mistake, &Renderer::styled());
                let (title, place) = snippet.split_at(snippet.find('\n').unwrap_or(snippet.len()));
                let _ = writeln!(error, "{}{place}", wrapped(title, error_width()));
            }
            Failure::Failed(message) => say(message, None),
            Failure::Interrupted | Failure::StoppedShare => signals::say_interrupted(),
            Failure::Verdict(_) | Failure::BrokenPipe => {}
        }
        self.exit_code()
    }
}

/// Returns a similar path that does not exist, such as `PATH-2`.
fn free_beside(path: &str) -> String {
    let path = path.trim_end_matches(std::path::is_separator);
    let mut names = (2..).map(|number| format!("{path}-{number}"));
    names.find(|name| !Path::new(name).exists()).expect("there are numbers enough")
}

/// Renders the line of a file with a mistake, and marks the mistake.
fn snippet(mistake: &YamlError, renderer: &Renderer) -> String {
    let text = with_plain_lines(mistake.source_file.text.clone());
    let Some((line, column)) = mistake.place else {
        return visible(&format!("error: {mistake}")).into_owned();
    };
    // Pass only this line: the renderer allocates a hundred bytes per line.
    let whole = text.split('\n').nth(line - 1).unwrap_or("").trim_end_matches('\r');
    let (shown, start) = window(whole, column);
    // Mark the text up to the end of the line or a comment.
    let marked = shown[start..].split(" #").next().unwrap_or("").trim_end();
    let source = Snippet::source(&*shown)
        .line_start(line)
        .annotation(AnnotationKind::Primary.span(start..start + marked.len()));
    let path = mistake.source_file.path.display().to_string();
    let report = if shown == whole {
        [Level::ERROR.primary_title(mistake.message.as_str()).element(source.path(visible(&path)))]
    } else {
        // Do not show the column: the renderer would count it from the shown part.
        [Level::ERROR.primary_title(mistake.to_string()).element(source)]
    };
    renderer.render(&report)
}

/// Returns the shown part of a line, and the byte offset of `column` in it. Columns are numbered from 1. Lines longer
/// than `MAX_CHARS` are cut around the column.
fn window(line: &str, column: usize) -> (Cow<'_, str>, usize) {
    const MAX_CHARS: usize = 500;
    const CHARS_BEFORE: usize = 60;
    let offset =
        |text: &str, chars| text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    let at = column - 1;
    if offset(line, MAX_CHARS) == line.len() {
        return (line.into(), offset(line, at));
    }
    let first = at.saturating_sub(CHARS_BEFORE);
    let rest = &line[offset(line, first)..];
    let before = if first == 0 { "" } else { "…" };
    let shown = format!("{before}{}", &rest[..offset(rest, MAX_CHARS)]);
    let start = before.len() + offset(rest, at - first);
    (shown.into(), start)
}

impl From<UnknownName> for Failure {
    fn from(unknown: UnknownName) -> Failure {
        Failure::with_advice(&unknown, unknown.advice())
    }
}

impl From<FamilyFileError> for Failure {
    fn from(error: FamilyFileError) -> Failure {
        match (&error.excerpt, error.advice.clone()) {
            (Some(excerpt), _) => {
                Failure::BadText { message: error.to_string(), excerpt: excerpt.clone() }
            }
            (None, Some(advice)) => Failure::with_advice(&error, advice),
            (None, None) => Failure::bad_input(error),
        }
    }
}

impl From<YamlError> for Failure {
    fn from(mistake: YamlError) -> Failure {
        Failure::BadFile(Box::new(mistake))
    }
}

impl From<Stopped> for Failure {
    fn from(_: Stopped) -> Failure {
        Failure::Interrupted
    }
}

impl<E> From<Box<E>> for Failure
where
    Failure: From<E>,
{
    fn from(error: Box<E>) -> Failure {
        (*error).into()
    }
}

/// The advice on unknown or invalid parameters of a family.
fn on_parameters(error: &PlayerError) -> String {
    match error {
        PlayerError::Unknown(unknown) => unknown.advice(),
        PlayerError::Parameters { family, .. } => format!("`ruse show {family}` lists them"),
        _ => String::new(),
    }
}

/// Converts errors of the libraries. For each type: the variants whose errors convert by themselves, and the advice on
/// all others, which is empty if there is none.
macro_rules! convert {
    ($($type:ident { $($inner:ident),* } $($error:ident => $advice:expr)?;)*) => {$(
        impl From<$type> for Failure {
            fn from(error: $type) -> Failure {
                match error {
                    $($type::$inner(error) => error.into(),)*
                    $($error => {
                        let advice = Cow::from($advice).into_owned();
                        let advice = Some(advice).filter(|advice| !advice.is_empty());
                        Failure::BadInput { message: $error.to_string(), advice }
                    })?
                }
            }
        }
    )*};
}

convert! {
    FamilyError { Unknown, File };
    MatchError { Player, Stopped };
    RulesError {} error => "";
    FigureError {} error => "";
    RefusedProgram {} error => "";
    PeerNameError {} error => "";
    NoSuchGroup {} error => format!(
        "name one of these, or parameters as `ruse show {}` lists them, with * for any characters",
        error.family
    );
    AblationError { Player, Stopped } error => "";
    NotationError { Unknown } error => "";
    OpenError { Unknown, File } error => "";
    StudyError { Stopped } error => "";
    ReadError { Yaml, Directory } error => "";
    ScriptWordError {} error => "rename it; nothing was written";
    PlayerError { Unknown } error => on_parameters(&error);
    StartError { Contestant } error => error.advice().unwrap_or_default();
    PoolError { Contestant, Directory, Unknown, Family, Rules } error =>
        "name strategy files, or the directories that `ruse optimise` and `ruse compare` made; or a family with --random";
    ContestantError { Unknown, Yaml, Misfit, Directory } error => match &error {
        ContestantError::OtherRules { rule, value, dimensions, .. } => {
            let otherwise = match dimensions {
                Some(_) => "tune a strategy under the rules in force with `ruse optimise`",
                None => "leave `rules` out of the file",
            };
            // The rule with the text of a rule file has only one valid value.
            match rule == TEXT {
                true => format!("take the rule file as it was, or {otherwise}"),
                false => format!("play by the same rules with `--rule {rule}={value}`, or {otherwise}"),
            }
        }
        ContestantError::OtherFamily { expected, found, .. } => {
            match found.starts_with(&format!("{expected}:")) {
                true => format!("give the family as `{found}`"),
                false => format!("name strategies of `{expected}` only"),
            }
        }
        ContestantError::MisfitInFile { source, .. } => on_parameters(source),
        ContestantError::BareNumbers { numbers, .. } => {
            format!("write `{numbers}`; a shell may need quotes around it")
        }
        ContestantError::NoStrategy(path) => {
            format!("if a run in it was stopped, `ruse resume {}` goes on with it", path.display())
        }
        ContestantError::SeveralStrategies { found, .. } => {
            /// The maximum number of paths listed. A comparison may have hundreds.
            const MAX_LISTED: usize = 8;
            let listed = found.iter().take(MAX_LISTED).map(|path| path.display().to_string());
            let mut listed: Vec<String> = listed.collect();
            if found.len() > MAX_LISTED {
                listed.push(format!("and {} more", found.len() - MAX_LISTED));
            }
            format!("name one of them, the highest score first: {}", listed.join(", "))
        }
        _ => String::new(),
    };
    SpecError { Unknown, FamilyFile, Rules, Baseline, ScoreAgainst, Start } error => match &error {
        SpecError::Repeated { .. } => "name each only once, or give one another `name`".into(),
        SpecError::SeedsTwice => "leave out `seeds`, or both of the others".into(),
        SpecError::NotOfMethod { owners, .. } => {
            format!("leave it out; the option belongs to {}", owners.join(", "))
        }
        SpecError::NoSelfPlay { others, .. } => {
            format!("choose another method; it works with {}", others.join(", "))
        }
        _ => String::new(),
    };
    DirectoryError {} error => match &error {
        DirectoryError::Unwritable { .. } => return Failure::Failed(error.to_string()),
        DirectoryError::Occupied { path, .. } if RunDirectory::is_at(path) => {
            let path = path.display();
            return Failure::with_advice(&error, format!(
                "nothing was changed; `ruse resume {path}` goes on with what is there; to start again, name another \
                 directory, as in `--out {}`",
                free_beside(&path.to_string())
            ));
        }
        DirectoryError::Begun(path) => return Failure::with_advice(&error, format!(
            "`ruse resume {}` goes on with it, or shows its results if it is finished; to start again, name another \
             directory with `--out`",
            path.display()
        )),
        DirectoryError::Occupied { .. } => "nothing was changed; name a new directory with --out",
        DirectoryError::Corrupt { .. } =>
            "nothing was changed; `ruse run DIR/experiment.yaml` gives the same results in a new directory",
        DirectoryError::Changed(_) =>
            "put it back as it was, or remove it and let `ruse resume DIR` make it again; a strategy of your own goes \
             into a file elsewhere",
        DirectoryError::Lost(_) =>
            "nothing was changed; `ruse resume DIR` computes it again, and the results are the same",
        DirectoryError::Unsealed { .. } =>
            "nothing was changed; put the file back as it was, or remove it: the command that wrote its rows makes \
             them again",
        DirectoryError::InUse { .. } =>
            "nothing was changed; wait for it or stop it. Commands that only read need not wait: `ruse table`, and \
             `ruse plot` and `ruse report` with --out",
        DirectoryError::NotBegun(_) =>
            "name the directory that `ruse optimise`, `ruse compare` or `ruse run` made; if the command was killed \
             before it began, repeat it",
        DirectoryError::NotThere(_) =>
            "name the directory that `ruse optimise`, `ruse compare` or `ruse run` made",
        DirectoryError::NoDirectory(_) => "make it first",
        DirectoryError::Refused { reason: UnwritableFile::Exists, .. } =>
            "nothing was changed; name a new file",
        DirectoryError::Refused { .. } => "nothing was changed; remove it, or name another file",
        DirectoryError::NoCheckpoint(_) =>
            "nothing was changed; put the checkpoint back, or let `ruse run DIR/experiment.yaml --out NEW` make the \
             results again in a new directory",
        DirectoryError::Published(_) =>
            "nothing was changed; `ruse run DIR/experiment.yaml --out NEW` makes the results again in a new directory",
        _ => "",
    };
    RecordError {} error => "`ruse run DIR/experiment.yaml` computes the results again";
    ReportError { Directory, Strategy, Family, Rules, Records, Figure, Stopped } error => match &error {
        ReportError::Mixture(path) => format!(
            "`ruse show {}` prints its members; write one into a separate file",
            path.display()
        ),
        ReportError::NoFormat(_) => "write SVG, or build the program with the feature".into(),
        ReportError::NoPopulations(_) =>
            "leave `--population` out, or repeat the experiment with `ruse run DIR/experiment.yaml --out NEW`".into(),
        ReportError::NoComparison(path) => {
            format!("`ruse table {} --format tex` prints the tables of this experiment", path.display())
        }
        ReportError::NotDirectory(_) => "name a directory; if it does not exist, it is created".into(),
        _ => String::new(),
    };
    PublishError { Directory } error => match &error {
        PublishError::Unfinished { .. } => "nothing was written; `ruse resume DIR` does the rest",
        _ => "nothing was changed; name a directory that does not exist yet",
    };
    PayoffError { Stopped } error => match &error {
        PayoffError::NumMembers { .. } =>
            "name more strategy files or run directories, take all strategies that a run accepted with --population, \
             or draw some of a family with --random",
        _ => return Failure::Failed(error.to_string()),
    };
    LabError { Directory, Read, Contestant, Matchup, Payoff, Spec, Group, Program } error => match &error {
        LabError::Stopped => return Failure::Interrupted,
        LabError::State(_) =>
            "nothing was changed; `ruse run DIR/experiment.yaml` gives the same results in a new directory",
        LabError::TooFewStrategies { .. } => "ask for fewer, or let more parameters vary",
        _ => return Failure::Failed(error.to_string()),
    };
    MergeError { Lab } error => match &error {
        MergeError::OtherExperiment { .. } =>
            "nothing was changed; only shards of the same experiment file can be merged: the first lines of their \
             experiment.yaml are equal",
        MergeError::Different { .. } =>
            "one of them was changed, or made by another version of the program; leave one out",
        MergeError::RoundRobin(_) => "take its directory as it is",
        _ => "",
    };
}

impl From<io::Error> for Failure {
    /// Converts an error from writing to standard output.
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::Failed(format!("cannot write the results: {error}")),
        }
    }
}

/// Writes results to standard output. Control characters become visible, so that foreign text cannot control the
/// terminal.
pub(super) fn print(text: &str) -> Result {
    write_results(&visible(text))
}

/// Writes only a JSON object to standard output.
pub(super) fn print_json(value: &serde_json::Value) -> Result {
    print_json_text(&format!("{value:#}\n"))
}

/// Writes JSON to standard output.
pub(super) fn print_json_text(text: &str) -> Result {
    write_results(&visible_json(text))
}

fn write_results(text: &str) -> Result {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush()?;
    Ok(())
}

/// Prints a mistake in the arguments, or the requested help. Returns the exit code.
///
/// `tip` is printed below the mistake.
pub(super) fn report_usage(error: &clap::Error, tip: Option<String>) -> u8 {
    let with_tip = |text: String| match &tip {
        None => text,
        Some(tip) => match text.find("\n\n") {
            Some(end) => format!("{}\n\n  tip: {}{}", &text[..end], visible(tip), &text[end..]),
            None => text,
        },
    };
    let plain = error.to_string();
    if error.use_stderr() {
        // The error repeats the arguments. If they could control the terminal, print it without colours.
        let text = match visible(&plain) {
            Cow::Borrowed(_) => with_tip(error.render().ansi().to_string()),
            Cow::Owned(text) => with_tip(text),
        };
        let _ = write!(anstream::stderr(), "{}", wrapped(&text, error_width()));
        return Failure::BAD_INPUT;
    }
    match error.print().and_then(|()| io::stdout().flush()) {
        Ok(()) => 0,
        Err(error) => Failure::from(error).report(),
    }
}

#[cfg(test)]
mod tests {
    use ruse_base::files::YamlSource;
    use ruse_lab::Plan;
    use ruse_registry::Registry;

    use super::*;

    #[test]
    fn messages_are_plain_text() {
        let registry = Registry::standard();
        let text = "family: war\nbudget: 10k\nmethod: niave\n";
        let source = YamlSource { path: "x.yaml".into(), text: text.into() };
        let Err(mistake) = Plan::parse(&source, &registry) else { panic!("it is wrong") };
        let text = Failure::BadFile(mistake).text();
        assert!(text.starts_with("there is no method `niave`"), "{text}");
        assert!(text.contains("x.yaml:3:9") && text.contains("^^^^^"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        assert_eq!(Failure::Interrupted.text(), "");
        assert_eq!(Failure::Interrupted.exit_code(), 130);
        assert_eq!(Failure::Failed("x\u{1b}[2J".into()).exit_code(), 1);
        assert!(!Failure::Failed("x\u{1b}[2J".into()).text().contains('\u{1b}'));
    }

    #[test]
    fn long_lines_are_shown_in_part() {
        assert_eq!(window("a: é, b", 6), ("a: é, b".into(), 6));
        assert_eq!(window("a", 5), ("a".into(), 1));
        let long = format!("{}é{}", "a".repeat(1000), "b".repeat(1000));
        assert_eq!(window(&long, 1), ("a".repeat(500).into(), 0));
        let around = format!("…{}é{}", "a".repeat(60), "b".repeat(439));
        assert_eq!(window(&long, 1001), (around.into(), 63));
        assert_eq!(window(&long, 3000).1, "…".len());
    }
}
