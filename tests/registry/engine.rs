//! A toy engine: `slate` reads and writes a file through the page cache.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use dyno::base::error::{Context, Result, failed};
use dyno::engine::{self, Access, Engine, DatasetLocation, DatasetAccess, Target};
use dyno::measure::{AnyIoContext, Completion, IoContext, Op, OpKind, AddressSpace, Wait};
use dyno::plan::{DefaultValue, RequestFamily, Info, KnobKind, Knob, Stream, Writes};

struct Slate;

static INFO: Info = Info {
    name: "slate",
    summary: "a file, read and written through the page cache",
    family: RequestFamily::Block,
    writes: Writes::Never,
    max_depth: 1,
    knobs: &[Knob {
        name: "size",
        kind: KnobKind::Bytes,
        default: DefaultValue::Required,
        doc: "The file's length.",
    }],
    source: "",
};

pub fn add() {
    engine::ALL.add(&Slate);
}

impl Engine for Slate {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn open(&self, site: &DatasetAccess<'_>) -> Result<Box<dyn Target>> {
        let DatasetLocation::Folder(folder) = site.home else {
            return Err(failed("a slate is a file", "give a directory"));
        };
        let create = site.access == Access::Create;
        let file =
            File::options().read(true).write(true).create(create).open(folder.path().join("slate"));
        let file = file.context("opening the slate")?;
        let bytes = site.knobs.int("size")?;
        file.set_len(bytes).context("making room")?;
        Ok(Box::new(Open { file: Arc::new(file), bytes }))
    }
}

struct Open {
    file: Arc<File>,
    bytes: u64,
}

impl Target for Open {
    fn space(&self) -> AddressSpace {
        AddressSpace { bytes: self.bytes, align_bytes: 1, ..AddressSpace::default() }
    }

    fn io_context(&self, _stream: &Stream, _thread: u32) -> Result<Box<dyn AnyIoContext>> {
        Ok(Box::new(Chalk { file: Arc::clone(&self.file), buffer: vec![7; 1 << 20], staged: None }))
    }

    fn sync(&self, _: &AtomicBool) -> Result<()> {
        self.file.sync_all().context("writing the slate to the drive")
    }
}

struct Chalk {
    file: Arc<File>,
    buffer: Vec<u8>,
    staged: Option<(u32, Op)>,
}

impl IoContext for Chalk {
    fn stage(&mut self, slot: u32, op: &Op) -> Result<()> {
        self.staged = Some((slot, *op));
        Ok(())
    }

    fn run(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<()> {
        let Some((slot, op)) = self.staged.take() else { return Ok(()) };
        let buffer = &mut self.buffer[..op.len as usize];
        match op.kind {
            OpKind::Write => self.file.write_all_at(buffer, op.at).context("writing")?,
            _ => self.file.read_exact_at(buffer, op.at).context("reading")?,
        }
        done.push(Completion { slot, bytes: op.len, hit: true, given_up: false });
        Ok(())
    }
}
