//! Converts an SVG document to a PDF document: filled shapes, lines and text.
//!
//! Figures consist of few kinds of elements: rectangles, polygons, lines, circles and text, in plain colours. Text
//! remains text: the document includes the used glyphs of the embedded font, with their letters. An element that is
//! transparent as a whole becomes a transparency group (ISO 32000-1, 11.6.6): its parts hide each other as if they were
//! opaque, and only the whole is transparent.

use std::collections::BTreeMap;

use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::writers::{Group as GroupAttributes, Resources};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str};
use resvg::tiny_skia::{PathSegment, Transform};
use resvg::usvg::{
    BlendMode, Fill, FillRule, Group, Node, Opacity, Paint, Path, Stroke, Text, Tree,
};
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
const RESOURCES: Ref = Ref::new(10);
/// The object number of the first opacity. The transparency groups follow the opacities.
const OPACITIES: i32 = 11;

const FONT_NAME: Name<'static> = Name(b"F");
/// The name of the font. The six letters before the sign `+` mark a subset of the glyphs.
const SUBSET_NAME: Name<'static> = Name(b"FIGURE+DejaVuSans");
/// The character collection of the font, with the glyph numbers of the font itself.
const SYSTEM: SystemInfo<'static> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };
/// The font size, in the units of glyph widths.
const UNITS: f32 = 1000.0;
/// The compression level, from 0 (fastest) to 10 (smallest).
const COMPRESSION: u8 = 6;

/// Writes a document of one page, `width` points wide.
pub(crate) fn document(tree: &Tree, width: f32) -> Vec<u8> {
    let (own_width, own_height) = (tree.size().width(), tree.size().height());
    let scale = width / own_width;
    let mut page = Page {
        content: Content::new(),
        glyphs: GlyphRemapper::new(),
        letters: BTreeMap::new(),
        opacities: Vec::new(),
        groups: Vec::new(),
    };
    // The origin is at the top, as in SVG, not at the bottom.
    page.content.transform([scale, 0.0, 0.0, -scale, 0.0, scale * own_height]);
    page.group(tree.root());
    page.finish(width, scale * own_height)
}

struct Page {
    content: Content,
    glyphs: GlyphRemapper,
    /// For each glyph number in the document: the glyph's number in the font, and its text.
    letters: BTreeMap<u16, (u16, String)>,
    opacities: Vec<Opacity>,
    /// The transparency groups, with their bounds.
    groups: Vec<(Rect, Vec<u8>)>,
}

impl Page {
    fn group(&mut self, group: &Group) {
        let is_plain = group.clip_path().is_none()
            && group.mask().is_none()
            && group.filters().is_empty()
            && group.blend_mode() == BlendMode::Normal;
        assert!(is_plain, "figures have no clip paths, masks, filters and blend modes");
        if group.opacity() == Opacity::ONE {
            return self.nodes(group);
        }
        let around = std::mem::replace(&mut self.content, Content::new());
        self.nodes(group);
        let whole = std::mem::replace(&mut self.content, around).finish().to_vec();
        let bounds = group.abs_layer_bounding_box();
        // A box without a margin would cut the antialiased edges of the shapes.
        let [left, top] = [bounds.left(), bounds.top()].map(|edge| edge - 1.0);
        let [right, bottom] = [bounds.right(), bounds.bottom()].map(|edge| edge + 1.0);
        self.groups.push((Rect::new(left, top, right, bottom), whole));
        self.content.save_state();
        self.opacity(group.opacity());
        self.content.x_object(Name(group_name(self.groups.len() - 1).as_bytes()));
        self.content.restore_state();
    }

