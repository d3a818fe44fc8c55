//! `psync`: pread and pwrite, one request at a time for each thread.

use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::block_buffers::Buffers;
use super::block_commands as commands;
use super::blockfile::{BlockFile, COMPRESSIBLE, OFFSET, SIZE};
use super::dedupe::{DEDUPE, DEDUPE_UNIT};
use super::recheck;
use super::verify::{JOURNAL, VERIFY};
use super::{Engine, Site, Target};
use crate::base::error::Result;
use crate::base::rng::Seed;
use crate::load::{AnyLane, Done, Lane, Op, OpKind, Space, Wait};
use crate::plan::{DefaultValue, Family, Info, Kind, Knob, Stream, Writes};
use crate::record::Fact;

/// The engine `psync`.
pub struct Psync;

static INFO: Info = Info {
    name: "psync",
    summary: "pread and pwrite, one request at a time for each thread",
    family: Family::Block,
    writes: Writes::Never,
    max_depth: 1,
    knobs: &[
        SIZE,
        Knob {
            name: "direct",
            kind: Kind::Bool,
            default: DefaultValue::Is("false"),
            doc: "Open with O_DIRECT, bypassing the page cache.",
        },
        OFFSET,
        COMPRESSIBLE,
        DEDUPE,
        DEDUPE_UNIT,
        VERIFY,
        JOURNAL,
    ],
    source: "",
};

impl Engine for Psync {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn open(&self, site: &Site<'_>) -> Result<Box<dyn Target>> {
        Ok(Box::new(PsyncTarget { file: Arc::new(BlockFile::open(site)?) }))
    }
}

struct PsyncTarget {
    file: Arc<BlockFile>,
}

impl Target for PsyncTarget {
    fn space(&self) -> Space {
        self.file.space()
    }

    fn lane(&self, stream: &Stream, thread: u32) -> Result<Box<dyn AnyLane>> {
        commands::check(&self.file, stream)?;
        let seed = Seed::new(0, 0, u64::from(thread));
        let buffers = Buffers::new(&self.file, stream, seed)?;
        Ok(Box::new(PsyncLane { file: Arc::clone(&self.file), buffers, staged: None }))
    }

    fn recheck(&self, stop: &AtomicBool, look_on: &mut dyn FnMut(u64, u64)) -> Result<Option<u64>> {
        recheck::all(&self.file, stop, look_on)
    }

    fn sync(&self) -> Result<()> {
        self.file.sync()
    }

    fn window_closed(&self) -> Vec<Fact> {
        self.file.verified()
    }

    fn facts(&self) -> Vec<Fact> {
        self.file.facts("psync")
    }
}

struct PsyncLane {
    file: Arc<BlockFile>,
    buffers: Buffers,
    staged: Option<Op>,
}

impl Lane for PsyncLane {
    #[inline(always)]
    fn stage(&mut self, slot: u32, op: &Op) -> Result<()> {
        self.buffers.stage(slot, op)?;
        self.staged = Some(*op);
        Ok(())
    }

    #[inline(always)]
    fn run(&mut self, _wait: Wait, done: &mut Vec<Done>) -> Result<()> {
        let Some(op) = self.staged.take() else { return Ok(()) };
        let at = self.file.base + op.at;
        let file = &self.file;
        let whole = op.len as usize;
        let data = &mut self.buffers.slot(0)[..whole];
        let (name, result) = match op.kind {
            OpKind::Write => ("writing", file.file.write_at(data, at)),
            OpKind::WriteFua => ("writing with FUA", commands::write_durably(&file.file, data, at)),
            OpKind::WriteFlush => ("writing and flushing", write_and_flush(file, data, at)),
            OpKind::Flush => ("a flush", commands::flush(&file.file).map(|()| whole)),
            OpKind::Trim => ("a trim", commands::trim(file, at, op.len).map(|()| whole)),
            OpKind::WriteZeroes => {
                ("writing zeroes", commands::write_zeroes(file, at, op.len).map(|()| whole))
            }
            _ => ("reading", file.file.read_at(data, at)),
        };
        match result {
            Ok(bytes) if bytes == whole => {
                done.push(Done { slot: 0, bytes: op.len, hit: true, given_up: false });
                Ok(())
            }
            Ok(bytes) => Err(self.file.short(name, at, bytes, op.len)),
            Err(cause) => Err(self.file.op_failed(name, at, cause)),
        }
    }

    #[inline(always)]
    fn check(&mut self, done: &[Done]) -> Result<()> {
        self.buffers.check(done)
    }
}

fn write_and_flush(file: &BlockFile, data: &[u8], at: u64) -> std::io::Result<usize> {
    let written = file.file.write_at(data, at)?;
    commands::flush(&file.file)?;
    Ok(written)
}
