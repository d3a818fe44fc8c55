//! The brief as PDF, made in-process: tagged (PDF/UA-1), text with embedded fonts, figures as
//! vectors, A4 or Letter.

use krilla::configure::{Accessibility, ConfigurationBuilder};
use krilla::destination::XyzDestination;
use krilla::geom::Point;
use krilla::outline::{Outline, OutlineNode};
use krilla::tagging::{Artifact, ArtifactType, ContentTag, Tag};

use crate::brief::block::{Block, Role, words};
use crate::brief::{Brief, BriefSection, PaperSize};
use crate::chart::canvas::fonts::{self, Face};
use crate::render::html::table_caption;
use crate::render::paper::layout::{LineStyle, MARGIN, PLAIN, PageLayout, SMALL, width};
use crate::render::paper::pages::{MOST_EMPTY, Paginator, paginate};
use crate::render::paper::pen::{Pen, broken, logo};
use crate::render::paper::piece::{Item, Piece};
use crate::say;
use dyno_core::base::error::Result;

/// The first sentence of a brief.
const FIRST: LineStyle = LineStyle { size: 14.0, face: Face::Bold, ..PLAIN };
/// Lines of code that are printed.
const MOST_CODE: usize = 60;
/// The number of rows printed of an appendix's tables: more are not useful on paper.
const MOST_ROWS: usize = 200;
/// The width of figures next to text, and the maximum length of a text next to two of them.
const BESIDE_TEXT: f32 = 168.0;
const MOST_BESIDE: usize = 450;
/// The bottom of a page's text, above its number.
const FOOT: f32 = 30.0;

/// Lays out and writes the document.
pub fn pdf(document: &Brief) -> Result<Vec<u8>> {
    let (layout, pages, size) = set_out(document);
    // A started page cannot be abandoned.
    for (item, _) in pages.all.iter().flatten() {
        match item {
            Item::Text { text, .. } => fonts::require(text)?,
            Item::Drawing { svg, .. } => fonts::require_in(svg)?,
            _ => {}
        }
    }
    fonts::require(&document.title)?;
    write(document, size, layout, pages)
}

/// The filled share of each page, from 0 to 1.
#[cfg(test)]
pub fn filled(document: &Brief) -> Vec<f32> {
    set_out(document).1.filled
}

/// The document on pages of a size, in points of 1/72 inch: with figures next to their text, unless
/// that leaves a page too empty and rows of figures fill it better.
fn set_out(document: &Brief) -> (PageLayout, Paginator, (f32, f32)) {
    let beside = set_out_with(document, true);
    if beside.1.emptiest() <= MOST_EMPTY {
        return beside;
    }
    let in_rows = set_out_with(document, false);
    if in_rows.1.emptiest() < beside.1.emptiest() { in_rows } else { beside }
}

fn set_out_with(document: &Brief, beside: bool) -> (PageLayout, Paginator, (f32, f32)) {
    let size = match document.page {
        PaperSize::A4 => (595.28, 841.89),
        PaperSize::Letter => (612.0, 792.0),
    };
    let mut layout = PageLayout::new(size.0);
    layout.beside_text = beside;
    if document.logo_png.is_some() {
        layout.gap(44.0);
    }
    cover(&mut layout, document);
    let (contents, place) = (layout.pieces.len(), layout.tags.at_top());
    for part in &document.parts {
        layout.fine(part.appendix);
        layout.heading(2, &part.title);
        let rows = rows(part);
        if part.appendix && rows > MOST_ROWS {
            let text = say!(document.language, "rows-elsewhere", rows = rows);
            layout.paragraph(&text, PLAIN);
            continue;
        }
        let mut under = Default::default();
        let chapters = match part.appendix {
            true => chapters(&layout, &part.blocks),
            false => vec![(1, &part.blocks[..])],
        };
        for (columns, blocks) in chapters {
            let mut all = |layout: &mut PageLayout| {
                for (i, block) in blocks.iter().enumerate() {
                    let next = &blocks[i + 1..];
                    if i > 0 && is_beside(layout, &blocks[i - 1], block) {
                        continue;
                    }
                    set(layout, block, next, document, (&mut under, &part.title));
                }
            };
            if columns > 1 { layout.in_columns(columns, all) } else { all(&mut layout) }
        }
    }
    let entries = listed(&layout);
    let list = list_of_contents(&mut layout, place, &entries);
    let pieces = std::mem::take(&mut layout.pieces);
    let mut all = Vec::with_capacity(pieces.len() + list.len());
    let mut pieces = pieces.into_iter();
    all.extend(pieces.by_ref().take(contents));
    all.extend(list);
    all.extend(pieces);
    let anchors = layout.headings.len();
    let pages = paginate(all, &layout.heads, (MARGIN, size.1 - MARGIN - 6.0), anchors);
    (layout, pages, size)
}

