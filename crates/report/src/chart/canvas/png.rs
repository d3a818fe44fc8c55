//! SVG to PNG, in-process, with the program's own fonts.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::Tree;

use crate::chart::canvas::fonts;
use dyno_core::base::error::{Result, failed};

/// The picture, with `scale` pixels per unit of the viewBox.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>> {
    fonts::require_in(svg)?;
    let tree = Tree::from_str(svg, &fonts::options())
        .map_err(|e| failed(format!("a figure is not valid SVG: {e}"), "please report it"))?;
    let size = tree.size();
    let (width, height) = ((size.width() * scale) as u32, (size.height() * scale) as u32);
    let mut pixels = Pixmap::new(width, height)
        .ok_or_else(|| failed("a figure has no size", "please report it"))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels
        .encode_png()
        .map_err(|e| failed(format!("encoding a PNG failed: {e}"), "try again with more memory"))
}
