//! `ruse list`: the table of families.

use clap::Args;
use ruse_gdl::RULE_FILES;
use ruse_registry::Registry;
use serde_json::{Value, json};

use super::failure::Result;
use super::format::{paragraph, table_of, text};
use super::output::{self, Answer};
use super::show::{seats_object, show_family};

/// List the games, one per line; with --full, also their parameters and strategies
///
/// Each line is a family: a game, and the parameters of a strategy for it. Every family has two baselines: redrawn
/// (standard Gaussian parameters for every pair of games) and fixed (drawn once).
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// A family to explain, as with `ruse show`; or a word that the names or descriptions of families, rule files and
    /// methods contain
    #[arg(value_name = "FAMILY|WORD")]
    family: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The baselines of every family.
const BASELINES: [&str; 2] = ["redrawn", "fixed"];

pub(super) fn list(args: &ListArgs, registry: &Registry) -> Result {
    match &args.family {
        Some(word) => match registry.family(word) {
            Ok(family) => show_family(family.as_ref(), args.json),
            Err(unknown) => match Catalogue::search(word, registry) {
                found if found.rows.is_empty() => Err(unknown.into()),
                found => output::write(&found, args.json),
            },
        },
        None => output::write(&Families(registry), args.json),
    }
}

/// The names that a word stands for, each with its kind and a description.
struct Catalogue {
    rows: Vec<[String; 3]>,
}

impl Catalogue {
    /// Finds the families, rule files and methods whose names or descriptions contain the word.
    fn search(word: &str, registry: &Registry) -> Catalogue {
        let row = |name: &str, kind: &str, about: &str| [name, kind, about].map(String::from);
        let families = registry.families().map(|family| {
            let info = family.info();
            row(info.name, "family", info.about)
        });
        let files = RULE_FILES.iter().filter(|_| registry.readers().next().is_some()).map(|file| {
            let comment = file.text.trim_start_matches("; ").lines().next().unwrap_or_default();
            let comment = comment.trim_end_matches(" Written for this project.");
            // The first line may end within a sentence.
            let sentences = comment.rsplit_once(". ").map_or(comment, |(sentences, _)| sentences);
            let mut about = comment.strip_suffix('.').unwrap_or(sentences).to_string();
            for (mark, property) in [("(sees", "hidden information"), ("(role random)", "chance")] {
                if file.text.contains(mark) {
                    about = format!("{about}; {property}");
                }
            }
            row(&format!("{}.kif", file.name), "rule file", &about)
        });
        let methods = registry.methods().map(|method| method.info());
        let methods = methods.map(|info| row(info.name, "method", info.meaning));
        let word = word.to_lowercase();
        let fits = |row: &[String; 3]| row.iter().any(|cell| cell.to_lowercase().contains(&word));
        Catalogue { rows: families.chain(files).chain(methods).filter(fits).collect() }
    }
}

impl Answer for Catalogue {
    fn page(&self) -> String {
        text(&table_of(["name", "kind", "what it is"], &[], self.rows.iter().cloned()))
    }

    fn object(&self) -> Value {
        let row = |[name, kind, about]: &[String; 3]| json!({ "name": name, "kind": kind, "about": about });
        self.rows.iter().map(row).collect()
    }
}

struct Families<'a>(&'a Registry);

impl Answer for Families<'_> {
    fn answer(&self) -> String {
        let rows = self.0.families().map(|family| [family.name(), family.info().about]);
        let of_files = self.0.readers().next().map_or("", |_| ", with families from files");
        let commands =
            "\n`ruse show NAME` explains one, `ruse play NAME` plays it. --full lists more";
        let rows = text(&table_of(["family", "what it is"], &[], rows));
        rows + &paragraph(&format!("{commands}{of_files}."))
    }

    fn page(&self) -> String {
        let rows = self.0.families().map(|family| {
            let references: Vec<_> = family.references().into_iter().map(|r| r.name).collect();
            let dimension = family.space().dimension().to_string();
            [family.name().into(), family.info().game.into(), dimension, references.join(", ")]
        });
        let header = ["family", "game", "parameters", "reference strategies"];
        let rows = table_of(header, &[2], rows);
        let readers = self.0.readers().map(|reader| [reader.form(), reader.meaning()]);
        let of_files = table_of(["families from files", "what they are"], &[], readers);
        let of_files = match self.0.readers().next() {
            Some(_) => format!("{}\n", text(&of_files)),
            None => String::new(),
        };
        let baselines = "Baselines of every family: redrawn (standard Gaussian parameters for every pair of \
                         games) and fixed (drawn once).";
        let commands =
            "`ruse show FAMILY` explains the parameters, `ruse optimise FAMILY` tunes them.";
        format!("{}\n{of_files}{}{}", text(&rows), paragraph(baselines), paragraph(commands))
    }

    fn object(&self) -> Value {
        let families = self.0.families().map(|family| {
            json!({
                "family": family.name(),
                "game": family.info().game,
                "summary": family.info().summary,
                "parameters": family.space().dimension(),
                "seats": seats_object(family),
                "baselines": BASELINES,
                "references": family.references().into_iter().map(|r| r.name).collect::<Vec<_>>(),
            })
        });
        let of_files = self.0.readers();
        let of_files = of_files.map(|of| json!({"form": of.form(), "meaning": of.meaning()}));
        json!({
            "families": families.collect::<Vec<_>>(),
            "families_of_files": of_files.collect::<Vec<_>>(),
        })
    }
}
