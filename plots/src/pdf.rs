//! A PDF document of an SVG document: its filled shapes, its lines and its text.
//!
//! Figures are made of little: rectangles, polygons, lines, circles and text, in plain colours. Text stays text: the
//! glyphs of the embedded font that are used go into the document, with the letters that they stand for.

use std::collections::BTreeMap;

use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str};
use resvg::tiny_skia::{PathSegment, Transform};
use resvg::usvg::{Fill, FillRule, Group, Node, Opacity, Paint, Path, Stroke, Text, Tree};
use subsetter::GlyphRemapper;

use crate::canvas::DEJAVU_SANS;

const CATALOG: Ref = Ref::new(1);
const PAGES: Ref = Ref::new(2);
const PAGE: Ref = Ref::new(3);
const CONTENT: Ref = Ref::new(4);
const FONT: Ref = Ref::new(5);
const GLYPHS: Ref = Ref::new(6);
const DESCRIPTOR: Ref = Ref::new(7);
const LETTERS: Ref = Ref::new(8);
const FONT_FILE: Ref = Ref::new(9);
/// The first of the strengths of colours.
const STRENGTHS: i32 = 10;

const FONT_NAME: Name<'static> = Name(b"F");
/// Six letters before the name say that these are not all glyphs.
const SUBSET_NAME: Name<'static> = Name(b"FIGURE+DejaVuSans");
/// How a glyph is numbered in the font: by itself.
const SYSTEM: SystemInfo<'static> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };
/// Widths of glyphs are in thousandths of the size of the font.
const UNITS: f32 = 1000.0;
/// From 0, the fastest, to 10, the smallest.
const COMPRESSION: u8 = 6;

/// The document of one page, `width` points wide.
pub(crate) fn document(tree: &Tree, width: f32) -> Vec<u8> {
    let (own_width, own_height) = (tree.size().width(), tree.size().height());
    let scale = width / own_width;
    let mut page = Page {
        content: Content::new(),
        glyphs: GlyphRemapper::new(),
        letters: BTreeMap::new(),
        strengths: Vec::new(),
    };
    // From the top, as in SVG, and not from the bottom.
    page.content.transform([scale, 0.0, 0.0, -scale, 0.0, scale * own_height]);
    page.group(tree.root());
    page.finish(width, scale * own_height)
}

/// A page while it is written.
struct Page {
    content: Content,
    glyphs: GlyphRemapper,
    /// What is read of each glyph, by its number in the document.
    letters: BTreeMap<u16, (u16, String)>,
    /// Strengths of colours, in 255ths.
    strengths: Vec<u8>,
}

impl Page {
    fn group(&mut self, group: &Group) {
        for node in group.children() {
            match node {
                Node::Group(inner) => self.group(inner),
                Node::Path(path) => self.path(path),
                Node::Text(text) => self.text(text),
                Node::Image(_) => unreachable!("figures hold no images"),
            }
        }
    }

    fn path(&mut self, path: &Path) {
        if !path.is_visible() {
            return;
        }
        self.content.save_state();
        self.content.transform(matrix(path.abs_transform()));
        if let Some(fill) = path.fill() {
            self.fill_colour(fill);
            self.outline(path);
            match fill.rule() {
                FillRule::NonZero => self.content.fill_nonzero(),
                FillRule::EvenOdd => self.content.fill_even_odd(),
            };
        }
        if let Some(stroke) = path.stroke() {
            self.stroke_colour(stroke);
            self.outline(path);
            self.content.stroke();
        }
        self.content.restore_state();
    }

    fn outline(&mut self, path: &Path) {
        let mut last = (0.0, 0.0);
        for segment in path.data().segments() {
            match segment {
                PathSegment::MoveTo(to) => {
                    self.content.move_to(to.x, to.y);
                    last = (to.x, to.y);
                }
                PathSegment::LineTo(to) => {
                    self.content.line_to(to.x, to.y);
                    last = (to.x, to.y);
                }
                PathSegment::QuadTo(by, to) => {
                    // The same curve with two handles, each two thirds of the way to the one.
                    let third = |from: f32, by: f32| from + (by - from) * 2.0 / 3.0;
                    let [a, b] = [last, (to.x, to.y)];
                    let (ax, ay) = (third(a.0, by.x), third(a.1, by.y));
                    let (bx, by) = (third(b.0, by.x), third(b.1, by.y));
                    self.content.cubic_to(ax, ay, bx, by, to.x, to.y);
                    last = b;
                }
                PathSegment::CubicTo(a, b, to) => {
                    self.content.cubic_to(a.x, a.y, b.x, b.y, to.x, to.y);
                    last = (to.x, to.y);
                }
                PathSegment::Close => {
                    self.content.close_path();
                }
            }
        }
    }

    fn text(&mut self, text: &Text) {
        let em = f32::from(face().units_per_em());
        for span in text.layouted().iter().filter(|span| span.visible) {
            let Some(fill) = &span.fill else { continue };
            self.content.save_state();
            self.content.transform(matrix(text.abs_transform()));
            self.fill_colour(fill);
            self.content.begin_text();
            self.content.set_font(FONT_NAME, 1.0);
            for glyph in &span.positioned_glyphs {
                let id =
                    u16::try_from(glyph.id.0).expect("the embedded font has 65,535 glyphs at most");
                let number = self.glyphs.remap(id);
                self.letters.entry(number).or_insert_with(|| (id, glyph.text.clone()));
                // The transform is that of an outline in units of the font; here the font has size 1.
                let place = glyph.outline_transform().pre_scale(em, em);
                self.content.set_text_matrix(matrix(place));
                self.content.show(Str(&number.to_be_bytes()));
            }
            self.content.end_text();
            self.content.restore_state();
        }
    }

