//! The common style of figures: colours, text sizes, titles and captions, number formats.
//!
//! Figures are as wide as a column of text. In a figure printed 8.5 cm wide, the smallest text has a size of 6 points.
//! Figures with many parts are wider if the sheet has room.

use std::collections::HashMap;
use std::iter::once;

use plotters::prelude::*;
use plotters::style::RGBColor;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::canvas::{Area, DrawResult, Sheet, ensure_font};
pub use crate::canvas::{FONT, PAPER, SMALL, WIDTH};

/// The width of figures with many parts, in CSS pixels: two columns of text, or a page.
pub const WIDE: u32 = 2 * WIDTH;

/// The size of a figure's title. All sizes are in the units of plotters; a CSS pixel has 1.24 of these units.
pub const TITLE: u32 = 17;
/// The size of the title of a part of a figure.
pub const HEADING: u32 = 15;
/// The size of labels.
pub const LABEL: u32 = 13;

/// The colour of text and axes.
pub const INK: RGBColor = RGBColor(38, 38, 38);
/// The colour of less important text.
pub const MUTED: RGBColor = RGBColor(95, 95, 95);
/// The colour of the lines of a grid.
pub const GRID: RGBColor = RGBColor(222, 222, 222);
/// The colour of a cell without a value.
pub const MISSING: RGBColor = RGBColor(226, 226, 226);

/// The colours of series: blue, orange, cyan, violet, rust, indigo, black, maroon. Each has a contrast of at least 3 with
/// white. Each two are at least .17 apart in Oklab (B. Ottosson, 2020), also for readers without one kind of cones.
pub const SERIES: [RGBColor; 8] =
    colours([0x146189, 0xed7100, 0x10a3b1, 0xa717ff, 0xaa2804, 0x230070, 0x000000, 0x550002]);

/// Returns the colours with these codes, each of two hexadecimal digits of red, green and blue.
const fn colours<const N: usize>(codes: [u32; N]) -> [RGBColor; N] {
    let mut colours = [PAPER; N];
    let mut index = 0;
    while index < N {
        let [_, red, green, blue] = codes[index].to_be_bytes();
        colours[index] = RGBColor(red, green, blue);
        index += 1;
    }
    colours
}

/// Returns the colour of series number `index`; colours repeat after eight.
pub fn series(index: usize) -> RGBColor {
    SERIES[index % SERIES.len()]
}

/// The colours of numbers, from small to large, in equal steps of darkness that can be distinguished in print (the
/// scale YlGnBu of ColorBrewer, Harrower & Brewer 2003).
const SEQUENTIAL: [RGBColor; 9] = colours([
    0xffffd9, 0xedf8b1, 0xc7e9b4, 0x7fcdbb, 0x41b6c4, 0x1d91c0, 0x225ea8, 0x253494, 0x081d58,
]);
/// The colours of numbers, from the most negative to the most positive: blue, white, vermilion.
const DIVERGING: [RGBColor; 5] = colours([0x005a96, 0x6eacd4, 0xfafafa, 0xec9c60, 0xbe4c00]);

/// Returns the colour of `share`, where 0 is light. A share outside [0, 1] has the colour of the nearer end.
pub fn sequential(share: f64) -> RGBColor {
    between(&SEQUENTIAL, share)
}

/// Returns the colour of `deviation` in [-1, 1]: blue below 0, white at 0, and vermilion above 0.
pub fn diverging(deviation: f64) -> RGBColor {
    between(&DIVERGING, (deviation + 1.0) / 2.0)
}

fn between(colours: &[RGBColor], share: f64) -> RGBColor {
    if share.is_nan() {
        return MISSING;
    }
    let place = share.clamp(0.0, 1.0) * (colours.len() - 1) as f64;
    let index = (place as usize).min(colours.len() - 2);
    let (low, high) = (colours[index], colours[index + 1]);
    let mix = |low: u8, high: u8| {
        let part = place - index as f64;
        (f64::from(low) + part * (f64::from(high) - f64::from(low))).round() as u8
    };
    RGBColor(mix(low.0, high.0), mix(low.1, high.1), mix(low.2, high.2))
}

/// Darker backgrounds (by relative luminance) have white text, with a contrast of at least 3. On medium blue, black
/// text has the larger contrast by the formula, but white text is easier to read.
const DARK: f64 = 0.3;

/// Returns the colour of text on a background.
pub fn text_on(background: RGBColor) -> RGBColor {
    if luminance(background) < DARK { PAPER } else { INK }
}

