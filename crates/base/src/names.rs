//! Names that users type, and suggestions for unknown names.

use std::borrow::Cow;

use crate::visible::{escaped, hidden_in};

/// Declares an enum whose values have names, which users type and files hold, with `ALL` and `name`.
///
/// ```
/// ruse_base::named! {
///     /// The end of a game.
///     #[derive(Debug, Clone, Copy, PartialEq, Eq)]
///     pub enum End {
///         /// No move is legal.
///         Stalemate = "stalemate",
///         /// A player has given up.
///         Resigned = "resigned",
///     }
/// }
/// assert_eq!(End::ALL.map(End::name), ["stalemate", "resigned"]);
/// ```
#[macro_export]
macro_rules! named {
    (
        $(#[$of_enum:meta])*
        $vis:vis enum $Enum:ident { $($(#[$of_variant:meta])* $Variant:ident = $name:literal,)+ }
    ) => {
        $(#[$of_enum])*
        $vis enum $Enum { $($(#[$of_variant])* $Variant,)+ }

        impl $Enum {
            /// All values, in the order of their declaration.
            $vis const ALL: [$Enum; [$($name),+].len()] = [$($Enum::$Variant),+];

            /// Returns the name, as users type it and files hold it.
            $vis fn name(self) -> &'static str {
                match self { $($Enum::$Variant => $name,)+ }
            }
        }
    };
}

/// Shortens a text from a user or a file so that messages can quote it. A shortened text ends in an ellipsis.
pub fn shortened(text: &str) -> Cow<'_, str> {
    /// The maximum number of characters of a quoted text: twice the length of the longest valid name.
    const MAX_CHARS: usize = 60;
    /// The maximum number of characters of a quoted path. The limit is higher than for other texts, because a path is
    /// useless without its end.
    const MAX_CHARS_OF_PATH: usize = 300;
    let max_chars = if text.contains('/') { MAX_CHARS_OF_PATH } else { MAX_CHARS };
    match text.char_indices().nth(max_chars) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]).into(),
    }
}

/// Groups values by their keys, in the order in which the keys first appear.
pub fn by_key<K: PartialEq, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in pairs {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

/// Checks a name from outside, such as the name of a player, a method or a family, before tables, figures and files
/// contain it.
///
/// # Errors
///
/// Returns an error if the name contains an invisible character, such as a control character or a line end.
pub fn check_name(name: &str) -> Result<&str, NameError> {
    match hidden_in(name) {
        None => Ok(name),
        Some(code) => Err(NameError { name: escaped(name).into(), code: code.into() }),
    }
}

/// The error for a name with an invisible character.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the name `{}` contains the invisible character U+{code:04X}: leave it out",
    shortened(name)
)]
pub struct NameError {
    /// The name, with escapes in place of invisible characters.
    name: String,
    code: u32,
}

/// Returns the text with its first letter capitalised.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).collect::<String>() + letters.as_str()
}

/// The error returned for an unknown name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {kind} `{name}`")]
pub struct UnknownName {
    /// The kind of item that the name should denote, such as a method.
    pub kind: Cow<'static, str>,
    /// The unknown name, shortened if it is long.
    pub name: String,
    /// The known names.
    pub known: Vec<String>,
}

/// Returns `true` if `name` may be a misspelling of `known`: at most one letter in four is changed, missing, added or
/// swapped with its neighbour. With more errors, a suggestion would be a guess.
fn is_slip(name: &str, known: &str) -> bool {
    const LETTERS_TO_A_SLIP: usize = 4;
    let longer = name.chars().count().max(known.chars().count());
    let distance = strsim::damerau_levenshtein(name, known);
    2 * distance < longer && distance <= (longer / LETTERS_TO_A_SLIP).max(1)
}

/// Returns `true` if `name` has at least three letters and is either the beginning of `known` or one of the words of
/// `known`.
fn is_part(name: &str, known: &str) -> bool {
    const MIN_LETTERS: usize = 3;
    let is_word = known.split('-').any(|word| word == name);
    name.chars().count() >= MIN_LETTERS && (is_word || known.starts_with(name))
}

impl UnknownName {
    /// Creates the error for a name that is not among the known names.
    pub fn new<S: Into<String>>(
        kind: impl Into<Cow<'static, str>>,
        name: &str,
        known: impl IntoIterator<Item = S>,
    ) -> UnknownName {
        let known = known.into_iter().map(Into::into).collect();
        UnknownName { kind: kind.into(), name: shortened(name).into(), known }
    }

    /// Returns the known name that the user may have meant: a name that differs in a few letters, begins with the
    /// unknown name, or contains it as a word.
    pub fn nearest(&self) -> Option<&str> {
        let name = self.name.to_lowercase();
        let similarity =
            |known: &str| strsim::normalized_damerau_levenshtein(&name, &shortened(known));
        self.known
            .iter()
            .map(String::as_str)
            .filter(|known| is_slip(&name, &shortened(known)) || is_part(&name, known))
            .map(|known| (similarity(known), known))
            // If two names are equally similar, the shorter one is suggested.
            .max_by(|x, y| x.0.total_cmp(&y.0).then(y.1.len().cmp(&x.1.len())))
            .map(|(_, known)| known)
    }

    /// Returns advice in one line: the nearest name, or all names.
    pub fn advice(&self) -> String {
        /// The maximum number of names that are listed. A limit is needed because a mixture, for example, may have a
        /// thousand members.
        const MAX_LISTED: usize = 40;
        if let Some(nearest) = self.nearest() {
            return format!("did you mean `{}`?", shortened(nearest));
        }
        if self.known.is_empty() {
            return format!("there is no {} to choose from", self.kind);
        }
        let listed: Vec<_> =
            self.known.iter().take(MAX_LISTED).map(|name| shortened(name)).collect();
        let more = match self.known.len() - listed.len() {
            0 => String::new(),
            number => format!(" and {number} more"),
        };
        format!("known are {}{more}", listed.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_show_all_their_characters() {
        for name in ["hall-of-fame", "it's $(here)", "na\u{ef}ve \u{2660}", ""] {
            assert_eq!(check_name(name), Ok(name));
        }
        let message =
            "the name `a\\u{202e}b` contains the invisible character U+202E: leave it out";
        let refused = check_name("a\u{202e}b").map_err(|error| error.to_string());
        assert_eq!(refused, Err(message.into()));
        for name in ["a\nb", "\t", "\u{1b}[31m", "a\u{85}", "\0"] {
            let error = check_name(name).expect_err(name).to_string();
            assert_eq!(escaped(&error), error);
        }
    }
}
