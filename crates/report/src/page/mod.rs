//! A page about an experiment: a self-contained HTML file with tables, figures and strategies.
//!
//! [`Page`] is plain data, and the same data produce the same bytes. All text is escaped, except the tables of a
//! [`Report`](crate::Report) and the figures, which this program made. The page is also well-formed XML. Its
//! only script sorts tables. The content security policy in its head allows no other script.

mod policy;
#[cfg(test)]
mod tests;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value, context};
use ruse_base::visible::visible;
use serde::Serialize;

use self::policy::policy;

/// The content of the page.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Page {
    /// The title of the experiment.
    pub title: String,
    /// The findings, at the top of the page.
    pub findings: Vec<String>,
    /// Paragraphs about the experiment and its progress.
    pub summary: Vec<String>,
    /// The unfinished runs.
    pub missing: Vec<String>,
    /// The evidence for the findings.
    pub sections: Vec<Section>,
    /// The experiment file.
    pub experiment: String,
    /// Commands, each with a description.
    pub commands: Vec<(String, String)>,
    /// A page for playing against strategies, as an HTML document.
    pub playable: Option<String>,
}

/// A part of the page, with a heading in the table of contents.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// Sentences below the heading.
    pub text: Vec<String>,
    /// Tables of a report, as HTML.
    pub reports: Vec<Markup>,
    /// Figures.
    pub figures: Vec<Picture>,
    /// Strategies.
    pub strategies: Vec<Learned>,
    /// Other tables.
    pub tables: Vec<Table>,
    /// Boards of a game, in the order in which they are shown.
    pub boards: Vec<Board>,
}

impl Section {
    /// Creates an empty section with this heading.
    pub fn titled(title: impl Into<String>) -> Section {
        Section { title: title.into(), ..Section::default() }
    }
}

/// A board of a game.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Board {
    /// A description of the moment in the game.
    pub caption: String,
    /// The lines of the board.
    pub lines: Vec<String>,
}

/// HTML of this program, which is not escaped.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Markup(pub String);

impl Markup {
    /// Returns these tables, each below a title that shows or hides it. Initially, only the first table is shown, and
    /// only if `is_open`.
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
    /// A description for readers who cannot see the figure.
    pub label: String,
    /// True if the figure takes the whole width of the page.
    is_wide: bool,
    /// The text of the SVG element after `<svg`, beginning with the attributes.
    svg: Markup,
    /// The figure for narrow screens, on which the letters of `svg` are too small.
    narrow: Option<Markup>,
}

/// The maximum width, in CSS pixels, of a figure beside another figure.
const WIDEST_OF_TWO: f64 = 600.0;

impl Picture {
    /// Creates a figure from a document of [`ruse_plots::svg`]. Its identifiers are unique, so figures on a page do not
    /// clash.
    ///
    /// # Panics
    ///
    /// Panics if `document` is not an SVG document.
    pub fn new(label: impl Into<String>, document: &str) -> Picture {
        let svg = element(document);
        let width = svg.split_once("width=\"").and_then(|(_, rest)| rest.split('"').next());
        let width: Option<f64> = width.and_then(|width| width.parse().ok());
        let is_wide = width.is_some_and(|width| width > WIDEST_OF_TWO);
        Picture { label: label.into(), is_wide, svg: Markup(svg.into()), narrow: None }
    }

    /// Adds a document for narrow screens.
    ///
    /// # Panics
    ///
    /// Panics if `document` is not an SVG document.
    #[must_use]
    pub fn with_narrow(self, document: Option<&str>) -> Picture {
        Picture { narrow: document.map(|document| Markup(element(document).into())), ..self }
    }
}

/// Returns the text of an SVG document's root element after `<svg`, beginning with the attributes.
fn element(document: &str) -> &str {
    let (_, svg) = document.split_once("<svg").expect("a figure is an SVG document");
    svg.trim_end()
}

/// A learned strategy.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Learned {
    /// The title, which names the strategy.
    pub title: String,
    /// A description of how the strategy was found.
    pub found: String,
    /// A description of how the strategy plays.
    pub words: String,
    /// The scores and the parameters of the strategy.
    pub tables: Vec<Table>,
}

/// A table of text. The first column names the rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Table {
    /// The title of the table.
    pub title: String,
    /// The names of the columns.
    pub columns: Vec<Column>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
    /// True if only the title is shown until a reader opens it.
    pub is_folded: bool,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    /// The name of the column.
    pub name: String,
    /// True if the column has sentences, not numbers.
    pub is_text: bool,
}

impl Column {
    /// Creates a column of numbers or single words.
    pub fn new(name: &str) -> Column {
        Column { name: name.into(), is_text: false }
    }

    /// Creates a column of sentences.
    pub fn text(name: &str) -> Column {
        Column { name: name.into(), is_text: true }
    }
}

impl Page {
    /// Returns the page as an HTML document.
    ///
    /// # Panics
    ///
    /// Never panics: the template handles every valid page.
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
        // The exact text between the tags, because the policy has its digest.
        let script = concat!("\n", include_str!("sort.js"));
        let policy = policy(script, self.playable.as_deref().map(visible).as_deref());
        template
            .render(context! { page => Value::from(Serde(self)), style, script, policy })
            .expect("the template knows all pages")
    }
}
