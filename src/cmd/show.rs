//! `dyno show`: every point of one or more bundles as a table.

use std::io::Write;
use std::path::PathBuf;

use crate::base::error::Result;
use crate::report::{Facts, text};

pub fn show(paths: &[PathBuf], out: &mut dyn Write) -> Result<()> {
    let facts = Facts::load(paths)?;
    out.write_all(text::show(&facts).as_bytes())?;
    Ok(())
}
