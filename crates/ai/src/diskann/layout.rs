//! The files of a dataset, its knobs, and how its files are opened.

use std::fs::File;
use std::io::Read;

use rustix::fs::OFlags;

use super::size::{BLOCK, graph_bytes, node_bytes};
use dyno_core::base::error::{Context, Error, Result, failed};
use dyno_core::lab::folder::data::DatasetFolder;
use dyno_core::measure::AddressSpace;
use dyno_core::plan::Knobs;

/// Number of nearest vectors that a query returns.
pub const NEIGHBOURS: usize = 10;

/// The files of a dataset: vectors, queries, and the true neighbours of each.
pub const VECTORS: &str = "vectors.bin";
pub const QUERIES: &str = "queries.bin";
pub const TRUTH: &str = "truth.bin";
/// The graph with the vectors; queries read it.
pub const GRAPH: &str = "index_disk.index";
/// The compressed vectors and their codebook, which are held in memory.
pub const PIVOTS: &str = "index_pq_pivots.bin";
pub const COMPRESSED: &str = "index_pq_compressed.bin";
/// A checksum of the other files.
pub const CHECKSUM: &str = "checksum";
/// Prefix of the library's file names.
pub const PREFIX: &str = "index";

/// The knobs of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexKnobs {
    pub vectors: usize,
    pub dimensions: usize,
    pub queries: usize,
    pub degree: usize,
    pub build_list: usize,
    pub pq_bytes: usize,
}

impl IndexKnobs {
    pub fn of(knobs: &Knobs) -> Result<IndexKnobs> {
        let int = |name| knobs.int(name).map(|n| n as usize);
        let own = IndexKnobs {
            vectors: int("vectors")?,
            dimensions: int("dimensions")?,
            queries: int("queries")?,
            degree: int("degree")?,
            build_list: int("build_list")?,
            pq_bytes: int("pq_bytes")?,
        };
        if own.pq_bytes > own.dimensions {
            let what = format!(
                "vectors of {} dimensions cannot be compressed to {} bytes",
                own.dimensions, own.pq_bytes
            );
            return Err(failed(what, "set pq_bytes to at most one byte for each dimension"));
        }
        if own.build_list < own.degree {
            let what = format!(
                "build_list is {}, and a node has {} neighbours",
                own.build_list, own.degree
            );
            return Err(failed(what, "set build_list to at least the degree"));
        }
        Ok(own)
    }

    fn node_bytes(&self) -> u64 {
        node_bytes(self.dimensions as u64, self.degree as u64)
    }

    /// Bytes per read of a node.
    pub fn io_bytes(&self) -> u64 {
        self.node_bytes().next_multiple_of(BLOCK)
    }

    /// Size of the graph with the vectors, bytes.
    pub fn graph_bytes(&self) -> u64 {
        graph_bytes(self.vectors as u64, self.node_bytes())
    }

    /// Address space of the queries.
    pub fn space(&self) -> AddressSpace {
        AddressSpace { keys: self.queries as u64, ..AddressSpace::default() }
    }
}

/// Creates a file of a dataset.
pub fn create(folder: &DatasetFolder, name: &str) -> Result<File> {
    open_file(folder, name, OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC)
}

/// Opens a file of a dataset.
pub fn open_file(folder: &DatasetFolder, name: &str, flags: OFlags) -> Result<File> {
    let opened = folder.open_file(name, flags);
    opened.with_context(|| format!("opening {}", folder.shown().join(name).display()))
}

/// An error of the library, or of invalid files.
pub fn unusable(folder: &DatasetFolder, cause: impl std::fmt::Display) -> Error {
    failed(
        format!("the index in {} cannot be used: {cause}", folder.shown().display()),
        "to build it again, remove the folder",
    )
}

/// A file of 32-bit numbers.
pub fn numbers(folder: &DatasetFolder, name: &str) -> Result<Vec<u32>> {
    let mut bytes = Vec::new();
    let read = open_file(folder, name, OFlags::RDONLY)?.read_to_end(&mut bytes);
    read.with_context(|| format!("reading {}", folder.shown().join(name).display()))?;
    Ok(bytes.as_chunks().0.iter().map(|four| u32::from_le_bytes(*four)).collect())
}
