//! A request, and the source that generates request number `n`.

use crate::base::error::Result;

/// The parts in which a dataset is laid out that has no other unit: the resolution of its progress.
pub const BUILD_PARTS: u64 = 1_000;

/// The kind of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    /// Read `len` bytes at offset `at`.
    Read,
    /// Write `len` bytes at offset `at`.
    Write,
    /// The same, complete only when the data are durable: force unit access.
    WriteFua,
    /// The same, made durable by a flush that follows as part of the op.
    WriteFlush,
    /// Make all of this worker's writes durable; it starts after the worker's earlier ops have
    /// completed, and later ones start after it.
    Flush,
    /// Discard the `len` bytes at offset `at`.
    Trim,
    /// Set the `len` bytes at offset `at` to zero without transferring them.
    WriteZeroes,
    /// Look up key number `at`.
    Get,
    /// Store key number `at` with a value of `len` bytes.
    Put,
    /// Look up key number `at`, then store it with a value of `len` bytes, as one op.
    Update,
    /// Seek to key number `at`, then read the next `len` entries.
    Seek,
    /// The next entry in key order, wrapping from the last to the first.
    Next,
    /// Lay out part `at` of the dataset, of `BUILD_PARTS`.
    Build,
    /// Ask query number `at`.
    Search,
    /// Transaction number `at`; the workload's script defines its contents.
    Transaction,
}

impl OpKind {
    /// Whether its bytes count towards a rate in bytes.
    #[inline(always)]
    pub fn moves_data(self) -> bool {
        !matches!(self, OpKind::Flush | OpKind::Trim | OpKind::WriteZeroes)
    }

    /// Whether it transfers data to a drive.
    #[inline(always)]
    pub fn sends_data(self) -> bool {
        matches!(self, OpKind::Write | OpKind::WriteFua | OpKind::WriteFlush)
    }
}

/// One request. The kind determines the meaning of `at` and `len`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// The kind of op.
    pub kind: OpKind,
    /// The index of its class in its workload's declaration.
    pub class: u8,
    /// A length in bytes, or a number of entries; see [`OpKind`].
    pub len: u32,
    /// An offset in bytes, or the number of a key or transaction; see [`OpKind`].
    pub at: u64,
    /// The op's own random number, from which an I/O context generates the data to write, so that
    /// no two writes are alike. A workload that only reads leaves it 0.
    pub salt: u64,
}

impl Op {
    /// Reads nothing: a placeholder for a request that has not been generated yet.
    pub const NONE: Op = Op { kind: OpKind::Read, class: 0, len: 0, at: 0, salt: 0 };
}

/// One thread's requests. Op `n` depends only on the seed, the thread and `n`.
pub trait OpGenerator: Send {
    /// Request number `n`, from 0.
    fn op(&mut self, n: u64) -> Op;

    /// The requests from number `n` on, as many as fit: one call per portion.
    fn ops(&mut self, n: u64, ops: &mut [Op]) {
        ops.iter_mut().zip(n..).for_each(|(op, n)| *op = self.op(n));
    }

    /// The number of ops in one pass of this thread's share: the length of a fill. Endless
    /// workloads have none.
    fn pass(&self) -> Option<u64> {
        None
    }

    /// If ops become due by the cycles of many waiting clients: neither a closed loop nor a fixed
    /// rate.
    fn cycles(&mut self) -> Option<&mut dyn Cycles> {
        None
    }

    /// If ops have their own times (a recorded load): when the next one is due. An error means that
    /// the recording cannot be read.
    fn next_due(&mut self) -> Result<NextDue> {
        Ok(NextDue::Never)
    }

    /// If reads that are due together are also timed as a group, from when they are due until the
    /// last is complete: the class of the groups.
    fn group_class(&self) -> Option<u8> {
        None
    }

    /// Whether the read that was generated last is the last of its group.
    fn ends_group(&self) -> bool {
        false
    }

    /// The number of such ops that are due at this time after the load's start and have not been
    /// generated; at most those that have been read from the recording.
    fn overdue(&mut self, at_ns: u64) -> u64 {
        let _ = at_ns;
        0
    }
}

/// The due time of the next op of a recorded load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextDue {
    /// Nanoseconds after the load's start.
    At(u64),
    /// It has not been read yet.
    Unread,
    /// There are no more ops.
    Never,
}

/// Many clients in one worker. Each waits for its answer and returns after its own cycle time.
pub trait Cycles {
    /// The load starts.
    fn start(&mut self, start_ns: u64);

    /// The time at which the next op becomes due.
    fn due_ns(&self) -> u64;

    /// The number of ops that are due now.
    fn overdue(&self, now_ns: u64) -> u64;

    /// The op that is due.
    fn next(&mut self) -> Op;

    /// That op is complete; its client returns later.
    fn completed(&mut self, completed_ns: u64);
}

/// The address space of a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddressSpace {
    /// Start of the range in use, for block workloads.
    pub from: u64,
    /// Bytes of the file or of the device's range, for block workloads.
    pub bytes: u64,
    /// Required alignment of offsets and lengths, for block workloads.
    pub align_bytes: u32,
    /// Keys 0 … keys − 1, for key-value workloads.
    pub keys: u64,
    /// Length of a key, for key-value workloads.
    pub key_bytes: u32,
    /// Length of a value, for key-value workloads.
    pub value_bytes: u32,
}
