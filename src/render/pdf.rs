//! The brief as PDF, made in-process: text with embedded fonts, figures as vectors, A4 or Letter.

use krilla::geom::{PathBuilder, Point, Rect, Size, Transform};
use krilla::paint::Fill;
use krilla::surface::Surface;
use krilla::text::{Font, TextDirection};
use krilla_svg::{SurfaceExt, SvgSettings};
use resvg::usvg::{Options, Tree};

use super::layout::{Face, Item, Layout, MARGIN, Rgb};
use crate::base::error::{Result, failed};
use crate::brief::block::{Block, Role, words};
use crate::brief::{Document, Page};
use crate::chart::{Palette, fonts};

const INK: Rgb = (0x1c, 0x27, 0x33);
/// Where a subject has no colour of its own.
const ACCENT: Rgb = (0x0b, 0x5c, 0xad);
/// Lines of code that are printed.
const MOST_CODE: usize = 60;
const FAINT: Rgb = (0x5b, 0x68, 0x75);

/// Lays the document out and writes it.
pub fn pdf(document: &Document) -> Result<Vec<u8>> {
    // Points of 1/72 inch.
    let size = match document.page {
        Page::A4 => (595.28, 841.89),
        Page::Letter => (612.0, 792.0),
    };
    let (plain, bold) = (Face::load(false)?, Face::load(true)?);
    let mut layout = Layout::new(size, &plain, &bold);
    layout.gap(if document.logo_png.is_some() { 56.0 } else { 8.0 });
    layout.heading(&document.title, 22.0, 60.0);
    layout.paragraph(&document.byline, 9.0);
    layout.gap(4.0);
    let colour_of = |subject: usize| rgb(document.palette.of(subject));
    let chips = document.subjects.iter().enumerate().map(|(i, name)| (name.clone(), colour_of(i)));
    layout.chips(&chips.collect::<Vec<_>>());
    for (i, block) in document.cover.iter().enumerate() {
        set(&mut layout, block, &document.cover[i + 1..], &document.palette);
    }
    for part in &document.parts {
        let below = below(&layout, &part.blocks);
        layout.heading(&part.title, 15.0, below);
        for (i, block) in part.blocks.iter().enumerate() {
            set(&mut layout, block, &part.blocks[i + 1..], &document.palette);
        }
    }
    let pages = layout.pages();
    write(document, size, &pages, [&plain, &bold])
}

/// What must stand on the page of a heading with it: what comes first of what it heads, through further headings.
fn below(layout: &Layout<'_>, next: &[Block]) -> f32 {
    match next {
        [Block::Heading(_), rest @ ..] => 30.0 + below(layout, rest),
        [Block::Text(..), Block::Figures(_), ..] => 30.0 + layout.figure_height(),
        [Block::Figures(_), ..] => layout.figure_height(),
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

fn set(layout: &mut Layout<'_>, block: &Block, next: &[Block], palette: &Palette) {
    match block {
        Block::Heading(heading) => {
            let size = if heading.level == 1 { 12.0 } else { 10.5 };
            layout.heading(&heading.text, size, below(layout, next));
        }
        Block::Text(Role::Lead, line) => layout.paragraph(&words(line), 13.0),
        Block::Text(_, line) => layout.paragraph(&words(line), 9.5),
        Block::List(items) => items.iter().for_each(|item| layout.item(&words(item))),
        Block::Terms(terms) => terms.iter().for_each(|(term, text)| layout.item(&format!("{term}: {text}"))),
        Block::Pairs(title, pairs) => {
            layout.heading(title, 12.0, 60.0);
            let rows: Vec<Vec<String>> = pairs.iter().map(|(name, value)| vec![name.clone(), value.clone()]).collect();
            layout.table(2, false, &rows);
        }
        Block::Table(table) => {
            let rows: Vec<Vec<String>> =
                std::iter::once(&table.head).chain(table.rows.iter().map(|(_, row)| row)).cloned().collect();
            layout.table(table.left, true, &rows);
        }
        Block::Figures(figures) => figures.iter().for_each(|figure| layout.figure(&figure.svg(palette))),
        // Nobody reads a plan of many pages on paper, and nobody repeats a run from paper.
        Block::Code(title, text) if text.lines().count() > MOST_CODE => {
            let lines = text.lines().count();
            let text = format!("{title}: {lines} lines, which the HTML and Markdown forms and the bundle hold.");
            layout.paragraph(&text, 9.5);
        }
        Block::Code(title, text) => {
            layout.paragraph(title, 9.5);
            layout.code(text);
        }
    }
}

fn write(document: &Document, size: (f32, f32), pages: &[Vec<Item>], faces: [&Face; 2]) -> Result<Vec<u8>> {
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
        if let Some(png) = document.logo_png.as_ref().filter(|_| number == 0) {
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
