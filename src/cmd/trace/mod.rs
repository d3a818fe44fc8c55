//! `dyno trace`: recorded loads. One file per command (docs/trace.md).

mod generate;
mod info;
mod likeness;
mod model;
mod record;

use std::io::Write;
use std::path::Path;

use clap::Subcommand;

use crate::base::error::Result;
use crate::trace::{Compiled, Reader, read_any};

/// What is done with a trace.
#[derive(Subcommand)]
pub enum TraceCommand {
    /// Print what a trace is like: arrivals, bursts, sizes, footprint, skew, reuse
    ///
    /// The format is recognised: fio iolog 2 and 3, blkparse, blktrace, MSR Cambridge, Alibaba,
    /// Tencent, or a file of `dyno trace`.
    Info(info::InfoArgs),
    /// Record the requests to a block device, with blktrace
    Record(record::RecordArgs),
    /// Fit a protocol to a trace: arrivals with bursts, sizes, mix, skew; and compare the two
    ///
    /// The protocol has two steps on the same datasets: `model`, the fitted streams, and `trace`,
    /// the replay of the trace itself. The printed table compares the trace with the requests that
    /// the streams make.
    Model(model::ModelArgs),
    /// Write a synthetic trace, the same for the same seed
    Generate(generate::GenerateArgs),
}

/// Executes the command.
pub fn trace(command: &TraceCommand, out: &mut dyn Write) -> Result<()> {
    match command {
        TraceCommand::Info(args) => info::info(args, out),
        TraceCommand::Record(args) => record::record(args, out),
        TraceCommand::Model(args) => model::model(args, out),
        TraceCommand::Generate(args) => generate::generate(args, out),
    }
}

/// Opens a trace of any format and reports refused lines on standard error. A trace that is not
/// compiled is compiled to an unnamed file in the folder for temporary files.
fn open(path: &Path) -> Result<(Reader, Compiled)> {
    let (reader, compiled) = read_any(path, &std::env::temp_dir())?;
    compiled.note_refused(path);
    Ok((reader, compiled))
}