    fn fill_colour(&mut self, fill: &Fill) {
        let [red, green, blue] = colour(fill.paint());
        self.content.set_fill_rgb(red, green, blue);
        self.strength(fill.opacity());
    }

    fn stroke_colour(&mut self, stroke: &Stroke) {
        let [red, green, blue] = colour(stroke.paint());
        self.content.set_stroke_rgb(red, green, blue);
        self.content.set_line_width(stroke.width().get());
        self.strength(stroke.opacity());
    }

    fn strength(&mut self, opacity: Opacity) {
        let strength = opacity.to_u8();
        let known = self.strengths.iter().position(|&known| known == strength);
        let index = known.unwrap_or_else(|| {
            self.strengths.push(strength);
            self.strengths.len() - 1
        });
        self.content.set_parameters(Name(strength_name(index).as_bytes()));
    }

    fn finish(self, width: f32, height: f32) -> Vec<u8> {
        let mut pdf = Pdf::new();
        pdf.catalog(CATALOG).pages(PAGES);
        pdf.pages(PAGES).kids([PAGE]).count(1);
        let reference = |index: usize| Ref::new(STRENGTHS + index as i32);
        let mut page = pdf.page(PAGE);
        page.media_box(Rect::new(0.0, 0.0, width, height)).parent(PAGES).contents(CONTENT);
        let mut resources = page.resources();
        resources.fonts().pair(FONT_NAME, FONT);
        let mut states = resources.ext_g_states();
        for index in 0..self.strengths.len() {
            states.pair(Name(strength_name(index).as_bytes()), reference(index));
        }
        states.finish();
        resources.finish();
        page.finish();
        for (index, &strength) in self.strengths.iter().enumerate() {
            let share = f32::from(strength) / 255.0;
            pdf.ext_graphics(reference(index)).non_stroking_alpha(share).stroking_alpha(share);
        }
        let content = compressed(&self.content.finish());
        pdf.stream(CONTENT, &content).filter(pdf_writer::Filter::FlateDecode);
        write_font(&mut pdf, &self.glyphs, &self.letters);
        pdf.finish()
    }
}

fn write_font(pdf: &mut Pdf, glyphs: &GlyphRemapper, letters: &BTreeMap<u16, (u16, String)>) {
    let face = face();
    let scale = UNITS / f32::from(face.units_per_em());
    pdf.type0_font(FONT)
        .base_font(SUBSET_NAME)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(GLYPHS)
        .to_unicode(LETTERS);
    let mut font = pdf.cid_font(GLYPHS);
    font.subtype(CidFontType::Type2)
        .base_font(SUBSET_NAME)
        .system_info(SYSTEM)
        .font_descriptor(DESCRIPTOR)
        .default_width(0.0)
        .cid_to_gid_map_predefined(Name(b"Identity"));
    let advance = |glyph: u16| face.glyph_hor_advance(ttf_parser::GlyphId(glyph)).unwrap_or(0);
    let mut widths = font.widths();
    for (&number, &(glyph, _)) in letters {
        widths.consecutive(number, [f32::from(advance(glyph)) * scale]);
    }
    widths.finish();
    font.finish();
    let bounds = face.global_bounding_box();
    let corner = |value: i16| f32::from(value) * scale;
    let bounds = [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(corner);
    pdf.font_descriptor(DESCRIPTOR)
        .name(SUBSET_NAME)
        .flags(FontFlags::NON_SYMBOLIC)
        .bbox(Rect::new(bounds[0], bounds[1], bounds[2], bounds[3]))
        .italic_angle(0.0)
        .ascent(corner(face.ascender()))
        .descent(corner(face.descender()))
        .cap_height(corner(face.capital_height().unwrap_or(face.ascender())))
        .stem_v(STEM)
        .font_file2(FONT_FILE);
    let mut map = UnicodeCmap::new(Name(b"Letters"), SYSTEM);
    for (&number, (_, letters)) in letters.iter().filter(|(_, (_, letters))| !letters.is_empty()) {
        map.pair_with_multiple(number, letters.chars());
    }
    pdf.cmap(LETTERS, &map.finish());
    let font = subsetter::subset(DEJAVU_SANS, 0, glyphs).expect("the embedded font is a font");
    let file = compressed(&font);
    pdf.stream(FONT_FILE, &file)
        .filter(pdf_writer::Filter::FlateDecode)
        .pair(Name(b"Length1"), font.len() as i32);
}

/// The width of vertical strokes, a guess that readers use only where the font is missing.
const STEM: f32 = 80.0;

fn face() -> ttf_parser::Face<'static> {
    ttf_parser::Face::parse(DEJAVU_SANS, 0).expect("the embedded font is a font")
}

fn strength_name(index: usize) -> String {
    format!("S{index}")
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec_zlib(bytes, COMPRESSION)
}

fn matrix(transform: Transform) -> [f32; 6] {
    let Transform { sx, kx, ky, sy, tx, ty } = transform;
    [sx, ky, kx, sy, tx, ty]
}

/// Red, green and blue, from 0 to 1.
fn colour(paint: &Paint) -> [f32; 3] {
    let Paint::Color(colour) = paint else { unreachable!("figures have plain colours") };
    [colour.red, colour.green, colour.blue].map(|level| f32::from(level) / 255.0)
}
