//! Parameters in a strategy file: a list, a map from names or indexes to values, or a text.
//!
//! ```yaml
//! family: war
//! parameters: {A: 0, B: -9, C: 9}
//! ```
//!
//! In a map, `others` stands for all parameters that are not named. A text describes the strategy, in families whose
//! strategies are texts, such as programs. Members of a mixture have parameters in the same forms.

use ruse_base::files::{Step, YamlError, YamlSource};
use ruse_play::family::AnyFamily;
use serde::{Deserialize, Deserializer};

use crate::language::rules::{RuleValue, number_or_text};
use crate::language::written::ParametersSpec;

/// The key of the parameters.
pub(crate) const PARAMETERS: &str = "parameters";
/// The key of the members of a mixture.
pub(crate) const MIXTURE: &str = "mixture";
/// The key for all parameters that are not named.
const OTHERS: &str = "others";

/// The name or the index of a parameter.
struct Key(RuleValue);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        number_or_text(deserializer, "the name or the index of a parameter").map(Key)
    }
}

/// Returns the parameters that a file gives by name or index, or as a text, or `None` if it has a list or no parameters.
/// `member` has the index of a member of the mixture, then the index of a member of this member, and so on; it is empty for
/// a file with a single strategy.
///
/// # Errors
///
/// Returns an error, with the place, if a name is unknown or repeated, a parameter is missing, or the text describes no
/// strategy.
pub(crate) fn by_name(
    source: &YamlSource,
    member: &[usize],
    family: &dyn AnyFamily,
) -> Result<Option<Vec<f64>>, Box<YamlError>> {
    #[derive(Deserialize)]
    struct File {
        parameters: Option<ParametersSpec<Key, f64>>,
        #[serde(default)]
        mixture: Vec<File>,
    }

    let mut file = source.parse::<File>()?;
    let mut place: Vec<Step> = Vec::new();
    for &index in member {
        place.extend([MIXTURE.into(), Step::Index(index)]);
        file = file.mixture.swap_remove(index);
    }
    place.push(PARAMETERS.into());
    let entries = match file.parameters {
        Some(ParametersSpec::Map(entries)) => entries,
        Some(ParametersSpec::Text(text)) => {
            let read = family.parameters_of_text(&text).unwrap_or_else(|| {
                Err("the family takes numbers: a list, or a map from names to numbers".into())
            });
            let error = |problem| Box::new(source.error_at(&place, problem));
            return read.map(Some).map_err(error);
        }
        Some(ParametersSpec::List(_)) | None => return Ok(None),
    };
    let space = family.space();
    let mistake = |key: Option<&Key>, message: String| {
        let key = key.map(|key| Step::Key(key.0.to_string()));
        let path: Vec<Step> = place.iter().cloned().chain(key).collect();
        Box::new(source.error_at(&path, message))
    };
    let names = space.parameters();
    let mut values = vec![None; space.dimension()];
    let mut others = None;
    for (key, value) in &entries {
        let place = match key {
            Key(RuleValue::Name(name)) if name == OTHERS => &mut others,
            Key(RuleValue::Name(name)) => {
                let index = names.iter().position(|parameter| parameter.name == *name);
                let index = index
                    .ok_or_else(|| mistake(Some(key), format!("there is no parameter `{name}`")))?;
                &mut values[index]
            }
            Key(RuleValue::Number(index)) => {
                let last = names.len() - 1;
                let place = usize::try_from(*index).ok().and_then(|index| values.get_mut(index));
                place.ok_or_else(|| {
                    mistake(
                        Some(key),
                        format!("parameters have the indexes 0 to {last}, not {index}"),
                    )
                })?
            }
        };
        if place.replace(*value).is_some() {
            return Err(mistake(Some(key), format!("parameter `{}` is given twice", key.0)));
        }
    }
    let missing: Vec<&str> = names
        .iter()
        .zip(&values)
        .filter(|(_, value)| value.is_none() && others.is_none())
        .map(|(parameter, _)| &*parameter.name)
        .collect();
    if let Some(first) = missing.first() {
        let more = match missing.len() {
            1 => String::new(),
            number => format!(" and {} more", number - 1),
        };
        let message = format!(
            "parameter `{first}`{more} missing; `{OTHERS}: 0` gives a value to all that are not named"
        );
        return Err(mistake(None, message));
    }
    Ok(Some(values.into_iter().map(|value| value.or(others).unwrap_or_default()).collect()))
}

#[cfg(test)]
mod tests {
    use ruse_play::family::{Player, Weighted};
    use ruse_registry::Registry;

    use super::*;
    use crate::StrategyFile;

    fn read(text: &str) -> Result<Player, String> {
        let source = YamlSource { path: "mine.yaml".into(), text: text.into() };
        let family = Registry::standard().family("war").expect("known");
        let file =
            StrategyFile::from_source(&source).and_then(|file| file.checked_in(&source, &*family));
        file.map(|file| file.contestant()).map_err(|error| error.to_string())
    }

    /// Members, and members of members, have their parameters in all forms.
    #[test]
    fn members_of_a_mixture_name_their_parameters() {
        let text = "family: war\nmixture:\n- {weight: 1, parameters: [1, 2, 3]}\n\
                    - weight: 2\n  mixture:\n  - {weight: 1, strategy: ascending}\n\
                    \x20 - {weight: 3, parameters: {B: -9, others: 4}}\n\
                    - {weight: 3, parameters: {C: 1, B: 2, A: 3}}\n";
        let weighted = |weight: f64, of: Player| Weighted { weight, of };
        let inner = Player::Mixture(vec![
            weighted(1.0, Player::Named("ascending".into())),
            weighted(3.0, vec![4.0, -9.0, 4.0].into()),
        ]);
        let expected = Player::Mixture(vec![
            weighted(1.0, vec![1.0, 2.0, 3.0].into()),
            weighted(2.0, inner),
            weighted(3.0, vec![3.0, 2.0, 1.0].into()),
        ]);
        assert_eq!(read(text), Ok(expected));
        for (text, message) in [
            ("{weight: 1, parameters: {A: 1, others: .inf}}", "finite"),
            ("{weight: 1, mixture: [{weight: 1, parameters: {A: 1}}]}", "`B` and 1 more missing"),
        ] {
            let error = read(&format!(
                "family: war\nmixture:\n- {{weight: 1, parameters: [1, 2, 3]}}\n- {text}\n"
            ));
            let error = error.expect_err("a mistake");
            assert!(error.contains(message) && error.contains("mine.yaml:4:"), "{text}: {error}");
        }
    }
}
