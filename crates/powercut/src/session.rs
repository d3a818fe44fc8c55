//! A session of writing: its blocks, their threads, and how each thread makes them durable. It is
//! the first part of the journal, so a checker does not need the plan.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use dyno_core::base::block_seal::{SECTOR, Seal};
use dyno_core::base::error::{Result, failed};
use dyno_core::base::rng::Seed;

/// The version of sessions and journals.
pub const VERSION: u32 = 1;

/// Maximum number of threads of a session.
const MOST_THREADS: usize = 1024;

/// Maximum number of blocks, because a checker stores some numbers for each.
const MOST_BLOCKS: u64 = 1 << 26;

/// Maximum block size, bytes.
const MOST_BLOCK_BYTES: u32 = 1 << 20;

/// Maximum length of texts: names and serial numbers.
const MOST_TEXT: usize = 1024;

/// Maximum time from layout to cut: a year.
const MOST_NS: u64 = 366 * 86_400 * 1_000_000_000;

/// The generation of every block's first write, the layout.
pub const LAYOUT: u64 = 1;

/// How a thread makes its writes durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThreadDurability {
    /// Each write carries FUA.
    Fua,
    /// A flush (fdatasync) after every `every` writes.
    Flush {
        /// Writes between two flushes.
        every: u32,
    },
    /// It never flushes: the flushes of other threads make its writes durable, because a flush
    /// covers all writes completed before it, of every queue (NVM Command Set Specification 1.0,
    /// Flush command).
    ByOthers,
}

/// One session of writing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WriteSession {
    /// Version of this description; [`VERSION`].
    pub version: u32,
    /// Version of Dyno.
    pub dyno_version: String,
    /// Random identity of this session, which sealed blocks carry as their dataset.
    pub identity: u64,
    /// The seed, which determines the blocks that are written.
    pub seed: u64,
    /// The host's name.
    pub host: String,
    /// The kernel's name for this boot (/proc/sys/kernel/random/boot_id).
    pub boot_id: String,
    /// The subject's name in the plan.
    pub subject: String,
    /// The drive's serial number.
    pub serial: String,
    /// Its model number; None if it reports none.
    pub model: Option<String>,
    /// Its firmware revision; None if it reports none.
    pub firmware: Option<String>,
    /// Its volatile write cache at the start of the session, as the drive itself reports it: "on",
    /// "off", "none" or "unknown".
    pub write_cache: String,
    /// The kernel's setting (`queue/write_cache`): with "write through" it sends no flush and no
    /// FUA.
    pub kernel_cache: String,
    /// Whether the kernel sends FUA to the drive (`queue/fua`); otherwise a flush follows.
    pub kernel_fua: bool,
    /// Start of the range on the drive, bytes.
    pub offset: u64,
    /// The drive's logical block, which is written atomically when power fails, bytes.
    pub logical_bytes: u32,
    /// The largest write that the drive promises to write atomically when power fails (AWUPF, or
    /// NAWUPF of the namespace), bytes; at least a logical block.
    pub atomic_bytes: u32,
    /// Writes across a multiple of this, counted from `atomic_offset_bytes`, are not atomic
    /// (NABSPF); 0: no such boundary.
    pub atomic_boundary_bytes: u64,
    /// The first boundary (NABO), bytes from the beginning of the namespace.
    pub atomic_offset_bytes: u64,
    /// The size of a block, bytes.
    pub block_bytes: u32,
    /// Blocks in the range.
    pub blocks: u64,
    /// One for each thread. Thread t of T writes the blocks whose number is congruent to t modulo
    /// T.
    pub threads: Vec<ThreadDurability>,
    /// Minimum time from the layout to the cut, nanoseconds.
    pub warmup_ns: u64,
    /// The random period after that, nanoseconds.
    pub window_ns: u64,
}

