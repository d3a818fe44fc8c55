//! Compiles a trace: detects its format, sorts its requests and writes a compact file. Memory is
//! bounded and independent of the size of the trace.

use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use super::formats::{self, parsed::Refusals, parsed::RequestSink};
use super::layout::{Summary, is_compiled};
use super::reader::Reader;
use super::sort::Sorter;
use dyno_core::base::error::{Context, Result, failed};
use dyno_core::base::file;
use dyno_core::base::output::Output;

/// Result of compiling a trace.
pub struct Compiled {
    /// The name of its format.
    pub format: &'static str,
    /// Summary of its contents.
    pub summary: Summary,
    /// Lines that should be requests and could not be parsed.
    pub refusals: Refusals,
}

impl Compiled {
    /// Reports the refused lines of the source on standard error.
    pub fn note_refused(&self, source: &Path) {
        self.refusals.note(source, self.summary.requests);
    }
}

/// Compiles `source` to the file `output`, which is replaced only if Dyno wrote it.
pub fn compile(source: &Path, output: &Path) -> Result<Compiled> {
    let (reader, compiled) = read_source(source, file::folder_of(output))?;
    write_file(&reader, output, &[source])?;
    Ok(compiled)
}

/// Writes the requests of `reader` to a file, which is replaced only if Dyno wrote it.
pub fn write_file(reader: &Reader, output: &Path, inputs: &[&Path]) -> Result<()> {
    let mut out = Output::begin(output, inputs)?;
    let mut compiled = reader.file();
    compiled.rewind()?;
    std::io::copy(&mut compiled, &mut out)
        .with_context(|| format!("writing {}", output.display()))?;
    out.finish(inputs)
}

/// Opens a trace of any format. A compiled file is opened directly; other formats are first
/// compiled to an unnamed file in `folder`.
pub fn read_any(source: &Path, folder: &Path) -> Result<(Reader, Compiled)> {
    if !is_compiled(source) {
        return read_source(source, folder);
    }
    let reader = Reader::open(source)?;
    let summary = reader.summary().clone();
    Ok((reader, Compiled { format: "compiled", summary, refusals: Refusals::default() }))
}

fn read_source(source: &Path, folder: &Path) -> Result<(Reader, Compiled)> {
    let shown = source.display();
    if file::open(source)?.metadata()?.len() == 0 {
        return Err(failed(format!("the trace {shown} is empty"), "check that it was recorded"));
    }
    let Some(format) = formats::of_file(source)? else {
        let names: Vec<&str> = formats::ALL.iter().map(|format| format.name()).collect();
        return Err(failed(
            format!("the trace {shown} has no format that Dyno reads"),
            format!("give a trace of {} (docs/trace.md)", names.join(", ")),
        ));
    };
    let mut sink = RequestSink::new(Sorter::new(folder));
    let files: Vec<PathBuf> = format.files(source)?;
    files.iter().try_for_each(|file| format.read(file, &mut sink))?;
    finish(sink, format.name(), &format!("the trace {shown}"))
}

/// Reads the output of blktrace from a pipe into an unnamed compiled file in `folder`. After the
/// end of the pipe, `end` returns the number of lost events.
pub fn read_blktrace(
    records: &mut dyn Read,
    folder: &Path,
    end: impl FnOnce() -> Result<u64>,
) -> Result<(Reader, Compiled)> {
    let mut sink = RequestSink::new(Sorter::new(folder));
    formats::records(records, "blktrace's output", &mut sink)?;
    let lost = end()?;
    sink.lose(lost);
    finish(sink, "blktrace", "the recorded trace")
}

fn finish(sink: RequestSink, format: &'static str, shown: &str) -> Result<(Reader, Compiled)> {
    let (sorter, refusals) = sink.into_parts();
    if sorter.requests() == 0 {
        let refused = refusals.lines().join("; ");
        let what = match refused.is_empty() {
            true => format!("{shown} ({format}) has no request"),
            false => format!("no line of {shown} is a request: {refused}"),
        };
        return Err(failed(what, format!("check that it is a {format} trace with requests")));
    }
    let reader = sorter.finish(refusals.count + refusals.lost)?;
    let summary = reader.summary().clone();
    Ok((reader, Compiled { format, summary, refusals }))
}
