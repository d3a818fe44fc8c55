//! The system's fonts, loaded once: looking through all of them takes longer than drawing a figure.

use std::sync::{Arc, OnceLock};

use resvg::usvg::fontdb::{self, Family, Query, Weight};

use crate::base::error::{Result, failed};

static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();

/// The font that figures and pages fall back to.
pub const FAMILY: &str = "DejaVu Sans";

pub fn database() -> Result<Arc<fontdb::Database>> {
    let fonts = FONTS.get_or_init(|| {
        let mut fonts = fontdb::Database::new();
        fonts.load_system_fonts();
        fonts.set_sans_serif_family(FAMILY);
        Arc::new(fonts)
    });
    if fonts.is_empty() {
        return Err(none());
    }
    Ok(Arc::clone(fonts))
}

/// The bytes of the sans-serif font and its place in its file.
pub fn sans(bold: bool) -> Result<(Vec<u8>, u32)> {
    let fonts = database()?;
    let weight = if bold { Weight::BOLD } else { Weight::NORMAL };
    let query = Query { families: &[Family::Name(FAMILY), Family::SansSerif], weight, ..Query::default() };
    let id = fonts.query(&query).ok_or_else(none)?;
    fonts.with_face_data(id, |data, index| (data.to_vec(), index)).ok_or_else(none)
}

fn none() -> crate::base::error::Error {
    failed("no font is installed, so figures and PDF cannot be made", "apt-get install fonts-dejavu-core")
}
