//! `dyno export --csv`: every point of one or more bundles, for other tools.

use std::io::Write;
use std::path::PathBuf;

use crate::base::error::Result;
use crate::report::{csv, facts};

pub fn export(paths: &[PathBuf], out: &mut dyn Write) -> Result<()> {
    writeln!(out, "{}", csv::HEADER)?;
    facts::each_point(paths, &mut |point, metered| csv::write_point(out, point, metered))
}
