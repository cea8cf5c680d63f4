//! Families of the real-time strategy game, each on a map that is read from a file.

use std::path::Path;
use std::sync::Arc;

use ruse_games::rts::{AnyRts, Map};
use ruse_play::family::{
    AnyFamily, ErasedFamily, FamilyFileError, FamilyReader, map_from, read_map,
};
use ruse_strategies::rts::{RtsNaiveMctsFamily, RtsProgramFamily, RtsScriptFamily};

/// A reader of families whose map comes from a file, such as `rts-script:MAP.txt`
/// or `rts-script:MAP.xml`.
pub struct MapFiles {
    form: &'static str,
    prefix: &'static str,
    make: fn(String, AnyRts) -> Arc<dyn AnyFamily>,
}

impl MapFiles {
    /// One reader for each family of the game.
    pub const ALL: [MapFiles; 3] = [
        MapFiles {
            form: "rts-script:MAP.txt",
            prefix: "rts-script:",
            make: |name, game| match game {
                AnyRts::Small(game) => {
                    Arc::new(ErasedFamily::new(RtsScriptFamily::named(name, game)))
                }
                AnyRts::Large(game) => {
                    Arc::new(ErasedFamily::new(RtsScriptFamily::named(name, game)))
                }
            },
        },
        MapFiles {
            form: "rts-program:MAP.txt",
            prefix: "rts-program:",
            make: |name, game| match game {
                AnyRts::Small(game) => {
                    Arc::new(ErasedFamily::new(RtsProgramFamily::named(name, game)))
                }
                AnyRts::Large(game) => {
                    Arc::new(ErasedFamily::new(RtsProgramFamily::named(name, game)))
                }
            },
        },
        MapFiles {
            form: "rts-naive-mcts:MAP.txt",
            prefix: "rts-naive-mcts:",
            make: |name, game| match game {
                AnyRts::Small(game) => {
                    Arc::new(ErasedFamily::new(RtsNaiveMctsFamily::named(name, game)))
                }
                AnyRts::Large(game) => {
                    Arc::new(ErasedFamily::new(RtsNaiveMctsFamily::named(name, game)))
                }
            },
        },
    ];
}

impl FamilyReader for MapFiles {
    fn form(&self) -> &str {
        self.form
    }

    fn meaning(&self) -> &str {
        "on a map of your own, .txt or .xml"
    }

    fn path<'a>(&self, name: &'a str) -> Option<&'a Path> {
        name.strip_prefix(self.prefix).filter(|path| !path.is_empty()).map(Path::new)
    }

    fn name(&self, path: &Path) -> Option<String> {
        Some(format!("{}{}", self.prefix, path.to_str()?))
    }

    fn read(&self, name: &str, path: &Path) -> Result<Arc<dyn AnyFamily>, FamilyFileError> {
        let built_in = path.to_str().and_then(Map::named).filter(|_| !path.exists());
        let map = built_in.map_or_else(|| read_map(path), Ok)?;
        Ok((self.make)(name.into(), AnyRts::on(map)))
    }

    fn read_from(
        &self,
        name: &str,
        path: &Path,
        contents: &[u8],
    ) -> Result<Arc<dyn AnyFamily>, FamilyFileError> {
        Ok((self.make)(name.into(), AnyRts::on(map_from(path, contents)?)))
    }
}
