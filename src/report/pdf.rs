//! The brief as PDF, made in-process: text with embedded fonts, figures as vectors, A4 or Letter.

use krilla::geom::{PathBuilder, Point, Rect, Size, Transform};
use krilla::paint::Fill;
use krilla::surface::Surface;
use krilla::text::{Font, TextDirection};
use krilla_svg::{SurfaceExt, SvgSettings};
use resvg::usvg::{Options, Tree};

use super::blocks::Block;
use super::brief::{Brief, Page};
use super::document::Document;
use super::figure::fonts;
use super::page::{Face, Item, Layout, MARGIN, Rgb};
use crate::base::error::{Result, failed};

const INK: Rgb = (0x1c, 0x27, 0x33);
/// Where a subject has no colour of its own.
const ACCENT: Rgb = (0x0b, 0x5c, 0xad);
/// Lines of code that are printed.
const MOST_CODE: usize = 60;
const FAINT: Rgb = (0x5b, 0x68, 0x75);

/// Lays the document out and writes it.
pub fn pdf(document: &Document, brief: &Brief) -> Result<Vec<u8>> {
    // Points of 1/72 inch.
    let size = match brief.page {
        Page::A4 => (595.28, 841.89),
        Page::Letter => (612.0, 792.0),
    };
    let (plain, bold) = (Face::load(false)?, Face::load(true)?);
    let mut layout = Layout::new(size, &plain, &bold);
    layout.gap(if brief.logo_png.is_some() { 56.0 } else { 8.0 });
    layout.heading(&document.title, 22.0, 60.0);
    layout.paragraph(&document.byline, 9.0);
    layout.gap(4.0);
    let colour_of = |subject: &str| document.subjects.iter().find(|s| s.0 == subject).map_or(ACCENT, |s| rgb(&s.1));
    layout.chips(&document.subjects.iter().map(|(name, _)| (name.clone(), colour_of(name))).collect::<Vec<_>>());
    layout.headlines(&document.headlines.iter().map(|h| (h.clone(), colour_of(&h[0]))).collect::<Vec<_>>());
    for (_, title, blocks) in &document.sections {
        let below = below(&layout, blocks);
        layout.heading(title, 15.0, below);
        blocks.iter().enumerate().for_each(|(i, block)| set(&mut layout, block, &blocks[i + 1..]));
    }
    let pages = layout.pages();
    write(document, brief, size, &pages, [&plain, &bold])
}

/// What must stand on the page of a heading with it: what comes first of what it heads, through further headings.
fn below(layout: &Layout<'_>, next: &[Block]) -> f32 {
    match next {
        [Block::Heading(..), rest @ ..] => 30.0 + below(layout, rest),
        [Block::Text(_), Block::Figure(_), ..] => 30.0 + layout.figure_height(),
        [Block::Figure(_), ..] => layout.figure_height(),
        _ => 60.0,
    }
}

/// "#0b5cad" as numbers.
fn rgb(hex: &str) -> Rgb {
    let part = |at: usize| hex.get(at..at + 2).and_then(|h| u8::from_str_radix(h, 16).ok());
    match (part(1), part(3), part(5)) {
        (Some(r), Some(g), Some(b)) => (r, g, b),
        _ => ACCENT,
    }
}

fn set(layout: &mut Layout<'_>, block: &Block, next: &[Block]) {
    match block {
        Block::Heading(level, text) => {
            layout.heading(text, if *level < 3 { 12.0 } else { 10.5 }, below(layout, next));
        }
        // Nobody reads a plan of many pages on paper, and nobody repeats a run from paper.
        Block::Code(text) if text.lines().count() > MOST_CODE => {
            let lines = text.lines().count();
            layout.paragraph(&format!("{lines} lines, which the HTML and Markdown forms and the bundle hold."), 9.5);
        }
        Block::Text(text) => layout.paragraph(text, 9.5),
        Block::Item(text) => layout.item(text),
        Block::Code(text) => layout.code(text),
        Block::Table { left, head, rows } => layout.table(*left, *head, rows),
        Block::Figure(svg) => layout.figure(svg),
    }
}

