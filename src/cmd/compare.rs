//! `dyno compare`: the subjects of one or more bundles compared, each with the first.

use std::io::Write;

use super::load::Bundles;
use crate::base::error::Result;
use crate::report::text;

pub fn compare(bundles: &Bundles, out: &mut dyn Write) -> Result<()> {
    let facts = bundles.facts()?;
    out.write_all(text::compare(&facts).as_bytes())?;
    Ok(())
}
