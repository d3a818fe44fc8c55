//! Progress and interruption of the build of an index. The library reports neither, so both use the
//! files that it reads and writes: vectors are read as they are inserted.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufReader, BufWriter, Error, Read, Result as IoResult, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use diskann_providers::storage::{FileStorageProvider, StorageReadProvider, StorageWriteProvider};

use super::layout::{COMPRESSED, GRAPH, IndexKnobs, VECTORS};
use dyno_core::base::error::Result;
use dyno_core::measure::BUILD_PARTS;

const PARTS: f64 = BUILD_PARTS as f64;

/// Buffer size for several vectors, because each read is counted.
const BUFFER: usize = 64 << 10;

/// Time that an interrupted build may take to end before it is left to the end of the process: the
/// library may compute for minutes without a read or write.
const PATIENCE: Duration = Duration::from_secs(1);

/// Phases of a build. Their shares of the whole were measured with a million vectors.
#[derive(Clone, Copy)]
pub enum BuildPhase {
    /// Generates vectors and compares them with the queries.
    Vectors,
    /// Compresses the vectors.
    Compression,
    /// Inserts the vectors into the graph.
    Graph,
    /// Writes the index.
    Layout,
}

impl BuildPhase {
    /// Shares of the whole at the start and the end of the phase.
    fn shares(self) -> (f64, f64) {
        match self {
            BuildPhase::Vectors => (0.0, 0.1),
            BuildPhase::Compression => (0.1, 0.2),
            BuildPhase::Graph => (0.2, 0.98),
            BuildPhase::Layout => (0.98, 1.0),
        }
    }
}

/// Progress of a build, shared with the threads that wait for it.
#[derive(Default)]
pub struct BuildProgress {
    state: Mutex<BuildState>,
    changed: Condvar,
}

#[derive(Default)]
struct BuildState {
    /// Number of completed parts, of `BUILD_PARTS`.
    parts: u64,
    stopped: bool,
    ended: bool,
    /// Open readers of the vectors: number and bytes read.
    readers: Vec<(u64, u64)>,
    opened: u64,
    failure: Option<dyno_core::base::error::Error>,
}

impl BuildProgress {
    fn state(&self) -> MutexGuard<'_, BuildState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the completed share of a phase.
    pub fn reached(&self, phase: BuildPhase, share: f64) {
        let (from, to) = phase.shares();
        self.whole(from + (to - from) * share.min(1.0));
    }

    /// Sets the completed share of the whole.
    pub fn whole(&self, share: f64) {
        // The last part completes with the end of the build.
        let parts = ((share * PARTS) as u64).min(BUILD_PARTS - 1);
        let mut state = self.state();
        if parts > state.parts {
            state.parts = parts;
            self.changed.notify_all();
        }
    }

    fn new_reader(&self) -> u64 {
        let mut state = self.state();
        state.opened += 1;
        let number = state.opened;
        state.readers.push((number, 0));
        number
    }

    /// Sets the bytes of the vectors that a reader has read. The graph's reader is open while
    /// others search for the start node, and reads after they have ended, so the minimum counts.
    /// Earlier readers are those of the compression.
    fn vectors_read(&self, reader: u64, bytes: u64, all: u64) {
        let mut state = self.state();
        if let Some(own) = state.readers.iter_mut().find(|(other, _)| *other == reader) {
            own.1 = bytes;
        }
        let least = state.readers.iter().map(|(_, bytes)| *bytes).min().unwrap_or(0);
        let compressed = state.parts >= (BuildPhase::Graph.shares().0 * PARTS) as u64;
        drop(state);
        if compressed {
            self.reached(BuildPhase::Graph, least as f64 / all as f64);
        }
    }

    /// Returns an error if the build was interrupted.
    pub fn check(&self) -> IoResult<()> {
        match self.state().stopped {
            true => Err(Error::other("interrupted")),
            false => Ok(()),
        }
    }

    /// Interrupts the build.
    pub fn stop(&self) {
        self.state().stopped = true;
        self.changed.notify_all();
    }

    /// Marks the end of the build.
    pub fn end(&self, result: Result<()>) {
        let mut state = self.state();
        (state.ended, state.failure) = (true, result.err());
        self.changed.notify_all();
    }

    /// Waits until a part is complete; false if the build was interrupted before.
    pub fn wait_for(&self, part: u64) -> Result<bool> {
        let waits = |state: &mut BuildState| !state.stopped && !state.ended && state.parts <= part;
        let waited = self.changed.wait_while(self.state(), waits);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        match state.failure.take() {
            _ if state.stopped => Ok(false),
            Some(failure) => Err(failure),
            None => Ok(true),
        }
    }

    /// Waits briefly for an interrupted build to end.
    pub fn wait_for_end(&self) {
        let waited = self.changed.wait_timeout_while(self.state(), PATIENCE, |state| !state.ended);
        drop(waited);
    }
}

/// The library's files, with progress and interruption: all operations fail after an interruption.
pub struct WatchedFiles {
    pub progress: Arc<BuildProgress>,
    pub knobs: IndexKnobs,
}

