//! Results and reads of a stream's queries on a vector index, stored as a fact.

use super::Fact;
use super::open_loop::pacing::numbers;

/// All queries of a stream, each counted once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// The heading of the fact.
    pub const GROUP: &str = "Vector search";

    /// The fact of a point, named after the stream.
    pub fn to_fact(&self) -> Fact {
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
        Fact::new(VectorSearch::GROUP, &self.stream, value)
    }

    /// None if the fact is a different one.
    pub fn of_fact(fact: &Fact) -> Option<VectorSearch> {
        let value = Some(&fact.value).filter(|_| fact.group == VectorSearch::GROUP)?;
        let [search_list, beam, queries, ios, io_bytes, found, wanted, checksum] = numbers(value)?;
        let stream = fact.name.clone();
        Some(VectorSearch {
            stream,
            search_list,
            beam,
            queries,
            ios,
            io_bytes,
            found,
            wanted,
            checksum,
        })
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
    fn what_is_kept_of_a_search_comes_back() {
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
        assert_eq!(VectorSearch::of_fact(&search.to_fact()), Some(search.clone()));
        assert_eq!((search.recall(), search.ios_per_query()), (0.987, 105.0));
    }
}
