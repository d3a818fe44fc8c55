//! The common parts of psync, uring and libaio: their knobs, and the properties of an open target.
//! Opening an I/O context is specific to each engine.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::blockfile::BlockFile;
use super::{Target, all_of, recheck};
use crate::base::error::Result;
use crate::measure::{AddressSpace, AnyIoContext};
use crate::plan::Stream;
use crate::record::{Fact, Observed};

/// The knobs of a block engine: the default and description of `direct`, and the engine's own
/// knobs.
macro_rules! block_knobs {
    ($direct:literal, $doc:literal $(, $own:expr)* $(,)?) => {
        &[
            $crate::engine::blockfile::SIZE,
            $crate::plan::Knob {
                name: "direct",
                kind: $crate::plan::KnobKind::Bool,
                default: $crate::plan::DefaultValue::Is($direct),
                doc: $doc,
            },
            $crate::engine::blockfile::OFFSET,
            $crate::engine::blockfile::COMPRESSIBLE,
            $crate::engine::dedupe::DEDUPE,
            $crate::engine::dedupe::DEDUPE_UNIT,
            $crate::engine::verify::VERIFY,
            $crate::engine::verify::JOURNAL,
            $($own,)*
        ]
    };
}
pub(super) use block_knobs;

/// A target that is one file or device.
pub trait BlockTarget: Any + Send + Sync + Sized {
    /// The engine's name.
    const ENGINE: &'static str;

    /// The open file or device.
    fn file(&self) -> &Arc<BlockFile>;

    /// Worker `thread`'s single I/O context on these targets, as in [`Target::io_context_on`].
    fn open_io_context(
        targets: &[&Self],
        stream: &Stream,
        thread: u32,
    ) -> Result<Box<dyn AnyIoContext>>;

    /// Additional alignment of addresses, beyond the file's own, bytes.
    fn unit_bytes(&self) -> u32 {
        1
    }

    /// How the engine accesses it, for the disclosure.
    fn access_facts(&self) -> Vec<Fact> {
        Vec::new()
    }

    /// The features that the kernel granted its I/O contexts.
    fn io_context_facts(&self) -> Vec<Fact> {
        Vec::new()
    }
}

impl<T: BlockTarget> Target for T {
    fn space(&self) -> AddressSpace {
        let space = self.file().space();
        AddressSpace { align_bytes: space.align_bytes.max(self.unit_bytes()), ..space }
    }

    fn io_context(&self, stream: &Stream, thread: u32) -> Result<Box<dyn AnyIoContext>> {
        T::open_io_context(&[self], stream, thread)
    }

    fn io_context_on(
        &self,
        targets: &[&dyn Target],
        stream: &Stream,
        thread: u32,
    ) -> Result<Box<dyn AnyIoContext>> {
        T::open_io_context(&all_of::<T>(targets)?, stream, thread)
    }

    fn recheck(&self, stop: &AtomicBool, look_on: &mut dyn FnMut(u64, u64)) -> Result<Option<u64>> {
        recheck::all(self.file(), stop, look_on)
    }

    fn sync(&self, stop: &AtomicBool) -> Result<()> {
        self.file().sync(stop)
    }

    fn write_back(&self, stop: &AtomicBool) -> Result<()> {
        let file = self.file();
        if file.writes && !file.direct { file.sync(stop) } else { Ok(()) }
    }

    fn window_closed(&self) -> Vec<Fact> {
        self.io_context_facts()
    }

    fn observed(&self) -> Vec<Observed> {
        self.file().verified().map(Observed::from).into_iter().collect()
    }

    fn facts(&self) -> Vec<Fact> {
        let mut facts = self.file().facts(T::ENGINE);
        facts.extend(self.access_facts());
        facts
    }
}
