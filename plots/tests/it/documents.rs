//! Properties that SVG, PNG and PDF documents share: every kind of figure looks the same, its letters are legible in a
//! column of text, and the title and the caption can be left out.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg;
use ruse_plots::*;

use crate::figures::{bars as bar_chart, lines, list, map, picture, triangle};
use crate::interpreter::{Document, difference, render};
use crate::measurements::{
    amounts, attribute, bars, costs, curves, forest, method, race, ranks, rates, shares, table,
    texts, times,
};

type Kind = (&'static str, Box<dyn Figure>);

fn kind<T: Drawable + 'static>(name: &'static str, data: T) -> Kind {
    (name, Box::new(Checked::new(data).expect("good data")))
}

/// Returns figures of every kind, for some kinds one with few parts and one with many.
fn kinds() -> Vec<Kind> {
    let runs: [&[f64]; 2] = [&[0.45, 0.55, 0.62, 0.66], &[0.48, 0.5, 0.6, 0.64]];
    let several = vec![method("cma-es", &runs), method("approximate-coevolution", &runs[..1])];
    let all_panels = LearningCurves { has_all_panels: true, ..curves(several.clone()) };
    let many = (0..9).map(|k| method(&format!("real-coevolution-{k}"), &runs));
    let mut kinds = vec![
        kind("LearningCurves", curves(vec![method("seeds", &runs)])),
        kind("LearningCurves", all_panels),
        kind("LearningCurves", curves(many.collect())),
        kind("HeadToHead", table(3, "method")),
        kind("HeadToHead", table(9, "real-coevolution")),
        kind("HeadToHead", table(20, "method")),
        kind("ScoreDots", bars(1, 4, "method")),
        kind("ScoreDots", bars(3, 4, "method")),
        kind("ScoreDots", bars(16, 9, "real-coevolution")),
        kind("RateCurves", rates(11, 3, 2)),
        kind("RateCurves", rates(40, 12, 6)),
        kind("RateCurves", amounts(6, 3, 40.0)),
        kind("RateCurves", times(9)),
        kind("RateCurves", shares()),
        kind("RaceTrace", race(16)),
        kind("CriticalDifference", ranks(7, "method")),
        kind("DecisionCosts", costs(&[0.5, 0.52, 0.56, 0.6])),
        kind("Forest", forest(6)),
    ];
    let charts = [
        Chart::HeatMap(map()),
        Chart::Bars(bar_chart()),
        Chart::Lines(lines()),
        Chart::Triangle(triangle()),
        Chart::List(list()),
    ];
    for chart in charts {
        kinds.push(("Picture", Box::new(picture("A picture", chart))));
    }
    let ticks = |name| Axis::new(name, 0..10);
    let board = HeatMap {
        rows: ticks("rows"),
        columns: ticks("columns"),
        values: (0..100).map(|cell| Some(f64::from(cell))).collect(),
        texts: (0..100).map(|cell| cell.to_string()).collect(),
        scale: Scale::Sequential { low: 0.0, high: 99.0 },
        ..map()
    };
    let boards = (0..8)
        .map(|index| Panel::new(format!("Board {index}"), Chart::HeatMap(board.clone())).half());
    let (title, caption) = ("Many boards".into(), "seed 1".into());
    let boards = Picture { title, caption, ..Picture::of(boards) };
    kinds.push(("Picture", Box::new(boards)));
    kinds
}

/// Returns the first figure of each kind.
fn one_of_each() -> Vec<Kind> {
    let mut kinds = kinds();
    kinds.dedup_by_key(|(name, _)| *name);
    kinds
}

/// Every type that implements `Drawable` or `Figure` is among the [`kinds`].
#[test]
fn every_kind_is_among_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let kinds = kinds();
    let mut num_found = 0;
    for file in std::fs::read_dir(source).expect("a directory") {
        let path = file.expect("a file").path();
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        for line in text.lines() {
            let of = ["impl Drawable for ", "impl Figure for "].map(|of| line.strip_prefix(of));
            let Some(name) = of.into_iter().flatten().next() else { continue };
            let name = name.trim_end_matches([' ', '{']);
            assert!(kinds.iter().any(|(kind, _)| *kind == name), "{name} is not among the kinds");
            num_found += 1;
        }
    }
    assert!(num_found > 8, "{num_found}");
}

fn image_of_svg(document: &str, width: u32) -> Pixmap {
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_font_data(include_bytes!("../../fonts/DejaVuSans.ttf").to_vec());
    let options = usvg::Options { fontdb: Arc::new(fonts), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(document, &options).expect("an SVG document");
    let scale = width as f32 / tree.size().width();
    let height = (scale * tree.size().height()).round() as u32;
    let mut image = Pixmap::new(width, height).expect("a size above 0");
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut image.as_mut());
    image
}

fn image_of_png(document: &[u8]) -> Pixmap {
    Pixmap::decode_png(document).expect("a PNG image")
}

/// The largest difference allowed in a colour channel, in levels from 0 to 255. Slightly smoother edges differ by less; different
/// bands, dots or letters differ by more.
const LEVELS: u8 = 40;
const SHARE: f64 = 2e-4;

