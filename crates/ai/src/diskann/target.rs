//! An index to create, and an index to search: its files, its queries and their results.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::OFlags;

use super::build;
use super::build_progress::BuildProgress;
use super::index::Index;
use super::io_context::{BuildContext, SearchContext};
use super::layout::{
    CHECKSUM, COMPRESSED, GRAPH, IndexKnobs, PIVOTS, QUERIES, TRUTH, VECTORS, open_file,
};
use super::query_results::QueryResults;
use dyno_core::base::error::{Context, Result, failed};
use dyno_core::base::units;
use dyno_core::engine::{Access, DatasetAccess, DatasetLocation, Target};
use dyno_core::lab::folder::data::DatasetFolder;
use dyno_core::lab::folder::files;
use dyno_core::measure::{AddressSpace, AnyIoContext};
use dyno_core::plan::Stream;
use dyno_core::record::key::engine;
use dyno_core::record::{Fact, Observed};

pub fn open(site: &DatasetAccess<'_>) -> Result<Box<dyn Target>> {
    let DatasetLocation::Folder(folder) = site.home else {
        return Err(failed(
            "DiskANN needs a filesystem",
            "create one on the drive, mount it, and use a directory there as the subject's path",
        ));
    };
    let knobs = IndexKnobs::of(site.knobs)?;
    if site.access == Access::Create {
        return Ok(Box::new(NewIndex { folder: folder.clone(), knobs, progress: Arc::default() }));
    }
    files::check_all(folder)?;
    let direct = site.knobs.flag("direct")?;
    let index = Index::open(folder, knobs, direct)?;
    let checksum = build::stored(folder)?;
    build::note(folder, knobs);
    let (index, streams) = (Arc::new(index), Mutex::default());
    Ok(Box::new(IndexTarget { index, checksum, direct, streams }))
}

/// An index to create.
struct NewIndex {
    folder: DatasetFolder,
    knobs: IndexKnobs,
    progress: Arc<BuildProgress>,
}

impl Target for NewIndex {
    fn space(&self) -> AddressSpace {
        self.knobs.space()
    }

    fn io_context(&self, _stream: &Stream, _thread: u32) -> Result<Box<dyn AnyIoContext>> {
        let progress = Arc::clone(&self.progress);
        Ok(Box::new(BuildContext::new(self.folder.clone(), self.knobs, progress)))
    }

    fn interrupt(&self) {
        self.progress.stop();
    }

    fn sync(&self, _: &AtomicBool) -> Result<()> {
        for name in [VECTORS, QUERIES, TRUTH, GRAPH, PIVOTS, COMPRESSED, CHECKSUM] {
            let file = open_file(&self.folder, name, OFlags::RDONLY)?;
            file.sync_all().with_context(|| format!("making {name} durable"))?;
        }
        Ok(())
    }
}

struct IndexTarget {
    index: Arc<Index>,
    checksum: u64,
    direct: bool,
    /// Results by stream.
    streams: Mutex<Vec<(String, Arc<QueryResults>)>>,
}

impl IndexTarget {
    fn results(&self, stream: &Stream) -> Result<Arc<QueryResults>> {
        let knobs = &stream.workload.knobs;
        let search = (knobs.int("search_list")? as u32, knobs.int("beam")? as u32);
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = streams.iter().find(|(name, _)| *name == stream.name) {
            return Ok(Arc::clone(known));
        }
        let results = Arc::new(QueryResults::new(search, self.index.knobs.queries));
        streams.push((stream.name.clone(), Arc::clone(&results)));
        Ok(results)
    }
}

impl Target for IndexTarget {
    fn space(&self) -> AddressSpace {
        self.index.knobs.space()
    }

    fn io_context(&self, stream: &Stream, _thread: u32) -> Result<Box<dyn AnyIoContext>> {
        let results = self.results(stream)?;
        Ok(Box::new(SearchContext::new(Arc::clone(&self.index), results)?))
    }

    /// Executes the queries that the window did not reach, so that recall and I/Os cover all
    /// queries, whatever the speed of the drive.
    fn observed(&self) -> Vec<Observed> {
        let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = |(stream, results): &(String, Arc<QueryResults>)| -> Result<Observed> {
            let mut rest = SearchContext::new(Arc::clone(&self.index), Arc::clone(results))?;
            let missing: Vec<usize> = results.missing().collect();
            missing.into_iter().try_for_each(|query| rest.ask(query).map(drop))?;
            Ok(results.to_record(stream, self.index.knobs.io_bytes()).into())
        };
        // A drive that fails now also failed in the window, where the error was reported.
        streams.iter().filter_map(|stream| whole(stream).ok()).collect()
    }

    fn facts(&self) -> Vec<Fact> {
        let fact = |name: &str, value: String| Fact::new("DiskANN", name, value);
        let knobs = self.index.knobs;
        vec![
            fact(engine::VERSION.name, build::version()),
            fact("Vectors", units::grouped(knobs.vectors as u64)),
            fact("Dimensions", knobs.dimensions.to_string()),
            fact("Queries", units::grouped(knobs.queries as u64)),
            fact("Degree", knobs.degree.to_string()),
            fact("Search list of the build", knobs.build_list.to_string()),
            fact("Compressed vector", units::bytes(knobs.pq_bytes as u64)),
            fact("Read of a node", units::bytes(knobs.io_bytes())),
            fact(
                "Direct I/O",
                if self.direct { "yes (O_DIRECT)" } else { "no (page cache)" }.into(),
            ),
            fact("Index", format!("XXH3 {:016x}", self.checksum)),
        ]
    }
}