impl WatchedFiles {
    fn watched(&self, path: &str, file: File) -> IoResult<WatchedFile> {
        self.progress.check()?;
        let IndexKnobs { vectors, pq_bytes, dimensions, .. } = self.knobs;
        let (phase, all) = match Path::new(path).file_name().and_then(OsStr::to_str) {
            Some(COMPRESSED) => (Some(BuildPhase::Compression), (vectors * pq_bytes) as u64),
            Some(VECTORS) => (Some(BuildPhase::Graph), (vectors * dimensions * 4) as u64),
            Some(GRAPH) => (Some(BuildPhase::Layout), self.knobs.graph_bytes()),
            _ => (None, 1),
        };
        let reader = matches!(phase, Some(BuildPhase::Graph)).then(|| self.progress.new_reader());
        Ok(WatchedFile { file, progress: Arc::clone(&self.progress), phase, all, bytes: 0, reader })
    }
}

impl StorageReadProvider for WatchedFiles {
    type Reader = BufReader<WatchedFile>;

    fn open_reader(&self, path: &str) -> IoResult<Self::Reader> {
        let file = FileStorageProvider.open_reader(path)?.into_inner();
        Ok(BufReader::with_capacity(BUFFER, self.watched(path, file)?))
    }

    fn get_length(&self, path: &str) -> IoResult<u64> {
        FileStorageProvider.get_length(path)
    }

    fn exists(&self, path: &str) -> bool {
        FileStorageProvider.exists(path)
    }
}

impl StorageWriteProvider for WatchedFiles {
    type Writer = BufWriter<WatchedFile>;

    fn open_writer(&self, path: &str) -> IoResult<Self::Writer> {
        self.progress.check()?;
        let file = FileStorageProvider.open_writer(path)?.into_parts().0;
        Ok(BufWriter::with_capacity(BUFFER, self.watched(path, file)?))
    }

    fn create_for_write(&self, path: &str) -> IoResult<Self::Writer> {
        self.progress.check()?;
        let file = FileStorageProvider.create_for_write(path)?.into_parts().0;
        Ok(BufWriter::with_capacity(BUFFER, self.watched(path, file)?))
    }

    fn delete(&self, path: &str) -> IoResult<()> {
        FileStorageProvider.delete(path)
    }
}

/// A file of the library.
pub struct WatchedFile {
    file: File,
    progress: Arc<BuildProgress>,
    /// The phase whose progress this file shows, and the file's final size.
    phase: Option<BuildPhase>,
    all: u64,
    /// Bytes read or written.
    bytes: u64,
    /// Number of the reader, if the file has the vectors.
    reader: Option<u64>,
}

impl WatchedFile {
    fn moved(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        let Some(phase) = self.phase else { return };
        match self.reader {
            Some(reader) => self.progress.vectors_read(reader, self.bytes, self.all),
            None => self.progress.reached(phase, self.bytes as f64 / self.all as f64),
        }
    }
}

impl Read for WatchedFile {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        self.progress.check()?;
        let bytes = self.file.read(buffer)?;
        self.moved(bytes);
        Ok(bytes)
    }
}

impl Write for WatchedFile {
    fn write(&mut self, buffer: &[u8]) -> IoResult<usize> {
        self.progress.check()?;
        let bytes = self.file.write(buffer)?;
        self.moved(bytes);
        Ok(bytes)
    }

    fn flush(&mut self) -> IoResult<()> {
        self.file.flush()
    }
}

impl Seek for WatchedFile {
    fn seek(&mut self, to: SeekFrom) -> IoResult<u64> {
        self.file.seek(to)
    }
}

impl Drop for WatchedFile {
    fn drop(&mut self) {
        if let Some(reader) = self.reader {
            self.progress.state().readers.retain(|(other, _)| *other != reader);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::base::error::anyhow;

    #[test]
    fn a_build_is_waited_for_part_by_part_and_ends_with_its_failure_or_an_interruption() {
        let progress = BuildProgress::default();
        progress.reached(BuildPhase::Vectors, 1.0);
        assert!(progress.wait_for(BUILD_PARTS / 10 - 1).unwrap());
        // The graph's reader has read nothing while another one searches for the start node.
        progress.reached(BuildPhase::Compression, 1.0);
        let (graph, other) = (progress.new_reader(), progress.new_reader());
        progress.vectors_read(other, 100, 100);
        assert_eq!(progress.state().parts, BUILD_PARTS / 5);
        progress.state().readers.retain(|(reader, _)| *reader == graph);
        progress.vectors_read(graph, 50, 100);
        assert!((589..=590).contains(&progress.state().parts));
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| progress.wait_for(700));
            progress.stop();
            assert!(!waits.join().unwrap().unwrap());
        });
        assert!(progress.check().is_err());
        let failed = BuildProgress::default();
        failed.end(Err(anyhow!("no space")));
        assert!(failed.wait_for(0).unwrap_err().to_string().contains("no space"));
    }
}
