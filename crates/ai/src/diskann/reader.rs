//! Reads nodes of the graph for the library through its own io_uring: the library passes a batch,
//! whose reads are submitted together, and waits for it.
//!
//! The library's own reader does not check for short reads, opens the file by its path, and counts
//! vertices instead of I/Os.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use diskann::{ANNError, ANNResult};
use diskann_disk::search::provider::aligned_file_reader::traits::{
    AlignedFileReader, AlignedReaderFactory,
};
use diskann_disk::search::provider::aligned_file_reader::{AlignedRead, Alignment};
use diskann_quantization::num::PowerOfTwo;
use io_uring::{IoUring, opcode, types};

/// Maximum number of reads in flight per thread.
const ENTRIES: usize = 128;

/// Alignment that direct I/O may require: a logical block has at most 4 KiB.
pub struct BlockAlignment;

impl Alignment for BlockAlignment {
    const VALUE: PowerOfTwo = PowerOfTwo::V4096;
}

/// Number of I/Os and bytes read by one thread. Only that thread updates it.
#[derive(Debug, Default)]
pub struct ReadCount {
    ios: AtomicU64,
    bytes: AtomicU64,
}

impl ReadCount {
    /// I/Os and bytes so far.
    pub fn now(&self) -> (u64, u64) {
        (self.ios.load(Relaxed), self.bytes.load(Relaxed))
    }
}

/// Opens readers of one file with a common count of reads.
pub struct NodeReaders {
    pub file: Arc<File>,
    pub count: Arc<ReadCount>,
}

impl AlignedReaderFactory for NodeReaders {
    type AlignedReaderType = NodeReader;

    fn build(&self) -> ANNResult<NodeReader> {
        let (file, count) = (Arc::clone(&self.file), Arc::clone(&self.count));
        Ok(NodeReader { ring: IoUring::new(ENTRIES as u32)?, file, count })
    }
}

/// Reads nodes.
pub struct NodeReader {
    ring: IoUring,
    file: Arc<File>,
    count: Arc<ReadCount>,
}

impl NodeReader {
    fn batch(&mut self, reads: &mut [AlignedRead<'_, u8, BlockAlignment>]) -> std::io::Result<()> {
        let fd = types::Fd(self.file.as_raw_fd());
        for (i, read) in (0..).zip(reads.iter_mut()) {
            let offset = read.offset();
            let buffer = read.aligned_buf_mut();
            let entry = opcode::Read::new(fd, buffer.as_mut_ptr(), buffer.len() as u32);
            let entry = entry.offset(offset).build().user_data(i);
            // SAFETY: the buffers are borrowed until all reads have completed, below, and the file
            // is open as long as the reader.
            let pushed = unsafe { self.ring.submission().push(&entry) };
            pushed.map_err(|_| std::io::Error::other("more reads than the ring has entries"))?;
        }
        let mut left = reads.len();
        let mut failed = None;
        while left > 0 {
            match self.ring.submit_and_wait(left) {
                // Reads in flight still write to their buffers, so transient errors are retried.
                Err(error) if passes(&error) => {}
                submitted => drop(submitted?),
            }
            for done in self.ring.completion() {
                left -= 1;
                let read = &reads[done.user_data() as usize];
                failed = failed.or(problem(done.result(), read));
            }
        }
        failed.map_or(Ok(()), Err)
    }
}

/// Whether an error is transient, so that the kernel accepts submissions later.
fn passes(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{Interrupted, ResourceBusy, WouldBlock};
    matches!(error.kind(), Interrupted | ResourceBusy | WouldBlock)
}

/// The error of a read that failed or was short.
fn problem(result: i32, read: &AlignedRead<'_, u8, BlockAlignment>) -> Option<std::io::Error> {
    let (offset, wanted) = (read.offset(), read.aligned_buf().len());
    match usize::try_from(result) {
        Ok(got) if got == wanted => None,
        Ok(got) => {
            let what = format!("the read at offset {offset} ended after {got} of {wanted} bytes");
            Some(std::io::Error::other(what))
        }
        Err(_) => {
            let cause = std::io::Error::from_raw_os_error(-result);
            Some(std::io::Error::other(format!("the read at offset {offset} failed: {cause}")))
        }
    }
}

impl AlignedFileReader for NodeReader {
    type Alignment = BlockAlignment;

    fn read(&mut self, reads: &mut [AlignedRead<'_, u8, BlockAlignment>]) -> ANNResult<()> {
        for batch in reads.chunks_mut(ENTRIES) {
            self.batch(batch).map_err(ANNError::from)?;
        }
        let bytes = reads.iter().map(|read| read.aligned_buf().len() as u64).sum();
        self.count.ios.fetch_add(reads.len() as u64, Relaxed);
        self.count.bytes.fetch_add(bytes, Relaxed);
        Ok(())
    }
}
