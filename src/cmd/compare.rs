//! `dyno compare`: the subjects of one or more bundles side by side, each held against the first.

use std::io::Write;
use std::path::PathBuf;

use crate::base::error::Result;
use crate::report::{Facts, text};

pub fn compare(paths: &[PathBuf], out: &mut dyn Write) -> Result<()> {
    let facts = Facts::load(paths)?;
    out.write_all(text::compare(&facts).as_bytes())?;
    Ok(())
}
