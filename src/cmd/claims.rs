//! `dyno claims`: the claims that bundles support, for every subject, strongest first; as text or
//! JSON.

use std::io::Write;

use super::json::{self, Json};
use super::load::Bundles;
use crate::base::error::Result;
use crate::brief::screens;
use crate::cmd::screen::on_screen;
use crate::export::claims::Claimed;

/// Prints the claims as text, or as the JSON that docs/claims.md describes.
pub fn claims(bundles: &Bundles, format: Json, out: &mut dyn Write) -> Result<()> {
    let facts = bundles.facts()?;
    if format.json {
        return json::print(&Claimed::of(&facts), out);
    }
    out.write_all(on_screen(&screens::claims(&facts)).as_bytes())?;
    Ok(())
}
