//! `ruse page`: writes a page for playing against strategies in a browser.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::Args;
use ruse_base::files::{Replaces, YamlSource, check_output, reading, write_output};
use ruse_lab::{STRATEGY, StrategyFile};
use ruse_registry::Registry;
use ruse_report::figures;

use super::failure::{Failure, Result};
use super::verbosity::say;
use crate::playable::{CHAMPIONS, PlayableFile, PlayablePage};

/// Write a page for playing against strategies in a browser: one file, without a server
#[derive(Debug, Args)]
pub(super) struct PageArgs {
    /// The opponents: strategy files, or directories of runs; the page always has the champions of the program, too
    #[arg(value_name = "STRATEGY")]
    strategies: Vec<PathBuf>,
    /// The file to write the page to
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    games: GamesArgs,
}

/// The maximum size of a rule file in a page, in bytes.
const MAX_RULES: u64 = 2 << 20;

/// The source of the games of a page.
#[derive(Debug, Args)]
pub(super) struct GamesArgs {
    /// The games of the page, in place of the default ones: the crate ruse-page as WebAssembly
    #[arg(long, value_name = "FILE")]
    wasm: Option<PathBuf>,
}

impl GamesArgs {
    /// Returns a page with these files, and the games from `--wasm`, if given.
    pub(super) fn page(&self, files: Vec<PlayableFile>) -> Result<PlayablePage> {
        /// The maximum size of the games as WebAssembly, in bytes: ten times the current size.
        const MAX_BYTES: u64 = 64 << 20;
        let page = PlayablePage::new(files);
        let Some(path) = &self.wasm else { return Ok(page) };
        let unusable = |error: &dyn Display| {
            Failure::bad_input(format!("cannot take the games from {}: {error}", path.display()))
        };
        let wasm = reading::read_bytes(path, MAX_BYTES).map_err(|error| unusable(&error))?;
        page.with_games(&wasm).map_err(|error| unusable(&error))
    }
}

pub(super) fn page(args: &PageArgs, registry: &Registry) -> Result {
    check_output(&args.out, Replaces::Page)?;
    let mut shelf = Shelf::new(registry);
    for path in &args.strategies {
        // A run's directory stands for its strategy file.
        let in_directory = path.join(STRATEGY);
        let path = if in_directory.is_file() { &in_directory } else { path };
        let file = StrategyFile::read(path)?;
        let family = file.family(registry)?.with_rules(&file.rules)?;
        let file = file.checked(path, family.as_ref())?;
        shelf.put(&name_of(path), &file)?;
    }
    for champion in CHAMPIONS {
        let source = YamlSource { path: champion.name.into(), text: champion.text.into() };
        let file = StrategyFile::from_source(&source)?;
        let family = file.family(registry)?.with_rules(&file.rules)?;
        let file = file.checked_in(&source, family.as_ref())?;
        shelf.put(champion.name, &file)?;
    }
    let number = shelf.names.len();
    let page = args.games.page(shelf.files)?;
    let html = page.beginning_with_first(!args.strategies.is_empty()).html();
    write_output(&args.out, Replaces::Page, &html)?;
    let megabytes = html.len() as f64 / 1e6;
    say(&format!(
        "{} has {number} strategies and {megabytes:.1} MB: open it in a browser",
        args.out.display()
    ));
    Ok(())
}

/// Returns the name of the strategy at a path: the name of its file or directory, with the ending `.yaml`.
fn name_of(path: &Path) -> String {
    let is_usual = path.file_name().is_some_and(|name| name == STRATEGY);
    let named = if is_usual { path.parent().unwrap_or(path) } else { path };
    let full = std::path::absolute(named).unwrap_or_else(|_| named.into());
    let name = full.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if name.ends_with(".yaml") { name } else { format!("{name}.yaml") }
}

/// The strategies on a page, with the rule files of their games.
pub(super) struct Shelf<'a> {
    registry: &'a Registry,
    pub(super) files: Vec<PlayableFile>,
    names: BTreeSet<String>,
}

impl Shelf<'_> {
    pub(super) fn new(registry: &Registry) -> Shelf<'_> {
        Shelf { registry, files: Vec::new(), names: BTreeSet::new() }
    }

    /// Adds a strategy with checked parameters, and the rules of its game if they are in a file.
    pub(super) fn put(&mut self, name: &str, file: &StrategyFile) -> Result {
        let rules = self.registry.readers().find_map(|reader| reader.path(&file.family));
        let is_there = self.files.iter().any(|other| other.name == file.family);
        // Bundled rule files are on every page, and need not exist as files.
        if let Some(path) = rules.filter(|path| !is_there && path.exists()) {
            let text = reading::read_text(path, MAX_RULES).map_err(|error| {
                Failure::bad_input(format!("cannot read {}: {error}", path.display()))
            })?;
            self.files.push(PlayableFile::rules(file.family.clone(), text));
        }
        let stem = name.strip_suffix(".yaml").unwrap_or(name);
        let numbered = (2..).map(|number| format!("{stem}-{number}.yaml"));
        let mut names = std::iter::once(format!("{stem}.yaml")).chain(numbered);
        let name = names.find(|name| !self.names.contains(name)).expect("numbers do not end");
        let text = serde_yaml::to_string(file).expect("plain data");
        let mut entry = PlayableFile::strategy(name.clone(), text, file.family.clone());
        if file.mixture.is_empty() {
            let usual = self.registry.family(&file.family)?;
            let family = usual.with_rules(&file.rules)?;
            let figure = figures::strategy(family.as_ref(), usual.as_ref(), file, &[]);
            if let Ok(figure) = figure {
                entry = entry.with_picture(ruse_plots::svg(&figure, ruse_plots::Sheet::default()));
            }
        }
        self.names.insert(name);
        self.files.push(entry);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strategies_are_called_after_their_files_and_directories() {
        for (path, name) in [
            ("war-es.yaml", "war-es.yaml"),
            ("runs/war-naive-seed1/strategy.yaml", "war-naive-seed1.yaml"),
            ("runs/war-naive-seed1", "war-naive-seed1.yaml"),
            ("runs/war-naive-seed1/", "war-naive-seed1.yaml"),
        ] {
            assert_eq!(name_of(Path::new(path)), name);
        }
    }
}
