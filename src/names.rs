//! Names that users type: what is said of one that means nothing.

use std::borrow::Cow;

/// A text from outside as it is quoted in messages: a long one ends in an ellipsis.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    /// The longest name of anything here has half as many characters.
    const MAX_CHARS: usize = 60;
    /// A path is of no use without its end.
    const MAX_CHARS_OF_PATH: usize = 300;
    let max_chars = if text.contains('/') { MAX_CHARS_OF_PATH } else { MAX_CHARS };
    match text.char_indices().nth(max_chars) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]).into(),
    }
}

/// The text with its first letter as at the beginning of a sentence.
#[cfg(feature = "figures")]
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.collect::<String>() + letters.as_str()
}

/// A name that means nothing here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {kind} `{name}`")]
pub struct UnknownName {
    /// What should have been named.
    pub kind: Cow<'static, str>,
    /// The name that was given; of a long one, the beginning.
    pub name: String,
    /// The names there are.
    pub known: Vec<String>,
}

impl UnknownName {
    /// A name that is not among those known.
    pub fn new<S: Into<String>>(
        kind: impl Into<Cow<'static, str>>,
        name: &str,
        known: impl IntoIterator<Item = S>,
    ) -> UnknownName {
        let known = known.into_iter().map(Into::into).collect();
        UnknownName { kind: kind.into(), name: shortened(name).into(), known }
    }

    /// What the user may have meant: the known name that looks most like the given one.
    pub fn nearest(&self) -> Option<&str> {
        /// With fewer letters in common a suggestion is a guess.
        const LIKELY: f64 = 0.5;
        let name = self.name.to_lowercase();
        let similarity =
            |known: &str| strsim::normalized_damerau_levenshtein(&name, &shortened(known));
        self.known
            .iter()
            .map(|known| (similarity(known), known.as_str()))
            .filter(|&(similarity, _)| similarity >= LIKELY)
            // Of two that look as much alike, the shorter one leaves less to guess.
            .max_by(|x, y| x.0.total_cmp(&y.0).then(y.1.len().cmp(&x.1.len())))
            .map(|(_, known)| known)
    }

    /// Advice in one line: the nearest name, or all names.
    pub fn advice(&self) -> String {
        /// Mixtures may have a thousand members.
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
