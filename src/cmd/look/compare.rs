//! `dyno compare`: compares the subjects of one or more bundles, each with the first.

use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::Result;
use crate::brief::screens;
use crate::cmd::json::{self, OutputFormat};
use crate::cmd::load::Bundles;
use crate::cmd::screen::on_screen;
use crate::export::claims::{ComparisonsDocument, comparisons};

/// Prints every comparison of the bundles' subjects.
pub fn compare(bundles: &Bundles, format: OutputFormat, out: &mut dyn Write) -> Result<()> {
    let (l, facts) = (bundles.language()?, bundles.facts()?);
    if format.json {
        let headline = screens::headline(l, &facts);
        return json::print(&ComparedSubjects { headline, compared: comparisons(l, &facts) }, out);
    }
    out.write_all(on_screen(&screens::compare(l, &facts)).as_bytes())?;
    Ok(())
}

/// The subjects compared.
#[derive(Serialize, JsonSchema)]
pub struct ComparedSubjects {
    /// The text of the brief's first page.
    headline: Vec<String>,
    #[serde(flatten)]
    compared: ComparisonsDocument,
}
