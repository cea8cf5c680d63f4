//! The part of `ruse show FILE.kif --network`: the size of the constraint network of a rule file.

use std::fmt::Write;
use std::time::Instant;

use ruse_base::names::by_key;
use ruse_csp::encode::{EncodeError, EncodeOptions, Family};
use ruse_csp::mac_ucb::StageNetwork;
use ruse_csp::{NetworkSize, Preprocessing};
use ruse_gdl::Rules;
use serde_json::{Value, json};

use super::format::{grouped, paragraph, table, table_of, text};

/// The constraint network of a rule file, or the reason why it is too large.
pub(super) struct ShownNetwork(Result<MadeNetwork, EncodeError>);

impl ShownNetwork {
    pub(super) fn new(rules: &Rules, options: &EncodeOptions) -> ShownNetwork {
        let start = Instant::now();
        let network = StageNetwork::new(rules, options, &Preprocessing::default());
        let seconds = start.elapsed().as_secs_f64();
        ShownNetwork(network.map(|network| MadeNetwork { network, seconds }))
    }

    pub(super) fn page(&self) -> String {
        match &self.0 {
            Ok(network) => network.page(),
            Err(error) => {
                paragraph(&format!("No constraint network: {}.", error.with_consequence()))
            }
        }
    }

    pub(super) fn object(&self) -> Value {
        match &self.0 {
            Ok(network) => network.object(),
            Err(error) => json!({ "too_large": error.to_string() }),
        }
    }
}

/// A constraint network, and the time of its encoding, in seconds.
struct MadeNetwork {
    network: StageNetwork,
    seconds: f64,
}

impl MadeNetwork {
    fn page(&self) -> String {
        let mut kinds = table(["constraint network", "variables", "constraints"], &[1, 2]);
        let encoding = self.network.encoding();
        let (variables, constraints) =
            (encoding.variables_by_kind(), encoding.constraints_by_kind());
        let of = |counts: &[(&str, usize)], title: &str| {
            let count = counts.iter().find(|&&(other, _)| other == title);
            count.map_or_else(String::new, |&(_, count)| grouped(count as u64))
        };
        for (title, _) in by_key(variables.iter().chain(&constraints).copied()) {
            kinds.add_row([title, &of(&variables, title), &of(&constraints, title)]);
        }
        let mut page = text(&kinds);
        let report = self.network.report();
        let sizes = listed(&report.before).into_iter().zip(listed(&report.after));
        let sizes = sizes.map(|((title, before), (_, after))| {
            [title.to_string(), grouped(before as u64), grouped(after as u64)]
        });
        let sizes = table_of(["size", "as encoded", "as solved"], &[1, 2], sizes);
        let capped = if report.is_capped { ", the limit; some values were not tried" } else { "" };
        let _ = write!(
            page,
            "\n{}Encoded and simplified in {:.2} s, with {} revisions of constraints{capped}.\n",
            text(&sizes),
            self.seconds,
            grouped(report.revisions)
        );
        page
    }

    fn object(&self) -> Value {
        let encoding = self.network.encoding();
        let families = encoding.families();
        let family = |family: &Family| {
            json!({
                "name": family.name,
                "value_positions": family.positions,
                "groups": family.groups.iter().map(|&at| {
                    let group = &families.groups()[at];
                    json!({
                        "name": group.name,
                        "values": group.values,
                        "may_be_none": group.may_be_none,
                    })
                }).collect::<Vec<_>>(),
            })
        };
        let counts = |counts: &[(&str, usize)]| {
            let counts = counts.iter().map(|&(title, n)| (title.replace(' ', "_"), n.into()));
            Value::Object(counts.collect())
        };
        let report = self.network.report();
        json!({
            "families": families.families().iter().map(family).collect::<Vec<_>>(),
            "variables": counts(&encoding.variables_by_kind()),
            "constraints": counts(&encoding.constraints_by_kind()),
            "as_encoded": counts(&listed(&report.before)),
            "as_solved": counts(&listed(&report.after)),
            "revisions": report.revisions,
            "is_capped": report.is_capped,
        })
    }
}

/// Returns the sizes of a network with their titles.
fn listed(sizes: &NetworkSize) -> [(&'static str, usize); 11] {
    [
        ("variables", sizes.num_variables),
        ("values", sizes.num_values),
        ("largest domain", sizes.largest_domain),
        ("constraints", sizes.num_constraints),
        ("tables", sizes.num_tables),
        ("tuples", sizes.num_tuples),
        ("values in tuples", sizes.num_tuple_values),
        ("clauses", sizes.num_clauses),
        ("definitions", sizes.num_definitions),
        ("least models", sizes.num_least_models),
        ("literals", sizes.num_literals),
    ]
}

#[cfg(test)]
mod tests {
    use ruse_gdl::Limits;

    use super::*;

    #[test]
    fn a_file_that_is_too_large_is_said_to_be() {
        let text = ruse_gdl::rule_file("nim").expect("it comes with the engine").text;
        let rules = Rules::from_text(text, &Limits::default()).expect("it is right");
        let options = EncodeOptions { variables: 5, ..EncodeOptions::default() };
        let shown = ShownNetwork::new(&rules, &options);
        let words = shown.page().split_whitespace().collect::<Vec<_>>().join(" ");
        let expected = "No constraint network: the constraint network has more than 5 variables: ";
        assert!(words.starts_with(expected), "{words}");
        assert!(words.ends_with("as `forward-ucb` does."), "{words}");
        assert!(
            shown.object()["too_large"].as_str().is_some_and(|text| text.contains("5 variables"))
        );
    }
}
