//! Names that users type, and suggestions for unknown ones.

use std::borrow::Cow;

/// Shortens a text from outside for quotation in messages; a long one ends in an ellipsis.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    /// Twice the length of the longest valid name.
    const MAX_CHARS: usize = 60;
    /// A path is useless without its end, so the limit is larger.
    const MAX_CHARS_OF_PATH: usize = 300;
    let max_chars = if text.contains('/') { MAX_CHARS_OF_PATH } else { MAX_CHARS };
    match text.char_indices().nth(max_chars) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]).into(),
    }
}

/// Returns the text with its first letter capitalised.
#[cfg(feature = "figures")]
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.collect::<String>() + letters.as_str()
}

/// The error of an unknown name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {kind} `{name}`")]
pub struct UnknownName {
    /// The kind of thing that the name should refer to.
    pub kind: Cow<'static, str>,
    /// The unknown name, shortened if it is long.
    pub name: String,
    /// The known names.
    pub known: Vec<String>,
}

impl UnknownName {
    /// Creates the error for a name that is not among the known ones.
    pub fn new<S: Into<String>>(
        kind: impl Into<Cow<'static, str>>,
        name: &str,
        known: impl IntoIterator<Item = S>,
    ) -> UnknownName {
        let known = known.into_iter().map(Into::into).collect();
        UnknownName { kind: kind.into(), name: shortened(name).into(), known }
    }

    /// Returns the known name that is most similar to the unknown one, if it is similar enough.
    pub fn nearest(&self) -> Option<&str> {
        /// The smallest similarity at which a suggestion is more than a guess.
        const LIKELY: f64 = 0.5;
        let name = self.name.to_lowercase();
        let similarity =
            |known: &str| strsim::normalized_damerau_levenshtein(&name, &shortened(known));
        self.known
            .iter()
            .map(|known| (similarity(known), known.as_str()))
            .filter(|&(similarity, _)| similarity >= LIKELY)
            // The shorter of two equally similar names leaves less to guess.
            .max_by(|x, y| x.0.total_cmp(&y.0).then(y.1.len().cmp(&x.1.len())))
            .map(|(_, known)| known)
    }

    /// Returns advice in one line: the nearest name, or all names.
    pub fn advice(&self) -> String {
        /// The largest number of listed names; mixtures may have a thousand members.
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