tests! {
    fn every_kind_looks_the_same_in_all_formats() = look_the_same_in_all_formats(one_of_each());
    fn title_and_caption_can_be_left_out() = check_without_words(one_of_each());
    @long
    fn all_figures_look_the_same_in_all_formats() = look_the_same_in_all_formats(kinds());
    fn title_and_caption_of_all_figures_can_be_left_out() = check_without_words(kinds());
}

fn look_the_same_in_all_formats(kinds: Vec<Kind>) {
    for (index, (name, figure)) in kinds.into_iter().enumerate() {
        let figure = &*figure;
        let sheet = Sheet::default();
        let png = image_of_png(&png(figure, sheet));
        let svg = image_of_svg(&svg(figure, sheet), png.width());
        assert_eq!(difference(&svg, &png, 0), 0.0, "{name} {index}: SVG and PNG");
        let pdf = render(&pdf(figure, sheet), png.width());
        let found = difference(&pdf, &png, LEVELS);
        assert!(found < SHARE, "{name} {index}: PDF and PNG differ in {found} of the pixels");
    }
}

/// Returns the mean colours of squares of 16 x 16 pixels: another program places lines and letters slightly
/// differently.
fn squares(image: &Pixmap) -> Vec<[f64; 3]> {
    const SIDE: usize = 16;
    let (wide, high) = (image.width() as usize, image.height() as usize);
    let mean = |column: usize, row: usize| {
        [0, 1, 2].map(|colour| {
            let places = (0..SIDE * SIDE).map(|k| (row + k / SIDE) * wide + column + k % SIDE);
            places.map(|at| f64::from(image.data()[4 * at + colour])).sum::<f64>() / 256.0
        })
    };
    let rows = (0..high / SIDE * SIDE).step_by(SIDE);
    let columns = (0..wide / SIDE * SIDE).step_by(SIDE);
    rows.flat_map(|row| columns.clone().map(move |column| mean(column, row))).collect()
}

/// Compares PDF and PNG, with the PDF rendered by poppler, on which many PDF readers are based.
#[test]
fn poppler_shows_the_same() {
    if Command::new("pdftoppm").arg("-v").output().is_err() {
        eprintln!(
            "pdftoppm (poppler-utils) is not installed: PDF documents are not compared with it"
        );
        return;
    }
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = |extension: &str| directory.join(format!("figure{extension}"));
    for (index, (name, figure)) in kinds().into_iter().enumerate() {
        let sheet = Sheet::default();
        let png = image_of_png(&png(&*figure, sheet));
        std::fs::write(file(".pdf"), pdf(&*figure, sheet)).expect("writable");
        let mut program = Command::new("pdftoppm");
        let size = [png.width(), png.height()].map(|length| length.to_string());
        program.args(["-singlefile", "-png", "-scale-to-x", &size[0], "-scale-to-y", &size[1]]);
        let status = program.arg(file(".pdf")).arg(file("")).status().expect("it runs");
        assert!(status.success(), "{name} {index}");
        let shown = image_of_png(&std::fs::read(file(".png")).expect("an image"));
        let both = squares(&shown).into_iter().zip(squares(&png));
        let far = both.flat_map(|(a, b)| [0, 1, 2].map(|colour| (a[colour] - b[colour]).abs()));
        let far = far.fold(0.0, f64::max);
        assert!(far < 16.0, "{name} {index}: a square differs by {far} of 255");
    }
}

fn of_width(width: OutputWidth) -> Sheet {
    Sheet { width: Some(width), ..Sheet::default() }
}

#[test]
fn letters_can_be_read_in_a_column() {
    const COLUMN: f64 = 85.0;
    let points = COLUMN / 25.4 * 72.0;
    for (index, (name, figure)) in kinds().into_iter().enumerate() {
        let sheet = of_width(OutputWidth::Millimetres(COLUMN));
        let document = svg(&*figure, sheet);
        let (width, height) = figure.size(sheet);
        let size = |(of, _): (&str, &str)| attribute(of, "font-size") * points / f64::from(width);
        let smallest = texts(&document).map(size).fold(f64::INFINITY, f64::min);
        assert!(smallest >= 6.0, "{name} {index}: letters of {smallest} points");
        for (of, text) in texts(&document) {
            let (x, y) = (attribute(of, "x"), attribute(of, "y"));
            let is_within = x <= f64::from(width) && y <= f64::from(height) && x >= 0.0 && y >= 0.0;
            assert!(is_within, "{name} {index}: {text} at {x}, {y} of {width} x {height}");
        }
    }
}

#[test]
fn names_beside_lines_fit_a_column() {
    let runs: [&[f64]; 2] = [&[0.45, 0.55], &[0.48, 0.5]];
    let names = ["approximate-coevolution", "real-coevolution"];
    let data = curves(names.map(|name| method(name, &runs)).into());
    let figure = Checked::new(data).expect("good data");
    let column = of_width(OutputWidth::Millimetres(85.0));
    let [wide, narrow] = [Sheet::default(), column].map(|sheet| figure.size(sheet));
    assert!(narrow.0 < wide.0, "{narrow:?} {wide:?}");
    // The page is two columns wide, with the space between them.
    let page = of_width(OutputWidth::Millimetres(175.0));
    assert_eq!(figure.size(page), wide);
}

