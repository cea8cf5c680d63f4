//! The structure of a fluent, parsed from its canonical text.

use ruse_gdl::parts_of_term;

/// A fluent, split into its name and its arguments: `(cell 1 2 x)` has the name `cell` and the arguments `1`, `2` and
/// `x`, and `lit` is a name without arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FluentTerm {
    pub(super) name: String,
    /// The arguments as canonical texts.
    pub(super) arguments: Vec<String>,
}

impl FluentTerm {
    /// Parses a canonical text: words separated by single spaces, and compound terms in parentheses.
    pub(super) fn of_text(text: &str) -> Self {
        let mut parts = parts_of_term(text).into_iter().map(String::from);
        Self { name: parts.next().unwrap_or_default(), arguments: parts.collect() }
    }

    /// Formats the fluent with `?` in place of the arguments at these positions.
    pub(super) fn without(&self, positions: &[usize]) -> String {
        let shown = |(at, argument): (usize, &String)| match positions.contains(&at) {
            true => "?".into(),
            false => argument.clone(),
        };
        let arguments: Vec<String> = self.arguments.iter().enumerate().map(shown).collect();
        format!("({} {})", self.name, arguments.join(" "))
    }

    /// Formats the arguments at these positions, separated by spaces.
    pub(super) fn at(&self, positions: &[usize]) -> String {
        positions.iter().map(|&at| &*self.arguments[at]).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::FluentTerm;

    fn parts(text: &str) -> (String, Vec<String>) {
        let term = FluentTerm::of_text(text);
        (term.name, term.arguments)
    }

    #[test]
    fn arguments_may_be_terms() {
        assert_eq!(parts("lit"), ("lit".into(), vec![]));
        assert_eq!(parts("(old)"), ("old".into(), vec![]));
        let expected = vec!["(shots (of first))".into(), "2".into()];
        assert_eq!(parts("(phase (shots (of first)) 2)"), ("phase".into(), expected));
    }

    #[test]
    fn values_are_cut_out() {
        let term = FluentTerm::of_text("(cell 1 (f a b) x)");
        assert_eq!(term.without(&[1]), "(cell 1 ? x)");
        assert_eq!(term.at(&[1, 2]), "(f a b) x");
    }
}
