//! A page for playing against strategies: one self-contained HTML file.
//!
//! The games are compressed WebAssembly of the crate `ruse-page`. Every browser since 2023 can show the page, even from
//! a local file. The page sends no data, and the policy in its head keeps browsers from sending any.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use minijinja::{Environment, UndefinedBehavior, context};
use serde::Serialize;

pub use ruse_lab::{CHAMPIONS, Champion};

/// The first bytes of a WebAssembly module.
const MAGIC: &[u8] = b"\0asm";

/// The games of every page: the crate `ruse-page` as WebAssembly, compressed with zlib. `page/renew` builds this file;
/// `page/tests/built.rs` fails if its interface or results are out of date.
static GAMES: &[u8] = include_bytes!("games.wasm.zlib");

/// A page for playing against strategies: its games and files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayablePage {
    /// WebAssembly, compressed with zlib.
    games: Cow<'static, [u8]>,
    files: Vec<PlayableFile>,
    /// True if the page starts with the first strategy.
    begins_with_first: bool,
}

/// A file of the page: a strategy, or the rules of its game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlayableFile {
    /// The name of the file and of its strategy.
    pub name: String,
    /// The contents of the file.
    pub text: String,
    /// The family of the strategy; `None` for rules. A strategy is opened when its game is selected.
    family: Option<String>,
    /// A picture of the strategy, as an SVG document.
    picture: Option<String>,
}

impl PlayableFile {
    /// Creates a file with the rules of a game.
    pub fn rules(name: impl Into<String>, text: impl Into<String>) -> PlayableFile {
        PlayableFile { name: name.into(), text: text.into(), family: None, picture: None }
    }

    /// Creates a file with a strategy of a family, without a picture.
    pub fn strategy(
        name: impl Into<String>,
        text: impl Into<String>,
        family: impl Into<String>,
    ) -> PlayableFile {
        PlayableFile { family: Some(family.into()), ..PlayableFile::rules(name, text) }
    }

    /// Adds a picture of the strategy, which is an SVG document.
    #[must_use]
    pub fn with_picture(self, svg: String) -> PlayableFile {
        PlayableFile { picture: Some(svg), ..self }
    }
}

/// The error for bytes that are not WebAssembly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not WebAssembly, which begins with `\\0asm`")]
pub struct NotWasm;

impl PlayablePage {
    /// Creates a page with these files and this version's games.
    pub fn new(files: Vec<PlayableFile>) -> PlayablePage {
        PlayablePage { games: Cow::Borrowed(GAMES), files, begins_with_first: false }
    }

    /// Replaces the games of the page.
    ///
    /// # Errors
    ///
    /// Returns an error if `wasm` is not WebAssembly.
    pub fn with_games(self, wasm: &[u8]) -> Result<PlayablePage, NotWasm> {
        match wasm.starts_with(MAGIC) {
            true => Ok(PlayablePage { games: Cow::Owned(compressed(wasm)), ..self }),
            false => Err(NotWasm),
        }
    }

    /// Sets whether the page starts with a game against the first strategy, not with the first game.
    #[must_use]
    pub fn beginning_with_first(self, begins_with_first: bool) -> PlayablePage {
        PlayablePage { begins_with_first, ..self }
    }

    /// Returns the page as an HTML document.
    ///
    /// # Panics
    ///
    /// Never panics: the template handles every valid page.
    pub fn html(&self) -> String {
        let script = concat!(
            include_str!("draw.js"),
            include_str!("table.js"),
            include_str!("review.js"),
            include_str!("real.js"),
            include_str!("start.js")
        );
        let files = serde_json::to_string(&self.files).expect("plain data");
        let first = self.files.iter().find_map(|file| file.family.as_deref());
        let first = first.filter(|_| self.begins_with_first).unwrap_or_default();
        let values = context! {
            style => include_str!("page.css"),
            engine => include_str!("engine.js"),
            script,
            files => BASE64.encode(compressed(files.as_bytes())),
            wasm => BASE64.encode(&self.games),
            first,
            version => env!("CARGO_PKG_VERSION"),
        };
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let page = environment.render_named_str("page.html", include_str!("page.html"), values);
        // The template engine takes a line break off the end.
        page.expect("the template knows all pages") + "\n"
    }
}

/// Compresses bytes with zlib at the best level. The games take a second.
pub fn compressed(bytes: &[u8]) -> Vec<u8> {
    const LEVEL: u8 = 10;
    miniz_oxide::deflate::compress_to_vec_zlib(bytes, LEVEL)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Unpacks the contents of an element of the page.
    fn unpacked(html: &str, id: &str) -> Vec<u8> {
        let start = format!("id=\"{id}\">");
        let (_, rest) = html.split_once(start.as_str()).expect("the element is there");
        let (packed, _) = rest.split_once('<').expect("the element ends");
        let packed = BASE64.decode(packed).expect("base64");
        miniz_oxide::inflate::decompress_to_vec_zlib(&packed).expect("it was packed")
    }

    #[test]
    fn the_module_in_the_page_is_extracted() {
        let hostile = "</script><script>alert(1)</script><!--";
        let file = PlayableFile::strategy(hostile, hostile, "pig").with_picture("<svg/>".into());
        let page = PlayablePage::new(vec![file]).with_games(b"\0asm1234").expect("it begins so");
        assert!(page.html().contains("<main data-first=\"\">"));
        let html = page.beginning_with_first(true).html();
        assert!(html.contains("<main data-first=\"pig\">"));
        assert!(!html.contains("alert(1)"));
        assert_eq!(unpacked(&html, "wasm"), b"\0asm1234");
        let files: serde_json::Value =
            serde_json::from_slice(&unpacked(&html, "files")).expect("JSON");
        assert_eq!(
            files,
            serde_json::json!([{ "name": hostile, "text": hostile, "family": "pig", "picture": "<svg/>" }])
        );
    }

    #[test]
    fn other_bytes_are_refused() {
        for bytes in [&b""[..], b"\x7fELF", b"\0as"] {
            assert_eq!(PlayablePage::new(Vec::new()).with_games(bytes), Err(NotWasm));
        }
    }

    /// The page has only one address, the namespace of SVG, so its scripts need no network access.
    #[test]
    fn the_page_names_no_other_address() {
        let page = PlayablePage::new(Vec::new()).with_games(b"\0asm").expect("it begins so");
        let html = page.html();
        let known = ["http://www.w3.org/2000/svg"];
        for (at, _) in html.match_indices("://") {
            let start = html[..at].rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |at| at + 1);
            let rest = &html[start..];
            assert!(known.iter().any(|known| rest.starts_with(known)), "{}", &rest[..60]);
        }
    }
}