    fn nodes(&mut self, group: &Group) {
        for node in group.children() {
            match node {
                Node::Group(inner) => self.group(inner),
                Node::Path(path) => self.path(path),
                Node::Text(text) => self.text(text),
                Node::Image(_) => unreachable!("figures contain no images"),
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
                    // Each handle of the equivalent cubic curve is two thirds of the way from an end to the quadratic
                    // handle.
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
                // The transform is for an outline in units of the font, but here the font has size 1.
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
        self.opacity(fill.opacity());
    }

    fn stroke_colour(&mut self, stroke: &Stroke) {
        let [red, green, blue] = colour(stroke.paint());
        self.content.set_stroke_rgb(red, green, blue);
        self.content.set_line_width(stroke.width().get());
        // The default limit is 4 in SVG and 10 in PDF.
        self.content.set_miter_limit(stroke.miterlimit().get());
        self.opacity(stroke.opacity());
    }

    fn opacity(&mut self, opacity: Opacity) {
        let known = self.opacities.iter().position(|&known| known == opacity);
        let index = known.unwrap_or_else(|| {
            self.opacities.push(opacity);
            self.opacities.len() - 1
        });
        self.content.set_parameters(Name(opacity_name(index).as_bytes()));
    }

    fn finish(self, width: f32, height: f32) -> Vec<u8> {
        let mut pdf = Pdf::new();
        pdf.catalog(CATALOG).pages(PAGES);
        pdf.pages(PAGES).kids([PAGE]).count(1);
        let of_opacity = |index: usize| Ref::new(OPACITIES + index as i32);
        let of_group = |index: usize| of_opacity(self.opacities.len() + index);
        let mut page = pdf.page(PAGE);
        page.media_box(Rect::new(0.0, 0.0, width, height)).parent(PAGES).contents(CONTENT);
        page.pair(Name(b"Resources"), RESOURCES);
        write_attributes(page.group());
        page.finish();
        // Groups contain groups and text; all share the same resources.
        let mut resources = pdf.indirect(RESOURCES).start::<Resources<'_>>();
        resources.fonts().pair(FONT_NAME, FONT);
        let mut states = resources.ext_g_states();
        for index in 0..self.opacities.len() {
            states.pair(Name(opacity_name(index).as_bytes()), of_opacity(index));
        }
        states.finish();
        let mut groups = resources.x_objects();
        for index in 0..self.groups.len() {
            groups.pair(Name(group_name(index).as_bytes()), of_group(index));
        }
        groups.finish();
        resources.finish();
        for (index, opacity) in self.opacities.iter().enumerate() {
            let share = opacity.get();
            pdf.ext_graphics(of_opacity(index)).non_stroking_alpha(share).stroking_alpha(share);
        }
        for (index, (bounds, content)) in self.groups.iter().enumerate() {
            let content = compressed(content);
            let mut group = pdf.form_xobject(of_group(index), &content);
            group.filter(Filter::FlateDecode);
            group.bbox(*bounds).pair(Name(b"Resources"), RESOURCES);
            write_attributes(group.group());
        }
        pdf.stream(CONTENT, &compressed(&self.content.finish())).filter(Filter::FlateDecode);
        write_font(&mut pdf, &self.glyphs, &self.letters);
        pdf.finish()
    }
}

/// Writes the attributes of a transparency group. As in SVG, groups are isolated, and their colours are mixed in RGB.
fn write_attributes(mut group: GroupAttributes<'_>) {
    group.transparency().isolated(true).color_space().device_rgb();
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
    pdf.stream(FONT_FILE, &compressed(&font))
        .filter(Filter::FlateDecode)
        .pair(Name(b"Length1"), font.len() as i32);
}

/// The width of vertical strokes: a guess, used by PDF readers only if the font is missing.
const STEM: f32 = 80.0;

fn face() -> ttf_parser::Face<'static> {
    ttf_parser::Face::parse(DEJAVU_SANS, 0).expect("the embedded font is a font")
}

fn opacity_name(index: usize) -> String {
    format!("O{index}")
}

fn group_name(index: usize) -> String {
    format!("G{index}")
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec_zlib(bytes, COMPRESSION)
}

fn matrix(transform: Transform) -> [f32; 6] {
    let Transform { sx, kx, ky, sy, tx, ty } = transform;
    [sx, ky, kx, sy, tx, ty]
}

/// Returns the red, green and blue levels of a plain colour, from 0 to 1.
fn colour(paint: &Paint) -> [f32; 3] {
    let Paint::Color(colour) = paint else { unreachable!("figures have plain colours") };
    [colour.red, colour.green, colour.blue].map(|level| f32::from(level) / 255.0)
}

#[cfg(test)]
#[path = "../tests/it/interpreter.rs"]
mod interpreter;

#[cfg(test)]
mod tests {
    use resvg::tiny_skia::{Pixmap, Transform};
    use resvg::usvg::Options;