impl WriteSession {
    /// Refuses a session that no writer produces, because it may be forged.
    pub fn check(&self) -> Result<()> {
        let threads = self.threads.len();
        let texts = [
            &self.dyno_version,
            &self.host,
            &self.boot_id,
            &self.subject,
            &self.serial,
            &self.write_cache,
            &self.kernel_cache,
        ];
        let texts = texts.into_iter().chain(&self.model).chain(&self.firmware);
        let every =
            |manner: &ThreadDurability| !matches!(manner, ThreadDurability::Flush { every: 0 });
        let is_flush = |manner: &ThreadDurability| matches!(manner, ThreadDurability::Flush { .. });
        let needs_flush = self.threads.contains(&ThreadDurability::ByOthers);
        let what = if self.version != VERSION {
            "its version is not this Dyno's"
        } else if threads == 0 || threads > MOST_THREADS {
            "it has no threads, or too many"
        } else if self.blocks < threads as u64 || self.blocks > MOST_BLOCKS {
            "it has too few blocks, or too many"
        } else if self.block_bytes == 0
            || self.block_bytes > MOST_BLOCK_BYTES
            || !self.block_bytes.is_multiple_of(SECTOR as u32)
        {
            "its block size is not a multiple of 512 up to 1 MiB"
        } else if self.logical_bytes == 0
            || !self.logical_bytes.is_multiple_of(SECTOR as u32)
            || !self.block_bytes.is_multiple_of(self.logical_bytes)
        {
            "its blocks are not whole logical blocks of the drive"
        } else if self.atomic_bytes < self.logical_bytes {
            "its atomic writes are smaller than a logical block"
        } else if self.offset > 1 << 60 || !self.offset.is_multiple_of(SECTOR as u64) {
            "its range begins nowhere on a drive"
        } else if self.warmup_ns > MOST_NS || self.window_ns > MOST_NS {
            "its cut would come in more than a year"
        } else if !self.threads.iter().all(every) {
            "a thread never flushes"
        } else if needs_flush && !self.threads.iter().any(is_flush) {
            "a thread relies on the flushes of others, and there are none"
        } else if texts.into_iter().any(|text| text.len() > MOST_TEXT) {
            "a name in it is too long"
        } else {
            return Ok(());
        };
        Err(failed(
            format!("this is not a session of power-cut writes: {what}"),
            "use the same version of Dyno on both machines",
        ))
    }

    /// The conditions to which a claim applies: the state of the drive, and the load. Cuts are
    /// pooled only if these are equal; fields that differ from cut to cut are empty.
    pub fn conditions(&self) -> WriteSession {
        WriteSession {
            dyno_version: String::new(),
            identity: 0,
            seed: 0,
            host: String::new(),
            boot_id: String::new(),
            ..self.clone()
        }
    }

    /// Whether the drive itself reports that acknowledged data are durable without a flush.
    pub fn drive_has_no_cache(&self) -> bool {
        ["off", "none"].contains(&self.write_cache.as_str())
    }

    /// Sectors of a block that are written atomically when power fails: all of them if the block is
    /// one atomic write, otherwise those of a logical block.
    pub fn atomic_sectors(&self, block: u64) -> usize {
        let (from, bytes) = (self.address(block), u64::from(self.block_bytes));
        let boundary = self.atomic_boundary_bytes;
        let crosses = boundary > 0 && {
            let of = |at: u64| (at + boundary - self.atomic_offset_bytes % boundary) / boundary;
            of(from) != of(from + bytes - 1)
        };
        let is_whole = self.block_bytes <= self.atomic_bytes && !crosses;
        (if is_whole { self.block_bytes } else { self.logical_bytes }) as usize / SECTOR
    }

    /// The thread that writes a block.
    pub fn owner(&self, block: u64) -> usize {
        (block % self.threads.len() as u64) as usize
    }

    /// Number of blocks of a thread.
    pub fn share(&self, thread: usize) -> u64 {
        let (threads, thread) = (self.threads.len() as u64, thread as u64);
        (self.blocks - thread).div_ceil(threads)
    }

    /// The `k`th block of a thread.
    pub fn nth(&self, thread: usize, k: u64) -> u64 {
        k * self.threads.len() as u64 + thread as u64
    }

    /// The block of a thread's write with this generation. A thread counts its writes from
    /// [`LAYOUT`] on, so the later of two writes has the higher generation.
    pub fn block_of(&self, thread: usize, generation: u64) -> u64 {
        let mut rng = Seed::new(self.seed, 0, thread as u64).at(generation);
        self.nth(thread, rng.below(self.share(thread)))
    }

