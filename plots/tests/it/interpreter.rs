//! Renders PDF documents of this crate as a PDF reader would. Supports exactly the operators that the crate writes, and
//! panics on any other.

use std::collections::BTreeMap;

use resvg::tiny_skia::{
    FillRule, Paint, Path, PathBuilder, Pixmap, PixmapPaint, Rect, Stroke, Transform,
};

/// Renders the page of a document as an image of this width, on white.
pub(crate) fn render(document: &[u8], width: u32) -> Pixmap {
    let document = Document::read(document);
    let [_, _, wide, high] = numbers(document.dictionary(PAGE), "/MediaBox")[..] else {
        panic!("a box has four numbers")
    };
    let scale = width as f32 / wide;
    let height = (scale * high).round() as u32;
    let mut image = Pixmap::new(width, height).expect("a size above 0");
    image.fill(resvg::tiny_skia::Color::WHITE);
    let upright = Transform::from_row(scale, 0.0, 0.0, -scale, 0.0, scale * high);
    document.draw(&document.stream(CONTENT), upright, &mut image);
    image
}

/// The numbers of the objects that exist in every document.
const PAGE: u32 = 3;
const CONTENT: u32 = 4;
const FONT_FILE: u32 = 9;
const RESOURCES: u32 = 10;

/// The objects of a document by number, each with its dictionary and unpacked stream.
pub(crate) struct Document(pub(crate) BTreeMap<u32, (String, Vec<u8>)>);

/// The graphics state, which an operator can save and restore.
#[derive(Clone)]
struct State {
    place: Transform,
    fill: [f32; 3],
    stroke: [f32; 3],
    /// The opacity of fills, and of strokes.
    opacity: [f32; 2],
    pen: Stroke,
    font_size: f32,
}

/// A token of a dictionary or of a content stream.
#[derive(Debug, Clone)]
enum Word {
    Plain(String),
    Text(Vec<u8>),
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// Returns the numbers that follow a key in a dictionary, with or without brackets.
fn numbers(dictionary: &str, key: &str) -> Vec<f32> {
    let at = dictionary.find(&format!("{key} ")).unwrap_or_else(|| panic!("{key}: {dictionary}"));
    let words = dictionary[at + key.len()..].split([' ', '[', ']', '\n']);
    let words = words.filter(|word| !word.is_empty());
    words.map_while(|word| word.parse().ok()).collect()
}

impl Document {
    pub(crate) fn read(bytes: &[u8]) -> Document {
        let table =
            bytes.windows(10).rposition(|window| window == b"startxref\n").expect("a table");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let table: usize = text(&bytes[table + 10..])
            .lines()
            .next()
            .expect("its place")
            .parse()
            .expect("a number");
        let rows = text(&bytes[table..]);
        let mut objects = BTreeMap::new();
        for (number, row) in (0..).zip(rows.lines().skip(2).take_while(|row| row.len() > 10)) {
            let mut words = row.split_whitespace();
            let offset: usize = words.next().expect("an offset").parse().expect("a number");
            if words.nth(1) == Some("n") {
                let start = format!("{number} 0 obj");
                assert!(bytes[offset..].starts_with(start.as_bytes()), "{row}");
                objects.insert(number, object(&bytes[offset..]));
            }
        }
        Document(objects)
    }

    fn dictionary(&self, number: u32) -> &str {
        &self.0[&number].0
    }

    fn stream(&self, number: u32) -> Vec<u8> {
        self.0[&number].1.clone()
    }

    /// Returns the number of the object with this name.
    fn named(&self, name: &str) -> u32 {
        numbers(self.dictionary(RESOURCES), name)[0] as u32
    }

