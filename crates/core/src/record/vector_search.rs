//! Results and reads of a stream's queries on a vector index.

use serde::{Deserialize, Serialize};

use super::Fact;

/// All queries of a stream, each counted once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorSearch {
    /// The stream's name.
    pub stream: String,
    /// Size of the candidate list of a search.
    pub search_list: u64,
    /// Number of nodes read at a time.
    pub beam: u64,
    /// Number of queries.
    pub queries: u64,
    /// Number of nodes read by all queries.
    pub ios: u64,
    /// Bytes of a read.
    pub io_bytes: u64,
    /// True neighbours among the results.
    pub found: u64,
    /// True neighbours of all queries.
    pub wanted: u64,
    /// Checksum of the numbers of the results and of the reads, query by query.
    pub checksum: u64,
}

impl VectorSearch {
    /// In a disclosure.
    pub fn disclosed(&self) -> Fact {
        let value = format!(
            "search list {}, beam {}, {} queries, {} reads of {} bytes, {} of {} neighbours \
             found, checksum {}",
            self.search_list,
            self.beam,
            self.queries,
            self.ios,
            self.io_bytes,
            self.found,
            self.wanted,
            self.checksum
        );
        Fact::new("Vector search", &self.stream, value)
    }

    /// The share of the true neighbours that are among the results.
    pub fn recall(&self) -> f64 {
        self.found as f64 / self.wanted.max(1) as f64
    }

    /// Reads of nodes per query.
    pub fn ios_per_query(&self) -> f64 {
        self.ios as f64 / self.queries.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_and_reads_are_per_query() {
        let search = VectorSearch {
            stream: "io 2".into(),
            search_list: 100,
            beam: 4,
            queries: 1_000,
            ios: 105_000,
            io_bytes: 4096,
            found: 9_870,
            wanted: 10_000,
            checksum: u64::MAX,
        };
        assert_eq!((search.recall(), search.ios_per_query()), (0.987, 105.0));
    }
}
