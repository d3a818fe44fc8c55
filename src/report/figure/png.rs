//! SVG to PNG, in-process, with the fonts that the system has.

use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use crate::base::error::{Result, failed};

/// Loaded once: looking through all fonts takes longer than drawing a figure.
static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();

/// The picture, `scale` pixels to a unit of the viewBox.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>> {
    let fonts = FONTS.get_or_init(|| {
        let mut fonts = fontdb::Database::new();
        fonts.load_system_fonts();
        Arc::new(fonts)
    });
    if fonts.is_empty() {
        return Err(failed(
            "no font is installed, so figures cannot be drawn as PNG",
            "apt-get install fonts-dejavu-core",
        ));
    }
    let options = Options { fontdb: Arc::clone(fonts), font_family: "DejaVu Sans".to_string(), ..Options::default() };
    let tree = Tree::from_str(svg, &options)
        .map_err(|e| failed(format!("a figure is not valid SVG: {e}"), "please report it"))?;
    let size = tree.size();
    let (width, height) = ((size.width() * scale) as u32, (size.height() * scale) as u32);
    let mut pixels = Pixmap::new(width, height).ok_or_else(|| failed("a figure has no size", "please report it"))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|e| failed(format!("encoding a PNG failed: {e}"), "try again with more memory"))
}
