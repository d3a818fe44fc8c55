//! Draws the pages of a PDF, with their fonts, tags and links.

use krilla::annotation::{Annotation, LinkAnnotation, Target};
use krilla::destination::XyzDestination;
use krilla::geom::{PathBuilder, Point, Rect, Size, Transform};
use krilla::page::Page as Sheet;
use krilla::paint::Fill;
use krilla::surface::Surface;
use krilla::tagging::{Artifact, ArtifactType, ContentTag, Identifier, SpanTag};
use krilla::text::{Font, TextDirection};
use krilla_svg::{SurfaceExt, SvgSettings};
use resvg::usvg::Tree;

use crate::chart::canvas::fonts::{self, Face};
use crate::render::paper::layout::{FAINT, LineStyle, MARGIN, width};
use crate::render::paper::pages::Paginator;
use crate::render::paper::piece::{Item, Rgb};
use crate::render::paper::tags::{TagId, Tags};
use dyno_core::base::error::{Error, Result, failed};
use dyno_core::base::text::is_hidden;

/// An internal error of Dyno, not caused by the contents.
pub fn broken(what: &str) -> Error {
    failed(format!("the PDF cannot be made: {what}"), "please report it")
}

/// The drawing state: the fonts in use, and the tags.
pub struct Pen<'a> {
    fonts: Vec<(*const fonts::Font, Font)>,
    /// The elements of the document's structure with their positions on pages.
    pub tags: Tags,
    pages: &'a Paginator,
}

impl Pen<'_> {
    /// Draws a laid-out document's items.
    pub fn new<'a>(tags: Tags, pages: &'a Paginator) -> Pen<'a> {
        Pen { fonts: Vec::new(), tags, pages }
    }

    /// The links of a page.
    pub fn links(&mut self, page: &mut Sheet<'_>, items: &[(Item, Option<TagId>)]) -> Result<()> {
        for (item, tag) in items {
            let Item::Link { at, size, anchor, says } = item else { continue };
            let rect = Rect::from_xywh(at.0, at.1, size.0, size.1)
                .ok_or_else(|| broken("a link has no size"))?;
            let spot = self.pages.spots[*anchor];
            let to = XyzDestination::new(spot.page, Point::from_xy(0.0, (spot.y - 8.0).max(0.0)));
            let link = Annotation::new_link(
                LinkAnnotation::new(rect, Target::Destination(to.into())),
                Some(says.clone()),
            );
            let id = page.add_tagged_annotation(link);
            if let Some(tag) = tag {
                self.tags.drawn(*tag, id);
            }
        }
        Ok(())
    }

    /// One item, tagged.
    pub fn item(
        &mut self,
        surface: &mut Surface<'_>,
        item: &Item,
        tag: Option<TagId>,
    ) -> Result<()> {
        if matches!(item, Item::Link { .. }) {
            return Ok(());
        }
        let content = match (tag, item) {
            (None, _) => ContentTag::Artifact(Artifact::with_kind(ArtifactType::Other)),
            (_, Item::Drawing { .. } | Item::Rule { .. }) => ContentTag::Other,
            _ => ContentTag::Span(SpanTag::empty()),
        };
        let id: Identifier = surface.start_tagged(content);
        let drawn = self.content(surface, item);
        surface.end_tagged();
        if let Some(tag) = tag {
            self.tags.drawn(tag, id);
        }
        drawn
    }

    fn content(&mut self, surface: &mut Surface<'_>, item: &Item) -> Result<()> {
        match item {
            Item::Text { at, size, face, colour, text } => {
                self.text(
                    surface,
                    *at,
                    LineStyle { size: *size, face: *face, colour: *colour },
                    text,
                )?;
            }
            Item::PageOf { end, size, anchor } => {
                let text = (self.pages.spots[*anchor].page + 1).to_string();
                let set = LineStyle { size: *size, face: Face::Plain, colour: FAINT };
                self.text(surface, (end.0 - width(&text, *size, Face::Plain), end.1), set, &text)?;
            }
            Item::Rule { at, size, colour } => {
                surface.set_fill(Some(filled_with(*colour)));
                let mut path = PathBuilder::new();
                Rect::from_xywh(at.0, at.1, size.0, size.1)
                    .into_iter()
                    .for_each(|rect| path.push_rect(rect));
                path.finish().iter().for_each(|path| surface.draw_path(path));
            }
            Item::Drawing { at, size, svg } => drawing(surface, *at, *size, svg)?,
            Item::Link { .. } => {}
        }
        Ok(())
    }

    /// One line, in as many fonts as its characters need.
    pub fn text(
        &mut self,
        surface: &mut Surface<'_>,
        at: (f32, f32),
        set: LineStyle,
        text: &str,
    ) -> Result<()> {
        surface.set_fill(Some(filled_with(set.colour)));
        let seen: Vec<char> = text.chars().filter(|c| !is_hidden(*c)).collect();
        let font_of = |c: &char| fonts::of_char(set.face, *c).map(std::ptr::from_ref);
        let mut x = at.0;
        for run in seen.chunk_by(|a, b| font_of(a) == font_of(b)) {
            let Some(font) = fonts::of_char(set.face, run[0]) else { continue };
            let (font, run) = (self.font(font)?, run.iter().collect::<String>());
            surface.draw_text(
                Point::from_xy(x, at.1),
                font,
                set.size,
                &run,
                false,
                TextDirection::LeftToRight,
            );
            x += width(&run, set.size, set.face);
        }
        Ok(())
    }

    fn font(&mut self, wanted: &'static fonts::Font) -> Result<Font> {
        let at = std::ptr::from_ref(wanted);
        if let Some((_, font)) = self.fonts.iter().find(|(known, _)| *known == at) {
            return Ok(font.clone());
        }
        let font = Font::new(wanted.data.to_vec().into(), 0)
            .ok_or_else(|| broken("a font cannot be read"))?;
        self.fonts.push((at, font.clone()));
        Ok(font)
    }
}

fn filled_with((r, g, b): Rgb) -> Fill {
    Fill { paint: krilla::color::rgb::Color::new(r, g, b).into(), ..Fill::default() }
}

fn drawing(surface: &mut Surface<'_>, at: (f32, f32), size: (f32, f32), svg: &str) -> Result<()> {
    let wrong = || failed("a figure is not valid SVG", "please report it");
    let tree = Tree::from_str(svg, &fonts::options()).map_err(|_| wrong())?;
    let size = Size::from_wh(size.0, size.1).ok_or_else(wrong)?;
    surface.push_transform(&Transform::from_translate(at.0, at.1));
    let drawn = surface.draw_svg(&tree, size, SvgSettings::default());
    surface.pop();
    drawn.ok_or_else(wrong)
}

/// Draws the logo at the top right, at most 40 points high.
pub fn logo(surface: &mut Surface<'_>, png: &[u8], page: (f32, f32)) -> Result<()> {
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