fn write(
    document: &Document,
    brief: &Brief,
    size: (f32, f32),
    pages: &[Vec<Item>],
    faces: [&Face; 2],
) -> Result<Vec<u8>> {
    let broken = |what: &str| failed(format!("the PDF cannot be made: {what}"), "please report it");
    let font =
        |face: &Face| Font::new(face.data.clone().into(), face.index).ok_or_else(|| broken("a font cannot be read"));
    let drawn = [font(faces[0])?, font(faces[1])?];
    let mut file = krilla::Document::new();
    file.set_metadata(krilla::metadata::Metadata::new().title(document.title.clone()).creator("Dyno".to_string()));
    for (number, items) in pages.iter().enumerate() {
        let settings = krilla::page::PageSettings::from_wh(size.0, size.1).ok_or_else(|| broken("no page size"))?;
        let mut page = file.start_page_with(settings);
        let mut surface = page.surface();
        if let Some(png) = brief.logo_png.as_ref().filter(|_| number == 0) {
            logo(&mut surface, png, size)?;
        }
        for item in items {
            draw(&mut surface, item, &drawn)?;
        }
        let foot = format!("{} · {} of {}", document.title, number + 1, pages.len());
        let at = (MARGIN, size.1 - MARGIN / 2.0);
        draw(&mut surface, &Item::Text { at, size: 7.5, bold: false, faint: true, text: foot }, &drawn)?;
        surface.finish();
        page.finish();
    }
    file.finish().map_err(|e| broken(&format!("{e:?}")))
}

fn draw(surface: &mut Surface<'_>, item: &Item, fonts: &[Font; 2]) -> Result<()> {
    match item {
        Item::Text { at, size, bold, faint, text } => {
            let (r, g, b) = if *faint { FAINT } else { INK };
            surface.set_fill(Some(Fill { paint: krilla::color::rgb::Color::new(r, g, b).into(), ..Fill::default() }));
            let font = fonts[usize::from(*bold)].clone();
            surface.draw_text(Point::from_xy(at.0, at.1), font, *size, text, false, TextDirection::Auto);
        }
        Item::Rule { from, width, height, colour: (r, g, b) } => {
            let fill = Fill { paint: krilla::color::rgb::Color::new(*r, *g, *b).into(), ..Fill::default() };
            surface.set_fill(Some(fill));
            let mut path = PathBuilder::new();
            if let Some(rect) = Rect::from_xywh(from.0, from.1, *width, *height) {
                path.push_rect(rect);
            }
            if let Some(path) = path.finish() {
                surface.draw_path(&path);
            }
        }
        Item::Figure { at, size, svg } => {
            let options =
                Options { fontdb: fonts::database()?, font_family: fonts::FAMILY.to_string(), ..Options::default() };
            let broken = || failed("a figure is not valid SVG", "please report it");
            let tree = Tree::from_str(svg, &options).map_err(|_| broken())?;
            let size = Size::from_wh(size.0, size.1).ok_or_else(broken)?;
            surface.push_transform(&Transform::from_translate(at.0, at.1));
            let drawn = surface.draw_svg(&tree, size, SvgSettings::default());
            surface.pop();
            drawn.ok_or_else(broken)?;
        }
    }
    Ok(())
}

/// At the top right, at most 40 points high.
fn logo(surface: &mut Surface<'_>, png: &[u8], page: (f32, f32)) -> Result<()> {
    let wrong = |e: String| failed(format!("the logo cannot be read: {e}"), "save it again as PNG");
    let image = krilla::image::Image::from_png(png.to_vec().into(), true).map_err(wrong)?;
    let (w, h) = (image.size().0 as f32, image.size().1 as f32);
    let scale = (40.0 / h).min(160.0 / w);
    let size = Size::from_wh(w * scale, h * scale).ok_or_else(|| wrong("it has no size".into()))?;
    surface.push_transform(&Transform::from_translate(page.0 - MARGIN - w * scale, MARGIN));
    surface.draw_image(image, size);
    surface.pop();
    Ok(())
}