/// Returns the relative luminance of a colour (WCAG 2.1).
fn luminance(RGBColor(red, green, blue): RGBColor) -> f64 {
    let linear = |level: u8| {
        let level = f64::from(level) / 255.0;
        if level <= 0.040_45 { level / 12.92 } else { libm::pow((level + 0.055) / 1.055, 2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/// Returns a style for text that is anchored at its upper left corner.
pub fn text(size: u32, colour: RGBColor) -> TextStyle<'static> {
    TextStyle { color: colour.to_backend_color(), ..TextStyle::from((FONT, size).into_font()) }
}

/// Returns a style for text that is centred on its position.
pub fn centred(size: u32, colour: RGBColor) -> TextStyle<'static> {
    text(size, colour).pos(Pos::new(HPos::Center, VPos::Center))
}

/// Returns a style for text that ends at its position and is vertically centred on it.
pub fn ending(size: u32, colour: RGBColor) -> TextStyle<'static> {
    text(size, colour).pos(Pos::new(HPos::Right, VPos::Center))
}

/// Returns a style for text that begins at its position and is vertically centred on it.
pub fn beginning(size: u32, colour: RGBColor) -> TextStyle<'static> {
    text(size, colour).pos(Pos::new(HPos::Left, VPos::Center))
}

/// Returns a style for text that is horizontally centred below its position.
pub(crate) fn below(size: u32, colour: RGBColor) -> TextStyle<'static> {
    text(size, colour).pos(Pos::new(HPos::Center, VPos::Top))
}

/// Returns a style for text that begins above its position.
pub(crate) fn above(size: u32, colour: RGBColor) -> TextStyle<'static> {
    text(size, colour).pos(Pos::new(HPos::Left, VPos::Bottom))
}

/// Returns the width of a line of text in CSS pixels, never too small, but up to a few per cent too large.
pub fn text_width(line: &str, size: u32) -> u32 {
    ensure_font();
    let (width, _) = (FONT, size).into_font().box_size(line).unwrap_or_default();
    width
}

/// Returns the width of the widest of these lines of text, in CSS pixels; 0 without lines.
pub(crate) fn widest<T: AsRef<str>>(lines: impl IntoIterator<Item = T>, size: u32) -> u32 {
    lines.into_iter().map(|line| text_width(line.as_ref(), size)).max().unwrap_or(0)
}

/// Returns the distance between lines of text of this size.
pub fn line_height(size: u32) -> u32 {
    size + 2
}