    use super::*;

    /// Returns two images of an SVG document of 40 x 20 pixels with these shapes: converted to PDF and rendered by the
    /// tests' interpreter, and rendered by resvg.
    fn drawn(shapes: &str) -> [Pixmap; 2] {
        let svg = format!(
            r#"<svg width="40" height="20" xmlns="http://www.w3.org/2000/svg">{shapes}</svg>"#
        );
        let tree = Tree::from_str(&svg, &Options::default()).expect("a document");
        let mut image = Pixmap::new(160, 80).expect("a size");
        image.fill(resvg::tiny_skia::Color::WHITE);
        resvg::render(&tree, Transform::from_scale(4.0, 4.0), &mut image.as_mut());
        [interpreter::render(&document(&tree, 30.0), 160), image]
    }

    fn colour_at(image: &Pixmap, x: u32, y: u32) -> [u8; 3] {
        let pixel = image.pixel(x, y).expect("within the image");
        [pixel.red(), pixel.green(), pixel.blue()]
    }

    /// The visible colours are half red and half blue on white. Where the shapes overlap, only the upper, blue shape is
    /// visible, without purple. The expected colours were calculated by hand.
    #[test]
    fn shapes_of_a_transparent_group_cover_each_other() {
        let both = r##"<rect width="20" height="20" fill="#f00"/><rect x="10" width="20" height="20" fill="#00f"/>"##;
        let [found, expected] = drawn(&format!(r#"<g opacity="0.5">{both}</g>"#));
        let colours = [20, 60, 100, 140].map(|x| colour_at(&found, x, 40));
        let half = |level: u8| level.abs_diff(128) <= 1;
        assert!(colours[0][0] == 255 && colours[0][1..].iter().copied().all(half), "{colours:?}");
        assert!(colours[1][2] == 255 && colours[1][..2].iter().copied().all(half), "{colours:?}");
        assert_eq!((colours[1], colours[3]), (colours[2], [255; 3]));
        assert_eq!(interpreter::difference(&found, &expected, 2), 0.0);
        // Shapes that are transparent by themselves mix their colours.
        let each = both.replace("<rect", r#"<rect opacity="0.5""#);
        let [found, expected] = drawn(&each);
        assert_eq!(interpreter::difference(&found, &expected, 2), 0.0);
        let [red, green, blue] = colour_at(&found, 60, 40);
        assert!(red.abs_diff(128) <= 1 && green.abs_diff(64) <= 1 && blue.abs_diff(191) <= 1);
    }

    #[test]
    fn opacities_of_groups_fills_and_strokes_multiply() {
        let inner = r##"<path d="M 5 15 L 20 2 L 35 15 Z" fill="#0a0" fill-opacity="0.6" stroke="#000" stroke-width="4" stroke-opacity="0.3"/>"##;
        let dot = r##"<circle cx="20" cy="10" r="7" fill="#d50"/>"##;
        for shapes in [
            inner.to_string(),
            format!(r#"<g opacity="0.4">{inner}{dot}</g>"#),
            format!(
                r#"<g opacity="0.8">{dot}<g opacity="0.5" transform="translate(3 1)">{inner}{dot}</g>{inner}</g>"#
            ),
        ] {
            let [found, expected] = drawn(&shapes);
            assert_eq!(interpreter::difference(&found, &expected, 3), 0.0, "{shapes}");
        }
    }

    /// The corner has an angle of 18.9 degrees, so its tip would be 1 / sin(9.46 degrees) = 6.1 times as long as the
    /// line is wide. In SVG the tip is cut, because the limit is 4.
    #[test]
    fn sharp_corners_are_cut() {
        let [found, expected] = drawn(
            r##"<path d="M 2 7 L 20 10 L 2 13" fill="none" stroke="#000" stroke-width="3"/>"##,
        );
        assert_eq!(interpreter::difference(&found, &expected, 3), 0.0);
    }
}