    fn draw(&self, content: &[u8], place: Transform, image: &mut Pixmap) {
        let pen = Stroke { miter_limit: 10.0, ..Stroke::default() };
        let black = [0.0; 3];
        let opacity = [1.0; 2];
        let mut state = State { place, fill: black, stroke: black, opacity, pen, font_size: 0.0 };
        let mut saved = Vec::new();
        let mut path = PathBuilder::new();
        let mut text_place = Transform::identity();
        let mut operands: Vec<Word> = Vec::new();
        for word in words(content) {
            let Word::Plain(operator) = &word else {
                operands.push(word);
                continue;
            };
            let is_operand = |c: char| c.is_ascii_digit() || "+-./".contains(c);
            if operator.starts_with(is_operand) {
                operands.push(word);
                continue;
            }
            let plain: Vec<&str> = operands
                .iter()
                .filter_map(|word| if let Word::Plain(word) = word { Some(&**word) } else { None })
                .collect();
            let n: Vec<f32> = plain.iter().filter_map(|word| word.parse().ok()).collect();
            let matrix = || Transform::from_row(n[0], n[1], n[2], n[3], n[4], n[5]);
            match operator.as_str() {
                "q" => saved.push(state.clone()),
                "Q" => state = saved.pop().expect("a state that was saved"),
                "cm" => state.place = state.place.pre_concat(matrix()),
                "rg" => state.fill = [n[0], n[1], n[2]],
                "RG" => state.stroke = [n[0], n[1], n[2]],
                "w" => state.pen.width = n[0],
                "M" => state.pen.miter_limit = n[0],
                "gs" => {
                    let dictionary = self.dictionary(self.named(plain[0]));
                    state.opacity = ["/ca", "/CA"].map(|key| numbers(dictionary, key)[0]);
                }
                "m" => path.move_to(n[0], n[1]),
                "l" => path.line_to(n[0], n[1]),
                "c" => path.cubic_to(n[0], n[1], n[2], n[3], n[4], n[5]),
                "h" => path.close(),
                "f" | "f*" | "S" => {
                    let path = std::mem::replace(&mut path, PathBuilder::new()).finish();
                    let path = path.expect("a path");
                    match operator.as_str() {
                        "f" => state.fill(&path, FillRule::Winding, image),
                        "f*" => state.fill(&path, FillRule::EvenOdd, image),
                        _ => state.outline(&path, image),
                    }
                }
                "BT" | "ET" => {}
                "Tf" => state.font_size = n[0],
                "Tm" => text_place = matrix(),
                "Tj" => {
                    let Some(Word::Text(glyphs)) = operands.first() else { panic!("no text") };
                    self.write(glyphs, text_place, &state, image);
                }
                "Do" => self.draw_group(plain[0], &state, image),
                other => panic!("the operator {other}"),
            }
            operands.clear();
        }
        assert!(saved.is_empty(), "states are saved and not restored");
    }

    /// Draws a group in isolation, and then the result with the group's opacity.
    fn draw_group(&self, name: &str, state: &State, image: &mut Pixmap) {
        let number = self.named(name);
        let dictionary = self.dictionary(number);
        assert!(dictionary.contains("/S /Transparency") && dictionary.contains("/I true"));
        let [left, top, right, bottom] = numbers(dictionary, "/BBox")[..] else {
            panic!("a box has four numbers")
        };
        let bounds = Rect::from_ltrb(left, top, right, bottom).expect("a box");
        let bounds = bounds.transform(state.place).and_then(|bounds| bounds.round_out());
        let bounds = bounds.expect("a box on the page");
        let (x, y) = (bounds.left(), bounds.top());
        let mut whole = Pixmap::new(bounds.width(), bounds.height()).expect("a size above 0");
        let place = state.place.post_translate(-x as f32, -y as f32);
        self.draw(&self.stream(number), place, &mut whole);
        let paint = PixmapPaint { opacity: state.opacity[0], ..PixmapPaint::default() };
        image.draw_pixmap(x, y, whole.as_ref(), &paint, Transform::identity(), None);
    }

    fn write(&self, glyphs: &[u8], place: Transform, state: &State, image: &mut Pixmap) {
        let font = self.stream(FONT_FILE);
        let face = ttf_parser::Face::parse(&font, 0).expect("a font");
        let size = state.font_size / f32::from(face.units_per_em());
        let [high, low] = *glyphs else { panic!("a glyph has a number of two bytes") };
        let mut outline = Outline(PathBuilder::new());
        let glyph = ttf_parser::GlyphId(u16::from_be_bytes([high, low]));
        face.outline_glyph(glyph, &mut outline);
        // A blank has no outline.
        if let Some(path) = outline.0.finish() {
            let place = state.place.pre_concat(place).pre_scale(size, size);
            State { place, ..state.clone() }.fill(&path, FillRule::Winding, image);
        }
    }
}

impl State {
    fn paint(&self, [red, green, blue]: [f32; 3], opacity: f32) -> Paint<'static> {
        let mut paint = Paint { anti_alias: true, ..Paint::default() };
        let colour = resvg::tiny_skia::Color::from_rgba(red, green, blue, opacity);
        paint.set_color(colour.expect("shares of 1"));
        paint
    }

