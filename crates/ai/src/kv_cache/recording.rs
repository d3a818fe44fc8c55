//! A recording compiled into the requests of its cache: a read for each block of a prompt's prefix,
//! up to the first that the cache does not hold, and a write to a free or evicted slot for each
//! block that it does not hold. Recordings are compiled once in
//! memory and cached for later points.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fs::File;
use std::io::BufWriter;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use hashlink::LinkedHashSet;
use rustix::fs::{MemfdFlags, memfd_create};

use super::cache::Cache;
use super::rule::Eviction;
use super::sessions::Sessions;
use super::{eviction, formats, generate};
use dyno_core::base::error::{Context, Result};
use dyno_core::base::rng::Seed;
use dyno_core::workload::last_few::LastFew;
use dyno_trace::replay::SYNTHETIC;
use dyno_trace::{Reader, Request, RequestKind, Writer};

/// Seed of the generated recording, and of the times within a step.
const SEED: u64 = 1;

/// A recording and its cache, compiled.
#[derive(Debug)]
pub struct Recording {
    file: File,
    /// Time from the first request to the model to the first block, nanoseconds.
    pub first_block_ns: u64,
    /// Time of each request since the first block, nanoseconds.
    pub requests_ns: Vec<u64>,
    /// Time of each request of which blocks are read, since the first block, nanoseconds.
    pub prefixes_ns: Vec<u64>,
    /// Time of each block on the drive behind a missing one, since the first block, nanoseconds.
    pub behind_ns: Vec<u64>,
    /// Time of each eviction since the first block, nanoseconds.
    pub evictions_ns: Vec<u64>,
    /// Time of each hit in memory since the first block, nanoseconds.
    pub memory_hits_ns: Vec<u64>,
}

/// Key of a compiled recording: the identity of the file, and the cache.
type RecordingKey = (Option<(u64, u64, i64, i64)>, Cache);

static KNOWN: LastFew<RecordingKey, Recording> = LastFew::new(4);

/// The compiled recording of a cache, from memory if it was compiled before.
pub fn open(cache: &Cache) -> Result<Arc<Recording>> {
    let state = match cache.file.as_path() {
        file if file == Path::new(SYNTHETIC) => None,
        file => {
            let found = std::fs::metadata(file)
                .with_context(|| format!("looking for the recording {}", file.display()))?;
            Some((found.ino(), found.len(), found.ctime(), found.ctime_nsec()))
        }
    };
    KNOWN.get((state, cache.clone()), || compile(&sessions(cache)?, cache))
}

/// The requests of a recording, before its times are spread.
pub fn sessions(cache: &Cache) -> Result<Sessions> {
    match cache.file.as_path() {
        file if file == Path::new(SYNTHETIC) => Ok(generate::conversations(SEED).0),
        file => formats::read(file, cache.tokens),
    }
}

/// I/O that an access to a block requires.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockAccess {
    /// The block is in memory: no I/O.
    InMemory,
    /// The block is on the drive, at this offset: it is read.
    Read(u64),
    /// The block is computed and fits into memory: no I/O.
    Held,
    /// The block is computed. Either it or the block that it displaces from memory is written to
    /// this offset.
    Write(u64),
}

/// Locations of blocks.
struct Places {
    /// Blocks in memory. The least recently accessed one is first and is displaced first.
    memory: LinkedHashSet<u64>,
    memory_blocks: u64,
    slots: HashMap<u64, u64>,
    free: Vec<u64>,
    evicted: Vec<u64>,
    eviction: Box<dyn Eviction>,
}

impl Places {
    fn new(cache: &Cache) -> Places {
        Places {
            memory: LinkedHashSet::new(),
            memory_blocks: cache.memory,
            slots: HashMap::new(),
            free: (0..cache.blocks).rev().collect(),
            evicted: Vec::new(),
            eviction: eviction::of(&cache.eviction, cache.blocks),
        }
    }

    /// The number of a request's first blocks that are all in memory or on the drive.
    fn prefix(&self, blocks: &[u64]) -> usize {
        let held = |block: &&u64| self.memory.contains(*block) || self.slots.contains_key(*block);
        blocks.iter().take_while(held).count()
    }

    /// Accesses a block and adds the blocks evicted from the drive to `evicted`. A block on the
    /// drive stays there, as in MLPerf Storage's kv_cache.
    fn access(&mut self, block: u64) -> BlockAccess {
        self.evicted.clear();
        let held = self.memory.contains(&block);
        if self.memory_blocks == 0 || (!held && self.slots.contains_key(&block)) {
            return self.access_on_drive(block);
        }
        // A block in memory becomes the youngest.
        self.memory.insert(block);
        if held {
            return BlockAccess::InMemory;
        }
        let is_full = self.memory.len() as u64 > self.memory_blocks;
        match is_full.then(|| self.memory.pop_front()).flatten() {
            Some(demoted) => self.access_on_drive(demoted),
            None => BlockAccess::Held,
        }
    }

