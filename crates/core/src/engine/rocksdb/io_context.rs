//! One thread's handle to a database: key and value are prepared outside the timed bracket, which
//! contains a single RocksDB call.

use std::sync::Arc;

use librocksdb_sys as ffi;
use rocksdb::perf::{PerfStatsLevel, set_perf_stats};
use rocksdb::{AsRawPtr, DB, DBRawIterator, ReadOptions};

use super::layout::{value_pool, write_key};
use super::options::take_error;
use crate::base::error::{Result, anyhow, failed};
use crate::base::rng::Seed;
use crate::measure::{Completion, IoContext, Op, OpKind, Wait};

/// Read options in the C API's form, freed with the I/O context.
struct RawReadOptions(*mut ffi::rocksdb_readoptions_t);

impl Drop for RawReadOptions {
    fn drop(&mut self) {
        // SAFETY: created in `RocksContext::new` and freed once.
        unsafe { ffi::rocksdb_readoptions_destroy(self.0) }
    }
}

/// Write options in the C API's form, freed with the I/O context.
struct RawWriteOptions(*mut ffi::rocksdb_writeoptions_t);

impl Drop for RawWriteOptions {
    fn drop(&mut self) {
        // SAFETY: created in `RocksContext::new` and freed once.
        unsafe { ffi::rocksdb_writeoptions_destroy(self.0) }
    }
}

/// A batch in the C API's form, freed with the I/O context.
struct RawBatch(*mut ffi::rocksdb_writebatch_t);

impl Drop for RawBatch {
    fn drop(&mut self) {
        // SAFETY: created in `RocksContext::new` and freed once.
        unsafe { ffi::rocksdb_writebatch_destroy(self.0) }
    }
}

pub struct RocksContext {
    /// Used by `Next`; it borrows the database, which `db` below keeps alive, and is dropped first.
    walk: Option<DBRawIterator<'static>>,
    read: RawReadOptions,
    write: RawWriteOptions,
    /// Each Put is a batch of one, whose memory is reused, as in db_bench's fills: RocksDB's Put
    /// allocates and frees a batch for each key.
    batch: RawBatch,
    key: Vec<u8>,
    pool: Vec<u8>,
    /// The start of the staged value in the pool, and its length.
    cut: (usize, usize),
    staged: Option<Op>,
    db: Arc<DB>,
}

// SAFETY: the raw read options and the iterator are used only by the I/O context's thread.
unsafe impl Send for RocksContext {}

/// The engine's knobs for reading and writing.
#[derive(Clone, Copy)]
pub struct RocksReadWrite {
    pub key_bytes: usize,
    pub value_bytes: usize,
    pub wal: bool,
    pub sync: bool,
    pub compression_ratio: f64,
}

impl RocksContext {
    /// For the calling thread, its only user. RocksDB counts every comparison of keys in a
    /// per-thread context that nobody reads here, unless it is disabled, as in db_bench
    /// (docs/performance.md).
    pub fn new(db: Arc<DB>, manner: RocksReadWrite, thread: u32) -> RocksContext {
        set_perf_stats(PerfStatsLevel::Disable);
        // SAFETY: constructors without preconditions; the write options are valid.
        let (read, write, batch) = unsafe {
            let write = RawWriteOptions(ffi::rocksdb_writeoptions_create());
            ffi::rocksdb_writeoptions_disable_WAL(write.0, i32::from(!manner.wal));
            ffi::rocksdb_writeoptions_set_sync(write.0, u8::from(manner.sync));
            let read = RawReadOptions(ffi::rocksdb_readoptions_create());
            (read, write, RawBatch(ffi::rocksdb_writebatch_create()))
        };
        let pool = value_pool(manner.compression_ratio, Seed::new(0, 2, u64::from(thread)));
        RocksContext {
            walk: None,
            read,
            write,
            batch,
            key: vec![0; manner.key_bytes],
            pool,
            cut: (0, 0),
            staged: None,
            db,
        }
    }

    /// Looks up the staged key; returns the bytes of key and value, or None if there is no such
    /// key.
    #[inline(always)]
    fn get(&mut self) -> Result<Option<u32>> {
        let (mut len, mut found, mut error) = (0usize, 0u8, std::ptr::null_mut());
        // As in db_bench's Get, the value stays pinned in its block: a buffer that is too short
        // receives its length and nothing else. SAFETY: the key outlives the call and its length is
        // passed; the buffer's length is zero; the database and the read options belong to the I/O
        // context.
        unsafe {
            ffi::rocksdb_get_into_buffer(
                self.db.as_raw_ptr(),
                self.read.0,
                self.key.as_ptr().cast(),
                self.key.len(),
                std::ptr::null_mut(),
                0,
                &mut len,
                &mut found,
                &mut error,
            );
        }
        if let Some(cause) = take_error(error) {
            return Err(failed(
                format!("a Get failed: {cause}"),
                "look at the LOG file in the database's folder",
            ));
        }
        Ok((found != 0).then_some((self.key.len() + len) as u32))
    }

