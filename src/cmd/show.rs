//! `dyno show`: every point of one or more bundles as a table.

use std::io::Write;

use super::load::Bundles;
use crate::base::error::Result;
use crate::brief::screens;
use crate::render::terminal::terminal;

/// Prints a line for each point of the bundles.
pub fn show(bundles: &Bundles, out: &mut dyn Write) -> Result<()> {
    out.write_all(terminal(&screens::show(&bundles.facts_with_outliers()?)).as_bytes())?;
    Ok(())
}
