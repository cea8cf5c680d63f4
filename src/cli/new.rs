//! `ruse new`: writes a first version of a user's own program.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use ruse_base::files::create;
use ruse_base::visible::check_script_word;

use super::failure::{Failure, Result, print};
use super::format::paragraph;

/// Write a program to start from: a small game with a strategy to tune
///
/// The program compiles, and has all commands of `ruse`.
#[derive(Debug, Args)]
pub(super) struct NewArgs {
    #[command(subcommand)]
    what: NewCommand,
}

#[derive(Debug, Subcommand)]
enum NewCommand {
    /// A game with hidden information: rules, a strategy with a parameter, references, a board for `play`, tests
    Game(NewGameArgs),
}

#[derive(Debug, Args)]
struct NewGameArgs {
    /// A new directory; its name, which may have letters, digits and hyphens, is also the name of the family and of the
    /// program
    directory: PathBuf,
    /// The directory of `ruse`, which the program depends on [default: the checkout around the current directory;
    /// without one, ../ruse, to be changed in Cargo.toml]
    #[arg(long, value_name = "DIR")]
    ruse: Option<PathBuf>,
}

/// The source files of the new program, compiled and tested as an example of `ruse`.
const FILES: [(&str, &str); 4] = [
    ("main.rs", include_str!("../../examples/new_game/main.rs")),
    ("game.rs", include_str!("../../examples/new_game/game.rs")),
    ("family.rs", include_str!("../../examples/new_game/family.rs")),
    ("board.rs", include_str!("../../examples/new_game/board.rs")),
];
/// The name of the family in the source files.
const NAME: &str = "draw-again";
/// Names that Cargo rejects, and names of crates that the program needs.
const TAKEN: [&str; 8] = ["ruse", "test", "core", "std", "alloc", "proc-macro", "build", "deps"];

pub(super) fn new(args: &NewArgs) -> Result {
    let NewCommand::Game(NewGameArgs { directory, ruse }) = &args.what;
    let name = name_of(directory)?;
    if fs::symlink_metadata(directory).is_ok() {
        let message = format!("{} is there already", directory.display());
        return Err(Failure::with_advice(message, "nothing was changed; name a new directory"));
    }
    let checkout = || checkout_around(&std::env::current_dir().ok()?);
    let given = match ruse {
        Some(path) => {
            Some(fs::canonicalize(path).ok().filter(|path| is_ruse(path)).ok_or_else(|| {
                let message = format!("{} is not the directory of `ruse`", path.display());
                Failure::with_advice(
                    message,
                    "`--ruse` expects the directory with the Cargo.toml of the package `ruse`",
                )
            })?)
        }
        None => checkout(),
    };
    // The path goes into a text file, so it must be UTF-8.
    let given = given.and_then(|path| path.into_os_string().into_string().ok());
    let is_known = given.is_some();
    let ruse = given.unwrap_or_else(|| "../ruse".into());
    let ruse = check_script_word(ruse.as_ref())?;
    let unwritable =
        |error| Failure::Failed(format!("cannot write to {}: {error}", directory.display()));
    fs::create_dir_all(directory.join("src")).map_err(unwritable)?;
    create(&directory.join("Cargo.toml"), manifest(&name, ruse))?;
    for (file, text) in FILES {
        let path = directory.join("src").join(file);
        create(&path, text.replace(NAME, &name))?;
    }
    let at = directory.display();
    let adjust = match is_known {
        true => String::new(),
        false => "First set the path of `ruse` in Cargo.toml: no checkout was found. With `--ruse DIR` it is set here.\n".into(),
    };
    print(&paragraph(&format!(
        "Written to {at}: the rules are in src/game.rs, the strategy in src/family.rs, the board in src/board.rs. The \
         first build compiles `ruse`, too, which takes minutes; later builds take seconds.\n\
         {adjust}\n  cd {at}\n  cargo test\n  cargo run -- play {name}\n  cargo run -- optimise {name}"
    )))
}

/// Returns the name of the family and of the package: the directory's name in lower case.
fn name_of(directory: &Path) -> Result<String> {
    let name = directory.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let is_name = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '-')
        && !name.ends_with('-')
        && name.len() <= 64;
    match is_name && !TAKEN.contains(&name.as_str()) {
        true => Ok(name),
        false => Err(Failure::with_advice(
            format!("`{name}` cannot be the name of a program and of a family"),
            "a name begins with a letter, has up to 64 letters, digits and hyphens, and is not the name of a crate \
             such as `ruse` or `test`",
        )),
    }
}

/// Returns `true` if a directory has the package `ruse`.
fn is_ruse(directory: &Path) -> bool {
    let manifest = fs::read_to_string(directory.join("Cargo.toml")).unwrap_or_default();
    manifest.lines().any(|line| line.trim() == "name = \"ruse\"")
}

/// Returns the nearest directory with the package `ruse`: this directory or one of its parents.
fn checkout_around(directory: &Path) -> Option<PathBuf> {
    directory.ancestors().find(|directory| is_ruse(directory)).map(Path::to_path_buf)
}

/// Returns the Cargo.toml of the program.
fn manifest(name: &str, ruse: &str) -> String {
    // A JSON string is a valid TOML string.
    let path = serde_json::Value::from(ruse).to_string();
    include_str!("new.toml").replace(NAME, name).replace("\"../ruse\"", &path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_programs_and_families() {
        assert_eq!(name_of(Path::new("games/My-game2")).ok().as_deref(), Some("my-game2"));
        for refused in ["", "..", "9men", "my_game", "ruse", "test", "a b", "ends-", "/"] {
            assert!(name_of(Path::new(refused)).is_err(), "{refused}");
        }
    }

    /// The source files contain their family's name, but copies for a program with another name do not.
    #[test]
    fn the_name_is_in_the_files_and_nowhere_else() {
        let found = FILES.map(|(_, text)| text.matches(NAME).count());
        assert!(found.iter().sum::<usize>() >= 3, "{found:?}");
        let copy = FILES.map(|(_, text)| text.replace(NAME, "my-game")).concat();
        assert!(!copy.contains(NAME) && copy.contains("\"my-game\""));
    }

    #[test]
    fn a_checkout_is_found_from_within() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(checkout_around(&root.join("src/cli")).as_deref(), Some(root));
        assert_eq!(checkout_around(Path::new("/")), None);
        let text = manifest("my-game", "C:\\a \"b\"");
        assert!(text.contains("ruse = { path = \"C:\\\\a \\\"b\\\"\" }"), "{text}");
    }
}
