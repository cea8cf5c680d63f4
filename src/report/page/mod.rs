//! A page about an experiment: one HTML file that needs nothing else, with tables, figures and strategies.
//!
//! [`Page`] is plain data, and the same data give the same bytes. All its text is escaped; only the tables of
//! a [`Report`](crate::report::Report) and the figures, which this program has drawn, are markup. The page is
//! well-formed XML, too. Its only script sorts tables: the page says the same without it, and the content
//! security policy in its head allows no other.

mod policy;
#[cfg(test)]
mod tests;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value, context};
use serde::Serialize;

use self::policy::policy;
use crate::visible::visible;

/// Everything there is on the page.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Page {
    /// What the experiment is.
    pub title: String,
    /// What was found: the first that there is to read.
    pub findings: Vec<String>,
    /// What the experiment was, and how far it is: paragraphs.
    pub summary: Vec<String>,
    /// Runs that are not finished.
    pub missing: Vec<String>,
    /// What the summary rests on.
    pub sections: Vec<Section>,
    /// The experiment file.
    pub experiment: String,
    /// Commands, and what they do.
    pub commands: Vec<(String, String)>,
    /// A page on which strategies are played against, as an HTML document.
    pub playable: Option<String>,
}

/// A part of the page with a heading, in the table of contents.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// Sentences below it.
    pub text: Vec<String>,
    /// Tables of a report, as HTML.
    pub reports: Vec<Markup>,
    /// Figures.
    pub figures: Vec<Picture>,
    /// Strategies.
    pub strategies: Vec<Learned>,
    /// Other tables.
    pub tables: Vec<Table>,
    /// Boards of a game, one after the other.
    pub boards: Vec<Board>,
}

/// A board of a game.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Board {
    /// When it was so.
    pub caption: String,
    /// What there was to see.
    pub lines: Vec<String>,
}

/// HTML that this program has written: it is not escaped.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Markup(pub String);

impl Markup {
    /// The same tables, each below its title, which shows and hides it; the first is shown if `is_open`.
    #[must_use]
    pub fn folded(self, is_open: bool) -> Markup {
        const FIGURE: &str = "<figure class=\"table\">";
        let mut parts = self.0.split(FIGURE);
        let mut text = parts.next().unwrap_or_default().to_string();
        for (index, part) in parts.enumerate() {
            let titled = part.split_once("<caption>").and_then(|(before, rest)| {
                let (title, after) = rest.split_once("</caption>\n")?;
                Some((title, format!("{before}{after}")))
            });
            let (title, table) = titled.unwrap_or(("Table", part.to_string()));
            let open = if is_open && index == 0 { " open=\"open\"" } else { "" };
            let table = table.trim_end();
            text += &format!(
                "<details{open}>\n<summary>{title}</summary>\n{FIGURE}{table}\n</details>\n"
            );
        }
        Markup(text)
    }
}

/// A figure in the page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Picture {
    /// What it shows, for those who cannot see it.
    pub label: String,
    /// Whether it has the whole width of the page.
    is_wide: bool,
    /// The SVG element, from its attributes on.
    svg: Markup,
    /// The same for narrow screens, on which its letters would be too small.
    narrow: Option<Markup>,
}

/// Wider figures than these, in CSS pixels, are not side by side with others.
const WIDEST_OF_TWO: f64 = 600.0;

impl Picture {
    /// The figure of a document that [`ruse_plots::svg`] has made; such have no identifiers that could clash.
    ///
    /// # Panics
    ///
    /// When it is no SVG document.
    pub fn new(label: impl Into<String>, document: &str) -> Picture {
        let svg = element(document);
        let width = svg.split_once("width=\"").and_then(|(_, rest)| rest.split('"').next());
        let width: Option<f64> = width.and_then(|width| width.parse().ok());
        let is_wide = width.is_some_and(|width| width > WIDEST_OF_TWO);
        Picture { label: label.into(), is_wide, svg: Markup(svg.into()), narrow: None }
    }

    /// The figure with a document for narrow screens.
    ///
    /// # Panics
    ///
    /// When it is no SVG document.
    #[must_use]
    pub fn with_narrow(self, document: Option<&str>) -> Picture {
        Picture { narrow: document.map(|document| Markup(element(document).into())), ..self }
    }
}

/// The element of an SVG document, from its attributes on.
fn element(document: &str) -> &str {
    let (_, svg) = document.split_once("<svg").expect("a figure is an SVG document");
    svg.trim_end()
}

/// A strategy that was learned.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Learned {
    /// Which one it is.
    pub title: String,
    /// How it was found.
    pub found: String,
    /// How it plays.
    pub words: String,
    /// Its scores and parameters.
    pub tables: Vec<Table>,
    /// Whether only the title is shown until somebody asks.
    pub is_folded: bool,
}

/// A table of text. The first column says what the rows are.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Table {
    /// What it holds.
    pub title: String,
    /// The names of the columns.
    pub columns: Vec<Column>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
    /// Whether only the title is shown until somebody asks.
    pub is_folded: bool,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    /// The name.
    pub name: String,
    /// Whether it holds sentences and not numbers.
    pub is_text: bool,
}

impl Column {
    /// A column of numbers, or of single words.
    pub fn new(name: &str) -> Column {
        Column { name: name.into(), is_text: false }
    }

    /// A column of sentences.
    pub fn text(name: &str) -> Column {
        Column { name: name.into(), is_text: true }
    }
}

impl Page {
    /// The page as an HTML document.
    ///
    /// # Panics
    ///
    /// Never: the template knows all that a page may hold.
    pub fn html(&self) -> String {
        const NAME: &str = "page.html";
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .keep_trailing_newline(true)
            .build()
            .expect("the usual delimiters");
        environment.set_syntax(syntax);
        environment.add_filter("visible", |text: String| visible(&text).into_owned());
        let template = environment
            .add_template(NAME, include_str!("page.html"))
            .and_then(|()| environment.get_template(NAME))
            .expect("the template is sound");
        let style = include_str!("page.css");
        // As it stands between the marks: a policy names all of it.
        let script = concat!("\n", include_str!("sort.js"));
        let policy = policy(script, self.playable.as_deref().map(visible).as_deref());
        template
            .render(context! { page => Value::from(Serde(self)), style, script, policy })
            .expect("the template knows all pages")
    }
}
