//! `dyno show`: every point of one or more bundles as a table.

use std::io::Write;

use super::load::Bundles;
use crate::base::error::Result;
use crate::report::text;

pub fn show(bundles: &Bundles, out: &mut dyn Write) -> Result<()> {
    let facts = bundles.facts()?;
    out.write_all(text::show(&facts).as_bytes())?;
    Ok(())
}
