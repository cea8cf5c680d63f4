//! Pools: the strategies from which a portfolio is chosen.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ruse_base::files::{DirectoryError, read_rows};
use ruse_base::names::{UnknownName, check_name};
use ruse_base::rng::StreamKey;
use ruse_games::RulesError;
use ruse_optimise::methods::individual;
use ruse_play::family::{AnyFamily, FamilyError, Player};
use ruse_programs::ProgramName;
use ruse_registry::Registry;
use ruse_search::SearchName;

use super::contestant::{family_for, parse_contestant, parse_guest};
use crate::files::checkpoint::{CHECKPOINT, Checkpoint, STRATEGY};
use crate::files::population::{POPULATION, strategies};
use crate::files::strategy::{ContestantError, MixtureMember, StrategyFile, ZERO};

/// A strategy of a pool.
#[derive(Debug, Clone, PartialEq)]
pub struct PoolMember {
    /// The name, which is unique in the pool.
    pub name: String,
    /// The player.
    pub contestant: Player,
}

/// A pool: different strategies of one family.
pub struct Pool {
    /// The family of the strategies, with its rules.
    pub family: Arc<dyn AnyFamily>,
    /// The strategies.
    pub members: Vec<PoolMember>,
    /// The strategies that were left out because they equal a member.
    pub duplicates: Vec<Duplicate>,
}

/// A strategy that was left out of a pool because it equals a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// The name of the strategy.
    pub name: String,
    /// The name of the equal member.
    pub member: String,
}

