//! What programs of all games have in common: their genes, and their texts line by line.
//!
//! A gene is a number that selects one of several items. A standard Gaussian number is about as likely to select each
//! of them.

/// The first line of a program, which may be left out.
pub const HEADING: &str = "plays the first line that fits:";

/// Returns the place of a gene in (0, 1): about uniform for a standard Gaussian number.
pub fn place(gene: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-1.702 * gene.clamp(-20.0, 20.0)))
}

/// Returns the gene with this place.
pub fn gene(place: f64) -> f64 {
    libm::log(place / (1.0 - place)) / 1.702
}

/// Returns the index of one of `num` items, and the place within the item.
pub fn divide(place: f64, num: usize) -> (usize, f64) {
    let scaled = place * num as f64;
    let index = (scaled as usize).min(num - 1);
    (index, scaled - index as f64)
}

/// Returns the place in the middle of item `index` of `num`.
pub fn middle(index: usize, num: usize) -> f64 {
    (index as f64 + 0.5) / num as f64
}

/// Returns the lines of a text with their numbers from 1, without comments, empty lines and the heading.
pub fn numbered_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let contents = text.lines().map(|whole| whole.split(';').next().unwrap_or_default().trim());
    (1..).zip(contents).filter(|(_, line)| !line.is_empty() && !line.eq_ignore_ascii_case(HEADING))
}

/// Describes what a line should contain next, and what it contains.
pub fn expectation(expected: &str, found: Option<&str>) -> String {
    match found {
        Some(found) => format!("expected {expected}, found `{found}`"),
        None => format!("expected {expected}, and the line ends"),
    }
}
