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
use super::page::{Face, Item, Layout, MARGIN};
use crate::base::error::{Result, failed};

const INK: (u8, u8, u8) = (0x1c, 0x27, 0x33);
const FAINT: (u8, u8, u8) = (0x5b, 0x68, 0x75);

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
    layout.heading(&document.title, 22.0);
    layout.paragraph(&document.byline, 9.0);
    layout.paragraph(&document.subjects.join(" · "), 11.0);
    for (_, title, blocks) in &document.sections {
        layout.heading(title, 15.0);
        blocks.iter().for_each(|block| set(&mut layout, block));
    }
    let pages = layout.pages();
    write(document, brief, size, &pages, [&plain, &bold])
}

fn set(layout: &mut Layout<'_>, block: &Block) {
    match block {
        Block::Heading(level, text) => layout.heading(text, if *level < 3 { 12.0 } else { 10.5 }),
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
        Item::Rule { from, width, height, grey } => {
            let fill = Fill { paint: krilla::color::rgb::Color::new(*grey, *grey, *grey).into(), ..Fill::default() };
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
