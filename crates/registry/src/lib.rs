//! The registry, which finds families, methods and positions of games by name.

mod road;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ruse_base::files::reading;
use ruse_base::names::{UnknownName, check_name};
use ruse_families::{Reading, RtsPositions};
use ruse_games::rule_file::{Observer, RuleFile};
use ruse_gdl::{LimitError, LongWork};
use ruse_optimise::methods::{
    AnyMethod, CmaEsKind, DoubleOracleKind, EsKind, External, HallOfFameKind, LocalSearchKind,
    MethodKind, NtbeaKind, OnePlusOneKind, PolicyGradientKind, QuadraticFitKind, SeedsKind,
    SpsaKind,
};
use ruse_play::bandits::{PositionReader, Positions};
use ruse_play::family::{
    AnyFamily, BETWEEN, ErasedFamily, FamilyError, FamilyFileError, FamilyReader, FamilySet,
    UNASKED,
};
use ruse_programs::PROGRAM;
use ruse_strategies::Family;
use ruse_strategies::certificate::INFORMATION_SETS;

pub use self::road::Road;

/// The default method of a run: the method that does best in most families.
pub const DEFAULT_METHOD: &str = "es";

/// A function that is called with each family that was read from a file.
type Watcher = Box<dyn Fn(&dyn AnyFamily) + Send + Sync>;

/// The families and methods of a program, in the order in which they are listed.
pub struct Registry {
    families: Vec<Arc<dyn AnyFamily>>,
    /// The families that test methods, which are not part of all families.
    test_families: Vec<Arc<dyn AnyFamily>>,
    readers: Vec<Arc<dyn FamilyReader>>,
    /// The families that were read, by name. Each file is read once, so later changes to the file have no effect.
    opened: Mutex<BTreeMap<String, Arc<dyn AnyFamily>>>,
    /// True if families whose games programs play are not read, and stay [unknown](UNASKED).
    starts_no_programs: AtomicBool,
    rule_files: Arc<Reading>,
    /// The maximum number of information sets that a walk for a best response may visit.
    information_sets: AtomicU64,
    /// The function that is called for each family that was read.
    watcher: OnceLock<Watcher>,
    methods: Vec<Arc<dyn AnyMethod>>,
    positions: Positions,
}

impl Registry {
    /// Creates a registry that contains the methods of this workspace, but no families.
    pub fn empty() -> Registry {
        // The methods of the paper come first, in the order of the paper, and ours follow. An experiment that covers
        // all methods runs them in this order.
        Registry {
            families: Vec::new(),
            test_families: Vec::new(),
            readers: Vec::new(),
            opened: Mutex::default(),
            starts_no_programs: AtomicBool::new(false),
            rule_files: Arc::default(),
            information_sets: AtomicU64::new(INFORMATION_SETS),
            watcher: OnceLock::new(),
            methods: Vec::new(),
            positions: Positions::default(),
        }
        .with_method(OnePlusOneKind::Naive)
        .with_method(OnePlusOneKind::Iterative)
        .with_method(OnePlusOneKind::RealCoevolution)
        .with_method(OnePlusOneKind::ApproximateCoevolution)
        .with_method(SeedsKind::default())
        .with_method(CmaEsKind::default())
        .with_method(EsKind::default())
        .with_method(HallOfFameKind::default())
        .with_method(DoubleOracleKind::default())
        .with_method(PolicyGradientKind::default())
        .with_method(SpsaKind::default())
        .with_method(QuadraticFitKind::default())
        .with_method(NtbeaKind::default())
        .with_method(LocalSearchKind::default())
    }

    /// Creates a registry with the families and methods of this workspace.
    pub fn standard() -> Registry {
        let registry = ruse_families::families()
            .into_iter()
            .fold(Registry::empty(), Registry::with_any_family)
            .with_positions(RtsPositions {});
        let readers = ruse_families::readers(&registry.rule_files);
        Registry { readers, test_families: ruse_families::test_families(), ..registry }
    }

    /// Changes the limit with this name for rule files that are read from now on.
    ///
    /// # Errors
    ///
    /// Returns an error if the limit does not exist, or the value is invalid.
    pub fn limit_rule_files(&self, name: &str, value: &str) -> Result<(), LimitError> {
        let mut limits = self.rule_files.limits.lock().unwrap_or_else(PoisonError::into_inner);
        limits.set(name, value)
    }

    /// Returns the largest number of bytes of a rule file.
    pub fn rule_file_bytes(&self) -> u64 {
        self.rule_files.limits.lock().unwrap_or_else(PoisonError::into_inner).text_bytes
    }

    /// Sets the largest number of information sets that a walk for a best response may visit.
    pub fn limit_information_sets(&self, limit: u64) {
        self.information_sets.store(limit, Ordering::Relaxed);
    }