    fn fill(&self, path: &Path, rule: FillRule, image: &mut Pixmap) {
        let paint = self.paint(self.fill, self.opacity[0]);
        image.fill_path(path, &paint, rule, self.place, None);
    }

    fn outline(&self, path: &Path, image: &mut Pixmap) {
        let paint = self.paint(self.stroke, self.opacity[1]);
        image.stroke_path(path, &paint, &self.pen, self.place, None);
    }
}

/// Returns the dictionary and the unpacked stream of an object.
fn object(bytes: &[u8]) -> (String, Vec<u8>) {
    let end = find(bytes, b"\nendobj").expect("objects end");
    let start = find(bytes, b"\nstream\n").filter(|&start| start < end);
    let dictionary = String::from_utf8_lossy(&bytes[..start.unwrap_or(end)]).into_owned();
    let Some(start) = start else { return (dictionary, Vec::new()) };
    let length = numbers(&dictionary, "/Length")[0] as usize;
    let stream = &bytes[start + b"\nstream\n".len()..][..length];
    let stream = match dictionary.contains("/FlateDecode") {
        true => miniz_oxide::inflate::decompress_to_vec_zlib(stream).expect("a packed stream"),
        false => stream.to_vec(),
    };
    (dictionary, stream)
}

/// Returns the tokens of a stream.
fn words(content: &[u8]) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = content;
    while let Some((&byte, after)) = rest.split_first() {
        match byte {
            b' ' | b'\n' => rest = after,
            b'(' => {
                let (text, after) = text(after);
                words.push(Word::Text(text));
                rest = after;
            }
            b'<' => {
                let end = find(after, b">").expect("a text ends");
                let digits = String::from_utf8_lossy(&after[..end]).into_owned();
                let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits");
                words.push(Word::Text((0..digits.len()).step_by(2).map(byte).collect()));
                rest = &after[end + 1..];
            }
            _ => {
                let is_end = |&byte: &u8| b" \n(<".contains(&byte);
                let end = rest.iter().position(is_end).unwrap_or(rest.len());
                words.push(Word::Plain(String::from_utf8_lossy(&rest[..end]).into_owned()));
                rest = &rest[end..];
            }
        }
    }
    words
}

/// Returns the bytes of a text in brackets, and the rest of the input.
fn text(mut rest: &[u8]) -> (Vec<u8>, &[u8]) {
    let (mut bytes, mut depth) = (Vec::new(), 1);
    loop {
        match rest {
            [b'\\', a @ b'0'..=b'7', b, c, after @ ..] => {
                bytes.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                rest = after;
                continue;
            }
            [b'\\', escaped, after @ ..] => {
                let known = [(b'n', 10), (b'r', 13), (b't', 9), (b'b', 8), (b'f', 12)];
                let known = known.iter().find(|(letter, _)| letter == escaped);
                bytes.push(known.map_or(*escaped, |&(_, byte)| byte));
                rest = after;
                continue;
            }
            [b')', after @ ..] if depth == 1 => return (bytes, after),
            [b'(', ..] => depth += 1,
            [b')', ..] => depth -= 1,
            [] => panic!("a text ends"),
            _ => {}
        }
        bytes.push(rest[0]);
        rest = &rest[1..];
    }
}

/// Collects the outline of a glyph as a path.
struct Outline(PathBuilder);

impl ttf_parser::OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}

/// Returns the share of pixels with a colour that differs by more than `most` of 255 levels, or 1 if the sizes differ.
pub(crate) fn difference(a: &Pixmap, b: &Pixmap, most: u8) -> f64 {
    if (a.width(), a.height()) != (b.width(), b.height()) {
        return 1.0;
    }
    let pixels = a.data().chunks(4).zip(b.data().chunks(4));
    let differs = |(a, b): &(&[u8], &[u8])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > most);
    pixels.filter(differs).count() as f64 / f64::from(a.width() * a.height())
}
