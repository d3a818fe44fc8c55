//! The result of each query of a stream: the numbers of its nearest vectors, and the number of
//! I/Os. It depends only on the index and the search, so it must be the same each time; a different
//! result is an error of the drive, the library or Dyno.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use super::layout::NEIGHBOURS;
use dyno_core::base::error::{Result, failed};
use dyno_core::base::rng::mix;
use dyno_core::record::VectorSearch;

/// The result of one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryResult {
    /// Reads of nodes.
    pub ios: u64,
    /// True neighbours among the results.
    pub found: u64,
    /// The lowest 40 bits of a hash of the numbers, in the order of the result.
    pub hash: u64,
}

const HASH_BITS: u32 = 40;
const FOUND_BITS: u32 = 8;

impl QueryResult {
    /// The result with these numbers; `truth` has the true neighbours.
    pub fn of(ios: u64, numbers: impl Iterator<Item = u32> + Clone, truth: &[u32]) -> QueryResult {
        let found = numbers.clone().filter(|number| truth.contains(number)).count() as u64;
        let hash = numbers.fold(0, |hash, number| mix(hash ^ u64::from(number)));
        QueryResult { ios, found, hash: hash >> (64 - HASH_BITS) }
    }

    /// The result as one number, which is never zero: a search reads at least one node.
    fn packed(self) -> u64 {
        let ios = self.ios.min((1 << (64 - HASH_BITS - FOUND_BITS)) - 1);
        ios << (HASH_BITS + FOUND_BITS) | self.found << HASH_BITS | self.hash
    }

    fn unpacked(packed: u64) -> QueryResult {
        QueryResult {
            ios: packed >> (HASH_BITS + FOUND_BITS),
            found: packed >> HASH_BITS & ((1 << FOUND_BITS) - 1),
            hash: packed & ((1 << HASH_BITS) - 1),
        }
    }
}

/// The results of a stream's queries, shared by its threads. Each is written once, by the first
/// thread that executes the query.
pub struct QueryResults {
    /// Sizes of the search list and of the beam.
    pub search: (u32, u32),
    all: Vec<AtomicU64>,
}

impl QueryResults {
    pub fn new(search: (u32, u32), queries: usize) -> QueryResults {
        QueryResults { search, all: (0..queries).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Stores a query's result, or compares it with the stored one.
    #[inline]
    pub fn keep(&self, query: usize, result: QueryResult) -> Result<()> {
        let new = result.packed();
        match self.all[query].load(Relaxed) {
            known if known == new => Ok(()),
            0 => {
                let raced = self.all[query].compare_exchange(0, new, Relaxed, Relaxed);
                raced.map_or_else(|known| self.same(query, known, new), |_| Ok(()))
            }
            known => self.same(query, known, new),
        }
    }

    #[cold]
    fn same(&self, query: usize, known: u64, new: u64) -> Result<()> {
        if known == new {
            return Ok(());
        }
        let [was, is] = [known, new].map(QueryResult::unpacked);
        Err(failed(
            format!("query {query} has another result than before: {is:?} instead of {was:?}"),
            "check `dmesg` for errors reported by the device; to build the index again, remove the \
             dataset's folder",
        ))
    }

    /// Queries that were not executed.
    pub fn missing(&self) -> impl Iterator<Item = usize> + '_ {
        let missing =
            |(query, kept): (usize, &AtomicU64)| (kept.load(Relaxed) == 0).then_some(query);
        self.all.iter().enumerate().filter_map(missing)
    }

    /// The record for a bundle.
    pub fn to_record(&self, stream: &str, node_bytes: u64) -> VectorSearch {
        let all = || self.all.iter().map(|kept| kept.load(Relaxed));
        let sum = |part: fn(QueryResult) -> u64| {
            all().map(|kept| part(QueryResult::unpacked(kept))).sum()
        };
        VectorSearch {
            stream: stream.to_string(),
            search_list: u64::from(self.search.0),
            beam: u64::from(self.search.1),
            queries: self.all.len() as u64,
            ios: sum(|result| result.ios),
            io_bytes: node_bytes,
            found: sum(|result| result.found),
            wanted: (self.all.len() * NEIGHBOURS) as u64,
            checksum: all().fold(0, |sum, kept| mix(sum ^ kept)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_with_another_result_is_an_error_and_each_part_of_a_result_counts() {
        let result = QueryResult::of(70, [4, 8, 15].into_iter(), &[8, 4, 16]);
        assert_eq!((result.ios, result.found), (70, 2));
        assert_eq!(QueryResult::unpacked(result.packed()), result);
        let results = QueryResults::new((100, 4), 2);
        assert_eq!(results.missing().collect::<Vec<_>>(), [0, 1]);
        results.keep(1, result).unwrap();
        results.keep(1, result).unwrap();
        assert_eq!(results.missing().collect::<Vec<_>>(), [0]);
        for other in [
            QueryResult::of(71, [4, 8, 15].into_iter(), &[8, 4, 16]),
            QueryResult::of(70, [4, 8, 14].into_iter(), &[8, 4, 16]),
            QueryResult::of(70, [4, 8, 15].into_iter(), &[8, 16]),
        ] {
            assert!(results.keep(1, other).is_err(), "{other:?}");
        }
        results.keep(0, QueryResult { ios: 30, ..result }).unwrap();
        let kept = results.to_record("io", 4096);
        assert_eq!((kept.queries, kept.ios, kept.found, kept.wanted), (2, 100, 4, 20));
    }
}