    /// Returns the largest number of information sets that a walk for a best response may visit.
    pub fn information_sets(&self) -> u64 {
        self.information_sets.load(Ordering::Relaxed)
    }

    /// Calls `observer` with the title of a rule file while work on the file takes long. Only the first observer
    /// counts.
    pub fn observe_rule_files(&self, observer: impl Fn(&str, LongWork) + Send + Sync + 'static) {
        // A second observer is ignored.
        let _ = self.rule_files.observer.set(Observer::new(observer));
    }

    /// Calls `watcher` once for each family that is read from a file. If this method is called again, the new watcher
    /// is ignored.
    pub fn watch_files(&self, watcher: impl Fn(&dyn AnyFamily) + Send + Sync + 'static) {
        // A second watcher is ignored.
        let _ = self.watcher.set(Box::new(watcher));
    }

    /// Returns the error if a game has violated the rule file of its family, and otherwise `None`.
    pub fn fault(&self) -> Option<FamilyFileError> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.iter().find_map(|(name, family)| {
            let fault = family.fault()?;
            let path = self.readers().find_map(|reader| reader.path(name))?;
            let advice = match family.rule_file() {
                Some(_) => {
                    "mend the file, and begin again: that game and all results with it are worthless"
                }
                None => {
                    "mend the program, and repeat the command; `ruse resume DIR --allow-programs` goes on with a run"
                }
            };
            let error = FamilyFileError::new(path, format!("in a game: {fault}"));
            Some(FamilyFileError { advice: Some(advice.into()), ..error })
        })
    }

    /// Returns the remarks of players about rule files, without duplicates, each with the title of its file.
    pub fn remarks(&self) -> BTreeSet<String> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let files = opened.values().filter_map(|family| family.rule_file());
        let said = |file: &RuleFile| {
            let remarks = file.remarks().into_iter();
            remarks.map(|text| format!("{}: {text}", file.title())).collect::<Vec<_>>()
        };
        files.flat_map(said).collect()
    }

    /// Adds a family.
    ///
    /// # Panics
    ///
    /// Panics if a family with the same name is already in the registry.
    #[must_use]
    pub fn with<F: Family>(self, family: F) -> Registry {
        self.with_any_family(Arc::new(ErasedFamily::new(family)))
    }

    /// Like [`with`](Registry::with), for a family with its types erased.
    ///
    /// # Panics
    ///
    /// Same as [`with`](Registry::with).
    #[must_use]
    pub fn with_any_family(mut self, family: Arc<dyn AnyFamily>) -> Registry {
        let known = self.families.iter().any(|other| other.name() == family.name());
        assert!(!known, "there are two families of the name `{}`", family.name());
        self.families.push(family);
        self
    }

    /// Adds a reader of families from files. The first reader that recognises the name of a family reads the family;
    /// families without files take precedence.
    #[must_use]
    pub fn with_reader(mut self, reader: impl FamilyReader + 'static) -> Registry {
        self.readers.push(Arc::new(reader));
        self
    }

    /// Adds a method. The method can then be named wherever methods are named, and is included in `--method all`.
    ///
    /// # Panics
    ///
    /// Panics if a method with the same name is already in the registry, or the name is `all`.
    #[must_use]
    pub fn with_method<M: MethodKind>(self, method: M) -> Registry {
        self.with_any_method(method.into_any())
    }

    /// Like [`with_method`](Registry::with_method), for a method with its type erased.
    ///
    /// # Panics
    ///
    /// Same as [`with_method`](Registry::with_method).
    #[must_use]
    pub fn with_any_method(mut self, method: Arc<dyn AnyMethod>) -> Registry {
        let name = method.name();
        assert_ne!(name, "all", "`all` stands for all methods");
        assert!(self.method(name).is_err(), "there are two methods of the name `{name}`");
        self.methods.push(method);
        self
    }

    /// Adds a game with named positions, in which bandits choose joint actions.
    ///
    /// # Panics
    ///
    /// Panics if a game with the same name is already in the registry.
    #[must_use]
    pub fn with_positions(mut self, reader: impl PositionReader + 'static) -> Registry {
        self.positions.add(reader);
        self
    }

    /// Returns the games with named positions.
    pub fn positions(&self) -> &Positions {
        &self.positions
    }

    /// Iterates over all methods, with default options.
    pub fn methods(&self) -> impl Iterator<Item = &Arc<dyn AnyMethod>> {
        self.methods.iter()
    }

    /// Iterates over the methods that `all` stands for, with default options: methods of general use that work with every
    /// family.
    pub fn general_methods(&self) -> impl Iterator<Item = &Arc<dyn AnyMethod>> {
        self.methods().filter(|method| method.info().is_general)
    }

    /// Returns the method of this name, with default options. A name with a space or a slash in it is a command that
    /// starts [an external optimiser](External).
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such method.
    pub fn method(&self, name: &str) -> Result<Arc<dyn AnyMethod>, UnknownName> {
        if let Some(found) = self.methods().find(|method| method.name() == name) {
            return Ok(found.clone());
        }
        match External::parse(name).filter(|_| check_name(name).is_ok()) {
            Some(external) => Ok(Arc::new(external)),
            None => {
                let names = self.methods().map(|method| method.name());
                Err(UnknownName::new("method", name, names))
            }
        }
    }

    /// Iterates over all families that need no file.
    pub fn families(&self) -> impl Iterator<Item = &dyn AnyFamily> {
        self.families.iter().map(Arc::as_ref)
    }

    /// Iterates over the families that test methods. Each is found by its name, and is not part of all families.
    pub fn test_families(&self) -> impl Iterator<Item = &dyn AnyFamily> {
        self.test_families.iter().map(Arc::as_ref)
    }

    /// Returns the names of the families whose strategies can play themselves to learn
    /// ([`AnyFamily::capabilities`]), and the forms of the names of such families from files.
    pub fn families_with_self_play(&self) -> Vec<String> {
        let families = self.families().filter(|family| family.self_play().is_some());
        let readers = self.readers().filter(|reader| reader.has_self_play());
        let names = families.map(AnyFamily::name).chain(readers.map(FamilyReader::form));
        names.map(String::from).collect()
    }

    /// Iterates over the readers of families from files.
    pub fn readers(&self) -> impl Iterator<Item = &dyn FamilyReader> {
        self.readers.iter().map(Arc::as_ref)
    }

    /// Returns the reader of the family with this name, which contains the path of a file, for work on another thread.
    ///
    /// # Errors
    ///
    /// Returns an error if the name does not denote a family from a file.
    pub fn reader(&self, name: &str) -> Result<Arc<dyn FamilyReader>, UnknownName> {
        self.reader_of(name).map(|(reader, _)| Arc::clone(reader))
    }

    /// Returns the names of the families in the set with this name, or `None` if it is the name of a single family.
    fn members<'a>(&self, name: &'a str) -> Option<impl Iterator<Item = &'a str>> {
        let is_family = |name: &str| {
            self.families().chain(self.test_families()).any(|family| family.name() == name)
                || self.readers().any(|reader| reader.path(name).is_some())
        };
        let names = name.split(BETWEEN);
        let is_set = names.clone().nth(1).is_some() && names.clone().all(is_family);
        is_set.then_some(names)
    }

    /// Returns a name in full: the name of a rule file that comes with the program may lack the extension.
    pub fn full_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        let (stem, kind) = name.find(':').map_or((name, ""), |place| name.split_at(place));
        let is_file = ruse_gdl::rule_file(stem).is_some() && self.readers().next().is_some();
        match is_file && self.families().all(|family| family.name() != stem) {
            true => format!("{stem}.kif{kind}").into(),
            false => name.into(),
        }
    }

    /// Returns the family of this name. The name may contain the path of a file, which is then read. Names with `+`
    /// between them name a [set of families](FamilySet).
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such family, or its file is invalid.
    pub fn family(&self, name: &str) -> Result<Arc<dyn AnyFamily>, FamilyError> {
        check_name(name).map_err(|error| FamilyFileError::new(Path::new("family"), error))?;
        let name = &*self.full_name(name);
        let mut families = self.families.iter().chain(&self.test_families);
        if let Some(found) = families.find(|family| family.name() == name) {
            return Ok(found.clone());
        }
        if let Some(names) = self.members(name) {
            let members = names.map(|name| self.family(name)).collect::<Result<_, _>>()?;
            return Ok(Arc::new(FamilySet::new(members)?));
        }
        let (reader, path) = self.reader_of(name).map_err(|unknown| {
            let path = Path::new(name);
            match reading::foreign_file(path) {
                Some(format) => FamilyFileError::foreign(path, format).into(),
                None => FamilyError::from(unknown),
            }
        })?;
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(family) = opened.get(name) {
            return Ok(family.clone());
        }
        let is_unasked =
            name.starts_with(PROGRAM) && self.starts_no_programs.load(Ordering::Relaxed);
        let family = match is_unasked {
            true => reader.read_from(name, path, UNASKED.as_bytes())?,
            false => reader.read(name, path)?,
        };
        if let Some(watcher) = self.watcher.get() {
            watcher(family.as_ref());
        }
        opened.insert(name.into(), family.clone());
        Ok(family)
    }

    /// Returns all families of the game that `family` plays, with the rules of `family`: first `family` itself, then
    /// the others in the order of the registry. If the game comes from a file, all families are read from this file; a
    /// family that cannot be read is left out.
    pub fn families_of_game(&self, family: &Arc<dyn AnyFamily>) -> Vec<Arc<dyn AnyFamily>> {
        let rules: BTreeMap<String, u64> =
            family.rules().into_iter().map(|rule| (rule.name.into_owned(), rule.value)).collect();
        let of_file = self.readers().find_map(|reader| reader.path(family.name()));
        let others: Vec<_> = match of_file {
            _ if self.members(family.name()).is_some() => Vec::new(),
            None => self.families.clone(),
            // The watcher already knows this file.
            Some(path) => {
                let read = |reader: &dyn FamilyReader| reader.read(&reader.name(path)?, path).ok();
                self.readers().filter_map(read).collect()
            }
        };
        let mut found = vec![Arc::clone(family)];
        for other in others {
            let is_of_game = other.info().game == family.info().game;
            if !is_of_game || other.name() == family.name() {
                continue;
            }
            // A family hides the rules that do not concern it.
            let known = other.rules();
            let mut rules = rules.clone();
            rules.retain(|name, _| known.iter().any(|rule| rule.name == *name));
            found.extend(other.with_rules(&rules).ok());
        }
        found
    }

    /// Creates a family from the contents of a file, for platforms without a file system. The name of the family
    /// contains the name of the file; the new family replaces an earlier one with the same name.
    ///
    /// # Errors
    ///
    /// Returns an error if the name does not denote a family from a file, or the contents are invalid.
    pub fn family_from(&self, name: &str, bytes: &[u8]) -> Result<Arc<dyn AnyFamily>, FamilyError> {
        let (reader, path) = self.reader_of(name)?;
        let family = reader.read_from(name, path, bytes)?;
        if let Some(watcher) = self.watcher.get() {
            watcher(family.as_ref());
        }
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.insert(name.into(), family.clone());
        Ok(family)
    }

    /// From now on, opens families whose games programs play without starting the programs. Families without a
    /// [description](Registry::describe) are then [unknown](UNASKED), which is enough for plans.
    pub fn start_no_programs(&self) {
        self.starts_no_programs.store(true, Ordering::Relaxed);
    }

    /// Makes families whose games programs play known by their descriptions, given by name
    /// ([`AnyFamily::descriptions`]), so that to read them starts no program. Families that are open already stay as
    /// they are.
    ///
    /// # Errors
    ///
    /// Returns an error if a name or a description is invalid.
    pub fn describe(&self, descriptions: &BTreeMap<String, String>) -> Result<(), FamilyError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, description) in descriptions {
            let (reader, path) = self.reader_of(name)?;
            if name.starts_with(PROGRAM) && !opened.contains_key(name) {
                opened.insert(name.clone(), reader.read_from(name, path, description.as_bytes())?);
            }
        }
        Ok(())
    }

    /// Returns the reader for the family of this name, and the path of its file.
    fn reader_of<'a>(
        &self,
        name: &'a str,
    ) -> Result<(&Arc<dyn FamilyReader>, &'a Path), UnknownName> {
        let read = self.readers.iter().find_map(|reader| Some((reader, reader.path(name)?)));
        read.ok_or_else(|| self.unknown_family(name))
    }

    fn unknown_family(&self, name: &str) -> UnknownName {
        let forms = self.readers().map(FamilyReader::form);
        let known = self.families().map(AnyFamily::name).chain(forms);
        UnknownName::new("family", name, known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_that_test_methods_are_found_but_not_listed() {
        let registry = Registry::standard();
        let names: Vec<_> = registry.test_families().map(AnyFamily::name).collect();
        assert_eq!(names, ["elo-surface"]);
        assert_eq!(registry.family("elo-surface").expect("it is there").name(), "elo-surface");
        assert!(registry.families().all(|family| family.name() != "elo-surface"));
        let general: Vec<_> = registry.general_methods().map(|method| method.name()).collect();
        assert_eq!(general.len(), 9, "{general:?}");
        assert!(!general.contains(&"spsa") && !general.contains(&"quadratic-fit"));
    }

    #[test]
    fn the_nearest_name_is_suggested() {
        let registry = Registry::standard();
        let error = |name: &str| match registry.family(name).map(|_| ()) {
            Err(FamilyError::Unknown(unknown)) => unknown,
            other => panic!("{other:?}"),
        };
        assert_eq!(error("wra").nearest(), Some("war"));
        assert_eq!(error("batwaf").nearest(), Some("batawaf"));
        assert_eq!(error("War").nearest(), Some("war"));
        assert_eq!(error("battle").nearest(), Some("battleship"));
        assert_eq!(error("tic-tac").nearest(), None);
        // These games do not exist here, and their names are not similar enough to known names.
        for name in ["xyzzy", "chess", "go", "poker", "bridge", "risk"] {
            assert_eq!(error(name).nearest(), None, "{name}");
        }
        assert_eq!(error(&"wra".repeat(1_000_000)).to_string().chars().count(), 82);
    }
}
