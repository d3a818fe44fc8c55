//! `dyno report`: bundles as one HTML file, and its figures as files of their own.

use std::path::{Path, PathBuf};

use crate::base::error::{Context, Result};
use crate::report::{Facts, draw, figure, html};

/// Pixels to a unit of the drawing, enough for print.
const PNG_SCALE: f32 = 2.0;

/// Writes the page to `output`, beside the first bundle where none is named, and the figures into `figures`. Returns
/// the page's path.
pub fn report(paths: &[PathBuf], output: Option<&Path>, figures: Option<&Path>) -> Result<PathBuf> {
    let facts = Facts::load(paths)?;
    let page = match output {
        Some(path) => path.to_path_buf(),
        None => paths[0].with_extension("html"),
    };
    let text = html::page(&facts)?;
    std::fs::write(&page, text).with_context(|| format!("writing {}", page.display()))?;
    if let Some(folder) = figures {
        std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        for drawing in draw::all(&facts) {
            let path = folder.join(&drawing.file);
            std::fs::write(path.with_extension("svg"), &drawing.svg)
                .with_context(|| format!("writing {}", path.display()))?;
            let png = figure::png(&drawing.svg, PNG_SCALE)?;
            std::fs::write(path.with_extension("png"), png).with_context(|| format!("writing {}", path.display()))?;
        }
    }
    Ok(page)
}
