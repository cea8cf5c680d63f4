//! Linear values of states: what each fact is worth, learned from own play, for searches.
//!
//! The value of a state is a logistic function of a sum of weights, one for each true fluent, and a bias. In a game of
//! two roles it is the expected payoff to the first role, so the same weights with the opposite sign serve the second
//! role; if all roles have the same goal, it is their goal; with more roles, each role has its own weights for its goal.
//!
//! The sum is computed from the true fluents. Keeping it up to date through the random games would cost more, because
//! only one state of each game needs a value.

use ruse_games::rule_file::{HIDDEN, LESSONS, PLAYOUTS, RuleFile};
use ruse_picture::{Bars, Chart, Panel, Picture};
use ruse_search::uct::UctSettings;
use ruse_search::{Budget, Parameter, ParameterError, ParameterSpace, ParametricStrategy};

use super::family::RuleFileStrategy;
use super::lessons::{FactValues, learned, logistic};
use super::policy::{check, stem};
use super::searching::TunedUct;

/// The change of a weight, in log-odds, for a parameter that grows by 1.
const SCALE: f64 = 0.1;

/// The number of weights named in a description and in a picture.
const NAMED: usize = 5;
const DRAWN: usize = 20;

/// Returns the name of a fact's relation as a part of parameter names: letters, digits and dashes.
fn relation(fact: &str) -> String {
    let name = fact.trim_start_matches('(').split([' ', ')']).next().unwrap_or_default();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.collect::<Vec<_>>().join("-");
    if words.is_empty() { "fact".into() } else { words }
}

/// UCT with learned values of leaves, whose weights are parameters. If all parameters are 0, the weights are the learned
/// ones, and a leaf's score is the mean of its value and the result of a random game.
impl ParametricStrategy<RuleFile> for TunedUct<FactValues> {
    fn space(game: &RuleFile) -> ParameterSpace {
        let rules = game.language_rules();
        let mut parameters = vec![Parameter::new(
            "share",
            "the weight of a leaf's value beside a random game: logistic, 0.50 at 0, in hundredths; 1 without playouts",
        )];
        let values = FactValues::zero(game);
        let has_one = values.weights.len() == values.stride;
        for role in values.roles(game) {
            let (stem, name) = (stem(game, role), rules.role_name(role));
            let whose = if has_one { String::new() } else { format!("-{stem}") };
            let weight = |name_of_weight: String, fact: String| {
                let meaning = format!("ten times what is added to the log-odds of {name} {fact}");
                Parameter::new(name_of_weight, meaning)
            };
            // The relation comes first, so that the facts of a relation form a group.
            let of_fluent = |fluent: u32| {
                let text = rules.fluent(fluent);
                let name = format!("{}{whose}-{fluent}", relation(&text));
                weight(name, format!("for {text}"))
            };
            parameters.extend((0..rules.num_fluents() as u32).map(of_fluent));
            parameters.push(weight(format!("always{whose}"), "in each state".into()));
        }
        ParameterSpace::new(parameters)
    }

    fn from_parameters(game: &RuleFile, theta: &[f64]) -> Result<Self, ParameterError> {
        let mut values = FactValues::clone(&learned(game));
        check::<Self>(game, theta, values.weights.len() + 1)?;
        for (weight, parameter) in values.weights.iter_mut().zip(&theta[1..]) {
            *weight += SCALE * parameter;
        }
        let num_playouts = game.num_playouts();
        let share = match num_playouts {
            0 => 1.0,
            _ => libm::round(100.0 * logistic(theta[0])) / 100.0,
        };
        let budget = Budget::Playouts(num_playouts.into());
        let settings = UctSettings { budget, share, ..UctSettings::default() };
        Ok(TunedUct::with(game, settings, values))
    }
}

impl RuleFileStrategy for TunedUct<FactValues> {
    const SUMMARY: &'static str =
        "what each fact is worth, learned from own play, for a search by confidence bounds";
    const BUDGET: u64 = 200_000;
    const RULES: &'static [&'static str] = &[LESSONS, PLAYOUTS, HIDDEN];

    fn words(&self, game: &RuleFile) -> String {
        let (rules, values) = (game.language_rules(), self.player.leaves());
        let mut words = match game.num_playouts() {
            0 => "takes the move after which the value is highest".to_string(),
            playouts => format!(
                "thinks for {playouts} playouts at a decision, and values leaves with the share {:.2}",
                self.settings.share
            ),
        };
        for (outcome, role) in values.roles(game).enumerate() {
            let largest = values.largest(outcome, NAMED).into_iter();
            let facts: Vec<String> = largest
                .map(|(fluent, weight)| format!("{} {weight:+.2}", rules.fluent(fluent)))
                .collect();
            if !facts.is_empty() {
                let name = rules.role_name(role);
                words += &format!("; log-odds for {name}: {}", facts.join(", "));
            }
        }
        words
    }

    fn picture(&self, game: &RuleFile) -> Option<Picture> {
        let (rules, values) = (game.language_rules(), self.player.leaves());
        let panels = values.roles(game).enumerate().map(|(outcome, role)| {
            let largest = values.largest(outcome, DRAWN);
            let bars = Bars {
                quantity: "log-odds".into(),
                names: largest.iter().map(|&(fluent, _)| rules.fluent(fluent)).collect(),
                series: vec![(
                    "weight".into(),
                    largest.iter().map(|&(_, weight)| weight).collect(),
                )],
                level: None,
            };
            Panel::new(
                format!("What facts are worth to {}", rules.role_name(role)),
                Chart::Bars(bars),
            )
            .with_note(format!(
                "The largest weights, {} of {}.",
                largest.len(),
                values.stride - 1
            ))
        });
        Some(Picture::of(panels))
    }
}

#[cfg(test)]
mod tests;
