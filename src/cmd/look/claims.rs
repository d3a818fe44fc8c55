//! `dyno claims`: the claims that bundles support, for every subject, strongest first; as text or
//! JSON.

use std::io::Write;

use crate::base::error::Result;
use crate::brief::screens;
use crate::cmd::json::{self, OutputFormat};
use crate::cmd::load::Bundles;
use crate::cmd::screen::on_screen;
use crate::export::claims::ClaimsDocument;

/// Prints the claims as text, or as the JSON that docs/claims.md describes.
pub fn claims(bundles: &Bundles, format: OutputFormat, out: &mut dyn Write) -> Result<()> {
    let (l, facts) = (bundles.language()?, bundles.facts()?);
    if format.json {
        return json::print(&ClaimsDocument::of(l, &facts), out);
    }
    out.write_all(on_screen(&screens::claims(l, &facts)).as_bytes())?;
    Ok(())
}