fn rows(part: &BriefSection) -> usize {
    let rows = |block: &Block| if let Block::Table(table) = block { table.rows.len() } else { 0 };
    part.blocks.iter().map(rows).sum()
}

fn cover(layout: &mut PageLayout, document: &Brief) {
    layout.heading(1, &document.title);
    layout.paragraph(&document.byline, SMALL);
    layout.chips(&document.subjects, &document.palette);
    let palette = &document.palette;
    let figure = document.cover.iter().find_map(|block| match block {
        Block::Figures(figures) => figures.get(..1),
        _ => None,
    });
    let text = |layout: &mut PageLayout| {
        let mut under = Default::default();
        for block in &document.cover {
            match block {
                Block::Text(Role::Lead, line) => layout.paragraph(&words(line), FIRST),
                Block::Figures(_) => {}
                _ => set(layout, block, &[], document, (&mut under, &document.title)),
            }
        }
    };
    match figure {
        Some(figure) => layout.beside((figure, layout.width * 0.46), palette, false, text),
        None => text(layout),
    }
}

/// Whether one or two figures are next to the few lines about them.
fn is_beside(layout: &PageLayout, text: &Block, figures: &Block) -> bool {
    let (Block::Text(Role::Plain, line), Block::Figures(figures)) = (text, figures) else {
        return false;
    };
    let letters = words(line).chars().count();
    layout.beside_text && !layout.is_fine && figures.len() <= 2 && letters <= MOST_BESIDE
}

/// The blocks of an appendix in runs, each with the number of columns that it fits: a chapter with
/// its heading.
fn chapters<'a>(layout: &PageLayout, blocks: &'a [Block]) -> Vec<(usize, &'a [Block])> {
    let begins = |block: &Block| matches!(block, Block::Heading(_) | Block::Pairs(..));
    let mut runs: Vec<(usize, std::ops::Range<usize>)> = Vec::new();
    let mut from = 0;
    while from < blocks.len() {
        let next = blocks[from + 1..].iter().position(begins);
        let until = next.map_or(blocks.len(), |next| from + 1 + next);
        let columns =
            blocks[from..until].iter().filter_map(|b| columns_of(layout, b)).min().unwrap_or(1);
        match runs.last_mut().filter(|(known, _)| *known == columns) {
            Some((_, run)) => run.end = until,
            None => runs.push((columns, from..until)),
        }
        from = until;
    }
    runs.into_iter().map(|(columns, run)| (columns, &blocks[run])).collect()
}

/// The number of columns that a block fits; a line of text fits any.
fn columns_of(layout: &PageLayout, block: &Block) -> Option<usize> {
    match block {
        Block::Heading(_) | Block::Text(..) => None,
        Block::Pairs(..) => Some(3),
        Block::Table(table) => (2..=3).rev().find(|n| layout.fits(table, *n)).or(Some(1)),
        Block::Figures(_) => Some(1),
        _ => Some(2),
    }
}

/// The entries of the contents: sections, and chapters with an anchor (steps) unless reference
/// material. (level, text, anchor)
fn listed(layout: &PageLayout) -> Vec<(u16, String, usize)> {
    let wanted = layout.headings.iter().filter(|h| h.listed);
    wanted.map(|h| (h.level, h.text.clone(), h.anchor)).collect()
}