    #[inline(always)]
    fn put(&mut self) -> Result<u32> {
        let (at, len) = self.cut;
        let (value, batch) = (&self.pool[at..at + len], self.batch.0);
        let mut error = std::ptr::null_mut();
        // SAFETY: key and value outlive the calls, and their lengths are passed; the batch belongs
        // to the I/O context, as do the database and the write options.
        unsafe {
            ffi::rocksdb_writebatch_clear(batch);
            ffi::rocksdb_writebatch_put(
                batch,
                self.key.as_ptr().cast(),
                self.key.len(),
                value.as_ptr().cast(),
                len,
            );
            ffi::rocksdb_write(self.db.as_raw_ptr(), self.write.0, batch, &mut error);
        }
        if let Some(cause) = take_error(error) {
            return Err(failed(
                format!("a Put failed: {cause}"),
                "check free space and the LOG file in the database's folder",
            ));
        }
        Ok((self.key.len() + len) as u32)
    }

    /// A new iterator for every op, as in db_bench's seekrandom.
    fn seek(&mut self, entries: u32) -> Result<(u32, bool)> {
        let mut iterator = self.db.raw_iterator();
        iterator.seek(&self.key);
        let mut bytes = item_bytes(&iterator);
        let found = iterator.key() == Some(&self.key[..]);
        for _ in 0..entries {
            if !iterator.valid() {
                break;
            }
            iterator.next();
            bytes += item_bytes(&iterator);
        }
        iterator.status().map_err(|cause| anyhow!("a Seek failed: {cause}"))?;
        Ok((bytes, found))
    }

    /// The next entry of a walk through the database, which wraps to the start.
    fn next(&mut self) -> Result<(u32, bool)> {
        let walk = self.walk.get_or_insert_with(|| {
            let mut options = ReadOptions::default();
            options.set_readahead_size(2 << 20);
            let iterator: DBRawIterator<'_> = self.db.raw_iterator_opt(options);
            // SAFETY: the iterator borrows the database, which the I/O context keeps alive and
            // drops after it (field order).
            unsafe { std::mem::transmute::<DBRawIterator<'_>, DBRawIterator<'static>>(iterator) }
        });
        if walk.valid() {
            walk.next();
        }
        if !walk.valid() {
            walk.status().map_err(|cause| anyhow!("reading on failed: {cause}"))?;
            walk.seek_to_first();
        }
        Ok((item_bytes(walk), walk.valid()))
    }
}

fn item_bytes(iterator: &DBRawIterator<'_>) -> u32 {
    iterator.item().map_or(0, |(key, value)| (key.len() + value.len()) as u32)
}

impl IoContext for RocksContext {
    #[inline(always)]
    fn stage(&mut self, _slot: u32, op: &Op) -> Result<()> {
        write_key(op.at, &mut self.key);
        if matches!(op.kind, OpKind::Put | OpKind::Update) {
            let len = (op.len as usize).min(self.pool.len());
            // One piece after the other, as db_bench's `RandomGenerator` cuts them: random pieces
            // miss the processor's caches.
            let end = self.cut.0 + self.cut.1;
            self.cut = (if end + len > self.pool.len() { 0 } else { end }, len);
        }
        self.staged = Some(*op);
        Ok(())
    }

    #[inline(always)]
    fn run(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<()> {
        let Some(op) = self.staged.take() else { return Ok(()) };
        let (bytes, hit) = match op.kind {
            OpKind::Get => self.get()?.map_or((0, false), |bytes| (bytes, true)),
            OpKind::Put => (self.put()?, true),
            OpKind::Update => {
                let before = self.get()?;
                (before.unwrap_or(0) + self.put()?, before.is_some())
            }
            OpKind::Seek => self.seek(op.len)?,
            OpKind::Next => self.next()?,
            _ => return Err(anyhow!("RocksDB takes keys, not offsets or transactions")),
        };
        done.push(Completion { slot: 0, bytes, hit, given_up: false });
        Ok(())
    }
}