fn check_without_words(kinds: Vec<Kind>) {
    let bare = Sheet { has_words: false, ..Sheet::default() };
    for (index, (name, figure)) in kinds.into_iter().enumerate() {
        let [with, without] = [Sheet::default(), bare].map(|sheet| svg(&*figure, sheet));
        let [with, without] = [&with, &without]
            .map(|document| texts(document).map(|(_, text)| text).collect::<Vec<_>>());
        // The document starts with the words of the title and the caption.
        let num_words = with.len() - without.len();
        assert!(num_words >= 2 && with.ends_with(&without), "{name} {index}: {without:?}");
        let saved = figure.size(Sheet::default()).1 - figure.size(bare).1;
        // A line is at least 14 pixels high.
        assert!(saved >= 14 * num_words as u32, "{name} {index}: {saved} for {num_words} lines");
        let image = image_of_png(&png(&*figure, bare));
        let (width, height) = figure.size(bare);
        assert_eq!((image.width(), image.height()), (2 * width, 2 * height));
        // A pixel is three quarters of a point.
        let high = 0.75 * f64::from(height);
        let document = plain_parts(&pdf(&*figure, bare));
        assert!(document.contains(&format!(" {high}]")), "{name} {index}");
    }
}

/// Returns the uncompressed parts of a document as text.
fn plain_parts(document: &[u8]) -> String {
    String::from_utf8_lossy(document).into_owned()
}

#[test]
fn a_pdf_document_has_its_text_as_text() {
    let figure = Checked::new(table(2, "Q")).expect("good data");
    let document = pdf(&figure, Sheet::default());
    assert!(document.starts_with(b"%PDF-1.") && document.ends_with(b"%%EOF"));
    let (plain, read) = (plain_parts(&document), Document::read(&document));
    let streams: Vec<_> = read.0.values().map(|(_, stream)| stream.as_slice()).collect();
    // 96 CSS pixels are as long as 72 points.
    let (width, height) = figure.size(Sheet::default());
    let height = 0.75 * f64::from(height);
    assert_eq!(width, 388);
    assert!(plain.contains(&format!("/MediaBox [0 0 291 {height}]")), "{plain}");
    assert!(plain.contains("/FontFile2") && plain.contains("/ToUnicode"));
    // The map assigns letters to glyphs, such as the names and a title with a colon.
    let map = streams.iter().map(|stream| String::from_utf8_lossy(stream).into_owned());
    let map = map.into_iter().find(|stream| stream.contains("beginbfchar")).expect("a map");
    for letter in ['Q', '-', '0', '1', ':'] {
        let code = format!("<{:04X}>", u32::from(letter));
        assert!(map.to_uppercase().contains(&code), "{letter}: {map}");
    }
    assert!(!map.to_uppercase().contains("<005A>"), "there is no Z in it: {map}");
    // Glyphs are shown one by one, including blanks.
    let drawn = streams.iter().find(|stream| stream.windows(2).any(|two| two == b"BT"));
    let drawn = String::from_utf8_lossy(drawn.expect("text is drawn")).into_owned();
    let num_glyphs = drawn.matches("Tj").count();
    let letters = svg(&figure, Sheet::default());
    let letters = texts(&letters).map(|(_, text)| text.chars().count());
    assert_eq!(num_glyphs, letters.sum::<usize>());
    assert_eq!(document, pdf(&figure, Sheet::default()));
}

#[test]
fn figures_can_have_another_width() {
    let figure = Checked::new(table(2, "Q")).expect("good data");
    let (width, height) = figure.size(Sheet::default());
    let ratio = f64::from(height) / f64::from(width);
    let document = svg(&figure, of_width(OutputWidth::Millimetres(85.0)));
    let start = format!(
        "<svg width=\"85mm\" height=\"{:.3}mm\" viewBox=\"0 0 {width} {height}\"",
        85.0 * ratio
    );
    assert!(document.starts_with(&start), "{}", &document[..200]);
    // The words that screen readers find.
    let [title, caption] = ["title", "desc"].map(|name| format!("</{name}>"));
    assert!(document.contains(&title) && document.contains(&caption), "{document}");
    let pixels = |image: &[u8]| u32::from_be_bytes(image[16..20].try_into().expect("four bytes"));
    assert_eq!(pixels(&png(&figure, of_width(OutputWidth::Pixels(1000.0)))), 1000);
    // 300 pixels per inch of 25.4 mm.
    assert_eq!(pixels(&png(&figure, of_width(OutputWidth::Millimetres(127.0)))), 1500);
    let document = pdf(&figure, of_width(OutputWidth::Millimetres(127.0)));
    // Five inches are 360 points, with 72 points per inch.
    assert!(plain_parts(&document).contains("/MediaBox [0 0 360 "));
}
