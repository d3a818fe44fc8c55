//! `dyno claims`: the sentences that bundles bear out, strongest first, those of every subject.

use std::io::Write;
use std::path::PathBuf;

use crate::base::error::Result;
use crate::report::{Facts, claims, difference};

pub fn claims(paths: &[PathBuf], out: &mut dyn Write) -> Result<()> {
    let facts = Facts::load(paths)?;
    let found = claims::all(&facts);
    for claim in &found {
        writeln!(out, "- {}", claim.sentence(&facts))?;
    }
    let bare = claims::as_they_stand(&facts);
    if found.is_empty() && facts.unfair.is_empty() {
        writeln!(out, "The data bear out no claim: no difference is clear of chance once all are counted.")?;
        if bare.is_empty() {
            writeln!(out, "More repeats, in turn, narrow the intervals: dyno run … --repeats 5")?;
        }
    }
    if !bare.is_empty() {
        writeln!(out, "\nFigures without intervals support no claim. As they stand, they say:")?;
        bare.iter().try_for_each(|told| writeln!(out, "- {}", told.sentence(&facts)))?;
    }
    facts.unfair.iter().try_for_each(|unfair| writeln!(out, "{}", unfair.said(&facts)))?;
    let marks = difference::all_marks(&facts);
    if !marks.is_empty() {
        writeln!(out, "\nNothing is claimed for:")?;
        marks.iter().try_for_each(|mark| writeln!(out, "- {mark}"))?;
    }
    Ok(())
}