    /// A block's address on the drive, bytes.
    pub fn address(&self, block: u64) -> u64 {
        self.offset + block * u64::from(self.block_bytes)
    }

    /// The seal of a write.
    pub fn seal(&self, block: u64, generation: u64) -> Seal {
        Seal {
            dataset: self.identity,
            address: self.address(block),
            generation,
            sequence: self.owner(block) as u64,
        }
    }

    /// Sectors of a block.
    pub fn sectors(&self) -> usize {
        self.block_bytes as usize / SECTOR
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A small session: `blocks` of 4 KiB, one thread with FUA and one that flushes.
    pub fn small(blocks: u64) -> WriteSession {
        WriteSession {
            version: VERSION,
            dyno_version: "0".into(),
            identity: 77,
            seed: 3,
            host: "lab".into(),
            boot_id: "first".into(),
            subject: "A".into(),
            serial: "1234".into(),
            model: Some("M".into()),
            firmware: Some("1.0".into()),
            write_cache: "on".into(),
            kernel_cache: "write back".into(),
            kernel_fua: true,
            offset: 1 << 20,
            logical_bytes: 512,
            atomic_bytes: 512,
            atomic_boundary_bytes: 0,
            atomic_offset_bytes: 0,
            block_bytes: 4096,
            blocks,
            threads: vec![ThreadDurability::Fua, ThreadDurability::Flush { every: 4 }],
            warmup_ns: 0,
            window_ns: 1,
        }
    }

    #[test]
    fn every_block_is_written_by_one_thread_alone() {
        let session = small(101);
        let mut owners = vec![0; 101];
        for thread in 0..2 {
            for k in 0..session.share(thread) {
                owners[session.nth(thread, k) as usize] += 1;
                assert_eq!(session.owner(session.nth(thread, k)), thread);
            }
            for generation in 2..1000 {
                assert_eq!(session.owner(session.block_of(thread, generation)), thread);
            }
        }
        assert!(owners.iter().all(|&n| n == 1), "{owners:?}");
    }

    #[test]
    fn a_block_is_one_atomic_write_where_the_drive_says_so_and_no_boundary_crosses_it() {
        let of = |atomic_bytes, atomic_boundary_bytes, atomic_offset_bytes| {
            let session = WriteSession {
                atomic_bytes,
                atomic_boundary_bytes,
                atomic_offset_bytes,
                ..small(8)
            };
            (0..2).map(|block| session.atomic_sectors(block)).collect::<Vec<_>>()
        };
        assert_eq!(of(512, 0, 0), [1, 1]);
        assert_eq!(of(2048, 0, 0), [1, 1], "smaller than a block");
        assert_eq!(of(4096, 0, 0), [8, 8]);
        assert_eq!(of(1 << 20, 8192, 0), [8, 8], "the boundary is between blocks");
        assert_eq!(of(1 << 20, 8192, 2048), [1, 8], "it is within every second block");
    }

    #[test]
    fn a_session_that_no_writer_makes_is_refused() {
        assert!(small(8).check().is_ok());
        let good = || small(8);
        for wrong in [
            WriteSession { version: 9, ..good() },
            WriteSession { threads: Vec::new(), ..good() },
            WriteSession { threads: vec![ThreadDurability::Fua; 2000], ..good() },
            WriteSession { threads: vec![ThreadDurability::Flush { every: 0 }], ..good() },
            WriteSession { blocks: 1, ..good() },
            WriteSession { blocks: u64::MAX, ..good() },
            WriteSession { block_bytes: 0, ..good() },
            WriteSession { block_bytes: 1000, ..good() },
            WriteSession { block_bytes: 1 << 30, ..good() },
            WriteSession { logical_bytes: 0, ..good() },
            WriteSession { logical_bytes: 8192, ..good() },
            WriteSession { offset: u64::MAX - 511, ..good() },
            WriteSession { window_ns: u64::MAX, ..good() },
            WriteSession { serial: "x".repeat(5000), ..good() },
            WriteSession { model: Some("x".repeat(5000)), ..good() },
            WriteSession { atomic_bytes: 0, ..good() },
            WriteSession {
                threads: vec![ThreadDurability::Fua, ThreadDurability::ByOthers],
                ..good()
            },
        ] {
            assert!(wrong.check().is_err(), "{wrong:?}");
        }
    }
}
