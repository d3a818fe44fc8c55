//! An open index: its files, its queries, and the searches of threads.

use std::fs::File;
use std::sync::Arc;

use diskann_disk::data_model::{AdHoc, CachingStrategy};
use diskann_disk::search::provider::disk_provider::DiskIndexSearcher;
use diskann_disk::search::provider::disk_vertex_provider_factory::DiskVertexProviderFactory;
use diskann_disk::storage::disk_index_reader::DiskIndexReader;
use diskann_providers::storage::FileStorageProvider;
use diskann_vector::distance::Metric;
use rustix::fs::OFlags;

use super::layout::{
    COMPRESSED, GRAPH, IndexKnobs, NEIGHBOURS, PIVOTS, QUERIES, TRUTH, numbers, open_file, unusable,
};
use super::reader::{NodeReaders, ReadCount};
use dyno_core::base::error::{Result, failed};
use dyno_core::lab::folder::data::DatasetFolder;

/// The library's search through a graph of 32-bit floats.
pub type Searcher =
    DiskIndexSearcher<AdHoc<f32>, DiskVertexProviderFactory<AdHoc<f32>, NodeReaders>>;

/// An open index.
pub struct Index {
    graph: Arc<File>,
    compressed: DiskIndexReader,
    queries: Vec<f32>,
    truth: Vec<u32>,
    pub knobs: IndexKnobs,
}

impl Index {
    /// Opens an index, and checks that its files match its knobs.
    pub fn open(folder: &DatasetFolder, knobs: IndexKnobs, direct: bool) -> Result<Index> {
        let flags = if direct { OFlags::DIRECT } else { OFlags::empty() };
        let path = |name| folder.path().join(name).to_string_lossy().into_owned();
        let compressed = DiskIndexReader::new(path(PIVOTS), path(COMPRESSED), &FileStorageProvider);
        let index = Index {
            graph: Arc::new(open_file(folder, GRAPH, flags | OFlags::RDONLY)?),
            compressed: compressed.map_err(|cause| unusable(folder, cause))?,
            queries: numbers(folder, QUERIES)?.into_iter().map(f32::from_bits).collect(),
            truth: numbers(folder, TRUTH)?,
            knobs,
        };
        let fits = index.queries.len() == knobs.queries * knobs.dimensions
            && index.truth.len() == knobs.queries * NEIGHBOURS
            && index.compressed.get_num_points() == knobs.vectors;
        match fits {
            true => Ok(index),
            false => Err(unusable(folder, "its files have other lengths than its plan gives them")),
        }
    }

    pub fn query(&self, number: usize) -> &[f32] {
        &self.queries[number * self.knobs.dimensions..][..self.knobs.dimensions]
    }

    pub fn truth(&self, number: usize) -> &[u32] {
        &self.truth[number * NEIGHBOURS..][..NEIGHBOURS]
    }

    /// A searcher for one thread, which counts its reads.
    pub fn searcher(&self, count: &Arc<ReadCount>) -> Result<Searcher> {
        let readers = NodeReaders { file: Arc::clone(&self.graph), count: Arc::clone(count) };
        // Every node is read from the drive: nothing is cached.
        let nodes = DiskVertexProviderFactory::new(readers, CachingStrategy::None);
        let searcher = nodes.and_then(|nodes| {
            DiskIndexSearcher::new(1, usize::MAX, &self.compressed, nodes, Metric::L2, None)
        });
        searcher.map_err(|cause| {
            failed(
                format!("the search cannot start: {cause}"),
                "check that io_uring is permitted here (sysctl kernel.io_uring_disabled), and set \
                 `direct = false` if the filesystem has no direct I/O",
            )
        })
    }
}
