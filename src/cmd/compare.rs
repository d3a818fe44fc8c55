//! `dyno compare`: the subjects of one or more bundles compared, each with the first.

use std::io::Write;

use super::load::Bundles;
use crate::base::error::Result;
use crate::brief::screens;
use crate::render::terminal::terminal;

/// Prints every comparison of the bundles' subjects.
pub fn compare(bundles: &Bundles, out: &mut dyn Write) -> Result<()> {
    out.write_all(terminal(&screens::compare(&bundles.facts()?)).as_bytes())?;
    Ok(())
}
