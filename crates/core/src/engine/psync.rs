//! `psync`: pread and pwrite, one request at a time for each thread.

use std::sync::Arc;

use super::block_buffers::Buffers;
use super::block_target::{BlockTarget, block_knobs};
use super::blockfile::{self, BlockFile};
use super::{DatasetAccess, Engine, Target, block_commands as commands, one_drive_at_a_time};
use crate::base::error::Result;
use crate::base::rng::Seed;
use crate::measure::{AddressSpace, AnyIoContext, Completion, IoContext, Op, Wait};
use crate::plan::{Info, Knobs, RequestFamily, Stream, Writes};

/// The engine `psync`.
pub struct Psync;

static INFO: Info = Info {
    name: "psync",
    summary: "pread and pwrite, one request at a time for each thread",
    family: RequestFamily::Block,
    writes: Writes::Never,
    max_depth: 1,
    knobs: block_knobs!("false", "Open with O_DIRECT, bypassing the page cache."),
    source: "",
};

impl Engine for Psync {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn planned_space(&self, knobs: &Knobs) -> Option<AddressSpace> {
        blockfile::planned_space(knobs)
    }

    fn open(&self, site: &DatasetAccess<'_>) -> Result<Box<dyn Target>> {
        Ok(Box::new(PsyncTarget { file: Arc::new(BlockFile::open(site)?) }))
    }
}

struct PsyncTarget {
    file: Arc<BlockFile>,
}

impl BlockTarget for PsyncTarget {
    const ENGINE: &'static str = "psync";

    fn file(&self) -> &Arc<BlockFile> {
        &self.file
    }

    fn open_io_context(
        targets: &[&Self],
        stream: &Stream,
        thread: u32,
    ) -> Result<Box<dyn AnyIoContext>> {
        let [PsyncTarget { file }] = targets else { return Err(one_drive_at_a_time(stream)) };
        commands::check(file, stream)?;
        let buffers = Buffers::new(file, stream, Seed::new(0, 0, u64::from(thread)))?;
        Ok(Box::new(PsyncContext { file: Arc::clone(file), buffers, staged: None }))
    }
}

struct PsyncContext {
    file: Arc<BlockFile>,
    buffers: Buffers,
    staged: Option<Op>,
}

impl IoContext for PsyncContext {
    #[inline(always)]
    fn stage(&mut self, slot: u32, op: &Op) -> Result<()> {
        self.buffers.stage(slot, op)?;
        self.staged = Some(*op);
        Ok(())
    }

    #[inline(always)]
    fn run(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<()> {
        let Some(op) = self.staged.take() else { return Ok(()) };
        commands::execute(&self.file, &op, self.buffers.slot(0))?;
        done.push(Completion { slot: 0, bytes: op.len, hit: true, given_up: false });
        Ok(())
    }

    #[inline(always)]
    fn check(&mut self, done: &[Completion]) -> Result<()> {
        self.buffers.check(done)
    }
}
