//! `dyno trace info`: statistics of a trace, as text or as a page with figures.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::base::error::Result;
use crate::brief::trace;
use crate::cmd::publish::report::write_as_named;
use crate::cmd::screen::on_screen;
use crate::trace::TraceProfile;

/// Which trace, and where the page goes.
#[derive(Args)]
pub struct InfoArgs {
    /// Trace
    file: PathBuf,
    /// Write a page with figures instead; the extension selects the format: .html, .pdf or .md
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Prints the statistics, or writes the page.
pub fn info(args: &InfoArgs, out: &mut dyn Write) -> Result<()> {
    let (mut reader, compiled) = super::open(&args.file)?;
    let profile = TraceProfile::of(&mut reader, None)?;
    let name = args.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let document = trace::document(&profile, &name, compiled.format);
    match &args.output {
        Some(page) => write_as_named(&document, page, &[&args.file]),
        None => {
            let blocks = trace::on_screen(&document);
            out.write_all(on_screen(&blocks).as_bytes())?;
            Ok(())
        }
    }
}