/// The contents in columns, each line a link with its page number.
fn list_of_contents(
    layout: &mut PageLayout,
    place: usize,
    entries: &[(u16, String, usize)],
) -> Vec<Piece> {
    let set = LineStyle { size: 8.2, ..PLAIN };
    let face = |level: u16| if level > 2 { Face::Plain } else { Face::Bold };
    let indent = |level: u16| if level > 2 { 8.0 } else { 0.0 };
    let wide_of = |across: usize| (layout.width() - 16.0 * (across - 1) as f32) / across as f32;
    let room = |level: u16, wide: f32| f64::from(wide - indent(level) - 20.0);
    // Three columns if no entry is truncated.
    let whole = |(level, text, _): &(u16, String, usize)| {
        fonts::width(text, f64::from(set.size), face(*level)) <= room(*level, wide_of(3))
    };
    let across = if entries.len() > 10 && entries.iter().all(whole) { 3 } else { 2 };
    let deep = entries.len().div_ceil(across).max(1);
    let wide = wide_of(across);
    let mut rows: Vec<Piece> =
        (0..deep).map(|_| Piece { height: 12.0, ..Piece::default() }).collect();
    layout.tags.put_at(place, |tags| {
        tags.begin(Tag::TOC);
        for (i, (level, text, anchor)) in entries.iter().enumerate() {
            let x = MARGIN + (wide + 16.0) * (i / deep) as f32;
            tags.begin(Tag::TOCI);
            let tag = tags.leaf(Tag::Link);
            tags.end();
            let (face, indent) = (face(*level), indent(*level));
            let shown = fonts::shortened(text, f64::from(set.size), face, room(*level, wide));
            let row = &mut rows[i % deep];
            let at = (x, 0.0);
            let link = Item::Link { at, size: (wide, 12.0), anchor: *anchor, says: text.clone() };
            row.items.push((link, Some(tag)));
            let at = (x + indent, set.size + 1.0);
            let (size, colour) = (set.size, set.colour);
            row.items.push((
                Item::Text { at, size, face, colour, text: format!("{shown} ") },
                Some(tag),
            ));
            let end = (x + wide, set.size + 1.0);
            row.items.push((Item::PageOf { end, size: set.size, anchor: *anchor }, Some(tag)));
        }
        tags.end();
    });
    let rule =
        Item::Rule { at: (MARGIN, 0.0), size: (layout.width(), 0.6), colour: (0xd5, 0xdb, 0xe2) };
    let line =
        |height: f32| Piece { height, items: vec![(rule.clone(), None)], ..Piece::default() };
    [vec![line(5.0)], rows, vec![Piece { height: 3.0, ..Piece::default() }, line(3.0)]]
        .into_iter()
        .flatten()
        .collect()
}

/// The headings above a block, and its section's title.
type Under<'a> = (&'a mut [String; 2], &'a str);

fn set(
    layout: &mut PageLayout,
    block: &Block,
    next: &[Block],
    document: &Brief,
    (under, part): Under<'_>,
) {
    match block {
        Block::Heading(heading) => {
            match heading.level {
                1 => *under = [heading.text.clone(), String::new()],
                _ => under[1] = heading.text.clone(),
            }
            layout.heading(u16::from(heading.level) + 2, &heading.text);
            layout.list_last(heading.id.is_some());
        }
        Block::Text(role, line) => {
            let set = match role {
                Role::Lead => LineStyle { size: 10.5, ..PLAIN },
                Role::Note => SMALL,
                Role::Plain => PLAIN,
                Role::Warning => LineStyle { colour: (0xa3, 0x26, 0x0f), ..PLAIN },
            };
            if let [Block::Figures(figures), after @ ..] = next
                && is_beside(layout, block, &next[0])
            {
                let table = matches!(after, [Block::Table(_), ..]);
                let text = |layout: &mut PageLayout| layout.paragraph(&words(line), set);
                return layout.beside((figures, BESIDE_TEXT), &document.palette, table, text);
            }
            layout.paragraph(&words(line), set);
        }
        Block::List(items) => layout.list(&items.iter().map(words).collect::<Vec<_>>()),
        Block::Terms(terms) => {
            let said = |term: &String, text: &String| {
                say!(document.language, "named-value", name = term, value = text)
            };
            let terms: Vec<String> = terms.iter().map(|(term, text)| said(term, text)).collect();
            layout.list(&terms);
        }
        Block::Pairs(title, pairs) => {
            layout.heading(3, title);
            layout.pairs(title, pairs);
        }
        Block::Table(table) => layout.table(table, &table_caption(table, under, part)),
        Block::Figures(figures) => {
            layout.figures(figures, &document.palette, matches!(next, [Block::Table(_), ..]))
        }
        // A plan of many pages is not useful on paper, and runs are not repeated from paper.
        Block::Code(title, text) if text.lines().count() > MOST_CODE => {
            let lines = text.lines().count();
            let text = say!(document.language, "lines-elsewhere", title = title, lines = lines);
            layout.paragraph(&text, PLAIN);
        }
        Block::Code(title, text) => {
            layout.paragraph(title, PLAIN);
            layout.code(text);
        }
    }
}