/// The reason why a pool could not be created.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum PoolError {
    /// A strategy file is invalid, or belongs to another family.
    Contestant(#[from] ContestantError),
    /// A population cannot be read.
    Directory(#[from] DirectoryError),
    /// There is no such file or directory.
    #[error("there is no file or directory {}", .0.display())]
    Missing(PathBuf),
    /// The directory has no run.
    #[error("there is no {wanted} in {} or in a directory in it", path.display())]
    NoRun {
        /// The directory.
        path: PathBuf,
        /// The file that a run should contain.
        wanted: &'static str,
    },
    /// The strategy is unknown.
    Unknown(#[from] UnknownName),
    /// The family is unknown, or its file is invalid.
    Family(#[from] FamilyError),
    /// The game does not support the rules.
    Rules(#[from] RulesError),
}

type Family = Arc<dyn AnyFamily>;

/// A function that returns the member for a source without a file.
type Named = fn(&Path, &dyn AnyFamily) -> Result<PoolMember, PoolError>;

/// A function that returns the player in a strategy file.
type Parse<'a> = dyn Fn(&str, &Family) -> Result<Player, ContestantError> + 'a;

/// Returns the index of the parameter with this name, which alone varies in a [random pool](Pool::random).
///
/// # Errors
///
/// Returns an error if the family has no such parameter.
pub fn varied_parameter(family: &dyn AnyFamily, name: &str) -> Result<usize, UnknownName> {
    let space = family.space();
    let names = || space.parameters().iter().map(|parameter| &*parameter.name);
    let index = names().position(|known| known == name);
    index.ok_or_else(|| UnknownName::new("parameter", name, names()))
}

impl Pool {
    /// Reads strategy files, and the strategies of the runs in directories. With `with_populations`, reads all
    /// strategies that these runs have accepted. Names of reference strategies and of searching players are allowed,
    /// too. The first source may be the name of a family.
    ///
    /// # Errors
    ///
    /// Returns an error if a source does not exist, is not a strategy, or has a different family or different rules
    /// than the first source.
    pub fn read(
        sources: &[PathBuf],
        with_populations: bool,
        rules: &BTreeMap<String, u64>,
        registry: &Registry,
    ) -> Result<Pool, PoolError> {
        let named = sources.first().and_then(|first| {
            let family = registry.family(&first.to_string_lossy());
            family.ok().filter(|_| !first.exists())
        });
        let sources = if named.is_some() { &sources[1..] } else { sources };
        let files = files_of(sources)?;
        let family = match (named, files.iter().flatten().next()) {
            (Some(family), _) => {
                let players = files.iter().flatten().map(PathBuf::as_path);
                family_for(family.name(), players, registry)?.with_rules(rules)?
            }
            (None, Some(first)) => {
                let mut file = StrategyFile::read(first)?;
                file.rules.extend(rules.clone());
                file.family(registry)?.with_rules(&file.rules)?
            }
            (None, None) => {
                return Err(PoolError::Missing(sources.first().cloned().unwrap_or_default()));
            }
        };
        let parse = |text: &str, family: &Family| parse_contestant(text, family.as_ref());
        Self::of_files(family, sources, &files, with_populations, (reference, &parse))
    }

    /// Reads the strategies of a family from these sources. Unlike [`read`](Pool::read), accepts parameters in
    /// brackets, members of mixtures, the baseline and strategies of other families of the game, but not the name of a
    /// family.
    ///
    /// # Errors
    ///
    /// Same as [`read`](Pool::read).
    pub fn of_family(
        family: Family,
        sources: &[PathBuf],
        registry: &Registry,
    ) -> Result<Pool, PoolError> {
        let parse = |text: &str, family: &Family| parse_guest(text, family, registry);
        Self::of_files(family, sources, &files_of(sources)?, false, (anybody, &parse))
    }

    fn of_files(
        family: Arc<dyn AnyFamily>,
        sources: &[PathBuf],
        files: &[Vec<PathBuf>],
        with_populations: bool,
        (named, parse): (Named, &Parse<'_>),
    ) -> Result<Pool, PoolError> {
        let mut members = Vec::new();
        for (source, files) in sources.iter().zip(files) {
            if files.is_empty() {
                members.push(named(source, family.as_ref())?);
            }
            for path in files {
                let name = name_of(path);
                let unfit = |source| ContestantError::Unreadable { path: path.clone(), source };
                check_name(&name).map_err(|error| unfit(io::Error::other(error)))?;
                let text = path.to_str().ok_or_else(|| {
                    unfit(io::Error::other("its name is not valid UTF-8; rename it"))
                })?;
                let contestant = parse(text, &family)?;
                members.push(PoolMember { name: name.clone(), contestant });
                let population = path.with_file_name(POPULATION);
                if with_populations && population.exists() {
                    let checkpoint = Checkpoint::read_at(&path.with_file_name(CHECKPOINT))?;
                    let vouched = checkpoint.as_ref().map(|checkpoint| &checkpoint.population);
                    let rows = read_rows(&population, vouched)?;
                    let rows = strategies(&population, rows, family.as_ref())?;
                    for (row, theta) in rows.into_iter().enumerate() {
                        let contestant = Player::Parameters(theta);
                        members.push(PoolMember { name: format!("{name}, row {row}"), contestant });
                    }
                }
            }
        }
        Ok(Pool::of_members(family, members))
    }

    /// Returns a pool of `size` random strategies: the first random individuals of a run with the root key `key`. If
    /// `varied` is an index and parameters, only the parameter with this index is random; the others are from `varied`.
    pub fn random(
        family: Arc<dyn AnyFamily>,
        varied: Option<&(usize, Vec<f64>)>,
        size: u64,
        key: StreamKey,
    ) -> Pool {
        let dimension = family.space().dimension();
        let members = (0..size).map(|number| {
            let drawn = individual(dimension, key, number);
            let theta = match varied {
                None => drawn,
                Some((index, others)) => {
                    let mut theta = others.clone();
                    theta[*index] = drawn[*index];
                    theta
                }
            };
            let contestant = Player::Parameters(theta);
            PoolMember { name: format!("random {number}"), contestant }
        });
        let members = members.collect();
        Pool::of_members(family, members)
    }

    /// Returns the pool of these players. Leaves out duplicates, and makes names unique.
    pub(crate) fn of_members(family: Arc<dyn AnyFamily>, all: Vec<PoolMember>) -> Pool {
        let mut members: Vec<PoolMember> = Vec::new();
        let mut duplicates = Vec::new();
        let mut names = HashSet::new();
        for mut member in all {
            if let Some(other) = members.iter().find(|other| other.contestant == member.contestant)
            {
                duplicates.push(Duplicate { name: member.name, member: other.name.clone() });
                continue;
            }
            let name = member.name.clone();
            let mut number = 2;
            while !names.insert(member.name.clone()) {
                member.name = format!("{name} ({number})");
                number += 1;
            }
            members.push(member);
        }
        Pool { family, members, duplicates }
    }

    /// Returns the strategies with a positive weight as the members of a mixture. A mixture among them is replaced by
    /// its members.
    pub fn mixture(&self, weights: &[f64]) -> Vec<MixtureMember> {
        let mut mixture = Vec::new();
        for (member, &weight) in self.members.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
            let name = Some(member.name.clone());
            let mut add = |weight, strategy| {
                mixture.push(MixtureMember { weight, name: name.clone(), strategy });
            };
            match &member.contestant {
                Player::Redrawn => {}
                Player::Mixture(parts) => {
                    let total: f64 = parts.iter().map(|part| part.weight).sum();
                    for part in parts.iter().filter(|part| part.weight > 0.0) {
                        add(weight * part.weight / total, part.of.clone());
                    }
                }
                other => add(weight, other.clone()),
            }
        }
        mixture
    }
}

/// Returns the files of each source. A source that is not an existing path is a name, without files.
fn files_of(sources: &[PathBuf]) -> Result<Vec<Vec<PathBuf>>, PoolError> {
    let files = |source: &PathBuf| match source.exists() {
        true => strategy_files(source),
        false => Ok(Vec::new()),
    };
    sources.iter().map(files).collect()
}

/// Returns a player without a file of its own: a reference strategy, the baseline, parameters in brackets, or a member
/// of a mixture.
fn anybody(source: &Path, family: &dyn AnyFamily) -> Result<PoolMember, PoolError> {
    let name = source.to_string_lossy().into_owned();
    let contestant = parse_contestant(&name, family)?;
    Ok(PoolMember { name, contestant })
}

/// Returns the reference strategy or the searching player with this name, or the strategy with parameters in brackets.
fn reference(source: &Path, family: &dyn AnyFamily) -> Result<PoolMember, PoolError> {
    let text = source.to_string_lossy();
    let references = family.references();
    let names = || references.iter().map(|reference| &*reference.name);
    let is_search = SearchName::parse(&text).is_some();
    let is_list = text.trim_start().starts_with('[');
    let is_known = names().any(|name| name == text) || text == ZERO;
    if is_known || is_search || is_list || ProgramName::parse(&text).is_some() {
        return anybody(source, family);
    }
    let what = "strategy file, directory, reference strategy or searching player";
    Err(UnknownName::new(what, &text, names()).into())
}

/// Returns the strategy files for a path: the path itself if it is a file; otherwise the strategies of the runs in the
/// directory or, if there are none, the strategy of the run to which the directory belongs.
fn strategy_files(source: &Path) -> Result<Vec<PathBuf>, PoolError> {
    if !source.is_dir() {
        return Ok(vec![source.into()]);
    }
    let entries = std::fs::read_dir(source)
        .map_err(|error| ContestantError::Unreadable { path: source.into(), source: error })?;
    let inside = entries.filter_map(|entry| Some(entry.ok()?.path().join(STRATEGY)));
    let mut files: Vec<_> = inside.filter(|path| path.exists()).collect();
    files.sort();
    if files.is_empty() {
        files.extend(Some(source.join(STRATEGY)).filter(|path| path.exists()));
    }
    if files.is_empty() {
        return Err(PoolError::NoRun { path: source.into(), wanted: STRATEGY });
    }
    Ok(files)
}

/// Returns the name of a strategy: the name of its file, or of its run's directory.
fn name_of(path: &Path) -> String {
    let is_of_run = path.file_name().is_some_and(|name| name == STRATEGY);
    let directory = path.parent().and_then(Path::file_name).filter(|_| is_of_run);
    let name = directory.or(path.file_stem()).unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_different_and_have_names() {
        let registry = Registry::standard();
        let directory = tempfile::tempdir().expect("a temporary directory");
        let write = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a directory")).expect("writable");
            std::fs::write(&path, text).expect("writable");
        };
        write("runs/a/strategy.yaml", "{family: pig, parameters: [1]}");
        write("runs/a/population.csv", "iteration,games,against,reason,x\n0,0,,,1\n3,9,,,7\n");
        write("runs/b/strategy.yaml", "{family: pig, parameters: [2]}");
        write("other/a/strategy.yaml", "{family: pig, parameters: [3]}");
        write("single.yaml", "{family: pig, parameters: [2]}");
        let read = |sources: &[&str], with_populations| {
            let sources: Vec<_> = sources.iter().map(|name| directory.path().join(name)).collect();
            Pool::read(&sources, with_populations, &BTreeMap::new(), &registry)
        };
        let names = |pool: &Pool| -> Vec<String> {
            pool.members.iter().map(|member| member.name.clone()).collect()
        };
        let pool = read(&["runs", "single.yaml", "other/a"], false).expect("a pool");
        assert_eq!(names(&pool), ["a", "b", "a (2)"]);
        let again = Duplicate { name: "single".into(), member: "b".into() };
        assert_eq!(pool.duplicates, [again]);
        let pool = read(&["runs"], true).expect("a pool");
        assert_eq!(names(&pool), ["a", "a, row 1", "b"]);

        // If the family is known, any player is a valid source.
        let pig = registry.family("pig").expect("known").with_rules(&BTreeMap::new());
        let of_family = |sources: &[&str]| {
            let sources: Vec<PathBuf> = sources
                .iter()
                .map(|name| match directory.path().join(name) {
                    path if path.exists() => path,
                    _ => name.into(),
                })
                .collect();
            Pool::of_family(Arc::clone(pig.as_ref().expect("its own rules")), &sources, &registry)
        };
        let pool = of_family(&["single.yaml", "optimal", "[0.5]", "baseline"]).expect("a pool");
        assert_eq!(names(&pool), ["single", "optimal", "[0.5]", "baseline"]);
        let error = of_family(&["optimum"]).err().expect("no such strategy");
        assert!(error.to_string().contains("`optimum`"), "{error}");

        // Without files, the family comes first. Players that search may be members.
        let named = |names: &[&str]| {
            let sources: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
            Pool::read(&sources, false, &BTreeMap::new(), &registry)
        };
        let pool = named(&["pig", "optimal", "uct@5", "uct@5:c=1"]).expect("a pool");
        assert_eq!(names(&pool), ["optimal", "uct@5", "uct@5:c=1"]);
        assert!(read(&["nowhere"], false).is_err());
    }

    #[test]
    fn portfolios_are_taken_apart() {
        let family =
            Registry::standard().family("pig").expect("known").with_rules(&BTreeMap::new());
        let one = |name: &str, contestant| PoolMember { name: name.into(), contestant };
        let mixed = Player::mixture([
            (3.0, Player::Parameters(vec![1.0])),
            (1.0, Player::Named("hold-20".into())),
            (0.0, Player::Parameters(vec![9.0])),
        ]);
        let members = vec![
            one("a", Player::Parameters(vec![5.0])),
            one("b", mixed),
            one("c", Player::Redrawn),
            one("d", Player::Named("hold-25".into())),
        ];
        let pool = Pool::of_members(family.expect("its own rules"), members);
        let mixture = pool.mixture(&[0.25, 0.5, 0.0, 0.25]);
        let flat: Vec<_> = mixture.iter().map(|m| (m.weight, m.strategy.clone())).collect();
        let reference = |name: &str| Player::Named(name.into());
        let expected = [
            (0.25, vec![5.0].into()),
            (0.375, vec![1.0].into()),
            (0.125, reference("hold-20")),
            (0.25, reference("hold-25")),
        ];
        assert_eq!(flat, expected);
    }
}