/// Breaks text into lines of at most this width, between words; only a word wider than a line is broken.
pub fn wrap(paragraph: &str, size: u32, width: u32) -> Vec<String> {
    let fits = |line: &str| text_width(line, size) <= width;
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in paragraph.split_whitespace() {
        let longer = if line.is_empty() { word.to_string() } else { format!("{line} {word}") };
        if fits(&longer) {
            line = longer;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for letter in word.chars() {
            line.push(letter);
            if !fits(&line) && line.chars().count() > 1 {
                line.pop();
                lines.push(std::mem::replace(&mut line, letter.to_string()));
            }
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// Returns labels for names. A name wider than `width` loses its middle, since names often differ at the end. Different
/// names have different labels: where two would be equal, a number marks the place of the letters left out.
pub fn fitted<T: AsRef<str>>(names: &[T], size: u32, width: u32) -> Vec<String> {
    let fits = |label: &str| text_width(label, size) <= width;
    let names = names.iter().map(AsRef::as_ref);
    let whole = names.clone().filter(|name| fits(name));
    let mut owners: HashMap<String, &str> = whole.map(|name| (name.into(), name)).collect();
    let label = |name: &str, gap: &str| {
        let letters: Vec<char> = name.chars().collect();
        let shorter = |kept: usize| {
            let (head, tail) = (&letters[..kept.div_ceil(2)], &letters[letters.len() - kept / 2..]);
            let [head, tail] = [head, tail].map(|letters| letters.iter().collect::<String>());
            format!("{}{gap}{}", head.trim_end(), tail.trim_start())
        };
        // The width grows with the number of letters, and a width takes long to compute.
        let kept: Vec<usize> = (0..letters.len()).collect();
        let num_fit = kept.partition_point(|&kept| fits(&shorter(kept)));
        num_fit.checked_sub(1).map_or_else(|| gap.into(), shorter)
    };
    let labels = names.map(|name| {
        let gaps = (1..).map(|number| match number {
            1 => "…".to_string(),
            _ => format!("…{number}…"),
        });
        let own = once(name.to_string()).filter(|name| fits(name));
        let mut labels = own.chain(gaps.map(|gap| label(name, &gap)));
        labels.find(|label| *owners.entry(label.clone()).or_insert(name) == name)
    });
    labels.map(|label| label.expect("there are more numbers than names")).collect()
}

/// Writes a line of text at `place`.
pub(crate) fn write(
    area: &Area<'_>,
    words: impl AsRef<str>,
    place: (i32, i32),
    style: TextStyle<'_>,
) -> DrawResult {
    area.draw(&Text::new(words.as_ref(), place, style))
}

/// Draws a note in place of contents, centred at `place`.
pub(crate) fn write_note(area: &Area<'_>, note: &str, place: (i32, i32)) -> DrawResult {
    write(area, note, place, centred(HEADING, INK))
}

/// Writes lines below each other. `(x, y)` is the upper left corner of the first line.
///
/// # Errors
///
/// Never fails on an SVG document.
pub fn write_lines(
    area: &Area<'_>,
    lines: &[String],
    style: &TextStyle<'_>,
    (x, y): (i32, i32),
    size: u32,
) -> DrawResult {
    for (index, line) in (0..).zip(lines) {
        let y = y + index * line_height(size) as i32;
        write(area, line, (x, y), style.clone())?;
    }
    Ok(())
}

/// The frame of every figure: a title above the contents, and a caption with the source of the data below.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    title: Vec<String>,
    caption: Vec<String>,
}

impl Frame {
    /// The margin around a figure, in CSS pixels.
    pub const MARGIN: u32 = 10;

    /// Creates the frame of a figure of `width` CSS pixels, without title and caption if the sheet has no words.
    pub fn new(sheet: Sheet, width: u32, title: &str, caption: &str) -> Frame {
        let room = width.saturating_sub(2 * Self::MARGIN).max(1);
        let lines =
            |words, size| if sheet.has_words { wrap(words, size, room) } else { Vec::new() };
        Frame { title: lines(title, TITLE), caption: lines(caption, SMALL) }
    }

    fn above(&self) -> u32 {
        Self::MARGIN + self.title.len() as u32 * line_height(TITLE) + 4
    }

    fn below(&self) -> u32 {
        4 + self.caption.len() as u32 * line_height(SMALL) + Self::MARGIN
    }

    /// Returns the height of a figure with `contents` pixels between the title and the caption.
    pub fn height(&self, contents: u32) -> u32 {
        self.above() + contents + self.below()
    }

    /// Writes the title and the caption, and returns the area between them, as wide as the figure.
    ///
    /// # Errors
    ///
    /// Never fails on an SVG document.
    pub fn draw<'a>(&self, area: &Area<'a>) -> DrawResult<Area<'a>> {
        let left = Self::MARGIN as i32;
        write_lines(area, &self.title, &text(TITLE, INK), (left, left), TITLE)?;
        let end = area.dim_in_pixel().1.saturating_sub(self.below());
        let top = end as i32 + 4;
        write_lines(area, &self.caption, &text(SMALL, MUTED), (left, top), SMALL)?;
        let (_, lower) = area.split_vertically(self.above().min(end));
        let (contents, _) = lower.split_vertically(end.saturating_sub(self.above()));
        Ok(contents)
    }
}

/// Formats digits as in tables: .53, 1.00, −.02. There is no zero before the point, and the minus sign is as wide as a
/// digit.
pub fn without_zero(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("−", rest));
    match digits.strip_prefix("0.") {
        Some(rest) if rest.bytes().any(|digit| digit != b'0') => format!("{sign}.{rest}"),
        Some(rest) => format!(".{rest}"),
        None => format!("{sign}{digits}"),
    }
}

/// Formats a number in a few characters: three digits, and a power of ten if it is very large or small.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return "?".into();
    }
    if size == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e5).contains(&size) {
        return format!("{value:.0e}").replace('-', "−");
    }
    let decimals = (2 - libm::log10(size).floor() as i32).max(0) as usize;
    let digits = format!("{value:.decimals$}");
    let digits = match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => &digits,
    };
    without_zero(digits)
}