    fn access_on_drive(&mut self, block: u64) -> BlockAccess {
        let hit = self.eviction.access(block, &mut self.evicted);
        for gone in &self.evicted {
            self.free.extend(self.slots.remove(gone));
        }
        let slot = match self.slots.get(&block) {
            Some(slot) => *slot,
            None => {
                // If the cache is full, an insertion first evicts a block.
                let slot = self.free.pop().unwrap_or(0);
                self.slots.insert(block, slot);
                slot
            }
        };
        if hit { BlockAccess::Read(slot) } else { BlockAccess::Write(slot) }
    }
}

fn compile(sessions: &Sessions, cache: &Cache) -> Result<Recording> {
    let memory = memfd_create("kv_cache", MemfdFlags::CLOEXEC);
    let mut file = File::from(memory.context("making room for the requests of the cache")?);
    let mut writer = Writer::new(BufWriter::new(&mut file))?;
    let device = writer.device("cache")?;
    let mut places = Places::new(cache);
    let (mut requests_ns, mut evictions_ns, mut memory_hits_ns) =
        (Vec::new(), Vec::new(), Vec::new());
    let (mut prefixes_ns, mut behind_ns) = (Vec::new(), Vec::new());
    let times = sessions.times(cache.spread, Seed::new(SEED, 1, 0));
    let length = cache.block_bytes as u32;
    let computed_ns = cache.computed_ns;
    let write = |at_ns, offset| {
        let kind = RequestKind::Write;
        Request { at_ns, device, kind, offset, length }
    };
    // Blocks that are being computed: write time and offset of each.
    let mut computed: BinaryHeap<Reverse<(u64, u64)>> = BinaryHeap::new();
    for ((_, blocks), at_ns) in sessions.each().zip(times) {
        while computed.peek().is_some_and(|Reverse((next_ns, _))| *next_ns <= at_ns) {
            if let Some(Reverse((at_ns, offset))) = computed.pop() {
                writer.push(&write(at_ns, offset))?;
            }
        }
        requests_ns.push(at_ns);
        // Keys and values depend on all tokens before them: behind the first missing block, all are
        // computed again (LMCache, `lookup`; vLLM, prefix caching).
        let prefix = places.prefix(blocks);
        let mut is_read = false;
        for n in order(prefix, blocks.len(), cache.tail_first) {
            let accessed = places.access(blocks[n]);
            evictions_ns.extend(std::iter::repeat_n(at_ns, places.evicted.len()));
            let behind = n.saturating_sub(prefix) as u64 + 1;
            let done_ns = at_ns.saturating_add(computed_ns.saturating_mul(behind));
            match accessed {
                BlockAccess::InMemory => memory_hits_ns.push(at_ns),
                BlockAccess::Held => {}
                BlockAccess::Read(_) if n >= prefix => behind_ns.push(at_ns),
                BlockAccess::Read(slot) => {
                    is_read = true;
                    let (kind, offset) = (RequestKind::Read, slot * cache.block_bytes);
                    writer.push(&Request { at_ns, device, kind, offset, length })?;
                }
                BlockAccess::Write(slot) => {
                    computed.push(Reverse((done_ns, slot * cache.block_bytes)));
                }
            }
        }
        prefixes_ns.extend(is_read.then_some(at_ns));
    }
    while let Some(Reverse((at_ns, offset))) = computed.pop() {
        writer.push(&write(at_ns, offset))?;
    }
    // Times of a compiled file are relative to its first block.
    let (_, summary) = writer.finish()?;
    let first_block_ns = summary.origin_ns - requests_ns.first().copied().unwrap_or(0);
    let counted = requests_ns.iter_mut().chain(&mut prefixes_ns).chain(&mut behind_ns);
    for at_ns in counted.chain(&mut evictions_ns).chain(&mut memory_hits_ns) {
        *at_ns = u64::saturating_sub(*at_ns, summary.origin_ns);
    }
    Ok(Recording {
        file,
        first_block_ns,
        requests_ns,
        prefixes_ns,
        behind_ns,
        evictions_ns,
        memory_hits_ns,
    })
}

/// The order in which the blocks of a request are accessed: its prefix, so that no block that is
/// stored displaces it before it is read, then the others; of both the first or the last first.
fn order(prefix: usize, all: usize, tail_first: bool) -> impl Iterator<Item = usize> {
    let turned = move |from: usize, end: usize| {
        (from..end).map(move |n| if tail_first { from + end - 1 - n } else { n })
    };
    turned(0, prefix).chain(turned(prefix, all))
}

impl Recording {
    /// Opens the compiled requests.
    pub fn reader(&self, path: &Path) -> Result<Reader> {
        Reader::over(self.file.try_clone().context("reading the requests of the cache")?, path)
    }
}
