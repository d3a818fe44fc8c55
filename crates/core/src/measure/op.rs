//! A request, and the source that generates request number `n`.

/// What an op does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    /// Read `len` bytes at offset `at`.
    Read,
    /// Write `len` bytes at offset `at`.
    Write,
    /// The same, and complete only when they are durable: force unit access.
    WriteFua,
    /// The same, made durable by a flush after it, as one op.
    WriteFlush,
    /// Make durable all that this worker has written; it begins when its earlier ops are complete,
    /// and its later ones begin when it is.
    Flush,
    /// Say that the `len` bytes at offset `at` are no longer in use.
    Trim,
    /// Make zeroes of the `len` bytes at offset `at` without sending them.
    WriteZeroes,
    /// Look up key number `at`.
    Get,
    /// Store key number `at` with a value of `len` bytes.
    Put,
    /// Look up key number `at`, then store it with a value of `len` bytes, as one op.
    Update,
    /// Position at key number `at`, then walk `len` entries on.
    Seek,
    /// The next entry in key order, from the first one after the last.
    Next,
    /// Transaction number `at`; what it is made of, the workload's script says.
    Transaction,
}

impl OpKind {
    /// Whether its bytes count towards a rate in bytes.
    #[inline(always)]
    pub fn moves_data(self) -> bool {
        !matches!(self, OpKind::Flush | OpKind::Trim | OpKind::WriteZeroes)
    }

    /// Whether it sends data to a drive.
    #[inline(always)]
    pub fn sends_data(self) -> bool {
        matches!(self, OpKind::Write | OpKind::WriteFua | OpKind::WriteFlush)
    }
}

/// One request. `at` and `len` mean what the kind says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// What it does.
    pub kind: OpKind,
    /// The place of its class among those that its workload declares.
    pub class: u8,
    /// A length in bytes, or a count of entries; see [`OpKind`].
    pub len: u32,
    /// An offset in bytes, or a number of a key or transaction; see [`OpKind`].
    pub at: u64,
    /// A random number of the op's own, from which an I/O context makes what it writes, so that no
    /// two writes are alike. A workload that only reads leaves it 0.
    pub salt: u64,
}

impl Op {
    /// Reads nothing: a placeholder for a request that has not been generated yet.
    pub const NONE: Op = Op { kind: OpKind::Read, class: 0, len: 0, at: 0, salt: 0 };
}

/// One thread's requests. Op `n` depends only on the seed, the thread and `n`.
pub trait OpGenerator: Send {
    /// Request number `n`, counted from 0.
    fn op(&mut self, n: u64) -> Op;

    /// The requests from number `n` on, as many as there is room for: one call for a portion.
    fn ops(&mut self, n: u64, ops: &mut [Op]) {
        ops.iter_mut().zip(n..).for_each(|(op, n)| *op = self.op(n));
    }

    /// How many ops make one pass of this thread's share: the length of a fill. Endless workloads
    /// have none.
    fn pass(&self) -> Option<u64> {
        None
    }

    /// Where ops come due by the cycles of many waiting clients: neither a closed loop nor a fixed
    /// rate.
    fn cycles(&mut self) -> Option<&mut dyn Cycles> {
        None
    }
}

/// Many clients in one worker. Each waits for its answer and comes again after a time of its own.
pub trait Cycles {
    /// The load begins.
    fn start(&mut self, start_ns: u64);

    /// When the next op falls due.
    fn due_ns(&self) -> u64;

    /// The ops that are due now.
    fn overdue(&self, now_ns: u64) -> u64;

    /// The op that is due.
    fn next(&mut self) -> Op;

    /// That op is complete; its client comes again later.
    fn completed(&mut self, completed_ns: u64);
}

/// What a target offers to be addressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddressSpace {
    /// Where the part in use begins, for block workloads.
    pub from: u64,
    /// Bytes of the file or of the device's range, for block workloads.
    pub bytes: u64,
    /// The unit to which offsets and lengths must be aligned, for block workloads.
    pub align_bytes: u32,
    /// Keys 0 … keys − 1, for key-value workloads.
    pub keys: u64,
    /// Length of a key, for key-value workloads.
    pub key_bytes: u32,
    /// Length of a value, for key-value workloads.
    pub value_bytes: u32,
}