fn write(
    document: &Brief,
    size: (f32, f32),
    layout: PageLayout,
    pages: Paginator,
) -> Result<Vec<u8>> {
    let ua1 = ConfigurationBuilder::new().with_accessibility_validator(Accessibility::UA1);
    let settings = krilla::SerializeSettings {
        configuration: ua1.finish().map_err(|e| broken(&format!("{e:?}")))?,
        ..krilla::SerializeSettings::default()
    };
    let mut file = krilla::Document::new_with(settings);
    let metadata =
        krilla::metadata::Metadata::new().title(document.title.clone()).creator("Dyno".to_string());
    file.set_metadata(metadata.language(document.language.tag().to_string()));
    let mut pen = Pen::new(layout.tags, &pages);
    for (number, items) in pages.all.iter().enumerate() {
        let settings = krilla::page::PageSettings::from_wh(size.0, size.1)
            .ok_or_else(|| broken("no page size"))?;
        let mut page = file.start_page_with(settings);
        pen.links(&mut page, items)?;
        let mut surface = page.surface();
        if let Some(png) = document.logo_png.as_ref().filter(|_| number == 0) {
            surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(ArtifactType::Page)));
            logo(&mut surface, png, size)?;
            surface.end_tagged();
        }
        for (item, tag) in items {
            pen.item(&mut surface, item, *tag)?;
        }
        let foot = say!(document.language, "page-of", page = number + 1, pages = pages.all.len());
        let title = fonts::shortened(
            &document.title,
            f64::from(SMALL.size),
            Face::Plain,
            f64::from(size.0) * 0.7,
        );
        surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(ArtifactType::Footer)));
        pen.text(&mut surface, (MARGIN, size.1 - FOOT + 8.0), SMALL, &title)?;
        let right = size.0 - MARGIN - width(&foot, SMALL.size, Face::Plain);
        pen.text(&mut surface, (right, size.1 - FOOT + 8.0), SMALL, &foot)?;
        surface.end_tagged();
        surface.finish();
        page.finish();
    }
    let mut outline = Outline::new();
    outline_of(&layout.headings, &pages).into_iter().for_each(|node| outline.push_child(node));
    file.set_outline(outline);
    file.set_tag_tree(pen.tags.tree(document.language.tag()));
    file.finish().map_err(|e| broken(&format!("{e:?}")))
}

/// Sections, and within them chapters.
fn outline_of(
    headings: &[crate::render::paper::layout::OutlineEntry],
    pages: &Paginator,
) -> Vec<OutlineNode> {
    let mut all: Vec<OutlineNode> = Vec::new();
    for heading in headings.iter().filter(|h| h.level < 4) {
        let spot = pages.spots[heading.anchor];
        let node = OutlineNode::new(
            heading.text.clone(),
            XyzDestination::new(spot.page, Point::from_xy(0.0, spot.y)),
        );
        match all.last_mut().filter(|_| heading.level == 3) {
            Some(section) => section.push_child(node),
            None => all.push(node),
        }
    }
    all
}