/// Formats a number of games for an axis: 10k, 2M.
pub fn count(games: f64) -> String {
    match games {
        games if games >= 1e9 => format!("{}G", games / 1e9),
        games if games >= 1e6 => format!("{}M", games / 1e6),
        games if games >= 1e3 => format!("{}k", games / 1e3),
        games => without_zero(&format!("{games}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text has a contrast of at least 3 with every colour of the scales, as WCAG 2.1 requires for graphics and large
    /// text.
    #[test]
    fn text_is_legible_on_every_colour_of_the_scales() {
        for step in 0..=100 {
            let share = f64::from(step) / 100.0;
            for colour in [sequential(share), diverging(2.0 * share - 1.0)] {
                let (a, b) = (luminance(text_on(colour)) + 0.05, luminance(colour) + 0.05);
                assert!((a / b).max(b / a) >= 3.0, "{colour:?}");
            }
        }
    }

    fn linear(RGBColor(red, green, blue): RGBColor) -> [f64; 3] {
        [red, green, blue].map(|level| match f64::from(level) / 255.0 {
            low if low <= 0.03928 => low / 12.92,
            high => libm::pow((high + 0.055) / 1.055, 2.4),
        })
    }

    fn times(matrix: [[f64; 3]; 3], x: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row[0] * x[0] + row[1] * x[1] + row[2] * x[2])
    }

    /// Every series has a contrast of at least 3 with white, by the formula and constants of WCAG 2.1.
    #[test]
    fn every_colour_of_a_series_stands_out_on_white() {
        for colour in SERIES {
            let luminance = times([[0.2126, 0.7152, 0.0722]; 3], linear(colour))[0];
            let contrast = (1.0 + 0.05) / (luminance + 0.05);
            assert!(contrast >= 3.0, "{colour:?}: {contrast:.2}");
        }
    }

    /// Distances in Oklab, of the colours as they are and as people with protanopia, deuteranopia and tritanopia see
    /// them (G. M. Machado, M. M. Oliveira & L. A. F. Fernandes, IEEE TVCG 15, 2009, severity 1).
    #[test]
    fn colours_of_series_differ_for_all_readers() {
        let eyes = [
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
            [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
            [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
        ];
        let cones = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]];
        let lab = [[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]];
        for eye in eyes {
            let seen = SERIES.map(|colour| {
                let seen = times(eye, linear(colour)).map(|level| level.clamp(0.0, 1.0));
                times(lab, times(cones, seen).map(libm::cbrt))
            });
            for (other, index) in (0..8).flat_map(|other| (0..other).map(move |it| (other, it))) {
                let difference = |k: usize| seen[index][k] - seen[other][k];
                let distance =
                    libm::hypot(libm::hypot(difference(0), difference(1)), difference(2));
                assert!(distance >= 0.17, "{index} and {other}: {distance}");
            }
        }
    }

    #[test]
    fn numbers_below_one_have_no_zero_before_their_point() {
        let shown = ["0.50", "-0.5", "1.00", "-2", "0", "0.00", "-0.0", "10.5"].map(without_zero);
        assert_eq!(shown, [".50", "−.5", "1.00", "−2", "0", ".00", ".0", "10.5"]);
    }

    #[test]
    fn scales_take_any_number() {
        assert_eq!(sequential(f64::NAN), MISSING);
        assert_eq!(sequential(f64::INFINITY), SEQUENTIAL[8]);
        assert_eq!(diverging(-1e300), DIVERGING[0]);
        assert_eq!(diverging(0.0), DIVERGING[2]);
    }

    #[test]
    fn numbers_are_short() {
        let numbers = [0.0, 0.123_45, 1.0, -2.5, 12.345, 99_999.0, 1e300, -1e-9, f64::NAN];
        let shown = numbers.map(number);
        assert_eq!(shown, ["0", ".123", "1", "−2.5", "12.3", "99999", "1e300", "−1e−9", "?"]);
    }

    #[test]
    fn lines_are_broken_where_they_end() {
        let lines = wrap("a title of several words, Donaudampfschifffahrtsgesellschaft", LABEL, 90);
        assert!(lines.len() > 3);
        assert!(lines.iter().all(|line| text_width(line, LABEL) <= 90), "{lines:?}");
        assert_eq!(lines.concat().replace(' ', "").chars().count(), 55);
        assert!(wrap("  ", LABEL, 90).is_empty());
    }

    #[test]
    fn different_names_have_different_labels() {
        let long = |number: usize| format!("{}-in-a-sweep-{number:04}", "a-method".repeat(6));
        let sweep: Vec<String> = (1..=9).map(long).collect();
        let labels = fitted(&sweep, LABEL, 150);
        assert!(
            labels[1].starts_with("a-method") && labels[1].ends_with("sweep-0002"),
            "{labels:?}"
        );
        let twice = ["short", &*sweep[0], "short", &*sweep[0]];
        let labels = fitted(&twice, LABEL, 150);
        assert_eq!(labels[..2], labels[2..]);
        // The names differ only where letters are left out, or are what is left of another name.
        let mut state = 1u64;
        for width in [0, 10, 25, 60, 150] {
            let mut names: Vec<String> = (0..30)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let middle = format!("{:b}", state >> 58);
                    format!("{}{middle}{}", "é ".repeat(12), "-z".repeat(12))
                })
                .collect();
            names.extend(fitted(&names, LABEL, width));
            let labels = fitted(&names, LABEL, width);
            for (name, label) in names.iter().zip(&labels) {
                assert!(width < 60 || text_width(label, LABEL) <= width, "{label}");
                let same = names.iter().zip(&labels).filter(|(_, other)| *other == label);
                assert!(same.into_iter().all(|(other, _)| other == name), "{width}: {label}");
            }
        }
    }
}
