//! `dyno trace record`: records the requests to a block device with blktrace, as the kernel queues
//! them.

use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::Ordering::Relaxed;

use clap::Args;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};

use crate::base::error::{Context, Result, failed, refused};
use crate::base::file;
use crate::base::output::Output;
use crate::base::stderr::note;
use crate::base::units;
use crate::cmd::signals::Signals;
use crate::lab::drive::shared::devices_below;
use crate::lab::guard::disk::{self, Disk};
use crate::lab::server::program;
use crate::trace::{anonymise, read_blktrace, write_file};

/// What is recorded, and for how long.
#[derive(Args)]
pub struct RecordArgs {
    /// Block device
    device: PathBuf,
    /// Trace to write, on another drive
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Seconds to record [default: until interrupted]
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
    /// Permute the places of 1 MiB extents by a random key that is not kept, and number the devices
    #[arg(long)]
    anonymise: bool,
}

/// Buffers of blktrace per processor: 16 of 4 MiB, so that no events are lost in bursts.
const BUFFERS: [&str; 4] = ["-b", "4096", "-n", "16"];
/// Interval of the checks whether to stop.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// Records, sorts and writes the trace.
pub fn record(args: &RecordArgs, out: &mut dyn Write) -> Result<()> {
    let disk = Disk::of(&args.device)?;
    let folder = file::folder_of(&args.output);
    let mut bodies = disk.foundations().into_iter().map(|disk| disk::name(&disk.body()));
    let below = devices_below(folder);
    if bodies.any(|body| below.contains(&body)) {
        let (device, shown) = (args.device.display(), folder.display());
        return Err(refused(
            format!("the trace would be written to {device}, which it records ({shown})"),
            "name a file on another drive, or in /dev/shm",
        ));
    }
    let Some(blktrace) = program(&["blktrace"]) else {
        return Err(failed(
            "blktrace is not installed, so nothing can be recorded",
            "install Debian's package blktrace",
        ));
    };
    // An unwritable output is detected before recording starts.
    drop(Output::begin(&args.output, &[])?);
    let signals = Signals::catch()?;
    let mut command = Command::new(blktrace);
    command.arg("-d").arg(&args.device).args(["-a", "queue", "-o", "-"]).args(BUFFERS);
    command.args(args.seconds.iter().flat_map(|n| ["-w".to_string(), n.to_string()]));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("starting blktrace")?;
    let pipe = child.stdout.take().context("starting blktrace")?;
    let id = Pid::from_child(&child);
    let mut pipe = RecordPipe { pipe, signals: &signals, id, ended: false };
    let (mut reader, compiled) = read_blktrace(&mut pipe, folder, || end(&mut child))?;
    compiled.note_refused(&args.device);
    if compiled.refusals.lost > 0 {
        let lost = units::grouped(compiled.refusals.lost);
        note(&format!("blktrace lost {lost} events: the trace is incomplete, and says so"));
    }
    if args.anonymise {
        let (output, _) = anonymise(&mut reader, Output::begin(&args.output, &[])?)?;
        output.finish(&[])?;
    } else {
        write_file(&reader, &args.output, &[])?;
    }
    let (requests, span) = (compiled.summary.requests, compiled.summary.span_ns);
    let (requests, span) = (units::plural(requests as usize, "request"), units::duration(span));
    writeln!(out, "{}: {requests} in {span}", args.output.display())?;
    note(&format!("Next: dyno trace info {}", args.output.display()));
    Ok(())
}

/// Output of blktrace. An interrupt is forwarded to it once; blktrace then writes its remaining
/// events and ends.
struct RecordPipe<'a> {
    pipe: ChildStdout,
    signals: &'a Signals,
    id: Pid,
    ended: bool,
}

impl Read for RecordPipe<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        loop {
            if self.signals.stop.load(Relaxed) && !self.ended {
                self.ended = true;
                let _ = kill_process(self.id, Signal::INT);
            }
            let mut wait = [PollFd::from_borrowed_fd(self.pipe.as_fd(), PollFlags::IN)];
            match poll(&mut wait, Some(&LOOK)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) => return self.pipe.read(buffer),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Waits for blktrace and returns the number of events that it lost.
fn end(child: &mut Child) -> Result<u64> {
    let mut said = String::new();
    if let Some(mut stderr) = child.stderr.take() {
        stderr.read_to_string(&mut said).context("reading what blktrace says")?;
    }
    let ended = child.wait().context("waiting for blktrace")?;
    // blktrace exits with status 0 even if it could not open the trace of any processor.
    if ended.success() && !said.contains("FAILED to start thread") {
        return Ok(lost(&said));
    }
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    Err(failed(
        format!("blktrace failed ({ended}): {}", lines.join("; ")),
        "it needs root, a kernel with BLK_DEV_IO_TRACE that is not locked down, and debugfs: mount \
         -t debugfs debugfs /sys/kernel/debug",
    ))
}

/// The largest number after the word `dropped`, or before `dropped events`.
fn lost(said: &str) -> u64 {
    let words: Vec<&str> =
        said.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let beside = |i: usize| {
        let near = [i.checked_sub(1), Some(i + 1)].into_iter().flatten();
        near.filter_map(|at| words.get(at)?.parse::<u64>().ok()).max()
    };
    let dropped = (0..words.len()).filter(|i| words[*i] == "dropped");
    dropped.filter_map(beside).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_events_are_read_from_what_blktrace_says() {
        let whole = "=== nvme0n1 ===\n  CPU  0:  12 events,   1 KiB data\n  \
                     Total:  12 events (dropped 0),   1 KiB data\n";
        assert_eq!(lost(whole), 0);
        let cut = "  Total:  9 events (dropped 345),   1 KiB data\n\n\
                   You have 345 dropped events\nConsider using a larger buffer size (-b)\n";
        assert_eq!(lost(cut), 345);
    }
}
